// The scenes that come along: listed, described, run or refused.
#include "cli_test.h"

static const char* const contract[] = {
    "character",       "cube",         "curtain", "cylinder",    "flag",        "flaps",
    "ground",          "ground-paper", "knot",    "pins-center", "pins-corner", "pins-diagonal",
    "rotating-sphere", "round-table",  "skirt",   "sofa",        "solid",       "sphere",
    "table",           "table-paper",  "tangled",
};
enum { SCENE_COUNT = sizeof contract / sizeof contract[0] };

START_TEST(names_are_sorted_and_complete)
{
    char names[4096] = "";
    for (int i = 0; i < SCENE_COUNT; ++i) {
        strcat(strcat(names, contract[i]), "\n");
    }
    ck_assert_str_eq(drape_done("scenes --names")->out, names);
}
END_TEST

// The line of a scene in the list.
static void find_line(const char* name, char* line, size_t size)
{
    const cli_test_result* result = drape_done("scenes");
    char start[64];
    snprintf(start, sizeof start, "\n%s ", name);
    const char* found = strncmp(result->out, start + 1, strlen(start + 1)) == 0
                            ? result->out - 1
                            : strstr(result->out, start);
    ck_assert_msg(found != NULL, "%s is not listed", name);
    snprintf(line, size, "%.*s", (int)strcspn(found + 1, "\n"), found + 1);
}

// What is marked incomplete is refused with its reason; all else runs.
START_TEST(scenes_run_or_say_why_not)
{
    char entry[1024];
    char line[256];
    find_line(contract[_i], entry, sizeof entry);
    const char* mark = strstr(entry, "incomplete: ");
    snprintf(line, sizeof line, "run %s --frames 2 -o out", contract[_i]);
    if (mark != NULL) {
        expect_refusal(line, 2, mark + strlen("incomplete: "));
        ck_assert(!file_exists("out"));
    } else {
        expect_words(drape_done(line)->out, "2 frames in ", line);
        ck_assert(file_exists("out"));
    }
}
END_TEST

START_TEST(info_describes_every_scene)
{
    char entry[1024];
    char line[256];
    find_line(contract[_i], entry, sizeof entry);
    snprintf(line, sizeof line, "info %s", contract[_i]);
    const cli_test_result* result = drape_done(line);
    expect_words(result->out, ": a scene\n", line);
    expect_words(result->out, "\n  method ", line);
    expect_words(result->out, "\n  fabric ", line);
    const char* mark = strstr(entry, "incomplete: ");
    if (mark != NULL) {
        expect_words(result->out, mark, line);
    } else {
        expect_words(result->out, "cost: about ", line);
        expect_words(result->out, "memory: about ", line);
    }
}
END_TEST

// Scenes of a folder within go by its name; they are not listed.
START_TEST(scenes_of_torture_run)
{
    static const char* const names[] = {"needles", "pinch", "plates", "random", "ring",
                                        "shirt",   "shot",  "twist",  "wring"};
    char line[64];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        snprintf(line, sizeof line, "run torture/%s --frames 1 --verify", names[i]);
        expect_words(drape_done(line)->out, "1 frame in ", line);
    }
    expect_refusal("run torture/table", 2, "torture/table");
}
END_TEST

START_TEST(info_tells_the_table)
{
    const cli_test_result* result = drape_done("info table");
    static const char* const words[] = {
        "frames      90 at 30 a second: 3 s",
        "method      drape: model xpbd, obstacles predictive",
        "2601 vertices, 5000 triangles",
        "mass        0.2 kg",
        "size        1 x 0 x 1 m",
        "unusual     nothing",
        "collider top: a box of 0.5 x 0.05 x 0.5 m",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        expect_words(result->out, words[i], "info table");
    }
    result = drape_done("info table --set cloths.0.grid.resolution=[11,21]");
    expect_words(result->out, "231 vertices, 400 triangles", "info table --set");
}
END_TEST

