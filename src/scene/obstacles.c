// Contacts between cloth and obstacles.
#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "contact/vector_boxes.h"
#include "scene/contact_runs.h"
#include "scene/mesh_link.h"

// --- Vertices ---

static dr_detect_args detect_args(const drape_world* world, const dr_contact_run* run)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    return (dr_detect_args){.sheet = run->cloth->sheet,
                            .obstacle = &obstacles[run->obstacle],
                            .range = run->range,
                            .friction = run->friction,
                            .away = run->reach + 0.5f * run->cloth->reach,
                            .far = run->reach + run->cloth->reach,
                            .beyond = run->reach + run->slip,
                            .regions = run->regions};
}

static int last_vector(const dr_contact_run* run)
{
    int last = (run->chunk + 1) * DR_CHUNK_VECTORS;
    return last < run->cloth->sheet->vector_count ? last : run->cloth->sheet->vector_count;
}

// Where features are looked for, every vertex has its region.
static bool can_skip(const dr_contact_run* run)
{
    return !run->link && !run->regions;
}

// Boxes of the vectors of a chunk pay when several obstacles are near it.
static bool are_boxes_worth(const drape_world* world, int begin, int end)
{
    int count = 0;
    for (int r = begin; r < end; ++r) {
        count += can_skip(&world->runs[r]);
    }
    return count > 3;
}

static void detect_run(drape_world* world, dr_contact_run* run, const dr_vector_boxes* boxes)
{
    if (run->link) {
        dr_mesh_run_detect(world, run, false);
        return;
    }
    dr_detect_args args = detect_args(world, run);
    if (boxes && can_skip(run)) {
        args.skip = ~dr_vector_box_kernels_for(world->isa)
                         ->near(boxes, args.obstacle->lo, args.obstacle->hi, run->reach);
    }
    run->count =
        dr_contact_kernels_for(world->isa)
            ->detect(&args, run->chunk * DR_CHUNK_VECTORS, last_vector(run), run->contacts);
    int vectors = last_vector(run) - run->chunk * DR_CHUNK_VECTORS;
    uint32_t there = vectors < 32 ? (1u << vectors) - 1u : UINT32_MAX;
    run->test_count = 8 * __builtin_popcount(~args.skip & there);
}

// The runs of a chunk.
static void vertex_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    for (int i = begin; i < end; ++i) {
        int first = world->group_start[i], last = world->group_start[i + 1];
        const dr_contact_run* run = &world->runs[first];
        bool has_boxes = are_boxes_worth(world, first, last);
        dr_vector_boxes boxes;
        if (has_boxes) {
            dr_vector_box_kernels_for(world->isa)
                ->bound(run->cloth->sheet, run->chunk * DR_CHUNK_VECTORS, last_vector(run), &boxes);
        }
        for (int r = first; r < last; ++r) {
            detect_run(world, &world->runs[r], has_boxes ? &boxes : NULL);
        }
    }
}

// --- Edges and faces ---

// Between vertices in different regions of a box lies one of its edges; for a corner they must
// differ along two axes. A round obstacle has no regions: there every near feature is looked at.
// FAR sorts out what cannot touch; it is every bit, so no near region equals it.
static bool edge_may_touch(uint8_t a, uint8_t b, bool round)
{
    return (a != b || round) && a != DR_REGION_FAR && b != DR_REGION_FAR &&
           !(a & b & DR_REGION_AWAY);
}

static bool face_may_touch(uint8_t a, uint8_t b, uint8_t c, bool round)
{
    int differ = (a ^ b) | (a ^ c);
    int axes = !!(differ & 3) + !!(differ & 12) + !!(differ & 48);
    return (axes >= 2 || round) && a != DR_REGION_FAR && b != DR_REGION_FAR && c != DR_REGION_FAR &&
           !(a & b & c & DR_REGION_AWAY);
}

static void feature_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_obstacle* obstacles = world->obstacles.data;
    for (int i = begin; i < end; ++i) {
        dr_contact_run* run = &world->runs[i];
        if (!run->regions) {
            continue;
        }
        const dr_cloth* cloth = run->cloth;
        const uint8_t* region = run->regions;
        bool round = obstacles[run->obstacle].shape.kind != DRAPE_SHAPE_BOX;
        int count = 0;
        for (int e = cloth->edge_start[run->chunk]; e < cloth->edge_start[run->chunk + 1]; ++e) {
            const int32_t* slot = cloth->edge_slots[e];
            if (edge_may_touch(region[slot[0]], region[slot[1]], round)) {
                run->features[count++] = e;
            }
        }
        run->edge_count = count;
        for (int f = cloth->face_start[run->chunk]; f < cloth->face_start[run->chunk + 1]; ++f) {
            const int32_t* slot = cloth->face_slots[f];
            if (face_may_touch(region[slot[0]], region[slot[1]], region[slot[2]], round)) {
                run->features[count++] = f;
            }
        }
        run->face_count = count - run->edge_count;
    }
}

