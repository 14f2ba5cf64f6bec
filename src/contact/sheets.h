// contact/sheets.h: the cloths of a world as one moving mesh, for detectors of self-collision.
//
// Vertices, edges and triangles of all cloths are numbered through, cloth by cloth (a cloth is a
// *part*), each in the order of its mesh. `start` are the committed places, free of crossings;
// `end` the candidates of the step. Both are floats, for these are what is written to files and
// checked.
#ifndef DR_SHEETS_H
#define DR_SHEETS_H

#include "mesh/mesh.h"

typedef struct dr_sheets_part {
    const dr_mesh* mesh;
    int columns, rows; // of a grid: vertex (c, r) is r * columns + c; 0 when it is none
    int first_vertex, first_edge, first_triangle;
} dr_sheets_part;

typedef struct dr_sheets {
    int part_count;
    dr_sheets_part* parts; // part_count + 1: the last one has the totals and no mesh
    int vertex_count, edge_count, triangle_count;
    int32_t (*edges)[2];
    int32_t (*triangles)[3];
    int32_t* part_of_triangle;
    drape_vec3 *start, *end;
} dr_sheets;

// `parts` says mesh, columns and rows of each part; the rest is filled in. False when memory is
// short; free it then all the same.
bool dr_sheets_create(dr_sheets* sheets, dr_memory* memory, const dr_sheets_part* parts,
                      int part_count);
void dr_sheets_free(dr_sheets* sheets, dr_memory* memory);

#endif
