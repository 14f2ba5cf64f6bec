// shape_kernels.h: the eight-wide distance of collide/shape_lanes.h, one per instruction set.
#ifndef SHAPE_KERNELS_H
#define SHAPE_KERNELS_H

#include "collide/shape.h"
#include "core/isa.h"

typedef struct shape_kernels {
    // Eight points, x then y then z, to eight distances and normals in the same order.
    void (*field)(const dr_shape_terms* terms, const float* points, float* distances,
                  float* normals);
} shape_kernels;

const shape_kernels* shape_kernels_for(drape_isa isa);

#endif
