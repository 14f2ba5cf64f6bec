#include "contact/self_sensor.h"

#include <stdlib.h>

#include "core/isa.h"

dr_self_sensor_options dr_self_sensor_defaults(void)
{
    return (dr_self_sensor_options){
        .use_gate = true,
        .use_positive = true,
        .use_outline = true,
        .particles = dr_particles_defaults(),
        .answer = DR_SENSOR_PLANES,
        .freeze_run = 4,
    };
}

// --- Create and free ---

bool dr_self_sensor_create(dr_self_sensor* self, dr_memory* memory, dr_pool* pool,
                           const dr_sheets* sheets, const dr_self_sensor_options* options)
{
    *self = (dr_self_sensor){.options = *options, .sheets = sheets};
    self->options.isa = dr_isa_resolve(options->isa);
    self->trees = dr_new_zeroed(memory, dr_sensor_tree, sheets->part_count + 1);
    bool is_made = self->trees != NULL;
    for (int p = 0; p < sheets->part_count && is_made; ++p) {
        is_made = dr_sensor_tree_create(&self->trees[p], memory, sheets->parts[p].mesh,
                                        self->options.isa);
    }
    return is_made && (!options->use_gate ||
                       dr_self_gate_create(&self->gate, memory, pool, sheets, &options->particles,
                                           options->particle_count, self->options.isa));
}

void dr_self_sensor_free(dr_self_sensor* self, dr_memory* memory)
{
    for (int p = 0; self->trees && p < self->sheets->part_count; ++p) {
        dr_sensor_tree_free(&self->trees[p], memory);
    }
    if (self->sheets) {
        dr_delete(memory, self->trees, self->sheets->part_count + 1);
    }
    dr_self_gate_free(&self->gate, memory);
    dr_sensor_pairs_free(&self->pairs, memory);
    dr_pair_search_free(&self->between, memory);
    dr_array_free(memory, &self->checks, sizeof(dr_pair));
    dr_array_free(memory, &self->relations, sizeof(uint8_t));
    dr_array_free(memory, &self->order, sizeof(dr_sort_item));
    dr_array_free(memory, &self->old, sizeof(dr_pair));
    dr_array_free(memory, &self->contacts, sizeof(dr_sensor_contact));
    *self = (dr_self_sensor){0};
}

// --- Tests ---

typedef struct run {
    dr_self_sensor* self;
    dr_memory* memory;
    dr_pool* pool;
    dr_limits* limits;
    dr_self_result* result;
    int first; // check of the next tests
} run;

static bool add_check(run* r, int a, int b)
{
    dr_pair* place = dr_array_push(r->memory, &r->self->checks, sizeof *place);
    if (place) {
        *place = (dr_pair){a, b};
    }
    return place != NULL;
}

static void test_checks(void* context, int begin, int end, int worker)
{
    const run* r = context;
    const dr_sheets* s = r->self->sheets;
    const dr_pair* checks = r->self->checks.data;
    uint8_t* relations = r->self->relations.data;
    (void)worker;
    for (int i = r->first + begin; i < r->first + end; ++i) {
        const int32_t *va = s->triangles[checks[i].a], *vb = s->triangles[checks[i].b];
        const drape_vec3 a[3] = {s->end[va[0]], s->end[va[1]], s->end[va[2]]};
        const drape_vec3 b[3] = {s->end[vb[0]], s->end[vb[1]], s->end[vb[2]]};
        relations[i] = (uint8_t)dr_triangle_pair(a, va, b, vb).relation;
    }
}

// Pairs to a chunk of a thread.
enum { pair_grain = 128 };

// Tests what was added since the last call.
static bool run_tests(run* r)
{
    dr_self_sensor* self = r->self;
    int count = self->checks.count;
    if (count > self->relations.capacity &&
        !dr_array_reserve(r->memory, &self->relations, sizeof(uint8_t), count + count / 4)) {
        return false;
    }
    self->relations.count = count;
    dr_parallel_for(r->pool, count - r->first, pair_grain, test_checks, r);
    r->result->exact_tests += count - r->first;
    r->first = count;
    return true;
}

// --- What met before ---

static int compare_pairs(const void* first, const void* second)
{
    const dr_pair *p = first, *q = second;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return p->b < q->b ? -1 : p->b > q->b;
}

static bool is_old(const dr_self_sensor* self, dr_pair pair)
{
    return self->old.count > 0 &&
           bsearch(&pair, self->old.data, (size_t)self->old.count, sizeof pair, compare_pairs);
}

static bool test_old(run* r)
{
    const dr_pair* old = r->self->old.data;
    bool is_done = true;
    for (int i = 0; i < r->self->old.count && is_done; ++i) {
        is_done = add_check(r, old[i].a, old[i].b);
    }
    return is_done && run_tests(r);
}

// --- The gate ---

