// Kinds of damping, and how much of a frame's motion a cloth feels.
#include "solver/damping.h"

#include "../solver/solver_test.h"
#include "world_test.h"

typedef struct motion {
    double momentum[3], spin[3]; // spin: angular momentum round the origin
    double energy;
} motion;

static motion motion_of(const piece* p)
{
    const dr_sheet* sheet = &p->xpbd.sheet;
    motion sum = {0};
    for (int v = 0; v < sheet->vertex_count; ++v) {
        drape_vec3 x = dr_sheet_get(sheet->layout, sheet->start, sheet->slot_of_vertex[v]);
        drape_vec3 u = dr_sheet_get(sheet->layout, sheet->vel, sheet->slot_of_vertex[v]);
        const double r[3] = {x.x, x.y, x.z}, w[3] = {u.x, u.y, u.z};
        double m = sheet->mass[v];
        for (int d = 0; d < 3; ++d) {
            int a = (d + 1) % 3, b = (d + 2) % 3;
            sum.momentum[d] += m * w[d];
            sum.spin[d] += m * (r[a] * w[b] - r[b] * w[a]);
            sum.energy += 0.5 * m * w[d] * w[d];
        }
    }
    return sum;
}

static void shake_velocities(piece* p, uint32_t seed)
{
    dr_sheet* sheet = &p->xpbd.sheet;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        uint32_t i = 3 * (uint32_t)v;
        dr_sheet_set(sheet->layout, sheet->vel, sheet->slot_of_vertex[v],
                     vec(dr_random_signed(seed, i) + 1.0f, dr_random_signed(seed, i + 1),
                         dr_random_signed(seed, i + 2) - 2.0f));
    }
}

static void expect_kept(const motion* before, const motion* after)
{
    double size = 0.0;
    for (int d = 0; d < 3; ++d) {
        size += fabs(before->momentum[d]) + fabs(before->spin[d]);
    }
    for (int d = 0; d < 3; ++d) {
        ck_assert_double_eq_tol(after->momentum[d], before->momentum[d], 1e-6 * size);
        ck_assert_double_eq_tol(after->spin[d], before->spin[d], 1e-6 * size);
    }
}

START_TEST(damping_keeps_momentum_and_takes_energy)
{
    drape_fabric fabric = test_fabric();
    for (int kind = 0; kind < 2; ++kind) {
        piece p;
        piece_weave(&p, _i, &fabric, 13, 9);
        piece_pose(&p, pose_rigid, NULL);
        shake_velocities(&p, 5);
        motion before = motion_of(&p);
        for (int i = 0; i < 5; ++i) {
            if (kind == 0) {
                dr_damp_rigid(&p.xpbd.sheet, 0.5f);
            } else {
                dr_damp_stretch(&p.xpbd.sheet, &p.mesh, 0.5f);
            }
        }
        motion after = motion_of(&p);
        expect_kept(&before, &after);
        ck_assert_double_lt(after.energy, before.energy);
        piece_free(&p);
    }
}
END_TEST

// What moves as a whole is not touched, and all else dies out.
START_TEST(rigid_motion_is_left_alone)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, _i, &fabric, 13, 9);
    dr_sheet* sheet = &p.xpbd.sheet;
    drape_vec3 wanted[13 * 9], spin = vec(1.0f, -2.0f, 0.5f);
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        drape_vec3 x = dr_sheet_get(sheet->layout, sheet->start, slot);
        wanted[v] = dr_add(dr_cross(spin, x), vec(3.0f, 0.0f, -1.0f));
        dr_sheet_set(sheet->layout, sheet->vel, slot, wanted[v]);
    }
    dr_damp_rigid(sheet, 1.0f);
    dr_damp_stretch(sheet, &p.mesh, 1.0f);
    for (int v = 0; v < sheet->vertex_count; ++v) {
        drape_vec3 u = dr_sheet_get(sheet->layout, sheet->vel, sheet->slot_of_vertex[v]);
        ck_assert_float_le(dr_length(dr_sub(u, wanted[v])), 1e-5f);
    }
    piece_free(&p);
}
END_TEST

