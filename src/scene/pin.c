#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/motion.h"
#include "scene/sleep.h"
#include "scene/world.h"

#define PI 3.14159265f

drape_pin_def drape_pin_defaults(void)
{
    return (drape_pin_def){.weight = 1.0f, .release_time = INFINITY, .fps = 30.0f};
}

static bool check_def(drape_world* world, const dr_cloth* cloth, const drape_pin_def* def)
{
    char sentence[256];
    if (def->vertex_count < 1 || !def->vertices) {
        return dr_world_fail(world, "a pin needs at least one vertex");
    }
    for (int i = 0; i < def->vertex_count; ++i) {
        if (def->vertices[i] < 0 || def->vertices[i] >= cloth->given_count) {
            return dr_world_fail(world, "pin vertex %d is %d, expected 0 to %d", i,
                                 def->vertices[i], cloth->given_count - 1);
        }
    }
    if (!(def->weight > 0.0f) || def->weight > 1.0f) {
        return dr_world_fail(world, "a pin's weight must be above 0 and at most 1");
    }
    if (isnan(def->release_time)) {
        return dr_world_fail(world, "a pin's release_time must be a number");
    }
    if (def->key_count > 0 &&
        (!def->keys || !dr_motion_check(def->keys, def->key_count, sentence, sizeof sentence))) {
        return dr_world_fail(world, "a pin's keys: %s", def->keys ? sentence : "missing");
    }
    if (def->frame_count > 0 && (!def->frames || !(def->fps > 0.0f) || !isfinite(def->fps))) {
        return dr_world_fail(world, "a pin's frames need places and a rate above 0");
    }
    for (int64_t i = 0; i < (int64_t)def->frame_count * def->vertex_count; ++i) {
        if (!dr_is_finite(def->frames[i])) {
            return dr_world_fail(world, "a pin's frame %lld has a place that is no number",
                                 (long long)(i / def->vertex_count));
        }
    }
    if (def->collider.slot && !dr_world_collider(world, def->collider)) {
        return dr_world_fail(world, "a pin follows a collider that is not there");
    }
    return true;
}

static bool copy_def(dr_pin* pin, dr_memory* memory, const drape_pin_def* def)
{
    size_t count = (size_t)def->vertex_count, places = count * (size_t)def->frame_count;
    pin->slots = dr_new(memory, int32_t, count);
    pin->vertices = dr_new(memory, int32_t, count);
    pin->origin = dr_new(memory, drape_vec3, count);
    pin->from = dr_new(memory, drape_vec3, count);
    pin->target = dr_new(memory, drape_vec3, count);
    pin->goal = dr_new(memory, drape_vec3, count);
    pin->keys = dr_new(memory, drape_key, def->key_count);
    pin->frames = dr_new(memory, drape_vec3, places);
    pin->count = def->vertex_count;
    pin->key_count = def->key_count;
    pin->frame_count = def->frame_count;
    if (!pin->slots || !pin->vertices || !pin->origin || !pin->from || !pin->target || !pin->goal ||
        (def->key_count && !pin->keys) || (places && !pin->frames)) {
        return false;
    }
    if (def->key_count) {
        memcpy(pin->keys, def->keys, sizeof *def->keys * (size_t)def->key_count);
    }
    if (places) {
        memcpy(pin->frames, def->frames, sizeof *def->frames * places);
    }
    pin->weight = def->weight;
    pin->release_time = def->release_time;
    pin->collider = def->collider;
    pin->fps = def->fps;
    return true;
}

// A soft pin is a spring. Its frequency, with its share of the whole cloth's mass on it, grows with
// its weight, 5 Hz at one half; so it holds the cloth alike on any mesh.
static float soft_stiffness(const dr_pin* pin, const dr_sheet* sheet)
{
    double mass = 0.0;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        mass += (double)sheet->mass[v];
    }
    float rate = 2.0f * PI * 5.0f * pin->weight / (1.0f - pin->weight);
    return (float)(mass / pin->count) * rate * rate;
}

static void take_hold(const drape_world* world, dr_pin* pin, const dr_cloth* cloth,
                      const drape_pin_def* def)
{
    double sum[3] = {0};
    for (int i = 0; i < pin->count; ++i) {
        drape_vec3 p = cloth->positions[def->vertices[i]];
        pin->slots[i] = dr_cloth_slot(cloth, def->vertices[i]);
        pin->vertices[i] = dr_cloth_vertex(cloth, def->vertices[i]);
        pin->origin[i] = pin->from[i] = pin->target[i] = pin->goal[i] = p;
        sum[0] += (double)p.x;
        sum[1] += (double)p.y;
        sum[2] += (double)p.z;
    }
    pin->pivot = (drape_vec3){(float)(sum[0] / pin->count), (float)(sum[1] / pin->count),
                              (float)(sum[2] / pin->count)};
    pin->stiffness = pin->weight < 1.0f ? soft_stiffness(pin, cloth->sheet) : 0.0f;
    const dr_collider* collider = dr_world_collider(world, pin->collider);
    if (collider) {
        pin->collider_pose = collider->pose;
    }
}

