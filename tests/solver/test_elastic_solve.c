// The elastic sheet solved within limits: Gauss-Seidel finds the minimum and breaks nothing.
#include "elastic_test.h"

// --- Limits ---

static dr_elastic_result rig_solve(rig* r, double dt, double gravity)
{
    dr_elastic_forces forces = {{0.0, -gravity, 0.0}, NULL};
    dr_elastic_begin(&r->s.sheet, dt, &forces, NULL, r->s.isa);
    dr_elastic_result result = dr_elastic_solve(&r->s.sheet, &r->limits, 0, NULL, r->s.isa);
    dr_elastic_get_candidate(&r->s.sheet, r->s.q);
    return result;
}

static double chance(uint32_t seed, int i)
{
    return (double)dr_random_signed(seed, (uint32_t)i);
}

// Intervals around where vertices are, some of them shut, some vertices held.
static void limit_at_random(rig* r, uint32_t seed)
{
    for (int v = 0; v < r->s.count; ++v) {
        int kind = (int)(dr_random_u32(seed, (uint32_t)v) % 4);
        for (int c = 0; c < 3 && kind == 1; ++c) {
            double middle = r->s.x[v][c] + 1e-4 * chance(seed + 1, 3 * v + c);
            double room = 5e-5 * (1.0 + chance(seed + 2, 3 * v + c));
            dr_limits_set_interval(&r->limits, v, c, middle - room, middle + room);
        }
        if (kind == 2) {
            dr_limits_hold(&r->limits, v, DR_HOLD_FROZEN, r->s.x[v]);
        }
    }
}

// Planes near the vertices, up to three of them.
static void add_planes_at_random(rig* r, uint32_t seed)
{
    for (int v = 0; v < r->s.count; ++v) {
        int count = (int)(dr_random_u32(seed, (uint32_t)v) % 4);
        for (int k = 0; k < count; ++k) {
            dr_halfspace plane = {.dependent = -1};
            double length = 0.0;
            for (int c = 0; c < 3; ++c) {
                plane.normal[c] = chance(seed + 3, 12 * v + 3 * k + c);
                length += plane.normal[c] * plane.normal[c];
            }
            for (int c = 0; c < 3; ++c) {
                plane.normal[c] /= sqrt(length);
            }
            plane.offset =
                -dot3(plane.normal, r->s.x[v]) + 2e-5 * (1.0 + chance(seed + 4, 4 * v + k));
            ck_assert_int_eq(dr_limits_add_plane(&r->limits, &r->s.memory, v, &plane),
                             DR_LIMIT_ADDED);
        }
    }
}

// --- E9: sweeps ---

static double residual(const swatch* s, const dense* d, const point* q)
{
    double worst = 0.0;
    for (int i = 0; i < s->count; ++i) {
        for (int c = 0; c < 3; ++c) {
            double rest = -d->g[i][c];
            for (int j = 0; j < s->count; ++j) {
                rest += d->a[i * s->count + j] * q[j][c];
            }
            worst += rest * rest;
        }
    }
    return sqrt(worst);
}

// One sweep at a time: with no tolerance at all each solve is one, and starts where the last one
// ended.
START_TEST(e9_residual_falls_from_sweep_to_sweep)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = def.rows = 15;
    def.size_x = def.size_z = 0.7;
    swatch s;
    swatch_create(&s, &def);
    swatch_shake(&s, 0.005, 1);
    double dt = dr_elastic_step_limit(&s.sheet);
    dr_elastic_forces forces = {{0.0, -9.81, 0.0}, NULL};
    dr_elastic_begin(&s.sheet, dt, &forces, NULL, s.isa);
    dense d = dense_build(&s, dt, 9.81);
    double before = residual(&s, &d, (const point*)s.x), first = before, change = 1.0;
    s.sheet.tolerance = INFINITY;
    int sweeps = 0;
    for (; sweeps < 10 && change > 1e-6; ++sweeps) {
        dr_elastic_result result = dr_elastic_solve(&s.sheet, NULL, 0, NULL, s.isa);
        ck_assert_int_eq(result.sweeps, 1);
        change = result.change;
        dr_elastic_get_candidate(&s.sheet, s.q);
        double after = residual(&s, &d, (const point*)s.q);
        ck_assert_double_lt(after, before);
        before = after;
        dr_elastic_set_state(&s.sheet, (const point*)s.q, NULL);
    }
    ck_assert_int_lt(sweeps, 10);
    ck_assert_double_lt(before, 1e-3 * first);
    dense_free(&d);
    swatch_free(&s);
}
END_TEST

