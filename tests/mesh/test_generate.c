// Grids and discs: counts, orientation, exact borders.
#include <limits.h>
#include <math.h>

#include "mesh_test.h"

// The y component of the normal, not scaled.
static float upward(const dr_shape_mesh* shape, int t)
{
    drape_vec3 a = shape->positions[shape->triangles[t][0]];
    drape_vec3 b = shape->positions[shape->triangles[t][1]];
    drape_vec3 c = shape->positions[shape->triangles[t][2]];
    return (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z);
}

// A sound sheet: all triangles look up, one part, one border, no holes.
static dr_mesh check_sheet(const dr_shape_mesh* shape)
{
    for (int t = 0; t < shape->triangle_count; ++t) {
        ck_assert_float_gt(upward(shape, t), 0.0f);
    }
    drape_mesh_view view = view_of(shape);
    dr_mesh mesh = build(&view);
    ck_assert_int_eq(mesh.part_count, 1);
    ck_assert_int_eq(mesh.vertex_count - mesh.edge_count + mesh.triangle_count, 1);
    drape_mesh_report r = mesh.report;
    ck_assert_int_eq(r.inconsistent_edge_count + r.non_manifold_edge_count + r.duplicate_count, 0);
    ck_assert_int_eq(r.degenerate_count + r.coincident_vertex_count, 0);
    return mesh;
}

START_TEST(grids_are_sound_and_exact)
{
    setup_memory();
    for (int diagonals = DRAPE_DIAGONALS_ALTERNATE; diagonals <= DRAPE_DIAGONALS_BACKWARD;
         ++diagonals) {
        for (int columns = 2; columns < 14; ++columns) {
            int rows = 15 - columns;
            float size_x = 0.7f, size_z = 1.3f;
            dr_shape_mesh grid;
            ck_assert(dr_generate_grid(&grid, &memory, size_x, size_z, columns, rows,
                                       (drape_diagonals)diagonals));
            dr_mesh mesh = check_sheet(&grid);
            ck_assert_int_eq(mesh.triangle_count, 2 * (columns - 1) * (rows - 1));
            ck_assert_float_eq_tol(mesh.report.area, size_x * size_z, 1e-6f);
            for (int row = 0; row < rows; ++row) {
                ck_assert_float_eq(grid.positions[row * columns].x, 0.0f);
                ck_assert_float_eq(grid.positions[row * columns + columns - 1].x, size_x);
            }
            ck_assert_float_eq(grid.positions[columns * rows - 1].z, size_z);
            ck_assert_float_eq(grid.uv[columns * rows - 1][1], size_z);
            dr_mesh_free(&mesh, &memory);
            dr_shape_free(&grid, &memory);
        }
    }
    check_memory_freed();
}
END_TEST

// Which corners of cell (0,0) and (1,0) the diagonals join, seen in the edges.
static bool has_edge(const dr_mesh* mesh, int32_t a, int32_t b)
{
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (mesh->edges[e].v[0] == a && mesh->edges[e].v[1] == b) {
            return true;
        }
    }
    return false;
}

