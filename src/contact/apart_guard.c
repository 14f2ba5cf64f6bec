// Sliding and cutting: what makes passing impossible, whatever the solver did.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/apart.h"

// --- Records ---

static void place_of(const float* array, const int32_t vertex[4], drape_vec3 v[4])
{
    for (int i = 0; i < 4; ++i) {
        memcpy(&v[i], array + 4 * vertex[i], sizeof v[i]);
    }
}

// The first so many vertices of a pair are its first side.
static int split_of(const dr_apart_record* record)
{
    return dr_apart_kind_of(record->list) == DR_APART_POINT ? 1 : 2;
}

static double gap_at(const dr_apart_record* record, const float* array)
{
    drape_vec3 v[4];
    place_of(array, record->vertex, v);
    return dr_apart_kind_of(record->list) == DR_APART_POINT
               ? dr_gap_point_triangle(record->normal, v)
               : dr_gap_edges(record->normal, v);
}

// Whether no vertex of a pair was moved since it was certified.
static bool has_stayed(const dr_apart* apart, const dr_apart_record* record)
{
    bool has_stayed = record->certified_at > 0;
    for (int i = 0; i < 4; ++i) {
        has_stayed = has_stayed && apart->moved_at[record->vertex[i]] < record->certified_at;
    }
    return has_stayed;
}

// A list that was made a moment ago would have no record of a pair that became slow since it was
// opened: it is left alone, so that nothing depends on when lists are made.
static bool is_slow(const dr_apart* apart, const dr_apart_record* record)
{
    return ((const float*)apart->lists[record->list].after.data)[record->pair] >= apart->floor;
}

static bool is_certified(dr_apart* apart, dr_apart_record* record)
{
    if (record->is_exempt || is_slow(apart, record) || has_stayed(apart, record)) {
        return true;
    }
    ++apart->clock;
    bool is_certified =
        gap_at(record, apart->y) >= record->needed || dr_apart_certify(apart, record);
    record->certified_at = is_certified ? apart->clock : 0;
    return is_certified;
}

// What was moved by others since it was saved.
static void note_moved(dr_apart* apart)
{
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        const float *y = apart->y + 4 * v, *before = apart->before + 4 * v;
        if (y[0] != before[0] || y[1] != before[1] || y[2] != before[2]) {
            apart->moved_at[v] = apart->clock;
        }
    }
}

// --- What failed, from list to list ---

static int compare_records(const void* left, const void* right)
{
    const dr_apart_record *p = left, *q = right;
    int order = (p->list > q->list) - (p->list < q->list);
    for (int i = 0; i < 4 && order == 0; ++i) {
        order = (p->vertex[i] > q->vertex[i]) - (p->vertex[i] < q->vertex[i]);
    }
    return order;
}

static dr_apart_record* find_failed(const dr_apart* apart, const dr_apart_record* record, int count)
{
    return count > 0
               ? bsearch(record, apart->failed.data, (size_t)count, sizeof *record, compare_records)
               : NULL;
}

static void recall(const dr_apart* apart, dr_apart_record* record)
{
    const dr_apart_record* before = find_failed(apart, record, apart->failed.count);
    if (before) {
        record->failures = before->failures;
        record->needed = before->needed;
        record->is_exempt |= before->is_exempt;
    }
}

// --- Records ---

static void open_record(dr_apart* apart, int list, int pair, dr_apart_record* record)
{
    const int32_t(*vertex)[4] = apart->lists[list].vertex.data;
    dr_apart_kind kind = dr_apart_kind_of(list);
    *record = (dr_apart_record){.list = list, .pair = pair};
    memcpy(record->vertex, vertex[pair], sizeof record->vertex);
    drape_vec3 v[4];
    place_of(apart->x, record->vertex, v);
    dr_separation s = kind == DR_APART_POINT ? dr_separate_point_triangle(v) : dr_separate_edges(v);
    memcpy(record->normal, s.normal, sizeof s.normal);
    memcpy(record->middle, s.middle, sizeof s.middle);
    double floor = (double)apart->floor;
    record->gap = s.gap;
    // Beside a crossing, contacts do not hold sheets apart, and what lies on each other there must
    // be able to move.
    record->is_exempt =
        !(s.gap > 0.0) ||
        (s.gap < floor && dr_apart_is_tangled(apart, record->vertex, split_of(record)));
    record->wanted = fmin(s.gap, fmin(fmax(0.1 * s.gap, floor), (double)apart->guarded));
    record->needed = s.gap > floor ? 0.5 * record->wanted : s.gap;
    apart->exempt_count += record->is_exempt;
    recall(apart, record);
}

