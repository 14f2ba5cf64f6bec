// Normals, curved patches, and rays against the slow truth.
#include "core/random.h"
#include "render/plan.h"
#include "render/refine.h"
#include "render_test.h"

static dr_memory memory;

static void setup(void)
{
    dr_memory_init(&memory, NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(memory.live_bytes, 0);
}

// --- Normals ---

START_TEST(normals_of_a_ball_point_outwards)
{
    test_mesh ball = test_ball(2.0f, 24);
    dr_mesh_part part = test_part(&ball);
    size_t count = 3 * (size_t)ball.triangle_count;
    drape_vec3* normals = calloc(count, sizeof *normals);
    ck_assert(dr_corner_normals(&memory, &part, DR_CREASE_NONE, normals));
    for (size_t c = 0; c < count; ++c) {
        drape_vec3 out = dr_normalize(ball.positions[ball.triangles[c]]);
        ck_assert_float_gt(dr_dot(normals[c], out), 0.9995f);
    }
    free(normals);
    test_mesh_free(&ball);
}
END_TEST

static test_mesh make_box(void)
{
    static const int faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                    {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    test_mesh box = test_mesh_new(8, 12);
    for (int v = 0; v < 8; ++v) {
        box.positions[v] = (drape_vec3){(float)(v & 1), (float)(v >> 1 & 1), (float)(v >> 2)};
    }
    for (int f = 0; f < 6; ++f) {
        test_triangle(&box, faces[f][0], faces[f][1], faces[f][2]);
        test_triangle(&box, faces[f][0], faces[f][2], faces[f][3]);
    }
    return box;
}

// With creases a box is flat; without, its corners look outwards whatever way faces are cut.
START_TEST(creases_keep_a_box_flat)
{
    test_mesh box = make_box();
    dr_mesh_part part = test_part(&box);
    drape_vec3 normals[36];
    ck_assert(dr_corner_normals(&memory, &part, 0.7f, normals));
    for (int c = 0; c < 36; ++c) {
        float most = fmaxf(fabsf(normals[c].x), fmaxf(fabsf(normals[c].y), fabsf(normals[c].z)));
        ck_assert_float_eq_tol(most, 1.0f, 1e-6f);
        ck_assert_float_eq_tol(dr_dot(normals[c], normals[c / 6 * 6]), 1.0f, 1e-6f);
    }
    ck_assert(dr_corner_normals(&memory, &part, DR_CREASE_NONE, normals));
    for (int c = 0; c < 36; ++c) {
        drape_vec3 out = dr_sub(box.positions[box.triangles[c]], (drape_vec3){0.5f, 0.5f, 0.5f});
        // Faces of this box turn inwards; all of them alike.
        ck_assert_float_eq_tol(fabsf(dr_dot(normals[c], dr_normalize(out))), 1.0f, 1e-5f);
    }
    test_mesh_free(&box);
}
END_TEST

START_TEST(bad_triangles_have_some_normal)
{
    test_mesh bad = test_mesh_new(3, 2);
    test_triangle(&bad, 0, 1, 2);
    test_triangle(&bad, 0, 0, 1);
    dr_mesh_part part = test_part(&bad);
    drape_vec3 normals[6];
    ck_assert(dr_corner_normals(&memory, &part, DR_CREASE_NONE, normals));
    for (int c = 0; c < 6; ++c) {
        ck_assert_float_eq_tol(dr_length(normals[c]), 1.0f, 1e-6f);
    }
    test_mesh_free(&bad);
}
END_TEST

// --- Patches ---

static dr_patch make_patch(const drape_vec3 corner[3], const int32_t vertex[3])
{
    dr_patch patch;
    for (int k = 0; k < 3; ++k) {
        patch.corner[k] = corner[k];
        patch.normal[k] = dr_normalize(corner[k]);
        patch.vertex[k] = vertex[k];
    }
    dr_patch_prepare(&patch);
    return patch;
}

// The same border of two triangles, each going round its own way: the same bits.
START_TEST(borders_are_the_same_from_both_sides)
{
    const drape_vec3 a = {1.0f, 0.1f, 0.0f}, b = {0.2f, 1.0f, 0.3f}, c = {0.0f, 0.1f, 1.1f};
    const drape_vec3 d = {1.0f, 1.0f, -1.0f};
    dr_patch left = make_patch((drape_vec3[]){a, b, c}, (int32_t[]){7, 3, 9});
    dr_patch right = make_patch((drape_vec3[]){b, a, d}, (int32_t[]){3, 7, 4});
    for (int i = 0; i <= 8; ++i) {
        drape_vec3 p = dr_patch_at(&left, i, 0, 8).place;
        drape_vec3 q = dr_patch_at(&right, 8 - i, 0, 8).place;
        ck_assert_mem_eq(&p, &q, sizeof p);
    }
}
END_TEST

START_TEST(flat_patches_stay_flat)
{
    dr_patch patch = {.corner = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                      .normal = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}},
                      .vertex = {0, 1, 2}};
    dr_patch_prepare(&patch);
    for (int j = 0; j <= 4; ++j) {
        for (int i = 0; i + j <= 4; ++i) {
            dr_patch_point point = dr_patch_at(&patch, i, j, 4);
            ck_assert_float_eq_tol(point.place.x, 0.25f * (float)i, 1e-6f);
            ck_assert_float_eq_tol(point.place.y, 0.0f, 1e-6f);
            ck_assert_float_eq_tol(point.place.z, 0.25f * (float)j, 1e-6f);
            ck_assert_float_eq_tol(point.normal.y, 1.0f, 1e-6f);
        }
    }
}
END_TEST

