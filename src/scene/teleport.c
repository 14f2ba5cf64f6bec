// Jumps: things that are elsewhere at once, and cloth that begins anew.
#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/fit.h"
#include "scene/mesh_link.h"
#include "scene/sleep.h"
#include "scene/trials.h"

void dr_cloth_calm(dr_cloth* cloth)
{
    const float moment = 0.25f, speed = 2.0f; // s, m/s
    float fastest = 0.0f;
    for (int c = 0; c < cloth->chunk_count; ++c) {
        fastest = fmaxf(fastest, cloth->chunks[c].speed_squared);
    }
    cloth->control.calm_time = moment;
    cloth->control.calm_speed = fmaxf(speed, sqrtf(fastest));
}

// After vertices were put elsewhere.
static void settle(drape_world* world, dr_cloth* cloth)
{
    dr_xpbd_tidy(&cloth->xpbd);
    dr_cloth_refresh(cloth);
    dr_cloth_publish(cloth);
    dr_world_stale_links(world, NULL);
    dr_world_forget_trials(world);
    dr_world_disturb(world, cloth);
    dr_cloth_calm(cloth);
}

static void put(dr_sheet* sheet, int slot, drape_vec3 place, drape_vec3 velocity)
{
    dr_sheet_set(sheet->layout, sheet->pos, slot, place);
    dr_sheet_set(sheet->layout, sheet->start, slot, place);
    dr_sheet_set(sheet->layout, sheet->vel, slot, velocity);
}

static void apply_to(drape_vec3* places, int count, drape_transform by)
{
    for (int i = 0; i < count; ++i) {
        places[i] = dr_transform_apply(by, places[i]);
    }
}

// --- Teleport ---

// Places that were given for the next step lie beyond the jump already.
static void move_pins(drape_world* world, const dr_cloth* cloth, drape_transform by)
{
    for (int i = 0; i < dr_slots_count(&world->pins); ++i) {
        dr_pin* pin = dr_slots_at(&world->pins, i);
        if (!pin || dr_world_cloth(world, pin->cloth) != cloth ||
            dr_world_collider(world, pin->collider)) {
            continue;
        }
        apply_to(pin->target, pin->count, by);
        apply_to(pin->from, pin->count, by);
        if (!pin->moves_by_hand) {
            apply_to(pin->goal, pin->count, by);
        }
        pin->moved = dr_transform_join(by, pin->moved);
        pin->has_jumped = true;
    }
}

static void move_pose(dr_cloth* cloth, drape_transform by)
{
    dr_pose* pose = &cloth->control.pose;
    dr_layout layout = cloth->sheet->layout;
    if (!pose->is_set) {
        return;
    }
    pose->moved = dr_transform_join(by, pose->moved);
    pose->has_jumped = true;
    float* places[2] = {pose->leash.from, pose->leash.to};
    float* normals[2] = {pose->leash.normal_from, pose->leash.normal_to};
    for (int k = 0; k < (pose->is_moving ? 1 : 2); ++k) {
        for (int slot = 0; slot < cloth->sheet->vector_count * 8; ++slot) {
            drape_vec3 p = dr_sheet_get(layout, places[k], slot);
            drape_vec3 n = dr_sheet_get(layout, normals[k], slot);
            dr_sheet_set(layout, places[k], slot, dr_transform_apply(by, p));
            dr_sheet_set(layout, normals[k], slot, dr_quat_rotate(by.rotate, n));
        }
    }
}

void dr_cloth_jump(drape_world* world, dr_cloth* cloth, drape_transform by, bool keeps_velocity)
{
    dr_sheet* sheet = cloth->sheet;
    dr_control* control = &cloth->control;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        drape_vec3 p = dr_sheet_get(sheet->layout, sheet->start, slot);
        drape_vec3 u = dr_sheet_get(sheet->layout, sheet->vel, slot);
        put(sheet, slot, dr_transform_apply(by, p),
            keeps_velocity ? dr_quat_rotate(by.rotate, u) : (drape_vec3){0.0f, 0.0f, 0.0f});
    }
    move_pins(world, cloth, by);
    move_pose(cloth, by);
    control->home_place = dr_transform_join(by, control->home_place);
    if (control->root.is_set) {
        control->root.now = dr_transform_join(by, control->root.now);
        if (!control->root.is_moving) {
            control->root.next = control->root.now;
        }
    }
    settle(world, cloth);
}

