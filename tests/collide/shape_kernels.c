// Distance of eight points, compiled once per instruction set.
#include "shape_kernels.h"

#include "collide/shape_lanes.h"

static void field(const dr_shape_terms* terms, const float* points, float* distances,
                  float* normals)
{
    dr_field8 at = dr_field8_of(terms, dr_v8_load(points));
    dr_f8_store(distances, at.distance);
    dr_v8_store(normals, at.normal);
}

const shape_kernels DR_KERNEL(shape_kernels);
const shape_kernels DR_KERNEL(shape_kernels) = {field};
