// Projection of the constraints of a striped grid, compiled once per instruction set.
//
// Within a row neighbours in the sheet are neighbours in the vector list, lane by lane, except at the
// wrap: right of the last vector comes the first one with its lanes moved down by one. Vectors that
// share no vertex are visited one after another (even, odd; every third), so that the processor can
// overlap them.
#include "core/simd.h"
#include "solver/xpbd_grid.h"

// Multipliers fade slightly, so that a load that is gone is forgotten.
#define KEEP 0.99f

typedef struct point {
    dr_v8 p;
    dr_f8 w;
} point;

static inline point point_load(const float* at)
{
    return (point){dr_v8_load(at), dr_f8_load(at + 24)};
}

static inline point point_rotate_down(point a)
{
    return (point){dr_v8_rotate_down(a.p), dr_f8_rotate_down(a.w)};
}

static inline point point_rotate_up(point a)
{
    return (point){dr_v8_rotate_up(a.p), dr_f8_rotate_up(a.w)};
}

// One spring per lane between a and b. `warm` applies the carried multiplier, else one projection.
static inline void project_spring(bool warm, point* a, point* b, dr_f8 rest, dr_f8 compliance,
                                  float* lambda)
{
    dr_v8 d = dr_v8_sub(b->p, a->p);
    dr_f8 length = dr_f8_sqrt(dr_f8_max(dr_v8_dot(d, d), dr_f8_set(1e-24f)));
    dr_f8 l = dr_f8_load(lambda), scale;
    if (warm) {
        l = dr_f8_mul(l, dr_f8_set(KEEP));
        scale = dr_f8_div(l, length);
        dr_f8_store(lambda, l);
    } else {
        dr_f8 rhs = dr_f8_sub(dr_f8_sub(rest, length), dr_f8_mul(compliance, l));
        dr_f8 weight = dr_f8_add(dr_f8_add(a->w, b->w), compliance);
        scale = dr_f8_div(rhs, dr_f8_mul(weight, length));
        dr_f8_store(lambda, dr_f8_add(l, dr_f8_mul(scale, length)));
    }
    a->p = dr_v8_sub(a->p, dr_v8_scale(d, dr_f8_mul(a->w, scale)));
    b->p = dr_v8_add(b->p, dr_v8_scale(d, dr_f8_mul(b->w, scale)));
}

// Multiplier change of the vector constraint c with weight sum ws.
static inline dr_v8 stencil_change(bool warm, dr_v8 c, dr_f8 ws, dr_f8 compliance, float* lambda)
{
    dr_v8 l = dr_v8_load(lambda);
    if (warm) {
        l = dr_v8_scale(l, dr_f8_set(KEEP));
        dr_v8_store(lambda, l);
        return l;
    }
    dr_f8 inverse = dr_f8_div(dr_f8_set(-1.0f), dr_f8_add(ws, compliance));
    dr_v8 change = dr_v8_scale(dr_v8_add(c, dr_v8_scale(l, compliance)), inverse);
    dr_v8_store(lambda, dr_v8_add(l, change));
    return change;
}

// a - 2 b + c = 0
static inline void project_triple(bool warm, point* a, point* b, point* c, dr_f8 compliance,
                                  float* lambda)
{
    dr_v8 value = dr_v8_add(dr_v8_sub(a->p, b->p), dr_v8_sub(c->p, b->p));
    dr_f8 four = dr_f8_set(4.0f);
    dr_f8 ws = dr_f8_add(dr_f8_add(a->w, c->w), dr_f8_mul(four, b->w));
    dr_v8 change = stencil_change(warm, value, ws, compliance, lambda);
    a->p = dr_v8_add(a->p, dr_v8_scale(change, a->w));
    c->p = dr_v8_add(c->p, dr_v8_scale(change, c->w));
    b->p = dr_v8_sub(b->p, dr_v8_scale(change, dr_f8_add(b->w, b->w)));
}

// a - b - c + d = 0, a and d opposite corners of a cell
static inline void project_twist(bool warm, point* a, point* b, point* c, point* d,
                                 dr_f8 compliance, float* lambda)
{
    dr_v8 value = dr_v8_add(dr_v8_sub(a->p, b->p), dr_v8_sub(d->p, c->p));
    dr_f8 ws = dr_f8_add(dr_f8_add(a->w, b->w), dr_f8_add(c->w, d->w));
    dr_v8 change = stencil_change(warm, value, ws, compliance, lambda);
    a->p = dr_v8_add(a->p, dr_v8_scale(change, a->w));
    d->p = dr_v8_add(d->p, dr_v8_scale(change, d->w));
    b->p = dr_v8_sub(b->p, dr_v8_scale(change, b->w));
    c->p = dr_v8_sub(c->p, dr_v8_scale(change, c->w));
}

