// `drape check` and `drape run --verify`: what crosses, in all that can be named.
#include "cli_test.h"

// --- Small meshes ---

// A triangle in the plane y = 0, and another one that stands on it, `sunk` into it.
static void two_triangles(drape_vec3* points, float sunk)
{
    const drape_vec3 both[6] = {{0.0f, 0.0f, 0.0f},    {1.0f, 0.0f, 0.0f},   {0.0f, 0.0f, 1.0f},
                                {0.25f, -sunk, 0.25f}, {0.25f, 1.0f, 0.25f}, {0.5f, 1.0f, 0.25f}};
    memcpy(points, both, sizeof both);
}

static const int32_t two_faces[6] = {0, 1, 2, 3, 4, 5};
static const float sinks[3] = {-0.5f, 0.0f, 0.5f}; // apart, touching, crossing

static drape_mesh_view two_view(const drape_vec3* points)
{
    return (drape_mesh_view){
        .positions = points, .triangles = two_faces, .vertex_count = 6, .triangle_count = 2};
}

static void write_two(const char* name, float sunk)
{
    drape_vec3 points[6];
    drape_error error = {0};
    two_triangles(points, sunk);
    drape_mesh_view view = two_view(points);
    ck_assert_msg(drape_mesh_write(in_folder(name), &view, &error), "%s", error.sentence);
}

// The same as three frames: apart, touching, crossing.
static void write_cache(const char* name)
{
    drape_vec3 points[6];
    drape_error error = {0};
    drape_cache_writer* writer = drape_cache_open(in_folder(name), 6, 30.0f, &error);
    ck_assert_ptr_nonnull(writer);
    for (int frame = 0; frame < 3; ++frame) {
        two_triangles(points, sinks[frame]);
        ck_assert(drape_cache_append(writer, points, &error));
    }
    ck_assert(drape_cache_close(writer, &error));
}

static void write_sequence(const char* prefix, const char* ending)
{
    char name[64];
    for (int frame = 0; frame < 3; ++frame) {
        snprintf(name, sizeof name, "%s%04d%s", prefix, frame, ending);
        write_two(name, sinks[frame]);
    }
}

static void write_text(const char* name, const char* text)
{
    test_file_write(in_folder(name), text, strlen(text));
}

static const cli_test_result* drape_crossed(const char* line)
{
    const cli_test_result* result = drape(line);
    expect_code(result, 3, line);
    ck_assert_str_eq(result->err, "");
    return result;
}

static void expect_output(const char* line, int code, const char* out)
{
    const cli_test_result* result = drape(line);
    expect_code(result, code, line);
    ck_assert_str_eq(result->err, "");
    ck_assert_str_eq(result->out, out);
}

// --- Meshes and animations ---

START_TEST(one_mesh_is_judged)
{
    write_two("apart.obj", sinks[0]);
    write_two("touch.ply", sinks[1]);
    write_two("cross.obj", sinks[2]);
    expect_output("check apart.obj", 0, "1 frame, 2 triangles: no crossings, no touches\n");
    expect_output("check touch.ply", 0,
                  "frame 0: no crossings, 1 touch\n"
                  "1 frame, 2 triangles: no crossings, 1 touch\n");
    expect_output("check cross.obj", 3,
                  "frame 0: 1 crossing, no touches\n"
                  "1 frame, 2 triangles: 1 crossing, no touches\n");
    expect_output("check cross.obj --quiet", 3, "");
    expect_output("check cross.obj --quiet --list", 3, "0 cross 0 cross 1 crossing\n");
    expect_output("check touch.ply --quiet --list", 0, "0 touch 0 touch 1 touch\n");
}
END_TEST

static const char three_frames[] = "frame 1: no crossings, 1 touch\n"
                                   "frame 2: 1 crossing, no touches\n"
                                   "3 frames, 2 triangles: 1 crossing in 1 frame, 1 touch in 1 "
                                   "frame\n";

