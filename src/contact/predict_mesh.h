// contact/predict_mesh.h: all cloths of a world as one mesh that predictive contacts look at.
//
// Vertices and edges are numbered through, cloth by cloth (a cloth is a *part*). Triangles are
// those that may touch anything at all: regions that may meet none are left out here, once, and
// cost nothing later.
//
// Triangles are what the tree holds, but contacts are between features that triangles share. So
// every vertex and every edge has one representative triangle, the first that has it, and each pair
// of features is looked at once (Lewin):
//
//     +-----+-----+      own, six bits per triangle
//     |  A /|  B /|      bits 0-2: corner k is its own
//     |  /  |  /  |      bits 3-5: edge (k, k+1) is its own
//     |/ C  |/ D  |      A, first, has all of its corners and edges; B what is left, ...
//     +-----+-----+
#ifndef DR_PREDICT_MESH_H
#define DR_PREDICT_MESH_H

#include "mesh/mesh.h"

// What is known about one cloth.
typedef struct dr_predict_part {
    const dr_mesh* mesh;
    const uint8_t* region; // below 32, by triangle; null: all 0
    int layer;             // authored: higher is further out; -1: none
    float thickness;       // m, twice the radius
    float friction_static, friction_dynamic;
    // Filled in.
    int first_vertex, first_edge;
    float spacing; // mean edge of the rest shape, m
} dr_predict_part;

typedef struct dr_predict_mesh {
    int part_count, vertex_count, edge_count, triangle_count;
    dr_predict_part* parts;
    int32_t (*edges)[2];
    int32_t (*triangles)[3];
    int32_t* triangle_edges;      // three per triangle: opposite to corner k
    int32_t (*edge_triangles)[2]; // -1 where there is none
    int32_t* vertex_triangle;     // one that has it, -1: none
    int32_t* part_of_vertex;
    uint8_t* own;    // by triangle
    uint8_t* region; // by triangle
    drape_vec3* rest;
    float* rest_squared; // by edge, m^2
    int32_t* joint;      // by vertex: the least of all that seams make one with it; null: no seams
    int room;            // triangles that arrays have room for
} dr_predict_mesh;

// First come, first served: the bits of all triangles. The `taken` arrays, one entry per vertex and
// per edge, are zero before.
void dr_predict_own(int triangle_count, const int32_t (*triangles)[3],
                    const int32_t* triangle_edges, uint8_t* vertex_taken, uint8_t* edge_taken,
                    uint8_t* own);

// `allow` has for each region the mask of those it may touch. False when memory is short; free it
// then all the same.
bool dr_predict_mesh_create(dr_predict_mesh* mesh, dr_memory* memory, const dr_predict_part* parts,
                            int part_count, const uint32_t allow[32]);
void dr_predict_mesh_free(dr_predict_mesh* mesh, dr_memory* memory);
// A seam makes two vertices one: features that have them have a vertex in common, and need no
// contact. False when memory is short.
bool dr_predict_mesh_join(dr_predict_mesh* mesh, dr_memory* memory, int a, int b);

static inline const dr_predict_part* dr_predict_part_of(const dr_predict_mesh* mesh, int vertex)
{
    return &mesh->parts[mesh->part_of_vertex[vertex]];
}

#endif
