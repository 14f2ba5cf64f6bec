// collide/triangle_flat.h: the flat cases of collide/triangle_pair.h.
//
// Triangles in one plane, and triangles without area. Exact, rare, and slower.
#ifndef DR_TRIANGLE_FLAT_H
#define DR_TRIANGLE_FLAT_H

#include "collide/triangle_pair.h"

// Positions as doubles; shared corners first, in the same order in both triangles.
typedef struct dr_corners {
    double p[3][3];
} dr_corners;

// For pairs in which all vertices of one lie in the plane of the other, or one has no plane.
dr_triangle_relation dr_triangle_pair_flat(const dr_corners* a, const dr_corners* b,
                                           int shared_count);

#endif
