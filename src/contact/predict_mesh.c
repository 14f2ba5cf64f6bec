#include "contact/predict_mesh.h"

#include "core/vec_math.h"

void dr_predict_own(int triangle_count, const int32_t (*triangles)[3],
                    const int32_t* triangle_edges, uint8_t* vertex_taken, uint8_t* edge_taken,
                    uint8_t* own)
{
    for (int t = 0; t < triangle_count; ++t) {
        own[t] = 0;
        for (int k = 0; k < 3; ++k) {
            int vertex = triangles[t][k], edge = triangle_edges[3 * t + (k + 2) % 3];
            own[t] |= (uint8_t)(!vertex_taken[vertex] << k);
            own[t] |= (uint8_t)(!edge_taken[edge] << (3 + k));
            vertex_taken[vertex] = edge_taken[edge] = 1;
        }
    }
}

static float mean_edge(const dr_mesh* mesh)
{
    double sum = 0.0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        sum += dr_length_double(
            dr_sub(mesh->rest[mesh->edges[e].v[1]], mesh->rest[mesh->edges[e].v[0]]));
    }
    return mesh->edge_count > 0 ? (float)(sum / mesh->edge_count) : 0.0f;
}

static void number_parts(dr_predict_mesh* mesh, const dr_predict_part* parts)
{
    for (int p = 0; p < mesh->part_count; ++p) {
        dr_predict_part* part = &mesh->parts[p];
        *part = parts[p];
        part->first_vertex = mesh->vertex_count;
        part->first_edge = mesh->edge_count;
        part->spacing = mean_edge(part->mesh);
        mesh->vertex_count += part->mesh->vertex_count;
        mesh->edge_count += part->mesh->edge_count;
        mesh->room += part->mesh->triangle_count;
    }
}

static bool allocate(dr_predict_mesh* mesh, dr_memory* memory)
{
    // One more of each, so that an empty mesh is not taken for a lack of memory.
    size_t vertices = (size_t)mesh->vertex_count + 1, edges = (size_t)mesh->edge_count + 1;
    size_t triangles = (size_t)mesh->room + 1;
    mesh->edges = dr_allocate(memory, dr_array_bytes(edges, sizeof *mesh->edges));
    mesh->edge_triangles = dr_allocate(memory, dr_array_bytes(edges, sizeof *mesh->edge_triangles));
    mesh->triangles = dr_allocate(memory, dr_array_bytes(triangles, sizeof *mesh->triangles));
    mesh->triangle_edges = dr_new(memory, int32_t, 3 * triangles);
    mesh->own = dr_new(memory, uint8_t, triangles);
    mesh->region = dr_new(memory, uint8_t, triangles);
    mesh->vertex_triangle = dr_new(memory, int32_t, vertices);
    mesh->part_of_vertex = dr_new(memory, int32_t, vertices);
    mesh->rest = dr_new(memory, drape_vec3, vertices);
    mesh->rest_squared = dr_new(memory, float, edges);
    return mesh->edges && mesh->edge_triangles && mesh->triangles && mesh->triangle_edges &&
           mesh->own && mesh->region && mesh->vertex_triangle && mesh->part_of_vertex &&
           mesh->rest && mesh->rest_squared;
}

static void copy_features(dr_predict_mesh* mesh, int p)
{
    const dr_predict_part* part = &mesh->parts[p];
    for (int v = 0; v < part->mesh->vertex_count; ++v) {
        mesh->part_of_vertex[part->first_vertex + v] = p;
        mesh->vertex_triangle[part->first_vertex + v] = -1;
        mesh->rest[part->first_vertex + v] = part->mesh->rest[v];
    }
    for (int e = 0; e < part->mesh->edge_count; ++e) {
        for (int k = 0; k < 2; ++k) {
            mesh->edges[part->first_edge + e][k] = part->first_vertex + part->mesh->edges[e].v[k];
            mesh->edge_triangles[part->first_edge + e][k] = -1;
        }
        const int32_t* v = part->mesh->edges[e].v;
        drape_vec3 rest = dr_sub(part->mesh->rest[v[1]], part->mesh->rest[v[0]]);
        mesh->rest_squared[part->first_edge + e] = dr_dot(rest, rest);
    }
}

