// Searches for pairs of triangles against the slow truth.
#include "collide/tree_pairs.h"

#include "tree_case_test.h"

static dr_pair_search search;

static void setup(int test)
{
    set_case(test);
    search = (dr_pair_search){0};
}

static void teardown(void)
{
    dr_pair_search_free(&search, &memory);
    clear_case();
}

static const dr_pair* found(int* count)
{
    return dr_pair_search_list(&search, 0, count);
}

static bool share_vertex(int a, int b)
{
    const int32_t *p = cloth.mesh.triangles[a], *q = cloth.mesh.triangles[b];
    return has_vertex(p, 3, q[0]) || has_vertex(p, 3, q[1]) || has_vertex(p, 3, q[2]);
}

typedef bool pair_fn(int a, int b);

// Sorted, because triangles are gone through in order.
static void slow_pairs(pair_fn* is_dropped, dr_array* must, dr_array* may)
{
    for (int a = 0; a < cloth.mesh.triangle_count; ++a) {
        for (int b = a + 1; b < cloth.mesh.triangle_count; ++b) {
            if (!is_dropped(a, b)) {
                judge(&memory, box_of(&cloth, cloth.mesh.triangles[a], 3),
                      box_of(&cloth, cloth.mesh.triangles[b], 3), (dr_pair){a, b},
                      cloth.radius == 0.0f, must, may);
            }
        }
    }
}

static void check_found(pair_fn* is_dropped)
{
    dr_array must = {0}, may = {0};
    int count;
    const dr_pair* pairs = found(&count);
    slow_pairs(is_dropped, &must, &may);
    check_pairs(pairs, count, true, &must, &may);
    dr_array_free(&memory, &must, sizeof(dr_pair));
    dr_array_free(&memory, &may, sizeof(dr_pair));
}

START_TEST(triangle_pairs_are_all_and_once)
{
    setup(_i);
    ck_assert(dr_tree_triangle_pairs(&search, &memory, NULL, &tree, NULL));
    ck_assert_int_gt(search.box_tests, 0);
    check_found(share_vertex);
    teardown();
}
END_TEST

// Indices that are no exact floats are compared one by one.
START_TEST(large_meshes_drop_the_same)
{
    setup(_i);
    float* keys[3];
    memcpy(keys, tree.corner_key, sizeof keys);
    memset(tree.corner_key, 0, sizeof tree.corner_key);
    ck_assert(dr_tree_triangle_pairs(&search, &memory, NULL, &tree, NULL));
    memcpy(tree.corner_key, keys, sizeof keys);
    check_found(share_vertex);
    teardown();
}
END_TEST

// The same pairs in the same order from any number of threads and any instruction set.
START_TEST(order_is_always_the_same)
{
    setup(_i);
    ck_assert(dr_tree_triangle_pairs(&search, &memory, NULL, &tree, NULL));
    int64_t box_tests = search.box_tests;
    dr_pair_search other = {0};
    for (int workers = 1; workers <= 4; workers *= 2) {
        dr_pool* pool = dr_pool_create(&memory, workers, NULL);
        for (int isa = DRAPE_ISA_PLAIN; isa <= DRAPE_ISA_WASM; ++isa) {
            if (!dr_isa_available((drape_isa)isa)) {
                continue;
            }
            tree.isa = (drape_isa)isa;
            ck_assert(dr_tree_triangle_pairs(&other, &memory, pool, &tree, NULL));
            ck_assert_int_eq(other.lists[0].count, search.lists[0].count);
            ck_assert_int_eq(other.box_tests, box_tests);
            if (other.lists[0].count > 0) {
                ck_assert_mem_eq(other.lists[0].data, search.lists[0].data,
                                 sizeof(dr_pair) * (size_t)other.lists[0].count);
            }
        }
        dr_pool_destroy(pool);
    }
    dr_pair_search_free(&other, &memory);
    teardown();
}
END_TEST

