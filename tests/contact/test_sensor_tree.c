// The hierarchy with positive vectors: what it skips cannot meet, and what meets is found.
#include "contact/sensor_pairs.h"

#include "core/isa.h"
#include "sensor_test.h"

typedef struct mode {
    bool use_positive, use_outline;
} mode;

static const mode plain = {false, false}, printed = {true, false}, guarded = {true, true};

static dr_sensor_tree tree_of(test_sheets* t)
{
    dr_sensor_tree of;
    ck_assert(dr_sensor_tree_create(&of, &t->memory, t->sheets.parts[0].mesh,
                                    dr_isa_resolve(DRAPE_ISA_AUTO)));
    return of;
}

static void refit(test_sheets* t, dr_sensor_tree* of, mode how)
{
    ck_assert(dr_sensor_tree_refit(of, &t->memory, NULL, t->sheets.end, how.use_positive,
                                   how.use_outline));
}

static void find(test_sheets* t, dr_sensor_tree* of, dr_sensor_pairs* pairs, mode how,
                 bool with_corners)
{
    refit(t, of, how);
    ck_assert(dr_sensor_pairs_find(pairs, &t->memory, of, with_corners));
}

static void finish(test_sheets* t, dr_sensor_tree* of, dr_sensor_pairs* pairs)
{
    dr_sensor_pairs_free(pairs, &t->memory);
    dr_sensor_tree_free(of, &t->memory);
    test_sheets_free(t);
}

static int shared_count(const int32_t a[3], const int32_t b[3])
{
    int shared = 0;
    for (int k = 0; k < 9; ++k) {
        shared += a[k / 3] == b[k % 3];
    }
    return shared;
}

static bool touches(const test_sheets* t, int a, int b)
{
    drape_vec3 pa[3], pb[3];
    test_corners(t, t->sheets.end, a, pa);
    test_corners(t, t->sheets.end, b, pb);
    return test_boxes_meet(pa, pb) &&
           dr_triangle_pair(pa, t->sheets.triangles[a], pb, t->sheets.triangles[b]).relation !=
               DR_TRIANGLES_APART;
}

static bool has_check(const dr_sensor_pairs* pairs, int a, int b)
{
    const dr_pair* checks = pairs->checks.data;
    for (int i = 0; i < pairs->checks.count; ++i) {
        if (checks[i].a == a && checks[i].b == b) {
            return true;
        }
    }
    return false;
}

// Pairs that touch, of all pairs with at most so many common vertices, and how many of them are not
// among the checks.
static int brute_force(const test_sheets* t, const dr_sensor_pairs* pairs, int most_shared,
                       int* missed)
{
    int count = 0;
    *missed = 0;
    for (int a = 0; a < t->sheets.triangle_count; ++a) {
        for (int b = a + 1; b < t->sheets.triangle_count; ++b) {
            if (shared_count(t->sheets.triangles[a], t->sheets.triangles[b]) <= most_shared &&
                touches(t, a, b)) {
                ++count;
                *missed += !has_check(pairs, a, b);
            }
        }
    }
    return count;
}

// Pairs without a common vertex whose boxes meet: what the plain hierarchy checks.
static int boxes_that_meet(const test_sheets* t)
{
    int count = 0;
    for (int a = 0; a < t->sheets.triangle_count; ++a) {
        drape_vec3 pa[3], pb[3];
        test_corners(t, t->sheets.end, a, pa);
        for (int b = a + 1; b < t->sheets.triangle_count; ++b) {
            test_corners(t, t->sheets.end, b, pb);
            count += shared_count(t->sheets.triangles[a], t->sheets.triangles[b]) == 0 &&
                     test_boxes_meet(pa, pb);
        }
    }
    return count;
}

// A candidate after some frames of crumpling without any answer: it crosses itself all over.
static void crumple(test_sheets* t, int frames, float shake)
{
    for (int i = 0; i < frames; ++i) {
        test_move(t, 40.0f, shake);
        memcpy(t->sheets.end, t->raw, sizeof *t->raw * (size_t)t->sheets.vertex_count);
        test_commit(t);
    }
}

// --- Positive vectors ---

static dr_tree_node node_at(const dr_sensor_tree* of, int n)
{
    return of->tree.nodes[n];
}

