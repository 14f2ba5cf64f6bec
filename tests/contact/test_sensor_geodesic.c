// Distances along cloth against shapes whose shortest ways are known, and walks on them.
#include "contact/sensor_geodesic.h"

#include "contact/sensor_march.h"
#include "sensor_test.h"

static dr_geodesic geodesic_of(test_sheets* t, dr_pool* pool)
{
    dr_geodesic g;
    ck_assert(dr_geodesic_create(&g, &t->memory, pool, t->sheets.parts[0].mesh));
    return g;
}

static void finish(test_sheets* t, dr_geodesic* g)
{
    dr_geodesic_free(g, &t->memory);
    test_sheets_free(t);
}

static dr_material_point random_point(const dr_mesh* mesh, uint32_t seed, uint32_t number)
{
    double where = dr_random_unit(seed, 3 * number);
    return dr_material_spread((int)(where * mesh->triangle_count),
                              dr_random_unit(seed, 3 * number + 1),
                              dr_random_unit(seed, 3 * number + 2));
}

static double ask(const dr_geodesic* g, const dr_material_point* p, const dr_material_point* q,
                  double toward[3])
{
    static double row_p[DR_GEODESIC_SEEDS], row_q[DR_GEODESIC_SEEDS];
    dr_geodesic_row(g, p, row_p);
    dr_geodesic_row(g, q, row_q);
    double back[3];
    return dr_geodesic_between(g, p, row_p, q, row_q, toward, back);
}

// A grid of unit side as the rest shape of another form.
typedef drape_vec3 form_fn(double x, double z);

static test_sheets* formed_sheet(int size, form_fn* form)
{
    dr_memory memory;
    dr_shape_mesh shape;
    dr_memory_init(&memory, NULL);
    ck_assert(dr_generate_grid(&shape, &memory, 1.0f, 1.0f, size, size, DRAPE_DIAGONALS_ALTERNATE));
    for (int v = 0; v < shape.vertex_count; ++v) {
        shape.positions[v] = form(shape.positions[v].x, shape.positions[v].z);
    }
    test_sheets* t =
        sheet_of(shape.positions, shape.vertex_count, shape.triangles, shape.triangle_count);
    dr_shape_free(&shape, &memory);
    return t;
}

// The places of a point in the grid that a form was made of.
static void grid_place(const dr_mesh* mesh, int size, const dr_material_point* at, double out[2])
{
    out[0] = out[1] = 0.0;
    for (int k = 0; k < 3; ++k) {
        int v = mesh->triangles[at->triangle][k];
        out[0] += at->weight[k] * (v % size) / (size - 1);
        out[1] += at->weight[k] * (v / size) / (size - 1);
    }
}

// --- Shapes ---

static drape_vec3 cylinder(double x, double z)
{
    const double radius = 0.25; // one metre is two thirds of a turn
    return (drape_vec3){(float)(radius * sin(x / radius)), (float)(radius * cos(x / radius)),
                        (float)z};
}

static const double cap_angle = 1.2; // across a sphere of radius 1, both ways

static drape_vec3 cap(double x, double z)
{
    double a = cap_angle * (x - 0.5), b = cap_angle * (z - 0.5);
    return (drape_vec3){(float)(sin(a) * cos(b)), (float)(cos(a) * cos(b)), (float)sin(b)};
}

static drape_vec3 plate(double x, double z)
{
    return (drape_vec3){(float)(0.6 * x + 3.0), (float)(0.8 * x - 2.0), (float)(1.5 * z)};
}

START_TEST(flat_sheets_are_exact)
{
    test_sheets* t = formed_sheet(12, plate);
    dr_geodesic g = geodesic_of(t, NULL);
    ck_assert(g.is_flat);
    ck_assert_double_eq_tol(g.side, sqrt(1.5), 1e-6);
    ck_assert_double_eq_tol(g.cell, sqrt(1.5) / 11.0, 1e-6);
    for (uint32_t i = 0; i < 200; ++i) {
        dr_material_point p = random_point(g.mesh, 5, 2 * i),
                          q = random_point(g.mesh, 5, 2 * i + 1);
        double a[2], b[2], toward[3];
        grid_place(g.mesh, 12, &p, a);
        grid_place(g.mesh, 12, &q, b);
        double d = ask(&g, &p, &q, toward);
        ck_assert_double_eq_tol(d, hypot(b[0] - a[0], 1.5 * (b[1] - a[1])), 1e-6);
    }
    finish(t, &g);
}
END_TEST

