// Methods `predict` and `predict_paper`: whole worlds.
#include "collide/triangle_pair.h"
#include "world_test.h"

static drape_world_def predict_def(int substeps, int iterations)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("predict", &def.method));
    def.substeps = substeps;
    def.iterations = iterations;
    def.thickness = 0.01f;
    def.static_radius = 0.02f;
    def.friction_static = def.friction_dynamic = 0.3f;
    return def;
}

static drape_cloth_id add_layer(drape_world* world, float size, int count, drape_vec3 middle,
                                drape_vec3 degrees, drape_vec3 velocity, int layer)
{
    drape_cloth_def def = drape_cloth_defaults();
    def.rotation = drape_quat_from_degrees(degrees);
    def.origin = dr_add(middle, dr_quat_rotate(def.rotation, vec(-0.5f * size, 0, -0.5f * size)));
    def.velocity = velocity;
    def.layer = layer;
    drape_cloth_id id = drape_cloth_add_grid(world, &def, size, size, count, count);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

static void pin_border(drape_world* world, drape_cloth_id cloth, int count)
{
    int32_t vertices[400];
    int pinned = 0;
    for (int i = 0; i < count * count; ++i) {
        int c = i % count, r = i / count;
        if (c == 0 || r == 0 || c == count - 1 || r == count - 1) {
            vertices[pinned++] = i;
        }
    }
    drape_pin_def pin = drape_pin_defaults();
    pin.vertices = vertices;
    pin.vertex_count = pinned;
    ck_assert_int_ne(drape_cloth_pin(world, cloth, &pin).slot, 0);
}

// --- Judges ---

typedef struct corners {
    drape_vec3 at[3];
} corners;

static corners corners_of(drape_world* world, drape_cloth_id cloth, int triangle)
{
    const drape_vec3* p = drape_cloth_positions(world, cloth, NULL);
    const int32_t* t = drape_cloth_triangles(world, cloth, NULL) + 3 * triangle;
    return (corners){{p[t[0]], p[t[1]], p[t[2]]}};
}

// Crossings of the triangles of two cloths.
static int count_crossings(drape_world* world, drape_cloth_id a, drape_cloth_id b)
{
    int count_a, count_b, crossings = 0;
    drape_cloth_triangles(world, a, &count_a);
    drape_cloth_triangles(world, b, &count_b);
    for (int i = 0; i < count_a; ++i) {
        corners one = corners_of(world, a, i);
        for (int k = 0; k < count_b; ++k) {
            corners two = corners_of(world, b, k);
            crossings +=
                dr_triangle_pair(one.at, NULL, two.at, NULL).relation == DR_TRIANGLES_CROSSING;
        }
    }
    return crossings;
}

// Height of p over a triangle along y; false when it is not over or under it.
static bool height_over(corners c, drape_vec3 p, double* height)
{
    drape_vec3 ab = dr_sub(c.at[1], c.at[0]), ac = dr_sub(c.at[2], c.at[0]);
    drape_vec3 ap = dr_sub(p, c.at[0]);
    double area = (double)ab.x * ac.z - (double)ab.z * ac.x;
    double v = ((double)ap.x * ac.z - (double)ap.z * ac.x) / area;
    double w = ((double)ab.x * ap.z - (double)ab.z * ap.x) / area;
    *height = ap.y - v * ab.y - w * ac.y;
    return v >= 0.0 && w >= 0.0 && v + w <= 1.0;
}

// Vertices of the upper sheet over the lower one, and those of them that are under it.
static int count_wrong(drape_world* world, drape_cloth_id upper, drape_cloth_id lower, int* over)
{
    int vertices, triangles, wrong = 0;
    const drape_vec3* p = drape_cloth_positions(world, upper, &vertices);
    drape_cloth_triangles(world, lower, &triangles);
    for (int v = 0; v < vertices; ++v) {
        for (int t = 0; t < triangles; ++t) {
            double height;
            if (height_over(corners_of(world, lower, t), p[v], &height)) {
                ++*over;
                wrong += height < 0.0;
                break;
            }
        }
    }
    return wrong;
}

// What kept contacts were found for must be so still.
START_TEST(c8_stale_contacts_are_refused)
{
    drape_world_def def = predict_def(1, 10);
    def.predictive.use_cache = true;
    def.static_radius = _i == 1 ? 0.03f : 0.02f;
    def.predictive.use_layers = _i != 2;
    drape_world* worlds[2];
    for (int k = 0; k < 2; ++k) {
        drape_world_def own = k == 0 ? predict_def(1, 10) : def;
        own.predictive.use_cache = true;
        own.static_radius = k == 0 ? 0.02f : def.static_radius;
        worlds[k] = drape_world_create(&own);
        float height = k == 1 && _i == 3 ? 0.016f : 0.015f;
        int layer = k == 1 && _i == 4 ? 2 : 1;
        add_layer(worlds[k], 0.4f, 5, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), 0);
        add_layer(worlds[k], 0.3f, 5, vec(0, height, 0), vec(0, 0, 0), vec(0, 0, 0), layer);
    }
    size_t size = 0;
    ck_assert(drape_world_save_contacts(worlds[0], NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save_contacts(worlds[0], bytes, &size));
    ck_assert(drape_world_load_contacts(worlds[1], bytes, size) == (_i == 0));
    free(bytes);
    drape_world_destroy(worlds[0]);
    drape_world_destroy(worlds[1]);
}
END_TEST

// --- Colliders ---

static float lowest_of(const drape_world* world, drape_cloth_id cloth)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(world, cloth, &count);
    float lowest = p[0].y;
    for (int v = 1; v < count; ++v) {
        lowest = fminf(lowest, p[v].y);
    }
    return lowest;
}

