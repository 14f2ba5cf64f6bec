// Scenes as worlds: where shapes come to stand, who is pinned, how things move, what is refused.
#include "io_test.h"

// Kept by the log.
typedef struct listener {
    int warning_count;
    char last[256];
} listener;

static void listen(void* user, drape_log_level level, const char* sentence)
{
    listener* heard = user;
    heard->warning_count += level == DRAPE_LOG_WARNING ? 1 : 0;
    snprintf(heard->last, sizeof(heard->last), "%s", sentence);
}

static drape_scene* open_text(const char* text, const char* path, drape_error* error)
{
    drape_scene_options options = drape_scene_options_defaults();
    return drape_scene_open_text(text, strlen(text), path, &options, error);
}

// Opens a scene that must be sound.
static drape_scene* open_sound(const char* text, const char* path)
{
    drape_error error = {0};
    drape_scene* scene = open_text(text, path, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    return scene;
}

static void expect_refusal(const char* text, const char* path, const char* sentence)
{
    drape_error error = {0};
    drape_scene* scene = open_text(text, path, &error);
    ck_assert_msg(scene == NULL, "accepted %s", text);
    ck_assert_str_eq(error.sentence, sentence);
    ck_assert_int_eq(error.kind, DRAPE_ERROR_INPUT);
}

static const drape_vec3* positions_of(drape_scene* scene, int* count)
{
    return drape_cloth_positions(drape_scene_world(scene), drape_scene_cloth(scene, 0), count);
}

static void expect_near(drape_vec3 found, double x, double y, double z, double tolerance)
{
    double distance = fmax(fabs(found.x - x), fmax(fabs(found.y - y), fabs(found.z - z)));
    ck_assert_msg(distance <= tolerance, "(%.9g %.9g %.9g), expected (%.9g %.9g %.9g)",
                  (double)found.x, (double)found.y, (double)found.z, x, y, z);
}

// --- Places ---

START_TEST(grid_stands_upright)
{
    drape_scene* scene = open_sound("{\"drape\": 1, \"cloths\": [{\"grid\": {\"size\": [2, 4], "
                                    "\"resolution\": [3, 5]}}]}",
                                    "s.json");
    int count;
    const drape_vec3* p = positions_of(scene, &count);
    ck_assert_int_eq(count, 15);
    for (int row = 0; row < 5; ++row) {
        for (int column = 0; column < 3; ++column) {
            expect_near(p[3 * row + column], column - 1.0, row - 2.0, 0.0, 1e-6);
        }
    }
    drape_scene_close(scene);
}
END_TEST

START_TEST(grid_lies_flat_exactly)
{
    drape_scene* scene =
        open_sound("{\"drape\": 1, \"cloths\": [{\"grid\": {\"resolution\": [5, 5]}, \"place\": "
                   "{\"translate\": [0, 0.95, 0], \"rotate\": [90, 0, 0]}}]}",
                   "s.json");
    int count;
    const drape_vec3* p = positions_of(scene, &count);
    for (int i = 0; i < count; ++i) {
        ck_assert_float_eq(p[i].y, 0.95f);
        ck_assert_float_eq(p[i].x, 0.25f * (float)(i % 5) - 0.5f);
        ck_assert_float_eq(p[i].z, 0.25f * (float)(i / 5) - 0.5f);
    }
    drape_scene_close(scene);
}
END_TEST

// About x, then y, then z, then moved, in double.
static void place_point(double p[3], const double degrees[3], const double translate[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        double angle = degrees[axis] * 0.017453292519943295;
        int u = (axis + 1) % 3;
        int v = (axis + 2) % 3;
        double a = p[u];
        double b = p[v];
        p[u] = a * cos(angle) - b * sin(angle);
        p[v] = a * sin(angle) + b * cos(angle);
    }
    for (int axis = 0; axis < 3; ++axis) {
        p[axis] += translate[axis];
    }
}

START_TEST(shapes_are_turned_then_moved)
{
    static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 2 3\nf 1 3 4\n";
    static const char* const shapes[] = {
        "\"grid\": {\"size\": [2, 4], \"resolution\": [2, 2]}",
        "\"disc\": {\"radius\": 2, \"rings\": 1}",
        "\"mesh\": \"four.obj\"",
    };
    static const double corners[3][2][3] = {
        {{-1, -2, 0}, {1, 2, 0}}, {{0, 0, 0}, {2, 0, 0}}, {{0, 0, 0}, {0, 0, 3}}};
    static const int indices[3][2] = {{0, 3}, {0, 1}, {0, 3}};
    static const double degrees[3] = {20, -50, 130};
    static const double translate[3] = {0.5, -1, 2};
    test_folder folder = test_folder_make();
    test_file_write(test_path(&folder, "four.obj"), mesh, strlen(mesh));
    for (int shape = 0; shape < 3; ++shape) {
        char text[512];
        snprintf(text, sizeof(text),
                 "{\"drape\": 1, \"cloths\": [{%s, \"place\": {\"translate\": [0.5, -1, 2], "
                 "\"rotate\": [20, -50, 130]}}]}",
                 shapes[shape]);
        drape_scene* scene = open_sound(text, test_path(&folder, "s.json"));
        int count;
        const drape_vec3* p = positions_of(scene, &count);
        for (int k = 0; k < 2; ++k) {
            double q[3];
            memcpy(q, corners[shape][k], sizeof(q));
            place_point(q, degrees, translate);
            expect_near(p[indices[shape][k]], q[0], q[1], q[2], 2e-6);
        }
        drape_scene_close(scene);
    }
    test_folder_remove(&folder);
}
END_TEST

// A point of a collider's own shape in the world.
static drape_vec3 collider_point(drape_scene* scene, int index, drape_vec3 local)
{
    drape_transform pose =
        drape_collider_pose(drape_scene_world(scene), drape_scene_collider(scene, index));
    drape_vec3 p = drape_quat_rotate(pose.rotate, local);
    return (drape_vec3){p.x + pose.translate.x, p.y + pose.translate.y, p.z + pose.translate.z};
}

START_TEST(colliders_are_placed)
{
    drape_scene* scene = open_sound(
        "{\"drape\": 1, \"cloths\": [{\"grid\": {}, \"place\": {\"translate\": [0, 9, 0]}}],"
        " \"colliders\": ["
        "  {\"plane\": {}},"
        "  {\"plane\": {\"normal\": [0, 0, 2], \"offset\": 3}, \"place\": {\"translate\": [0, 0, "
        "1]}},"
        "  {\"plane\": {\"normal\": [0, -1, 0], \"offset\": -30}},"
        "  {\"capsule\": {\"from\": [0, -0.8, 0], \"to\": [0, 0, 0], \"radii\": [0.1, 0.2]},"
        "   \"place\": {\"translate\": [1, 1, 0], \"rotate\": [-90, 0, 0]}},"
        "  {\"capsule\": {\"from\": [1, 2, 3], \"to\": [4, 2, -1], \"radius\": 0.1}},"
        "  {\"box\": {\"size\": [1, 1, 1]}, \"place\": {\"rotate\": [0, 90, 0]}}]}",
        "s.json");
    const drape_vec3 origin = {0};
    const drape_vec3 up = {0, 1, 0};
    expect_near(collider_point(scene, 0, up), 0, 1, 0, 0);
    expect_near(collider_point(scene, 1, origin), 0, 0, 4, 1e-6);
    expect_near(collider_point(scene, 1, up), 0, 0, 5, 1e-6);
    expect_near(collider_point(scene, 2, origin), 0, 30, 0, 1e-6);
    expect_near(collider_point(scene, 2, up), 0, 29, 0, 1e-6);
    // The lower end of the leg hangs from its joint and was swung forward.
    expect_near(collider_point(scene, 3, (drape_vec3){0, -0.4f, 0}), 1, 1, 0.8, 1e-6);
    expect_near(collider_point(scene, 3, (drape_vec3){0, 0.4f, 0}), 1, 1, 0, 1e-6);
    expect_near(collider_point(scene, 4, (drape_vec3){0, -2.5f, 0}), 1, 2, 3, 1e-6);
    expect_near(collider_point(scene, 4, (drape_vec3){0, 2.5f, 0}), 4, 2, -1, 1e-6);
    expect_near(collider_point(scene, 5, (drape_vec3){1, 0, 0}), 0, 0, -1, 1e-6);
    ck_assert_str_eq(drape_scene_collider_name(scene, 4), "collider4");
    ck_assert_ptr_null(drape_scene_collider_name(scene, 6));
    ck_assert(!drape_scene_collider_moves(scene, 4));
    drape_scene_close(scene);
}
END_TEST

// --- Motion ---

START_TEST(turns_are_followed_as_written)
{
    // A ball that turns twice within a second, and one that does so smoothly.
    drape_scene* scene = open_sound(
        "{\"drape\": 1, \"fps\": 8, \"solver\": {\"substeps\": 1}, \"gravity\": [0, 0, 0],"
        " \"cloths\": [{\"grid\": {\"resolution\": [2, 2]}, \"place\": {\"translate\": [0, 9, "
        "0]}}],"
        " \"colliders\": ["
        "  {\"sphere\": {\"radius\": 1}, \"keys\": [{\"time\": 0},"
        "    {\"time\": 1, \"rotate\": [0, 720, 0], \"translate\": [8, 0, 0], \"ease\": "
        "\"linear\"}]},"
        "  {\"sphere\": {\"radius\": 1}, \"keys\": [{\"time\": 0},"
        "    {\"time\": 1, \"rotate\": [0, 720, 0]}]}]}",
        "s.json");
    ck_assert(drape_scene_collider_moves(scene, 0));
    for (int frame = 1; frame <= 8; ++frame) {
        drape_scene_step(scene);
        double time = frame / 8.0;
        double angle = 12.566370614359172 * time;
        expect_near(collider_point(scene, 0, (drape_vec3){1, 0, 0}), cos(angle) + frame, 0,
                    -sin(angle), 1e-5);
        // Eased as a whole; straight pieces cut the curve's corners a little.
        angle = 12.566370614359172 * time * time * (3.0 - 2.0 * time);
        expect_near(collider_point(scene, 1, (drape_vec3){1, 0, 0}), cos(angle), 0, -sin(angle),
                    0.02);
    }
    drape_scene_close(scene);
}
END_TEST

// --- Pins ---

// A square of 5 x 5 vertices, one metre, around (0, 1, 0); pinned somehow.
static drape_scene* open_pinned(const char* pin, const char* path)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "{\"drape\": 1, \"fps\": 10, \"colliders\": [{\"name\": \"hand\", \"sphere\": "
             "{\"radius\": 0.1}, \"place\": {\"translate\": [5, 5, 5]}, \"keys\": [{\"time\": 0}, "
             "{\"time\": 0.1, \"translate\": [5, 6, 5]}]}], \"cloths\": [{\"grid\": "
             "{\"resolution\": [5, 5]}, \"place\": {\"translate\": [0, 1, 0]}, \"pins\": [{%s}]}]}",
             pin);
    return open_sound(text, path);
}

