// Backward Euler: the system, its solution, limits in it.
#include "springs_test.h"

static const double gravity = 9.81;

static dr_springs_def implicit_def(int columns, int rows)
{
    dr_springs_def def = skew_def(columns, rows);
    def.integrator = DR_SPRINGS_IMPLICIT;
    return def;
}

// --- The slow way ---

typedef struct dense {
    int size; // 3 * count
    double *a, *b;
} dense;

static void add_block(dense* d, int p, int q, const double block[9], double by)
{
    for (int i = 0; i < 9; ++i) {
        d->a[(3 * p + i / 3) * d->size + 3 * q + i % 3] += by * block[i];
    }
}

// (M - dt dF/dv - dt^2 dF/dx) u = M (v + dt a) + dt F, spring by spring.
static void add_spring(dense* d, const net* n, const dr_spring* s, double dt)
{
    int p = s->v[0], q = s->v[1];
    double way[3], length = 0.0, block[9];
    for (int c = 0; c < 3; ++c) {
        way[c] = n->x[q][c] - n->x[p][c];
        length += way[c] * way[c];
    }
    length = sqrt(length);
    double more = length - s->rest, share = s->hardening * more * more;
    double force = s->stiffness * more * (1.0 + share);
    double slope = s->stiffness * (1.0 + 3.0 * share), across = fmax(force / length, 0.0);
    for (int i = 0; i < 9; ++i) {
        double same = i / 3 == i % 3, nn = way[i / 3] * way[i % 3] / (length * length);
        double stiffness = slope * nn + across * (same - nn);
        block[i] = dt * dt * stiffness + dt * n->s.def.spring_damping * slope * nn;
    }
    add_block(d, p, p, block, 1.0);
    add_block(d, q, q, block, 1.0);
    add_block(d, p, q, block, -1.0);
    add_block(d, q, p, block, -1.0);
    for (int c = 0; c < 3; ++c) {
        d->b[3 * p + c] += dt * force * way[c] / length;
        d->b[3 * q + c] -= dt * force * way[c] / length;
    }
}

static dense dense_build(const net* n, double dt)
{
    dense d = {3 * n->count, NULL, NULL};
    d.a = calloc((size_t)d.size * (size_t)d.size, sizeof(double));
    d.b = calloc((size_t)d.size, sizeof(double));
    for (int i = 0; i < n->s.spring_count; ++i) {
        add_spring(&d, n, &n->s.springs[i], dt);
    }
    for (int i = 0; i < d.size; ++i) {
        double m = n->s.mass[i / 3], a = i % 3 == 1 ? -gravity : 0.0;
        d.a[i * d.size + i] += m * (1.0 + n->s.def.damping * dt);
        d.b[i] += m * (n->v[i / 3][i % 3] + dt * a);
    }
    return d;
}

// A row says that a component is given.
static void dense_fix(dense* d, int row, double value)
{
    memset(d->a + (size_t)row * (size_t)d->size, 0, (size_t)d->size * sizeof(double));
    d->a[row * d->size + row] = 1.0;
    d->b[row] = value;
}

// In place, with pivots.
static void dense_solve(dense* d)
{
    int n = d->size;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int r = k + 1; r < n; ++r) {
            best = fabs(d->a[r * n + k]) > fabs(d->a[best * n + k]) ? r : best;
        }
        for (int c = 0; c <= n; ++c) {
            double* one = c < n ? &d->a[k * n + c] : &d->b[k];
            double* two = c < n ? &d->a[best * n + c] : &d->b[best];
            double keep = *one;
            *one = *two;
            *two = keep;
        }
        for (int r = 0; r < n; ++r) {
            double factor = r == k ? 0.0 : d->a[r * n + k] / d->a[k * n + k];
            for (int c = k; c < n && factor != 0.0; ++c) {
                d->a[r * n + c] -= factor * d->a[k * n + c];
            }
            d->b[r] -= factor * d->b[k];
        }
    }
    for (int k = 0; k < n; ++k) {
        d->b[k] /= d->a[k * n + k];
    }
}

