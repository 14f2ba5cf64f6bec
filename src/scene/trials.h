// scene/trials.h: solve, look at what came out, and solve again with what was found.
//
//     limits = pins
//     repeat:  solve within the limits -> detect obstacles and self-collision -> more limits
//     until nothing new is found
//
// Each solve begins from the committed state, never from a candidate that was rejected. When the
// trials run out, whatever is still in the way is frozen where it was, which is free of crossings.
#ifndef DR_TRIALS_H
#define DR_TRIALS_H

#include "contact/sheets.h"
#include "scene/world.h"
#include "solver/limits.h"

typedef struct dr_trials dr_trials;

// Whether the world's method repeats solve and detect.
bool dr_world_has_trials(const drape_world* world);
// Solves the substep. False when memory is short.
bool dr_world_run_trials(drape_world* world);
// Cloths came or went, or a collider went: what is kept between steps is made anew.
void dr_world_free_trials(drape_world* world);
// What particles remember from step to step, for snapshots: gates of all cloths, made when they are
// not there yet. Null when the method has none, or, with `is_short`, memory is short.
struct dr_self_gate* dr_world_gate(drape_world* world, bool* is_short);
// Pairs of triangles that met in the last step, and whether anything did: beside the gates.
typedef struct dr_gate_memory {
    dr_array* old; // dr_pair; null when there is no such list
    bool* has_met; // null when there is no such flag
} dr_gate_memory;
dr_gate_memory dr_world_gate_memory(drape_world* world);
// Vertices were put elsewhere between steps.
void dr_world_forget_trials(drape_world* world);

#endif
