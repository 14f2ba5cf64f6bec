// The bottom-up builder: connected patches, the same as by the slow method, and never slow itself.
#include "tree_build_test.h"

static bool share_edge(const dr_mesh* mesh, int32_t s, int32_t t)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            int32_t edge = mesh->triangle_edges[3 * s + i];
            if (edge >= 0 && edge == mesh->triangle_edges[3 * t + k]) {
                return true;
            }
        }
    }
    return false;
}

// Counts the nodes that are not connected over edges, by flooding each from its first triangle.
static void count_unconnected(walk* w, int32_t node, int begin, int depth)
{
    static int32_t stack[2 * 4096];
    static uint8_t reached[2 * 4096];
    (void)node;
    (void)depth;
    memset(reached, 0, sizeof reached);
    const dr_mesh* mesh = &w->on->mesh;
    int stacked = 0, found = 1;
    stack[stacked++] = w->list[begin];
    reached[w->list[begin]] = 1;
    while (stacked > 0) {
        int32_t t = stack[--stacked];
        for (int k = 0; k < 3; ++k) {
            int32_t v = mesh->triangles[t][k];
            for (int32_t i = mesh->vertex_triangle_start[v]; i < mesh->vertex_triangle_start[v + 1];
                 ++i) {
                int32_t other = mesh->vertex_triangle_list[i];
                if (w->place[other] >= begin && !reached[other] && share_edge(mesh, t, other)) {
                    reached[other] = 1;
                    stack[stacked++] = other;
                    ++found;
                }
            }
        }
    }
    w->tally += found < w->count - begin;
}

START_TEST(patches_are_connected)
{
    // One of each kind, with the number of its parts over edges.
    static const int sheets[][2] = {{0, 1},  {1, 1},  {2, 1},     {3, 1},    {6, 700}, {7, 500},
                                    {10, 1}, {11, 1}, {12, 1000}, {13, 100}, {14, 2}};
    sheet on = make_numbered(sheets[_i][0]);
    dr_tree_plan plan = build(dr_plan_bottom_up, &on.surface);
    int height = walk_all(&plan, &on, count_unconnected);
    ck_assert_int_eq(shared_walk.tally, sheets[_i][1] - 1);
    // Shallow where nothing is odd; a book or a graded strip is allowed to be deep.
    if (_i < 4) {
        ck_assert_int_le(height, log2_ceil(on.mesh.triangle_count) + 6);
    }
    dr_plan_free(&plan, &memory);
    free_sheet(&on);
}
END_TEST

// Two squares that meet in a vertex are two parts: 2 connected pairs, and the root that is none.
START_TEST(a_common_vertex_does_not_connect)
{
    for (int v = 0; v < 7; ++v) {
        positions[v] = (drape_vec3){(float)(v % 4), (float)(v / 4), 0.0f};
    }
    set_triangle(0, 0, 1, 2);
    set_triangle(1, 1, 3, 2);
    set_triangle(2, 3, 4, 5);
    set_triangle(3, 4, 6, 5);
    sheet on = make_sheet(positions, 7, triangles, 4);
    dr_tree_plan plan = build(dr_plan_bottom_up, &on.surface);
    walk_all(&plan, &on, count_unconnected);
    ck_assert_int_eq(shared_walk.tally, 1);
    ck_assert_int_eq(node_at(&plan, 0)->child[0], ~0);
    ck_assert_int_eq(node_at(&plan, 0)->child[1], ~1);
    dr_plan_free(&plan, &memory);
    free_sheet(&on);
}
END_TEST

// The slow method, word for word: patches as lists of triangles, all pairs looked at each time.
typedef struct slow_patch {
    drape_vec3 lo, hi;
    int32_t members[512];
    int count;
    bool is_active;
} slow_patch;

static slow_patch slow_patches[1024];

static float* component(drape_vec3* v, int axis)
{
    return &v->x + axis;
}

static void slow_merge(slow_patch* out, const slow_patch* a, const slow_patch* b)
{
    *out = *a;
    memcpy(out->members + a->count, b->members, (size_t)b->count * sizeof *b->members);
    out->count = a->count + b->count;
    drape_vec3 lo = b->lo, hi = b->hi;
    for (int axis = 0; axis < 3; ++axis) {
        *component(&out->lo, axis) = fminf(*component(&out->lo, axis), *component(&lo, axis));
        *component(&out->hi, axis) = fmaxf(*component(&out->hi, axis), *component(&hi, axis));
    }
}

static float slow_weight(const slow_patch* a, const slow_patch* b)
{
    static slow_patch both;
    slow_merge(&both, a, b);
    drape_vec3 d = dr_sub(both.hi, both.lo);
    return 2.0f * (d.x * d.y + d.y * d.z + d.z * d.x) + 0.125f * dr_dot(d, d);
}

static bool slow_adjacent(const dr_mesh* mesh, const slow_patch* a, const slow_patch* b)
{
    for (int i = 0; i < a->count; ++i) {
        for (int k = 0; k < b->count; ++k) {
            if (share_edge(mesh, a->members[i], b->members[k])) {
                return true;
            }
        }
    }
    return false;
}

