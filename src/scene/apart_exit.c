#include "scene/apart_exit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/apart_exit_parts.h"

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

static bool is_beside(const dr_apart* apart, const int32_t* numbers, int v)
{
    int near_count;
    bool is_beside = false;
    const int32_t* near = dr_apart_around(apart, v, &near_count);
    for (int k = 0; k < 3 * near_count && !is_beside; ++k) {
        is_beside = numbers[apart->triangles[near[k / 3]][k % 3]] == DR_EXIT_IN_PATCH;
    }
    return is_beside;
}

// What of a sheet is not in the patch: parts that do not hang together, one after the other.
typedef struct rest_of_sheet {
    const int32_t* vertices;
    int count, part_count;
    int largest, largest_count; // where the largest begins, and its size
} rest_of_sheet;

static rest_of_sheet list_rest(const dr_exit_patch* p, int32_t* numbers, int32_t* vertices)
{
    rest_of_sheet rest = {.vertices = vertices};
    for (int i = 0; i < p->count; ++i) {
        int near_count;
        const int32_t* near = dr_apart_around(p->apart, p->vertices[i], &near_count);
        for (int k = 0; k < 3 * near_count; ++k) {
            int v = p->apart->triangles[near[k / 3]][k % 3];
            if (numbers[v] != DR_EXIT_OUTSIDE) {
                continue;
            }
            int count = flood(p->apart, numbers, v, DR_EXIT_OUTSIDE, DR_EXIT_FLOODED,
                              vertices + rest.count);
            if (count > rest.largest_count) {
                rest.largest = rest.count;
                rest.largest_count = count;
            }
            rest.count += count;
            ++rest.part_count;
        }
    }
    return rest;
}

static bool is_in_largest(const rest_of_sheet* rest, int i)
{
    return i >= rest->largest && i < rest->largest + rest->largest_count;
}

// Tells the largest part from the others, when there are any.
static void measure_rest(dr_exit_patch* p, const rest_of_sheet* rest, int32_t* numbers)
{
    drape_vec3 middle = {0.0f, 0.0f, 0.0f};
    float squared = 0.0f;
    for (int i = 0; i < p->count; ++i) {
        middle = dr_add(middle, dr_exit_place(p->apart->x, p->vertices[i]));
    }
    middle = dr_scale(middle, 1.0f / (float)p->count);
    for (int i = 0; i < rest->count; ++i) {
        bool is_largest = is_in_largest(rest, i) && rest->part_count > 1;
        drape_vec3 away = dr_sub(dr_exit_place(p->apart->x, rest->vertices[i]), middle);
        numbers[rest->vertices[i]] = is_largest ? DR_EXIT_LARGEST : DR_EXIT_OUTSIDE;
        squared = is_largest ? squared : fmaxf(squared, dr_dot(away, away));
    }
    p->smaller_size = rest->part_count > 1 ? sqrtf(squared) : 0.0f;
}

static void forget_rest(const rest_of_sheet* rest, int32_t* numbers)
{
    for (int i = 0; i < rest->count; ++i) {
        numbers[rest->vertices[i]] = DR_EXIT_OUTSIDE;
    }
}

// What hangs on the patch beyond the solid has to follow it through: nothing may hold it there.
static bool draw_smaller(dr_apart_exits* exits, dr_memory* memory, const dr_exit_patch* p,
                         const rest_of_sheet* rest)
{
    const int32_t* numbers = exits->numbers.data;
    for (int i = 0; i < rest->count; ++i) {
        if (is_in_largest(rest, i) || !is_beside(p->apart, numbers, rest->vertices[i])) {
            continue;
        }
        dr_pair* drawn = dr_array_push(memory, &exits->drawn, sizeof *drawn);
        if (!drawn) {
            return false;
        }
        *drawn = (dr_pair){p->number, rest->vertices[i]};
    }
    return true;
}

// --- Exits ---

