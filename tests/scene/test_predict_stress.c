// Two layers on a leg, as games have them, on bad days: the method `predict` with animation ten and
// a hundred times too fast, hitches, solids that pinch, pins torn apart, layers that start tangled.
// Never a number that is none, nothing flies off, and a second later the garment is as it should be:
// not stretched, not in a solid, its layers not through each other.
#include "collide/triangle_pair.h"
#include "world_test.h"

#define PI 3.14159265f
#define STEP (1.0f / 30.0f)

enum { columns = 8, rows = 12, count = columns * rows };

typedef struct garment {
    drape_world* world;
    drape_cloth_id layers[2];
    drape_collider_id leg, other; // `other` is far away until it is wanted
    drape_pin_id pins[2];
    bool has_pose;
    drape_vec3 home[2][count];
} garment;

// How contacts are found: in every step, or once.
typedef struct wish {
    bool use_cache, has_pose;
    int substeps, iterations;
} wish;

static const wish wishes[] = {
    {false, false, 1, 4}, {true, false, 4, 2}, {false, true, 4, 2}, {true, true, 1, 4}};
enum { wish_count = sizeof wishes / sizeof wishes[0] };

// The outside of a flap is where z grows.
static drape_cloth_id add_flap(drape_world* world, int layer, float x, float z)
{
    drape_cloth_def def = drape_cloth_defaults();
    ck_assert(drape_fabric_by_name("denim", &def.fabric));
    def.layer = layer;
    def.rotation = drape_quat_from_degrees(vec(90, 0, 0));
    def.origin = vec(x - 0.15f, 1.02f, z);
    drape_cloth_id id = drape_cloth_add_grid(world, &def, 0.3f, 0.44f, columns, rows);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

// As animators paint it: further from the waist more is allowed.
static void follow(garment* g, int layer)
{
    float most[count];
    for (int i = 0; i < count; ++i) {
        most[i] = 0.02f * (float)(i / columns);
    }
    drape_pose_def limits = {.max_distance = most};
    ck_assert(drape_cloth_follow(g->world, g->layers[layer], &limits));
    ck_assert(drape_cloth_set_pose(g->world, g->layers[layer], g->home[layer], NULL, count));
}

static garment dress(const wish* w, float outer_z)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("predict", &def.method));
    def.substeps = w->substeps;
    def.iterations = w->iterations;
    def.damping = 1.0f;
    def.wind.drag = 1.0f;
    def.thickness = 0.01f;
    def.static_radius = 0.02f;
    def.friction_static = def.friction_dynamic = 0.3f;
    def.predictive.use_cache = w->use_cache;
    garment g = {.world = drape_world_create(&def), .has_pose = w->has_pose};
    drape_collider_def leg = drape_collider_defaults();
    leg.shape = (drape_shape){
        .kind = DRAPE_SHAPE_CAPSULE, .radius = 0.07f, .radius_top = 0.1f, .height = 0.8f};
    leg.place = pose_at(vec(0, 0.6f, 0), vec(0, 0, 0));
    g.leg = drape_collider_add(g.world, &leg);
    leg.place = pose_at(vec(0, 0.7f, 2), vec(0, 0, 0));
    g.other = drape_collider_add(g.world, &leg);
    g.layers[0] = add_flap(g.world, 0, -0.02f, 0.13f);
    g.layers[1] = add_flap(g.world, 1, 0.02f, outer_z);
    int32_t top[columns];
    for (int i = 0; i < columns; ++i) {
        top[i] = i;
    }
    for (int k = 0; k < 2; ++k) {
        memcpy(g.home[k], drape_cloth_positions(g.world, g.layers[k], NULL), sizeof g.home[k]);
        drape_pin_def pin = drape_pin_defaults();
        pin.vertices = top;
        pin.vertex_count = columns;
        pin.collider = g.leg;
        g.pins[k] = drape_cloth_pin(g.world, g.layers[k], &pin);
        ck_assert_int_ne(g.pins[k].slot, 0);
        if (w->has_pose) {
            follow(&g, k);
        }
    }
    return g;
}