// The pair of least weight, then of fewest triangles, then of lowest numbers.
static void slow_least(const dr_mesh* mesh, int patch_count, int* first, int* second)
{
    float least = INFINITY;
    int least_count = 0;
    for (int a = 0; a < patch_count; ++a) {
        for (int b = a + 1; b < patch_count && slow_patches[a].is_active; ++b) {
            const slow_patch *p = &slow_patches[a], *q = &slow_patches[b];
            if (!q->is_active || !slow_adjacent(mesh, p, q)) {
                continue;
            }
            float weight = slow_weight(p, q);
            if (weight < least || (weight == least && p->count + q->count < least_count)) {
                least = weight;
                least_count = p->count + q->count;
                *first = a;
                *second = b;
            }
        }
    }
}

START_TEST(bottom_up_equals_the_slow_method)
{
    static const float jitters[] = {0.0f, 0.002f, 0.02f, 0.3f};
    sheet on = make_grid(8, 6, jitters[_i]);
    int count = on.mesh.triangle_count;
    for (int t = 0; t < count; ++t) {
        slow_patch corner[3];
        for (int k = 0; k < 3; ++k) {
            drape_vec3 p = on.mesh.rest[on.mesh.triangles[t][k]];
            corner[k] = (slow_patch){.lo = p, .hi = p};
        }
        slow_merge(&slow_patches[t], &corner[0], &corner[1]);
        slow_merge(&slow_patches[t], &slow_patches[t], &corner[2]);
        slow_patches[t].members[0] = t;
        slow_patches[t].count = 1;
        slow_patches[t].is_active = true;
    }
    dr_tree_plan plan = build(dr_plan_bottom_up, &on.surface);
    for (int n = 0; n < count - 1; ++n) {
        int a = -1, b = -1;
        slow_least(&on.mesh, count + n, &a, &b);
        const dr_plan_node* node = node_at(&plan, n);
        ck_assert_int_eq(node->child[0], a < count ? ~a : a - count);
        ck_assert_int_eq(node->child[1], b < count ? ~b : b - count);
        slow_merge(&slow_patches[count + n], &slow_patches[a], &slow_patches[b]);
        slow_patches[count + n].is_active = true;
        slow_patches[a].is_active = slow_patches[b].is_active = false;
    }
    dr_plan_free(&plan, &memory);
    free_sheet(&on);
}
END_TEST

static double weighed_per_triangle(sheet on, int* height)
{
    dr_tree_plan plan = {0};
    int64_t weighed;
    ck_assert(dr_plan_bottom_up_counted(&plan, &memory, &on.surface, &weighed));
    *height = walk_all(&plan, &on, NULL);
    dr_plan_free(&plan, &memory);
    double each = (double)weighed / on.mesh.triangle_count;
    free_sheet(&on);
    return each;
}

START_TEST(work_grows_with_the_triangles_alone)
{
    // 1.5 pairs at first and 5 for each merged patch, however many triangles there are.
    for (int size = 8; size <= 64; size *= 2) {
        int height;
        ck_assert_double_le(weighed_per_triangle(make_grid(size + 1, size + 1, 0.0f), &height),
                            7.0);
        ck_assert_int_le(height, 2 * log2_ceil(size) + 7);
        ck_assert_double_le(
            weighed_per_triangle(make_grid(size, size, 0.2f / (float)size), &height), 7.5);
        ck_assert_int_le(height, 2 * log2_ceil(size) + 7);
    }
}
END_TEST

START_TEST(bristles_are_not_taken_one_by_one)
{
    // Without a limit: 400 and 800 levels, and a sixth of that in pairs for each triangle.
    for (int bristles = 400; bristles <= 800; bristles *= 2) {
        int height;
        double weighed = weighed_per_triangle(make_brush(bristles), &height);
        ck_assert_double_le(weighed, 24.0);
        ck_assert_int_le(height, 2 * log2_ceil(3 * bristles) + 16 + log2_ceil(bristles) + 16);
    }
}
END_TEST

START_TEST(equal_boxes_give_a_shallow_tree)
{
    int height;
    ck_assert_double_le(weighed_per_triangle(make_duplicates(512), &height), 16.0);
    ck_assert_int_le(height, 12);
    ck_assert_double_le(weighed_per_triangle(make_soup(512, 0.0f, 0.0f), &height), 60.0);
    ck_assert_int_eq(height, 9);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("tree_bottom_up");
    TCase* tests = tcase_create("patches");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, patches_are_connected, 0, 11);
    tcase_add_test(tests, a_common_vertex_does_not_connect);
    tcase_add_loop_test(tests, bottom_up_equals_the_slow_method, 0, 4);
    tcase_add_test(tests, work_grows_with_the_triangles_alone);
    tcase_add_test(tests, bristles_are_not_taken_one_by_one);
    tcase_add_test(tests, equal_boxes_give_a_shallow_tree);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
