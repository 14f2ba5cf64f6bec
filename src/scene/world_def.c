// The definition of a world: defaults, and what cannot be.
#include <math.h>

#include "core/vec_math.h"
#include "scene/predict_step.h"
#include "scene/world.h"

drape_world_def drape_world_defaults(void)
{
    return (drape_world_def){
        .gravity = {0.0f, -9.81f, 0.0f},
        .method = {.self = DRAPE_SELF_NONE},
        .substeps = 20,
        .iterations = 2,
        .stretch_sweeps = 1,
        .damping = 0.1f,
        .elastic = {.form = DRAPE_FORM_SPLIT},
        .springs = {.max_elongation = 0.1f, .sweeps = 3, .damping = 1e-3f, .hardening = 10.0f},
        .predictive = dr_predictive_defaults(),
        .friction_static = -1.0f,
        .friction_dynamic = -1.0f,
        .max_runs = 16,
        .particles = {.n_max = 50, .n_min = 1, .gate = true, .positive = true, .outline = true},
        .sleep_speed = -1.0f,
        .worker_count = 1,
    };
}

static bool is_amount(float a)
{
    return a >= 0.0f && isfinite(a);
}

static const char* refuse_surroundings(const drape_world_def* def)
{
    if (!dr_is_finite(def->gravity) || !dr_is_finite(def->wind.velocity)) {
        return "gravity and wind must be finite";
    }
    if (!(def->wind.gust >= 0.0f && def->wind.gust <= 4.0f) || !is_amount(def->wind.drag) ||
        !isfinite(def->wind.lift)) {
        return "wind: gust must be 0 to 4, drag at least 0, lift finite";
    }
    if (def->worker_count < 1 || def->worker_count > DRAPE_MAX_WORKERS) {
        return "worker_count must be 1 to 64";
    }
    return (unsigned)def->isa > DRAPE_ISA_WASM ? "unknown instruction set" : NULL;
}

static const char* refuse_step(const drape_world_def* def)
{
    if (def->substeps < 1 || def->substeps > 1000 || def->iterations < 1 ||
        def->iterations > 1000) {
        return "substeps and iterations must be 1 to 1000";
    }
    if (def->stretch_sweeps < 1 || def->stretch_sweeps > 100) {
        return "sweeps over stretch must be 1 to 100";
    }
    if (!is_amount(def->damping)) {
        return "damping must be at least 0";
    }
    if (!isfinite(def->sleep_speed)) {
        return "sleep_speed must be finite";
    }
    return NULL;
}

static const char* refuse_collision(const drape_world_def* def)
{
    if (!is_amount(def->thickness) || !is_amount(def->static_radius)) {
        return "thickness and static_radius must be at least 0";
    }
    if (!isfinite(def->friction_static) || !isfinite(def->friction_dynamic)) {
        return "friction must be finite";
    }
    if (def->max_runs < 1 || def->max_runs > 1000) {
        return "max_runs must be 1 to 1000";
    }
    const drape_particles_def* particles = &def->particles;
    if (particles->count < 0 || particles->count > DRAPE_MAX_PARTICLES || particles->n_max < 1 ||
        particles->n_min < 1 || !is_amount(particles->tolerance)) {
        return "particles: count must be 0 to 64, n_max and n_min at least 1, tolerance at least 0";
    }
    return dr_predictive_refusal(&def->predictive);
}

static const char* refuse_models(const drape_world_def* def)
{
    if ((unsigned)def->elastic.bend > DRAPE_BEND_PAPER ||
        (unsigned)def->elastic.form > DRAPE_FORM_STIFF) {
        return "unknown bending or form of the elastic sheet";
    }
    if (!is_amount(def->elastic.dt) || !dr_is_finite(def->elastic.curvature)) {
        return "the elastic sheet's dt must be at least 0, its curvature finite";
    }
    const drape_springs_def* springs = &def->springs;
    if ((unsigned)springs->order > DRAPE_ORDER_FROM_PINS || springs->sweeps < 0 ||
        !is_amount(springs->max_elongation)) {
        return "springs: unknown order, or sweeps or max_elongation below 0";
    }
    if (!is_amount(springs->damping) || !is_amount(springs->hardening) ||
        !is_amount(springs->structural) || !is_amount(springs->shear) ||
        !is_amount(springs->bend)) {
        return "springs: damping, hardening and stiffnesses must be at least 0 and finite";
    }
    return NULL;
}

const char* drape_world_refusal(const drape_world_def* def)
{
    if (!def) {
        return "there is no definition";
    }
    const char* refusal = refuse_surroundings(def);
    refusal = refusal ? refusal : refuse_step(def);
    refusal = refusal ? refusal : refuse_collision(def);
    refusal = refusal ? refusal : refuse_models(def);
    return refusal ? refusal : drape_method_refusal(&def->method);
}
