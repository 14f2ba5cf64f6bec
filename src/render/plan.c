#include "render/plan.h"

#include <math.h>

// Places along an axis where cuts are tried.
enum { BIN_COUNT = 16 };

typedef struct box {
    float lo[3], hi[3];
} box;

typedef struct item {
    box bounds;
    int32_t triangle;
} item;

// Triangles `begin` to `end` - 1 of the list of items.
typedef struct range {
    int begin, end;
    box bounds;
} range;

typedef struct planner {
    dr_tree_plan* plan;
    dr_memory* memory;
    item* items;
    bool is_short; // of memory
} planner;

static box box_empty(void)
{
    return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void box_add(box* all, const box* other)
{
    for (int c = 0; c < 3; ++c) {
        all->lo[c] = other->lo[c] < all->lo[c] ? other->lo[c] : all->lo[c];
        all->hi[c] = other->hi[c] > all->hi[c] ? other->hi[c] : all->hi[c];
    }
}

// Half the surface.
static float box_surface(const box* b)
{
    float x = b->hi[0] - b->lo[0], y = b->hi[1] - b->lo[1], z = b->hi[2] - b->lo[2];
    return x >= 0.0f ? x * y + y * z + z * x : 0.0f;
}

// Twice the middle along an axis.
static float middle(const item* one, int axis)
{
    return one->bounds.lo[axis] + one->bounds.hi[axis];
}

static range range_of(const planner* work, int begin, int end)
{
    range all = {begin, end, box_empty()};
    for (int i = begin; i < end; ++i) {
        box_add(&all.bounds, &work->items[i].bounds);
    }
    return all;
}

// --- Cutting a range in two ---

typedef struct cut {
    int axis;            // -1: none
    int bin;             // the first of the second side
    float origin, scale; // of the bins
    float cost;
} cut;

static int bin_of(const cut* at, const item* one)
{
    int bin = (int)((middle(one, at->axis) - at->origin) * at->scale);
    return bin < 0 ? 0 : bin >= BIN_COUNT ? BIN_COUNT - 1 : bin;
}

// Sweeps over the bins from both ends; the best cut of this axis, when it beats `best`.
static void choose_bin(cut* best, cut at, const box boxes[BIN_COUNT], const int counts[BIN_COUNT])
{
    float behind[BIN_COUNT];
    box sum = box_empty();
    int count = 0;
    for (int b = BIN_COUNT - 1; b > 0; --b) {
        box_add(&sum, &boxes[b]);
        count += counts[b];
        behind[b] = box_surface(&sum) * (float)count;
    }
    sum = box_empty();
    count = 0;
    for (int b = 1; b < BIN_COUNT; ++b) {
        box_add(&sum, &boxes[b - 1]);
        count += counts[b - 1];
        at.cost = box_surface(&sum) * (float)count + behind[b];
        if (count > 0 && behind[b] > 0.0f && at.cost < best->cost) {
            at.bin = b;
            *best = at;
        }
    }
}

static void try_axis(const planner* work, const range* all, int axis, cut* best)
{
    float lo = INFINITY, hi = -INFINITY;
    for (int i = all->begin; i < all->end; ++i) {
        float at = middle(&work->items[i], axis);
        lo = at < lo ? at : lo;
        hi = at > hi ? at : hi;
    }
    if (!(hi > lo)) {
        return;
    }
    cut at = {.axis = axis, .origin = lo, .scale = (float)BIN_COUNT / (hi - lo)};
    if (!isfinite(at.scale)) {
        return;
    }
    box boxes[BIN_COUNT];
    int counts[BIN_COUNT] = {0};
    for (int b = 0; b < BIN_COUNT; ++b) {
        boxes[b] = box_empty();
    }
    for (int i = all->begin; i < all->end; ++i) {
        int bin = bin_of(&at, &work->items[i]);
        box_add(&boxes[bin], &work->items[i].bounds);
        ++counts[bin];
    }
    choose_bin(best, at, boxes, counts);
}

// Moves what belongs to the first side to the front; returns where the second begins.
static int divide(planner* work, const range* all, const cut* at)
{
    int place = all->begin;
    for (int i = all->begin; i < all->end; ++i) {
        if (bin_of(at, &work->items[i]) < at->bin) {
            item one = work->items[i];
            work->items[i] = work->items[place];
            work->items[place++] = one;
        }
    }
    return place;
}

static void cut_range(planner* work, const range* all, range halves[2])
{
    cut best = {.axis = -1, .cost = INFINITY};
    for (int axis = 0; axis < 3; ++axis) {
        try_axis(work, all, axis, &best);
    }
    // Triangles at one place are told apart by nothing but their number.
    int place = best.axis >= 0 ? divide(work, all, &best) : (all->begin + all->end) / 2;
    if (place == all->begin || place == all->end) {
        place = (all->begin + all->end) / 2;
    }
    halves[0] = range_of(work, all->begin, place);
    halves[1] = range_of(work, place, all->end);
}

// --- Nodes ---

// The range that costs most to look into, -1 when all are small enough for a leaf.
static int costliest(const range* ranges, int count)
{
    int found = -1;
    float most = -1.0f;
    for (int i = 0; i < count; ++i) {
        int size = ranges[i].end - ranges[i].begin;
        float cost = box_surface(&ranges[i].bounds) * (float)size;
        if (size > DR_TREE_ARITY && cost > most) {
            most = cost;
            found = i;
        }
    }
    return found;
}

static int32_t add_node(planner* work, const int32_t* children, int count)
{
    int node = dr_plan_add(work->plan, work->memory, children, count);
    work->is_short = work->is_short || node < 0;
    return node;
}

static int32_t plan_leaf(planner* work, const range* all)
{
    int32_t children[DR_TREE_ARITY];
    int count = 0;
    for (int i = all->begin; i < all->end; ++i) {
        children[count++] = ~work->items[i].triangle;
    }
    return count == 1 ? children[0] : add_node(work, children, count);
}

static int32_t plan_range(planner* work, const range* all)
{
    if (work->is_short) {
        return -1;
    }
    if (all->end - all->begin <= DR_TREE_ARITY) {
        return plan_leaf(work, all);
    }
    range ranges[DR_TREE_ARITY] = {*all};
    int32_t children[DR_TREE_ARITY];
    int count = 1;
    for (int next; count < DR_TREE_ARITY && (next = costliest(ranges, count)) >= 0; ++count) {
        range halves[2];
        cut_range(work, &ranges[next], halves);
        ranges[next] = halves[0];
        ranges[count] = halves[1];
    }
    for (int i = 0; i < count; ++i) {
        children[i] = plan_range(work, &ranges[i]);
    }
    return add_node(work, children, count);
}

static item item_of(const dr_surface* surface, int triangle)
{
    item one = {box_empty(), triangle};
    for (int k = 0; k < 3; ++k) {
        drape_vec3 p = surface->rest[surface->triangles[triangle][k]];
        box_add(&one.bounds, &(box){{p.x, p.y, p.z}, {p.x, p.y, p.z}});
    }
    return one;
}

bool dr_plan_for_rays(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface)
{
    int count = surface->triangle_count;
    if (count == 0) {
        return true;
    }
    planner work = {.plan = plan, .memory = memory, .items = dr_new(memory, item, count)};
    if (work.items == NULL) {
        return false;
    }
    for (int t = 0; t < count; ++t) {
        work.items[t] = item_of(surface, t);
    }
    range all = range_of(&work, 0, count);
    plan->root = plan_range(&work, &all);
    dr_delete(memory, work.items, count);
    return !work.is_short;
}
