#include "scene/apart_world.h"

#include <string.h>

#include "collide/tessellate.h"
#include "contact/body.h"

bool dr_world_has_apart(const drape_world* world)
{
    return world->def.method.self == DRAPE_SELF_GUARDED;
}

// --- What is kept between steps ---

static int count_cloths(const drape_world* world)
{
    int count = 0;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        count += dr_slots_at(&world->cloths, i) != NULL;
    }
    return count;
}

static bool create_sheets(drape_world* world, dr_world_apart* a)
{
    dr_memory* memory = &world->memory;
    int count = count_cloths(world), part = 0;
    a->sheets.part_count = count; // so many are freed, however far this comes
    a->cloths = dr_new_zeroed(memory, dr_cloth*, count + 1);
    dr_sheets_part* parts = dr_new_zeroed(memory, dr_sheets_part, count + 1);
    bool made = a->cloths && parts;
    for (int i = 0; made && i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth) {
            a->cloths[part] = cloth;
            parts[part++] = (dr_sheets_part){
                .mesh = &cloth->mesh, .columns = cloth->columns, .rows = cloth->rows};
        }
    }
    made = made && dr_sheets_create(&a->sheets, memory, parts, count);
    dr_delete(memory, parts, count + 1);
    return made;
}

static bool number_slots(drape_world* world, dr_world_apart* a)
{
    int part_count = a->sheets.part_count;
    a->first_slot = dr_new_zeroed(&world->memory, int32_t, part_count + 1);
    for (int p = 0; a->first_slot && p < part_count; ++p) {
        a->first_slot[p + 1] = a->first_slot[p] + 8 * a->cloths[p]->sheet->vector_count;
    }
    a->vertex_of_slot =
        a->first_slot ? dr_new(&world->memory, int32_t, a->first_slot[part_count] + 1) : NULL;
    if (!a->vertex_of_slot) {
        return false;
    }
    memset(a->vertex_of_slot, 0xff, sizeof(int32_t) * (size_t)a->first_slot[part_count]);
    for (int p = 0; p < part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            a->vertex_of_slot[a->first_slot[p] + sheet->slot_of_vertex[v]] =
                a->sheets.parts[p].first_vertex + v;
        }
    }
    return true;
}

static void free_slots(drape_world* world, dr_world_apart* a)
{
    int part_count = a->sheets.part_count;
    if (a->vertex_of_slot) {
        dr_delete(&world->memory, a->vertex_of_slot, a->first_slot[part_count] + 1);
    }
    if (a->first_slot) {
        dr_delete(&world->memory, a->first_slot, part_count + 1);
    }
}

static bool create_limits(drape_world* world, dr_world_apart* a)
{
    int count = a->sheets.part_count;
    dr_stretch_part* parts = dr_new(&world->memory, dr_stretch_part, count + 1);
    for (int p = 0; parts && p < count; ++p) {
        const dr_sheets_part* part = &a->sheets.parts[p];
        parts[p] = (dr_stretch_part){part->mesh, part->columns, part->first_vertex,
                                     a->cloths[p]->fabric.strain_limit};
    }
    bool made = parts && dr_stretch_limits_create(&a->limits, &world->memory, parts, count);
    dr_delete(&world->memory, parts, count + 1);
    return made;
}

static void note_open(dr_world_apart* a)
{
    for (int i = 0; a->apart.solids && i < a->solids.count; ++i) {
        const dr_body* body = a->solids.solids[i].collider->body;
        a->apart.is_open[i] = body && !body->is_closed;
    }
}

bool dr_world_refresh_apart(drape_world* world)
{
    float tolerance = dr_tessellate_tolerance(world->def.thickness);
    if (world->apart && world->apart->solids.tolerance == tolerance) {
        return true;
    }
    dr_world_free_apart(world);
    dr_world_apart* a = world->apart = dr_new_zeroed(&world->memory, dr_world_apart, 1);
    bool made =
        a && create_sheets(world, a) && number_slots(world, a) && create_limits(world, a) &&
        dr_apart_solids_create(&a->solids, world) &&
        dr_apart_create(&a->apart, &world->memory, &a->sheets, &a->solids.sheets, world->isa);
    if (made) {
        note_open(a);
    } else {
        dr_world_free_apart(world);
    }
    return made;
}

void dr_world_free_apart(drape_world* world)
{
    dr_world_apart* a = world->apart;
    if (!a) {
        return;
    }
    free_slots(world, a);
    dr_apart_exits_free(&a->exits, &world->memory);
    dr_apart_free(&a->apart, &world->memory);
    dr_apart_solids_free(&a->solids, &world->memory);
    if (a->velocity) {
        dr_delete(&world->memory, a->velocity, a->velocity_floats);
    }
    dr_stretch_limits_free(&a->limits, &world->memory);
    dr_delete(&world->memory, a->cloths, a->sheets.part_count + 1);
    dr_sheets_free(&a->sheets, &world->memory);
    dr_delete(&world->memory, a, 1);
    world->apart = NULL;
}

void dr_world_forget_apart(drape_world* world)
{
    if (world->apart) {
        dr_apart_forget(&world->apart->apart);
        dr_apart_solids_forget(&world->apart->solids);
    }
}

// --- To and from the sheets of the solver ---

void dr_apart_gather(const dr_world_apart* a, bool of_start, float* out)
{
    for (int p = 0; p < a->sheets.part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        const float* array = of_start ? sheet->start : sheet->pos;
        int step = dr_sheet_step(sheet->layout);
        float* to = out + 4 * a->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            const float* from = array + dr_sheet_offset(sheet->layout, sheet->slot_of_vertex[v]);
            for (int c = 0; c < 4; ++c) {
                to[4 * v + c] = from[c * step];
            }
        }
    }
}

void dr_apart_scatter(const dr_world_apart* a)
{
    for (int p = 0; p < a->sheets.part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        int step = dr_sheet_step(sheet->layout);
        const float* from = a->apart.y + 4 * a->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            float* to = sheet->pos + dr_sheet_offset(sheet->layout, sheet->slot_of_vertex[v]);
            for (int c = 0; c < 3; ++c) {
                to[c * step] = from[4 * v + c];
            }
        }
    }
}
