// Sweeps of Gauss-Seidel over an elastic sheet, compiled once per instruction set.
#include "solver/elastic_lanes.h"

// Vectors that are updated together, so that each neighbour's address is found once for all of
// them; as many as their sums fit into registers.
#if defined(DR_SIMD_AVX2) || defined(DR_SIMD_NEON)
enum { TOGETHER = 4 };
#else
enum { TOGETHER = 2 };
#endif

// What `count` vectors of vertices feel of one neighbour.
static DR_ALWAYS_INLINE void add_pull(const dr_elastic* e, ptrdiff_t at, const double* weights,
                                      int count, dr_w4 sum[TOGETHER])
{
    const double *x = e->f.q[0] + at, *y = e->f.q[1] + at, *z = e->f.q[2] + at;
    for (int v = 0; v < count; ++v) {
        int i = v * DR_DOUBLE_LANES;
        dr_d4 w = dr_d4_load(weights + i);
        sum[v].x = dr_d4_add(sum[v].x, dr_d4_mul(w, dr_d4_load(x + i)));
        sum[v].y = dr_d4_add(sum[v].y, dr_d4_mul(w, dr_d4_load(y + i)));
        sum[v].z = dr_d4_add(sum[v].z, dr_d4_mul(w, dr_d4_load(z + i)));
    }
}

// The same for a weight that is one for all: neighbours that do not exist are zeros.
static DR_ALWAYS_INLINE void add_even_pull(const dr_elastic* e, ptrdiff_t at, double weight,
                                           int count, dr_w4 sum[TOGETHER])
{
    const double *x = e->f.q[0] + at, *y = e->f.q[1] + at, *z = e->f.q[2] + at;
    dr_d4 w = dr_d4_set(weight);
    for (int v = 0; v < count; ++v) {
        int i = v * DR_DOUBLE_LANES;
        sum[v].x = dr_d4_add(sum[v].x, dr_d4_mul(w, dr_d4_load(x + i)));
        sum[v].y = dr_d4_add(sum[v].y, dr_d4_mul(w, dr_d4_load(y + i)));
        sum[v].z = dr_d4_add(sum[v].z, dr_d4_mul(w, dr_d4_load(z + i)));
    }
}

// The pulls of all neighbours on vectors from `at` on.
static DR_ALWAYS_INLINE void pull(const dr_elastic* e, const dr_elastic_stencil* s, ptrdiff_t at,
                                  int count, bool is_plate, dr_w4 sum[TOGETHER])
{
    for (int v = 0; v < count; ++v) {
        sum[v] = (dr_w4){dr_d4_zero(), dr_d4_zero(), dr_d4_zero()};
    }
    int uneven = 2 * (is_plate ? DR_ELASTIC_SPRINGS : DR_ELASTIC_LINKS);
    for (int i = 0; i < uneven; ++i) {
        add_pull(e, at + s->to[i], s->weight[i] + at, count, sum);
    }
    for (int i = uneven; i < 2 * DR_ELASTIC_LINKS; ++i) {
        add_even_pull(e, at + s->to[i], e->far_weight[i / 2 - DR_ELASTIC_SPRINGS], count, sum);
    }
}

static DR_ALWAYS_INLINE dr_d4 clamp(dr_d4 y, dr_d4 lo, dr_d4 hi)
{
    return dr_d4_min(dr_d4_max(y, lo), hi);
}

static DR_ALWAYS_INLINE dr_w4 within_limits(const dr_elastic* e, ptrdiff_t at, dr_w4 y)
{
    dr_w4 lo = load3(e->f.lo, at), hi = load3(e->f.hi, at);
    return (dr_w4){clamp(y.x, lo.x, hi.x), clamp(y.y, lo.y, hi.y), clamp(y.z, lo.z, hi.z)};
}

static DR_ALWAYS_INLINE dr_d4 largest(dr_w4 way)
{
    return dr_d4_max(dr_d4_max(dr_d4_abs(way.x), dr_d4_abs(way.y)), dr_d4_abs(way.z));
}

