#include "contact/mesh_contact.h"

#include <math.h>

#include "collide/predicates.h"
#include "collide/separation.h"
#include "collide/tree_query.h"
#include "core/isa.h"
#include "core/vec_math.h"

DR_KERNEL_TABLE(dr_touch_kernels)

// Weights below this are none: the closest point is on an edge or a vertex.
#define NO_WEIGHT 1e-5f

// --- Places ---

typedef drape_vec3 points3[3];

static drape_vec3 local_of(const dr_touch_args* args, int32_t slot)
{
    const float* p = args->local + (size_t)slot * 4;
    return (drape_vec3){p[0], p[1], p[2]};
}

static drape_vec3 ahead_of(const dr_touch_args* args, int32_t slot)
{
    const float* p = args->ahead + (size_t)slot * 4;
    return (drape_vec3){p[0], p[1], p[2]};
}

static float way_of(const dr_touch_args* args, int32_t slot)
{
    return args->local[(size_t)slot * 4 + 3];
}

// Most that the body's own vertices go in the substep.
static float body_way(const dr_touch_args* args)
{
    const dr_obstacle* obstacle = args->obstacle;
    return obstacle->body->travel * (obstacle->share_end - obstacle->share_start);
}

static drape_vec3 body_at(const dr_touch_args* args, int32_t vertex, float share)
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

static drape_vec3 body_start(const dr_touch_args* args, int32_t vertex)
{
    return body_at(args, vertex, args->obstacle->share_start);
}

static drape_vec3 body_end(const dr_touch_args* args, int32_t vertex)
{
    return body_at(args, vertex, args->obstacle->share_end);
}

static const int32_t* corners_of(const dr_touch_args* args, int32_t triangle)
{
    return args->obstacle->body->shell.mesh.triangles[triangle];
}

static void triangle_at(const dr_touch_args* args, int32_t triangle, float share, points3 x)
{
    const int32_t* v = corners_of(args, triangle);
    for (int k = 0; k < 3; ++k) {
        x[k] = body_at(args, v[k], share);
    }
}

static drape_vec3 weighted(const points3 x, const float w[3])
{
    return dr_add(dr_scale(x[0], w[0]), dr_add(dr_scale(x[1], w[1]), dr_scale(x[2], w[2])));
}

static drape_vec3 normal_of(const points3 x)
{
    double u[3] = {(double)x[1].x - x[0].x, (double)x[1].y - x[0].y, (double)x[1].z - x[0].z};
    double v[3] = {(double)x[2].x - x[0].x, (double)x[2].y - x[0].y, (double)x[2].z - x[0].z};
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double scale = length > 0.0 ? 1.0 / length : 0.0;
    return (drape_vec3){(float)(n[0] * scale), (float)(n[1] * scale), (float)(n[2] * scale)};
}

static int side_of(const points3 x, drape_vec3 p)
{
    return dr_orient3d_positions(x[0], x[1], x[2], p);
}

// --- Contacts ---

// A plane of the body between a point of the cloth and itself.
typedef struct plane {
    drape_vec3 normal;  // in the frame of the body at the end of the substep
    drape_vec3 point;   // of the body, at the start
    drape_vec3 carried; // how far the body's own change takes that point
    float distance;     // of the cloth from it at the start, negative inside
} plane;

// Some point of the cloth: its slots and their weights.
typedef struct spot {
    const int32_t* slots;
    const float* weights;
    int count;
} spot;

// Slip of a slot against the body, in its frame.
static drape_vec3 slip_of(const dr_touch_args* args, int32_t slot, drape_vec3 carried)
{
    return dr_sub(dr_sub(ahead_of(args, slot), local_of(args, slot)), carried);
}

// Whether the gap may close in this substep.
static bool is_in_range(const dr_touch_args* args, const spot* at, const plane* facing, float radius,
                        float reach)
{
    float closing = 0.0f, furthest = 0.0f;
    for (int i = 0; i < at->count; ++i) {
        drape_vec3 slip = slip_of(args, at->slots[i], facing->carried);
        closing = fmaxf(closing, -dr_dot(slip, facing->normal));
        furthest = fmaxf(furthest, dr_dot(slip, slip));
    }
    return facing->distance - radius - closing - 0.5f * sqrtf(furthest) <= reach;
}

