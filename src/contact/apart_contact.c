// Contacts between cloths: made from what comes near, pulled at by the solver.
#include <math.h>
#include <string.h>

#include "contact/apart.h"

// --- Making ---

// Points that the weights of two edges name are those of pairs of points and triangles, too, unless
// both are inside.
static bool is_inside(const dr_closest* closest)
{
    const float* w = closest->weight;
    return w[0] > 0.0f && w[0] < 1.0f && w[1] > 0.0f && w[1] < 1.0f;
}

static void set_weights(dr_apart_contact* contact, dr_apart_kind kind, const dr_closest* closest)
{
    const float* w = closest->weight;
    if (kind == DR_APART_POINT) {
        memcpy(contact->weight, (const float[4]){1.0f, -w[0], -w[1], -w[2]},
               sizeof contact->weight);
    } else {
        memcpy(contact->weight, (const float[4]){1.0f - w[0], w[0], w[1] - 1.0f, -w[1]},
               sizeof contact->weight);
    }
}

// From the closest points; when they are too near to tell, from the features.
static bool set_normal(const dr_apart* apart, dr_apart_contact* contact, dr_apart_kind kind)
{
    // Share of an edge below which the way between the points is mostly rounding.
    const double near = 1e-3;
    double way[3] = {0.0, 0.0, 0.0}, squared = 0.0;
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 4; ++i) {
            way[c] += (double)contact->weight[i] * apart->x[4 * contact->vertex[i] + c];
        }
        squared += way[c] * way[c];
        contact->away[c] = (float)way[c];
    }
    double length = sqrt(squared);
    if (length > near * apart->edge_length) {
        for (int c = 0; c < 3; ++c) {
            contact->normal[c] = (float)(way[c] / length);
        }
        contact->gap = (float)length;
        return true;
    }
    drape_vec3 v[4];
    for (int i = 0; i < 4; ++i) {
        memcpy(&v[i], apart->x + 4 * contact->vertex[i], sizeof v[i]);
    }
    dr_separation s = kind == DR_APART_POINT ? dr_separate_point_triangle(v) : dr_separate_edges(v);
    for (int c = 0; c < 3; ++c) {
        contact->normal[c] = (float)s.normal[c];
    }
    contact->gap = (float)s.gap;
    return s.gap > 0.0;
}

// Friction of a contact: that of rest where its sides do not slide over each other.
static dr_friction friction_of(const dr_apart* apart, const dr_apart_contact* contact)
{
    const dr_friction* a = &apart->cloths[apart->part_of_vertex[contact->vertex[0]]].friction;
    const dr_friction* b = &apart->cloths[apart->part_of_vertex[contact->vertex[3]]].friction;
    float slip[3] = {0.0f, 0.0f, 0.0f}, along = 0.0f, squared = 0.0f;
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 4; ++i) {
            slip[c] += contact->weight[i] * apart->drift[4 * contact->vertex[i] + c];
        }
        along += contact->normal[c] * slip[c];
    }
    for (int c = 0; c < 3; ++c) {
        slip[c] -= along * contact->normal[c];
        squared += slip[c] * slip[c];
    }
    float at_rest = 0.5f * (a->at_rest + b->at_rest), sliding = 0.5f * (a->sliding + b->sliding);
    float grip = dr_contact_grip(sqrtf(squared), apart->h);
    return (dr_friction){at_rest, sliding + grip * (at_rest - sliding)};
}

// What cannot be moved, or touches, keeps a contact that does nothing.
static void make_contact(const dr_apart* apart, dr_apart_kind kind, const int32_t vertex[4],
                         const dr_closest* closest, float target, dr_apart_contact* out)
{
    *out = (dr_apart_contact){0};
    memcpy(out->vertex, vertex, sizeof out->vertex);
    set_weights(out, kind, closest);
    float resists = 0.0f;
    for (int i = 0; i < 4; ++i) {
        resists += out->weight[i] * out->weight[i] * apart->y[4 * out->vertex[i] + 3];
    }
    if (!(resists > 0.0f) || !set_normal(apart, out, kind)) {
        return;
    }
    // What is nearer than the thickness already comes apart slowly: its way is its velocity.
    out->target = fminf(target, out->gap + apart->recovery);
    out->inverse = 1.0f / resists;
    out->friction = friction_of(apart, out);
}

