// scene/control.h: what a game does to a cloth beside the forces of nature.
//
//     tethers     no vertex is further from the pins than the cloth is long      contact/tether.h
//     yarns       lines of a mesh are brought to their length as a whole         solver/yarns.h
//     pose        no vertex is further from an animated pose than it may         contact/leash.h
//     frame       how much of a character's motion a cloth feels                 solver/carry.h
//     damping     of flutter and of stretch, flight is left alone                solver/damping.h
//     sleep       cloth that has come to rest is not stepped                     scene/sleep.h
//
// and, between steps, teleport and reset (scene/teleport.c). A cloth holds a dr_control; what is
// off costs a substep nothing.
#ifndef DR_CONTROL_H
#define DR_CONTROL_H

#include <drape/drape.h>

#include "contact/leash.h"
#include "contact/tether.h"
#include "solver/carry.h"
#include "solver/yarns.h"

struct dr_cloth;

// A pose in time.
typedef struct dr_pose {
    dr_leash leash;     // made when a cloth begins to follow
    bool is_followed;   // there are limits
    bool is_set;        // there is a pose
    bool is_moving;     // it was given anew since the last step
    drape_vec3* frames; // frame_count times the given vertices
    drape_vec3* places; // scratch: two per given vertex, places and normals
    int frame_count, given_count;
    int32_t* held; // slots that may go nowhere: they do not yield, as pinned ones
    int held_count, held_room;
    float fps;
    drape_transform moved; // by jumps since: where the frames are now
    bool has_jumped;
    drape_transform base; // of one frame: from the cloth's frame to where it was given
} dr_pose;

// A frame that carries the cloth.
typedef struct dr_root {
    drape_transform now;  // at the start of the step
    drape_transform next; // at its end
    drape_transform base; // from `now` to where the cloth's first places belong
    bool is_set, is_moving;
    drape_collider_id mount; // that it rides on; null: it is set by hand
    dr_carry carry;          // of the substep
    size_t moved_floats;     // of carry.moved
} dr_root;

// Rest, see scene/sleep.h.
typedef struct dr_sleep {
    float still_time; // s below the speed, less three times those above it
    bool is_asleep;
    float stretch, gap;    // what the report says of it while it sleeps
    int crossed, touching; // the same of all cloths: those that are guarded fall asleep together
} dr_sleep;

typedef struct dr_control {
    drape_control def;
    dr_tethers tethers;
    bool are_tethers_stale; // pins or the definition changed
    dr_yarns yarns;         // made when they are first asked for
    dr_pose pose;
    dr_root root;
    dr_sleep sleep;
    float calm_time;  // s after a jump in which nothing becomes faster than calm_speed
    float calm_speed; // m/s
    drape_vec3* home; // where the cloth began, per vertex of the mesh
    int home_count;
    drape_transform home_place; // where that is by now, without a frame
} dr_control;

// Null when a cloth can be controlled so, else what is wrong.
const char* dr_control_refusal(const drape_control* def);
// `home` are the first places. False when memory is short; free it then all the same.
bool dr_control_init(dr_control* control, dr_memory* memory, const drape_control* def,
                     const drape_vec3* home, int count);
void dr_control_free(dr_control* control, dr_memory* memory);

static inline drape_transform dr_transform_none(void)
{
    return (drape_transform){.rotate = {0.0f, 0.0f, 0.0f, 1.0f}};
}

// The transform `second` after `first`, and the way back.
drape_transform dr_transform_join(drape_transform second, drape_transform first);
drape_transform dr_transform_invert(drape_transform t);
// Finite, and a unit rotation.
bool dr_transform_is_sound(drape_transform t);

// --- While stepping ---

// Once a step, after pins were refreshed; false when memory is short.
// Frames that ride on colliders learn where they will be.
void dr_world_ride(drape_world* world, float dt);
bool dr_world_begin_controls(drape_world* world, float dt);
// Once a substep, when pins are where they shall be.
void dr_world_aim_controls(drape_world* world);
// Before a sweep: what solids have pushed so far in this substep.
void dr_world_press_yarns(drape_world* world);
// A sweep over the stretch of meshes that are brought to length line by line.
void dr_world_pull_yarns(drape_world* world);
// After each sweep over stretch.
void dr_world_pull_controls(drape_world* world);
// After the commit of a substep: what frames carried and jumps pushed is taken from the velocities.
void dr_world_drop_carries(drape_world* world);
// After the last substep.
void dr_world_finish_controls(drape_world* world, float dt);

// --- teleport.c ---

// Cloth, pins, pose and frame at once elsewhere.
void dr_cloth_jump(drape_world* world, struct dr_cloth* cloth, drape_transform by,
                   bool keeps_velocity);
// After a jump: for a moment what has to come out of something does so without a blow.
void dr_cloth_calm(struct dr_cloth* cloth);
// Before a step: cloths whose frames have jumped jump with them.
void dr_world_follow_jumps(drape_world* world);

// --- pose.c ---

// The pose of the frames at a time becomes the one at the end of the step.
void dr_pose_lead(struct dr_cloth* cloth, double time);
// A pose of one frame goes where the cloth's frame goes.
void dr_pose_ride(struct dr_cloth* cloth);
// From now on, as the cloth's frame is at `frame`.
void dr_pose_mount(struct dr_cloth* cloth, drape_transform frame);

// Vertices that must be just where the pose has them: they do not yield, and go with it.
void dr_pose_hold(struct dr_cloth* cloth);
void dr_world_move_poses(drape_world* world); // to the end of the substep, before pins

void dr_pose_free(dr_pose* pose, dr_memory* memory);

#endif
