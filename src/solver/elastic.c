#include "solver/elastic.h"

#include <math.h>
#include <string.h>

#include "solver/elastic_kernels.h"

// Unused rows at either end of a field, and unused doubles before its first and after its last row.
enum { SPARE_ROWS = 2, SPARE = 4, LANES = 4 };

// More rows or columns than this are taken for a mistake.
enum { MOST = 1 << 15 };

// --- Definition ---

dr_elastic_def dr_elastic_defaults(void)
{
    return (dr_elastic_def){
        .columns = 51,
        .rows = 51,
        .size_x = 1.0,
        .size_z = 1.0,
        .density = 0.2,
        .damping = 2.0,
        .eta = {20.0, 20.0, 5.0},
        .xi = {1e-4, 1e-4, 1e-4},
        .bend = DRAPE_BEND_PLATE,
        .form = DRAPE_FORM_SPLIT,
    };
}

void dr_elastic_set_fabric(dr_elastic_def* def, const drape_fabric* fabric)
{
    double warp = fabric->bend_warp, weft = fabric->bend_weft;
    def->density = fabric->density;
    // The metric grows by twice the strain, so its stiffness is half of the tensile one.
    def->eta[DR_ELASTIC_11] = 0.5 * (double)fabric->stretch_warp;
    def->eta[DR_ELASTIC_22] = 0.5 * (double)fabric->stretch_weft;
    def->eta[DR_ELASTIC_12] = fabric->shear;
    def->xi[DR_ELASTIC_11] = warp;
    def->xi[DR_ELASTIC_22] = weft;
    // As a plate that does not contract sideways.
    def->xi[DR_ELASTIC_12] = sqrt(warp * weft);
}

static bool is_positive(double a)
{
    return a > 0.0 && isfinite(a);
}

static bool is_stiffness(const double a[3])
{
    return a[0] >= 0.0 && a[1] >= 0.0 && a[2] >= 0.0 && isfinite(a[0] + a[1] + a[2]);
}

const char* dr_elastic_check(const dr_elastic_def* def)
{
    if (def->columns < 1 || def->rows < 1 || def->columns > MOST || def->rows > MOST) {
        return "an elastic sheet needs from 1 to 32768 columns and rows";
    }
    if (!is_positive(def->size_x) || !is_positive(def->size_z)) {
        return "the sizes of an elastic sheet must be positive and finite";
    }
    if (!is_positive(def->density)) {
        return "the density of an elastic sheet must be positive and finite";
    }
    if (!(def->damping >= 0.0) || !isfinite(def->damping)) {
        return "the damping of an elastic sheet must be finite and not negative";
    }
    if (!is_stiffness(def->eta) || !is_stiffness(def->xi)) {
        return "the stiffnesses of an elastic sheet must be finite and not negative";
    }
    if (!isfinite(def->curvature[0] + def->curvature[1] + def->curvature[2])) {
        return "the rest curvature of an elastic sheet must be finite";
    }
    if ((unsigned)def->bend > DRAPE_BEND_PAPER || (unsigned)def->form > DRAPE_FORM_STIFF) {
        return "an elastic sheet has no such kind of bending or form of the step";
    }
    return NULL;
}

// --- Life ---

static bool has_curvature(const dr_elastic_def* def)
{
    return def->curvature[0] != 0.0 || def->curvature[1] != 0.0 || def->curvature[2] != 0.0;
}

// The next field of the block, or all of them counted while there is no block yet.
static double* take_field(dr_elastic* e)
{
    size_t begin = e->field_size * (size_t)e->field_count++;
    return e->block ? e->block + begin + SPARE + (size_t)SPARE_ROWS * (size_t)e->row : NULL;
}

static void take_fields(dr_elastic* e, double** fields, int count)
{
    for (int i = 0; i < count; ++i) {
        fields[i] = take_field(e);
    }
}

// Called twice: to count the fields, then to place them.
static void place_fields(dr_elastic* e)
{
    dr_elastic_fields* f = &e->f;
    e->field_count = 0;
    take_fields(e, f->x, 3);
    take_fields(e, f->v, 3);
    take_fields(e, f->q, 3);
    take_fields(e, f->g, 3);
    f->inverse = take_field(e);
    take_fields(e, f->link, DR_ELASTIC_SPRINGS);
    f->bend_diagonal = take_field(e);
    take_fields(e, f->bend_link, DR_ELASTIC_LINKS);
    // Two neighbours away there is nothing but bending.
    for (int i = DR_ELASTIC_SPRINGS; i < DR_ELASTIC_LINKS; ++i) {
        f->link[i] = f->bend_link[i];
    }
    take_fields(e, f->implicit, DR_ELASTIC_SPRINGS);
    take_fields(e, f->lo, 3);
    take_fields(e, f->hi, 3);
    f->counts = take_field(e);
    take_fields(e, f->acceleration, 3);
    take_fields(e, f->bend_element, 3);
    if (e->def.form != DRAPE_FORM_PLAIN) {
        take_fields(e, f->rest, DR_ELASTIC_SPRINGS);
    }
    if (e->def.bend != DRAPE_BEND_PLATE || has_curvature(&e->def)) {
        take_fields(e, f->normal, 3);
        take_fields(e, f->twist_normal, 3);
    }
}

