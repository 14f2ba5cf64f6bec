// solver/limits.h: what vertices must honour at the end of a step, whatever model moves them.
//
//     held       the vertex goes to a given place: pinned there, or frozen where it was
//     interval   lo <= y <= hi along each axis
//     planes     n.y + d >= 0, several at edges and corners of obstacles
//
// Detectors add, solvers read: after each update of a vertex they project it with
// dr_limits_project. Limits grow over the runs of one step and are cleared at the next. Vertices
// are numbered over all cloths of a world (contact/sheets.h), in the order of their meshes.
#ifndef DR_LIMITS_H
#define DR_LIMITS_H

#include "core/memory.h"

// More planes than this on one vertex leave it no way: it is frozen.
enum { DR_LIMIT_PLANES = 8 };

typedef enum dr_hold {
    DR_HOLD_FREE,
    DR_HOLD_FROZEN, // for this step, by self-collision
    DR_HOLD_PINNED,
} dr_hold;

typedef enum dr_limit_answer {
    DR_LIMIT_ADDED,
    DR_LIMIT_FULL,
    DR_LIMIT_NO_MEMORY,
} dr_limit_answer;

// One obstacle plane of one vertex.
typedef struct dr_halfspace {
    double normal[3]; // of length 1, out of the obstacle
    double offset;    // normal.y + offset >= 0
    double anchor[3]; // where the obstacle carries the vertex if it sticks
    float friction_static, friction_dynamic;
    int dependent; // -1, or the coordinate that follows from the others: normal.y + offset = 0
} dr_halfspace;

typedef struct dr_limit_plane {
    dr_halfspace plane;
    int32_t vertex;
    int32_t next; // of the same vertex, -1 at the end
} dr_limit_plane;

typedef struct dr_limits {
    int vertex_count;
    double (*lo)[3]; // -infinity where free
    double (*hi)[3];
    double (*place)[3];   // of held vertices
    uint8_t* hold;        // dr_hold
    uint8_t* is_limited;  // anything at all
    int32_t* first_plane; // into `planes`, -1
    uint8_t* plane_count;
    dr_array planes;  // dr_limit_plane
    dr_array limited; // int32_t: the vertices with any limit, in the order they got one
} dr_limits;

// All free. False when memory is short; free it then all the same.
bool dr_limits_create(dr_limits* limits, dr_memory* memory, int vertex_count);
void dr_limits_free(dr_limits* limits, dr_memory* memory);
void dr_limits_clear(dr_limits* limits);

// Holds a vertex; true when it was free. A pinned vertex stays pinned.
bool dr_limits_hold(dr_limits* limits, int vertex, dr_hold hold, const double place[3]);
// Sets the interval of one axis.
void dr_limits_set_interval(dr_limits* limits, int vertex, int axis, double lo, double hi);
// Adds a plane. A vertex that has DR_LIMIT_PLANES of them should be frozen.
dr_limit_answer dr_limits_add_plane(dr_limits* limits, dr_memory* memory, int vertex,
                                    const dr_halfspace* plane);

// The nearest place that honours the vertex's limits: held, or clamped, then behind the planes,
// which win; friction included. Returns true when planes moved it out of its interval.
bool dr_limits_project(const dr_limits* limits, int vertex, double y[3]);

// A piece of a step that is solved in several equal ones.
typedef struct dr_limit_piece {
    const double* start; // of the vertex, where the whole step began
    const double* from;  // where this piece begins
    int number, count;   // 0 is the first
} dr_limit_piece;

// The same for a piece: limits that the start did not honour come to their place evenly, and
// friction is that of this piece. All at once, what an obstacle moves in a step, or an edge brings
// out, would be a blow of `count` times its speed.
bool dr_limits_project_piece(const dr_limits* limits, int vertex, const dr_limit_piece* piece,
                             double y[3]);

#endif
