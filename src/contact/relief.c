#include "contact/relief.h"

#include <math.h>
#include <string.h>

// Shares of the radius: edges of the cloth may sink by the first one, and vertices be lifted by the
// second.
static const float sink_share = 0.5f, lift_share = 1.0f;

// How far edges of the cloth sink over an edge of the body when their ends are held off its faces.
static float sink_of(const dr_relief* relief, const dr_body* body, int edge)
{
    float length = relief->length;
    return 0.25f * length * fmaxf(body->edge_turn[edge], 0.5f * length * body->edge_curve[edge]);
}

static void set_vertex(dr_relief* relief, int32_t vertex, dr_bend bend, float lift)
{
    uint8_t* of = &relief->vertex[vertex];
    *of = *of < bend ? (uint8_t)bend : *of;
    relief->lift[vertex] = fmaxf(relief->lift[vertex], lift);
    relief->lift_most = fmaxf(relief->lift_most, lift);
}

static void sort_edge(dr_relief* relief, const dr_body* body, int edge)
{
    const int32_t* v = body->shell.mesh.edges[edge].v;
    dr_bend bend = (dr_bend)body->edge_bend[edge];
    float lift = 0.0f;
    if (bend == DR_BEND_BLUNT) {
        float over = sink_of(relief, body, edge) - sink_share * relief->radius;
        if (over <= lift_share * relief->radius) {
            bend = DR_BEND_IDLE;
            lift = fmaxf(over, 0.0f);
        }
    }
    relief->edge[edge] = (uint8_t)bend;
    relief->is_smooth = relief->is_smooth && bend != DR_BEND_SHARP;
    set_vertex(relief, v[0], bend, lift);
    set_vertex(relief, v[1], bend, lift);
}

// Bits of a triangle for its corners and edges that are not idle.
static int bits_of(const dr_relief* relief, const dr_mesh* mesh, int triangle)
{
    int bits = 0;
    for (int k = 0; k < 3; ++k) {
        int32_t edge = mesh->triangle_edges[3 * triangle + (k + 2) % 3];
        bits |= (relief->vertex[mesh->triangles[triangle][k]] != DR_BEND_IDLE) << k;
        bits |= (edge >= 0 && relief->edge[edge] != DR_BEND_IDLE) << (3 + k);
    }
    return bits;
}

static void choose_features(dr_relief* relief, const dr_body* body, dr_pool* pool)
{
    const dr_mesh* mesh = &body->shell.mesh;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        relief->owned[t] = (uint8_t)(mesh->owned[t] & bits_of(relief, mesh, t));
    }
    dr_surface surface = dr_surface_of(mesh);
    surface.owned = relief->owned;
    dr_features_choose(&relief->features, &body->shell.tree, &surface);
    dr_motion motion = {
        .start = body->from, .end = body->is_changing ? body->to : NULL, .stride = 4};
    dr_features_refit(&relief->features, &body->shell.tree, pool, &motion);
}

void dr_relief_refresh(dr_relief* relief, const dr_body* body, dr_pool* pool)
{
    if (relief->version == body->version) {
        return;
    }
    const dr_mesh* mesh = &body->shell.mesh;
    relief->version = body->version;
    relief->is_smooth = true;
    relief->lift_most = 0.0f;
    memset(relief->vertex, DR_BEND_IDLE, (size_t)mesh->vertex_count);
    memset(relief->lift, 0, sizeof *relief->lift * (size_t)mesh->vertex_count);
    for (int e = 0; e < mesh->edge_count; ++e) {
        sort_edge(relief, body, e);
    }
    choose_features(relief, body, pool);
}

bool dr_relief_create(dr_relief* relief, dr_memory* memory, const dr_body* body, float length,
                      float radius)
{
    const dr_mesh* mesh = &body->shell.mesh;
    *relief = (dr_relief){.length = length, .radius = radius, .version = body->version - 1};
    relief->edge = dr_new(memory, uint8_t, mesh->edge_count);
    relief->vertex = dr_new(memory, uint8_t, mesh->vertex_count);
    relief->lift = dr_new(memory, float, mesh->vertex_count);
    relief->owned = dr_new(memory, uint8_t, mesh->triangle_count);
    dr_surface surface = dr_surface_of(mesh);
    bool made = (mesh->edge_count == 0 || relief->edge) && relief->vertex && relief->lift &&
                relief->owned &&
                dr_features_create(&relief->features, memory, &body->shell.tree, &surface);
    if (!made) {
        dr_relief_free(relief, memory, body);
        return false;
    }
    dr_relief_refresh(relief, body, NULL);
    return true;
}

void dr_relief_free(dr_relief* relief, dr_memory* memory, const dr_body* body)
{
    const dr_mesh* mesh = &body->shell.mesh;
    dr_delete(memory, relief->edge, mesh->edge_count);
    dr_delete(memory, relief->vertex, mesh->vertex_count);
    dr_delete(memory, relief->lift, mesh->vertex_count);
    dr_delete(memory, relief->owned, mesh->triangle_count);
    dr_features_free(&relief->features, memory);
    *relief = (dr_relief){0};
}
