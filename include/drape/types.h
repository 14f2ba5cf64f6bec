// drape/types.h: definitions that go in, reports that come out, and the callbacks of a host.
//
// A definition starts from its defaults function (drape.h), is changed where the caller cares, and
// is copied on use. Lengths in metres, times in seconds, masses in kilograms, unless a field says
// otherwise.
#ifndef DRAPE_TYPES_H
#define DRAPE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "id.h"
#include "vec.h"

// ---------------------------------------------------------------------------------------------
// The choices of a method, one word each. The words of scene files are in the comments.

// How the sheet resists.
typedef enum drape_model {
    DRAPE_MODEL_XPBD,    // "xpbd": position based, small steps
    DRAPE_MODEL_ELASTIC, // "elastic": Terzopoulos surface on a grid
    DRAPE_MODEL_SPRINGS, // "springs": mass-spring sheet
} drape_model;

// Time integration of DRAPE_MODEL_SPRINGS.
typedef enum drape_integrator {
    DRAPE_INTEGRATOR_VERLET,   // "verlet"
    DRAPE_INTEGRATOR_IMPLICIT, // "implicit"
} drape_integrator;

// How cloth answers obstacles.
typedef enum drape_obstacle_response {
    DRAPE_OBSTACLES_PREDICTIVE, // "predictive": half-spaces frozen at the start of the step
    DRAPE_OBSTACLES_SLIDE,      // "slide"
    DRAPE_OBSTACLES_RAY,        // "ray"
    DRAPE_OBSTACLES_FILTER,     // "filter"
    DRAPE_OBSTACLES_DISCRETE,   // "discrete": pushed out after the fact, which fast cloth passes;
                                // to compare with. No meshes
} drape_obstacle_response;

// How cloth is kept from cloth.
typedef enum drape_self_collision {
    DRAPE_SELF_NONE,       // "none"
    DRAPE_SELF_GEOMETRIC,  // "geometric"
    DRAPE_SELF_BOXES,      // "boxes"
    DRAPE_SELF_PARTICLES,  // "particles"
    DRAPE_SELF_PREDICTIVE, // "predictive"
    DRAPE_SELF_GUARDED,    // "guarded"
} drape_self_collision;

// Which tree finds the pairs.
typedef enum drape_hierarchy {
    DRAPE_HIERARCHY_SWEPT,     // "swept"
    DRAPE_HIERARCHY_NONE,      // "none"
    DRAPE_HIERARCHY_MATERIAL,  // "material"
    DRAPE_HIERARCHY_BOTTOM_UP, // "bottom-up"
    DRAPE_HIERARCHY_OCTREE,    // "octree"
} drape_hierarchy;

// A whole row of choices.
typedef struct drape_method {
    drape_model model;
    drape_integrator integrator;
    drape_obstacle_response obstacles;
    drape_self_collision self;
    drape_hierarchy hierarchy;
    bool as_printed; // the paper's own rules where it is known that they fail; to show that
} drape_method;

// How the elastic sheet resists bending.
typedef enum drape_elastic_bend {
    DRAPE_BEND_PLATE, // "plate": as a thin plate does
    DRAPE_BEND_ABS,   // "abs": more, the more it is bent already
    DRAPE_BEND_PAPER, // "paper": as printed, which pushes one side of a fold away from flat
} drape_elastic_bend;

// How the elastic sheet goes through time.
typedef enum drape_elastic_form {
    DRAPE_FORM_PLAIN, // "plain": all of it with coefficients of the start of the step
    DRAPE_FORM_SPLIT, // "split", default: tension and bending implicit, compression explicit
    DRAPE_FORM_STIFF, // "stiff": stable at any step, damped
} drape_elastic_form;

// Values of DRAPE_MODEL_ELASTIC.
typedef struct drape_elastic_def {
    drape_elastic_bend bend;
    drape_elastic_form form;
    float dt;             // s; 0: as long as is stable
    drape_vec3 curvature; // at rest: along warp, along weft, twist, 1/m
} drape_elastic_def;

// Order in which springs that are too long are shortened.
typedef enum drape_spring_order {
    DRAPE_ORDER_TO_AND_FRO, // "to_and_fro", default: every other sweep the other way round
    DRAPE_ORDER_FROM_PINS,  // "from_pins": outwards from pinned vertices
} drape_spring_order;

