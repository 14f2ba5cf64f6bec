// Self-collision by boxes: both searches find the same, nothing crosses, and it always ends.
#include "contact/self_boxes.h"

#include "contact/interval_times.h"
#include "core/base.h"
#include "core/isa.h"
#include "self_test.h"

// Cloths of a test: vertices in a row of a grid, or minus the rings of a disc.
typedef struct cloths {
    int sizes[most_parts];
    int count;
} cloths;

static const cloths scenes[] = {
    {{14}, 1}, {{13}, 1}, {{-6}, 1}, {{9, 10}, 2}, {{8, -4, 2}, 3}, {{3, 2, 9}, 3},
};
enum { scene_count = sizeof scenes / sizeof scenes[0] };

static test_sheets* sheets_of(int scene)
{
    return test_sheets_create(scenes[scene].sizes, scenes[scene].count);
}

static dr_self_boxes boxes_of(test_sheets* t, const dr_self_boxes_options* options)
{
    dr_self_boxes self;
    ck_assert(dr_self_boxes_create(&self, &t->memory, &t->sheets, options));
    return self;
}

static void same_pairs(const dr_pair* a, int a_count, const dr_pair* b, int b_count)
{
    ck_assert_int_eq(a_count, b_count);
    ck_assert(a_count == 0 || memcmp(a, b, sizeof *a * (size_t)a_count) == 0);
}

static void same_limits(const dr_limits* a, const dr_limits* b)
{
    size_t count = (size_t)a->vertex_count;
    ck_assert(memcmp(a->lo, b->lo, sizeof *a->lo * count) == 0);
    ck_assert(memcmp(a->hi, b->hi, sizeof *a->hi * count) == 0);
    ck_assert(memcmp(a->hold, b->hold, count) == 0);
}

// --- Near triangles and regular patches ---

static int distance_in_grid(int columns, const int32_t a[3], const int32_t b[3])
{
    int least = 1 << 20;
    for (int k = 0; k < 9; ++k) {
        int u = a[k / 3], v = b[k % 3];
        int c = abs(u % columns - v % columns), r = abs(u / columns - v / columns);
        int d = c > r ? c : r;
        least = d < least ? d : least;
    }
    return least;
}

START_TEST(near_is_what_is_near)
{
    for (int ring = 0; ring <= 2; ++ring) {
        test_sheets* t = test_sheets_create((int[]){9, 6}, 2);
        dr_near near;
        ck_assert(dr_near_create(&near, &t->memory, &t->sheets, ring));
        for (int a = 0; a < t->sheets.triangle_count; ++a) {
            for (int b = a + 1; b < t->sheets.triangle_count; ++b) {
                int part = t->sheets.part_of_triangle[a];
                const dr_sheets_part* p = &t->sheets.parts[part];
                const int32_t(*triangles)[3] = (const int32_t(*)[3])p->mesh->triangles;
                bool is_near = part == t->sheets.part_of_triangle[b] &&
                               distance_in_grid(p->columns, triangles[a - p->first_triangle],
                                                triangles[b - p->first_triangle]) <= ring;
                ck_assert_int_eq(dr_near_has(&near, a, b), is_near);
            }
        }
        dr_near_free(&near, &t->memory);
        test_sheets_free(t);
    }
}
END_TEST

static bool joined(const dr_mesh* mesh, int u, int v)
{
    for (int e = 0; e < mesh->edge_count; ++e) {
        const int32_t* w = mesh->edges[e].v;
        if ((w[0] == u && w[1] == v) || (w[0] == v && w[1] == u)) {
            return true;
        }
    }
    return u == v;
}

START_TEST(near_on_meshes_is_joined_by_an_edge)
{
    test_sheets* t = test_sheets_create((int[]){-4}, 1);
    const dr_mesh* mesh = &t->meshes[0];
    dr_near near;
    ck_assert(dr_near_create(&near, &t->memory, &t->sheets, 1));
    for (int a = 0; a < mesh->triangle_count; ++a) {
        for (int b = a + 1; b < mesh->triangle_count; ++b) {
            bool is_near = false;
            for (int k = 0; k < 9; ++k) {
                is_near =
                    is_near || joined(mesh, mesh->triangles[a][k / 3], mesh->triangles[b][k % 3]);
            }
            ck_assert_int_eq(dr_near_has(&near, a, b), is_near);
        }
    }
    dr_near_free(&near, &t->memory);
    test_sheets_free(t);
}
END_TEST

