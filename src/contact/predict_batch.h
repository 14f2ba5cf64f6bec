// contact/predict_batch.h: contacts in groups of eight that have no vertex in common, and the sweep
// over them.
//
// Projection is Gauss-Seidel: each contact sees what those before it did. Eight at a time is the
// same as long as they share no vertex. Groups are filled first come, first served, a few of them
// open at once, and solved in the order in which they filled: one order, whatever the machine.
//
// Point and triangle: C = side n.(p - p0) - target, the normal n recomputed from where the corners
// are now. Its exact gradient is n at p and -b_i n at corner i, with b the barycentric weights of
// the foot of p, *not* limited to the triangle: limited ones leave the plane violated.
//
//         o p                 as printed (Lewin): the weights come out as 1, 0, 0
//         |
//     ----+---o-------o       the plane goes on beyond the triangle
//         b   p0      p1
//
// Two edges: C = n.(q_beta - q_alpha) - target, with n, alpha, beta frozen. Two points: the same
// with alpha = beta = 0. As printed C has the other sign and the gradients have not: edges that are
// apart count as through each other, and each sweep drives them further. Of points all signs are
// turned: they want to be behind each other, and go there.
//
// Friction as between cloth and colliders: what has been pressed in this substep may hold that much
// of the slip times the coefficient at rest, else takes away as much as it slides with.
#ifndef DR_PREDICT_BATCH_H
#define DR_PREDICT_BATCH_H

#include "core/memory.h"

enum { DR_PREDICT_LANES = 8 };

#define DR_PREDICT_RESTS -1e30f
// A foot is beyond an edge when its weight there is below this, negated.
#define DR_PREDICT_OUTSIDE 0.08f

// What both kinds have.
typedef struct dr_predict_lanes {
    int32_t vertex[4][8]; // p p0 p1 p2, or a b c d
    uint32_t there;       // bits of lanes with a contact
    uint32_t awake;       // those that do not rest in this substep
    float gap[8];         // wanted in the end, m
    float target[8];      // wanted in this substep, m; DR_PREDICT_RESTS: nothing
    float at_rest[8], sliding[8];
    float pressed[8], rubbed[8]; // in this substep, m
} dr_predict_lanes;

typedef struct dr_point_batch {
    dr_predict_lanes lanes;
    float side[8];    // 1 or -1
    uint32_t outside; // bits of lanes whose foot is beyond an edge, where contacts may rest
    uint32_t strays;  // those of them that are near
} dr_point_batch;

typedef struct dr_edge_batch {
    dr_predict_lanes lanes;
    float normal[3][8];
    float alpha[8], beta[8];
    float turn[8]; // of a kept contact: 1 or -1, the side of the cross product; 2: of two points;
                   // 0: not kept
} dr_edge_batch;

// Records of four floats to a vertex; eight more records after the last vertex fill empty lanes.
typedef struct dr_predict_places {
    const float* start; // x y z, and anything
    float* now;         // x y z, inverse mass
} dr_predict_places;

// How a substep begins. Kept contacts rest in it while they can do nothing: while the foot is beside
// the triangle, or the gap stays wide, or the point is far on the wrong side, where what is near it
// is another fold.
typedef struct dr_predict_begin_args {
    const float *start, *end; // as predicted
    float push;               // most that a contact moves what is too near, m
    bool is_kept;             // normals of edges are found anew
    bool can_rest;
    float outside; // in weights
    float wide;    // m, beyond the gap
    float depth;   // m
} dr_predict_begin_args;

typedef struct dr_predict_batch_kernels {
    // Targets from where features are at the start; nothing pressed yet.
    void (*begin_points)(dr_point_batch* batches, int count, const dr_predict_begin_args* begin);
    void (*begin_edges)(dr_edge_batch* batches, int count, const dr_predict_begin_args* begin);
    // The next substep of the same step: as much more may be pushed, and nothing is pressed yet.
    // Normals stay.
    void (*advance_points)(dr_point_batch* batches, int count, float push);
    void (*advance_edges)(dr_edge_batch* batches, int count, float push);
    // One sweep. Returns how many contacts were given up: no area, or a foot a thousand triangles
    // away.
    int (*sweep_points)(dr_point_batch* batches, int count, dr_predict_places places,
                        bool as_printed);
    int (*sweep_edges)(dr_edge_batch* batches, int count, dr_predict_places places,
                       bool as_printed);
} dr_predict_batch_kernels;

const dr_predict_batch_kernels* dr_predict_batch_kernels_for(drape_isa isa);

// --- Groups ---

// Scratch of the grouping, kept from step to step; `{0}` is ready.
typedef struct dr_predict_groups {
    uint32_t* open_of_vertex; // bits of open groups that have it
    int vertex_count;
    dr_array groups; // int32_t[8]: numbers of contacts, -1 where there is none
} dr_predict_groups;

bool dr_predict_groups_create(dr_predict_groups* groups, dr_memory* memory, int vertex_count);
void dr_predict_groups_free(dr_predict_groups* groups, dr_memory* memory);
// Groups contacts by their vertices, of which those from vertex_count on do not count. False when
// memory is short.
bool dr_predict_group(dr_predict_groups* groups, dr_memory* memory, const int32_t (*vertices)[4],
                      int count);

#endif
