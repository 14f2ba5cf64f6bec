// tree_test.h: meshes to put into trees, the builders, and the slow truth.
#ifndef TREE_TEST_H
#define TREE_TEST_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "collide/tree_build.h"
#include "collide/tree_pairs.h"
#include "contact/surface.h"
#include "core/isa.h"
#include "core/random.h"
#include "core/vec_math.h"
#include "mesh/generate.h"

// --- Builders ---

typedef struct test_builder {
    const char* name;
    dr_plan_fn* plan;
} test_builder;

// A builder without sense: all arities from 1 to 8, nodes and triangles mixed, some a long chain.
static inline bool plan_random(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface)
{
    int count = surface->triangle_count, seed = 0;
    int32_t* list = malloc(sizeof *list * (size_t)(count + 1));
    for (int i = 0; i < count; ++i) {
        list[i] = ~i;
    }
    bool is_done = true;
    while (is_done && (count > 1 || (count == 1 && list[0] < 0))) {
        int32_t group[8];
        int wanted = 1 + (int)(dr_random_u32(7, (uint32_t)seed++) % 8), size = 0;
        while (size < wanted && count > 0) {
            int pick = (int)(dr_random_u32(8, (uint32_t)seed++) % (uint32_t)count);
            pick = seed % 3 ? count - 1 : pick;
            group[size++] = list[pick];
            list[pick] = list[--count];
        }
        int node = dr_plan_add(plan, memory, group, size);
        is_done = node >= 0;
        // At the front or at the end: taken up again late or at once.
        list[count++] = node;
        if (seed % 2) {
            list[count - 1] = list[0];
            list[0] = node;
        }
    }
    free(list);
    return is_done;
}

// Halves of the triangles in the order in which they come, down to two.
static inline int32_t plan_half(dr_tree_plan* plan, dr_memory* memory, int begin, int end)
{
    if (end - begin == 1) {
        return ~begin;
    }
    int middle = begin + (end - begin) / 2;
    int32_t children[2] = {plan_half(plan, memory, begin, middle),
                           plan_half(plan, memory, middle, end)};
    return dr_plan_add(plan, memory, children, 2);
}

static inline bool plan_halves(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface)
{
    if (surface->triangle_count > 0) {
        plan->root = plan_half(plan, memory, 0, surface->triangle_count);
    }
    return true;
}

// Further builders join here.
static const test_builder test_builders[] = {
    {"swept", dr_plan_swept},       {"random", plan_random},          {"halves", plan_halves},
    {"material", dr_plan_material}, {"bottom-up", dr_plan_bottom_up}, {"octree", dr_plan_octree},
};

enum { builder_count = sizeof test_builders / sizeof test_builders[0] };

// --- Meshes ---

typedef struct test_cloth {
    dr_mesh mesh;
    dr_surface surface;
    float *start, *end; // four floats to a vertex; end is where a moving one goes
    float radius;
} test_cloth;

static inline test_cloth cloth_of(dr_memory* memory, const drape_vec3* rest, int vertex_count,
                                  const int32_t (*triangles)[3], int triangle_count)
{
    test_cloth cloth = {.radius = 0.0f};
    drape_mesh_view view = {.positions = rest,
                            .vertex_count = vertex_count,
                            .triangles = triangles[0],
                            .triangle_count = triangle_count};
    char sentence[256];
    ck_assert_msg(dr_mesh_build(&cloth.mesh, memory, &view, NULL, sentence, sizeof sentence), "%s",
                  sentence);
    cloth.surface = dr_mesh_surface(&cloth.mesh);
    cloth.start = calloc((size_t)vertex_count * 4 + 4, sizeof(float));
    cloth.end = calloc((size_t)vertex_count * 4 + 4, sizeof(float));
    for (int v = 0; v < vertex_count; ++v) {
        memcpy(cloth.start + 4 * v, &rest[v], sizeof rest[v]);
        memcpy(cloth.end + 4 * v, &rest[v], sizeof rest[v]);
    }
    return cloth;
}

static inline void cloth_free(test_cloth* cloth, dr_memory* memory)
{
    dr_mesh_free(&cloth->mesh, memory);
    free(cloth->start);
    free(cloth->end);
}