START_TEST(all_animations_are_read)
{
    mkdir(in_folder("dir"), 0777);
    write_two("a.obj", 0.0f);
    write_cache("a.pc2");
    expect_output("check a.pc2", 3, three_frames);
    write_two("b.ply", 0.0f);
    write_cache("b.mdd");
    expect_output("check b.mdd", 3, three_frames);
    write_sequence("c_", ".obj");
    expect_output("check c_%04d.obj", 3, three_frames);
    write_sequence("dir/frame_", ".ply");
    expect_output("check dir/frame_%04d.ply", 3, three_frames);
    expect_output("check dir", 3, three_frames);
    // What a shell makes of *, in any order.
    expect_output("check c_0002.obj c_0000.obj c_0001.obj", 3, three_frames);
    // A frame keeps its number.
    expect_output("check c_0001.obj --list --quiet", 0, "1 c 0 c 1 touch\n");
}
END_TEST

START_TEST(frames_are_chosen)
{
    write_two("a.obj", 0.0f);
    write_cache("a.pc2");
    expect_output("check a.pc2 --frames 0-1", 0,
                  "frame 1: no crossings, 1 touch\n"
                  "2 frames, 2 triangles: no crossings, 1 touch in 1 frame\n");
    expect_output("check a.pc2 --frame 0", 0, "1 frame, 2 triangles: no crossings, no touches\n");
    expect_output("check a.pc2 --frame=2 --quiet", 3, "");
    expect_output("check a.pc2 --frames 2-2 --quiet", 3, "");
}
END_TEST

START_TEST(objects_come_apart)
{
    // Objects of the same place would be folded; the names of vertices go on through the file.
    write_text("two.obj", "o upper cloth\nv 0 1 0\nv 1 1 0\nv 0 1 1\nf 1 2 3\n"
                          "o lower\nv 0 0 0\nv 1 0 0\nv 0 0 1\nv 0.2 2 0.2\nv 0.3 -1 0.2\n"
                          "v 0.2 2 0.3\nf 4 5 6\nf 7 8 9\n");
    expect_output("check two.obj --list --quiet", 3,
                  "0 upper cloth 0 lower 1 crossing\n0 lower 0 lower 1 crossing\n");
    // Groups with vertices in common leave the mesh whole.
    write_text("one.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\n"
                          "g left\nf 1 2 3\ng right\nf 2 4 3\n");
    expect_output("check one.obj", 0, "1 frame, 2 triangles: no crossings, no touches\n");
}
END_TEST

// Quads whose cut depends on their shape are the same mesh in all frames.
START_TEST(quads_may_be_cut_anew)
{
    const char* faces = "f 1 2 3 4\nf 2 5 6 3\n";
    char text[256];
    snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\nv 2 0 1\n%s", faces);
    write_text("q_0000.obj", text);
    // Corner 1 of the first quad is pulled in.
    snprintf(text, sizeof text, "v 0.9 0 0.9\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\nv 2 0 1\n%s",
             faces);
    write_text("q_0001.obj", text);
    snprintf(text, sizeof text, "v 0 0 0\nv 0.4 0 0.6\nv 1 0 1\nv 0 0 1\nv 2 0 0\nv 2 0 1\n%s",
             faces);
    write_text("q_0002.obj", text);
    expect_words(drape_done("check q_%04d.obj")->out, "3 frames, 4 triangles", "check");
    write_text("q_0003.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\nv 2 0 1\n"
                             "f 1 2 3 4\nf 2 5 6 4\n");
    expect_refusal("check q_%04d.obj", 2, "q_0003.obj: expected the triangles of q_0000.obj");
}
END_TEST

// --- Obstacles ---

