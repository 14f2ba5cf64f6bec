// Colliders as triangles, for files and for drawing.
#include <math.h>

#include <string.h>

#include "collide/tessellate.h"
#include "contact/body.h"
#include "core/vec_math.h"
#include "scene/world.h"

bool drape_collider_mesh(const drape_world* world, drape_collider_id id, float tolerance,
                         drape_vec3* positions, int* vertex_count, int32_t* triangles,
                         int* triangle_count)
{
    const dr_collider* collider = dr_world_collider(world, id);
    if (!collider || !(tolerance > 0.0f) || !isfinite(tolerance) || !vertex_count ||
        !triangle_count) {
        return false;
    }
    const dr_body* body = collider->body;
    int vertices = body ? body->given_count : 0, faces = body ? body->triangle_count : 0;
    if (!body) {
        dr_tessellate_count(&collider->shape, tolerance, &vertices, &faces);
    }
    bool wants_counts = !positions && !triangles;
    // Arrays that are given come with their room; too little of it is refused.
    if (!wants_counts && (!positions || !triangles || *vertex_count < vertices ||
                          *triangle_count < faces)) {
        return false;
    }
    *vertex_count = vertices;
    *triangle_count = faces;
    if (wants_counts) {
        return true;
    }
    if (body) {
        dr_body_places(body, positions);
        memcpy(triangles, body->triangles, sizeof *body->triangles * (size_t)faces);
    } else {
        dr_tessellate(&collider->shape, tolerance, positions, (int32_t(*)[3])triangles);
    }
    drape_transform pose = collider->pose;
    pose.translate = dr_transform_apply(pose, collider->base.translate);
    for (int i = 0; i < vertices; ++i) {
        positions[i] = dr_transform_apply(pose, positions[i]);
    }
    return true;
}
