// solver_test.h: a cloth without a world, posed and pushed through single stages.
#ifndef SOLVER_TEST_H
#define SOLVER_TEST_H

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "../support.h"
#include "core/isa.h"
#include "core/random.h"
#include "core/vec_math.h"
#include "mesh/generate.h"
#include "solver/xpbd.h"

// How a rectangle is cut.
typedef enum weave {
    WEAVE_GRID,        // the grid solver
    WEAVE_RIGHT,       // right triangles, diagonals turned from cell to cell; the mesh solver
    WEAVE_EQUILATERAL, // every other row moved by half a cell
    WEAVE_JITTERED,    // right triangles whose inner vertices are moved by up to a quarter cell
    WEAVE_COUNT,
} weave;

// A rectangle from the origin along x (warp) and z (weft), `columns` x `rows` vertices.
typedef struct piece {
    dr_memory memory;
    dr_mesh mesh;
    dr_xpbd xpbd;
    float* scratch;
    int columns, rows;
} piece;

static inline drape_fabric test_fabric(void)
{
    return (drape_fabric){.density = 0.13f,
                          .thickness = 3e-4f,
                          .stretch_warp = 6000.0f,
                          .stretch_weft = 3500.0f,
                          .shear = 70.0f,
                          .bend_warp = 12e-6f,
                          .bend_weft = 8e-6f};
}

static inline void weave_vertices(weave kind, dr_shape_mesh* shape, int columns, int rows)
{
    float cell = shape->positions[1].x;
    for (int v = 0; v < shape->vertex_count; ++v) {
        int c = v % columns, r = v / columns;
        drape_vec3* p = &shape->positions[v];
        if (kind == WEAVE_EQUILATERAL && r % 2) {
            p->x += 0.5f * cell;
        } else if (kind == WEAVE_JITTERED && c > 0 && r > 0 && c < columns - 1 && r < rows - 1) {
            p->x += 0.25f * cell * dr_random_signed(1, (uint32_t)v);
            p->z += 0.25f * cell * dr_random_signed(2, (uint32_t)v);
        }
    }
}

// Rows of an equilateral weave move by half a cell to and fro, so the diagonals turn row by row.
static inline void weave_triangles(dr_shape_mesh* shape, int columns, int rows)
{
    int count = 0;
    for (int r = 0; r + 1 < rows; ++r) {
        for (int c = 0; c + 1 < columns; ++c) {
            int a = r * columns + c, b = a + 1, d = a + columns, e = d + 1;
            const int32_t even[2][3] = {{a, d, b}, {b, d, e}}, odd[2][3] = {{a, e, b}, {a, d, e}};
            for (int k = 0; k < 6; ++k) {
                (&shape->triangles[count][0])[k] = r % 2 ? (&odd[0][0])[k] : (&even[0][0])[k];
            }
            count += 2;
        }
    }
}

// The solver of a piece whose mesh is there, at rest.
static inline void piece_finish(piece* p, bool done)
{
    ck_assert(done);
    p->scratch = dr_new(&p->memory, float, dr_xpbd_scratch(&p->xpbd) + 1);
    dr_sheet_set_state(&p->xpbd.sheet, p->mesh.rest, NULL);
    dr_xpbd_tidy(&p->xpbd);
}

// Takes the vertices and triangles of a shape; `uv` may be null.
static inline void piece_take_mesh(piece* p, const dr_shape_mesh* shape, const float* uv)
{
    char sentence[256] = "";
    drape_mesh_view view = {.positions = shape->positions,
                            .uv = uv,
                            .triangles = shape->triangles ? &shape->triangles[0][0] : NULL,
                            .vertex_count = shape->vertex_count,
                            .triangle_count = shape->triangle_count};
    ck_assert_msg(dr_mesh_build(&p->mesh, &p->memory, &view, NULL, sentence, sizeof sentence), "%s",
                  sentence);
}

static inline void piece_create(piece* p, weave kind, const drape_fabric* fabric, float size_x,
                                float size_z, int columns, int rows)
{
    *p = (piece){.columns = columns, .rows = rows};
    dr_memory_init(&p->memory, NULL);
    dr_shape_mesh shape;
    ck_assert(dr_generate_grid(&shape, &p->memory, size_x, size_z, columns, rows,
                               DRAPE_DIAGONALS_ALTERNATE));
    weave_vertices(kind, &shape, columns, rows);
    if (kind == WEAVE_EQUILATERAL) {
        weave_triangles(&shape, columns, rows);
    }
    piece_take_mesh(p, &shape, NULL);
    dr_shape_free(&shape, &p->memory);
    piece_finish(
        p, kind == WEAVE_GRID
               ? dr_xpbd_create_grid(&p->xpbd, &p->memory, fabric, size_x, size_z, columns, rows)
               : dr_xpbd_create_mesh(&p->xpbd, &p->memory, fabric, &p->mesh));
}

