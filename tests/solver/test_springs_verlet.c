// Verlet's way: how long a step may be, damping, pins, limits, lengths.
#include "springs_test.h"

static const double gravity = 9.81;

// --- Stability ---

START_TEST(step_limit_is_that_of_the_stiffest_vertex)
{
    dr_springs_def def = paper_def();
    net n;
    net_create(&n, &def);
    double sum = 4.0 * (20.0 + 5.0 + 2.0);
    ck_assert_double_eq_tol(dr_springs_step_limit(&n.s) / (2.0 / sqrt(2.0 * sum / 5e-4)), 1.0,
                            1e-12);
    net_free(&n);
}
END_TEST

// Growth of the energy of a shaken sheet in steps of a share of the limit, without substeps.
static double growth(double share)
{
    dr_springs_def def = paper_def();
    def.damping = 0.0;
    def.max_substeps = 1;
    net n;
    net_create(&n, &def);
    net_shake(&n, 1e-4, 0.0, 5);
    double before = net_elastic(&n), most = 0.0, dt = share * dr_springs_step_limit(&n.s);
    for (int i = 0; i < 1000 && most < 1e6; ++i) {
        dr_springs_result result = net_step(&n, dt, 0.0);
        ck_assert(result.is_stable == (share <= 1.0));
        most = fmax(most, net_elastic(&n) / before);
    }
    net_free(&n);
    return most;
}

START_TEST(p2_stable_at_the_bound_and_not_beyond)
{
    ck_assert_double_lt(growth(1.0), 4.0);
    ck_assert_double_ge(growth(1.7), 1e6);
}
END_TEST

START_TEST(long_steps_are_cut)
{
    dr_springs_def def = paper_def();
    net n, m;
    net_create(&n, &def);
    net_create(&m, &def);
    double dt = 1.0 / 60.0;
    int parts = (int)ceil(dt / dr_springs_step_limit(&n.s));
    for (int i = 0; i < 2; ++i) {
        net_pin(&n, i * 20, n.x[i * 20]);
        net_pin(&m, i * 20, m.x[i * 20]);
    }
    for (int i = 0; i < 20; ++i) {
        ck_assert_int_eq(net_step(&n, dt, gravity).substeps, parts);
        for (int k = 0; k < parts; ++k) {
            ck_assert_int_eq(net_step(&m, dt / parts, gravity).substeps, 1);
        }
    }
    net_fetch(&n);
    net_fetch(&m);
    ck_assert_int_eq(memcmp(n.x, m.x, (size_t)n.count * sizeof(point)), 0);
    ck_assert_int_eq(memcmp(n.v, m.v, (size_t)n.count * sizeof(point)), 0);
    // More than it may take: said, and nothing but.
    ck_assert(!net_try(&n, 10.0, gravity).is_stable);
    net_free(&n);
    net_free(&m);
}
END_TEST

// --- Motion ---

// v+ = keep v - g dt, y+ = y + v+ dt.
START_TEST(free_fall_is_the_recursion)
{
    dr_springs_def def = paper_def();
    net n;
    net_create(&n, &def);
    double v = 0.0, y = 0.0, dt = 2e-3;
    for (int i = 0; i < 200; ++i) {
        net_step(&n, dt, gravity);
        v = exp(-def.damping * dt) * v - gravity * dt;
        y += v * dt;
    }
    net_fetch(&n);
    for (int i = 0; i < n.count; ++i) {
        ck_assert_double_eq_tol(n.x[i][1], y, 1e-10);
        ck_assert_double_eq_tol(n.v[i][1], v, 1e-9);
    }
    net_free(&n);
}
END_TEST

