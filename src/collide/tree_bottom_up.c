// collide/tree_bottom_up.c: neighbouring patches merged by least union.
//
// Patches are numbered like this: the triangles, then the merged ones as they come, so patch
// triangle_count + k is node k of the plan. `into` says where a patch went; following it from a
// triangle leads to the patch that has it now.
//
// The neighbours of a patch are a list of half-links, two to each pair of triangles with a common
// edge: h is in the list of one, and names the other. Merging hangs the lists together and drops
// what has become double or leads home, so all lists together never need more room than at first.
#include <limits.h>
#include <math.h>

#include "collide/tree_build.h"
#include "core/vec_math.h"

// Below so many parts those with the least union are joined, out of all pairs.
enum { FEW_PARTS = 16 };

typedef struct patch {
    drape_vec3 lo, hi;
    int32_t into;        // itself while it is active
    int32_t first, last; // half-links, -1 without any
    int32_t triangle_count;
    int32_t height; // 0 for a triangle
    int32_t seen;   // the last patch that found this one among its neighbours
} patch;

typedef struct pair {
    float weight;
    int32_t triangle_count;
    int32_t a, b;
} pair;

typedef struct builder {
    dr_memory* memory;
    dr_tree_plan* plan;
    const dr_surface* surface;
    patch* patches; // 2 triangle_count
    int patch_count;
    int32_t* link_triangle; // by half-link: the triangle on the other side
    int32_t* link_next;
    int link_count, link_capacity;
    dr_array heap; // pair; those of patches that are gone are dropped when they come up
    int height_limit;
    int64_t weighed;
} builder;

// What makes a union small; see tree_build.h.
static float box_weight(drape_vec3 lo, drape_vec3 hi)
{
    drape_vec3 d = dr_sub(hi, lo);
    return 2.0f * (d.x * d.y + d.y * d.z + d.z * d.x) + 0.125f * dr_dot(d, d);
}

