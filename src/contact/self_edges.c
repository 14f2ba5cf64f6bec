#include "contact/self_edges.h"

#include "collide/predicates.h"
#include "collide/triangle_pair.h"

bool dr_self_edges_create(dr_self_edges* self, dr_memory* memory, const dr_sheets* sheets,
                          const dr_self_edges_options* options)
{
    *self = (dr_self_edges){.options = *options, .sheets = sheets};
    if (!dr_self_search_create(&self->search, memory, sheets, 0, options->use_tree, options->isa)) {
        return false;
    }
    self->options.isa = self->search.isa;
    return options->use_tree ||
           (dr_box_list_create(&self->edges, memory, sheets->edges[0], 2, sheets->edge_count) &&
            dr_box_list_create(&self->triangles, memory, sheets->triangles[0], 3,
                               sheets->triangle_count));
}

void dr_self_edges_free(dr_self_edges* self, dr_memory* memory)
{
    dr_self_search_free(&self->search, memory);
    dr_box_list_free(&self->edges, memory);
    dr_box_list_free(&self->triangles, memory);
    dr_all_pairs_free(&self->all, memory);
    dr_array_free(memory, &self->candidates, sizeof(dr_pair));
    dr_array_free(memory, &self->is_hit, sizeof(uint8_t));
    dr_array_free(memory, &self->hits, sizeof(dr_pair));
    *self = (dr_self_edges){0};
}

// One run.
typedef struct run {
    dr_self_edges* self;
    dr_memory* memory;
    dr_limits* limits;
    dr_self_result* result;
} run;

static bool add(run* r, dr_array* list, int a, int b)
{
    dr_pair* place = dr_array_push(r->memory, list, sizeof *place);
    if (place) {
        *place = (dr_pair){a, b};
    }
    return place != NULL;
}

// --- Which edges and triangles ---

static bool is_incident(const dr_sheets* s, int edge, int triangle)
{
    const int32_t *e = s->edges[edge], *t = s->triangles[triangle];
    return e[0] == t[0] || e[0] == t[1] || e[0] == t[2] || e[1] == t[0] || e[1] == t[1] ||
           e[1] == t[2];
}

static bool is_not_incident(const void* context, int edge, int triangle)
{
    return !is_incident(context, edge, triangle);
}

static bool find_all(run* r, dr_pool* pool)
{
    dr_self_edges* self = r->self;
    const dr_sheets* s = self->sheets;
    dr_motion motion = {.start = &s->end[0].x, .stride = 3};
    dr_box_list_refit(&self->edges, pool, &motion, self->options.isa);
    dr_box_list_refit(&self->triangles, pool, &motion, self->options.isa);
    if (!dr_all_pairs_run(&self->all, r->memory, pool, self->options.isa, &self->edges,
                          &self->triangles, is_not_incident, s)) {
        return false;
    }
    r->result->box_tests += self->all.box_tests;
    const dr_pair* found = self->all.pairs.data;
    bool is_done = true;
    for (int i = 0; i < self->all.pairs.count && is_done; ++i) {
        is_done = add(r, &self->candidates, found[i].a, found[i].b);
    }
    return is_done;
}

// The edges that triangle a owns against triangle b.
static bool add_owned(run* r, int a, int b)
{
    const dr_sheets* s = r->self->sheets;
    const dr_sheets_part* part = &s->parts[s->part_of_triangle[a]];
    int local = a - part->first_triangle;
    bool is_done = true;
    for (int k = 0; k < 3; ++k) {
        // The edge from corner k to the next is opposite to the one after that.
        if (part->mesh->owned[local] >> (3 + k) & 1) {
            int edge = part->first_edge + part->mesh->triangle_edges[3 * local + (k + 2) % 3];
            if (!is_incident(s, edge, b)) {
                is_done = is_done && add(r, &r->self->candidates, edge, b);
            }
        }
    }
    return is_done;
}

