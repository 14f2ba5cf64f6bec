// Cloth and solids: free flight, rest, speed, edges, corners, things that move.
#include "collider_test.h"

// v = (v + g h) keep, y = y + h v, in floats, to the last bit.
START_TEST(free_fall_is_the_recursion)
{
    drape_world* world = make_world();
    drape_collider_add_plane(world, vec(0, -50, 0), vec(0, 1, 0));
    drape_cloth_id cloth = add_sheet(world, _i, 0.5f, 11, vec(0, 1, 0), vec(0, 0, 0));
    drape_world_def def = drape_world_get_def(world);
    float h = FRAME / (float)def.substeps, keep = 1.0f / (1.0f + def.damping * h);
    float v = 0.0f, y = 1.0f;
    step_frames(world, 30);
    for (int i = 0; i < 30 * def.substeps; ++i) {
        v = (v + def.gravity.y * h) * keep;
        y = y + v * h;
    }
    float furthest = 0.0f;
    for (int i = 0; i < 121; ++i) {
        furthest = fmaxf(furthest, fabsf(place_of(world, cloth, i).y - y));
    }
    ck_assert_float_eq(furthest, 0.0f);
    drape_world_destroy(world);
}
END_TEST

// Three seconds on each solid: every vertex outside at every frame, and the report tells the truth.
START_TEST(vertices_stay_outside)
{
    const drape_shape* shape = &obstacles[_i / 2].shape;
    drape_world* world = make_world();
    drape_transform pose = drape_collider_pose(world, add_obstacle(world, _i / 2));
    drape_cloth_id cloth = add_sheet(world, _i % 2, 0.6f, 21, vec(0, 0.1f, 0), vec(0, 0, 0));
    float least = INFINITY;
    drape_step_report report = {0};
    for (int frame = 0; frame < 180; ++frame) {
        report = drape_world_step(world, FRAME);
        least = fminf(least, report.smallest_gap);
        ck_assert_int_eq(report.non_finite_count, 0);
    }
    float thickness = 1e-3f; // cotton is thinner; a millimetre is the least
    ck_assert_msg(least > 0.45f * thickness, "%s: %g", obstacles[_i / 2].name, (double)least);
    ck_assert_float_eq_tol(report.smallest_gap, nearest_vertex(world, cloth, shape, pose), 2e-6f);
    ck_assert_float_lt(report.max_stretch, 0.1f);
    drape_world_destroy(world);
}
END_TEST

// At 1, 10 and 100 times the speed no vertex is inside at any frame, and no point of a triangle
// deeper than the thickness, but on a sharp corner: there a third of an edge, for a moment. What
// comes to rest is outside altogether.
START_TEST(speed_does_not_help)
{
    const float speeds[3] = {2.0f, 20.0f, 200.0f};
    int obstacle = _i / 6;
    const drape_shape* shape = &obstacles[obstacle].shape;
    drape_world* world = make_world();
    drape_transform pose = drape_collider_pose(world, add_obstacle(world, obstacle));
    drape_cloth_id cloth = add_sheet(world, _i % 2, 0.6f, 15, vec(0, 0.1f, 0),
                                     vec(0, -speeds[_i / 2 % 3], 0));
    bool is_corner = obstacle == obstacle_count - 1;
    float least = INFINITY, deepest = is_corner ? -0.35f * 0.043f : -1e-3f, point = INFINITY;
    for (int frame = 0; frame < 60; ++frame) {
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        least = fminf(least, report.smallest_gap);
        point = nearest_point(world, cloth, shape, pose);
        ck_assert_msg(point > deepest, "%s at %g m/s, frame %d: %g", obstacles[obstacle].name,
                      (double)speeds[_i / 2 % 3], frame, (double)point);
    }
    ck_assert_msg(least > 0.0f, "%s at %g m/s: %g", obstacles[obstacle].name,
                  (double)speeds[_i / 2 % 3], (double)least);
    ck_assert_float_gt(point, 0.0f);
    drape_world_destroy(world);
}
END_TEST

