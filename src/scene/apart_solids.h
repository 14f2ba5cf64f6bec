// scene/apart_solids.h: the colliders of a world as triangles that are led, for the guard
// (contact/apart.h).
//
// They are the very triangles that drape_collider_mesh gives out with the tolerance of the world's
// thickness, so those that are written and drawn. In a substep their vertices go straight from
// where the pose at its start puts them to where the pose at its end does.
#ifndef DR_APART_SOLIDS_H
#define DR_APART_SOLIDS_H

#include "contact/apart.h"
#include "scene/world.h"

typedef struct dr_apart_solid {
    const dr_collider* collider;
    dr_mesh mesh;   // in the frame of the collider
    float turn;     // 1: the normals of its triangles point outwards; else -1
    bool is_placed; // `pose` is where its vertices are
    drape_transform pose;
} dr_apart_solid;

typedef struct dr_apart_solids {
    dr_sheets sheets; // all of them, in the order of the world's colliders
    dr_apart_solid* solids;
    int count;
    float tolerance; // that they were made with
} dr_apart_solids;

// False when memory is short; free it then all the same.
bool dr_apart_solids_create(dr_apart_solids* solids, drape_world* world);
void dr_apart_solids_free(dr_apart_solids* solids, dr_memory* memory);

// Places at the end of the substep into y, and at its start into x where a collider was put
// elsewhere by other hands since the last one; returns whether one was.
bool dr_apart_solids_place(dr_apart_solids* solids, const drape_world* world, dr_apart* apart);
// The substep is undone: they are where they were at its start.
void dr_apart_solids_undo(dr_apart_solids* solids, dr_apart* apart);
// Where they were is not known any more: they are placed anew.
void dr_apart_solids_forget(dr_apart_solids* solids);
// Lists which vertices of cloths are inside of which solids (apart_inside.c). `cloths` by part of the
// sheets. False when memory is short.
bool dr_apart_solids_note_inside(const dr_apart_solids* solids, drape_world* world, dr_apart* apart,
                                 dr_cloth* const* cloths);
// Whether a place is inside of a closed body.
bool dr_apart_solids_is_in_body(const dr_apart_solids* solids, const dr_apart* apart, int number,
                                drape_vec3 place);

#endif
