// args.h: the words of a command line, by a table of options.
//
//     cli_option options[] = {
//         {"--frames", CLI_WHOLE, .value = &frame_count, .most = INT_MAX},
//         {"--quiet", CLI_FLAG, .value = &is_quiet},
//         {0},
//     };
//     cli_operand operands[] = {{"SCENE", &scene, .is_needed = true}, {0}};
//     int code = cli_args_read(command, argc, argv, options, operands);
//     if (code != CLI_GO_ON) return code;
//
// Options and operands may come in any order; an option given again replaces its value, but for
// CLI_OVERRIDE and CLI_TEXTS, which collect. A value stands in the next word, or behind `=`
// (--frames=5), or, for an option of one letter, right behind it (-oDIR). `--` ends the options.
// --help prints the help of the command. Each sentence about bad usage names the argument.
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "command.h"

typedef enum cli_option_kind {
    CLI_FLAG,     // bool
    CLI_TEXT,     // const char*
    CLI_WHOLE,    // int, `least` to `most`
    CLI_POSITIVE, // float above zero
    CLI_WORD,     // int, the place of the word in `words`
    CLI_OVERRIDE, // cli_overrides, path=value
    CLI_TEXTS,    // cli_words, one more of them
} cli_option_kind;

typedef struct cli_option {
    const char* name;
    cli_option_kind kind;
    void* value;
    int least, most;
    const char* const* words; // ends with null
} cli_option;

typedef struct cli_operand {
    const char* name;
    const char** value;
    bool is_needed;
    struct cli_words* all; // in place of `value`: this one and all that follow
} cli_operand;

// The --set options in order. `items` is freed by the caller; its strings are those of argv.
typedef struct cli_overrides {
    drape_override* items;
    int count;
} cli_overrides;

// Words in order. `items` is freed by the caller; its strings are those of argv.
typedef struct cli_words {
    const char** items;
    int count;
} cli_words;

// Not an exit code: the command may begin.
#define CLI_GO_ON (-1)

// Both tables end with a null name. Returns CLI_GO_ON, or the exit code when all has been said.
int cli_args_read(const cli_command* command, int argc, char** argv, const cli_option* options,
                  const cli_operand* operands);

#endif
