// Where vertices are against a solid before and after the substep, compiled once per instruction
// set.
#include <math.h>

#include "collide/shape_lanes.h"
#include "contact/guard.h"
#include "solver/sheet_lanes.h"

static inline dr_v8 to_local(const float m[9], dr_v8 v)
{
    return (dr_v8){dr_v8_dot(dr_v8_set(m[0], m[3], m[6]), v),
                   dr_v8_dot(dr_v8_set(m[1], m[4], m[7]), v),
                   dr_v8_dot(dr_v8_set(m[2], m[5], m[8]), v)};
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

static void bound(const dr_sheet* sheet, int begin, int end, float lo[3], float hi[3])
{
    dr_v8 least = dr_v8_set(INFINITY, INFINITY, INFINITY), most = least; // negated
    for (int k = begin; k < end; ++k) {
        dr_v8 p = dr_lanes_load(sheet->layout, sheet->pos, k).p;
        least = (dr_v8){dr_f8_min(p.x, least.x), dr_f8_min(p.y, least.y), dr_f8_min(p.z, least.z)};
        most = (dr_v8){dr_f8_min(dr_f8_neg(p.x), most.x), dr_f8_min(dr_f8_neg(p.y), most.y),
                       dr_f8_min(dr_f8_neg(p.z), most.z)};
    }
    const dr_f8 l[3] = {least.x, least.y, least.z}, m[3] = {most.x, most.y, most.z};
    for (int c = 0; c < 3; ++c) {
        lo[c] = least_of(l[c]);
        hi[c] = -least_of(m[c]);
    }
}

// The sides of one axis.
static inline dr_guard_sides sides_along(dr_f8 start, dr_f8 end, float lo, float hi)
{
    dr_f8 above = dr_f8_less(dr_f8_set(hi), dr_f8_min(start, end));
    dr_f8 below = dr_f8_less(dr_f8_max(start, end), dr_f8_set(lo));
    return (dr_guard_sides)dr_f8_bits(below) | (dr_guard_sides)dr_f8_bits(above) << 8;
}

// Bits of the bytes that are full.
static int full_bytes(dr_guard_sides sides)
{
    int full = 0;
    for (int i = 0; i < 6; ++i) {
        full |= (sides >> 8 * i & 0xff) == 0xff ? 1 << i : 0;
    }
    return full;
}

static dr_guard_chunk classify(const dr_guard_args* args, int begin, int end)
{
    const dr_sheet* sheet = args->sheet;
    const dr_obstacle* obstacle = args->obstacle;
    dr_v8 place = dr_v8_set(obstacle->place.x, obstacle->place.y, obstacle->place.z);
    dr_v8 shift = dr_v8_set(obstacle->shift.x, obstacle->shift.y, obstacle->shift.z);
    dr_v8 place_end = dr_v8_add(place, shift);
    dr_f8 nearest = dr_f8_set(INFINITY), slip = dr_f8_zero();
    dr_guard_sides all = ~(dr_guard_sides)0;
    for (int k = begin; k < end; ++k) {
        dr_v8 start = dr_lanes_load(sheet->layout, sheet->start, k).p;
        dr_v8 pos = dr_lanes_load(sheet->layout, sheet->pos, k).p;
        dr_v8 x = to_local(obstacle->rotation, dr_v8_sub(start, place));
        dr_v8 y = to_local(obstacle->rotation_end, dr_v8_sub(pos, place_end));
        dr_guard_sides sides = sides_along(x.x, y.x, args->lo[0], args->hi[0]) |
                               sides_along(x.y, y.y, args->lo[1], args->hi[1]) << 16 |
                               sides_along(x.z, y.z, args->lo[2], args->hi[2]) << 32;
        args->sides[k] = sides;
        all &= sides;
        if (args->is_round) {
            dr_f8 distance = dr_f8_min(dr_field8_of(&obstacle->terms, x).distance,
                                       dr_field8_of(&obstacle->terms, y).distance);
            dr_v8 way = dr_v8_sub(y, x);
            dr_f8_store(args->distance + (size_t)k * 8, distance);
            nearest = dr_f8_min(distance, nearest);
            slip = dr_f8_max(dr_v8_dot(way, way), slip);
        }
    }
    return (dr_guard_chunk){full_bytes(all), least_of(nearest), -least_of(dr_f8_neg(slip))};
}

const dr_guard_kernels DR_KERNEL(dr_guard_kernels);
const dr_guard_kernels DR_KERNEL(dr_guard_kernels) = {bound, classify};
