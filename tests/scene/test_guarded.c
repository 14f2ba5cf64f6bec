// Cloth that is kept from passing through cloth: scenes that tangle without the guard have no
// crossing in any frame with it, by a check that shares nothing with it.
#include "method_test.h"

#include "core/random.h"

typedef enum scene_kind {
    GROUND,  // an upright sheet crumples
    TABLE,   // a sheet falls over a box
    STACKED, // three sheets fall over a box and each other
    TWISTED, // the ends of a strip are turned against each other
    PUSHED,  // a crumpling sheet whose vertices are hit at random
    SCENE_KINDS,
} scene_kind;

typedef struct guarded_scene {
    drape_world* world;
    drape_cloth_id cloths[3];
    int cloth_count;
    scene_kind kind;
    uint32_t push_count;
} guarded_scene;

typedef struct options {
    int columns;
    int substeps;
    float thickness;
    bool is_unguarded;
    float lift; // of sheets that fall on a box
    int workers;
    drape_isa isa;
} options;

static const options usual = {.columns = 21, .substeps = 10, .thickness = 0.002f, .workers = 1};

static drape_world_def guarded_def(const options* o)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("drape", &def.method));
    def.method.self = o->is_unguarded ? DRAPE_SELF_NONE : DRAPE_SELF_GUARDED;
    def.substeps = o->substeps;
    def.iterations = 4;
    def.thickness = o->thickness;
    def.worker_count = o->workers;
    def.isa = o->isa;
    return def;
}

static void add_cotton(guarded_scene* s, int columns, drape_vec3 origin, drape_vec3 degrees,
                       float noise)
{
    drape_cloth_def def = drape_cloth_defaults();
    def.fabric.density = 0.2f;
    def.origin = origin;
    def.rotation = drape_quat_from_degrees(degrees);
    def.noise = noise;
    drape_cloth_id id = drape_cloth_add_grid(s->world, &def, 0.5f, 0.5f, columns, columns);
    ck_assert_msg(drape_cloth_is_valid(s->world, id), "%s", drape_world_error(s->world));
    s->cloths[s->cloth_count++] = id;
}

// A strip whose ends are held; one turns twice in 1.5 seconds while they come nearer.
static void add_twisted(guarded_scene* s, int columns)
{
    enum { rows = 9, key_count = 7 };
    drape_cloth_def def = drape_cloth_defaults();
    def.origin = vec(-0.3f, 0.0f, -0.075f);
    drape_cloth_id id = drape_cloth_add_grid(s->world, &def, 0.6f, 0.15f, columns, rows);
    ck_assert_msg(drape_cloth_is_valid(s->world, id), "%s", drape_world_error(s->world));
    s->cloths[s->cloth_count++] = id;
    drape_key keys[key_count] = {0};
    for (int k = 0; k < key_count; ++k) {
        keys[k] = (drape_key){.time = 0.25f * (float)k, .ease = DRAPE_EASE_LINEAR};
        keys[k].pose.rotate = drape_quat_from_degrees(vec(120.0f * (float)k, 0.0f, 0.0f));
        keys[k].pose.translate = vec(-0.04f * (float)k, 0.0f, 0.0f);
    }
    for (int side = 0; side < 2; ++side) {
        int32_t vertices[rows];
        for (int i = 0; i < rows; ++i) {
            vertices[i] = i * columns + (side ? columns - 1 : 0);
        }
        drape_pin_def pin = drape_pin_defaults();
        pin.vertices = vertices;
        pin.vertex_count = rows;
        pin.keys = side ? keys : NULL;
        pin.key_count = side ? key_count : 0;
        drape_cloth_pin(s->world, id, &pin);
    }
}

