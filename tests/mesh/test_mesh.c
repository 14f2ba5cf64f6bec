// Building meshes: bad input, welding, measures, shortage of memory, a million triangles.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "mesh_test.h"

static const drape_vec3 SQUARE[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
static const int32_t SQUARE_TRIANGLES[6] = {0, 2, 1, 0, 3, 2};

static drape_mesh_view square(void)
{
    return (drape_mesh_view){
        .positions = SQUARE, .triangles = SQUARE_TRIANGLES, .vertex_count = 4, .triangle_count = 2};
}

// Refused, with a sentence that has these words, and nothing held.
static void check_refused(const drape_mesh_view* view, const char* words)
{
    dr_mesh mesh;
    char sentence[256] = "";
    ck_assert(!dr_mesh_build(&mesh, &memory, view, NULL, sentence, sizeof sentence));
    ck_assert_msg(strstr(sentence, words), "'%s' does not say '%s'", sentence, words);
    check_memory_freed();
}

START_TEST(bad_counts_and_arrays_are_refused)
{
    setup_memory();
    check_refused(NULL, "no mesh");
    drape_mesh_view view = square();
    view.vertex_count = 0;
    check_refused(&view, "no vertices");
    view.vertex_count = -3;
    check_refused(&view, "-3 vertices");
    view.vertex_count = INT_MAX;
    check_refused(&view, "2147483647 vertices");

    view = square();
    view.triangle_count = -1;
    check_refused(&view, "-1 triangles");
    view.triangle_count = INT_MAX / 2;
    check_refused(&view, "1073741823 triangles");

    view = square();
    view.positions = NULL;
    check_refused(&view, "no array of positions");
    view = square();
    view.triangles = NULL;
    check_refused(&view, "no array of indices");
}
END_TEST

START_TEST(index_out_of_range_is_refused)
{
    setup_memory();
    const int32_t bad[] = {-1, 4, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; ++i) {
        int32_t triangles[6];
        memcpy(triangles, SQUARE_TRIANGLES, sizeof triangles);
        triangles[4] = bad[i];
        drape_mesh_view view = square();
        view.triangles = triangles;
        check_refused(&view, "triangle 1: corner 1");
    }
}
END_TEST

START_TEST(non_finite_coordinates_are_refused)
{
    setup_memory();
    const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f};
    for (int i = 0; i < 4; ++i) {
        drape_vec3 moved[4];
        float uv[8] = {0};
        memcpy(moved, SQUARE, sizeof moved);
        moved[2].z = bad[i];
        uv[7] = bad[i];
        drape_mesh_view view = square();
        view.positions = moved;
        check_refused(&view, "vertex 2: the position");
        view = square();
        view.rest = moved;
        check_refused(&view, "vertex 2: the rest position");
        view = square();
        view.uv = uv;
        check_refused(&view, "vertex 3: the uv");
    }
}
END_TEST

START_TEST(a_sentence_needs_no_room)
{
    setup_memory();
    dr_mesh mesh;
    drape_mesh_view view = square();
    view.vertex_count = 0;
    ck_assert(!dr_mesh_build(&mesh, &memory, &view, NULL, NULL, 0));
}
END_TEST

