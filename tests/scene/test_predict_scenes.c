// The scenes of games as they come along: how they do on a good day, and that after a bad one
// (animation ten and a hundred times too fast, hitches, solids that pinch, pins that tear, layers that
// start tangled) they are as they should be within a second.
#include <drape/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "check/crossings.h"

enum { MOST_EDGES = 20000, MOST_VERTICES = 4000, MOST_CLOTHS = 4 };

// The text of a scene with all times of its keys divided by `speed`.
static char* read_faster(const char* path, double speed, double* end)
{
    FILE* file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    char* text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    char *out = calloc(2, size + 1), *to = out;
    static const char key[] = "\"time\": ";
    for (const char* at = text; *at != '\0';) {
        if (strncmp(at, key, sizeof key - 1) != 0) {
            *to++ = *at++;
            continue;
        }
        char* after;
        double time = strtod(at + sizeof key - 1, &after) / speed;
        to += sprintf(to, "%s%.6f", key, time);
        *end = fmax(*end, time);
        at = after;
    }
    free(text);
    return out;
}

static drape_scene* open_faster(const char* name, double speed, double* end)
{
    char path[512];
    snprintf(path, sizeof path, DRAPE_SOURCE_DIR "/scenes/%s.json", name);
    *end = 0.0;
    char* text = read_faster(path, speed, end);
    drape_scene_options options = drape_scene_options_defaults();
    drape_error error;
    drape_scene* scene = drape_scene_open_text(text, strlen(text), path, &options, &error);
    ck_assert_msg(scene != NULL, "%s", error.sentence);
    free(text);
    return scene;
}

// --- Looking ---

typedef struct look {
    dr_check_mesh meshes[MOST_CLOTHS];
    int count;
    float rest[3 * MOST_EDGES]; // lengths of the sides of all triangles
} look;

static int measure(const look* l, float* lengths)
{
    int count = 0;
    for (int c = 0; c < l->count; ++c) {
        const dr_check_mesh* mesh = &l->meshes[c];
        for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
            int next = i % 3 == 2 ? i - 2 : i + 1;
            drape_vec3 a = mesh->positions[mesh->triangles[i]];
            drape_vec3 b = mesh->positions[mesh->triangles[next]];
            float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
            lengths[count++] = sqrtf(x * x + y * y + z * z);
        }
    }
    return count;
}

static look look_at(drape_scene* scene)
{
    look l = {.count = drape_scene_cloth_count(scene)};
    for (int c = 0; c < l.count; ++c) {
        const drape_world* world = drape_scene_world(scene);
        dr_check_mesh* mesh = &l.meshes[c];
        mesh->positions =
            drape_cloth_positions(world, drape_scene_cloth(scene, c), &mesh->vertex_count);
        mesh->triangles =
            drape_cloth_triangles(world, drape_scene_cloth(scene, c), &mesh->triangle_count);
    }
    measure(&l, l.rest);
    return l;
}

