#include "contact/predict.h"

#include <math.h>
#include <string.h>

#include "core/vec_math.h"

// Records after the last vertex, for empty lanes.
enum { spare = 8 };

static size_t record_floats(const dr_predict* predict)
{
    return 4 * ((size_t)predict->mesh.vertex_count + spare);
}

// Half of the finest spacing: more would be a kick.
static float most_push(const dr_predict_mesh* mesh)
{
    float least = INFINITY;
    for (int p = 0; p < mesh->part_count; ++p) {
        float spacing = mesh->parts[p].spacing;
        least = spacing > 0.0f ? fminf(least, spacing) : least;
    }
    return isfinite(least) ? 0.5f * least : 0.0f;
}

static float most_thickness(const dr_predict_part* parts, int part_count)
{
    float most = 0.0f;
    for (int p = 0; p < part_count; ++p) {
        most = fmaxf(most, parts[p].thickness);
    }
    return most;
}

// What is looked for in every step: all that may touch, without what the cache sees to.
static void allow_searched(const dr_predict_options* options, uint32_t allow[32])
{
    for (int r = 0; r < 32; ++r) {
        bool is_kept = options->use_cache && (options->kept_regions >> r & 1);
        allow[r] = options->allow[r] & ~(is_kept ? options->kept_regions : 0u);
    }
}

bool dr_predict_create(dr_predict* predict, dr_memory* memory, const dr_predict_part* parts,
                       int part_count, const dr_predict_options* options)
{
    *predict = (dr_predict){.options = *options};
    float radius = options->static_radius;
    predict->rules = (dr_predict_rules){
        .static_radius = radius > 0.0f ? radius : 2.0f * most_thickness(parts, part_count),
        .as_printed = options->as_printed,
        .use_layers = options->use_layers,
    };
    uint32_t searched[32];
    allow_searched(options, searched);
    if (!dr_predict_mesh_create(&predict->mesh, memory, parts, part_count, options->allow)) {
        return false;
    }
    int vertices = predict->mesh.vertex_count;
    predict->push = most_push(&predict->mesh);
    predict->start = dr_new_zeroed(memory, float, record_floats(predict));
    predict->now = dr_new_zeroed(memory, float, record_floats(predict));
    predict->ahead = dr_new_zeroed(memory, float, record_floats(predict));
    predict->touched = dr_new(memory, int32_t, vertices + 1);
    predict->is_touched = dr_new_zeroed(memory, uint8_t, vertices + spare);
    predict->torn = dr_new_zeroed(memory, uint8_t, vertices + spare);
    return predict->start && predict->now && predict->ahead && predict->touched &&
           predict->is_touched && predict->torn &&
           dr_predict_contacts_create(&predict->contacts, memory, vertices) &&
           dr_predict_contacts_create(&predict->kept.contacts, memory, vertices) &&
           dr_predict_groups_create(&predict->groups, memory, vertices) &&
           dr_predict_search_create(&predict->search, memory, &predict->mesh, searched,
                                    options->is_points, options->isa);
}

static void free_batches(dr_predict_batches* batches, dr_memory* memory)
{
    dr_array_free(memory, &batches->points, sizeof(dr_point_batch));
    dr_array_free(memory, &batches->edges, sizeof(dr_edge_batch));
}

void dr_predict_free(dr_predict* predict, dr_memory* memory)
{
    int vertices = predict->mesh.vertex_count;
    dr_delete(memory, predict->start, record_floats(predict));
    dr_delete(memory, predict->now, record_floats(predict));
    dr_delete(memory, predict->ahead, record_floats(predict));
    dr_delete(memory, predict->touched, vertices + 1);
    dr_delete(memory, predict->is_touched, vertices + spare);
    dr_delete(memory, predict->torn, vertices + spare);
    dr_predict_contacts_free(&predict->contacts, memory);
    dr_predict_contacts_free(&predict->kept.contacts, memory);
    free_batches(&predict->batches, memory);
    free_batches(&predict->kept.batches, memory);
    free_batches(&predict->kept.active, memory);
    dr_array_free(memory, &predict->kept.ages, sizeof(uint8_t));
    dr_array_free(memory, &predict->kept.walkers, sizeof(int32_t));
    dr_predict_groups_free(&predict->groups, memory);
    dr_array_free(memory, &predict->quads, sizeof(int32_t[4]));
    dr_array_free(memory, &predict->awake, sizeof(int32_t));
    dr_predict_search_free(&predict->search, memory);
    dr_predict_mesh_free(&predict->mesh, memory);
    *predict = (dr_predict){0};
}

