// `drape plot`: what is in the picture is what was in the file.
#include <math.h>

#include "cli_test.h"

static void write_file(const char* name, const char* text)
{
    test_file_write(in_folder(name), text, strlen(text));
}

// The text of a file of the folder; freed by the caller.
static char* read_file(const char* name)
{
    size_t size = 0;
    return test_file_read(in_folder(name), &size);
}

static const char stats[] =
    "{\"frame\": 1, \"time\": 0, \"ms\": {\"total\": 4, \"solve\": 3, \"guard\": 0}, "
    "\"contacts\": 0, \"smallest_gap\": null, \"max_stretch\": 0.01, \"kinetic_energy\": 0.5}\n"
    "{\"frame\": 2, \"time\": 1, \"ms\": {\"total\": 8, \"solve\": 5, \"guard\": 0}, "
    "\"contacts\": 7, \"smallest_gap\": 0.002, \"max_stretch\": 0.02, \"kinetic_energy\": 0.25}\n"
    "{\"frame\": 3, \"time\": 2, \"ms\": {\"total\": 6, \"solve\": 4, \"guard\": 0}, "
    "\"contacts\": 9, \"smallest_gap\": 0.001, \"max_stretch\": 0.03, \"kinetic_energy\": 0.1}\n"
    "{\"hash\": \"00\", \"frames\": 3, \"average\": {\"ms\": {\"total\": 99}}, \"maximum\": {}}\n";

static const char bench[] = "scene,n,vertices,threads,isa,ms_frame,ms_solve\n"
                            "sphere,21,441,1,avx2,0.5,0.4\n"
                            "sphere,21,441,2,avx2,0.6,0.5\n"
                            "sphere,401,160801,1,avx2,230,188\n"
                            "sphere,401,160801,2,avx2,160,133\n"
                            "table,21,441,1,avx2,1.25,0.7\n"
                            "table,401,160801,1,avx2,304,228\n";

// --- Looking at SVG ---

// Every element is closed, and no letter stands where XML has another use for it.
static void expect_sound_xml(const char* text)
{
    int depth = 0;
    for (const char* at = text; *at != '\0'; ++at) {
        ck_assert_msg(*at != '>', "a stray > before: %.40s", at);
        if (*at == '&') {
            ck_assert(strncmp(at, "&lt;", 4) == 0 || strncmp(at, "&gt;", 4) == 0 ||
                      strncmp(at, "&amp;", 5) == 0);
        }
        if (*at != '<') {
            continue;
        }
        const char* end = strchr(at, '>');
        ck_assert_ptr_nonnull(end);
        depth += at[1] == '/' ? -1 : end[-1] == '/' ? 0 : 1;
        int quotes = 0;
        for (; at < end; ++at) {
            quotes += *at == '"';
        }
        ck_assert_int_eq(quotes % 2, 0);
    }
    ck_assert_int_eq(depth, 0);
    ck_assert_int_eq(strncmp(text, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39), 0);
}

typedef struct path {
    char text[262144];
    double x[16384], y[16384];
    int count;
    int strokes; // how often the pen comes down
} path;

// The line number `index`: strokes as wide as lines, without those in legends.
static const path* find_line(const char* svg, int index)
{
    static path found;
    const char* at = svg;
    for (int i = 0; i <= index; ++i) {
        at = strstr(at + 1, "stroke-width=\"1.6\"");
        ck_assert_msg(at != NULL, "no line %d", index);
    }
    const char* d = strstr(at, " d=\"") + 4;
    size_t length = strcspn(d, "\"");
    ck_assert_uint_lt(length, sizeof found.text);
    memcpy(found.text, d, length);
    found.text[length] = '\0';
    found.count = found.strokes = 0;
    for (char* word = found.text; *word != '\0';) {
        found.strokes += *word == 'M';
        word += strspn(word, "ML ");
        char* end;
        found.x[found.count] = strtod(word, &end);
        found.y[found.count++] = strtod(end, &word);
        word += strncmp(word, "h0", 2) == 0 ? 2 : 0;
        ck_assert_int_lt(found.count, 16384);
    }
    return &found;
}

// The place of a label's baseline; its line in the grid is a little above.
static double label_y(const char* svg, const char* label)
{
    char words[64];
    snprintf(words, sizeof words, ">%s</text>", label);
    const char* at = strstr(svg, words);
    ck_assert_msg(at != NULL, "no label %s", label);
    while (strncmp(at, "y=\"", 3) != 0) {
        --at;
    }
    return strtod(at + 3, NULL);
}