// The least dot product of a vector with the normals below a node, those of no area left out.
static double least_dot(const test_sheets* t, const dr_sensor_tree* of, int node, drape_vec3 vector)
{
    const dr_tree* tree = &of->tree;
    double least = INFINITY;
    int end = node_at(of, node_at(of, node).end).first;
    for (int p = node_at(of, node).first; p < end; ++p) {
        const drape_vec3* x = t->sheets.end;
        drape_vec3 a = x[tree->corner[0][p]], b = x[tree->corner[1][p]], c = x[tree->corner[2][p]];
        drape_vec3 n = dr_cross(dr_sub(b, a), dr_sub(c, a));
        if (dr_length(n) > 0.0f) {
            least = fmin(least, (double)dr_dot(dr_normalize(n), vector));
        }
    }
    return least;
}

START_TEST(n10_positive_vectors_are_positive)
{
    test_sheets* t = test_sheets_create((int[]){_i ? -7 : 15}, 1);
    dr_sensor_tree of = tree_of(t);
    int nodes = 0, pairs = 0;
    for (int round = 0; round < 4; ++round) {
        crumple(t, 15, 0.002f);
        refit(t, &of, round % 2 ? printed : guarded);
        for (int n = 0; n < of.tree.node_count; ++n) {
            drape_vec3 vector;
            if (dr_sensor_tree_is_positive(&of, n, &vector)) {
                ck_assert_double_gt(least_dot(t, &of, n, vector), 0.0);
                ++nodes;
            }
            int m = node_at(&of, n).end;
            if (m < of.tree.node_count && dr_sensor_tree_are_positive(&of, n, m, &vector)) {
                ck_assert_double_gt(least_dot(t, &of, n, vector), 0.0);
                ck_assert_double_gt(least_dot(t, &of, m, vector), 0.0);
                ++pairs;
            }
        }
    }
    ck_assert_int_gt(nodes, 100);
    ck_assert_int_gt(pairs, 20);
    dr_sensor_tree_free(&of, &t->memory);
    test_sheets_free(t);
}
END_TEST

START_TEST(n6_nothing_is_checked_below_a_positive_node)
{
    test_sheets* t = square_sheet(15);
    dr_sensor_tree of = tree_of(t);
    dr_sensor_pairs pairs = {0};
    int checks = 0, positive = 0, below = 0;
    for (int round = 0; round < 6; ++round) {
        crumple(t, 15, 0.0005f);
        find(t, &of, &pairs, round % 2 ? printed : guarded, false);
        checks += pairs.checks.count;
        int32_t* place = calloc((size_t)t->sheets.triangle_count, sizeof *place);
        for (int p = 0; p < of.tree.triangle_count; ++p) {
            place[of.tree.triangle_of_place[p]] = p;
        }
        for (int n = 0; n < of.tree.node_count; ++n) {
            if (!dr_sensor_tree_is_positive(&of, n, NULL)) {
                continue;
            }
            int first = node_at(&of, n).first, end = node_at(&of, node_at(&of, n).end).first;
            positive += end - first > 2;
            for (int i = 0; i < pairs.checks.count; ++i) {
                dr_pair c = ((const dr_pair*)pairs.checks.data)[i];
                bool has_a = place[c.a] >= first && place[c.a] < end;
                bool has_b = place[c.b] >= first && place[c.b] < end;
                below += has_a && has_b;
            }
        }
        free(place);
    }
    ck_assert_int_eq(below, 0);
    ck_assert_int_gt(checks, 100);
    ck_assert_int_gt(positive, 50);
    finish(t, &of, &pairs);
}
END_TEST

START_TEST(n7_gentle_cloth_has_no_checks)
{
    for (int size = 11; size <= 31; size += 10) {
        test_sheets* t = square_sheet(size);
        dr_sensor_tree of = tree_of(t);
        dr_sensor_pairs pairs = {0};
        int without = 0;
        for (int shape = shape_flat; shape <= shape_waves; ++shape) {
            lay(t, shape);
            find(t, &of, &pairs, guarded, false);
            ck_assert_int_eq(pairs.checks.count, 0);
            ck_assert_int_eq(pairs.self_skips, 1);
            find(t, &of, &pairs, printed, false);
            ck_assert_int_eq(pairs.checks.count, 0);
            find(t, &of, &pairs, plain, false);
            without += pairs.checks.count;
        }
        // Boxes of triangles that are neighbours' neighbours do meet here and there.
        ck_assert_int_gt(without, 0);
        finish(t, &of, &pairs);
    }
}
END_TEST

// --- Everything that meets is found ---

