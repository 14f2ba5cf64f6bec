// Contacts laid into batches.
#include <math.h>

#include "contact/predict.h"
#include "core/vec_math.h"

// Vertices of contact i of one kind.
typedef void quad_fn(const dr_predict* predict, const void* contacts, int i, int32_t quad[4]);

static void point_quad(const dr_predict* predict, const void* contacts, int i, int32_t quad[4])
{
    const dr_point_contact* contact = (const dr_point_contact*)contacts + i;
    quad[0] = contact->vertex;
    for (int k = 0; k < 3; ++k) {
        quad[k + 1] = predict->mesh.triangles[contact->triangle][k];
    }
}

static void edge_quad(const dr_predict* predict, const void* contacts, int i, int32_t quad[4])
{
    const dr_edge_contact* contact = (const dr_edge_contact*)contacts + i;
    for (int k = 0; k < 2; ++k) {
        quad[k] = predict->mesh.edges[contact->a][k];
        quad[k + 2] = predict->mesh.edges[contact->b][k];
    }
}

static void pair_quad(const dr_predict* predict, const void* contacts, int i, int32_t quad[4])
{
    const dr_edge_contact* contact = (const dr_edge_contact*)contacts + i;
    quad[0] = contact->a;
    quad[2] = contact->b;
    quad[1] = quad[3] = predict->mesh.vertex_count; // no one's
}

static bool group(dr_predict* predict, dr_memory* memory, const dr_array* contacts,
                  quad_fn* quad_of)
{
    int32_t(*quads)[4];
    int count = contacts->count;
    if (count > predict->quads.capacity &&
        !dr_array_reserve(memory, &predict->quads, sizeof *quads, count + count / 2)) {
        return false;
    }
    quads = predict->quads.data;
    for (int i = 0; i < contacts->count; ++i) {
        quad_of(predict, contacts->data, i, quads[i]);
    }
    return dr_predict_group(&predict->groups, memory, (const int32_t(*)[4])quads, contacts->count);
}

// --- Lanes ---

// An empty lane has records of its own, which do not yield.
static void empty_lane(const dr_predict* predict, dr_predict_lanes* lanes, int lane)
{
    for (int k = 0; k < 4; ++k) {
        lanes->vertex[k][lane] = predict->mesh.vertex_count + lane;
    }
    lanes->gap[lane] = 0.0f;
    lanes->there &= ~(1u << lane);
    lanes->at_rest[lane] = lanes->sliding[lane] = 0.0f;
}

static void fill_lane(const dr_predict* predict, dr_predict_lanes* lanes, int lane,
                      const int32_t quad[4], float gap)
{
    const dr_predict_part* a = dr_predict_part_of(&predict->mesh, quad[0]);
    const dr_predict_part* b = dr_predict_part_of(&predict->mesh, quad[2]);
    for (int k = 0; k < 4; ++k) {
        bool is_real = quad[k] < predict->mesh.vertex_count;
        lanes->vertex[k][lane] = is_real ? quad[k] : predict->mesh.vertex_count + lane;
    }
    lanes->gap[lane] = gap;
    lanes->there |= 1u << lane;
    lanes->at_rest[lane] = sqrtf(a->friction_static * b->friction_static);
    lanes->sliding[lane] = sqrtf(a->friction_dynamic * b->friction_dynamic);
}

// --- Batches ---

static bool lay_points(dr_predict* predict, dr_memory* memory, const dr_predict_contacts* contacts,
                       dr_array* batches)
{
    if (!group(predict, memory, &contacts->points, point_quad)) {
        return false;
    }
    const dr_point_contact* from = contacts->points.data;
    const float* gaps = contacts->point_gaps.data;
    const int32_t(*groups)[8] = predict->groups.groups.data;
    const int32_t(*quads)[4] = predict->quads.data;
    for (int g = 0; g < predict->groups.groups.count; ++g) {
        dr_point_batch* batch = dr_array_push(memory, batches, sizeof *batch);
        if (!batch) {
            return false;
        }
        batch->lanes.there = 0;
        for (int lane = 0; lane < 8; ++lane) {
            int i = groups[g][lane];
            batch->side[lane] = i < 0 || from[i].is_above ? 1.0f : -1.0f;
            if (i < 0) {
                empty_lane(predict, &batch->lanes, lane);
            } else {
                fill_lane(predict, &batch->lanes, lane, quads[i], gaps[i]);
            }
        }
    }
    return true;
}

