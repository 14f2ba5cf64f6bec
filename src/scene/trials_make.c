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
        if (!trials->cloths[p]->elastic) {
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

static bool create_detectors(drape_world* world, dr_trials* trials)
{
    dr_memory* memory = &world->memory;
    const drape_method* method = &world->def.method;
    bool made = true;
    if (method->obstacles == DRAPE_OBSTACLES_SLIDE) {
        dr_slide_def def = dr_slide_defaults();
        def.thickness = largest_thickness(trials);
        def.mode = method->as_printed ? DR_SLIDE_DEPENDENT : DR_SLIDE_ORTHOGONAL;
        trials->has_slide = true;
        made = dr_slide_create(&trials->slide, memory, &def, &trials->sheets);
    }
    if (made && method->self == DRAPE_SELF_BOXES) {
        dr_self_boxes_options options = dr_self_boxes_defaults();
        options.is_paper = method->as_printed;
        options.use_tree = method->hierarchy != DRAPE_HIERARCHY_NONE;
        options.isa = world->isa;
        trials->detect_self = dr_self_boxes_detect_any;
        trials->self = &trials->boxes;
        made = dr_self_boxes_create(&trials->boxes, memory, &trials->sheets, &options);
    }
    if (made && method->self == DRAPE_SELF_GEOMETRIC) {
        dr_self_edges_options options = {
            .use_tree = method->hierarchy != DRAPE_HIERARCHY_NONE,
            .is_full = world->def.continuous,
            .isa = world->isa,
        };
        trials->detect_self = dr_self_edges_detect_any;
        trials->self = &trials->edges;
        made = dr_self_edges_create(&trials->edges, memory, &trials->sheets, &options);
    }
    return made;
}

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
    if (trials->has_slide) {
        dr_slide_free(&trials->slide, memory);
    }
    dr_self_boxes_free(&trials->boxes, memory);
    dr_self_edges_free(&trials->edges, memory);
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

void dr_world_forget_trials(drape_world* world)
{
    dr_world_forget_apart(world);
    if (world->trials && world->trials->has_slide) {
        dr_slide_forget(&world->trials->slide);
    }
}
