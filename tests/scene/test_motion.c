// Keys, frames and wind: where things are at a time.
#include <check.h>
#include <drape/drape.h>
#include <math.h>
#include <string.h>

#include "../support.h"
#include "scene/motion.h"

static drape_key key_at(float time, drape_vec3 translate, float degrees_y, drape_ease ease)
{
    drape_quat turn = drape_quat_from_degrees((drape_vec3){0, degrees_y, 0});
    return (drape_key){time, {translate, turn}, ease};
}

// From rest to (2, 4, -6) and a quarter turn in 2 s, then back in 1 s.
static void make_keys(drape_key keys[3], drape_ease ease)
{
    keys[0] = key_at(1.0f, (drape_vec3){0, 0, 0}, 0.0f, ease);
    keys[1] = key_at(3.0f, (drape_vec3){2, 4, -6}, 90.0f, ease);
    keys[2] = key_at(4.0f, (drape_vec3){0, 0, 0}, 0.0f, ease);
}

static void check_same(drape_transform a, drape_transform b)
{
    ck_assert_mem_eq(&a, &b, sizeof(a));
}

// How far a pose about y has turned, in degrees.
static double degrees_of(drape_transform pose)
{
    ck_assert_float_eq_tol(pose.rotate.x, 0.0f, 1e-7f);
    ck_assert_float_eq_tol(pose.rotate.z, 0.0f, 1e-7f);
    return 2.0 * atan2(pose.rotate.y, pose.rotate.w) * 180.0 / 3.14159265358979323846;
}

START_TEST(poses_hold_before_and_after)
{
    drape_key keys[3];
    make_keys(keys, DRAPE_EASE_SMOOTH);
    check_same(dr_motion_at(keys, 3, -INFINITY), keys[0].pose);
    check_same(dr_motion_at(keys, 3, 0.0), keys[0].pose);
    check_same(dr_motion_at(keys, 3, 4.0), keys[2].pose);
    check_same(dr_motion_at(keys, 3, 1e30), keys[2].pose);
    check_same(dr_motion_at(keys, 1, 0.0), keys[0].pose);
    check_same(dr_motion_at(keys, 1, 2.0), keys[0].pose);
}
END_TEST

START_TEST(keys_are_met_exactly)
{
    for (int ease = DRAPE_EASE_SMOOTH; ease <= DRAPE_EASE_LINEAR; ++ease) {
        drape_key keys[3];
        make_keys(keys, (drape_ease)ease);
        for (int i = 0; i < 3; ++i) {
            check_same(dr_motion_at(keys, 3, keys[i].time), keys[i].pose);
        }
    }
}
END_TEST

START_TEST(linear_keys_move_steadily)
{
    drape_key keys[3];
    make_keys(keys, DRAPE_EASE_LINEAR);
    for (int step = 0; step <= 64; ++step) {
        double u = step / 64.0;
        drape_transform pose = dr_motion_at(keys, 3, 1.0 + 2.0 * u);
        ck_assert_double_eq_tol(pose.translate.x, 2.0 * u, 1e-6);
        ck_assert_double_eq_tol(pose.translate.y, 4.0 * u, 1e-6);
        ck_assert_double_eq_tol(pose.translate.z, -6.0 * u, 1e-6);
        ck_assert_double_eq_tol(degrees_of(pose), 90.0 * u, 2e-5);
    }
}
END_TEST

START_TEST(smooth_keys_start_and_end_at_rest)
{
    drape_key keys[3];
    make_keys(keys, DRAPE_EASE_SMOOTH);
    for (int step = 0; step <= 64; ++step) {
        double u = step / 64.0, t = u * u * (3.0 - 2.0 * u);
        drape_transform pose = dr_motion_at(keys, 3, 3.0 + u);
        ck_assert_double_eq_tol(pose.translate.y, 4.0 * (1.0 - t), 1e-6);
        ck_assert_double_eq_tol(degrees_of(pose), 90.0 * (1.0 - t), 2e-5);
    }
    // A millisecond next to a key moves by some 3 u^2 of the way only.
    drape_transform pose = dr_motion_at(keys, 3, 1.001);
    ck_assert_double_lt(fabs((double)pose.translate.z), 6.0 * 4e-6 * 0.25);
}
END_TEST

START_TEST(the_key_ahead_says_how_it_is_approached)
{
    drape_key keys[3];
    make_keys(keys, DRAPE_EASE_LINEAR);
    keys[2].ease = DRAPE_EASE_SMOOTH;
    ck_assert_double_eq_tol(dr_motion_at(keys, 3, 1.5).translate.x, 0.5, 1e-6);
    ck_assert_double_eq_tol(dr_motion_at(keys, 3, 3.25).translate.x, 2.0 * (1.0 - 0.15625), 1e-6);
}
END_TEST

