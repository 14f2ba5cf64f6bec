// `drape ccd`: queries in, answers out, and a sentence for a bad line.
#include "cli_test.h"

#define CROSSING "0 0 1 -1 -1 0 1 -1 0 0 1 0 0 0 -1 -1 -1 0 1 -1 0 0 1 0"
#define ABOVE "0 0 1 -1 -1 0 1 -1 0 0 1 0 0 0 0x1p-1074 -1 -1 0 1 -1 0 0 1 0"
#define EDGES "-1 0 1 1 0 1 0 -1 0 0 1 0 -1 0 -3 1 0 -3 0 -1 0 0 1 0"

static void write_queries(const char* text)
{
    test_file_write(in_folder("queries.txt"), text, strlen(text));
}

static void expect_answers(const char* line, const char* answers)
{
    const cli_test_result* result = drape_done(line);
    size_t length = strlen(answers);
    ck_assert_msg(strncmp(result->out, answers, length) == 0, "%s", result->out);
    const char* tail = result->out + length;
    int count = -1;
    double seconds = -1.0;
    ck_assert_int_eq(sscanf(tail, "# queries %d seconds %lf\n", &count, &seconds), 2);
    ck_assert(count >= 0 && seconds >= 0.0 && strchr(tail, '\n')[1] == '\0');
    int lines = 0;
    for (const char* at = answers; (at = strchr(at, '\n')) != NULL; ++at) {
        ++lines;
    }
    ck_assert_int_eq(count, lines);
}

START_TEST(queries_are_answered)
{
    // Labels and times are not looked at, but for being there.
    write_queries("# a comment\n"
                  "vf 1 " CROSSING " 0x1p-1\n"
                  "vf 1 " ABOVE " 7\n"
                  "\n"
                  "ee 0 " EDGES " -0x1p+0\r\n"
                  "# the last line does not end\n"
                  "vf 0 " CROSSING " 0");
    expect_answers("ccd queries.txt", "1 0x1p-1\n0 -0x1p+0\n1 0x1p-2\n1 0x1p-1\n");
}
END_TEST

START_TEST(nothing_is_answered_with_nothing)
{
    write_queries("");
    expect_answers("ccd queries.txt", "");
    write_queries("# nothing here");
    expect_answers("ccd queries.txt", "");
}
END_TEST

// A file, a pipe, or a device.
START_TEST(standard_input_is_read)
{
    write_queries("vf 1 " CROSSING " 0x1p-1\n");
    char command[4096], text[256];
    const char* from = _i == 2 ? "/dev/null" : in_folder("queries.txt");
    snprintf(command, sizeof command, "%s'%s' %s'%s' ccd - >'%s'", _i == 1 ? "cat " : "<", from,
             _i == 1 ? "| " : "", DRAPE_COMMAND, in_folder("answers"));
    ck_assert_int_eq(system(command), 0);
    read_text(in_folder("answers"), text, sizeof text);
    const char* words = _i == 2 ? "# queries 0 seconds " : "1 0x1p-1\n# queries 1 seconds ";
    ck_assert_ptr_nonnull(strstr(text, words));
}
END_TEST

typedef struct bad_line {
    const char* line;
    const char* words;
} bad_line;

static const bad_line bad_lines[] = {
    {"fv 1 " CROSSING " 0", "queries.txt:3: expected vf or ee, found \"fv\""},
    {"vf yes " CROSSING " 0", "queries.txt:3: expected the label 0 or 1, found \"yes\""},
    {"vf", "queries.txt:3: expected the label 0 or 1, found the end of the"},
    {"vf 1 1 2",
     "queries.txt:3: expected the number z0 (coordinate 3 of 24), found the end of the"},
    {"vf 1 1 2 x", "expected the number z0 (coordinate 3 of 24), found \"x\""},
    {"vf 1 1 2 3.5f", "expected the number z0 (coordinate 3 of 24), found \"3.5f\""},
    {"vf 1 1 2 3 nan", "expected the number x1 (coordinate 4 of 24), found \"nan\""},
    {"vf 1 1 2 3 1e999", "expected the number x1 (coordinate 4 of 24), found \"1e999\""},
    {"vf 1 " CROSSING, "queries.txt:3: expected the time, found the end of the"},
    {"vf 1 " CROSSING " 0 0", "queries.txt:3: expected the end of the line, found \"0\""},
};

START_TEST(bad_lines_are_named)
{
    char text[2048];
    for (int is_last = 0; is_last < 2; ++is_last) {
        snprintf(text, sizeof text, "# queries\nvf 1 " CROSSING " 0\n%s%s", bad_lines[_i].line,
                 is_last ? "" : "\nvf 1 " CROSSING " 0\n");
        write_queries(text);
        expect_refusal("ccd queries.txt", 2, bad_lines[_i].words);
    }
}
END_TEST

START_TEST(missing_file_is_named)
{
    expect_refusal("ccd nowhere.txt", 2, "nowhere.txt");
    expect_refusal("ccd", 2, "FILE");
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("ccd command");
    TCase* tests = cli_test_case(suite, "queries");
    tcase_add_test(tests, queries_are_answered);
    tcase_add_test(tests, nothing_is_answered_with_nothing);
    tcase_add_loop_test(tests, standard_input_is_read, 0, 3);
    tcase_add_loop_test(tests, bad_lines_are_named, 0, sizeof bad_lines / sizeof bad_lines[0]);
    tcase_add_test(tests, missing_file_is_named);
    return test_run(suite);
}
