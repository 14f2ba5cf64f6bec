// Contacts that are found once and kept.
#include <math.h>
#include <string.h>

#include "contact/predict.h"
#include "core/vec_math.h"

// The cache looks this much further than a step does: cloths slide over each other.
static const float kept_radius = 3.0f;

// Contacts between two kept regions, and only those.
static void allow_kept(const dr_predict_options* options, uint32_t allow[32])
{
    for (int r = 0; r < 32; ++r) {
        bool is_kept = options->kept_regions >> r & 1;
        allow[r] = is_kept ? options->allow[r] & options->kept_regions : 0u;
    }
}

static bool lay_kept(dr_predict* predict, dr_memory* memory)
{
    dr_predict_kept* kept = &predict->kept;
    if (!dr_predict_lay(predict, memory, &kept->contacts, true, &kept->batches)) {
        return false;
    }
    int lanes = 8 * (kept->batches.points.count + kept->batches.edges.count);
    if (!dr_array_reserve(memory, &kept->ages, sizeof(uint8_t), lanes + 1)) {
        return false;
    }
    memset(kept->ages.data, 0, (size_t)lanes + 1);
    kept->ages.count = lanes;
    kept->next = kept->removed = 0;
    kept->is_made = true;
    return true;
}

bool dr_predict_keep(dr_predict* predict, dr_memory* memory, dr_pool* pool)
{
    uint32_t allow[32];
    allow_kept(&predict->options, allow);
    dr_predict_rules rules = predict->rules;
    rules.static_radius *= kept_radius;
    rules.is_kept = true;
    dr_predict_search search;
    bool made = dr_predict_search_create(&search, memory, &predict->mesh, allow,
                                         predict->options.is_points, predict->options.isa);
    dr_motion motion = {predict->start, NULL, 4, 0.5f * dr_predict_reach(&predict->mesh, &rules)};
    dr_predict_query query = {.start = predict->start,
                              .end = predict->start,
                              .triangles = (const int32_t(*)[3])predict->mesh.triangles,
                              .edges = (const int32_t(*)[2])predict->mesh.edges};
    made = made && dr_predict_search_run(&search, memory, pool, &motion) &&
           dr_predict_contacts_make(&predict->kept.contacts, memory, pool, &predict->mesh, &search,
                                    &query, &rules, predict->options.isa);
    dr_predict_search_free(&search, memory);
    return made && lay_kept(predict, memory);
}

// --- Age ---

// A corner of one feature from a corner of the other: no nearer than the features, and cheap.
static float distance_squared(const dr_predict* predict, const dr_predict_lanes* lanes, int lane)
{
    drape_vec3 apart = dr_sub(dr_record_at(predict->start, lanes->vertex[0][lane]),
                              dr_record_at(predict->start, lanes->vertex[2][lane]));
    return dr_dot(apart, apart);
}

// One look at the lanes of a batch.
static void look_at(dr_predict* predict, dr_predict_lanes* lanes, uint8_t* ages)
{
    const int most = 3;
    int vertices = predict->mesh.vertex_count;
    float far = 10.0f * predict->rules.static_radius + 4.0f * predict->push;
    for (int lane = 0; lane < 8; ++lane) {
        if (!(lanes->there >> lane & 1)) {
            continue;
        }
        bool is_far = distance_squared(predict, lanes, lane) > far * far;
        ages[lane] = is_far ? (uint8_t)(ages[lane] + 1) : 0;
        if (ages[lane] == most) {
            for (int k = 0; k < 4; ++k) {
                lanes->vertex[k][lane] = vertices + lane;
            }
            lanes->gap[lane] = 0.0f;
            lanes->there &= ~(1u << lane);
            ++predict->kept.removed;
        }
    }
}

// A tenth of the batches in each step: three looks are thirty steps.
void dr_predict_age(dr_predict* predict)
{
    dr_predict_kept* kept = &predict->kept;
    dr_point_batch* points = kept->batches.points.data;
    dr_edge_batch* edges = kept->batches.edges.data;
    int point_count = kept->batches.points.count, count = point_count + kept->batches.edges.count;
    int looks = (count + 9) / 10;
    uint8_t* ages = kept->ages.data;
    for (int i = 0; i < looks; ++i) {
        int at = kept->next < count ? kept->next : 0;
        dr_predict_lanes* lanes =
            at < point_count ? &points[at].lanes : &edges[at - point_count].lanes;
        look_at(predict, lanes, ages + 8 * at);
        kept->next = at + 1;
    }
}

// --- Bytes ---

static const char magic[8] = "drapeKC1";

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
static void head_of(const dr_predict* predict, uint32_t head[4])
{
    head[0] = (uint32_t)predict->mesh.vertex_count;
    head[1] = (uint32_t)predict->mesh.edge_count;
    head[2] = (uint32_t)predict->mesh.triangle_count;
    head[3] = predict->options.is_points;
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
        put_float(w, gap[i]);
    }
}

bool dr_predict_save(const dr_predict* predict, void* buffer, size_t* size)
{
    const dr_predict_contacts* contacts = &predict->kept.contacts;
    writer w = {buffer, buffer ? *size : 0, sizeof magic};
    uint32_t head[4];
    head_of(predict, head);
    if (buffer && *size >= sizeof magic) {
        memcpy(buffer, magic, sizeof magic);
    }
    for (int i = 0; i < 4; ++i) {
        put(&w, head[i]);
    }
    const dr_point_contact* point = contacts->points.data;
    const float* gap = contacts->point_gaps.data;
    put(&w, (uint32_t)contacts->points.count);
    for (int i = 0; i < contacts->points.count; ++i) {
        put(&w, (uint32_t)point[i].vertex);
        put(&w, point[i].triangle << 1 | point[i].is_above);
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
        float number[6];
        bool is_sound = a < (uint32_t)limit && b < (uint32_t)limit;
        for (int k = 0; k < 6; ++k) {
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
        *at = (dr_edge_contact){
            (int32_t)a, (int32_t)b, {number[0], number[1], number[2]}, number[3], number[4]};
        *gap = number[5];
    }
    return true;
}

bool dr_predict_load(dr_predict* predict, dr_memory* memory, const void* buffer, size_t size)
{
    reader r = {buffer, size, sizeof magic};
    uint32_t head[4];
    head_of(predict, head);
    bool fits = size >= sizeof magic && memcmp(buffer, magic, sizeof magic) == 0;
    for (int i = 0; i < 4; ++i) {
        fits = get(&r) == head[i] && fits;
    }
    if (!fits) {
        return false;
    }
    const dr_predict_mesh* mesh = &predict->mesh;
    dr_predict_contacts found;
    bool is_read = dr_predict_contacts_create(&found, memory, mesh->vertex_count) &&
                   get_points(&r, memory, mesh, &found) &&
                   get_edges(&r, memory, mesh->edge_count, &found.edges, &found.edge_gaps) &&
                   get_edges(&r, memory, mesh->vertex_count, &found.pairs, &found.pair_gaps) &&
                   r.at == size;
    if (is_read) {
        dr_predict_contacts_free(&predict->kept.contacts, memory);
        predict->kept.contacts = found;
        return lay_kept(predict, memory);
    }
    dr_predict_contacts_free(&found, memory);
    return false;
}
