// Pairs of triangles that boxes cannot hold apart: tested where they end, and frozen when they
// cross or touch.
#include "contact/beside.h"
#include "contact/self_boxes_parts.h"

// --- Which pairs ---

static bool guard(const dr_boxes_run* r, dr_pair pair)
{
    dr_array* list = &r->self->guarded;
    dr_pair* place = dr_array_push(r->memory, list, sizeof *place);
    if (place) {
        *place = pair;
    }
    return place != NULL;
}

// Guarded pairs of the search. Regular patches hold them apart, unless they may pass on the way.
static bool guard_found(const dr_boxes_run* r)
{
    dr_self_boxes* self = r->self;
    const dr_pair* pairs = self->search.pairs.data;
    const uint8_t* kinds = self->kinds.data;
    const int32_t* part = self->sheets->part_of_triangle;
    const uint8_t* changed = dr_boxes_changed(self);
    bool is_done = true;
    for (int i = 0; i < self->search.pairs.count && is_done; ++i) {
        dr_pair p = pairs[i];
        if (kinds[i] != DR_BOXES_GUARDED || !(changed[p.a] | changed[p.b])) {
            continue;
        }
        bool is_safe = !self->options.is_full && part[p.a] == part[p.b] &&
                       dr_regular_has(&self->regular, part[p.a], p.a, p.b);
        is_done = is_safe || guard(r, p);
    }
    return is_done;
}

// Eight flags as bits.
static inline int flag_bits(const uint8_t* flags)
{
    uint64_t bytes = 0;
    for (int i = 0; i < 8; ++i) {
        bytes |= (uint64_t)flags[i] << 8 * i;
    }
    // Byte i is shifted to bit 56 + i, where no others get to.
    return (int)(bytes * 0x0102040810204080u >> 56);
}

// Near triangles of one whose boxes meet its own where they end. `open` says to which cells around.
static bool guard_groups(const dr_boxes_run* r, int t, int open)
{
    enum { ROOM = 16 };
    dr_self_boxes* self = r->self;
    const dr_near* near = &self->search.near;
    const dr_regular_part* part = &self->regular.parts[self->sheets->part_of_triangle[t]];
    const dr_near_group* groups = near->groups.data;
    const uint8_t* changed = dr_boxes_changed(self);
    bool is_near_in_cells = self->options.ring <= 1;
    dr_near_group some[ROOM];
    for (int i = near->group_start[t], end = near->group_start[t + 1]; i < end;) {
        int count = 0;
        for (; i < end && count < ROOM; ++i) {
            int lanes = changed[t] ? 255 : flag_bits(changed + groups[i].first);
            if (is_near_in_cells && lanes) {
                lanes &= dr_regular_open_lanes(part, t, open, groups[i].first);
            }
            some[count] = (dr_near_group){groups[i].first, (uint8_t)(groups[i].mask & lanes)};
            count += some[count].mask != 0;
        }
        if (!dr_boxes_room(r->memory, &self->guarded, sizeof(dr_pair),
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
static bool guard_all_near(const dr_boxes_run* r, int t)
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
static bool guard_near(const dr_boxes_run* r)
{
    dr_self_boxes* self = r->self;
    const int32_t* part = self->sheets->part_of_triangle;
    bool is_full = self->options.is_full, is_done = true;
    if (!is_full && self->options.ring <= 1 && dr_regular_is_all(&self->regular)) {
        return true;
    }
    dr_motion motion = {.start = self->search.end, .stride = 4};
    dr_box_list_refit(&self->ends, r->pool, &motion, self->search.isa);
    for (int t = 0; t < self->sheets->triangle_count && is_done; ++t) {
        int open = dr_regular_open(&self->regular, part[t], t);
        if (is_full) {
            is_done = guard_all_near(r, t);
        } else if (self->is_near_change[t] && (self->options.ring > 1 || open != 0)) {
            is_done = guard_groups(r, t, open);
        }
    }
    return is_done;
}

// --- Guarded pairs ---

enum { hit_none, hit_free, hit_held, hit_tested = 4 };

static int look_at(const dr_boxes_run* r, dr_pair pair)
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
    return (dr_boxes_is_held(r, pair) ? hit_held : hit_free) | hit_tested;
}

// Most pairs are told apart by a plane of one of them, where it does not matter how they got there.
static void look_at_guarded(void* context, int begin, int end, int worker)
{
    const dr_boxes_run* r = context;
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

bool dr_boxes_test_guarded(dr_boxes_run* r)
{
    dr_self_boxes* self = r->self;
    dr_regular_update(&self->regular, r->pool, self->search.end, self->has_changed);
    self->guarded.count = 0;
    if (!guard_found(r) || !guard_near(r) ||
        !dr_boxes_room(r->memory, &self->is_hit, sizeof(uint8_t), self->guarded.count)) {
        return false;
    }
    dr_parallel_for(r->pool, self->guarded.count, DR_BOXES_GRAIN, look_at_guarded, r);
    return true;
}

void dr_boxes_freeze_guarded(const dr_boxes_run* r)
{
    const dr_pair* pairs = r->self->guarded.data;
    const uint8_t* is_hit = r->self->is_hit.data;
    for (int i = 0; i < r->self->guarded.count; ++i) {
        r->result->exact_tests += (is_hit[i] & hit_tested) != 0;
        r->result->forced += (is_hit[i] & hit_held) != 0;
        if (is_hit[i] & hit_free) {
            dr_boxes_freeze(r, pairs[i]);
        }
    }
    r->result->near_pairs = r->self->guarded.count;
    // Forced ones are reported in every run.
    r->self->last_run = r->result->forced > 0 ? 0 : r->self->last_run;
}
