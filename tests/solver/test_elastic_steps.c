// Steps of the elastic sheet: how long they may be, what they do, equal bytes.
#include "elastic_test.h"

#include "core/base.h"

static const double dt = 2e-3, gravity = 9.81;

// --- How long a step may be ---

START_TEST(step_limit_is_that_of_the_stiffest_wave)
{
    dr_elastic_def def = dr_elastic_defaults();
    swatch s;
    swatch_create(&s, &def);
    double h = 0.02, along = 0.55 * h * sqrt(def.density / (2.0 * def.eta[0]));
    ck_assert_double_eq_tol(dr_elastic_step_limit(&s.sheet) / along, 1.0, 1e-12);
    swatch_free(&s);
    // A shear that is stiffer than all counts; so does the stiffer of two axes, if it is there.
    def.eta[2] = 200.0;
    swatch_create(&s, &def);
    ck_assert_double_lt(dr_elastic_step_limit(&s.sheet) / along, 0.5);
    swatch_free(&s);
    def.eta[1] = 2000.0;
    def.rows = 1;
    swatch_create(&s, &def);
    ck_assert_double_eq_tol(dr_elastic_step_limit(&s.sheet) / along, 1.0, 1e-12);
    swatch_free(&s);
}
END_TEST

// Growth of a small disturbance in the plane over some steps.
static double growth(double share, int steps)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = def.rows = 21;
    def.form = DRAPE_FORM_PLAIN;
    swatch s;
    swatch_create(&s, &def);
    for (int i = 0; i < s.count; ++i) {
        s.x[i][0] += 1e-5 * (double)dr_random_signed(5, (uint32_t)i);
        s.x[i][2] += 1e-5 * (double)dr_random_signed(6, (uint32_t)i);
    }
    swatch_send(&s);
    double before = swatch_energy(&s), most = 0.0;
    double step = share * dr_elastic_step_limit(&s.sheet) / DR_ELASTIC_SAFETY;
    for (int i = 0; i < steps && most < 100.0; ++i) {
        swatch_step(&s, step, 0.0);
        most = fmax(most, swatch_energy(&s) / before);
    }
    swatch_free(&s);
    return most;
}

START_TEST(e7_stable_below_the_limit_and_not_beyond)
{
    ck_assert_double_lt(growth(DR_ELASTIC_SAFETY, 1000), 2.0);
    ck_assert_double_gt(growth(1.3, 1000), 50.0);
}
END_TEST

// The margin that is returned is that of the rows, and positive exactly when inertia beats twice
// the positive links, for the rest of each row sums to zero.
START_TEST(e5_margin_is_that_of_the_rows)
{
    int dominant = 0;
    for (uint32_t round = 0; round < 30; ++round) {
        dr_elastic_def def = skew_def(11, 8);
        def.form = (drape_elastic_form)(round % 3);
        def.xi[0] *= 1.0 + 500.0 * (round % 5);
        swatch s;
        swatch_create(&s, &def);
        swatch_shake(&s, 0.002 * (round % 7), round);
        double margin = swatch_begin(&s, dt, gravity), least = 1.0;
        double inertia = def.density / (dt * dt) + 0.5 * def.damping * def.density / dt;
        bool holds = true;
        for (int i = 0; i < s.count; ++i) {
            double a = dr_elastic_coefficient(&s.sheet, i, 0, 0), sum = 0.0, positive = 0.0;
            for (int k = 0; k < 25; ++k) {
                double link = dr_elastic_coefficient(&s.sheet, i, k % 5 - 2, k / 5 - 2);
                sum += k == 12 ? 0.0 : fabs(link);
                positive += k == 12 ? 0.0 : fmax(link, 0.0);
            }
            least = fmin(least, (fabs(a) - sum) / fabs(a));
            holds &= a > 0.0 && inertia > 2.0 * positive;
        }
        ck_assert_double_eq_tol(margin, least, 1e-12);
        ck_assert_int_eq(margin > 0.0, holds);
        dominant += holds;
        swatch_free(&s);
    }
    ck_assert_int_gt(dominant, 5);
    ck_assert_int_lt(dominant, 25);
}
END_TEST

