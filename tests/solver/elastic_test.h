// elastic_test.h: an elastic sheet without a world, and the slow way to its system.
#ifndef ELASTIC_TEST_H
#define ELASTIC_TEST_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "core/isa.h"
#include "core/random.h"
#include "solver/elastic.h"

typedef double point[3];

// A sheet with its state as plain arrays, vertex by vertex.
typedef struct swatch {
    dr_memory memory;
    dr_elastic sheet;
    drape_isa isa;
    int count;
    point *x, *v, *q;
} swatch;

// At rest in the plane y = 0, from the origin along x and z.
static inline void swatch_lay(swatch* s)
{
    for (int i = 0; i < s->count; ++i) {
        int column = i % s->sheet.def.columns, row = i / s->sheet.def.columns;
        memcpy(s->x[i], (point){column * s->sheet.h[0], 0.0, row * s->sheet.h[1]}, sizeof(point));
        memset(s->v[i], 0, sizeof(point));
    }
}

static inline void swatch_send(swatch* s)
{
    dr_elastic_set_state(&s->sheet, (const point*)s->x, (const point*)s->v);
}

static inline void swatch_fetch(swatch* s)
{
    dr_elastic_get_state(&s->sheet, s->x, s->v);
    dr_elastic_get_candidate(&s->sheet, s->q);
}

static inline void swatch_create(swatch* s, const dr_elastic_def* def)
{
    ck_assert_ptr_null(dr_elastic_check(def));
    *s = (swatch){.isa = dr_isa_resolve(DRAPE_ISA_AUTO), .count = def->columns * def->rows};
    dr_memory_init(&s->memory, NULL);
    ck_assert(dr_elastic_create(&s->sheet, &s->memory, def));
    s->x = calloc((size_t)s->count, sizeof(point));
    s->v = calloc((size_t)s->count, sizeof(point));
    s->q = calloc((size_t)s->count, sizeof(point));
    swatch_lay(s);
    swatch_send(s);
}

static inline void swatch_free(swatch* s)
{
    dr_elastic_free(&s->sheet, &s->memory);
    ck_assert_uint_eq(s->memory.live_bytes, 0);
    free(s->x);
    free(s->v);
    free(s->q);
}

// Moves every vertex by up to `size` in each direction.
static inline void swatch_shake(swatch* s, double size, uint32_t seed)
{
    for (int i = 0; i < s->count; ++i) {
        for (int c = 0; c < 3; ++c) {
            s->x[i][c] += size * (double)dr_random_signed(seed, (uint32_t)(3 * i + c));
        }
    }
    swatch_send(s);
}

// A step with no limits. Returns the sweeps.
static inline int swatch_step(swatch* s, double dt, double gravity)
{
    dr_elastic_forces forces = {{0.0, -gravity, 0.0}, NULL};
    dr_elastic_begin(&s->sheet, dt, &forces, NULL, s->isa);
    dr_elastic_result result = dr_elastic_solve(&s->sheet, NULL, 0, NULL, s->isa);
    ck_assert(dr_elastic_commit(&s->sheet, s->isa));
    return result.sweeps;
}

