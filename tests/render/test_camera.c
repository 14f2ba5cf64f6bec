// Where things are in the picture.
#include "render/camera.h"

#include <math.h>

#include "../support.h"
#include "core/random.h"
#include "core/vec_math.h"

static drape_vec3 random_point(uint32_t seed, uint32_t i)
{
    return (drape_vec3){3.0f * dr_random_signed(seed, 3 * i), dr_random_signed(seed, 3 * i + 1),
                        0.5f * dr_random_signed(seed, 3 * i + 2) + 7.0f};
}

START_TEST(directions_and_places_agree)
{
    dr_camera camera =
        dr_camera_look((drape_vec3){1, 2, 3}, (drape_vec3){0, 0.5f, 0}, 40.0f, 1.5f);
    for (int i = 0; i <= 10; ++i) {
        float x = 0.1f * (float)i, y = 1.0f - 0.07f * (float)i, back_x, back_y;
        drape_vec3 d = dr_camera_direction(&camera, x, y);
        ck_assert_float_eq_tol(dr_length(d), 1.0f, 1e-6f);
        ck_assert(dr_camera_project(&camera, dr_add(camera.eye, dr_scale(d, 2.5f)), &back_x,
                                    &back_y));
        ck_assert_float_eq_tol(back_x, x, 1e-5f);
        ck_assert_float_eq_tol(back_y, y, 1e-5f);
    }
    // Half of 40 degrees between the middle and the upper edge.
    float cosine =
        dr_dot(dr_camera_direction(&camera, 0.5f, 0.0f), dr_camera_direction(&camera, 0.5f, 0.5f));
    ck_assert_float_eq_tol(cosine, (float)dr_cos_degrees(20.0), 1e-6f);
}
END_TEST

START_TEST(target_is_in_the_middle_and_up_is_up)
{
    const drape_vec3 eyes[] = {{0, 0, 5}, {4, 3, -2}, {0, 6, 0}, {0, -6, 0}};
    const drape_vec3 target = {0.0f, 0.5f, 0.0f};
    for (int i = 0; i < 4; ++i) {
        float x, y, above_x, above_y;
        dr_camera camera = dr_camera_look(eyes[i], target, 30.0f, 1.0f);
        ck_assert(dr_camera_project(&camera, target, &x, &y));
        ck_assert_float_eq_tol(x, 0.5f, 1e-5f);
        ck_assert_float_eq_tol(y, 0.5f, 1e-5f);
        drape_vec3 above = {0.0f, 0.6f, 0.0f};
        ck_assert(i > 1 || (dr_camera_project(&camera, above, &above_x, &above_y) && above_y < y));
        ck_assert(!dr_camera_project(&camera, dr_add(eyes[i], dr_sub(eyes[i], target)), &x, &y));
    }
}
END_TEST

// Every point is within the margin, and the box of all touches it in the direction that decides.
START_TEST(framing_is_tight)
{
    float turn = 37.0f * (float)_i, height = -80.0f + 23.0f * (float)_i;
    float margin = 0.02f * (float)_i, aspect = 0.5f + 0.3f * (float)_i;
    dr_framing framing = dr_framing_begin(turn, height, 28.0f, aspect, margin);
    for (uint32_t i = 0; i < 500; ++i) {
        dr_framing_add(&framing, random_point((uint32_t)_i, i));
    }
    dr_camera camera = dr_framing_camera(&framing);
    float least_x = 1.0f, most_x = 0.0f, least_y = 1.0f, most_y = 0.0f;
    for (uint32_t i = 0; i < 500; ++i) {
        float x, y;
        ck_assert(dr_camera_project(&camera, random_point((uint32_t)_i, i), &x, &y));
        least_x = fminf(least_x, x);
        most_x = fmaxf(most_x, x);
        least_y = fminf(least_y, y);
        most_y = fmaxf(most_y, y);
    }
    const float slack = 1e-4f;
    ck_assert(least_x >= margin - slack && most_x <= 1.0f - margin + slack);
    ck_assert(least_y >= margin - slack && most_y <= 1.0f - margin + slack);
    float full = 1.0f - 2.0f * margin;
    ck_assert(most_x - least_x > full - slack || most_y - least_y > full - slack);
}
END_TEST

START_TEST(views_are_where_they_say)
{
    dr_camera front = dr_framing_begin(0, 0, 30, 1, 0).camera;
    dr_camera side = dr_framing_begin(90, 0, 30, 1, 0).camera;
    dr_camera top = dr_framing_begin(0, 90, 30, 1, 0).camera;
    ck_assert_float_eq_tol(front.forward.z, -1.0f, 1e-6f);
    ck_assert_float_eq_tol(front.up.y, 1.0f, 1e-6f);
    ck_assert_float_eq_tol(side.forward.x, -1.0f, 1e-6f);
    ck_assert_float_eq_tol(top.forward.y, -1.0f, 1e-6f);
    ck_assert_float_eq_tol(top.up.z, -1.0f, 1e-6f);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("camera");
    TCase* tests = tcase_create("camera");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, directions_and_places_agree);
    tcase_add_test(tests, target_is_in_the_middle_and_up_is_up);
    tcase_add_loop_test(tests, framing_is_tight, 0, 8);
    tcase_add_test(tests, views_are_where_they_say);
    return run_suite(suite);
}
