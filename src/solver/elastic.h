// solver/elastic.h: a sheet of cloth as an elastic surface on a grid.
//
// The model of Terzopoulos, Platt, Barr and Fleischer as Liu, Ko and Chang used it (1996, 1998).
// The surface r(a1, a2, t) over a rectangle of material resists changes of its metric and its
// curvature:
//
//     rho r'' + gamma r' + e(r) = f          per unit of rest area
//     e(r) = sum_ij - d_i( alpha_ij d_j r ) + d_i d_j( beta_ij d_i d_j r )
//     alpha_ij = eta_ij (d_i r . d_j r - rest)       stretch 11, 22 and shear 12
//
// Bending: with `plate` the coefficient is the constant xi_ij, which is the gradient of an energy.
// With `paper` it is xi_ij (B_ij - B0_ij), B the curvature tensor, as printed: even in the
// curvature, so it resists bending to one side and drives it to the other; it is there to be shown.
// `abs` takes the absolute value. For these two xi is N m^2.
//
// Elements on the grid of M x N vertices, cells h1 x h2, each there when all its vertices are,
// which is the whole treatment of borders:
//
//     edge      G11 = |r(m+1,n) - r(m,n)|^2 / h1^2       a spring of weight alpha11 / h1^2
//     cell      G12 = (|d+|^2 - |d-|^2) / (4 h1 h2)      springs of +-alpha12 / (2 h1 h2) on the
//               diagonals d+ = r(m+1,n+1) - r(m,n), d- = r(m,n+1) - r(m+1,n)
//     triple    c = (1 -2 1):      xi11 / h1^4 c c^T      along a row; along a column with xi22, h2
//     twist     c = (1 -1 -1 1):   2 xi12 / (h1 h2)^2 c c^T
//
// All vertices weigh the same, rho h1 h2, so the sheet acts as M h1 x N h2 large. A row of the
// matrix has 1 + 12 entries, six of which follow from symmetry:
//
//                 .  .  o  .  .              (0,-2)
//                 .  o  o  o  .      (-1,-1) (0,-1) (1,-1)
//                 o  o  X  b  e                  X  (1,0)  (2,0)      X b e d c s f are stored
//                 .  d  c  s  .       (-1,1) (0,1)  (1,1)
//                 .  .  f  .  .               (0,2)
//
// Time: the weights are frozen at the start of the step, inertia and damping by central
// differences.
//
//     plain    (K(r) + D) q = f + D r + (rho/dt - gamma/2) v         D = rho/dt^2 + gamma/(2 dt)
//     split    springs in compression go to the right side, at r (default: they blow up plain)
//     stiff    springs get a bound of their true tangent, what is too much is taken off on the
//              right; steps may be many times longer, at the price of damping and more sweeps
//
// Solving: Gauss-Seidel in five colours, (m + 2 n) mod 5, which separate all that are coupled;
// after each update a vertex is brought within its limits (solver/limits.h). The block of a vertex
// is a multiple of the identity, so the nearest place within the limits is the exact minimum of
// that vertex.
//
// Layout: a row is cut by column mod 5 into five *runs*, so the vertices of one colour in a row,
// and each of their twelve neighbours, lie side by side, four to a vector:
//
//     row n:   0 5 10 15 .. . | 1 6 11 16 .. . | 2 7 .. . | 3 8 .. . | 4 9 .. .
//
// Runs are whole vectors with at least one unused place between them, and there are two unused rows
// at either end, so neighbours that do not exist are read as zeros with a weight of zero.
#ifndef DR_ELASTIC_H
#define DR_ELASTIC_H

#include "core/memory.h"
#include "core/parallel.h"
#include "solver/limits.h"

// Index of the tensors: along the rows, along the columns, mixed.
enum { DR_ELASTIC_11, DR_ELASTIC_22, DR_ELASTIC_12 };

