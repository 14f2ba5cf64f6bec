// Vectors, quaternions and poses: identities, and a slow second opinion where there is one.
#include <float.h>
#include <math.h>

#include "core/random.h"
#include "core/vec_math.h"
#include "core_test.h"

static drape_vec3 pick_vector(uint32_t seed, uint32_t i)
{
    return (drape_vec3){dr_random_signed(seed, 3 * i), dr_random_signed(seed, 3 * i + 1),
                        dr_random_signed(seed, 3 * i + 2)};
}

// The rotation about an axis, by its definition.
static drape_quat turn_about(drape_vec3 axis, double radians)
{
    drape_vec3 unit = dr_normalize(axis);
    double s = sin(0.5 * radians);
    return (drape_quat){(float)(unit.x * s), (float)(unit.y * s), (float)(unit.z * s),
                        (float)cos(0.5 * radians)};
}

static drape_quat pick_rotation(uint32_t seed, uint32_t i)
{
    return turn_about(pick_vector(seed, i), 3.1 * dr_random_signed(seed + 1000, i));
}

static void check_near(drape_vec3 a, drape_vec3 b, float tolerance)
{
    ck_assert_float_le(fabsf(a.x - b.x), tolerance);
    ck_assert_float_le(fabsf(a.y - b.y), tolerance);
    ck_assert_float_le(fabsf(a.z - b.z), tolerance);
}

static double quat_dot(drape_quat a, drape_quat b)
{
    return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w;
}

