// tree_build_test.h: odd and ordinary meshes for builders of trees, and a walk through their plans.
#ifndef TREE_BUILD_TEST_H
#define TREE_BUILD_TEST_H

#include <math.h>
#include <string.h>

#include "../support.h"
#include "collide/tree_build.h"
#include "contact/surface.h"
#include "core/random.h"
#include "core/vec_math.h"
#include "mesh/generate.h"

static dr_memory memory;

static inline void setup(void)
{
    dr_memory_init(&memory, NULL);
}

static inline void teardown(void)
{
    ck_assert_uint_eq(memory.live_bytes, 0);
}

// --- Meshes ---

typedef struct sheet {
    dr_mesh mesh;
    dr_surface surface;
} sheet;

static inline sheet make_sheet(const drape_vec3* positions, int vertex_count,
                               int32_t (*triangles)[3], int triangle_count)
{
    sheet made;
    drape_mesh_view view = {.positions = positions,
                            .triangles = triangles ? triangles[0] : NULL,
                            .vertex_count = vertex_count,
                            .triangle_count = triangle_count};
    char sentence[256];
    ck_assert_msg(dr_mesh_build(&made.mesh, &memory, &view, NULL, sentence, sizeof sentence), "%s",
                  sentence);
    made.surface = dr_mesh_surface(&made.mesh);
    return made;
}

static inline sheet make_grid(int columns, int rows, float jitter)
{
    dr_shape_mesh grid;
    ck_assert(
        dr_generate_grid(&grid, &memory, 1.0f, 1.0f, columns, rows, DRAPE_DIAGONALS_ALTERNATE));
    for (int v = 0; v < grid.vertex_count; ++v) {
        uint32_t n = 3 * (uint32_t)v;
        grid.positions[v] =
            dr_add(grid.positions[v], (drape_vec3){jitter * dr_random_signed(1, n),
                                                   jitter * dr_random_signed(1, n + 1),
                                                   jitter * dr_random_signed(1, n + 2)});
    }
    sheet made = make_sheet(grid.positions, grid.vertex_count, grid.triangles, grid.triangle_count);
    dr_shape_free(&grid, &memory);
    return made;
}

enum { MOST_VERTICES = 3 * 4096 };

static drape_vec3 positions[MOST_VERTICES];
static int32_t triangles[2 * 4096][3];

static inline drape_vec3 random_point(uint32_t seed, int index, float size)
{
    uint32_t n = 3 * (uint32_t)index;
    return (drape_vec3){size * dr_random_signed(seed, n), size * dr_random_signed(seed, n + 1),
                        size * dr_random_signed(seed, n + 2)};
}

static inline void set_triangle(int t, int a, int b, int c)
{
    triangles[t][0] = a;
    triangles[t][1] = b;
    triangles[t][2] = c;
}