drape_pin_id drape_cloth_pin(drape_world* world, drape_cloth_id cloth_id, const drape_pin_def* def)
{
    drape_pin_id id = {0};
    dr_cloth* cloth = dr_world_cloth(world, cloth_id);
    if (!cloth || !def) {
        if (world) {
            dr_world_fail(world, "no such cloth to pin");
        }
        return id;
    }
    if (!check_def(world, cloth, def)) {
        return id;
    }
    dr_pin* pin = dr_new_zeroed(&world->memory, dr_pin, 1);
    if (!pin || !copy_def(pin, &world->memory, def) ||
        !dr_slots_add(&world->pins, &world->memory, pin, &id.slot, &id.generation)) {
        dr_pin_destroy(pin, &world->memory);
        dr_world_fail(world, "out of memory");
        return (drape_pin_id){0};
    }
    pin->cloth = cloth_id;
    take_hold(world, pin, cloth, def);
    pin->moved = dr_transform_none();
    cloth->is_held_stale = true;
    dr_world_disturb(world, cloth);
    return id;
}

void dr_pin_destroy(dr_pin* pin, dr_memory* memory)
{
    if (!pin) {
        return;
    }
    dr_delete(memory, pin->slots, pin->count);
    dr_delete(memory, pin->vertices, pin->count);
    dr_delete(memory, pin->origin, pin->count);
    dr_delete(memory, pin->from, pin->count);
    dr_delete(memory, pin->target, pin->count);
    dr_delete(memory, pin->goal, pin->count);
    dr_delete(memory, pin->keys, pin->key_count);
    dr_delete(memory, pin->frames, (size_t)pin->count * (size_t)pin->frame_count);
    dr_delete(memory, pin, 1);
}

bool drape_pin_move(drape_world* world, drape_pin_id id, const drape_vec3* targets, int count)
{
    dr_pin* pin = world ? dr_slots_get(&world->pins, id.slot, id.generation) : NULL;
    if (!pin) {
        return world && dr_world_fail(world, "no such pin");
    }
    if (!targets || count != pin->count) {
        return dr_world_fail(world, "the pin holds %d vertices, found %d targets", pin->count,
                             targets ? count : 0);
    }
    for (int i = 0; i < count; ++i) {
        if (!dr_is_finite(targets[i])) {
            return dr_world_fail(world, "target %d of the pin is no number", i);
        }
    }
    dr_cloth* cloth = dr_world_cloth(world, pin->cloth);
    if (cloth && memcmp(pin->target, targets, sizeof *targets * (size_t)count) != 0) {
        dr_world_disturb(world, cloth);
    }
    memcpy(pin->goal, targets, sizeof *targets * (size_t)count);
    pin->moves_by_hand = true;
    return true;
}

static void release(drape_world* world, uint32_t slot, uint32_t generation)
{
    dr_pin* pin = dr_slots_remove(&world->pins, slot, generation);
    if (pin) {
        dr_cloth* cloth = dr_world_cloth(world, pin->cloth);
        if (cloth) {
            dr_world_disturb(world, cloth);
            cloth->is_held_stale = true;
        }
        dr_pin_destroy(pin, &world->memory);
    }
}

void drape_pin_release(drape_world* world, drape_pin_id pin)
{
    if (world) {
        release(world, pin.slot, pin.generation);
    }
}

static const dr_slot_entry* pin_entry(const drape_world* world, int index)
{
    return (const dr_slot_entry*)world->pins.entries.data + index;
}

void dr_world_release_pins(drape_world* world)
{
    for (int i = 0; i < dr_slots_count(&world->pins); ++i) {
        const dr_pin* pin = dr_slots_at(&world->pins, i);
        if (pin && world->time >= (double)pin->release_time - 1e-6) {
            release(world, (uint32_t)i + 1, pin_entry(world, i)->generation);
        }
    }
}

void dr_world_drop_pins(drape_world* world, drape_cloth_id cloth)
{
    for (int i = 0; i < dr_slots_count(&world->pins); ++i) {
        const dr_pin* pin = dr_slots_at(&world->pins, i);
        if (pin && pin->cloth.slot == cloth.slot && pin->cloth.generation == cloth.generation) {
            release(world, (uint32_t)i + 1, pin_entry(world, i)->generation);
        }
    }
}

// --- While stepping ---

