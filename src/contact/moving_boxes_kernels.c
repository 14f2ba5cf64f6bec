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

// The gaps between the greatest values of one box and the least of another.
typedef struct gaps {
    int closed; // below zero
    int small;  // below `tight`
} gaps;

static inline gaps gaps_of(const float* lower, const float* upper, dr_f8 tight)
{
    dr_f8 gap = dr_f8_sub(dr_f8_load(upper), dr_f8_load(lower + 8));
    return (gaps){dr_f8_bits(dr_f8_less(gap, dr_f8_zero())), dr_f8_bits(dr_f8_less(gap, tight))};
}

static inline dr_first_sight look_at(const float* a, const float* b, dr_f8 tight)
{
    gaps ab = gaps_of(a, b, tight), ba = gaps_of(b, a, tight);
    if ((ab.closed & ba.closed & START_BITS) == START_BITS) {
        return DR_SIGHT_OVERLAP;
    }
    // A gap that is open at both ends is so all the way.
    int ab_open = ~ab.closed & ~(ab.closed >> 4), ba_open = ~ba.closed & ~(ba.closed >> 4);
    if ((ab_open | ba_open) & START_BITS) {
        return DR_SIGHT_APART;
    }
    int small = (ab.small & ~ab.closed) | (ba.small & ~ba.closed);
    return small & START_BITS ? DR_SIGHT_TIGHT : DR_SIGHT_OPEN;
}

static void look(const dr_moving_boxes* boxes, const dr_pair* pairs, int count, float tight,
                 uint8_t* sights)
{
    dr_f8 least = dr_f8_set(tight);
    for (int i = 0; i < count; ++i) {
        const float* a = boxes->boxes + (size_t)pairs[i].a * DR_MOVING_BOX;
        const float* b = boxes->boxes + (size_t)pairs[i].b * DR_MOVING_BOX;
        sights[i] = (uint8_t)look_at(a, b, least);
    }
}

const dr_moving_boxes_kernels DR_KERNEL(dr_moving_boxes_kernels);
const dr_moving_boxes_kernels DR_KERNEL(dr_moving_boxes_kernels) = {refit, look};
