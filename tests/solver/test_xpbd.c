// What grids and meshes have in common: rest costs nothing, cylinders what the fabric says, a
// substep solves its equation and keeps momentum.
#include "solver_test.h"

// --- Rest and rigid motion ---

START_TEST(rigid_motion_costs_nothing)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, _i, &fabric, 17, 13);
    double area = (double)p.mesh.report.area;
    // What a thousandth of strain costs, and what rounding of places may.
    double strained = 0.5 * 6000.0 * 1e-6 * area;
    ck_assert_double_le(piece_energy(&p), 1e-4 * strained);
    piece_pose(&p, pose_rigid, NULL);
    ck_assert_double_le(piece_energy(&p), 1e-3 * strained);
    for (int i = 0; i < 10; ++i) {
        piece_substep(&p, 1.0f / 1200.0f, (drape_vec3){0}, 2);
    }
    ck_assert_double_le(piece_stray(&p, pose_rigid, NULL), 1e-6);
    piece_free(&p);
}
END_TEST

// --- Energies of the continuum ---

typedef struct cylinder {
    double curvature;
    bool is_weft;
} cylinder;

// Of small slope: only heights change, and they bend as they would on a cylinder.
static drape_vec3 pose_cylinder(drape_vec3 rest, const void* user)
{
    const cylinder* c = user;
    double u = c->is_weft ? rest.z : rest.x;
    return (drape_vec3){rest.x, (float)(0.5 * c->curvature * u * u), rest.z};
}

// Energy of a sheet that is held on a cylinder along its border and has come to rest inside: single
// vertices give way where that is cheaper.
static double cylinder_energy(int kind, int columns, int rows, cylinder c)
{
    drape_fabric fabric = test_fabric();
    fabric.stretch_warp = fabric.stretch_weft = fabric.shear = 1e-9f;
    piece p;
    piece_weave(&p, kind, &fabric, columns, rows);
    piece_pose(&p, pose_cylinder, &c);
    for (int v = 0; v < columns * rows; ++v) {
        int column = v % columns, row = v / columns;
        if (column < 2 || row < 2 || column >= columns - 2 || row >= rows - 2) {
            dr_sheet_set_inverse_mass(&p.xpbd.sheet, p.xpbd.sheet.slot_of_vertex[v], 0.0f);
        }
    }
    dr_xpbd_prepare(&p.xpbd, 0.02f);
    // A grid is at rest there as it is.
    for (int pass = 0; pass < 20 && kind != WEAVE_GRID; ++pass) {
        for (int phase = 0; phase < dr_xpbd_phase_count(&p.xpbd, DR_XPBD_BEND); ++phase) {
            piece_run(&p, DR_XPBD_BEND, phase, (dr_xpbd_sweep){0, 1});
        }
    }
    double energy = piece_energy(&p);
    piece_free(&p);
    return energy;
}

// Bending per area against B kappa^2 / 2. Of four sheets, long or short and wide or narrow, the
// borders cancel and the middle is left.
static double bending_ratio(int kind, bool is_weft)
{
    enum { few = 21, many = 41 };
    cylinder c = {0.5, is_weft};
    double energy = cylinder_energy(kind, many, many, c) - cylinder_energy(kind, many, few, c) -
                    cylinder_energy(kind, few, many, c) + cylinder_energy(kind, few, few, c);
    double row = kind == WEAVE_EQUILATERAL ? 0.02 * 0.8660254 : 0.02;
    double area = 0.02 * row * (many - few) * (many - few);
    return energy / (0.5 * (is_weft ? 8e-6 : 12e-6) * 0.25 * area);
}

START_TEST(cylinders_cost_what_the_fabric_says)
{
    const double tolerance[WEAVE_COUNT] = {0.01, 0.01, 0.01, 0.04};
    double warp = bending_ratio(_i, false), weft = bending_ratio(_i, true);
    ck_assert_msg(fabs(warp - 1.0) < tolerance[_i], "%s, warp: %g of B", weave_name[_i], warp);
    ck_assert_msg(fabs(weft - 1.0) < tolerance[_i], "%s, weft: %g of B", weave_name[_i], weft);
}
END_TEST

// --- The equation of a substep ---

// Many sweeps end where M (q - predicted) = -h^2 grad E, up to the turning of gradients on the way.
START_TEST(converged_stretch_solves_its_equation)
{
    drape_fabric fabric = test_fabric();
    // Soft, so that the strains of the solution are well above rounding.
    fabric.bend_warp = fabric.bend_weft = 1e-15f;
    fabric.stretch_warp = 60.0f;
    fabric.stretch_weft = 35.0f;
    fabric.shear = 7.0f;
    float h = 1.0f / 600.0f;
    piece p;
    piece_weave(&p, _i, &fabric, 6, 5);
    const double pulled[4] = {1.002, 0.003, 0.0, 0.997};
    piece_pose(&p, pose_linear, pulled);
    piece_shake(&p, 5e-5f, 7);
    drape_vec3* predicted = piece_copy(&p);
    dr_xpbd_prepare(&p.xpbd, h);
    piece_stretch(&p, 1000);
    double left = piece_residual(&p, predicted, h, 2e-6f);
    ck_assert_double_le(left, 0.01);
    free(predicted);
    piece_free(&p);
}
END_TEST

// --- Momentum ---