// The same by the book: one colour after the other over the whole sheet, vertex by vertex.
static void sweep_by_the_book(const swatch* s, point* q)
{
    int m = s->sheet.def.columns, n = s->sheet.def.rows;
    for (int i = 0; i < 5 * s->count; ++i) {
        int v = i % s->count, column = v % m, row = v / m;
        if ((column + 2 * row) % 5 != i / s->count) {
            continue;
        }
        point y;
        dr_elastic_right_side(&s->sheet, v, y);
        for (int k = 0; k < 25; ++k) {
            int dm = k % 5 - 2, dn = k / 5 - 2, there = v + dm + dn * m;
            bool exists = column + dm >= 0 && column + dm < m && row + dn >= 0 && row + dn < n;
            for (int c = 0; c < 3 && exists && there != v; ++c) {
                y[c] -= dr_elastic_coefficient(&s->sheet, v, dm, dn) * q[there][c];
            }
        }
        for (int c = 0; c < 3; ++c) {
            q[v][c] = y[c] / dr_elastic_coefficient(&s->sheet, v, 0, 0);
        }
    }
}

// Tall sheets are swept block by block, and nobody can tell.
START_TEST(sweeps_are_gauss_seidel_in_five_colours)
{
    static const int sizes[][2] = {{7, 150}, {23, 64}, {1, 200}, {40, 33}, {66, 5}, {6, 127}};
    dr_elastic_def def = skew_def(sizes[_i][0], sizes[_i][1]);
    swatch s;
    swatch_create(&s, &def);
    swatch_shake(&s, 0.005, 8);
    swatch_begin(&s, 2e-3, 9.81);
    s.sheet.tolerance = INFINITY;
    dr_elastic_solve(&s.sheet, NULL, 0, NULL, s.isa);
    dr_elastic_get_candidate(&s.sheet, s.q);
    sweep_by_the_book(&s, s.x);
    for (int v = 0; v < s.count; ++v) {
        for (int c = 0; c < 3; ++c) {
            ck_assert_double_eq_tol(s.q[v][c], s.x[v][c], 1e-13);
        }
    }
    swatch_free(&s);
}
END_TEST

// --- E10: the minimum ---

// Solves the system in dense form with the coordinates whose `fixed` is set kept at their value.
static void solve_fixed(const dense* d, int c, const bool* fixed, double* y)
{
    int n = d->s->count;
    double* a = malloc(sizeof *a * (size_t)n * (size_t)(n + 1));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            a[i * (n + 1) + j] = fixed[i] ? i == j : d->a[i * n + j];
        }
        a[i * (n + 1) + n] = fixed[i] ? y[i] : d->g[i][c];
    }
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
            double factor = i == k ? 0.0 : a[i * (n + 1) + k] / a[k * (n + 1) + k];
            for (int j = k; j <= n && factor != 0.0; ++j) {
                a[i * (n + 1) + j] -= factor * a[k * (n + 1) + j];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        y[i] = a[i * (n + 1) + n] / a[i * (n + 1) + i];
    }
    free(a);
}

static double pull_at(const dense* d, int i, int c, const double* y)
{
    double pull = -d->g[i][c];
    for (int j = 0; j < d->s->count; ++j) {
        pull += d->a[i * d->s->count + j] * y[j];
    }
    return pull;
}

static double limit_of(const rig* r, int v, int c, bool is_high)
{
    if (r->limits.hold[v] != DR_HOLD_FREE) {
        return r->limits.place[v][c];
    }
    return is_high ? r->limits.hi[v][c] : r->limits.lo[v][c];
}

// The active set of one coordinate: fix what leaves its interval, free what is pulled back into it.
static void solve_active_set(const rig* r, const dense* d, int c, double* y)
{
    enum { most = 36 };
    bool fixed[most] = {false};
    bool changed = true;
    for (int round = 0; changed; ++round) {
        ck_assert_int_lt(round, 200);
        changed = false;
        solve_fixed(d, c, fixed, y);
        for (int i = 0; i < d->s->count; ++i) {
            double lo = limit_of(r, i, c, false), hi = limit_of(r, i, c, true);
            bool was = fixed[i];
            if (!was && (y[i] < lo || y[i] > hi)) {
                fixed[i] = true;
                y[i] = y[i] < lo ? lo : hi;
            } else if (was && lo < hi) {
                double pull = pull_at(d, i, c, y);
                fixed[i] = y[i] == lo ? pull > 0.0 : pull < 0.0;
            }
            changed |= was != fixed[i];
        }
    }
}

