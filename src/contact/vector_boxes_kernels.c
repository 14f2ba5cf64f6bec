// Boxes round vectors of vertices, compiled once per instruction set.
#include <math.h>

#include "contact/vector_boxes.h"
#include "solver/sheet_lanes.h"

static inline dr_f8 least_of(dr_f8 v[8])
{
    dr_f8_transpose(v);
    dr_f8 a = dr_f8_min(dr_f8_min(v[0], v[1]), dr_f8_min(v[2], v[3]));
    dr_f8 b = dr_f8_min(dr_f8_min(v[4], v[5]), dr_f8_min(v[6], v[7]));
    return dr_f8_min(a, b);
}

// Where the vertices of a vector are at least, and, negated, at most; none at all beyond the end.
static inline void read_vector(const dr_sheet* sheet, int vector, int end, dr_f8 least[6])
{
    dr_f8 far = dr_f8_set(INFINITY);
    for (int c = 0; c < 6; ++c) {
        least[c] = far;
    }
    if (vector >= end) {
        return;
    }
    dr_lanes from = dr_lanes_load(sheet->layout, sheet->start, vector);
    dr_lanes to = dr_lanes_load(sheet->layout, sheet->pos, vector);
    dr_f8 is_free = dr_f8_less(dr_f8_zero(), to.w);
    const dr_f8 a[3] = {from.p.x, from.p.y, from.p.z}, b[3] = {to.p.x, to.p.y, to.p.z};
    for (int c = 0; c < 3; ++c) {
        least[c] = dr_f8_select(is_free, dr_f8_min(a[c], b[c]), far);
        least[c + 3] = dr_f8_select(is_free, dr_f8_neg(dr_f8_max(a[c], b[c])), far);
    }
}

static void bound(const dr_sheet* sheet, int begin, int end, dr_vector_boxes* boxes)
{
    boxes->count = end - begin;
    for (int first = 0; begin + first < end; first += 8) {
        dr_f8 least[6][8], one[6];
        for (int i = 0; i < 8; ++i) {
            read_vector(sheet, begin + first + i, end, one);
            for (int c = 0; c < 6; ++c) {
                least[c][i] = one[c];
            }
        }
        for (int c = 0; c < 3; ++c) {
            dr_f8_store(boxes->lo[c] + first, least_of(least[c]));
            dr_f8_store(boxes->hi[c] + first, dr_f8_neg(least_of(least[c + 3])));
        }
    }
}

static uint32_t near(const dr_vector_boxes* boxes, const float lo[3], const float hi[3],
                     float reach)
{
    uint32_t bits = 0;
    for (int first = 0; first < boxes->count; first += 8) {
        dr_f8 apart = dr_f8_zero();
        for (int c = 0; c < 3; ++c) {
            dr_f8 below = dr_f8_less(dr_f8_load(boxes->hi[c] + first), dr_f8_set(lo[c] - reach));
            dr_f8 above = dr_f8_less(dr_f8_set(hi[c] + reach), dr_f8_load(boxes->lo[c] + first));
            apart = dr_f8_or(apart, dr_f8_or(below, above));
        }
        bits |= (uint32_t)(~dr_f8_bits(apart) & 0xff) << first;
    }
    return bits;
}

const dr_vector_box_kernels DR_KERNEL(dr_vector_box_kernels);
const dr_vector_box_kernels DR_KERNEL(dr_vector_box_kernels) = {bound, near};