static void dense_free(dense* d)
{
    free(d->a);
    free(d->b);
}

// Largest difference between the candidate and x + dt times the dense solution.
static double dense_miss(net* n, const dense* d, double dt)
{
    double worst = 0.0;
    dr_springs_get_candidate(&n->s, n->q);
    for (int i = 0; i < d->size; ++i) {
        double aim = n->x[i / 3][i % 3] + dt * d->b[i];
        worst = fmax(worst, fabs(n->q[i / 3][i % 3] - aim));
    }
    return worst;
}

START_TEST(system_is_that_of_backward_euler)
{
    for (int eight = 0; eight < 2; ++eight) {
        dr_springs_def def = implicit_def(6, 5);
        def.eight_bends = eight == 1;
        net n;
        net_create(&n, &def);
        net_shake(&n, 0.01, 0.5, 4);
        net_try(&n, 0.01, gravity);
        dense d = dense_build(&n, 0.01);
        point *in = calloc((size_t)n.count, sizeof *in), *out = calloc((size_t)n.count, sizeof *in);
        point* right = calloc((size_t)n.count, sizeof *in);
        for (int i = 0; i < d.size; ++i) {
            in[i / 3][i % 3] = (double)dr_random_signed(8, (uint32_t)i);
        }
        dr_springs_multiply(&n.s, (const point*)in, out, n.isa);
        dr_springs_right_side(&n.s, right);
        for (int i = 0; i < d.size; ++i) {
            double sum = 0.0;
            for (int j = 0; j < d.size; ++j) {
                sum += d.a[i * d.size + j] * in[j / 3][j % 3];
            }
            ck_assert_double_eq_tol(out[i / 3][i % 3], sum, 1e-15);
            ck_assert_double_eq_tol(right[i / 3][i % 3], d.b[i], 1e-15);
        }
        free(in);
        free(out);
        free(right);
        dense_free(&d);
        net_free(&n);
    }
}
END_TEST

START_TEST(solution_is_the_dense_one)
{
    const double dt = 0.01;
    for (uint32_t round = 0; round < 4; ++round) {
        dr_springs_def def = implicit_def(6, 5);
        def.tolerance = 1e-12;
        def.max_iterations = 1000;
        net n;
        if (round == 3) {
            net_create_mesh(&n, &def, 0.2);
        } else {
            net_create(&n, &def);
        }
        net_shake(&n, 0.005 * (round + 1), 0.5, round);
        dense d = dense_build(&n, dt);
        // Two pins, one of which moves.
        for (int k = 0; k < 2; ++k) {
            int v = 5 * k;
            point at = {n.x[v][0], n.x[v][1] + 0.01 * k, n.x[v][2]};
            net_pin(&n, v, at);
            for (int c = 0; c < 3; ++c) {
                dense_fix(&d, 3 * v + c, (at[c] - n.x[v][c]) / dt);
            }
        }
        dense_solve(&d);
        dr_springs_result result = net_try(&n, dt, gravity);
        ck_assert(result.converged);
        ck_assert_double_le(dense_miss(&n, &d, dt), 1e-10);
        dense_free(&d);
        net_free(&n);
    }
}
END_TEST

