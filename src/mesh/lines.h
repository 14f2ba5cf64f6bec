// mesh/lines.h: the lines of a mesh, ways of edges that go straight on.
//
// Garments are woven and cut along their yarns, and so are the meshes that artists make of them:
// rings round a sleeve, columns down a skirt. Where two edges of a vertex go on straight in each
// other's direction, more than in any other's, they are of one line.
//
//     +--+--+--+     rows, columns and diagonals are lines
//     | /| /| /|
//     +--+--+--+
//
// Every edge that has a length is in one line. A line that comes back to its first vertex is a ring
// and ends with the vertex that it began with; no other vertex is in it twice.
#ifndef DR_LINES_H
#define DR_LINES_H

#include "mesh.h"

typedef struct dr_lines {
    int count;
    int32_t* start;    // count + 1
    int32_t* vertices; // of line i: start[i] .. start[i + 1]
    int32_t* edges;    // from each vertex to the next one of its line; the last has none: -1
    int vertex_count;  // of all lines
    int edge_room;     // what start and vertices were made for
} dr_lines;

// In the order of their first edges. Linear time, deterministic. False when memory is short; free
// them then all the same.
bool dr_lines_find(dr_lines* lines, dr_memory* memory, const dr_mesh* mesh);
void dr_lines_free(dr_lines* lines, dr_memory* memory);

// Whether an edge is the longest of each of its triangles, by more than rounding: it carries shear.
bool dr_lines_is_diagonal(const dr_mesh* mesh, int edge);

#endif