// Values of DRAPE_MODEL_SPRINGS.
typedef struct drape_springs_def {
    float max_elongation; // structural and shear springs are shortened to this, default 0.1; 0: not
    int sweeps;           // over all springs that may be too long, default 3
    drape_spring_order order;
    float damping;   // of lengths, s, implicit only, default 1e-3
    bool eight_bends; // on grids: bend springs to eight vertices, stiffer the more they give
    float hardening;  // of these: k (1 + hardening strain^2), default 10
    // Of all springs of a kind alike, N/m, when any is above 0; else they follow from the fabric.
    float structural, shear, bend;
} drape_springs_def;

// Sensor particles: they walk on each cloth, gather where it folds, and start the search for
// self-collision. Values of DRAPE_SELF_PARTICLES.
typedef struct drape_particles_def {
    int count;       // on each cloth, to DRAPE_MAX_PARTICLES; 0: by its convex parts, at least nine
    float tolerance; // distance of a pair at which the gate opens, m; 0: a cell of the mesh
    int n_max;       // most moves of all in a substep, default 50
    int n_min;       // they rest when fewer than these still move, default 1
    uint32_t seed;   // of where they begin
    bool gate;       // default true; false: the search runs in every substep
    bool positive;   // default true; false: the search goes through boxes alone, without normals
    bool outline;    // default true; false: normals are believed without a look at outlines
    bool in_front;   // of `geometric` and `boxes` too: nothing is searched until a fold is seen
} drape_particles_def;

#define DRAPE_MAX_PARTICLES 64

// What predictive self-collision keeps apart.
typedef enum drape_contact_features {
    DRAPE_FEATURES_MESH,   // "mesh": points from triangles, edges from edges
    DRAPE_FEATURES_POINTS, // "points": vertices from vertices; cheaper, for dense meshes
} drape_contact_features;

// Values of DRAPE_SELF_PREDICTIVE.
typedef struct drape_predictive_def {
    drape_contact_features features;
    bool use_layers;        // default true: cloths keep the order of drape_cloth_def.layer
    bool use_cache;         // contacts are found once, at the first step, and kept
    uint32_t cache_regions; // mask of the regions between which they are kept; default all
    uint32_t regions[32];   // for each region the mask of those it may touch, symmetric; default all
} drape_predictive_def;

// ---------------------------------------------------------------------------------------------
// What the host provides. Every callback may be null; `user` is passed back untouched.

// Memory. `allocate` returns memory aligned to `alignment` (a power of two) or null.
typedef struct drape_allocator {
    void* (*allocate)(void* user, size_t size, size_t alignment);
    void (*release)(void* user, void* memory, size_t size);
    void* user;
} drape_allocator;

// How loud a message is.
typedef enum drape_log_level {
    DRAPE_LOG_INFO,
    DRAPE_LOG_WARNING,
    DRAPE_LOG_ERROR,
} drape_log_level;

typedef void drape_log_fn(void* user, drape_log_level level, const char* sentence);

// Called on misuse by the programmer. Return true to continue, false to stop the program.
typedef bool drape_assert_fn(void* user, const char* condition, const char* file, int line);

// One piece of parallel work: run items [begin, end) on worker `worker`.
typedef void drape_task_fn(void* context, int begin, int end, int worker);

// The host's own scheduler, in place of the built-in one. `enqueue` starts `task` over `item_count`
// items, cut in any way, with worker numbers below drape_world_def.worker_count, and returns a
// handle that `finish` waits for. Items of one call are independent.
typedef struct drape_scheduler {
    void* (*enqueue)(void* user, drape_task_fn* task, void* context, int item_count);
    void (*finish)(void* user, void* handle);
    void* user;
} drape_scheduler;

// Instruction set of the kernels. All give the same bits.
typedef enum drape_isa {
    DRAPE_ISA_AUTO,  // the best this machine has
    DRAPE_ISA_PLAIN, // plain C
    DRAPE_ISA_SSE2,
    DRAPE_ISA_AVX2,
    DRAPE_ISA_NEON,
    DRAPE_ISA_WASM,
} drape_isa;

// ---------------------------------------------------------------------------------------------
// The world

