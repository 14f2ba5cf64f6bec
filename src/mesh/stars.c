// mesh/stars.c: gives triangles to vertices, and packs the stars.
#include "mesh/stars.h"

#include <string.h>

enum {
    MAX_SLOTS = DR_STAR_LENGTH + 2,
    GROUP_LANES = DR_STAR_LANES * DR_STAR_WIDTH,
    // A vertex of more triangles owns single ones only. To search among so many takes long, and its
    // stars could not go side by side.
    MOST_TRIANGLES = 64,
};

// One star on its way into a group. Rim vertices are vertices of the mesh.
typedef struct star {
    int32_t owner;
    int32_t rim[DR_STAR_LENGTH + 1];
    int32_t triangles[DR_STAR_LENGTH];
    int length;
} star;

typedef struct builder {
    dr_memory* memory;
    const dr_mesh* mesh;
    const dr_order* order;
    const dr_blocks* blocks;
    uint8_t* is_free; // per triangle: of this block, and without an owner
    star* found;      // stars of one length in one block
    int32_t* slots;   // theirs, counted from the block's first, as the packer wants them
    int found_count;
    dr_array groups, slot_rows, triangle_rows;
} builder;

// --- Runs of triangles round a vertex ---

static bool has_corner(const int32_t* corners, int32_t v)
{
    return corners[0] == v || corners[1] == v || corners[2] == v;
}

static int32_t third_corner(const int32_t* corners, int32_t a, int32_t b)
{
    for (int k = 0; k < 2; ++k) {
        if (corners[k] != a && corners[k] != b) {
            return corners[k];
        }
    }
    return corners[2];
}

// A free triangle of the owner at this rim vertex that the star does not have yet, or -1.
static int32_t next_triangle(const builder* b, const star* s, int32_t rim)
{
    const dr_mesh* mesh = b->mesh;
    int32_t end = mesh->vertex_triangle_start[s->owner + 1];
    for (int32_t i = mesh->vertex_triangle_start[s->owner]; i < end; ++i) {
        int32_t t = mesh->vertex_triangle_list[i];
        bool fits = b->is_free[t] && has_corner(mesh->triangles[t], rim);
        for (int k = 0; k < s->length && fits; ++k) {
            fits = s->triangles[k] != t;
        }
        if (fits) {
            return t;
        }
    }
    return -1;
}

static void reverse(int32_t* list, int count)
{
    for (int i = 0; i < count / 2; ++i) {
        int32_t keep = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = keep;
    }
}

static void turn_round(star* s)
{
    reverse(s->triangles, s->length);
    reverse(s->rim, s->length + 1);
}

static void grow_forward(const builder* b, star* s, int length)
{
    while (s->length < length) {
        int32_t last = s->rim[s->length], t = next_triangle(b, s, last);
        if (t < 0) {
            return;
        }
        s->triangles[s->length++] = t;
        s->rim[s->length] = third_corner(b->mesh->triangles[t], s->owner, last);
    }
}

// The star of `length` triangles that begins with t, or as many as there are beside each other.
static star grow_star(const builder* b, int32_t owner, int32_t t, int length)
{
    const int32_t* corners = b->mesh->triangles[t];
    int k = corners[0] == owner ? 0 : corners[1] == owner ? 1 : 2;
    star s = {.owner = owner, .length = 1};
    s.triangles[0] = t;
    s.rim[0] = corners[(k + 1) % 3];
    s.rim[1] = corners[(k + 2) % 3];
    grow_forward(b, &s, length);
    if (s.length < length) {
        // And on from the other end.
        turn_round(&s);
        grow_forward(b, &s, length);
    }
    return s;
}

static int free_count(const builder* b, int32_t owner)
{
    const dr_mesh* mesh = b->mesh;
    int count = 0, end = mesh->vertex_triangle_start[owner + 1];
    for (int32_t i = mesh->vertex_triangle_start[owner]; i < end; ++i) {
        count += b->is_free[mesh->vertex_triangle_list[i]];
    }
    return count;
}

static void set_free(const builder* b, const star* s, bool is_free)
{
    for (int k = 0; k < s->length; ++k) {
        b->is_free[s->triangles[k]] = is_free;
    }
}

