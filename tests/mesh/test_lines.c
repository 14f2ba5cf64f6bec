// Lines of a mesh: edges that go straight on.
#include "mesh/lines.h"

#include <math.h>
#include <string.h>

#include "mesh_test.h"

// A tube round y, `columns` x `rows` vertices, diagonals all one way.
static dr_mesh build_tube(int columns, int rows)
{
    size_t count = (size_t)(columns * rows);
    drape_vec3* points = calloc(count, sizeof *points);
    int32_t(*triangles)[3] = calloc(2 * count, sizeof *triangles);
    int made = 0;
    for (int i = 0; i < columns * rows; ++i) {
        double angle = 6.283185307179586 * (i % columns) / columns;
        points[i] =
            (drape_vec3){(float)cos(angle), 0.15f * (float)(i / columns), (float)sin(angle)};
    }
    for (int r = 0; r + 1 < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            int a = r * columns + c, b = r * columns + (c + 1) % columns;
            const int32_t pair[2][3] = {{a, b, b + columns}, {a, b + columns, a + columns}};
            memcpy(triangles[made], pair, sizeof pair);
            made += 2;
        }
    }
    drape_mesh_view view = {.positions = points,
                            .triangles = triangles[0],
                            .vertex_count = columns * rows,
                            .triangle_count = made};
    dr_mesh mesh = build(&view);
    free(points);
    free(triangles);
    return mesh;
}

// Every edge is in one line, ends of edges are neighbours in it, and no vertex is twice in it but
// the first of a ring.
static void check_lines(const dr_mesh* mesh, const dr_lines* lines)
{
    int* seen = calloc((size_t)mesh->edge_count + 1, sizeof *seen);
    int* met = calloc((size_t)mesh->vertex_count + 1, sizeof *met);
    for (int i = 0; i < lines->count; ++i) {
        int begin = lines->start[i], last = lines->start[i + 1] - 1;
        ck_assert_int_lt(begin, last);
        for (int k = begin; k <= last; ++k) {
            int v = lines->vertices[k];
            bool closes = k == last && v == lines->vertices[begin];
            ck_assert(met[v] != i + 1 || closes);
            met[v] = i + 1;
            if (k == last) {
                ck_assert_int_eq(lines->edges[k], -1);
                continue;
            }
            const int32_t* ends = mesh->edges[lines->edges[k]].v;
            int next = lines->vertices[k + 1];
            ck_assert((ends[0] == v && ends[1] == next) || (ends[1] == v && ends[0] == next));
            ++seen[lines->edges[k]];
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        ck_assert_int_eq(seen[e], 1);
    }
    free(seen);
    free(met);
}

static int count_of_length(const dr_lines* lines, int vertices, bool is_ring)
{
    int count = 0;
    for (int i = 0; i < lines->count; ++i) {
        int begin = lines->start[i], last = lines->start[i + 1] - 1;
        bool closes = lines->vertices[begin] == lines->vertices[last];
        count += last - begin + 1 == vertices && closes == is_ring;
    }
    return count;
}

START_TEST(a_grid_has_rows_columns_and_diagonals)
{
    dr_mesh mesh = build_grid(9, 6, DRAPE_DIAGONALS_FORWARD);
    dr_lines lines;
    ck_assert(dr_lines_find(&lines, &memory, &mesh));
    check_lines(&mesh, &lines);
    // Diagonals are 13 lines of 2, 3, 4, 5 and 6 vertices.
    ck_assert_int_eq(lines.count, 6 + 9 + 12);
    ck_assert_int_eq(count_of_length(&lines, 9, false), 6);
    ck_assert_int_ge(count_of_length(&lines, 6, false), 9);
    dr_lines_free(&lines, &memory);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

START_TEST(a_tube_has_rings)
{
    dr_mesh mesh = build_tube(24, 8);
    dr_lines lines;
    ck_assert(dr_lines_find(&lines, &memory, &mesh));
    check_lines(&mesh, &lines);
    ck_assert_int_eq(count_of_length(&lines, 25, true), 8);
    ck_assert_int_eq(count_of_length(&lines, 8, false), 48); // columns and diagonals
    ck_assert_int_eq(lines.count, 56);
    dr_lines_free(&lines, &memory);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

START_TEST(any_mesh_has_lines)
{
    for (uint64_t seed = 1; seed < 40; ++seed) {
        enum { VERTICES = 40, TRIANGLES = 90 };
        drape_vec3 points[VERTICES];
        int32_t triangles[TRIANGLES][3];
        uint64_t state = seed;
        for (int i = 0; i < VERTICES; ++i) {
            points[i] = (drape_vec3){random_signed(&state), random_signed(&state), (float)i};
        }
        for (int t = 0; t < TRIANGLES; ++t) {
            int a = random_below(&state, VERTICES), step = 1 + random_below(&state, 3);
            triangles[t][0] = a;
            triangles[t][1] = (a + step) % VERTICES;
            triangles[t][2] = (a + step + 1 + random_below(&state, 3)) % VERTICES;
        }
        drape_mesh_view view = {.positions = points,
                                .triangles = triangles[0],
                                .vertex_count = VERTICES,
                                .triangle_count = TRIANGLES};
        dr_mesh mesh = build(&view);
        dr_lines lines;
        ck_assert(dr_lines_find(&lines, &memory, &mesh));
        check_lines(&mesh, &lines);
        dr_lines_free(&lines, &memory);
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

START_TEST(shortage_of_memory_leaves_nothing)
{
    setup_failing_memory();
    calls_left = 100000;
    dr_mesh mesh = build_tube(12, 4);
    size_t held = memory.live_bytes;
    int tried = 0;
    for (bool made = false; !made; ++tried) {
        dr_lines lines;
        calls_left = tried;
        made = dr_lines_find(&lines, &memory, &mesh);
        dr_lines_free(&lines, &memory);
        ck_assert_uint_eq(memory.live_bytes, held);
    }
    ck_assert_int_gt(tried, 5);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("lines");
    TCase* cases = tcase_create("lines");
    tcase_add_checked_fixture(cases, setup_memory, NULL);
    tcase_add_test(cases, a_grid_has_rows_columns_and_diagonals);
    tcase_add_test(cases, a_tube_has_rings);
    tcase_add_test(cases, any_mesh_has_lines);
    tcase_add_test(cases, shortage_of_memory_leaves_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
