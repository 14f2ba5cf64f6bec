// Material coordinates, and the directions of warp and weft.
#include <math.h>

#include "mesh_test.h"

static float dot(drape_vec3 a, drape_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static drape_vec3 minus(drape_vec3 a, drape_vec3 b)
{
    return (drape_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static void check_close(drape_vec3 a, float x, float y, float z)
{
    ck_assert_float_eq_tol(a.x, x, 1e-5f);
    ck_assert_float_eq_tol(a.y, y, 1e-5f);
    ck_assert_float_eq_tol(a.z, z, 1e-5f);
}

static void check_orthonormal(drape_vec3 warp, drape_vec3 weft)
{
    ck_assert_float_eq_tol(dot(warp, warp), 1.0f, 1e-5f);
    ck_assert_float_eq_tol(dot(weft, weft), 1.0f, 1e-5f);
    ck_assert_float_eq_tol(dot(warp, weft), 0.0f, 1e-5f);
}

static dr_mesh build_triangle(const drape_vec3* points, const float* uv)
{
    static const int32_t indices[3] = {0, 1, 2};
    drape_mesh_view view = {.positions = points,
                            .uv = uv,
                            .triangles = indices,
                            .vertex_count = 3,
                            .triangle_count = 1};
    return build(&view);
}

// How much u and v change along a direction: it is written in terms of the sides by the normal
// equations, which also fail the test when it does not lie in the plane.
static void slope_along(const drape_vec3* p, const float* uv, drape_vec3 along, double slope[2])
{
    drape_vec3 a = minus(p[1], p[0]), b = minus(p[2], p[0]);
    double aa = (double)dot(a, a), ab = (double)dot(a, b), bb = (double)dot(b, b);
    double aw = (double)dot(a, along), bw = (double)dot(b, along), det = aa * bb - ab * ab;
    double s = (bb * aw - ab * bw) / det, t = (aa * bw - ab * aw) / det;
    ck_assert_double_eq_tol(s * aw + t * bw, 1.0, 1e-4);
    for (int k = 0; k < 2; ++k) {
        slope[k] = s * (double)(uv[2 + k] - uv[k]) + t * (double)(uv[4 + k] - uv[k]);
    }
}

// Over random triangles: along warp u grows and v stays, along weft v grows.
START_TEST(warp_follows_u)
{
    setup_memory();
    uint64_t seed = 3;
    for (int round = 0; round < 2000; ++round) {
        drape_vec3 p[3];
        float uv[6];
        for (int i = 0; i < 3; ++i) {
            p[i] = (drape_vec3){random_signed(&seed), random_signed(&seed), random_signed(&seed)};
            uv[2 * i] = random_signed(&seed);
            uv[2 * i + 1] = random_signed(&seed);
        }
        float area = (uv[2] - uv[0]) * (uv[5] - uv[1]) - (uv[4] - uv[0]) * (uv[3] - uv[1]);
        dr_mesh mesh = build_triangle(p, uv);
        if (fabsf(area) > 0.05f && mesh.rest_area[0] > 0.05f) {
            drape_vec3 warp, weft;
            double slope[2];
            dr_mesh_warp_direction(&mesh, 0, &warp, &weft);
            check_orthonormal(warp, weft);
            slope_along(p, uv, warp, slope);
            ck_assert_double_gt(slope[0], 0.0);
            ck_assert_double_eq_tol(slope[1] / slope[0], 0.0, 1e-3);
            slope_along(p, uv, weft, slope);
            ck_assert_double_gt(slope[1], 0.0);
        }
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

// Only the direction of uv counts, not its size; a mirrored uv turns weft round.
START_TEST(warp_ignores_scale_of_uv)
{
    setup_memory();
    const drape_vec3 p[3] = {{0, 2, 0}, {0, 2, 1}, {1, 2, 0}};
    const float scales[] = {1e-4f, 1.0f, 1e6f};
    for (int i = 0; i < 3; ++i) {
        for (int mirror = -1; mirror <= 1; mirror += 2) {
            float s = scales[i], m = (float)mirror;
            const float uv[6] = {0, 0, 0, m * s, s, 0};
            dr_mesh mesh = build_triangle(p, uv);
            drape_vec3 warp, weft;
            dr_mesh_warp_direction(&mesh, 0, &warp, &weft);
            check_close(warp, 1.0f, 0.0f, 0.0f);
            check_close(weft, 0.0f, 0.0f, m);
            dr_mesh_free(&mesh, &memory);
        }
    }
    check_memory_freed();
}
END_TEST

// Without directions in uv, warp is the x axis laid into the triangle, or z when x is its normal.
START_TEST(flat_uv_falls_back_to_axes)
{
    setup_memory();
    const float uv[6] = {1, 1, 2, 2, 3, 3};
    const drape_vec3 tilted[3] = {{0, 0, 0}, {1, 1, 0}, {0, 0, 1}};
    const drape_vec3 across_x[3] = {{2, 0, 0}, {2, 1, 0}, {2, 0, 1}};
    drape_vec3 warp, weft;
    dr_mesh mesh = build_triangle(tilted, uv);
    dr_mesh_warp_direction(&mesh, 0, &warp, &weft);
    check_close(warp, sqrtf(0.5f), sqrtf(0.5f), 0.0f);
    check_orthonormal(warp, weft);
    dr_mesh_free(&mesh, &memory);

    mesh = build_triangle(across_x, uv);
    dr_mesh_warp_direction(&mesh, 0, &warp, &weft);
    check_close(warp, 0.0f, 0.0f, 1.0f);
    check_orthonormal(warp, weft);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

START_TEST(degenerate_triangles_still_get_directions)
{
    setup_memory();
    const float uv[6] = {0, 0, 1, 0, 0, 1};
    const drape_vec3 shapes[4][3] = {
        {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
        {{0, 0, 0}, {0, 0, 1}, {0, 0, -1}},
        {{0, 0, 0}, {1, 2, 3}, {-2, -4, -6}},
    };
    for (int i = 0; i < 4; ++i) {
        dr_mesh mesh = build_triangle(shapes[i], uv);
        drape_vec3 warp, weft;
        dr_mesh_warp_direction(&mesh, 0, &warp, &weft);
        check_orthonormal(warp, weft);
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

// The axis that is left out of a sheet without uv is the one it lies across.
START_TEST(missing_uv_comes_from_the_rest_shape)
{
    setup_memory();
    const drape_vec3 across_y[3] = {{0, 7, 0}, {1, 7, 0}, {0, 7, 2}};
    const drape_vec3 across_z[3] = {{0, 0, 7}, {1, 0, 7}, {0, 2, 7}};
    const drape_vec3 across_x[3] = {{7, 0, 0}, {7, 0, 1}, {7, 2, 0}};
    const drape_vec3 even[3] = {{0, 0, 0}, {1, 1, 0}, {0, 1, 1}};
    const drape_vec3* shapes[4] = {across_y, across_z, across_x, even};
    const float expected[4][2][2] = {
        {{1, 0}, {0, 2}}, {{1, 0}, {0, 2}}, {{1, 0}, {0, 2}}, {{1, 0}, {0, 1}}};
    for (int i = 0; i < 4; ++i) {
        dr_mesh mesh = build_triangle(shapes[i], NULL);
        for (int v = 0; v < 2; ++v) {
            ck_assert_float_eq(mesh.uv[1 + v][0], expected[i][v][0]);
            ck_assert_float_eq(mesh.uv[1 + v][1], expected[i][v][1]);
        }
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("material");
    TCase* cases = tcase_create("material");
    tcase_add_test(cases, warp_follows_u);
    tcase_add_test(cases, warp_ignores_scale_of_uv);
    tcase_add_test(cases, flat_uv_falls_back_to_axes);
    tcase_add_test(cases, degenerate_triangles_still_get_directions);
    tcase_add_test(cases, missing_uv_comes_from_the_rest_shape);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
