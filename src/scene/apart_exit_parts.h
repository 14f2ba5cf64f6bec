// scene/apart_exit_parts.h: for the files of scene/apart_exit.h.
//
//     apart_exit          all solids, the exits of their patches
//     apart_exit_members  what is in a solid
//     apart_exit_patch    patches of it, and what hangs on them outside
//     apart_exit_way      the way that a patch goes
//     apart_exit_shadow   what goes along, because it would be pressed against solids
//     apart_exit_aim      ways out of a solid, and how far they are
#ifndef DR_APART_EXIT_PARTS_H
#define DR_APART_EXIT_PARTS_H

#include "core/vec_math.h"
#include "scene/apart_exit.h"

// A solid that something is inside of.
typedef struct dr_exit_solid {
    const dr_apart* apart;
    const dr_apart_solids* solids;
    const dr_obstacle* obstacle;
    int number;
    int first_triangle, triangle_count; // among all
    bool is_still;                      // nothing leads it anywhere
    float turn;                         // 1: the normals of its triangles point outwards; else -1
} dr_exit_solid;

// Solids that are left together, as if they were one: all that are still, or one that is led. (What
// is pressed into solids that are led comes out between them when they part.)
typedef struct dr_exit_group {
    const dr_exit_solid* solids;
    int count;
} dr_exit_group;

// Of vertices of cloths, while one group is looked at.
enum {
    DR_EXIT_OUTSIDE = -1,
    DR_EXIT_INSIDE = -2,
    DR_EXIT_TOUCHED = -3, // outside; a triangle of it is partly in the solid
    DR_EXIT_IN_PATCH = 0,
    DR_EXIT_FLOODED = 1,
    DR_EXIT_LARGEST = 2, // of the parts that the patch cuts its sheet into
    DR_EXIT_BESIDE = 3,  // touched, of the patch
};

// What is in solids of a group and hangs together.
typedef struct dr_exit_patch {
    dr_apart* apart;
    dr_exit_group group;
    int32_t* numbers;         // by vertex of cloths
    const dr_apart_aim* aims; // by vertex of cloths, of those that are in the group
    dr_exit_member* members;
    int count;
    int32_t* shadow;       // vertices that go along (apart_exit_shadow.c)
    uint8_t* is_in_shadow; // by vertex of cloths
    int shadow_count;
    float deepest;
    float smaller_size; // of the parts of the sheet beyond the patch but for the largest, m; else 0
    dr_array* ring;     // drape_vec3: normals of the solid where the sheet goes through its
    drape_vec3 to_largest; // surface; the sum of those where the largest part begins
} dr_exit_patch;

static inline bool dr_exit_is_vertex(const dr_exit_member* member)
{
    return member->triangle < 0;
}

// Triangles of a member: its own, or those around a vertex.
static inline const int32_t* dr_exit_triangles(const dr_exit_patch* patch,
                                               const dr_exit_member* member, int* count)
{
    *count = 1;
    return dr_exit_is_vertex(member) ? dr_apart_around(patch->apart, member->vertex[0], count)
                                     : &member->triangle;
}

// --- apart_exit_aim.c ---

dr_exit_solid dr_exit_solid_of(const dr_apart_solids* solids, const drape_world* world,
                               const dr_apart* apart, int number);
// Whether a place is inside.
bool dr_exit_is_in(const dr_exit_solid* solid, drape_vec3 place);
// The nearest way from a place inside.
dr_apart_aim dr_exit_aim(const dr_exit_solid* solid, drape_vec3 place);
// How far it is along another way; above `most` it may be infinite.
float dr_exit_ray(const dr_exit_solid* solid, drape_vec3 place, drape_vec3 way, float most);
// The same for a group: the nearest ways out of one after the other, and how far it is out of all
// solids that one comes through. The place is in the one with the number `solid`.
dr_apart_aim dr_exit_aim_out(const dr_exit_group* group, int solid, drape_vec3 place);
float dr_exit_ray_out(const dr_exit_group* group, int solid, drape_vec3 place, drape_vec3 way,
                      float most);
// How far it is from a place outside through the first solid that is met within `reach`, and those
// that one comes into by that; 0 when none is met.
float dr_exit_ray_through(const dr_exit_group* group, drape_vec3 place, drape_vec3 way, float reach,
                          float most);
// A solid of the group that a place is in and that is not `but`, or -1.
int dr_exit_find_in(const dr_exit_group* group, drape_vec3 place, int but);
// How many ways it takes to a triangle; infinite when it is not met. `weight` of its second and third
// corner.
float dr_exit_meet(drape_vec3 place, drape_vec3 way, const drape_vec3 triangle[3], float weight[2]);

// --- apart_exit_members.c ---

// Lists what is in the solids of a group into `exits->members`, vertices once. False when memory is
// short.
bool dr_exit_list_members(dr_apart_exits* exits, dr_memory* memory, const dr_exit_group* group);
// The middle of what a crossed pair of triangles has in common. False when rounding hides it.
bool dr_exit_find_crossing(const dr_apart* apart, dr_pair pair, drape_vec3* place);

// --- apart_exit_patch.c ---

// Parts of a sheet that are not in a patch and do not hang together, one after the other.
typedef struct dr_exit_rest {
    const int32_t* vertices;
    int count, part_count;
    int largest, largest_count; // where the largest begins, and its size
} dr_exit_rest;

// Numbers vertices of members from `first` on by what they are to a solid, and forgets all.
void dr_exit_number(const dr_exit_patch* all, int first);
void dr_exit_forget(const dr_exit_patch* all);
// Takes the patch that one of the members of a solid belongs to out of `all` of them, from `first` on;
// they change their order, and the patch comes first. `scratch` is for a number per vertex.
dr_exit_patch dr_exit_take_patch(const dr_exit_patch* all, int first, int32_t* scratch);
void dr_exit_leave_patch(const dr_exit_patch* patch);
// What hangs on it, into `vertices`; tells the largest part from the others when there are any.
dr_exit_rest dr_exit_list_rest(dr_exit_patch* patch, int32_t* vertices);
void dr_exit_leave_rest(const dr_exit_patch* patch, const dr_exit_rest* rest);
// Lists what hangs on the patch beyond the solid into `drawn`. False when memory is short.
bool dr_exit_draw_smaller(const dr_exit_patch* patch, dr_memory* memory, dr_array* drawn);
// The same for one vertex.
bool dr_exit_draw(const dr_exit_patch* patch, dr_memory* memory, dr_array* drawn, int v);

// --- apart_exit_way.c ---

// One way for all.
typedef struct dr_exit_way {
    bool is_found;
    bool is_drawn; // the smaller parts of the sheet have to follow through the solid
    drape_vec3 normal;
} dr_exit_way;
// False when memory is short.
bool dr_exit_find_way(dr_exit_patch* patch, dr_memory* memory, dr_exit_way* way);

// --- apart_exit_shadow.c ---

// Lists what would be pressed against solids if the patch went so far. Returns how far all of it has to
// go; infinity when that is further than `most`, or held by a pin.
float dr_exit_cast_shadow(dr_exit_patch* patch, drape_vec3 way, float length, float most);
void dr_exit_leave_shadow(dr_exit_patch* patch);

// --- For all ---

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
