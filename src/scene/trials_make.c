// What the trials keep between steps.
#include <math.h>

#include "scene/apart_step.h"
#include "scene/trials_parts.h"

static int count_cloths(const drape_world* world)
{
    int count = 0;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        count += dr_slots_at(&world->cloths, i) != NULL;
    }
    return count;
}

// The cloths as parts of one mesh.
static bool create_sheets(drape_world* world, dr_trials* trials)
{
    dr_memory* memory = &world->memory;
    int count = count_cloths(world), part = 0;
    trials->cloths = dr_new_zeroed(memory, dr_cloth*, count + 1);
    trials->predicted = dr_new_zeroed(memory, float*, count + 1);
    dr_sheets_part* parts = dr_new_zeroed(memory, dr_sheets_part, count + 1);
    bool made = trials->cloths && trials->predicted && parts;
    for (int i = 0; made && i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth) {
            continue;
        }
        trials->cloths[part] = cloth;
        parts[part++] =
            (dr_sheets_part){.mesh = &cloth->mesh, .columns = cloth->columns, .rows = cloth->rows};
    }
    made = made && dr_sheets_create(&trials->sheets, memory, parts, count);
    dr_delete(memory, parts, count + 1);
    for (int p = 0; made && p < count; ++p) {
        if (!trials->cloths[p]->model) {
            trials->predicted[p] = dr_new(memory, float, dr_trials_floats(trials->cloths[p]));
            made = trials->predicted[p] != NULL;
        }
    }
    return made;
}

static bool number_vertices(dr_trials* trials, dr_memory* memory)
{
    const dr_sheets* sheets = &trials->sheets;
    trials->part_of_vertex = dr_new(memory, int32_t, sheets->vertex_count + 1);
    for (int p = 0; trials->part_of_vertex && p < sheets->part_count; ++p) {
        for (int v = sheets->parts[p].first_vertex; v < sheets->parts[p + 1].first_vertex; ++v) {
            trials->part_of_vertex[v] = p;
        }
    }
    return trials->part_of_vertex != NULL;
}

static float largest_thickness(const dr_trials* trials)
{
    float most = 0.0f;
    for (int p = 0; p < trials->sheets.part_count; ++p) {
        most = fmaxf(most, trials->cloths[p]->thickness);
    }
    return most;
}

// --- Self-collision ---

static bool create_boxes(drape_world* world, dr_trials* trials)
{
    const drape_method* method = &world->def.method;
    dr_self_boxes_options options = dr_self_boxes_defaults();
    options.is_paper = method->as_printed;
    options.use_tree = method->hierarchy != DRAPE_HIERARCHY_NONE;
    options.isa = world->isa;
    trials->detect_self = dr_self_boxes_detect_any;
    trials->self = &trials->boxes;
    return dr_self_boxes_create(&trials->boxes, &world->memory, &trials->sheets, &options);
}

static bool create_edges(drape_world* world, dr_trials* trials)
{
    dr_self_edges_options options = {
        .use_tree = world->def.method.hierarchy != DRAPE_HIERARCHY_NONE,
        .is_full = world->def.continuous,
        .isa = world->isa,
    };
    trials->detect_self = dr_self_edges_detect_any;
    trials->self = &trials->edges;
    return dr_self_edges_create(&trials->edges, &world->memory, &trials->sheets, &options);
}

static dr_particles_options particles_options(const drape_world* world)
{
    const drape_particles_def* def = &world->def.particles;
    dr_particles_options options = dr_particles_defaults();
    options.most_moves = def->n_max;
    options.least_moving = def->n_min;
    options.tolerance = (double)def->tolerance;
    options.seed = def->seed;
    return options;
}

static bool create_sensor(drape_world* world, dr_trials* trials)
{
    const drape_particles_def* def = &world->def.particles;
    dr_self_sensor_options options = dr_self_sensor_defaults();
    trials->inverse_mass = dr_new_zeroed(&world->memory, float, trials->sheets.vertex_count + 1);
    options.particles = particles_options(world);
    options.particle_count = def->count;
    options.use_gate = def->gate;
    options.use_positive = def->positive;
    options.use_outline = def->outline;
    options.with_corners = true;
    options.inverse_mass = trials->inverse_mass;
    options.isa = world->isa;
    trials->detect_self = dr_self_sensor_detect_any;
    trials->self = &trials->sensor;
    return trials->inverse_mass && dr_self_sensor_create(&trials->sensor, &world->memory,
                                                         world->pool, &trials->sheets, &options);
}