// A disc fills its outline as well; a mesh of two pieces or with a slit does not.
START_TEST(discs_are_flat_too)
{
    test_sheets* t = test_sheets_create((int[]){-5}, 1);
    dr_geodesic g = geodesic_of(t, NULL);
    ck_assert(g.is_flat);
    finish(t, &g);
}
END_TEST

// Compares with the truth by chance pairs; `worst` and `mean` of the relative error.
typedef double truth_fn(const double a[2], const double b[2]);

static void compare(const dr_geodesic* g, int size, truth_fn* truth, double* worst, double* mean)
{
    int count = 0;
    *worst = *mean = 0.0;
    for (uint32_t i = 0; i < 600; ++i) {
        dr_material_point p = random_point(g->mesh, 9, 2 * i),
                          q = random_point(g->mesh, 9, 2 * i + 1);
        double a[2], b[2], toward[3];
        grid_place(g->mesh, size, &p, a);
        grid_place(g->mesh, size, &q, b);
        double wanted = truth(a, b);
        // Nearer than this no gate and no force asks how far it is to the last digit.
        if (wanted > 0.15) {
            double error = fabs(ask(g, &p, &q, toward) - wanted) / wanted;
            *worst = fmax(*worst, error);
            *mean += error;
            ++count;
        }
    }
    ck_assert_int_gt(count, 300);
    *mean /= count;
}

static double unrolled(const double a[2], const double b[2])
{
    return hypot(b[0] - a[0], b[1] - a[1]);
}

static double great_circle(const double a[2], const double b[2])
{
    double p[3], q[3];
    for (int k = 0; k < 2; ++k) {
        const double* c = k ? b : a;
        double* out = k ? q : p;
        double u = cap_angle * (c[0] - 0.5), v = cap_angle * (c[1] - 0.5);
        out[0] = sin(u) * cos(v);
        out[1] = cos(u) * cos(v);
        out[2] = sin(v);
    }
    double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return 2.0 * asin(0.5 * sqrt(x * x + y * y + z * z));
}

START_TEST(cylinders_unroll)
{
    for (int size = 11; size <= 41; size += 15) {
        test_sheets* t = formed_sheet(size, cylinder);
        dr_geodesic g = geodesic_of(t, NULL);
        double worst, mean;
        ck_assert(!g.is_flat);
        compare(&g, size, unrolled, &worst, &mean);
        ck_assert_msg(worst < 0.1 && mean < 0.01, "%d: %g %g", size, worst, mean);
        finish(t, &g);
    }
}
END_TEST

START_TEST(caps_have_great_circles)
{
    for (int size = 11; size <= 41; size += 15) {
        test_sheets* t = formed_sheet(size, cap);
        dr_geodesic g = geodesic_of(t, NULL);
        double worst, mean;
        compare(&g, size, great_circle, &worst, &mean);
        ck_assert_msg(worst < 0.1 && mean < 0.01, "%d: %g %g", size, worst, mean);
        finish(t, &g);
    }
}
END_TEST

// --- Slit and hole ---

enum { slit_size = 21, slit_rows = 15 };

