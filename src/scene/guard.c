// The guard over all cloths and analytic solids (contact/guard.h): which chunks are near, which of their
// triangles are in question, and rounds until none is.
#include "contact/guard.h"

#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/world.h"

// Rounds in which vertices slide; the last one only cuts. More than four were never seen to help.
enum { MOST_ROUNDS = 6 };

// Chunks that are worth a worker of their own, by what is done with them.
enum { BOUND_GRAIN = 64, CLASSIFY_GRAIN = 16, FACE_GRAIN = 8 };

typedef struct box {
    float lo[3], hi[3];
} box;

// One cloth and one solid that are near each other.
typedef struct sight {
    int obstacle;
    dr_guard_args args;
    dr_guard_chunk* chunks;
    uint8_t* is_wanted; // per chunk: it has a triangle that may be near
} sight;

// The triangles of one chunk against one solid.
typedef struct guard_run {
    const sight* sight;
    int chunk;
    float size;       // longest edge, when it was measured, else 0
    int32_t* faces;
    int face_count;
    dr_guard_plane* planes;
    int plane_count;
} guard_run;

typedef struct guard {
    drape_world* world;
    const dr_obstacle* obstacles; // as the guard sees them
    dr_cloth* cloth;
    box* boxes;       // of each chunk: its vertices at the start and at the end
    box* face_boxes;  // of the vertices of its triangles
    sight* sights;
    int sight_count;
    guard_run* runs;
    int run_count;
    dr_guard_holds holds;
    int32_t* held;    // slots with planes
    uint8_t* has_moved; // per slot, those of `held` only
    int held_count;
} guard;


static int chunk_end(const dr_cloth* cloth, int chunk)
{
    int end = (chunk + 1) * DR_CHUNK_VECTORS;
    return end < cloth->xpbd.sheet.vector_count ? end : cloth->xpbd.sheet.vector_count;
}

// --- Near chunks ---

static void widen(box* at, const float lo[3], const float hi[3])
{
    for (int c = 0; c < 3; ++c) {
        at->lo[c] = fminf(at->lo[c], lo[c]);
        at->hi[c] = fmaxf(at->hi[c], hi[c]);
    }
}

static void bound_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const guard* g = context;
    const dr_guard_kernels* kernels = dr_guard_kernels_for(g->world->isa);
    for (int i = begin; i < end; ++i) {
        box* at = &g->boxes[i];
        kernels->bound(&g->cloth->xpbd.sheet, i * DR_CHUNK_VECTORS, chunk_end(g->cloth, i), at->lo,
                       at->hi);
        widen(at, g->cloth->chunks[i].lo, g->cloth->chunks[i].hi);
    }
}

// Triangles reach into later chunks.
static void bound_faces(guard* g)
{
    for (int i = 0; i < g->cloth->chunk_count; ++i) {
        g->face_boxes[i] = g->boxes[i];
        for (int k = i + 1; k <= g->cloth->face_last[i]; ++k) {
            widen(&g->face_boxes[i], g->boxes[k].lo, g->boxes[k].hi);
        }
    }
}

static float turn_of(const dr_obstacle* obstacle)
{
    float sum = 0.0f;
    for (int i = 0; i < 9; ++i) {
        sum += obstacle->turn[i] * obstacle->turn[i];
    }
    return sqrtf(sum);
}

// By the lowest corner of the box, at the end of the substep.
static bool is_near_plane(const box* at, const dr_obstacle* obstacle, float margin)
{
    const float* m = obstacle->rotation_end;
    const float n[3] = {m[1], m[4], m[7]};
    drape_vec3 place = dr_add(obstacle->place, obstacle->shift);
    const float from[3] = {place.x, place.y, place.z};
    float height = 0.0f;
    for (int c = 0; c < 3; ++c) {
        height += n[c] * ((n[c] > 0.0f ? at->lo[c] : at->hi[c]) - from[c]);
    }
    return turn_of(obstacle) > 0.0f || height <= margin + dr_length(obstacle->shift);
}

// A solid that turns is seen from an axis that turns with it: what is far off may come nearer.
static float turn_reach(const box* at, const dr_obstacle* obstacle)
{
    float turn = turn_of(obstacle), squared = 0.0f;
    for (int c = 0; c < 3 && turn > 0.0f; ++c) {
        float lo = fminf(at->lo[c], obstacle->lo[c]), hi = fmaxf(at->hi[c], obstacle->hi[c]);
        squared += (hi - lo) * (hi - lo);
    }
    return 2.0f * turn * sqrtf(squared);
}

