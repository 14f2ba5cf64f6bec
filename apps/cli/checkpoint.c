#include "checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"

// --- Names ---

static bool name_checkpoint(const cli_checkpoint* checkpoint, int64_t frame, char* path,
                            drape_error* error)
{
    char name[32];
    snprintf(name, sizeof name, "%04lld.drape", (long long)frame);
    return cli_path_join(path, checkpoint->folder, name, error);
}

// The frame of a file name, -1 when it is not one of ours.
static int64_t frame_of_name(const char* name)
{
    char* end;
    if (name[0] < '0' || name[0] > '9') {
        return -1;
    }
    long long frame = strtoll(name, &end, 10);
    return strcmp(end, ".drape") == 0 && frame <= INT32_MAX ? frame : -1;
}

static int compare_frames(const void* a, const void* b)
{
    int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return (x > y) - (x < y);
}

// Frames of all checkpoints, ascending; to be freed. No folder, no checkpoints.
static bool list_checkpoints(const cli_checkpoint* checkpoint, int64_t** frames, int* count,
                             drape_error* error)
{
    *frames = NULL;
    *count = 0;
    DIR* folder = opendir(checkpoint->folder);
    for (struct dirent* entry; folder && (entry = readdir(folder)) != NULL;) {
        int64_t frame = frame_of_name(entry->d_name);
        int64_t* larger =
            frame >= 0 ? realloc(*frames, sizeof **frames * ((size_t)*count + 1)) : NULL;
        if (frame >= 0 && larger == NULL) {
            dr_error_set_memory(error, checkpoint->folder);
            closedir(folder);
            return false;
        }
        if (frame >= 0) {
            *frames = larger;
            larger[(*count)++] = frame;
        }
    }
    if (folder) {
        closedir(folder);
    }
    if (*count > 0) {
        qsort(*frames, (size_t)*count, sizeof **frames, compare_frames);
    }
    return true;
}

// Those of frames from `first` on belong to a run that is being done again.
static bool clear_from(const cli_checkpoint* checkpoint, int64_t first, drape_error* error)
{
    int64_t* frames;
    int count;
    if (!list_checkpoints(checkpoint, &frames, &count, error)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        char path[CLI_PATH_SIZE];
        if (frames[i] >= first && name_checkpoint(checkpoint, frames[i], path, NULL)) {
            unlink(path);
        }
    }
    free(frames);
    return true;
}