static dr_contact1 contact_of(const dr_touch_args* args, const spot* at, const plane* facing,
                              float radius)
{
    const dr_obstacle* obstacle = args->obstacle;
    drape_vec3 start = {0, 0, 0}, local = {0, 0, 0};
    dr_contact1 contact = {.friction = args->friction,
                           .gap = fmaxf(facing->distance - radius, -args->range.recovery),
                           .normal = dr_matrix_apply(obstacle->rotation_end, facing->normal)};
    for (int i = 0; i < 3; ++i) {
        int32_t slot = at->slots[i < at->count ? i : 0];
        float weight = i < at->count ? at->weights[i] : 0.0f;
        contact.slot[i] = slot;
        contact.weight[i] = weight;
        drape_vec3 p = dr_sheet_get(args->sheet->layout, args->sheet->start, slot);
        start = dr_add(start, dr_scale(p, weight));
        local = dr_add(local, dr_scale(local_of(args, slot), weight));
    }
    drape_vec3 moved = dr_add(obstacle->shift, dr_matrix_apply(obstacle->turn, local));
    moved = dr_add(moved, dr_matrix_apply(obstacle->rotation_end, facing->carried));
    contact.anchor = dr_add(start, moved);
    return contact;
}

// --- Vertices ---

// Which corners of the triangle carry the closest point: all three inside it.
static int corner_bits(const dr_closest* closest)
{
    const float* w = closest->weight;
    return (w[0] > NO_WEIGHT) | (w[1] > NO_WEIGHT) << 1 | (w[2] > NO_WEIGHT) << 2;
}

static bool has_corners(const int32_t* triangle, const int32_t* of, int bits)
{
    for (int k = 0; k < 3; ++k) {
        bool has = of[k] == triangle[0] || of[k] == triangle[1] || of[k] == triangle[2];
        if (bits >> k & 1 && !has) {
            return false;
        }
    }
    return true;
}

// Whether no triangle around the closest point comes nearer than it.
static bool is_least(const dr_touch_args* args, const dr_touch_near* near, int count, int index)
{
    int bits = corner_bits(&near[index].closest);
    const int32_t* corners = corners_of(args, near[index].feature);
    for (int i = 0; bits != 7 && i < count; ++i) {
        if (near[i].closest.squared < 0.9999f * near[index].closest.squared &&
            has_corners(corners_of(args, near[i].feature), corners, bits)) {
            return false;
        }
    }
    return true;
}

// The direction in which the body ends at the closest point: of the triangle, of both at an edge, of
// all at a vertex. Its sign tells the inside (Baerentzen, Aanaes 2005).
static drape_vec3 outward(const dr_touch_args* args, const dr_touch_near* near)
{
    const dr_body* body = args->obstacle->body;
    const dr_mesh* mesh = &body->shell.mesh;
    const int32_t* v = corners_of(args, near->feature);
    int bits = corner_bits(&near->closest);
    points3 x;
    triangle_at(args, near->feature, args->obstacle->share_start, x);
    drape_vec3 n = normal_of(x);
    for (int k = 0; k < 3; ++k) {
        if (bits == 1 << k) {
            const float* sum = body->normals + (size_t)v[k] * 4;
            return (drape_vec3){sum[0], sum[1], sum[2]};
        }
        if (bits == (7 ^ 1 << k)) {
            const int32_t* t = mesh->edges[mesh->triangle_edges[3 * near->feature + k]].t;
            triangle_at(args, t[t[0] == near->feature], args->obstacle->share_start, x);
            return dr_add(n, normal_of(x));
        }
    }
    return n;
}

static bool is_inside(const dr_touch_args* args, drape_vec3 p, const dr_touch_near* near)
{
    if (!args->obstacle->body->is_closed) {
        return false;
    }
    points3 x;
    triangle_at(args, near->feature, args->obstacle->share_start, x);
    if (corner_bits(&near->closest) == 7) {
        return side_of(x, p) < 0;
    }
    return dr_dot(dr_sub(p, weighted(x, near->closest.weight)), outward(args, near)) < 0.0f;
}

