#include "contact/body.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/vec_math.h"

static drape_vec3 place_of(const float* places, int vertex)
{
    const float* p = places + (size_t)vertex * 4;
    return (drape_vec3){p[0], p[1], p[2]};
}

// --- The mesh ---

static bool is_watertight(const drape_mesh_report* report)
{
    return report->border_edge_count == 0 && report->non_manifold_edge_count == 0 &&
           report->inconsistent_edge_count == 0 && report->duplicate_count == 0 &&
           report->triangle_count > 0;
}

// Six times the volume of each part, negative when it is inside out. `volumes` starts as zero.
static void measure_parts(const dr_mesh* mesh, double* volumes)
{
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles[t];
        // From a corner of the part itself, so that its distance from the origin does not count.
        drape_vec3 o = mesh->rest[mesh->triangles[0][0]];
        drape_vec3 a = dr_sub(mesh->rest[v[0]], o), b = dr_sub(mesh->rest[v[1]], o);
        drape_vec3 c = dr_sub(mesh->rest[v[2]], o);
        volumes[mesh->vertex_part[v[0]]] += (double)a.x * ((double)b.y * c.z - (double)b.z * c.y) +
                                            (double)a.y * ((double)b.z * c.x - (double)b.x * c.z) +
                                            (double)a.z * ((double)b.x * c.y - (double)b.y * c.x);
    }
}

// Triangles with the parts that are inside out turned; false when memory is short. `turned` counts.
static bool turn_parts(const dr_mesh* mesh, dr_memory* memory, int32_t (*triangles)[3], int* turned)
{
    double* volumes = dr_new_zeroed(memory, double, mesh->part_count);
    if (!volumes) {
        return false;
    }
    measure_parts(mesh, volumes);
    for (int t = 0; t < mesh->triangle_count; ++t) {
        memcpy(triangles[t], mesh->triangles[t], sizeof *triangles);
        if (volumes[mesh->vertex_part[triangles[t][0]]] < 0.0) {
            triangles[t][1] = mesh->triangles[t][2];
            triangles[t][2] = mesh->triangles[t][1];
            ++*turned;
        }
    }
    dr_delete(memory, volumes, mesh->part_count);
    return true;
}

// Builds the mesh anew where parts must be turned.
static bool turn_outside_out(dr_mesh* mesh, dr_memory* memory, char* sentence, size_t size)
{
    int count = mesh->triangle_count, turned = 0;
    int32_t(*triangles)[3] = dr_allocate(memory, dr_array_bytes((size_t)count, sizeof *triangles));
    bool done = triangles && turn_parts(mesh, memory, triangles, &turned);
    if (done && turned > 0) {
        drape_mesh_view view = {.positions = mesh->rest,
                                .triangles = triangles[0],
                                .vertex_count = mesh->vertex_count,
                                .triangle_count = count};
        dr_mesh other;
        done = dr_mesh_build(&other, memory, &view, NULL, sentence, size);
        if (done) {
            dr_mesh_free(mesh, memory);
            *mesh = other;
        }
    }
    dr_delete(memory, triangles, count);
    return done;
}

// --- Edges and vertices ---

static drape_vec3 opposite_corner(const dr_body* body, const dr_edge* edge, int side)
{
    const int32_t* v = body->shell.mesh.triangles[edge->t[side]];
    for (int k = 0; k < 3; ++k) {
        if (v[k] != edge->v[0] && v[k] != edge->v[1]) {
            return place_of(body->from, v[k]);
        }
    }
    return place_of(body->from, v[0]);
}

// From the edge into its triangle, at right angles to it.
static drape_vec3 inward(drape_vec3 from, drape_vec3 along, drape_vec3 corner)
{
    drape_vec3 d = dr_sub(corner, from);
    float length = dr_dot(along, along);
    return dr_normalize(
        dr_sub(d, dr_scale(along, length > 0.0f ? dr_dot(d, along) / length : 0.0f)));
}

static drape_vec3 face_normal(const dr_body* body, int triangle)
{
    const int32_t* v = body->shell.mesh.triangles[triangle];
    drape_vec3 a = place_of(body->from, v[0]);
    return dr_normalize(
        dr_cross(dr_sub(place_of(body->from, v[1]), a), dr_sub(place_of(body->from, v[2]), a)));
}

// How far a triangle reaches from its edge, from the part of a side that is at right angles to it.
static float height_over(drape_vec3 from, drape_vec3 side, drape_vec3 corner)
{
    return dr_dot(side, dr_sub(corner, from));
}

