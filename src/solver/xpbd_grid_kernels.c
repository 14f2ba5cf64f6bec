// Chains and bending lines of a striped grid, compiled once per instruction set.
#include "core/simd.h"
#include "solver/xpbd_grid.h"

typedef struct point {
    dr_v8 p;
    dr_f8 w;
} point;

static inline point point_load(const float* at)
{
    return (point){dr_v8_load(at), dr_f8_load(at + 24)};
}

// --- Bending of one line, lanes independent ---

// The place that bending acts on: where the vertex is, and further on by what damping looks ahead.
static inline dr_v8 bend_place(const float* x, const float* start, dr_f8 lag)
{
    dr_v8 p = dr_v8_load(x);
    return dr_v8_add(p, dr_v8_scale(dr_v8_sub(p, dr_v8_load(start)), lag));
}

// Solves (M + h (h + tau) K) d = f - h^2 K (x + lag (x - start)), lag = tau / h, by the factors in
// `line` and adds d to x. Places are `stride` floats apart, factors DR_GRID_LINE. The loads f, if any,
// are in scratch.
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

static void twist_cells(const struct dr_xpbd_grid* grid, int group)
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

static void bend_across(const struct dr_xpbd_grid* grid, int group, float* scratch)
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

// --- Chains ---

// One spring of each lane during elimination.
typedef struct spring {
    dr_v8 direction;
    dr_f8 coupling; // with the spring before it
    dr_f8 inverse;  // 1 / pivot
    dr_f8 rhs;
} spring;

static inline void spring_store(float* at, const spring* s)
{
    dr_v8_store(at, s->direction);
    dr_f8_store(at + 24, s->coupling);
    dr_f8_store(at + 32, s->inverse);
    dr_f8_store(at + 40, s->rhs);
}

static inline spring spring_load(const float* at)
{
    return (spring){dr_v8_load(at), dr_f8_load(at + 24), dr_f8_load(at + 32), dr_f8_load(at + 40)};
}

static inline spring spring_none(void)
{
    dr_f8 zero = dr_f8_zero();
    return (spring){{zero, zero, zero}, zero, zero, zero};
}

// Eliminates the spring from a to b, given the one before it, which ends at a.
static inline spring eliminate(point a, point b, const spring* before, dr_f8 rest, dr_f8 compliance,
                               dr_f8 lambda)
{
    spring s;
    dr_v8 d = dr_v8_sub(b.p, a.p);
    dr_f8 length = dr_f8_sqrt(dr_f8_max(dr_v8_dot(d, d), dr_f8_set(1e-24f)));
    dr_f8 one = dr_f8_set(1.0f);
    s.direction = dr_v8_scale(d, dr_f8_div(one, length));
    s.coupling = dr_f8_neg(dr_f8_mul(a.w, dr_v8_dot(before->direction, s.direction)));
    dr_f8 factor = dr_f8_mul(s.coupling, before->inverse);
    dr_f8 weight = dr_f8_add(dr_f8_add(a.w, b.w), compliance);
    s.inverse = dr_f8_div(one, dr_f8_sub(weight, dr_f8_mul(factor, s.coupling)));
    dr_f8 rhs = dr_f8_sub(dr_f8_sub(rest, length), dr_f8_mul(compliance, lambda));
    s.rhs = dr_f8_sub(rhs, dr_f8_mul(factor, before->rhs));
    return s;
}

// What the spring after it leaves to its lower vertex and to the spring before.
typedef struct carry {
    dr_v8 push;  // direction times multiplier
    dr_f8 share; // coupling times multiplier
} carry;

// Multiplier of a spring; moves its upper vertex.
static inline dr_f8 substitute(const spring* s, carry* above, float* upper)
{
    dr_f8 lambda = dr_f8_mul(dr_f8_sub(s->rhs, above->share), s->inverse);
    point b = point_load(upper);
    dr_v8 push = dr_v8_scale(s->direction, lambda);
    dr_v8_store(upper, dr_v8_add(b.p, dr_v8_scale(dr_v8_sub(push, above->push), b.w)));
    above->push = push;
    above->share = dr_f8_mul(s->coupling, lambda);
    return lambda;
}

static inline void finish_chain(const carry* above, float* lowest)
{
    point a = point_load(lowest);
    dr_v8_store(lowest, dr_v8_sub(a.p, dr_v8_scale(above->push, a.w)));
}

// --- Along: eight rows turned into lanes ---

// Rows [first, first + 8) as columns of lanes, place c at buffer + 32 c. Missing rows repeat the last
// one and are held.
static void turn_rows(const struct dr_xpbd_grid* grid, int first, float* buffer)
{
    int s = grid->row_vectors;
    dr_f8 block[4][8];
    for (int j = 0; j < s; ++j) {
        for (int i = 0; i < 8; ++i) {
            bool exists = first + i < grid->rows;
            int row = exists ? first + i : grid->rows - 1;
            point at = point_load(grid->pos + vector_at(grid, row, j, 32));
            block[0][i] = at.p.x;
            block[1][i] = at.p.y;
            block[2][i] = at.p.z;
            block[3][i] = exists ? at.w : dr_f8_zero();
        }
        for (int c = 0; c < 4; ++c) {
            dr_f8_transpose(block[c]);
            for (int lane = 0; lane < 8; ++lane) {
                dr_f8_store(buffer + (size_t)(lane * s + j) * 32 + (size_t)c * 8, block[c][lane]);
            }
        }
    }
}

