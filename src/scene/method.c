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

static const char* unknown_word(const drape_method* method)
{
    if ((unsigned)method->model > DRAPE_MODEL_SPRINGS) {
        return "unknown cloth model";
    }
    if ((unsigned)method->integrator > DRAPE_INTEGRATOR_IMPLICIT) {
        return "unknown integrator";
    }
    if ((unsigned)method->obstacles > DRAPE_OBSTACLES_DISCRETE) {
        return "unknown obstacle response";
    }
    if ((unsigned)method->self > DRAPE_SELF_GUARDED) {
        return "unknown self-collision";
    }
    return (unsigned)method->hierarchy > DRAPE_HIERARCHY_OCTREE ? "unknown hierarchy" : NULL;
}

static const char* obstacles_refusal(const drape_method* method)
{
    // Predicted contacts are pulled at sweep by sweep; the other models know planes only.
    if (method->obstacles == DRAPE_OBSTACLES_PREDICTIVE && method->model != DRAPE_MODEL_XPBD) {
        return method->model == DRAPE_MODEL_ELASTIC
                   ? "the cloth model `elastic` needs the obstacle response `slide` or `ray`"
                   : "the cloth model `springs` needs the obstacle response `ray`, `filter` or "
                     "`slide`";
    }
    // What passes a solid within a step is lost to it, and others do not filter accelerations.
    if (method->obstacles == DRAPE_OBSTACLES_FILTER && method->model != DRAPE_MODEL_SPRINGS) {
        return "the obstacle response `filter` needs the cloth model `springs`";
    }
    // Pushed out after each sweep; what others guarantee could not be kept.
    if (method->obstacles == DRAPE_OBSTACLES_DISCRETE &&
        (method->model != DRAPE_MODEL_XPBD ||
         (method->self != DRAPE_SELF_NONE && method->self != DRAPE_SELF_PREDICTIVE))) {
        return "the obstacle response `discrete` needs the cloth model `xpbd` and self-collision "
               "`none` or `predictive`";
    }
    return NULL;
}

static const char* self_refusal(const drape_method* method)
{
    switch (method->self) {
    case DRAPE_SELF_PREDICTIVE:
        return method->model != DRAPE_MODEL_XPBD ||
                       (method->obstacles != DRAPE_OBSTACLES_PREDICTIVE &&
                        method->obstacles != DRAPE_OBSTACLES_DISCRETE)
                   ? "self-collision `predictive` needs the cloth model `xpbd` and the obstacle "
                     "response `predictive`"
                   : NULL;
    case DRAPE_SELF_GUARDED:
        return method->model != DRAPE_MODEL_XPBD || method->obstacles != DRAPE_OBSTACLES_PREDICTIVE
                   ? "self-collision `guarded` needs the cloth model `xpbd` and the obstacle "
                     "response `predictive`"
                   : NULL;
    case DRAPE_SELF_PARTICLES:
        return method->hierarchy == DRAPE_HIERARCHY_NONE
                   ? "self-collision `particles` needs a hierarchy, `bottom-up`"
                   : NULL;
    default: return NULL;
    }
}

const char* drape_method_refusal(const drape_method* method)
{
    const char* refusal = unknown_word(method);
    refusal = refusal ? refusal : obstacles_refusal(method);
    return refusal ? refusal : self_refusal(method);
}
