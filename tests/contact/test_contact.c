// Contacts with one obstacle at rest: found where sampling finds them, resolved to where they
// belong.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <drape/drape.h>

#include "../support.h"
#include "contact/contact.h"
#include "core/isa.h"
#include "core/random.h"
#include "core/vec_math.h"

enum { EDGES = 4000 };

static const drape_shape shapes[] = {
    {.kind = DRAPE_SHAPE_BOX, .size = {0.6f, 0.2f, 0.4f}},
    {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.25f},
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.2f, .radius_top = 0.1f, .height = 0.3f},
};

static const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2, DRAPE_ISA_NEON};

static drape_vec3 random_point(uint32_t seed, uint32_t i, float size)
{
    return (drape_vec3){size * dr_random_signed(seed, 3 * i),
                        size * dr_random_signed(seed, 3 * i + 1),
                        size * dr_random_signed(seed, 3 * i + 2)};
}

typedef struct setup {
    dr_memory memory;
    dr_sheet sheet;
    dr_obstacle obstacle;
    int32_t (*edges)[2];
    int32_t* list;
    dr_contact1* contacts;
} setup;

// Pairs of vertices around an obstacle that stands turned and off the origin.
static setup make_setup(const drape_shape* shape)
{
    setup s = {0};
    dr_memory_init(&s.memory, NULL);
    ck_assert(dr_sheet_create(&s.sheet, &s.memory, DR_LAYOUT_RECORDS, 2 * EDGES, EDGES / 4));
    drape_transform pose = {{0.3f, -0.2f, 0.1f}, drape_quat_from_degrees((drape_vec3){20, 40, 60})};
    dr_obstacle_set(&s.obstacle, shape, pose, pose);
    s.edges = calloc(EDGES, sizeof *s.edges);
    s.list = calloc(EDGES, sizeof *s.list);
    s.contacts = calloc(EDGES, sizeof *s.contacts);
    for (uint32_t i = 0; i < EDGES; ++i) {
        drape_vec3 ends[2] = {random_point(1, i, 0.5f), random_point(2, i, 0.5f)};
        for (int k = 0; k < 2; ++k) {
            int slot = s.edges[i][k] = (int32_t)(2 * i) + k;
            drape_vec3 p = dr_transform_apply(pose, ends[k]);
            dr_sheet_set(DR_LAYOUT_RECORDS, s.sheet.start, slot, p);
            dr_sheet_set(DR_LAYOUT_RECORDS, s.sheet.pos, slot, p);
            dr_sheet_set_inverse_mass(&s.sheet, slot, 1.0f);
        }
        s.list[i] = (int32_t)i;
    }
    return s;
}

static void free_setup(setup* s)
{
    dr_sheet_free(&s->sheet, &s->memory);
    free(s->edges);
    free(s->list);
    free(s->contacts);
}

static dr_detect_args args_of(const setup* s)
{
    return (dr_detect_args){.sheet = &s->sheet,
                            .obstacle = &s->obstacle,
                            .range = {.radius = 0.01f, .static_radius = 10.0f, .recovery = 1.0f},
                            .friction = {0.5f, 0.4f}};
}

static double distance_at(const setup* s, drape_vec3 p)
{
    drape_vec3 n;
    drape_vec3 local = {0, 0, 0}, d = dr_sub(p, s->obstacle.place);
    const float* m = s->obstacle.rotation;
    local.x = m[0] * d.x + m[3] * d.y + m[6] * d.z;
    local.y = m[1] * d.x + m[4] * d.y + m[7] * d.z;
    local.z = m[2] * d.x + m[5] * d.y + m[8] * d.z;
    return (double)dr_shape_distance(&s->obstacle.terms, local, &n);
}

static drape_vec3 edge_point(const setup* s, const int32_t edge[2], float t)
{
    return dr_lerp(dr_sheet_get(DR_LAYOUT_RECORDS, s->sheet.start, edge[0]),
                   dr_sheet_get(DR_LAYOUT_RECORDS, s->sheet.start, edge[1]), t);
}

