// solver/springs.h: a sheet of masses and springs, on a grid or on any triangle mesh.
//
// Three kinds of springs join the vertices. On a grid, from vertex (m, n):
//
//     structural   to (m+1, n) and (m, n+1)                 extension along the threads
//     shear        both diagonals of each cell              shear
//     bend         to (m+2, n) and (m, n+2)                 bending; with `eight_bends` also to
//                                                           (m+2, n+2) and (m+2, n-2), and stiffer
//                                                           the more they give
//
// On a mesh the edges are structural springs, those that lie across the threads shear springs, and
// the opposite vertices of each hinge are joined by a bend spring. A spring of length l and rest
// length L pulls with
//
//     f = k (l - L) (1 + c ((l - L) / L)^2)                 c = 0 but for the eight bends
//
// and has no direction, so no force, when it has no length: such springs are counted.
//
// Stiffness from a fabric: springs of N/m that store the fabric's energy in small pure extension
// along warp, along weft, and in pure shear. Cells h1 x h2 with diagonals D:
//
//     shear        G D^2 / (2 h1 h2)
//     structural   half of E1 h2 / h1 from each cell beside it, less what the diagonals and the
//                  bend springs store in the same extension; never below zero
//     bend         what a triple stores of the fabric's B when it is folded by `fold_angle`
//
// A chord gets shorter with the square of the angle, so a bend spring stores its fourth power: it
// is too soft for folds gentler than `fold_angle` and too stiff for sharper ones, and no choice of
// k helps. On a mesh the springs of each triangle are the non-negative ones that come nearest to
// the three energies: exact for right triangles along the threads, while springs in other
// directions cannot be soft in shear and stiff in extension, and extension wins.
//
// Time:
//
//     verlet     q = x + (1 - Kd) v dt + dt^2 F/m,  v = (q - x)/dt,  Kd = 1 - exp(-damping dt).
//                Stable up to 2 / sqrt(w2), w2 the largest 2/m sum k of a vertex; longer steps are
//                cut into equal substeps, in which held vertices move evenly to their places.
//     implicit   backward Euler, linearised: (M + dt D + dt^2 K) u = M (v + dt a) + dt F for the
//                new velocity u, q = x + dt u. K without what springs in compression take off
//                across themselves, so it is positive definite. Conjugate gradients with the 3 x 3
//                blocks of the diagonal as preconditioner. Held vertices have their velocity;
//                planes and intervals that push, found in rounds, take their normal out of the
//                search.
//
// After that springs which are too long are shortened (Provot 1995), if asked for, and limits have
// the last word. What the sweeps leave over grows with the square of the step: they are for steps
// of a millisecond or so, and for soft springs in the long steps of implicit even fifty are few.
//
// Layout: places and velocities are records of four doubles, the last 0. Each vertex has its own
// list of the springs that meet in it, in groups of four, so each spring is seen from both ends and
// vertices need nobody else's result: any number of threads gives the same bits.
#ifndef DR_SPRINGS_H
#define DR_SPRINGS_H

#include "core/memory.h"
#include "core/parallel.h"
#include "mesh/mesh.h"
#include "solver/limits.h"

typedef enum dr_spring_kind {
    DR_SPRING_STRUCTURAL,
    DR_SPRING_SHEAR,
    DR_SPRING_BEND,
    DR_SPRING_KINDS,
} dr_spring_kind;

typedef enum dr_springs_integrator {
    DR_SPRINGS_VERLET,
    DR_SPRINGS_IMPLICIT,
} dr_springs_integrator;

// Order in which springs that are too long are shortened.
typedef enum dr_springs_order {
    DR_SPRINGS_TO_AND_FRO, // as they are numbered, every other sweep the other way round
    DR_SPRINGS_FROM_HELD,  // outwards from held vertices, breadth first
} dr_springs_order;

