// The search for feature pairs, compiled once per instruction set.
#include "collide/feature_pairs.h"
#include "collide/tree_rows.h"
#include "collide/tree_walk_kernels.h"

static bool is_last(const dr_tree* tree, int node)
{
    return tree->nodes[node].is_leaf;
}

// One mesh of the two.
typedef struct side {
    const dr_tree* tree;
    const dr_features* features;
} side;

typedef struct queue {
    side a, b;
    dr_rows forth; // leaves of b; points of a
    dr_rows back;  // leaves of a; points of b
    dr_rows edges; // the first of eight edges of b; edges of a
} queue;

static inline dr_box_at feature_box(const dr_feature_list* list, int i)
{
    return (dr_box_at){list->reach + i, list->step};
}

// Of eight features, those that meet a box.
static inline int meet_vector(const dr_feature_list* list, int first, dr_box_at box)
{
    return dr_meet_eight(list->reach + first, list->step, box);
}

// --- What has no common vertex ---

// Those of the lanes in `bits` whose triangles do not have the vertex of a point.
static inline int triangles_without(const dr_tree* tree, int first, const dr_feature_list* points,
                                    int point, int bits)
{
    if (points->key[0]) {
        const dr_f8 keys[3] = {dr_f8_load(tree->corner_key[0] + first),
                               dr_f8_load(tree->corner_key[1] + first),
                               dr_f8_load(tree->corner_key[2] + first)};
        return bits & dr_nonzero_bits(dr_key_product(keys, points->key[0][point]));
    }
    for (int rest = bits; rest; rest &= rest - 1) {
        int j = dr_lowest_bit(rest);
        for (int k = 0; k < 3; ++k) {
            bool is_common = tree->corner[k][first + j] == points->corner[0][point];
            bits &= is_common ? ~(1 << j) : ~0;
        }
    }
    return bits;
}

// Of eight edges from `first` on, those that do not share an end with an edge.
static inline int edges_without(const dr_feature_list* others, int first,
                                const dr_feature_list* edges, int edge, int bits)
{
    if (edges->key[0]) {
        dr_f8 a = dr_f8_load(others->key[0] + first), b = dr_f8_load(others->key[1] + first);
        dr_f8 c = dr_f8_set(edges->key[0][edge]), d = dr_f8_set(edges->key[1][edge]);
        dr_f8 with_c = dr_f8_mul(dr_f8_sub(a, c), dr_f8_sub(b, c));
        dr_f8 with_d = dr_f8_mul(dr_f8_sub(a, d), dr_f8_sub(b, d));
        return bits & dr_nonzero_bits(dr_f8_mul(with_c, with_d));
    }
    for (int rest = bits; rest; rest &= rest - 1) {
        int j = dr_lowest_bit(rest);
        for (int k = 0; k < 4; ++k) {
            bool is_common = edges->corner[k / 2][edge] == others->corner[k % 2][first + j];
            bits &= is_common ? ~(1 << j) : ~0;
        }
    }
    return bits;
}

// --- Points against triangles ---

static void bits_of_points(dr_rows* q, const side* a, const side* b)
{
    const dr_feature_list* points = &a->features->points;
    bool same_mesh = a->tree == b->tree;
    for (int i = 0; i < q->count; ++i) {
        int point = q->rows[i].b, leaf = q->rows[i].a;
        int bits = q->bits[i] & dr_meet_children(b->tree, leaf, feature_box(points, point));
        if (same_mesh) {
            bits = triangles_without(b->tree, b->tree->nodes[leaf].first, points, point, bits);
        }
        q->bits[i] = (uint8_t)bits;
    }
}

static void drop_forbidden_points(dr_rows* q, const side* a, const side* b)
{
    const dr_tree* tree = b->tree;
    for (int i = 0; tree->region && a->tree->region && i < q->count; ++i) {
        int place = a->features->points.place[q->rows[i].b];
        const int32_t* places = tree->child + q->rows[i].a * tree->width;
        q->bits[i] = (uint8_t)dr_walk_allowed(a->tree, place, tree, places, q->bits[i]);
    }
}

