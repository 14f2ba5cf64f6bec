// Springs: what they weigh, what they store, how they pull.
#include "springs_test.h"

#include "solver/air.h"
#include "solver_test.h"

// --- Rest ---

static double largest_force(net* n)
{
    point* force = calloc((size_t)n->count, sizeof *force);
    ck_assert_int_eq(dr_springs_force(&n->s, force, n->isa), 0);
    double most = 0.0;
    for (int i = 0; i < n->count; ++i) {
        for (int c = 0; c < 3; ++c) {
            most = fmax(most, fabs(force[i][c]));
        }
    }
    free(force);
    return most;
}

START_TEST(p1_springs_at_rest_do_not_pull)
{
    for (int kind = 0; kind < 4; ++kind) {
        dr_springs_def def = kind == 0 ? paper_def() : skew_def(9, 7);
        def.eight_bends = kind == 2;
        net n;
        if (kind == 3) {
            net_create_mesh(&n, &def, 0.3);
        } else {
            net_create(&n, &def);
        }
        ck_assert_double_le(largest_force(&n), 1e-5 * (kind == 3 ? 1.0 : 1e-8));
        // A disturbance does pull.
        net_shake(&n, 0.005, 0.0, 3);
        ck_assert_double_gt(largest_force(&n), 1e-3);
        net_free(&n);
    }
}
END_TEST

// The printed stencil: how many springs of each kind meet in an inner vertex and in all.
START_TEST(stencil_is_that_of_the_paper)
{
    for (int eight = 0; eight < 2; ++eight) {
        dr_springs_def def = paper_def();
        def.eight_bends = eight == 1;
        net n;
        net_create(&n, &def);
        int all[DR_SPRING_KINDS] = {0}, inner[DR_SPRING_KINDS] = {0}, middle = 10 * 21 + 10;
        for (int i = 0; i < n.s.spring_count; ++i) {
            const dr_spring* s = &n.s.springs[i];
            ++all[s->kind];
            inner[s->kind] += s->v[0] == middle || s->v[1] == middle;
        }
        ck_assert_int_eq(inner[DR_SPRING_STRUCTURAL], 4);
        ck_assert_int_eq(inner[DR_SPRING_SHEAR], 4);
        ck_assert_int_eq(inner[DR_SPRING_BEND], eight ? 8 : 4);
        ck_assert_int_eq(all[DR_SPRING_STRUCTURAL], 2 * 20 * 21);
        ck_assert_int_eq(all[DR_SPRING_SHEAR], 2 * 20 * 20);
        ck_assert_int_eq(all[DR_SPRING_BEND], 2 * 19 * 21 + (eight ? 2 * 19 * 19 : 0));
        net_free(&n);
    }
}
END_TEST

// --- Energy of the fabric ---

// A linear map of the plane.
static double energy_of(net* n, const double f[4])
{
    point* keep = calloc((size_t)n->count, sizeof *keep);
    memcpy(keep, n->x, (size_t)n->count * sizeof *keep);
    for (int i = 0; i < n->count; ++i) {
        double x = n->x[i][0], z = n->x[i][2];
        n->x[i][0] = f[0] * x + f[1] * z;
        n->x[i][2] = f[2] * x + f[3] * z;
    }
    net_send(n);
    double energy = net_elastic(n);
    memcpy(n->x, keep, (size_t)n->count * sizeof *keep);
    net_send(n);
    free(keep);
    return energy;
}

// Extension along warp and weft and shear by a small strain, as shares of the fabric's.
static void compare_energies(net* n, const dr_springs_def* def, double out[3])
{
    const double e = 1e-4;
    double area = def->size_x * def->size_z, half = 0.5 * e * e * area;
    out[0] = energy_of(n, (const double[4]){1.0 + e, 0.0, 0.0, 1.0}) / (half * def->stretch[0]);
    out[1] = energy_of(n, (const double[4]){1.0, 0.0, 0.0, 1.0 + e}) / (half * def->stretch[1]);
    out[2] = energy_of(n, (const double[4]){1.0, 0.5 * e, 0.5 * e, 1.0}) / (half * def->shear);
}

START_TEST(small_strains_store_what_the_fabric_does)
{
    double share[3];
    for (int kind = 0; kind < 3; ++kind) {
        dr_springs_def def = skew_def(9, 7);
        def.bend[0] = 2e-6;
        def.bend[1] = 1e-6;
        def.eight_bends = kind == 1;
        net n;
        if (kind == 2) {
            net_create_mesh(&n, &def, 0.0);
            // Chords of hinges are left out of the count on a mesh.
            for (int i = 0; i < n.s.spring_count; ++i) {
                n.s.springs[i].stiffness *= n.s.springs[i].kind != DR_SPRING_BEND;
            }
        } else {
            net_create(&n, &def);
        }
        compare_energies(&n, &def, share);
        for (int i = 0; i < 3; ++i) {
            ck_assert_double_eq_tol(share[i], 1.0, 2e-3);
        }
        net_free(&n);
    }
}
END_TEST

