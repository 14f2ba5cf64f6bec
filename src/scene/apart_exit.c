#include "scene/apart_exit.h"

#include <math.h>
#include <string.h>

#include "scene/apart_exit_parts.h"

// Ways that are tried for a patch, vertices that they are tried with.
enum { MOST_WAYS = 10, MOST_TRIED = 16 };

// One patch and the solid that it is in.
typedef struct patch {
    dr_apart* apart;
    dr_exit_solid solid;
    int32_t* vertices;
    int count;
    dr_apart_aim* aims; // of each
    float deepest;
} patch;

// --- The nearest way of each ---

static void aim_each(patch* p)
{
    p->deepest = 0.0f;
    for (int i = 0; i < p->count; ++i) {
        drape_vec3 x = dr_exit_place(p->apart->x, p->vertices[i]);
        p->aims[i] = dr_exit_aim(&p->solid, x);
        p->deepest = fmaxf(p->deepest, p->aims[i].distance);
    }
}

// --- One way for all ---

// How far the deepest of some vertices goes, or some length above `most`.
static float try_way(const patch* p, drape_vec3 way, float most)
{
    int step = 1 + (p->count - 1) / MOST_TRIED;
    float longest = 0.0f;
    for (int i = 0; i < p->count && longest <= most; i += step) {
        drape_vec3 x = dr_exit_place(p->apart->x, p->vertices[i]);
        longest = fmaxf(longest, dr_exit_ray(&p->solid, x, way, 1.01f * most));
    }
    return longest;
}

static drape_vec3 mean_normal(const patch* p)
{
    drape_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < p->count; ++i) {
        int count;
        const int32_t* near = dr_apart_around(p->apart, p->vertices[i], &count);
        for (int k = 0; k < count; ++k) {
            drape_vec3 t[3];
            dr_exit_corners(p->apart, near[k], p->apart->x, t);
            sum = dr_add(sum, dr_cross(dr_sub(t[1], t[0]), dr_sub(t[2], t[0])));
        }
    }
    return dr_normalize(sum);
}

// Both ways across the patch, then nearest ways of some of its vertices, the deepest one first.
static int list_ways(const patch* p, drape_vec3 ways[MOST_WAYS])
{
    int count = 0, deepest = 0, step = 1 + (p->count - 1) / (MOST_WAYS - 3);
    drape_vec3 across = mean_normal(p);
    if (dr_dot(across, across) > 0.0f) {
        ways[count++] = across;
        ways[count++] = dr_scale(across, -1.0f);
    }
    for (int i = 1; i < p->count; ++i) {
        deepest = p->aims[i].distance > p->aims[deepest].distance ? i : deepest;
    }
    ways[count++] = p->aims[deepest].normal;
    for (int i = 0; i < p->count; i += step) {
        ways[count++] = p->aims[i].normal;
    }
    return count;
}

// The shortest way for all, not `longer` than the nearest ways are, and not against `side`; across the
// patch if need be.
static bool choose_way(const patch* p, drape_vec3 side, float longer, bool is_across,
                       drape_vec3* way)
{
    drape_vec3 ways[MOST_WAYS];
    int count = list_ways(p, ways);
    count = is_across && count > 2 ? 2 : count;
    float least = longer * p->deepest;
    bool found = false;
    for (int i = 0; i < count; ++i) {
        float length = dr_dot(ways[i], side) < 0.0f ? INFINITY : try_way(p, ways[i], least);
        // Ways that are alike up to rounding: the first.
        if (length < (found ? 0.999f * least : least)) {
            least = length;
            *way = ways[i];
            found = true;
        }
    }
    return found;
}

// --- Patches ---

// All vertices that hang together with `from` and have the number `is`, which becomes `becomes`.
static int flood(const dr_apart* apart, int32_t* numbers, int from, int32_t is, int32_t becomes,
                 int32_t* out)
{
    int count = 0;
    numbers[from] = becomes;
    out[count++] = from;
    for (int done = 0; done < count; ++done) {
        int near_count;
        const int32_t* near = dr_apart_around(apart, out[done], &near_count);
        for (int i = 0; i < 3 * near_count; ++i) {
            int v = apart->triangles[near[i / 3]][i % 3];
            if (numbers[v] == is) {
                numbers[v] = becomes;
                out[count++] = v;
            }
        }
    }
    return count;
}

enum { OUTSIDE = -1, INSIDE = -2, IN_PATCH = 0, FLOODED = 1 };

