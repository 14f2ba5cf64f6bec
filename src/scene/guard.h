// scene/guard.h: one cloth and the solids around it in one substep, for the guard
// (contact/guard.h).
#ifndef DR_SCENE_GUARD_H
#define DR_SCENE_GUARD_H

#include "contact/guard.h"
#include "scene/world.h"

typedef struct dr_guard_box {
    float lo[3], hi[3];
} dr_guard_box;

// One cloth and one solid that are near each other.
typedef struct dr_guard_sight {
    int obstacle;
    dr_guard_args args;
    dr_guard_chunk* chunks;
    uint8_t* is_wanted; // per chunk: it has a triangle that may be near
} dr_guard_sight;

// The triangles of one chunk against one solid.
typedef struct dr_guard_run {
    const dr_guard_sight* sight;
    int chunk;
    float size; // longest edge, when it was measured, else 0
    int32_t* faces;
    int face_count;
    dr_guard_plane* planes;
    int plane_count;
} dr_guard_run;

typedef struct dr_guard {
    drape_world* world;
    const dr_obstacle* obstacles; // as the guard sees them
    dr_cloth* cloth;
    dr_guard_box* boxes;      // of each chunk: its vertices at the start and at the end
    dr_guard_box* face_boxes; // of the vertices of its triangles
    dr_guard_sight* sights;
    int sight_count;
    dr_guard_run* runs;
    int run_count;
    dr_guard_holds holds;
    int32_t* held;      // slots with planes
    uint8_t* has_moved; // per slot, those of `held` only
    int held_count;
} dr_guard;

// What is kept from solids: a twentieth of the thickness. Contacts keep half of it.
float dr_guard_margin(const dr_cloth* cloth);
// Takes into account that vertices moved since the last substep; `h` is that of this one.
void dr_guard_grow_sizes(dr_cloth* cloth, float h);
// The runs with all triangles in question and their planes; false when memory is short.
bool dr_guard_search(dr_guard* g);

#endif
