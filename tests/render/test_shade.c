// Light: what physics and geometry say it must be.
#include "render_test.h"

static dr_memory memory;

static void setup(void)
{
    dr_memory_init(&memory, NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(memory.live_bytes, 0);
}

// Mean light along one ray.
static drape_vec3 mean_light(const dr_stage* stage, const dr_scenery* scenery, drape_vec3 origin,
                             drape_vec3 direction, int count)
{
    drape_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        dr_sampler sampler = {dr_hash_mix(17u), (uint32_t)i};
        dr_view_ray ray = {origin, dr_normalize(direction), 0.5f, 1e-3f};
        sum = dr_add(sum, dr_shade_ray(stage, scenery, &ray, &sampler).light);
    }
    return dr_scale(sum, 1.0f / (float)count);
}

// --- White furnace ---

// A white thing in even light cannot be seen: a ball, from outside and inside a bowl, with light
// passing through it or not.
START_TEST(white_things_vanish_in_even_light)
{
    test_mesh ball = test_ball(1.0f, 16);
    // A quarter is cut out, so that light gets in.
    int cut = ball.triangle_count / 4;
    ball.triangle_count -= cut;
    memmove(ball.triangles, ball.triangles + 3 * cut,
            sizeof(int32_t) * 3 * (size_t)ball.triangle_count);
    dr_stage stage = test_stage(&memory, &ball, _i);
    dr_look look = test_white();
    look.through = _i == 0 ? 0.0f : 0.3f;
    dr_scenery scenery = test_furnace(&look, 0.7f);
    for (int i = 0; i < 40; ++i) {
        float turn = 0.157f * (float)i;
        drape_vec3 origin = {3.0f * sinf(turn), i % 2 == 0 ? 0.3f : 2.0f, 3.0f * cosf(turn)};
        drape_vec3 target = {0.3f * cosf(turn), -0.5f, 0.3f * sinf(turn)};
        drape_vec3 light = mean_light(&stage, &scenery, origin, dr_sub(target, origin), 64);
        ck_assert_float_eq_tol(light.x, 0.7f, 2e-3f);
        ck_assert_float_eq_tol(light.y, 0.7f, 2e-3f);
    }
    dr_stage_free(&stage);
    test_mesh_free(&ball);
}
END_TEST

// --- Lamp ---

static dr_scenery lamp(const dr_look* look, drape_vec3 direction, float cosine)
{
    dr_scenery scenery = test_furnace(look, 0.0f);
    scenery.light_direction = dr_normalize(direction);
    scenery.light_cosine = cosine;
    scenery.light_color = (drape_vec3){1.0f, 1.0f, 1.0f};
    scenery.backdrop[0] = scenery.backdrop[1] = (drape_vec3){0.5f, 0.5f, 0.5f};
    return scenery;
}

// A matte square sends back the cosine of the light's angle; what passes it shows on the far side.
START_TEST(matte_follows_the_cosine)
{
    test_mesh square = test_square(10.0f, 0.0f);
    dr_stage stage = test_stage(&memory, &square, 0);
    dr_look look = test_white();
    look.through = 0.25f;
    for (int degrees = 0; degrees < 90; degrees += 15) {
        drape_vec3 to_light = {(float)dr_sin_degrees(degrees), (float)dr_cos_degrees(degrees), 0};
        dr_scenery scenery = lamp(&look, to_light, 1.0f);
        scenery.bounces = 0;
        float above = mean_light(&stage, &scenery, (drape_vec3){0, 1, 2},
                                 (drape_vec3){0, -1, -2}, 4).y;
        float below = mean_light(&stage, &scenery, (drape_vec3){0, -1, 2},
                                 (drape_vec3){0, 1, -2}, 4).y;
        ck_assert_float_eq_tol(above, 0.75f * to_light.y, 1e-4f);
        ck_assert_float_eq_tol(below, 0.25f * to_light.y, 1e-4f);
    }
    dr_stage_free(&stage);
    test_mesh_free(&square);
}
END_TEST

