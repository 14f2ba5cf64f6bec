#include "scene/contact_runs.h"

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
    return obstacle->body ||
           sagitta_of(cloth, obstacle) > 0.2f * dr_shape_roundness(&obstacle->shape);
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
    // Games have the radius that they asked for; neighbours in a rush are theirs to think of.
    float dragged =
        dr_world_holds_vertices(world) ? 0.0f : cloth->travel + dr_length(obstacle->shift);
    return (dr_contact_range){.radius = radius + lift_of(world, cloth, obstacle),
                              .static_radius = (given > 0.0f ? given : cloth->thickness) + dragged,
                              .recovery = 0.25f * cloth->thickness};
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

// What a cloth has to do with an obstacle in this substep, the same for all its chunks.
typedef struct approach {
    bool can_meet;
    bool needs_features;
    dr_contact_range range;
    float reach; // how far from the obstacle a vertex at rest matters
    float slip;  // and how much more, as the obstacle moves
    uint8_t* regions;
} approach;

static approach approach_of(const drape_world* world, const dr_cloth* cloth,
                            const dr_obstacle* obstacle)
{
    approach at = {.can_meet = can_meet(cloth, obstacle),
                   .needs_features =
                       !dr_world_holds_vertices(world) && needs_features(cloth, obstacle),
                   .range = range_of(world, cloth, obstacle)};
    at.reach = at.range.radius + at.range.static_radius;
    at.slip = 1.5f * obstacle_travel(obstacle);
    at.reach += obstacle->body ? 1.5f * cloth->travel : 0.0f;
    return at;
}

// How much further one that moves matters.
static float chunk_travel(const drape_world* world, const dr_cloth* cloth, int chunk)
{
    float h = world->substep.h;
    return 1.5f *
           (sqrtf(cloth->chunks[chunk].speed_squared) * h + dr_length(world->def.gravity) * h * h);
}

bool dr_chunk_is_near(const dr_chunk_bounds* chunk, const dr_obstacle* obstacle, float reach)
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

// --- Travel ---

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

// Whether a cloth comes near an obstacle that edges may sink into; and the fastest of these.
static bool nears_solid(const drape_world* world, const dr_cloth* cloth, float* travel)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    bool is_near_any = false;
    for (int o = 0; o < world->obstacles.count; ++o) {
        bool is_solid = obstacles[o].body || obstacles[o].shape.kind != DRAPE_SHAPE_PLANE;
        float way = is_solid ? obstacle_travel(&obstacles[o]) : 0.0f;
        float reach = 2.0f * (cloth->edge_max + cloth->travel + way);
        for (int c = 0; is_solid && c < cloth->chunk_count; ++c) {
            if (dr_chunk_is_near(&cloth->chunks[c], &obstacles[o], reach)) {
                *travel = fmaxf(*travel, way);
                is_near_any = true;
                break;
            }
        }
    }
    return is_near_any;
}

// How fast edges are looked at again matters where they are looked at.
static bool needs_edges(const drape_world* world)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    bool needs = !dr_world_holds_vertices(world);
    for (int o = 0; o < world->obstacles.count && !needs; ++o) {
        needs = obstacles[o].body != NULL;
    }
    return needs;
}

// A fast cloth pulls: when it goes a seventh of an edge in a substep, edges are measured anew.
static void measure_reach(const drape_world* world, dr_cloth* cloth)
{
    float travel = 0.0f;
    bool is_near_any = nears_solid(world, cloth, &travel);
    cloth->is_fast = is_near_any && cloth->travel + travel > 0.15f * cloth->edge_max;
    bool was_pulled = cloth->reach > 1.2f * cloth->edge_max;
    cloth->reach =
        cloth->is_fast || (is_near_any && was_pulled) ? longest_edge(cloth) : cloth->edge_max;
    cloth->reach = fmaxf(cloth->reach, cloth->edge_max);
}

// What is fast drags its neighbours along: in a substep a vertex may go as far as the fastest one.
void dr_world_measure_travel(drape_world* world)
{
    bool has_edges = needs_edges(world);
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        float fastest = 0.0f;
        for (int c = 0; cloth && c < cloth->chunk_count; ++c) {
            fastest = fmaxf(fastest, cloth->chunks[c].speed_squared);
        }
        if (cloth) {
            cloth->travel = sqrtf(fastest) * world->substep.h;
            if (has_edges) {
                measure_reach(world, cloth);
            }
        }
    }
}