static void set_layout(dr_elastic* e)
{
    int columns = e->def.columns, rows = e->def.rows, most = 0;
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        int count = (columns - k + DR_ELASTIC_COLOURS - 1) / DR_ELASTIC_COLOURS;
        e->run_vectors[k] = count > 0 ? (count + LANES - 1) / LANES : 0;
        most = e->run_vectors[k] > most ? e->run_vectors[k] : most;
    }
    e->run = (most + 1) * LANES;
    e->row = DR_ELASTIC_COLOURS * e->run;
    e->field_size = (size_t)(rows + 2 * SPARE_ROWS) * (size_t)e->row + 2 * SPARE;
    // A single row or column is as wide as it says.
    e->h[0] = e->def.size_x / (columns > 1 ? columns - 1 : 1);
    e->h[1] = e->def.size_z / (rows > 1 ? rows - 1 : 1);
    // A billionth of a metre, but a small share of small cells.
    e->tolerance = fmin(1e-9, 1e-7 * fmin(e->h[0], e->h[1]));
}

static size_t columns_size(const dr_elastic* e)
{
    return 3 * (size_t)(e->row + 2 * SPARE);
}

static size_t vector_count(const dr_elastic* e)
{
    return (size_t)e->def.rows * (size_t)e->row / LANES;
}

static size_t bucket_count(const dr_elastic* e)
{
    return (size_t)e->def.rows * DR_ELASTIC_COLOURS + 1;
}

static bool allocate(dr_elastic* e, dr_memory* memory)
{
    size_t vertices = (size_t)dr_elastic_vertex_count(e);
    place_fields(e);
    e->block = dr_allocate_zeroed(
        memory, dr_array_bytes(e->field_size, (size_t)e->field_count * sizeof(double)));
    e->columns[0] = dr_new_zeroed(memory, double, columns_size(e));
    e->column_place = dr_new(memory, int32_t, e->def.columns);
    e->is_limited = dr_new_zeroed(memory, uint8_t, vector_count(e));
    e->touched = dr_new(memory, int32_t, vertices);
    e->row_result = dr_new_zeroed(memory, double, e->def.rows);
    e->planes.first = dr_new_zeroed(memory, int32_t, bucket_count(e));
    e->planes.vertices = dr_new(memory, int32_t, vertices);
    e->planes.before = dr_allocate(memory, dr_array_bytes(vertices, sizeof *e->planes.before));
    return e->block && e->columns[0] && e->column_place && e->is_limited && e->touched &&
           e->row_result && e->planes.first && e->planes.vertices && e->planes.before;
}

static void set_columns(dr_elastic* e)
{
    double* block = e->columns[0];
    for (int i = 0; i < 3; ++i) {
        e->columns[i] = block + SPARE + i * (e->row + 2 * SPARE);
    }
    for (int c = 0; c < e->def.columns; ++c) {
        int place = c % DR_ELASTIC_COLOURS * e->run + c / DR_ELASTIC_COLOURS;
        e->column_place[c] = place;
        e->columns[0][place] = 1.0;
        e->columns[1][place] = c + 1 < e->def.columns ? 1.0 : 0.0;
        e->columns[2][place] = c > 0 ? 1.0 : 0.0;
    }
}

static void set_stencils(dr_elastic* e)
{
    static const int along[DR_ELASTIC_LINKS] = {1, 0, 1, -1, 2, 0};
    static const int across[DR_ELASTIC_LINKS] = {0, 1, 1, 1, 0, 2};
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        dr_elastic_stencil* s = &e->stencils[k];
        for (int i = 0; i < DR_ELASTIC_LINKS; ++i) {
            ptrdiff_t rows = (ptrdiff_t)across[i] * e->row;
            s->to[2 * i] = dr_elastic_way(e, k, along[i]) + rows;
            s->to[2 * i + 1] = dr_elastic_way(e, k, -along[i]) - rows;
            s->weight[2 * i] = e->f.link[i];
            s->weight[2 * i + 1] = e->f.link[i] + s->to[2 * i + 1];
        }
    }
}

// No limits anywhere, unused places included.
static void open_limits(dr_elastic* e)
{
    size_t count = (size_t)e->def.rows * (size_t)e->row;
    for (size_t i = 0; i < count; ++i) {
        for (int c = 0; c < 3; ++c) {
            e->f.lo[c][i] = -INFINITY;
            e->f.hi[c][i] = INFINITY;
        }
        e->f.counts[i] = 1.0;
    }
}

