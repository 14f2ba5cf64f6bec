// collide/shape.h: analytic solids in their own frame.
//
// All of them are convex, so the signed distance is a convex function of the point: along an edge
// it has one minimum, and the tangent plane at a closest point has the whole solid behind it.
#ifndef DR_SHAPE_H
#define DR_SHAPE_H

#include <drape/types.h>

// Null when the shape is sound, else what is wrong with it.
const char* dr_shape_refusal(const drape_shape* shape);
// A capsule one of whose balls holds the other becomes that ball; `center` receives its place.
drape_shape dr_shape_simplify(drape_shape shape, drape_vec3* center);

// A point of the solid furthest along a direction; (0, 0, 0) for a plane along its normal.
drape_vec3 dr_shape_support(const drape_shape* shape, drape_vec3 direction);
// Smallest radius of curvature of the surface: 0 for boxes, infinite for planes.
float dr_shape_roundness(const drape_shape* shape);

// Radius of the largest ball inside the solid, about: infinite for planes.
float dr_shape_inner_radius(const drape_shape* shape);

// Which side of each pair of faces of a box a point is on, six bits; points with the same code have
// no edge or corner of the box between them. 0 for all other shapes.
static inline uint8_t dr_shape_region(const drape_shape* shape, drape_vec3 p)
{
    if (shape->kind != DRAPE_SHAPE_BOX) {
        return 0;
    }
    drape_vec3 e = {0.5f * shape->size.x, 0.5f * shape->size.y, 0.5f * shape->size.z};
    return (uint8_t)((p.x < -e.x) | (p.x > e.x) << 1 | (p.y < -e.y) << 2 | (p.y > e.y) << 3 |
                     (p.z < -e.z) << 4 | (p.z > e.z) << 5);
}

// The constants of a shape as kernels want them.
typedef struct dr_shape_terms {
    drape_shape_kind kind;
    float radius, radius_top, height, half_height;
    float slope, cosine; // of the mantle of a capsule: sine and cosine of its tilt
    drape_vec3 half;     // half sizes of a box
} dr_shape_terms;

dr_shape_terms dr_shape_terms_of(const drape_shape* shape);
// Signed distance of a point, negative inside; `normal` is its unit gradient.
float dr_shape_distance(const dr_shape_terms* terms, drape_vec3 p, drape_vec3* normal);

#endif
