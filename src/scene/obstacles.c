// Which parts of which cloth are near which obstacle, and the contacts they make.
#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/mesh_link.h"
#include "scene/sleep.h"

// Friction between a fabric and a collider: the world's word, else the collider's and the fabric's
// in their geometric mean, else the fabric's.
static float combine_friction(float world, float collider, float fabric)
{
    if (world >= 0.0f) {
        return world;
    }
    return collider >= 0.0f ? sqrtf(collider * fabric) : fabric;
}

dr_friction dr_world_friction(const drape_world* world, const dr_cloth* cloth,
                              float collider_static, float collider_dynamic)
{
    const drape_fabric* fabric = &cloth->fabric;
    return (dr_friction){
        combine_friction(world->def.friction_static, collider_static, fabric->friction_static),
        combine_friction(world->def.friction_dynamic, collider_dynamic, fabric->friction_dynamic)};
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
    return obstacle->body || sagitta_of(cloth, obstacle) > 0.2f * dr_shape_roundness(&obstacle->shape);
}

// and as long as nothing pulls them longer: a blow does, and then points of edges and triangles are
// held as well, unless even the longest edge sinks by next to nothing.
static bool needs_features(const dr_cloth* cloth, const dr_obstacle* obstacle)
{
    const float pulled = 1.25f, next_to_nothing = 0.05f;
    if (is_sharp(cloth, obstacle)) {
        return true;
    }
    float rest = cloth->edge_max, now = cloth->reach;
    float sink = (now * now - rest * rest) / (8.0f * dr_shape_roundness(&obstacle->shape));
    return now > pulled * rest && sink > next_to_nothing * cloth->thickness &&
           obstacle->shape.kind != DRAPE_SHAPE_PLANE;
}

// Bodies of triangles meet the triangles of a cloth; loose vertices pass.
static bool can_meet(const dr_cloth* cloth, const dr_obstacle* obstacle)
{
    return !obstacle->body || cloth->mesh.triangle_count > 0;
}

// How much higher vertices are held. Where they are all that is held, on sharp solids too, as far
// as that goes.
static float lift_of(const drape_world* world, const dr_cloth* cloth, const dr_obstacle* obstacle)
{
    if (!is_sharp(cloth, obstacle)) {
        return sagitta_of(cloth, obstacle);
    }
    return dr_world_holds_vertices(world) ? 0.2f * dr_shape_roundness(&obstacle->shape) : 0.0f;
}

