#include "contact/predict_contacts.h"

#include <math.h>
#include <string.h>

#include "collide/closest.h"
#include "core/vec_math.h"

// Pairs to a chunk of a thread.
enum { block = 1024 };

// Below this share of the longest edge a point counts as in the plane, a distance as none.
static const float flat = 1e-6f;

// --- Memory ---

bool dr_predict_contacts_create(dr_predict_contacts* contacts, dr_memory* memory, int vertex_count)
{
    *contacts = (dr_predict_contacts){.vertex_count = vertex_count};
    contacts->last_start = dr_new_zeroed(memory, int32_t, vertex_count + 2);
    return contacts->last_start != NULL;
}

void dr_predict_contacts_free(dr_predict_contacts* contacts, dr_memory* memory)
{
    dr_array_free(memory, &contacts->points, sizeof(dr_point_contact));
    dr_array_free(memory, &contacts->last, sizeof(dr_point_contact));
    dr_array_free(memory, &contacts->edges, sizeof(dr_edge_contact));
    dr_array_free(memory, &contacts->pairs, sizeof(dr_edge_contact));
    dr_array_free(memory, &contacts->point_gaps, sizeof(float));
    dr_array_free(memory, &contacts->edge_gaps, sizeof(float));
    dr_array_free(memory, &contacts->pair_gaps, sizeof(float));
    dr_array_free(memory, &contacts->near, sizeof(dr_predict_near));
    dr_array_free(memory, &contacts->near_counts, sizeof(int32_t));
    dr_delete(memory, contacts->last_start, contacts->vertex_count + 2);
    *contacts = (dr_predict_contacts){0};
}

void dr_predict_contacts_trim(dr_predict_contacts* contacts, dr_memory* memory)
{
    dr_array_free(memory, &contacts->near, sizeof(dr_predict_near));
    dr_array_free(memory, &contacts->near_counts, sizeof(int32_t));
    dr_array_trim(memory, &contacts->points, sizeof(dr_point_contact));
    dr_array_trim(memory, &contacts->point_gaps, sizeof(float));
    dr_array_trim(memory, &contacts->edges, sizeof(dr_edge_contact));
    dr_array_trim(memory, &contacts->edge_gaps, sizeof(float));
}

void dr_predict_contacts_forget(dr_predict_contacts* contacts)
{
    contacts->points.count = contacts->last.count = 0;
    contacts->is_last_sorted = false;
}

float dr_predict_reach(const dr_predict_mesh* mesh, const dr_predict_rules* rules)
{
    float most = 0.0f;
    for (int p = 0; p < mesh->part_count; ++p) {
        most = fmaxf(most, mesh->parts[p].thickness);
    }
    return most + fmaxf(rules->static_radius, rules->layer_radius);
}

// --- Making ---

typedef struct maker {
    dr_predict_contacts* to;
    dr_memory* memory;
    const dr_predict_mesh* mesh;
    const dr_predict_query* query;
    const dr_predict_rules* rules;
    const dr_pair* pairs;
} maker;

typedef int near_fn(const dr_predict_query* query, const dr_pair* pairs, int begin, int end,
                    dr_predict_near* out);

// What two features have in common, whatever they are.
typedef struct touch {
    const dr_predict_part *a, *b;
    float gap; // m
    int order; // of a over b
} touch;

static touch touch_of(const maker* m, int vertex_a, int vertex_b)
{
    const dr_predict_part* a = dr_predict_part_of(m->mesh, vertex_a);
    const dr_predict_part* b = dr_predict_part_of(m->mesh, vertex_b);
    return (touch){a, b, 0.5f * (a->thickness + b->thickness),
                   m->rules->use_layers ? dr_predict_order(a, b) : 0};
}

// Never further apart than nearly as far as they are at rest.
static float rest_gap(float gap, float squared)
{
    return fminf(gap, 0.8f * sqrtf(squared));
}

static bool push_edge(dr_memory* memory, dr_array* list, dr_array* gaps,
                      const dr_edge_contact* contact, float gap)
{
    dr_edge_contact* at = dr_array_push(memory, list, sizeof *at);
    float* gap_at = dr_array_push(memory, gaps, sizeof *gap_at);
    if (at && gap_at) {
        *at = *contact;
        *gap_at = gap;
    }
    return at && gap_at;
}

// Whether two features have a vertex in common by way of a seam.
static bool are_sewn(const dr_predict_mesh* mesh, const int32_t* a, int a_count, const int32_t* b,
                     int b_count)
{
    for (int i = 0; mesh->joint && i < a_count * b_count; ++i) {
        if (mesh->joint[a[i / b_count]] == mesh->joint[b[i % b_count]]) {
            return true;
        }
    }
    return false;
}

