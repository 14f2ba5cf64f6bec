// predict_test.h: sheets for tests of predictive contacts, moved by hand.
#ifndef PREDICT_TEST_H
#define PREDICT_TEST_H

#include <string.h>

#include "contact/predict.h"
#include "core/isa.h"
#include "core/random.h"
#include "core/vec_math.h"
#include "mesh/generate.h"
#include "../support.h"

enum { most_sheets = 3 };

typedef struct sheets_test {
    dr_memory memory;
    dr_mesh meshes[most_sheets];
    dr_predict_part parts[most_sheets];
    int count;
    dr_predict predict;
} sheets_test;

static inline dr_predict_options test_options(void)
{
    dr_predict_options options = {.static_radius = 0.02f, .isa = dr_isa_resolve(DRAPE_ISA_AUTO)};
    memset(options.allow, 0xff, sizeof options.allow);
    options.kept_regions = UINT32_MAX;
    return options;
}

// Adds a square sheet of side `size` with `n` vertices in a row.
static inline void add_sheet(sheets_test* t, float size, int n)
{
    dr_shape_mesh shape;
    char sentence[256];
    ck_assert(dr_generate_grid(&shape, &t->memory, size, size, n, n, DRAPE_DIAGONALS_FORWARD));
    drape_mesh_view view = {.positions = shape.positions,
                            .vertex_count = shape.vertex_count,
                            .triangles = shape.triangles[0],
                            .triangle_count = shape.triangle_count};
    ck_assert(
        dr_mesh_build(&t->meshes[t->count], &t->memory, &view, NULL, sentence, sizeof sentence));
    dr_shape_free(&shape, &t->memory);
    t->parts[t->count] =
        (dr_predict_part){.mesh = &t->meshes[t->count], .layer = -1, .thickness = 0.01f};
    ++t->count;
}

static inline void set_record(float* records, int vertex, drape_vec3 p)
{
    records[4 * vertex] = p.x;
    records[4 * vertex + 1] = p.y;
    records[4 * vertex + 2] = p.z;
    records[4 * vertex + 3] = 1.0f;
}

// Makes everything; the sheets lie in their rest shape, each a thickness and a half above the other.
static inline void make_predict(sheets_test* t, const dr_predict_options* options)
{
    ck_assert(dr_predict_create(&t->predict, &t->memory, t->parts, t->count, options));
    for (int v = 0; v < t->predict.mesh.vertex_count; ++v) {
        drape_vec3 p = t->predict.mesh.rest[v];
        p.y += 0.015f * (float)t->predict.mesh.part_of_vertex[v];
        set_record(t->predict.start, v, p);
        set_record(t->predict.now, v, p);
    }
}

static inline void free_sheets(sheets_test* t)
{
    dr_predict_free(&t->predict, &t->memory);
    for (int i = 0; i < t->count; ++i) {
        dr_mesh_free(&t->meshes[i], &t->memory);
    }
    ck_assert_uint_eq(t->memory.live_bytes, 0);
}

#endif
