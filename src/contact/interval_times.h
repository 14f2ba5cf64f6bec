// contact/interval_times.h: when two moving boxes begin to overlap, and along which axis.
//
// Each face of a box moves in a straight line from its place at the start (t = 0) to that at the
// end (t = 1). That is on the safe side for boxes of triangles: the highest of some vertices that
// move linearly is never above the line between its values at both ends. Along one axis
//
//     gap a|b = lower face of b - upper face of a
//     gap b|a = lower face of a - upper face of b
//
// are linear in t, and the boxes overlap along it while both are negative. They meet while they
// overlap along all three axes; the axis on which that begins last is the one to hold them apart
// on:
//
//     x  ....[==========]....        meets from here |
//     y  [===============]...                        v
//     z  .........[=========]        axis z: .........[=...
//
// Faces that only touch are apart. On a regular grid this is essential: boxes of triangles two
// cells apart touch exactly while the sheet is flat. But boxes that change places have met, even
// flat ones, which do so in a moment.
#ifndef DR_INTERVAL_TIMES_H
#define DR_INTERVAL_TIMES_H

#include <drape/vec.h>
#include <stdbool.h>
#include <stdint.h>

// At the start, then at the end.
typedef struct dr_moving_box {
    float lo[2][3], hi[2][3];
} dr_moving_box;

typedef enum dr_meeting {
    DR_BOXES_STAY_APART,
    DR_BOXES_MEET,          // apart at the start, and then not
    DR_BOXES_OVERLAP_FIRST, // along all axes at the start: no plane is between them
} dr_meeting;

typedef struct dr_box_meeting {
    dr_meeting meeting;
    // What follows is for boxes that meet.
    int axis;
    bool b_is_lower; // along the axis, at the start
    double time;     // 0 to 1
    double plane;    // where the upper face of the lower box is at that time
    double floor;    // upper face of the lower box, at the start
    double ceiling;  // lower face of the upper box, at the start; not below the floor
} dr_box_meeting;

// Ties: of several axes that begin at the same time the one with the larger gap at the start, then
// the first. Flat boxes that are below each other both ways: the lower one is that with the smaller
// mean at the end, then the first.
dr_box_meeting dr_interval_times(const dr_moving_box* a, const dr_moving_box* b);

// The box of three vertices.
dr_moving_box dr_moving_box_of(const drape_vec3* start, const drape_vec3* end,
                               const int32_t triangle[3]);
// Whether boxes overlap at the end; touching counts when `closed`.
bool dr_boxes_overlap_at_end(const dr_moving_box* a, const dr_moving_box* b, bool closed);

#endif
