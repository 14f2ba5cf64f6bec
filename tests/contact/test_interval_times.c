// When moving boxes begin to overlap: against many moments in time, and the rules for ties.
#include "contact/interval_times.h"

#include <math.h>

#include "core/random.h"
#include "../support.h"

static dr_moving_box box_at(const float lo0[3], const float hi0[3], const float lo1[3],
                            const float hi1[3])
{
    dr_moving_box box;
    for (int d = 0; d < 3; ++d) {
        box.lo[0][d] = lo0[d];
        box.hi[0][d] = hi0[d];
        box.lo[1][d] = lo1[d];
        box.hi[1][d] = hi1[d];
    }
    return box;
}

static uint32_t counter;

static dr_moving_box random_box(float size, float way)
{
    dr_moving_box box;
    for (int d = 0; d < 3; ++d) {
        float at = dr_random_signed(5, counter++);
        for (int i = 0; i < 2; ++i) {
            box.lo[i][d] = at;
            box.hi[i][d] = at + size * dr_random_unit(5, counter++);
            at += way * dr_random_signed(5, counter++);
        }
    }
    return box;
}

static double face(const float at[2], double t)
{
    return at[0] + t * ((double)at[1] - at[0]);
}

static bool overlap(const dr_moving_box* a, const dr_moving_box* b, double t)
{
    for (int d = 0; d < 3; ++d) {
        const float lo_a[2] = {a->lo[0][d], a->lo[1][d]}, hi_a[2] = {a->hi[0][d], a->hi[1][d]};
        const float lo_b[2] = {b->lo[0][d], b->lo[1][d]}, hi_b[2] = {b->hi[0][d], b->hi[1][d]};
        if (face(lo_b, t) >= face(hi_a, t) || face(lo_a, t) >= face(hi_b, t)) {
            return false;
        }
    }
    return true;
}

// Nothing overlaps before the time, something does right after it, and the plane is where it should
// be.
static void check_meeting(const dr_moving_box* a, const dr_moving_box* b, const dr_box_meeting* m)
{
    const dr_moving_box *lower = m->b_is_lower ? b : a, *upper = m->b_is_lower ? a : b;
    int d = m->axis;
    for (int i = 0; i <= 100; ++i) {
        ck_assert(!overlap(a, b, m->time * (i / 100.0) * (1.0 - 1e-9)));
    }
    const float top[2] = {lower->hi[0][d], lower->hi[1][d]};
    const float bottom[2] = {upper->lo[0][d], upper->lo[1][d]};
    ck_assert(m->floor == top[0] && m->ceiling == bottom[0] && m->floor <= m->ceiling);
    ck_assert_double_eq_tol(m->plane, face(top, m->time), 1e-12);
    ck_assert_double_eq_tol(m->plane, face(bottom, m->time), 1e-6);
}

START_TEST(agrees_with_many_moments)
{
    int seen[3] = {0};
    for (int i = 0; i < 20000; ++i) {
        dr_moving_box a = random_box(1.0f, 1.5f), b = random_box(1.0f, 1.5f);
        dr_box_meeting m = dr_interval_times(&a, &b);
        ++seen[m.meeting];
        ck_assert_int_eq(m.meeting == DR_BOXES_OVERLAP_FIRST, overlap(&a, &b, 0.0));
        bool any = false;
        for (int k = 0; k <= 300; ++k) {
            any = any || overlap(&a, &b, k / 300.0);
        }
        if (m.meeting == DR_BOXES_STAY_APART) {
            ck_assert(!any);
        } else if (m.meeting == DR_BOXES_MEET) {
            check_meeting(&a, &b, &m);
            ck_assert(overlap(&a, &b, m.time + 1e-9) || m.time > 1.0 - 1e-9 || !any);
        }
        dr_box_meeting turned = dr_interval_times(&b, &a);
        ck_assert(turned.meeting == m.meeting);
        if (m.meeting == DR_BOXES_MEET) {
            ck_assert(turned.axis == m.axis && turned.b_is_lower != m.b_is_lower &&
                      turned.time == m.time && turned.plane == m.plane);
        }
        ck_assert_int_eq(dr_boxes_overlap_at_end(&a, &b, false), overlap(&a, &b, 1.0));
    }
    ck_assert(seen[0] > 1000 && seen[1] > 1000 && seen[2] > 100);
}
END_TEST