// --- Sides ---

// The side on which the sheet around the vertex is.
static int side_around(const maker* m, int vertex, drape_vec3 p0, drape_vec3 normal, float least)
{
    int t = m->mesh->vertex_triangle[vertex];
    float sum = 0.0f;
    for (int k = 0; t >= 0 && k < 3; ++k) {
        sum += dr_dot(dr_sub(dr_record_at(m->query->start, m->mesh->triangles[t][k]), p0), normal);
    }
    return (sum > least) - (sum < -least);
}

// --- Point and triangle ---

// The triangle at the start of the step, and the point against it.
typedef struct facing {
    drape_vec3 p, corner[3], normal;
    float height, longest;
    bool is_inside; // the foot is on the triangle
} facing;

static bool face(const maker* m, const dr_predict_near* near, int vertex, int triangle, facing* f)
{
    for (int k = 0; k < 3; ++k) {
        f->corner[k] = dr_record_at(m->query->start, m->mesh->triangles[triangle][k]);
    }
    f->p = dr_record_at(m->query->start, vertex);
    drape_vec3 ab = dr_sub(f->corner[1], f->corner[0]), ac = dr_sub(f->corner[2], f->corner[0]);
    drape_vec3 raw = dr_cross(ab, ac);
    float squared = fmaxf(dr_dot(ab, ab), dr_dot(ac, ac)), length = sqrtf(dr_dot(raw, raw));
    if (!(length > flat * squared)) {
        return false;
    }
    f->normal = dr_scale(raw, 1.0f / length);
    f->height = dr_dot(dr_sub(f->p, f->corner[0]), f->normal);
    f->longest = sqrtf(squared);
    f->is_inside = near->weight[0] > 0.0f && near->weight[1] > 0.0f && near->weight[2] > 0.0f;
    return true;
}

// 1 or -1; 0 when nothing tells.
static int side_of(const maker* m, const facing* f, int vertex, int triangle, int order)
{
    if (order != 0) {
        return order;
    }
    float least = flat * f->longest;
    if (f->height > least || f->height < -least) {
        return f->height > 0.0f ? 1 : -1;
    }
    int side = dr_predict_last_side(m->to, m->memory, vertex, triangle);
    return side != 0 ? side : side_around(m, vertex, f->corner[0], f->normal, least);
}

// Beside the triangle, and nothing that its plane should decide.
static bool is_beside(const maker* m, const dr_predict_near* near, const facing* f, touch t,
                      int side)
{
    const float level = 0.5f; // sine
    if (f->is_inside) {
        return false;
    }
    if (m->rules->is_kept && t.order != 0) {
        return false; // it walks
    }
    if (m->rules->is_kept) {
        bool is_level = fabsf(f->height) < level * near->separation;
        // As far as a foot may slide.
        float along = near->separation * near->separation - f->height * f->height;
        float most = 0.5f * m->rules->static_radius;
        return along > most * most || (is_level && t.a == t.b);
    }
    // Layers may curve away from the plane; only the triangle itself says where they belong.
    return t.order != 0 && f->height * (float)side < 0.0f;
}

static float point_gap(const maker* m, const facing* f, touch t, int vertex, int triangle)
{
    float gap = t.gap;
    if (t.a == t.b) {
        const drape_vec3* rest = m->mesh->rest;
        const int32_t* corner = m->mesh->triangles[triangle];
        gap = rest_gap(gap, dr_closest_point_triangle(rest[vertex], rest[corner[0]],
                                                      rest[corner[1]], rest[corner[2]])
                                .squared);
    }
    return f->is_inside || m->rules->is_kept ? gap : fminf(gap, fabsf(f->height));
}

static bool make_point(const maker* m, const dr_predict_near* near)
{
    int vertex = m->pairs[near->pair].a, triangle = m->pairs[near->pair].b;
    touch t = touch_of(m, vertex, m->mesh->triangles[triangle][0]);
    facing f;
    float radius = m->rules->static_radius;
    if (t.order != 0) {
        radius = fmaxf(radius, m->rules->layer_radius);
    }
    if (near->left > t.gap + radius ||
        are_sewn(m->mesh, &m->pairs[near->pair].a, 1, m->mesh->triangles[triangle], 3)) {
        return true;
    }
    int side = 0;
    if (face(m, near, vertex, triangle, &f)) {
        side = side_of(m, &f, vertex, triangle, t.order);
    }
    if (side == 0) {
        ++m->to->skipped;
        return true;
    }
    // Far on the wrong side is not a tangle but another fold.
    bool is_other_fold = t.order != 0 && f.height * (float)side < -m->rules->static_radius;
    if (is_beside(m, near, &f, t, side) || is_other_fold) {
        return true;
    }
    dr_point_contact* at = dr_array_push(m->memory, &m->to->points, sizeof *at);
    float* gap = dr_array_push(m->memory, &m->to->point_gaps, sizeof *gap);
    if (at && gap) {
        *at = (dr_point_contact){vertex, (uint32_t)triangle & 0x7fffffffu, side > 0 ? 1u : 0u};
        *gap = point_gap(m, &f, t, vertex, triangle);
    }
    return at && gap;
}