static dr_contact_range range_of(const drape_world* world, const dr_cloth* cloth,
                                 const dr_obstacle* obstacle)
{
    float given = world->def.static_radius, radius = 0.5f * cloth->thickness;
    if (obstacle->body) {
        // How far each vertex goes against the body is added there; here what drags it along. What
        // is dragged further is looked at again, and guarded.
        float dragged = fminf(cloth->travel + dr_length(obstacle->shift), cloth->thickness);
        return (dr_contact_range){.radius = radius,
                                  .static_radius = (given > 0.0f ? given : radius) + dragged,
                                  .recovery = 0.25f * cloth->thickness};
    }
    return (dr_contact_range){
        .radius = radius + lift_of(world, cloth, obstacle),
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
    travel += obstacle->body ? cloth->travel : 0.0f;
    return range.radius + range.static_radius + 1.5f * travel;
}

static bool is_near(const dr_chunk_bounds* chunk, const dr_obstacle* obstacle, float reach)
{
    if (!obstacle->body && obstacle->shape.kind == DRAPE_SHAPE_PLANE) {
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
    const dr_obstacle* at = (const dr_obstacle*)world->obstacles.data + obstacle;
    run->friction =
        dr_world_friction(world, cloth, at->friction_static, at->friction_dynamic);
    run->range = range_of(world, cloth, at);
    run->contacts =
        dr_arena_allocate(&world->arena, sizeof(dr_contact8) * (size_t)DR_CHUNK_VECTORS);
    if (at->body) {
        run->link = dr_world_link(world, cloth, at->body);
        return run->contacts && run->link;
    }
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
            bool features =
                !dr_world_holds_vertices(world) && needs_features(cloth, &obstacles[o]);
            float reach = chunk_reach(world, cloth, chunk, &obstacles[o]);
            if (!can_meet(cloth, &obstacles[o]) ||
                !is_near(&cloth->chunks[chunk], &obstacles[o],
                         reach + (features ? cloth->reach : 0.0f))) {
                continue;
            }
            if (features && !obstacles[o].body && !regions[o]) {
                size_t slots = (size_t)cloth->sheet->vector_count * 8;
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
        dr_cloth* cloth = dr_world_awake(world, i);
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
    return (dr_detect_args){.sheet = run->cloth->sheet,
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
        if (run->link) {
            dr_mesh_run_detect(world, run, false);
            continue;
        }
        dr_detect_args args = detect_args(world, run);
        int first = run->chunk * DR_CHUNK_VECTORS, last = first + DR_CHUNK_VECTORS;
        last = last < args.sheet->vector_count ? last : args.sheet->vector_count;
        run->count = kernels->detect(&args, first, last, run->contacts);
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
        if (run->link) {
            continue;
        }
        const dr_cloth* cloth = run->cloth;
        int before_count = run->before ? run->single_count : 0;
        dr_detect_args args = detect_args(world, run);
        args.range.radius = 0.5f * cloth->thickness; // no sagitta between vertices
        run->single_count =
            kernels->detect_edges(&args, (const int32_t(*)[2])cloth->edge_slots, run->features,
                                  run->edge_count, run->singles);
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

static void count_contacts(drape_world* world)
{
    drape_step_report* report = &world->report;
    report->contact_count = 0;
    for (int i = 0; i < world->run_count; ++i) {
        const dr_contact_run* run = &world->runs[i];
        report->exact_tests += run->link ? run->test_count
                                         : DR_CHUNK_VECTORS * 8 + run->edge_count + run->face_count;
        report->contact_count += run->single_count;
        for (int k = 0; k < run->count; ++k) {
            report->contact_count += run->contacts[k].count;
        }
    }
}

static float longest_edge(const dr_cloth* cloth)
{
    const dr_sheet* sheet = cloth->sheet;
    float longest = 0.0f;
    for (int i = 0; i < cloth->mesh.edge_count; ++i) {
        drape_vec3 a = dr_sheet_get(sheet->layout, sheet->start, cloth->edge_slots[i][0]);
        drape_vec3 b = dr_sheet_get(sheet->layout, sheet->start, cloth->edge_slots[i][1]);
        drape_vec3 d = dr_sub(b, a);
        longest = fmaxf(longest, dr_dot(d, d));
    }
    return sqrtf(longest);
}

// How far a point of the obstacle goes in the substep, at most.
static float obstacle_travel(const dr_obstacle* obstacle)
{
    float turn = 0.0f, size = 0.0f;
    for (int i = 0; i < 9; ++i) {
        turn += obstacle->turn[i] * obstacle->turn[i];
    }
    for (int c = 0; c < 3 && turn > 0.0f; ++c) {
        float width = obstacle->hi[c] - obstacle->lo[c];
        size += isfinite(width) ? width * width : 0.0f;
    }
    return dr_length(obstacle->shift) + 0.5f * sqrtf(turn * size);
}

// Whether a cloth comes near an obstacle that edges may sink into; and the fastest of these.
static bool nears_solid(const drape_world* world, const dr_cloth* cloth, float* travel)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    bool is_near_any = false;
    for (int o = 0; o < world->obstacles.count; ++o) {
        bool is_solid = obstacles[o].body || obstacles[o].shape.kind != DRAPE_SHAPE_PLANE;
        float reach = 2.0f * (cloth->edge_max + cloth->travel + obstacle_travel(&obstacles[o]));
        for (int c = 0; is_solid && c < cloth->chunk_count; ++c) {
            if (is_near(&cloth->chunks[c], &obstacles[o], reach)) {
                *travel = fmaxf(*travel, obstacle_travel(&obstacles[o]));
                is_near_any = true;
                break;
            }
        }
    }
    return is_near_any;
}

// What is fast drags its neighbours along: in a substep a vertex may go as far as the fastest one.
// And it pulls: when it goes a seventh of an edge in a substep, edges are measured anew.
static void measure_travel(drape_world* world)
{
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        float fastest = 0.0f;
        for (int c = 0; cloth && c < cloth->chunk_count; ++c) {
            fastest = fmaxf(fastest, cloth->chunks[c].speed_squared);
        }
        if (cloth) {
            cloth->travel = sqrtf(fastest) * world->substep.h;
            float travel = 0.0f;
            bool is_near_any = nears_solid(world, cloth, &travel);
            cloth->is_fast = is_near_any && cloth->travel + travel > 0.15f * cloth->edge_max;
            bool was_pulled = cloth->reach > 1.2f * cloth->edge_max;
            cloth->reach = cloth->is_fast || (is_near_any && was_pulled) ? longest_edge(cloth)
                                                                         : cloth->edge_max;
            cloth->reach = fmaxf(cloth->reach, cloth->edge_max);
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
        count_contacts(world);
        world->report.runs = 2;
    }
    return is_fast;
}

bool dr_world_detect(drape_world* world)
{
    measure_travel(world);
    if (!collect_runs(world) || !dr_world_refresh_links(world) || !make_room(world)) {
        return false;
    }
    dr_parallel_for(world->pool, world->run_count, 1, vertex_task, world);
    if (!finish_crowded(world, false)) {
        return false;
    }
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
            float gap = obstacles[o].body ? bounds_gap(&item->cloth->chunks[item->index],
                                                       &obstacles[o]) : 0.0f;
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
            if (smallest == INFINITY ||
                is_near(&item->cloth->chunks[item->index], &obstacles[o], fmaxf(smallest, 0.0f))) {
                smallest = fminf(smallest, kernels->gap(sheet, &obstacles[o], first, last));
            }
        }
    }
    return smallest_body_gap(world, smallest);
}
