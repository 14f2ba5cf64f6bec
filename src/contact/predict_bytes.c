// Kept contacts as bytes: what a scene saves beside itself.
#include <math.h>
#include <string.h>

#include "contact/predict.h"
#include "core/base.h"

static const char magic[8] = "drapeKC2";

// Numbers, low byte first.
typedef struct writer {
    unsigned char* bytes;
    size_t room, count;
} writer;

static void put(writer* w, uint32_t value)
{
    if (w->bytes && w->count + 4 <= w->room) {
        for (int i = 0; i < 4; ++i) {
            w->bytes[w->count + (size_t)i] = (unsigned char)(value >> (8 * i));
        }
    }
    w->count += 4;
}

static void put_float(writer* w, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(w, bits);
}

typedef struct reader {
    const unsigned char* bytes;
    size_t size, at;
} reader;

static uint32_t get(reader* r)
{
    uint32_t value = 0;
    for (int i = 0; i < 4 && r->at + 4 <= r->size; ++i) {
        value |= (uint32_t)r->bytes[r->at + (size_t)i] << (8 * i);
    }
    r->at += 4;
    return value;
}

static float get_float(reader* r)
{
    uint32_t bits = get(r);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// What must be the same for the numbers in a file to mean the same.
enum { head_words = 6 };

static uint64_t hash_meaning(const dr_predict* predict)
{
    const dr_predict_mesh* mesh = &predict->mesh;
    const dr_predict_options* options = &predict->options;
    uint64_t hash = dr_hash_bytes(DR_HASH_START, mesh->triangles,
                                  sizeof *mesh->triangles * (size_t)mesh->triangle_count);
    hash = dr_hash_bytes(hash, mesh->region, (size_t)mesh->triangle_count);
    hash = dr_hash_bytes(hash, options->allow, sizeof options->allow);
    hash = dr_hash_bytes(hash, &options->kept_regions, sizeof options->kept_regions);
    hash = dr_hash_bytes(hash, &predict->rules.static_radius, sizeof(float));
    uint8_t use_layers = options->use_layers;
    hash = dr_hash_bytes(hash, &use_layers, 1);
    for (int p = 0; p < mesh->part_count; ++p) {
        int32_t layer = mesh->parts[p].layer;
        hash = dr_hash_bytes(hash, &layer, sizeof layer);
        hash = dr_hash_bytes(hash, &mesh->parts[p].thickness, sizeof(float));
    }
    return hash;
}

static void head_of(const dr_predict* predict, uint32_t head[head_words])
{
    uint64_t meaning = hash_meaning(predict);
    head[0] = (uint32_t)predict->mesh.vertex_count;
    head[1] = (uint32_t)predict->mesh.edge_count;
    head[2] = (uint32_t)predict->mesh.triangle_count;
    head[3] = predict->options.is_points;
    head[4] = (uint32_t)meaning;
    head[5] = (uint32_t)(meaning >> 32);
}

uint64_t dr_predict_hash_pose(const dr_predict* predict)
{
    uint64_t hash = DR_HASH_START;
    for (int v = 0; v < predict->mesh.vertex_count; ++v) {
        hash = dr_hash_bytes(hash, predict->start + 4 * (size_t)v, 3 * sizeof(float));
    }
    return hash;
}

static void put_edges(writer* w, const dr_array* list, const dr_array* gaps)
{
    const dr_edge_contact* contact = list->data;
    const float* gap = gaps->data;
    put(w, (uint32_t)list->count);
    for (int i = 0; i < list->count; ++i) {
        put(w, (uint32_t)contact[i].a);
        put(w, (uint32_t)contact[i].b);
        put_float(w, contact[i].normal.x);
        put_float(w, contact[i].normal.y);
        put_float(w, contact[i].normal.z);
        put_float(w, contact[i].alpha);
        put_float(w, contact[i].beta);
        put_float(w, contact[i].turn);
        put_float(w, gap[i]);
    }
}

bool dr_predict_save(const dr_predict* predict, void* buffer, size_t* size)
{
    const dr_predict_contacts* contacts = &predict->kept.contacts;
    writer w = {buffer, buffer ? *size : 0, sizeof magic};
    uint32_t head[head_words];
    head_of(predict, head);
    if (buffer && *size >= sizeof magic) {
        memcpy(buffer, magic, sizeof magic);
    }
    for (int i = 0; i < head_words; ++i) {
        put(&w, head[i]);
    }
    put(&w, (uint32_t)predict->kept.pose);
    put(&w, (uint32_t)(predict->kept.pose >> 32));
    const dr_point_contact* point = contacts->points.data;
    const float* gap = contacts->point_gaps.data;
    put(&w, (uint32_t)contacts->points.count);
    for (int i = 0; i < contacts->points.count; ++i) {
        put(&w, (uint32_t)point[i].vertex);
        put(&w, (uint32_t)point[i].triangle << 1 | (uint32_t)point[i].is_above);
        put_float(&w, gap[i]);
    }
    put_edges(&w, &contacts->edges, &contacts->edge_gaps);
    put_edges(&w, &contacts->pairs, &contacts->pair_gaps);
    *size = w.count;
    return !buffer || w.count <= w.room;
}

static bool get_points(reader* r, dr_memory* memory, const dr_predict_mesh* mesh,
                       dr_predict_contacts* contacts)
{
    uint32_t count = get(r);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t vertex = get(r), packed = get(r), triangle = packed >> 1;
        float gap = get_float(r);
        if (r->at > r->size || vertex >= (uint32_t)mesh->vertex_count ||
            triangle >= (uint32_t)mesh->triangle_count || !(fabsf(gap) < 1e6f)) {
            return false;
        }
        dr_point_contact* at = dr_array_push(memory, &contacts->points, sizeof *at);
        float* gap_at = dr_array_push(memory, &contacts->point_gaps, sizeof *gap_at);
        if (!at || !gap_at) {
            return false;
        }
        *at = (dr_point_contact){(int32_t)vertex, triangle & 0x7fffffffu, packed & 1u};
        *gap_at = gap;
    }
    return true;
}