// A plate wider than any detour: nothing comes out below it.
START_TEST(nothing_passes_a_plate)
{
    const float speeds[3] = {2.0f, 20.0f, 200.0f};
    drape_world* world = make_world();
    drape_collider_add_box(world, vec(0, -0.02f, 0), vec(40, 0.04f, 40));
    drape_cloth_def def = drape_cloth_defaults();
    // On edge and askew, so that it crumples.
    def.rotation = drape_quat_from_degrees(vec(70, 20, 30));
    def.origin = vec(0, 1, 0);
    def.velocity = vec(0, -speeds[_i], 0);
    drape_cloth_id cloth = drape_cloth_add_grid(world, &def, 0.6f, 0.6f, 17, 17);
    float lowest = INFINITY;
    for (int frame = 0; frame < 60; ++frame) {
        drape_world_step(world, FRAME);
        for (int i = 0; i < 17 * 17; ++i) {
            lowest = fminf(lowest, place_of(world, cloth, i).y);
        }
    }
    ck_assert_float_gt(lowest, 0.0f);
    drape_world_destroy(world);
}
END_TEST

// --- Edges and faces ---

// At rest no point of an edge or a triangle is deeper than a tenth of the thickness in the cloth.
START_TEST(edges_do_not_sink_into_a_table)
{
    drape_world* world = make_calm_world(1.0f);
    drape_shape box = {.kind = DRAPE_SHAPE_BOX, .size = {0.3f, 0.05f, 0.3f}};
    // Cells of 25 mm and sides that lie between the vertices.
    drape_transform pose = pose_at(vec(0.006f, -0.025f, 0.009f), vec(0, _i / 2 ? 17.0f : 0.0f, 0));
    drape_collider_def def = drape_collider_defaults();
    def.shape = box;
    def.place = pose;
    drape_collider_add(world, &def);
    drape_cloth_id cloth = add_sheet(world, _i % 2, 0.5f, 21, vec(0, 0.01f, 0), vec(0, 0, 0));
    step_frames(world, 180);
    float nearest = nearest_point(world, cloth, &box, pose);
    ck_assert_float_ge(nearest, 0.4f * CALM_THICKNESS);
    drape_world_destroy(world);
}
END_TEST

// A spike under the middle of a coarse triangle carries it.
START_TEST(corners_carry_faces)
{
    drape_world* world = make_calm_world(2.0f);
    drape_shape box = {.kind = DRAPE_SHAPE_BOX, .size = {0.1f, 0.1f, 0.1f}};
    drape_collider_def def = drape_collider_defaults();
    def.shape = box;
    // On its corner: the space diagonal upright.
    def.place.rotate = drape_quat_multiply(drape_quat_from_degrees(vec(0, 0, 45)),
                                           drape_quat_from_degrees(vec(35.26439f, 0, 0)));
    def.place.translate = vec(0.07f, 0, 0.02f); // inside a triangle of the middle cell
    drape_collider_add(world, &def);
    drape_cloth_id cloth = add_sheet(world, _i, 0.9f, 4, vec(0, 0.12f, 0), vec(0, 0, 0));
    const int32_t corners[4] = {0, 3, 12, 15};
    pin_vertices(world, cloth, corners, 4);
    step_frames(world, 120);
    ck_assert_float_ge(nearest_point(world, cloth, &box, def.place), 0.0f);
    ck_assert_float_ge(nearest_vertex(world, cloth, &box, def.place), 0.4f * CALM_THICKNESS);
    drape_world_destroy(world);
}
END_TEST

// --- Things that move ---

// A belt carries what lies on it, without slip while friction can hold.
START_TEST(belts_carry_cloth)
{
    drape_world* world = make_world();
    drape_collider_id belt = drape_collider_add_box(world, vec(0, -0.05f, 0), vec(2, 0.1f, 1));
    drape_cloth_id cloth = add_sheet(world, _i, 0.3f, 13, vec(-0.5f, 0.0006f, 0), vec(0, 0, 0));
    expect_ride(world, belt, cloth);
    drape_world_destroy(world);
}
END_TEST

