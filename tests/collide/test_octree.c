// Two trees of octants against the slow truth.
#include "collide/octree.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drape/io.h>

#include "../support.h"
#include "collide/tree_build.h"
#include "contact/body.h"
#include "core/isa.h"
#include "core/random.h"

static dr_memory memory;
static dr_pair_search search;

// Points that go from one place to another, in a tree.
typedef struct swarm {
    int count;
    drape_vec3 *from, *to;
    int32_t (*corners)[3];
    dr_tree tree;
    dr_motion motion;
} swarm;

static drape_vec3 any_place(uint32_t seed, int i, float size)
{
    uint32_t at = (uint32_t)i * 3;
    return (drape_vec3){size * dr_random_signed(seed, at), size * dr_random_signed(seed, at + 1),
                        size * dr_random_signed(seed, at + 2)};
}

static void swarm_open(swarm* s, int count, uint32_t seed, float size, float way, float radius)
{
    *s = (swarm){.count = count};
    s->from = calloc((size_t)count + 1, sizeof *s->from);
    s->to = calloc((size_t)count + 1, sizeof *s->to);
    s->corners = calloc((size_t)count + 1, sizeof *s->corners);
    for (int i = 0; i < count; ++i) {
        drape_vec3 step = any_place(seed + 1, i, way);
        s->from[i] = any_place(seed, i, size);
        s->to[i] =
            (drape_vec3){s->from[i].x + step.x, s->from[i].y + step.y, s->from[i].z + step.z};
    }
    dr_surface surface = dr_octree_points(s->corners, s->from, count);
    ck_assert(dr_octree_create(&s->tree, &memory, &surface, dr_isa_resolve(DRAPE_ISA_AUTO)));
    s->motion = (dr_motion){.start = &s->from->x, .end = &s->to->x, .stride = 3, .radius = radius};
    dr_tree_refit(&s->tree, NULL, &s->motion);
}

static void swarm_close(swarm* s)
{
    dr_tree_free(&s->tree, &memory);
    free(s->from);
    free(s->to);
    free(s->corners);
}

static dr_body* body_of_file(const char* name)
{
    char path[512], sentence[128];
    drape_mesh_data data;
    drape_error error;
    snprintf(path, sizeof path, "%s/scenes/meshes/%s.obj", DRAPE_SOURCE_DIR, name);
    ck_assert(drape_mesh_read(path, &data, &error));
    drape_mesh_view view = {.positions = data.positions,
                            .triangles = data.triangles,
                            .vertex_count = data.vertex_count,
                            .triangle_count = data.triangle_count};
    dr_body* body = dr_body_create(&memory, &view, dr_isa_resolve(DRAPE_ISA_AUTO), NULL, sentence,
                                   sizeof sentence);
    ck_assert_ptr_nonnull(body);
    drape_mesh_data_free(&data);
    return body;
}

// --- The slow truth ---

typedef struct box {
    double lo[3], hi[3];
} box;

// Given corners at both ends, as floats that are exact in doubles.
static void box_add(box* b, const float* p, double more)
{
    for (int c = 0; c < 3; ++c) {
        b->lo[c] = fmin(b->lo[c], (double)p[c] - more);
        b->hi[c] = fmax(b->hi[c], (double)p[c] + more);
    }
}

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static box box_of_primitive(const int32_t corners[3], const dr_motion* motion, double more)
{
    box b = nothing;
    for (int k = 0; k < 3; ++k) {
        box_add(&b, motion->start + (size_t)corners[k] * (size_t)motion->stride, more);
        if (motion->end) {
            box_add(&b, motion->end + (size_t)corners[k] * (size_t)motion->stride, more);
        }
    }
    return b;
}

// Positive when apart.
static double gap_between(const box* a, const box* b)
{
    double gap = -INFINITY;
    for (int c = 0; c < 3; ++c) {
        gap = fmax(gap, fmax(a->lo[c] - b->hi[c], b->lo[c] - a->hi[c]));
    }
    return gap;
}