// Gives the vertex as many stars of this length as it has free triangles for.
static void find_stars(builder* b, int32_t owner, int length)
{
    const dr_mesh* mesh = b->mesh;
    int begin = mesh->vertex_triangle_start[owner], end = mesh->vertex_triangle_start[owner + 1];
    int left = length > 1 && end - begin > MOST_TRIANGLES ? 0 : free_count(b, owner);
    for (int32_t i = begin; i < end && left >= length; ++i) {
        int32_t t = mesh->vertex_triangle_list[i];
        if (!b->is_free[t]) {
            continue;
        }
        star s = grow_star(b, owner, t, length);
        if (s.length == length) {
            set_free(b, &s, false);
            if (b->found_count % 2 == 0) {
                turn_round(&s);
            }
            b->found[b->found_count++] = s;
            left -= length;
        }
    }
}

// --- Groups ---

// Number k of the slots of a star: its owner, then its rim.
static int32_t slot_of(const builder* b, const star* s, int k)
{
    return b->order->slot_of_vertex[k == 0 ? s->owner : s->rim[k - 1]];
}

// Adds a row: number k of the slots, or of the triangles, of eight stars.
static bool push_row(builder* b, const int32_t* lanes, int k, bool is_slot)
{
    dr_array* rows = is_slot ? &b->slot_rows : &b->triangle_rows;
    int32_t* row = dr_array_push(b->memory, rows, sizeof(dr_star_row));
    for (int lane = 0; lane < DR_STAR_LANES && row; ++lane) {
        const star* s = lanes[lane] >= 0 ? &b->found[lanes[lane]] : NULL;
        row[lane] = !s ? -1 : is_slot ? slot_of(b, s, k) : s->triangles[k];
    }
    return row != NULL;
}

// Writes down the first `width` vectors of a batch.
static bool push_group(builder* b, const int32_t* lanes, int length, int width)
{
    dr_star_group* group = dr_array_push(b->memory, &b->groups, sizeof *group);
    bool done = group != NULL;
    if (done) {
        *group = (dr_star_group){length, width, b->slot_rows.count, b->triangle_rows.count};
    }
    for (int i = 0; i < width * (length + 2) && done; ++i) {
        done = push_row(b, lanes + i % width * DR_STAR_LANES, i / width, true);
    }
    for (int i = 0; i < width * length && done; ++i) {
        done = push_row(b, lanes + i % width * DR_STAR_LANES, i / width, false);
    }
    return done;
}

// How many vectors of a batch to keep: those that are full but for one lane. One alone would wait
// for itself; single triangles cannot be taken apart.
static int kept_width(int length, int lane_count)
{
    if (length == 1) {
        return (lane_count + DR_STAR_LANES - 1) / DR_STAR_LANES;
    }
    int width = (lane_count + 1) / DR_STAR_LANES;
    return width >= 2 ? width : 0;
}

static bool keep_batch(builder* b, const int32_t* lanes, int length)
{
    int count = 0;
    while (count < GROUP_LANES && lanes[count] >= 0) {
        ++count;
    }
    int width = kept_width(length, count);
    for (int lane = width * DR_STAR_LANES; lane < count; ++lane) {
        set_free(b, &b->found[lanes[lane]], true);
    }
    return width == 0 || push_group(b, lanes, length, width);
}

// Stars of one length in one block.
static bool build_length(builder* b, int block, int length)
{
    const dr_blocks* blocks = b->blocks;
    int after = block + 2 < blocks->block_count ? block + 2 : blocks->block_count;
    int32_t first = blocks->slot_start[block], end = blocks->slot_start[after];
    b->found_count = 0;
    for (int32_t slot = first; slot < end; ++slot) {
        find_stars(b, b->order->vertex_of_slot[slot], length);
    }
    for (int i = 0; i < b->found_count * (length + 2); ++i) {
        b->slots[i] = slot_of(b, &b->found[i / (length + 2)], i % (length + 2)) - first;
    }
    const int32_t start[2] = {0, b->found_count};
    dr_batch batch;
    if (!dr_batch_pack(&batch, b->memory, b->slots, length + 2, start, 1, end - first,
                       GROUP_LANES)) {
        return false;
    }
    bool done = true;
    for (int i = 0; i < batch.batch_count && done; ++i) {
        done = keep_batch(b, batch.order + (size_t)i * GROUP_LANES, length);
    }
    dr_batch_free(&batch, b->memory);
    return done;
}

// --- All blocks ---

