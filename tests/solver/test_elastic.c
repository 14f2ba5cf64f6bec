// The elastic sheet: its elements, its forces and energies.
#include "elastic_test.h"
#include "solver_test.h"

static const double dt = 2e-3, gravity = 9.81;

// --- The system against its elements ---

static const int sizes[][2] = {{1, 1}, {1, 7}, {7, 1},  {2, 2},   {2, 6},  {6, 2}, {3, 3},
                               {5, 5}, {7, 4}, {26, 3}, {12, 11}, {21, 6}, {3, 70}};
enum { size_count = sizeof sizes / sizeof sizes[0] };

static void check_system(swatch* s)
{
    int m = s->sheet.def.columns;
    double margin = swatch_begin(s, dt, gravity), least = 1.0;
    dense d = dense_build(s, dt, gravity);
    for (int i = 0; i < s->count; ++i) {
        point g;
        dr_elastic_right_side(&s->sheet, i, g);
        double scale = fabs(d.a[i * s->count + i]), sum = -scale;
        for (int c = 0; c < 3; ++c) {
            ck_assert_double_eq_tol(g[c] / scale, d.g[i][c] / scale, 1e-13);
        }
        for (int j = 0; j < s->count; ++j) {
            int dm = j % m - i % m, dn = j / m - i / m;
            double found = dr_elastic_coefficient(&s->sheet, i, dm, dn);
            sum += fabs(d.a[i * s->count + j]);
            ck_assert_msg(fabs(found - d.a[i * s->count + j]) <= 1e-12 * scale,
                          "%d x %d, (%d, %d): %g beside %g", m, s->sheet.def.rows, i, j, found,
                          d.a[i * s->count + j]);
        }
        least = fmin(least, (scale - sum) / scale);
    }
    ck_assert_double_eq_tol(margin, least, 1e-11);
    dense_free(&d);
}

// Every form and kind of bending, flat and curved at rest, on grids down to one vertex.
START_TEST(assembly_is_the_sum_of_its_elements)
{
    for (int kind = 0; kind < 18; ++kind) {
        dr_elastic_def def = skew_def(sizes[_i][0], sizes[_i][1]);
        def.form = (drape_elastic_form)(kind % 3);
        def.bend = (drape_elastic_bend)(kind / 3 % 3);
        for (int c = 0; c < 3 && kind >= 9; ++c) {
            def.curvature[c] = 2.0 - 1.5 * c;
        }
        swatch s;
        swatch_create(&s, &def);
        for (int i = 0; i < s.count; ++i) {
            s.v[i][i % 3] = 0.1 * i;
        }
        swatch_shake(&s, 0.01, 1);
        check_system(&s);
        swatch_free(&s);
    }
}
END_TEST

START_TEST(springs_and_accelerations_are_added)
{
    dr_elastic_def def = skew_def(7, 6);
    swatch s;
    swatch_create(&s, &def);
    swatch_shake(&s, 0.01, 2);
    drape_vec3 air[42];
    for (int i = 0; i < 42; ++i) {
        air[i] = (drape_vec3){0.5f * (float)i, -1.0f, 0.25f};
    }
    dr_elastic_forces forces = {{0.0, -gravity, 0.0}, air};
    dr_elastic_begin(&s.sheet, dt, &forces, NULL, s.isa);
    dr_elastic_add_spring(&s.sheet, 9, 40.0, (const point){1.0, 2.0, 3.0});
    dense d = dense_build(&s, dt, gravity);
    double weight = 40.0 / (s.sheet.h[0] * s.sheet.h[1]);
    for (int i = 0; i < s.count; ++i) {
        const point pull = {air[i].x, air[i].y, air[i].z};
        double diagonal = d.a[i * s.count + i] + (i == 9 ? weight : 0.0);
        point g;
        dr_elastic_right_side(&s.sheet, i, g);
        ck_assert_double_eq_tol(dr_elastic_coefficient(&s.sheet, i, 0, 0) / diagonal, 1.0, 1e-14);
        for (int c = 0; c < 3; ++c) {
            double wanted = d.g[i][c] + def.density * pull[c] + (i == 9 ? weight * (c + 1) : 0.0);
            ck_assert_double_eq_tol(g[c] / diagonal, wanted / diagonal, 1e-13);
        }
    }
    dense_free(&d);
    swatch_free(&s);
}
END_TEST

// --- E1 to E4: forces and energies ---

// What the assembled system says of the elastic force on a vertex, N: f - A x + D x without the
// rest.
static void assembled_force(swatch* s, int vertex, point out)
{
    int m = s->sheet.def.columns;
    double area = s->sheet.h[0] * s->sheet.h[1];
    dr_elastic_right_side(&s->sheet, vertex, out);
    out[1] += s->sheet.def.density * gravity;
    for (int c = 0; c < 3; ++c) {
        for (int j = 0; j < s->count; ++j) {
            int dm = j % m - vertex % m, dn = j / m - vertex / m;
            out[c] -= dr_elastic_coefficient(&s->sheet, vertex, dm, dn) * s->x[j][c];
        }
        out[c] *= area;
    }
}

