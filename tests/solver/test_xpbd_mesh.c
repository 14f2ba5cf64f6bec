// The model on triangle meshes: strains, bending and curved rest shapes.
#include "solver_test.h"

// --- Energies of the continuum ---

// Stretch along warp or weft costs K e^2 / 2 and shear G gamma^2 / 2, whatever the triangles.
START_TEST(strains_cost_what_the_fabric_says)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, _i, &fabric, 17, 13);
    double area = (double)p.mesh.report.area, e = 0.01;
    const struct {
        double f[4];
        double energy;
    } cases[] = {
        {{1.0 + e, 0, 0, 1}, 0.5 * 6000.0 * e * e},
        {{1, 0, 0, 1.0 - e}, 0.5 * 3500.0 * e * e},
        {{cos(0.5 * e), sin(0.5 * e), sin(0.5 * e), cos(0.5 * e)}, 0.5 * 70.0 * e * e},
        {{1.0 + e, 0, 0, 1.0 + e}, 0.5 * 9500.0 * e * e},
    };
    for (int i = 0; i < 4; ++i) {
        piece_pose(&p, pose_linear, cases[i].f);
        ck_assert_double_eq_tol(piece_energy(&p) / (cases[i].energy * area), 1.0, 1e-3);
    }
    piece_free(&p);
}
END_TEST

// --- The equation of a substep ---

// Bending is linear: enough sweeps solve (M + h^2 K) q = M predicted.
START_TEST(converged_bending_solves_its_equation)
{
    drape_fabric fabric = test_fabric();
    fabric.stretch_warp = fabric.stretch_weft = fabric.shear = 1e-9f;
    float h = 1.0f / 300.0f;
    piece p;
    piece_weave(&p, _i, &fabric, 6, 5);
    // Two held corners and an edge between free and held.
    for (int v = 0; v < 3; ++v) {
        dr_sheet_set_inverse_mass(&p.xpbd.sheet, p.xpbd.sheet.slot_of_vertex[v], 0.0f);
    }
    piece_shake(&p, 2e-3f, 8);
    drape_vec3* predicted = piece_copy(&p);
    dr_xpbd_prepare(&p.xpbd, h);
    for (int sweep = 0; sweep < 2000; ++sweep) {
        for (int phase = 0; phase < 2; ++phase) {
            piece_run(&p, DR_XPBD_BEND, sweep == 0 ? phase : 2 + phase, (dr_xpbd_sweep){0, 1});
        }
    }
    double left = piece_residual(&p, predicted, h, 1e-4f);
    ck_assert_double_le(left, 1e-3);
    free(predicted);
    piece_free(&p);
}
END_TEST

// The sweeps that a substep takes leave little of what the full solution would do.
START_TEST(chosen_sweeps_come_close)
{
    drape_fabric fabric = test_fabric();
    float h = 1.0f / 1200.0f;
    for (int round = 0; round < 2; ++round) {
        fabric.bend_damping = round ? 0.002f : 0.0f;
        piece few, many;
        piece_weave(&few, _i, &fabric, 21, 21);
        piece_weave(&many, _i, &fabric, 21, 21);
        bump b = {0.42, 3.0, false};
        piece_pose(&few, pose_bump, &b);
        piece_pose(&many, pose_bump, &b);
        dr_xpbd_prepare(&few.xpbd, h);
        dr_xpbd_prepare(&many.xpbd, h);
        for (int phase = 0; phase < dr_xpbd_phase_count(&few.xpbd, DR_XPBD_BEND); ++phase) {
            piece_run(&few, DR_XPBD_BEND, phase, (dr_xpbd_sweep){0, 1});
        }
        for (int sweep = 0; sweep < 300; ++sweep) {
            piece_run(&many, DR_XPBD_BEND, sweep ? 2 : 0, (dr_xpbd_sweep){0, 1});
            piece_run(&many, DR_XPBD_BEND, sweep ? 3 : 1, (dr_xpbd_sweep){0, 1});
        }
        double off = 0.0, moved = 0.0;
        for (int v = 0; v < few.mesh.vertex_count; ++v) {
            drape_vec3 start = pose_bump(few.mesh.rest[v], &b);
            off += dr_length_double(dr_sub(piece_at(&few, v), piece_at(&many, v)));
            moved += dr_length_double(dr_sub(piece_at(&many, v), start));
        }
        ck_assert_double_le(off, 0.1 * moved);
        piece_free(&few);
        piece_free(&many);
    }
}
END_TEST