// The normal of a triangle towards a point. In the plane: out of a closed body, else to where the
// point comes from.
static drape_vec3 normal_towards(const dr_touch_args* args, const points3 start, const points3 end,
                                 drape_vec3 p, drape_vec3 slip)
{
    drape_vec3 n = normal_of(end);
    int side = side_of(start, p);
    bool is_open = !args->obstacle->body->is_closed;
    bool is_behind = side < 0 || (side == 0 && is_open && dr_dot(slip, n) > 0.0f);
    return is_behind ? dr_scale(n, -1.0f) : n;
}

static plane touch_triangle(const dr_touch_args* args, int32_t slot, const dr_touch_near* near)
{
    points3 start, end;
    triangle_at(args, near->feature, args->obstacle->share_start, start);
    triangle_at(args, near->feature, args->obstacle->share_end, end);
    drape_vec3 p = local_of(args, slot);
    plane t = {.point = weighted(start, near->closest.weight),
               .distance = sqrtf(near->closest.squared)};
    t.carried = dr_sub(weighted(end, near->closest.weight), t.point);
    if (corner_bits(&near->closest) == 7) {
        t.normal = normal_towards(args, start, end, p, slip_of(args, slot, t.carried));
        return t;
    }
    t.normal = dr_scale(dr_sub(p, t.point), 1.0f / t.distance);
    // The difference of two points that nearly coincide has lost its direction.
    if (!(t.distance > 0.05f * args->range.radius)) {
        const drape_vec3 v[4] = {p, start[0], start[1], start[2]};
        dr_separation s = dr_separate_point_triangle(v);
        t.normal = s.gap > 0.0 ? (drape_vec3){(float)s.normal[0], (float)s.normal[1],
                                              (float)s.normal[2]}
                               : normal_towards(args, start, end, p, slip_of(args, slot, t.carried));
    }
    return t;
}

// Whether a plane that is already held keeps the vertex from this point of the body as well.
static bool is_behind_others(const dr_touch_args* args, const dr_touch_near* near,
                             const plane* others, int count)
{
    if (count == 0) {
        return false;
    }
    points3 x;
    triangle_at(args, near->feature, args->obstacle->share_start, x);
    drape_vec3 point = weighted(x, near->closest.weight);
    float little = 0.01f * sqrtf(near->closest.squared);
    for (int i = 0; i < count; ++i) {
        if (dr_dot(others[i].normal, dr_sub(point, others[i].point)) <= little) {
            return true;
        }
    }
    return false;
}

// When the way of a vertex meets the triangle, from 0 to 1, and where; false when it does not.
static bool meets(const dr_touch_args* args, drape_vec3 p, drape_vec3 q, int32_t triangle, float* time,
                  dr_closest* at)
{
    points3 start, end, now;
    triangle_at(args, triangle, args->obstacle->share_start, start);
    triangle_at(args, triangle, args->obstacle->share_end, end);
    int side = side_of(start, p), side_end = side_of(end, q);
    // Out of a closed body the way is free.
    bool leaves = args->obstacle->body->is_closed && side < 0;
    if (side == 0 || side == side_end || leaves) {
        return false;
    }
    float before = fabsf(dr_dot(normal_of(start), dr_sub(p, start[0])));
    float after = fabsf(dr_dot(normal_of(end), dr_sub(q, end[0])));
    float t = before + after > 0.0f ? before / (before + after) : 0.0f;
    for (int k = 0; k < 3; ++k) {
        now[k] = dr_lerp(start[k], end[k], t);
    }
    drape_vec3 hit = dr_lerp(p, q, t);
    *at = dr_closest_point_triangle(hit, now[0], now[1], now[2]);
    *time = t;
    // In the plane up to rounding, so the distance is that from the triangle's border.
    float little = 0.01f * args->range.radius;
    return at->squared <= little * little;
}