static guarded_scene make_scene(scene_kind kind, const options* o)
{
    drape_world_def def = guarded_def(o);
    guarded_scene s = {.world = drape_world_create(&def), .kind = kind};
    ck_assert_ptr_nonnull(s.world);
    if (kind == TABLE || kind == STACKED) {
        drape_collider_add_box(s.world, vec(0.0f, 0.15f, 0.0f), vec(0.2f, 0.02f, 0.2f));
    }
    if (kind != TWISTED) {
        drape_collider_add_plane(s.world, vec(0.0f, 0.0f, 0.0f), vec(0.0f, 1.0f, 0.0f));
    }
    if (kind == GROUND || kind == PUSHED) {
        add_cotton(&s, o->columns, vec(-0.25f, 0.51f, 0.0f), vec(87.0f, 0.0f, 0.0f), 0.001f);
    } else if (kind == TWISTED) {
        add_twisted(&s, 31);
    } else {
        for (int k = 0; k < (kind == STACKED ? 3 : 1); ++k) {
            add_cotton(&s, o->columns, vec(-0.25f, 0.18f + o->lift + 0.02f * (float)k, -0.25f),
                       vec(0.0f, 20.0f * (float)k, 0.0f), 0.001f);
        }
    }
    return s;
}

// One vertex in twenty gets up to 2 m/s along each axis on top of what it has.
static void push_at_random(guarded_scene* s)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(s->world, s->cloths[0], &count);
    const drape_vec3* v = drape_cloth_velocities(s->world, s->cloths[0], &count);
    drape_vec3* places = malloc(sizeof *places * (size_t)count);
    drape_vec3* pushed = malloc(sizeof *pushed * (size_t)count);
    for (int i = 0; i < count; ++i) {
        places[i] = p[i];
        pushed[i] = v[i];
        if (dr_random_unit(s->push_count, (uint32_t)i) < 0.05f) {
            uint32_t at = 0x10000u + 3u * (uint32_t)i;
            pushed[i].x += 2.0f * dr_random_signed(s->push_count, at);
            pushed[i].y += 2.0f * dr_random_signed(s->push_count, at + 1);
            pushed[i].z += 2.0f * dr_random_signed(s->push_count, at + 2);
        }
    }
    ck_assert(drape_cloth_set_state(s->world, s->cloths[0], places, pushed, count));
    ++s->push_count;
    free(places);
    free(pushed);
}

static drape_step_report step_scene(guarded_scene* s)
{
    if (s->kind == PUSHED) {
        push_at_random(s);
    }
    return drape_world_step(s->world, 1.0f / 30.0f);
}

static int64_t count_crossings(const guarded_scene* s)
{
    dr_check_mesh meshes[3] = {0};
    for (int i = 0; i < s->cloth_count; ++i) {
        meshes[i].positions =
            drape_cloth_positions(s->world, s->cloths[i], &meshes[i].vertex_count);
        meshes[i].triangles =
            drape_cloth_triangles(s->world, s->cloths[i], &meshes[i].triangle_count);
    }
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_crossings found;
    ck_assert(dr_crossings_find(&found, &memory, NULL, meshes, s->cloth_count));
    int64_t count = found.crossing_count;
    dr_crossings_free(&found, &memory);
    return count;
}

// The most crossings in a frame.
static int64_t worst_of(scene_kind kind, const options* o, int frames)
{
    guarded_scene s = make_scene(kind, o);
    int64_t worst = 0;
    for (int frame = 0; frame < frames; ++frame) {
        drape_step_report report = step_scene(&s);
        ck_assert_int_eq(report.non_finite_count, 0);
        int64_t count = count_crossings(&s);
        worst = count > worst ? count : worst;
    }
    drape_world_destroy(s.world);
    return worst;
}

enum { FRAMES = 30 };

START_TEST(nothing_crosses)
{
    ck_assert_int_eq(worst_of((scene_kind)_i, &usual, FRAMES), 0);
}
END_TEST

START_TEST(without_the_guard_it_does)
{
    options o = usual;
    o.is_unguarded = true;
    // A tablecloth may fall without meeting itself.
    ck_assert(_i == TABLE || worst_of((scene_kind)_i, &o, FRAMES) > 10);
}
END_TEST

START_TEST(nothing_crosses_in_long_substeps)
{
    options o = usual;
    o.substeps = 2;
    ck_assert_int_eq(worst_of((scene_kind)_i, &o, FRAMES), 0);
}
END_TEST

