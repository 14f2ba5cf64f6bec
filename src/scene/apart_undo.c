// Doing it again: what is led may have left no time to give way.
#include <string.h>

#include "scene/apart_world.h"

static float* next_velocities(const dr_world_apart* a, int part, float* at, bool restore)
{
    const dr_sheet* sheet = a->cloths[part]->sheet;
    size_t floats = (size_t)sheet->vector_count * 32;
    memcpy(restore ? sheet->vel : at, restore ? at : sheet->vel, sizeof *at * floats);
    return at + floats;
}

static bool create_velocities(drape_world* world, dr_world_apart* a)
{
    if (a->velocity) {
        return true;
    }
    a->velocity_floats = 1;
    for (int p = 0; p < a->sheets.part_count; ++p) {
        a->velocity_floats += (size_t)a->cloths[p]->sheet->vector_count * 32;
    }
    a->velocity = dr_new(&world->memory, float, a->velocity_floats);
    return a->velocity != NULL;
}

void dr_world_begin_apart(drape_world* world)
{
    if (world->apart) {
        world->apart->is_hopeless = false;
        world->apart->undone_count = 0;
    }
}

bool dr_world_save_apart(drape_world* world)
{
    if (!dr_world_has_apart(world)) {
        return true;
    }
    if (!dr_world_refresh_apart(world) || !create_velocities(world, world->apart)) {
        return false;
    }
    dr_world_apart* a = world->apart;
    float* at = a->velocity;
    for (int p = 0; p < a->sheets.part_count; ++p) {
        at = next_velocities(a, p, at, false);
    }
    a->report = world->report;
    return true;
}

// Places need no restoring: the prediction starts from the committed ones.
static void undo(drape_world* world)
{
    dr_world_apart* a = world->apart;
    float* at = a->velocity;
    for (int p = 0; p < a->sheets.part_count; ++p) {
        at = next_velocities(a, p, at, true);
    }
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (collider) {
            collider->pose = collider->start_pose;
        }
    }
    dr_apart_solids_undo(&a->solids, &a->apart);
    dr_apart_undo(&a->apart);
    drape_stage_ms ms = world->report.ms;
    world->report = a->report;
    world->report.ms = ms;
}

// Where even the shortest substep does not help, all is tried in whole ones until one goes well.
bool dr_world_undo_apart(drape_world* world, bool can_halve, int substeps)
{
    // Each that is undone makes for one more that is not, at most.
    int most_undone = 2 * substeps + 32;
    if (!dr_world_has_apart(world)) {
        return false;
    }
    dr_world_apart* a = world->apart;
    bool is_jammed = a->apart.jammed_count > 0;
    if (!is_jammed || a->is_hopeless || !can_halve || a->undone_count >= most_undone) {
        a->is_hopeless = is_jammed;
        return false;
    }
    undo(world);
    ++a->undone_count;
    return true;
}