// A sheet cut along column 10 from row 0 up to row 15: vertices of the cut are there twice.
static test_sheets* slit_sheet(void)
{
    dr_memory memory;
    dr_shape_mesh shape;
    dr_memory_init(&memory, NULL);
    ck_assert(dr_generate_grid(&shape, &memory, 1.0f, 1.0f, slit_size, slit_size,
                               DRAPE_DIAGONALS_ALTERNATE));
    int count = shape.vertex_count, column = slit_size / 2;
    drape_vec3* positions = calloc((size_t)count + slit_rows, sizeof *positions);
    memcpy(positions, shape.positions, sizeof *positions * (size_t)count);
    for (int r = 0; r < slit_rows; ++r) {
        positions[count + r] = positions[r * slit_size + column];
    }
    for (int t = 0; t < shape.triangle_count; ++t) {
        float x = 0.0f;
        for (int k = 0; k < 3; ++k) {
            x += shape.positions[shape.triangles[t][k]].x / 3.0f;
        }
        for (int k = 0; k < 3 && x > 0.5f; ++k) {
            int v = shape.triangles[t][k];
            if (v % slit_size == column && v / slit_size < slit_rows) {
                shape.triangles[t][k] = count + v / slit_size;
            }
        }
    }
    test_sheets* t = sheet_of(positions, count + slit_rows, shape.triangles, shape.triangle_count);
    free(positions);
    dr_shape_free(&shape, &memory);
    return t;
}

static double round_the_slit(const double a[3], const double b[3])
{
    double tip = (double)slit_rows / (slit_size - 1);
    double straight = hypot(b[0] - a[0], b[2] - a[2]);
    if ((a[0] < 0.5) == (b[0] < 0.5)) {
        return straight;
    }
    double meets = a[2] + (b[2] - a[2]) * (0.5 - a[0]) / (b[0] - a[0]);
    return meets >= tip ? straight : hypot(a[0] - 0.5, a[2] - tip) + hypot(b[0] - 0.5, b[2] - tip);
}

START_TEST(ways_go_round_a_slit)
{
    test_sheets* t = slit_sheet();
    dr_geodesic g = geodesic_of(t, NULL);
    double worst = 0.0, mean = 0.0;
    int round = 0, count = 0;
    ck_assert(!g.is_flat);
    for (uint32_t i = 0; i < 600; ++i) {
        dr_material_point p = random_point(g.mesh, 3, 2 * i),
                          q = random_point(g.mesh, 3, 2 * i + 1);
        double a[3], b[3], toward[3];
        dr_material_place(g.mesh, g.mesh->rest, &p, a);
        dr_material_place(g.mesh, g.mesh->rest, &q, b);
        double wanted = round_the_slit(a, b), straight = hypot(b[0] - a[0], b[2] - a[2]);
        double found = ask(&g, &p, &q, toward);
        if (wanted > 0.15) {
            worst = fmax(worst, fabs(found - wanted) / wanted);
            mean += fabs(found - wanted) / wanted;
            ++count;
        }
        round += wanted > 1.5 * straight;
    }
    ck_assert_int_gt(round, 50);
    ck_assert_msg(worst < 0.12 && mean / count < 0.015, "%g %g", worst, mean / count);
    finish(t, &g);
}
END_TEST

// A way leads from p to q: a short walk along it comes nearer by its length.
START_TEST(directions_lead_there)
{
    form_fn* forms[] = {plate, cylinder, cap};
    test_sheets* t = _i < 3 ? formed_sheet(21, forms[_i]) : slit_sheet();
    dr_geodesic g = geodesic_of(t, NULL);
    double mean = 0.0;
    int count = 0;
    for (uint32_t i = 0; i < 200; ++i) {
        dr_material_point p = random_point(g.mesh, 8, 2 * i),
                          q = random_point(g.mesh, 8, 2 * i + 1);
        double toward[3], away[3];
        double before = ask(&g, &p, &q, toward), step = 0.05;
        if (before > 0.2) {
            const double move[3] = {step * toward[0], step * toward[1], step * toward[2]};
            double gone = dr_material_walk(g.mesh, &p, move);
            mean += (before - ask(&g, &p, &q, away)) / fmax(gone, 0.5 * step);
            ++count;
        }
    }
    ck_assert_msg(mean / count > 0.9, "%d: %g", _i, mean / count);
    finish(t, &g);
}
END_TEST

