#include "contact/self_boxes_parts.h"

#include <math.h>
#include <string.h>


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
           dr_boxes_create_changes(self, memory) &&
           dr_box_list_create(&self->ends, memory, sheets->triangles[0], 3, sheets->triangle_count);
}

void dr_self_boxes_free(dr_self_boxes* self, dr_memory* memory)
{
    if (!self->sheets) {
        return;
    }
    dr_self_search_free(&self->search, memory);
    dr_regular_free(&self->regular, memory);
    dr_moving_boxes_free(&self->moving, memory);
    dr_boxes_free_changes(self, memory);
    dr_box_list_free(&self->ends, memory);
    dr_array_free(memory, &self->kinds, sizeof(uint8_t));
    dr_array_free(memory, &self->guarded, sizeof(dr_pair));
    dr_array_free(memory, &self->is_hit, sizeof(uint8_t));
    dr_array_free(memory, &self->open, sizeof(dr_pair));
    dr_array_free(memory, &self->meetings, sizeof(dr_box_meeting));
    dr_array_free(memory, &self->far, sizeof(dr_pair));
    *self = (dr_self_boxes){0};
}

// --- Sorting pairs into kinds ---

// Of delta: less of a gap at the start has no room for a plane. Pairs that rest on each other have
// twice delta, but for rounding.
static const double least_gap = 0.5;

static dr_boxes_kind kind_of(const dr_boxes_run* r, dr_pair pair, dr_first_sight sight)
{
    if (r->self->options.is_paper) {
        return sight >= DR_SIGHT_OPEN ? DR_BOXES_OPEN : DR_BOXES_APART;
    }
    if (sight == DR_SIGHT_TIGHT) {
        dr_box_meeting m = dr_moving_boxes_meeting(&r->self->moving, pair);
        bool is_small = m.ceiling - m.floor < least_gap * r->self->delta;
        return m.meeting == DR_BOXES_STAY_APART ? DR_BOXES_APART
               : is_small                       ? DR_BOXES_GUARDED
                                                : DR_BOXES_OPEN;
    }
    return sight == DR_SIGHT_OVERLAP ? DR_BOXES_GUARDED
           : sight == DR_SIGHT_OPEN  ? DR_BOXES_OPEN
                                     : DR_BOXES_APART;
}

static void sort_pairs(void* context, int begin, int end, int worker)
{
    const dr_boxes_run* r = context;
    const dr_pair* pairs = r->self->search.pairs.data;
    uint8_t* kinds = r->self->kinds.data;
    double tight = least_gap * r->self->delta;
    (void)worker;
    dr_moving_boxes_look(&r->self->moving, pairs + begin, end - begin, tight, kinds + begin);
    for (int i = begin; i < end; ++i) {
        kinds[i] = (uint8_t)kind_of(r, pairs[i], (dr_first_sight)kinds[i]);
    }
}

// The same once more with other ends. What is guarded stays so.
static void sort_pairs_again(void* context, int begin, int end, int worker)
{
    const dr_boxes_run* r = context;
    const dr_pair* pairs = r->self->search.pairs.data;
    uint8_t *kinds = r->self->kinds.data, sights[DR_BOXES_GRAIN];
    (void)worker;
    for (int i = begin; i < end; i += DR_BOXES_GRAIN) {
        int count = end - i < DR_BOXES_GRAIN ? end - i : DR_BOXES_GRAIN;
        dr_moving_boxes_look(&r->self->moving, pairs + i, count, 0.0, sights);
        for (int k = 0; k < count; ++k) {
            if (kinds[i + k] != DR_BOXES_GUARDED) {
                kinds[i + k] = sights[k] == DR_SIGHT_APART ? DR_BOXES_APART : DR_BOXES_OPEN;
            }
        }
    }
}

// --- Looking ahead ---

// What is held now, or has got planes since the last run, will not end where it does in this one:
// the others must know, or else they learn of it a run later.
static void look_ahead(dr_boxes_run* r)
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
    dr_moving_boxes_refit(&self->moving, r->pool);
    dr_parallel_for(r->pool, self->search.pairs.count, DR_BOXES_GRAIN, sort_pairs_again, r);
}

