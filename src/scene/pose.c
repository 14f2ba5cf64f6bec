// An animated pose that a cloth follows: limits, and places step by step.
#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/motion.h"
#include "scene/sleep.h"
#include "scene/world.h"

void dr_pose_free(dr_pose* pose, dr_memory* memory)
{
    size_t given = (size_t)pose->given_count;
    dr_leash_free(&pose->leash, memory);
    dr_delete(memory, pose->frames, given * (size_t)pose->frame_count);
    dr_delete(memory, pose->places, 2 * given);
    dr_delete(memory, pose->held, pose->held_room);
    *pose = (dr_pose){0};
}

// --- Limits ---

static bool check_lengths(drape_world* world, const float* values, int count, const char* name)
{
    for (int i = 0; values && i < count; ++i) {
        if (!(values[i] >= 0.0f)) {
            return dr_world_fail(world, "%s of vertex %d must be at least 0", name, i);
        }
    }
    return true;
}

static bool check_def(drape_world* world, const dr_cloth* cloth, const drape_pose_def* def)
{
    int count = cloth->given_count;
    if (cloth->model) {
        return dr_world_fail(world, "the cloth model `%s` follows no pose; choose `xpbd`",
                             cloth->model->elastic ? "elastic" : "springs");
    }
    if (def->frame_count < 0 ||
        (def->frame_count > 0 && (!def->frames || !(def->fps > 0.0f) || !isfinite(def->fps)))) {
        return dr_world_fail(world, "frames of a pose need places and a rate above 0");
    }
    for (int64_t i = 0; i < (int64_t)def->frame_count * count; ++i) {
        if (!dr_is_finite(def->frames[i])) {
            return dr_world_fail(world, "frame %lld of the pose has a place that is no number",
                                 (long long)(i / count));
        }
    }
    return check_lengths(world, def->max_distance, count, "max_distance") &&
           check_lengths(world, def->backstop_offset, count, "backstop_offset") &&
           check_lengths(world, def->backstop_radius, count, "backstop_radius");
}

static float* fourth(const dr_sheet* sheet, float* array, int slot)
{
    return array + dr_sheet_offset(sheet->layout, slot) + 3 * (size_t)dr_sheet_step(sheet->layout);
}

static void set_limits(dr_cloth* cloth, const drape_pose_def* def)
{
    dr_leash* leash = &cloth->control.pose.leash;
    const dr_sheet* sheet = cloth->sheet;
    leash->has_backstop = def->backstop_offset != NULL;
    // The first of welded vertices counts, so it is written last.
    for (int i = cloth->given_count - 1; i >= 0; --i) {
        int slot = dr_cloth_slot(cloth, i);
        float radius = def->backstop_radius ? def->backstop_radius[i] : 1.0f;
        float offset = def->backstop_offset ? def->backstop_offset[i] : INFINITY;
        bool is_bounded = isfinite(offset) && isfinite(radius);
        *fourth(sheet, leash->from, slot) = def->max_distance ? def->max_distance[i] : INFINITY;
        *fourth(sheet, leash->normal_from, slot) = is_bounded ? offset : 0.0f;
        *fourth(sheet, leash->normal_to, slot) = is_bounded ? radius : 0.0f;
    }
}

// A vertex that is only put back after each sweep takes half of what its neighbours are put right by
// with it; a few sweeps then leave cloth that hangs from such vertices long by a quarter.
static void list_held(dr_cloth* cloth)
{
    dr_pose* pose = &cloth->control.pose;
    const dr_sheet* sheet = cloth->sheet;
    pose->held_count = 0;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        if (*fourth(sheet, pose->leash.from, slot) == 0.0f) {
            pose->held[pose->held_count++] = slot;
        }
    }
}

void dr_pose_hold(dr_cloth* cloth)
{
    const dr_pose* pose = &cloth->control.pose;
    for (int i = 0; pose->is_set && i < pose->held_count; ++i) {
        dr_sheet_set_inverse_mass(cloth->sheet, pose->held[i], 0.0f);
    }
}