// Distances of a march are exact on flat cloth, whatever its triangles.
START_TEST(marches_are_exact_on_flat_cloth)
{
    test_sheets* t = test_sheets_create((int[]){_i ? -8 : 17}, 1);
    const dr_mesh* mesh = t->sheets.parts[0].mesh;
    dr_march march;
    double* distance = calloc((size_t)mesh->vertex_count, sizeof *distance);
    ck_assert(dr_march_create(&march, &t->memory, mesh));
    for (int source = 0; source < mesh->vertex_count; source += 23) {
        dr_march_run(&march, source, distance);
        for (int v = 0; v < mesh->vertex_count; ++v) {
            double wanted = dr_length_double(dr_sub(mesh->rest[v], mesh->rest[source]));
            ck_assert_double_eq_tol(distance[v], wanted, 1e-3 * wanted + 1e-9);
        }
    }
    free(distance);
    dr_march_free(&march, &t->memory);
    test_sheets_free(t);
}
END_TEST

// Walks on a flat sheet end where the two coordinates say, clamped at the border.
START_TEST(walks_are_straight)
{
    test_sheets* t = square_sheet(9);
    const dr_mesh* mesh = t->sheets.parts[0].mesh;
    for (uint32_t i = 0; i < 500; ++i) {
        dr_material_point p = random_point(mesh, 21, i);
        double a[3], b[3], length = 0.3;
        double move[3] = {length * dr_random_signed(22, 2 * i), 0.0,
                          length * dr_random_signed(22, 2 * i + 1)};
        dr_material_place(mesh, mesh->rest, &p, a);
        dr_material_walk(mesh, &p, move);
        dr_material_place(mesh, mesh->rest, &p, b);
        for (int d = 0; d < 3; d += 2) {
            ck_assert_double_eq_tol(b[d], fmin(fmax(a[d] + move[d], 0.0), 1.0), 1e-6);
        }
    }
    test_sheets_free(t);
}
END_TEST

// Pieces that nothing joins are beyond every way, and the table is the same with any workers.
START_TEST(pieces_and_workers)
{
    drape_vec3 positions[8];
    int32_t triangles[4][3] = {{0, 1, 2}, {2, 1, 3}, {4, 5, 6}, {6, 5, 7}};
    for (int v = 0; v < 8; ++v) {
        positions[v] = (drape_vec3){(float)(v & 1), (float)(v / 4), (float)(v >> 1 & 1)};
    }
    test_sheets* t = sheet_of(positions, 8, triangles, 4);
    dr_geodesic g = geodesic_of(t, NULL);
    double toward[3];
    dr_material_point p = {0, {0.2, 0.3, 0.5}}, q = {3, {0.2, 0.3, 0.5}}, r = {1, {0.1, 0.1, 0.8}};
    ck_assert_double_eq(ask(&g, &p, &q, toward), g.beyond);
    ck_assert_double_lt(ask(&g, &p, &r, toward), 2.0);
    finish(t, &g);

    t = formed_sheet(30, cap);
    dr_pool* pool = dr_pool_create(&t->memory, 4, NULL);
    dr_geodesic alone = geodesic_of(t, NULL), together = geodesic_of(t, pool);
    ck_assert_int_eq(alone.seed_count, together.seed_count);
    ck_assert(memcmp(alone.table, together.table, sizeof(float) * 900 * (size_t)alone.seed_count) ==
              0);
    dr_geodesic_free(&together, &t->memory);
    dr_pool_destroy(pool);
    finish(t, &alone);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("sensor_geodesic");
    TCase* tc = tcase_create("geodesic");
    tcase_add_test(tc, flat_sheets_are_exact);
    tcase_add_test(tc, discs_are_flat_too);
    tcase_add_test(tc, cylinders_unroll);
    tcase_add_test(tc, caps_have_great_circles);
    tcase_add_test(tc, ways_go_round_a_slit);
    tcase_add_loop_test(tc, directions_lead_there, 0, 4);
    tcase_add_loop_test(tc, marches_are_exact_on_flat_cloth, 0, 2);
    tcase_add_test(tc, walks_are_straight);
    tcase_add_test(tc, pieces_and_workers);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
