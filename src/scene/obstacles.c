// Which parts of which cloth are near which obstacle, and the contacts they make.
#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/world.h"

// Friction between a fabric and a collider: the world's word, else the collider's and the fabric's in
// their geometric mean, else the fabric's.
static float combine_friction(float world, float collider, float fabric)
{
    if (world >= 0.0f) {
        return world;
    }
    return collider >= 0.0f ? sqrtf(collider * fabric) : fabric;
}

static dr_friction friction_of(const drape_world* world, const dr_cloth* cloth,
                               const dr_obstacle* obstacle)
{
    return (dr_friction){combine_friction(world->def.friction_static, obstacle->friction_static,
                                          cloth->fabric.friction_static),
                         combine_friction(world->def.friction_dynamic, obstacle->friction_dynamic,
                                          cloth->fabric.friction_dynamic)};
}

// How far a round collider stands out between the ends of the longest edge that lies on it.
static float sagitta_of(const dr_cloth* cloth, const dr_obstacle* obstacle)
{
    float radius = dr_shape_roundness(&obstacle->shape);
    return cloth->edge_max * cloth->edge_max / (8.0f * radius);
}

// Vertices alone cannot tell where a collider bends away sharply. Where it is round, holding them
// higher by the sagitta keeps the edges clear, as long as edges are short against its radius,
static bool is_sharp(const dr_cloth* cloth, const dr_obstacle* obstacle)
{
    return sagitta_of(cloth, obstacle) > 0.2f * dr_shape_roundness(&obstacle->shape);
}

// and as long as nothing pulls them longer: a blow does, and then points of edges and triangles are
// held as well.
static bool needs_features(const dr_cloth* cloth, const dr_obstacle* obstacle)
{
    bool is_pulled = cloth->reach > 1.1f * cloth->edge_max;
    return is_sharp(cloth, obstacle) ||
           (is_pulled && obstacle->shape.kind != DRAPE_SHAPE_PLANE);
}

static dr_contact_range range_of(const drape_world* world, const dr_cloth* cloth,
                                 const dr_obstacle* obstacle)
{
    float given = world->def.static_radius, radius = 0.5f * cloth->thickness;
    return (dr_contact_range){
        .radius = is_sharp(cloth, obstacle) ? radius : radius + sagitta_of(cloth, obstacle),
        .static_radius = (given > 0.0f ? given : cloth->thickness) + cloth->travel +
                         dr_length(obstacle->shift),
        .recovery = 0.25f * cloth->thickness};
}

// How far from the obstacle a vertex may be and still matter in this substep.
static float chunk_reach(const drape_world* world, const dr_cloth* cloth, int chunk,
                         const dr_obstacle* obstacle)
{
    dr_contact_range range = range_of(world, cloth, obstacle);
    float h = world->substep.h;
    float travel = sqrtf(cloth->chunks[chunk].speed_squared) * h +
                   dr_length(world->def.gravity) * h * h;
    return range.radius + range.static_radius + 1.5f * travel;
}

static bool is_near(const dr_chunk_bounds* chunk, const dr_obstacle* obstacle, float reach)
{
    if (obstacle->shape.kind == DRAPE_SHAPE_PLANE) {
        // The corner of the box deepest along the normal, at either end of the substep.
        const float* m = obstacle->rotation_end;
        const float n[3] = {m[1], m[4], m[7]};
        const float at[3] = {obstacle->place.x + obstacle->shift.x,
                             obstacle->place.y + obstacle->shift.y,
                             obstacle->place.z + obstacle->shift.z};
        float depth = 0.0f;
        for (int c = 0; c < 3; ++c) {
            depth += n[c] * ((n[c] > 0.0f ? chunk->lo[c] : chunk->hi[c]) - at[c]);
        }
        return depth <= reach + dr_length(obstacle->shift);
    }
    for (int c = 0; c < 3; ++c) {
        if (chunk->lo[c] - reach > obstacle->hi[c] || chunk->hi[c] + reach < obstacle->lo[c]) {
            return false;
        }
    }
    return true;
}

// --- Broad phase ---

static bool add_run(drape_world* world, dr_cloth* cloth, int chunk, int obstacle, uint8_t* regions)
{
    dr_contact_run* run = &world->runs[world->run_count++];
    *run = (dr_contact_run){.cloth = cloth, .chunk = chunk, .obstacle = obstacle,
                            .regions = regions};
    const dr_obstacle* obstacles = world->obstacles.data;
    run->friction = friction_of(world, cloth, &obstacles[obstacle]);
    run->contacts =
        dr_arena_allocate(&world->arena, sizeof(dr_contact8) * (size_t)DR_CHUNK_VECTORS);
    if (regions) {
        int features = cloth->edge_start[chunk + 1] - cloth->edge_start[chunk] +
                       cloth->face_start[chunk + 1] - cloth->face_start[chunk];
        run->features =
            dr_arena_allocate(&world->arena, sizeof(int32_t) * (size_t)(features + 1));
    }
    return run->contacts && (!regions || run->features);
}

