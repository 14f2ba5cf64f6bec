// Meshes of solids: on the surface, closed, turned outwards, no deeper than asked.
#include <drape/drape.h>
#include <string.h>

#include "collide/tessellate.h"
#include "collide_test.h"

// Shares of the size of the solid.
static const float tolerances[] = {0.1f, 0.01f, 0.001f, 2e-4f};

enum { case_count = test_shape_count * 4 };

typedef struct shape_mesh {
    drape_vec3* positions;
    int32_t (*triangles)[3];
    int vertex_count, triangle_count;
} shape_mesh;

static float tolerance_of(int test)
{
    return tolerances[test % 4] * shape_extent(&test_shapes[test / 4]);
}

static shape_mesh mesh_of(int test)
{
    const drape_shape* shape = &test_shapes[test / 4];
    float tolerance = tolerance_of(test);
    shape_mesh mesh;
    dr_tessellate_count(shape, tolerance, &mesh.vertex_count, &mesh.triangle_count);
    mesh.positions = malloc(sizeof *mesh.positions * (size_t)mesh.vertex_count);
    mesh.triangles = malloc(sizeof *mesh.triangles * (size_t)mesh.triangle_count);
    dr_tessellate(shape, tolerance, mesh.positions, mesh.triangles);
    return mesh;
}

static void mesh_free(shape_mesh* mesh)
{
    free(mesh->positions);
    free(mesh->triangles);
}

START_TEST(vertices_are_on_the_surface)
{
    const drape_shape* shape = &test_shapes[_i / 4];
    shape_mesh mesh = mesh_of(_i);
    float furthest = 0.0f;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        furthest = fmaxf(furthest, fabsf(distance_to(shape, mesh.positions[v])));
    }
    ck_assert_float_le(furthest, 4e-7f * shape_extent(shape));
    mesh_free(&mesh);
}
END_TEST

