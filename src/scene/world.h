// scene/world.h: the world behind the handle, shared by the files of scene/.
//
// world.c spells out the step; the others own one kind of thing each: cloth.c, collider.c, pin.c,
// seam.c; obstacles.c finds contacts. All memory hangs off the world.
#ifndef DR_WORLD_H
#define DR_WORLD_H

#include <drape/drape.h>

#include "contact/contact.h"
#include "core/base.h"
#include "core/parallel.h"
#include "core/slots.h"
#include "scene/cloth.h"

typedef struct dr_mesh_link dr_mesh_link;

typedef struct dr_collider {
    drape_shape shape;
    dr_body* body;          // triangles in place of the shape (contact/body.h), else null
    bool is_mesh;           // the triangles were given, not made from the shape
    drape_vec3* frames;     // of the body: frame_count times its given vertices, one for scratch
    int frame_count;
    size_t place_count;     // in `frames`
    float fps;
    drape_transform base;   // of the simplified shape in the user's frame
    drape_transform pose;   // now
    drape_transform start_pose; // at the start of the substep
    drape_transform target; // of a move by hand, at the end of the step
    bool moves_by_hand;
    drape_key* keys;
    int key_count;
    float friction_static, friction_dynamic;
} dr_collider;

typedef struct dr_pin {
    drape_cloth_id cloth;
    int32_t* slots;
    int32_t* vertices;   // of the mesh
    int count;
    float weight;
    float stiffness;     // of a soft pin, per vertex, N/m
    float release_time;
    drape_vec3* origin;  // where the vertices were when they were pinned
    drape_vec3* from;    // where a move by hand starts
    drape_vec3* target;  // where they shall be at the end of the substep
    drape_vec3* goal;    // of a move by hand, at the end of the step
    drape_vec3 pivot;    // centre of origin; keys turn about it
    bool moves_by_hand;
    drape_key* keys;
    int key_count;
    drape_collider_id collider;
    drape_transform collider_pose; // when pinned
    drape_transform moved; // by jumps since: where keys and frames lead now
    bool has_jumped;
    drape_vec3* frames;
    int frame_count;
    float fps;
} dr_pin;

typedef struct dr_seam {
    drape_cloth_id cloth_a, cloth_b;
    int32_t *slots_a, *slots_b;
    float* length; // of each pair when the seam started to close
    int count;
    float start_time, duration;
    bool has_started;
} dr_seam;

// A run of vertex contacts: one chunk of one cloth against one obstacle.
typedef struct dr_contact_run {
    dr_cloth* cloth;
    int chunk;
    int obstacle;
    dr_friction friction;
    dr_contact_range range;
    float reach;        // how far from the obstacle a vertex of it matters, m
    float slip;         // and how much more, as the obstacle moves, m
    dr_mesh_link* link; // with a body of triangles (scene/mesh_link.h), else null
    dr_contact8* contacts;
    int count;
    uint8_t* regions;   // of the cloth and obstacle; null when vertices are enough
    int32_t* features;  // edges, then faces, that may touch between vertices
    int edge_count, face_count;
    dr_contact1* singles; // those that do
    int single_count, single_room;
    dr_contact1* before;  // singles of the first detection, while it is repeated
    int test_count;     // vertices or closest points looked at
    bool has_put_back;  // the guard has moved vertices of it in this substep
    float slack, moved; // of the vertices against the body of the link: dr_touch_frame
} dr_contact_run;

typedef struct dr_work_item {
    dr_cloth* cloth;
    int index; // chunk, or item of a phase
} dr_work_item;

// What the substep in progress knows.
typedef struct dr_substep {
    double time_end;
    float h;
    float share_end; // of the step, 0 to 1
    float h_share;   // h as a share of the step
} dr_substep;

struct drape_world {
    drape_world_def def;
    dr_host host;
    dr_memory memory;
    dr_arena arena; // emptied every substep
    dr_pool* pool;
    drape_isa isa;
    double time;
    char error[512];
    dr_slots cloths, colliders, pins, seams;
    dr_array links; // dr_mesh_link*: cloths and bodies that were near each other
    struct dr_trials* trials; // scene/trials.h; null until a method needs them
    struct dr_predict_world* predict; // scene/predict_step.h; null until a method needs it
    struct dr_world_apart* apart; // scene/apart_step.h; the same

    // Work lists over all cloths, made anew when cloths come or go.
    bool is_work_stale;
    dr_array chunk_items;
    dr_array phase_items[DR_XPBD_STAGES][DR_XPBD_MAX_PHASES];
    bool has_yarns;     // some mesh has lines that are pulled as a whole
    bool is_controlled; // some cloth has tethers or follows a pose (scene/control.h)
    bool threads_pay; // in solving; see dr_xpbd_threads_pay
    float* scratch; // scratch_floats for each worker
    size_t scratch_floats;

