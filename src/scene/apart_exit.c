#include "scene/apart_exit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/apart_exit_parts.h"

// --- Exits ---

static bool add_exit(dr_apart_exits* exits, dr_memory* memory, const dr_apart* apart,
                     const dr_exit_member* member, drape_vec3 way, bool is_hung,
                     dr_cloth* const* cloths)
{
    int part = apart->part_of_vertex[member->vertex[0]];
    const dr_cloth* cloth = cloths[part];
    dr_apart_exit* exit = dr_array_push(memory, &exits->exits, sizeof *exit);
    if (!exit) {
        return false;
    }
    float wanted = fmaxf(member->aim.distance, 0.0f) + 0.5f * cloth->thickness;
    *exit = (dr_apart_exit){part,
                            dr_exit_is_vertex(member),
                            is_hung,
                            member->aim.carried,
                            {.normal = way,
                             .anchor = dr_add(member->place, member->aim.carried),
                             .gap = -fminf(wanted, exits->way)}};
    for (int k = 0; k < 3; ++k) {
        int v = member->vertex[k] - apart->sheets->parts[part].first_vertex;
        exit->contact.slot[k] = cloth->sheet->slot_of_vertex[v];
        exit->contact.weight[k] = member->weight[k];
    }
    return true;
}

// --- What hangs from pins ---

static bool is_pin(const dr_apart* apart, const dr_exit_member* member)
{
    return dr_exit_is_vertex(member) && !(apart->y[4 * member->vertex[0] + 3] > 0.0f);
}

// Pins come first in the patch; returns how many there are.
static int put_pins_first(dr_exit_patch* p)
{
    int count = 0;
    for (int i = 0; i < p->count; ++i) {
        dr_exit_member member = p->members[i];
        if (is_pin(p->apart, &member)) {
            p->members[i] = p->members[count];
            p->members[count++] = member;
        }
    }
    return count;
}

// Whether a vertex would be no further from any pin outside than it is at rest, or little.
static bool can_leave(const dr_exit_patch* p, const dr_exit_member* member, int pin_count)
{
    const float little = 1.05f;
    const float* rest = p->apart->rest;
    drape_vec3 from = dr_exit_place(rest, member->vertex[0]);
    drape_vec3 x = dr_add(member->place, dr_scale(member->aim.normal, member->aim.distance));
    bool can = true;
    for (int k = 0; k < pin_count && can; ++k) {
        const dr_exit_member* pin = &p->members[k];
        float most = little * dr_length(dr_sub(from, dr_exit_place(rest, pin->vertex[0])));
        can = dr_length(dr_sub(x, pin->place)) <= most;
    }
    return can;
}

static bool lead_hung(dr_apart_exits* exits, dr_memory* memory, const dr_exit_patch* p,
                      int pin_count, dr_cloth* const* cloths)
{
    bool done = true;
    for (int i = 0; i < p->count && done; ++i) {
        const dr_exit_member* member = &p->members[i];
        if (!dr_exit_is_vertex(member)) {
            continue;
        }
        p->apart->is_inside[member->vertex[0]] |= DR_APART_HUNG;
        if (i >= pin_count && can_leave(p, member, pin_count)) {
            done = add_exit(exits, memory, p->apart, member, member->aim.normal, true, cloths);
        }
    }
    return done;
}

// --- Patches ---

// The way out of a solid may lead through another one: that does not hold what comes to it, either.
static bool pass_on(dr_apart_exits* exits, dr_memory* memory, const dr_exit_patch* p,
                    const dr_exit_member* member, drape_vec3 way)
{
    enum { steps = 4 };
    bool done = true;
    for (int i = 0; i < p->group.count && done && dr_exit_is_vertex(member); ++i) {
        const dr_exit_solid* solid = &p->group.solids[i];
        bool is_ahead = false, is_in = dr_apart_is_in(p->apart, member->vertex[0], solid->number);
        for (int k = 1; k <= steps && !is_in && !is_ahead; ++k) {
            drape_vec3 at = dr_add(member->place, dr_scale(way, (float)k * exits->way));
            is_ahead = dr_exit_is_in(solid, at);
        }
        dr_pair* drawn = is_ahead ? dr_array_push(memory, &exits->drawn, sizeof *drawn) : NULL;
        done = !is_ahead || drawn;
        if (drawn) {
            *drawn = (dr_pair){solid->number, member->vertex[0]};
        }
    }
    return done;
}