START_TEST(e1_forces_are_gradients)
{
    dr_elastic_def def = skew_def(9, 9);
    def.form = (drape_elastic_form)_i;
    swatch s;
    swatch_create(&s, &def);
    swatch_shake(&s, 0.01, 3);
    swatch_begin(&s, dt, gravity);
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < s.count; ++i) {
        point force;
        assembled_force(&s, i, force);
        for (int c = 0; c < 3; ++c) {
            double keep = s.x[i][c], step = 1e-6;
            s.x[i][c] = keep + step;
            swatch_send(&s);
            double up = swatch_energy(&s);
            s.x[i][c] = keep - step;
            swatch_send(&s);
            double slope = (up - swatch_energy(&s)) / (2.0 * step);
            s.x[i][c] = keep;
            worst = fmax(worst, fabs(force[c] + slope));
            largest = fmax(largest, fabs(slope));
        }
    }
    ck_assert_double_gt(largest, 0.01);
    ck_assert_double_lt(worst / largest, 1e-6);
    swatch_free(&s);
}
END_TEST

static void turn(const point a, point out)
{
    // A turn by Euler angles whose sines and cosines are rational.
    const double m[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}};
    for (int c = 0; c < 3; ++c) {
        out[c] = m[c][0] * a[0] + m[c][1] * a[1] + m[c][2] * a[2] + 0.3 * c;
    }
}

START_TEST(e2_rest_is_still_and_rigid_motion_free)
{
    dr_elastic_def def = skew_def(9, 7);
    swatch s;
    swatch_create(&s, &def);
    double inertia = def.density / (dt * dt) + 0.5 * def.damping * def.density / dt;
    for (int turned = 0; turned < 2; ++turned) {
        swatch_begin(&s, dt, gravity);
        ck_assert_double_le(swatch_energy(&s), 1e-20);
        for (int i = 0; i < s.count; ++i) {
            point force;
            assembled_force(&s, i, force);
            ck_assert_double_lt(sqrt(dot3(force, force)),
                                1e-10 * inertia * s.sheet.h[0] * s.sheet.h[1]);
        }
        for (int i = 0; i < s.count; ++i) {
            turn((const point){s.x[i][0], s.x[i][1], s.x[i][2]}, s.x[i]);
        }
        swatch_send(&s);
    }
    // Bent as well: energy knows shapes only. Rows sum to the inertia.
    swatch_shake(&s, 0.01, 4);
    double before = swatch_energy(&s);
    swatch_begin(&s, dt, gravity);
    for (int i = 0; i < s.count; ++i) {
        double sum = 0.0, size = 0.0;
        for (int dn = -2; dn <= 2; ++dn) {
            for (int dm = -2; dm <= 2; ++dm) {
                double a = dr_elastic_coefficient(&s.sheet, i, dm, dn);
                sum += a;
                size += fabs(a);
            }
        }
        ck_assert_double_lt(fabs(sum - inertia), 1e-10 * size);
    }
    for (int i = 0; i < s.count; ++i) {
        turn((const point){s.x[i][0], s.x[i][1], s.x[i][2]}, s.x[i]);
    }
    swatch_send(&s);
    ck_assert_double_eq_tol(swatch_energy(&s) / before, 1.0, 1e-10);
    swatch_free(&s);
}
END_TEST

// Work of bending alone when a cylinder of radius 0.5 m is unrolled.
static double work_to_flat(drape_elastic_bend bend, double side)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = def.rows = 21;
    def.bend = bend;
    def.form = DRAPE_FORM_PLAIN;
    memset(def.eta, 0, sizeof def.eta);
    def.xi[0] = def.xi[1] = def.xi[2] = 1e-3;
    swatch s;
    swatch_create(&s, &def);
    double radius = 0.5, work = 0.0;
    point* flat = malloc(sizeof(point) * (size_t)s.count);
    memcpy(flat, s.x, sizeof(point) * (size_t)s.count);
    for (int i = 0; i < s.count; ++i) {
        double angle = (flat[i][0] - 0.5) / radius;
        s.x[i][0] = 0.5 + radius * sin(angle);
        s.x[i][1] = side * radius * (1.0 - cos(angle));
    }
    swatch_send(&s);
    swatch_begin(&s, dt, gravity);
    for (int i = 0; i < s.count; ++i) {
        point force, way;
        assembled_force(&s, i, force);
        sub3(flat[i], s.x[i], way);
        work += dot3(force, way);
    }
    free(flat);
    swatch_free(&s);
    return work;
}

