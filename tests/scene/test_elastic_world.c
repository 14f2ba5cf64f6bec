// Elastic sheets in worlds: pins, wind, colliders that move or change their shape, several cloths,
// and what they refuse. With boxes and with freezing.
#include "trials_test.h"

static drape_world* make_elastic(void)
{
    return make_method_world(0);
}

// --- Pins ---

START_TEST(pins_hold_lead_and_let_go)
{
    drape_world* world = make_elastic();
    drape_cloth_id cloth = add_paper(world, 0.4f, 9, vec(0.0f, 1.0f, 0.0f));
    drape_vec3 at = place_of(world, cloth, 0), led = place_of(world, cloth, 8);
    const int32_t first = 0, second = 8;
    pin_vertices(world, cloth, &first, 1);
    drape_pin_def def = drape_pin_defaults();
    drape_key keys[2] = {{.time = 0.0f, .pose = pose_at(vec(0, 0, 0), vec(0, 0, 0))},
                         {.time = 0.25f, .pose = pose_at(vec(0, 0.1f, 0), vec(0, 0, 0))}};
    def.vertices = &second;
    def.vertex_count = 1;
    def.keys = keys;
    def.key_count = 2;
    def.release_time = 0.5f;
    ck_assert_int_ne((int)drape_cloth_pin(world, cloth, &def).slot, 0);
    step_frames(world, 20);
    drape_vec3 p = place_of(world, cloth, 0), q = place_of(world, cloth, 8);
    ck_assert(p.x == at.x && p.y == at.y && p.z == at.z);
    ck_assert_float_eq_tol(q.y, led.y + 0.1f, 1e-6f);
    ck_assert_float_lt(place_of(world, cloth, 76).y, 0.95f);
    step_frames(world, 40);
    ck_assert_float_lt(place_of(world, cloth, 8).y, 0.9f);
    ck_assert_float_eq(place_of(world, cloth, 0).y, at.y);
    drape_world_destroy(world);
}
END_TEST

START_TEST(soft_pins_are_springs)
{
    float sag[2];
    for (int k = 0; k < 2; ++k) {
        drape_world* world = make_elastic();
        drape_cloth_id cloth = add_paper(world, 0.4f, 9, vec(0.0f, 1.0f, 0.0f));
        int32_t row[9];
        for (int i = 0; i < 9; ++i) {
            row[i] = i;
        }
        drape_pin_def def = drape_pin_defaults();
        def.vertices = row;
        def.vertex_count = 9;
        def.weight = k == 0 ? 0.3f : 0.6f;
        drape_cloth_pin(world, cloth, &def);
        step_frames(world, 120);
        sag[k] = 1.0f - place_of(world, cloth, 4).y;
        drape_world_destroy(world);
    }
    // All of the cloth hangs on the springs: g over their frequency squared; a quarter more, for
    // at its border the vertices of an elastic sheet weigh as much as the others.
    for (int k = 0; k < 2; ++k) {
        double weight = k == 0 ? 0.3 : 0.6;
        double rate = 2.0 * 3.14159265 * 5.0 * weight / (1.0 - weight);
        float exact = (float)(81.0 / 64.0 * 9.81 / (rate * rate));
        ck_assert_float_eq_tol(sag[k], exact, 0.1f * exact);
    }
}
END_TEST

// --- Air ---

START_TEST(wind_blows_cloth_away)
{
    float went[2];
    for (int k = 0; k < 2; ++k) {
        drape_world_def def = method_def(0);
        def.wind = (drape_wind){.velocity = vec(0.0f, 0.0f, 4.0f), .drag = k == 0 ? 0.0f : 1.0f};
        drape_world* world = drape_world_create(&def);
        drape_cloth_id cloth = add_upright(world, 0.4f, 9);
        const int32_t corners[2] = {0, 8};
        pin_vertices(world, cloth, corners, 2);
        step_frames(world, 40);
        went[k] = middle_of(world, cloth).z;
        ck_assert(is_finite_cloth(world, cloth));
        drape_world_destroy(world);
    }
    ck_assert_float_gt(went[1], went[0] + 0.05f);
}
END_TEST

// --- Colliders that move ---

