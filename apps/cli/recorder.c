#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"
#include "io/number.h"
#include "obstacle.h"
#include "particles.h"

const char* const cli_format_words[] = {"pc2", "mdd", "obj", "ply", "glb", "usda", NULL};

// A cloth in the formats that keep all frames in one file.
typedef struct cached_cloth {
    drape_cache_writer* writer;
    drape_vec3* start; // frame 0, for the mesh
} cached_cloth;

struct cli_recorder {
    drape_scene* scene;
    drape_world* world;
    const char* folder;
    cli_format format;
    int cloth_count;
    cached_cloth* cached; // one per cloth, null in other formats
    int frame_count;      // so far
    bool shows_particles;
};

static bool is_cached(cli_format format)
{
    return format == CLI_FORMAT_PC2 || format == CLI_FORMAT_MDD;
}

// --- Names ---

// "FOLDER/PREFIX NAME.ENDING".
static bool name_file(const cli_recorder* recorder, const char* prefix, const char* name,
                      const char* ending, char* path, drape_error* error)
{
    char file[512];
    snprintf(file, sizeof file, "%s%s.%s", prefix, name, ending);
    return cli_path_join(path, recorder->folder, file, error);
}

// "FOLDER/PREFIX NAME_0012.ENDING".
static bool name_frame(const cli_recorder* recorder, const char* prefix, const char* name,
                       const char* ending, char* path, drape_error* error)
{
    char numbered[480];
    snprintf(numbered, sizeof numbered, "%s_%04d", name, recorder->frame_count);
    return name_file(recorder, prefix, numbered, ending, path, error);
}

// --- Meshes ---

static drape_mesh_view view_cloth(const cli_recorder* recorder, int index)
{
    drape_cloth_id cloth = drape_scene_cloth(recorder->scene, index);
    drape_mesh_view view = {0};
    int uv_count = 0;
    view.positions = drape_cloth_positions(recorder->world, cloth, &view.vertex_count);
    view.uv = drape_cloth_uv(recorder->world, cloth, &uv_count);
    view.triangles = drape_cloth_triangles(recorder->world, cloth, &view.triangle_count);
    return view;
}

static bool write_obstacle(const cli_recorder* recorder, int index, const char* path,
                           drape_error* error)
{
    cli_obstacle obstacle;
    if (!cli_obstacle_load(&obstacle, recorder->scene, index, path, error)) {
        return false;
    }
    drape_mesh_view view = {.positions = obstacle.positions,
                            .triangles = obstacle.triangles,
                            .vertex_count = obstacle.vertex_count,
                            .triangle_count = obstacle.triangle_count};
    bool is_written = drape_mesh_write(path, &view, error);
    cli_obstacle_free(&obstacle);
    return is_written;
}

static bool add_obstacles(const cli_recorder* recorder, drape_error* error)
{
    for (int i = 0; i < drape_scene_collider_count(recorder->scene); ++i) {
        bool moves = drape_scene_collider_moves(recorder->scene, i);
        if (!moves && recorder->frame_count > 0) {
            continue;
        }
        char path[CLI_PATH_SIZE];
        const char* name = drape_scene_collider_name(recorder->scene, i);
        bool is_named = moves ? name_frame(recorder, "obstacle_", name, "obj", path, error)
                              : name_file(recorder, "obstacle_", name, "obj", path, error);
        if (!is_named || !write_obstacle(recorder, i, path, error)) {
            return false;
        }
    }
    return true;
}

static bool add_particles(const cli_recorder* recorder, drape_error* error)
{
    for (int i = 0; recorder->shows_particles && i < recorder->cloth_count; ++i) {
        char path[CLI_PATH_SIZE];
        const char* name = drape_scene_cloth_name(recorder->scene, i);
        if (!name_frame(recorder, "particles_", name, "obj", path, error) ||
            !cli_particles_write(recorder->scene, i, path, error)) {
            return false;
        }
    }
    return true;
}

// --- Sequences ---

