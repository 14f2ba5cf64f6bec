// Trees hold every triangle once, and boxes contain what they must.
#include "tree_case_test.h"

static float reach_at(int node, int row, int lane)
{
    return tree.reach[((size_t)node * 6 + (size_t)row) * (size_t)tree.width + (size_t)lane];
}

START_TEST(every_triangle_has_one_place)
{
    set_case(_i);
    ck_assert_int_eq(tree.triangle_count, cloth.mesh.triangle_count);
    uint8_t* seen = calloc((size_t)tree.triangle_count, 1);
    for (int p = 0; p < tree.triangle_count; ++p) {
        int32_t triangle = tree.triangle_of_place[p];
        ck_assert_int_eq(seen[triangle]++, 0);
        for (int k = 0; k < 3; ++k) {
            ck_assert_int_eq(tree.corner[k][p], cloth.mesh.triangles[triangle][k]);
        }
    }
    free(seen);
    clear_case();
}
END_TEST

// Children follow one another, and fill the range of nodes and of places that the node says.
START_TEST(nodes_are_depth_first)
{
    set_case(_i);
    int leaves = 0;
    for (int n = 0; n < tree.node_count; ++n) {
        const dr_tree_node* node = &tree.nodes[n];
        int next = n + 1, place = node->first;
        ck_assert_int_ge(node->child_count, 1);
        ck_assert_int_le(node->child_count, tree.width);
        for (int i = 0; i < node->child_count; ++i) {
            int32_t child = tree.child[n * tree.width + i];
            ck_assert_int_eq(child, node->is_leaf ? place : next);
            next = node->is_leaf ? next : tree.nodes[child].end;
            place += node->is_leaf ? 1 : dr_tree_below(&tree, child);
        }
        ck_assert_int_eq(node->end, next);
        ck_assert_int_eq(tree.nodes[next].first, place);
        leaves += node->is_leaf;
    }
    ck_assert_int_ge(leaves * tree.width, tree.triangle_count);
    clear_case();
}
END_TEST

// The box of each triangle, and of each node above it, contains its inflated vertices exactly.
START_TEST(boxes_contain_what_they_must)
{
    set_case(_i);
    for (int n = 0; n < tree.node_count; ++n) {
        for (int place = tree.nodes[n].first; place < tree.nodes[tree.nodes[n].end].first;
             ++place) {
            int32_t triangle = tree.triangle_of_place[place];
            test_box box = box_of(&cloth, cloth.mesh.triangles[triangle], 3);
            int lane = 0;
            while (lane + 1 < tree.nodes[n].child_count &&
                   (tree.nodes[n].is_leaf
                        ? tree.child[n * tree.width + lane] < place
                        : tree.nodes[tree.child[n * tree.width + lane + 1]].first <= place)) {
                ++lane;
            }
            for (int c = 0; c < 3; ++c) {
                ck_assert_float_le(-reach_at(n, c, lane), box.lo[c]);
                ck_assert_float_ge(reach_at(n, c + 3, lane), box.hi[c]);
            }
        }
    }
    clear_case();
}
END_TEST

// And no more: without a radius the boxes of triangles are those of their corners.
START_TEST(boxes_are_tight)
{
    set_case(_i);
    for (int n = 0; n < tree.node_count; ++n) {
        for (int i = 0; tree.nodes[n].is_leaf && i < tree.nodes[n].child_count; ++i) {
            int32_t triangle = tree.triangle_of_place[tree.nodes[n].first + i];
            test_box box = box_of(&cloth, cloth.mesh.triangles[triangle], 3);
            test_box wide = cloth.radius > 0.0f ? widened(box) : box;
            for (int c = 0; c < 3; ++c) {
                ck_assert_float_ge(-reach_at(n, c, i), wide.lo[c]);
                ck_assert_float_le(reach_at(n, c + 3, i), wide.hi[c]);
            }
        }
    }
    drape_vec3 lo, hi;
    dr_tree_box(&tree, 0, &lo, &hi);
    ck_assert_float_eq(lo.x, -tree.root[0]);
    ck_assert_float_eq(hi.z, tree.root[5]);
    clear_case();
}
END_TEST