START_TEST(turntables_turn_cloth)
{
    drape_world* world = make_world();
    drape_collider_def def = drape_collider_defaults();
    const drape_key keys[4] = {{.time = 0, .pose = pose_at(vec(0, -0.05f, 0), vec(0, 0, 0))},
                               {.time = 1, .pose = pose_at(vec(0, -0.05f, 0), vec(0, 60, 0))},
                               {.time = 2, .pose = pose_at(vec(0, -0.05f, 0), vec(0, 120, 0))},
                               {.time = 3, .pose = pose_at(vec(0, -0.05f, 0), vec(0, 180, 0))}};
    def.shape = (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {1, 0.1f, 1}};
    def.keys = keys;
    def.key_count = 4;
    drape_collider_add(world, &def);
    drape_cloth_id cloth = add_sheet(world, _i, 0.4f, 13, vec(0, 0.0006f, 0), vec(0, 0, 0));
    drape_vec3 start = place_of(world, cloth, 0);
    step_frames(world, 180);
    drape_vec3 end = place_of(world, cloth, 0);
    ck_assert_float_eq_tol(end.x, -start.x, 5e-3f);
    ck_assert_float_eq_tol(end.z, -start.z, 5e-3f);
    drape_world_destroy(world);
}
END_TEST

// A hanging sheet, pinned at its four corners in the plane z = 0, and a ball on its way along z.
static drape_cloth_id hang_sheet(drape_world* world, bool mesh)
{
    drape_cloth_id cloth = add_sheet(world, mesh, 1.0f, 21, vec(0, 0, 0), vec(0, 0, 0));
    drape_vec3 p[441];
    for (int i = 0; i < 441; ++i) {
        drape_vec3 at = place_of(world, cloth, i);
        p[i] = vec(at.x, at.z, 0.0f);
    }
    ck_assert(drape_cloth_set_state(world, cloth, p, NULL, 441));
    const int32_t corners[4] = {0, 20, 420, 440};
    pin_vertices(world, cloth, corners, 4);
    return cloth;
}

START_TEST(balls_push_sheets)
{
    drape_world* world = make_world();
    drape_collider_id ball = drape_collider_add_sphere(world, vec(0, 0, -0.3f), 0.2f);
    drape_cloth_id cloth = hang_sheet(world, _i);
    drape_shape shape = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.2f};
    drape_transform pose = drape_collider_pose(world, ball);
    for (int frame = 1; frame <= 60; ++frame) {
        pose.translate.z = -0.3f + 0.25f * (float)frame * FRAME;
        drape_collider_move(world, ball, pose);
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_float_gt(report.smallest_gap, 0.0f);
    }
    // The middle is in front of the ball, and nothing of the cloth inside.
    ck_assert_float_gt(place_of(world, cloth, 220).z, pose.translate.z + 0.19f);
    ck_assert_float_gt(nearest_point(world, cloth, &shape, pose), 0.0f);
    drape_world_destroy(world);
}
END_TEST

// 50 m/s is 0.8 m a frame: the ball would be through within one.
START_TEST(fast_balls_do_not_pass)
{
    drape_world* world = make_world();
    drape_collider_id ball = drape_collider_add_sphere(world, vec(0, 0, -0.6f), 0.2f);
    drape_cloth_id cloth = hang_sheet(world, _i);
    drape_transform pose = drape_collider_pose(world, ball);
    for (int frame = 1; frame <= 20; ++frame) {
        // Stops where the sheet can still follow.
        pose.translate.z = fminf(-0.6f + 50.0f * (float)frame * FRAME, 0.0f);
        drape_collider_move(world, ball, pose);
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_float_gt(report.smallest_gap, 0.0f);
    }
    ck_assert_float_gt(place_of(world, cloth, 220).z, 0.19f);
    drape_world_destroy(world);
}
END_TEST

