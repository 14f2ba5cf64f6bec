// The method of boxes in whole scenes: acceptance checks B-1 to B-4, B-6 and B-8.
#include "method_test.h"

static const char* const scenes[] = {"table-paper", "ground-paper"};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

// --- The tree and all pairs ---

// Both searches, side by side.
typedef struct twins {
    drape_scene* all;
    drape_scene* tree;
} twins;

static twins open_twins(const char* name, int size)
{
    order o = {.scene = name, .method = "box", .size = size};
    twins t = {.tree = open_order(&o)};
    o.overrides[0] = (drape_override){"collision.hierarchy", "none"};
    t.all = open_order(&o);
    return t;
}

static void close_twins(const twins* t)
{
    drape_scene_close(t->all);
    drape_scene_close(t->tree);
}

START_TEST(b1_tree_and_all_pairs_are_the_same_method)
{
    twins t = open_twins(scenes[_i], 21);
    int64_t pairs = 0;
    for (int step = 0; step < 300; ++step) {
        drape_step_report a = drape_world_step(drape_scene_world(t.all), PAPER_STEP);
        drape_step_report b = drape_world_step(drape_scene_world(t.tree), PAPER_STEP);
        ck_assert_int_eq(a.counts.runs, b.counts.runs);
        ck_assert_int_eq(a.counts.far_pairs, b.counts.far_pairs);
        ck_assert_int_eq(a.counts.conflicts, b.counts.conflicts);
        ck_assert_int_eq(a.counts.frozen, b.counts.frozen);
        ck_assert_uint_eq(drape_world_hash(drape_scene_world(t.all)),
                          drape_world_hash(drape_scene_world(t.tree)));
        pairs += b.counts.far_pairs;
    }
    ck_assert_int_gt(pairs, 0);
    close_twins(&t);
}
END_TEST

// --- Boxes ---

typedef struct box {
    float lo[3], hi[3];
} box;

static box box_of(const drape_vec3* p, const int32_t* t)
{
    box b;
    for (int k = 0; k < 3; ++k) {
        const float at[3] = {p[t[k]].x, p[t[k]].y, p[t[k]].z};
        for (int c = 0; c < 3; ++c) {
            b.lo[c] = k == 0 ? at[c] : fminf(b.lo[c], at[c]);
            b.hi[c] = k == 0 ? at[c] : fmaxf(b.hi[c], at[c]);
        }
    }
    return b;
}

// The widest gap on any axis; negative when they overlap on all.
static float gap_of(const box* a, const box* b)
{
    float gap = -INFINITY;
    for (int c = 0; c < 3; ++c) {
        gap = fmaxf(gap, fmaxf(a->lo[c] - b->hi[c], b->lo[c] - a->hi[c]));
    }
    return gap;
}

static bool is_near(const int32_t* a, const int32_t* b, int size)
{
    bool near = false;
    for (int i = 0; i < 9; ++i) {
        int p = a[i / 3], q = b[i % 3];
        near = near || (abs(p % size - q % size) <= 1 && abs(p / size - q / size) <= 1);
    }
    return near;
}

// Boxes that had room between them have some afterwards.
static int64_t count_overlaps(const drape_vec3* before, const drape_vec3* after,
                              const int32_t* triangles, int count, int size, int64_t* close)
{
    // Below it no plane fits between.
    const float room = 4e-6f;
    int64_t overlaps = 0;
    for (int a = 0; a < count; ++a) {
        const int32_t* ta = triangles + 3 * a;
        box from_a = box_of(before, ta), to_a = box_of(after, ta);
        for (int b = a + 1; b < count; ++b) {
            const int32_t* tb = triangles + 3 * b;
            box to_b = box_of(after, tb);
            float gap = gap_of(&to_a, &to_b);
            *close += gap >= 0.0f && gap < 1e-3f;
            if (gap < 0.0f && !is_near(ta, tb, size)) {
                box from_b = box_of(before, tb);
                overlaps += gap_of(&from_a, &from_b) > room;
            }
        }
    }
    return overlaps;
}

START_TEST(b2_boxes_of_far_pairs_stay_apart)
{
    order o = {.scene = scenes[_i], .method = "box", .size = 21};
    drape_scene* scene = open_order(&o);
    drape_world* world = drape_scene_world(scene);
    dr_check_mesh mesh = cloth_mesh(scene, 0);
    drape_vec3* before = malloc(sizeof *before * (size_t)mesh.vertex_count);
    int64_t close = 0;
    for (int step = 0; step < 450; ++step) {
        memcpy(before, mesh.positions, sizeof *before * (size_t)mesh.vertex_count);
        drape_step_report report = drape_world_step(world, PAPER_STEP);
        ck_assert_int_eq(report.substeps, 1);
        mesh = cloth_mesh(scene, 0);
        if (step % 10 == 9) {
            ck_assert_int_eq(count_overlaps(before, mesh.positions, mesh.triangles,
                                            mesh.triangle_count, o.size, &close),
                             0);
        }
    }
    ck_assert_int_gt(close, 0);
    free(before);
    drape_scene_close(scene);
}
END_TEST

// --- Crossings and runs ---