// What a killed run had begun, `.NAME.tmp-PID-N` (io/file.h), is of no use to anybody; a living one
// needs its own.
static void clear_begun(const char* folder)
{
    DIR* entries = opendir(folder);
    for (struct dirent* entry; entries && (entry = readdir(entries)) != NULL;) {
        const char* mark = entry->d_name[0] == '.' ? strstr(entry->d_name, ".tmp-") : NULL;
        char path[CLI_PATH_SIZE];
        long pid = mark ? strtol(mark + 5, NULL, 10) : 0;
        bool is_dead = pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
        if (is_dead && cli_path_join(path, folder, entry->d_name, NULL)) {
            unlink(path);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

// --- Opening ---

static uint64_t hash_text(uint64_t hash, const char* text)
{
    return dr_hash_bytes(hash, text, strlen(text) + 1);
}

bool cli_checkpoint_fingerprint(const char* path, const drape_scene_options* options,
                                const drape_scene* scene, uint64_t* fingerprint, drape_error* error)
{
    dr_file file;
    if (!dr_file_read(path, &file, error)) {
        return false;
    }
    uint64_t hash = dr_hash_bytes(DR_HASH_START, file.data, file.size);
    dr_file_free(&file);
    hash = hash_text(hash, options->method ? options->method : "");
    for (int i = 0; i < options->override_count; ++i) {
        hash = hash_text(hash, options->overrides[i].path);
        hash = hash_text(hash, options->overrides[i].value);
    }
    uint64_t files = drape_scene_file_hash(scene);
    *fingerprint = dr_hash_bytes(hash, &files, sizeof files);
    return true;
}

bool cli_checkpoint_open(cli_checkpoint* checkpoint, drape_scene* scene, const char* folder,
                         int every, uint64_t fingerprint, drape_error* error)
{
    *checkpoint = (cli_checkpoint){.scene = scene, .fingerprint = fingerprint, .every = every};
    checkpoint->frame_size = sizeof(double) * (CLI_STATS_KEYS + 1);
    for (int i = 0; i < drape_scene_cloth_count(scene); ++i) {
        int count = drape_cloth_vertex_count(drape_scene_world(scene), drape_scene_cloth(scene, i));
        checkpoint->frame_size += sizeof(drape_vec3) * (size_t)count;
    }
    return cli_path_join(checkpoint->folder, folder, "checkpoints", error);
}

void cli_checkpoint_close(cli_checkpoint* checkpoint)
{
    free(checkpoint->frames);
    *checkpoint = (cli_checkpoint){0};
}

// --- Writing ---

static void* save_state(const cli_checkpoint* checkpoint, size_t* size, drape_error* error)
{
    const drape_world* world = drape_scene_world(checkpoint->scene);
    drape_world_save(world, NULL, size);
    void* state = malloc(*size);
    if (state == NULL || !drape_world_save(world, state, size)) {
        dr_error_set_memory(error, checkpoint->folder);
        free(state);
        return NULL;
    }
    return state;
}

static bool write_checkpoint(cli_checkpoint* checkpoint, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    cli_checkpoint_file file = {.first = checkpoint->first,
                                .last = checkpoint->next - 1,
                                .fingerprint = checkpoint->fingerprint,
                                .frame_size = checkpoint->frame_size,
                                .frames = checkpoint->frames};
    void* state = save_state(checkpoint, &file.state_size, error);
    if (state == NULL) {
        return false;
    }
    file.state = state;
    bool is_written = name_checkpoint(checkpoint, file.last, path, error) &&
                      dr_directory_make(checkpoint->folder, error) &&
                      (checkpoint->has_cleared || clear_from(checkpoint, file.first, error)) &&
                      cli_checkpoint_file_write(&file, path, error);
    if (is_written) {
        checkpoint->has_cleared = true;
        checkpoint->first = checkpoint->next;
    }
    free(state);
    return is_written;
}

static char* frame_room(cli_checkpoint* checkpoint, drape_error* error)
{
    size_t used = checkpoint->frame_size * (size_t)(checkpoint->next - checkpoint->first);
    if (used + checkpoint->frame_size > checkpoint->capacity) {
        size_t capacity = 2 * used + checkpoint->frame_size;
        char* larger = realloc(checkpoint->frames, capacity);
        if (larger == NULL) {
            dr_error_set_memory(error, checkpoint->folder);
            return NULL;
        }
        checkpoint->frames = larger;
        checkpoint->capacity = capacity;
    }
    return checkpoint->frames + used;
}

bool cli_checkpoint_add(cli_checkpoint* checkpoint, const double row[CLI_STATS_KEYS],
                        drape_error* error)
{
    if (checkpoint->scene == NULL || checkpoint->every == 0) {
        return true;
    }
    const drape_world* world = drape_scene_world(checkpoint->scene);
    char* at = frame_room(checkpoint, error);
    if (at == NULL) {
        return false;
    }
    double time = drape_world_time(world);
    memcpy(at, row, sizeof(double) * CLI_STATS_KEYS);
    memcpy(at + sizeof(double) * CLI_STATS_KEYS, &time, sizeof time);
    at += sizeof(double) * (CLI_STATS_KEYS + 1);
    for (int i = 0; i < drape_scene_cloth_count(checkpoint->scene); ++i) {
        int count;
        const drape_vec3* p =
            drape_cloth_positions(world, drape_scene_cloth(checkpoint->scene, i), &count);
        memcpy(at, p, sizeof *p * (size_t)count);
        at += sizeof *p * (size_t)count;
    }
    ++checkpoint->next;
    bool is_due = checkpoint->next > 1 && (checkpoint->next - 1) % checkpoint->every == 0;
    return !is_due || write_checkpoint(checkpoint, error);
}

bool cli_checkpoint_flush(cli_checkpoint* checkpoint, drape_error* error)
{
    return checkpoint->scene == NULL || checkpoint->every == 0 ||
           checkpoint->next == checkpoint->first || write_checkpoint(checkpoint, error);
}

// --- Reading ---

static bool refuse(drape_error* error, const char* path, const char* why)
{
    dr_error_set(error, DRAPE_ERROR_INPUT, "%s: %s", path, why);
    return false;
}

// The frame whose bytes are at `at` into the cloths.
static bool replay_frame(const cli_checkpoint* checkpoint, const char* at, cli_replay_fn* replay,
                         void* user, drape_error* error)
{
    drape_world* world = drape_scene_world(checkpoint->scene);
    double row[CLI_STATS_KEYS + 1];
    memcpy(row, at, sizeof row);
    at += sizeof row;
    for (int i = 0; i < drape_scene_cloth_count(checkpoint->scene); ++i) {
        drape_cloth_id cloth = drape_scene_cloth(checkpoint->scene, i);
        int count = drape_cloth_vertex_count(world, cloth);
        size_t size = sizeof(drape_vec3) * (size_t)count;
        drape_vec3* positions = malloc(size);
        if (positions == NULL) {
            dr_error_set_memory(error, checkpoint->folder);
            return false;
        }
        memcpy(positions, at, size);
        bool is_set = drape_cloth_set_state(world, cloth, positions, NULL, count);
        free(positions);
        if (!is_set) {
            return refuse(error, checkpoint->folder, drape_world_error(world));
        }
        at += size;
    }
    return replay(user, row, row[CLI_STATS_KEYS], error);
}

bool cli_checkpoint_replay(cli_checkpoint* checkpoint, const cli_checkpoint_file* file,
                           const char* path, cli_replay_fn* replay, void* user, drape_error* error)
{
    if (file->first != checkpoint->next) {
        return refuse(error, path, "the checkpoint before it is missing");
    }
    for (const char* at = file->frames; checkpoint->next <= file->last; ++checkpoint->next) {
        if (!replay_frame(checkpoint, at, replay, user, error)) {
            return false;
        }
        at += file->frame_size;
    }
    return true;
}

bool cli_checkpoint_load(cli_checkpoint* checkpoint, const cli_checkpoint_file* file,
                         const char* path, drape_error* error)
{
    drape_world* world = drape_scene_world(checkpoint->scene);
    return drape_world_load(world, file->state, file->state_size) ||
           refuse(error, path, drape_world_error(world));
}

// One of those of a run; the last brings its state along.
static bool restore_one(cli_checkpoint* checkpoint, int64_t frame, bool is_last, bool any_scene,
                        cli_replay_fn* replay, void* user, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    dr_file bytes;
    cli_checkpoint_file file;
    if (!name_checkpoint(checkpoint, frame, path, error) || !dr_file_read(path, &bytes, error)) {
        return false;
    }
    bool is_good = cli_checkpoint_file_parse(&file, &bytes, checkpoint->frame_size, path, error);
    if (is_good && file.last != frame) {
        is_good = refuse(error, path, "the name is not that of its last frame");
    }
    if (is_good && is_last && !any_scene && file.fingerprint != checkpoint->fingerprint) {
        is_good =
            refuse(error, path,
                   "the checkpoint is of another scene, or of other files, --set or --method; "
                   "--from-frame goes on from it all the same");
    }
    is_good = is_good && cli_checkpoint_replay(checkpoint, &file, path, replay, user, error) &&
              (!is_last || cli_checkpoint_load(checkpoint, &file, path, error));
    dr_file_free(&bytes);
    return is_good;
}

// Which of the checkpoints is the last to be read; -1 with a sentence.
static int find_target(const cli_checkpoint* checkpoint, const int64_t* frames, int count, int from,
                       drape_error* error)
{
    for (int i = 0; i < count; ++i) {
        if (frames[i] == from) {
            return i;
        }
    }
    if (from < 0) {
        return count - 1;
    }
    char text[256] = "there are none";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof text - 32; ++i) {
        int length = snprintf(text + used, sizeof text - used, "%s%lld",
                              i == 0 ? "there are those of frames " : ", ", (long long)frames[i]);
        used += length > 0 ? (size_t)length : 0;
    }
    dr_error_set(error, DRAPE_ERROR_INPUT, "%s: no checkpoint of frame %d; %s%s",
                 checkpoint->folder, from, text, used >= sizeof text - 32 ? ", ..." : "");
    return -1;
}

bool cli_checkpoint_restore(cli_checkpoint* checkpoint, int from, cli_replay_fn* replay, void* user,
                            int* frame, drape_error* error)
{
    int64_t* frames;
    int count;
    *frame = -1;
    char parent[CLI_PATH_SIZE];
    snprintf(parent, sizeof parent, "%s", checkpoint->folder);
    *strrchr(parent, '/') = '\0';
    clear_begun(parent);
    clear_begun(checkpoint->folder);
    if (!list_checkpoints(checkpoint, &frames, &count, error)) {
        return false;
    }
    int target = find_target(checkpoint, frames, count, from, error);
    bool is_good = target >= 0 || from < 0;
    for (int i = 0; is_good && i <= target; ++i) {
        is_good = restore_one(checkpoint, frames[i], i == target, from >= 0, replay, user, error);
    }
    if (is_good && target >= 0) {
        *frame = (int)frames[target];
        checkpoint->first = checkpoint->next;
    }
    free(frames);
    return is_good;
}
