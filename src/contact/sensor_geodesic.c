#include "contact/sensor_geodesic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/sensor_march.h"
#include "core/vec_math.h"

// --- Flat and convex ---

// Of the size of a mesh: what still counts as flat, and of its area as filled. Rest shapes are
// floats, moved and turned.
static const double flat_share = 1e-5;

typedef struct point2 {
    double x, y;
} point2;

static int compare_points(const void* first, const void* second)
{
    const point2 *p = first, *q = second;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return p->y < q->y ? -1 : p->y > q->y;
}

static double turn(point2 a, point2 b, point2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Twice the area of the convex hull, and its circumference: lower chain, then upper chain, as
// triangles around the first point. Sorts the points; `chain` has room for as many and one more.
static double hull_area(point2* points, int count, point2* chain, double* around)
{
    double area = 0.0;
    *around = 0.0;
    qsort(points, (size_t)count, sizeof *points, compare_points);
    for (int pass = 0; pass < 2; ++pass) {
        int n = 0;
        for (int i = 0; i < count; ++i) {
            point2 p = points[pass == 0 ? i : count - 1 - i];
            while (n > 1 && turn(chain[n - 2], chain[n - 1], p) <= 0.0) {
                --n;
            }
            chain[n++] = p;
        }
        for (int i = 0; i + 1 < n; ++i) {
            double x = chain[i + 1].x - chain[i].x, y = chain[i + 1].y - chain[i].y;
            area += turn(chain[0], chain[i], chain[i + 1]);
            *around += sqrt(x * x + y * y);
        }
    }
    return area;
}

// The mean normal of all triangles, its length twice their area if the mesh is flat.
static void vector_area(const dr_mesh* mesh, double out[3], double* area)
{
    *area = 0.0;
    memset(out, 0, sizeof(double[3]));
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles[t];
        drape_vec3 a = mesh->rest[v[0]];
        drape_vec3 n = dr_cross(dr_sub(mesh->rest[v[1]], a), dr_sub(mesh->rest[v[2]], a));
        out[0] += n.x;
        out[1] += n.y;
        out[2] += n.z;
        *area += dr_length_double(n);
    }
}

// Unit vectors at right angles to a unit normal.
static void plane_axes(const double n[3], double u[3], double v[3])
{
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    double length = sqrt(1.0 - n[least] * n[least]);
    for (int d = 0; d < 3; ++d) {
        u[d] = ((d == least) - n[least] * n[d]) / length;
    }
    for (int d = 0; d < 3; ++d) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        v[d] = n[e] * u[f] - n[f] * u[e];
    }
}

// Vertices of triangles in the plane; false when one is off it.
static bool lay_out(const dr_mesh* mesh, const double n[3], double limit, point2* points,
                    int* count)
{
    double u[3], v[3];
    plane_axes(n, u, v);
    drape_vec3 origin = mesh->rest[mesh->triangles[0][0]];
    *count = 0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        if (mesh->vertex_triangle_start[i] == mesh->vertex_triangle_start[i + 1]) {
            continue;
        }
        drape_vec3 p = dr_sub(mesh->rest[i], origin);
        if (fabs(n[0] * p.x + n[1] * p.y + n[2] * p.z) > limit) {
            return false;
        }
        points[(*count)++] =
            (point2){u[0] * p.x + u[1] * p.y + u[2] * p.z, v[0] * p.x + v[1] * p.y + v[2] * p.z};
    }
    return true;
}

static double border_length(const dr_mesh* mesh)
{
    double length = 0.0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        const dr_edge* edge = &mesh->edges[e];
        if (edge->t[1] < 0) {
            length += dr_length_double(dr_sub(mesh->rest[edge->v[0]], mesh->rest[edge->v[1]]));
        }
    }
    return length;
}

// The triangles cover as much as their convex hull: then they overlap nowhere and leave nothing
// out. The border is no longer than that of the hull: then there is no slit either.
bool dr_geodesic_find_flat(dr_geodesic* geodesic, dr_memory* memory)
{
    const dr_mesh* mesh = geodesic->mesh;
    double n[3], area;
    vector_area(mesh, n, &area);
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(area > 0.0) || length < area * (1.0 - flat_share)) {
        return true;
    }
    for (int d = 0; d < 3; ++d) {
        n[d] /= length;
    }
    double around;
    int count = 0, room = mesh->vertex_count + 1;
    point2 *points = dr_new(memory, point2, room), *chain = dr_new(memory, point2, room);
    bool is_ready = points && chain;
    if (is_ready && lay_out(mesh, n, flat_share * sqrt(area), points, &count)) {
        geodesic->is_flat = hull_area(points, count, chain, &around) < area * (1.0 + flat_share) &&
                            border_length(mesh) < around * (1.0 + flat_share);
    }
    dr_delete(memory, points, room);
    dr_delete(memory, chain, room);
    return is_ready;
}

