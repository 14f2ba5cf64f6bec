// Triangles that a mesh collider goes through between their corners, all of which are outside.
#include <math.h>

#include "contact/body.h"
#include "scene/apart_exit_parts.h"

// All pairs of one triangle of a cloth and one solid.
typedef struct pierced {
    dr_exit_solid solid;
    int number; // of the solid
    int triangle;
    drape_vec3 corners[3];
    float weight[3]; // of the mean of the points where edges of one go through the other
    int count;       // of these
} pierced;

static void add_piercings(pierced* p, int of_solid)
{
    const dr_apart* apart = p->solid.apart;
    const drape_vec3* a = p->corners;
    drape_vec3 b[3];
    float weight[2];
    dr_exit_corners(apart, of_solid, apart->x, b);
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        float at = dr_exit_meet(a[k], dr_sub(a[next], a[k]), b, weight);
        if (at <= 1.0f) {
            p->weight[k] += 1.0f - at;
            p->weight[next] += at;
            ++p->count;
        }
        if (dr_exit_meet(b[k], dr_sub(b[next], b[k]), a, weight) <= 1.0f) {
            p->weight[0] += 1.0f - weight[0] - weight[1];
            p->weight[1] += weight[0];
            p->weight[2] += weight[1];
            ++p->count;
        }
    }
}

// In its own plane a triangle is not freed of what goes through it.
static void turn_from_plane(const pierced* p, drape_vec3 x, dr_apart_aim* aim)
{
    const float least = 0.3f;
    const drape_vec3* t = p->corners;
    drape_vec3 up = dr_normalize(dr_cross(dr_sub(t[1], t[0]), dr_sub(t[2], t[0])));
    if (fabsf(dr_dot(up, aim->normal)) >= least) {
        return;
    }
    drape_vec3 down = dr_scale(up, -1.0f);
    float most = p->solid.apart->edge_length;
    float far_up = dr_exit_ray(&p->solid, x, up, most);
    float far_down = dr_exit_ray(&p->solid, x, down, most);
    aim->normal = far_up < far_down ? up : down;
    aim->distance = fminf(far_up, far_down);
}

static bool add_exit(dr_apart_exits* exits, dr_memory* memory, const pierced* p, drape_vec3 x,
                     const dr_apart_aim* aim, dr_cloth* const* cloths)
{
    const dr_apart* apart = p->solid.apart;
    int part = apart->sheets->part_of_triangle[p->triangle];
    dr_apart_exit* exit = dr_array_push(memory, &exits->exits, sizeof *exit);
    if (!exit) {
        return false;
    }
    float wanted = aim->distance + 0.5f * cloths[part]->thickness;
    *exit = (dr_apart_exit){part,
                            false,
                            false,
                            aim->carried,
                            {.normal = aim->normal,
                             .anchor = dr_add(x, aim->carried),
                             .gap = -fminf(wanted, exits->way)}};
    for (int k = 0; k < 3; ++k) {
        int v = apart->triangles[p->triangle][k] - apart->sheets->parts[part].first_vertex;
        exit->contact.slot[k] = cloths[part]->sheet->slot_of_vertex[v];
        exit->contact.weight[k] = p->weight[k];
    }
    return true;
}

// What has far to go would be drawn at for long, and may be held elsewhere: it is left alone.
static bool lead(dr_apart_exits* exits, const dr_apart_solids* solids, dr_memory* memory,
                 const pierced* p, dr_cloth* const* cloths)
{
    const dr_apart* apart = p->solid.apart;
    drape_vec3 x = dr_exit_weighted(p->corners, p->weight);
    if (!dr_apart_solids_is_in_body(solids, apart, p->number, x)) {
        return true;
    }
    dr_apart_aim aim = dr_exit_aim(&p->solid, x);
    turn_from_plane(p, x, &aim);
    return !(aim.distance < apart->edge_length) || add_exit(exits, memory, p, x, &aim, cloths);
}

static bool has_corner_inside(const pierced* p)
{
    const dr_apart* apart = p->solid.apart;
    const int32_t* t = apart->triangles[p->triangle];
    return dr_apart_is_in(apart, t[0], p->number) || dr_apart_is_in(apart, t[1], p->number) ||
           dr_apart_is_in(apart, t[2], p->number);
}

static bool lead_triangle(dr_apart_exits* exits, const dr_apart_solids* solids, drape_world* world,
                          pierced* p, const dr_pair* pairs, int count, dr_cloth* const* cloths)
{
    // Contacts with analytic solids know their edges.
    if (!p->solid.obstacle->body || has_corner_inside(p)) {
        return true;
    }
    dr_exit_corners(p->solid.apart, p->triangle, p->solid.apart->x, p->corners);
    for (int i = 0; i < count; ++i) {
        add_piercings(p, pairs[i].b);
    }
    for (int k = 0; k < 3 && p->count > 0; ++k) {
        p->weight[k] /= (float)p->count;
    }
    return p->count == 0 || lead(exits, solids, &world->memory, p, cloths);
}

static int solid_of(const dr_apart* apart, dr_pair pair)
{
    return apart->part_of_vertex[apart->triangles[pair.b][0]];
}

bool dr_exit_lead_triangles(dr_apart_exits* exits, const dr_apart_solids* solids,
                            drape_world* world, const dr_apart* apart, dr_cloth* const* cloths)
{
    const dr_pair* pairs = apart->crossed.data;
    bool done = true;
    for (int i = 0, end; i < apart->crossed.count && done; i = end) {
        end = i + 1;
        if (pairs[i].b < apart->sheets->triangle_count) {
            continue;
        }
        int number = solid_of(apart, pairs[i]);
        while (end < apart->crossed.count && pairs[end].a == pairs[i].a &&
               solid_of(apart, pairs[end]) == number) {
            ++end;
        }
        pierced p = {.solid = dr_exit_solid_of(solids, world, apart, number),
                     .number = number,
                     .triangle = pairs[i].a};
        done = lead_triangle(exits, solids, world, &p, pairs + i, end - i, cloths);
    }
    return done;
}
