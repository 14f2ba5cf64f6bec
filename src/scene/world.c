#include "scene/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/isa.h"
#include "core/vec_math.h"
#include "scene/apart_step.h"
#include "scene/mesh_link.h"
#include "scene/model_step.h"
#include "scene/motion.h"
#include "scene/predict_step.h"
#include "scene/sleep.h"
#include "scene/trials.h"
#include "solver/air.h"

// --- Life ---

drape_world* drape_world_create(const drape_world_def* def)
{
    const char* refusal = drape_world_refusal(def);
    if (refusal) {
        if (def && def->log) {
            def->log(def->log_user, DRAPE_LOG_ERROR, refusal);
        }
        return NULL;
    }
    dr_memory memory;
    dr_memory_init(&memory, &def->allocator);
    drape_world* world = dr_new_zeroed(&memory, drape_world, 1);
    if (!world) {
        return NULL;
    }
    world->memory = memory;
    world->def = *def;
    world->host = (dr_host){def->log, def->log_user, def->on_assert, def->assert_user};
    world->isa = dr_isa_resolve(def->isa);
    dr_arena_init(&world->arena, &world->memory);
    world->pool = dr_pool_create(&world->memory, def->worker_count, &def->scheduler);
    if (!world->pool) {
        drape_world_destroy(world);
        return NULL;
    }
    return world;
}

void drape_world_destroy(drape_world* world)
{
    if (!world) {
        return;
    }
    dr_memory* memory = &world->memory;
    dr_world_free_links(world);
    dr_world_free_trials(world);
    dr_world_free_predict(world);
    for (int i = 0; i < dr_slots_count(&world->seams); ++i) {
        dr_seam_destroy(dr_slots_at(&world->seams, i), memory);
    }
    for (int i = 0; i < dr_slots_count(&world->pins); ++i) {
        dr_pin_destroy(dr_slots_at(&world->pins, i), memory);
    }
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        dr_collider_destroy(dr_slots_at(&world->colliders, i), memory);
    }
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth) {
            dr_cloth_destroy(cloth, memory);
        }
    }
    dr_slots_free(&world->cloths, memory);
    dr_slots_free(&world->colliders, memory);
    dr_slots_free(&world->pins, memory);
    dr_slots_free(&world->seams, memory);
    dr_array_free(memory, &world->chunk_items, sizeof(dr_work_item));
    for (int stage = 0; stage < DR_XPBD_STAGES; ++stage) {
        for (int phase = 0; phase < DR_XPBD_MAX_PHASES; ++phase) {
            dr_array_free(memory, &world->phase_items[stage][phase], sizeof(dr_work_item));
        }
    }
    dr_delete(memory, world->scratch, world->scratch_floats * (size_t)world->def.worker_count);
    dr_array_free(memory, &world->obstacles, sizeof(dr_obstacle));
    dr_arena_free(&world->arena);
    dr_pool_destroy(world->pool);
    dr_memory last = *memory;
    dr_delete(&last, world, 1);
}

// --- Small questions ---

bool dr_world_fail(drape_world* world, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(world->error, sizeof world->error, format, arguments);
    va_end(arguments);
    dr_log(&world->host, DRAPE_LOG_ERROR, "%s", world->error);
    return false;
}

const char* drape_world_error(const drape_world* world)
{
    return world ? world->error : "there is no world";
}

double drape_world_time(const drape_world* world)
{
    return world ? world->time : 0.0;
}

drape_world_def drape_world_get_def(const drape_world* world)
{
    return world ? world->def : drape_world_defaults();
}

drape_isa drape_world_isa(const drape_world* world)
{
    return world ? world->isa : DRAPE_ISA_AUTO;
}

void drape_world_set_gravity(drape_world* world, drape_vec3 gravity)
{
    if (world && dr_is_finite(gravity)) {
        if (memcmp(&world->def.gravity, &gravity, sizeof gravity) != 0) {
            dr_world_disturb(world, NULL);
        }
        world->def.gravity = gravity;
    } else if (world) {
        dr_world_fail(world, "gravity must be finite");
    }
}

void drape_world_set_wind(drape_world* world, const drape_wind* wind)
{
    if (!world || !wind) {
        return;
    }
    drape_world_def changed = world->def;
    changed.wind = *wind;
    const char* refusal = drape_world_refusal(&changed);
    if (refusal) {
        dr_world_fail(world, "%s", refusal);
        return;
    }
    if (memcmp(&world->def.wind, wind, sizeof *wind) != 0) {
        dr_world_disturb(world, NULL);
    }
    world->def.wind = *wind;
}

