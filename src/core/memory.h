// core/memory.h: where all memory of a world comes from.
//
// Every allocation of the core goes through a dr_memory, which wraps the host's allocator (or the C
// library's) and counts its calls; a settled step must not raise that count. Blocks are aligned to
// 64 bytes, so any of them may hold vectors. Sizes are given back on release: no hidden headers.
// A dr_memory belongs to the thread that owns the world; tasks of dr_parallel_for never allocate.
//
// dr_array: a list that grows by doubling.
//
// dr_arena: memory of one step. It bumps through one block; what does not fit spills to blocks of
// its own, and dr_arena_reset() then replaces the block by one that holds all of the round:
//
//     block   [ used .......... | free ]      capacity
//     spills  [ ... ] -> [ ....... ]          wanted = used + spilled
//
// After a few rounds nothing spills and the heap is left alone.
#ifndef DR_MEMORY_H
#define DR_MEMORY_H

#include <drape/types.h>

// Alignment of every block, in bytes: a cache line, and any vector register.
#define DR_ALIGNMENT 64

typedef struct dr_memory {
    drape_allocator hook; // allocate is never null after dr_memory_init
    int64_t call_count;   // calls of the hook so far, to allocate and to release
    size_t live_bytes;    // in use now
} dr_memory;

// `hook` may be null or empty: the C library's memory. A hook without `release` keeps all it gave.
void dr_memory_init(dr_memory* memory, const drape_allocator* hook);
// Null when memory is short or `size` is beyond reason. Size 0 gives null, which is no error.
void* dr_allocate(dr_memory* memory, size_t size);
void* dr_allocate_zeroed(dr_memory* memory, size_t size);
// `size` is the one allocated. Null is fine.
void dr_release(dr_memory* memory, void* block, size_t size);
// `count * size`, or SIZE_MAX when that overflows (dr_allocate then returns null).
size_t dr_array_bytes(size_t count, size_t size);

// Arrays by type: `float* x = dr_new(memory, float, n)`, `dr_delete(memory, x, n)`.
#define dr_new(memory, type, count) \
    ((type*)dr_allocate(memory, dr_array_bytes((size_t)(count), sizeof(type))))
#define dr_new_zeroed(memory, type, count) \
    ((type*)dr_allocate_zeroed(memory, dr_array_bytes((size_t)(count), sizeof(type))))
#define dr_delete(memory, array, count) \
    dr_release(memory, array, dr_array_bytes((size_t)(count), sizeof(*(array))))

// A growing array of elements of one size; `dr_array list = {0}` is empty and ready.
typedef struct dr_array {
    void* data;
    int count;
    int capacity;
} dr_array;

// The place of a new last element, not yet written; null when memory is short (nothing changes
// then).
void* dr_array_push(dr_memory* memory, dr_array* array, size_t element_size);
// Makes room for `capacity` elements in all; false when memory is short (nothing changes then).
bool dr_array_reserve(dr_memory* memory, dr_array* array, size_t element_size, int capacity);
// Gives back what is beyond the elements, unless memory is short.
void dr_array_trim(dr_memory* memory, dr_array* array, size_t element_size);
// Gives the memory back and leaves an empty array.
void dr_array_free(dr_memory* memory, dr_array* array, size_t element_size);

typedef struct dr_arena {
    dr_memory* memory;
    char* block;
    size_t capacity; // of the block
    size_t used;     // of the block
    size_t wanted;   // handed out in this round, spills included
    void* spills;    // linked list of blocks that did not fit
} dr_arena;

// Takes no memory yet.
void dr_arena_init(dr_arena* arena, dr_memory* memory);
// Valid until the next reset; null when memory is short. Size 0 gives null, which is no error.
void* dr_arena_allocate(dr_arena* arena, size_t size);
#define dr_arena_new(arena, type, count) \
    ((type*)dr_arena_allocate(arena, dr_array_bytes((size_t)(count), sizeof(type))))
// Takes everything back at once and grows the block when this round spilled.
void dr_arena_reset(dr_arena* arena);
void dr_arena_free(dr_arena* arena);

#endif