static dr_bend bend_of(dr_body* body, int32_t index)
{
    // What rounding may leave of a plane, radians; and the cosine above which bends are sharp: of
    // 30 degrees.
    const float flat = 1e-4f, sharp = -0.8660254f;
    const dr_edge* edge = &body->shell.mesh.edges[index];
    if (edge->t[1] < 0) {
        return DR_BEND_SHARP;
    }
    drape_vec3 from = place_of(body->from, edge->v[0]);
    drape_vec3 along = dr_sub(place_of(body->from, edge->v[1]), from);
    drape_vec3 c = opposite_corner(body, edge, 0), d = opposite_corner(body, edge, 1);
    drape_vec3 a = inward(from, along, c), b = inward(from, along, d);
    float height = 0.5f * (height_over(from, a, c) + height_over(from, b, d));
    // Twice the sine of half the bend: as good as the angle where it is blunt.
    body->edge_turn[index] = dr_length(dr_add(a, b));
    body->edge_curve[index] = height > 0.0f ? body->edge_turn[index] / height : INFINITY;
    float cosine = dr_dot(a, b);
    bool is_valley = body->is_closed && dr_dot(face_normal(body, edge->t[0]), b) > 0.0f;
    if (body->edge_turn[index] < flat || is_valley) {
        return DR_BEND_IDLE;
    }
    return cosine > sharp ? DR_BEND_SHARP : DR_BEND_BLUNT;
}

// Sorts out what can touch first. Edges of three and more triangles are always sharp.
static void sort_bends(dr_body* body)
{
    const dr_mesh* mesh = &body->shell.mesh;
    memset(body->edge_bend, 0, (size_t)mesh->edge_count);
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        int32_t edge = mesh->triangle_edges[i];
        if (edge >= 0 && body->edge_bend[edge] < 3) {
            ++body->edge_bend[edge];
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        body->edge_bend[e] = (uint8_t)(body->edge_bend[e] > 2 ? DR_BEND_SHARP : bend_of(body, e));
    }
}

static double angle_at(drape_vec3 a, drape_vec3 b, drape_vec3 c)
{
    drape_vec3 u = dr_sub(b, a), v = dr_sub(c, a);
    return dr_atan2(dr_length_double(dr_cross(u, v)), (double)dr_dot(u, v));
}

// Normals weighted by angles: their sign tells the inside from the outside at a nearest vertex
// (Baerentzen, Aanaes 2005).
static void refresh_normals(dr_body* body)
{
    const dr_mesh* mesh = &body->shell.mesh;
    memset(body->normals, 0, sizeof(float) * 4 * (size_t)mesh->vertex_count);
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles[t];
        drape_vec3 n = face_normal(body, t);
        for (int k = 0; k < 3; ++k) {
            double angle =
                angle_at(place_of(body->from, v[k]), place_of(body->from, v[(k + 1) % 3]),
                         place_of(body->from, v[(k + 2) % 3]));
            float* sum = body->normals + (size_t)v[k] * 4;
            sum[0] += (float)angle * n.x;
            sum[1] += (float)angle * n.y;
            sum[2] += (float)angle * n.z;
        }
    }
}

static void refresh(dr_body* body, dr_pool* pool)
{
    dr_motion motion = {
        .start = body->from, .end = body->is_changing ? body->to : NULL, .stride = 4};
    dr_shell_refit(&body->shell, pool, &motion);
    sort_bends(body);
    ++body->version;
    if (body->is_closed) {
        refresh_normals(body);
    }
}

// --- Life ---

// Copies what drawing wants and makes room for the rest.
static bool fill(dr_body* body, dr_memory* memory, const drape_mesh_view* view)
{
    const dr_mesh* mesh = &body->shell.mesh;
    body->from = dr_new_zeroed(memory, float, (size_t)mesh->vertex_count * 4);
    body->edge_bend = dr_new(memory, uint8_t, mesh->edge_count);
    body->edge_turn = dr_new(memory, float, mesh->edge_count);
    body->edge_curve = dr_new(memory, float, mesh->edge_count);
    body->triangles =
        dr_allocate(memory, dr_array_bytes((size_t)view->triangle_count, sizeof *body->triangles));
    body->normals = body->is_closed ? dr_new(memory, float, (size_t)mesh->vertex_count * 4) : NULL;
    bool has_edges = body->edge_bend && body->edge_turn && body->edge_curve;
    if (!body->from || !body->triangles || (mesh->edge_count > 0 && !has_edges) ||
        (body->is_closed && !body->normals)) {
        return false;
    }
    memcpy(body->triangles, view->triangles,
           sizeof *body->triangles * (size_t)view->triangle_count);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        memcpy(body->from + (size_t)v * 4, &mesh->rest[v], sizeof mesh->rest[v]);
    }
    return true;
}