// A floor under half of the sheet: the dense solution with those that push given their heights is
// the same, nobody is below, and nobody is pulled.
START_TEST(planes_are_solved_for)
{
    const double dt = 0.01;
    dr_springs_def def = implicit_def(6, 5);
    def.tolerance = 1e-12;
    def.max_iterations = 1000;
    net n;
    net_create(&n, &def);
    net_shake(&n, 0.004, 0.3, 9);
    for (int v = 0; v < n.count; v += 2) {
        dr_halfspace floor = {.normal = {0.0, 1.0, 0.0}, .offset = 0.003, .dependent = -1};
        ck_assert_int_eq(dr_limits_add_plane(&n.limits, &n.memory, v, &floor), DR_LIMIT_ADDED);
    }
    dr_springs_result result = net_try(&n, dt, gravity);
    ck_assert(result.converged);
    dense d = dense_build(&n, dt), whole = dense_build(&n, dt);
    int on = 0;
    dr_springs_get_candidate(&n.s, n.q);
    for (int v = 0; v < n.count; v += 2) {
        ck_assert_double_ge(n.q[v][1], -0.003 - 1e-12);
        if (n.q[v][1] <= -0.003 + 1e-9) {
            ++on;
            dense_fix(&d, 3 * v + 1, (-0.003 - n.x[v][1]) / dt);
        }
    }
    ck_assert_int_ge(on, 3);
    ck_assert_int_lt(on, 15);
    dense_solve(&d);
    ck_assert_double_le(dense_miss(&n, &d, dt), 1e-10);
    for (int v = 0; v < n.count; v += 2) {
        double push = -whole.b[3 * v + 1];
        for (int j = 0; j < whole.size; ++j) {
            push += whole.a[(3 * v + 1) * whole.size + j] * d.b[j];
        }
        ck_assert_double_ge(push, -1e-12);
    }
    dense_free(&d);
    dense_free(&whole);
    net_free(&n);
}
END_TEST

// The residual that is told is the true one, and within the tolerance.
START_TEST(residual_is_what_it_says)
{
    dr_springs_def def = implicit_def(21, 17);
    net n;
    net_create(&n, &def);
    net_shake(&n, 0.004, 0.3, 9);
    dr_springs_result result = net_try(&n, 0.01, gravity);
    ck_assert(result.converged);
    ck_assert_double_le(result.residual, def.tolerance);
    point* out = calloc((size_t)n.count, sizeof *out);
    point* right = calloc((size_t)n.count, sizeof *right);
    dr_springs_get_candidate(&n.s, n.q);
    dr_springs_right_side(&n.s, right);
    double square[2] = {0};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3 * n.count; ++i) {
            // Of the solution, then of the velocities that it began with.
            double u = (n.q[i / 3][i % 3] - n.x[i / 3][i % 3]) / 0.01;
            out[i / 3][i % 3] = k ? n.v[i / 3][i % 3] : u;
        }
        dr_springs_multiply(&n.s, (const point*)out, out, n.isa);
        for (int i = 0; i < 3 * n.count; ++i) {
            double r = right[i / 3][i % 3] - out[i / 3][i % 3];
            square[k] += r * r;
        }
    }
    ck_assert_double_eq_tol(sqrt(square[0] / square[1]), result.residual, 1e-9);
    free(out);
    free(right);
    net_free(&n);
}
END_TEST

// --- Long steps ---

// Far beyond what verlet could take, the energy of a shaken sheet only falls.
START_TEST(energy_decays_in_long_steps)
{
    for (int eight = 0; eight < 2; ++eight) {
        dr_springs_def def = implicit_def(11, 11);
        def.damping = 0.0;
        def.spring_damping = 0.0;
        def.eight_bends = eight == 1;
        net n;
        net_create(&n, &def);
        net_shake(&n, 0.01, 0.2, 3);
        double dt = 10.0 * dr_springs_step_limit(&n.s);
        double before = net_elastic(&n) + dr_springs_energy(&n.s).kinetic, first = before;
        for (int i = 0; i < 100; ++i) {
            net_step(&n, dt, 0.0);
            double now = net_elastic(&n) + dr_springs_energy(&n.s).kinetic;
            ck_assert_double_le(now, before * 1.02);
            before = now;
        }
        ck_assert_double_lt(before, 0.5 * first);
        net_free(&n);
    }
}
END_TEST