typedef struct pin_case {
    const char* pin;
    uint32_t held;   // one bit for each vertex
    double moved_up; // after 0.1 s
} pin_case;

static const pin_case pin_cases[] = {
    {"\"where\": [3, 7]", 1u << 3 | 1u << 7, 0},
    {"\"where\": {\"indices\": [24]}", 1u << 24, 0},
    {"\"where\": {\"corners\": \"all\"}", 1u | 1u << 4 | 1u << 20 | 1u << 24, 0},
    {"\"where\": {\"corners\": [\"bottom-right\", 2]}", 1u << 4 | 1u << 20, 0},
    {"\"where\": {\"box\": {\"min\": [-0.3, 1.4, -1], \"max\": [0.1, 1.6, 1]}}",
     1u << 21 | 1u << 22, 0},
    {"\"where\": {\"nearest\": [0.1, 1, 3]}", 1u << 12, 0},
    {"\"where\": {\"nearest\": [[-9, 0, 0], [9, 9, 0]]}", 1u | 1u << 24, 0},
    {"\"where\": {\"corners\": \"all\"}, \"follow\": {\"keys\": [{\"time\": 0}, {\"time\": 0.1, "
     "\"translate\": [0, 0.5, 0]}]}",
     1u | 1u << 4 | 1u << 20 | 1u << 24, 0.5},
    {"\"where\": {\"corners\": \"all\"}, \"follow\": {\"collider\": \"hand\"}",
     1u | 1u << 4 | 1u << 20 | 1u << 24, 1.0},
};