// The committed places of the same rows, three components at buffer + 32 c.
static void turn_start(const struct dr_xpbd_grid* grid, int first, float* buffer)
{
    int s = grid->row_vectors;
    dr_f8 block[3][8];
    for (int j = 0; j < s; ++j) {
        for (int i = 0; i < 8; ++i) {
            int row = first + i < grid->rows ? first + i : grid->rows - 1;
            dr_v8 p = dr_v8_load(grid->start + vector_at(grid, row, j, 32));
            block[0][i] = p.x;
            block[1][i] = p.y;
            block[2][i] = p.z;
        }
        for (int c = 0; c < 3; ++c) {
            dr_f8_transpose(block[c]);
            for (int lane = 0; lane < 8; ++lane) {
                dr_f8_store(buffer + (size_t)(lane * s + j) * 32 + (size_t)c * 8, block[c][lane]);
            }
        }
    }
}

static void turn_back(const struct dr_xpbd_grid* grid, int first, const float* buffer)
{
    int s = grid->row_vectors;
    dr_f8 block[3][8];
    for (int j = 0; j < s; ++j) {
        for (int c = 0; c < 3; ++c) {
            for (int lane = 0; lane < 8; ++lane) {
                block[c][lane] =
                    dr_f8_load(buffer + (size_t)(lane * s + j) * 32 + (size_t)c * 8);
            }
            dr_f8_transpose(block[c]);
        }
        for (int i = 0; i < 8 && first + i < grid->rows; ++i) {
            dr_v8 p = {block[0][i], block[1][i], block[2][i]};
            dr_v8_store(grid->pos + vector_at(grid, first + i, j, 32), p);
        }
    }
}

// Compliance of springs along: border rows have half the width.
static dr_f8 row_compliance(const struct dr_xpbd_grid* grid, int first)
{
    float lanes[8];
    for (int i = 0; i < 8; ++i) {
        bool border = first + i == 0 || first + i >= grid->rows - 1;
        // Vector 0, lane 0 of the table: column 0 always has a spring.
        lanes[i] = grid->table[border ? grid->row_vectors * DR_GRID_SPRINGS * 8 : 0];
    }
    return dr_f8_load(lanes);
}

static void along(const struct dr_xpbd_grid* grid, int group, dr_grid_sweep sweep, float* scratch)
{
    int n = grid->columns, s = grid->row_vectors;
    float* buffer = scratch;
    float* edges = scratch + (size_t)s * 8 * 32;
    turn_rows(grid, group * 8, buffer);
    if (sweep.is_first) {
        float* start = edges + (size_t)s * 8 * 24;
        turn_start(grid, group * 8, start);
        bend_line(buffer, start, 32, n, dr_f8_set(grid->lag),
                  grid->line_along + (size_t)group * (size_t)n * DR_GRID_LINE, edges, false);
    }
    // Multipliers of this direction are kept turned: eight rows by n columns in order.
    float* lambda = grid->lambda + (size_t)group * (size_t)s * 64;
    dr_f8 compliance = row_compliance(grid, group * 8), rest = dr_f8_set(grid->rest_along);
    dr_f8 zero = dr_f8_zero();
    spring before = spring_none();
    point a = point_load(buffer);
    for (int c = 0; c + 1 < n; ++c) {
        point b = point_load(buffer + (size_t)(c + 1) * 32);
        dr_f8 l = sweep.is_first ? zero : dr_f8_load(lambda + (size_t)c * 8);
        before = eliminate(a, b, &before, rest, compliance, l);
        spring_store(edges + (size_t)c * DR_GRID_EDGE, &before);
        a = b;
    }
    carry above = {{zero, zero, zero}, zero};
    for (int c = n - 2; c >= 0; --c) {
        spring e = spring_load(edges + (size_t)c * DR_GRID_EDGE);
        dr_f8 l = substitute(&e, &above, buffer + (size_t)(c + 1) * 32);
        if (!sweep.is_last) {
            dr_f8 sum = sweep.is_first ? l : dr_f8_add(l, dr_f8_load(lambda + (size_t)c * 8));
            dr_f8_store(lambda + (size_t)c * 8, sum);
        }
    }
    finish_chain(&above, buffer);
    turn_back(grid, group * 8, buffer);
}

// --- Across, rising, falling ---

static inline dr_f8 rotate(dr_f8 a, int shift)
{
    return shift > 0 ? dr_f8_rotate_up(a) : dr_f8_rotate_down(a);
}

static inline dr_v8 rotate_v(dr_v8 a, int shift)
{
    return (dr_v8){rotate(a.x, shift), rotate(a.y, shift), rotate(a.z, shift)};
}

static inline bool chain_wraps(const struct dr_xpbd_grid* grid, int shift, int j)
{
    return (shift > 0 && j == grid->row_vectors - 1) || (shift < 0 && j == 0);
}

