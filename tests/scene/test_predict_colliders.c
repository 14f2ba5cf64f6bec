// Every kind of collider with the method `predict`: vertices that are inside, near or coming, solids
// that move and turn, friction at rest and while sliding.
#include "check/inside.h"
#include "collide/shape.h"
#include "world_test.h"

#define PI 3.14159265f
#define STEP (1.0f / 30.0f)

// Solids of about 30 cm with a flat or round top at y = 0.
typedef enum kind { SPHERE, CAPSULE, TAPERED, BOX, HULL, MESH, kind_count } kind;

// A box with its upright edges cut: eight corners above, eight below. No analytic shape.
static const drape_vec3 bevelled[16] = {
    {0.15f, 0, 0.1f},       {0.1f, 0, 0.15f},       {-0.1f, 0, 0.15f},     {-0.15f, 0, 0.1f},
    {-0.15f, 0, -0.1f},     {-0.1f, 0, -0.15f},     {0.1f, 0, -0.15f},     {0.15f, 0, -0.1f},
    {0.15f, -0.3f, 0.1f},   {0.1f, -0.3f, 0.15f},   {-0.1f, -0.3f, 0.15f}, {-0.15f, -0.3f, 0.1f},
    {-0.15f, -0.3f, -0.1f}, {-0.1f, -0.3f, -0.15f}, {0.1f, -0.3f, -0.15f}, {0.15f, -0.3f, -0.1f},
};

// Of the same corners: a fan above, a fan below, and the sides.
static drape_mesh_view bevelled_mesh(int32_t triangles[28][3])
{
    int count = 0;
    for (int i = 1; i < 7; ++i) {
        memcpy(triangles[count++], (int32_t[3]){0, i + 1, i}, sizeof triangles[0]);
        memcpy(triangles[count++], (int32_t[3]){8, 8 + i, 8 + i + 1}, sizeof triangles[0]);
    }
    for (int i = 0; i < 8; ++i) {
        int next = (i + 1) % 8;
        memcpy(triangles[count++], (int32_t[3]){i, next, 8 + i}, sizeof triangles[0]);
        memcpy(triangles[count++], (int32_t[3]){next, 8 + next, 8 + i}, sizeof triangles[0]);
    }
    return (drape_mesh_view){.positions = bevelled,
                             .triangles = triangles[0],
                             .vertex_count = 16,
                             .triangle_count = count};
}

static drape_collider_id add_solid(drape_world* world, int of, drape_transform pose)
{
    int32_t triangles[28][3];
    drape_mesh_view view = bevelled_mesh(triangles);
    drape_collider_def def = drape_collider_defaults();
    // Where its top is at y = 0 of the pose.
    drape_transform inner = pose_at(vec(0, -0.15f, 0), vec(0, 0, 0));
    if (of == SPHERE) {
        def.shape = (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.15f};
    } else if (of == CAPSULE || of == TAPERED) {
        def.shape = (drape_shape){.kind = DRAPE_SHAPE_CAPSULE,
                                  .radius = 0.15f,
                                  .radius_top = of == TAPERED ? 0.1f : 0.15f,
                                  .height = 0.3f};
        // Turned so that the upper line of its mantle is level.
        inner = of == TAPERED ? pose_at(vec(0, -0.125f, 0), vec(0, 0, 80.4059f))
                              : pose_at(vec(0, -0.15f, 0), vec(0, 0, 90));
    } else if (of == BOX) {
        def.shape = (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {0.3f, 0.3f, 0.3f}};
    } else {
        inner = pose_at(vec(0, 0, 0), vec(0, 0, 0));
        def.mesh = of == MESH ? &view : NULL;
        def.hull = of == HULL ? bevelled : NULL;
        def.hull_count = 16;
    }
    def.place.rotate = dr_quat_multiply(pose.rotate, inner.rotate);
    def.place.translate = dr_transform_apply(pose, inner.translate);
    drape_collider_id id = drape_collider_add(world, &def);
    ck_assert_msg(drape_collider_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

static drape_world* make_predict_world(float gravity)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("predict", &def.method));
    def.gravity = vec(0, -gravity, 0);
    def.damping = 0.0f;
    def.substeps = 1;
    def.iterations = 10;
    def.thickness = 0.01f;
    def.static_radius = 0.02f;
    def.friction_static = 0.5f;
    def.friction_dynamic = 0.4f;
    return drape_world_create(&def);
}