START_TEST(e10_intervals_give_the_minimum_of_an_active_set)
{
    for (uint32_t seed = 0; seed < 20; ++seed) {
        dr_elastic_def def = small_def(_i);
        rig r;
        rig_create(&r, &def);
        swatch_shake(&r.s, 0.002, seed);
        limit_at_random(&r, 10 * seed);
        double dt = dr_elastic_step_limit(&r.s.sheet), y[36];
        r.s.sheet.tolerance = 1e-14;
        rig_solve(&r, dt, 9.81);
        dense d = dense_build(&r.s, dt, 9.81);
        for (int c = 0; c < 3; ++c) {
            solve_active_set(&r, &d, c, y);
            for (int i = 0; i < 36; ++i) {
                ck_assert_double_eq_tol(r.s.q[i][c], y[i], 1e-8);
            }
        }
        dense_free(&d);
        rig_free(&r);
    }
}
END_TEST

// What still pulls at a vertex must be a sum of the normals of planes it is on, each pushing: then
// nothing nearer to the minimum is allowed. The least squares of all such sums by trying them all.
static double unbalanced(const rig* r, int v, const point pull)
{
    const dr_limit_plane* planes = r->limits.planes.data;
    const double* on[DR_LIMIT_PLANES];
    int count = 0;
    for (int p = r->limits.first_plane[v]; p >= 0; p = planes[p].next) {
        const dr_halfspace* plane = &planes[p].plane;
        if (fabs(dot3(plane->normal, r->s.q[v]) + plane->offset) < 1e-10) {
            on[count++] = plane->normal;
        }
    }
    double best = sqrt(dot3(pull, pull));
    for (int subset = 1; subset < 1 << count; ++subset) {
        // Coordinate descent on the shares, which are not negative.
        double share[DR_LIMIT_PLANES] = {0.0};
        point rest = {pull[0], pull[1], pull[2]};
        for (int round = 0; round < 3000; ++round) {
            for (int k = 0; k < count; ++k) {
                double next = fmax(share[k] + dot3(on[k], rest), 0.0) * (subset >> k & 1);
                for (int c = 0; c < 3; ++c) {
                    rest[c] -= (next - share[k]) * on[k][c];
                }
                share[k] = next;
            }
        }
        best = fmin(best, sqrt(dot3(rest, rest)));
    }
    return best;
}

START_TEST(e10_planes_balance_what_pulls)
{
    int pushed = 0;
    for (uint32_t seed = 0; seed < 5; ++seed) {
        dr_elastic_def def = small_def(DRAPE_FORM_SPLIT);
        rig r;
        rig_create(&r, &def);
        swatch_shake(&r.s, 0.002, seed);
        add_planes_at_random(&r, 10 * seed);
        double dt = dr_elastic_step_limit(&r.s.sheet);
        r.s.sheet.tolerance = 1e-14;
        rig_solve(&r, dt, 9.81);
        dense d = dense_build(&r.s, dt, 9.81);
        for (int i = 0; i < r.s.count; ++i) {
            point pull;
            for (int c = 0; c < 3; ++c) {
                double y[36];
                for (int j = 0; j < 36; ++j) {
                    y[j] = r.s.q[j][c];
                }
                pull[c] = pull_at(&d, i, c, y) / d.a[i * r.s.count + i];
            }
            pushed += dot3(pull, pull) > 1e-12;
            ck_assert_double_lt(unbalanced(&r, i, pull), 1e-8);
        }
        dense_free(&d);
        rig_free(&r);
    }
    ck_assert_int_gt(pushed, 20);
}
END_TEST

// --- E11: nothing broken ---

static double behind_planes(const rig* r)
{
    const dr_limit_plane* planes = r->limits.planes.data;
    double deepest = 0.0;
    for (int p = 0; p < r->limits.planes.count; ++p) {
        const dr_halfspace* plane = &planes[p].plane;
        if (r->limits.hold[planes[p].vertex] == DR_HOLD_FREE) {
            double above = dot3(plane->normal, r->s.q[planes[p].vertex]) + plane->offset;
            deepest = fmax(deepest, -above);
        }
    }
    return deepest;
}

