// scene/responder.h: what answers obstacles with planes, whichever of them the method has.
//
// All look at a trial of the sheets and add to the limits: contact/slide.h, contact/ray.h,
// contact/filter.h. Obstacles with an end are bodies; infinite planes are contact/floor.h for all.
#ifndef DR_RESPONDER_H
#define DR_RESPONDER_H

#include "contact/filter.h"
#include "contact/ray.h"
#include "contact/slide.h"

typedef struct dr_responder {
    drape_obstacle_response kind; // DRAPE_OBSTACLES_PREDICTIVE: none of them
    float thickness;
    dr_slide_mode mode; // of floors too
    dr_slide slide;     // the one that `kind` says
    dr_ray ray;
    dr_filter filter;
} dr_responder;

static inline bool dr_responder_exists(const dr_responder* responder)
{
    return responder->kind != DRAPE_OBSTACLES_PREDICTIVE;
}

// False when memory is short; free it then all the same.
bool dr_responder_create(dr_responder* responder, dr_memory* memory, const drape_method* method,
                         float thickness, const dr_sheets* sheets, drape_isa isa);
void dr_responder_free(dr_responder* responder, dr_memory* memory);
// To be called when vertices were put elsewhere between steps.
void dr_responder_forget(dr_responder* responder);

// Once a step, with the starts of the sheets and the poses set. What starts too near comes out by at
// most `exit_step`. False when memory is short.
bool dr_responder_begin(dr_responder* responder, dr_memory* memory, dr_pool* pool,
                        const dr_sheets* sheets, const dr_array* obstacles, float exit_step);
// After each trial. False when memory is short.
bool dr_responder_detect(dr_responder* responder, dr_memory* memory, dr_pool* pool,
                         const dr_sheets* sheets, const dr_array* obstacles, dr_limits* limits,
                         dr_slide_result* result);
// From now on in this step, what is found is frozen.
void dr_responder_freeze(dr_responder* responder);

#endif
