// solver/xpbd_mesh.h: constraints of a general mesh. Between xpbd_mesh.c and its kernels.
//
// Triangles: with shape weights a_i, b_i of the corners, Fu = sum a_i x_i and Fv = sum b_i x_i are the
// images of the unit warp and weft vectors. The three constraints |Fu| - 1, |Fv| - 1 and the sine of the
// shear angle are solved together; all gradients are combinations of a_i and b_i (sum a = sum b = 0).
//
// Hinges: sum k_i x_i - bow n with cotangent weights k (Bergou 2006), n the normal of the pair.
//
// Batches of eight that share no vertex; empty lanes refer to slots of their own that never move.
#ifndef DR_XPBD_MESH_H
#define DR_XPBD_MESH_H

#include "solver/sheet.h"

typedef struct dr_triangle_batch {
    int32_t slot[3][8];
    float a[2][8]; // shape weights of corners 1 and 2; corner 0 has minus their sum
    float b[2][8];
    float per_area[8]; // 1 / rest area
    float lambda[3][8];
} dr_triangle_batch;

typedef struct dr_hinge_batch {
    int32_t slot[4][8];
    float k[3][8];       // of vertices 1 to 3; vertex 0 has minus their sum
    float compliance[8]; // m/N
    float bow[8];        // of the rest shape, m
    float lambda[3][8];
} dr_hinge_batch;

struct dr_xpbd_mesh {
    float* pos; // of the sheet
    const float* start;
    float damping, lag; // internal friction of bending: tau in s, tau / h
    dr_triangle_batch* triangles;
    dr_hinge_batch* hinges;
    int32_t* triangle_start; // per block, block_count + 1
    int32_t* hinge_start;
    int block_count;
    int triangle_batch_count, hinge_batch_count;
    bool is_flat;          // no hinge has a bow
    float compliance[3];   // warp, weft, shear per unit area: 1 / (stiffness h^2)
    float stiffness[3];    // N/m
    float per_h_squared;
    int bend_sweeps;       // so many that bending is within a few per cent of the fabric's
    // For clamps: what a hinge's compliance is made of, in batch order.
    float (*hinge_area)[2][8];
    float (*hinge_rigidity)[8];
};

typedef struct dr_mesh_kernels {
    // One sweep over the hinges or triangles of a block; in the first one multipliers start from zero.
    void (*bend)(const struct dr_xpbd_mesh* mesh, int block, bool is_first);
    void (*stretch)(const struct dr_xpbd_mesh* mesh, int block, bool is_first);
} dr_mesh_kernels;

const dr_mesh_kernels* dr_mesh_kernels_for(drape_isa isa);

struct dr_xpbd;

void dr_xpbd_mesh_prepare(struct dr_xpbd* xpbd, float h);
void dr_xpbd_mesh_free(struct dr_xpbd_mesh* mesh, dr_memory* memory);
double dr_xpbd_mesh_energy(const struct dr_xpbd_mesh* mesh, const float* pos);

#endif
