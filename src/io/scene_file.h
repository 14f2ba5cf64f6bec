// io/scene_file.h: a scene file as a plain description, checked but not yet built.
//
//     text ─ json.c ─▶ tree ─ scene_set.c ─▶ tree with --method and --set
//                                              │ scene_file.c, scene_cloth.c, scene_collider.c
//                                              ▼
//                                     dr_scene_desc ─ scene_build.c ─▶ drape_world
//
// Everything that can be told from the text alone is told here: keys, types, ranges, names. What
// needs files or vertices is told when the world is built; descriptions keep their nodes for that,
// so those sentences name the same places. Every key of docs/scene.md has its field, also those of
// methods that this build does not have. All pointers lead into the memory of the tree.
#ifndef DR_SCENE_FILE_H
#define DR_SCENE_FILE_H

#include "io/scene_reader.h"

// Where a shape is put: turned about x, then y, then z, then moved.
typedef struct dr_place_desc {
    drape_vec3 translate; // m
    drape_vec3 rotate;    // degrees
} dr_place_desc;

typedef struct dr_key_desc {
    float time; // s
    dr_place_desc place;
    drape_ease ease;
} dr_key_desc;

// A motion; no keys: at rest.
typedef struct dr_motion_desc {
    const dr_json_node* node;
    const dr_key_desc* keys;
    int key_count;
} dr_motion_desc;

// --- Cloth ---

typedef enum dr_where_kind {
    DR_WHERE_INDICES, // `indices`
    DR_WHERE_CORNERS, // `indices` 0 to 3: bottom left, bottom right, top left, top right
    DR_WHERE_BOX,     // `points` least and greatest corner, in the world at the start
    DR_WHERE_NEAREST, // the vertex nearest to each of `points`
    DR_WHERE_GROUP,   // `group` of the mesh file
} dr_where_kind;

// A set of vertices of one cloth.
typedef struct dr_where_desc {
    const dr_json_node* node;
    dr_where_kind kind;
    const int32_t* indices;
    int index_count;
    const drape_vec3* points;
    int point_count;
    const char* group;
} dr_where_desc;

typedef struct dr_pin_desc {
    const dr_json_node* node;
    dr_where_desc where;
    float weight;
    float release; // s
    // What the pins follow, at most one of them.
    dr_motion_desc motion;
    int collider;              // its index, -1: none
    const dr_json_node* cache; // its file
    float cache_fps;           // 0: the file's
} dr_pin_desc;

typedef struct dr_seam_desc {
    const dr_json_node* node;
    int other; // index of the cloth of `b`
    const int32_t* a;
    const int32_t* b;
    int pair_count;
    float start, duration; // s
} dr_seam_desc;

// Triangles whose three vertices lie in `where` belong to this region; 0 is the rest.
typedef struct dr_region_desc {
    dr_where_desc where;
    int region;
} dr_region_desc;

// One length for all vertices, or one for each; no node: none.
typedef struct dr_lengths_desc {
    const dr_json_node* node;
    const float* values;
    int count;
} dr_lengths_desc;

// A pose that the cloth stays near; no node: none.
typedef struct dr_pose_desc {
    const dr_json_node* node;
    const dr_json_node* cache; // its file, null: the start
    float fps;                 // 0: the file's
    dr_lengths_desc max_distance, backstop, backstop_radius;
} dr_pose_desc;

typedef enum dr_cloth_shape { DR_CLOTH_GRID, DR_CLOTH_DISC, DR_CLOTH_MESH } dr_cloth_shape;

typedef struct dr_cloth_desc {
    const dr_json_node* node;
    const char* name;
    dr_cloth_shape shape;
    float size[2]; // grid, m
    int resolution[2];
    float radius; // disc, m
    int rings;
    float ring;               // radius of a ring that must be there, 0: none
    const dr_json_node* mesh; // files
    const dr_json_node* rest;
    dr_place_desc place;
    drape_cloth_def def; // but origin and rotation
    int layer;           // -1: none
    const dr_region_desc* regions;
    int region_count;
    const dr_pin_desc* pins;
    int pin_count;
    dr_pose_desc pose;
    int mount; // collider that its frame rides on; -1: none
    const dr_seam_desc* seams;
    int seam_count;
} dr_cloth_desc;

