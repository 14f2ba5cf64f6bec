// Springs and masses of a triangle mesh.
#include <math.h>
#include <string.h>

#include "core/math.h"
#include "core/vec_math.h"
#include "solver/springs_parts.h"

// An edge within this many degrees' worth of cosine of warp or weft is structural, others are
// shear springs: cos(22.5 degrees), half way to the diagonal.
#define ALONG_THREADS 0.9238795325112867

typedef struct fit {
    double m[3][3]; // energy of edge k in extension along warp, weft and in shear, for 1 N/m
    double aim[3];  // the fabric's
    double k[3];
} fit;

// The non-negative stiffnesses whose energies come nearest: each in turn takes what is best for it.
// The square of the misfit falls in every round, and has one lowest value.
static void solve_fit(fit* f)
{
    enum { MOST_ROUNDS = 2000 };
    const double little = 1e-12;
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        double change = 0.0, most = 0.0;
        for (int e = 0; e < 3; ++e) {
            double slope = 0.0, square = 0.0;
            for (int i = 0; i < 3; ++i) {
                double miss = f->aim[i];
                for (int j = 0; j < 3; ++j) {
                    miss -= f->m[i][j] * f->k[j];
                }
                slope += f->m[i][e] * miss;
                square += f->m[i][e] * f->m[i][e];
            }
            double k = square > 0.0 ? fmax(f->k[e] + slope / square, 0.0) : 0.0;
            change = fmax(change, fabs(k - f->k[e]));
            f->k[e] = k;
            most = fmax(most, k);
        }
        if (change <= little * most) {
            break;
        }
    }
}

// Direction of an edge of a triangle in (warp, weft), and its length.
static double edge_direction(const dr_mesh* mesh, int triangle, int corner, double n[2])
{
    const int32_t* v = mesh->triangles[triangle];
    drape_vec3 warp, weft;
    dr_mesh_warp_direction(mesh, triangle, &warp, &weft);
    drape_vec3 way = dr_sub(mesh->rest[v[(corner + 2) % 3]], mesh->rest[v[(corner + 1) % 3]]);
    n[0] = (double)dr_dot(way, warp);
    n[1] = (double)dr_dot(way, weft);
    double length = sqrt(n[0] * n[0] + n[1] * n[1]);
    n[0] = length > 0.0 ? n[0] / length : 0.0;
    n[1] = length > 0.0 ? n[1] / length : 0.0;
    return length;
}

// An edge grows by its length times n1^2 e11, n2^2 e22, n1 n2 gamma.
static void add_triangle(const dr_springs* s, const dr_mesh* mesh, int triangle, double* stiffness)
{
    double area = (double)mesh->rest_area[triangle];
    fit f = {.aim = {s->def.stretch[0] * area, s->def.stretch[1] * area, s->def.shear * area}};
    for (int e = 0; e < 3; ++e) {
        double n[2], length = edge_direction(mesh, triangle, e, n);
        const double grows[3] = {n[0] * n[0], n[1] * n[1], n[0] * n[1]};
        for (int i = 0; i < 3; ++i) {
            f.m[i][e] = grows[i] * grows[i] * length * length;
        }
    }
    solve_fit(&f);
    for (int e = 0; e < 3; ++e) {
        stiffness[mesh->triangle_edges[3 * triangle + e]] += f.k[e];
    }
}

static dr_spring_kind edge_kind(const dr_mesh* mesh, int edge)
{
    int t = mesh->edges[edge].t[0];
    for (int corner = 0; t >= 0 && corner < 3; ++corner) {
        double n[2];
        if (mesh->triangle_edges[3 * t + corner] == edge) {
            edge_direction(mesh, t, corner, n);
            bool is_along = fmax(fabs(n[0]), fabs(n[1])) > ALONG_THREADS;
            return is_along ? DR_SPRING_STRUCTURAL : DR_SPRING_SHEAR;
        }
    }
    return DR_SPRING_STRUCTURAL;
}

static bool is_even(const dr_springs_def* def)
{
    const double* k = def->stiffness;
    return k[0] > 0.0 || k[1] > 0.0 || k[2] > 0.0;
}

static double distance(const dr_mesh* mesh, int a, int b)
{
    return dr_length_double(dr_sub(mesh->rest[a], mesh->rest[b]));
}

static void lay_edges(dr_springs* s, const dr_mesh* mesh, const double* stiffness)
{
    for (int e = 0; e < mesh->edge_count; ++e) {
        const int32_t* v = mesh->edges[e].v;
        dr_spring_kind kind = edge_kind(mesh, e);
        double k = is_even(&s->def) ? s->def.stiffness[kind] : stiffness ? stiffness[e] : 0.0;
        dr_springs_add(s, v[0], v[1], kind, distance(mesh, v[0], v[1]), k, 0.0);
    }
}

