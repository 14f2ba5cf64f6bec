#include "scene/control.h"

#include <math.h>

#include "scene/world.h"

// --- Definition ---

drape_control drape_control_defaults(void)
{
    return (drape_control){.tether_slack = 0.01f};
}

const char* dr_control_refusal(const drape_control* def)
{
    if (!(def->tether_slack >= 0.0f) || !isfinite(def->tether_slack)) {
        return "a cloth's tether_slack must be at least 0";
    }
    return NULL;
}

void dr_control_init(dr_control* control, const drape_control* def)
{
    control->def = *def;
    control->are_tethers_stale = def->tethers;
}

void dr_control_free(dr_control* control, dr_memory* memory)
{
    dr_tethers_free(&control->tethers, memory);
}

drape_control drape_cloth_get_control(const drape_world* world, drape_cloth_id id)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    return cloth ? cloth->control.def : drape_control_defaults();
}

bool drape_cloth_set_control(drape_world* world, drape_cloth_id id, const drape_control* def)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (!cloth || !def) {
        return world && dr_world_fail(world, cloth ? "there is no control" : "no such cloth");
    }
    const char* refusal = dr_control_refusal(def);
    if (refusal) {
        return dr_world_fail(world, "%s", refusal);
    }
    cloth->control.def = *def;
    cloth->control.are_tethers_stale = true;
    return true;
}

// --- While stepping ---

static bool refresh_tethers(drape_world* world, dr_cloth* cloth)
{
    dr_control* control = &cloth->control;
    if (!control->are_tethers_stale) {
        return true;
    }
    dr_tethers_free(&control->tethers, &world->memory);
    bool made =
        !control->def.tethers || dr_tethers_create(&control->tethers, &world->memory, &cloth->mesh,
                                                   cloth->sheet, control->def.tether_slack);
    control->are_tethers_stale = !made;
    return made;
}

bool dr_world_begin_controls(drape_world* world)
{
    world->is_controlled = false;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth || cloth->elastic) {
            continue;
        }
        if (!refresh_tethers(world, cloth)) {
            return false;
        }
        world->is_controlled |= cloth->control.tethers.row_count > 0;
    }
    return true;
}

void dr_world_aim_controls(drape_world* world)
{
    for (int i = 0; world->is_controlled && i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth) {
            dr_tethers_begin(&cloth->control.tethers, cloth->sheet);
        }
    }
}

static void pull_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_work_item* items = world->chunk_items.data;
    const dr_tether_kernels* tethers = dr_tether_kernels_for(world->isa);
    for (int i = begin; i < end; ++i) {
        dr_cloth* cloth = items[i].cloth;
        int first = items[i].index * DR_CHUNK_VECTORS, last = first + DR_CHUNK_VECTORS;
        last = last < cloth->sheet->vector_count ? last : cloth->sheet->vector_count;
        if (cloth->control.tethers.row_count > 0) {
            tethers->pull(&cloth->control.tethers, cloth->sheet, first, last);
        }
    }
}

void dr_world_pull_controls(drape_world* world)
{
    if (world->is_controlled) {
        dr_pool* pool = world->threads_pay ? world->pool : NULL;
        dr_parallel_for(pool, world->chunk_items.count, 1, pull_task, world);
    }
}
