#include "playback_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frames.h"
#include "io/file.h"

#define OBSTACLE "obstacle_"

// Frames as `drape run` numbers them.
#define RUN_DIGITS 4

static bool is_cache(const char* path)
{
    return dr_path_has_ending(path, ".pc2") || dr_path_has_ending(path, ".mdd");
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static const char* base_of(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Letters of the path without its ending.
static int stem_length(const char* path)
{
    const char* dot = strrchr(base_of(path), '.');
    return (int)(dot != NULL && dot != base_of(path) ? (size_t)(dot - path) : strlen(path));
}

bool cli_file_number(const char* path, int* number, int* before)
{
    int end = stem_length(path);
    int start = end;
    while (start > (int)(base_of(path) - path) && is_digit(path[start - 1])) {
        --start;
    }
    // What does not fit an int is no frame.
    if (end - start < 3 || end - start > 9) {
        return false;
    }
    *number = (int)strtol(path + start, NULL, 10);
    *before = start;
    return true;
}

// --- Lists ---

// The name of the cloth or obstacle, from `length` letters of a path.
static char* name_part(const char* path, int length, bool* is_obstacle)
{
    const char* base = base_of(path);
    *is_obstacle = strncmp(base, OBSTACLE, strlen(OBSTACLE)) == 0;
    base += *is_obstacle ? strlen(OBSTACLE) : 0;
    int letters = length - (int)(base - path);
    // What stands between a name and its number.
    while (letters > 0 && strchr("_-.", base[letters - 1]) != NULL) {
        --letters;
    }
    bool is_named = letters > 0 && !(letters == 5 && strncmp(base, "frame", 5) == 0);
    return is_named ? strndup(base, (size_t)letters) : strdup("cloth");
}

// A new thing whose name is in the first `length` letters of the path; null when memory is short.
static cli_found* push_found(cli_found_list* list, const char* path, int length, drape_error* error)
{
    cli_found* items = realloc(list->items, sizeof *items * ((size_t)list->count + 1));
    if (items == NULL) {
        dr_error_set_memory(error, path);
        return NULL;
    }
    list->items = items;
    cli_found* found = &items[list->count++];
    *found = (cli_found){0};
    found->name = name_part(path, length, &found->is_obstacle);
    if (found->name == NULL) {
        dr_error_set_memory(error, path);
        return NULL;
    }
    return found;
}

static bool push_file(cli_files* files, const char* path, int number, drape_error* error)
{
    cli_file* items = realloc(files->items, sizeof *items * ((size_t)files->count + 1));
    char* copy = strdup(path);
    files->items = items != NULL ? items : files->items;
    if (items == NULL || copy == NULL) {
        free(copy);
        dr_error_set_memory(error, path);
        return false;
    }
    items[files->count++] = (cli_file){copy, number};
    return true;
}

static bool add_cache(cli_found_list* list, const char* path, drape_error* error)
{
    cli_found* found = push_found(list, path, stem_length(path), error);
    if (found == NULL) {
        return false;
    }
    found->path = strdup(path);
    if (found->path == NULL) {
        dr_error_set_memory(error, path);
    }
    return found->path != NULL;
}

static bool add_mesh(cli_found_list* list, const char* path, drape_error* error)
{
    int number = 0, before = stem_length(path);
    cli_file_number(path, &number, &before);
    cli_found* found = push_found(list, path, before, error);
    return found != NULL && push_file(&found->files, path, number, error);
}

static bool add_pattern(cli_found_list* list, const cli_pattern* pattern, drape_error* error)
{
    cli_found* found = push_found(list, pattern->path, pattern->before, error);
    if (found == NULL) {
        return false;
    }
    char path[CLI_PATH_SIZE];
    for (int k = cli_pattern_has(pattern, 0) ? 0 : 1; cli_pattern_has(pattern, k); ++k) {
        if (!cli_pattern_name(pattern, k, path, error) ||
            !push_file(&found->files, path, k, error)) {
            return false;
        }
    }
    if (found->files.count == 0) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected frame 0 or 1, found neither",
                     pattern->path);
    }
    return found->files.count > 0;
}

// --- Folders ---

// The names of files in a folder, sorted, so that parts come in the same order everywhere.
typedef struct name_list {
    char** items;
    int count;
} name_list;

