// contact/vector_boxes.h: which vectors of a cloth may meet an obstacle, before any distance.
//
// A vector is eight vertices, and each of them is held against each obstacle in every substep. A
// figure has a dozen obstacles, and most vertices are far from most of them: a box round the way of
// eight vertices tells so eight vectors at a time.
//
//     chunk   |v0|v1|v2| ... |v31|       boxes, lower and upper, axis by axis
//             v
//     near    bits of the boxes that the obstacle's box, grown by the reach, overlaps
//
// Vertices that do not yield have no contacts and are left out.
#ifndef DR_VECTOR_BOXES_H
#define DR_VECTOR_BOXES_H

#include "solver/sheet.h"

enum { DR_BOX_VECTORS = 32 };

typedef struct dr_vector_boxes {
    float lo[3][DR_BOX_VECTORS];
    float hi[3][DR_BOX_VECTORS];
    int count;
} dr_vector_boxes;

typedef struct dr_vector_box_kernels {
    // Boxes of the vectors [begin, end), at most DR_BOX_VECTORS, from `start` to `pos`.
    void (*bound)(const dr_sheet* sheet, int begin, int end, dr_vector_boxes* boxes);
    // Bit i of the result: box i comes within `reach` of the box of an obstacle.
    uint32_t (*near)(const dr_vector_boxes* boxes, const float lo[3], const float hi[3],
                     float reach);
} dr_vector_box_kernels;

const dr_vector_box_kernels* dr_vector_box_kernels_for(drape_isa isa);

#endif
