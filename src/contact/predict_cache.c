// Contacts that are found once and kept.
#include <math.h>
#include <string.h>

#include "contact/predict.h"
#include "core/vec_math.h"

// The cache looks this much further than a step does: cloths slide over each other.
static const float kept_radius = 3.0f;
static const float kept_edge_radius = 2.0f;
// Layers may begin further apart: of these contacts the nearest is chosen.
static const float layer_radius = 8.0f;

// Contacts between two kept regions, and only those.
static void allow_kept(const dr_predict_options* options, uint32_t allow[32])
{
    for (int r = 0; r < 32; ++r) {
        bool is_kept = options->kept_regions >> r & 1;
        allow[r] = is_kept ? options->allow[r] & options->kept_regions : 0u;
    }
}

bool dr_predict_lay_kept(dr_predict* predict, dr_memory* memory)
{
    dr_predict_kept* kept = &predict->kept;
    if (!dr_predict_lay(predict, memory, &kept->contacts, true, &kept->batches)) {
        return false;
    }
    int lanes = 8 * (kept->batches.points.count + kept->batches.edges.count);
    if (!dr_array_reserve(memory, &kept->ages, sizeof(uint8_t), lanes + 1)) {
        return false;
    }
    // As many as may wake at once, about: later steps should not ask for memory.
    const int spare = 32;
    int points = kept->batches.points.count + spare, edges = kept->batches.edges.count + spare;
    if (!dr_array_reserve(memory, &kept->active.points, sizeof(dr_point_batch), points) ||
        !dr_array_reserve(memory, &kept->active.edges, sizeof(dr_edge_batch), edges) ||
        !dr_array_reserve(memory, &predict->groups.groups, sizeof(int32_t[8]),
                          points > edges ? points : edges)) {
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
    rules.layer_radius = rules.use_layers ? layer_radius * rules.static_radius : 0.0f;
    rules.edge_radius = kept_edge_radius * rules.static_radius;
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
    made = made && dr_predict_choose_walkers(predict, memory);
    if (made) {
        predict->kept.pose = dr_predict_hash_pose(predict);
        dr_predict_turn_kept(predict);
        dr_predict_contacts_trim(&predict->kept.contacts, memory);
    }
    return made && dr_predict_lay_kept(predict, memory);
}

// --- Age ---

// A corner of one feature from a corner of the other: no nearer than the features, and cheap.
static float distance_squared(const dr_predict* predict, const dr_predict_lanes* lanes, int lane)
{
    drape_vec3 apart = dr_sub(dr_record_at(predict->start, lanes->vertex[0][lane]),
                              dr_record_at(predict->start, lanes->vertex[2][lane]));
    return dr_dot(apart, apart);
}

static const int oldest = 3;

// The lanes of batch number `at`, points first.
static dr_predict_lanes* kept_lanes(const dr_predict_kept* kept, int at)
{
    dr_point_batch* points = kept->batches.points.data;
    dr_edge_batch* edges = kept->batches.edges.data;
    int point_count = kept->batches.points.count;
    return at < point_count ? &points[at].lanes : &edges[at - point_count].lanes;
}

static void remove_lane(dr_predict* predict, dr_predict_lanes* lanes, int lane)
{
    for (int k = 0; k < 4; ++k) {
        lanes->vertex[k][lane] = predict->mesh.vertex_count + lane;
    }
    lanes->gap[lane] = 0.0f;
    lanes->there &= ~(1u << lane);
    ++predict->kept.removed;
}

// One look at the lanes of a batch. Walkers never grow old.
static void look_at(dr_predict* predict, int batch, uint8_t* ages)
{
    const dr_predict_kept* kept = &predict->kept;
    dr_predict_lanes* lanes = kept_lanes(kept, batch);
    const int32_t* walkers = kept->walkers.data;
    float far = 10.0f * predict->rules.static_radius + 4.0f * predict->push;
    for (int lane = 0; lane < 8; ++lane) {
        bool walks = batch < kept->batches.points.count && walkers[8 * batch + lane] >= 0;
        if (walks || !(lanes->there >> lane & 1)) {
            continue;
        }
        bool is_far = distance_squared(predict, lanes, lane) > far * far;
        ages[lane] = is_far ? (uint8_t)(ages[lane] + 1) : 0;
        if (ages[lane] == oldest) {
            remove_lane(predict, lanes, lane);
        }
    }
}

static int count_batches(const dr_predict_kept* kept)
{
    return kept->batches.points.count + kept->batches.edges.count;
}

int dr_predict_turn_of(const dr_predict* predict)
{
    int looks = (count_batches(&predict->kept) + 9) / 10;
    return looks > 0 ? predict->kept.next / looks % 10 : 0;
}

// A tenth of the batches in each step: three looks are thirty steps.
void dr_predict_age(dr_predict* predict)
{
    dr_predict_kept* kept = &predict->kept;
    int count = count_batches(kept), looks = (count + 9) / 10;
    uint8_t* ages = kept->ages.data;
    for (int i = 0; i < looks; ++i) {
        int at = kept->next < count ? kept->next : 0;
        look_at(predict, at, ages + 8 * at);
        kept->next = at + 1;
    }
}

// --- Words ---

// Then come ages, walkers, sides (two words each), and what is torn, four vertices to a word.
enum { word_head = 5 };

static int torn_words(const dr_predict* predict)
{
    return predict->strained_count > 0 ? (predict->mesh.vertex_count + 3) / 4 : 0;
}

int dr_predict_word_count(const dr_predict* predict)
{
    return word_head + predict->kept.ages.count + predict->kept.walkers.count +
           2 * predict->contacts.points.count + torn_words(predict);
}

static uint32_t torn_word(const dr_predict* predict, int index)
{
    uint32_t word = 0;
    for (int k = 0; k < 4 && 4 * index + k < predict->mesh.vertex_count; ++k) {
        word |= (uint32_t)predict->torn[4 * index + k] << 8 * k;
    }
    return word;
}

uint32_t dr_predict_word(const dr_predict* predict, int index)
{
    const dr_predict_kept* kept = &predict->kept;
    const uint32_t head[word_head] = {(uint32_t)kept->ages.count, (uint32_t)kept->next,
                                      (uint32_t)predict->contacts.points.count,
                                      (uint32_t)kept->walkers.count, (uint32_t)torn_words(predict)};
    if (index < word_head) {
        return head[index];
    }
    index -= word_head;
    if (index < kept->ages.count) {
        return ((const uint8_t*)kept->ages.data)[index];
    }
    index -= kept->ages.count;
    if (index < kept->walkers.count) {
        return (uint32_t)((const int32_t*)kept->walkers.data)[index];
    }
    index -= kept->walkers.count;
    if (index >= 2 * predict->contacts.points.count) {
        return torn_word(predict, index - 2 * predict->contacts.points.count);
    }
    const dr_point_contact* contact = (const dr_point_contact*)predict->contacts.points.data;
    contact += index / 2;
    uint32_t packed = (uint32_t)contact->triangle << 1 | (uint32_t)contact->is_above;
    return index % 2 ? packed : (uint32_t)contact->vertex;
}

static void take_ages(dr_predict* predict, const uint32_t* words)
{
    uint8_t* ages = predict->kept.ages.data;
    for (int i = 0; i < predict->kept.ages.count; ++i) {
        ages[i] = (uint8_t)words[i];
        if (ages[i] >= oldest) {
            remove_lane(predict, kept_lanes(&predict->kept, i / 8), i % 8);
        }
    }
}

static bool take_sides(dr_predict* predict, dr_memory* memory, const uint32_t* words, int count)
{
    dr_predict_contacts* contacts = &predict->contacts;
    dr_predict_contacts_forget(contacts);
    if (!dr_array_reserve(memory, &contacts->points, sizeof(dr_point_contact), count)) {
        return false;
    }
    dr_point_contact* at = contacts->points.data;
    for (int i = 0; i < count; ++i) {
        uint32_t vertex = words[2 * i], packed = words[2 * i + 1], triangle = packed >> 1;
        if (vertex >= (uint32_t)predict->mesh.vertex_count ||
            triangle >= (uint32_t)predict->mesh.triangle_count) {
            return false;
        }
        at[i] = (dr_point_contact){(int32_t)vertex, triangle & 0x7fffffffu, packed & 1u};
    }
    contacts->points.count = count;
    return true;
}

static void take_torn(dr_predict* predict, const uint32_t* words, bool is_any)
{
    predict->torn_count = predict->strained_count = 0;
    for (int v = 0; v < predict->mesh.vertex_count; ++v) {
        predict->torn[v] = (uint8_t)(is_any ? words[v / 4] >> 8 * (v % 4) & 0xff : 0u);
        predict->torn_count += (predict->torn[v] & 3) != 0;
        predict->strained_count += predict->torn[v] != 0;
    }
}

// Standing contacts keep standing.
static bool take_walkers(dr_predict* predict, const uint32_t* words)
{
    const int32_t* walkers = predict->kept.walkers.data;
    for (int i = 0; i < predict->kept.walkers.count; ++i) {
        bool walks = walkers[i] >= 0;
        if (walks ? words[i] >= (uint32_t)predict->mesh.triangle_count : words[i] != UINT32_MAX) {
            return false;
        }
        dr_predict_put_walker(predict, i, (int32_t)words[i]);
    }
    return true;
}

bool dr_predict_take_words(dr_predict* predict, dr_memory* memory, const uint32_t* words, int count)
{
    bool has_head = count >= word_head;
    int64_t ages = has_head ? words[0] : 0, sides = has_head ? words[2] : 0;
    int64_t walkers = has_head ? words[3] : 0, torn = has_head ? words[4] : 0;
    // What was removed is there again at first.
    if (count != word_head + ages + walkers + 2 * sides + torn ||
        (torn != 0 && torn != (predict->mesh.vertex_count + 3) / 4) ||
        (predict->kept.is_made && !dr_predict_lay_kept(predict, memory)) ||
        (ages != 0 && ages != predict->kept.ages.count) ||
        (walkers != 0 && walkers != predict->kept.walkers.count)) {
        return false;
    }
    if (ages > 0) {
        take_ages(predict, words + word_head);
        predict->kept.next = words[1] < (uint32_t)count_batches(&predict->kept) ? (int)words[1] : 0;
    }
    if (walkers > 0 && !take_walkers(predict, words + word_head + ages)) {
        return false;
    }
    const uint32_t* rest = words + word_head + ages + walkers;
    take_torn(predict, rest + 2 * sides, torn > 0);
    return take_sides(predict, memory, rest, (int)sides);
}
