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
    const cli_test_result* result = drape_done("bench solve --quick -o results");
    // Head, three scenes of two sizes on one and two threads, and where the file is.
    ck_assert_int_eq(count_letters(result->out, '\n'), 14);
    const char* path = strstr(result->out, "written to results/");
    ck_assert_ptr_nonnull(path);
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path + 11, "\n"), path + 11);
    // The folder has a plain name.
    ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-/"),
                      strlen(name) - strlen(".csv"));
    size_t size = 0;
    char* text = test_file_read(in_folder(name), &size);
    ck_assert_int_eq(count_letters(text, '\n'), 13);
    ck_assert_int_eq(count_letters(text, ','), 13 * 14);
    static const char head[] =
        "scene,n,vertices,threads,isa,ms_frame,ms_predict,ms_detect,ms_solve,ns_per_constraint,"
        "us_per_vertex,max_stretch,p99_stretch,smallest_gap,kinetic_energy\n";
    ck_assert_int_eq(strncmp(text, head, strlen(head)), 0);
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_null(strstr(text, "inf"));
    free(text);
}
END_TEST

// A line a scene, and one a frame in the file.
START_TEST(guard_table_and_csv)
{
    const cli_test_result* result = drape_done("bench guard --quick -o results");
    ck_assert_int_eq(count_letters(result->out, '\n'), 5);
    const char* path = strstr(result->out, "written to results/");
    ck_assert_ptr_nonnull(path);
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path + 11, "\n"), path + 11);
    size_t size = 0;
    char* text = test_file_read(in_folder(name), &size);
    ck_assert_int_eq(count_letters(text, '\n'), 1 + 3 * 15);
    ck_assert_int_eq(count_letters(text, ','), (1 + 3 * 15) * 17);
    ck_assert_ptr_nonnull(strstr(text, "cut_vertices,guard_energy,guard_momentum,pinched"));
    ck_assert_ptr_nonnull(strstr(text, "\nground,11,121,15,"));
    ck_assert_ptr_null(strstr(text, "nan"));
    free(text);
}
END_TEST

START_TEST(geometry_table_and_csv)
{
    const cli_test_result* result = drape_done("bench geometry --quick -o results");
    const char* path = strstr(result->out, "written to results/");
    ck_assert_ptr_nonnull(path);
    // The table has a head and one line for each of the CSV, and one that says where that is.
    int line_count = count_letters(result->out, '\n') - 1;
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path + 11, "\n"), path + 11);
    ck_assert_ptr_nonnull(strstr(name, "/geometry.csv"));
    size_t size = 0;
    char* text = test_file_read(in_folder(name), &size);
    static const char head[] = "what,kind,triangles,threads,isa,items,ns,per,million_items_per_s\n";
    ck_assert_int_eq(strncmp(text, head, strlen(head)), 0);
    ck_assert_int_eq(count_letters(text, '\n'), line_count);
    ck_assert_int_eq(count_letters(text, ','), line_count * 8);
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_null(strstr(text, "inf"));
    static const char* const kinds[] = {"closest point-triangle,eight wide,",
                                        "orient3d,degenerate,",
                                        "ccd edge-edge,",
                                        "refit,swept,",
                                        "triangle pairs,octree,",
                                        "feature pairs,material,",
                                        "build,bottom-up,"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        ck_assert_msg(strstr(text, kinds[k]) != NULL, "no row of %s", kinds[k]);
    }
    free(text);
}
END_TEST

// Every builder finds the same pairs: a column of the table.
START_TEST(all_trees_find_the_same)
{
    const cli_test_result* result = drape_done("bench geometry --quick --isa plain");
    long long first = 0;
    int tree_count = 0;
    for (const char* line = result->out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        char kind[16], isa[16];
        int triangles, threads;
        long long items;
        if (sscanf(line, "feature pairs %15s %d %d %15s %lld", kind, &triangles, &threads, isa,
                   &items) == 5) {
            ck_assert(tree_count == 0 || items == first);
            first = items;
            ++tree_count;
        }
    }
    ck_assert_int_eq(tree_count, 8);
    ck_assert(first > 0);
}
END_TEST

// The start of the line of a case in the CSV that torture wrote.
static void expect_torture_row(const cli_test_result* result, const char* row)
{
    const char* path = strstr(result->out, "written to results/");
    ck_assert_ptr_nonnull(path);
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path + 11, "\n"), path + 11);
    size_t size = 0;
    char* text = test_file_read(in_folder(name), &size);
    ck_assert_int_eq(strncmp(text, "case,scene,columns,rows,vertices,", 33), 0);
    ck_assert_int_eq(count_letters(text, ','), 25 * count_letters(text, '\n'));
    ck_assert_msg(strstr(text, row) != NULL, "no row %s in\n%s", row, text);
    free(text);
}

START_TEST(torture_holds)
{
    const cli_test_result* result = drape_done(
        "bench torture --case table-21 --threads 1 -o results --commit abc --films films");
    expect_words(result->out, "1 cases, 0 failed", "torture");
    expect_torture_row(result, "\ntable-21,table,21,21,441,0.002,20,90,0,0,0,0,-1,0,0,");
    expect_torture_row(result, ",holds,abc\n");
    size_t size = 0;
    free(test_file_read(in_folder("films/table-21/obstacle_top.obj"), &size));
    char* film = test_file_read(in_folder("films/table-21/cloth.pc2"), &size);
    ck_assert_uint_eq(size, 32 + 91 * 441 * 12);
    free(film);
    // Another case beside it, at a commit with a long name: the first one stays as it was.
    char line[2200], name[2001];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(line, sizeof line, "bench torture --case ground-21 --threads 1 -o results --commit %s",
             name);
    result = drape_done(line);
    expect_torture_row(result, ",holds,abc\nground-21,ground,");
    snprintf(line, sizeof line, ",holds,%s\n", name);
    expect_torture_row(result, line);
}
END_TEST

// Two plates leave no room, and then let go: what was pinched has to come free.
START_TEST(torture_asks_for_recovery)
{
    const cli_test_result* result =
        drape_done("bench torture --case pinch-11-flat --threads 1 -o results");
    expect_words(result->out, "1 cases, 0 failed", "torture");
    expect_torture_row(result, ",holds,unknown\n");
}
END_TEST

// Masses and springs without self-collision do cross: the judge sees it, and says so.
START_TEST(torture_fails)
{
    const cli_test_result* result =
        drape("bench torture --case ground-21 --method spring --threads 1 -o results");
    ck_assert_int_eq(result->code, 3);
    expect_words(result->out, "1 cases, 1 failed", "torture");
    expect_torture_row(result, ",crosses,unknown\n");
}
END_TEST

START_TEST(torture_knows_its_cases)
{
    expect_refusal("bench torture --case table-22", 2, "--case table-22: no such case of torture");
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
    tcase_add_test(tests, guard_table_and_csv);
    tcase_add_test(tests, geometry_table_and_csv);
    tcase_add_test(tests, all_trees_find_the_same);
    tcase_add_test(tests, torture_holds);
    tcase_add_test(tests, torture_asks_for_recovery);
    tcase_add_test(tests, torture_fails);
    tcase_add_test(tests, torture_knows_its_cases);
    tcase_add_test(tests, without_a_folder_nothing_is_written);
    return test_run(suite);
}