// The mean of those vertices of a list that are beside the patch, seen from its middle.
static drape_vec3 side_of(const patch* p, const int32_t* numbers, const int32_t* list, int count)
{
    drape_vec3 sum = {0.0f, 0.0f, 0.0f}, middle = sum;
    int beside = 0;
    for (int i = 0; i < count; ++i) {
        int near_count;
        bool is_beside = false;
        const int32_t* near = dr_apart_around(p->apart, list[i], &near_count);
        for (int k = 0; k < 3 * near_count; ++k) {
            is_beside |= numbers[p->apart->triangles[near[k / 3]][k % 3]] == IN_PATCH;
        }
        sum = is_beside ? dr_add(sum, dr_exit_place(p->apart->x, list[i])) : sum;
        beside += is_beside;
    }
    for (int i = 0; i < p->count; ++i) {
        middle = dr_add(middle, dr_exit_place(p->apart->x, p->vertices[i]));
    }
    return beside == 0 ? sum
                       : dr_sub(dr_scale(sum, 1.0f / (float)beside),
                                dr_scale(middle, 1.0f / (float)p->count));
}

// Where the largest part of the rest of the sheet is, when there are several; else nothing.
static drape_vec3 larger_side(const patch* p, int32_t* numbers, int32_t* flooded)
{
    drape_vec3 side = {0.0f, 0.0f, 0.0f};
    int parts = 0, largest = 0, total = 0;
    for (int i = 0; i < p->count; ++i) {
        int near_count;
        const int32_t* near = dr_apart_around(p->apart, p->vertices[i], &near_count);
        for (int k = 0; k < 3 * near_count; ++k) {
            int v = p->apart->triangles[near[k / 3]][k % 3];
            if (numbers[v] != OUTSIDE) {
                continue;
            }
            int count = flood(p->apart, numbers, v, OUTSIDE, FLOODED, flooded + total);
            if (count > largest) {
                largest = count;
                side = side_of(p, numbers, flooded + total, count);
            }
            total += count;
            ++parts;
        }
    }
    for (int i = 0; i < total; ++i) {
        numbers[flooded[i]] = OUTSIDE;
    }
    return parts > 1 ? side : (drape_vec3){0.0f, 0.0f, 0.0f};
}

// --- Each its own way, or all one ---

static drape_vec3 nearest_exit(const patch* p, int v)
{
    drape_vec3 x = dr_exit_place(p->apart->x, v);
    dr_apart_aim aim = dr_exit_aim(&p->solid, x);
    return dr_add(x, dr_scale(aim.normal, aim.distance));
}

// Whether neighbours would leave the solid on different sides.
static bool would_tear(const patch* p, const int32_t* numbers)
{
    const float most = 2.0f;
    bool is_torn = false;
    for (int i = 0; i < p->count && !is_torn; ++i) {
        int v = p->vertices[i], near_count;
        const int32_t* near = dr_apart_around(p->apart, v, &near_count);
        drape_vec3 exit =
            dr_add(dr_exit_place(p->apart->x, v), dr_scale(p->aims[i].normal, p->aims[i].distance));
        for (int k = 0; k < 3 * near_count && !is_torn; ++k) {
            int other = p->apart->triangles[near[k / 3]][k % 3];
            if (other <= v || numbers[other] != IN_PATCH) {
                continue;
            }
            float rest = dr_length(
                dr_sub(dr_exit_place(p->apart->rest, v), dr_exit_place(p->apart->rest, other)));
            float now =
                dr_length(dr_sub(dr_exit_place(p->apart->x, v), dr_exit_place(p->apart->x, other)));
            is_torn = dr_length(dr_sub(exit, nearest_exit(p, other))) > most * fmaxf(rest, now);
        }
    }
    return is_torn;
}

// A neighbour that is in one triangle only is across a border.
static bool is_at_border(const dr_apart* apart, int v)
{
    int near_count;
    bool is_at = false;
    const int32_t* near = dr_apart_around(apart, v, &near_count);
    for (int i = 0; i < 3 * near_count && !is_at; ++i) {
        int other = apart->triangles[near[i / 3]][i % 3], times = 0;
        for (int k = 0; k < 3 * near_count; ++k) {
            times += apart->triangles[near[k / 3]][k % 3] == other;
        }
        is_at = other != v && times == 1;
    }
    return is_at;
}

// Whether the patch is on a post: the sheet is all around it, and would have to open.
static bool is_impaled(const patch* p, const int32_t* numbers)
{
    bool is_enclosed = true;
    for (int i = 0; i < p->count && is_enclosed; ++i) {
        is_enclosed = !is_at_border(p->apart, p->vertices[i]);
    }
    return is_enclosed && would_tear(p, numbers);
}

