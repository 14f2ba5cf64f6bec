#include "solver/xpbd_grid.h"

#include <math.h>

#include "core/isa.h"
#include "solver/xpbd.h"

// Compliance of what does not exist, times h^2: nothing moves by it and nothing overflows.
#define ABSENT 1e30f

DR_KERNEL_TABLE(dr_grid_kernels)

// Spring stiffnesses per unit width along and across such that, together with diagonals that carry
// the shear stiffness, a strip pulled either way has the fabric's own. The two diagonals of a cell
// add G h1^2/h2^2 along, G h2^2/h1^2 across and the cross term G.
static void split_stiffness(float along, float across, float shear, float h1, float h2,
                            float* k_along, float* k_across, float* k_shear)
{
    double ratio = (double)h1 / h2, added_along = ratio * ratio, added_across = 1.0 / added_along;
    // Long cells leave less room for diagonals than a stiff shear asks for.
    double g = fmin(shear, 0.8 * fmin(along / added_along, across / added_across));
    double c11 = along, c22 = across;
    for (int i = 0; i < 50; ++i) {
        c11 = along + g * g / c22;
        c22 = across + g * g / c11;
    }
    *k_along = (float)fmax(c11 - g * added_along, 0.05 * along);
    *k_across = (float)fmax(c22 - g * added_across, 0.05 * across);
    *k_shear = (float)g;
}

static void set_stiffness(struct dr_xpbd_grid* grid, const drape_fabric* fabric)
{
    float h1 = grid->rest_along, h2 = grid->rest_across;
    float along = grid->turned ? fabric->stretch_weft : fabric->stretch_warp;
    float across = grid->turned ? fabric->stretch_warp : fabric->stretch_weft;
    float bend_along = grid->turned ? fabric->bend_weft : fabric->bend_warp;
    float bend_across = grid->turned ? fabric->bend_warp : fabric->bend_weft;
    float k_along = along, k_across = across, k_shear = fabric->shear;
    if (grid->rows > 1) {
        split_stiffness(along, across, fabric->shear, h1, h2, &k_along, &k_across, &k_shear);
    }
    float diagonal_squared = h1 * h1 + h2 * h2;
    grid->spring[DR_GRID_ALONG] = k_along * h2 / h1;
    grid->spring[DR_GRID_ACROSS] = k_across * h1 / h2;
    grid->spring[DR_GRID_DIAGONAL] = k_shear * diagonal_squared / (2.0f * h1 * h2);
    grid->bend_along = bend_along * h2 / (h1 * h1 * h1);
    grid->bend_across = bend_across * h1 / (h2 * h2 * h2);
    grid->twist = 2.0f * sqrtf(bend_along * bend_across) / (h1 * h2);
}

static float column_width(const struct dr_xpbd_grid* grid, int column)
{
    return column == 0 || column == grid->columns - 1 ? 0.5f : 1.0f;
}

static float row_width(const struct dr_xpbd_grid* grid, int row)
{
    return (row == 0 || row == grid->rows - 1) && grid->rows > 1 ? 0.5f : 1.0f;
}

// Share of a full cell's width that a spring has at a place; 0: no spring.
static float spring_width(const struct dr_xpbd_grid* grid, int family, int column, bool border_row)
{
    int n = grid->columns;
    switch (family) {
    case DR_GRID_ALONG:
        return column >= n - 1 ? 0.0f : border_row && grid->rows > 1 ? 0.5f : 1.0f;
    case DR_GRID_ACROSS: return column < n ? column_width(grid, column) : 0.0f;
    default: return column < n - 1 ? 1.0f : 0.0f;
    }
}

// A taut chain held at both ends has as many springs as it can bear; what keeps its elimination
// from dividing by rounding errors is compliance. Real fabrics have ten times as much and more.
static void set_compliances(struct dr_xpbd_grid* grid, float h)
{
    float* at = grid->table;
    float softest = 4e-6f / grid->cell_mass;
    for (int border = 0; border < 2; ++border) {
        for (int j = 0; j < grid->row_vectors; ++j) {
            for (int family = 0; family < DR_GRID_SPRINGS; ++family) {
                for (int lane = 0; lane < 8; ++lane) {
                    float width = spring_width(grid, family, lane * grid->row_vectors + j, border);
                    float k = grid->spring[family] * width * h * h;
                    *at++ = k > 0.0f ? fmaxf(1.0f / k, softest) : ABSENT;
                }
            }
        }
    }
}

// --- Bending lines ---

