#include "contact/predict_search.h"

#include <math.h>

#include "core/vec_math.h"

// Rest shapes side by side, so that the tree groups what is of one cloth.
static void lay_apart(const dr_predict_mesh* mesh, drape_vec3* apart)
{
    float offset = 0.0f;
    for (int p = 0; p < mesh->part_count; ++p) {
        const dr_predict_part* part = &mesh->parts[p];
        float least = INFINITY, most = -INFINITY;
        for (int v = 0; v < part->mesh->vertex_count; ++v) {
            least = fminf(least, part->mesh->rest[v].x);
            most = fmaxf(most, part->mesh->rest[v].x);
        }
        for (int v = 0; v < part->mesh->vertex_count; ++v) {
            apart[part->first_vertex + v] = part->mesh->rest[v];
            apart[part->first_vertex + v].x += offset - least;
        }
        offset += part->mesh->vertex_count > 0 ? 1.5f * (most - least) + 1e-6f : 0.0f;
    }
}

// --- Triangles ---

static bool create_triangles(dr_predict_search* search, dr_memory* memory,
                             const dr_predict_mesh* mesh, const drape_vec3* rest,
                             const uint32_t allow[32], drape_isa isa)
{
    dr_surface surface = {
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .edge_count = mesh->edge_count,
        .triangles = (const int32_t(*)[3])mesh->triangles,
        .rest = rest,
        .triangle_edges = mesh->triangle_edges,
        .owned = mesh->own,
    };
    return dr_tree_build(&search->tree, memory, &surface, dr_plan_swept, isa) &&
           dr_features_create(&search->features, memory, &search->tree, &surface) &&
           dr_tree_set_regions(&search->tree, memory, mesh->region, allow);
}

// --- Points ---

typedef struct point_leaves {
    int32_t (*corners)[3];
    uint8_t* region;
} point_leaves;

// Vertices in the region of their triangle; those without one are in region 0.
static void list_points(dr_predict_search* search, const dr_predict_mesh* mesh,
                        const uint32_t allow[32], point_leaves leaves)
{
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const dr_predict_part* part = dr_predict_part_of(mesh, v);
        int t = mesh->vertex_triangle[v], own = v - part->first_vertex;
        const int32_t* start = part->mesh->vertex_triangle_start;
        bool is_loose = start[own] == start[own + 1];
        if (t < 0 && (!is_loose || !allow[0])) {
            continue;
        }
        int at = search->point_count++;
        search->point[at] = v;
        leaves.region[at] = t >= 0 ? mesh->region[t] : 0;
        leaves.corners[at][0] = leaves.corners[at][1] = leaves.corners[at][2] = v;
    }
}

static bool create_points(dr_predict_search* search, dr_memory* memory, const dr_predict_mesh* mesh,
                          const drape_vec3* rest, const uint32_t allow[32], drape_isa isa)
{
    size_t room = (size_t)mesh->vertex_count + 1;
    point_leaves leaves = {dr_allocate(memory, dr_array_bytes(room, sizeof *leaves.corners)),
                           dr_new(memory, uint8_t, room)};
    search->point = dr_new(memory, int32_t, room);
    search->point_room = (int)room;
    bool made = leaves.corners && leaves.region && search->point;
    if (made) {
        list_points(search, mesh, allow, leaves);
        dr_surface surface = {
            .vertex_count = mesh->vertex_count,
            .triangle_count = search->point_count,
            .triangles = (const int32_t(*)[3])leaves.corners,
            .rest = rest,
        };
        made = dr_tree_build(&search->tree, memory, &surface, dr_plan_swept, isa) &&
               dr_tree_set_regions(&search->tree, memory, leaves.region, allow);
    }
    dr_delete(memory, leaves.corners, room);
    dr_delete(memory, leaves.region, room);
    return made;
}

// --- Both ---

bool dr_predict_search_create(dr_predict_search* search, dr_memory* memory,
                              const dr_predict_mesh* mesh, const uint32_t allow[32], bool is_points,
                              drape_isa isa)
{
    *search = (dr_predict_search){.is_points = is_points, .is_empty = true};
    for (int r = 0; r < 32; ++r) {
        search->is_empty &= allow[r] == 0;
    }
    if (search->is_empty) {
        return true;
    }
    size_t room = (size_t)mesh->vertex_count + 1;
    drape_vec3* apart = dr_new(memory, drape_vec3, room);
    if (!apart) {
        return false;
    }
    lay_apart(mesh, apart);
    bool made = is_points ? create_points(search, memory, mesh, apart, allow, isa)
                          : create_triangles(search, memory, mesh, apart, allow, isa);
    dr_delete(memory, apart, room);
    return made;
}

void dr_predict_search_free(dr_predict_search* search, dr_memory* memory)
{
    dr_tree_free(&search->tree, memory);
    dr_features_free(&search->features, memory);
    dr_pair_search_free(&search->pairs, memory);
    dr_delete(memory, search->point, search->point_room);
    *search = (dr_predict_search){0};
}

bool dr_predict_search_run(dr_predict_search* search, dr_memory* memory, dr_pool* pool,
                           const dr_motion* motion)
{
    if (search->is_empty) {
        return true;
    }
    dr_tree_refit(&search->tree, pool, motion);
    if (!search->is_points) {
        dr_features_refit(&search->features, &search->tree, pool, motion);
        return dr_feature_pairs(&search->pairs, memory, pool, &search->tree, &search->features,
                                NULL);
    }
    if (!dr_tree_triangle_pairs(&search->pairs, memory, pool, &search->tree, NULL)) {
        return false;
    }
    dr_pair* pairs = search->pairs.lists[0].data;
    for (int i = 0; i < search->pairs.lists[0].count; ++i) {
        pairs[i] = (dr_pair){search->point[pairs[i].a], search->point[pairs[i].b]};
    }
    return true;
}
