// Checkpoints: a run that is broken off goes on as if it had not been.
#include "cli_test.h"
#include "io/file.h"

// A small curtain: pins that move, wind, a collider on keys.
#define SCENE "run scene.json --quiet "
static const char scene[] =
    "{ \"drape\": 1, \"frames\": 30, \"fps\": 30,\n"
    "  \"wind\": { \"velocity\": [2, 0, 1], \"gust\": 0.5, \"drag\": 1, \"lift\": 0.5 },\n"
    "  \"method\": \"drape\", \"collision\": { \"self\": \"none\" },\n"
    "  \"cloths\": [\n"
    "    { \"name\": \"a\", \"grid\": { \"size\": [0.5, 0.5], \"resolution\": [13, 13] },\n"
    "      \"place\": { \"translate\": [0, 1, 0] },\n"
    "      \"pins\": [ { \"where\": { \"indices\": [0] } },\n"
    "                { \"where\": { \"indices\": [12] }, \"release\": 0.4 } ] },\n"
    "    { \"name\": \"b\", \"disc\": { \"radius\": 0.2, \"rings\": 6 },\n"
    "      \"place\": { \"translate\": [0.1, 0.8, 0] } } ],\n"
    "  \"colliders\": [ { \"name\": \"ball\", \"sphere\": { \"radius\": 0.15 },\n"
    "      \"keys\": [ { \"time\": 0, \"translate\": [0, 0.4, 0] },\n"
    "                { \"time\": 1, \"translate\": [0.1, 0.7, 0] } ] } ] }\n";

// Over two bodies of triangles: a lid that flaps, and a wedge that turns on keys.
#define BODIES "run bodies.json --quiet "
static const char bodies[] =
    "{ \"drape\": 1, \"frames\": 20, \"fps\": 30,\n"
    "  \"method\": \"drape\", \"collision\": { \"self\": \"none\" },\n"
    "  \"cloths\": [\n"
    "    { \"name\": \"a\", \"grid\": { \"size\": [0.5, 0.5], \"resolution\": [13, 13] },\n"
    "      \"place\": { \"translate\": [0, 0.22, 0], \"rotate\": [90, 0, 0] } },\n"
    "    { \"name\": \"b\", \"disc\": { \"radius\": 0.2, \"rings\": 6 },\n"
    "      \"place\": { \"translate\": [-0.1, 0.3, 0], \"rotate\": [90, 0, 0] } } ],\n"
    "  \"colliders\": [\n"
    "    { \"name\": \"lid\", \"sequence\": { \"files\": \"lid_%d.obj\", \"fps\": 12 } },\n"
    "    { \"name\": \"wedge\", \"mesh\": \"wedge.obj\",\n"
    "      \"keys\": [ { \"time\": 0, \"translate\": [0.2, 0.05, 0] },\n"
    "                { \"time\": 0.6, \"translate\": [0.2, 0.1, 0], \"rotate\": [0, 90, 20] }"
    " ] } ] }\n";

static void write_text(const char* name, const char* text)
{
    test_file_write(in_folder(name), text, strlen(text));
}

static void write_scene(void)
{
    write_text("scene.json", scene);
}

static void write_bodies(void)
{
    write_text("bodies.json", bodies);
    write_text("wedge.obj", "v -0.1 0 -0.1\nv 0.1 0 -0.1\nv 0 0 0.1\nv 0 0.15 0\n"
                            "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    for (int frame = 0; frame < 5; ++frame) {
        char name[16], text[128];
        snprintf(name, sizeof name, "lid_%d.obj", frame);
        snprintf(text, sizeof text,
                 "v -0.3 0 -0.2\nv -0.3 0 0.2\nv -0.02 0.%02d 0.2\nv -0.02 0.1 -0.2\n"
                 "f 1 2 3\nf 1 3 4\n",
                 10 + 2 * frame);
        write_text(name, text);
    }
}

static void expect_same_file(const char* a, const char* b)
{
    drape_error error = {0};
    dr_file x, y;
    ck_assert_msg(dr_file_read(in_folder(a), &x, &error), "%s", error.sentence);
    ck_assert_msg(dr_file_read(in_folder(b), &y, &error), "%s", error.sentence);
    ck_assert_uint_eq(x.size, y.size);
    ck_assert_msg(memcmp(x.data, y.data, x.size) == 0, "%s differs from %s", a, b);
    dr_file_free(&x);
    dr_file_free(&y);
}

static void expect_same_run(const char* a, const char* b, const char* const* names)
{
    for (; *names != NULL; ++names) {
        char left[64], right[64];
        snprintf(left, sizeof left, "%s/%s", a, *names);
        snprintf(right, sizeof right, "%s/%s", b, *names);
        expect_same_file(left, right);
    }
}

