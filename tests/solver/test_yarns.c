// Edges of a mesh as chains along its lines.
#include "solver/yarns.h"

#include <string.h>

#include "solver_test.h"

static void hold_vertex(piece* p, int vertex)
{
    dr_sheet* sheet = &p->xpbd.sheet;
    dr_sheet_set_inverse_mass(sheet, sheet->slot_of_vertex[vertex], 0.0f);
}

static dr_yarns weave_yarns(piece* p, const drape_fabric* fabric, float h)
{
    dr_yarns yarns;
    ck_assert(dr_yarns_create(&yarns, &p->memory, &p->mesh, &p->xpbd.sheet, fabric));
    dr_yarns_prepare(&yarns, h);
    return yarns;
}

static void pull(piece* p, const dr_yarns* yarns, int times)
{
    for (int i = 0; i < times; ++i) {
        dr_yarn_kernels_for(dr_isa_resolve(DRAPE_ISA_AUTO))->pull(yarns, p->xpbd.sheet.pos);
    }
}

static double worst_stretch(const piece* p)
{
    double worst = 0.0;
    for (int e = 0; e < p->mesh.edge_count; ++e) {
        const int32_t* v = p->mesh.edges[e].v;
        double now = dr_length_double(dr_sub(piece_at(p, v[1]), piece_at(p, v[0])));
        double rest = dr_length_double(dr_sub(p->mesh.rest[v[1]], p->mesh.rest[v[0]]));
        worst = fmax(worst, now / rest - 1.0);
    }
    return worst;
}

START_TEST(cloth_at_rest_stays)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, _i, &fabric, 17, 13);
    dr_yarns yarns = weave_yarns(&p, &fabric, 1.0f / 120.0f);
    drape_vec3* before = piece_copy(&p);
    pull(&p, &yarns, 3);
    for (int v = 0; v < p.mesh.vertex_count; ++v) {
        ck_assert_double_le(dr_length_double(dr_sub(piece_at(&p, v), before[v])), 1e-6);
    }
    free(before);
    dr_yarns_free(&yarns, &p.memory);
    piece_free(&p);
}
END_TEST

static drape_vec3 pose_shifted(drape_vec3 rest, const void* user)
{
    const float* way = user;
    return (drape_vec3){rest.x > 0.0f ? rest.x + *way : rest.x, rest.y, rest.z};
}

static void hang(piece* p, const drape_fabric* fabric)
{
    piece_weave(p, WEAVE_RIGHT, fabric, 41, 9);
    for (int r = 0; r < 9; ++r) {
        hold_vertex(p, 41 * r);
    }
}

// A sheet that is held along one edge has fallen by a part of a cell. All of it has to come back,
// and one pull knows: twenty sweeps over triangles do not.
START_TEST(a_pull_is_felt_at_the_other_end_at_once)
{
    drape_fabric fabric = test_fabric();
    const float way = 2e-3f, h = 1.0f / 120.0f;
    piece chains, triangles;
    hang(&chains, &fabric);
    hang(&triangles, &fabric);
    dr_yarns yarns = weave_yarns(&chains, &fabric, h);
    piece_pose(&chains, pose_shifted, &way);
    piece_pose(&triangles, pose_shifted, &way);
    dr_xpbd_prepare(&triangles.xpbd, h);
    ck_assert_double_ge(worst_stretch(&chains), 0.07);
    pull(&chains, &yarns, 1);
    piece_stretch(&triangles, 20);
    ck_assert_double_le(worst_stretch(&chains), 0.01);
    ck_assert_double_ge(worst_stretch(&triangles), 0.012);
    // The far end is where it was at rest, up to what the fabric gives.
    ck_assert_double_le(fabs((double)(piece_at(&chains, 40 + 41 * 4).x - chains.mesh.rest[40].x)),
                        0.5 * (double)way);
    dr_yarns_free(&yarns, &chains.memory);
    piece_free(&chains);
    piece_free(&triangles);
}
END_TEST

START_TEST(momentum_is_kept)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, _i, &fabric, 12, 10);
    dr_yarns yarns = weave_yarns(&p, &fabric, 1.0f / 120.0f);
    piece_shake(&p, 5e-3f, 4);
    drape_vec3* before = piece_copy(&p);
    pull(&p, &yarns, 3);
    double moved[3] = {0}, turned[3] = {0}, most = 0.0;
    for (int v = 0; v < p.mesh.vertex_count; ++v) {
        drape_vec3 d = dr_sub(piece_at(&p, v), before[v]), at = before[v];
        double m = (double)p.xpbd.sheet.mass[v];
        double by[3] = {m * d.x, m * d.y, m * d.z};
        for (int c = 0; c < 3; ++c) {
            moved[c] += by[c];
            most = fmax(most, fabs(by[c]));
        }
        turned[1] += at.z * by[0] - at.x * by[2];
    }
    ck_assert_double_gt(most, 0.0);
    for (int c = 0; c < 3; ++c) {
        ck_assert_double_le(fabs(moved[c]), 1e-3 * most);
    }
    ck_assert_double_le(fabs(turned[1]), 0.2 * most);
    free(before);
    dr_yarns_free(&yarns, &p.memory);
    piece_free(&p);
}
END_TEST

