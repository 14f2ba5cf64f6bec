// Files: reading whole, writing beside the target, and what is said when the disk says no.
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "io/file.h"
#include "io_test.h"

// --- Reading ---

START_TEST(file_is_read_whole)
{
    test_folder folder = test_folder_make();
    const char bytes[] = "one\0two\r\n\xff";
    test_file_write(test_path(&folder, "some"), bytes, sizeof bytes);
    test_file_write(test_path(&folder, "empty"), bytes, 0);
    dr_file file;
    ck_assert(dr_file_read(test_path(&folder, "some"), &file, NULL));
    ck_assert_uint_eq(file.size, sizeof bytes);
    ck_assert_mem_eq(file.data, bytes, sizeof bytes);
    ck_assert_int_eq(file.data[file.size], 0);
    dr_file_free(&file);
    ck_assert(dr_file_read(test_path(&folder, "empty"), &file, NULL));
    ck_assert_uint_eq(file.size, 0);
    ck_assert_int_eq(file.data[0], 0);
    dr_file_free(&file);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(pipe_is_read_to_its_end)
{
    enum { SIZE = 700001 }; // more than a pipe and the first block hold
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        static char bytes[SIZE];
        memset(bytes, 'x', SIZE);
        for (size_t done = 0; done < SIZE;) {
            ssize_t count = write(ends[1], bytes + done, SIZE - done);
            done += count > 0 ? (size_t)count : SIZE;
        }
        _exit(0);
    }
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    dr_file file;
    drape_error error = {0};
    ck_assert_msg(dr_file_read(path, &file, &error), "%s", error.sentence);
    ck_assert_uint_eq(file.size, SIZE);
    ck_assert_int_eq(file.data[SIZE - 1], 'x');
    dr_file_free(&file);
    close(ends[0]);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
    test_folder folder = test_folder_make();
    dr_file file;
    drape_error error;
    ck_assert(!dr_file_read(test_path(&folder, "absent"), &file, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, strerror(ENOENT));
    test_error_has(&error, DRAPE_ERROR_INPUT, "/absent: ");
    ck_assert(!dr_file_read(folder.path, &file, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "found a directory");
    ck_assert(!dr_file_read("/dev/zero", &file, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "found a device");
    ck_assert_ptr_null(file.data);
    test_folder_remove(&folder);
}
END_TEST

// --- Paths and directories ---

START_TEST(endings)
{
    ck_assert(dr_path_has_ending("a/b.obj", ".obj"));
    ck_assert(dr_path_has_ending("B.OBJ", ".obj"));
    ck_assert(!dr_path_has_ending("obj", ".obj"));
    ck_assert(!dr_path_has_ending("a.objx", ".obj"));
}
END_TEST

START_TEST(directories_are_made_with_parents)
{
    test_folder folder = test_folder_make();
    drape_error error = {0};
    const char* deep = test_path(&folder, "a//b/c/");
    ck_assert_msg(dr_directory_make(deep, &error), "%s", error.sentence);
    ck_assert(dr_directory_make(deep, &error));
    struct stat info;
    ck_assert_int_eq(stat(deep, &info), 0);
    ck_assert(S_ISDIR(info.st_mode));
    ck_assert(dr_directory_make("/", &error) && dr_directory_make(".", &error));

    test_file_write(test_path(&folder, "file"), "x", 1);
    ck_assert(!dr_directory_make(test_path(&folder, "file"), &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(ENOTDIR));
    ck_assert(!dr_directory_make(test_path(&folder, "file/below"), &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, "/file/below: ");
    ck_assert(!dr_directory_make("", &error));
    ck_assert_int_eq(remove(test_path(&folder, "a/b/c")), 0);
    ck_assert_int_eq(remove(test_path(&folder, "a/b")), 0);
    test_folder_remove(&folder);
}
END_TEST

// --- Writing ---

static void check_content(const char* path, const char* wanted)
{
    size_t size;
    char* data = test_file_read(path, &size);
    ck_assert_uint_eq(size, strlen(wanted));
    ck_assert_mem_eq(data, wanted, size);
    free(data);
}

START_TEST(target_changes_only_when_complete)
{
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, "target");
    test_file_write(path, "old", 3);
    dr_output out;
    ck_assert(dr_output_open(&out, path, NULL));
    dr_output_write(&out, "new!", 4);
    check_content(path, "old");
    ck_assert_int_eq(test_folder_count(&folder), 2);
    ck_assert(dr_output_close(&out, NULL));
    check_content(path, "new!");
    ck_assert_int_eq(test_folder_count(&folder), 1);

    ck_assert(dr_output_open(&out, path, NULL));
    dr_output_write(&out, "never", 5);
    dr_output_discard(&out);
    check_content(path, "new!");
    ck_assert_int_eq(test_folder_count(&folder), 1);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(two_writers_of_one_name_do_not_meet)
{
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, "target");
    dr_output first, second;
    ck_assert(dr_output_open(&first, path, NULL));
    ck_assert(dr_output_open(&second, path, NULL));
    dr_output_write(&first, "first", 5);
    dr_output_write(&second, "second", 6);
    ck_assert(dr_output_close(&second, NULL));
    check_content(path, "second");
    ck_assert(dr_output_close(&first, NULL));
    check_content(path, "first");
    test_folder_remove(&folder);
}
END_TEST

START_TEST(name_of_full_length_and_in_the_working_directory)
{
    test_folder folder = test_folder_make();
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    ck_assert_int_eq(chdir(folder.path), 0);
    dr_output out;
    drape_error error = {0};
    ck_assert_msg(dr_output_open(&out, name, &error), "%s", error.sentence);
    ck_assert(dr_output_close(&out, &error));
    check_content(name, "");
    ck_assert_int_eq(chdir("/"), 0);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(link_stays_a_link)
{
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, "target");
    const char* link = test_path(&folder, "link");
    test_file_write(path, "old", 3);
    ck_assert_int_eq(symlink(path, link), 0);
    dr_output out;
    ck_assert(dr_output_open(&out, link, NULL));
    dr_output_write(&out, "new", 3);
    ck_assert(dr_output_close(&out, NULL));
    check_content(path, "new");
    struct stat info;
    ck_assert_int_eq(lstat(link, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    test_folder_remove(&folder);
}
END_TEST

// Writes of all sizes, patches and insertions against an array in memory.
START_TEST(pieces_arrive_in_order)
{
    enum { SIZE = 1500000 };
    static char model[SIZE + 1000];
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, "target");
    uint64_t state = 7;
    for (size_t k = 0; k < sizeof model; ++k) {
        model[k] = (char)test_random(&state);
    }
    dr_output out;
    ck_assert(dr_output_open(&out, path, NULL));
    // The thousand bytes from 100 on are put in later; the first four are wrong until then.
    dr_output_write(&out, "????", 4);
    dr_output_write(&out, model + 4, 96);
    for (size_t done = 1100; done < sizeof model;) {
        size_t size = test_random(&state) >> test_random(&state) % 64;
        size = size > 400000 ? size % 3000 : size;
        size = size > sizeof model - done ? sizeof model - done : size;
        if (size <= DR_OUTPUT_RESERVE && size % 2 == 0) {
            char* at = dr_output_reserve(&out, size);
            memcpy(at, model + done, size);
            dr_output_commit(&out, at + size);
        } else {
            dr_output_write(&out, model + done, size);
        }
        done += size;
    }
    dr_output_patch(&out, 0, model, 4);
    dr_output_insert(&out, 100, model + 100, 1000);
    dr_output_write(&out, "end", 3);
    ck_assert(dr_output_close(&out, NULL));
    size_t size;
    char* data = test_file_read(path, &size);
    ck_assert_uint_eq(size, sizeof model + 3);
    ck_assert(memcmp(data, model, sizeof model) == 0);
    ck_assert_str_eq(data + sizeof model, "end");
    free(data);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(full_disk_is_told)
{
    drape_error error;
    dr_output out;
    ck_assert(dr_output_open(&out, "/dev/full", &error));
    dr_output_write(&out, "some", 4);
    ck_assert(!dr_output_close(&out, &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(ENOSPC));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, "/dev/full: ");
    // The device itself must still be one.
    struct stat info;
    ck_assert_int_eq(stat("/dev/full", &info), 0);
    ck_assert(S_ISCHR(info.st_mode));
}
END_TEST

// A limit on the size of files fails in the middle of the temporary file.
START_TEST(failure_keeps_what_was_there)
{
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, "target");
    test_file_write(path, "old", 3);
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit limit = {1000000, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    dr_output out;
    drape_error error;
    bool is_open = dr_output_open(&out, path, &error);
    static const char block[65536];
    bool is_told = false;
    for (int k = 0; is_open && k < 32; ++k) {
        dr_output_write(&out, block, sizeof block);
        is_told = is_told || !dr_output_check(&out, &error);
    }
    dr_output_patch(&out, 0, "x", 1);
    dr_output_insert(&out, 0, "x", 1);
    bool is_closed = dr_output_close(&out, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(is_open && is_told && !is_closed);
    test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(EFBIG));
    check_content(path, "old");
    ck_assert_int_eq(test_folder_count(&folder), 1);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(places_that_cannot_be_written)
{
    test_folder folder = test_folder_make();
    drape_error error;
    dr_output out;
    ck_assert(!dr_output_open(&out, test_path(&folder, "absent/target"), &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(ENOENT));
    test_file_write(test_path(&folder, "file"), "x", 1);
    ck_assert(!dr_output_open(&out, test_path(&folder, "file/target"), &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(ENOTDIR));
    ck_assert(!dr_output_open(&out, folder.path, &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(EISDIR));
    // Root may write anywhere, so this one is for everybody else.
    if (geteuid() != 0) {
        ck_assert_int_eq(chmod(folder.path, 0555), 0);
        ck_assert(!dr_output_open(&out, test_path(&folder, "target"), &error));
        test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(EACCES));
        ck_assert_int_eq(chmod(folder.path, 0755), 0);
    }
    ck_assert_int_eq(test_folder_count(&folder), 1);
    test_folder_remove(&folder);
}
END_TEST

// The folder is taken away while the file is written.
START_TEST(rename_that_fails_is_told)
{
    test_folder folder = test_folder_make();
    const char* inner = test_path(&folder, "inner");
    drape_error error = {0};
    ck_assert(dr_directory_make(inner, &error));
    dr_output out;
    ck_assert(dr_output_open(&out, test_path(&folder, "inner/target"), &error));
    ck_assert_int_eq(remove(out.temporary), 0);
    ck_assert_int_eq(remove(inner), 0);
    ck_assert(!dr_output_close(&out, &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, "inner/target: could not write the file");
    test_folder_remove(&folder);
}
END_TEST

// What was sent down a pipe cannot be changed any more.
START_TEST(pipe_cannot_be_patched)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    dr_output out;
    drape_error error = {0};
    ck_assert_msg(dr_output_open(&out, path, &error), "%s", error.sentence);
    dr_output_write(&out, "some", 4);
    ck_assert(dr_output_check(&out, &error));
    dr_output_insert(&out, 0, "x", 1);
    ck_assert(!dr_output_close(&out, &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(ESPIPE));
    close(ends[0]);
    close(ends[1]);
}
END_TEST

START_TEST(sentences_are_cut_not_spilled)
{
    drape_error error;
    char words[3000];
    memset(words, 'w', sizeof words);
    words[sizeof words - 1] = '\0';
    dr_error_set(&error, DRAPE_ERROR_INPUT, "%s", words);
    ck_assert_uint_eq(strlen(error.sentence), sizeof error.sentence - 1);
    dr_error_set(NULL, DRAPE_ERROR_INPUT, "%s", words);
    // And they are one line, without letters that speak to a terminal.
    dr_error_set(&error, DRAPE_ERROR_INPUT, "%s: \xc3\xa4", "a\n\x1b[7m\x7f");
    ck_assert_str_eq(error.sentence, "a??[7m?: \xc3\xa4");
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("file");
    TCase* reading = tcase_create("reading");
    tcase_add_test(reading, file_is_read_whole);
    tcase_add_test(reading, pipe_is_read_to_its_end);
    tcase_add_test(reading, what_is_no_file_is_refused);
    suite_add_tcase(suite, reading);
    TCase* paths = tcase_create("paths");
    tcase_add_test(paths, endings);
    tcase_add_test(paths, directories_are_made_with_parents);
    suite_add_tcase(suite, paths);
    TCase* writing = tcase_create("writing");
    tcase_add_test(writing, target_changes_only_when_complete);
    tcase_add_test(writing, two_writers_of_one_name_do_not_meet);
    tcase_add_test(writing, name_of_full_length_and_in_the_working_directory);
    tcase_add_test(writing, link_stays_a_link);
    tcase_add_test(writing, pieces_arrive_in_order);
    tcase_add_test(writing, full_disk_is_told);
    tcase_add_test(writing, failure_keeps_what_was_there);
    tcase_add_test(writing, places_that_cannot_be_written);
    tcase_add_test(writing, rename_that_fails_is_told);
    tcase_add_test(writing, pipe_cannot_be_patched);
    tcase_add_test(writing, sentences_are_cut_not_spilled);
    suite_add_tcase(suite, writing);
    return test_run(suite);
}
