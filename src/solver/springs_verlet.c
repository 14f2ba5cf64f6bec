// Verlet's way: forces, a move, lengths, limits, as often as the step needs.
#include <string.h>

#include "solver/springs_parts.h"

typedef struct moving {
    const dr_springs* s;
    int (*move)(const dr_springs* s, int block);
} moving;

static void move_blocks(void* context, int begin, int end, int worker)
{
    (void)worker;
    const moving* m = context;
    for (int block = begin; block < end; ++block) {
        m->s->block_zero[block] = m->move(m->s, block);
    }
}

// Implicit for the vertex alone, so pulls may be as stiff as they like.
static void pull(dr_springs* s)
{
    double square = s->step.h * s->step.h;
    for (int v = 0; v < s->vertex_count; ++v) {
        const double* to = s->pull[v];
        double share = square * s->inverse_mass[v];
        for (int c = 0; c < 3 && to[3] > 0.0; ++c) {
            s->q[v][c] = (s->q[v][c] + share * to[c]) / (1.0 + share * to[3]);
        }
    }
}

// Held vertices go evenly from where they were to where they shall be.
static void carry_held(dr_springs* s, const dr_limits* limits, int first_vertex, int substep)
{
    double share = (double)(substep + 1) / s->step.substeps;
    for (int v = 0; v < s->vertex_count; ++v) {
        for (int c = 0; c < 3 && s->is_held[v]; ++c) {
            double from = s->x[v][c], to = limits->place[first_vertex + v][c];
            // The end exactly.
            s->q[v][c] = substep + 1 < s->step.substeps ? from + share * (to - from) : to;
        }
    }
}

// Free vertices to the nearest places that their limits allow.
static int project(dr_springs* s, const dr_limits* limits, int first_vertex, int substep)
{
    int violations = 0;
    const int32_t* limited = limits->limited.data;
    for (int i = 0; i < limits->limited.count; ++i) {
        int v = limited[i] - first_vertex;
        if (v >= 0 && v < s->vertex_count && !s->is_held[v]) {
            const dr_limit_piece piece = {s->x[v], s->y[v], substep, s->step.substeps};
            violations += dr_limits_project_piece(limits, limited[i], &piece, s->q[v]);
        }
    }
    return violations;
}

// Where the substep ended is where the next begins, with the speed that took it there.
static void go_on(dr_springs* s)
{
    double rate = 1.0 / s->step.h;
    for (int v = 0; v < s->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            s->w[v][c] = (s->q[v][c] - s->y[v][c]) * rate;
        }
    }
    memcpy(s->y, s->q, (size_t)s->vertex_count * sizeof *s->y);
}

void dr_springs_solve_verlet(dr_springs* s, const dr_limits* limits, int first_vertex,
                             dr_pool* pool, drape_isa isa, dr_springs_result* result)
{
    moving m = {s, dr_springs_kernels_for(isa)->move[dr_springs_hardens(s)]};
    result->substeps = s->step.substeps;
    result->is_stable = s->step.h <= s->step_limit;
    for (int i = 0; i < s->step.substeps; ++i) {
        if (i > 0) {
            go_on(s);
        }
        dr_springs_run(s, pool, move_blocks, &m);
        pull(s);
        if (limits) {
            carry_held(s, limits, first_vertex, i);
        }
        // Lengths first: they may push a vertex into an obstacle, and limits bring it out.
        result->shortened += dr_springs_shorten(s);
        if (limits) {
            result->violations = project(s, limits, first_vertex, i);
        }
    }
}
