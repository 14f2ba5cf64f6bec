// Cloths that start crossed are brought apart, and stay so.
#include "method_test.h"

#include "core/random.h"

enum { MOST_CLOTHS = 3, COLUMNS = 17, HALF = COLUMNS / 2, MOST_FRAMES = 60 };

typedef struct tangle {
    drape_world* world;
    drape_cloth_id cloths[MOST_CLOTHS];
    int cloth_count;
} tangle;

// A place for a point of a sheet of half a metre; u and v go from -1 to 1.
typedef drape_vec3 shape_of(float u, float v, int cloth);

typedef struct tangle_case {
    const char* name;
    shape_of* shape;
    int cloths;
    int layers[MOST_CLOTHS]; // 0: none
    bool falls;              // onto a floor at -0.3 m
    int workers;             // 0: one
} tangle_case;

// --- Shapes ---

static drape_vec3 flat(float u, float v)
{
    return vec(0.25f * u, 0.0f, 0.25f * v);
}

// Upright through the middle of a flat one: the curve goes from border to border of the first.
static drape_vec3 strip(float u, float v, int cloth)
{
    return cloth == 0 ? flat(u, v)
                      : vec(0.213f * u + 0.011f, 0.25f * v + 0.03f, 0.131f * u + 0.007f);
}

// Side by side, a third of each in the other: from the border of one to the border of the other.
static drape_vec3 slot(float u, float v, int cloth)
{
    return cloth == 0 ? flat(u, v)
                      : vec(0.25f * u + 0.33f, 0.25f * v + 0.013f, 0.031f * u + 0.017f);
}

// The border of one stands a little through the middle of the other.
static drape_vec3 tee(float u, float v, int cloth)
{
    return cloth == 0 ? flat(u, v)
                      : vec(0.25f * u + 0.011f, 0.25f * v + 0.233f, 0.03f * u + 0.007f);
}

static drape_vec3 corner(float u, float v, int cloth)
{
    return cloth == 0 ? flat(u, v)
                      : vec(0.18f * (u - v) + 0.2f, 0.18f * (u + v) + 0.22f, 0.02f * u + 0.007f);
}

static drape_vec3 bulge(float u, float v, float height)
{
    float squared = (u * u + v * v) / 0.64f;
    float up = squared < 1.0f ? height * (1.0f - squared) * (1.0f - squared) : 0.0f;
    return vec(0.25f * u + 0.003f, up - 0.011f, 0.25f * v + 0.001f);
}

// A bulge through a flat sheet: a closed curve within both.
static drape_vec3 loop(float u, float v, int cloth)
{
    return cloth == 0 ? flat(u, v) : bulge(u, v, 0.06f);
}

static drape_vec3 deep_loop(float u, float v, int cloth)
{
    return cloth == 0 ? flat(u, v) : bulge(u, v, 0.12f);
}

// One sheet whose ends go through each other, like the letter alpha: (t^2, t^3 - a t), which meets
// itself where t^2 = a, by its length.
static drape_vec3 alpha(float u, float v, float a)
{
    const float scale = 0.1f, step = 1e-3f;
    float length = 0.25f * fabsf(u), t = 0.0f;
    for (float gone = 0.0f; gone < length; t += step) {
        float x = 2.0f * t, y = 3.0f * t * t - a;
        gone += scale * step * sqrtf(x * x + y * y);
    }
    t = u < 0.0f ? -t : t;
    return vec(scale * t * t + 0.01f * v, scale * (t * t * t - a * t), 0.25f * v + 0.02f * u);
}

static drape_vec3 fold(float u, float v, int cloth)
{
    return alpha(u, v, 1.0f + 0.0f * (float)cloth);
}

// The same in the middle alone: the curve begins and ends within the sheet.
static drape_vec3 pleat(float u, float v, int cloth)
{
    return alpha(u, v, 0.5f - 1.1f * v * v + 0.0f * (float)cloth);
}

