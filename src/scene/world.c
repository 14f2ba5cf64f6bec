#include "scene/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/isa.h"
#include "core/vec_math.h"
#include "scene/mesh_link.h"
#include "scene/motion.h"
#include "solver/air.h"

// --- Definition ---

drape_world_def drape_world_defaults(void)
{
    return (drape_world_def){
        .gravity = {0.0f, -9.81f, 0.0f},
        .method = {.self = DRAPE_SELF_NONE},
        .substeps = 20,
        .iterations = 2,
        .damping = 0.1f,
        .friction_static = -1.0f,
        .friction_dynamic = -1.0f,
        .worker_count = 1,
    };
}

const char* drape_world_refusal(const drape_world_def* def)
{
    if (!def) {
        return "there is no definition";
    }
    if (!dr_is_finite(def->gravity) || !dr_is_finite(def->wind.velocity)) {
        return "gravity and wind must be finite";
    }
    if (!(def->wind.gust >= 0.0f && def->wind.gust <= 4.0f) || !(def->wind.drag >= 0.0f) ||
        !isfinite(def->wind.drag) || !isfinite(def->wind.lift)) {
        return "wind: gust must be 0 to 4, drag at least 0, lift finite";
    }
    if (def->substeps < 1 || def->substeps > 1000 || def->iterations < 1 ||
        def->iterations > 1000) {
        return "substeps and iterations must be 1 to 1000";
    }
    if (!(def->damping >= 0.0f) || !isfinite(def->damping)) {
        return "damping must be at least 0";
    }
    if (!(def->thickness >= 0.0f) || !isfinite(def->thickness) || !(def->static_radius >= 0.0f) ||
        !isfinite(def->static_radius)) {
        return "thickness and static_radius must be at least 0";
    }
    if (!isfinite(def->friction_static) || !isfinite(def->friction_dynamic)) {
        return "friction must be finite";
    }
    if (def->worker_count < 1 || def->worker_count > DRAPE_MAX_WORKERS) {
        return "worker_count must be 1 to 64";
    }
    if ((unsigned)def->isa > DRAPE_ISA_WASM) {
        return "unknown instruction set";
    }
    return drape_method_refusal(&def->method);
}

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

// --- Work lists ---

static bool push_item(drape_world* world, dr_array* list, dr_cloth* cloth, int index)
{
    dr_work_item* item = dr_array_push(&world->memory, list, sizeof *item);
    if (item) {
        *item = (dr_work_item){cloth, index};
    }
    return item != NULL;
}

static bool push_items(drape_world* world, dr_array* list, dr_cloth* cloth, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!push_item(world, list, cloth, i)) {
            return false;
        }
    }
    return true;
}

static bool list_work(drape_world* world, dr_cloth* cloth)
{
    bool done = push_items(world, &world->chunk_items, cloth, cloth->chunk_count);
    for (int stage = 0; stage < DR_XPBD_STAGES; ++stage) {
        for (int phase = 0; done && phase < dr_xpbd_phase_count(&cloth->xpbd, stage); ++phase) {
            int count = dr_xpbd_item_count(&cloth->xpbd, stage, phase);
            done = push_items(world, &world->phase_items[stage][phase], cloth, count);
        }
    }
    return done;
}

static bool refresh_scratch(drape_world* world)
{
    size_t wanted = 0, workers = (size_t)world->def.worker_count;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        const dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        size_t floats = cloth ? dr_xpbd_scratch(&cloth->xpbd) : 0;
        wanted = floats > wanted ? floats : wanted;
    }
    wanted = (wanted + 15) / 16 * 16; // whole cache lines, so that workers do not share one
    if (wanted <= world->scratch_floats) {
        return true;
    }
    dr_delete(&world->memory, world->scratch, world->scratch_floats * workers);
    world->scratch = dr_new(&world->memory, float, wanted * workers);
    world->scratch_floats = world->scratch ? wanted : 0;
    return world->scratch != NULL;
}

