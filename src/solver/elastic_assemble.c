// The system of a step of an elastic sheet: matrix and right side.
#include <math.h>

#include "core/isa.h"
#include "solver/elastic_kernels.h"

DR_KERNEL_TABLE(dr_elastic_assembly)

// --- How long a step may be ---

// Largest stiffness, times 4 / density the square of a frequency, of a wave at rest. `p` and `q`
// are the squared sines of half of its phases from column to column and from row to row.
static double wave_stiffness(const dr_elastic* e, double p, double q)
{
    double h1 = e->h[0], h2 = e->h[1];
    const double* eta = e->def.eta;
    double shear = e->def.columns > 1 && e->def.rows > 1 ? eta[2] : 0.0;
    double xx = 2.0 * eta[0] / (h1 * h1) * p + shear / (h2 * h2) * q * (1.0 - p);
    double zz = 2.0 * eta[1] / (h2 * h2) * q + shear / (h1 * h1) * p * (1.0 - q);
    double xz = shear / (h1 * h2) * sqrt(p * (1.0 - p) * q * (1.0 - q));
    return 0.5 * (xx + zz) + sqrt(0.25 * (xx - zz) * (xx - zz) + xz * xz);
}

double dr_elastic_step_limit(const dr_elastic* elastic)
{
    enum { samples = 16 };
    double worst = 0.0;
    for (int i = 0; i <= (elastic->def.columns > 1 ? samples : 0); ++i) {
        for (int j = 0; j <= (elastic->def.rows > 1 ? samples : 0); ++j) {
            double p = (double)i / samples, q = (double)j / samples;
            worst = fmax(worst, wave_stiffness(elastic, p, q));
        }
    }
    // At rest the weights vanish and waves are in effect explicit: dt times the frequency is at
    // most 2.
    return DR_ELASTIC_SAFETY * sqrt(elastic->def.density / worst);
}

// --- Assembly ---

typedef struct assembly {
    const dr_elastic* elastic;
    const dr_elastic_assembly* kernels;
} assembly;

static void weigh_row(const assembly* a, int row)
{
    const dr_elastic* e = a->elastic;
    a->kernels->weigh_springs[e->def.form](e, row);
    if (e->f.normal[0]) {
        a->kernels->find_normals(e, row);
    }
    if (e->def.bend != DRAPE_BEND_PLATE) {
        a->kernels->weigh_bending(e, row);
    }
}

// From the elements of this row and those before and after it.
static void gather_row(const assembly* a, int row)
{
    const dr_elastic* e = a->elastic;
    if (e->def.bend != DRAPE_BEND_PLATE) {
        a->kernels->gather_bending(e, row);
    }
    a->kernels->assemble[e->def.form != DRAPE_FORM_PLAIN](e, row);
    if (e->def.bend == DRAPE_BEND_PLATE && e->f.normal[0]) {
        a->kernels->curl(e, row);
    }
}

// From the links of this row and the two before it.
static void measure_row(const assembly* a, int row)
{
    a->elastic->row_result[row] = a->kernels->margin(a->elastic, row);
}

// All of a row while it is in the cache, as far as the block has what that takes.
static void assemble_blocks(void* context, int first, int last, int worker)
{
    (void)worker;
    const assembly* a = context;
    const dr_elastic* e = a->elastic;
    for (int block = first; block < last; ++block) {
        int begin = dr_elastic_block_begin(e, block), end = dr_elastic_block_begin(e, block + 1);
        int gather_begin = block > 0 ? begin + 1 : 0, measure_begin = block > 0 ? begin + 3 : 0;
        for (int row = begin; row <= end; ++row) {
            if (row < end) {
                weigh_row(a, row);
            }
            // One row behind. The last row of the sheet waits for none.
            if (row - 1 >= gather_begin && (row < end || end == e->def.rows)) {
                gather_row(a, row - 1);
            }
            if (row - 1 >= measure_begin && (row < end || end == e->def.rows)) {
                measure_row(a, row - 1);
            }
        }
    }
}

// What blocks left out for want of their neighbours' rows. Gap `i` is between blocks i and i + 1.
static void assemble_gaps(void* context, int first, int last, int worker)
{
    (void)worker;
    const assembly* a = context;
    for (int gap = first; gap < last; ++gap) {
        int middle = dr_elastic_block_begin(a->elastic, gap + 1);
        for (int row = middle - 1; row < middle + 1; ++row) {
            gather_row(a, row);
        }
        for (int row = middle - 1; row < middle + 3; ++row) {
            measure_row(a, row);
        }
    }
}