// Any instruction set, stride and pool gives the same bits.
START_TEST(refits_agree)
{
    set_case(_i);
    size_t count = (size_t)tree.node_count * 6 * (size_t)tree.width;
    float *first = malloc(sizeof *first * count), *packed[2];
    memcpy(first, tree.reach, sizeof *first * count);
    const float* from[2] = {cloth.start, cloth.end};
    for (int k = 0; k < 2; ++k) {
        packed[k] = malloc(sizeof(float[3]) * (size_t)cloth.mesh.vertex_count);
        for (int i = 0; i < 3 * cloth.mesh.vertex_count; ++i) {
            packed[k][i] = from[k][i / 3 * 4 + i % 3];
        }
    }
    dr_pool* pool = dr_pool_create(&memory, 3, NULL);
    for (int isa = DRAPE_ISA_PLAIN; isa <= DRAPE_ISA_WASM; ++isa) {
        dr_motion motions[2] = {motion_of(&cloth), {packed[0], packed[1], 3, cloth.radius}};
        if (!dr_isa_available((drape_isa)isa)) {
            continue;
        }
        tree.isa = (drape_isa)isa;
        for (int k = 0; k < 2; ++k) {
            for (size_t i = 0; i < count; ++i) {
                tree.reach[i] = i % (size_t)tree.width ? first[i] : 0.0f;
            }
            dr_tree_refit(&tree, k ? pool : NULL, &motions[k]);
            ck_assert_mem_eq(tree.reach, first, sizeof *first * count);
        }
    }
    dr_pool_destroy(pool);
    free(packed[0]);
    free(packed[1]);
    free(first);
    clear_case();
}
END_TEST

// --- Rounding ---

