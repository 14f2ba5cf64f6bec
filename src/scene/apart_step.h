// scene/apart_step.h: a world whose cloths are kept apart (contact/apart.h), self-collision
// `guarded`.
//
//     predict -> find contacts -> solve, contacts in every sweep -> limit strain
//        ^                                                              |
//        |                       while solids push: limit strain -> slide -> guard solids -> cut
//        |                                                                                    |
//        +--------------------------- pinched: undo, half the time <--------------------------+
//
// The solids come between slide and cut: sliding may push a vertex into one, cutting may not, since
// what the guard of solids leaves behind may stop anywhere on its way.
#ifndef DR_APART_STEP_H
#define DR_APART_STEP_H

#include "scene/world.h"

bool dr_world_has_apart(const drape_world* world);
// Contacts of the substep, after the prediction. False when memory is short, as all that follow.
bool dr_world_touch_apart(drape_world* world);
void dr_world_resolve_apart(drape_world* world); // once a sweep
void dr_world_resolve_exits(drape_world* world); // the same, after solids
// Whether one of some vertices is on its way out of an obstacle, or the obstacle goes through a
// triangle that has all of them: it does not hold them.
bool dr_world_is_leaving(const drape_world* world, const dr_cloth* cloth, const int32_t* slots,
                         int count, int obstacle);
// Takes the contacts of such vertices away: they would lead them elsewhere.
void dr_world_drop_leaving(drape_world* world);
// After the sweeps: sliding, the guards of solids, cutting.
bool dr_world_guard_apart(drape_world* world);

// What is led, solids and pins, may leave no room for cloth that has no time to give way. Such a
// substep is undone and done again in halves. So is a long one that leaves yarns beyond the strain
// limit of their fabric; the rest of the step is then done in substeps as short.
void dr_world_begin_apart(drape_world* world); // once a step
bool dr_world_save_apart(drape_world* world);  // before each attempt; false when memory is short
// How many ticks of `h_tick` seconds substeps of this step shall have at most; a whole one has `ticks`.
int dr_world_longest_substep(drape_world* world, float h_tick, int ticks);
// Undoes the attempt if it should be done again as it was, with sheets as stiff as they are now.
bool dr_world_redo_apart(drape_world* world);
// Undoes the attempt, of so many ticks, if it should be done again in halves. Else it stands. A step
// of so many substeps has a largest number of attempts.
bool dr_world_undo_apart(drape_world* world, int ticks, int substeps);
void dr_world_commit_apart(drape_world* world);
// After the last substep: what crosses now is told. False when memory is short.
bool dr_world_finish_apart(drape_world* world);
// Whether something is inside of a solid, or crossed, that nothing holds there.
bool dr_world_is_freeing(const drape_world* world);
// Cloths or colliders came or went.
void dr_world_free_apart(drape_world* world);
// Vertices were put elsewhere between steps.
void dr_world_forget_apart(drape_world* world);

#endif