START_TEST(b3_nothing_crosses_in_any_step)
{
    order o = {.scene = scenes[_i], .method = "box", .size = 21};
    drape_scene* scene = open_order(&o);
    for (int step = 0; step < 700; ++step) {
        drape_step_report report = drape_world_step(drape_scene_world(scene), PAPER_STEP);
        ck_assert_int_eq(report.substeps, 1);
        ck_assert_int_eq(report.counts.forced, 0);
        ck_assert_int_eq(self_crossings(scene), 0);
    }
    verdict v = judge_scene(scene);
    ck_assert_int_eq(v.obstacle, 0);
    ck_assert_int_eq(v.inside, 0);
    drape_scene_close(scene);
}
END_TEST

START_TEST(b3_nothing_crosses_at_51)
{
    order o = {.scene = scenes[_i], .method = "box", .size = 51};
    drape_scene* scene = open_order(&o);
    for (int frame = 0; frame < 10; ++frame) {
        drape_scene_step(scene);
        verdict v = judge_scene(scene);
        ck_assert_int_eq(v.self, 0);
        ck_assert_int_eq(v.obstacle, 0);
        ck_assert_int_eq(v.inside, 0);
    }
    drape_scene_close(scene);
}
END_TEST

START_TEST(b4_runs_are_few)
{
    static const struct {
        double least, average;
        int most;
    } bounds[SCENES] = {{1.0, 2.5, 4}, {1.0, 4.5, 8}};
    order o = {.scene = scenes[_i], .method = "box", .size = 21};
    drape_scene* scene = open_order(&o);
    int64_t runs = 0, substeps = 0;
    int most = 0;
    for (int frame = 0; frame < 60; ++frame) {
        drape_step_report report = drape_scene_step(scene);
        runs += report.counts.runs;
        substeps += report.substeps;
        most = report.runs > most ? report.runs : most;
    }
    double average = (double)runs / (double)substeps;
    ck_assert_msg(average <= bounds[_i].average && average >= bounds[_i].least &&
                      most <= bounds[_i].most,
                  "%s: %.2f runs, at most %d", scenes[_i], average, most);
    drape_scene_close(scene);
}
END_TEST

// --- What boxes must not do ---

static double hem_height(drape_scene* scene, int size)
{
    dr_check_mesh mesh = cloth_mesh(scene, 0);
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        int column = v % size, row = v / size;
        if (column == 0 || row == 0 || column == size - 1 || row == size - 1) {
            sum += (double)mesh.positions[v].y;
            ++count;
        }
    }
    return sum / count;
}

START_TEST(b6_boxes_do_not_lock_the_drape)
{
    order o = {.scene = "table-paper", .method = "box", .size = 21};
    drape_scene* with = open_order(&o);
    o.overrides[0] = (drape_override){"collision.self", "none"};
    drape_scene* without = open_order(&o);
    for (int frame = 0; frame < 90; ++frame) {
        drape_scene_step(with);
        drape_scene_step(without);
    }
    double a = hem_height(with, o.size), b = hem_height(without, o.size);
    ck_assert(b > 0.3 && b < 0.5);
    ck_assert_msg(fabs(a - b) <= 0.05 * b, "hem at %.4f m with boxes, %.4f without", a, b);
    drape_scene_close(with);
    drape_scene_close(without);
}
END_TEST

// --- What the tree saves ---

// Takes the state of one world into another.
static void copy_state(drape_world* from, drape_world* to)
{
    size_t size = 0;
    ck_assert(drape_world_save(from, NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(from, bytes, &size));
    ck_assert_msg(drape_world_load(to, bytes, size), "%s", drape_world_error(to));
    free(bytes);
}

START_TEST(b8_trees_compare_few_boxes)
{
    static const struct {
        int size, frames, steps;
        double least;
    } cases[] = {{21, 30, 60, 20.0}, {51, 12, 3, 100.0}};
    for (int i = 0; i < 2; ++i) {
        twins t = open_twins(scenes[_i], cases[i].size);
        drape_world *all = drape_scene_world(t.all), *tree = drape_scene_world(t.tree);
        double tests[2] = {0};
        for (int frame = 0; frame < cases[i].frames; ++frame) {
            drape_scene_step(t.tree);
        }
        copy_state(tree, all);
        for (int step = 0; step < cases[i].steps; ++step) {
            tests[0] += (double)drape_world_step(all, 0.4f * PAPER_STEP).self_box_tests;
            tests[1] += (double)drape_world_step(tree, 0.4f * PAPER_STEP).self_box_tests;
        }
        ck_assert_uint_eq(drape_world_hash(all), drape_world_hash(tree));
        ck_assert_msg(tests[0] > cases[i].least * tests[1], "%s %d: %.1f times fewer", scenes[_i],
                      cases[i].size, tests[0] / tests[1]);
        close_twins(&t);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("box_method");
    TCase* cases = tcase_create("box_method");
    tcase_add_loop_test(cases, b1_tree_and_all_pairs_are_the_same_method, 0, SCENES);
    tcase_add_loop_test(cases, b2_boxes_of_far_pairs_stay_apart, 0, SCENES);
    tcase_add_loop_test(cases, b3_nothing_crosses_in_any_step, 0, SCENES);
    tcase_add_loop_test(cases, b3_nothing_crosses_at_51, 0, SCENES);
    tcase_add_loop_test(cases, b4_runs_are_few, 0, SCENES);
    tcase_add_test(cases, b6_boxes_do_not_lock_the_drape);
    tcase_add_loop_test(cases, b8_trees_compare_few_boxes, 0, SCENES);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
