// Closest points: against a slow search in long double, on pairs of every shape, and the same bits
// eight at a time.
#include "collide/closest.h"

#include <stdio.h>
#include <string.h>

#include "closest_test.h"
#include "collide_test.h"
#include "core/isa.h"

// The claim of closest.h.
static const double tolerance = 5e-7;

enum { PAIRS_OF_A_KIND = 20000 };

static dr_closest find(bool is_edges, const drape_vec3 v[4])
{
    return is_edges ? dr_closest_edges(v[0], v[1], v[2], v[3])
                    : dr_closest_point_triangle(v[0], v[1], v[2], v[3]);
}

static bool is_weight(float w)
{
    return w >= 0.0f && w <= 1.0f;
}

static void check_weights(bool is_edges, dr_closest found)
{
    const float* w = found.weight;
    EXPECT(is_weight(w[0]) && is_weight(w[1]) && is_weight(w[2]), "weights %g %g %g", w[0], w[1],
           w[2]);
    EXPECT(is_edges ? w[2] == 0.0f : fabsf(w[0] + w[1] + w[2] - 1.0f) <= 2.4e-7f,
           "weights %g %g %g", w[0], w[1], w[2]);
}

// Worst error over the size of the pair.
static double check_pair(bool is_edges, const drape_vec3 v[4])
{
    dr_closest found = find(is_edges, v);
    check_weights(is_edges, found);
    const double w[3] = {found.weight[0], found.weight[1], found.weight[2]};
    double size = pair_size(v), distance = sqrt((double)found.squared);
    double true_distance = (double)reference_distance(is_edges, v);
    double named = (double)distance_at(is_edges, v, w);
    double error = fmax(fabs(distance - true_distance), fabs(distance - named));
    EXPECT(error <= tolerance * size + 1e-22, "off by %g of %g", error, size);
    return size > 0.0 ? error / size : 0.0;
}

START_TEST(distance_is_true)
{
    bool is_edges = _i != 0;
    double worst = 0.0;
    for (int shape = 0; shape < PAIR_SHAPE_COUNT; ++shape) {
        for (uint32_t k = 0; k < PAIRS_OF_A_KIND; ++k) {
            drape_vec3 v[4];
            make_pair((pair_shape)shape, k, v);
            worst = fmax(worst, check_pair(is_edges, v));
        }
    }
    ck_assert_double_gt(worst, 0.0);
}
END_TEST

// A brute look at many points of both features finds nothing nearer, and something almost as near.
START_TEST(no_sample_is_nearer)
{
    enum { STEPS = 40 };
    bool is_edges = _i != 0;
    for (uint32_t k = 0; k < 200; ++k) {
        drape_vec3 v[4];
        make_pair(PAIR_RANDOM, k, v);
        double size = pair_size(v), least = INFINITY;
        double distance = sqrt((double)find(is_edges, v).squared);
        for (int i = 0; i <= STEPS; ++i) {
            for (int j = 0; j <= (is_edges ? STEPS : STEPS - i); ++j) {
                double s = (double)i / STEPS, t = (double)j / STEPS;
                const double w[3] = {is_edges ? s : 1.0 - s - t, is_edges ? t : s, t};
                least = fmin(least, (double)distance_at(is_edges, v, w));
            }
        }
        ck_assert_double_le(distance, least + tolerance * size);
        ck_assert_double_ge(distance, least - 2.0 * size / STEPS);
    }
}
END_TEST

START_TEST(known_places)
{
    drape_vec3 a = {0, 0, 0}, b = {2, 0, 0}, c = {0, 2, 0};
    dr_closest found = dr_closest_point_triangle((drape_vec3){0.5f, 0.5f, 3}, a, b, c);
    ck_assert_float_eq(found.squared, 9.0f);
    ck_assert_float_eq(found.weight[0], 0.5f);
    ck_assert_float_eq(found.weight[1], 0.25f);
    ck_assert_float_eq(found.weight[2], 0.25f);
    found = dr_closest_point_triangle((drape_vec3){2, 2, 0}, a, b, c);
    ck_assert_float_eq(found.squared, 2.0f);
    ck_assert_float_eq(found.weight[1], 0.5f);
    found = dr_closest_point_triangle((drape_vec3){-3, -4, 0}, a, b, c);
    ck_assert_float_eq(found.squared, 25.0f);
    ck_assert_float_eq(found.weight[0], 1.0f);
    // Edges that cross in the view from above, one unit apart.
    found = dr_closest_edges(a, b, (drape_vec3){1, -1, 1}, (drape_vec3){1, 3, 1});
    ck_assert_float_eq(found.squared, 1.0f);
    ck_assert_float_eq(found.weight[0], 0.5f);
    ck_assert_float_eq(found.weight[1], 0.25f);
}
END_TEST