// The first triangle on the way of a vertex, as a contact with its plane.
static bool touch_first(const dr_touch_args* args, int32_t slot, const dr_touch_near* near, int count,
                        plane* out)
{
    drape_vec3 p = local_of(args, slot), q = ahead_of(args, slot);
    float first = 2.0f, time;
    dr_closest at, best = {0};
    int32_t triangle = -1;
    for (int i = 0; i < count; ++i) {
        if (meets(args, p, q, near[i].feature, &time, &at) && time < first) {
            first = time;
            best = at;
            triangle = near[i].feature;
        }
    }
    if (triangle < 0) {
        return false;
    }
    points3 start, end;
    triangle_at(args, triangle, args->obstacle->share_start, start);
    triangle_at(args, triangle, args->obstacle->share_end, end);
    *out = (plane){.point = weighted(start, best.weight)};
    out->carried = dr_sub(weighted(end, best.weight), out->point);
    out->normal = normal_towards(args, start, end, p, slip_of(args, slot, out->carried));
    out->distance = fabsf(dr_dot(normal_of(start), dr_sub(p, start[0])));
    return true;
}

static int nearest_of(const dr_touch_near* near, int count)
{
    int nearest = 0;
    for (int i = 1; i < count; ++i) {
        nearest = near[i].closest.squared < near[nearest].closest.squared ? i : nearest;
    }
    return nearest;
}

// All planes that hold a vertex, the nearest first.
static int touch_all(const dr_touch_args* args, const spot* at, const dr_touch_near* near, int count,
                     int nearest, plane* out)
{
    const dr_contact_range* range = &args->range;
    int made = 0;
    for (int i = -1; i < count && made < DR_TOUCH_MOST - 1; ++i) {
        int k = i < 0 ? nearest : i;
        if (i == nearest || is_behind_others(args, &near[k], out, made) ||
            !is_least(args, near, count, k)) {
            continue;
        }
        plane t = touch_triangle(args, at->slots[0], &near[k]);
        if (is_in_range(args, at, &t, range->radius, range->static_radius)) {
            out[made++] = t;
        }
    }
    return made;
}

int dr_touch_point(const dr_touch_args* args, int32_t slot, const dr_touch_list* list,
                   dr_contact1* out, float* nearest)
{
    const dr_contact_range* range = &args->range;
    float way = way_of(args, slot) + body_way(args);
    float limit = range->radius + range->static_radius + 1.5f * way;
    dr_touch_near near[DR_TOUCH_MOST_NEAR];
    plane touches[DR_TOUCH_MOST];
    int found = args->kernels->near_triangles(args, &slot, list, limit, near);
    *nearest = limit;
    if (found == 0) {
        return 0;
    }
    int first = nearest_of(near, found), made = 0;
    *nearest = sqrtf(near[first].closest.squared);
    const float one = 1.0f;
    spot at = {&slot, &one, 1};
    if (is_inside(args, local_of(args, slot), &near[first])) {
        *nearest = 0.0f;
        touches[0] = touch_triangle(args, slot, &near[first]);
        touches[0].normal = dr_scale(touches[0].normal, -1.0f);
        touches[0].distance = -touches[0].distance;
        made = 1;
    } else {
        made = touch_all(args, &at, near, found, first, touches);
        if (*nearest < way && touch_first(args, slot, near, found, &touches[made])) {
            plane most_urgent = touches[made];
            touches[made++] = touches[0];
            touches[0] = most_urgent;
        }
    }
    for (int i = 0; i < made; ++i) {
        out[i] = contact_of(args, &at, &touches[i], range->radius);
    }
    return made;
}

float dr_touch_distance(const dr_touch_args* args, int32_t slot, const dr_touch_list* list,
                        float limit)
{
    dr_touch_near near[DR_TOUCH_MOST_NEAR];
    int found = args->kernels->near_triangles(args, &slot, list, limit, near);
    if (found == 0) {
        return INFINITY;
    }
    const dr_touch_near* nearest = &near[nearest_of(near, found)];
    float distance = sqrtf(nearest->closest.squared);
    return is_inside(args, local_of(args, slot), nearest) ? -distance : distance;
}

// --- Between vertices ---

// Whether the vertices around an edge of the body lie behind a plane through it.
static bool edge_is_least(const dr_touch_args* args, const dr_edge* edge, drape_vec3 point,
                          drape_vec3 normal)
{
    for (int side = 0; side < 2 && edge->t[side] >= 0; ++side) {
        const int32_t* v = corners_of(args, edge->t[side]);
        for (int k = 0; k < 3; ++k) {
            drape_vec3 d = dr_sub(body_start(args, v[k]), point);
            if (v[k] != edge->v[0] && v[k] != edge->v[1] &&
                dr_dot(d, normal) > 0.01f * sqrtf(dr_dot(d, d))) {
                return false;
            }
        }
    }
    return true;
}

