// Bodies of triangles: what they are, what is near them, and ways that must not go through.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <drape/drape.h>

#include "../support.h"
#include "collide/tessellate.h"
#include "contact/mesh_contact.h"
#include "core/isa.h"
#include "core/random.h"
#include "core/vec_math.h"

enum { POINTS = 2000 };

typedef struct setup {
    dr_memory memory;
    dr_body* body;
    dr_sheet sheet;
    dr_obstacle obstacle;
    dr_relief relief;
    float *local, *ahead, *moved, *bounds;
    int32_t* all; // triangles
    int test_count;
} setup;

static dr_body* make_body(dr_memory* memory, drape_vec3* positions, int vertex_count,
                          int32_t* triangles, int triangle_count)
{
    char sentence[256] = "";
    drape_mesh_view view = {.positions = positions, .triangles = triangles,
                            .vertex_count = vertex_count, .triangle_count = triangle_count};
    drape_isa isa = dr_isa_resolve(DRAPE_ISA_AUTO);
    dr_body* body = dr_body_create(memory, &view, isa, NULL, sentence, sizeof sentence);
    ck_assert_msg(body != NULL, "%s", sentence);
    return body;
}

static dr_body* body_of_shape(dr_memory* memory, drape_shape shape, float tolerance)
{
    int vertices, triangles;
    dr_tessellate_count(&shape, tolerance, &vertices, &triangles);
    drape_vec3* p = calloc((size_t)vertices, sizeof *p);
    int32_t(*t)[3] = calloc((size_t)triangles, sizeof *t);
    dr_tessellate(&shape, tolerance, p, t);
    dr_body* body = make_body(memory, p, vertices, t[0], triangles);
    free(p);
    free(t);
    return body;
}

static drape_vec3 random_point(uint32_t seed, uint32_t i, float size)
{
    return (drape_vec3){size * dr_random_signed(seed, 3 * i),
                        size * dr_random_signed(seed, 3 * i + 1),
                        size * dr_random_signed(seed, 3 * i + 2)};
}

// Vertices at random around a ball of triangles, each on its way to another place.
static void make_setup(setup* s)
{
    *s = (setup){0};
    dr_memory_init(&s->memory, NULL);
    drape_shape ball = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.25f};
    s->body = body_of_shape(&s->memory, ball, 5e-3f);
    ck_assert(dr_sheet_create(&s->sheet, &s->memory, DR_LAYOUT_RECORDS, POINTS, POINTS / 8));
    drape_transform pose = {{0.3f, -0.2f, 0.1f}, drape_quat_from_degrees((drape_vec3){20, 40, 60})};
    const float shares[2] = {0.0f, 1.0f};
    dr_obstacle_set_body(&s->obstacle, s->body, pose, pose, shares);
    // A cloth whose edges are too short to sink anywhere.
    ck_assert(dr_relief_create(&s->relief, &s->memory, s->body, 1e-3f, 0.01f));
    int count = s->body->shell.mesh.triangle_count;
    s->local = calloc(POINTS * 4, sizeof(float));
    s->ahead = calloc(POINTS * 4, sizeof(float));
    s->moved = calloc(POINTS, sizeof(float));
    s->bounds = calloc((size_t)count + 8, sizeof(float));
    s->all = calloc((size_t)count, sizeof(int32_t));
    for (int t = 0; t < count; ++t) {
        s->all[t] = t;
    }
    for (uint32_t i = 0; i < POINTS; ++i) {
        drape_vec3 p = dr_transform_apply(pose, random_point(1, i, 0.4f));
        drape_vec3 q = dr_transform_apply(pose, random_point(2, i, 0.4f));
        dr_sheet_set(DR_LAYOUT_RECORDS, s->sheet.start, (int)i, p);
        dr_sheet_set(DR_LAYOUT_RECORDS, s->sheet.pos, (int)i, q);
        dr_sheet_set_inverse_mass(&s->sheet, (int)i, 1.0f);
    }
    float* none = calloc(POINTS * 4, sizeof(float));
    dr_touch_frame frame = {.local = s->local, .ahead = s->ahead, .moved = s->moved,
                            .lo = none, .hi = none,
                            .predicts = true};
    dr_touch_kernels_for(s->body->shell.tree.isa)->frame(&s->sheet, &s->obstacle, 0, POINTS / 8,
                                                         &frame);
    free(none);
}

