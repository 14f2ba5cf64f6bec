// The laboratory: stiffness is the fabric's, not the mesh's.
#include "lab.h"

static const char* const fabric_names[3] = {"cotton", "silk", "denim"};

static drape_fabric fabric_of(int index)
{
    drape_fabric fabric;
    ck_assert(drape_fabric_by_name(fabric_names[index], &fabric));
    return fabric;
}

// --- The tool itself ---

// Tip of the heavy elastica as textbooks of textile testing print it.
START_TEST(elastica_is_the_known_one)
{
    const double known[7][2] = {{1, 7.10},   {2, 13.86},  {4, 25.53}, {8, 41.49},
                                {16, 57.39}, {32, 69.50}, {64, 77.19}};
    for (int i = 0; i < 7; ++i) {
        ck_assert_double_eq_tol(elastica_angle(known[i][0]), known[i][1], 0.01);
    }
    ck_assert_double_eq_tol(elastica_load(41.5), 8.004, 0.01);
}
END_TEST

// --- Hanging ---

// A strip of 1 m x 0.1 m that hangs from its top row.
static double hanging_length(strip_kind kind, bool is_weft, const drape_fabric* fabric, int cells)
{
    strip s = {.kind = kind, .is_weft = is_weft, .length = 1.0f, .width = 0.1f, .cells = cells,
               .held_columns = 1};
    strip_run run = strip_start(&s, fabric, (float)LAB_GRAVITY, 0.0f, 20, 5.0f);
    strip_settle(&run);
    double length = (double)strip_place(&run, run.columns - 1).x;
    drape_world_destroy(run.world);
    return length;
}

START_TEST(strips_hang_to_the_same_length)
{
    drape_fabric cotton = drape_fabric_cotton();
    strip_kind kind = _i % 2 ? STRIP_MESH : STRIP_GRID;
    double length[3];
    for (int i = 0; i < 3; ++i) {
        length[i] = hanging_length(kind, _i / 2, &cotton, 20 << i);
    }
    for (int i = 0; i < 3; ++i) {
        ck_assert_double_eq_tol(length[i], length[0], 0.02);
        ck_assert_double_eq_tol(length[i], 1.0, 0.02);
    }
}
END_TEST

// W g L^2 / 2K, where it is large enough to see: a knit.
START_TEST(strips_stretch_by_their_weight)
{
    drape_fabric jersey;
    drape_fabric_by_name("jersey", &jersey);
    bool is_weft = _i / 3;
    double k = (double)(is_weft ? jersey.stretch_weft : jersey.stretch_warp);
    double wanted = (double)jersey.density * LAB_GRAVITY / (2.0 * k);
    double found = hanging_length(STRIP_GRID, is_weft, &jersey, 20 << _i % 3) - 1.0;
    ck_assert_double_eq_tol(found, wanted, 0.03 * wanted);
}
END_TEST

// --- Drooping ---

// Chord angle in degrees of a strip of 25 mm that stands out by `overhang` from a ledge.
static double chord_angle(strip_kind kind, bool is_weft, const drape_fabric* fabric,
                          double overhang, int cells, int substeps)
{
    strip s = {.kind = kind, .is_weft = is_weft, .length = (float)overhang, .width = 0.025f,
               .cells = cells, .held_columns = 2};
    strip_run run = strip_start(&s, fabric, 0.0f, (float)LAB_GRAVITY, substeps, 20.0f);
    ck_assert(strip_settle(&run));
    drape_vec3 ledge = strip_place(&run, 1), tip = strip_place(&run, run.columns - 1);
    drape_world_destroy(run.world);
    return atan2((double)(ledge.y - tip.y), (double)(tip.x - ledge.x)) * 57.29577951308232;
}

// The overhang that ends at 41.5 degrees, by the fabric's own figures.
static double standard_overhang(const drape_fabric* fabric, bool is_weft)
{
    double rigidity = (double)(is_weft ? fabric->bend_weft : fabric->bend_warp);
    return cbrt(8.0 * rigidity / ((double)fabric->density * LAB_GRAVITY));
}

START_TEST(strips_droop_to_the_same_angle)
{
    drape_fabric fabric = fabric_of(_i);
    double overhang = standard_overhang(&fabric, false), angle[3];
    for (int i = 0; i < 3; ++i) {
        angle[i] = chord_angle(STRIP_GRID, false, &fabric, overhang, 20 << i, 20);
        ck_assert_double_eq_tol(angle[i], angle[0], 0.03 * angle[0]);
    }
}
END_TEST

