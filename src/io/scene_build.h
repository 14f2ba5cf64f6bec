// io/scene_build.h: from a description to a world.
//
// Only the public API is used, so what a scene file can say a program can say too. A scene's grid
// stands upright in its own frame, the core's lies flat, so a quarter turn about x comes first;
// since places turn about x before y and z, that quarter goes into the angle about x and is exact.
//
//     scene: y up, centre at 0          core: z, corner at 0
//          y ▲                               z ▲
//        ┌───┼───┐                             ├───────┐
//        │   └───┼─▶ x           ◀──           │       │
//        └───────┘ row 0                 row 0 └───────┴─▶ x
//
// Rotations of keys are followed as they are written: from 0 to 720 degrees is two turns. The core
// turns the short way between two keys, so keys that turn far get others in between.
#ifndef DR_SCENE_BUILD_H
#define DR_SCENE_BUILD_H

#include "io/scene_file.h"

// What is built, and whom to tell when it fails.
typedef struct dr_builder {
    dr_reader* reader;
    const dr_scene_desc* scene;
    drape_world* world;
    drape_cloth_id* cloths;
    drape_collider_id* colliders;
} dr_builder;

// Fills an empty world. False with a sentence when something cannot be built.
bool dr_scene_build(dr_builder* builder);
// False with a sentence when a file that the scene names cannot be opened.
bool dr_scene_check_files(dr_reader* reader, const dr_scene_desc* scene);

// --- Parts ---

// The path of a file that the scene names: relative ones start from where the scene is. Null when
// memory is short.
const char* dr_scene_file_path(dr_reader* reader, const dr_json_node* node);
// Meshes and caches that were read go into the hash of the scene's files.
void dr_scene_hash_mesh(dr_reader* reader, const drape_mesh_data* mesh);
void dr_scene_hash_cache(dr_reader* reader, const drape_cache_data* cache);
// Tells what the core has against the thing that this node describes.
void dr_builder_fail(dr_builder* builder, const dr_json_node* node);

// The mesh of a collider and its frames, while it is built.
typedef struct dr_body_data {
    drape_mesh_data mesh;
    drape_mesh_view view; // of `mesh`
    drape_vec3* frames;   // frame_count times the vertices; none: it keeps its shape
    int frame_count;
    float fps;
} dr_body_data;

// Reads the files of a collider that is a mesh or a sequence. False with a sentence when that
// fails; free it in both cases.
bool dr_scene_read_body(dr_builder* builder, const dr_collider_desc* desc, dr_body_data* body);
void dr_body_data_free(dr_body_data* body);

// The pins of a cloth that was added. `mesh` has its groups, null for grids and discs.
void dr_scene_build_pins(dr_builder* builder, int index, const drape_mesh_data* mesh);

// The pose that a cloth follows, when it does.
void dr_scene_build_pose(dr_builder* builder, int index);

// The regions of a cloth that was added.
void dr_scene_build_regions(dr_builder* builder, int index, const drape_mesh_data* mesh);

// The values of predictive self-collision.
void dr_scene_predictive(const dr_method_desc* values, drape_predictive_def* def);
// When the scene names a file of kept contacts: takes them from there, or writes it when it is not
// there.
void dr_scene_keep_contacts(dr_builder* builder);

drape_transform dr_place_pose(dr_place_desc place);
// First `inner`, then `outer`.
drape_transform dr_pose_combine(drape_transform outer, drape_transform inner);
// The rotation that takes +y to a direction of any length above 0.
drape_quat dr_rotation_from_up(drape_vec3 up);
// The keys of a motion, each after `inner`; null when there are none or memory is short.
const drape_key* dr_motion_keys(dr_reader* reader, dr_motion_desc motion, drape_transform inner,
                                int* count);

#endif
