// Jumps and new beginnings: nothing on the way is met or felt, and nothing explodes.
#include "scene/fit.h"

#include "core/random.h"
#include "world_test.h"

// A square that hangs by two corners and has come to rest, nearly.
static drape_cloth_id hang(drape_world* world, bool is_mesh, drape_pin_id* pin)
{
    drape_cloth_id cloth = add_sheet(world, is_mesh, 0.5f, 15, vec(0, 1, 0), vec(0, 0, 0));
    const int32_t corners[2] = {0, 14};
    *pin = pin_vertices(world, cloth, corners, 2);
    step_frames(world, 120);
    return cloth;
}

START_TEST(teleport_is_a_rigid_motion_and_costs_nothing)
{
    drape_world* world = make_world();
    drape_pin_id pin;
    drape_cloth_id cloth = hang(world, _i, &pin);
    drape_world_step(world, FRAME);
    drape_vec3 was[225], speed[225];
    memcpy(was, drape_cloth_positions(world, cloth, NULL), sizeof was);
    memcpy(speed, drape_cloth_velocities(world, cloth, NULL), sizeof speed);
    drape_transform by = pose_at(vec(100.0f, 5.0f, -30.0f), vec(0.0f, 70.0f, 0.0f));
    ck_assert(drape_cloth_teleport(world, cloth, by, true));
    for (int i = 0; i < 225; ++i) {
        drape_vec3 wanted = dr_transform_apply(by, was[i]);
        drape_vec3 turned = dr_quat_rotate(by.rotate, speed[i]);
        ck_assert_float_le(dr_length(dr_sub(place_of(world, cloth, i), wanted)), 1e-5f);
        drape_vec3 now = drape_cloth_velocities(world, cloth, NULL)[i];
        ck_assert_float_le(dr_length(dr_sub(now, turned)), 1e-5f);
    }
    // It goes on as its twin does that has stayed.
    drape_world* stayed = make_world();
    hang(stayed, _i, &pin);
    drape_world_step(stayed, FRAME);
    for (int i = 0; i < 60; ++i) {
        drape_step_report report = drape_world_step(world, FRAME);
        drape_step_report twin = drape_world_step(stayed, FRAME);
        ck_assert_double_le(report.kinetic_energy, 1.5 * twin.kinetic_energy + 1e-3);
        ck_assert_float_le(report.max_stretch, twin.max_stretch + 0.01f);
    }
    drape_world_destroy(stayed);
    // Held vertices have gone along.
    drape_vec3 corner = dr_transform_apply(by, was[0]);
    ck_assert_float_le(dr_length(dr_sub(place_of(world, cloth, 0), corner)), 1e-4f);
    ck_assert(drape_cloth_teleport(world, cloth, by, false));
    ck_assert_float_eq(fastest_of(world, cloth), 0.0f);
    drape_world_destroy(world);
}
END_TEST

// Pins that keys or frames lead are led on from the new place.
START_TEST(led_pins_go_on_from_where_they_jumped)
{
    drape_world* world = make_world();
    drape_cloth_id cloth = add_square(world, 0.5f, 11, vec(0, 0, 0), vec(0, 0, 0));
    const int32_t corner = 0, other = 10;
    const drape_key keys[2] = {{0.0f, pose_at(vec(0, 0, 0), vec(0, 0, 0)), DRAPE_EASE_LINEAR},
                               {1.0f, pose_at(vec(0, 1, 0), vec(0, 0, 0)), DRAPE_EASE_LINEAR}};
    drape_vec3 start = place_of(world, cloth, 10);
    const drape_vec3 frames[2] = {start, dr_add(start, vec(0, 1, 0))};
    drape_pin_def def = drape_pin_defaults();
    def.vertices = &corner;
    def.vertex_count = 1;
    def.keys = keys;
    def.key_count = 2;
    ck_assert(drape_cloth_pin(world, cloth, &def).slot);
    drape_pin_def led = drape_pin_defaults();
    led.vertices = &other;
    led.vertex_count = 1;
    led.frames = frames;
    led.frame_count = 2;
    led.fps = 1.0f;
    ck_assert(drape_cloth_pin(world, cloth, &led).slot);
    step_frames(world, 30);
    drape_vec3 a = place_of(world, cloth, 0), b = place_of(world, cloth, 10);
    drape_transform by = pose_at(vec(10, 0, 0), vec(0, 0, 90));
    ck_assert(drape_cloth_teleport(world, cloth, by, true));
    drape_step_report report = step_frames(world, 30);
    ck_assert_float_le(report.max_stretch, 0.05f);
    drape_vec3 wanted_a = dr_transform_apply(by, dr_add(a, vec(0, 0.5f, 0)));
    drape_vec3 wanted_b = dr_transform_apply(by, dr_add(b, vec(0, 0.5f, 0)));
    ck_assert_float_le(dr_length(dr_sub(place_of(world, cloth, 0), wanted_a)), 1e-4f);
    ck_assert_float_le(dr_length(dr_sub(place_of(world, cloth, 10), wanted_b)), 1e-4f);
    drape_world_destroy(world);
}
END_TEST