static drape_vec3 lower(drape_vec3 a, drape_vec3 b)
{
    return (drape_vec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

static drape_vec3 upper(drape_vec3 a, drape_vec3 b)
{
    return (drape_vec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

static pair weigh(builder* build, int32_t a, int32_t b)
{
    const patch *p = &build->patches[a], *q = &build->patches[b];
    ++build->weighed;
    return (pair){
        .weight = box_weight(lower(p->lo, q->lo), upper(p->hi, q->hi)),
        .triangle_count = p->triangle_count + q->triangle_count,
        .a = a < b ? a : b,
        .b = a < b ? b : a,
    };
}

static bool pair_is_less(pair p, pair q)
{
    if (p.weight != q.weight) {
        return p.weight < q.weight;
    }
    if (p.triangle_count != q.triangle_count) {
        return p.triangle_count < q.triangle_count;
    }
    return p.a != q.a ? p.a < q.a : p.b < q.b;
}

// The heap: four below each, least on top.

static bool heap_push(builder* build, pair added)
{
    if (!dr_array_push(build->memory, &build->heap, sizeof(pair))) {
        return false;
    }
    pair* heap = build->heap.data;
    int i = build->heap.count - 1;
    for (int above; i > 0 && (above = (i - 1) / 4, pair_is_less(added, heap[above])); i = above) {
        heap[i] = heap[above];
    }
    heap[i] = added;
    return true;
}

static pair heap_pop(builder* build)
{
    pair* heap = build->heap.data;
    pair top = heap[0], moved = heap[--build->heap.count];
    int count = build->heap.count, i = 0;
    for (;;) {
        int best = 4 * i + 1, end = best + 4 < count ? best + 4 : count;
        for (int below = best + 1; below < end; ++below) {
            best = pair_is_less(heap[below], heap[best]) ? below : best;
        }
        if (best >= count || !pair_is_less(heap[best], moved)) {
            break;
        }
        heap[i] = heap[best];
        i = best;
    }
    if (count > 0) {
        heap[i] = moved;
    }
    return top;
}

// Patches.

static void make_triangles(builder* build)
{
    const dr_surface* surface = build->surface;
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        const int32_t* corners = surface->triangles[t];
        drape_vec3 a = surface->rest[corners[0]], b = surface->rest[corners[1]];
        drape_vec3 c = surface->rest[corners[2]];
        build->patches[t] = (patch){
            .lo = lower(a, lower(b, c)),
            .hi = upper(a, upper(b, c)),
            .into = t,
            .first = -1,
            .last = -1,
            .triangle_count = 1,
            .seen = -1,
        };
    }
    build->patch_count = surface->triangle_count;
}

static void link_append(builder* build, patch* owner, int32_t link)
{
    if (owner->first < 0) {
        owner->first = link;
    } else {
        build->link_next[owner->last] = link;
    }
    owner->last = link;
    build->link_next[link] = -1;
}

static void link_triangles(builder* build, int32_t a, int32_t b)
{
    int32_t link = build->link_count;
    build->link_count += 2;
    build->link_triangle[link] = b;
    build->link_triangle[link + 1] = a;
    link_append(build, &build->patches[a], link);
    link_append(build, &build->patches[b], link + 1);
}

// Links each triangle to the one before it at each of its edges. Where many share an edge this is a
// chain: a star of them would give the middle one a neighbour too many for each.
static bool make_links(builder* build)
{
    const dr_surface* surface = build->surface;
    int edge_count = surface->triangle_edges ? surface->edge_count : 0;
    int32_t* last = dr_new(build->memory, int32_t, edge_count);
    if (!last) {
        return edge_count == 0;
    }
    for (int e = 0; e < edge_count; ++e) {
        last[e] = -1;
    }
    for (int32_t h = 0; h < 3 * surface->triangle_count; ++h) {
        int32_t edge = surface->triangle_edges[h];
        if (edge >= 0) {
            if (last[edge] >= 0) {
                link_triangles(build, last[edge], h / 3);
            }
            last[edge] = h / 3;
        }
    }
    dr_delete(build->memory, last, edge_count);
    return true;
}

// The patch that has a triangle now. Halves the way on each visit.
static int32_t patch_of(builder* build, int32_t triangle)
{
    patch* patches = build->patches;
    int32_t p = triangle;
    while (patches[p].into != p) {
        p = patches[p].into = patches[patches[p].into].into;
    }
    return p;
}

static int32_t plan_child(const builder* build, int32_t p)
{
    int triangle_count = build->surface->triangle_count;
    return p < triangle_count ? ~p : p - triangle_count;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// The union of two patches, with the neighbours of both, as they come. The plan has room for it.
static int32_t merge(builder* build, int32_t a, int32_t b)
{
    int32_t c = build->patch_count++;
    patch *p = &build->patches[a], *q = &build->patches[b];
    build->patches[c] = (patch){
        .lo = lower(p->lo, q->lo),
        .hi = upper(p->hi, q->hi),
        .into = c,
        .first = p->first < 0 ? q->first : p->first,
        .last = q->last < 0 ? p->last : q->last,
        .triangle_count = p->triangle_count + q->triangle_count,
        .height = larger(p->height, q->height) + 1,
        .seen = -1,
    };
    if (p->last >= 0) {
        build->link_next[p->last] = q->first;
    }
    p->into = q->into = c;
    int32_t children[2] = {plan_child(build, a), plan_child(build, b)};
    dr_plan_add(build->plan, build->memory, children, 2);
    return c;
}

// Cleans the list of a new patch, and weighs it with each neighbour.
static bool meet_neighbours(builder* build, int32_t c)
{
    patch* self = &build->patches[c];
    int32_t* place = &self->first; // where the number of the next half-link stands
    self->last = -1;
    while (*place >= 0) {
        int32_t link = *place;
        int32_t other = patch_of(build, build->link_triangle[link]);
        if (other == c || build->patches[other].seen == c) {
            *place = build->link_next[link];
            continue;
        }
        build->patches[other].seen = c;
        if (!heap_push(build, weigh(build, c, other))) {
            return false;
        }
        self->last = link;
        place = &build->link_next[link];
    }
    return true;
}

static bool weigh_links(builder* build)
{
    if (!dr_array_reserve(build->memory, &build->heap, sizeof(pair), build->link_count / 2)) {
        return false;
    }
    for (int32_t h = 0; h < build->link_count; h += 2) {
        heap_push(build, weigh(build, build->link_triangle[h + 1], build->link_triangle[h]));
    }
    return true;
}

static bool is_active(const builder* build, int32_t p)
{
    return build->patches[p].into == p;
}

static bool merge_neighbours(builder* build)
{
    while (build->heap.count > 0) {
        pair least = heap_pop(build);
        const patch *p = &build->patches[least.a], *q = &build->patches[least.b];
        if (is_active(build, least.a) && is_active(build, least.b) &&
            larger(p->height, q->height) < build->height_limit &&
            !meet_neighbours(build, merge(build, least.a, least.b))) {
            return false;
        }
    }
    return true;
}

// Parts: patches without neighbours that could still be merged.

// Merges the least union out of all pairs until one is left, in parts[0].
static void join_few(builder* build, int32_t* parts, int count)
{
    for (; count > 1; --count) {
        pair least = {.weight = INFINITY};
        int first = 0, second = 1;
        for (int i = 0; i < count; ++i) {
            for (int j = i + 1; j < count; ++j) {
                pair both = weigh(build, parts[i], parts[j]);
                if (pair_is_less(both, least)) {
                    least = both;
                    first = i;
                    second = j;
                }
            }
        }
        parts[first] = merge(build, parts[first], parts[second]);
        parts[second] = parts[count - 1];
    }
}

static int32_t join_ordered(builder* build, int32_t* parts, int count)
{
    if (count <= FEW_PARTS) {
        join_few(build, parts, count);
        return parts[0];
    }
    int half = (count + 1) / 2;
    int32_t first = join_ordered(build, parts, half);
    return merge(build, first, join_ordered(build, parts + half, count - half));
}

// The parts as they are numbered, then in the order of halving by the middles of their boxes.
static bool order_parts(builder* build, int32_t* order, int32_t* parts, drape_vec3* middles)
{
    int count = 0;
    for (int32_t p = 0; p < build->patch_count; ++p) {
        if (is_active(build, p)) {
            middles[count] = dr_lerp(build->patches[p].lo, build->patches[p].hi, 0.5f);
            parts[count++] = p;
        }
    }
    if (!dr_halving_order(order, build->memory, middles, count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        order[i] = parts[order[i]];
    }
    return true;
}

static bool join_parts(builder* build)
{
    // A binary tree over all triangles has one node less; every part lacks one.
    int count = build->surface->triangle_count - build->plan->nodes.count;
    int32_t* parts = dr_new(build->memory, int32_t, count);
    int32_t* order = dr_new(build->memory, int32_t, count);
    drape_vec3* middles = dr_new(build->memory, drape_vec3, count);
    bool ready = parts && order && middles && order_parts(build, order, parts, middles);
    if (ready) {
        join_ordered(build, order, count);
    }
    dr_delete(build->memory, parts, count);
    dr_delete(build->memory, order, count);
    dr_delete(build->memory, middles, count);
    return ready;
}

static bool builder_allocate(builder* build)
{
    int count = build->surface->triangle_count;
    // Half-links are numbered by an int, which ends at 357 million triangles; whoever asks for more
    // gets what he would without memory, of which they take tens of gigabytes.
    if (count > INT_MAX / 6) {
        return false;
    }
    build->link_capacity = build->surface->triangle_edges ? 6 * count : 0;
    build->patches = dr_new(build->memory, patch, 2 * count);
    build->link_triangle = dr_new(build->memory, int32_t, build->link_capacity);
    build->link_next = dr_new(build->memory, int32_t, build->link_capacity);
    return build->patches &&
           (build->link_capacity == 0 || (build->link_triangle && build->link_next)) &&
           dr_array_reserve(build->memory, &build->plan->nodes, sizeof(dr_plan_node), count);
}

static void builder_free(builder* build)
{
    dr_delete(build->memory, build->patches, 2 * (size_t)build->surface->triangle_count);
    dr_delete(build->memory, build->link_triangle, build->link_capacity);
    dr_delete(build->memory, build->link_next, build->link_capacity);
    dr_array_free(build->memory, &build->heap, sizeof(pair));
}

static int greatest_height(int triangle_count)
{
    int log2 = 0;
    while (triangle_count >> log2 > 1) {
        ++log2;
    }
    return 2 * log2 + 16;
}

bool dr_plan_bottom_up_counted(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface,
                               int64_t* weighed)
{
    builder build = {.memory = memory, .plan = plan, .surface = surface};
    build.height_limit = greatest_height(surface->triangle_count);
    bool ready = true;
    if (surface->triangle_count == 1) {
        ready = dr_plan_add(plan, memory, (int32_t[]){~0}, 1) >= 0;
    } else if (surface->triangle_count > 1) {
        ready = builder_allocate(&build);
        if (ready) {
            make_triangles(&build);
            ready = make_links(&build) && weigh_links(&build) && merge_neighbours(&build) &&
                    join_parts(&build);
        }
        builder_free(&build);
    }
    if (weighed) {
        *weighed = build.weighed;
    }
    return ready;
}

bool dr_plan_bottom_up(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface)
{
    return dr_plan_bottom_up_counted(plan, memory, surface, NULL);
}
