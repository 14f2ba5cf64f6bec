// Allocation through the host's hook, and arrays that grow.
#include <limits.h>
#include <string.h>

#include "core_test.h"

START_TEST(blocks_are_aligned_and_counted)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    void* blocks[40];
    for (size_t i = 0; i < 40; ++i) {
        blocks[i] = dr_allocate(&memory, 1 + 7 * i);
        ck_assert_ptr_nonnull(blocks[i]);
        ck_assert_uint_eq((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], 0xa5, 1 + 7 * i);
    }
    ck_assert_int_eq(memory.call_count, 40);
    for (size_t i = 0; i < 40; ++i) {
        dr_release(&memory, blocks[i], 1 + 7 * i);
    }
    ck_assert_int_eq(memory.call_count, 80);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

START_TEST(nothing_and_too_much_give_null)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    ck_assert_ptr_null(dr_allocate(&memory, 0));
    ck_assert_ptr_null(dr_allocate(&memory, SIZE_MAX));
    ck_assert_ptr_null(dr_allocate(&memory, SIZE_MAX / 2 + 1));
    ck_assert_ptr_null(dr_allocate_zeroed(&memory, SIZE_MAX));
    // A negative count is a very large one.
    ck_assert_ptr_null(dr_new(&memory, double, -1));
    dr_release(&memory, NULL, 8);
    ck_assert_int_eq(memory.call_count, 0);
}
END_TEST

START_TEST(array_bytes_saturate)
{
    ck_assert_uint_eq(dr_array_bytes(0, 12), 0);
    ck_assert_uint_eq(dr_array_bytes(12, 0), 0);
    ck_assert_uint_eq(dr_array_bytes(1000, 12), 12000);
    ck_assert_uint_eq(dr_array_bytes(SIZE_MAX / 12, 12), SIZE_MAX / 12 * 12);
    ck_assert_uint_eq(dr_array_bytes(SIZE_MAX / 12 + 1, 12), SIZE_MAX);
    ck_assert_uint_eq(dr_array_bytes(SIZE_MAX, SIZE_MAX), SIZE_MAX);
}
END_TEST

START_TEST(zeroed_memory_is_zero)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    // The second block may well be the first one again.
    for (int round = 0; round < 2; ++round) {
        unsigned char* bytes = dr_new_zeroed(&memory, unsigned char, 1000);
        for (int i = 0; i < 1000; ++i) {
            ck_assert_uint_eq(bytes[i], 0);
        }
        memset(bytes, 0xff, 1000);
        dr_delete(&memory, bytes, 1000);
    }
}
END_TEST

START_TEST(hook_gets_back_the_sizes_it_gave)
{
    watched_heap heap;
    dr_memory memory;
    memory_watch(&memory, &heap, 2);
    float* a = dr_new(&memory, float, 100);
    double* b = dr_new(&memory, double, 3);
    ck_assert_ptr_null(dr_new(&memory, char, 1));
    ck_assert_uint_eq(heap.bytes, 424);
    ck_assert_uint_eq(memory.live_bytes, 424);
    dr_delete(&memory, a, 100);
    dr_delete(&memory, b, 3);
    ck_assert_uint_eq(heap.bytes, 0);
    ck_assert_int_eq(heap.release_count, 2);
    ck_assert_int_eq(memory.call_count, 5);
}
END_TEST

START_TEST(hook_without_release_keeps_its_blocks)
{
    watched_heap heap = {.calls_left = 1};
    drape_allocator hook = {watched_allocate, NULL, &heap};
    dr_memory memory;
    dr_memory_init(&memory, &hook);
    void* block = dr_allocate(&memory, 32);
    dr_release(&memory, block, 32);
    ck_assert_uint_eq(heap.bytes, 32);
    ck_assert_uint_eq(memory.live_bytes, 0);
    ck_assert_int_eq(memory.call_count, 1);
    free(block);
}
END_TEST

