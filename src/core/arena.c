#include <string.h>

#include "core/memory.h"

// Stands before the bytes of a spilled allocation, in a whole unit of alignment.
typedef struct spill {
    struct spill* next;
    size_t size; // of the allocation, this header included
} spill;

_Static_assert(sizeof(spill) <= DR_ALIGNMENT, "the header of a spill fits before aligned bytes");

static size_t round_up(size_t size)
{
    return (size + DR_ALIGNMENT - 1) & ~(size_t)(DR_ALIGNMENT - 1);
}

void dr_arena_init(dr_arena* arena, dr_memory* memory)
{
    *arena = (dr_arena){.memory = memory};
}

static void* spill_allocate(dr_arena* arena, size_t bytes)
{
    spill* block = dr_allocate(arena->memory, DR_ALIGNMENT + bytes);
    if (block == NULL) {
        return NULL;
    }
    block->next = arena->spills;
    block->size = DR_ALIGNMENT + bytes;
    arena->spills = block;
    return (char*)block + DR_ALIGNMENT;
}

void* dr_arena_allocate(dr_arena* arena, size_t size)
{
    if (size == 0 || size > PTRDIFF_MAX - 4 * DR_ALIGNMENT) {
        return NULL;
    }
    size_t bytes = round_up(size);
    void* place;
    if (bytes <= arena->capacity - arena->used) {
        place = arena->block + arena->used;
        arena->used += bytes;
    } else {
        place = spill_allocate(arena, bytes);
    }
    // What could not be had is not wanted again.
    if (place != NULL) {
        arena->wanted += bytes;
    }
    return place;
}

static void spills_release(dr_arena* arena)
{
    for (spill* block = arena->spills; block != NULL;) {
        spill* next = block->next;
        dr_release(arena->memory, block, block->size);
        block = next;
    }
    arena->spills = NULL;
}

static void block_replace(dr_arena* arena, size_t capacity)
{
    dr_release(arena->memory, arena->block, arena->capacity);
    arena->block = dr_allocate(arena->memory, capacity);
    arena->capacity = arena->block != NULL ? capacity : 0;
}

void dr_arena_reset(dr_arena* arena)
{
    spills_release(arena);
    // An eighth more, so that a demand that creeps up does not replace the block in every round.
    if (arena->wanted > arena->capacity) {
        block_replace(arena, round_up(arena->wanted + arena->wanted / 8));
    }
#ifdef DRAPE_VALIDATE
    // Whoever holds on to memory of the last round reads NaN.
    if (arena->block != NULL) {
        memset(arena->block, 0xff, arena->capacity);
    }
#endif
    arena->used = 0;
    arena->wanted = 0;
}

void dr_arena_free(dr_arena* arena)
{
    spills_release(arena);
    dr_release(arena->memory, arena->block, arena->capacity);
    *arena = (dr_arena){.memory = arena->memory};
}
