// scene/apart_exit.h: cloth that is inside of a solid is led out of it, gently.
//
// A solid was put where cloth is, or pressed it into another one. The vertices in it that hang
// together are a *patch*:
//
//        +-------+                 Each by its nearest way, and a sheet across a box is torn
//     ---|--ooo--|---   sheet      apart to all sides. So a patch goes one way as a whole, the one
//        +-------+                 that is shortest for its deepest vertex, if that is not much
//           box                    longer than the nearest ways are. A ring around a body has no
//                                  such way, and there each vertex takes its own.
//
// A patch that cuts its sheet in two goes to where the larger part is, if there is no way out for both
// parts, and draws the smaller part through the solid after it. One with a pin in it is
// hung up there: each vertex takes its own way, unless the pin is too near to let it out.
//
// An edge or corner of a mesh collider may go through a triangle none of whose corners is inside. Then
// the point in the middle of what they have in common is led out, when it has not far to go.
//
// In place of its contacts with that solid a vertex of a patch has an *exit*: a contact without
// friction that asks for so much of a way in a substep, no more. What it gains by that is not kept
// as a velocity. All follows from the places at the start of the substep.
#ifndef DR_APART_EXIT_H
#define DR_APART_EXIT_H

#include "scene/apart_solids.h"

// Of a point in a solid.
typedef struct dr_apart_aim {
    float distance;     // from the surface, m
    drape_vec3 normal;  // where the nearest way goes
    drape_vec3 carried; // where the solid takes it in the substep
} dr_apart_aim;

typedef struct dr_apart_exit {
    int32_t part;       // of the sheets
    bool is_vertex;     // else a point of a triangle
    bool is_hung;       // of a patch with a pin
    drape_vec3 carried; // where the solid takes it in the substep
    dr_contact1 contact;
} dr_apart_exit;

typedef struct dr_apart_exits {
    dr_array exits;   // dr_apart_exit
    dr_array numbers; // int32_t by vertex of cloths: scratch, all -1 between calls
    dr_array patch;   // int32_t: vertices
    dr_array flooded; // int32_t: vertices of one part of the rest of a sheet after the other
    dr_array aims;    // dr_apart_aim by vertex of the patch
    dr_array ring;    // drape_vec3 (apart_exit_way.c)
    dr_array drawn;   // dr_pair: solid, vertex beside a patch that is drawn through the solid
    float way;        // most that is asked for in a substep, m; set by the caller
} dr_apart_exits;

// From what `apart` says is inside; marks what is hung up. False when memory is short.
bool dr_apart_exits_find(dr_apart_exits* exits, const dr_apart_solids* solids, drape_world* world,
                         dr_apart* apart, dr_cloth* const* cloths);
void dr_apart_exits_resolve(dr_apart_exits* exits, dr_cloth* const* cloths); // once a sweep
// After the commit: what was led goes on as the solid does.
void dr_apart_exits_calm(const dr_apart_exits* exits, dr_cloth* const* cloths, float h);
void dr_apart_exits_free(dr_apart_exits* exits, dr_memory* memory);

#endif
