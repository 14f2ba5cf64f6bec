// lab.h: strips of cloth in a virtual laboratory, through the public API alone.
//
// A strip lies in the plane y = 0, its length along x (warp) or z (weft), held at its near end.
#ifndef LAB_H
#define LAB_H

#include <check.h>
#include <drape/drape.h>
#include <math.h>
#include <stdlib.h>

#define LAB_GRAVITY 9.80665

// How a strip is made.
typedef enum strip_kind {
    STRIP_GRID,     // the grid solver
    STRIP_MESH,     // the same cells as right triangles, by the mesh solver
    STRIP_JITTERED, // inner vertices moved by up to a quarter of a cell
} strip_kind;

typedef struct strip {
    strip_kind kind;
    bool is_weft;         // length along the weft
    float length, width;  // m; of the free part
    int cells;            // along the length
    int held_columns;     // 1: hangs, 2: clamped, the second exactly at the ledge
} strip;

// What a strip became in a world.
typedef struct strip_run {
    drape_world* world;
    drape_cloth_id cloth;
    int columns, rows; // along the length, across it
    bool is_weft;
} strip_run;

static inline int strip_vertex(const strip_run* run, int column, int row)
{
    return run->is_weft ? column * run->rows + row : row * run->columns + column;
}

// Mean place of one column: how far along, how high.
static inline drape_vec3 strip_place(const strip_run* run, int column)
{
    const drape_vec3* p = drape_cloth_positions(run->world, run->cloth, NULL);
    double sum[3] = {0};
    for (int row = 0; row < run->rows; ++row) {
        drape_vec3 at = p[strip_vertex(run, column, row)];
        sum[0] += (double)(run->is_weft ? at.z : at.x) / run->rows;
        sum[1] += (double)at.y / run->rows;
        sum[2] += (double)(run->is_weft ? at.x : at.z) / run->rows;
    }
    return (drape_vec3){(float)sum[0], (float)sum[1], (float)sum[2]};
}

static inline float jitter(int seed)
{
    uint32_t x = (uint32_t)seed * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    return (float)((x ^ x >> 13) >> 8) * 0x1p-24f - 0.5f;
}

// Cells cut into triangles, diagonals turned from cell to cell.
static inline drape_cloth_id strip_add_mesh(drape_world* world, const drape_cloth_def* def,
                                            float size_x, float size_z, int nx, int nz, bool shake)
{
    drape_vec3* p = malloc(sizeof *p * (size_t)(nx * nz));
    int32_t* t = malloc(sizeof *t * 6 * (size_t)((nx - 1) * (nz - 1)));
    int count = 0;
    float dx = size_x / (float)(nx - 1), dz = size_z / (float)(nz - 1);
    for (int v = 0; v < nx * nz; ++v) {
        int i = v % nx, k = v / nx;
        // The two held columns and the outline stay straight.
        bool inner = shake && i > 1 && k > 1 && i < nx - 2 && k < nz - 2;
        float sx = inner ? 0.5f * jitter(2 * v) : 0.0f;
        float sz = inner ? 0.5f * jitter(2 * v + 1) : 0.0f;
        p[v] = (drape_vec3){((float)i + sx) * dx, 0.0f, ((float)k + sz) * dz};
    }
    for (int k = 0; k + 1 < nz; ++k) {
        for (int i = 0; i + 1 < nx; ++i) {
            int a = k * nx + i, b = a + 1, c = a + nx, d = c + 1;
            bool turned = (i + k) % 2;
            const int cut[2][6] = {{a, d, b, a, c, d}, {a, c, b, b, c, d}};
            for (int j = 0; j < 6; ++j) {
                t[count++] = cut[turned][j];
            }
        }
    }
    drape_mesh_view view = {.positions = p, .triangles = t, .vertex_count = nx * nz,
                            .triangle_count = count / 3};
    drape_cloth_id id = drape_cloth_add_mesh(world, def, &view);
    free(p);
    free(t);
    return id;
}