static bool add_exit(dr_apart_exits* exits, dr_memory* memory, const dr_exit_patch* p, int i,
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
static int put_pins_first(dr_exit_patch* p)
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
static bool can_leave(const dr_exit_patch* p, int i, int pin_count)
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

static bool lead_hung(dr_apart_exits* exits, dr_memory* memory, const dr_exit_patch* p,
                      int pin_count, dr_cloth* const* cloths)
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

static bool lead_patch(dr_apart_exits* exits, dr_memory* memory, dr_exit_patch* p,
                       dr_cloth* const* cloths)
{
    int pin_count = put_pins_first(p);
    dr_exit_aim_each(p);
    if (pin_count > 0) {
        return lead_hung(exits, memory, p, pin_count, cloths);
    }
    int32_t* numbers = exits->numbers.data;
    rest_of_sheet rest = list_rest(p, numbers, exits->flooded.data);
    measure_rest(p, &rest, numbers);
    dr_exit_way way;
    bool done = dr_exit_find_way(p, memory, numbers, &way);
    for (int i = 0; i < p->count && done; ++i) {
        drape_vec3 normal = way.is_found ? way.normal : p->aims[i].normal;
        done = add_exit(exits, memory, p, i, normal, false, cloths);
    }
    done = done && (!way.is_drawn || draw_smaller(exits, memory, p, &rest));
    forget_rest(&rest, numbers);
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
static bool lead_out(dr_apart_exits* exits, dr_memory* memory, dr_exit_patch* p, int first,
                     int last, dr_cloth* const* cloths)
{
    const dr_pair* inside = p->apart->inside.data;
    int32_t* numbers = exits->numbers.data;
    bool done = true;
    for (int i = first; i < last; ++i) {
        numbers[inside[i].b] = DR_EXIT_INSIDE;
    }
    for (int i = first; i < last && done; ++i) {
        if (numbers[inside[i].b] != DR_EXIT_INSIDE) {
            continue;
        }
        p->count =
            flood(p->apart, numbers, inside[i].b, DR_EXIT_INSIDE, DR_EXIT_IN_PATCH, p->vertices);
        done = lead_patch(exits, memory, p, cloths);
        for (int k = 0; k < p->count; ++k) {
            numbers[p->vertices[k]] = DR_EXIT_FLOODED;
        }
    }
    for (int i = first; i < last; ++i) {
        numbers[inside[i].b] = DR_EXIT_OUTSIDE;
    }
    return done;
}

static int compare(const void* left, const void* right)
{
    const dr_pair *p = left, *q = right;
    int by_a = (p->a > q->a) - (p->a < q->a);
    return by_a ? by_a : (p->b > q->b) - (p->b < q->b);
}

// What is drawn after a patch leaves the solid as the patch does.
static bool note_drawn(const dr_apart_exits* exits, dr_memory* memory, dr_apart* apart)
{
    const dr_pair* drawn = exits->drawn.data;
    int before = apart->inside.count, count = 0;
    for (int i = 0; i < exits->drawn.count; ++i) {
        dr_pair* pair = dr_array_push(memory, &apart->inside, sizeof *pair);
        if (!pair) {
            return false;
        }
        *pair = drawn[i];
        apart->is_inside[drawn[i].b] |= DR_APART_INSIDE;
    }
    dr_pair* inside = apart->inside.data;
    if (apart->inside.count > before) {
        qsort(inside, (size_t)apart->inside.count, sizeof *inside, compare);
    }
    for (int i = 0; i < apart->inside.count; ++i) { // a vertex may be beside two patches
        if (i == 0 || compare(&inside[i], &inside[i - 1]) != 0) {
            inside[count++] = inside[i];
        }
    }
    apart->inside.count = count;
    return true;
}

bool dr_apart_exits_find(dr_apart_exits* exits, const dr_apart_solids* solids, drape_world* world,
                         dr_apart* apart, dr_cloth* const* cloths)
{
    const dr_pair* inside = apart->inside.data;
    exits->exits.count = exits->drawn.count = 0;
    if (apart->inside.count == 0 && apart->crossed.count == 0) {
        return true;
    }
    bool done = dr_exit_lead_triangles(exits, solids, world, apart, cloths) &&
                reserve(exits, &world->memory, apart->sheets->vertex_count);
    for (int i = 0, end; i < apart->inside.count && done; i = end) {
        for (end = i + 1; end < apart->inside.count && inside[end].a == inside[i].a; ++end) {
        }
        dr_exit_patch p = {.apart = apart,
                           .solid = dr_exit_solid_of(solids, world, apart, inside[i].a),
                           .number = inside[i].a,
                           .ring = &exits->ring,
                           .vertices = exits->patch.data,
                           .aims = exits->aims.data};
        done = lead_out(exits, &world->memory, &p, i, end, cloths);
    }
    return done && note_drawn(exits, &world->memory, apart);
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
    dr_array_free(memory, &exits->ring, sizeof(drape_vec3));
    dr_array_free(memory, &exits->drawn, sizeof(dr_pair));
}