static bool build_blocks(builder* b, const int32_t* sorted, const int32_t* triangle_start,
                         const bool* is_left_out, int32_t* group_start)
{
    bool done = true;
    for (int block = 0; block < b->blocks->block_count; ++block) {
        group_start[block] = b->groups.count;
        for (int32_t i = triangle_start[block]; i < triangle_start[block + 1]; ++i) {
            b->is_free[sorted[i]] = !is_left_out[sorted[i]];
        }
        for (int length = DR_STAR_LENGTH; length > 0 && done; --length) {
            done = build_length(b, block, length);
        }
    }
    group_start[b->blocks->block_count] = b->groups.count;
    return done;
}

// Sorts the triangles into blocks, by slots in `slots`.
static bool sort_triangles(const builder* b, int32_t* slots, int32_t* sorted, int32_t* start)
{
    int count = b->mesh->triangle_count;
    for (int i = 0; i < 3 * count; ++i) {
        slots[i] = b->order->slot_of_vertex[b->mesh->triangles[i / 3][i % 3]];
    }
    return dr_blocks_sort(b->blocks, b->memory, slots, 3, count, sorted, start);
}

// Most triangles of a block.
static int largest_block(const int32_t* start, int block_count)
{
    int largest = 1;
    for (int i = 0; i < block_count; ++i) {
        largest = start[i + 1] - start[i] > largest ? start[i + 1] - start[i] : largest;
    }
    return largest;
}

// A copy of the right size.
static bool take(dr_memory* memory, const dr_array* from, size_t size, void** to, int* count)
{
    *count = from->count;
    *to = dr_allocate(memory, dr_array_bytes((size_t)from->count, size));
    if (*to) {
        memcpy(*to, from->data, (size_t)from->count * size);
    }
    return *to || from->count == 0;
}

static bool take_all(dr_stars* stars, builder* b)
{
    void *groups = NULL, *slots = NULL, *triangles = NULL;
    bool done =
        take(b->memory, &b->groups, sizeof *stars->groups, &groups, &stars->group_count) &&
        take(b->memory, &b->slot_rows, sizeof(dr_star_row), &slots, &stars->slot_row_count) &&
        take(b->memory, &b->triangle_rows, sizeof(dr_star_row), &triangles,
             &stars->triangle_row_count);
    stars->groups = groups;
    stars->slots = slots;
    stars->triangles = triangles;
    return done;
}

bool dr_stars_build(dr_stars* stars, dr_memory* memory, const dr_mesh* mesh, const dr_order* order,
                    const dr_blocks* blocks, const bool* is_left_out)
{
    builder b = {.memory = memory, .mesh = mesh, .order = order, .blocks = blocks};
    *stars = (dr_stars){.block_count = blocks->block_count};
    size_t count = (size_t)mesh->triangle_count + 1, block_count = (size_t)blocks->block_count;
    int32_t* sorted = dr_new(memory, int32_t, count);
    int32_t* start = dr_new(memory, int32_t, block_count + 1);
    int32_t* corners = dr_new(memory, int32_t, 3 * count);
    b.is_free = dr_new_zeroed(memory, uint8_t, count);
    stars->group_start = dr_new(memory, int32_t, block_count + 1);
    bool done = sorted && start && corners && b.is_free && stars->group_start &&
                sort_triangles(&b, corners, sorted, start);
    size_t room = done ? (size_t)largest_block(start, blocks->block_count) : 0;
    b.found = dr_new(memory, star, room);
    b.slots = dr_new(memory, int32_t, MAX_SLOTS * room);
    done = done && b.found && b.slots &&
           build_blocks(&b, sorted, start, is_left_out, stars->group_start) && take_all(stars, &b);
    dr_delete(memory, b.slots, MAX_SLOTS * room);
    dr_delete(memory, b.found, room);
    dr_delete(memory, b.is_free, count);
    dr_delete(memory, corners, 3 * count);
    dr_delete(memory, start, block_count + 1);
    dr_delete(memory, sorted, count);
    dr_array_free(memory, &b.groups, sizeof *stars->groups);
    dr_array_free(memory, &b.slot_rows, sizeof(dr_star_row));
    dr_array_free(memory, &b.triangle_rows, sizeof(dr_star_row));
    if (!done) {
        dr_stars_free(stars, memory);
    }
    return done;
}

void dr_stars_free(dr_stars* stars, dr_memory* memory)
{
    dr_delete(memory, stars->groups, stars->group_count);
    dr_delete(memory, stars->group_start, (size_t)stars->block_count + 1);
    dr_delete(memory, stars->slots, stars->slot_row_count);
    dr_delete(memory, stars->triangles, stars->triangle_row_count);
    *stars = (dr_stars){0};
}