// The angle between two rotations. From the sine, since a cosine near 1 says nothing.
static double angle_between(drape_quat a, drape_quat b)
{
    drape_quat d = dr_quat_multiply(b, dr_quat_conjugate(a));
    double sine = sqrt((double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z);
    return 2.0 * atan2(sine, fabs((double)d.w));
}

START_TEST(cross_product_stands_on_both)
{
    for (uint32_t i = 0; i < 1000; ++i) {
        drape_vec3 a = pick_vector(1, i), b = pick_vector(2, i), c = dr_cross(a, b);
        ck_assert_float_eq_tol(dr_dot(a, c), 0.0f, 1e-6f);
        ck_assert_float_eq_tol(dr_dot(b, c), 0.0f, 1e-6f);
        // Lagrange: |a x b|^2 + (a.b)^2 = |a|^2 |b|^2
        float squares = dr_dot(c, c) + dr_dot(a, b) * dr_dot(a, b);
        ck_assert_float_eq_tol(squares, dr_dot(a, a) * dr_dot(b, b), 1e-5f);
    }
    drape_vec3 z = dr_cross((drape_vec3){1, 0, 0}, (drape_vec3){0, 1, 0});
    check_near(z, (drape_vec3){0, 0, 1}, 0.0f);
}
END_TEST

START_TEST(sums_undo_differences)
{
    drape_vec3 a = {1.5f, -2.0f, 8.0f}, b = {0.25f, 4.0f, -1.0f};
    check_near(dr_sub(dr_add(a, b), b), a, 0.0f);
    check_near(dr_add(a, dr_scale(a, -1.0f)), (drape_vec3){0, 0, 0}, 0.0f);
}
END_TEST

START_TEST(lengths_neither_vanish_nor_overflow)
{
    static const float sizes[] = {1e-44f, 1e-30f, 1e-6f, 1.0f, 1e18f, 1e38f};
    for (int i = 0; i < 6; ++i) {
        drape_vec3 v = {2.0f * sizes[i], -1.0f * sizes[i], 2.0f * sizes[i]};
        ck_assert_float_eq_tol(dr_length(v) / sizes[i], 3.0f, 0.2f * (sizes[i] < 1e-40f) + 1e-6f);
        ck_assert_float_eq_tol(dr_length(dr_normalize(v)), 1.0f, 1e-6f);
    }
    check_near(dr_normalize((drape_vec3){0, 0, 0}), (drape_vec3){0, 0, 0}, 0.0f);
}
END_TEST

START_TEST(what_rests_does_not_drift_in_between)
{
    for (uint32_t i = 0; i < 1000; ++i) {
        drape_vec3 a = pick_vector(3, i), b = pick_vector(4, i);
        check_near(dr_lerp(a, b, 0.0f), a, 0.0f);
        check_near(dr_lerp(a, b, 1.0f), b, 2e-7f);
        check_near(dr_lerp(a, a, dr_random_unit(5, i)), a, 0.0f);
        check_near(dr_lerp(a, b, 0.5f), dr_scale(dr_add(a, b), 0.5f), 2e-7f);
    }
}
END_TEST

START_TEST(rotation_turns_right_handed)
{
    drape_quat quarter = turn_about((drape_vec3){0, 0, 1}, 3.14159265358979 / 2);
    check_near(dr_quat_rotate(quarter, (drape_vec3){1, 0, 0}), (drape_vec3){0, 1, 0}, 2e-7f);
    check_near(dr_quat_rotate(quarter, (drape_vec3){0, 1, 0}), (drape_vec3){-1, 0, 0}, 2e-7f);
    check_near(dr_quat_rotate(quarter, (drape_vec3){0, 0, 1}), (drape_vec3){0, 0, 1}, 2e-7f);
}
END_TEST

// Rodrigues' formula, in double.
static drape_vec3 rodrigues(drape_vec3 axis, double radians, drape_vec3 v)
{
    drape_vec3 k = dr_normalize(axis), across = dr_cross(k, v);
    double c = cos(radians), s = sin(radians), along = dr_dot(k, v) * (1.0 - c);
    return (drape_vec3){(float)(v.x * c + across.x * s + k.x * along),
                        (float)(v.y * c + across.y * s + k.y * along),
                        (float)(v.z * c + across.z * s + k.z * along)};
}

START_TEST(rotation_matches_rodrigues)
{
    for (uint32_t i = 0; i < 1000; ++i) {
        drape_vec3 axis = pick_vector(6, i), v = pick_vector(7, i);
        double angle = 3.1 * dr_random_signed(8, i);
        check_near(dr_quat_rotate(turn_about(axis, angle), v), rodrigues(axis, angle, v), 2e-6f);
    }
}
END_TEST

START_TEST(products_of_rotations_are_one_after_the_other)
{
    for (uint32_t i = 0; i < 1000; ++i) {
        drape_quat first = pick_rotation(9, i), second = pick_rotation(10, i);
        drape_vec3 v = pick_vector(11, i);
        check_near(dr_quat_rotate(dr_quat_multiply(second, first), v),
                   dr_quat_rotate(second, dr_quat_rotate(first, v)), 2e-6f);
    }
}
END_TEST

START_TEST(inverse_undoes)
{
    for (uint32_t i = 0; i < 1000; ++i) {
        drape_transform pose = {pick_vector(12, i), pick_rotation(13, i)};
        drape_vec3 v = pick_vector(14, i);
        check_near(dr_quat_inverse_rotate(pose.rotate, dr_quat_rotate(pose.rotate, v)), v, 2e-6f);
        check_near(dr_transform_inverse_apply(pose, dr_transform_apply(pose, v)), v, 3e-6f);
        check_near(dr_transform_apply(pose, (drape_vec3){0, 0, 0}), pose.translate, 0.0f);
    }
}
END_TEST

START_TEST(no_rotation_leaves_every_bit)
{
    drape_transform none = {{0, 0, 0}, {0, 0, 0, 1}};
    for (uint32_t i = 0; i < 1000; ++i) {
        drape_vec3 v = pick_vector(15, i);
        check_near(dr_quat_rotate(none.rotate, v), v, 0.0f);
        check_near(dr_transform_apply(none, v), v, 0.0f);
        check_near(dr_transform_inverse_apply(none, v), v, 0.0f);
    }
}
END_TEST

START_TEST(slerp_turns_steadily)
{
    for (uint32_t i = 0; i < 200; ++i) {
        drape_quat a = pick_rotation(16, i), b = pick_rotation(17, i);
        double whole = angle_between(a, b);
        for (int step = 0; step <= 16; ++step) {
            drape_quat q = dr_quat_slerp(a, b, step / 16.0);
            ck_assert_double_eq_tol(quat_dot(q, q), 1.0, 4e-7);
            // Nlerp would be off by several hundredths here.
            ck_assert_double_eq_tol(angle_between(a, q), whole * step / 16.0, 2e-6);
            ck_assert_double_eq_tol(angle_between(q, b), whole * (16 - step) / 16.0, 2e-6);
        }
    }
}
END_TEST

START_TEST(slerp_goes_the_short_way)
{
    for (uint32_t i = 0; i < 500; ++i) {
        drape_quat a = pick_rotation(18, i), b = pick_rotation(19, i);
        drape_quat other = {-b.x, -b.y, -b.z, -b.w};
        drape_quat middle = dr_quat_slerp(a, b, 0.5);
        ck_assert_double_le(angle_between(a, middle), 3.14159266 / 2);
        // The other name of the same rotation goes the same way.
        ck_assert_double_lt(angle_between(middle, dr_quat_slerp(a, other, 0.5)), 1e-6);
    }
}
END_TEST

START_TEST(slerp_keeps_its_ends_and_small_turns)
{
    drape_vec3 axis = {1, 2, 3};
    drape_quat a = turn_about(axis, 0.5);
    static const double turns[] = {0.0, 1e-7, 1e-6, 2e-6, 1e-4, 1e-2};
    for (int i = 0; i < 6; ++i) {
        drape_quat b = turn_about(axis, 0.5 + turns[i]);
        drape_quat middle = dr_quat_slerp(a, b, 0.5);
        ck_assert_double_eq_tol(quat_dot(middle, middle), 1.0, 3e-7);
        ck_assert_double_eq_tol(angle_between(a, middle), 0.5 * turns[i], 3e-7);
        drape_quat begin = dr_quat_slerp(a, b, 0.0), end = dr_quat_slerp(a, b, 1.0);
        ck_assert_mem_eq(&begin, &a, sizeof(a));
        ck_assert_mem_eq(&end, &b, sizeof(b));
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("vec_math");
    TCase* cases = tcase_create("vec_math");
    tcase_add_test(cases, cross_product_stands_on_both);
    tcase_add_test(cases, sums_undo_differences);
    tcase_add_test(cases, lengths_neither_vanish_nor_overflow);
    tcase_add_test(cases, what_rests_does_not_drift_in_between);
    tcase_add_test(cases, rotation_turns_right_handed);
    tcase_add_test(cases, rotation_matches_rodrigues);
    tcase_add_test(cases, products_of_rotations_are_one_after_the_other);
    tcase_add_test(cases, inverse_undoes);
    tcase_add_test(cases, no_rotation_leaves_every_bit);
    tcase_add_test(cases, slerp_turns_steadily);
    tcase_add_test(cases, slerp_goes_the_short_way);
    tcase_add_test(cases, slerp_keeps_its_ends_and_small_turns);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