// Mass times place, summed, and its moment about the origin against the places before.
static void impulse(const piece* p, const drape_vec3* before, double linear[3], double angular[3])
{
    for (int c = 0; c < 3; ++c) {
        linear[c] = angular[c] = 0.0;
    }
    for (int v = 0; v < p->mesh.vertex_count; ++v) {
        drape_vec3 at = piece_at(p, v), move = dr_sub(at, before[v]);
        double m = (double)p->xpbd.sheet.mass[v];
        const double x[3] = {at.x, at.y, at.z}, d[3] = {move.x, move.y, move.z};
        for (int c = 0; c < 3; ++c) {
            linear[c] += m * d[c];
            angular[c] += m * (x[(c + 1) % 3] * d[(c + 2) % 3] - x[(c + 2) % 3] * d[(c + 1) % 3]);
        }
    }
}

// Bending pushes a free sheet nowhere and does not turn it, though the sweeps are few and the
// hinges stiffer than they can do.
START_TEST(bending_keeps_momentum)
{
    drape_fabric fabric = test_fabric();
    fabric.bend_warp *= _i % 2 ? 1.0f : 1e4f;
    fabric.bend_weft *= _i % 2 ? 1.0f : 1e4f;
    piece p;
    piece_weave(&p, WEAVE_RIGHT + _i / 2, &fabric, 21, 17);
    bump b = {0.42, 3.0, false};
    piece_pose(&p, pose_bump, &b);
    piece_shake(&p, 1e-3f, 5);
    drape_vec3* before = piece_copy(&p);
    double linear[3], angular[3], moved = 0.0;
    dr_xpbd_prepare(&p.xpbd, 1.0f / 600.0f);
    for (int phase = 0; phase < dr_xpbd_phase_count(&p.xpbd, DR_XPBD_BEND); ++phase) {
        piece_run(&p, DR_XPBD_BEND, phase, (dr_xpbd_sweep){0, 1});
    }
    impulse(&p, before, linear, angular);
    for (int v = 0; v < p.mesh.vertex_count; ++v) {
        moved +=
            (double)p.xpbd.sheet.mass[v] * dr_length_double(dr_sub(piece_at(&p, v), before[v]));
    }
    ck_assert_double_gt(moved, 0.0);
    for (int c = 0; c < 3; ++c) {
        ck_assert_double_le(fabs(linear[c]), 1e-4 * moved);
        ck_assert_double_le(fabs(angular[c]), 1e-4 * moved);
    }
    free(before);
    piece_free(&p);
}
END_TEST

// However stiff the hinges are for the substep, a shaken sheet comes to rest.
START_TEST(stiff_bending_stays_calm)
{
    drape_fabric fabric = test_fabric();
    fabric.stretch_warp = fabric.stretch_weft = fabric.shear = 1e-9f;
    for (float scale = 1.0f; scale < 1e9f; scale *= 10.0f) {
        fabric.bend_warp = 12e-6f * scale;
        fabric.bend_weft = 8e-6f * scale;
        piece p;
        piece_weave(&p, _i, &fabric, 12, 9);
        piece_shake(&p, 1e-4f, 3);
        double before = piece_energy(&p);
        for (int i = 0; i < 200; ++i) {
            piece_substep(&p, 1.0f / 300.0f, (drape_vec3){0}, 1);
        }
        // Rounding of places is shaken again in each substep.
        ck_assert_double_le(piece_energy(&p), 1.01 * before);
        piece_free(&p);
    }
}
END_TEST

// --- Curved rest shapes ---

enum { rolled_columns = 31 };

#define ROLLED_RADIUS 0.2