// Three layers with waves of their own, all at one place.
static drape_vec3 waves(float u, float v, int cloth)
{
    float k = (float)cloth;
    return vec(0.25f * u + 0.003f * k,
               0.01f * sinf(5.0f * u + 2.0f * k) * cosf(4.0f * v - 1.3f * k) + 0.001f * k,
               0.25f * v + 0.005f * k);
}

// Rough sheets as near to each other as their roughness.
static drape_vec3 rough(float u, float v, int cloth)
{
    int at =
        (int)((float)HALF * (u + 1.0f) + 0.5f) + COLUMNS * (int)((float)HALF * (v + 1.0f) + 0.5f);
    float height = 0.004f * dr_random_signed((uint32_t)cloth + 1, (uint32_t)at);
    return vec(0.25f * u + 0.007f * (float)cloth, height + 0.001f * (float)cloth,
               0.25f * v + 0.005f * (float)cloth);
}

// A sheet stands in two others; with one of these it has a row of vertices in common places.
static drape_vec3 skewer(float u, float v, int cloth)
{
    return cloth < 2 ? vec(0.25f * u, 0.03f * (float)cloth, 0.25f * v)
                     : vec(0.213f * u + 0.011f, 0.25f * v + 0.03f, 0.131f * u + 0.007f);
}

static drape_vec3 doubled(float u, float v, int cloth)
{
    return vec(0.25f * u, 0.0f * (float)cloth, 0.25f * v);
}

// In one plane, but not with the same triangles.
static drape_vec3 shifted(float u, float v, int cloth)
{
    return vec(0.25f * u + 0.013f * (float)cloth, 0.0f, 0.25f * v + 0.007f * (float)cloth);
}

// --- Worlds ---

static void place_cloth_as(tangle* t, int cloth, shape_of* shape, int number)
{
    drape_vec3 places[COLUMNS * COLUMNS], still[COLUMNS * COLUMNS] = {{0}};
    for (int i = 0; i < COLUMNS * COLUMNS; ++i) {
        float u = (float)(i % COLUMNS) / HALF - 1.0f, v = (float)(i / COLUMNS) / HALF - 1.0f;
        places[i] = shape(u, v, number);
    }
    ck_assert(drape_cloth_set_state(t->world, t->cloths[cloth], places, still, COLUMNS * COLUMNS));
}

static void place_cloth(tangle* t, int cloth, shape_of* shape)
{
    place_cloth_as(t, cloth, shape, cloth);
}

// `self`: what keeps the cloths from themselves and each other.
static tangle make_tangle_with(const tangle_case* c, drape_self_collision self)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("drape", &def.method));
    def.method.self = self;
    def.substeps = 20;
    def.iterations = 4;
    def.thickness = 0.002f;
    def.worker_count = c->workers > 0 ? c->workers : 1;
    if (!c->falls) {
        def.gravity = vec(0.0f, 0.0f, 0.0f);
        def.damping = 0.0f;
    }
    tangle t = {.world = drape_world_create(&def), .cloth_count = c->cloths};
    ck_assert_ptr_nonnull(t.world);
    if (c->falls) {
        drape_collider_add_plane(t.world, vec(0.0f, -0.3f, 0.0f), vec(0.0f, 1.0f, 0.0f));
    }
    for (int i = 0; i < c->cloths; ++i) {
        drape_cloth_def cloth = drape_cloth_defaults();
        cloth.layer = c->layers[i] - 1;
        t.cloths[i] = drape_cloth_add_grid(t.world, &cloth, 0.5f, 0.5f, COLUMNS, COLUMNS);
        place_cloth(&t, i, c->shape);
    }
    return t;
}

static tangle make_tangle(const tangle_case* c)
{
    return make_tangle_with(c, DRAPE_SELF_GUARDED);
}

static drape_step_report step(tangle* t)
{
    return drape_world_step(t->world, 1.0f / 30.0f);
}

