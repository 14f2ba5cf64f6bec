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
        world->apart->most_ticks = 0;
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

bool dr_world_redo_apart(drape_world* world)
{
    dr_world_apart* a = world->apart;
    if (!dr_world_has_apart(world) || !a->has_changed) {
        return false;
    }
    a->has_changed = false;
    undo(world);
    return true;
}

// --- Yarns that lock ---

// Where yarns lock, a substep shall be no longer: a vertex that is stopped in a longer one is drawn at
// by its yarns further than some turns of sliding and limiting can settle. And nothing comes to rest
// that is done in long substeps and in short ones by turns.
static const float longest_when_taut = 1.0f / 300.0f; // s

static bool has_limits(const drape_world* world)
{
    return world->def.method.model == DRAPE_MODEL_XPBD;
}

// All of them as long: a power of two.
static int taut_ticks(float h_tick, int ticks)
{
    while (ticks > 1 && h_tick * (float)ticks > longest_when_taut) {
        ticks /= 2;
    }
    return ticks;
}

int dr_world_longest_substep(drape_world* world, float h_tick, int ticks)
{
    const float taut = 0.9f;
    dr_world_apart* a = world->apart;
    if (!dr_world_has_apart(world) || !has_limits(world) ||
        h_tick * (float)ticks <= longest_when_taut) {
        return ticks;
    }
    if (a->most_ticks == 0) {
        dr_apart_gather(a, true, a->apart.x);
        bool is_taut = dr_stretch_used(&a->limits, a->apart.x) > taut;
        a->most_ticks = is_taut ? taut_ticks(h_tick, ticks) : ticks;
    }
    return a->most_ticks < ticks ? a->most_ticks : ticks;
}

static bool is_overstretched(const drape_world* world)
{
    const float beyond = 1.2f;
    const dr_world_apart* a = world->apart;
    return has_limits(world) && world->substep.h > longest_when_taut && a->apart.is_sound &&
           dr_stretch_used(&a->limits, a->apart.y) > beyond;
}

// --- All ---

// Where even the shortest substep does not help, all is tried in whole ones until one goes well.
bool dr_world_undo_apart(drape_world* world, int ticks, int substeps)
{
    // Each that is undone makes for one more that is not, at most.
    int most_undone = 2 * substeps + 32;
    if (!dr_world_has_apart(world)) {
        return false;
    }
    dr_world_apart* a = world->apart;
    bool is_jammed = a->apart.jammed_count > 0;
    if (!is_jammed && ticks > 1 && is_overstretched(world)) {
        undo(world);
        a->most_ticks = ticks / 2;
        return true;
    }
    if (!is_jammed || a->is_hopeless || ticks == 1 || a->undone_count >= most_undone) {
        a->is_hopeless = is_jammed;
        return false;
    }
    undo(world);
    ++a->undone_count;
    return true;
}
