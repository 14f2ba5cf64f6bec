// Queries against the slow truth.
#include "collide/tree_query.h"

#include "tree_case_test.h"

static drape_vec3 random_vec(uint32_t seed, uint32_t i, float size)
{
    return (drape_vec3){size * dr_random_signed(seed, 3 * i),
                        size * dr_random_signed(seed, 3 * i + 1),
                        size * dr_random_signed(seed, 3 * i + 2)};
}

static drape_vec3 vertex_at(int vertex)
{
    const float* p = cloth.start + 4 * vertex;
    return (drape_vec3){p[0], p[1], p[2]};
}

// --- Boxes ---

// The boxes that the tree itself holds; test_tree_refit.c looks after those.
static void slow_box_query(drape_vec3 lo, drape_vec3 hi, uint8_t* is_met)
{
    const float box[6] = {-lo.x, -lo.y, -lo.z, hi.x, hi.y, hi.z};
    for (int n = 0; n < tree.node_count; ++n) {
        const float* rows = tree.reach + (size_t)n * 6 * (size_t)tree.width;
        for (int i = 0; tree.nodes[n].is_leaf && i < tree.nodes[n].child_count; ++i) {
            bool meets = true;
            for (int r = 0; r < 6; ++r) {
                meets = meets && (double)rows[r * tree.width + i] + box[(r + 3) % 6] >= 0.0;
            }
            is_met[tree.triangle_of_place[tree.nodes[n].first + i]] = meets;
        }
    }
}

START_TEST(box_queries_find_all)
{
    set_case(_i);
    int count = cloth.mesh.triangle_count;
    int32_t *found = malloc(sizeof *found * (size_t)count), *few = malloc(sizeof *few * 8);
    uint8_t* is_met = malloc((size_t)count);
    for (uint32_t q = 0; q < 60; ++q) {
        // Around a vertex, some of no size: they touch what has that vertex, even without a radius.
        drape_vec3 at = vertex_at((int)(q * 7) % cloth.mesh.vertex_count);
        drape_vec3 half = q % 3 ? random_vec(1, q, 1.5f) : (drape_vec3){0, 0, 0};
        drape_vec3 lo = {at.x - fabsf(half.x), at.y - fabsf(half.y), at.z - fabsf(half.z)};
        drape_vec3 hi = {at.x + fabsf(half.x), at.y + fabsf(half.y), at.z + fabsf(half.z)};
        int expected = 0, number = dr_tree_box_query(&tree, lo, hi, found, count);
        slow_box_query(lo, hi, is_met);
        for (int t = 0; t < count; ++t) {
            expected += is_met[t];
        }
        ck_assert_int_eq(number, expected);
        for (int i = 0; i < number; ++i) {
            ck_assert(is_met[found[i]]);
            is_met[found[i]] = 0;
        }
        // With too little room it still counts, and writes no more than fits.
        few[3] = -7;
        ck_assert_int_eq(dr_tree_box_query(&tree, lo, hi, few, 3), number);
        ck_assert_int_eq(few[3], -7);
        for (int i = 0; i < 3 && i < number; ++i) {
            ck_assert_int_eq(few[i], found[i]);
        }
    }
    free(found);
    free(few);
    free(is_met);
    clear_case();
}
END_TEST

// --- Rays ---

