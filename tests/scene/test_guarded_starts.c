// Sheets that start across solids and open meshes: they come out of them, whole, and stay out.
#include "method_test.h"

enum { COLUMNS = 21, OPEN = -1 };
static const float SIZE = 1.0f, STEP = 1.0f / 30.0f;

// A solid around the middle of a level sheet of 1 m.
typedef struct start {
    const char* name;
    int kind; // a drape_shape_kind, or one of the above
    drape_vec3 size;
    drape_vec3 middle, degrees;
    int frames;  // after which nothing crosses
    float floor; // height of a floor, or 0: none
} start;

static const start starts[] = {
    // Corners of triangles come out before their middles do.
    {"post with a round top", DRAPE_SHAPE_CAPSULE, {0.1f, 0.5f, 0}, {0, 0, 0}, {0, 0, 0}, 60, 0},
    {"ball", DRAPE_SHAPE_SPHERE, {0.2f, 0, 0}, {0.1f, 0.05f, 0}, {0, 0, 0}, 30, 0},
    // Neither its normal nor any nearest way leads along it.
    {"slab that leans",
     DRAPE_SHAPE_BOX,
     {0.47f, 0.15f, 0.57f},
     {0.2f, 0, 0},
     {110, 131, 69},
     45,
     0},
    {"slab at the border",
     DRAPE_SHAPE_BOX,
     {0.47f, 0.22f, 0.15f},
     {-0.4f, 0, 0.2f},
     {90, 58, 0},
     45,
     0},
    // The smaller part is drawn through.
    {"wall", DRAPE_SHAPE_BOX, {0.09f, 2, 2}, {-0.15f, 0, 0}, {0, 0, 0}, 30, 0},
    {"wall of one cell", DRAPE_SHAPE_BOX, {0.05f, 2, 2}, {-0.18f, 0, 0}, {0, 0, 0}, 30, 0},
    // Nothing of these but points of triangles is inside.
    {"thin wall", DRAPE_SHAPE_BOX, {0.03f, 2, 2}, {-0.175f, 0, 0}, {0, 0, 0}, 30, 0},
    {"rod", DRAPE_SHAPE_BOX, {0.03f, 0.6f, 0.03f}, {0.123f, 0.1f, 0.074f}, {10, 0, 20}, 60, 0},
    {"needle", DRAPE_SHAPE_CAPSULE, {0.008f, 0.5f, 0}, {0.123f, 0, 0.07f}, {30, 0, 20}, 60, 0},
    // The nearest way leads into the floor.
    {"box on a floor",
     DRAPE_SHAPE_BOX,
     {0.6f, 0.2f, 0.6f},
     {0.012f, 0.05f, 0.017f},
     {0, 0, 0},
     45,
     -0.05f},
    // Meshes without an inside.
    {"open mesh", OPEN, {1, 0, 1}, {0.013f, 0, 0.011f}, {70, 10, 0}, 45, 0},
    {"open mesh at the border", OPEN, {0.5f, 0, 0.5f}, {0.4f, 0, 0.011f}, {60, 30, 0}, 45, 0},
};

static drape_collider_id add_flat(drape_world* world, const start* s)
{
    const float x = 0.5f * s->size.x, z = 0.5f * s->size.z;
    const drape_vec3 places[4] = {vec(-x, 0, -z), vec(x, 0, -z), vec(x, 0, z), vec(-x, 0, z)};
    const int32_t faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    drape_mesh_view view = {.positions = places,
                            .triangles = (const int32_t*)faces,
                            .vertex_count = 4,
                            .triangle_count = 2};
    drape_collider_def def = drape_collider_defaults();
    def.mesh = &view;
    def.place = pose_at(s->middle, s->degrees);
    return drape_collider_add(world, &def);
}