// With outlines this is a theorem, for any crumpled sheet, triangles with a common vertex included.
START_TEST(n8_crumpled_sheets_against_brute_force)
{
    test_sheets* t = test_sheets_create((int[]){_i % 2 ? -6 : 13}, 1);
    dr_sensor_tree of = tree_of(t);
    dr_sensor_pairs pairs = {0};
    int found = 0, corners = 0, without = 0, with = 0;
    t->noise = (uint32_t)_i * 100000;
    for (int round = 0; round < 12; ++round) {
        int missed;
        crumple(t, 6, round % 3 == 0 ? 0.003f : 0.0003f);
        find(t, &of, &pairs, plain, false);
        found += brute_force(t, &pairs, 0, &missed);
        ck_assert_int_eq(missed, 0);
        ck_assert_int_eq(pairs.checks.count, boxes_that_meet(t));
        without += pairs.checks.count;
        find(t, &of, &pairs, guarded, false);
        brute_force(t, &pairs, 0, &missed);
        ck_assert_int_eq(missed, 0);
        with += pairs.checks.count;
        find(t, &of, &pairs, guarded, true);
        corners += brute_force(t, &pairs, 1, &missed);
        ck_assert_int_eq(missed, 0);
    }
    ck_assert_int_gt(found, 100);
    ck_assert_int_gt(corners, found);
    ck_assert_int_lt(with, without);
    finish(t, &of, &pairs);
}
END_TEST

// Folds and rolls, which curve round: found without outlines as well.
START_TEST(n8_folds_against_brute_force)
{
    test_sheets* t = square_sheet(21);
    dr_sensor_tree of = tree_of(t);
    dr_sensor_pairs pairs = {0};
    const dr_mesh* mesh = t->sheets.parts[0].mesh;
    int found = 0;
    for (int round = 0; round < 12; ++round) {
        // Layers that dip into each other, or a roll that narrows into itself.
        for (int v = 0; v < mesh->vertex_count; ++v) {
            double along, up, x = mesh->rest[v].x, z = mesh->rest[v].z;
            fold_over(x, 0.3 + 0.02 * round, 0.03 + 0.01 * round, &along, &up);
            up += up > 0.0 ? -0.2 * fmax(0.0, 0.3 - along) : 0.0;
            if (round % 2) {
                double radius = 0.11 + 0.01 * round, turn = x / radius;
                radius *= 1.0 + 0.1 * sin(3.0 * turn);
                along = radius * cos(turn);
                up = radius * sin(turn);
            }
            t->sheets.end[v] = (drape_vec3){(float)along, (float)up, (float)(z + 0.1 * along)};
        }
        int missed;
        find(t, &of, &pairs, printed, false);
        found += brute_force(t, &pairs, 0, &missed);
        ck_assert_int_eq(missed, 0);
        find(t, &of, &pairs, guarded, false);
        brute_force(t, &pairs, 0, &missed);
        ck_assert_int_eq(missed, 0);
    }
    ck_assert_int_gt(found, 100);
    finish(t, &of, &pairs);
}
END_TEST

// --- Outlines ---

enum { spiral_steps = 40 };

// A flat strip that winds round once and lies on its own beginning: nearly in one plane, so a
// positive vector exists.
static test_sheets* spiral(double turns, double rise)
{
    static drape_vec3 positions[2 * spiral_steps + 2];
    static int32_t triangles[2 * spiral_steps][3];
    for (int i = 0; i <= spiral_steps; ++i) {
        double angle = turns * 6.283185307179586 * i / spiral_steps, up = rise * i;
        for (int k = 0; k < 2; ++k) {
            double radius = (k ? 1.0 : 0.7) - 0.0005 * i;
            // The end dips through the beginning.
            double dip = k ? -0.5 * rise * i * (i > spiral_steps - 4) : 0.0;
            positions[2 * i + k] =
                (drape_vec3){(float)(radius * cos(angle)), (float)(up + 2.5 * dip),
                             (float)(radius * sin(angle))};
        }
    }
    for (int i = 0; i < spiral_steps; ++i) {
        int32_t a = 2 * i, quads[2][3] = {{a, a + 2, a + 1}, {a + 1, a + 2, a + 3}};
        memcpy(triangles[2 * i], quads, sizeof quads);
    }
    return sheet_of(positions, 2 * spiral_steps + 2, triangles, 2 * spiral_steps);
}

