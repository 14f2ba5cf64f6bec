#include "check/crossings.h"

#include <string.h>

#include "check/columns.h"
#include "collide/triangle_pair.h"

// A block of entries is the work of one task. What it finds goes to room of its own; a block that
// finds more only counts, and is searched once more when it is known how much room it needs.
enum { BLOCK_ENTRIES = 256, BLOCK_ROOM = 32 };

// A pair in one word that sorts: both triangles, counted through all meshes, and how they meet.
#define PAIR_A_SHIFT 33
#define PAIR_B_SHIFT 2
#define PAIR_MEETING 3u
#define PAIR_TRIANGLE 0x7FFFFFFFu

// Triangles get 31 bits of a pair, and entries of the columns must be countable.
#define TRIANGLE_LIMIT (INT32_MAX / 8)

typedef struct block {
    uint64_t pairs[BLOCK_ROOM];
    int64_t pair_count; // found, kept or not
    int64_t crossing_count;
    int64_t box_tests, exact_tests;
    int64_t first; // place of its pairs among all
} block;

typedef struct search {
    const dr_check_mesh* meshes;
    int mesh_count;
    int32_t* firsts; // first triangle of each mesh, counted through all
    dr_columns columns;
    block* blocks;
    int block_count;
    uint64_t* pairs;  // of all blocks
    int64_t capacity; // of the pairs
} search;

// --- Boxes ---

static dr_column_box box_of(const dr_check_mesh* mesh, int triangle)
{
    const int32_t* corners = mesh->triangles + 3 * (size_t)triangle;
    drape_vec3 p = mesh->positions[corners[0]];
    dr_column_box box = {{p.x, p.y, p.z}, {p.x, p.y, p.z}, 0, mesh->is_obstacle};
    for (int k = 1; k < 3; ++k) {
        drape_vec3 q = mesh->positions[corners[k]];
        const float at[3] = {q.x, q.y, q.z};
        for (int axis = 0; axis < 3; ++axis) {
            box.lo[axis] = at[axis] < box.lo[axis] ? at[axis] : box.lo[axis];
            box.hi[axis] = at[axis] > box.hi[axis] ? at[axis] : box.hi[axis];
        }
    }
    return box;
}

static void fill_boxes(search* s)
{
    dr_column_box* box = s->columns.boxes;
    for (int m = 0; m < s->mesh_count; ++m) {
        s->firsts[m] = (int32_t)(box - s->columns.boxes);
        for (int t = 0; t < s->meshes[m].triangle_count; ++t) {
            *box = box_of(&s->meshes[m], t);
            box++->mesh = m;
        }
    }
}

// --- Pairs ---

static void load_triangle(const search* s, int32_t number, drape_vec3 corners[3],
                          const int32_t** ids)
{
    int mesh = s->columns.boxes[number].mesh;
    const dr_check_mesh* from = &s->meshes[mesh];
    *ids = from->triangles + 3 * (size_t)(number - s->firsts[mesh]);
    for (int k = 0; k < 3; ++k) {
        corners[k] = from->positions[(*ids)[k]];
    }
}

// The exact answer; false when the triangles are apart.
static bool meet(const search* s, int32_t a, int32_t b, dr_meeting* meeting)
{
    drape_vec3 p[3], q[3];
    const int32_t *p_ids, *q_ids;
    load_triangle(s, a, p, &p_ids);
    load_triangle(s, b, q, &q_ids);
    bool is_one_mesh = s->columns.boxes[a].mesh == s->columns.boxes[b].mesh;
    dr_triangle_relation found =
        dr_triangle_pair(p, is_one_mesh ? p_ids : NULL, q, is_one_mesh ? q_ids : NULL);
    *meeting = found.relation == DR_TRIANGLES_CROSSING ? DR_MEETING_CROSSING
               : found.folded                          ? DR_MEETING_FOLDED
               : found.coplanar                        ? DR_MEETING_COPLANAR
                                                       : DR_MEETING_TOUCH;
    return found.relation != DR_TRIANGLES_APART;
}

static float greater(float a, float b)
{
    return a > b ? a : b;
}

// Whether the boxes meet across the sweep, and in this column first.
static bool is_met_here(const dr_columns* columns, const dr_column_box* a, const dr_column_box* b,
                        int place)
{
    if (a->lo[1] > b->hi[1] || b->lo[1] > a->hi[1] || a->lo[2] > b->hi[2] || b->lo[2] > a->hi[2]) {
        return false;
    }
    int u = dr_column_along(columns, 1, greater(a->lo[1], b->lo[1]));
    int v = dr_column_along(columns, 2, greater(a->lo[2], b->lo[2]));
    return v * columns->column_counts[0] + u == place;
}

static void add_pair(block* found, int32_t a, int32_t b, dr_meeting meeting, uint64_t* pairs,
                     int64_t room)
{
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    if (found->pair_count < room) {
        pairs[found->pair_count] = low << PAIR_A_SHIFT | high << PAIR_B_SHIFT | (uint64_t)meeting;
    }
    ++found->pair_count;
    found->crossing_count += meeting == DR_MEETING_CROSSING;
}

// Holds one entry against those behind it in its column.
static void sweep_entry(const search* s, int entry, block* found, uint64_t* pairs, int64_t room)
{
    const dr_columns* columns = &s->columns;
    int32_t a = columns->entries[entry];
    int place = columns->places[entry];
    const dr_column_box* box = &columns->boxes[a];
    for (int k = entry + 1; k < columns->entry_count && columns->places[k] == place; ++k) {
        int32_t b = columns->entries[k];
        const dr_column_box* other = &columns->boxes[b];
        if (other->lo[0] > box->hi[0]) {
            break;
        }
        ++found->box_tests;
        if ((box->is_obstacle && other->is_obstacle) || !is_met_here(columns, box, other, place)) {
            continue;
        }
        dr_meeting meeting;
        ++found->exact_tests;
        if (meet(s, a, b, &meeting)) {
            add_pair(found, a, b, meeting, pairs, room);
        }
    }
}