// --- Two edges ---

static bool is_end(float at)
{
    return !(at > 0.0f && at < 1.0f);
}

static drape_vec3 edge_of(const float* records, const int32_t* edge)
{
    return dr_sub(dr_record_at(records, edge[1]), dr_record_at(records, edge[0]));
}

// The normal of the contact; false when there is none, or no telling which way it points.
static bool orient(const maker* m, const dr_predict_near* near, touch t, dr_edge_contact* contact)
{
    const float* start = m->query->start;
    const int32_t *a = m->mesh->edges[contact->a], *b = m->mesh->edges[contact->b];
    drape_vec3 e = edge_of(start, a), f = edge_of(start, b);
    drape_vec3 on_a = dr_add(dr_record_at(start, a[0]), dr_scale(e, contact->alpha));
    drape_vec3 on_b = dr_add(dr_record_at(start, b[0]), dr_scale(f, contact->beta));
    bool has_side = near->separation > flat * sqrtf(fmaxf(dr_dot(e, e), dr_dot(f, f)));
    // The cross product is the better known of the two when they are close.
    drape_vec3 apart = dr_sub(on_b, on_a), across = dr_cross(e, f);
    bool is_across = !is_end(contact->alpha) && !is_end(contact->beta) &&
                     dr_dot(across, across) > 1e-4f * dr_dot(e, e) * dr_dot(f, f);
    contact->normal = dr_normalize(is_across ? across : apart);
    if (is_across && dr_dot(contact->normal, apart) < 0.0f) {
        contact->normal = dr_scale(contact->normal, -1.0f);
    }
    if (t.order == 0) {
        return has_side;
    }
    // Only edges that lie across each other and are close can have passed through each other.
    bool can_turn = is_across && near->separation <= t.gap;
    return dr_predict_turn(m->mesh, start, t.order, can_turn, contact);
}

// Contacts that are kept must lie across each other: their normal is to be found again later.
static bool can_be_kept(const maker* m, const dr_edge_contact* contact)
{
    const float* start = m->query->start;
    drape_vec3 e = edge_of(start, m->mesh->edges[contact->a]);
    drape_vec3 f = edge_of(start, m->mesh->edges[contact->b]), across = dr_cross(e, f);
    return dr_dot(across, across) > 0.1f * dr_dot(e, e) * dr_dot(f, f) && !is_end(contact->alpha) &&
           !is_end(contact->beta);
}

static bool make_edge(const maker* m, const dr_predict_near* near)
{
    dr_edge_contact contact = {.a = m->pairs[near->pair].a,
                               .b = m->pairs[near->pair].b,
                               .alpha = near->weight[0],
                               .beta = near->weight[1]};
    const int32_t *a = m->mesh->edges[contact.a], *b = m->mesh->edges[contact.b];
    touch t = touch_of(m, a[0], b[0]);
    float radius = m->rules->edge_radius > 0.0f ? m->rules->edge_radius : m->rules->static_radius;
    if (near->left > t.gap + radius || are_sewn(m->mesh, a, 2, b, 2) ||
        (m->rules->is_kept && !can_be_kept(m, &contact))) {
        return true;
    }
    if (!orient(m, near, t, &contact)) {
        ++m->to->skipped;
        return true;
    }
    const drape_vec3* rest = m->mesh->rest;
    float gap = t.gap;
    if (t.a == t.b) {
        gap =
            rest_gap(gap, dr_closest_edges(rest[a[0]], rest[a[1]], rest[b[0]], rest[b[1]]).squared);
    }
    return push_edge(m->memory, &m->to->edges, &m->to->edge_gaps, &contact, gap);
}

// --- Two points ---

