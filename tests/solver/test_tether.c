// Ties to held vertices: how long they are, that they only pull, and what they do to hanging cloth.
#include "contact/tether.h"

#include <drape/drape.h>
#include <string.h>

#include "core/base.h"
#include "solver_test.h"

static void hold_vertex(piece* p, int vertex)
{
    dr_sheet* sheet = &p->xpbd.sheet;
    dr_sheet_set_inverse_mass(sheet, sheet->slot_of_vertex[vertex], 0.0f);
}

static dr_tethers tie(piece* p, float slack)
{
    dr_tethers tethers;
    ck_assert(dr_tethers_create(&tethers, &p->memory, &p->mesh, &p->xpbd.sheet, slack));
    dr_tethers_begin(&tethers, &p->xpbd.sheet);
    return tethers;
}

// The shortest tie of a vertex and the vertex it ends in.
static float tie_of(const piece* p, const dr_tethers* tethers, int vertex, int* anchor)
{
    const dr_sheet* sheet = &p->xpbd.sheet;
    size_t row = (size_t)(tethers->row_count - 1) * (size_t)tethers->vector_count * 8;
    size_t at = row + (size_t)sheet->slot_of_vertex[vertex];
    int slot = tethers->anchor_slots[tethers->anchor[at]];
    for (int v = 0; v < sheet->vertex_count; ++v) {
        *anchor = sheet->slot_of_vertex[v] == slot ? v : *anchor;
    }
    return tethers->length[at];
}

static double rest_between(const piece* p, int v, int w)
{
    return dr_length_double(dr_sub(p->mesh.rest[v], p->mesh.rest[w]));
}

START_TEST(on_flat_cloth_ties_are_straight_lines)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, _i, &fabric, 17, 13);
    const int held[] = {0, 16, 110};
    for (int k = 0; k < 3; ++k) {
        hold_vertex(&p, held[k]);
    }
    dr_tethers tethers = tie(&p, 0.0f);
    ck_assert_int_eq(tethers.row_count, 3);
    for (int v = 0; v < p.mesh.vertex_count; ++v) {
        double nearest = INFINITY;
        int anchor = -1;
        for (int k = 0; k < 3; ++k) {
            nearest = fmin(nearest, rest_between(&p, v, held[k]));
        }
        if (nearest > 0.0) {
            double length = (double)tie_of(&p, &tethers, v, &anchor);
            // An equilateral weave has a jagged border, along which ways bend.
            double most = _i == WEAVE_EQUILATERAL ? 1.18 : 1.00001;
            ck_assert_msg(length >= nearest * 0.9999999 && length <= nearest * most,
                          "%s: %g for %g", weave_name[_i], length, nearest);
            ck_assert_double_le(rest_between(&p, v, anchor), length * 1.0000001);
        }
    }
    dr_tethers_free(&tethers, &p.memory);
    piece_free(&p);
}
END_TEST

// A sheet that is rolled up at rest: ways go round the cylinder.
START_TEST(on_a_cylinder_ties_go_round_it)
{
    enum { columns = 33, rows = 9 };
    const double radius = 0.1, angle = 4.0;
    piece p = {.columns = columns, .rows = rows};
    drape_fabric fabric = test_fabric();
    dr_memory_init(&p.memory, NULL);
    dr_shape_mesh shape;
    ck_assert(
        dr_generate_grid(&shape, &p.memory, 1.0f, 0.1f, columns, rows, DRAPE_DIAGONALS_ALTERNATE));
    double chord = 2.0 * radius * sin(0.5 * angle / (columns - 1));
    for (int v = 0; v < shape.vertex_count; ++v) {
        double turn = angle * (v % columns) / (columns - 1);
        shape.positions[v].x = (float)(radius * cos(turn));
        shape.positions[v].y = (float)(radius * sin(turn));
    }
    piece_take_mesh(&p, &shape, (const float*)shape.uv);
    dr_shape_free(&shape, &p.memory);
    piece_finish(&p, dr_xpbd_create_mesh(&p.xpbd, &p.memory, &fabric, &p.mesh));
    hold_vertex(&p, 0);
    dr_tethers tethers = tie(&p, 0.0f);
    for (int v = 1; v < p.mesh.vertex_count; ++v) {
        int anchor = -1;
        double round = chord * (v % columns), along = 0.0125 * (double)(v / columns);
        double way = sqrt(round * round + along * along);
        double length = (double)tie_of(&p, &tethers, v, &anchor);
        ck_assert_int_eq(anchor, 0);
        ck_assert_msg(length >= way && length <= way * 1.02, "%d: %g for %g", v, length, way);
    }
    dr_tethers_free(&tethers, &p.memory);
    piece_free(&p);
}
END_TEST

