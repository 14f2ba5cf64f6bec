// scene_path.h: scenes by name.
//
// A scene that comes along is a file NAME.json in one of these folders; the first that has it wins:
//
//     $DRAPE_SCENES
//     EXECUTABLE/../share/drape/scenes     installed
//     EXECUTABLE/../scenes                 built in the source tree
//     EXECUTABLE/scenes                    unpacked
//
// where EXECUTABLE is the folder of the command. What has a slash or ends in .json is a file; but a
// name such as torture/ring, where there is no such file, is one of a folder within these.
#ifndef CLI_SCENE_PATH_H
#define CLI_SCENE_PATH_H

#include "command.h"

// The file of a scene, into `path` of CLI_PATH_SIZE. False, with a sentence, when there is none.
bool cli_scene_find(const char* scene, char* path, drape_error* error);

typedef struct cli_scene_entry {
    char* name;
    char* path;
} cli_scene_entry;

// All scenes that come along, sorted by name.
typedef struct cli_scene_list {
    cli_scene_entry* entries;
    int count;
} cli_scene_list;

bool cli_scene_list_make(cli_scene_list* list, drape_error* error);
void cli_scene_list_free(cli_scene_list* list);

#endif