START_TEST(many_keys_are_found)
{
    enum { key_count = 1000 };
    static drape_key keys[key_count];
    for (int i = 0; i < key_count; ++i) {
        float time = 0.125f * (float)i;
        keys[i] = key_at(time, (drape_vec3){time * time, 0, 0}, 0.0f, DRAPE_EASE_LINEAR);
    }
    for (int i = 0; i < 8 * (key_count - 1); ++i) {
        double time = i / 64.0, from = floor(8.0 * time) / 8.0;
        double expected = from * from + (time - from) * (2.0 * from + 0.125);
        float x = dr_motion_at(keys, key_count, time).translate.x;
        ck_assert_double_eq_tol(x, expected, 1e-6 * (1.0 + expected));
    }
}
END_TEST

START_TEST(good_keys_pass)
{
    char sentence[200] = "";
    drape_key keys[3];
    make_keys(keys, DRAPE_EASE_SMOOTH);
    ck_assert(dr_motion_check(keys, 3, sentence, sizeof(sentence)));
    keys[1].pose.rotate.w *= 1.0005f;
    ck_assert(dr_motion_check(keys, 3, sentence, sizeof(sentence)));
    ck_assert_str_eq(sentence, "");
}
END_TEST

static void check_refused(const drape_key* keys, int key_count, const char* words)
{
    char sentence[200] = "";
    ck_assert(!dr_motion_check(keys, key_count, sentence, sizeof(sentence)));
    ck_assert_msg(strstr(sentence, words) != NULL, "\"%s\" lacks \"%s\"", sentence, words);
}

START_TEST(bad_keys_are_refused_with_a_sentence)
{
    drape_key keys[3];
    make_keys(keys, DRAPE_EASE_SMOOTH);
    check_refused(keys, 0, "at least one key");
    check_refused(NULL, 3, "at least one key");
    keys[1].time = 1.0f;
    check_refused(keys, 3, "key 1: the time 1 s does not come after 1 s");
    keys[1].time = NAN;
    check_refused(keys, 3, "key 1: the time is not a finite number");
    make_keys(keys, DRAPE_EASE_SMOOTH);
    keys[2].pose.translate.y = INFINITY;
    check_refused(keys, 3, "key 2: the pose is not finite");
    make_keys(keys, DRAPE_EASE_SMOOTH);
    keys[0].pose.rotate = (drape_quat){0};
    check_refused(keys, 3, "key 0: the quaternion of its rotation has length 0, expected 1");
    make_keys(keys, (drape_ease)7);
    check_refused(keys, 3, "key 0: the ease is 7");
}
END_TEST

START_TEST(a_sentence_keeps_within_its_room)
{
    char sentence[12] = "untouched..";
    ck_assert(!dr_motion_check(NULL, 0, sentence, 8));
    ck_assert_str_eq(sentence, "a motio");
    ck_assert_str_eq(sentence + 8, "d..");
    ck_assert(!dr_motion_check(NULL, 0, NULL, 0));
}
END_TEST

START_TEST(frames_go_straight_and_hold_at_the_ends)
{
    const drape_vec3 frames[3][2] = {
        {{0, 0, 0}, {1, 1, 1}}, {{2, 0, 0}, {1, 1, 1}}, {{2, 4, 0}, {1, 1, -1}}};
    drape_vec3 places[2];
    // At 25 frames a second the last frame stands at 0.08 s.
    for (int i = -5; i <= 40; ++i) {
        double position = i / 16.0;
        dr_frames_at(&frames[0][0], 3, 2, 25.0f, position / 25.0, places);
        double first = fmin(fmax(position, 0.0), 1.0),
               second = fmin(fmax(position - 1.0, 0.0), 1.0);
        ck_assert_double_eq_tol(places[0].x, 2.0 * first, 1e-6);
        ck_assert_double_eq_tol(places[0].y, 4.0 * second, 1e-6);
        ck_assert_double_eq_tol(places[1].z, 1.0 - 2.0 * second, 1e-6);
        // What rests keeps every bit.
        ck_assert_float_eq(places[1].x, 1.0f);
    }
}
END_TEST

START_TEST(odd_times_give_some_frame)
{
    const drape_vec3 frames[2] = {{1, 2, 3}, {4, 5, 6}};
    drape_vec3 place;
    static const double times[] = {-INFINITY, NAN, INFINITY, 1e300};
    for (int i = 0; i < 4; ++i) {
        dr_frames_at(frames, 2, 1, 30.0f, times[i], &place);
        ck_assert_mem_eq(&place, &frames[i / 2], sizeof(place));
    }
    dr_frames_at(frames, 1, 1, 30.0f, 5.0, &place);
    ck_assert_mem_eq(&place, &frames[0], sizeof(place));
}
END_TEST

START_TEST(gusts_stay_within_one_and_average_out)
{
    double sum = 0.0, least = 1.0, most = -1.0;
    int count = 0;
    for (uint32_t seed = 0; seed < 20; ++seed) {
        for (double time = 0.0; time < 1000.0; time += 0.173) {
            double noise = dr_gust(seed, time);
            least = fmin(least, noise);
            most = fmax(most, noise);
            sum += noise;
            ++count;
        }
    }
    ck_assert(least >= -1.0 && most <= 1.0);
    // They do blow: both ways, and strongly at times.
    ck_assert(least < -0.7 && most > 0.7);
    ck_assert_double_eq_tol(sum / count, 0.0, 0.02);
}
END_TEST