typedef struct dr_springs_def {
    // The sheet: a mesh, read by create only, or when it is null a grid in which vertex (c, r) is
    // r * columns + c.
    const dr_mesh* mesh;
    int columns, rows;
    double size_x, size_z; // m, along a row and along a column; of a single row or column its width
    double density;        // kg/m^2
    // Stiffness: from the tensile, shear and bending stiffness of a fabric, N/m and N m ...
    double stretch[2], shear, bend[2]; // [0]: warp, along a row; [1]: weft
    double fold_angle;                 // at which bend springs store what the fabric does, radians
    // ... or, when any of these is above 0, the same for all springs of a kind, N/m, and every
    // vertex of a grid weighs the same, density times a cell.
    double stiffness[DR_SPRING_KINDS];
    bool eight_bends; // of grids
    double hardening; // c of the eight bends
    dr_springs_integrator integrator;
    double damping;        // of all motion, 1/s
    double spring_damping; // of lengths, implicit only: a force of this many seconds of rate
    double max_elongation; // to which structural and shear springs are shortened; 0: they are not
    int elongation_sweeps;
    dr_springs_order elongation_order;
    int max_substeps;   // of verlet; a step that needs more goes on with that many
    double tolerance;   // of implicit: residual over the first one
    int max_iterations; // of implicit, for each round
} dr_springs_def;

// Light cotton, 1 m x 1 m, 51 x 51 vertices, verlet.
dr_springs_def dr_springs_defaults(void);
// Density and stiffnesses of a fabric: warp lies along the rows, or as the mesh says.
void dr_springs_set_fabric(dr_springs_def* def, const drape_fabric* fabric);
// A sentence about the first value that cannot be, null when all is well.
const char* dr_springs_check(const dr_springs_def* def);

enum {
    DR_SPRINGS_ROUNDS = 6,                  // of finding the limits that push, at most
    DR_SPRINGS_SIDES = 6 + DR_LIMIT_PLANES, // of a vertex's room: its interval and its planes
};

typedef struct dr_spring {
    int32_t v[2];
    dr_spring_kind kind;
    double rest;      // m
    double stiffness; // N/m
    double hardening; // c / L^2, 1/m^2
} dr_spring;

// Four springs as one of their vertices sees them; unused ones lead to that vertex with k = 0.
typedef struct dr_spring_group {
    double rest[4], stiffness[4], hardening[4];
} dr_spring_group;

// The same in the system of a step: the spring adds alpha I + d d^T to its vertices' blocks.
typedef struct dr_spring_link {
    double alpha[4];
    double d[3][4];
} dr_spring_link;

// A vertex with limits, in the implicit solver.
typedef struct dr_spring_room {
    int32_t vertex;
    bool is_held;
    uint32_t pushing; // sides of its room that hold it back
    uint32_t let_go;  // sides that held it back and pulled: they do not come back in this solve
    uint32_t dropped; // sides that are nearly parallel to others that push
    int axis_count;
    double axes[3][3]; // unit vectors at right angles that span the pushing normals
} dr_spring_room;

typedef double dr_record[4];

typedef struct dr_springs_step {
    double dt, h; // of the step and of a substep, s
    int substeps;
    double keep; // 1 - Kd of a substep
} dr_springs_step;

typedef struct dr_springs {
    dr_springs_def def; // without the mesh
    int vertex_count, spring_count, group_count, block_count;
    dr_spring* springs;
    int32_t* group_start; // of each vertex, vertex_count + 1
    int32_t (*others)[4]; // of each group: the other ends
    dr_spring_group* groups;
    double *mass, *inverse_mass; // kg, 1/kg
    double least_length;         // m, below which a spring has no direction
    double step_limit;           // s, of verlet
    dr_record *x, *v;            // committed
    dr_record *y, *w;            // at the start of the substep
    dr_record* q;                // candidate
    dr_record* a;                // what acts from outside, m/s^2
    dr_record* pull;             // towards places: sum of k p, and of k
    int32_t* block_zero;         // springs without a length, by block
    // Lengths.
    int32_t* order;              // of springs, for the sweeps
    int32_t *level, *queue;      // of vertices, from held ones
    int32_t *link_start, *links; // springs to shorten at each vertex
    uint8_t* is_held;
    int long_count; // springs that are shortened: the first of `order`
    // Implicit.
    dr_spring_link* system;
    double* inertia; // share of mass, damping and pulls in the diagonal, kg
    dr_record *b, *u, *r, *z, *p, *ap;
    double (*inverse)[12]; // of the diagonal's blocks: three columns
    double (*filter)[12];  // what limits leave of the search, where a block has limits
    uint8_t* is_filtered;  // by block
    double (*partial)[2];  // sums by block
    dr_spring_room* rooms;
    int room_count;
    dr_springs_step step;
} dr_springs;

