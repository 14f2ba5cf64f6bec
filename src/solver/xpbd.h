// solver/xpbd.h: the position based model of a cloth.
//
// A substep bends, then stretches. Constraints are projected with compliance (XPBD): the multiplier
// of C grows by (-C - a lambda) / (sum w |grad C|^2 + a), a = 1 / (stiffness h^2).
//
// Grids (xpbd_grid.h, striped): springs along warp, weft and both diagonals, which together have
// the fabric's tensile and shear stiffness; every chain of springs is solved whole. Bending by the
// plate stencils (1 -2 1) and (1 -1 -1 1), line by line.
// Meshes (xpbd_mesh.h, records): the three strains of each triangle in its warp and weft frame,
// solved together, owner by owner, and for each hinge the linear stencil whose length is
// l 2 sin(theta/2), so that it stores B l^2 theta^2 / (2 (A1 + A2)) for small angles. A curved rest
// shape turns with the cloth.
//
// Order and threads: each stage is a row of phases, each phase a number of items that touch
// disjoint vertices and may run at the same time. Items follow from the mesh alone, so the result
// is the same for any number of workers.
#ifndef DR_XPBD_H
#define DR_XPBD_H

#include "mesh/mesh.h"
#include "solver/sheet.h"

enum { DR_XPBD_MAX_PHASES = 32 };

typedef enum dr_xpbd_stage {
    DR_XPBD_BEND,    // once a substep
    DR_XPBD_STRETCH, // once a sweep
    DR_XPBD_STAGES,
} dr_xpbd_stage;

typedef struct dr_xpbd {
    dr_sheet sheet;
    int constraint_count; // scalar equations per sweep, for ns per constraint
    struct dr_xpbd_grid* grid; // one of the two
    struct dr_xpbd_mesh* mesh;
    float h;              // substep that compliances were made for
    float rigidity;       // of the fabric against bending, the mean of both ways, N m
    float stiffer;        // so many times that, see dr_xpbd_stiffen; 0: once
} dr_xpbd;

// Which sweep of a substep an item runs in.
typedef struct dr_xpbd_sweep {
    int index, count;
} dr_xpbd_sweep;

// Grid of `columns` x `rows` vertices, vertex (c, r) = r * columns + c, warp along columns.
bool dr_xpbd_create_grid(dr_xpbd* xpbd, dr_memory* memory, const drape_fabric* fabric, float size_x,
                         float size_z, int columns, int rows);
// Any mesh, with the rest shape and warp directions it carries.
bool dr_xpbd_create_mesh(dr_xpbd* xpbd, dr_memory* memory, const drape_fabric* fabric,
                         const dr_mesh* mesh);
void dr_xpbd_free(dr_xpbd* xpbd, dr_memory* memory);

// Compliances for substeps of h seconds; cheap when h is the last one.
void dr_xpbd_prepare(dr_xpbd* xpbd, float h);
// After inverse masses changed: the next prepare starts afresh.
void dr_xpbd_masses_changed(dr_xpbd* xpbd);
// From the next prepare on one bending of a mesh stands for that many substeps: what it changes of the
// velocities is what all of them would. Grids bend in every substep.
void dr_xpbd_bend_ahead(dr_xpbd* xpbd, int substeps);
static inline float dr_xpbd_times_stiffer(const dr_xpbd* xpbd)
{
    return xpbd->stiffer > 0.0f ? xpbd->stiffer : 1.0f;
}
// From the next prepare on it bends as if its fabric were so many times as stiff.
void dr_xpbd_stiffen(dr_xpbd* xpbd, float times);
// Lays slots without a vertex over one that has, where bounds and distances do not notice them.
void dr_xpbd_tidy(dr_xpbd* xpbd);

// Whether several workers are faster than one. Blocks of a mesh stay with their worker, and so do
// most rows of a grid; but its bending across is cut by columns. With two sweeps a second core
// makes a grid of 51 x 51 no faster, 101 x 101 faster by 1.45, 201 x 201 by 1.84.
bool dr_xpbd_threads_pay(const dr_xpbd* xpbd);
// Floats of scratch that one worker needs.
size_t dr_xpbd_scratch(const dr_xpbd* xpbd);
int dr_xpbd_phase_count(const dr_xpbd* xpbd, dr_xpbd_stage stage);
int dr_xpbd_item_count(const dr_xpbd* xpbd, dr_xpbd_stage stage, int phase);
void dr_xpbd_run(dr_xpbd* xpbd, drape_isa isa, dr_xpbd_stage stage, int phase, int item,
                 dr_xpbd_sweep sweep, float* scratch);

// Elastic energy of a pose (positions per slot as in sheet->pos), J; for tests.
double dr_xpbd_energy(const dr_xpbd* xpbd, const float* pos);

#endif
