// Conjugate gradients for the new velocities of backward Euler, with limits filtered out of the
// search (Baraff and Witkin 1998, with the corrections of Ascher and Boxerman 2003).
//
// Symmetric Gauss-Seidel as preconditioner lost: over the whole sheet, one vertex after the other,
// it takes two fifths off the iterations, within blocks hardly any, and each costs over twice as
// much.
#include <math.h>
#include <string.h>

#include "solver/springs_parts.h"

// --- Assembly ---

void dr_springs_invert(const double straight[3], const double mixed[3], double inertia,
                       double out[12])
{
    double xx = straight[0] + inertia, yy = straight[1] + inertia, zz = straight[2] + inertia;
    double xy = mixed[0], yz = mixed[1], zx = mixed[2];
    double a = yy * zz - yz * yz, b = yz * zx - xy * zz, c = xy * yz - yy * zx;
    double per = 1.0 / (xx * a + xy * b + zx * c);
    double d = (xx * zz - zx * zx) * per, e = (xy * zx - xx * yz) * per;
    double f = (xx * yy - xy * xy) * per;
    const double columns[12] = {a * per, b * per, c * per, 0.0, b * per, d,
                                e,       0.0,     c * per, e,   f,       0.0};
    memcpy(out, columns, sizeof columns);
}

static void linearise_blocks(void* context, int begin, int end, int worker)
{
    (void)worker;
    const dr_springs_search* g = context;
    bool hardens = dr_springs_hardens(g->s);
    for (int block = begin; block < end; ++block) {
        g->s->block_zero[block] = g->kernels->linearise[hardens](g->s, block);
    }
}

void dr_springs_linearise(dr_springs* s, dr_pool* pool, drape_isa isa)
{
    dr_springs_search g = {.s = s, .kernels = dr_springs_kernels_for(isa)};
    for (int v = 0; v < s->vertex_count; ++v) {
        s->inertia[v] = s->mass[v] * (1.0 + s->def.damping * s->step.dt);
    }
    dr_springs_run(s, pool, linearise_blocks, &g);
}

void dr_springs_pull_implicit(dr_springs* s, int v, double stiffness, const double place[3])
{
    double* m = s->inverse[v];
    double block[12], more = s->step.dt * s->step.dt * stiffness;
    dr_springs_invert((const double[3]){m[0], m[5], m[10]}, (const double[3]){m[1], m[6], m[2]},
                      0.0, block);
    dr_springs_invert((const double[3]){block[0], block[5], block[10]},
                      (const double[3]){block[1], block[6], block[2]}, more, m);
    s->inertia[v] += more;
    for (int c = 0; c < 3; ++c) {
        s->b[v][c] += s->step.dt * stiffness * (place[c] - s->x[v][c]);
    }
}

// --- Conjugate gradients ---

static void start_blocks(void* context, int begin, int end, int worker)
{
    (void)worker;
    const dr_springs_search* g = context;
    for (int block = begin; block < end; ++block) {
        g->kernels->start(g->s, block);
    }
}

static void advance_blocks(void* context, int begin, int end, int worker)
{
    (void)worker;
    const dr_springs_search* g = context;
    for (int block = begin; block < end; ++block) {
        g->kernels->advance(g->s, block);
    }
}

static void update_blocks(void* context, int begin, int end, int worker)
{
    (void)worker;
    const dr_springs_search* g = context;
    for (int block = begin; block < end; ++block) {
        g->kernels->update(g->s, block, g->step);
    }
}

static void turn_blocks(void* context, int begin, int end, int worker)
{
    (void)worker;
    const dr_springs_search* g = context;
    for (int block = begin; block < end; ++block) {
        g->kernels->turn(g->s, block, g->step);
    }
}

// In the order of the blocks, whoever did them.
static double sum_blocks(const dr_springs* s, int which)
{
    double sum = 0.0;
    for (int block = 0; block < s->block_count; ++block) {
        sum += s->partial[block][which];
    }
    return sum;
}