    // The substep in progress.
    dr_substep substep;
    dr_array obstacles; // dr_obstacle
    dr_contact_run* runs;
    dr_contact8* run_room; // contacts of all runs, a chunk each; null: each has its own
    int run_count;
    int32_t* group_start; // runs of one chunk of one cloth lie together
    int group_count;
    int32_t* push_counts; // by chunk item: vertices that were pushed out in this sweep
    drape_step_report report;
};

// Sets the error sentence and returns false.
bool dr_world_fail(drape_world* world, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

dr_cloth* dr_world_cloth(const drape_world* world, drape_cloth_id id);
dr_collider* dr_world_collider(const drape_world* world, drape_collider_id id);

// --- xpbd_step.c ---
bool dr_world_refresh_work(drape_world* world); // false when memory is short
void dr_world_predict(drape_world* world);
dr_predict_args dr_world_predict_args(const drape_world* world);
// Sweeps over stretch and contacts. After each of them `after` has a look at it; may be null.
typedef void dr_after_sweep(drape_world* world, void* context);
void dr_world_solve(drape_world* world, dr_after_sweep* after, void* context);
void dr_world_commit(drape_world* world);

// --- collider.c ---
void dr_collider_destroy(dr_collider* collider, dr_memory* memory);
// The pose of the simplified shape, or of the body, from the pose of the user's.
drape_transform dr_collider_frame(const dr_collider* collider, drape_transform pose);
// A point of the collider that turning takes furthest, about.
drape_vec3 dr_collider_far_point(const dr_collider* collider);
// Where it is after a step of dt seconds from now.
drape_transform dr_collider_end_pose(const drape_world* world, const dr_collider* collider,
                                     float dt);
// How far it would go in a step at the highest speed it has in it.
double dr_collider_travel(const drape_world* world, const dr_collider* collider, float dt);
// Substeps in which nothing goes further than half into a collider before it is seen.
double dr_world_substeps_wanted(const drape_world* world, float dt);
// Shapes at the end of the step, once before its first substep; false when memory is short.
bool dr_world_begin_obstacles(drape_world* world, float dt);
// Poses at the end of the substep; false when memory is short.
bool dr_world_move_obstacles(drape_world* world);
void dr_world_finish_obstacles(drape_world* world); // after the last substep

// --- obstacles.c ---
bool dr_world_detect(drape_world* world);
// Contacts of edges and faces anew, with what the solver made of the prediction, when something is
// fast; false when nothing is.
bool dr_world_detect_again(drape_world* world);
void dr_world_resolve_contacts(drape_world* world);
// Puts vertices back that went through a triangle of a body all the same.
void dr_world_guard_contacts(drape_world* world);
float dr_world_smallest_gap(const drape_world* world);
// Between a fabric and a collider, whose own may be negative: none.
dr_friction dr_world_friction(const drape_world* world, const dr_cloth* cloth,
                              float collider_static, float collider_dynamic);

// --- push_out_step.c ---
static inline bool dr_world_is_discrete(const drape_world* world)
{
    return world->def.method.obstacles == DRAPE_OBSTACLES_DISCRETE;
}
bool dr_world_begin_push_out(drape_world* world); // once a substep; false when memory is short
void dr_world_push_out(drape_world* world);       // after a sweep, when that is the way

// Predictive contacts between cloths are for games: there solids hold vertices and nothing else,
// at a fixed price; and so do solids that push out.
static inline bool dr_world_holds_vertices(const drape_world* world)
{
    return world->def.method.self == DRAPE_SELF_PREDICTIVE || dr_world_is_discrete(world);
}

// --- guard.c ---
// Keeps all triangles from passing into solids; false when memory is short.
bool dr_world_guard_solids(drape_world* world);

// --- pin.c, seam.c ---
void dr_pin_destroy(dr_pin* pin, dr_memory* memory);
void dr_world_release_pins(drape_world* world);  // those whose time has come
void dr_world_refresh_pins(drape_world* world);  // inverse masses after changes
void dr_world_begin_pins(drape_world* world);    // once a step
void dr_world_move_pins(drape_world* world);     // to the end of the substep
void dr_world_pull_pins(drape_world* world);     // soft ones, once a substep
void dr_seam_destroy(dr_seam* seam, dr_memory* memory);
void dr_world_pull_seams(drape_world* world);
// Pins, seams of a cloth that goes.
void dr_world_drop_pins(drape_world* world, drape_cloth_id cloth);
void dr_world_drop_seams(drape_world* world, drape_cloth_id cloth);

#endif