START_TEST(n9_spirals_need_their_outline)
{
    test_sheets* t = spiral(1.15, 0.0005);
    dr_sensor_tree of = tree_of(t);
    dr_sensor_pairs pairs = {0};
    int missed, met;
    find(t, &of, &pairs, printed, false);
    ck_assert_int_eq(pairs.checks.count, 0);
    met = brute_force(t, &pairs, 0, &missed);
    ck_assert_int_gt(met, 0);
    ck_assert_int_eq(missed, met);
    find(t, &of, &pairs, guarded, false);
    brute_force(t, &pairs, 0, &missed);
    ck_assert_int_eq(missed, 0);
    finish(t, &of, &pairs);

    // An open ring is no case of that: nothing to check, with outlines too.
    t = spiral(0.9, 0.0005);
    of = tree_of(t);
    find(t, &of, &pairs, guarded, false);
    ck_assert_int_eq(pairs.checks.count, 0);
    ck_assert_int_eq(pairs.self_skips, 1);
    finish(t, &of, &pairs);
}
END_TEST

static bool is_simple(const drape_vec3* places, const int* loop, int count, const int direction[3])
{
    dr_memory memory;
    dr_outline outline;
    dr_memory_init(&memory, NULL);
    ck_assert(dr_outline_create(&outline, &memory, count, 9));
    for (int i = 0, first = 0; i < count; ++i) {
        // A loop ends where the next number is negative: minus one, and back to its first.
        if (loop[i] < 0) {
            first = i + 1;
        } else {
            int next = i + 1 < count && loop[i + 1] >= 0 ? loop[i + 1] : loop[first];
            dr_outline_add(&outline, loop[i], next);
        }
    }
    bool answer = dr_outline_is_simple(&outline, places, direction);
    dr_outline_free(&outline, &memory);
    return answer;
}

START_TEST(outlines_of_squares_and_eights)
{
    // Corners of a square in the plane of x and z, a smaller one inside, seen from above (+y).
    const drape_vec3 p[] = {{0, 0, 0}, {0, 0, 4}, {4, 0, 4}, {4, 0, 0}, {1, 0, 1},
                            {1, 0, 2}, {2, 0, 2}, {2, 0, 1}, {6, 0, 2}};
    const int up[3] = {0, 1, 0}, down[3] = {0, -1, 0}, slanted[3] = {1, 1, -1};
    const int square[] = {0, 1, 2, 3}, turned[] = {3, 2, 1, 0}, eight[] = {0, 1, 3, 2};
    const int hole[] = {0, 1, 2, 3, -1, 7, 6, 5, 4}, twice[] = {0, 1, 2, 3, -1, 4, 5, 6, 7};
    const int pinch[] = {0, 1, 2, 3, -1, 2, 8, 3}, spike[] = {0, 1, 2, 6, 2, 3};
    ck_assert(is_simple(p, square, 4, up) && is_simple(p, square, 4, slanted));
    ck_assert(!is_simple(p, square, 4, down) && is_simple(p, turned, 4, down));
    ck_assert(!is_simple(p, eight, 4, up));
    ck_assert(is_simple(p, hole, 9, up) && !is_simple(p, twice, 9, up));
    ck_assert(!is_simple(p, pinch, 8, up) && !is_simple(p, spike, 6, up));
    // Seen from the side everything is a line.
    ck_assert(!is_simple(p, square, 4, (const int[]){1, 0, 0}));
}
END_TEST

// --- Meshes that are no surface ---

// Triangles turned at random are put right; a band with a twist and a fin cannot be.
START_TEST(sides_are_put_right)
{
    test_sheets* t = square_sheet(9);
    dr_mesh* mesh = &t->meshes[0];
    int32_t(*given)[3] = calloc((size_t)mesh->triangle_count, sizeof *given);
    for (int i = 0; i < mesh->triangle_count; ++i) {
        bool is_turned = dr_random_u32(4, (uint32_t)i) & 1;
        const int32_t* v = mesh->triangles[i];
        const int32_t turned[3] = {v[0], v[is_turned ? 2 : 1], v[is_turned ? 1 : 2]};
        memcpy(given[i], turned, sizeof turned);
    }
    test_sheets* mixed = sheet_of(mesh->rest, mesh->vertex_count, given, mesh->triangle_count);
    dr_sensor_tree of = tree_of(mixed);
    dr_sensor_pairs pairs = {0};
    ck_assert(of.is_surface[0]);
    find(mixed, &of, &pairs, guarded, false);
    ck_assert_int_eq(pairs.self_skips, 1);
    free(given);
    finish(mixed, &of, &pairs);
    test_sheets_free(t);
}
END_TEST

enum { band_steps = 12 };

