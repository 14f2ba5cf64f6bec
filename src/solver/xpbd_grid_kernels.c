// Chains of a striped grid, compiled once per instruction set with the bending of
// xpbd_grid_bend.h: the first sweep along bends and stretches its rows while they are turned.
#include <stddef.h>

#include "solver/xpbd_grid_bend.h"

typedef struct point {
    dr_v8 p;
    dr_f8 w;
} point;

static inline point point_load(const float* at)
{
    return (point){dr_v8_load(at), dr_f8_load(at + 24)};
}

// --- Chains ---

// One spring of each lane during elimination.
typedef struct spring {
    dr_v8 direction;
    dr_f8 inverse; // 1 / pivot
    dr_f8 rhs;
    dr_f8 factor; // coupling with the spring before, over the pivot of that
} spring;

static inline spring spring_none(void)
{
    dr_f8 zero = dr_f8_zero();
    return (spring){{zero, zero, zero}, zero, zero, zero};
}

// What substitution needs of it.
typedef struct record {
    dr_v8 direction;
    dr_f8 alone; // its multiplier if the next one's is zero
    dr_f8 factor;
} record;

static inline void record_store(float* at, const spring* s)
{
    dr_v8_store(at, s->direction);
    dr_f8_store(at + 24, dr_f8_mul(s->rhs, s->inverse));
    dr_f8_store(at + 32, s->factor);
}

static inline record record_load(const float* at)
{
    return (record){dr_v8_load(at), dr_f8_load(at + 24), dr_f8_load(at + 32)};
}

// What a spring asks for by itself.
typedef struct demand {
    dr_v8 direction; // from a to b
    dr_f8 weight;
    dr_f8 rhs;
} demand;

static inline demand demand_of(point a, point b, dr_f8 rest, dr_f8 compliance, dr_f8 lambda)
{
    dr_v8 d = dr_v8_sub(b.p, a.p);
    dr_f8 length = dr_f8_sqrt(dr_f8_max(dr_v8_dot(d, d), dr_f8_set(1e-24f)));
    return (demand){dr_v8_scale(d, dr_f8_div(dr_f8_set(1.0f), length)),
                    dr_f8_add(dr_f8_add(a.w, b.w), compliance),
                    dr_f8_sub(dr_f8_sub(rest, length), dr_f8_mul(compliance, lambda))};
}

// Coupling with the spring before, which ends at the vertex of weight w where this one begins.
static inline dr_f8 coupling_of(const spring* before, dr_v8 direction, dr_f8 w)
{
    return dr_f8_neg(dr_f8_mul(w, dr_v8_dot(before->direction, direction)));
}

// Eliminates the spring from a to b, given the one before it, which ends at a.
static inline spring eliminate(point a, point b, const spring* before, dr_f8 rest, dr_f8 compliance,
                               dr_f8 lambda)
{
    demand own = demand_of(a, b, rest, compliance, lambda);
    spring s;
    s.direction = own.direction;
    dr_f8 coupling = coupling_of(before, own.direction, a.w);
    s.factor = dr_f8_mul(coupling, before->inverse);
    dr_f8 pivot = dr_f8_sub(own.weight, dr_f8_mul(s.factor, coupling));
    s.inverse = dr_f8_div(dr_f8_set(1.0f), pivot);
    s.rhs = dr_f8_sub(own.rhs, dr_f8_mul(s.factor, before->rhs));
    return s;
}

// What the spring after it leaves to its lower vertex and to the spring before.
typedef struct carry {
    dr_v8 push;  // direction times multiplier
    dr_f8 share; // factor times multiplier
} carry;

// Multiplier of a spring; moves its upper vertex.
static inline dr_f8 substitute(const record* s, carry* above, float* upper)
{
    dr_f8 lambda = dr_f8_sub(s->alone, above->share);
    point b = point_load(upper);
    dr_v8 push = dr_v8_scale(s->direction, lambda);
    dr_v8_store(upper, dr_v8_add(b.p, dr_v8_scale(dr_v8_sub(push, above->push), b.w)));
    above->push = push;
    above->share = dr_f8_mul(s->factor, lambda);
    return lambda;
}

static inline void finish_chain(const carry* above, float* lowest)
{
    point a = point_load(lowest);
    dr_v8_store(lowest, dr_v8_sub(a.p, dr_v8_scale(above->push, a.w)));
}

