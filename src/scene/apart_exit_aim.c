// Which way leads out of a solid, and how far it is.
#include <math.h>

#include "collide/tree_query.h"
#include "contact/body.h"
#include "scene/apart_exit_parts.h"

dr_exit_solid dr_exit_solid_of(const dr_apart_solids* solids, const drape_world* world,
                               const dr_apart* apart, int number)
{
    const dr_sheets_part* part = &solids->sheets.parts[number];
    const dr_collider* collider = solids->solids[number].collider;
    return (dr_exit_solid){.apart = apart,
                           .solids = solids,
                           .number = number,
                           .turn = solids->solids[number].turn,
                           .is_still = collider->key_count == 0 && collider->frame_count <= 1 &&
                                       !collider->moves_by_hand,
                           .obstacle = (const dr_obstacle*)world->obstacles.data + number,
                           .first_triangle = apart->sheets->triangle_count + part->first_triangle,
                           .triangle_count = part[1].first_triangle - part->first_triangle};
}

// A plane has no other side; its triangles end somewhere.
bool dr_exit_is_in(const dr_exit_solid* s, drape_vec3 x)
{
    const dr_obstacle* o = s->obstacle;
    bool is_near = x.x >= o->lo[0] && x.x <= o->hi[0] && x.y >= o->lo[1] && x.y <= o->hi[1] &&
                   x.z >= o->lo[2] && x.z <= o->hi[2];
    if (!is_near) {
        return false;
    }
    if (o->body) {
        return dr_apart_solids_is_in_body(s->solids, s->apart, s->number, x);
    }
    drape_vec3 normal;
    return dr_shape_distance(&o->terms,
                             dr_matrix_apply_transposed(o->rotation, dr_sub(x, o->place)),
                             &normal) < 0.0f;
}

// --- The nearest way ---

static dr_apart_aim aim_in_shape(const dr_exit_solid* s, drape_vec3 x)
{
    const dr_obstacle* o = s->obstacle;
    drape_vec3 normal, local = dr_matrix_apply_transposed(o->rotation, dr_sub(x, o->place));
    float distance = dr_shape_distance(&o->terms, local, &normal);
    return (dr_apart_aim){-distance, dr_matrix_apply(o->rotation, normal),
                          dr_add(o->shift, dr_matrix_apply(o->turn, local)), true};
}

// The normal of a triangle on the other side of it.
static drape_vec3 normal_from(drape_vec3 x, const drape_vec3 t[3])
{
    drape_vec3 n = dr_cross(dr_sub(t[1], t[0]), dr_sub(t[2], t[0]));
    double height = (double)n.x * ((double)x.x - t[0].x) + (double)n.y * ((double)x.y - t[0].y) +
                    (double)n.z * ((double)x.z - t[0].z);
    return dr_scale(dr_normalize(n), height > 0.0 ? -1.0f : 1.0f);
}

static bool is_of(const dr_exit_solid* s, int triangle)
{
    return triangle >= s->first_triangle && triangle < s->first_triangle + s->triangle_count;
}

// The nearest triangle: its number among all.
static int find_nearest(const dr_exit_solid* s, drape_vec3 x, dr_closest* closest)
{
    const dr_apart* apart = s->apart;
    int before = apart->sheets->triangle_count, first = s->first_triangle - before;
    const float* positions = apart->x + 4 * (size_t)apart->sheets->vertex_count;
    dr_tree_near_query query = {x, first, first + s->triangle_count};
    dr_tree_near near;
    bool is_found = dr_tree_point_nearest(&apart->solid_tree, positions, 4, &query, &near);
    // Of places that are not finite nothing is near.
    *closest = is_found ? near.closest : (dr_closest){INFINITY, {1.0f, 0.0f, 0.0f}};
    return is_found ? before + near.triangle : s->first_triangle;
}

