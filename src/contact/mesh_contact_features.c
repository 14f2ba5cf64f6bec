// Edges and triangles of a cloth against the edges and vertices of a body.
#include <string.h>

#include "collide/ccd.h"
#include "collide/tree_query.h"
#include "contact/mesh_contact_parts.h"

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
static bool is_enclosed(const dr_touch_args* args, drape_vec3 p, drape_vec3 direction, float depth)
{
    const dr_body* body = args->obstacle->body;
    dr_tree_ray ray = {p, direction, 0.0f, 2.0f * depth};
    dr_tree_ray_hit hit;
    if (!dr_tree_ray_nearest(&body->shell.tree, body->from, 4, &ray, &hit)) {
        return false;
    }
    dr_points3 x;
    triangle_at(args, hit.triangle, 0.0f, x);
    return dr_dot(normal_of(x), direction) > 0.0f;
}

// Whether what goes through an edge or vertex goes into the body, not out of it: then it is held.
static bool enters(const dr_touch_args* args, const tip* of, const dr_touch_plane* t)
{
    const dr_body* body = args->obstacle->body;
    if (!body->is_closed) {
        return true;
    }
    drape_vec3 out = {0, 0, 0};
    for (int side = 0; of->edge && side < 2; ++side) {
        dr_points3 x;
        triangle_at(args, of->edge->t[side], args->obstacle->share_start, x);
        out = dr_add(out, normal_of(x));
    }
    if (!of->edge) {
        const float* sum = body->normals + (size_t)of->vertex * 4;
        out = (drape_vec3){sum[0], sum[1], sum[2]};
    }
    return dr_dot(out, t->normal) > 0.0f;
}