// Where a ray meets a triangle, in doubles; how far inside its edges, as the least weight.
static bool slow_hit(const dr_tree_ray* ray, int triangle, double* t, double* inside)
{
    const int32_t* corner = cloth.mesh.triangles[triangle];
    double p[3][3], o[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
    double d[3] = {ray->direction.x, ray->direction.y, ray->direction.z}, u[3], v[3], n[3];
    for (int k = 0; k < 9; ++k) {
        p[k / 3][k % 3] = cloth.start[4 * corner[k / 3] + k % 3];
    }
    for (int c = 0; c < 3; ++c) {
        u[c] = p[1][c] - p[0][c];
        v[c] = p[2][c] - p[0][c];
        o[c] -= p[0][c];
    }
    for (int c = 0; c < 3; ++c) {
        n[c] = u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3];
    }
    double dn = d[0] * n[0] + d[1] * n[1] + d[2] * n[2],
           nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    double dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (fabs(dn) < 1e-3 * sqrt(nn * dd)) {
        return false;
    }
    *t = -(o[0] * n[0] + o[1] * n[1] + o[2] * n[2]) / dn;
    double w[3] = {0, 0, 0}, h[3];
    for (int c = 0; c < 3; ++c) {
        h[c] = o[c] + *t * d[c];
    }
    for (int c = 0; c < 3; ++c) {
        int e = (c + 1) % 3, f = (c + 2) % 3;
        w[1] += n[c] * (h[e] * v[f] - h[f] * v[e]) / nn;
        w[2] += n[c] * (u[e] * h[f] - u[f] * h[e]) / nn;
    }
    w[0] = 1.0 - w[1] - w[2];
    *inside = fmin(w[0], fmin(w[1], w[2]));
    return true;
}

// Rays from all around through the middle of the cloth, some along the axes.
static dr_tree_ray ray_number(uint32_t q)
{
    drape_vec3 target =
        dr_add(vertex_at((int)(q * 5) % cloth.mesh.vertex_count), random_vec(3, q, 0.4f));
    drape_vec3 direction = random_vec(2, q, 1.0f);
    if (q % 4 == 0) {
        const drape_vec3 axes[3] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
        direction = axes[q / 4 % 3];
    }
    return (dr_tree_ray){dr_sub(target, dr_scale(direction, 10.0f)), direction, 0.0f, 100.0f};
}

static drape_vec3 point_of(const dr_tree_ray_hit* hit)
{
    drape_vec3 p = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        p = dr_add(p, dr_scale(vertex_at(cloth.mesh.triangles[hit->triangle][k]), hit->weights[k]));
    }
    return p;
}

static void check_hit(const dr_tree_ray* ray, const dr_tree_ray_hit* hit)
{
    drape_vec3 on_ray = dr_add(ray->origin, dr_scale(ray->direction, hit->t));
    drape_vec3 on_triangle = point_of(hit);
    ck_assert_float_lt(dr_length(dr_sub(on_ray, on_triangle)), 1e-3f);
    for (int k = 0; k < 3; ++k) {
        ck_assert_float_ge(hit->weights[k], 0.0f);
    }
    ck_assert_float_eq_tol(hit->weights[0] + hit->weights[1] + hit->weights[2], 1.0f, 1e-6f);
}

// Nothing clearly inside and nearer is missed, and what is found is not clearly outside.
START_TEST(rays_find_the_nearest)
{
    int hits = 0;
    set_case(_i);
    for (uint32_t q = 0; q < 200; ++q) {
        dr_tree_ray ray = ray_number(q);
        dr_tree_ray_hit hit = {-1, INFINITY, {0, 0, 0}};
        bool is_hit = dr_tree_ray_nearest(&tree, cloth.start, 4, &ray, &hit);
        for (int t = 0; t < cloth.mesh.triangle_count; ++t) {
            double at, inside;
            if (slow_hit(&ray, t, &at, &inside)) {
                bool counts = inside > 1e-4 && at > 1e-3 && at < 99.9;
                ck_assert(!counts || (is_hit && hit.t < at + 1e-3));
                ck_assert(t != hit.triangle || inside > -1e-3);
            }
        }
        if (is_hit) {
            check_hit(&ray, &hit);
            ++hits;
        }
        ck_assert_int_eq(is_hit, dr_tree_ray_any(&tree, cloth.start, 4, &ray));
        // Up to the hit and no further; behind it something else or nothing.
        dr_tree_ray before = ray, behind = ray;
        dr_tree_ray_hit other;
        before.t_max = hit.t - 1e-3f;
        behind.t_min = is_hit ? hit.t : ray.t_max;
        ck_assert(!is_hit || !dr_tree_ray_any(&tree, cloth.start, 4, &before));
        ck_assert(!is_hit || (dr_tree_ray_nearest(&tree, cloth.start, 4, &behind, &other) &&
                              other.triangle == hit.triangle));
    }
    ck_assert_int_gt(hits, 10);
    clear_case();
}
END_TEST

