// scene/apart_exit.h: cloth that is inside of a solid is led out of it, gently.
//
// A solid was put where cloth is, or pressed it into another one. What of a cloth is in it and hangs
// together is a *patch*:
//
//        +-------+                 Each vertex by its nearest way, and a sheet across a box is torn
//     ---|--ooo--|---   sheet      apart to all sides. So a patch goes one way as a whole, the one
//        +-------+                 that is shortest for its deepest vertex and presses nothing that
//           box                    is outside against the box. Where there is none, as for a ring
//                                  around a body, each vertex takes its own.
//
// A patch that cuts its sheet in two goes to where the larger part is, if that is nearer than a way for
// both parts, and draws the smaller part through the solid after it. One with a pin in it is
// hung up there: each vertex takes its own way, unless the pin is too near to let it out.
//
// Solids that are still are left as if they were one. Where each way out presses what is outside against
// a solid, that goes along, through the solid (apart_exit_shadow.c).
//
// A patch has vertices, and points of triangles that the solid goes through between their corners, all
// of which are outside: in the middle of what the two have in common. (Round solids have none as long
// as edges are short against their radius: contacts hold cloth high enough above these.)
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
    bool is_out;        // it leads out of all solids
} dr_apart_aim;

// A vertex in a solid, or a point of a triangle.
typedef struct dr_exit_member {
    int32_t triangle;  // -1: a vertex
    int32_t solid;     // of its group
    int32_t vertex[3]; // of a vertex three times the same
    float weight[3];
    drape_vec3 place;
    dr_apart_aim aim;
} dr_exit_member;

typedef struct dr_apart_exit {
    int32_t part;       // of the sheets
    bool is_vertex;     // else a point of a triangle
    bool is_hung;       // of a patch with a pin
    drape_vec3 carried; // where the solid takes it in the substep
    dr_contact1 contact;
} dr_apart_exit;

typedef struct dr_apart_exits {
    dr_array exits;        // dr_apart_exit
    dr_array numbers;      // int32_t by vertex of cloths: scratch, all -1 between calls
    dr_array flooded;      // int32_t: vertices, scratch
    dr_array shadow;       // int32_t: vertices, scratch (apart_exit_shadow.c)
    dr_array is_in_shadow; // uint8_t by vertex of cloths: scratch, all 0 between calls
    dr_array members;      // dr_exit_member of one group of solids
    dr_array aims;         // dr_apart_aim by vertex of cloths, of those in the group
    dr_array solids;       // dr_exit_solid: all that have an inside, those that are still first
    dr_array ring;         // drape_vec3 (apart_exit_way.c)
    dr_array drawn;        // dr_pair: solid, vertex beside a patch that is drawn through the solid
    float way;             // most that is asked for in a substep, m; set by the caller
} dr_apart_exits;

// From what `apart` says is inside; marks what is hung up. False when memory is short.
bool dr_apart_exits_find(dr_apart_exits* exits, const dr_apart_solids* solids, drape_world* world,
                         dr_apart* apart, dr_cloth* const* cloths);
void dr_apart_exits_resolve(dr_apart_exits* exits, dr_cloth* const* cloths); // once a sweep
// After the commit: what was led goes on as the solid does.
void dr_apart_exits_calm(const dr_apart_exits* exits, dr_cloth* const* cloths, float h);
void dr_apart_exits_free(dr_apart_exits* exits, dr_memory* memory);

#endif