typedef struct fall {
    drape_world* world;
    drape_cloth_id cloth;
} fall;

// A square over a solid round the origin, at 1, 10 or 100 times 2 m/s.
static fall fall_on_solid(int i, drape_obstacle_response obstacles)
{
    const float speeds[] = {2.0f, 20.0f, 200.0f};
    drape_world_def def = predict_def(1, 10);
    def.method.obstacles = obstacles;
    drape_world* world = drape_world_create(&def);
    drape_collider_def collider = drape_collider_defaults();
    collider.shape = (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f};
    if (i % 3 == 1) {
        collider.shape = (drape_shape){
            .kind = DRAPE_SHAPE_CAPSULE, .radius = 0.2f, .radius_top = 0.15f, .height = 0.4f};
        collider.place.rotate = drape_quat_from_degrees(vec(0, 0, 90));
    } else if (i % 3 == 2) {
        collider.shape = (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {0.5f, 0.3f, 0.4f}};
        collider.place.rotate = drape_quat_from_degrees(vec(20, 30, 10));
    }
    drape_collider_add(world, &collider);
    drape_cloth_id cloth =
        add_square(world, 0.2f, 5, vec(0.02f, 0.42f, 0.01f), vec(0, -speeds[i / 3], 0));
    return (fall){world, cloth};
}

// All vertices end outside, exactly, and on the side that they came from.
START_TEST(c3_same_side_after_the_step)
{
    fall f = fall_on_solid(_i, DRAPE_OBSTACLES_PREDICTIVE);
    for (int i = 0; i < 5; ++i) {
        drape_step_report report = drape_world_step(f.world, 1.0f / 30.0f);
        ck_assert_float_ge(report.smallest_gap, 0.0f);
        ck_assert_int_eq(report.non_finite_count, 0);
        // Later it may hang down at the sides.
        ck_assert_float_gt(lowest_of(f.world, f.cloth), i == 0 ? 0.0f : -0.1f);
    }
    drape_world_destroy(f.world);
}
END_TEST

// Pushed out after the fact they are through, from 20 m/s on.
START_TEST(c3_pushed_out_is_on_the_other_side)
{
    fall f = fall_on_solid(_i, DRAPE_OBSTACLES_DISCRETE);
    drape_world_step(f.world, 1.0f / 30.0f);
    drape_world_step(f.world, 1.0f / 30.0f);
    ck_assert_float_lt(lowest_of(f.world, f.cloth), 0.0f);
    drape_world_destroy(f.world);
}
END_TEST

// --- Two sheets ---

