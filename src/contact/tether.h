// contact/tether.h: long range attachments (Kim, Chentanez and Mueller 2012).
//
// A sweep of the solver carries a pull only so far, so cloth that hangs from its pins with few
// sweeps grows long. But no vertex can be further from a pin than the cloth between them is long at
// rest, and that is known beforehand:
//
//     pin *--+--+--+--+--o        |x - pin| <= (1 + slack) * way along the rest shape
//             \_________/         a pull only: nearer is always fine
//
// Held vertices that are neighbours are one island, and a vertex is tied to the nearest vertex of
// each of the nearest islands. Ties end in vertices that do not yield, so each vertex is put right
// by its own alone: in any order, eight at a time.
//
// A tie must never be shorter than the way it stands for. On cloth that is flat at rest and convex
// the way is a straight line. Elsewhere it is marched (contact/sensor_march.h), which on surfaces
// that bulge may be short by some thousandths; there the lengths are taken a hundredth longer.
// Marching from every vertex of a long island would take seconds: some are chosen, as far from each
// other as can be, and a tie to one of them is longer, never shorter.
#ifndef DR_TETHER_H
#define DR_TETHER_H

#include "mesh/mesh.h"
#include "solver/sheet.h"

enum { DR_TETHER_ROWS = 4, DR_TETHER_MARCHES = 32 };

typedef struct dr_tethers {
    int row_count; // of ties per vertex, at most DR_TETHER_ROWS, the nearest last
    int vector_count;
    int32_t* anchor; // row by row, per slot: index of an anchor
    float* length;   // row by row, per slot: m, infinite where there is no tie
    int anchor_count;
    int32_t* anchor_slots;
    float* anchors; // x y z 0 of each, in this sweep
} dr_tethers;

// Ties for the vertices that `sheet` holds now (inverse mass 0). False when memory is short; free
// it then all the same.
bool dr_tethers_create(dr_tethers* tethers, dr_memory* memory, const dr_mesh* mesh,
                       const dr_sheet* sheet, float slack);
void dr_tethers_free(dr_tethers* tethers, dr_memory* memory);

// Reads where the anchors are, once after they moved.
void dr_tethers_begin(dr_tethers* tethers, const dr_sheet* sheet);

typedef struct dr_tether_kernels {
    // Brings the candidates of a run of vectors within their ties.
    void (*pull)(const dr_tethers* tethers, const dr_sheet* sheet, int vector_begin,
                 int vector_end);
} dr_tether_kernels;

const dr_tether_kernels* dr_tether_kernels_for(drape_isa isa);

#endif
