// The named fabrics: their units and their rank.
#include <check.h>
#include <drape/drape.h>
#include <math.h>
#include <string.h>

#include "../support.h"

// Bending lengths in whole millimetres, as tables of fabrics print them.
static const struct {
    const char* name;
    int warp, weft;
} bending_lengths[] = {
    {"silk", 16, 14},   {"satin", 17, 14},  {"chiffon", 13, 12}, {"cotton", 21, 18},
    {"poplin", 22, 17}, {"linen", 25, 22},  {"wool", 16, 15},    {"flannel", 19, 16},
    {"denim", 25, 21},  {"canvas", 33, 30}, {"jersey", 15, 13},  {"rib", 16, 14},
    {"fleece", 21, 19}, {"velvet", 18, 15}, {"leather", 19, 17}, {"nylon", 17, 16},
    {"felt", 34, 32},   {"tulle", 20, 15},
};

enum { name_count = sizeof(bending_lengths) / sizeof(bending_lengths[0]) };

// c = (B / W g)^(1/3), in mm.
static double bending_length(double rigidity, double density)
{
    return 1000.0 * cbrt(rigidity / (density * 9.81));
}

START_TEST(names_come_in_order)
{
    ck_assert_int_eq(drape_fabric_count(), name_count);
    for (int i = 0; i < name_count; ++i) {
        ck_assert_str_eq(drape_fabric_name(i), bending_lengths[i].name);
    }
    ck_assert_ptr_null(drape_fabric_name(-1));
    ck_assert_ptr_null(drape_fabric_name(name_count));
}
END_TEST

START_TEST(bending_lengths_are_those_of_the_table)
{
    for (int i = 0; i < name_count; ++i) {
        drape_fabric fabric;
        ck_assert(drape_fabric_by_name(bending_lengths[i].name, &fabric));
        double warp = bending_length(fabric.bend_warp, fabric.density);
        double weft = bending_length(fabric.bend_weft, fabric.density);
        ck_assert_msg(lround(warp) == bending_lengths[i].warp, "%s: warp %.2f mm",
                      bending_lengths[i].name, warp);
        ck_assert_msg(lround(weft) == bending_lengths[i].weft, "%s: weft %.2f mm",
                      bending_lengths[i].name, weft);
    }
}
END_TEST

START_TEST(numbers_are_in_si_units)
{
    for (int i = 0; i < name_count; ++i) {
        drape_fabric fabric;
        ck_assert(drape_fabric_by_name(drape_fabric_name(i), &fabric));
        ck_assert(fabric.density > 0.02f && fabric.density < 0.6f);
        ck_assert(fabric.thickness >= 0.0001f && fabric.thickness <= 0.0025f);
        // Fibre and air: between a twentieth of water and leather with a finish.
        float bulk = fabric.density / fabric.thickness;
        ck_assert(bulk > 50.0f && bulk < 800.0f);
        ck_assert(fabric.stretch_warp >= fabric.stretch_weft && fabric.stretch_weft > 10.0f);
        ck_assert(fabric.bend_warp >= fabric.bend_weft && fabric.bend_weft > 1e-7f);
        ck_assert(fabric.shear > 1.0f && fabric.shear < fabric.stretch_warp);
        ck_assert(fabric.friction_static > fabric.friction_dynamic);
        ck_assert(fabric.friction_dynamic > 0.1f && fabric.friction_static < 1.0f);
        ck_assert(fabric.strain_limit > 0.01f && fabric.strain_limit <= 0.8f);
        ck_assert_float_eq(fabric.bend_damping, 0.002f);
    }
}
END_TEST

START_TEST(cotton_is_cotton)
{
    drape_fabric named;
    drape_fabric cotton = drape_fabric_cotton();
    ck_assert(drape_fabric_by_name("cotton", &named));
    ck_assert_mem_eq(&named, &cotton, sizeof(cotton));
    ck_assert_float_eq(cotton.density, 0.13f);
    ck_assert_float_eq(cotton.thickness, 0.0003f);
    ck_assert_float_eq(cotton.bend_warp, 12e-6f);
    ck_assert_float_eq(cotton.strain_limit, 0.05f);
}
END_TEST

START_TEST(unknown_names_are_refused)
{
    drape_fabric fabric, before;
    memset(&fabric, 0x5a, sizeof(fabric));
    before = fabric;
    ck_assert(!drape_fabric_by_name("chainmail", &fabric));
    ck_assert(!drape_fabric_by_name("Cotton", &fabric));
    ck_assert(!drape_fabric_by_name("rib knit", &fabric));
    ck_assert(!drape_fabric_by_name("", &fabric));
    ck_assert(!drape_fabric_by_name(NULL, &fabric));
    ck_assert(!drape_fabric_by_name("cotton", NULL));
    ck_assert_mem_eq(&fabric, &before, sizeof(fabric));
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("fabric");
    TCase* cases = tcase_create("fabric");
    tcase_add_test(cases, names_come_in_order);
    tcase_add_test(cases, bending_lengths_are_those_of_the_table);
    tcase_add_test(cases, numbers_are_in_si_units);
    tcase_add_test(cases, cotton_is_cotton);
    tcase_add_test(cases, unknown_names_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
