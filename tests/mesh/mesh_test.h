// mesh_test.h: what the tests of the mesh modules share.
#ifndef MESH_TEST_H
#define MESH_TEST_H

#include <check.h>
#include <stdlib.h>

#include "../support.h"
#include "mesh/generate.h"
#include "mesh/mesh.h"

// Memory of one test; check_memory_freed() at its end finds what was not given back.
static dr_memory memory;

static inline void setup_memory(void)
{
    dr_memory_init(&memory, NULL);
}

// Memory that runs out after `calls_left` calls.
static int calls_left;

static inline void* failing_allocate(void* user, size_t size, size_t alignment)
{
    (void)user;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    return calls_left-- > 0 ? aligned_alloc(alignment, rounded) : NULL;
}

static inline void failing_release(void* user, void* block, size_t size)
{
    (void)user;
    (void)size;
    free(block);
}

static inline void setup_failing_memory(void)
{
    drape_allocator hook = {failing_allocate, failing_release, NULL};
    dr_memory_init(&memory, &hook);
}

static inline void check_memory_freed(void)
{
    ck_assert_uint_eq(memory.live_bytes, 0);
}

// Numbers that look random and are the same everywhere (splitmix64).
static inline uint32_t random_bits(uint64_t* state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)(z >> 32);
}

static inline int random_below(uint64_t* state, int limit)
{
    return (int)(random_bits(state) % (uint32_t)limit);
}

// From -1 to 1.
static inline float random_signed(uint64_t* state)
{
    return (float)((double)random_bits(state) / 2147483648.0 - 1.0);
}

static inline drape_mesh_view view_of(const dr_shape_mesh* shape)
{
    return (drape_mesh_view){
        .positions = shape->positions,
        .uv = shape->uv[0],
        .triangles = shape->triangles ? shape->triangles[0] : NULL,
        .vertex_count = shape->vertex_count,
        .triangle_count = shape->triangle_count,
    };
}

// Builds, and fails the test with the sentence when that is refused.
static inline dr_mesh build(const drape_mesh_view* view)
{
    dr_mesh mesh;
    char sentence[256] = "";
    bool built = dr_mesh_build(&mesh, &memory, view, NULL, sentence, sizeof sentence);
    ck_assert_msg(built, "%s", sentence);
    return mesh;
}

static inline dr_mesh build_grid(int columns, int rows, drape_diagonals diagonals)
{
    dr_shape_mesh shape;
    ck_assert(dr_generate_grid(&shape, &memory, 1.0f, 1.0f, columns, rows, diagonals));
    drape_mesh_view view = view_of(&shape);
    dr_mesh mesh = build(&view);
    dr_shape_free(&shape, &memory);
    return mesh;
}

#endif