// What is pressed against solids on the way goes along, and comes into them.
static bool lead_shadow(dr_apart_exits* exits, dr_memory* memory, const dr_exit_patch* p,
                        drape_vec3 way, dr_cloth* const* cloths)
{
    const float near = 8.0f * exits->way;
    bool done = true;
    for (int i = 0; i < p->shadow_count && done; ++i) {
        int v = p->shadow[i];
        dr_exit_member member = p->members[0];
        member = (dr_exit_member){
            -1,        member.solid, {v, v, v}, {1.0f, 0.0f, 0.0f}, dr_exit_place(p->apart->x, v),
            member.aim};
        member.aim.distance = exits->way;
        bool is_near = dr_exit_ray_through(&p->group, member.place, way, near, near) > 0.0f;
        done = add_exit(exits, memory, p->apart, &member, way, false, cloths) &&
               (!is_near || dr_exit_draw(p, memory, &exits->drawn, v));
    }
    return done;
}

static bool lead_patch(dr_apart_exits* exits, dr_memory* memory, dr_exit_patch* p,
                       dr_cloth* const* cloths)
{
    int pin_count = put_pins_first(p);
    if (pin_count > 0) {
        return lead_hung(exits, memory, p, pin_count, cloths);
    }
    dr_exit_rest rest = dr_exit_list_rest(p, exits->flooded.data);
    dr_exit_way way;
    bool done = dr_exit_find_way(p, memory, &way);
    for (int i = 0; i < p->count && done; ++i) {
        const dr_exit_member* member = &p->members[i];
        drape_vec3 normal = way.is_found ? way.normal : member->aim.normal;
        done = add_exit(exits, memory, p->apart, member, normal, false, cloths) &&
               (!way.is_found || pass_on(exits, memory, p, member, normal));
    }
    done = done && (!way.is_drawn || dr_exit_draw_smaller(p, memory, &exits->drawn));
    done = done && lead_shadow(exits, memory, p, way.normal, cloths);
    dr_exit_leave_shadow(p);
    dr_exit_leave_rest(p, &rest);
    return done;
}

static void note_touched(const dr_apart_exits* exits, dr_apart* apart)
{
    const dr_exit_member* members = exits->members.data;
    for (int i = 0; i < exits->members.count; ++i) {
        for (int k = 0; k < 3 && !dr_exit_is_vertex(&members[i]); ++k) {
            apart->is_inside[members[i].vertex[k]] |= DR_APART_TOUCHED;
        }
    }
}

// All that is in the solids of a group.
static bool lead_out(dr_apart_exits* exits, dr_memory* memory, dr_exit_group group, dr_apart* apart,
                     dr_cloth* const* cloths)
{
    bool done = dr_exit_list_members(exits, memory, &group);
    dr_exit_patch all = {.apart = apart,
                         .group = group,
                         .aims = exits->aims.data,
                         .numbers = exits->numbers.data,
                         .members = exits->members.data,
                         .count = exits->members.count,
                         .shadow = exits->shadow.data,
                         .is_in_shadow = exits->is_in_shadow.data,
                         .ring = &exits->ring};
    note_touched(exits, apart);
    for (int first = 0, count; first < all.count && done; first += count) {
        dr_exit_number(&all, first);
        dr_exit_patch patch = dr_exit_take_patch(&all, first, exits->flooded.data);
        count = patch.count;
        done = lead_patch(exits, memory, &patch, cloths);
        dr_exit_leave_patch(&patch);
    }
    dr_exit_forget(&all);
    return done;
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
        qsort(inside, (size_t)apart->inside.count, sizeof *inside, dr_apart_compare_pairs);
    }
    for (int i = 0; i < apart->inside.count; ++i) { // a vertex may be beside two patches
        if (i == 0 || dr_apart_compare_pairs(&inside[i], &inside[i - 1]) != 0) {
            inside[count++] = inside[i];
        }
    }
    apart->inside.count = count;
    return true;
}