static int64_t count_crossings(const tangle* t)
{
    dr_check_mesh meshes[MOST_CLOTHS] = {0};
    for (int i = 0; i < t->cloth_count; ++i) {
        meshes[i].positions =
            drape_cloth_positions(t->world, t->cloths[i], &meshes[i].vertex_count);
        meshes[i].triangles =
            drape_cloth_triangles(t->world, t->cloths[i], &meshes[i].triangle_count);
    }
    return judge_meshes(meshes, t->cloth_count, 0).self;
}

// Steps until nothing crosses. Returns the number of frames.
static int set_free(tangle* t, float* most_stretch)
{
    int64_t crossings = count_crossings(t);
    int frame = 0;
    *most_stretch = 0.0f;
    for (; frame < MOST_FRAMES && crossings > 0; ++frame) {
        drape_step_report report = step(t);
        ck_assert_int_eq(report.non_finite_count, 0);
        *most_stretch = fmaxf(*most_stretch, report.max_stretch);
        crossings = count_crossings(t);
    }
    return crossings == 0 ? frame : MOST_FRAMES + 1;
}

// --- Freed, and guarded then ---

static const tangle_case cases[] = {
    {"strip", strip, 2, {0}, false, 0},
    {"slot", slot, 2, {0}, false, 0},
    {"tee", tee, 2, {0}, false, 0},
    {"corner", corner, 2, {0}, false, 0},
    {"loop", loop, 2, {0}, false, 0},
    {"deep loop", deep_loop, 2, {0}, false, 0},
    {"fold", fold, 1, {0}, false, 0},
    {"pleat", pleat, 1, {0}, false, 0},
    {"waves", waves, 3, {0}, false, 0},
    {"rough", rough, 2, {0}, false, 0},
    {"skewer", skewer, 3, {0}, false, 0},
    {"strip that falls", strip, 2, {0}, true, 0},
    {"slot that falls", slot, 2, {0}, true, 0},
    {"loop that falls", loop, 2, {0}, true, 0},
    {"fold that falls", fold, 1, {0}, true, 0},
    {"pleat that falls", pleat, 1, {0}, true, 0},
    {"waves that fall", waves, 3, {0}, true, 0},
};
enum { CASES = sizeof cases / sizeof cases[0] };

START_TEST(tangles_are_freed)
{
    const tangle_case* c = &cases[_i];
    tangle t = make_tangle(c);
    ck_assert_msg(count_crossings(&t) > 20, "%s", c->name);
    float stretch;
    int frames = set_free(&t, &stretch);
    ck_assert_msg(frames <= 45, "%s: %d frames", c->name, frames);
    // The bulges begin stretched.
    ck_assert_msg(stretch < 0.3f, "%s: %g", c->name, (double)stretch);
    float last = 0.0f;
    for (int frame = 0; frame < 15; ++frame) {
        drape_step_report report = step(&t);
        last = report.max_stretch;
        ck_assert_msg(count_crossings(&t) == 0, "%s", c->name);
        ck_assert_msg(report.crossed_count == 0, "%s", c->name);
    }
    ck_assert_msg(last < 0.15f, "%s: %g", c->name, (double)last);
    drape_world_destroy(t.world);
}
END_TEST

// The report tells what the checker finds.
START_TEST(crossings_are_told)
{
    tangle t = make_tangle(&cases[_i]);
    int64_t now = count_crossings(&t);
    drape_step_report report = drape_world_step(t.world, 1e-5f);
    // Rows of vertices in common places come to cross at once.
    ck_assert(cases[_i].shape == skewer || llabs(report.crossed_count - now) <= now / 20);
    drape_world_destroy(t.world);
}
END_TEST

