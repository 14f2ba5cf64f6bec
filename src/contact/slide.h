// contact/slide.h: cloth that slides on obstacles (Liu, Ko, Chang 1996: Collision avoidance in
// cloth animation), for any model that moves cloth.
//
// The step is tried without obstacles, what would pass one gets a plane to stay behind
// (solver/limits.h), and the step is solved again from its start, until nothing new is found:
//
//     begin the step;  solve;  while not clean: detect, solve again
//
// All geometry is done in the frame of the obstacle: a vertex goes straight from where it is at the
// start, seen from the start pose, to where it is at the end, seen from the end pose. So a rigid
// obstacle rests, however fast it moves and spins.
//
//     x .                   An obstacle has a thin shell, all that is nearer than `reach`: its
//        \                  faces displaced outwards, rounded at edges and corners. Where the way
//     ----p--------.        of a vertex enters it, at p, the tangent plane is what it slides on.
//          \        \       The vertex started above it, so staying put honours every plane found;
//     ======\===\    |      and all of a convex obstacle is behind it: one plane will do there.
//            q   \   |
//
// Two more tests keep what lies between the vertices clear of sharp edges and corners: cloth edges
// against obstacle edges, cloth triangles against obstacle corners, each at the end of the step or
// passing within it. Their planes share what is missing among the two or three vertices, by their
// weights. Last comes an exact test of cloth triangles against obstacle triangles: what crosses all
// the same is *frozen*, that is carried along with the obstacle for this step.
//
// Most of a cloth costs little. Each vertex has a *room* in the frame of the obstacle, a box in
// which it needs no search: nothing is near the room, or all that is near lies behind one known
// plane. Rooms are only a short cut: what is found does not depend on how old they are. A cloth
// triangle is safe when one of its vertices has a room of which it honours the plane; only others
// are looked at.
#ifndef DR_SLIDE_H
#define DR_SLIDE_H

#include "contact/body.h"
#include "contact/sheets.h"
#include "solver/limits.h"

typedef enum dr_slide_mode {
    DR_SLIDE_ORTHOGONAL, // a vertex may leave its plane, and slides the shortest way
    DR_SLIDE_DEPENDENT,  // as printed: it stays on the plane, which gives one coordinate
} dr_slide_mode;

typedef struct dr_slide_def {
    float
        thickness; // of the shell, m; above 0. Round obstacles get more where edges would cut them
    float exit_step; // most by which a vertex inside an obstacle is moved out in a step, m
    int plane_runs;  // from this run of a step on, all that is found is frozen
    dr_slide_mode mode;
    bool edges_only; // vertices get no planes here: another response keeps them off (contact/ray.h)
} dr_slide_def;

// An obstacle of this step. Bodies that change have begun their step (contact/body.h).
typedef struct dr_slide_obstacle {
    const dr_body* body;
    drape_transform start, end; // pose of the body
    // Of the way that the vertices of a changing body go (contact/body.h): what is behind it when
    // this step starts, and what is left when it ends.
    float share_gone, share_left;
    float friction_static, friction_dynamic;
} dr_slide_obstacle;

typedef struct dr_slide_result {
    bool is_clean;       // nothing was added: the candidates are fine
    int plane_count;     // new planes
    int frozen_count;    // vertices frozen in this run
    int64_t box_tests;   // searches for what is near a box
    int64_t exact_tests; // pairs of features looked at
    double smallest_gap; // m: in a clean run no vertex is nearer; infinity when nothing is near
} dr_slide_result;

typedef struct dr_slide_guest dr_slide_guest; // what is kept of one obstacle (slide_parts.h)
typedef struct dr_slide_pair dr_slide_pair;

typedef struct dr_slide {
    dr_slide_def def;
    int vertex_count, triangle_count;
    float longest_rest;   // edge of all cloths
    int32_t step;         // number of this step
    int run;              // of this step
    double longest_start; // edge at the start of the step
    double scale;         // largest coordinate, for tolerances
    // By chunk of vertices.
    int chunk_count;
    float (*start_box)[6], (*end_box)[6];
    struct dr_slide_chunk* chunks; // what the search of a chunk says
    struct dr_slide_hit* hits;     // DR_SLIDE_HITS per chunk
    // By vertex.
    double (*place)[3];   // at the end, in the frame of the obstacle at hand; of near ones
    double (*shifted)[3]; // at the end, behind all planes found up to now
    int32_t* shifted_run; // in which `shifted` was written
    int32_t* planed_run;  // in which the vertex last got a plane
    int32_t run_stamp;
    int32_t* key;        // which plane of the obstacle at hand it keeps (slide_parts.h)
    uint8_t* is_suspect; // it may be inside of an obstacle
    // By triangle.
    uint8_t* is_unsafe;
    int32_t* unsafe;
    int unsafe_count;
    struct dr_slide_lot* lots; // by unsafe triangle
    dr_array pairs;            // dr_slide_pair, DR_SLIDE_PAIRS of each
    dr_array guests;           // dr_slide_guest
} dr_slide;

dr_slide_def dr_slide_defaults(void);
// False when memory is short; free it then all the same.
bool dr_slide_create(dr_slide* slide, dr_memory* memory, const dr_slide_def* def,
                     const dr_sheets* sheets);
void dr_slide_free(dr_slide* slide, dr_memory* memory);
// To be called when vertices were put elsewhere between steps.
void dr_slide_forget(dr_slide* slide);

// Once a step, with the starts of the sheets and the poses set. The same obstacles in the same
// order cost no memory again. False when memory is short.
bool dr_slide_begin(dr_slide* slide, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                    const dr_slide_obstacle* obstacles, int obstacle_count);
// Compares the ends of the sheets with the obstacles of dr_slide_begin and adds to the limits what
// is missing. Held vertices are left alone. False when memory is short.
bool dr_slide_detect(dr_slide* slide, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                     const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                     dr_slide_result* result);

// The triangles of an analytic shape as a body, those that files and pictures show for this contact
// thickness. Null when memory is short.
dr_body* dr_slide_body_of_shape(dr_memory* memory, const drape_shape* shape, float thickness,
                                drape_isa isa, dr_pool* pool);

// The coordinate that is left to a plane of unit normal n when a vertex moves by d: that whose part
// of d, projected to the plane, does not bound the sector in which all of d goes.
int dr_slide_dependent(const double n[3], const double d[3]);

#endif