// Where vector j of a row lies, its multipliers and compliances.
typedef struct row {
    float* pos;
    float* lambda;
    const float* table;
    int count; // vectors
} row;

static inline float* row_pos(const row* r, int j) { return r->pos + (size_t)j * 32; }
static inline float* row_lambda(const row* r, int j, int offset)
{
    return r->lambda + (size_t)j * DR_GRID_LAMBDA + offset;
}
static inline dr_f8 row_compliance(const row* r, int j, int family)
{
    return dr_f8_load(r->table + ((size_t)j * DR_GRID_FAMILIES + (size_t)family) * 8);
}

static inline row row_at(const struct dr_xpbd_grid* grid, int index)
{
    int s = grid->row_vectors;
    bool border = index == 0 || index == grid->rows - 1;
    return (row){grid->pos + (size_t)index * (size_t)s * 32,
                 grid->lambda + (size_t)index * (size_t)s * DR_GRID_LAMBDA,
                 grid->table + (border ? (size_t)s * DR_GRID_FAMILIES * 8 : 0), s};
}

static inline void springs_along(bool warm, const row* r, dr_f8 rest)
{
    for (int first = 0; first < 2; ++first) {
        for (int j = first; j + 1 < r->count; j += 2) {
            point a = point_load(row_pos(r, j)), b = point_load(row_pos(r, j + 1));
            project_spring(warm, &a, &b, rest, row_compliance(r, j, DR_GRID_ALONG),
                           row_lambda(r, j, 0));
            dr_v8_store(row_pos(r, j), a.p);
            dr_v8_store(row_pos(r, j + 1), b.p);
        }
    }
    int last = r->count - 1;
    point a = point_load(row_pos(r, last));
    point b = point_rotate_down(point_load(row_pos(r, 0)));
    project_spring(warm, &a, &b, rest, row_compliance(r, last, DR_GRID_ALONG),
                   row_lambda(r, last, 0));
    dr_v8_store(row_pos(r, last), a.p);
    dr_v8_store(row_pos(r, 0), dr_v8_rotate_up(b.p));
}

static inline void springs_across(bool warm, const row* r, const row* above, dr_f8 rest)
{
    for (int j = 0; j < r->count; ++j) {
        point a = point_load(row_pos(r, j)), b = point_load(row_pos(above, j));
        project_spring(warm, &a, &b, rest, row_compliance(r, j, DR_GRID_ACROSS),
                       row_lambda(r, j, 8));
        dr_v8_store(row_pos(r, j), a.p);
        dr_v8_store(row_pos(above, j), b.p);
    }
}

// Left vertex in `left`, right vertex in `right`: rising or falling diagonals of a row of cells.
static inline void springs_diagonal(bool warm, const row* left, const row* right, const row* owner,
                                    int offset, dr_f8 rest)
{
    int last = left->count - 1;
    for (int j = 0; j < last; ++j) {
        point a = point_load(row_pos(left, j)), b = point_load(row_pos(right, j + 1));
        project_spring(warm, &a, &b, rest, row_compliance(owner, j, DR_GRID_DIAGONAL),
                       row_lambda(owner, j, offset));
        dr_v8_store(row_pos(left, j), a.p);
        dr_v8_store(row_pos(right, j + 1), b.p);
    }
    point a = point_load(row_pos(left, last));
    point b = point_rotate_down(point_load(row_pos(right, 0)));
    project_spring(warm, &a, &b, rest, row_compliance(owner, last, DR_GRID_DIAGONAL),
                   row_lambda(owner, last, offset));
    dr_v8_store(row_pos(left, last), a.p);
    dr_v8_store(row_pos(right, 0), dr_v8_rotate_up(b.p));
}

