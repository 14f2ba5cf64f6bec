// contact/mesh_contact_parts.h: what the contacts of vertices (mesh_contact_points.c) and of edges
// and triangles (mesh_contact_features.c) have in common: places in the frame of the body, and
// planes.
#ifndef DR_MESH_CONTACT_PARTS_H
#define DR_MESH_CONTACT_PARTS_H

#include <math.h>

#include "collide/predicates.h"
#include "contact/mesh_contact.h"
#include "core/vec_math.h"

// Weights below this are none: the closest point is on an edge or a vertex.
#define NO_WEIGHT 1e-5f

// --- Places ---

typedef drape_vec3 dr_points3[3];

static inline drape_vec3 local_of(const dr_touch_args* args, int32_t slot)
{
    const float* p = args->local + (size_t)slot * 4;
    return (drape_vec3){p[0], p[1], p[2]};
}

static inline drape_vec3 ahead_of(const dr_touch_args* args, int32_t slot)
{
    const float* p = args->ahead + (size_t)slot * 4;
    return (drape_vec3){p[0], p[1], p[2]};
}

static inline float way_of(const dr_touch_args* args, int32_t slot)
{
    return args->local[(size_t)slot * 4 + 3];
}

// As it was predicted: what a list has near depends on it.
static inline float predicted_way(const dr_touch_args* args, int32_t slot)
{
    return args->ahead[(size_t)slot * 4 + 3];
}

// Most that the body's own vertices go in the substep.
static inline float body_way(const dr_touch_args* args)
{
    const dr_obstacle* obstacle = args->obstacle;
    return obstacle->body->travel * (obstacle->share_end - obstacle->share_start);
}

static inline drape_vec3 body_at(const dr_touch_args* args, int32_t vertex, float share)
{
    const dr_body* body = args->obstacle->body;
    const float* p = body->from + (size_t)vertex * 4;
    drape_vec3 from = {p[0], p[1], p[2]};
    if (!body->is_changing) {
        return from;
    }
    const float* q = body->to + (size_t)vertex * 4;
    return dr_lerp(from, (drape_vec3){q[0], q[1], q[2]}, share);
}

static inline drape_vec3 body_start(const dr_touch_args* args, int32_t vertex)
{
    return body_at(args, vertex, args->obstacle->share_start);
}

static inline drape_vec3 body_end(const dr_touch_args* args, int32_t vertex)
{
    return body_at(args, vertex, args->obstacle->share_end);
}

static inline const int32_t* corners_of(const dr_touch_args* args, int32_t triangle)
{
    return args->obstacle->body->shell.mesh.triangles[triangle];
}

static inline void triangle_at(const dr_touch_args* args, int32_t triangle, float share,
                               dr_points3 x)
{
    const int32_t* v = corners_of(args, triangle);
    for (int k = 0; k < 3; ++k) {
        x[k] = body_at(args, v[k], share);
    }
}

static inline drape_vec3 weighted(const dr_points3 x, const float w[3])
{
    return dr_add(dr_scale(x[0], w[0]), dr_add(dr_scale(x[1], w[1]), dr_scale(x[2], w[2])));
}

static inline drape_vec3 normal_of(const dr_points3 x)
{
    double u[3] = {(double)x[1].x - x[0].x, (double)x[1].y - x[0].y, (double)x[1].z - x[0].z};
    double v[3] = {(double)x[2].x - x[0].x, (double)x[2].y - x[0].y, (double)x[2].z - x[0].z};
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double scale = length > 0.0 ? 1.0 / length : 0.0;
    return (drape_vec3){(float)(n[0] * scale), (float)(n[1] * scale), (float)(n[2] * scale)};
}

static inline int side_of(const dr_points3 x, drape_vec3 p)
{
    return dr_orient3d_positions(x[0], x[1], x[2], p);
}

// --- Planes ---

// A plane of the body between a point of the cloth and itself.
typedef struct dr_touch_plane {
    drape_vec3 normal;  // in the frame of the body at the end of the substep
    drape_vec3 point;   // of the body, at the start
    drape_vec3 carried; // how far the body's own change takes that point
    float distance;     // of the cloth from it at the start, negative inside
    float radius;       // at which the cloth is held from it
} dr_touch_plane;

// Some point of the cloth: its slots and their weights.
typedef struct dr_touch_spot {
    const int32_t* slots;
    const float* weights;
    int count;
} dr_touch_spot;

// Slip of a slot against the body, in its frame.
static inline drape_vec3 slip_of(const dr_touch_args* args, int32_t slot, drape_vec3 carried)
{
    return dr_sub(dr_sub(ahead_of(args, slot), local_of(args, slot)), carried);
}

// Which corners of the triangle carry the closest point: all three inside it.
static inline int corner_bits(const dr_closest* closest)
{
    const float* w = closest->weight;
    return (w[0] > NO_WEIGHT) | (w[1] > NO_WEIGHT) << 1 | (w[2] > NO_WEIGHT) << 2;
}

// Whether the gap may close in this substep.
bool dr_touch_is_in_range(const dr_touch_args* args, const dr_touch_spot* at,
                          const dr_touch_plane* facing, float radius, float reach);
dr_contact1 dr_touch_contact(const dr_touch_args* args, const dr_touch_spot* at,
                             const dr_touch_plane* facing, float radius);
// The normal of a triangle towards a point. In the plane: out of a closed body, else to where the
// point comes from.
drape_vec3 dr_touch_normal(const dr_touch_args* args, const dr_points3 start, const dr_points3 end,
                           drape_vec3 p, drape_vec3 slip);

#endif