static void expect_label(const char* svg, const char* label)
{
    char words[128];
    snprintf(words, sizeof words, ">%s</text>", label);
    ck_assert_msg(strstr(svg, words) != NULL, "no label \"%s\"", label);
}

static void expect_no_label(const char* svg, const char* label)
{
    char words[128];
    snprintf(words, sizeof words, ">%s</text>", label);
    ck_assert_msg(strstr(svg, words) == NULL, "a label \"%s\"", label);
}

static void expect_near(double a, double b, double most)
{
    ck_assert_msg(fabs(a - b) <= most, "%g is not %g", a, b);
}

// --- Statistics ---

START_TEST(stages_over_time)
{
    write_file("s.jsonl", stats);
    drape_done("plot s.jsonl -o s.svg");
    char* svg = read_file("s.svg");
    expect_sound_xml(svg);
    expect_label(svg, "time per frame (ms)");
    expect_label(svg, "time (s)");
    expect_label(svg, "total");
    expect_label(svg, "solve");
    // A stage that never ran is no line, and the summary is no frame.
    expect_no_label(svg, "guard");
    const path* total = find_line(svg, 0);
    ck_assert_int_eq(total->count, 3);
    expect_near(total->x[2] - total->x[1], total->x[1] - total->x[0], 0.11);
    expect_near(total->y[0] - total->y[2], 0.5 * (total->y[0] - total->y[1]), 0.11);
    // Where the labels say it is.
    double at_8 = label_y(svg, "8"), at_4 = label_y(svg, "4");
    expect_near(total->y[0] - total->y[1], at_4 - at_8, 1.1);
    free(svg);
    expect_no_temporary(folder.path);
}
END_TEST

START_TEST(each_unit_has_a_panel)
{
    write_file("s.jsonl", stats);
    drape_done("plot s.jsonl -o s.svg --y energy,stretch,contacts,gap,ms.solve");
    char* svg = read_file("s.svg");
    expect_sound_xml(svg);
    expect_label(svg, "kinetic energy (J)");
    expect_label(svg, "max stretch (%)");
    expect_label(svg, "contacts (count)");
    expect_label(svg, "smallest gap (mm)");
    expect_label(svg, "solve (ms)");
    // 0.03 is three per cent: within the axis, at its third.
    const path* stretch = find_line(svg, 1);
    ck_assert_int_eq(stretch->count, 3);
    expect_near(stretch->y[0] - stretch->y[1], stretch->y[1] - stretch->y[2], 0.11);
    // What is null has no point.
    ck_assert_int_eq(find_line(svg, 3)->count, 2);
    free(svg);
}
END_TEST

START_TEST(null_is_a_gap)
{
    write_file("s.jsonl", "{\"time\": 0, \"contacts\": 1}\n{\"time\": 1, \"contacts\": 2}\n"
                          "{\"time\": 2, \"contacts\": null}\n{\"time\": 3, \"contacts\": 2}\n"
                          "\n{\"time\": 4}\n{\"time\": 5, \"contacts\": 1}\r\n"
                          "{\"time\": 6, \"contacts\": 2}");
    drape_done("plot s.jsonl -o s.svg --y contacts");
    char* svg = read_file("s.svg");
    const path* line = find_line(svg, 0);
    ck_assert_int_eq(line->count, 5);
    ck_assert_int_eq(line->strokes, 3);
    // The point that stands alone is a dot.
    ck_assert_ptr_nonnull(strstr(line->text, "h0M"));
    free(svg);
}
END_TEST

// A long series takes little room, and its one peak is still there.
START_TEST(long_series_are_thinned)
{
    enum { count = 200000, peak = 123457 };
    size_t size = 0, capacity = (size_t)count * 40;
    char* text = malloc(capacity);
    for (int i = 0; i < count; ++i) {
        size += (size_t)snprintf(text + size, capacity - size, "{\"time\": %d, \"ms\": %d}\n", i,
                                 i == peak ? 1000 : i % 7);
    }
    test_file_write(in_folder("s.jsonl"), text, size);
    free(text);
    drape_done("plot s.jsonl -o s.svg --y ms");
    char* svg = read_file("s.svg");
    ck_assert_uint_lt(strlen(svg), 100000);
    const path* line = find_line(svg, 0);
    int highest = 0;
    for (int i = 0; i < line->count; ++i) {
        highest = line->y[i] < line->y[highest] ? i : highest;
    }
    expect_near(line->y[highest] + 4.3, label_y(svg, "1,000"), 0.7);
    double share = (line->x[highest] - line->x[0]) / (line->x[line->count - 1] - line->x[0]);
    expect_near(share, (double)peak / (count - 1), 2e-3);
    free(svg);
}
END_TEST

