// contact/sensor_geodesic.h: how far two places of a cloth are from each other along it, at rest.
//
// A cloth that is flat at rest and fills its convex outline has no detours: the distance is that of
// the two places in the plane, exactly. Any other rest shape, curved, or with holes and slits, gets
// a table made once: distances of all vertices from some seeds (contact/sensor_march.h), spread
// evenly over it. Between two places p, q the table says
//
//     |d(s,p) - d(s,q)| <= d(p,q)     for every seed s
//
//          s -------- p ------ q      with equality where s lies behind p or q. Among some hundred
//                                     seeds one nearly does: the greatest difference is the answer,
//                                     and the way from p to q leads away from s, or towards it.
//
// The sum d(p,s) + d(s,q) is never less than d, but useless for places nearer to each other than to
// any seed, and these are the ones that repel.
#ifndef DR_SENSOR_GEODESIC_H
#define DR_SENSOR_GEODESIC_H

#include "core/parallel.h"
#include "contact/sensor_point.h"

// Seeds of a table at most: the least distance of a small cloth's vertices, and more than enough.
enum { DR_GEODESIC_SEEDS = 128 };

typedef struct dr_geodesic {
    const dr_mesh* mesh;
    bool is_flat; // exact; no table
    int seed_count;
    int32_t* seeds; // vertices
    float* table;   // seed_count for each vertex; unreachable ones are at `beyond`
    double beyond;  // further than any way
    double cell;    // side of the square of two triangles of mean area, m
    double side;    // of the square with the area of all, m
} dr_geodesic;

// `pool` may be null. False when memory is short; free it then all the same.
bool dr_geodesic_create(dr_geodesic* geodesic, dr_memory* memory, dr_pool* pool,
                        const dr_mesh* mesh);
void dr_geodesic_free(dr_geodesic* geodesic, dr_memory* memory);
// Sets `is_flat` alone, for a mesh that is flat and fills its convex outline: ways along it are
// straight lines. False when memory is short.
bool dr_geodesic_find_flat(dr_geodesic* geodesic, dr_memory* memory);

// What the distance between two places is made of, DR_GEODESIC_SEEDS numbers at most: distances of
// a place from the seeds, on flat cloth the place itself.
void dr_geodesic_row(const dr_geodesic* geodesic, const dr_material_point* at, double* row);

// Distance between p and q by their rows, `beyond` where no way leads. `from_p` is the direction of
// the way at p, `from_q` at q, each of length 1 in the plane of its triangle, or zero where there
// is none to tell.
double dr_geodesic_between(const dr_geodesic* geodesic, const dr_material_point* p,
                           const double* row_p, const dr_material_point* q, const double* row_q,
                           double from_p[3], double from_q[3]);

#endif
