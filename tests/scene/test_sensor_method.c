// The method of sensor particles in whole scenes: acceptance checks N-3, N-4, N-5 and N-11.
#include "collide/closest.h"
#include "contact/self_sensor.h"
#include "method_test.h"
#include "scene/world.h"

// --- The pinned sheets ---

// A scene as it is, but for some values.
static drape_scene* open_pinned(const char* name, const drape_override* overrides, int count)
{
    char path[512];
    drape_scene_options options = drape_scene_options_defaults();
    drape_error error = {0};
    snprintf(path, sizeof path, DRAPE_SOURCE_DIR "/scenes/%s.json", name);
    options.overrides = overrides;
    options.override_count = count;
    drape_scene* scene = drape_scene_open(path, &options, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    return scene;
}

static const drape_override plain_search[] = {
    {"collision.particles.gate", "false"},
    {"collision.particles.positive", "false"},
};
static const drape_override no_response[] = {{"collision.self", "none"}};

typedef struct tally {
    int64_t tests;     // exact ones
    int tested_frames; // with any
    int crossed_frames;
} tally;

// All frames of a scene.
static tally run_pinned(const char* name, const drape_override* overrides, int count)
{
    drape_scene* scene = open_pinned(name, overrides, count);
    tally t = {0};
    for (int frame = 0; frame < drape_scene_frame_count(scene); ++frame) {
        drape_step_report report = drape_scene_step(scene);
        ck_assert_int_eq(report.non_finite_count, 0);
        t.tests += report.exact_tests;
        t.tested_frames += report.exact_tests > 0;
        t.crossed_frames += self_crossings(scene) > 0;
    }
    drape_scene_close(scene);
    return t;
}

START_TEST(n3_stiff_diagonal_needs_no_exact_tests)
{
    tally gated = run_pinned("pins-diagonal", NULL, 0);
    tally plain = run_pinned("pins-diagonal", plain_search, 2);
    ck_assert_int_eq(gated.tests, 0);
    ck_assert_int_eq(gated.crossed_frames, 0);
    ck_assert_int_gt(plain.tests, 0);
}
END_TEST

// In whole runs, each with its own answers to what it found.
START_TEST(n4_corner_needs_no_more_tests_with_the_gate)
{
    tally gated = run_pinned("pins-corner", NULL, 0);
    tally open = run_pinned("pins-corner", plain_search, 1);
    ck_assert_int_gt(gated.tests, 0);
    ck_assert_int_le(gated.tests, open.tests);
    ck_assert_int_le(gated.tested_frames, open.tested_frames);
}
END_TEST

// --- One motion, two detectors ---

// A sheet that is not answered goes through itself; detectors that only look see the same places.
typedef struct theatre {
    drape_scene* scene;
    dr_memory memory;
    dr_sheets sheets;
    dr_limits limits;
    dr_self_sensor gated, open;
} theatre;

static void create_watcher(theatre* t, dr_self_sensor* sensor, bool use_gate)
{
    const drape_particles_def* def = &drape_scene_world(t->scene)->def.particles;
    dr_self_sensor_options options = dr_self_sensor_defaults();
    options.use_gate = use_gate;
    options.answer = DR_SENSOR_LIST;
    options.with_corners = true;
    options.particle_count = def->count;
    options.particles.tolerance = (double)def->tolerance;
    options.particles.most_moves = def->n_max;
    options.particles.least_moving = def->n_min;
    ck_assert(dr_self_sensor_create(sensor, &t->memory, NULL, &t->sheets, &options));
}

static theatre* open_theatre(const char* name)
{
    theatre* t = calloc(1, sizeof *t);
    t->scene = open_pinned(name, no_response, 1);
    dr_memory_init(&t->memory, NULL);
    drape_world* world = drape_scene_world(t->scene);
    const dr_cloth* cloth = dr_world_cloth(world, drape_scene_cloth(t->scene, 0));
    dr_sheets_part part = {.mesh = &cloth->mesh, .columns = cloth->columns, .rows = cloth->rows};
    ck_assert(dr_sheets_create(&t->sheets, &t->memory, &part, 1));
    ck_assert(dr_limits_create(&t->limits, &t->memory, t->sheets.vertex_count));
    dr_check_mesh mesh = cloth_mesh(t->scene, 0);
    memcpy(t->sheets.end, mesh.positions, sizeof *mesh.positions * (size_t)mesh.vertex_count);
    create_watcher(t, &t->gated, true);
    create_watcher(t, &t->open, false);
    return t;
}

static void close_theatre(theatre* t)
{
    dr_self_sensor_free(&t->gated, &t->memory);
    dr_self_sensor_free(&t->open, &t->memory);
    dr_limits_free(&t->limits, &t->memory);
    dr_sheets_free(&t->sheets, &t->memory);
    drape_scene_close(t->scene);
    free(t);
}

// The next frame, as both see it.
static void show_frame(theatre* t, dr_self_result* gated, dr_self_result* open)
{
    drape_scene_step(t->scene);
    dr_check_mesh mesh = cloth_mesh(t->scene, 0);
    size_t bytes = sizeof *mesh.positions * (size_t)mesh.vertex_count;
    memcpy(t->sheets.start, t->sheets.end, bytes);
    memcpy(t->sheets.end, mesh.positions, bytes);
    ck_assert(dr_self_sensor_detect(&t->gated, &t->memory, NULL, &t->limits, 1, gated));
    ck_assert(dr_self_sensor_detect(&t->open, &t->memory, NULL, &t->limits, 1, open));
}

static void expect_same_contacts(const theatre* t)
{
    int counts[2];
    const dr_sensor_contact* a = dr_self_sensor_contacts(&t->gated, &counts[0]);
    const dr_sensor_contact* b = dr_self_sensor_contacts(&t->open, &counts[1]);
    ck_assert_int_eq(counts[0], counts[1]);
    for (int i = 0; i < counts[0]; ++i) {
        ck_assert(a[i].a == b[i].a && a[i].b == b[i].b && a[i].relation == b[i].relation);
        ck_assert_mem_eq(&a[i].normal, &b[i].normal, sizeof a[i].normal);
        ck_assert_float_eq(a[i].gap, b[i].gap);
    }
}

START_TEST(n4_no_frame_has_more_tests_with_the_gate)
{
    theatre* t = open_theatre("pins-corner");
    int64_t saved = 0, tests = 0;
    for (int frame = 0; frame < drape_scene_frame_count(t->scene); ++frame) {
        dr_self_result gated, open;
        show_frame(t, &gated, &open);
        ck_assert_int_le(gated.exact_tests, open.exact_tests);
        saved += open.exact_tests - gated.exact_tests;
        tests += gated.exact_tests;
    }
    ck_assert_int_gt(tests, 0);
    ck_assert_int_gt(saved, 0);
    close_theatre(t);
}
END_TEST

START_TEST(n5_center_has_the_same_contacts_once_open)
{
    theatre* t = open_theatre("pins-center");
    int open_frames = 0, met_frames = 0, missed_frames = 0;
    for (int frame = 0; frame < drape_scene_frame_count(t->scene); ++frame) {
        dr_self_result gated, open;
        show_frame(t, &gated, &open);
        if (dr_self_sensor_is_open(&t->gated, 0)) {
            expect_same_contacts(t);
            ++open_frames;
            met_frames += gated.far_pairs > 0;
        } else {
            ck_assert_int_eq(gated.far_pairs, 0);
            missed_frames += open.far_pairs > 0;
        }
    }
    ck_assert_int_gt(met_frames, 30);
    // Four particles may come late by a frame or two, and then keep the gate open.
    ck_assert_int_le(missed_frames, 2);
    ck_assert_int_lt(open_frames, drape_scene_frame_count(t->scene));
    close_theatre(t);
}
END_TEST

// --- Saved states ---

// Another world with the state of this one.
static drape_scene* copy_pinned(const char* name, drape_world* world)
{
    size_t size = 0;
    drape_world_save(world, NULL, &size);
    void* state = malloc(size);
    ck_assert(drape_world_save(world, state, &size));
    drape_scene* scene = open_pinned(name, NULL, 0);
    ck_assert(drape_world_load(drape_scene_world(scene), state, size));
    free(state);
    return scene;
}

// What a state does not hold shows in the particles first, and in the cloth only when they come to
// see a fold in another step: a world from each frame goes on as the one it was saved from.
START_TEST(particles_go_on_from_a_saved_state)
{
    drape_scene* scene = open_pinned("pins-center", NULL, 0);
    drape_world* world = drape_scene_world(scene);
    for (int frame = 0; frame < 30; ++frame) {
        drape_scene* other = copy_pinned("pins-center", world);
        drape_world* worlds[2] = {world, drape_scene_world(other)};
        drape_vec3 places[2][4];
        for (int k = 0; k < 2; ++k) {
            drape_world_step(worlds[k], 1.0f / 50.0f);
            drape_cloth_id cloth = drape_scene_cloth(k == 0 ? scene : other, 0);
            ck_assert_int_eq(drape_cloth_particles(worlds[k], cloth, places[k], 4), 4);
        }
        ck_assert_msg(memcmp(places[0], places[1], sizeof places[0]) == 0, "frame %d", frame);
        drape_scene_close(other);
    }
    drape_scene_close(scene);
}
END_TEST

// --- The filter ---

enum { SIDE = 15 };

// A ball of triangles, so that normals are those of what cloth meets.
typedef struct ball {
    dr_check_mesh mesh; // at the origin
    drape_collider_id id;
} ball;

static ball add_ball(drape_world* world, float radius)
{
    drape_world_def def = drape_world_defaults();
    drape_world* other = drape_world_create(&def);
    ball b = {.mesh = collider_mesh(other, drape_collider_add_sphere(other, vec(0, 0, 0), radius))};
    drape_world_destroy(other);
    drape_mesh_view view = {.positions = b.mesh.positions,
                            .triangles = b.mesh.triangles,
                            .vertex_count = b.mesh.vertex_count,
                            .triangle_count = b.mesh.triangle_count};
    drape_collider_def collider = drape_collider_defaults();
    collider.mesh = &view;
    b.id = drape_collider_add(world, &collider);
    ck_assert_msg(drape_collider_is_valid(world, b.id), "%s", drape_world_error(world));
    return b;
}

// The way to a place from the nearest point of the ball.
static drape_vec3 way_from(const ball* b, drape_vec3 place)
{
    drape_vec3 best = {0};
    float least = INFINITY;
    for (int t = 0; t < b->mesh.triangle_count; ++t) {
        const int32_t* v = b->mesh.triangles + 3 * t;
        drape_vec3 corners[3], point = {0};
        for (int k = 0; k < 3; ++k) {
            corners[k] = b->mesh.positions[v[k]];
        }
        dr_closest at = dr_closest_point_triangle(place, corners[0], corners[1], corners[2]);
        if (at.squared < least) {
            for (int k = 0; k < 3; ++k) {
                point = dr_add(point, dr_scale(corners[k], at.weight[k]));
            }
            least = at.squared;
            best = dr_sub(place, point);
        }
    }
    return best;
}

static drape_cloth_id add_soft_square(drape_world* world, float height)
{
    drape_cloth_def def = drape_cloth_defaults();
    def.fabric.density = 0.2f;
    def.fabric.stretch_warp = def.fabric.stretch_weft = 40.0f;
    def.fabric.shear = 5.0f;
    def.fabric.bend_warp = def.fabric.bend_weft = 1e-4f;
    def.origin = vec(-0.25f, height, -0.25f);
    drape_cloth_id id = drape_cloth_add_grid(world, &def, 0.5f, 0.5f, SIDE, SIDE);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

// A sheet falls on a ball, which then rises. What was in contact when a step began does not go
// towards the ball in it, as the ball sees it.
START_TEST(n11_nothing_moves_into_the_ball)
{
    const float radius = 0.15f, thickness = 0.005f, step = 1.0f / 600.0f;
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("sensor", &def.method));
    def.thickness = thickness;
    def.substeps = 1;
    def.damping = 2.0f;
    drape_world* world = drape_world_create(&def);
    ball b = add_ball(world, radius);
    drape_cloth_id cloth = add_soft_square(world, radius + 2.0f * thickness);
    drape_vec3 center = vec(0, 0, 0);
    int touching = 0;
    for (int i = 0; i < 180; ++i) {
        drape_vec3 ways[SIDE * SIDE];
        drape_vec3 velocity = vec(0, i < 90 ? 0.0f : 0.5f, 0);
        for (int k = 0; k < SIDE * SIDE; ++k) {
            ways[k] = way_from(&b, dr_sub(place_of(world, cloth, k), center));
        }
        center = dr_add(center, dr_scale(velocity, step));
        ck_assert(drape_collider_move(world, b.id, pose_at(center, vec(0, 0, 0))));
        ck_assert_int_eq(drape_world_step(world, step).substeps, 1);
        const drape_vec3* v = drape_cloth_velocities(world, cloth, NULL);
        for (int k = 0; k < SIDE * SIDE; ++k) {
            float gap = dr_length(ways[k]);
            if (gap <= thickness) {
                // Places are floats: a speed of 1e-4 m/s is rounding.
                float away = dr_dot(dr_sub(v[k], velocity), dr_scale(ways[k], 1.0f / gap));
                ck_assert_msg(away > -1e-3f, "step %d, vertex %d: %g m/s", i, k, (double)away);
                ++touching;
            }
        }
    }
    ck_assert_int_gt(touching, 1000);
    free_check_mesh(&b.mesh);
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("sensor_method");
    TCase* cases = tcase_create("sensor_method");
    tcase_add_test(cases, n3_stiff_diagonal_needs_no_exact_tests);
    tcase_add_test(cases, n4_corner_needs_no_more_tests_with_the_gate);
    tcase_add_test(cases, n4_no_frame_has_more_tests_with_the_gate);
    tcase_add_test(cases, n5_center_has_the_same_contacts_once_open);
    tcase_add_test(cases, particles_go_on_from_a_saved_state);
    tcase_add_test(cases, n11_nothing_moves_into_the_ball);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
