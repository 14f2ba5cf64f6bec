// scene/apart_exit_parts.h: for the files of scene/apart_exit.h.
#ifndef DR_APART_EXIT_PARTS_H
#define DR_APART_EXIT_PARTS_H

#include "core/vec_math.h"
#include "scene/apart_exit.h"

// A solid that something is inside of.
typedef struct dr_exit_solid {
    const dr_apart* apart;
    const dr_obstacle* obstacle;
    int first_triangle, triangle_count; // among all
} dr_exit_solid;

dr_exit_solid dr_exit_solid_of(const dr_apart_solids* solids, const drape_world* world,
                               const dr_apart* apart, int number);

// The nearest way from a place inside.
dr_apart_aim dr_exit_aim(const dr_exit_solid* solid, drape_vec3 place);
// How far it is along another way; above `most` it may be infinite.
float dr_exit_ray(const dr_exit_solid* solid, drape_vec3 place, drape_vec3 way, float most);
// How many ways it takes to a triangle; infinite when it is not met. `weight` of its second and third
// corner.
float dr_exit_meet(drape_vec3 place, drape_vec3 way, const drape_vec3 triangle[3], float weight[2]);

// Of vertices of cloths, while the patches of one solid are looked at.
enum {
    DR_EXIT_OUTSIDE = -1,
    DR_EXIT_INSIDE = -2,
    DR_EXIT_IN_PATCH = 0,
    DR_EXIT_FLOODED = 1,
    DR_EXIT_LARGEST = 2, // of the parts that the patch cuts its sheet into
};

// Vertices inside of a solid that hang together.
typedef struct dr_exit_patch {
    dr_apart* apart;
    dr_exit_solid solid;
    int number; // of the solid
    int32_t* vertices;
    int count;
    dr_apart_aim* aims; // of each
    float deepest;
    float smaller_size; // of the parts of the sheet beyond the patch but for the largest, m; else 0
    dr_array* ring; // drape_vec3: normals of the solid where the sheet goes through its surface,
    drape_vec3 to_largest; // the sum of those where the largest part begins
} dr_exit_patch;

// --- apart_exit_way.c ---

// The nearest way of each vertex.
void dr_exit_aim_each(dr_exit_patch* patch);
// One way for all.
typedef struct dr_exit_way {
    bool is_found;
    bool is_drawn; // the smaller parts of the sheet have to follow through the solid
    drape_vec3 normal;
} dr_exit_way;
// `numbers` are those of the vertices. False when memory is short.
bool dr_exit_find_way(dr_exit_patch* patch, dr_memory* memory, const int32_t* numbers,
                      dr_exit_way* way);

// --- apart_exit_points.c ---

// Exits of triangles that bodies go through between their corners. False when memory is short.
bool dr_exit_lead_triangles(dr_apart_exits* exits, const dr_apart_solids* solids,
                            drape_world* world, const dr_apart* apart, dr_cloth* const* cloths);

static inline drape_vec3 dr_exit_place(const float* places, int v)
{
    return (drape_vec3){places[4 * v], places[4 * v + 1], places[4 * v + 2]};
}

static inline void dr_exit_corners(const dr_apart* apart, int triangle, const float* places,
                                   drape_vec3 out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = dr_exit_place(places, apart->triangles[triangle][k]);
    }
}

static inline drape_vec3 dr_exit_weighted(const drape_vec3 v[3], const float weight[3])
{
    return dr_add(dr_add(dr_scale(v[0], weight[0]), dr_scale(v[1], weight[1])),
                  dr_scale(v[2], weight[2]));
}

#endif
