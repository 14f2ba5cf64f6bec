// Which pairs can come near: balls, the search, the list and what it carries along.
#include "contact/apart.h"

#include <math.h>
#include <string.h>

// Least pairs to a chunk of a thread.
enum { GRAIN = 1024 };

// --- Balls ---

// Room around the way that the velocity foretells, as a share of the edges: more means longer
// lists, less means that they are made anew more often.
static const float slack = 0.06f;
enum { LONGEST_HORIZON = 12, LONGEST_AGE = 64 };

static bool is_in_ball(const dr_apart* apart, int v)
{
    const float* y = apart->y + 4 * v;
    const float* place = apart->place + 4 * v;
    float gone = (float)(apart->age + 1), squared = 0.0f;
    for (int c = 0; c < 3; ++c) {
        float off = y[c] - gone * apart->frame[c] - place[c];
        squared += off * off;
    }
    float radius = apart->ball[4 * v + 3];
    return squared <= radius * radius;
}

static bool are_in_balls(const dr_apart* apart)
{
    bool are_in = true;
    for (int v = 0; v < apart->vertex_count && are_in; ++v) {
        are_in = is_in_ball(apart, v);
    }
    return are_in;
}

// The frame goes with the mean of all ways of cloths. In a cut it rests: what is stopped short then
// stays in its ball.
static void choose_frame(dr_apart* apart, dr_apart_purpose purpose)
{
    int count = purpose == DR_APART_FOR_CUT ? 0 : apart->sheets->vertex_count;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int v = 0; v < count; ++v) {
        for (int c = 0; c < 3; ++c) {
            sum[c] += apart->way[4 * v + c];
        }
    }
    for (int c = 0; c < 3; ++c) {
        apart->frame[c] = (float)(sum[c] / (count > 0 ? count : 1));
    }
}

// A list that lasted as long as it should is made for longer the next time.
static void choose_horizon(dr_apart* apart)
{
    int age = apart->age;
    if (apart->has_list && age >= apart->horizon) {
        age = 2 * apart->horizon;
    }
    apart->horizon = age < 1 ? 1 : age > LONGEST_HORIZON ? LONGEST_HORIZON : age;
}

// `has_room`: for what the solver may add. The guard, which comes after it, needs none when its list
// lasts for no more than the substep.
static void make_balls(dr_apart* apart, dr_apart_purpose purpose, bool has_room)
{
    choose_frame(apart, purpose);
    choose_horizon(apart);
    has_room = has_room && (apart->horizon > 1 || purpose == DR_APART_FOR_CONTACTS);
    float half = 0.5f * (float)apart->horizon, largest = 0.0f;
    for (int v = 0; v < apart->vertex_count; ++v) {
        float *ball = apart->ball + 4 * v, *place = apart->place + 4 * v, squared = 0.0f;
        for (int c = 0; c < 3; ++c) {
            ball[c] = half * (apart->way[4 * v + c] - apart->frame[c]);
            place[c] = apart->x[4 * v + c] + ball[c];
            squared += ball[c] * ball[c];
            largest = dr_apart_larger(largest, fabsf(place[c]));
        }
        ball[3] = sqrtf(squared) * 1.000001f + slack * apart->edge_length +
                  (has_room ? apart->jolt[v] : 0.0f);
        for (int c = 0; c < 3; ++c) {
            apart->box_lo[4 * v + c] = place[c] - ball[3];
            apart->box_hi[4 * v + c] = place[c] + ball[3];
        }
    }
    float frame = fabsf(apart->frame[0]) + fabsf(apart->frame[1]) + fabsf(apart->frame[2]);
    apart->rounding = 0x1p-20f * (largest + (float)(LONGEST_AGE + 1) * frame + apart->edge_length);
    apart->age = 0;
}

// --- The search ---

static void corners_of(const dr_apart* apart, dr_apart_kind kind, dr_pair pair, int32_t v[4])
{
    if (kind == DR_APART_POINT) {
        v[0] = pair.a;
        memcpy(v + 1, apart->triangles[pair.b], 3 * sizeof *v);
    } else {
        memcpy(v, apart->edges[pair.a], 2 * sizeof *v);
        memcpy(v + 2, apart->edges[pair.b], 2 * sizeof *v);
    }
}