// Makes the strip and holds its near end. Gravity in m/s^2, `along` the strip and `down`.
static inline strip_run strip_start(const strip* s, const drape_fabric* fabric, float along,
                                    float down, int substeps, float damping)
{
    drape_world_def def = drape_world_defaults();
    def.gravity = (drape_vec3){s->is_weft ? 0.0f : along, -down, s->is_weft ? along : 0.0f};
    def.substeps = substeps;
    def.damping = damping;
    strip_run run = {.world = drape_world_create(&def), .is_weft = s->is_weft};
    float cell = s->length / (float)s->cells;
    int across = (int)lround((double)(s->width / cell));
    run.columns = s->cells + s->held_columns;
    run.rows = (across > 2 ? across : 2) + 1;
    float length = cell * (float)(run.columns - 1);
    int nx = s->is_weft ? run.rows : run.columns, nz = s->is_weft ? run.columns : run.rows;
    float size_x = s->is_weft ? s->width : length, size_z = s->is_weft ? length : s->width;
    drape_cloth_def cloth = drape_cloth_defaults();
    cloth.fabric = *fabric;
    run.cloth = s->kind == STRIP_GRID
                    ? drape_cloth_add_grid(run.world, &cloth, size_x, size_z, nx, nz)
                    : strip_add_mesh(run.world, &cloth, size_x, size_z, nx, nz,
                                     s->kind == STRIP_JITTERED);
    ck_assert_msg(drape_cloth_is_valid(run.world, run.cloth), "%s", drape_world_error(run.world));
    int32_t held[256];
    drape_pin_def pin = drape_pin_defaults();
    pin.vertices = held;
    for (int c = 0; c < s->held_columns; ++c) {
        for (int row = 0; row < run.rows; ++row) {
            held[pin.vertex_count++] = strip_vertex(&run, c, row);
        }
    }
    drape_cloth_pin(run.world, run.cloth, &pin);
    return run;
}

// Steps until nothing moves faster than 0.1 mm/s, ten seconds at most. False when it never rests.
static inline bool strip_settle(const strip_run* run)
{
    for (int step = 0; step < 600; ++step) {
        drape_world_step(run->world, 1.0f / 60.0f);
        int count;
        const drape_vec3* v = drape_cloth_velocities(run->world, run->cloth, &count);
        double fastest = 0.0;
        for (int i = 0; i < count; ++i) {
            fastest = fmax(fastest, sqrt((double)v[i].x * v[i].x + (double)v[i].y * v[i].y +
                                         (double)v[i].z * v[i].z));
        }
        if (step > 10 && fastest < 1e-4) {
            return true;
        }
    }
    return false;
}

// --- The heavy elastica ---

// Where the tip of a clamped strip of unit length rests under load q = W g L^3 / B: integrates
// theta'' = -q (1 - s) cos(theta) downwards from theta(0) = 0 with a bisected slope.
static inline double elastica_shoot(double q, double slope, double* x, double* drop)
{
    enum { steps = 2000 };
    double theta = 0.0, turn = slope, ds = 1.0 / steps;
    *x = *drop = 0.0;
    for (int i = 0; i < steps; ++i) {
        // Midpoint rule, of second order.
        double s = i * ds, half = theta + 0.5 * ds * turn;
        double turn_half = turn - 0.5 * ds * q * (1.0 - s) * cos(theta);
        *x += ds * cos(half);
        *drop += ds * sin(half);
        theta += ds * turn_half;
        turn -= ds * q * (1.0 - s - 0.5 * ds) * cos(half);
    }
    return turn; // zero at a free tip
}

// Chord angle in degrees below the horizontal.
static inline double elastica_angle(double q)
{
    double lo = 0.0, hi = q, x = 1.0, drop = 0.0;
    for (int i = 0; i < 60; ++i) {
        double slope = 0.5 * (lo + hi);
        *(elastica_shoot(q, slope, &x, &drop) > 0.0 ? &hi : &lo) = slope;
    }
    return atan2(drop, x) * 57.29577951308232;
}

// The load at which a strip hangs at this angle.
static inline double elastica_load(double degrees)
{
    double lo = 0.1, hi = 200.0;
    for (int i = 0; i < 40; ++i) {
        double q = sqrt(lo * hi);
        *(elastica_angle(q) > degrees ? &hi : &lo) = q;
    }
    return sqrt(lo * hi);
}

#endif
