// The force of moving air: its formula, its directions, and that it never overshoots.
#include "solver/air.h"

#include <drape/drape.h>

#include "solver_test.h"

#define AIR_DENSITY 1.2

// A flat sheet of 10 x 10 cells, 0.2 m wide, moving at `velocity`.
static void start_sheet(piece* p, drape_vec3 velocity)
{
    drape_fabric fabric = test_fabric();
    piece_create(p, WEAVE_GRID, &fabric, 0.2f, 0.2f, 11, 11);
    dr_sheet* sheet = &p->xpbd.sheet;
    sheet->force = dr_new_zeroed(&p->memory, float, (size_t)sheet->vector_count * 32);
    drape_vec3 velocities[121];
    for (int v = 0; v < 121; ++v) {
        velocities[v] = velocity;
    }
    dr_sheet_set_state(sheet, p->mesh.rest, velocities);
}

// All of the force on the sheet, N.
static drape_vec3 blow(piece* p, drape_vec3 air, float drag, float lift, float h)
{
    drape_vec3 scratch[200];
    dr_sheet* sheet = &p->xpbd.sheet;
    double sum[3] = {0};
    dr_air_blow(sheet, &p->mesh, air, drag, lift, h, scratch);
    for (int v = 0; v < p->mesh.vertex_count; ++v) {
        drape_vec3 a = dr_sheet_get(sheet->layout, sheet->force, sheet->slot_of_vertex[v]);
        sum[0] += (double)sheet->mass[v] * (double)a.x;
        sum[1] += (double)sheet->mass[v] * (double)a.y;
        sum[2] += (double)sheet->mass[v] * (double)a.z;
    }
    return (drape_vec3){(float)sum[0], (float)sum[1], (float)sum[2]};
}

static drape_vec3 force_on(drape_vec3 velocity, drape_vec3 air, float drag, float lift, float h)
{
    piece p;
    start_sheet(&p, velocity);
    drape_vec3 force = blow(&p, air, drag, lift, h);
    piece_free(&p);
    return force;
}

static const drape_vec3 still = {0.0f, 0.0f, 0.0f};

START_TEST(head_on_it_is_the_textbook_drag)
{
    drape_vec3 force = force_on((drape_vec3){0.0f, -3.0f, 0.0f}, still, 1.5f, 0.7f, 1e-9f);
    ck_assert_double_eq_tol((double)force.y, 0.5 * AIR_DENSITY * 0.04 * 1.5 * 9.0, 1e-5);
    ck_assert_double_le(fabs((double)force.x) + fabs((double)force.z), 1e-7);
    // Only the difference between cloth and air counts.
    drape_vec3 wind =
        force_on((drape_vec3){5.0f, 1.0f, 0.0f}, (drape_vec3){5.0f, 4.0f, 0.0f}, 1.5f, 0.7f, 1e-9f);
    ck_assert_double_le(dr_length_double(dr_sub(wind, force)), 1e-5);
}
END_TEST

START_TEST(edge_on_and_with_the_wind_there_is_none)
{
    drape_vec3 edge_on = force_on((drape_vec3){4.0f, 0.0f, 3.0f}, still, 1.5f, 1.0f, 1e-3f);
    ck_assert_double_le(dr_length_double(edge_on), 1e-9);
    drape_vec3 wind = {3.0f, -2.0f, 1.0f};
    ck_assert_double_eq(dr_length_double(force_on(wind, wind, 1.5f, 1.0f, 1e-3f)), 0.0);
}
END_TEST

// Drag along the flow, lift at right angles to it and away from the side that the air meets.
START_TEST(drag_is_along_and_lift_across_the_flow)
{
    for (uint32_t i = 0; i < 50; ++i) {
        drape_vec3 air = {5.0f * dr_random_signed(1, i), 5.0f * dr_random_signed(2, i),
                          5.0f * dr_random_signed(3, i)};
        drape_vec3 drag = force_on(still, air, 1.0f, 0.0f, 1e-9f);
        drape_vec3 lift = force_on(still, air, 0.0f, 1.0f, 1e-9f);
        double speed = dr_length_double(air), head_on = fabs((double)air.y);
        double scale = 0.5 * AIR_DENSITY * 0.04 * head_on * speed;
        ck_assert_double_le(dr_length_double(dr_sub(drag, dr_scale(air, (float)(scale / speed)))),
                            1e-5 * scale);
        ck_assert_double_le(fabs((double)dr_dot(lift, air)), 1e-5 * scale * speed);
        // |(n.v) v/|v|^2 - n| |v| is the component of v in the plane.
        double in_plane = sqrt((double)air.x * (double)air.x + (double)air.z * (double)air.z);
        double size = 0.5 * AIR_DENSITY * 0.04 * head_on * in_plane;
        ck_assert_double_eq_tol(dr_length_double(lift), size, 1e-4 * scale);
        ck_assert(lift.y * air.y >= 0.0f); // the air from below lifts
    }
}
END_TEST

