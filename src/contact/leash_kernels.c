// Distances from a pose, compiled once per instruction set.
#include "contact/leash.h"
#include "solver/sheet_lanes.h"

// Exactly the end where the share is 1.
static dr_v8 between(dr_v8 from, dr_v8 to, float share)
{
    return share < 1.0f ? dr_v8_add(from, dr_v8_scale(dr_v8_sub(to, from), dr_f8_set(share))) : to;
}

// Into the ball of radius `most` round `place`.
static dr_f8 draw_in(dr_v8* p, dr_v8 place, dr_f8 most, dr_f8 is_free)
{
    dr_v8 way = dr_v8_sub(*p, place);
    dr_f8 squared = dr_v8_dot(way, way);
    dr_f8 is_far = dr_f8_and(dr_f8_less(dr_f8_mul(most, most), squared), is_free);
    dr_f8 share = dr_f8_div(most, dr_f8_sqrt(squared));
    *p = dr_v8_select(is_far, dr_v8_add(place, dr_v8_scale(way, share)), *p);
    return is_far;
}

// Out of the sphere behind `place`; from its very centre along the normal.
static dr_f8 push_out(dr_v8* p, dr_v8 place, dr_v8 normal, dr_f8 offset, dr_f8 radius,
                      dr_f8 is_free)
{
    dr_f8 tiny = dr_f8_set(1e-30f);
    dr_f8 length = dr_f8_sqrt(dr_f8_max(dr_v8_dot(normal, normal), tiny));
    dr_v8 n = dr_v8_scale(normal, dr_f8_div(dr_f8_set(1.0f), length));
    dr_v8 centre = dr_v8_sub(place, dr_v8_scale(n, dr_f8_add(offset, radius)));
    dr_v8 way = dr_v8_sub(*p, centre);
    dr_f8 squared = dr_v8_dot(way, way);
    dr_f8 is_inside = dr_f8_and(dr_f8_less(squared, dr_f8_mul(radius, radius)), is_free);
    dr_f8 has_way = dr_f8_less(tiny, squared);
    dr_f8 share = dr_f8_div(radius, dr_f8_sqrt(dr_f8_max(squared, tiny)));
    dr_v8 out = dr_v8_select(has_way, dr_v8_scale(way, share), dr_v8_scale(n, radius));
    *p = dr_v8_select(is_inside, dr_v8_add(centre, out), *p);
    return is_inside;
}

static void hold(const dr_leash* leash, const dr_sheet* sheet, int vector_begin, int vector_end)
{
    dr_layout layout = sheet->layout;
    for (int k = vector_begin; k < vector_end; ++k) {
        dr_lanes pos = dr_lanes_load(layout, sheet->pos, k);
        dr_lanes from = dr_lanes_load(layout, leash->from, k);
        dr_lanes to = dr_lanes_load(layout, leash->to, k);
        dr_f8 is_free = dr_f8_less(dr_f8_zero(), pos.w);
        dr_v8 place = between(from.p, to.p, leash->share);
        dr_f8 moved = draw_in(&pos.p, place, from.w, is_free);
        if (leash->has_backstop) {
            dr_lanes n0 = dr_lanes_load(layout, leash->normal_from, k);
            dr_lanes n1 = dr_lanes_load(layout, leash->normal_to, k);
            dr_v8 normal = between(n0.p, n1.p, leash->share);
            moved = dr_f8_or(moved, push_out(&pos.p, place, normal, n0.w, n1.w, is_free));
        }
        if (dr_f8_bits(moved)) {
            dr_lanes_store(layout, sheet->pos, k, pos);
        }
    }
}

const dr_leash_kernels DR_KERNEL(dr_leash_kernels);
const dr_leash_kernels DR_KERNEL(dr_leash_kernels) = {hold};