// From the velocities in u. Returns true when the residual is small enough.
static bool iterate(dr_springs_search* g, dr_springs_result* result)
{
    dr_springs* s = g->s;
    dr_springs_run(s, g->pool, start_blocks, g);
    memcpy(s->p, s->z, (size_t)s->vertex_count * sizeof *s->p);
    double energy = sum_blocks(s, 0), square = sum_blocks(s, 1);
    if (result->rounds == 1) {
        g->scale = square;
    }
    double goal = s->def.tolerance * s->def.tolerance * g->scale;
    for (int i = 0; i < s->def.max_iterations && square > goal; ++i) {
        dr_springs_run(s, g->pool, advance_blocks, g);
        double curvature = sum_blocks(s, 0);
        // What is left of the search is rounding.
        if (!(curvature > 0.0)) {
            break;
        }
        g->step = energy / curvature;
        dr_springs_run(s, g->pool, update_blocks, g);
        double before = energy;
        energy = sum_blocks(s, 0);
        square = sum_blocks(s, 1);
        g->step = energy / before;
        dr_springs_run(s, g->pool, turn_blocks, g);
        ++result->iterations;
    }
    result->residual = g->scale > 0.0 ? sqrt(square / g->scale) : 0.0;
    return square <= goal;
}

// --- The candidate ---

// A vertex that is pushed is put behind its sides as far as it would be if its neighbours stayed
// and the sides were not there: bringing it back is then worth the friction of that push.
static void press(const dr_springs_search* g, const dr_spring_room* room)
{
    dr_springs* s = g->s;
    double push[3];
    const double* m = s->inverse[room->vertex];
    dr_springs_find_push(g, room->vertex, push);
    // Only what is along the axes is the sides' doing; the rest is what the search left over.
    double along[3] = {0};
    for (int k = 0; k < room->axis_count; ++k) {
        double by = dr_springs_dot(push, room->axes[k]);
        for (int c = 0; c < 3; ++c) {
            along[c] += by * room->axes[k][c];
        }
    }
    for (int k = 0; k < room->axis_count; ++k) {
        const double* axis = room->axes[k];
        double way = 0.0;
        for (int c = 0; c < 3; ++c) {
            way += axis[c] * (m[c] * along[0] + m[4 + c] * along[1] + m[8 + c] * along[2]);
        }
        for (int c = 0; c < 3; ++c) {
            s->q[room->vertex][c] -= s->step.dt * way * axis[c];
        }
    }
}

static void place_candidates(const dr_springs_search* g, dr_springs_result* result)
{
    dr_springs* s = g->s;
    for (int v = 0; v < s->vertex_count; ++v) {
        dr_springs_place_of(g, v, s->u[v], s->q[v]);
    }
    for (int i = 0; i < s->room_count; ++i) {
        int v = s->rooms[i].vertex;
        if (s->rooms[i].is_held) {
            memcpy(s->q[v], g->limits->place[g->first_vertex + v], 3 * sizeof(double));
        }
    }
    result->shortened = dr_springs_shorten(s);
    for (int i = 0; i < s->room_count; ++i) {
        const dr_spring_room* room = &s->rooms[i];
        if (!room->is_held) {
            press(g, room);
            int v = g->first_vertex + room->vertex;
            result->violations += dr_limits_project(g->limits, v, s->q[room->vertex]);
        }
    }
}

void dr_springs_solve_implicit(dr_springs* s, const dr_limits* limits, int first_vertex,
                               dr_pool* pool, drape_isa isa, dr_springs_result* result)
{
    dr_springs_search g = {.s = s,
                           .kernels = dr_springs_kernels_for(isa),
                           .limits = limits,
                           .first_vertex = first_vertex,
                           .pool = pool};
    memcpy(s->u, s->v, (size_t)s->vertex_count * sizeof *s->u);
    dr_springs_enter_rooms(&g);
    bool has_changed = true, is_solved = true;
    while (has_changed && result->rounds < DR_SPRINGS_ROUNDS) {
        ++result->rounds;
        is_solved = iterate(&g, result);
        has_changed = dr_springs_change_rooms(&g);
    }
    result->substeps = 1;
    result->converged = is_solved && !has_changed;
    place_candidates(&g, result);
}