static void free_setup(setup* s)
{
    dr_sheet_free(&s->sheet, &s->memory);
    dr_relief_free(&s->relief, &s->memory, s->body);
    dr_body_destroy(s->body, &s->memory);
    ck_assert_uint_eq(s->memory.live_bytes, 0);
    free(s->local);
    free(s->ahead);
    free(s->moved);
    free(s->bounds);
    free(s->all);
}

static dr_touch_args args_of(setup* s)
{
    return (dr_touch_args){.kernels = dr_touch_kernels_for(s->body->shell.tree.isa),
                           .sheet = &s->sheet,
                           .obstacle = &s->obstacle,
                           .relief = &s->relief,
                           .local = s->local,
                           .ahead = s->ahead,
                           .moved = s->moved,
                           .range = {0.01f, 0.01f, 0.005f},
                           .feature_radius = {0.005f, 0.01f},
                           .feature_static = {0.005f, 0.01f},
                           .near = 0.02f,
                           .looks_deep = true,
                           .test_count = &s->test_count,
                           .friction = {0.5f, 0.4f}};
}

static drape_vec3 record(const float* array, int i)
{
    return (drape_vec3){array[4 * i], array[4 * i + 1], array[4 * i + 2]};
}

// How far a point of the frame is from the body, negative inside: its triangles are convex.
static float distance_of(const dr_body* body, drape_vec3 p, float* highest)
{
    const dr_mesh* mesh = &body->shell.mesh;
    float squared = INFINITY;
    *highest = -INFINITY;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles[t];
        drape_vec3 a = mesh->rest[v[0]], b = mesh->rest[v[1]], c = mesh->rest[v[2]];
        squared = fminf(squared, dr_closest_point_triangle(p, a, b, c).squared);
        drape_vec3 n = dr_normalize(dr_cross(dr_sub(b, a), dr_sub(c, a)));
        *highest = fmaxf(*highest, dr_dot(n, dr_sub(p, a)));
    }
    return *highest < 0.0f ? -sqrtf(squared) : sqrtf(squared);
}

START_TEST(distances_are_those_of_all_triangles)
{
    setup s;
    make_setup(&s);
    dr_touch_args args = args_of(&s);
    for (int i = 0; i < POINTS; ++i) {
        // Bounds say nothing about another vertex.
        memset(s.bounds, 0, sizeof(float) * (size_t)s.body->shell.mesh.triangle_count);
        dr_touch_list list = {s.all, s.bounds, s.body->shell.mesh.triangle_count};
        float highest, wanted = distance_of(s.body, record(s.local, i), &highest);
        float found = dr_touch_distance(&args, i, &list, 10.0f);
        ck_assert_float_eq_tol(found, wanted, 1e-6f);
        // Nothing has moved: the second look leaves out what is far and finds the same.
        args.test_count = &s.test_count;
        s.test_count = 0;
        found = dr_touch_distance(&args, i, &list, fabsf(wanted) + 1e-4f);
        ck_assert_float_eq_tol(found, wanted, 1e-6f);
        ck_assert_int_lt(s.test_count, list.count / 2);
    }
    free_setup(&s);
}
END_TEST

