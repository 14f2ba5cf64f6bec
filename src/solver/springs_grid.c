// Springs and masses of a grid.
#include <math.h>

#include "core/math.h"
#include "solver/springs_parts.h"

void dr_springs_add(dr_springs* s, int a, int b, dr_spring_kind kind, double rest, double stiffness,
                    double hardening)
{
    if (s->springs) {
        s->springs[s->spring_count] = (dr_spring){.v = {a, b},
                                                  .kind = kind,
                                                  .rest = rest,
                                                  .stiffness = stiffness,
                                                  .hardening = hardening};
    }
    ++s->spring_count;
}

typedef struct grid {
    dr_springs* s;
    int columns, rows;
    double h[2], diagonal;
    bool is_even; // the same stiffness for all springs of a kind
    double shear, bend[2], skew_bend;
} grid;

// Bend spring of a triple of cells h long and w wide: what the fabric stores at the fold angle over
// what the chord, 2 h cos(angle / 2) then, gets shorter.
static double bend_stiffness(double rigidity, double angle, double h, double w, double hardening)
{
    double shorter = 2.0 * h * (1.0 - dr_cos(0.5 * angle)), share = shorter / (2.0 * h);
    double harder = 1.0 + 0.5 * hardening * share * share;
    return rigidity * angle * angle / h * w / (shorter * shorter * harder);
}

static grid measure(dr_springs* s)
{
    const dr_springs_def* def = &s->def;
    grid g = {.s = s, .columns = def->columns, .rows = def->rows};
    g.h[0] = def->size_x / (def->columns > 1 ? def->columns - 1 : 1);
    g.h[1] = def->size_z / (def->rows > 1 ? def->rows - 1 : 1);
    g.diagonal = sqrt(g.h[0] * g.h[0] + g.h[1] * g.h[1]);
    const double* k = def->stiffness;
    g.is_even = k[0] > 0.0 || k[1] > 0.0 || k[2] > 0.0;
    if (g.is_even) {
        g.shear = k[DR_SPRING_SHEAR];
        g.bend[0] = g.bend[1] = g.skew_bend = k[DR_SPRING_BEND];
        return g;
    }
    g.shear = def->shear * g.diagonal * g.diagonal / (2.0 * g.h[0] * g.h[1]);
    double hardening = def->eight_bends ? def->hardening : 0.0;
    for (int i = 0; i < 2; ++i) {
        g.bend[i] = bend_stiffness(def->bend[i], def->fold_angle, g.h[i], g.h[1 - i], hardening);
    }
    // Along the diagonals lies a lattice of its own, as dense, which shares the bending.
    double mean = sqrt(def->bend[0] * def->bend[1]), across = g.h[0] * g.h[1] / g.diagonal;
    if (def->eight_bends) {
        g.skew_bend = 0.5 * bend_stiffness(mean, def->fold_angle, g.diagonal, across, hardening);
        g.bend[0] *= 0.5;
        g.bend[1] *= 0.5;
    }
    return g;
}

// Which share of an inner line's springs one on this line has: the border stands for half a cell.
static double line_share(const grid* g, int axis, int line)
{
    int lines = axis == 0 ? g->rows : g->columns;
    return g->is_even || lines < 2 || (line > 0 && line + 1 < lines) ? 1.0 : 0.5;
}

// 1 when a cell, or a patch of cells, is one of `count` along a line.
static int inside(int cell, int count)
{
    return cell >= 0 && cell < count;
}

// Diagonals of one cell, less what the long ones over it store in the same shear; 0 where no cell
// is.
static double shear_stiffness(const grid* g, int column, int row)
{
    if (!inside(column, g->columns - 1) || !inside(row, g->rows - 1)) {
        return 0.0;
    }
    int across = inside(column - 1, g->columns - 2) + inside(column, g->columns - 2);
    int along = inside(row - 1, g->rows - 2) + inside(row, g->rows - 2);
    bool is_less = g->s->def.eight_bends && !g->is_even;
    return is_less ? fmax(g->shear - across * along * g->skew_bend, 0.0) : g->shear;
}

