// Kept contacts between layers that walk.
#include <math.h>
#include <string.h>

#include "collide/closest.h"
#include "contact/predict.h"
#include "core/vec_math.h"

// --- Who walks ---

static bool is_layered(const dr_predict* predict, const dr_point_contact* contact)
{
    const dr_predict_mesh* mesh = &predict->mesh;
    return predict->rules.use_layers &&
           dr_predict_order(dr_predict_part_of(mesh, contact->vertex),
                            dr_predict_part_of(mesh, mesh->triangles[contact->triangle][0])) != 0;
}

static float distance_of(const dr_predict* predict, const dr_point_contact* contact)
{
    const int32_t* corner = predict->mesh.triangles[contact->triangle];
    const float* start = predict->start;
    return dr_closest_point_triangle(dr_record_at(start, contact->vertex),
                                     dr_record_at(start, corner[0]), dr_record_at(start, corner[1]),
                                     dr_record_at(start, corner[2]))
        .squared;
}

// Where the nearest contact of a vertex with a cloth is noted.
static size_t place_of(const dr_predict* predict, const dr_point_contact* contact)
{
    const dr_predict_mesh* mesh = &predict->mesh;
    int part = mesh->part_of_vertex[mesh->triangles[contact->triangle][0]];
    return (size_t)contact->vertex * (size_t)mesh->part_count + (size_t)part;
}

static void find_nearest(const dr_predict* predict, int32_t* nearest)
{
    const dr_point_contact* points = predict->kept.contacts.points.data;
    for (int i = 0; i < predict->kept.contacts.points.count; ++i) {
        if (is_layered(predict, &points[i])) {
            int32_t* best = &nearest[place_of(predict, &points[i])];
            bool is_nearer = *best < 0 || distance_of(predict, &points[i]) <
                                              distance_of(predict, &points[*best]);
            *best = is_nearer ? i : *best;
        }
    }
}

bool dr_predict_choose_walkers(dr_predict* predict, dr_memory* memory)
{
    size_t places = (size_t)predict->mesh.vertex_count * (size_t)predict->mesh.part_count + 1;
    int32_t* nearest = dr_new(memory, int32_t, places);
    if (!nearest) {
        return false;
    }
    memset(nearest, -1, places * sizeof *nearest);
    find_nearest(predict, nearest);
    dr_predict_contacts* contacts = &predict->kept.contacts;
    dr_point_contact* points = contacts->points.data;
    float* gaps = contacts->point_gaps.data;
    int count = 0;
    for (int i = 0; i < contacts->points.count; ++i) {
        if (!is_layered(predict, &points[i]) || nearest[place_of(predict, &points[i])] == i) {
            points[count] = points[i];
            gaps[count++] = gaps[i];
        }
    }
    contacts->points.count = contacts->point_gaps.count = count;
    dr_delete(memory, nearest, places);
    return true;
}

bool dr_predict_note_walkers(dr_predict* predict, dr_memory* memory)
{
    dr_predict_kept* kept = &predict->kept;
    const dr_point_contact* points = kept->contacts.points.data;
    int lanes = 8 * kept->batches.points.count;
    kept->walkers.count = 0;
    if (!dr_array_reserve(memory, &kept->walkers, sizeof(int32_t), lanes + 1)) {
        return false;
    }
    // The groups are still those of the points that were laid.
    const int32_t(*groups)[8] = predict->groups.groups.data;
    int32_t* walker = kept->walkers.data;
    for (int i = 0; i < lanes; ++i) {
        int contact = groups[i / 8][i % 8];
        bool walks = contact >= 0 && is_layered(predict, &points[contact]);
        walker[i] = walks ? (int32_t)points[contact].triangle : -1;
    }
    kept->walkers.count = lanes;
    return true;
}

// --- Walking ---

// Weights of the foot of a vertex on the plane of a triangle; false without an area.
static bool foot_of(const dr_predict* predict, int vertex, int triangle, float weight[3])
{
    const int32_t* corner = predict->mesh.triangles[triangle];
    drape_vec3 origin = dr_record_at(predict->start, corner[0]);
    drape_vec3 e = dr_sub(dr_record_at(predict->start, corner[1]), origin);
    drape_vec3 f = dr_sub(dr_record_at(predict->start, corner[2]), origin);
    drape_vec3 d = dr_sub(dr_record_at(predict->start, vertex), origin), raw = dr_cross(e, f);
    float squared = dr_dot(raw, raw);
    if (!(squared > 0.0f)) {
        return false;
    }
    weight[1] = dr_dot(dr_cross(d, f), raw) / squared;
    weight[2] = dr_dot(dr_cross(e, d), raw) / squared;
    weight[0] = 1.0f - weight[1] - weight[2];
    return true;
}

// The triangle on the other side of the edge opposite to a corner, or -1.
static int across(const dr_predict_mesh* mesh, int triangle, int corner)
{
    const int32_t* beside = mesh->edge_triangles[mesh->triangle_edges[3 * triangle + corner]];
    return beside[0] == triangle ? beside[1] : beside[0];
}

// The neighbour that the foot lies furthest beyond an edge towards, but not back; -1: stays. That it
// lies further beyond an edge of the neighbour is no reason to stay: on the way round a vertex it
// may.
static int next_of(const dr_predict* predict, int vertex, int triangle, int from)
{
    float weight[3], least = -DR_PREDICT_OUTSIDE;
    int next = -1;
    if (!foot_of(predict, vertex, triangle, weight)) {
        return -1;
    }
    for (int k = 0; k < 3; ++k) {
        int beyond = weight[k] < least ? across(&predict->mesh, triangle, k) : -1;
        if (beyond >= 0 && beyond != from) {
            least = weight[k];
            next = beyond;
        }
    }
    return next;
}

static bool walk_lane(dr_predict* predict, dr_predict_lanes* lanes, int lane, int32_t* triangle)
{
    enum { most_steps = 6 };
    int from = -1, at = *triangle;
    for (int i = 0; i < most_steps; ++i) {
        int next = next_of(predict, lanes->vertex[0][lane], at, from);
        if (next < 0) {
            break;
        }
        from = at;
        at = next;
    }
    bool has_moved = at != *triangle;
    *triangle = at;
    for (int k = 0; k < 3 && has_moved; ++k) {
        lanes->vertex[k + 1][lane] = predict->mesh.triangles[at][k];
    }
    return has_moved;
}

bool dr_predict_walk(dr_predict* predict, int batch_index, uint32_t which)
{
    dr_predict_kept* kept = &predict->kept;
    dr_point_batch* batch = (dr_point_batch*)kept->batches.points.data + batch_index;
    int32_t* walker = (int32_t*)kept->walkers.data + 8 * batch_index;
    bool has_moved = false;
    for (uint32_t bits = which; bits; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        has_moved |= walker[lane] >= 0 && walk_lane(predict, &batch->lanes, lane, &walker[lane]);
    }
    return has_moved;
}

void dr_predict_put_walker(dr_predict* predict, int lane, int triangle)
{
    dr_predict_kept* kept = &predict->kept;
    dr_point_batch* batch = (dr_point_batch*)kept->batches.points.data + lane / 8;
    ((int32_t*)kept->walkers.data)[lane] = triangle;
    for (int k = 0; k < 3 && triangle >= 0; ++k) {
        batch->lanes.vertex[k + 1][lane % 8] = predict->mesh.triangles[triangle][k];
    }
}
