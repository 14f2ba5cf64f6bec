// Builders of trees: every triangle once, and the shape that each of them promises.
#include "tree_build_test.h"

// --- All builders ---

static dr_plan_fn* const builders[] = {dr_plan_material, dr_plan_bottom_up, dr_plan_octree};
enum { BUILDER_COUNT = sizeof builders / sizeof builders[0] };

static void check_child_count(walk* w, int32_t node, int begin, int depth)
{
    int count = node_at(w->plan, node)->child_count;
    ck_assert_int_le(count, DR_TREE_ARITY);
    ck_assert_int_ge(count, w->on->mesh.triangle_count == 1 ? 1 : 2);
    (void)begin;
    (void)depth;
}

START_TEST(every_triangle_is_there_once)
{
    sheet on = make_numbered(_i);
    for (int b = 0; b < BUILDER_COUNT; ++b) {
        dr_tree_plan plan = build(builders[b], &on.surface);
        int height = walk_all(&plan, &on, check_child_count);
        ck_assert_int_le(height, 112);
        dr_plan_free(&plan, &memory);
    }
    free_sheet(&on);
}
END_TEST

static void check_contains(const dr_tree* tree, const dr_surface* surface, int node)
{
    drape_vec3 lo, hi;
    dr_tree_box(tree, node, &lo, &hi);
    int end = tree->nodes[tree->nodes[node].end].first;
    for (int place = tree->nodes[node].first; place < end; ++place) {
        for (int k = 0; k < 3; ++k) {
            drape_vec3 p = surface->rest[surface->triangles[tree->triangle_of_place[place]][k]];
            ck_assert(p.x >= lo.x && p.y >= lo.y && p.z >= lo.z);
            ck_assert(p.x <= hi.x && p.y <= hi.y && p.z <= hi.z);
        }
    }
}

START_TEST(boxes_contain_their_triangles)
{
    sheet on = make_numbered(_i);
    for (int b = 0; b < BUILDER_COUNT; ++b) {
        dr_tree_plan plan = build(builders[b], &on.surface);
        dr_tree tree;
        ck_assert(dr_tree_create(&tree, &memory, &plan, &on.surface, DRAPE_ISA_AUTO));
        ck_assert_int_eq(tree.triangle_count, on.mesh.triangle_count);
        dr_tree_refit(&tree, NULL, &(dr_motion){.start = &on.mesh.rest->x, .stride = 3});
        for (int n = 0; n < tree.node_count; ++n) {
            check_contains(&tree, &on.surface, n);
        }
        dr_tree_free(&tree, &memory);
        dr_plan_free(&plan, &memory);
    }
    free_sheet(&on);
}
END_TEST

START_TEST(plans_do_not_depend_on_memory)
{
    sheet on = make_numbered(_i);
    for (int b = 0; b < BUILDER_COUNT; ++b) {
        dr_tree_plan first = build(builders[b], &on.surface);
        dr_tree_plan second = build(builders[b], &on.surface);
        ck_assert_int_eq(first.nodes.count, second.nodes.count);
        for (int n = 0; n < first.nodes.count; ++n) {
            const dr_plan_node *a = node_at(&first, n), *c = node_at(&second, n);
            ck_assert_int_eq(a->child_count, c->child_count);
            ck_assert_mem_eq(a->child, c->child, sizeof a->child[0] * (size_t)a->child_count);
        }
        dr_plan_free(&first, &memory);
        dr_plan_free(&second, &memory);
    }
    free_sheet(&on);
}
END_TEST

// Runs a builder with one more block of memory each time, until it succeeds.
static void check_short_memory(dr_plan_fn* function, const dr_surface* surface)
{
    for (int calls = 0; calls < 200; ++calls) {
        watched_heap heap = {.calls_left = calls};
        dr_memory short_memory;
        dr_memory_init(&short_memory, &(drape_allocator){watched_allocate, watched_release, &heap});
        dr_tree_plan plan = {0};
        bool built = function(&plan, &short_memory, surface);
        dr_plan_free(&plan, &short_memory);
        ck_assert_uint_eq(heap.bytes, 0);
        ck_assert_int_eq(heap.allocate_count, heap.release_count);
        if (built) {
            return;
        }
    }
    ck_abort_msg("never enough memory");
}

