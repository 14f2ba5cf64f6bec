// mesh/generate.h: shapes made by rule.
//
//     grid, rows along z           disc, rings of 6, 12, 18 ... vertices
//
//       6---7---8                        3---2
//       | / | \ |                       / \ / \        vertex 0 at the centre, ring k begins
//       3---4---5                      4---0---1       at 1 + 3 k (k - 1) on the x axis and
//       | \ | / |                       \ / \ /        runs from x towards z
//       0---1---2  --> x                 5---6
//
// Normals point along +y. The functions return false when memory is short or a count is below 1 or
// beyond what an int can number; nothing is held then.
#ifndef DR_GENERATE_H
#define DR_GENERATE_H

#include "core/memory.h"

// Arrays that belong to whoever asked; freed with dr_shape_free.
typedef struct dr_shape_mesh {
    drape_vec3* positions;
    float (*uv)[2]; // x and z
    int32_t (*triangles)[3];
    int vertex_count, triangle_count;
} dr_shape_mesh;

// A grid in the plane of x and z from the origin; vertex (column, row) is row * columns + column.
// The last column is at size_x exactly, the last row at size_z. columns, rows >= 1; one of them 1
// gives a line without triangles. Alternating diagonals begin forward in cell (0,0).
bool dr_generate_grid(dr_shape_mesh* out, dr_memory* memory, float size_x, float size_z,
                      int columns, int rows, drape_diagonals diagonals);
// A disc in the plane of x and z, vertex 0 at the centre, ring k has 6 k vertices, 6 rings^2
// triangles. When ring_radius is above zero and below radius, the inner ring nearest to it is moved
// exactly there and the others are spread evenly between; one ring alone has none to move.
bool dr_generate_disc(dr_shape_mesh* out, dr_memory* memory, float radius, int rings,
                      float ring_radius);
void dr_shape_free(dr_shape_mesh* shape, dr_memory* memory);

#endif
