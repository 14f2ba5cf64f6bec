// `drape run`: its files, its statistics, and how it ends when it cannot go on.
#define _XOPEN_SOURCE 700 // posix_openpt
#include "cli_test.h"

// A small cloth on a table; frames follow.
#define TABLE "run table --quiet --set cloths.0.grid.resolution=[21,21] "
#define VERTEX_COUNT (21 * 21)

static drape_cache_data read_cache(const char* name)
{
    drape_cache_data cache;
    drape_error error = {0};
    ck_assert_msg(drape_cache_read(in_folder(name), &cache, &error), "%s", error.sentence);
    return cache;
}

static drape_mesh_data read_mesh(const char* name)
{
    drape_mesh_data mesh;
    drape_error error = {0};
    ck_assert_msg(drape_mesh_read(in_folder(name), &mesh, &error), "%s", error.sentence);
    return mesh;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

// --- Formats ---

START_TEST(caches_have_all_frames)
{
    const char* format = _i == 0 ? "pc2" : "mdd";
    char line[256];
    snprintf(line, sizeof line, TABLE "--frames 5 -o a/b --format %s", format);
    drape_done(line);
    char name[64];
    snprintf(name, sizeof name, "a/b/cloth.%s", format);
    drape_cache_data cache = read_cache(name);
    drape_mesh_data mesh = read_mesh("a/b/cloth.obj");
    ck_assert_int_eq(cache.frame_count, 6);
    ck_assert_int_eq(cache.vertex_count, VERTEX_COUNT);
    ck_assert_int_eq(mesh.vertex_count, VERTEX_COUNT);
    ck_assert_float_eq_tol(cache.fps, 30.0f, 1e-3f);
    // The mesh is frame 0, and the cloth falls.
    ck_assert_mem_eq(mesh.positions, cache.positions, sizeof(drape_vec3) * VERTEX_COUNT);
    ck_assert_float_lt(cache.positions[5 * VERTEX_COUNT].y, cache.positions[0].y - 0.1f);
    ck_assert(file_exists("a/b/obstacle_top.obj"));
    expect_no_temporary(in_folder("a/b"));
    snprintf(line, sizeof line, "info a/b/cloth.%s", format);
    expect_words(drape_done(line)->out, "frames      6", line);
    drape_mesh_data_free(&mesh);
    drape_cache_data_free(&cache);
}
END_TEST

START_TEST(sequences_equal_the_cache)
{
    const char* format = _i == 0 ? "obj" : "ply";
    char line[256];
    drape_done(TABLE "--frames 5 -o cache");
    snprintf(line, sizeof line, TABLE "--frames 5 -o frames --format %s", format);
    drape_done(line);
    drape_cache_data cache = read_cache("cache/cloth.pc2");
    for (int frame = 0; frame <= 5; ++frame) {
        char name[64];
        snprintf(name, sizeof name, "frames/frame_%04d.%s", frame, format);
        drape_mesh_data mesh = read_mesh(name);
        ck_assert_int_eq(mesh.vertex_count, VERTEX_COUNT);
        ck_assert_mem_eq(mesh.positions, cache.positions + frame * VERTEX_COUNT,
                         sizeof(drape_vec3) * VERTEX_COUNT);
        drape_mesh_data_free(&mesh);
    }
    snprintf(line, sizeof line, "frames/frame_0006.%s", format);
    ck_assert(!file_exists(line));
    ck_assert(file_exists("frames/obstacle_top.obj"));
    snprintf(line, sizeof line, "info frames/frame_0003.%s", format);
    expect_words(drape_done(line)->out, "441 vertices, 800 triangles", line);
    drape_cache_data_free(&cache);
}
END_TEST

// The first vertex of a group, -1 without one.
static int first_of_group(const drape_mesh_data* mesh, const char* name)
{
    for (int i = 0; i < mesh->group_count; ++i) {
        if (strcmp(mesh->groups[i].name, name) == 0) {
            return mesh->groups[i].vertices[0];
        }
    }
    return -1;
}

START_TEST(several_cloths_share_a_frame)
{
    drape_done("run tangled --quiet --frames 1 -o cache");
    drape_done("run tangled --quiet --frames 1 -o obj --format obj");
    drape_done("run tangled --quiet --frames 1 -o ply --format ply");
    drape_mesh_data frame = read_mesh("obj/frame_0001.obj");
    static const char* const names[] = {"flat", "bump", "slanted"}; // as in the scene
    ck_assert_int_eq(frame.group_count, 3);
    int first = 0;
    for (int i = 0; i < 3; ++i) {
        char name[64];
        snprintf(name, sizeof name, "cache/%s.pc2", names[i]);
        drape_cache_data cache = read_cache(name);
        snprintf(name, sizeof name, "ply/%s_0001.ply", names[i]);
        drape_mesh_data mesh = read_mesh(name);
        size_t size = sizeof(drape_vec3) * (size_t)cache.vertex_count;
        ck_assert_mem_eq(mesh.positions, cache.positions + cache.vertex_count, size);
        ck_assert_mem_eq(frame.positions + first, cache.positions + cache.vertex_count, size);
        ck_assert_int_eq(first_of_group(&frame, names[i]), first);
        first += cache.vertex_count;
        drape_mesh_data_free(&mesh);
        drape_cache_data_free(&cache);
    }
    ck_assert_int_eq(frame.vertex_count, first);
    drape_mesh_data_free(&frame);
}
END_TEST

START_TEST(moving_obstacles_have_frames)
{
    drape_done("run curtain --quiet --frames 2 -o out");
    ck_assert(file_exists("out/obstacle_ball_0000.obj"));
    ck_assert(file_exists("out/obstacle_ball_0002.obj"));
    ck_assert(!file_exists("out/obstacle_ball_0003.obj"));
    ck_assert(!file_exists("out/obstacle_ball.obj"));
}
END_TEST

// Four octahedra in each frame; none of them stays where it was.
START_TEST(particles_have_frames)
{
    drape_done("run pins-center --quiet --frames 3 --particles -o out");
    drape_mesh_data first = read_mesh("out/particles_cloth_0000.obj");
    drape_mesh_data last = read_mesh("out/particles_cloth_0003.obj");
    ck_assert_int_eq(first.vertex_count, 4 * 6);
    ck_assert_int_eq(last.triangle_count, 4 * 8);
    for (int i = 0; i < 4 * 6; ++i) {
        ck_assert_mem_ne(&first.positions[i], &last.positions[i], sizeof(drape_vec3));
    }
    drape_mesh_data_free(&first);
    drape_mesh_data_free(&last);
}
END_TEST

START_TEST(without_a_folder_nothing_is_written)
{
    const cli_test_result* result =
        drape_done("run table --frames 2 --set cloths.0.grid.resolution=[21,21]");
    expect_words(result->out, "2 frames in ", "run");
    expect_words(result->out, "no files written", "run");
    ck_assert_int_eq(test_folder_count(&folder), 2);
    // In a pipe there is no progress line; the warning about the guard is a line by itself.
    ck_assert_ptr_null(strchr(result->err, '\r'));
    ck_assert_ptr_null(strstr(result->err, "ms a frame"));
}
END_TEST

START_TEST(quiet_is_quiet)
{
    ck_assert_str_eq(drape_done(TABLE "--frames 2")->out, "");
}
END_TEST

// --- Statistics ---

START_TEST(statistics_have_their_keys)
{
    static const char* const keys[] = {
        "\"ms\": {\"total\"", "\"predict\"",    "\"detect\"",       "\"solve\"",
        "\"guard\"",          "\"output\"",     "\"contacts\"",     "\"box_tests\"",
        "\"exact_tests\"",    "\"runs\"",       "\"smallest_gap\"", "\"max_stretch\"",
        "\"kinetic_energy\"", "\"heap_calls\"", "\"crossings\"",    "\"guarded\"",
        "\"pinched\"",
        "\"detect_self\"",    "\"substeps\"",   "\"sweeps\"",       "\"planes\"",
        "\"far_pairs\"",      "\"conflicts\"",  "\"clamped\"",      "\"frozen\"",
        "\"forced\"",         "\"halved\"",     "\"unconverged\"",
    };
    drape_done(TABLE "--frames 3 --stats s.jsonl");
    size_t size = 0;
    char* text = test_file_read(in_folder("s.jsonl"), &size);
    int line_number = 0;
    for (char* line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        ++line_number;
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; ++k) {
            expect_words(line, keys[k], "--stats");
        }
        char frame[32];
        snprintf(frame, sizeof frame, "{\"frame\": %d, \"time\": ", line_number);
        ck_assert_int_eq(strncmp(line, frame, strlen(frame)) == 0, line_number <= 3);
        if (line_number == 4) {
            expect_words(line, "\"frames\": 3, \"average\": {", "--stats");
            expect_words(line, "\"maximum\": {", "--stats");
            ck_assert_int_eq(strncmp(line, "{\"hash\": \"", 10), 0);
            ck_assert_uint_eq(strspn(line + 10, "0123456789abcdef"), 16);
        }
    }
    ck_assert_int_eq(line_number, 4);
    free(text);
}
END_TEST

