// scene/sleep.h: cloth that has come to rest is not stepped.
//
// A cloth whose vertices went slower from step to step than drape_world_def.sleep_speed, in the mean by energy, for
// half a second falls asleep: its velocities become zero, it leaves the lists of work, and its positions keep
// their bits. It wakes when something is done to it, when gravity or the air changes, when a pin, a
// pose or a frame moves it, or when a collider moves, comes or goes near it. Cloths that know each
// other, by a seam or by self-collision, sleep and wake together. In gusts nothing sleeps.
//
//     drape_world_step:  watch -> all asleep? doze : step -> tire
#ifndef DR_SLEEP_H
#define DR_SLEEP_H

#include "scene/world.h"

// Something was done to a cloth (null: to all): it is awake, and begins anew to come to rest.
void dr_world_disturb(drape_world* world, dr_cloth* cloth);
// The cloth of a slot, null when there is none or it sleeps.
static inline dr_cloth* dr_world_awake(const drape_world* world, int index)
{
    dr_cloth* cloth = dr_slots_at(&world->cloths, index);
    return cloth && !cloth->control.sleep.is_asleep ? cloth : NULL;
}
// Before a step: wakes what the step will move or touch, or keeps it awake.
void dr_world_watch(drape_world* world, float dt);
// Whether there are cloths and all of them sleep.
bool dr_world_is_asleep(const drape_world* world);
// After a step: lets what has come to rest fall asleep.
void dr_world_tire(drape_world* world, float dt);
// What the report says of those who sleep.
void dr_world_report_sleepers(drape_world* world);

#endif