static int compare(const void* a, const void* b)
{
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static double stretch_p99(const look* l)
{
    static float now[3 * MOST_EDGES];
    int count = measure(l, now);
    for (int i = 0; i < count; ++i) {
        now[i] = now[i] / l->rest[i] - 1.0f;
    }
    qsort(now, (size_t)count, sizeof *now, compare);
    return (double)now[count * 99 / 100];
}

static int crossings_between(const look* l)
{
    dr_memory memory;
    dr_crossings found;
    dr_memory_init(&memory, NULL);
    ck_assert(dr_crossings_find(&found, &memory, NULL, l->meshes, l->count));
    int count = 0;
    for (int i = 0; i < found.pair_count; ++i) {
        count += found.pairs[i].meeting == DR_MEETING_CROSSING &&
                 found.pairs[i].mesh_a != found.pairs[i].mesh_b;
    }
    dr_crossings_free(&found, &memory);
    return count;
}

// --- Days ---

static const char* const scenes[] = {"flaps", "skirt", "character"};

// Of all frames those with edges stretched above 5 %, and those in which layers cross.
START_TEST(good_days)
{
    double end;
    drape_scene* scene = open_faster(scenes[_i], 1.0, &end);
    look* l = malloc(sizeof *l);
    *l = look_at(scene);
    int stretched = 0, crossed = 0, frames = drape_scene_frame_count(scene);
    for (int i = 0; i < frames; ++i) {
        ck_assert_int_eq(drape_scene_step(scene).non_finite_count, 0);
        stretched += stretch_p99(l) > 0.05;
        crossed += crossings_between(l) > 0;
    }
    ck_assert_int_eq(stretched, 0);
    ck_assert_int_eq(crossed, 0);
    free(l);
    drape_scene_close(scene);
}
END_TEST

// A second after the last of it the garment is as it should be.
static void expect_well(drape_scene* scene, const look* l)
{
    drape_step_report report = {0};
    for (int i = 0; i < 30; ++i) {
        report = drape_scene_step(scene);
        ck_assert_int_eq(report.non_finite_count, 0);
    }
    ck_assert_double_le(stretch_p99(l), 0.05);
    ck_assert_float_ge(report.smallest_gap, 0.0f);
    ck_assert_int_eq(crossings_between(l), 0);
}

START_TEST(animation_too_fast_passes)
{
    static const double speeds[] = {10.0, 30.0, 60.0, 100.0};
    double end;
    drape_scene* scene = open_faster(scenes[_i / 4], speeds[_i % 4], &end);
    look* l = malloc(sizeof *l);
    *l = look_at(scene);
    for (int i = 0; i < (int)(30.0 * end) + 1; ++i) {
        ck_assert_int_eq(drape_scene_step(scene).non_finite_count, 0);
    }
    expect_well(scene, l);
    free(l);
    drape_scene_close(scene);
}
END_TEST

// Every fourth frame takes a fifth of a second.
START_TEST(hitches_pass)
{
    double end;
    drape_scene* scene = open_faster(scenes[_i], 1.0, &end);
    look* l = malloc(sizeof *l);
    *l = look_at(scene);
    double time = 0.0;
    for (int i = 1; time < end; ++i) {
        float dt = i % 4 == 0 ? 0.2f : 1.0f / 60.0f;
        time += (double)dt;
        ck_assert_int_eq(drape_world_step(drape_scene_world(scene), dt).non_finite_count, 0);
    }
    expect_well(scene, l);
    free(l);
    drape_scene_close(scene);
}
END_TEST

// A post: a capsule, or a hull in the shape of a box.
static drape_collider_id add_post(drape_world* world, bool is_hull)
{
    drape_vec3 corners[8];
    drape_collider_def def = drape_collider_defaults();
    def.shape = (drape_shape){
        .kind = DRAPE_SHAPE_CAPSULE, .radius = 0.1f, .radius_top = 0.1f, .height = 0.6f};
    for (int i = 0; i < 8; ++i) {
        corners[i] = (drape_vec3){i & 1 ? 0.3f : -0.3f, i & 2 ? 0.3f : -0.3f, i & 4 ? 0.1f : -0.1f};
    }
    if (is_hull) {
        def.hull = corners;
        def.hull_count = 8;
    }
    def.place.translate = (drape_vec3){0.0f, 0.75f, 2.0f};
    drape_collider_id id = drape_collider_add(world, &def);
    ck_assert_msg(id.slot != 0, "%s", drape_world_error(world));
    return id;
}

// Two posts come from the front and from behind until they meet in the middle of the legs, and
// leave from one frame to the next.
START_TEST(solids_that_pinch_let_go)
{
    double end;
    drape_scene* scene = open_faster(scenes[_i / 2], 1.0, &end);
    drape_world* world = drape_scene_world(scene);
    look* l = malloc(sizeof *l);
    *l = look_at(scene);
    drape_collider_id posts[2] = {add_post(world, _i % 2), add_post(world, _i % 2)};
    for (int i = 0; i < 25; ++i) {
        float far = i < 10 ? 1.0f - (float)i / 10.0f : i < 20 ? 0.0f : 2.0f;
        for (int k = 0; k < 2; ++k) {
            drape_transform place = {{0, 0.75f, k == 0 ? far : -far}, {0, 0, 0, 1}};
            drape_collider_move(world, posts[k], place);
        }
        ck_assert_int_eq(drape_scene_step(scene).non_finite_count, 0);
    }
    expect_well(scene, l);
    free(l);
    drape_scene_close(scene);
}
END_TEST

// Two places of the outermost hem are drawn a metre apart, to where the cloth can't reach, and let
// go of.
START_TEST(pins_that_tear_let_go)
{
    double end;
    drape_scene* scene = open_faster(scenes[_i], 1.0, &end);
    drape_world* world = drape_scene_world(scene);
    look* l = malloc(sizeof *l);
    *l = look_at(scene);
    drape_cloth_id cloth = drape_scene_cloth(scene, l->count - 1);
    const dr_check_mesh* mesh = &l->meshes[l->count - 1];
    int32_t ends[2] = {0, 0};
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 p = mesh->positions[v], a = mesh->positions[ends[0]],
                   b = mesh->positions[ends[1]];
        ends[0] = p.x + p.y < a.x + a.y ? v : ends[0];
        ends[1] = p.y - p.x < b.y - b.x ? v : ends[1];
    }
    ck_assert_int_ne(ends[0], ends[1]);
    drape_vec3 from[2] = {mesh->positions[ends[0]], mesh->positions[ends[1]]};
    drape_pin_def def = drape_pin_defaults();
    def.vertices = ends;
    def.vertex_count = 2;
    drape_pin_id pin = drape_cloth_pin(world, cloth, &def);
    ck_assert_int_ne(pin.slot, 0);
    for (int i = 0; i < 25; ++i) {
        float away = i < 10 ? 0.1f * (float)(i + 1) : 1.0f;
        drape_vec3 targets[2] = {from[0], from[1]};
        targets[0].x -= away;
        targets[1].x += away;
        targets[1].z -= away;
        ck_assert(drape_pin_move(world, pin, targets, 2));
        ck_assert_int_eq(drape_scene_step(scene).non_finite_count, 0);
    }
    drape_pin_release(world, pin);
    expect_well(scene, l);
    free(l);
    drape_scene_close(scene);
}
END_TEST

