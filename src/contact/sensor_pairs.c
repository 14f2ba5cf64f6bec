#include "contact/sensor_pairs.h"

void dr_sensor_pairs_free(dr_sensor_pairs* pairs, dr_memory* memory)
{
    dr_array_free(memory, &pairs->checks, sizeof(dr_pair));
    dr_array_free(memory, &pairs->stack, sizeof(dr_pair));
    *pairs = (dr_sensor_pairs){0};
}

// One search. What is still to be done is a stack of nodes (b < 0) and pairs of nodes.
typedef struct search {
    dr_sensor_pairs* pairs;
    dr_memory* memory;
    dr_sensor_tree* of;
    int most_shared; // vertices that checked triangles may share
} search;

static bool push(search* s, dr_array* list, int a, int b)
{
    dr_pair* place = dr_array_push(s->memory, list, sizeof *place);
    if (place) {
        *place = (dr_pair){a, b};
    }
    return place != NULL;
}

// --- Boxes ---

static bool boxes_meet(search* s, const float* a, const float* b)
{
    ++s->pairs->box_tests;
    // As reaches: apart where the reach of one and that of the other the opposite way add to less
    // than nothing.
    return a[0] + b[3] >= 0.0f && a[1] + b[4] >= 0.0f && a[2] + b[5] >= 0.0f &&
           a[3] + b[0] >= 0.0f && a[4] + b[1] >= 0.0f && a[5] + b[2] >= 0.0f;
}

// Volume, and on ties, which flat cloth has everywhere, surface.
static bool is_larger(const float* a, const float* b)
{
    double p[3], q[3];
    for (int d = 0; d < 3; ++d) {
        p[d] = (double)a[d] + a[d + 3];
        q[d] = (double)b[d] + b[d + 3];
    }
    double volume = p[0] * p[1] * p[2] - q[0] * q[1] * q[2];
    double surface =
        p[0] * p[1] + p[1] * p[2] + p[2] * p[0] - q[0] * q[1] - q[1] * q[2] - q[2] * q[0];
    return volume > 0.0 || (volume == 0.0 && surface > 0.0);
}

// --- Triangles ---

static void box_of_place(const dr_tree* tree, int leaf, int lane, float out[6])
{
    for (int d = 0; d < 6; ++d) {
        out[d] = tree->reach[((size_t)leaf * 6 + (size_t)d) * (size_t)tree->width + (size_t)lane];
    }
}

static int shared_vertices(const dr_tree* tree, int p, int q)
{
    int shared = 0;
    for (int k = 0; k < 9; ++k) {
        shared += tree->corner[k / 3][p] == tree->corner[k % 3][q];
    }
    return shared;
}

// Lane i of leaf a against lane j of leaf b.
static bool check_triangles(search* s, int a, int i, int b, int j)
{
    const dr_tree* tree = &s->of->tree;
    int p = tree->nodes[a].first + i, q = tree->nodes[b].first + j;
    float box_p[6], box_q[6];
    box_of_place(tree, a, i, box_p);
    box_of_place(tree, b, j, box_q);
    if (shared_vertices(tree, p, q) > s->most_shared || !boxes_meet(s, box_p, box_q)) {
        return true;
    }
    int t = tree->triangle_of_place[p], u = tree->triangle_of_place[q];
    return push(s, &s->pairs->checks, t < u ? t : u, t < u ? u : t);
}

static bool check_leaves(search* s, int a, int b)
{
    const dr_tree* tree = &s->of->tree;
    bool is_done = true;
    for (int i = 0; i < tree->nodes[a].child_count; ++i) {
        for (int j = a == b ? i + 1 : 0; j < tree->nodes[b].child_count && is_done; ++j) {
            is_done = check_triangles(s, a, i, b, j);
        }
    }
    return is_done;
}

// --- The walk ---

static bool walk_self(search* s, int node)
{
    const dr_tree* tree = &s->of->tree;
    if (dr_sensor_tree_is_positive(s->of, node, NULL)) {
        ++s->pairs->self_skips;
        return true;
    }
    if (tree->nodes[node].is_leaf) {
        return check_leaves(s, node, node);
    }
    const int32_t* child = tree->child + (size_t)node * (size_t)tree->width;
    int count = tree->nodes[node].child_count;
    bool is_done = true;
    for (int i = count - 1; i >= 0 && is_done; --i) {
        for (int j = count - 1; j > i && is_done; --j) {
            is_done = push(s, &s->pairs->stack, child[i], child[j]);
        }
        is_done = is_done && push(s, &s->pairs->stack, child[i], -1);
    }
    return is_done;
}

static bool walk_pair(search* s, int a, int b)
{
    const dr_tree* tree = &s->of->tree;
    if (!boxes_meet(s, s->of->box[a], s->of->box[b])) {
        return true;
    }
    if (dr_sensor_tree_are_positive(s->of, a, b, NULL)) {
        ++s->pairs->pair_skips;
        return true;
    }
    bool a_is_leaf = tree->nodes[a].is_leaf, b_is_leaf = tree->nodes[b].is_leaf;
    if (a_is_leaf && b_is_leaf) {
        return check_leaves(s, a, b);
    }
    if (a_is_leaf || (!b_is_leaf && is_larger(s->of->box[b], s->of->box[a]))) {
        int swap = a;
        a = b;
        b = swap;
    }
    const int32_t* child = tree->child + (size_t)a * (size_t)tree->width;
    bool is_done = true;
    for (int i = tree->nodes[a].child_count - 1; i >= 0 && is_done; --i) {
        is_done = push(s, &s->pairs->stack, child[i], b);
    }
    return is_done;
}

bool dr_sensor_pairs_find(dr_sensor_pairs* pairs, dr_memory* memory, dr_sensor_tree* of,
                          bool with_corners)
{
    search s = {pairs, memory, of, with_corners ? 1 : 0};
    pairs->checks.count = pairs->stack.count = 0;
    pairs->box_tests = 0;
    pairs->self_skips = pairs->pair_skips = 0;
    bool is_done = of->tree.node_count == 0 || push(&s, &pairs->stack, 0, -1);
    while (is_done && pairs->stack.count > 0) {
        dr_pair next = ((const dr_pair*)pairs->stack.data)[--pairs->stack.count];
        is_done = next.b < 0 ? walk_self(&s, next.a) : walk_pair(&s, next.a, next.b);
    }
    return is_done;
}