// A ball is convex: one plane holds a vertex outside, and the whole body is behind it.
START_TEST(planes_have_the_body_behind)
{
    setup s;
    make_setup(&s);
    dr_touch_args args = args_of(&s);
    const dr_mesh* mesh = &s.body->shell.mesh;
    int made = 0;
    for (int i = 0; i < POINTS; ++i) {
        memset(s.bounds, 0, sizeof(float) * (size_t)mesh->triangle_count);
        dr_touch_list list = {s.all, s.bounds, mesh->triangle_count};
        dr_contact1 out[DR_TOUCH_MOST];
        float nearest, highest, distance = distance_of(s.body, record(s.local, i), &highest);
        memcpy(s.ahead + 4 * i, s.local + 4 * i, sizeof(float) * 3); // at rest
        s.local[4 * i + 3] = s.ahead[4 * i + 3] = 0.0f;
        int count = dr_touch_point(&args, i, &list, out, &nearest);
        if (fabsf(distance) < 0.0199f) {
            ck_assert_int_eq(count, 1);
            ck_assert_float_eq_tol(out[0].gap, fmaxf(distance - 0.01f, -0.005f), 1e-6f);
            drape_vec3 n = dr_matrix_apply_transposed(s.obstacle.rotation, out[0].normal);
            drape_vec3 p = record(s.local, i);
            for (int v = 0; v < mesh->vertex_count && distance > 0.0f; ++v) {
                float height = dr_dot(n, dr_sub(mesh->rest[v], p)) + distance;
                ck_assert_float_lt(height, 1e-5f);
            }
            ++made;
        } else if (distance > 0.0201f) {
            ck_assert_int_eq(count, 0);
        }
    }
    ck_assert_int_gt(made, 50);
    free_setup(&s);
}
END_TEST

// Whatever the way, it ends on the side on which it began; out of the body it is free.
START_TEST(no_way_leads_inside)
{
    setup s;
    make_setup(&s);
    dr_touch_args args = args_of(&s);
    int moved = 0;
    for (int i = 0; i < POINTS; ++i) {
        dr_touch_list list = {s.all, s.bounds, s.body->shell.mesh.triangle_count};
        drape_vec3 place;
        float before, after;
        distance_of(s.body, record(s.local, i), &before);
        bool is_moved = dr_touch_guard(&args, i, &list, &place);
        drape_vec3 end = dr_matrix_apply_transposed(s.obstacle.rotation,
                                                    dr_sub(place, s.obstacle.place));
        distance_of(s.body, end, &after);
        ck_assert(before < 0.0f ? !is_moved : after > 0.0f);
        moved += is_moved;
    }
    ck_assert_int_gt(moved, 100);
    free_setup(&s);
}
END_TEST

// --- What a body is ---

static void count_bends(const dr_body* body, int counts[3])
{
    for (int e = 0; e < body->shell.mesh.edge_count; ++e) {
        ++counts[body->edge_bend[e]];
    }
}

START_TEST(boxes_are_closed_and_sharp)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_body* body = body_of_shape(
        &memory, (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {1, 2, 3}}, 1e-3f);
    int bends[3] = {0};
    count_bends(body, bends);
    ck_assert(body->is_closed);
    ck_assert_int_eq(bends[DR_BEND_IDLE], 6); // the diagonals of the faces
    ck_assert_int_eq(bends[DR_BEND_SHARP], 12);
    dr_body_destroy(body, &memory);
    drape_shape ball = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.25f};
    body = body_of_shape(&memory, ball, 1e-3f);
    bends[DR_BEND_SHARP] = 0;
    count_bends(body, bends);
    ck_assert(body->is_closed);
    ck_assert_int_eq(bends[DR_BEND_SHARP], 0);
    dr_body_destroy(body, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

// A square cut in two, its parts with vertices of their own: joined, open, with four borders.
START_TEST(cut_meshes_are_joined)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    drape_vec3 p[6] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    int32_t t[6] = {0, 2, 1, 3, 5, 4};
    dr_body* body = make_body(&memory, p, 6, t, 2);
    int bends[3] = {0};
    count_bends(body, bends);
    ck_assert(!body->is_closed);
    ck_assert_int_eq(body->shell.mesh.vertex_count, 4);
    ck_assert_int_eq(bends[DR_BEND_SHARP], 4);
    ck_assert_int_eq(bends[DR_BEND_IDLE], 1);
    drape_vec3 places[6];
    dr_body_places(body, places);
    ck_assert_int_eq(memcmp(places, p, sizeof p), 0);
    dr_body_destroy(body, &memory);
}
END_TEST

// --- What stands out of it ---

static drape_vec3 random_direction(uint32_t seed, uint32_t i)
{
    return dr_normalize(random_point(seed, i, 1.0f));
}