START_TEST(e6_free_fall_follows_the_recursion)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = def.rows = 21;
    swatch s;
    swatch_create(&s, &def);
    swatch_shake(&s, 0.002, 7);
    s.sheet.tolerance = 1e-15;
    double rho = def.density, gamma = def.damping * rho, speed = 0.0, fallen = 0.0, start = 0.0;
    for (int i = 0; i < s.count; ++i) {
        start += s.x[i][1] / s.count;
    }
    for (int i = 0; i < 500; ++i) {
        swatch_step(&s, dt, gravity);
        speed = ((rho / dt - 0.5 * gamma) * speed - rho * gravity) / (rho / dt + 0.5 * gamma);
        fallen += speed * dt;
    }
    swatch_fetch(&s);
    double found = 0.0;
    for (int i = 0; i < s.count; ++i) {
        found += s.x[i][1] / s.count;
    }
    ck_assert_double_lt(speed, -4.0);
    ck_assert_double_eq_tol((found - start) / fallen, 1.0, 1e-10);
    swatch_free(&s);
}
END_TEST

// --- Steps ---

START_TEST(strong_damping_is_clamped_and_told)
{
    dr_elastic_def def = small_def(DRAPE_FORM_SPLIT);
    def.damping = 5000.0;
    swatch s;
    swatch_create(&s, &def);
    for (int v = 0; v < s.count; ++v) {
        s.v[v][0] = 3.0;
    }
    swatch_send(&s);
    swatch_step(&s, 1e-3, 0.0);
    ck_assert(s.sheet.damping_clamped);
    swatch_fetch(&s);
    ck_assert_double_lt(fabs(s.v[7][0]), 1e-6);
    swatch_step(&s, 1e-4, 0.0);
    ck_assert(!s.sheet.damping_clamped);
    swatch_free(&s);
}
END_TEST

START_TEST(what_is_not_finite_is_not_committed)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    dr_elastic_def def = small_def(DRAPE_FORM_SPLIT);
    swatch s;
    swatch_create(&s, &def);
    point before[36], after[36];
    for (int i = 0; i < 9; ++i) {
        swatch_step(&s, 1e-3, 9.81);
        dr_elastic_get_state(&s.sheet, before, NULL);
        dr_elastic_begin(&s.sheet, 1e-3, &(dr_elastic_forces){0}, NULL, s.isa);
        dr_elastic_solve(&s.sheet, NULL, 0, NULL, s.isa);
        point place = {0.0, 0.0, 0.0};
        place[i / 3] = bad[i % 3];
        dr_elastic_set_candidate(&s.sheet, 4 * i, place);
        ck_assert(!dr_elastic_commit(&s.sheet, s.isa));
        dr_elastic_get_state(&s.sheet, after, NULL);
        ck_assert_mem_eq(before, after, sizeof before);
        dr_elastic_set_candidate(&s.sheet, 4 * i, before[4 * i]);
    }
    swatch_free(&s);
}
END_TEST

// Doubles, floats and single vertices tell the same.
START_TEST(state_comes_back_as_it_went_in)
{
    dr_elastic_def def = small_def(DRAPE_FORM_SPLIT);
    def.columns = 13;
    swatch s;
    swatch_create(&s, &def);
    for (int v = 0; v < s.count; ++v) {
        for (int c = 0; c < 3; ++c) {
            s.x[v][c] = 3 * v + c;
            s.v[v][c] = -3 * v - c;
        }
    }
    swatch_send(&s);
    point *x = malloc(sizeof(point) * 78), *v = malloc(sizeof(point) * 78);
    drape_vec3* floats = malloc(sizeof *floats * 78);
    dr_elastic_get_state(&s.sheet, x, v);
    dr_elastic_get_candidate_floats(&s.sheet, floats);
    ck_assert_mem_eq(x, s.x, sizeof(point) * 78);
    ck_assert_mem_eq(v, s.v, sizeof(point) * 78);
    for (int i = 0; i < 78; ++i) {
        ck_assert_double_eq((double)floats[i].y, s.x[i][1]);
        ck_assert_double_eq(s.sheet.f.x[2][dr_elastic_place(&s.sheet, i)], s.x[i][2]);
    }
    free(x);
    free(v);
    free(floats);
    swatch_free(&s);
}
END_TEST

