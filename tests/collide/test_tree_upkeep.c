// Upkeep of trees: folds never call for a new tree, drifting parts do, and nothing is lost.
#include "collide/tree_upkeep.h"

#include "tree_test.h"

static dr_memory memory;

static void setup(void)
{
    dr_memory_init(&memory, NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(memory.live_bytes, 0);
}

static const drape_hierarchy hierarchies[] = {DRAPE_HIERARCHY_SWEPT, DRAPE_HIERARCHY_MATERIAL,
                                              DRAPE_HIERARCHY_BOTTOM_UP, DRAPE_HIERARCHY_OCTREE};
enum { HIERARCHY_COUNT = sizeof hierarchies / sizeof hierarchies[0], LOOK = 8 };

// --- Poses of a sheet ---

enum { COLUMNS = 61, POSE_COUNT = 4 };

// Rolled up along x, half an edge between the layers.
static void roll(float* p)
{
    double pitch = 0.5 / (2.0 * 3.14159265), angle = sqrt(2.0 * (p[0] + 3.0) / pitch);
    p[0] = (float)(pitch * angle * dr_cos(angle));
    p[1] = (float)(pitch * angle * dr_sin(angle));
}

// Folded at many planes around the middle: what is beyond one is turned back.
static void crush(float* p)
{
    double x[3] = {p[0] - 30.0, 0.1 * dr_sin(0.3 * p[0]), p[2] - 30.0};
    for (uint32_t fold = 0; fold < 40; ++fold) {
        drape_vec3 n = dr_normalize((drape_vec3){dr_random_signed(11, 4 * fold),
                                                 dr_random_signed(11, 4 * fold + 1),
                                                 dr_random_signed(11, 4 * fold + 2)});
        double beyond = x[0] * n.x + x[1] * n.y + x[2] * n.z - 10.0;
        for (int c = 0; c < 3 && beyond > 0.0; ++c) {
            x[c] -= 2.0 * beyond * (&n.x)[c];
        }
    }
    for (int c = 0; c < 3; ++c) {
        p[c] = (float)x[c];
    }
}

static void pose_sheet(test_cloth* cloth, int pose)
{
    for (int v = 0; v < cloth->mesh.vertex_count; ++v) {
        float* p = cloth->start + 4 * v;
        memcpy(p, &cloth->mesh.rest[v], sizeof(drape_vec3));
        int column = v % COLUMNS, panel = column / 12, j = column % 12;
        switch (pose) {
        case 0: break;
        case 1:
            p[0] = 0.25f * (float)panel;
            p[1] = (float)(panel % 2 ? 11 - j : j);
            break;
        case 2: roll(p); break;
        default: crush(p); break;
        }
        memcpy(cloth->end + 4 * v, p, sizeof(float[4]));
    }
    cloth->radius = 0.15f;
}

// Squares of 4 x 4 cells that share nothing, 12 x 12 of them side by side.
static test_cloth make_confetti(void)
{
    enum { SIDE = 12, VERTICES = SIDE * SIDE * 25, TRIANGLES = SIDE * SIDE * 32 };
    static drape_vec3 rest[VERTICES];
    static int32_t triangles[TRIANGLES][3];
    for (int v = 0; v < VERTICES; ++v) {
        int square = v / 25, i = v % 25;
        rest[v] = (drape_vec3){(float)(square % SIDE) * 4.2f + (float)(i % 5), 0.0f,
                               (float)(square / SIDE) * 4.2f + (float)(i / 5)};
    }
    for (int t = 0; t < TRIANGLES; ++t) {
        int square = t / 32, cell = t % 32 / 2;
        int corner = 25 * square + cell / 4 * 5 + cell % 4;
        triangles[t][0] = corner;
        triangles[t][1] = t % 2 ? corner + 5 : corner + 6;
        triangles[t][2] = t % 2 ? corner + 6 : corner + 1;
    }
    test_cloth cloth = cloth_of(&memory, rest, VERTICES, (const int32_t(*)[3])triangles, TRIANGLES);
    cloth.radius = 0.15f;
    return cloth;
}

// Each square goes its own way, up to `distance` along each axis.
static void drift(test_cloth* cloth, float distance)
{
    for (int v = 0; v < cloth->mesh.vertex_count; ++v) {
        float* p = cloth->start + 4 * v;
        memcpy(p, &cloth->mesh.rest[v], sizeof(drape_vec3));
        for (int c = 0; c < 3; ++c) {
            float share = c == 1 ? 0.3f : 1.0f;
            p[c] += share * distance * dr_random_signed(21, (uint32_t)(3 * (v / 25) + c));
        }
        memcpy(cloth->end + 4 * v, p, sizeof(float[4]));
    }
}

// --- A tree in care ---

typedef struct kept {
    dr_tree tree;
    dr_upkeep upkeep;
} kept;

static kept keep(const test_cloth* cloth, const dr_surface* surface, drape_hierarchy hierarchy)
{
    kept made;
    dr_tree_plan plan = {0};
    ck_assert(dr_plan_builder(hierarchy)(&plan, &memory, surface));
    ck_assert(dr_tree_create(&made.tree, &memory, &plan, surface, DRAPE_ISA_AUTO));
    dr_plan_free(&plan, &memory);
    dr_upkeep_begin(&made.upkeep, hierarchy, &made.tree, surface, NULL, cloth->radius);
    return made;
}

// Refits and looks `calls` times; returns how often the tree was replaced.
static int look(kept* k, const test_cloth* cloth, int calls)
{
    dr_motion motion = motion_of(cloth);
    int replaced = 0;
    for (int i = 0; i < calls; ++i) {
        dr_tree_refit(&k->tree, NULL, &motion);
        replaced += dr_upkeep_look(&k->upkeep, &k->tree, &memory, NULL, &cloth->surface, &motion);
    }
    return replaced;
}

typedef struct found {
    dr_pair* pairs; // sorted
    int count;
    int64_t box_tests;
} found;

static found search(const dr_tree* tree)
{
    dr_pair_search s = {0};
    ck_assert(dr_tree_triangle_pairs(&s, &memory, NULL, tree, NULL));
    found all = {.box_tests = s.box_tests};
    const dr_pair* pairs = dr_pair_search_list(&s, 0, &all.count);
    all.pairs = sorted_pairs(pairs, all.count, true);
    dr_pair_search_free(&s, &memory);
    return all;
}

static void check_same(const found* a, const found* b)
{
    ck_assert_int_eq(a->count, b->count);
    ck_assert_int_gt(a->count, 0);
    ck_assert_mem_eq(a->pairs, b->pairs, sizeof *a->pairs * (size_t)a->count);
}

START_TEST(folds_do_not_call_for_a_new_tree)
{
    test_cloth cloth = cloth_grid(&memory, COLUMNS, COLUMNS);
    kept k = keep(&cloth, &cloth.surface, hierarchies[_i]);
    for (int pose = 0; pose < POSE_COUNT; ++pose) {
        pose_sheet(&cloth, pose);
        ck_assert_int_eq(look(&k, &cloth, 3 * LOOK), 0);
        ck_assert_double_lt(dr_tree_decay(&k.tree), 1.5);
    }
    dr_tree_free(&k.tree, &memory);
    cloth_free(&cloth, &memory);
}
END_TEST

START_TEST(drift_calls_for_a_new_tree_where_places_are_grouped)
{
    bool expected =
        hierarchies[_i] == DRAPE_HIERARCHY_SWEPT || hierarchies[_i] == DRAPE_HIERARCHY_OCTREE;
    test_cloth cloth = make_confetti();
    kept k = keep(&cloth, &cloth.surface, hierarchies[_i]);
    ck_assert_int_eq(look(&k, &cloth, 3 * LOOK), 0);
    drift(&cloth, 20.0f);
    ck_assert_int_eq(look(&k, &cloth, LOOK - 1), 0);
    found before = search(&k.tree);
    ck_assert_int_eq(look(&k, &cloth, 1), expected);
    found after = search(&k.tree);
    check_same(&before, &after);
    if (expected) {
        ck_assert_int_lt(2 * after.box_tests, before.box_tests);
        ck_assert_double_eq_tol(dr_tree_decay(&k.tree), 1.0, 1e-9);
    }
    // What stays where it is asks for no more.
    ck_assert_int_eq(look(&k, &cloth, 3 * LOOK), 0);
    free(before.pairs);
    free(after.pairs);
    dr_tree_free(&k.tree, &memory);
    cloth_free(&cloth, &memory);
}
END_TEST

START_TEST(a_tree_of_a_folded_shape_is_replaced_when_it_unfolds)
{
    test_cloth cloth = cloth_grid(&memory, COLUMNS, COLUMNS);
    pose_sheet(&cloth, 1 + _i);
    drape_vec3* folded = malloc(sizeof *folded * (size_t)cloth.mesh.vertex_count);
    for (int v = 0; v < cloth.mesh.vertex_count; ++v) {
        memcpy(&folded[v], cloth.start + 4 * v, sizeof *folded);
    }
    dr_surface surface = cloth.surface;
    surface.rest = folded;
    kept k = keep(&cloth, &surface, DRAPE_HIERARCHY_SWEPT);
    pose_sheet(&cloth, 0);
    // The first refit to the flat shape is no new standard.
    ck_assert_int_eq(look(&k, &cloth, LOOK), 1);
    ck_assert_int_eq(k.upkeep.rebuild_count, 1);
    for (int pose = 0; pose < POSE_COUNT; ++pose) {
        pose_sheet(&cloth, pose);
        ck_assert_int_eq(look(&k, &cloth, 3 * LOOK), 0);
    }
    dr_tree_free(&k.tree, &memory);
    cloth_free(&cloth, &memory);
    free(folded);
}
END_TEST

START_TEST(regions_are_kept)
{
    test_cloth cloth = make_confetti();
    kept k = keep(&cloth, &cloth.surface, DRAPE_HIERARCHY_SWEPT);
    // Every other square is of region 1, which touches region 0 alone.
    uint8_t* region = calloc((size_t)cloth.mesh.triangle_count, 1);
    for (int t = 0; t < cloth.mesh.triangle_count; ++t) {
        region[t] = (uint8_t)(t / 32 % 2);
    }
    ck_assert(dr_tree_set_regions(&k.tree, &memory, region, (uint32_t[32]){3, 1}));
    drift(&cloth, 20.0f);
    ck_assert_int_eq(look(&k, &cloth, LOOK - 1), 0);
    found before = search(&k.tree);
    ck_assert_int_eq(look(&k, &cloth, 1), 1);
    found after = search(&k.tree);
    check_same(&before, &after);
    for (int i = 0; i < after.count; ++i) {
        ck_assert(!region[after.pairs[i].a] || !region[after.pairs[i].b]);
    }
    free(before.pairs);
    free(after.pairs);
    free(region);
    dr_tree_free(&k.tree, &memory);
    cloth_free(&cloth, &memory);
}
END_TEST

START_TEST(a_new_tree_that_is_no_better_is_tried_less_and_less)
{
    test_cloth cloth = cloth_grid(&memory, 20, 20);
    kept k = keep(&cloth, &cloth.surface, DRAPE_HIERARCHY_SWEPT);
    // As if it had once been ten times better than any tree can be.
    k.tree.grouping /= 10.0;
    int tries = 0;
    for (int i = 0; i < 10; ++i) {
        int64_t calls = memory.call_count;
        ck_assert_int_eq(look(&k, &cloth, LOOK), 0);
        tries += memory.call_count > calls;
    }
    // At the limits 2, 4 and 8.
    ck_assert_int_eq(tries, 3);
    dr_tree_free(&k.tree, &memory);
    cloth_free(&cloth, &memory);
}
END_TEST

START_TEST(short_memory_leaves_the_old_tree)
{
    test_cloth cloth = make_confetti();
    int replaced = 0, calls = 0;
    while (!replaced) {
        ck_assert_int_lt(calls, 300);
        kept k = keep(&cloth, &cloth.surface, DRAPE_HIERARCHY_OCTREE);
        uint8_t* region = calloc((size_t)cloth.mesh.triangle_count, 1);
        ck_assert(dr_tree_set_regions(&k.tree, &memory, region, (uint32_t[32]){1}));
        drift(&cloth, 20.0f);
        ck_assert_int_eq(look(&k, &cloth, LOOK - 1), 0);
        size_t bytes = memory.live_bytes;
        watched_heap heap = {.calls_left = calls++};
        drape_allocator usual = memory.hook;
        memory.hook = (drape_allocator){watched_allocate, watched_release, &heap};
        replaced = look(&k, &cloth, 1);
        memory.hook = usual;
        if (!replaced) {
            ck_assert_uint_eq(memory.live_bytes, bytes);
            ck_assert_int_eq(heap.allocate_count, heap.release_count);
            ck_assert_int_eq(k.tree.triangle_count, cloth.mesh.triangle_count);
        }
        dr_tree_free(&k.tree, &memory);
        free(region);
    }
    cloth_free(&cloth, &memory);
}
END_TEST

START_TEST(empty_trees_are_left_alone)
{
    test_cloth cloth = cloth_grid(&memory, 2, 2);
    dr_surface none = cloth.surface;
    none.triangle_count = 0;
    kept k = keep(&cloth, &none, hierarchies[_i]);
    dr_motion motion = motion_of(&cloth);
    for (int i = 0; i < 2 * LOOK; ++i) {
        ck_assert(!dr_upkeep_look(&k.upkeep, &k.tree, &memory, NULL, &none, &motion));
    }
    dr_tree_free(&k.tree, &memory);
    cloth_free(&cloth, &memory);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("tree_upkeep");
    TCase* tests = tcase_create("upkeep");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, folds_do_not_call_for_a_new_tree, 0, HIERARCHY_COUNT);
    tcase_add_loop_test(tests, drift_calls_for_a_new_tree_where_places_are_grouped, 0,
                        HIERARCHY_COUNT);
    tcase_add_loop_test(tests, a_tree_of_a_folded_shape_is_replaced_when_it_unfolds, 0,
                        POSE_COUNT - 1);
    tcase_add_test(tests, regions_are_kept);
    tcase_add_test(tests, a_new_tree_that_is_no_better_is_tried_less_and_less);
    tcase_add_test(tests, short_memory_leaves_the_old_tree);
    tcase_add_loop_test(tests, empty_trees_are_left_alone, 0, HIERARCHY_COUNT);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
