// Meshes of colliders: one file, a file for every frame, or a mesh and the cache that moves it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene_build.h"

// A sentence of a file, told at the value that names it.
static void fail_at(dr_reader* reader, const dr_json_node* node, const drape_error* error)
{
    dr_sentence sentence = dr_reader_fail(reader, node);
    dr_sentence_add(&sentence, error->sentence);
    reader->error->kind = error->kind;
}

static bool read_mesh(dr_reader* reader, const dr_json_node* node, const char* path,
                      drape_mesh_data* mesh)
{
    drape_error error;
    if (path == NULL || !drape_mesh_read(path, mesh, &error)) {
        if (path != NULL) {
            fail_at(reader, node, &error);
        }
        return false;
    }
    dr_scene_hash_mesh(reader, mesh);
    return true;
}

// --- A file for every frame ---

static bool is_same_mesh(const drape_mesh_data* a, const drape_mesh_data* b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, sizeof(int32_t) * 3 * (size_t)a->triangle_count) == 0;
}

static void fail_other_mesh(dr_reader* reader, const dr_json_node* node, const char* path,
                            const drape_mesh_data* first, const drape_mesh_data* mesh)
{
    dr_sentence sentence = dr_reader_fail(reader, node);
    dr_sentence_join(&sentence, "\"", path, "\": expected the triangles of the first frame, ",
                     NULL);
    dr_sentence_add_integer(&sentence, first->triangle_count);
    dr_sentence_add(&sentence, " over ");
    dr_sentence_add_integer(&sentence, first->vertex_count);
    dr_sentence_add(&sentence, " vertices, found ");
    dr_sentence_add_integer(&sentence, mesh->triangle_count);
    dr_sentence_add(&sentence, " over ");
    dr_sentence_add_integer(&sentence, mesh->vertex_count);
    if (mesh->vertex_count == first->vertex_count &&
        mesh->triangle_count == first->triangle_count) {
        dr_sentence_add(&sentence, ", in another order");
    }
}

// Adds the frame of one file; the first one brings the triangles.
static void add_frame(dr_reader* reader, const dr_json_node* node, const char* path,
                      dr_body_data* body)
{
    drape_mesh_data mesh = {0};
    if (!read_mesh(reader, node, path, &mesh)) {
        return;
    }
    bool is_first = body->frame_count == 0;
    if (!is_first && !is_same_mesh(&body->mesh, &mesh)) {
        fail_other_mesh(reader, node, path, &body->mesh, &mesh);
        drape_mesh_data_free(&mesh);
        return;
    }
    size_t count = (size_t)mesh.vertex_count, held = count * (size_t)body->frame_count;
    drape_vec3* frames = realloc(body->frames, sizeof(*frames) * (held + count));
    if (frames == NULL) {
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_add(&sentence, "out of memory");
        reader->error->kind = DRAPE_ERROR_SYSTEM;
    } else {
        memcpy(frames + held, mesh.positions, sizeof(*frames) * count);
        body->frames = frames;
        ++body->frame_count;
    }
    if (is_first) {
        body->mesh = mesh;
    } else {
        drape_mesh_data_free(&mesh);
    }
}

// The place of the number in a pattern such as body_%04d.obj; its width is 0 when there is none.
// Read letter by letter: what a file says is never a format.
typedef struct pattern {
    const char *before, *after;
    int before_length, width;
} pattern;

static pattern pattern_of(const char* text)
{
    const char* sign = strchr(text, '%');
    if (sign == NULL) {
        return (pattern){0};
    }
    const char* at = sign + 1;
    int width = 1;
    if (at[0] == '0' && at[1] >= '1' && at[1] <= '9') {
        width = at[1] - '0';
        at += 2;
    }
    bool is_sound = *at == 'd' && strchr(at, '%') == NULL;
    return is_sound ? (pattern){text, at + 1, (int)(sign - text), width} : (pattern){0};
}

