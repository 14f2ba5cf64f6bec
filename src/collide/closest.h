// collide/closest.h: closest points of a point and a triangle, and of two edges.
//
// Every candidate is evaluated and the least distance wins: inside the triangle and on its three
// edges; inside both edges and at their four ends. No epsilon decides between cases. What is
// degenerate (no area, no length, parallel) only makes a candidate useless, and others are there.
//
//          c                          The inner candidate is found by Gram-Schmidt: take away
//         / \          across ^        the parts along ab, then solve across it. So it is off
//        / p \                |        by the rounding of lengths only, however thin the
//       a-----b         ab ---+-->     triangle or small the angle.
//
// All is relative to vertices of the pair, so the error does not grow with the distance from the
// origin: with L the greatest distance between two of the four points, the distance is within
// 5e-7 L of the true one, and within 5e-7 L of that between the points that the weights name.
//
// Positions must be finite and less than 1e18 apart. Lengths below 1e-22 count as zero.
#ifndef DR_CLOSEST_H
#define DR_CLOSEST_H

#include <drape/types.h>

typedef struct dr_closest {
    float squared; // of the distance, m^2
    // Point and triangle: weights of a, b, c, in [0, 1], with sum 1.
    // Two edges: the place on ab and on cd, from 0 at a and c to 1 at b and d; then 0.
    float weight[3];
} dr_closest;

// Of equal candidates the first counts: bc, ac, ab, inside.
dr_closest dr_closest_point_triangle(drape_vec3 p, drape_vec3 a, drape_vec3 b, drape_vec3 c);
// Of equal candidates the first counts: a, then b against cd, c, then d against ab, inside.
dr_closest dr_closest_edges(drape_vec3 a, drape_vec3 b, drape_vec3 c, drape_vec3 d);

// A pair that passed a test of distance.
typedef struct dr_close_pair {
    dr_closest closest;
    int32_t pair; // its number in the list
} dr_close_pair;

// Many pairs, eight at a time, with the bits of the functions above. `positions` has four floats
// for each vertex, the fourth unused; a pair is four vertices: p a b c, or a b c d.
typedef struct dr_closest_kernels {
    void (*point_triangle)(const float* positions, const int32_t (*pairs)[4], int count,
                           dr_closest* out);
    void (*edges)(const float* positions, const int32_t (*pairs)[4], int count, dr_closest* out);
    // Only those whose squared distance is below `limit`, in order, into out, which has room for
    // all; returns their number.
    int (*point_triangle_near)(const float* positions, const int32_t (*pairs)[4], int count,
                               float limit, dr_close_pair* out);
    int (*edges_near)(const float* positions, const int32_t (*pairs)[4], int count, float limit,
                      dr_close_pair* out);
} dr_closest_kernels;

const dr_closest_kernels* dr_closest_kernels_for(drape_isa isa);

#endif
