#include "scene/model.h"

#include <math.h>
#include <string.h>

// --- Life ---

static dr_elastic_def elastic_def(const dr_model_source* source)
{
    dr_elastic_def def = dr_elastic_defaults();
    const drape_world_def* world = source->world;
    dr_elastic_set_fabric(&def, source->fabric);
    def.columns = source->columns;
    def.rows = source->rows;
    def.size_x = source->size_x;
    def.size_z = source->size_z;
    def.damping = (double)world->damping;
    def.bend = world->elastic.bend;
    def.form = world->elastic.form;
    drape_vec3 curvature = world->elastic.curvature;
    memcpy(def.curvature, (const double[3]){curvature.x, curvature.y, curvature.z},
           sizeof def.curvature);
    return def;
}

static dr_springs_def springs_def(const dr_model_source* source)
{
    dr_springs_def def = dr_springs_defaults();
    const drape_world_def* world = source->world;
    const drape_springs_def* asked = &world->springs;
    dr_springs_set_fabric(&def, source->fabric);
    def.mesh = source->columns > 0 ? NULL : source->mesh;
    def.columns = source->columns;
    def.rows = source->rows;
    def.size_x = source->size_x;
    def.size_z = source->size_z;
    def.integrator = world->method.integrator == DRAPE_INTEGRATOR_IMPLICIT ? DR_SPRINGS_IMPLICIT
                                                                           : DR_SPRINGS_VERLET;
    def.damping = (double)world->damping;
    def.spring_damping = (double)asked->damping;
    def.stiffness[DR_SPRING_STRUCTURAL] = (double)asked->structural;
    def.stiffness[DR_SPRING_SHEAR] = (double)asked->shear;
    def.stiffness[DR_SPRING_BEND] = (double)asked->bend;
    def.eight_bends = asked->eight_bends && !def.mesh;
    def.hardening = (double)asked->hardening;
    def.max_elongation = (double)asked->max_elongation;
    def.elongation_sweeps = asked->sweeps;
    def.elongation_order =
        asked->order == DRAPE_ORDER_FROM_PINS ? DR_SPRINGS_FROM_HELD : DR_SPRINGS_TO_AND_FRO;
    return def;
}

const char* dr_model_refusal(const dr_model_source* source)
{
    if (source->world->method.model == DRAPE_MODEL_ELASTIC) {
        return source->columns > 0 ? NULL
                                   : "the cloth model `elastic` needs a grid, and this cloth is "
                                     "none; choose `xpbd` for it";
    }
    if (source->world->springs.eight_bends && source->columns == 0) {
        return "`eight_bends` needs a grid, and this cloth is none";
    }
    dr_springs_def def = springs_def(source);
    return dr_springs_check(&def);
}

static bool create_solver(dr_model* model, dr_memory* memory, const dr_model_source* source)
{
    if (source->world->method.model == DRAPE_MODEL_ELASTIC) {
        dr_elastic_def def = elastic_def(source);
        model->elastic = dr_new_zeroed(memory, dr_elastic, 1);
        return model->elastic && dr_elastic_create(model->elastic, memory, &def);
    }
    dr_springs_def def = springs_def(source);
    model->springs = dr_new_zeroed(memory, dr_springs, 1);
    return model->springs && dr_springs_create(model->springs, memory, &def);
}

dr_model* dr_model_create(dr_memory* memory, const dr_model_source* source)
{
    dr_model* model = dr_new_zeroed(memory, dr_model, 1);
    if (!model) {
        return NULL;
    }
    model->vertex_count = source->mesh->vertex_count;
    model->backup =
        dr_allocate(memory, dr_array_bytes(2 * (size_t)model->vertex_count, sizeof *model->backup));
    if (!model->backup || !create_solver(model, memory, source)) {
        dr_model_destroy(model, memory);
        return NULL;
    }
    return model;
}

void dr_model_destroy(dr_model* model, dr_memory* memory)
{
    if (!model) {
        return;
    }
    if (model->elastic) {
        dr_elastic_free(model->elastic, memory);
        dr_delete(memory, model->elastic, 1);
    }
    if (model->springs) {
        dr_springs_free(model->springs, memory);
        dr_delete(memory, model->springs, 1);
    }
    dr_delete(memory, model->backup, 2 * (size_t)model->vertex_count);
    dr_delete(memory, model, 1);
}

// --- State ---

void dr_model_save(dr_model* model)
{
    double(*velocities)[3] = model->backup + model->vertex_count;
    if (model->elastic) {
        dr_elastic_get_state(model->elastic, model->backup, velocities);
    } else {
        dr_springs_get_state(model->springs, model->backup, velocities);
    }
}

void dr_model_restore(dr_model* model)
{
    const double(*places)[3] = (const double(*)[3])model->backup;
    const double(*velocities)[3] = places + model->vertex_count;
    if (model->elastic) {
        dr_elastic_set_state(model->elastic, places, velocities);
    } else {
        dr_springs_set_state(model->springs, places, velocities);
    }
}

// --- A substep ---

double dr_model_step_limit(const dr_model* model)
{
    if (model->elastic) {
        return dr_elastic_step_limit(model->elastic);
    }
    const dr_springs* springs = model->springs;
    bool is_implicit = springs->def.integrator == DR_SPRINGS_IMPLICIT;
    // Verlet cuts its steps itself, but not without end.
    return is_implicit ? INFINITY : dr_springs_step_limit(springs) * springs->def.max_substeps;
}

bool dr_model_begin(dr_model* model, double dt, drape_vec3 gravity, const drape_vec3* acceleration,
                    dr_pool* pool, drape_isa isa)
{
    if (model->elastic) {
        dr_elastic_forces forces = {{gravity.x, gravity.y, gravity.z}, acceleration};
        return dr_elastic_begin(model->elastic, dt, &forces, pool, isa) > 0.0;
    }
    dr_springs_forces forces = {{gravity.x, gravity.y, gravity.z}, acceleration};
    dr_springs_begin(model->springs, dt, &forces, pool, isa);
    return true;
}

void dr_model_add_spring(dr_model* model, int vertex, double stiffness, drape_vec3 place)
{
    const double to[3] = {place.x, place.y, place.z};
    if (model->elastic) {
        dr_elastic_add_spring(model->elastic, vertex, stiffness, to);
    } else {
        dr_springs_add_spring(model->springs, vertex, stiffness, to);
    }
}

dr_model_effort dr_model_solve(dr_model* model, const dr_limits* limits, int first_vertex,
                               drape_vec3* places, dr_pool* pool, drape_isa isa)
{
    if (model->elastic) {
        dr_elastic_result result =
            dr_elastic_solve(model->elastic, limits, first_vertex, pool, isa);
        dr_elastic_get_candidate_floats(model->elastic, places);
        return (dr_model_effort){result.sweeps, result.converged};
    }
    dr_springs_result result = dr_springs_solve(model->springs, limits, first_vertex, pool, isa);
    dr_springs_get_candidate_floats(model->springs, places);
    return (dr_model_effort){result.iterations, result.converged && result.is_stable};
}

void dr_model_set_candidate(dr_model* model, int vertex, drape_vec3 place)
{
    const double to[3] = {place.x, place.y, place.z};
    if (model->elastic) {
        dr_elastic_set_candidate(model->elastic, vertex, to);
    } else {
        dr_springs_set_candidate(model->springs, vertex, to);
    }
}

void dr_model_commit(dr_model* model, drape_isa isa)
{
    if (model->elastic) {
        dr_elastic_commit(model->elastic, isa);
    } else {
        dr_springs_commit(model->springs);
    }
}