// Turns a plane so that the body is behind it. What lies inside a closed body looks at it from
// behind; false when it is neither this way nor that.
static bool turn_out(const dr_touch_args* args, const tip* of, float depth, dr_touch_plane* t)
{
    if (tip_is_least(args, of, t->point, t->normal)) {
        return true;
    }
    drape_vec3 p = dr_add(t->point, dr_scale(t->normal, t->distance));
    t->normal = dr_scale(t->normal, -1.0f);
    t->distance = -t->distance;
    return args->obstacle->body->is_closed && -t->distance < depth &&
           tip_is_least(args, of, t->point, t->normal) && is_enclosed(args, p, t->normal, depth);
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

static float left_at_end(const dr_touch_args* args, const dr_touch_spot* at,
                         const dr_touch_plane* t)
{
    float left = t->distance;
    for (int i = 0; i < at->count; ++i) {
        left += at->weights[i] * dr_dot(slip_of(args, at->slots[i], t->carried), t->normal);
    }
    return left;
}

// Adds the contact when it is near enough. Of too many the least urgent go.
static void add_touch(const dr_touch_args* args, const dr_touch_spot* at, const dr_touch_plane* t,
                      dr_bend bend, contact_list* list)
{
    bool is_sharp = bend == DR_BEND_SHARP;
    float radius = args->feature_radius[is_sharp];
    if (!dr_touch_is_in_range(args, at, t, radius, args->feature_static[is_sharp])) {
        return;
    }
    dr_contact1 contact = dr_touch_contact(args, at, t, radius);
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

// An edge or triangle of the cloth, and how far around it to look.
typedef struct seeker {
    const int32_t* slots;
    int count;
    float way;       // most that one of its vertices goes, and the body
    float depth;     // of what is inside a closed body and still brought out
    float limits[3]; // by vertex
} seeker;

static seeker seeker_of(const dr_touch_args* args, const int32_t* slots, int count)
{
    seeker of = {.slots = slots, .count = count};
    float predicted = 0.0f, body = body_way(args);
    for (int i = 0; i < count; ++i) {
        of.way = fmaxf(of.way, way_of(args, slots[i]) + body);
        predicted = fmaxf(predicted, predicted_way(args, slots[i]) + body);
    }
    // What is deep inside is rare: it is looked for around what is fast, and once a step.
    bool looks_deep = args->looks_deep || predicted > 0.5f * args->range.radius;
    looks_deep = looks_deep && args->obstacle->body->is_closed && !args->guards;
    of.depth = looks_deep ? args->near + 1.5f * predicted : 0.0f;
    int sharpest = !args->relief->is_smooth;
    float base = args->feature_radius[sharpest] + args->feature_static[sharpest];
    for (int i = 0; i < count; ++i) {
        float way = predicted_way(args, slots[i]) + body;
        of.limits[i] = (looks_deep ? args->near : base) + 1.5f * way;
        // What is further than the way cannot be gone through.
        of.limits[i] = args->guards ? fminf(of.limits[i], of.way) : of.limits[i];
    }
    return of;
}

// Whether something of this bend is too far to be touched, and to be inside.
static bool is_far(const dr_touch_args* args, const seeker* of, const tip* what, float distance)
{
    bool is_sharp = what->bend == DR_BEND_SHARP;
    float reach = args->feature_radius[is_sharp] + args->feature_static[is_sharp];
    return distance > of->depth && distance > reach + 1.5f * of->way;
}

// Adds the contact of a point of the feature with a tip of the body, if the body is behind it or
// about to be entered.
static void hold(const dr_touch_args* args, const seeker* of, const float* weights, const tip* what,
                 dr_touch_plane* now, bool crosses, contact_list* made)
{
    dr_touch_spot at = {of->slots, weights, of->count};
    if (crosses ? enters(args, what, now) : turn_out(args, what, of->depth, now)) {
        add_touch(args, &at, now, what->bend, made);
    }
}

static dr_ccd_motion motion_of(const drape_vec3 start[4], const drape_vec3 end[4])
{
    dr_ccd_motion motion;
    for (int k = 0; k < 4; ++k) {
        const drape_vec3 *p = &start[k], *q = &end[k];
        memcpy(motion.start[k], (const double[3]){p->x, p->y, p->z}, sizeof motion.start[k]);
        memcpy(motion.end[k], (const double[3]){q->x, q->y, q->z}, sizeof motion.end[k]);
    }
    return motion;
}

// --- Edges ---

static tip tip_of_edge(const dr_touch_args* args, int32_t edge, float at)
{
    const dr_edge* e = &args->obstacle->body->shell.mesh.edges[edge];
    if (at > NO_WEIGHT && at < 1.0f - NO_WEIGHT) {
        return (tip){e, -1, (dr_bend)args->relief->edge[edge]};
    }
    int32_t vertex = e->v[at > 0.5f];
    return (tip){NULL, vertex, (dr_bend)args->relief->vertex[vertex]};
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

static edge_pair edge_pair_of(const dr_touch_args* args, const int32_t slots[2],
                              const dr_edge* edge)
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

static dr_touch_plane touch_edges(const edge_pair* pair, float s, float t)
{
    drape_vec3 p = dr_lerp(pair->start[0], pair->start[1], s);
    dr_touch_plane out = {.point = dr_lerp(pair->start[2], pair->start[3], t)};
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

// When the edges meet on their way, from 0 to 1; negative when they do not. In prediction the time
// is that of a straight line through a cubic, and only the signs at both ends are looked at.
static float meeting_of_edges(const dr_touch_args* args, const edge_pair* pair)
{
    if (args->guards) {
        dr_ccd_motion motion = motion_of(pair->start, pair->end);
        return (float)dr_ccd_edge_edge(&motion, 0.0).toi;
    }
    double before = spanned(pair->start), after = spanned(pair->end);
    return before * after < 0.0 ? (float)(before / (before - after)) : -1.0f;
}

// Whether the edges go through each other on their way, and then where.
static bool edges_cross(const dr_touch_args* args, const edge_pair* pair, float* s, float* t)
{
    float time = meeting_of_edges(args, pair);
    if (time < 0.0f) {
        return false;
    }
    drape_vec3 v[4];
    for (int k = 0; k < 4; ++k) {
        v[k] = dr_lerp(pair->start[k], pair->end[k], time);
    }
    dr_closest at = dr_closest_edges(v[0], v[1], v[2], v[3]);
    *s = at.weight[0];
    *t = at.weight[1];
    // Near enough will do: the time is not exact.
    return at.squared<args->range.radius * args->range.radius&& * s> 0.0f && *s < 1.0f &&
           *t > 0.0f && *t < 1.0f;
}

int dr_touch_edge(const dr_touch_args* args, const int32_t slots[2], const dr_touch_list* list,
                  dr_contact1* out)
{
    const dr_edge* edges = args->obstacle->body->shell.mesh.edges;
    seeker of = seeker_of(args, slots, 2);
    dr_touch_near near[DR_TOUCH_MOST_NEAR];
    int found = args->kernels->near_edges(args, slots, list, of.limits, near);
    contact_list made = {.out = out};
    for (int i = 0; i < found; ++i) {
        const float* w = near[i].closest.weight;
        float s = w[0], t = w[1], distance = sqrtf(near[i].closest.squared);
        bool may_cross = distance < of.way, is_end = s < NO_WEIGHT || s > 1.0f - NO_WEIGHT;
        tip what = tip_of_edge(args, near[i].feature, t);
        // At an end the contact of that vertex is enough.
        if (!may_cross && (is_end || is_far(args, &of, &what, distance))) {
            continue;
        }
        edge_pair pair = edge_pair_of(args, slots, &edges[near[i].feature]);
        bool crosses = may_cross && edges_cross(args, &pair, &s, &t);
        if (crosses) {
            what = tip_of_edge(args, near[i].feature, t);
        } else if (is_end || args->guards) {
            continue;
        }
        dr_touch_plane now = touch_edges(&pair, s, t);
        const float weights[2] = {1.0f - s, s};
        hold(args, &of, weights, &what, &now, crosses, &made);
    }
    return made.count;
}

// --- Faces ---

// When a vertex of the body (first of the four) meets the triangle on its way, as for edges.
static float meeting_of_face(const dr_touch_args* args, const drape_vec3 start[4],
                             const drape_vec3 end[4])
{
    if (args->guards) {
        dr_ccd_motion motion = motion_of(start, end);
        return (float)dr_ccd_point_triangle(&motion, 0.0).toi;
    }
    float before = dr_dot(normal_of(start + 1), dr_sub(start[0], start[1]));
    float after = dr_dot(normal_of(end + 1), dr_sub(end[0], end[1]));
    return before * after < 0.0f ? before / (before - after) : -1.0f;
}

// Whether a vertex of the body goes through the triangle of the cloth, and then where.
static bool goes_through(const dr_touch_args* args, const int32_t slots[3], int32_t vertex,
                         float weights[3])
{
    drape_vec3 start[4] = {body_start(args, vertex)}, end[4] = {body_end(args, vertex)}, now[4];
    for (int k = 0; k < 3; ++k) {
        start[1 + k] = local_of(args, slots[k]);
        end[1 + k] = ahead_of(args, slots[k]);
    }
    float time = meeting_of_face(args, start, end);
    if (time < 0.0f) {
        return false;
    }
    for (int k = 0; k < 4; ++k) {
        now[k] = dr_lerp(start[k], end[k], time);
    }
    dr_closest at = dr_closest_point_triangle(now[0], now[1], now[2], now[3]);
    memcpy(weights, at.weight, sizeof at.weight);
    return at.squared < args->range.radius * args->range.radius;
}

static dr_touch_plane touch_face(const dr_touch_args* args, const int32_t slots[3], int32_t vertex)
{
    dr_points3 x = {local_of(args, slots[0]), local_of(args, slots[1]), local_of(args, slots[2])};
    dr_touch_plane t = {.point = body_start(args, vertex), .normal = normal_of(x)};
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
    seeker of = seeker_of(args, slots, 3);
    dr_touch_near near[DR_TOUCH_MOST_NEAR];
    int found = args->kernels->near_points(args, slots, list, of.limits, near);
    contact_list made = {.out = out};
    for (int i = 0; i < found; ++i) {
        float weights[3];
        memcpy(weights, near[i].closest.weight, sizeof weights);
        tip what = {NULL, near[i].feature, (dr_bend)args->relief->vertex[near[i].feature]};
        float distance = sqrtf(near[i].closest.squared);
        bool crosses = distance < of.way && goes_through(args, slots, what.vertex, weights);
        // On the border the contacts of edges and vertices are enough.
        bool is_held = corner_bits(&near[i].closest) == 7 && !args->guards;
        if (!crosses && (!is_held || is_far(args, &of, &what, distance))) {
            continue;
        }
        dr_touch_plane now = touch_face(args, slots, what.vertex);
        hold(args, &of, weights, &what, &now, crosses, &made);
    }
    return made.count;
}
