#include "contact/self_boxes.h"

#include <math.h>
#include <string.h>

#include "contact/beside.h"

dr_self_boxes_options dr_self_boxes_defaults(void)
{
    return (dr_self_boxes_options){.use_tree = true,
                                   .ring = 1,
                                   .clamp_run = 6,
                                   .freeze_run = 7,
                                   .delta = 1e-6,
                                   .isa = DRAPE_ISA_AUTO};
}

bool dr_self_boxes_create(dr_self_boxes* self, dr_memory* memory, const dr_sheets* sheets,
                          const dr_self_boxes_options* options)
{
    *self = (dr_self_boxes){.options = *options, .sheets = sheets};
    int ring = options->is_paper ? 0 : options->ring;
    return dr_self_search_create(&self->search, memory, sheets, ring, options->use_tree,
                                 options->isa) &&
           dr_regular_create(&self->regular, memory, sheets, options->isa) &&
           dr_moving_boxes_create(&self->moving, memory, sheets, options->isa) &&
           dr_box_list_create(&self->ends, memory, sheets->triangles[0], 3, sheets->triangle_count);
}

void dr_self_boxes_free(dr_self_boxes* self, dr_memory* memory)
{
    dr_self_search_free(&self->search, memory);
    dr_regular_free(&self->regular, memory);
    dr_moving_boxes_free(&self->moving, memory);
    dr_box_list_free(&self->ends, memory);
    dr_array_free(memory, &self->kinds, sizeof(uint8_t));
    dr_array_free(memory, &self->guarded, sizeof(dr_pair));
    dr_array_free(memory, &self->is_hit, sizeof(uint8_t));
    dr_array_free(memory, &self->far, sizeof(dr_pair));
    *self = (dr_self_boxes){0};
}

// --- Sorting pairs into kinds ---

typedef enum kind {
    kind_apart,
    kind_far,
    kind_guarded,
    kind_held, // far, but all vertices are given
} kind;

// One run.
typedef struct run {
    dr_self_boxes* self;
    dr_memory* memory;
    dr_limits* limits;
    int number;
    dr_self_result* result;
} run;

static bool is_held(const run* r, dr_pair pair)
{
    const dr_sheets* s = r->self->sheets;
    return dr_guard_is_held(s, r->limits, s->triangles[pair.a], 3) &&
           dr_guard_is_held(s, r->limits, s->triangles[pair.b], 3);
}

// Of delta: less of a gap at the start has no room for a plane. Pairs that rest on each other have
// twice delta, but for rounding.
static const double least_gap = 0.5;

static kind kind_of(const run* r, dr_pair pair, dr_first_sight sight)
{
    bool is_paper = r->self->options.is_paper;
    if (sight != DR_SIGHT_OPEN) {
        return sight == DR_SIGHT_OVERLAP && !is_paper ? kind_guarded : kind_apart;
    }
    dr_box_meeting m = dr_moving_boxes_meeting(&r->self->moving, pair);
    if (m.meeting == DR_BOXES_STAY_APART) {
        return kind_apart;
    }
    if (!is_paper && m.ceiling - m.floor < least_gap * r->self->delta) {
        return kind_guarded;
    }
    return is_held(r, pair) ? kind_held : kind_far;
}

static void sort_pairs(void* context, int begin, int end, int worker)
{
    const run* r = context;
    const dr_pair* pairs = r->self->search.pairs.data;
    uint8_t* kinds = r->self->kinds.data;
    (void)worker;
    dr_moving_boxes_look(&r->self->moving, pairs + begin, end - begin, kinds + begin);
    for (int i = begin; i < end; ++i) {
        kinds[i] = (uint8_t)kind_of(r, pairs[i], (dr_first_sight)kinds[i]);
    }
}

// The same once more, for those that are not guarded.
static void sort_pairs_again(void* context, int begin, int end, int worker)
{
    const run* r = context;
    const dr_pair* pairs = r->self->search.pairs.data;
    uint8_t* kinds = r->self->kinds.data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        uint8_t sight;
        dr_moving_boxes_look(&r->self->moving, pairs + i, 1, &sight);
        if (kinds[i] != kind_guarded) {
            kind again = kind_of(r, pairs[i], (dr_first_sight)sight);
            kinds[i] = (uint8_t)(again == kind_guarded ? kind_apart : again);
        }
    }
}

