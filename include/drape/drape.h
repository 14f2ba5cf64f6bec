// drape/drape.h: cloth simulation. The whole API of the core, top to bottom.
//
//     drape_world_def def = drape_world_defaults();
//     drape_world* world = drape_world_create(&def);
//     ... add colliders and cloths, then drape_world_step() as often as you like ...
//     drape_world_destroy(world);
//
// A world and everything in it belong to one thread at a time; different worlds are independent.
// Pointers handed out stay valid until the next call that changes the world. A call on a null world
// does nothing. Bad input gives a null handle or false, and drape_world_error() has the sentence.
#ifndef DRAPE_DRAPE_H
#define DRAPE_DRAPE_H

#include "types.h"

#if defined(_WIN32) && defined(DRAPE_SHARED)
#    ifdef DRAPE_BUILDING
#        define DRAPE_API __declspec(dllexport)
#    else
#        define DRAPE_API __declspec(dllimport)
#    endif
#elif defined(__GNUC__)
#    define DRAPE_API __attribute__((visibility("default")))
#else
#    define DRAPE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct drape_world drape_world;

// --- The library ---

// Version as "major.minor.patch".
DRAPE_API const char* drape_version(void);

// --- World ---

// Gravity along -y, 20 substeps, one worker, no air.
DRAPE_API drape_world_def drape_world_defaults(void);
// Null when memory is short or the definition is bad; drape_world_refusal() then says why.
DRAPE_API drape_world* drape_world_create(const drape_world_def* def);
// Null when a world can be made of the definition, else what is wrong with it.
DRAPE_API const char* drape_world_refusal(const drape_world_def* def);
// Frees the world and all it holds. Null is fine.
DRAPE_API void drape_world_destroy(drape_world* world);
// Advances by `dt` seconds. Below a microsecond only time goes on; a negative or non-finite dt is
// refused, and with elastic sheets one that would take more than a million substeps.
DRAPE_API drape_step_report drape_world_step(drape_world* world, float dt);
// The sentence of the last call that failed; empty when none did.
DRAPE_API const char* drape_world_error(const drape_world* world);
// Seconds since the start.
DRAPE_API double drape_world_time(const drape_world* world);
// The definition in force, after defaults were filled in.
DRAPE_API drape_world_def drape_world_get_def(const drape_world* world);
DRAPE_API void drape_world_set_gravity(drape_world* world, drape_vec3 gravity);
DRAPE_API void drape_world_set_wind(drape_world* world, const drape_wind* wind);
// A hash of all positions, equal for equal bits on every machine.
DRAPE_API uint64_t drape_world_hash(const drape_world* world);
// The strain that this share, 0 to 1, of all edges stays below: 0.99 for the 99th percentile. Looks at
// every edge some times; asks for no memory.
DRAPE_API float drape_world_stretch(const drape_world* world, float share);
// The state that steps change, as bytes: where everything is and how it moves. `size` becomes the
// number of bytes; with a buffer it says before how much room there is. False when that is too
// little.
DRAPE_API bool drape_world_save(const drape_world* world, void* buffer, size_t* size);
// Puts a saved state back into the same world, or into one that was made in the same way: the same
// things added in the same order. Steps from there have the same bits as from where it was saved.
// False when it does not fit, and nothing is changed.
DRAPE_API bool drape_world_load(drape_world* world, const void* buffer, size_t size);
// The instruction set that steps this world.
DRAPE_API drape_isa drape_world_isa(const drape_world* world);

// --- Methods ---

// The row of choices behind a word: "drape", "slide", "box", ... False for an unknown word.
DRAPE_API bool drape_method_by_name(const char* name, drape_method* method);
// Null when this build can run the choices, else the sentence that says which it cannot.
DRAPE_API const char* drape_method_refusal(const drape_method* method);

// --- Fabrics ---

DRAPE_API drape_fabric drape_fabric_cotton(void);
// One of the named fabrics; false for an unknown name.
DRAPE_API bool drape_fabric_by_name(const char* name, drape_fabric* fabric);
DRAPE_API int drape_fabric_count(void);
// Name number `index`, in order of the table; null outside.
DRAPE_API const char* drape_fabric_name(int index);

// --- Cloth ---

DRAPE_API drape_cloth_def drape_cloth_defaults(void);
// A rectangle of vertex_count_x by vertex_count_z vertices, from the origin along x (warp) and z.
DRAPE_API drape_cloth_id drape_cloth_add_grid(drape_world* world, const drape_cloth_def* def,
                                              float size_x, float size_z, int vertex_count_x,
                                              int vertex_count_z);