uint64_t drape_world_hash(const drape_world* world)
{
    uint64_t hash = DR_HASH_START;
    for (int i = 0; world && i < dr_slots_count(&world->cloths); ++i) {
        const dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth) {
            hash = dr_hash_floats(hash, &cloth->positions[0].x, (size_t)cloth->given_count * 3);
        }
    }
    return hash;
}

// --- The step ---

// Air on every sheet, while there is air. The arrays for it are made with the first breath.
static bool blow(drape_world* world)
{
    const drape_wind* wind = &world->def.wind;
    bool is_still = wind->drag == 0.0f && wind->lift == 0.0f;
    drape_vec3 air = dr_wind_at(wind, world->substep.time_end);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (!cloth || (is_still && !cloth->sheet->force)) {
            continue;
        }
        dr_sheet* sheet = cloth->sheet;
        if (!sheet->force) {
            sheet->force = dr_new_zeroed(&world->memory, float, (size_t)sheet->vector_count * 32);
        }
        size_t count = (size_t)cloth->mesh.triangle_count;
        drape_vec3* scratch =
            dr_arena_allocate(&world->arena, dr_array_bytes(count + 1, sizeof *scratch));
        if (!sheet->force || !scratch) {
            return false;
        }
        dr_air_blow(sheet, &cloth->mesh, air, wind->drag, wind->lift, world->substep.h, scratch);
    }
    return true;
}

// Long steps are cut finer, so that a hitch of the host does not become an explosion; and so are
// steps in which something goes far against the size of a collider, up to sixteen times. Predictive
// contacts between cloths are for games, where a step has a fixed price: it is not cut for speed.
static int count_asked_substeps(const drape_world* world, float dt)
{
    double longer = fmin(fmax(ceil((double)dt / 0.05 - 1e-6), 1.0), 64.0);
    if (dr_world_holds_vertices(world)) {
        return world->def.substeps * (int)longer;
    }
    double wanted = dr_world_substeps_wanted(world, dt) / ((double)world->def.substeps * longer);
    double finer = fmin(fmax(ceil(wanted - 1e-6), 1.0), 16.0);
    return world->def.substeps * (int)(longer * finer);
}

// A model may say itself how long its steps may be. 0: more would be needed than anyone wants to
// wait for.
static int count_substeps(const drape_world* world, float dt)
{
    const double most = 1e6;
    bool is_elastic = world->def.method.model == DRAPE_MODEL_ELASTIC;
    double asked = is_elastic ? 1.0 : (double)count_asked_substeps(world, dt);
    double count = fmax(ceil((double)dt / dr_world_model_dt(world) - 1e-6), asked);
    return count <= most ? (int)count : 0;
}

// Compliances for substeps of h; cheap when they are as long as the last ones. False when memory is
// short.
static bool prepare(drape_world* world, float h)
{
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (cloth && !cloth->model) {
            int phases = dr_xpbd_phase_count(&cloth->xpbd, DR_XPBD_BEND);
            dr_xpbd_prepare(&cloth->xpbd, h);
            // Another h or other masses may ask for more sweeps over the bends.
            world->is_work_stale |= phases != dr_xpbd_phase_count(&cloth->xpbd, DR_XPBD_BEND);
        }
    }
    return !world->is_work_stale || dr_world_refresh_work(world);
}

static bool begin_step(drape_world* world, float dt, float h)
{
    int substeps = (int)(dt / h + 0.5f);
    dr_world_refresh_pins(world);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (!cloth) {
            continue;
        }
        if (!cloth->model) {
            dr_xpbd_bend_ahead(&cloth->xpbd, dr_world_holds_vertices(world) ? substeps : 1);
        }
        dr_xpbd_tidy(&cloth->xpbd);
        dr_cloth_save(cloth);
    }
    dr_world_begin_pins(world);
    dr_world_begin_apart(world);
    return prepare(world, h) && dr_world_refresh_work(world) &&
           dr_world_begin_controls(world, dt) && dr_world_begin_obstacles(world, dt);
}

static int count_non_finite(const drape_world* world)
{
    int count = 0;
    for (int i = 0; i < world->chunk_items.count; ++i) {
        const dr_work_item* item = (const dr_work_item*)world->chunk_items.data + i;
        count += item->cloth->chunks[item->index].non_finite_count;
    }
    return count;
}

