// Points inside of solids, by winding numbers.
#include "check/inside.h"

#include "../support.h"

static const drape_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

START_TEST(tetrahedra_have_an_inside)
{
    dr_check_mesh solid = {corners, faces, 4, 4, true};
    int inside = 0;
    for (int i = 0; i < 1000; ++i) {
        drape_vec3 p = {0.013f + 0.13f * (float)(i % 10), 0.017f + 0.13f * (float)(i / 10 % 10),
                        0.011f + 0.13f * (float)(i / 100)};
        bool is_inside = p.x + p.y + p.z < 1.0f;
        ck_assert_int_eq(dr_inside_count(&p, 1, &solid), is_inside);
        inside += is_inside;
        p.x = -p.x;
        ck_assert_int_eq(dr_inside_count(&p, 1, &solid), 0);
    }
    ck_assert_int_gt(inside, 50);
}
END_TEST

START_TEST(two_triangles_are_a_plane)
{
    static const drape_vec3 square[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    static const int32_t up[6] = {0, 2, 1, 0, 3, 2};
    static const drape_vec3 points[3] = {{0, 0.1f, 0}, {0, -0.1f, 0}, {5, -0.1f, 3}};
    dr_check_mesh plane = {square, up, 4, 2, true};
    ck_assert_int_eq(dr_inside_count(points, 1, &plane), 0);
    ck_assert_int_eq(dr_inside_count(points, 3, &plane), 2);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("inside");
    TCase* cases = tcase_create("inside");
    tcase_add_test(cases, tetrahedra_have_an_inside);
    tcase_add_test(cases, two_triangles_are_a_plane);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
