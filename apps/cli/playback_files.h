// playback_files.h: which files a word of the user stands for.
//
// A file, a pattern, or a folder of `drape run` becomes a list of things found, each a cache or a
// sequence of meshes. Nothing is opened here.
#ifndef CLI_PLAYBACK_FILES_H
#define CLI_PLAYBACK_FILES_H

#include "command.h"

// A mesh of a sequence.
typedef struct cli_file {
    char* path;
    int number; // of the frame
} cli_file;

// A sequence, by ascending numbers.
typedef struct cli_files {
    cli_file* items;
    int count;
} cli_files;

// One animation, or one mesh.
typedef struct cli_found {
    char* name;       // of the cloth or obstacle
    char* path;       // of a cache, null for a sequence
    cli_files files;  // of a sequence, empty for a cache
    bool is_obstacle; // by its name, obstacle_...
} cli_found;

typedef struct cli_found_list {
    cli_found* items;
    int count;
} cli_found_list;

// Whether the name of a file ends in a number of three digits or more, as frames do; then the
// number, and how many letters of the path come before it.
bool cli_file_number(const char* path, int* number, int* before);

// What the word stands for; at least one thing. The list starts as {0}.
bool cli_files_find(cli_found_list* list, const char* path, drape_error* error);
// Files that are the frames of one sequence, sorted by number. `found` starts as {0}.
bool cli_files_gather(cli_found* found, const char* const* paths, int path_count,
                      drape_error* error);

void cli_files_free(cli_files* files);
void cli_found_free(cli_found* found);
void cli_found_list_free(cli_found_list* list);

#endif
