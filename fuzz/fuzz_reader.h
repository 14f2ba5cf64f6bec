// fuzz_reader.h: what must hold of every reader of files, whatever the bytes.
//
// A file that is refused leaves nothing behind and one sentence that begins with its name; one that
// is taken gives data that the rest of drape may rely on.
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <drape/io.h>

#include "fuzz_input.h"

static inline void require_sentence(const drape_error* error, const char* name)
{
    const char* sentence = error->sentence;
    fuzz_require(error->kind != DRAPE_ERROR_NONE, "a kind of error");
    fuzz_require(memchr(sentence, '\0', sizeof error->sentence) != NULL, "the end of a sentence");
    fuzz_require(strncmp(sentence, name, strlen(name)) == 0, "the name in a sentence");
    fuzz_require(strlen(sentence) > strlen(name) + 10, "words in a sentence");
    for (const char* at = sentence; *at != '\0'; ++at) {
        fuzz_require((unsigned char)*at >= 0x20 && *at != 0x7f, "no control letters in a sentence");
    }
}

static inline void require_finite(const drape_vec3* points, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        drape_vec3 p = points[i];
        fuzz_require(isfinite(p.x) && isfinite(p.y) && isfinite(p.z), "finite positions");
    }
}

static inline void require_group(const drape_mesh_group* group, int vertex_count)
{
    fuzz_require(group->name != NULL && group->name[0] != '\0', "the name of a group");
    for (int i = 0; i < group->vertex_count; ++i) {
        int vertex = group->vertices[i];
        fuzz_require(vertex >= 0 && vertex < vertex_count, "vertices of a group");
        fuzz_require(i == 0 || vertex > group->vertices[i - 1], "the order of a group");
    }
}

// A mesh that was read, or the empty one that is left when it was not.
static inline void require_mesh(const drape_mesh_data* mesh, bool is_read)
{
    if (!is_read) {
        fuzz_require(mesh->positions == NULL && mesh->uv == NULL && mesh->triangles == NULL &&
                         mesh->groups == NULL && mesh->vertex_count == 0,
                     "nothing left behind");
        return;
    }
    require_finite(mesh->positions, (size_t)mesh->vertex_count);
    for (size_t i = 0; mesh->uv != NULL && i < 2 * (size_t)mesh->vertex_count; ++i) {
        fuzz_require(isfinite(mesh->uv[i]), "finite uv");
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i) {
        int vertex = mesh->triangles[i];
        fuzz_require(vertex >= 0 && vertex < mesh->vertex_count, "vertices of triangles");
    }
    for (int i = 0; i < mesh->group_count; ++i) {
        require_group(&mesh->groups[i], mesh->vertex_count);
    }
}

static inline void require_cache(const drape_cache_data* cache, bool is_read)
{
    if (!is_read) {
        fuzz_require(cache->positions == NULL && cache->vertex_count == 0, "nothing left behind");
        return;
    }
    fuzz_require(cache->vertex_count > 0 && cache->frame_count > 0, "frames of vertices");
    fuzz_require(isfinite(cache->fps) && cache->fps > 0.0f, "a rate");
    require_finite(cache->positions, (size_t)cache->vertex_count * (size_t)cache->frame_count);
}

#endif