// Vector of a chain in the next row, when it moves by `shift` each row.
static inline int chain_next(const struct dr_xpbd_grid* grid, int shift, int j)
{
    if (chain_wraps(grid, shift, j)) {
        return shift > 0 ? 0 : grid->row_vectors - 1;
    }
    return j + shift;
}

static inline int chain_previous(const struct dr_xpbd_grid* grid, int shift, int j)
{
    return chain_next(grid, -shift, j);
}

// Compliance of the spring from vector j in `row` to vector `next` above it, in the lanes of the upper
// one. The table is by the left vertex.
static inline dr_f8 across_compliance(const struct dr_xpbd_grid* grid, int shift, int j, int next)
{
    int family = shift == 0 ? DR_GRID_ACROSS : DR_GRID_DIAGONAL;
    int left = shift < 0 ? next : j;
    dr_f8 value = dr_f8_load(grid->table + ((size_t)left * DR_GRID_SPRINGS + (size_t)family) * 8);
    return shift > 0 && chain_wraps(grid, shift, j) ? dr_f8_rotate_up(value) : value;
}

static inline void across_chains(const struct dr_xpbd_grid* grid, int shift, int group,
                                 dr_grid_sweep sweep, float* scratch)
{
    int begin = dr_grid_group_begin(grid, group);
    int width = dr_grid_group_begin(grid, group + 1) - begin;
    int last = grid->rows - 1;
    dr_f8 zero = dr_f8_zero();
    dr_f8 rest = dr_f8_set(shift == 0 ? grid->rest_across : grid->rest_diagonal);
    size_t slot = (size_t)dr_grid_row_groups(grid) * (size_t)grid->row_vectors * 64 +
                  (size_t)(shift == 0 ? 0 : shift > 0 ? 1 : 2) * 8;
    spring before[DR_GRID_GROUP];
    int at[DR_GRID_GROUP]; // vector of each chain in this row
    for (int k = 0; k < width; ++k) {
        before[k] = spring_none();
        at[k] = begin + k;
    }
    for (int row = 0; row < last; ++row) {
        for (int k = 0; k < width; ++k) {
            int j = at[k], next = chain_next(grid, shift, j);
            at[k] = next;
            point a = point_load(grid->pos + vector_at(grid, row, j, 32));
            point b = point_load(grid->pos + vector_at(grid, row + 1, next, 32));
            if (chain_wraps(grid, shift, j)) {
                // From here on the chain lives one lane further.
                a = (point){rotate_v(a.p, shift), rotate(a.w, shift)};
                before[k].direction = rotate_v(before[k].direction, shift);
                before[k].inverse = rotate(before[k].inverse, shift);
                before[k].rhs = rotate(before[k].rhs, shift);
            }
            float* lambda = grid->lambda + slot + vector_at(grid, row, next, 24);
            dr_f8 l = sweep.is_first ? zero : dr_f8_load(lambda);
            dr_f8 compliance = across_compliance(grid, shift, j, next);
            before[k] = eliminate(a, b, &before[k], rest, compliance, l);
            spring_store(scratch + ((size_t)row * DR_GRID_GROUP + (size_t)k) * DR_GRID_EDGE,
                         &before[k]);
        }
    }
    carry above[DR_GRID_GROUP];
    for (int k = 0; k < width; ++k) {
        above[k] = (carry){{zero, zero, zero}, zero};
    }
    for (int row = last - 1; row >= 0; --row) {
        for (int k = 0; k < width; ++k) {
            int next = at[k], j = chain_previous(grid, shift, next);
            at[k] = j;
            spring e = spring_load(scratch +
                                   ((size_t)row * DR_GRID_GROUP + (size_t)k) * DR_GRID_EDGE);
            dr_f8 l = substitute(&e, &above[k], grid->pos + vector_at(grid, row + 1, next, 32));
            if (!sweep.is_last) {
                float* lambda = grid->lambda + slot + vector_at(grid, row, next, 24);
                dr_f8_store(lambda, sweep.is_first ? l : dr_f8_add(l, dr_f8_load(lambda)));
            }
            if (chain_wraps(grid, shift, j)) {
                above[k].push = rotate_v(above[k].push, -shift);
                above[k].share = rotate(above[k].share, -shift);
            }
        }
    }
    for (int k = 0; k < width; ++k) {
        finish_chain(&above[k], grid->pos + vector_at(grid, 0, begin + k, 32));
    }
}

static void across(const struct dr_xpbd_grid* grid, int shift, int group, dr_grid_sweep sweep,
                   float* scratch)
{
    // Apart, so that the compiler sees each shift as a constant.
    if (shift == 0) {
        across_chains(grid, 0, group, sweep, scratch);
    } else if (shift > 0) {
        across_chains(grid, 1, group, sweep, scratch);
    } else {
        across_chains(grid, -1, group, sweep, scratch);
    }
}

const dr_grid_kernels DR_KERNEL(dr_grid_kernels);
const dr_grid_kernels DR_KERNEL(dr_grid_kernels) = {twist_cells, bend_across, along, across};
