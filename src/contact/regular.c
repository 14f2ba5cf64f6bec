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

// Cells around a grid that windows are looked up for.
enum { BORDER = DR_WINDOW - 1 };

static void number_windows(dr_regular* regular, const dr_sheets* sheets)
{
    regular->has_all = true;
    for (int p = 0; p < sheets->part_count; ++p) {
        const dr_sheets_part* part = &sheets->parts[p];
        dr_regular_part* to = &regular->parts[p];
        *to = (dr_regular_part){.first_vertex = part->first_vertex,
                                .first_triangle = part->first_triangle,
                                .first_cell = regular->cell_count,
                                .first_float = regular->place_count};
        if (!has_windows(part)) {
            regular->has_all = false;
            continue;
        }
        to->columns = part->columns;
        to->rows = part->rows;
        to->row_floats = row_floats_of(part->columns);
        to->row_windows = part->columns - 1 + BORDER;
        to->first_window = regular->window_count + (size_t)(BORDER * to->row_windows + BORDER);
        regular->window_count += (size_t)to->row_windows * (size_t)(part->rows - 1 + BORDER);
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
    regular->is_regular = dr_new_zeroed(memory, uint8_t, regular->window_count + 1);
    regular->open = dr_new_zeroed(memory, uint16_t, (size_t)regular->cell_count + 1);
    return is_done && regular->is_regular && regular->open;
}

void dr_regular_free(dr_regular* regular, dr_memory* memory)
{
    dr_delete(memory, regular->parts, (size_t)regular->part_count + 1);
    for (int c = 0; c < 3; ++c) {
        dr_delete(memory, regular->places[c], regular->place_count + 1);
    }
    dr_delete(memory, regular->is_regular, regular->window_count + 1);
    dr_delete(memory, regular->open, (size_t)regular->cell_count + 1);
    *regular = (dr_regular){0};
}

bool dr_regular_is_all(const dr_regular* regular)
{
    int open = !regular->has_all;
    for (int c = 0; c < regular->cell_count; ++c) {
        open |= regular->open[c];
    }
    return open == 0;
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

// By three windows in a row, the last one beginning at the cell itself (bits 0 to 2: whether they
// are regular): columns to which the cell is open.
static const uint8_t open_by_windows[8] = {31, 24, 17, 16, 3, 0, 1, 0};

// Columns -2 to 2 that there are from this one.
static int columns_from(int column, int columns)
{
    int left = column < BORDER ? BORDER - column : 0;
    int right = columns - 1 - column < BORDER ? BORDER - (columns - 1 - column) : 0;
    return (DR_OPEN_MASK << left & DR_OPEN_MASK) & DR_OPEN_MASK >> right;
}

// Windows beginning up to two rows before this one hold cells of the same row; fewer of them hold
// cells of the next rows as well.
static void open_row(const dr_regular* regular, const dr_regular_part* part, int row)
{
    int columns = part->columns - 1, rows = part->rows - 1;
    const uint8_t* own =
        regular->is_regular + part->first_window + (ptrdiff_t)row * part->row_windows;
    const uint8_t *above = own - part->row_windows, *top = above - part->row_windows;
    uint16_t* open = regular->open + part->first_cell + (ptrdiff_t)row * columns;
    // The same-row mask leaves columns before the cell to their own bits.
    const int later = DR_OPEN_MASK << BORDER & DR_OPEN_MASK;
    int in_rows[3] = {0, 0, 0};
    for (int c = -BORDER; c < columns; ++c) {
        int seen[3] = {own[c] | above[c] | top[c], own[c] | above[c], own[c]};
        for (int d = 0; d < 3; ++d) {
            in_rows[d] = in_rows[d] >> 1 | seen[d] << 2;
        }
        if (c >= 0) {
            int there = columns_from(c, columns);
            int bits = open_by_windows[in_rows[0]] & there & later;
            bits |= row + 1 < rows ? (open_by_windows[in_rows[1]] & there) << DR_OPEN_ROW : 0;
            bits |= row + 2 < rows ? (open_by_windows[in_rows[2]] & there) << 2 * DR_OPEN_ROW : 0;
            open[c] = (uint16_t)bits;
        }
    }
}

static void open_rows(void* context, int begin, int end, int worker)
{
    const work* w = context;
    (void)worker;
    for (int r = begin; r < end; ++r) {
        open_row(w->regular, w->part, r);
    }
}

void dr_regular_update(dr_regular* regular, dr_pool* pool, const float* places,
                       const uint8_t* changed)
{
    regular->changed = changed;
    for (int p = 0; p < regular->part_count; ++p) {
        work w = {regular, &regular->parts[p], places, dr_regular_kernels_for(regular->isa)};
        if (w.part->columns > 0) {
            dr_parallel_for(pool, w.part->rows, row_grain, copy_rows, &w);
            dr_parallel_for(pool, w.part->rows - DR_WINDOW, row_grain, judge_rows, &w);
            dr_parallel_for(pool, w.part->rows - 1, row_grain, open_rows, &w);
        }
    }
}

// --- Questions ---

bool dr_regular_has(const dr_regular* regular, int part, int a, int b)
{
    const dr_regular_part* p = &regular->parts[part];
    if (p->columns == 0) {
        return false;
    }
    int one = (a - p->first_triangle) / 2, other = (b - p->first_triangle) / 2;
    int low = one < other ? one : other, high = one < other ? other : one;
    int columns = p->columns - 1, low_row = low / columns, rows = high / columns - low_row;
    int shift = high - low - rows * columns + BORDER;
    return rows <= BORDER && shift >= 0 && shift <= 2 * BORDER &&
           !(regular->open[p->first_cell + low] >> (rows * DR_OPEN_ROW + shift) & 1);
}

// Bits of five cells, each twice, for its two triangles.
static int twice(int bits)
{
    int spread = (bits | bits << 4) & 0x10f;
    spread = (spread | spread << 2) & 0x133;
    spread = (spread | spread << 1) & 0x155;
    return spread | spread << 1;
}

int dr_regular_open_lanes(const dr_regular_part* part, int triangle, int open, int first)
{
    int cells = part->columns - 1, cell = (triangle - part->first_triangle) / 2, lanes = 0;
    if (part->columns == 0) {
        return 0xff;
    }
    // Triangles of the five cells of each row are side by side.
    for (int row = 0; row <= BORDER; ++row) {
        int bits = twice(open >> row * DR_OPEN_ROW & DR_OPEN_MASK);
        int begin = part->first_triangle + 2 * (cell + row * cells - BORDER), shift = first - begin;
        if (shift > -8 && shift < 2 * DR_OPEN_ROW) {
            lanes |= shift >= 0 ? bits >> shift : bits << -shift;
        }
    }
    return lanes & 0xff;
}
