// Energies of an elastic sheet, element by element, in plain arithmetic.
#include <math.h>

#include "solver/elastic.h"
#include "core/double3.h"

static void at(const dr_elastic* e, double* const field[3], int column, int row, double out[3])
{
    ptrdiff_t place = (ptrdiff_t)row * e->row + e->column_place[column];
    for (int i = 0; i < 3; ++i) {
        out[i] = field[i][place];
    }
}

static double distance2(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return dr_dot3(d, d);
}

static double edge_energy(const dr_elastic* e, int axis, const double a[3], const double b[3])
{
    double strain = distance2(a, b) / (e->h[axis] * e->h[axis]) - 1.0;
    return 0.25 * e->def.eta[axis] * strain * strain;
}

// Energy of curvature whose second difference is `second`, towards the normal `across`, any length.
static double bend_energy(const dr_elastic* e, int i, const double second[3],
                          const double across[3])
{
    double length = sqrt(dr_dot3(across, across)), bent[3];
    double rest = length > 1e-30 ? e->def.curvature[i] / length : 0.0;
    for (int c = 0; c < 3; ++c) {
        bent[c] = second[c] - rest * across[c];
    }
    return (i == DR_ELASTIC_12 ? 1.0 : 0.5) * e->def.xi[i] * dr_dot3(bent, bent);
}

// Difference over the neighbours on both sides of a vertex along an axis, on one at borders.
static void difference(const dr_elastic* e, int column, int row, int axis, double out[3])
{
    int limit = axis == 0 ? e->def.columns : e->def.rows, here = axis == 0 ? column : row;
    int before = here > 0 ? here - 1 : here, after = here + 1 < limit ? here + 1 : here;
    double a[3], b[3];
    at(e, e->f.x, axis == 0 ? before : column, axis == 0 ? row : before, a);
    at(e, e->f.x, axis == 0 ? after : column, axis == 0 ? row : after, b);
    for (int i = 0; i < 3; ++i) {
        out[i] = b[i] - a[i];
    }
}

static double triple_energy(const dr_elastic* e, int column, int row, int axis)
{
    int dm = axis == 0, dn = axis == 1;
    double a[3], b[3], c[3], second[3], along[3], athwart[3], normal[3];
    at(e, e->f.x, column - dm, row - dn, a);
    at(e, e->f.x, column, row, b);
    at(e, e->f.x, column + dm, row + dn, c);
    for (int i = 0; i < 3; ++i) {
        second[i] = (a[i] - 2.0 * b[i] + c[i]) / (e->h[axis] * e->h[axis]);
    }
    difference(e, column, row, 0, along);
    difference(e, column, row, 1, athwart);
    dr_cross3(along, athwart, normal);
    return bend_energy(e, axis, second, normal);
}

static void add_cell(const dr_elastic* e, int column, int row, dr_elastic_energies* sum)
{
    double r[2][2][3], plus[3], minus[3], twist[3], normal[3];
    for (int k = 0; k < 4; ++k) {
        at(e, e->f.x, column + k % 2, row + k / 2, r[k / 2][k % 2]);
    }
    for (int i = 0; i < 3; ++i) {
        plus[i] = r[1][1][i] - r[0][0][i];
        minus[i] = r[1][0][i] - r[0][1][i];
        twist[i] = (r[0][0][i] - r[0][1][i] - r[1][0][i] + r[1][1][i]) / (e->h[0] * e->h[1]);
    }
    double strain = (dr_dot3(plus, plus) - dr_dot3(minus, minus)) / (4.0 * e->h[0] * e->h[1]);
    sum->shear += 0.5 * e->def.eta[DR_ELASTIC_12] * strain * strain;
    dr_cross3(plus, minus, normal);
    sum->bend += bend_energy(e, DR_ELASTIC_12, twist, normal);
}

static void add_vertex(const dr_elastic* e, int column, int row, dr_elastic_energies* sum)
{
    int columns = e->def.columns, rows = e->def.rows;
    double here[3], next[3], velocity[3];
    at(e, e->f.x, column, row, here);
    at(e, e->f.v, column, row, velocity);
    sum->kinetic += 0.5 * e->def.density * dr_dot3(velocity, velocity);
    if (column + 1 < columns) {
        at(e, e->f.x, column + 1, row, next);
        sum->stretch += edge_energy(e, 0, here, next);
    }
    if (row + 1 < rows) {
        at(e, e->f.x, column, row + 1, next);
        sum->stretch += edge_energy(e, 1, here, next);
    }
    if (column > 0 && column + 1 < columns) {
        sum->bend += triple_energy(e, column, row, 0);
    }
    if (row > 0 && row + 1 < rows) {
        sum->bend += triple_energy(e, column, row, 1);
    }
    if (column + 1 < columns && row + 1 < rows) {
        add_cell(e, column, row, sum);
    }
}

dr_elastic_energies dr_elastic_energy(const dr_elastic* elastic)
{
    dr_elastic_energies sum = {0};
    double area = elastic->h[0] * elastic->h[1];
    for (int row = 0; row < elastic->def.rows; ++row) {
        for (int column = 0; column < elastic->def.columns; ++column) {
            add_vertex(elastic, column, row, &sum);
        }
    }
    return (dr_elastic_energies){sum.stretch * area, sum.shear * area, sum.bend * area,
                                 sum.kinetic * area};
}