START_TEST(e3_bending_resists_both_ways_but_not_as_printed)
{
    for (int side = -1; side <= 1; side += 2) {
        ck_assert_double_gt(work_to_flat(DRAPE_BEND_PLATE, side), 0.0);
        ck_assert_double_gt(work_to_flat(DRAPE_BEND_ABS, side), 0.0);
    }
    double one = work_to_flat(DRAPE_BEND_PAPER, 1.0);
    double other = work_to_flat(DRAPE_BEND_PAPER, -1.0);
    ck_assert_double_lt(one * other, 0.0);
    ck_assert_double_eq_tol(one / other, -1.0, 1e-6);
}
END_TEST

// A strip is held at one end and drawn at the other by springs until it is at rest.
START_TEST(e4_pulled_strip_resists_by_its_stretch)
{
    bool is_weft = _i;
    dr_elastic_def def = skew_def(is_weft ? 4 : 21, is_weft ? 21 : 4);
    def.damping = 10.0;
    swatch s;
    swatch_create(&s, &def);
    int m = def.columns, axis = is_weft ? 2 : 0;
    double h = s.sheet.h[is_weft], width = 4.0 * s.sheet.h[!is_weft];
    const double stretch = 1.3, far = 20.0 * h * stretch;
    for (int i = 0; i < s.count; ++i) {
        s.x[i][axis] *= stretch;
    }
    swatch_send(&s);
    dr_limits limits;
    ck_assert(dr_limits_create(&limits, &s.memory, s.count));
    double force = 0.0, stiff = 1e5;
    for (int step = 0; step < 400; ++step) {
        dr_elastic_forces still = {{0.0}, NULL};
        dr_elastic_begin(&s.sheet, 1e-3, &still, NULL, s.isa);
        for (int i = 0; i < s.count; ++i) {
            int place = is_weft ? i / m : i % m;
            if (place == 0) {
                dr_limits_hold(&limits, i, DR_HOLD_PINNED, s.x[i]);
            } else if (place == 20) {
                point to = {s.x[i][0], 0.0, s.x[i][2]};
                to[axis] = far;
                dr_elastic_add_spring(&s.sheet, i, stiff, to);
            }
        }
        dr_elastic_solve(&s.sheet, &limits, 0, NULL, s.isa);
        ck_assert(dr_elastic_commit(&s.sheet, s.isa));
    }
    swatch_fetch(&s);
    double found = 0.0;
    for (int i = 0; i < s.count; ++i) {
        if ((is_weft ? i / m : i % m) == 20) {
            force += stiff * (far - s.x[i][axis]);
            found += s.x[i][axis] / (20.0 * h) / 4.0;
        }
    }
    double wanted = def.eta[is_weft] * (found * found - 1.0) * found;
    ck_assert_double_eq_tol(force / width / wanted, 1.0, 1e-3);
    dr_limits_free(&limits, &s.memory);
    swatch_free(&s);
}
END_TEST

// --- Fabrics ---

// Small strains and bends cost what the grid of the other model asks for them.
START_TEST(fabric_values_mean_the_same_in_both_models)
{
    drape_fabric fabric = test_fabric();
    fabric.shear = 700.0f;
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = 21;
    def.rows = 16;
    def.size_x = 0.4;
    def.size_z = 0.3;
    dr_elastic_set_fabric(&def, &fabric);
    swatch s;
    swatch_create(&s, &def);
    double area = s.sheet.h[0] * s.sheet.h[1], e = 1e-3;
    // Pulls of either axis, a shear, bends of either axis, a twist: energy by unit of what is
    // strained.
    for (int kind = 0; kind < 6; ++kind) {
        swatch_lay(&s);
        for (int i = 0; i < s.count; ++i) {
            double x = s.x[i][0], z = s.x[i][2];
            s.x[i][0] += kind == 0 ? e * x : kind == 2 ? 0.5 * e * z : 0.0;
            s.x[i][2] += kind == 1 ? e * z : kind == 2 ? 0.5 * e * x : 0.0;
            s.x[i][1] = kind == 3 ? 0.5 * e * x * x : kind == 4 ? 0.5 * e * z * z : 0.0;
            s.x[i][1] = kind == 5 ? e * x * z : s.x[i][1];
        }
        swatch_send(&s);
        dr_elastic_energies found = dr_elastic_energy(&s.sheet);
        const double got[6] = {found.stretch, found.stretch, found.shear,
                               found.bend,    found.bend,    found.bend};
        const int elements[6] = {20 * 16, 21 * 15, 20 * 15, 19 * 16, 21 * 14, 20 * 15};
        double twist = 2.0 * sqrt((double)fabric.bend_warp * (double)fabric.bend_weft);
        const double stiffness[6] = {fabric.stretch_warp, fabric.stretch_weft, fabric.shear,
                                     fabric.bend_warp,    fabric.bend_weft,    twist};
        double wanted = 0.5 * stiffness[kind] * e * e * area * elements[kind];
        ck_assert_double_eq_tol(got[kind] / wanted, 1.0, 2e-3);
    }
    swatch_free(&s);
}
END_TEST