START_TEST(files_are_compared)
{
    write_file("soft.jsonl", stats);
    write_file("stiff.jsonl", stats);
    drape_done("plot soft.jsonl stiff.jsonl -o s.svg");
    char* svg = read_file("s.svg");
    expect_label(svg, "soft");
    expect_label(svg, "stiff");
    free(svg);
    drape_done("plot soft.jsonl stiff.jsonl -o s.svg --y ms.total,ms.solve");
    svg = read_file("s.svg");
    expect_label(svg, "soft, total");
    expect_label(svg, "stiff, solve");
    ck_assert_ptr_nonnull(strstr(svg, "stroke-dasharray"));
    free(svg);
}
END_TEST

// --- Axes ---

// Labels of the y axis are 1, 2 or 5 times a power of ten apart and enclose the values.
START_TEST(ticks_are_round)
{
    double most = pow(1.37, _i - 40);
    char text[256];
    snprintf(text, sizeof text, "{\"time\": 0, \"v\": %.17g}\n{\"time\": 1, \"v\": %.17g}\n",
             0.2 * most, most);
    write_file("s.jsonl", text);
    drape_done("plot s.jsonl -o s.svg --y v");
    char* svg = read_file("s.svg");
    double ticks[32];
    int count = 0;
    for (const char* at = svg; (at = strstr(at, "text-anchor=\"end\">")) != NULL;) {
        at += strlen("text-anchor=\"end\">");
        char number[32] = {0};
        for (int k = 0; *at != '<'; ++at) {
            number[k] = *at;
            k += *at != ',';
        }
        ck_assert_int_lt(count, 32);
        char* end;
        ticks[count++] = strtod(number, &end);
        ck_assert_msg(end != number && strspn(end, "") == strlen(end), "label %s", number);
    }
    ck_assert_int_ge(count, 4);
    ck_assert_int_le(count, 12);
    double step = ticks[1] - ticks[0];
    double part = step / pow(10.0, floor(log10(step) + 1e-9));
    ck_assert_msg(fabs(part - 1.0) < 1e-6 || fabs(part - 2.0) < 1e-6 || fabs(part - 5.0) < 1e-6,
                  "step %g for %g", step, most);
    ck_assert(ticks[0] == 0.0);
    for (int i = 1; i < count; ++i) {
        expect_near(ticks[i], i * step, 1e-6 * ticks[count - 1]);
    }
    const path* line = find_line(svg, 0);
    ck_assert(line->y[1] > 20.0 && line->y[1] < line->y[0]);
    free(svg);
}
END_TEST

START_TEST(odd_values_are_drawn)
{
    static const char* const values[][2] = {
        {"0", "0"},          {"5", "5"},           {"-3", "-3"},          {"-1", "1"},
        {"1e299", "-1e299"}, {"1e-300", "2e-300"}, {"1000000", "1000001"}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text, "{\"time\": %s, \"v\": %s}\n{\"time\": %s, \"v\": %s}\n",
                 values[i][0], values[i][1], values[i][1], values[i][0]);
        write_file("s.jsonl", text);
        drape_done("plot s.jsonl -o s.svg --y v");
        drape_done("plot s.jsonl -o s.png --y v --size 300x200");
        char* svg = read_file("s.svg");
        expect_sound_xml(svg);
        ck_assert_ptr_null(strstr(svg, "nan"));
        ck_assert_ptr_null(strstr(svg, "inf"));
        free(svg);
    }
}
END_TEST