// Three sheets at full size, by their scene: free within 60 frames, and then they lie flat.
START_TEST(scene_tangled_is_freed_and_ends_flat)
{
    static const float sizes[MOST_CLOTHS] = {1.0f, 1.0f, 0.9f};
    enum { free_by = 30 };
    drape_scene_options options = drape_scene_options_defaults();
    drape_error error = {0};
    options.worker_count = 2;
    drape_scene* scene =
        drape_scene_open(DRAPE_SOURCE_DIR "/scenes/tangled.json", &options, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    tangle t = {.world = drape_scene_world(scene), .cloth_count = MOST_CLOTHS};
    for (int i = 0; i < MOST_CLOTHS; ++i) {
        t.cloths[i] = drape_scene_cloth(scene, i);
    }
    ck_assert_int_ge(count_crossings(&t), 500);
    for (int frame = 1; frame <= MOST_FRAMES; ++frame) {
        drape_step_report report = drape_scene_step(scene);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert(frame < free_by || report.crossed_count == 0);
        ck_assert(frame < free_by || frame % 6 != 0 || count_crossings(&t) == 0);
    }
    for (int i = 0; i < MOST_CLOTHS; ++i) {
        int count;
        const drape_vec3* p = drape_cloth_positions(t.world, t.cloths[i], &count);
        float low = p[0].y, high = p[0].y;
        for (int k = 1; k < count; ++k) {
            low = fminf(low, p[k].y);
            high = fmaxf(high, p[k].y);
        }
        ck_assert_msg(high - low < 0.05f * sizes[i], "%d: %g m", i, (double)(high - low));
    }
    drape_scene_close(scene);
}
END_TEST

// --- Momentum ---

static void add_momentum(const tangle* t, double sum[3])
{
    for (int i = 0; i < t->cloth_count; ++i) {
        int count;
        const drape_vec3* v = drape_cloth_velocities(t->world, t->cloths[i], &count);
        for (int k = 0; k < count; ++k) {
            bool side = k % COLUMNS == 0 || k % COLUMNS == COLUMNS - 1;
            bool end = k / COLUMNS == 0 || k / COLUMNS == COLUMNS - 1;
            double m = (side ? 0.5 : 1.0) * (end ? 0.5 : 1.0) / ((COLUMNS - 1) * (COLUMNS - 1));
            sum[0] += m * v[k].x;
            sum[1] += m * v[k].y;
            sum[2] += m * v[k].z;
        }
    }
}

// Pulls have no effect on the whole: what they give to one sheet they take from the other.
START_TEST(momentum_is_kept)
{
    static shape_of* const shapes[] = {strip, slot, corner};
    tangle_case c = {"momentum", shapes[_i], 2, {0}, false, 0};
    tangle t = make_tangle(&c);
    int cut = 0, frames = 0;
    for (; frames < MOST_FRAMES && (frames == 0 || count_crossings(&t) > 0); ++frames) {
        cut += step(&t).cut_count;
    }
    ck_assert_int_lt(frames, MOST_FRAMES);
    ck_assert_int_eq(cut, 0);
    double sum[3] = {0.0, 0.0, 0.0};
    add_momentum(&t, sum);
    for (int k = 0; k < 3; ++k) {
        ck_assert_double_eq_tol(sum[k], 0.0, 1e-4);
    }
    drape_world_destroy(t.world);
}
END_TEST

// --- Layers ---

static double mean_height(const tangle* t, int cloth)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(t->world, t->cloths[cloth], &count);
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += p[i].y;
    }
    return sum / count;
}

// Height of the normal of a flat sheet.
static float normal_height(const tangle* t, int cloth)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(t->world, t->cloths[cloth], &count);
    const int32_t* v = drape_cloth_triangles(t->world, t->cloths[cloth], &count);
    drape_vec3 a = p[v[0]], b = p[v[1]], c = p[v[2]];
    return (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z);
}

// Without layers the smaller part goes back, so the sheet ends above; an author may have it so or
// the other way.
START_TEST(layers_decide_the_side)
{
    tangle_case c = {"layers", strip, 2, {0}, false, 0};
    c.layers[0] = _i == 0 ? 0 : _i;
    c.layers[1] = _i == 0 ? 0 : 3 - _i;
    tangle t = make_tangle(&c);
    bool is_up = normal_height(&t, 0) > 0.0f;
    float stretch;
    ck_assert_int_le(set_free(&t, &stretch), MOST_FRAMES);
    bool wants_up = _i == 0 || (_i == 1) == is_up;
    ck_assert(wants_up == (mean_height(&t, 1) > mean_height(&t, 0)));
    drape_world_destroy(t.world);
}
END_TEST

