// solver/xpbd_grid_bend.h: bending of a striped grid, a part of the kernels of xpbd_grid_kernels.c.
//
// Lines are bent one by one, eight at a time: rows turned into lanes, or eight columns as they lie.
// The twist of the cells is a load of the lines across; xpbd_grid.h says why that holds.
#ifndef DR_XPBD_GRID_BEND_H
#define DR_XPBD_GRID_BEND_H

#include "core/simd.h"
#include "solver/xpbd_grid.h"

// --- Bending of one line, lanes independent ---

// The place that bending acts on: where the vertex is, and further on by what damping looks ahead.
static inline dr_v8 bend_place(const float* x, const float* start, dr_f8 lag)
{
    dr_v8 p = dr_v8_load(x);
    return dr_v8_add(p, dr_v8_scale(dr_v8_sub(p, dr_v8_load(start)), lag));
}

// Solves (M + h (h + tau) K) d = f - h^2 K (x + lag (x - start)), lag = tau / h, by the factors in
// `line` and adds d to x. Places are `stride` floats apart, factors DR_GRID_LINE. The loads f, if
// any, are in scratch.
static inline void bend_line(float* x, const float* start, size_t stride, int count, dr_f8 lag,
                             const float* line, float* scratch, bool has_loads)
{
    dr_v8 zero = dr_v8_set(0.0f, 0.0f, 0.0f);
    if (count < (has_loads ? 2 : 3)) {
        return;
    }
    // Moments t = k h^2 (x[i-1] - 2 x[i] + x[i+1]) of three neighbours roll along with i.
    dr_v8 here = bend_place(x, start, lag), next = bend_place(x + stride, start + stride, lag);
    dr_v8 step = dr_v8_sub(next, here), t_before = zero, t_here = zero;
    dr_v8 y1 = zero, y2 = zero;
    for (int i = 0; i < count; ++i) {
        const float* factor = line + (size_t)i * DR_GRID_LINE;
        dr_v8 t_next = zero;
        if (i + 2 < count) {
            size_t two = (size_t)(i + 2) * stride;
            dr_v8 after = bend_place(x + two, start + two, lag);
            dr_v8 step_next = dr_v8_sub(after, next);
            dr_f8 k = dr_f8_load(factor + DR_GRID_LINE + 24);
            t_next = dr_v8_scale(dr_v8_sub(step_next, step), k);
            next = after;
            step = step_next;
        }
        dr_v8 bow = dr_v8_sub(dr_v8_sub(t_here, t_before), dr_v8_sub(t_next, t_here));
        if (has_loads) {
            bow = dr_v8_add(bow, dr_v8_load(scratch + (size_t)i * 24));
        }
        dr_v8 y = dr_v8_sub(dr_v8_sub(bow, dr_v8_scale(y1, dr_f8_load(factor + 8))),
                            dr_v8_scale(y2, dr_f8_load(factor + 16)));
        dr_v8_store(scratch + (size_t)i * 24, y);
        y2 = y1;
        y1 = y;
        t_before = t_here;
        t_here = t_next;
    }
    // Substitution from the far end.
    dr_v8 d1 = zero, d2 = zero;
    dr_f8 l1 = dr_f8_zero(), l2_next = dr_f8_zero(), l2 = dr_f8_zero();
    for (int i = count - 1; i >= 0; --i) {
        const float* factor = line + (size_t)i * DR_GRID_LINE;
        dr_v8 d = dr_v8_scale(dr_v8_load(scratch + (size_t)i * 24), dr_f8_load(factor));
        d = dr_v8_sub(dr_v8_sub(d, dr_v8_scale(d1, l1)), dr_v8_scale(d2, l2));
        float* at = x + (size_t)i * stride;
        dr_v8_store(at, dr_v8_add(dr_v8_load(at), d));
        d2 = d1;
        d1 = d;
        l1 = dr_f8_load(factor + 8);
        l2 = l2_next;
        l2_next = dr_f8_load(factor + 16);
    }
}

// --- Twist ---