// Linear momentum and angular momentum about the origin.
static void momenta(const piece* p, double linear[3], double angular[3], double* scale)
{
    const dr_sheet* sheet = &p->xpbd.sheet;
    *scale = 0.0;
    for (int c = 0; c < 3; ++c) {
        linear[c] = angular[c] = 0.0;
    }
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        drape_vec3 x = dr_sheet_get(sheet->layout, sheet->start, slot);
        drape_vec3 u = dr_sheet_get(sheet->layout, sheet->vel, slot);
        double m = (double)sheet->mass[v];
        const double at[3] = {x.x, x.y, x.z}, vel[3] = {u.x, u.y, u.z};
        for (int c = 0; c < 3; ++c) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            linear[c] += m * vel[c];
            angular[c] += m * (at[d] * vel[e] - at[e] * vel[d]);
        }
        *scale += m * dr_length_double(u);
    }
}

// Crumpled, spinning and drifting.
static void start_crumpled(piece* p)
{
    int n = p->mesh.vertex_count;
    drape_vec3* at = malloc(sizeof *at * (size_t)n);
    drape_vec3* vel = malloc(sizeof *vel * (size_t)n);
    for (int v = 0; v < n; ++v) {
        drape_vec3 x = p->mesh.rest[v];
        x.x -= 0.2f;
        x.z -= 0.15f;
        x.y = 0.01f * (float)(sin(20.0 * (double)x.x) * sin(18.0 * (double)x.z));
        at[v] = x;
        drape_vec3 spin = dr_cross((drape_vec3){0.8f, 2.0f, -1.2f}, x);
        vel[v] = dr_add(spin, (drape_vec3){0.5f, -0.2f, 0.8f});
    }
    dr_sheet_set_state(&p->xpbd.sheet, at, vel);
    dr_xpbd_tidy(&p->xpbd);
    free(at);
    free(vel);
}

// Drift over 100 substeps, as a share of all momentum, and loss of angular momentum per second.
static void run_crumpled(int kind, float h, double* drift, double* loss)
{
    drape_fabric fabric = test_fabric();
    fabric.bend_damping = 0.002f;
    piece p;
    piece_weave(&p, kind, &fabric, 21, 17);
    start_crumpled(&p);
    double linear[2][3], angular[2][3], scale[2], turn = 0.0, spin = 0.0;
    momenta(&p, linear[0], angular[0], &scale[0]);
    for (int i = 0; i < 100; ++i) {
        piece_substep(&p, h, (drape_vec3){0}, 2);
    }
    momenta(&p, linear[1], angular[1], &scale[1]);
    *drift = 0.0;
    for (int c = 0; c < 3; ++c) {
        *drift = fmax(*drift, fabs(linear[1][c] - linear[0][c]) / scale[0]);
        turn += (angular[1][c] - angular[0][c]) * (angular[1][c] - angular[0][c]);
        spin += angular[0][c] * angular[0][c];
    }
    *loss = sqrt(turn / spin) / (100.0 * (double)h);
    piece_free(&p);
}

// What is left is rounding of places, which counts for more the shorter the substep.
START_TEST(free_cloth_keeps_linear_momentum)
{
    double drift, loss;
    run_crumpled(_i, 1.0f / 300.0f, &drift, &loss);
    ck_assert_double_le(drift, 1e-5);
    run_crumpled(_i, 1.0f / 1200.0f, &drift, &loss);
    ck_assert_double_le(drift, 1e-4);
}
END_TEST

// Turning at w loses the share w^2 h per second, as implicit integration does; here 0.5 %.
START_TEST(free_cloth_keeps_turning)
{
    double drift, loss;
    run_crumpled(_i, 1.0f / 1200.0f, &drift, &loss);
    ck_assert_double_le(loss, 0.01);
}
END_TEST

// --- Memory ---

static int calls_left;

static void* failing_allocate(void* user, size_t size, size_t alignment)
{
    (void)user;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    return calls_left-- > 0 ? aligned_alloc(alignment, rounded) : NULL;
}

static void failing_release(void* user, void* block, size_t size)
{
    (void)user;
    (void)size;
    free(block);
}

// Memory that runs out at any call leaves nothing behind.
START_TEST(short_memory_is_told)
{
    drape_fabric fabric = test_fabric();
    drape_allocator hook = {failing_allocate, failing_release, NULL};
    dr_memory memory;
    dr_memory_init(&memory, &hook);
    piece p;
    piece_weave(&p, _i, &fabric, 17, 13);
    bool done = false;
    int calls = 0;
    for (; !done && calls < 200; ++calls) {
        dr_xpbd xpbd;
        calls_left = calls;
        done = _i == WEAVE_GRID ? dr_xpbd_create_grid(&xpbd, &memory, &fabric, 0.3f, 0.2f, 17, 13)
                                : dr_xpbd_create_mesh(&xpbd, &memory, &fabric, &p.mesh);
        if (done) {
            dr_xpbd_free(&xpbd, &memory);
        }
        ck_assert_uint_eq(memory.live_bytes, 0);
    }
    ck_assert(done);
    ck_assert_int_gt(calls, 5);
    piece_free(&p);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("xpbd");
    TCase* tests = tcase_create("each weave");
    tcase_add_loop_test(tests, rigid_motion_costs_nothing, WEAVE_GRID, WEAVE_COUNT);
    tcase_add_loop_test(tests, cylinders_cost_what_the_fabric_says, WEAVE_GRID, WEAVE_COUNT);
    tcase_add_loop_test(tests, converged_stretch_solves_its_equation, WEAVE_GRID, WEAVE_COUNT);
    tcase_add_loop_test(tests, free_cloth_keeps_linear_momentum, WEAVE_GRID, WEAVE_COUNT);
    tcase_add_loop_test(tests, free_cloth_keeps_turning, WEAVE_GRID, WEAVE_COUNT);
    tcase_add_loop_test(tests, short_memory_is_told, WEAVE_GRID, WEAVE_COUNT);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