// A coarse ball becomes round: its depth below the true one shrinks many times over.
START_TEST(patches_make_a_ball_round)
{
    test_mesh ball = test_ball(1.0f, 8);
    float deepest[2];
    for (int level = 0; level < 2; ++level) {
        dr_stage stage = test_stage(&memory, &ball, 3 * level);
        deepest[level] = 0.0f;
        for (uint32_t i = 0; i < 2000; ++i) {
            drape_vec3 to = {dr_random_signed(1, 3 * i), dr_random_signed(1, 3 * i + 1),
                             dr_random_signed(1, 3 * i + 2)};
            drape_vec3 origin = dr_scale(dr_normalize(to), 3.0f);
            dr_stage_hit hit;
            ck_assert(dr_stage_meet(&stage, origin, dr_scale(origin, -1.0f), &hit));
            deepest[level] = fmaxf(deepest[level], 1.0f - dr_length(hit.place));
            ck_assert_float_gt(dr_dot(hit.normal, dr_normalize(hit.place)), 0.99f);
        }
        dr_stage_free(&stage);
    }
    ck_assert_float_gt(deepest[0], 0.02f);
    ck_assert_float_lt(deepest[1], 0.004f);
    test_mesh_free(&ball);
}
END_TEST

// --- Rays ---

// Doubles, straight from the book.
static bool slow_hit(const drape_vec3 c[3], drape_vec3 o, drape_vec3 d, double* t)
{
    double e1[3] = {(double)c[1].x - c[0].x, (double)c[1].y - c[0].y, (double)c[1].z - c[0].z};
    double e2[3] = {(double)c[2].x - c[0].x, (double)c[2].y - c[0].y, (double)c[2].z - c[0].z};
    double dd[3] = {d.x, d.y, d.z}, s[3] = {(double)o.x - c[0].x, (double)o.y - c[0].y,
                                            (double)o.z - c[0].z};
    double p[3] = {dd[1] * e2[2] - dd[2] * e2[1], dd[2] * e2[0] - dd[0] * e2[2],
                   dd[0] * e2[1] - dd[1] * e2[0]};
    double det = e1[0] * p[0] + e1[1] * p[1] + e1[2] * p[2];
    double q[3] = {s[1] * e1[2] - s[2] * e1[1], s[2] * e1[0] - s[0] * e1[2],
                   s[0] * e1[1] - s[1] * e1[0]};
    double u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / det;
    double v = (dd[0] * q[0] + dd[1] * q[1] + dd[2] * q[2]) / det;
    *t = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) / det;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && *t >= 0.0;
}