static bool vertex_is_least(const dr_touch_args* args, int32_t vertex, drape_vec3 normal)
{
    const dr_mesh* mesh = &args->obstacle->body->shell.mesh;
    drape_vec3 p = body_start(args, vertex);
    for (int i = mesh->vertex_triangle_start[vertex]; i < mesh->vertex_triangle_start[vertex + 1];
         ++i) {
        const int32_t* v = corners_of(args, mesh->vertex_triangle_list[i]);
        for (int k = 0; k < 3; ++k) {
            drape_vec3 d = dr_sub(body_start(args, v[k]), p);
            if (dr_dot(d, normal) > 0.01f * sqrtf(dr_dot(d, d))) {
                return false;
            }
        }
    }
    return true;
}

// What of the body is met: an edge inside, or a vertex.
typedef struct tip {
    const dr_edge* edge; // null: the vertex
    int32_t vertex;
    dr_bend bend;
} tip;

static bool tip_is_least(const dr_touch_args* args, const tip* of, drape_vec3 point,
                         drape_vec3 normal)
{
    return of->edge ? edge_is_least(args, of->edge, point, normal)
                    : vertex_is_least(args, of->vertex, normal);
}

// Whether a point is inside the body: what a ray meets first is then seen from behind.
static bool is_enclosed(const dr_touch_args* args, drape_vec3 p, drape_vec3 direction)
{
    const dr_body* body = args->obstacle->body;
    dr_ray ray = {p, direction, 0.0f, 2.0f * args->depth};
    dr_ray_hit hit;
    if (!dr_tree_ray_nearest(&body->shell.tree, body->from, 4, &ray, &hit)) {
        return false;
    }
    points3 x;
    triangle_at(args, hit.triangle, 0.0f, x);
    return dr_dot(normal_of(x), direction) > 0.0f;
}

// Whether what goes through an edge or vertex goes into the body, not out of it: then it is held.
static bool enters(const dr_touch_args* args, const tip* of, const plane* t)
{
    const dr_body* body = args->obstacle->body;
    if (!body->is_closed) {
        return true;
    }
    drape_vec3 out = {0, 0, 0};
    for (int side = 0; of->edge && side < 2; ++side) {
        points3 x;
        triangle_at(args, of->edge->t[side], args->obstacle->share_start, x);
        out = dr_add(out, normal_of(x));
    }
    if (!of->edge) {
        const float* sum = body->normals + (size_t)of->vertex * 4;
        out = (drape_vec3){sum[0], sum[1], sum[2]};
    }
    return dr_dot(out, t->normal) > 0.0f;
}

// Turns a plane so that the body is behind it. What lies inside a closed body looks at it from behind;
// false when it is neither this way nor that.
static bool turn_out(const dr_touch_args* args, const tip* of, plane* t)
{
    if (tip_is_least(args, of, t->point, t->normal)) {
        return true;
    }
    drape_vec3 p = dr_add(t->point, dr_scale(t->normal, t->distance));
    t->normal = dr_scale(t->normal, -1.0f);
    t->distance = -t->distance;
    return args->obstacle->body->is_closed && -t->distance < args->depth &&
           tip_is_least(args, of, t->point, t->normal) && is_enclosed(args, p, t->normal);
}

static bool is_same_spot(const dr_contact1* a, const dr_contact1* b)
{
    float apart = 0.0f;
    for (int k = 0; k < 3; ++k) {
        apart = fmaxf(apart, fabsf(a->weight[k] - b->weight[k]));
    }
    return apart < 1e-3f;
}

// Contacts of one edge or triangle, and what is left of their gaps at the end as predicted.
typedef struct contact_list {
    dr_contact1* out;
    float left[DR_TOUCH_MOST];
    int count;
} contact_list;

static float left_at_end(const dr_touch_args* args, const spot* at, const plane* t)
{
    float left = t->distance;
    for (int i = 0; i < at->count; ++i) {
        left += at->weights[i] * dr_dot(slip_of(args, at->slots[i], t->carried), t->normal);
    }
    return left;
}

