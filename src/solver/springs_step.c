// A step of a sheet of springs from begin to commit, whichever integrator it has.
#include <math.h>
#include <string.h>

#include "core/math.h"
#include "solver/springs_parts.h"

void dr_springs_run(const dr_springs* s, dr_pool* pool, drape_task_fn* task, void* context)
{
    pool = s->vertex_count < DR_SPRINGS_WORTH_THREADS ? NULL : pool;
    dr_parallel_for(pool, s->block_count, 1, task, context);
}

int dr_springs_zero_count(const dr_springs* s)
{
    int count = 0;
    for (int block = 0; block < s->block_count; ++block) {
        count += s->block_zero[block];
    }
    return count / 2;
}

// Substeps that keep verlet stable, as many as are allowed.
static int count_substeps(const dr_springs* s, double dt)
{
    if (s->def.integrator == DR_SPRINGS_IMPLICIT) {
        return 1;
    }
    double wanted = ceil(dt / s->step_limit);
    return wanted <= 1.0 ? 1 : wanted < s->def.max_substeps ? (int)wanted : s->def.max_substeps;
}

void dr_springs_begin(dr_springs* springs, double dt, const dr_springs_forces* forces,
                      dr_pool* pool, drape_isa isa)
{
    dr_springs* s = springs;
    int substeps = count_substeps(s, dt);
    double h = dt / substeps;
    s->step = (dr_springs_step){
        .dt = dt, .h = h, .substeps = substeps, .keep = dr_exp(-s->def.damping * h)};
    const drape_vec3* a = forces->acceleration;
    for (int v = 0; v < s->vertex_count; ++v) {
        const double more[3] = {a ? (double)a[v].x : 0.0, a ? (double)a[v].y : 0.0,
                                a ? (double)a[v].z : 0.0};
        for (int c = 0; c < 3; ++c) {
            s->a[v][c] = forces->gravity[c] + more[c];
        }
    }
    memset(s->pull, 0, (size_t)s->vertex_count * sizeof *s->pull);
    if (s->def.integrator == DR_SPRINGS_IMPLICIT && dt > 0.0) {
        dr_springs_linearise(s, pool, isa);
    }
}

void dr_springs_add_spring(dr_springs* springs, int vertex, double stiffness, const double place[3])
{
    dr_springs* s = springs;
    if (!(s->step.dt > 0.0)) {
        return;
    }
    for (int c = 0; c < 3; ++c) {
        s->pull[vertex][c] += stiffness * place[c];
    }
    s->pull[vertex][3] += stiffness;
    if (s->def.integrator == DR_SPRINGS_IMPLICIT) {
        dr_springs_pull_implicit(s, vertex, stiffness, place);
    }
}

dr_springs_result dr_springs_solve(dr_springs* springs, const dr_limits* limits, int first_vertex,
                                   dr_pool* pool, drape_isa isa)
{
    dr_springs* s = springs;
    dr_springs_result result = {.is_stable = true, .converged = true};
    size_t bytes = (size_t)s->vertex_count * sizeof *s->x;
    memcpy(s->y, s->x, bytes);
    memcpy(s->w, s->v, bytes);
    memcpy(s->q, s->x, bytes);
    // A step of no length leaves everything as it is.
    if (s->step.dt <= 0.0 || s->vertex_count == 0) {
        return result;
    }
    dr_springs_prepare_lengths(s, limits, first_vertex);
    if (s->def.integrator == DR_SPRINGS_VERLET) {
        dr_springs_solve_verlet(s, limits, first_vertex, pool, isa, &result);
    } else {
        dr_springs_solve_implicit(s, limits, first_vertex, pool, isa, &result);
    }
    result.zero_length = dr_springs_zero_count(s);
    return result;
}

// The start of the last substep is put where the whole step's velocity comes from.
void dr_springs_set_candidate(dr_springs* springs, int vertex, const double place[3])
{
    dr_springs* s = springs;
    double share = s->step.substeps > 0 ? 1.0 / s->step.substeps : 1.0;
    for (int c = 0; c < 3; ++c) {
        s->q[vertex][c] = place[c];
        s->y[vertex][c] = place[c] - share * (place[c] - s->x[vertex][c]);
    }
}

bool dr_springs_commit(dr_springs* springs)
{
    dr_springs* s = springs;
    for (int v = 0; v < s->vertex_count; ++v) {
        // Each on its own: a sum of finite numbers need not be finite.
        if (!isfinite(s->q[v][0]) || !isfinite(s->q[v][1]) || !isfinite(s->q[v][2])) {
            return false;
        }
    }
    if (!(s->step.h > 0.0)) {
        return true;
    }
    double rate = 1.0 / s->step.h;
    for (int v = 0; v < s->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            s->v[v][c] = (s->q[v][c] - s->y[v][c]) * rate;
            s->x[v][c] = s->q[v][c];
        }
    }
    return true;
}