// A larger sheet, cut into many tasks, with many pages of pairs.
START_TEST(many_tasks_keep_the_order)
{
    dr_memory_init(&memory, NULL);
    cloth = cloth_accordion(&memory, 80, 60, 8);
    tree = tree_of(&memory, &cloth, test_builders[_i].plan, DRAPE_ISA_AUTO);
    search = (dr_pair_search){0};
    ck_assert(dr_tree_triangle_pairs(&search, &memory, NULL, &tree, NULL));
    ck_assert_int_gt(search.lists[0].count, 50000);
    dr_pair_search other = {0};
    for (int workers = 2; workers <= 4; ++workers) {
        dr_pool* pool = dr_pool_create(&memory, workers, NULL);
        ck_assert(dr_tree_triangle_pairs(&other, &memory, pool, &tree, NULL));
        ck_assert_int_eq(other.lists[0].count, search.lists[0].count);
        ck_assert_mem_eq(other.lists[0].data, search.lists[0].data,
                         sizeof(dr_pair) * (size_t)other.lists[0].count);
        dr_pool_destroy(pool);
    }
    dr_pair_search_free(&other, &memory);
    teardown();
}
END_TEST

// --- Filters ---

static uint8_t region_of(int triangle)
{
    return (uint8_t)(dr_random_u32(9, (uint32_t)(triangle / 5)) % 7);
}

static const uint32_t allow[32] = {0x5f, 0x00 | 1, 0x55 | 1, 0x10 | 1, 0x1d, 0x00, 0x45};

static bool is_forbidden(int a, int b)
{
    return share_vertex(a, b) || !(allow[region_of(a)] >> region_of(b) & 1);
}

START_TEST(regions_are_kept_apart)
{
    setup(_i);
    uint8_t* region = malloc((size_t)cloth.mesh.triangle_count);
    for (int t = 0; t < cloth.mesh.triangle_count; ++t) {
        region[t] = region_of(t);
    }
    for (int a = 0; a < 7; ++a) {
        for (int b = 0; b < 7; ++b) {
            ck_assert_int_eq(allow[a] >> b & 1, allow[b] >> a & 1);
        }
    }
    ck_assert(dr_tree_set_regions(&tree, &memory, region, allow));
    ck_assert(dr_tree_triangle_pairs(&search, &memory, NULL, &tree, NULL));
    check_found(is_forbidden);
    free(region);
    teardown();
}
END_TEST

// Leaves are not compared with themselves, nor with nodes of another parity.
static bool skip_leaf(void* context, int node)
{
    return tree.nodes[node].is_leaf && context != NULL;
}

static bool skip_odd(void* context, int a, int b)
{
    return context != NULL && tree.nodes[a].is_leaf && tree.nodes[b].is_leaf && (a + b) % 2;
}

static int leaf_of(int triangle)
{
    for (int n = 0; n < tree.node_count; ++n) {
        for (int i = 0; tree.nodes[n].is_leaf && i < tree.nodes[n].child_count; ++i) {
            if (tree.triangle_of_place[tree.nodes[n].first + i] == triangle) {
                return n;
            }
        }
    }
    return -1;
}

static bool is_skipped(int a, int b)
{
    int m = leaf_of(a), n = leaf_of(b);
    return share_vertex(a, b) || m == n || (m + n) % 2;
}

START_TEST(filters_are_asked)
{
    setup(_i);
    dr_pair_filter filter = {skip_leaf, skip_odd, &tree};
    ck_assert(dr_tree_triangle_pairs(&search, &memory, NULL, &tree, &filter));
    check_found(is_skipped);
    teardown();
}
END_TEST

// --- Two trees ---

static test_cloth second;

static void slow_pairs_between(dr_array* must, dr_array* may)
{
    for (int a = 0; a < cloth.mesh.triangle_count; ++a) {
        for (int b = 0; b < second.mesh.triangle_count; ++b) {
            judge(&memory, box_of(&cloth, cloth.mesh.triangles[a], 3),
                  box_of(&second, second.mesh.triangles[b], 3), (dr_pair){a, b}, false, must, may);
        }
    }
}

// Every builder against itself and against another.
START_TEST(trees_meet_trees)
{
    dr_array must = {0}, may = {0};
    int count;
    setup(test_folded * builder_count + _i / 2);
    second = cloth_make(&memory, test_crumpled);
    dr_tree other = tree_of(&memory, &second, test_builders[(_i / 2 + _i % 2) % builder_count].plan,
                            DRAPE_ISA_AUTO);
    ck_assert(dr_tree_tree_pairs(&search, &memory, NULL, &tree, &other, NULL));
    const dr_pair* pairs = found(&count);
    slow_pairs_between(&must, &may);
    ck_assert_int_gt(must.count, 100);
    check_pairs(pairs, count, false, &must, &may);
    dr_array_free(&memory, &must, sizeof(dr_pair));
    dr_array_free(&memory, &may, sizeof(dr_pair));
    dr_tree_free(&other, &memory);
    cloth_free(&second, &memory);
    teardown();
}
END_TEST