bool drape_cloth_teleport(drape_world* world, drape_cloth_id id, drape_transform by,
                          bool keeps_velocity)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (!cloth) {
        return world && dr_world_fail(world, "no such cloth");
    }
    if (!dr_transform_is_sound(by)) {
        return dr_world_fail(world, "a jump needs finite numbers and a unit rotation");
    }
    dr_cloth_jump(world, cloth, by, keeps_velocity);
    return true;
}

void dr_world_follow_jumps(drape_world* world)
{
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        dr_root* root = cloth ? &cloth->control.root : NULL;
        if (!root || !root->is_moving || !(cloth->control.def.teleport_distance > 0.0f)) {
            continue;
        }
        drape_vec3 way = dr_sub(root->next.translate, root->now.translate);
        if (dr_length(way) > cloth->control.def.teleport_distance) {
            dr_cloth_jump(world, cloth,
                          dr_transform_join(root->next, dr_transform_invert(root->now)), true);
            root->now = root->next;
            root->is_moving = false;
        }
    }
}

bool drape_collider_teleport(drape_world* world, drape_collider_id id, drape_transform pose)
{
    dr_collider* collider = dr_world_collider(world, id);
    if (!collider) {
        return world && dr_world_fail(world, "no such collider");
    }
    if (!dr_transform_is_sound(pose)) {
        return dr_world_fail(world, "a pose needs finite numbers and a unit rotation");
    }
    if (collider->key_count > 0) {
        return dr_world_fail(world, "a collider with keys cannot be moved by hand");
    }
    collider->pose = collider->start_pose = collider->target = pose;
    collider->moves_by_hand = false;
    dr_world_stale_links(world, collider->body);
    dr_world_forget_trials(world);
    dr_world_disturb(world, NULL);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth) {
            dr_cloth_calm(cloth);
        }
    }
    return true;
}

// --- Reset ---

// Where the first places belong now: with the frame; or else as the pins have moved since.
static drape_transform home_of(const drape_world* world, const dr_cloth* cloth)
{
    const dr_control* control = &cloth->control;
    if (control->root.is_set) {
        return dr_transform_join(control->root.now, control->root.base);
    }
    dr_fit fit;
    dr_fit_begin(&fit);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < dr_slots_count(&world->pins); ++i) {
            const dr_pin* pin = dr_slots_at(&world->pins, i);
            bool is_ours = pin && dr_world_cloth(world, pin->cloth) == cloth;
            for (int k = 0; is_ours && pin->weight >= 1.0f && k < pin->count; ++k) {
                dr_fit_add(&fit, pass, control->home[pin->vertices[k]], pin->target[k]);
            }
        }
        dr_fit_turn(&fit, pass);
    }
    return fit.count > 0 ? dr_fit_solve(&fit, control->home_place.rotate) : control->home_place;
}

static void put_home(drape_world* world, dr_cloth* cloth)
{
    const dr_control* control = &cloth->control;
    dr_sheet* sheet = cloth->sheet;
    bool has_pose = control->pose.is_followed && control->pose.is_set;
    drape_transform home = has_pose ? dr_transform_none() : home_of(world, cloth);
    drape_vec3 rest = {0.0f, 0.0f, 0.0f};
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        put(sheet, slot,
            has_pose ? dr_sheet_get(sheet->layout, control->pose.leash.from, slot)
                     : dr_transform_apply(home, control->home[v]),
            rest);
    }
    for (int i = 0; i < dr_slots_count(&world->pins); ++i) {
        const dr_pin* pin = dr_slots_at(&world->pins, i);
        bool is_ours = pin && dr_world_cloth(world, pin->cloth) == cloth;
        for (int k = 0; is_ours && pin->weight >= 1.0f && k < pin->count; ++k) {
            put(sheet, pin->slots[k], pin->target[k], rest);
        }
    }
}

bool drape_cloth_reset(drape_world* world, drape_cloth_id id)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (!cloth) {
        return world && dr_world_fail(world, "no such cloth");
    }
    put_home(world, cloth);
    settle(world, cloth);
    return true;
}