// Moving air, 1.2 kg/m^3. On a triangle of area A with unit normal n that moves at v against the
// air drag is -rho/2 A |n.v| drag v; lift acts across v, away from the side that the air meets.
typedef struct drape_wind {
    drape_vec3 velocity; // m/s
    float gust;          // share of the speed that comes and goes, 0 to 4
    uint32_t seed;       // of the gusts
    float drag;          // drag coefficient, 0: no air at all
    float lift;          // lift coefficient
} drape_wind;

// A world: drape_world_defaults() fills it in.
typedef struct drape_world_def {
    drape_vec3 gravity;  // m/s^2, default (0, -9.81, 0)
    drape_wind wind;     // default: no air
    drape_method method; // default: xpbd, predictive obstacles, no self-collision

    int substeps;        // per step, 1 to 1000, default 20; guarded cloth whose yarns lock takes more
    int iterations;      // solver sweeps per substep, 1 to 1000, default 2
    int stretch_sweeps;  // over the stretch of meshes in each of them, 1 to 100, default 1: grids
                         // are solved line by line and need no more; position based cloth only
    float damping;       // of all motion, 1/s, default 0.1
    drape_elastic_def elastic;
    drape_springs_def springs;
    drape_predictive_def predictive;

    float thickness;     // contact thickness, m; 0: the fabric's, at least 1 mm
    float static_radius; // contacts are made at this gap even without motion, m; 0: automatic
    float friction_static;  // when not negative, in place of fabrics' and colliders' own
    float friction_dynamic; // default -1, both
    int max_runs;           // most repetitions of solve and detect in a substep, 1 to 1000, default 16
    float sleep_speed;      // cloths sleep when slower for half a second, root of the mean square,
                            // m/s; 0: never; default -1: 0.004 when they are guarded, else never
    bool continuous;        // geometric self-collision looks at the whole way, not only at its end
    drape_particles_def particles;

    int worker_count;          // threads that step, 1 to DRAPE_MAX_WORKERS, default 1
    drape_isa isa;             // default DRAPE_ISA_AUTO
    drape_scheduler scheduler; // used when `enqueue` is set
    drape_allocator allocator; // used when `allocate` is set
    drape_log_fn* log;
    void* log_user;
    drape_assert_fn* on_assert;
    void* assert_user;
} drape_world_def;

#define DRAPE_MAX_WORKERS 64

// ---------------------------------------------------------------------------------------------
// Cloth

// What a cloth is made of. Warp runs along the first material axis, weft along the second.
typedef struct drape_fabric {
    float density;          // kg/m^2
    float thickness;        // m
    float stretch_warp;     // tensile stiffness per width, N/m
    float stretch_weft;     // N/m
    float shear;            // N/m
    float bend_warp;        // bending rigidity per width, N m
    float bend_weft;        // N m
    float friction_static;  // on itself and on colliders without a friction of their own
    float friction_dynamic;
    float strain_limit;     // strain at which yarns lock, 0.05 is 5 %; kept by guarded cloth
    float bend_damping;     // internal friction of bending: a stress of this many seconds of rate
} drape_fabric;

// Which diagonal cuts a cell of a grid in two.
typedef enum drape_diagonals {
    DRAPE_DIAGONALS_ALTERNATE, // turned from cell to cell
    DRAPE_DIAGONALS_FORWARD,   // all from (0,0) to (1,1)
    DRAPE_DIAGONALS_BACKWARD,  // all from (1,0) to (0,1)
} drape_diagonals;

// What games do to a cloth beside the forces of nature: drape_control_defaults() fills it in.
// Position based cloth only.
typedef struct drape_control {
    bool tethers;       // no vertex is further from pins than the cloth is long, default off
    float tether_slack; // by this share it may be further, default 0.01
    bool yarns;         // of meshes: lines of edges that go straight on are brought to their length
                        // as a whole, in place of triangles; for few sweeps, default off
    // Damping, 1/s, default 0. Both keep the momentum of a free cloth, linear and angular.
    float rigid_damping;   // of all motion but that of the cloth as a whole
    float stretch_damping; // of edges that grow or shrink
    // The share of the motion of its frame (drape_cloth_set_frame) that a cloth feels: 1 (default),
    // it is left behind and must be pulled along; 0, it is carried, and so is the air around it.
    float inertia_linear, inertia_angular;
    float teleport_distance; // a frame that goes further in a step has jumped, m; 0: never
} drape_control;