// Pairs to a chunk of a thread: some microseconds.
enum { pair_grain = 256 };

// Room for `count` in all, with some to spare so that it soon suffices for good.
static bool make_room(dr_memory* memory, dr_array* list, size_t size, int count)
{
    return count <= list->capacity || dr_array_reserve(memory, list, size, count + count / 4);
}

static bool guard(run* r, dr_pair pair)
{
    dr_array* list = &r->self->guarded;
    dr_pair* place = dr_array_push(r->memory, list, sizeof *place);
    if (place) {
        *place = pair;
    }
    return place != NULL;
}

// Guarded pairs of the search. Regular patches hold them apart, unless they may pass on the way.
static bool guard_found(run* r)
{
    dr_self_boxes* self = r->self;
    const dr_pair* pairs = self->search.pairs.data;
    const uint8_t* kinds = self->kinds.data;
    const int32_t* part = self->sheets->part_of_triangle;
    bool is_done = true;
    for (int i = 0; i < self->search.pairs.count && is_done; ++i) {
        if (kinds[i] != kind_guarded) {
            continue;
        }
        dr_pair p = pairs[i];
        bool is_safe = !self->options.is_full && part[p.a] == part[p.b] &&
                       dr_regular_has(&self->regular, part[p.a], p.a, p.b);
        is_done = is_safe || guard(r, p);
    }
    return is_done;
}

// Near triangles of one whose boxes meet its own where they end. `open` says to which cells around.
static bool guard_groups(run* r, int t, int open)
{
    enum { ROOM = 16 };
    dr_self_boxes* self = r->self;
    const dr_near* near = &self->search.near;
    const dr_regular_part* part = &self->regular.parts[self->sheets->part_of_triangle[t]];
    const dr_near_group* groups = near->groups.data;
    bool is_near_in_cells = self->options.ring <= 1;
    dr_near_group some[ROOM];
    for (int i = near->group_start[t], end = near->group_start[t + 1]; i < end;) {
        int count = 0;
        for (; i < end && count < ROOM; ++i) {
            int lanes = is_near_in_cells ? dr_regular_open_lanes(part, t, open, groups[i].first) : 255;
            some[count] = (dr_near_group){groups[i].first, (uint8_t)(groups[i].mask & lanes)};
            count += some[count].mask != 0;
        }
        if (!make_room(r->memory, &self->guarded, sizeof(dr_pair),
                       self->guarded.count + 8 * count)) {
            return false;
        }
        dr_pair* out = (dr_pair*)self->guarded.data + self->guarded.count;
        self->guarded.count +=
            dr_box_list_meet_groups(&self->ends, self->search.isa, t, some, count, out);
    }
    return true;
}

// With the full test all of them, wherever they end.
static bool guard_all_near(run* r, int t)
{
    int count;
    const int32_t* near = dr_near_of(&r->self->search.near, t, &count);
    bool is_done = true;
    for (int i = 0; i < count && is_done; ++i) {
        is_done = guard(r, (dr_pair){t, near[i]});
    }
    return is_done;
}

// Near pairs of triangles that are not in regular patches.
static bool guard_near(run* r, dr_pool* pool)
{
    dr_self_boxes* self = r->self;
    const int32_t* part = self->sheets->part_of_triangle;
    bool is_full = self->options.is_full, is_done = true;
    if (!is_full && self->options.ring <= 1 && dr_regular_is_all(&self->regular)) {
        return true;
    }
    dr_motion motion = {.start = self->search.end, .stride = 4};
    dr_box_list_refit(&self->ends, pool, &motion, self->search.isa);
    for (int t = 0; t < self->sheets->triangle_count && is_done; ++t) {
        int open = dr_regular_open(&self->regular, part[t], t);
        if (is_full) {
            is_done = guard_all_near(r, t);
        } else if (self->options.ring > 1 || open != 0) {
            is_done = guard_groups(r, t, open);
        }
    }
    return is_done;
}

// --- Guarded pairs ---

enum { hit_none, hit_free, hit_held, hit_tested = 4 };

