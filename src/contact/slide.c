#include "contact/slide.h"

#include <string.h>

#include "collide/tessellate.h"
#include "contact/slide_parts.h"

dr_slide_def dr_slide_defaults(void)
{
    // Of the exit step the caller knows better: half an edge of the cloth.
    return (dr_slide_def){.thickness = 4e-3f, .exit_step = 1e-2f, .plane_runs = 8};
}

// --- Life ---

static float longest_rest_edge(const dr_sheets* sheets)
{
    double longest = 0.0;
    for (int p = 0; p < sheets->part_count; ++p) {
        const dr_mesh* mesh = sheets->parts[p].mesh;
        for (int e = 0; e < mesh->edge_count; ++e) {
            double a[3], b[3];
            dr_read3(mesh->rest[mesh->edges[e].v[0]], a);
            dr_read3(mesh->rest[mesh->edges[e].v[1]], b);
            dr_sub3(a, b, a);
            longest = dr_most(longest, dr_dot3(a, a));
        }
    }
    return (float)sqrt(longest);
}

bool dr_slide_create(dr_slide* slide, dr_memory* memory, const dr_slide_def* def,
                     const dr_sheets* sheets)
{
    *slide = (dr_slide){.def = *def,
                        .vertex_count = sheets->vertex_count,
                        .triangle_count = sheets->triangle_count};
    slide->longest_rest = longest_rest_edge(sheets);
    slide->chunk_count = (sheets->vertex_count + DR_SLIDE_CHUNK - 1) / DR_SLIDE_CHUNK;
    // One more of each, so that an empty mesh is not taken for a lack of memory.
    size_t chunks = (size_t)slide->chunk_count + 1, vertices = (size_t)slide->vertex_count + 1;
    size_t triangles = (size_t)slide->triangle_count + 1;
    slide->start_box = dr_allocate(memory, dr_array_bytes(chunks, sizeof *slide->start_box));
    slide->end_box = dr_allocate(memory, dr_array_bytes(chunks, sizeof *slide->end_box));
    slide->chunks = dr_new_zeroed(memory, dr_slide_chunk, chunks);
    slide->hits = dr_new(memory, dr_slide_hit, chunks * DR_SLIDE_HITS);
    slide->place = dr_allocate(memory, dr_array_bytes(vertices, sizeof *slide->place));
    slide->shifted = dr_allocate(memory, dr_array_bytes(vertices, sizeof *slide->shifted));
    slide->shifted_run = dr_new_zeroed(memory, int32_t, vertices);
    slide->planed_run = dr_new_zeroed(memory, int32_t, vertices);
    slide->key = dr_new_zeroed(memory, int32_t, vertices);
    slide->is_suspect = dr_new(memory, uint8_t, vertices);
    slide->is_unsafe = dr_new(memory, uint8_t, triangles);
    slide->unsafe = dr_new(memory, int32_t, triangles);
    slide->lots = dr_new(memory, dr_slide_lot, triangles);
    if (!slide->start_box || !slide->end_box || !slide->chunks || !slide->hits || !slide->place ||
        !slide->shifted || !slide->shifted_run || !slide->planed_run || !slide->key ||
        !slide->is_suspect || !slide->is_unsafe || !slide->unsafe || !slide->lots) {
        return false;
    }
    dr_slide_forget(slide);
    return true;
}

void dr_slide_free(dr_slide* slide, dr_memory* memory)
{
    size_t chunks = (size_t)slide->chunk_count + 1, vertices = (size_t)slide->vertex_count + 1;
    size_t triangles = (size_t)slide->triangle_count + 1;
    dr_slide_guest* guests = slide->guests.data;
    for (int i = 0; i < slide->guests.count; ++i) {
        dr_guest_free(&guests[i], memory);
    }
    dr_array_free(memory, &slide->guests, sizeof(dr_slide_guest));
    dr_array_free(memory, &slide->pairs, sizeof(dr_slide_pair));
    dr_delete(memory, slide->start_box, chunks);
    dr_delete(memory, slide->end_box, chunks);
    dr_delete(memory, slide->chunks, chunks);
    dr_delete(memory, slide->hits, chunks * DR_SLIDE_HITS);
    dr_delete(memory, slide->place, vertices);
    dr_delete(memory, slide->shifted, vertices);
    dr_delete(memory, slide->shifted_run, vertices);
    dr_delete(memory, slide->planed_run, vertices);
    dr_delete(memory, slide->key, vertices);
    dr_delete(memory, slide->is_suspect, vertices);
    dr_delete(memory, slide->is_unsafe, triangles);
    dr_delete(memory, slide->unsafe, triangles);
    dr_delete(memory, slide->lots, triangles);
    *slide = (dr_slide){0};
}

