// `drape bench`: a table, and CSV that says the same.
#include "cli_test.h"

static int count_letters(const char* text, char letter)
{
    int count = 0;
    for (; *text != '\0'; ++text) {
        count += *text == letter;
    }
    return count;
}

START_TEST(table_and_csv)
{
    const cli_test_result* result = drape_done("bench --quick -o results");
    // Head, two scenes of two sizes on one and two threads, and where the file is.
    ck_assert_int_eq(count_letters(result->out, '\n'), 10);
    const char* path = strstr(result->out, "written to results/");
    ck_assert_ptr_nonnull(path);
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path + 11, "\n"), path + 11);
    // The folder has a plain name.
    ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-/"),
                      strlen(name) - strlen(".csv"));
    size_t size = 0;
    char* text = test_file_read(in_folder(name), &size);
    ck_assert_int_eq(count_letters(text, '\n'), 9);
    ck_assert_int_eq(count_letters(text, ','), 9 * 14);
    static const char head[] =
        "scene,n,vertices,threads,isa,ms_frame,ms_predict,ms_detect,ms_solve,ns_per_constraint,"
        "us_per_vertex,max_stretch,p99_stretch,smallest_gap,kinetic_energy\n";
    ck_assert_int_eq(strncmp(text, head, strlen(head)), 0);
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_null(strstr(text, "inf"));
    free(text);
}
END_TEST

START_TEST(without_a_folder_nothing_is_written)
{
    drape_done("bench solve --quick --isa plain");
    ck_assert_int_eq(test_folder_count(&folder), 2);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("bench");
    TCase* tests = cli_test_case(suite, "bench");
    tcase_add_test(tests, table_and_csv);
    tcase_add_test(tests, without_a_folder_nothing_is_written);
    return test_run(suite);
}