typedef struct dr_elastic_def {
    int columns, rows;     // vertices; vertex (c, r) is r * columns + c
    double size_x, size_z; // m, along a row and along a column; of a single row or column its width
    double density;        // kg/m^2
    double damping;        // gamma / rho, 1/s
    double eta[3];         // N/m; half the tensile stiffness, and the shear stiffness
    double xi[3];          // N m; bending stiffness and twist
    double curvature[3];   // at rest, 1/m; towards the normal (along a row) x (along a column)
    drape_elastic_bend bend;
    drape_elastic_form form;
} dr_elastic_def;

// Light cotton, 1 m x 1 m, 51 x 51 vertices.
dr_elastic_def dr_elastic_defaults(void);
// Density, eta and xi of a fabric: warp lies along the rows.
void dr_elastic_set_fabric(dr_elastic_def* def, const drape_fabric* fabric);
// A sentence about the first value that cannot be, null when all is well.
const char* dr_elastic_check(const dr_elastic_def* def);

enum {
    DR_ELASTIC_COLOURS = 5,
    DR_ELASTIC_SPRINGS = 4, // of a vertex: to (1,0), (0,1), (1,1), and between (1,0) and (0,1)
    // Stored neighbours, in the order b c s d e f of the drawing.
    DR_ELASTIC_LINKS = 6,
    DR_ELASTIC_SWEEPS = 200, // at most
};

// Shares of the step in which a wave crosses a cell that are stable in practice.
#define DR_ELASTIC_SAFETY 0.55

// Arrays that have a place for each vertex, in the layout above; pointers are to vertex (0, 0).
typedef struct dr_elastic_fields {
    double *x[3], *v[3]; // committed
    double* q[3];        // candidate
    double* g[3];        // right side
    double* inverse;     // 1 / diagonal
    double* link[DR_ELASTIC_LINKS];
    double* bend_diagonal; // share of bending in the diagonal and the links
    double* bend_link[DR_ELASTIC_LINKS];
    double* implicit[DR_ELASTIC_SPRINGS];
    double*
        rest[DR_ELASTIC_SPRINGS]; // what of the springs is on the right side; null in plain form
    double *lo[3], *hi[3];        // of held vertices and intervals
    double* counts;               // 1, or 0 where planes have the last word
    double* acceleration[3];
    double* bend_element[3];             // weights of triples and twists
    double *normal[3], *twist_normal[3]; // at vertices and in cells; null where nothing needs them
} dr_elastic_fields;

// The twelve neighbours of the vertices of a run: the way to each, and where its weight is kept, by
// the vertex itself or, for those before it, by the neighbour. Both ways of a link follow each
// other.
typedef struct dr_elastic_stencil {
    ptrdiff_t to[2 * DR_ELASTIC_LINKS];
    const double* weight[2 * DR_ELASTIC_LINKS];
} dr_elastic_stencil;

// What begin found out for the step.
typedef struct dr_elastic_step {
    double dt;
    double inertia;  // D
    double momentum; // rho / dt - gamma / 2
    bool is_solved;  // there is a candidate to begin with
    double load[3];  // rho times gravity
    bool has_acceleration;
} dr_elastic_step;

// Vertices with planes and where they were before their turn, colour by colour and row by row.
typedef struct dr_elastic_planes {
    int32_t* first;    // rows * colours + 1, into `vertices`
    int32_t* vertices; // room for all
    double (*before)[3];
} dr_elastic_planes;

typedef struct dr_elastic {
    dr_elastic_def def;
    double h[2];                         // cell
    int run_vectors[DR_ELASTIC_COLOURS]; // vectors that hold vertices, by column mod 5
    int run;                             // doubles from a run to the next
    int row;                             // doubles from a row to the next
    double far_weight[2]; // of vertices two along and two across, if bending is `plate`
    double tolerance;     // m, change of a sweep that is none
    size_t field_size;
    int field_count;
    double* block;      // all fields
    double* columns[3]; // a row each: 1 where a column exists, has a right, has a left neighbour
    int32_t* column_place;
    uint8_t* is_limited; // by vector
    int32_t* touched;    // vertices whose limits are in the fields
    int touched_count;
    double* row_result;
    dr_elastic_fields f;
    dr_elastic_stencil stencils[DR_ELASTIC_COLOURS]; // by column mod 5
    dr_elastic_planes planes;
    dr_elastic_step step;
    bool damping_clamped; // the last step was too long for the damping, which was lowered for it
} dr_elastic;

