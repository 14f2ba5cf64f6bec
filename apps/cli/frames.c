#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"

// --- Patterns ---

bool cli_is_pattern(const char* path)
{
    return strchr(path, '%') != NULL;
}

// Looked at letter by letter: a path of the user is never a format of printf.
bool cli_pattern_read(cli_pattern* pattern, const char* path, drape_error* error)
{
    const char* sign = strchr(path, '%');
    const char* at = sign + 1;
    int width = 1;
    if (at[0] == '0' && at[1] >= '1' && at[1] <= '9') {
        width = at[1] - '0';
        at += 2;
    }
    if (*at != 'd' || strchr(at, '%') != NULL) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "%s: expected one number in the name, such as %%d or %%04d", path);
        return false;
    }
    *pattern = (cli_pattern){path, (int)(sign - path), width, at + 1};
    return true;
}

bool cli_pattern_name(const cli_pattern* pattern, int frame, char* path, drape_error* error)
{
    int length = snprintf(path, CLI_PATH_SIZE, "%.*s%0*d%s", pattern->before, pattern->path,
                          pattern->width, frame, pattern->after);
    if (length < 0 || length >= CLI_PATH_SIZE) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%.80s...: expected a shorter path", pattern->path);
        return false;
    }
    return true;
}

bool cli_pattern_has(const cli_pattern* pattern, int frame)
{
    char path[CLI_PATH_SIZE];
    return cli_pattern_name(pattern, frame, path, NULL) && access(path, F_OK) == 0;
}

// --- Reading ---

// All frames must be poses of the first one.
static bool check_same(const drape_mesh_data* first, const drape_mesh_data* mesh, const char* path,
                       drape_error* error)
{
    size_t size = sizeof(int32_t) * 3 * (size_t)first->triangle_count;
    if (mesh->vertex_count == first->vertex_count &&
        mesh->triangle_count == first->triangle_count &&
        memcmp(mesh->triangles, first->triangles, size) == 0) {
        return true;
    }
    dr_error_set(error, DRAPE_ERROR_INPUT,
                 "%s: expected the triangles of the first frame, %d over %d vertices, found %d "
                 "over %d%s",
                 path, first->triangle_count, first->vertex_count, mesh->triangle_count,
                 mesh->vertex_count,
                 mesh->triangle_count == first->triangle_count ? ", or in another order" : "");
    return false;
}

static bool append_frame(drape_cache_data* cache, const drape_vec3* positions, const char* path,
                         drape_error* error)
{
    size_t count = (size_t)cache->vertex_count;
    size_t held = count * (size_t)cache->frame_count;
    drape_vec3* all = realloc(cache->positions, sizeof *all * (held + count));
    if (all == NULL) {
        dr_error_set_memory(error, path);
        return false;
    }
    memcpy(all + held, positions, sizeof *all * count);
    cache->positions = all;
    ++cache->frame_count;
    return true;
}

static bool read_frame(cli_frames* frames, const char* path, drape_error* error)
{
    drape_mesh_data mesh;
    if (!drape_mesh_read(path, &mesh, error)) {
        return false;
    }
    bool is_first = frames->cache.frame_count == 0;
    frames->cache.vertex_count = mesh.vertex_count;
    bool is_read = (is_first || check_same(&frames->mesh, &mesh, path, error)) &&
                   append_frame(&frames->cache, mesh.positions, path, error);
    if (is_first && is_read) {
        frames->mesh = mesh;
    } else {
        drape_mesh_data_free(&mesh);
    }
    return is_read;
}

static bool read_sequence(cli_frames* frames, const char* path, float fps, drape_error* error)
{
    cli_pattern pattern;
    if (!cli_pattern_read(&pattern, path, error)) {
        return false;
    }
    frames->cache.fps = fps;
    int frame = cli_pattern_has(&pattern, 0) ? 0 : 1;
    char name[CLI_PATH_SIZE];
    for (; cli_pattern_has(&pattern, frame); ++frame) {
        if (!cli_pattern_name(&pattern, frame, name, error) || !read_frame(frames, name, error)) {
            return false;
        }
    }
    if (frames->cache.frame_count == 0) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected frame 0 or 1, found neither", path);
        return false;
    }
    return true;
}