// A square of side 1 at height 1 under a small light from the side by 45 degrees: on the ground its
// shadow reaches from x = 0.5 to x = 1.5 and no further.
START_TEST(shadow_is_where_geometry_says)
{
    test_mesh square = test_square(0.5f, 1.0f);
    dr_stage stage = test_stage(&memory, &square, 0);
    dr_look look = test_white();
    dr_scenery scenery = lamp(&look, (drape_vec3){-1, 1, 0}, 0.99999f);
    scenery.has_ground = true;
    scenery.sky_mid = (drape_vec3){1e-6f, 1e-6f, 1e-6f};
    for (int i = -20; i <= 40; ++i) {
        float x = 0.05f * (float)i + 0.013f;
        // From below the square, so that nothing is in the way.
        drape_vec3 light = mean_light(&stage, &scenery, (drape_vec3){x, 0.5f, 0.3f},
                                      (drape_vec3){0, -1, 0}, 16);
        bool is_shadow = x > 0.5f && x < 1.5f;
        float expected = is_shadow ? 0.0f : 0.5f;
        // The edge of the shadow is about 0.02 wide.
        if (fabsf(x - 0.5f) > 0.02f && fabsf(x - 1.5f) > 0.02f) {
            ck_assert_msg(fabsf(light.y - expected) < 1e-3f, "x %g: %g", (double)x,
                          (double)light.y);
        }
    }
    dr_stage_free(&stage);
    test_mesh_free(&square);
}
END_TEST

// Half of a round light is seen past a straight edge exactly above.
START_TEST(half_a_light_is_half_as_bright)
{
    test_mesh square = test_square(5.0f, 1.0f);
    for (int v = 0; v < 4; ++v) {
        square.positions[v].x += 5.0f;
    }
    dr_stage stage = test_stage(&memory, &square, 0);
    dr_look look = test_white();
    dr_scenery scenery = lamp(&look, (drape_vec3){0, 1, 0}, 0.99f);
    scenery.has_ground = true;
    scenery.bounces = 0;
    drape_vec3 down = {0, -1, 0}, zero = {0, 0.5f, 0}, free_place = {-2, 0.5f, 0};
    scenery.light_color = (drape_vec3){1, 1, 1};
    float half = mean_light(&stage, &scenery, zero, down, 1024).y;
    float whole = mean_light(&stage, &scenery, free_place, down, 64).y;
    ck_assert_float_eq_tol(whole, 0.5f, 1e-6f);
    ck_assert_float_eq_tol(half, 0.25f, 0.01f);
    dr_stage_free(&stage);
    test_mesh_free(&square);
}
END_TEST

// Where nothing is near, ground is the backdrop to the last bit: no grain, no horizon.
START_TEST(open_ground_is_backdrop)
{
    test_mesh square = test_square(0.5f, 1.0f);
    dr_stage stage = test_stage(&memory, &square, 0);
    dr_look look = test_white();
    dr_scenery scenery = dr_scenery_defaults((drape_vec3){0, 0, -1});
    scenery.looks = &look;
    scenery.has_ground = true;
    for (uint32_t i = 0; i < 64; ++i) {
        dr_sampler sampler = {3, i};
        dr_view_ray ray = {{0, 2, 90}, dr_normalize((drape_vec3){0, -2, -10}), 1.0f, 1e-3f};
        dr_shade shade = dr_shade_ray(&stage, &scenery, &ray, &sampler);
        ck_assert_float_eq_tol(shade.light.x, scenery.backdrop[1].x, 1e-6f);
        ck_assert_float_eq_tol(shade.light.z, scenery.backdrop[1].z, 1e-6f);
    }
    dr_stage_free(&stage);
    test_mesh_free(&square);
}
END_TEST