// The mean thickness of two cloths, within a cloth no more than it has at rest.
static float target_of(const dr_apart* apart, const int32_t vertex[4], float at_rest)
{
    int p = apart->part_of_vertex[vertex[0]], q = apart->part_of_vertex[vertex[3]];
    float mean = 0.5f * (apart->cloths[p].thickness + apart->cloths[q].thickness);
    return p == q ? fmaxf(fminf(mean, 0.9f * at_rest), 0.0f) : mean;
}

static double dot_from(const double origin[3], const double d[3], const float* to)
{
    return d[0] * ((double)to[0] - origin[0]) + d[1] * ((double)to[1] - origin[1]) +
           d[2] * ((double)to[2] - origin[2]);
}

// Whether a point is nearer to a triangle beside, which has the border of this one on which its
// closest point lies. Its way to the border leans over; on a flat sheet that would be a bump at
// every border.
static bool is_nearer_beside(const dr_apart* apart, const int32_t vertex[4],
                             const dr_closest* closest)
{
    double q[3] = {0.0, 0.0, 0.0}, d[3];
    int32_t on[3];
    int on_count = 0;
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) {
            q[c] += (double)closest->weight[k] * apart->x[4 * vertex[1 + k] + c];
        }
        if (closest->weight[k] > 0.0f) {
            on[on_count++] = vertex[1 + k];
        }
    }
    if (on_count == 0 || on_count == 3) {
        return false;
    }
    for (int c = 0; c < 3; ++c) {
        d[c] = apart->x[4 * vertex[0] + c] - q[c];
    }
    for (int i = apart->around_start[on[0]]; i < apart->around_start[on[0] + 1]; ++i) {
        const int32_t* t = apart->triangles[apart->around[i]];
        bool has_point = t[0] == vertex[0] || t[1] == vertex[0] || t[2] == vertex[0];
        bool has_border = on_count == 1 || t[0] == on[1] || t[1] == on[1] || t[2] == on[1];
        for (int k = 0; k < 3 && has_border && !has_point; ++k) {
            bool is_on = t[k] == on[0] || (on_count == 2 && t[k] == on[1]);
            if (!is_on && dot_from(q, d, apart->x + 4 * t[k]) > 0.0) {
                return true;
            }
        }
    }
    return false;
}

static float distance_at(const dr_apart* apart, dr_apart_kind kind, const int32_t vertex[4],
                         float t)
{
    drape_vec3 v[4];
    for (int i = 0; i < 4; ++i) {
        const float *x = apart->x + 4 * vertex[i], *way = apart->way + 4 * vertex[i];
        v[i] = (drape_vec3){x[0] + t * way[0], x[1] + t * way[1], x[2] + t * way[2]};
    }
    dr_closest closest = kind == DR_APART_POINT ? dr_closest_point_triangle(v[0], v[1], v[2], v[3])
                                                : dr_closest_edges(v[0], v[1], v[2], v[3]);
    return sqrtf(closest.squared);
}

// Whether a pair comes nearer than `reach` between x and y. `distance` is that at x, `left` what is
// certainly left of it on the way. Goes ahead as far as it takes at least to come so near, sixteen times;
// what has not come near by then is taken to pass by, and left to the guard.
static bool comes_near(const dr_apart* apart, dr_apart_kind kind, const int32_t vertex[4],
                       float distance, float left, float reach)
{
    enum { most_steps = 16 };
    float most = distance - left, t = 0.0f; // by how much it shrinks at most, in all of the way
    for (int step = 0; step < most_steps && distance >= reach && t < 1.0f; ++step) {
        t = fminf(t + (distance - reach) / most, 1.0f);
        distance = distance_at(apart, kind, vertex, t);
    }
    return distance < reach;
}