static bool get_edges(reader* r, dr_memory* memory, int limit, dr_array* list, dr_array* gaps)
{
    uint32_t count = get(r);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t a = get(r), b = get(r);
        float number[7];
        bool is_sound = a < (uint32_t)limit && b < (uint32_t)limit;
        for (int k = 0; k < 7; ++k) {
            number[k] = get_float(r);
            is_sound = is_sound && fabsf(number[k]) < 1e6f;
        }
        if (r->at > r->size || !is_sound) {
            return false;
        }
        dr_edge_contact* at = dr_array_push(memory, list, sizeof *at);
        float* gap = dr_array_push(memory, gaps, sizeof *gap);
        if (!at || !gap) {
            return false;
        }
        *at = (dr_edge_contact){(int32_t)a, (int32_t)b, {number[0], number[1], number[2]},
                                number[3],  number[4],  number[5]};
        *gap = number[6];
    }
    return true;
}

// Into `found`, which is to be freed in any case.
static bool read_contacts(const dr_predict* predict, dr_memory* memory, const void* buffer,
                          size_t size, dr_predict_contacts* found, uint64_t* pose)
{
    reader r = {buffer, size, sizeof magic};
    const dr_predict_mesh* mesh = &predict->mesh;
    uint32_t head[head_words];
    head_of(predict, head);
    bool fits = size >= sizeof magic && memcmp(buffer, magic, sizeof magic) == 0;
    for (int i = 0; i < head_words; ++i) {
        fits = get(&r) == head[i] && fits;
    }
    *pose = get(&r);
    *pose |= (uint64_t)get(&r) << 32;
    return dr_predict_contacts_create(found, memory, mesh->vertex_count) && fits &&
           get_points(&r, memory, mesh, found) &&
           get_edges(&r, memory, mesh->edge_count, &found->edges, &found->edge_gaps) &&
           get_edges(&r, memory, mesh->vertex_count, &found->pairs, &found->pair_gaps) &&
           r.at == size;
}

bool dr_predict_fits(const dr_predict* predict, dr_memory* memory, const void* buffer, size_t size,
                     uint64_t* pose)
{
    dr_predict_contacts found;
    bool fits = read_contacts(predict, memory, buffer, size, &found, pose);
    dr_predict_contacts_free(&found, memory);
    return fits;
}

bool dr_predict_load(dr_predict* predict, dr_memory* memory, const void* buffer, size_t size)
{
    dr_predict_contacts found;
    uint64_t pose;
    if (read_contacts(predict, memory, buffer, size, &found, &pose)) {
        dr_predict_contacts_free(&predict->kept.contacts, memory);
        predict->kept.contacts = found;
        predict->kept.pose = pose;
        return dr_predict_lay_kept(predict, memory);
    }
    dr_predict_contacts_free(&found, memory);
    return false;
}
