// The public rotations.
#include <drape/drape.h>
#include <math.h>

#include "core/random.h"
#include "core_test.h"

static void check_near(drape_vec3 a, drape_vec3 b, float tolerance)
{
    ck_assert_float_le(fabsf(a.x - b.x), tolerance);
    ck_assert_float_le(fabsf(a.y - b.y), tolerance);
    ck_assert_float_le(fabsf(a.z - b.z), tolerance);
}

START_TEST(quarter_turns_are_rounded_right)
{
    float h = (float)sqrt(0.5);
    drape_quat x = drape_quat_from_degrees((drape_vec3){90, 0, 0});
    ck_assert_float_eq(x.x, h);
    ck_assert_float_eq(x.w, h);
    ck_assert_float_eq(x.y, 0.0f);
    ck_assert_float_eq(x.z, 0.0f);
    drape_quat z = drape_quat_from_degrees((drape_vec3){0, 0, -180});
    ck_assert_float_eq(z.z, -1.0f);
    ck_assert_float_eq(z.x, 0.0f);
    ck_assert_float_eq(z.w, 0.0f);
}
END_TEST

// The quaternions of right angles have only these numbers in them.
static bool is_square_number(float value)
{
    float a = fabsf(value);
    return a == 0.0f || a == 0.5f || a == 1.0f || a == (float)sqrt(0.5);
}

START_TEST(all_right_angles_are_exact)
{
    for (int i = 0; i < 9 * 9 * 9; ++i) {
        drape_vec3 degrees = {90.0f * (float)(i % 9 - 4), 90.0f * (float)(i / 9 % 9 - 4),
                              90.0f * (float)(i / 81 - 4)};
        drape_quat q = drape_quat_from_degrees(degrees);
        ck_assert(is_square_number(q.x) && is_square_number(q.y));
        ck_assert(is_square_number(q.z) && is_square_number(q.w));
        ck_assert_float_eq_tol(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0f, 2e-7f);
    }
}
END_TEST

START_TEST(turns_go_about_x_then_y_then_z)
{
    drape_vec3 v = {0.0f, 0.0f, 1.0f};
    // About x: z goes to -y; about y: stays; about z: -y goes to x.
    drape_quat q = drape_quat_from_degrees((drape_vec3){90, 90, 90});
    check_near(drape_quat_rotate(q, v), (drape_vec3){1, 0, 0}, 3e-7f);
    for (uint32_t i = 0; i < 1000; ++i) {
        drape_vec3 d = {720.0f * dr_random_signed(1, i), 720.0f * dr_random_signed(2, i),
                        720.0f * dr_random_signed(3, i)};
        drape_quat x = drape_quat_from_degrees((drape_vec3){d.x, 0, 0});
        drape_quat y = drape_quat_from_degrees((drape_vec3){0, d.y, 0});
        drape_quat z = drape_quat_from_degrees((drape_vec3){0, 0, d.z});
        drape_quat one_by_one = drape_quat_multiply(z, drape_quat_multiply(y, x));
        drape_vec3 p = {dr_random_signed(4, i), dr_random_signed(5, i), dr_random_signed(6, i)};
        check_near(drape_quat_rotate(drape_quat_from_degrees(d), p),
                   drape_quat_rotate(one_by_one, p), 3e-6f);
        check_near(drape_quat_rotate(one_by_one, p),
                   drape_quat_rotate(z, drape_quat_rotate(y, drape_quat_rotate(x, p))), 3e-6f);
    }
}
END_TEST

START_TEST(degrees_mean_degrees)
{
    for (int degrees = -360; degrees <= 360; degrees += 7) {
        drape_quat q = drape_quat_from_degrees((drape_vec3){0, (float)degrees, 0});
        double radians = degrees * 3.14159265358979323846 / 180.0;
        // About y, z turns towards x.
        check_near(drape_quat_rotate(q, (drape_vec3){0, 0, 1}),
                   (drape_vec3){(float)sin(radians), 0, (float)cos(radians)}, 3e-7f);
    }
}
END_TEST

START_TEST(whole_turns_are_whole)
{
    drape_vec3 v = {0.3f, -0.7f, 1.1f};
    for (int turns = -5; turns <= 5; ++turns) {
        drape_quat q = drape_quat_from_degrees((drape_vec3){360.0f * (float)turns, 0, 0});
        check_near(drape_quat_rotate(q, v), v, 0.0f);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("rotation");
    TCase* cases = tcase_create("rotation");
    tcase_add_test(cases, quarter_turns_are_rounded_right);
    tcase_add_test(cases, all_right_angles_are_exact);
    tcase_add_test(cases, turns_go_about_x_then_y_then_z);
    tcase_add_test(cases, degrees_mean_degrees);
    tcase_add_test(cases, whole_turns_are_whole);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
