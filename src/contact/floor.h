// contact/floor.h: cloth that slides on endless planes, beside obstacles of triangles
// (contact/slide.h).
#ifndef DR_FLOOR_H
#define DR_FLOOR_H

#include "contact/slide.h"

// A plane of this step: solid below y = 0 of its frame.
typedef struct dr_floor {
    drape_transform start, end; // pose
    float friction_static, friction_dynamic;
} dr_floor;

// Adds a plane for each vertex whose candidate is nearer than `thickness`. Counts are added to
// `result`; it becomes unclean when something was added. False when memory is short.
bool dr_floor_detect(const dr_floor* plane, float thickness, dr_slide_mode mode, dr_memory* memory,
                     const dr_sheets* sheets, dr_limits* limits, dr_slide_result* result);

#endif