static inline void bend_along(bool warm, const row* r)
{
    int last = r->count - 1;
    for (int first = 1; first <= 3; ++first) {
        for (int j = first; j < last; j += 3) {
            point a = point_load(row_pos(r, j - 1)), b = point_load(row_pos(r, j));
            point c = point_load(row_pos(r, j + 1));
            project_triple(warm, &a, &b, &c, row_compliance(r, j, DR_GRID_BEND_ALONG),
                           row_lambda(r, j, 32));
            dr_v8_store(row_pos(r, j - 1), a.p);
            dr_v8_store(row_pos(r, j), b.p);
            dr_v8_store(row_pos(r, j + 1), c.p);
        }
    }
    // The two triples over the wrap: centred on the first vector, then on the last.
    point a = point_rotate_up(point_load(row_pos(r, last)));
    point b = point_load(row_pos(r, 0)), c = point_load(row_pos(r, 1));
    project_triple(warm, &a, &b, &c, row_compliance(r, 0, DR_GRID_BEND_ALONG), row_lambda(r, 0, 32));
    dr_v8_store(row_pos(r, last), dr_v8_rotate_down(a.p));
    dr_v8_store(row_pos(r, 0), b.p);
    dr_v8_store(row_pos(r, 1), c.p);
    a = point_load(row_pos(r, last - 1));
    b = point_load(row_pos(r, last));
    c = point_rotate_down(point_load(row_pos(r, 0)));
    project_triple(warm, &a, &b, &c, row_compliance(r, last, DR_GRID_BEND_ALONG),
                   row_lambda(r, last, 32));
    dr_v8_store(row_pos(r, last - 1), a.p);
    dr_v8_store(row_pos(r, last), b.p);
    dr_v8_store(row_pos(r, 0), dr_v8_rotate_up(c.p));
}

static inline void bend_across(bool warm, const row* r, const row* above, const row* top)
{
    for (int j = 0; j < r->count; ++j) {
        point a = point_load(row_pos(r, j)), b = point_load(row_pos(above, j));
        point c = point_load(row_pos(top, j));
        project_triple(warm, &a, &b, &c, row_compliance(r, j, DR_GRID_BEND_ACROSS),
                       row_lambda(r, j, 56));
        dr_v8_store(row_pos(r, j), a.p);
        dr_v8_store(row_pos(above, j), b.p);
        dr_v8_store(row_pos(top, j), c.p);
    }
}

static inline void twist(bool warm, const row* r, const row* above)
{
    for (int first = 0; first < 2; ++first) {
        for (int j = first; j + 1 < r->count; j += 2) {
            point a = point_load(row_pos(r, j)), b = point_load(row_pos(r, j + 1));
            point c = point_load(row_pos(above, j)), d = point_load(row_pos(above, j + 1));
            project_twist(warm, &a, &b, &c, &d, row_compliance(r, j, DR_GRID_TWIST),
                          row_lambda(r, j, 80));
            dr_v8_store(row_pos(r, j), a.p);
            dr_v8_store(row_pos(r, j + 1), b.p);
            dr_v8_store(row_pos(above, j), c.p);
            dr_v8_store(row_pos(above, j + 1), d.p);
        }
    }
    int last = r->count - 1;
    point a = point_load(row_pos(r, last)), b = point_rotate_down(point_load(row_pos(r, 0)));
    point c = point_load(row_pos(above, last));
    point d = point_rotate_down(point_load(row_pos(above, 0)));
    project_twist(warm, &a, &b, &c, &d, row_compliance(r, last, DR_GRID_TWIST),
                  row_lambda(r, last, 80));
    dr_v8_store(row_pos(r, last), a.p);
    dr_v8_store(row_pos(r, 0), dr_v8_rotate_up(b.p));
    dr_v8_store(row_pos(above, last), c.p);
    dr_v8_store(row_pos(above, 0), dr_v8_rotate_up(d.p));
}

static inline void sweep(bool warm, const struct dr_xpbd_grid* grid, int row_begin, int row_end)
{
    dr_f8 rest_along = dr_f8_set(grid->rest_along), rest_across = dr_f8_set(grid->rest_across);
    dr_f8 rest_diagonal = dr_f8_set(grid->rest_diagonal);
    for (int index = row_begin; index < row_end; ++index) {
        row r = row_at(grid, index);
        bend_along(warm, &r);
        if (index + 1 < grid->rows) {
            row above = row_at(grid, index + 1);
            twist(warm, &r, &above);
            if (index + 2 < grid->rows) {
                row top = row_at(grid, index + 2);
                bend_across(warm, &r, &above, &top);
            }
            springs_diagonal(warm, &r, &above, &r, 16, rest_diagonal);
            springs_diagonal(warm, &above, &r, &r, 24, rest_diagonal);
            springs_across(warm, &r, &above, rest_across);
        }
        springs_along(warm, &r, rest_along);
    }
}

static void warm_rows(const struct dr_xpbd_grid* grid, int row_begin, int row_end)
{
    sweep(true, grid, row_begin, row_end);
}

static void solve_rows(const struct dr_xpbd_grid* grid, int row_begin, int row_end)
{
    sweep(false, grid, row_begin, row_end);
}

const dr_grid_kernels DR_KERNEL(dr_grid_kernels);
const dr_grid_kernels DR_KERNEL(dr_grid_kernels) = {warm_rows, solve_rows};