START_TEST(logarithmic_axes)
{
    write_file("s.jsonl", "{\"time\": 1, \"v\": 1}\n{\"time\": 2, \"v\": 10}\n"
                          "{\"time\": 3, \"v\": 100}\n{\"time\": 4, \"v\": 0}\n");
    drape_done("plot s.jsonl -o s.svg --y v --log y");
    char* svg = read_file("s.svg");
    const path* line = find_line(svg, 0);
    // Nothing is as far down as zero.
    ck_assert_int_eq(line->count, 3);
    expect_near(line->y[0] - line->y[1], line->y[1] - line->y[2], 0.11);
    expect_label(svg, "20");
    expect_label(svg, "50");
    free(svg);
    write_file("s.jsonl", "{\"time\": 1, \"v\": 0}\n{\"time\": 2, \"v\": -1}\n");
    expect_refusal("plot s.jsonl -o s.svg --y v --log y", 2,
                   "s.jsonl: expected values to draw that are above 0, found none");
}
END_TEST

// --- Bench files ---

START_TEST(bench_has_a_line_for_each_scene_and_thread)
{
    write_file("b.csv", bench);
    drape_done("plot b.csv -o b.svg");
    char* svg = read_file("b.svg");
    expect_sound_xml(svg);
    expect_label(svg, "sphere, 1 thread");
    expect_label(svg, "sphere, 2 threads");
    expect_label(svg, "table, 1 thread");
    expect_no_label(svg, "table, 2 threads");
    expect_label(svg, "time per frame (ms)");
    expect_label(svg, "vertices");
    // Sizes of 441 and 160801 are spaced by factors.
    expect_label(svg, "1,000");
    expect_label(svg, "100,000");
    free(svg);
    drape_done("plot b.csv -o b.svg --where scene=sphere --y ms --log none");
    svg = read_file("b.svg");
    expect_label(svg, "frame, 1 thread");
    expect_label(svg, "solve, 2 threads");
    expect_no_label(svg, "1,000");
    free(svg);
}
END_TEST

// Rows of several sizes over the number of threads: a line for each size.
START_TEST(bench_over_threads)
{
    write_file("b.csv", bench);
    drape_done("plot b.csv -o b.svg --x threads --where scene=sphere");
    char* svg = read_file("b.svg");
    expect_label(svg, "441 vertices");
    expect_label(svg, "160,801 vertices");
    const path* line = find_line(svg, 1);
    ck_assert_int_eq(line->count, 2);
    ck_assert(line->x[0] < line->x[1] && line->y[0] < line->y[1]);
    free(svg);
}
END_TEST

START_TEST(many_lines_are_taken_apart)
{
    char text[4096] = "what,kind,triangles,ns\n";
    for (int i = 0; i < 60; ++i) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s,k%d,%d,%d\n",
                 i % 3 == 0   ? "build"
                 : i % 3 == 1 ? "refit"
                              : "pairs",
                 i / 3 % 10, i < 30 ? 1000 : 100000, 10 + i);
    }
    write_file("b.csv", text);
    drape_done("plot b.csv -o b.svg");
    char* svg = read_file("b.svg");
    expect_label(svg, "build (ns)");
    expect_label(svg, "refit (ns)");
    expect_label(svg, "pairs (ns)");
    expect_label(svg, "k9");
    free(svg);
}
END_TEST

START_TEST(csv_is_read_as_it_is_written)
{
    write_file("b.csv", "\xEF\xBB\xBF# measured\r\n\"name, of it\" , x ,\"ms\"\r\n"
                        "\"say \"\"hi\"\"\",1,2\r\n\r\n plain , 2, nan\r\n plain,3,\r\nplain,4,5");
    const cli_test_result* result = drape_done("plot b.csv --list");
    expect_words(result->out, "b.csv: 4 rows", "--list");
    expect_words(result->out, "say \"hi\", plain", "--list");
    expect_words(result->out, "2 to 5 ms", "--list");
    drape_done("plot b.csv -o b.svg --x x");
    char* svg = read_file("b.svg");
    expect_sound_xml(svg);
    expect_label(svg, "say \"hi\"");
    free(svg);
}
END_TEST

// --- Pictures ---

START_TEST(png_has_its_size)
{
    write_file("s.jsonl", stats);
    drape_done("plot s.jsonl -o s.png --size 640x400 --title Cloth");
    size_t size = 0, again_size = 0;
    char* png = test_file_read(in_folder("s.png"), &size);
    ck_assert_uint_gt(size, 2000);
    ck_assert_int_eq(memcmp(png, "\x89PNG\r\n\x1a\n", 8), 0);
    static const unsigned char wanted[] = {0, 0, 2, 128, 0, 0, 1, 144};
    ck_assert_int_eq(memcmp(png + 16, wanted, 8), 0);
    // The same file gives the same picture.
    drape_done("plot s.jsonl -o t.png --size 640x400 --title Cloth");
    char* again = test_file_read(in_folder("t.png"), &again_size);
    ck_assert_uint_eq(size, again_size);
    ck_assert_int_eq(memcmp(png, again, size), 0);
    free(again);
    free(png);
    expect_no_temporary(folder.path);
}
END_TEST