START_TEST(steps_that_cannot_be_done_end_the_run)
{
    const cli_test_result* result =
        drape("run table-paper --quiet --frames 2 --set solver.elastic.dt=1e-9");
    ck_assert_int_eq(result->code, 1);
    expect_words(result->err, "stopped at frame 1: a step of 0.0333333 s is more than a million",
                 "elastic.dt");
}
END_TEST

START_TEST(no_colliders_no_gap)
{
    drape_done(TABLE "--frames 1 --set colliders=[] --stats s.jsonl");
    char text[8192];
    read_text(in_folder("s.jsonl"), text, sizeof text);
    expect_words(text, "\"smallest_gap\": null", "--stats");
    ck_assert_ptr_null(strstr(text, "inf"));
    ck_assert_ptr_null(strstr(text, "nan"));
}
END_TEST

// The hash of a run with these options; empty when the instruction set is not there.
static const char* hash_of(const char* options)
{
    static char hash[17];
    char line[512];
    snprintf(line, sizeof line, TABLE "--frames 12 --stats s.jsonl %s", options);
    const cli_test_result* result = drape(line);
    hash[0] = '\0';
    if (result->code == 2 && strstr(result->err, "of this machine") != NULL) {
        return hash;
    }
    expect_code(result, 0, line);
    size_t size = 0;
    char* text = test_file_read(in_folder("s.jsonl"), &size);
    const char* found = strstr(text, "\"hash\": \"");
    ck_assert_ptr_nonnull(found);
    snprintf(hash, sizeof hash, "%s", found + 9);
    free(text);
    return hash;
}