static void pairs_of_points(dr_walk* walk, const dr_rows* q, const side* a, const side* b,
                            dr_sink* sink)
{
    const int32_t *vertices = a->features->points.index, *triangles = b->tree->triangle_of_place;
    for (int i = 0; i < q->count;) {
        dr_sink_room(sink);
        dr_pair* at = sink->at;
        for (int end = i + 8 < q->count ? i + 8 : q->count; i < end; ++i) {
            int first = b->tree->nodes[q->rows[i].a].first;
            at = dr_emit(walk, at, vertices[q->rows[i].b], triangles + first, q->bits[i]);
        }
        sink->at = at;
    }
}

static void work_off_points(dr_walk* walk, dr_rows* q, const side* a, const side* b, int list)
{
    bits_of_points(q, a, b);
    drop_forbidden_points(q, a, b);
    pairs_of_points(walk, q, a, b, &walk->sinks[list]);
    q->count = 0;
}

// --- Edges against edges ---

static void bits_of_edges(dr_rows* q, const side* a, const side* b)
{
    const dr_feature_list *edges = &a->features->edges, *others = &b->features->edges;
    bool same_mesh = a->tree == b->tree;
    for (int i = 0; i < q->count; ++i) {
        int edge = q->rows[i].b, first = q->rows[i].a;
        int bits = q->bits[i] & meet_vector(others, first, feature_box(edges, edge));
        q->bits[i] = (uint8_t)(same_mesh ? edges_without(others, first, edges, edge, bits) : bits);
    }
}

static void drop_forbidden_edges(dr_rows* q, const side* a, const side* b)
{
    const dr_feature_list *edges = &a->features->edges, *others = &b->features->edges;
    for (int i = 0; b->tree->region && a->tree->region && i < q->count; ++i) {
        q->bits[i] = (uint8_t)dr_walk_allowed(a->tree, edges->place[q->rows[i].b], b->tree,
                                              others->place + q->rows[i].a, q->bits[i]);
    }
}

static void pairs_of_edges(dr_walk* walk, const dr_rows* q, const side* a, const side* b)
{
    const int32_t *edges = a->features->edges.index, *others = b->features->edges.index;
    dr_sink* sink = &walk->sinks[DR_PAIRS_EDGE_EDGE];
    for (int i = 0; i < q->count;) {
        dr_sink_room(sink);
        dr_pair* at = sink->at;
        for (int end = i + 8 < q->count ? i + 8 : q->count; i < end; ++i) {
            at = dr_emit(walk, at, edges[q->rows[i].b], others + q->rows[i].a, q->bits[i]);
        }
        sink->at = at;
    }
}

static void work_off_edges(dr_walk* walk, queue* q)
{
    bits_of_edges(&q->edges, &q->a, &q->b);
    drop_forbidden_edges(&q->edges, &q->a, &q->b);
    pairs_of_edges(walk, &q->edges, &q->a, &q->b);
    q->edges.count = 0;
}

// --- Leaves ---

// The lanes of a vector that hold features before `end`.
static inline int lanes_before(int first, int end)
{
    return end - first < 8 ? (1 << (end - first)) - 1 : 0xff;
}

// Rows for the points of a leaf of `a` that meet a box against a leaf of `b`.
static void add_points(dr_walk* walk, dr_rows* q, const side* a, int node, const side* b, int leaf,
                       dr_box_at box, int list)
{
    const dr_feature_list* points = &a->features->points;
    const dr_tree_node* eight = &b->tree->nodes[leaf];
    int first = points->start[node], end = points->start[node + 1];
    walk->box_tests += end - first;
    for (; first < end; first += 8) {
        if (q->count > DR_ROWS - 8) {
            work_off_points(walk, q, a, b, list);
        }
        int mask = meet_vector(points, first, box) & lanes_before(first, end);
        walk->box_tests +=
            dr_rows_add(q, walk, leaf, eight->lanes, first, mask) * eight->child_count;
    }
}

