// Pins: what holds holds exactly, what moves goes where it is told, what is let go falls.
#include "world_test.h"

// A sheet of 9 x 9 on edge, grids and meshes in turn, its first two corners pinned by `def`.
typedef struct hung {
    drape_world* world;
    drape_cloth_id cloth;
    drape_pin_id pin;
    drape_vec3 start[2];
} hung;

static const int32_t corners[2] = {0, 8};

static hung hang(int test, drape_pin_def* def)
{
    drape_world_def world_def = drape_world_defaults();
    hung h = {.world = drape_world_create(&world_def)};
    h.cloth = test % 2 ? add_square_mesh(h.world, 0.8f, 9, vec(0, 1, 0), vec(0, 0, 0))
                       : add_square(h.world, 0.8f, 9, vec(0, 1, 0), vec(0, 0, 0));
    h.start[0] = place_of(h.world, h.cloth, corners[0]);
    h.start[1] = place_of(h.world, h.cloth, corners[1]);
    def->vertices = corners;
    def->vertex_count = 2;
    h.pin = drape_cloth_pin(h.world, h.cloth, def);
    ck_assert_msg(h.pin.slot != 0, "%s", drape_world_error(h.world));
    return h;
}

static void check_places(hung* h, drape_vec3 a, drape_vec3 b, float tolerance)
{
    const drape_vec3 wanted[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        drape_vec3 off = dr_sub(place_of(h->world, h->cloth, corners[i]), wanted[i]);
        ck_assert_msg(dr_length(off) <= tolerance, "pin %d is %g m off at %g s", i,
                      (double)dr_length(off), drape_world_time(h->world));
    }
}

START_TEST(fixed_pins_stay_to_the_bit)
{
    drape_pin_def def = drape_pin_defaults();
    hung h = hang(_i, &def);
    step_frames(h.world, 20);
    check_places(&h, h.start[0], h.start[1], 0.0f);
    ck_assert_float_lt(place_of(h.world, h.cloth, 80).y, 0.7f);
    step_frames(h.world, 40);
    check_places(&h, h.start[0], h.start[1], 0.0f);
    ck_assert_float_eq(drape_cloth_velocities(h.world, h.cloth, NULL)[0].y, 0.0f);
    drape_world_destroy(h.world);
}
END_TEST

START_TEST(keys_are_followed)
{
    drape_pin_def def = drape_pin_defaults();
    // Up by 0.3 m, then a quarter turn about y round the middle of both pins.
    const drape_key keys[3] = {
        {.time = 0.0f, .pose = pose_at(vec(0, 0, 0), vec(0, 0, 0)), .ease = DRAPE_EASE_LINEAR},
        {.time = 0.5f, .pose = pose_at(vec(0, 0.3f, 0), vec(0, 0, 0)), .ease = DRAPE_EASE_LINEAR},
        {.time = 1.0f, .pose = pose_at(vec(0, 0.3f, 0), vec(0, 90, 0)), .ease = DRAPE_EASE_SMOOTH}};
    def.keys = keys;
    def.key_count = 3;
    hung h = hang(_i, &def);
    step_frames(h.world, 15);
    drape_vec3 lift = vec(0, 0.15f, 0);
    check_places(&h, dr_add(h.start[0], lift), dr_add(h.start[1], lift), 1e-6f);
    step_frames(h.world, 45);
    // A turn about +y takes x to -z.
    float half = 0.5f * (h.start[1].x - h.start[0].x), z = h.start[0].z, y = 1.3f;
    check_places(&h, vec(0, y, z + half), vec(0, y, z - half), 1e-6f);
    drape_world_destroy(h.world);
}
END_TEST

START_TEST(pins_ride_on_colliders)
{
    drape_pin_def def = drape_pin_defaults();
    hung h;
    drape_world_def world_def = drape_world_defaults();
    h.world = drape_world_create(&world_def);
    // Far away, so that it carries without touching. The pose is turned from the start.
    drape_collider_def far = drape_collider_defaults();
    far.place = pose_at(vec(0, 5, 0), vec(10, 20, 30));
    drape_collider_id ball = drape_collider_add(h.world, &far);
    h.cloth = add_square(h.world, 0.8f, 9, vec(0, 1, 0), vec(0, 0, 0));
    def.vertices = corners;
    def.vertex_count = 2;
    def.collider = ball;
    h.pin = drape_cloth_pin(h.world, h.cloth, &def);
    drape_vec3 local[2];
    for (int i = 0; i < 2; ++i) {
        local[i] = dr_transform_inverse_apply(far.place, place_of(h.world, h.cloth, corners[i]));
    }
    for (int frame = 1; frame <= 20; ++frame) {
        float t = (float)frame;
        drape_transform pose = pose_at(vec(0.01f * t, 5, 0), vec(10, 20 + 2.0f * t, 30));
        ck_assert(drape_collider_move(h.world, ball, pose));
        drape_world_step(h.world, FRAME);
        check_places(&h, dr_transform_apply(pose, local[0]), dr_transform_apply(pose, local[1]),
                     2e-6f);
    }
    // Without the collider they stay where it left them.
    drape_vec3 left[2] = {place_of(h.world, h.cloth, 0), place_of(h.world, h.cloth, 8)};
    drape_collider_remove(h.world, ball);
    step_frames(h.world, 5);
    check_places(&h, left[0], left[1], 1e-6f);
    drape_world_destroy(h.world);
}
END_TEST