// A single row of vertices does not resist turning about itself.
START_TEST(rows_and_single_vertices_are_no_trouble)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, WEAVE_RIGHT, &fabric, 9, 3);
    dr_sheet* sheet = &p.xpbd.sheet;
    for (int v = 0; v < 27; ++v) {
        bool is_free = _i == 0 ? v < 9 : v == 4;
        dr_sheet_set_inverse_mass(sheet, sheet->slot_of_vertex[v], is_free ? 1.0f : 0.0f);
    }
    shake_velocities(&p, 3);
    for (int v = 0; v < 27; ++v) {
        if (dr_sheet_inverse_mass(sheet, sheet->slot_of_vertex[v]) == 0.0f) {
            dr_sheet_set(sheet->layout, sheet->vel, sheet->slot_of_vertex[v], vec(0, 0, 0));
        }
    }
    motion before = motion_of(&p);
    dr_damp_rigid(sheet, 1.0f);
    motion after = motion_of(&p);
    expect_kept(&before, &after);
    ck_assert_double_le(after.energy, before.energy * 1.000001);
    piece_free(&p);
}
END_TEST

// --- In a world ---

// Kinetic energy of a crumpled sheet without weight after a second, in flight.
static double flutter(float rigid, float stretch, drape_vec3* flown)
{
    drape_world_def def = drape_world_defaults();
    def.gravity = vec(0, 0, 0);
    def.damping = 0.0f;
    drape_world* world = drape_world_create(&def);
    drape_cloth_def cloth_def = drape_cloth_defaults();
    cloth_def.control.rigid_damping = rigid;
    cloth_def.control.stretch_damping = stretch;
    cloth_def.velocity = vec(0.0f, 0.0f, 1.0f);
    cloth_def.noise = 0.02f;
    drape_cloth_id cloth = drape_cloth_add_grid(world, &cloth_def, 0.5f, 0.5f, 21, 21);
    drape_vec3 from = middle_of(world, cloth);
    drape_step_report report = step_frames(world, 60);
    *flown = dr_sub(middle_of(world, cloth), from);
    drape_world_destroy(world);
    return report.kinetic_energy;
}

START_TEST(flutter_dies_and_flight_goes_on)
{
    drape_vec3 free_way, damped_way, stretch_way;
    double flight = 0.5 * 0.25 * (double)drape_fabric_cotton().density;
    double free_energy = flutter(0.0f, 0.0f, &free_way) - flight;
    double damped = flutter(20.0f, 0.0f, &damped_way) - flight;
    double stretch = flutter(0.0f, 200.0f, &stretch_way) - flight;
    ck_assert_double_lt(fabs(damped), 0.1 * free_energy);
    ck_assert_double_lt(stretch, free_energy);
    ck_assert_float_eq_tol(damped_way.z, 1.0f, 2e-3f);
    ck_assert_float_eq_tol(stretch_way.z, 1.0f, 2e-3f);
}
END_TEST

// --- Frames ---