static bool make_pose(dr_memory* memory, dr_cloth* cloth, const drape_pose_def* def, dr_pose* pose)
{
    size_t places = (size_t)cloth->given_count * (size_t)def->frame_count;
    *pose = (dr_pose){.given_count = cloth->given_count,
                      .frame_count = def->frame_count,
                      .fps = def->fps,
                      .moved = dr_transform_none(),
                      .base = dr_transform_none()};
    pose->frames = dr_new(memory, drape_vec3, places);
    pose->places = dr_new(memory, drape_vec3, 2 * (size_t)cloth->given_count);
    pose->held_room = def->max_distance ? cloth->sheet->vertex_count : 0;
    pose->held = dr_new(memory, int32_t, pose->held_room);
    bool made = dr_leash_create(&pose->leash, memory, cloth->sheet) && pose->places &&
                (places == 0 || pose->frames) && (pose->held_room == 0 || pose->held);
    if (made && places > 0) {
        memcpy(pose->frames, def->frames, sizeof *def->frames * places);
    }
    return made;
}

bool drape_cloth_follow(drape_world* world, drape_cloth_id id, const drape_pose_def* def)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (!cloth) {
        return world && dr_world_fail(world, "no such cloth");
    }
    dr_world_disturb(world, cloth);
    dr_pose* pose = &cloth->control.pose;
    cloth->is_held_stale = true;
    if (!def) {
        dr_pose_free(pose, &world->memory);
        return true;
    }
    dr_pose made;
    if (!check_def(world, cloth, def)) {
        return false;
    }
    if (!make_pose(&world->memory, cloth, def, &made)) {
        dr_pose_free(&made, &world->memory);
        return dr_world_fail(world, "out of memory");
    }
    // Limits may change while a pose is followed: it stays where it is.
    if (pose->is_set && def->frame_count == 0) {
        size_t floats = (size_t)cloth->sheet->vector_count * 32;
        memcpy(made.leash.from, pose->leash.from, sizeof(float) * floats);
        memcpy(made.leash.to, pose->leash.to, sizeof(float) * floats);
        memcpy(made.leash.normal_from, pose->leash.normal_from, sizeof(float) * floats);
        memcpy(made.leash.normal_to, pose->leash.normal_to, sizeof(float) * floats);
        made.is_set = true;
        made.is_moving = pose->is_moving;
    }
    made.is_followed = true;
    dr_pose_free(pose, &world->memory);
    *pose = made;
    set_limits(cloth, def);
    list_held(cloth);
    if (def->frame_count > 0) {
        dr_pose_lead(cloth, world->time);
    }
    if (cloth->control.root.is_set) {
        dr_pose_mount(cloth, cloth->control.root.now);
    }
    return true;
}

// --- Places ---

// Unit normals of a pose, by the cloth's own triangles.
static void make_normals(const dr_cloth* cloth, const drape_vec3* at, drape_vec3* normals)
{
    memset(normals, 0, sizeof *normals * (size_t)cloth->given_count);
    for (int t = 0; t < cloth->mesh.triangle_count; ++t) {
        const int32_t* v = cloth->triangles[t];
        drape_vec3 n = dr_cross(dr_sub(at[v[1]], at[v[0]]), dr_sub(at[v[2]], at[v[0]]));
        for (int k = 0; k < 3; ++k) {
            normals[v[k]] = dr_add(normals[v[k]], n);
        }
    }
    for (int i = 0; i < cloth->given_count; ++i) {
        normals[i] = dr_normalize(normals[i]);
    }
}