// Every pair that meets is found, once, and none that is apart by more than rounding.
static void check_pairs(const int32_t (*first)[3], int first_count, const dr_motion* a,
                        const int32_t (*second)[3], int second_count, const dr_motion* b)
{
    int count, met = 0;
    const dr_pair* pairs = dr_pair_search_list(&search, 0, &count);
    uint8_t* seen = calloc((size_t)first_count * (size_t)second_count, 1);
    for (int i = 0; i < count; ++i) {
        uint8_t* at = &seen[(size_t)pairs[i].a * (size_t)second_count + (size_t)pairs[i].b];
        if (*at) {
            ck_abort_msg("%d %d twice", pairs[i].a, pairs[i].b);
        }
        *at = 1;
    }
    for (int i = 0; i < first_count; ++i) {
        box p = box_of_primitive(first[i], a, (double)a->radius);
        for (int k = 0; k < second_count; ++k) {
            box q = box_of_primitive(second[k], b, (double)b->radius);
            double gap = gap_between(&p, &q);
            bool is_found = seen[(size_t)i * (size_t)second_count + (size_t)k];
            // Millions of pairs: each assertion costs a call to the system.
            if (gap <= 0.0 && !is_found) {
                ck_abort_msg("%d %d missed", i, k);
            }
            if (gap > 1e-6 && is_found) {
                ck_abort_msg("%d %d are apart", i, k);
            }
            met += gap <= 0.0;
        }
    }
    ck_assert_int_ge(count, met);
    free(seen);
}

static void setup(void)
{
    dr_memory_init(&memory, NULL);
    search = (dr_pair_search){0};
}