static void free_names(name_list* names)
{
    for (int k = 0; k < names->count; ++k) {
        free(names->items[k]);
    }
    free(names->items);
}

static int compare_names(const void* left, const void* right)
{
    return strcmp(*(char* const*)left, *(char* const*)right);
}

static bool push_name(name_list* names, const char* name)
{
    char** items = realloc(names->items, sizeof *items * ((size_t)names->count + 1));
    names->items = items != NULL ? items : names->items;
    char* copy = items != NULL ? strdup(name) : NULL;
    if (copy != NULL) {
        items[names->count++] = copy;
    }
    return copy != NULL;
}

static bool list_names(name_list* names, const char* folder, drape_error* error)
{
    DIR* directory = opendir(folder);
    if (directory == NULL) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: could not be opened: %s", folder,
                     strerror(errno));
        return false;
    }
    bool is_kept = true;
    for (struct dirent* file; is_kept && (file = readdir(directory)) != NULL;) {
        is_kept = file->d_name[0] == '.' || push_name(names, file->d_name);
    }
    closedir(directory);
    if (!is_kept) {
        dr_error_set_memory(error, folder);
    } else if (names->count > 0) {
        qsort(names->items, (size_t)names->count, sizeof names->items[0], compare_names);
    }
    return is_kept;
}

// What a file is in a folder of `drape run`, which writes one kind of cloth in a run.
typedef enum file_kind {
    FILE_OTHER,
    FILE_PC2,
    FILE_MDD,
    FILE_OBJ_SEQUENCE,  // frame_0000.obj begins it
    FILE_PLY_SEQUENCE,  // frame_0000.ply
    FILE_PLY_SEQUENCES, // NAME_0000.ply
    FILE_OBSTACLE,
    FILE_OBSTACLE_SEQUENCE,
} file_kind;

static bool is_beside(const char* path, const char* ending)
{
    char other[CLI_PATH_SIZE];
    int length = snprintf(other, sizeof other, "%.*s%s", stem_length(path), path, ending);
    return length < CLI_PATH_SIZE && access(other, F_OK) == 0;
}

static bool is_frame(const char* path, int* number, int* before)
{
    return cli_file_number(path, number, before) && *before > 1 && path[*before - 1] == '_' &&
           stem_length(path) - *before >= RUN_DIGITS;
}

// An obstacle is one file or a sequence; what else begins so is the mesh of a cache.
static file_kind classify_obstacle(const char* path)
{
    int number = 0, before = 0;
    if (is_beside(path, ".pc2") || is_beside(path, ".mdd")) {
        return FILE_OTHER;
    }
    if (!is_frame(path, &number, &before)) {
        return FILE_OBSTACLE;
    }
    cli_pattern pattern = {path, before, RUN_DIGITS, ".obj"};
    return number == 0                    ? FILE_OBSTACLE_SEQUENCE
           : cli_pattern_has(&pattern, 0) ? FILE_OTHER
                                          : FILE_OBSTACLE;
}

static file_kind classify(const char* path)
{
    const char* base = base_of(path);
    int number = 0, before = 0;
    if (is_cache(path)) {
        return dr_path_has_ending(path, ".pc2") ? FILE_PC2 : FILE_MDD;
    }
    bool is_obj = dr_path_has_ending(path, ".obj");
    if (is_obj && strncmp(base, OBSTACLE, strlen(OBSTACLE)) == 0) {
        return classify_obstacle(path);
    }
    if (!is_frame(path, &number, &before) || number != 0) {
        return FILE_OTHER;
    }
    if (strncmp(base, "frame_0", strlen("frame_0")) == 0) {
        return is_obj                             ? FILE_OBJ_SEQUENCE
               : dr_path_has_ending(path, ".ply") ? FILE_PLY_SEQUENCE
                                                  : FILE_OTHER;
    }
    return dr_path_has_ending(path, ".ply") ? FILE_PLY_SEQUENCES : FILE_OTHER;
}

static bool add_by_kind(cli_found_list* list, const char* path, file_kind kind, drape_error* error)
{
    if (kind == FILE_PC2 || kind == FILE_MDD) {
        return add_cache(list, path, error);
    }
    if (kind == FILE_OBSTACLE) {
        return add_mesh(list, path, error);
    }
    int number = 0, before = 0;
    cli_file_number(path, &number, &before);
    cli_pattern pattern = {path, before, RUN_DIGITS, path + stem_length(path)};
    return add_pattern(list, &pattern, error);
}

