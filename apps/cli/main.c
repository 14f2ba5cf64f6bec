// The command `drape`: picks one of its commands by its name.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "io/scene_words.h"

static const cli_command* const commands[] = {
    &cli_command_run,     &cli_command_check, &cli_command_info,  &cli_command_scenes,
    &cli_command_convert, &cli_command_bench, &cli_command_ccd,
    &cli_command_plot,    &cli_command_render,
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const cli_command* find_command(const char* name)
{
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static void print_usage(FILE* file)
{
    fputs("drape simulates cloth.\n\n", file);
    fputs("usage: drape COMMAND ...\n", file);
    fputs("       drape COMMAND --help\n", file);
    fputs("       drape --version\n\ncommands:\n", file);
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        fprintf(file, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\nexamples:\n"
          "  drape scenes                  what can be simulated right away\n"
          "  drape run table -o out        a tablecloth falls; out/ gets an animation\n"
          "  drape check out               whether anything went through anything\n"
          "  drape info out/cloth.pc2      what is in it\n",
          file);
}

static int refuse_command(const char* name)
{
    const char* names[COMMAND_COUNT];
    fprintf(stderr, "drape: %s: no such command; there are", name);
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        names[i] = commands[i]->name;
        fprintf(stderr, "%s %s", i > 0 ? "," : "", names[i]);
    }
    const char* nearest = dr_word_nearest(name, names, COMMAND_COUNT);
    if (nearest != NULL) {
        fprintf(stderr, "; did you mean %s?", nearest);
    }
    fputc('\n', stderr);
    return CLI_REFUSED;
}

// `drape help` and `drape help COMMAND`.
static int help(int argc, char** argv)
{
    const cli_command* command = argc > 0 ? find_command(argv[0]) : NULL;
    if (argc > 0 && command == NULL) {
        return refuse_command(argv[0]);
    }
    if (command != NULL) {
        fputs(command->help, stdout);
    } else {
        print_usage(stdout);
    }
    return CLI_DONE;
}

static int dispatch(int argc, char** argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_REFUSED;
    }
    const char* name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("drape %s\n", drape_version());
        return CLI_DONE;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help(argc - 2, argv + 2);
    }
    const cli_command* command = find_command(name);
    return command != NULL ? command->run(command, argc - 2, argv + 2) : refuse_command(name);
}

int main(int argc, char** argv)
{
    // A file that grows beyond the limit of the shell is a failed write with a sentence.
    signal(SIGXFSZ, SIG_IGN);
    int code = dispatch(argc, argv);
    // What could not be printed was not done.
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE) {
        perror("drape: could not write to the standard output");
        code = CLI_UNFINISHED;
    }
    return code;
}
