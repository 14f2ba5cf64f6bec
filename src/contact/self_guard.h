// contact/self_guard.h: what detectors of self-collision share: exact tests of two triangles,
// freezing, the last resort, and what they report.
//
// Two triangles are tested where they end: as floats, as they are written to files and checked, and
// without rounding (collide/triangle_pair.h). Touching beyond what they share counts as hit. The
// full test also looks at the way there (collide/ccd.h), for triangles that pass through each other
// within a step and leave no trace, which only separate cloths can.
//
// Freezing puts a vertex back to where it started. As the start is free of crossings, everything
// frozen is too, so freezing always ends; it also glues layers together, so it is the last resort.
//
// Pinned vertices go where their pins go and are nobody's to freeze. Where two triangles are held
// altogether and cross all the same, the state is *forced*: reported, and not looked at again.
#ifndef DR_SELF_GUARD_H
#define DR_SELF_GUARD_H

#include "collide/tree_pairs.h"
#include "contact/sheets.h"
#include "solver/limits.h"

// What one run of a detector found.
typedef struct dr_self_result {
    bool is_clean;       // nothing was added to the limits
    int64_t box_tests;   // boxes compared with boxes in the search
    int64_t exact_tests; // pairs tested exactly
    int far_pairs;       // boxes held apart, or edges and triangles that meet
    int near_pairs;      // pairs that boxes cannot hold apart and that were looked at
    int conflicts;       // intervals turned round
    int clamped;         // planes moved into the gap at the start
    int frozen;          // vertices newly frozen
    int forced;          // pairs that cross with all their vertices held
} dr_self_result;

// A run of a detector, numbered from 1 within a step. False when memory is short.
typedef bool dr_self_detect_fn(void* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                               int run, dr_self_result* result);

// Runs from this one on freeze whatever they find.
enum { DR_SELF_FREEZE_ALL = 1 << 20 };

// The last resort, after the runs of a step are used up: freezes what is found, puts it back in
// `sheets->end`, and again, until nothing is found; before long everything is back where it
// started. The state is then that of sheets->end, to be taken over by the caller. `result` is the
// sum.
bool dr_self_settle(dr_self_detect_fn* detect, void* self, dr_memory* memory, dr_pool* pool,
                    dr_sheets* sheets, dr_limits* limits, dr_self_result* result);

// --- For detectors ---

// Boxes at the end meet, touching included.
bool dr_guard_may_touch(const dr_sheets* sheets, int a, int b);
// Triangles cross or touch at the end, beyond what they share.
bool dr_guard_touches(const dr_sheets* sheets, int a, int b);
// Some vertex and triangle, or two edges, meet on the way from start to end.
bool dr_guard_passes(const dr_sheets* sheets, int a, int b);

// All of them are held, and are where they are held: what was frozen just now has yet to go back.
bool dr_guard_is_held(const dr_sheets* sheets, const dr_limits* limits, const int32_t* vertices,
                      int count);
// Freezes vertices; returns how many of them were free.
int dr_guard_freeze(const dr_sheets* sheets, dr_limits* limits, const int32_t* vertices, int count);

#endif