START_TEST(frames_are_followed)
{
    drape_pin_def def = drape_pin_defaults();
    drape_vec3 frames[3][2];
    for (int f = 0; f < 3; ++f) {
        for (int i = 0; i < 2; ++i) {
            frames[f][i] = vec(i ? 0.4f : -0.4f, 1.0f + 0.05f * (float)f, -0.4f);
        }
    }
    def.frames = frames[0];
    def.frame_count = 3;
    def.fps = 10.0f;
    hung h = hang(_i, &def);
    step_frames(h.world, 6); // 0.1 s: frame 1
    check_places(&h, frames[1][0], frames[1][1], 1e-6f);
    step_frames(h.world, 3); // half way
    drape_vec3 between[2] = {dr_lerp(frames[1][0], frames[2][0], 0.5f),
                             dr_lerp(frames[1][1], frames[2][1], 0.5f)};
    check_places(&h, between[0], between[1], 1e-6f);
    step_frames(h.world, 20); // the last one holds
    check_places(&h, frames[2][0], frames[2][1], 0.0f);
    drape_world_destroy(h.world);
}
END_TEST

START_TEST(release_comes_at_its_time)
{
    drape_pin_def def = drape_pin_defaults();
    def.release_time = 0.5f;
    hung h = hang(_i, &def);
    step_frames(h.world, 30);
    check_places(&h, h.start[0], h.start[1], 0.0f);
    step_frames(h.world, 30);
    ck_assert_float_lt(place_of(h.world, h.cloth, 0).y, h.start[0].y - 0.5f);
    ck_assert(!drape_pin_move(h.world, h.pin, h.start, 2)); // it is gone
    drape_world_destroy(h.world);
}
END_TEST

START_TEST(release_by_hand_lets_go)
{
    drape_pin_def def = drape_pin_defaults();
    hung h = hang(_i, &def);
    step_frames(h.world, 5);
    drape_pin_release(h.world, h.pin);
    drape_pin_release(h.world, h.pin);
    step_frames(h.world, 15);
    ck_assert_float_lt(place_of(h.world, h.cloth, 0).y, h.start[0].y - 0.1f);
    drape_world_destroy(h.world);
}
END_TEST

// Two sets may hold one vertex; letting go of one of them does not free it.
START_TEST(vertices_may_be_held_twice)
{
    drape_pin_def def = drape_pin_defaults();
    hung h = hang(_i, &def);
    drape_pin_id second = pin_vertices(h.world, h.cloth, corners, 1);
    drape_pin_release(h.world, h.pin);
    step_frames(h.world, 20);
    drape_vec3 off = dr_sub(place_of(h.world, h.cloth, 0), h.start[0]);
    ck_assert_float_eq(dr_length(off), 0.0f);
    ck_assert_float_lt(place_of(h.world, h.cloth, 8).y, h.start[1].y - 0.05f);
    drape_pin_release(h.world, second);
    drape_world_destroy(h.world);
}
END_TEST