// A sheet flies at another one, which is held at its border, at 1, 10 and 100 times 0.24 m/s.
START_TEST(c6_two_sheets_keep_their_sides)
{
    const float speeds[] = {0.24f, 2.4f, 24.0f};
    const int frames[] = {12, 12, 1};
    enum { count = 6 };
    drape_world_def def = predict_def(1, 10);
    drape_world* world = drape_world_create(&def);
    drape_cloth_id lower =
        add_layer(world, 0.4f, count, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), -1);
    pin_border(world, lower, count);
    drape_cloth_id upper = add_layer(world, 0.4f, count, vec(0.013f, 0.05f, 0.017f), vec(0, 20, 0),
                                     vec(0, -speeds[_i], 0), -1);
    for (int i = 0; i < frames[_i]; ++i) {
        drape_step_report report = drape_world_step(world, 1.0f / 30.0f);
        int over = 0;
        ck_assert_int_eq(count_wrong(world, upper, lower, &over), 0);
        // Otherwise nothing has been shown.
        ck_assert_int_gt(over, 12);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert(i < frames[_i] - 1 || report.self_contact_count > 20);
    }
    drape_world_destroy(world);
}
END_TEST

// Without contacts the same sheet passes.
START_TEST(c6_without_contacts_they_pass)
{
    enum { count = 6 };
    drape_world_def def = predict_def(1, 10);
    def.method.self = DRAPE_SELF_NONE;
    drape_world* world = drape_world_create(&def);
    drape_cloth_id lower =
        add_layer(world, 0.4f, count, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), -1);
    pin_border(world, lower, count);
    drape_cloth_id upper = add_layer(world, 0.4f, count, vec(0.013f, 0.05f, 0.017f), vec(0, 20, 0),
                                     vec(0, -2.4f, 0), -1);
    for (int i = 0; i < 3; ++i) {
        drape_world_step(world, 1.0f / 30.0f);
    }
    int over = 0;
    ck_assert_int_gt(count_wrong(world, upper, lower, &over), 10);
    drape_world_destroy(world);
}
END_TEST

// --- As printed ---

// Two sheets at rest, further apart than they are thick. Their distance along y after three steps,
// and how much they are stretched.
static float rest_apart(const char* method, drape_contact_features features, float* stretch)
{
    enum { count = 6 };
    drape_world_def def = predict_def(1, 10);
    ck_assert(drape_method_by_name(method, &def.method));
    def.gravity = vec(0, 0, 0);
    def.predictive.features = features;
    drape_world* world = drape_world_create(&def);
    drape_cloth_id lower =
        add_layer(world, 0.1f, count, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), -1);
    drape_cloth_id upper =
        add_layer(world, 0.1f, count, vec(0.007f, 0.015f, 0.004f), vec(0, 0, 0), vec(0, 0, 0), -1);
    drape_step_report report = {0};
    for (int i = 0; i < 3; ++i) {
        report = drape_world_step(world, 1.0f / 30.0f);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert(i > 0 || report.self_contact_count > 0);
    }
    *stretch = report.max_stretch;
    float apart = middle_of(world, upper).y - middle_of(world, lower).y;
    drape_world_destroy(world);
    return apart;
}

START_TEST(what_is_printed_moves_sheets_that_rest)
{
    float stretch = 0.0f;
    ck_assert_float_eq_tol(rest_apart("predict", DRAPE_FEATURES_MESH, &stretch), 0.015f, 1e-4f);
    ck_assert_float_lt(stretch, 1e-3f);
    ck_assert_float_eq_tol(rest_apart("predict", DRAPE_FEATURES_POINTS, &stretch), 0.015f, 1e-4f);
    // Edges run away from each other; points change sides.
    ck_assert_float_gt(rest_apart("predict_paper", DRAPE_FEATURES_MESH, &stretch), 0.02f);
    ck_assert_float_lt(rest_apart("predict_paper", DRAPE_FEATURES_POINTS, &stretch), 0.0f);
}
END_TEST

// --- Layers ---

