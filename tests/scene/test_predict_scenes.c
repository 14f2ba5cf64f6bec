// The scenes of games as they come along: how they do on a good day, and that after a bad one, their
// animation ten and a hundred times too fast, they are as they should be within a second.
#include <drape/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "check/crossings.h"

enum { MOST_EDGES = 20000, MOST_CLOTHS = 4 };

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
    ck_assert_int_le(crossed, frames / 30);
    free(l);
    drape_scene_close(scene);
}
END_TEST

START_TEST(bad_days)
{
    double end, speed = _i % 2 == 0 ? 10.0 : 100.0;
    drape_scene* scene = open_faster(scenes[_i / 2], speed, &end);
    look* l = malloc(sizeof *l);
    *l = look_at(scene);
    drape_step_report report = {0};
    for (int i = 0; i < (int)(30.0 * end) + 31; ++i) {
        report = drape_scene_step(scene);
        ck_assert_int_eq(report.non_finite_count, 0);
    }
    ck_assert_double_le(stretch_p99(l), 0.05);
    ck_assert_float_ge(report.smallest_gap, 0.0f);
    ck_assert_int_eq(crossings_between(l), 0);
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
    tcase_add_loop_test(cases, bad_days, 0, 6);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