// A pose that a cloth stays near, one value for each vertex in every array; any may be null. Arrays
// are copied.
typedef struct drape_pose_def {
    const float* max_distance;    // from its place in the pose a vertex goes no further, m; 0: it
                                  // is held there, and yields to nothing
    const float* backstop_offset; // behind that place, against the normal of the pose, begins a
    const float* backstop_radius; // sphere at this distance, of this radius: the vertex stays
                                  // outside. Radius null: 1 m
    const drape_vec3* frames;     // the pose in time, frame_count times the vertices; null: by
    int frame_count;              // drape_cloth_set_pose. A single one goes with the cloth's frame
    float fps;                    // of `frames`
} drape_pose_def;

// A cloth: drape_cloth_defaults() fills it in.
typedef struct drape_cloth_def {
    drape_fabric fabric;       // default cotton
    drape_vec3 origin;         // where the point (0, 0, 0) of the given shape goes
    drape_quat rotation;       // applied before the origin is added
    drape_vec3 velocity;       // at the start, m/s
    drape_diagonals diagonals; // grids only
    float noise;               // the start pose is shaken by up to this much along the normal, m
    uint32_t seed;             // of the noise
    bool weld;                 // join vertices at the same place
    drape_control control;     // default: none
    int layer;                 // cloths of higher layers lie outside, where normals point; default
                               // -1: none. For predictive self-collision
} drape_cloth_def;

// Arrays of a triangle mesh, owned by the caller, read during the call only.
typedef struct drape_mesh_view {
    const drape_vec3* positions; // start pose
    const drape_vec3* rest;      // rest shape, null: the start pose is at rest
    const float* uv;             // two per vertex, direction of warp and weft; null: warp along x
    const int32_t* triangles;    // three vertex indices each
    int vertex_count;
    int triangle_count;
} drape_mesh_view;

// What is unusual about a cloth's mesh. All of it is accepted.
typedef struct drape_mesh_report {
    int vertex_count, triangle_count, edge_count, hinge_count;
    int border_edge_count;
    int part_count;               // connected parts
    int isolated_vertex_count;    // in no triangle
    int coincident_vertex_count;  // at the place of another one, not welded
    int welded_vertex_count;      // joined to another one
    int degenerate_count;         // triangles without area
    int duplicate_count;          // triangles over the same three vertices as another
    int non_manifold_edge_count;  // edges of three or more triangles
    int inconsistent_edge_count;  // edges whose two triangles disagree about the outside
    float area;                   // of the rest shape, m^2
    float edge_min, edge_mean, edge_max; // rest lengths, m
} drape_mesh_report;

// ---------------------------------------------------------------------------------------------
// Motion, pins, seams

// How a key is approached from the key before it.
typedef enum drape_ease {
    DRAPE_EASE_SMOOTH, // starts and ends at rest
    DRAPE_EASE_LINEAR,
} drape_ease;

// One key of a motion.
typedef struct drape_key {
    float time; // s, rising from key to key
    drape_transform pose;
    drape_ease ease;
} drape_key;

// Vertices that are held: drape_pin_defaults() fills it in.
typedef struct drape_pin_def {
    const int32_t* vertices;
    int vertex_count;
    float weight;               // 1: exactly (default); below: springs, 5 Hz at 0.5, softer near 0
    float release_time;         // s; default infinity: never
    const drape_key* keys;      // moves the pins: shifts them, turns them about their centre
    int key_count;
    drape_collider_id collider; // or they ride on this collider
    const drape_vec3* frames;   // or they follow these places: frame_count times vertex_count
    int frame_count;
    float fps;                  // of `frames`
} drape_pin_def;

// Two rows of vertices that are drawn together and then joined.
typedef struct drape_seam_def {
    drape_cloth_id cloth_a, cloth_b; // may be the same
    const int32_t* vertices_a;       // pair_count each
    const int32_t* vertices_b;
    int pair_count;
    float start_time; // s
    float duration;   // s in which the gap is closed, default 1
} drape_seam_def;

// ---------------------------------------------------------------------------------------------
// Colliders