static bool is_near(const box* at, const dr_obstacle* obstacle, float margin)
{
    if (obstacle->shape.kind == DRAPE_SHAPE_PLANE) {
        return is_near_plane(at, obstacle, margin);
    }
    float reach = margin + turn_reach(at, obstacle);
    for (int c = 0; c < 3; ++c) {
        if (at->lo[c] - reach > obstacle->hi[c] || at->hi[c] + reach < obstacle->lo[c]) {
            return false;
        }
    }
    return true;
}

// Half of a tenth of the thickness is kept from solids; contacts keep half of the thickness.
static float margin_of(const dr_cloth* cloth)
{
    return 0.05f * cloth->thickness;
}

static bool open_sight(guard* g, int obstacle, sight* s)
{
    dr_arena* arena = &g->world->arena;
    const dr_sheet* sheet = &g->cloth->xpbd.sheet;
    int chunks = g->cloth->chunk_count;
    s->obstacle = obstacle;
    dr_guard_args_set(&s->args, sheet, &g->obstacles[obstacle], margin_of(g->cloth));
    s->args.sides = dr_arena_new(arena, dr_guard_sides, sheet->vector_count);
    s->args.distance =
        s->args.is_round ? dr_arena_new(arena, float, (size_t)sheet->vector_count * 8) : NULL;
    s->chunks = dr_arena_new(arena, dr_guard_chunk, chunks);
    s->is_wanted = dr_arena_new(arena, uint8_t, chunks);
    if (s->is_wanted) {
        memset(s->is_wanted, 0, (size_t)chunks);
    }
    return s->args.sides && (!s->args.is_round || s->args.distance) && s->chunks && s->is_wanted;
}

static bool add_run(guard* g, const sight* s, int chunk)
{
    const dr_cloth* cloth = g->cloth;
    int most = cloth->face_start[chunk + 1] - cloth->face_start[chunk];
    int32_t* faces = dr_arena_new(&g->world->arena, int32_t, most + 1);
    g->runs[g->run_count++] = (guard_run){.sight = s, .chunk = chunk, .faces = faces};
    memset(s->is_wanted + chunk, 1, (size_t)(cloth->face_last[chunk] - chunk + 1));
    return faces != NULL;
}

static bool collect(guard* g)
{
    drape_world* world = g->world;
    g->sight_count = g->run_count = 0;
    for (int o = 0; o < world->obstacles.count; ++o) {
        sight* s = NULL;
        for (int chunk = 0; chunk < g->cloth->chunk_count && !g->obstacles[o].body; ++chunk) {
            world->report.box_tests += 1;
            if (!is_near(&g->face_boxes[chunk], &g->obstacles[o], margin_of(g->cloth))) {
                continue;
            }
            if (!s) {
                s = &g->sights[g->sight_count++];
                if (!open_sight(g, o, s)) {
                    return false;
                }
            }
            if (!add_run(g, s, chunk)) {
                return false;
            }
        }
    }
    return true;
}

// --- Triangles in question ---

static void classify_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const guard* g = context;
    const dr_guard_kernels* kernels = dr_guard_kernels_for(g->world->isa);
    int chunks = g->cloth->chunk_count;
    for (int i = begin; i < end; ++i) {
        const sight* s = &g->sights[i / chunks];
        int chunk = i % chunks;
        if (s->is_wanted[chunk]) {
            s->chunks[chunk] = kernels->classify(&s->args, chunk * DR_CHUNK_VECTORS,
                                                 chunk_end(g->cloth, chunk));
        }
    }
}

static float longest_edge(const dr_cloth* cloth, int chunk)
{
    const dr_sheet* sheet = &cloth->xpbd.sheet;
    float longest = 0.0f;
    for (int f = cloth->face_start[chunk]; f < cloth->face_start[chunk + 1]; ++f) {
        drape_vec3 p[3];
        for (int i = 0; i < 3; ++i) {
            p[i] = dr_sheet_get(sheet->layout, sheet->start, cloth->face_slots[f][i]);
        }
        for (int i = 0; i < 3; ++i) {
            drape_vec3 d = dr_sub(p[(i + 1) % 3], p[i]);
            longest = fmaxf(longest, dr_dot(d, d));
        }
    }
    return sqrtf(longest);
}