// --- Far pairs ---

static double coordinate(drape_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// The plane between what is held of both triangles.
static double beyond_held(const dr_boxes_run* r, const int32_t lower[3], const int32_t upper[3],
                          int axis, double plane)
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

static void limit_vertex(const dr_boxes_run* r, int vertex, const limit* at, bool is_below)
{
    double lo = r->limits->lo[vertex][at->axis], hi = r->limits->hi[vertex][at->axis];
    if (is_below) {
        hi = fmin(hi, at->below);
    } else {
        lo = fmax(lo, at->above);
    }
    dr_limits_set_interval(r->limits, vertex, at->axis, lo, hi);
}

static limit limit_at(const dr_boxes_run* r, int axis, double plane)
{
    return (limit){axis, plane, plane - r->self->delta, plane + r->self->delta};
}

// The plane moved into the gap at the start, both sides of which allow the start to the last bit.
static limit clamped(const dr_boxes_run* r, const dr_box_meeting* m)
{
    double room = fmin(r->self->delta, 0.5 * (m->ceiling - m->floor));
    double plane = fmin(fmax(m->plane, m->floor + room), m->ceiling - room);
    return (limit){m->axis, plane, fmax(plane - room, m->floor), fmin(plane + room, m->ceiling)};
}

// As printed: on which side of the plane the vertex starts.
static bool starts_below(const dr_boxes_run* r, int vertex, int axis, double plane, bool otherwise)
{
    double start = coordinate(r->self->sheets->start[vertex], axis);
    return start == plane ? otherwise : start < plane;
}

static void hold_apart(const dr_boxes_run* r, dr_pair pair, const dr_box_meeting* m)
{
    dr_self_boxes* self = r->self;
    const int32_t *a = self->sheets->triangles[pair.a], *b = self->sheets->triangles[pair.b];
    const int32_t *lower = m->b_is_lower ? b : a, *upper = m->b_is_lower ? a : b;
    bool is_paper = self->options.is_paper;
    limit at = limit_at(r, m->axis, m->plane);
    if (!is_paper && r->number >= self->options.clamp_run) {
        at = clamped(r, m);
        r->result->clamped += at.plane != m->plane;
    }
    if (!is_paper) {
        double plane = beyond_held(r, lower, upper, m->axis, at.plane);
        at = plane == at.plane ? at : limit_at(r, m->axis, plane);
    }
    for (int k = 0; k < 6; ++k) {
        int vertex = k < 3 ? lower[k] : upper[k - 3];
        bool is_below = k < 3;
        if (is_paper) {
            is_below = starts_below(r, vertex, m->axis, at.plane, is_below);
        }
        limit_vertex(r, vertex, &at, is_below);
    }
}

// Pairs that may meet.
static bool list_open(const dr_boxes_run* r)
{
    dr_self_boxes* self = r->self;
    const dr_pair* pairs = self->search.pairs.data;
    const uint8_t* kinds = self->kinds.data;
    int count = self->search.pairs.count;
    self->open.count = 0;
    if (!dr_boxes_room(r->memory, &self->open, sizeof(dr_pair), count)) {
        return false;
    }
    dr_pair* open = self->open.data;
    for (int i = 0; i < count; ++i) {
        open[self->open.count] = pairs[i];
        self->open.count += kinds[i] == DR_BOXES_OPEN;
    }
    return dr_boxes_room(r->memory, &self->meetings, sizeof(dr_box_meeting), self->open.count) &&
           dr_boxes_room(r->memory, &self->far, sizeof(dr_pair), self->open.count);
}

static void find_meetings(void* context, int begin, int end, int worker)
{
    const dr_boxes_run* r = context;
    const dr_pair* open = r->self->open.data;
    dr_box_meeting* meetings = r->self->meetings.data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        meetings[i] = dr_moving_boxes_meeting(&r->self->moving, open[i]);
    }
}