// All runs of one cloth, chunk by chunk so that those of a chunk lie together.
static bool collect_cloth(drape_world* world, dr_cloth* cloth, uint8_t** regions)
{
    dr_obstacle* obstacles = world->obstacles.data;
    int obstacle_count = world->obstacles.count;
    memset(regions, 0, sizeof *regions * (size_t)obstacle_count);
    for (int chunk = 0; chunk < cloth->chunk_count; ++chunk) {
        int before = world->run_count;
        for (int o = 0; o < obstacle_count; ++o) {
            ++world->report.box_tests;
            bool features = needs_features(cloth, &obstacles[o]);
            float reach = chunk_reach(world, cloth, chunk, &obstacles[o]);
            if (!is_near(&cloth->chunks[chunk], &obstacles[o],
                         reach + (features ? cloth->reach : 0.0f))) {
                continue;
            }
            if (features && !regions[o]) {
                size_t slots = (size_t)cloth->xpbd.sheet.vector_count * 8;
                regions[o] = dr_arena_allocate(&world->arena, slots);
                if (!regions[o]) {
                    return false;
                }
                memset(regions[o], DR_REGION_FAR, slots);
            }
            if (!add_run(world, cloth, chunk, o, regions[o])) {
                return false;
            }
        }
        if (world->run_count > before) {
            world->group_start[world->group_count++] = before;
        }
    }
    return true;
}

static bool collect_runs(drape_world* world)
{
    world->run_count = world->group_count = 0;
    size_t most = (size_t)world->chunk_items.count * (size_t)world->obstacles.count;
    if (most == 0) {
        return true;
    }
    world->runs = dr_arena_allocate(&world->arena, most * sizeof(dr_contact_run));
    world->group_start =
        dr_arena_allocate(&world->arena, ((size_t)world->chunk_items.count + 1) * sizeof(int32_t));
    uint8_t** regions =
        dr_arena_allocate(&world->arena, sizeof(uint8_t*) * (size_t)world->obstacles.count);
    if (!world->runs || !world->group_start || !regions) {
        return false;
    }
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth && !collect_cloth(world, cloth, regions)) {
            return false;
        }
    }
    world->group_start[world->group_count] = world->run_count;
    return true;
}

// --- Vertices ---

static dr_detect_args detect_args(const drape_world* world, const dr_contact_run* run)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    const dr_obstacle* obstacle = &obstacles[run->obstacle];
    float reach = chunk_reach(world, run->cloth, run->chunk, obstacle);
    return (dr_detect_args){.sheet = &run->cloth->xpbd.sheet,
                            .obstacle = obstacle,
                            .range = range_of(world, run->cloth, obstacle),
                            .friction = run->friction,
                            .away = reach + 0.5f * run->cloth->reach,
                            .far = reach + run->cloth->reach,
                            .regions = run->regions};
}

static void vertex_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    drape_world* world = context;
    const dr_contact_kernels* kernels = dr_contact_kernels_for(world->isa);
    for (int i = begin; i < end; ++i) {
        dr_contact_run* run = &world->runs[i];
        dr_detect_args args = detect_args(world, run);
        int first = run->chunk * DR_CHUNK_VECTORS, last = first + DR_CHUNK_VECTORS;
        last = last < args.sheet->vector_count ? last : args.sheet->vector_count;
        run->count = kernels->detect(&args, first, last, run->contacts);
    }
}

// --- Edges and faces ---

// Between vertices in different regions of a box lies one of its edges; for a corner they must differ
// along two axes. A round obstacle has no regions: there every near feature is looked at. FAR sorts
// out what cannot touch; it is every bit, so no near region equals it.
static bool edge_may_touch(uint8_t a, uint8_t b, bool round)
{
    return (a != b || round) && a != DR_REGION_FAR && b != DR_REGION_FAR &&
           !(a & b & DR_REGION_AWAY);
}

static bool face_may_touch(uint8_t a, uint8_t b, uint8_t c, bool round)
{
    int differ = (a ^ b) | (a ^ c);
    int axes = !!(differ & 3) + !!(differ & 12) + !!(differ & 48);
    return (axes >= 2 || round) && a != DR_REGION_FAR && b != DR_REGION_FAR &&
           c != DR_REGION_FAR && !(a & b & c & DR_REGION_AWAY);
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
        const dr_cloth* cloth = run->cloth;
        dr_detect_args args = detect_args(world, run);
        args.range.radius = 0.5f * cloth->thickness; // no sagitta between vertices
        run->single_count =
            kernels->detect_edges(&args, (const int32_t(*)[2])cloth->edge_slots, run->features,
                                  run->edge_count, run->singles);
        for (int k = 0; k < run->face_count; ++k) {
            const int32_t* slot = cloth->face_slots[run->features[run->edge_count + k]];
            run->single_count += dr_contact_face(&args, slot, &run->singles[run->single_count]);
        }
    }
}

