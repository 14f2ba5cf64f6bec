// The incline of the laboratory: a patch of 100 x 100 mm on a plane that is tilted.
#include "world_test.h"

#define GRAVITY 9.80665
#define DEGREE 0.017453292519943295

typedef struct incline {
    drape_world* world;
    drape_cloth_id cloth;
    drape_vec3 downhill, start;
} incline;

// Turning gravity is tilting the plane.
static void tilt(const incline* at, double degrees)
{
    double s = GRAVITY * sin(degrees * DEGREE), c = GRAVITY * cos(degrees * DEGREE);
    drape_world_set_gravity(at->world, vec((float)(s * (double)at->downhill.x), (float)-c,
                                           (float)(s * (double)at->downhill.z)));
}

// Even tests slide a grid along its warp, odd ones a mesh askew.
static incline lay_patch(int test, float mu_s, float mu_d)
{
    drape_world_def def = drape_world_defaults();
    def.damping = 0.0f;
    def.friction_static = mu_s;
    def.friction_dynamic = mu_d;
    incline at = {.world = drape_world_create(&def)};
    at.downhill = test % 2 ? vec(0.6f, 0, 0.8f) : vec(1, 0, 0);
    drape_collider_add_plane(at.world, vec(0, 0, 0), vec(0, 1, 0));
    drape_vec3 middle = vec(0, 0.0005f, 0), still = vec(0, 0, 0);
    at.cloth = test % 2 ? add_square_mesh(at.world, 0.1f, 11, middle, still)
                        : add_square(at.world, 0.1f, 11, middle, still);
    tilt(&at, 0.0);
    step_frames(at.world, 10);
    at.start = middle_of(at.world, at.cloth);
    return at;
}

static double travel(const incline* at)
{
    return (double)dr_dot(dr_sub(middle_of(at->world, at->cloth), at->start), at->downhill);
}

static const struct {
    float mu_s, mu_d;
} pairs[] = {{0.55f, 0.45f}, {0.30f, 0.24f}, {0.70f, 0.60f}};

enum { pair_tests = 2 * sizeof pairs / sizeof pairs[0] };

START_TEST(slip_begins_at_the_static_angle)
{
    float mu_s = pairs[_i / 2].mu_s;
    incline at = lay_patch(_i, mu_s, pairs[_i / 2].mu_d);
    double wanted = atan((double)mu_s) / DEGREE, degrees = wanted - 1.5;
    while (travel(&at) < 1e-3 && degrees < wanted + 3.0) {
        degrees += 1.5 / 60.0;
        tilt(&at, degrees);
        drape_world_step(at.world, FRAME);
    }
    ck_assert_double_eq_tol(degrees, wanted, 0.5);
    drape_world_destroy(at.world);
}
END_TEST

START_TEST(sliding_gives_the_dynamic_coefficient)
{
    float mu_s = pairs[_i / 2].mu_s, mu_d = pairs[_i / 2].mu_d;
    incline at = lay_patch(_i, mu_s, mu_d);
    double degrees = atan((double)mu_s) / DEGREE + 5.0;
    tilt(&at, degrees);
    while (travel(&at) < 1e-3) {
        drape_world_step(at.world, FRAME);
    }
    // From speeds at both ends of 50 mm.
    double t0 = drape_world_time(at.world), from = travel(&at);
    double v0 = (double)dr_dot(drape_cloth_velocities(at.world, at.cloth, NULL)[60], at.downhill);
    while (travel(&at) < from + 0.05) {
        drape_world_step(at.world, FRAME);
    }
    double v1 = (double)dr_dot(drape_cloth_velocities(at.world, at.cloth, NULL)[60], at.downhill);
    double a = (v1 - v0) / (drape_world_time(at.world) - t0);
    double found = tan(degrees * DEGREE) - a / (GRAVITY * cos(degrees * DEGREE));
    ck_assert_double_eq_tol(found, (double)mu_d, 0.03 * (double)mu_d);
    drape_world_destroy(at.world);
}
END_TEST

START_TEST(nothing_creeps_below)
{
    float mu_d = pairs[_i / 2].mu_d;
    incline at = lay_patch(_i, pairs[_i / 2].mu_s, mu_d);
    tilt(&at, atan((double)mu_d) / DEGREE - 0.5);
    step_frames(at.world, 600);
    ck_assert_double_lt(fabs(travel(&at)), 1e-4);
    drape_world_destroy(at.world);
}
END_TEST

START_TEST(without_friction_it_slides_freely)
{
    incline at = lay_patch(_i, 0.0f, 0.0f);
    tilt(&at, 10.0);
    step_frames(at.world, 30);
    double wanted = 0.5 * GRAVITY * sin(10.0 * DEGREE) * 0.25;
    ck_assert_double_eq_tol(travel(&at), wanted, 0.01 * wanted);
    drape_world_destroy(at.world);
}
END_TEST

// A collider's friction counts in the geometric mean with the fabric's: 0.55 and 0.2 give 0.33.
START_TEST(colliders_have_a_say)
{
    drape_world_def def = drape_world_defaults();
    incline at = {.world = drape_world_create(&def), .downhill = {1, 0, 0}};
    drape_collider_def plane = drape_collider_defaults();
    plane.shape = (drape_shape){.kind = DRAPE_SHAPE_PLANE};
    plane.friction_static = plane.friction_dynamic = 0.2f;
    drape_collider_add(at.world, &plane);
    at.cloth = add_square(at.world, 0.1f, 11, vec(0, 0.0005f, 0), vec(0, 0, 0));
    double angle = atan(sqrt(0.55 * 0.2)) / DEGREE;
    tilt(&at, angle - 0.5);
    step_frames(at.world, 60);
    ck_assert_double_lt(travel(&at), 1e-4);
    tilt(&at, angle + 0.5);
    step_frames(at.world, 60);
    ck_assert_double_gt(travel(&at), 1e-2);
    drape_world_destroy(at.world);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("friction");
    tcase_add_loop_test(tests, slip_begins_at_the_static_angle, 0, pair_tests);
    tcase_add_loop_test(tests, sliding_gives_the_dynamic_coefficient, 0, pair_tests);
    tcase_add_loop_test(tests, nothing_creeps_below, 0, pair_tests);
    tcase_add_loop_test(tests, without_friction_it_slides_freely, 0, 2);
    tcase_add_test(tests, colliders_have_a_say);
    Suite* suite = suite_create("friction");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
