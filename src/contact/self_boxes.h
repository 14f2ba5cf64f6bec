// contact/self_boxes.h: self-collision avoided by boxes of triangles.
//
// After J.-D. Liu, M.-T. Ko, R.-C. Chang: a bounding box method to avoid self-collision (1998). Two
// triangles whose boxes would come to overlap in the step are held apart by a plane at right angles
// to one axis, where their boxes first meet (contact/interval_times.h):
//
//       +----+             vertices of the lower triangle get the upper limit k on that coordinate,
//       | up |             those of the upper one the lower limit k; the other two coordinates stay
//     --+----+----- k      free, so that layers slide on each other
//         +-----+
//         | low |          limits go to solver/limits.h, the step is solved again, and so on until
//         +-----+          no boxes meet
//
// What the printed method lacks, and what is done about it (`is_paper` leaves all of it away):
//
// - Boxes of neighbours overlap in almost every pose, and limits on them forbid ordinary bending.
//   Not only incident triangles are left out but all near ones (contact/near.h). These, and pairs
//   whose boxes overlap or all but touch at the start, so that no plane fits between, are
//   *guarded*: when they cross or touch where they end, they are frozen. Where the sheet is but
//   gently bent (contact/regular.h) this cannot be and is not asked.
// - Limits are strict: k - delta above, k + delta below, so that boxes never touch and rounding to
//   floats does no harm.
// - The side is that of the box. The paper looks on which side of k a vertex starts; as boxes move,
//   k may be outside of the gap at the start and push a vertex to the wrong side.
// - Limits from above and below may be in conflict. They are turned round, as printed. When that
//   does not lead to an end, planes are put into the gap at the start from run `clamp_run` on, and
//   all intervals are widened to hold the start: then all of them agree, and a pair once held apart
//   stays so. (Not from the beginning: layers that fall together would stop each other.)
// - From run `freeze_run` on what still meets is frozen.
// - What is frozen in a run, or got planes since the last, is seen where it will be: others give
//   way in the same run.
// - Planes do not ask held vertices to move: they are put beyond these.
//
// Triangles of different cloths are never near; guarded pairs of different cloths also must not
// pass through each other on the way, and with `is_full` no guarded pairs may.
//
// Nothing depends on the order of pairs: limits are least and greatest values, freezing is decided
// from the state before the run. So a search with a tree and one without lead to the same bytes,
// with any number of workers.
#ifndef DR_SELF_BOXES_H
#define DR_SELF_BOXES_H

#include "contact/moving_boxes.h"
#include "contact/regular.h"
#include "contact/self_guard.h"
#include "contact/self_search.h"

typedef struct dr_self_boxes_options {
    bool use_tree;
    bool is_paper;
    bool is_full;
    int ring; // of near triangles; is_paper: 0
    int clamp_run;
    int freeze_run;
    double delta; // m; more where coordinates are so large that floats need it
    drape_isa isa;
} dr_self_boxes_options;

// With a tree, ring 1, planes clamped from run 6 on, freezing from run 7 on, 1e-6 m.
dr_self_boxes_options dr_self_boxes_defaults(void);

typedef struct dr_self_boxes {
    dr_self_boxes_options options;
    const dr_sheets* sheets;
    dr_self_search search;
    dr_regular regular;
    dr_moving_boxes moving;
    int plane_count;  // of the limits, in the last run
    // What changed since the last run of the step; guarded pairs of others are as they were.
    drape_vec3 *last_start, *last_end;
    uint8_t* has_changed;    // by vertex, then by triangle with room for eight more
    uint8_t* is_near_change; // by triangle: one of those near it may have changed
    int last_run;            // 0: nothing is known
    bool is_few_changes;     // less than half of all triangles
    dr_box_list ends; // boxes of triangles where they end
    double delta;     // of this run
    dr_array kinds;   // uint8_t by pair of the search
    dr_array guarded; // dr_pair
    dr_array is_hit;  // uint8_t by guarded pair
    dr_array open;     // dr_pair: boxes that may meet
    dr_array meetings; // dr_box_meeting of each
    dr_array far;      // dr_pair: boxes that meet in this run
} dr_self_boxes;

// `sheets` stays the caller's and must live as long. False when memory is short; free it then all
// the same.
bool dr_self_boxes_create(dr_self_boxes* self, dr_memory* memory, const dr_sheets* sheets,
                          const dr_self_boxes_options* options);
void dr_self_boxes_free(dr_self_boxes* self, dr_memory* memory);

// One run: looks at the places in the sheets, adds to the limits. Runs of a step count from 1. No
// heap calls once sizes are known. False when memory is short.
bool dr_self_boxes_detect(dr_self_boxes* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                          int run, dr_self_result* result);
// The same as a dr_self_detect_fn.
bool dr_self_boxes_detect_any(void* self, dr_memory* memory, dr_pool* pool, dr_limits* limits,
                              int run, dr_self_result* result);

// Pairs of the last run in the order of their numbers: those whose boxes met, and those which were
// guarded.
const dr_pair* dr_self_boxes_far_pairs(dr_self_boxes* self, int* count);
const dr_pair* dr_self_boxes_guarded_pairs(dr_self_boxes* self, int* count);

#endif
