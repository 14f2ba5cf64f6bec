// cli_test.h: starting the command and looking at what it said.
//
// Each test has a folder of its own. The command finds the scenes of the source tree, and its
// sentences go to files in the folder, so they are what a pipe would get.
#ifndef CLI_TEST_H
#define CLI_TEST_H

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "../io/io_test.h"

#define MAX_WORDS 32

static test_folder folder;

// Runs before each test.
static inline void cli_test_begin(void)
{
    folder = test_folder_make();
    setenv("DRAPE_SCENES", DRAPE_SOURCE_DIR "/scenes", 1);
}

static inline void remove_tree(const char* path)
{
    DIR* directory = opendir(path);
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char child[1024];
            int length = snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
            ck_assert_int_lt(length, (int)sizeof child);
            remove_tree(child);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    remove(path);
}

static inline void cli_test_end(void)
{
    remove_tree(folder.path);
}

// A path in the folder of the test.
static inline const char* in_folder(const char* name)
{
    return test_path(&folder, name);
}

static inline bool file_exists(const char* name)
{
    return access(in_folder(name), F_OK) == 0;
}

// --- Starting ---

typedef struct cli_test_result {
    int code; // -1: killed by a signal
    char out[65536];
    char err[65536];
} cli_test_result;

static inline void redirect(const char* path, int descriptor)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, descriptor) < 0) {
        _exit(99);
    }
    close(file);
}

// Starts the command within the folder; no file may become larger than `file_limit` when it is not
// zero.
static inline pid_t cli_start(char* const* words, size_t file_limit)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        if (chdir(folder.path) != 0) {
            _exit(99);
        }
        if (file_limit > 0) {
            struct rlimit limit = {file_limit, file_limit};
            setrlimit(RLIMIT_FSIZE, &limit);
        }
        // A test in the background of a script would pass on that it is ignored.
        signal(SIGINT, SIG_DFL);
        redirect(".out", STDOUT_FILENO);
        redirect(".err", STDERR_FILENO);
        execv(DRAPE_COMMAND, words);
        _exit(99);
    }
    return child;
}

static inline void read_text(const char* path, char* text, size_t size)
{
    FILE* file = fopen(path, "rb");
    size_t length = file != NULL ? fread(text, 1, size - 1, file) : 0;
    text[length] = '\0';
    if (file != NULL) {
        fclose(file);
    }
}

static inline const cli_test_result* cli_finish(pid_t child)
{
    static cli_test_result result;
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ck_assert_msg(result.code != 99, "could not start %s", DRAPE_COMMAND);
    read_text(in_folder(".out"), result.out, sizeof result.out);
    read_text(in_folder(".err"), result.err, sizeof result.err);
    return &result;
}

// Splits a line at blanks into the words of a command line. The words live until the next call.
static inline char* const* split_line(const char* line)
{
    static char text[4096];
    static char* words[MAX_WORDS + 2];
    int count = 0;
    snprintf(text, sizeof text, "%s", line);
    words[count++] = DRAPE_COMMAND;
    for (char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        ck_assert_int_lt(count, MAX_WORDS);
        words[count++] = word;
    }
    words[count] = NULL;
    return words;
}

static inline const cli_test_result* drape(const char* line)
{
    return cli_finish(cli_start(split_line(line), 0));
}

// --- Looking ---

static inline void expect_code(const cli_test_result* result, int code, const char* line)
{
    ck_assert_msg(result->code == code, "drape %s: code %d, not %d; %s%s", line, result->code, code,
                  result->out, result->err);
}

// Runs and expects success.
static inline const cli_test_result* drape_done(const char* line)
{
    const cli_test_result* result = drape(line);
    expect_code(result, 0, line);
    return result;
}

static inline void expect_words(const char* text, const char* words, const char* line)
{
    ck_assert_msg(strstr(text, words) != NULL, "drape %s: \"%s\" lacks \"%s\"", line, text, words);
}

// One sentence on the error output that begins with "drape" and has these words.
static inline void expect_refusal(const char* line, int code, const char* words)
{
    const cli_test_result* result = drape(line);
    expect_code(result, code, line);
    expect_words(result->err, words, line);
    ck_assert_msg(strncmp(result->err, "drape", 5) == 0, "drape %s: %s", line, result->err);
}

// No file that was begun is left.
static inline void expect_no_temporary(const char* path)
{
    DIR* directory = opendir(path);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        ck_assert_msg(strstr(entry->d_name, ".tmp-") == NULL, "left behind: %s", entry->d_name);
    }
    closedir(directory);
}

// A case whose tests each get a folder.
static inline TCase* cli_test_case(Suite* suite, const char* name)
{
    TCase* tests = tcase_create(name);
    tcase_add_checked_fixture(tests, cli_test_begin, cli_test_end);
    suite_add_tcase(suite, tests);
    return tests;
}

#endif