// A soft pin is a spring of 5 Hz at a weight of one half, by the mass of the vertex: a sheet that
// is pinned all over sags by g / omega^2, and lags behind what it follows.
START_TEST(soft_pins_lag_but_hold)
{
    const float weights[2] = {0.5f, 0.8f};
    for (int k = 0; k < 2; ++k) {
        drape_pin_def def = drape_pin_defaults();
        hung h = hang(_i, &def);
        drape_pin_release(h.world, h.pin);
        int32_t all[81];
        for (int i = 0; i < 81; ++i) {
            all[i] = i;
        }
        def.vertices = all;
        def.vertex_count = 81;
        def.weight = weights[k];
        h.pin = drape_cloth_pin(h.world, h.cloth, &def);
        // It swings about that place for long: the mean of ten swings.
        double sag = 0.0;
        for (int frame = 0; frame < 120; ++frame) {
            drape_world_step(h.world, FRAME);
            sag += (double)(h.start[0].y - middle_of(h.world, h.cloth).y) / 120.0;
        }
        float omega = 2.0f * 3.14159265f * 5.0f * weights[k] / (1.0f - weights[k]);
        ck_assert_double_eq_tol(sag, (double)(9.81f / (omega * omega)), 0.05 * sag);
        drape_vec3 goal[81];
        for (int i = 0; i < 81; ++i) {
            goal[i] = dr_add(place_of(h.world, h.cloth, i), vec(0.1f, 0, 0));
        }
        drape_pin_move(h.world, h.pin, goal, 81);
        drape_world_step(h.world, FRAME);
        float moved = middle_of(h.world, h.cloth).x;
        ck_assert_float_gt(moved, 1e-4f);
        ck_assert_float_lt(moved, 0.09f);
        drape_world_destroy(h.world);
    }
}
END_TEST

START_TEST(hands_move_pins)
{
    drape_pin_def def = drape_pin_defaults();
    hung h = hang(_i, &def);
    drape_vec3 goal[2] = {h.start[0], h.start[1]};
    for (int frame = 0; frame < 30; ++frame) {
        goal[0].x += 0.002f;
        goal[1].y += 0.01f;
        ck_assert(drape_pin_move(h.world, h.pin, goal, 2));
        drape_world_step(h.world, FRAME);
        check_places(&h, goal[0], goal[1], 0.0f);
        // It gets there in even steps, not in one leap: velocities say so.
        drape_vec3 v = drape_cloth_velocities(h.world, h.cloth, NULL)[8];
        ck_assert_float_eq_tol(v.y, 0.6f, 0.01f);
    }
    step_frames(h.world, 5);
    check_places(&h, goal[0], goal[1], 0.0f);
    ck_assert(!drape_pin_move(h.world, h.pin, goal, 1));
    goal[1].x = NAN;
    ck_assert(!drape_pin_move(h.world, h.pin, goal, 2));
    drape_world_destroy(h.world);
}
END_TEST

START_TEST(bad_pins_are_refused)
{
    drape_pin_def def = drape_pin_defaults();
    hung h = hang(_i, &def);
    const int32_t beyond[1] = {81};
    drape_pin_def bad = def;
    bad.vertices = beyond;
    bad.vertex_count = 1;
    ck_assert_uint_eq(drape_cloth_pin(h.world, h.cloth, &bad).slot, 0);
    ck_assert_ptr_nonnull(strstr(drape_world_error(h.world), "81"));
    bad = def;
    bad.vertex_count = 0;
    ck_assert_uint_eq(drape_cloth_pin(h.world, h.cloth, &bad).slot, 0);
    bad = def;
    bad.weight = 0.0f;
    ck_assert_uint_eq(drape_cloth_pin(h.world, h.cloth, &bad).slot, 0);
    bad = def;
    bad.collider = (drape_collider_id){5, 1};
    ck_assert_uint_eq(drape_cloth_pin(h.world, h.cloth, &bad).slot, 0);
    bad = def;
    bad.frames = h.start;
    bad.frame_count = 1;
    bad.fps = 0.0f;
    ck_assert_uint_eq(drape_cloth_pin(h.world, h.cloth, &bad).slot, 0);
    ck_assert_uint_eq(drape_cloth_pin(h.world, (drape_cloth_id){9, 9}, &def).slot, 0);
    ck_assert_str_ne(drape_world_error(h.world), "");
    drape_world_destroy(h.world);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("pins");
    tcase_add_loop_test(tests, fixed_pins_stay_to_the_bit, 0, 2);
    tcase_add_loop_test(tests, keys_are_followed, 0, 2);
    tcase_add_test(tests, pins_ride_on_colliders);
    tcase_add_loop_test(tests, frames_are_followed, 0, 2);
    tcase_add_loop_test(tests, release_comes_at_its_time, 0, 2);
    tcase_add_loop_test(tests, release_by_hand_lets_go, 0, 2);
    tcase_add_loop_test(tests, vertices_may_be_held_twice, 0, 2);
    tcase_add_loop_test(tests, soft_pins_lag_but_hold, 0, 2);
    tcase_add_loop_test(tests, hands_move_pins, 0, 2);
    tcase_add_test(tests, bad_pins_are_refused);
    Suite* suite = suite_create("pins");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