START_TEST(touching_is_apart)
{
    // Faces that touch all the time, and boxes that come to touch at the end.
    dr_moving_box a =
        box_at((float[]){0, 0, 0}, (float[]){1, 1, 1}, (float[]){0, 0, 0}, (float[]){1, 1, 1});
    dr_moving_box beside =
        box_at((float[]){1, 0, 0}, (float[]){2, 1, 1}, (float[]){1, 0, 0}, (float[]){2, 1, 1});
    dr_moving_box comes =
        box_at((float[]){2, 0, 0}, (float[]){3, 1, 1}, (float[]){1, 0, 0}, (float[]){2, 1, 1});
    ck_assert_int_eq(dr_interval_times(&a, &beside).meeting, DR_BOXES_STAY_APART);
    ck_assert_int_eq(dr_interval_times(&a, &comes).meeting, DR_BOXES_STAY_APART);
    ck_assert(!dr_boxes_overlap_at_end(&a, &comes, false));
    ck_assert(dr_boxes_overlap_at_end(&a, &comes, true));
    // The least overlap at the end counts, however late it begins.
    comes.lo[1][0] = nextafterf(1.0f, 0.0f);
    dr_box_meeting m = dr_interval_times(&a, &comes);
    ck_assert_int_eq(m.meeting, DR_BOXES_MEET);
    ck_assert(m.axis == 0 && !m.b_is_lower && m.plane == 1.0);
    a.hi[1][0] = a.hi[0][0] = 0.0f;
    comes.lo[1][0] = -1e-38f;
    ck_assert_int_eq(dr_interval_times(&a, &comes).meeting, DR_BOXES_MEET);
}
END_TEST

START_TEST(ties_go_to_the_larger_gap_and_to_the_lower_end)
{
    // Along x and z they begin together at half of the way; the gap along z is larger.
    dr_moving_box a =
        box_at((float[]){0, 0, 0}, (float[]){1, 1, 1}, (float[]){0, 0, 0}, (float[]){1, 1, 1});
    dr_moving_box b =
        box_at((float[]){2, 0, 3}, (float[]){3, 1, 4}, (float[]){0, 0, -1}, (float[]){1, 1, 0.5f});
    dr_box_meeting m = dr_interval_times(&a, &b);
    ck_assert(m.meeting == DR_BOXES_MEET && m.axis == 2 && m.time == 0.5);
    // Two flat boxes at the same height, which part along y: below is the one that ends below.
    a = box_at((float[]){0, 1, 0}, (float[]){1, 1, 1}, (float[]){0, 1, 0}, (float[]){1, 2, 1});
    b = box_at((float[]){0, 1, 0}, (float[]){1, 1, 1}, (float[]){0, 0, 0}, (float[]){1, 1.5f, 1});
    m = dr_interval_times(&a, &b);
    ck_assert(m.meeting == DR_BOXES_MEET && m.axis == 1 && m.b_is_lower);
    m = dr_interval_times(&b, &a);
    ck_assert(m.meeting == DR_BOXES_MEET && m.axis == 1 && !m.b_is_lower);
    // Flat boxes that change places meet in a moment.
    a = box_at((float[]){0, 0.25f, 0}, (float[]){1, 0.25f, 1}, (float[]){0, 0.7f, 0},
               (float[]){1, 0.7f, 1});
    dr_moving_box c = box_at((float[]){0, 0.5f, 0}, (float[]){1, 0.5f, 1}, (float[]){0, 0.5f, 0},
                             (float[]){1, 0.5f, 1});
    m = dr_interval_times(&a, &c);
    ck_assert(m.meeting == DR_BOXES_MEET && m.axis == 1 && !m.b_is_lower);
    ck_assert_double_eq_tol(m.plane, 0.5, 1e-7);
    // The first when there is nothing to choose.
    m = dr_interval_times(&b, &b);
    ck_assert(m.meeting == DR_BOXES_MEET && !m.b_is_lower);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("interval_times");
    TCase* tests = tcase_create("all");
    tcase_add_test(tests, agrees_with_many_moments);
    tcase_add_test(tests, touching_is_apart);
    tcase_add_test(tests, ties_go_to_the_larger_gap_and_to_the_lower_end);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