// A point at any scale: the inflated box holds p + r and p - r, in exact arithmetic.
START_TEST(inflation_rounds_outwards)
{
    dr_memory_init(&memory, NULL);
    for (uint32_t i = 0; i < 20000; ++i) {
        const int32_t triangles[1][3] = {{0, 1, 2}};
        int exponent = (int)(dr_random_u32(1, i) % 260) - 150;
        float p = ldexpf(dr_random_signed(2, i), exponent < 120 ? exponent : 120);
        float r = ldexpf(dr_random_unit(3, i), exponent + (int)(dr_random_u32(4, i) % 60) - 30);
        float points[12] = {p, -p, p, 0, p, -p, p, 0, p, -p, p, 0};
        drape_vec3 rest[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, lo, hi;
        dr_surface surface = {
            .vertex_count = 3, .triangle_count = 1, .triangles = triangles, .rest = rest};
        dr_tree_plan plan = {0};
        dr_motion motion = {points, NULL, 4, r};
        ck_assert(dr_plan_swept(&plan, &memory, &surface));
        ck_assert(dr_tree_create(&tree, &memory, &plan, &surface, DRAPE_ISA_AUTO));
        dr_tree_refit(&tree, NULL, &motion);
        dr_tree_box(&tree, 0, &lo, &hi);
        // A double holds the sum of two floats unless they are far apart: compare the parts.
        ck_assert((double)lo.x + r <= p || (double)p - lo.x >= r);
        ck_assert((double)hi.x - p >= r && p - (double)lo.x >= r);
        ck_assert((double)hi.y + p >= r && -p - (double)lo.y >= r);
        dr_plan_free(&plan, &memory);
        dr_tree_free(&tree, &memory);
    }
}
END_TEST

// --- Plans ---

static bool create_from(const dr_plan_node* nodes, int count, int32_t root)
{
    dr_tree_plan plan = {{(void*)nodes, count, count}, root};
    bool is_made = dr_tree_create(&tree, &memory, &plan, &cloth.surface, DRAPE_ISA_AUTO);
    if (is_made) {
        dr_tree_free(&tree, &memory);
    }
    return is_made;
}

START_TEST(plans_that_are_no_trees_are_refused)
{
    dr_memory_init(&memory, NULL);
    cloth = cloth_grid(&memory, 3, 3);
    size_t before = memory.live_bytes;
    dr_plan_node good[2] = {{{~0, ~1, 1}, 3}, {{~2, ~3}, 2}};
    dr_plan_node twice[2] = {{{~0, ~1, 1}, 3}, {{~2, ~0}, 2}};
    dr_plan_node loop[2] = {{{~0, ~1, 1}, 3}, {{~2, 0}, 2}};
    dr_plan_node beyond[2] = {{{~0, ~1, 1}, 3}, {{~2, ~8}, 2}};
    dr_plan_node missing[1] = {{{~0, 7}, 2}};
    dr_plan_node wide[1] = {{{~0, ~1}, 9}};
    dr_plan_node alone[1] = {{{0}, 1}};
    ck_assert(create_from(good, 2, 0));
    ck_assert(create_from(good, 2, 1));
    ck_assert(create_from(NULL, 0, ~5));
    ck_assert(create_from(NULL, 0, 0));
    ck_assert(!create_from(twice, 2, 0));
    ck_assert(!create_from(loop, 2, 0));
    ck_assert(!create_from(beyond, 2, 0));
    ck_assert(!create_from(missing, 1, 0));
    ck_assert(!create_from(wide, 1, 0));
    ck_assert(!create_from(alone, 1, 0));
    ck_assert(!create_from(good, 2, 2));
    ck_assert_uint_eq(memory.live_bytes, before);
    cloth_free(&cloth, &memory);
}
END_TEST

// A chain of n nodes holds up to the greatest depth.
START_TEST(plans_too_deep_are_refused)
{
    dr_memory_init(&memory, NULL);
    cloth = cloth_grid(&memory, 20, 20);
    for (int depth = DR_TREE_DEPTH - 2; depth <= DR_TREE_DEPTH + 1; ++depth) {
        dr_plan_node* chain = calloc((size_t)depth, sizeof *chain);
        for (int i = 0; i < depth; ++i) {
            chain[i] = (dr_plan_node){{~i, i + 1 < depth ? i + 1 : ~depth}, 2};
        }
        ck_assert_int_eq(create_from(chain, depth, 0), depth <= DR_TREE_DEPTH);
        free(chain);
    }
    cloth_free(&cloth, &memory);
}
END_TEST

START_TEST(short_memory_is_reported)
{
    watched_heap heap = {.calls_left = 1 << 30};
    drape_allocator hook = {watched_allocate, watched_release, &heap};
    dr_memory_init(&memory, &hook);
    cloth = cloth_grid(&memory, 10, 10);
    size_t before = heap.bytes;
    bool is_done = false;
    for (int calls = 0; !is_done; ++calls) {
        dr_tree_plan plan = {0};
        heap.calls_left = calls;
        is_done = dr_plan_swept(&plan, &memory, &cloth.surface) &&
                  dr_tree_create(&tree, &memory, &plan, &cloth.surface, DRAPE_ISA_AUTO);
        dr_plan_free(&plan, &memory);
        if (is_done) {
            dr_tree_free(&tree, &memory);
        }
        ck_assert_uint_eq(heap.bytes, before);
        ck_assert_int_lt(calls, 100);
    }
    cloth_free(&cloth, &memory);
}
END_TEST

// --- Decay ---

// Small triangles at the places of a grid, taken in steps of `step`.
static void scatter(drape_vec3* points, int count, int step)
{
    for (int t = 0; t < count; ++t) {
        int place = t * step % count;
        drape_vec3 at = {(float)(place % 30), 0.0f, (float)(place / 30)};
        points[3 * t] = at;
        points[3 * t + 1] = dr_add(at, (drape_vec3){0.5f, 0.1f, 0.0f});
        points[3 * t + 2] = dr_add(at, (drape_vec3){0.0f, 0.1f, 0.5f});
    }
}

static void refit_to(const drape_vec3* points, float radius)
{
    dr_motion motion = {&points[0].x, NULL, 3, radius};
    dr_tree_refit(&tree, NULL, &motion);
}

START_TEST(decay_grows_when_groups_fall_apart)
{
    enum { count = 900 };
    static drape_vec3 points[3 * count];
    static int32_t triangles[count][3];
    dr_memory_init(&memory, NULL);
    for (int i = 0; i < 3 * count; ++i) {
        triangles[i / 3][i % 3] = i;
    }
    scatter(points, count, 1);
    cloth = cloth_of(&memory, points, 3 * count, (const int32_t(*)[3])triangles, count);
    tree = tree_of(&memory, &cloth, dr_plan_swept, DRAPE_ISA_AUTO);
    refit_to(points, 0.01f);
    ck_assert_double_eq(dr_tree_decay(&tree), 1.0);
    // Larger is not worse.
    for (int i = 0; i < 3 * count; ++i) {
        points[i] = dr_scale(points[i], 4.0f);
    }
    refit_to(points, 0.04f);
    ck_assert_double_eq_tol(dr_tree_decay(&tree), 1.0, 1e-4);
    // Neighbours are strewn all over the place.
    scatter(points, count, 389);
    refit_to(points, 0.01f);
    ck_assert_double_gt(dr_tree_decay(&tree), 4.0);
    clear_case();
}
END_TEST

// --- Extras ---

// In doubles; zero for a triangle of no area.
static void normal_of(int triangle, double normal[3])
{
    double u[3], v[3], length;
    for (int c = 0; c < 3; ++c) {
        const int32_t* t = cloth.mesh.triangles[triangle];
        u[c] = (double)cloth.start[4 * t[1] + c] - cloth.start[4 * t[0] + c];
        v[c] = (double)cloth.start[4 * t[2] + c] - cloth.start[4 * t[0] + c];
    }
    for (int c = 0; c < 3; ++c) {
        normal[c] = u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3];
    }
    length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int c = 0; c < 3; ++c) {
        normal[c] = length > 0.0 ? normal[c] / length : 0.0;
    }
}