// Edges of length 1, in the plane of x and z.
static inline test_cloth cloth_grid(dr_memory* memory, int columns, int rows)
{
    dr_shape_mesh shape;
    ck_assert(dr_generate_grid(&shape, memory, (float)(columns - 1), (float)(rows - 1), columns,
                               rows, DRAPE_DIAGONALS_ALTERNATE));
    test_cloth cloth = cloth_of(memory, shape.positions, shape.vertex_count,
                                (const int32_t(*)[3])shape.triangles, shape.triangle_count);
    dr_shape_free(&shape, memory);
    return cloth;
}

// Panels of `panel` columns that lie a quarter of an edge apart.
static inline test_cloth cloth_accordion(dr_memory* memory, int columns, int rows, int panel)
{
    test_cloth cloth = cloth_grid(memory, columns, rows);
    for (int v = 0; v < cloth.mesh.vertex_count; ++v) {
        int column = v % columns, k = column / panel, j = column % panel;
        float* p = cloth.start + 4 * v;
        p[0] = 0.25f * (float)k;
        p[1] = (float)(k % 2 ? panel - 1 - j : j);
        memcpy(cloth.end + 4 * v, p, sizeof(float[4]));
    }
    cloth.radius = 0.15f;
    return cloth;
}

static inline void shake(const test_cloth* cloth, float* points, uint32_t seed, float size)
{
    for (int v = 0; v < cloth->mesh.vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            points[4 * v + c] += size * dr_random_signed(seed, (uint32_t)(4 * v + c));
        }
    }
}

static inline test_cloth cloth_soup(dr_memory* memory, int triangle_count)
{
    int vertex_count = triangle_count * 2;
    drape_vec3* rest = malloc(sizeof *rest * (size_t)vertex_count);
    int32_t(*triangles)[3] = malloc(sizeof *triangles * (size_t)triangle_count);
    for (int v = 0; v < vertex_count; ++v) {
        uint32_t k = (uint32_t)v * 3;
        rest[v] = (drape_vec3){dr_random_signed(1, k), dr_random_signed(1, k + 1),
                               dr_random_signed(1, k + 2)};
    }
    for (int t = 0; t < triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            uint32_t pick = dr_random_u32(2, (uint32_t)(3 * t + k));
            triangles[t][k] = (int32_t)(pick % (uint32_t)vertex_count);
        }
    }
    test_cloth cloth =
        cloth_of(memory, rest, vertex_count, (const int32_t(*)[3])triangles, triangle_count);
    free(rest);
    free(triangles);
    return cloth;
}

enum {
    test_flat,
    test_crumpled,
    test_random,
    test_degenerate,
    test_moving,
    test_folded,
    test_cloth_count
};

static inline test_cloth cloth_make(dr_memory* memory, int kind)
{
    test_cloth cloth;
    switch (kind) {
    case test_flat: return cloth_grid(memory, 13, 9);
    case test_crumpled:
        cloth = cloth_grid(memory, 12, 12);
        for (int v = 0; v < 4 * cloth.mesh.vertex_count; ++v) {
            cloth.start[v] = 2.5f * dr_random_signed(3, (uint32_t)v);
            cloth.end[v] = cloth.start[v];
        }
        cloth.radius = 0.1f;
        return cloth;
    case test_random: return cloth_soup(memory, 150);
    case test_degenerate:
        // Lines, points and layers that coincide.
        cloth = cloth_grid(memory, 12, 8);
        for (int v = 0; v < cloth.mesh.vertex_count; ++v) {
            float* p = cloth.start + 4 * v;
            p[0] = fabsf(p[0] - 6.0f);
            p[2] = p[2] > 4.0f ? 4.0f : p[2];
            memcpy(cloth.end + 4 * v, p, sizeof(float[4]));
        }
        return cloth;
    case test_moving:
        cloth = cloth_accordion(memory, 20, 8, 5);
        shake(&cloth, cloth.end, 5, 0.5f);
        return cloth;
    default: return cloth_accordion(memory, 17, 9, 4);
    }
}

static inline dr_motion motion_of(const test_cloth* cloth)
{
    return (dr_motion){cloth->start, cloth->end, 4, cloth->radius};
}

