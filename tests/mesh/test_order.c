// Breadth-first orders, blocks of levels, batches.
#include <math.h>
#include <string.h>

#include "mesh/order.h"
#include "mesh_test.h"

// Of most batches; some have as many as there may be.
enum { LANES = 8 };

// The level of a slot.
static int level_of(const dr_order* order, int32_t slot)
{
    int level = 0;
    while (order->level_start[level + 1] <= slot) {
        ++level;
    }
    return level;
}

// A permutation, levels that follow one another, and no edge across more than one level.
static void check_order(const dr_order* order, const dr_mesh* mesh)
{
    for (int32_t s = 0; s < mesh->vertex_count; ++s) {
        ck_assert_int_eq(order->slot_of_vertex[order->vertex_of_slot[s]], s);
    }
    ck_assert_int_eq(order->level_start[0], 0);
    ck_assert_int_eq(order->level_start[order->level_count], mesh->vertex_count);
    for (int k = 0; k < order->level_count; ++k) {
        ck_assert_int_lt(order->level_start[k], order->level_start[k + 1]);
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        int a = level_of(order, order->slot_of_vertex[mesh->edges[e].v[0]]);
        int b = level_of(order, order->slot_of_vertex[mesh->edges[e].v[1]]);
        ck_assert_int_le(abs(a - b), 1);
    }
}

// Levels hold one part only, but for the isolated vertices, which share the last.
static void check_level_parts(const dr_order* order, const dr_mesh* mesh)
{
    int isolated = mesh->report.isolated_vertex_count;
    for (int k = 0; k < order->level_count; ++k) {
        int32_t first = order->level_start[k];
        bool last_of_isolated = isolated > 0 && k == order->level_count - 1;
        for (int32_t s = first; s < order->level_start[k + 1]; ++s) {
            int32_t v = order->vertex_of_slot[s];
            bool is_isolated = mesh->vertex_triangle_start[v] == mesh->vertex_triangle_start[v + 1];
            ck_assert(is_isolated == last_of_isolated);
            if (!is_isolated) {
                ck_assert_int_eq(mesh->vertex_part[v],
                                 mesh->vertex_part[order->vertex_of_slot[first]]);
            }
        }
    }
    ck_assert(isolated == 0 ||
              order->level_start[order->level_count - 1] == mesh->vertex_count - isolated);
}

// Several sheets and single vertices, numbered at random.
static dr_mesh build_scattered(uint64_t seed)
{
    enum { MAX = 400 };
    drape_vec3 points[MAX];
    int32_t names[MAX], triangles[3 * 2 * MAX];
    int vertex_count = 0, triangle_count = 0;
    int sheets = 1 + random_below(&seed, 4);
    for (int i = 0; i < sheets; ++i) {
        dr_shape_mesh grid;
        int columns = 2 + random_below(&seed, 8), rows = 2 + random_below(&seed, 8);
        ck_assert(dr_generate_grid(&grid, &memory, 1, 1, columns, rows, DRAPE_DIAGONALS_ALTERNATE));
        const int32_t* from = grid.triangles[0];
        for (int k = 0; k < 3 * grid.triangle_count; ++k) {
            triangles[3 * triangle_count + k] = vertex_count + from[k];
        }
        vertex_count += grid.vertex_count;
        triangle_count += grid.triangle_count;
        dr_shape_free(&grid, &memory);
    }
    vertex_count += random_below(&seed, 4);
    for (int i = 0; i < vertex_count; ++i) {
        int j = random_below(&seed, i + 1);
        names[i] = names[j];
        names[j] = i;
        points[i] = (drape_vec3){(float)i, random_signed(&seed), random_signed(&seed)};
    }
    for (int k = 0; k < 3 * triangle_count; ++k) {
        triangles[k] = names[triangles[k]];
    }
    drape_mesh_view view = {.positions = points,
                            .triangles = triangles,
                            .vertex_count = vertex_count,
                            .triangle_count = triangle_count};
    return build(&view);
}