// Adds the contact when it is near enough. Of too many the least urgent go.
static void add_touch(const dr_touch_args* args, const spot* at, const plane* t, dr_bend bend,
                      contact_list* list)
{
    bool is_sharp = bend == DR_BEND_SHARP;
    float radius = args->feature_radius[is_sharp];
    if (!is_in_range(args, at, t, radius, args->feature_static[is_sharp])) {
        return;
    }
    dr_contact1 contact = contact_of(args, at, t, radius);
    float left = left_at_end(args, at, t);
    int place = list->count, widest = 0;
    for (int i = 0; i < list->count; ++i) {
        widest = list->left[i] > list->left[widest] ? i : widest;
        if (is_same_spot(&list->out[i], &contact)) {
            place = i;
        }
    }
    place = place < DR_TOUCH_MOST ? place : widest;
    if (place < list->count && left >= list->left[place]) {
        return;
    }
    list->out[place] = contact;
    list->left[place] = left;
    list->count += place == list->count;
}

// How far to look for what an edge or triangle may meet.
static float feature_limit(const dr_touch_args* args, const int32_t* slots, int count, float* way)
{
    *way = 0.0f;
    for (int i = 0; i < count; ++i) {
        *way = fmaxf(*way, way_of(args, slots[i]));
    }
    *way += body_way(args);
    int sharpest = !args->obstacle->body->is_smooth;
    float reach = args->feature_radius[sharpest] + args->feature_static[sharpest] + 1.5f * *way;
    return args->obstacle->body->is_closed ? fmaxf(reach, args->depth) : reach;
}

// Whether something of this bend is too far to be touched, and to be inside.
static bool is_far(const dr_touch_args* args, const tip* of, float distance, float way)
{
    bool is_sharp = of->bend == DR_BEND_SHARP;
    return distance > args->depth && distance > args->feature_radius[is_sharp] +
                                                    args->feature_static[is_sharp] + 1.5f * way;
}

// --- Edges ---

static tip tip_of_edge(const dr_body* body, int32_t edge, float at)
{
    const dr_edge* e = &body->shell.mesh.edges[edge];
    if (at > NO_WEIGHT && at < 1.0f - NO_WEIGHT) {
        return (tip){e, -1, (dr_bend)body->edge_bend[edge]};
    }
    int32_t vertex = e->v[at > 0.5f];
    return (tip){NULL, vertex, (dr_bend)body->vertex_bend[vertex]};
}

// A unit vector across both edges, in double; false when they are parallel.
static bool across(drape_vec3 u, drape_vec3 v, drape_vec3* out)
{
    double n[3] = {(double)u.y * v.z - (double)u.z * v.y, (double)u.z * v.x - (double)u.x * v.z,
                   (double)u.x * v.y - (double)u.y * v.x};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double sizes = dr_length_double(u) * dr_length_double(v);
    if (!(length > 1e-6 * sizes)) {
        return false;
    }
    *out = (drape_vec3){(float)(n[0] / length), (float)(n[1] / length), (float)(n[2] / length)};
    return true;
}

// Four ends in the frame of the body, at the start and at the end: cloth, cloth, body, body.
typedef struct edge_pair {
    drape_vec3 start[4], end[4];
} edge_pair;

static edge_pair edge_pair_of(const dr_touch_args* args, const int32_t slots[2], const dr_edge* edge)
{
    edge_pair pair;
    for (int k = 0; k < 2; ++k) {
        pair.start[k] = local_of(args, slots[k]);
        pair.end[k] = ahead_of(args, slots[k]);
        pair.start[2 + k] = body_start(args, edge->v[k]);
        pair.end[2 + k] = body_end(args, edge->v[k]);
    }
    return pair;
}

