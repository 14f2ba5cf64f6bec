// contact/moving_boxes.h: boxes of triangles at both ends of a step, and a first look at pairs.
//
// A pair of boxes is told in a few instructions, the start and the end at once: boxes that overlap
// at the start, boxes that one axis keeps apart all the way, and the rest, which is for
// contact/interval_times.h.
#ifndef DR_MOVING_BOXES_H
#define DR_MOVING_BOXES_H

#include "collide/tree_pairs.h"
#include "contact/interval_times.h"
#include "contact/sheets.h"
#include "core/parallel.h"

// Floats to a vertex (start and end, four each) and to a box (least, then greatest values).
enum { DR_MOVING_PLACE = 8, DR_MOVING_BOX = 16 };

typedef struct dr_moving_boxes {
    const dr_sheets* sheets;
    float *places, *boxes;
    drape_isa isa;
} dr_moving_boxes;

// What is seen at first sight. The values fit those of the kernel.
typedef enum dr_first_sight {
    DR_SIGHT_APART,
    DR_SIGHT_OVERLAP, // at the start, along all axes
    DR_SIGHT_OPEN,    // see dr_interval_times
    DR_SIGHT_TIGHT,   // the same, and some gap at the start is small
} dr_first_sight;

// `sheets` stays the caller's and must live as long. False when memory is short; free it then all
// the same.
bool dr_moving_boxes_create(dr_moving_boxes* boxes, dr_memory* memory, const dr_sheets* sheets,
                            drape_isa isa);
void dr_moving_boxes_free(dr_moving_boxes* boxes, dr_memory* memory);

// Takes the places of the sheets. Ends may then be moved, before the boxes are made.
void dr_moving_boxes_read(dr_moving_boxes* boxes);
static inline void dr_moving_boxes_move(dr_moving_boxes* boxes, int vertex, drape_vec3 end)
{
    float* place = boxes->places + (size_t)vertex * DR_MOVING_PLACE + 4;
    place[0] = end.x;
    place[1] = end.y;
    place[2] = end.z;
}
void dr_moving_boxes_refit(dr_moving_boxes* boxes, dr_pool* pool);

// sights[i] of pair i (dr_first_sight). Gaps below `tight` are small.
void dr_moving_boxes_look(const dr_moving_boxes* boxes, const dr_pair* pairs, int count,
                          double tight, uint8_t* sights);
dr_box_meeting dr_moving_boxes_meeting(const dr_moving_boxes* boxes, dr_pair pair);

// --- For kernels ---

typedef struct dr_moving_boxes_kernels {
    void (*refit)(const dr_moving_boxes* boxes, int begin, int end);
    void (*look)(const dr_moving_boxes* boxes, const dr_pair* pairs, int count, float tight,
                 uint8_t* sights);
} dr_moving_boxes_kernels;

#endif
