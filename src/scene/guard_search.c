// Which chunks of a cloth are near which solids, and which of their triangles are in question.
#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/apart_step.h"
#include "scene/guard.h"

// Chunks that are worth a worker of their own, by what is done with them.
enum { BOUND_GRAIN = 64, CLASSIFY_GRAIN = 16, FACE_GRAIN = 8 };

static int chunk_end(const dr_cloth* cloth, int chunk)
{
    int end = (chunk + 1) * DR_CHUNK_VECTORS;
    return end < cloth->sheet->vector_count ? end : cloth->sheet->vector_count;
}

// --- Near chunks ---

static void widen(dr_guard_box* at, const float lo[3], const float hi[3])
{
    for (int c = 0; c < 3; ++c) {
        at->lo[c] = fminf(at->lo[c], lo[c]);
        at->hi[c] = fmaxf(at->hi[c], hi[c]);
    }
}

static void bound_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const dr_guard* g = context;
    const dr_guard_kernels* kernels = dr_guard_kernels_for(g->world->isa);
    for (int i = begin; i < end; ++i) {
        dr_guard_box* at = &g->boxes[i];
        kernels->bound(g->cloth->sheet, i * DR_CHUNK_VECTORS, chunk_end(g->cloth, i), at->lo,
                       at->hi);
        widen(at, g->cloth->chunks[i].lo, g->cloth->chunks[i].hi);
    }
}

// Triangles reach into later chunks.
static void bound_faces(dr_guard* g)
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
static bool is_near_plane(const dr_guard_box* at, const dr_obstacle* obstacle, float margin)
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
static float turn_reach(const dr_guard_box* at, const dr_obstacle* obstacle)
{
    float turn = turn_of(obstacle), squared = 0.0f;
    for (int c = 0; c < 3 && turn > 0.0f; ++c) {
        float lo = fminf(at->lo[c], obstacle->lo[c]), hi = fmaxf(at->hi[c], obstacle->hi[c]);
        squared += (hi - lo) * (hi - lo);
    }
    return 2.0f * turn * sqrtf(squared);
}

static bool is_near(const dr_guard_box* at, const dr_obstacle* obstacle, float margin)
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

float dr_guard_margin(const dr_cloth* cloth)
{
    return 0.05f * cloth->thickness;
}

static bool open_sight(dr_guard* g, int obstacle, dr_guard_sight* s)
{
    dr_arena* arena = &g->world->arena;
    const dr_sheet* sheet = g->cloth->sheet;
    int chunks = g->cloth->chunk_count;
    s->obstacle = obstacle;
    dr_guard_args_set(&s->args, sheet, &g->obstacles[obstacle], dr_guard_margin(g->cloth));
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

static bool add_run(dr_guard* g, const dr_guard_sight* s, int chunk)
{
    const dr_cloth* cloth = g->cloth;
    int most = cloth->face_start[chunk + 1] - cloth->face_start[chunk];
    int32_t* faces = dr_arena_new(&g->world->arena, int32_t, most + 1);
    g->runs[g->run_count++] = (dr_guard_run){.sight = s, .chunk = chunk, .faces = faces};
    memset(s->is_wanted + chunk, 1, (size_t)(cloth->face_last[chunk] - chunk + 1));
    return faces != NULL;
}

static bool collect(dr_guard* g)
{
    drape_world* world = g->world;
    g->sight_count = g->run_count = 0;
    for (int o = 0; o < world->obstacles.count; ++o) {
        dr_guard_sight* s = NULL;
        for (int chunk = 0; chunk < g->cloth->chunk_count && !g->obstacles[o].body; ++chunk) {
            world->report.box_tests += 1;
            if (!is_near(&g->face_boxes[chunk], &g->obstacles[o], dr_guard_margin(g->cloth))) {
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
    const dr_guard* g = context;
    const dr_guard_kernels* kernels = dr_guard_kernels_for(g->world->isa);
    int chunks = g->cloth->chunk_count;
    for (int i = begin; i < end; ++i) {
        const dr_guard_sight* s = &g->sights[i / chunks];
        int chunk = i % chunks;
        if (s->is_wanted[chunk]) {
            s->chunks[chunk] =
                kernels->classify(&s->args, chunk * DR_CHUNK_VECTORS, chunk_end(g->cloth, chunk));
        }
    }
}

static float longest_edge(const dr_cloth* cloth, int chunk)
{
    const dr_sheet* sheet = cloth->sheet;
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

// Whether the vertices of a whole chunk say that its triangles are clear; else from which distance
// on.
static bool is_chunk_clear(const dr_guard* g, dr_guard_run* run, float* clear_distance)
{
    const dr_guard_sight* s = run->sight;
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

// What is on its way out of a solid is not held by it.
static int drop_leaving(const dr_guard* g, const dr_guard_run* run, int count)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const int32_t* slot = g->cloth->face_slots[run->faces[i]];
        int obstacle = run->sight->obstacle;
        run->faces[kept] = run->faces[i];
        kept += !dr_world_is_leaving(g->world, g->cloth, slot, 3, obstacle);
    }
    return kept;
}

static void face_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const dr_guard* g = context;
    const dr_cloth* cloth = g->cloth;
    const int32_t(*slots)[3] = (const int32_t(*)[3])cloth->face_slots;
    for (int i = begin; i < end; ++i) {
        dr_guard_run* run = &g->runs[i];
        float clear_distance;
        if (is_chunk_clear(g, run, &clear_distance)) {
            continue;
        }
        int count =
            dr_guard_list(&run->sight->args, clear_distance, slots, cloth->face_start[run->chunk],
                          cloth->face_start[run->chunk + 1], run->faces);
        count = dr_guard_sift(&run->sight->args, slots, run->faces, count);
        run->face_count = drop_leaving(g, run, count);
    }
}

// Edges that were measured need not be measured again soon: in a substep they grow by no more than
// their ends move.
static void keep_sizes(dr_guard* g)
{
    for (int i = 0; i < g->run_count; ++i) {
        if (g->runs[i].size > 0.0f) {
            g->cloth->face_size[g->runs[i].chunk] = g->runs[i].size;
        }
    }
}

void dr_guard_grow_sizes(dr_cloth* cloth, float h)
{
    for (int i = 0; i < cloth->chunk_count; ++i) {
        float fastest = 0.0f;
        for (int k = i; k <= cloth->face_last[i]; ++k) {
            fastest = fmaxf(fastest, cloth->chunks[k].speed_squared);
        }
        // A little more, for rounding.
        cloth->face_size[i] = cloth->are_sizes_stale ? INFINITY
                                                     : 1.00001f * cloth->face_size[i] +
                                                           2.001f * sqrtf(fastest) * cloth->size_h;
    }
    cloth->are_sizes_stale = false;
    cloth->size_h = h;
}

static void plane_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const dr_guard* g = context;
    for (int i = begin; i < end; ++i) {
        dr_guard_run* run = &g->runs[i];
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
static bool find_planes(dr_guard* g)
{
    dr_pool* pool = g->world->pool;
    dr_parallel_for(pool, g->sight_count * g->cloth->chunk_count, CLASSIFY_GRAIN, classify_task, g);
    dr_parallel_for(pool, g->run_count, FACE_GRAIN, face_task, g);
    keep_sizes(g);
    bool has_faces = false;
    for (int i = 0; i < g->run_count; ++i) {
        dr_guard_run* run = &g->runs[i];
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

bool dr_guard_search(dr_guard* g)
{
    dr_parallel_for(g->world->pool, g->cloth->chunk_count, BOUND_GRAIN, bound_task, g);
    bound_faces(g);
    return collect(g) && find_planes(g);
}