// Records for pairs that are not slow.
static bool open_list(dr_apart* apart, dr_memory* memory, dr_pool* pool, int list)
{
    float limit = apart->floor + apart->doubt;
    int count = dr_apart_watch(apart, memory, pool, list, limit);
    if (count < 0 || !dr_apart_measure(apart, memory, pool, list, count, false) ||
        !dr_apart_reserve(memory, &apart->records, sizeof(dr_apart_record),
                          apart->records.count + count)) {
        return false;
    }
    const int32_t* flagged = apart->flagged.data;
    const int32_t(*quads)[4] = apart->quads.data;
    int32_t* number = apart->lists[list].record.data;
    float* after = apart->lists[list].after.data;
    dr_apart_record* records = apart->records.data;
    for (int i = 0; i < count; ++i) {
        int pair = flagged[i];
        after[pair] = dr_apart_left(apart, list, pair);
        if (after[pair] < apart->floor && number[pair] < 0 &&
            !dr_apart_is_exempt(apart, dr_apart_kind_of(list), quads[i])) {
            number[pair] = apart->records.count;
            open_record(apart, list, pair, &records[apart->records.count++]);
        }
    }
    return true;
}

static bool is_later(const dr_apart_record* left, const dr_apart_record* right)
{
    return left->list > right->list || (left->list == right->list && left->pair > right->pair);
}

// Sliding pushes one pair after the other. Records go in the order of their lists, whether they
// were opened in this pass or before: `known` of them were. Takes what is new from behind the end.
static bool put_in_order(dr_apart* apart, dr_memory* memory, int known)
{
    int total = apart->records.count, left = total - known;
    if (known == 0 || left == 0) {
        return true;
    }
    if (!dr_apart_reserve(memory, &apart->records, sizeof(dr_apart_record), total + left)) {
        return false;
    }
    dr_apart_record *records = apart->records.data, *fresh = records + total;
    memcpy(fresh, records + known, sizeof *fresh * (size_t)left);
    for (int to = total - 1; left > 0; --to) {
        bool is_fresh = known == 0 || is_later(&fresh[left - 1], &records[known - 1]);
        records[to] = is_fresh ? fresh[--left] : records[--known];
        ((int32_t*)apart->lists[records[to].list].record.data)[records[to].pair] = to;
    }
    return true;
}

// Ways are up to date.
static bool open_records(dr_apart* apart, dr_memory* memory, dr_pool* pool)
{
    int known = apart->records.count;
    bool is_done = true;
    for (int list = 0; list < DR_APART_LISTS && is_done; ++list) {
        is_done = open_list(apart, memory, pool, list);
    }
    return is_done && put_in_order(apart, memory, known);
}

bool dr_apart_keep_failed(dr_apart* apart, dr_memory* memory)
{
    const dr_apart_record* records = apart->records.data;
    int known = apart->failed.count;
    for (int i = 0; i < apart->records.count; ++i) {
        dr_apart_record* place = find_failed(apart, &records[i], known);
        if (!place && records[i].failures > 0) {
            place = dr_array_push(memory, &apart->failed, sizeof *place);
            if (!place) {
                return false;
            }
        }
        if (place) {
            *place = records[i];
        }
    }
    if (apart->failed.count > known) {
        qsort(apart->failed.data, (size_t)apart->failed.count, sizeof *records, compare_records);
    }
    dr_apart_drop_records(apart);
    return true;
}

void dr_apart_drop_records(dr_apart* apart)
{
    const dr_apart_record* records = apart->records.data;
    for (int i = 0; i < apart->records.count; ++i) {
        ((int32_t*)apart->lists[records[i].list].record.data)[records[i].pair] = -1;
    }
    apart->records.count = 0;
}

// --- What it costs ---

static double squared_way(const dr_apart* apart, int v, const float* to)
{
    double squared = 0.0;
    for (int c = 0; c < 3; ++c) {
        double way = (double)to[c] - apart->x[4 * v + c];
        squared += way * way;
    }
    return squared;
}

