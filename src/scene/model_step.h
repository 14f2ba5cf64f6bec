// scene/model_step.h: the stages of a substep for cloths that have a model (scene/model.h).
#ifndef DR_MODEL_STEP_H
#define DR_MODEL_STEP_H

#include "scene/world.h"
#include "solver/limits.h"

// The longest substep that is stable for all models, s; infinity when there are none.
double dr_world_model_dt(const drape_world* world);
// Makes the systems of the substep. They should be dominant; else the substep should be shorter.
// False when memory is short.
bool dr_world_assemble(drape_world* world, bool* is_dominant);
void dr_world_predict_models(drape_world* world);
// Solves one cloth within its limits, which begin at `first_vertex`; `places` becomes the
// candidate.
void dr_world_solve_model(drape_world* world, const dr_limits* limits, int first_vertex,
                          dr_cloth* cloth, drape_vec3* places);
void dr_world_commit_models(drape_world* world);

#endif