// --- Judges ---

static int compare_floats(const void* p, const void* q)
{
    float a = *(const float*)p, b = *(const float*)q;
    return (a > b) - (a < b);
}

// The stretch that one edge in a hundred exceeds.
static float usual_stretch(const garment* g, int layer)
{
    int triangles, edges = 0;
    const int32_t* t = drape_cloth_triangles(g->world, g->layers[layer], &triangles);
    const drape_vec3* p = drape_cloth_positions(g->world, g->layers[layer], NULL);
    static float strain[3 * 2 * (columns - 1) * (rows - 1)];
    for (int i = 0; i < 3 * triangles; ++i) {
        int a = t[i], b = t[i / 3 * 3 + (i + 1) % 3];
        float rest = dr_length(dr_sub(g->home[layer][a], g->home[layer][b]));
        strain[edges++] = dr_length(dr_sub(p[a], p[b])) / rest - 1.0f;
    }
    qsort(strain, (size_t)edges, sizeof *strain, compare_floats);
    return strain[edges - 1 - edges / 100];
}

// Pairs of triangles of the two layers that cross.
static int count_crossings(const garment* g)
{
    int triangles, crossings = 0;
    const int32_t* t = drape_cloth_triangles(g->world, g->layers[0], &triangles);
    const int32_t* u = drape_cloth_triangles(g->world, g->layers[1], NULL);
    const drape_vec3* p = drape_cloth_positions(g->world, g->layers[0], NULL);
    const drape_vec3* q = drape_cloth_positions(g->world, g->layers[1], NULL);
    for (int i = 0; i < triangles; ++i) {
        drape_vec3 a[3] = {p[t[3 * i]], p[t[3 * i + 1]], p[t[3 * i + 2]]};
        for (int k = 0; k < triangles; ++k) {
            drape_vec3 b[3] = {q[u[3 * k]], q[u[3 * k + 1]], q[u[3 * k + 2]]};
            crossings += dr_triangle_pair(a, NULL, b, NULL).relation == DR_TRIANGLES_CROSSING;
        }
    }
    return crossings;
}

static drape_step_report step(garment* g, drape_transform leg, float dt)
{
    drape_transform first = pose_at(vec(0, 0.6f, 0), vec(0, 0, 0));
    drape_collider_move(g->world, g->leg, leg);
    for (int k = 0; g->has_pose && k < 2; ++k) {
        drape_vec3 pose[count];
        for (int i = 0; i < count; ++i) {
            pose[i] = dr_transform_apply(leg, dr_transform_inverse_apply(first, g->home[k][i]));
        }
        ck_assert(drape_cloth_set_pose(g->world, g->layers[k], pose, NULL, count));
    }
    drape_step_report report = drape_world_step(g->world, dt);
    ck_assert_int_eq(report.non_finite_count, 0);
    for (int k = 0; k < 2; ++k) {
        ck_assert(is_finite_cloth(g->world, g->layers[k]));
        // No further than the solid that may drag it along.
        for (int v = 0; v < count; ++v) {
            drape_vec3 way = dr_sub(place_of(g->world, g->layers[k], v), leg.translate);
            ck_assert_msg(dr_length(way) < 2.5f, "%g m away", (double)dr_length(way));
        }
    }
    return report;
}

// A second later. Cloth that follows no pose may have been caught behind a leg or in itself, and
// hangs there: nobody has said where it belongs. It must not be torn, though.
static void expect_well(garment* g, drape_transform leg)
{
    drape_step_report report = {0};
    for (int i = 0; i < 30; ++i) {
        report = step(g, leg, STEP);
    }
    ck_assert_float_gt(report.smallest_gap, -1e-3f);
    for (int k = 0; k < 2; ++k) {
        float usual = usual_stretch(g, k), most = g->has_pose ? 0.15f : 0.5f;
        ck_assert_msg(usual < most, "layer %d stretched by %g", k, (double)usual);
    }
    if (g->has_pose) {
        ck_assert_int_eq(count_crossings(g), 0);
    }
    drape_world_destroy(g->world);
}

