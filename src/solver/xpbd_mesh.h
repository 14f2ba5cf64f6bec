// solver/xpbd_mesh.h: constraints of a general mesh. Between xpbd_mesh.c and its kernels.
//
// Triangles: with shape weights a_i, b_i of the corners, Fu = sum a_i x_i and Fv = sum b_i x_i are
// the images of the unit warp and weft vectors. The three constraints |Fu| - 1, |Fv| - 1 and the
// sine of the shear angle are solved together; all gradients are combinations of a_i and b_i, whose
// sums are 0. They go star by star (mesh/stars.h): the owner is corner 0 of its triangles, corners 1
// and 2 go round it. Empty lanes refer to slots of their own that never move.
//
// Hinges: sum k_i x_i - bow n with cotangent weights k (Bergou 2006), n the normal of the pair.
// Their energy is quadratic as long as n stays, and the same for x, y and z: one matrix K with a
// row per vertex and some twelve neighbours in it. A substep looks for
//
//     (M + h^2 (1 + lag) K) u = M aim + h^2 (1 + lag) fold,    aim = pos + lag (pos - start)
//
// where lag is internal friction over the substep and `fold` the pull of the bows, n taken from the
// prediction; then pos moves by (u - aim) / (1 + lag). Chebyshev sweeps from u = aim (Golub and
// Varga 1961) use nothing but K u / M: linear and angular momentum are kept however few there are,
// and no order of vertices matters, so neither do threads. Hinge by hinge a sweep cost nearly four
// times as much.
#ifndef DR_XPBD_MESH_H
#define DR_XPBD_MESH_H

#include "mesh/stars.h"
#include "solver/sheet.h"

// A row of triangles. What follows from the masses and the substep is made by prepare: with w the
// inverse masses of the corners and c the compliance along the warp, aa = sum w a a and so on.
typedef struct dr_triangle_batch {
    float a[2][8]; // shape weights of corners 1 and 2; corner 0 has minus their sum
    float b[2][8];
    float inverse[8]; // 1 / (aa + c)
    float yield[8];   // c / (aa + c)
    float ab[8];      // ab / (aa + c)
    float bb[8];      // bb / (aa + c)
    float lambda[3][8];
} dr_triangle_batch;

typedef struct dr_hinge_batch {
    int32_t slot[4][8];
    float k[3][8];       // of vertices 1 to 3; vertex 0 has minus their sum
    float compliance[8]; // m/N
    float stiffness[8];  // that the matrix has for it, N/m
    float bow[8];        // of the rest shape, m
} dr_hinge_batch;

// Eight vertices that follow one another, each with one other vertex that bends with it.
typedef struct dr_coupling {
    int32_t slot[8];
    float k[8]; // entry of the matrix, N/m
} dr_coupling;

// What the phases of a substep leave room for, beside aims and folds.
enum { DR_BEND_SWEEPS = 14 };

typedef struct dr_bend {
    dr_coupling* couplings;
    int32_t* coupling_start; // per vector of eight slots, vector_count + 1
    int32_t* vector_start;   // per block, block_count + 1
    float* aim;              // where the vertices would go without bending, records
    float* guess[2];         // where they go after the last sweeps, records
    float* fold;             // pull of the bows, records; null when all is flat
    float ahead;             // substeps that one bending stands for, see dr_xpbd_bend_ahead
    int32_t* call;           // per block: how often it was run in this substep
    int vector_count, coupling_count;
    int sweeps;
    float lag;                             // internal friction over the substep, tau / h
    float weight;                          // (1 + lag) h^2 times the substeps ahead, s^2
    float step, omega[DR_BEND_SWEEPS + 1]; // of each sweep, from 1
    // To fill in the matrix: hinges round each slot, and sums by slot.
    int32_t* hinge_start;
    int32_t* hinge_list;
    int32_t* met;
    double* sum;
    double* trial;
} dr_bend;

struct dr_xpbd_mesh {
    float* pos; // of the sheet
    const float* start;
    float damping; // internal friction of bending, s
    dr_stars stars;
    dr_triangle_batch* triangles; // one per row of stars.triangles
    float (*rest_area)[8];        // likewise; 0 in empty lanes
    dr_hinge_batch* hinges;
    int32_t* hinge_start; // per block, block_count + 1
    int block_count, hinge_batch_count;
    bool is_flat;       // no hinge has a bow
    float stiffness[3]; // warp, weft, shear, N/m
    float softness[2];  // of weft and shear, as multiples of the warp's
    int bend_sweeps;    // calls of `bend` per substep and block
    dr_bend bend;
    // For clamps: what a hinge's compliance is made of, in batch order.
    float (*hinge_area)[2][8];
    float (*hinge_rigidity)[8];
};

typedef struct dr_mesh_kernels {
    // One call over the vertices or triangles of a block; the first of a substep starts afresh.
    void (*bend)(const struct dr_xpbd_mesh* mesh, int block, bool is_first);
    void (*stretch)(const struct dr_xpbd_mesh* mesh, int block, bool is_first);
} dr_mesh_kernels;

const dr_mesh_kernels* dr_mesh_kernels_for(drape_isa isa);

struct dr_xpbd;

void dr_xpbd_mesh_prepare(struct dr_xpbd* xpbd, float h);
void dr_xpbd_mesh_free(struct dr_xpbd_mesh* mesh, dr_memory* memory);
// Empty lanes of block b get slot first_empty + b * empty_step.
bool dr_stretch_create(struct dr_xpbd_mesh* mesh, dr_memory* memory, const dr_mesh* shape,
                       const dr_order* order, const dr_blocks* blocks, int first_empty,
                       int empty_step);
void dr_stretch_free(struct dr_xpbd_mesh* mesh, dr_memory* memory);
void dr_stretch_prepare(struct dr_xpbd* xpbd, float h);
// Scalar equations of a sweep.
int dr_stretch_count(const struct dr_xpbd_mesh* mesh);
double dr_stretch_energy(const struct dr_xpbd_mesh* mesh, const float* pos);
// Bending needs the hinge batches. Vectors of eight slots go to the blocks that slot_start begins.
bool dr_bend_create(struct dr_xpbd_mesh* mesh, dr_memory* memory, const int32_t* slot_start,
                    int vector_count);
void dr_bend_free(struct dr_xpbd_mesh* mesh, dr_memory* memory);
void dr_bend_prepare(struct dr_xpbd* xpbd, float h);

double dr_xpbd_mesh_energy(const struct dr_xpbd_mesh* mesh, const float* pos);

#endif
