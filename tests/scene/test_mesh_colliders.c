// Cloth and bodies of triangles: at rest, fast, sharp, thin, moving, changing.
#include "mesh_sheets.h"

// --- Rest ---

// Nothing of the cloth goes through at any frame, and vertices keep their distance.
START_TEST(slow_cloth_never_crosses)
{
    int obstacle = first_solid + _i / 2, crossings = 0;
    drape_world* world = make_world();
    drape_collider_id id = add_solid(world, obstacle);
    drape_cloth_id cloth = add_sheet(world, _i % 2, 0.6f, 21, vec(0, 0.1f, 0), still);
    float least = INFINITY;
    for (int frame = 0; frame < 60; ++frame) {
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        least = fminf(least, report.smallest_gap);
        crossings += frame % 2 ? crossings_of(world, cloth, id) : 0;
    }
    ck_assert_int_eq(crossings, 0);
    ck_assert_msg(least > 0.49e-3f, "%s: %g", obstacles[obstacle].name, (double)least);
    drape_world_destroy(world);
}
END_TEST

// A box is a box, whether it is told by its size or by its triangles.
START_TEST(a_mesh_box_is_a_box)
{
    drape_shape box = {.kind = DRAPE_SHAPE_BOX, .size = {0.3f, 0.05f, 0.3f}};
    drape_transform pose = pose_at(vec(0.006f, -0.025f, 0.009f), vec(0, 17, 0));
    test_mesh mesh = mesh_of_shape(box, 1e-3f);
    drape_vec3 lowest[2] = {still, still};
    for (int k = 0; k < 2; ++k) {
        drape_world* world = make_calm_world(1.0f);
        drape_collider_def def = drape_collider_defaults();
        def.shape = box;
        def.place = pose;
        if (k == 0) {
            drape_collider_add(world, &def);
        } else {
            add_mesh(world, &mesh, pose);
        }
        drape_cloth_id cloth = add_sheet(world, _i, 0.5f, 21, vec(0, 0.01f, 0), still);
        drape_step_report report = step_frames(world, 240);
        lowest[k] = middle_of(world, cloth);
        // No jitter, no sinking between the vertices.
        ck_assert_double_lt(report.kinetic_energy, 1e-5);
        ck_assert_float_ge(nearest_point(world, cloth, &box, pose), 0.8e-3f);
        ck_assert_float_eq_tol(report.smallest_gap, 1e-3f, 2e-5f);
        drape_world_destroy(world);
    }
    ck_assert_float_lt(dr_length(dr_sub(lowest[0], lowest[1])), 2e-3f);
    free_mesh(&mesh);
}
END_TEST

// Cloth at rest on a fine ball searches no more, calls no heap and does not tremble.
START_TEST(rest_costs_nothing)
{
    drape_world_def world_def = drape_world_defaults();
    world_def.damping = 2.0f;
    drape_world* world = drape_world_create(&world_def);
    drape_shape ball = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f};
    test_mesh mesh = mesh_of_shape(ball, 1e-3f);
    add_mesh(world, &mesh, pose_at(vec(0, -0.3f, 0), still));
    drape_cloth_id cloth = add_sheet(world, _i, 0.3f, 21, vec(0, 0.02f, 0), still);
    drape_step_report report = step_frames(world, 300);
    int64_t box_tests = 0;
    for (int frame = 0; frame < 20; ++frame) {
        report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.heap_calls, 0);
        box_tests = report.box_tests > box_tests ? report.box_tests : box_tests;
    }
    ck_assert_int_lt(box_tests, 1000); // bounds of chunks only
    ck_assert_float_lt(fastest_of(world, cloth), 3e-4f);
    ck_assert_double_lt(report.kinetic_energy, 1e-8);
    ck_assert_float_gt(report.smallest_gap, 0.45e-3f);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// What a step costs depends on what of the cloth touches, not on how finely the body is cut: a ball of
