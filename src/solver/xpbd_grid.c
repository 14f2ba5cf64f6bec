#include "solver/xpbd_grid.h"

#include <math.h>

#include "core/isa.h"
#include "solver/xpbd.h"

// Compliance of what does not exist, times h^2: nothing moves by it and nothing overflows.
#define ABSENT 1e30f

DR_KERNEL_TABLE(dr_grid_kernels)

// Spring stiffnesses per unit width along and across such that, together with diagonals that carry the
// shear stiffness, a strip pulled either way has the fabric's own. The two diagonals of a cell add
// G h1^2/h2^2 along, G h2^2/h1^2 across and the cross term G.
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
    grid->stiffness[DR_GRID_ALONG] = k_along * h2 / h1;
    grid->stiffness[DR_GRID_ACROSS] = k_across * h1 / h2;
    grid->stiffness[DR_GRID_DIAGONAL] = k_shear * diagonal_squared / (2.0f * h1 * h2);
    grid->stiffness[DR_GRID_BEND_ALONG] = bend_along * h2 / (h1 * h1 * h1);
    grid->stiffness[DR_GRID_BEND_ACROSS] = bend_across * h1 / (h2 * h2 * h2);
    grid->stiffness[DR_GRID_TWIST] = 2.0f * sqrtf(bend_along * bend_across) / (h1 * h2);
}

// Share of a full cell's width that a constraint of this family has at a place; 0: no constraint.
static float family_width(const struct dr_xpbd_grid* grid, int family, int column, bool border_row)
{
    int n = grid->columns;
    float row_width = border_row && grid->rows > 1 ? 0.5f : 1.0f;
    float column_width = column == 0 || column == n - 1 ? 0.5f : 1.0f;
    switch (family) {
    case DR_GRID_ALONG: return column < n - 1 ? row_width : 0.0f;
    case DR_GRID_ACROSS: return column < n ? column_width : 0.0f;
    case DR_GRID_BEND_ALONG: return column > 0 && column < n - 1 ? row_width : 0.0f;
    case DR_GRID_BEND_ACROSS: return column < n ? column_width : 0.0f;
    default: return column < n - 1 ? 1.0f : 0.0f;
    }
}

void dr_grid_prepare(struct dr_xpbd_grid* grid, float h)
{
    float* at = grid->table;
    for (int border = 0; border < 2; ++border) {
        for (int j = 0; j < grid->row_vectors; ++j) {
            for (int family = 0; family < DR_GRID_FAMILIES; ++family) {
                for (int lane = 0; lane < 8; ++lane) {
                    float width = family_width(grid, family, lane * grid->row_vectors + j, border);
                    float k = grid->stiffness[family] * width * h * h;
                    *at++ = k > 0.0f ? 1.0f / k : ABSENT;
                }
            }
        }
    }
}

// Rows to a block: enough blocks for several workers, each of at least four rows.
static int choose_block_rows(int rows)
{
    int target = (rows + 7) / 8;
    return target < 4 ? 4 : target > 32 ? 32 : target;
}