// A disc round the origin in the plane of x (warp) and z, with `rings` rings of triangles.
// `ring_radius` > 0 puts one ring of vertices exactly there.
DRAPE_API drape_cloth_id drape_cloth_add_disc(drape_world* world, const drape_cloth_def* def,
                                              float radius, int rings, float ring_radius);
DRAPE_API drape_cloth_id drape_cloth_add_mesh(drape_world* world, const drape_cloth_def* def,
                                              const drape_mesh_view* mesh);
DRAPE_API bool drape_cloth_is_valid(const drape_world* world, drape_cloth_id cloth);
DRAPE_API void drape_cloth_remove(drape_world* world, drape_cloth_id cloth);
DRAPE_API int drape_cloth_vertex_count(const drape_world* world, drape_cloth_id cloth);
// Positions in the order the vertices were given.
DRAPE_API const drape_vec3* drape_cloth_positions(const drape_world* world, drape_cloth_id cloth,
                                                  int* count);
DRAPE_API const drape_vec3* drape_cloth_velocities(const drape_world* world, drape_cloth_id cloth,
                                                   int* count);
// Unit vertex normals of the current pose, for drawing.
DRAPE_API const drape_vec3* drape_cloth_normals(drape_world* world, drape_cloth_id cloth,
                                                int* count);
// Vertex indices, three per triangle; `count` is the number of triangles.
DRAPE_API const int32_t* drape_cloth_triangles(const drape_world* world, drape_cloth_id cloth,
                                               int* count);
// Material coordinates, two per vertex, in metres on the rest shape where it is flat.
DRAPE_API const float* drape_cloth_uv(const drape_world* world, drape_cloth_id cloth, int* count);
// Sensor particles of a cloth where they are now, `room` of them at most into `places`, which may be
// null. Returns how many there are: 0 when the method has none.
DRAPE_API int drape_cloth_particles(drape_world* world, drape_cloth_id cloth, drape_vec3* places,
                                    int room);
DRAPE_API drape_mesh_report drape_cloth_mesh_report(const drape_world* world,
                                                    drape_cloth_id cloth);
// Scalar equations that one sweep of the solver works on, to measure time per constraint.
DRAPE_API int drape_cloth_constraint_count(const drape_world* world, drape_cloth_id cloth);
// Puts the vertices elsewhere; velocities become zero when `velocities` is null.
DRAPE_API bool drape_cloth_set_state(drape_world* world, drape_cloth_id cloth,
                                     const drape_vec3* positions, const drape_vec3* velocities,
                                     int count);
// Paints triangles with regions 0 to 31 (default 0), which say what may touch what in predictive
// self-collision (drape_predictive_def). `count` is the number of triangles.
DRAPE_API bool drape_cloth_set_regions(drape_world* world, drape_cloth_id cloth,
                                       const uint8_t* regions, int count);

// --- Kept contacts ---

// The contacts that predictive self-collision keeps (drape_predictive_def.use_cache) as bytes, made
// now when there are none yet. `size` becomes the number of bytes; with a buffer it says before how
// much room there is. False when that is too little, or when the world keeps none.
DRAPE_API bool drape_world_save_contacts(drape_world* world, void* buffer, size_t* size);
// Takes such contacts in place of looking for them. False when they are not of these cloths.
DRAPE_API bool drape_world_load_contacts(drape_world* world, const void* buffer, size_t size);

// --- Control ---

// No control at all: cloth as nature moves it.
DRAPE_API drape_control drape_control_defaults(void);
DRAPE_API drape_control drape_cloth_get_control(const drape_world* world, drape_cloth_id cloth);
DRAPE_API bool drape_cloth_set_control(drape_world* world, drape_cloth_id cloth,
                                       const drape_control* control);
// How far vertices may go from an animated pose; null: as far as they like. Until a pose is given
// nothing holds them. Position based cloth only, as all of this part.
DRAPE_API bool drape_cloth_follow(drape_world* world, drape_cloth_id cloth,
                                  const drape_pose_def* def);
// The pose at the end of the next step, in the order the vertices were given; the first one holds
// at once. `normals`, unit vectors, may be null: they are then made from the triangles.
DRAPE_API bool drape_cloth_set_pose(drape_world* world, drape_cloth_id cloth,
                                    const drape_vec3* positions, const drape_vec3* normals,
                                    int count);
