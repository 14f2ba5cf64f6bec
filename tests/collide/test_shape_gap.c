// The gap of triangles from solids against a slow search for their distance.
#include "collide/shape_gap.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "../support.h"
#include "core/random.h"
#include "core/vec_math.h"

static const drape_shape shapes[] = {
    {.kind = DRAPE_SHAPE_BOX, .size = {0.6f, 0.2f, 0.4f}},
    {.kind = DRAPE_SHAPE_BOX, .size = {0.01f, 0.5f, 0.01f}},
    {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.25f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.1f, .radius_top = 0.1f, .height = 0.3f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.002f, .radius_top = 0.002f, .height = 0.5f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.2f, .radius_top = 0.1f, .height = 0.3f},
    {.kind = DRAPE_SHAPE_PLANE},
};
enum { shape_count = sizeof shapes / sizeof shapes[0], triangle_count = 1500 };

typedef struct corners {
    double p[3][3];
} corners;

static corners random_triangle(uint32_t i, double size)
{
    corners t;
    for (uint32_t k = 0; k < 3; ++k) {
        for (uint32_t c = 0; c < 3; ++c) {
            double middle = 0.4 * (double)dr_random_signed(1, 3 * i + c);
            t.p[k][c] = middle + size * (double)dr_random_signed(2, 9 * i + 3 * k + c);
        }
    }
    return t;
}

static double distance_at(const dr_shape_terms* terms, const corners* t, double u, double v)
{
    double q[3];
    for (int c = 0; c < 3; ++c) {
        q[c] = t->p[0][c] + u * (t->p[1][c] - t->p[0][c]) + v * (t->p[2][c] - t->p[0][c]);
    }
    drape_vec3 normal;
    return (double)dr_shape_distance(terms, (drape_vec3){(float)q[0], (float)q[1], (float)q[2]},
                                     &normal);
}

// Distance is convex: a third of the bracket goes in every round, first across, then along.
static double least_across(const dr_shape_terms* terms, const corners* t, double u)
{
    double lo = 0.0, hi = 1.0 - u;
    for (int i = 0; i < 32; ++i) {
        double a = lo + (hi - lo) / 3.0, b = hi - (hi - lo) / 3.0;
        bool falls = distance_at(terms, t, u, a) > distance_at(terms, t, u, b);
        lo = falls ? a : lo;
        hi = falls ? hi : b;
    }
    return distance_at(terms, t, u, 0.5 * (lo + hi));
}

static double slow_distance(const drape_shape* shape, const corners* t)
{
    dr_shape_terms terms = dr_shape_terms_of(shape);
    double lo = 0.0, hi = 1.0;
    for (int i = 0; i < 32; ++i) {
        double a = lo + (hi - lo) / 3.0, b = hi - (hi - lo) / 3.0;
        bool falls = least_across(&terms, t, a) > least_across(&terms, t, b);
        lo = falls ? a : lo;
        hi = falls ? hi : b;
    }
    return least_across(&terms, t, 0.5 * (lo + hi));
}

static void check_unit(const dr_shape_gap* gap)
{
    const double* n = gap->normal;
    ck_assert_double_eq_tol(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-12);
}

START_TEST(gap_is_the_distance)
{
    const drape_shape* shape = &shapes[_i];
    int apart = 0;
    for (uint32_t i = 0; i < triangle_count; ++i) {
        corners t = random_triangle(i, i % 2 ? 0.3 : 0.03);
        dr_shape_gap gap = dr_shape_gap_of(shape, t.p[0], 3, INFINITY);
        double distance = slow_distance(shape, &t);
        check_unit(&gap);
        if (distance > 1e-6) {
            ck_assert_double_eq_tol(gap.gap, distance, 2e-6);
            ++apart;
        } else if (distance < -1e-6) {
            ck_assert_double_lt(gap.gap, 0.0);
        }
    }
    ck_assert_int_gt(apart, triangle_count / 10);
}
END_TEST

// A gap below zero tells a way out.
START_TEST(overlap_ends_where_the_gap_says)
{
    const drape_shape* shape = &shapes[_i];
    int inside = 0;
    for (uint32_t i = 0; i < triangle_count; ++i) {
        corners t = random_triangle(i, 0.2);
        dr_shape_gap gap = dr_shape_gap_of(shape, t.p[0], 3, INFINITY);
        if (gap.gap < 0.0) {
            for (int k = 0; k < 9; ++k) {
                t.p[k / 3][k % 3] -= gap.gap * gap.normal[k % 3];
            }
            ck_assert_double_gt(slow_distance(shape, &t), -1e-6);
            ++inside;
        }
    }
    ck_assert_int_gt(inside, 10);
}
END_TEST

// And for boxes and triangles it is the shortest: no direction of a fine choice has a larger gap.
START_TEST(no_way_out_of_a_box_is_shorter)
{
    for (uint32_t i = 0; i < 200; ++i) {
        corners t = random_triangle(i, 0.2);
        dr_shape_gap gap = dr_shape_gap_of(&shapes[0], t.p[0], 3, INFINITY);
        for (uint32_t k = 0; k < 500; ++k) {
            drape_vec3 d = dr_normalize((drape_vec3){dr_random_signed(3, 3 * k),
                                                     dr_random_signed(3, 3 * k + 1),
                                                     dr_random_signed(3, 3 * k + 2)});
            const double n[3] = {(double)d.x, (double)d.y, (double)d.z};
            double other = dr_shape_gap_along(&shapes[0], t.p[0], 3, n).gap;
            ck_assert_double_le(other, gap.gap + 1e-7);
        }
    }
}
END_TEST

START_TEST(enough_is_enough)
{
    for (uint32_t i = 0; i < triangle_count; ++i) {
        corners t = random_triangle(i, 0.1);
        dr_shape_gap best = dr_shape_gap_of(&shapes[_i], t.p[0], 3, INFINITY);
        dr_shape_gap first = dr_shape_gap_of(&shapes[_i], t.p[0], 3, 0.01);
        ck_assert_int_eq(first.gap >= 0.01, best.gap >= 0.01);
        dr_shape_gap same = dr_shape_gap_along(&shapes[_i], t.p[0], 3, first.normal);
        ck_assert(same.gap == first.gap && same.reach == first.reach);
    }
}
END_TEST

START_TEST(nonsense_ends)
{
    const double points[6][3] = {{NAN, 0, 0}, {0, 0, 0}, {0, 0, 0},
                                 {0, 0, 0},   {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < shape_count; ++i) {
        ck_assert(!(dr_shape_gap_of(&shapes[i], points[0], 6, 1.0).gap >= 1.0));
        ck_assert(!(dr_shape_gap_of(&shapes[i], points[1], 3, 1.0).gap >= 1.0));
    }
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("shape_gap");
    tcase_add_loop_test(tests, gap_is_the_distance, 0, shape_count);
    tcase_add_loop_test(tests, overlap_ends_where_the_gap_says, 0, shape_count);
    tcase_add_test(tests, no_way_out_of_a_box_is_shorter);
    tcase_add_loop_test(tests, enough_is_enough, 0, shape_count);
    tcase_add_test(tests, nonsense_ends);
    Suite* suite = suite_create("shape_gap");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