static bool add_both(run* r, int a, int b)
{
    return add_owned(r, a, b) && add_owned(r, b, a);
}

static bool find_by_tree(run* r, dr_pool* pool)
{
    dr_self_search* search = &r->self->search;
    if (!dr_self_search_run(search, r->memory, pool, DR_SPAN_END)) {
        return false;
    }
    r->result->box_tests += search->box_tests;
    const dr_pair* pairs = search->pairs.data;
    bool is_done = true;
    for (int i = 0; i < search->pairs.count && is_done; ++i) {
        is_done = add_both(r, pairs[i].a, pairs[i].b);
    }
    for (int t = 0; t < r->self->sheets->triangle_count && is_done; ++t) {
        int count;
        const int32_t* near = dr_near_of(&search->near, t, &count);
        for (int i = 0; i < count && is_done; ++i) {
            if (dr_guard_may_touch(r->self->sheets, t, near[i])) {
                is_done = add_both(r, t, near[i]);
            }
        }
    }
    return is_done;
}

// --- Whether they meet ---

// Exact. Most edges lie on one side of the plane of the triangle.
static bool meet(const dr_sheets* s, int edge, int triangle)
{
    drape_vec3 p = s->end[s->edges[edge][0]], q = s->end[s->edges[edge][1]];
    const int32_t* v = s->triangles[triangle];
    const drape_vec3 t[3] = {s->end[v[0]], s->end[v[1]], s->end[v[2]]};
    int side = dr_orient3d_positions(t[0], t[1], t[2], p);
    if (side != 0 && side == dr_orient3d_positions(t[0], t[1], t[2], q)) {
        return false;
    }
    const drape_vec3 segment[3] = {p, q, q};
    return dr_triangle_pair(t, NULL, segment, NULL).relation != DR_TRIANGLES_APART;
}

static void meet_candidates(void* context, int begin, int end, int worker)
{
    const run* r = context;
    const dr_pair* pairs = r->self->candidates.data;
    uint8_t* is_hit = r->self->is_hit.data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        is_hit[i] = meet(r->self->sheets, pairs[i].a, pairs[i].b);
    }
}

// Pairs to a chunk of a thread.
enum { pair_grain = 256 };

static bool test_candidates(run* r, dr_pool* pool, drape_task_fn* task)
{
    dr_self_edges* self = r->self;
    int count = self->candidates.count;
    if (count > self->is_hit.capacity &&
        !dr_array_reserve(r->memory, &self->is_hit, sizeof(uint8_t), count + count / 4)) {
        return false;
    }
    dr_parallel_for(pool, count, pair_grain, task, r);
    r->result->exact_tests += count;
    return true;
}

// Freezes what is not held altogether already; that is forced.
static void answer(run* r, const int32_t* vertices, int count, bool is_held)
{
    if (is_held) {
        ++r->result->forced;
    } else {
        r->result->frozen += dr_guard_freeze(r->self->sheets, r->limits, vertices, count);
    }
}

// Whether all vertices were held before this run; written beside the hits, for freezing changes it.
enum { hit_free = 1, hit_held = 2 };

static void mark_held(const run* r, bool are_edges)
{
    const dr_sheets* s = r->self->sheets;
    const dr_pair* pairs = r->self->candidates.data;
    uint8_t* is_hit = r->self->is_hit.data;
    for (int i = 0; i < r->self->candidates.count; ++i) {
        const int32_t* first = are_edges ? s->edges[pairs[i].a] : s->triangles[pairs[i].a];
        if (is_hit[i] && dr_guard_is_held(s, r->limits, first, are_edges ? 2 : 3) &&
            dr_guard_is_held(s, r->limits, s->triangles[pairs[i].b], 3)) {
            is_hit[i] = hit_held;
        }
    }
}