typedef struct touch_work {
    dr_apart* apart;
    dr_apart_kind kind;
    int first; // contact of this kind
} touch_work;

// Which of the flagged pairs are contacts.
static void pick_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const touch_work* work = context;
    const dr_apart* apart = work->apart;
    const int32_t* flagged = apart->flagged.data;
    const int32_t(*quads)[4] = apart->quads.data;
    const dr_closest* closest = apart->closest.data;
    const float* at_rest = apart->at_rest.data;
    int32_t* wanted = apart->wanted.data;
    for (int i = begin; i < end; ++i) {
        bool is_point = work->kind == DR_APART_POINT;
        float reach = DR_APART_AHEAD * target_of(apart, quads[i], at_rest[i]);
        float left = dr_apart_left(apart, work->kind, flagged[i]);
        wanted[i] =
            (is_point || is_inside(&closest[i])) && left < reach &&
            comes_near(apart, work->kind, quads[i], sqrtf(closest[i].squared), left, reach) &&
            !(is_point && is_nearer_beside(apart, quads[i], &closest[i])) &&
            !dr_apart_is_exempt(apart, work->kind, quads[i]) &&
            !dr_apart_is_tangled(apart, quads[i], is_point ? 1 : 2);
    }
}

static void make_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const touch_work* work = context;
    const dr_apart* apart = work->apart;
    const int32_t(*quads)[4] = apart->quads.data;
    const dr_closest* closest = apart->closest.data;
    const float* at_rest = apart->at_rest.data;
    const int32_t* wanted = apart->wanted.data;
    dr_apart_contact* contacts = (dr_apart_contact*)apart->contacts.data + work->first;
    for (int k = begin; k < end; ++k) {
        int i = wanted[k];
        make_contact(apart, work->kind, quads[i], &closest[i],
                     target_of(apart, quads[i], at_rest[i]), &contacts[k]);
    }
}

static bool touch_kind(dr_apart* apart, dr_memory* memory, dr_pool* pool, dr_apart_kind kind)
{
    enum { grain = 512 };
    float limit = dr_apart_reach(apart) + apart->doubt;
    int count = dr_apart_watch(apart, memory, pool, kind, limit);
    if (count < 0 || !dr_apart_measure(apart, memory, pool, kind, count, true) ||
        !dr_apart_reserve(memory, &apart->wanted, sizeof(int32_t), count)) {
        return false;
    }
    touch_work work = {apart, kind, apart->contacts.count};
    dr_parallel_for(pool, count, grain, pick_task, &work);
    int32_t* wanted = apart->wanted.data;
    int wanted_count = 0;
    for (int i = 0; i < count; ++i) {
        if (wanted[i]) {
            wanted[wanted_count++] = i;
        }
    }
    if (!dr_apart_reserve(memory, &apart->contacts, sizeof(dr_apart_contact),
                          apart->contacts.count + wanted_count)) {
        return false;
    }
    dr_parallel_for(pool, wanted_count, grain, make_task, &work);
    apart->contacts.count += wanted_count;
    return true;
}

bool dr_apart_touch(dr_apart* apart, dr_memory* memory, dr_pool* pool)
{
    apart->contacts.count = apart->untangle.pulls.count = 0;
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        apart->is_pushed[v] = 0;
        apart->carried[4 * v + 3] = 0.0f;
    }
    dr_apart_set_ways(apart);
    if (!apart->is_sound) {
        return true;
    }
    bool is_done = dr_apart_untangle(apart, memory) &&
                   dr_apart_refresh(apart, memory, pool, DR_APART_FOR_CONTACTS);
    return is_done && (apart->is_crowded || (touch_kind(apart, memory, pool, DR_APART_POINT) &&
                                             touch_kind(apart, memory, pool, DR_APART_EDGES)));
}

// --- Pulling ---

