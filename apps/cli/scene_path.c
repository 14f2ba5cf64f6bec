#include "scene_path.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"
#include "io/scene_words.h"

#define MAX_FOLDERS 4

typedef struct scene_folders {
    char paths[MAX_FOLDERS][CLI_PATH_SIZE];
    int count;
} scene_folders;

static void add_folder(scene_folders* folders, const char* parent, const char* name)
{
    char* path = folders->paths[folders->count];
    int length = snprintf(path, CLI_PATH_SIZE, "%s%s", parent, name);
    folders->count += length > 0 && length < CLI_PATH_SIZE;
}

static scene_folders find_folders(void)
{
    scene_folders folders = {.count = 0};
    const char* wanted = getenv("DRAPE_SCENES");
    if (wanted != NULL && wanted[0] != '\0') {
        add_folder(&folders, wanted, "");
    }
    char executable[CLI_PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    if (length > 0) {
        executable[length] = '\0';
        *strrchr(executable, '/') = '\0';
        add_folder(&folders, executable, "/../share/drape/scenes");
        add_folder(&folders, executable, "/../scenes");
        add_folder(&folders, executable, "/scenes");
    }
    return folders;
}

// --- The list ---

static bool list_has(const cli_scene_list* list, const char* name)
{
    for (int i = 0; i < list->count; ++i) {
        if (strcmp(list->entries[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Adds the scene of a file name; false when memory is short.
static bool add_entry(cli_scene_list* list, const char* folder, const char* file)
{
    char name[256];
    char path[CLI_PATH_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(".json")), file);
    if (file[0] == '.' || list_has(list, name) || !cli_path_join(path, folder, file, NULL)) {
        return true;
    }
    cli_scene_entry* entries = realloc(list->entries, sizeof *entries * (size_t)(list->count + 1));
    if (entries == NULL) {
        return false;
    }
    list->entries = entries;
    cli_scene_entry* entry = &entries[list->count++];
    *entry = (cli_scene_entry){strdup(name), strdup(path)};
    return entry->name != NULL && entry->path != NULL;
}

static bool add_entries(cli_scene_list* list, const char* folder)
{
    DIR* directory = opendir(folder);
    bool is_enough = true;
    if (directory == NULL) {
        return true;
    }
    for (struct dirent* file; is_enough && (file = readdir(directory)) != NULL;) {
        if (dr_path_has_ending(file->d_name, ".json")) {
            is_enough = add_entry(list, folder, file->d_name);
        }
    }
    closedir(directory);
    return is_enough;
}

static int compare_entries(const void* a, const void* b)
{
    return strcmp(((const cli_scene_entry*)a)->name, ((const cli_scene_entry*)b)->name);
}

bool cli_scene_list_make(cli_scene_list* list, drape_error* error)
{
    *list = (cli_scene_list){0};
    scene_folders folders = find_folders();
    for (int i = 0; i < folders.count; ++i) {
        if (!add_entries(list, folders.paths[i])) {
            dr_error_set_memory(error, folders.paths[i]);
            cli_scene_list_free(list);
            return false;
        }
    }
    if (list->count == 0) {
        dr_error_set(error, DRAPE_ERROR_SYSTEM,
                     "the scenes that come along were not found; set DRAPE_SCENES to their folder");
        return false;
    }
    qsort(list->entries, (size_t)list->count, sizeof *list->entries, compare_entries);
    return true;
}

void cli_scene_list_free(cli_scene_list* list)
{
    for (int i = 0; i < list->count; ++i) {
        free(list->entries[i].name);
        free(list->entries[i].path);
    }
    free(list->entries);
    *list = (cli_scene_list){0};
}

// --- One scene ---

static void refuse_scene(const cli_scene_list* list, const char* scene, drape_error* error)
{
    const char* names[DR_WORDS_MAX];
    int count = list->count < DR_WORDS_MAX ? list->count : DR_WORDS_MAX;
    for (int i = 0; i < count; ++i) {
        names[i] = list->entries[i].name;
    }
    const char* nearest = dr_word_nearest(scene, names, count);
    dr_error_set(error, DRAPE_ERROR_INPUT,
                 "%s: no such scene%s%s; expected a file or one of the names of `drape scenes`",
                 scene, nearest != NULL ? ", did you mean " : "", nearest != NULL ? nearest : "");
}

static bool find_by_name(const char* scene, char* path, drape_error* error)
{
    cli_scene_list list;
    if (!cli_scene_list_make(&list, error)) {
        return false;
    }
    const char* found = NULL;
    for (int i = 0; i < list.count && found == NULL; ++i) {
        found = strcmp(list.entries[i].name, scene) == 0 ? list.entries[i].path : NULL;
    }
    if (found != NULL) {
        snprintf(path, CLI_PATH_SIZE, "%s", found);
    } else {
        refuse_scene(&list, scene, error);
    }
    cli_scene_list_free(&list);
    return found != NULL;
}

// FOLDER/NAME.json of the first folder that has it. A path that says where it begins is none.
static bool find_in_folders(const char* scene, char* path)
{
    if (scene[0] == '.' || scene[0] == '/') {
        return false;
    }
    scene_folders folders = find_folders();
    for (int i = 0; i < folders.count; ++i) {
        int length = snprintf(path, CLI_PATH_SIZE, "%s/%s.json", folders.paths[i], scene);
        if (length < CLI_PATH_SIZE && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

bool cli_scene_find(const char* scene, char* path, drape_error* error)
{
    if (strchr(scene, '/') == NULL && !dr_path_has_ending(scene, ".json")) {
        return find_by_name(scene, path, error);
    }
    if (strlen(scene) >= CLI_PATH_SIZE) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%.80s...: expected a shorter path", scene);
        return false;
    }
    bool is_named = !dr_path_has_ending(scene, ".json") && access(scene, F_OK) != 0;
    if (!is_named || !find_in_folders(scene, path)) {
        snprintf(path, CLI_PATH_SIZE, "%s", scene);
    }
    return true;
}