// What a solid presses goes along its surface, never into it or away.
START_TEST(pressed_vertices_stay_on_their_plane)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, WEAVE_RIGHT, &fabric, 9, 9);
    dr_yarns yarns = weave_yarns(&p, &fabric, 1.0f / 120.0f);
    piece_shake(&p, 8e-3f, 9);
    drape_vec3 normal = dr_normalize((drape_vec3){0.3f, 1.0f, -0.2f});
    for (int v = 20; v < 40; ++v) {
        dr_yarns_press(&yarns, p.xpbd.sheet.slot_of_vertex[v], normal);
    }
    drape_vec3* before = piece_copy(&p);
    pull(&p, &yarns, 2);
    double most = 0.0;
    for (int v = 20; v < 40; ++v) {
        drape_vec3 d = dr_sub(piece_at(&p, v), before[v]);
        ck_assert_double_le(fabs((double)dr_dot(d, normal)), 1e-6);
        most = fmax(most, dr_length_double(d));
    }
    ck_assert_double_gt(most, 1e-4);
    dr_yarns_release_all(&yarns);
    ck_assert(!yarns.is_pressed);
    free(before);
    dr_yarns_free(&yarns, &p.memory);
    piece_free(&p);
}
END_TEST

// Cloth that is pushed together buckles; no spring keeps its ends apart.
START_TEST(slack_lines_do_nothing)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, WEAVE_RIGHT, &fabric, 9, 9);
    dr_yarns yarns = weave_yarns(&p, &fabric, 1.0f / 120.0f);
    const double shorter[4] = {0.9, 0, 0, 0.9};
    piece_pose(&p, pose_linear, shorter);
    drape_vec3* before = piece_copy(&p);
    pull(&p, &yarns, 1);
    for (int v = 0; v < p.mesh.vertex_count; ++v) {
        ck_assert_double_le(dr_length_double(dr_sub(piece_at(&p, v), before[v])), 1e-6);
    }
    free(before);
    dr_yarns_free(&yarns, &p.memory);
    piece_free(&p);
}
END_TEST

START_TEST(all_instruction_sets_give_the_same_bits)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, _i, &fabric, 15, 11);
    dr_yarns yarns = weave_yarns(&p, &fabric, 1.0f / 120.0f);
    piece_shake(&p, 5e-3f, 3);
    dr_yarns_press(&yarns, 40, (drape_vec3){0.0f, 1.0f, 0.0f});
    float* pos = p.xpbd.sheet.pos;
    size_t bytes = sizeof(float) * 32 * (size_t)p.xpbd.sheet.vector_count;
    float *start = malloc(bytes), *plain = malloc(bytes);
    memcpy(start, pos, bytes);
    dr_yarn_kernels_for(DRAPE_ISA_PLAIN)->pull(&yarns, pos);
    memcpy(plain, pos, bytes);
    ck_assert_mem_ne(plain, start, bytes);
    for (drape_isa isa = DRAPE_ISA_SSE2; isa <= DRAPE_ISA_WASM; ++isa) {
        memcpy(pos, start, bytes);
        dr_yarn_kernels_for(dr_isa_available(isa) ? isa : DRAPE_ISA_PLAIN)->pull(&yarns, pos);
        ck_assert_mem_eq(pos, plain, bytes);
    }
    free(start);
    free(plain);
    dr_yarns_free(&yarns, &p.memory);
    piece_free(&p);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("yarns");
    TCase* cases = tcase_create("yarns");
    tcase_add_loop_test(cases, cloth_at_rest_stays, WEAVE_RIGHT, WEAVE_COUNT);
    tcase_add_test(cases, a_pull_is_felt_at_the_other_end_at_once);
    tcase_add_loop_test(cases, momentum_is_kept, WEAVE_RIGHT, WEAVE_COUNT);
    tcase_add_test(cases, pressed_vertices_stay_on_their_plane);
    tcase_add_test(cases, slack_lines_do_nothing);
    tcase_add_loop_test(cases, all_instruction_sets_give_the_same_bits, WEAVE_RIGHT, WEAVE_COUNT);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