typedef struct sift_work {
    dr_apart* apart;
    dr_apart_kind kind;
    const dr_pair* pairs;
} sift_work;

static void sift_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const sift_work* work = context;
    const dr_apart* apart = work->apart;
    const dr_apart_kernels* kernels = dr_apart_kernels_for(apart->isa);
    float *lower = apart->distance.data, *allowed = apart->at_rest.data;
    int32_t vertex[256][4];
    for (int first = begin; first < end; first += 256) {
        int count = end - first < 256 ? end - first : 256;
        for (int i = 0; i < count; ++i) {
            corners_of(apart, work->kind, work->pairs[first + i], vertex[i]);
        }
        kernels->sift[work->kind](apart->x, apart->ball, (const int32_t(*)[4])vertex, count,
                                  2.0f * apart->rounding, lower + first, allowed + first);
    }
}

// Those that may come as near as contacts reach. Edges are put in order, points come first anyway.
static bool keep_near(dr_apart* apart, dr_memory* memory, dr_apart_kind kind, const dr_pair* pairs,
                      int count, float reach)
{
    const float *lower = apart->distance.data, *allowed = apart->at_rest.data;
    apart->kept.count = 0;
    if (!dr_apart_reserve(memory, &apart->kept, sizeof(dr_apart_near), count)) {
        return false;
    }
    dr_apart_near* kept = apart->kept.data;
    int kept_count = 0;
    for (int i = 0; i < count; ++i) {
        // Written in any case: there is no telling which way a branch goes.
        int32_t a = pairs[i].a, b = pairs[i].b;
        bool turn = kind == DR_APART_EDGES && b < a;
        kept[kept_count] = (dr_apart_near){turn ? b : a, turn ? a : b, lower[i]};
        kept_count += !(allowed[i] >= reach);
    }
    apart->kept.count = kept_count;
    return true;
}

// A stable pass of a counting sort over the first features, or over the second ones.
static void sort_pass(dr_apart* apart, const dr_apart_near* from, dr_apart_near* to, int count,
                      int feature_count, bool by_first)
{
    int32_t* start = apart->bucket.data;
    memset(start, 0, sizeof *start * (size_t)(feature_count + 1));
    for (int i = 0; i < count; ++i) {
        ++start[(by_first ? from[i].a : from[i].b) + 1];
    }
    for (int f = 0; f < feature_count; ++f) {
        start[f + 1] += start[f];
    }
    for (int i = 0; i < count; ++i) {
        to[start[by_first ? from[i].a : from[i].b]++] = from[i];
    }
}

// By the first feature, then by the second, in place.
static bool sort_kept(dr_apart* apart, dr_memory* memory, int first_count, int second_count)
{
    int count = apart->kept.count, most = first_count > second_count ? first_count : second_count;
    if (!dr_apart_reserve(memory, &apart->sorted, sizeof(dr_apart_near), count) ||
        !dr_apart_reserve(memory, &apart->bucket, sizeof(int32_t), most + 1)) {
        return false;
    }
    sort_pass(apart, apart->kept.data, apart->sorted.data, count, second_count, false);
    sort_pass(apart, apart->sorted.data, apart->kept.data, count, first_count, true);
    return true;
}

static bool list_reserve(dr_apart_list* list, dr_memory* memory, int count)
{
    list->count = 0;
    return dr_apart_reserve(memory, &list->vertex, sizeof(int32_t[4]), count) &&
           dr_apart_reserve(memory, &list->lower, sizeof(float), count) &&
           dr_apart_reserve(memory, &list->after, sizeof(float), count) &&

           dr_apart_reserve(memory, &list->record, sizeof(int32_t), count);
}

typedef struct list_work {
    dr_apart* apart;
    int list;
    bool at_rest_too;
} list_work;

static void fill_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const list_work* work = context;
    const dr_apart* apart = work->apart;
    const dr_apart_list* list = &apart->lists[work->list];
    dr_apart_kind kind = dr_apart_kind_of(work->list);
    const dr_apart_near* sorted = apart->kept.data;
    int32_t(*vertex)[4] = list->vertex.data;
    float* lower = list->lower.data;
    int32_t* record = list->record.data;
    for (int i = begin; i < end; ++i) {
        corners_of(apart, kind, (dr_pair){sorted[i].a, sorted[i].b}, vertex[i]);
        lower[i] = sorted[i].lower;
        record[i] = -1;
    }
}