static inline double dot3(const point a, const point b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sub3(const point a, const point b, point out)
{
    for (int c = 0; c < 3; ++c) {
        out[c] = a[c] - b[c];
    }
}

static inline void cross3(const point a, const point b, point out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// --- The system, element by element into a dense matrix ---

typedef struct dense {
    const swatch* s;
    double* a; // count x count
    point* g;
} dense;

// A spring with weight `w` of which `implicit` is solved for, the rest on the right side.
static inline void dense_spring(dense* d, int p, int q, double w, double implicit)
{
    int n = d->s->count;
    d->a[p * n + p] += implicit;
    d->a[q * n + q] += implicit;
    d->a[p * n + q] -= implicit;
    d->a[q * n + p] -= implicit;
    for (int c = 0; c < 3; ++c) {
        double pull = (w - implicit) * (d->s->x[p][c] - d->s->x[q][c]);
        d->g[p][c] -= pull;
        d->g[q][c] += pull;
    }
}

static inline double dense_implicit(const dense* d, double w, double tangent)
{
    switch (d->s->sheet.def.form) {
    case DRAPE_FORM_PLAIN: return w;
    case DRAPE_FORM_SPLIT: return fmax(w, 0.0);
    default: return fmax(w, 0.0) + tangent;
    }
}

static inline void dense_edge(dense* d, int p, int q, double eta, double h)
{
    point way;
    sub3(d->s->x[q], d->s->x[p], way);
    double metric = dot3(way, way) / (h * h), w = eta * (metric - 1.0) / (h * h);
    dense_spring(d, p, q, w, dense_implicit(d, w, 2.0 * eta * metric / (h * h)));
}

static inline void dense_cell(dense* d, int a, int b, int c, int e, double eta, double h12)
{
    point plus, minus;
    sub3(d->s->x[e], d->s->x[a], plus);
    sub3(d->s->x[c], d->s->x[b], minus);
    double w = eta * (dot3(plus, plus) - dot3(minus, minus)) / (4.0 * h12) / (2.0 * h12);
    double bound = eta / (2.0 * h12 * h12);
    dense_spring(d, a, e, w, dense_implicit(d, w, bound * dot3(plus, plus)));
    dense_spring(d, b, c, -w, dense_implicit(d, -w, bound * dot3(minus, minus)));
}

// The combination c of `count` vertices; `normal` is the surface's there, perhaps none.
static inline void dense_bend(dense* d, const int* at, const double* c, int count, int i,
                              double per, const point normal)
{
    const dr_elastic_def* def = &d->s->sheet.def;
    double twice = i == DR_ELASTIC_12 ? 2.0 : 1.0, xi = def->xi[i];
    if (def->bend != DRAPE_BEND_PLATE) {
        double curvature = 0.0;
        for (int k = 0; k < count; ++k) {
            curvature += c[k] * per * dot3(normal, d->s->x[at[k]]);
        }
        double bent = curvature - def->curvature[i];
        xi *= def->bend == DRAPE_BEND_ABS ? fabs(bent) : bent;
    }
    for (int k = 0; k < count; ++k) {
        for (int l = 0; l < count; ++l) {
            d->a[at[k] * d->s->count + at[l]] += twice * xi * per * per * c[k] * c[l];
        }
        for (int j = 0; j < 3 && def->bend == DRAPE_BEND_PLATE; ++j) {
            d->g[at[k]][j] += twice * xi * def->curvature[i] * per * c[k] * normal[j];
        }
    }
}

static inline void unit3(point a)
{
    double length = sqrt(dot3(a, a));
    for (int c = 0; c < 3; ++c) {
        a[c] = length > 1e-30 ? a[c] / length : 0.0;
    }
}

static inline void dense_normal(const swatch* s, int column, int row, point out)
{
    int m = s->sheet.def.columns, n = s->sheet.def.rows;
    int left = column > 0 ? column - 1 : column, right = column + 1 < m ? column + 1 : column;
    int up = row > 0 ? row - 1 : row, down = row + 1 < n ? row + 1 : row;
    point along, across;
    sub3(s->x[row * m + right], s->x[row * m + left], along);
    sub3(s->x[down * m + column], s->x[up * m + column], across);
    cross3(along, across, out);
    unit3(out);
}

static inline void dense_bends_at(dense* d, int column, int row)
{
    int m = d->s->sheet.def.columns, n = d->s->sheet.def.rows, here = row * m + column;
    double h1 = d->s->sheet.h[0], h2 = d->s->sheet.h[1];
    const double line[3] = {1.0, -2.0, 1.0}, saddle[4] = {1.0, -1.0, -1.0, 1.0};
    point normal;
    dense_normal(d->s, column, row, normal);
    if (column > 0 && column + 1 < m) {
        dense_bend(d, (const int[3]){here - 1, here, here + 1}, line, 3, DR_ELASTIC_11,
                   1.0 / (h1 * h1), normal);
    }
    if (row > 0 && row + 1 < n) {
        dense_bend(d, (const int[3]){here - m, here, here + m}, line, 3, DR_ELASTIC_22,
                   1.0 / (h2 * h2), normal);
    }
    if (column + 1 < m && row + 1 < n) {
        point plus, minus;
        sub3(d->s->x[here + m + 1], d->s->x[here], plus);
        sub3(d->s->x[here + m], d->s->x[here + 1], minus);
        cross3(plus, minus, normal);
        unit3(normal);
        dense_bend(d, (const int[4]){here, here + 1, here + m, here + m + 1}, saddle, 4,
                   DR_ELASTIC_12, 1.0 / (h1 * h2), normal);
    }
}

static inline void dense_elements_at(dense* d, int column, int row)
{
    const dr_elastic_def* def = &d->s->sheet.def;
    int m = def->columns, n = def->rows, here = row * m + column;
    double h1 = d->s->sheet.h[0], h2 = d->s->sheet.h[1];
    if (column + 1 < m) {
        dense_edge(d, here, here + 1, def->eta[0], h1);
    }
    if (row + 1 < n) {
        dense_edge(d, here, here + m, def->eta[1], h2);
    }
    if (column + 1 < m && row + 1 < n) {
        dense_cell(d, here, here + 1, here + m, here + m + 1, def->eta[2], h1 * h2);
    }
    dense_bends_at(d, column, row);
}

// The system of a step with gravity downwards, from s->x and s->v.
static inline dense dense_build(const swatch* s, double dt, double gravity)
{
    dense d = {s, calloc((size_t)s->count * (size_t)s->count, sizeof(double)),
               calloc((size_t)s->count, sizeof(point))};
    const dr_elastic_def* def = &s->sheet.def;
    double rho = def->density, gamma = def->damping * rho;
    double inertia = rho / (dt * dt) + 0.5 * gamma / dt;
    for (int i = 0; i < s->count; ++i) {
        dense_elements_at(&d, i % def->columns, i / def->columns);
        d.a[i * s->count + i] += inertia;
        for (int c = 0; c < 3; ++c) {
            d.g[i][c] += inertia * s->x[i][c] + (rho / dt - 0.5 * gamma) * s->v[i][c] -
                         (c == 1 ? rho * gravity : 0.0);
        }
    }
    return d;
}

static inline void dense_free(dense* d)
{
    free(d->a);
    free(d->g);
}

// --- A sheet with limits of its own ---

typedef struct rig {
    swatch s;
    dr_limits limits;
} rig;

static inline void rig_create(rig* r, const dr_elastic_def* def)
{
    swatch_create(&r->s, def);
    ck_assert(dr_limits_create(&r->limits, &r->s.memory, r->s.count));
}

static inline void rig_free(rig* r)
{
    dr_limits_free(&r->limits, &r->s.memory);
    swatch_free(&r->s);
}

// Six by six, a quarter of a metre.
static inline dr_elastic_def small_def(int form)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = def.rows = 6;
    def.size_x = def.size_z = 0.25;
    def.form = (drape_elastic_form)form;
    return def;
}

// Nothing square, nothing even.
static inline dr_elastic_def skew_def(int columns, int rows)
{
    dr_elastic_def def = dr_elastic_defaults();
    def.columns = columns;
    def.rows = rows;
    def.size_x = 0.05 * columns;
    def.size_z = 0.04 * rows;
    def.eta[0] = 20.0;
    def.eta[1] = 13.0;
    def.eta[2] = 5.0;
    def.xi[0] = 3e-4;
    def.xi[1] = 1e-4;
    def.xi[2] = 2e-4;
    return def;
}

// Begins a step with weight. Returns the margin.
static inline double swatch_begin(swatch* s, double dt, double gravity)
{
    dr_elastic_forces forces = {{0.0, -gravity, 0.0}, NULL};
    return dr_elastic_begin(&s->sheet, dt, &forces, NULL, s->isa);
}

// Elastic, J.
static inline double swatch_energy(const swatch* s)
{
    dr_elastic_energies e = dr_elastic_energy(&s->sheet);
    return e.stretch + e.shear + e.bend;
}

#endif