// A sheet of about 2 cm cells, triangles of all shapes, that is rolled about the weft at rest.
static void create_rolled(piece* p, const drape_fabric* fabric, int rows)
{
    *p = (piece){.columns = rolled_columns, .rows = rows};
    dr_memory_init(&p->memory, NULL);
    dr_shape_mesh shape;
    ck_assert(dr_generate_grid(&shape, &p->memory, 0.02f * (rolled_columns - 1),
                               0.02f * (float)(rows - 1), rolled_columns, rows,
                               DRAPE_DIAGONALS_ALTERNATE));
    weave_vertices(WEAVE_JITTERED, &shape, rolled_columns, rows);
    for (int v = 0; v < shape.vertex_count; ++v) {
        shape.uv[v][0] = shape.positions[v].x;
        shape.uv[v][1] = shape.positions[v].z;
        double angle = (double)shape.positions[v].x / ROLLED_RADIUS;
        shape.positions[v].x = (float)(ROLLED_RADIUS * sin(angle));
        shape.positions[v].y = (float)(ROLLED_RADIUS * (1.0 - cos(angle)));
    }
    piece_take_mesh(p, &shape, &shape.uv[0][0]);
    dr_shape_free(&shape, &p->memory);
    piece_finish(p, dr_xpbd_create_mesh(&p->xpbd, &p->memory, fabric, &p->mesh));
}

// A rolled sheet is at rest where it is, and wherever it is carried.
START_TEST(rolled_sheet_rests_in_any_place)
{
    drape_fabric fabric = test_fabric();
    fabric.bend_damping = 0.002f;
    piece p;
    create_rolled(&p, &fabric, 11);
    double strained = 0.5 * 6000.0 * 1e-6 * (double)p.mesh.report.area;
    ck_assert_double_le(piece_energy(&p), 1e-4 * strained);
    piece_pose(&p, pose_rigid, NULL);
    ck_assert_double_le(piece_energy(&p), 1e-3 * strained);
    for (int i = 0; i < 20; ++i) {
        piece_substep(&p, 1.0f / 1200.0f, (drape_vec3){0}, 2);
    }
    ck_assert_double_le(piece_stray(&p, pose_rigid, NULL), 4e-6);
    piece_free(&p);
}
END_TEST

static drape_vec3 pose_unrolled(drape_vec3 rest, const void* user)
{
    (void)user;
    double angle = atan2((double)rest.x, ROLLED_RADIUS - (double)rest.y);
    angle += angle < -0.01 ? 6.283185307179586 : 0.0;
    return (drape_vec3){(float)(ROLLED_RADIUS * angle), 0.0f, rest.z};
}

static double unrolled_energy(const drape_fabric* fabric, int rows)
{
    piece p;
    create_rolled(&p, fabric, rows);
    piece_pose(&p, pose_unrolled, NULL);
    double energy = piece_energy(&p);
    piece_free(&p);
    return energy;
}

// Laid flat it holds what a flat sheet holds when it is rolled: the fabric's share, and more as far
// as its vertices would give way if they could (see calibration_gives_the_fabric).
START_TEST(rolled_sheet_resists_unrolling)
{
    drape_fabric fabric = test_fabric();
    fabric.stretch_warp = fabric.stretch_weft = 0.1f;
    fabric.shear = 0.01f;
    double energy = unrolled_energy(&fabric, 41) - unrolled_energy(&fabric, 21);
    double area = 0.4 * 0.02 * (rolled_columns - 2); // the first and last column do not bend
    double wanted = 0.5 * 12e-6 / (ROLLED_RADIUS * ROLLED_RADIUS) * area;
    ck_assert_double_gt(energy / wanted, 0.95);
    ck_assert_double_lt(energy / wanted, 1.4);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("xpbd_mesh");
    TCase* flat = tcase_create("flat");
    tcase_add_loop_test(flat, strains_cost_what_the_fabric_says, WEAVE_RIGHT, WEAVE_COUNT);
    tcase_add_loop_test(flat, converged_bending_solves_its_equation, WEAVE_RIGHT, WEAVE_COUNT);
    tcase_add_loop_test(flat, chosen_sweeps_come_close, WEAVE_RIGHT, WEAVE_COUNT);
    tcase_add_loop_test(flat, bending_keeps_momentum, 0, 6);
    tcase_add_loop_test(flat, stiff_bending_stays_calm, WEAVE_RIGHT, WEAVE_COUNT);
    suite_add_tcase(suite, flat);
    TCase* curved = tcase_create("curved");
    tcase_add_test(curved, rolled_sheet_rests_in_any_place);
    tcase_add_test(curved, rolled_sheet_resists_unrolling);
    suite_add_tcase(suite, curved);
    return run_suite(suite);
}
