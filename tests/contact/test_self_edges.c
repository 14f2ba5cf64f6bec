// Self-collision by edges against triangles: nothing crosses, with a tree and without.
#include "contact/self_edges.h"

#include "core/base.h"
#include "core/isa.h"
#include "self_test.h"

static dr_self_edges edges_of(test_sheets* t, bool use_tree, bool is_full)
{
    dr_self_edges self;
    dr_self_edges_options options = {.use_tree = use_tree, .is_full = is_full};
    ck_assert(dr_self_edges_create(&self, &t->memory, &t->sheets, &options));
    return self;
}

// Cloths of a test: vertices in a row of a grid, or minus the rings of a disc.
typedef struct cloths {
    int sizes[most_parts];
    int count;
} cloths;

static const cloths scenes[] = {{{13}, 1}, {{-6}, 1}, {{9, 10}, 2}, {{8, -4, 2}, 3}};
enum { scene_count = sizeof scenes / sizeof scenes[0] };

START_TEST(s5_nothing_crosses)
{
    for (int use_tree = 0; use_tree < 2; ++use_tree) {
        test_sheets* t = test_sheets_create(scenes[_i].sizes, scenes[_i].count);
        dr_self_edges self = edges_of(t, use_tree, false);
        dr_self_result sum = {0};
        int would_cross = 0;
        for (int i = 0; i < 100; ++i) {
            test_move(t, 40.0f, i % 50 < 25 ? 0.0005f : 0.003f);
            would_cross += i % 10 == 0 ? test_crossings(t, t->raw) : 0;
            test_step(t, dr_self_edges_detect_any, &self, NULL, &sum);
            ck_assert_int_eq(test_crossings(t, t->sheets.end), 0);
            test_commit(t);
        }
        ck_assert_int_gt(would_cross, 5);
        ck_assert_int_gt(sum.frozen, 0);
        ck_assert_int_eq(sum.forced, 0);
        dr_self_edges_free(&self, &t->memory);
        test_sheets_free(t);
    }
}
END_TEST

// Detects with both, and compares hits and what is frozen.
static bool detect_twice(test_sheets* t, dr_self_edges* tree, dr_self_edges* all, int run,
                         dr_limits* other_limits)
{
    dr_self_result one, two;
    ck_assert(dr_self_edges_detect(tree, &t->memory, NULL, &t->limits, run, &one));
    ck_assert(dr_self_edges_detect(all, &t->memory, NULL, other_limits, run, &two));
    int count_one, count_two;
    const dr_pair* hits_one = dr_self_edges_hits(tree, &count_one);
    const dr_pair* hits_two = dr_self_edges_hits(all, &count_two);
    ck_assert_int_eq(count_one, count_two);
    ck_assert(count_one == 0 ||
              memcmp(hits_one, hits_two, sizeof *hits_one * (size_t)count_one) == 0);
    ck_assert(memcmp(t->limits.hold, other_limits->hold, (size_t)t->sheets.vertex_count) == 0);
    ck_assert(one.frozen == two.frozen && one.near_pairs == two.near_pairs);
    return one.is_clean;
}

START_TEST(tree_and_all_pairs_agree)
{
    for (int is_full = 0; is_full < 2; ++is_full) {
        test_sheets* t = test_sheets_create(scenes[_i].sizes, scenes[_i].count);
        dr_self_edges tree = edges_of(t, true, is_full), all = edges_of(t, false, is_full);
        dr_limits other_limits;
        ck_assert(dr_limits_create(&other_limits, &t->memory, t->sheets.vertex_count));
        int hits = 0;
        for (int i = 0; i < 40; ++i) {
            test_move(t, 60.0f, 0.003f);
            test_begin(t);
            dr_limits_clear(&other_limits);
            bool is_clean = false;
            for (int run = 1; run <= test_runs && !is_clean; ++run) {
                test_solve(t);
                is_clean = detect_twice(t, &tree, &all, run, &other_limits);
                hits += tree.hits.count;
            }
            test_commit(t);
        }
        ck_assert_int_gt(hits, 0);
        dr_limits_free(&other_limits, &t->memory);
        dr_self_edges_free(&tree, &t->memory);
        dr_self_edges_free(&all, &t->memory);
        test_sheets_free(t);
    }
}
END_TEST