START_TEST(obstacles_count_when_named)
{
    write_text("cloth.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    // Two obstacles that cross each other; one of them the cloth as well.
    write_text("wall.obj", "v 0.2 -1 0.2\nv 0.2 1 0.2\nv 0.3 1 0.3\nf 1 2 3\n");
    write_text("obstacle_roof.obj", "v 0 0.5 0\nv 1 0.5 0\nv 0 0.5 1\nf 1 2 3\n");
    expect_output("check cloth.obj", 0, "1 frame, 1 triangle: no crossings, no touches\n");
    expect_output("check cloth.obj --obstacle wall.obj --obstacle obstacle_roof.obj", 3,
                  "frame 0: 1 crossing, no touches\n"
                  "1 frame, 1 triangle, 2 obstacles: 1 crossing, no touches\n");
    // By its name it is an obstacle, unless it is alone.
    expect_output("check cloth.obj obstacle_roof.obj", 0,
                  "1 frame, 1 triangle, 1 obstacle: no crossings, no touches\n");
    expect_output("check obstacle_roof.obj", 0, "1 frame, 1 triangle: no crossings, no touches\n");
    // As cloths they are held against each other.
    expect_output("check cloth.obj wall.obj --list --quiet", 3, "0 cloth 0 wall 0 crossing\n");
}
END_TEST

START_TEST(obstacles_move_along)
{
    write_sequence("ball_", ".obj");
    write_text("cloth.obj", "v 0 -0.25 0\nv 1 -0.25 0\nv 0 -0.25 1\nf 1 2 3\n");
    // A cloth of one frame is held against the frame of its number.
    expect_output("check cloth.obj --obstacle ball_%04d.obj --quiet", 0, "");
    write_text("cloth_0002.obj", "v 0 -0.25 0\nv 1 -0.25 0\nv 0 -0.25 1\nf 1 2 3\n");
    expect_output("check cloth_0002.obj --obstacle ball_%04d.obj --list --quiet", 3,
                  "2 cloth 0 ball 1 crossing\n");
    write_text("cloth_0003.obj", "v 0 -0.25 0\nv 1 -0.25 0\nv 0 -0.25 1\nf 1 2 3\n");
    expect_refusal("check cloth_0003.obj --obstacle ball_%04d.obj", 2,
                   "ball_0000.obj: expected frame 3, which cloth_0003.obj has");
}
END_TEST

// --- Pictures ---

START_TEST(worst_frame_is_painted)
{
    write_two("a.obj", 0.0f);
    write_cache("a.pc2");
    const cli_test_result* result = drape_crossed("check a.pc2 --out worst.ply");
    expect_words(result->out, "frame 2 is in worst.ply\n", "check --out");
    drape_mesh_data mesh;
    drape_error error = {0};
    ck_assert_msg(drape_mesh_read(in_folder("worst.ply"), &mesh, &error), "%s", error.sentence);
    ck_assert_int_eq(mesh.triangle_count, 2);
    ck_assert_int_eq(mesh.vertex_count, 6);
    ck_assert_float_eq(mesh.positions[3].y, -sinks[2]);
    drape_mesh_data_free(&mesh);
    // All red, then all yellow, then all grey: the bytes behind the floats of the first vertex.
    static const unsigned char colours[3][3] = {{160, 160, 160}, {255, 210, 0}, {220, 20, 20}};
    for (int frame = 0; frame < 3; ++frame) {
        char line[64];
        size_t size = 0;
        snprintf(line, sizeof line, "check a.pc2 --quiet --out f.ply --frame %d", frame);
        expect_code(drape(line), frame == 2 ? 3 : 0, line);
        char* data = test_file_read(in_folder("f.ply"), &size);
        char* vertex = strstr(data, "end_header\n") + strlen("end_header\n");
        for (int v = 0; v < 6; ++v) {
            ck_assert_mem_eq(vertex + 15 * v + 12, colours[frame], 3);
        }
        free(data);
    }
}
END_TEST

// --- Runs ---

// Two cloths that stand in each other, and a ball that moves into them.
static const char crossed_scene[] =
    "{ \"drape\": 1, \"frames\": 3, \"collision\": { \"self\": \"none\" },\n"
    "  \"cloths\": [\n"
    "    { \"name\": \"flat\", \"grid\": { \"size\": [1, 1], \"resolution\": [8, 8] },\n"
    "      \"place\": { \"rotate\": [90, 0, 0] } },\n"
    "    { \"name\": \"upright\", \"grid\": { \"size\": [1, 1], \"resolution\": [9, 9] },\n"
    "      \"place\": { \"translate\": [0, 0.03, 0.01] } } ],\n"
    "  \"colliders\": [\n"
    "    { \"name\": \"floor\", \"plane\": {}, \"place\": { \"translate\": [0, -1, 0] } },\n"
    "    { \"name\": \"ball\", \"sphere\": { \"radius\": 0.1 }, \"keys\": [\n"
    "      { \"time\": 0, \"translate\": [3, 0, 0] }, { \"time\": 1, \"translate\": [2, 0, 0] } ] }"
    " ] }\n";

static const char* const formats[] = {"pc2", "mdd", "obj", "ply"};

START_TEST(folders_of_all_formats_agree)
{
    char first[sizeof((cli_test_result*)0)->out] = "";
    char line[128];
    write_text("scene.json", crossed_scene);
    for (int k = 0; k < 4; ++k) {
        snprintf(line, sizeof line, "run scene.json --quiet -o %s --format %s", formats[k],
                 formats[k]);
        drape_done(line);
        snprintf(line, sizeof line, "check %s --list", formats[k]);
        const cli_test_result* result = drape_crossed(line);
        expect_words(result->out, "\n0 flat ", line);
        expect_words(result->out, " upright ", line);
        expect_words(result->out, "4 frames, 226 triangles, 2 obstacles: ", line);
        ck_assert_msg(k == 0 || strcmp(result->out, first) == 0, "%s differs", formats[k]);
        memcpy(first, result->out, sizeof first);
    }
}
END_TEST

// The crossings of each frame, from the statistics.
static int read_crossings(const char* name, int64_t* crossings)
{
    size_t size = 0;
    int count = 0;
    char* text = test_file_read(in_folder(name), &size);
    for (char* line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const char* value = strstr(line, "\"crossings\": ");
        ck_assert_ptr_nonnull(value);
        crossings[count++] = atoll(value + strlen("\"crossings\": "));
    }
    free(text);
    return count;
}

START_TEST(verify_finds_what_check_finds)
{
    write_text("scene.json", crossed_scene);
    const cli_test_result* result = drape("run scene.json -o out --verify --stats s.jsonl --quiet");
    expect_code(result, 3, "run --verify");
    expect_words(result->err, "drape run: --verify: crossings in 4 of 4 frames, at most ", "run");
    expect_words(result->err, ": frames 0-3\n", "run");
    int64_t crossings[8];
    ck_assert_int_eq(read_crossings("s.jsonl", crossings), 4);
    for (int frame = 1; frame <= 3; ++frame) {
        char line[64], words[64];
        snprintf(line, sizeof line, "check out --frame %d", frame);
        snprintf(words, sizeof words, "frame %d: %lld crossing", frame,
                 (long long)crossings[frame - 1]);
        expect_words(drape_crossed(line)->out, words, line);
        ck_assert_int_gt(crossings[frame - 1], 10);
    }
    // The run itself is the same, and its files are complete.
    drape_done("run scene.json -o plain --quiet");
    size_t size = 0, plain_size = 0;
    char* data = test_file_read(in_folder("out/flat.pc2"), &size);
    char* plain = test_file_read(in_folder("plain/flat.pc2"), &plain_size);
    ck_assert(size == plain_size && memcmp(data, plain, size) == 0);
    free(data);
    free(plain);
}
END_TEST

START_TEST(verify_is_silent_when_all_is_well)
{
    const cli_test_result* result =
        drape_done("run table --verify --frames 3 --set cloths.0.grid.resolution=[11,11]");
    expect_words(result->out, ", no crossings, no files written\n", "run --verify");
    drape_done("run table --verify --frames 3 --quiet --stats s.jsonl");
    int64_t crossings[8];
    ck_assert_int_eq(read_crossings("s.jsonl", crossings), 4);
    ck_assert_int_eq(crossings[0] + crossings[1] + crossings[2], 0);
    drape_done("run table --frames 2 --quiet --stats t.jsonl");
    char text[8192];
    read_text(in_folder("t.jsonl"), text, sizeof text);
    expect_words(text, "\"crossings\": null", "--stats");
}
END_TEST

START_TEST(crossings_by_simulation_are_found)
{
    // Without self-collision a falling cloth runs into itself.
    const cli_test_result* result =
        drape("run ground --quiet --verify --frames 20 --set collision.self=none "
              "--set cloths.0.grid.resolution=[21,21]");
    expect_code(result, 3, "run ground");
    expect_words(result->err, "--verify: crossings in ", "run ground");
}
END_TEST

// --- What is refused ---

typedef struct bad_check {
    const char* line;
    const char* words;
} bad_check;

static const bad_check bad_checks[] = {
    {"", "drape check: expected FILE or DIR, found nothing"},
    {"nothing.obj", "nothing.obj: could not read"},
    {"nothing.pc2", "nothing.pc2: could not read"},
    {"nothing_%d.obj", "nothing_%d.obj: expected frame 0 or 1, found neither"},
    {"n_%s.obj", "n_%s.obj: expected one number in the name"},
    {"bad.obj", "bad.obj:1: "},
    {"alone.pc2", "alone.pc2: expected a mesh with the triangles beside it, alone.obj"},
    {"wrong.pc2", "wrong.obj: expected 6 vertices as in wrong.pc2, found 3"},
    {"empty", "empty: expected a folder that drape run wrote"},
    {"mixed", "mixed: expected the files of one run, found a.pc2 and frame_0000.obj"},
    {"a.pc2 --frame 3", "--frame: expected frames from 0 to 2, found 3"},
    {"a.pc2 --frames 1-9", "--frames: expected frames from 0 to 2, found 9"},
    {"a.pc2 --frames 2-1", "--frames: expected A-B, such as 10-20, found \"2-1\""},
    {"a.pc2 --frames 2", "--frames: expected A-B"},
    {"a.pc2 --frames -", "--frames: expected A-B"},
    {"a.pc2 --frames 1-2x", "--frames: expected A-B"},
    {"a.pc2 --frame 1 --frames 1-2", "--frame: expected it without --frames"},
    {"a.pc2 --out picture.png", "--out: expected a name that ends in .ply"},
    {"a.pc2 --obstacle", "--obstacle: expected a value, found none"},
    {"a.pc2 --obstacle nothing.obj", "nothing.obj: could not read"},
    {"a.pc2 short_%04d.obj", "short_0000.obj: expected frame 2, which a.pc2 has"},
    {"s_000.obj s_0000.obj", "expected each frame once"},
};

START_TEST(bad_input_is_named)
{
    mkdir(in_folder("empty"), 0777);
    mkdir(in_folder("mixed"), 0777);
    write_text("bad.obj", "v 1 2\n");
    write_two("a.obj", 0.0f);
    write_cache("a.pc2");
    write_cache("alone.pc2");
    write_cache("wrong.pc2");
    write_text("wrong.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    write_two("mixed/a.obj", 0.0f);
    write_cache("mixed/a.pc2");
    write_two("mixed/frame_0000.obj", 0.0f);
    write_two("short_0000.obj", 0.0f);
    write_two("short_0001.obj", 0.0f);
    write_two("s_000.obj", 0.0f);
    write_two("s_0000.obj", 0.0f);
    char line[128];
    snprintf(line, sizeof line, "check %s", bad_checks[_i].line);
    expect_refusal(line, 2, bad_checks[_i].words);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("check");
    TCase* files = cli_test_case(suite, "files");
    tcase_add_test(files, one_mesh_is_judged);
    tcase_add_test(files, all_animations_are_read);
    tcase_add_test(files, frames_are_chosen);
    tcase_add_test(files, objects_come_apart);
    tcase_add_test(files, quads_may_be_cut_anew);
    tcase_add_test(files, obstacles_count_when_named);
    tcase_add_test(files, obstacles_move_along);
    tcase_add_test(files, worst_frame_is_painted);
    TCase* runs = cli_test_case(suite, "runs");
    tcase_add_test(runs, folders_of_all_formats_agree);
    tcase_add_test(runs, verify_finds_what_check_finds);
    tcase_add_test(runs, verify_is_silent_when_all_is_well);
    tcase_add_test(runs, crossings_by_simulation_are_found);
    TCase* bad = cli_test_case(suite, "bad input");
    tcase_add_loop_test(bad, bad_input_is_named, 0, sizeof bad_checks / sizeof bad_checks[0]);
    return test_run(suite);
}
