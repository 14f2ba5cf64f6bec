// Gauss-Seidel over the vertices of an elastic sheet, each kept within its limits.
#include <math.h>
#include <string.h>

#include "core/isa.h"
#include "solver/elastic_kernels.h"

DR_KERNEL_TABLE(dr_elastic_sweeps)

// --- Limits in the solver's order ---

static void drop_limits(dr_elastic* e)
{
    for (int i = 0; i < e->touched_count; ++i) {
        ptrdiff_t at = dr_elastic_place(e, e->touched[i]);
        for (int c = 0; c < 3; ++c) {
            e->f.lo[c][at] = -INFINITY;
            e->f.hi[c][at] = INFINITY;
        }
        e->f.counts[at] = 1.0;
        e->is_limited[at / 4] = 0;
    }
    e->touched_count = 0;
}

// Which of the lists of planes a vertex belongs to.
static int bucket_of(const dr_elastic* e, int vertex)
{
    int row = vertex / e->def.columns, column = vertex % e->def.columns;
    return (column + 2 * row) % DR_ELASTIC_COLOURS * e->def.rows + row;
}

// Held is an interval without room.
static void take_limit(dr_elastic* e, const dr_limits* limits, int first_vertex, int vertex)
{
    int v = first_vertex + vertex;
    ptrdiff_t at = dr_elastic_place(e, vertex);
    bool is_held = limits->hold[v] != DR_HOLD_FREE;
    for (int c = 0; c < 3; ++c) {
        e->f.lo[c][at] = is_held ? limits->place[v][c] : limits->lo[v][c];
        e->f.hi[c][at] = is_held ? limits->place[v][c] : limits->hi[v][c];
    }
    e->is_limited[at / 4] = 1;
    e->touched[e->touched_count++] = vertex;
    if (!is_held && limits->plane_count[v] > 0) {
        e->f.counts[at] = 0.0;
        ++e->planes.first[bucket_of(e, vertex)];
    }
}

// Counts have become starts of lists; filling them in from behind leaves them at their starts.
static void list_planes(dr_elastic* e)
{
    int32_t* first = e->planes.first;
    int buckets = e->def.rows * DR_ELASTIC_COLOURS;
    for (int b = 1; b <= buckets; ++b) {
        first[b] += first[b - 1];
    }
    for (int i = e->touched_count - 1; i >= 0; --i) {
        int vertex = e->touched[i];
        if (e->f.counts[dr_elastic_place(e, vertex)] == 0.0) {
            e->planes.vertices[--first[bucket_of(e, vertex)]] = vertex;
        }
    }
}

static void take_limits(dr_elastic* e, const dr_limits* limits, int first_vertex)
{
    size_t buckets = (size_t)e->def.rows * DR_ELASTIC_COLOURS;
    drop_limits(e);
    memset(e->planes.first, 0, (buckets + 1) * sizeof *e->planes.first);
    const int32_t* limited = limits ? limits->limited.data : NULL;
    for (int i = 0; limits && i < limits->limited.count; ++i) {
        int vertex = limited[i] - first_vertex;
        if (vertex >= 0 && vertex < dr_elastic_vertex_count(e)) {
            take_limit(e, limits, first_vertex, vertex);
        }
    }
    list_planes(e);
}

// --- Sweeps ---

typedef struct sweeping {
    const dr_elastic* elastic;
    double (*sweep)(const dr_elastic* elastic, int row, int colour);
    const dr_limits* limits;
    int first_vertex;
} sweeping;

static void read_candidate(const dr_elastic* e, int vertex, double y[3])
{
    ptrdiff_t at = dr_elastic_place(e, vertex);
    for (int c = 0; c < 3; ++c) {
        y[c] = e->f.q[c][at];
    }
}

// The candidate of a vertex to the nearest place that its limits allow; its change since `before`.
static double project(const sweeping* s, int vertex, const double before[3])
{
    const dr_elastic* e = s->elastic;
    ptrdiff_t at = dr_elastic_place(e, vertex);
    double y[3], change = 0.0;
    read_candidate(e, vertex, y);
    dr_limits_project(s->limits, s->first_vertex + vertex, y);
    for (int c = 0; c < 3; ++c) {
        e->f.q[c][at] = y[c];
        change = fmax(change, fabs(y[c] - before[c]));
    }
    return change;
}

// One colour of some rows: all by the kernel, then those with planes once more. Vertices of a
// colour are not coupled, so this is as good as one by one.
static double sweep_colour(const sweeping* s, int row_begin, int row_end, int colour)
{
    const dr_elastic* e = s->elastic;
    int rows = e->def.rows;
    const int32_t* first = e->planes.first + (ptrdiff_t)colour * rows;
    int begin = first[row_begin], end = first[row_end];
    for (int i = begin; i < end; ++i) {
        read_candidate(e, e->planes.vertices[i], e->planes.before[i]);
    }
    double change = 0.0;
    for (int row = row_begin; row < row_end; ++row) {
        change = fmax(change, s->sweep(e, row, colour));
    }
    for (int i = begin; i < end; ++i) {
        change = fmax(change, project(s, e->planes.vertices[i], e->planes.before[i]));
    }
    return change;
}