// Two sheets that begin as a cross, one of them held at its border. Crossings after so many frames.
static int crossings_after(bool use_layers, int frames, int* before)
{
    enum { count = 9 };
    drape_world_def def = predict_def(1, 10);
    def.gravity = vec(0, 0, 0);
    def.damping = 2.0f;
    def.predictive.use_layers = use_layers;
    drape_world* world = drape_world_create(&def);
    drape_cloth_id lower =
        add_layer(world, 0.4f, count, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), 0);
    pin_border(world, lower, count);
    drape_cloth_id upper = add_layer(world, 0.3f, count - 1, vec(0.003f, 0.002f, 0.002f),
                                     vec(3, 10, 2), vec(0, 0, 0), 1);
    *before = count_crossings(world, lower, upper);
    for (int i = 0; i < frames; ++i) {
        drape_world_step(world, 1.0f / 30.0f);
    }
    int after = count_crossings(world, lower, upper);
    drape_world_destroy(world);
    return after;
}

START_TEST(c7_layers_untangle)
{
    int before = 0;
    ck_assert_int_eq(crossings_after(true, 60, &before), 0);
    ck_assert_int_gt(before, 10);
}
END_TEST

START_TEST(c7_without_layers_they_stay_tangled)
{
    int before = 0;
    ck_assert_int_gt(crossings_after(false, 60, &before), before / 2);
}
END_TEST

// --- Kept contacts ---

typedef struct pair_of_layers {
    drape_world* world;
    drape_cloth_id lower, upper;
} pair_of_layers;

enum { layer_count = 9 };

// A sheet comes to rest on another one that hangs by its border.
static pair_of_layers make_layers(bool use_cache, int workers)
{
    drape_world_def def = predict_def(1, 10);
    def.predictive.use_cache = use_cache;
    def.damping = 3.0f;
    def.worker_count = workers;
    pair_of_layers p = {.world = drape_world_create(&def)};
    p.lower = add_layer(p.world, 0.4f, layer_count, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), 0);
    pin_border(p.world, p.lower, layer_count);
    p.upper =
        add_layer(p.world, 0.3f, layer_count, vec(0, 0.015f, 0), vec(0, 0, 0), vec(0, 0, 0), 1);
    return p;
}

START_TEST(c8_kept_contacts_need_no_search)
{
    pair_of_layers found = make_layers(false, 1), kept = make_layers(true, 1);
    double worst = 0.0;
    for (int i = 0; i < 150; ++i) {
        drape_step_report a = drape_world_step(found.world, 1.0f / 30.0f);
        drape_step_report b = drape_world_step(kept.world, 1.0f / 30.0f);
        ck_assert_int_gt((int)a.self_box_tests, 0);
        ck_assert_int_eq((int)b.self_box_tests, 0);
        ck_assert_int_eq((int)b.exact_tests, 0);
        ck_assert_int_gt(b.self_contact_count, 100);
    }
    for (int v = 0; v < layer_count * layer_count; ++v) {
        drape_vec3 a = drape_cloth_positions(found.world, found.upper, NULL)[v];
        drape_vec3 b = drape_cloth_positions(kept.world, kept.upper, NULL)[v];
        worst = fmax(worst, dr_length_double(dr_sub(a, b)));
    }
    ck_assert_double_lt(worst, 2e-3);
    ck_assert_int_eq(count_crossings(kept.world, kept.lower, kept.upper), 0);
    drape_world_destroy(found.world);
    drape_world_destroy(kept.world);
}
END_TEST

// A small sheet slides over a large one, much further than contacts are kept: they go along.
START_TEST(c8_kept_contacts_go_along)
{
    enum { large = 17, small = 5 };
    drape_world_def def = predict_def(4, 2);
    def.predictive.use_cache = true;
    def.friction_static = def.friction_dynamic = 0.0f;
    drape_world* world = drape_world_create(&def);
    drape_cloth_id lower =
        add_layer(world, 0.8f, large, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), 0);
    pin_border(world, lower, large);
    drape_cloth_id upper =
        add_layer(world, 0.2f, small, vec(-0.25f, 0.015f, 0), vec(0, 0, 0), vec(1.0f, 0, 0), 1);
    int over = 0;
    for (int i = 0; i < 14; ++i) {
        drape_step_report report = drape_world_step(world, 1.0f / 30.0f);
        ck_assert_int_eq((int)report.self_box_tests, 0);
        over = 0;
        ck_assert_int_eq(count_wrong(world, upper, lower, &over), 0);
    }
    ck_assert_int_eq(over, small * small);
    ck_assert_float_gt(drape_cloth_positions(world, upper, NULL)[12].x, 0.1f);
    drape_world_destroy(world);
}
END_TEST