// --- Life and state ---

// `def` has passed dr_springs_check. False when memory is short; free it then all the same.
bool dr_springs_create(dr_springs* springs, dr_memory* memory, const dr_springs_def* def);
void dr_springs_free(dr_springs* springs, dr_memory* memory);

// All must be finite. Velocities may be null: zero.
void dr_springs_set_state(dr_springs* springs, const double (*places)[3],
                          const double (*velocities)[3]);
// Either may be null.
void dr_springs_get_state(const dr_springs* springs, double (*places)[3], double (*velocities)[3]);
void dr_springs_get_candidate(const dr_springs* springs, double (*places)[3]);
void dr_springs_get_candidate_floats(const dr_springs* springs, drape_vec3* places);
// Overrules the solver for one vertex before the commit.
void dr_springs_set_candidate(dr_springs* springs, int vertex, const double place[3]);

// --- A step ---

// The longest step that verlet takes in one, s; infinity without springs.
double dr_springs_step_limit(const dr_springs* springs);

typedef struct dr_springs_forces {
    double gravity[3];              // m/s^2
    const drape_vec3* acceleration; // of each vertex besides; may be null
} dr_springs_forces;

// Takes the step's length, not negative, and what acts from outside; implicit assembles its system.
void dr_springs_begin(dr_springs* springs, double dt, const dr_springs_forces* forces,
                      dr_pool* pool, drape_isa isa);
// Between begin and solve: pulls a vertex to a place by a spring, N/m, implicitly.
void dr_springs_add_spring(dr_springs* springs, int vertex, double stiffness,
                           const double place[3]);

typedef struct dr_springs_result {
    int substeps;    // of verlet
    bool is_stable;  // false when verlet needed more substeps than it may take
    int iterations;  // of implicit, all rounds
    int rounds;      // of finding the limits that push
    double residual; // over the first one
    bool converged;  // all rounds within the tolerance and no limit left to find
    int zero_length; // springs without direction at the start of the last substep
    int shortened;   // springs that were too long, counted in each sweep
    int violations;  // vertices that their planes pushed out of their intervals
} dr_springs_result;

// Finds the candidate from the committed state. May be called again after limits were added. The
// cloth's vertices are those from `first_vertex` on in `limits`, which may be null.
dr_springs_result dr_springs_solve(dr_springs* springs, const dr_limits* limits, int first_vertex,
                                   dr_pool* pool, drape_isa isa);
// Velocity from the last substep, x = q. False, and nothing changes, when a candidate is not
// finite.
bool dr_springs_commit(dr_springs* springs);

// --- Looking at it ---

typedef struct dr_springs_energies {
    double elastic[DR_SPRING_KINDS], kinetic; // J
} dr_springs_energies;

// Of the committed state.
dr_springs_energies dr_springs_energy(const dr_springs* springs);
// Largest (l - L) / L of structural and shear springs, committed.
double dr_springs_elongation(const dr_springs* springs);
// Force of the springs on each vertex at the committed places, N, by the solver's kernels. Returns
// the number of springs without direction.
int dr_springs_force(dr_springs* springs, double (*forces)[3], drape_isa isa);
// `out` = A `in` for the system that begin assembled, without limits. Implicit only.
void dr_springs_multiply(dr_springs* springs, const double (*in)[3], double (*out)[3],
                         drape_isa isa);
// Right side of that system.
void dr_springs_right_side(const dr_springs* springs, double (*out)[3]);

#endif