static void place_vertices(dr_xpbd* xpbd, const struct dr_xpbd_grid* grid, float density)
{
    dr_sheet* sheet = &xpbd->sheet;
    float cell_mass = density * grid->rest_along * grid->rest_across;
    for (int row = 0; row < grid->rows; ++row) {
        for (int column = 0; column < grid->columns; ++column) {
            float share = column == 0 || column == grid->columns - 1 ? 0.5f : 1.0f;
            share *= (row == 0 || row == grid->rows - 1) && grid->rows > 1 ? 0.5f : 1.0f;
            int vertex = grid->turned ? column * grid->rows + row : row * grid->columns + column;
            int slot = dr_grid_slot(grid, column, row);
            sheet->slot_of_vertex[vertex] = slot;
            sheet->mass[vertex] = cell_mass * share;
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
    grid->block_rows = choose_block_rows(grid->rows);
    xpbd->block_count = (grid->rows + grid->block_rows - 1) / grid->block_rows;
    xpbd->constraint_count = count_constraints(grid);
    set_stiffness(grid, fabric);

    int vector_count = grid->rows * grid->row_vectors;
    grid->lambda = dr_new_zeroed(memory, float, (size_t)vector_count * DR_GRID_LAMBDA);
    grid->table = dr_new_zeroed(memory, float, (size_t)grid->row_vectors * DR_GRID_FAMILIES * 16);
    if (!dr_sheet_create(&xpbd->sheet, memory, DR_LAYOUT_STRIPED, columns * rows, vector_count) ||
        !grid->lambda || !grid->table) {
        dr_xpbd_free(xpbd, memory);
        return false;
    }
    grid->pos = xpbd->sheet.pos;
    place_vertices(xpbd, grid, fabric->density);
    return true;
}

void dr_grid_free(struct dr_xpbd_grid* grid, dr_memory* memory)
{
    int vector_count = grid->rows * grid->row_vectors;
    dr_delete(memory, grid->lambda, (size_t)vector_count * DR_GRID_LAMBDA);
    dr_delete(memory, grid->table, (size_t)grid->row_vectors * DR_GRID_FAMILIES * 16);
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

// --- Clamps ---

static float grid_weight(const dr_xpbd* xpbd, int column, int row)
{
    return dr_sheet_inverse_mass(&xpbd->sheet, dr_grid_slot(xpbd->grid, column, row));
}

// Where two held vertices in line meet a free one, the cloth bends over half a cell only: a second
// stencil like the first makes up for the held half.
static bool add_clamp(dr_xpbd* xpbd, dr_memory* memory, int column, int row, int dc, int dr,
                      int family, float width)
{
    const struct dr_xpbd_grid* grid = xpbd->grid;
    float before = grid_weight(xpbd, column - dc, row - dr), here = grid_weight(xpbd, column, row);
    float after = grid_weight(xpbd, column + dc, row + dr);
    if (here > 0.0f || (before > 0.0f) == (after > 0.0f)) {
        return true;
    }
    dr_array extra = {xpbd->extra, xpbd->extra_count, xpbd->extra_capacity};
    dr_stencil* stencil = dr_array_push(memory, &extra, sizeof(dr_stencil));
    xpbd->extra = extra.data;
    xpbd->extra_count = extra.count;
    xpbd->extra_capacity = extra.capacity;
    if (!stencil) {
        return false;
    }
    *stencil = (dr_stencil){.slot = {dr_grid_slot(grid, column - dc, row - dr),
                                     dr_grid_slot(grid, column, row),
                                     dr_grid_slot(grid, column + dc, row + dr)},
                            .coef = {1.0f, -2.0f, 1.0f},
                            .count = 3,
                            .compliance = 1.0f / (grid->stiffness[family] * width)};
    return true;
}

bool dr_grid_find_clamps(dr_xpbd* xpbd, dr_memory* memory)
{
    const struct dr_xpbd_grid* grid = xpbd->grid;
    bool done = true;
    for (int row = 0; row < grid->rows && done; ++row) {
        bool border_row = row == 0 || row == grid->rows - 1;
        for (int column = 0; column < grid->columns && done; ++column) {
            if (column > 0 && column < grid->columns - 1) {
                float width = family_width(grid, DR_GRID_BEND_ALONG, column, border_row);
                done = add_clamp(xpbd, memory, column, row, 1, 0, DR_GRID_BEND_ALONG, width);
            }
            if (done && !border_row) {
                float width = family_width(grid, DR_GRID_BEND_ACROSS, column, border_row);
                done = add_clamp(xpbd, memory, column, row, 0, 1, DR_GRID_BEND_ACROSS, width);
            }
        }
    }
    return done;
}

// --- Energy, for tests ---

static double spring_energy(const float* pos, int a, int b, float rest, float k)
{
    drape_vec3 p = dr_sheet_get(DR_LAYOUT_STRIPED, pos, a), q = dr_sheet_get(DR_LAYOUT_STRIPED, pos, b);
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
        bool border = r == 0 || r == grid->rows - 1;
        for (int c = 0; c < grid->columns; ++c) {
            float k[DR_GRID_FAMILIES];
            for (int f = 0; f < DR_GRID_FAMILIES; ++f) {
                k[f] = grid->stiffness[f] * family_width(grid, f, c, border);
            }
            int here = dr_grid_slot(grid, c, r);
            if (k[DR_GRID_ALONG] > 0.0f) {
                int right = dr_grid_slot(grid, c + 1, r);
                energy += spring_energy(pos, here, right, grid->rest_along, k[DR_GRID_ALONG]);
            }
            if (k[DR_GRID_BEND_ALONG] > 0.0f) {
                int s[3] = {dr_grid_slot(grid, c - 1, r), here, dr_grid_slot(grid, c + 1, r)};
                energy += stencil_energy(pos, s, triple, 3, k[DR_GRID_BEND_ALONG]);
            }
            if (r + 1 >= grid->rows) {
                continue;
            }
            int up = dr_grid_slot(grid, c, r + 1);
            energy += spring_energy(pos, here, up, grid->rest_across, k[DR_GRID_ACROSS]);
            if (r + 2 < grid->rows) {
                int s[3] = {here, up, dr_grid_slot(grid, c, r + 2)};
                energy += stencil_energy(pos, s, triple, 3, k[DR_GRID_BEND_ACROSS]);
            }
            if (c + 1 < grid->columns) {
                int right = dr_grid_slot(grid, c + 1, r), over = dr_grid_slot(grid, c + 1, r + 1);
                int s[4] = {here, right, up, over};
                energy += spring_energy(pos, here, over, grid->rest_diagonal, k[DR_GRID_DIAGONAL]);
                energy += spring_energy(pos, right, up, grid->rest_diagonal, k[DR_GRID_DIAGONAL]);
                energy += stencil_energy(pos, s, cell, 4, k[DR_GRID_TWIST]);
            }
        }
    }
    return energy;
}