// What is further comes back along the line to its anchor, what is nearer keeps all its bits.
START_TEST(ties_pull_and_never_push)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, _i, &fabric, 11, 9);
    hold_vertex(&p, 3);
    dr_tethers tethers = tie(&p, 0.02f);
    piece_shake(&p, 0.03f, 7);
    dr_tethers_begin(&tethers, &p.xpbd.sheet);
    drape_vec3 before[99], pin = piece_at(&p, 3);
    for (int v = 0; v < 99; ++v) {
        before[v] = piece_at(&p, v);
    }
    const dr_sheet* sheet = &p.xpbd.sheet;
    dr_tether_kernels_for(dr_isa_resolve(DRAPE_ISA_AUTO))
        ->pull(&tethers, sheet, 0, sheet->vector_count);
    int pulled = 0;
    for (int v = 0; v < 99; ++v) {
        drape_vec3 now = piece_at(&p, v);
        int anchor = -1;
        double length = v == 3 ? INFINITY : (double)tie_of(&p, &tethers, v, &anchor);
        double was = dr_length_double(dr_sub(before[v], pin));
        if (was <= length * 0.99999) {
            ck_assert(memcmp(&now, &before[v], sizeof now) == 0);
            continue;
        }
        ++pulled;
        ck_assert_double_eq_tol(dr_length_double(dr_sub(now, pin)), length, 1e-6);
        drape_vec3 cross = dr_cross(dr_sub(now, pin), dr_sub(before[v], pin));
        ck_assert_double_le(dr_length_double(cross), 1e-6 * length * was + 1e-9);
    }
    ck_assert_int_gt(pulled, 10);
    dr_tethers_free(&tethers, &p.memory);
    piece_free(&p);
}
END_TEST

START_TEST(all_instruction_sets_pull_to_the_same_bits)
{
    drape_fabric fabric = test_fabric();
    uint64_t first = 0;
    for (int isa = DRAPE_ISA_PLAIN; isa <= DRAPE_ISA_WASM; ++isa) {
        if (!dr_isa_available((drape_isa)isa)) {
            continue;
        }
        piece p;
        piece_weave(&p, _i, &fabric, 19, 14);
        hold_vertex(&p, 0);
        hold_vertex(&p, 18);
        dr_tethers tethers = tie(&p, 0.01f);
        piece_shake(&p, 0.05f, 3);
        const dr_sheet* sheet = &p.xpbd.sheet;
        dr_tether_kernels_for((drape_isa)isa)->pull(&tethers, sheet, 0, sheet->vector_count);
        uint64_t hash = dr_hash_bytes(DR_HASH_START, sheet->pos,
                                      sizeof(float) * 32 * (size_t)sheet->vector_count);
        first = first ? first : hash;
        ck_assert_uint_eq(hash, first);
        dr_tethers_free(&tethers, &p.memory);
        piece_free(&p);
    }
}
END_TEST

// --- In a world ---

// Stretch of a square metre that hangs by two corners, 30 steps a second of one substep and four
// sweeps, after three seconds.
static float hang(bool has_tethers, drape_vec3* corner)
{
    drape_world_def def = drape_world_defaults();
    def.substeps = 1;
    def.iterations = 4;
    drape_world* world = drape_world_create(&def);
    drape_cloth_def cloth_def = drape_cloth_defaults();
    cloth_def.control.tethers = has_tethers;
    cloth_def.rotation = drape_quat_from_degrees((drape_vec3){90.0f, 0.0f, 0.0f});
    drape_cloth_id cloth = drape_cloth_add_grid(world, &cloth_def, 1.0f, 1.0f, 31, 31);
    const int32_t corners[2] = {0, 30};
    drape_pin_def pin = drape_pin_defaults();
    pin.vertices = corners;
    pin.vertex_count = 2;
    drape_pin_id held = drape_cloth_pin(world, cloth, &pin);
    drape_step_report report = {0};
    for (int i = 0; i < 90; ++i) {
        report = drape_world_step(world, 1.0f / 30.0f);
        ck_assert_int_eq(report.non_finite_count, 0);
    }
    ck_assert_int_eq(report.heap_calls, 0);
    *corner = drape_cloth_positions(world, cloth, NULL)[30 * 31];
    // Without pins nothing is tied any more.
    drape_pin_release(world, held);
    for (int i = 0; i < 15; ++i) {
        drape_world_step(world, 1.0f / 30.0f);
    }
    drape_vec3 fallen = drape_cloth_positions(world, cloth, NULL)[30 * 31];
    ck_assert_float_lt(fallen.y, corner->y - 0.5f);
    drape_world_destroy(world);
    return report.max_stretch;
}

START_TEST(with_few_sweeps_hanging_cloth_keeps_its_length)
{
    drape_vec3 tied, loose;
    float with = hang(true, &tied), without = hang(false, &loose);
    ck_assert_float_lt(with, 0.3f);
    ck_assert_float_gt(without, 10.0f * with);
    ck_assert_float_gt(tied.y, -1.02f);
    ck_assert_float_lt(loose.y, -1.1f);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("tether");
    tcase_add_loop_test(tests, on_flat_cloth_ties_are_straight_lines, 0, WEAVE_COUNT);
    tcase_add_test(tests, on_a_cylinder_ties_go_round_it);
    tcase_add_loop_test(tests, ties_pull_and_never_push, 0, WEAVE_COUNT);
    tcase_add_loop_test(tests, all_instruction_sets_pull_to_the_same_bits, 0, WEAVE_COUNT);
    tcase_add_test(tests, with_few_sweeps_hanging_cloth_keeps_its_length);
    Suite* suite = suite_create("tether");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