// Held pairs whose boxes meet are no harm unless they cross.
static void look_at_held(const dr_boxes_run* r, dr_pair pair)
{
    ++r->result->exact_tests;
    r->result->forced += dr_guard_touches(r->self->sheets, pair.a, pair.b);
}

static void answer(const dr_boxes_run* r, dr_pair pair, const dr_box_meeting* m)
{
    dr_self_boxes* self = r->self;
    bool is_paper = self->options.is_paper;
    // Looking ahead may find gaps that are too small: the next run guards them.
    if (m->meeting != DR_BOXES_MEET ||
        (!is_paper && m->ceiling - m->floor < least_gap * self->delta)) {
        return;
    }
    if (dr_boxes_is_held(r, pair)) {
        if (!is_paper) {
            look_at_held(r, pair);
        }
        return;
    }
    ((dr_pair*)self->far.data)[self->far.count++] = pair;
    if (!is_paper && r->number >= self->options.freeze_run) {
        dr_boxes_freeze(r, pair);
    } else {
        hold_apart(r, pair, m);
    }
}

static bool answer_far(dr_boxes_run* r)
{
    dr_self_boxes* self = r->self;
    self->far.count = 0;
    if (!list_open(r)) {
        return false;
    }
    dr_parallel_for(r->pool, self->open.count, DR_BOXES_GRAIN, find_meetings, r);
    const dr_pair* open = self->open.data;
    const dr_box_meeting* meetings = self->meetings.data;
    for (int i = 0; i < self->open.count; ++i) {
        answer(r, open[i], &meetings[i]);
    }
    r->result->far_pairs = self->far.count;
    return true;
}

// What is frozen stands in the way of others, ring by ring: all of it at once, for runs are few.
static bool freeze_on(dr_boxes_run* r)
{
    dr_self_boxes* self = r->self;
    int pairs = self->far.count;
    if (self->options.is_paper || r->number < self->options.freeze_run) {
        return true;
    }
    for (int before = -1; self->far.count > 0 && before < r->result->frozen;) {
        before = r->result->frozen;
        look_ahead(r);
        if (!answer_far(r)) {
            return false;
        }
        pairs += self->far.count;
    }
    r->result->far_pairs = pairs;
    return true;
}

// --- Intervals ---

// Limits from below that are above those from above: the vertex is between two others that close in
// on it, and may be anywhere between.
static void turn_conflicts(const dr_boxes_run* r)
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

static void widen_to_start(const dr_boxes_run* r)
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

// Pairs of boxes, with what will be held or behind planes where it will be.
static bool sort_boxes(dr_boxes_run* r)
{
    dr_self_boxes* self = r->self;
    dr_boxes_find_changes(r);
    const uint8_t* changed = self->is_few_changes ? dr_boxes_changed(self) : NULL;
    if (!dr_self_search_again(&self->search, r->memory, r->pool, DR_SPAN_STEP, changed)) {
        return false;
    }
    self->delta = delta_of(self);
    int count = self->search.pairs.count;
    if (!dr_boxes_room(r->memory, &self->kinds, sizeof(uint8_t), count)) {
        return false;
    }
    dr_moving_boxes_read(&self->moving);
    dr_moving_boxes_refit(&self->moving, r->pool);
    dr_parallel_for(r->pool, count, DR_BOXES_GRAIN, sort_pairs, r);
    return true;
}

bool dr_self_boxes_detect(dr_self_boxes* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                          int number, dr_self_result* result)
{
    *result = (dr_self_result){0};
    dr_boxes_run r = {self, memory, pool, limits, number, result};
    self->guarded.count = 0;
    if (!sort_boxes(&r)) {
        return false;
    }
    if (!self->options.is_paper) {
        if (!dr_boxes_test_guarded(&r)) {
            return false;
        }
        if (number == self->options.clamp_run) {
            widen_to_start(&r);
        }
        dr_boxes_freeze_guarded(&r);
        look_ahead(&r);
    }
    if (!answer_far(&r) || !freeze_on(&r)) {
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