// --- The table ---

// A march takes about as long as it has vertices; all of them some tens of milliseconds for each
// ten thousand. Large meshes get by with fewer seeds.
enum { most_entries = 1 << 20, least_seeds = 48 };

static int seed_count_of(int vertex_count)
{
    int count = most_entries / (vertex_count + 1);
    count = count > DR_GEODESIC_SEEDS ? DR_GEODESIC_SEEDS : count;
    count = count < least_seeds ? least_seeds : count;
    return count < vertex_count ? count : vertex_count;
}

static double square_between(drape_vec3 a, drape_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return x * x + y * y + z * z;
}

// Each seed is the vertex furthest from those before, straight through space: corners and rims come
// first, and the rest is filled evenly. Every part of the mesh has one before any has two.
static void choose_seeds(dr_geodesic* geodesic, double* nearest)
{
    const dr_mesh* mesh = geodesic->mesh;
    int count = 0, wanted = geodesic->seed_count;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        bool is_used = mesh->vertex_triangle_start[v] < mesh->vertex_triangle_start[v + 1];
        nearest[v] = is_used ? INFINITY : -1.0;
    }
    while (count < wanted) {
        int best = -1;
        for (int v = 0; v < mesh->vertex_count; ++v) {
            if (nearest[v] >= 0.0 && (best < 0 || nearest[v] > nearest[best])) {
                best = v;
            }
        }
        if (best < 0) {
            break;
        }
        geodesic->seeds[count++] = best;
        for (int v = 0; v < mesh->vertex_count; ++v) {
            if (nearest[v] >= 0.0 && mesh->vertex_part[v] == mesh->vertex_part[best]) {
                nearest[v] = fmin(nearest[v], square_between(mesh->rest[v], mesh->rest[best]));
            }
        }
        nearest[best] = -1.0;
    }
    geodesic->seed_count = count;
}

typedef struct table_run {
    dr_geodesic* geodesic;
    dr_march* marches; // by worker
    double* distances; // by worker, as many as vertices
} table_run;

static void march_seeds(void* context, int begin, int end, int worker)
{
    table_run* r = context;
    dr_geodesic* g = r->geodesic;
    int vertex_count = g->mesh->vertex_count;
    double* distance = r->distances + (size_t)worker * (size_t)vertex_count;
    for (int s = begin; s < end; ++s) {
        dr_march_run(&r->marches[worker], g->seeds[s], distance);
        for (int v = 0; v < vertex_count; ++v) {
            double d = fmin(distance[v], g->beyond);
            g->table[(size_t)v * (size_t)g->seed_count + (size_t)s] = (float)d;
        }
    }
}

static bool fill_table(dr_geodesic* geodesic, dr_memory* memory, dr_pool* pool)
{
    int workers = dr_pool_worker_count(pool), vertex_count = geodesic->mesh->vertex_count;
    size_t entries = (size_t)vertex_count * (size_t)geodesic->seed_count;
    size_t distance_count = (size_t)workers * (size_t)vertex_count;
    table_run run = {geodesic, dr_new_zeroed(memory, dr_march, workers),
                     dr_new(memory, double, distance_count)};
    geodesic->table = dr_new(memory, float, entries);
    bool is_ready = geodesic->table && run.marches && run.distances;
    for (int i = 0; i < workers && run.marches; ++i) {
        is_ready = dr_march_create(&run.marches[i], memory, geodesic->mesh) && is_ready;
    }
    if (is_ready) {
        dr_parallel_for(pool, geodesic->seed_count, 1, march_seeds, &run);
    }
    for (int i = 0; i < workers && run.marches; ++i) {
        dr_march_free(&run.marches[i], memory);
    }
    dr_delete(memory, run.marches, workers);
    dr_delete(memory, run.distances, distance_count);
    return is_ready;
}

static bool make_table(dr_geodesic* geodesic, dr_memory* memory, dr_pool* pool)
{
    int vertex_count = geodesic->mesh->vertex_count;
    geodesic->seed_count = seed_count_of(vertex_count);
    geodesic->seeds = dr_new(memory, int32_t, DR_GEODESIC_SEEDS);
    double* nearest = dr_new(memory, double, vertex_count);
    bool is_ready = geodesic->seeds && nearest;
    if (is_ready) {
        choose_seeds(geodesic, nearest);
    } else {
        geodesic->seed_count = 0;
    }
    dr_delete(memory, nearest, vertex_count);
    return is_ready && fill_table(geodesic, memory, pool);
}