// --- What touches ---

START_TEST(coincident_sheets_are_exempt_and_counted)
{
    tangle_case c = {"doubled", doubled, 2, {0}, true, 0};
    tangle t = make_tangle(&c);
    for (int frame = 0; frame < 2; ++frame) {
        drape_step_report report = step(&t);
        ck_assert_int_eq(report.non_finite_count, 0);
        ck_assert_int_gt(report.touching_count, COLUMNS * COLUMNS);
        ck_assert_int_eq(report.crossed_count, 0);
    }
    // As one, they fall as if they were alone.
    ck_assert_double_lt(fabs(mean_height(&t, 0) - mean_height(&t, 1)), 1e-6);
    ck_assert_double_lt(mean_height(&t, 0), -0.015);
    drape_world_destroy(t.world);
}
END_TEST

// Sheets in one plane come to cross once they bend; that is found and freed. The step in which they do
// tells that they touched.
START_TEST(sheets_in_one_plane_come_apart)
{
    tangle_case c = {"shifted", shifted, 2, {0}, true, 0};
    tangle t = make_tangle(&c);
    drape_collider_add_sphere(t.world, vec(0.02f, -0.12f, 0.01f), 0.11f);
    int dirty = 0;
    for (int frame = 1; frame <= MOST_FRAMES; ++frame) {
        drape_step_report report = step(&t);
        ck_assert_int_eq(report.non_finite_count, 0);
        bool is_dirty = count_crossings(&t) > 0;
        ck_assert(dirty > 0 || !is_dirty || report.touching_count > COLUMNS * COLUMNS);
        dirty = is_dirty ? frame : dirty;
    }
    ck_assert_int_gt(dirty, 0);
    ck_assert_int_lt(dirty, MOST_FRAMES - 5);
    drape_world_destroy(t.world);
}
END_TEST

// --- The same bytes ---

START_TEST(threads_give_the_same_bytes)
{
    uint64_t first = 0;
    for (int workers = 1; workers <= 4; workers *= 2) {
        tangle_case c = {"waves", waves, 3, {0}, true, workers};
        tangle t = make_tangle(&c);
        step(&t);
        step(&t);
        ck_assert_int_gt(count_crossings(&t), 0);
        step(&t);
        step(&t);
        uint64_t hash = drape_world_hash(t.world);
        first = workers == 1 ? hash : first;
        ck_assert_uint_eq(hash, first);
        drape_world_destroy(t.world);
    }
}
END_TEST

// --- Crumpled through itself ---

// Upright, with waves: it falls into a pile.
static drape_vec3 upright(float u, float v, int seed)
{
    uint32_t at = (uint32_t)(1e3f * (u + 1.0f)) + 4000u * (uint32_t)(1e3f * (v + 1.0f));
    float wave = 0.02f * sinf(4.0f * v + 2.0f * u * (float)(seed + 1));
    return vec(0.25f * u, 0.25f * v, wave + 0.003f * dr_random_signed((uint32_t)seed, at));
}

// Where a sheet is that fell onto the floor with nothing to keep it from itself.
static tangle make_crumpled(int seed, int workers)
{
    const tangle_case c = {"crumpled", upright, 1, {0}, true, workers};
    tangle through = make_tangle_with(&c, DRAPE_SELF_NONE);
    drape_vec3 still[COLUMNS * COLUMNS] = {{0}};
    place_cloth_as(&through, 0, upright, seed);
    for (int frame = 0; frame < 14; ++frame) {
        step(&through);
    }
    int count;
    const drape_vec3* p = drape_cloth_positions(through.world, through.cloths[0], &count);
    tangle t = make_tangle(&c);
    ck_assert(drape_cloth_set_state(t.world, t.cloths[0], p, still, count));
    drape_world_destroy(through.world);
    return t;
}