START_TEST(momentum_is_kept)
{
    dr_springs_def def = implicit_def(11, 9);
    def.damping = 0.0;
    def.tolerance = 1e-10; // what is left of the residual is not kept
    net n;
    net_create(&n, &def);
    net_shake(&n, 0.005, 0.5, 2);
    double sum[2][3] = {{0}};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < n.count; ++i) {
            for (int c = 0; c < 3; ++c) {
                sum[k][c] += n.s.mass[i] * n.v[i][c];
            }
        }
        for (int i = 0; i < 100; ++i) {
            net_step(&n, 0.01, 0.0);
        }
        net_fetch(&n);
    }
    for (int c = 0; c < 3; ++c) {
        ck_assert_double_eq_tol(sum[0][c], sum[1][c], 1e-6 * n.s.mass[30] * n.count);
    }
    net_free(&n);
}
END_TEST

// Hung at two corners it comes to rest where verlet does; to which side its folds lie is chance.
START_TEST(both_integrators_hang_alike)
{
    double height[2], energy[2];
    for (int k = 0; k < 2; ++k) {
        dr_springs_def def = skew_def(11, 11);
        def.damping = 4.0;
        def.integrator = k ? DR_SPRINGS_IMPLICIT : DR_SPRINGS_VERLET;
        net n;
        net_create(&n, &def);
        for (int i = 0; i < n.count; ++i) {
            n.x[i][1] = 1e-3 * n.x[i][2];
        }
        net_send(&n);
        net_pin(&n, 0, n.x[0]);
        net_pin(&n, 10, n.x[10]);
        for (int i = 0; i < 600; ++i) {
            net_step(&n, 0.01, gravity);
        }
        net_fetch(&n);
        height[k] = n.x[10 * 11 + 5][1];
        energy[k] = net_elastic(&n);
        ck_assert_double_le(dr_springs_energy(&n.s).kinetic, 1e-6);
        net_free(&n);
    }
    ck_assert_double_lt(height[0], -0.3);
    ck_assert_double_eq_tol(height[0], height[1], 1e-3);
    ck_assert_double_eq_tol(energy[1] / energy[0], 1.0, 1e-2);
}
END_TEST

// --- Limits ---

// On a slope with friction a sheet stays, without it slides as a block does.
START_TEST(friction_holds_on_a_slope)
{
    double moved[2];
    for (int k = 0; k < 2; ++k) {
        dr_springs_def def = implicit_def(7, 7);
        def.damping = 0.0;
        net n;
        net_create(&n, &def);
        double sine = 0.3, cosine = sqrt(1.0 - sine * sine);
        for (int i = 0; i < n.count; ++i) {
            double along = n.x[i][0];
            n.x[i][0] = along * cosine;
            n.x[i][1] = -along * sine;
        }
        net_send(&n);
        point begin;
        memcpy(begin, n.x[24], sizeof begin);
        for (int i = 0; i < 50; ++i) {
            dr_limits_clear(&n.limits);
            net_fetch(&n);
            for (int v = 0; v < n.count; ++v) {
                dr_halfspace slope = {.normal = {sine, cosine, 0.0},
                                      .anchor = {n.x[v][0], n.x[v][1], n.x[v][2]},
                                      .friction_static = k ? 0.5f : 0.0f,
                                      .friction_dynamic = k ? 0.4f : 0.0f,
                                      .dependent = -1};
                dr_limits_add_plane(&n.limits, &n.memory, v, &slope);
            }
            net_step(&n, 0.01, gravity);
        }
        net_fetch(&n);
        for (int v = 0; v < n.count; ++v) {
            ck_assert_double_ge(sine * n.x[v][0] + cosine * n.x[v][1], -1e-9);
        }
        moved[k] = hypot(n.x[24][0] - begin[0], n.x[24][1] - begin[1]);
        net_free(&n);
    }
    // 50 steps of backward Euler: g sin dt^2 (1 + 2 + ... + 50).
    ck_assert_double_eq_tol(moved[0], gravity * 0.3 * 1e-4 * 1275.0, 2e-2 * moved[0]);
    ck_assert_double_le(moved[1], 1e-3);
}
END_TEST

