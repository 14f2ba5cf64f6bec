// contact/sensor_sort.h: sorting in place. That of the C library takes memory of its own for long
// lists, and a settled step must not.
#ifndef DR_SENSOR_SORT_H
#define DR_SENSOR_SORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct dr_sort_item {
    uint64_t key;
    int32_t value;
} dr_sort_item;

static inline bool dr_sort_is_less(dr_sort_item a, dr_sort_item b)
{
    return a.key != b.key ? a.key < b.key : a.value < b.value;
}

// Sinks an item to where those below it are not greater.
static inline void dr_sort_sink(dr_sort_item* items, int i, int count)
{
    dr_sort_item moved = items[i];
    for (int below; (below = 2 * i + 1) < count; i = below) {
        below += below + 1 < count && dr_sort_is_less(items[below], items[below + 1]);
        if (!dr_sort_is_less(moved, items[below])) {
            break;
        }
        items[i] = items[below];
    }
    items[i] = moved;
}

// By key, then by value: a heap with the greatest on top, taken from it one by one.
static inline void dr_sort(dr_sort_item* items, int count)
{
    for (int i = count / 2 - 1; i >= 0; --i) {
        dr_sort_sink(items, i, count);
    }
    for (int last = count - 1; last > 0; --last) {
        dr_sort_item top = items[0];
        items[0] = items[last];
        items[last] = top;
        dr_sort_sink(items, 0, last);
    }
}

// Keys in the order of numbers, which are not NaN: the bits as they are for positive ones, turned
// round for negative ones.
static inline uint64_t dr_sort_key_of_number(double number)
{
    uint64_t bits;
    number += 0.0; // -0 becomes 0
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

#endif