START_TEST(short_memory_leaks_nothing)
{
    sheet on = make_numbered(_i);
    for (int b = 0; b < BUILDER_COUNT; ++b) {
        check_short_memory(builders[b], &on.surface);
    }
    free_sheet(&on);
}
END_TEST

// --- Material ---

static float point_coordinate(const dr_surface* surface, int32_t t, int axis)
{
    drape_vec3 p = dr_surface_centroid(surface, t);
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// Least and greatest coordinate of the centroids of a range of the list.
static void find_bounds(const walk* w, int begin, int end, float lo[3], float hi[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
        for (int i = begin; i < end; ++i) {
            float x = point_coordinate(&w->on->surface, w->list[i], axis);
            lo[axis] = fminf(lo[axis], x);
            hi[axis] = fmaxf(hi[axis], x);
        }
    }
}

static void check_halves(walk* w, int32_t node, int begin, int depth)
{
    (void)node;
    (void)depth;
    int count = w->count - begin, half = (count + 1) / 2;
    float lo[3], hi[3], lower_lo[3], lower_hi[3], upper_lo[3], upper_hi[3];
    find_bounds(w, begin, w->count, lo, hi);
    find_bounds(w, begin, begin + half, lower_lo, lower_hi);
    find_bounds(w, begin + half, w->count, upper_lo, upper_hi);
    int longest = 0;
    for (int axis = 1; axis < 3; ++axis) {
        longest = hi[axis] - lo[axis] > hi[longest] - lo[longest] ? axis : longest;
    }
    ck_assert(count < 2 || lower_hi[longest] <= upper_lo[longest]);
}

START_TEST(material_halves_along_the_longer_side)
{
    sheet on = make_numbered(_i);
    dr_tree_plan plan = build(dr_plan_material, &on.surface);
    int height = walk_all(&plan, &on, check_halves);
    if (on.mesh.triangle_count > 1) {
        ck_assert_int_eq(height, log2_ceil(on.mesh.triangle_count));
    }
    dr_plan_free(&plan, &memory);
    free_sheet(&on);
}
END_TEST

static int grid_columns;

// The triangles below a node fill a rectangle of cells, not too long a one.
static void check_rectangle(walk* w, int32_t node, int begin, int depth)
{
    (void)node;
    (void)depth;
    int lo[2] = {1 << 30, 1 << 30}, hi[2] = {-1, -1};
    for (int i = begin; i < w->count; ++i) {
        int cell = w->list[i] / 2;
        int at[2] = {cell % (grid_columns - 1), cell / (grid_columns - 1)};
        for (int axis = 0; axis < 2; ++axis) {
            lo[axis] = at[axis] < lo[axis] ? at[axis] : lo[axis];
            hi[axis] = at[axis] > hi[axis] ? at[axis] : hi[axis];
        }
    }
    ck_assert_int_eq(w->count - begin, 2 * (hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1));
}

START_TEST(grids_are_halved_by_cells)
{
    static const int sizes[][2] = {{2, 2}, {33, 33}, {24, 41}, {3, 300}, {2, 1}, {50, 2}};
    int columns = sizes[_i][0], rows = sizes[_i][1];
    sheet on = make_grid(columns, rows, 0.0f);
    dr_tree_plan plan = {0};
    ck_assert(dr_plan_grid(&plan, &memory, &on.surface, columns, rows));
    grid_columns = columns;
    int height = walk_all(&plan, &on, check_rectangle);
    ck_assert_int_le(height, log2_ceil(on.mesh.triangle_count) + 1);
    dr_plan_free(&plan, &memory);
    free_sheet(&on);
}
END_TEST

// --- Octree ---

// Children of a node that was split lie in octants of their own, around the middle of all.
static void check_octants(walk* w, int32_t number, int begin, int depth)
{
    const dr_plan_node* node = node_at(w->plan, number);
    int count = w->count - begin;
    float lo[3], hi[3];
    find_bounds(w, begin, w->count, lo, hi);
    bool coincide = !(lo[0] < hi[0]) && !(lo[1] < hi[1]) && !(lo[2] < hi[2]);
    if (count < 8 || depth >= 16 || coincide) {
        // Stopped: at most eight together, and no more levels than families of eight need.
        ck_assert_int_le(node->child_count, count);
        ck_assert(count > 8 || node->child_count == count);
        return;
    }
    int octant_of[2 * 4096], octants = 0;
    for (int i = begin; i < w->count; ++i) {
        int octant = 0;
        for (int axis = 0; axis < 3; ++axis) {
            float x = point_coordinate(&w->on->surface, w->list[i], axis);
            float middle = 0.5f * lo[axis] + 0.5f * hi[axis];
            octant |= (x > (middle < hi[axis] ? middle : lo[axis])) << axis;
        }
        octant_of[i] = octant;
        octants |= 1 << octant;
    }
    // Octants come in ascending order, and there are as many children as octants.
    for (int i = begin + 1; i < w->count; ++i) {
        ck_assert_int_ge(octant_of[i], octant_of[i - 1]);
    }
    ck_assert_int_eq(node->child_count, __builtin_popcount((unsigned)octants));
}

START_TEST(octants_are_split_at_the_middle)
{
    sheet on = make_numbered(_i);
    dr_tree_plan plan = build(dr_plan_octree, &on.surface);
    int height = walk_all(&plan, &on, check_octants);
    ck_assert_int_le(height, 16 + log2_ceil(on.mesh.triangle_count) / 3 + 1);
    dr_plan_free(&plan, &memory);
    free_sheet(&on);
}
END_TEST

START_TEST(octrees_stop_where_points_coincide)
{
    static const int counts[][2] = {{2, 1}, {8, 1}, {9, 2}, {64, 2}, {65, 3}, {512, 3}, {513, 4}};
    for (int i = 0; i < 7; ++i) {
        sheet on = make_points(counts[i][0], 0.0f);
        dr_tree_plan plan = build(dr_plan_octree, &on.surface);
        ck_assert_int_eq(walk_all(&plan, &on, check_octants), counts[i][1]);
        dr_plan_free(&plan, &memory);
        free_sheet(&on);
    }
}
END_TEST

START_TEST(octrees_stop_at_depth_sixteen)
{
    // Each split parts the outermost point from all others.
    for (int t = 0; t < 60; ++t) {
        positions[t] = (drape_vec3){ldexpf(1.0f, -t), 0.0f, 0.0f};
        set_triangle(t, t, t, t);
    }
    sheet on = make_sheet(positions, 60, triangles, 60);
    dr_tree_plan plan = build(dr_plan_octree, &on.surface);
    // 16 splits leave 44 points, two levels of families.
    ck_assert_int_eq(walk_all(&plan, &on, check_octants), 18);
    dr_plan_free(&plan, &memory);
    free_sheet(&on);
}
END_TEST

START_TEST(octrees_part_neighbouring_floats)
{
    float near = nextafterf(1.0f, 2.0f);
    for (int t = 0; t < 16; ++t) {
        positions[t] = (drape_vec3){t % 2 ? near : 1.0f, -1.0f, t % 4 < 2 ? 0.0f : 1e-45f};
        set_triangle(t, t, t, t);
    }
    sheet on = make_sheet(positions, 16, triangles, 16);
    // The centroid of three equal corners is rounded; the triangles need not part then, but the
    // tree must end.
    dr_tree_plan plan = build(dr_plan_octree, &on.surface);
    ck_assert_int_le(walk_all(&plan, &on, check_octants), 2);
    dr_plan_free(&plan, &memory);
    free_sheet(&on);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("tree_build");
    TCase* tests = tcase_create("plans");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, every_triangle_is_there_once, 0, SHEET_COUNT);
    tcase_add_loop_test(tests, boxes_contain_their_triangles, 0, SHEET_COUNT);
    tcase_add_loop_test(tests, plans_do_not_depend_on_memory, 0, SHEET_COUNT);
    tcase_add_loop_test(tests, short_memory_leaks_nothing, 0, SHEET_COUNT);
    tcase_add_loop_test(tests, material_halves_along_the_longer_side, 0, SHEET_COUNT);
    tcase_add_loop_test(tests, grids_are_halved_by_cells, 0, 6);
    tcase_add_loop_test(tests, octants_are_split_at_the_middle, 0, SHEET_COUNT);
    tcase_add_test(tests, octrees_stop_where_points_coincide);
    tcase_add_test(tests, octrees_stop_at_depth_sixteen);
    tcase_add_test(tests, octrees_part_neighbouring_floats);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