// One line of the cloth: masses (0 where held), stencils, and where its factors go.
typedef struct line {
    int count;
    const double* mass;
    const double* k;    // by the middle vertex, times h (h + tau); 0 at the ends
    float* factors;     // DR_GRID_LINE floats a place, already moved to the lane
    double share;       // of k that is elastic, the rest being friction
    double twist;       // bound of the twist between neighbours, times h (h + tau)
} line;

// Bands of M + h (h + tau) (K + P), from the stencils and the neighbours around each place.
static double band(const line* l, int i, int distance)
{
    double before = i > 0 ? l->k[i - 1] : 0.0, here = l->k[i];
    double after = i + 1 < l->count ? l->k[i + 1] : 0.0;
    switch (distance) {
    case 0:
        return l->mass[i] + before + 4.0 * here + after +
               l->twist * ((i > 0) + (i + 1 < l->count));
    case 1: return -2.0 * (before + here) - l->twist; // with i - 1
    default: return before;                // with i - 2
    }
}

// L D L^T of the line. Held vertices drop out of it: no pivot, no coupling.
static void factor_line(const line* l)
{
    double d1 = 0.0, d2 = 0.0, l1_before = 0.0; // pivots of i-1 and i-2, L1 of i-1
    for (int i = 0; i < l->count; ++i) {
        bool held = l->mass[i] <= 0.0;
        double l2 = held || d2 == 0.0 ? 0.0 : band(l, i, 2) / d2;
        double l1 = held || d1 == 0.0 ? 0.0 : (band(l, i, 1) - l2 * d2 * l1_before) / d1;
        double d = held ? 0.0 : band(l, i, 0) - l1 * l1 * d1 - l2 * l2 * d2;
        float* out = l->factors + (size_t)i * DR_GRID_LINE;
        out[0] = held ? 0.0f : (float)(1.0 / d);
        out[8] = (float)l1;
        out[16] = (float)l2;
        out[24] = (float)(l->k[i] * l->share);
        d2 = d1;
        d1 = d;
        l1_before = l1;
    }
}

// Stencils of a line with stiffness k. Where two held vertices meet a free one the cloth bends over
// half a cell only: twice as stiff.
static void set_stencils(const double* mass, double* k, int count, double stiffness)
{
    for (int i = 0; i < count; ++i) {
        bool inner = i > 0 && i + 1 < count;
        bool clamped = inner && mass[i] <= 0.0 && (mass[i - 1] <= 0.0) != (mass[i + 1] <= 0.0);
        k[i] = inner ? (clamped ? 2.0 : 1.0) * stiffness : 0.0;
    }
}

static double place_mass(const dr_xpbd* xpbd, int column, int row)
{
    int slot = dr_grid_slot(xpbd->grid, column, row);
    float w = dr_sheet_inverse_mass(&xpbd->sheet, slot);
    return w > 0.0f ? 1.0 / (double)w : 0.0;
}

static void factor_lines(dr_xpbd* xpbd, float h)
{
    struct dr_xpbd_grid* grid = xpbd->grid;
    int n = grid->columns, m = grid->rows;
    double h2 = (double)h * ((double)h + (double)grid->damping);
    double share = (double)h / ((double)h + (double)grid->damping);
    h2 *= (double)dr_xpbd_times_stiffer(xpbd);
    double *mass = grid->line_mass, *k = grid->line_mass + n;
    for (int row = 0; row < m; ++row) {
        for (int c = 0; c < n; ++c) {
            mass[c] = place_mass(xpbd, c, row);
        }
        set_stencils(mass, k, n, (double)(grid->bend_along * row_width(grid, row)) * h2);
        float* factors = grid->line_along + (size_t)(row / 8) * (size_t)n * DR_GRID_LINE + row % 8;
        factor_line(&(line){n, mass, k, factors, share, 0.0});
    }
    for (int c = 0; c < n; ++c) {
        for (int row = 0; row < m; ++row) {
            mass[row] = place_mass(xpbd, c, row);
        }
        set_stencils(mass, k, m, (double)(grid->bend_across * column_width(grid, c)) * h2);
        float* factors = grid->line_across +
                         (size_t)(c % grid->row_vectors) * (size_t)m * DR_GRID_LINE +
                         c / grid->row_vectors;
        double twist = 4.0 * (double)(grid->twist * column_width(grid, c)) * h2;
        factor_line(&(line){m, mass, k, factors, share, twist});
    }
}

void dr_grid_prepare(dr_xpbd* xpbd, float h)
{
    set_compliances(xpbd->grid, h);
    factor_lines(xpbd, h);
    xpbd->grid->twist_h2 = xpbd->grid->twist * h * h * dr_xpbd_times_stiffer(xpbd);
    xpbd->grid->lag = xpbd->grid->damping / h;
}

