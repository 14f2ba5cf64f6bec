#include "scene/sleep.h"

#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "contact/body.h"
#include "scene/apart_step.h"
#include "scene/trials.h"

// s of rest before sleep
static const float still_wanted = 0.5f;

// What the method has when nothing is said: cloth that is guarded lies in piles, and shall lie still.
static float sleep_speed_of(const drape_world* world)
{
    const float of_guarded = 0.004f;
    float said = world->def.sleep_speed;
    return said >= 0.0f ? said : world->def.method.self == DRAPE_SELF_GUARDED ? of_guarded : 0.0f;
}

bool drape_cloth_is_asleep(const drape_world* world, drape_cloth_id id)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    return cloth && cloth->control.sleep.is_asleep;
}

void drape_cloth_wake(drape_world* world, drape_cloth_id id)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (cloth) {
        dr_world_disturb(world, cloth);
    }
}

static void wake(drape_world* world, dr_cloth* cloth)
{
    dr_sleep* sleep = &cloth->control.sleep;
    world->is_work_stale |= sleep->is_asleep;
    sleep->is_asleep = false;
    sleep->still_time = 0.0f;
}

// Cloths that know each other rest together.
static bool are_coupled(const drape_world* world)
{
    bool has_seam = false;
    for (int i = 0; i < dr_slots_count(&world->seams); ++i) {
        has_seam |= dr_slots_at(&world->seams, i) != NULL;
    }
    return has_seam || world->def.method.self != DRAPE_SELF_NONE || dr_world_has_trials(world);
}

void dr_world_disturb(drape_world* world, dr_cloth* cloth)
{
    if (cloth && !are_coupled(world)) {
        wake(world, cloth);
        return;
    }
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* other = dr_slots_at(&world->cloths, i);
        if (other) {
            wake(world, other);
        }
    }
}

// --- Before a step ---

static bool runs_by_keys(const drape_world* world, const drape_key* keys, int count, float dt)
{
    return count > 1 && world->time + (double)dt > (double)keys[0].time &&
           world->time < (double)keys[count - 1].time;
}

static bool runs_by_frames(const drape_world* world, int count, float fps)
{
    return count > 1 && world->time < (double)(count - 1) / (double)fps;
}

static bool collider_moves(const drape_world* world, const dr_collider* collider, float dt)
{
    return runs_by_keys(world, collider->keys, collider->key_count, dt) ||
           runs_by_frames(world, collider->frame_count, collider->fps) ||
           (collider->moves_by_hand &&
            memcmp(&collider->pose, &collider->target, sizeof collider->pose) != 0) ||
           (collider->body && (collider->body->is_changing || collider->body->has_changed));
}

// Half the diagonal of a box round the origin that holds the solid; infinite for planes.
static double size_of(const dr_collider* collider)
{
    if (collider->body) {
        return collider->body->is_changing || collider->frame_count > 0
                   ? INFINITY
                   : (double)dr_length(dr_collider_far_point(collider));
    }
    if (collider->shape.kind == DRAPE_SHAPE_PLANE) {
        return INFINITY;
    }
    drape_vec3 x = dr_shape_support(&collider->shape, (drape_vec3){1.0f, 0.0f, 0.0f});
    drape_vec3 y = dr_shape_support(&collider->shape, (drape_vec3){0.0f, 1.0f, 0.0f});
    drape_vec3 z = dr_shape_support(&collider->shape, (drape_vec3){0.0f, 0.0f, 1.0f});
    drape_vec3 down = dr_shape_support(&collider->shape, (drape_vec3){0.0f, -1.0f, 0.0f});
    return dr_length_double((drape_vec3){x.x, fmaxf(y.y, -down.y), z.z});
}

// How far a point is from the box of a cloth.
static double distance_to_cloth(const dr_cloth* cloth, drape_vec3 point)
{
    const float at[3] = {point.x, point.y, point.z};
    double nearest = INFINITY;
    for (int c = 0; c < cloth->chunk_count; ++c) {
        double squared = 0.0;
        for (int d = 0; d < 3; ++d) {
            double below = (double)cloth->chunks[c].lo[d] - at[d];
            double above = (double)at[d] - cloth->chunks[c].hi[d];
            double off = fmax(fmax(below, above), 0.0);
            squared += off * off;
        }
        nearest = fmin(nearest, sqrt(squared));
    }
    return nearest;
}

static bool is_touched(const drape_world* world, const dr_cloth* cloth, const dr_collider* collider,
                       float dt)
{
    double reach = size_of(collider) + dr_collider_travel(world, collider, dt) +
                   (double)(cloth->thickness + world->def.static_radius + cloth->edge_max) + 0.01;
    drape_vec3 centre = dr_collider_frame(collider, collider->pose).translate;
    return !(distance_to_cloth(cloth, centre) > reach);
}

static bool pin_moves(const drape_world* world, const dr_pin* pin, float dt)
{
    const dr_collider* collider = dr_world_collider(world, pin->collider);
    return runs_by_keys(world, pin->keys, pin->key_count, dt) ||
           runs_by_frames(world, pin->frame_count, pin->fps) ||
           (collider && collider_moves(world, collider, dt));
}