// What the long diagonal springs over a cell's neighbourhood store in extension along `axis`, as
// stiffness of one structural spring: each spans four cells, so four cells share it.
static double skew_share(const grid* g, int axis, int cell, int line)
{
    int along = (axis == 0 ? g->columns : g->rows) - 1;
    int across = (axis == 0 ? g->rows : g->columns) - 1;
    double part = g->h[axis] / g->diagonal, sum = 0.0;
    // The springs of a 2 x 2 patch of cells lie over 2 x 3 structural springs along the axis; the
    // middle line has two cells beside it and half of the weight.
    for (int i = cell - 1; i <= cell; ++i) {
        for (int j = line - 2; j <= line; ++j) {
            bool exists = inside(i, along - 1) && inside(j, across - 1);
            sum += exists ? (j == line - 1 ? 0.5 : 0.25) : 0.0;
        }
    }
    // Two springs of 2 D, longer by 2 D part^2 e, on four springs' worth of h e.
    return 4.0 * g->skew_bend * part * part * sum;
}

// Structural spring `cell` of a line along `axis`.
static double structural_stiffness(const grid* g, int axis, int cell, int line)
{
    const dr_springs_def* def = &g->s->def;
    if (g->is_even) {
        return def->stiffness[DR_SPRING_STRUCTURAL];
    }
    int along = (axis == 0 ? g->columns : g->rows) - 1;
    double beside = axis == 0 ? shear_stiffness(g, cell, line - 1) + shear_stiffness(g, cell, line)
                              : shear_stiffness(g, line - 1, cell) + shear_stiffness(g, line, cell);
    double part = g->h[axis] / g->diagonal, share = line_share(g, axis, line);
    double k = share * def->stretch[axis] * g->h[1 - axis] / g->h[axis];
    k -= beside * part * part;
    // A bend spring is twice as long and lies over two structural ones.
    int over = inside(cell - 1, along - 1) + inside(cell, along - 1);
    k -= 2.0 * over * share * g->bend[axis];
    k -= def->eight_bends ? skew_share(g, axis, cell, line) : 0.0;
    return fmax(k, 0.0);
}

static void add_bend(const grid* g, int a, int b, double rest, double k)
{
    double c = g->s->def.eight_bends ? g->s->def.hardening / (rest * rest) : 0.0;
    dr_springs_add(g->s, a, b, DR_SPRING_BEND, rest, k, c);
}

static void add_straight(const grid* g, int axis, int column, int row)
{
    int here = row * g->columns + column, step = axis == 0 ? 1 : g->columns;
    int at = axis == 0 ? column : row, line = axis == 0 ? row : column;
    int count = axis == 0 ? g->columns : g->rows;
    if (at + 1 < count) {
        dr_springs_add(g->s, here, here + step, DR_SPRING_STRUCTURAL, g->h[axis],
                       structural_stiffness(g, axis, at, line), 0.0);
    }
    if (at + 2 < count) {
        add_bend(g, here, here + 2 * step, 2.0 * g->h[axis],
                 line_share(g, axis, line) * g->bend[axis]);
    }
}

static void add_skew(const grid* g, int column, int row)
{
    int here = row * g->columns + column, below = here + g->columns;
    if (column + 1 < g->columns && row + 1 < g->rows) {
        double k = shear_stiffness(g, column, row);
        dr_springs_add(g->s, here, below + 1, DR_SPRING_SHEAR, g->diagonal, k, 0.0);
        dr_springs_add(g->s, here + 1, below, DR_SPRING_SHEAR, g->diagonal, k, 0.0);
    }
    if (g->s->def.eight_bends && column + 2 < g->columns && row + 2 < g->rows) {
        int far = below + g->columns;
        add_bend(g, here, far + 2, 2.0 * g->diagonal, g->skew_bend);
        add_bend(g, here + 2, far, 2.0 * g->diagonal, g->skew_bend);
    }
}

void dr_springs_lay_grid(dr_springs* s)
{
    grid g = measure(s);
    s->spring_count = 0;
    for (int row = 0; row < g.rows; ++row) {
        for (int column = 0; column < g.columns; ++column) {
            add_straight(&g, 0, column, row);
            add_straight(&g, 1, column, row);
            add_skew(&g, column, row);
        }
    }
}

void dr_springs_weigh_grid(dr_springs* s)
{
    grid g = measure(s);
    for (int v = 0; v < s->vertex_count; ++v) {
        double share = line_share(&g, 0, v / g.columns) * line_share(&g, 1, v % g.columns);
        s->mass[v] = s->def.density * g.h[0] * g.h[1] * share;
    }
}