// Adds a multiplier to the sum of its sweeps.
static inline void lambda_keep(float* sum, dr_f8 lambda, dr_grid_sweep sweep)
{
    if (!sweep.is_last) {
        dr_f8_store(sum, sweep.is_first ? lambda : dr_f8_add(lambda, dr_f8_load(sum)));
    }
}

static inline dr_f8 lambda_so_far(const float* sum, dr_grid_sweep sweep)
{
    return sweep.is_first ? dr_f8_zero() : dr_f8_load(sum);
}

// --- Along: eight rows turned into lanes ---

// Rows [first, first + 8) as columns of lanes, place c at buffer + 32 c. Missing rows repeat the
// last one and are held.
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
        dr_f8 so_far = lambda_so_far(lambda + (size_t)c * 8, sweep);
        before = eliminate(a, b, &before, rest, compliance, so_far);
        record_store(edges + (size_t)c * DR_GRID_EDGE, &before);
        a = b;
    }
    carry above = {{zero, zero, zero}, zero};
    for (int c = n - 2; c >= 0; --c) {
        record e = record_load(edges + (size_t)c * DR_GRID_EDGE);
        dr_f8 l = substitute(&e, &above, buffer + (size_t)(c + 1) * 32);
        lambda_keep(lambda + (size_t)c * 8, l, sweep);
    }
    finish_chain(&above, buffer);
    turn_back(grid, group * 8, buffer);
}

// --- Across, rising, falling ---
//
// A chain is known by its vector in the last row of the lower half. Both halves are eliminated from
// the border of the cloth inwards; the spring between them joins them.

// One half of the chains of a family, seen from its outer row.
typedef struct chain_half {
    int outer; // row
    int step;  // to the next row inwards: 1 or -1
    int count; // springs
    int shift; // vectors that a chain moves on by with each step
} chain_half;

static inline chain_half half_of(const struct dr_xpbd_grid* grid, int shift, int half)
{
    int middle = dr_grid_middle(grid), last = grid->rows - 1;
    return half == 0 ? (chain_half){0, 1, middle - 1, shift}
                     : (chain_half){last, -1, last - middle, -shift};
}

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

// Vector in the innermost row of a half of the chain with this name.
static inline int chain_inner(const struct dr_xpbd_grid* grid, int shift, int half, int name)
{
    return half == 0 ? name : chain_next(grid, shift, name);
}

static inline int chain_outer(const struct dr_xpbd_grid* grid, const chain_half* h, int inner)
{
    int s = grid->row_vectors, j = (inner - h->shift * h->count) % s;
    return j < 0 ? j + s : j;
}

// Compliance of the spring from vector j to vector `next`, a step inwards, in the lanes of `next`.
// The table is by the left vertex.
static inline dr_f8 across_compliance(const struct dr_xpbd_grid* grid, int shift, int j, int next)
{
    int family = shift == 0 ? DR_GRID_ACROSS : DR_GRID_DIAGONAL;
    int left = shift < 0 ? next : j;
    dr_f8 value = dr_f8_load(grid->table + ((size_t)left * DR_GRID_SPRINGS + (size_t)family) * 8);
    return shift > 0 && chain_wraps(grid, shift, j) ? dr_f8_rotate_up(value) : value;
}

// Springs of chain `name` by the row of their lower vertex; the upper half keeps the multiplier of
// the spring between the halves in the last row.
static inline float* chain_lambda(const struct dr_xpbd_grid* grid, int shift, int row, int name)
{
    int family = shift == 0 ? 0 : shift > 0 ? 1 : 2;
    return grid->lambda + (size_t)dr_grid_row_groups(grid) * (size_t)grid->row_vectors * 64 +
           vector_at(grid, row, name, 24) + (size_t)family * 8;
}

static inline float* chain_record(const struct dr_xpbd_grid* grid, int row, int name)
{
    return grid->springs + vector_at(grid, row, name, DR_GRID_EDGE);
}

static inline float* chain_end(const struct dr_xpbd_grid* grid, int shift, int half, int name)
{
    return grid->ends + vector_at(grid, 2 * (shift + 1) + half, name, DR_GRID_END);
}

static inline int lower_row(const chain_half* h, int i)
{
    return h->step > 0 ? i : h->outer - i - 1;
}

// The last spring of a half and the vertex it ends at, in the lanes of that vertex.
typedef struct half_end {
    spring last;
    point at;
} half_end;