// --- Bad days ---

// A dance of some metres, at a time in seconds.
static drape_transform dance(float time)
{
    return pose_at(vec(0.5f * sinf(2.0f * PI * time), 0.6f + 0.2f * sinf(4.4f * PI * time),
                       0.3f * sinf(3.0f * PI * time)),
                   vec(30.0f * sinf(5.0f * time), 60.0f * sinf(PI * time), 0.0f));
}

START_TEST(animation_too_fast_passes)
{
    for (float speed = 1.0f; speed < 200.0f; speed *= 10.0f) {
        garment g = dress(&wishes[_i], 0.145f);
        drape_transform leg = {0};
        for (int i = 1; i <= 45; ++i) {
            leg = dance(speed * (float)i * STEP);
            step(&g, leg, STEP);
        }
        expect_well(&g, leg);
    }
}
END_TEST

START_TEST(hitches_pass)
{
    garment g = dress(&wishes[_i], 0.145f);
    drape_transform leg = {0};
    float time = 0.0f;
    for (int i = 1; i <= 40; ++i) {
        float dt = i % 4 == 0 ? 0.2f : 1.0f / 60.0f;
        time += dt;
        leg = dance(time);
        step(&g, leg, dt);
    }
    expect_well(&g, leg);
}
END_TEST

// Another leg comes from the front until the two overlap, and leaves again.
START_TEST(solids_that_pinch_let_go)
{
    garment g = dress(&wishes[_i], 0.145f);
    drape_transform leg = pose_at(vec(0, 0.6f, 0), vec(0, 0, 0));
    for (int i = 0; i < 40; ++i) {
        float near = i < 10 ? (float)i / 10.0f : i < 30 ? 1.0f : 0.0f;
        drape_collider_move(g.world, g.other,
                            pose_at(vec(0.02f, 0.7f, 2.0f - 1.9f * near), vec(0, 0, 0)));
        step(&g, leg, STEP);
    }
    expect_well(&g, leg);
}
END_TEST

// The pins of the outer layer are drawn a metre through the leg and the other layer, and back.
START_TEST(pins_torn_through_the_leg_come_back)
{
    garment g = dress(&wishes[_i], 0.145f);
    drape_transform leg = pose_at(vec(0, 0.6f, 0), vec(0, 0, 0));
    drape_pin_release(g.world, g.pins[1]);
    int32_t top[columns];
    for (int i = 0; i < columns; ++i) {
        top[i] = i;
    }
    drape_pin_id pin = pin_vertices(g.world, g.layers[1], top, columns);
    for (int frame = 0; frame < 30; ++frame) {
        float away = frame < 10 ? 0.1f * (float)frame : frame < 20 ? 1.0f : 0.0f;
        drape_vec3 targets[columns];
        for (int i = 0; i < columns; ++i) {
            targets[i] = dr_add(g.home[1][i], vec(0.3f * away, 0, -away));
        }
        ck_assert(drape_pin_move(g.world, pin, targets, columns));
        step(&g, leg, STEP);
    }
    expect_well(&g, leg);
}
END_TEST

// The outer layer begins with its lower half behind the inner one.
START_TEST(tangled_layers_come_apart)
{
    garment g = dress(&wishes[_i], 0.145f);
    drape_transform leg = pose_at(vec(0, 0.6f, 0), vec(0, 0, 0));
    drape_vec3 places[count], velocities[count] = {{0, 0, 0}};
    for (int i = 0; i < count; ++i) {
        float down = (float)(i / columns) / (rows - 1);
        places[i] = dr_add(g.home[1][i], vec(0, 0, -0.03f * down));
    }
    ck_assert(drape_cloth_set_state(g.world, g.layers[1], places, velocities, count));
    ck_assert_int_gt(count_crossings(&g), 10);
    expect_well(&g, leg);
}
END_TEST

