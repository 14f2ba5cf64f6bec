// Polygons cut into triangles: the area stays, no triangle is turned over, every corner is used.
#include "io/polygon.h"
#include "io_test.h"

#define CORNER_MAX 5000

// Twice the area vector of a triangle.
static void area_vector(const drape_vec3* positions, const int32_t* t, double area[3])
{
    drape_vec3 a = positions[t[0]], b = positions[t[1]], c = positions[t[2]];
    double u[3] = {(double)b.x - a.x, (double)b.y - a.y, (double)b.z - a.z};
    double v[3] = {(double)c.x - a.x, (double)c.y - a.y, (double)c.z - a.z};
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        area[k] = u[i] * v[j] - u[j] * v[i];
    }
}

// Cuts a plain polygon of the given corners and checks all that must hold. A triangle that is
// turned over would make the sum of the sizes larger than the size of the sum.
static void check_cut(const drape_vec3* positions, size_t count, size_t flat_allowed)
{
    static int32_t loop[CORNER_MAX], triangles[3 * CORNER_MAX];
    static int uses[CORNER_MAX];
    memset(uses, 0, sizeof uses);
    for (size_t k = 0; k < count; ++k) {
        loop[k] = (int32_t)k;
    }
    dr_polygon_cutter cutter = {0};
    ck_assert_int_eq(dr_polygon_cut(&cutter, positions, loop, count, triangles), DR_POLYGON_CUT);
    dr_polygon_cutter_free(&cutter);

    double sum[3] = {0.0, 0.0, 0.0}, sizes = 0.0, wanted[3] = {0.0, 0.0, 0.0};
    size_t flat_count = 0;
    for (size_t t = 0; t < count - 2; ++t) {
        double area[3], fan_area[3];
        area_vector(positions, &triangles[3 * t], area);
        area_vector(positions, (int32_t[3]){0, (int32_t)t + 1, (int32_t)t + 2}, fan_area);
        double size = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        sizes += size;
        flat_count += size == 0.0;
        for (int k = 0; k < 3; ++k) {
            sum[k] += area[k];
            wanted[k] += fan_area[k];
            ++uses[triangles[3 * t + k]];
        }
    }
    double size = sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1] + wanted[2] * wanted[2]);
    for (int k = 0; k < 3; ++k) {
        ck_assert_double_eq_tol(sum[k], wanted[k], 1e-9 * size);
    }
    ck_assert_double_eq_tol(sizes, size, 1e-6 * size);
    ck_assert_uint_le(flat_count, flat_allowed);
    for (size_t k = 0; k < count; ++k) {
        ck_assert_int_gt(uses[k], 0);
    }
}

// The same in the plane of each two axes, both ways round, and from every first corner.
static void check_all_ways(const float (*corners)[2], size_t count, size_t flat_allowed)
{
    static drape_vec3 positions[CORNER_MAX];
    for (size_t way = 0; way < 6; ++way) {
        for (size_t first = 0; first < count; ++first) {
            for (size_t k = 0; k < count; ++k) {
                size_t from = (first + (way < 3 ? k : count - k)) % count;
                float x = corners[from][0], y = corners[from][1];
                positions[k] = way % 3 == 0   ? (drape_vec3){x, y, 0.5f * x}
                               : way % 3 == 1 ? (drape_vec3){0.25f * y, x, y}
                                              : (drape_vec3){y, 0.0f, x};
            }
            check_cut(positions, count, flat_allowed);
        }
    }
}

START_TEST(quad_is_a_fan)
{
    const drape_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    int32_t triangles[6];
    dr_polygon_cutter cutter = {0};
    dr_polygon_cut(&cutter, positions, (int32_t[4]){0, 1, 2, 3}, 4, triangles);
    dr_polygon_cutter_free(&cutter);
    ck_assert_mem_eq(triangles, ((int32_t[6]){0, 1, 2, 0, 2, 3}), sizeof triangles);
}
END_TEST

