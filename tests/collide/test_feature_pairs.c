// Searches for pairs of features against the slow truth.
#include "collide/feature_pairs.h"

#include "tree_test.h"

enum { case_count = builder_count * test_cloth_count };

// A mesh with its tree and features.
typedef struct body {
    test_cloth cloth;
    dr_tree tree;
    dr_features features;
} body;

static dr_memory memory;
static dr_pair_search search;

static body body_of(test_cloth cloth, dr_plan_fn* plan)
{
    body made = {.cloth = cloth};
    dr_motion motion = motion_of(&made.cloth);
    made.tree = tree_of(&memory, &made.cloth, plan, DRAPE_ISA_AUTO);
    ck_assert(dr_features_create(&made.features, &memory, &made.tree, &made.cloth.surface));
    dr_features_refit(&made.features, &made.tree, NULL, &motion);
    return made;
}

static body setup(int test)
{
    dr_memory_init(&memory, NULL);
    search = (dr_pair_search){0};
    return body_of(cloth_make(&memory, test / builder_count),
                   test_builders[test % builder_count].plan);
}

static void body_free(body* made)
{
    dr_features_free(&made->features, &memory);
    dr_tree_free(&made->tree, &memory);
    cloth_free(&made->cloth, &memory);
}

static void teardown(body* made)
{
    body_free(made);
    dr_pair_search_free(&search, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}

static const int32_t* edge_ends(const body* made, int edge)
{
    return made->cloth.mesh.edges[edge].v;
}

// Vertices that belong to some triangle; those of collapsed ones alone do not.
static bool is_used(const body* made, int vertex)
{
    const dr_mesh* mesh = &made->cloth.mesh;
    return mesh->vertex_triangle_start[vertex] < mesh->vertex_triangle_start[vertex + 1];
}

typedef bool pair_fn(const body* made, int list, int a, int b);

static bool share_vertex(const body* made, int list, int a, int b)
{
    const int32_t* edge = edge_ends(made, list == DR_PAIRS_EDGE_EDGE ? a : 0);
    return list == DR_PAIRS_POINT_TRIANGLE ? has_vertex(made->cloth.mesh.triangles[b], 3, a)
                                           : has_vertex(edge, 2, edge_ends(made, b)[0]) ||
                                                 has_vertex(edge, 2, edge_ends(made, b)[1]);
}

// Boxes of all points, edges or triangles: features of one to three corners.
static test_box* boxes_of(const body* made, int corner_count)
{
    const dr_mesh* mesh = &made->cloth.mesh;
    int counts[4] = {0, mesh->vertex_count, mesh->edge_count, mesh->triangle_count};
    test_box* boxes = malloc(sizeof *boxes * (size_t)(counts[corner_count] + 1));
    for (int32_t i = 0; i < counts[corner_count]; ++i) {
        const int32_t* corners[4] = {NULL, &i, mesh->edges[i < mesh->edge_count ? i : 0].v,
                                     mesh->triangles[i < mesh->triangle_count ? i : 0]};
        boxes[i] = box_of(&made->cloth, corners[corner_count], corner_count);
    }
    return boxes;
}

static void slow_points(const body* made, pair_fn* is_dropped, dr_array* must, dr_array* may)
{
    const dr_mesh* mesh = &made->cloth.mesh;
    test_box *points = boxes_of(made, 1), *triangles = boxes_of(made, 3);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int t = 0; is_used(made, v) && t < mesh->triangle_count; ++t) {
            if (!is_dropped(made, DR_PAIRS_POINT_TRIANGLE, v, t)) {
                judge(&memory, points[v], triangles[t], (dr_pair){v, t}, made->cloth.radius == 0.0f,
                      must, may);
            }
        }
    }
    free(points);
    free(triangles);
}

static void slow_edges(const body* made, pair_fn* is_dropped, dr_array* must, dr_array* may)
{
    test_box* edges = boxes_of(made, 2);
    for (int a = 0; a < made->cloth.mesh.edge_count; ++a) {
        for (int b = a + 1; b < made->cloth.mesh.edge_count; ++b) {
            if (!is_dropped(made, DR_PAIRS_EDGE_EDGE, a, b)) {
                judge(&memory, edges[a], edges[b], (dr_pair){a, b}, made->cloth.radius == 0.0f,
                      must, may);
            }
        }
    }
    free(edges);
}