static drape_collider_id add_solid(drape_world* world, const start* s)
{
    drape_collider_def def = drape_collider_defaults();
    if (s->kind == OPEN) {
        return add_flat(world, s);
    }
    def.shape = (drape_shape){.kind = (drape_shape_kind)s->kind,
                              .size = s->size,
                              .radius = s->size.x,
                              .radius_top = s->size.x,
                              .height = s->size.y};
    def.place = pose_at(s->middle, s->degrees);
    return drape_collider_add(world, &def);
}

static int64_t crossings(drape_world* world, drape_cloth_id cloth, drape_collider_id solid)
{
    dr_check_mesh meshes[2] = {{0}, collider_mesh(world, solid)};
    meshes[0].positions = drape_cloth_positions(world, cloth, &meshes[0].vertex_count);
    meshes[0].triangles = drape_cloth_triangles(world, cloth, &meshes[0].triangle_count);
    verdict v = judge_meshes(meshes, 1, 1);
    free_check_mesh(&meshes[1]);
    return v.self + v.obstacle;
}

// A level sheet, and a floor if its height is not 0.
static drape_world* sheet_world(float height, drape_cloth_id* cloth)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("drape", &def.method));
    def.thickness = 0.001f;
    drape_world* world = drape_world_create(&def);
    *cloth = add_square(world, SIZE, COLUMNS, vec(0.0f, 0.0f, 0.0f), vec(0.0f, 0.0f, 0.0f));
    if (height != 0.0f) {
        drape_collider_add_plane(world, vec(0.0f, height, 0.0f), vec(0.0f, 1.0f, 0.0f));
    }
    return world;
}

START_TEST(what_starts_across_comes_out)
{
    const start* s = &starts[_i];
    drape_cloth_id cloth;
    drape_world* world = sheet_world(s->floor, &cloth);
    drape_collider_id solid = add_solid(world, s);
    ck_assert_msg(drape_collider_is_valid(world, solid), "%s", drape_world_error(world));
    ck_assert_int_gt((int)crossings(world, cloth, solid), 0);
    for (int frame = 0; frame < s->frames + 15; ++frame) {
        drape_step_report report = drape_world_step(world, STEP);
        ck_assert_int_eq(report.pinched_count, 0);
        ck_assert_msg(report.max_stretch < 0.5f, "%s: stretched by %g in frame %d", s->name,
                      (double)report.max_stretch, frame);
        if (frame >= s->frames) {
            ck_assert_msg(crossings(world, cloth, solid) == 0, "%s: %d crossings in frame %d",
                          s->name, (int)crossings(world, cloth, solid), frame);
        }
    }
    drape_world_destroy(world);
}
END_TEST

// --- Several solids that go through each other ---

// Around the middle of a level sheet of 1 m; a radius of 0 is none.
typedef struct group_start {
    const char* name;
    start solids[3];
    float floor; // height of a floor, or 0: none
    int frames;  // after which nothing crosses
} group_start;

static const group_start group_starts[] = {
    // Above the sheet is one ball, below it another one: it goes around a waist.
    {"two balls",
     {{.kind = DRAPE_SHAPE_SPHERE, .size = {0.2f, 0, 0}, .middle = {0.01f, 0.14f, 0.02f}},
      {.kind = DRAPE_SHAPE_SPHERE, .size = {0.2f, 0, 0}, .middle = {-0.03f, -0.13f, 0.01f}}},
     0,
     45},
    {"ball, capsule and box",
     {{.kind = DRAPE_SHAPE_SPHERE, .size = {0.15f, 0, 0}, .middle = {-0.1f, 0.08f, 0}},
      {.kind = DRAPE_SHAPE_CAPSULE,
       .size = {0.1f, 0.5f, 0},
       .middle = {0.05f, -0.04f, 0.02f},
       .degrees = {30, 0, 60}},
      {.kind = DRAPE_SHAPE_BOX,
       .size = {0.3f, 0.4f, 0.15f},
       .middle = {0.02f, 0.03f, 0.1f},
       .degrees = {20, 40, 10}}},
     0,
     60},
    // All ways but up lead into the floor, and around the patch the ball is above the sheet.
    {"ball in a floor",
     {{.kind = DRAPE_SHAPE_SPHERE, .size = {0.2f, 0, 0}, .middle = {0.01f, 0.1f, 0.02f}}},
     -0.04f,
     60},
    {"box on its edge in a floor",
     {{.kind = DRAPE_SHAPE_BOX,
       .size = {0.3f, 0.3f, 0.3f},
       .middle = {0.03f, 0.1f, 0.01f},
       .degrees = {0, 0, 45}}},
     -0.03f,
     60},
};