void dr_slide_forget(dr_slide* slide)
{
    memset(slide->is_suspect, 1, (size_t)slide->vertex_count);
    dr_slide_guest* guests = slide->guests.data;
    for (int i = 0; i < slide->guests.count; ++i) {
        for (int v = 0; guests[i].body && v < guests[i].room_count; ++v) {
            guests[i].rooms[v].kind = DR_ROOM_NONE;
        }
    }
}

dr_body* dr_slide_body_of_shape(dr_memory* memory, const drape_shape* shape, float thickness,
                                drape_isa isa, dr_pool* pool)
{
    char sentence[64];
    int vertex_count, triangle_count;
    float tolerance = dr_tessellate_tolerance(thickness);
    dr_tessellate_count(shape, tolerance, &vertex_count, &triangle_count);
    drape_vec3* positions = dr_new(memory, drape_vec3, vertex_count);
    int32_t(*triangles)[3] =
        dr_allocate(memory, dr_array_bytes((size_t)triangle_count, sizeof *triangles));
    dr_body* body = NULL;
    if (positions && triangles) {
        dr_tessellate(shape, tolerance, positions, triangles);
        drape_mesh_view view = {.positions = positions,
                                .triangles = triangles[0],
                                .vertex_count = vertex_count,
                                .triangle_count = triangle_count};
        body = dr_body_create(memory, &view, isa, pool, sentence, sizeof sentence);
    }
    dr_delete(memory, positions, vertex_count);
    dr_delete(memory, triangles, triangle_count);
    return body;
}

// --- Boxes of chunks ---

typedef struct boxing {
    dr_slide* slide;
    const dr_sheets* sheets;
    const drape_vec3* places;
    float (*boxes)[6];
} boxing;

// Least and greatest of x y z x y z ..., four vertices at a time, which compilers make vectors of.
enum { LANES = 12 };

typedef struct bounds {
    float lo[LANES], hi[LANES], way[LANES];
} bounds;

static void add_bounds(bounds* all, const float* p, const float* s, int count)
{
    for (int i = 0; i < count; ++i) {
        float way = fabsf(p[i] - s[i]);
        all->lo[i] = p[i] < all->lo[i] ? p[i] : all->lo[i];
        all->hi[i] = p[i] > all->hi[i] ? p[i] : all->hi[i];
        all->way[i] = way > all->way[i] ? way : all->way[i];
    }
}

static void box_chunk(const boxing* b, int chunk)
{
    int first = chunk * DR_SLIDE_CHUNK, last = first + DR_SLIDE_CHUNK;
    last = last < b->slide->vertex_count ? last : b->slide->vertex_count;
    bounds all;
    for (int i = 0; i < LANES; ++i) {
        all.lo[i] = INFINITY;
        all.hi[i] = -INFINITY;
        all.way[i] = 0.0f;
    }
    const float *p = &b->places[first].x, *s = &b->sheets->start[first].x;
    int count = 3 * (last - first), i = 0;
    for (; i + LANES <= count; i += LANES) {
        add_bounds(&all, p + i, s + i, LANES);
    }
    add_bounds(&all, p + i, s + i, count - i);
    double squared = 0.0;
    for (int c = 0; c < 3; ++c) {
        float lo = all.lo[c], hi = all.hi[c], way = all.way[c];
        for (int k = c + 3; k < LANES; k += 3) {
            lo = all.lo[k] < lo ? all.lo[k] : lo;
            hi = all.hi[k] > hi ? all.hi[k] : hi;
            way = all.way[k] > way ? all.way[k] : way;
        }
        b->boxes[chunk][c] = lo;
        b->boxes[chunk][c + 3] = hi;
        squared += (double)way * (double)way;
    }
    b->slide->chunks[chunk].squared_way = squared;
}

static void box_chunks(void* context, int begin, int end, int worker)
{
    (void)worker;
    for (int i = begin; i < end; ++i) {
        box_chunk(context, i);
    }
}

// Chunks that are worth a task.
enum { CHUNK_GRAIN = 8, TRIANGLE_GRAIN = 2048, UNSAFE_GRAIN = 32 };

