// Energies, lengths and forces of a sheet of springs, for those who look at it.
#include <math.h>
#include <string.h>

#include "solver/springs_parts.h"

static double length_of(const dr_springs* s, const dr_spring* spring)
{
    double square = 0.0;
    for (int c = 0; c < 3; ++c) {
        double way = s->x[spring->v[1]][c] - s->x[spring->v[0]][c];
        square += way * way;
    }
    return sqrt(square);
}

dr_springs_energies dr_springs_energy(const dr_springs* springs)
{
    const dr_springs* s = springs;
    dr_springs_energies e = {0};
    for (int i = 0; i < s->spring_count; ++i) {
        const dr_spring* spring = &s->springs[i];
        double more = length_of(s, spring) - spring->rest, square = more * more;
        double harder = 1.0 + 0.5 * spring->hardening * square;
        e.elastic[spring->kind] += 0.5 * spring->stiffness * square * harder;
    }
    for (int v = 0; v < s->vertex_count; ++v) {
        const double* u = s->v[v];
        e.kinetic += 0.5 * s->mass[v] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    return e;
}

double dr_springs_elongation(const dr_springs* springs)
{
    double most = 0.0;
    for (int i = 0; i < springs->long_count; ++i) {
        const dr_spring* spring = &springs->springs[springs->order[i]];
        if (spring->rest > 0.0) {
            most = fmax(most, length_of(springs, spring) / spring->rest - 1.0);
        }
    }
    return most;
}

// Records go through `y` and `w`, which are free between steps.
int dr_springs_force(dr_springs* springs, double (*forces)[3], drape_isa isa)
{
    dr_springs* s = springs;
    const dr_springs_kernels* kernels = dr_springs_kernels_for(isa);
    int zero = 0;
    for (int block = 0; block < s->block_count; ++block) {
        zero += kernels->force[dr_springs_hardens(s)](s, block, (const dr_record*)s->x, s->w);
    }
    for (int v = 0; v < s->vertex_count; ++v) {
        memcpy(forces[v], s->w[v], sizeof forces[v]);
    }
    return zero / 2;
}

void dr_springs_multiply(dr_springs* springs, const double (*in)[3], double (*out)[3],
                         drape_isa isa)
{
    dr_springs* s = springs;
    const dr_springs_kernels* kernels = dr_springs_kernels_for(isa);
    for (int v = 0; v < s->vertex_count; ++v) {
        memcpy(s->p[v], in[v], sizeof in[v]);
    }
    for (int block = 0; block < s->block_count; ++block) {
        double sum = 0.0;
        kernels->multiply(s, block, (const dr_record*)s->p, s->ap, &sum);
    }
    for (int v = 0; v < s->vertex_count; ++v) {
        memcpy(out[v], s->ap[v], sizeof out[v]);
    }
}

void dr_springs_right_side(const dr_springs* springs, double (*out)[3])
{
    for (int v = 0; v < springs->vertex_count; ++v) {
        memcpy(out[v], springs->b[v], sizeof out[v]);
    }
}
