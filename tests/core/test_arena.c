// Memory of one step: bumping, spilling, and peace with the heap once settled.
#include <string.h>

#include "core/random.h"
#include "core_test.h"

enum { piece_count = 200 };

// Takes pieces of random sizes, marks each with its number, and checks the marks at the end.
static void run_round(dr_arena* arena, uint32_t seed, size_t largest)
{
    unsigned char* pieces[piece_count];
    size_t sizes[piece_count];
    for (uint32_t i = 0; i < piece_count; ++i) {
        sizes[i] = 1 + dr_random_u32(seed, i) % largest;
        pieces[i] = dr_arena_new(arena, unsigned char, sizes[i]);
        ck_assert_ptr_nonnull(pieces[i]);
        ck_assert_uint_eq((uintptr_t)pieces[i] % 64, 0);
        memset(pieces[i], (int)i, sizes[i]);
    }
    for (int i = 0; i < piece_count; ++i) {
        size_t wrong = 0;
        for (size_t k = 0; k < sizes[i]; ++k) {
            wrong += pieces[i][k] != i;
        }
        ck_assert_uint_eq(wrong, 0);
    }
}

START_TEST(pieces_do_not_overlap)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_arena arena;
    dr_arena_init(&arena, &memory);
    // Each round wants more than the last: some pieces fit, some spill.
    for (uint32_t round = 0; round < 6; ++round) {
        run_round(&arena, round, 100u << round);
        dr_arena_reset(&arena);
    }
    dr_arena_free(&arena);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

START_TEST(settled_rounds_make_no_heap_calls)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_arena arena;
    dr_arena_init(&arena, &memory);
    run_round(&arena, 1, 3000);
    dr_arena_reset(&arena);
    int64_t calls = memory.call_count;
    // The same, and anything smaller.
    run_round(&arena, 1, 3000);
    dr_arena_reset(&arena);
    run_round(&arena, 1, 300);
    dr_arena_reset(&arena);
    run_round(&arena, 1, 3000);
    dr_arena_reset(&arena);
    ck_assert_int_eq(memory.call_count, calls);
    dr_arena_free(&arena);
}
END_TEST

START_TEST(creeping_demand_seldom_calls_the_heap)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_arena arena;
    dr_arena_init(&arena, &memory);
    for (size_t round = 0; round < 100; ++round) {
        ck_assert_ptr_nonnull(dr_arena_allocate(&arena, 100000 + 640 * round));
        dr_arena_reset(&arena);
    }
    // Each growth takes four calls: spill, its release, the old block, the new one.
    ck_assert_int_le(memory.call_count, 6 * 4);
    dr_arena_free(&arena);
}
END_TEST

START_TEST(nothing_and_too_much_give_null)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_arena arena;
    dr_arena_init(&arena, &memory);
    ck_assert_ptr_null(dr_arena_allocate(&arena, 0));
    ck_assert_ptr_null(dr_arena_allocate(&arena, SIZE_MAX));
    ck_assert_ptr_null(dr_arena_allocate(&arena, SIZE_MAX / 2));
    ck_assert_ptr_null(dr_arena_new(&arena, double, -1));
    dr_arena_reset(&arena);
    ck_assert_int_eq(memory.call_count, 0);
    dr_arena_free(&arena);
}
END_TEST

START_TEST(shortage_is_told_and_survived)
{
    watched_heap heap;
    dr_memory memory;
    memory_watch(&memory, &heap, 1);
    dr_arena arena;
    dr_arena_init(&arena, &memory);
    ck_assert_ptr_nonnull(dr_arena_allocate(&arena, 1000));
    ck_assert_ptr_null(dr_arena_allocate(&arena, 1000));
    // The block cannot be had either: the arena goes on with spills alone.
    dr_arena_reset(&arena);
    ck_assert_ptr_null(dr_arena_allocate(&arena, 1000));
    heap.calls_left = 1000;
    run_round(&arena, 5, 100);
    dr_arena_reset(&arena);
    run_round(&arena, 5, 100);
    dr_arena_free(&arena);
    ck_assert_uint_eq(heap.bytes, 0);
    ck_assert_int_eq(heap.allocate_count, heap.release_count);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("arena");
    TCase* cases = tcase_create("arena");
    tcase_add_test(cases, pieces_do_not_overlap);
    tcase_add_test(cases, settled_rounds_make_no_heap_calls);
    tcase_add_test(cases, creeping_demand_seldom_calls_the_heap);
    tcase_add_test(cases, nothing_and_too_much_give_null);
    tcase_add_test(cases, shortage_is_told_and_survived);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
