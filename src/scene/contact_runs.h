// scene/contact_runs.h: which chunks of which cloth are near which obstacle in a substep.
//
// A run is one chunk of one cloth beside one obstacle (dr_contact_run). Runs of a chunk lie together
// as a group, so that groups can be resolved beside each other.
#ifndef DR_CONTACT_RUNS_H
#define DR_CONTACT_RUNS_H

#include "scene/world.h"

// Whether a chunk comes within `reach` of an obstacle.
bool dr_chunk_is_near(const dr_chunk_bounds* chunk, const dr_obstacle* obstacle, float reach);

// How far the vertices of each cloth may go in this substep, and whether edges are measured anew.
void dr_world_measure_travel(drape_world* world);
// Lists the runs in the arena. False when memory is short.
bool dr_world_collect_runs(drape_world* world);

#endif