START_TEST(array_keeps_what_was_pushed)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_array list = {0};
    for (int i = 0; i < 10000; ++i) {
        int64_t* place = dr_array_push(&memory, &list, sizeof(int64_t));
        *place = (int64_t)i * i;
    }
    ck_assert_int_eq(list.count, 10000);
    const int64_t* numbers = list.data;
    for (int i = 0; i < 10000; ++i) {
        ck_assert_int_eq(numbers[i], (int64_t)i * i);
    }
    // Doubling: some ten blocks, not ten thousand.
    ck_assert_int_le(memory.call_count, 24);
    dr_array_free(&memory, &list, sizeof(int64_t));
    ck_assert_ptr_null(list.data);
    ck_assert_int_eq(list.count + list.capacity, 0);
    ck_assert_uint_eq(memory.live_bytes, 0);
}
END_TEST

START_TEST(reserved_array_pushes_without_heap_calls)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_array list = {0};
    ck_assert(dr_array_reserve(&memory, &list, 12, 500));
    ck_assert(dr_array_reserve(&memory, &list, 12, 100));
    ck_assert(dr_array_reserve(&memory, &list, 12, -1));
    int64_t calls = memory.call_count;
    for (int i = 0; i < 500; ++i) {
        memset(dr_array_push(&memory, &list, 12), i, 12);
    }
    ck_assert_int_eq(memory.call_count, calls);
    dr_array_free(&memory, &list, 12);
}
END_TEST

START_TEST(trimmed_array_keeps_its_elements)
{
    dr_memory memory;
    dr_memory_init(&memory, NULL);
    dr_array list = {0};
    for (int i = 0; i < 100; ++i) {
        *(int*)dr_array_push(&memory, &list, sizeof(int)) = i;
    }
    dr_array_trim(&memory, &list, sizeof(int));
    ck_assert_int_eq(list.capacity, 100);
    ck_assert_uint_eq(memory.live_bytes, 100 * sizeof(int));
    for (int i = 0; i < 100; ++i) {
        ck_assert_int_eq(((const int*)list.data)[i], i);
    }
    list.count = 0;
    dr_array_trim(&memory, &list, sizeof(int));
    ck_assert_uint_eq(memory.live_bytes, 0);
    dr_array_free(&memory, &list, sizeof(int));
}
END_TEST

START_TEST(failed_push_changes_nothing)
{
    watched_heap heap;
    dr_memory memory;
    memory_watch(&memory, &heap, 1);
    dr_array list = {0};
    int pushed = 0;
    for (int* place; (place = dr_array_push(&memory, &list, sizeof(int))) != NULL; ++pushed) {
        *place = pushed;
    }
    dr_array before = list;
    ck_assert_ptr_null(dr_array_push(&memory, &list, sizeof(int)));
    ck_assert(!dr_array_reserve(&memory, &list, sizeof(int), INT_MAX));
    ck_assert_mem_eq(&before, &list, sizeof(list));
    ck_assert_int_eq(list.count, pushed);
    for (int i = 0; i < pushed; ++i) {
        ck_assert_int_eq(((int*)list.data)[i], i);
    }
    dr_array_free(&memory, &list, sizeof(int));
    ck_assert_uint_eq(heap.bytes, 0);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("memory");
    TCase* cases = tcase_create("memory");
    tcase_add_test(cases, blocks_are_aligned_and_counted);
    tcase_add_test(cases, nothing_and_too_much_give_null);
    tcase_add_test(cases, array_bytes_saturate);
    tcase_add_test(cases, zeroed_memory_is_zero);
    tcase_add_test(cases, hook_gets_back_the_sizes_it_gave);
    tcase_add_test(cases, hook_without_release_keeps_its_blocks);
    tcase_add_test(cases, array_keeps_what_was_pushed);
    tcase_add_test(cases, reserved_array_pushes_without_heap_calls);
    tcase_add_test(cases, trimmed_array_keeps_its_elements);
    tcase_add_test(cases, failed_push_changes_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
