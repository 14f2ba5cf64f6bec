// Convex hulls: no point outside, no gap, against what is known of them.
#include "collide/hull.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "../support.h"
#include "collide/predicates.h"
#include "core/random.h"

// Every directed edge has its opposite, once: the surface is closed; and every point is behind or in
// the plane of every face.
static void expect_hull(const dr_hull* hull, const drape_vec3* points, int count)
{
    int edges = 0;
    for (int i = 0; i < hull->triangle_count; ++i) {
        const int32_t* f = hull->triangles[i];
        for (int p = 0; p < count; ++p) {
            ck_assert_int_le(dr_orient3d_positions(hull->positions[f[0]], hull->positions[f[1]],
                                                   hull->positions[f[2]], points[p]),
                             0);
        }
        for (int k = 0; k < 3; ++k) {
            int opposite = 0;
            for (int j = 0; j < hull->triangle_count; ++j) {
                const int32_t* g = hull->triangles[j];
                for (int l = 0; l < 3; ++l) {
                    opposite += g[l] == f[(k + 1) % 3] && g[(l + 1) % 3] == f[k];
                }
            }
            ck_assert_int_eq(opposite, 1);
            ++edges;
        }
    }
    ck_assert_int_eq(hull->vertex_count - edges / 2 + hull->triangle_count, 2);
}

static double volume_of(const dr_hull* hull)
{
    double volume = 0.0;
    for (int i = 0; i < hull->triangle_count; ++i) {
        drape_vec3 a = hull->positions[hull->triangles[i][0]];
        drape_vec3 b = hull->positions[hull->triangles[i][1]];
        drape_vec3 c = hull->positions[hull->triangles[i][2]];
        volume += ((double)a.x * ((double)b.y * c.z - (double)b.z * c.y) +
                   (double)a.y * ((double)b.z * c.x - (double)b.x * c.z) +
                   (double)a.z * ((double)b.x * c.y - (double)b.y * c.x)) /
                  6.0;
    }
    return volume;
}

START_TEST(random_points_are_inside)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    for (uint32_t seed = 0; seed < 30; ++seed) {
        drape_vec3 points[60];
        int count = 4 + (int)(seed * 2) % 57;
        for (int i = 0; i < count; ++i) {
            uint32_t n = 3 * (uint32_t)i;
            points[i] = (drape_vec3){dr_random_signed(seed, n), dr_random_signed(seed, n + 1),
                                     dr_random_signed(seed, n + 2)};
        }
        dr_hull hull;
        ck_assert_ptr_null(dr_hull_create(&hull, &memory, points, count));
        expect_hull(&hull, points, count);
        dr_hull_free(&hull, &memory);
    }
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

// A lattice: whole rows and planes of points are on the hull, in any order.
START_TEST(lattices_become_boxes)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    drape_vec3 points[4 * 4 * 4];
    for (int i = 0; i < 64; ++i) {
        int k = i * (2 * _i + 1) % 64; // odd: every number once
        points[i] = (drape_vec3){(float)(k % 4), (float)(k / 4 % 4), (float)(k / 16)};
    }
    dr_hull hull;
    ck_assert_ptr_null(dr_hull_create(&hull, &memory, points, 64));
    expect_hull(&hull, points, 64);
    ck_assert_double_eq(volume_of(&hull), 27.0);
    dr_hull_free(&hull, &memory);
}
END_TEST

START_TEST(balls_are_nearly_full)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    enum { count = 600 };
    drape_vec3 points[count];
    for (int i = 0; i < count; ++i) {
        float y = 1.0f - 2.0f * ((float)i + 0.5f) / count, r = sqrtf(1.0f - y * y);
        points[i] = (drape_vec3){r * cosf(2.39996f * (float)i), y, r * sinf(2.39996f * (float)i)};
    }
    dr_hull hull;
    ck_assert_ptr_null(dr_hull_create(&hull, &memory, points, count));
    ck_assert_int_eq(hull.vertex_count, count);
    ck_assert_int_eq(hull.triangle_count, 2 * count - 4);
    ck_assert_double_gt(volume_of(&hull), 0.98 * 4.18879);
    ck_assert_double_lt(volume_of(&hull), 4.18879);
    dr_hull_free(&hull, &memory);
}
END_TEST

START_TEST(flat_and_few_points_are_refused)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    const drape_vec3 flat[6] = {{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {0, 0, 0}, {5, 0, -1}, {3, 0, 3}};
    dr_hull hull;
    ck_assert_ptr_nonnull(dr_hull_create(&hull, &memory, flat, 6));
    dr_hull_free(&hull, &memory);
    ck_assert_ptr_nonnull(dr_hull_create(&hull, &memory, flat, 3));
    dr_hull_free(&hull, &memory);
    ck_assert_ptr_nonnull(dr_hull_create(&hull, &memory, NULL, 0));
    dr_hull_free(&hull, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

START_TEST(memory_may_end_anywhere)
{
    const drape_vec3 points[6] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                  {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    const char* refusal = "";
    for (int calls = 0; calls < 40 && refusal; ++calls) {
        watched_heap heap = {.calls_left = calls};
        drape_allocator hook = {watched_allocate, watched_release, &heap};
        dr_memory memory;
        dr_memory_init(&memory, &hook);
        dr_hull hull;
        refusal = dr_hull_create(&hull, &memory, points, 6);
        ck_assert(refusal || hull.triangle_count == 8);
        dr_hull_free(&hull, &memory);
        ck_assert_uint_eq(heap.bytes, 0);
    }
    ck_assert_ptr_null(refusal);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("hull");
    TCase* tests = tcase_create("hull");
    tcase_add_test(tests, random_points_are_inside);
    tcase_add_loop_test(tests, lattices_become_boxes, 0, 8);
    tcase_add_test(tests, balls_are_nearly_full);
    tcase_add_test(tests, flat_and_few_points_are_refused);
    tcase_add_test(tests, memory_may_end_anywhere);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