// A ball of four centimetres against edges of three: only their points can hold it.
START_TEST(small_fast_balls_do_not_pass)
{
    const float speeds[3] = {2.0f, 20.0f, 200.0f};
    drape_world* world = make_world();
    drape_collider_id ball = drape_collider_add_sphere(world, vec(0, 0, -0.2f), 0.04f);
    drape_cloth_id cloth = hang_sheet(world, _i % 2);
    drape_transform pose = drape_collider_pose(world, ball);
    drape_shape shape = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.04f};
    for (int frame = 1; frame <= 20; ++frame) {
        pose.translate.z = fminf(-0.2f + speeds[_i / 2] * (float)frame * FRAME, 0.1f);
        drape_collider_move(world, ball, pose);
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_float_gt(report.smallest_gap, 0.0f);
        ck_assert_float_gt(nearest_point(world, cloth, &shape, pose), -1e-3f);
    }
    ck_assert_float_gt(place_of(world, cloth, 220).z, 0.1f + 0.03f);
    drape_world_destroy(world);
}
END_TEST

// A rod far thinner than a cell, end on: its corners come up inside one triangle.
START_TEST(rods_do_not_pass)
{
    const float speeds[3] = {0.5f, 2.0f, 20.0f};
    drape_world* world = make_world();
    drape_cloth_id cloth = hang_sheet(world, _i % 2);
    drape_collider_def rod = drape_collider_defaults();
    rod.shape = (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {0.009f, 0.009f, 0.18f}};
    rod.place = pose_at(vec(0.0175f, 0.008f, -0.15f), vec(0, 0, 0));
    drape_collider_id id = drape_collider_add(world, &rod);
    drape_transform pose = rod.place;
    for (int frame = 1; frame <= 60; ++frame) {
        pose.translate.z = fminf(-0.15f + speeds[_i / 2] * (float)frame * FRAME, 0.03f);
        drape_collider_move(world, id, pose);
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_float_gt(nearest_point(world, cloth, &rod.shape, pose), -1e-3f);
    }
    drape_world_destroy(world);
}
END_TEST

// Fast right through everything: what it leaves behind is outside all the same.
START_TEST(passing_balls_leave_no_vertex_inside)
{
    drape_world* world = make_world();
    drape_collider_id ball = drape_collider_add_sphere(world, vec(0, 0, -0.6f), 0.2f);
    drape_cloth_id cloth = hang_sheet(world, _i);
    drape_transform pose = drape_collider_pose(world, ball);
    for (int frame = 1; frame <= 10; ++frame) {
        pose.translate.z = -0.6f + 50.0f * (float)frame * FRAME;
        drape_collider_move(world, ball, pose);
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
    }
    drape_shape shape = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.2f};
    ck_assert_float_gt(nearest_vertex(world, cloth, &shape, pose), 0.0f);
    ck_assert(is_finite_cloth(world, cloth));
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("colliders");
    tcase_add_loop_test(tests, free_fall_is_the_recursion, 0, 2);
    tcase_add_loop_test(tests, vertices_stay_outside, 0, 2 * obstacle_count);
    tcase_add_loop_test(tests, speed_does_not_help, 0, 6 * obstacle_count);
    tcase_add_loop_test(tests, nothing_passes_a_plate, 0, 3);
    tcase_add_loop_test(tests, edges_do_not_sink_into_a_table, 0, 4);
    tcase_add_loop_test(tests, corners_carry_faces, 0, 2);
    tcase_add_loop_test(tests, belts_carry_cloth, 0, 2);
    tcase_add_loop_test(tests, turntables_turn_cloth, 0, 2);
    tcase_add_loop_test(tests, balls_push_sheets, 0, 2);
    tcase_add_loop_test(tests, fast_balls_do_not_pass, 0, 2);
    tcase_add_loop_test(tests, small_fast_balls_do_not_pass, 0, 6);
    tcase_add_loop_test(tests, rods_do_not_pass, 0, 6);
    tcase_add_loop_test(tests, passing_balls_leave_no_vertex_inside, 0, 2);
    Suite* suite = suite_create("colliders");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