// Whether the vertices of a whole chunk say that its triangles are clear; else from which distance on.
static bool is_chunk_clear(const guard* g, guard_run* run, float* clear_distance)
{
    const sight* s = run->sight;
    dr_guard_chunk all = s->chunks[run->chunk];
    for (int k = run->chunk + 1; k <= g->cloth->face_last[run->chunk]; ++k) {
        all.sides &= s->chunks[k].sides;
        all.distance = fminf(all.distance, s->chunks[k].distance);
        all.slip = fmaxf(all.slip, s->chunks[k].slip);
    }
    *clear_distance = INFINITY;
    if (all.sides || !s->args.is_round) {
        return all.sides != 0;
    }
    float slip = sqrtf(all.slip);
    *clear_distance = dr_guard_clear_distance(&s->args, g->cloth->face_size[run->chunk], slip);
    if (all.distance >= *clear_distance) {
        return true;
    }
    run->size = longest_edge(g->cloth, run->chunk);
    *clear_distance = dr_guard_clear_distance(&s->args, run->size, slip);
    return all.distance >= *clear_distance;
}

static void face_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const guard* g = context;
    const dr_cloth* cloth = g->cloth;
    const int32_t(*slots)[3] = (const int32_t(*)[3])cloth->face_slots;
    for (int i = begin; i < end; ++i) {
        guard_run* run = &g->runs[i];
        float clear_distance;
        if (is_chunk_clear(g, run, &clear_distance)) {
            continue;
        }
        int count = dr_guard_list(&run->sight->args, clear_distance, slots,
                                  cloth->face_start[run->chunk], cloth->face_start[run->chunk + 1],
                                  run->faces);
        run->face_count = dr_guard_sift(&run->sight->args, slots, run->faces, count);
    }
}

// Edges that were measured need not be measured again soon: in a substep they grow by no more than their
// ends move.
static void keep_sizes(guard* g)
{
    for (int i = 0; i < g->run_count; ++i) {
        if (g->runs[i].size > 0.0f) {
            g->cloth->face_size[g->runs[i].chunk] = g->runs[i].size;
        }
    }
}

static void grow_sizes(dr_cloth* cloth, float h)
{
    for (int i = 0; i < cloth->chunk_count; ++i) {
        float fastest = 0.0f;
        for (int k = i; k <= cloth->face_last[i]; ++k) {
            fastest = fmaxf(fastest, cloth->chunks[k].speed_squared);
        }
        // A little more, for rounding.
        cloth->face_size[i] = cloth->are_sizes_stale
                                  ? INFINITY
                                  : 1.00001f * cloth->face_size[i] +
                                        2.001f * sqrtf(fastest) * cloth->size_h;
    }
    cloth->are_sizes_stale = false;
    cloth->size_h = h;
}

static void plane_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const guard* g = context;
    for (int i = begin; i < end; ++i) {
        guard_run* run = &g->runs[i];
        for (int k = 0; k < run->face_count; ++k) {
            dr_guard_plane* out = run->planes + run->plane_count;
            int made = dr_guard_planes(&run->sight->args, g->cloth->face_slots[run->faces[k]], out);
            for (int p = 0; p < made; ++p) {
                out[p].face = run->faces[k];
                out[p].obstacle = run->sight->obstacle;
            }
            run->plane_count += made;
        }
    }
}

// Triangles in question with their planes; false when memory is short.
static bool find_planes(guard* g)
{
    dr_pool* pool = g->world->pool;
    dr_parallel_for(pool, g->sight_count * g->cloth->chunk_count, CLASSIFY_GRAIN, classify_task, g);
    dr_parallel_for(pool, g->run_count, FACE_GRAIN, face_task, g);
    keep_sizes(g);
    bool has_faces = false;
    for (int i = 0; i < g->run_count; ++i) {
        guard_run* run = &g->runs[i];
        if (run->face_count > 0) {
            run->planes = dr_arena_new(&g->world->arena, dr_guard_plane, 3 * run->face_count);
            has_faces = true;
            if (!run->planes) {
                return false;
            }
        }
    }
    if (has_faces) {
        dr_parallel_for(pool, g->run_count, 1, plane_task, g);
    }
    return true;
}

// --- Holding vertices ---

static bool open_holds(guard* g)
{
    dr_arena* arena = &g->world->arena;
    const dr_sheet* sheet = &g->cloth->xpbd.sheet;
    size_t slots = (size_t)sheet->vector_count * 8;
    g->holds.first = dr_arena_new(arena, dr_guard_plane*, slots);
    g->held = dr_arena_new(arena, int32_t, slots);
    g->has_moved = dr_arena_new(arena, uint8_t, slots);
    if (!g->holds.first || !g->held || !g->has_moved) {
        return false;
    }
    memset(g->holds.first, 0, slots * sizeof *g->holds.first);
    memset(g->has_moved, 0, slots);
    return true;
}

static bool is_known(const guard* g, const dr_guard_plane* plane)
{
    const dr_guard_plane* at = g->holds.first[plane->slot];
    while (at && !(at->face == plane->face && at->obstacle == plane->obstacle)) {
        at = at->next;
    }
    return at != NULL;
}