static void answer_hits(run* r, bool are_edges)
{
    const dr_sheets* s = r->self->sheets;
    const dr_pair* pairs = r->self->candidates.data;
    const uint8_t* is_hit = r->self->is_hit.data;
    mark_held(r, are_edges);
    for (int i = 0; i < r->self->candidates.count; ++i) {
        if (is_hit[i]) {
            const int32_t* a = are_edges ? s->edges[pairs[i].a] : s->triangles[pairs[i].a];
            const int32_t* b = s->triangles[pairs[i].b];
            const int32_t vertices[6] = {a[0], a[1], b[0], b[1], b[2], are_edges ? a[1] : a[2]};
            answer(r, vertices, 6, is_hit[i] == hit_held);
        }
    }
}

static bool list_hits(run* r)
{
    dr_self_edges* self = r->self;
    const dr_pair* pairs = self->candidates.data;
    const uint8_t* is_hit = self->is_hit.data;
    bool is_done = true;
    for (int i = 0; i < self->candidates.count && is_done; ++i) {
        is_done = !is_hit[i] || add(r, &self->hits, pairs[i].a, pairs[i].b);
    }
    r->result->far_pairs = self->hits.count;
    return is_done;
}

// --- Passing on the way ---

static bool find_passing(run* r, dr_pool* pool)
{
    dr_self_edges* self = r->self;
    dr_self_search* search = &self->search;
    const dr_sheets* s = self->sheets;
    if (!dr_self_search_run(search, r->memory, pool, DR_SPAN_STEP)) {
        return false;
    }
    r->result->box_tests += search->box_tests;
    self->candidates.count = 0;
    const dr_pair* pairs = search->pairs.data;
    bool is_done = true;
    for (int i = 0; i < search->pairs.count && is_done; ++i) {
        int a = pairs[i].a, b = pairs[i].b;
        if (self->options.is_full || s->part_of_triangle[a] != s->part_of_triangle[b]) {
            is_done = add(r, &self->candidates, a, b);
        }
    }
    for (int t = 0; self->options.is_full && t < s->triangle_count; ++t) {
        int count;
        const int32_t* near = dr_near_of(&search->near, t, &count);
        for (int i = 0; i < count && is_done; ++i) {
            is_done = add(r, &self->candidates, t, near[i]);
        }
    }
    return is_done;
}

static void pass_candidates(void* context, int begin, int end, int worker)
{
    const run* r = context;
    const dr_pair* pairs = r->self->candidates.data;
    uint8_t* is_hit = r->self->is_hit.data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        is_hit[i] = dr_guard_passes(r->self->sheets, pairs[i].a, pairs[i].b);
    }
}

// --- The run ---

bool dr_self_edges_detect(dr_self_edges* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                          int number, dr_self_result* result)
{
    *result = (dr_self_result){0};
    run r = {self, memory, limits, result};
    (void)number;
    self->candidates.count = 0;
    self->hits.count = 0;
    bool found = self->options.use_tree ? find_by_tree(&r, pool) : find_all(&r, pool);
    if (!found || !test_candidates(&r, pool, meet_candidates) || !list_hits(&r)) {
        return false;
    }
    answer_hits(&r, true);
    if (self->options.is_full || self->sheets->part_count > 1) {
        if (!find_passing(&r, pool) || !test_candidates(&r, pool, pass_candidates)) {
            return false;
        }
        for (int i = 0; i < self->candidates.count; ++i) {
            result->near_pairs += ((const uint8_t*)self->is_hit.data)[i] != 0;
        }
        answer_hits(&r, false);
    }
    result->is_clean = result->frozen == 0;
    return true;
}

bool dr_self_edges_detect_any(void* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                              int run_number, dr_self_result* result)
{
    return dr_self_edges_detect(self, memory, pool, limits, run_number, result);
}

const dr_pair* dr_self_edges_hits(dr_self_edges* self, int* count)
{
    *count = self->hits.count;
    dr_pairs_sort(self->hits.data, self->hits.count);
    return self->hits.data;
}