// Numbers for the report, once a step.
static void finish_step(drape_world* world, float dt)
{
    drape_step_report* report = &world->report;
    report->non_finite_count = count_non_finite(world);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (!cloth) {
            continue;
        }
        if (report->non_finite_count > 0) {
            dr_cloth_restore(cloth);
            dr_world_stale_links(world, NULL);
            dr_world_forget_trials(world);
            dr_world_forget_predict(world);
        }
        dr_xpbd_tidy(&cloth->xpbd);
        dr_cloth_publish(cloth);
        report->max_stretch = fmaxf(report->max_stretch, dr_cloth_max_stretch(cloth));
        report->kinetic_energy += dr_cloth_kinetic_energy(cloth);
    }
    if (world->def.method.obstacles == DRAPE_OBSTACLES_PREDICTIVE || dr_world_is_discrete(world)) {
        report->smallest_gap = dr_world_smallest_gap(world);
    }
    dr_world_finish_obstacles(world);
    dr_world_finish_controls(world, dt);
    dr_world_tire(world, dt);
    dr_world_report_sleepers(world);
    dr_world_finish_predict(world);
}

static bool guard(drape_world* world)
{
    dr_world_guard_contacts(world);
    return dr_world_holds_vertices(world) || dr_world_guard_solids(world);
}

// Detect and solve, in the order that the method has them.
static bool detect_and_solve(drape_world* world)
{
    drape_stage_ms* ms = &world->report.ms;
    double t0 = dr_now_ms();
    bool has_apart = dr_world_has_apart(world);
    bool has_found =
        dr_world_is_discrete(world) ? dr_world_begin_push_out(world) : dr_world_detect(world);
    if (!has_found || !dr_world_begin_predict(world) ||
        (has_apart && !dr_world_touch_apart(world))) {
        return false;
    }
    double t1 = dr_now_ms();
    dr_world_solve(world, NULL, NULL);
    double t2 = dr_now_ms();
    bool is_guarded = has_apart ? dr_world_guard_apart(world) : guard(world);
    ms->detect += t1 - t0;
    ms->solve += t2 - t1;
    ms->guard += dr_now_ms() - t2;
    return is_guarded;
}

static void predict(drape_world* world)
{
    if (world->def.method.model == DRAPE_MODEL_XPBD) {
        dr_world_predict(world);
    } else {
        dr_world_predict_models(world);
    }
}

// move the obstacles, predict, detect, constrain, solve (again while there is something new), guard
static bool attempt(drape_world* world)
{
    double t0 = dr_now_ms();
    if (!dr_world_move_obstacles(world)) {
        return false;
    }
    predict(world);
    world->report.ms.predict += dr_now_ms() - t0;
    return dr_world_has_trials(world) ? dr_world_run_trials(world) : detect_and_solve(world);
}

static void commit(drape_world* world)
{
    double t0 = dr_now_ms();
    dr_world_commit_models(world);
    dr_world_commit(world);
    dr_world_commit_apart(world);
    world->report.ms.solve += dr_now_ms() - t0;
    ++world->report.substeps;
}

// A substep has so many ticks; one whose system is not dominant, or in which cloth is pinched, is
// cut in halves, down to a tick.
enum { SUBSTEP_TICKS = 64 };

static void set_substep(drape_world* world, float dt, int substeps, int64_t end, int ticks)
{
    float whole = (float)substeps * SUBSTEP_TICKS;
    world->substep = (dr_substep){
        .time_end = world->time + (double)dt * (double)end / ((double)substeps * SUBSTEP_TICKS),
        .h = dt / whole * (float)ticks,
        .share_end = (float)end / whole,
        .h_share = (float)ticks / whole,
    };
}

// Chooses the substep that begins at tick `begin`, of no more than `ticks`, and gets it ready. False
// when memory is short.
static bool begin_substep(drape_world* world, float dt, int substeps, int64_t begin, int* ticks)
{
    double t0 = dr_now_ms();
    bool is_dominant = false, has_memory = true;
    for (;; *ticks /= 2) {
        set_substep(world, dt, substeps, begin + *ticks, *ticks);
        dr_arena_reset(&world->arena);
        has_memory = blow(world) && dr_world_assemble(world, &is_dominant);
        if (!has_memory || is_dominant || *ticks == 1) {
            break;
        }
        ++world->report.counts.halved;
    }
    world->report.ms.predict += dr_now_ms() - t0;
    return has_memory;
}

// Once, or once more.
static bool attempt_substep(drape_world* world, float dt, int substeps, int64_t begin, int* ticks)
{
    do {
        if (!begin_substep(world, dt, substeps, begin, ticks) || !attempt(world)) {
            return false;
        }
    } while (dr_world_redo_apart(world));
    return true;
}

