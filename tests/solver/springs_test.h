// springs_test.h: a sheet of springs without a world.
#ifndef SPRINGS_TEST_H
#define SPRINGS_TEST_H

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "core/isa.h"
#include "core/random.h"
#include "mesh/generate.h"
#include "solver/springs.h"

typedef double point[3];

// A sheet with its state as plain arrays, and limits of its own.
typedef struct net {
    dr_memory memory;
    dr_mesh mesh;
    bool has_mesh;
    dr_springs s;
    dr_limits limits;
    drape_isa isa;
    int count;
    point *x, *v, *q;
} net;

static inline void net_send(net* n)
{
    dr_springs_set_state(&n->s, (const point*)n->x, (const point*)n->v);
}

static inline void net_fetch(net* n)
{
    dr_springs_get_state(&n->s, n->x, n->v);
    dr_springs_get_candidate(&n->s, n->q);
}

static inline void net_finish(net* n, const dr_springs_def* def)
{
    ck_assert_ptr_null(dr_springs_check(def));
    ck_assert(dr_springs_create(&n->s, &n->memory, def));
    n->count = n->s.vertex_count;
    n->isa = dr_isa_resolve(DRAPE_ISA_AUTO);
    n->x = calloc((size_t)n->count, sizeof(point));
    n->v = calloc((size_t)n->count, sizeof(point));
    n->q = calloc((size_t)n->count, sizeof(point));
    ck_assert(dr_limits_create(&n->limits, &n->memory, n->count));
}

// At rest in the plane y = 0, from the origin along x and z.
static inline void net_create(net* n, const dr_springs_def* def)
{
    *n = (net){0};
    dr_memory_init(&n->memory, NULL);
    net_finish(n, def);
    double hx = def->size_x / (def->columns > 1 ? def->columns - 1 : 1);
    double hz = def->size_z / (def->rows > 1 ? def->rows - 1 : 1);
    for (int i = 0; i < n->count; ++i) {
        n->x[i][0] = i % def->columns * hx;
        n->x[i][2] = i / def->columns * hz;
    }
    net_send(n);
}

static inline void net_take_shape(net* n, dr_springs_def def, const dr_shape_mesh* shape)
{
    char sentence[256];
    drape_mesh_view view = {.positions = shape->positions,
                            .triangles = &shape->triangles[0][0],
                            .vertex_count = shape->vertex_count,
                            .triangle_count = shape->triangle_count};
    ck_assert(dr_mesh_build(&n->mesh, &n->memory, &view, NULL, sentence, sizeof sentence));
    n->has_mesh = true;
    def.mesh = &n->mesh;
    net_finish(n, &def);
    for (int i = 0; i < n->count; ++i) {
        drape_vec3 p = n->mesh.rest[i];
        memcpy(n->x[i], (point){(double)p.x, (double)p.y, (double)p.z}, sizeof(point));
    }
    net_send(n);
}

// The same rectangle as a mesh of right triangles, its inner vertices moved by up to `jitter` of a
// cell.
static inline void net_create_mesh(net* n, const dr_springs_def* def, double jitter)
{
    *n = (net){0};
    dr_memory_init(&n->memory, NULL);
    dr_shape_mesh shape;
    ck_assert(dr_generate_grid(&shape, &n->memory, (float)def->size_x, (float)def->size_z,
                               def->columns, def->rows, DRAPE_DIAGONALS_ALTERNATE));
    for (int v = 0; v < shape.vertex_count; ++v) {
        int c = v % def->columns, r = v / def->columns;
        if (c > 0 && r > 0 && c + 1 < def->columns && r + 1 < def->rows) {
            double h = jitter * def->size_x / (def->columns - 1);
            shape.positions[v].x += (float)h * dr_random_signed(1, (uint32_t)v);
            shape.positions[v].z += (float)h * dr_random_signed(2, (uint32_t)v);
        }
    }
    net_take_shape(n, *def, &shape);
    dr_shape_free(&shape, &n->memory);
}

static inline void net_free(net* n)
{
    dr_limits_free(&n->limits, &n->memory);
    dr_springs_free(&n->s, &n->memory);
    if (n->has_mesh) {
        dr_mesh_free(&n->mesh, &n->memory);
    }
    ck_assert_uint_eq(n->memory.live_bytes, 0);
    free(n->x);
    free(n->v);
    free(n->q);
}

// Moves every vertex by up to `size` in each direction, and gives it up to `speed`.
static inline void net_shake(net* n, double size, double speed, uint32_t seed)
{
    for (int i = 0; i < n->count; ++i) {
        for (int c = 0; c < 3; ++c) {
            n->x[i][c] += size * (double)dr_random_signed(seed, (uint32_t)(3 * i + c));
            n->v[i][c] += speed * (double)dr_random_signed(seed + 1, (uint32_t)(3 * i + c));
        }
    }
    net_send(n);
}

static inline void net_pin(net* n, int vertex, const point at)
{
    dr_limits_hold(&n->limits, vertex, DR_HOLD_PINNED, at);
}

static inline dr_springs_result net_try(net* n, double dt, double gravity)
{
    dr_springs_forces forces = {{0.0, -gravity, 0.0}, NULL};
    dr_springs_begin(&n->s, dt, &forces, NULL, n->isa);
    return dr_springs_solve(&n->s, &n->limits, 0, NULL, n->isa);
}

static inline dr_springs_result net_step(net* n, double dt, double gravity)
{
    dr_springs_result result = net_try(n, dt, gravity);
    ck_assert(dr_springs_commit(&n->s));
    return result;
}

static inline double net_elastic(const net* n)
{
    dr_springs_energies e = dr_springs_energy(&n->s);
    return e.elastic[0] + e.elastic[1] + e.elastic[2];
}

// The sheet of the paper's springs: 21 x 21, 20/5/2 N/m, half a gram each.
static inline dr_springs_def paper_def(void)
{
    dr_springs_def def = dr_springs_defaults();
    def.columns = def.rows = 21;
    def.stiffness[DR_SPRING_STRUCTURAL] = 20.0;
    def.stiffness[DR_SPRING_SHEAR] = 5.0;
    def.stiffness[DR_SPRING_BEND] = 2.0;
    def.max_elongation = 0.0;
    return def;
}

// Nothing square, nothing even.
static inline dr_springs_def skew_def(int columns, int rows)
{
    dr_springs_def def = dr_springs_defaults();
    def.columns = columns;
    def.rows = rows;
    def.size_x = 0.05 * (columns - 1);
    def.size_z = 0.04 * (rows - 1);
    def.stretch[0] = 60.0;
    def.stretch[1] = 35.0;
    def.shear = 6.0;
    def.bend[0] = 3e-4;
    def.bend[1] = 1e-4;
    def.max_elongation = 0.0;
    return def;
}

#endif