static bool reserve(dr_apart_exits* exits, dr_memory* memory, int count)
{
    bool is_first = exits->numbers.capacity == 0;
    if (!dr_apart_reserve(memory, &exits->numbers, sizeof(int32_t), count)) {
        return false;
    }
    if (is_first) {
        memset(exits->numbers.data, 0xff, sizeof(int32_t) * (size_t)count);
    }
    is_first = exits->is_in_shadow.capacity == 0;
    if (!dr_apart_reserve(memory, &exits->is_in_shadow, sizeof(uint8_t), count)) {
        return false;
    }
    if (is_first) {
        memset(exits->is_in_shadow.data, 0, (size_t)count);
    }
    return dr_apart_reserve(memory, &exits->flooded, sizeof(int32_t), count) &&
           dr_apart_reserve(memory, &exits->shadow, sizeof(int32_t), count) &&
           dr_apart_reserve(memory, &exits->aims, sizeof(dr_apart_aim), count);
}

// Those that are still, or the others, behind those that are listed.
static bool list_solids(dr_apart_exits* exits, dr_memory* memory, const dr_apart_solids* solids,
                        const drape_world* world, const dr_apart* apart, bool are_still)
{
    for (int i = 0; i < solids->count && apart->solids; ++i) {
        dr_exit_solid solid = dr_exit_solid_of(solids, world, apart, i);
        if (apart->is_open[i] || solid.is_still != are_still) {
            continue;
        }
        dr_exit_solid* place = dr_array_push(memory, &exits->solids, sizeof *place);
        if (!place) {
            return false;
        }
        *place = solid;
    }
    return true;
}

bool dr_apart_exits_find(dr_apart_exits* exits, const dr_apart_solids* solids, drape_world* world,
                         dr_apart* apart, dr_cloth* const* cloths)
{
    dr_memory* memory = &world->memory;
    exits->exits.count = exits->drawn.count = exits->solids.count = 0;
    if (apart->inside.count == 0 && apart->crossed.count == 0) {
        return true;
    }
    bool done = reserve(exits, memory, apart->sheets->vertex_count) &&
                list_solids(exits, memory, solids, world, apart, true);
    int still_count = exits->solids.count;
    done = done && list_solids(exits, memory, solids, world, apart, false);
    const dr_exit_solid* all = exits->solids.data;
    if (done && still_count > 0) {
        done = lead_out(exits, memory, (dr_exit_group){all, still_count}, apart, cloths);
    }
    for (int i = still_count; i < exits->solids.count && done; ++i) {
        done = lead_out(exits, memory, (dr_exit_group){all + i, 1}, apart, cloths);
    }
    return done && note_drawn(exits, memory, apart);
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

// A point loses what the exit has pressed, but goes no slower than the solid by that.
static void calm_point(const dr_apart_exit* exit, const dr_sheet* sheet, float h)
{
    const dr_contact1* contact = &exit->contact;
    float ws = 0.0f, speed = -dr_dot(contact->normal, exit->carried) / h;
    for (int k = 0; k < 3; ++k) {
        float w = contact->weight[k];
        drape_vec3 v = dr_sheet_get(sheet->layout, sheet->vel, contact->slot[k]);
        ws += dr_sheet_inverse_mass(sheet, contact->slot[k]) * w * w;
        speed += w * dr_dot(contact->normal, v);
    }
    float lost = fmaxf(fminf(speed, contact->pressed / h), 0.0f);
    for (int k = 0; k < 3 && ws > 0.0f; ++k) {
        int slot = contact->slot[k];
        float share = dr_sheet_inverse_mass(sheet, slot) * contact->weight[k] / ws;
        drape_vec3 v = dr_sheet_get(sheet->layout, sheet->vel, slot);
        dr_sheet_set(sheet->layout, sheet->vel, slot,
                     dr_sub(v, dr_scale(contact->normal, share * lost)));
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
            calm_point(&all[i], cloth->sheet, h);
        }
    }
}

void dr_apart_exits_free(dr_apart_exits* exits, dr_memory* memory)
{
    dr_array_free(memory, &exits->exits, sizeof(dr_apart_exit));
    dr_array_free(memory, &exits->numbers, sizeof(int32_t));
    dr_array_free(memory, &exits->flooded, sizeof(int32_t));
    dr_array_free(memory, &exits->members, sizeof(dr_exit_member));
    dr_array_free(memory, &exits->shadow, sizeof(int32_t));
    dr_array_free(memory, &exits->is_in_shadow, sizeof(uint8_t));
    dr_array_free(memory, &exits->aims, sizeof(dr_apart_aim));
    dr_array_free(memory, &exits->solids, sizeof(dr_exit_solid));
    dr_array_free(memory, &exits->ring, sizeof(drape_vec3));
    dr_array_free(memory, &exits->drawn, sizeof(dr_pair));
}