// Four vertices, given what their neighbours pull: solved for, brought within their limits; how far
// each moved.
static DR_ALWAYS_INLINE dr_d4 update(const dr_elastic* e, ptrdiff_t at, dr_w4 pulled)
{
    dr_w4 y = dr_w4_sub(load3(e->f.g, at), pulled);
    y = dr_w4_scale(y, dr_d4_load(e->f.inverse + at));
    dr_d4 moved;
    if (e->is_limited[at / DR_DOUBLE_LANES]) {
        y = within_limits(e, at, y);
        moved = dr_d4_mul(largest(dr_w4_sub(y, load3(e->f.q, at))), dr_d4_load(e->f.counts + at));
    } else {
        moved = largest(dr_w4_sub(y, load3(e->f.q, at)));
    }
    store3(e->f.q, at, y);
    return moved;
}

static DR_ALWAYS_INLINE dr_d4 update_some(const dr_elastic* e, const dr_elastic_stencil* s,
                                          ptrdiff_t at, int count, bool is_plate, dr_d4 change)
{
    dr_w4 sum[TOGETHER];
    pull(e, s, at, count, is_plate, sum);
    for (int v = 0; v < count; ++v) {
        change = dr_d4_max(change, update(e, at + v * DR_DOUBLE_LANES, sum[v]));
    }
    return change;
}

// The vertices of one colour in one row.
static DR_ALWAYS_INLINE double sweep(const dr_elastic* e, int row, int colour, bool is_plate)
{
    int k = dr_elastic_class(row, colour), count = e->run_vectors[k];
    const dr_elastic_stencil* s = &e->stencils[k];
    ptrdiff_t at = (ptrdiff_t)row * e->row + (ptrdiff_t)k * e->run;
    dr_d4 change = dr_d4_zero();
    for (; count >= TOGETHER; count -= TOGETHER, at += TOGETHER * DR_DOUBLE_LANES) {
        change = update_some(e, s, at, TOGETHER, is_plate, change);
    }
    switch (count) {
    case 1: change = update_some(e, s, at, 1, is_plate, change); break;
#if defined(DR_SIMD_AVX2) || defined(DR_SIMD_NEON)
    case 2: change = update_some(e, s, at, 2, is_plate, change); break;
    case 3: change = update_some(e, s, at, 3, is_plate, change); break;
#endif
    default: break;
    }
    return highest(change);
}

static double sweep_any(const dr_elastic* e, int row, int colour)
{
    return sweep(e, row, colour, false);
}

static double sweep_plate(const dr_elastic* e, int row, int colour)
{
    return sweep(e, row, colour, true);
}

// --- Around the sweeps ---

static bool is_finite(const dr_elastic* e, int row)
{
    const dr_d4 most = dr_d4_set(1.7976931348623157e308);
    int bits = 15;
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        spot p = spot_begin(e, row, k);
        for (int j = 0; j < e->run_vectors[k]; ++j, spot_next(&p)) {
            dr_w4 q = load3(e->f.q, p.at);
            // Each on its own: a maximum may forget what is no number.
            dr_d4 x = dr_d4_less(dr_d4_abs(q.x), most), y = dr_d4_less(dr_d4_abs(q.y), most);
            bits &= dr_d4_bits(dr_d4_and(dr_d4_and(x, y), dr_d4_less(dr_d4_abs(q.z), most)));
        }
    }
    return bits == 15;
}

static void commit(const dr_elastic* e, int row)
{
    const dr_d4 rate = dr_d4_set(1.0 / e->step.dt);
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        spot p = spot_begin(e, row, k);
        for (int j = 0; j < e->run_vectors[k]; ++j, spot_next(&p)) {
            dr_w4 q = load3(e->f.q, p.at);
            store3(e->f.v, p.at, dr_w4_scale(dr_w4_sub(q, load3(e->f.x, p.at)), rate));
            store3(e->f.x, p.at, q);
        }
    }
}

const dr_elastic_sweeps DR_KERNEL(dr_elastic_sweeps);
const dr_elastic_sweeps DR_KERNEL(dr_elastic_sweeps) = {
    {sweep_any, sweep_plate}, is_finite, commit};