START_TEST(pins_hold_the_right_vertices)
{
    const pin_case* c = &pin_cases[_i];
    drape_scene* scene = open_pinned(c->pin, "s.json");
    drape_vec3 start[25];
    int count;
    memcpy(start, positions_of(scene, &count), sizeof(start));
    ck_assert_int_eq(count, 25);
    drape_scene_step(scene);
    const drape_vec3* end = positions_of(scene, &count);
    for (int i = 0; i < 25; ++i) {
        if ((c->held >> i & 1) != 0) {
            expect_near(end[i], start[i].x, start[i].y + c->moved_up, start[i].z, 1e-5);
        } else {
            double moved = fabs((double)end[i].x - start[i].x) +
                           fabs((double)end[i].y - start[i].y) +
                           fabs((double)end[i].z - start[i].z);
            ck_assert_msg(moved > 1e-9, "vertex %d is held", i);
        }
    }
    drape_scene_close(scene);
}
END_TEST

START_TEST(pins_follow_a_cache)
{
    test_folder folder = test_folder_make();
    drape_error error = {0};
    drape_vec3 frames[2][25] = {0};
    for (int i = 0; i < 25; ++i) {
        frames[0][i] = frames[1][i] = (drape_vec3){(float)i, 2.0f, 0.0f};
        frames[1][i].y = 3.0f;
    }
    // Of all vertices, and of the two that are pinned.
    for (int vertices = 25; vertices > 0; vertices -= 23) {
        const char* path = test_path(&folder, "pins.pc2");
        drape_cache_writer* writer = drape_cache_open(path, vertices, 10.0f, &error);
        ck_assert_ptr_nonnull(writer);
        ck_assert(drape_cache_append(writer, frames[0], &error));
        ck_assert(drape_cache_append(writer, frames[1], &error));
        ck_assert(drape_cache_close(writer, &error));
        drape_scene* scene =
            open_pinned("\"where\": [0, 24], \"follow\": {\"cache\": \"pins.pc2\", \"fps\": 10}",
                        test_path(&folder, "s.json"));
        drape_scene_step(scene);
        int count;
        const drape_vec3* p = positions_of(scene, &count);
        expect_near(p[0], 0, 3, 0, 1e-5);
        expect_near(p[24], vertices == 25 ? 24 : 1, 3, 0, 1e-5);
        drape_scene_close(scene);
    }
    test_folder_remove(&folder);
}
END_TEST