// --- Broad phase ---

static bool add_run(drape_world* world, dr_cloth* cloth, int chunk, int obstacle,
                    const approach* near, float reach)
{
    dr_contact_run* run = &world->runs[world->run_count++];
    const dr_obstacle* at = (const dr_obstacle*)world->obstacles.data + obstacle;
    *run = (dr_contact_run){.cloth = cloth,
                            .chunk = chunk,
                            .obstacle = obstacle,
                            .range = near->range,
                            .reach = reach,
                            .slip = near->slip,
                            .regions = near->regions};
    run->friction = dr_world_friction(world, cloth, at->friction_static, at->friction_dynamic);
    size_t place = (size_t)(world->run_count - 1) * DR_CHUNK_VECTORS;
    run->contacts =
        world->run_room
            ? world->run_room + place
            : dr_arena_allocate(&world->arena, sizeof(dr_contact8) * (size_t)DR_CHUNK_VECTORS);
    if (at->body) {
        run->link = dr_world_link(world, cloth, at->body);
        return run->contacts && run->link;
    }
    if (near->regions) {
        int features = cloth->edge_start[chunk + 1] - cloth->edge_start[chunk] +
                       cloth->face_start[chunk + 1] - cloth->face_start[chunk];
        run->features = dr_arena_allocate(&world->arena, sizeof(int32_t) * (size_t)(features + 1));
    }
    return run->contacts && (!near->regions || run->features);
}

// Regions of an obstacle, the first time that a chunk of the cloth comes near it.
static bool make_regions(drape_world* world, const dr_cloth* cloth, approach* near)
{
    size_t slots = (size_t)cloth->sheet->vector_count * 8;
    if (!near->regions) {
        near->regions = dr_arena_allocate(&world->arena, slots);
        if (!near->regions) {
            return false;
        }
        memset(near->regions, DR_REGION_FAR, slots);
    }
    return true;
}

static bool collect_chunk(drape_world* world, dr_cloth* cloth, int chunk, approach* approaches)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    float travel = chunk_travel(world, cloth, chunk);
    int before = world->run_count;
    for (int o = 0; o < world->obstacles.count; ++o) {
        approach* near = &approaches[o];
        float reach = near->reach + travel;
        ++world->report.box_tests;
        if (!near->can_meet ||
            !dr_chunk_is_near(&cloth->chunks[chunk], &obstacles[o],
                              reach + (near->needs_features ? cloth->reach : 0.0f))) {
            continue;
        }
        bool has_regions = near->needs_features && !obstacles[o].body;
        if ((has_regions && !make_regions(world, cloth, near)) ||
            !add_run(world, cloth, chunk, o, near, reach)) {
            return false;
        }
    }
    if (world->run_count > before) {
        world->group_start[world->group_count++] = before;
    }
    return true;
}

// All runs of one cloth, chunk by chunk so that those of a chunk lie together.
static bool collect_cloth(drape_world* world, dr_cloth* cloth, approach* approaches)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    for (int o = 0; o < world->obstacles.count; ++o) {
        approaches[o] = approach_of(world, cloth, &obstacles[o]);
    }
    for (int chunk = 0; chunk < cloth->chunk_count; ++chunk) {
        if (!collect_chunk(world, cloth, chunk, approaches)) {
            return false;
        }
    }
    return true;
}

bool dr_world_collect_runs(drape_world* world)
{
    world->run_count = world->group_count = 0;
    size_t most = (size_t)world->chunk_items.count * (size_t)world->obstacles.count;
    if (most == 0) {
        return true;
    }
    world->runs = dr_arena_allocate(&world->arena, most * sizeof(dr_contact_run));
    world->group_start =
        dr_arena_allocate(&world->arena, ((size_t)world->chunk_items.count + 1) * sizeof(int32_t));
    // Few runs: room for all that may be, so that the arena does not grow when more come near.
    const size_t few = 128;
    world->run_room = most <= few ? dr_arena_allocate(&world->arena,
                                                      most * sizeof(dr_contact8) * DR_CHUNK_VECTORS)
                                  : NULL;
    approach* approaches = dr_arena_new(&world->arena, approach, world->obstacles.count);
    if (!world->runs || !world->group_start || !approaches) {
        return false;
    }
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_world_awake(world, i);
        if (cloth && !collect_cloth(world, cloth, approaches)) {
            return false;
        }
    }
    world->group_start[world->group_count] = world->run_count;
    return true;
}
