// contact/probe.h: vertices of cloths that come near solids; what contact/ray.h and
// contact/filter.h have in common.
//
// Both look at one vertex and the triangles near its way, and answer with planes. All else is here,
// for each solid in turn, in the frame of the solid:
//
//     places of the vertices -> refit of the cloths' tree -> pairs with the solid's tree
//     -> triangles by vertex -> each vertex is judged, by any thread -> planes, in order of vertices
//
// The cloths have one tree of octants over the ways of all their vertices, inflated by the
// thickness. It is made from the first places and refit for every solid and run; when it has become
// bad it is made anew (collide/tree_upkeep.h).
//
// Who starts inside of a closed solid is asked only of *suspects*: all at first and after
// dr_probe_forget, then those that were held or still in the way when the last step ended. Whatever
// ended its step well is outside.
#ifndef DR_PROBE_H
#define DR_PROBE_H

#include "collide/tree_upkeep.h"
#include "contact/solid.h"

// Planes that one vertex may get from one solid in one run.
enum { DR_PROBE_HITS = 3 };

// normal.y + offset >= 0, in the frame of the solid at the end.
typedef struct dr_probe_hit {
    int32_t triangle; // that carries the vertex
    double normal[3]; // of length 1
    double offset;
    double anchor[3]; // where the solid carries the vertex to
} dr_probe_hit;

// One vertex, in the frame of the solid.
typedef struct dr_probe_way {
    int vertex;
    double x[3], q[3]; // start, end of the trial
    bool is_inside;    // at the start
    int near_count;
    const int32_t* near; // triangles whose boxes meet that of the way
} dr_probe_way;

// What is said of it.
typedef struct dr_probe_lot {
    int hit_count;
    int exact_tests;
    bool is_skipped;
    double gap; // least distance from the solid at the end; infinity when nothing is near
    dr_probe_hit hits[DR_PROBE_HITS];
} dr_probe_lot;

// One detection.
typedef struct dr_probe_search {
    const void* def; // of the one who judges
    const dr_solid* solid;
    double thickness, exit_step;
    double tolerance; // m, by which planes may be missed
} dr_probe_search;

// Called from any thread, at most once for a vertex and solid.
typedef void dr_probe_judge_fn(const dr_probe_search* search, const dr_probe_way* way,
                               dr_probe_lot* lot);

typedef struct dr_probe {
    int vertex_count;
    drape_isa isa;
    dr_array solids; // dr_solid
    // The tree of the cloths.
    dr_tree tree;
    dr_upkeep upkeep;
    int32_t (*corners)[3];
    float *start, *end; // in the frame of the solid at hand, four floats a vertex
    float (*bounds)[6]; // of chunks of them, as reaches
    dr_pair_search search;
    // Triangles by vertex.
    int32_t* first;  // of each vertex, one more than there are
    dr_array near;   // int32_t
    int32_t* listed; // vertices to be judged, ascending
    int listed_count;
    dr_array lots; // dr_probe_lot, of each of them
    // By vertex.
    uint8_t* is_suspect; // it may be inside
    int32_t* hit_stamp;  // run in which it last got something
    int32_t run_stamp;
} dr_probe;

// What of one detection does not change from solid to solid.
typedef struct dr_probe_run {
    dr_probe_judge_fn* judge;
    dr_probe_search search; // all but the solid and the tolerance
    bool is_freezing;       // all that is found
    int skipped_count;      // out
} dr_probe_run;

// False when memory is short; free it then all the same.
bool dr_probe_create(dr_probe* probe, dr_memory* memory, const dr_sheets* sheets, drape_isa isa);
void dr_probe_free(dr_probe* probe, dr_memory* memory);
void dr_probe_forget(dr_probe* probe);
bool dr_probe_begin(dr_probe* probe, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                    const dr_slide_obstacle* obstacles, int obstacle_count, double thickness);
bool dr_probe_detect(dr_probe* probe, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                     const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                     dr_probe_run* run, dr_slide_result* result);

// --- probe_way.c: for those who judge ---

static inline double dr_probe_height(const dr_probe_hit* hit, const double y[3])
{
    return dr_dot3(hit->normal, y) + hit->offset;
}

// Least distance of the start from the triangles near the way, if it is below `most`.
dr_foot dr_probe_start_foot(const dr_probe_search* search, const dr_probe_way* way, double most);
// What a vertex that starts so far from the solid shall keep.
double dr_probe_reach(const dr_probe_search* search, double start_distance);
// Adds the plane with this normal, `reach` above a place, unless it is honoured by q.
bool dr_probe_add(const dr_probe_search* search, const dr_probe_way* way, int triangle,
                  const double normal[3], const double place[3], double reach, const double q[3],
                  dr_probe_lot* lot);
// The shortest way out for a vertex that starts inside, some of it in this step.
void dr_probe_exit(const dr_probe_search* search, const dr_probe_way* way, dr_probe_lot* lot);
// About where the planes found leave the vertex.
void dr_probe_slide_along(const dr_probe_lot* lot, const double q[3], double out[3]);
// Triangles whose boxes meet that of the way from a to b, inflated, and how many these are: when as
// many as there is room for, some may be missing.
int dr_probe_query(const dr_probe_search* search, const double a[3], const double b[3], double more,
                   int32_t* triangles, int capacity);

// --- probe_merge.c ---

// Freezes the vertices whose planes the candidates do not honour.
void dr_probe_freeze_torn(dr_probe* probe, const dr_sheets* sheets, dr_limits* limits,
                          double tolerance, dr_slide_result* result);
// Adds what was found of the listed vertices. False when memory is short.
bool dr_probe_merge(dr_probe* probe, dr_memory* memory, const dr_slide_obstacle* obstacle,
                    dr_limits* limits, dr_probe_run* run, dr_slide_result* result);

#endif
