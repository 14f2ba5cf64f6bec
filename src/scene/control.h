// scene/control.h: what a game does to a cloth beside the forces of nature.
//
//     tethers     no vertex is further from the pins than the cloth is long      contact/tether.h
//
// A cloth holds a dr_control; where all of it is off a substep does not look at it.
#ifndef DR_CONTROL_H
#define DR_CONTROL_H

#include <drape/drape.h>

#include "contact/tether.h"

typedef struct dr_control {
    drape_control def;
    dr_tethers tethers;
    bool are_tethers_stale; // pins or the definition changed
} dr_control;

// Null when a cloth can be controlled so, else what is wrong.
const char* dr_control_refusal(const drape_control* def);
void dr_control_init(dr_control* control, const drape_control* def);
void dr_control_free(dr_control* control, dr_memory* memory);

// --- While stepping ---

// Once a step, after pins were refreshed; false when memory is short.
bool dr_world_begin_controls(drape_world* world);
// Once a substep, when pins are where they shall be.
void dr_world_aim_controls(drape_world* world);
// After each sweep over stretch.
void dr_world_pull_controls(drape_world* world);

#endif
