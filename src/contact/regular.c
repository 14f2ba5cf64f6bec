#include "contact/regular.h"

#include <string.h>

#include "core/isa.h"

const dr_regular_kernels* dr_regular_kernels_for(drape_isa isa);
DR_KERNEL_TABLE(dr_regular_kernels)

static bool has_windows(const dr_sheets_part* part)
{
    return part->columns > DR_WINDOW && part->rows > DR_WINDOW;
}

// Kernels read eight windows at a time, and these reach DR_WINDOW further.
static int row_floats_of(int columns)
{
    return columns + 8 + DR_WINDOW;
}

static void number_windows(dr_regular* regular, const dr_sheets* sheets)
{
    regular->has_all = true;
    for (int p = 0; p < sheets->part_count; ++p) {
        const dr_sheets_part* part = &sheets->parts[p];
        dr_regular_part* to = &regular->parts[p];
        *to = (dr_regular_part){.first_vertex = part->first_vertex,
                                .first_triangle = part->first_triangle,
                                .first_window = regular->window_count,
                                .first_cell = regular->cell_count,
                                .first_float = regular->place_count};
        if (!has_windows(part)) {
            regular->has_all = false;
            continue;
        }
        to->columns = part->columns;
        to->rows = part->rows;
        to->window_columns = part->columns - DR_WINDOW;
        to->window_rows = part->rows - DR_WINDOW;
        to->row_floats = row_floats_of(part->columns);
        regular->window_count += to->window_columns * to->window_rows;
        regular->cell_count += (part->columns - 1) * (part->rows - 1);
        regular->place_count += (size_t)to->row_floats * (size_t)part->rows;
    }
}

bool dr_regular_create(dr_regular* regular, dr_memory* memory, const dr_sheets* sheets,
                       drape_isa isa)
{
    *regular = (dr_regular){.part_count = sheets->part_count, .isa = dr_isa_resolve(isa)};
    regular->parts = dr_new(memory, dr_regular_part, (size_t)sheets->part_count + 1);
    if (!regular->parts) {
        return false;
    }
    number_windows(regular, sheets);
    bool is_done = true;
    for (int c = 0; c < 3; ++c) {
        regular->places[c] = dr_new_zeroed(memory, float, regular->place_count + 1);
        is_done = is_done && regular->places[c];
    }
    regular->is_regular = dr_new_zeroed(memory, uint8_t, (size_t)regular->window_count + 1);
    regular->is_safe = dr_new_zeroed(memory, uint8_t, (size_t)regular->cell_count + 1);
    return is_done && regular->is_regular && regular->is_safe;
}

void dr_regular_free(dr_regular* regular, dr_memory* memory)
{
    dr_delete(memory, regular->parts, (size_t)regular->part_count + 1);
    for (int c = 0; c < 3; ++c) {
        dr_delete(memory, regular->places[c], regular->place_count + 1);
    }
    dr_delete(memory, regular->is_regular, (size_t)regular->window_count + 1);
    dr_delete(memory, regular->is_safe, (size_t)regular->cell_count + 1);
    *regular = (dr_regular){0};
}

bool dr_regular_is_all(const dr_regular* regular)
{
    return regular->has_all && !memchr(regular->is_regular, 0, (size_t)regular->window_count);
}

// --- Update ---

typedef struct work {
    const dr_regular* regular;
    const dr_regular_part* part;
    const float* places;
    const dr_regular_kernels* kernels;
} work;

// Rows to a chunk.
enum { row_grain = 16 };

static void copy_rows(void* context, int begin, int end, int worker)
{
    const work* w = context;
    const dr_regular_part* part = w->part;
    (void)worker;
    for (int r = begin; r < end; ++r) {
        const float* from = w->places + 4 * (ptrdiff_t)(part->first_vertex + r * part->columns);
        size_t to = part->first_float + (size_t)r * (size_t)part->row_floats;
        for (int c = 0; c < part->columns; ++c) {
            for (int k = 0; k < 3; ++k) {
                w->regular->places[k][to + (size_t)c] = from[4 * c + k];
            }
        }
    }
}

static void judge_rows(void* context, int begin, int end, int worker)
{
    const work* w = context;
    (void)worker;
    w->kernels->judge(w->regular, w->part, begin, end);
}

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

static int most_of(int a, int b)
{
    return a > b ? a : b;
}

// Whether all windows that hold a cell are regular.
static bool is_cell_safe(const dr_regular* regular, const dr_regular_part* part, int column,
                         int row)
{
    int last_column = least_of(column, part->window_columns - 1);
    int last_row = least_of(row, part->window_rows - 1);
    for (int r = most_of(row - DR_WINDOW + 1, 0); r <= last_row; ++r) {
        const uint8_t* windows = regular->is_regular + part->first_window + r * part->window_columns;
        for (int c = most_of(column - DR_WINDOW + 1, 0); c <= last_column; ++c) {
            if (!windows[c]) {
                return false;
            }
        }
    }
    return true;
}

static void join_rows(void* context, int begin, int end, int worker)
{
    const work* w = context;
    int columns = w->part->columns - 1;
    (void)worker;
    for (int r = begin; r < end; ++r) {
        uint8_t* is_safe = w->regular->is_safe + w->part->first_cell + (ptrdiff_t)r * columns;
        for (int c = 0; c < columns; ++c) {
            is_safe[c] = is_cell_safe(w->regular, w->part, c, r);
        }
    }
}

void dr_regular_update(dr_regular* regular, dr_pool* pool, const float* places)
{
    for (int p = 0; p < regular->part_count; ++p) {
        work w = {regular, &regular->parts[p], places, dr_regular_kernels_for(regular->isa)};
        if (w.part->window_columns > 0) {
            dr_parallel_for(pool, w.part->rows, row_grain, copy_rows, &w);
            dr_parallel_for(pool, w.part->window_rows, row_grain, judge_rows, &w);
            dr_parallel_for(pool, w.part->rows - 1, row_grain, join_rows, &w);
        }
    }
}

bool dr_regular_has(const dr_regular* regular, int part, int a, int b)
{
    const dr_regular_part* p = &regular->parts[part];
    if (p->window_columns == 0) {
        return false;
    }
    int columns = p->columns - 1;
    int cell_a = (a - p->first_triangle) / 2, cell_b = (b - p->first_triangle) / 2;
    int row_a = cell_a / columns, row_b = cell_b / columns;
    int column_a = cell_a - row_a * columns, column_b = cell_b - row_b * columns;
    int last_row = least_of(least_of(row_a, row_b), p->window_rows - 1);
    int last_column = least_of(least_of(column_a, column_b), p->window_columns - 1);
    for (int r = most_of(most_of(row_a, row_b) - DR_WINDOW + 1, 0); r <= last_row; ++r) {
        const uint8_t* windows = regular->is_regular + p->first_window + r * p->window_columns;
        for (int c = most_of(most_of(column_a, column_b) - DR_WINDOW + 1, 0); c <= last_column;
             ++c) {
            if (windows[c]) {
                return true;
            }
        }
    }
    return false;
}