START_TEST(shapes_keep_their_area)
{
    const float arrow[4][2] = {{0, 0}, {4, 0}, {1, 1}, {0, 4}};
    check_all_ways(arrow, 4, 0);
    const float letter_l[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
    check_all_ways(letter_l, 6, 0);
    const float comb[10][2] = {{0, 0}, {9, 0}, {9, 5}, {7, 5}, {7, 1},
                               {5, 1}, {5, 5}, {3, 5}, {3, 1}, {0, 1}};
    check_all_ways(comb, 10, 0);
    const float straight_corners[8][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1},
                                          {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    check_all_ways(straight_corners, 8, 0);
    // A square with a square hole, joined by a cut that runs there and back.
    const float ring[10][2] = {{0, 0}, {6, 0}, {6, 6}, {0, 6}, {0, 0},
                               {2, 2}, {2, 4}, {4, 4}, {4, 2}, {2, 2}};
    check_all_ways(ring, 10, 0);
}
END_TEST

// Stars with ragged rays: many corners turn inward.
START_TEST(random_stars_keep_their_area)
{
    static drape_vec3 positions[CORNER_MAX];
    uint64_t state = 4;
    for (int round = 0; round < 200; ++round) {
        size_t count = 5 + test_random(&state) % 60;
        for (size_t k = 0; k < count; ++k) {
            double angle = 6.283185307179586 * (double)k / (double)count;
            double radius = 0.1 + (double)(test_random(&state) % 1000) / 1000.0;
            positions[k] =
                (drape_vec3){(float)(radius * cos(angle)), 2.0f, (float)(radius * sin(angle))};
        }
        check_cut(positions, count, 0);
    }
}
END_TEST

// Ears take the square of the corners; the largest that is allowed must not be felt.
START_TEST(large_polygons)
{
    static drape_vec3 positions[CORNER_MAX];
    static int32_t loop[CORNER_MAX], triangles[3 * CORNER_MAX];
    for (size_t k = 0; k < CORNER_MAX; ++k) {
        double angle = 6.283185307179586 * (double)k / DR_POLYGON_EAR_LIMIT;
        double radius = k % 2 == 0 ? 1.0 : 0.5;
        positions[k] =
            (drape_vec3){(float)(radius * cos(angle)), (float)(radius * sin(angle)), 0.0f};
        loop[k] = (int32_t)k;
    }
    check_cut(positions, DR_POLYGON_EAR_LIMIT, 0);
    dr_polygon_cutter cutter = {0};
    ck_assert_int_eq(dr_polygon_cut(&cutter, positions, loop, DR_POLYGON_EAR_LIMIT + 1, triangles),
                     DR_POLYGON_TOO_LARGE);
    dr_polygon_cutter_free(&cutter);
}
END_TEST

// Loops that cross themselves, fall together or have no plane still give triangles of their
// corners.
START_TEST(hopeless_loops_are_cut_somehow)
{
    uint64_t state = 5;
    dr_polygon_cutter cutter = {0};
    for (int round = 0; round < 2000; ++round) {
        drape_vec3 positions[12];
        int32_t loop[12], triangles[30];
        size_t count = 4 + test_random(&state) % 9;
        for (size_t k = 0; k < count; ++k) {
            positions[k] =
                (drape_vec3){(float)(test_random(&state) % 3), (float)(test_random(&state) % 3),
                             (float)(test_random(&state) % 2)};
            loop[k] = (int32_t)(test_random(&state) % count);
        }
        ck_assert_int_eq(dr_polygon_cut(&cutter, positions, loop, count, triangles),
                         DR_POLYGON_CUT);
        for (size_t k = 0; k < 3 * (count - 2); ++k) {
            ck_assert(triangles[k] >= 0 && (size_t)triangles[k] < count);
        }
    }
    dr_polygon_cutter_free(&cutter);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("polygon");
    TCase* cutting = tcase_create("cutting");
    tcase_add_test(cutting, quad_is_a_fan);
    tcase_add_test(cutting, shapes_keep_their_area);
    tcase_add_test(cutting, random_stars_keep_their_area);
    tcase_add_test(cutting, large_polygons);
    tcase_add_test(cutting, hopeless_loops_are_cut_somehow);
    suite_add_tcase(suite, cutting);
    return test_run(suite);
}
