#include "collide/shape.h"

#include <math.h>

#include "core/vec_math.h"

const char* dr_shape_refusal(const drape_shape* shape)
{
    switch (shape->kind) {
    case DRAPE_SHAPE_PLANE: return NULL;
    case DRAPE_SHAPE_SPHERE:
        return shape->radius > 0.0f && isfinite(shape->radius)
                   ? NULL
                   : "a sphere needs a finite radius above 0";
    case DRAPE_SHAPE_CAPSULE:
        if (!(shape->radius > 0.0f) || !(shape->radius_top > 0.0f) ||
            !isfinite(shape->radius + shape->radius_top)) {
            return "a capsule needs finite radii above 0";
        }
        return shape->height >= 0.0f && isfinite(shape->height)
                   ? NULL
                   : "a capsule needs a finite height of at least 0";
    case DRAPE_SHAPE_BOX:
        return shape->size.x > 0.0f && shape->size.y > 0.0f && shape->size.z > 0.0f &&
                       isfinite(shape->size.x + shape->size.y + shape->size.z)
                   ? NULL
                   : "a box needs three finite sizes above 0";
    }
    return "unknown kind of collider";
}

drape_shape dr_shape_simplify(drape_shape shape, drape_vec3* center)
{
    *center = (drape_vec3){0.0f, 0.0f, 0.0f};
    if (shape.kind != DRAPE_SHAPE_CAPSULE ||
        fabsf(shape.radius - shape.radius_top) < shape.height) {
        return shape;
    }
    bool bottom = shape.radius >= shape.radius_top;
    center->y = bottom ? -0.5f * shape.height : 0.5f * shape.height;
    return (drape_shape){.kind = DRAPE_SHAPE_SPHERE,
                         .radius = bottom ? shape.radius : shape.radius_top};
}

dr_shape_terms dr_shape_terms_of(const drape_shape* shape)
{
    dr_shape_terms terms = {.kind = shape->kind,
                            .radius = shape->radius,
                            .radius_top = shape->radius_top,
                            .height = shape->height,
                            .half_height = 0.5f * shape->height,
                            .cosine = 1.0f,
                            .half = dr_scale(shape->size, 0.5f)};
    if (shape->kind == DRAPE_SHAPE_CAPSULE && shape->height > 0.0f) {
        terms.slope = (shape->radius - shape->radius_top) / shape->height;
        terms.cosine = sqrtf(1.0f - terms.slope * terms.slope);
    }
    return terms;
}

// Distance to a ball; the normal at its centre points up.
static float ball_distance(drape_vec3 p, float radius, drape_vec3* normal)
{
    float length = sqrtf(dr_dot(p, p));
    *normal = length > 0.0f ? dr_scale(p, 1.0f / length) : (drape_vec3){0.0f, 1.0f, 0.0f};
    return length - radius;
}

static float capsule_distance(const dr_shape_terms* t, drape_vec3 p, drape_vec3* normal)
{
    float y = p.y + t->half_height, radial = sqrtf(p.x * p.x + p.z * p.z);
    float along = y * t->cosine - radial * t->slope;
    if (along < 0.0f) {
        return ball_distance((drape_vec3){p.x, y, p.z}, t->radius, normal);
    }
    if (along > t->cosine * t->height) {
        return ball_distance((drape_vec3){p.x, y - t->height, p.z}, t->radius_top, normal);
    }
    float out = radial > 0.0f ? t->cosine / radial : 0.0f;
    *normal = (drape_vec3){radial > 0.0f ? p.x * out : t->cosine, t->slope, p.z * out};
    return radial * t->cosine + y * t->slope - t->radius;
}

static float box_distance(drape_vec3 half, drape_vec3 p, drape_vec3* normal)
{
    float c[3] = {p.x, p.y, p.z}, e[3] = {half.x, half.y, half.z}, n[3] = {0.0f, 0.0f, 0.0f};
    float out[3], squared = 0.0f, deepest = -INFINITY;
    int axis = 0;
    for (int i = 0; i < 3; ++i) {
        float d = fabsf(c[i]) - e[i];
        out[i] = d > 0.0f ? d : 0.0f;
        squared += out[i] * out[i];
        if (d > deepest) {
            deepest = d;
            axis = i;
        }
    }
    float distance = squared > 0.0f ? sqrtf(squared) : deepest;
    if (squared > 0.0f) {
        for (int i = 0; i < 3; ++i) {
            n[i] = copysignf(out[i] / distance, c[i]);
        }
    } else {
        n[axis] = c[axis] < 0.0f ? -1.0f : 1.0f;
    }
    *normal = (drape_vec3){n[0], n[1], n[2]};
    return distance;
}

float dr_shape_distance(const dr_shape_terms* terms, drape_vec3 p, drape_vec3* normal)
{
    switch (terms->kind) {
    case DRAPE_SHAPE_SPHERE: return ball_distance(p, terms->radius, normal);
    case DRAPE_SHAPE_CAPSULE: return capsule_distance(terms, p, normal);
    case DRAPE_SHAPE_BOX: return box_distance(terms->half, p, normal);
    case DRAPE_SHAPE_PLANE: break;
    }
    *normal = (drape_vec3){0.0f, 1.0f, 0.0f};
    return p.y;
}

drape_vec3 dr_shape_support(const drape_shape* shape, drape_vec3 direction)
{
    drape_vec3 d = dr_normalize(direction);
    switch (shape->kind) {
    case DRAPE_SHAPE_SPHERE: return dr_scale(d, shape->radius);
    case DRAPE_SHAPE_CAPSULE: {
        float half = 0.5f * shape->height;
        bool top = d.y * half + shape->radius_top > -d.y * half + shape->radius;
        drape_vec3 tip = dr_scale(d, top ? shape->radius_top : shape->radius);
        return dr_add(tip, (drape_vec3){0.0f, top ? half : -half, 0.0f});
    }
    case DRAPE_SHAPE_BOX:
        return (drape_vec3){copysignf(0.5f * shape->size.x, d.x),
                            copysignf(0.5f * shape->size.y, d.y),
                            copysignf(0.5f * shape->size.z, d.z)};
    case DRAPE_SHAPE_PLANE: break;
    }
    return (drape_vec3){0.0f, 0.0f, 0.0f};
}

float dr_shape_roundness(const drape_shape* shape)
{
    switch (shape->kind) {
    case DRAPE_SHAPE_SPHERE: return shape->radius;
    case DRAPE_SHAPE_CAPSULE: return fminf(shape->radius, shape->radius_top);
    case DRAPE_SHAPE_BOX: return 0.0f;
    case DRAPE_SHAPE_PLANE: break;
    }
    return INFINITY;
}

float dr_shape_inner_radius(const drape_shape* shape)
{
    if (shape->kind == DRAPE_SHAPE_BOX) {
        return 0.5f * fminf(shape->size.x, fminf(shape->size.y, shape->size.z));
    }
    return dr_shape_roundness(shape);
}
