#include "render/stage.h"

#include <math.h>

#include "core/vec_math.h"
#include "render/plan.h"
#include "render/refine.h"

// Rays start this share of the size of all off the surface: above rounding, below any gap.
#define NUDGE_SHARE 3e-5f
// Boxes get this share more, so that a flat one is not missed.
#define BOX_SHARE 1e-6f

// --- Putting meshes on ---

static bool reserve(dr_stage* stage, int vertex_count, int triangle_count)
{
    int64_t vertices = (int64_t)stage->places.count + vertex_count;
    int64_t triangles = (int64_t)stage->triangles.count + triangle_count;
    if (vertices > INT32_MAX / 4 || triangles > INT32_MAX / 4) {
        return false;
    }
    dr_memory* memory = stage->memory;
    return dr_array_reserve(memory, &stage->places, sizeof(float[4]), (int)vertices) &&
           dr_array_reserve(memory, &stage->vertices, sizeof(dr_stage_vertex), (int)vertices) &&
           dr_array_reserve(memory, &stage->triangles, sizeof(int32_t[3]), (int)triangles) &&
           dr_array_reserve(memory, &stage->looks, sizeof(uint8_t), (int)triangles);
}

static void put_vertex(dr_stage* stage, const dr_patch_point* point, const dr_stage_mesh* mesh,
                       const int32_t* corner)
{
    float* place = ((float(*)[4])stage->places.data)[stage->places.count++];
    place[0] = point->place.x;
    place[1] = point->place.y;
    place[2] = point->place.z;
    place[3] = 0.0f;
    dr_stage_vertex vertex = {.normal = point->normal};
    for (int k = 0; k < 3; ++k) {
        float weight = point->weight[k];
        if (mesh->uv != NULL) {
            vertex.u += weight * mesh->uv[2 * (size_t)corner[k]];
            vertex.v += weight * mesh->uv[2 * (size_t)corner[k] + 1];
        }
        vertex.heat += mesh->heat != NULL ? weight * mesh->heat[corner[k]] : 0.0f;
    }
    ((dr_stage_vertex*)stage->vertices.data)[stage->vertices.count++] = vertex;
    stage->lo = (drape_vec3){fminf(stage->lo.x, place[0]), fminf(stage->lo.y, place[1]),
                             fminf(stage->lo.z, place[2])};
    stage->hi = (drape_vec3){fmaxf(stage->hi.x, place[0]), fmaxf(stage->hi.y, place[1]),
                             fmaxf(stage->hi.z, place[2])};
}

static void put_triangle(dr_stage* stage, int a, int b, int c, int look)
{
    int32_t* corner = ((int32_t(*)[3])stage->triangles.data)[stage->triangles.count++];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    ((uint8_t*)stage->looks.data)[stage->looks.count++] = (uint8_t)look;
}

// Rows of points from corner 0 outwards: row j has cuts + 1 - j of them.
static void put_patch(dr_stage* stage, const dr_patch* patch, const dr_stage_mesh* mesh,
                      const int32_t* corner)
{
    int cuts = 1 << mesh->level, row = stage->places.count;
    for (int j = 0; j <= cuts; ++j) {
        for (int i = 0; i + j <= cuts; ++i) {
            dr_patch_point point = dr_patch_at(patch, i, j, cuts);
            put_vertex(stage, &point, mesh, corner);
        }
    }
    for (int j = 0; j < cuts; ++j) {
        int length = cuts + 1 - j, above = row + length;
        for (int i = 0; i + 1 < length; ++i) {
            put_triangle(stage, row + i, row + i + 1, above + i, mesh->look);
            if (i + 2 < length) {
                put_triangle(stage, row + i + 1, above + i + 1, above + i, mesh->look);
            }
        }
        row = above;
    }
}

static void put_mesh(dr_stage* stage, const dr_stage_mesh* mesh, const drape_vec3* normals)
{
    for (int t = 0; t < mesh->mesh.triangle_count; ++t) {
        const int32_t* corner = mesh->mesh.triangles + 3 * (size_t)t;
        dr_patch patch;
        for (int k = 0; k < 3; ++k) {
            patch.corner[k] = mesh->mesh.positions[corner[k]];
            patch.normal[k] = normals[3 * (size_t)t + (size_t)k];
            patch.vertex[k] = corner[k];
        }
        dr_patch_prepare(&patch);
        put_patch(stage, &patch, mesh, corner);
    }
}

