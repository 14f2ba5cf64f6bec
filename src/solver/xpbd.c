#include "solver/xpbd.h"

#include "core/base.h"
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
    dr_sheet_free(&xpbd->sheet, memory);
    *xpbd = (dr_xpbd){0};
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

void dr_xpbd_masses_changed(dr_xpbd* xpbd)
{
    xpbd->h = 0.0f;
}

void dr_xpbd_prepare(dr_xpbd* xpbd, float h)
{
    if (xpbd->h == h) {
        return;
    }
    xpbd->h = h;
    if (xpbd->mesh) {
        dr_xpbd_mesh_prepare(xpbd, h);
    } else {
        dr_grid_prepare(xpbd, h);
    }
}

void dr_xpbd_stiffen(dr_xpbd* xpbd, float times)
{
    if (dr_xpbd_times_stiffer(xpbd) != times) {
        xpbd->stiffer = times;
        xpbd->h = 0.0f;
    }
}

void dr_xpbd_bend_ahead(dr_xpbd* xpbd, int substeps)
{
    if (xpbd->mesh && xpbd->mesh->bend.ahead != (float)substeps) {
        xpbd->mesh->bend.ahead = (float)substeps;
        xpbd->h = 0.0f;
    }
}

bool dr_xpbd_threads_pay(const dr_xpbd* xpbd)
{
    return xpbd->mesh ? xpbd->mesh->block_count > 2 : xpbd->sheet.vertex_count >= 5000;
}

size_t dr_xpbd_scratch(const dr_xpbd* xpbd)
{
    return xpbd->grid ? dr_grid_scratch(xpbd->grid) : 0;
}

int dr_xpbd_phase_count(const dr_xpbd* xpbd, dr_xpbd_stage stage)
{
    if (xpbd->grid) {
        return dr_grid_phase_count(xpbd->grid, stage);
    }
    return stage == DR_XPBD_BEND ? 2 * xpbd->mesh->bend_sweeps : 2;
}

int dr_xpbd_item_count(const dr_xpbd* xpbd, dr_xpbd_stage stage, int phase)
{
    if (xpbd->grid) {
        return dr_grid_item_count(xpbd->grid, stage, phase);
    }
    return (xpbd->mesh->block_count + 1 - phase % 2) / 2; // even blocks, then odd ones
}

void dr_xpbd_run(dr_xpbd* xpbd, drape_isa isa, dr_xpbd_stage stage, int phase, int item,
                 dr_xpbd_sweep sweep, float* scratch)
{
    DR_ASSERT(item >= 0 && item < dr_xpbd_item_count(xpbd, stage, phase));
    if (xpbd->grid) {
        dr_grid_run(xpbd->grid, isa, (dr_grid_item){stage, phase, item}, sweep, scratch);
        return;
    }
    const dr_mesh_kernels* kernels = dr_mesh_kernels_for(isa);
    int block = 2 * item + phase % 2;
    if (stage == DR_XPBD_BEND) {
        kernels->bend(xpbd->mesh, block, phase < 2);
    } else {
        kernels->stretch(xpbd->mesh, block, sweep.index == 0);
    }
}

double dr_xpbd_energy(const dr_xpbd* xpbd, const float* pos)
{
    return xpbd->mesh ? dr_xpbd_mesh_energy(xpbd->mesh, pos) : dr_grid_energy(xpbd->grid, pos);
}