static bool refresh_work(drape_world* world)
{
    if (!world->is_work_stale) {
        return true;
    }
    world->chunk_items.count = 0;
    for (int stage = 0; stage < DR_XPBD_STAGES; ++stage) {
        for (int phase = 0; phase < DR_XPBD_MAX_PHASES; ++phase) {
            world->phase_items[stage][phase].count = 0;
        }
    }
    world->threads_pay = false;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth && !list_work(world, cloth)) {
            return false;
        }
        world->threads_pay |= cloth && dr_xpbd_threads_pay(&cloth->xpbd);
    }
    world->is_work_stale = !refresh_scratch(world);
    return !world->is_work_stale;
}

static int chunk_end(const dr_cloth* cloth, int chunk)
{
    int end = (chunk + 1) * DR_CHUNK_VECTORS;
    return end < cloth->xpbd.sheet.vector_count ? end : cloth->xpbd.sheet.vector_count;
}

// --- The stages of a substep ---

static void predict_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_work_item* items = world->chunk_items.data;
    float h = world->substep.h;
    // Implicit damping: stable for any value.
    dr_predict_args args = {world->def.gravity, h, 1.0f / (1.0f + world->def.damping * h)};
    const dr_sheet_kernels* kernels = dr_sheet_kernels_for(world->isa);
    for (int i = begin; i < end; ++i) {
        kernels->predict(&items[i].cloth->xpbd.sheet, items[i].index * DR_CHUNK_VECTORS,
                         chunk_end(items[i].cloth, items[i].index), &args);
    }
}

static void commit_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_work_item* items = world->chunk_items.data;
    const dr_sheet_kernels* kernels = dr_sheet_kernels_for(world->isa);
    for (int i = begin; i < end; ++i) {
        kernels->commit(&items[i].cloth->xpbd.sheet, items[i].index * DR_CHUNK_VECTORS,
                        chunk_end(items[i].cloth, items[i].index), world->substep.h,
                        &items[i].cloth->chunks[items[i].index]);
    }
}

typedef struct phase_run {
    drape_world* world;
    dr_xpbd_stage stage;
    int phase;
    dr_xpbd_sweep sweep;
} phase_run;

static void phase_task(void* context, int begin, int end, int worker)
{
    const phase_run* run = context;
    drape_world* world = run->world;
    const dr_work_item* items = world->phase_items[run->stage][run->phase].data;
    // Meshes alone need none.
    float* scratch =
        world->scratch ? world->scratch + world->scratch_floats * (size_t)worker : NULL;
    for (int i = begin; i < end; ++i) {
        dr_xpbd_run(&items[i].cloth->xpbd, world->isa, run->stage, run->phase, items[i].index,
                    run->sweep, scratch);
    }
}

// The phases of a stage one after the other, the items of each beside each other.
static void run_stage(drape_world* world, dr_xpbd_stage stage, dr_xpbd_sweep sweep)
{
    dr_pool* pool = world->threads_pay ? world->pool : NULL;
    for (int phase = 0; phase < DR_XPBD_MAX_PHASES; ++phase) {
        phase_run run = {world, stage, phase, sweep};
        int count = world->phase_items[stage][phase].count;
        if (count > 0) {
            dr_parallel_for(pool, count, 1, phase_task, &run);
        }
    }
}

// Air on every sheet, while there is air. The arrays for it are made with the first breath.
static bool blow(drape_world* world)
{
    const drape_wind* wind = &world->def.wind;
    bool is_still = wind->drag == 0.0f && wind->lift == 0.0f;
    drape_vec3 air = dr_wind_at(wind, world->substep.time_end);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth || (is_still && !cloth->xpbd.sheet.force)) {
            continue;
        }
        dr_sheet* sheet = &cloth->xpbd.sheet;
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

static void predict(drape_world* world)
{
    dr_parallel_for(world->pool, world->chunk_items.count, 1, predict_task, world);
    dr_world_move_pins(world);
    run_stage(world, DR_XPBD_BEND, (dr_xpbd_sweep){0, 1});
}

static void solve(drape_world* world)
{
    dr_world_pull_pins(world);
    for (int i = 0; i < world->def.iterations; ++i) {
        run_stage(world, DR_XPBD_STRETCH, (dr_xpbd_sweep){i, world->def.iterations});
        dr_world_pull_seams(world);
        dr_world_resolve_contacts(world);
        if (i == 0 && dr_world_detect_again(world)) {
            dr_world_resolve_contacts(world);
        }
    }
}