// The candidates of a list, from the last search between the surfaces that it is about. Features
// of solids come behind those of cloths.
static bool candidates_of(dr_apart* apart, dr_memory* memory, int list, const dr_pair** pairs,
                          int* count)
{
    if (list < DR_APART_SOLID) {
        *pairs = dr_pair_search_list(&apart->search, list, count);
        return true;
    }
    const dr_sheets* s = apart->sheets;
    bool is_point = dr_apart_kind_of(list) == DR_APART_POINT;
    int some, others = 0, first_second = is_point ? s->triangle_count : s->edge_count;
    const dr_pair* forth = dr_pair_search_list(
        &apart->search, is_point ? DR_PAIRS_POINT_TRIANGLE : DR_PAIRS_EDGE_EDGE, &some);
    const dr_pair* back = dr_pair_search_list(&apart->search, DR_PAIRS_TRIANGLE_POINT, &others);
    others = is_point ? others : 0;
    if (!dr_apart_reserve(memory, &apart->solid_pairs, sizeof(dr_pair), some + others)) {
        return false;
    }
    dr_pair* out = apart->solid_pairs.data;
    for (int i = 0; i < some; ++i) {
        out[i] = (dr_pair){forth[i].a, first_second + forth[i].b};
    }
    for (int i = 0; i < others; ++i) {
        out[some + i] = (dr_pair){s->vertex_count + back[i].a, back[i].b};
    }
    *pairs = out;
    *count = some + others;
    return true;
}

static bool make_list(dr_apart* apart, dr_memory* memory, dr_pool* pool, int number, float reach)
{
    dr_apart_list* list = &apart->lists[number];
    dr_apart_kind kind = dr_apart_kind_of(number);
    sift_work work = {apart, kind, NULL};
    int count;
    if (!candidates_of(apart, memory, number, &work.pairs, &count) ||
        !dr_apart_reserve(memory, &apart->distance, sizeof(float), count) ||
        !dr_apart_reserve(memory, &apart->at_rest, sizeof(float), count)) {
        return false;
    }
    dr_parallel_for(pool, count, GRAIN, sift_task, &work);
    apart->exact_tests += count;
    bool is_point = kind == DR_APART_POINT;
    int first = is_point ? apart->vertex_count : apart->edge_count;
    int second = is_point ? apart->triangle_count : apart->edge_count;
    if (!keep_near(apart, memory, kind, work.pairs, count, reach) ||
        !sort_kept(apart, memory, first, second) ||
        !list_reserve(list, memory, apart->kept.count)) {
        return false;
    }
    list->count = apart->kept.count;
    list_work fill = {apart, number, false};
    dr_parallel_for(pool, list->count, GRAIN, fill_task, &fill);
    return true;
}

float dr_apart_reach(const dr_apart* apart)
{
    float most = 0.0f;
    for (int p = 0; p < apart->sheets->part_count; ++p) {
        most = dr_apart_larger(most, apart->cloths[p].thickness);
    }
    return DR_APART_AHEAD * most;
}

static void refit(dr_apart* apart, dr_pool* pool, float radius, bool of_solids)
{
    dr_tree* tree = of_solids ? &apart->solid_tree : &apart->tree;
    dr_features* features = of_solids ? &apart->solid_features : &apart->features;
    size_t first = of_solids ? 4 * (size_t)apart->sheets->vertex_count : 0;
    dr_motion motion = {.start = apart->box_lo + first,
                        .end = apart->box_hi + first,
                        .stride = 4,
                        .radius = radius + apart->rounding};
    dr_tree_refit(tree, pool, &motion);
    dr_features_refit(features, tree, pool, &motion);
}

// What goes through all of a cloth in a substep comes near to all of it: no list would be short, and
// there is a largest number of pairs. What lies in piles, and is hit hard, has a hundred to a vertex.
static int64_t most_pairs(const dr_apart* apart)
{
    return 100000 + 250 * (int64_t)apart->sheets->vertex_count;
}

static bool is_crowded(const dr_apart* apart)
{
    int64_t count = 0;
    for (int list = 0; list < DR_APART_LISTS; ++list) {
        count += apart->lists[list].count;
    }
    return count > most_pairs(apart);
}

