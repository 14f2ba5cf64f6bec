// drape/io.h: files. A separate library, drape_io, over the core's public API.
//
// Every function that can fail returns false or null and fills in a drape_error: one sentence that
// names the file, the line or the byte, and what was expected. Files are written under a temporary
// name and renamed when complete, so that nothing that existed is lost.
#ifndef DRAPE_IO_H
#define DRAPE_IO_H

#include "drape.h"

#ifdef __cplusplus
extern "C" {
#endif

// What went wrong, and whose fault it is.
typedef enum drape_error_kind {
    DRAPE_ERROR_NONE,
    DRAPE_ERROR_INPUT,  // the file or its contents; exit code 2
    DRAPE_ERROR_SYSTEM, // disk full, no permission, no memory; exit code 1
} drape_error_kind;

typedef struct drape_error {
    drape_error_kind kind;
    char sentence[1024];
} drape_error;

// --- Meshes: OBJ and PLY ---

// A named set of vertices (from the `g` and `o` lines of an OBJ file).
typedef struct drape_mesh_group {
    char* name;
    int32_t* vertices; // ascending, each once
    int vertex_count;
} drape_mesh_group;

// A mesh in memory; freed with drape_mesh_data_free.
typedef struct drape_mesh_data {
    drape_vec3* positions;
    float* uv;          // two per vertex, null when the file has none
    int32_t* triangles; // polygons are cut into triangles
    int vertex_count;
    int triangle_count;
    drape_mesh_group* groups;
    int group_count;
} drape_mesh_data;

// Reads .obj or .ply, told apart by their contents. Vertex order is kept.
DRAPE_API bool drape_mesh_read(const char* path, drape_mesh_data* mesh, drape_error* error);
// Writes .obj or .ply by the ending of the path; PLY is binary. Coordinates survive a round trip.
DRAPE_API bool drape_mesh_write(const char* path, const drape_mesh_view* mesh, drape_error* error);
DRAPE_API void drape_mesh_data_free(drape_mesh_data* mesh);

// --- Point caches: PC2 and MDD ---

// All frames of a cache in memory; freed with drape_cache_data_free.
typedef struct drape_cache_data {
    drape_vec3* positions; // frame_count times vertex_count
    int vertex_count;
    int frame_count;
    float fps;
} drape_cache_data;

DRAPE_API bool drape_cache_read(const char* path, drape_cache_data* cache, drape_error* error);
DRAPE_API void drape_cache_data_free(drape_cache_data* cache);

// A cache being written, .pc2 or .mdd by the ending of the path.
typedef struct drape_cache_writer drape_cache_writer;
DRAPE_API drape_cache_writer* drape_cache_open(const char* path, int vertex_count, float fps,
                                               drape_error* error);
DRAPE_API bool drape_cache_append(drape_cache_writer* writer, const drape_vec3* positions,
                                  drape_error* error);
// Completes and renames the file; the writer is gone whatever the result.
DRAPE_API bool drape_cache_close(drape_cache_writer* writer, drape_error* error);
// Forgets the file and removes what was written.
DRAPE_API void drape_cache_discard(drape_cache_writer* writer);

// --- Scenes ---

// One `path=value` of the command line.
typedef struct drape_override {
    const char* path;
    const char* value;
} drape_override;

// How a scene is opened: drape_scene_options_defaults() fills it in.
typedef struct drape_scene_options {
    const char* method;              // in place of the scene's, null: the scene's
    const drape_override* overrides; // applied in order
    int override_count;
    int worker_count; // 0: one
    drape_isa isa;
    drape_log_fn* log;
    void* log_user;
    drape_allocator allocator; // of the world; zeroed: the C library's
} drape_scene_options;

// A scene file with its world, ready to step frame by frame.
typedef struct drape_scene drape_scene;

DRAPE_API drape_scene_options drape_scene_options_defaults(void);
// Opens a scene file. Null with a sentence when anything in it is wrong or cannot run.
DRAPE_API drape_scene* drape_scene_open(const char* path, const drape_scene_options* options,
                                        drape_error* error);
// The same from memory; `path` names it in sentences and is where relative files are looked for.
DRAPE_API drape_scene* drape_scene_open_text(const char* text, size_t length, const char* path,
                                             const drape_scene_options* options,
                                             drape_error* error);
// Whether a scene file is sound and can run in this build, without making its world. `incomplete`
// becomes empty when it can run, else the sentence that says what is missing. False for a bad file.
DRAPE_API bool drape_scene_probe(const char* path, const drape_scene_options* options,
                                 char* description, size_t description_size, char* incomplete,
                                 size_t incomplete_size, drape_error* error);
DRAPE_API void drape_scene_close(drape_scene* scene);
DRAPE_API drape_world* drape_scene_world(drape_scene* scene);
// Tells the meshes and point caches that the scene was made from apart from others.
DRAPE_API uint64_t drape_scene_file_hash(const drape_scene* scene);
// Frames the scene asks for, frames per second, its one-line description.
DRAPE_API int drape_scene_frame_count(const drape_scene* scene);
DRAPE_API float drape_scene_fps(const drape_scene* scene);
DRAPE_API const char* drape_scene_description(const drape_scene* scene);
DRAPE_API int drape_scene_cloth_count(const drape_scene* scene);
DRAPE_API drape_cloth_id drape_scene_cloth(const drape_scene* scene, int index);
DRAPE_API const char* drape_scene_cloth_name(const drape_scene* scene, int index);
DRAPE_API int drape_scene_collider_count(const drape_scene* scene);
DRAPE_API drape_collider_id drape_scene_collider(const drape_scene* scene, int index);
DRAPE_API const char* drape_scene_collider_name(const drape_scene* scene, int index);
// True when the collider has keys or is a sequence.
DRAPE_API bool drape_scene_collider_moves(const drape_scene* scene, int index);
// Steps the world by one frame.
DRAPE_API drape_step_report drape_scene_step(drape_scene* scene);

#ifdef __cplusplus
}
#endif

#endif