// The tree does not matter, nor the instruction set, nor the stride.
START_TEST(all_trees_see_the_same)
{
    dr_memory_init(&memory, NULL);
    cloth = cloth_make(&memory, _i);
    cloth.radius = 1e-5f;
    float* packed = malloc(sizeof(float[3]) * (size_t)cloth.mesh.vertex_count);
    for (int i = 0; i < 3 * cloth.mesh.vertex_count; ++i) {
        packed[i] = cloth.start[i / 3 * 4 + i % 3];
    }
    static dr_tree_ray_hit first[300];
    for (int b = 0; b < builder_count; ++b) {
        tree = tree_of(&memory, &cloth, test_builders[b].plan, DRAPE_ISA_AUTO);
        for (int isa = DRAPE_ISA_PLAIN; isa <= DRAPE_ISA_WASM; ++isa) {
            tree.isa = dr_isa_resolve((drape_isa)isa);
            for (uint32_t q = 0; q < 300; ++q) {
                dr_tree_ray ray = ray_number(q);
                dr_tree_ray_hit hit = {-1, 0, {0, 0, 0}};
                dr_tree_ray_nearest(&tree, q % 2 ? cloth.start : packed, q % 2 ? 4 : 3, &ray, &hit);
                first[q] = b == 0 && isa == DRAPE_ISA_PLAIN ? hit : first[q];
                ck_assert_mem_eq(&hit, &first[q], sizeof hit);
            }
        }
        dr_tree_free(&tree, &memory);
    }
    free(packed);
    cloth_free(&cloth, &memory);
}
END_TEST

// A closed wavy sheet seen from above: rays through edges and vertices do not slip through.
START_TEST(sheets_are_watertight)
{
    dr_memory_init(&memory, NULL);
    cloth = cloth_grid(&memory, 20, 20);
    for (int v = 0; v < cloth.mesh.vertex_count; ++v) {
        float* p = cloth.start + 4 * v;
        p[1] = 0.3f * dr_random_signed(1, (uint32_t)v);
        memcpy(cloth.end + 4 * v, p, sizeof(float[4]));
    }
    tree = tree_of(&memory, &cloth, test_builders[_i].plan, DRAPE_ISA_AUTO);
    for (uint32_t q = 0; q < 20000; ++q) {
        // Aimed at points of edges, and at vertices.
        const dr_edge* edge = &cloth.mesh.edges[q % (uint32_t)cloth.mesh.edge_count];
        drape_vec3 a = vertex_at(edge->v[0]), b = vertex_at(edge->v[1]);
        drape_vec3 target = dr_lerp(a, b, q % 3 ? dr_random_unit(2, q) : 0.0f);
        if (edge->t[1] < 0 || target.x < 0.5f || target.x > 18.5f || target.z < 0.5f ||
            target.z > 18.5f) {
            continue;
        }
        drape_vec3 from = {target.x + 3.0f * dr_random_signed(3, q), 5.0f,
                           target.z + 3.0f * dr_random_signed(4, q)};
        from = q % 5 ? from : (drape_vec3){target.x, 5.0f, target.z};
        dr_tree_ray ray = {from, dr_sub(target, from), 0.0f, 1e9f};
        ck_assert(dr_tree_ray_any(&tree, cloth.start, 4, &ray));
    }
    clear_case();
}
END_TEST

// --- Points ---

static dr_tree_near slow_nearest(const dr_tree_near_query* query)
{
    dr_tree_near near = {-1, {INFINITY, {0, 0, 0}}};
    for (int t = query->first; t < query->end; ++t) {
        const int32_t* corner = cloth.mesh.triangles[t];
        dr_closest closest = dr_closest_point_triangle(query->point, vertex_at(corner[0]),
                                                       vertex_at(corner[1]), vertex_at(corner[2]));
        if (closest.squared < near.closest.squared) {
            near = (dr_tree_near){t, closest};
        }
    }
    return near;
}