static int compare_keys(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

// Every edge is walked once each way, and the surface is one sphere by Euler's count.
START_TEST(meshes_are_closed)
{
    const drape_shape* shape = &test_shapes[_i / 4];
    if (shape->kind == DRAPE_SHAPE_PLANE) {
        return;
    }
    shape_mesh mesh = mesh_of(_i);
    size_t edges = (size_t)mesh.triangle_count * 3, bytes = edges * sizeof(uint64_t);
    uint64_t *there = malloc(bytes), *back = malloc(bytes);
    bool sound = true;
    for (size_t i = 0; i < edges; ++i) {
        uint64_t a = (uint64_t)mesh.triangles[i / 3][i % 3];
        uint64_t b = (uint64_t)mesh.triangles[i / 3][(i + 1) % 3];
        sound = sound && a < (uint64_t)mesh.vertex_count && a != b;
        there[i] = a << 32 | b;
        back[i] = b << 32 | a;
    }
    qsort(there, edges, sizeof *there, compare_keys);
    qsort(back, edges, sizeof *back, compare_keys);
    for (size_t i = 1; i < edges; ++i) {
        sound = sound && there[i - 1] != there[i];
    }
    ck_assert(sound);
    ck_assert_mem_eq(there, back, bytes);
    ck_assert_int_eq(mesh.vertex_count - (int)edges / 2 + mesh.triangle_count, 2);
    free(there);
    free(back);
    mesh_free(&mesh);
}
END_TEST

// Along the normal of each triangle the solid comes out, and inside it lies no deeper than asked.
START_TEST(triangles_face_outwards_and_lie_shallow)
{
    enum { parts = 6 };
    const drape_shape* shape = &test_shapes[_i / 4];
    float tolerance = tolerance_of(_i), rounding = 4e-7f * shape_extent(shape);
    float highest = -INFINITY, deepest = INFINITY, least_cosine = 1.0f;
    dr_shape_terms terms = dr_shape_terms_of(shape);
    shape_mesh mesh = mesh_of(_i);
    int stride = 1 + mesh.triangle_count / 20000;
    for (int t = 0; t < mesh.triangle_count; t += stride) {
        drape_vec3 a = mesh.positions[mesh.triangles[t][0]], normal;
        drape_vec3 ab = dr_sub(mesh.positions[mesh.triangles[t][1]], a);
        drape_vec3 ac = dr_sub(mesh.positions[mesh.triangles[t][2]], a);
        drape_vec3 middle = dr_add(a, dr_scale(dr_add(ab, ac), 1.0f / 3.0f));
        dr_shape_distance(&terms, middle, &normal);
        drape_vec3 face = dr_normalize(dr_cross(ab, ac));
        least_cosine = fminf(least_cosine, dr_dot(face, normal));
        for (int i = 0; i <= parts; ++i) {
            for (int k = 0; i + k <= parts; ++k) {
                drape_vec3 p = dr_add(
                    a, dr_add(dr_scale(ab, (float)i / parts), dr_scale(ac, (float)k / parts)));
                float distance = dr_shape_distance(&terms, p, &normal);
                highest = fmaxf(highest, distance);
                deepest = fminf(deepest, distance);
            }
        }
    }
    ck_assert_float_gt(least_cosine, 0.3f);
    ck_assert_float_le(highest, rounding);
    ck_assert_float_ge(deepest, -tolerance - rounding);
    mesh_free(&mesh);
}
END_TEST

// Finer is not free: the count stays near what a good mesh needs.
START_TEST(counts_are_modest)
{
    drape_shape ball = {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f};
    int vertices, triangles;
    dr_tessellate_count(&ball, 0.001f, &vertices, &triangles);
    ck_assert_int_lt(triangles, 8000);
    dr_tessellate_count(&ball, 1e-30f, &vertices, &triangles);
    ck_assert_int_le(vertices, DR_TESSELLATE_MOST * DR_TESSELLATE_MOST / 2);
    dr_tessellate_count(&ball, 1e30f, &vertices, &triangles);
    ck_assert_int_ge(vertices, 18);
}
END_TEST

// A ball of a kilometre under cloth of a millimetre: 17 million triangles would do, once.
START_TEST(counts_are_bounded)
{
    const drape_shape earth = {.kind = DRAPE_SHAPE_SPHERE, .radius = 1000.0f};
    int vertex_count, triangle_count;
    dr_tessellate_count(&earth, 0.0005f, &vertex_count, &triangle_count);
    ck_assert_int_le(triangle_count, 300000);
}
END_TEST

// --- Through the world ---

// Every vertex of the mesh of a collider at this distance from a point of the world.
static void check_ball(drape_world* world, drape_collider_id id, drape_vec3 center, float radius)
{
    int vertex_count, triangle_count;
    ck_assert(drape_collider_mesh(world, id, 0.01f, NULL, &vertex_count, NULL, &triangle_count));
    drape_vec3* positions = malloc(sizeof *positions * (size_t)vertex_count);
    int32_t* triangles = malloc(sizeof *triangles * (size_t)triangle_count * 3);
    ck_assert(drape_collider_mesh(world, id, 0.01f, positions, &vertex_count, triangles,
                                  &triangle_count));
    for (int i = 0; i < vertex_count; ++i) {
        ck_assert_float_eq_tol(dr_length(dr_sub(positions[i], center)), radius, 1e-6f);
    }
    free(positions);
    free(triangles);
}

START_TEST(swallowed_capsules_are_balls_in_their_place)
{
    drape_world_def world_def = drape_world_defaults();
    drape_world* world = drape_world_create(&world_def);
    drape_collider_def def = drape_collider_defaults();
    // The upper ball holds the lower one. Turned by 90 degrees about z, up becomes -x.
    def.shape = (drape_shape){
        .kind = DRAPE_SHAPE_CAPSULE, .radius = 0.1f, .radius_top = 0.5f, .height = 0.2f};
    def.place = (drape_transform){{1.0f, 2.0f, 3.0f},
                                  drape_quat_from_degrees((drape_vec3){0.0f, 0.0f, 90.0f})};
    drape_collider_id id = drape_collider_add(world, &def);
    check_ball(world, id, (drape_vec3){0.9f, 2.0f, 3.0f}, 0.5f);
    // And where a step has taken it.
    drape_transform there = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    ck_assert(drape_collider_move(world, id, there));
    drape_world_step(world, 0.01f);
    check_ball(world, id, (drape_vec3){0.0f, 0.1f, 0.0f}, 0.5f);
    drape_world_destroy(world);
}
END_TEST

START_TEST(planes_are_squares_at_their_place)
{
    drape_world_def world_def = drape_world_defaults();
    drape_world* world = drape_world_create(&world_def);
    drape_vec3 point = {1.0f, 2.0f, 3.0f}, normal = {0.6f, 0.8f, 0.0f}, p[4];
    drape_collider_id id = drape_collider_add_plane(world, point, normal);
    int32_t t[2][3];
    int vertex_count = 4, triangle_count = 2;
    ck_assert(drape_collider_mesh(world, id, 0.01f, p, &vertex_count, t[0], &triangle_count));
    for (int i = 0; i < 4; ++i) {
        drape_vec3 from = dr_sub(p[i], point);
        ck_assert_float_eq_tol(dr_dot(from, normal), 0.0f, 1e-5f);
        ck_assert_float_eq_tol(dr_length(from), 5.0f * sqrtf(2.0f), 1e-5f);
    }
    for (int i = 0; i < 2; ++i) {
        drape_vec3 ab = dr_sub(p[t[i][1]], p[t[i][0]]), ac = dr_sub(p[t[i][2]], p[t[i][0]]);
        ck_assert_float_eq_tol(dr_dot(dr_cross(ab, ac), normal), 100.0f, 1e-3f);
    }
    drape_world_destroy(world);
}
END_TEST

START_TEST(bad_questions_are_refused)
{
    drape_world_def world_def = drape_world_defaults();
    drape_world* world = drape_world_create(&world_def);
    drape_collider_id id = drape_collider_add_sphere(world, (drape_vec3){0, 0, 0}, 1.0f);
    drape_collider_id none = {0};
    int vertices = 0, triangles = 0;
    drape_vec3 p[4];
    int32_t t[6];
    ck_assert(!drape_collider_mesh(NULL, id, 0.1f, NULL, &vertices, NULL, &triangles));
    ck_assert(!drape_collider_mesh(world, none, 0.1f, NULL, &vertices, NULL, &triangles));
    ck_assert(!drape_collider_mesh(world, id, 0.0f, NULL, &vertices, NULL, &triangles));
    ck_assert(!drape_collider_mesh(world, id, NAN, NULL, &vertices, NULL, &triangles));
    ck_assert(!drape_collider_mesh(world, id, 0.1f, NULL, NULL, NULL, &triangles));
    // Arrays with too little room stay as they are.
    vertices = 4;
    triangles = 2;
    ck_assert(!drape_collider_mesh(world, id, 0.1f, p, &vertices, t, &triangles));
    ck_assert_int_eq(vertices, 4);
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("tessellate");
    tcase_add_loop_test(tests, vertices_are_on_the_surface, 0, case_count);
    tcase_add_loop_test(tests, meshes_are_closed, 0, case_count);
    tcase_add_loop_test(tests, triangles_face_outwards_and_lie_shallow, 0, case_count);
    tcase_add_test(tests, counts_are_modest);
    tcase_add_test(tests, counts_are_bounded);
    tcase_add_test(tests, swallowed_capsules_are_balls_in_their_place);
    tcase_add_test(tests, planes_are_squares_at_their_place);
    tcase_add_test(tests, bad_questions_are_refused);
    Suite* suite = suite_create("tessellate");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
