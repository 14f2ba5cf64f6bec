// Samples are even, directions are where they should be.
#include "render/sampling.h"

#include "../support.h"

// With 16 points, each cell of a 4 x 4, a 16 x 1 and a 1 x 16 grid has one, for every pixel and
// purpose; the same holds for 4 x 16 grids and 64 points.
START_TEST(points_are_spread_evenly)
{
    const int grids[][2] = {{4, 4}, {16, 1}, {1, 16}, {2, 8}, {8, 8}, {64, 1}, {4, 16}};
    for (int g = 0; g < (int)(sizeof grids / sizeof grids[0]); ++g) {
        int across = grids[g][0], down = grids[g][1], count = across * down;
        for (uint32_t seed = 0; seed < 50; ++seed) {
            int cells[64] = {0};
            for (int i = 0; i < count; ++i) {
                dr_sampler sampler = {dr_hash_mix(seed), (uint32_t)i};
                dr_sample u = dr_sampler_get(&sampler, seed % 7);
                ck_assert(u.x >= 0.0f && u.x < 1.0f && u.y >= 0.0f && u.y < 1.0f);
                ++cells[(int)(u.y * (float)down) * across + (int)(u.x * (float)across)];
            }
            for (int c = 0; c < count; ++c) {
                ck_assert_int_eq(cells[c], 1);
            }
        }
    }
}
END_TEST

START_TEST(purposes_are_not_paired)
{
    // Means of products over many pixels; paired numbers would give 1/3 in place of 1/4.
    double sum = 0.0;
    int count = 0;
    for (uint32_t seed = 0; seed < 2000; ++seed) {
        for (uint32_t i = 0; i < 16; ++i) {
            dr_sampler sampler = {dr_hash_mix(seed), i};
            sum += (double)dr_sampler_get(&sampler, 1).x * (double)dr_sampler_get(&sampler, 2).x;
            ++count;
        }
    }
    ck_assert_double_eq_tol(sum / count, 0.25, 0.004);
}
END_TEST

START_TEST(hemispheres_follow_the_cosine)
{
    const drape_vec3 normals[] = {{0, 0, 1}, {0, 0, -1}, {0, 1, 0}, {0.6f, -0.8f, 0.0f}};
    for (int n = 0; n < 4; ++n) {
        double mean = 0.0, second = 0.0;
        for (uint32_t i = 0; i < 4096; ++i) {
            dr_sampler sampler = {5, i};
            drape_vec3 d = dr_sample_cosine(normals[n], dr_sampler_get(&sampler, 0));
            double up = (double)dr_dot(d, normals[n]);
            ck_assert_float_eq_tol(dr_length(d), 1.0f, 1e-5f);
            ck_assert(up >= -1e-6);
            mean += up / 4096;
            second += up * up / 4096;
        }
        // The density of cosine c is 2 c.
        ck_assert_double_eq_tol(mean, 2.0 / 3.0, 1e-3);
        ck_assert_double_eq_tol(second, 0.5, 1e-3);
    }
}
END_TEST

START_TEST(cones_are_filled_evenly)
{
    const drape_vec3 axis = {0.0f, 0.8f, 0.6f};
    double mean = 0.0, least = 1.0;
    for (uint32_t i = 0; i < 4096; ++i) {
        dr_sampler sampler = {9, i};
        drape_vec3 d = dr_sample_cone(axis, 0.9f, dr_sampler_get(&sampler, 0));
        double up = (double)dr_dot(d, axis);
        ck_assert_float_eq_tol(dr_length(d), 1.0f, 1e-5f);
        mean += up / 4096;
        least = up < least ? up : least;
    }
    // Heights on a cap are even.
    ck_assert_double_eq_tol(mean, 0.95, 1e-4);
    ck_assert(least >= 0.9 - 1e-5 && least < 0.901);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("sampling");
    TCase* tests = tcase_create("sampling");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, points_are_spread_evenly);
    tcase_add_test(tests, purposes_are_not_paired);
    tcase_add_test(tests, hemispheres_follow_the_cosine);
    tcase_add_test(tests, cones_are_filled_evenly);
    return run_suite(suite);
}