// Gives new planes to their vertices; false when there is none.
static bool adopt_planes(guard* g)
{
    bool has_new = false;
    for (int i = 0; i < g->run_count; ++i) {
        for (int k = 0; k < g->runs[i].plane_count; ++k) {
            dr_guard_plane* plane = &g->runs[i].planes[k];
            if (is_known(g, plane)) {
                continue;
            }
            if (!g->holds.first[plane->slot]) {
                g->held[g->held_count++] = plane->slot;
            }
            plane->next = g->holds.first[plane->slot];
            g->holds.first[plane->slot] = plane;
            has_new = true;
        }
    }
    return has_new;
}

static void slide_all(guard* g)
{
    for (int i = 0; i < g->held_count; ++i) {
        bool moved = dr_guard_slide(&g->holds, g->held[i]);
        g->has_moved[g->held[i]] |= moved;
    }
}

static void cut_all(guard* g)
{
    drape_step_report* report = &g->world->report;
    for (int i = 0; i < g->held_count; ++i) {
        report->pinched_count += !dr_guard_cut(&g->holds, g->held[i]);
        report->guarded_count += g->has_moved[g->held[i]];
    }
}

static bool guard_cloth(guard* g)
{
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        dr_parallel_for(g->world->pool, g->cloth->chunk_count, BOUND_GRAIN, bound_task, g);
        bound_faces(g);
        if (!collect(g) || !find_planes(g)) {
            return false;
        }
        bool has_planes = false;
        for (int i = 0; i < g->run_count; ++i) {
            has_planes |= g->runs[i].plane_count > 0;
        }
        if (has_planes && !g->held && !open_holds(g)) {
            return false;
        }
        if (!has_planes || !adopt_planes(g)) {
            break;
        }
        if (round + 1 < MOST_ROUNDS) {
            slide_all(g);
        }
    }
    cut_all(g);
    return true;
}

// --- All cloths ---

// The solids, and their order: the thickest first; equal ones as they were added.
typedef struct solids {
    dr_obstacle* obstacles;
    int32_t* order;
    int count; // in the order
} solids;

static void put_in_order(solids* all, int index)
{
    float radius = dr_shape_inner_radius(&all->obstacles[index].shape);
    int at = all->count++;
    while (at > 0 && dr_shape_inner_radius(&all->obstacles[all->order[at - 1]].shape) < radius) {
        all->order[at] = all->order[at - 1];
        --at;
    }
    all->order[at] = index;
}

static bool list_solids(drape_world* world, solids* all)
{
    const dr_obstacle* obstacles = world->obstacles.data;
    int count = world->obstacles.count;
    *all = (solids){dr_arena_new(&world->arena, dr_obstacle, count + 1),
                    dr_arena_new(&world->arena, int32_t, count + 1), 0};
    for (int o = 0; o < count && all->obstacles && all->order; ++o) {
        all->obstacles[o] = obstacles[o];
        if (!obstacles[o].body) {
            all->obstacles[o] = dr_guard_obstacle(&obstacles[o]);
            put_in_order(all, o);
        }
    }
    return all->obstacles && all->order;
}

static bool open_guard(guard* g, drape_world* world, dr_cloth* cloth, const solids* all)
{
    dr_arena* arena = &world->arena;
    size_t chunks = (size_t)cloth->chunk_count;
    *g = (guard){.world = world, .cloth = cloth, .obstacles = all->obstacles};
    g->boxes = dr_arena_new(arena, box, chunks);
    g->face_boxes = dr_arena_new(arena, box, chunks);
    g->sights = dr_arena_new(arena, sight, all->count);
    g->runs = dr_arena_new(arena, guard_run, (size_t)all->count * chunks);
    g->holds = (dr_guard_holds){.sheet = &cloth->xpbd.sheet,
                                .obstacles = all->obstacles,
                                .order = all->order,
                                .order_count = all->count,
                                .margin = margin_of(cloth)};
    return g->boxes && g->face_boxes && g->sights && g->runs;
}

bool dr_world_guard_solids(drape_world* world)
{
    solids all;
    if (!list_solids(world, &all)) {
        return false;
    }
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth || cloth->mesh.triangle_count == 0) {
            continue;
        }
        if (all.count == 0) {
            cloth->are_sizes_stale = true;
            continue;
        }
        guard g;
        grow_sizes(cloth, world->substep.h);
        if (!open_guard(&g, world, cloth, &all) || !guard_cloth(&g)) {
            return false;
        }
    }
    return true;
}
