// Looking at what a trial came to, and the last resort.
#include "scene/trials_parts.h"

// Planes came with the friction of the collider alone.
static void set_friction(drape_world* world, dr_trials* trials, int first_plane)
{
    dr_limit_plane* planes = trials->limits.planes.data;
    for (int i = first_plane; i < trials->limits.planes.count; ++i) {
        dr_halfspace* plane = &planes[i].plane;
        const dr_cloth* cloth = trials->cloths[trials->part_of_vertex[planes[i].vertex]];
        dr_friction friction =
            dr_world_friction(world, cloth, plane->friction_static, plane->friction_dynamic);
        plane->friction_static = friction.at_rest;
        plane->friction_dynamic = friction.sliding;
    }
}

static bool detect_floors(drape_world* world, dr_trials* trials, dr_slide_result* result)
{
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        const dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (!collider || collider->body) {
            continue;
        }
        dr_floor floor = {dr_collider_frame(collider, collider->start_pose),
                          dr_collider_frame(collider, collider->pose), collider->friction_static,
                          collider->friction_dynamic};
        if (!dr_floor_detect(&floor, trials->responder.thickness, trials->responder.mode,
                             &world->memory, &trials->sheets, &trials->limits, result)) {
            return false;
        }
    }
    return true;
}

static bool detect_obstacles(drape_world* world, dr_trials* trials, bool* is_clean)
{
    drape_step_report* report = &world->report;
    double t0 = dr_now_ms();
    int planes = trials->limits.planes.count;
    dr_slide_result result;
    if (!dr_responder_detect(&trials->responder, &world->memory, world->pool, &trials->sheets,
                             &trials->obstacles, &trials->limits, &result) ||
        !detect_floors(world, trials, &result)) {
        return false;
    }
    set_friction(world, trials, planes);
    *is_clean = *is_clean && result.is_clean;
    report->counts.planes += result.plane_count;
    report->counts.frozen += result.frozen_count;
    report->box_tests += result.box_tests;
    report->exact_tests += result.exact_tests;
    report->contact_count = trials->limits.planes.count;
    report->smallest_gap = (float)result.smallest_gap;
    report->ms.detect += dr_now_ms() - t0;
    return true;
}

static void count_self(drape_world* world, const dr_self_result* result, double since)
{
    drape_step_report* report = &world->report;
    report->counts.far_pairs += result->far_pairs;
    report->counts.conflicts += result->conflicts;
    report->counts.clamped += result->clamped;
    report->counts.frozen += result->frozen;
    report->counts.forced += result->forced;
    report->box_tests += result->box_tests;
    report->self_box_tests += result->box_tests;
    report->exact_tests += result->exact_tests;
    double ms = dr_now_ms() - since;
    report->ms.detect += ms;
    report->ms.detect_self += ms;
}

static bool detect_self(drape_world* world, dr_trials* trials, int run, bool* is_clean)
{
    double t0 = dr_now_ms();
    dr_self_result result = {.is_clean = true};
    if (trials->detect_self && !trials->detect_self(trials->self, &world->memory, world->pool,
                                                    &trials->limits, run, &result)) {
        return false;
    }
    *is_clean = *is_clean && result.is_clean;
    count_self(world, &result, t0);
    return true;
}

bool dr_trials_detect(drape_world* world, dr_trials* trials, int run, bool* is_clean)
{
    *is_clean = true;
    return (!dr_responder_exists(&trials->responder) ||
            detect_obstacles(world, trials, is_clean)) &&
           detect_self(world, trials, run, is_clean);
}

// --- Settling ---

// The candidates become what the sheets' ends are.
static void take_ends(dr_trials* trials)
{
    for (int p = 0; p < trials->sheets.part_count; ++p) {
        dr_cloth* cloth = trials->cloths[p];
        const dr_sheet* sheet = cloth->sheet;
        const drape_vec3* end = trials->sheets.end + trials->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            int slot = sheet->slot_of_vertex[v];
            drape_vec3 before = dr_sheet_get(sheet->layout, sheet->pos, slot);
            if (before.x == end[v].x && before.y == end[v].y && before.z == end[v].z) {
                continue;
            }
            dr_sheet_set(sheet->layout, sheet->pos, slot, end[v]);
            if (cloth->model) {
                dr_model_set_candidate(cloth->model, v, end[v]);
            }
        }
    }
}

// What has planes or a place of its own goes there.
static void project_ends(dr_trials* trials)
{
    const int32_t* limited = trials->limits.limited.data;
    for (int i = 0; i < trials->limits.limited.count; ++i) {
        drape_vec3* end = &trials->sheets.end[limited[i]];
        double y[3] = {end->x, end->y, end->z};
        dr_limits_project(&trials->limits, limited[i], y);
        *end = (drape_vec3){(float)y[0], (float)y[1], (float)y[2]};
    }
}

static bool settle_self(drape_world* world, dr_trials* trials)
{
    double t0 = dr_now_ms();
    dr_self_result result = {0};
    if (!dr_self_settle(trials->detect_self, trials->self, &world->memory, world->pool,
                        &trials->sheets, &trials->limits, &result)) {
        return false;
    }
    count_self(world, &result, t0);
    return true;
}

bool dr_trials_settle(drape_world* world, dr_trials* trials)
{
    // What is frozen may drag neighbours along only as far as it reaches: few rounds are needed.
    enum { rounds = 8 };
    if (world->def.method.as_printed) {
        return true;
    }
    bool is_clean = false;
    for (int round = 0; round < rounds && !is_clean; ++round) {
        is_clean = true;
        if (dr_responder_exists(&trials->responder)) {
            dr_responder_freeze(&trials->responder);
            project_ends(trials);
            if (!detect_obstacles(world, trials, &is_clean)) {
                return false;
            }
            project_ends(trials);
        }
        if (trials->detect_self && !settle_self(world, trials)) {
            return false;
        }
    }
    take_ends(trials);
    return true;
}
