// collide_test.h: what the tests of the solids share.
#ifndef COLLIDE_TEST_H
#define COLLIDE_TEST_H

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "../support.h"
#include "collide/shape.h"
#include "core/random.h"
#include "core/vec_math.h"

// One of each kind, and the awkward ones.
static const drape_shape test_shapes[] = {
    {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f},
    {.kind = DRAPE_SHAPE_SPHERE, .radius = 20.0f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.1f, .radius_top = 0.1f, .height = 0.5f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.2f, .radius_top = 0.05f, .height = 0.4f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.02f, .radius_top = 0.3f, .height = 0.3f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.1f, .radius_top = 0.1f, .height = 0.001f},
    {.kind = DRAPE_SHAPE_BOX, .size = {0.5f, 0.05f, 0.8f}},
    {.kind = DRAPE_SHAPE_BOX, .size = {1.0f, 1.0f, 1.0f}},
    {.kind = DRAPE_SHAPE_PLANE},
};

enum { test_shape_count = sizeof test_shapes / sizeof test_shapes[0] };

// Half the width of a cube that holds the solid.
static inline float shape_extent(const drape_shape* shape)
{
    switch (shape->kind) {
    case DRAPE_SHAPE_SPHERE: return shape->radius;
    case DRAPE_SHAPE_CAPSULE:
        return 0.5f * shape->height + fmaxf(shape->radius, shape->radius_top);
    case DRAPE_SHAPE_BOX: return 0.5f * fmaxf(shape->size.x, fmaxf(shape->size.y, shape->size.z));
    case DRAPE_SHAPE_PLANE: break;
    }
    return 1.0f;
}

static inline drape_vec3 random_vec(uint32_t seed, uint32_t index, float size)
{
    return (drape_vec3){size * dr_random_signed(seed, 3 * index),
                        size * dr_random_signed(seed, 3 * index + 1),
                        size * dr_random_signed(seed, 3 * index + 2)};
}

static inline float distance_to(const drape_shape* shape, drape_vec3 p)
{
    dr_shape_terms terms = dr_shape_terms_of(shape);
    drape_vec3 normal;
    return dr_shape_distance(&terms, p, &normal);
}

#endif