START_TEST(belts_carry_cloth)
{
    drape_world* world = make_elastic();
    drape_collider_id belt = drape_collider_add_box(world, vec(0.0f, -0.05f, 0.0f),
                                                    vec(4.0f, 0.1f, 2.0f));
    drape_cloth_id cloth = add_paper(world, 0.3f, 7, vec(0.0f, 0.0041f, 0.0f));
    step_frames(world, 5);
    float from = middle_of(world, cloth).x;
    drape_transform pose = drape_collider_pose(world, belt);
    for (int frame = 1; frame <= 40; ++frame) {
        // 2 m/s^2, which is less than mu g.
        float t = (float)frame * FRAME;
        pose.translate.x = t * t;
        drape_collider_move(world, belt, pose);
        drape_world_step(world, FRAME);
    }
    // Moved frame by frame, the belt jerks in every first substep and slips a little.
    ck_assert_float_eq_tol(middle_of(world, cloth).x - from, pose.translate.x, 0.02f);
    drape_world_destroy(world);
}
END_TEST

static float slide_on_slope(float friction)
{
    drape_world_def def = method_def(0);
    def.damping = 0.0f;
    def.friction_static = def.friction_dynamic = friction;
    drape_world* world = drape_world_create(&def);
    // 20 degrees, of which the tangent is 0.364.
    drape_collider_add_plane(world, vec(0, 0, 0), vec(-0.34202014f, 0.93969262f, 0.0f));
    drape_cloth_def cloth = paper_cloth(vec(-0.0014f, 0.00385f, 0.0f));
    cloth.rotation = drape_quat_from_degrees(vec(0.0f, 0.0f, 20.0f));
    drape_cloth_id id = drape_cloth_add_grid(world, &cloth, 0.3f, 0.3f, 7, 7);
    drape_vec3 from = middle_of(world, id);
    step_frames(world, 30);
    float way = dr_length(dr_sub(middle_of(world, id), from));
    drape_world_destroy(world);
    return way;
}

START_TEST(friction_holds_on_slopes_up_to_its_angle)
{
    ck_assert_float_lt(slide_on_slope(0.45f), 0.005f);
    // g (sin - mu cos) t^2 / 2
    float exact = 9.81f * (0.34202014f - 0.2f * 0.93969262f) * 0.125f;
    ck_assert_float_eq_tol(slide_on_slope(0.2f), exact, 0.05f * exact);
}
END_TEST

// A floor of triangles that rises and sinks: its vertices move, not its pose.
START_TEST(changing_bodies_carry_cloth)
{
    drape_world* world = make_elastic();
    drape_vec3 corners[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    static const int32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    drape_mesh_view view = {
        .positions = corners, .triangles = triangles, .vertex_count = 4, .triangle_count = 2};
    drape_collider_def def = drape_collider_defaults();
    def.mesh = &view;
    drape_collider_id floor = drape_collider_add(world, &def);
    ck_assert_msg(drape_collider_is_valid(world, floor), "%s", drape_world_error(world));
    drape_cloth_id cloth = add_paper(world, 0.3f, 7, vec(0.0f, 0.0045f, 0.0f));
    for (int frame = 1; frame <= 60; ++frame) {
        float height = 0.1f * sinf((float)frame * 0.1f);
        for (int k = 0; k < 4; ++k) {
            corners[k].y = height;
        }
        ck_assert(drape_collider_set_vertices(world, floor, corners, 4));
        drape_world_step(world, FRAME);
        int count;
        const drape_vec3* p = drape_cloth_positions(world, cloth, &count);
        for (int v = 0; v < count; ++v) {
            ck_assert_msg(p[v].y > height + 0.0039f && p[v].y < height + 0.03f,
                          "frame %d: vertex %d is %g m over the floor", frame, v,
                          (double)(p[v].y - height));
        }
        ck_assert_float_lt(fastest_of(world, cloth), 2.0f);
    }
    drape_world_destroy(world);
}
END_TEST

START_TEST(solids_take_no_vertices)
{
    drape_world* world = make_elastic();
    drape_collider_id box = drape_collider_add_box(world, vec(0, 0, 0), vec(1, 1, 1));
    drape_vec3 corners[8] = {{0}};
    ck_assert(!drape_collider_set_vertices(world, box, corners, 8));
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "mesh collider"));
    drape_world_destroy(world);
}
END_TEST

// --- Several things ---