static void check_list(int list, bool unordered, dr_array* must, dr_array* may)
{
    int count;
    const dr_pair* pairs = dr_pair_search_list(&search, list, &count);
    check_pairs(pairs, count, unordered, must, may);
    dr_array_free(&memory, must, sizeof(dr_pair));
    dr_array_free(&memory, may, sizeof(dr_pair));
}

static void check_found(const body* made, pair_fn* is_dropped)
{
    dr_array must = {0}, may = {0};
    slow_points(made, is_dropped, &must, &may);
    check_list(DR_PAIRS_POINT_TRIANGLE, false, &must, &may);
    slow_edges(made, is_dropped, &must, &may);
    check_list(DR_PAIRS_EDGE_EDGE, true, &must, &may);
    ck_assert_int_eq(search.lists[DR_PAIRS_TRIANGLE_POINT].count, 0);
}

START_TEST(feature_pairs_are_all_and_once)
{
    body made = setup(_i);
    ck_assert(dr_feature_pairs(&search, &memory, NULL, &made.tree, &made.features, NULL));
    check_found(&made, share_vertex);
    teardown(&made);
}
END_TEST

// Indices that are no exact floats are compared one by one.
START_TEST(large_meshes_drop_the_same)
{
    body made = setup(_i);
    float* keys[3] = {made.features.points.key[0], made.features.edges.key[0],
                      made.features.edges.key[1]};
    made.features.points.key[0] = made.features.edges.key[0] = made.features.edges.key[1] = NULL;
    ck_assert(dr_feature_pairs(&search, &memory, NULL, &made.tree, &made.features, NULL));
    check_found(&made, share_vertex);
    made.features.points.key[0] = keys[0];
    made.features.edges.key[0] = keys[1];
    made.features.edges.key[1] = keys[2];
    teardown(&made);
}
END_TEST

// On a grid of 7 x 7 vertices, everything within reach of everything, there are 9,949 pairs: 49
// points with 72 triangles, without 216 corners, and 120 edges with each other, without those that
// share an end.
START_TEST(a_small_grid_has_its_count)
{
    dr_memory_init(&memory, NULL);
    search = (dr_pair_search){0};
    test_cloth cloth = cloth_grid(&memory, 7, 7);
    cloth.radius = 10.0f;
    body made = body_of(cloth, test_builders[_i].plan);
    ck_assert(dr_feature_pairs(&search, &memory, NULL, &made.tree, &made.features, NULL));
    ck_assert_int_eq(search.lists[DR_PAIRS_POINT_TRIANGLE].count, 49 * 72 - 216);
    int sharing = 0;
    for (int a = 0; a < made.cloth.mesh.edge_count; ++a) {
        for (int b = a + 1; b < made.cloth.mesh.edge_count; ++b) {
            sharing += share_vertex(&made, DR_PAIRS_EDGE_EDGE, a, b);
        }
    }
    ck_assert_int_eq(made.cloth.mesh.edge_count, 120);
    ck_assert_int_eq(search.lists[DR_PAIRS_EDGE_EDGE].count, 120 * 119 / 2 - sharing);
    check_found(&made, share_vertex);
    teardown(&made);
}
END_TEST

// The 9,949 themselves are of a grid whose diagonals all run one way.
START_TEST(the_count_of_the_paper)
{
    dr_shape_mesh shape;
    dr_memory_init(&memory, NULL);
    search = (dr_pair_search){0};
    ck_assert(dr_generate_grid(&shape, &memory, 6.0f, 6.0f, 7, 7, DRAPE_DIAGONALS_FORWARD));
    test_cloth cloth = cloth_of(&memory, shape.positions, shape.vertex_count,
                                (const int32_t(*)[3])shape.triangles, shape.triangle_count);
    dr_shape_free(&shape, &memory);
    cloth.radius = 10.0f;
    body made = body_of(cloth, test_builders[_i].plan);
    ck_assert(dr_feature_pairs(&search, &memory, NULL, &made.tree, &made.features, NULL));
    ck_assert_int_eq(
        search.lists[DR_PAIRS_POINT_TRIANGLE].count + search.lists[DR_PAIRS_EDGE_EDGE].count, 9949);
    teardown(&made);
}
END_TEST