START_TEST(rays_find_the_nearest_of_a_crowd)
{
    enum { count = 700 };
    test_mesh mesh = test_mesh_new(3 * count, count);
    for (int v = 0; v < 3 * count; ++v) {
        uint32_t t = (uint32_t)v / 3;
        // Some are tiny, some lie in one place.
        float size = t % 5 == 0 ? 0.01f : 0.4f, spread = t % 7 == 0 ? 0.0f : 2.0f;
        float* p = &mesh.positions[v].x;
        for (uint32_t k = 0; k < 3; ++k) {
            p[k] = spread * dr_random_signed(3, 3 * t + k) +
                   size * dr_random_signed(4, 3 * (uint32_t)v + k);
        }
    }
    for (int t = 0; t < count; ++t) {
        test_triangle(&mesh, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    dr_stage stage = test_stage(&memory, &mesh, 0);
    int hit_count = 0;
    for (uint32_t i = 0; i < 3000; ++i) {
        drape_vec3 o = {3.0f * dr_random_signed(5, 3 * i), 3.0f * dr_random_signed(5, 3 * i + 1),
                        3.0f * dr_random_signed(5, 3 * i + 2)};
        drape_vec3 d = {dr_random_signed(6, 3 * i), dr_random_signed(6, 3 * i + 1),
                        i % 9 == 0 ? 0.0f : dr_random_signed(6, 3 * i + 2)};
        double nearest = INFINITY, t;
        for (int k = 0; k < count; ++k) {
            if (slow_hit(mesh.positions + 3 * k, o, d, &t) && t < nearest) {
                nearest = t;
            }
        }
        dr_stage_hit hit;
        bool is_hit = dr_stage_meet(&stage, o, d, &hit);
        ck_assert_int_eq(is_hit, isfinite(nearest));
        ck_assert_int_eq(dr_stage_blocks(&stage, o, d), is_hit);
        if (is_hit) {
            ++hit_count;
            ck_assert_double_eq_tol((double)hit.distance, nearest, 1e-4);
            ck_assert_float_lt(dr_dot(hit.facet, d), 1e-6f);
            ck_assert_float_gt(dr_dot(hit.normal, hit.facet), 0.0f);
        }
    }
    ck_assert_int_gt(hit_count, 300);
    dr_stage_free(&stage);
    test_mesh_free(&mesh);
}
END_TEST

START_TEST(empty_stages_are_seen_through)
{
    dr_stage stage = {.memory = &memory};
    dr_stage_hit hit;
    ck_assert(dr_stage_ready(&stage, NULL));
    ck_assert(!dr_stage_meet(&stage, (drape_vec3){0, 0, 5}, (drape_vec3){0, 0, -1}, &hit));
    ck_assert(!dr_stage_blocks(&stage, (drape_vec3){0, 0, 5}, (drape_vec3){0, 0, -1}));
    dr_stage_free(&stage);
}
END_TEST

// Whatever allocation fails, nothing is lost and nothing crashes.
START_TEST(short_memory_is_told)
{
    test_mesh ball = test_ball(1.0f, 12);
    bool is_done = false;
    for (int calls = 0; !is_done; ++calls) {
        watched_heap heap = {.calls_left = calls};
        drape_allocator hook = {watched_allocate, watched_release, &heap};
        dr_memory tight;
        dr_memory_init(&tight, &hook);
        dr_stage stage = {.memory = &tight};
        dr_stage_mesh one = {.mesh = test_part(&ball), .crease = 0.5f, .level = 1};
        is_done = dr_stage_add(&stage, &one) && dr_stage_ready(&stage, NULL);
        dr_stage_free(&stage);
        ck_assert_uint_eq(heap.bytes, 0);
        ck_assert_int_lt(calls, 500);
    }
    test_mesh_free(&ball);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("stage");
    TCase* tests = tcase_create("stage");
    tcase_add_checked_fixture(tests, setup, teardown);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, normals_of_a_ball_point_outwards);
    tcase_add_test(tests, creases_keep_a_box_flat);
    tcase_add_test(tests, bad_triangles_have_some_normal);
    tcase_add_test(tests, borders_are_the_same_from_both_sides);
    tcase_add_test(tests, flat_patches_stay_flat);
    tcase_add_test(tests, patches_make_a_ball_round);
    tcase_add_test(tests, rays_find_the_nearest_of_a_crowd);
    tcase_add_test(tests, empty_stages_are_seen_through);
    tcase_add_test(tests, short_memory_is_told);
    return run_suite(suite);
}