static double box_all(dr_slide* slide, dr_pool* pool, const dr_sheets* sheets, bool at_end)
{
    boxing b = {slide, sheets, at_end ? sheets->end : sheets->start,
                at_end ? slide->end_box : slide->start_box};
    double way = 0.0;
    dr_parallel_for(pool, slide->chunk_count, CHUNK_GRAIN, box_chunks, &b);
    for (int i = 0; i < slide->chunk_count; ++i) {
        way = dr_most(way, slide->chunks[i].squared_way);
        for (int c = 0; c < 6; ++c) {
            slide->scale = dr_most(slide->scale, (double)fabsf(b.boxes[i][c]));
        }
    }
    return sqrt(way);
}

// --- The start of a step ---

static double longest_edge(const dr_sheets* sheets)
{
    float longest = 0.0f;
    for (int e = 0; e < sheets->edge_count; ++e) {
        drape_vec3 a = sheets->start[sheets->edges[e][0]], b = sheets->start[sheets->edges[e][1]];
        float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, squared = x * x + y * y + z * z;
        longest = squared > longest ? squared : longest;
    }
    // Room for its rounding.
    return 1.0001 * sqrt((double)longest);
}

static void place_guest(dr_slide_guest* guest, const dr_slide_obstacle* obstacle)
{
    const float* root = guest->body->shell.tree.root;
    guest->start = dr_frame_of(obstacle->start);
    guest->end = dr_frame_of(obstacle->end);
    for (int c = 0; c < 3; ++c) {
        guest->root_lo[c] = -(double)root[c];
        guest->root_hi[c] = root[c + 3];
    }
}

static bool is_in_box(const dr_slide_guest* guest, const double p[3])
{
    for (int c = 0; c < 3; ++c) {
        if (p[c] < guest->root_lo[c] || p[c] > guest->root_hi[c]) {
            return false;
        }
    }
    return true;
}

typedef struct opening {
    dr_slide* slide;
    const dr_sheets* sheets;
} opening;

// Looks which of the suspects are inside of something.
static void clear_suspects(void* context, int begin, int end, int worker)
{
    const opening* at = context;
    dr_slide_guest* guests = at->slide->guests.data;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        if (!at->slide->is_suspect[v]) {
            continue;
        }
        uint8_t is_suspect = 0;
        for (int i = 0; i < at->slide->guests.count; ++i) {
            double p[3];
            dr_read3(at->sheets->start[v], p);
            dr_frame_in(&guests[i].start, p, p);
            guests[i].is_inside[v] = guests[i].body->is_closed && is_in_box(&guests[i], p) &&
                                     dr_guest_is_inside(&guests[i], p);
            is_suspect |= guests[i].is_inside[v];
        }
        at->slide->is_suspect[v] = is_suspect;
    }
}

static bool resize_guests(dr_slide* slide, dr_memory* memory, int count)
{
    if (!dr_array_reserve(memory, &slide->guests, sizeof(dr_slide_guest), count)) {
        return false;
    }
    dr_slide_guest* guests = slide->guests.data;
    for (int i = count; i < slide->guests.count; ++i) {
        dr_guest_free(&guests[i], memory);
    }
    for (int i = slide->guests.count; i < count; ++i) {
        guests[i] = (dr_slide_guest){0};
    }
    slide->guests.count = count;
    return true;
}

bool dr_slide_begin(dr_slide* slide, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                    const dr_slide_obstacle* obstacles, int obstacle_count)
{
    slide->step = slide->step == INT32_MAX ? 1 : slide->step + 1;
    slide->run = 0;
    slide->scale = 0.0;
    slide->longest_start = longest_edge(sheets);
    if (!resize_guests(slide, memory, obstacle_count)) {
        return false;
    }
    dr_slide_guest* guests = slide->guests.data;
    for (int i = 0; i < obstacle_count; ++i) {
        if (guests[i].body != obstacles[i].body) {
            memset(slide->is_suspect, 1, (size_t)slide->vertex_count);
        }
        if (!dr_guest_prepare(&guests[i], memory, slide, &obstacles[i])) {
            return false;
        }
        place_guest(&guests[i], &obstacles[i]);
    }
    box_all(slide, pool, sheets, false);
    opening at = {slide, sheets};
    dr_parallel_for(pool, slide->vertex_count, DR_SLIDE_CHUNK, clear_suspects, &at);
    return true;
}

// --- One run ---

// What is held may be led into an obstacle.
static void suspect_held(dr_slide_merge* m)
{
    const dr_limits* limits = m->search.limits;
    const int32_t* limited = limits->limited.data;
    for (int i = 0; i < limits->limited.count; ++i) {
        if (limits->hold[limited[i]] != DR_HOLD_FREE) {
            m->search.slide->is_suspect[limited[i]] = 1;
        }
    }
}