static bool make_pair(const maker* m, const dr_predict_near* near)
{
    dr_pair pair = m->pairs[near->pair];
    touch t = touch_of(m, pair.a, pair.b);
    if (near->separation > t.gap + m->rules->static_radius ||
        are_sewn(m->mesh, &pair.a, 1, &pair.b, 1)) {
        return true;
    }
    const float *start = m->query->start, *end = m->query->end;
    drape_vec3 a = dr_record_at(start, pair.a), b = dr_record_at(start, pair.b);
    drape_vec3 apart = dr_sub(b, a);
    if (dr_dot(apart, apart) == 0.0f) {
        // At one place: against the way they are going.
        apart = dr_sub(dr_sub(dr_record_at(end, pair.a), a), dr_sub(dr_record_at(end, pair.b), b));
    }
    dr_edge_contact contact = {pair.a, pair.b, dr_normalize(apart), 0.0f, 0.0f, 0.0f};
    if (dr_dot(contact.normal, contact.normal) == 0.0f) {
        ++m->to->skipped;
        return true;
    }
    if (m->rules->as_printed) {
        contact.normal = dr_scale(contact.normal, -1.0f);
    }
    drape_vec3 rest = dr_sub(m->mesh->rest[pair.b], m->mesh->rest[pair.a]);
    float gap = t.a == t.b ? rest_gap(t.gap, dr_dot(rest, rest)) : t.gap;
    return push_edge(m->memory, &m->to->pairs, &m->to->pair_gaps, &contact, gap);
}

// --- All ---

typedef struct near_work {
    const dr_predict_query* query;
    near_fn* kernel;
    const dr_pair* pairs;
    int count;
    dr_predict_near* near;
    int32_t* counts;
} near_work;

static void near_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const near_work* work = context;
    for (int i = begin; i < end; ++i) {
        int first = i * block, last = first + block < work->count ? first + block : work->count;
        work->counts[i] = work->kernel(work->query, work->pairs, first, last, work->near + first);
    }
}

// Looks at all pairs of a list and makes contacts of those that stay.
static bool make_list(maker* m, dr_pool* pool, const dr_array* list, near_fn* kernel,
                      bool (*make)(const maker* m, const dr_predict_near* near))
{
    dr_predict_contacts* to = m->to;
    int count = list->count, blocks = (count + block - 1) / block;
    if (count == 0) {
        return true;
    }
    // With room to spare: what folds up has a few more pairs in every step.
    if ((count > to->near.capacity &&
         !dr_array_reserve(m->memory, &to->near, sizeof(dr_predict_near), count + count / 2)) ||
        (blocks > to->near_counts.capacity &&
         !dr_array_reserve(m->memory, &to->near_counts, sizeof(int32_t), blocks + blocks / 2))) {
        return false;
    }
    m->pairs = list->data;
    near_work work = {m->query, kernel, list->data, count, to->near.data, to->near_counts.data};
    dr_parallel_for(pool, blocks, 1, near_task, &work);
    to->exact_tests += count;
    for (int i = 0; i < blocks; ++i) {
        for (int k = 0; k < work.counts[i]; ++k) {
            if (!make(m, &work.near[i * block + k])) {
                return false;
            }
        }
    }
    return true;
}

// The contacts of now become those of the step before.
static void turn_over(dr_predict_contacts* contacts)
{
    dr_array last = contacts->last;
    contacts->last = contacts->points;
    contacts->points = last;
    contacts->is_last_sorted = false;
    contacts->points.count = contacts->point_gaps.count = 0;
    contacts->edges.count = contacts->edge_gaps.count = 0;
    contacts->pairs.count = contacts->pair_gaps.count = 0;
    contacts->exact_tests = contacts->skipped = 0;
}

bool dr_predict_contacts_make(dr_predict_contacts* contacts, dr_memory* memory, dr_pool* pool,
                              const dr_predict_mesh* mesh, const dr_predict_search* search,
                              const dr_predict_query* query, const dr_predict_rules* rules,
                              drape_isa isa)
{
    const dr_predict_near_kernels* kernels = dr_predict_near_kernels_for(isa);
    const dr_array* lists = search->pairs.lists;
    dr_predict_query within = *query;
    within.reach = dr_predict_reach(mesh, rules);
    within.is_kept = rules->is_kept;
    maker m = {contacts, memory, mesh, &within, rules, NULL};
    turn_over(contacts);
    if (search->is_points) {
        return make_list(&m, pool, &lists[0], kernels->point_point, make_pair);
    }
    return make_list(&m, pool, &lists[DR_PAIRS_POINT_TRIANGLE], kernels->point_triangle,
                     make_point) &&
           make_list(&m, pool, &lists[DR_PAIRS_EDGE_EDGE], kernels->edge_edge, make_edge);
}