// Candidates of the search of which no list would be short.
static bool are_too_many(dr_apart* apart)
{
    const int64_t kept_at_least = 16; // one in so many
    int64_t total = 0;
    for (int list = 0; list <= DR_PAIRS_TRIANGLE_POINT; ++list) {
        int count;
        dr_pair_search_list(&apart->search, list, &count);
        total += count;
    }
    return total > kept_at_least * most_pairs(apart);
}

static bool list_cloths(dr_apart* apart, dr_memory* memory, dr_pool* pool, float reach)
{
    // Boxes of pairs that contacts want must meet, too.
    refit(apart, pool, 0.5f * reach, false);
    if (!dr_feature_pairs(&apart->search, memory, pool, &apart->tree, &apart->features, NULL)) {
        return false;
    }
    apart->box_tests += apart->search.box_tests;
    apart->is_crowded |= are_too_many(apart);
    return apart->is_crowded || (make_list(apart, memory, pool, DR_APART_POINT, reach) &&
                                 make_list(apart, memory, pool, DR_APART_EDGES, reach));
}

static bool list_solids(dr_apart* apart, dr_memory* memory, dr_pool* pool)
{
    if (!apart->solids || apart->is_crowded) {
        return true;
    }
    float reach = apart->guarded + apart->doubt;
    refit(apart, pool, 0.5f * reach, true);
    if (!dr_feature_pairs_between(&apart->search, memory, pool, &apart->tree, &apart->features,
                                  &apart->solid_tree, &apart->solid_features, NULL)) {
        return false;
    }
    apart->box_tests += apart->search.box_tests;
    apart->is_crowded |= are_too_many(apart);
    return apart->is_crowded ||
           (make_list(apart, memory, pool, DR_APART_SOLID + DR_APART_POINT, reach) &&
            make_list(apart, memory, pool, DR_APART_SOLID + DR_APART_EDGES, reach));
}

static bool list_all(dr_apart* apart, dr_memory* memory, dr_pool* pool, dr_apart_purpose purpose,
                     bool has_room)
{
    make_balls(apart, purpose, has_room);
    apart->has_list = false;
    if (!dr_apart_keep_failed(apart, memory)) {
        return false;
    }
    // Where no list lasts, the guard has one of its own, without what contacts want.
    apart->is_for_guard = purpose != DR_APART_FOR_CONTACTS && apart->horizon == 1;
    float reach = apart->doubt + (apart->is_for_guard ? apart->guarded : dr_apart_reach(apart));
    ++apart->search_count;
    apart->is_crowded = false;
    apart->has_list = list_cloths(apart, memory, pool, reach) && list_solids(apart, memory, pool);
    apart->is_crowded |= is_crowded(apart);
    return apart->has_list;
}

bool dr_apart_refresh(dr_apart* apart, dr_memory* memory, dr_pool* pool, dr_apart_purpose purpose)
{
    // A list that contacts have made too long may be short enough for the guard.
    bool is_too_long =
        apart->is_crowded && purpose != DR_APART_FOR_CONTACTS && !apart->is_for_guard;
    if (apart->has_list && !is_too_long && apart->age < LONGEST_AGE && are_in_balls(apart)) {
        return true;
    }
    bool is_done = list_all(apart, memory, pool, purpose, true);
    bool is_resting = purpose == DR_APART_FOR_CUT;
    if (is_done && apart->is_crowded && (apart->horizon > 1 || purpose != DR_APART_FOR_GUARD)) {
        // Perhaps it looked too far ahead or had too much room, or the frame should have moved.
        apart->has_list = false;
        is_done = list_all(apart, memory, pool, is_resting ? DR_APART_FOR_GUARD : purpose, false);
    }
    return is_done;
}

// --- Watching ---

typedef struct watch_work {
    dr_apart* apart;
    int list;
    float limit;
} watch_work;

// Items are blocks of pairs, so that lists are cut in the same way for any number of workers.
enum { BLOCK = 2048 };