static plane touch_edges(const edge_pair* pair, float s, float t)
{
    drape_vec3 p = dr_lerp(pair->start[0], pair->start[1], s);
    plane out = {.point = dr_lerp(pair->start[2], pair->start[3], t)};
    out.carried = dr_sub(dr_lerp(pair->end[2], pair->end[3], t), out.point);
    drape_vec3 d = dr_sub(p, out.point);
    out.distance = sqrtf(dr_dot(d, d));
    drape_vec3 n;
    bool is_inner = t > NO_WEIGHT && t < 1.0f - NO_WEIGHT;
    if (is_inner && across(dr_sub(pair->start[1], pair->start[0]),
                           dr_sub(pair->start[3], pair->start[2]), &n)) {
        out.distance = fabsf(dr_dot(n, d));
        out.normal = dr_dot(n, d) < 0.0f ? dr_scale(n, -1.0f) : n;
    } else {
        out.normal = dr_scale(d, out.distance > 0.0f ? 1.0f / out.distance : 0.0f);
    }
    return out;
}

static double spanned(const drape_vec3 v[4])
{
    drape_vec3 u = dr_sub(v[1], v[0]), w = dr_sub(v[3], v[2]), d = dr_sub(v[0], v[2]);
    return (double)d.x * ((double)u.y * w.z - (double)u.z * w.y) +
           (double)d.y * ((double)u.z * w.x - (double)u.x * w.z) +
           (double)d.z * ((double)u.x * w.y - (double)u.y * w.x);
}

// Whether the edges go through each other on their way, and then where.
static bool edges_cross(const dr_touch_args* args, const edge_pair* pair, float* s, float* t)
{
    double before = spanned(pair->start), after = spanned(pair->end);
    if (before * after >= 0.0) {
        return false;
    }
    float time = (float)(before / (before - after));
    drape_vec3 v[4];
    for (int k = 0; k < 4; ++k) {
        v[k] = dr_lerp(pair->start[k], pair->end[k], time);
    }
    dr_closest at = dr_closest_edges(v[0], v[1], v[2], v[3]);
    *s = at.weight[0];
    *t = at.weight[1];
    // The time is that of a straight line through a cubic: near enough will do.
    return at.squared < args->range.radius * args->range.radius && *s > 0.0f && *s < 1.0f &&
           *t > 0.0f && *t < 1.0f;
}

int dr_touch_edge(const dr_touch_args* args, const int32_t slots[2], const dr_touch_list* list,
                  dr_contact1* out)
{
    const dr_body* body = args->obstacle->body;
    float way, limit = feature_limit(args, slots, 2, &way);
    dr_touch_near near[DR_TOUCH_MOST_NEAR];
    int found = args->kernels->near_edges(args, slots, list, limit, near);
    contact_list made = {.out = out};
    for (int i = 0; i < found; ++i) {
        const float* w = near[i].closest.weight;
        float s = w[0], t = w[1], distance = sqrtf(near[i].closest.squared);
        bool may_cross = distance < way, is_end = s < NO_WEIGHT || s > 1.0f - NO_WEIGHT;
        tip of = tip_of_edge(body, near[i].feature, t);
        // At an end the contact of that vertex is enough.
        if (!may_cross && (is_end || is_far(args, &of, distance, way))) {
            continue;
        }
        edge_pair pair = edge_pair_of(args, slots, &body->shell.mesh.edges[near[i].feature]);
        bool crosses = may_cross && edges_cross(args, &pair, &s, &t);
        if (crosses) {
            of = tip_of_edge(body, near[i].feature, t);
        } else if (is_end) {
            continue;
        }
        plane now = touch_edges(&pair, s, t);
        const float weights[2] = {1.0f - s, s};
        spot at = {slots, weights, 2};
        if (crosses ? enters(args, &of, &now) : turn_out(args, &of, &now)) {
            add_touch(args, &at, &now, of.bend, &made);
        }
    }
    return made.count;
}

// --- Faces ---

// Whether a vertex of the body goes through the triangle of the cloth, and then where.
static bool goes_through(const dr_touch_args* args, const int32_t slots[3], int32_t vertex,
                         float weights[3])
{
    points3 start, end, now;
    for (int k = 0; k < 3; ++k) {
        start[k] = local_of(args, slots[k]);
        end[k] = ahead_of(args, slots[k]);
    }
    drape_vec3 p = body_start(args, vertex), q = body_end(args, vertex);
    float before = dr_dot(normal_of(start), dr_sub(p, start[0]));
    float after = dr_dot(normal_of(end), dr_sub(q, end[0]));
    if (before * after >= 0.0f) {
        return false;
    }
    float time = before / (before - after);
    for (int k = 0; k < 3; ++k) {
        now[k] = dr_lerp(start[k], end[k], time);
    }
    drape_vec3 hit = dr_lerp(p, q, time);
    dr_closest at = dr_closest_point_triangle(hit, now[0], now[1], now[2]);
    for (int k = 0; k < 3; ++k) {
        weights[k] = at.weight[k];
    }
    return at.squared < args->range.radius * args->range.radius;
}

