// `drape scenes`: the scenes that come along.
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "scene_path.h"

static const char help[] =
    "usage: drape scenes [--names]\n"
    "\n"
    "Lists the scenes that come along, each with its description. `drape run NAME` runs one.\n"
    "A scene that needs what this build cannot do yet is marked incomplete, with the reason.\n"
    "They lie in a folder beside the command; DRAPE_SCENES names another to look in first.\n"
    "\n"
    "  --names   print the names only\n"
    "\n"
    "examples:\n"
    "  drape scenes\n"
    "  DRAPE_SCENES=~/cloth drape scenes --names\n";

static int longest_name(const cli_scene_list* list)
{
    size_t longest = 0;
    for (int i = 0; i < list->count; ++i) {
        size_t length = strlen(list->entries[i].name);
        longest = length > longest ? length : longest;
    }
    return (int)longest;
}

// One line. False when the file is no sound scene.
static bool print_scene(const cli_command* command, const cli_scene_entry* entry, int width)
{
    char description[512];
    char incomplete[256];
    drape_error error = {0};
    if (!drape_scene_probe(entry->path, NULL, description, sizeof description, incomplete,
                           sizeof incomplete, &error)) {
        cli_say(command, "%s", error.sentence);
        return false;
    }
    printf("%-*s  %s", width, entry->name, description);
    if (incomplete[0] != '\0') {
        printf(" incomplete: %s", incomplete);
    }
    putchar('\n');
    return true;
}

static int scenes(const cli_command* command, int argc, char** argv)
{
    bool names_only = false;
    const cli_option options[] = {{"--names", CLI_FLAG, .value = &names_only}, {0}};
    const cli_operand operands[] = {{0}};
    int code = cli_args_read(command, argc, argv, options, operands);
    if (code != CLI_GO_ON) {
        return code;
    }
    cli_scene_list list;
    drape_error error = {0};
    if (!cli_scene_list_make(&list, &error)) {
        return cli_fail(command, &error);
    }
    code = CLI_DONE;
    int width = longest_name(&list);
    for (int i = 0; i < list.count; ++i) {
        if (names_only) {
            puts(list.entries[i].name);
        } else if (!print_scene(command, &list.entries[i], width)) {
            code = CLI_REFUSED;
        }
    }
    cli_scene_list_free(&list);
    return code;
}

const cli_command cli_command_scenes = {"scenes", "the scenes that come along", help, scenes};
