#include "contact/regular.h"

#include <string.h>

#include "core/isa.h"

const dr_regular_kernels* dr_regular_kernels_for(drape_isa isa);
DR_KERNEL_TABLE(dr_regular_kernels)

static bool has_blocks(const dr_sheets_part* part)
{
    return part->columns > 2 && part->rows > 2;
}

static void number_blocks(dr_regular* regular, const dr_sheets* sheets)
{
    for (int p = 0; p < sheets->part_count; ++p) {
        const dr_sheets_part* part = &sheets->parts[p];
        dr_regular_part* to = &regular->parts[p];
        *to = (dr_regular_part){part->first_vertex,  part->columns, part->rows, 0, 0,
                                regular->block_count};
        if (has_blocks(part)) {
            to->block_columns = part->columns / 2;
            to->block_rows = part->rows / 2;
            regular->block_count += to->block_columns * to->block_rows;
        }
    }
}

static void number_triangles(dr_regular* regular, const dr_sheets* sheets)
{
    regular->has_all = true;
    for (int p = 0; p < sheets->part_count; ++p) {
        const dr_sheets_part* part = &sheets->parts[p];
        const dr_regular_part* to = &regular->parts[p];
        for (int t = 0; t < part->mesh->triangle_count; ++t) {
            int cells = part->columns - 1, cell = t / 2, block = -1;
            if (has_blocks(part)) {
                block = to->first_block + cell / cells / 2 * to->block_columns + cell % cells / 2;
            }
            regular->block[part->first_triangle + t] = block;
            regular->has_all = regular->has_all && block >= 0;
        }
    }
}

bool dr_regular_create(dr_regular* regular, dr_memory* memory, const dr_sheets* sheets,
                       drape_isa isa)
{
    *regular = (dr_regular){.part_count = sheets->part_count,
                            .triangle_count = sheets->triangle_count,
                            .isa = dr_isa_resolve(isa)};
    regular->parts = dr_new(memory, dr_regular_part, (size_t)sheets->part_count + 1);
    if (!regular->parts) {
        return false;
    }
    number_blocks(regular, sheets);
    size_t blocks = (size_t)regular->block_count + 1;
    regular->block = dr_new(memory, int32_t, (size_t)sheets->triangle_count + 1);
    regular->bounds = dr_new_zeroed(memory, float, DR_REGULAR_FLOATS* blocks);
    regular->is_regular = dr_new_zeroed(memory, uint8_t, blocks);
    if (!regular->block || !regular->bounds || !regular->is_regular) {
        return false;
    }
    number_triangles(regular, sheets);
    return true;
}

void dr_regular_free(dr_regular* regular, dr_memory* memory)
{
    size_t blocks = (size_t)regular->block_count + 1;
    dr_delete(memory, regular->parts, (size_t)regular->part_count + 1);
    dr_delete(memory, regular->block, (size_t)regular->triangle_count + 1);
    dr_delete(memory, regular->bounds, DR_REGULAR_FLOATS * blocks);
    dr_delete(memory, regular->is_regular, blocks);
    *regular = (dr_regular){0};
}

bool dr_regular_is_all(const dr_regular* regular)
{
    return regular->has_all && !memchr(regular->is_regular, 0, (size_t)regular->block_count);
}

// --- Update ---

typedef struct work {
    const dr_regular* regular;
    const dr_regular_part* part;
    const float* places;
    const dr_regular_kernels* kernels;
} work;

// Rows of blocks to a chunk.
enum { row_grain = 16 };

static void bound_rows(void* context, int begin, int end, int worker)
{
    const work* w = context;
    (void)worker;
    w->kernels->bound(w->regular, w->part, w->places, begin, end);
}

static void judge_rows(void* context, int begin, int end, int worker)
{
    const work* w = context;
    (void)worker;
    w->kernels->judge(w->regular, w->part, begin, end);
}

void dr_regular_update(dr_regular* regular, dr_pool* pool, const float* places)
{
    for (int p = 0; p < regular->part_count; ++p) {
        work w = {regular, &regular->parts[p], places, dr_regular_kernels_for(regular->isa)};
        dr_parallel_for(pool, w.part->block_rows, row_grain, bound_rows, &w);
        dr_parallel_for(pool, w.part->block_rows, row_grain, judge_rows, &w);
    }
}