static void teardown(void)
{
    dr_pair_search_free(&search, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}

START_TEST(p7_random_pairs_equal_brute_force)
{
    static const int counts[][2] = {{0, 10}, {1, 1}, {7, 9}, {8, 300}, {200, 200}, {1500, 700}};
    swarm a, b;
    swarm_open(&a, counts[_i][0], 10, 1.0f, 0.2f, 0.01f);
    swarm_open(&b, counts[_i][1], 20, 0.7f, 0.05f, 0.04f);
    ck_assert(dr_octree_pairs(&search, &memory, NULL, &a.tree, &b.tree));
    check_pairs((const int32_t(*)[3])a.corners, a.count, &a.motion, (const int32_t(*)[3])b.corners,
                b.count, &b.motion);
    swarm_close(&a);
    swarm_close(&b);
}
END_TEST

// All in one plane, all in one point: volumes are zero, octants tell nothing apart.
START_TEST(p7_flat_and_coincident_pairs_equal_brute_force)
{
    swarm a, b;
    swarm_open(&a, 300, 30, 1.0f, 0.3f, 0.0f);
    swarm_open(&b, 200, 40, 1.0f, 0.3f, 0.0f);
    for (int i = 0; i < a.count; ++i) {
        a.from[i].y = a.to[i].y = 0.0f;
    }
    for (int i = 0; i < b.count; ++i) {
        b.from[i].y = b.to[i].y = 0.0f;
        b.from[i] = b.to[i] = i < 100 ? b.from[0] : b.from[i];
    }
    dr_tree_refit(&a.tree, NULL, &a.motion);
    dr_tree_refit(&b.tree, NULL, &b.motion);
    ck_assert(dr_octree_pairs(&search, &memory, NULL, &a.tree, &b.tree));
    check_pairs((const int32_t(*)[3])a.corners, a.count, &a.motion, (const int32_t(*)[3])b.corners,
                b.count, &b.motion);
    swarm_close(&a);
    swarm_close(&b);
}
END_TEST

START_TEST(p7_pairs_with_bodies_equal_brute_force)
{
    static const char* const names[] = {"cylinder", "sofa", "round_table"};
    dr_body* body = body_of_file(names[_i]);
    dr_surface surface = dr_surface_of(&body->shell.mesh);
    dr_motion still = {.start = body->from, .stride = 4};
    dr_tree tree;
    swarm cloth;
    ck_assert(dr_octree_create(&tree, &memory, &surface, dr_isa_resolve(DRAPE_ISA_AUTO)));
    dr_tree_refit(&tree, NULL, &still);
    swarm_open(&cloth, 1200, 50, 0.5f, 0.05f, 0.005f);
    ck_assert(dr_octree_pairs(&search, &memory, NULL, &cloth.tree, &tree));
    check_pairs((const int32_t(*)[3])cloth.corners, cloth.count, &cloth.motion, surface.triangles,
                surface.triangle_count, &still);
    int count;
    dr_pair_search_list(&search, 0, &count);
    ck_assert_int_gt(count, 100);
    // Far fewer than all boxes against all.
    ck_assert_int_lt(search.box_tests, (int64_t)cloth.count * surface.triangle_count / 4);
    swarm_close(&cloth);
    dr_tree_free(&tree, &memory);
    dr_body_destroy(body, &memory);
}
END_TEST

// The same pairs in the same order, and no heap calls the second time.
START_TEST(pairs_do_not_depend_on_threads)
{
    swarm a, b;
    swarm_open(&a, 5000, 60, 1.0f, 0.1f, 0.01f);
    swarm_open(&b, 4000, 70, 1.0f, 0.1f, 0.01f);
    ck_assert(dr_octree_pairs(&search, &memory, NULL, &a.tree, &b.tree));
    int64_t box_tests = search.box_tests;
    int expected, count;
    const dr_pair* alone = dr_pair_search_list(&search, 0, &expected);
    ck_assert_int_gt(expected, 1000);
    for (int workers = 2; workers <= 4; ++workers) {
        dr_pool* pool = dr_pool_create(&memory, workers, NULL);
        dr_pair_search other = {0};
        for (int round = 0; round < 3; ++round) {
            int64_t calls = memory.call_count;
            ck_assert(dr_octree_pairs(&other, &memory, pool, &a.tree, &b.tree));
            ck_assert(round == 0 || calls == memory.call_count);
        }
        const dr_pair* pairs = dr_pair_search_list(&other, 0, &count);
        ck_assert_int_eq(count, expected);
        ck_assert_int_eq(memcmp(pairs, alone, sizeof *pairs * (size_t)count), 0);
        ck_assert_int_eq(other.box_tests, box_tests);
        dr_pair_search_free(&other, &memory);
        dr_pool_destroy(pool);
    }
    swarm_close(&a);
    swarm_close(&b);
}
END_TEST

// --- The nearest ---

static double squared_to_point(const void* context, int i, const double p[3])
{
    const swarm* s = context;
    double x = (double)s->from[i].x - p[0], y = (double)s->from[i].y - p[1];
    double z = (double)s->from[i].z - p[2];
    return x * x + y * y + z * z;
}

START_TEST(nearest_equals_brute_force)
{
    swarm s;
    swarm_open(&s, 700, 80, 1.0f, 0.0f, 0.0f);
    // Several at the same place: the first counts.
    for (int i = 350; i < 700; ++i) {
        s.from[i] = s.to[i] = s.from[i - 350];
    }
    dr_tree_refit(&s.tree, NULL, &s.motion);
    for (int i = 0; i < 500; ++i) {
        drape_vec3 at = any_place(90, i, 1.5f);
        double p[3] = {at.x, at.y, at.z}, most = i % 2 ? 0.2 : INFINITY;
        int best = -1;
        for (int k = 0; k < s.count; ++k) {
            double squared = squared_to_point(&s, k, p);
            if (squared <= most * most && (best < 0 || squared < squared_to_point(&s, best, p))) {
                best = k;
            }
        }
        ck_assert_int_eq(dr_octree_nearest(&s.tree, p, most, squared_to_point, &s).primitive, best);
    }
    swarm_close(&s);
}
END_TEST

static Suite* octree_suite(void)
{
    Suite* suite = suite_create("octree");
    TCase* pairs = tcase_create("pairs");
    tcase_add_checked_fixture(pairs, setup, teardown);
    tcase_add_loop_test(pairs, p7_random_pairs_equal_brute_force, 0, 6);
    tcase_add_test(pairs, p7_flat_and_coincident_pairs_equal_brute_force);
    tcase_add_loop_test(pairs, p7_pairs_with_bodies_equal_brute_force, 0, 3);
    tcase_add_test(pairs, pairs_do_not_depend_on_threads);
    tcase_add_test(pairs, nearest_equals_brute_force);
    suite_add_tcase(suite, pairs);
    return suite;
}

int main(void)
{
    return run_suite(octree_suite());
}
