// The methods by name, and which of their choices this build can run.
#include <drape/drape.h>
#include <stdio.h>
#include <string.h>

typedef struct named_method {
    const char* name;
    drape_method method;
} named_method;

static const named_method methods[] = {
    {"drape",
     {.model = DRAPE_MODEL_XPBD,
      .obstacles = DRAPE_OBSTACLES_PREDICTIVE,
      .self = DRAPE_SELF_GUARDED,
      .hierarchy = DRAPE_HIERARCHY_SWEPT}},
    {"slide",
     {.model = DRAPE_MODEL_ELASTIC,
      .obstacles = DRAPE_OBSTACLES_SLIDE,
      .self = DRAPE_SELF_GEOMETRIC,
      .hierarchy = DRAPE_HIERARCHY_NONE}},
    {"slide_paper",
     {.model = DRAPE_MODEL_ELASTIC,
      .obstacles = DRAPE_OBSTACLES_SLIDE,
      .self = DRAPE_SELF_GEOMETRIC,
      .hierarchy = DRAPE_HIERARCHY_NONE,
      .as_printed = true}},
    {"box",
     {.model = DRAPE_MODEL_ELASTIC,
      .obstacles = DRAPE_OBSTACLES_SLIDE,
      .self = DRAPE_SELF_BOXES,
      .hierarchy = DRAPE_HIERARCHY_MATERIAL}},
    {"box_paper",
     {.model = DRAPE_MODEL_ELASTIC,
      .obstacles = DRAPE_OBSTACLES_SLIDE,
      .self = DRAPE_SELF_BOXES,
      .hierarchy = DRAPE_HIERARCHY_MATERIAL,
      .as_printed = true}},
    {"sensor",
     {.model = DRAPE_MODEL_SPRINGS,
      .integrator = DRAPE_INTEGRATOR_IMPLICIT,
      .obstacles = DRAPE_OBSTACLES_FILTER,
      .self = DRAPE_SELF_PARTICLES,
      .hierarchy = DRAPE_HIERARCHY_BOTTOM_UP}},
    {"spring",
     {.model = DRAPE_MODEL_SPRINGS,
      .integrator = DRAPE_INTEGRATOR_VERLET,
      .obstacles = DRAPE_OBSTACLES_RAY,
      .self = DRAPE_SELF_NONE,
      .hierarchy = DRAPE_HIERARCHY_OCTREE}},
    {"predict",
     {.model = DRAPE_MODEL_XPBD,
      .obstacles = DRAPE_OBSTACLES_PREDICTIVE,
      .self = DRAPE_SELF_PREDICTIVE,
      .hierarchy = DRAPE_HIERARCHY_SWEPT}},
    {"predict_paper",
     {.model = DRAPE_MODEL_XPBD,
      .obstacles = DRAPE_OBSTACLES_PREDICTIVE,
      .self = DRAPE_SELF_PREDICTIVE,
      .hierarchy = DRAPE_HIERARCHY_SWEPT,
      .as_printed = true}},
};

bool drape_method_by_name(const char* name, drape_method* method)
{
    for (size_t i = 0; name && i < sizeof methods / sizeof methods[0]; ++i) {
        if (strcmp(methods[i].name, name) == 0) {
            *method = methods[i].method;
            return true;
        }
    }
    return false;
}

static const char* model_refusal(drape_model model)
{
    switch (model) {
    case DRAPE_MODEL_XPBD:
    case DRAPE_MODEL_ELASTIC: return NULL;
    case DRAPE_MODEL_SPRINGS: return "the cloth model `springs` is not built yet";
    default: return "unknown cloth model";
    }
}

static const char* obstacles_refusal(drape_obstacle_response obstacles)
{
    switch (obstacles) {
    case DRAPE_OBSTACLES_PREDICTIVE:
    case DRAPE_OBSTACLES_SLIDE: return NULL;
    case DRAPE_OBSTACLES_RAY: return "the obstacle response `ray` is not built yet";
    case DRAPE_OBSTACLES_FILTER: return "the obstacle response `filter` is not built yet";
    default: return "unknown obstacle response";
    }
}

static const char* self_refusal(drape_self_collision self)
{
    switch (self) {
    case DRAPE_SELF_NONE:
    case DRAPE_SELF_GEOMETRIC:
    case DRAPE_SELF_BOXES:
    case DRAPE_SELF_GUARDED: return NULL;
    case DRAPE_SELF_PARTICLES: return "self-collision `particles` is not built yet";
    case DRAPE_SELF_PREDICTIVE: return "self-collision `predictive` is not built yet";
    default: return "unknown self-collision";
    }
}

const char* drape_method_refusal(const drape_method* method)
{
    const char* refusal = model_refusal(method->model);
    refusal = refusal ? refusal : obstacles_refusal(method->obstacles);
    refusal = refusal ? refusal : self_refusal(method->self);
    if (!refusal && (unsigned)method->hierarchy > DRAPE_HIERARCHY_OCTREE) {
        refusal = "unknown hierarchy";
    }
    // Predicted contacts are pulled at sweep by sweep; the elastic sheet knows planes only.
    if (!refusal && method->model == DRAPE_MODEL_ELASTIC &&
        method->obstacles != DRAPE_OBSTACLES_SLIDE) {
        refusal = "the cloth model `elastic` needs the obstacle response `slide`";
    }
    if (!refusal && method->self == DRAPE_SELF_GUARDED &&
        (method->model != DRAPE_MODEL_XPBD || method->obstacles != DRAPE_OBSTACLES_PREDICTIVE)) {
        refusal = "self-collision `guarded` needs the cloth model `xpbd` and the obstacle response "
                  "`predictive`";
    }
    return refusal;
}
