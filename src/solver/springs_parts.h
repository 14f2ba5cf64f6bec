// solver/springs_parts.h: what the files of solver/springs.h share.
#ifndef DR_SPRINGS_PARTS_H
#define DR_SPRINGS_PARTS_H

#include "solver/springs.h"

enum {
    // Vertices whose sums are one partial sum: cut by the sheet alone, never by the workers.
    DR_SPRINGS_BLOCK = 256,
    // Below this many vertices threads would wait for each other longer than they work.
    DR_SPRINGS_WORTH_THREADS = 1 << 12,
};

static inline int dr_springs_block_end(const dr_springs* s, int block)
{
    int end = (block + 1) * DR_SPRINGS_BLOCK;
    return end < s->vertex_count ? end : s->vertex_count;
}

// The work on the vertices of one block, per instruction set. Blocks may run in any order and at
// the same time.
typedef struct dr_springs_kernels {
    // Force at places `x` into `force`; springs without direction seen from both ends.
    int (*force[2])(const dr_springs* s, int block, const dr_record* x, dr_record* force);
    // q from y, w and the forces at y; [1]: with springs that harden.
    int (*move[2])(const dr_springs* s, int block);
    // System, right side and preconditioner from x and v.
    int (*linearise[2])(const dr_springs* s, int block);
    // out = A in; returns in.out by way of `sum`.
    void (*multiply)(const dr_springs* s, int block, const dr_record* in, dr_record* out,
                     double* sum);
    // ap = filtered A p, and p.ap in partial[0].
    void (*advance)(const dr_springs* s, int block);
    // r = filtered b - A u, z = filtered preconditioner r; r.z and r.r.
    void (*start)(const dr_springs* s, int block);
    // u += step p, r -= step ap, z anew; r.z and r.r.
    void (*update)(const dr_springs* s, int block, double step);
    // p = z + step p.
    void (*turn)(const dr_springs* s, int block, double step);
} dr_springs_kernels;

const dr_springs_kernels* dr_springs_kernels_for(drape_isa isa);

// Lists of springs and masses (springs_grid.c, springs_mesh.c). `add` counts when s->springs is null.
void dr_springs_add(dr_springs* s, int a, int b, dr_spring_kind kind, double rest, double stiffness,
                    double hardening);
void dr_springs_lay_grid(dr_springs* s);
void dr_springs_weigh_grid(dr_springs* s);
bool dr_springs_lay_mesh(dr_springs* s, dr_memory* memory, const dr_mesh* mesh);
void dr_springs_weigh_mesh(dr_springs* s, const dr_mesh* mesh);

// Runs the blocks on the pool if the sheet is worth it.
void dr_springs_run(const dr_springs* s, dr_pool* pool, drape_task_fn* task, void* context);
bool dr_springs_hardens(const dr_springs* s);
// Seen from both ends.
int dr_springs_zero_count(const dr_springs* s);

void dr_springs_solve_verlet(dr_springs* s, const dr_limits* limits, int first_vertex,
                             dr_pool* pool, drape_isa isa, dr_springs_result* result);
// Columns of the inverse of a symmetric matrix that is positive definite: xx yy zz, to each of
// which `inertia` is added, and xy yz zx.
void dr_springs_invert(const double straight[3], const double mixed[3], double inertia,
                       double out[12]);
void dr_springs_linearise(dr_springs* s, dr_pool* pool, drape_isa isa);
// A pull was added: the diagonal, its inverse and the right side of the vertex.
void dr_springs_pull_implicit(dr_springs* s, int v, double stiffness, const double place[3]);
void dr_springs_solve_implicit(dr_springs* s, const dr_limits* limits, int first_vertex,
                               dr_pool* pool, drape_isa isa, dr_springs_result* result);

// A search for velocities (springs_implicit.c), with its limits.
typedef struct dr_springs_search {
    dr_springs* s;
    const dr_springs_kernels* kernels;
    const dr_limits* limits; // may be null
    int first_vertex;
    dr_pool* pool;
    double step;  // of the task that runs
    double scale; // r.r at the start of the first round
} dr_springs_search;

// Rooms of the vertices with limits (springs_room.c): taken from the limits, and once velocities
// are found changed by them; true when any was, so that the search is not over.
void dr_springs_enter_rooms(dr_springs_search* g);
bool dr_springs_change_rooms(const dr_springs_search* g);
// What the limits push a vertex with, N s: A u - b.
void dr_springs_find_push(const dr_springs_search* g, int v, double push[3]);
// x + dt u.
void dr_springs_place_of(const dr_springs_search* g, int v, const double u[3], double y[3]);

static inline double dr_springs_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Finds the order of shortening for the vertices that limits hold, then shortens candidates
// (springs_length.c). Returns how many were too long.
void dr_springs_prepare_lengths(dr_springs* s, const dr_limits* limits, int first_vertex);
int dr_springs_shorten(dr_springs* s);

#endif
