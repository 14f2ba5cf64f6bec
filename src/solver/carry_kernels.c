// Motion with a frame, compiled once per instruction set.
#include "solver/carry.h"
#include "solver/sheet_lanes.h"

static dr_v8 turn(const float m[9], dr_v8 p)
{
    return (dr_v8){dr_v8_dot(dr_v8_set(m[0], m[1], m[2]), p),
                   dr_v8_dot(dr_v8_set(m[3], m[4], m[5]), p),
                   dr_v8_dot(dr_v8_set(m[6], m[7], m[8]), p)};
}

static float add(const dr_carry* carry, const dr_sheet* sheet, int vector_begin, int vector_end)
{
    dr_layout layout = sheet->layout;
    dr_v8 from = dr_v8_set(carry->from.x, carry->from.y, carry->from.z);
    dr_v8 to = dr_v8_set(carry->to.x, carry->to.y, carry->to.z), none = dr_v8_set(0, 0, 0);
    dr_f8 per_h = dr_f8_set(1.0f / carry->h), fastest = dr_f8_zero();
    for (int k = vector_begin; k < vector_end; ++k) {
        dr_lanes pos = dr_lanes_load(layout, sheet->pos, k);
        dr_lanes vel = dr_lanes_load(layout, sheet->vel, k);
        dr_lanes start = dr_lanes_load(layout, sheet->start, k);
        dr_v8 place = dr_v8_add(to, turn(carry->turn, dr_v8_sub(start.p, from)));
        dr_v8 moved =
            dr_v8_select(dr_f8_less(dr_f8_zero(), pos.w), dr_v8_sub(place, start.p), none);
        pos.p = dr_v8_add(pos.p, moved);
        vel.p = dr_v8_add(vel.p, dr_v8_scale(moved, per_h));
        fastest = dr_f8_max(dr_v8_dot(vel.p, vel.p), fastest);
        dr_lanes_store(layout, sheet->pos, k, pos);
        dr_lanes_store(layout, sheet->vel, k, vel);
        dr_lanes_store(layout, carry->moved, k, (dr_lanes){moved, dr_f8_zero()});
    }
    float lane[8], most = 0.0f;
    dr_f8_store(lane, fastest);
    for (int i = 0; i < 8; ++i) {
        most = lane[i] > most ? lane[i] : most;
    }
    return most;
}

static void take(const dr_carry* carry, const dr_sheet* sheet, int vector_begin, int vector_end)
{
    dr_layout layout = sheet->layout;
    dr_f8 per_h = dr_f8_set(1.0f / carry->h);
    for (int k = vector_begin; k < vector_end; ++k) {
        dr_lanes vel = dr_lanes_load(layout, sheet->vel, k);
        dr_f8 is_free = dr_f8_less(dr_f8_zero(), dr_lanes_load(layout, sheet->pos, k).w);
        dr_v8 moved = dr_lanes_load(layout, carry->moved, k).p;
        dr_v8 left = turn(carry->turn, dr_v8_sub(vel.p, dr_v8_scale(moved, per_h)));
        vel.p = dr_v8_select(is_free, left, vel.p);
        dr_lanes_store(layout, sheet->vel, k, vel);
    }
}

const dr_carry_kernels DR_KERNEL(dr_carry_kernels);
const dr_carry_kernels DR_KERNEL(dr_carry_kernels) = {add, take};
