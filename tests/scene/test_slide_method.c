// Cloth that slides on obstacles, and freezing, in whole scenes: acceptance checks S-1 to S-3, S-5,
// S-6.
#include "method_test.h"

// --- Slopes ---

// How far a small sheet slides in half a second on a slope of 30 degrees without friction.
static double slide_down(const char* method)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name(method, &def.method));
    def.damping = 0.0f;
    def.thickness = 0.004f;
    def.friction_static = def.friction_dynamic = 0.0f;
    drape_world* world = drape_world_create(&def);
    drape_cloth_def cloth = drape_cloth_defaults();
    cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 40.0f;
    cloth.fabric.shear = 5.0f;
    cloth.rotation = drape_quat_from_degrees(vec(0.0f, 0.0f, 30.0f));
    drape_collider_add_plane(world, vec(0.0f, 0.0f, 0.0f), vec(-0.5f, 0.8660254f, 0.0f));
    cloth.origin = vec(-0.5f * 0.0041f, 0.8660254f * 0.0041f, 0.0f);
    drape_cloth_id id = drape_cloth_add_grid(world, &cloth, 0.2f, 0.2f, 9, 9);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    drape_vec3 from = middle_of(world, id);
    for (int frame = 0; frame < 30; ++frame) {
        drape_world_step(world, FRAME);
    }
    drape_vec3 way = dr_sub(middle_of(world, id), from);
    drape_world_destroy(world);
    return -(double)(0.8660254f * way.x + 0.5f * way.y);
}

START_TEST(s1_cloth_slides_down_a_slope_and_sticks_as_printed)
{
    double exact = 0.5 * 9.81 * 0.5 * 0.25;
    ck_assert_double_eq_tol(slide_down("slide"), exact, 0.02 * exact);
    ck_assert_double_lt(slide_down("slide_paper"), 0.1 * exact);
}
END_TEST

// --- Obstacles ---

START_TEST(s2_no_vertex_is_inside_in_any_frame)
{
    static const char* const scenes[] = {"table", "sofa", "round-table", "cube", "cylinder"};
    order o = {.scene = scenes[_i], .method = "slide", .size = 21};
    o.overrides[0] = (drape_override){"collision.self", "none"};
    drape_scene* scene = open_order(&o);
    bool has_touched = false;
    for (int frame = 0; frame < 60; ++frame) {
        drape_step_report report = drape_scene_step(scene);
        verdict v = judge_scene(scene);
        has_touched = has_touched || report.contact_count > 0;
        ck_assert_msg(v.inside == 0 && v.obstacle == 0, "%s, frame %d: %d inside, %d crossings",
                      o.scene, frame, v.inside, (int)v.obstacle);
    }
    ck_assert(has_touched);
    drape_scene_close(scene);
}
END_TEST

START_TEST(s3_cloth_rests_at_the_shell)
{
    order o = {.scene = "table-paper", .method = "slide", .size = 21};
    drape_scene* scene = open_order(&o);
    for (int frame = 0; frame < 90; ++frame) {
        drape_scene_step(scene);
    }
    dr_check_mesh mesh = cloth_mesh(scene, 0);
    int count = 0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        drape_vec3 p = mesh.positions[v];
        // Cells of 5 cm go round the edges in a wide arc; the middle lies flat.
        if (fabsf(p.x) < 0.1f && fabsf(p.z) < 0.1f) {
            ck_assert_float_eq_tol(p.y, 0.704f, 2e-5f);
            ++count;
        }
    }
    ck_assert_int_ge(count, 9);
    drape_scene_close(scene);
}
END_TEST

// --- Freezing ---

START_TEST(s5_nothing_crosses_in_any_step)
{
    static const char* const scenes[] = {"table-paper", "ground-paper"};
    order o = {.scene = scenes[_i], .method = "slide", .size = 21};
    // The search by tree finds the same and is quicker.
    o.overrides[0] = (drape_override){"collision.hierarchy", "material"};
    drape_scene* scene = open_order(&o);
    int64_t frozen = 0;
    for (int step = 0; step < 600; ++step) {
        drape_step_report report = drape_world_step(drape_scene_world(scene), PAPER_STEP);
        ck_assert_int_eq(report.substeps, 1);
        ck_assert_int_eq(self_crossings(scene), 0);
        frozen += report.counts.frozen;
    }
    ck_assert_int_gt(frozen, 0);
    drape_scene_close(scene);
}
END_TEST

START_TEST(s6_without_self_collision_all_four_corners_cross)
{
    order o = {.scene = "table-paper", .method = "slide", .size = 21};
    o.overrides[0] = (drape_override){"collision.self", "none"};
    drape_scene* scene = open_order(&o);
    int crossings[4] = {0};
    for (int frame = 0; frame < 60; ++frame) {
        drape_scene_step(scene);
        dr_check_mesh mesh = cloth_mesh(scene, 0);
        dr_memory memory;
        dr_crossings found;
        dr_memory_init(&memory, NULL);
        ck_assert(dr_crossings_find(&found, &memory, NULL, &mesh, 1));
        for (int i = 0; i < found.pair_count; ++i) {
            drape_vec3 p = mesh.positions[mesh.triangles[3 * found.pairs[i].triangle_a]];
            bool is_crossing = found.pairs[i].meeting == DR_MEETING_CROSSING;
            crossings[(p.x > 0.0f) + 2 * (p.z > 0.0f)] += is_crossing;
        }
        dr_crossings_free(&found, &memory);
    }
    for (int k = 0; k < 4; ++k) {
        ck_assert_int_gt(crossings[k], 0);
    }
    drape_scene_close(scene);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("slide_method");
    TCase* cases = tcase_create("slide_method");
    tcase_add_test(cases, s1_cloth_slides_down_a_slope_and_sticks_as_printed);
    tcase_add_loop_test(cases, s2_no_vertex_is_inside_in_any_frame, 0, 5);
    tcase_add_test(cases, s3_cloth_rests_at_the_shell);
    tcase_add_loop_test(cases, s5_nothing_crosses_in_any_step, 0, 2);
    tcase_add_test(cases, s6_without_self_collision_all_four_corners_cross);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