// Twice as many steps of half the length damp the same.
START_TEST(damping_does_not_depend_on_the_step)
{
    double speed[2];
    for (int k = 0; k < 2; ++k) {
        dr_springs_def def = paper_def();
        net n;
        net_create(&n, &def);
        for (int i = 0; i < n.count; ++i) {
            n.v[i][0] = 1.0;
        }
        net_send(&n);
        for (int i = 0; i < (k ? 200 : 100); ++i) {
            net_step(&n, k ? 1e-3 : 2e-3, 0.0);
        }
        net_fetch(&n);
        speed[k] = n.v[0][0];
        net_free(&n);
    }
    ck_assert_double_eq_tol(speed[0], exp(-2.0 * 0.2), 1e-9);
    ck_assert_double_eq_tol(speed[1], speed[0], 1e-9);
}
END_TEST

// Linear and angular momentum of a free sheet.
static void momenta(const net* n, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < n->count; ++i) {
        for (int c = 0; c < 3; ++c) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            out[c] += n->s.mass[i] * n->v[i][c];
            out[3 + c] += n->s.mass[i] * (n->x[i][d] * n->v[i][e] - n->x[i][e] * n->v[i][d]);
        }
    }
}

START_TEST(momentum_is_kept)
{
    for (int eight = 0; eight < 2; ++eight) {
        dr_springs_def def = skew_def(9, 7);
        def.damping = 0.0;
        def.eight_bends = eight == 1;
        net n;
        double before[6], after[6];
        net_create(&n, &def);
        net_shake(&n, 0.005, 0.5, 2);
        momenta(&n, before);
        for (int i = 0; i < 300; ++i) {
            net_step(&n, 1e-3, 0.0);
        }
        net_fetch(&n);
        momenta(&n, after);
        for (int c = 0; c < 3; ++c) {
            ck_assert_double_eq_tol(after[c], before[c], 1e-13);
        }
        // Places and velocities are half a step apart: the turn is kept to that order.
        for (int c = 3; c < 6; ++c) {
            ck_assert_double_eq_tol(after[c], before[c], 1e-3 * n.s.mass[0] * n.count * 0.5 * 0.4);
        }
        net_free(&n);
    }
}
END_TEST

START_TEST(pins_hold_and_moving_pins_pull)
{
    dr_springs_def def = paper_def();
    net n;
    net_create(&n, &def);
    point at[2] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    for (int i = 0; i < 120; ++i) {
        dr_limits_clear(&n.limits);
        for (int k = 0; k < 2; ++k) {
            at[k][1] += 0.005;
            net_pin(&n, 20 * k, at[k]);
        }
        net_step(&n, 1.0 / 60.0, 0.0);
        net_fetch(&n);
        ck_assert_int_eq(memcmp(n.x[0], at[0], sizeof(point)), 0);
        ck_assert_int_eq(memcmp(n.x[20], at[1], sizeof(point)), 0);
    }
    ck_assert_double_gt(n.x[220][1], 0.1);
    ck_assert_double_eq_tol(n.v[0][1], 0.3, 1e-9);
    net_free(&n);
}
END_TEST

START_TEST(planes_and_intervals_are_honoured)
{
    dr_springs_def def = paper_def();
    def.max_elongation = 0.1;
    net n;
    net_create(&n, &def);
    dr_halfspace floor = {.normal = {0.0, 1.0, 0.0}, .offset = 0.1, .dependent = -1};
    for (int v = 0; v < n.count; ++v) {
        ck_assert_int_eq(dr_limits_add_plane(&n.limits, &n.memory, v, &floor), DR_LIMIT_ADDED);
    }
    dr_limits_set_interval(&n.limits, 220, 0, 0.4, 0.45);
    net_pin(&n, 0, n.x[0]);
    for (int i = 0; i < 60; ++i) {
        net_step(&n, 1.0 / 60.0, gravity);
        net_fetch(&n);
        for (int v = 0; v < n.count; ++v) {
            ck_assert_double_ge(n.x[v][1], -0.1);
        }
        ck_assert(n.x[220][0] >= 0.4 && n.x[220][0] <= 0.45);
    }
    ck_assert_double_le(n.x[440][1], -0.1 + 1e-9);
    net_free(&n);
}
END_TEST