START_TEST(what_has_no_sides_is_left_out)
{
    // A ring whose last quad joins the rim of one side to that of the other.
    drape_vec3 positions[2 * band_steps + 1];
    int32_t triangles[2 * band_steps + 1][3];
    for (int i = 0; i < band_steps; ++i) {
        double angle = 6.283185307179586 * i / band_steps, half = 0.5 * angle;
        for (int k = 0; k < 2; ++k) {
            double out = (k ? 0.2 : -0.2) * cos(half), up = (k ? 0.2 : -0.2) * sin(half);
            positions[2 * i + k] = (drape_vec3){(float)((1.0 + out) * cos(angle)), (float)up,
                                                (float)((1.0 + out) * sin(angle))};
        }
        bool is_last = i == band_steps - 1;
        int32_t a = 2 * i, b = a + 1, c = is_last ? 1 : a + 2, d = is_last ? 0 : a + 3;
        const int32_t quads[2][3] = {{a, c, b}, {b, c, d}};
        memcpy(triangles[2 * i], quads, sizeof quads);
    }
    test_sheets* t = sheet_of(positions, 2 * band_steps, triangles, 2 * band_steps);
    dr_sensor_tree of = tree_of(t);
    ck_assert(!of.is_surface[0]);
    dr_sensor_tree_free(&of, &t->memory);
    test_sheets_free(t);

    // Three triangles at one edge, and one of two pieces: no positive vector for the whole.
    drape_vec3 fin[8] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {-1, 0, 0},
                         {0, 1, 0}, {5, 0, 0}, {5, 0, 1}, {6, 0, 0}};
    int32_t fins[4][3] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {5, 6, 7}};
    t = sheet_of(fin, 8, fins, 4);
    of = tree_of(t);
    ck_assert(!of.is_surface[0]);
    refit(t, &of, guarded);
    ck_assert(!dr_sensor_tree_is_positive(&of, 0, NULL));
    dr_sensor_tree_free(&of, &t->memory);
    test_sheets_free(t);
}
END_TEST

START_TEST(convex_parts_are_counted)
{
    test_sheets* t = square_sheet(21);
    dr_sensor_tree of = tree_of(t);
    lay(t, shape_flat);
    refit(t, &of, printed);
    ck_assert_int_eq(dr_sensor_tree_parts(&of), 1);
    lay(t, shape_fold_4cm);
    refit(t, &of, printed);
    int folded = dr_sensor_tree_parts(&of);
    ck_assert(folded >= 2 && folded < 80);
    dr_sensor_tree_free(&of, &t->memory);
    test_sheets_free(t);
}
END_TEST

// Runs out of memory at every possible place: nothing leaks, nothing crashes.
START_TEST(memory_may_be_short)
{
    test_sheets* t = square_sheet(6);
    bool is_made = false;
    for (int calls = 0; calls < 200 && !is_made; ++calls) {
        watched_heap heap = {.calls_left = calls};
        drape_allocator hook = {watched_allocate, watched_release, &heap};
        dr_memory memory;
        dr_sensor_tree of;
        dr_sensor_pairs pairs = {0};
        dr_memory_init(&memory, &hook);
        lay(t, shape_fold_1cm);
        is_made = dr_sensor_tree_create(&of, &memory, t->sheets.parts[0].mesh, DRAPE_ISA_PLAIN) &&
                  dr_sensor_tree_refit(&of, &memory, NULL, t->sheets.end, true, true) &&
                  dr_sensor_pairs_find(&pairs, &memory, &of, true);
        dr_sensor_pairs_free(&pairs, &memory);
        dr_sensor_tree_free(&of, &memory);
        ck_assert_uint_eq(heap.bytes, 0);
    }
    ck_assert(is_made);
    test_sheets_free(t);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("sensor_tree");
    TCase* tc = tcase_create("tree");
    tcase_add_loop_test(tc, n10_positive_vectors_are_positive, 0, 2);
    tcase_add_test(tc, n6_nothing_is_checked_below_a_positive_node);
    tcase_add_test(tc, n7_gentle_cloth_has_no_checks);
    tcase_add_loop_test(tc, n8_crumpled_sheets_against_brute_force, 0, 4);
    tcase_add_test(tc, n8_folds_against_brute_force);
    tcase_add_test(tc, n9_spirals_need_their_outline);
    tcase_add_test(tc, outlines_of_squares_and_eights);
    tcase_add_test(tc, sides_are_put_right);
    tcase_add_test(tc, what_has_no_sides_is_left_out);
    tcase_add_test(tc, convex_parts_are_counted);
    tcase_add_test(tc, memory_may_be_short);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