bool dr_stage_add(dr_stage* stage, const dr_stage_mesh* mesh)
{
    int triangle_count = mesh->mesh.triangle_count, cuts = 1 << mesh->level;
    int64_t point_count = (int64_t)triangle_count * (cuts + 1) * (cuts + 2) / 2;
    int64_t piece_count = (int64_t)triangle_count * cuts * cuts;
    if (point_count > INT32_MAX || piece_count > INT32_MAX) {
        return false;
    }
    if (stage->places.count == 0) {
        stage->lo = (drape_vec3){INFINITY, INFINITY, INFINITY};
        stage->hi = (drape_vec3){-INFINITY, -INFINITY, -INFINITY};
    }
    drape_vec3* normals = dr_new(stage->memory, drape_vec3, 3 * (size_t)triangle_count);
    bool is_added = (triangle_count == 0 || normals != NULL) &&
                    reserve(stage, (int)point_count, (int)piece_count) &&
                    (triangle_count == 0 ||
                     dr_corner_normals(stage->memory, &mesh->mesh, mesh->crease, normals));
    if (is_added) {
        put_mesh(stage, mesh, normals);
    }
    dr_delete(stage->memory, normals, 3 * (size_t)triangle_count);
    return is_added;
}

// --- The tree ---

static bool make_tree(dr_stage* stage)
{
    int vertex_count = stage->places.count;
    drape_vec3* places = dr_new(stage->memory, drape_vec3, vertex_count);
    if (places == NULL) {
        return false;
    }
    for (int v = 0; v < vertex_count; ++v) {
        const float* place = ((const float(*)[4])stage->places.data)[v];
        places[v] = (drape_vec3){place[0], place[1], place[2]};
    }
    dr_surface surface = {
        .vertex_count = vertex_count,
        .triangle_count = stage->triangles.count,
        .triangles = (const int32_t(*)[3])stage->triangles.data,
        .rest = places,
    };
    bool is_made =
        dr_tree_build(&stage->tree, stage->memory, &surface, dr_plan_for_rays, DRAPE_ISA_AUTO);
    dr_delete(stage->memory, places, vertex_count);
    return is_made;
}

bool dr_stage_ready(dr_stage* stage, dr_pool* pool)
{
    if (stage->triangles.count == 0) {
        return true;
    }
    float size = dr_length(dr_sub(stage->hi, stage->lo));
    stage->nudge = NUDGE_SHARE * size;
    if (!make_tree(stage)) {
        return false;
    }
    dr_motion still = {.start = stage->places.data, .stride = 4, .radius = BOX_SHARE * size};
    dr_tree_refit(&stage->tree, pool, &still);
    return true;
}

void dr_stage_clear(dr_stage* stage)
{
    dr_tree_free(&stage->tree, stage->memory);
    stage->tree = (dr_tree){0};
    stage->places.count = 0;
    stage->vertices.count = 0;
    stage->triangles.count = 0;
    stage->looks.count = 0;
}

void dr_stage_free(dr_stage* stage)
{
    dr_stage_clear(stage);
    dr_array_free(stage->memory, &stage->places, sizeof(float[4]));
    dr_array_free(stage->memory, &stage->vertices, sizeof(dr_stage_vertex));
    dr_array_free(stage->memory, &stage->triangles, sizeof(int32_t[3]));
    dr_array_free(stage->memory, &stage->looks, sizeof(uint8_t));
}

// --- Rays ---

// A smooth normal at a sharp fold may look away from the side that is seen.
static drape_vec3 turn_to(drape_vec3 normal, drape_vec3 facet)
{
    float along = dr_dot(normal, facet);
    const float least = 0.05f;
    return along >= least ? normal : dr_add(normal, dr_scale(facet, least - along));
}

