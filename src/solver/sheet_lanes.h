// solver/sheet_lanes.h: eight consecutive slots of a sheet in registers, whatever the layout. For
// kernel files only.
#ifndef DR_SHEET_LANES_H
#define DR_SHEET_LANES_H

#include "core/simd.h"
#include "solver/sheet.h"

// Position (or velocity) and fourth component of eight slots.
typedef struct dr_lanes {
    dr_v8 p;
    dr_f8 w;
} dr_lanes;

static inline dr_lanes dr_lanes_load(dr_layout layout, const float* array, int vector)
{
    const float* base = array + (size_t)vector * 32;
    if (layout == DR_LAYOUT_STRIPED) {
        return (dr_lanes){dr_v8_load(base), dr_f8_load(base + 24)};
    }
    static const int32_t consecutive[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    dr_f8 c[4];
    dr_f8_gather4(base, consecutive, c);
    return (dr_lanes){{c[0], c[1], c[2]}, c[3]};
}

static inline void dr_lanes_store(dr_layout layout, float* array, int vector, dr_lanes lanes)
{
    float* base = array + (size_t)vector * 32;
    if (layout == DR_LAYOUT_STRIPED) {
        dr_v8_store(base, lanes.p);
        dr_f8_store(base + 24, lanes.w);
        return;
    }
    static const int32_t consecutive[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    dr_f8 c[4] = {lanes.p.x, lanes.p.y, lanes.p.z, lanes.w};
    dr_f8_scatter4(base, consecutive, c);
}

#endif