// What was saved and loaded is as good as what was found.
START_TEST(c8_kept_contacts_are_saved_and_loaded)
{
    pair_of_layers one = make_layers(true, 1), two = make_layers(true, 1);
    size_t size = 0, again = 0;
    ck_assert(drape_world_save_contacts(one.world, NULL, &size));
    unsigned char* bytes = malloc(size);
    again = size - 1;
    ck_assert(!drape_world_save_contacts(one.world, bytes, &again));
    again = size;
    ck_assert(drape_world_save_contacts(one.world, bytes, &again));
    ck_assert_uint_eq(again, size);
    ck_assert(!drape_world_load_contacts(two.world, bytes, size - 4));
    // The first contact's vertex is beyond the mesh.
    unsigned char* damaged = malloc(size);
    memcpy(damaged, bytes, size);
    memset(damaged + 44, 0xff, 4);
    ck_assert(!drape_world_load_contacts(two.world, damaged, size));
    free(damaged);
    ck_assert(drape_world_load_contacts(two.world, bytes, size));
    for (int i = 0; i < 20; ++i) {
        drape_world_step(one.world, 1.0f / 30.0f);
        drape_world_step(two.world, 1.0f / 30.0f);
    }
    ck_assert_uint_eq(drape_world_hash(one.world), drape_world_hash(two.world));
    // Found elsewhere, and of other cloths.
    ck_assert(!drape_world_load_contacts(two.world, bytes, size));
    add_square(two.world, 0.2f, 4, vec(0, 1, 0), vec(0, 0, 0));
    ck_assert(!drape_world_load_contacts(two.world, bytes, size));
    free(bytes);
    drape_world_destroy(one.world);
    drape_world_destroy(two.world);
}
END_TEST

// --- World ---

START_TEST(threads_change_nothing)
{
    pair_of_layers one = make_layers(_i, 1), three = make_layers(_i, 3);
    for (int i = 0; i < 30; ++i) {
        drape_world_step(one.world, 1.0f / 30.0f);
        drape_world_step(three.world, 1.0f / 30.0f);
    }
    ck_assert_uint_eq(drape_world_hash(one.world), drape_world_hash(three.world));
    drape_world_destroy(one.world);
    drape_world_destroy(three.world);
}
END_TEST

START_TEST(settled_steps_make_no_heap_calls)
{
    pair_of_layers p = make_layers(_i, 1);
    int calls = 0;
    for (int i = 0; i < 90; ++i) {
        drape_step_report report = drape_world_step(p.world, 1.0f / 30.0f);
        calls += i >= 60 ? report.heap_calls : 0;
    }
    ck_assert_int_eq(calls, 0);
    drape_world_destroy(p.world);
}
END_TEST

// Every allocation may fail once: the step says so, and nothing is lost or leaked.
START_TEST(short_memory_is_survived)
{
    for (int calls = 60; calls < 2000; calls += 17) {
        watched_heap heap = {.calls_left = 100000};
        drape_world_def def = predict_def(1, 4);
        def.allocator = (drape_allocator){watched_allocate, watched_release, &heap};
        def.predictive.use_cache = _i;
        drape_world* world = drape_world_create(&def);
        add_layer(world, 0.4f, 5, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), 0);
        add_layer(world, 0.3f, 5, vec(0, 0.015f, 0), vec(0, 0, 0), vec(0, 0, 0), 1);
        heap.calls_left = calls - 60;
        drape_world_step(world, 1.0f / 30.0f);
        bool had_enough = heap.calls_left > 0;
        drape_world_destroy(world);
        ck_assert_uint_eq(heap.bytes, 0);
        if (had_enough) {
            break;
        }
    }
}
END_TEST