static void fill_edge(dr_edge_batch* batch, int lane, const dr_edge_contact* contact)
{
    batch->normal[0][lane] = contact ? contact->normal.x : 0.0f;
    batch->normal[1][lane] = contact ? contact->normal.y : 0.0f;
    batch->normal[2][lane] = contact ? contact->normal.z : 0.0f;
    batch->alpha[lane] = contact ? contact->alpha : 0.0f;
    batch->beta[lane] = contact ? contact->beta : 0.0f;
    batch->turn[lane] = 0.0f;
}

static bool lay_edges(dr_predict* predict, dr_memory* memory, const dr_array* contacts,
                      const dr_array* contact_gaps, quad_fn* quad_of, bool is_kept,
                      dr_array* batches)
{
    if (!group(predict, memory, contacts, quad_of)) {
        return false;
    }
    const dr_edge_contact* from = contacts->data;
    const float* gaps = contact_gaps->data;
    const int32_t(*groups)[8] = predict->groups.groups.data;
    const int32_t(*quads)[4] = predict->quads.data;
    for (int g = 0; g < predict->groups.groups.count; ++g) {
        dr_edge_batch* batch = dr_array_push(memory, batches, sizeof *batch);
        if (!batch) {
            return false;
        }
        batch->lanes.there = 0;
        for (int lane = 0; lane < 8; ++lane) {
            int i = groups[g][lane];
            fill_edge(batch, lane, i < 0 ? NULL : &from[i]);
            if (i < 0) {
                empty_lane(predict, &batch->lanes, lane);
                continue;
            }
            fill_lane(predict, &batch->lanes, lane, quads[i], gaps[i]);
            batch->turn[lane] = is_kept ? from[i].turn : 0.0f;
        }
    }
    return true;
}

// Which side of the cross product of its edges the normal of a contact is on.
static float turn_of(const dr_predict* predict, const dr_edge_contact* contact)
{
    const float* start = predict->start;
    const int32_t* a = predict->mesh.edges[contact->a];
    const int32_t* b = predict->mesh.edges[contact->b];
    drape_vec3 e = dr_sub(dr_record_at(start, a[1]), dr_record_at(start, a[0]));
    drape_vec3 f = dr_sub(dr_record_at(start, b[1]), dr_record_at(start, b[0]));
    return dr_dot(dr_cross(e, f), contact->normal) < 0.0f ? -1.0f : 1.0f;
}

void dr_predict_turn_kept(dr_predict* predict)
{
    dr_edge_contact* edges = predict->kept.contacts.edges.data;
    dr_edge_contact* pairs = predict->kept.contacts.pairs.data;
    for (int i = 0; i < predict->kept.contacts.edges.count; ++i) {
        edges[i].turn = turn_of(predict, &edges[i]);
    }
    for (int i = 0; i < predict->kept.contacts.pairs.count; ++i) {
        pairs[i].turn = 2.0f;
    }
}

bool dr_predict_lay(dr_predict* predict, dr_memory* memory, const dr_predict_contacts* contacts,
                    bool is_kept, dr_predict_batches* batches)
{
    batches->points.count = batches->edges.count = 0;
    batches->contact_count = contacts->points.count + contacts->edges.count + contacts->pairs.count;
    return lay_points(predict, memory, contacts, &batches->points) &&
           (!is_kept || dr_predict_note_walkers(predict, memory)) &&
           lay_edges(predict, memory, &contacts->edges, &contacts->edge_gaps, edge_quad, is_kept,
                     &batches->edges) &&
           lay_edges(predict, memory, &contacts->pairs, &contacts->pair_gaps, pair_quad, is_kept,
                     &batches->edges);
}

// --- Waking ---

// Copies a lane as it is.
static void copy_lane(dr_predict_lanes* to, int lane, const dr_predict_lanes* from, int from_lane)
{
    for (int k = 0; k < 4; ++k) {
        to->vertex[k][lane] = from->vertex[k][from_lane];
    }
    to->gap[lane] = from->gap[from_lane];
    to->there |= 1u << lane;
    to->target[lane] = from->target[from_lane];
    to->at_rest[lane] = from->at_rest[from_lane];
    to->sliding[lane] = from->sliding[from_lane];
    to->pressed[lane] = to->rubbed[lane] = 0.0f;
}