static void add_triangle(dr_predict_mesh* mesh, const dr_predict_part* part, int t, uint8_t region)
{
    int at = mesh->triangle_count++;
    mesh->region[at] = region;
    for (int k = 0; k < 3; ++k) {
        int vertex = part->first_vertex + part->mesh->triangles[t][k];
        int edge = part->first_edge + part->mesh->triangle_edges[3 * t + k];
        mesh->triangles[at][k] = vertex;
        mesh->triangle_edges[3 * at + k] = edge;
        if (mesh->vertex_triangle[vertex] < 0) {
            mesh->vertex_triangle[vertex] = at;
        }
        mesh->edge_triangles[edge][mesh->edge_triangles[edge][0] >= 0] = at;
    }
}

// Those of one part that may touch something. Collapsed ones have no features to touch with.
static void add_triangles(dr_predict_mesh* mesh, const dr_predict_part* part,
                          const uint32_t allow[32])
{
    for (int t = 0; t < part->mesh->triangle_count; ++t) {
        uint8_t region = part->region ? part->region[t] : 0;
        if (part->mesh->triangle_edges[3 * t] >= 0 && allow[region & 31]) {
            add_triangle(mesh, part, t, region & 31);
        }
    }
}

static bool find_owners(dr_predict_mesh* mesh, dr_memory* memory)
{
    size_t vertices = (size_t)mesh->vertex_count + 1, edges = (size_t)mesh->edge_count + 1;
    uint8_t* vertex_taken = dr_new_zeroed(memory, uint8_t, vertices);
    uint8_t* edge_taken = dr_new_zeroed(memory, uint8_t, edges);
    bool has_room = vertex_taken && edge_taken;
    if (has_room) {
        dr_predict_own(mesh->triangle_count, (const int32_t(*)[3])mesh->triangles,
                       mesh->triangle_edges, vertex_taken, edge_taken, mesh->own);
    }
    dr_delete(memory, vertex_taken, vertices);
    dr_delete(memory, edge_taken, edges);
    return has_room;
}

bool dr_predict_mesh_create(dr_predict_mesh* mesh, dr_memory* memory, const dr_predict_part* parts,
                            int part_count, const uint32_t allow[32])
{
    *mesh = (dr_predict_mesh){.part_count = part_count};
    mesh->parts = dr_new_zeroed(memory, dr_predict_part, part_count + 1);
    if (!mesh->parts) {
        return false;
    }
    number_parts(mesh, parts);
    if (!allocate(mesh, memory)) {
        return false;
    }
    for (int p = 0; p < part_count; ++p) {
        copy_features(mesh, p);
        add_triangles(mesh, &mesh->parts[p], allow);
    }
    return find_owners(mesh, memory);
}

void dr_predict_mesh_free(dr_predict_mesh* mesh, dr_memory* memory)
{
    size_t vertices = (size_t)mesh->vertex_count + 1, edges = (size_t)mesh->edge_count + 1;
    size_t triangles = (size_t)mesh->room + 1;
    dr_delete(memory, mesh->edges, edges);
    dr_delete(memory, mesh->edge_triangles, edges);
    dr_delete(memory, mesh->triangles, triangles);
    dr_delete(memory, mesh->triangle_edges, 3 * triangles);
    dr_delete(memory, mesh->own, triangles);
    dr_delete(memory, mesh->region, triangles);
    dr_delete(memory, mesh->vertex_triangle, vertices);
    dr_delete(memory, mesh->part_of_vertex, vertices);
    dr_delete(memory, mesh->rest, vertices);
    dr_delete(memory, mesh->rest_squared, edges);
    dr_delete(memory, mesh->joint, vertices);
    dr_delete(memory, mesh->parts, mesh->part_count + 1);
    *mesh = (dr_predict_mesh){0};
}

bool dr_predict_mesh_join(dr_predict_mesh* mesh, dr_memory* memory, int a, int b)
{
    if (!mesh->joint) {
        mesh->joint = dr_new(memory, int32_t, mesh->vertex_count + 1);
        for (int v = 0; mesh->joint && v < mesh->vertex_count; ++v) {
            mesh->joint[v] = v;
        }
    }
    if (!mesh->joint) {
        return false;
    }
    int from = mesh->joint[a] > mesh->joint[b] ? mesh->joint[a] : mesh->joint[b];
    int to = mesh->joint[a] > mesh->joint[b] ? mesh->joint[b] : mesh->joint[a];
    for (int v = 0; v < mesh->vertex_count; ++v) {
        mesh->joint[v] = mesh->joint[v] == from ? to : mesh->joint[v];
    }
    return true;
}