void dr_world_refresh_pins(drape_world* world)
{
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth || !cloth->is_held_stale) {
            continue;
        }
        dr_sheet* sheet = cloth->sheet;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            dr_sheet_set_inverse_mass(sheet, sheet->slot_of_vertex[v], 1.0f / sheet->mass[v]);
        }
        dr_pose_hold(cloth);
        for (int k = 0; k < dr_slots_count(&world->pins); ++k) {
            const dr_pin* pin = dr_slots_at(&world->pins, k);
            if (pin && pin->weight >= 1.0f && dr_world_cloth(world, pin->cloth) == cloth) {
                for (int j = 0; j < pin->count; ++j) {
                    dr_sheet_set_inverse_mass(sheet, pin->slots[j], 0.0f);
                }
            }
        }
        dr_xpbd_masses_changed(&cloth->xpbd);
        cloth->control.are_tethers_stale = true;
        cloth->is_held_stale = false;
    }
}

void dr_world_begin_pins(drape_world* world)
{
    for (int i = 0; i < dr_slots_count(&world->pins); ++i) {
        dr_pin* pin = dr_slots_at(&world->pins, i);
        if (pin) {
            memcpy(pin->from, pin->target, sizeof *pin->from * (size_t)pin->count);
            if (!pin->moves_by_hand) {
                memcpy(pin->goal, pin->target, sizeof *pin->goal * (size_t)pin->count);
            }
            pin->moves_by_hand = false;
        }
    }
}

static void set_targets(const drape_world* world, dr_pin* pin)
{
    double time = world->substep.time_end;
    const dr_collider* collider = dr_world_collider(world, pin->collider);
    if (pin->frame_count > 0) {
        dr_frames_at(pin->frames, pin->frame_count, pin->count, pin->fps, time, pin->target);
        for (int i = 0; pin->has_jumped && i < pin->count; ++i) {
            pin->target[i] = dr_transform_apply(pin->moved, pin->target[i]);
        }
        return;
    }
    drape_transform pose = {.rotate = {0.0f, 0.0f, 0.0f, 1.0f}};
    if (pin->key_count > 0) {
        pose = dr_motion_at(pin->keys, pin->key_count, time);
    }
    for (int i = 0; i < pin->count; ++i) {
        if (collider) {
            drape_vec3 local = dr_transform_inverse_apply(pin->collider_pose, pin->origin[i]);
            pin->target[i] = dr_transform_apply(collider->pose, local);
        } else if (pin->key_count > 0) {
            drape_vec3 turned = dr_quat_rotate(pose.rotate, dr_sub(pin->origin[i], pin->pivot));
            drape_vec3 at = dr_add(dr_add(pin->pivot, turned), pose.translate);
            pin->target[i] = pin->has_jumped ? dr_transform_apply(pin->moved, at) : at;
        } else {
            float t = world->substep.share_end;
            pin->target[i] = t < 1.0f ? dr_lerp(pin->from[i], pin->goal[i], t) : pin->goal[i];
        }
    }
}

void dr_world_move_pins(drape_world* world)
{
    float per_h = 1.0f / world->substep.h;
    dr_world_move_poses(world); // where both hold a vertex, pins do
    for (int k = 0; k < dr_slots_count(&world->pins); ++k) {
        dr_pin* pin = dr_slots_at(&world->pins, k);
        dr_cloth* cloth = pin ? dr_world_cloth(world, pin->cloth) : NULL;
        if (!cloth || cloth->control.sleep.is_asleep) {
            continue;
        }
        set_targets(world, pin);
        dr_sheet* sheet = cloth->sheet;
        for (int i = 0; i < pin->count && pin->weight >= 1.0f; ++i) {
            drape_vec3 from = dr_sheet_get(sheet->layout, sheet->start, pin->slots[i]);
            drape_vec3 velocity = dr_scale(dr_sub(pin->target[i], from), per_h);
            dr_sheet_set(sheet->layout, sheet->pos, pin->slots[i], pin->target[i]);
            dr_sheet_set(sheet->layout, sheet->vel, pin->slots[i], velocity);
        }
    }
}

void dr_world_pull_pins(drape_world* world)
{
    for (int k = 0; k < dr_slots_count(&world->pins); ++k) {
        dr_pin* pin = dr_slots_at(&world->pins, k);
        dr_cloth* cloth = pin ? dr_world_cloth(world, pin->cloth) : NULL;
        if (!cloth || cloth->control.sleep.is_asleep || pin->weight >= 1.0f) {
            continue;
        }
        dr_sheet* sheet = cloth->sheet;
        for (int i = 0; i < pin->count; ++i) {
            float w = dr_sheet_inverse_mass(sheet, pin->slots[i]);
            float pull = w * pin->stiffness * world->substep.h * world->substep.h;
            if (w > 0.0f) {
                drape_vec3 p = dr_sheet_get(sheet->layout, sheet->pos, pin->slots[i]);
                dr_sheet_set(sheet->layout, sheet->pos, pin->slots[i],
                             dr_lerp(p, pin->target[i], pull / (1.0f + pull)));
            }
        }
    }
}