// One way for all that is not much longer than the nearest ones. What is impaled goes along its post,
// however far that is.
static bool find_common(const patch* p, const int32_t* numbers, drape_vec3 side, drape_vec3* way)
{
    const float longer = 2.0f, much_longer = 50.0f;
    return is_impaled(p, numbers) ? choose_way(p, side, much_longer, true, way)
                                  : choose_way(p, side, longer, false, way);
}

// --- Exits ---

static bool add_exit(dr_apart_exits* exits, dr_memory* memory, const patch* p, int i,
                     drape_vec3 way, bool is_hung, dr_cloth* const* cloths)
{
    const dr_apart* apart = p->apart;
    int v = p->vertices[i], part = apart->part_of_vertex[v];
    const dr_cloth* cloth = cloths[part];
    int slot = cloth->sheet->slot_of_vertex[v - apart->sheets->parts[part].first_vertex];
    dr_apart_exit* exit = dr_array_push(memory, &exits->exits, sizeof *exit);
    if (!exit) {
        return false;
    }
    float wanted = fmaxf(p->aims[i].distance, 0.0f) + 0.5f * cloth->thickness;
    *exit = (dr_apart_exit){part,
                            true,
                            is_hung,
                            p->aims[i].carried,
                            {.slot = {slot, slot, slot},
                             .weight = {1.0f, 0.0f, 0.0f},
                             .normal = way,
                             .anchor = dr_add(dr_exit_place(apart->x, v), p->aims[i].carried),
                             .gap = -fminf(wanted, exits->way)}};
    return true;
}

// Pins come first in the patch; returns how many there are.
static int put_pins_first(patch* p)
{
    int count = 0;
    for (int i = 0; i < p->count; ++i) {
        int v = p->vertices[i];
        if (!(p->apart->y[4 * v + 3] > 0.0f)) {
            p->vertices[i] = p->vertices[count];
            p->vertices[count++] = v;
        }
    }
    return count;
}

// Whether a vertex would be no further from any pin outside than it is at rest, or little.
static bool can_leave(const patch* p, int i, int pin_count)
{
    const float little = 1.05f;
    const float* rest = p->apart->rest;
    int v = p->vertices[i];
    drape_vec3 x = dr_exit_place(p->apart->x, v), from = dr_exit_place(rest, v);
    x = dr_add(x, dr_scale(p->aims[i].normal, p->aims[i].distance));
    bool can = true;
    for (int k = 0; k < pin_count && can; ++k) {
        int pin = p->vertices[k];
        float most = little * dr_length(dr_sub(from, dr_exit_place(rest, pin)));
        can = dr_length(dr_sub(x, dr_exit_place(p->apart->x, pin))) <= most;
    }
    return can;
}

static bool lead_hung(dr_apart_exits* exits, dr_memory* memory, const patch* p, int pin_count,
                      dr_cloth* const* cloths)
{
    bool done = true;
    for (int i = 0; i < p->count && done; ++i) {
        p->apart->is_inside[p->vertices[i]] |= DR_APART_HUNG;
        if (i >= pin_count && can_leave(p, i, pin_count)) {
            done = add_exit(exits, memory, p, i, p->aims[i].normal, true, cloths);
        }
    }
    return done;
}

static bool lead_patch(dr_apart_exits* exits, dr_memory* memory, patch* p, dr_cloth* const* cloths)
{
    int pin_count = put_pins_first(p);
    aim_each(p);
    if (pin_count > 0) {
        return lead_hung(exits, memory, p, pin_count, cloths);
    }
    drape_vec3 way, side = larger_side(p, exits->numbers.data, exits->flooded.data);
    bool is_common = find_common(p, exits->numbers.data, side, &way), done = true;
    for (int i = 0; i < p->count && done; ++i) {
        done = add_exit(exits, memory, p, i, is_common ? way : p->aims[i].normal, false, cloths);
    }
    return done;
}

static bool reserve(dr_apart_exits* exits, dr_memory* memory, int count)
{
    bool is_first = exits->numbers.capacity == 0;
    bool has_room = dr_apart_reserve(memory, &exits->numbers, sizeof(int32_t), count) &&
                    dr_apart_reserve(memory, &exits->patch, sizeof(int32_t), count) &&
                    dr_apart_reserve(memory, &exits->flooded, sizeof(int32_t), count) &&
                    dr_apart_reserve(memory, &exits->aims, sizeof(dr_apart_aim), count);
    if (has_room && is_first) {
        memset(exits->numbers.data, 0xff, sizeof(int32_t) * (size_t)count);
    }
    return has_room;
}

