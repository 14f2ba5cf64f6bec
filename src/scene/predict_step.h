// scene/predict_step.h: predictive self-collision (contact/predict.h) in the step of a world.
//
// All calls do nothing when the world's method is another one.
#ifndef DR_PREDICT_STEP_H
#define DR_PREDICT_STEP_H

#include "scene/world.h"

typedef struct dr_predict_world dr_predict_world;

drape_predictive_def dr_predictive_defaults(void);
// Null when the values make sense, else the sentence that says which do not.
const char* dr_predictive_refusal(const drape_predictive_def* def);

// Contacts of the substep, after cloths were predicted. False when memory is short.
bool dr_world_begin_predict(drape_world* world);
// Whether a vertex is so far out of shape that solids let it pass (contact/predict_torn.c). Slow when
// anything is.
bool dr_world_is_torn(const drape_world* world, const dr_cloth* cloth, int slot);
void dr_world_resolve_predict(drape_world* world); // in each sweep, before the contacts with solids
void dr_world_finish_predict(drape_world* world);  // once a step
// What steps leave to the next ones, as words for snapshots; none when the method is another one.
int dr_world_predict_word_count(const drape_world* world);
uint32_t dr_world_predict_word(const drape_world* world, int index);
// Before a snapshot is looked at. False when memory is short.
bool dr_world_ready_predict(drape_world* world);
// Kept contacts as bytes, none when there are none; how many, whatever the room. Then whether bytes
// are of this world, and contacts from them, before the words. No bytes: they will be found.
size_t dr_world_kept_bytes(const drape_world* world, void* buffer, size_t room);
bool dr_world_kept_fits(drape_world* world, const void* bytes, size_t size);
bool dr_world_take_kept(drape_world* world, const void* bytes, size_t size);
bool dr_world_take_predict_words(drape_world* world, const uint32_t* words, int count);
// Cloths came or went: what is kept between steps is made anew.
void dr_world_free_predict(drape_world* world);
// Vertices were put elsewhere between steps.
void dr_world_forget_predict(drape_world* world);

#endif