static int look_at(const run* r, dr_pair pair)
{
    const dr_self_boxes* self = r->self;
    const dr_sheets* s = self->sheets;
    const int32_t* part = s->part_of_triangle;
    bool is_full = self->options.is_full || part[pair.a] != part[pair.b];
    bool may_touch = dr_guard_may_touch(s, pair.a, pair.b);
    if (!may_touch && !is_full) {
        return hit_none;
    }
    if (!(may_touch && dr_guard_touches(s, pair.a, pair.b)) &&
        !(is_full && dr_guard_passes(s, pair.a, pair.b))) {
        return hit_none | hit_tested;
    }
    return (is_held(r, pair) ? hit_held : hit_free) | hit_tested;
}

// Most pairs are told apart by a plane of one of them, where it does not matter how they got there.
static void look_at_guarded(void* context, int begin, int end, int worker)
{
    const run* r = context;
    const dr_self_boxes* self = r->self;
    const dr_sheets* s = self->sheets;
    const int32_t* part = s->part_of_triangle;
    const dr_pair* pairs = self->guarded.data;
    uint8_t* is_hit = self->is_hit.data;
    bool has_keys = s->vertex_count < DR_TREE_MOST_KEYS && !self->options.is_full;
    (void)worker;
    if (has_keys) {
        dr_beside(self->search.end, (const int32_t(*)[3])s->triangles, pairs + begin, end - begin,
                  self->search.isa, is_hit + begin);
    }
    for (int i = begin; i < end; ++i) {
        bool is_apart = has_keys && is_hit[i] && part[pairs[i].a] == part[pairs[i].b];
        is_hit[i] = is_apart ? hit_tested : (uint8_t)look_at(r, pairs[i]);
    }
}

static void freeze(run* r, dr_pair pair)
{
    const dr_sheets* s = r->self->sheets;
    r->result->frozen += dr_guard_freeze(s, r->limits, s->triangles[pair.a], 3);
    r->result->frozen += dr_guard_freeze(s, r->limits, s->triangles[pair.b], 3);
}

static void freeze_guarded(run* r)
{
    const dr_pair* pairs = r->self->guarded.data;
    const uint8_t* is_hit = r->self->is_hit.data;
    for (int i = 0; i < r->self->guarded.count; ++i) {
        r->result->exact_tests += (is_hit[i] & hit_tested) != 0;
        r->result->forced += (is_hit[i] & hit_held) != 0;
        if (is_hit[i] & hit_free) {
            freeze(r, pairs[i]);
        }
    }
    r->result->near_pairs = r->self->guarded.count;
}

// --- Looking ahead ---

// What is held now, or has got planes since the last run, will not end where it does in this one:
// the others must know, or else they learn of it a run later.
static void look_ahead(run* r, dr_pool* pool)
{
    dr_self_boxes* self = r->self;
    const dr_sheets* s = self->sheets;
    dr_limits* limits = r->limits;
    const dr_limit_plane* planes = limits->planes.data;
    int known = r->number == 1 ? 0 : self->plane_count;
    self->plane_count = limits->planes.count;
    if (r->result->frozen == 0 && known >= self->plane_count) {
        return;
    }
    for (int i = known; i < self->plane_count; ++i) {
        drape_vec3 p = s->end[planes[i].vertex];
        double y[3] = {p.x, p.y, p.z};
        dr_limits_project(limits, planes[i].vertex, y);
        dr_moving_boxes_move(&self->moving, planes[i].vertex,
                             (drape_vec3){(float)y[0], (float)y[1], (float)y[2]});
    }
    const int32_t* limited = limits->limited.data;
    for (int i = 0; i < limits->limited.count; ++i) {
        const double* y = limits->place[limited[i]];
        if (limits->hold[limited[i]] != DR_HOLD_FREE) {
            dr_moving_boxes_move(&self->moving, limited[i],
                                 (drape_vec3){(float)y[0], (float)y[1], (float)y[2]});
        }
    }
    dr_moving_boxes_refit(&self->moving, pool);
    dr_parallel_for(pool, self->search.pairs.count, pair_grain, sort_pairs_again, r);
}

// --- Far pairs ---