static dr_apart_aim aim_in_body(const dr_exit_solid* s, drape_vec3 x)
{
    const dr_apart* apart = s->apart;
    drape_vec3 t[3], ends[3];
    dr_closest best;
    int nearest = find_nearest(s, x, &best);
    dr_exit_corners(apart, nearest, apart->x, t);
    dr_exit_corners(apart, nearest, apart->y, ends);
    drape_vec3 at = dr_exit_weighted(t, best.weight), n = dr_sub(at, x);
    float distance = dr_length(n);
    // From nearby the difference has lost its direction.
    bool is_near = distance < 1e-4f * dr_length(dr_sub(t[1], t[0]));
    return (dr_apart_aim){distance, is_near ? normal_from(x, t) : dr_normalize(n),
                          dr_sub(dr_exit_weighted(ends, best.weight), at), true};
}

dr_apart_aim dr_exit_aim(const dr_exit_solid* s, drape_vec3 x)
{
    return s->obstacle->body ? aim_in_body(s, x) : aim_in_shape(s, x);
}

// --- Another way ---

// How far a ray goes in an analytic solid: these are convex, so it leaves it once.
static float ray_in_shape(const dr_exit_solid* s, drape_vec3 x, drape_vec3 way, float most)
{
    enum { halvings = 20 };
    const dr_obstacle* o = s->obstacle;
    drape_vec3 from = dr_matrix_apply_transposed(o->rotation, dr_sub(x, o->place)), normal;
    drape_vec3 along = dr_matrix_apply_transposed(o->rotation, way);
    float lo = 0.0f, hi = most;
    if (dr_shape_distance(&o->terms, dr_add(from, dr_scale(along, most)), &normal) < 0.0f) {
        return INFINITY;
    }
    for (int i = 0; i < halvings; ++i) {
        float middle = 0.5f * (lo + hi);
        drape_vec3 at = dr_add(from, dr_scale(along, middle));
        bool is_in = dr_shape_distance(&o->terms, at, &normal) < 0.0f;
        lo = is_in ? middle : lo;
        hi = is_in ? hi : middle;
    }
    return hi;
}

float dr_exit_meet(drape_vec3 x, drape_vec3 way, const drape_vec3 t[3], float weight[2])
{
    const float little = 1e-5f;
    drape_vec3 u = dr_sub(t[1], t[0]), v = dr_sub(t[2], t[0]), from = dr_sub(x, t[0]);
    drape_vec3 across = dr_cross(way, v), up = dr_cross(from, u);
    float det = dr_dot(u, across);
    if (det == 0.0f) {
        return INFINITY;
    }
    float a = dr_dot(from, across) / det, b = dr_dot(way, up) / det, at = dr_dot(v, up) / det;
    weight[0] = a;
    weight[1] = b;
    return a >= -little && b >= -little && a + b <= 1.0f + little && at >= 0.0f ? at : INFINITY;
}

static float ray_in_body(const dr_exit_solid* s, drape_vec3 x, drape_vec3 way, float most)
{
    const dr_apart* apart = s->apart;
    drape_vec3 end = dr_add(x, dr_scale(way, most));
    drape_vec3 lo = {fminf(x.x, end.x), fminf(x.y, end.y), fminf(x.z, end.z)};
    drape_vec3 hi = {fmaxf(x.x, end.x), fmaxf(x.y, end.y), fmaxf(x.z, end.z)};
    int count = dr_apart_list_solids(apart, lo, hi);
    float first = INFINITY;
    for (int i = 0; i < count; ++i) {
        drape_vec3 t[3];
        float weight[2];
        if (is_of(s, apart->near_solids[i])) {
            dr_exit_corners(apart, apart->near_solids[i], apart->x, t);
            first = fminf(first, dr_exit_meet(x, way, t, weight));
        }
    }
    return first;
}

float dr_exit_ray(const dr_exit_solid* s, drape_vec3 x, drape_vec3 way, float most)
{
    return s->obstacle->body ? ray_in_body(s, x, way, most) : ray_in_shape(s, x, way, most);
}

// --- Of a group ---

static const float LITTLE = 1e-4f;

int dr_exit_find_in(const dr_exit_group* group, drape_vec3 x, int but)
{
    int found = -1;
    for (int i = 0; i < group->count && found < 0; ++i) {
        found = i != but && dr_exit_is_in(&group->solids[i], x) ? i : -1;
    }
    return found;
}