static bool is_same(drape_vec3 a, drape_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The pose at the end of the step; true when it is another than before.
static bool set_end(dr_cloth* cloth, const drape_vec3* positions, const drape_vec3* normals)
{
    dr_pose* pose = &cloth->control.pose;
    const dr_sheet* sheet = cloth->sheet;
    bool has_moved = !pose->is_set;
    for (int i = cloth->given_count - 1; i >= 0; --i) {
        int slot = dr_cloth_slot(cloth, i);
        has_moved |= !is_same(dr_sheet_get(sheet->layout, pose->leash.to, slot), positions[i]);
        dr_sheet_set(sheet->layout, pose->leash.to, slot, positions[i]);
        dr_sheet_set(sheet->layout, pose->leash.normal_to, slot, normals[i]);
    }
    if (!pose->is_set) {
        dr_leash_settle(&pose->leash, sheet->layout);
        cloth->is_held_stale = true;
    }
    pose->is_set = true;
    pose->is_moving |= has_moved;
    return has_moved;
}

bool drape_cloth_set_pose(drape_world* world, drape_cloth_id id, const drape_vec3* positions,
                          const drape_vec3* normals, int count)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (!cloth) {
        return world && dr_world_fail(world, "no such cloth");
    }
    dr_pose* pose = &cloth->control.pose;
    if (!pose->is_followed || pose->frame_count > 0) {
        return dr_world_fail(world, pose->is_followed ? "a pose with frames leads itself"
                                                      : "the cloth follows no pose");
    }
    if (!positions || count != cloth->given_count) {
        return dr_world_fail(world, "the cloth has %d vertices, found %d places of a pose",
                             cloth->given_count, positions ? count : 0);
    }
    for (int i = 0; i < count; ++i) {
        if (!dr_is_finite(positions[i]) || (normals && !dr_is_finite(normals[i]))) {
            return dr_world_fail(world, "vertex %d of the pose has a coordinate that is no number",
                                 i);
        }
    }
    if (!normals) {
        make_normals(cloth, positions, pose->places);
        normals = pose->places;
    }
    if (set_end(cloth, positions, normals)) {
        dr_world_disturb(world, cloth);
    }
    return true;
}

void dr_pose_lead(dr_cloth* cloth, double time)
{
    dr_pose* pose = &cloth->control.pose;
    drape_vec3 *places = pose->places, *normals = pose->places + cloth->given_count;
    dr_frames_at(pose->frames, pose->frame_count, cloth->given_count, pose->fps, time, places);
    for (int i = 0; pose->has_jumped && i < cloth->given_count; ++i) {
        places[i] = dr_transform_apply(pose->moved, places[i]);
    }
    make_normals(cloth, places, normals);
    set_end(cloth, places, normals);
}

void dr_pose_mount(dr_cloth* cloth, drape_transform frame)
{
    dr_pose* pose = &cloth->control.pose;
    pose->base = dr_transform_join(dr_transform_invert(frame), pose->moved);
}

// From the places that were given, not from step to step: rounding does not add up.
void dr_pose_ride(dr_cloth* cloth)
{
    dr_pose* pose = &cloth->control.pose;
    const dr_sheet* sheet = cloth->sheet;
    const drape_vec3* normals = pose->places + cloth->given_count;
    drape_transform to = dr_transform_join(cloth->control.root.next, pose->base);
    for (int i = cloth->given_count - 1; i >= 0; --i) {
        int slot = dr_cloth_slot(cloth, i);
        dr_sheet_set(sheet->layout, pose->leash.to, slot, dr_transform_apply(to, pose->frames[i]));
        if (pose->leash.has_backstop) {
            dr_sheet_set(sheet->layout, pose->leash.normal_to, slot,
                         dr_quat_rotate(to.rotate, normals[i]));
        }
    }
    pose->is_moving = true;
}

void dr_world_move_poses(drape_world* world)
{
    float per_h = 1.0f / world->substep.h, share = world->substep.share_end;
    for (int k = 0; k < dr_slots_count(&world->cloths); ++k) {
        dr_cloth* cloth = dr_world_awake(world, k);
        const dr_pose* pose = cloth ? &cloth->control.pose : NULL;
        for (int i = 0; pose && pose->is_set && i < pose->held_count; ++i) {
            dr_sheet* sheet = cloth->sheet;
            int slot = pose->held[i];
            drape_vec3 to = dr_sheet_get(sheet->layout, pose->leash.to, slot);
            drape_vec3 from = dr_sheet_get(sheet->layout, pose->leash.from, slot);
            drape_vec3 place = share < 1.0f ? dr_lerp(from, to, share) : to;
            drape_vec3 start = dr_sheet_get(sheet->layout, sheet->start, slot);
            dr_sheet_set(sheet->layout, sheet->pos, slot, place);
            dr_sheet_set(sheet->layout, sheet->vel, slot, dr_scale(dr_sub(place, start), per_h));
        }
    }
}