// A saved world goes on with the same bits, in a world that was just made, or whose cloths are
// elsewhere.
START_TEST(snapshots_go_on_with_the_same_bits)
{
    pair_of_layers one = make_layers(_i % 2, 1), two = make_layers(_i % 2, 1);
    if (_i >= 2) {
        drape_transform away = {{0.1f, 0.4f, 0.0f}, drape_quat_from_degrees(vec(0, 30, 10))};
        ck_assert(drape_cloth_teleport(two.world, two.upper, away, false));
    }
    for (int i = 0; i < 10; ++i) {
        drape_world_step(one.world, 1.0f / 30.0f);
    }
    size_t size = 0;
    ck_assert(drape_world_save(one.world, NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(one.world, bytes, &size));
    ck_assert(drape_world_load(two.world, bytes, size));
    free(bytes);
    for (int i = 0; i < 10; ++i) {
        drape_world_step(one.world, 1.0f / 30.0f);
        drape_world_step(two.world, 1.0f / 30.0f);
    }
    ck_assert_uint_eq(drape_world_hash(one.world), drape_world_hash(two.world));
    drape_world_destroy(one.world);
    drape_world_destroy(two.world);
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
    drape_method method;
    ck_assert(drape_method_by_name("predict_paper", &method));
    ck_assert_ptr_null(drape_method_refusal(&method));
    method.model = DRAPE_MODEL_ELASTIC;
    method.obstacles = DRAPE_OBSTACLES_SLIDE;
    ck_assert_ptr_nonnull(drape_method_refusal(&method));
    drape_world_def def = predict_def(1, 4);
    def.predictive.regions[3] = 1;
    ck_assert_ptr_nonnull(drape_world_refusal(&def));
}
END_TEST

// c5, through the door: sheets in regions that may not touch pass through each other.
START_TEST(c5_regions_that_may_not_touch_pass)
{
    drape_world_def def = predict_def(1, 10);
    memset(def.predictive.regions, 0, sizeof def.predictive.regions);
    def.predictive.regions[0] = 1;
    def.predictive.regions[1] = 2;
    drape_world* world = drape_world_create(&def);
    drape_cloth_id lower = add_layer(world, 0.4f, 6, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), -1);
    pin_border(world, lower, 6);
    drape_cloth_id upper =
        add_layer(world, 0.3f, 6, vec(0, 0.03f, 0), vec(0, 20, 0), vec(0, 0, 0), -1);
    uint8_t regions[50];
    memset(regions, 1, sizeof regions);
    ck_assert(!drape_cloth_set_regions(world, upper, regions, 49));
    ck_assert(drape_cloth_set_regions(world, upper, regions, 50));
    for (int i = 0; i < 15; ++i) {
        ck_assert_int_eq(drape_world_step(world, 1.0f / 30.0f).self_contact_count, 0);
    }
    int over = 0;
    ck_assert_int_gt(count_wrong(world, upper, lower, &over), 10);
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("predict_method");
    TCase* sides = tcase_create("sides");
    tcase_add_loop_test(sides, c3_same_side_after_the_step, 0, 9);
    tcase_add_loop_test(sides, c3_pushed_out_is_on_the_other_side, 3, 9);
    tcase_add_loop_test(sides, c6_two_sheets_keep_their_sides, 0, 3);
    tcase_add_test(sides, c6_without_contacts_they_pass);
    tcase_add_test(sides, what_is_printed_moves_sheets_that_rest);
    tcase_add_test(sides, c7_layers_untangle);
    tcase_add_test(sides, c7_without_layers_they_stay_tangled);
    tcase_add_test(sides, c8_kept_contacts_need_no_search);
    tcase_add_test(sides, c8_kept_contacts_go_along);
    tcase_add_test(sides, c8_kept_contacts_are_saved_and_loaded);
    tcase_add_loop_test(sides, c8_stale_contacts_are_refused, 0, 5);
    tcase_add_test(sides, c5_regions_that_may_not_touch_pass);
    TCase* worlds = tcase_create("worlds");
    tcase_add_loop_test(worlds, threads_change_nothing, 0, 2);
    tcase_add_loop_test(worlds, settled_steps_make_no_heap_calls, 0, 2);
    tcase_add_loop_test(worlds, short_memory_is_survived, 0, 2);
    tcase_add_loop_test(worlds, snapshots_go_on_with_the_same_bits, 0, 4);
    tcase_add_test(worlds, what_makes_no_sense_is_refused);
    tcase_set_timeout(sides, 60);
    tcase_set_timeout(worlds, 60);
    suite_add_tcase(suite, sides);
    suite_add_tcase(suite, worlds);
    return run_suite(suite);
}
