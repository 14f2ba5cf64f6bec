// collide/tree_query.h: what of a tree meets a box or a ray, and what is nearest to a point.
//
// Queries only read; any number of threads may ask at once.
//
// Rays meet triangles by the signs of three edge functions, computed the same for both triangles of
// an edge, so no ray slips between them (Woop, Benthin, Wald 2013: Watertight Ray/Triangle
// Intersection). Boxes are hit with room to spare for rounding. A flat box is as thin as its
// triangle: refit with a small radius, a millionth of the size of the scene, when rays may graze.
#ifndef DR_TREE_QUERY_H
#define DR_TREE_QUERY_H

#include "collide/closest.h"
#include "collide/tree.h"

// Triangles whose boxes meet the closed box, in the order of the tree. Writes at most `capacity` of
// them and returns how many there are.
int dr_tree_box_query(const dr_tree* tree, drape_vec3 lo, drape_vec3 hi, int32_t* triangles,
                      int capacity);

// Points origin + t direction for t_min <= t <= t_max, 0 <= t_min. The direction need not have
// length 1, but some length.
typedef struct dr_tree_ray {
    drape_vec3 origin, direction;
    float t_min, t_max;
} dr_tree_ray;

typedef struct dr_tree_ray_hit {
    int32_t triangle;
    float t;
    float weights[3]; // of the corners, >= 0, sum 1
} dr_tree_ray_hit;

// The nearest triangle; of several at the same t the one of least index. The tree must be refit to
// the positions (as in dr_motion) before. False when nothing is hit.
bool dr_tree_ray_nearest(const dr_tree* tree, const float* positions, int stride,
                         const dr_tree_ray* ray, dr_tree_ray_hit* hit);
// Whether anything is hit: for shadows.
bool dr_tree_ray_any(const dr_tree* tree, const float* positions, int stride,
                     const dr_tree_ray* ray);

// Of the triangles from `first` to before `end`.
typedef struct dr_tree_near_query {
    drape_vec3 point;
    int32_t first, end;
} dr_tree_near_query;

typedef struct dr_tree_near {
    int32_t triangle;
    dr_closest closest; // of the point and this triangle
} dr_tree_near;

// The nearest triangle by dr_closest_point_triangle, to the bit; of several as near the one of least
// index. The tree must be refit to the positions before. False when there is none.
bool dr_tree_point_nearest(const dr_tree* tree, const float* positions, int stride,
                           const dr_tree_near_query* query, dr_tree_near* near);

#endif
