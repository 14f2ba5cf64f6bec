#include "solver/sheet.h"

#include "core/isa.h"

bool dr_sheet_create(dr_sheet* sheet, dr_memory* memory, dr_layout layout, int vertex_count,
                     int vector_count)
{
    size_t floats = (size_t)vector_count * 32;
    *sheet = (dr_sheet){.layout = layout, .vertex_count = vertex_count,
                        .vector_count = vector_count};
    sheet->slot_of_vertex = dr_new_zeroed(memory, int32_t, vertex_count);
    sheet->pos = dr_new_zeroed(memory, float, floats);
    sheet->start = dr_new_zeroed(memory, float, floats);
    sheet->vel = dr_new_zeroed(memory, float, floats);
    sheet->mass = dr_new_zeroed(memory, float, vertex_count);
    return sheet->slot_of_vertex && sheet->pos && sheet->start && sheet->vel && sheet->mass;
}

void dr_sheet_free(dr_sheet* sheet, dr_memory* memory)
{
    size_t floats = (size_t)sheet->vector_count * 32;
    dr_delete(memory, sheet->slot_of_vertex, sheet->vertex_count);
    dr_delete(memory, sheet->pos, floats);
    dr_delete(memory, sheet->start, floats);
    dr_delete(memory, sheet->vel, floats);
    dr_delete(memory, sheet->force, floats);
    dr_delete(memory, sheet->mass, sheet->vertex_count);
    *sheet = (dr_sheet){0};
}

void dr_sheet_set_state(dr_sheet* sheet, const drape_vec3* positions, const drape_vec3* velocities)
{
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        dr_sheet_set(sheet->layout, sheet->pos, slot, positions[v]);
        dr_sheet_set(sheet->layout, sheet->start, slot, positions[v]);
        drape_vec3 velocity = velocities ? velocities[v] : (drape_vec3){0};
        dr_sheet_set(sheet->layout, sheet->vel, slot, velocity);
    }
}

void dr_sheet_get_state(const dr_sheet* sheet, drape_vec3* positions, drape_vec3* velocities)
{
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        if (positions) {
            positions[v] = dr_sheet_get(sheet->layout, sheet->start, slot);
        }
        if (velocities) {
            velocities[v] = dr_sheet_get(sheet->layout, sheet->vel, slot);
        }
    }
}

DR_KERNEL_TABLE(dr_sheet_kernels)