START_TEST(several_cloths_and_colliders_keep_apart)
{
    drape_world* world = make_method_world(_i);
    drape_collider_id colliders[3] = {
        drape_collider_add_sphere(world, vec(0.0f, 0.1f, 0.0f), 0.1f),
        drape_collider_add_box(world, vec(0.2f, 0.05f, 0.1f), vec(0.1f, 0.1f, 0.1f)),
        drape_collider_add_plane(world, vec(0, 0, 0), vec(0, 1, 0))};
    drape_cloth_id cloths[3];
    for (int i = 0; i < 3; ++i) {
        cloths[i] = add_paper(world, 0.5f, 9, vec(0.02f * (float)i, 0.22f + 0.03f * (float)i, 0));
    }
    for (int frame = 0; frame < 25; ++frame) {
        drape_step_report report = drape_world_step(world, FRAME);
        verdict v = judge_cloths(world, cloths, 3, colliders, 3);
        ck_assert_msg(v.self == 0 && v.obstacle == 0 && v.inside == 0,
                      "frame %d: %d and %d crossings, %d inside, %d forced", frame, (int)v.self,
                      (int)v.obstacle, v.inside, (int)report.counts.forced);
    }
    drape_world_destroy(world);
}
END_TEST

START_TEST(cloth_that_starts_inside_gets_out)
{
    drape_world* world = make_method_world(_i);
    drape_collider_id box = drape_collider_add_box(world, vec(0, 0.1f, 0), vec(0.3f, 0.2f, 0.3f));
    drape_cloth_id cloth = add_paper(world, 0.2f, 7, vec(0.0f, 0.17f, 0.0f));
    ck_assert_int_eq(judge_cloths(world, &cloth, 1, &box, 1).inside, 49);
    step_frames(world, 60);
    ck_assert_int_eq(judge_cloths(world, &cloth, 1, &box, 1).inside, 0);
    ck_assert_float_gt(middle_of(world, cloth).y, 0.2f);
    ck_assert_float_lt(middle_of(world, cloth).y, 0.25f);
    drape_world_destroy(world);
}
END_TEST

// --- What is refused ---

START_TEST(cloths_that_are_no_grids_are_refused)
{
    drape_world* world = make_elastic();
    drape_cloth_def def = drape_cloth_defaults();
    ck_assert(!drape_cloth_is_valid(world, drape_cloth_add_disc(world, &def, 0.3f, 4, 0.0f)));
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "`elastic` needs a grid"));
    drape_world_destroy(world);
}
END_TEST

START_TEST(seams_are_refused)
{
    drape_world* world = make_elastic();
    drape_cloth_id cloth = add_paper(world, 0.3f, 5, vec(0.0f, 1.0f, 0.0f));
    const int32_t a = 0, b = 24;
    drape_seam_def def = {.cloth_a = cloth, .cloth_b = cloth, .vertices_a = &a, .vertices_b = &b,
                          .pair_count = 1, .duration = 1.0f};
    ck_assert_int_eq((int)drape_seam_add(world, &def).slot, 0);
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "no seams"));
    drape_world_destroy(world);
}
END_TEST

START_TEST(numbers_that_are_none_are_refused)
{
    drape_world* world = make_elastic();
    drape_cloth_id cloth = add_paper(world, 0.3f, 5, vec(0.0f, 1.0f, 0.0f));
    uint64_t hash = drape_world_hash(world);
    drape_vec3 places[25] = {{0}};
    places[7].y = NAN;
    ck_assert(!drape_cloth_set_state(world, cloth, places, NULL, 25));
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "vertex 7"));
    ck_assert_uint_eq(drape_world_hash(world), hash);
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("elastic_world");
    TCase* cases = tcase_create("elastic_world");
    tcase_add_test(cases, pins_hold_lead_and_let_go);
    tcase_add_test(cases, soft_pins_are_springs);
    tcase_add_test(cases, wind_blows_cloth_away);
    tcase_add_test(cases, belts_carry_cloth);
    tcase_add_test(cases, friction_holds_on_slopes_up_to_its_angle);
    tcase_add_test(cases, changing_bodies_carry_cloth);
    tcase_add_test(cases, solids_take_no_vertices);
    tcase_add_loop_test(cases, several_cloths_and_colliders_keep_apart, 0, METHOD_CASES);
    tcase_add_loop_test(cases, cloth_that_starts_inside_gets_out, 0, METHOD_CASES);
    tcase_add_test(cases, cloths_that_are_no_grids_are_refused);
    tcase_add_test(cases, seams_are_refused);
    tcase_add_test(cases, numbers_that_are_none_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