// A floor that rises gives its own speed, not that times the substeps.
START_TEST(rising_planes_lift_at_their_speed)
{
    dr_springs_def def = paper_def();
    net n;
    net_create(&n, &def);
    for (int i = 1; i <= 5; ++i) {
        dr_halfspace floor = {.normal = {0.0, 1.0, 0.0}, .offset = -1e-3 * i, .dependent = -1};
        dr_limits_clear(&n.limits);
        for (int v = 0; v < n.count; ++v) {
            ck_assert_int_eq(dr_limits_add_plane(&n.limits, &n.memory, v, &floor), DR_LIMIT_ADDED);
        }
        net_step(&n, 1.0 / 60.0, 0.0);
        ck_assert_int_gt(n.s.step.substeps, 3);
        net_fetch(&n);
        for (int v = 0; v < n.count; ++v) {
            ck_assert_double_eq_tol(n.x[v][1], 1e-3 * i, 1e-12);
            ck_assert_double_eq_tol(n.v[v][1], 0.06, 1e-9);
        }
    }
    net_free(&n);
}
END_TEST

// --- Lengths ---

// Worst elongation over a second and a half from the release, hung at two corners. What a sweep
// leaves over grows with the square of the step: 1 ms and the paper's 1 % of damping a step.
static double worst(int sweeps, dr_springs_order order)
{
    dr_springs_def def = paper_def();
    def.max_elongation = sweeps > 0 ? 0.1 : 0.0;
    def.elongation_sweeps = sweeps;
    def.elongation_order = order;
    def.damping = 10.0;
    net n;
    net_create(&n, &def);
    net_pin(&n, 0, n.x[0]);
    net_pin(&n, 20, n.x[20]);
    double most = 0.0;
    for (int i = 0; i < 1500; ++i) {
        net_step(&n, 1e-3, gravity);
        most = fmax(most, dr_springs_elongation(&n.s));
    }
    net_free(&n);
    return most;
}

START_TEST(p3_long_springs_are_shortened)
{
    ck_assert_double_gt(worst(0, DR_SPRINGS_TO_AND_FRO), 0.3);
    ck_assert_double_le(worst(1, DR_SPRINGS_TO_AND_FRO), 0.12);
    ck_assert_double_le(worst(10, DR_SPRINGS_TO_AND_FRO), 0.105);
    ck_assert_double_le(worst(1, DR_SPRINGS_FROM_HELD), 0.12);
    ck_assert_double_le(worst(10, DR_SPRINGS_FROM_HELD), 0.105);
}
END_TEST

// One spring: half by each end, all by the free one, none when both are held.
START_TEST(shortening_is_shared)
{
    for (int held = 0; held < 4; ++held) {
        dr_springs_def def = paper_def();
        def.columns = 2;
        def.rows = 1;
        def.max_elongation = 0.1;
        def.stiffness[0] = 1e-9; // nothing moves by itself
        net n;
        net_create(&n, &def);
        n.x[0][0] = -0.5;
        n.x[1][0] = 1.5;
        net_send(&n);
        for (int k = 0; k < 2; ++k) {
            if (held >> k & 1) {
                net_pin(&n, k, n.x[k]);
            }
        }
        net_step(&n, 1e-3, 0.0);
        net_fetch(&n);
        double left = held & 1 ? -0.5 : held == 2 ? 0.4 : -0.05;
        double right = held & 2 ? 1.5 : held == 1 ? 0.6 : 1.05;
        ck_assert_double_eq_tol(n.x[0][0], left, 1e-6);
        ck_assert_double_eq_tol(n.x[1][0], right, 1e-6);
        net_free(&n);
    }
}
END_TEST