// A vertex was to go to `before`, and goes to its y.
static void add_loss(dr_apart* apart, int v, const float* before)
{
    const float* y = apart->y + 4 * v;
    apart->lost += 0.5 / y[3] * (squared_way(apart, v, before) - squared_way(apart, v, y));
    for (int c = 0; c < 3; ++c) {
        apart->losses[apart->part_of_vertex[v]].momentum[c] += ((double)before[c] - y[c]) / y[3];
    }
}

static void count_loss(dr_apart* apart)
{
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        const float *y = apart->y + 4 * v, *before = apart->before + 4 * v;
        if (y[3] > 0.0f && (y[0] != before[0] || y[1] != before[1] || y[2] != before[2])) {
            add_loss(apart, v, before);
        }
    }
}

static void save(dr_apart* apart)
{
    memcpy(apart->before, apart->y, sizeof *apart->y * 4 * (size_t)apart->sheets->vertex_count);
}

// --- Slide ---

// Two vertices of different sides come apart along the normal, the lighter one further.
static void push_apart(dr_apart* apart, const dr_apart_record* record, int i, int j)
{
    float *a = apart->y + 4 * record->vertex[i], *b = apart->y + 4 * record->vertex[j];
    double of_a = apart->is_pushed[record->vertex[i]] ? 0.0 : (double)a[3];
    double of_b = apart->is_pushed[record->vertex[j]] ? 0.0 : (double)b[3];
    double height = 0.0, weight = of_a + of_b;
    for (int c = 0; c < 3; ++c) {
        height += record->push[c] * ((double)a[c] - b[c]);
    }
    if (height >= record->wanted || !(weight > 0.0)) {
        return;
    }
    double push = (record->wanted - height) / weight;
    apart->moved_at[record->vertex[i]] = apart->moved_at[record->vertex[j]] = apart->clock;
    for (int c = 0; c < 3; ++c) {
        a[c] += (float)(push * of_a * record->push[c]);
        b[c] -= (float)(push * of_b * record->push[c]);
    }
}

static bool slide_once(dr_apart* apart)
{
    dr_apart_record* records = apart->records.data;
    bool has_slid = false;
    for (int k = 0; k < apart->records.count; ++k) {
        if (is_certified(apart, &records[k])) {
            continue;
        }
        has_slid = true;
        for (int i = 0; i < split_of(&records[k]); ++i) {
            for (int j = split_of(&records[k]); j < 4; ++j) {
                push_apart(apart, &records[k], i, j);
            }
        }
        dr_apart_lever(apart, &records[k]);
    }
    return has_slid;
}

// How far the solver takes a vertex from its prediction is much the same from substep to substep.
static void note_jolts(dr_apart* apart)
{
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        float squared = 0.0f;
        for (int c = 0; c < 3; ++c) {
            float off = apart->y[4 * v + c] - apart->x[4 * v + c] - apart->way[4 * v + c];
            squared += off * off;
        }
        apart->jolt[v] = dr_apart_larger(sqrtf(squared), 0.5f * apart->jolt[v]);
    }
}

// A sheet that is torn at moves far in a substep, and lists would be as long as it goes wild. No
// vertex goes further than it was to go, and an edge.
static void tame(dr_apart* apart)
{
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        float *y = apart->y + 4 * v, *way = apart->way + 4 * v;
        const float* x = apart->x + 4 * v;
        double predicted =
            sqrt((double)way[0] * way[0] + (double)way[1] * way[1] + (double)way[2] * way[2]);
        double most = predicted + apart->edge_length, squared = squared_way(apart, v, y);
        if (squared > most * most && y[3] > 0.0f) {
            double t = most / sqrt(squared);
            const float before[3] = {y[0], y[1], y[2]};
            for (int c = 0; c < 3; ++c) {
                y[c] = (float)(x[c] + t * ((double)y[c] - x[c]));
            }
            add_loss(apart, v, before);
            ++apart->cut_count;
        }
    }
}