static inline void end_store(float* to, const half_end* end)
{
    dr_v8_store(to, end->last.direction);
    dr_f8_store(to + 24, end->last.inverse);
    dr_f8_store(to + 32, end->last.rhs);
    dr_v8_store(to + 40, end->at.p);
    dr_f8_store(to + 64, end->at.w);
}

static inline half_end end_load(const float* from)
{
    spring last = {dr_v8_load(from), dr_f8_load(from + 24), dr_f8_load(from + 32), dr_f8_zero()};
    return (half_end){last, {dr_v8_load(from + 40), dr_f8_load(from + 64)}};
}

// What the next spring needs of it, one lane further.
static inline spring spring_rotate(spring s, int shift)
{
    return (spring){rotate_v(s.direction, shift), rotate(s.inverse, shift), rotate(s.rhs, shift),
                    s.factor};
}

static inline half_end end_rotate(half_end e, int shift)
{
    point at = {rotate_v(e.at.p, shift), rotate(e.at.w, shift)};
    return (half_end){spring_rotate(e.last, shift), at};
}

static DR_ALWAYS_INLINE void eliminate_half(const struct dr_xpbd_grid* grid, int shift, int half,
                                            int group, dr_grid_sweep sweep)
{
    chain_half h = half_of(grid, shift, half);
    h.shift = half == 0 ? shift : -shift; // a constant for the compiler
    int begin = dr_grid_group_begin(grid, group);
    int width = dr_grid_group_begin(grid, group + 1) - begin;
    dr_f8 rest = dr_f8_set(shift == 0 ? grid->rest_across : grid->rest_diagonal);
    spring before[DR_GRID_GROUP];
    int at[DR_GRID_GROUP]; // vector of each chain in this row
    for (int k = 0; k < width; ++k) {
        at[k] = chain_outer(grid, &h, chain_inner(grid, shift, half, begin + k));
        before[k] = spring_none();
    }
    const float* from = grid->pos + vector_at(grid, h.outer, 0, 32);
    ptrdiff_t stride = (ptrdiff_t)h.step * grid->row_vectors * 32;
    for (int i = 0; i < h.count; ++i, from += stride) {
        float* records = chain_record(grid, lower_row(&h, i), begin);
        const float* sums = chain_lambda(grid, shift, lower_row(&h, i), begin);
        for (int k = 0; k < width; ++k) {
            int j = at[k], next = chain_next(grid, h.shift, j);
            at[k] = next;
            point a = point_load(from + (size_t)j * 32);
            point b = point_load(from + stride + (size_t)next * 32);
            if (chain_wraps(grid, h.shift, j)) {
                a = (point){rotate_v(a.p, h.shift), rotate(a.w, h.shift)};
                before[k] = spring_rotate(before[k], h.shift); // it lives one lane further now
            }
            dr_f8 compliance = across_compliance(grid, h.shift, j, next);
            dr_f8 so_far = lambda_so_far(sums + (size_t)k * 24, sweep);
            before[k] = eliminate(a, b, &before[k], rest, compliance, so_far);
            record_store(records + (size_t)k * DR_GRID_EDGE, &before[k]);
        }
    }
    for (int k = 0; k < width; ++k) {
        point inner = point_load(from + (size_t)at[k] * 32);
        end_store(chain_end(grid, shift, half, begin + k), &(half_end){before[k], inner});
    }
}