// fifty times the triangles takes a few times the looks, of which eight are taken at once.
START_TEST(fine_bodies_cost_what_is_touched)
{
    const float tolerances[2] = {1e-3f, 1.2e-5f};
    int64_t looks[2];
    int triangles[2], contacts[2];
    for (int k = 0; k < 2; ++k) {
        drape_world_def world_def = drape_world_defaults();
        world_def.thickness = 0.002f;
        drape_world* world = drape_world_create(&world_def);
        drape_shape ball = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f};
        test_mesh mesh = mesh_of_shape(ball, tolerances[k]);
        // On its side: at the poles triangles are much smaller.
        add_mesh(world, &mesh, pose_at(vec(0, -0.3f, 0), vec(90, 0, 0)));
        add_sheet(world, false, 0.3f, 16, vec(0, 0.003f, 0), still);
        drape_step_report report = step_frames(world, 40);
        looks[k] = report.exact_tests;
        contacts[k] = report.contact_count;
        triangles[k] = mesh.triangle_count;
        free_mesh(&mesh);
        drape_world_destroy(world);
    }
    ck_assert_int_gt(triangles[1], 50 * triangles[0]);
    ck_assert_int_gt(contacts[0], 100);
    ck_assert_int_le(abs(contacts[1] - contacts[0]), contacts[0] / 4);
    ck_assert_int_lt(looks[1], 5 * looks[0]);
}
END_TEST

// --- Speed ---

// At 1, 10 and 100 times the speed no vertex is inside at any frame. Triangles may cross while a
// blow lasts; what comes to rest is outside altogether.
START_TEST(speed_does_not_help)
{
    const float speeds[3] = {2.0f, 20.0f, 200.0f};
    int obstacle = first_solid + _i / 3, crossings = 0;
    drape_world* world = make_world();
    drape_collider_id id = add_solid(world, obstacle);
    drape_cloth_id cloth =
        add_sheet(world, _i % 2, 0.6f, 15, vec(0, 0.1f, 0), vec(0, -speeds[_i % 3], 0));
    float least = INFINITY;
    for (int frame = 0; frame < 60; ++frame) {
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        least = fminf(least, report.smallest_gap);
        crossings += crossings_of(world, cloth, id) > 0;
    }
    ck_assert_msg(least > 0.0f, "%s: %g", obstacles[obstacle].name, (double)least);
    ck_assert_int_eq(crossings_of(world, cloth, id), 0);
    ck_assert_int_le(crossings, 2); // frames
    drape_world_destroy(world);
}
END_TEST

