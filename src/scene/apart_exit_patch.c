// Patches of what is in a solid, and what hangs on them outside.
#include <math.h>

#include "scene/apart_exit_parts.h"

// --- Numbers ---

void dr_exit_number(const dr_exit_patch* all, int first)
{
    for (int i = first; i < all->count; ++i) {
        const dr_exit_member* member = &all->members[i];
        for (int k = 0; k < 3; ++k) {
            int32_t* number = &all->numbers[member->vertex[k]];
            *number = dr_exit_is_vertex(member)    ? DR_EXIT_INSIDE
                      : *number == DR_EXIT_OUTSIDE ? DR_EXIT_TOUCHED
                                                   : *number;
        }
    }
}

void dr_exit_forget(const dr_exit_patch* all)
{
    for (int i = 0; i < all->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            all->numbers[all->members[i].vertex[k]] = DR_EXIT_OUTSIDE;
        }
    }
}

// --- Patches ---

static bool reach(int32_t* numbers, int v)
{
    bool is_new = numbers[v] == DR_EXIT_INSIDE || numbers[v] == DR_EXIT_TOUCHED;
    numbers[v] = numbers[v] == DR_EXIT_INSIDE    ? DR_EXIT_IN_PATCH
                 : numbers[v] == DR_EXIT_TOUCHED ? DR_EXIT_BESIDE
                                                 : numbers[v];
    return is_new;
}

// From one vertex to all that are in the solid or touch it, and hang together with it.
static void flood_patch(const dr_exit_patch* all, int from, int32_t* reached)
{
    int count = 0;
    reach(all->numbers, from);
    reached[count++] = from;
    for (int done = 0; done < count; ++done) {
        int near_count;
        const int32_t* near = dr_apart_around(all->apart, reached[done], &near_count);
        for (int i = 0; i < 3 * near_count; ++i) {
            int v = all->apart->triangles[near[i / 3]][i % 3];
            if (reach(all->numbers, v)) {
                reached[count++] = v;
            }
        }
    }
}

dr_exit_patch dr_exit_take_patch(const dr_exit_patch* all, int first, int32_t* scratch)
{
    dr_exit_patch patch = *all;
    patch.members = all->members + first;
    patch.count = 0;
    flood_patch(all, patch.members[0].vertex[0], scratch);
    for (int i = 0; i < all->count - first; ++i) {
        dr_exit_member member = patch.members[i];
        int number = all->numbers[member.vertex[0]];
        if (number == DR_EXIT_IN_PATCH || number == DR_EXIT_BESIDE) {
            patch.members[i] = patch.members[patch.count];
            patch.members[patch.count++] = member;
            patch.deepest = fmaxf(patch.deepest, member.aim.distance);
        }
    }
    return patch;
}

// Its vertices stay inside; what touched may be outside of the next patch.
void dr_exit_leave_patch(const dr_exit_patch* p)
{
    for (int i = 0; i < p->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            p->numbers[p->members[i].vertex[k]] =
                dr_exit_is_vertex(&p->members[i]) ? DR_EXIT_FLOODED : DR_EXIT_OUTSIDE;
        }
    }
}

// --- What hangs on a patch ---

// Whether a solid is between the ends of an edge of a triangle.
static bool is_cut_by(const dr_exit_patch* p, int solid, int triangle, int v, int w)
{
    const dr_apart* apart = p->apart;
    int count;
    const dr_pair* crossed = dr_apart_crossed_in(apart, triangle, solid, &count);
    drape_vec3 from = dr_exit_place(apart->x, v), way = dr_sub(dr_exit_place(apart->x, w), from);
    bool is_met = false;
    for (int i = 0; i < count && !is_met; ++i) {
        drape_vec3 t[3];
        float weight[2];
        dr_exit_corners(apart, crossed[i].b, apart->x, t);
        is_met = dr_exit_meet(from, way, t, weight) <= 1.0f;
    }
    return is_met;
}

static bool is_cut(const dr_exit_patch* p, int triangle, int v, int w)
{
    bool is = false;
    for (int i = 0; i < p->group.count && !is && p->apart->is_crossed[triangle]; ++i) {
        is = is_cut_by(p, p->group.solids[i].number, triangle, v, w);
    }
    return is;
}

