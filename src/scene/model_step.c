// The stages of a substep for cloths that have a model.
//
// The sheet's own arrays mirror the model, which keeps its state in doubles: `start` and `pos` are
// its places as floats, so everything that looks at a cloth finds them where it does for every
// model.
#include "scene/model_step.h"

#include <math.h>

// Acceleration of each vertex by the air; null when there is none. False when memory is short.
static bool read_air(drape_world* world, const dr_cloth* cloth, const drape_vec3** air)
{
    const dr_sheet* sheet = cloth->sheet;
    *air = NULL;
    if (!sheet->force) {
        return true;
    }
    drape_vec3* force = dr_arena_new(&world->arena, drape_vec3, sheet->vertex_count);
    for (int v = 0; force && v < sheet->vertex_count; ++v) {
        force[v] = dr_sheet_get(sheet->layout, sheet->force, sheet->slot_of_vertex[v]);
    }
    *air = force;
    return force != NULL;
}

bool dr_world_assemble(drape_world* world, bool* is_dominant)
{
    *is_dominant = true;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        const drape_vec3* air;
        if (!cloth || !cloth->model) {
            continue;
        }
        if (!read_air(world, cloth, &air)) {
            return false;
        }
        bool is_ready = dr_model_begin(cloth->model, (double)world->substep.h, world->def.gravity,
                                       air, world->pool, world->isa);
        *is_dominant = *is_dominant && is_ready;
    }
    return true;
}

double dr_world_model_dt(const drape_world* world)
{
    double dt = INFINITY;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        const dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        dt = cloth && cloth->model ? fmin(dt, dr_model_step_limit(cloth->model)) : dt;
    }
    bool is_asked = world->def.method.model == DRAPE_MODEL_ELASTIC && world->def.elastic.dt > 0.0f;
    return is_asked ? (double)world->def.elastic.dt : dt;
}

static void pull_soft_pins(drape_world* world)
{
    for (int k = 0; k < dr_slots_count(&world->pins); ++k) {
        const dr_pin* pin = dr_slots_at(&world->pins, k);
        dr_cloth* cloth = pin ? dr_world_cloth(world, pin->cloth) : NULL;
        if (!cloth || !cloth->model || pin->weight >= 1.0f) {
            continue;
        }
        for (int i = 0; i < pin->count; ++i) {
            dr_model_add_spring(cloth->model, pin->vertices[i], (double)pin->stiffness,
                                pin->target[i]);
        }
    }
}

void dr_world_predict_models(drape_world* world)
{
    dr_world_move_pins(world);
    pull_soft_pins(world);
}

void dr_world_solve_model(drape_world* world, const dr_limits* limits, int first_vertex,
                          dr_cloth* cloth, drape_vec3* places)
{
    dr_sheet* sheet = cloth->sheet;
    dr_model_effort effort =
        dr_model_solve(cloth->model, limits, first_vertex, places, world->pool, world->isa);
    world->report.counts.sweeps += effort.sweeps;
    world->report.counts.unconverged += !effort.is_converged;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        dr_sheet_set(sheet->layout, sheet->pos, sheet->slot_of_vertex[v], places[v]);
    }
}

// Velocities of the mirror follow from its places, in dr_world_commit.
void dr_world_commit_models(drape_world* world)
{
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth || !cloth->model) {
            continue;
        }
        dr_sheet* sheet = cloth->sheet;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            dr_sheet_set(sheet->layout, sheet->vel, sheet->slot_of_vertex[v], (drape_vec3){0});
        }
        // What is not finite stays in the mirror only, where the commit counts it.
        dr_model_commit(cloth->model, world->isa);
    }
}
