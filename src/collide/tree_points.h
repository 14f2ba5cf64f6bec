// collide/tree_points.h: points of eight vertices, for kernels.
#ifndef DR_TREE_POINTS_H
#define DR_TREE_POINTS_H

#include "core/simd.h"

// `stride` as in dr_motion: 4 is a transpose of records, others go one by one.
static inline dr_v8 dr_points_gather(const float* points, int stride, const int32_t* vertex)
{
    if (stride == 4) {
        dr_f8 p[4];
        dr_f8_gather4(points, vertex, p);
        return (dr_v8){p[0], p[1], p[2]};
    }
    float c[3][8];
    for (int i = 0; i < 8; ++i) {
        const float* p = points + (size_t)vertex[i] * (size_t)stride;
        c[0][i] = p[0];
        c[1][i] = p[1];
        c[2][i] = p[2];
    }
    return dr_v8_load(c[0]);
}

#endif
