// `drape render`: pictures, sequences, films, and what is said when it cannot be.
#include "cli_test.h"

#include <sys/wait.h>

#define TABLE "run table --quiet --frames 3 --set cloths.0.grid.resolution=[11,11] "
#define SMALL " --size 64x36 --samples 4 --threads 2 "

// Width and height as the header of a PNG file has them.
static void expect_png(const char* name, unsigned width, unsigned height)
{
    size_t size = 0;
    uint8_t* bytes = (uint8_t*)test_file_read(in_folder(name), &size);
    ck_assert_uint_gt(size, 33);
    ck_assert_mem_eq(bytes, "\x89PNG\r\n\x1a\n", 8);
    ck_assert_uint_eq((unsigned)bytes[18] << 8 | bytes[19], width);
    ck_assert_uint_eq((unsigned)bytes[22] << 8 | bytes[23], height);
    free(bytes);
}

static void expect_equal(const char* a, const char* b, bool are_equal)
{
    size_t size_a = 0, size_b = 0;
    char* bytes_a = test_file_read(in_folder(a), &size_a);
    char* bytes_b = test_file_read(in_folder(b), &size_b);
    bool is_same = size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
    ck_assert_msg(is_same == are_equal, "%s and %s", a, b);
    free(bytes_a);
    free(bytes_b);
}

START_TEST(still_is_the_last_frame)
{
    drape_done(TABLE "-o out");
    expect_words(drape_done("render out -o a.png" SMALL)->out, "1 picture of 64 x 36", "render");
    expect_png("a.png", 64, 36);
    drape_done("render out -o b.png --frame 3" SMALL);
    drape_done("render out -o c.png --frame 0" SMALL);
    expect_equal("a.png", "b.png", true);
    expect_equal("a.png", "c.png", false);
    expect_no_temporary(folder.path);
}
END_TEST

START_TEST(threads_give_the_same_picture)
{
    drape_done(TABLE "-o out");
    drape_done("render out -o a.png --size 80x45 --samples 16 --threads 1");
    drape_done("render out -o b.png --size 80x45 --samples 16 --threads 4");
    expect_equal("a.png", "b.png", true);
}
END_TEST

START_TEST(sequences_have_numbers)
{
    drape_done(TABLE "-o out");
    drape_done("render out -o f_%03d.png --frames 1-2" SMALL);
    ck_assert(!file_exists("f_000.png") && !file_exists("f_003.png"));
    expect_png("f_001.png", 64, 36);
    expect_png("f_002.png", 64, 36);
}
END_TEST

// All that can be asked for, one way or another.
static const char* const lines[] = {
    "render out/cloth.obj -o a.png",
    "render out/cloth.pc2 -o a.png --obstacle out/obstacle_top.obj",
    "render out -o a.png --view top --pattern checker --ground none",
    "render out -o a.png --view -40,15 --pattern plain --colors 3366aa",
    "render out -o a.png --camera 2,2,2 --target 0,0.8,0 --fov 40 --ground 0",
    "render out -o a.png --camera 2,2,2 --colors 112233,445566,778899,aabbcc",
    "render out -o a.png --overlay strain --rest out/cloth.obj",
    "render out -o a.png --overlay strain",
    "render out -o a.png --overlay speed --view side",
    "render out -o a.png --overlay crossings --view front",
    "render out -o a.png --overlay contacts --thickness 0.01",
};

START_TEST(options_are_taken)
{
    drape_done(TABLE "-o out");
    char line[256];
    snprintf(line, sizeof line, "%s%s", lines[_i], SMALL);
    const cli_test_result* result = drape_done(line);
    ck_assert_str_eq(result->err, "");
    expect_png("a.png", 64, 36);
}
END_TEST

// --- Films ---

static void set_path(const char* path)
{
    ck_assert_int_eq(setenv("PATH", path, 1), 0);
}

START_TEST(without_ffmpeg_films_are_sequences)
{
    drape_done(TABLE "-o out");
    set_path("");
    const cli_test_result* result = drape("render out -o film.mp4 --frames 0-1" SMALL);
    expect_code(result, 0, "render");
    expect_words(result->err, "film.mp4: ffmpeg is not installed; writing pictures film_%04d.png",
                 "render");
    expect_png("film_0000.png", 64, 36);
    expect_png("film_0001.png", 64, 36);
    ck_assert(!file_exists("film.mp4"));
    expect_no_temporary(folder.path);
}
END_TEST

// A program called ffmpeg, first in the path.
static void fake_ffmpeg(const char* script)
{
    char path[4096];
    ck_assert_int_eq(mkdir(in_folder("bin"), 0777), 0);
    test_file_write(in_folder("bin/ffmpeg"), script, strlen(script));
    ck_assert_int_eq(chmod(in_folder("bin/ffmpeg"), 0777), 0);
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", in_folder("bin"));
    set_path(path);
}

// The last word is where the film goes, behind "file:".
START_TEST(films_get_every_frame)
{
    drape_done(TABLE "-o out");
    fake_ffmpeg("#!/bin/sh\nfor last; do :; done\ncat >\"${last#file:}\"\n");
    drape_done("render out -o film.mp4" SMALL);
    size_t size = 0;
    free(test_file_read(in_folder("film.mp4"), &size));
    ck_assert_uint_eq(size, 4 * 3 * 64 * 36);
    expect_no_temporary(folder.path);
}
END_TEST