// Out of one solid, then out of what one has come into by that, and so on.
static dr_apart_aim aim_by(const dr_exit_group* group, int solid, drape_vec3 x)
{
    enum { most_solids = 6 };
    dr_apart_aim first = dr_exit_aim(&group->solids[solid], x), aim = first;
    drape_vec3 at = x;
    int other = solid;
    for (int i = 0; i < most_solids && other >= 0; ++i) {
        aim = i == 0 ? first : dr_exit_aim(&group->solids[other], at);
        at = dr_add(at, dr_scale(aim.normal, fmaxf(aim.distance, 0.0f) + LITTLE));
        other = group->count > 1 ? dr_exit_find_in(group, at, other) : -1;
        if (i == 0 && other < 0) {
            return first;
        }
    }
    drape_vec3 way = dr_sub(at, x);
    return (dr_apart_aim){dr_length(way), dr_normalize(way), first.carried, other < 0};
}

dr_apart_aim dr_exit_aim_out(const dr_exit_group* group, int solid, drape_vec3 x)
{
    dr_apart_aim best = aim_by(group, solid, x);
    for (int i = 0; i < group->count; ++i) {
        if (i != solid && dr_exit_is_in(&group->solids[i], x)) {
            dr_apart_aim aim = aim_by(group, i, x);
            bool is_better = aim.is_out && (!best.is_out || aim.distance < best.distance);
            best = is_better ? aim : best;
        }
    }
    return best;
}

float dr_exit_ray_out(const dr_exit_group* group, int solid, drape_vec3 x, drape_vec3 way,
                      float most)
{
    enum { most_solids = 8 };
    float length = dr_exit_ray(&group->solids[solid], x, way, most);
    for (int i = 0; i < most_solids && length <= most; ++i) {
        drape_vec3 at = dr_add(x, dr_scale(way, length + LITTLE));
        solid = group->count > 1 ? dr_exit_find_in(group, at, solid) : -1;
        if (solid < 0) {
            return length;
        }
        length += LITTLE + dr_exit_ray(&group->solids[solid], at, way, most);
    }
    return INFINITY;
}

// --- From outside ---

// How far it is to an analytic solid: by its distance, again and again.
static float meet_shape(const dr_exit_solid* s, drape_vec3 x, drape_vec3 way, float most)
{
    enum { steps = 24 };
    const dr_obstacle* o = s->obstacle;
    drape_vec3 from = dr_matrix_apply_transposed(o->rotation, dr_sub(x, o->place)), normal;
    drape_vec3 along = dr_matrix_apply_transposed(o->rotation, way);
    float at = 0.0f;
    for (int i = 0; i < steps && at <= most; ++i) {
        float distance = dr_shape_distance(&o->terms, dr_add(from, dr_scale(along, at)), &normal);
        if (distance < 0.0f) {
            return at;
        }
        at += distance + LITTLE;
    }
    return INFINITY;
}

static bool is_beyond(const dr_exit_solid* s, drape_vec3 x, drape_vec3 end)
{
    const float *lo = s->obstacle->lo, *hi = s->obstacle->hi;
    const float a[3] = {x.x, x.y, x.z}, b[3] = {end.x, end.y, end.z};
    bool is = false;
    for (int c = 0; c < 3; ++c) {
        is |= fmaxf(a[c], b[c]) < lo[c] || fminf(a[c], b[c]) > hi[c];
    }
    return is;
}

float dr_exit_ray_through(const dr_exit_group* group, drape_vec3 x, drape_vec3 way, float reach,
                          float most)
{
    drape_vec3 end = dr_add(x, dr_scale(way, reach));
    float first = INFINITY;
    int met = -1;
    for (int i = 0; i < group->count; ++i) {
        const dr_exit_solid* s = &group->solids[i];
        if (is_beyond(s, x, end)) {
            continue;
        }
        float at = s->obstacle->body ? ray_in_body(s, x, way, reach) : meet_shape(s, x, way, reach);
        met = at < first ? i : met;
        first = fminf(at, first);
    }
    if (!(first <= reach)) {
        return 0.0f;
    }
    drape_vec3 at = dr_add(x, dr_scale(way, first + LITTLE));
    return first + LITTLE + dr_exit_ray_out(group, met, at, way, most);
}
