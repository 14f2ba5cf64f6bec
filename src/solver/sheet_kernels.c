// Prediction and commit, compiled once per instruction set.
#include <math.h>

#include "solver/sheet_lanes.h"

static void predict(const dr_sheet* sheet, int vector_begin, int vector_end,
                    const dr_predict_args* args)
{
    dr_layout layout = sheet->layout;
    dr_v8 gravity = dr_v8_set(args->gravity.x, args->gravity.y, args->gravity.z);
    dr_f8 h = dr_f8_set(args->h), keep = dr_f8_set(args->keep), zero = dr_f8_zero();
    for (int k = vector_begin; k < vector_end; ++k) {
        dr_lanes pos = dr_lanes_load(layout, sheet->pos, k);
        dr_lanes start = dr_lanes_load(layout, sheet->start, k);
        dr_lanes vel = dr_lanes_load(layout, sheet->vel, k);
        dr_v8 push = gravity;
        if (sheet->force) {
            push = dr_v8_add(push, dr_lanes_load(layout, sheet->force, k).p);
        }
        dr_f8 is_free = dr_f8_less(zero, pos.w);
        dr_v8 v = dr_v8_scale(dr_v8_add(vel.p, dr_v8_scale(push, h)), keep);
        vel.p = dr_v8_select(is_free, v, dr_v8_set(0.0f, 0.0f, 0.0f));
        pos.p = dr_v8_add(start.p, dr_v8_scale(vel.p, h));
        dr_lanes_store(layout, sheet->vel, k, vel);
        dr_lanes_store(layout, sheet->pos, k, pos);
    }
}

// Lanes that are no number or beyond any sensible scene.
static dr_f8 not_finite(dr_v8 p)
{
    dr_f8 limit = dr_f8_set(1e30f);
    dr_f8 largest = dr_f8_max(dr_f8_max(dr_f8_abs(p.x), dr_f8_abs(p.y)), dr_f8_abs(p.z));
    dr_f8 sum = dr_f8_add(dr_f8_add(p.x, p.y), p.z); // NaN in any component is NaN here
    dr_f8 fine = dr_f8_and(dr_f8_less(largest, limit), dr_f8_less(dr_f8_abs(sum), limit));
    return dr_f8_select(fine, dr_f8_zero(), dr_f8_less(dr_f8_zero(), dr_f8_set(1.0f)));
}

static float least_of(dr_f8 a)
{
    float lane[8], least = INFINITY;
    dr_f8_store(lane, a);
    for (int i = 0; i < 8; ++i) {
        least = lane[i] < least ? lane[i] : least;
    }
    return least;
}

static int bit_count(int bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1) {
        ++count;
    }
    return count;
}

static void commit(const dr_sheet* sheet, int vector_begin, int vector_end, float h,
                   dr_chunk_bounds* bounds)
{
    dr_layout layout = sheet->layout;
    dr_f8 step = dr_f8_set(h), per_step = dr_f8_set(1.0f / h);
    dr_v8 lo = dr_v8_set(INFINITY, INFINITY, INFINITY), hi = lo; // hi holds negated maxima
    dr_f8 speed_squared = dr_f8_zero();
    int non_finite_count = 0;
    for (int k = vector_begin; k < vector_end; ++k) {
        dr_lanes pos = dr_lanes_load(layout, sheet->pos, k);
        dr_lanes start = dr_lanes_load(layout, sheet->start, k);
        dr_lanes vel = dr_lanes_load(layout, sheet->vel, k);
        // The correction is added to the predicted velocity: free flight then keeps all its bits.
        dr_v8 predicted = dr_v8_add(start.p, dr_v8_scale(vel.p, step));
        vel.p = dr_v8_add(vel.p, dr_v8_scale(dr_v8_sub(pos.p, predicted), per_step));
        start.p = pos.p;
        dr_lanes_store(layout, sheet->vel, k, vel);
        dr_lanes_store(layout, sheet->start, k, start);
        lo = (dr_v8){dr_f8_min(pos.p.x, lo.x), dr_f8_min(pos.p.y, lo.y), dr_f8_min(pos.p.z, lo.z)};
        hi = (dr_v8){dr_f8_min(dr_f8_neg(pos.p.x), hi.x), dr_f8_min(dr_f8_neg(pos.p.y), hi.y),
                     dr_f8_min(dr_f8_neg(pos.p.z), hi.z)};
        speed_squared = dr_f8_max(dr_v8_dot(vel.p, vel.p), speed_squared);
        dr_f8 is_free = dr_f8_less(dr_f8_zero(), pos.w); // not held, not empty
        non_finite_count += bit_count(dr_f8_bits(dr_f8_and(not_finite(pos.p), is_free)));
    }
    *bounds = (dr_chunk_bounds){
        .lo = {least_of(lo.x), least_of(lo.y), least_of(lo.z)},
        .hi = {-least_of(hi.x), -least_of(hi.y), -least_of(hi.z)},
        .speed_squared = -least_of(dr_f8_neg(speed_squared)),
        .non_finite_count = non_finite_count,
    };
}

const dr_sheet_kernels DR_KERNEL(dr_sheet_kernels);
const dr_sheet_kernels DR_KERNEL(dr_sheet_kernels) = {predict, commit};
