// Masses and springs in worlds: acceptance check P-8, wind, the limit of length, meshes, soft pins,
// colliders that move, saved states.
#include "trials_test.h"

// --- On solids ---

static const char* const rests[] = {"sphere", "cube"};
static const char* const integrators[] = {"verlet", "implicit"};

START_TEST(p8_cloth_on_a_sphere_and_on_a_box)
{
    order o = {.scene = rests[_i % 2], .method = "spring", .size = 13};
    o.overrides[0] = (drape_override){"solver.integrator", integrators[_i / 2]};
    o.overrides[1] = (drape_override){"collision.thickness", "0.005"};
    o.overrides[2] = (drape_override){"solver.substeps", "10"};
    drape_scene* scene = open_order(&o);
    // 5 s.
    for (int frame = 0; frame < 150; ++frame) {
        drape_step_report report = drape_scene_step(scene);
        ck_assert_int_eq(report.non_finite_count, 0);
        verdict v = judge_scene(scene);
        ck_assert_msg(v.inside == 0 && v.obstacle == 0, "frame %d: %d inside, %lld crossings",
                      frame, v.inside, (long long)v.obstacle);
    }
    drape_scene_close(scene);
}
END_TEST

// --- Worlds ---

// The first uses verlet, the second the implicit integrator.
static drape_world_def springs_world(int integrator)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("spring", &def.method));
    def.method.integrator = integrator == 0 ? DRAPE_INTEGRATOR_VERLET : DRAPE_INTEGRATOR_IMPLICIT;
    def.thickness = 0.004f;
    def.damping = 2.0f;
    def.substeps = 10;
    return def;
}