// A sheet of no thickness, wider than any detour: nothing comes out below it.
START_TEST(nothing_passes_an_open_plate)
{
    const float speeds[3] = {2.0f, 20.0f, 200.0f};
    drape_world* world = make_world();
    test_mesh mesh = mesh_of_square(40.0f, 8);
    add_mesh(world, &mesh, pose_at(still, still));
    drape_cloth_def def = drape_cloth_defaults();
    // On edge and askew, so that it crumples.
    def.rotation = drape_quat_from_degrees(vec(70, 20, 30));
    def.origin = vec(0.3f, 1, 0.1f);
    def.velocity = vec(0, -speeds[_i], 0);
    drape_cloth_id cloth = drape_cloth_add_grid(world, &def, 0.6f, 0.6f, 17, 17);
    float lowest = INFINITY;
    for (int frame = 0; frame < 60; ++frame) {
        ck_assert_int_eq(drape_world_step(world, FRAME).non_finite_count, 0);
        for (int i = 0; i < 17 * 17; ++i) {
            lowest = fminf(lowest, place_of(world, cloth, i).y);
        }
    }
    ck_assert_float_gt(lowest, 0.0f);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// Cloth below an open plate is held from above by it: there is no inside.
// The flaps of a sheet swing in under a plate without thickness, with a row of vertices right above its
// rim: around it the planes of its two sides are at odds.
START_TEST(flaps_fold_around_a_rim)
{
    drape_world* world = make_world();
    test_mesh mesh = mesh_of_square(0.6f, 1);
    drape_collider_id id = add_mesh(world, &mesh, pose_at(still, still));
    drape_cloth_id cloth = add_sheet(world, _i, 1.0f, 31, vec(0, 0.45f, 0), still);
    int crossings = 0;
    for (int frame = 0; frame < 30; ++frame) {
        ck_assert_int_eq(drape_world_step(world, FRAME).non_finite_count, 0);
        crossings += crossings_of(world, cloth, id);
    }
    ck_assert_int_eq(crossings, 0);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

START_TEST(open_plates_have_two_sides)
{
    drape_world_def world_def = drape_world_defaults();
    world_def.gravity = vec(0, 9.81f, 0);
    drape_world* world = drape_world_create(&world_def);
    test_mesh mesh = mesh_of_square(2.0f, 5);
    drape_collider_id id = add_mesh(world, &mesh, pose_at(still, vec(0, 20, 0)));
    drape_cloth_id cloth = add_sheet(world, _i, 0.5f, 15, vec(0, -0.05f, 0), still);
    drape_step_report report = step_frames(world, 90);
    ck_assert_int_eq(crossings_of(world, cloth, id), 0);
    ck_assert_float_lt(place_of(world, cloth, 112).y, -0.45e-3f);
    ck_assert_float_gt(report.smallest_gap, 0.45e-3f);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// --- Edges and tips ---

// A needle under the middle of a coarse triangle carries it, closed or open.
START_TEST(needles_carry_faces)
{
    drape_world* world = make_calm_world(2.0f);
    test_mesh mesh = new_mesh(4, _i / 2 ? 4 : 3);
    const drape_vec3 corners[4] = {
        {0, 0.1f, 0}, {0.05f, 0, 0}, {-0.03f, 0, 0.04f}, {-0.03f, 0, -0.04f}};
    const int32_t triangles[12] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};
    memcpy(mesh.positions, corners, sizeof corners);
    memcpy(mesh.triangles, triangles, sizeof *triangles * 3 * (size_t)mesh.triangle_count);
    drape_collider_id id = add_mesh(world, &mesh, pose_at(vec(0.07f, 0, 0.02f), still));
    drape_cloth_id cloth = add_sheet(world, _i % 2, 0.9f, 4, vec(0, 0.12f, 0), still);
    const int32_t pins[4] = {0, 3, 12, 15};
    pin_vertices(world, cloth, pins, 4);
    int crossings = 0;
    for (int frame = 0; frame < 120; ++frame) {
        drape_world_step(world, FRAME);
        crossings += crossings_of(world, cloth, id);
    }
    ck_assert_int_eq(crossings, 0);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// A bed of tips, finer than the cloth's vertices.
START_TEST(a_bed_of_nails_stays_below)
{
    enum { cells = 12 };
    drape_world* world = make_world();
    test_mesh mesh = mesh_of_square(0.6f, cells);
    for (int i = 0; i < mesh.vertex_count; ++i) {
        bool is_tip = (i % (cells + 1) + i / (cells + 1)) % 2;
        mesh.positions[i].y = is_tip ? 0.0f : -0.06f;
    }
    drape_collider_id id = add_mesh(world, &mesh, pose_at(still, vec(0, 10, 0)));
    drape_cloth_id cloth = add_sheet(world, _i, 0.5f, 11, vec(0, 0.05f, 0), still);
    int crossings = 0;
    for (int frame = 0; frame < 90; ++frame) {
        drape_world_step(world, FRAME);
        crossings += crossings_of(world, cloth, id);
    }
    ck_assert_int_eq(crossings, 0);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// A rod of twelve triangles, thinner than the cloth's triangles by far, and askew: its edges meet those
// of the cloth, and hardly ever a vertex.
START_TEST(thin_rods_do_not_pierce)
{
    drape_world_def def = drape_world_defaults();
    def.thickness = 0.002f;
    drape_world* world = drape_world_create(&def);
    drape_shape rod = {.kind = DRAPE_SHAPE_BOX, .size = {0.003f, 0.003f, 1.0f}};
    test_mesh mesh = mesh_of_shape(rod, 1e-3f);
    ck_assert_int_eq(mesh.triangle_count, 12);
    drape_collider_id id = add_mesh(world, &mesh, pose_at(vec(0.003f, 0, 0), vec(0, 20, 10)));
    drape_cloth_id cloth = add_sheet(world, _i, 0.6f, 25, vec(0.02f, 0.1f, 0), still);
    int crossings = 0;
    for (int frame = 0; frame < 60; ++frame) {
        drape_world_step(world, FRAME);
        crossings += crossings_of(world, cloth, id);
    }
    ck_assert_int_eq(crossings, 0);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// --- Friction ---

#define DEGREE 0.017453292519943295

// A patch on a plane of triangles slips at the angle whose tangent is the coefficient.
START_TEST(slip_begins_at_the_static_angle)
{
    const float mu[3] = {0.3f, 0.55f, 0.7f};
    drape_world_def def = drape_world_defaults();
    def.damping = 0.0f;
    def.friction_static = mu[_i / 2];
    def.friction_dynamic = 0.8f * mu[_i / 2];
    drape_world* world = drape_world_create(&def);
    test_mesh mesh = mesh_of_square(2.0f, 40);
    add_mesh(world, &mesh, pose_at(vec(0.01f, 0, 0.02f), vec(0, 25, 0)));
    drape_cloth_id cloth = add_sheet(world, _i % 2, 0.1f, 11, vec(0, 0.0005f, 0), still);
    step_frames(world, 10);
    float from = middle_of(world, cloth).x;
    double wanted = atan((double)mu[_i / 2]) / DEGREE, degrees = wanted - 1.5;
    while (middle_of(world, cloth).x - from < 1e-3f && degrees < wanted + 3.0) {
        degrees += 1.5 / 60.0;
        drape_world_set_gravity(world, vec((float)(9.81 * sin(degrees * DEGREE)),
                                           (float)(-9.81 * cos(degrees * DEGREE)), 0));
        drape_world_step(world, FRAME);
    }
    ck_assert_double_eq_tol(degrees, wanted, 0.5);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// --- Things that move ---

START_TEST(belts_carry_cloth)
{
    drape_world* world = make_world();
    test_mesh mesh = mesh_of_square(2.0f, 20);
    drape_collider_id belt = add_mesh(world, &mesh, pose_at(still, still));
    drape_cloth_id cloth = add_sheet(world, _i, 0.3f, 13, vec(-0.5f, 0.0006f, 0), still);
    expect_ride(world, belt, cloth);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

START_TEST(turntables_turn_cloth)
{
    drape_world* world = make_world();
    test_mesh mesh = mesh_of_square(1.0f, 7);
    drape_mesh_view view = view_of(&mesh);
    drape_collider_def def = drape_collider_defaults();
    const drape_key keys[3] = {{.time = 0, .pose = pose_at(still, still)},
                               {.time = 1, .pose = pose_at(still, vec(0, 90, 0))},
                               {.time = 2, .pose = pose_at(still, vec(0, 180, 0))}};
    def.mesh = &view;
    def.keys = keys;
    def.key_count = 3;
    drape_collider_add(world, &def);
    drape_cloth_id cloth = add_sheet(world, _i, 0.4f, 13, vec(0, 0.0006f, 0), still);
    drape_vec3 start = place_of(world, cloth, 0);
    step_frames(world, 120);
    drape_vec3 end = place_of(world, cloth, 0);
    ck_assert_float_eq_tol(end.x, -start.x, 5e-3f);
    ck_assert_float_eq_tol(end.z, -start.z, 5e-3f);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// A sheet that hangs by its corners in the plane z = 0, and a ball of triangles on its way along z.
START_TEST(balls_do_not_pass_sheets)
{
    const float speeds[3] = {0.25f, 5.0f, 50.0f};
    drape_world* world = make_world();
    drape_shape ball = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.2f};
    test_mesh mesh = mesh_of_shape(ball, 1e-3f);
    drape_transform pose = pose_at(vec(0, 0, -0.3f), still);
    drape_collider_id id = add_mesh(world, &mesh, pose);
    drape_cloth_def def = drape_cloth_defaults();
    def.origin = vec(-0.5f, 0.5f, 0);
    def.rotation = drape_quat_from_degrees(vec(90, 0, 0));
    drape_cloth_id cloth = drape_cloth_add_grid(world, &def, 1, 1, 21, 21);
    const int32_t corners[4] = {0, 20, 420, 440};
    pin_vertices(world, cloth, corners, 4);
    for (int frame = 1; frame <= 60; ++frame) {
        pose.translate.z = fminf(-0.3f + speeds[_i] * (float)frame * FRAME, -0.05f);
        drape_collider_move(world, id, pose);
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_float_gt(report.smallest_gap, 0.0f);
    }
    ck_assert_float_gt(place_of(world, cloth, 220).z, pose.translate.z + 0.19f);
    ck_assert_int_eq(crossings_of(world, cloth, id), 0);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// --- Bodies that change ---

static void breathe(const test_mesh* mesh, float size, drape_vec3* out)
{
    for (int i = 0; i < mesh->vertex_count; ++i) {
        out[i] = dr_scale(mesh->positions[i], size);
    }
}

// A ball that swells lifts what lies on it, and lets it down again.
START_TEST(breathing_balls_lift_cloth)
{
    drape_world* world = make_world();
    drape_shape ball = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.2f};
    test_mesh mesh = mesh_of_shape(ball, 1e-3f);
    drape_vec3* places = calloc((size_t)mesh.vertex_count, sizeof *places);
    drape_collider_id id = add_mesh(world, &mesh, pose_at(vec(0, -0.2f, 0), vec(30, 0, 0)));
    drape_cloth_id cloth = add_sheet(world, _i, 0.4f, 15, vec(0, 0.01f, 0), still);
    step_frames(world, 20);
    for (int frame = 1; frame <= 90; ++frame) {
        float size = 1.0f + 0.3f * (float)sin(0.1 * frame);
        breathe(&mesh, size, places);
        ck_assert(drape_collider_set_vertices(world, id, places, mesh.vertex_count));
        drape_step_report report = drape_world_step(world, FRAME);
        ck_assert_float_gt(report.smallest_gap, 0.0f);
        ck_assert_int_eq(crossings_of(world, cloth, id), 0);
        float top = -0.2f + 0.2f * size;
        ck_assert_float_gt(place_of(world, cloth, 112).y, top - 2e-3f);
    }
    free(places);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// Frames do the same by themselves.
START_TEST(frames_move_vertices)
{
    drape_world* world = make_world();
    test_mesh mesh = mesh_of_square(1.0f, 4);
    int count = mesh.vertex_count;
    drape_vec3* frames = calloc((size_t)count * 2, sizeof *frames);
    for (int i = 0; i < count; ++i) {
        frames[i] = mesh.positions[i];
        frames[count + i] = dr_add(mesh.positions[i], vec(0, 0.5f, 0));
    }
    drape_mesh_view view = view_of(&mesh);
    drape_collider_def def = drape_collider_defaults();
    def.mesh = &view;
    def.frames = frames;
    def.frame_count = 2;
    def.fps = 1.0f;
    drape_collider_id id = drape_collider_add(world, &def);
    ck_assert(drape_collider_is_valid(world, id));
    ck_assert(!drape_collider_set_vertices(world, id, frames, count));
    drape_cloth_id cloth = add_sheet(world, _i, 0.4f, 11, vec(0.02f, 0.001f, 0.03f), still);
    step_frames(world, 30);
    ck_assert_float_eq_tol(middle_of(world, cloth).y, 0.25f, 2e-3f);
    step_frames(world, 60);
    ck_assert_float_eq_tol(middle_of(world, cloth).y, 0.5f, 2e-3f);
    ck_assert_int_eq(crossings_of(world, cloth, id), 0);
    free(frames);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// --- Inside ---

// Cloth that starts a little inside a closed body comes out of it.
START_TEST(what_starts_inside_comes_out)
{
    drape_world* world = make_world();
    drape_shape box = {.kind = DRAPE_SHAPE_BOX, .size = {1, 0.2f, 1}};
    test_mesh mesh = mesh_of_shape(box, 1e-3f);
    if (_i / 2) { // inside out is turned
        for (int i = 0; i < mesh.triangle_count; ++i) {
            int32_t* t = mesh.triangles + 3 * i;
            int32_t swap = t[1];
            t[1] = t[2];
            t[2] = swap;
        }
    }
    drape_collider_id id = add_mesh(world, &mesh, pose_at(vec(0, -0.1f, 0), still));
    drape_cloth_id cloth = add_sheet(world, _i % 2, 0.4f, 15, vec(0, -1e-3f, 0), still);
    drape_step_report report = step_frames(world, 60);
    ck_assert_float_gt(report.smallest_gap, 0.45e-3f);
    ck_assert_float_gt(middle_of(world, cloth).y, 0.0f);
    ck_assert_int_eq(crossings_of(world, cloth, id), 0);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

// --- Bytes, memory, words ---

static uint64_t hash_of_run(int workers, drape_isa isa)
{
    drape_world_def def = drape_world_defaults();
    def.worker_count = workers;
    def.isa = isa;
    drape_world* world = drape_world_create(&def);
    drape_collider_id id = add_solid(world, 7);
    add_solid(world, 2);
    add_sheet(world, false, 0.6f, 41, vec(0, 0.05f, 0), vec(0.5f, -3, 0));
    add_sheet(world, true, 0.5f, 21, vec(0.1f, 0.1f, 0), vec(0, -5, 0));
    drape_transform pose = drape_collider_pose(world, id);
    for (int frame = 0; frame < 20; ++frame) {
        pose.translate.x += 0.01f;
        drape_collider_move(world, id, pose);
        drape_world_step(world, FRAME);
    }
    uint64_t hash = drape_world_hash(world);
    drape_world_destroy(world);
    return hash;
}

START_TEST(the_same_bytes)
{
    uint64_t hash = hash_of_run(1, DRAPE_ISA_AUTO);
    ck_assert_uint_eq(hash_of_run(3, DRAPE_ISA_AUTO), hash);
    ck_assert_uint_eq(hash_of_run(1, DRAPE_ISA_PLAIN), hash);
    ck_assert_uint_eq(hash_of_run(2, DRAPE_ISA_SSE2), hash);
}
END_TEST

// Whatever allocation fails, nothing is lost and nothing crashes.
START_TEST(memory_may_run_out)
{
    test_mesh mesh = mesh_of_square(1.0f, 3);
    bool done = false;
    for (int calls = 1; !done; calls += calls / 8 + 1) {
        watched_heap heap;
        drape_world_def def = watched_world(&heap, calls);
        drape_world* world = drape_world_create(&def);
        drape_mesh_view view = view_of(&mesh);
        drape_collider_def collider = drape_collider_defaults();
        collider.mesh = &view;
        drape_cloth_def sheet = drape_cloth_defaults();
        sheet.origin = vec(-0.2f, 0.01f, -0.2f);
        drape_collider_id id = drape_collider_add(world, &collider);
        drape_cloth_id cloth = drape_cloth_add_grid(world, &sheet, 0.4f, 0.4f, 7, 7);
        if (drape_collider_is_valid(world, id) && drape_cloth_is_valid(world, cloth)) {
            drape_step_report report = drape_world_step(world, FRAME);
            drape_collider_set_vertices(world, id, mesh.positions, mesh.vertex_count);
            report = drape_world_step(world, FRAME);
            done = report.substeps > 0 && heap.calls_left > 20;
        }
        drape_world_destroy(world);
        ck_assert_uint_eq(heap.bytes, 0);
    }
    free_mesh(&mesh);
}
END_TEST

START_TEST(bad_meshes_are_refused)
{
    drape_world* world = make_world();
    drape_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    int32_t triangle[3] = {0, 1, 3};
    drape_mesh_view view = {.positions = corners, .triangles = triangle, .vertex_count = 3,
                            .triangle_count = 1};
    drape_collider_def def = drape_collider_defaults();
    def.mesh = &view;
    ck_assert(!drape_collider_is_valid(world, drape_collider_add(world, &def)));
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "3"));
    triangle[2] = 2;
    corners[1].x = NAN;
    ck_assert(!drape_collider_is_valid(world, drape_collider_add(world, &def)));
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "finite"));
    corners[1].x = 1.0f;
    view.triangle_count = 0;
    ck_assert(!drape_collider_is_valid(world, drape_collider_add(world, &def)));
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "at least one triangle"));
    view.triangle_count = 1;
    drape_collider_id id = drape_collider_add(world, &def);
    ck_assert(drape_collider_is_valid(world, id));
    ck_assert(!drape_collider_set_vertices(world, id, corners, 2));
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "expected 3 vertices"));
    corners[0].y = INFINITY;
    ck_assert(!drape_collider_set_vertices(world, id, corners, 3));
    drape_world_destroy(world);
}
END_TEST

// What is written for drawing is what was given, at the pose; things may come and go between steps.
START_TEST(what_is_drawn_is_what_was_given)
{
    drape_world* world = make_world();
    test_mesh mesh = mesh_of_square(1.0f, 2);
    drape_collider_id id = add_mesh(world, &mesh, pose_at(vec(0, 1, 0), still));
    drape_cloth_id cloth = add_sheet(world, false, 0.4f, 7, vec(0, 1.001f, 0), still);
    step_frames(world, 2);
    int vertices = 9, triangles = 8;
    drape_vec3 p[9];
    int32_t t[24];
    ck_assert(drape_collider_mesh(world, id, 1.0f, p, &vertices, t, &triangles));
    ck_assert_int_eq(memcmp(t, mesh.triangles, sizeof t), 0);
    for (int i = 0; i < 9; ++i) {
        ck_assert_float_eq(p[i].y, 1.0f);
        ck_assert_float_eq(p[i].x, mesh.positions[i].x);
    }
    drape_cloth_remove(world, cloth);
    step_frames(world, 1);
    cloth = add_sheet(world, true, 0.4f, 7, vec(0, 1.001f, 0), still);
    step_frames(world, 2);
    drape_collider_remove(world, id);
    step_frames(world, 30);
    ck_assert_float_lt(middle_of(world, cloth).y, 0.9f);
    free_mesh(&mesh);
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("mesh colliders");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, slow_cloth_never_crosses, 0, 2 * solid_count);
    tcase_add_loop_test(tests, a_mesh_box_is_a_box, 0, 2);
    tcase_add_loop_test(tests, rest_costs_nothing, 0, 2);
    tcase_add_test(tests, fine_bodies_cost_what_is_touched);
    tcase_add_loop_test(tests, speed_does_not_help, 0, 3 * solid_count);
    tcase_add_loop_test(tests, nothing_passes_an_open_plate, 0, 3);
    tcase_add_loop_test(tests, flaps_fold_around_a_rim, 0, 2);
    tcase_add_loop_test(tests, open_plates_have_two_sides, 0, 2);
    tcase_add_loop_test(tests, needles_carry_faces, 0, 4);
    tcase_add_loop_test(tests, a_bed_of_nails_stays_below, 0, 2);
    tcase_add_loop_test(tests, thin_rods_do_not_pierce, 0, 2);
    tcase_add_loop_test(tests, slip_begins_at_the_static_angle, 0, 6);
    tcase_add_loop_test(tests, belts_carry_cloth, 0, 2);
    tcase_add_loop_test(tests, turntables_turn_cloth, 0, 2);
    tcase_add_loop_test(tests, balls_do_not_pass_sheets, 0, 3);
    tcase_add_loop_test(tests, breathing_balls_lift_cloth, 0, 2);
    tcase_add_loop_test(tests, frames_move_vertices, 0, 2);
    tcase_add_loop_test(tests, what_starts_inside_comes_out, 0, 4);
    tcase_add_test(tests, the_same_bytes);
    tcase_add_test(tests, memory_may_run_out);
    tcase_add_test(tests, bad_meshes_are_refused);
    tcase_add_test(tests, what_is_drawn_is_what_was_given);
    Suite* suite = suite_create("mesh colliders");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