static plane touch_face(const dr_touch_args* args, const int32_t slots[3], int32_t vertex)
{
    points3 x = {local_of(args, slots[0]), local_of(args, slots[1]), local_of(args, slots[2])};
    plane t = {.point = body_start(args, vertex), .normal = normal_of(x)};
    t.carried = dr_sub(body_end(args, vertex), t.point);
    t.distance = dr_dot(t.normal, dr_sub(x[0], t.point));
    if (t.distance < 0.0f) {
        t.normal = dr_scale(t.normal, -1.0f);
        t.distance = -t.distance;
    }
    return t;
}

int dr_touch_face(const dr_touch_args* args, const int32_t slots[3], const dr_touch_list* list,
                  dr_contact1* out)
{
    const dr_body* body = args->obstacle->body;
    float way, limit = feature_limit(args, slots, 3, &way);
    dr_touch_near near[DR_TOUCH_MOST_NEAR];
    int found = args->kernels->near_points(args, slots, list, limit, near);
    contact_list made = {.out = out};
    for (int i = 0; i < found; ++i) {
        float weights[3] = {near[i].closest.weight[0], near[i].closest.weight[1],
                            near[i].closest.weight[2]};
        tip of = {NULL, near[i].feature, (dr_bend)body->vertex_bend[near[i].feature]};
        float distance = sqrtf(near[i].closest.squared);
        bool crosses = distance < way && goes_through(args, slots, of.vertex, weights);
        if (!crosses && is_far(args, &of, distance, way)) {
            continue;
        }
        // On the border the contacts of edges and vertices are enough.
        if (!crosses && corner_bits(&near[i].closest) != 7) {
            continue;
        }
        plane now = touch_face(args, slots, of.vertex);
        spot at = {slots, weights, 3};
        if (crosses ? enters(args, &of, &now) : turn_out(args, &of, &now)) {
            add_touch(args, &at, &now, of.bend, &made);
        }
    }
    return made.count;
}

// --- The last word ---

// Onto the side of the triangle that the vertex started from, as high as it was, at most r.
static drape_vec3 lift(const dr_touch_args* args, drape_vec3 p, drape_vec3 q, int32_t triangle)
{
    points3 start, end;
    triangle_at(args, triangle, args->obstacle->share_start, start);
    triangle_at(args, triangle, args->obstacle->share_end, end);
    drape_vec3 n = normal_towards(args, start, end, p, dr_sub(q, p));
    float before = fabsf(dr_dot(normal_of(start), dr_sub(p, start[0])));
    float height = fminf(before, args->range.radius);
    return dr_add(q, dr_scale(n, height - dr_dot(n, dr_sub(q, end[0]))));
}

bool dr_touch_guard(const dr_touch_args* args, int32_t slot, const dr_touch_list* list,
                    drape_vec3* place)
{
    const dr_obstacle* obstacle = args->obstacle;
    drape_vec3 p = local_of(args, slot), q = ahead_of(args, slot);
    enum { tries = 4 };
    bool is_moved = false;
    for (int round = 0; round <= tries; ++round) {
        float first = 2.0f, time;
        dr_closest at;
        int32_t triangle = -1;
        for (int i = 0; i < list->count; ++i) {
            if (meets(args, p, q, list->features[i], &time, &at) && time < first) {
                first = time;
                triangle = list->features[i];
            }
        }
        if (triangle < 0) {
            break;
        }
        // In the end it stays where it was on the body.
        q = round < tries ? lift(args, p, q, triangle) : p;
        is_moved = true;
    }
    drape_vec3 end = dr_add(obstacle->place, obstacle->shift);
    *place = dr_add(end, dr_matrix_apply(obstacle->rotation_end, q));
    return is_moved;
}