static drape_cloth_id add_soft_disc(drape_world* world, drape_vec3 middle)
{
    drape_cloth_def def = paper_cloth(middle);
    drape_cloth_id id = drape_cloth_add_disc(world, &def, 0.25f, 6, 0.0f);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

// --- Air ---

START_TEST(flags_go_downwind)
{
    float went[2];
    for (int k = 0; k < 2; ++k) {
        drape_world_def def = springs_world(_i);
        def.wind = (drape_wind){.velocity = vec(0.0f, 0.0f, 4.0f), .drag = k == 0 ? 0.0f : 1.0f};
        drape_world* world = drape_world_create(&def);
        drape_cloth_id cloth = add_upright(world, 0.4f, 9);
        const int32_t corners[2] = {0, 8};
        pin_vertices(world, cloth, corners, 2);
        step_frames(world, 60);
        went[k] = middle_of(world, cloth).z;
        ck_assert(is_finite_cloth(world, cloth));
        drape_world_destroy(world);
    }
    ck_assert_msg(went[1] > went[0] + 0.05f, "%g and %g m", (double)went[0], (double)went[1]);
}
END_TEST

// The scene of the flag with its wind and its pole.
START_TEST(the_flag_flies)
{
    static const drape_override overrides[] = {
        {"cloths.0.grid.resolution", "[16,11]"},
        {"cloths.0.fabric", PAPER_FABRIC},
    };
    drape_scene_options options = drape_scene_options_defaults();
    drape_error error = {0};
    options.method = "spring";
    options.overrides = overrides;
    options.override_count = 2;
    drape_scene* scene = drape_scene_open(DRAPE_SOURCE_DIR "/scenes/flag.json", &options, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    drape_world* world = drape_scene_world(scene);
    for (int frame = 0; frame < 60; ++frame) {
        drape_step_report report = drape_scene_step(scene);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_int_eq(judge_scene(scene).inside, 0);
    }
    // The wind blows along x; without it the free edge would hang below the pole.
    drape_vec3 middle = middle_of(world, drape_scene_cloth(scene, 0));
    ck_assert_float_gt(middle.x, -0.5f);
    drape_scene_close(scene);
}
END_TEST

// --- Length ---

// The longest edge of the grid against its length at rest, diagonals of cells included.
static double worst_elongation(drape_world* world, drape_cloth_id cloth, int side, double cell)
{
    const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    double worst = 0.0;
    for (int v = 0; v < side * side; ++v) {
        for (int k = 0; k < 4; ++k) {
            int column = v % side + steps[k][0], row = v / side + steps[k][1];
            if (column < 0 || column >= side || row >= side) {
                continue;
            }
            drape_vec3 p = place_of(world, cloth, v);
            drape_vec3 q = place_of(world, cloth, row * side + column);
            double rest = cell * (k < 2 ? 1.0 : sqrt(2.0));
            worst = fmax(worst, (double)dr_length(dr_sub(p, q)) / rest - 1.0);
        }
    }
    return worst;
}

// A sheet far too soft for its weight hangs from two corners.
static double hang(int integrator, float max_elongation)
{
    enum { side = 11 };
    drape_world_def def = springs_world(integrator);
    def.springs.max_elongation = max_elongation;
    drape_world* world = drape_world_create(&def);
    drape_cloth_def cloth = paper_cloth(vec(-0.5f, 0.0f, -0.5f));
    cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 10.0f;
    cloth.fabric.shear = 2.0f;
    drape_cloth_id id = drape_cloth_add_grid(world, &cloth, 1.0f, 1.0f, side, side);
    const int32_t corners[2] = {0, side - 1};
    pin_vertices(world, id, corners, 2);
    double worst = 0.0;
    for (int frame = 0; frame < 60; ++frame) {
        drape_world_step(world, FRAME);
        worst = fmax(worst, worst_elongation(world, id, side, 0.1));
    }
    drape_world_destroy(world);
    return worst;
}

START_TEST(length_is_limited)
{
    double with = hang(_i, 0.1f), without = hang(_i, 0.0f);
    ck_assert_msg(with <= 0.12, "elongation %g", with);
    ck_assert_msg(without > 0.3, "elongation %g without limit", without);
}
END_TEST

// --- Meshes ---

START_TEST(discs_are_springs_too)
{
    drape_world_def def = springs_world(_i);
    drape_world* world = drape_world_create(&def);
    drape_collider_id ball = drape_collider_add_sphere(world, vec(0, 0, 0), 0.1f);
    drape_cloth_id cloth = add_soft_disc(world, vec(0.01f, 0.12f, 0.0f));
    for (int frame = 0; frame < 60; ++frame) {
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_float_lt(report.max_stretch, 0.3f);
        verdict v = judge_cloths(world, &cloth, 1, &ball, 1);
        ck_assert_int_eq(v.inside, 0);
        ck_assert_int_eq(v.obstacle, 0);
    }
    // It lies over the ball.
    drape_vec3 middle = middle_of(world, cloth);
    ck_assert_float_gt(middle.y, -0.1f);
    ck_assert_float_lt(middle.y, 0.1f);
    drape_world_destroy(world);
}
END_TEST

START_TEST(eight_bends_need_a_grid)
{
    drape_world_def def = springs_world(0);
    def.springs.eight_bends = true;
    drape_world* world = drape_world_create(&def);
    drape_cloth_def cloth = paper_cloth(vec(0, 0, 0));
    drape_cloth_id id = drape_cloth_add_disc(world, &cloth, 0.25f, 6, 0.0f);
    ck_assert(!drape_cloth_is_valid(world, id));
    ck_assert_str_eq(drape_world_error(world),
                     "`eight_bends` needs a grid, and this cloth is none");
    ck_assert(drape_cloth_is_valid(world, drape_cloth_add_grid(world, &cloth, 1, 1, 5, 5)));
    drape_world_destroy(world);
}
END_TEST

// --- Pins ---

START_TEST(soft_pins_hold)
{
    float sag[2];
    for (int k = 0; k < 2; ++k) {
        drape_world_def def = springs_world(_i);
        drape_world* world = drape_world_create(&def);
        drape_cloth_id cloth = add_paper(world, 0.4f, 9, vec(0.0f, 1.0f, 0.0f));
        int32_t row[9];
        for (int i = 0; i < 9; ++i) {
            row[i] = i;
        }
        drape_pin_def pin = drape_pin_defaults();
        pin.vertices = row;
        pin.vertex_count = 9;
        pin.weight = k == 0 ? 0.3f : 0.6f;
        drape_cloth_pin(world, cloth, &pin);
        step_frames(world, 240);
        sag[k] = 1.0f - place_of(world, cloth, 4).y;
        drape_world_destroy(world);
    }
    // All of the cloth hangs on the springs: g over their frequency squared.
    for (int k = 0; k < 2; ++k) {
        double weight = k == 0 ? 0.3 : 0.6;
        double rate = 2.0 * 3.14159265 * 5.0 * weight / (1.0 - weight);
        float exact = (float)(9.81 / (rate * rate));
        ck_assert_float_eq_tol(sag[k], exact, 0.1f * exact);
    }
}
END_TEST

// --- Colliders that move ---

START_TEST(keyed_colliders_carry_cloth)
{
    drape_world_def def = springs_world(_i);
    drape_world* world = drape_world_create(&def);
    const drape_key keys[2] = {
        {.time = 0.2f, .pose = pose_at(vec(0, -0.05f, 0), vec(0, 0, 0))},
        {.time = 1.2f, .pose = pose_at(vec(0.4f, 0.05f, 0), vec(0, 0, 0))},
    };
    drape_collider_def tray = drape_collider_defaults();
    tray.shape = (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = vec(0.6f, 0.1f, 0.6f)};
    tray.keys = keys;
    tray.key_count = 2;
    drape_collider_id id = drape_collider_add(world, &tray);
    drape_cloth_id cloth = add_paper(world, 0.3f, 7, vec(0.0f, 0.005f, 0.0f));
    for (int frame = 0; frame < 84; ++frame) {
        drape_world_step(world, FRAME);
        ck_assert_int_eq(judge_cloths(world, &cloth, 1, &id, 1).inside, 0);
    }
    drape_vec3 middle = middle_of(world, cloth);
    ck_assert_float_eq_tol(middle.x, 0.4f, 0.02f);
    ck_assert_float_eq_tol(middle.y, 0.104f, 0.002f);
    drape_world_destroy(world);
}
END_TEST

// --- Saved states ---

START_TEST(saved_springs_go_on_the_same)
{
    drape_world_def def = springs_world(_i % 2);
    drape_world* worlds[2];
    size_t size = 0;
    for (int k = 0; k < 2; ++k) {
        def.worker_count = 1 + k;
        def.wind = (drape_wind){.velocity = vec(1, 0, 0), .gust = 0.5f, .drag = 1.0f};
        worlds[k] = drape_world_create(&def);
        drape_collider_add_sphere(worlds[k], vec(0, 0, 0), 0.1f);
        if (_i < 2) {
            add_paper(worlds[k], 0.4f, 11, vec(0.01f, 0.12f, 0.0f));
        } else {
            add_soft_disc(worlds[k], vec(0.01f, 0.12f, 0.0f));
        }
    }
    step_frames(worlds[0], 15);
    ck_assert(drape_world_save(worlds[0], NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(worlds[0], bytes, &size));
    ck_assert_msg(drape_world_load(worlds[1], bytes, size), "%s", drape_world_error(worlds[1]));
    free(bytes);
    step_frames(worlds[0], 15);
    step_frames(worlds[1], 15);
    ck_assert_uint_eq(drape_world_hash(worlds[0]), drape_world_hash(worlds[1]));
    drape_world_destroy(worlds[0]);
    drape_world_destroy(worlds[1]);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("spring_method");
    TCase* solids = tcase_create("solids");
    tcase_add_loop_test(solids, p8_cloth_on_a_sphere_and_on_a_box, 0, 4);
    suite_add_tcase(suite, solids);
    TCase* cases = tcase_create("worlds");
    tcase_add_loop_test(cases, flags_go_downwind, 0, 2);
    tcase_add_test(cases, the_flag_flies);
    tcase_add_loop_test(cases, length_is_limited, 0, 2);
    tcase_add_loop_test(cases, discs_are_springs_too, 0, 2);
    tcase_add_test(cases, eight_bends_need_a_grid);
    tcase_add_loop_test(cases, soft_pins_hold, 0, 2);
    tcase_add_loop_test(cases, keyed_colliders_carry_cloth, 0, 2);
    tcase_add_loop_test(cases, saved_springs_go_on_the_same, 0, 4);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
