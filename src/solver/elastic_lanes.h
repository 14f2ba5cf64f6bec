// solver/elastic_lanes.h: four vertices of a run at a time.
#ifndef DR_ELASTIC_LANES_H
#define DR_ELASTIC_LANES_H

#include "core/simd_double.h"
#include "solver/elastic_kernels.h"

// A vector of vertices: its place in the fields and the ways to its neighbours.
typedef struct spot {
    ptrdiff_t at;     // of the four vertices
    ptrdiff_t in_row; // the same in `columns`
    ptrdiff_t left, right, up, down;
} spot;

static DR_ALWAYS_INLINE spot spot_begin(const dr_elastic* e, int row, int k)
{
    ptrdiff_t in_row = (ptrdiff_t)k * e->run;
    return (spot){.at = (ptrdiff_t)row * e->row + in_row,
                  .in_row = in_row,
                  .left = dr_elastic_way(e, k, -1),
                  .right = dr_elastic_way(e, k, 1),
                  .up = -(ptrdiff_t)e->row,
                  .down = e->row};
}

static DR_ALWAYS_INLINE void spot_next(spot* s)
{
    s->at += DR_DOUBLE_LANES;
    s->in_row += DR_DOUBLE_LANES;
}

static DR_ALWAYS_INLINE dr_w4 load3(double* const field[3], ptrdiff_t at)
{
    return (dr_w4){dr_d4_load(field[0] + at), dr_d4_load(field[1] + at), dr_d4_load(field[2] + at)};
}

static DR_ALWAYS_INLINE void store3(double* const field[3], ptrdiff_t at, dr_w4 a)
{
    dr_d4_store(field[0] + at, a.x);
    dr_d4_store(field[1] + at, a.y);
    dr_d4_store(field[2] + at, a.z);
}

static DR_ALWAYS_INLINE dr_d4 add3(dr_d4 a, dr_d4 b, dr_d4 c)
{
    return dr_d4_add(dr_d4_add(a, b), c);
}

static inline double lowest(dr_d4 a)
{
    double v[DR_DOUBLE_LANES];
    dr_d4_store(v, a);
    double low = v[0] < v[1] ? v[0] : v[1], other = v[2] < v[3] ? v[2] : v[3];
    return low < other ? low : other;
}

static inline double highest(dr_d4 a)
{
    double v[DR_DOUBLE_LANES];
    dr_d4_store(v, a);
    double high = v[0] > v[1] ? v[0] : v[1], other = v[2] > v[3] ? v[2] : v[3];
    return high > other ? high : other;
}

#endif
