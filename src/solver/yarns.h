// solver/yarns.h: the edges of a mesh as chains of springs along its lines (mesh/lines.h), for few
// sweeps.
//
// Triangle by triangle a sweep carries a pull only so far: cloth that is stepped thirty times a
// second is too long where it hangs, and a blow stretches what it meets before the rest knows. Along
// a line the answer is known at once: the multipliers of its springs are a tridiagonal system, each
// coupled with the one before by the vertex between them, one elimination forward, one substitution
// back. So games have their meshes brought to length line by line, diagonals, columns and rings in
// turn, eight at a time, in place of sweeps over triangles; on a skirt of 24 x 8 vertices that costs
// two thirds of one and leaves a third of the stretch.
//
// It is a coarser cloth than that of the triangles: an edge carries the pull of the triangles beside
// it, diagonals the shear, and that a fabric grows narrow when it is pulled long is not known. Springs
// that are too short by some hundredths do nothing: there cloth buckles. A ring is cut open at its
// first vertex, which gets what both ends ask for. What a solid presses against follows a pull only
// along its surface: else chains and contacts would undo each other's work.
#ifndef DR_YARNS_H
#define DR_YARNS_H

#include "mesh/mesh.h"
#include "solver/sheet.h"

enum { DR_YARN_RECORD = 96 }; // floats to eight springs in elimination

// Compliance of what does not pull, over any substep: nothing moves by it and nothing overflows.
#define DR_YARN_ABSENT 1e30f

// Eight places of a batch, and the springs from them to the next ones.
typedef struct dr_yarn_springs {
    int32_t slot[8];
    float rest[8], per_rest[8]; // m, 1/m
    float stiffness[8];         // N/m; 0: no spring
    float softest[8];           // what keeps the elimination of a taut chain from dividing by
                                // rounding errors, 1/kg
    float compliance[8];        // over the substep, 1/kg
} dr_yarn_springs;

// Eight lines without a common vertex.
typedef struct dr_yarn_batch {
    int first;  // place
    int length; // in places; springs are one fewer
} dr_yarn_batch;

typedef struct dr_yarns {
    int batch_count, place_count, longest;
    dr_yarn_batch* batches;
    dr_yarn_springs* springs; // by place
    float* pressed;  // by slot, four floats: normal of the solid that a vertex is pressed against,
    bool is_pressed; // which it cannot leave or enter; 0: none. Whether there is any
    int slot_count;
    float* scratch; // DR_YARN_RECORD floats for each place of the longest batch
    float h;        // substep that compliances were made for, s
} dr_yarns;

// For the slots of `sheet`, in records; slots that belong to no vertex are held. False when memory
// is short; free it then all the same.
bool dr_yarns_create(dr_yarns* yarns, dr_memory* memory, const dr_mesh* mesh, const dr_sheet* sheet,
                     const drape_fabric* fabric);
void dr_yarns_free(dr_yarns* yarns, dr_memory* memory);
// For substeps of h seconds; cheap when h is the last one.
void dr_yarns_prepare(dr_yarns* yarns, float h);

// Which vertices are pressed, anew before a pull.
void dr_yarns_release_all(dr_yarns* yarns);
void dr_yarns_press(dr_yarns* yarns, int slot, drape_vec3 normal);

typedef struct dr_yarn_kernels {
    // Brings the candidates of all lines to their lengths.
    void (*pull)(const dr_yarns* yarns, float* pos);
} dr_yarn_kernels;

const dr_yarn_kernels* dr_yarn_kernels_for(drape_isa isa);

#endif
