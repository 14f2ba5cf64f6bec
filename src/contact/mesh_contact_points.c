// Vertices of a cloth against the triangles of a body.
#include "collide/separation.h"
#include "contact/mesh_contact_parts.h"

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

// The direction in which the body ends at the closest point: of the triangle, of both at an edge,
// of all at a vertex. Its sign tells the inside (Baerentzen, Aanaes 2005).
static drape_vec3 outward(const dr_touch_args* args, const dr_touch_near* near)
{
    const dr_body* body = args->obstacle->body;
    const dr_mesh* mesh = &body->shell.mesh;
    const int32_t* v = corners_of(args, near->feature);
    int bits = corner_bits(&near->closest);
    dr_points3 x;
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
    dr_points3 x;
    triangle_at(args, near->feature, args->obstacle->share_start, x);
    if (corner_bits(&near->closest) == 7) {
        return side_of(x, p) < 0;
    }
    return dr_dot(dr_sub(p, near->point), outward(args, near)) < 0.0f;
}

// How far from a point of the body vertices are held: higher where it is round.
static float radius_at(const dr_touch_args* args, int32_t triangle, const float weights[3])
{
    const int32_t* v = corners_of(args, triangle);
    const float* lift = args->relief->lift;
    return args->range.radius +
           (weights[0] * lift[v[0]] + weights[1] * lift[v[1]] + weights[2] * lift[v[2]]);
}

static dr_touch_plane touch_triangle(const dr_touch_args* args, int32_t slot,
                                     const dr_touch_near* near)
{
    dr_points3 start, end;
    triangle_at(args, near->feature, args->obstacle->share_start, start);
    triangle_at(args, near->feature, args->obstacle->share_end, end);
    drape_vec3 p = local_of(args, slot);
    dr_touch_plane t = {.point = near->point,
                        .distance = sqrtf(near->closest.squared),
                        .radius = radius_at(args, near->feature, near->closest.weight)};
    t.carried = dr_sub(weighted(end, near->closest.weight), t.point);
    if (corner_bits(&near->closest) == 7) {
        t.normal = dr_touch_normal(args, start, end, p, slip_of(args, slot, t.carried));
        return t;
    }
    t.normal = dr_scale(dr_sub(p, t.point), 1.0f / t.distance);
    // The difference of two points that nearly coincide has lost its direction.
    if (!(t.distance > 0.05f * args->range.radius)) {
        const drape_vec3 v[4] = {p, start[0], start[1], start[2]};
        dr_separation s = dr_separate_point_triangle(v);
        t.normal = s.gap > 0.0
                       ? (drape_vec3){(float)s.normal[0], (float)s.normal[1], (float)s.normal[2]}
                       : dr_touch_normal(args, start, end, p, slip_of(args, slot, t.carried));
    }
    return t;
}

// Whether a plane that is already held keeps the vertex from this point of the body as well.
static bool is_behind_others(const dr_touch_near* near, const dr_touch_plane* others, int count)
{
    for (int i = 0; i < count; ++i) {
        float above = dr_dot(others[i].normal, dr_sub(near->point, others[i].point));
        // A hundredth of the distance, without its root.
        if (above <= 0.0f || above * above <= 1e-4f * near->closest.squared) {
            return true;
        }
    }
    return false;
}

// When the way of a vertex meets the triangle, from 0 to 1, and where; false when it does not.
static bool meets(const dr_touch_args* args, drape_vec3 p, drape_vec3 q, int32_t triangle,
                  float* time, dr_closest* at)
{
    dr_points3 start, end, now;
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
static bool touch_first(const dr_touch_args* args, int32_t slot, const dr_touch_near* near,
                        int count, dr_touch_plane* out)
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
    dr_points3 start, end;
    triangle_at(args, triangle, args->obstacle->share_start, start);
    triangle_at(args, triangle, args->obstacle->share_end, end);
    *out = (dr_touch_plane){.point = weighted(start, best.weight),
                            .radius = radius_at(args, triangle, best.weight)};
    out->carried = dr_sub(weighted(end, best.weight), out->point);
    out->normal = dr_touch_normal(args, start, end, p, slip_of(args, slot, out->carried));
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
static int touch_all(const dr_touch_args* args, const dr_touch_spot* at, const dr_touch_near* near,
                     int count, int nearest, dr_touch_plane* out)
{
    const dr_contact_range* range = &args->range;
    int made = 0;
    for (int i = -1; i < count && made < DR_TOUCH_MOST - 1; ++i) {
        int k = i < 0 ? nearest : i;
        if (i == nearest || is_behind_others(&near[k], out, made) ||
            !is_least(args, near, count, k)) {
            continue;
        }
        dr_touch_plane t = touch_triangle(args, at->slots[0], &near[k]);
        if (dr_touch_is_in_range(args, at, &t, t.radius, range->static_radius)) {
            out[made++] = t;
        }
    }
    return made;
}

int dr_touch_point(const dr_touch_args* args, int32_t slot, const dr_touch_list* list,
                   dr_contact1* out, float* nearest)
{
    float way = way_of(args, slot) + body_way(args);
    float limit = args->near + 1.5f * (predicted_way(args, slot) + body_way(args));
    dr_touch_near near[DR_TOUCH_MOST_NEAR];
    dr_touch_plane touches[DR_TOUCH_MOST];
    int found = args->kernels->near_triangles(args, &slot, list, &limit, near);
    *nearest = limit;
    if (found == 0) {
        return 0;
    }
    int first = nearest_of(near, found), made = 0;
    *nearest = sqrtf(near[first].closest.squared);
    const float one = 1.0f;
    dr_touch_spot at = {&slot, &one, 1};
    if (is_inside(args, local_of(args, slot), &near[first])) {
        *nearest = 0.0f;
        touches[0] = touch_triangle(args, slot, &near[first]);
        touches[0].normal = dr_scale(touches[0].normal, -1.0f);
        touches[0].distance = -touches[0].distance;
        made = 1;
    } else {
        made = touch_all(args, &at, near, found, first, touches);
        if (*nearest < way && touch_first(args, slot, near, found, &touches[made])) {
            dr_touch_plane most_urgent = touches[made];
            touches[made++] = touches[0];
            touches[0] = most_urgent;
        }
    }
    for (int i = 0; i < made; ++i) {
        out[i] = dr_touch_contact(args, &at, &touches[i], touches[i].radius);
    }
    return made;
}

float dr_touch_distance(const dr_touch_args* args, int32_t slot, const dr_touch_list* list,
                        float limit)
{
    dr_touch_near near[DR_TOUCH_MOST_NEAR];
    int found = args->kernels->near_triangles(args, &slot, list, &limit, near);
    if (found == 0) {
        return INFINITY;
    }
    const dr_touch_near* nearest = &near[nearest_of(near, found)];
    float distance = sqrtf(nearest->closest.squared);
    return is_inside(args, local_of(args, slot), nearest) ? -distance : distance;
}

// --- The last word ---

// Onto the side of the triangle that the vertex started from, as high as it was, at most r.
static drape_vec3 lift(const dr_touch_args* args, drape_vec3 p, drape_vec3 q, int32_t triangle)
{
    dr_points3 start, end;
    triangle_at(args, triangle, args->obstacle->share_start, start);
    triangle_at(args, triangle, args->obstacle->share_end, end);
    drape_vec3 n = dr_touch_normal(args, start, end, p, dr_sub(q, p));
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