// --- Colliders ---

typedef enum dr_collider_source {
    DR_COLLIDER_SHAPE,    // one of drape_shape
    DR_COLLIDER_MESH,     // a mesh file
    DR_COLLIDER_SEQUENCE, // a mesh that changes from frame to frame
    DR_COLLIDER_HULL,     // the hull of a mesh file, or of points
} dr_collider_source;

typedef struct dr_collider_desc {
    const dr_json_node* node;
    const char* name;
    dr_collider_source source;
    drape_shape shape;
    drape_vec3 shape_center; // of the shape within the collider's own frame
    drape_vec3 shape_up;     // and where its y axis points there, of any length
    const dr_json_node* mesh;
    const dr_json_node* files; // of a sequence: mesh files in an array, or a name with a number
    const dr_json_node* cache; // or a cache over `mesh`
    const drape_vec3* points;  // of a hull that is no file
    int point_count;
    float fps;
    dr_place_desc place;
    dr_motion_desc motion;
    float friction[2]; // static, dynamic; negative: the fabric's
} dr_collider_desc;

// --- The whole ---

// Values that only some methods look at.
typedef struct dr_method_desc {
    dr_features features;
    bool cache; // contacts are found once and kept
    const char* cache_file;
    bool layers;
    const int32_t (*regions)[2]; // pairs that may meet
    int region_pair_count;
    bool has_regions; // false: all meet all
} dr_method_desc;

typedef struct dr_scene_desc {
    dr_json json; // owns everything below
    const dr_json_node* root;
    const char* description;
    int frame_count;
    float fps;
    uint32_t seed;
    const char* method;  // the preset's name
    drape_world_def def; // with the method in force; nothing of the host
    dr_method_desc values;
    const dr_cloth_desc* cloths;
    int cloth_count;
    const dr_collider_desc* colliders;
    int collider_count;
} dr_scene_desc;

// Reads and checks a scene. False with a sentence when anything is wrong; free it in both cases.
bool dr_scene_read(dr_scene_desc* scene, const char* text, size_t length, const char* name,
                   const drape_scene_options* options, drape_error* error);
void dr_scene_desc_free(dr_scene_desc* scene);

// --- Parts, each in its own file ---

// Puts the method and the overrides of the options into the tree.
void dr_scene_apply_options(dr_reader* reader, dr_json_node* root);

void dr_scene_read_cloths(dr_reader* reader, const dr_json_node* node, dr_scene_desc* scene);
void dr_scene_read_colliders(dr_reader* reader, const dr_json_node* node, dr_scene_desc* scene);
// Colliders must have been read; the shape of the cloth too.
void dr_scene_read_pins(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                        dr_cloth_desc* cloth);
// Colliders must have been read.
void dr_scene_read_control(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                           dr_cloth_desc* cloth);
// The number of the collider that a node names.
void dr_scene_find_collider(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                            int* index);
void dr_scene_read_pose(dr_reader* reader, const dr_json_node* node, dr_pose_desc* pose);
void dr_scene_read_regions(dr_reader* reader, const dr_json_node* node, dr_cloth_desc* cloth);

// Shared by cloths and colliders.
void dr_scene_read_place(dr_reader* reader, const dr_json_node* node, dr_place_desc* place);
void dr_scene_read_motion(dr_reader* reader, const dr_json_node* node, dr_place_desc rest,
                          dr_motion_desc* motion);
void dr_scene_read_friction(dr_reader* reader, const dr_json_node* node, float* static_friction,
                            float* dynamic_friction);
// A name for files: `prefix` and `index` when there is none.
void dr_scene_read_name(dr_reader* reader, const dr_json_node* node, const char* prefix, int index,
                        const char** name);

// Limits of lengths, speeds and times: far beyond any cloth, well within single precision.
#define DR_SCENE_MAX_LENGTH 1e6
#define DR_SCENE_MAX_TIME 1e6
// Cloths, and colliders.
#define DR_SCENE_MAX_PARTS 10000

#endif