static inline void make_room_for_edges(dr_walk* walk)
{
    queue* q = walk->queue;
    if (q->edges.count > DR_ROWS - 8) {
        work_off_edges(walk, q);
    }
}

static void last_self(dr_walk* walk, int node)
{
    static const float everywhere[6] = {1e38f, 1e38f, 1e38f, 1e38f, 1e38f, 1e38f};
    queue* q = walk->queue;
    const dr_feature_list* edges = &q->a.features->edges;
    add_points(walk, &q->forth, &q->a, node, &q->a, node, (dr_box_at){everywhere, 1},
               DR_PAIRS_POINT_TRIANGLE);
    // Each edge looks ahead only.
    for (int i = edges->start[node], end = edges->start[node + 1]; i < end; ++i) {
        make_room_for_edges(walk);
        walk->box_tests += end - i - 1;
        for (int j = i + 1; j < end; j += 8) {
            dr_rows_push(&q->edges, j, lanes_before(j, end), i);
        }
    }
}

// The edges of two leaves, on both sides only those that meet the other leaf.
static void add_edges(dr_walk* walk, int a, dr_box_at box_a, int b, dr_box_at box_b)
{
    queue* q = walk->queue;
    const dr_feature_list *edges = &q->a.features->edges, *others = &q->b.features->edges;
    int end_a = edges->start[a + 1], first_b = others->start[b], end_b = others->start[b + 1];
    int lanes[3]; // eight triangles have 24 edges at most
    walk->box_tests += end_a - edges->start[a] + end_b - first_b;
    for (int j = first_b; j < end_b; j += 8) {
        lanes[(j - first_b) / 8] = meet_vector(others, j, box_a) & lanes_before(j, end_b);
    }
    for (int i = edges->start[a]; i < end_a; i += 8) {
        int mask = meet_vector(edges, i, box_b) & lanes_before(i, end_a);
        for (int j = first_b; j < end_b; j += 8) {
            int kept = lanes[(j - first_b) / 8];
            make_room_for_edges(walk);
            walk->box_tests += 8 * dr_rows_add(&q->edges, walk, j, kept, i, kept ? mask : 0);
        }
    }
}

static void last_pair(dr_walk* walk, int a, dr_box_at box_a, int b, dr_box_at box_b)
{
    queue* q = walk->queue;
    bool same_mesh = q->a.tree == q->b.tree;
    add_points(walk, &q->forth, &q->a, a, &q->b, b, box_b, DR_PAIRS_POINT_TRIANGLE);
    add_points(walk, &q->back, &q->b, b, &q->a, a, box_a,
               same_mesh ? DR_PAIRS_POINT_TRIANGLE : DR_PAIRS_TRIANGLE_POINT);
    add_edges(walk, a, box_a, b, box_b);
}

static void features(dr_walk* walk, const dr_walk_task* task)
{
    queue q;
    q.a = (side){walk->a, walk->features_a};
    q.b = (side){walk->b, walk->features_b};
    q.forth.count = q.back.count = q.edges.count = 0;
    walk->queue = &q;
    run_task(walk, task);
    bool same_mesh = walk->a == walk->b;
    work_off_points(walk, &q.forth, &q.a, &q.b, DR_PAIRS_POINT_TRIANGLE);
    work_off_points(walk, &q.back, &q.b, &q.a,
                    same_mesh ? DR_PAIRS_POINT_TRIANGLE : DR_PAIRS_TRIANGLE_POINT);
    work_off_edges(walk, &q);
}

const dr_feature_kernels DR_KERNEL(dr_feature_kernels);
const dr_feature_kernels DR_KERNEL(dr_feature_kernels) = {features};