// Lists the lanes that do not rest: batch * 8 + lane, and their vertices.
static bool list_awake(dr_predict* predict, dr_memory* memory, const void* batches, size_t size,
                       int count)
{
    dr_array *awake = &predict->awake, *quads = &predict->quads;
    awake->count = 0;
    if (!dr_array_reserve(memory, awake, sizeof(int32_t), 8 * count + 1) ||
        !dr_array_reserve(memory, quads, sizeof(int32_t[4]), 8 * count + 1)) {
        return false;
    }
    int32_t* list = awake->data;
    int32_t(*quad)[4] = quads->data;
    for (int i = 0; i < count; ++i) {
        // Both kinds of batches begin with their lanes.
        const dr_predict_lanes* lanes = (const void*)((const char*)batches + size * (size_t)i);
        for (uint32_t bits = lanes->awake; bits; bits &= bits - 1) {
            int lane = __builtin_ctz(bits);
            for (int k = 0; k < 4; ++k) {
                quad[awake->count][k] = lanes->vertex[k][lane];
            }
            list[awake->count++] = 8 * i + lane;
        }
    }
    return dr_predict_group(&predict->groups, memory, (const int32_t(*)[4])quad, awake->count);
}

static void empty_awake(const dr_predict* predict, dr_predict_lanes* lanes, int lane)
{
    empty_lane(predict, lanes, lane);
    lanes->target[lane] = DR_PREDICT_RESTS;
    lanes->pressed[lane] = lanes->rubbed[lane] = 0.0f;
}

static bool wake_points(dr_predict* predict, dr_memory* memory)
{
    const dr_point_batch* from = predict->kept.batches.points.data;
    if (!list_awake(predict, memory, from, sizeof *from, predict->kept.batches.points.count)) {
        return false;
    }
    const int32_t(*groups)[8] = predict->groups.groups.data;
    const int32_t* awake = predict->awake.data;
    for (int g = 0; g < predict->groups.groups.count; ++g) {
        dr_point_batch* batch = dr_array_push(memory, &predict->kept.active.points, sizeof *batch);
        if (!batch) {
            return false;
        }
        batch->lanes.there = 0;
        for (int lane = 0; lane < 8; ++lane) {
            int i = groups[g][lane] < 0 ? -1 : awake[groups[g][lane]];
            batch->side[lane] = i < 0 ? 1.0f : from[i / 8].side[i % 8];
            if (i < 0) {
                empty_awake(predict, &batch->lanes, lane);
            } else {
                copy_lane(&batch->lanes, lane, &from[i / 8].lanes, i % 8);
            }
        }
    }
    predict->kept.active.contact_count += predict->awake.count;
    return true;
}

static bool wake_edges(dr_predict* predict, dr_memory* memory)
{
    const dr_edge_batch* from = predict->kept.batches.edges.data;
    if (!list_awake(predict, memory, from, sizeof *from, predict->kept.batches.edges.count)) {
        return false;
    }
    const int32_t(*groups)[8] = predict->groups.groups.data;
    const int32_t* awake = predict->awake.data;
    for (int g = 0; g < predict->groups.groups.count; ++g) {
        dr_edge_batch* batch = dr_array_push(memory, &predict->kept.active.edges, sizeof *batch);
        if (!batch) {
            return false;
        }
        batch->lanes.there = 0;
        for (int lane = 0; lane < 8; ++lane) {
            int i = groups[g][lane] < 0 ? -1 : awake[groups[g][lane]];
            fill_edge(batch, lane, NULL);
            if (i < 0) {
                empty_awake(predict, &batch->lanes, lane);
                continue;
            }
            copy_lane(&batch->lanes, lane, &from[i / 8].lanes, i % 8);
            for (int c = 0; c < 3; ++c) {
                batch->normal[c][lane] = from[i / 8].normal[c][i % 8];
            }
            batch->alpha[lane] = from[i / 8].alpha[i % 8];
            batch->beta[lane] = from[i / 8].beta[i % 8];
            batch->turn[lane] = from[i / 8].turn[i % 8];
        }
    }
    predict->kept.active.contact_count += predict->awake.count;
    return true;
}

bool dr_predict_wake(dr_predict* predict, dr_memory* memory)
{
    dr_predict_batches* active = &predict->kept.active;
    active->points.count = active->edges.count = active->contact_count = 0;
    return !predict->kept.is_made || (wake_points(predict, memory) && wake_edges(predict, memory));
}
