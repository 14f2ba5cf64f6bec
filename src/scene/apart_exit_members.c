// What of cloths is in a solid.
#include <math.h>

#include "contact/body.h"
#include "scene/apart_exit_parts.h"

static bool add_vertex(dr_apart_exits* exits, dr_memory* memory, const dr_exit_group* group,
                       int solid, int v)
{
    int32_t* numbers = exits->numbers.data;
    if (numbers[v] != DR_EXIT_OUTSIDE) { // it is in another solid, too
        return true;
    }
    dr_exit_member* member = dr_array_push(memory, &exits->members, sizeof *member);
    if (member) {
        drape_vec3 place = dr_exit_place(group->solids[solid].apart->x, v);
        *member = (dr_exit_member){
            -1, solid, {v, v, v}, {1.0f, 0.0f, 0.0f}, place, dr_exit_aim_out(group, solid, place)};
        ((dr_apart_aim*)exits->aims.data)[v] = member->aim;
        numbers[v] = DR_EXIT_INSIDE;
    }
    return member != NULL;
}

// --- Points of triangles ---

// Of the points where edges of one triangle go through the other: their number, and the sums of their
// weights in the first.
static int add_piercings(const drape_vec3 a[3], const drape_vec3 b[3], float sum[3])
{
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        float weight[2], at = dr_exit_meet(a[k], dr_sub(a[next], a[k]), b, weight);
        if (at <= 1.0f) {
            sum[k] += 1.0f - at;
            sum[next] += at;
            ++count;
        }
        if (dr_exit_meet(b[k], dr_sub(b[next], b[k]), a, weight) <= 1.0f) {
            sum[0] += 1.0f - weight[0] - weight[1];
            sum[1] += weight[0];
            sum[2] += weight[1];
            ++count;
        }
    }
    return count;
}

bool dr_exit_find_crossing(const dr_apart* apart, dr_pair pair, drape_vec3* place)
{
    drape_vec3 a[3], b[3];
    float weight[3] = {0.0f, 0.0f, 0.0f};
    dr_exit_corners(apart, pair.a, apart->x, a);
    dr_exit_corners(apart, pair.b, apart->x, b);
    int count = add_piercings(a, b, weight);
    *place = dr_scale(dr_exit_weighted(a, weight), 1.0f / (float)(count > 0 ? count : 1));
    return count > 0;
}

// The middle of what a triangle and a solid have in common, by its crossed pairs.
static bool find_middle(const dr_exit_solid* solid, const dr_pair* pairs, int count,
                        dr_exit_member* member)
{
    const dr_apart* apart = solid->apart;
    drape_vec3 corners[3], other[3];
    int found = 0;
    *member = (dr_exit_member){.triangle = pairs[0].a};
    dr_exit_corners(apart, pairs[0].a, apart->x, corners);
    for (int i = 0; i < count; ++i) {
        dr_exit_corners(apart, pairs[i].b, apart->x, other);
        found += add_piercings(corners, other, member->weight);
    }
    for (int k = 0; k < 3; ++k) {
        member->vertex[k] = apart->triangles[pairs[0].a][k];
        member->weight[k] /= (float)(found > 0 ? found : 1);
    }
    member->place = dr_exit_weighted(corners, member->weight);
    return found > 0 && dr_exit_is_in(solid, member->place);
}

static bool has_corner_inside_or_pinned(const dr_exit_solid* solid, int triangle)
{
    const dr_apart* apart = solid->apart;
    bool has = false;
    for (int k = 0; k < 3 && !has; ++k) {
        int v = apart->triangles[triangle][k];
        has = dr_apart_is_in(apart, v, solid->number) || !(apart->y[4 * v + 3] > 0.0f);
    }
    return has;
}

// Contacts hold vertices high enough above what is round for triangles of such edges to be clear of it,
// unless those of another solid push them back.
static bool is_round(const dr_exit_solid* solid)
{
    const float longest = 1.25f; // against the radius: contacts hold points of longer edges
    const dr_obstacle* o = solid->obstacle;
    return !o->body && !(solid->apart->edge_length > longest * dr_shape_roundness(&o->shape));
}

static bool list_points(dr_array* members, dr_memory* memory, const dr_exit_group* group,
                        int number)
{
    const dr_exit_solid* solid = &group->solids[number];
    const dr_apart* apart = solid->apart;
    const dr_pair* pairs = apart->crossed.data;
    for (int i = 0, end; i < apart->crossed.count; i = end) {
        for (end = i + 1; end < apart->crossed.count && pairs[end].a == pairs[i].a; ++end) {
        }
        int count;
        const dr_pair* of_solid = dr_apart_crossed_in(apart, pairs[i].a, solid->number, &count);
        dr_exit_member point, *member;
        if (count == 0 || has_corner_inside_or_pinned(solid, pairs[i].a) ||
            !find_middle(solid, of_solid, count, &point)) {
            continue;
        }
        member = dr_array_push(memory, members, sizeof *member);
        if (!member) {
            return false;
        }
        *member = point;
        member->solid = number;
        member->aim = dr_exit_aim_out(group, number, point.place);
    }
    return true;
}

static bool list_vertices(dr_apart_exits* exits, dr_memory* memory, const dr_exit_group* group,
                          int number)
{
    const dr_exit_solid* solid = &group->solids[number];
    const dr_pair* inside = solid->apart->inside.data;
    bool done = true;
    for (int i = 0; i < solid->apart->inside.count && done; ++i) {
        done =
            inside[i].a != solid->number || add_vertex(exits, memory, group, number, inside[i].b);
    }
    return done;
}

bool dr_exit_list_members(dr_apart_exits* exits, dr_memory* memory, const dr_exit_group* group)
{
    bool done = true;
    exits->members.count = 0;
    for (int i = 0; i < group->count && done; ++i) {
        done = list_vertices(exits, memory, group, i);
    }
    for (int i = 0; i < group->count && done; ++i) {
        done = (group->count < 2 && is_round(&group->solids[i])) ||
               list_points(&exits->members, memory, group, i);
    }
    return done;
}