// What ffmpeg says is in our sentence, not on the screen; what was there stays.
static const char* const troubles[] = {
    "#!/bin/sh\necho some noise >&2\necho no such codec >&2\nexit 1\n",
    "#!/bin/sh\ncat >/dev/null\necho no such codec >&2\nexit 1\n",
};

START_TEST(trouble_of_ffmpeg_is_told)
{
    drape_done(TABLE "-o out");
    test_file_write(in_folder("film.gif"), "precious", 8);
    fake_ffmpeg(troubles[_i]);
    const char* line = "render out -o film.gif --quiet --size 640x360 --samples 1";
    const cli_test_result* result = drape(line);
    expect_code(result, 1, line);
    ck_assert_str_eq(result->err, "drape render: film.gif: ffmpeg could not make the film: no such "
                                  "codec\n");
    size_t size = 0;
    char* text = test_file_read(in_folder("film.gif"), &size);
    ck_assert_str_eq(text, "precious");
    free(text);
    expect_no_temporary(folder.path);
}
END_TEST

// --- Refusing ---

typedef struct bad_line {
    const char* line;
    const char* words;
} bad_line;

static const bad_line bad_lines[] = {
    {"render out", "expected -o OUT, found none"},
    {"render -o a.png", "expected FILE, found nothing"},
    {"render out -o a.jpg", "-o: expected a name that ends in .png, .mp4, .webm or .gif"},
    {"render out -o a_%s.png", "a_%s.png: expected one number in the name"},
    {"render out -o a_%d.mp4", "expected one film for all frames"},
    {"render none -o a.png", "none: "},
    {"render out -o a.png --frame 9", "--frame: expected frames from 0 to 3, found 9"},
    {"render out -o a_%d.png --frames 2-7", "--frames: expected frames from 0 to 3, found 7"},
    {"render out -o a_%d.png --frames 2", "--frames: expected A-B, such as 10-20, found \"2\""},
    {"render out -o a_%d.png --frames 2-1", "--frames: expected A-B"},
    {"render out -o a.png --frames 1-2", "--frames: expected a film or a name such as"},
    {"render out -o a_%d.png --frames 1-2 --frame 1", "--frame: expected it without --frames"},
    {"render out -o a.png --size 64", "--size: expected WxH"},
    {"render out -o a.png --size 0x5", "--size: expected WxH"},
    {"render out -o a.png --size 99999x5", "--size: expected WxH"},
    {"render out -o a.png --samples 0", "--samples: expected a whole number from 1 to 4096"},
    {"render out -o a.png --view left", "--view: expected front, side, top, angle"},
    {"render out -o a.png --view 10,95", "--view: expected front, side, top, angle"},
    {"render out -o a.png --camera 1,2", "--camera: expected three numbers x,y,z"},
    {"render out -o a.png --camera 1,2,nan", "--camera: expected three numbers x,y,z"},
    {"render out -o a.png --target 1,2,3", "--target: expected it with --camera"},
    {"render out -o a.png --camera 1,2,3 --view top", "--view: expected it without --camera"},
    {"render out -o a.png --fov 180", "--fov: expected less than 170 degrees"},
    {"render out -o a.png --ground high", "--ground: expected a height in metres, or none"},
    {"render out -o a.png --pattern dots", "--pattern: expected one of weave, checker, plain"},
    {"render out -o a.png --colors red", "--colors: expected one to four colours RRGGBB"},
    {"render out -o a.png --colors 1,2,3,4,5", "--colors: expected one to four colours RRGGBB"},
    {"render out -o a.png --overlay heat", "--overlay: expected one of none, strain"},
    {"render out -o a.png --rest small.obj", "--rest: expected it with --overlay strain"},
    {"render out -o a.png --overlay strain --rest small.obj", "small.obj: expected 121 vertices"},
};

START_TEST(bad_lines_are_refused)
{
    static const char small[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 3\n";
    drape_done(TABLE "-o out");
    test_file_write(in_folder("small.obj"), small, sizeof small - 1);
    int count = test_folder_count(&folder);
    expect_refusal(bad_lines[_i].line, 2, bad_lines[_i].words);
    ck_assert_int_eq(test_folder_count(&folder), count);
}
END_TEST

START_TEST(unwritable_targets_are_told)
{
    drape_done(TABLE "-o out");
    expect_refusal("render out -o none/a.png" SMALL, 1, "none/a.png: could not write");
    expect_refusal("render out -o none/a_%d.png" SMALL, 1, "none/a_0.png: could not write");
    fake_ffmpeg("#!/bin/sh\ncat >/dev/null\n");
    expect_refusal("render out -o none/a.mp4" SMALL, 1, "none/a.mp4: could not write");
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("render");
    TCase* drawing = cli_test_case(suite, "drawing");
    tcase_add_test(drawing, still_is_the_last_frame);
    tcase_add_test(drawing, threads_give_the_same_picture);
    tcase_add_test(drawing, sequences_have_numbers);
    tcase_add_loop_test(drawing, options_are_taken, 0, sizeof lines / sizeof lines[0]);
    TCase* films = cli_test_case(suite, "films");
    tcase_add_test(films, without_ffmpeg_films_are_sequences);
    tcase_add_test(films, films_get_every_frame);
    tcase_add_loop_test(films, trouble_of_ffmpeg_is_told, 0, sizeof troubles / sizeof troubles[0]);
    TCase* refusing = cli_test_case(suite, "refusing");
    tcase_add_loop_test(refusing, bad_lines_are_refused, 0, sizeof bad_lines / sizeof bad_lines[0]);
    tcase_add_test(refusing, unwritable_targets_are_told);
    return test_run(suite);
}