// Cloths in which something met before and meets still are open without a look.
static void look(run* r)
{
    dr_self_sensor* self = r->self;
    const dr_pair* checks = self->checks.data;
    const uint8_t* relations = self->relations.data;
    for (int i = 0; i < self->checks.count; ++i) {
        int p = self->sheets->part_of_triangle[checks[i].a];
        if (relations[i] != DR_TRIANGLES_APART &&
            p == self->sheets->part_of_triangle[checks[i].b]) {
            dr_self_gate_keep(&self->gate, p);
        }
    }
    dr_self_gate_look(&self->gate);
}

bool dr_self_sensor_is_open(const dr_self_sensor* self, int part)
{
    return !self->options.use_gate || self->gate.parts[part].is_open;
}

// --- Search ---

static bool search_part(run* r, int p)
{
    dr_self_sensor* self = r->self;
    const dr_self_sensor_options* o = &self->options;
    const dr_sheets_part* sheet = &self->sheets->parts[p];
    dr_sensor_tree* tree = &self->trees[p];
    if (!dr_sensor_tree_refit(tree, r->memory, r->pool, self->sheets->end + sheet->first_vertex,
                              o->use_positive, o->use_outline) ||
        !dr_sensor_pairs_find(&self->pairs, r->memory, tree, o->with_corners)) {
        return false;
    }
    r->result->box_tests += self->pairs.box_tests;
    const dr_pair* found = self->pairs.checks.data;
    bool is_done = true;
    for (int i = 0; i < self->pairs.checks.count && is_done; ++i) {
        dr_pair pair = {found[i].a + sheet->first_triangle, found[i].b + sheet->first_triangle};
        is_done = is_old(self, pair) || add_check(r, pair.a, pair.b);
    }
    return is_done;
}

static bool search_between(run* r, int p, int q)
{
    dr_self_sensor* self = r->self;
    const dr_sheets_part* parts = self->sheets->parts;
    if (!dr_tree_tree_pairs(&self->between, r->memory, r->pool, &self->trees[p].tree,
                            &self->trees[q].tree, NULL)) {
        return false;
    }
    r->result->box_tests += self->between.box_tests;
    int count;
    const dr_pair* found = dr_pair_search_list(&self->between, 0, &count);
    bool is_done = true;
    for (int i = 0; i < count && is_done; ++i) {
        dr_pair pair = {found[i].a + parts[p].first_triangle, found[i].b + parts[q].first_triangle};
        is_done = is_old(self, pair) || add_check(r, pair.a, pair.b);
    }
    return is_done;
}

// Boxes of closed cloths, too, where there are others.
static bool refit_closed(run* r, int p)
{
    const dr_sheets* s = r->self->sheets;
    return dr_sensor_tree_refit(&r->self->trees[p], r->memory, r->pool,
                                s->end + s->parts[p].first_vertex, false, false);
}

static bool search_all(run* r)
{
    dr_self_sensor* self = r->self;
    int count = self->sheets->part_count;
    bool is_done = true;
    for (int p = 0; p < count && is_done; ++p) {
        if (self->sheets->parts[p].mesh->triangle_count == 0) {
            continue;
        }
        if (dr_self_sensor_is_open(self, p)) {
            is_done = search_part(r, p);
        } else if (count > 1) {
            is_done = refit_closed(r, p);
        }
    }
    for (int p = 0; p < count && is_done; ++p) {
        for (int q = p + 1; q < count && is_done; ++q) {
            is_done = search_between(r, p, q);
        }
    }
    return is_done && run_tests(r);
}

// --- Contacts ---

// The checks that meet, in the order of their triangles.
static bool order_hits(run* r)
{
    dr_self_sensor* self = r->self;
    const dr_pair* checks = self->checks.data;
    const uint8_t* relations = self->relations.data;
    self->order.count = 0;
    for (int i = 0; i < self->checks.count; ++i) {
        if (relations[i] == DR_TRIANGLES_APART) {
            continue;
        }
        dr_sort_item* place = dr_array_push(r->memory, &self->order, sizeof *place);
        if (!place) {
            return false;
        }
        *place = (dr_sort_item){(uint64_t)checks[i].a << 32 | (uint32_t)checks[i].b, i};
    }
    dr_sort(self->order.data, self->order.count);
    return true;
}

static bool list_contacts(run* r)
{
    dr_self_sensor* self = r->self;
    const dr_pair* checks = self->checks.data;
    const uint8_t* relations = self->relations.data;
    self->contacts.count = 0;
    if (!order_hits(r)) {
        return false;
    }
    const dr_sort_item* order = self->order.data;
    for (int i = 0; i < self->order.count; ++i) {
        dr_pair pair = checks[order[i].value];
        dr_sensor_contact* place = dr_array_push(r->memory, &self->contacts, sizeof *place);
        if (!place) {
            return false;
        }
        *place = dr_sensor_contact_of(self->sheets, self->options.inverse_mass, pair.a, pair.b,
                                      (dr_relation)relations[order[i].value]);
        place->is_old = is_old(self, pair);
        r->result->near_pairs += place->is_old;
    }
    r->result->far_pairs = self->contacts.count;
    return true;
}