// Pins that are through each other can never be right, and nothing may come of it.
START_TEST(pins_through_each_other_blow_nothing_up)
{
    garment g = dress(&wishes[_i], 0.128f);
    drape_transform leg = pose_at(vec(0, 0.6f, 0), vec(0, 0, 0));
    for (int i = 0; i < 60; ++i) {
        step(&g, leg, STEP);
    }
    for (int k = 0; k < 2; ++k) {
        ck_assert_float_lt(usual_stretch(&g, k), 2.0f);
        ck_assert_float_lt(fastest_of(g.world, g.layers[k]), 5.0f);
    }
    drape_world_destroy(g.world);
}
END_TEST

// A wheel of slivers, three hundred times as long as wide, hung up by its hub.
START_TEST(slivers_stay_together)
{
    enum { spokes = 1000 };
    static drape_vec3 places[spokes + 1];
    static int32_t triangles[spokes][3];
    places[0] = vec(0, 1, 0);
    for (int i = 0; i < spokes; ++i) {
        float angle = 2.0f * PI * (float)i / spokes;
        places[1 + i] = vec(0.5f * cosf(angle), 1.0f, 0.5f * sinf(angle));
        triangles[i][0] = 0;
        triangles[i][1] = 1 + (i + 1) % spokes;
        triangles[i][2] = 1 + i;
    }
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("predict", &def.method));
    def.substeps = def.iterations = 4;
    drape_world* world = drape_world_create(&def);
    drape_cloth_def cloth = drape_cloth_defaults();
    cloth.control.yarns = _i != 0;
    drape_mesh_view view = {.positions = places,
                            .vertex_count = spokes + 1,
                            .triangles = triangles[0],
                            .triangle_count = spokes};
    drape_cloth_id id = drape_cloth_add_mesh(world, &cloth, &view);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    pin_vertices(world, id, (int32_t[]){0}, 1);
    for (int frame = 0; frame < 20; ++frame) {
        ck_assert_int_eq(drape_world_step(world, STEP).non_finite_count, 0);
        for (int v = 1; v <= spokes; ++v) {
            float spoke = dr_length(dr_sub(place_of(world, id, v), places[0]));
            ck_assert_msg(spoke < 0.55f, "%g m", (double)spoke);
        }
    }
    drape_world_destroy(world);
}
END_TEST

// What is torn is part of a snapshot.
START_TEST(a_bad_day_goes_on_from_a_snapshot)
{
    garment one = dress(&wishes[_i], 0.145f), two = dress(&wishes[_i], 0.145f);
    for (int i = 1; i <= 6; ++i) {
        step(&one, dance(10.0f * (float)i * STEP), STEP);
    }
    size_t size = 0;
    ck_assert(drape_world_save(one.world, NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(one.world, bytes, &size));
    ck_assert(drape_world_load(two.world, bytes, size));
    free(bytes);
    for (int i = 7; i <= 12; ++i) {
        step(&one, dance(10.0f * (float)i * STEP), STEP);
        step(&two, dance(10.0f * (float)i * STEP), STEP);
    }
    ck_assert_uint_eq(drape_world_hash(one.world), drape_world_hash(two.world));
    drape_world_destroy(one.world);
    drape_world_destroy(two.world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("predict_stress");
    TCase* tests = tcase_create("predict_stress");
    tcase_add_loop_test(tests, animation_too_fast_passes, 0, wish_count);
    tcase_add_loop_test(tests, hitches_pass, 0, wish_count);
    tcase_add_loop_test(tests, solids_that_pinch_let_go, 0, wish_count);
    tcase_add_loop_test(tests, pins_torn_through_the_leg_come_back, 0, wish_count);
    tcase_add_loop_test(tests, tangled_layers_come_apart, 0, wish_count);
    tcase_add_loop_test(tests, pins_through_each_other_blow_nothing_up, 0, wish_count);
    tcase_add_loop_test(tests, slivers_stay_together, 0, 2);
    tcase_add_loop_test(tests, a_bad_day_goes_on_from_a_snapshot, 0, wish_count);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