// The patches of the pairs from `first` to `last`, which are of one solid.
static bool lead_out(dr_apart_exits* exits, dr_memory* memory, patch* p, int first, int last,
                     dr_cloth* const* cloths)
{
    const dr_pair* inside = p->apart->inside.data;
    int32_t* numbers = exits->numbers.data;
    bool done = true;
    for (int i = first; i < last; ++i) {
        numbers[inside[i].b] = INSIDE;
    }
    for (int i = first; i < last && done; ++i) {
        if (numbers[inside[i].b] != INSIDE) {
            continue;
        }
        p->count = flood(p->apart, numbers, inside[i].b, INSIDE, IN_PATCH, p->vertices);
        done = lead_patch(exits, memory, p, cloths);
        for (int k = 0; k < p->count; ++k) {
            numbers[p->vertices[k]] = FLOODED;
        }
    }
    for (int i = first; i < last; ++i) {
        numbers[inside[i].b] = OUTSIDE;
    }
    return done;
}

bool dr_apart_exits_find(dr_apart_exits* exits, const dr_apart_solids* solids, drape_world* world,
                         dr_apart* apart, dr_cloth* const* cloths)
{
    const dr_pair* inside = apart->inside.data;
    exits->exits.count = 0;
    if (apart->inside.count == 0 && apart->crossed.count == 0) {
        return true;
    }
    bool done = dr_exit_lead_triangles(exits, solids, world, apart, cloths) &&
                reserve(exits, &world->memory, apart->sheets->vertex_count);
    for (int i = 0, end; i < apart->inside.count && done; i = end) {
        for (end = i + 1; end < apart->inside.count && inside[end].a == inside[i].a; ++end) {
        }
        patch p = {.apart = apart,
                   .solid = dr_exit_solid_of(solids, world, apart, inside[i].a),
                   .vertices = exits->patch.data,
                   .aims = exits->aims.data};
        done = lead_out(exits, &world->memory, &p, i, end, cloths);
    }
    return done;
}

void dr_apart_exits_resolve(dr_apart_exits* exits, dr_cloth* const* cloths)
{
    dr_apart_exit* all = exits->exits.data;
    for (int i = 0; i < exits->exits.count; ++i) {
        dr_contact_resolve(cloths[all[i].part]->sheet, &all[i].contact, 1);
    }
}

// A vertex goes on as the solid does.
static void calm_vertex(const dr_apart_exit* exit, dr_cloth* cloth, float h)
{
    enum { chunk_slots = 8 * DR_CHUNK_VECTORS };
    int slot = exit->contact.slot[0];
    drape_vec3 velocity = dr_scale(exit->carried, 1.0f / h);
    float* fastest = &cloth->chunks[slot / chunk_slots].speed_squared;
    dr_sheet_set(cloth->sheet->layout, cloth->sheet->vel, slot, velocity);
    *fastest = fmaxf(*fastest, dr_dot(velocity, velocity));
}

// A point loses what the exit has pressed.
static void calm_point(const dr_contact1* contact, const dr_sheet* sheet, float h)
{
    float ws = 0.0f;
    for (int k = 0; k < 3; ++k) {
        float w = contact->weight[k];
        ws += dr_sheet_inverse_mass(sheet, contact->slot[k]) * w * w;
    }
    for (int k = 0; k < 3 && ws > 0.0f; ++k) {
        int slot = contact->slot[k];
        float share = dr_sheet_inverse_mass(sheet, slot) * contact->weight[k] / ws;
        drape_vec3 v = dr_sheet_get(sheet->layout, sheet->vel, slot);
        drape_vec3 gained = dr_scale(contact->normal, share * contact->pressed / h);
        dr_sheet_set(sheet->layout, sheet->vel, slot, dr_sub(v, gained));
    }
}

void dr_apart_exits_calm(const dr_apart_exits* exits, dr_cloth* const* cloths, float h)
{
    const dr_apart_exit* all = exits->exits.data;
    for (int i = 0; i < exits->exits.count; ++i) {
        dr_cloth* cloth = cloths[all[i].part];
        if (all[i].is_vertex) {
            calm_vertex(&all[i], cloth, h);
        } else {
            calm_point(&all[i].contact, cloth->sheet, h);
        }
    }
}

void dr_apart_exits_free(dr_apart_exits* exits, dr_memory* memory)
{
    dr_array_free(memory, &exits->exits, sizeof(dr_apart_exit));
    dr_array_free(memory, &exits->numbers, sizeof(int32_t));
    dr_array_free(memory, &exits->patch, sizeof(int32_t));
    dr_array_free(memory, &exits->flooded, sizeof(int32_t));
    dr_array_free(memory, &exits->aims, sizeof(dr_apart_aim));
}
