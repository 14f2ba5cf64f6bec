#include "contact/sensor_march.h"

#include <math.h>

bool dr_march_create(dr_march* march, dr_memory* memory, const dr_mesh* mesh)
{
    *march = (dr_march){.mesh = mesh};
    march->heap = dr_new(memory, int32_t, mesh->vertex_count + 1);
    march->place = dr_new(memory, int32_t, mesh->vertex_count + 1);
    return march->heap && march->place;
}

void dr_march_free(dr_march* march, dr_memory* memory)
{
    if (march->mesh) {
        dr_delete(memory, march->heap, march->mesh->vertex_count + 1);
        dr_delete(memory, march->place, march->mesh->vertex_count + 1);
    }
    *march = (dr_march){0};
}

// --- The heap: vertices, the nearest on top ---

static bool is_nearer(const double* distance, int a, int b)
{
    return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
}

static void put(dr_march* march, int i, int vertex)
{
    march->heap[i] = vertex;
    march->place[vertex] = i;
}

static void rise(dr_march* march, const double* distance, int vertex)
{
    int i = march->place[vertex];
    for (; i > 0 && is_nearer(distance, vertex, march->heap[(i - 1) / 2]); i = (i - 1) / 2) {
        put(march, i, march->heap[(i - 1) / 2]);
    }
    put(march, i, vertex);
}

static int take_nearest(dr_march* march, const double* distance)
{
    int top = march->heap[0], last = march->heap[--march->heap_count], i = 0;
    march->place[top] = -1;
    if (march->heap_count == 0) {
        return top;
    }
    for (;;) {
        int below = 2 * i + 1;
        if (below + 1 < march->heap_count &&
            is_nearer(distance, march->heap[below + 1], march->heap[below])) {
            ++below;
        }
        if (below >= march->heap_count || !is_nearer(distance, march->heap[below], last)) {
            break;
        }
        put(march, i, march->heap[below]);
        i = below;
    }
    put(march, i, last);
    return top;
}

// A gain below this share of the distance is not passed on, so that marching ends.
static const double least_gain = 1e-9;

static void offer(dr_march* march, double* distance, int vertex, double offered)
{
    if (!(offered < distance[vertex] * (1.0 - least_gain))) {
        return;
    }
    distance[vertex] = offered;
    if (march->place[vertex] < 0) {
        put(march, march->heap_count++, vertex);
    }
    rise(march, distance, vertex);
}

// --- Triangles ---

static double length_between(const dr_mesh* mesh, int a, int b)
{
    drape_vec3 p = mesh->rest[a], q = mesh->rest[b];
    double x = (double)q.x - p.x, y = (double)q.y - p.y, z = (double)q.z - p.z;
    return sqrt(x * x + y * y + z * z);
}

// The distance of c seen over the edge ab, infinite when the line from the source misses the edge.
// In the plane of the triangle a is the origin and b on the first axis.
static double seen_over(double ab, double ac, double bc, double to_a, double to_b)
{
    double c1 = (ab * ab + ac * ac - bc * bc) / (2.0 * ab);
    double s1 = (ab * ab + to_a * to_a - to_b * to_b) / (2.0 * ab);
    double c2 = ac * ac - c1 * c1, s2 = to_a * to_a - s1 * s1;
    if (!(c2 > 0.0) || !(s2 >= 0.0)) {
        return INFINITY;
    }
    c2 = sqrt(c2);
    s2 = sqrt(s2);
    // c is above the edge, the source below it.
    double meets = s1 + (c1 - s1) * s2 / (s2 + c2);
    if (!(meets >= 0.0) || !(meets <= ab)) {
        return INFINITY;
    }
    return sqrt((c1 - s1) * (c1 - s1) + (c2 + s2) * (c2 + s2));
}

static void pass_on(dr_march* march, double* distance, int a, int b, int c)
{
    double ab = length_between(march->mesh, a, b), ac = length_between(march->mesh, a, c);
    double bc = length_between(march->mesh, b, c);
    offer(march, distance, c, distance[a] + ac);
    if (ab > 0.0 && isfinite(distance[b])) {
        offer(march, distance, c, seen_over(ab, ac, bc, distance[a], distance[b]));
    }
}

void dr_march_run(dr_march* march, int source, double* distance)
{
    const dr_mesh* mesh = march->mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        distance[v] = INFINITY;
        march->place[v] = -1;
    }
    march->heap_count = 0;
    distance[source] = 0.0;
    put(march, march->heap_count++, source);
    // Only meshes of slivers look at a vertex more than a few times.
    int64_t most = 64 * (int64_t)mesh->vertex_count;
    for (int64_t i = 0; i < most && march->heap_count > 0; ++i) {
        int v = take_nearest(march, distance);
        for (int k = mesh->vertex_triangle_start[v]; k < mesh->vertex_triangle_start[v + 1]; ++k) {
            const int32_t* t = mesh->triangles[mesh->vertex_triangle_list[k]];
            int j = t[0] == v ? 0 : t[1] == v ? 1 : 2;
            int b = t[(j + 1) % 3], c = t[(j + 2) % 3];
            pass_on(march, distance, v, b, c);
            pass_on(march, distance, v, c, b);
        }
    }
}