// A coarse ball lit from the side: brightness follows the smooth cosine up to the terminator, with
// no black triangles before it.
START_TEST(coarse_balls_have_a_smooth_terminator)
{
    test_mesh ball = test_ball(1.0f, 10);
    dr_stage stage = test_stage(&memory, &ball, 0);
    dr_look look = test_white();
    dr_scenery scenery = lamp(&look, (drape_vec3){1, 0, 0}, 1.0f);
    scenery.bounces = 0;
    for (int i = 0; i < 200; ++i) {
        float x = -0.9f + 1.8f * (float)i / 199.0f, y = 0.17f;
        drape_vec3 origin = {x, y, 5.0f}, forward = {0, 0, -1};
        dr_stage_hit hit;
        ck_assert(dr_stage_meet(&stage, origin, forward, &hit));
        float light = mean_light(&stage, &scenery, origin, forward, 1).y;
        float expected = fmaxf(hit.normal.x, 0.0f);
        ck_assert_msg(fabsf(light - expected) < 1e-3f || expected < 0.05f, "x %g: %g, not %g",
                      (double)x, (double)light, (double)expected);
    }
    dr_stage_free(&stage);
    test_mesh_free(&ball);
}
END_TEST

// --- Looks ---

START_TEST(patterns_average_to_their_colours)
{
    dr_look look = test_white();
    look.front[1] = (drape_vec3){0, 0, 0};
    look.band = 0.1f;
    const dr_pattern patterns[] = {DR_PATTERN_WEAVE, DR_PATTERN_CHECKER};
    for (int p = 0; p < 2; ++p) {
        look.pattern = patterns[p];
        // Far away both colours are mixed one to one; near, a pattern is the one or the other.
        ck_assert_float_eq_tol(dr_look_color(&look, (dr_look_place){0.3f, 0.7f, 0, false}, 40.0f).x,
                               0.5f, 1e-3f);
        double sum = 0.0;
        for (int i = 0; i < 100 * 100; ++i) {
            dr_look_place place = {0.021236f * (float)(i % 100),
                                   0.019337f * (float)(i / 100), 0, false};
            sum += (double)dr_look_color(&look, place, 1e-6f).x / 1e4;
        }
        ck_assert_double_eq_tol(sum, 0.5, 0.02);
    }
    look.pattern = DR_PATTERN_CHECKER;
    float a = dr_look_color(&look, (dr_look_place){0.05f, 0.05f, 0, false}, 1e-3f).x;
    float b = dr_look_color(&look, (dr_look_place){0.15f, 0.05f, 0, false}, 1e-3f).x;
    float c = dr_look_color(&look, (dr_look_place){0.15f, 0.15f, 0, false}, 1e-3f).x;
    ck_assert_float_eq_tol(a, c, 1e-5f);
    ck_assert_float_eq_tol(a + b, 1.0f, 1e-5f);
}
END_TEST

START_TEST(bytes_of_colours_come_back)
{
    for (uint32_t byte = 0; byte < 256; ++byte) {
        drape_vec3 color = dr_color_from_srgb(byte << 16 | (255 - byte) << 8 | 7);
        ck_assert_uint_eq(dr_srgb_byte(color.x), byte);
        ck_assert_uint_eq(dr_srgb_byte(color.y), 255 - byte);
        ck_assert_uint_eq(dr_srgb_byte(color.z), 7);
    }
    ck_assert_uint_eq(dr_srgb_byte(-1.0f), 0);
    ck_assert_uint_eq(dr_srgb_byte(2.0f), 255);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("shade");
    TCase* tests = tcase_create("shade");
    tcase_add_checked_fixture(tests, setup, teardown);
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, white_things_vanish_in_even_light, 0, 2);
    tcase_add_test(tests, matte_follows_the_cosine);
    tcase_add_test(tests, shadow_is_where_geometry_says);
    tcase_add_test(tests, half_a_light_is_half_as_bright);
    tcase_add_test(tests, open_ground_is_backdrop);
    tcase_add_test(tests, coarse_balls_have_a_smooth_terminator);
    tcase_add_test(tests, patterns_average_to_their_colours);
    tcase_add_test(tests, bytes_of_colours_come_back);
    return run_suite(suite);
}