// Which way round the triangles are drawn is nothing to the air.
START_TEST(both_sides_are_alike)
{
    drape_vec3 up = force_on(still, (drape_vec3){2.0f, 3.0f, -1.0f}, 1.2f, 0.6f, 1e-3f);
    drape_vec3 down = force_on(still, (drape_vec3){2.0f, -3.0f, -1.0f}, 1.2f, 0.6f, 1e-3f);
    ck_assert_double_le(dr_length_double(dr_sub(up, (drape_vec3){down.x, -down.y, down.z})), 1e-7);
}
END_TEST

// Light cloth in a storm takes on its speed and no more: what it lacks never grows.
START_TEST(storm_does_not_overshoot)
{
    for (float speed = 1.0f; speed < 3000.0f; speed *= 3.0f) {
        piece p;
        float h = 1.0f / 60.0f;
        double before = INFINITY;
        start_sheet(&p, still);
        dr_sheet* sheet = &p.xpbd.sheet;
        for (int step = 0; step < 50; ++step) {
            blow(&p, (drape_vec3){0.0f, speed, 0.0f}, 2.0f, 0.0f, h);
            double lacking = 0.0, momentum = 0.0, mass = 0.0;
            for (int v = 0; v < p.mesh.vertex_count; ++v) {
                int slot = sheet->slot_of_vertex[v];
                drape_vec3 u = dr_sheet_get(sheet->layout, sheet->vel, slot);
                u.y += h * dr_sheet_get(sheet->layout, sheet->force, slot).y;
                dr_sheet_set(sheet->layout, sheet->vel, slot, u);
                double m = (double)sheet->mass[v], lag = (double)(speed - u.y);
                lacking += m * lag * lag;
                momentum += m * (double)u.y;
                mass += m;
            }
            ck_assert_double_le(lacking, before);
            ck_assert_double_le(momentum, 1.0001 * mass * (double)speed);
            before = lacking;
        }
        piece_free(&p);
    }
}
END_TEST

// A sheet that falls flat ends at the speed at which drag carries its weight.
START_TEST(falling_sheet_reaches_its_speed)
{
    drape_world_def def = drape_world_defaults();
    def.wind.drag = 1.2f;
    def.damping = 0.0f;
    drape_world* world = drape_world_create(&def);
    drape_cloth_def cloth = drape_cloth_defaults();
    drape_cloth_id id = drape_cloth_add_grid(world, &cloth, 0.1f, 0.1f, 6, 6);
    for (int i = 0; i < 120; ++i) {
        drape_world_step(world, 1.0f / 60.0f);
    }
    double wanted = sqrt(2.0 * (double)cloth.fabric.density * 9.81 / (AIR_DENSITY * 1.2));
    double sum = 0.0;
    int count;
    const drape_vec3* u = drape_cloth_velocities(world, id, &count);
    for (int i = 0; i < count; ++i) {
        sum -= (double)u[i].y / count;
    }
    ck_assert_double_eq_tol(sum / wanted, 1.0, 0.02);
    drape_world_destroy(world);
}
END_TEST

// Flat cloth stays flat as it falls: no vertex has more air than its mass, however cells are cut.
START_TEST(flat_cloth_is_slowed_evenly)
{
    piece p;
    start_sheet(&p, (drape_vec3){0.0f, -3.0f, 0.0f});
    const dr_sheet* sheet = &p.xpbd.sheet;
    blow(&p, still, 1.0f, 0.0f, 1e-3f);
    double wanted = (double)dr_sheet_get(sheet->layout, sheet->force, sheet->slot_of_vertex[0]).y;
    ck_assert_double_gt(wanted, 1.0);
    for (int v = 0; v < p.mesh.vertex_count; ++v) {
        drape_vec3 a = dr_sheet_get(sheet->layout, sheet->force, sheet->slot_of_vertex[v]);
        ck_assert_double_eq_tol((double)a.y, wanted, 1e-5 * wanted);
    }
    piece_free(&p);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("air");
    TCase* tests = tcase_create("air");
    tcase_add_test(tests, head_on_it_is_the_textbook_drag);
    tcase_add_test(tests, edge_on_and_with_the_wind_there_is_none);
    tcase_add_test(tests, drag_is_along_and_lift_across_the_flow);
    tcase_add_test(tests, both_sides_are_alike);
    tcase_add_test(tests, storm_does_not_overshoot);
    tcase_add_test(tests, falling_sheet_reaches_its_speed);
    tcase_add_test(tests, flat_cloth_is_slowed_evenly);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
