#include "solver/xpbd.h"

#include <string.h>

#include "solver/xpbd_grid.h"
#include "solver/xpbd_mesh.h"

void dr_xpbd_free(dr_xpbd* xpbd, dr_memory* memory)
{
    if (xpbd->grid) {
        dr_grid_free(xpbd->grid, memory);
    }
    if (xpbd->mesh) {
        dr_xpbd_mesh_free(xpbd->mesh, memory);
    }
    dr_delete(memory, xpbd->extra, xpbd->extra_capacity);
    dr_sheet_free(&xpbd->sheet, memory);
    *xpbd = (dr_xpbd){0};
}

bool dr_xpbd_update_clamps(dr_xpbd* xpbd, dr_memory* memory)
{
    dr_xpbd_reset(xpbd);
    if (xpbd->mesh) {
        dr_xpbd_mesh_update_clamps(xpbd);
        return true;
    }
    xpbd->extra_count = 0;
    return dr_grid_find_clamps(xpbd, memory);
}

void dr_xpbd_tidy(dr_xpbd* xpbd)
{
    dr_sheet* sheet = &xpbd->sheet;
    if (xpbd->grid) {
        dr_grid_fill_padding(xpbd->grid, sheet->pos);
        dr_grid_fill_padding(xpbd->grid, sheet->start);
        return;
    }
    drape_vec3 p = dr_sheet_get(sheet->layout, sheet->start, 0);
    for (int slot = sheet->vertex_count; slot < sheet->vector_count * 8; ++slot) {
        dr_sheet_set(sheet->layout, sheet->pos, slot, p);
        dr_sheet_set(sheet->layout, sheet->start, slot, p);
    }
}

void dr_xpbd_reset(dr_xpbd* xpbd)
{
    if (xpbd->mesh) {
        dr_xpbd_mesh_reset(xpbd->mesh);
    } else {
        size_t vectors = (size_t)xpbd->sheet.vector_count;
        memset(xpbd->grid->lambda, 0, vectors * DR_GRID_LAMBDA * sizeof(float));
    }
    dr_xpbd_tidy(xpbd);
    for (int i = 0; i < xpbd->extra_count; ++i) {
        memset(xpbd->extra[i].lambda, 0, sizeof xpbd->extra[i].lambda);
    }
}

void dr_xpbd_prepare(dr_xpbd* xpbd, float h)
{
    if (xpbd->h == h) {
        return;
    }
    // Multipliers are forces times h^2: another h, another unit.
    dr_xpbd_reset(xpbd);
    xpbd->h = h;
    if (xpbd->mesh) {
        dr_xpbd_mesh_prepare(xpbd->mesh, h);
    } else {
        dr_grid_prepare(xpbd->grid, h);
    }
}

void dr_xpbd_warm_block(dr_xpbd* xpbd, drape_isa isa, int block)
{
    if (xpbd->mesh) {
        dr_mesh_kernels_for(isa)->warm(xpbd->mesh, block);
    } else {
        int begin = block * xpbd->grid->block_rows, end = begin + xpbd->grid->block_rows;
        end = end < xpbd->grid->rows ? end : xpbd->grid->rows;
        dr_grid_kernels_for(isa)->warm(xpbd->grid, begin, end);
    }
}

void dr_xpbd_solve_block(dr_xpbd* xpbd, drape_isa isa, int block)
{
    if (xpbd->mesh) {
        dr_mesh_kernels_for(isa)->solve(xpbd->mesh, block);
    } else {
        int begin = block * xpbd->grid->block_rows, end = begin + xpbd->grid->block_rows;
        end = end < xpbd->grid->rows ? end : xpbd->grid->rows;
        dr_grid_kernels_for(isa)->solve(xpbd->grid, begin, end);
    }
}

void dr_xpbd_solve_extra(dr_xpbd* xpbd)
{
    dr_sheet* sheet = &xpbd->sheet;
    int step = dr_sheet_step(sheet->layout);
    float per_h_squared = 1.0f / (xpbd->h * xpbd->h);
    for (int i = 0; i < xpbd->extra_count; ++i) {
        dr_stencil* stencil = &xpbd->extra[i];
        float value[3] = {0}, ws = stencil->compliance * per_h_squared;
        float* p[4];
        for (int k = 0; k < stencil->count; ++k) {
            p[k] = sheet->pos + dr_sheet_offset(sheet->layout, stencil->slot[k]);
            ws += p[k][3 * step] * stencil->coef[k] * stencil->coef[k];
        }
        for (int c = 0; c < 3; ++c) {
            // Differences to the first vertex keep the digits; the coefficients sum to zero.
            for (int k = 1; k < stencil->count; ++k) {
                value[c] += stencil->coef[k] * (p[k][c * step] - p[0][c * step]);
            }
            float carried = stencil->compliance * per_h_squared * stencil->lambda[c];
            float change = -(value[c] + carried) / ws;
            stencil->lambda[c] += change;
            for (int k = 0; k < stencil->count; ++k) {
                p[k][c * step] += p[k][3 * step] * stencil->coef[k] * change;
            }
        }
    }
}

double dr_xpbd_energy(const dr_xpbd* xpbd, const float* pos)
{
    return xpbd->mesh ? dr_xpbd_mesh_energy(xpbd->mesh, pos) : dr_grid_energy(xpbd->grid, pos);
}