// Where the cloth's frame, say the hip of its wearer, is at the end of the next step. The first
// call only says where it is.
DRAPE_API bool drape_cloth_set_frame(drape_world* world, drape_cloth_id cloth,
                                     drape_transform frame);
// The cloth's frame rides on a collider from now on, and need not be set; a null id: no longer.
DRAPE_API bool drape_cloth_ride(drape_world* world, drape_cloth_id cloth,
                                drape_collider_id collider);
// Moves a cloth with its pose, its frame and the places of its pins at once; nothing between is
// met or felt. Pins that ride on a collider go with that. Velocities turn along, or become zero.
DRAPE_API bool drape_cloth_teleport(drape_world* world, drape_cloth_id cloth, drape_transform by,
                                    bool keeps_velocity);
// Back to its pose, or else to where it began, brought to where its frame or its pins are now; at
// rest.
DRAPE_API bool drape_cloth_reset(drape_world* world, drape_cloth_id cloth);
// Sleeping cloths (drape_world_def.sleep_speed) wake when anything near them changes, or by hand.
DRAPE_API bool drape_cloth_is_asleep(const drape_world* world, drape_cloth_id cloth);
DRAPE_API void drape_cloth_wake(drape_world* world, drape_cloth_id cloth);

// --- Pins and seams ---

DRAPE_API drape_pin_def drape_pin_defaults(void);
DRAPE_API drape_pin_id drape_cloth_pin(drape_world* world, drape_cloth_id cloth,
                                       const drape_pin_def* def);
// Where the pinned vertices shall be at the end of the next step, for pins moved by hand.
DRAPE_API bool drape_pin_move(drape_world* world, drape_pin_id pin, const drape_vec3* targets,
                              int count);
DRAPE_API void drape_pin_release(drape_world* world, drape_pin_id pin);
DRAPE_API drape_seam_id drape_seam_add(drape_world* world, const drape_seam_def* def);

// --- Colliders ---

DRAPE_API drape_collider_def drape_collider_defaults(void);
DRAPE_API drape_collider_id drape_collider_add(drape_world* world, const drape_collider_def* def);
DRAPE_API drape_collider_id drape_collider_add_sphere(drape_world* world, drape_vec3 center,
                                                      float radius);
// Solid on the side that `normal` points away from.
DRAPE_API drape_collider_id drape_collider_add_plane(drape_world* world, drape_vec3 point,
                                                     drape_vec3 normal);
DRAPE_API drape_collider_id drape_collider_add_box(drape_world* world, drape_vec3 center,
                                                   drape_vec3 size);
DRAPE_API drape_collider_id drape_collider_add_capsule(drape_world* world, drape_vec3 from,
                                                       drape_vec3 to, float radius);
DRAPE_API bool drape_collider_is_valid(const drape_world* world, drape_collider_id collider);
DRAPE_API void drape_collider_remove(drape_world* world, drape_collider_id collider);
// Moves the collider over the next step to this pose, for colliders without keys.
DRAPE_API bool drape_collider_move(drape_world* world, drape_collider_id collider,
                                   drape_transform pose);
// Puts the collider there at once: it has no velocity and meets nothing on the way.
DRAPE_API bool drape_collider_teleport(drape_world* world, drape_collider_id collider,
                                       drape_transform pose);
DRAPE_API drape_transform drape_collider_pose(const drape_world* world,
                                              drape_collider_id collider);
// Moves the vertices of a mesh collider without frames over the next step to these places, in its
// own frame and in the order they were given; afterwards they stay there.
DRAPE_API bool drape_collider_set_vertices(drape_world* world, drape_collider_id collider,
                                           const drape_vec3* positions, int count);
// A triangle mesh of the collider at its pose: of a mesh collider the triangles that cloth collides
// with; else every corner on the true surface, no point of the mesh deeper than `tolerance`. Null
// arrays give the counts; with arrays, the counts say how much room they have.
DRAPE_API bool drape_collider_mesh(const drape_world* world, drape_collider_id collider,
                                   float tolerance, drape_vec3* positions, int* vertex_count,
                                   int32_t* triangles, int* triangle_count);

// --- Rotations ---

// Turns about x, then y, then z, in degrees.
DRAPE_API drape_quat drape_quat_from_degrees(drape_vec3 degrees);
// The rotation `second` after `first`.
DRAPE_API drape_quat drape_quat_multiply(drape_quat second, drape_quat first);
DRAPE_API drape_vec3 drape_quat_rotate(drape_quat rotation, drape_vec3 v);

#ifdef __cplusplus
}
#endif

#endif
