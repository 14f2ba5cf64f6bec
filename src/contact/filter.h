// contact/filter.h: vertices of cloth in contact with a solid lose what of their motion goes into
// it (response of the cloth with sensor particles; the filter of Baraff and Witkin 1998).
//
// A vertex is in contact when the nearest point of a solid is closer than the thickness, at the
// start of the step or at the end of a trial, or when it is inside of a closed solid. Along the
// normal n of that contact it must move as the solid does, or away from it:
//
//     a.n >= (a of the solid).n        v.n >= (v of the solid).n        gap >= thickness
//
// As places at the end of the step all three are one half-space, n.y + d >= 0, in the pose that the
// solid ends in: the motion of the solid is in its pose, and velocities follow from places. Solvers
// that know planes take the normal of those that push out of their search directions
// (solver/springs.h), which is the filter.
//
//      x              The normal is that of the start where the vertex is in contact then, for it
//      |\             tells the side to stay on. Else it is that of the end. Where a plane leaves
//     -f-\-----       the vertex the nearest point is looked for again, so that edges and corners
//     ====\====       get two or three planes.
//          q
//
// Nothing is swept. A vertex that is out of contact at both ends of the step is free, whatever it
// passed in between: fast vertices and thin solids need contact/ray.h or contact/slide.h, or steps
// in which nothing goes further than the solid is thick. A vertex that is deeper in a solid than
// the middle of it leaves on the far side. Of open solids (sheets) only the shell of the thickness
// on both sides is seen.
//
// The interface is that of contact/slide.h: begin once a step, detect after each trial.
#ifndef DR_FILTER_H
#define DR_FILTER_H

#include "contact/probe.h"

typedef struct dr_filter_def {
    float thickness; // m; above 0
    float exit_step; // most by which a vertex that starts too near or inside comes out in a step, m
    int plane_runs;  // from this run of a step on, all that is found is frozen
    drape_isa isa;   // of the trees
} dr_filter_def;

typedef struct dr_filter {
    dr_filter_def def; // the exit step may be changed before a step begins
    int run;           // of this step; set it to `plane_runs` and the next detection freezes
    dr_probe probe;
} dr_filter;

dr_filter_def dr_filter_defaults(void);
// False when memory is short; free it then all the same.
bool dr_filter_create(dr_filter* filter, dr_memory* memory, const dr_filter_def* def,
                      const dr_sheets* sheets);
void dr_filter_free(dr_filter* filter, dr_memory* memory);
// To be called when vertices were put elsewhere between steps.
void dr_filter_forget(dr_filter* filter);

// Once a step, with the starts of the sheets and the poses set. The same obstacles in the same
// order cost no memory again. False when memory is short.
bool dr_filter_begin(dr_filter* filter, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                     const dr_slide_obstacle* obstacles, int obstacle_count);
// Compares the ends of the sheets with the obstacles of dr_filter_begin and adds to the limits what
// is missing. Held vertices are left alone. False when memory is short.
bool dr_filter_detect(dr_filter* filter, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                      const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                      dr_slide_result* result);

#endif
