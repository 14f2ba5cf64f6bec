// scene/apart_world.h: what a world keeps for the guard of its cloths (contact/apart.h) between
// steps, and the way between the solver's sheets and it. For the files scene/apart_*.c alone.
//
//     apart_world    made when cloths or colliders come, freed when they go
//     apart_step     the stages of a substep
//     apart_undo     attempts that are undone and done again in halves
//     apart_open     sheets that cross themselves are stiff
//     apart_leaving  what is inside of a solid, and what is still to be freed
#ifndef DR_APART_WORLD_H
#define DR_APART_WORLD_H

#include "scene/apart_exit.h"
#include "scene/apart_solids.h"
#include "scene/apart_step.h"
#include "solver/stretch_limit.h"

typedef struct dr_world_apart {
    dr_sheets sheets;
    dr_cloth** cloths; // of each part of the sheets
    dr_apart_solids solids;
    dr_apart apart;
    dr_apart_exits exits;
    int32_t* first_slot;      // by part
    int32_t* vertex_of_slot;  // from first_slot on: among all, -1 where there is none
    bool has_told;            // that something crosses
    bool has_told_crowded;    // that there are too many contacts
    dr_stretch_limits limits; // of all cloths

    // Before the substep, to undo it.
    drape_step_report report;
    float* velocity; // of all sheets
    size_t velocity_floats;
    bool is_hopeless; // in this step even the shortest substep was pinched
    int undone_count; // attempts, in this step
    bool has_changed; // a cloth is stiffer or softer than it was predicted with
    int most_ticks;   // in this step, of a substep; 0: nobody has asked yet
} dr_world_apart;

// Makes what is missing, all of it when cloths or colliders have changed. False when memory is short.
bool dr_world_refresh_apart(drape_world* world);
// Four floats per vertex from an array of every sheet: where they were at the start, or the
// candidates.
void dr_apart_gather(const dr_world_apart* a, bool of_start, float* out);
// The guard's y back into the candidates of the sheets.
void dr_apart_scatter(const dr_world_apart* a);
// Makes sheets that cross themselves stiff, and others as they are. False when memory is short.
bool dr_world_open_crossed(drape_world* world);

#endif