// Solves the spring between the halves and leaves to this half what it gets of it, in the lanes of
// its own end. Both halves do the same sum.
static inline carry join_halves(const struct dr_xpbd_grid* grid, int shift, int half, int name,
                                dr_grid_sweep sweep)
{
    bool wraps = chain_wraps(grid, shift, name);
    half_end lower = end_load(chain_end(grid, shift, 0, name));
    half_end upper = end_load(chain_end(grid, shift, 1, name));
    lower = wraps ? end_rotate(lower, shift) : lower;
    int row = half == 0 ? dr_grid_middle(grid) - 1 : grid->rows - 1;
    float* sum = chain_lambda(grid, shift, row, name);
    dr_f8 compliance = across_compliance(grid, shift, name, chain_next(grid, shift, name));
    dr_f8 rest = dr_f8_set(shift == 0 ? grid->rest_across : grid->rest_diagonal);
    demand own = demand_of(lower.at, upper.at, rest, compliance, lambda_so_far(sum, sweep));
    dr_v8 down = dr_v8_scale(own.direction, dr_f8_set(-1.0f));
    dr_f8 c0 = coupling_of(&lower.last, own.direction, lower.at.w);
    dr_f8 c1 = coupling_of(&upper.last, down, upper.at.w);
    dr_f8 f0 = dr_f8_mul(c0, lower.last.inverse), f1 = dr_f8_mul(c1, upper.last.inverse);
    dr_f8 pivot = dr_f8_sub(dr_f8_sub(own.weight, dr_f8_mul(f0, c0)), dr_f8_mul(f1, c1));
    dr_f8 rhs = dr_f8_sub(dr_f8_sub(own.rhs, dr_f8_mul(f0, lower.last.rhs)),
                          dr_f8_mul(f1, upper.last.rhs));
    dr_f8 lambda = dr_f8_div(rhs, pivot);
    lambda_keep(sum, lambda, sweep);
    if (half == 1) {
        return (carry){dr_v8_scale(down, lambda), dr_f8_mul(f1, lambda)};
    }
    carry above = {dr_v8_scale(own.direction, lambda), dr_f8_mul(f0, lambda)};
    return wraps ? (carry){rotate_v(above.push, -shift), rotate(above.share, -shift)} : above;
}

static DR_ALWAYS_INLINE void substitute_half(const struct dr_xpbd_grid* grid, int shift, int half,
                                             int group, dr_grid_sweep sweep)
{
    chain_half h = half_of(grid, shift, half);
    h.shift = half == 0 ? shift : -shift;
    int begin = dr_grid_group_begin(grid, group);
    int width = dr_grid_group_begin(grid, group + 1) - begin;
    carry above[DR_GRID_GROUP];
    int at[DR_GRID_GROUP];
    for (int k = 0; k < width; ++k) {
        at[k] = chain_inner(grid, shift, half, begin + k);
        above[k] = join_halves(grid, shift, half, begin + k, sweep);
    }
    for (int i = h.count - 1; i >= 0; --i) {
        int row = h.outer + h.step * (i + 1), lower = lower_row(&h, i);
        for (int k = 0; k < width; ++k) {
            int next = at[k], j = chain_next(grid, -h.shift, next);
            at[k] = j;
            record e = record_load(chain_record(grid, lower, begin + k));
            dr_f8 l = substitute(&e, &above[k], grid->pos + vector_at(grid, row, next, 32));
            lambda_keep(chain_lambda(grid, shift, lower, begin + k), l, sweep);
            if (chain_wraps(grid, h.shift, j)) {
                above[k].push = rotate_v(above[k].push, -h.shift);
                above[k].share = rotate(above[k].share, -h.shift);
            }
        }
    }
    for (int k = 0; k < width; ++k) {
        finish_chain(&above[k], grid->pos + vector_at(grid, h.outer, at[k], 32));
    }
}

// Apart, so that the compiler sees each shift and half as a constant.
static void eliminate_chains(const struct dr_xpbd_grid* grid, int shift, int half, int group,
                             dr_grid_sweep sweep)
{
    switch (2 * shift + half) {
    case -2: eliminate_half(grid, -1, 0, group, sweep); break;
    case -1: eliminate_half(grid, -1, 1, group, sweep); break;
    case 0: eliminate_half(grid, 0, 0, group, sweep); break;
    case 1: eliminate_half(grid, 0, 1, group, sweep); break;
    case 2: eliminate_half(grid, 1, 0, group, sweep); break;
    default: eliminate_half(grid, 1, 1, group, sweep); break;
    }
}

static void substitute_chains(const struct dr_xpbd_grid* grid, int shift, int half, int group,
                              dr_grid_sweep sweep)
{
    switch (2 * shift + half) {
    case -2: substitute_half(grid, -1, 0, group, sweep); break;
    case -1: substitute_half(grid, -1, 1, group, sweep); break;
    case 0: substitute_half(grid, 0, 0, group, sweep); break;
    case 1: substitute_half(grid, 0, 1, group, sweep); break;
    case 2: substitute_half(grid, 1, 0, group, sweep); break;
    default: substitute_half(grid, 1, 1, group, sweep); break;
    }
}

const dr_grid_kernels DR_KERNEL(dr_grid_kernels);
const dr_grid_kernels DR_KERNEL(dr_grid_kernels) = {twist_cells, bend_across, along,
                                                    eliminate_chains, substitute_chains};