// --- Files ---

static const char strip[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng low\nf 1 2 3\ng high\nf 2 4 3\n";
static const char wide_strip[] = "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 2 1 0\nf 1 2 3\nf 2 4 3\n";
static const char other_strip[] = "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 2 1 0\nf 1 2 4\nf 1 4 3\n";

START_TEST(meshes_come_from_beside_the_scene)
{
    test_folder folder = test_folder_make();
    char path[512];
    snprintf(path, sizeof(path), "%s", test_path(&folder, "s.json"));
    test_file_write(test_path(&folder, "strip.obj"), strip, strlen(strip));
    test_file_write(test_path(&folder, "wide.obj"), wide_strip, strlen(wide_strip));
    test_file_write(test_path(&folder, "other.obj"), other_strip, strlen(other_strip));

    drape_scene* scene =
        open_sound("{\"drape\": 1, \"cloths\": [{\"mesh\": \"strip.obj\", \"rest\": \"wide.obj\", "
                   "\"pins\": [{\"where\": {\"group\": \"high\"}}]}]}",
                   path);
    drape_mesh_report report =
        drape_cloth_mesh_report(drape_scene_world(scene), drape_scene_cloth(scene, 0));
    ck_assert_float_eq(report.area, 2.0f);
    int count;
    expect_near(positions_of(scene, &count)[3], 1, 1, 0, 0);
    drape_scene_close(scene);

    char expected[1024];
    snprintf(expected, sizeof(expected),
             "%s:1: cloths[0].rest: expected a file with the triangles of the mesh, found "
             "\"other.obj\"",
             path);
    expect_refusal(
        "{\"drape\": 1, \"cloths\": [{\"mesh\": \"strip.obj\", \"rest\": \"other.obj\"}]}", path,
        expected);
    snprintf(expected, sizeof(expected),
             "%s:2: cloths[0].mesh: expected a file, but \"%s\" cannot be opened: No such file or "
             "directory",
             path, test_path(&folder, "none.obj"));
    expect_refusal("{\"drape\": 1, \"cloths\": [{\n\"mesh\": \"none.obj\"}]}", path, expected);
    snprintf(
        expected, sizeof(expected),
        "%s:1: cloths[0].pins[0].where.group: expected one of high, low, found \"hihg\"; did you "
        "mean \"high\"?",
        path);
    expect_refusal("{\"drape\": 1, \"cloths\": [{\"mesh\": \"strip.obj\", \"pins\": [{\"where\": "
                   "{\"group\": \"hihg\"}}]}]}",
                   path, expected);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(what_the_world_refuses_is_told_with_its_place)
{
    static const char* const cases[][2] = {
        {"{\"drape\": 1, \"cloths\": [{\"grid\": {\"resolution\": [5, 5]},\n"
         "\"pins\": [{\"where\": [1, 25]}]}]}",
         "s.json:2: cloths[0].pins[0].where[1]: expected a vertex from 0 to 24, found 25"},
        {"{\"drape\": 1, \"cloths\": [{\"grid\": {\"resolution\": [5, 5]},\n"
         "\"pins\": [{\"where\": {\"box\": {\"min\": [9, 9, 9], \"max\": [9, 9, 9]}}}]}]}",
         "s.json:2: cloths[0].pins[0].where.box: no vertex starts in this box"},
        {"{\"drape\": 1, \"method\": \"box\", \"cloths\": [{\"grid\": {}}], \"colliders\": [\n"
         "{\"mesh\": \"none.obj\"}]}",
         "s.json:2: colliders[0].mesh: expected a file, but \"none.obj\" cannot be opened: No such "
         "file or directory"},
        {"{\"drape\": 1, \"cloths\": [{\"grid\": {}}], \"colliders\": [{\"sphere\": {\"radius\": "
         "1},\n"
         "\"keys\": [{\"time\": 0}, {\"time\": 1, \"rotate\": [0, 1e6, 0]}, {\"time\": 2, "
         "\"rotate\": [0, -1e6, 0]}, {\"time\": 3, \"rotate\": [0, 1e6, 0]}, {\"time\": 4, "
         "\"rotate\": [0, -1e6, 0]}, {\"time\": 5, \"rotate\": [0, 1e6, 0]}, {\"time\": 6, "
         "\"rotate\": [0, -1e6, 0]}, {\"time\": 7, \"rotate\": [0, 1e6, 0]}, {\"time\": 8, "
         "\"rotate\": [0, -1e6, 0]}, {\"time\": 9, \"rotate\": [0, 1e6, 0]}]}]}",
         "s.json:2: colliders[0].keys: expected fewer turns: they take more than a million keys"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        expect_refusal(cases[i][0], "s.json", cases[i][1]);
    }
    drape_error error = {0};
    drape_scene* scene =
        open_text("{\"drape\": 1, \"cloths\": [{\"grid\": {\"resolution\": [5, 5]},\n"
                  "\"seams\": [{\"a\": [0], \"b\": [25]}]}]}",
                  "s.json", &error);
    ck_assert_ptr_null(scene);
    test_error_has(&error, DRAPE_ERROR_INPUT, "s.json:2: cloths[0].seams[0]: ");
    ck_assert_ptr_null(drape_scene_open("no/such/scene.json", NULL, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "no/such/scene.json");
}
END_TEST

// --- What this build can run ---

// One that the method brings along is left out aloud when it can't be; one that was asked for is not.
START_TEST(guard_that_was_asked_for_is_not_left_out)
{
    static const char* const texts[] = {
        "{\"drape\": 1, \"collision\": {\"obstacles\": \"discrete\"}, \"cloths\": "
        "[{\"name\": \"a\", \"grid\": {\"resolution\": [3, 3]}}]}",
        "{\"drape\": 1, \"collision\": {\"obstacles\": \"discrete\", \"self\": \"guarded\"}, "
        "\"cloths\": [{\"name\": \"a\", \"grid\": {\"resolution\": [3, 3]}}]}"};
    listener heard = {0};
    drape_error error = {0};
    drape_scene_options options = drape_scene_options_defaults();
    options.log = listen;
    options.log_user = &heard;
    drape_scene* scene =
        drape_scene_open_text(texts[0], strlen(texts[0]), "s.json", &options, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    ck_assert_ptr_nonnull(strstr(heard.last, "running without self-collision"));
    drape_scene_close(scene);
    ck_assert_ptr_null(
        drape_scene_open_text(texts[1], strlen(texts[1]), "s.json", &options, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "collision.self");
}
END_TEST

START_TEST(guard_is_used_or_missed_aloud)
{
    static const char text[] =
        "{\"drape\": 1, \"frames\": 3, \"fps\": 24, \"description\": \"one\", \"cloths\": "
        "[{\"name\": \"a\", \"grid\": {\"resolution\": [3, 3]}}]}";
    listener heard = {0};
    drape_error error = {0};
    drape_scene_options options = drape_scene_options_defaults();
    options.log = listen;
    options.log_user = &heard;
    drape_scene* scene = drape_scene_open_text(text, strlen(text), "s.json", &options, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    drape_method runs = drape_world_get_def(drape_scene_world(scene)).method;
    if (runs.self == DRAPE_SELF_GUARDED) {
        ck_assert_int_eq(heard.warning_count, 0);
    } else {
        ck_assert_int_eq(runs.self, DRAPE_SELF_NONE);
        ck_assert_int_eq(heard.warning_count, 1);
        ck_assert_ptr_nonnull(strstr(heard.last, "running without self-collision"));
    }
    ck_assert_int_eq(drape_scene_frame_count(scene), 3);
    ck_assert_float_eq(drape_scene_fps(scene), 24.0f);
    ck_assert_str_eq(drape_scene_description(scene), "one");
    ck_assert_int_eq(drape_scene_cloth_count(scene), 1);
    ck_assert_str_eq(drape_scene_cloth_name(scene, 0), "a");
    ck_assert_ptr_null(drape_scene_cloth_name(scene, 1));
    ck_assert_int_eq(drape_scene_collider_count(scene), 0);
    drape_step_report report = drape_scene_step(scene);
    ck_assert_double_eq_tol(report.time, 1.0 / 24.0, 1e-6);
    drape_scene_close(scene);
    drape_scene_close(NULL);
}
END_TEST

// Choices that do not go together are blamed on the key that made them so, not on the whole scene.
START_TEST(refused_choices_are_told_with_their_place)
{
    static const char* const cases[][2] = {
        {"{\"drape\": 1, \"cloths\": [{\"grid\": {}}],\n\"collision\": {\"self\": \"particles\", "
         "\"hierarchy\": \"none\"}}",
         "s.json:2: collision.self: "},
        {"{\"drape\": 1, \"method\": \"sensor\", \"cloths\": [{\"grid\": {}}],\n\"collision\": "
         "{\"hierarchy\": \"none\"}}",
         "s.json:2: collision.hierarchy: "},
        {"{\"drape\": 1, \"cloths\": [{\"grid\": {}}],\n\"solver\": {\"model\": \"springs\"}}",
         "s.json:2: solver.model: "},
        {"{\"drape\": 1, \"method\": \"slide\", \"cloths\": [{\"grid\": {}}],\n\"collision\": "
         "{\"obstacles\": \"filter\"}}",
         "s.json:2: collision.obstacles: "},
        {"{\"drape\": 1, \"method\": \"spring\", \"cloths\": [{\"grid\": {}}],\n\"collision\": "
         "{\"self\": \"predictive\"}}",
         "s.json:2: collision.self: "},
        {"{\"drape\": 1,\n\"method\": \"slide\", \"cloths\": [{\"grid\": {}}], \"collision\": "
         "{\"obstacles\": \"filter\", \"self\": \"predictive\"}}",
         "s.json:2: method: "},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        drape_error error = {0};
        ck_assert_ptr_null(open_text(cases[i][0], "s.json", &error));
        test_error_has(&error, DRAPE_ERROR_INPUT, cases[i][1]);
    }
}
END_TEST

// Each scene that comes along is built, or refused by just what the probe said.
static void write_text(const test_folder* folder, const char* name, const char* text)
{
    FILE* file = fopen(test_path(folder, name), "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

#define HULL(what)                                                        \
    "{\"drape\": 1, \"cloths\": [{\"grid\": {\"resolution\": [3, 3]}}], " \
    "\"colliders\": [{\"hull\": " what "}]}"

// Points and a file of the same corners are the same solid, without what is inside.
START_TEST(hulls_are_of_points_or_of_files)
{
    test_folder folder = test_folder_make();
    write_text(&folder, "points.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv .1 .1 .1\nf 1 2 3\nf 1 2 5\nf 3 4 5\n");
    write_text(&folder, "file.json", HULL("\"points.obj\""));
    write_text(&folder, "points.json",
               HULL("[[0, 0, 0], [1, 0, 0], [0.1, 0.1, 0.1], [0, 1, 0], [0, 0, 1]]"));
    const char* names[2] = {"file.json", "points.json"};
    for (int k = 0; k < 2; ++k) {
        drape_error error = {0};
        drape_scene* scene = drape_scene_open(test_path(&folder, names[k]), NULL, &error);
        ck_assert_msg(scene != NULL, "%s", error.sentence);
        int vertices = 0, triangles = 0;
        ck_assert(drape_collider_mesh(drape_scene_world(scene), drape_scene_collider(scene, 0),
                                      1e-3f, NULL, &vertices, NULL, &triangles));
        ck_assert_int_eq(vertices, 4);
        ck_assert_int_eq(triangles, 4);
        drape_scene_close(scene);
    }
    drape_error error = {0};
    write_text(&folder, "flat.json", HULL("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]"));
    ck_assert_ptr_null(drape_scene_open(test_path(&folder, "flat.json"), NULL, &error));
    ck_assert_ptr_nonnull(strstr(error.sentence, "the points of a hull lie in one plane"));
    test_folder_remove(&folder);
}
END_TEST

#define SEQUENCE(what)                                                                 \
    "{\"drape\": 1, \"fps\": 10, \"cloths\": [{\"grid\": {\"resolution\": [3, 3]}}], " \
    "\"colliders\": [{\"sequence\": " what "}]}"

// Numbered files move a mesh from frame to frame; files that do not fit are told.
START_TEST(sequences_move_colliders)
{
    test_folder folder = test_folder_make();
    char path[1024];
    snprintf(path, sizeof path, "%s", test_path(&folder, "s.json"));
    write_text(&folder, "b_00.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    write_text(&folder, "b_01.obj", "v 0 -1 0\nv 1 -1 0\nv 0 -1 1\nf 1 2 3\n");
    drape_scene* scene = open_sound(SEQUENCE("\"b_%02d.obj\""), path);
    ck_assert(drape_scene_collider_moves(scene, 0));
    drape_scene_step(scene);
    int vertices = 3, triangles = 1;
    drape_vec3 p[3];
    int32_t t[3];
    ck_assert(drape_collider_mesh(drape_scene_world(scene), drape_scene_collider(scene, 0), 1.0f, p,
                                  &vertices, t, &triangles));
    expect_near(p[1], 1.0, -1.0, 0.0, 1e-6);
    drape_scene_close(scene);
    write_text(&folder, "b_02.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\n");
    char sentence[3000];
    snprintf(sentence, sizeof sentence,
             "%s:1: colliders[0].sequence: \"%s\": expected the triangles of the first frame, "
             "1 over 3 vertices, found 1 over 4",
             path, test_path(&folder, "b_02.obj"));
    expect_refusal(SEQUENCE("\"b_%02d.obj\""), path, sentence);
    snprintf(sentence, sizeof sentence,
             "%s:1: colliders[0].sequence.files: expected files, the first of them number 0 or 1, "
             "found \"c_%%d.obj\"",
             path);
    expect_refusal(SEQUENCE("{\"files\": \"c_%d.obj\"}"), path, sentence);
    snprintf(sentence, sizeof sentence,
             "%s:1: colliders[0].sequence: expected one number in the name, such as %%d or %%04d, "
             "found \"b_00.obj\"",
             path);
    expect_refusal(SEQUENCE("\"b_00.obj\""), path, sentence);
    test_folder_remove(&folder);
}
END_TEST

// Two sheets over each other; the upper half of the upper one is region 1.
#define LAYERS(collision)                                                                     \
    "{\"drape\": 1, \"method\": \"predict\", \"solver\": {\"substeps\": 1}, \"collision\": {" \
    "\"thickness\": 0.01, \"static_radius\": 0.02" collision                                  \
    "}, \"cloths\": [{\"grid\": {\"size\": [1, 1], \"resolution\": [5, 5]}, \"layer\": 0}, "  \
    "{\"grid\": {\"size\": [1, 1], \"resolution\": [5, 5]}, \"layer\": 1, "                   \
    "\"place\": {\"translate\": [0, 0, -0.012]}, \"regions\": [{\"region\": 1, \"where\": "   \
    "{\"box\": {\"min\": [-1, -0.01, -1], \"max\": [1, 1, 1]}}}]}]}"

static int self_contacts(const char* text, const char* path)
{
    drape_scene* scene = open_sound(text, path);
    int count = drape_world_step(drape_scene_world(scene), 1.0f / 30.0f).self_contact_count;
    drape_scene_close(scene);
    return count;
}

START_TEST(regions_reach_the_world)
{
    int all = self_contacts(LAYERS(""), "s.json");
    int half = self_contacts(LAYERS(", \"regions\": [[0, 1]]"), "s.json");
    ck_assert_int_gt(all, 50);
    ck_assert_int_gt(half, all / 4);
    ck_assert_int_lt(half, 3 * all / 4);
    ck_assert_int_eq(self_contacts(LAYERS(", \"regions\": [[2, 2]]"), "s.json"), 0);
    int points = self_contacts(LAYERS(", \"features\": \"points\""), "s.json");
    ck_assert_int_gt(points, 20);
    ck_assert_int_lt(points, all);
}
END_TEST

// The file is written the first time and read the second.
START_TEST(kept_contacts_have_a_file)
{
    test_folder folder = test_folder_make();
    char path[1024];
    snprintf(path, sizeof path, "%s", test_path(&folder, "s.json"));
    const char* text = LAYERS(", \"cache\": \"kept.bin\"");
    int first = self_contacts(text, path);
    size_t size = 0;
    char* bytes = test_file_read(test_path(&folder, "kept.bin"), &size);
    ck_assert_uint_gt(size, 500);
    ck_assert_int_gt(first, 20);
    ck_assert_int_eq(self_contacts(text, path), first);
    bytes[10] ^= 1;
    test_file_write(test_path(&folder, "kept.bin"), bytes, size);
    free(bytes);
    char sentence[2000];
    snprintf(sentence, sizeof sentence,
             "%s:1: collision.cache: these contacts are not of the cloths of this world, or were "
             "found with other layers, regions, radii or places",
             path);
    expect_refusal(text, path, sentence);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(scenes_that_come_along_are_built_or_incomplete)
{
    static const char* const names[] = {"table",   "ground",    "sphere",         "flag",
                                        "curtain", "tangled",   "cube",           "sofa",
                                        "skirt",   "character", "table-paper",    "pins-center",
                                        "solid",   "knot",      "rotating-sphere"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        char path[1024];
        char description[256];
        char incomplete[256];
        drape_error error = {0};
        snprintf(path, sizeof(path), "%s/scenes/%s.json", DRAPE_SOURCE_DIR, names[i]);
        ck_assert_msg(drape_scene_probe(path, NULL, description, sizeof(description), incomplete,
                                        sizeof(incomplete), &error),
                      "%s", error.sentence);
        ck_assert_uint_gt(strlen(description), 20);
        drape_scene* scene = drape_scene_open(path, NULL, &error);
        ck_assert_msg((scene != NULL) == (incomplete[0] == '\0'), "%s: %s", path, error.sentence);
        if (scene == NULL) {
            test_error_has(&error, DRAPE_ERROR_INPUT, incomplete);
        }
        // Those that need nothing but the first solver must run from now on.
        ck_assert_msg(i > 7 || scene != NULL, "%s: %s", path, error.sentence);
        drape_scene_close(scene);
    }
}
END_TEST

// The garments of scenes for later solvers: their pins must find vertices and colliders today.
START_TEST(garments_can_be_built)
{
    static const char* const names[] = {"flaps", "skirt", "character", "knot", "rotating-sphere"};
    int vertices = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        char path[1024];
        drape_error error = {0};
        drape_scene_options options = drape_scene_options_defaults();
        options.method = "drape";
        snprintf(path, sizeof(path), "%s/scenes/%s.json", DRAPE_SOURCE_DIR, names[i]);
        drape_scene* scene = drape_scene_open(path, &options, &error);
        ck_assert_msg(scene != NULL, "%s", error.sentence);
        for (int k = 0; i == 2 && k < drape_scene_cloth_count(scene); ++k) {
            vertices +=
                drape_cloth_vertex_count(drape_scene_world(scene), drape_scene_cloth(scene, k));
        }
        drape_scene_close(scene);
    }
    ck_assert_int_ge(vertices, 1000);
}
END_TEST

// --- Control ---

#define POSED(pose) \
    "{\"drape\": 1, \"cloths\": [{\"grid\": {\"resolution\": [5, 5]}, \"pose\": {" pose "}}]}"

START_TEST(poses_hold_cloth_where_it_started)
{
    drape_scene* scene = open_sound(POSED("\"max_distance\": 0.125"), "s.json");
    drape_world* world = drape_scene_world(scene);
    int count;
    drape_vec3 start[25];
    memcpy(start, positions_of(scene, &count), sizeof(start));
    for (int i = 0; i < 30; ++i) {
        drape_world_step(world, 1.0f / 30.0f);
    }
    for (int i = 0; i < count; ++i) {
        expect_near(positions_of(scene, &count)[i], start[i].x, start[i].y - 0.125, start[i].z,
                    1e-3);
    }
    drape_scene_close(scene);
}
END_TEST

START_TEST(poses_follow_a_cache)
{
    test_folder folder = test_folder_make();
    drape_error error = {0};
    drape_vec3 frames[2][25];
    for (int i = 0; i < 50; ++i) {
        frames[i / 25][i % 25] =
            (drape_vec3){0.25f * (float)(i % 5) - 0.5f, 0.25f * (float)(i % 25 / 5) - 0.5f,
                         i / 25 ? 0.5f : 0.0f};
    }
    drape_cache_writer* writer = drape_cache_open(test_path(&folder, "pose.pc2"), 25, 2.0f, &error);
    ck_assert_msg(writer != NULL, "%s", error.sentence);
    ck_assert(drape_cache_append(writer, frames[0], &error));
    ck_assert(drape_cache_append(writer, frames[1], &error));
    ck_assert(drape_cache_close(writer, &error));
    drape_scene* scene =
        open_sound(POSED("\"cache\": \"pose.pc2\", \"fps\": 2, \"max_distance\": 0"),
                   test_path(&folder, "s.json"));
    for (int i = 0; i < 15; ++i) {
        drape_world_step(drape_scene_world(scene), 1.0f / 30.0f);
    }
    int count;
    for (int i = 0; i < 25; ++i) {
        drape_vec3 p = frames[1][i];
        expect_near(positions_of(scene, &count)[i], p.x, p.y, p.z, 1e-5);
    }
    drape_scene_close(scene);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(control_is_read_and_refused)
{
    drape_scene* scene = open_sound(
        "{\"drape\": 1, \"solver\": {\"sleep_speed\": 0.02}, \"cloths\": [{\"grid\": {}, "
        "\"control\": {\"tethers\": true, \"tether_slack\": 0.05, \"rigid_damping\": 3, "
        "\"stretch_damping\": 4}}]}",
        "s.json");
    drape_world* world = drape_scene_world(scene);
    drape_control control = drape_cloth_get_control(world, drape_scene_cloth(scene, 0));
    ck_assert(control.tethers);
    ck_assert_float_eq(control.tether_slack, 0.05f);
    ck_assert_float_eq(control.rigid_damping, 3.0f);
    ck_assert_float_eq(control.stretch_damping, 4.0f);
    ck_assert_float_eq(drape_world_get_def(world).sleep_speed, 0.02f);
    drape_scene_close(scene);
    expect_refusal(POSED("\"max_distance\": [1, 2, 3]"), "s.json",
                   "s.json:1: cloths[0].pose.max_distance: expected a number for each of the 25 "
                   "vertices, found 3");
    expect_refusal(POSED("\"fps\": 3"), "s.json",
                   "s.json:1: cloths[0].pose.fps: only a cache has frames per second");
    expect_refusal(POSED("\"backstop\": -1"), "s.json",
                   "s.json:1: cloths[0].pose.backstop: expected a number of at least 0, found -1");
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("scene_build");
    TCase* places = tcase_create("places");
    tcase_add_test(places, grid_stands_upright);
    tcase_add_test(places, grid_lies_flat_exactly);
    tcase_add_test(places, shapes_are_turned_then_moved);
    tcase_add_test(places, colliders_are_placed);
    tcase_add_test(places, turns_are_followed_as_written);
    suite_add_tcase(suite, places);
    TCase* pins = tcase_create("pins");
    tcase_add_loop_test(pins, pins_hold_the_right_vertices, 0,
                        (int)(sizeof(pin_cases) / sizeof(pin_cases[0])));
    tcase_add_test(pins, pins_follow_a_cache);
    suite_add_tcase(suite, pins);
    TCase* controls = tcase_create("control");
    tcase_add_test(controls, poses_hold_cloth_where_it_started);
    tcase_add_test(controls, poses_follow_a_cache);
    tcase_add_test(controls, control_is_read_and_refused);
    suite_add_tcase(suite, controls);
    TCase* whole = tcase_create("whole");
    tcase_add_test(whole, meshes_come_from_beside_the_scene);
    tcase_add_test(whole, what_the_world_refuses_is_told_with_its_place);
    tcase_add_test(whole, refused_choices_are_told_with_their_place);
    tcase_add_test(whole, guard_that_was_asked_for_is_not_left_out);
    tcase_add_test(whole, guard_is_used_or_missed_aloud);
    tcase_add_test(whole, hulls_are_of_points_or_of_files);
    tcase_add_test(whole, sequences_move_colliders);
    tcase_add_test(whole, scenes_that_come_along_are_built_or_incomplete);
    tcase_add_test(whole, garments_can_be_built);
    tcase_add_test(whole, regions_reach_the_world);
    tcase_add_test(whole, kept_contacts_have_a_file);
    suite_add_tcase(suite, whole);
    return test_run(suite);
}