// Moves a collider by a turn about the origin and a shift, from where it is.
static void move_by(drape_world* world, drape_collider_id solid, drape_vec3 shift,
                    drape_vec3 degrees)
{
    drape_transform pose = drape_collider_pose(world, solid);
    drape_quat turn = drape_quat_from_degrees(degrees);
    pose.translate = dr_add(dr_quat_rotate(turn, pose.translate), shift);
    pose.rotate = dr_quat_multiply(turn, pose.rotate);
    ck_assert(drape_collider_move(world, solid, pose));
}

// By winding numbers, of the triangles that files show.
static int count_inside(drape_world* world, drape_cloth_id cloth, drape_collider_id solid)
{
    int vertices = 0, triangles = 0, count;
    const drape_vec3* p = drape_cloth_positions(world, cloth, &count);
    ck_assert(drape_collider_mesh(world, solid, 1e-4f, NULL, &vertices, NULL, &triangles));
    drape_vec3* at = malloc(sizeof *at * (size_t)vertices);
    int32_t(*corners)[3] = malloc(sizeof *corners * (size_t)triangles);
    ck_assert(drape_collider_mesh(world, solid, 1e-4f, at, &vertices, corners[0], &triangles));
    dr_check_mesh mesh = {.positions = at,
                          .vertex_count = vertices,
                          .triangles = corners[0],
                          .triangle_count = triangles};
    int inside = dr_inside_count(p, count, &mesh);
    free(at);
    free(corners);
    return inside;
}

// --- Inside, near, coming ---