// The weights of `plate`, once for all time.
static void set_plate(dr_elastic* e)
{
    double h1 = e->h[0], h2 = e->h[1];
    const double* xi = e->def.xi;
    int columns = e->def.columns, rows = e->def.rows;
    e->far_weight[0] = xi[0] / (h1 * h1 * h1 * h1);
    e->far_weight[1] = xi[1] / (h2 * h2 * h2 * h2);
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            ptrdiff_t at = (ptrdiff_t)r * e->row + e->column_place[c];
            bool has_along = c > 0 && c + 1 < columns, has_across = r > 0 && r + 1 < rows;
            bool has_cell = c + 1 < columns && r + 1 < rows;
            e->f.bend_element[0][at] = has_along ? e->far_weight[0] : 0.0;
            e->f.bend_element[1][at] = has_across ? e->far_weight[1] : 0.0;
            e->f.bend_element[2][at] = has_cell ? 2.0 * xi[2] / (h1 * h2 * h1 * h2) : 0.0;
        }
    }
    const dr_elastic_assembly* kernels = dr_elastic_assembly_for(DRAPE_ISA_PLAIN);
    for (int r = 0; r < rows; ++r) {
        kernels->gather_bending(e, r);
    }
}

bool dr_elastic_create(dr_elastic* elastic, dr_memory* memory, const dr_elastic_def* def)
{
    *elastic = (dr_elastic){.def = *def};
    set_layout(elastic);
    if (!allocate(elastic, memory)) {
        return false;
    }
    place_fields(elastic);
    set_columns(elastic);
    set_stencils(elastic);
    open_limits(elastic);
    if (def->bend == DRAPE_BEND_PLATE) {
        set_plate(elastic);
    }
    return true;
}

void dr_elastic_free(dr_elastic* elastic, dr_memory* memory)
{
    size_t vertices = (size_t)dr_elastic_vertex_count(elastic);
    // The rows of columns begin after the spare places, once they were set.
    double* columns = elastic->columns[0];
    columns = columns && elastic->columns[1] ? columns - SPARE : columns;
    dr_release(memory, elastic->block,
               dr_array_bytes(elastic->field_size, (size_t)elastic->field_count * sizeof(double)));
    dr_delete(memory, columns, columns_size(elastic));
    dr_delete(memory, elastic->column_place, elastic->def.columns);
    dr_delete(memory, elastic->is_limited, vector_count(elastic));
    dr_delete(memory, elastic->touched, vertices);
    dr_delete(memory, elastic->row_result, elastic->def.rows);
    dr_delete(memory, elastic->planes.first, bucket_count(elastic));
    dr_delete(memory, elastic->planes.vertices, vertices);
    dr_delete(memory, elastic->planes.before, vertices);
    *elastic = (dr_elastic){0};
}

// --- State ---

int dr_elastic_vertex_count(const dr_elastic* elastic)
{
    return elastic->def.columns * elastic->def.rows;
}

static void write_field(const dr_elastic* e, double* const field[3], const double (*from)[3])
{
    for (int r = 0, v = 0; r < e->def.rows; ++r) {
        ptrdiff_t row = (ptrdiff_t)r * e->row;
        for (int c = 0; c < e->def.columns; ++c, ++v) {
            for (int i = 0; i < 3; ++i) {
                field[i][row + e->column_place[c]] = from ? from[v][i] : 0.0;
            }
        }
    }
}

static void read_field(const dr_elastic* e, double* const field[3], double (*to)[3])
{
    for (int r = 0, v = 0; r < e->def.rows; ++r) {
        ptrdiff_t row = (ptrdiff_t)r * e->row;
        for (int c = 0; c < e->def.columns; ++c, ++v) {
            for (int i = 0; i < 3; ++i) {
                to[v][i] = field[i][row + e->column_place[c]];
            }
        }
    }
}

void dr_elastic_set_state(dr_elastic* elastic, const double (*places)[3],
                          const double (*velocities)[3])
{
    write_field(elastic, elastic->f.x, places);
    write_field(elastic, elastic->f.q, places);
    write_field(elastic, elastic->f.v, velocities);
}

void dr_elastic_get_state(const dr_elastic* elastic, double (*places)[3], double (*velocities)[3])
{
    if (places) {
        read_field(elastic, elastic->f.x, places);
    }
    if (velocities) {
        read_field(elastic, elastic->f.v, velocities);
    }
}

void dr_elastic_get_candidate(const dr_elastic* elastic, double (*places)[3])
{
    read_field(elastic, elastic->f.q, places);
}

void dr_elastic_get_candidate_floats(const dr_elastic* elastic, drape_vec3* places)
{
    double* const* q = elastic->f.q;
    for (int r = 0; r < elastic->def.rows; ++r) {
        ptrdiff_t row = (ptrdiff_t)r * elastic->row;
        for (int c = 0; c < elastic->def.columns; ++c) {
            ptrdiff_t at = row + elastic->column_place[c];
            *places++ = (drape_vec3){(float)q[0][at], (float)q[1][at], (float)q[2][at]};
        }
    }
}

void dr_elastic_set_candidate(dr_elastic* elastic, int vertex, const double place[3])
{
    ptrdiff_t at = dr_elastic_place(elastic, vertex);
    for (int i = 0; i < 3; ++i) {
        elastic->f.q[i][at] = place[i];
    }
}
