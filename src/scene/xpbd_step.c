// The stages of a substep for position based sheets, and the lists of work they are cut into.
#include "core/vec_math.h"
#include "scene/apart_step.h"
#include "scene/predict_step.h"
#include "scene/sleep.h"
#include "scene/world.h"
#include "solver/xpbd.h"

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
    world->scratch = dr_new(&world->memory, float, wanted* workers);
    world->scratch_floats = world->scratch ? wanted : 0;
    return world->scratch != NULL;
}

bool dr_world_refresh_work(drape_world* world)
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
        dr_cloth* cloth = dr_world_awake(world, i);
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
    return end < cloth->sheet->vector_count ? end : cloth->sheet->vector_count;
}

// --- Stages ---

dr_predict_args dr_world_predict_args(const drape_world* world)
{
    float h = world->substep.h;
    // Implicit damping: stable for any value.
    return (dr_predict_args){world->def.gravity, h, 1.0f / (1.0f + world->def.damping * h)};
}

static void predict_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_work_item* items = world->chunk_items.data;
    dr_predict_args args = dr_world_predict_args(world);
    const dr_sheet_kernels* kernels = dr_sheet_kernels_for(world->isa);
    for (int i = begin; i < end; ++i) {
        kernels->predict(items[i].cloth->sheet, items[i].index * DR_CHUNK_VECTORS,
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
        kernels->commit(items[i].cloth->sheet, items[i].index * DR_CHUNK_VECTORS,
                        chunk_end(items[i].cloth, items[i].index), world->substep.h,
                        &items[i].cloth->chunks[items[i].index]);
    }
}

typedef struct phase_run {
    drape_world* world;
    dr_xpbd_stage stage;
    int phase;
    dr_xpbd_sweep sweep;
    bool is_extra; // for meshes alone
} phase_run;

// In games meshes bend once a step, in its first substep and for all of them.
static bool bends_now(const drape_world* world)
{
    return !dr_world_holds_vertices(world) ||
           world->substep.share_end < 1.5f * world->substep.h_share;
}

static void phase_task(void* context, int begin, int end, int worker)
{
    const phase_run* run = context;
    drape_world* world = run->world;
    const dr_work_item* items = world->phase_items[run->stage][run->phase].data;
    // Meshes alone need none.
    float* scratch =
        world->scratch ? world->scratch + world->scratch_floats * (size_t)worker : NULL;
    for (int i = begin; i < end; ++i) {
        const dr_cloth* cloth = items[i].cloth;
        bool is_done = cloth->xpbd.mesh &&
                       (run->stage == DR_XPBD_BEND ? !bends_now(world) : dr_cloth_has_yarns(cloth));
        if (is_done || (run->is_extra && cloth->xpbd.grid)) {
            continue;
        }
        dr_xpbd_run(&items[i].cloth->xpbd, world->isa, run->stage, run->phase, items[i].index,
                    run->sweep, scratch);
    }
}

// The phases of a stage one after the other, the items of each beside each other.
static void run_stage(drape_world* world, dr_xpbd_stage stage, dr_xpbd_sweep sweep, bool is_extra)
{
    dr_pool* pool = world->threads_pay ? world->pool : NULL;
    for (int phase = 0; phase < DR_XPBD_MAX_PHASES; ++phase) {
        phase_run run = {world, stage, phase, sweep, is_extra};
        int count = world->phase_items[stage][phase].count;
        if (count > 0) {
            dr_parallel_for(pool, count, 1, phase_task, &run);
        }
    }
}

void dr_world_predict(drape_world* world)
{
    dr_parallel_for(world->pool, world->chunk_items.count, 1, predict_task, world);
    dr_world_move_pins(world);
    dr_world_aim_controls(world);
    run_stage(world, DR_XPBD_BEND, (dr_xpbd_sweep){0, 1}, false);
}

// Whether a solid goes so far in the substep that what it pushes first is torn from its neighbours.
static bool is_rushed(const drape_world* world)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    const float far = 0.2f;
    bool is_far = false;
    for (int o = 0; o < world->obstacles.count; ++o) {
        is_far |= dr_dot(obstacles[o].shift, obstacles[o].shift) > far * far;
    }
    return is_far;
}

void dr_world_solve(drape_world* world, dr_after_sweep* after, void* context)
{
    dr_world_pull_pins(world);
    if (dr_world_holds_vertices(world) && !is_rushed(world)) {
        dr_world_resolve_contacts(world); // few sweeps: what solids push is seen by the first one
    }
    for (int i = 0; i < world->def.iterations; ++i) {
        dr_world_press_yarns(world);
        for (int k = 0; k < world->def.stretch_sweeps; ++k) {
            dr_world_pull_yarns(world);
            run_stage(world, DR_XPBD_STRETCH,
                      k == 0 ? (dr_xpbd_sweep){i, world->def.iterations} : (dr_xpbd_sweep){1, 2},
                      k > 0);
        }
        dr_world_pull_controls(world);
        dr_world_pull_seams(world);
        dr_world_resolve_apart(world);
        dr_world_resolve_predict(world); // solids have the last word
        dr_world_resolve_contacts(world);
        dr_world_push_out(world);
        if (i == 0 && dr_world_detect_again(world)) {
            dr_world_drop_leaving(world);
            dr_world_resolve_contacts(world);
        }
        dr_world_resolve_exits(world);
        if (after) {
            after(world, context);
        }
    }
}

void dr_world_commit(drape_world* world)
{
    dr_parallel_for(world->pool, world->chunk_items.count, 1, commit_task, world);
    dr_world_drop_carries(world);
}