static const char* const weave_name[] = {"grid", "right", "equilateral", "jittered"};

// Cells of 2 cm; rows of equilateral triangles are closer.
static inline void piece_weave(piece* p, int kind, const drape_fabric* fabric, int columns,
                               int rows)
{
    float cell = 0.02f, row = kind == WEAVE_EQUILATERAL ? cell * 0.8660254f : cell;
    piece_create(p, (weave)kind, fabric, cell * (float)(columns - 1), row * (float)(rows - 1),
                 columns, rows);
}

// Gives everything back and checks that nothing is left.
static inline void piece_free(piece* p)
{
    dr_delete(&p->memory, p->scratch, dr_xpbd_scratch(&p->xpbd) + 1);
    dr_xpbd_free(&p->xpbd, &p->memory);
    dr_mesh_free(&p->mesh, &p->memory);
    ck_assert_uint_eq(p->memory.live_bytes, 0);
}

// --- Poses ---

typedef drape_vec3 pose_fn(drape_vec3 rest, const void* user);

// Moves candidates and committed places to a pose of the rest shape.
static inline void piece_pose(piece* p, pose_fn* pose, const void* user)
{
    dr_sheet* sheet = &p->xpbd.sheet;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        drape_vec3 at = pose(p->mesh.rest[v], user);
        dr_sheet_set(sheet->layout, sheet->pos, sheet->slot_of_vertex[v], at);
        dr_sheet_set(sheet->layout, sheet->start, sheet->slot_of_vertex[v], at);
    }
    dr_xpbd_tidy(&p->xpbd);
}

static inline drape_vec3 piece_at(const piece* p, int vertex)
{
    const dr_sheet* sheet = &p->xpbd.sheet;
    return dr_sheet_get(sheet->layout, sheet->pos, sheet->slot_of_vertex[vertex]);
}

static inline double piece_energy(const piece* p)
{
    return dr_xpbd_energy(&p->xpbd, p->xpbd.sheet.pos);
}

// Moves every vertex by up to `size` in each direction, the same for the same seed.
static inline void piece_shake(piece* p, float size, uint32_t seed)
{
    dr_sheet* sheet = &p->xpbd.sheet;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        drape_vec3 at = dr_sheet_get(sheet->layout, sheet->pos, slot);
        at.x += size * dr_random_signed(seed, 3 * (uint32_t)v);
        at.y += size * dr_random_signed(seed, 3 * (uint32_t)v + 1);
        at.z += size * dr_random_signed(seed, 3 * (uint32_t)v + 2);
        dr_sheet_set(sheet->layout, sheet->pos, slot, at);
    }
}

// The rest pose turned about a skew axis and carried away.
static inline drape_vec3 pose_rigid(drape_vec3 rest, const void* user)
{
    (void)user;
    drape_transform place = {{0.3f, -0.2f, 0.5f}, {0.36f, 0.48f, -0.48f, 0.64f}};
    return dr_transform_apply(place, rest);
}

// A linear map of the plane; user: images of warp and weft, double[4] row by row.
static inline drape_vec3 pose_linear(drape_vec3 rest, const void* user)
{
    const double* f = user;
    return (drape_vec3){(float)(f[0] * rest.x + f[1] * rest.z), 0.0f,
                        (float)(f[2] * rest.x + f[3] * rest.z)};
}

// A cylinder whose curvature rises and falls smoothly along one axis and vanishes at both ends.
typedef struct bump {
    double length, peak; // m, 1/m
    bool is_weft;
} bump;

// Places on the curve of slope angle a(s), a' = peak sin^2(pi s / length).
static inline drape_vec3 pose_bump(drape_vec3 rest, const void* user)
{
    const bump* b = user;
    double along = b->is_weft ? rest.z : rest.x, x = 0.0, y = 0.0;
    enum { steps = 400 };
    for (int i = 0; i < steps; ++i) {
        double s = along * (i + 0.5) / steps, wave = 6.283185307179586 / b->length;
        double angle = b->peak * 0.5 * (s - sin(wave * s) / wave);
        x += along / steps * cos(angle);
        y += along / steps * sin(angle);
    }
    return b->is_weft ? (drape_vec3){rest.x, (float)y, (float)x}
                      : (drape_vec3){(float)x, (float)y, rest.z};
}

// --- Stages ---

static inline void piece_run(piece* p, dr_xpbd_stage stage, int phase, dr_xpbd_sweep sweep)
{
    for (int i = 0; i < dr_xpbd_item_count(&p->xpbd, stage, phase); ++i) {
        dr_xpbd_run(&p->xpbd, dr_isa_resolve(DRAPE_ISA_AUTO), stage, phase, i, sweep, p->scratch);
    }
}