bool cli_frames_read(cli_frames* frames, const char* path, float fps, drape_error* error)
{
    *frames = (cli_frames){0};
    bool is_read = cli_is_pattern(path) ? read_sequence(frames, path, fps, error)
                                        : drape_cache_read(path, &frames->cache, error);
    if (!is_read) {
        cli_frames_free(frames);
    }
    return is_read;
}

// The mesh beside a cache: the same name with another ending.
static bool find_mesh(const char* cache_path, char* path, drape_error* error)
{
    int length = (int)(strlen(cache_path) - strlen(".pc2"));
    const char* const endings[] = {".obj", ".ply"};
    for (int i = 0; i < 2; ++i) {
        int size = snprintf(path, CLI_PATH_SIZE, "%.*s%s", length, cache_path, endings[i]);
        if (size < CLI_PATH_SIZE && access(path, F_OK) == 0) {
            return true;
        }
    }
    dr_error_set(error, DRAPE_ERROR_INPUT,
                 "%s: expected a mesh with the triangles beside it, %.*s.obj", cache_path, length,
                 cache_path);
    return false;
}

bool cli_frames_read_mesh(cli_frames* frames, const char* cache_path, const char* mesh_path,
                          drape_error* error)
{
    char found[CLI_PATH_SIZE];
    if (mesh_path == NULL) {
        if (!find_mesh(cache_path, found, error)) {
            return false;
        }
        mesh_path = found;
    }
    if (!drape_mesh_read(mesh_path, &frames->mesh, error)) {
        return false;
    }
    if (frames->mesh.vertex_count != frames->cache.vertex_count) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected %d vertices as in %s, found %d",
                     mesh_path, frames->cache.vertex_count, cache_path, frames->mesh.vertex_count);
        return false;
    }
    return true;
}

// --- Writing ---

static const drape_vec3* frame_positions(const cli_frames* frames, int frame)
{
    return frames->cache.positions + (size_t)frame * (size_t)frames->cache.vertex_count;
}

static bool write_sequence(const cli_frames* frames, const char* path, drape_error* error)
{
    cli_pattern pattern;
    if (!cli_pattern_read(&pattern, path, error)) {
        return false;
    }
    drape_mesh_view view = {.uv = frames->mesh.uv,
                            .triangles = frames->mesh.triangles,
                            .vertex_count = frames->mesh.vertex_count,
                            .triangle_count = frames->mesh.triangle_count};
    for (int frame = 0; frame < frames->cache.frame_count; ++frame) {
        char name[CLI_PATH_SIZE];
        view.positions = frame_positions(frames, frame);
        if (!cli_pattern_name(&pattern, frame, name, error) ||
            !drape_mesh_write(name, &view, error)) {
            return false;
        }
    }
    return true;
}

static bool write_cache(const cli_frames* frames, const char* path, drape_error* error)
{
    const drape_cache_data* cache = &frames->cache;
    drape_cache_writer* writer = drape_cache_open(path, cache->vertex_count, cache->fps, error);
    if (writer == NULL) {
        return false;
    }
    for (int frame = 0; frame < cache->frame_count; ++frame) {
        if (!drape_cache_append(writer, frame_positions(frames, frame), error)) {
            drape_cache_discard(writer);
            return false;
        }
    }
    return drape_cache_close(writer, error);
}

bool cli_frames_write(const cli_frames* frames, const char* path, drape_error* error)
{
    return cli_is_pattern(path) ? write_sequence(frames, path, error)
                                : write_cache(frames, path, error);
}

void cli_frames_free(cli_frames* frames)
{
    drape_mesh_data_free(&frames->mesh);
    drape_cache_data_free(&frames->cache);
}