static char* put_text(char* at, const char* text)
{
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

static void write_floats(dr_output* out, const char* keyword, const float* numbers, int count)
{
    char* at = put_text(dr_output_reserve(out, 128), keyword);
    for (int k = 0; k < count; ++k) {
        *at++ = ' ';
        at = dr_format_float(at, numbers[k]);
    }
    *at++ = '\n';
    dr_output_commit(out, at);
}

// One cloth among several: the numbers of its vertices begin at `first`.
static void write_object(dr_output* out, const char* name, const drape_mesh_view* view,
                         int64_t first)
{
    dr_output_write(out, "o ", 2);
    dr_output_write(out, name, strlen(name));
    dr_output_write(out, "\n", 1);
    for (int v = 0; v < view->vertex_count; ++v) {
        drape_vec3 p = view->positions[v];
        write_floats(out, "v", (float[3]){p.x, p.y, p.z}, 3);
    }
    for (int v = 0; v < view->vertex_count; ++v) {
        write_floats(out, "vt", &view->uv[2 * (size_t)v], 2);
    }
    for (int t = 0; t < view->triangle_count; ++t) {
        char* at = put_text(dr_output_reserve(out, 256), "f");
        for (int k = 0; k < 3; ++k) {
            int64_t number = first + view->triangles[3 * (size_t)t + (size_t)k];
            *at++ = ' ';
            at = dr_format_integer(at, number);
            *at++ = '/';
            at = dr_format_integer(at, number);
        }
        *at++ = '\n';
        dr_output_commit(out, at);
    }
}

static bool add_obj(const cli_recorder* recorder, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    dr_output out;
    if (!name_frame(recorder, "", "frame", "obj", path, error) ||
        !dr_output_open(&out, path, error)) {
        return false;
    }
    int64_t first = 1;
    for (int i = 0; i < recorder->cloth_count; ++i) {
        drape_mesh_view view = view_cloth(recorder, i);
        write_object(&out, drape_scene_cloth_name(recorder->scene, i), &view, first);
        first += view.vertex_count;
    }
    return dr_output_close(&out, error);
}

static bool add_ply(const cli_recorder* recorder, drape_error* error)
{
    for (int i = 0; i < recorder->cloth_count; ++i) {
        char path[CLI_PATH_SIZE];
        const char* name = drape_scene_cloth_name(recorder->scene, i);
        drape_mesh_view view = view_cloth(recorder, i);
        if (!name_frame(recorder, "", recorder->cloth_count > 1 ? name : "frame", "ply", path,
                        error) ||
            !drape_mesh_write(path, &view, error)) {
            return false;
        }
    }
    return true;
}

// --- Caches ---

static bool open_cached(cli_recorder* recorder, drape_error* error)
{
    recorder->cached = calloc((size_t)recorder->cloth_count + 1, sizeof *recorder->cached);
    if (recorder->cached == NULL) {
        dr_error_set_memory(error, recorder->folder);
        return false;
    }
    float fps = drape_scene_fps(recorder->scene);
    for (int i = 0; i < recorder->cloth_count; ++i) {
        char path[CLI_PATH_SIZE];
        cached_cloth* cached = &recorder->cached[i];
        drape_mesh_view view = view_cloth(recorder, i);
        size_t size = sizeof(drape_vec3) * (size_t)view.vertex_count;
        if (!name_file(recorder, "", drape_scene_cloth_name(recorder->scene, i),
                       cli_format_words[recorder->format], path, error)) {
            return false;
        }
        cached->start = malloc(size);
        if (cached->start == NULL) {
            dr_error_set_memory(error, path);
            return false;
        }
        memcpy(cached->start, view.positions, size);
        cached->writer = drape_cache_open(path, view.vertex_count, fps, error);
        if (cached->writer == NULL) {
            return false;
        }
    }
    return true;
}

static bool add_cached(const cli_recorder* recorder, drape_error* error)
{
    for (int i = 0; i < recorder->cloth_count; ++i) {
        drape_mesh_view view = view_cloth(recorder, i);
        if (!drape_cache_append(recorder->cached[i].writer, view.positions, error)) {
            return false;
        }
    }
    return true;
}

// The mesh and the cache of one cloth get their names together.
static bool close_cached(const cli_recorder* recorder, int index, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    cached_cloth* cached = &recorder->cached[index];
    drape_mesh_view view = view_cloth(recorder, index);
    view.positions = cached->start;
    if (!name_file(recorder, "", drape_scene_cloth_name(recorder->scene, index), "obj", path,
                   error) ||
        !drape_mesh_write(path, &view, error)) {
        return false;
    }
    drape_cache_writer* writer = cached->writer;
    cached->writer = NULL;
    return drape_cache_close(writer, error);
}

// --- The whole ---

cli_recorder* cli_recorder_open(drape_scene* scene, const char* folder, cli_format format,
                                drape_error* error)
{
    cli_recorder* recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL) {
        dr_error_set_memory(error, folder);
        return NULL;
    }
    *recorder = (cli_recorder){
        .scene = scene,
        .world = drape_scene_world(scene),
        .folder = folder,
        .format = format,
        .cloth_count = drape_scene_cloth_count(scene),
    };
    if (!dr_directory_make(folder, error) || (is_cached(format) && !open_cached(recorder, error))) {
        cli_recorder_discard(recorder);
        return NULL;
    }
    return recorder;
}

static bool add_frame(const cli_recorder* recorder, drape_error* error)
{
    return is_cached(recorder->format)          ? add_cached(recorder, error)
           : recorder->format == CLI_FORMAT_OBJ ? add_obj(recorder, error)
                                                : add_ply(recorder, error);
}

void cli_recorder_show_particles(cli_recorder* recorder)
{
    recorder->shows_particles = true;
}

bool cli_recorder_add(cli_recorder* recorder, drape_error* error)
{
    bool is_added = add_obstacles(recorder, error) &&
                    add_particles(recorder, error) && add_frame(recorder, error);
    recorder->frame_count += is_added;
    return is_added;
}

// The files of earlier frames are there, unless that run wrote another format.
bool cli_recorder_take(cli_recorder* recorder, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    bool is_taken = cli_recorder_has_older(recorder, path) || add_frame(recorder, error);
    recorder->frame_count += is_taken;
    return is_taken;
}

bool cli_recorder_has_older(const cli_recorder* recorder, char* path)
{
    if (is_cached(recorder->format)) {
        return false;
    }
    bool is_named_for_cloth = recorder->format == CLI_FORMAT_PLY && recorder->cloth_count > 1;
    const char* name = is_named_for_cloth ? drape_scene_cloth_name(recorder->scene, 0) : "frame";
    return name_frame(recorder, "", name, cli_format_words[recorder->format], path, NULL) &&
           access(path, F_OK) == 0;
}

bool cli_recorder_close(cli_recorder* recorder, drape_error* error)
{
    bool is_closed = true;
    for (int i = 0; recorder->cached != NULL && is_closed && i < recorder->cloth_count; ++i) {
        is_closed = close_cached(recorder, i, error);
    }
    cli_recorder_discard(recorder);
    return is_closed;
}

void cli_recorder_discard(cli_recorder* recorder)
{
    if (recorder == NULL) {
        return;
    }
    for (int i = 0; recorder->cached != NULL && i < recorder->cloth_count; ++i) {
        drape_cache_discard(recorder->cached[i].writer);
        free(recorder->cached[i].start);
    }
    free(recorder->cached);
    free(recorder);
}