// --- Life and state ---

// `def` has passed dr_elastic_check. False when memory is short; free it then all the same.
bool dr_elastic_create(dr_elastic* elastic, dr_memory* memory, const dr_elastic_def* def);
void dr_elastic_free(dr_elastic* elastic, dr_memory* memory);

int dr_elastic_vertex_count(const dr_elastic* elastic);
// All must be finite. Velocities may be null: zero.
void dr_elastic_set_state(dr_elastic* elastic, const double (*places)[3],
                          const double (*velocities)[3]);
// Either may be null.
void dr_elastic_get_state(const dr_elastic* elastic, double (*places)[3], double (*velocities)[3]);
void dr_elastic_get_candidate(const dr_elastic* elastic, double (*places)[3]);
void dr_elastic_get_candidate_floats(const dr_elastic* elastic, drape_vec3* places);
// Overrules the solver for one vertex before the commit.
void dr_elastic_set_candidate(dr_elastic* elastic, int vertex, const double place[3]);

// Where a vertex is in the fields.
static inline ptrdiff_t dr_elastic_place(const dr_elastic* elastic, int vertex)
{
    int row = vertex / elastic->def.columns, column = vertex % elastic->def.columns;
    return (ptrdiff_t)row * elastic->row + elastic->column_place[column];
}

// --- A step ---

// The longest step to take, s: DR_ELASTIC_SAFETY of what is stable in plain and split form.
double dr_elastic_step_limit(const dr_elastic* elastic);

typedef struct dr_elastic_forces {
    double gravity[3];              // m/s^2
    const drape_vec3* acceleration; // of each vertex besides; may be null
} dr_elastic_forces;

// Assembles the system. Returns the margin of dominance, the least of (|a_ii| - sum |a_ij|) /
// |a_ii|: when it is not above zero the step should be begun again with half of dt.
double dr_elastic_begin(dr_elastic* elastic, double dt, const dr_elastic_forces* forces,
                        dr_pool* pool, drape_isa isa);
// Between begin and solve: pulls a vertex to a place by a spring, N/m, implicitly.
void dr_elastic_add_spring(dr_elastic* elastic, int vertex, double stiffness,
                           const double place[3]);

typedef struct dr_elastic_result {
    int sweeps;
    double change; // m, of the last sweep
    bool converged;
    int violations; // vertices that their planes pushed out of their intervals
} dr_elastic_result;

// Solves from the committed places and velocities, again from the last candidate after limits were
// added. The cloth's
// vertices are those from `first_vertex` on in `limits`, which may be null.
dr_elastic_result dr_elastic_solve(dr_elastic* elastic, const dr_limits* limits, int first_vertex,
                                   dr_pool* pool, drape_isa isa);
// v = (q - x) / dt, x = q. False, and nothing changes, when a candidate is not finite.
bool dr_elastic_commit(dr_elastic* elastic, drape_isa isa);

// --- Looking at it ---

typedef struct dr_elastic_energies {
    double stretch, shear, bend, kinetic; // J
} dr_elastic_energies;

// Of the committed state. Bending as `plate` has it.
dr_elastic_energies dr_elastic_energy(const dr_elastic* elastic);
// Entry of the assembled matrix between a vertex and the one (dm, dn) away, 0 where there is none.
double dr_elastic_coefficient(const dr_elastic* elastic, int vertex, int dm, int dn);
void dr_elastic_right_side(const dr_elastic* elastic, int vertex, double out[3]);

#endif