void dr_predict_forget(dr_predict* predict)
{
    dr_predict_contacts_forget(&predict->contacts);
}

// --- Step ---

static bool look(dr_predict* predict, dr_memory* memory, dr_pool* pool)
{
    if (predict->search.is_empty) {
        return true;
    }
    dr_motion motion = {predict->start, predict->now, 4,
                        0.5f * dr_predict_reach(&predict->mesh, &predict->rules)};
    dr_predict_query query = {.start = predict->start,
                              .end = predict->now,
                              .triangles = (const int32_t(*)[3])predict->mesh.triangles,
                              .edges = (const int32_t(*)[2])predict->mesh.edges,
                              .as_printed = predict->rules.as_printed};
    if (!dr_predict_search_run(&predict->search, memory, pool, &motion) ||
        !dr_predict_contacts_make(&predict->contacts, memory, pool, &predict->mesh,
                                  &predict->search, &query, &predict->rules,
                                  predict->options.isa) ||
        !dr_predict_lay(predict, memory, &predict->contacts, false, &predict->batches)) {
        return false;
    }
    predict->box_tests = predict->search.pairs.box_tests;
    predict->exact_tests = predict->contacts.exact_tests;
    predict->given_up += predict->contacts.skipped;
    return true;
}

static void mark_lanes(dr_predict* predict, const dr_predict_lanes* lanes)
{
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 8; ++i) {
            predict->is_touched[lanes->vertex[k][i]] = 1;
        }
    }
}

static void mark_batches(dr_predict* predict, const dr_predict_batches* batches)
{
    const dr_point_batch* points = batches->points.data;
    const dr_edge_batch* edges = batches->edges.data;
    for (int i = 0; i < batches->points.count; ++i) {
        mark_lanes(predict, &points[i].lanes);
    }
    for (int i = 0; i < batches->edges.count; ++i) {
        mark_lanes(predict, &edges[i].lanes);
    }
}

static void list_touched(dr_predict* predict)
{
    int vertices = predict->mesh.vertex_count;
    memset(predict->is_touched, 0, (size_t)vertices + spare);
    mark_batches(predict, &predict->batches);
    mark_batches(predict, &predict->kept.active);
    predict->touched_count = 0;
    for (int v = 0; v < vertices; ++v) {
        if (predict->is_touched[v]) {
            predict->touched[predict->touched_count++] = v;
        }
    }
}

static dr_predict_begin_args begin_args(const dr_predict* predict, float share, bool is_kept,
                                        const float* end)
{
    return (dr_predict_begin_args){
        .start = predict->start,
        .end = end,
        .push = predict->push * share,
        .is_kept = is_kept,
        .can_rest = end != NULL,
        .outside = 0.1f,
        .wide = 0.25f * predict->rules.static_radius,
        .depth = predict->rules.static_radius,
    };
}

static void begin_batches(const dr_predict* predict, dr_predict_batches* batches, float share,
                          bool is_kept, const float* end)
{
    const dr_predict_batch_kernels* kernels = dr_predict_batch_kernels_for(predict->options.isa);
    dr_predict_begin_args begin = begin_args(predict, share, is_kept, end);
    kernels->begin_points(batches->points.data, batches->points.count, &begin);
    kernels->begin_edges(batches->edges.data, batches->edges.count, &begin);
    dr_predict_let_go(predict, batches);
}

// Where the whole step leads when it goes on as it begins.
static const float* look_ahead(dr_predict* predict, float share)
{
    if (share >= 1.0f) {
        return predict->now;
    }
    size_t count = record_floats(predict);
    const float *start = predict->start, *now = predict->now;
    float *ahead = predict->ahead, longer = 1.0f / share;
    for (size_t i = 0; i < count; ++i) {
        ahead[i] = start[i] + (now[i] - start[i]) * longer;
    }
    return predict->ahead;
}

static void advance(const dr_predict* predict, dr_predict_batches* batches, float share)
{
    const dr_predict_batch_kernels* kernels = dr_predict_batch_kernels_for(predict->options.isa);
    float push = predict->push * share;
    kernels->advance_points(batches->points.data, batches->points.count, push);
    kernels->advance_edges(batches->edges.data, batches->edges.count, push);
}