START_TEST(nothing_to_divide_by)
{
    drape_vec3 a = {1, 2, 3}, b = {1, 2, 5}, far = {4, 2, 3};
    // A triangle that is a point, and one that is an edge, whichever corner comes twice.
    ck_assert_float_eq(dr_closest_point_triangle(far, a, a, a).squared, 9.0f);
    ck_assert_float_eq(dr_closest_point_triangle(a, a, a, a).squared, 0.0f);
    ck_assert_float_eq(dr_closest_point_triangle(far, a, a, b).squared, 9.0f);
    ck_assert_float_eq(dr_closest_point_triangle(far, a, b, a).squared, 9.0f);
    ck_assert_float_eq(dr_closest_point_triangle(far, b, a, a).squared, 9.0f);
    // Edges that are points.
    ck_assert_float_eq(dr_closest_edges(a, a, far, far).squared, 9.0f);
    ck_assert_float_eq(dr_closest_edges(a, b, far, far).squared, 9.0f);
    ck_assert_float_eq(dr_closest_edges(far, far, a, b).squared, 9.0f);
    ck_assert_float_eq(dr_closest_edges(a, a, a, a).squared, 0.0f);
    // Parallel, one behind the other, and along each other.
    drape_vec3 o = {0, 0, 0}, x1 = {1, 0, 0}, x2 = {2, 0, 0}, x3 = {3, 0, 0};
    ck_assert_float_eq(dr_closest_edges(o, x1, x2, x3).squared, 1.0f);
    ck_assert_float_eq(dr_closest_edges(o, x2, x3, x1).squared, 0.0f);
    ck_assert_float_eq(
        dr_closest_edges(o, x3, (drape_vec3){1, 2, 0}, (drape_vec3){2, 2, 0}).squared, 4.0f);
}
END_TEST

// --- Eight at a time ---

// All shapes of pairs as one list, with a count that is no multiple of eight.
enum { BATCH_COUNT = PAIR_SHAPE_COUNT * 501 + 3 };

static float positions[4 * 4 * BATCH_COUNT];
static int32_t pairs[BATCH_COUNT][4];
static dr_closest expected[BATCH_COUNT], found_all[BATCH_COUNT + 1];
static dr_close_pair found_near[BATCH_COUNT];

static void make_batch(bool is_edges)
{
    for (int k = 0; k < BATCH_COUNT; ++k) {
        drape_vec3 v[4];
        make_pair((pair_shape)(k % PAIR_SHAPE_COUNT), (uint32_t)k, v);
        expected[k] = find(is_edges, v);
        for (int i = 0; i < 4; ++i) {
            // Vertices lie in no order.
            int32_t at = (int32_t)((4 * k + i) * 1009LL % (4 * BATCH_COUNT));
            float* place = positions + 4 * at;
            pairs[k][i] = at;
            place[0] = v[i].x, place[1] = v[i].y, place[2] = v[i].z, place[3] = NAN;
        }
    }
}

static void check_isa(bool is_edges, drape_isa isa)
{
    const dr_closest_kernels* kernels = dr_closest_kernels_for(isa);
    const int32_t(*list)[4] = (const int32_t(*)[4])pairs;
    for (int count = BATCH_COUNT - 9; count <= BATCH_COUNT; ++count) {
        memset(found_all, 0x55, sizeof found_all);
        (is_edges ? kernels->edges : kernels->point_triangle)(positions, list, count, found_all);
        ck_assert_mem_eq(found_all, expected, sizeof(dr_closest) * (size_t)count);
        // Nothing is written behind the last.
        ck_assert_mem_eq(&found_all[count].weight[2], "\x55\x55\x55\x55", 4);
        float limit = 0.01f;
        int near_count = (is_edges ? kernels->edges_near : kernels->point_triangle_near)(
            positions, list, count, limit, found_near);
        int next = 0;
        for (int k = 0; k < count; ++k) {
            if (expected[k].squared < limit) {
                const dr_close_pair* near = &found_near[next++];
                EXPECT(near->pair == k &&
                           memcmp(&near->closest, &expected[k], sizeof *expected) == 0,
                       "pair %d", k);
            }
        }
        ck_assert_int_eq(next, near_count);
        ck_assert_int_gt(next, 0);
        ck_assert_int_lt(next, count);
    }
}

START_TEST(same_bits_eight_wide)
{
    bool is_edges = _i != 0;
    make_batch(is_edges);
    for (int isa = DRAPE_ISA_PLAIN; isa <= DRAPE_ISA_WASM; ++isa) {
        if (dr_isa_available((drape_isa)isa)) {
            check_isa(is_edges, (drape_isa)isa);
        }
    }
}
END_TEST

START_TEST(an_empty_batch)
{
    const dr_closest_kernels* kernels = dr_closest_kernels_for(dr_isa_resolve(DRAPE_ISA_AUTO));
    kernels->point_triangle(NULL, NULL, 0, NULL);
    ck_assert_int_eq(kernels->edges_near(NULL, NULL, 0, 1.0f, NULL), 0);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("closest");
    TCase* tests = tcase_create("closest");
    tcase_add_loop_test(tests, distance_is_true, 0, 2);
    tcase_add_loop_test(tests, no_sample_is_nearer, 0, 2);
    tcase_add_test(tests, known_places);
    tcase_add_test(tests, nothing_to_divide_by);
    tcase_add_loop_test(tests, same_bits_eight_wide, 0, 2);
    tcase_add_test(tests, an_empty_batch);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
