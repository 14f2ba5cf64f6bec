// How far edges are stretched: the most, and what most of them stay below.
#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/world.h"

// Edges without a length at rest are not stretched by anything.
static float edge_strain(const dr_cloth* cloth, int edge)
{
    const dr_sheet* sheet = cloth->sheet;
    const int32_t* v = cloth->mesh.edges[edge].v;
    drape_vec3 a = dr_sheet_get(sheet->layout, sheet->start, sheet->slot_of_vertex[v[0]]);
    drape_vec3 b = dr_sheet_get(sheet->layout, sheet->start, sheet->slot_of_vertex[v[1]]);
    drape_vec3 d = dr_sub(b, a);
    float rest = cloth->edge_rest[edge];
    return rest > 0.0f ? sqrtf(dr_dot(d, d)) / rest - 1.0f : 0.0f;
}

float dr_cloth_max_stretch(const dr_cloth* cloth)
{
    float most = 0.0f;
    for (int e = 0; e < cloth->mesh.edge_count; ++e) {
        float strain = edge_strain(cloth, e);
        most = strain > most ? strain : most;
    }
    return most;
}

// --- Percentiles ---

// Whole numbers in the order of the floats, and back.
static uint32_t rank_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float value_of(uint32_t rank)
{
    uint32_t bits = rank & 0x80000000u ? rank & 0x7fffffffu : ~rank;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

enum { DIGIT_BITS = 8, DIGITS = 256 };

// Counts edges by their digit at `shift`, of those that have `upper` above it.
static void count_digits(const drape_world* world, uint32_t upper, int shift, int64_t count[DIGITS])
{
    memset(count, 0, sizeof *count * DIGITS);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        const dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        for (int e = 0; cloth && e < cloth->mesh.edge_count; ++e) {
            uint32_t rank = rank_of(edge_strain(cloth, e));
            if (((uint64_t)rank >> (shift + DIGIT_BITS)) == upper) {
                ++count[(rank >> shift) % DIGITS];
            }
        }
    }
}

// The strain is found digit by digit, so no memory is needed and nothing is sorted.
float drape_world_stretch(const drape_world* world, float share)
{
    int64_t count[DIGITS], left = -1;
    uint32_t rank = 0;
    for (int shift = 32 - DIGIT_BITS; world && shift >= 0; shift -= DIGIT_BITS) {
        count_digits(world, rank, shift, count);
        if (left < 0) {
            int64_t all = 0;
            for (int digit = 0; digit < DIGITS; ++digit) {
                all += count[digit];
            }
            if (all == 0) {
                return 0.0f;
            }
            double below = fmin(fmax((double)share, 0.0), 1.0) * (double)all;
            left = below < (double)all ? (int64_t)below : all - 1;
        }
        uint32_t digit = 0;
        for (; digit < DIGITS - 1 && left >= count[digit]; ++digit) {
            left -= count[digit];
        }
        rank = rank << DIGIT_BITS | digit;
    }
    return world ? value_of(rank) : 0.0f;
}
