// solver/sheet.h: the vertices of one cloth as solvers see them.
//
// Vertices live in *slots*, eight to a vector, four floats to a slot. Two layouts, one accessor:
//
//   striped   vector k holds x[8] y[8] z[8] w[8]; for grids, whose neighbours then line up lane by
//             lane: column c of S = row_vectors * 8 lanes is lane c / row_vectors of vector
//             c % row_vectors (no gathers, one rotation per row end)
//   records   slot k holds x y z w; for meshes, whose neighbours are fetched slot by slot
//
// `pos` is the candidate of the substep, its w the inverse mass (0: does not yield); `start` the
// committed position; `vel` the velocity. Slots without a vertex have inverse mass 0 and stay.
#ifndef DR_SHEET_H
#define DR_SHEET_H

#include "core/memory.h"

typedef enum dr_layout {
    DR_LAYOUT_STRIPED,
    DR_LAYOUT_RECORDS,
} dr_layout;

typedef struct dr_sheet {
    dr_layout layout;
    int vertex_count;
    int vector_count;        // slots / 8
    int32_t* slot_of_vertex; // vertex_count
    float* pos;
    float* start;
    float* vel;
    float* force;            // of the air, per vertex and unit mass; null while there is no air
    float* mass;             // per vertex, kg
} dr_sheet;

// Offset of component 0 of a slot; further components are dr_sheet_step() apart.
static inline size_t dr_sheet_offset(dr_layout layout, int slot)
{
    return layout == DR_LAYOUT_STRIPED ? (size_t)(slot >> 3) * 32 + (size_t)(slot & 7)
                                       : (size_t)slot * 4;
}

static inline int dr_sheet_step(dr_layout layout)
{
    return layout == DR_LAYOUT_STRIPED ? 8 : 1;
}

static inline drape_vec3 dr_sheet_get(dr_layout layout, const float* array, int slot)
{
    const float* p = array + dr_sheet_offset(layout, slot);
    int step = dr_sheet_step(layout);
    return (drape_vec3){p[0], p[step], p[2 * step]};
}

static inline void dr_sheet_set(dr_layout layout, float* array, int slot, drape_vec3 v)
{
    float* p = array + dr_sheet_offset(layout, slot);
    int step = dr_sheet_step(layout);
    p[0] = v.x;
    p[step] = v.y;
    p[2 * step] = v.z;
}

static inline float dr_sheet_inverse_mass(const dr_sheet* sheet, int slot)
{
    return sheet->pos[dr_sheet_offset(sheet->layout, slot) + 3 * dr_sheet_step(sheet->layout)];
}

static inline void dr_sheet_set_inverse_mass(dr_sheet* sheet, int slot, float w)
{
    sheet->pos[dr_sheet_offset(sheet->layout, slot) + 3 * dr_sheet_step(sheet->layout)] = w;
}

// All arrays zeroed, slots unassigned. False when memory is short; free it then all the same.
bool dr_sheet_create(dr_sheet* sheet, dr_memory* memory, dr_layout layout, int vertex_count,
                     int vector_count);
void dr_sheet_free(dr_sheet* sheet, dr_memory* memory);
// Writes positions into pos and start, velocities into vel (null: zero).
void dr_sheet_set_state(dr_sheet* sheet, const drape_vec3* positions, const drape_vec3* velocities);
// Reads the committed state; either may be null.
void dr_sheet_get_state(const dr_sheet* sheet, drape_vec3* positions, drape_vec3* velocities);

// --- Kernels, per instruction set ---

typedef struct dr_predict_args {
    drape_vec3 gravity;
    float h;        // s
    float keep;     // share of the velocity kept in a substep
} dr_predict_args;

// Bounds of a run of vectors after a commit.
typedef struct dr_chunk_bounds {
    float lo[3], hi[3];
    float speed_squared; // largest
    int non_finite_count;
} dr_chunk_bounds;

typedef struct dr_sheet_kernels {
    // vel += gravity and air, damped; pos = start + h vel. Held vertices stay where they are.
    void (*predict)(const dr_sheet* sheet, int vector_begin, int vector_end,
                    const dr_predict_args* args);
    // vel from the displacement, start = pos; bounds of what was committed.
    void (*commit)(const dr_sheet* sheet, int vector_begin, int vector_end, float h,
                   dr_chunk_bounds* bounds);
} dr_sheet_kernels;

const dr_sheet_kernels* dr_sheet_kernels_for(drape_isa isa);

#endif
