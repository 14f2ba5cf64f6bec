// `drape convert`: there and back again, to the byte.
#include "cli_test.h"

#define TABLE "run table --quiet --frames 4 --set cloths.0.grid.resolution=[11,11] "

static void expect_same(const char* a, const char* b)
{
    size_t size_a = 0;
    size_t size_b = 0;
    char* text_a = test_file_read(in_folder(a), &size_a);
    char* text_b = test_file_read(in_folder(b), &size_b);
    ck_assert_msg(size_a == size_b && memcmp(text_a, text_b, size_a) == 0, "%s is not %s", a, b);
    free(text_a);
    free(text_b);
}

START_TEST(meshes_come_back)
{
    drape_done(TABLE "-o out");
    drape_done("convert out/cloth.obj a.ply");
    drape_done("convert a.ply b.obj");
    expect_same("b.obj", "out/cloth.obj");
}
END_TEST

START_TEST(caches_come_back)
{
    drape_done(TABLE "-o out");
    drape_done("convert out/cloth.pc2 a.mdd");
    drape_done("convert a.mdd b.pc2");
    expect_same("b.pc2", "out/cloth.pc2");
}
END_TEST

START_TEST(sequences_come_back)
{
    drape_done(TABLE "-o out");
    // The mesh beside the cache has the triangles; a folder with one animation will do as well.
    drape_done("convert out a_%04d.ply");
    ck_assert(file_exists("a_0004.ply"));
    ck_assert(!file_exists("a_0005.ply"));
    drape_done("convert a_%04d.ply b_%d.obj");
    drape_done("convert b_%d.obj c.pc2");
    expect_same("c.pc2", "out/cloth.pc2");
    expect_same("b_0.obj", "out/cloth.obj");
}
END_TEST

START_TEST(folders_of_frames_are_read)
{
    drape_done(TABLE "-o cache");
    drape_done(TABLE "-o frames --format obj");
    drape_done("convert frames a.pc2");
    expect_same("a.pc2", "cache/cloth.pc2");
}
END_TEST

START_TEST(rate_is_kept_or_given)
{
    drape_done(TABLE "-o out --format obj");
    drape_done("convert out/frame_%04d.obj a.mdd --fps 24");
    expect_words(drape_done("info a.mdd")->out, "frames      5 at 24 a second", "info");
}
END_TEST

typedef struct bad_conversion {
    const char* line;
    const char* words;
} bad_conversion;

static const bad_conversion bad_conversions[] = {
    {"out/cloth.obj a.stl", "a.stl: expected a name that ends in .obj, .ply, .pc2 or .mdd"},
    {"out/cloth a.obj", "out/cloth: expected a name that ends in"},
    {"out/cloth.obj a.pc2", "a.pc2: expected a mesh"},
    {"out/cloth.pc2 a.obj", "a.obj: expected a cache, or a sequence"},
    {"out/cloth.pc2 a_%s.obj", "a_%s.obj: expected one number in the name"},
    {"out/cloth.pc2 a_%d_%d.obj", "expected one number in the name"},
    {"out/cloth.pc2 a_%04d.mdd", "expected one cache for all frames"},
    {"out/cloth.pc2 a_%d.obj --mesh small.obj", "small.obj: expected 121 vertices"},
    {"alone.pc2 a_%d.obj", "alone.pc2: expected a mesh with the triangles beside it, alone.obj"},
    {"mixed_%d.obj a.pc2", "mixed_1.obj: expected the triangles of the first frame"},
    {"none_%d.obj a.pc2", "none_%d.obj: expected frame 0 or 1, found neither"},
    {"out/cloth.obj a.ply --fps 24", "--fps: expected a conversion that has use for it"},
    {"out/cloth.obj a.ply --mesh small.obj", "--mesh: expected a conversion that has use for it"},
    {"empty a.pc2", "empty: expected one animation in the folder"},
    {"none.pc2 a.mdd", "none.pc2: "},
};

START_TEST(bad_conversions_are_refused)
{
    static const char small[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 3\n";
    drape_done(TABLE "-o out");
    drape_done("convert out/cloth.pc2 alone.pc2");
    drape_done("convert out/cloth.obj mixed_0.obj");
    test_file_write(in_folder("small.obj"), small, sizeof small - 1);
    test_file_write(in_folder("mixed_1.obj"), small, sizeof small - 1);
    test_file_write(in_folder("a.obj"), "precious", 8);
    test_file_write(in_folder("a.pc2"), "precious", 8);
    ck_assert_int_eq(mkdir(in_folder("empty"), 0777), 0);
    int count = test_folder_count(&folder);
    char line[256];
    snprintf(line, sizeof line, "convert %s", bad_conversions[_i].line);
    expect_refusal(line, 2, bad_conversions[_i].words);
    // Nothing is there that was not, and what was there is as it was.
    ck_assert_int_eq(test_folder_count(&folder), count);
    static const char* const kept[] = {"a.obj", "a.pc2"};
    for (int i = 0; i < 2; ++i) {
        size_t size = 0;
        char* text = test_file_read(in_folder(kept[i]), &size);
        ck_assert_str_eq(text, "precious");
        free(text);
    }
}
END_TEST

START_TEST(unwritable_targets_are_told)
{
    drape_done(TABLE "-o out");
    expect_refusal("convert out/cloth.obj none/a.ply", 1, "none/a.ply: could not write");
    expect_refusal("convert out/cloth.pc2 none/a.mdd", 1, "none/a.mdd: could not write");
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("convert");
    TCase* trips = cli_test_case(suite, "round trips");
    tcase_add_test(trips, meshes_come_back);
    tcase_add_test(trips, caches_come_back);
    tcase_add_test(trips, sequences_come_back);
    tcase_add_test(trips, folders_of_frames_are_read);
    tcase_add_test(trips, rate_is_kept_or_given);
    TCase* refusing = cli_test_case(suite, "refusing");
    tcase_add_loop_test(refusing, bad_conversions_are_refused, 0,
                        sizeof bad_conversions / sizeof bad_conversions[0]);
    tcase_add_test(refusing, unwritable_targets_are_told);
    return test_run(suite);
}
