#include "contact/leash.h"

#include <math.h>

#include "core/isa.h"

bool dr_leash_create(dr_leash* leash, dr_memory* memory, const dr_sheet* sheet)
{
    size_t floats = (size_t)sheet->vector_count * 32;
    *leash = (dr_leash){.vector_count = sheet->vector_count, .share = 1.0f};
    leash->from = dr_new_zeroed(memory, float, floats);
    leash->to = dr_new_zeroed(memory, float, floats);
    leash->normal_from = dr_new_zeroed(memory, float, floats);
    leash->normal_to = dr_new_zeroed(memory, float, floats);
    if (!leash->from || !leash->to || !leash->normal_from || !leash->normal_to) {
        return false;
    }
    for (int slot = 0; slot < sheet->vector_count * 8; ++slot) {
        leash->from[dr_sheet_offset(sheet->layout, slot) +
                    3 * (size_t)dr_sheet_step(sheet->layout)] = INFINITY;
    }
    return true;
}

void dr_leash_free(dr_leash* leash, dr_memory* memory)
{
    size_t floats = (size_t)leash->vector_count * 32;
    dr_delete(memory, leash->from, floats);
    dr_delete(memory, leash->to, floats);
    dr_delete(memory, leash->normal_from, floats);
    dr_delete(memory, leash->normal_to, floats);
    *leash = (dr_leash){0};
}

void dr_leash_settle(dr_leash* leash, dr_layout layout)
{
    for (int slot = 0; slot < leash->vector_count * 8; ++slot) {
        dr_sheet_set(layout, leash->from, slot, dr_sheet_get(layout, leash->to, slot));
        dr_sheet_set(layout, leash->normal_from, slot,
                     dr_sheet_get(layout, leash->normal_to, slot));
    }
}

DR_KERNEL_TABLE(dr_leash_kernels)