// The first time `way` is still that of the prediction.
bool dr_apart_slide(dr_apart* apart, dr_memory* memory, dr_pool* pool, bool is_first)
{
    enum { passes = 2 };
    apart->failed.count = 0;
    if (apart->is_sound && is_first) {
        tame(apart);
        note_jolts(apart);
    }
    dr_apart_set_ways(apart);
    apart->is_watched = false;
    if (!apart->is_sound) {
        return true;
    }
    note_moved(apart);
    save(apart);
    bool has_slid = true;
    for (int pass = 0; pass < passes && has_slid; ++pass) {
        // What the last pass pushed out of its ball may be near pairs that are not on the list.
        if (!dr_apart_refresh(apart, memory, pool, DR_APART_FOR_GUARD)) {
            return false;
        }
        if (apart->is_crowded) {
            break; // the cut gives up
        }
        if (!open_records(apart, memory, pool)) {
            return false;
        }
        has_slid = slide_once(apart);
        dr_apart_set_ways(apart);
    }
    count_loss(apart);
    // Nothing slid in the last pass: the cut need not look again if y stays as it is.
    apart->is_watched = !has_slid;
    save(apart);
    return true;
}

// --- Cut ---

static double height_of(const dr_apart_record* record, const float* array, int i)
{
    const float* p = array + 4 * record->vertex[i];
    double height = 0.0;
    for (int c = 0; c < 3; ++c) {
        height += record->normal[c] * (p[c] - record->middle[c]);
    }
    return height;
}

// A plane between the sides: as near to the middle of where they go as keeps the places where they
// start, and all of the way of what is pinned, behind it. Heights are turned so that each vertex
// wants to be above: signed by its side.
typedef struct plane {
    double start[4], end[4]; // heights of the vertices, signed
    double offset;
} plane;

static bool is_stubborn(const dr_apart* apart, int vertex)
{
    return dr_apart_is_led(apart, vertex) || apart->is_pushed[vertex];
}

static plane choose_plane(const dr_apart* apart, const dr_apart_record* record)
{
    plane p;
    double lo = -INFINITY, hi = INFINITY, above = INFINITY, below = -INFINITY;
    double half = 0.5 * record->wanted;
    for (int i = 0; i < 4; ++i) {
        double start = height_of(record, apart->x, i), end = height_of(record, apart->y, i);
        bool is_pinned = is_stubborn(apart, record->vertex[i]);
        if (i < split_of(record)) {
            hi = fmin(hi, (is_pinned ? fmin(start, end) : start) - half);
            above = fmin(above, end);
        } else {
            lo = fmax(lo, (is_pinned ? fmax(start, end) : start) + half);
            below = fmax(below, end);
        }
        p.start[i] = start;
        p.end[i] = end;
    }
    double middle = 0.5 * (above + below);
    p.offset = lo <= hi ? fmin(fmax(middle, lo), hi) : 0.5 * (lo + hi);
    for (int i = 0; i < 4; ++i) {
        double side = i < split_of(record) ? 1.0 : -1.0;
        p.start[i] = side * (p.start[i] - p.offset) - half;
        p.end[i] = side * (p.end[i] - p.offset) - half;
    }
    return p;
}

static void lower_share(dr_apart* apart, int vertex, double share)
{
    float lower = share > 0.0 ? (float)share : 0.0f;
    if (lower < apart->share[vertex]) {
        apart->share[vertex] = lower;
    }
}

// The groups of what is led are found when they are asked for.
static bool carry(dr_apart* apart, dr_apart_record* record)
{
    if (!apart->has_leads) {
        dr_apart_find_leads(apart);
        apart->has_leads = true;
    }
    return dr_apart_carry(apart, record);
}

static void let_go(dr_apart* apart, dr_apart_record* record)
{
    bool can_yield = false;
    for (int i = 0; i < 4; ++i) {
        can_yield |= apart->y[4 * record->vertex[i] + 3] > 0.0f;
    }
    record->is_exempt = true;
    ++apart->pinched_count;
    apart->jammed_count += can_yield;
}

// First by a plane; then all is held that yields; then all but what is led. If that is not enough,
// it stands in the way of what is led, and goes along. What is drawn two ways at once is let go.
static void cut_record(dr_apart* apart, dr_apart_record* record)
{
    plane p = {0};
    if (record->failures == 0) {
        p = choose_plane(apart, record);
    }
    for (int i = 0; i < 4; ++i) {
        int v = record->vertex[i];
        bool stays = dr_apart_is_led(apart, v) || (apart->is_pushed[v] && record->failures < 2);
        if (record->failures == 0 && !stays && p.end[i] < 0.0) {
            double t = p.start[i] > 0.0 ? p.start[i] / (p.start[i] - p.end[i]) : 0.0;
            lower_share(apart, v, t * (double)apart->before[4 * v + 3]);
        } else if (record->failures > 0 && !stays) {
            lower_share(apart, v, 0.0);
        }
    }
    if (++record->failures > 3 && !carry(apart, record)) {
        let_go(apart, record);
    }
}

