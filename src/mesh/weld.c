// mesh/weld.c: vertices at the same place, found by hashing.
#include "mesh/stages.h"

#include <string.h>

// The bits of a coordinate; -0 becomes 0, so that equal places have equal bits.
static uint32_t bits_of(float value)
{
    float canonical = value == 0.0f ? 0.0f : value;
    uint32_t bits;
    memcpy(&bits, &canonical, sizeof bits);
    return bits;
}

// Grids differ in few high bits, so each coordinate is spread over all 64 before the next comes in.
static uint64_t hash_of(drape_vec3 p)
{
    const float coordinates[3] = {p.x, p.y, p.z};
    uint64_t hash = 0x9e3779b97f4a7c15ull;
    for (int k = 0; k < 3; ++k) {
        hash = (hash ^ bits_of(coordinates[k])) * 0xbf58476d1ce4e5b9ull;
        hash ^= hash >> 29;
    }
    return hash * 0x94d049bb133111ebull;
}

static bool same_place(drape_vec3 a, drape_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The vertex already in the table at this place, or `vertex` itself, which is then put there.
static int32_t find_or_insert(int32_t* table, int bits, const drape_vec3* positions, int32_t vertex)
{
    size_t mask = ((size_t)1 << bits) - 1;
    size_t place = (size_t)(hash_of(positions[vertex]) >> (64 - bits));
    while (table[place] >= 0) {
        if (same_place(positions[table[place]], positions[vertex])) {
            return table[place];
        }
        place = (place + 1) & mask;
    }
    table[place] = vertex;
    return vertex;
}

int dr_weld_find(int32_t* first, dr_memory* memory, const drape_vec3* positions, int count)
{
    // At most half full, so that probes stay short.
    int bits = 4;
    while (((size_t)1 << bits) < 2 * (size_t)count) {
        ++bits;
    }
    size_t table_size = (size_t)1 << bits;
    int32_t* table = dr_new(memory, int32_t, table_size);
    if (!table) {
        return -1;
    }
    memset(table, 0xff, table_size * sizeof *table);

    // Ascending, so that the least index at a place is the one that stays.
    int joined = 0;
    for (int32_t i = 0; i < count; ++i) {
        first[i] = find_or_insert(table, bits, positions, i);
        joined += first[i] != i;
    }
    dr_delete(memory, table, table_size);
    return joined;
}
