// collide/hull.h: the convex hull of points, as triangles.
//
// Point by point: those faces of the hull so far that a new point is in front of go, and the rim of
// the hole they leave is joined to it:
//
//           p                     signs come from exact predicates, so the hull is convex without
//          / \                    any tolerance. In front means strictly: a point in the plane of a
//      ___/___\___                face leaves it alone, and is joined to the rim of its neighbours;
//     /   gone    \               so no triangle is without area
//    |____________|
//
// Time grows with points times faces, for a collider that is made once.
#ifndef DR_HULL_H
#define DR_HULL_H

#include "core/memory.h"

enum { DR_HULL_MOST = 4096 }; // points

typedef struct dr_hull {
    drape_vec3* positions; // of the points that are corners, in the order in which they were given
    int32_t (*triangles)[3]; // outside where they turn left
    int vertex_count, triangle_count;
    int vertex_room, triangle_room;
} dr_hull;

// Null when it was made, else what is wrong: too few or too many points, all in one plane, or memory
// is short. Free it then all the same. Points are finite.
const char* dr_hull_create(dr_hull* hull, dr_memory* memory, const drape_vec3* points, int count);
void dr_hull_free(dr_hull* hull, dr_memory* memory);

#endif