// The least dot product of a vector with the normals below a node; 2 when there are none.
static double least_dot(int node, drape_vec3 vector)
{
    double least = 2.0, normal[3];
    for (int p = tree.nodes[node].first; p < tree.nodes[tree.nodes[node].end].first; ++p) {
        normal_of(tree.triangle_of_place[p], normal);
        if (normal[0] != 0.0 || normal[1] != 0.0 || normal[2] != 0.0) {
            least = fmin(least, normal[0] * vector.x + normal[1] * vector.y + normal[2] * vector.z);
        }
    }
    return least;
}

// A bit is set only where every normal agrees, and where all agree clearly it is set.
START_TEST(direction_masks_tell_the_truth)
{
    set_case(_i);
    ck_assert(dr_tree_refit_directions(&tree, &memory, cloth.start, 4));
    for (int n = 0; n < tree.node_count; ++n) {
        for (int k = 0; k < DR_TREE_DIRECTION_COUNT; ++k) {
            double least = least_dot(n, dr_tree_direction(k));
            bool is_set = tree.directions[n] >> k & 1;
            ck_assert(!is_set || least > 0.02 - 1e-7);
            ck_assert(is_set || least < 0.02 + 1e-7);
        }
    }
    clear_case();
}
END_TEST

START_TEST(cones_hold_their_normals)
{
    set_case(_i);
    ck_assert(dr_tree_refit_cones(&tree, &memory, cloth.start, 4));
    for (int n = 0; n < tree.node_count; ++n) {
        dr_cone cone = tree.cones[n];
        ck_assert_double_ge(least_dot(n, cone.axis), cone.cosine - 1e-7);
        if (_i / builder_count == test_flat) {
            ck_assert(dr_cone_is_positive(cone));
            ck_assert_float_gt(cone.cosine, 0.9999f);
        }
    }
    clear_case();
}
END_TEST

