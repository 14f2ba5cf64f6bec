// contact/sensor_outline.h: whether the border of a patch, seen along a direction, crosses itself.
//
// Seen along a direction that all triangles of a patch face, a point of the plane is covered as
// often as the border winds round it. The border is *simple* here when none of its edges meet but
// at common vertices, no vertex is passed twice, and exactly one loop runs counter-clockwise: the
// outline; all others are holes. Then nothing is covered twice.
//
//     +--------+       +--------+       +-----+
//     | +----+ |       |     +--+--+    | +---+--+
//     | |hole| |       |     |  |  |    | |   |  |
//     | +----+ |       +--+  +--+--+    | +---+  |
//     +--------+          +-----+       +--------+
//       simple          crosses          crosses
//
// Directions are those of the faces, edges and corners of a cube, so a place is seen at differences
// of its coordinates, nearly always without rounding, and the sides of points are exact.
#ifndef DR_SENSOR_OUTLINE_H
#define DR_SENSOR_OUTLINE_H

#include "contact/sensor_sort.h"
#include "core/memory.h"

typedef struct dr_outline_edge {
    int32_t from, to;
    double a[2], b[2]; // seen
    double lo, hi;     // of the first coordinate
    bool is_seen;
} dr_outline_edge;

// Room for the edges of one border.
typedef struct dr_outline {
    dr_outline_edge* edges;
    dr_sort_item* order; // of the edges
    int32_t* edge_from;  // by vertex: the edge that begins there; -1 between calls
    int count, capacity, vertex_count;
} dr_outline;

// False when memory is short; free it then all the same.
bool dr_outline_create(dr_outline* outline, dr_memory* memory, int capacity, int vertex_count);
void dr_outline_free(dr_outline* outline, dr_memory* memory);

// The border is that of all edges added since the last clear, each with the patch to its left when
// seen from the front.
void dr_outline_clear(dr_outline* outline);
void dr_outline_add(dr_outline* outline, int from, int to);
// Twice the sum of the vector areas of the patch; its direction is the mean normal.
drape_vec3 dr_outline_area(const dr_outline* outline, const drape_vec3* places);
// `direction` has coordinates -1, 0, 1, not all 0.
bool dr_outline_is_simple(dr_outline* outline, const drape_vec3* places, const int direction[3]);

#endif