START_TEST(square_is_measured)
{
    setup_memory();
    drape_mesh_view view = square();
    dr_mesh mesh = build(&view);
    drape_mesh_report r = mesh.report;
    ck_assert_int_eq(r.vertex_count, 4);
    ck_assert_int_eq(r.triangle_count, 2);
    ck_assert_int_eq(r.edge_count, 5);
    ck_assert_int_eq(r.hinge_count, 1);
    ck_assert_int_eq(r.border_edge_count, 4);
    ck_assert_int_eq(r.part_count, 1);
    ck_assert_int_eq(r.degenerate_count + r.duplicate_count + r.coincident_vertex_count, 0);
    ck_assert_float_eq(r.area, 1.0f);
    ck_assert_float_eq(r.edge_min, 1.0f);
    ck_assert_float_eq(r.edge_max, sqrtf(2.0f));
    ck_assert_float_eq_tol(r.edge_mean, (4.0f + sqrtf(2.0f)) / 5.0f, 1e-6f);
    ck_assert_float_eq_tol(mesh.vertex_area[0], 1.0f / 3.0f, 1e-6f);
    ck_assert_float_eq_tol(mesh.vertex_area[1], 1.0f / 6.0f, 1e-6f);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

// The rest shape decides about areas and coincidence, the start pose about neither.
START_TEST(rest_shape_is_apart_from_start_pose)
{
    setup_memory();
    const drape_vec3 crumpled[4] = {{5, 5, 5}, {5, 5, 5}, {5, 5, 5}, {5, 5, 5}};
    drape_mesh_view view = square();
    view.positions = crumpled;
    view.rest = SQUARE;
    dr_mesh mesh = build(&view);
    ck_assert_float_eq(mesh.report.area, 1.0f);
    ck_assert_int_eq(mesh.report.coincident_vertex_count, 0);
    ck_assert_int_eq(mesh.report.degenerate_count, 0);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

START_TEST(vertices_without_triangles_make_a_mesh)
{
    setup_memory();
    drape_mesh_view view = square();
    view.triangle_count = 0;
    view.triangles = NULL;
    dr_mesh mesh = build(&view);
    ck_assert_int_eq(mesh.report.isolated_vertex_count, 4);
    ck_assert_int_eq(mesh.part_count, 4);
    ck_assert_int_eq(mesh.edge_count, 0);
    ck_assert_float_eq(mesh.report.edge_mean, 0.0f);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

// A needle, three points on a line, the same point thrice: no area, yet with edges where there are
// three vertices.
START_TEST(triangles_without_area_are_counted)
{
    setup_memory();
    const drape_vec3 points[5] = {
        {0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {0, 1, 0}, {1.0f, 1.00000006f, 1}};
    const int32_t triangles[12] = {0, 1, 2, 0, 1, 3, 3, 3, 0, 0, 4, 2};
    drape_mesh_view view = {
        .positions = points, .triangles = triangles, .vertex_count = 5, .triangle_count = 4};
    dr_mesh mesh = build(&view);
    ck_assert_int_eq(mesh.report.degenerate_count, 3);
    ck_assert_float_eq(mesh.rest_area[0], 0.0f);
    ck_assert_float_gt(mesh.rest_area[1], 0.0f);
    ck_assert_int_eq(mesh.edge_count, 7);
    ck_assert_int_eq(mesh.triangle_count, 4);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

// Scale must not decide what is degenerate.
START_TEST(tiny_and_huge_sheets_are_sound)
{
    setup_memory();
    const float scales[] = {1e-6f, 1e6f, 1e11f};
    for (int s = 0; s < 3; ++s) {
        drape_vec3 points[4];
        for (int i = 0; i < 4; ++i) {
            points[i] = (drape_vec3){SQUARE[i].x * scales[s], 0.0f, SQUARE[i].z * scales[s]};
        }
        drape_mesh_view view = square();
        view.positions = points;
        dr_mesh mesh = build(&view);
        ck_assert_int_eq(mesh.report.degenerate_count, 0);
        ck_assert_float_eq_tol(mesh.report.area / scales[s] / scales[s], 1.0f, 1e-5f);
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

// Two sheets side by side with a doubled column of vertices become one sheet.
START_TEST(welding_joins_two_sheets)
{
    setup_memory();
    dr_shape_mesh left;
    ck_assert(dr_generate_grid(&left, &memory, 1.0f, 1.0f, 6, 5, DRAPE_DIAGONALS_FORWARD));
    int count = left.vertex_count, triangles = left.triangle_count;
    drape_vec3 points[60];
    int32_t indices[2 * 3 * 40];
    const int32_t* from = left.triangles[0];
    for (int i = 0; i < count; ++i) {
        points[i] = left.positions[i];
        points[count + i] = left.positions[i];
        points[count + i].x += 1.0f;
    }
    for (int i = 0; i < 3 * triangles; ++i) {
        indices[i] = from[i];
        indices[3 * triangles + i] = from[i] + count;
    }
    drape_mesh_view view = {.positions = points,
                            .triangles = indices,
                            .vertex_count = 2 * count,
                            .triangle_count = 2 * triangles};
    dr_mesh apart = build(&view);
    ck_assert_int_eq(apart.part_count, 2);
    ck_assert_int_eq(apart.report.coincident_vertex_count, 5);
    ck_assert_int_eq(apart.report.welded_vertex_count, 0);

    dr_mesh joined;
    int32_t welded[60];
    char sentence[256];
    ck_assert(dr_mesh_build(&joined, &memory, &view, welded, sentence, sizeof sentence));
    ck_assert_int_eq(joined.vertex_count, 55);
    ck_assert_int_eq(joined.part_count, 1);
    ck_assert_int_eq(joined.report.welded_vertex_count, 5);
    ck_assert_int_eq(joined.report.coincident_vertex_count, 0);
    ck_assert_int_eq(joined.report.border_edge_count, apart.report.border_edge_count - 8);
    ck_assert_int_eq(joined.vertex_count - joined.edge_count + joined.triangle_count, 1);
    for (int i = 0; i < 60; ++i) {
        ck_assert_mem_eq(&joined.rest[welded[i]], &points[i], sizeof points[i]);
    }
    dr_mesh_free(&apart, &memory);
    dr_mesh_free(&joined, &memory);
    dr_shape_free(&left, &memory);
    check_memory_freed();
}
END_TEST

// -0 is 0, the least index stays with its uv, numbers are dense, a welded triangle may collapse.
START_TEST(welding_keeps_the_least_index)
{
    setup_memory();
    const drape_vec3 points[6] = {{1, 0, 0},     {0.0f, 0, 0}, {1, 0, 0},
                                  {-0.0f, 0, 0}, {0, 0, 1},    {1, 0, 0}};
    const float uv[12] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
    const int32_t triangles[9] = {0, 1, 4, 2, 4, 3, 5, 0, 4};
    drape_mesh_view view = {.positions = points,
                            .uv = uv,
                            .triangles = triangles,
                            .vertex_count = 6,
                            .triangle_count = 3};
    dr_mesh mesh;
    int32_t welded[6];
    char sentence[256];
    ck_assert(dr_mesh_build(&mesh, &memory, &view, welded, sentence, sizeof sentence));
    const int32_t expected[6] = {0, 1, 0, 1, 2, 0};
    ck_assert_mem_eq(welded, expected, sizeof expected);
    ck_assert_int_eq(mesh.vertex_count, 3);
    ck_assert_int_eq(mesh.triangle_count, 3);
    ck_assert_int_eq(mesh.report.welded_vertex_count, 3);
    ck_assert_int_eq(mesh.report.duplicate_count, 1);
    ck_assert_int_eq(mesh.report.degenerate_count, 1);
    ck_assert_float_eq(mesh.uv[0][0], 0.0f);
    ck_assert_float_eq(mesh.uv[1][0], 1.0f);
    ck_assert_float_eq(mesh.uv[2][0], 4.0f);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

// Points on a coarse lattice: many share a place. The first of each place by brute force.
START_TEST(welding_matches_brute_force)
{
    setup_memory();
    uint64_t seed = 7;
    enum { COUNT = 500 };
    drape_vec3 points[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        points[i] = (drape_vec3){0.1f * (float)random_below(&seed, 5),
                                 -0.3f * (float)random_below(&seed, 5),
                                 0.7f * (float)random_below(&seed, 9)};
    }
    drape_mesh_view view = {.positions = points, .vertex_count = COUNT};
    dr_mesh mesh;
    int32_t welded[COUNT];
    char sentence[256];
    ck_assert(dr_mesh_build(&mesh, &memory, &view, welded, sentence, sizeof sentence));
    int next = 0;
    for (int i = 0; i < COUNT; ++i) {
        int first = 0;
        while (points[first].x != points[i].x || points[first].y != points[i].y ||
               points[first].z != points[i].z) {
            ++first;
        }
        ck_assert_int_eq(welded[i], first == i ? next++ : welded[first]);
    }
    ck_assert_int_eq(mesh.vertex_count, next);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

START_TEST(shortage_of_memory_is_told_and_leaves_nothing)
{
    setup_failing_memory();
    drape_mesh_view view = square();
    bool built = false;
    int tried = 0;
    for (; !built; ++tried) {
        dr_mesh mesh;
        int32_t welded[4];
        char sentence[256] = "";
        calls_left = tried;
        built = dr_mesh_build(&mesh, &memory, &view, tried % 2 ? welded : NULL, sentence,
                              sizeof sentence);
        if (built) {
            dr_mesh_free(&mesh, &memory);
        } else {
            ck_assert_ptr_nonnull(strstr(sentence, "memory is too short"));
        }
        check_memory_freed();
    }
    ck_assert_int_gt(tried, 10);
}
END_TEST

// Euler's formula, borders and areas of a sheet of a million triangles. The time is told only.
START_TEST(a_million_triangles)
{
    setup_memory();
    enum { SIDE = 708 };
    dr_shape_mesh shape;
    ck_assert(dr_generate_grid(&shape, &memory, 1.0f, 1.0f, SIDE, SIDE, DRAPE_DIAGONALS_ALTERNATE));
    drape_mesh_view view = view_of(&shape);
    double start = dr_now_ms();
    dr_mesh mesh = build(&view);
    printf("%d triangles built in %.0f ms\n", mesh.triangle_count, dr_now_ms() - start);
    int cells = (SIDE - 1) * (SIDE - 1);
    ck_assert_int_eq(mesh.triangle_count, 2 * cells);
    ck_assert_int_eq(mesh.edge_count, 2 * SIDE * (SIDE - 1) + cells);
    ck_assert_int_eq(mesh.vertex_count - mesh.edge_count + mesh.triangle_count, 1);
    ck_assert_int_eq(mesh.report.border_edge_count, 4 * (SIDE - 1));
    ck_assert_int_eq(mesh.hinge_count, mesh.edge_count - mesh.report.border_edge_count);
    ck_assert_int_eq(mesh.report.degenerate_count + mesh.report.inconsistent_edge_count, 0);
    ck_assert_int_eq(mesh.part_count, 1);
    ck_assert_float_eq_tol(mesh.report.area, 1.0f, 1e-6f);
    dr_mesh_free(&mesh, &memory);
    dr_shape_free(&shape, &memory);
    check_memory_freed();
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("mesh");
    TCase* cases = tcase_create("mesh");
    tcase_add_test(cases, bad_counts_and_arrays_are_refused);
    tcase_add_test(cases, index_out_of_range_is_refused);
    tcase_add_test(cases, non_finite_coordinates_are_refused);
    tcase_add_test(cases, a_sentence_needs_no_room);
    tcase_add_test(cases, square_is_measured);
    tcase_add_test(cases, rest_shape_is_apart_from_start_pose);
    tcase_add_test(cases, vertices_without_triangles_make_a_mesh);
    tcase_add_test(cases, triangles_without_area_are_counted);
    tcase_add_test(cases, tiny_and_huge_sheets_are_sound);
    tcase_add_test(cases, welding_joins_two_sheets);
    tcase_add_test(cases, welding_keeps_the_least_index);
    tcase_add_test(cases, welding_matches_brute_force);
    tcase_add_test(cases, shortage_of_memory_is_told_and_leaves_nothing);
    tcase_add_test(cases, a_million_triangles);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