static void commit(drape_world* world)
{
    dr_parallel_for(world->pool, world->chunk_items.count, 1, commit_task, world);
}

// --- The step ---

// Long steps are cut finer, so that a hitch of the host does not become an explosion; and so are steps
// in which something goes far against the size of a collider, up to sixteen times.
static int substep_count(const drape_world* world, float dt)
{
    double longer = fmin(fmax(ceil((double)dt / 0.05 - 1e-6), 1.0), 64.0);
    double wanted = dr_world_substeps_wanted(world, dt) / ((double)world->def.substeps * longer);
    double finer = fmin(fmax(ceil(wanted - 1e-6), 1.0), 16.0);
    return world->def.substeps * (int)(longer * finer);
}

static bool begin_step(drape_world* world, float dt, float h)
{
    dr_world_refresh_pins(world);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth) {
            int phases = dr_xpbd_phase_count(&cloth->xpbd, DR_XPBD_BEND);
            dr_xpbd_prepare(&cloth->xpbd, h);
            // Another h or other masses may ask for more sweeps over the bends.
            world->is_work_stale |= phases != dr_xpbd_phase_count(&cloth->xpbd, DR_XPBD_BEND);
            dr_xpbd_tidy(&cloth->xpbd);
            dr_cloth_save(cloth);
        }
    }
    dr_world_begin_pins(world);
    return refresh_work(world) && dr_world_begin_obstacles(world, dt);
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
static void finish_step(drape_world* world)
{
    drape_step_report* report = &world->report;
    report->non_finite_count = count_non_finite(world);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth) {
            continue;
        }
        if (report->non_finite_count > 0) {
            dr_cloth_restore(cloth);
            dr_world_stale_links(world, NULL);
        }
        dr_xpbd_tidy(&cloth->xpbd);
        dr_cloth_publish(cloth);
        report->max_stretch = fmaxf(report->max_stretch, dr_cloth_max_stretch(cloth));
        report->kinetic_energy += dr_cloth_kinetic_energy(cloth);
    }
    report->smallest_gap = dr_world_smallest_gap(world);
    dr_world_finish_obstacles(world);
}

// move the obstacles, predict, detect, constrain, solve, guard, commit
static bool step_once(drape_world* world)
{
    drape_stage_ms* ms = &world->report.ms;
    double t0 = dr_now_ms();
    dr_arena_reset(&world->arena);
    if (!dr_world_move_obstacles(world) || !blow(world)) {
        return false;
    }
    predict(world);
    double t1 = dr_now_ms();
    if (!dr_world_detect(world)) {
        return false;
    }
    double t2 = dr_now_ms();
    solve(world);
    double t3 = dr_now_ms();
    dr_world_guard_contacts(world);
    double t4 = dr_now_ms();
    commit(world);
    ms->predict += t1 - t0;
    ms->detect += t2 - t1;
    ms->solve += t3 - t2 + (dr_now_ms() - t4);
    ms->guard += t4 - t3;
    return true;
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
    if (dt == 0.0f) {
        return nothing;
    }
    double begin = dr_now_ms();
    int64_t calls = world->memory.call_count;
    int substeps = substep_count(world, dt);
    float h = dt / (float)substeps;
    world->report = (drape_step_report){.smallest_gap = INFINITY, .substeps = substeps, .runs = 1};
    bool going = begin_step(world, dt, h);
    for (int i = 0; i < substeps && going; ++i) {
        world->substep = (dr_substep){
            .time_end = world->time + (double)dt * (i + 1) / substeps,
            .h = h,
            .share_end = (float)(i + 1) / (float)substeps,
            .h_share = 1.0f / (float)substeps,
        };
        going = step_once(world);
    }
    if (!going) {
        dr_world_fail(world, "out of memory");
        for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
            dr_cloth* cloth = dr_slots_at(&world->cloths, i);
            if (cloth && !world->is_work_stale) {
                dr_cloth_restore(cloth);
            }
        }
        return nothing;
    }
    finish_step(world);
    world->time += (double)dt;
    dr_world_release_pins(world);
    world->report.time = world->time;
    world->report.heap_calls = (int)(world->memory.call_count - calls);
    world->report.ms.total = dr_now_ms() - begin;
    return world->report;
}