// Every edge whose distance is clearly least inside it has a contact near that place, others none.
START_TEST(edges_are_found_where_the_distance_is_least)
{
    setup s = make_setup(&shapes[_i]);
    dr_detect_args args = args_of(&s);
    const dr_contact_kernels* kernels = dr_contact_kernels_for(dr_isa_resolve(DRAPE_ISA_AUTO));
    int count = kernels->detect_edges(&args, (const int32_t(*)[2])s.edges, s.list, EDGES,
                                      s.contacts);
    int next = 0, clear = 0;
    double worst = 0.0;
    for (int i = 0; i < EDGES; ++i) {
        double ends = fmin(distance_at(&s, edge_point(&s, s.edges[i], 0.0f)),
                           distance_at(&s, edge_point(&s, s.edges[i], 1.0f)));
        double least = INFINITY;
        for (int k = 0; k <= 200; ++k) {
            least = fmin(least, distance_at(&s, edge_point(&s, s.edges[i], (float)k / 200.0f)));
        }
        bool has = next < count && s.contacts[next].slot[0] == s.edges[i][0];
        if (least < ends - 0.01 && least > 0.0) {
            ck_assert_msg(has, "edge %d comes %g nearer than its ends", i, ends - least);
            ++clear;
        }
        if (has) {
            const dr_contact1* c = &s.contacts[next++];
            double found = distance_at(&s, edge_point(&s, s.edges[i], c->weight[1]));
            ck_assert(c->weight[0] >= 0.0f && c->weight[1] >= 0.0f);
            ck_assert_double_eq_tol((double)(c->weight[0] + c->weight[1]), 1.0, 1e-6);
            ck_assert_double_eq_tol((double)c->gap, found - 0.01, 2e-6);
            ck_assert_double_eq_tol((double)dr_length(c->normal), 1.0, 1e-5);
            if (least > 0.0) {
                worst = fmax(worst, found - least);
            }
        }
    }
    ck_assert_int_eq(next, count);
    ck_assert_int_gt(clear, 100);
    ck_assert_double_le(worst, 0.005);
    free_setup(&s);
}
END_TEST

START_TEST(all_sets_find_the_same_edges)
{
    setup s = make_setup(&shapes[_i]);
    dr_detect_args args = args_of(&s);
    dr_contact1* other = calloc(EDGES, sizeof *other);
    const int32_t(*edges)[2] = (const int32_t(*)[2])s.edges;
    int count = dr_contact_kernels_for(DRAPE_ISA_PLAIN)
                    ->detect_edges(&args, edges, s.list, EDGES, s.contacts);
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; ++k) {
        if (dr_isa_available(sets[k])) {
            memset(other, 0, sizeof *other * EDGES);
            int found = dr_contact_kernels_for(sets[k])
                            ->detect_edges(&args, edges, s.list, EDGES, other);
            ck_assert_int_eq(found, count);
            ck_assert_mem_eq(other, s.contacts, sizeof *other * (size_t)count);
        }
    }
    free(other);
    free_setup(&s);
}
END_TEST

// After one pass a vertex pushed inside lies at the radius, and friction held it or slowed it.
START_TEST(vertices_are_pushed_out_and_held)
{
    setup s = make_setup(&shapes[_i]);
    dr_detect_args args = args_of(&s);
    const dr_contact_kernels* kernels = dr_contact_kernels_for(dr_isa_resolve(DRAPE_ISA_AUTO));
    for (int slot = 0; slot < 2 * EDGES; ++slot) {
        drape_vec3 p = dr_sheet_get(DR_LAYOUT_RECORDS, s.sheet.start, slot);
        drape_vec3 by = random_point(3, (uint32_t)slot, 0.05f);
        dr_sheet_set(DR_LAYOUT_RECORDS, s.sheet.pos, slot, dr_add(p, by));
    }
    dr_contact8* contacts = calloc((size_t)s.sheet.vector_count, sizeof *contacts);
    int count = kernels->detect(&args, 0, s.sheet.vector_count, contacts);
    ck_assert_int_eq(count, s.sheet.vector_count);
    kernels->resolve(&s.sheet, args.friction, contacts, count);
    int pressed = 0, held = 0;
    for (int slot = 0; slot < 2 * EDGES; ++slot) {
        const dr_contact8* c = &contacts[slot / 8];
        int lane = slot % 8;
        drape_vec3 q = dr_sheet_get(DR_LAYOUT_RECORDS, s.sheet.pos, slot);
        if (c->pressed[lane] > 0.0f) {
            drape_vec3 n = {c->normal[0][lane], c->normal[1][lane], c->normal[2][lane]};
            drape_vec3 a = {c->anchor[0][lane], c->anchor[1][lane], c->anchor[2][lane]};
            double clearance = (double)(dr_dot(dr_sub(q, a), n) + c->gap[lane]);
            ck_assert_double_eq_tol(clearance, 0.0, 1e-5);
            ck_assert(c->rubbed[lane] <= 0.5f * c->pressed[lane] * 1.0001f);
            ++pressed;
            held += dr_length(dr_sub(dr_sub(q, a), dr_scale(n, dr_dot(dr_sub(q, a), n)))) < 1e-6f;
        }
    }
    ck_assert_int_gt(pressed, 100);
    ck_assert(held > 0 && held < pressed);
    free(contacts);
    free_setup(&s);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("contact");
    TCase* each = tcase_create("each shape");
    tcase_add_loop_test(each, edges_are_found_where_the_distance_is_least, 0, 3);
    tcase_add_loop_test(each, all_sets_find_the_same_edges, 0, 3);
    tcase_add_loop_test(each, vertices_are_pushed_out_and_held, 0, 3);
    suite_add_tcase(suite, each);
    return run_suite(suite);
}