START_TEST(gusts_have_no_jumps_and_no_kinks)
{
    const double h = 1e-4;
    double steepest = 0.0, sharpest = 0.0;
    double now = dr_gust(5, 0.0), slope = (dr_gust(5, h) - now) / h;
    for (int i = 1; i < 200000; ++i) {
        double next = dr_gust(5, i * h), slope_next = (dr_gust(5, (i + 1) * h) - next) / h;
        steepest = fmax(steepest, fabs(next - now) / h);
        sharpest = fmax(sharpest, fabs(slope_next - slope) / h);
        now = next;
        slope = slope_next;
    }
    // By weights and periods slopes are at most 2.2 per s and curvatures 9.2 per s^2.
    ck_assert_double_lt(steepest, 2.2);
    ck_assert_double_lt(sharpest, 9.2);
}
END_TEST

START_TEST(gusts_repeat_by_seed)
{
    int same = 0;
    for (int i = 0; i < 1000; ++i) {
        double time = 0.37 * i;
        ck_assert_double_eq(dr_gust(9, time), dr_gust(9, time));
        same += fabs(dr_gust(9, time) - dr_gust(10, time)) < 0.01;
    }
    ck_assert_int_lt(same, 100);
    // Before the start and at the end of time it is still a number.
    ck_assert(fabs(dr_gust(9, -123.4)) <= 1.0);
    ck_assert_double_eq(dr_gust(9, 1e300), 0.0);
    ck_assert_double_eq(dr_gust(9, NAN), 0.0);
}
END_TEST

START_TEST(steady_wind_is_steady)
{
    drape_wind wind = {.velocity = {3, 1, -2}, .gust = 0.0f, .seed = 4};
    for (int i = 0; i < 100; ++i) {
        drape_vec3 air = dr_wind_at(&wind, 0.31 * i);
        ck_assert_mem_eq(&air, &wind.velocity, sizeof(air));
    }
    // And still air stays still in any gust.
    wind = (drape_wind){.gust = 2.0f, .seed = 4};
    drape_vec3 air = dr_wind_at(&wind, 7.7);
    ck_assert(air.x == 0.0f && air.y == 0.0f && air.z == 0.0f);
}
END_TEST

START_TEST(gusty_wind_blows_along_and_a_little_across)
{
    static const drape_vec3 velocities[] = {{4, 0, 0}, {0, 0, -4}, {0, 4, 0}, {0, -4, 0}};
    for (int k = 0; k < 4; ++k) {
        drape_vec3 v = velocities[k];
        drape_wind wind = {.velocity = v, .gust = 0.5f, .seed = 8};
        double most_along = 0.0, most_across = 0.0;
        for (int i = 0; i < 5000; ++i) {
            double time = 0.11 * i;
            drape_vec3 air = dr_wind_at(&wind, time);
            double along = (air.x * v.x + air.y * v.y + air.z * v.z) / 16.0;
            double x = air.x - along * v.x, y = air.y - along * v.y, z = air.z - along * v.z;
            ck_assert_double_eq_tol(along, 1.0 + 0.5 * dr_gust(8, time), 1e-6);
            most_along = fmax(most_along, fabs(along - 1.0));
            most_across = fmax(most_across, sqrt(x * x + y * y + z * z) / 4.0);
            // Sideways is level, unless the wind itself blows up or down.
            ck_assert_double_eq_tol(y, 0.0, 1e-6);
        }
        ck_assert(most_along > 0.25 && most_along <= 0.5 + 1e-6);
        ck_assert(most_across > 0.05 && most_across <= 0.125 + 1e-6);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("motion");
    TCase* cases = tcase_create("motion");
    tcase_add_test(cases, poses_hold_before_and_after);
    tcase_add_test(cases, keys_are_met_exactly);
    tcase_add_test(cases, linear_keys_move_steadily);
    tcase_add_test(cases, smooth_keys_start_and_end_at_rest);
    tcase_add_test(cases, the_key_ahead_says_how_it_is_approached);
    tcase_add_test(cases, many_keys_are_found);
    tcase_add_test(cases, good_keys_pass);
    tcase_add_test(cases, bad_keys_are_refused_with_a_sentence);
    tcase_add_test(cases, a_sentence_keeps_within_its_room);
    tcase_add_test(cases, frames_go_straight_and_hold_at_the_ends);
    tcase_add_test(cases, odd_times_give_some_frame);
    tcase_add_test(cases, gusts_stay_within_one_and_average_out);
    tcase_add_test(cases, gusts_have_no_jumps_and_no_kinks);
    tcase_add_test(cases, gusts_repeat_by_seed);
    tcase_add_test(cases, steady_wind_is_steady);
    tcase_add_test(cases, gusty_wind_blows_along_and_a_little_across);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
