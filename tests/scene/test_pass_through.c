// Nothing passes through, at any speed: solids of all kinds are driven into sheets, spinning or
// not, and every frame is looked at by geometry (pass_test.h).
//
// `make test` runs a choice. DRAPE_TORTURE=1 runs the whole matrix and prints a line for each run;
// DRAPE_TORTURE=needle runs those whose name contains the word.
#include <stdio.h>

#include "pass_test.h"

// --- The matrix ---

static const struct {
    const char* name;
    drape_shape shape;
    drape_vec3 degrees;
    float height; // of its middle over its lowest point
    float size;   // of its furthest point from its middle
} solids[] = {
    {"ball", {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f}, {0, 0, 0}, 0.3f, 0.3f},
    {"marble", {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.02f}, {0, 0, 0}, 0.02f, 0.02f},
    {"bar",
     {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.02f, .radius_top = 0.02f, .height = 0.3f},
     {0, 20, 80},
     0.05f,
     0.17f},
    {"box", {.kind = DRAPE_SHAPE_BOX, .size = {0.2f, 0.2f, 0.2f}}, {45, 0, 35}, 0.18f, 0.18f},
    {"rod", {.kind = DRAPE_SHAPE_BOX, .size = {0.009f, 0.4f, 0.009f}}, {10, 0, 5}, 0.21f, 0.21f},
    {"lying rod",
     {.kind = DRAPE_SHAPE_BOX, .size = {0.009f, 0.4f, 0.009f}},
     {0, 30, 88},
     0.02f,
     0.21f},
    {"needle",
     {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.0015f, .radius_top = 0.0015f, .height = 0.3f},
     {5, 0, 8},
     0.152f,
     0.152f},
    {"awl",
     {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.002f, .radius_top = 0.03f, .height = 0.2f},
     {4, 0, 3},
     0.11f,
     0.13f},
    {"plate", {.kind = DRAPE_SHAPE_BOX, .size = {0.3f, 0.3f, 0.004f}}, {7, 11, 3}, 0.18f, 0.22f},
    {"flat plate",
     {.kind = DRAPE_SHAPE_BOX, .size = {0.3f, 0.004f, 0.3f}},
     {3, 11, 2},
     0.02f,
     0.22f},
    {"ground", {.kind = DRAPE_SHAPE_PLANE}, {180, 0, 0}, 0.0f, 0.0f},
};
enum { solid_count = sizeof solids / sizeof solids[0] };

static const float speeds[] = {2.0f, 20.0f, 200.0f}; // m/s: 1, 10 and 100 times
#define SPIN_SPEED 3000.0                            // degrees/s
typedef enum spin { SPIN_NONE, SPIN_TURN, SPIN_TUMBLE, SPIN_KINDS } spin;

typedef enum hold { HOLD_FREE, HOLD_CORNERS, HOLD_BORDER, HOLD_KINDS } hold;
typedef enum sheet { SHEET_COARSE, SHEET_FINE, SHEET_DISC, SHEET_SMALL, SHEET_KINDS } sheet;
static const char* const spin_names[] = {"still", "turning", "tumbling"};
static const char* const hold_names[] = {"free", "corners", "border"};
static const char* const sheet_names[] = {"grid 21", "grid 51", "disc", "small"};

typedef struct trial {
    int solid;
    float speed;
    spin spin;
    hold hold;
    sheet sheet;
} trial;

// What was seen.
typedef struct verdict {
    double vertex, triangle; // least distance in any frame, m
    bool has_passed;
    bool is_finite;
    float stretch;
    float fastest; // vertex in any frame, m/s
    int64_t guarded_count, pinched_count;
} verdict;

static void name_trial(const trial* t, char name[96])
{
    snprintf(name, 96, "%s, %g m/s, %s, %s, %s", solids[t->solid].name, (double)t->speed,
             spin_names[t->spin], hold_names[t->hold], sheet_names[t->sheet]);
}

// --- The sheet ---