static void place_vertices(dr_xpbd* xpbd, const struct dr_xpbd_grid* grid)
{
    dr_sheet* sheet = &xpbd->sheet;
    for (int row = 0; row < grid->rows; ++row) {
        for (int column = 0; column < grid->columns; ++column) {
            float share = column_width(grid, column) * row_width(grid, row);
            int vertex = grid->turned ? column * grid->rows + row : row * grid->columns + column;
            int slot = dr_grid_slot(grid, column, row);
            sheet->slot_of_vertex[vertex] = slot;
            sheet->mass[vertex] = grid->cell_mass * share;
            dr_sheet_set_inverse_mass(sheet, slot, 1.0f / sheet->mass[vertex]);
        }
    }
}

static int count_constraints(const struct dr_xpbd_grid* grid)
{
    int n = grid->columns, m = grid->rows;
    int springs = (n - 1) * m + n * (m - 1) + 2 * (n - 1) * (m - 1);
    int bends = (n > 2 ? (n - 2) * m : 0) + (m > 2 ? n * (m - 2) : 0) + (n - 1) * (m - 1);
    return springs + bends;
}

typedef struct grid_sizes {
    size_t lambda, table, springs, ends, cells, line_along, line_across, line_mass;
} grid_sizes;

static grid_sizes sizes_of(const struct dr_xpbd_grid* grid)
{
    size_t s = (size_t)grid->row_vectors, rows = (size_t)grid->rows;
    size_t groups = (size_t)dr_grid_row_groups(grid), n = (size_t)grid->columns;
    return (grid_sizes){.lambda = groups * s * 64 + rows * s * 24,
                        .table = 2 * s * DR_GRID_SPRINGS * 8,
                        .springs = rows * s * DR_GRID_EDGE,
                        .ends = 6 * s * DR_GRID_END,
                        .cells = rows * s * 24,
                        .line_along = groups * n * DR_GRID_LINE,
                        .line_across = s * rows * DR_GRID_LINE,
                        .line_mass = 2 * n};
}

static bool allocate(struct dr_xpbd_grid* grid, dr_memory* memory)
{
    grid_sizes size = sizes_of(grid);
    grid->lambda = dr_new_zeroed(memory, float, size.lambda);
    grid->table = dr_new_zeroed(memory, float, size.table);
    grid->springs = dr_new_zeroed(memory, float, size.springs);
    grid->ends = dr_new_zeroed(memory, float, size.ends);
    grid->cells = dr_new_zeroed(memory, float, size.cells);
    grid->line_along = dr_new_zeroed(memory, float, size.line_along);
    grid->line_across = dr_new_zeroed(memory, float, size.line_across);
    grid->line_mass = dr_new_zeroed(memory, double, size.line_mass);
    return grid->lambda && grid->table && grid->springs && grid->ends && grid->cells &&
           grid->line_along && grid->line_across && grid->line_mass;
}

size_t dr_grid_scratch(const struct dr_xpbd_grid* grid)
{
    size_t s = (size_t)grid->row_vectors, rows = (size_t)grid->rows;
    // The places, then springs; bending uses the room of the springs and of the committed places.
    size_t along = s * 8 * (32 + 24 + 32), across = rows * 24;
    return along > across ? along : across;
}

bool dr_xpbd_create_grid(dr_xpbd* xpbd, dr_memory* memory, const drape_fabric* fabric, float size_x,
                         float size_z, int columns, int rows)
{
    *xpbd = (dr_xpbd){0};
    struct dr_xpbd_grid* grid = dr_new_zeroed(memory, struct dr_xpbd_grid, 1);
    if (!grid) {
        return false;
    }
    xpbd->grid = grid;
    grid->turned = rows > columns;
    grid->columns = grid->turned ? rows : columns;
    grid->rows = grid->turned ? columns : rows;
    float length = grid->turned ? size_z : size_x, width = grid->turned ? size_x : size_z;
    grid->rest_along = length / (float)(grid->columns - 1);
    // A single row is a thread with the width that was asked for.
    grid->rest_across = grid->rows > 1 ? width / (float)(grid->rows - 1) : width;
    grid->rest_diagonal = sqrtf(grid->rest_along * grid->rest_along +
                                grid->rest_across * grid->rest_across);
    grid->row_vectors = grid->columns <= 24 ? 3 : (grid->columns + 7) / 8;
    xpbd->constraint_count = count_constraints(grid);
    set_stiffness(grid, fabric);
    grid->cell_mass = fabric->density * grid->rest_along * grid->rest_across;

    int vector_count = grid->rows * grid->row_vectors;
    if (!allocate(grid, memory) ||
        !dr_sheet_create(&xpbd->sheet, memory, DR_LAYOUT_STRIPED, columns * rows, vector_count)) {
        dr_xpbd_free(xpbd, memory);
        return false;
    }
    grid->pos = xpbd->sheet.pos;
    grid->start = xpbd->sheet.start;
    grid->damping = fabric->bend_damping;
    xpbd->rigidity = 0.5f * (fabric->bend_warp + fabric->bend_weft);
    place_vertices(xpbd, grid);
    return true;
}