static bool is_outside(const dr_exit_patch* p, int v)
{
    int number = p->numbers[v];
    return number == DR_EXIT_OUTSIDE || number == DR_EXIT_TOUCHED || number == DR_EXIT_BESIDE;
}

static int flood_part(const dr_exit_patch* p, int from, int32_t* out)
{
    int count = 0;
    p->numbers[from] = DR_EXIT_FLOODED;
    out[count++] = from;
    for (int done = 0; done < count; ++done) {
        int near_count, v = out[done];
        const int32_t* near = dr_apart_around(p->apart, v, &near_count);
        for (int i = 0; i < 3 * near_count; ++i) {
            int w = p->apart->triangles[near[i / 3]][i % 3];
            if (is_outside(p, w) && !is_cut(p, near[i / 3], v, w)) {
                p->numbers[w] = DR_EXIT_FLOODED;
                out[count++] = w;
            }
        }
    }
    return count;
}

static void add_part(const dr_exit_patch* p, int v, int32_t* vertices, dr_exit_rest* rest)
{
    if (!is_outside(p, v)) {
        return;
    }
    int count = flood_part(p, v, vertices + rest->count);
    if (count > rest->largest_count) {
        rest->largest = rest->count;
        rest->largest_count = count;
    }
    rest->count += count;
    ++rest->part_count;
}

static bool is_in_largest(const dr_exit_rest* rest, int i)
{
    return i >= rest->largest && i < rest->largest + rest->largest_count;
}

static void measure_rest(dr_exit_patch* p, const dr_exit_rest* rest)
{
    drape_vec3 middle = {0.0f, 0.0f, 0.0f};
    float squared = 0.0f;
    for (int i = 0; i < p->count; ++i) {
        middle = dr_add(middle, p->members[i].place);
    }
    middle = dr_scale(middle, 1.0f / (float)p->count);
    for (int i = 0; i < rest->count; ++i) {
        bool is_largest = is_in_largest(rest, i) && rest->part_count > 1;
        drape_vec3 away = dr_sub(dr_exit_place(p->apart->x, rest->vertices[i]), middle);
        p->numbers[rest->vertices[i]] = is_largest ? DR_EXIT_LARGEST : DR_EXIT_OUTSIDE;
        squared = is_largest ? squared : fmaxf(squared, dr_dot(away, away));
    }
    p->smaller_size = rest->part_count > 1 ? sqrtf(squared) : 0.0f;
}

dr_exit_rest dr_exit_list_rest(dr_exit_patch* p, int32_t* vertices)
{
    dr_exit_rest rest = {.vertices = vertices};
    for (int i = 0; i < p->count; ++i) {
        const dr_exit_member* member = &p->members[i];
        int near_count;
        const int32_t* near = dr_exit_triangles(p, member, &near_count);
        for (int k = 0; k < 3 * near_count; ++k) {
            add_part(p, p->apart->triangles[near[k / 3]][k % 3], vertices, &rest);
        }
    }
    measure_rest(p, &rest);
    return rest;
}

void dr_exit_leave_rest(const dr_exit_patch* p, const dr_exit_rest* rest)
{
    for (int i = 0; i < rest->count; ++i) {
        p->numbers[rest->vertices[i]] = DR_EXIT_OUTSIDE;
    }
}

// All solids of the group let a vertex pass.
bool dr_exit_draw(const dr_exit_patch* p, dr_memory* memory, dr_array* drawn, int v)
{
    bool done = true;
    for (int i = 0; i < p->group.count && done; ++i) {
        dr_pair* pair = dr_array_push(memory, drawn, sizeof *pair);
        done = pair != NULL;
        if (done) {
            *pair = (dr_pair){p->group.solids[i].number, v};
        }
    }
    return done;
}

bool dr_exit_draw_smaller(const dr_exit_patch* p, dr_memory* memory, dr_array* drawn)
{
    bool done = true;
    for (int i = 0; i < p->count && done; ++i) {
        const dr_exit_member* member = &p->members[i];
        int near_count;
        const int32_t* near = dr_exit_triangles(p, member, &near_count);
        for (int k = 0; k < 3 * near_count && done; ++k) {
            int v = p->apart->triangles[near[k / 3]][k % 3];
            bool is_out = p->numbers[v] == DR_EXIT_OUTSIDE || p->numbers[v] == DR_EXIT_BESIDE;
            done = !is_out || dr_exit_draw(p, memory, drawn, v);
        }
    }
    return done;
}
