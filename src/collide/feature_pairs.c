#include "collide/feature_pairs.h"

#include "collide/tree_kernels.h"
#include "core/isa.h"

DR_KERNEL_TABLE(dr_feature_kernels)

// Least vectors to a chunk of a thread.
enum { refit_grain = 256 };

// --- Lists ---

static void list_free(dr_feature_list* list, dr_memory* memory, int node_count)
{
    dr_delete(memory, list->start, node_count);
    dr_delete(memory, list->end, node_count);
    dr_delete(memory, list->index, list->count);
    dr_delete(memory, list->place, list->count);
    dr_delete(memory, list->reach, (size_t)list->count * 6);
    for (int k = 0; k < list->corner_count; ++k) {
        dr_delete(memory, list->corner[k], list->count);
        dr_delete(memory, list->key[k], list->count);
    }
}

static bool list_create(dr_feature_list* list, dr_memory* memory, const dr_tree* tree,
                        int corner_count, int count)
{
    *list = (dr_feature_list){.corner_count = corner_count, .count = count};
    list->start = dr_new_zeroed(memory, int32_t, tree->node_count);
    list->end = dr_new_zeroed(memory, int32_t, tree->node_count);
    list->index = dr_new_zeroed(memory, int32_t, count);
    list->place = dr_new_zeroed(memory, int32_t, count);
    list->reach = dr_new_zeroed(memory, float, (size_t)count * 6);
    bool is_done = tree->node_count == 0 || (list->start && list->end);
    is_done = is_done && (count == 0 || (list->index && list->place && list->reach));
    for (int k = 0; k < corner_count; ++k) {
        list->corner[k] = dr_new_zeroed(memory, int32_t, count);
        is_done = is_done && (count == 0 || list->corner[k]);
        if (tree->corner_key[0]) {
            list->key[k] = dr_new_zeroed(memory, float, count);
            is_done = is_done && (count == 0 || list->key[k]);
        }
    }
    return is_done;
}

static void list_add(dr_feature_list* list, int node, int32_t index, int place,
                     const int32_t* corner)
{
    int i = list->end[node]++;
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

static int count_bits(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1) {
        ++count;
    }
    return count;
}

// Slots for the features that the triangles of a node own; `first_bit` of the ownership bits.
static int slots_of(const dr_tree* tree, const dr_surface* surface, int node, int first_bit)
{
    const dr_tree_node* n = &tree->nodes[node];
    int count = 0;
    for (int i = 0; n->is_leaf && i < n->child_count; ++i) {
        count += count_bits(surface->owned[tree->triangle_of_place[n->first + i]] >> first_bit & 7u);
    }
    return (count + 7) / 8 * 8;
}

static int count_slots(const dr_tree* tree, const dr_surface* surface, int first_bit)
{
    int count = 0;
    for (int n = 0; n < tree->node_count; ++n) {
        count += slots_of(tree, surface, n, first_bit);
    }
    return count;
}

static void add_owned(dr_features* features, const dr_tree* tree, const dr_surface* surface, int node,
                      int place)
{
    int32_t triangle = tree->triangle_of_place[place];
    const int32_t *corner = surface->triangles[triangle], *edges = surface->triangle_edges;
    for (int k = 0; k < 3; ++k) {
        const int32_t pair[2] = {corner[k], corner[(k + 1) % 3]};
        if (surface->owned[triangle] >> k & 1) {
            list_add(&features->points, node, corner[k], place, pair);
        }
        if (surface->owned[triangle] >> (3 + k) & 1) {
            list_add(&features->edges, node, edges[3 * triangle + (k + 2) % 3], place, pair);
        }
    }
}

static void fill(dr_features* features, const dr_tree* tree, const dr_surface* surface)
{
    int points = 0, edges = 0;
    for (int n = 0; n < tree->node_count; ++n) {
        features->points.start[n] = features->points.end[n] = points;
        features->edges.start[n] = features->edges.end[n] = edges;
        for (int i = 0; tree->nodes[n].is_leaf && i < tree->nodes[n].child_count; ++i) {
            add_owned(features, tree, surface, n, tree->nodes[n].first + i);
        }
        points += slots_of(tree, surface, n, 0);
        edges += slots_of(tree, surface, n, 3);
    }
}

bool dr_features_create(dr_features* features, dr_memory* memory, const dr_tree* tree,
                        const dr_surface* surface)
{
    *features = (dr_features){.node_count = tree->node_count};
    bool has_points = list_create(&features->points, memory, tree, 1, count_slots(tree, surface, 0));
    bool has_edges = list_create(&features->edges, memory, tree, 2, count_slots(tree, surface, 3));
    if (!has_points || !has_edges) {
        dr_features_free(features, memory);
        return false;
    }
    fill(features, tree, surface);
    return true;
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
    work->kernels->features(list->reach, work->motion, list->corner, list->corner_count, 8 * begin,
                            8 * end);
}

void dr_features_refit(dr_features* features, const dr_tree* tree, dr_pool* pool,
                       const dr_motion* motion)
{
    dr_feature_list* lists[2] = {&features->points, &features->edges};
    for (int i = 0; i < 2; ++i) {
        refit_work work = {lists[i], motion, dr_refit_kernels_for(tree->isa)};
        dr_parallel_for(pool, lists[i]->count / 8, refit_grain, refit_vectors, &work);
    }
}

// --- Searches ---

bool dr_feature_pairs(dr_pair_search* search, dr_memory* memory, dr_pool* pool, const dr_tree* tree,
                      const dr_features* features, const dr_pair_filter* filter)
{
    dr_walk walk = {.a = tree, .b = tree, .features_a = features, .features_b = features,
                    .filter = filter};
    dr_walk_fn* fn = dr_feature_kernels_for(tree->isa)->features;
    return dr_walk_run(search, memory, pool, &walk, fn, 2);
}

bool dr_feature_pairs_between(dr_pair_search* search, dr_memory* memory, dr_pool* pool,
                              const dr_tree* a, const dr_features* features_a, const dr_tree* b,
                              const dr_features* features_b, const dr_pair_filter* filter)
{
    dr_walk walk = {.a = a, .b = b, .features_a = features_a, .features_b = features_b,
                    .filter = filter};
    dr_walk_fn* fn = dr_feature_kernels_for(a->isa)->features;
    return dr_walk_run(search, memory, pool, &walk, fn, 3);
}
