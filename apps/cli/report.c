// Sentences and small things that all commands share.
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "io/file.h"

void cli_say(const cli_command* command, const char* format, ...)
{
    // What was printed so far comes first, also when both outputs are one.
    fflush(stdout);
    fprintf(stderr, "drape %s: ", command->name);
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
}

int cli_fail(const cli_command* command, const drape_error* error)
{
    cli_say(command, "%s", error->sentence);
    return error->kind == DRAPE_ERROR_SYSTEM ? CLI_UNFINISHED : CLI_REFUSED;
}

void cli_log(void* user, drape_log_level level, const char* sentence)
{
    (void)user;
    // An error comes back as the result of the call, and is told there.
    if (level == DRAPE_LOG_WARNING) {
        fprintf(stderr, "drape: warning: %s\n", sentence);
    }
}

bool cli_path_join(char* path, const char* folder, const char* name, drape_error* error)
{
    int length = snprintf(path, CLI_PATH_SIZE, "%s/%s", folder, name);
    if (length < 0 || length >= CLI_PATH_SIZE) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected a shorter path, at most %d letters",
                     folder, CLI_PATH_SIZE - 1);
        return false;
    }
    return true;
}

int cli_thread_count(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 8 ? 8 : (int)cores;
}

const char* const cli_isa_words[] = {"auto", "plain", "sse2", "avx2", "neon", "wasm", NULL};

bool cli_isa_check(const drape_world* world, drape_isa wanted, drape_error* error)
{
    drape_isa found = drape_world_isa(world);
    if (wanted == DRAPE_ISA_AUTO || wanted == found) {
        return true;
    }
    dr_error_set(error, DRAPE_ERROR_INPUT,
                 "--isa: expected an instruction set of this machine and build, such as %s, "
                 "found \"%s\"",
                 cli_isa_words[found], cli_isa_words[wanted]);
    return false;
}