// What rigidity the angle tells, as a share of the fabric's.
static double recovered(strip_kind kind, int test, int cells, int substeps)
{
    drape_fabric fabric = fabric_of(test / 2);
    bool is_weft = test % 2;
    double overhang = standard_overhang(&fabric, is_weft);
    return 8.0 / elastica_load(chord_angle(kind, is_weft, &fabric, overhang, cells, substeps));
}

START_TEST(cantilevers_of_grids_recover_rigidity)
{
    // Cells of c/5 and c/10, at the substeps of the defaults and at half as many.
    ck_assert_double_eq_tol(recovered(STRIP_GRID, _i, 10, 20), 1.0, 0.03);
    ck_assert_double_eq_tol(recovered(STRIP_GRID, _i, 20, 20), 1.0, 0.03);
    ck_assert_double_eq_tol(recovered(STRIP_GRID, _i, 20, 10), 1.0, 0.03);
}
END_TEST

// Triangles want more substeps than chains: their sweeps pass a moment on hinge by hinge.
START_TEST(cantilevers_of_meshes_recover_rigidity)
{
    ck_assert_double_eq_tol(recovered(STRIP_MESH, _i, 10, 100), 1.0, 0.10);
}
END_TEST

// One strip of shaken triangles is one throw of dice: the worst of the six fabrics is 17 % soft.
START_TEST(cantilevers_of_irregular_meshes_recover_rigidity)
{
    ck_assert_double_eq_tol(recovered(STRIP_JITTERED, _i, 10, 100), 1.0, 0.20);
}
END_TEST

// Internal friction does not choose the answer.
START_TEST(answers_do_not_depend_on_damping)
{
    drape_fabric cotton = drape_fabric_cotton();
    double overhang = standard_overhang(&cotton, false);
    double usual = chord_angle(STRIP_GRID, false, &cotton, overhang, 12, 20);
    cotton.bend_damping = 0.0f;
    double without = chord_angle(STRIP_GRID, false, &cotton, overhang, 12, 20);
    ck_assert_double_eq_tol(usual, without, 0.01 * without);
}
END_TEST

// Fine cells, stiff cloth, no damping, no gravity: a shaken sheet comes to rest, corners and all.
START_TEST(fine_grids_come_to_rest)
{
    drape_world_def def = drape_world_defaults();
    def.gravity = (drape_vec3){0.0f, 0.0f, 0.0f};
    def.damping = 0.0f;
    drape_cloth_def cloth = drape_cloth_defaults();
    ck_assert(drape_fabric_by_name(drape_fabric_name(_i), &cloth.fabric));
    cloth.fabric.bend_damping = 0.0f;
    cloth.noise = 2e-4f;
    drape_world* world = drape_world_create(&def);
    drape_cloth_add_grid(world, &cloth, 0.06f, 0.04f, 31, 21);
    double first = drape_world_step(world, 1.0f / 60.0f).kinetic_energy, last = first;
    for (int frame = 0; frame < 20; ++frame) {
        last = drape_world_step(world, 1.0f / 60.0f).kinetic_energy;
    }
    ck_assert_double_lt(last, first);
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("lab");
    tcase_add_test(tests, elastica_is_the_known_one);
    tcase_add_loop_test(tests, strips_hang_to_the_same_length, 0, 4);
    tcase_add_loop_test(tests, strips_stretch_by_their_weight, 0, 6);
    tcase_add_loop_test(tests, strips_droop_to_the_same_angle, 0, 3);
    tcase_add_loop_test(tests, cantilevers_of_grids_recover_rigidity, 0, 6);
    tcase_add_test(tests, answers_do_not_depend_on_damping);
    tcase_add_loop_test(tests, fine_grids_come_to_rest, 0, drape_fabric_count());
    TCase* meshes = tcase_create("meshes");
    tcase_add_loop_test(meshes, cantilevers_of_meshes_recover_rigidity, 0, 6);
    tcase_add_loop_test(meshes, cantilevers_of_irregular_meshes_recover_rigidity, 0, 6);
    Suite* suite = suite_create("lab");
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, meshes);
    SRunner* runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