// The twist of one cell, on its own in both models.
START_TEST(twist_is_that_of_the_other_model)
{
    drape_fabric fabric = test_fabric();
    fabric.stretch_warp = fabric.stretch_weft = fabric.shear = 1e-9f;
    piece p;
    piece_create(&p, WEAVE_GRID, &fabric, 0.02f, 0.03f, 2, 2);
    dr_sheet* sheet = &p.xpbd.sheet;
    drape_vec3 corner = piece_at(&p, 3);
    corner.y += 0.001f;
    dr_sheet_set(sheet->layout, sheet->pos, sheet->slot_of_vertex[3], corner);
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = def.rows = 2;
    def.size_x = 0.02;
    def.size_z = 0.03;
    dr_elastic_set_fabric(&def, &fabric);
    swatch s;
    swatch_create(&s, &def);
    s.x[3][1] = 0.001;
    swatch_send(&s);
    ck_assert_double_eq_tol(dr_elastic_energy(&s.sheet).bend / piece_energy(&p), 1.0, 1e-3);
    swatch_free(&s);
    piece_free(&p);
}
END_TEST

// --- Bad input ---

START_TEST(bad_definitions_get_a_sentence)
{
    dr_elastic_def good = dr_elastic_defaults();
    ck_assert_ptr_null(dr_elastic_check(&good));
    const double bad[] = {-1.0, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        dr_elastic_def def = good;
        def.density = bad[i];
        ck_assert_ptr_nonnull(strstr(dr_elastic_check(&def), "density"));
        def = good;
        def.size_z = bad[i];
        ck_assert_ptr_nonnull(strstr(dr_elastic_check(&def), "size"));
        def = good;
        def.damping = bad[i];
        ck_assert_ptr_nonnull(strstr(dr_elastic_check(&def), "damping"));
        def = good;
        def.eta[i] = bad[i];
        ck_assert_ptr_nonnull(strstr(dr_elastic_check(&def), "stiffness"));
        def = good;
        def.xi[2 - i] = bad[i];
        ck_assert_ptr_nonnull(strstr(dr_elastic_check(&def), "stiffness"));
    }
    dr_elastic_def def = good;
    def.curvature[1] = NAN;
    ck_assert_ptr_nonnull(strstr(dr_elastic_check(&def), "curvature"));
    def = good;
    def.rows = 0;
    ck_assert_ptr_nonnull(strstr(dr_elastic_check(&def), "rows"));
    def = good;
    def.density = 0.0;
    ck_assert_ptr_nonnull(dr_elastic_check(&def));
    def = good;
    def.form = (drape_elastic_form)3;
    ck_assert_ptr_nonnull(dr_elastic_check(&def));
}
END_TEST

START_TEST(lack_of_memory_is_told)
{
    dr_elastic_def def = skew_def(5, 4);
    bool created = false;
    for (int calls = 0; !created; ++calls) {
        ck_assert_int_lt(calls, 30);
        watched_heap heap = {.calls_left = calls};
        drape_allocator hook = {
            .allocate = watched_allocate, .release = watched_release, .user = &heap};
        dr_memory memory;
        dr_memory_init(&memory, &hook);
        dr_elastic sheet;
        created = dr_elastic_create(&sheet, &memory, &def);
        dr_elastic_free(&sheet, &memory);
        ck_assert_uint_eq(heap.bytes, 0);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("elastic");
    TCase* system = tcase_create("system");
    tcase_add_loop_test(system, assembly_is_the_sum_of_its_elements, 0, size_count);
    tcase_add_test(system, springs_and_accelerations_are_added);
    suite_add_tcase(suite, system);
    TCase* forces = tcase_create("forces");
    tcase_add_loop_test(forces, e1_forces_are_gradients, 0, 3);
    tcase_add_test(forces, e2_rest_is_still_and_rigid_motion_free);
    tcase_add_test(forces, e3_bending_resists_both_ways_but_not_as_printed);
    tcase_add_loop_test(forces, e4_pulled_strip_resists_by_its_stretch, 0, 2);
    tcase_add_test(forces, fabric_values_mean_the_same_in_both_models);
    tcase_add_test(forces, twist_is_that_of_the_other_model);
    suite_add_tcase(suite, forces);
    TCase* input = tcase_create("input");
    tcase_add_test(input, bad_definitions_get_a_sentence);
    tcase_add_test(input, lack_of_memory_is_told);
    suite_add_tcase(suite, input);
    return run_suite(suite);
}
