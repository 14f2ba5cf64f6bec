// Cloth that is inside of a solid, because it started there or was pressed into it: it comes out,
// in one piece, and what is known of it is told.
#include "method_test.h"

typedef enum inside_kind {
    OF_PLANE,
    OF_BOX,
    OF_MESH,
    OF_BALL,
    INSIDE_KINDS,
} inside_kind;

enum { COLUMNS = 13 };
static const float SIZE = 0.36f, STEP = 1.0f / 30.0f;

typedef struct inside_scene {
    drape_world* world;
    drape_cloth_id cloth;
    drape_collider_id solid;
} inside_scene;

static inside_scene make_empty(int workers, drape_vec3 gravity)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("drape", &def.method));
    def.substeps = 10;
    def.iterations = 4;
    def.thickness = 0.002f;
    def.worker_count = workers;
    def.gravity = gravity;
    inside_scene s = {.world = drape_world_create(&def)};
    ck_assert_ptr_nonnull(s.world);
    return s;
}

static drape_collider_id add_mesh_box(drape_world* world, drape_vec3 middle, drape_vec3 size)
{
    drape_vec3 places[8];
    const int32_t faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                  {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    for (int i = 0; i < 8; ++i) {
        places[i] = vec(middle.x + size.x * (i & 4 ? 0.5f : -0.5f),
                        middle.y + size.y * (i & 2 ? 0.5f : -0.5f),
                        middle.z + size.z * (i & 1 ? 0.5f : -0.5f));
    }
    drape_mesh_view view = {.positions = places,
                            .triangles = (const int32_t*)faces,
                            .vertex_count = 8,
                            .triangle_count = 12};
    drape_collider_def def = drape_collider_defaults();
    def.mesh = &view;
    return drape_collider_add(world, &def);
}

// A solid of a size around a place; of a plane only the height counts.
static void add_solid(inside_scene* s, inside_kind kind, drape_vec3 middle, drape_vec3 size)
{
    drape_vec3 top = vec(middle.x, middle.y + 0.5f * size.y, middle.z);
    s->solid = kind == OF_PLANE  ? drape_collider_add_plane(s->world, top, vec(0.0f, 1.0f, 0.0f))
               : kind == OF_MESH ? add_mesh_box(s->world, middle, size)
               : kind == OF_BALL ? drape_collider_add_sphere(s->world, middle, 0.5f * size.x)
                                 : drape_collider_add_box(s->world, middle, size);
    ck_assert_msg(drape_collider_is_valid(s->world, s->solid), "%s", drape_world_error(s->world));
}

static verdict judge(const inside_scene* s)
{
    dr_check_mesh meshes[2] = {{0}, collider_mesh(s->world, s->solid)};
    meshes[0].positions = drape_cloth_positions(s->world, s->cloth, &meshes[0].vertex_count);
    meshes[0].triangles = drape_cloth_triangles(s->world, s->cloth, &meshes[0].triangle_count);
    verdict v = judge_meshes(meshes, 1, 1);
    free_check_mesh(&meshes[1]);
    return v;
}

// --- Pressed ---

// A lid comes down 5 mm into the solid that the sheet lies on, and goes up again.
static inside_scene make_pressed(inside_kind kind, int workers)
{
    inside_scene s = make_empty(workers, vec(0.0f, -9.81f, 0.0f));
    s.cloth = add_square(s.world, SIZE, COLUMNS, vec(0.0f, 0.003f, 0.0f), vec(0.0f, 0.0f, 0.0f));
    add_solid(&s, kind, vec(0.0f, -0.1f, 0.0f), vec(1.0f, 0.2f, 1.0f));
    const float times[4] = {0.1f, 0.3f, 0.4f, 0.6f}, heights[4] = {0.15f, 0.095f, 0.095f, 0.3f};
    drape_key keys[4];
    for (int i = 0; i < 4; ++i) {
        keys[i] = (drape_key){.time = times[i],
                              .pose = pose_at(vec(0.0f, heights[i], 0.0f), vec(0.0f, 0.0f, 0.0f)),
                              .ease = DRAPE_EASE_LINEAR};
    }
    drape_collider_def lid = drape_collider_defaults();
    lid.shape = (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = vec(1.0f, 0.2f, 1.0f)};
    lid.keys = keys;
    lid.key_count = 4;
    ck_assert(drape_collider_is_valid(s.world, drape_collider_add(s.world, &lid)));
    return s;
}

START_TEST(what_was_pressed_through_comes_back)
{
    inside_scene s = make_pressed((inside_kind)_i, 1);
    int pinched = 0, count;
    for (int frame = 0; frame < 36; ++frame) {
        drape_step_report report = drape_world_step(s.world, STEP);
        ck_assert_int_eq(report.non_finite_count, 0);
        pinched += report.pinched_count;
    }
    ck_assert_int_gt(pinched, 0);
    const drape_vec3* p = drape_cloth_positions(s.world, s.cloth, &count);
    for (int i = 0; i < count; ++i) {
        ck_assert_float_gt(p[i].y, 0.0f);
    }
    ck_assert_int_eq(judge(&s).obstacle, 0);
    drape_world_destroy(s.world);
}
END_TEST

// The world is given up and read back in every sixth frame, when cloth is out, in, and on its way.
START_TEST(a_saved_world_goes_on_alike)
{
    inside_scene s = make_pressed((inside_kind)_i, 1), other = make_pressed((inside_kind)_i, 2);
    for (int frame = 0; frame < 30; ++frame) {
        if (frame % 6 == 0) {
            size_t size = 0;
            ck_assert(drape_world_save(other.world, NULL, &size));
            void* state = malloc(size);
            ck_assert(drape_world_save(other.world, state, &size));
            drape_world_destroy(other.world);
            other = make_pressed((inside_kind)_i, 2);
            ck_assert(drape_world_load(other.world, state, size));
            free(state);
        }
        drape_world_step(s.world, STEP);
        drape_world_step(other.world, STEP);
        ck_assert_msg(drape_world_hash(s.world) == drape_world_hash(other.world), "frame %d",
                      frame);
    }
    drape_world_destroy(s.world);
    drape_world_destroy(other.world);
}
END_TEST

// --- Put there ---

// All of the sheet or its middle is in the solid, as deep as can be; or all but its border.
START_TEST(what_starts_inside_comes_out_whole)
{
    const float sizes[3] = {0.6f, 0.86f, 1.6f};
    inside_kind kind = (inside_kind)(OF_BOX + _i / 3);
    float size = sizes[_i % 3] * SIZE, stretch = 0.0f, energy = 0.0f;
    inside_scene s = make_empty(1, vec(0.0f, 0.0f, 0.0f));
    s.cloth = add_square(s.world, SIZE, COLUMNS, vec(0.0f, 0.0f, 0.0f), vec(0.0f, 0.0f, 0.0f));
    add_solid(&s, kind, vec(0.0f, 0.0f, 0.0f), vec(size, 0.3f, size));
    ck_assert_int_gt(judge(&s).inside, 0);
    for (int frame = 0; frame < 30; ++frame) {
        drape_step_report report = drape_world_step(s.world, STEP);
        stretch = fmaxf(stretch, report.max_stretch);
        energy = (float)report.kinetic_energy;
    }
    verdict v = judge(&s);
    ck_assert_int_eq(v.inside, 0);
    ck_assert_int_eq(v.obstacle, 0);
    ck_assert_float_lt(stretch, 0.3f);
    ck_assert_float_lt(energy, 0.5f * 0.02f * 0.5f * 0.5f);
    drape_world_destroy(s.world);
}
END_TEST

// A sheet that starts impaled on a post, and is all around it, goes along the post until it is off.
// (Each vertex by its nearest way, they held each other for ever.)
START_TEST(what_is_impaled_goes_along_its_post)
{
    inside_scene s = make_empty(1, vec(0.0f, -9.81f, 0.0f));
    s.cloth = add_square(s.world, SIZE, COLUMNS, vec(0.0f, 0.0f, 0.0f), vec(0.0f, 0.0f, 0.0f));
    add_solid(&s, (inside_kind)(OF_BOX + _i), vec(0.0f, 0.0f, 0.0f), vec(0.12f, 0.5f, 0.12f));
    ck_assert_int_gt(judge(&s).inside, 0);
    float stretch = 0.0f;
    for (int frame = 0; frame < 60; ++frame) {
        stretch = fmaxf(stretch, drape_world_step(s.world, STEP).max_stretch);
    }
    verdict v = judge(&s);
    ck_assert_int_eq(v.inside, 0);
    ck_assert_int_eq(v.obstacle, 0);
    ck_assert_float_lt(stretch, 0.3f);
    drape_world_destroy(s.world);
}
END_TEST

// --- Hung up ---

static inside_scene make_hung(void)
{
    inside_scene s = make_empty(1, vec(0.0f, -9.81f, 0.0f));
    drape_cloth_def def = drape_cloth_defaults();
    def.origin = vec(-0.5f * SIZE, 0.0f, 0.0f);
    def.rotation = drape_quat_from_degrees(vec(90.0f, 0.0f, 0.0f));
    s.cloth = drape_cloth_add_grid(s.world, &def, SIZE, SIZE, COLUMNS, COLUMNS);
    int32_t row[COLUMNS];
    for (int i = 0; i < COLUMNS; ++i) {
        row[i] = i;
    }
    pin_vertices(s.world, s.cloth, row, COLUMNS);
    add_solid(&s, OF_BOX, vec(0.0f, 0.0f, 0.0f), vec(0.6f, 0.1f, 0.1f));
    return s;
}

// Pinned to the middle of a rail it stays there, rests, and is still told to cross.
START_TEST(what_sleeps_is_told_to_cross)
{
    inside_scene s = make_hung();
    drape_step_report report = drape_world_step(s.world, STEP);
    ck_assert_int_gt(report.crossed_count, 0);
    for (int frame = 0; frame < 120; ++frame) {
        report = drape_world_step(s.world, STEP);
        ck_assert_int_eq(report.crossed_count, (int)judge(&s).obstacle);
        ck_assert_float_lt(report.max_stretch, 0.05f);
    }
    ck_assert_int_eq(report.sleeping_count, 1);
    drape_world_destroy(s.world);
}
END_TEST

// A sheet just below the top of a large box, with pins in one row: the rest comes up.
START_TEST(what_pins_let_out_comes_out)
{
    inside_scene s = make_empty(1, vec(0.0f, -9.81f, 0.0f));
    s.cloth = add_square(s.world, SIZE, COLUMNS, vec(0.0f, -0.003f, 0.0f), vec(0.0f, 0.0f, 0.0f));
    add_solid(&s, (inside_kind)_i, vec(0.0f, -0.1f, 0.0f), vec(1.0f, 0.2f, 1.0f));
    int32_t row[COLUMNS];
    for (int i = 0; i < COLUMNS; ++i) {
        row[i] = i;
    }
    pin_vertices(s.world, s.cloth, row, COLUMNS);
    for (int frame = 0; frame < 20; ++frame) {
        drape_step_report report = drape_world_step(s.world, STEP);
        ck_assert_float_lt(report.max_stretch, 0.1f);
    }
    ck_assert_int_le(judge(&s).inside, COLUMNS);
    drape_world_destroy(s.world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("guarded_inside");
    TCase* tcase = tcase_create("inside");
    tcase_add_loop_test(tcase, what_was_pressed_through_comes_back, OF_PLANE, OF_MESH + 1);
    tcase_add_loop_test(tcase, a_saved_world_goes_on_alike, OF_PLANE, OF_MESH + 1);
    tcase_add_loop_test(tcase, what_is_impaled_goes_along_its_post, 0, 2);
    tcase_add_loop_test(tcase, what_starts_inside_comes_out_whole, 0, 3 * (INSIDE_KINDS - OF_BOX));
    tcase_add_test(tcase, what_sleeps_is_told_to_cross);
    tcase_add_loop_test(tcase, what_pins_let_out_comes_out, OF_BOX, OF_MESH + 1);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