typedef enum drape_shape_kind {
    DRAPE_SHAPE_PLANE,   // solid below y = 0 of its own frame
    DRAPE_SHAPE_SPHERE,  // `radius`
    DRAPE_SHAPE_CAPSULE, // from -height/2 (`radius`) to +height/2 (`radius_top`) along its y
    DRAPE_SHAPE_BOX,     // `size`, centred
} drape_shape_kind;

// A solid that cloth stays out of, in its own frame.
typedef struct drape_shape {
    drape_shape_kind kind;
    float radius;     // m
    float radius_top; // m, capsules; may differ from radius by less than height
    float height;     // m, between the two centres of a capsule
    drape_vec3 size;  // m, full edge lengths of a box
} drape_shape;

// A collider: drape_collider_defaults() fills it in.
typedef struct drape_collider_def {
    drape_shape shape;
    const drape_mesh_view* mesh; // triangles in place of `shape`, when not null. Watertight ones
                                 // have an inside; others are sheets, met from both sides
    const drape_vec3* frames;    // places of the mesh's vertices that follow each other, in its own
    int frame_count;             // frame: frame_count times vertex_count; straight within a step
    float fps;                   // of `frames`
    const drape_vec3* hull;      // or the convex hull of these points, 4 to 4096
    int hull_count;
    drape_transform place;
    float friction_static;  // negative (default): the fabric's
    float friction_dynamic;
    const drape_key* keys;  // poses in place of `place`, in world space
    int key_count;
} drape_collider_def;

// ---------------------------------------------------------------------------------------------
// What a step tells

// Milliseconds of wall time by stage.
typedef struct drape_stage_ms {
    double total, predict, detect, solve, guard;
    double detect_self; // the part of `detect` that is between cloths
} drape_stage_ms;

// What the runs of a step did, where a method repeats solve and detect until nothing new is found.
typedef struct drape_run_counts {
    int64_t runs;      // of all substeps together
    int64_t sweeps;    // of the solver, in all runs
    int64_t far_pairs; // of triangles that were held apart by intervals
    int64_t conflicts; // intervals that crossed and were swapped
    int64_t clamped;   // planes that were clamped to where the sheets were
    int64_t planes;    // of obstacles
    int64_t frozen;    // vertices kept where they were for a substep
    int64_t forced;    // pairs that crossed with all their vertices held, in all runs
    int64_t halved;    // substeps cut in two because the system was not dominant
    int64_t unconverged; // solves that stopped before they were as exact as they should be
} drape_run_counts;

// One step, told afterwards.
typedef struct drape_step_report {
    double time;          // of the world after the step, s
    drape_stage_ms ms;
    int substeps;
    int contact_count;    // with colliders and of cloth with cloth, in the last substep
    int self_contact_count; // those of them between cloths
    int64_t box_tests;    // bounding volume tests in the step
    int64_t self_box_tests; // those of them between cloths
    int64_t exact_tests;  // distance evaluations in the step
    int guarded_count;    // vertices kept from passing into solids, summed over the substeps
    int pinched_count;    // those that found no place outside of all solids, and pairs of cloth that
                          // pins were driven through
    int cut_count;        // vertices stopped on their way so that cloth does not pass through cloth,
                          // summed over the substeps; with DRAPE_SELF_GUARDED, as the next six
    double guard_energy;  // kinetic energy that the guard of cloth against cloth took away, J
    drape_vec3 guard_momentum; // momentum that it took and did not give back, kg m/s
    int crossed_count;    // pairs of triangles that cross in the last substep, as they did at the
                          // start: they are brought apart, and guarded once they are free
    int touching_count;   // most pairs of features, of coincident triangles for instance, that touched
                          // in a substep: they are exempt from each other as long as they do
    int self_pair_count;    // pairs of features that are watched
    int self_search_count;  // times that they were searched for
    int runs;             // most detect-solve repetitions in a substep
    drape_run_counts counts;
    float smallest_gap;   // between vertices and colliders, m; infinity without colliders; to
                          // meshes further than contacts are looked for, a lower bound
    float max_stretch;    // largest strain of an edge that has a length at rest, 0.01 is 1 %
    double kinetic_energy; // J
    int heap_calls;       // calls of the allocator
    int sleeping_count;   // cloths that sleep
    int non_finite_count; // vertices that left the numbers; the step is then undone
} drape_step_report;

#endif
