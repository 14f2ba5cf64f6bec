// solver/xpbd.h: the position based model of a cloth.
//
// Each substep the multipliers of the last one are applied first (warm start), then every constraint
// is projected in Gauss-Seidel order with compliance (XPBD): d = (-C - a lambda) / (sum w |grad C|^2
// + a), a = 1 / (stiffness h^2). Carrying the multipliers over makes the resting state the exact
// balance of forces whatever the number of iterations: stiffness is then the fabric's, not the mesh's
// nor the solver's.
//
// Grids (xpbd_grid.c, striped): springs along warp, weft and both diagonals, which together have the
// fabric's tensile and shear stiffness, and the plate stencils (1 -2 1) and (1 -1 -1 1) for bending.
// Meshes (xpbd_mesh.c, records): the three strains of each triangle in its warp and weft frame, solved
// together, and for each hinge the linear stencil whose length is l 2 sin(theta/2), so that it stores
// B l^2 theta^2 / (2 (A1 + A2)) for small angles (FABRICS 2). A curved rest shape turns with the cloth.
//
// Order and threads: constraints belong to blocks of rows or levels; a block touches its own vertices
// and some of the next block, so even blocks run beside each other, then odd ones. Blocks follow from
// the mesh alone: the result is the same for any number of workers.
#ifndef DR_XPBD_H
#define DR_XPBD_H

#include "mesh/mesh.h"
#include "solver/sheet.h"

typedef struct dr_xpbd_grid dr_xpbd_grid;
typedef struct dr_xpbd_mesh dr_xpbd_mesh;

// A linear stencil on up to four vertices, sum of coef * x = 0, solved one by one.
typedef struct dr_stencil {
    int32_t slot[4];
    float coef[4];
    int count;
    float compliance; // m/N
    float lambda[3];
} dr_stencil;

typedef struct dr_xpbd {
    dr_sheet sheet;
    int block_count;
    int constraint_count; // scalar equations per sweep, for ns per constraint
    dr_xpbd_grid* grid;   // one of the two
    dr_xpbd_mesh* mesh;
    dr_stencil* extra;    // stiffer bending where the cloth leaves a clamp
    int extra_count, extra_capacity;
    float h;              // substep the compliances were made for
} dr_xpbd;

// Grid of `columns` x `rows` vertices, vertex (c, r) = r * columns + c, warp along columns.
bool dr_xpbd_create_grid(dr_xpbd* xpbd, dr_memory* memory, const drape_fabric* fabric, float size_x,
                         float size_z, int columns, int rows);
// Any mesh, with the rest shape and warp directions it carries.
bool dr_xpbd_create_mesh(dr_xpbd* xpbd, dr_memory* memory, const drape_fabric* fabric,
                         const dr_mesh* mesh);
void dr_xpbd_free(dr_xpbd* xpbd, dr_memory* memory);

// After inverse masses changed: clamps are found anew and multipliers start from zero. False when
// memory is short.
bool dr_xpbd_update_clamps(dr_xpbd* xpbd, dr_memory* memory);
// Multipliers back to zero, after the state was set from outside.
void dr_xpbd_reset(dr_xpbd* xpbd);
// Slots without a vertex are laid over one that has, so that bounds and distances do not notice them.
void dr_xpbd_tidy(dr_xpbd* xpbd);
// Compliances for substeps of h seconds; cheap when h did not change.
void dr_xpbd_prepare(dr_xpbd* xpbd, float h);

// One block, warm start or one sweep. Blocks of the same parity may run at the same time.
void dr_xpbd_warm_block(dr_xpbd* xpbd, drape_isa isa, int block);
void dr_xpbd_solve_block(dr_xpbd* xpbd, drape_isa isa, int block);
// The extra stencils, after the blocks.
void dr_xpbd_solve_extra(dr_xpbd* xpbd);

// Elastic energy of a pose (positions per slot as in sheet->pos), J; for tests.
double dr_xpbd_energy(const dr_xpbd* xpbd, const float* pos);

#endif
