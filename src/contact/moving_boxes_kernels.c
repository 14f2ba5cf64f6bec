// Boxes on their way and pairs of them, compiled once per instruction set.
#include "contact/moving_boxes.h"
#include "core/simd.h"

static inline dr_f8 place_of(const dr_moving_boxes* boxes, int32_t vertex)
{
    return dr_f8_load(boxes->places + (size_t)vertex * DR_MOVING_PLACE);
}

static void refit(const dr_moving_boxes* boxes, int begin, int end)
{
    for (int t = begin; t < end; ++t) {
        const int32_t* v = boxes->sheets->triangles[t];
        dr_f8 a = place_of(boxes, v[0]), b = place_of(boxes, v[1]), c = place_of(boxes, v[2]);
        float* to = boxes->boxes + (size_t)t * DR_MOVING_BOX;
        dr_f8_store(to, dr_f8_min(dr_f8_min(a, b), c));
        dr_f8_store(to + 8, dr_f8_max(dr_f8_max(a, b), c));
    }
}

// Bits of gaps: 0 to 2 along the axes at the start, 4 to 6 at the end. A difference of floats has
// the right sign, so nothing is lost by rounding.
enum { START_BITS = 7 };

static inline int closed_bits(const float* lower, const float* upper)
{
    dr_f8 gap = dr_f8_sub(dr_f8_load(upper), dr_f8_load(lower + 8));
    return dr_f8_bits(dr_f8_less(gap, dr_f8_zero()));
}

static inline dr_first_sight look_at(const float* a, const float* b)
{
    int a_below_b = closed_bits(a, b), b_below_a = closed_bits(b, a);
    if ((a_below_b & b_below_a & START_BITS) == START_BITS) {
        return DR_SIGHT_OVERLAP;
    }
    // A gap that is open at both ends is so all the way.
    int a_open = ~a_below_b & ~(a_below_b >> 4) & START_BITS;
    int b_open = ~b_below_a & ~(b_below_a >> 4) & START_BITS;
    return a_open | b_open ? DR_SIGHT_APART : DR_SIGHT_OPEN;
}

static void look(const dr_moving_boxes* boxes, const dr_pair* pairs, int count, uint8_t* sights)
{
    for (int i = 0; i < count; ++i) {
        const float* a = boxes->boxes + (size_t)pairs[i].a * DR_MOVING_BOX;
        const float* b = boxes->boxes + (size_t)pairs[i].b * DR_MOVING_BOX;
        sights[i] = (uint8_t)look_at(a, b);
    }
}

const dr_moving_boxes_kernels DR_KERNEL(dr_moving_boxes_kernels);
const dr_moving_boxes_kernels DR_KERNEL(dr_moving_boxes_kernels) = {refit, look};
