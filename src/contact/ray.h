// contact/ray.h: vertices of cloth that are stopped on their way into a solid (Mohd Shapri,
// Sulaiman, Bade: cloth as masses and springs against a solid, found by two trees of octants).
//
// The way of a vertex in a trial, from its start to its end, is a segment. Two trees of octants
// (collide/octree.h), one over the ways of the vertices and one over the triangles of the solid,
// find which segments come near which triangles; each pair is then tested exactly:
//
//          x  old place                     The way passes the triangle at X5 = w1 X1 + w2 X2 + w3
//           \                               X3. The vertex gets a plane to stay behind, parallel to
//      ------\------------- + thickness     the triangle, `thickness` off it, on the side of its old
//     X1======X5=========X2                 place. (Printed along the way of the vertex, which
//              \                            would put it inside and, where it grazes, far off.)
//               q  end of the trial
//
//     - The first triangle on the way counts; where its plane leaves the vertex, the way to there is
//       tested again, up to `max_hits` times: so edges and corners get two or three planes.
//     - A way that passes nothing and ends nearer than the thickness is put at the thickness, along
//       the normal from the nearest point of the solid.
//     - A vertex that starts nearer than the thickness comes out by at most `exit_step`; so does one
//       that starts inside of a closed solid, towards the nearest point of its surface.
//     - Open solids have two sides and no inside. A vertex that starts on one, to the last bit, has
//       no old side: it may leave either way, and is counted (`skipped_count`).
//
// All is done in the frame of the solid: the start is seen from the pose at the start, the end from
// the pose at the end, so a rigid solid rests however it moves. Triangles of a solid that changes
// its shape move from corner to corner (collide/ccd.h finds when a way meets them, exactly).
//
// What is kept clear are vertices. Edges and corners of a solid that poke between the vertices of a
// cloth are not seen, unless `watches_edges` adds the tests of contact/slide.h for them, and its
// last resort: what crosses all the same is frozen.
//
// The interface is that of contact/slide.h: begin once a step, detect after each trial.
#ifndef DR_RAY_H
#define DR_RAY_H

#include "contact/probe.h"

typedef struct dr_ray_def {
    float thickness; // m; above 0
    float exit_step; // most by which a vertex that starts too near or inside comes out in a step, m
    int plane_runs;  // from this run of a step on, all that is found is frozen
    int max_hits;    // of one vertex and one solid in one run, 1 to DR_PROBE_HITS
    bool watches_edges; // of solids between the vertices of cloths
    drape_isa isa;      // of the trees
} dr_ray_def;

typedef struct dr_ray {
    dr_ray_def def;    // the exit step may be changed before a step begins
    int run;           // of this step; set it to `plane_runs` and the next detection freezes
    int skipped_count; // vertices without an old side in the last detection
    dr_probe probe;
    dr_slide edges; // only for edges, when they are watched
} dr_ray;

dr_ray_def dr_ray_defaults(void);
// False when memory is short; free it then all the same.
bool dr_ray_create(dr_ray* ray, dr_memory* memory, const dr_ray_def* def, const dr_sheets* sheets);
void dr_ray_free(dr_ray* ray, dr_memory* memory);
// To be called when vertices were put elsewhere between steps.
void dr_ray_forget(dr_ray* ray);

// Once a step, with the starts of the sheets and the poses set. The same obstacles in the same
// order cost no memory again. False when memory is short.
bool dr_ray_begin(dr_ray* ray, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                  const dr_slide_obstacle* obstacles, int obstacle_count);
// Compares the ends of the sheets with the obstacles of dr_ray_begin and adds to the limits what is
// missing. Held vertices are left alone. False when memory is short.
bool dr_ray_detect(dr_ray* ray, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                   const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                   dr_slide_result* result);

#endif