// Rows are cut into blocks. A colour reads two rows to either side, so a block can do all its
// colours on its own if each begins and ends two rows further inside than the one before; what is
// left out between blocks is done after that:
//
//     colour 0   |------ block ------|------ block ------|
//     colour 1   |----------------| g |---------------| g |      g: the gaps, done second
//     colour 2   |-------------|   g   |-----------|   g ...
//
// Each vertex sees what it would see if the colours went over the whole sheet one by one; but a
// block stays in the cache, and threads meet twice a sweep and not five times.
enum { REACH = 2 };

static void sweep_blocks(void* context, int first, int last, int worker)
{
    (void)worker;
    const sweeping* s = context;
    const dr_elastic* e = s->elastic;
    for (int block = first; block < last; ++block) {
        double* change = &e->row_result[block];
        *change = 0.0;
        for (int colour = 0; colour < DR_ELASTIC_COLOURS; ++colour) {
            int inside = REACH * colour;
            int begin = dr_elastic_block_begin(e, block) + (block > 0 ? inside : 0);
            int end = dr_elastic_block_begin(e, block + 1) -
                      (block + 1 < dr_elastic_block_count(e) ? inside : 0);
            *change = fmax(*change, sweep_colour(s, begin, end, colour));
        }
    }
}

// Gap `i` is between blocks i and i + 1.
static void sweep_gaps(void* context, int first, int last, int worker)
{
    (void)worker;
    const sweeping* s = context;
    for (int gap = first; gap < last; ++gap) {
        double* change = &s->elastic->row_result[gap];
        int middle = dr_elastic_block_begin(s->elastic, gap + 1);
        for (int colour = 1; colour < DR_ELASTIC_COLOURS; ++colour) {
            int half = REACH * colour;
            *change = fmax(*change, sweep_colour(s, middle - half, middle + half, colour));
        }
    }
}

static double sweep_once(sweeping* s, dr_pool* pool)
{
    const dr_elastic* e = s->elastic;
    int blocks = dr_elastic_block_count(e);
    double change = 0.0;
    pool = dr_elastic_vertex_count(e) < DR_ELASTIC_WORTH_THREADS ? NULL : pool;
    dr_parallel_for(pool, blocks, 1, sweep_blocks, s);
    dr_parallel_for(pool, blocks - 1, 1, sweep_gaps, s);
    for (int block = 0; block < blocks; ++block) {
        change = fmax(change, e->row_result[block]);
    }
    return change;
}

// Where the sheet would go by itself, or in later runs of a step the last candidate, brought within
// the limits.
static void start(const sweeping* s)
{
    const dr_elastic* e = s->elastic;
    size_t count = (size_t)e->def.rows * (size_t)e->row;
    for (int c = 0; c < 3 && !e->step.is_solved; ++c) {
        for (size_t i = 0; i < count; ++i) {
            e->f.q[c][i] = e->f.x[c][i] + e->step.dt * e->f.v[c][i];
        }
    }
    for (int i = 0; i < e->touched_count; ++i) {
        project(s, e->touched[i], (const double[3]){0});
    }
}

static int count_violations(const sweeping* s)
{
    const dr_elastic* e = s->elastic;
    int count = 0;
    for (int i = 0; i < e->planes.first[e->def.rows * DR_ELASTIC_COLOURS]; ++i) {
        ptrdiff_t at = dr_elastic_place(e, e->planes.vertices[i]);
        bool is_out = false;
        for (int c = 0; c < 3; ++c) {
            is_out |= e->f.q[c][at] < e->f.lo[c][at] || e->f.q[c][at] > e->f.hi[c][at];
        }
        count += is_out;
    }
    return count;
}

dr_elastic_result dr_elastic_solve(dr_elastic* elastic, const dr_limits* limits, int first_vertex,
                                   dr_pool* pool, drape_isa isa)
{
    bool is_plate = elastic->def.bend == DRAPE_BEND_PLATE;
    sweeping s = {elastic, dr_elastic_sweeps_for(isa)->sweep[is_plate], limits, first_vertex};
    dr_elastic_result result = {0};
    take_limits(elastic, limits, first_vertex);
    start(&s);
    while (result.sweeps < DR_ELASTIC_SWEEPS && !result.converged) {
        result.change = sweep_once(&s, pool);
        result.converged = result.change < elastic->tolerance;
        ++result.sweeps;
    }
    elastic->step.is_solved = true;
    result.violations = count_violations(&s);
    return result;
}

bool dr_elastic_commit(dr_elastic* elastic, drape_isa isa)
{
    const dr_elastic_sweeps* kernels = dr_elastic_sweeps_for(isa);
    for (int row = 0; row < elastic->def.rows; ++row) {
        if (!kernels->is_finite(elastic, row)) {
            return false;
        }
    }
    for (int row = 0; row < elastic->def.rows; ++row) {
        kernels->commit(elastic, row);
    }
    return true;
}
