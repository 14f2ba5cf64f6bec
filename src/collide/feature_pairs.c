#include "collide/feature_pairs.h"

#include "collide/tree_kernels.h"
#include "core/isa.h"

DR_KERNEL_TABLE(dr_feature_kernels)

// Vectors may read and write past the end of an array.
enum { spare = 8 };

// Least vectors to a chunk of a thread.
enum { refit_grain = 256 };

// --- Lists ---

static void list_free(dr_feature_list* list, dr_memory* memory, int node_count)
{
    dr_delete(memory, list->start, node_count + 1);
    dr_delete(memory, list->index, list->step);
    dr_delete(memory, list->place, list->step);
    dr_delete(memory, list->reach, (size_t)list->step * 6);
    for (int k = 0; k < list->corner_count; ++k) {
        dr_delete(memory, list->corner[k], list->step);
        dr_delete(memory, list->key[k], list->step);
    }
}

static bool list_create(dr_feature_list* list, dr_memory* memory, const dr_tree* tree,
                        int corner_count, int most)
{
    int room = most + spare;
    *list = (dr_feature_list){.corner_count = corner_count, .step = room};
    list->start = dr_new_zeroed(memory, int32_t, tree->node_count + 1);
    list->index = dr_new_zeroed(memory, int32_t, room);
    list->place = dr_new_zeroed(memory, int32_t, room);
    list->reach = dr_new_zeroed(memory, float, (size_t)room * 6);
    bool is_done = list->start && list->index && list->place && list->reach;
    for (int k = 0; k < corner_count; ++k) {
        list->corner[k] = dr_new_zeroed(memory, int32_t, room);
        is_done = is_done && list->corner[k];
        if (tree->corner_key[0]) {
            list->key[k] = dr_new_zeroed(memory, float, room);
            is_done = is_done && list->key[k];
        }
    }
    return is_done;
}

static void list_add(dr_feature_list* list, int32_t index, int place, const int32_t* corner)
{
    int i = list->count++;
    list->index[i] = index;
    list->place[i] = place;
    for (int k = 0; k < list->corner_count; ++k) {
        list->corner[k][i] = corner[k];
        if (list->key[k]) {
            list->key[k][i] = dr_tree_key(corner[k]);
        }
    }
}

// --- Features ---

// Those owned by triangles of the tree; `first_bit` of the ownership bits.
static int count_owned(const dr_tree* tree, const dr_surface* surface, int first_bit)
{
    int count = 0;
    for (int p = 0; p < tree->triangle_count; ++p) {
        for (int k = 0; k < 3; ++k) {
            count += surface->owned[tree->triangle_of_place[p]] >> (first_bit + k) & 1;
        }
    }
    return count;
}

static void add_owned(dr_features* features, const dr_tree* tree, const dr_surface* surface,
                      int place)
{
    int32_t triangle = tree->triangle_of_place[place];
    const int32_t *corner = surface->triangles[triangle], *edges = surface->triangle_edges;
    for (int k = 0; k < 3; ++k) {
        const int32_t pair[2] = {corner[k], corner[(k + 1) % 3]};
        if (surface->owned[triangle] >> k & 1) {
            list_add(&features->points, corner[k], place, pair);
        }
        if (surface->owned[triangle] >> (3 + k) & 1) {
            list_add(&features->edges, edges[3 * triangle + (k + 2) % 3], place, pair);
        }
    }
}

bool dr_features_create(dr_features* features, dr_memory* memory, const dr_tree* tree,
                        const dr_surface* surface)
{
    *features = (dr_features){.node_count = tree->node_count};
    bool has_points =
        list_create(&features->points, memory, tree, 1, count_owned(tree, surface, 0));
    bool has_edges = list_create(&features->edges, memory, tree, 2, count_owned(tree, surface, 3));
    if (!has_points || !has_edges) {
        dr_features_free(features, memory);
        return false;
    }
    dr_features_choose(features, tree, surface);
    return true;
}

void dr_features_choose(dr_features* features, const dr_tree* tree, const dr_surface* surface)
{
    features->points.count = features->edges.count = 0;
    for (int n = 0; n < tree->node_count; ++n) {
        features->points.start[n] = features->points.count;
        features->edges.start[n] = features->edges.count;
        for (int i = 0; tree->nodes[n].is_leaf && i < tree->nodes[n].child_count; ++i) {
            add_owned(features, tree, surface, tree->nodes[n].first + i);
        }
    }
    features->points.start[tree->node_count] = features->points.count;
    features->edges.start[tree->node_count] = features->edges.count;
}

void dr_features_free(dr_features* features, dr_memory* memory)
{
    list_free(&features->points, memory, features->node_count);
    list_free(&features->edges, memory, features->node_count);
    *features = (dr_features){0};
}

// --- Refit ---

typedef struct refit_work {
    dr_feature_list* list;
    const dr_motion* motion;
    const dr_refit_kernels* kernels;
} refit_work;

static void refit_vectors(void* context, int begin, int end, int worker)
{
    const refit_work* work = context;
    dr_feature_list* list = work->list;
    (void)worker;
    work->kernels->features(list->reach, list->step, work->motion, list->corner, list->corner_count,
                            8 * begin, 8 * end);
}

void dr_features_refit(dr_features* features, const dr_tree* tree, dr_pool* pool,
                       const dr_motion* motion)
{
    dr_feature_list* lists[2] = {&features->points, &features->edges};
    for (int i = 0; i < 2; ++i) {
        refit_work work = {lists[i], motion, dr_refit_kernels_for(tree->isa)};
        dr_parallel_for(pool, (lists[i]->count + 7) / 8, refit_grain, refit_vectors, &work);
    }
}

// --- Searches ---

bool dr_feature_pairs(dr_pair_search* search, dr_memory* memory, dr_pool* pool, const dr_tree* tree,
                      const dr_features* features, const dr_pair_filter* filter)
{
    dr_walk walk = {
        .a = tree, .b = tree, .features_a = features, .features_b = features, .filter = filter};
    dr_walk_fn* fn = dr_feature_kernels_for(tree->isa)->features;
    return dr_walk_run(search, memory, pool, &walk, fn, 2);
}

bool dr_feature_pairs_between(dr_pair_search* search, dr_memory* memory, dr_pool* pool,
                              const dr_tree* a, const dr_features* features_a, const dr_tree* b,
                              const dr_features* features_b, const dr_pair_filter* filter)
{
    dr_walk walk = {
        .a = a, .b = b, .features_a = features_a, .features_b = features_b, .filter = filter};
    dr_walk_fn* fn = dr_feature_kernels_for(a->isa)->features;
    return dr_walk_run(search, memory, pool, &walk, fn, 3);
}