static void resolve_one(float* y, dr_apart_contact* contact)
{
    if (contact->inverse == 0.0f) {
        return;
    }
    const float* n = contact->normal;
    float slip[3], along = 0.0f, by[3], squared = 0.0f;
    for (int c = 0; c < 3; ++c) {
        slip[c] = -contact->away[c];
        for (int i = 0; i < 4; ++i) {
            slip[c] += contact->weight[i] * y[4 * contact->vertex[i] + c];
        }
        along += n[c] * slip[c];
    }
    float push = dr_apart_larger(contact->target - (contact->gap + along), -contact->pressed);
    if (push == 0.0f && contact->pressed == 0.0f) {
        return;
    }
    contact->pressed += push;
    for (int c = 0; c < 3; ++c) {
        slip[c] -= along * n[c];
        squared += slip[c] * slip[c];
    }
    float length = sqrtf(squared), rub = length;
    if (contact->friction.at_rest * contact->pressed - contact->rubbed < length) {
        rub = dr_apart_larger(contact->friction.sliding * contact->pressed - contact->rubbed, 0.0f);
        rub = rub < length ? rub : length;
    }
    contact->rubbed += rub;
    float share = length > 0.0f ? rub / length : 0.0f;
    for (int c = 0; c < 3; ++c) {
        by[c] = (push * n[c] - share * slip[c]) * contact->inverse;
    }
    for (int i = 0; i < 4; ++i) {
        float* place = y + 4 * contact->vertex[i];
        float factor = contact->weight[i] * place[3];
        place[0] += factor * by[0];
        place[1] += factor * by[1];
        place[2] += factor * by[2];
    }
}

void dr_apart_resolve(dr_apart* apart)
{
    dr_apart_contact* contacts = apart->contacts.data;
    for (int i = 0; i < apart->contacts.count; ++i) {
        resolve_one(apart->y, &contacts[i]);
    }
    dr_apart_pull_all(apart);
}

// --- Coming to rest ---

// Which vertices have a contact that presses; pins do not count.
static void note_pressed(const dr_apart* apart, uint8_t* is_pressed)
{
    const dr_apart_contact* contacts = apart->contacts.data;
    for (int i = 0; i < apart->contacts.count; ++i) {
        for (int k = 0; k < 4 && contacts[i].pressed > 0.0f; ++k) {
            is_pressed[contacts[i].vertex[k]] = apart->y[4 * contacts[i].vertex[k] + 3] > 0.0f;
        }
    }
}

// Takes back what makes the sides of a contact part: what pushed them did not throw them.
static void calm_contact(const float* y, float* way, const dr_apart_contact* contact)
{
    float parting = 0.0f;
    for (int i = 0; i < 4; ++i) {
        const float* w = way + 4 * contact->vertex[i];
        parting += contact->weight[i] * (contact->normal[0] * w[0] + contact->normal[1] * w[1] +
                                         contact->normal[2] * w[2]);
    }
    float by = dr_apart_larger(parting, 0.0f) * contact->inverse;
    for (int i = 0; i < 4; ++i) {
        int v = contact->vertex[i];
        float factor = by * contact->weight[i] * y[4 * v + 3];
        for (int c = 0; c < 3; ++c) {
            way[4 * v + c] -= factor * contact->normal[c];
        }
    }
}

// Brings the ends of an edge nearer to their common velocity, the more the slower they are.
static void calm_edge(const float* y, float* way, int i, int j, float slow)
{
    const float strength = 0.25f;
    float wi = y[4 * i + 3], wj = y[4 * j + 3], squared = 0.0f;
    float *a = way + 4 * i, *b = way + 4 * j;
    for (int c = 0; c < 3; ++c) {
        squared += a[c] * a[c] + b[c] * b[c];
    }
    float share = strength / ((wi + wj) * (1.0f + squared / (slow * slow)));
    for (int c = 0; c < 3 && wi + wj > 0.0f; ++c) {
        float by = share * (b[c] - a[c]);
        a[c] += wi * by;
        b[c] -= wj * by;
    }
}

