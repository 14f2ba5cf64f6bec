// scene/trials_parts.h: what the files of the trials share.
#ifndef DR_TRIALS_PARTS_H
#define DR_TRIALS_PARTS_H

#include "contact/floor.h"
#include "contact/self_boxes.h"
#include "contact/self_edges.h"
#include "contact/self_sensor.h"
#include "scene/responder.h"
#include "scene/trials.h"

struct dr_trials {
    dr_sheets sheets;
    dr_limits limits;
    dr_cloth** cloths; // of each part of the sheets
    int32_t* part_of_vertex;
    float** predicted; // of each position based cloth: `pos` of its sheet before the first trial
    dr_responder responder;
    dr_array obstacles;  // dr_slide_obstacle
    dr_self_boxes boxes; // one of the three, which `self` points to
    dr_self_edges edges;
    dr_self_sensor sensor;
    float* inverse_mass; // of all vertices, for the sensor
    dr_self_gated gated; // in front of one of the others; `self` points to it then
    void* self;
    dr_self_detect_fn* detect_self; // null: cloth passes through cloth
};

// Floats of one array of a cloth's sheet.
static inline size_t dr_trials_floats(const dr_cloth* cloth)
{
    return (size_t)cloth->sheet->vector_count * 32;
}

// --- trials_make.c ---
bool dr_trials_refresh(drape_world* world); // false when memory is short

// --- trials_detect.c ---
// Obstacles and cloth, after run number `run`; unclean when something was found.
bool dr_trials_detect(drape_world* world, dr_trials* trials, int run, bool* is_clean);
// When runs are used up: what is still in the way stays where it was, or goes with its obstacle.
bool dr_trials_settle(drape_world* world, dr_trials* trials);

#endif