START_TEST(corners_intervals_and_pins_are_honoured)
{
    dr_springs_def def = implicit_def(9, 9);
    def.max_elongation = 0.1;
    net n;
    net_create(&n, &def);
    net_shake(&n, 0.002, 0.0, 1);
    const double r = sqrt(0.5);
    for (int v = 0; v < n.count; ++v) {
        dr_halfspace left = {.normal = {r, r, 0.0}, .offset = -r * 0.1 + 0.02, .dependent = -1};
        dr_halfspace right = {.normal = {-r, r, 0.0}, .offset = r * 0.1 + 0.02, .dependent = -1};
        dr_limits_add_plane(&n.limits, &n.memory, v, &left);
        dr_limits_add_plane(&n.limits, &n.memory, v, &right);
    }
    dr_limits_set_interval(&n.limits, 40, 2, 0.15, 0.17);
    point at = {n.x[8][0], n.x[8][1], n.x[8][2]};
    net_pin(&n, 8, at);
    // Of a cross of planes there are points below from the start: the first step brings them up.
    for (int i = 0; i < 40; ++i) {
        net_step(&n, 0.01, gravity);
        net_fetch(&n);
        for (int v = 0; v < n.count; ++v) {
            double x = n.x[v][0] - 0.1, y = n.x[v][1];
            ck_assert(v == 8 || (r * (x + y) + 0.02 >= -1e-9 && r * (y - x) + 0.02 >= -1e-9));
        }
        ck_assert_int_eq(memcmp(n.x[8], at, sizeof at), 0);
        ck_assert(n.x[40][2] >= 0.15 - 1e-12 && n.x[40][2] <= 0.17 + 1e-12);
    }
    net_free(&n);
}
END_TEST

// Facets of a ball that differ by a fifth of a degree meet somewhere far away. A vertex that is behind
// the planes of two goes back to the nearer of them, not to where they meet.
START_TEST(planes_that_nearly_agree_are_one)
{
    const double dt = 1.0 / 600.0, speed = 0.5;
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        dr_springs_def def = implicit_def(7, 7);
        net n;
        net_create(&n, &def);
        net_shake(&n, 0.0, speed, seed);
        for (int i = 0; i < 2 * n.count; ++i) {
            int v = i / 2;
            double turn = 0.004 * (double)dr_random_signed(seed + 100, (uint32_t)i);
            dr_halfspace plane = {.normal = {sin(turn), cos(turn), 0.0}, .dependent = -1};
            plane.offset = 2e-4 * (double)dr_random_signed(seed + 200, (uint32_t)i) -
                           plane.normal[0] * n.x[v][0];
            dr_limits_add_plane(&n.limits, &n.memory, v, &plane);
        }
        net_try(&n, dt, gravity);
        dr_springs_get_candidate(&n.s, n.q);
        for (int v = 0; v < n.count; ++v) {
            ck_assert_double_le(fabs(n.q[v][0] - n.x[v][0]), 2.0 * speed * dt);
        }
        net_free(&n);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("springs_implicit");
    TCase* tcase = tcase_create("implicit");
    tcase_add_test(tcase, system_is_that_of_backward_euler);
    tcase_add_test(tcase, solution_is_the_dense_one);
    tcase_add_test(tcase, planes_are_solved_for);
    tcase_add_test(tcase, residual_is_what_it_says);
    tcase_add_test(tcase, energy_decays_in_long_steps);
    tcase_add_test(tcase, momentum_is_kept);
    tcase_add_test(tcase, both_integrators_hang_alike);
    tcase_add_test(tcase, friction_holds_on_a_slope);
    tcase_add_test(tcase, planes_that_nearly_agree_are_one);
    tcase_add_test(tcase, corners_intervals_and_pins_are_honoured);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