// Edges in all directions: extension within a fifth, shear no softer than the fabric's.
START_TEST(irregular_meshes_come_near)
{
    dr_springs_def def = skew_def(15, 17);
    double share[3];
    net n;
    def.bend[0] = def.bend[1] = 1e-9;
    net_create_mesh(&n, &def, 0.25);
    compare_energies(&n, &def, share);
    ck_assert_double_eq_tol(share[0], 1.0, 0.2);
    ck_assert_double_eq_tol(share[1], 1.0, 0.2);
    ck_assert_double_ge(share[2], 0.9);
    net_free(&n);
}
END_TEST

// A strip bent by the fold angle at each vertex stores the fabric's energy in its triples.
START_TEST(folds_store_what_the_fabric_does_at_the_fold_angle)
{
    dr_springs_def def = skew_def(21, 3);
    net n;
    net_create(&n, &def);
    double h = 0.05, x = 0.0, y = 0.0;
    for (int c = 0; c < 21; ++c) {
        for (int r = 0; r < 3; ++r) {
            memcpy(n.x[r * 21 + c], (point){x, y, r * 0.04}, sizeof(point));
        }
        x += h * cos(def.fold_angle * c);
        y += h * sin(def.fold_angle * c);
    }
    net_send(&n);
    double bend = dr_springs_energy(&n.s).elastic[DR_SPRING_BEND];
    double curvature = def.fold_angle / h;
    double fabric = 0.5 * def.bend[0] * curvature * curvature * 19 * h * def.size_z;
    ck_assert_double_eq_tol(bend / fabric, 1.0, 1e-9);
    net_free(&n);
}
END_TEST

START_TEST(weights_add_up)
{
    dr_springs_def def = skew_def(9, 7);
    for (int is_mesh = 0; is_mesh < 2; ++is_mesh) {
        net n;
        if (is_mesh) {
            net_create_mesh(&n, &def, 0.2);
        } else {
            net_create(&n, &def);
        }
        double sum = 0.0;
        for (int i = 0; i < n.count; ++i) {
            sum += n.s.mass[i];
        }
        ck_assert_double_eq_tol(sum / (def.density * def.size_x * def.size_z), 1.0, 1e-6);
        net_free(&n);
    }
    def = paper_def();
    net n;
    net_create(&n, &def);
    for (int i = 0; i < n.count; ++i) {
        ck_assert_double_eq_tol(n.s.mass[i], 5e-4, 1e-15);
    }
    net_free(&n);
}
END_TEST

// --- Forces ---

static double energy_moved(net* n, int vertex, int c, double by)
{
    double keep = n->s.x[vertex][c];
    n->s.x[vertex][c] = keep + by;
    double energy = net_elastic(n);
    n->s.x[vertex][c] = keep;
    return energy;
}

START_TEST(forces_are_the_slope_of_the_energy)
{
    for (int kind = 0; kind < 4; ++kind) {
        dr_springs_def def = kind == 0 ? paper_def() : skew_def(7, 6);
        def.columns = def.rows = 7;
        def.eight_bends = kind == 2;
        net n;
        if (kind == 3) {
            net_create_mesh(&n, &def, 0.3);
        } else {
            net_create(&n, &def);
        }
        net_shake(&n, 0.02, 0.0, 5);
        point* force = calloc((size_t)n.count, sizeof *force);
        dr_springs_force(&n.s, force, n.isa);
        double worst = 0.0, most = 0.0;
        for (int i = 0; i < 3 * n.count; ++i) {
            const double e = 1e-6;
            double slope = energy_moved(&n, i / 3, i % 3, e) - energy_moved(&n, i / 3, i % 3, -e);
            worst = fmax(worst, fabs(force[i / 3][i % 3] + slope / (2.0 * e)));
            most = fmax(most, fabs(force[i / 3][i % 3]));
        }
        ck_assert_double_gt(most, 0.01);
        ck_assert_double_le(worst, 1e-6 * most);
        free(force);
        net_free(&n);
    }
}
END_TEST

START_TEST(springs_without_length_are_counted_and_do_not_pull)
{
    dr_springs_def def = paper_def();
    net n;
    net_create(&n, &def);
    // A structural spring is folded to nothing; so are no others.
    memcpy(n.x[31], n.x[30], sizeof(point));
    net_send(&n);
    point* force = calloc((size_t)n.count, sizeof *force);
    ck_assert_int_eq(dr_springs_force(&n.s, force, n.isa), 1);
    for (int i = 0; i < n.count; ++i) {
        ck_assert(isfinite(force[i][0]) && isfinite(force[i][1]) && isfinite(force[i][2]));
    }
    ck_assert_int_eq(net_step(&n, 1e-3, 0.0).zero_length, 1);
    free(force);
    net_free(&n);
}
END_TEST

// --- Air ---