START_TEST(titles_are_text)
{
    write_file("s.jsonl", stats);
    drape_done("plot s.jsonl -o s.svg --title <b>&\"\xff\x01\xc3\xa4");
    char* svg = read_file("s.svg");
    expect_sound_xml(svg);
    expect_label(svg, "&lt;b&gt;&amp;\"\?\?\xc3\xa4");
    free(svg);
    drape_done("plot s.jsonl -o s.png --size 200x160 --title <b>&\"\xff\x01\xc3\xa4");
}
END_TEST

// A legend that has no room says how much is missing; nothing fails in a small page.
START_TEST(small_pages)
{
    write_file("b.csv", bench);
    drape_done("plot b.csv -o b.svg --y ms,ms_solve --size 160x160");
    char* svg = read_file("b.svg");
    expect_sound_xml(svg);
    ck_assert_ptr_nonnull(strstr(svg, " more</text>"));
    free(svg);
    drape_done("plot b.csv -o b.png --y ms,ms_solve --size 160x160");
}
END_TEST

START_TEST(list_tells_what_there_is)
{
    write_file("s.jsonl", stats);
    write_file("b.csv", bench);
    const cli_test_result* result = drape_done("plot s.jsonl b.csv --list");
    expect_words(result->out, "s.jsonl: 3 frames\n", "--list");
    expect_words(result->out, "1 to 3 %\n", "--list");
    expect_words(result->out, "0.1 to 0.5 J\n", "--list");
    expect_words(result->out, "b.csv: 6 rows\n", "--list");
    expect_words(result->out, "sphere, table\n", "--list");
}
END_TEST

// --- Refusals ---

typedef struct bad_file {
    const char* text;
    const char* words;
} bad_file;

static const bad_file bad_files[] = {
    {"", "bad: expected statistics (an object a line) or CSV, found an empty file"},
    {"\n \n", "bad: expected statistics (an object a line) or CSV, found an empty file"},
    {"{\"time\": 0, \"ms\": 1}\n{\"time\": 1 \"ms\": 2}\n", "bad:2:12: expected \",\" or \"}\""},
    {"{\"time\": 0, \"ms\": 1}\n\n[1, 2]\n", "bad:3: expected an object for each line"},
    {"{\"time\": 0,\n", "bad:1:12: expected"},
    {"{\"hash\": \"00\", \"average\": {}}\n", "bad: expected frames, found none"},
    {"a,b\n", "bad: expected rows, found none"},
    {"a,b\n1,2\n1,2,3\n", "bad:3: expected 2 cells, found 3"},
    {"a,b\n1\n", "bad:2: expected 2 cells, found 1"},
    {"a,,c\n1,2,3\n", "bad:1: expected a name for column 2, found none"},
    {"a,b,a\n1,2,3\n", "bad:1: the column \"a\" comes twice"},
    {"a,\"b\n1,2\n", "bad:1: expected a closing quote"},
    {"a,b\n\"1\"2,2\n", "bad:2: expected a comma, found \"2,2\""},
    {"a,b\n1,2\n3,4\n", "bad: expected times (ms or ns), found none"},
    {"ms,b\n1,x\n1,y\n", "bad: expected a column of different numbers for the x axis"},
};

START_TEST(bad_files_are_named)
{
    write_file("bad", bad_files[_i].text);
    write_file("old.svg", "kept");
    expect_refusal("plot bad -o old.svg", 2, bad_files[_i].words);
    char* text = read_file("old.svg");
    ck_assert_str_eq(text, "kept");
    free(text);
    expect_no_temporary(folder.path);
}
END_TEST

START_TEST(binary_files_are_refused)
{
    test_file_write(in_folder("bad"), "a,b\n1,\0\n", 8);
    expect_refusal("plot bad -o out.svg", 2, "bad: expected statistics");
}
END_TEST