START_TEST(orders_are_breadth_first)
{
    setup_memory();
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        dr_mesh mesh = build_scattered(seed);
        dr_order order, again;
        ck_assert(dr_order_breadth_first(&order, &memory, &mesh));
        check_order(&order, &mesh);
        check_level_parts(&order, &mesh);
        ck_assert(dr_order_breadth_first(&again, &memory, &mesh));
        ck_assert_mem_eq(order.vertex_of_slot, again.vertex_of_slot,
                         (size_t)mesh.vertex_count * sizeof(int32_t));
        dr_order_free(&order, &memory);
        dr_order_free(&again, &memory);
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

// A strip is walked from one end to the other, wherever its numbers begin: its middle here.
START_TEST(walks_begin_at_a_far_end)
{
    setup_memory();
    dr_shape_mesh strip;
    ck_assert(dr_generate_grid(&strip, &memory, 1, 1, 101, 3, DRAPE_DIAGONALS_FORWARD));
    int32_t* indices = strip.triangles[0];
    for (int k = 0; k < 3 * strip.triangle_count; ++k) {
        indices[k] = (indices[k] + 50) % strip.vertex_count;
    }
    drape_mesh_view view = view_of(&strip);
    dr_mesh mesh = build(&view);
    dr_order order;
    ck_assert(dr_order_breadth_first(&order, &memory, &mesh));
    ck_assert_int_ge(order.level_count, 101);
    for (int k = 0; k < order.level_count; ++k) {
        ck_assert_int_le(order.level_start[k + 1] - order.level_start[k], 5);
    }
    dr_order_free(&order, &memory);
    dr_mesh_free(&mesh, &memory);
    dr_shape_free(&strip, &memory);
    check_memory_freed();
}
END_TEST

// Constraints of one kind in slots: triangles (arity 3) or hinges (arity 4), sorted into blocks.
typedef struct constraints {
    int32_t* slots;
    int32_t* block_start;
    int arity, count;
} constraints;

static constraints sort_constraints(const dr_mesh* mesh, const dr_order* order,
                                    const dr_blocks* blocks, int arity)
{
    constraints c = {.arity = arity,
                     .count = arity == 3 ? mesh->triangle_count : mesh->hinge_count};
    size_t slot_count = (size_t)(c.count * arity);
    int32_t* given = calloc(slot_count + 1, sizeof *given);
    int32_t* sorted = calloc((size_t)c.count + 1, sizeof *sorted);
    c.slots = calloc(slot_count + 1, sizeof *c.slots);
    c.block_start = calloc((size_t)blocks->block_count + 1, sizeof *c.block_start);
    for (int i = 0; i < c.count; ++i) {
        const int32_t* v = arity == 3 ? mesh->triangles[i] : mesh->hinges[i].v;
        for (int k = 0; k < arity; ++k) {
            given[i * arity + k] = order->slot_of_vertex[v[k]];
        }
    }
    ck_assert(dr_blocks_sort(blocks, &memory, given, arity, c.count, sorted, c.block_start));
    for (int i = 0; i < c.count; ++i) {
        memcpy(c.slots + i * arity, given + sorted[i] * arity, (size_t)arity * sizeof *given);
    }
    free(given);
    free(sorted);
    return c;
}

static void constraints_free(constraints* c)
{
    free(c->slots);
    free(c->block_start);
}

static int32_t lowest(const constraints* c, int i)
{
    int32_t least = c->slots[i * c->arity];
    for (int k = 1; k < c->arity; ++k) {
        least = c->slots[i * c->arity + k] < least ? c->slots[i * c->arity + k] : least;
    }
    return least;
}

static void check_sorted(const constraints* c, const dr_blocks* blocks)
{
    ck_assert_int_eq(c->block_start[0], 0);
    ck_assert_int_eq(c->block_start[blocks->block_count], c->count);
    for (int i = 1; i < c->count; ++i) {
        ck_assert_int_le(lowest(c, i - 1), lowest(c, i));
    }
    for (int b = 0; b < blocks->block_count; ++b) {
        for (int i = c->block_start[b]; i < c->block_start[b + 1]; ++i) {
            ck_assert_int_ge(lowest(c, i), blocks->slot_start[b]);
            ck_assert_int_lt(lowest(c, i), blocks->slot_start[b + 1]);
        }
    }
}

// The property that lets even blocks run beside each other: a slot that constraints of one block
// touch is touched by no other block of the same parity.
static void check_disjoint(const constraints* c, const dr_blocks* blocks, int slot_count)
{
    int* toucher = calloc((size_t)slot_count, sizeof *toucher);
    for (int parity = 0; parity < 2; ++parity) {
        memset(toucher, 0xff, (size_t)slot_count * sizeof *toucher);
        for (int b = parity; b < blocks->block_count; b += 2) {
            int end = c->arity * c->block_start[b + 1];
            for (int i = c->arity * c->block_start[b]; i < end; ++i) {
                int before = toucher[c->slots[i]];
                ck_assert_msg(before == -1 || before == b, "slot %d is in blocks %d and %d",
                              c->slots[i], before, b);
                toucher[c->slots[i]] = b;
            }
        }
    }
    free(toucher);
}

// Whole levels, at least two each unless the mesh has no more, and no block far above the target.
static void check_blocks(const dr_blocks* blocks, const dr_order* order, int target)
{
    int widest = 0;
    for (int k = 0; k < order->level_count; ++k) {
        int width = order->level_start[k + 1] - order->level_start[k];
        widest = width > widest ? width : widest;
    }
    int level = 0;
    ck_assert_int_eq(blocks->slot_start[0], 0);
    ck_assert_int_eq(blocks->slot_start[blocks->block_count], order->vertex_count);
    for (int b = 0; b < blocks->block_count; ++b) {
        int first = level;
        while (level < order->level_count &&
               order->level_start[level] < blocks->slot_start[b + 1]) {
            ++level;
        }
        ck_assert_int_eq(order->level_start[level], blocks->slot_start[b + 1]);
        ck_assert(level - first >= 2 || blocks->block_count == 1);
        int size = blocks->slot_start[b + 1] - blocks->slot_start[b];
        ck_assert_int_le(size, target + 4 * widest);
    }
}

START_TEST(blocks_of_one_parity_share_no_vertex)
{
    setup_memory();
    const int targets[] = {1, 10, 40, 1000};
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        int target = targets[seed % 4];
        dr_mesh mesh = build_scattered(seed);
        dr_order order;
        dr_blocks blocks;
        ck_assert(dr_order_breadth_first(&order, &memory, &mesh));
        ck_assert(dr_blocks_cut(&blocks, &memory, &order, 2, target));
        check_blocks(&blocks, &order, target);
        for (int arity = 3; arity <= 4; ++arity) {
            constraints c = sort_constraints(&mesh, &order, &blocks, arity);
            check_sorted(&c, &blocks);
            check_disjoint(&c, &blocks, mesh.vertex_count);
            constraints_free(&c);
        }
        dr_blocks_free(&blocks, &memory);
        dr_order_free(&order, &memory);
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

static bool share_slot(const constraints* c, int32_t i, int32_t j)
{
    for (int k = 0; k < c->arity * c->arity; ++k) {
        if (c->slots[i * c->arity + k / c->arity] == c->slots[j * c->arity + k % c->arity]) {
            return true;
        }
    }
    return false;
}

static void check_lanes(const constraints* c, const int32_t* lanes, int count)
{
    for (int i = 0; i < count; ++i) {
        ck_assert(i == 0 || lanes[i] < 0 || lanes[i - 1] >= 0); // empty ones are last
        for (int j = i + 1; j < count && lanes[i] >= 0; ++j) {
            ck_assert(lanes[j] < 0 || !share_slot(c, lanes[i], lanes[j]));
        }
    }
}

// Each constraint is in one lane of its own block, and lanes of a batch share no slot.
static void check_batches(const dr_batch* batch, const constraints* c, const dr_blocks* blocks)
{
    int* seen = calloc((size_t)c->count + 1, sizeof *seen);
    ck_assert_int_eq(batch->block_start[0], 0);
    ck_assert_int_eq(batch->block_start[blocks->block_count], batch->batch_count);
    for (int b = 0; b < blocks->block_count; ++b) {
        for (int i = batch->block_start[b]; i < batch->block_start[b + 1]; ++i) {
            const int32_t* lanes = batch->order + i * batch->lanes;
            ck_assert_int_ge(lanes[0], 0);
            check_lanes(c, lanes, batch->lanes);
            for (int lane = 0; lane < batch->lanes; ++lane) {
                if (lanes[lane] >= 0) {
                    ck_assert_int_ge(lanes[lane], c->block_start[b]);
                    ck_assert_int_lt(lanes[lane], c->block_start[b + 1]);
                    ++seen[lanes[lane]];
                }
            }
        }
    }
    for (int i = 0; i < c->count; ++i) {
        ck_assert_int_eq(seen[i], 1);
    }
    free(seen);
}

// Packs triangles and hinges of a mesh, and returns the larger share of empty lanes.
static double pack_and_check(const dr_mesh* mesh, int target, int lanes)
{
    double worst = 0.0;
    dr_order order;
    dr_blocks blocks;
    ck_assert(dr_order_breadth_first(&order, &memory, mesh));
    ck_assert(dr_blocks_cut(&blocks, &memory, &order, 2, target));
    for (int arity = 3; arity <= 4; ++arity) {
        constraints c = sort_constraints(mesh, &order, &blocks, arity);
        dr_batch batch;
        ck_assert(dr_batch_pack(&batch, &memory, c.slots, arity, c.block_start, blocks.block_count,
                                mesh->vertex_count, lanes));
        check_batches(&batch, &c, &blocks);
        double room = (double)lanes * batch.batch_count;
        worst = room > 0.0 ? fmax(worst, 1.0 - c.count / room) : worst;
        dr_batch_free(&batch, &memory);
        constraints_free(&c);
    }
    dr_blocks_free(&blocks, &memory);
    dr_order_free(&order, &memory);
    return worst;
}

START_TEST(batches_share_no_vertex)
{
    setup_memory();
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        dr_mesh mesh = build_scattered(seed);
        pack_and_check(&mesh, seed % 2 ? 20 : 1000, seed % 3 ? LANES : DR_BATCH_MOST_LANES);
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

START_TEST(batches_are_nearly_full)
{
    setup_memory();
    for (int diagonals = 0; diagonals < 3; ++diagonals) {
        dr_mesh mesh = build_grid(71, 71, (drape_diagonals)diagonals);
        ck_assert_double_lt(pack_and_check(&mesh, 400, LANES), 0.03);
        dr_mesh_free(&mesh, &memory);
    }
    dr_shape_mesh disc;
    ck_assert(dr_generate_disc(&disc, &memory, 1.0f, 41, 0.0f));
    drape_mesh_view view = view_of(&disc);
    dr_mesh mesh = build(&view);
    ck_assert_double_lt(pack_and_check(&mesh, 400, LANES), 0.03);
    dr_mesh_free(&mesh, &memory);
    dr_shape_free(&disc, &memory);
    check_memory_freed();
}
END_TEST

// All constraints at one vertex: nothing can be packed, the window runs full, and all come out.
START_TEST(a_star_gives_one_constraint_per_batch)
{
    setup_memory();
    enum { COUNT = 500 };
    int32_t slots[3 * COUNT], block_start[2] = {0, COUNT};
    for (int i = 0; i < COUNT; ++i) {
        slots[3 * i] = 0;
        slots[3 * i + 1] = 1 + 2 * i;
        slots[3 * i + 2] = 2 + 2 * i;
    }
    dr_batch batch;
    ck_assert(dr_batch_pack(&batch, &memory, slots, 3, block_start, 1, 2 * COUNT + 1, LANES));
    ck_assert_int_eq(batch.batch_count, COUNT);
    for (int i = 0; i < COUNT; ++i) {
        ck_assert_int_eq(batch.order[LANES * i], i);
        ck_assert_int_eq(batch.order[LANES * i + 1], -1);
    }
    dr_batch_free(&batch, &memory);
    check_memory_freed();
}
END_TEST

START_TEST(nothing_to_pack_is_no_error)
{
    setup_memory();
    const drape_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    drape_mesh_view view = {.positions = points, .vertex_count = 3};
    dr_mesh mesh = build(&view);
    pack_and_check(&mesh, 100, LANES);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

// Each stage fails in turn, gives back what it holds, and leaves the ones before it alone.
static bool try_to_pack(const dr_mesh* mesh)
{
    dr_order order;
    dr_blocks blocks;
    dr_batch batch;
    int32_t sorted[8], block_start[8];
    bool packed = false;
    if (dr_order_breadth_first(&order, &memory, mesh)) {
        if (dr_blocks_cut(&blocks, &memory, &order, 2, 1)) {
            const int32_t* slots = mesh->triangles[0];
            packed = dr_blocks_sort(&blocks, &memory, slots, 3, mesh->triangle_count, sorted,
                                    block_start) &&
                     dr_batch_pack(&batch, &memory, slots, 3, block_start, blocks.block_count,
                                   mesh->vertex_count, LANES);
            if (packed) {
                dr_batch_free(&batch, &memory);
            }
            dr_blocks_free(&blocks, &memory);
        }
        dr_order_free(&order, &memory);
    }
    return packed;
}

START_TEST(shortage_of_memory_leaves_nothing)
{
    setup_failing_memory();
    calls_left = 1000;
    dr_mesh mesh = build_grid(3, 3, DRAPE_DIAGONALS_FORWARD);
    size_t held = memory.live_bytes;
    int tried = 0;
    bool packed = false;
    for (; !packed; ++tried) {
        calls_left = tried;
        packed = try_to_pack(&mesh);
        ck_assert_uint_eq(memory.live_bytes, held);
    }
    ck_assert_int_gt(tried, 10);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("order");
    TCase* cases = tcase_create("order");
    tcase_add_test(cases, orders_are_breadth_first);
    tcase_add_test(cases, walks_begin_at_a_far_end);
    tcase_add_test(cases, blocks_of_one_parity_share_no_vertex);
    tcase_add_test(cases, batches_share_no_vertex);
    tcase_add_test(cases, batches_are_nearly_full);
    tcase_add_test(cases, a_star_gives_one_constraint_per_batch);
    tcase_add_test(cases, nothing_to_pack_is_no_error);
    tcase_add_test(cases, shortage_of_memory_leaves_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
