// command.h: what the commands of `drape` have in common.
//
// Each command lives in a file of its own and is one constant here; main.c picks it by its name.
// Names that cross files begin with `cli_`, which keeps them apart from the library's `dr_`.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <drape/io.h>
#include <time.h>

// Exit codes.
#define CLI_DONE 0
#define CLI_UNFINISHED 1 // could not finish
#define CLI_REFUSED 2    // bad usage or bad input
#define CLI_CROSSED 3    // something crosses

typedef struct cli_command {
    const char* name;
    const char* summary; // one line
    const char* help;    // the text of --help
    // The words after the name of the command; returns the exit code.
    int (*run)(const struct cli_command* command, int argc, char** argv);
} cli_command;

extern const cli_command cli_command_run;
extern const cli_command cli_command_check;
extern const cli_command cli_command_info;
extern const cli_command cli_command_scenes;
extern const cli_command cli_command_convert;
extern const cli_command cli_command_bench;
extern const cli_command cli_command_ccd;
extern const cli_command cli_command_plot;
extern const cli_command cli_command_render;

// --- Sentences, on the standard error output: "drape run: ..." ---

void cli_say(const cli_command* command, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
// The sentence of an error; returns the exit code that its kind stands for.
int cli_fail(const cli_command* command, const drape_error* error);
// Prints warnings of a world; a drape_log_fn.
void cli_log(void* user, drape_log_level level, const char* sentence);

// --- Small things ---

// Long enough for every path that we put together; longer ones are refused.
#define CLI_PATH_SIZE 4096

// "FOLDER/NAME"; false, with a sentence, when it is too long.
bool cli_path_join(char* path, const char* folder, const char* name, drape_error* error);

// The words of --isa in the order of drape_isa; ends with null.
extern const char* const cli_isa_words[];
// False, with a sentence, when the world could not get the instruction set that was asked for.
bool cli_isa_check(const drape_world* world, drape_isa wanted, drape_error* error);

// Threads to work on when the user does not say: all cores, at most 8.
int cli_thread_count(void);

// Milliseconds on a clock that only goes forward.
static inline double cli_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

#endif
