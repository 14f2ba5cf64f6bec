#include "playback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frames.h"
#include "io/file.h"
#include "playback_files.h"

// --- Sources ---

// A cache, or a sequence of meshes, of which one alone is a sequence, too.
typedef struct cli_source {
    char* name;        // for sentences
    cli_files files;   // of a sequence, empty for a cache
    cli_frames frames; // a cache with its mesh; of a sequence the mesh as it is at `held`
    int frame_count;
    int held; // frame of a sequence whose positions the mesh has
} cli_source;

static void free_source(cli_source* source)
{
    free(source->name);
    cli_files_free(&source->files);
    cli_frames_free(&source->frames);
}

// Makes room for one more; `items` has `count` of them.
static bool grow(void** items, int count, size_t size, const char* name, drape_error* error)
{
    void* grown = realloc(*items, size * ((size_t)count + 1));
    if (grown == NULL) {
        dr_error_set_memory(error, name);
        return false;
    }
    *items = grown;
    memset((char*)grown + size * (size_t)count, 0, size);
    return true;
}

// An empty source, which the playback has from now on.
static cli_source* push_source(cli_playback* playback, const char* name, drape_error* error)
{
    void* items = playback->sources;
    if (!grow(&items, playback->source_count, sizeof(cli_source), name, error)) {
        return NULL;
    }
    playback->sources = items;
    cli_source* source = &playback->sources[playback->source_count++];
    source->name = strdup(name);
    if (source->name == NULL) {
        dr_error_set_memory(error, name);
        return NULL;
    }
    return source;
}

static int number_of(const cli_source* source, int frame)
{
    return source->files.count > 0 ? source->files.items[frame].number : frame;
}