static inline dr_tree tree_of(dr_memory* memory, const test_cloth* cloth, dr_plan_fn* builder,
                              drape_isa isa)
{
    dr_tree tree;
    dr_motion motion = motion_of(cloth);
    ck_assert(dr_tree_build(&tree, memory, &cloth->surface, builder, isa));
    dr_tree_refit(&tree, NULL, &motion);
    return tree;
}

// --- The slow truth ---

// Bounds of some vertices, the inflation in doubles and rounded outwards by nextafterf.
typedef struct test_box {
    float lo[3], hi[3];
} test_box;

static inline float rounded_up(double exact)
{
    float nearest = (float)exact;
    return (double)nearest < exact ? nextafterf(nearest, INFINITY) : nearest;
}

static inline test_box box_of(const test_cloth* cloth, const int32_t* vertex, int count)
{
    test_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < 2 * count; ++i) {
        const float* p = (i % 2 ? cloth->end : cloth->start) + 4 * vertex[i / 2];
        for (int c = 0; c < 3; ++c) {
            box.lo[c] = fminf(box.lo[c], -rounded_up((double)cloth->radius - p[c]));
            box.hi[c] = fmaxf(box.hi[c], rounded_up((double)cloth->radius + p[c]));
        }
    }
    return box;
}

static inline bool boxes_meet(const test_box* a, const test_box* b)
{
    for (int c = 0; c < 3; ++c) {
        if (a->hi[c] < b->lo[c] || b->hi[c] < a->lo[c]) {
            return false;
        }
    }
    return true;
}

static inline bool has_vertex(const int32_t* list, int count, int32_t vertex)
{
    for (int i = 0; i < count; ++i) {
        if (list[i] == vertex) {
            return true;
        }
    }
    return false;
}

static inline int compare_pairs(const void* a, const void* b)
{
    const dr_pair *p = a, *q = b;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

// Sorted, each pair with the lesser index first when it is `unordered`.
static inline dr_pair* sorted_pairs(const dr_pair* pairs, int count, bool unordered)
{
    dr_pair* copy = malloc(sizeof *copy * (size_t)(count + 1));
    for (int i = 0; i < count; ++i) {
        bool swap = unordered && pairs[i].a > pairs[i].b;
        copy[i] = swap ? (dr_pair){pairs[i].b, pairs[i].a} : pairs[i];
    }
    qsort(copy, (size_t)count, sizeof *copy, compare_pairs);
    return copy;
}

// What is found lies between what must be found (boxes as tight as they can be) and what may be
// (boxes one unit in the last place or two wider); both sorted. Nothing twice.
static inline void check_pairs(const dr_pair* found, int count, bool unordered,
                               const dr_array* must, const dr_array* may)
{
    dr_pair* sorted = sorted_pairs(found, count, unordered);
    for (int i = 1; i < count; ++i) {
        ck_assert_int_ne(compare_pairs(&sorted[i - 1], &sorted[i]), 0);
    }
    for (int i = 0; i < must->count; ++i) {
        const dr_pair* pair = (const dr_pair*)must->data + i;
        ck_assert(bsearch(pair, sorted, (size_t)count, sizeof *sorted, compare_pairs));
    }
    for (int i = 0; i < count; ++i) {
        ck_assert(
            bsearch(&sorted[i], may->data, (size_t)may->count, sizeof *sorted, compare_pairs));
    }
    free(sorted);
}

static inline test_box widened(test_box box)
{
    for (int c = 0; c < 3; ++c) {
        box.lo[c] -= 3e-7f * fabsf(box.lo[c]);
        box.hi[c] += 3e-7f * fabsf(box.hi[c]);
    }
    return box;
}

// A pair goes to the list of what must be found, and to that of what may be.
static inline void judge(dr_memory* memory, test_box a, test_box b, dr_pair pair, bool is_exact,
                         dr_array* must, dr_array* may)
{
    bool must_be = boxes_meet(&a, &b);
    a = is_exact ? a : widened(a);
    b = is_exact ? b : widened(b);
    if (boxes_meet(&a, &b)) {
        *(dr_pair*)dr_array_push(memory, may, sizeof pair) = pair;
    }
    if (must_be) {
        *(dr_pair*)dr_array_push(memory, must, sizeof pair) = pair;
    }
}

#endif