void dr_grid_free(struct dr_xpbd_grid* grid, dr_memory* memory)
{
    grid_sizes size = sizes_of(grid);
    dr_delete(memory, grid->lambda, size.lambda);
    dr_delete(memory, grid->table, size.table);
    dr_delete(memory, grid->springs, size.springs);
    dr_delete(memory, grid->ends, size.ends);
    dr_delete(memory, grid->cells, size.cells);
    dr_delete(memory, grid->line_along, size.line_along);
    dr_delete(memory, grid->line_across, size.line_across);
    dr_delete(memory, grid->line_mass, size.line_mass);
    dr_delete(memory, grid, 1);
}

// Copies positions of the last column into the empty slots behind it, so that they stay harmless.
void dr_grid_fill_padding(const struct dr_xpbd_grid* grid, float* array)
{
    int lane_columns = grid->row_vectors * 8;
    for (int row = 0; row < grid->rows; ++row) {
        int last = dr_grid_slot(grid, grid->columns - 1, row);
        drape_vec3 p = dr_sheet_get(DR_LAYOUT_STRIPED, array, last);
        for (int column = grid->columns; column < lane_columns; ++column) {
            dr_sheet_set(DR_LAYOUT_STRIPED, array, dr_grid_slot(grid, column, row), p);
        }
    }
}

// --- Energy, for tests ---

static double spring_energy(const float* pos, int a, int b, float rest, float k)
{
    drape_vec3 p = dr_sheet_get(DR_LAYOUT_STRIPED, pos, a);
    drape_vec3 q = dr_sheet_get(DR_LAYOUT_STRIPED, pos, b);
    double x = (double)q.x - p.x, y = (double)q.y - p.y, z = (double)q.z - p.z;
    double c = sqrt(x * x + y * y + z * z) - rest;
    return 0.5 * k * c * c;
}

static double stencil_energy(const float* pos, const int* slots, const double* coef, int count,
                             float k)
{
    double c[3] = {0};
    for (int i = 0; i < count; ++i) {
        drape_vec3 p = dr_sheet_get(DR_LAYOUT_STRIPED, pos, slots[i]);
        c[0] += coef[i] * p.x;
        c[1] += coef[i] * p.y;
        c[2] += coef[i] * p.z;
    }
    return 0.5 * k * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
}

double dr_grid_energy(const struct dr_xpbd_grid* grid, const float* pos)
{
    const double triple[3] = {1, -2, 1}, cell[4] = {1, -1, -1, 1};
    double energy = 0.0;
    for (int r = 0; r < grid->rows; ++r) {
        for (int c = 0; c < grid->columns; ++c) {
            float cw = column_width(grid, c), rw = row_width(grid, r);
            int here = dr_grid_slot(grid, c, r);
            if (c + 1 < grid->columns) {
                int right = dr_grid_slot(grid, c + 1, r);
                energy += spring_energy(pos, here, right, grid->rest_along,
                                        grid->spring[DR_GRID_ALONG] * rw);
            }
            if (c + 2 < grid->columns) {
                int s[3] = {here, dr_grid_slot(grid, c + 1, r), dr_grid_slot(grid, c + 2, r)};
                energy += stencil_energy(pos, s, triple, 3, grid->bend_along * rw);
            }
            if (r + 1 >= grid->rows) {
                continue;
            }
            int up = dr_grid_slot(grid, c, r + 1);
            energy += spring_energy(pos, here, up, grid->rest_across,
                                    grid->spring[DR_GRID_ACROSS] * cw);
            if (r + 2 < grid->rows) {
                int s[3] = {here, up, dr_grid_slot(grid, c, r + 2)};
                energy += stencil_energy(pos, s, triple, 3, grid->bend_across * cw);
            }
            if (c + 1 < grid->columns) {
                int right = dr_grid_slot(grid, c + 1, r), over = dr_grid_slot(grid, c + 1, r + 1);
                int s[4] = {here, right, up, over};
                float diagonal = grid->spring[DR_GRID_DIAGONAL];
                energy += spring_energy(pos, here, over, grid->rest_diagonal, diagonal);
                energy += spring_energy(pos, right, up, grid->rest_diagonal, diagonal);
                energy += stencil_energy(pos, s, cell, 4, grid->twist);
            }
        }
    }
    return energy;
}