// Energy that the air takes out of a moving sheet of springs; its force is an input.
static double air_power(drape_vec3 velocity)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_create(&p, WEAVE_GRID, &fabric, 0.2f, 0.2f, 11, 11);
    dr_sheet* sheet = &p.xpbd.sheet;
    sheet->force = dr_new_zeroed(&p.memory, float, (size_t)sheet->vector_count * 32);
    drape_vec3 velocities[121], scratch[200], a[121];
    for (int v = 0; v < 121; ++v) {
        velocities[v] = velocity;
    }
    dr_sheet_set_state(sheet, p.mesh.rest, velocities);
    dr_air_blow(sheet, &p.mesh, (drape_vec3){0}, 1.0f, 0.0f, 1e-3f, scratch);
    for (int v = 0; v < 121; ++v) {
        a[v] = dr_sheet_get(sheet->layout, sheet->force, sheet->slot_of_vertex[v]);
    }
    piece_free(&p);
    dr_springs_def def = dr_springs_defaults();
    def.columns = def.rows = 11;
    def.size_x = def.size_z = 0.2;
    def.damping = 0.0;
    def.max_elongation = 0.0;
    net n;
    net_create(&n, &def);
    for (int i = 0; i < n.count; ++i) {
        memcpy(n.v[i], (point){(double)velocity.x, (double)velocity.y, (double)velocity.z},
               sizeof(point));
    }
    net_send(&n);
    double before = dr_springs_energy(&n.s).kinetic;
    dr_springs_forces forces = {{0.0, 0.0, 0.0}, a};
    dr_springs_begin(&n.s, 1e-4, &forces, NULL, n.isa);
    dr_springs_solve(&n.s, NULL, 0, NULL, n.isa);
    dr_springs_commit(&n.s);
    double lost = (before - dr_springs_energy(&n.s).kinetic) / before;
    net_free(&n);
    return lost;
}

START_TEST(p6_air_opposes_motion_and_lets_edges_pass)
{
    ck_assert_double_gt(air_power((drape_vec3){0.0f, 3.0f, 0.0f}), 1e-5);
    ck_assert_double_gt(air_power((drape_vec3){1.0f, -2.0f, 0.5f}), 1e-5);
    ck_assert_double_le(fabs(air_power((drape_vec3){3.0f, 0.0f, 2.0f})), 1e-9);
}
END_TEST

// --- Definition and memory ---

START_TEST(nonsense_is_refused_with_a_sentence)
{
    dr_springs_def def = dr_springs_defaults();
    ck_assert_ptr_null(dr_springs_check(&def));
    def.density = 0.0;
    ck_assert_ptr_nonnull(dr_springs_check(&def));
    def = dr_springs_defaults();
    def.stretch[1] = NAN;
    ck_assert_ptr_nonnull(dr_springs_check(&def));
    def = dr_springs_defaults();
    def.columns = 0;
    ck_assert_ptr_nonnull(dr_springs_check(&def));
    def = dr_springs_defaults();
    def.fold_angle = 4.0;
    ck_assert_ptr_nonnull(dr_springs_check(&def));
    def = dr_springs_defaults();
    def.max_elongation = -0.1;
    ck_assert_ptr_nonnull(dr_springs_check(&def));
    def = dr_springs_defaults();
    def.integrator = (dr_springs_integrator)7;
    ck_assert_ptr_nonnull(dr_springs_check(&def));
}
END_TEST

START_TEST(short_memory_is_survived)
{
    dr_springs_def def = skew_def(9, 7);
    def.integrator = DR_SPRINGS_IMPLICIT;
    bool done = false;
    for (int calls = 0; !done; ++calls) {
        watched_heap heap = {.calls_left = calls};
        drape_allocator hook = {watched_allocate, watched_release, &heap};
        dr_memory memory;
        dr_memory_init(&memory, &hook);
        dr_springs s;
        done = dr_springs_create(&s, &memory, &def);
        dr_springs_free(&s, &memory);
        ck_assert_uint_eq(heap.bytes, 0);
        ck_assert_int_lt(calls, 100);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("springs");
    TCase* tcase = tcase_create("springs");
    tcase_add_test(tcase, p1_springs_at_rest_do_not_pull);
    tcase_add_test(tcase, stencil_is_that_of_the_paper);
    tcase_add_test(tcase, small_strains_store_what_the_fabric_does);
    tcase_add_test(tcase, irregular_meshes_come_near);
    tcase_add_test(tcase, folds_store_what_the_fabric_does_at_the_fold_angle);
    tcase_add_test(tcase, weights_add_up);
    tcase_add_test(tcase, forces_are_the_slope_of_the_energy);
    tcase_add_test(tcase, springs_without_length_are_counted_and_do_not_pull);
    tcase_add_test(tcase, p6_air_opposes_motion_and_lets_edges_pass);
    tcase_add_test(tcase, nonsense_is_refused_with_a_sentence);
    tcase_add_test(tcase, short_memory_is_survived);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