// Triangles that share nothing, each near a random point.
static inline sheet make_soup(int count, float spread, float size)
{
    for (int t = 0; t < count; ++t) {
        for (int k = 0; k < 3; ++k) {
            positions[3 * t + k] =
                dr_add(random_point(2, t, spread), random_point(3, 3 * t + k, size));
        }
        set_triangle(t, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    return make_sheet(positions, 3 * count, triangles, count);
}

// Bristles of one triangle each on a strip of small ones: they meet nobody but the strip.
static inline sheet make_brush(int bristles)
{
    for (int v = 0; v <= bristles; ++v) {
        positions[3 * v] = (drape_vec3){0.001f * (float)v, 0.0f, 0.0f};
        positions[3 * v + 1] = (drape_vec3){0.001f * (float)v, 0.0f, 0.001f};
        positions[3 * v + 2] = (drape_vec3){0.001f * (float)v, 1.0f, 0.0f};
    }
    for (int b = 0; b < bristles; ++b) {
        set_triangle(3 * b, 3 * b, 3 * b + 1, 3 * b + 3);
        set_triangle(3 * b + 1, 3 * b + 1, 3 * b + 4, 3 * b + 3);
        set_triangle(3 * b + 2, 3 * b, 3 * b + 3, 3 * b + 2);
    }
    return make_sheet(positions, 3 * bristles + 3, triangles, 3 * bristles);
}

// `count` triangles around one edge.
static inline sheet make_book(int count)
{
    for (int t = 0; t < count; ++t) {
        positions[t + 2] = random_point(4, t, 1.0f);
        set_triangle(t, 0, 1, t + 2);
    }
    positions[0] = (drape_vec3){0.0f, 0.0f, 0.0f};
    positions[1] = (drape_vec3){0.0f, 0.0f, 1.0f};
    return make_sheet(positions, count + 2, triangles, count);
}

// The same triangle again and again.
static inline sheet make_duplicates(int count)
{
    for (int t = 0; t < count; ++t) {
        set_triangle(t, t % 3, (t + 1) % 3, (t + 2) % 3);
    }
    for (int v = 0; v < 3; ++v) {
        positions[v] = random_point(5, v, 1.0f);
    }
    return make_sheet(positions, 3, triangles, count);
}

// A strip whose triangles double in size, until floats end.
static inline sheet make_graded(int count)
{
    for (int v = 0; v < count + 2; ++v) {
        positions[v] = (drape_vec3){ldexpf(1.0f, v - count + 36), (float)(v % 2), 0.0f};
        positions[v].y *= positions[v].x;
    }
    for (int t = 0; t < count; ++t) {
        set_triangle(t, t, t + 1, t + 2);
    }
    return make_sheet(positions, count + 2, triangles, count);
}

// Points: all three corners the same.
static inline sheet make_points(int count, float size)
{
    for (int t = 0; t < count; ++t) {
        positions[t] = random_point(6, t, size);
        set_triangle(t, t, t, t);
    }
    return make_sheet(positions, count, triangles, count);
}

static inline void free_sheet(sheet* made)
{
    dr_mesh_free(&made->mesh, &memory);
}

// All of them, by number.
enum { SHEET_COUNT = 15 };

static inline sheet make_numbered(int number)
{
    switch (number) {
    case 0: return make_grid(2, 2, 0.0f);
    case 1: return make_grid(33, 33, 0.0f);
    case 2: return make_grid(24, 41, 0.005f);
    case 3: return make_grid(3, 300, 0.0f);
    case 4: return make_grid(2, 1, 0.0f); // no triangle at all
    case 5: return make_soup(1, 1.0f, 1.0f);
    case 6: return make_soup(700, 1.0f, 0.05f);
    case 7: return make_soup(500, 0.0f, 0.0f); // all in one point
    case 8: return make_brush(400);
    case 9: return make_book(300);
    case 10: return make_duplicates(200);
    case 11: return make_graded(60);
    case 12: return make_points(1000, 1.0f);
    case 13: return make_points(100, 0.0f);
    default: return make_soup(2, 1.0f, 1.0f);
    }
}

static inline dr_tree_plan build(dr_plan_fn* function, const dr_surface* surface)
{
    dr_tree_plan plan = {0};
    ck_assert(function(&plan, &memory, surface));
    return plan;
}

static inline const dr_plan_node* node_at(const dr_tree_plan* plan, int32_t node)
{
    return (const dr_plan_node*)plan->nodes.data + node;
}

// --- What is below a node ---

// A walk lists triangles so that those below a node are a range of the list.
typedef struct walk {
    const dr_tree_plan* plan;
    const sheet* on;
    int32_t list[2 * 4096];
    int place[2 * 4096]; // of a triangle in the list, -1 while it is not there
    int count, node_count;
    // Called for each node after its children: `begin` to the list's end is below it.
    void (*visit)(struct walk* w, int32_t node, int begin, int depth);
    int tally; // for visitors
} walk;

// Returns the height: 0 for a triangle.
static inline int walk_down(walk* w, int32_t child, int depth)
{
    if (child < 0) {
        ck_assert_int_lt(~child, w->on->mesh.triangle_count);
        ck_assert_int_lt(w->place[~child], 0);
        w->place[~child] = w->count;
        w->list[w->count++] = ~child;
        return 0;
    }
    ck_assert_int_lt(child, w->plan->nodes.count);
    const dr_plan_node* node = node_at(w->plan, child);
    int begin = w->count, height = 0;
    ++w->node_count;
    for (int k = 0; k < node->child_count; ++k) {
        int below = walk_down(w, node->child[k], depth + 1);
        height = below > height ? below : height;
    }
    if (w->visit) {
        w->visit(w, child, begin, depth);
    }
    return height + 1;
}

static walk shared_walk; // too large for the stack

// Walks all of a plan; every triangle must come once. Returns its height.
static inline int walk_all(const dr_tree_plan* plan, const sheet* on,
                           void (*visit)(walk*, int32_t, int, int))
{
    walk* w = &shared_walk;
    *w = (walk){.plan = plan, .on = on, .visit = visit};
    memset(w->place, 0xff, sizeof w->place);
    int height = plan->nodes.count > 0 ? walk_down(w, plan->root, 0) : 0;
    ck_assert_int_eq(w->count, on->mesh.triangle_count);
    ck_assert_int_eq(w->node_count, plan->nodes.count);
    return height;
}

static inline int log2_ceil(int n)
{
    int log = 0;
    while (1 << log < n) {
        ++log;
    }
    return log;
}

#endif