START_TEST(cones_merge_tightly)
{
    for (uint32_t i = 0; i < 2000; ++i) {
        dr_cone part[2];
        for (uint32_t k = 0; k < 2; ++k) {
            uint32_t seed = 8 * i + 4 * k;
            drape_vec3 axis = {dr_random_signed(1, seed), dr_random_signed(1, seed + 1),
                               dr_random_signed(1, seed + 2)};
            double angle = 1.5 * dr_random_unit(1, seed + 3);
            part[k] = (dr_cone){dr_normalize(axis), (float)cos(angle), (float)sin(angle)};
        }
        dr_cone both = dr_cone_merge(part[0], part[1]);
        double angle = acos(fmin(1.0, both.cosine)), most = 0.0;
        for (int k = 0; k < 2; ++k) {
            double off = acos(fmin(1.0, fmax(-1.0, dr_dot(both.axis, part[k].axis))));
            most = fmax(most, off + acos(part[k].cosine));
        }
        // It holds both, and touches the outer side of one.
        ck_assert_double_ge(angle, fmin(most, 3.14159) - 2e-3);
        ck_assert_double_le(angle, 3.1416);
        ck_assert(both.cosine <= -1.0f || angle <= most + 2e-3);
    }
}
END_TEST

START_TEST(regions_of_nodes_are_those_below)
{
    set_case(_i);
    uint8_t* region = malloc((size_t)cloth.mesh.triangle_count);
    uint32_t allow[32];
    for (int t = 0; t < cloth.mesh.triangle_count; ++t) {
        region[t] = (uint8_t)(dr_random_u32(1, (uint32_t)(t / 8)) & 31);
    }
    for (uint32_t r = 0; r < 32; ++r) {
        allow[r] = 1u << (31 - r);
    }
    ck_assert(dr_tree_set_regions(&tree, &memory, region, allow));
    for (int n = 0; n < tree.node_count; ++n) {
        uint32_t present = 0, wanted = 0;
        for (int p = tree.nodes[n].first; p < tree.nodes[tree.nodes[n].end].first; ++p) {
            present |= 1u << region[tree.triangle_of_place[p]];
            wanted |= allow[region[tree.triangle_of_place[p]]];
        }
        ck_assert_uint_eq(tree.present[n], present);
        ck_assert_uint_eq(tree.wanted[n], wanted);
    }
    free(region);
    clear_case();
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("tree_refit");
    tcase_add_loop_test(tests, every_triangle_has_one_place, 0, case_count);
    tcase_add_loop_test(tests, nodes_are_depth_first, 0, case_count);
    tcase_add_loop_test(tests, boxes_contain_what_they_must, 0, case_count);
    tcase_add_loop_test(tests, boxes_are_tight, 0, case_count);
    tcase_add_loop_test(tests, refits_agree, 0, case_count);
    tcase_add_test(tests, inflation_rounds_outwards);
    tcase_add_test(tests, plans_that_are_no_trees_are_refused);
    tcase_add_test(tests, plans_too_deep_are_refused);
    tcase_add_test(tests, short_memory_is_reported);
    tcase_add_test(tests, decay_grows_when_groups_fall_apart);
    tcase_add_loop_test(tests, direction_masks_tell_the_truth, 0, case_count);
    tcase_add_loop_test(tests, cones_hold_their_normals, 0, case_count);
    tcase_add_test(tests, cones_merge_tightly);
    tcase_add_loop_test(tests, regions_of_nodes_are_those_below, 0, case_count);
    Suite* suite = suite_create("tree_refit");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