static void wait_ms(double ms)
{
    long seconds = (long)(ms / 1e3);
    struct timespec time = {seconds, (long)(1e6 * (ms - 1e3 * (double)seconds))};
    nanosleep(&time, NULL);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

// Ten times a run is killed at random times until one reaches the end; it has left the same files.
static void kill_and_go_on(const char* order, const char* const* names, unsigned random)
{
    char line[256];
    double begin = now_ms();
    snprintf(line, sizeof line, "%s-o whole --checkpoint 4", order);
    drape_done(line);
    double whole = now_ms() - begin;
    int killed = 0;
    snprintf(line, sizeof line, "%s-o broken --checkpoint 4 --resume", order);
    for (int round = 0; round < 10; ++round) {
        remove_tree(in_folder("broken"));
        for (bool is_done = false; !is_done;) {
            pid_t child = cli_start(split_line(line), 0);
            random = random * 1664525u + 1013904223u;
            wait_ms(1.3 * whole * (double)(random >> 8) / (double)(1u << 24));
            kill(child, SIGKILL);
            is_done = cli_finish(child)->code == 0;
            killed += !is_done;
        }
        expect_same_run("whole", "broken", names);
        expect_no_temporary(in_folder("broken"));
    }
    ck_assert_int_gt(killed, 0);
}

// Killed at fifty random times, once or more often, it ends with the same bytes.
START_TEST(killed_runs_go_on)
{
    static const char* const names[] = {
        "a.pc2", "a.obj", "b.pc2", "b.obj", "obstacle_ball_0000.obj", "obstacle_ball_0030.obj",
        NULL};
    write_scene();
    kill_and_go_on(SCENE, names, 12345u + (unsigned)_i);
}
END_TEST

START_TEST(killed_runs_over_meshes_go_on)
{
    static const char* const names[] = {"a.pc2",
                                        "b.pc2",
                                        "obstacle_lid_0007.obj",
                                        "obstacle_lid_0020.obj",
                                        "obstacle_wedge_0007.obj",
                                        "obstacle_wedge_0020.obj",
                                        NULL};
    write_bodies();
    kill_and_go_on(BODIES, names, 54321u);
}
END_TEST

START_TEST(killed_runs_of_elastic_sheets_go_on)
{
    static const char* const names[] = {"cloth.pc2", "cloth.obj", NULL};
    kill_and_go_on("run table-paper --quiet --frames 12 --set cloths.0.grid.resolution=[15,15] ",
                   names, 777u);
}
END_TEST

// An interrupt leaves a checkpoint at the frame it came at, whichever that is.
START_TEST(interrupted_runs_go_on)
{
    static const char* const names[] = {"a.pc2", "b.pc2", "obstacle_ball_0005.obj", NULL};
    write_scene();
    pid_t child = cli_start(split_line(SCENE "-o broken --checkpoint 1000000 --frames 1000000"), 0);
    while (!file_exists("broken/obstacle_ball_0005.obj")) {
        wait_ms(1.0);
    }
    kill(child, SIGINT);
    const cli_test_result* result = cli_finish(child);
    ck_assert_int_eq(result->code, 1);
    const char* told = strstr(result->err, "interrupted after frame ");
    ck_assert_ptr_nonnull(told);
    int frame = (int)strtol(told + strlen("interrupted after frame "), NULL, 10);
    ck_assert_int_ge(frame, 5);
    // Some frames more, against a run that was never interrupted.
    char line[128];
    snprintf(line, sizeof line, SCENE "-o broken --resume --frames %d", frame + 10);
    drape_done(line);
    snprintf(line, sizeof line, SCENE "-o whole --frames %d", frame + 10);
    drape_done(line);
    expect_same_run("whole", "broken", names);
}
END_TEST

// Rows of the statistics and crossings that were found before count as well.
START_TEST(statistics_are_complete)
{
    write_scene();
    const char* first = SCENE "-o a --checkpoint 5 --stats a/stats --frames 12 --verify";
    const char* second = SCENE "-o a --resume --stats a/stats --frames 20 --verify";
    expect_code(drape(first), 3, first);
    const cli_test_result* result = drape(second);
    expect_code(result, 3, second);
    expect_words(result->err, " of 21 frames, at most", second);
    expect_words(result->err, "frames 1-", second);
    char text[65536];
    read_text(in_folder("a/stats"), text, sizeof text);
    int lines = 0;
    for (const char* c = text; *c; ++c) {
        lines += *c == '\n';
    }
    ck_assert_int_eq(lines, 21);
    expect_words(text, "{\"frame\": 1, ", second);
    expect_words(text, "{\"frame\": 20, ", second);
}
END_TEST

START_TEST(changed_values_count_from_a_frame_on)
{
    write_scene();
    drape_done(SCENE "-o a --checkpoint 5 --format obj");
    drape_done(SCENE "-o b --checkpoint 5 --format obj");
    drape_done(SCENE "-o b --from-frame 10 --format obj --set gravity.1=0");
    expect_same_file("a/frame_0010.obj", "b/frame_0010.obj");
    drape_mesh_data a, b;
    drape_error error = {0};
    ck_assert(drape_mesh_read(in_folder("a/frame_0030.obj"), &a, &error));
    ck_assert(drape_mesh_read(in_folder("b/frame_0030.obj"), &b, &error));
    ck_assert_float_gt(b.positions[100].y, a.positions[100].y + 0.05f);
    drape_mesh_data_free(&a);
    drape_mesh_data_free(&b);
}
END_TEST

// A body is part of the scene, though its file is not the scene's.
START_TEST(other_bodies_are_refused)
{
    write_bodies();
    drape_done(BODIES "-o a --checkpoint 5 --frames 10");
    if (_i == 0) {
        write_text("wedge.obj", "v -0.1 0 -0.1\nv 0.1 0 -0.1\nv 0 0 0.1\nv 0 0.16 0\n"
                                "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    } else {
        write_text("lid_4.obj", "v -0.3 0 -0.2\nv -0.3 0 0.2\nv -0.02 0.2 0.2\nv -0.02 0.1 -0.2\n"
                                "f 1 2 3\nf 1 3 4\n");
    }
    expect_refusal(BODIES "-o a --resume", 2,
                   "the checkpoint is of another scene, or of other files");
    drape_done(BODIES "-o a --from-frame 10");
}
END_TEST

// Frames of before the break are there in the format of after it.
START_TEST(formats_may_change)
{
    static const char* const names[] = {"frame_0000.obj", "frame_0007.obj", "frame_0030.obj", NULL};
    write_scene();
    drape_done(SCENE "-o a --format obj");
    drape_done(SCENE "-o b --checkpoint 5 --frames 10");
    drape_done(SCENE "-o b --resume --format obj");
    expect_same_run("a", "b", names);
}
END_TEST

static const struct {
    const char* line;
    const char* words;
} refusals[] = {
    {SCENE "--checkpoint 5", "--checkpoint: expected -o DIR"},
    {SCENE "--resume", "--resume: expected -o DIR"},
    {SCENE "--from-frame 3", "--from-frame: expected -o DIR"},
    {SCENE "-o a --resume --from-frame 5", "--resume: expected not to be together"},
    {SCENE "-o a --resume --set gravity.1=0", "the checkpoint is of another scene"},
    {SCENE "-o a --from-frame 7", "no checkpoint of frame 7; there are those of frames 5, 10"},
    {SCENE "-o none --from-frame 7", "no checkpoint of frame 7; there are none"},
    {SCENE "-o a --from-frame 10 --set cloths.0.grid.resolution=[9,9]",
     "the checkpoint is of another scene: its cloths have other vertices"},
};

START_TEST(what_does_not_fit_is_refused)
{
    write_scene();
    drape_done(SCENE "-o a --checkpoint 5 --frames 10");
    expect_refusal(refusals[_i].line, 2, refusals[_i].words);
}
END_TEST

// Any damage is noticed: a byte changed, the end missing, another version.
START_TEST(damage_is_noticed)
{
    write_scene();
    drape_done(SCENE "-o a --checkpoint 10 --frames 10");
    drape_error error = {0};
    dr_file file;
    ck_assert(dr_file_read(in_folder("a/checkpoints/0010.drape"), &file, &error));
    size_t size = file.size;
    for (int k = 0; k < 40; ++k) {
        size_t at = k < 20 ? (size_t)k * 4 : (size_t)(k - 20) * size / 20 + (size_t)k;
        FILE* out = fopen(in_folder("a/checkpoints/0010.drape"), "wb");
        file.data[at] = (char)(file.data[at] ^ 0x40);
        ck_assert_uint_eq(fwrite(file.data, 1, k % 8 == 7 ? at : size, out),
                          k % 8 == 7 ? at : size);
        fclose(out);
        file.data[at] = (char)(file.data[at] ^ 0x40);
        const cli_test_result* result = drape(SCENE "-o a --resume --frames 20");
        ck_assert_msg(result->code == 2, "byte %zu: code %d", at, result->code);
    }
    dr_file_free(&file);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("cli_checkpoint");
    TCase* tests = cli_test_case(suite, "checkpoints");
    tcase_add_loop_test(tests, killed_runs_go_on, 0, 5);
    tcase_add_test(tests, killed_runs_over_meshes_go_on);
    tcase_add_test(tests, killed_runs_of_elastic_sheets_go_on);
    tcase_add_test(tests, interrupted_runs_go_on);
    tcase_add_test(tests, statistics_are_complete);
    tcase_add_test(tests, changed_values_count_from_a_frame_on);
    tcase_add_loop_test(tests, other_bodies_are_refused, 0, 2);
    tcase_add_test(tests, formats_may_change);
    tcase_add_loop_test(tests, what_does_not_fit_is_refused, 0,
                        (int)(sizeof refusals / sizeof refusals[0]));
    tcase_add_test(tests, damage_is_noticed);
    return test_run(suite);
}
