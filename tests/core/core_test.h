// core_test.h: what the tests of the core share.
#ifndef CORE_TEST_H
#define CORE_TEST_H

#include "../support.h"
#include "core/memory.h"

static inline void memory_watch(dr_memory* memory, watched_heap* heap, int calls_left)
{
    *heap = (watched_heap){.calls_left = calls_left};
    drape_allocator hook = {watched_allocate, watched_release, heap};
    dr_memory_init(memory, &hook);
}

#endif