START_TEST(diagonals_run_as_named)
{
    setup_memory();
    const bool forward[3][2] = {{true, false}, {true, true}, {false, false}};
    for (int diagonals = 0; diagonals < 3; ++diagonals) {
        dr_mesh mesh = build_grid(3, 2, (drape_diagonals)diagonals);
        for (int cell = 0; cell < 2; ++cell) {
            ck_assert(has_edge(&mesh, cell, cell + 4) == forward[diagonals][cell]);
            ck_assert(has_edge(&mesh, cell + 1, cell + 3) != forward[diagonals][cell]);
        }
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

START_TEST(lines_and_points_have_no_triangles)
{
    setup_memory();
    dr_shape_mesh line;
    ck_assert(dr_generate_grid(&line, &memory, 2.0f, 0.0f, 5, 1, DRAPE_DIAGONALS_FORWARD));
    ck_assert_int_eq(line.vertex_count, 5);
    ck_assert_int_eq(line.triangle_count, 0);
    ck_assert_float_eq(line.positions[4].x, 2.0f);
    dr_shape_free(&line, &memory);
    ck_assert(dr_generate_grid(&line, &memory, 2.0f, 2.0f, 1, 1, DRAPE_DIAGONALS_FORWARD));
    ck_assert_int_eq(line.vertex_count, 1);
    dr_shape_free(&line, &memory);
    check_memory_freed();
}
END_TEST

static float distance_from_axis(drape_vec3 p)
{
    return sqrtf(p.x * p.x + p.z * p.z);
}

START_TEST(discs_are_sound)
{
    setup_memory();
    for (int rings = 1; rings <= 12; ++rings) {
        dr_shape_mesh disc;
        ck_assert(dr_generate_disc(&disc, &memory, 0.8f, rings, 0.0f));
        dr_mesh mesh = check_sheet(&disc);
        ck_assert_int_eq(mesh.vertex_count, 1 + 3 * rings * (rings + 1));
        ck_assert_int_eq(mesh.triangle_count, 6 * rings * rings);
        ck_assert_int_eq(mesh.report.border_edge_count, 6 * rings);
        for (int i = 0; i < 6 * rings; ++i) {
            float r = distance_from_axis(disc.positions[disc.vertex_count - 1 - i]);
            ck_assert_float_eq_tol(r, 0.8f, 1e-6f);
        }
        dr_mesh_free(&mesh, &memory);
        dr_shape_free(&disc, &memory);
    }
    check_memory_freed();
}
END_TEST

// Quarter turns of a disc land on the axes to the bit.
START_TEST(discs_are_exact_on_the_axes)
{
    setup_memory();
    dr_shape_mesh disc;
    ck_assert(dr_generate_disc(&disc, &memory, 1.0f, 2, 0.0f));
    const drape_vec3* ring = disc.positions + 7;
    ck_assert_float_eq(ring[0].x, 1.0f);
    ck_assert_float_eq(ring[3].x, 0.0f);
    ck_assert_float_eq(ring[3].z, 1.0f);
    ck_assert_float_eq(ring[6].z, 0.0f);
    ck_assert_float_eq(ring[9].z, -1.0f);
    dr_shape_free(&disc, &memory);
    check_memory_freed();
}
END_TEST

// One ring sits where it is wanted, radii rise, and the border stays.
START_TEST(a_ring_of_a_disc_can_be_placed)
{
    setup_memory();
    const float wanted[] = {0.01f, 0.3f, 0.5f, 0.77f, 0.99f};
    for (int i = 0; i < 5; ++i) {
        enum { RINGS = 6 };
        dr_shape_mesh disc;
        ck_assert(dr_generate_disc(&disc, &memory, 1.0f, RINGS, wanted[i]));
        dr_mesh mesh = check_sheet(&disc);
        bool found = false;
        float before = 0.0f;
        for (int ring = 1; ring <= RINGS; ++ring) {
            // The first vertex of a ring is on the x axis, so its x is the radius to the bit.
            float r = disc.positions[1 + 3 * ring * (ring - 1)].x;
            ck_assert_float_gt(r, before);
            found |= r == wanted[i];
            before = r;
        }
        ck_assert(found);
        ck_assert_float_eq(before, 1.0f);
        dr_mesh_free(&mesh, &memory);
        dr_shape_free(&disc, &memory);
    }
    check_memory_freed();
}
END_TEST

START_TEST(impossible_counts_are_refused)
{
    setup_memory();
    dr_shape_mesh shape;
    ck_assert(!dr_generate_grid(&shape, &memory, 1, 1, 0, 5, DRAPE_DIAGONALS_FORWARD));
    ck_assert(!dr_generate_grid(&shape, &memory, 1, 1, 5, -1, DRAPE_DIAGONALS_FORWARD));
    ck_assert(!dr_generate_grid(&shape, &memory, 1, 1, INT_MAX, INT_MAX, DRAPE_DIAGONALS_FORWARD));
    ck_assert(!dr_generate_grid(&shape, &memory, 1, 1, 40000, 40000, DRAPE_DIAGONALS_FORWARD));
    ck_assert(!dr_generate_disc(&shape, &memory, 1.0f, 0, 0.0f));
    ck_assert(!dr_generate_disc(&shape, &memory, 1.0f, INT_MAX, 0.0f));
    ck_assert_ptr_null(shape.positions);
    check_memory_freed();
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("generate");
    TCase* cases = tcase_create("generate");
    tcase_add_test(cases, grids_are_sound_and_exact);
    tcase_add_test(cases, diagonals_run_as_named);
    tcase_add_test(cases, lines_and_points_have_no_triangles);
    tcase_add_test(cases, discs_are_sound);
    tcase_add_test(cases, discs_are_exact_on_the_axes);
    tcase_add_test(cases, a_ring_of_a_disc_can_be_placed);
    tcase_add_test(cases, impossible_counts_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