// Layers of a pile that goes through itself do not tell which of them is wrong: it is stiff, and
// opens. Without that one in two stays crossed for good.
START_TEST(what_is_crumpled_through_itself_opens)
{
    tangle t = make_crumpled(_i, 1);
    ck_assert_int_gt(count_crossings(&t), 40);
    for (int frame = 0; frame < 90; ++frame) {
        drape_step_report report = step(&t);
        ck_assert_int_eq(report.non_finite_count, 0);
    }
    ck_assert_int_eq(count_crossings(&t), 0);
    drape_world_destroy(t.world);
}
END_TEST

START_TEST(saved_tangles_go_on_the_same)
{
    tangle_case c = {"waves", waves, 3, {0}, true, 0};
    tangle a = _i == 0 ? make_tangle(&c) : make_crumpled(2, 1);
    tangle b = _i == 0 ? make_tangle(&c) : make_crumpled(2, 2);
    for (int frame = 0; frame < 3; ++frame) {
        step(&a);
    }
    size_t size = 0;
    ck_assert(drape_world_save(a.world, NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(a.world, bytes, &size));
    ck_assert(drape_world_load(b.world, bytes, size));
    free(bytes);
    for (int frame = 0; frame < 3; ++frame) {
        step(&a);
        step(&b);
        ck_assert_uint_eq(drape_world_hash(a.world), drape_world_hash(b.world));
    }
    drape_world_destroy(a.world);
    drape_world_destroy(b.world);
}
END_TEST

// Every allocation may fail; the world says so and can be destroyed.
START_TEST(short_memory_is_told)
{
    bool has_failed = true;
    for (int calls = 0; has_failed && calls < 4000; ++calls) {
        watched_heap heap = {.calls_left = calls};
        drape_world_def def = drape_world_defaults();
        ck_assert(drape_method_by_name("drape", &def.method));
        def.allocator = (drape_allocator){watched_allocate, watched_release, &heap};
        drape_world* world = drape_world_create(&def);
        if (!world) {
            continue;
        }
        drape_cloth_def cloth = drape_cloth_defaults();
        drape_cloth_add_grid(world, &cloth, 0.1f, 0.1f, 7, 7);
        cloth.origin = vec(0.012f, -0.047f, 0.051f);
        cloth.rotation = drape_quat_from_degrees(vec(90.0f, 0.0f, 0.0f));
        drape_cloth_id id = drape_cloth_add_grid(world, &cloth, 0.1f, 0.1f, 7, 7);
        has_failed = !drape_cloth_is_valid(world, id);
        for (int frame = 0; frame < 3; ++frame) {
            has_failed = drape_world_step(world, 0.001f).substeps == 0 || has_failed;
        }
        drape_world_destroy(world);
        ck_assert_uint_eq(heap.bytes, 0);
    }
    ck_assert(!has_failed);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("untangle");
    TCase* tcase = tcase_create("tangles");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, tangles_are_freed, 0, CASES);
    tcase_add_loop_test(tcase, crossings_are_told, 0, CASES);
    tcase_add_test(tcase, scene_tangled_is_freed_and_ends_flat);
    tcase_add_loop_test(tcase, momentum_is_kept, 0, 3);
    tcase_add_loop_test(tcase, layers_decide_the_side, 0, 3);
    tcase_add_test(tcase, coincident_sheets_are_exempt_and_counted);
    tcase_add_test(tcase, sheets_in_one_plane_come_apart);
    tcase_add_test(tcase, threads_give_the_same_bytes);
    tcase_add_loop_test(tcase, what_is_crumpled_through_itself_opens, 2, 8);
    tcase_add_loop_test(tcase, saved_tangles_go_on_the_same, 0, 2);
    tcase_add_test(tcase, short_memory_is_told);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