static void single_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_contact_kernels* kernels = dr_contact_kernels_for(world->isa);
    for (int i = begin; i < end; ++i) {
        dr_contact_run* run = &world->runs[i];
        if (run->link || !run->features) {
            continue;
        }
        const dr_cloth* cloth = run->cloth;
        int before_count = run->before ? run->single_count : 0;
        dr_detect_args args = detect_args(world, run);
        args.range.radius = 0.5f * cloth->thickness; // no sagitta between vertices
        run->single_count = kernels->detect_edges(&args, (const int32_t(*)[2])cloth->edge_slots,
                                                  run->features, run->edge_count, run->singles);
        for (int k = 0; k < run->face_count; ++k) {
            const int32_t* slot = cloth->face_slots[run->features[run->edge_count + k]];
            run->single_count += dr_contact_face(&args, slot, &run->singles[run->single_count]);
        }
        dr_contact_inherit(run->singles, run->single_count, run->before, before_count);
    }
}

// Room for the contacts that the features of each run may make.
static bool allocate_singles(drape_world* world)
{
    for (int i = 0; i < world->run_count; ++i) {
        dr_contact_run* run = &world->runs[i];
        if (run->link) {
            continue;
        }
        size_t count = (size_t)(run->edge_count + DR_FACE_CONTACTS * run->face_count);
        run->singles = count ? dr_arena_allocate(&world->arena, count * sizeof(dr_contact1)) : NULL;
        if (count && !run->singles) {
            return false;
        }
    }
    return true;
}

// --- Bodies of triangles ---

static bool allocate_room(drape_world* world, dr_contact_run* run, int room)
{
    run->singles = room > 0 ? dr_arena_new(&world->arena, dr_contact1, room) : NULL;
    run->single_room = run->singles ? room : 0;
    return room == 0 || run->singles;
}

// How many contacts a run has is known when it has been looked at: there is as much room as it
// needed before, and what does not fit is looked at again with more.
static bool make_room(drape_world* world)
{
    for (int i = 0; i < world->run_count; ++i) {
        dr_contact_run* run = &world->runs[i];
        if (run->link && !allocate_room(world, run, run->link->room[run->chunk])) {
            return false;
        }
    }
    return true;
}

static bool finish_crowded(drape_world* world, bool again)
{
    for (int i = 0; i < world->run_count; ++i) {
        dr_contact_run* run = &world->runs[i];
        if (!run->link || run->single_count <= run->single_room) {
            continue;
        }
        int room = run->single_count + run->single_count / 4;
        if (!allocate_room(world, run, room)) {
            run->single_count = 0;
            return false;
        }
        run->link->room[run->chunk] = room;
        dr_mesh_run_detect(world, run, again);
    }
    return true;
}

static void again_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    for (int i = begin; i < end; ++i) {
        if (world->runs[i].link) {
            dr_mesh_run_detect(world, &world->runs[i], true);
        }
    }
}

static void guard_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    for (int i = begin; i < end; ++i) {
        for (int r = world->group_start[i]; r < world->group_start[i + 1]; ++r) {
            if (world->runs[r].link) {
                dr_mesh_run_guard(world, &world->runs[r]);
            }
        }
    }
}

void dr_world_guard_contacts(drape_world* world)
{
    if (world->links.count == 0) {
        return;
    }
    bool is_free = dr_world_guard_features(world);
    dr_parallel_for(world->pool, world->group_count, 1, guard_task, world);
    for (int i = 0; i < world->run_count; ++i) {
        is_free = is_free && !(world->runs[i].link && world->runs[i].has_put_back);
    }
    if (!is_free) {
        dr_world_hold_back(world);
    }
}

static void grip_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_contact_kernels* kernels = dr_contact_kernels_for(world->isa);
    dr_predict_args predicted = dr_world_predict_args(world);
    for (int i = begin; i < end; ++i) {
        const dr_contact_run* run = &world->runs[i];
        kernels->grip(run->cloth->sheet, &predicted, run->contacts, run->count);
        dr_contact_set_grips(run->cloth->sheet, &predicted, run->singles, run->single_count);
    }
}

// Cloth in piles is to come to rest. Other models predict in other ways.
static void grip_contacts(drape_world* world)
{
    if (world->def.method.self == DRAPE_SELF_GUARDED &&
        world->def.method.model == DRAPE_MODEL_XPBD) {
        dr_parallel_for(world->pool, world->run_count, 1, grip_task, world);
    }
}

static void count_contacts(drape_world* world)
{
    drape_step_report* report = &world->report;
    report->contact_count = 0;
    for (int i = 0; i < world->run_count; ++i) {
        const dr_contact_run* run = &world->runs[i];
        report->exact_tests += run->test_count + run->edge_count + run->face_count;
        report->contact_count += run->single_count;
        for (int k = 0; k < run->count; ++k) {
            report->contact_count += run->contacts[k].count;
        }
    }
}

