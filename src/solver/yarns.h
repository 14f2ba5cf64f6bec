// solver/yarns.h: the lines of a mesh (mesh/lines.h) as chains of springs, for few sweeps.
//
// Triangle by triangle a sweep carries a pull only so far: cloth that is stepped thirty times a
// second is too long where it hangs, and a blow stretches what it meets before the rest knows. Along
// a line the answer is known at once (solver/chain_lanes.h). So before its sweeps over triangles a
// mesh is brought to its lengths line by line, columns and rings in turn, eight at a time.
//
// This is beside the triangles, not in their place: what is along no line, shear above all, is
// theirs. Springs that are too short by some hundredths do nothing: there cloth buckles. A ring is
// cut open at its first vertex, which gets what both ends ask for. What a solid presses against
// follows a pull only along its surface: else chains and contacts would undo each other's work.
#ifndef DR_YARNS_H
#define DR_YARNS_H

#include "mesh/mesh.h"
#include "solver/sheet.h"

enum {
    DR_YARN_LEAST = 3,   // edges of a line that is worth it
    DR_YARN_SPRING = 64, // floats to eight springs in elimination
};

// Eight lines without a common vertex.
typedef struct dr_yarn_batch {
    int first;  // place in slots; springs are one fewer
    int length; // places
} dr_yarn_batch;

typedef struct dr_yarns {
    int batch_count, place_count;
    dr_yarn_batch* batches;
    int32_t (*slots)[8];   // by place
    float (*rest)[8];      // by place, of the spring to the next one, m
    float (*stiffness)[8]; // likewise, N/m; 0: no spring
    float* pressed; // by slot, four floats: normal of the solid that a vertex is pressed against,
                    // which it cannot leave or enter; 0: none
    int slot_count;
    float* scratch; // DR_YARN_SPRING floats for each place of the longest batch
    int longest;
} dr_yarns;

// For the slots of `sheet`, in records; `empty` is one that belongs to no vertex and is held.
// `stretch` is N/m for a metre of width. False when memory is short; free it then all the same.
bool dr_yarns_create(dr_yarns* yarns, dr_memory* memory, const dr_mesh* mesh, const dr_sheet* sheet,
                     int empty, float stretch);
// Which vertices are pressed, anew before each pull.
void dr_yarns_release_all(dr_yarns* yarns);
static inline void dr_yarns_press(dr_yarns* yarns, int slot, drape_vec3 normal)
{
    float* at = yarns->pressed + 4 * (size_t)slot;
    at[0] = normal.x;
    at[1] = normal.y;
    at[2] = normal.z;
}

void dr_yarns_free(dr_yarns* yarns, dr_memory* memory);

typedef struct dr_yarn_kernels {
    // Brings the candidates of all lines to their lengths, over a substep of h seconds.
    void (*pull)(const dr_yarns* yarns, float* pos, float h);
} dr_yarn_kernels;

const dr_yarn_kernels* dr_yarn_kernels_for(drape_isa isa);

#endif
