#include "solver/damping.h"

#include <math.h>
#include <string.h>

#include "core/vec_math.h"

// The rigid motion of what is free.
typedef struct rigid {
    double mass;
    double centre[3], velocity[3];
    double spin[3]; // angular velocity
} rigid;

static bool is_free(const dr_sheet* sheet, int vertex)
{
    return dr_sheet_inverse_mass(sheet, sheet->slot_of_vertex[vertex]) > 0.0f;
}

static void get(const dr_sheet* sheet, const float* array, int vertex, double out[3])
{
    drape_vec3 p = dr_sheet_get(sheet->layout, array, sheet->slot_of_vertex[vertex]);
    out[0] = p.x;
    out[1] = p.y;
    out[2] = p.z;
}

static void find_centre(const dr_sheet* sheet, rigid* r)
{
    for (int v = 0; v < sheet->vertex_count; ++v) {
        double m = sheet->mass[v], x[3], u[3];
        if (!is_free(sheet, v)) {
            continue;
        }
        get(sheet, sheet->start, v, x);
        get(sheet, sheet->vel, v, u);
        r->mass += m;
        for (int d = 0; d < 3; ++d) {
            r->centre[d] += m * x[d];
            r->velocity[d] += m * u[d];
        }
    }
    for (int d = 0; d < 3 && r->mass > 0.0; ++d) {
        r->centre[d] /= r->mass;
        r->velocity[d] /= r->mass;
    }
}

// Brings the largest entry from `from` on to the place of the next pivot; false when none is left.
static bool choose_pivot(double a[3][4], int order[3], int from, double least)
{
    int row = from, column = from;
    for (int i = from; i < 3; ++i) {
        for (int j = from; j < 3; ++j) {
            if (fabs(a[i][j]) > fabs(a[row][column])) {
                row = i;
                column = j;
            }
        }
    }
    if (!(fabs(a[row][column]) > least)) {
        return false;
    }
    for (int j = 0; j < 4; ++j) {
        double keep = a[from][j];
        a[from][j] = a[row][j];
        a[row][j] = keep;
    }
    for (int i = 0; i < 3; ++i) {
        double keep = a[i][from];
        a[i][from] = a[i][column];
        a[i][column] = keep;
    }
    int name = order[from];
    order[from] = order[column];
    order[column] = name;
    return true;
}

// One of the solutions of a system that has some: unknowns without a pivot are zero. A row of
// vertices does not resist turning about itself, nor does that turning move them.
static void solve(double a[3][4], double out[3])
{
    int order[3] = {0, 1, 2}, rank = 0;
    double least = 1e-12 * (fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]));
    memset(out, 0, sizeof(double[3]));
    for (; rank < 3 && choose_pivot(a, order, rank, least); ++rank) {
        for (int i = 0; i < 3; ++i) {
            double factor = i == rank ? 0.0 : a[i][rank] / a[rank][rank];
            for (int j = rank; j < 4 && i != rank; ++j) {
                a[i][j] -= factor * a[rank][j];
            }
        }
    }
    for (int i = 0; i < rank; ++i) {
        out[order[i]] = a[i][3] / a[i][i];
    }
}

// Angular velocity from inertia * spin = angular momentum.
static void find_spin(const dr_sheet* sheet, rigid* r)
{
    double a[3][4] = {{0}};
    for (int v = 0; v < sheet->vertex_count; ++v) {
        double m = sheet->mass[v], x[3], u[3];
        if (!is_free(sheet, v)) {
            continue;
        }
        get(sheet, sheet->start, v, x);
        get(sheet, sheet->vel, v, u);
        for (int d = 0; d < 3; ++d) {
            x[d] -= r->centre[d];
            u[d] -= r->velocity[d];
        }
        double squared = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        for (int i = 0; i < 3; ++i) {
            int p = (i + 1) % 3, q = (i + 2) % 3;
            for (int j = 0; j < 3; ++j) {
                a[i][j] += m * ((i == j ? squared : 0.0) - x[i] * x[j]);
            }
            a[i][3] += m * (x[p] * u[q] - x[q] * u[p]);
        }
    }
    solve(a, r->spin);
}

void dr_damp_rigid(dr_sheet* sheet, float share)
{
    rigid r = {0};
    find_centre(sheet, &r);
    if (!(r.mass > 0.0)) {
        return;
    }
    find_spin(sheet, &r);
    for (int v = 0; v < sheet->vertex_count; ++v) {
        double x[3], u[3];
        if (!is_free(sheet, v)) {
            continue;
        }
        get(sheet, sheet->start, v, x);
        get(sheet, sheet->vel, v, u);
        for (int d = 0; d < 3; ++d) {
            x[d] -= r.centre[d];
        }
        for (int d = 0; d < 3; ++d) {
            int p = (d + 1) % 3, q = (d + 2) % 3;
            double wanted = r.velocity[d] + r.spin[p] * x[q] - r.spin[q] * x[p];
            u[d] += (double)share * (wanted - u[d]);
        }
        dr_sheet_set(sheet->layout, sheet->vel, sheet->slot_of_vertex[v],
                     (drape_vec3){(float)u[0], (float)u[1], (float)u[2]});
    }
}

void dr_damp_stretch(dr_sheet* sheet, const dr_mesh* mesh, float share)
{
    dr_layout layout = sheet->layout;
    for (int e = 0; e < mesh->edge_count; ++e) {
        int p = sheet->slot_of_vertex[mesh->edges[e].v[0]];
        int q = sheet->slot_of_vertex[mesh->edges[e].v[1]];
        float wp = dr_sheet_inverse_mass(sheet, p), wq = dr_sheet_inverse_mass(sheet, q);
        drape_vec3 way =
            dr_sub(dr_sheet_get(layout, sheet->start, q), dr_sheet_get(layout, sheet->start, p));
        float squared = dr_dot(way, way);
        if (!(wp + wq > 0.0f) || !(squared > 0.0f)) {
            continue;
        }
        drape_vec3 up = dr_sheet_get(layout, sheet->vel, p),
                   uq = dr_sheet_get(layout, sheet->vel, q);
        float rate = dr_dot(dr_sub(uq, up), way) / squared;
        float pull = share * rate / (wp + wq);
        dr_sheet_set(layout, sheet->vel, p, dr_add(up, dr_scale(way, pull * wp)));
        dr_sheet_set(layout, sheet->vel, q, dr_sub(uq, dr_scale(way, pull * wq)));
    }
}
