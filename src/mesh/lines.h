// mesh/lines.h: the lines of a mesh, ways of edges that go straight on.
//
// Garments are woven and cut along their yarns, and so are the meshes that artists make of them:
// rings round a sleeve, columns down a skirt. Where two edges of a vertex go on straight in each
// other's direction, more than in any other's, they are of one line.
//
//     +--+--+--+     rows and columns are lines; the diagonals, each the longest side of both its
//     | /| /| /|     triangles, are left out: they stand for nothing that is woven
//     +--+--+--+
//
// Every edge is in one line at most. A line that comes back to its first vertex is a ring and ends
// with the vertex that it began with; no other vertex is in it twice.
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

// Lines of at least `least` edges, in the order of their first edges. Linear time but for vertices
// with very many edges, deterministic. False when memory is short; free them then all the same.
bool dr_lines_find(dr_lines* lines, dr_memory* memory, const dr_mesh* mesh, int least);
void dr_lines_free(dr_lines* lines, dr_memory* memory);

#endif