// --- Memory ---

START_TEST(settled_searches_leave_the_heap_alone)
{
    watched_heap heap = {.calls_left = 1 << 30};
    drape_allocator hook = {watched_allocate, watched_release, &heap};
    dr_memory_init(&memory, &hook);
    cloth = cloth_accordion(&memory, 60, 40, 6);
    tree = tree_of(&memory, &cloth, dr_plan_swept, DRAPE_ISA_AUTO);
    search = (dr_pair_search){0};
    dr_motion motion = motion_of(&cloth);
    dr_pool* pool = dr_pool_create(&memory, _i, NULL);
    ck_assert(dr_tree_triangle_pairs(&search, &memory, pool, &tree, NULL));
    int count = search.lists[0].count;
    heap.allocate_count = heap.release_count = 0;
    for (int i = 0; i < 30; ++i) {
        // Fewer, then as many again.
        motion.radius = i % 2 ? 0.15f : 0.1f;
        dr_tree_refit(&tree, pool, &motion);
        ck_assert(dr_tree_triangle_pairs(&search, &memory, pool, &tree, NULL));
    }
    ck_assert_int_eq(search.lists[0].count, count);
    ck_assert_int_eq(heap.allocate_count, 0);
    ck_assert_int_eq(heap.release_count, 0);
    dr_pool_destroy(pool);
    teardown();
}
END_TEST

START_TEST(short_memory_is_reported)
{
    watched_heap heap = {.calls_left = 1 << 30};
    drape_allocator hook = {watched_allocate, watched_release, &heap};
    dr_memory_init(&memory, &hook);
    cloth = cloth_accordion(&memory, 40, 40, 6);
    tree = tree_of(&memory, &cloth, dr_plan_swept, DRAPE_ISA_AUTO);
    search = (dr_pair_search){0};
    dr_pool* pool = dr_pool_create(&memory, _i, NULL);
    size_t before = heap.bytes;
    bool is_done = false;
    for (int calls = 0; !is_done; ++calls) {
        heap.calls_left = calls;
        is_done = dr_tree_triangle_pairs(&search, &memory, pool, &tree, NULL);
        ck_assert_int_eq(search.lists[0].count > 0, is_done);
        dr_pair_search_free(&search, &memory);
        ck_assert_uint_eq(heap.bytes, before);
        ck_assert_int_lt(calls, 100);
    }
    dr_pool_destroy(pool);
    teardown();
}
END_TEST

START_TEST(nothing_meets_nothing)
{
    dr_tree_plan plan = {0};
    dr_surface surface = {0};
    dr_motion motion = {0};
    dr_memory_init(&memory, NULL);
    cloth = cloth_grid(&memory, 3, 3);
    dr_tree full = tree_of(&memory, &cloth, dr_plan_swept, DRAPE_ISA_AUTO);
    search = (dr_pair_search){0};
    ck_assert(dr_plan_swept(&plan, &memory, &surface));
    ck_assert(dr_tree_create(&tree, &memory, &plan, &surface, DRAPE_ISA_AUTO));
    dr_tree_refit(&tree, NULL, &motion);
    ck_assert(dr_tree_triangle_pairs(&search, &memory, NULL, &tree, NULL));
    ck_assert(dr_tree_tree_pairs(&search, &memory, NULL, &full, &tree, NULL));
    ck_assert_int_eq(search.lists[0].count, 0);
    ck_assert_double_eq(dr_tree_decay(&tree), 1.0);
    dr_tree_free(&full, &memory);
    teardown();
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("tree_pairs");
    tcase_add_loop_test(tests, triangle_pairs_are_all_and_once, 0, case_count);
    tcase_add_loop_test(tests, large_meshes_drop_the_same, 0, case_count);
    tcase_add_loop_test(tests, order_is_always_the_same, 0, case_count);
    tcase_add_loop_test(tests, many_tasks_keep_the_order, 0, builder_count);
    tcase_add_loop_test(tests, regions_are_kept_apart, 0, case_count);
    tcase_add_loop_test(tests, filters_are_asked, 0, case_count);
    tcase_add_loop_test(tests, trees_meet_trees, 0, 2 * builder_count);
    tcase_add_loop_test(tests, settled_searches_leave_the_heap_alone, 1, 5);
    tcase_add_loop_test(tests, short_memory_is_reported, 1, 3);
    tcase_add_test(tests, nothing_meets_nothing);
    Suite* suite = suite_create("tree_pairs");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