static bool build(dr_body* body, dr_memory* memory, const drape_mesh_view* view, drape_isa isa,
                  char* sentence, size_t size)
{
    dr_mesh mesh;
    snprintf(sentence, size, "out of memory");
    body->given_count = view->vertex_count;
    body->triangle_count = view->triangle_count;
    body->welded = dr_new(memory, int32_t, view->vertex_count);
    if (!body->welded || !dr_mesh_build(&mesh, memory, view, body->welded, sentence, size)) {
        return false;
    }
    body->is_closed = is_watertight(&mesh.report);
    bool done = (!body->is_closed || turn_outside_out(&mesh, memory, sentence, size)) &&
                dr_shell_create(&body->shell, memory, &mesh, isa, false) &&
                fill(body, memory, view);
    dr_mesh_free(&mesh, memory); // whatever was not taken
    return done;
}

dr_body* dr_body_create(dr_memory* memory, const drape_mesh_view* view, drape_isa isa,
                        dr_pool* pool, char* sentence, size_t sentence_size)
{
    if (view->triangle_count < 1 || view->vertex_count < 1) {
        snprintf(sentence, sentence_size, "a mesh collider needs at least one triangle");
        return NULL;
    }
    dr_body* body = dr_new_zeroed(memory, dr_body, 1);
    if (!body) {
        snprintf(sentence, sentence_size, "out of memory");
        return NULL;
    }
    drape_mesh_view plain = *view; // the pose is the shape
    plain.rest = NULL;
    plain.uv = NULL;
    if (!build(body, memory, &plain, isa, sentence, sentence_size)) {
        dr_body_destroy(body, memory);
        return NULL;
    }
    refresh(body, pool);
    return body;
}

void dr_body_destroy(dr_body* body, dr_memory* memory)
{
    if (!body) {
        return;
    }
    size_t floats = (size_t)body->shell.mesh.vertex_count * 4;
    dr_delete(memory, body->from, floats);
    dr_delete(memory, body->to, floats);
    dr_delete(memory, body->normals, floats);
    dr_delete(memory, body->edge_bend, body->shell.mesh.edge_count);
    dr_delete(memory, body->edge_turn, body->shell.mesh.edge_count);
    dr_delete(memory, body->edge_curve, body->shell.mesh.edge_count);
    dr_delete(memory, body->welded, body->given_count);
    dr_delete(memory, body->triangles, body->triangle_count);
    dr_shell_free(&body->shell, memory);
    dr_delete(memory, body, 1);
}

// --- Changing shape ---

bool dr_body_aim(dr_body* body, dr_memory* memory, const drape_vec3* given)
{
    if (!body->to) {
        body->to = dr_new_zeroed(memory, float, (size_t)body->shell.mesh.vertex_count * 4);
        if (!body->to) {
            return false;
        }
    }
    // Of joined vertices the first one counts.
    for (int i = body->given_count - 1; i >= 0; --i) {
        memcpy(body->to + (size_t)body->welded[i] * 4, &given[i], sizeof given[i]);
    }
    // What stays as it is costs nothing. (The fourth float of each vertex is 0 in both.)
    size_t size = sizeof(float) * 4 * (size_t)body->shell.mesh.vertex_count;
    body->is_changing = memcmp(body->from, body->to, size) != 0;
    return true;
}

void dr_body_begin_step(dr_body* body, dr_pool* pool)
{
    body->travel = 0.0f;
    if (!body->is_changing && !body->has_changed) {
        return;
    }
    for (int v = 0; body->is_changing && v < body->shell.mesh.vertex_count; ++v) {
        drape_vec3 way = dr_sub(place_of(body->to, v), place_of(body->from, v));
        body->travel = fmaxf(body->travel, dr_length(way));
    }
    refresh(body, pool);
    body->has_changed = false;
}

void dr_body_end_step(dr_body* body)
{
    if (body->is_changing) {
        memcpy(body->from, body->to, sizeof(float) * 4 * (size_t)body->shell.mesh.vertex_count);
        body->has_changed = true;
        body->is_changing = false;
    }
}

void dr_body_places(const dr_body* body, drape_vec3* given)
{
    for (int i = 0; i < body->given_count; ++i) {
        given[i] = place_of(body->from, body->welded[i]);
    }
}