START_TEST(threads_and_instruction_sets_give_the_same_bits)
{
    static const char* const options[] = {"--threads 2",
                                          "--threads 4",
                                          "--isa plain",
                                          "--isa sse2",
                                          "--isa avx2",
                                          "--isa neon",
                                          "--isa plain --threads 2"};
    char first[17];
    snprintf(first, sizeof first, "%s", hash_of("--threads 1"));
    int compared = 0;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
        const char* hash = hash_of(options[i]);
        if (hash[0] != '\0') {
            ck_assert_msg(strcmp(hash, first) == 0, "%s: %s, not %s", options[i], hash, first);
            ++compared;
        }
    }
    ck_assert_int_ge(compared, 4);
}
END_TEST

// --- Ending early ---

// Waits until the run has begun to write; its first frames are then done.
static void wait_for_files(const char* path)
{
    for (int i = 0; i < 500 && access(path, F_OK) != 0; ++i) {
        sleep_ms(10);
    }
    ck_assert_int_eq(access(path, F_OK), 0);
    sleep_ms(200);
}

START_TEST(interrupted_files_are_valid)
{
    int signal_number = _i == 0 ? SIGINT : SIGTERM;
    pid_t child = cli_start(
        split_line("run table --set cloths.0.grid.resolution=[21,21] --frames 1000000 -o out "
                   "--stats out.jsonl"),
        0);
    wait_for_files(in_folder("out/obstacle_top.obj"));
    kill(child, signal_number);
    const cli_test_result* result = cli_finish(child);
    expect_code(result, 1, "run");
    expect_words(result->err, "drape run: interrupted after frame ", "run");
    drape_cache_data cache = read_cache("out/cloth.pc2");
    ck_assert_int_ge(cache.frame_count, 2);
    char words[64];
    snprintf(words, sizeof words, "interrupted after frame %d of 1000000", cache.frame_count - 1);
    expect_words(result->err, words, "run");
    drape_cache_data_free(&cache);
    // The statistics have their last line.
    size_t size = 0;
    char* text = test_file_read(in_folder("out.jsonl"), &size);
    expect_words(text, "\n{\"hash\": ", "--stats");
    free(text);
    ck_assert(file_exists("out/cloth.obj"));
    expect_no_temporary(in_folder("out"));
}
END_TEST