static void sweep_block(const search* s, int index, block* found, uint64_t* pairs, int64_t room)
{
    int end = (index + 1) * BLOCK_ENTRIES;
    end = end < s->columns.entry_count ? end : s->columns.entry_count;
    for (int entry = index * BLOCK_ENTRIES; entry < end; ++entry) {
        sweep_entry(s, entry, found, pairs, room);
    }
}

// --- Tasks ---

static void find_pairs(void* context, int begin, int end, int worker)
{
    search* s = context;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        block* here = &s->blocks[k];
        here->pair_count = here->crossing_count = here->box_tests = here->exact_tests = 0;
        sweep_block(s, k, here, here->pairs, BLOCK_ROOM);
    }
}

static void gather_pairs(void* context, int begin, int end, int worker)
{
    search* s = context;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        block* here = &s->blocks[k];
        int64_t room = s->capacity - here->first;
        if (here->pair_count <= BLOCK_ROOM && here->pair_count <= room) {
            memcpy(s->pairs + here->first, here->pairs,
                   sizeof(uint64_t) * (size_t)here->pair_count);
        } else if (room > 0) {
            block again = {.pair_count = 0};
            sweep_block(s, k, &again, s->pairs + here->first, room);
        }
    }
}

// --- The whole ---

static void add_up(search* s, dr_crossings* found)
{
    int64_t sum = 0;
    for (int k = 0; k < s->block_count; ++k) {
        s->blocks[k].first = sum;
        sum += s->blocks[k].pair_count;
        found->crossing_count += s->blocks[k].crossing_count;
        found->box_tests += s->blocks[k].box_tests;
        found->exact_tests += s->blocks[k].exact_tests;
    }
    found->touch_count = sum - found->crossing_count;
    s->capacity = sum < DR_CROSSINGS_LIMIT ? sum : DR_CROSSINGS_LIMIT;
}

static void unpack(const search* s, uint64_t word, dr_crossing* pair)
{
    int32_t a = (int32_t)(word >> PAIR_A_SHIFT);
    int32_t b = (int32_t)(word >> PAIR_B_SHIFT & PAIR_TRIANGLE);
    pair->mesh_a = s->columns.boxes[a].mesh;
    pair->mesh_b = s->columns.boxes[b].mesh;
    pair->triangle_a = a - s->firsts[pair->mesh_a];
    pair->triangle_b = b - s->firsts[pair->mesh_b];
    pair->meeting = (dr_meeting)(word & PAIR_MEETING);
}

// Sorts what the blocks found and takes it apart.
static bool collect(search* s, dr_memory* memory, dr_pool* pool, dr_crossings* found)
{
    size_t count = (size_t)s->capacity;
    if (count == 0) {
        return true;
    }
    s->pairs = dr_new(memory, uint64_t, count);
    uint64_t* spare = dr_new(memory, uint64_t, count);
    found->pairs = dr_new(memory, dr_crossing, count);
    bool is_collected = s->pairs != NULL && spare != NULL && found->pairs != NULL;
    found->pair_count = (int)count;
    if (is_collected) {
        dr_parallel_for(pool, s->block_count, 8, gather_pairs, s);
        dr_sort_words(s->pairs, spare, count);
        for (size_t k = 0; k < count; ++k) {
            unpack(s, s->pairs[k], &found->pairs[k]);
        }
    }
    dr_delete(memory, s->pairs, count);
    dr_delete(memory, spare, count);
    return is_collected;
}

static bool run_search(search* s, dr_memory* memory, dr_pool* pool, dr_crossings* found)
{
    int count = s->columns.box_count;
    s->firsts = dr_new(memory, int32_t, s->mesh_count);
    s->columns.boxes = dr_new(memory, dr_column_box, count);
    if (s->firsts == NULL || s->columns.boxes == NULL) {
        return false;
    }
    fill_boxes(s);
    if (!dr_columns_build(&s->columns, memory)) {
        return false;
    }
    s->block_count = (s->columns.entry_count + BLOCK_ENTRIES - 1) / BLOCK_ENTRIES;
    s->blocks = dr_new(memory, block, s->block_count);
    if (s->blocks == NULL) {
        return false;
    }
    dr_parallel_for(pool, s->block_count, 8, find_pairs, s);
    add_up(s, found);
    return collect(s, memory, pool, found);
}

bool dr_crossings_find(dr_crossings* found, dr_memory* memory, dr_pool* pool,
                       const dr_check_mesh* meshes, int mesh_count)
{
    int64_t triangle_count = 0;
    for (int m = 0; m < mesh_count; ++m) {
        triangle_count += meshes[m].triangle_count;
    }
    *found = (dr_crossings){0};
    if (triangle_count == 0 || triangle_count > TRIANGLE_LIMIT) {
        return triangle_count == 0;
    }
    search s = {
        .meshes = meshes, .mesh_count = mesh_count, .columns.box_count = (int)triangle_count};
    bool is_found = run_search(&s, memory, pool, found);
    dr_delete(memory, s.blocks, s.block_count);
    dr_columns_free(&s.columns, memory);
    dr_delete(memory, s.columns.boxes, s.columns.box_count);
    dr_delete(memory, s.firsts, mesh_count);
    if (!is_found) {
        dr_crossings_free(found, memory);
    }
    return is_found;
}

void dr_crossings_free(dr_crossings* found, dr_memory* memory)
{
    dr_delete(memory, found->pairs, found->pair_count);
    *found = (dr_crossings){0};
}
