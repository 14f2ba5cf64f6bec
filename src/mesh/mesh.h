// mesh/mesh.h: a triangle mesh and everything that follows from it.
//
// Built once from arrays, in linear time, then only read. Indices are those of the caller; solvers
// that want another order keep a permutation of their own (mesh/order.h).
//
//          c
//         / \        edge (a,b) of triangle t[0] = (a,b,c), t[1] = (b,a,d) or -1 at a border
//        a---b       hinge: the edge with both opposite vertices, a b c d
//         \ /        non-manifold edges (three or more triangles): one edge, t = its first two;
//          d         one hinge for each further triangle with the first
//
// What is unusual is accepted and counted in the report:
//
// - A triangle with a repeated vertex is *collapsed*. It keeps its place in `triangles`, but has no
//   edges (triangle_edges is -1), no hinges, owns nothing and is in no vertex's list.
// - A *degenerate* triangle is collapsed, or lower than a millionth of its longest edge. Its
//   rest_area is exactly 0, and only then. Its edges and hinges are there unless it is collapsed: a
//   solver looks at rest_area before it divides by it.
// - A *duplicate* is a triangle over the same three vertices as an earlier one, whichever way
//   round. There is no hinge between two of them, so the four vertices of a hinge always differ.
// - A *coincident* vertex has the same rest position to the bit (-0 equals 0) as an earlier one.
//
// Material coordinates (uv) are the caller's. Where the view has none they are two coordinates of
// the rest shape: the axis of least extent is left out (of equal ones y, then z), which gives (x,z)
// for a sheet in y = const, (x,y) for one in z = const and (z,y) for one in x = const.
#ifndef DR_MESH_H
#define DR_MESH_H

#include "core/memory.h"

typedef struct dr_edge {
    int32_t v[2]; // v[0] < v[1]
    int32_t t[2]; // triangles, ascending, -1 where there is none
} dr_edge;

typedef struct dr_hinge {
    int32_t v[4]; // the edge, in the direction of t[0], then the opposite vertices
    int32_t t[2]; // the triangles of v[2] and v[3], ascending
    int32_t edge;
} dr_hinge;

typedef struct dr_mesh {
    int vertex_count, triangle_count, edge_count, hinge_count, part_count;
    int32_t (*triangles)[3];
    drape_vec3* rest;               // rest shape
    float (*uv)[2];                 // material coordinates; warp along the first
    dr_edge* edges;                 // sorted by (v[0], v[1])
    dr_hinge* hinges;               // in the order of their edges
    int32_t* triangle_edges;        // three per triangle: opposite to corner k, joining k+1 and k+2
    int32_t* vertex_triangle_start; // vertex_count + 1; triangles of v in start[v] .. start[v+1]
    int32_t* vertex_triangle_list;  // ascending
    int32_t* vertex_part;           // connected part of each vertex, numbered by least vertex;
                                    // an isolated vertex is a part of its own
    uint8_t* owned;     // six bits per triangle: bits 0-2 own corner k, bits 3-5 own edge (k,k+1);
                        // each vertex and edge belongs to the first triangle that has it
    float* rest_area;   // of each triangle, m^2; 0 when degenerate
    float* vertex_area; // a third of the areas around, m^2
    drape_mesh_report report;
} dr_mesh;

// No coordinate may be larger than this; areas and volumes of such a mesh still fit a float.
#define DR_MESH_MAX_COORDINATE 1e12f

// Builds everything from a view. False when memory is short or the input is bad; then `sentence`
// (of `sentence_size`) says why and nothing is held. `welded`, when not null, receives for each
// given vertex the vertex it became (vertex_count of the view entries), and coincident vertices are
// joined: the one of least index stays, with its rest position and uv, and numbers are closed up.
bool dr_mesh_build(dr_mesh* mesh, dr_memory* memory, const drape_mesh_view* view, int32_t* welded,
                   char* sentence, size_t sentence_size);
void dr_mesh_free(dr_mesh* mesh, dr_memory* memory);

// Warp and weft on a triangle of the rest shape: unit vectors in its plane, at right angles. Warp
// is the direction in which u grows while v stays; weft is on the side where v grows. Where uv says
// nothing, warp is the x axis laid into the triangle (z when the triangle is perpendicular to x).
// A degenerate triangle has no plane; it still gets unit vectors at right angles.
void dr_mesh_warp_direction(const dr_mesh* mesh, int triangle, drape_vec3* warp, drape_vec3* weft);

#endif