static void check_same_lists(const dr_pair_search* other)
{
    ck_assert_int_eq(other->box_tests, search.box_tests);
    for (int l = 0; l < DR_PAIR_LISTS; ++l) {
        ck_assert_int_eq(other->lists[l].count, search.lists[l].count);
        if (search.lists[l].count > 0) {
            ck_assert_mem_eq(other->lists[l].data, search.lists[l].data,
                             sizeof(dr_pair) * (size_t)search.lists[l].count);
        }
    }
}

START_TEST(order_is_always_the_same)
{
    body made = setup(_i);
    dr_motion motion = motion_of(&made.cloth);
    dr_pair_search other = {0};
    ck_assert(dr_feature_pairs(&search, &memory, NULL, &made.tree, &made.features, NULL));
    for (int workers = 1; workers <= 4; workers *= 2) {
        dr_pool* pool = dr_pool_create(&memory, workers, NULL);
        for (int isa = DRAPE_ISA_PLAIN; isa <= DRAPE_ISA_WASM; ++isa) {
            if (dr_isa_available((drape_isa)isa)) {
                made.tree.isa = (drape_isa)isa;
                dr_features_refit(&made.features, &made.tree, pool, &motion);
                ck_assert(
                    dr_feature_pairs(&other, &memory, pool, &made.tree, &made.features, NULL));
                check_same_lists(&other);
            }
        }
        dr_pool_destroy(pool);
    }
    dr_pair_search_free(&other, &memory);
    teardown(&made);
}
END_TEST

START_TEST(many_tasks_keep_the_order)
{
    dr_memory_init(&memory, NULL);
    search = (dr_pair_search){0};
    body made = body_of(cloth_accordion(&memory, 60, 50, 8), test_builders[_i].plan);
    dr_pair_search other = {0};
    ck_assert(dr_feature_pairs(&search, &memory, NULL, &made.tree, &made.features, NULL));
    for (int workers = 2; workers <= 4; ++workers) {
        dr_pool* pool = dr_pool_create(&memory, workers, NULL);
        ck_assert(dr_feature_pairs(&other, &memory, pool, &made.tree, &made.features, NULL));
        check_same_lists(&other);
        dr_pool_destroy(pool);
    }
    dr_pair_search_free(&other, &memory);
    teardown(&made);
}
END_TEST

// --- Regions ---

static uint8_t region_of(int triangle)
{
    return (uint8_t)(dr_random_u32(9, (uint32_t)(triangle / 5)) % 4);
}

static const uint32_t allow[32] = {0x6, 0x5, 0xb, 0xc};

// The region of a feature is that of the first triangle that has it.
static int owner_region(const body* made, int list, int feature)
{
    const dr_mesh* mesh = &made->cloth.mesh;
    if (list == DR_PAIRS_POINT_TRIANGLE) {
        return region_of(mesh->vertex_triangle_list[mesh->vertex_triangle_start[feature]]);
    }
    return region_of(mesh->edges[feature].t[0]);
}

static bool is_forbidden(const body* made, int list, int a, int b)
{
    int region_b = list == DR_PAIRS_POINT_TRIANGLE ? region_of(b) : owner_region(made, list, b);
    return share_vertex(made, list, a, b) || !(allow[owner_region(made, list, a)] >> region_b & 1);
}

START_TEST(regions_are_kept_apart)
{
    body made = setup(_i);
    uint8_t* region = malloc((size_t)made.cloth.mesh.triangle_count);
    for (int t = 0; t < made.cloth.mesh.triangle_count; ++t) {
        region[t] = region_of(t);
    }
    ck_assert(dr_tree_set_regions(&made.tree, &memory, region, allow));
    ck_assert(dr_feature_pairs(&search, &memory, NULL, &made.tree, &made.features, NULL));
    check_found(&made, is_forbidden);
    free(region);
    teardown(&made);
}
END_TEST

// --- Two meshes ---

static void slow_between(const body* a, const body* b, int list, dr_array* must, dr_array* may)
{
    bool edges = list == DR_PAIRS_EDGE_EDGE;
    int count_a = edges ? a->cloth.mesh.edge_count : a->cloth.mesh.vertex_count;
    int count_b = edges ? b->cloth.mesh.edge_count : b->cloth.mesh.triangle_count;
    test_box *boxes_a = boxes_of(a, edges ? 2 : 1), *boxes_b = boxes_of(b, edges ? 2 : 3);
    for (int i = 0; i < count_a; ++i) {
        for (int k = 0; (edges || is_used(a, i)) && k < count_b; ++k) {
            judge(&memory, boxes_a[i], boxes_b[k], (dr_pair){i, k}, false, must, may);
        }
    }
    free(boxes_a);
    free(boxes_b);
}