static void search_chunks(void* context, int begin, int end, int worker)
{
    (void)worker;
    for (int i = begin; i < end; ++i) {
        dr_slide_search_chunk(context, i);
    }
}

static void mark_triangles(void* context, int begin, int end, int worker)
{
    (void)worker;
    dr_slide_mark_unsafe(context, begin, end);
}

static void search_triangles(void* context, int begin, int end, int worker)
{
    (void)worker;
    for (int i = begin; i < end; ++i) {
        dr_slide_search_triangle(context, i);
    }
}

// Returns whether anything of the cloths is near.
static bool merge_chunks(dr_slide_merge* m)
{
    dr_slide* slide = m->search.slide;
    bool is_near = false;
    for (int i = 0; i < slide->chunk_count; ++i) {
        const dr_slide_chunk* chunk = &slide->chunks[i];
        is_near = is_near || chunk->is_near;
        m->result->box_tests += chunk->box_tests;
        m->result->exact_tests += chunk->exact_tests;
        m->result->smallest_gap = dr_least(m->result->smallest_gap, chunk->smallest_gap);
        for (int k = 0; k < chunk->hit_count && !slide->def.edges_only; ++k) {
            const dr_slide_hit* hit = &slide->hits[i * DR_SLIDE_HITS + k];
            if (m->search.limits->hold[hit->vertex] == DR_HOLD_FREE) {
                dr_slide_add_plane(m, hit->vertex, hit->triangle, &hit->plane, hit->anchor);
            }
        }
    }
    return is_near;
}

static bool list_unsafe(dr_slide_merge* m)
{
    dr_slide* slide = m->search.slide;
    slide->unsafe_count = 0;
    for (int t = 0; t < slide->triangle_count; ++t) {
        slide->unsafe[slide->unsafe_count] = t;
        slide->unsafe_count += slide->is_unsafe[t];
    }
    m->result->box_tests += slide->unsafe_count;
    // With room for some more, for the next run may have them.
    int wanted = slide->unsafe_count * DR_SLIDE_PAIRS;
    return slide->pairs.capacity >= wanted ||
           dr_array_reserve(m->memory, &slide->pairs, sizeof(dr_slide_pair), 2 * wanted);
}

static void detect_one(dr_slide_merge* m, dr_pool* pool)
{
    dr_slide* slide = m->search.slide;
    dr_parallel_for(pool, slide->chunk_count, CHUNK_GRAIN, search_chunks, &m->search);
    if (!merge_chunks(m)) {
        return;
    }
    dr_parallel_for(pool, slide->triangle_count, TRIANGLE_GRAIN, mark_triangles, &m->search);
    m->has_memory = m->has_memory && list_unsafe(m);
    if (m->has_memory) {
        dr_parallel_for(pool, slide->unsafe_count, UNSAFE_GRAIN, search_triangles, &m->search);
        dr_slide_merge_pairs(m);
    }
}

bool dr_slide_detect(dr_slide* slide, dr_memory* memory, dr_pool* pool, const dr_sheets* sheets,
                     const dr_slide_obstacle* obstacles, int obstacle_count, dr_limits* limits,
                     dr_slide_result* result)
{
    // Floats at this distance from the origin are rounded by a quarter of the second term.
    dr_slide_merge m = {.memory = memory, .result = result, .has_memory = true};
    *result = (dr_slide_result){.smallest_gap = INFINITY};
    slide->run_stamp = slide->run_stamp == INT32_MAX ? 1 : slide->run_stamp + 1;
    double way = box_all(slide, pool, sheets, true);
    m.search =
        (dr_slide_search){.slide = slide,
                          .sheets = sheets,
                          .limits = limits,
                          .tolerance = 1e-4 * (double)slide->def.thickness + 0x1p-22 * slide->scale,
                          .longest = slide->longest_start + 2.0 * way};
    suspect_held(&m);
    dr_slide_freeze_torn(&m);
    dr_slide_guest* guests = slide->guests.data;
    for (int i = 0; i < obstacle_count && i < slide->guests.count && m.has_memory; ++i) {
        m.search.obstacle = &obstacles[i];
        m.search.guest = &guests[i];
        detect_one(&m, pool);
    }
    ++slide->run;
    result->is_clean = m.has_memory && result->plane_count == 0 && result->frozen_count == 0;
    return m.has_memory;
}