START_TEST(what_comes_is_held)
{
    // A sheet at rest, and a solid that comes from below at 1, 10 and 100 m/s.
    for (float speed = 1.0f; speed < 200.0f; speed *= 10.0f) {
        drape_world* world = make_predict_world(0.0f);
        drape_collider_id solid = add_solid(world, _i, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
        drape_cloth_id cloth = add_square(world, 0.16f, 6, vec(0.01f, 0.06f, 0.02f), vec(0, 0, 0));
        for (int i = 0; i < 6; ++i) {
            move_by(world, solid, vec(0.1f * speed * STEP, speed * STEP, 0), vec(0, 0, 0));
            drape_step_report report = drape_world_step(world, STEP);
            ck_assert_int_eq(report.substeps, 1);
            ck_assert_int_eq(report.non_finite_count, 0);
            ck_assert_msg(count_inside(world, cloth, solid) == 0, "%d inside at %g m/s, step %d",
                          count_inside(world, cloth, solid), (double)speed, i);
        }
        // It was taken along, not passed.
        ck_assert_float_gt(middle_of(world, cloth).y, 5.0f * speed * STEP);
        drape_world_destroy(world);
    }
}
END_TEST

START_TEST(what_turns_is_outside)
{
    const drape_vec3 turns[3] = {{0, 6, 0}, {4, 0, 0}, {2, 5, 3}}; // degrees a step
    for (int k = 0; k < 3; ++k) {
        drape_world* world = make_predict_world(9.81f);
        drape_collider_id solid = add_solid(world, _i, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
        drape_cloth_id cloth = add_square(world, 0.2f, 8, vec(0, 0.01f, 0), vec(0, 0, 0));
        for (int i = 0; i < 15; ++i) {
            move_by(world, solid, vec(0, 0.003f, 0), turns[k]);
            drape_world_step(world, STEP);
            ck_assert_int_eq(count_inside(world, cloth, solid), 0);
        }
        drape_world_destroy(world);
    }
}
END_TEST

START_TEST(what_is_inside_comes_out_gently)
{
    drape_world* world = make_predict_world(0.0f);
    drape_collider_id solid = add_solid(world, _i, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
    drape_cloth_id cloth = add_square(world, 0.1f, 6, vec(0.005f, -0.025f, 0.01f), vec(0, 0, 0));
    ck_assert_int_eq(count_inside(world, cloth, solid), 36);
    float fastest = 0.0f;
    for (int i = 0; i < 60; ++i) {
        drape_world_step(world, STEP);
        fastest = fmaxf(fastest, fastest_of(world, cloth) * STEP);
    }
    ck_assert_int_eq(count_inside(world, cloth, solid), 0);
    // Half of an edge in a step at most.
    ck_assert_msg(fastest <= 0.01f, "%g m in a step", (double)fastest);
    drape_world_destroy(world);
}
END_TEST

START_TEST(contacts_are_made_near_and_on_the_way)
{
    // Gap to the surface held, speed towards it, and whether there is a contact.
    const struct {
        float gap, speed;
        bool has_contact;
    } cases[] = {{0.010f, 0, true}, {0.08f, 0, false}, {0.08f, 3, true}};
    for (int k = 0; k < 3; ++k) {
        drape_world* world = make_predict_world(0.0f);
        add_solid(world, _i, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
        drape_vec3 middle = vec(0, 0.005f + cases[k].gap, 0), way = vec(0, -cases[k].speed, 0);
        drape_cloth_id cloth = add_square(world, 0.03f, 3, middle, way);
        drape_step_report report = drape_world_step(world, STEP);
        ck_assert_msg((report.contact_count > 0) == cases[k].has_contact, "case %d: %d contacts", k,
                      report.contact_count);
        // Near is not touching: at rest it stays where it was.
        if (cases[k].speed == 0.0f) {
            ck_assert_float_eq_tol(middle_of(world, cloth).y, middle.y, 1e-5f);
        }
        drape_world_destroy(world);
    }
}
END_TEST

// --- Friction ---

// A patch on the flat tops, with gravity tilted by 20 and 35 degrees: tan is 0.36 and 0.70.
START_TEST(patches_stick_and_slide)
{
    for (int is_steep = 0; is_steep < 2; ++is_steep) {
        float angle = (is_steep ? 35.0f : 20.0f) * PI / 180.0f, g = 9.81f;
        drape_world* world = make_predict_world(g);
        drape_world_def def = drape_world_get_def(world);
        drape_world_destroy(world);
        def.substeps = 4;
        world = drape_world_create(&def);
        add_solid(world, _i, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
        drape_cloth_id cloth = add_square(world, 0.05f, 6, vec(-0.05f, 0.0051f, 0), vec(0, 0, 0));
        step_frames(world, 20);
        float from = middle_of(world, cloth).x;
        drape_world_set_gravity(world, vec(g * sinf(angle), -g * cosf(angle), 0));
        step_frames(world, 12);
        float way = middle_of(world, cloth).x - from, t = 12.0f * FRAME;
        float slides = 0.5f * g * (sinf(angle) - 0.4f * cosf(angle)) * t * t;
        if (is_steep) {
            ck_assert_float_eq_tol(way, slides, 0.12f * slides);
        } else {
            ck_assert_float_lt(fabsf(way), 1e-3f);
        }
        drape_world_destroy(world);
    }
}
END_TEST

// What lies on a solid that turns about the vertical turns along, as far as friction goes.
START_TEST(turning_solids_carry)
{
    for (int is_rough = 0; is_rough < 2; ++is_rough) {
        drape_world* world = make_predict_world(9.81f);
        drape_world_def def = drape_world_get_def(world);
        drape_world_destroy(world);
        def.substeps = 4;
        def.friction_static = def.friction_dynamic = is_rough ? 0.6f : 0.0f;
        world = drape_world_create(&def);
        drape_collider_id solid = add_solid(world, _i, pose_at(vec(0, 0, 0), vec(0, 0, 0)));
        drape_cloth_id cloth = add_square(world, 0.12f, 7, vec(0, 0.006f, 0), vec(0, 0, 0));
        step_frames(world, 10);
        for (int i = 0; i < 30; ++i) {
            move_by(world, solid, vec(0, 0, 0), vec(0, 1.0f, 0));
            drape_world_step(world, FRAME);
        }
        drape_vec3 way = dr_sub(place_of(world, cloth, 3 * 7 + 6), place_of(world, cloth, 3 * 7));
        float turned = atan2f(-way.z, way.x) * 180.0f / PI;
        ck_assert_msg(is_rough ? turned > 24.0f && turned < 32.0f : fabsf(turned) < 6.0f,
                      "turned by %g degrees", (double)turned);
        drape_world_destroy(world);
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("predict_colliders");
    TCase* tests = tcase_create("predict_colliders");
    tcase_add_loop_test(tests, what_comes_is_held, 0, kind_count);
    tcase_add_loop_test(tests, what_turns_is_outside, 0, kind_count);
    tcase_add_loop_test(tests, what_is_inside_comes_out_gently, 0, kind_count);
    tcase_add_loop_test(tests, contacts_are_made_near_and_on_the_way, 0, kind_count);
    tcase_add_loop_test(tests, patches_stick_and_slide, BOX, kind_count);
    tcase_add_loop_test(tests, turning_solids_carry, 0, kind_count);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
