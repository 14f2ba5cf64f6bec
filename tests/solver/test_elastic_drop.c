// The elastic sheet in scenes: dropped on a floor and a table, curled, out of a clamp.
#include "elastic_test.h"

// --- Drops ---

// Upright, leaning and waved a little, its lower edge 2 cm above the floor.
static void stand(swatch* s)
{
    swatch_lay(s);
    for (int i = 0; i < s->count; ++i) {
        double a = s->x[i][0], b = s->x[i][2], wave = 0.01 * sin(6.0 * a + 1.0) * cos(5.0 * b);
        memcpy(
            s->x[i],
            (point){a, 0.02 + b * cos(0.06) - wave * sin(0.06), b * sin(0.06) + wave * cos(0.06)},
            sizeof(point));
    }
    swatch_send(s);
}

// Turned by 0.3 rad, 5 cm above a table of half width 0.27 m, 0.7 m high.
static void hover(swatch* s)
{
    swatch_lay(s);
    for (int i = 0; i < s->count; ++i) {
        double a = s->x[i][0] - 0.5, b = s->x[i][2] - 0.5;
        memcpy(s->x[i], (point){a * cos(0.3) - b * sin(0.3), 0.75, a * sin(0.3) + b * cos(0.3)},
               sizeof(point));
    }
    swatch_send(s);
}

// True when q is in the floor or the table; `plane` is the face through which it came in from x.
static bool went_in(const point x, const point q, bool is_table, dr_halfspace* plane)
{
    const double half = 0.27, top = is_table ? 0.7 : 0.0;
    if (q[1] >= top || (is_table && (fabs(q[0]) >= half || fabs(q[2]) >= half))) {
        return false;
    }
    *plane = (dr_halfspace){.dependent = -1};
    if (!is_table || x[1] >= top - 1e-9) {
        plane->normal[1] = 1.0;
        plane->offset = -top;
    } else {
        int axis = fabs(x[0]) >= fabs(x[2]) ? 0 : 2;
        plane->normal[axis] = x[axis] > 0.0 ? 1.0 : -1.0;
        plane->offset = -half;
    }
    return true;
}

// Steps onto the floor or the table, found again until no vertex is under it. False when it blew
// up.
static bool drop_step(rig* r, double dt, bool is_table, double* margin, int* sweeps)
{
    dr_elastic_forces forces = {{0.0, -9.81, 0.0}, NULL};
    dr_limits_clear(&r->limits);
    swatch_fetch(&r->s);
    *margin = dr_elastic_begin(&r->s.sheet, dt, &forces, NULL, r->s.isa);
    for (int added = 1; added > 0;) {
        dr_elastic_result result = dr_elastic_solve(&r->s.sheet, &r->limits, 0, NULL, r->s.isa);
        dr_elastic_get_candidate(&r->s.sheet, r->s.q);
        *sweeps = result.sweeps;
        added = 0;
        for (int v = 0; v < r->s.count; ++v) {
            dr_halfspace face;
            if (r->limits.plane_count[v] == 0 && went_in(r->s.x[v], r->s.q[v], is_table, &face)) {
                dr_limits_add_plane(&r->limits, &r->s.memory, v, &face);
                ++added;
            }
        }
    }
    if (!dr_elastic_commit(&r->s.sheet, r->s.isa)) {
        return false;
    }
    // A sheet of a metre has no business a hundred metres away.
    for (int v = 0; v < r->s.count; ++v) {
        if (!(fabs(r->s.q[v][0]) + fabs(r->s.q[v][1]) + fabs(r->s.q[v][2]) < 100.0)) {
            return false;
        }
    }
    return true;
}

static dr_elastic_def drop_def(drape_elastic_form form)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = def.rows = 21;
    def.form = form;
    return def;
}

// Steps until it blew up, `steps` when it did not.
static int drop(drape_elastic_form form, bool is_table, int steps, double* least_margin,
                double* kinetic)
{
    dr_elastic_def def = drop_def(form);
    rig r;
    rig_create(&r, &def);
    (is_table ? hover : stand)(&r.s);
    int step = 0, sweeps = 0;
    double margin = 1.0;
    *least_margin = 1.0;
    for (; step < steps && drop_step(&r, 2e-3, is_table, &margin, &sweeps); ++step) {
        *least_margin = fmin(*least_margin, margin);
        ck_assert(form != DRAPE_FORM_SPLIT || sweeps <= 10);
    }
    *kinetic = dr_elastic_energy(&r.s.sheet).kinetic;
    rig_free(&r);
    return step;
}

START_TEST(e5_drops_are_dominant_in_every_step)
{
    double margin, kinetic;
    ck_assert_int_eq(drop(DRAPE_FORM_SPLIT, true, 1000, &margin, &kinetic), 1000);
    ck_assert_double_gt(margin, 0.5);
    ck_assert_int_eq(drop(DRAPE_FORM_SPLIT, false, 1000, &margin, &kinetic), 1000);
    ck_assert_double_gt(margin, 0.5);
}
END_TEST

START_TEST(e8_compression_blows_up_plain_and_not_split)
{
    double margin, kinetic;
    int plain = drop(DRAPE_FORM_PLAIN, false, 1500, &margin, &kinetic);
    ck_assert_int_lt(plain, 1000);
    ck_assert_int_gt(plain, 100);
    ck_assert_int_eq(drop(DRAPE_FORM_SPLIT, false, 3000, &margin, &kinetic), 3000);
    ck_assert_double_lt(kinetic, 1e-2);
}
END_TEST