// What met in the first run of a step is the old of the next.
static bool remember(run* r)
{
    dr_self_sensor* self = r->self;
    const dr_sensor_contact* contacts = self->contacts.data;
    self->old.count = 0;
    for (int i = 0; i < self->contacts.count; ++i) {
        dr_pair* place = dr_array_push(r->memory, &self->old, sizeof *place);
        if (!place) {
            return false;
        }
        *place = (dr_pair){contacts[i].a, contacts[i].b};
        int p = self->sheets->part_of_triangle[contacts[i].a];
        if (self->options.use_gate && p == self->sheets->part_of_triangle[contacts[i].b]) {
            dr_self_gate_met(&self->gate, p);
        }
    }
    return true;
}

// --- Answers ---

// Room that both sides keep from the plane: floats of places do not touch then, m.
static const double plane_margin = 1e-6;

// Keeps the vertices of a triangle beyond a plane, in the direction of the normal times `side`.
static bool add_planes(run* r, const int32_t v[3], const double normal[3], double offset, int side,
                       bool* is_full)
{
    dr_halfspace plane = {.dependent = -1, .offset = -side * offset - plane_margin};
    for (int d = 0; d < 3; ++d) {
        plane.normal[d] = side * normal[d];
    }
    for (int k = 0; k < 3; ++k) {
        if (r->limits->hold[v[k]] != DR_HOLD_FREE) {
            continue;
        }
        drape_vec3 at = r->self->sheets->start[v[k]];
        plane.anchor[0] = at.x;
        plane.anchor[1] = at.y;
        plane.anchor[2] = at.z;
        dr_limit_answer answer = dr_limits_add_plane(r->limits, r->memory, v[k], &plane);
        if (answer == DR_LIMIT_NO_MEMORY) {
            return false;
        }
        *is_full = *is_full || answer == DR_LIMIT_FULL;
        r->result->clamped += answer == DR_LIMIT_ADDED;
    }
    return true;
}

static void freeze(run* r, const dr_sensor_contact* contact)
{
    const dr_sheets* s = r->self->sheets;
    r->result->frozen += dr_guard_freeze(s, r->limits, s->triangles[contact->a], 3);
    r->result->frozen += dr_guard_freeze(s, r->limits, s->triangles[contact->b], 3);
}

static bool has_room(const dr_sensor_contact* contact)
{
    // Each side keeps an eighth of the gap at least, which must be more than the margin.
    return (double)contact->gap > 16.0 * plane_margin;
}

static bool answer_contact(run* r, const dr_sensor_contact* contact, bool use_planes)
{
    const dr_sheets* s = r->self->sheets;
    double normal[3], offset;
    bool is_full = false;
    if (!use_planes || !has_room(contact) || !dr_sensor_contact_plane(contact, normal, &offset)) {
        freeze(r, contact);
        return true;
    }
    bool is_done = add_planes(r, s->triangles[contact->a], normal, offset, 1, &is_full) &&
                   add_planes(r, s->triangles[contact->b], normal, offset, -1, &is_full);
    if (is_full) {
        freeze(r, contact);
    }
    return is_done;
}

static bool answer_contacts(run* r, int number)
{
    dr_self_sensor* self = r->self;
    const dr_sheets* s = self->sheets;
    const dr_sensor_contact* contacts = self->contacts.data;
    bool use_planes = self->options.answer == DR_SENSOR_PLANES && number < self->options.freeze_run;
    // Decided before any of them is frozen, for that changes it: such contacts are forced.
    uint8_t* is_forced = self->relations.data;
    for (int i = 0; i < self->contacts.count; ++i) {
        is_forced[i] = dr_guard_is_held(s, r->limits, s->triangles[contacts[i].a], 3) &&
                       dr_guard_is_held(s, r->limits, s->triangles[contacts[i].b], 3);
        r->result->forced += is_forced[i];
    }
    bool is_done = true;
    for (int i = 0; i < self->contacts.count && is_done; ++i) {
        is_done = is_forced[i] || answer_contact(r, &contacts[i], use_planes);
    }
    return is_done;
}

// --- The run ---

bool dr_self_sensor_detect(dr_self_sensor* self, dr_memory* memory, dr_pool* pool,
                           dr_limits* limits, int number, dr_self_result* result)
{
    *result = (dr_self_result){0};
    run r = {.self = self, .memory = memory, .pool = pool, .limits = limits, .result = result};
    self->checks.count = self->relations.count = 0;
    if (!test_old(&r)) {
        return false;
    }
    if (number == 1 && self->options.use_gate) {
        look(&r);
    }
    if (!search_all(&r) || !list_contacts(&r) || (number == 1 && !remember(&r))) {
        return false;
    }
    if (self->options.answer != DR_SENSOR_LIST && !answer_contacts(&r, number)) {
        return false;
    }
    result->is_clean = result->frozen == 0 && result->clamped == 0;
    return true;
}

bool dr_self_sensor_detect_any(void* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                               int run_number, dr_self_result* result)
{
    return dr_self_sensor_detect(self, memory, pool, limits, run_number, result);
}

const dr_sensor_contact* dr_self_sensor_contacts(const dr_self_sensor* self, int* count)
{
    *count = self->contacts.count;
    return self->contacts.data;
}