static bool is_disturbed(const drape_world* world, const dr_cloth* cloth, float dt)
{
    if (runs_by_frames(world, cloth->control.pose.frame_count, cloth->control.pose.fps)) {
        return true;
    }
    for (int i = 0; i < dr_slots_count(&world->pins); ++i) {
        const dr_pin* pin = dr_slots_at(&world->pins, i);
        if (pin && dr_world_cloth(world, pin->cloth) == cloth && pin_moves(world, pin, dt)) {
            return true;
        }
    }
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        const dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (collider && collider_moves(world, collider, dt) &&
            is_touched(world, cloth, collider, dt)) {
            return true;
        }
    }
    for (int i = 0; i < dr_slots_count(&world->seams); ++i) {
        const dr_seam* seam = dr_slots_at(&world->seams, i);
        if (seam && world->time + (double)dt > (double)seam->start_time &&
            world->time < (double)seam->start_time + (double)seam->duration) {
            return true;
        }
    }
    return false;
}

void dr_world_watch(drape_world* world, float dt)
{
    bool may_sleep = sleep_speed_of(world) > 0.0f;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        // A state may have been saved in a world in which cloth sleeps, and loaded into another.
        if (cloth &&
            (may_sleep ? is_disturbed(world, cloth, dt) : cloth->control.sleep.is_asleep)) {
            dr_world_disturb(world, cloth);
        }
    }
}

bool dr_world_is_asleep(const drape_world* world)
{
    bool has_sleeper = false;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        const dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth && !cloth->control.sleep.is_asleep) {
            return false;
        }
        has_sleeper |= cloth != NULL;
    }
    return has_sleeper;
}

// --- After a step ---

// By the energy of the way that it went in the step: what goes to and fro from substep to substep is
// seen by nobody. A vertex in a pile may be at odds with its neighbours and never rest alone.
static bool is_slow(const drape_world* world, const dr_cloth* cloth, float dt)
{
    const double single = 20.0; // a vertex may be so much faster than all of them
    const dr_sheet* sheet = cloth->sheet;
    double most = (double)sleep_speed_of(world) * (double)dt, mass = 0.0, sum = 0.0;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        drape_vec3 way = dr_sub(dr_sheet_get(sheet->layout, sheet->start, slot),
                                dr_sheet_get(sheet->layout, cloth->backup, slot));
        double squared = (double)dr_dot(way, way);
        if (squared > single * single * most * most) {
            return false;
        }
        mass += (double)sheet->mass[v];
        sum += (double)sheet->mass[v] * squared;
    }
    return sum <= mass * most * most;
}

static void fall_asleep(drape_world* world, dr_cloth* cloth)
{
    dr_sheet* sheet = cloth->sheet;
    dr_sleep* sleep = &cloth->control.sleep;
    memset(sheet->vel, 0, sizeof(float) * 32 * (size_t)sheet->vector_count);
    dr_cloth_refresh(cloth);
    dr_cloth_publish(cloth);
    dr_cloth_save(cloth); // what a step that is undone goes back to
    sleep->is_asleep = true;
    sleep->stretch = dr_cloth_max_stretch(cloth);
    sleep->gap = world->report.smallest_gap;
    sleep->crossed = world->report.crossed_count;
    sleep->touching = world->report.touching_count;
    world->is_work_stale = true;
}

void dr_world_tire(drape_world* world, float dt)
{
    // In a pile a fold gives way now and then for a frame, which is no reason to begin anew.
    const float back = 3.0f;
    const drape_wind* wind = &world->def.wind;
    bool has_gusts = wind->gust > 0.0f && (wind->drag != 0.0f || wind->lift != 0.0f);
    if (!(sleep_speed_of(world) > 0.0f) || has_gusts) {
        return;
    }
    bool are_all_still = true, is_sound = world->report.non_finite_count == 0;
    // What still has to come free has no rest, and what was pinched, or given up, is not still.
    is_sound = is_sound && world->report.pinched_count == 0 && !dr_world_is_freeing(world);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (cloth) {
            float* still = &cloth->control.sleep.still_time;
            float now = is_slow(world, cloth, dt) ? *still + dt : fmaxf(*still - back * dt, 0.0f);
            *still = is_sound ? now : 0.0f;
            are_all_still &= *still >= still_wanted;
        }
    }
    bool alone = !are_coupled(world);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (cloth && cloth->control.sleep.still_time >= still_wanted && (alone || are_all_still)) {
            fall_asleep(world, cloth);
        }
    }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

void dr_world_report_sleepers(drape_world* world)
{
    drape_step_report* report = &world->report;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        const dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth && cloth->control.sleep.is_asleep) {
            ++report->sleeping_count;
            report->max_stretch = fmaxf(report->max_stretch, cloth->control.sleep.stretch);
            report->smallest_gap = fminf(report->smallest_gap, cloth->control.sleep.gap);
            report->crossed_count = larger(report->crossed_count, cloth->control.sleep.crossed);
            report->touching_count = larger(report->touching_count, cloth->control.sleep.touching);
        }
    }
}
