// The stages of a substep for elastic sheets (solver/elastic.h).
//
// The sheet's own arrays mirror the model, which keeps its state in doubles: `start` and `pos` are
// its places as floats, so everything that looks at a cloth finds them where it does for every
// model.
#include "scene/elastic_step.h"

#include <math.h>

#include "solver/elastic.h"

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
    drape_vec3 gravity = world->def.gravity;
    *is_dominant = true;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth || !cloth->elastic) {
            continue;
        }
        dr_elastic_forces forces = {.gravity = {gravity.x, gravity.y, gravity.z}};
        if (!read_air(world, cloth, &forces.acceleration)) {
            return false;
        }
        double margin = dr_elastic_begin(cloth->elastic, (double)world->substep.h, &forces,
                                         world->pool, world->isa);
        *is_dominant = *is_dominant && margin > 0.0;
    }
    return true;
}

double dr_world_elastic_dt(const drape_world* world)
{
    if (world->def.elastic.dt > 0.0f) {
        return (double)world->def.elastic.dt;
    }
    double dt = INFINITY;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        const dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth && cloth->elastic) {
            dt = fmin(dt, dr_elastic_step_limit(cloth->elastic));
        }
    }
    return dt;
}

static void pull_soft_pins(drape_world* world)
{
    for (int k = 0; k < dr_slots_count(&world->pins); ++k) {
        const dr_pin* pin = dr_slots_at(&world->pins, k);
        dr_cloth* cloth = pin ? dr_world_cloth(world, pin->cloth) : NULL;
        if (!cloth || !cloth->elastic || pin->weight >= 1.0f) {
            continue;
        }
        for (int i = 0; i < pin->count; ++i) {
            drape_vec3 p = pin->target[i];
            dr_elastic_add_spring(cloth->elastic, pin->vertices[i], (double)pin->stiffness,
                                  (const double[3]){p.x, p.y, p.z});
        }
    }
}

void dr_world_predict_elastic(drape_world* world)
{
    dr_world_move_pins(world);
    pull_soft_pins(world);
}

// The candidate as floats, into the sheet.
static void mirror_candidate(dr_cloth* cloth, drape_vec3* places)
{
    dr_sheet* sheet = cloth->sheet;
    dr_elastic_get_candidate_floats(cloth->elastic, places);
    for (int v = 0; v < sheet->vertex_count; ++v) {
        dr_sheet_set(sheet->layout, sheet->pos, sheet->slot_of_vertex[v], places[v]);
    }
}

void dr_world_solve_elastic(drape_world* world, const dr_limits* limits, int first_vertex,
                            dr_cloth* cloth, drape_vec3* places)
{
    dr_elastic_result result =
        dr_elastic_solve(cloth->elastic, limits, first_vertex, world->pool, world->isa);
    world->report.counts.sweeps += result.sweeps;
    mirror_candidate(cloth, places);
}

// Velocities of the mirror follow from its places, in dr_world_commit.
void dr_world_commit_elastic(drape_world* world)
{
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth || !cloth->elastic) {
            continue;
        }
        dr_sheet* sheet = cloth->sheet;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            dr_sheet_set(sheet->layout, sheet->vel, sheet->slot_of_vertex[v], (drape_vec3){0});
        }
        // What is not finite stays in the mirror only, where the commit counts it.
        dr_elastic_commit(cloth->elastic, world->isa);
    }
}