// Which gate the method has; null: none.
static dr_self_gate* gate_of(const drape_world* world, dr_trials* trials)
{
    const drape_particles_def* particles = &world->def.particles;
    switch (particles->gate ? world->def.method.self : DRAPE_SELF_NONE) {
    case DRAPE_SELF_PARTICLES: return &trials->sensor.gate;
    case DRAPE_SELF_BOXES:
    case DRAPE_SELF_GEOMETRIC: return particles->in_front ? &trials->gated.gate : NULL;
    default: return NULL;
    }
}

static bool put_gate_in_front(drape_world* world, dr_trials* trials)
{
    const drape_particles_def* def = &world->def.particles;
    dr_particles_options options = particles_options(world);
    trials->gated.detect = trials->detect_self;
    trials->gated.self = trials->self;
    trials->detect_self = dr_self_gated_detect_any;
    trials->self = &trials->gated;
    return dr_self_gate_create(&trials->gated.gate, &world->memory, world->pool, &trials->sheets,
                               &options, def->count, world->isa);
}

static bool create_self(drape_world* world, dr_trials* trials)
{
    bool made = true;
    switch (world->def.method.self) {
    case DRAPE_SELF_BOXES: made = create_boxes(world, trials); break;
    case DRAPE_SELF_GEOMETRIC: made = create_edges(world, trials); break;
    case DRAPE_SELF_PARTICLES: made = create_sensor(world, trials); break;
    default: break;
    }
    bool is_gated = gate_of(world, trials) == &trials->gated.gate;
    return made && (!is_gated || put_gate_in_front(world, trials));
}

static bool create_detectors(drape_world* world, dr_trials* trials)
{
    return dr_responder_create(&trials->responder, &world->memory, &world->def.method,
                               largest_thickness(trials), &trials->sheets, world->isa) &&
           create_self(world, trials);
}

// --- All of it ---

bool dr_trials_refresh(drape_world* world)
{
    if (world->trials) {
        return true;
    }
    dr_trials* trials = world->trials = dr_new_zeroed(&world->memory, dr_trials, 1);
    if (!trials) {
        return false;
    }
    bool made = create_sheets(world, trials) && number_vertices(trials, &world->memory) &&
                dr_limits_create(&trials->limits, &world->memory, trials->sheets.vertex_count) &&
                create_detectors(world, trials);
    if (!made) {
        dr_world_free_trials(world);
    }
    return made;
}

void dr_world_free_trials(drape_world* world)
{
    dr_world_free_apart(world);
    dr_trials* trials = world->trials;
    dr_memory* memory = &world->memory;
    if (!trials) {
        return;
    }
    dr_responder_free(&trials->responder, memory);
    dr_self_boxes_free(&trials->boxes, memory);
    dr_self_edges_free(&trials->edges, memory);
    dr_self_sensor_free(&trials->sensor, memory);
    dr_self_gate_free(&trials->gated.gate, memory);
    dr_delete(memory, trials->inverse_mass, trials->sheets.vertex_count + 1);
    int count = trials->sheets.part_count;
    for (int p = 0; p < count; ++p) {
        if (trials->predicted[p]) {
            dr_delete(memory, trials->predicted[p], dr_trials_floats(trials->cloths[p]));
        }
    }
    dr_delete(memory, trials->part_of_vertex, trials->sheets.vertex_count + 1);
    dr_limits_free(&trials->limits, memory);
    dr_sheets_free(&trials->sheets, memory);
    dr_delete(memory, trials->cloths, count + 1);
    dr_delete(memory, trials->predicted, count + 1);
    dr_array_free(memory, &trials->obstacles, sizeof(dr_slide_obstacle));
    dr_delete(memory, trials, 1);
    world->trials = NULL;
}

dr_self_gate* dr_world_gate(drape_world* world, bool* is_short)
{
    dr_trials none;
    bool has_gate = gate_of(world, &none) != NULL;
    *is_short = has_gate && !dr_trials_refresh(world);
    return has_gate && !*is_short ? gate_of(world, world->trials) : NULL;
}

dr_gate_memory dr_world_gate_memory(drape_world* world)
{
    bool is_sensor = world->def.method.self == DRAPE_SELF_PARTICLES;
    return (dr_gate_memory){
        .old = is_sensor ? &world->trials->sensor.old : NULL,
        .has_met = is_sensor ? NULL : &world->trials->gated.has_met,
    };
}

void dr_world_forget_trials(drape_world* world)
{
    dr_world_forget_apart(world);
    if (world->trials) {
        dr_responder_forget(&world->trials->responder);
    }
}