// Heights of the two triangles of a hinge over its edge, and how far apart along it their tips are.
typedef struct kite {
    double edge, height[2], slip;
} kite;

static kite measure_kite(const dr_mesh* mesh, const dr_hinge* hinge)
{
    const drape_vec3* x = mesh->rest;
    drape_vec3 way = dr_sub(x[hinge->v[1]], x[hinge->v[0]]);
    kite k = {.edge = dr_length_double(way)};
    double along[2] = {0};
    for (int i = 0; i < 2 && k.edge > 0.0; ++i) {
        drape_vec3 tip = dr_sub(x[hinge->v[2 + i]], x[hinge->v[0]]);
        along[i] = (double)dr_dot(tip, way) / k.edge;
        k.height[i] = dr_length_double(dr_cross(way, tip)) / k.edge;
    }
    k.slip = along[1] - along[0];
    return k;
}

// The fabric's bending stiffness across an edge.
static double rigidity_across(const dr_springs* s, const dr_mesh* mesh, const dr_hinge* hinge)
{
    int t = hinge->t[0];
    double n[2] = {1.0, 0.0};
    for (int corner = 0; corner < 3; ++corner) {
        if (mesh->triangle_edges[3 * t + corner] == hinge->edge) {
            edge_direction(mesh, t, corner, n);
        }
    }
    double root = sqrt(s->def.bend[0]) * n[1] * n[1] + sqrt(s->def.bend[1]) * n[0] * n[0];
    return root * root;
}

// A hinge stands for its share of the area, in which bends of all directions are seen by edges of
// all directions: with the mean of cos^4 over directions, 3/8, a fold by an angle a stores
// B a^2 edge^2 / (areas of both). The chord is shorter then by what the tips come together.
static double hinge_stiffness(const dr_springs* s, const dr_mesh* mesh, const dr_hinge* hinge)
{
    kite k = measure_kite(mesh, hinge);
    double area = (double)mesh->rest_area[hinge->t[0]] + (double)mesh->rest_area[hinge->t[1]];
    double angle = s->def.fold_angle, sum = k.height[0] + k.height[1];
    double flat = sqrt(sum * sum + k.slip * k.slip);
    double folded2 = sum * sum - 2.0 * k.height[0] * k.height[1] * (1.0 - dr_cos(angle));
    double shorter = flat - sqrt(folded2 + k.slip * k.slip);
    double energy = rigidity_across(s, mesh, hinge) * angle * angle * k.edge * k.edge;
    // Two triangles without height do not bend.
    bool bends = area > 0.0 && shorter > 1e-9 * flat;
    return bends ? 2.0 * energy / area / (shorter * shorter) : 0.0;
}

static void lay_hinges(dr_springs* s, const dr_mesh* mesh)
{
    for (int i = 0; i < mesh->hinge_count; ++i) {
        const dr_hinge* hinge = &mesh->hinges[i];
        double k =
            is_even(&s->def) ? s->def.stiffness[DR_SPRING_BEND] : hinge_stiffness(s, mesh, hinge);
        dr_springs_add(s, hinge->v[2], hinge->v[3], DR_SPRING_BEND,
                       distance(mesh, hinge->v[2], hinge->v[3]), k, 0.0);
    }
}

bool dr_springs_lay_mesh(dr_springs* s, dr_memory* memory, const dr_mesh* mesh)
{
    double* stiffness = NULL;
    if (s->springs && !is_even(&s->def)) {
        stiffness = dr_new_zeroed(memory, double, mesh->edge_count + 1);
        if (!stiffness) {
            return false;
        }
        for (int t = 0; t < mesh->triangle_count; ++t) {
            if (mesh->rest_area[t] > 0.0f) {
                add_triangle(s, mesh, t, stiffness);
            }
        }
    }
    s->spring_count = 0;
    lay_edges(s, mesh, stiffness);
    lay_hinges(s, mesh);
    dr_delete(memory, stiffness, mesh->edge_count + 1);
    return true;
}

// A vertex in no triangle weighs as much as the mean of the others.
void dr_springs_weigh_mesh(dr_springs* s, const dr_mesh* mesh)
{
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < s->vertex_count; ++v) {
        s->mass[v] = s->def.density * (double)mesh->vertex_area[v];
        sum += s->mass[v];
        count += s->mass[v] > 0.0;
    }
    // With no area at all, as much as a square metre would.
    double mean = count > 0 ? sum / count : s->def.density;
    for (int v = 0; v < s->vertex_count; ++v) {
        s->mass[v] = s->mass[v] > 0.0 ? s->mass[v] : mean;
    }
}
