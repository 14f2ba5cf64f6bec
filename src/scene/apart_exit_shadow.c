// What would be pressed against the solids when a patch goes a way, and how far it goes with it.
//
//     ___---___          A sheet across a ball that stands on a floor, below its widest place: all
//    /         \         ways but up lead into the floor, and on the way up the sheet around the
//   |           |        patch (o) meets the ball from below. That is the *shadow* (s): it hangs on
//  ss\--ooooo--/ss       the patch, and its own way along the same line leads through solids. It
//     ---___---          goes along, through the solids, as if it were inside of them.
#include <math.h>

#include "scene/apart_exit_parts.h"

enum { MOST_IN_SHADOW = 10000 };

typedef struct shadow_search {
    dr_exit_patch* patch;
    drape_vec3 way;
    float length, most; // that all have to go, and can
} shadow_search;

static bool is_free(const dr_exit_patch* p, int v)
{
    int number = p->numbers[v];
    return number != DR_EXIT_IN_PATCH && number != DR_EXIT_INSIDE && number != DR_EXIT_FLOODED &&
           !p->is_in_shadow[v];
}

// Adds a vertex whose way leads through a solid; false when that cannot be gone.
static bool try_vertex(shadow_search* s, int v)
{
    dr_exit_patch* p = s->patch;
    drape_vec3 place = dr_exit_place(p->apart->x, v);
    float length = dr_exit_ray_through(&p->group, place, s->way, s->length, s->most);
    if (!(length > 0.0f)) {
        return true;
    }
    bool can_go = p->apart->y[4 * v + 3] > 0.0f && p->shadow_count < MOST_IN_SHADOW;
    s->length = fmaxf(s->length, length);
    if (can_go) {
        p->is_in_shadow[v] = 1;
        p->shadow[p->shadow_count++] = v;
    }
    return can_go && s->length <= s->most;
}

static bool try_around(shadow_search* s, const int32_t* triangles, int count)
{
    bool can_go = true;
    for (int k = 0; k < 3 * count && can_go; ++k) {
        int v = s->patch->apart->triangles[triangles[k / 3]][k % 3];
        can_go = !is_free(s->patch, v) || try_vertex(s, v);
    }
    return can_go;
}

void dr_exit_leave_shadow(dr_exit_patch* p)
{
    for (int i = 0; i < p->shadow_count; ++i) {
        p->is_in_shadow[p->shadow[i]] = 0;
    }
    p->shadow_count = 0;
}

float dr_exit_cast_shadow(dr_exit_patch* p, drape_vec3 way, float length, float most)
{
    shadow_search s = {p, way, length, most};
    bool can_go = length <= most;
    int count;
    dr_exit_leave_shadow(p);
    for (int i = 0; i < p->count && can_go; ++i) {
        const int32_t* near = dr_exit_triangles(p, &p->members[i], &count);
        can_go = try_around(&s, near, count);
    }
    for (int i = 0; i < p->shadow_count && can_go; ++i) {
        const int32_t* near = dr_apart_around(p->apart, p->shadow[i], &count);
        can_go = try_around(&s, near, count);
    }
    return can_go ? s.length : INFINITY;
}