static bool cut_once(dr_apart* apart)
{
    dr_apart_record* records = apart->records.data;
    bool is_clean = true;
    for (int k = 0; k < apart->records.count; ++k) {
        if (!is_certified(apart, &records[k])) {
            cut_record(apart, &records[k]);
            is_clean = false;
        }
    }
    return is_clean;
}

// The fourth number of `before` is the share that y has.
static void take_shares(dr_apart* apart)
{
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        float *y = apart->y + 4 * v, *before = apart->before + 4 * v;
        const float* x = apart->x + 4 * v;
        float* carried = apart->carried + 4 * v;
        double t = apart->share[v];
        if (carried[3] == 1.0f) {
            for (int c = 0; c < 3; ++c) {
                y[c] = x[c] + carried[c];
            }
            carried[3] = 2.0f;
            apart->moved_at[v] = apart->clock;
        } else if (carried[3] == 0.0f && apart->share[v] < before[3]) {
            for (int c = 0; c < 3; ++c) {
                y[c] = t > 0.0 ? (float)(x[c] + t * ((double)before[c] - x[c])) : x[c];
            }
            before[3] = apart->share[v];
            apart->moved_at[v] = apart->clock;
        }
    }
}

static void finish_cut(dr_apart* apart)
{
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        apart->cut_count += apart->share[v] < 1.0f;
    }
    const dr_apart_record* records = apart->records.data;
    for (int k = 0; k < apart->records.count; ++k) {
        if (is_slow(apart, &records[k])) {
            continue;
        }
        float* after = apart->lists[records[k].list].after.data;
        double gap = records[k].is_exempt ? 0.0 : gap_at(&records[k], apart->y);
        after[records[k].pair] = gap > 0.0 ? (float)(gap * (1.0 - 0x1p-22)) : 0.0f;
    }
    count_loss(apart);
}

static bool is_as_saved(const dr_apart* apart)
{
    return memcmp(apart->before, apart->y,
                  sizeof *apart->y * 4 * (size_t)apart->sheets->vertex_count) == 0;
}

// More than anyone wants to wait for: all that can stays where it is, which is certified, and what
// is led goes on. What it meets is not known until all triangles are looked at.
static void give_up(dr_apart* apart)
{
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        float* y = apart->y + 4 * v;
        if (y[3] > 0.0f) {
            memcpy(y, apart->x + 4 * v, 3 * sizeof *y);
            apart->share[v] = 0.0f;
        }
    }
    dr_apart_drop_records(apart);
    apart->has_list = false;
    apart->is_new = true;
    ++apart->pinched_count;
    ++apart->jammed_count;
}

// The frame of the balls goes on when a vertex is stopped, so it may leave its ball by being cut:
// balls are looked at in every round.
bool dr_apart_cut(dr_apart* apart, dr_memory* memory, dr_pool* pool)
{
    enum { most_rounds = 200 };
    dr_apart_set_ways(apart);
    if (!apart->is_sound) {
        return true;
    }
    bool is_watched = apart->is_watched && is_as_saved(apart), is_clean = false;
    apart->has_leads = false;
    apart->failed.count = 0;
    note_moved(apart);
    save(apart);
    for (int v = 0; v < apart->sheets->vertex_count; ++v) {
        apart->before[4 * v + 3] = apart->share[v] = 1.0f;
    }
    for (int round = 0; !is_clean; ++round) {
        int searches = apart->search_count;
        dr_apart_set_ways(apart);
        if (!dr_apart_refresh(apart, memory, pool,
                              round > 0 ? DR_APART_FOR_CUT : DR_APART_FOR_GUARD)) {
            return false;
        }
        if (apart->is_crowded || round == most_rounds) {
            give_up(apart);
            break;
        }
        is_watched = is_watched && apart->search_count == searches;
        if (!is_watched && !open_records(apart, memory, pool)) {
            return false;
        }
        is_watched = false;
        is_clean = cut_once(apart);
        take_shares(apart);
    }
    finish_cut(apart);
    return true;
}
