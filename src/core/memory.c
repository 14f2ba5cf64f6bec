#include "core/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

static void* library_allocate(void* user, size_t size, size_t alignment)
{
    (void)user;
    return aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
}

static void library_release(void* user, void* memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

void dr_memory_init(dr_memory* memory, const drape_allocator* hook)
{
    static const drape_allocator library = {library_allocate, library_release, NULL};
    bool given = hook != NULL && hook->allocate != NULL;
    *memory = (dr_memory){.hook = given ? *hook : library};
}

void* dr_allocate(dr_memory* memory, size_t size)
{
    // The upper limit leaves room for rounding up, and catches SIZE_MAX of dr_array_bytes.
    if (size == 0 || size > PTRDIFF_MAX - DR_ALIGNMENT) {
        return NULL;
    }
    ++memory->call_count;
    void* block = memory->hook.allocate(memory->hook.user, size, DR_ALIGNMENT);
    DR_ASSERT((uintptr_t)block % DR_ALIGNMENT == 0);
    if (block != NULL) {
        memory->live_bytes += size;
    }
    return block;
}

void* dr_allocate_zeroed(dr_memory* memory, size_t size)
{
    void* block = dr_allocate(memory, size);
    if (block != NULL) {
        memset(block, 0, size);
    }
    return block;
}

void dr_release(dr_memory* memory, void* block, size_t size)
{
    if (block == NULL) {
        return;
    }
    DR_ASSERT(memory->live_bytes >= size);
    memory->live_bytes -= size;
    if (memory->hook.release != NULL) {
        ++memory->call_count;
        memory->hook.release(memory->hook.user, block, size);
    }
}

size_t dr_array_bytes(size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

bool dr_array_reserve(dr_memory* memory, dr_array* array, size_t element_size, int capacity)
{
    if (capacity <= array->capacity) {
        return true;
    }
    void* data = dr_allocate(memory, dr_array_bytes((size_t)capacity, element_size));
    if (data == NULL) {
        return false;
    }
    if (array->count > 0) {
        memcpy(data, array->data, (size_t)array->count * element_size);
    }
    dr_release(memory, array->data, (size_t)array->capacity * element_size);
    array->data = data;
    array->capacity = capacity;
    return true;
}

void* dr_array_push(dr_memory* memory, dr_array* array, size_t element_size)
{
    if (array->count == array->capacity) {
        const int least = 16;
        if (array->capacity == INT_MAX) {
            return NULL;
        }
        int doubled = array->capacity > INT_MAX / 2 ? INT_MAX : 2 * array->capacity;
        if (!dr_array_reserve(memory, array, element_size, doubled < least ? least : doubled)) {
            return NULL;
        }
    }
    return (char*)array->data + (size_t)array->count++ * element_size;
}

void dr_array_trim(dr_memory* memory, dr_array* array, size_t element_size)
{
    dr_array trimmed = {0};
    if (array->count < array->capacity &&
        dr_array_reserve(memory, &trimmed, element_size, array->count)) {
        trimmed.count = array->count;
        if (array->count > 0) {
            memcpy(trimmed.data, array->data, (size_t)array->count * element_size);
        }
        dr_array_free(memory, array, element_size);
        *array = trimmed;
    }
}

void dr_array_free(dr_memory* memory, dr_array* array, size_t element_size)
{
    dr_release(memory, array->data, (size_t)array->capacity * element_size);
    *array = (dr_array){0};
}