START_TEST(what_starts_across_several_comes_out)
{
    const group_start* s = &group_starts[_i];
    drape_cloth_id cloth;
    drape_world* world = sheet_world(s->floor, &cloth);
    drape_collider_id solids[3];
    int count = 0;
    for (; count < 3 && s->solids[count].size.x > 0.0f; ++count) {
        solids[count] = add_solid(world, &s->solids[count]);
        ck_assert_int_gt((int)crossings(world, cloth, solids[count]), 0);
    }
    drape_step_report report = {0};
    for (int frame = 0; frame < s->frames; ++frame) {
        report = drape_world_step(world, STEP);
        ck_assert_msg(report.max_stretch < 0.5f, "%s: stretched by %g in frame %d", s->name,
                      (double)report.max_stretch, frame);
    }
    ck_assert_msg(report.crossed_count == 0, "%s: %d cross", s->name, report.crossed_count);
    for (int i = 0; i < count; ++i) {
        ck_assert_int_eq((int)crossings(world, cloth, solids[i]), 0);
    }
    drape_world_destroy(world);
}
END_TEST

// The end of a capsule comes out of a floor, under a box that leans: no vertex is inside in the end, and the
// contacts of the floor hold what those of the capsule push. Some twelve triangles stayed across it.
START_TEST(what_is_across_a_round_end_in_a_floor_comes_out)
{
    const char text[] =
        "{ \"drape\": 1, \"collision\": { \"thickness\": 0.002 }, \"cloths\": [ { \"name\": "
        "\"sheet\","
        " \"grid\": { \"size\": [1, 1], \"resolution\": [21, 21] }, \"fabric\": \"cotton\", "
        "\"place\": {"
        " \"translate\": [0.033, 0.03, 0.046], \"rotate\": [93.544, 11.965, 0] } } ],"
        " \"colliders\": [ { \"name\": \"a\", \"box\": { \"size\": [0.155, 0.313, 0.158] }, "
        "\"place\": {"
        " \"translate\": [0.048, 0.189, 0.01], \"rotate\": [11.05, 178.312, 174.712] } },"
        " { \"name\": \"b\", \"capsule\": { \"radius\": 0.106, \"height\": 0.299 }, \"place\": {"
        " \"translate\": [-0.043, -0.167, -0.146], \"rotate\": [134.561, 75.762, 157.661] } },"
        " { \"name\": \"floor\", \"plane\": { \"normal\": [0, 1, 0], \"offset\": -0.063 } } ] }";
    drape_scene_options options = drape_scene_options_defaults();
    drape_error error = {0};
    drape_scene* scene = drape_scene_open_text(text, sizeof text - 1, "text", &options, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    drape_step_report report = {0};
    for (int frame = 0; frame < 60; ++frame) {
        report = drape_scene_step(scene);
        ck_assert_float_lt(report.max_stretch, 0.5f);
    }
    ck_assert_int_eq(report.crossed_count, 0);
    drape_scene_close(scene);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("guarded_starts");
    TCase* tcase = tcase_create("starts");
    tcase_add_loop_test(tcase, what_starts_across_comes_out, 0,
                        (int)(sizeof starts / sizeof starts[0]));
    tcase_add_loop_test(tcase, what_starts_across_several_comes_out, 0,
                        (int)(sizeof group_starts / sizeof group_starts[0]));
    tcase_add_test(tcase, what_is_across_a_round_end_in_a_floor_comes_out);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