START_TEST(info_tells_springs_and_particles)
{
    static const char* const words[][2] = {
        {"info pins-center", "method      sensor: model springs (implicit), obstacles filter"},
        {"info pins-center", "springs     implicit, elongation to 10 % in 3 sweeps to_and_fro\n"},
        {"info pins-center", "particles   4 on a cloth, the gate opens at 0.1 m"},
        {"info pins-center --set collision.particles.gate=false", "particles   none"},
        {"info pins-center --set collision.particles.count=0", "particles   by convex parts"},
        {"info pins-diagonal", ", eight bends\n"},
        {"info pins-center --method spring --set solver.springs.max_elongation=0",
         "springs     verlet, elongation without limit\n"},
        {"info pins-center --method spring --set solver.springs.order=from_pins",
         "springs     verlet, elongation to 10 % in 3 sweeps from_pins\n"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        expect_words(drape_done(words[i][0])->out, words[i][1], words[i][0]);
    }
    ck_assert_ptr_null(strstr(drape_done("info pins-center --method spring")->out, "particles"));
}
END_TEST

START_TEST(info_tells_what_is_unusual)
{
    // Two triangles face opposite ways, one is there twice, one has no area; a vertex is alone and
    // at the place of another.
    static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\nv 2 0 0\n"
                               "f 1 2 3\nf 1 3 4\nf 4 1 3\nf 2 2 5\nf 2 3 5\n";
    test_file_write(in_folder("odd.obj"), mesh, sizeof mesh - 1);
    const cli_test_result* result = drape_done("info odd.obj");
    expect_words(result->out, "unusual     1 degenerate triangles", "info");
    expect_words(result->out, "unusual     1 duplicate triangles", "info");
    expect_words(result->out, "unusual     1 coincident vertices", "info");
    expect_words(result->out, "unusual     1 isolated vertices", "info");
    expect_words(result->out, "inconsistent edges", "info");
    ck_assert_ptr_null(strstr(result->out, "nothing"));
}
END_TEST

START_TEST(bad_files_have_their_line)
{
    static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 9\n";
    test_file_write(in_folder("bad.obj"), mesh, sizeof mesh - 1);
    expect_refusal("info bad.obj", 2, "bad.obj:4: ");
    static const char scene[] = "{ \"drape\": 1,\n  \"frames\": \"many\" }\n";
    test_file_write(in_folder("bad.json"), scene, sizeof scene - 1);
    expect_refusal("info bad.json", 2, "bad.json:2: frames: expected ");
    expect_refusal("run bad.json", 2, "bad.json:2: frames: expected ");
}
END_TEST

// The first folder wins; a bad scene is told and does not hide the others.
START_TEST(own_folder_comes_first)
{
    static const char scene[] = "{ \"drape\": 1, \"description\": \"Mine.\", \"frames\": 1,\n"
                                "  \"cloths\": [ { \"grid\": { \"resolution\": [3, 3] } } ] }";
    test_file_write(in_folder("mine.json"), scene, sizeof scene - 1);
    setenv("DRAPE_SCENES", folder.path, 1);
    expect_words(drape_done("scenes")->out, "mine", "scenes");
    expect_words(drape_done("run mine")->out, "1 frame in ", "run mine");
    test_file_write(in_folder("zzz.json"), "{", 1);
    const cli_test_result* result = drape("scenes");
    expect_code(result, 2, "scenes");
    expect_words(result->out, "Mine.", "scenes");
    expect_words(result->err, "zzz.json", "scenes");
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("scenes");
    TCase* scenes = cli_test_case(suite, "scenes");
    tcase_add_test(scenes, names_are_sorted_and_complete);
    tcase_add_loop_test(scenes, scenes_run_or_say_why_not, 0, SCENE_COUNT);
    tcase_add_loop_test(scenes, info_describes_every_scene, 0, SCENE_COUNT);
    tcase_add_test(scenes, scenes_of_torture_run);
    tcase_add_test(scenes, own_folder_comes_first);
    TCase* info = cli_test_case(suite, "info");
    tcase_add_test(info, info_tells_the_table);
    tcase_add_test(info, info_tells_springs_and_particles);
    tcase_add_test(info, info_tells_what_is_unusual);
    tcase_add_test(info, bad_files_have_their_line);
    return test_run(suite);
}