// A flag on a pole that runs and turns; how far the far corner is left behind on the mean.
static float left_behind(float linear, float angular, bool turns)
{
    drape_world_def def = drape_world_defaults();
    def.gravity = vec(0, 0, 0);
    drape_world* world = drape_world_create(&def);
    drape_cloth_def cloth_def = drape_cloth_defaults();
    cloth_def.control.inertia_linear = linear;
    cloth_def.control.inertia_angular = angular;
    drape_cloth_id cloth = drape_cloth_add_grid(world, &cloth_def, 0.5f, 0.5f, 11, 11);
    drape_vec3 home[121], targets[11];
    memcpy(home, drape_cloth_positions(world, cloth, NULL), sizeof home);
    int32_t pole[11];
    for (int i = 0; i < 11; ++i) {
        pole[i] = 11 * i;
    }
    drape_pin_id pin = pin_vertices(world, cloth, pole, 11);
    drape_cloth_set_frame(world, cloth, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
    drape_transform frame = {.rotate = {0, 0, 0, 1}};
    float away = 0.0f;
    for (int f = 1; f <= 30; ++f) {
        frame = turns ? pose_at(vec(0, 0, 0), vec(0, 0, 3.0f * (float)f))
                      : pose_at(vec(0, 0.05f * (float)f, 0), vec(0, 0, 0));
        for (int i = 0; i < 11; ++i) {
            targets[i] = dr_transform_apply(frame, home[pole[i]]);
        }
        ck_assert(drape_cloth_set_frame(world, cloth, frame));
        ck_assert(drape_pin_move(world, pin, targets, 11));
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_int_eq(f > 5 ? report.heap_calls : 0, 0);
        drape_vec3 wanted = dr_transform_apply(frame, home[120]);
        away += dr_length(dr_sub(place_of(world, cloth, 120), wanted)) / 30.0f;
    }
    drape_world_destroy(world);
    return away;
}

// A frame that rides on a collider is where one is that is set to the collider's pose each time.
START_TEST(frames_ride_on_colliders)
{
    uint64_t hashes[2];
    for (int rides = 0; rides < 2; ++rides) {
        drape_world_def def = drape_world_defaults();
        drape_world* world = drape_world_create(&def);
        drape_collider_id ball = drape_collider_add_sphere(world, vec(0, -1.0f, 0), 0.2f);
        drape_cloth_def cloth_def = drape_cloth_defaults();
        cloth_def.control.inertia_linear = cloth_def.control.inertia_angular = 0.3f;
        drape_cloth_id cloth = drape_cloth_add_grid(world, &cloth_def, 0.5f, 0.5f, 11, 11);
        drape_transform frame = drape_collider_pose(world, ball);
        ck_assert(rides ? drape_cloth_ride(world, cloth, ball)
                        : drape_cloth_set_frame(world, cloth, frame));
        for (int f = 1; f <= 10; ++f) {
            frame = pose_at(vec(0.03f * (float)f, -1.0f, 0), vec(0, 0, 2.0f * (float)f));
            ck_assert(drape_collider_move(world, ball, frame));
            ck_assert(rides || drape_cloth_set_frame(world, cloth, frame));
            drape_world_step(world, FRAME);
        }
        hashes[rides] = drape_world_hash(world);
        ck_assert(!drape_cloth_ride(world, cloth, (drape_collider_id){.slot = 77}));
        ck_assert(drape_cloth_ride(world, cloth, (drape_collider_id){0}));
        drape_world_destroy(world);
    }
    ck_assert_uint_eq(hashes[0], hashes[1]);
}
END_TEST

static float stretch_with(int sweeps)
{
    drape_world_def def = drape_world_defaults();
    def.substeps = 4;
    def.iterations = 1;
    def.stretch_sweeps = sweeps;
    drape_world* world = drape_world_create(&def);
    drape_cloth_def cloth_def = drape_cloth_defaults();
    drape_cloth_id cloth = drape_cloth_add_disc(world, &cloth_def, 0.3f, 8, 0.0f);
    const int32_t first = 0;
    pin_vertices(world, cloth, &first, 1);
    float sum = 0.0f;
    for (int f = 0; f < 30; ++f) {
        sum += drape_world_step(world, FRAME).max_stretch;
    }
    drape_world_destroy(world);
    return sum / 30.0f;
}

START_TEST(sweeps_over_stretch_shorten_meshes)
{
    float once = stretch_with(1), four = stretch_with(4);
    ck_assert_float_gt(once, 0.02f);
    ck_assert_float_lt(four, 0.6f * once);
}
END_TEST

START_TEST(frames_carry_what_does_not_feel_them)
{
    ck_assert_float_le(left_behind(0.0f, 0.0f, false), 2e-4f);
    ck_assert_float_le(left_behind(0.0f, 0.0f, true), 2e-3f);
    float felt = left_behind(1.0f, 1.0f, false), half = left_behind(0.5f, 1.0f, false);
    ck_assert_float_gt(felt, 0.2f);
    ck_assert_float_lt(half, felt);
    ck_assert_float_gt(half, 0.05f);
    ck_assert_float_gt(left_behind(1.0f, 1.0f, true), 0.1f);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("damping");
    TCase* tests = tcase_create("damping");
    tcase_add_loop_test(tests, damping_keeps_momentum_and_takes_energy, 0, WEAVE_COUNT);
    tcase_add_loop_test(tests, rigid_motion_is_left_alone, 0, WEAVE_COUNT);
    tcase_add_loop_test(tests, rows_and_single_vertices_are_no_trouble, 0, 2);
    tcase_add_test(tests, flutter_dies_and_flight_goes_on);
    tcase_add_test(tests, frames_carry_what_does_not_feel_them);
    tcase_add_test(tests, frames_ride_on_colliders);
    tcase_add_test(tests, sweeps_over_stretch_shorten_meshes);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
