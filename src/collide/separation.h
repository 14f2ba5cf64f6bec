// collide/separation.h: a direction along which two features are apart, in double, and how far.
//
// For a unit vector n the gap of a pair is the least n.(x - y) over vertices x of the first feature
// and y of the second. No n has a gap above the distance of the features, and the direction between
// their closest points has just that. So there is no case to be decided: of a few directions the
// one with the largest gap is the best, whatever rounding did to each of them, and a gap above zero
// is a proof that the features are apart.
//
//     second |  <- gap ->  | first          face    (b-a) x (c-a), or (b-a) x (d-c)
//       o----o             o                edge    perpendicular from a vertex to an edge
//       o---o  n ------->   o---o           point   from a vertex to a vertex
//
// First comes the direction that the closest points tell, in plain doubles; it stays when its gap
// is as large as their distance, to a millionth. But the difference of two near points has lost its
// direction: its error over its length is an angle, and by this angle the other ends of the
// features turn towards each other. Then all directions of the table are tried, made from cross
// products whose cancellation is repaired (products in two doubles), so that each is good to a few
// units in the last place at any distance.
//
// `gap` has its rounding taken off: it is never above the true distance. With L the greatest
// distance between two of the four vertices, features more than 1e-14 L apart have a gap of at
// least (1 - 1e-6) distance - 1e-14 L; nearer ones may be called inseparable.
#ifndef DR_SEPARATION_H
#define DR_SEPARATION_H

#include <drape/types.h>

typedef enum dr_direction {
    DR_DIRECTION_NONE,  // all vertices are one
    DR_DIRECTION_FACE,  // normal of the triangle; cross product of the edges
    DR_DIRECTION_EDGE,  // perpendicular from a vertex to an edge
    DR_DIRECTION_POINT, // from a vertex to a vertex
} dr_direction;

typedef struct dr_separation {
    double normal[3]; // unit vector from the second feature to the first; zero for NONE
    double gap;       // m, along the normal; zero or less: they touch, cross or are too near
    double middle[3]; // a point halfway between the two sides, for offsets along the normal
    double weight[4]; // of the closest points; those of each feature have sum 1
    double distance;  // of these points, with an error of 1e-14 L
    dr_direction kind;
} dr_separation;

// Vertices p a b c: the point is the first feature.
dr_separation dr_separate_point_triangle(const drape_vec3 v[4]);
// Vertices a b c d: the edge ab is the first feature.
dr_separation dr_separate_edges(const drape_vec3 v[4]);

// The gap along a unit vector at any positions, rounding taken off: above zero proves them apart.
double dr_gap_point_triangle(const double normal[3], const drape_vec3 v[4]);
double dr_gap_edges(const double normal[3], const drape_vec3 v[4]);

#endif