// From the pin outwards one sweep is enough for a chain; in the other direction it is not.
START_TEST(breadth_first_order_begins_at_the_pins)
{
    double after[2];
    for (int k = 0; k < 2; ++k) {
        dr_springs_def def = paper_def();
        def.columns = 12;
        def.rows = 1;
        def.max_elongation = 0.1;
        def.elongation_sweeps = 1;
        def.elongation_order = k ? DR_SPRINGS_FROM_HELD : DR_SPRINGS_TO_AND_FRO;
        net n;
        net_create(&n, &def);
        for (int i = 0; i < n.count; ++i) {
            n.x[i][0] *= 1.5;
        }
        net_send(&n);
        net_pin(&n, 11, n.x[11]);
        net_step(&n, 1e-6, 0.0);
        after[k] = dr_springs_elongation(&n.s);
        net_free(&n);
    }
    ck_assert_double_gt(after[0], 0.15);
    ck_assert_double_lt(after[1], after[0]);
}
END_TEST

// --- Bad input ---

START_TEST(odd_sheets_and_steps_are_harmless)
{
    dr_springs_def def = paper_def();
    def.columns = def.rows = 1;
    net n;
    net_create(&n, &def);
    ck_assert(isinf(dr_springs_step_limit(&n.s)));
    net_step(&n, 0.1, gravity);
    net_fetch(&n);
    ck_assert_double_eq_tol(n.v[0][1], -0.981, 1e-12);
    // No time passes: nothing changes.
    point before = {n.v[0][0], n.v[0][1], n.v[0][2]};
    net_step(&n, 0.0, gravity);
    net_fetch(&n);
    ck_assert_int_eq(memcmp(before, n.v[0], sizeof before), 0);
    // What is not finite is refused and leaves the state alone.
    net_try(&n, 0.1, gravity);
    dr_springs_set_candidate(&n.s, 0, (const double[3]){NAN, 0.0, 0.0});
    ck_assert(!dr_springs_commit(&n.s));
    net_fetch(&n);
    ck_assert_int_eq(memcmp(before, n.v[0], sizeof before), 0);
    net_free(&n);
}
END_TEST

START_TEST(overruled_candidates_have_the_speed_of_the_step)
{
    dr_springs_def def = paper_def();
    net n;
    net_create(&n, &def);
    ck_assert_int_gt(net_try(&n, 1.0 / 60.0, gravity).substeps, 1);
    dr_springs_set_candidate(&n.s, 5, (const double[3]){n.x[5][0] + 0.01, 0.0, n.x[5][2]});
    ck_assert(dr_springs_commit(&n.s));
    net_fetch(&n);
    ck_assert_double_eq_tol(n.v[5][0], 0.6, 1e-9);
    ck_assert_double_eq_tol(n.v[5][1], 0.0, 1e-9);
    net_free(&n);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("springs_verlet");
    TCase* tcase = tcase_create("verlet");
    tcase_add_test(tcase, step_limit_is_that_of_the_stiffest_vertex);
    tcase_add_test(tcase, p2_stable_at_the_bound_and_not_beyond);
    tcase_add_test(tcase, long_steps_are_cut);
    tcase_add_test(tcase, free_fall_is_the_recursion);
    tcase_add_test(tcase, damping_does_not_depend_on_the_step);
    tcase_add_test(tcase, momentum_is_kept);
    tcase_add_test(tcase, pins_hold_and_moving_pins_pull);
    tcase_add_test(tcase, planes_and_intervals_are_honoured);
    tcase_add_test(tcase, rising_planes_lift_at_their_speed);
    tcase_add_test(tcase, p3_long_springs_are_shortened);
    tcase_add_test(tcase, shortening_is_shared);
    tcase_add_test(tcase, breadth_first_order_begins_at_the_pins);
    tcase_add_test(tcase, odd_sheets_and_steps_are_harmless);
    tcase_add_test(tcase, overruled_candidates_have_the_speed_of_the_step);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