static const struct {
    const char* line;
    int code;
    const char* words;
} refusals[] = {
    {"plot", 2, "expected FILE, found nothing"},
    {"plot s.jsonl", 2, "expected -o FILE.svg or FILE.png"},
    {"plot s.jsonl -o s.pdf", 2,
     "-o: expected a name that ends with .svg or .png, found \"s.pdf\""},
    {"plot nowhere -o s.svg", 2, "nowhere: could not read the file"},
    {"plot s.jsonl -o s.svg --y crossings", 2,
     "s.jsonl: nothing is called \"crossings\"; there are frame, time, ms.total, ms.solve"},
    {"plot s.jsonl -o s.svg --x nothing", 2, "s.jsonl: nothing is called \"nothing\""},
    {"plot s.jsonl -o s.svg --y energy,", 2, "--y: expected keys with commas between them"},
    {"plot b.csv -o s.svg --y scene", 2, "b.csv: expected numbers in \"scene\", found words"},
    {"plot b.csv -o s.svg --where scene=sofa", 2,
     "b.csv: nowhere is scene \"sofa\"; there are sphere, table"},
    {"plot b.csv -o s.svg --where what=sofa", 2, "b.csv: nothing is called \"what\""},
    {"plot b.csv -o s.svg --where scene", 2, "--where: expected path=value"},
    {"plot s.jsonl -o s.svg --log z", 2, "--log: expected one of x, y, xy, none"},
    {"plot s.jsonl -o s.svg --size 99x99", 2, "--size: expected WIDTHxHEIGHT"},
    {"plot s.jsonl -o s.svg --size 800", 2, "--size: expected WIDTHxHEIGHT"},
    {"plot s.jsonl -o no/folder/s.svg", 1, "no/folder/s.svg: could not write the file"},
    {"plot s.jsonl -o no/folder/s.png", 1, "no/folder/s.png: could not write the file"},
};

START_TEST(bad_usage_is_refused)
{
    write_file("s.jsonl", stats);
    write_file("b.csv", bench);
    expect_refusal(refusals[_i].line, refusals[_i].code, refusals[_i].words);
    ck_assert(!file_exists("s.svg"));
    expect_no_temporary(folder.path);
}
END_TEST

// What drape itself writes can be drawn.
START_TEST(own_files_are_drawn)
{
    drape_done("run table --frames 12 --set cloths.0.grid.resolution=[11,11] --stats s.jsonl");
    drape_done("plot s.jsonl -o s.png --y ms,energy,stretch,contacts,gap");
    drape_done("plot s.jsonl -o s.svg --y ms,energy,stretch,contacts,gap");
    char* svg = read_file("s.svg");
    expect_sound_xml(svg);
    expect_label(svg, "max stretch (%)");
    free(svg);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("plot command");
    TCase* lines = cli_test_case(suite, "statistics");
    tcase_add_test(lines, stages_over_time);
    tcase_add_test(lines, each_unit_has_a_panel);
    tcase_add_test(lines, null_is_a_gap);
    tcase_add_test(lines, long_series_are_thinned);
    tcase_add_test(lines, files_are_compared);
    tcase_add_test(lines, own_files_are_drawn);
    TCase* axes = cli_test_case(suite, "axes");
    tcase_add_loop_test(axes, ticks_are_round, 0, 80);
    tcase_add_test(axes, odd_values_are_drawn);
    tcase_add_test(axes, logarithmic_axes);
    TCase* csv = cli_test_case(suite, "bench files");
    tcase_add_test(csv, bench_has_a_line_for_each_scene_and_thread);
    tcase_add_test(csv, bench_over_threads);
    tcase_add_test(csv, many_lines_are_taken_apart);
    tcase_add_test(csv, csv_is_read_as_it_is_written);
    TCase* pictures = cli_test_case(suite, "pictures");
    tcase_add_test(pictures, png_has_its_size);
    tcase_add_test(pictures, titles_are_text);
    tcase_add_test(pictures, small_pages);
    tcase_add_test(pictures, list_tells_what_there_is);
    TCase* refused = cli_test_case(suite, "refusals");
    tcase_add_loop_test(refused, bad_files_are_named, 0, sizeof bad_files / sizeof bad_files[0]);
    tcase_add_test(refused, binary_files_are_refused);
    tcase_add_loop_test(refused, bad_usage_is_refused, 0, sizeof refusals / sizeof refusals[0]);
    return test_run(suite);
}