// Every pair of triangles that crosses is seen as an edge and a triangle that meet.
START_TEST(every_crossing_has_an_edge)
{
    int crossings = 0;
    for (int round = 0; round < 30; ++round) {
        test_sheets* t = test_sheets_create((int[]){round % 2 ? 7 : -3}, 1);
        dr_self_edges self = edges_of(t, round % 3 == 0, false);
        // On a coarse raster, so that many things touch exactly or lie in one plane.
        for (int v = 0; v < t->sheets.vertex_count; ++v) {
            t->noise = (uint32_t)(round * 10000 + 3 * v);
            t->sheets.end[v] = (drape_vec3){roundf(4.0f * noise(t)), roundf(4.0f * noise(t)),
                                            roundf(4.0f * noise(t))};
        }
        dr_self_result result;
        ck_assert(dr_self_edges_detect(&self, &t->memory, NULL, &t->limits, 1, &result));
        for (int a = 0; a < t->sheets.triangle_count; ++a) {
            for (int b = a + 1; b < t->sheets.triangle_count; ++b) {
                drape_vec3 pa[3], pb[3];
                const int32_t *va = t->sheets.triangles[a], *vb = t->sheets.triangles[b];
                test_corners(t, t->sheets.end, a, pa);
                test_corners(t, t->sheets.end, b, pb);
                if (dr_triangle_pair(pa, va, pb, vb).relation != DR_TRIANGLES_CROSSING) {
                    continue;
                }
                ++crossings;
                bool is_found = false;
                for (int i = 0; i < self.hits.count; ++i) {
                    dr_pair hit = ((const dr_pair*)self.hits.data)[i];
                    is_found = is_found || hit.b == a || hit.b == b;
                }
                ck_assert(is_found);
            }
        }
        dr_self_edges_free(&self, &t->memory);
        test_sheets_free(t);
    }
    ck_assert_int_gt(crossings, 1000);
}
END_TEST

// A sheet that goes right through another one leaves no crossing edge behind.
START_TEST(separate_cloths_do_not_pass)
{
    for (int use_tree = 0; use_tree < 2; ++use_tree) {
        test_sheets* t = test_sheets_create((int[]){5, 6}, 2);
        for (int v = 0; v < t->sheets.vertex_count; ++v) {
            t->raw[v] = t->sheets.start[v];
            t->raw[v].y -= v < t->sheets.parts[1].first_vertex ? 0.0f : 0.5f;
        }
        ck_assert_int_eq(test_crossings(t, t->raw), 0);
        dr_self_edges self = edges_of(t, use_tree, false);
        dr_self_result sum = {0};
        test_step(t, dr_self_edges_detect_any, &self, NULL, &sum);
        ck_assert_int_gt(sum.near_pairs, 0);
        for (int a = 0; a < t->sheets.parts[1].first_triangle; ++a) {
            for (int b = t->sheets.parts[1].first_triangle; b < t->sheets.triangle_count; ++b) {
                ck_assert(!dr_guard_passes(&t->sheets, a, b));
            }
        }
        dr_self_edges_free(&self, &t->memory);
        test_sheets_free(t);
    }
}
END_TEST

START_TEST(settling_always_ends_clean)
{
    test_sheets* t = test_sheets_create(scenes[_i].sizes, scenes[_i].count);
    dr_self_edges self = edges_of(t, true, false);
    for (int i = 0; i < 30; ++i) {
        test_move(t, 400.0f, 0.05f);
        test_begin(t);
        test_solve(t);
        dr_self_result result;
        ck_assert(dr_self_settle(dr_self_edges_detect_any, &self, &t->memory, NULL, &t->sheets,
                                 &t->limits, &result));
        ck_assert(result.is_clean && result.forced == 0);
        ck_assert_int_eq(test_crossings(t, t->sheets.end), 0);
        test_commit(t);
    }
    dr_self_edges_free(&self, &t->memory);
    test_sheets_free(t);
}
END_TEST

