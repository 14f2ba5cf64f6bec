// Ties to held vertices, compiled once per instruction set.
#include "contact/tether.h"
#include "solver/sheet_lanes.h"

static void pull(const dr_tethers* tethers, const dr_sheet* sheet, int vector_begin, int vector_end)
{
    size_t slots = (size_t)tethers->vector_count * 8;
    for (int k = vector_begin; k < vector_end; ++k) {
        dr_lanes pos = dr_lanes_load(sheet->layout, sheet->pos, k);
        dr_f8 is_free = dr_f8_less(dr_f8_zero(), pos.w);
        int moved = 0;
        for (int row = 0; row < tethers->row_count; ++row) {
            size_t at = (size_t)row * slots + (size_t)k * 8;
            dr_f8 anchor[4], length = dr_f8_load(tethers->length + at);
            dr_f8_gather4(tethers->anchors, tethers->anchor + at, anchor);
            dr_v8 end = {anchor[0], anchor[1], anchor[2]}, way = dr_v8_sub(pos.p, end);
            dr_f8 squared = dr_v8_dot(way, way);
            dr_f8 is_long = dr_f8_and(dr_f8_less(dr_f8_mul(length, length), squared), is_free);
            int bits = dr_f8_bits(is_long);
            if (bits) {
                dr_f8 share = dr_f8_div(length, dr_f8_sqrt(squared));
                pos.p = dr_v8_select(is_long, dr_v8_add(end, dr_v8_scale(way, share)), pos.p);
                moved |= bits;
            }
        }
        if (moved) {
            dr_lanes_store(sheet->layout, sheet->pos, k, pos);
        }
    }
}

const dr_tether_kernels DR_KERNEL(dr_tether_kernels);
const dr_tether_kernels DR_KERNEL(dr_tether_kernels) = {pull};