// Contacts between vertices as they are before they are looked for again. Short of memory they
// start anew.
static void keep_singles(drape_world* world)
{
    for (int i = 0; i < world->run_count; ++i) {
        dr_contact_run* run = &world->runs[i];
        if (!run->link && run->single_count > 0) {
            run->before = dr_arena_new(&world->arena, dr_contact1, run->single_count);
        }
        if (run->before) {
            memcpy(run->before, run->singles, sizeof *run->singles * (size_t)run->single_count);
        }
    }
}

// What broke over an edge of a solid in the first sweep after a blow: its ends were seen where they
// would have gone, not where contacts held them. Returns whether there was anything to look at.
bool dr_world_detect_again(drape_world* world)
{
    bool is_fast = false;
    for (int i = 0; i < world->run_count && !is_fast; ++i) {
        const dr_contact_run* run = &world->runs[i];
        is_fast = run->cloth->is_fast && (run->features != NULL || run->link != NULL);
    }
    if (is_fast) {
        keep_singles(world);
        dr_parallel_for(world->pool, world->run_count, 1, single_task, world);
        if (world->links.count > 0) {
            dr_world_frame_links(world);
            dr_parallel_for(world->pool, world->run_count, 1, again_task, world);
            finish_crowded(world, true); // short of memory: without some contacts between vertices
        }
        grip_contacts(world);
        count_contacts(world);
        world->report.runs = 2;
    }
    return is_fast;
}

bool dr_world_detect(drape_world* world)
{
    dr_world_measure_travel(world);
    if (!dr_world_collect_runs(world) || !dr_world_refresh_links(world) || !make_room(world)) {
        return false;
    }
    dr_parallel_for(world->pool, world->group_count, 1, vertex_task, world);
    if (!finish_crowded(world, false)) {
        return false;
    }
    dr_parallel_for(world->pool, world->run_count, 1, feature_task, world);
    if (!allocate_singles(world)) {
        return false;
    }
    dr_parallel_for(world->pool, world->run_count, 1, single_task, world);
    grip_contacts(world);
    count_contacts(world);
    return true;
}

// --- Resolution ---

static void resolve_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_contact_kernels* kernels = dr_contact_kernels_for(world->isa);
    for (int i = begin; i < end; ++i) {
        for (int r = world->group_start[i]; r < world->group_start[i + 1]; ++r) {
            dr_contact_run* run = &world->runs[r];
            kernels->resolve(run->cloth->sheet, run->friction, run->contacts, run->count);
        }
    }
}

// Points between vertices first; vertices have the last word.
void dr_world_resolve_contacts(drape_world* world)
{
    for (int i = 0; i < world->run_count; ++i) {
        dr_contact_run* run = &world->runs[i];
        dr_contact_resolve(run->cloth->sheet, run->singles, run->single_count);
    }
    dr_parallel_for(world->pool, world->group_count, 1, resolve_task, world);
}

// --- Report ---

// Distance of a chunk from the bounds of a body, for those that are too far to be looked at.
static float bounds_gap(const dr_chunk_bounds* chunk, const dr_obstacle* obstacle)
{
    float squared = 0.0f;
    for (int c = 0; c < 3; ++c) {
        float apart = fmaxf(chunk->lo[c] - obstacle->hi[c], obstacle->lo[c] - chunk->hi[c]);
        squared += apart > 0.0f ? apart * apart : 0.0f;
    }
    return sqrtf(squared);
}

static float smallest_body_gap(const drape_world* world, float smallest)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    for (int i = 0; i < world->run_count; ++i) {
        if (world->runs[i].link) {
            smallest = fminf(smallest, dr_mesh_run_gap(world, &world->runs[i]));
        }
    }
    for (int i = 0; i < world->chunk_items.count; ++i) {
        const dr_work_item* item = (const dr_work_item*)world->chunk_items.data + i;
        for (int o = 0; o < world->obstacles.count; ++o) {
            float gap = obstacles[o].body
                            ? bounds_gap(&item->cloth->chunks[item->index], &obstacles[o])
                            : 0.0f;
            // What is near has been looked at.
            if (gap > 0.0f) {
                smallest = fminf(smallest, gap);
            }
        }
    }
    return smallest;
}

float dr_world_smallest_gap(const drape_world* world)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    const dr_contact_kernels* kernels = dr_contact_kernels_for(world->isa);
    float smallest = INFINITY;
    for (int i = 0; i < world->chunk_items.count; ++i) {
        const dr_work_item* item = (const dr_work_item*)world->chunk_items.data + i;
        const dr_sheet* sheet = item->cloth->sheet;
        int first = item->index * DR_CHUNK_VECTORS, last = first + DR_CHUNK_VECTORS;
        last = last < sheet->vector_count ? last : sheet->vector_count;
        for (int o = 0; o < world->obstacles.count; ++o) {
            if (obstacles[o].body) {
                continue;
            }
            if (smallest == INFINITY || dr_chunk_is_near(&item->cloth->chunks[item->index],
                                                         &obstacles[o], fmaxf(smallest, 0.0f))) {
                smallest = fminf(smallest, kernels->gap(sheet, &obstacles[o], first, last));
            }
        }
    }
    return smallest_body_gap(world, smallest);
}
