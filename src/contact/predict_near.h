// contact/predict_near.h: pairs of features that a step may bring together, eight at a time.
//
// Continuous collision detection asks when two features meet. Here it is enough that they might:
// the separation along the direction m between the closest points at the start, less how much of it
// the step can use up (Lewin: semi-continuous detection).
//
//         p   o                     separation   |pc - p|
//             |\ d                  closing      largest (d - d_i).m over the corners i
//           m | \                   left         separation - closing
//             v  v
//     pc  ----o--------             a pair stays when left <= reach
//
// At the end of the step all of the triangle is at least `left` beyond p along m, so with left > 0
// they are apart at both ends of the step along one direction, and by convexity all the way. No
// pair that meets is lost, at any speed. As printed, closing is taken at the closest point alone: a
// triangle that turns while it comes can then be missed.
//
// Left out as well: points beside a triangle and nearly level with it, and edges whose closest
// points are at an end both now and at the end of the step, when they cannot meet (left > 0).
#ifndef DR_PREDICT_NEAR_H
#define DR_PREDICT_NEAR_H

#include "collide/tree_pairs.h"

// Records of four floats to a vertex: x y z and, in `end`, the inverse mass.
typedef struct dr_predict_query {
    const float *start, *end;
    const int32_t (*triangles)[3];
    const int32_t (*edges)[2];
    float reach;     // m
    bool as_printed; // closing at the closest points alone
    bool is_kept;    // for the cache: nothing is left out for what this step does
} dr_predict_query;

typedef struct dr_predict_near {
    int32_t pair;     // its number in the list
    float separation; // m, at the start
    float left;       // m, see above
    float weight[3];  // as in dr_closest (collide/closest.h)
} dr_predict_near;

typedef struct dr_predict_near_kernels {
    // Of the pairs [begin, end) those that stay, in order; returns their number. `out` has room.
    int (*point_triangle)(const dr_predict_query* query, const dr_pair* pairs, int begin, int end,
                          dr_predict_near* out);
    int (*edge_edge)(const dr_predict_query* query, const dr_pair* pairs, int begin, int end,
                     dr_predict_near* out);
    // Points: by the exact distance of closest approach, which is the separation told.
    int (*point_point)(const dr_predict_query* query, const dr_pair* pairs, int begin, int end,
                       dr_predict_near* out);
} dr_predict_near_kernels;

const dr_predict_near_kernels* dr_predict_near_kernels_for(drape_isa isa);

#endif
