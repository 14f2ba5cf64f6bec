// collide/triangle_pair.h: how two triangles lie to each other. Exact, in all positions.
//
// Let A and B be the triangles as closed sets of points. A triangle without area is the segment or
// the point that it is. Let S be what they have in common by right, because they are neighbours in
// a mesh: nothing, the shared vertex, the shared edge (for three shared vertices, the three edges).
// Vertices are shared when their ids are equal, not when their positions are.
//
//     crossing   A and B pass through each other: they have inner points in common, and no small
//                shift of one of them brings them apart. A plane with A on one of its sides and B
//                on the other does not exist, not even one that both of them touch.
//     touching   not crossing, but they have points in common beyond S
//     apart      they have no point in common but those of S
//
// Inner points are those off the border (off the ends for a segment). In other words: the relative
// interiors meet and A and B together span space; or, 0 is inside the set of all differences a - b.
// So this is a question about two sets of points: it does not depend on the order of the vertices
// or of the triangles, nor on the axes. It contains the six tests of edges against triangles, where
// an edge goes through the inside of the other triangle from one side to the other. It also finds
// what those miss: triangles with the same section of the common line, so that edge meets edge at
// both of its ends, while each has points on both sides of the other.
//
//     seen along the section:    \ /   each on both sides      \      one ends on
//                                 X    of the other:            >--   the other:
//                                / \   crossing                /      touching
//
// Triangles in one plane never cross, since a small shift lifts one off the other. If they have an
// area in common they touch with the flag `coplanar`; if they share an edge as well they lie folded
// over it and are `folded` too. Two triangles over the same three vertices are both. Triangles that
// share an edge and are not in one plane are always apart, whatever their angle.
//
// Two zero-area triangles never cross. A zero-area triangle crosses another when its segment goes
// through the inside of it, from one side to the other.
#ifndef DR_TRIANGLE_PAIR_H
#define DR_TRIANGLE_PAIR_H

#include <drape/vec.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum dr_relation {
    DR_TRIANGLES_APART,
    DR_TRIANGLES_TOUCHING,
    DR_TRIANGLES_CROSSING,
} dr_relation;

typedef struct dr_triangle_relation {
    dr_relation relation;
    bool coplanar;    // they have an area in common; then they touch
    bool folded;      // coplanar and at least two shared vertices
    int shared_count; // vertices with equal ids, each counted once
} dr_triangle_relation;

// Positions must be finite. Vertices with the same id are the same vertex and have the same
// position; a triangle may name a vertex twice. No ids (null) means that nothing is shared.
dr_triangle_relation dr_triangle_pair(const drape_vec3 a[3], const int32_t a_ids[3],
                                      const drape_vec3 b[3], const int32_t b_ids[3]);

#endif