static double coordinate(drape_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// The plane between what is held of both triangles.
static double beyond_held(const run* r, const int32_t lower[3], const int32_t upper[3], int axis,
                          double plane)
{
    const dr_sheets* s = r->self->sheets;
    double floor = -INFINITY, ceiling = INFINITY;
    for (int k = 0; k < 3; ++k) {
        if (r->limits->hold[lower[k]] != DR_HOLD_FREE) {
            floor = fmax(floor, coordinate(s->end[lower[k]], axis));
        }
        if (r->limits->hold[upper[k]] != DR_HOLD_FREE) {
            ceiling = fmin(ceiling, coordinate(s->end[upper[k]], axis));
        }
    }
    double room = fmin(r->self->delta, 0.5 * (ceiling - floor));
    return fmin(fmax(plane, floor + room), ceiling - room);
}

// Where one triangle must stay below and the other one above.
typedef struct limit {
    int axis;
    double plane, below, above;
} limit;

static void limit_vertex(const run* r, int vertex, const limit* at, bool is_below)
{
    double lo = r->limits->lo[vertex][at->axis], hi = r->limits->hi[vertex][at->axis];
    if (is_below) {
        hi = fmin(hi, at->below);
    } else {
        lo = fmax(lo, at->above);
    }
    dr_limits_set_interval(r->limits, vertex, at->axis, lo, hi);
}

static limit limit_at(const run* r, int axis, double plane)
{
    return (limit){axis, plane, plane - r->self->delta, plane + r->self->delta};
}

// The plane moved into the gap at the start, both sides of which allow the start to the last bit.
static limit clamped(const run* r, const dr_box_meeting* m)
{
    double room = fmin(r->self->delta, 0.5 * (m->ceiling - m->floor));
    double plane = fmin(fmax(m->plane, m->floor + room), m->ceiling - room);
    return (limit){m->axis, plane, fmax(plane - room, m->floor), fmin(plane + room, m->ceiling)};
}

// As printed: on which side of the plane the vertex starts.
static bool starts_below(const run* r, int vertex, int axis, double plane, bool otherwise)
{
    double start = coordinate(r->self->sheets->start[vertex], axis);
    return start == plane ? otherwise : start < plane;
}

static void hold_apart(run* r, dr_pair pair)
{
    dr_self_boxes* self = r->self;
    dr_box_meeting m = dr_moving_boxes_meeting(&self->moving, pair);
    const int32_t *a = self->sheets->triangles[pair.a], *b = self->sheets->triangles[pair.b];
    const int32_t *lower = m.b_is_lower ? b : a, *upper = m.b_is_lower ? a : b;
    bool is_paper = self->options.is_paper;
    limit at = limit_at(r, m.axis, m.plane);
    if (!is_paper && r->number >= self->options.clamp_run) {
        at = clamped(r, &m);
        r->result->clamped += at.plane != m.plane;
    }
    if (!is_paper) {
        double plane = beyond_held(r, lower, upper, m.axis, at.plane);
        at = plane == at.plane ? at : limit_at(r, m.axis, plane);
    }
    for (int k = 0; k < 6; ++k) {
        int vertex = k < 3 ? lower[k] : upper[k - 3];
        bool is_below = k < 3;
        if (is_paper) {
            is_below = starts_below(r, vertex, m.axis, at.plane, is_below);
        }
        limit_vertex(r, vertex, &at, is_below);
    }
}

// Held pairs whose boxes meet are no harm unless they cross.
static void look_at_held(run* r, dr_pair pair)
{
    ++r->result->exact_tests;
    r->result->forced += dr_guard_touches(r->self->sheets, pair.a, pair.b);
}

static bool answer_far(run* r)
{
    dr_self_boxes* self = r->self;
    const dr_pair* pairs = self->search.pairs.data;
    const uint8_t* kinds = self->kinds.data;
    self->far.count = 0;
    for (int i = 0; i < self->search.pairs.count; ++i) {
        if (kinds[i] == kind_held && !self->options.is_paper) {
            look_at_held(r, pairs[i]);
        }
        if (kinds[i] != kind_far) {
            continue;
        }
        dr_pair* place = dr_array_push(r->memory, &self->far, sizeof *place);
        if (!place) {
            return false;
        }
        *place = pairs[i];
        if (!self->options.is_paper && r->number >= self->options.freeze_run) {
            freeze(r, pairs[i]);
        } else {
            hold_apart(r, pairs[i]);
        }
    }
    r->result->far_pairs = self->far.count;
    return true;
}

// --- Intervals ---

// Limits from below that are above those from above: the vertex is between two others that close in
// on it, and may be anywhere between.
static void turn_conflicts(run* r)
{
    const dr_limits* limits = r->limits;
    const int32_t* limited = limits->limited.data;
    for (int i = 0; i < limits->limited.count; ++i) {
        int v = limited[i];
        for (int d = 0; d < 3; ++d) {
            double lo = limits->lo[v][d], hi = limits->hi[v][d];
            if (lo > hi) {
                dr_limits_set_interval(r->limits, v, d, hi, lo);
                ++r->result->conflicts;
            }
        }
    }
}

static void widen_to_start(const run* r)
{
    const dr_limits* limits = r->limits;
    const int32_t* limited = limits->limited.data;
    for (int i = 0; i < limits->limited.count; ++i) {
        int v = limited[i];
        for (int d = 0; d < 3; ++d) {
            double start = coordinate(r->self->sheets->start[v], d);
            double lo = limits->lo[v][d], hi = limits->hi[v][d];
            if (start < lo || start > hi) {
                dr_limits_set_interval(r->limits, v, d, fmin(lo, start), fmax(hi, start));
            }
        }
    }
}

// Limits are in doubles, places in floats: a few units in the last place of the largest coordinate.
static double delta_of(const dr_self_boxes* self)
{
    return fmax(self->options.delta, 4.0 * 0x1p-23 * self->search.largest);
}

// --- The run ---

// What is found, before anything is done about it.
static bool look(run* r, dr_pool* pool)
{
    dr_self_boxes* self = r->self;
    if (!dr_self_search_run(&self->search, r->memory, pool, DR_SPAN_STEP)) {
        return false;
    }
    self->delta = delta_of(self);
    int count = self->search.pairs.count;
    self->guarded.count = 0;
    if (!make_room(r->memory, &self->kinds, sizeof(uint8_t), count)) {
        return false;
    }
    dr_moving_boxes_read(&self->moving);
    dr_moving_boxes_refit(&self->moving, pool);
    dr_parallel_for(pool, count, pair_grain, sort_pairs, r);
    if (self->options.is_paper) {
        return true;
    }
    dr_regular_update(&self->regular, pool, self->search.end);
    if (!guard_found(r) || !guard_near(r, pool) ||
        !make_room(r->memory, &self->is_hit, sizeof(uint8_t), self->guarded.count)) {
        return false;
    }
    dr_parallel_for(pool, self->guarded.count, pair_grain, look_at_guarded, r);
    return true;
}

bool dr_self_boxes_detect(dr_self_boxes* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                          int number, dr_self_result* result)
{
    *result = (dr_self_result){0};
    run r = {self, memory, limits, number, result};
    if (!look(&r, pool)) {
        return false;
    }
    if (!self->options.is_paper && number == self->options.clamp_run) {
        widen_to_start(&r);
    }
    if (!self->options.is_paper) {
        freeze_guarded(&r);
        look_ahead(&r, pool);
    }
    if (!answer_far(&r)) {
        return false;
    }
    turn_conflicts(&r);
    result->box_tests = self->search.box_tests;
    result->is_clean = result->far_pairs == 0 && result->frozen == 0;
    return true;
}

bool dr_self_boxes_detect_any(void* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                              int run_number, dr_self_result* result)
{
    return dr_self_boxes_detect(self, memory, pool, limits, run_number, result);
}

const dr_pair* dr_self_boxes_far_pairs(dr_self_boxes* self, int* count)
{
    *count = self->far.count;
    dr_pairs_sort(self->far.data, self->far.count);
    return self->far.data;
}

const dr_pair* dr_self_boxes_guarded_pairs(dr_self_boxes* self, int* count)
{
    *count = self->guarded.count;
    dr_pairs_sort(self->guarded.data, self->guarded.count);
    return self->guarded.data;
}
