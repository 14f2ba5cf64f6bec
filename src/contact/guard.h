// contact/guard.h: what makes passing through a solid impossible, whatever the solver did.
//
// Everything is seen in the frame of the solid, where the solid rests: x is a vertex at the start
// of the substep in the frame at its start, y the candidate in the frame at its end. Being carried
// along with the solid is y = x, so that is always an answer, at any speed and any spin.
//
//      x0 ----- y0
//       |       |        hull of the six places
//      x1 ----- y1                                  ^ n
//    ------------------------------ plane           |
//         (   solid   )
//
// A triangle on its way from x to y stays within the hull of the six places. Is there a plane with
// the hull on one side and the solid on the other, nothing passes: that is so for all but a few
// triangles. The others get the plane that separates x from the solid, and each of their vertices
// must end beyond it.
//
// A vertex has as many planes as it has such triangles and must satisfy its own, so vertices are
// put right one by one. First it slides to its planes along their normals, which keeps the motion
// along the solid; a vertex that moved may bring its other triangles into trouble, so they are
// looked at again. What sliding did not solve is cut: y = x + t (y - x). All x are beyond all
// planes, and half-spaces are convex: t = 0 is an answer, and any lower t keeps what is clear. So a
// cut is final.
//
// A triangle that overlaps the solid at the start has no such plane. It gets the one of least
// overlap, and none of its vertices may go further behind it. Pinned vertices do not yield; where
// they go is known, so that the plane is laid clear of it if it can be. Solids that move
// differently carry a vertex to different places; when it finds no place that suits all of them it
// is *pinched*, and the thinnest one has its way: from inside a thick one the way back is plain.
#ifndef DR_GUARD_H
#define DR_GUARD_H

#include "contact/contact.h"

// --- Which triangles are in question ---

// Six sides of the box around the solid, a byte each, a bit per lane: the vertex is beyond this
// side at the start and at the end. Triangles whose vertices share a side are clear.
typedef uint64_t dr_guard_sides;

typedef struct dr_guard_args {
    const dr_sheet* sheet;
    const dr_obstacle* obstacle;
    float margin;          // that is kept from the solid, m
    float lo[3], hi[3];    // box around the solid in its frame, margin included
    bool is_round;         // whether `distance` is wanted
    dr_guard_sides* sides; // per vector
    float* distance;       // per slot: from the solid, the lesser of start and end
} dr_guard_args;

// All vertices of a chunk together.
typedef struct dr_guard_chunk {
    int sides;      // that they share, a bit each
    float distance; // least
    float slip;     // largest way in the frame of the solid, squared
} dr_guard_chunk;

// The obstacle as the guard wants it: round ones turn no more than their look does. A ball that
// spins, or a capsule about its axis, carries nothing along; seen from it all else would turn.
dr_obstacle dr_guard_obstacle(const dr_obstacle* obstacle);

typedef struct dr_guard_kernels {
    // Bounds of the candidates of vectors [begin, end).
    void (*bound)(const dr_sheet* sheet, int begin, int end, float lo[3], float hi[3]);
    dr_guard_chunk (*classify)(const dr_guard_args* args, int begin, int end);
} dr_guard_kernels;

const dr_guard_kernels* dr_guard_kernels_for(drape_isa isa);

void dr_guard_args_set(dr_guard_args* args, const dr_sheet* sheet, const dr_obstacle* obstacle,
                       float margin);
// Distance from which on no triangle of vertices this far away can reach a round solid, with edges
// up to `size` and ways up to `slip` (not squared).
float dr_guard_clear_distance(const dr_guard_args* args, float size, float slip);
// Those of the triangles `slots` [begin, end) that are not clear by their vertices into `out`;
// returns their number.
int dr_guard_list(const dr_guard_args* args, float clear_distance, const int32_t (*slots)[3],
                  int begin, int end, int32_t* out);
// Keeps those of the list whose hull is not apart from the solid by the margin; returns their
// number.
int dr_guard_sift(const dr_guard_args* args, const int32_t (*slots)[3], int32_t* list, int count);

// --- Planes ---

// A plane that a vertex must end beyond: normal.(y - place) >= offset, in the world at the end of
// the substep, place that of the solid.
typedef struct dr_guard_plane {
    double normal[3];
    double offset;
    int32_t slot;
    int32_t face, obstacle;      // whose plane it is
    struct dr_guard_plane* next; // of the same slot
} dr_guard_plane;

// The planes of those vertices of a triangle that may yield, up to three; returns their number.
int dr_guard_planes(const dr_guard_args* args, const int32_t slot[3], dr_guard_plane out[3]);

// All planes of a sheet, by slot.
typedef struct dr_guard_holds {
    const dr_sheet* sheet;
    const dr_obstacle* obstacles;
    const int32_t* order; // of obstacles, the thickest first
    int order_count;
    float margin;
    dr_guard_plane** first; // per slot
} dr_guard_holds;

// Moves a vertex along the normals of the planes it is behind, until it is behind none or has tried
// often enough. Returns whether it moved.
bool dr_guard_slide(const dr_guard_holds* holds, int slot);
// Takes back of its motion what brings it behind planes. Returns whether it is beyond all of them
// now.
bool dr_guard_cut(const dr_guard_holds* holds, int slot);

#endif