static void set_step(dr_elastic* e, double dt, const dr_elastic_forces* forces)
{
    double density = e->def.density, damping = e->def.damping;
    // Beyond this the velocity would be turned round.
    e->damping_clamped = damping * dt > 2.0;
    damping = e->damping_clamped ? 2.0 / dt : damping;
    double gamma = damping * density;
    e->step.dt = dt;
    e->step.is_solved = false;
    e->step.inertia = density / (dt * dt) + 0.5 * gamma / dt;
    e->step.momentum = e->damping_clamped ? 0.0 : density / dt - 0.5 * gamma;
    for (int i = 0; i < 3; ++i) {
        e->step.load[i] = density * forces->gravity[i];
    }
    e->step.has_acceleration = forces->acceleration != NULL;
}

static void take_acceleration(dr_elastic* e, const drape_vec3* from)
{
    double* const* to = e->f.acceleration;
    for (int r = 0; r < e->def.rows; ++r) {
        ptrdiff_t row = (ptrdiff_t)r * e->row;
        for (int c = 0; c < e->def.columns; ++c, ++from) {
            ptrdiff_t at = row + e->column_place[c];
            to[0][at] = from->x;
            to[1][at] = from->y;
            to[2][at] = from->z;
        }
    }
}

double dr_elastic_begin(dr_elastic* elastic, double dt, const dr_elastic_forces* forces,
                        dr_pool* pool, drape_isa isa)
{
    assembly a = {elastic, dr_elastic_assembly_for(isa)};
    set_step(elastic, dt, forces);
    if (forces->acceleration) {
        take_acceleration(elastic, forces->acceleration);
    }
    int blocks = dr_elastic_block_count(elastic);
    pool = dr_elastic_vertex_count(elastic) < DR_ELASTIC_WORTH_THREADS ? NULL : pool;
    dr_parallel_for(pool, blocks, 1, assemble_blocks, &a);
    dr_parallel_for(pool, blocks - 1, 1, assemble_gaps, &a);
    double margin = 1.0;
    for (int row = 0; row < elastic->def.rows; ++row) {
        margin = fmin(margin, elastic->row_result[row]);
    }
    return margin;
}

void dr_elastic_add_spring(dr_elastic* elastic, int vertex, double stiffness, const double place[3])
{
    ptrdiff_t at = dr_elastic_place(elastic, vertex);
    // The system is per unit of area.
    double weight = stiffness / (elastic->h[0] * elastic->h[1]);
    elastic->f.inverse[at] = 1.0 / (1.0 / elastic->f.inverse[at] + weight);
    for (int i = 0; i < 3; ++i) {
        elastic->f.g[i][at] += weight * place[i];
    }
}

// --- Looking at it ---

static bool has_vertex(const dr_elastic* e, int column, int row)
{
    return column >= 0 && column < e->def.columns && row >= 0 && row < e->def.rows;
}

double dr_elastic_coefficient(const dr_elastic* elastic, int vertex, int dm, int dn)
{
    static const int along[DR_ELASTIC_LINKS] = {1, 0, 1, -1, 2, 0};
    static const int across[DR_ELASTIC_LINKS] = {0, 1, 1, 1, 0, 2};
    int columns = elastic->def.columns, column = vertex % columns, row = vertex / columns;
    ptrdiff_t here = dr_elastic_place(elastic, vertex);
    if (dm == 0 && dn == 0) {
        return 1.0 / elastic->f.inverse[here];
    }
    if (!has_vertex(elastic, column + dm, row + dn)) {
        return 0.0;
    }
    ptrdiff_t there = dr_elastic_place(elastic, vertex + dm + dn * columns);
    for (int i = 0; i < DR_ELASTIC_LINKS; ++i) {
        if (dm == along[i] && dn == across[i]) {
            return elastic->f.link[i][here];
        }
        if (dm == -along[i] && dn == -across[i]) {
            return elastic->f.link[i][there];
        }
    }
    return 0.0;
}

void dr_elastic_right_side(const dr_elastic* elastic, int vertex, double out[3])
{
    ptrdiff_t at = dr_elastic_place(elastic, vertex);
    for (int i = 0; i < 3; ++i) {
        out[i] = elastic->f.g[i][at];
    }
}