// The one kind of cloth, with a file that shows it.
typedef struct cloth_kind {
    file_kind kind;
    const char* file;
} cloth_kind;

static bool check_kind(cloth_kind* cloth, file_kind kind, const char* file, const char* folder,
                       drape_error* error)
{
    if (cloth->kind == FILE_OTHER) {
        *cloth = (cloth_kind){kind, file};
    }
    if (cloth->kind == kind) {
        return true;
    }
    dr_error_set(error, DRAPE_ERROR_INPUT,
                 "%s: expected the files of one run, found %s and %s; name the one to be taken",
                 folder, cloth->file, file);
    return false;
}

static bool add_names(cli_found_list* list, const char* folder, const name_list* names,
                      drape_error* error)
{
    cloth_kind cloth = {FILE_OTHER, NULL};
    for (int k = 0; k < names->count; ++k) {
        char path[CLI_PATH_SIZE];
        if (!cli_path_join(path, folder, names->items[k], error)) {
            return false;
        }
        file_kind kind = classify(path);
        bool is_cloth = kind != FILE_OTHER && kind < FILE_OBSTACLE;
        if (is_cloth && !check_kind(&cloth, kind, names->items[k], folder, error)) {
            return false;
        }
        if (kind != FILE_OTHER && !add_by_kind(list, path, kind, error)) {
            return false;
        }
        // A cache is a cloth whatever its name.
        if (is_cloth) {
            list->items[list->count - 1].is_obstacle = false;
        }
    }
    if (cloth.kind == FILE_OTHER) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "%s: expected a folder that drape run wrote, with .pc2, .mdd, frame_0000.obj "
                     "or .ply in it",
                     folder);
    }
    return cloth.kind != FILE_OTHER;
}

static bool add_folder(cli_found_list* list, const char* folder, drape_error* error)
{
    name_list names = {0};
    bool is_added = list_names(&names, folder, error) && add_names(list, folder, &names, error);
    free_names(&names);
    return is_added;
}

// --- Words ---

bool cli_files_find(cli_found_list* list, const char* path, drape_error* error)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    cli_pattern pattern;
    if (exists && S_ISDIR(info.st_mode)) {
        return add_folder(list, path, error);
    }
    if (!exists && cli_is_pattern(path)) {
        return cli_pattern_read(&pattern, path, error) && add_pattern(list, &pattern, error);
    }
    return is_cache(path) ? add_cache(list, path, error) : add_mesh(list, path, error);
}

static int compare_numbers(const void* left, const void* right)
{
    int a = ((const cli_file*)left)->number;
    int b = ((const cli_file*)right)->number;
    return (a > b) - (a < b);
}

bool cli_files_gather(cli_found* found, const char* const* paths, int path_count,
                      drape_error* error)
{
    for (int k = 0; k < path_count; ++k) {
        int number = k, before = stem_length(paths[k]);
        cli_file_number(paths[k], &number, &before);
        if (k == 0) {
            found->name = name_part(paths[k], before, &found->is_obstacle);
        }
        if (found->name == NULL || !push_file(&found->files, paths[k], number, error)) {
            dr_error_set_memory(error, paths[k]);
            return false;
        }
    }
    qsort(found->files.items, (size_t)found->files.count, sizeof(cli_file), compare_numbers);
    for (int k = 1; k < found->files.count; ++k) {
        if (found->files.items[k].number == found->files.items[k - 1].number) {
            dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected each frame once, found %s as well",
                         found->files.items[k].path, found->files.items[k - 1].path);
            return false;
        }
    }
    return true;
}

void cli_files_free(cli_files* files)
{
    for (int k = 0; k < files->count; ++k) {
        free(files->items[k].path);
    }
    free(files->items);
    *files = (cli_files){0};
}

void cli_found_free(cli_found* found)
{
    free(found->name);
    free(found->path);
    cli_files_free(&found->files);
}

void cli_found_list_free(cli_found_list* list)
{
    for (int k = 0; k < list->count; ++k) {
        cli_found_free(&list->items[k]);
    }
    free(list->items);
    *list = (cli_found_list){0};
}