// The nearest point of the body, and how much higher cloth is held there.
static float nearest_of(const dr_body* body, const dr_relief* relief, drape_vec3 p, float* lift)
{
    const dr_mesh* mesh = &body->shell.mesh;
    dr_closest best = {.squared = INFINITY};
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles[t];
        dr_closest at =
            dr_closest_point_triangle(p, mesh->rest[v[0]], mesh->rest[v[1]], mesh->rest[v[2]]);
        if (at.squared < best.squared) {
            best = at;
            *lift = at.weight[0] * relief->lift[v[0]] + at.weight[1] * relief->lift[v[1]] +
                    at.weight[2] * relief->lift[v[2]];
        }
    }
    return sqrtf(best.squared);
}

// Puts a point at the distance from a ball at which a vertex of the cloth is held.
static drape_vec3 hold_over(const dr_body* body, const dr_relief* relief, drape_vec3 direction)
{
    drape_vec3 p = dr_scale(direction, 0.3f + relief->radius);
    for (int round = 0; round < 4; ++round) {
        float lift, distance = nearest_of(body, relief, p, &lift);
        p = dr_add(p, dr_scale(direction, relief->radius + lift - distance));
    }
    return p;
}

// Where nothing stands out, edges of a cloth whose ends are held keep nearly half of that distance,
// whether the body is cut more coarsely or more finely than the cloth.
START_TEST(edges_over_idle_bodies_stay_clear)
{
    const float tolerances[3] = {1e-3f, 5e-4f, 1.5e-4f};
    const float length = 0.028f, radius = 1e-3f;
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    drape_shape ball = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f};
    dr_body* body = body_of_shape(&memory, ball, tolerances[_i]);
    dr_relief relief;
    ck_assert(dr_relief_create(&relief, &memory, body, length, radius));
    ck_assert_int_eq(relief.features.edges.count + relief.features.points.count, 0);
    for (uint32_t i = 0; i < 20; ++i) {
        drape_vec3 a = random_direction(3, i);
        drape_vec3 side = dr_normalize(dr_cross(a, random_direction(4, i)));
        drape_vec3 b = dr_normalize(dr_add(a, dr_scale(side, length / 0.3f)));
        drape_vec3 p = hold_over(body, &relief, a), q = hold_over(body, &relief, b);
        for (int k = 1; k < 8; ++k) {
            float lift;
            drape_vec3 between = dr_lerp(p, q, (float)k / 8.0f);
            ck_assert_float_gt(nearest_of(body, &relief, between, &lift), 0.4f * radius);
        }
    }
    dr_relief_free(&relief, &memory, body);
    dr_body_destroy(body, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

// Sharp edges stand out for every cloth, diagonals of faces for none; blunt ones when the cloth's
// edges are long.
START_TEST(relief_depends_on_the_cloth)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_body* box = body_of_shape(
        &memory, (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {1, 2, 3}}, 1e-3f);
    drape_shape shape = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.1f};
    dr_body* ball = body_of_shape(&memory, shape, 1e-3f);
    const float lengths[2] = {1e-3f, 0.1f};
    for (int k = 0; k < 2; ++k) {
        dr_relief relief;
        ck_assert(dr_relief_create(&relief, &memory, box, lengths[k], 1e-3f));
        ck_assert_int_eq(relief.features.edges.count, 12);
        ck_assert_int_eq(relief.features.points.count, 8);
        ck_assert(!relief.is_smooth && relief.lift_most == 0.0f);
        dr_relief_free(&relief, &memory, box);
        ck_assert(dr_relief_create(&relief, &memory, ball, lengths[k], 1e-3f));
        int edges = relief.features.edges.count;
        ck_assert(k == 0 ? edges == 0 : edges > ball->shell.mesh.edge_count / 2);
        ck_assert(relief.is_smooth);
        dr_relief_free(&relief, &memory, ball);
    }
    dr_body_destroy(box, &memory);
    dr_body_destroy(ball, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("mesh contact");
    tcase_add_test(tests, distances_are_those_of_all_triangles);
    tcase_add_test(tests, planes_have_the_body_behind);
    tcase_add_test(tests, no_way_leads_inside);
    tcase_add_test(tests, boxes_are_closed_and_sharp);
    tcase_add_test(tests, cut_meshes_are_joined);
    tcase_add_loop_test(tests, edges_over_idle_bodies_stay_clear, 0, 3);
    tcase_add_test(tests, relief_depends_on_the_cloth);
    Suite* suite = suite_create("mesh contact");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