static drape_cloth_id add_disc(drape_world* world)
{
    enum { rings = 12 };
    static drape_vec3 places[1 + 3 * rings * (rings + 1)];
    static int32_t triangles[6 * rings * rings * 3];
    drape_mesh_view view = {.positions = places, .triangles = triangles, .vertex_count = 1};
    for (int ring = 1; ring <= rings; ++ring) {
        int inner = view.vertex_count - (ring == 1 ? 1 : 6 * (ring - 1));
        int outer = view.vertex_count, on_inner = ring == 1 ? 1 : 6 * (ring - 1);
        for (int k = 0; k < 6 * ring; ++k) {
            double angle = 2.0 * 3.14159265358979 * k / (6 * ring);
            places[view.vertex_count++] = vec((float)(0.5 * ring / rings * cos(angle)), 0.0f,
                                              (float)(0.5 * ring / rings * sin(angle)));
        }
        for (int sector = 0; sector < 6; ++sector) {
            for (int k = 0; k < ring; ++k) {
                int32_t a = outer + sector * ring + k,
                        b = outer + (sector * ring + k + 1) % (6 * ring);
                int32_t c = inner + (sector * (ring - 1) + k) % on_inner;
                int32_t d = inner + (sector * (ring - 1) + k - 1 + on_inner) % on_inner;
                const int32_t up[3] = {c, b, a}, down[3] = {c, a, d};
                memcpy(triangles + 3 * view.triangle_count++, up, sizeof up);
                if (k > 0) {
                    memcpy(triangles + 3 * view.triangle_count++, down, sizeof down);
                }
            }
        }
    }
    drape_cloth_def def = drape_cloth_defaults();
    drape_cloth_id id = drape_cloth_add_mesh(world, &def, &view);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

// What is driven 10 cm into a sheet of this size stretches it to several times its length.
#define SMALL_SIZE 0.12f

static drape_cloth_id add_target(drape_world* world, sheet kind)
{
    if (kind == SHEET_DISC) {
        return add_disc(world);
    }
    float size = kind == SHEET_SMALL ? SMALL_SIZE : 1.0f;
    return add_square(world, size, kind == SHEET_FINE ? 51 : 21, vec(0, 0, 0), vec(0, 0, 0));
}

// Vertices near the border, or far along both axes.
static void pin_sheet(drape_world* world, drape_cloth_id cloth, hold how)
{
    int count, held = 0;
    const drape_vec3* p = drape_cloth_positions(world, cloth, &count);
    int32_t* list = malloc(sizeof *list * (size_t)count);
    bool is_round = dr_length(p[0]) < 0.01f;
    float edge = is_round ? 0.499f : 0.998f * fabsf(p[0].x);
    for (int i = 0; i < count; ++i) {
        float far = is_round ? dr_length(p[i]) : fmaxf(fabsf(p[i].x), fabsf(p[i].z));
        bool is_corner = is_round ? fminf(fabsf(p[i].x), fabsf(p[i].z)) < 1e-3f
                                  : fminf(fabsf(p[i].x), fabsf(p[i].z)) > edge;
        if (far > edge && (how == HOLD_BORDER || is_corner)) {
            list[held++] = i;
        }
    }
    if (how != HOLD_FREE) {
        pin_vertices(world, cloth, list, held);
    }
    free(list);
}

// --- The motion ---

#define START_HEIGHT 0.02f

// Frames in which a free sheet is driven along, for metres by the fast ones.
static int drive_frames(const trial* t)
{
    return t->speed > 100.0f ? 1 : 3;
}

static float depth_of(const trial* t)
{
    return t->hold == HOLD_FREE ? t->speed * (float)drive_frames(t) / 60.0f - START_HEIGHT : 0.1f;
}

// Driven down, then held, spinning all the time.
static drape_transform pose_of(const trial* t, double time)
{
    bool tumbles = t->spin == SPIN_TUMBLE;
    float height = tumbles ? solids[t->solid].size : solids[t->solid].height;
    float y = fmaxf(START_HEIGHT - t->speed * (float)time, -depth_of(t)) + height;
    drape_transform pose = pose_at(vec(0.013f, y, 0.007f), solids[t->solid].degrees);
    float turn = t->spin == SPIN_NONE ? 0.0f : (float)fmod(SPIN_SPEED * time, 360.0);
    drape_quat turned = drape_quat_from_degrees(tumbles ? vec(turn, 0, 0) : vec(0, turn, 0));
    pose.rotate = dr_quat_multiply(turned, pose.rotate);
    return pose;
}

static float drive_time(const trial* t)
{
    return (START_HEIGHT + depth_of(t)) / t->speed;
}

// Keys every 25 degrees, and where the drive ends.
enum { KEY_COUNT = 128 };

static void fill_keys(const trial* t, drape_key keys[KEY_COUNT])
{
    float end = drive_time(t), time = 0.0f;
    for (int i = 0; i < KEY_COUNT; ++i) {
        keys[i].ease = DRAPE_EASE_LINEAR;
        keys[i].time = time;
        keys[i].pose = pose_of(t, (double)time);
        float next = time + 1.0f / 120.0f;
        time = time < end && end < next ? end : next;
    }
}

static int frame_count_of(const trial* t)
{
    return (int)(drive_time(t) * 60.0f) + (t->hold == HOLD_FREE ? 6 : 20);
}

// --- A run ---

static void look(drape_world* world, drape_cloth_id cloth, const trial* t, drape_transform pose,
                 verdict* seen)
{
    const drape_shape* shape = &solids[t->solid].shape;
    seen->vertex = fmin(seen->vertex, (double)nearest_vertex(world, cloth, shape, pose));
    seen->triangle = fmin(seen->triangle, cloth_distance(world, cloth, shape, pose, 1e-3));
    seen->is_finite = seen->is_finite && is_finite_cloth(world, cloth);
    seen->fastest = fmaxf(seen->fastest, fastest_of(world, cloth));
}

// The sheet starts below the solid. Held all round it is below for ever; else as long as it is
// driven, or slips off little by little.
static bool is_below(drape_world* world, drape_cloth_id cloth, const trial* t, drape_vec3 middle)
{
    drape_vec3 up = vec(0.0123f, 1.0f, 0.0071f);
    return t->hold == HOLD_BORDER ? ray_crossings(world, cloth, middle, up) == 0
                                  : ray_crossings(world, cloth, middle, dr_scale(up, -1)) != 0;
}

// In steps of one substep each, which are cut as finely as those of a whole frame are, so that
// nothing can pass unseen between two looks.
static verdict run_trial(const trial* t)
{
    enum { parts = 20 };
    drape_world_def def = drape_world_defaults();
    def.substeps = 1;
    drape_world* world = drape_world_create(&def);
    drape_cloth_id cloth = add_target(world, t->sheet);
    pin_sheet(world, cloth, t->hold);
    drape_key keys[KEY_COUNT];
    fill_keys(t, keys);
    drape_collider_def solid = drape_collider_defaults();
    solid.shape = solids[t->solid].shape;
    solid.keys = keys;
    solid.key_count = KEY_COUNT;
    drape_collider_id id = drape_collider_add(world, &solid);
    ck_assert_msg(drape_collider_is_valid(world, id), "%s", drape_world_error(world));
    verdict seen = {.vertex = INFINITY, .triangle = INFINITY, .is_finite = true};
    // Nothing passes around what is endless, and when it is inside it is inside.
    bool has_jumped = t->hold == HOLD_BORDER && solid.shape.kind != DRAPE_SHAPE_PLANE;
    int judged_at = (t->hold == HOLD_FREE ? drive_frames(t) : frame_count_of(t)) * parts;
    double cover = cover_of(world, cloth, drape_collider_pose(world, id).translate);
    for (int part = 1; part <= frame_count_of(t) * parts; ++part) {
        drape_step_report report = drape_world_step(world, FRAME / parts);
        drape_transform pose = drape_collider_pose(world, id);
        double before = cover;
        cover = cover_of(world, cloth, pose.translate);
        has_jumped |= fabs(cover - before) > 0.7; // a border that sweeps by makes a half at most
        bool is_judged = part == judged_at || t->hold == HOLD_BORDER;
        seen.has_passed |= is_judged && has_jumped && !is_below(world, cloth, t, pose.translate);
        seen.stretch = fmaxf(seen.stretch, report.max_stretch);
        seen.guarded_count += report.guarded_count;
        seen.pinched_count += report.pinched_count;
        if (part % 5 == 0) {
            look(world, cloth, t, pose, &seen);
        }
    }
    drape_world_destroy(world);
    return seen;
}

static bool is_sound(const verdict* seen)
{
    // A tenth of the contact thickness of the thinnest fabric is a tenth of a millimetre.
    return seen->is_finite && !seen->has_passed && seen->vertex > -1e-5 && seen->triangle > -1e-4;
}

static bool judge(const trial* t, bool is_loud)
{
    char name[96];
    name_trial(t, name);
    verdict seen = run_trial(t);
    bool sound = is_sound(&seen);
    if (is_loud) {
        printf("%-52s vertex %8.3f mm  triangle %8.3f mm  stretch %4.1f  fastest %5.1f m/s  "
               "guarded %6lld  pinched %lld  %s\n",
               name, 1e3 * fmin(seen.vertex, 1.0), 1e3 * seen.triangle, (double)seen.stretch,
               (double)seen.fastest, (long long)seen.guarded_count, (long long)seen.pinched_count,
               sound             ? ""
               : seen.has_passed ? "PASSED"
                                 : "inside");
        fflush(stdout);
    }
    return sound;
}

// What is endless meets pins, which do not yield, and so does what is too large for a small sheet.
static bool is_fair(const trial* t)
{
    const drape_shape* shape = &solids[t->solid].shape;
    if (shape->kind == DRAPE_SHAPE_PLANE) {
        return t->spin == SPIN_NONE && t->hold == HOLD_FREE;
    }
    bool stands = solids[t->solid].height > 0.9f * solids[t->solid].size;
    bool is_thin =
        dr_shape_inner_radius(shape) < 0.3f * SMALL_SIZE && solids[t->solid].size < 0.215f;
    return t->sheet != SHEET_SMALL ||
           (t->hold == HOLD_BORDER && t->spin != SPIN_TUMBLE && stands && is_thin);
}

static int run_matrix(const char* word)
{
    int failed = 0, count = 0;
    for (int solid = 0; solid < solid_count; ++solid) {
        for (int k = 0; k < 3 * SPIN_KINDS * HOLD_KINDS * SHEET_KINDS; ++k) {
            trial t = {solid, speeds[k % 3], (spin)(k / 3 % SPIN_KINDS),
                       (hold)(k / 3 / SPIN_KINDS % HOLD_KINDS),
                       (sheet)(k / 3 / SPIN_KINDS / HOLD_KINDS)};
            char name[96];
            name_trial(&t, name);
            if (!is_fair(&t) || (strcmp(word, "1") != 0 && !strstr(name, word))) {
                continue;
            }
            failed += !judge(&t, true);
            ++count;
        }
    }
    printf("%d runs, %d failed\n", count, failed);
    return failed;
}

START_TEST(nothing_passes_in_the_matrix)
{
    const char* word = getenv("DRAPE_TORTURE");
    if (word && *word) {
        ck_assert_int_eq(run_matrix(word), 0);
    }
}
END_TEST

// Two in three of these failed before there was a guard; some for each solid, speed and way of
// holding.
static const trial choice[] = {
    {0, 20.0f, SPIN_NONE, HOLD_FREE, SHEET_COARSE},
    {1, 200.0f, SPIN_TURN, HOLD_FREE, SHEET_DISC},
    {2, 20.0f, SPIN_NONE, HOLD_FREE, SHEET_COARSE},
    {3, 200.0f, SPIN_TURN, HOLD_FREE, SHEET_COARSE},
    {4, 200.0f, SPIN_TURN, HOLD_FREE, SHEET_COARSE},
    {4, 20.0f, SPIN_TUMBLE, HOLD_BORDER, SHEET_DISC},
    {5, 2.0f, SPIN_TURN, HOLD_BORDER, SHEET_COARSE},
    {5, 200.0f, SPIN_TURN, HOLD_CORNERS, SHEET_COARSE},
    {6, 200.0f, SPIN_NONE, HOLD_FREE, SHEET_COARSE},
    {6, 200.0f, SPIN_TURN, HOLD_BORDER, SHEET_DISC},
    {6, 20.0f, SPIN_TUMBLE, HOLD_BORDER, SHEET_COARSE},
    {7, 20.0f, SPIN_TURN, HOLD_FREE, SHEET_COARSE},
    {8, 200.0f, SPIN_NONE, HOLD_FREE, SHEET_COARSE},
    {9, 2.0f, SPIN_NONE, HOLD_CORNERS, SHEET_COARSE},
    {9, 200.0f, SPIN_TURN, HOLD_BORDER, SHEET_COARSE},
    {10, 200.0f, SPIN_NONE, HOLD_FREE, SHEET_COARSE},
    {1, 2.0f, SPIN_NONE, HOLD_BORDER, SHEET_SMALL},
    {4, 20.0f, SPIN_TURN, HOLD_BORDER, SHEET_SMALL},
    {6, 200.0f, SPIN_NONE, HOLD_BORDER, SHEET_SMALL},
};
enum { choice_count = sizeof choice / sizeof choice[0] };

START_TEST(nothing_passes)
{
    char name[96];
    name_trial(&choice[_i], name);
    ck_assert_msg(judge(&choice[_i], false), "%s", name);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("pass_through");
    TCase* matrix = tcase_create("matrix");
    tcase_set_timeout(matrix, 36000.0); // hours, where it is asked for
    tcase_add_loop_test(tests, nothing_passes, 0, choice_count);
    tcase_add_test(matrix, nothing_passes_in_the_matrix);
    Suite* suite = suite_create("pass_through");
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, matrix);
    return run_suite(suite);
}