// Next to no mass in a storm: the second frame cannot be stepped.
START_TEST(numbers_that_run_out_end_the_run)
{
    expect_refusal(TABLE "--frames 9 -o out --set solver.substeps=1 "
                         "--set cloths.0.fabric.density=1e-6 "
                         "--set wind={\"velocity\":[1000,0,0],\"drag\":0,\"lift\":100}",
                   1, "whose positions are not finite");
    drape_cache_data cache = read_cache("out/cloth.pc2");
    ck_assert_int_lt(cache.frame_count, 10);
    drape_cache_data_free(&cache);
    expect_no_temporary(in_folder("out"));
}
END_TEST

static void write_precious(const char* name)
{
    test_file_write(in_folder(name), "precious", 8);
}

static void expect_precious(const char* name)
{
    size_t size = 0;
    char* text = test_file_read(in_folder(name), &size);
    ck_assert_str_eq(text, "precious");
    free(text);
}

START_TEST(full_disk_is_told)
{
    static const char* const formats[] = {"pc2", "mdd", "obj", "ply"};
    char line[256];
    ck_assert_int_eq(mkdir(in_folder("out"), 0777), 0);
    write_precious("out/cloth.pc2");
    write_precious("out/cloth.obj");
    snprintf(line, sizeof line, TABLE "--frames 50 -o out --format %s", formats[_i]);
    // Smaller than a frame of any of the formats when they are not caches.
    const cli_test_result* result = cli_finish(cli_start(split_line(line), _i < 2 ? 100000 : 5000));
    expect_code(result, 1, line);
    expect_words(result->err, "could not write the file", line);
    ck_assert_str_eq(result->out, "");
    expect_precious("out/cloth.pc2");
    expect_precious("out/cloth.obj");
    expect_no_temporary(in_folder("out"));
}
END_TEST

START_TEST(places_that_cannot_be_written_are_told)
{
    write_precious("file");
    expect_refusal(TABLE "--frames 1 -o file", 1, "drape run: file: could not make the directory");
    expect_refusal(TABLE "--frames 1 -o file/below", 1, "could not make the directory");
    expect_refusal(TABLE "--frames 1 --stats none/s.jsonl", 1, "none/s.jsonl: could not write");
    expect_refusal(TABLE "--frames 1 --stats /dev/full", 1, "/dev/full: could not write");
    expect_precious("file");
}
END_TEST

