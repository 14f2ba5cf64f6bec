// Boxes round vectors of vertices: what they leave out is far, in every instruction set alike.
#include <check.h>
#include <math.h>

#include <drape/drape.h>

#include "../support.h"
#include "contact/vector_boxes.h"
#include "core/isa.h"
#include "core/random.h"

enum { VECTORS = 29, CASES = 200 };

static const drape_isa sets[] = {DRAPE_ISA_PLAIN, DRAPE_ISA_SSE2, DRAPE_ISA_AVX2, DRAPE_ISA_NEON};

static float random_at(uint32_t seed, uint32_t index, float size)
{
    return size * (float)dr_random_signed(seed, index);
}

// Vertices scattered in a cube, each with a short way; every fifth does not yield.
static void fill(dr_sheet* sheet)
{
    for (int slot = 0; slot < VECTORS * 8; ++slot) {
        uint32_t i = (uint32_t)slot * 3;
        float size = 0.1f * (float)(1 + slot / 8 % 4);
        drape_vec3 middle = {random_at(1, (uint32_t)(slot / 8), 1.0f),
                             random_at(2, (uint32_t)(slot / 8), 1.0f),
                             random_at(3, (uint32_t)(slot / 8), 1.0f)};
        drape_vec3 p = {middle.x + random_at(4, i, size), middle.y + random_at(4, i + 1, size),
                        middle.z + random_at(4, i + 2, size)};
        drape_vec3 q = {p.x + random_at(5, i, 0.05f), p.y + random_at(5, i + 1, 0.05f),
                        p.z + random_at(5, i + 2, 0.05f)};
        dr_sheet_set(sheet->layout, sheet->start, slot, p);
        dr_sheet_set(sheet->layout, sheet->pos, slot, q);
        dr_sheet_set_inverse_mass(sheet, slot, slot % 5 == 0 ? 0.0f : 1.0f);
    }
}

// Least and greatest values of the free vertices of a vector, one by one.
static void bound_slowly(const dr_sheet* sheet, int vector, float lo[3], float hi[3])
{
    for (int c = 0; c < 3; ++c) {
        lo[c] = INFINITY;
        hi[c] = -INFINITY;
        for (int slot = 8 * vector; slot < 8 * vector + 8; ++slot) {
            size_t at = dr_sheet_offset(sheet->layout, slot) +
                        (size_t)c * (size_t)dr_sheet_step(sheet->layout);
            if (dr_sheet_inverse_mass(sheet, slot) > 0.0f) {
                lo[c] = fminf(lo[c], fminf(sheet->start[at], sheet->pos[at]));
                hi[c] = fmaxf(hi[c], fmaxf(sheet->start[at], sheet->pos[at]));
            }
        }
    }
}

START_TEST(boxes_are_those_of_the_vertices)
{
    dr_memory memory;
    dr_sheet sheet;
    dr_memory_init(&memory, NULL);
    dr_layout layout = _i % 2 ? DR_LAYOUT_STRIPED : DR_LAYOUT_RECORDS;
    ck_assert(dr_sheet_create(&sheet, &memory, layout, VECTORS * 8, VECTORS));
    fill(&sheet);
    const dr_vector_box_kernels* kernels = dr_vector_box_kernels_for(dr_isa_resolve(sets[_i / 2]));
    dr_vector_boxes boxes;
    kernels->bound(&sheet, 3, VECTORS, &boxes);
    ck_assert_int_eq(boxes.count, VECTORS - 3);
    int near_count = 0;
    for (int k = 0; k < CASES; ++k) {
        uint32_t i = (uint32_t)k * 3;
        float at[3], size = 0.3f, reach = 0.02f * (float)(k % 7), lo[3], hi[3];
        for (uint32_t c = 0; c < 3; ++c) {
            at[c] = random_at(6, i + c, 1.2f);
        }
        const float least[3] = {at[0] - size, at[1] - size, at[2] - size};
        const float most[3] = {at[0] + size, at[1] + size, at[2] + size};
        uint32_t near = kernels->near(&boxes, least, most, reach);
        for (int v = 3; v < VECTORS; ++v) {
            bool is_near = true;
            bound_slowly(&sheet, v, lo, hi);
            for (int c = 0; c < 3; ++c) {
                is_near = is_near && !(hi[c] < least[c] - reach) && !(most[c] + reach < lo[c]);
            }
            ck_assert_int_eq(near >> (v - 3) & 1, is_near);
            near_count += is_near;
        }
    }
    ck_assert(near_count > CASES && near_count < CASES * VECTORS / 2);
    dr_sheet_free(&sheet, &memory);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("vector boxes");
    TCase* each = tcase_create("each set and layout");
    tcase_add_loop_test(each, boxes_are_those_of_the_vertices, 0, 8);
    suite_add_tcase(suite, each);
    return run_suite(suite);
}
