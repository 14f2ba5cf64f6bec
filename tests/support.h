// support.h: what all tests share.
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <check.h>
#include <stdlib.h>

// A host's allocator that watches what it is asked for, and runs out after `calls_left` blocks.
typedef struct watched_heap {
    int calls_left;
    int allocate_count, release_count;
    size_t bytes; // in use; sizes given back must match
} watched_heap;

static inline void* watched_allocate(void* user, size_t size, size_t alignment)
{
    watched_heap* heap = user;
    if (heap->calls_left-- <= 0) {
        return NULL;
    }
    ++heap->allocate_count;
    heap->bytes += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void watched_release(void* user, void* block, size_t size)
{
    watched_heap* heap = user;
    ++heap->release_count;
    heap->bytes -= size;
    free(block);
}

static inline int run_suite(Suite* suite)
{
    SRunner* runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