// --- Equal bytes ---

// Some steps with everything in them; large enough for threads.
static uint64_t run_hash(drape_isa isa, int workers, int bend, int form)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = 167;
    def.rows = 123;
    def.bend = (drape_elastic_bend)bend;
    def.form = (drape_elastic_form)form;
    // As printed, bending may drive itself: little of it.
    def.xi[0] = bend == DRAPE_BEND_PLATE ? 1e-5 : 1e-9;
    def.xi[1] = def.xi[2] = 0.5 * def.xi[0];
    def.curvature[0] = 1.0;
    rig r;
    rig_create(&r, &def);
    dr_pool* pool = dr_pool_create(&r.s.memory, workers, NULL);
    swatch_shake(&r.s, 5e-4, 9);
    double length = 0.5 * dr_elastic_step_limit(&r.s.sheet);
    for (int step = 0; step < 2; ++step) {
        dr_limits_clear(&r.limits);
        for (int v = 0; v < r.s.count; v += 7) {
            dr_halfspace floor = {.normal = {0.0, 1.0, 0.0}, .offset = 1e-4, .dependent = -1};
            dr_limits_add_plane(&r.limits, &r.s.memory, v, &floor);
            dr_limits_set_interval(&r.limits, (v + 2) % r.s.count, 0, -1.0, 0.5);
        }
        dr_elastic_forces forces = {{0.0, -9.81, 0.0}, NULL};
        dr_elastic_begin(&r.s.sheet, length, &forces, pool, isa);
        dr_elastic_solve(&r.s.sheet, &r.limits, 0, pool, isa);
        ck_assert(dr_elastic_commit(&r.s.sheet, isa));
    }
    swatch_fetch(&r.s);
    uint64_t hash = dr_hash_bytes(DR_HASH_START, r.s.x, sizeof(point) * (size_t)r.s.count);
    hash = dr_hash_bytes(hash, r.s.v, sizeof(point) * (size_t)r.s.count);
    dr_pool_destroy(pool);
    rig_free(&r);
    return hash;
}

START_TEST(same_bytes_for_all_threads_and_instruction_sets)
{
    const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2, DRAPE_ISA_NEON,
                              DRAPE_ISA_WASM};
    const int kinds[4][2] = {{DRAPE_BEND_PLATE, DRAPE_FORM_SPLIT},
                             {DRAPE_BEND_ABS, DRAPE_FORM_PLAIN},
                             {DRAPE_BEND_PAPER, DRAPE_FORM_STIFF},
                             {DRAPE_BEND_PLATE, DRAPE_FORM_PLAIN}};
    int bend = kinds[_i][0], form = kinds[_i][1];
    uint64_t wanted = run_hash(dr_isa_resolve(DRAPE_ISA_AUTO), 1, bend, form);
    for (int i = 0; i < 5; ++i) {
        if (dr_isa_available(sets[i])) {
            ck_assert_uint_eq(run_hash(sets[i], 1, bend, form), wanted);
        }
    }
    ck_assert_uint_eq(run_hash(dr_isa_resolve(DRAPE_ISA_AUTO), 2, bend, form), wanted);
    ck_assert_uint_eq(run_hash(dr_isa_resolve(DRAPE_ISA_AUTO), 4, bend, form), wanted);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("elastic steps");
    TCase* lengths = tcase_create("lengths");
    tcase_add_test(lengths, step_limit_is_that_of_the_stiffest_wave);
    tcase_add_test(lengths, e5_margin_is_that_of_the_rows);
    tcase_add_test(lengths, e6_free_fall_follows_the_recursion);
    tcase_add_test(lengths, e7_stable_below_the_limit_and_not_beyond);
    suite_add_tcase(suite, lengths);
    TCase* steps = tcase_create("steps");
    tcase_add_test(steps, strong_damping_is_clamped_and_told);
    tcase_add_test(steps, what_is_not_finite_is_not_committed);
    tcase_add_test(steps, state_comes_back_as_it_went_in);
    tcase_add_loop_test(steps, same_bytes_for_all_threads_and_instruction_sets, 0, 4);
    suite_add_tcase(suite, steps);
    return run_suite(suite);
}