START_TEST(nothing_crosses_when_thin)
{
    options o = usual;
    o.thickness = 0.0005f;
    o.columns = _i == STACKED ? 21 : 31;
    ck_assert_int_eq(worst_of((scene_kind)_i, &o, FRAMES), 0);
}
END_TEST

// Vertices that are stopped stay far behind those that go on: pairs that were far come near. Yarns
// that lock would ask for shorter substeps, and hardly anything would be cut.
START_TEST(nothing_crosses_where_much_is_cut)
{
    const drape_override overrides[] = {
        {"solver.substeps", "1"},
        {"solver.iterations", "8"},
        {"cloths.0.fabric", "{\"base\": \"cotton\", \"limit\": 1}"},
        {"collision.self", "guarded"},
        {"cloths.0.grid.resolution", "[31,31]"}};
    drape_scene_options scene_options = drape_scene_options_defaults();
    scene_options.overrides = overrides;
    scene_options.override_count = 5;
    drape_error error = {0};
    drape_scene* scene =
        drape_scene_open(DRAPE_SOURCE_DIR "/scenes/ground.json", &scene_options, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    guarded_scene s = {.world = drape_scene_world(scene), .cloth_count = 1};
    s.cloths[0] = drape_scene_cloth(scene, 0);
    int cut = 0;
    for (int frame = 0; frame < 16; ++frame) {
        cut += drape_scene_step(scene).cut_count;
        ck_assert_int_eq(count_crossings(&s), 0);
    }
    ck_assert_int_gt(cut, 100);
    drape_scene_close(scene);
}
END_TEST

// Every vertex goes its own way, at up to so many m/s along each axis.
static void scatter_at_random(guarded_scene* s, float speed)
{
    int count;
    const drape_vec3* p = drape_cloth_positions(s->world, s->cloths[0], &count);
    drape_vec3* places = malloc(sizeof *places * (size_t)count);
    drape_vec3* thrown = malloc(sizeof *thrown * (size_t)count);
    for (int i = 0; i < count; ++i) {
        uint32_t at = 3u * (uint32_t)i;
        places[i] = p[i];
        thrown[i] = vec(speed * dr_random_signed(7, at), speed * dr_random_signed(7, at + 1),
                        speed * dr_random_signed(7, at + 2));
    }
    ck_assert(drape_cloth_set_state(s->world, s->cloths[0], places, thrown, count));
    free(places);
    free(thrown);
}

// So wild that all is near all, even in a sixty-fourth of a substep: there are more pairs than the
// guard goes through. It gives the substep up, says so, and goes on from where the cloth was.
START_TEST(what_would_take_too_long_is_given_up)
{
    options o = usual;
    o.columns = 31;
    guarded_scene s = make_scene(TABLE, &o);
    int count;
    drape_vec3 before = drape_cloth_positions(s.world, s.cloths[0], &count)[0];
    scatter_at_random(&s, 1e6f);
    drape_step_report report = step_scene(&s);
    drape_vec3 after = drape_cloth_positions(s.world, s.cloths[0], &count)[0];
    ck_assert_int_gt(report.pinched_count, 0);
    ck_assert_int_eq(report.non_finite_count, 0);
    ck_assert_int_eq(report.crossed_count, 0);
    ck_assert_double_lt(dr_length_double(dr_sub(after, before)), 0.02);
    for (int frame = 0; frame < 10; ++frame) {
        ck_assert_int_eq(count_crossings(&s), 0);
        report = step_scene(&s);
        ck_assert_int_eq(report.pinched_count, 0);
    }
    drape_world_destroy(s.world);
}
END_TEST

// Contacts of thick cloth reach over many edges, and there are too many for a list. It falls like any
// other. (It was given up, and hung in the air.)
START_TEST(thick_cloth_falls)
{
    options o = usual;
    o.thickness = 0.05f; // four edges
    drape_world_def def = guarded_def(&o);
    guarded_scene s = {.world = drape_world_create(&def)};
    ck_assert_ptr_nonnull(s.world);
    add_cotton(&s, 41, vec(-0.25f, 1.0f, -0.25f), vec(0.0f, 0.0f, 0.0f), 0.0f);
    drape_step_report report = drape_world_step(s.world, 1.0f / 30.0f);
    int count;
    ck_assert_int_eq(report.pinched_count, 0);
    ck_assert_int_eq(report.cut_count, 0);
    ck_assert_float_lt(drape_cloth_positions(s.world, s.cloths[0], &count)[0].y, 0.996f);
    drape_world_destroy(s.world);
}
END_TEST

// --- The same bytes ---

static uint64_t hash_of(scene_kind kind, const options* o, int frames)
{
    guarded_scene s = make_scene(kind, o);
    for (int frame = 0; frame < frames; ++frame) {
        step_scene(&s);
    }
    uint64_t hash = drape_world_hash(s.world);
    drape_world_destroy(s.world);
    return hash;
}

START_TEST(threads_and_sets_give_the_same_bytes)
{
    options o = usual;
    uint64_t hash = hash_of((scene_kind)_i, &o, 15);
    for (o.workers = 2; o.workers <= 4; o.workers += 2) {
        ck_assert_uint_eq(hash_of((scene_kind)_i, &o, 15), hash);
    }
    o.workers = 1;
    for (o.isa = DRAPE_ISA_PLAIN; o.isa <= DRAPE_ISA_SSE2; ++o.isa) {
        ck_assert_uint_eq(hash_of((scene_kind)_i, &o, 15), hash);
    }
}
END_TEST

// What is kept between steps decides only what is looked at.
START_TEST(saved_worlds_go_on_the_same)
{
    guarded_scene a = make_scene(STACKED, &usual), b = make_scene(STACKED, &usual);
    for (int frame = 0; frame < 15; ++frame) {
        step_scene(&a);
    }
    size_t size = 0;
    ck_assert(drape_world_save(a.world, NULL, &size));
    void* bytes = malloc(size);
    ck_assert(drape_world_save(a.world, bytes, &size));
    ck_assert(drape_world_load(b.world, bytes, size));
    free(bytes);
    for (int frame = 0; frame < 10; ++frame) {
        step_scene(&a);
        step_scene(&b);
        ck_assert_uint_eq(drape_world_hash(a.world), drape_world_hash(b.world));
    }
    drape_world_destroy(a.world);
    drape_world_destroy(b.world);
}
END_TEST

// --- It moves like cloth ---

START_TEST(free_fall_is_not_touched)
{
    // A third of a second is half a metre, and wrinkles of the noise move all the while.
    options o = usual;
    o.lift = 0.6f;
    options without = o;
    without.is_unguarded = true;
    ck_assert_uint_eq(hash_of(TABLE, &o, 10), hash_of(TABLE, &without, 10));
}
END_TEST

static void add_momentum(const guarded_scene* s, double sum[3], double* mass)
{
    for (int i = 0; i < s->cloth_count; ++i) {
        int count;
        const drape_vec3* v = drape_cloth_velocities(s->world, s->cloths[i], &count);
        // Corners have a quarter of the mass of inner vertices, borders half of it.
        int columns = (int)(sqrt((double)count) + 0.5);
        for (int k = 0; k < count; ++k) {
            bool side = k % columns == 0 || k % columns == columns - 1;
            bool end = k / columns == 0 || k / columns == columns - 1;
            double m = (side ? 0.5 : 1.0) * (end ? 0.5 : 1.0);
            sum[0] += m * v[k].x;
            sum[1] += m * v[k].y;
            sum[2] += m * v[k].z;
            *mass += m;
        }
    }
}

// Sheets in free space, one above the other, that go towards each other.
static guarded_scene sheets_that_meet(const options* o, int count_of_sheets, float speed)
{
    drape_world_def def = guarded_def(o);
    def.gravity = vec(0.0f, 0.0f, 0.0f);
    def.damping = 0.0f;
    guarded_scene s = {.world = drape_world_create(&def)};
    add_cotton(&s, 13, vec(-0.25f, 0.0f, -0.25f), vec(0.0f, 0.0f, 0.0f), 0.001f);
    add_cotton(&s, 13, vec(-0.2f, 0.02f, -0.25f), vec(0.0f, 10.0f, 0.0f), 0.001f);
    if (count_of_sheets > 2) {
        add_cotton(&s, 13, vec(-0.2f, -0.02f, -0.25f), vec(0.0f, 20.0f, 0.0f), 0.001f);
    }
    for (int i = 0; i < s.cloth_count; ++i) {
        int count;
        const drape_vec3* p = drape_cloth_positions(s.world, s.cloths[i], &count);
        drape_vec3* places = malloc(sizeof *places * (size_t)count);
        drape_vec3* v = malloc(sizeof *v * (size_t)count);
        for (int k = 0; k < count; ++k) {
            places[k] = p[k];
            float up = i == 1 ? -0.3f : i == 2 ? 0.6f : 0.2f;
            v[k] = vec(speed * (i == 1 ? 0.1f : -0.05f), speed * up, 0.0f);
        }
        ck_assert(drape_cloth_set_state(s.world, s.cloths[i], places, v, count));
        free(places);
        free(v);
    }
    return s;
}

// Gently, nothing is lost but what rounding takes.
START_TEST(sheets_that_meet_keep_their_momentum)
{
    guarded_scene s = sheets_that_meet(&usual, 2, 1.0f);
    double before[3] = {0}, after[3] = {0}, mass = 0.0, again = 0.0;
    int cut = 0, contacts = 0;
    drape_world_step(s.world, 1.0f / 600.0f);
    add_momentum(&s, before, &mass);
    for (int frame = 0; frame < 15; ++frame) {
        drape_step_report report = drape_world_step(s.world, 1.0f / 60.0f);
        cut += report.cut_count;
        contacts += report.self_contact_count;
    }
    add_momentum(&s, after, &again);
    ck_assert_int_gt(contacts, 0);
    ck_assert_int_eq(cut, 0);
    for (int c = 0; c < 3; ++c) {
        ck_assert_double_eq_tol(after[c] / mass, before[c] / mass, 2e-5);
    }
    drape_world_destroy(s.world);
}
END_TEST

// Where one is caught between two that are fast they are cut, and have back what that takes.
START_TEST(free_sheets_that_are_cut_keep_their_momentum)
{
    options o = usual;
    o.substeps = 1;
    guarded_scene s = sheets_that_meet(&o, 3, 150.0f);
    double before[3] = {0}, after[3] = {0}, mass = 0.0, again = 0.0;
    int cut = 0;
    add_momentum(&s, before, &mass);
    for (int frame = 0; frame < 10; ++frame) {
        drape_step_report report = drape_world_step(s.world, 1.0f / 60.0f);
        cut += report.cut_count;
        ck_assert_float_eq(report.guard_momentum.y, 0.0f);
    }
    add_momentum(&s, after, &again);
    ck_assert_int_gt(cut, 0);
    for (int c = 0; c < 3; ++c) {
        ck_assert_double_eq_tol(before[c] / mass, after[c] / mass, 1e-4);
    }
    drape_world_destroy(s.world);
}
END_TEST

// --- Sheets that start crossed ---

// A sheet is drawn out of another one that it goes through: known for what it is, and guarded as
// soon as it is out.
START_TEST(crossed_sheets_are_let_go)
{
    drape_world_def def = guarded_def(&usual);
    def.gravity = vec(0.0f, 0.0f, 0.0f);
    guarded_scene s = {.world = drape_world_create(&def)};
    add_cotton(&s, 11, vec(-0.25f, 0.001f, -0.25f), vec(0.0f, 0.0f, 0.0f), 0.0f);
    add_cotton(&s, 11, vec(0.13f, 0.26f, 0.007f), vec(90.0f, 0.0f, 0.0f), 0.0f);
    int64_t start = count_crossings(&s);
    ck_assert_int_gt(start, 5);
    int count;
    const drape_vec3* p = drape_cloth_positions(s.world, s.cloths[1], &count);
    drape_vec3 places[121], away[121];
    for (int k = 0; k < count; ++k) {
        places[k] = p[k];
        away[k] = vec(1.0f, 0.0f, 0.0f);
    }
    ck_assert(drape_cloth_set_state(s.world, s.cloths[1], places, away, count));
    int known = (int)start;
    for (int frame = 0; frame < 12; ++frame) {
        drape_step_report report = drape_world_step(s.world, 1.0f / 60.0f);
        // The report is of the start of the last substep.
        int64_t now = count_crossings(&s);
        ck_assert_int_ge(report.crossed_count, now);
        ck_assert_int_le(report.crossed_count, known);
        known = report.crossed_count;
    }
    ck_assert_int_eq(known, 0);
    drape_world_destroy(s.world);
}
END_TEST

START_TEST(only_what_can_be_guarded_is)
{
    drape_method method;
    ck_assert(drape_method_by_name("drape", &method));
    ck_assert_ptr_null(drape_method_refusal(&method));
    method.obstacles = DRAPE_OBSTACLES_SLIDE;
    ck_assert_ptr_nonnull(drape_method_refusal(&method));
    method.model = DRAPE_MODEL_ELASTIC;
    ck_assert_ptr_nonnull(drape_method_refusal(&method));
}
END_TEST

// Every allocation may fail; the world says so and can be destroyed.
START_TEST(short_memory_is_told)
{
    bool has_failed = true;
    for (int calls = 0; has_failed && calls < 4000; calls += 1 + calls / 20) {
        watched_heap heap = {.calls_left = calls};
        options o = usual;
        o.columns = 7;
        drape_world_def def = guarded_def(&o);
        def.allocator = (drape_allocator){watched_allocate, watched_release, &heap};
        drape_world* world = drape_world_create(&def);
        if (!world) {
            continue;
        }
        drape_cloth_def cloth = drape_cloth_defaults();
        drape_cloth_add_grid(world, &cloth, 0.1f, 0.1f, 7, 7);
        cloth.origin = vec(0.01f, 0.003f, 0.0f);
        drape_cloth_id id = drape_cloth_add_grid(world, &cloth, 0.1f, 0.1f, 7, 7);
        has_failed = !drape_cloth_is_valid(world, id);
        for (int frame = 0; frame < 3; ++frame) {
            has_failed = drape_world_step(world, 0.01f).substeps == 0 || has_failed;
        }
        drape_world_destroy(world);
        ck_assert_uint_eq(heap.bytes, 0);
    }
    ck_assert(!has_failed);
}
END_TEST

START_TEST(settled_steps_leave_the_heap_alone)
{
    guarded_scene s = make_scene(GROUND, &usual);
    int calls = 0;
    for (int frame = 0; frame < 90; ++frame) {
        calls = step_scene(&s).heap_calls;
    }
    ck_assert_int_eq(calls, 0);
    drape_world_destroy(s.world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("guarded");
    TCase* tcase = tcase_create("scenes");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, nothing_crosses, 0, SCENE_KINDS);
    tcase_add_loop_test(tcase, without_the_guard_it_does, 0, SCENE_KINDS);
    tcase_add_loop_test(tcase, nothing_crosses_in_long_substeps, 0, SCENE_KINDS);
    tcase_add_loop_test(tcase, nothing_crosses_when_thin, 0, SCENE_KINDS);
    tcase_add_test(tcase, nothing_crosses_where_much_is_cut);
    tcase_add_loop_test(tcase, threads_and_sets_give_the_same_bytes, 0, SCENE_KINDS);
    tcase_add_test(tcase, saved_worlds_go_on_the_same);
    tcase_add_test(tcase, free_fall_is_not_touched);
    tcase_add_test(tcase, sheets_that_meet_keep_their_momentum);
    tcase_add_test(tcase, free_sheets_that_are_cut_keep_their_momentum);
    tcase_add_test(tcase, crossed_sheets_are_let_go);
    tcase_add_test(tcase, only_what_can_be_guarded_is);
    tcase_add_test(tcase, short_memory_is_told);
    tcase_add_test(tcase, settled_steps_leave_the_heap_alone);
    TCase* budget = tcase_create("budget");
    tcase_set_timeout(budget, 120);
    tcase_add_test(budget, what_would_take_too_long_is_given_up);
    tcase_add_test(budget, thick_cloth_falls);
    suite_add_tcase(suite, budget);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