START_TEST(failures_at_the_start_lose_nothing)
{
    ck_assert_int_eq(mkdir(in_folder("out"), 0777), 0);
    write_precious("out/cloth.pc2");
    write_precious("out/cloth.obj");
    write_precious("out/obstacle_top.obj");
    write_precious("s.jsonl");
    expect_refusal(TABLE "-o out --stats s.jsonl --set solver.substeps=none", 2, "--set");
    expect_refusal(TABLE "-o out --stats s.jsonl --method spring --set collision.self=predictive", 2,
                   "needs the cloth model");
    expect_refusal(TABLE "-o out --stats none/s.jsonl", 1, "none/s.jsonl");
    expect_precious("out/cloth.pc2");
    expect_precious("out/cloth.obj");
    expect_precious("out/obstacle_top.obj");
    expect_precious("s.jsonl");
    expect_no_temporary(in_folder("out"));
}
END_TEST

START_TEST(older_frames_are_pointed_out)
{
    drape_done(TABLE "--frames 3 -o out --format obj");
    const cli_test_result* result = drape_done(TABLE "--frames 1 -o out --format obj");
    expect_words(result->err, "warning: out/frame_0002.obj is left from an earlier run", "run");
}
END_TEST

// --- On a terminal ---

START_TEST(progress_is_shown_on_a_terminal)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    int other_end = open(ptsname(terminal), O_WRONLY | O_NOCTTY);
    ck_assert_int_ge(other_end, 0);
    pid_t child = fork();
    if (child == 0) {
        redirect("/dev/null", STDOUT_FILENO);
        dup2(other_end, STDERR_FILENO);
        execv(DRAPE_COMMAND, split_line("run table --frames 150"));
        _exit(99);
    }
    close(other_end);
    // All of it, until the command has closed its end; what does not fit is read and dropped.
    char text[16384];
    char piece[512];
    size_t length = 0;
    for (ssize_t count; (count = read(terminal, piece, sizeof piece)) > 0;) {
        if (length + (size_t)count < sizeof text) {
            memcpy(text + length, piece, (size_t)count);
            length += (size_t)count;
        }
    }
    text[length] = '\0';
    close(terminal);
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    expect_words(text, "\rframe ", "run");
    expect_words(text, " of 150   ", "run");
    expect_words(text, " ms a frame   ", "run");
    expect_words(text, " s left", "run");
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("run");
    TCase* formats = cli_test_case(suite, "formats");
    tcase_add_loop_test(formats, caches_have_all_frames, 0, 2);
    tcase_add_loop_test(formats, sequences_equal_the_cache, 0, 2);
    tcase_add_test(formats, several_cloths_share_a_frame);
    tcase_add_test(formats, moving_obstacles_have_frames);
    tcase_add_test(formats, particles_have_frames);
    tcase_add_test(formats, without_a_folder_nothing_is_written);
    tcase_add_test(formats, quiet_is_quiet);
    tcase_add_test(formats, older_frames_are_pointed_out);
    TCase* statistics = cli_test_case(suite, "statistics");
    tcase_add_test(statistics, statistics_have_their_keys);
    tcase_add_test(statistics, no_colliders_no_gap);
    tcase_add_test(statistics, steps_that_cannot_be_done_end_the_run);
    tcase_add_test(statistics, threads_and_instruction_sets_give_the_same_bits);
    TCase* ending = cli_test_case(suite, "ending early");
    tcase_add_loop_test(ending, interrupted_files_are_valid, 0, 2);
    tcase_add_test(ending, numbers_that_run_out_end_the_run);
    tcase_add_loop_test(ending, full_disk_is_told, 0, 4);
    tcase_add_test(ending, places_that_cannot_be_written_are_told);
    tcase_add_test(ending, failures_at_the_start_lose_nothing);
    tcase_add_test(ending, progress_is_shown_on_a_terminal);
    return test_run(suite);
}