// The file of a frame; null when it is not there or memory is short.
static const char* pattern_file(dr_reader* reader, const pattern* from, int frame)
{
    size_t size = (size_t)from->before_length + strlen(from->after) + 32;
    char* path = dr_reader_allocate(reader, size, 1);
    if (path == NULL) {
        return NULL;
    }
    snprintf(path, size, "%.*s%0*d%s", from->before_length, from->before, from->width, frame,
             from->after);
    FILE* file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL ? path : NULL;
}

// The first frame is number 0, or 1 when there is none; the last is before the first gap.
static void add_numbered(dr_reader* reader, const dr_json_node* node, dr_body_data* body)
{
    const char* text = dr_scene_file_path(reader, node);
    pattern from = text != NULL ? pattern_of(text) : (pattern){0};
    if (from.width == 0 && !reader->failed) {
        dr_reader_expect(reader, node, "one number in the name, such as %d or %04d");
        return;
    }
    const char* path = text != NULL ? pattern_file(reader, &from, 0) : NULL;
    int frame = path != NULL ? 0 : 1;
    path = path != NULL || reader->failed ? path : pattern_file(reader, &from, frame);
    if (path == NULL && !reader->failed) {
        dr_reader_expect(reader, node, "files, the first of them number 0 or 1");
    }
    while (path != NULL && !reader->failed) {
        add_frame(reader, node, path, body);
        path = reader->failed ? NULL : pattern_file(reader, &from, ++frame);
    }
}

// --- A mesh and a cache ---

static void read_cache(dr_reader* reader, const dr_collider_desc* desc, dr_body_data* body)
{
    drape_cache_data cache = {0};
    drape_error error;
    const char* path = dr_scene_file_path(reader, desc->cache);
    if (path == NULL) {
        return;
    }
    if (!drape_cache_read(path, &cache, &error)) {
        fail_at(reader, desc->cache, &error);
        return;
    }
    dr_scene_hash_cache(reader, &cache);
    body->frames = cache.positions;
    body->frame_count = cache.frame_count;
    body->fps = cache.fps;
    if (cache.vertex_count != body->mesh.vertex_count || cache.frame_count < 1) {
        dr_sentence sentence = dr_reader_fail(reader, desc->cache);
        dr_sentence_add(&sentence, "expected a cache of the ");
        dr_sentence_add_integer(&sentence, body->mesh.vertex_count);
        dr_sentence_add(&sentence, " vertices of the mesh, found ");
        dr_sentence_add_integer(&sentence, cache.vertex_count);
        dr_sentence_add(&sentence, " in ");
        dr_sentence_add_integer(&sentence, cache.frame_count);
        dr_sentence_add(&sentence, " frames");
    }
}

// --- The whole ---

bool dr_scene_read_body(dr_builder* builder, const dr_collider_desc* desc, dr_body_data* body)
{
    dr_reader* reader = builder->reader;
    *body = (dr_body_data){.fps = builder->scene->fps};
    if (desc->files != NULL && desc->files->kind == DR_JSON_STRING) {
        add_numbered(reader, desc->files, body);
    } else if (desc->files != NULL) {
        const dr_json_node* file = desc->files->first_child;
        for (; file != NULL && !reader->failed; file = file->next) {
            add_frame(reader, file, dr_scene_file_path(reader, file), body);
        }
    } else if (read_mesh(reader, desc->mesh, dr_scene_file_path(reader, desc->mesh), &body->mesh) &&
               desc->cache != NULL) {
        read_cache(reader, desc, body);
    }
    body->fps = desc->fps > 0.0f ? desc->fps : body->fps;
    body->view = (drape_mesh_view){.positions = body->mesh.positions,
                                   .triangles = body->mesh.triangles,
                                   .vertex_count = body->mesh.vertex_count,
                                   .triangle_count = body->mesh.triangle_count};
    return !reader->failed;
}

void dr_body_data_free(dr_body_data* body)
{
    drape_mesh_data_free(&body->mesh);
    free(body->frames);
    *body = (dr_body_data){0};
}