// Room for the contacts that the features of each run may make.
static bool allocate_singles(drape_world* world)
{
    for (int i = 0; i < world->run_count; ++i) {
        dr_contact_run* run = &world->runs[i];
        size_t count = (size_t)(run->edge_count + run->face_count);
        run->singles = count ? dr_arena_allocate(&world->arena, count * sizeof(dr_contact1)) : NULL;
        if (count && !run->singles) {
            return false;
        }
    }
    return true;
}

static void count_contacts(drape_world* world)
{
    drape_step_report* report = &world->report;
    report->contact_count = 0;
    for (int i = 0; i < world->run_count; ++i) {
        const dr_contact_run* run = &world->runs[i];
        report->exact_tests += DR_CHUNK_VECTORS * 8 + run->edge_count + run->face_count;
        report->contact_count += run->single_count;
        for (int k = 0; k < run->count; ++k) {
            report->contact_count += run->contacts[k].count;
        }
    }
}

static float longest_edge(const dr_cloth* cloth)
{
    const dr_sheet* sheet = &cloth->xpbd.sheet;
    float longest = 0.0f;
    for (int i = 0; i < cloth->mesh.edge_count; ++i) {
        drape_vec3 a = dr_sheet_get(sheet->layout, sheet->start, cloth->edge_slots[i][0]);
        drape_vec3 b = dr_sheet_get(sheet->layout, sheet->start, cloth->edge_slots[i][1]);
        drape_vec3 d = dr_sub(b, a);
        longest = fmaxf(longest, dr_dot(d, d));
    }
    return sqrtf(longest);
}

// What is fast drags its neighbours along: in a substep a vertex may go as far as the fastest one. And
// it pulls: when it goes a tenth of an edge in a substep, edges are measured anew.
static void measure_travel(drape_world* world)
{
    float shift = 0.0f;
    for (int i = 0; i < world->obstacles.count; ++i) {
        shift = fmaxf(shift, dr_length(((const dr_obstacle*)world->obstacles.data)[i].shift));
    }
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        float fastest = 0.0f;
        for (int c = 0; cloth && c < cloth->chunk_count; ++c) {
            fastest = fmaxf(fastest, cloth->chunks[c].speed_squared);
        }
        if (cloth) {
            cloth->travel = sqrtf(fastest) * world->substep.h;
            cloth->is_fast = cloth->travel + shift > 0.1f * cloth->edge_max;
            bool was_pulled = cloth->reach > 1.05f * cloth->edge_max;
            cloth->reach = cloth->is_fast || was_pulled ? longest_edge(cloth) : cloth->edge_max;
            cloth->reach = fmaxf(cloth->reach, cloth->edge_max);
        }
    }
}

// What broke over an edge of a solid in the first sweep after a blow: its ends were seen where they
// would have gone, not where contacts held them. Returns whether there was anything to look at.
bool dr_world_detect_again(drape_world* world)
{
    bool is_fast = false;
    for (int i = 0; i < world->run_count && !is_fast; ++i) {
        is_fast = world->runs[i].cloth->is_fast && world->runs[i].features != NULL;
    }
    if (is_fast) {
        dr_parallel_for(world->pool, world->run_count, 1, single_task, world);
        count_contacts(world);
        world->report.runs = 2;
    }
    return is_fast;
}

bool dr_world_detect(drape_world* world)
{
    measure_travel(world);
    if (!collect_runs(world)) {
        return false;
    }
    dr_parallel_for(world->pool, world->run_count, 1, vertex_task, world);
    dr_parallel_for(world->pool, world->run_count, 1, feature_task, world);
    if (!allocate_singles(world)) {
        return false;
    }
    dr_parallel_for(world->pool, world->run_count, 1, single_task, world);
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
            kernels->resolve(&run->cloth->xpbd.sheet, run->friction, run->contacts, run->count);
        }
    }
}

// Points between vertices first; vertices have the last word.
void dr_world_resolve_contacts(drape_world* world)
{
    for (int i = 0; i < world->run_count; ++i) {
        dr_contact_run* run = &world->runs[i];
        dr_contact_resolve(&run->cloth->xpbd.sheet, run->singles, run->single_count);
    }
    dr_parallel_for(world->pool, world->group_count, 1, resolve_task, world);
}

// --- Report ---

float dr_world_smallest_gap(const drape_world* world)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    const dr_contact_kernels* kernels = dr_contact_kernels_for(world->isa);
    float smallest = INFINITY;
    for (int i = 0; i < world->chunk_items.count; ++i) {
        const dr_work_item* item = (const dr_work_item*)world->chunk_items.data + i;
        const dr_sheet* sheet = &item->cloth->xpbd.sheet;
        int first = item->index * DR_CHUNK_VECTORS, last = first + DR_CHUNK_VECTORS;
        last = last < sheet->vector_count ? last : sheet->vector_count;
        for (int o = 0; o < world->obstacles.count; ++o) {
            if (smallest == INFINITY ||
                is_near(&item->cloth->chunks[item->index], &obstacles[o], fmaxf(smallest, 0.0f))) {
                smallest = fminf(smallest, kernels->gap(sheet, &obstacles[o], first, last));
            }
        }
    }
    return smallest;
}