// Every builder against itself and against another.
START_TEST(meshes_meet_meshes)
{
    dr_array must = {0}, may = {0};
    int other = (_i / 2 + _i % 2) % builder_count;
    body a = setup(test_folded * builder_count + _i / 2);
    body b = body_of(cloth_make(&memory, test_crumpled), test_builders[other].plan);
    ck_assert(dr_feature_pairs_between(&search, &memory, NULL, &a.tree, &a.features, &b.tree,
                                       &b.features, NULL));
    slow_between(&a, &b, DR_PAIRS_POINT_TRIANGLE, &must, &may);
    check_list(DR_PAIRS_POINT_TRIANGLE, false, &must, &may);
    slow_between(&b, &a, DR_PAIRS_POINT_TRIANGLE, &must, &may);
    check_list(DR_PAIRS_TRIANGLE_POINT, false, &must, &may);
    slow_between(&a, &b, DR_PAIRS_EDGE_EDGE, &must, &may);
    ck_assert_int_gt(must.count, 100);
    check_list(DR_PAIRS_EDGE_EDGE, false, &must, &may);
    body_free(&b);
    teardown(&a);
}
END_TEST

// --- Memory ---

START_TEST(settled_searches_leave_the_heap_alone)
{
    watched_heap heap = {.calls_left = 1 << 30};
    drape_allocator hook = {watched_allocate, watched_release, &heap};
    dr_memory_init(&memory, &hook);
    search = (dr_pair_search){0};
    body made = body_of(cloth_accordion(&memory, 40, 40, 6), dr_plan_swept);
    dr_motion motion = motion_of(&made.cloth);
    dr_pool* pool = dr_pool_create(&memory, _i, NULL);
    ck_assert(dr_feature_pairs(&search, &memory, pool, &made.tree, &made.features, NULL));
    heap.allocate_count = heap.release_count = 0;
    for (int i = 0; i < 20; ++i) {
        motion.radius = i % 2 ? 0.15f : 0.1f;
        dr_tree_refit(&made.tree, pool, &motion);
        dr_features_refit(&made.features, &made.tree, pool, &motion);
        ck_assert(dr_feature_pairs(&search, &memory, pool, &made.tree, &made.features, NULL));
    }
    ck_assert_int_eq(heap.allocate_count, 0);
    ck_assert_int_eq(heap.release_count, 0);
    dr_pool_destroy(pool);
    teardown(&made);
}
END_TEST

START_TEST(short_memory_is_reported)
{
    watched_heap heap = {.calls_left = 1 << 30};
    drape_allocator hook = {watched_allocate, watched_release, &heap};
    dr_memory_init(&memory, &hook);
    test_cloth cloth = cloth_grid(&memory, 10, 10);
    dr_tree tree = tree_of(&memory, &cloth, dr_plan_swept, DRAPE_ISA_AUTO);
    size_t before = heap.bytes;
    bool is_done = false;
    for (int calls = 0; !is_done; ++calls) {
        dr_features features;
        heap.calls_left = calls;
        is_done = dr_features_create(&features, &memory, &tree, &cloth.surface);
        if (is_done) {
            dr_features_free(&features, &memory);
        }
        ck_assert_uint_eq(heap.bytes, before);
        ck_assert_int_lt(calls, 100);
    }
    dr_tree_free(&tree, &memory);
    cloth_free(&cloth, &memory);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("feature_pairs");
    tcase_add_loop_test(tests, feature_pairs_are_all_and_once, 0, case_count);
    tcase_add_loop_test(tests, large_meshes_drop_the_same, 0, case_count);
    tcase_add_loop_test(tests, a_small_grid_has_its_count, 0, builder_count);
    tcase_add_loop_test(tests, the_count_of_the_paper, 0, builder_count);
    tcase_add_loop_test(tests, order_is_always_the_same, 0, case_count);
    tcase_add_loop_test(tests, many_tasks_keep_the_order, 0, builder_count);
    tcase_add_loop_test(tests, regions_are_kept_apart, 0, case_count);
    tcase_add_loop_test(tests, meshes_meet_meshes, 0, 2 * builder_count);
    tcase_add_loop_test(tests, settled_searches_leave_the_heap_alone, 1, 5);
    tcase_add_test(tests, short_memory_is_reported);
    Suite* suite = suite_create("feature_pairs");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