// --- Create and free ---

static void measure(dr_geodesic* geodesic)
{
    const dr_mesh* mesh = geodesic->mesh;
    double area = 0.0, edges = 0.0;
    int counted = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        area += mesh->rest_area[t];
        counted += mesh->rest_area[t] > 0.0f;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        edges +=
            sqrt(square_between(mesh->rest[mesh->edges[e].v[0]], mesh->rest[mesh->edges[e].v[1]]));
    }
    geodesic->cell = counted > 0 ? sqrt(2.0 * area / counted) : 0.0;
    geodesic->side = sqrt(area);
    // No way is longer than all edges together.
    geodesic->beyond = 2.0 * edges;
}

bool dr_geodesic_create(dr_geodesic* geodesic, dr_memory* memory, dr_pool* pool,
                        const dr_mesh* mesh)
{
    *geodesic = (dr_geodesic){.mesh = mesh};
    measure(geodesic);
    if (!(geodesic->side > 0.0)) {
        return true;
    }
    return dr_geodesic_find_flat(geodesic, memory) &&
           (geodesic->is_flat || make_table(geodesic, memory, pool));
}

void dr_geodesic_free(dr_geodesic* geodesic, dr_memory* memory)
{
    if (geodesic->mesh) {
        size_t vertices = (size_t)geodesic->mesh->vertex_count;
        dr_delete(memory, geodesic->table, vertices * (size_t)geodesic->seed_count);
        dr_delete(memory, geodesic->seeds, DR_GEODESIC_SEEDS);
    }
    *geodesic = (dr_geodesic){0};
}

// --- Asking ---

static const float* table_of(const dr_geodesic* geodesic, int vertex)
{
    return geodesic->table + (size_t)vertex * (size_t)geodesic->seed_count;
}

void dr_geodesic_row(const dr_geodesic* geodesic, const dr_material_point* at, double* row)
{
    if (!geodesic->table) {
        dr_material_place(geodesic->mesh, geodesic->mesh->rest, at, row);
        return;
    }
    const int32_t* v = geodesic->mesh->triangles[at->triangle];
    const float *a = table_of(geodesic, v[0]), *b = table_of(geodesic, v[1]);
    const float* c = table_of(geodesic, v[2]);
    for (int s = 0; s < geodesic->seed_count; ++s) {
        row[s] = at->weight[0] * a[s] + at->weight[1] * b[s] + at->weight[2] * c[s];
    }
}

// Scales to length `length`, or to zero.
static void set_length(double v[3], double length)
{
    double now = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int d = 0; d < 3; ++d) {
        v[d] = now > 0.0 ? v[d] * length / now : 0.0;
    }
}

static double between_flat(const double* row_p, const double* row_q, double from_p[3],
                           double from_q[3])
{
    double squared = 0.0;
    for (int d = 0; d < 3; ++d) {
        from_p[d] = row_q[d] - row_p[d];
        squared += from_p[d] * from_p[d];
    }
    double length = sqrt(squared);
    for (int d = 0; d < 3; ++d) {
        from_p[d] = length > 0.0 ? from_p[d] / length : 0.0;
        from_q[d] = -from_p[d];
    }
    return length;
}

// The direction on a triangle away from a seed (sign 1) or towards it (-1).
static void way_of_seed(const dr_geodesic* geodesic, int triangle, int seed, double sign,
                        double out[3])
{
    const int32_t* v = geodesic->mesh->triangles[triangle];
    double values[3];
    for (int k = 0; k < 3; ++k) {
        values[k] = table_of(geodesic, v[k])[seed];
    }
    dr_material_gradient(geodesic->mesh, triangle, values, out);
    set_length(out, sign);
}

double dr_geodesic_between(const dr_geodesic* geodesic, const dr_material_point* p,
                           const double* row_p, const dr_material_point* q, const double* row_q,
                           double from_p[3], double from_q[3])
{
    if (!geodesic->table) {
        return between_flat(row_p, row_q, from_p, from_q);
    }
    int best = 0;
    double most = -1.0;
    for (int s = 0; s < geodesic->seed_count; ++s) {
        double apart = fabs(row_p[s] - row_q[s]);
        if (apart > most) {
            most = apart;
            best = s;
        }
    }
    double sign = row_p[best] > row_q[best] ? -1.0 : 1.0;
    way_of_seed(geodesic, p->triangle, best, sign, from_p);
    way_of_seed(geodesic, q->triangle, best, -sign, from_q);
    // A greater difference than any way is that of one piece of the mesh from another.
    return most < 0.5 * geodesic->beyond ? fmax(most, 0.0) : geodesic->beyond;
}