// The layers begin with their lower parts through one another: those of the outermost lie as far
// inside as they should lie outside.
START_TEST(tangled_layers_come_apart)
{
    double end;
    drape_scene* scene = open_faster(scenes[_i], 1.0, &end);
    look* l = malloc(sizeof *l);
    *l = look_at(scene);
    static const float inward[] = {0.03f, 0.05f, 0.15f};
    drape_cloth_id cloth = drape_scene_cloth(scene, l->count - 1);
    const dr_check_mesh* mesh = &l->meshes[l->count - 1];
    float top = -INFINITY, bottom = INFINITY;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        top = fmaxf(top, mesh->positions[v].y);
        bottom = fminf(bottom, mesh->positions[v].y);
    }
    drape_vec3* places = calloc(MOST_VERTICES, sizeof *places);
    drape_vec3* still = calloc(MOST_VERTICES, sizeof *still);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 p = mesh->positions[v];
        float way = inward[_i] * (top - p.y) / (top - bottom), radius = hypotf(p.x, p.z);
        places[v] = (drape_vec3){p.x - way * p.x / radius, p.y, p.z - way * p.z / radius};
    }
    ck_assert(
        drape_cloth_set_state(drape_scene_world(scene), cloth, places, still, mesh->vertex_count));
    ck_assert_int_gt(crossings_between(l), 10);
    expect_well(scene, l);
    free(places);
    free(still);
    free(l);
    drape_scene_close(scene);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("predict_scenes");
    TCase* cases = tcase_create("days");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, good_days, 0, 3);
    tcase_add_loop_test(cases, animation_too_fast_passes, 0, 12);
    tcase_add_loop_test(cases, hitches_pass, 0, 3);
    tcase_add_loop_test(cases, solids_that_pinch_let_go, 0, 6);
    tcase_add_loop_test(cases, pins_that_tear_let_go, 0, 3);
    tcase_add_loop_test(cases, tangled_layers_come_apart, 0, 3);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