// The frame of a source with this number, -1 when there is none.
static int find_number(const cli_source* source, int number)
{
    int low = 0, high = source->frame_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (number_of(source, middle) < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < source->frame_count && number_of(source, low) == number ? low : -1;
}

// --- Frames of a sequence ---

// True when the triangles from `first` to `end` have the same vertices in both meshes.
static bool has_same_vertices(const int32_t* a, const int32_t* b, size_t first, size_t end,
                              unsigned char* marks)
{
    bool is_same = true;
    for (size_t k = 3 * first; k < 3 * end; ++k) {
        marks[a[k]] |= 1;
        marks[b[k]] |= 2;
    }
    for (size_t k = 3 * first; k < 3 * end; ++k) {
        is_same = is_same && (marks[a[k]] == 0 || marks[a[k]] == 3);
        is_same = is_same && (marks[b[k]] == 0 || marks[b[k]] == 3);
        marks[a[k]] = marks[b[k]] = 0;
    }
    return is_same;
}

// Polygons are cut by their shape, so a bent quad may be cut the other way in another frame: runs
// of triangles that differ must have the same vertices, and those of the first frame are kept.
static bool is_same_but_for_cuts(const drape_mesh_data* first, const drape_mesh_data* mesh)
{
    size_t count = (size_t)first->triangle_count;
    const size_t size = 3 * sizeof(int32_t);
    if (memcmp(first->triangles, mesh->triangles, size * count) == 0) {
        return true;
    }
    unsigned char* marks = calloc((size_t)first->vertex_count, 1);
    bool is_same = marks != NULL;
    for (size_t begin = 0, end; is_same && begin < count; begin = end + 1) {
        end = begin;
        while (end < count &&
               memcmp(first->triangles + 3 * end, mesh->triangles + 3 * end, size) != 0) {
            ++end;
        }
        is_same = has_same_vertices(first->triangles, mesh->triangles, begin, end, marks);
    }
    free(marks);
    return is_same;
}

static bool check_same(const cli_source* source, const drape_mesh_data* mesh, const char* path,
                       drape_error* error)
{
    const drape_mesh_data* first = &source->frames.mesh;
    bool has_counts =
        mesh->vertex_count == first->vertex_count && mesh->triangle_count == first->triangle_count;
    if (has_counts && is_same_but_for_cuts(first, mesh)) {
        return true;
    }
    dr_error_set(error, DRAPE_ERROR_INPUT,
                 "%s: expected the triangles of %s, %d over %d vertices, found %d over %d%s", path,
                 source->files.items[0].path, first->triangle_count, first->vertex_count,
                 mesh->triangle_count, mesh->vertex_count, has_counts ? ", but others" : "");
    return false;
}

// Brings the positions of a frame into memory.
static bool hold_frame(cli_source* source, int frame, drape_error* error)
{
    if (source->held == frame) {
        return true;
    }
    const char* path = source->files.items[frame].path;
    drape_mesh_data mesh;
    if (!drape_mesh_read(path, &mesh, error)) {
        return false;
    }
    bool is_same = check_same(source, &mesh, path, error);
    if (is_same) {
        // The mesh that goes away takes the old positions with it.
        drape_vec3* before = source->frames.mesh.positions;
        source->frames.mesh.positions = mesh.positions;
        mesh.positions = before;
        source->held = frame;
    }
    drape_mesh_data_free(&mesh);
    return is_same;
}

// --- Parts ---

static cli_part* push_part(cli_playback* playback, const char* name, bool is_obstacle,
                           drape_error* error)
{
    void* items = playback->parts;
    if (!grow(&items, playback->part_count, sizeof(cli_part), name, error)) {
        return NULL;
    }
    playback->parts = items;
    cli_part* part = &playback->parts[playback->part_count++];
    part->name = strdup(name);
    part->is_obstacle = is_obstacle;
    part->source = playback->source_count - 1;
    part->frame_count = playback->sources[part->source].frame_count;
    if (part->name == NULL) {
        dr_error_set_memory(error, name);
        return NULL;
    }
    return part;
}

// Room for what a part has; false when memory is short.
static bool allocate_part(cli_part* part, bool has_uv, drape_error* error)
{
    part->triangles = malloc(3 * sizeof(int32_t) * ((size_t)part->triangle_count + 1));
    part->uv = has_uv ? malloc(2 * sizeof(float) * ((size_t)part->vertex_count + 1)) : NULL;
    if (part->triangles == NULL || (has_uv && part->uv == NULL)) {
        dr_error_set_memory(error, part->name);
        return false;
    }
    return true;
}

// All of a mesh as one part.
static bool add_whole(cli_playback* playback, const char* name, bool is_obstacle,
                      drape_error* error)
{
    cli_part* part = push_part(playback, name, is_obstacle, error);
    if (part == NULL) {
        return false;
    }
    const drape_mesh_data* mesh = &playback->sources[part->source].frames.mesh;
    part->vertex_count = mesh->vertex_count;
    part->triangle_count = mesh->triangle_count;
    if (!allocate_part(part, mesh->uv != NULL, error)) {
        return false;
    }
    memcpy(part->triangles, mesh->triangles, 3 * sizeof(int32_t) * (size_t)mesh->triangle_count);
    if (mesh->uv != NULL) {
        memcpy(part->uv, mesh->uv, 2 * sizeof(float) * (size_t)mesh->vertex_count);
    }
    return true;
}

// The objects of a mesh, each vertex with its group and its number there.
typedef struct partition {
    int32_t* group; // -1: none
    int32_t* local;
    const drape_mesh_group** order; // as in the file
} partition;

static int compare_groups(const void* left, const void* right)
{
    int32_t a = (*(const drape_mesh_group* const*)left)->vertices[0];
    int32_t b = (*(const drape_mesh_group* const*)right)->vertices[0];
    return (a > b) - (a < b);
}

static void mark_groups(const drape_mesh_data* mesh, partition* parts, bool* is_disjoint)
{
    memset(parts->group, -1, sizeof(int32_t) * (size_t)mesh->vertex_count);
    for (int g = 0; g < mesh->group_count; ++g) {
        parts->order[g] = &mesh->groups[g];
    }
    qsort(parts->order, (size_t)mesh->group_count, sizeof parts->order[0], compare_groups);
    for (int g = 0; g < mesh->group_count; ++g) {
        for (int k = 0; k < parts->order[g]->vertex_count; ++k) {
            int32_t vertex = parts->order[g]->vertices[k];
            *is_disjoint = *is_disjoint && parts->group[vertex] < 0;
            parts->group[vertex] = g;
            parts->local[vertex] = k;
        }
    }
    // Triangles outside of all groups, or between two of them, leave the mesh in one piece.
    for (int k = 0; *is_disjoint && k < 3 * mesh->triangle_count; ++k) {
        int32_t group = parts->group[mesh->triangles[k]];
        *is_disjoint = group >= 0 && group == parts->group[mesh->triangles[k - k % 3]];
    }
}

static bool push_groups(cli_playback* playback, const partition* parts, bool is_obstacle,
                        drape_error* error)
{
    const drape_mesh_data* mesh = &playback->sources[playback->source_count - 1].frames.mesh;
    int first = playback->part_count;
    for (int g = 0; g < mesh->group_count; ++g) {
        cli_part* part = push_part(playback, parts->order[g]->name, is_obstacle, error);
        if (part == NULL) {
            return false;
        }
        part->vertex_count = parts->order[g]->vertex_count;
        part->vertices = malloc(sizeof(int32_t) * (size_t)part->vertex_count);
        if (part->vertices == NULL) {
            dr_error_set_memory(error, part->name);
            return false;
        }
        memcpy(part->vertices, parts->order[g]->vertices,
               sizeof(int32_t) * (size_t)part->vertex_count);
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        ++playback->parts[first + parts->group[mesh->triangles[3 * t]]].triangle_count;
    }
    return true;
}

static bool fill_groups(cli_playback* playback, const partition* parts, int first,
                        drape_error* error)
{
    const drape_mesh_data* mesh = &playback->sources[playback->source_count - 1].frames.mesh;
    for (int p = first; p < playback->part_count; ++p) {
        cli_part* part = &playback->parts[p];
        if (!allocate_part(part, mesh->uv != NULL, error)) {
            return false;
        }
        for (int v = 0; mesh->uv != NULL && v < part->vertex_count; ++v) {
            memcpy(part->uv + 2 * v, mesh->uv + 2 * (size_t)part->vertices[v], 2 * sizeof(float));
        }
        part->triangle_count = 0;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* corners = mesh->triangles + 3 * (size_t)t;
        cli_part* part = &playback->parts[first + parts->group[corners[0]]];
        int32_t* copy = part->triangles + 3 * (size_t)part->triangle_count++;
        for (int k = 0; k < 3; ++k) {
            copy[k] = parts->local[corners[k]];
        }
    }
    return true;
}

// The mesh of the last source as parts: by its objects when these are apart, else as one.
static bool add_parts(cli_playback* playback, const char* name, bool is_obstacle,
                      drape_error* error)
{
    const drape_mesh_data* mesh = &playback->sources[playback->source_count - 1].frames.mesh;
    if (is_obstacle || mesh->group_count == 0) {
        return add_whole(playback, name, is_obstacle, error);
    }
    partition parts = {
        .group = malloc(sizeof(int32_t) * (size_t)mesh->vertex_count),
        .local = malloc(sizeof(int32_t) * (size_t)mesh->vertex_count),
        .order = malloc(sizeof(drape_mesh_group*) * (size_t)mesh->group_count),
    };
    bool is_disjoint = true, is_added = false;
    int first = playback->part_count;
    if (parts.group == NULL || parts.local == NULL || parts.order == NULL) {
        dr_error_set_memory(error, name);
    } else {
        mark_groups(mesh, &parts, &is_disjoint);
        is_added = is_disjoint ? push_groups(playback, &parts, is_obstacle, error) &&
                                     fill_groups(playback, &parts, first, error)
                               : add_whole(playback, name, is_obstacle, error);
    }
    free(parts.group);
    free(parts.local);
    free(parts.order);
    return is_added;
}

// --- Adding ---

static bool add_sequence(cli_playback* playback, cli_files* files, const char* name,
                         bool is_obstacle, drape_error* error)
{
    cli_source* source = push_source(playback, files->items[0].path, error);
    if (source == NULL) {
        return false;
    }
    source->files = *files;
    *files = (cli_files){0};
    source->frame_count = source->files.count;
    return drape_mesh_read(source->files.items[0].path, &source->frames.mesh, error) &&
           add_parts(playback, name, is_obstacle, error);
}

static bool add_cache(cli_playback* playback, const char* path, const char* name, bool is_obstacle,
                      drape_error* error)
{
    cli_source* source = push_source(playback, path, error);
    if (source == NULL || !cli_frames_read(&source->frames, path, 0.0f, error) ||
        !cli_frames_read_mesh(&source->frames, path, NULL, error)) {
        return false;
    }
    source->frame_count = source->frames.cache.frame_count;
    playback->fps = playback->fps > 0.0f ? playback->fps : source->frames.cache.fps;
    return add_whole(playback, name, is_obstacle, error);
}

static bool add_found(cli_playback* playback, cli_found* found, cli_role role, drape_error* error)
{
    bool is_obstacle = role == CLI_ROLE_OBSTACLE || found->is_obstacle;
    return found->files.count > 0
               ? add_sequence(playback, &found->files, found->name, is_obstacle, error)
               : add_cache(playback, found->path, found->name, is_obstacle, error);
}

bool cli_playback_add(cli_playback* playback, const char* path, cli_role role, drape_error* error)
{
    cli_found_list list = {0};
    bool is_added = cli_files_find(&list, path, error);
    for (int k = 0; is_added && k < list.count; ++k) {
        is_added = add_found(playback, &list.items[k], role, error);
    }
    cli_found_list_free(&list);
    return is_added;
}

// True when both are frames of one sequence.
static bool is_numbered_alike(const char* a, const char* b)
{
    int a_number = 0, a_before = 0, b_number = 0, b_before = 0;
    const char *a_dot = strrchr(a, '.'), *b_dot = strrchr(b, '.');
    return cli_file_number(a, &a_number, &a_before) && cli_file_number(b, &b_number, &b_before) &&
           a_before == b_before && strncmp(a, b, (size_t)a_before) == 0 &&
           (a_dot != NULL) == (b_dot != NULL) && (a_dot == NULL || strcmp(a_dot, b_dot) == 0);
}

static bool add_numbered(cli_playback* playback, const char* const* paths, int path_count,
                         cli_role role, drape_error* error)
{
    cli_found found = {0};
    bool is_added = cli_files_gather(&found, paths, path_count, error) &&
                    add_found(playback, &found, role, error);
    cli_found_free(&found);
    return is_added;
}

bool cli_playback_add_all(cli_playback* playback, const char* const* paths, int path_count,
                          cli_role role, drape_error* error)
{
    const char** alike = malloc(sizeof *alike * ((size_t)path_count + 1));
    bool* is_done = calloc((size_t)path_count + 1, sizeof *is_done);
    bool is_added = alike != NULL && is_done != NULL;
    if (!is_added) {
        dr_error_set_memory(error, paths[0]);
    }
    for (int k = 0; is_added && k < path_count; ++k) {
        int count = 0;
        for (int other = k; !is_done[k] && other < path_count; ++other) {
            if (other == k || (!is_done[other] && is_numbered_alike(paths[k], paths[other]))) {
                alike[count++] = paths[other];
                is_done[other] = other > k;
            }
        }
        is_added = count == 0   ? true
                   : count == 1 ? cli_playback_add(playback, paths[k], role, error)
                                : add_numbered(playback, alike, count, role, error);
    }
    free(alike);
    free(is_done);
    return is_added;
}

// --- Playing ---

// The cloth with the most frames says which frames there are.
static void choose_timeline(cli_playback* playback)
{
    bool has_cloth = false;
    for (int p = 0; p < playback->part_count; ++p) {
        has_cloth = has_cloth || !playback->parts[p].is_obstacle;
    }
    int most = 0;
    for (int p = 0; p < playback->part_count; ++p) {
        cli_part* part = &playback->parts[p];
        part->is_obstacle = part->is_obstacle && has_cloth;
        if (!part->is_obstacle && part->frame_count > most) {
            most = part->frame_count;
            playback->timeline = part->source;
        }
    }
    playback->frame_count = most;
}

static bool check_frames(const cli_playback* playback, const cli_source* source, drape_error* error)
{
    for (int frame = 0; source->frame_count > 1 && frame < playback->frame_count; ++frame) {
        int number = cli_playback_number(playback, frame);
        if (find_number(source, number) < 0) {
            dr_error_set(error, DRAPE_ERROR_INPUT,
                         "%s: expected frame %d, which %s has, or one "
                         "frame for all",
                         source->name, number, playback->sources[playback->timeline].name);
            return false;
        }
    }
    return true;
}

bool cli_playback_ready(cli_playback* playback, drape_error* error)
{
    choose_timeline(playback);
    playback->fps = playback->fps > 0.0f ? playback->fps : 30.0f;
    for (int s = 0; s < playback->source_count; ++s) {
        if (!check_frames(playback, &playback->sources[s], error)) {
            return false;
        }
    }
    return true;
}

int cli_playback_number(const cli_playback* playback, int frame)
{
    return number_of(&playback->sources[playback->timeline], frame);
}

int cli_playback_find(const cli_playback* playback, int number)
{
    return find_number(&playback->sources[playback->timeline], number);
}

bool cli_playback_read(cli_playback* playback, int part_index, int frame, drape_vec3* positions,
                       drape_error* error)
{
    const cli_part* part = &playback->parts[part_index];
    cli_source* source = &playback->sources[part->source];
    int own =
        source->frame_count > 1 ? find_number(source, cli_playback_number(playback, frame)) : 0;
    const drape_vec3* from = source->frames.mesh.positions;
    if (source->files.count == 0) {
        from = source->frames.cache.positions + (size_t)own * (size_t)part->vertex_count;
    } else if (hold_frame(source, own, error)) {
        from = source->frames.mesh.positions;
    } else {
        return false;
    }
    for (int v = 0; v < part->vertex_count; ++v) {
        positions[v] = from[part->vertices != NULL ? part->vertices[v] : v];
    }
    return true;
}

void cli_playback_free(cli_playback* playback)
{
    for (int p = 0; p < playback->part_count; ++p) {
        free(playback->parts[p].name);
        free(playback->parts[p].triangles);
        free(playback->parts[p].uv);
        free(playback->parts[p].vertices);
    }
    for (int s = 0; s < playback->source_count; ++s) {
        free_source(&playback->sources[s]);
    }
    free(playback->parts);
    free(playback->sources);
    *playback = (cli_playback){0};
}