// Walkers that have left their triangle go on, those that are far only now and then; they begin
// anew over where they are then.
static void walk(dr_predict* predict, float share, const float* end)
{
    const dr_predict_batch_kernels* kernels = dr_predict_batch_kernels_for(predict->options.isa);
    dr_predict_begin_args begin = begin_args(predict, share, true, end);
    dr_point_batch* batches = predict->kept.batches.points.data;
    int turn = dr_predict_turn_of(predict);
    for (int i = 0; i < predict->kept.batches.points.count; ++i) {
        uint32_t which = i % 10 == turn ? batches[i].outside : batches[i].strays;
        if (which && dr_predict_walk(predict, i, which)) {
            kernels->begin_points(&batches[i], 1, &begin);
        }
    }
}

// Kept contacts wake or rest for the whole of a step.
static bool begin_kept(dr_predict* predict, dr_memory* memory, dr_pool* pool, float share,
                       bool is_first)
{
    dr_predict_kept* kept = &predict->kept;
    if (!predict->options.use_cache) {
        return true;
    }
    if (kept->is_made && !is_first) {
        advance(predict, &kept->active, share);
        return true;
    }
    if (!kept->is_made && !dr_predict_keep(predict, memory, pool)) {
        return false;
    }
    const float* ahead = look_ahead(predict, share);
    begin_batches(predict, &kept->batches, share, true, ahead);
    walk(predict, share, ahead);
    return dr_predict_wake(predict, memory);
}

// The square of the longest way of a vertex in this substep, and a push.
static float longest_way(const dr_predict* predict, float share)
{
    float most = 0.0f;
    for (int v = 0; v < predict->mesh.vertex_count; ++v) {
        drape_vec3 way = dr_sub(dr_record_at(predict->now, v), dr_record_at(predict->start, v));
        float squared = dr_dot(way, way);
        most = squared > most ? squared : most;
    }
    float limit = sqrtf(most) + predict->push * share;
    return limit * limit;
}

bool dr_predict_begin(dr_predict* predict, dr_memory* memory, dr_pool* pool, float share,
                      bool is_first)
{
    predict->given_up = predict->box_tests = predict->exact_tests = 0;
    if (is_first) {
        dr_predict_tear(predict);
    }
    if (!begin_kept(predict, memory, pool, share, is_first) || !look(predict, memory, pool)) {
        return false;
    }
    begin_batches(predict, &predict->batches, share, false, NULL);
    if (is_first || !predict->search.is_empty) {
        list_touched(predict);
    }
    predict->most_squared = longest_way(predict, share);
    predict->contact_count = predict->batches.contact_count + predict->kept.active.contact_count;
    return true;
}

static int sweep_batches(const dr_predict* predict, dr_predict_batches* batches)
{
    const dr_predict_batch_kernels* kernels = dr_predict_batch_kernels_for(predict->options.isa);
    dr_predict_places places = {predict->start, predict->now};
    return kernels->sweep_points(batches->points.data, batches->points.count, places,
                                 predict->rules.as_printed) +
           kernels->sweep_edges(batches->edges.data, batches->edges.count, places,
                                predict->rules.as_printed && !predict->options.is_points);
}

// Contacts throw no vertex further than the fastest was going anyway: a tangle at high speed has
// many contacts that contradict each other, and would feed on itself.
static void hold_back(const dr_predict* predict)
{
    for (int i = 0; i < predict->touched_count; ++i) {
        int v = predict->touched[i];
        drape_vec3 from = dr_record_at(predict->start, v);
        drape_vec3 way = dr_sub(dr_record_at(predict->now, v), from);
        float squared = dr_dot(way, way);
        if (squared > predict->most_squared) {
            float share = sqrtf(predict->most_squared / squared);
            float* now = predict->now + 4 * (size_t)v;
            now[0] = from.x + share * way.x;
            now[1] = from.y + share * way.y;
            now[2] = from.z + share * way.z;
        }
    }
}

void dr_predict_sweep(dr_predict* predict)
{
    predict->given_up += sweep_batches(predict, &predict->batches);
    predict->given_up += sweep_batches(predict, &predict->kept.active);
    hold_back(predict);
}