START_TEST(e11_no_limit_is_broken)
{
    int violations = 0;
    for (uint32_t seed = 0; seed < 50; ++seed) {
        dr_elastic_def def = small_def(DRAPE_FORM_SPLIT);
        def.columns = 23;
        def.rows = 14;
        rig r;
        rig_create(&r, &def);
        swatch_shake(&r.s, 0.0005, seed);
        limit_at_random(&r, 10 * seed);
        add_planes_at_random(&r, 10 * seed);
        dr_elastic_result result = rig_solve(&r, dr_elastic_step_limit(&r.s.sheet), 9.81);
        ck_assert(result.converged);
        ck_assert_double_le(behind_planes(&r), 1e-9);
        int broken = 0;
        for (int v = 0; v < r.s.count; ++v) {
            bool is_held = r.limits.hold[v] != DR_HOLD_FREE, is_out = false;
            for (int c = 0; c < 3; ++c) {
                ck_assert(!is_held || r.s.q[v][c] == r.limits.place[v][c]);
                is_out |= r.s.q[v][c] < r.limits.lo[v][c] || r.s.q[v][c] > r.limits.hi[v][c];
            }
            ck_assert(!is_out || is_held || r.limits.plane_count[v] > 0);
            broken += is_out && !is_held;
        }
        ck_assert_int_eq(result.violations, broken);
        violations += broken;
        rig_free(&r);
    }
    ck_assert_int_gt(violations, 0);
}
END_TEST

// Limits of a step are gone in the next, also from the solver's own arrays.
START_TEST(limits_do_not_outlive_their_step)
{
    dr_elastic_def def = small_def(DRAPE_FORM_SPLIT);
    rig limited, fresh;
    rig_create(&limited, &def);
    rig_create(&fresh, &def);
    limit_at_random(&limited, 3);
    add_planes_at_random(&limited, 4);
    rig_solve(&limited, 1e-3, 9.81);
    dr_limits_clear(&limited.limits);
    rig_solve(&limited, 1e-3, 9.81);
    rig_solve(&fresh, 1e-3, 9.81);
    ck_assert_mem_eq(limited.s.q, fresh.s.q, sizeof(point) * 36);
    rig_free(&limited);
    rig_free(&fresh);
}
END_TEST

// Cloths share the limits; each sees its own part.
START_TEST(offset_finds_the_limits_of_a_cloth)
{
    dr_elastic_def def = small_def(DRAPE_FORM_SPLIT);
    rig r;
    rig_create(&r, &def);
    dr_limits many;
    ck_assert(dr_limits_create(&many, &r.s.memory, 3 * 36));
    const point place = {0.1, 0.2, 0.3};
    dr_limits_hold(&many, 5, DR_HOLD_FROZEN, (const point){9.0, 9.0, 9.0});
    dr_limits_hold(&many, 36 + 7, DR_HOLD_PINNED, place);
    dr_limits_hold(&many, 72 + 9, DR_HOLD_FROZEN, (const point){9.0, 9.0, 9.0});
    dr_elastic_begin(&r.s.sheet, 1e-3, &(dr_elastic_forces){0}, NULL, r.s.isa);
    dr_elastic_solve(&r.s.sheet, &many, 36, NULL, r.s.isa);
    dr_elastic_get_candidate(&r.s.sheet, r.s.q);
    ck_assert_mem_eq(r.s.q[7], place, sizeof place);
    ck_assert_double_lt(r.s.q[5][0], 1.0);
    ck_assert_double_lt(r.s.q[9][0], 1.0);
    dr_limits_free(&many, &r.s.memory);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("elastic solve");
    TCase* limits = tcase_create("limits");
    tcase_add_test(limits, e9_residual_falls_from_sweep_to_sweep);
    tcase_add_loop_test(limits, sweeps_are_gauss_seidel_in_five_colours, 0, 6);
    tcase_add_loop_test(limits, e10_intervals_give_the_minimum_of_an_active_set, 0, 3);
    tcase_add_test(limits, e10_planes_balance_what_pulls);
    tcase_add_test(limits, e11_no_limit_is_broken);
    tcase_add_test(limits, limits_do_not_outlive_their_step);
    tcase_add_test(limits, offset_finds_the_limits_of_a_cloth);
    suite_add_tcase(suite, limits);
    return run_suite(suite);
}
