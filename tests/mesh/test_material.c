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

// Fits u and v linearly over random triangles: along warp u grows and v stays, along weft v grows.
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
            drape_vec3 warp, weft, a = minus(p[1], p[0]), b = minus(p[2], p[0]);
            dr_mesh_warp_direction(&mesh, 0, &warp, &weft);
            check_orthonormal(warp, weft);

            // Warp in terms of the sides: warp = s a + t b, by the normal equations.
            float aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), det = aa * bb - ab * ab;
            float s = (bb * dot(a, warp) - ab * dot(b, warp)) / det;
            float t = (aa * dot(b, warp) - ab * dot(a, warp)) / det;
            drape_vec3 rest = {s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
            check_close(minus(rest, warp), 0.0f, 0.0f, 0.0f);
            float du = s * (uv[2] - uv[0]) + t * (uv[4] - uv[0]);
            float dv = s * (uv[3] - uv[1]) + t * (uv[5] - uv[1]);
            ck_assert_float_gt(du, 0.0f);
            ck_assert_float_eq_tol(dv / du, 0.0f, 1e-2f);

            s = (bb * dot(a, weft) - ab * dot(b, weft)) / det;
            t = (aa * dot(b, weft) - ab * dot(a, weft)) / det;
            ck_assert_float_gt(s * (uv[3] - uv[1]) + t * (uv[5] - uv[1]), 0.0f);
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