// Vertices and points between two, where several triangles are as near; all around; very near; so far
// off that rounding decides. Every third asks for some of the triangles only.
static dr_tree_near_query near_number(uint32_t q)
{
    uint32_t vertices = (uint32_t)cloth.mesh.vertex_count;
    drape_vec3 a = vertex_at((int)(q * 7 % vertices)), b = vertex_at((int)(q * 11 % vertices));
    const drape_vec3 points[5] = {a, dr_lerp(a, b, 0.5f), dr_add(a, random_vec(5, q, 3.0f)),
                                  dr_add(a, random_vec(6, q, 1e-5f)), random_vec(7, q, 3e3f)};
    int count = cloth.mesh.triangle_count, first = count / 3;
    bool is_part = q % 3 == 0;
    return (dr_tree_near_query){points[q % 5], is_part ? first : 0, is_part ? 2 * first : count};
}

// To the bit, also of those that tie, whatever the tree, the instruction set and the stride.
static void check_nearest(const float* packed)
{
    for (uint32_t q = 0; q < 600; ++q) {
        dr_tree_near_query query = near_number(q);
        dr_tree_near expected = slow_nearest(&query), near;
        const float* positions = q % 2 ? cloth.start : packed;
        ck_assert(dr_tree_point_nearest(&tree, positions, q % 2 ? 4 : 3, &query, &near));
        ck_assert_int_eq(near.triangle, expected.triangle);
        ck_assert_mem_eq(&near, &expected, sizeof near);
    }
}

START_TEST(the_nearest_is_found)
{
    set_case(_i);
    dr_motion still = {.start = cloth.start, .stride = 4};
    float* packed = malloc(sizeof(float[3]) * (size_t)cloth.mesh.vertex_count);
    for (int i = 0; i < 3 * cloth.mesh.vertex_count; ++i) {
        packed[i] = cloth.start[i / 3 * 4 + i % 3];
    }
    // In boxes that are too large, then in those that just fit.
    check_nearest(packed);
    dr_tree_refit(&tree, NULL, &still);
    for (int isa = DRAPE_ISA_PLAIN; isa <= DRAPE_ISA_WASM; ++isa) {
        tree.isa = dr_isa_resolve((drape_isa)isa);
        check_nearest(packed);
    }
    dr_tree_near_query none = {{0, 0, 0}, 5, 5};
    dr_tree_near near;
    ck_assert(!dr_tree_point_nearest(&tree, cloth.start, 4, &none, &near));
    free(packed);
    clear_case();
}
END_TEST

START_TEST(nothing_meets_nothing)
{
    dr_tree_plan plan = {0};
    dr_surface surface = {0};
    dr_tree_ray ray = {{0, 0, 0}, {0, 0, 1}, 0.0f, 1.0f};
    dr_tree_ray_hit hit;
    dr_memory_init(&memory, NULL);
    ck_assert(dr_tree_create(&tree, &memory, &plan, &surface, DRAPE_ISA_AUTO));
    ck_assert_int_eq(dr_tree_box_query(&tree, ray.origin, ray.direction, NULL, 0), 0);
    ck_assert(!dr_tree_ray_nearest(&tree, NULL, 4, &ray, &hit));
    ck_assert(!dr_tree_ray_any(&tree, NULL, 4, &ray));
    dr_tree_near_query query = {ray.origin, 0, 1};
    dr_tree_near near;
    ck_assert(!dr_tree_point_nearest(&tree, NULL, 4, &query, &near));
    dr_tree_free(&tree, &memory);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("tree_query");
    tcase_add_loop_test(tests, box_queries_find_all, 0, case_count);
    tcase_add_loop_test(tests, rays_find_the_nearest, 0, case_count);
    tcase_add_loop_test(tests, all_trees_see_the_same, 0, test_cloth_count);
    tcase_add_loop_test(tests, sheets_are_watertight, 0, builder_count);
    tcase_add_loop_test(tests, the_nearest_is_found, 0, case_count);
    tcase_add_test(tests, nothing_meets_nothing);
    Suite* suite = suite_create("tree_query");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