// A frame that jumps takes the cloth along; pins were told the new place already.
START_TEST(frames_that_jump_are_told_from_frames_that_run)
{
    drape_world* world = make_world();
    drape_pin_id pin;
    drape_cloth_id cloth = hang(world, _i, &pin);
    drape_control control = drape_control_defaults();
    control.teleport_distance = 1.0f;
    ck_assert(drape_cloth_set_control(world, cloth, &control));
    drape_cloth_set_frame(world, cloth, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
    drape_step_report before = drape_world_step(world, FRAME);
    drape_vec3 targets[2] = {place_of(world, cloth, 0), place_of(world, cloth, 14)};
    drape_transform jump = pose_at(vec(0, 0, 50), vec(0, 180, 0));
    targets[0] = dr_transform_apply(jump, targets[0]);
    targets[1] = dr_transform_apply(jump, targets[1]);
    ck_assert(drape_pin_move(world, pin, targets, 2));
    ck_assert(drape_cloth_set_frame(world, cloth, jump));
    for (int i = 0; i < 30; ++i) {
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_double_le(report.kinetic_energy, 0.05);
        ck_assert_float_le(report.max_stretch, before.max_stretch + 0.02f);
    }
    ck_assert_float_le(dr_length(dr_sub(place_of(world, cloth, 0), targets[0])), 1e-4f);
    drape_world_destroy(world);
}
END_TEST

// A ball that is put down on the other side sweeps nothing away, and where it appears inside a
// cloth that comes out without bursting.
START_TEST(colliders_jump_without_a_blow)
{
    drape_world* world = make_calm_world(1.0f);
    drape_pin_id pin;
    drape_collider_id ball = drape_collider_add_sphere(world, vec(0, 0.75f, -3), 0.2f);
    drape_cloth_id cloth = hang(world, _i, &pin);
    step_frames(world, 240);
    drape_vec3 before = middle_of(world, cloth);
    ck_assert(drape_collider_teleport(world, ball, pose_at(vec(0, 0.75f, 3), vec(0, 0, 0))));
    step_frames(world, 10);
    ck_assert_float_le(dr_length(dr_sub(middle_of(world, cloth), before)), 0.05f);
    drape_vec3 inside = dr_add(middle_of(world, cloth), vec(0, 0, 0.1f));
    ck_assert(drape_collider_teleport(world, ball, pose_at(inside, vec(0, 0, 0))));
    drape_step_report report = {0};
    for (int i = 0; i < 90; ++i) {
        report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_float_le(fastest_of(world, cloth), 6.0f);
    }
    ck_assert_float_le(report.max_stretch, 0.1f);
    ck_assert_float_ge(report.smallest_gap, 0.0f);
    drape_world_destroy(world);
}
END_TEST

// --- Reset ---

START_TEST(reset_begins_anew_where_the_pins_are)
{
    drape_world* world = make_world();
    drape_cloth_id cloth = add_sheet(world, _i, 0.5f, 15, vec(0, 1, 0), vec(0, 0, 0));
    drape_vec3 home[225];
    memcpy(home, drape_cloth_positions(world, cloth, NULL), sizeof home);
    const int32_t corners[3] = {0, 14, 210};
    drape_pin_id pin = pin_vertices(world, cloth, corners, 3);
    drape_transform there = pose_at(vec(4, 1, -2), vec(20, 130, -40));
    drape_vec3 targets[3];
    for (int f = 1; f <= 60; ++f) {
        for (int k = 0; k < 3; ++k) {
            targets[k] = dr_lerp(home[corners[k]], dr_transform_apply(there, home[corners[k]]),
                                 (float)f / 60.0f);
        }
        drape_pin_move(world, pin, targets, 3);
        drape_world_step(world, FRAME);
    }
    ck_assert(drape_cloth_reset(world, cloth));
    ck_assert_float_eq(fastest_of(world, cloth), 0.0f);
    for (int i = 0; i < 225; ++i) {
        drape_vec3 wanted = dr_transform_apply(there, home[i]);
        ck_assert_float_le(dr_length(dr_sub(place_of(world, cloth, i), wanted)), 1e-4f);
    }
    drape_step_report report = drape_world_step(world, FRAME);
    ck_assert_float_le(report.max_stretch, 0.05f);
    drape_world_destroy(world);
}
END_TEST

START_TEST(reset_follows_the_frame_or_the_pose)
{
    drape_world* world = make_world();
    drape_cloth_id cloth = add_square(world, 0.5f, 15, vec(0, 1, 0), vec(0, 0, 0));
    drape_vec3 home[225], pose[225];
    float most[225];
    memcpy(home, drape_cloth_positions(world, cloth, NULL), sizeof home);
    drape_cloth_set_frame(world, cloth, pose_at(vec(1, 1, 1), vec(0, 30, 0)));
    step_frames(world, 10);
    drape_transform by = pose_at(vec(0, 2, 0), vec(0, 0, 45));
    drape_transform first = pose_at(vec(1, 1, 1), vec(0, 30, 0));
    drape_transform frame = {dr_transform_apply(by, first.translate),
                             dr_quat_multiply(by.rotate, first.rotate)};
    drape_cloth_set_frame(world, cloth, frame);
    step_frames(world, 10);
    ck_assert(drape_cloth_reset(world, cloth));
    for (int i = 0; i < 225; ++i) {
        drape_vec3 wanted = dr_transform_apply(by, home[i]);
        ck_assert_float_le(dr_length(dr_sub(place_of(world, cloth, i), wanted)), 1e-5f);
        pose[i] = dr_add(home[i], vec(7, 0, 0));
        most[i] = 1.0f;
    }
    drape_pose_def def = {.max_distance = most};
    ck_assert(drape_cloth_follow(world, cloth, &def));
    ck_assert(drape_cloth_set_pose(world, cloth, pose, NULL, 225));
    ck_assert(drape_cloth_reset(world, cloth));
    for (int i = 0; i < 225; ++i) {
        ck_assert_float_eq(place_of(world, cloth, i).x, pose[i].x);
    }
    drape_world_destroy(world);
}
END_TEST

// --- The fit ---

START_TEST(fit_finds_the_motion_it_was_made_with)
{
    uint32_t seed = 7 * (uint32_t)_i;
    drape_transform motion = pose_at(
        vec(dr_random_signed(seed, 0), dr_random_signed(seed, 1), dr_random_signed(seed, 2)),
        vec(180.0f * dr_random_signed(seed, 3), _i % 4 == 0 ? 180.0f : 20.0f,
            180.0f * dr_random_signed(seed, 4)));
    dr_fit fit;
    dr_fit_begin(&fit);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t k = 0; k < 5; ++k) {
            drape_vec3 p =
                vec(dr_random_signed(seed, 10 + 3 * k), dr_random_signed(seed, 11 + 3 * k),
                    _i % 2 ? 0.0f : dr_random_signed(seed, 12 + 3 * k));
            dr_fit_add(&fit, pass, p, dr_transform_apply(motion, p));
        }
        dr_fit_turn(&fit, pass);
    }
    drape_transform found = dr_fit_solve(&fit, (drape_quat){0, 0, 0, 1});
    for (int k = 0; k < 3; ++k) {
        drape_vec3 p = vec(k == 0, k == 1, k == 2);
        drape_vec3 off = dr_sub(dr_transform_apply(found, p), dr_transform_apply(motion, p));
        ck_assert_float_le(dr_length(off), 2e-5f);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("teleport");
    TCase* tests = tcase_create("teleport");
    tcase_add_loop_test(tests, teleport_is_a_rigid_motion_and_costs_nothing, 0, 2);
    tcase_add_test(tests, led_pins_go_on_from_where_they_jumped);
    tcase_add_loop_test(tests, frames_that_jump_are_told_from_frames_that_run, 0, 2);
    tcase_add_loop_test(tests, colliders_jump_without_a_blow, 0, 2);
    tcase_add_loop_test(tests, reset_begins_anew_where_the_pins_are, 0, 2);
    tcase_add_test(tests, reset_follows_the_frame_or_the_pose);
    tcase_add_loop_test(tests, fit_finds_the_motion_it_was_made_with, 0, 40);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
