// mesh/blocks.c: blocks of whole levels, and the constraints that start in them.
#include "core/base.h"
#include "mesh/order.h"

// Writes where blocks begin, and returns their number. With a null `slot_start` it only counts.
static int cut_levels(const dr_order* order, int least_levels, int target, int32_t* slot_start)
{
    int block_count = 0;
    int first = 0;
    for (int level = 1; level <= order->level_count; ++level) {
        int vertices = order->level_start[level] - order->level_start[first];
        int levels = level - first, levels_left = order->level_count - level;
        bool is_full = levels >= least_levels && vertices >= target;
        // A rest too low for a block of its own stays with this one.
        if (level == order->level_count || (is_full && levels_left >= least_levels)) {
            if (slot_start) {
                slot_start[block_count] = order->level_start[first];
                slot_start[block_count + 1] = order->level_start[level];
            }
            ++block_count;
            first = level;
        }
    }
    return block_count;
}

bool dr_blocks_cut(dr_blocks* blocks, dr_memory* memory, const dr_order* order, int least_levels,
                   int target)
{
    DR_ASSERT(least_levels >= 1);
    *blocks = (dr_blocks){.block_count = cut_levels(order, least_levels, target, NULL)};
    blocks->slot_start = dr_new(memory, int32_t, (size_t)blocks->block_count + 1);
    if (!blocks->slot_start) {
        *blocks = (dr_blocks){0};
        return false;
    }
    cut_levels(order, least_levels, target, blocks->slot_start);
    return true;
}

void dr_blocks_free(dr_blocks* blocks, dr_memory* memory)
{
    dr_delete(memory, blocks->slot_start, (size_t)blocks->block_count + 1);
    *blocks = (dr_blocks){0};
}

static int32_t lowest_slot(const int32_t* slots, int arity)
{
    int32_t lowest = slots[0];
    for (int k = 1; k < arity; ++k) {
        lowest = slots[k] < lowest ? slots[k] : lowest;
    }
    return lowest;
}

bool dr_blocks_sort(const dr_blocks* blocks, dr_memory* memory, const int32_t* slots, int arity,
                    int count, int32_t* sorted, int32_t* block_start)
{
    // start[s + 1] counts, then sums, then walks over the constraints of slot s.
    size_t slot_count = (size_t)blocks->slot_start[blocks->block_count];
    int32_t* start = dr_new_zeroed(memory, int32_t, slot_count + 1);
    if (!start) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        ++start[lowest_slot(slots + (size_t)i * (size_t)arity, arity) + 1];
    }
    for (size_t s = 0; s < slot_count; ++s) {
        start[s + 1] += start[s];
    }
    for (int b = 0; b <= blocks->block_count; ++b) {
        block_start[b] = start[blocks->slot_start[b]];
    }
    for (int i = 0; i < count; ++i) {
        sorted[start[lowest_slot(slots + (size_t)i * (size_t)arity, arity)]++] = i;
    }
    dr_delete(memory, start, slot_count + 1);
    return true;
}