static void watch_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const watch_work* work = context;
    dr_apart* apart = work->apart;
    dr_apart_list* list = &apart->lists[work->list];
    dr_apart_kind kind = dr_apart_kind_of(work->list);
    const dr_apart_kernels* kernels = dr_apart_kernels_for(apart->isa);
    const int32_t(*vertex)[4] = list->vertex.data;
    const float* lower = list->lower.data;
    float* after = list->after.data;
    int32_t *flagged = apart->flagged.data, *counts = apart->flag_counts.data;
    for (int block = begin; block < end; ++block) {
        int first = block * BLOCK;
        int count = list->count - first < BLOCK ? list->count - first : BLOCK;
        counts[block] =
            kernels->watch[kind](apart->way, vertex + first, lower + first, work->limit,
                                 apart->way_rounding, first, count, after + first, flagged + first);
    }
}

int dr_apart_watch(dr_apart* apart, dr_memory* memory, dr_pool* pool, int number, float limit)
{
    const dr_apart_list* list = &apart->lists[number];
    int blocks = (list->count + BLOCK - 1) / BLOCK, total = 0;
    if (!dr_apart_reserve(memory, &apart->flagged, sizeof(int32_t), list->count) ||
        !dr_apart_reserve(memory, &apart->flag_counts, sizeof(int32_t), blocks)) {
        return -1;
    }
    watch_work work = {apart, number, limit};
    dr_parallel_for(pool, blocks, 1, watch_task, &work);
    int32_t* flagged = apart->flagged.data;
    const int32_t* counts = apart->flag_counts.data;
    for (int block = 0; block < blocks; ++block) {
        memmove(flagged + total, flagged + block * BLOCK, sizeof *flagged * (size_t)counts[block]);
        total += counts[block];
    }
    return total;
}

// As in the kernel: change both or neither.
float dr_apart_left(const dr_apart* apart, int list, int pair)
{
    const int32_t* v = ((const int32_t(*)[4])apart->lists[list].vertex.data)[pair];
    int split = dr_apart_kind_of(list) == DR_APART_POINT ? 1 : 2;
    float most = 0.0f;
    for (int i = 0; i < split; ++i) {
        for (int j = split; j < 4; ++j) {
            const float *a = apart->way + 4 * v[i], *b = apart->way + 4 * v[j];
            float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            float squared = x * x + y * y + z * z;
            most = squared > most ? squared : most;
        }
    }
    float moved = sqrtf(most) * (1.0f + 0x1p-20f);
    float lower = ((const float*)apart->lists[list].lower.data)[pair];
    return lower * (1.0f - 0x1p-22f) - moved - apart->way_rounding;
}

static void measure_task(void* context, int begin, int end, int worker)
{
    (void)worker;
    const list_work* work = context;
    const dr_apart* apart = work->apart;
    const dr_apart_list* list = &apart->lists[work->list];
    dr_apart_kind kind = dr_apart_kind_of(work->list);
    const int32_t* flagged = apart->flagged.data;
    const int32_t(*vertex)[4] = list->vertex.data;
    int32_t(*quads)[4] = apart->quads.data;
    float *fresh = apart->distance.data, *lower = list->lower.data;
    for (int i = begin; i < end; ++i) {
        memcpy(quads[i], vertex[flagged[i]], sizeof quads[i]);
    }
    dr_apart_kernels_for(apart->isa)
        ->measure[kind](apart->x, (const int32_t(*)[4])quads + begin, end - begin,
                        (dr_closest*)apart->closest.data + begin, fresh + begin);
    for (int i = begin; i < end; ++i) {
        lower[flagged[i]] = fresh[i];
    }
    dr_closest unused[64];
    for (int i = begin; work->at_rest_too && i < end; i += 64) {
        int some = end - i < 64 ? end - i : 64;
        dr_apart_kernels_for(apart->isa)
            ->measure[kind](apart->rest, (const int32_t(*)[4])quads + i, some, unused,
                            (float*)apart->at_rest.data + i);
    }
}

bool dr_apart_measure(dr_apart* apart, dr_memory* memory, dr_pool* pool, int list, int count,
                      bool at_rest_too)
{
    if (!dr_apart_reserve(memory, &apart->quads, sizeof(int32_t[4]), count) ||
        !dr_apart_reserve(memory, &apart->at_rest, sizeof(float), count) ||
        !dr_apart_reserve(memory, &apart->closest, sizeof(dr_closest), count) ||
        !dr_apart_reserve(memory, &apart->distance, sizeof(float), count)) {
        return false;
    }
    list_work work = {apart, list, at_rest_too};
    dr_parallel_for(pool, count, GRAIN, measure_task, &work);
    apart->exact_tests += count;
    return true;
}