static void copy_places(const test_sheets* t, float* records)
{
    for (int v = 0; v < t->sheets.vertex_count; ++v) {
        memcpy(records + 4 * v, &t->sheets.end[v], sizeof(drape_vec3));
    }
}

// In regular patches nothing touches, whatever the sheet looks like; and gentle ones are regular.
START_TEST(regular_patches_do_not_cross)
{
    int regular_count = 0, crossing_count = 0, wrong = 0;
    for (int round = 0; round < 30; ++round) {
        test_sheets* t = test_sheets_create((int[]){round % 2 ? 11 : 12, 3}, 2);
        float* records = calloc(4 * ((size_t)t->sheets.vertex_count + 2), sizeof(float));
        dr_regular regular;
        ck_assert(dr_regular_create(&regular, &t->memory, &t->sheets, DRAPE_ISA_AUTO));
        t->noise = (uint32_t)round * 10000u;
        for (int v = 0; v < t->sheets.vertex_count; ++v) {
            drape_vec3 shake = {noise(t), noise(t), noise(t)};
            t->sheets.end[v] =
                dr_add(t->sheets.start[v], dr_scale(shake, 0.008f * (float)(round % 15)));
        }
        copy_places(t, records);
        dr_regular_update(&regular, NULL, records, NULL);
        for (int a = 0; a < t->sheets.triangle_count; ++a) {
            regular_count += dr_regular_open(&regular, t->sheets.part_of_triangle[a], a) == 0;
            for (int b = 0; b < t->sheets.triangle_count; ++b) {
                int part = t->sheets.part_of_triangle[a];
                if (a == b || part != t->sheets.part_of_triangle[b]) {
                    continue;
                }
                bool touches = dr_guard_touches(&t->sheets, a, b);
                crossing_count += touches;
                wrong += touches && dr_regular_has(&regular, part, a, b);
            }
        }
        ck_assert(round % 15 != 0 || dr_regular_open(&regular, 0, 0) == 0);
        dr_regular_free(&regular, &t->memory);
        free(records);
        test_sheets_free(t);
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(regular_count, 1000);
    ck_assert_int_gt(crossing_count, 100);
}
END_TEST

// --- B-1: the same pairs with a tree and without ---

static dr_self_boxes_options without_tree(dr_self_boxes_options options)
{
    options.use_tree = false;
    return options;
}

// Detects with both, from the same limits, and compares everything.
static bool detect_twice(test_sheets* t, dr_self_boxes* tree, dr_self_boxes* all, int run,
                         dr_limits* other_limits)
{
    dr_self_result one, two;
    ck_assert(dr_self_boxes_detect(tree, &t->memory, NULL, &t->limits, run, &one));
    ck_assert(dr_self_boxes_detect(all, &t->memory, NULL, other_limits, run, &two));
    int counts[4];
    const dr_pair* far_one = dr_self_boxes_far_pairs(tree, &counts[0]);
    const dr_pair* far_two = dr_self_boxes_far_pairs(all, &counts[1]);
    same_pairs(far_one, counts[0], far_two, counts[1]);
    const dr_pair* guarded_one = dr_self_boxes_guarded_pairs(tree, &counts[2]);
    const dr_pair* guarded_two = dr_self_boxes_guarded_pairs(all, &counts[3]);
    same_pairs(guarded_one, counts[2], guarded_two, counts[3]);
    dr_pairs_sort(tree->search.pairs.data, tree->search.pairs.count);
    dr_pairs_sort(all->search.pairs.data, all->search.pairs.count);
    same_pairs(tree->search.pairs.data, tree->search.pairs.count, all->search.pairs.data,
               all->search.pairs.count);
    same_limits(&t->limits, other_limits);
    one.box_tests = two.box_tests;
    ck_assert(memcmp(&one, &two, sizeof one) == 0);
    return one.is_clean;
}

static void simulate_twice(int scene, const dr_self_boxes_options* options, int steps)
{
    test_sheets* t = sheets_of(scene);
    dr_self_boxes_options second = without_tree(*options);
    dr_self_boxes tree = boxes_of(t, options), all = boxes_of(t, &second);
    dr_limits other_limits;
    ck_assert(dr_limits_create(&other_limits, &t->memory, t->sheets.vertex_count));
    for (int i = 0; i < steps; ++i) {
        test_move(t, 40.0f, 0.001f);
        test_begin(t);
        dr_limits_clear(&other_limits);
        bool is_clean = false;
        for (int run = 1; run <= test_runs && !is_clean; ++run) {
            test_solve(t);
            is_clean = detect_twice(t, &tree, &all, run, &other_limits);
        }
        test_commit(t);
    }
    dr_limits_free(&other_limits, &t->memory);
    dr_self_boxes_free(&tree, &t->memory);
    dr_self_boxes_free(&all, &t->memory);
    test_sheets_free(t);
}

START_TEST(b1_tree_and_all_pairs_agree)
{
    dr_self_boxes_options options = dr_self_boxes_defaults();
    simulate_twice(_i, &options, 60);
    options.ring = 2;
    simulate_twice(_i, &options, 30);
    options.is_paper = true;
    simulate_twice(_i, &options, 30);
}
END_TEST

// --- B-2, B-3, B-7: what holds after every step ---

// Boxes that were apart at the start by more than half of delta, and are not at the end.
static int overlapping_far(const test_sheets* t, const dr_self_boxes* self)
{
    const dr_sheets* s = &t->sheets;
    int count = 0;
    for (int a = 0; a < s->triangle_count; ++a) {
        dr_moving_box box_a = dr_moving_box_of(s->start, s->end, s->triangles[a]);
        for (int b = a + 1; b < s->triangle_count; ++b) {
            if (dr_near_has(&self->search.near, a, b)) {
                continue;
            }
            dr_moving_box box_b = dr_moving_box_of(s->start, s->end, s->triangles[b]);
            double gap = -1.0;
            for (int d = 0; d < 3; ++d) {
                gap = fmax(gap, (double)box_b.lo[0][d] - box_a.hi[0][d]);
                gap = fmax(gap, (double)box_a.lo[0][d] - box_b.hi[0][d]);
            }
            count += gap >= 0.5 * self->delta && dr_boxes_overlap_at_end(&box_a, &box_b, false);
        }
    }
    return count;
}

static int outside_interval(const test_sheets* t)
{
    int count = 0;
    for (int v = 0; v < t->sheets.vertex_count; ++v) {
        const drape_vec3* p = &t->sheets.end[v];
        for (int d = 0; d < 3 && t->limits.hold[v] == DR_HOLD_FREE; ++d) {
            float lo = (float)t->limits.lo[v][d], hi = (float)t->limits.hi[v][d];
            count += lo > hi || (&p->x)[d] < lo || (&p->x)[d] > hi;
        }
    }
    return count;
}

START_TEST(b2_b3_b7_nothing_crosses)
{
    for (int use_tree = 0; use_tree < 2; ++use_tree) {
        test_sheets* t = sheets_of(_i);
        dr_self_boxes_options options = dr_self_boxes_defaults();
        options.use_tree = use_tree;
        dr_self_boxes self = boxes_of(t, &options);
        dr_self_result sum = {0};
        ck_assert_int_eq(test_crossings(t, t->sheets.start), 0);
        int would_cross = 0;
        for (int i = 0; i < 100; ++i) {
            test_move(t, 40.0f, i % 50 < 25 ? 0.0005f : 0.003f);
            would_cross += i % 10 == 0 ? test_crossings(t, t->raw) : 0;
            int runs = test_step(t, dr_self_boxes_detect_any, &self, NULL, &sum);
            if (runs <= test_runs) {
                ck_assert_int_eq(overlapping_far(t, &self), 0);
                ck_assert_int_eq(outside_interval(t), 0);
            }
            ck_assert_int_eq(test_crossings(t, t->sheets.end), 0);
            test_commit(t);
        }
        // The test has teeth.
        ck_assert_int_gt(would_cross, 5);
        ck_assert_int_gt(sum.far_pairs, 100);
        ck_assert_int_eq(sum.forced, 0);
        dr_self_boxes_free(&self, &t->memory);
        test_sheets_free(t);
    }
}
END_TEST

// --- B-5: planes in the gap from the first run on leave no conflicts ---

START_TEST(b5_clamped_planes_have_no_conflicts)
{
    int conflicts[2];
    for (int clamp = 0; clamp < 2; ++clamp) {
        test_sheets* t = test_sheets_create((int[]){12, 12}, 2);
        dr_self_boxes_options options = dr_self_boxes_defaults();
        options.clamp_run = clamp ? 1 : options.clamp_run;
        dr_self_boxes self = boxes_of(t, &options);
        dr_self_result sum = {0};
        for (int i = 0; i < 120; ++i) {
            test_move(t, 120.0f, 0.004f);
            test_step(t, dr_self_boxes_detect_any, &self, NULL, &sum);
            test_commit(t);
        }
        conflicts[clamp] = sum.conflicts;
        ck_assert(!clamp || sum.clamped > 0);
        dr_self_boxes_free(&self, &t->memory);
        test_sheets_free(t);
    }
    ck_assert_int_gt(conflicts[0], 0);
    ck_assert_int_eq(conflicts[1], 0);
}
END_TEST

// --- Short cuts ---

// One detector remembers what did not change since the last run, the other one looks at all of it.
START_TEST(what_did_not_change_is_not_missed)
{
    test_sheets* t = sheets_of(_i);
    dr_self_boxes_options options = dr_self_boxes_defaults();
    dr_self_boxes kept = boxes_of(t, &options), fresh = boxes_of(t, &options);
    dr_limits other_limits;
    int64_t tests[2] = {0, 0};
    ck_assert(dr_limits_create(&other_limits, &t->memory, t->sheets.vertex_count));
    for (int i = 0; i < 60; ++i) {
        test_move(t, 40.0f, 0.001f);
        test_begin(t);
        dr_limits_clear(&other_limits);
        bool is_clean = false;
        for (int run = 1; run <= test_runs && !is_clean; ++run) {
            dr_self_result one, two;
            test_solve(t);
            fresh.last_run = 0;
            ck_assert(dr_self_boxes_detect(&kept, &t->memory, NULL, &t->limits, run, &one));
            ck_assert(dr_self_boxes_detect(&fresh, &t->memory, NULL, &other_limits, run, &two));
            same_limits(&t->limits, &other_limits);
            ck_assert_int_eq(one.is_clean, two.is_clean);
            ck_assert_int_eq(one.frozen, two.frozen);
            ck_assert_int_eq(one.far_pairs, two.far_pairs);
            tests[0] += one.near_pairs;
            tests[1] += two.near_pairs;
            is_clean = one.is_clean;
        }
        test_commit(t);
    }
    ck_assert_int_lt(tests[0], tests[1]);
    dr_limits_free(&other_limits, &t->memory);
    dr_self_boxes_free(&kept, &t->memory);
    dr_self_boxes_free(&fresh, &t->memory);
    test_sheets_free(t);
}
END_TEST

// What is seen of boxes at first sight is what their times say.
START_TEST(first_sight_is_right)
{
    test_sheets* t = test_sheets_create((int[]){7, 6}, 2);
    dr_moving_boxes moving;
    ck_assert(dr_moving_boxes_create(&moving, &t->memory, &t->sheets, DRAPE_ISA_AUTO));
    int seen[4] = {0};
    const double tight = 0.002;
    for (int round = 0; round < 20; ++round) {
        for (int v = 0; v < t->sheets.vertex_count; ++v) {
            drape_vec3 shake = {noise(t), noise(t), noise(t)};
            t->sheets.end[v] = dr_add(t->sheets.start[v], dr_scale(shake, 0.1f));
        }
        dr_moving_boxes_read(&moving);
        dr_moving_boxes_refit(&moving, NULL);
        for (int a = 0; a < t->sheets.triangle_count; ++a) {
            for (int b = a + 1; b < t->sheets.triangle_count; ++b) {
                dr_pair pair = {a, b};
                uint8_t sight;
                dr_moving_boxes_look(&moving, &pair, 1, tight, &sight);
                dr_box_meeting m = dr_moving_boxes_meeting(&moving, pair);
                ++seen[sight];
                ck_assert_int_eq(sight == DR_SIGHT_OVERLAP, m.meeting == DR_BOXES_OVERLAP_FIRST);
                ck_assert(sight != DR_SIGHT_APART || m.meeting == DR_BOXES_STAY_APART);
                ck_assert(sight != DR_SIGHT_OPEN || m.meeting != DR_BOXES_MEET ||
                          m.ceiling - m.floor >= tight);
            }
        }
    }
    for (int i = 0; i < 4; ++i) {
        ck_assert_int_gt(seen[i], 10);
    }
    dr_moving_boxes_free(&moving, &t->memory);
    test_sheets_free(t);
}
END_TEST

// --- B-8: how many boxes are compared ---

static double ratio_of_box_tests(int size)
{
    test_sheets* t = test_sheets_create(&size, 1);
    dr_self_boxes_options options = dr_self_boxes_defaults();
    dr_self_boxes self = boxes_of(t, &options);
    dr_self_result sum = {0};
    int runs = 0;
    for (int i = 0; i < 60; ++i) {
        test_move(t, 20.0f, 0.01f / (float)size);
        runs += test_step(t, dr_self_boxes_detect_any, &self, NULL, &sum);
        test_commit(t);
    }
    ck_assert_int_gt(sum.far_pairs, 0);
    double count = t->sheets.triangle_count;
    dr_self_boxes_free(&self, &t->memory);
    test_sheets_free(t);
    return count * (count - 1.0) / 2.0 / ((double)sum.box_tests / runs);
}

START_TEST(b8_trees_compare_few_boxes)
{
    ck_assert_double_gt(ratio_of_box_tests(21), 27.0);
    ck_assert_double_gt(ratio_of_box_tests(51), 175.0);
}
END_TEST

// --- B-9: no way out ---

// Flat sheets at three heights; the outer ones are pinned and close in on the middle one.
static test_sheets* between_layers(void)
{
    test_sheets* t = test_sheets_create((int[]){5, 7, 5}, 3);
    for (int p = 0; p < 3; ++p) {
        const dr_sheets_part* part = &t->sheets.parts[p];
        for (int v = 0; v < part->mesh->vertex_count; ++v) {
            int at = part->first_vertex + v;
            drape_vec3 rest = part->mesh->rest[v];
            t->sheets.start[at] = (drape_vec3){rest.x, 0.1f * (float)p, rest.z};
            t->is_pinned[at] = p != 1;
        }
    }
    return t;
}

static void close_in(test_sheets* t, float way)
{
    for (int v = 0; v < t->sheets.vertex_count; ++v) {
        t->raw[v] = t->sheets.start[v];
        t->raw[v].y += t->sheets.start[v].y > 0.1f   ? -way
                       : t->sheets.start[v].y < 0.1f ? way
                                                     : 0.0f;
        t->pin[v] = t->raw[v];
    }
}

START_TEST(b9_closing_layers_end_and_are_reported)
{
    for (int use_tree = 0; use_tree < 2; ++use_tree) {
        test_sheets* t = between_layers();
        dr_self_boxes_options options = dr_self_boxes_defaults();
        options.use_tree = use_tree;
        dr_self_boxes self = boxes_of(t, &options);
        // Room is left: the middle one stays between them.
        dr_self_result sum = {0};
        close_in(t, 0.09f);
        ck_assert_int_le(test_step(t, dr_self_boxes_detect_any, &self, NULL, &sum), test_runs);
        ck_assert_int_eq(sum.forced, 0);
        ck_assert_int_eq(test_crossings(t, t->sheets.end), 0);
        // They go through each other.
        sum = (dr_self_result){0};
        close_in(t, 0.15f);
        t->raw[t->sheets.parts[1].first_vertex + 24].y += 0.2f;
        test_step(t, dr_self_boxes_detect_any, &self, NULL, &sum);
        ck_assert_int_gt(sum.far_pairs, 0);
        // A tilted layer that goes right through the others.
        sum = (dr_self_result){0};
        close_in(t, 0.0f);
        for (int v = 0; v < t->sheets.parts[1].first_vertex; ++v) {
            t->pin[v].y += 0.4f * t->pin[v].x;
        }
        test_step(t, dr_self_boxes_detect_any, &self, NULL, &sum);
        ck_assert_int_gt(sum.forced, 0);
        dr_self_boxes_free(&self, &t->memory);
        test_sheets_free(t);
    }
}
END_TEST

// Pins that push: what is in their way moves on.
START_TEST(pins_push_what_is_free)
{
    test_sheets* t = test_sheets_create((int[]){4, 6}, 2);
    for (int p = 0; p < 2; ++p) {
        const dr_sheets_part* part = &t->sheets.parts[p];
        for (int v = 0; v < part->mesh->vertex_count; ++v) {
            drape_vec3 rest = part->mesh->rest[v];
            t->sheets.start[part->first_vertex + v] =
                (drape_vec3){rest.x, 0.05f * (float)p, rest.z};
            t->is_pinned[part->first_vertex + v] = p == 0;
        }
    }
    dr_self_boxes_options options = dr_self_boxes_defaults();
    dr_self_boxes self = boxes_of(t, &options);
    for (int i = 0; i < 20; ++i) {
        dr_self_result sum = {0};
        for (int v = 0; v < t->sheets.vertex_count; ++v) {
            t->raw[v] = t->sheets.start[v];
            t->pin[v] = t->sheets.start[v];
            t->pin[v].y += 0.02f;
        }
        ck_assert_int_le(test_step(t, dr_self_boxes_detect_any, &self, NULL, &sum), 4);
        ck_assert_int_eq(sum.forced + sum.frozen, 0);
        ck_assert_int_eq(test_crossings(t, t->sheets.end), 0);
        test_commit(t);
    }
    ck_assert_float_gt(t->sheets.end[t->sheets.vertex_count - 1].y, 0.4f);
    dr_self_boxes_free(&self, &t->memory);
    test_sheets_free(t);
}
END_TEST

// --- As printed ---

// Only incident pairs are left out and nothing is guarded: neighbours lock, and some cross.
START_TEST(the_paper_locks_and_crosses)
{
    int far[2], crossings[2] = {0};
    for (int is_paper = 0; is_paper < 2; ++is_paper) {
        test_sheets* t = test_sheets_create((int[]){14}, 1);
        dr_self_boxes_options options = dr_self_boxes_defaults();
        options.is_paper = is_paper;
        dr_self_boxes self = boxes_of(t, &options);
        dr_self_result result;
        far[is_paper] = 0;
        for (int i = 0; i < 60; ++i) {
            test_move(t, 40.0f, 0.0005f);
            test_begin(t);
            for (int run = 1; run <= test_runs; ++run) {
                test_solve(t);
                ck_assert(dr_self_boxes_detect(&self, &t->memory, NULL, &t->limits, run, &result));
                far[is_paper] += run == 1 ? result.far_pairs : 0;
            }
            crossings[is_paper] += test_crossings(t, t->sheets.end);
            test_commit(t);
        }
        dr_self_boxes_free(&self, &t->memory);
        test_sheets_free(t);
    }
    ck_assert_int_eq(crossings[0], 0);
    ck_assert_int_gt(crossings[1], 0);
    ck_assert_int_gt(far[1], 2 * far[0]);
}
END_TEST

// --- The last resort ---

START_TEST(settling_always_ends_clean)
{
    for (int scene = 0; scene < scene_count; ++scene) {
        test_sheets* t = sheets_of(scene);
        dr_self_boxes_options options = dr_self_boxes_defaults();
        dr_self_boxes self = boxes_of(t, &options);
        for (int i = 0; i < 40; ++i) {
            // Far too violent for anything else.
            test_move(t, 400.0f, 0.05f);
            test_begin(t);
            test_solve(t);
            dr_self_result result;
            ck_assert(dr_self_settle(dr_self_boxes_detect_any, &self, &t->memory, NULL, &t->sheets,
                                     &t->limits, &result));
            ck_assert(result.is_clean && result.forced == 0);
            ck_assert_int_eq(test_crossings(t, t->sheets.end), 0);
            test_commit(t);
        }
        dr_self_boxes_free(&self, &t->memory);
        test_sheets_free(t);
    }
}
END_TEST

// The full test looks at the way of guarded pairs too.
START_TEST(full_guard_sees_passing)
{
    test_sheets* t = test_sheets_create((int[]){10}, 1);
    dr_self_boxes_options options = dr_self_boxes_defaults();
    options.is_full = true;
    dr_self_boxes self = boxes_of(t, &options);
    for (int i = 0; i < 60; ++i) {
        test_move(t, 60.0f, 0.002f);
        test_step(t, dr_self_boxes_detect_any, &self, NULL, NULL);
        for (int a = 0; a < t->sheets.triangle_count; ++a) {
            int count;
            const int32_t* near = dr_near_of(&self.search.near, a, &count);
            for (int k = 0; k < count; ++k) {
                ck_assert(!dr_guard_passes(&t->sheets, a, near[k]));
            }
        }
        test_commit(t);
    }
    dr_self_boxes_free(&self, &t->memory);
    test_sheets_free(t);
}
END_TEST

// --- Threads, instruction sets, memory ---

static uint64_t hash_of_run(int worker_count, drape_isa isa, bool use_tree, bool* is_quiet)
{
    test_sheets* t = test_sheets_create((int[]){18, 12}, 2);
    dr_self_boxes_options options = dr_self_boxes_defaults();
    options.use_tree = use_tree;
    options.isa = isa;
    dr_self_boxes self = boxes_of(t, &options);
    dr_pool* pool = worker_count > 1 ? dr_pool_create(&t->memory, worker_count, NULL) : NULL;
    uint64_t hash = DR_HASH_START;
    for (int i = 0; i < 40; ++i) {
        test_move(t, 25.0f, 0.0003f);
        test_step(t, dr_self_boxes_detect_any, &self, pool, NULL);
        test_commit(t);
        hash = dr_hash_floats(hash, &t->sheets.end[0].x, 3 * (size_t)t->sheets.vertex_count);
    }
    // The same step again and again needs no more memory.
    test_move(t, 25.0f, 0.0f);
    for (int i = 0; i < 4; ++i) {
        int64_t calls = t->memory.call_count;
        test_step(t, dr_self_boxes_detect_any, &self, pool, NULL);
        *is_quiet = t->memory.call_count == calls;
    }
    dr_pool_destroy(pool);
    dr_self_boxes_free(&self, &t->memory);
    test_sheets_free(t);
    return hash;
}

START_TEST(same_bytes_on_all_machines)
{
    bool is_quiet;
    uint64_t hash = hash_of_run(1, DRAPE_ISA_AUTO, true, &is_quiet);
    ck_assert(is_quiet);
    for (int workers = 2; workers <= 3; ++workers) {
        ck_assert(hash_of_run(workers, DRAPE_ISA_AUTO, true, &is_quiet) == hash);
        ck_assert(is_quiet);
    }
    ck_assert(hash_of_run(2, DRAPE_ISA_AUTO, false, &is_quiet) == hash);
    ck_assert(is_quiet);
    const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2};
    for (int i = 0; i < 2; ++i) {
        if (dr_isa_available(sets[i])) {
            ck_assert(hash_of_run(1, sets[i], true, &is_quiet) == hash);
        }
    }
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
            dr_self_boxes_options options = dr_self_boxes_defaults();
            options.use_tree = use_tree;
            dr_self_boxes self;
            dr_self_result result;
            is_done = dr_self_boxes_create(&self, &memory, &t->sheets, &options) &&
                      dr_self_boxes_detect(&self, &memory, NULL, &t->limits, 1, &result);
            dr_self_boxes_free(&self, &memory);
            ck_assert_uint_eq(heap.bytes, 0);
        }
        ck_assert(is_done);
    }
    test_sheets_free(t);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("self_boxes");
    TCase* tests = tcase_create("all");
    tcase_add_test(tests, near_is_what_is_near);
    tcase_add_test(tests, near_on_meshes_is_joined_by_an_edge);
    tcase_add_test(tests, regular_patches_do_not_cross);
    tcase_add_loop_test(tests, b1_tree_and_all_pairs_agree, 0, scene_count);
    tcase_add_loop_test(tests, b2_b3_b7_nothing_crosses, 0, scene_count);
    tcase_add_test(tests, b5_clamped_planes_have_no_conflicts);
    tcase_add_loop_test(tests, what_did_not_change_is_not_missed, 0, scene_count);
    tcase_add_test(tests, first_sight_is_right);
    tcase_add_test(tests, b8_trees_compare_few_boxes);
    tcase_add_test(tests, b9_closing_layers_end_and_are_reported);
    tcase_add_test(tests, pins_push_what_is_free);
    tcase_add_test(tests, the_paper_locks_and_crosses);
    tcase_add_test(tests, settling_always_ends_clean);
    tcase_add_test(tests, full_guard_sees_passing);
    tcase_add_test(tests, same_bytes_on_all_machines);
    tcase_add_test(tests, short_memory_is_reported);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