// The solver and the contacts do not agree to the last bit about where cloth that is pressed
// belongs, and would go to and fro about it for ever. Momentum is kept.
void dr_apart_calm(dr_apart* apart, float slow)
{
    const dr_apart_contact* contacts = apart->contacts.data;
    const dr_sheets* s = apart->sheets;
    uint8_t* is_pressed = apart->is_pushed; // of no use any more in this substep
    dr_apart_set_ways(apart);
    memcpy(apart->before, apart->way, sizeof *apart->way * 4 * (size_t)s->vertex_count);
    for (int i = 0; i < apart->contacts.count; ++i) {
        if (contacts[i].pressed > 0.0f) {
            calm_contact(apart->y, apart->way, &contacts[i]);
        }
    }
    memset(is_pressed, 0, (size_t)s->vertex_count);
    note_pressed(apart, is_pressed);
    for (int e = 0; e < s->edge_count; ++e) {
        int i = s->edges[e][0], j = s->edges[e][1];
        if (is_pressed[i] && is_pressed[j]) {
            calm_edge(apart->y, apart->way, i, j, slow);
        }
    }
}

// What a vertex goes beside a way that is common to all.
static float way_beside(const dr_apart* apart, int v, const double common[3], double way[3])
{
    double squared = 0.0;
    for (int c = 0; c < 3; ++c) {
        way[c] = (double)apart->y[4 * v + c] - apart->x[4 * v + c] - common[c];
        squared += way[c] * way[c];
    }
    return (float)squared;
}

// How much of its way a vertex is kept back by: the more the slower it is.
static double share_kept_back(float squared, float slow)
{
    return 0.5 / (1.0 + (double)(squared / (slow * slow)));
}

// Adds the mean of what all that is pressed goes beside `common`; by what is kept back of it if
// `slow` is above 0, so that momentum is kept.
static void find_common_way(const dr_apart* apart, const uint8_t* is_pressed, const int part[2],
                            float slow, double common[3])
{
    double mass = 0.0, sum[3] = {0.0, 0.0, 0.0}, way[3];
    for (int v = part[0]; v < part[1]; ++v) {
        if (is_pressed[v]) {
            float squared = way_beside(apart, v, common, way);
            double m = slow > 0.0f ? share_kept_back(squared, slow) : 1.0;
            m /= (double)apart->y[4 * v + 3];
            mass += m;
            for (int c = 0; c < 3; ++c) {
                sum[c] += m * way[c];
            }
        }
    }
    for (int c = 0; c < 3 && mass > 0.0; ++c) {
        common[c] += sum[c] / mass;
    }
}

static void settle_part(dr_apart* apart, const uint8_t* is_pressed, const int part[2], float slow)
{
    double mean[3] = {0.0, 0.0, 0.0}, common[3], way[3];
    find_common_way(apart, is_pressed, part, 0.0f, mean);
    memcpy(common, mean, sizeof common);
    find_common_way(apart, is_pressed, part, slow, common);
    for (int v = part[0]; v < part[1]; ++v) {
        double share = is_pressed[v] ? share_kept_back(way_beside(apart, v, mean, way), slow) : 0.0;
        for (int c = 0; c < 3 && share > 0.0; ++c) {
            apart->y[4 * v + c] -= (float)(share * (way[c] + mean[c] - common[c]));
        }
    }
}

void dr_apart_settle(dr_apart* apart, float slow)
{
    const dr_sheets* s = apart->sheets;
    uint8_t* is_pressed = apart->is_pushed; // not known before sliding
    note_pressed(apart, is_pressed);
    for (int p = 0; p < s->part_count && slow > 0.0f; ++p) {
        const int part[2] = {s->parts[p].first_vertex, s->parts[p + 1].first_vertex};
        settle_part(apart, is_pressed, part, slow);
    }
    memset(is_pressed, 0, (size_t)s->vertex_count);
}