static inline void piece_stretch(piece* p, int sweeps)
{
    for (int i = 0; i < sweeps; ++i) {
        for (int phase = 0; phase < dr_xpbd_phase_count(&p->xpbd, DR_XPBD_STRETCH); ++phase) {
            piece_run(p, DR_XPBD_STRETCH, phase, (dr_xpbd_sweep){i, sweeps});
        }
    }
}

// One substep as the world does it, without colliders and pins.
static inline void piece_substep(piece* p, float h, drape_vec3 gravity, int sweeps)
{
    const dr_sheet_kernels* kernels = dr_sheet_kernels_for(dr_isa_resolve(DRAPE_ISA_AUTO));
    dr_sheet* sheet = &p->xpbd.sheet;
    dr_predict_args args = {gravity, h, 1.0f};
    dr_chunk_bounds bounds;
    dr_xpbd_prepare(&p->xpbd, h);
    kernels->predict(sheet, 0, sheet->vector_count, &args);
    for (int phase = 0; phase < dr_xpbd_phase_count(&p->xpbd, DR_XPBD_BEND); ++phase) {
        piece_run(p, DR_XPBD_BEND, phase, (dr_xpbd_sweep){0, 1});
    }
    piece_stretch(p, sweeps);
    kernels->commit(sheet, 0, sheet->vector_count, h, &bounds);
    ck_assert_int_eq(bounds.non_finite_count, 0);
}

// Furthest that a vertex is from where the pose puts it.
static inline double piece_stray(const piece* p, pose_fn* pose, const void* user)
{
    double worst = 0.0;
    for (int v = 0; v < p->mesh.vertex_count; ++v) {
        drape_vec3 away = dr_sub(piece_at(p, v), pose(p->mesh.rest[v], user));
        worst = fmax(worst, dr_length_double(away));
    }
    return worst;
}

// --- Statics ---

// Largest part of M (q - predicted) + h^2 grad E over the free vertices, as a share of the largest
// M (q - predicted). The gradient by central differences.
static inline double piece_residual(piece* p, const drape_vec3* predicted, float h, float step)
{
    dr_sheet* sheet = &p->xpbd.sheet;
    double worst = 0.0, largest = 0.0;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v], stride = dr_sheet_step(sheet->layout);
        if (dr_sheet_inverse_mass(sheet, slot) <= 0.0f) {
            continue;
        }
        const float from[3] = {predicted[v].x, predicted[v].y, predicted[v].z};
        for (int c = 0; c < 3; ++c) {
            float* at = sheet->pos + dr_sheet_offset(sheet->layout, slot) + c * stride;
            float keep = *at, high = keep + step, low = keep - step;
            *at = high;
            double up = piece_energy(p);
            *at = low;
            double down = piece_energy(p);
            *at = keep;
            double slope = (up - down) / ((double)high - (double)low);
            double inertia = (double)sheet->mass[v] * ((double)keep - (double)from[c]);
            worst = fmax(worst, fabs(inertia + (double)h * (double)h * slope));
            largest = fmax(largest, fabs(inertia));
        }
    }
    return worst / largest;
}

static inline drape_vec3* piece_copy(const piece* p)
{
    drape_vec3* copy = malloc(sizeof *copy * (size_t)p->mesh.vertex_count);
    for (int v = 0; v < p->mesh.vertex_count; ++v) {
        copy[v] = piece_at(p, v);
    }
    return copy;
}

// Solves a x = b in place by elimination with pivots; rows of `a` are n long, `b` has 3 columns.
static inline void solve_dense(double* a, double (*b)[3], int n)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int r = k + 1; r < n; ++r) {
            best = fabs(a[r * n + k]) > fabs(a[best * n + k]) ? r : best;
        }
        for (int c = 0; c < n; ++c) {
            double keep = a[k * n + c];
            a[k * n + c] = a[best * n + c];
            a[best * n + c] = keep;
        }
        for (int c = 0; c < 3; ++c) {
            double keep = b[k][c];
            b[k][c] = b[best][c];
            b[best][c] = keep;
        }
        for (int r = 0; r < n; ++r) {
            double factor = r == k ? 0.0 : a[r * n + k] / a[k * n + k];
            for (int c = k; c < n && factor != 0.0; ++c) {
                a[r * n + c] -= factor * a[k * n + c];
            }
            for (int c = 0; c < 3; ++c) {
                b[r][c] -= factor * b[k][c];
            }
        }
    }
    for (int k = 0; k < n; ++k) {
        for (int c = 0; c < 3; ++c) {
            b[k][c] /= a[k * n + k];
        }
    }
}

#endif