// The flat triangle shadows itself where the surface that it stands for does not. So light is
// looked for from the tangent planes at the corners, where these are above the triangle (Hanika
// 2021: Hacking the Shadow Terminator).
static drape_vec3 lift(drape_vec3 place, const drape_vec3 corner[3], const drape_vec3 normal[3],
                       const float weight[3])
{
    drape_vec3 lifted = place;
    for (int k = 0; k < 3; ++k) {
        float below = dr_dot(dr_sub(place, corner[k]), normal[k]);
        lifted = dr_sub(lifted, dr_scale(normal[k], weight[k] * fminf(below, 0.0f)));
    }
    return lifted;
}

static void describe(const dr_stage* stage, drape_vec3 direction, const dr_tree_ray_hit* found,
                     dr_stage_hit* hit)
{
    const int32_t* vertex = ((const int32_t(*)[3])stage->triangles.data)[found->triangle];
    const float* weight = found->weights;
    drape_vec3 corner[3], normal[3], smooth = {0, 0, 0}, place = {0, 0, 0};
    *hit = (dr_stage_hit){.distance = found->t,
                          .look = ((const uint8_t*)stage->looks.data)[found->triangle]};
    for (int k = 0; k < 3; ++k) {
        const float* p = ((const float(*)[4])stage->places.data)[vertex[k]];
        const dr_stage_vertex* v = (const dr_stage_vertex*)stage->vertices.data + vertex[k];
        corner[k] = (drape_vec3){p[0], p[1], p[2]};
        normal[k] = v->normal;
        place = dr_add(place, dr_scale(corner[k], weight[k]));
        smooth = dr_add(smooth, dr_scale(v->normal, weight[k]));
        hit->u += weight[k] * v->u;
        hit->v += weight[k] * v->v;
        hit->heat += weight[k] * v->heat;
    }
    drape_vec3 facet = dr_cross(dr_sub(corner[1], corner[0]), dr_sub(corner[2], corner[0]));
    hit->is_back = dr_dot(facet, direction) > 0.0f;
    float side = hit->is_back ? -1.0f : 1.0f;
    for (int k = 0; k < 3; ++k) {
        normal[k] = dr_scale(normal[k], side);
    }
    hit->facet = dr_normalize(dr_scale(facet, side));
    hit->normal = dr_normalize(turn_to(dr_normalize(dr_scale(smooth, side)), hit->facet));
    hit->place = place;
    hit->lifted = lift(place, corner, normal, weight);
}

// Part of a line between two values along one axis; the slope is never exactly 0.
static void clip(float origin, float slope, float lo, float hi, float* near, float* far)
{
    float inverse = 1.0f / slope;
    float a = (lo - origin) * inverse, b = (hi - origin) * inverse;
    float first = a < b ? a : b, last = a < b ? b : a;
    *near = first > *near ? first : *near;
    *far = last < *far ? last : *far;
}

// Most rays of a picture miss everything, and most of those miss the box of all by far.
static bool misses_all(const dr_stage* stage, drape_vec3 origin, drape_vec3 direction)
{
    const float least = 1e-20f;
    float near = 0.0f, far = INFINITY, room = stage->nudge;
    clip(origin.x, fabsf(direction.x) > least ? direction.x : least, stage->lo.x - room,
         stage->hi.x + room, &near, &far);
    clip(origin.y, fabsf(direction.y) > least ? direction.y : least, stage->lo.y - room,
         stage->hi.y + room, &near, &far);
    clip(origin.z, fabsf(direction.z) > least ? direction.z : least, stage->lo.z - room,
         stage->hi.z + room, &near, &far);
    return near * 0.9999f > far;
}

bool dr_stage_meet(const dr_stage* stage, drape_vec3 origin, drape_vec3 direction,
                   dr_stage_hit* hit)
{
    dr_tree_ray ray = {origin, direction, 0.0f, INFINITY};
    dr_tree_ray_hit found;
    if (misses_all(stage, origin, direction) ||
        !dr_tree_ray_nearest(&stage->tree, stage->places.data, 4, &ray, &found)) {
        return false;
    }
    describe(stage, direction, &found, hit);
    return true;
}

bool dr_stage_blocks(const dr_stage* stage, drape_vec3 origin, drape_vec3 direction)
{
    dr_tree_ray ray = {origin, direction, 0.0f, INFINITY};
    return !misses_all(stage, origin, direction) &&
           dr_tree_ray_any(&stage->tree, stage->places.data, 4, &ray);
}