// The stiff form bears steps of many times the limit.
START_TEST(stiff_form_takes_long_steps)
{
    dr_elastic_def def = drop_def(DRAPE_FORM_STIFF);
    rig r;
    rig_create(&r, &def);
    stand(&r.s);
    double dt = 5.0 * dr_elastic_step_limit(&r.s.sheet), margin;
    int sweeps;
    for (int step = 0; step < 300; ++step) {
        ck_assert(drop_step(&r, dt, false, &margin, &sweeps));
    }
    ck_assert_double_lt(dr_elastic_energy(&r.s.sheet).kinetic, 1e-2);
    rig_free(&r);
}
END_TEST

START_TEST(steps_take_no_memory)
{
    dr_elastic_def def = drop_def(DRAPE_FORM_SPLIT);
    rig r;
    rig_create(&r, &def);
    stand(&r.s);
    double margin;
    int sweeps;
    for (int step = 0; step < 100; ++step) {
        drop_step(&r, 2e-3, false, &margin, &sweeps);
    }
    int64_t calls = r.s.memory.call_count;
    dr_elastic_begin(&r.s.sheet, 2e-3, &(dr_elastic_forces){0}, NULL, r.s.isa);
    dr_elastic_solve(&r.s.sheet, &r.limits, 0, NULL, r.s.isa);
    dr_elastic_commit(&r.s.sheet, r.s.isa);
    ck_assert_int_eq(r.s.memory.call_count, calls);
    rig_free(&r);
}
END_TEST

// --- Shapes ---

// Takes a strip to rest without weight; the columns below `held` stay.
static void relax(rig* r, double dt, double gravity, int steps, int held)
{
    for (int step = 0; step < steps; ++step) {
        dr_elastic_forces forces = {{0.0, -gravity, 0.0}, NULL};
        double margin = dr_elastic_begin(&r->s.sheet, dt, &forces, NULL, r->s.isa);
        ck_assert_double_gt(margin, 0.0);
        for (int v = 0; v < r->s.count && step == 0; ++v) {
            if (v % r->s.sheet.def.columns < held) {
                dr_limits_hold(&r->limits, v, DR_HOLD_PINNED, r->s.x[v]);
            }
        }
        dr_elastic_solve(&r->s.sheet, &r->limits, 0, NULL, r->s.isa);
        ck_assert(dr_elastic_commit(&r->s.sheet, r->s.isa));
    }
    swatch_fetch(&r->s);
}

// A strip that is curled at rest rolls itself up to that radius, to the side of its normal.
START_TEST(rest_curvature_curls_a_strip)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = _i ? 3 : 21;
    def.rows = _i ? 21 : 3;
    def.size_x = _i ? 0.04 : 0.4;
    def.size_z = _i ? 0.4 : 0.04;
    def.xi[0] = def.xi[1] = def.xi[2] = 1e-2;
    def.curvature[_i] = 4.0;
    def.damping = 8.0;
    rig r;
    rig_create(&r, &def);
    relax(&r, 2.5e-4, 0.0, 4000, 0);
    double curvature = 0.0;
    int stride = _i ? 3 : 1;
    for (int k = 5; k < 16; ++k) {
        // The circle through three vertices.
        int v = (_i ? 1 : 21) + k * stride;
        point a, b, n;
        sub3(r.s.x[v], r.s.x[v - stride], a);
        sub3(r.s.x[v + stride], r.s.x[v], b);
        cross3(a, b, n);
        double turned = sqrt(dot3(n, n) / (dot3(a, a) * dot3(b, b)));
        curvature += asin(turned) / sqrt(sqrt(dot3(a, a) * dot3(b, b))) / 11.0;
    }
    ck_assert_double_eq_tol(curvature / 4.0, 1.0, 0.05);
    // x along the rows and z along the columns: their product points down.
    int middle = (_i ? 1 + 10 * 3 : 21 + 10);
    int end = _i ? 1 : 21;
    ck_assert_double_lt(r.s.x[end][1], r.s.x[middle][1] - 0.01);
    rig_free(&r);
}
END_TEST

// A light strip out of a clamp bends by its weight as theory has it: rho g L^4 / (8 xi).
START_TEST(cantilever_bends_by_its_stiffness)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = 21;
    def.rows = 3;
    def.size_x = 0.2;
    def.size_z = 0.02;
    def.xi[0] = def.xi[1] = def.xi[2] = 2e-4;
    def.damping = 6.0;
    rig r;
    rig_create(&r, &def);
    double light = 0.01;
    relax(&r, 6e-4, light, 5000, 2);
    // The clamp turns free half a cell after the first vertex, the last one weighs half a cell
    // more.
    double length = 0.2, wanted = def.density * light * pow(length, 4.0) / (8.0 * def.xi[0]);
    ck_assert_double_eq_tol(-r.s.x[41][1] / wanted, 1.0, 0.05);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("elastic drop");
    TCase* drops = tcase_create("drops");
    tcase_add_test(drops, e5_drops_are_dominant_in_every_step);
    tcase_add_test(drops, e8_compression_blows_up_plain_and_not_split);
    tcase_add_test(drops, stiff_form_takes_long_steps);
    tcase_add_test(drops, steps_take_no_memory);
    suite_add_tcase(suite, drops);
    TCase* shapes = tcase_create("shapes");
    tcase_add_loop_test(shapes, rest_curvature_curls_a_strip, 0, 2);
    tcase_add_test(shapes, cantilever_bends_by_its_stiffness);
    suite_add_tcase(suite, shapes);
    return run_suite(suite);
}
