// sensor_test.h: sheets laid into known shapes, without stretching them.
#ifndef SENSOR_TEST_H
#define SENSOR_TEST_H

#include "self_test.h"

// A square sheet of side 1 with `size` vertices in a row, one cloth.
static inline test_sheets* square_sheet(int size)
{
    return test_sheets_create(&size, 1);
}

// A mesh of given arrays as the only cloth.
static inline test_sheets* sheet_of(drape_vec3* positions, int vertex_count,
                                    int32_t (*triangles)[3], int triangle_count)
{
    test_sheets* t = calloc(1, sizeof *t);
    dr_memory_init(&t->memory, NULL);
    dr_shape_mesh shape = {.positions = positions,
                           .triangles = triangles,
                           .vertex_count = vertex_count,
                           .triangle_count = triangle_count};
    test_mesh(t, 0, &shape);
    dr_sheets_part part = {.mesh = &t->meshes[0]};
    ck_assert(dr_sheets_create(&t->sheets, &t->memory, &part, 1));
    ck_assert(dr_limits_create(&t->limits, &t->memory, vertex_count));
    for (int v = 0; v < vertex_count; ++v) {
        t->sheets.start[v] = t->sheets.end[v] = positions[v];
    }
    return t;
}

// A strip that runs straight to `fold`, round a half circle, and back above itself at `gap`: how
// far along and how high a place at length s comes.
static inline void fold_over(double s, double fold, double gap, double* along, double* up)
{
    double r = 0.5 * gap, arc = 3.14159265358979 * r, past = s - fold;
    if (past <= 0.0) {
        *along = s;
        *up = 0.0;
    } else if (past < arc) {
        *along = fold + r * sin(past / r);
        *up = r - r * cos(past / r);
    } else {
        *along = fold - (past - arc);
        *up = gap;
    }
}

typedef enum test_shape {
    shape_flat,
    shape_curved, // a part of a cylinder of radius 0.6
    shape_waves,  // low waves
    shape_fold_4cm,
    shape_fold_1cm,
    shape_small_corner, // the corner folded over a line 0.3 away from it
    shape_large_corner, // 0.5 away
    shape_count,
} test_shape;

static inline drape_vec3 fold_corner(double x, double z, double reach)
{
    const double diagonal = 1.4142135623730951;
    double s = (x + z) / diagonal, t = (x - z) / diagonal, along, up;
    fold_over(s, diagonal - reach, 0.04, &along, &up);
    return (drape_vec3){(float)((along + t) / diagonal), (float)up,
                        (float)((along - t) / diagonal)};
}

static inline drape_vec3 shape_at(test_shape shape, double x, double z)
{
    double along = x, up = 0.0;
    switch (shape) {
    case shape_curved:
        along = 0.6 * sin(x / 0.6);
        up = 0.6 - 0.6 * cos(x / 0.6);
        break;
    case shape_waves: up = 0.02 * sin(9.0 * x) * cos(7.0 * z); break;
    case shape_fold_4cm: fold_over(x, 0.47, 0.04, &along, &up); break;
    case shape_fold_1cm: fold_over(x, 0.47, 0.01, &along, &up); break;
    case shape_small_corner: return fold_corner(x, z, 0.3);
    case shape_large_corner: return fold_corner(x, z, 0.5);
    default: break;
    }
    return (drape_vec3){(float)along, (float)up, (float)z};
}

// Lays the first cloth into a shape, turned so that no axis is special.
static inline void lay(test_sheets* t, test_shape shape)
{
    const drape_quat turn = {0.05f, 0.38f, -0.02f, 0.92337f};
    const dr_mesh* mesh = t->sheets.parts[0].mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 p = shape_at(shape, mesh->rest[v].x, mesh->rest[v].z);
        t->sheets.start[v] = t->sheets.end[v] = dr_quat_rotate(turn, p);
    }
}

#endif