// Offset of vector j of a row in an array with so many floats a vector.
static inline size_t vector_at(const struct dr_xpbd_grid* grid, int row, int j, size_t floats)
{
    return ((size_t)row * (size_t)grid->row_vectors + (size_t)j) * floats;
}

// Lanes of vector j whose cell exists: left column below columns - 1.
static inline dr_f8 cell_mask(const struct dr_xpbd_grid* grid, int j)
{
    float column[8];
    for (int lane = 0; lane < 8; ++lane) {
        column[lane] = (float)(lane * grid->row_vectors + j);
    }
    return dr_f8_less(dr_f8_load(column), dr_f8_set((float)(grid->columns - 1)));
}

static inline dr_v8 bend_vector(const struct dr_xpbd_grid* grid, int row, int j)
{
    return bend_place(grid->pos + vector_at(grid, row, j, 32),
                      grid->start + vector_at(grid, row, j, 32), dr_f8_set(grid->lag));
}

// Difference to the next column, of vector j of a row.
static inline dr_v8 step_along(const struct dr_xpbd_grid* grid, int row, int j)
{
    dr_v8 right = j + 1 < grid->row_vectors ? bend_vector(grid, row, j + 1)
                                            : dr_v8_rotate_down(bend_vector(grid, row, 0));
    return dr_v8_sub(bend_vector(grid, row, j), right);
}

static inline void twist_cells(const struct dr_xpbd_grid* grid, int group)
{
    int s = grid->row_vectors, end = group * 8 + 8;
    end = end < grid->rows - 1 ? end : grid->rows - 1;
    for (int j = 0; j < s; ++j) {
        dr_f8 mask = cell_mask(grid, j);
        dr_v8 below = step_along(grid, group * 8, j);
        for (int row = group * 8; row < end; ++row) {
            dr_v8 above = step_along(grid, row + 1, j);
            dr_v8 t = dr_v8_sub(below, above);
            t = dr_v8_select(mask, t, dr_v8_set(0.0f, 0.0f, 0.0f));
            dr_v8_store(grid->cells + vector_at(grid, row, j, 24), t);
            below = above;
        }
    }
}

// Cell left of each vertex of vector j, in the row of cells `row`; none below the first row.
static inline dr_v8 cells_around(const struct dr_xpbd_grid* grid, int row, int j)
{
    if (row < 0 || row >= grid->rows - 1) {
        return dr_v8_set(0.0f, 0.0f, 0.0f);
    }
    dr_v8 right = dr_v8_load(grid->cells + vector_at(grid, row, j, 24));
    dr_v8 left;
    if (j > 0) {
        left = dr_v8_load(grid->cells + vector_at(grid, row, j - 1, 24));
    } else {
        // Left of lane 0 is nothing; the last lane of the last vector has no cell either.
        left = dr_v8_rotate_up(
            dr_v8_load(grid->cells + vector_at(grid, row, grid->row_vectors - 1, 24)));
    }
    return dr_v8_sub(right, left);
}

// Loads of the twist on the line of vector j, row by row, for bend_line.
static inline void twist_loads(const struct dr_xpbd_grid* grid, int j, float* loads)
{
    dr_f8 k = dr_f8_set(-grid->twist_h2);
    dr_v8 below = dr_v8_set(0.0f, 0.0f, 0.0f);
    for (int row = 0; row < grid->rows; ++row) {
        dr_v8 above = cells_around(grid, row, j);
        dr_v8_store(loads + (size_t)row * 24, dr_v8_scale(dr_v8_sub(above, below), k));
        below = above;
    }
}

static inline void bend_across(const struct dr_xpbd_grid* grid, int group, float* scratch)
{
    size_t stride = (size_t)grid->row_vectors * 32;
    int begin = dr_grid_group_begin(grid, group), end = dr_grid_group_begin(grid, group + 1);
    for (int j = begin; j < end; ++j) {
        twist_loads(grid, j, scratch);
        bend_line(grid->pos + (size_t)j * 32, grid->start + (size_t)j * 32, stride, grid->rows,
                  dr_f8_set(grid->lag),
                  grid->line_across + (size_t)j * (size_t)grid->rows * DR_GRID_LINE, scratch, true);
    }
}

#endif