// A substep from tick `begin` on; `ticks` becomes how long it was. False when memory is short.
static bool run_substep(drape_world* world, float dt, int substeps, int64_t begin, int* ticks)
{
    float h = dt / (float)substeps, h_tick = h / SUBSTEP_TICKS;
    *ticks = SUBSTEP_TICKS - (int)(begin % SUBSTEP_TICKS);
    for (;; *ticks /= 2) {
        if (!dr_world_save_apart(world)) {
            return false;
        }
        int longest = dr_world_longest_substep(world, h_tick, SUBSTEP_TICKS);
        bool is_whole = longest == SUBSTEP_TICKS;
        *ticks = *ticks < longest ? *ticks : longest;
        if (!prepare(world, is_whole ? h : h_tick * (float)longest) ||
            !attempt_substep(world, dt, substeps, begin, ticks)) {
            return false;
        }
        if (!dr_world_undo_apart(world, *ticks, substeps)) {
            break;
        }
    }
    commit(world);
    return true;
}

// A step that is given up leaves the cloths where they were, but not what is led.
static bool lead_to_end(drape_world* world, float dt, int substeps)
{
    set_substep(world, dt, substeps, (int64_t)substeps * SUBSTEP_TICKS, SUBSTEP_TICKS);
    dr_world_move_pins(world);
    return dr_world_move_obstacles(world);
}

// A step in which all cloths sleep: colliders go on, far from them. False when memory is short.
static bool doze(drape_world* world, float dt)
{
    set_substep(world, dt, 1, SUBSTEP_TICKS, SUBSTEP_TICKS);
    dr_world_begin_pins(world);
    if (!dr_world_begin_obstacles(world, dt) || !dr_world_move_obstacles(world)) {
        return false;
    }
    dr_world_finish_obstacles(world);
    dr_world_finish_controls(world, dt);
    dr_world_report_sleepers(world);
    return true;
}

// Goes on in time, with what happens at that time, and ends the report.
static void end_step(drape_world* world, float dt, int64_t calls, double begin)
{
    world->time += (double)dt;
    dr_world_release_pins(world);
    world->report.time = world->time;
    world->report.heap_calls = (int)(world->memory.call_count - calls);
    world->report.ms.total = dr_now_ms() - begin;
}

drape_step_report drape_world_step(drape_world* world, float dt)
{
    drape_step_report nothing = {.smallest_gap = INFINITY};
    if (!world) {
        return nothing;
    }
    nothing.time = world->time;
    if (!(dt >= 0.0f) || !isfinite(dt)) {
        dr_world_fail(world, "a step needs a finite dt of at least 0, found %g", (double)dt);
        return nothing;
    }
    // Below it nothing moves that floats could tell, and velocities would be made of rounding.
    const float shortest = 1e-6f;
    if (dt < shortest) {
        world->time += (double)dt;
        nothing.time = world->time;
        return nothing;
    }
    double begin = dr_now_ms();
    int64_t calls = world->memory.call_count;
    world->report = (drape_step_report){.smallest_gap = INFINITY, .runs = 1};
    dr_world_ride(world, dt);
    dr_world_follow_jumps(world);
    dr_world_watch(world, dt);
    if (dr_world_is_asleep(world) && doze(world, dt)) {
        end_step(world, dt, calls, begin);
        return world->report;
    }
    int substeps = count_substeps(world, dt);
    if (substeps == 0) {
        dr_world_fail(world, "a step of %g s is more than a million steps of the cloth",
                      (double)dt);
        return nothing;
    }
    bool going = begin_step(world, dt, dt / (float)substeps);
    int64_t tick = 0, last = (int64_t)substeps * SUBSTEP_TICKS;
    bool is_sound = true;
    for (int ticks = 0; tick < last && going && is_sound; tick += ticks) {
        going = run_substep(world, dt, substeps, tick, &ticks);
        is_sound = count_non_finite(world) == 0;
    }
    going = going && (is_sound ? dr_world_finish_apart(world) : lead_to_end(world, dt, substeps));
    if (!going) {
        dr_world_fail(world, "out of memory");
        for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
            dr_cloth* cloth = dr_slots_at(&world->cloths, i);
            if (cloth && !world->is_work_stale) {
                dr_cloth_restore(cloth);
            }
        }
        dr_world_forget_trials(world);
        dr_world_forget_predict(world);
        return nothing;
    }
    finish_step(world, dt);
    end_step(world, dt, calls, begin);
    return world->report;
}