static uint64_t hash_of_run(int worker_count, drape_isa isa, bool use_tree)
{
    test_sheets* t = test_sheets_create((int[]){14, 11}, 2);
    dr_self_edges_options options = {.use_tree = use_tree, .isa = isa};
    dr_self_edges self;
    ck_assert(dr_self_edges_create(&self, &t->memory, &t->sheets, &options));
    dr_pool* pool = worker_count > 1 ? dr_pool_create(&t->memory, worker_count, NULL) : NULL;
    uint64_t hash = DR_HASH_START;
    for (int i = 0; i < 30; ++i) {
        test_move(t, 25.0f, 0.001f);
        test_step(t, dr_self_edges_detect_any, &self, pool, NULL);
        test_commit(t);
        hash = dr_hash_floats(hash, &t->sheets.end[0].x, 3 * (size_t)t->sheets.vertex_count);
    }
    // The same step again and again needs no more memory.
    test_move(t, 25.0f, 0.0f);
    bool is_quiet = false;
    for (int i = 0; i < 4; ++i) {
        int64_t calls = t->memory.call_count;
        test_step(t, dr_self_edges_detect_any, &self, pool, NULL);
        is_quiet = t->memory.call_count == calls;
    }
    ck_assert(is_quiet);
    dr_pool_destroy(pool);
    dr_self_edges_free(&self, &t->memory);
    test_sheets_free(t);
    return hash;
}

START_TEST(same_bytes_on_all_machines)
{
    uint64_t hash = hash_of_run(1, DRAPE_ISA_AUTO, true);
    ck_assert(hash_of_run(2, DRAPE_ISA_AUTO, true) == hash);
    ck_assert(hash_of_run(3, DRAPE_ISA_AUTO, false) == hash);
    ck_assert(hash_of_run(1, DRAPE_ISA_PLAIN, false) == hash);
}
END_TEST

START_TEST(short_memory_is_reported)
{
    test_sheets* t = test_sheets_create((int[]){9, -3}, 2);
    test_move(t, 300.0f, 0.01f);
    test_begin(t);
    test_solve(t);
    for (int use_tree = 0; use_tree < 2; ++use_tree) {
        bool is_done = false;
        for (int calls = 0; !is_done && calls < 300; ++calls) {
            watched_heap heap = {.calls_left = calls};
            drape_allocator hook = {
                .allocate = watched_allocate, .release = watched_release, .user = &heap};
            dr_memory memory;
            dr_memory_init(&memory, &hook);
            dr_self_edges_options options = {.use_tree = use_tree};
            dr_self_edges self;
            dr_self_result result;
            is_done = dr_self_edges_create(&self, &memory, &t->sheets, &options) &&
                      dr_self_edges_detect(&self, &memory, NULL, &t->limits, 1, &result);
            dr_self_edges_free(&self, &memory);
            ck_assert_uint_eq(heap.bytes, 0);
        }
        ck_assert(is_done);
    }
    test_sheets_free(t);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("self_edges");
    TCase* tests = tcase_create("all");
    tcase_add_loop_test(tests, s5_nothing_crosses, 0, scene_count);
    tcase_add_loop_test(tests, tree_and_all_pairs_agree, 0, scene_count);
    tcase_add_test(tests, every_crossing_has_an_edge);
    tcase_add_test(tests, separate_cloths_do_not_pass);
    tcase_add_loop_test(tests, settling_always_ends_clean, 0, scene_count);
    tcase_add_test(tests, same_bytes_on_all_machines);
    tcase_add_test(tests, short_memory_is_reported);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
