#include "collide/tree.h"

#include <math.h>
#include <string.h>

#include "core/isa.h"

// --- Plans ---

int dr_plan_add(dr_tree_plan* plan, dr_memory* memory, const int32_t* children, int child_count)
{
    dr_plan_node* node = dr_array_push(memory, &plan->nodes, sizeof *node);
    if (!node) {
        return -1;
    }
    *node = (dr_plan_node){.child_count = child_count};
    memcpy(node->child, children, sizeof *children * (size_t)child_count);
    plan->root = plan->nodes.count - 1;
    return plan->root;
}

void dr_plan_free(dr_tree_plan* plan, dr_memory* memory)
{
    dr_array_free(memory, &plan->nodes, sizeof(dr_plan_node));
    *plan = (dr_tree_plan){0};
}

// --- Layout ---

// Runs twice: first it only counts and checks, then it fills in what was allocated between.
typedef struct layout {
    dr_tree* tree;
    const dr_plan_node* plan;
    int plan_count;
    const dr_surface* surface;
    uint8_t *node_seen, *triangle_seen; // by the first run
    bool is_filling;
    int node_count, place_count, widest;
} layout;

// Looks through nodes of one child. False when the plan is not a tree.
static bool resolve(layout* l, int32_t* child)
{
    while (*child >= 0) {
        if (*child >= l->plan_count) {
            return false;
        }
        const dr_plan_node* node = &l->plan[*child];
        if (node->child_count < 1 || node->child_count > DR_TREE_ARITY) {
            return false;
        }
        if (!l->is_filling && l->node_seen[*child]++) {
            return false;
        }
        if (node->child_count > 1) {
            return true;
        }
        *child = node->child[0];
    }
    int32_t triangle = ~*child;
    return triangle < l->surface->triangle_count &&
           (l->is_filling || !l->triangle_seen[triangle]++);
}

static void fill_place(layout* l, int place, int32_t triangle)
{
    dr_tree* tree = l->tree;
    tree->triangle_of_place[place] = triangle;
    for (int k = 0; k < 3; ++k) {
        int32_t vertex = l->surface->triangles[triangle][k];
        tree->corner[k][place] = vertex;
        if (tree->corner_key[k]) {
            tree->corner_key[k][place] = dr_tree_key(vertex);
        }
    }
}

static int begin_node(layout* l, int child_count, bool is_leaf)
{
    int n = l->node_count++;
    l->widest = child_count > l->widest ? child_count : l->widest;
    if (l->is_filling) {
        l->tree->nodes[n].first = l->place_count;
        l->tree->nodes[n].child_count = (uint8_t)child_count;
        l->tree->nodes[n].lanes = (uint8_t)((1 << child_count) - 1);
        l->tree->nodes[n].is_leaf = is_leaf;
    }
    return n;
}

static void end_node(layout* l, int n)
{
    if (l->is_filling) {
        l->tree->nodes[n].end = l->node_count;
    }
}

static void set_child(layout* l, int n, int lane, int32_t child)
{
    if (l->is_filling) {
        l->tree->child[n * l->tree->width + lane] = child;
    }
}

static void add_leaf(layout* l, const int32_t* triangles, int count)
{
    int n = begin_node(l, count, true);
    for (int i = 0; i < count; ++i) {
        set_child(l, n, i, l->place_count);
        if (l->is_filling) {
            fill_place(l, l->place_count, ~triangles[i]);
        }
        ++l->place_count;
    }
    end_node(l, n);
}

// Adds a resolved child of the plan with all below it, nodes first, own triangles in a leaf of
// their own.
static bool add_subtree(layout* l, int32_t top, int depth)
{
    if (top < 0) {
        add_leaf(l, &top, 1);
        return true;
    }
    int32_t nodes[DR_TREE_ARITY], triangles[DR_TREE_ARITY];
    int node_count = 0, triangle_count = 0;
    const dr_plan_node* plan = &l->plan[top];
    for (int i = 0; i < plan->child_count; ++i) {
        int32_t child = plan->child[i];
        if (!resolve(l, &child)) {
            return false;
        }
        if (child < 0) {
            triangles[triangle_count++] = child;
        } else {
            nodes[node_count++] = child;
        }
    }
    if (node_count == 0) {
        add_leaf(l, triangles, triangle_count);
        return true;
    }
    if (depth + 1 > DR_TREE_DEPTH) {
        return false;
    }
    int n = begin_node(l, node_count + (triangle_count > 0), false);
    for (int i = 0; i < node_count; ++i) {
        set_child(l, n, i, l->node_count);
        if (!add_subtree(l, nodes[i], depth + 1)) {
            return false;
        }
    }
    if (triangle_count > 0) {
        set_child(l, n, node_count, l->node_count);
        add_leaf(l, triangles, triangle_count);
    }
    end_node(l, n);
    return true;
}

static bool run_layout(layout* l, int32_t root, bool is_filling)
{
    l->is_filling = is_filling;
    l->node_count = l->place_count = 0;
    return resolve(l, &root) && add_subtree(l, root, 1);
}

static bool check_plan(layout* l, dr_memory* memory, int32_t root)
{
    int triangle_count = l->surface->triangle_count;
    l->node_seen = dr_new_zeroed(memory, uint8_t, l->plan_count + 1);
    l->triangle_seen = dr_new_zeroed(memory, uint8_t, triangle_count + 1);
    bool is_sound = l->node_seen && l->triangle_seen && run_layout(l, root, false);
    dr_delete(memory, l->node_seen, l->plan_count + 1);
    dr_delete(memory, l->triangle_seen, triangle_count + 1);
    return is_sound;
}

// --- Trees ---

// Vectors may read past the end of an array.
enum { spare = 8 };

static size_t reach_count(const dr_tree* tree)
{
    return (size_t)tree->node_count * 6 * (size_t)tree->width;
}

static bool allocate(dr_tree* tree, dr_memory* memory)
{
    size_t nodes = (size_t)tree->node_count, places = (size_t)tree->triangle_count + spare;
    tree->nodes = dr_new_zeroed(memory, dr_tree_node, nodes + 1);
    tree->child = dr_new_zeroed(memory, int32_t, nodes * (size_t)tree->width);
    tree->reach = dr_new(memory, float, reach_count(tree));
    tree->triangle_of_place = dr_new_zeroed(memory, int32_t, places);
    tree->cut = dr_new(memory, int32_t, nodes);
    tree->span = dr_allocate(memory, dr_array_bytes(nodes, sizeof *tree->span));
    bool is_done = tree->nodes && tree->child && tree->reach && tree->triangle_of_place &&
                   tree->cut && tree->span;
    for (int k = 0; k < 3; ++k) {
        tree->corner[k] = dr_new_zeroed(memory, int32_t, places);
        is_done = is_done && tree->corner[k];
        if (tree->vertex_count <= DR_TREE_MOST_KEYS) {
            tree->corner_key[k] = dr_new_zeroed(memory, float, places);
            is_done = is_done && tree->corner_key[k];
        }
    }
    return is_done;
}

static void clear_boxes(dr_tree* tree)
{
    size_t count = reach_count(tree);
    for (size_t i = 0; i < count; ++i) {
        tree->reach[i] = -INFINITY;
    }
    for (int r = 0; r < 6; ++r) {
        tree->root[r] = -INFINITY;
    }
}

static void set_spans(dr_tree* tree)
{
    for (int n = tree->node_count - 1; n >= 0; --n) {
        int32_t least = INT32_MAX, greatest = -1;
        for (int i = 0; i < tree->nodes[n].child_count; ++i) {
            int32_t child = tree->child[n * tree->width + i];
            bool is_leaf = tree->nodes[n].is_leaf;
            int32_t lo = is_leaf ? tree->triangle_of_place[child] : tree->span[child][0];
            int32_t hi = is_leaf ? tree->triangle_of_place[child] : tree->span[child][1];
            least = lo < least ? lo : least;
            greatest = hi > greatest ? hi : greatest;
        }
        tree->span[n][0] = least;
        tree->span[n][1] = greatest;
    }
}

static void cut_subtrees(dr_tree* tree)
{
    int n = 0;
    while (n < tree->node_count) {
        if (dr_tree_is_task(tree, n)) {
            tree->cut[tree->cut_count++] = n;
            n = tree->nodes[n].end;
        } else {
            ++n;
        }
    }
}

bool dr_tree_create(dr_tree* tree, dr_memory* memory, const dr_tree_plan* plan,
                    const dr_surface* surface, drape_isa isa)
{
    *tree = (dr_tree){.isa = dr_isa_resolve(isa), .vertex_count = surface->vertex_count};
    layout l = {.tree = tree,
                .plan = plan->nodes.data,
                .plan_count = plan->nodes.count,
                .surface = surface,
                .widest = 2};
    bool is_empty = plan->nodes.count == 0 && plan->root >= 0;
    if (!is_empty && !check_plan(&l, memory, plan->root)) {
        return false;
    }
    tree->node_count = l.node_count;
    tree->triangle_count = l.place_count;
    tree->width = l.widest <= 2 ? 2 : l.widest <= 4 ? 4 : 8;
    // Without a triangle there is no node either; searches then find nothing.
    if (!allocate(tree, memory) && tree->node_count > 0) {
        dr_tree_free(tree, memory);
        return false;
    }
    if (!is_empty) {
        run_layout(&l, plan->root, true);
        tree->nodes[tree->node_count].first = tree->triangle_count;
    }
    clear_boxes(tree);
    set_spans(tree);
    cut_subtrees(tree);
    return true;
}

bool dr_tree_build(dr_tree* tree, dr_memory* memory, const dr_surface* surface, dr_plan_fn* builder,
                   drape_isa isa)
{
    dr_tree_plan plan = {0};
    bool is_built =
        builder(&plan, memory, surface) && dr_tree_create(tree, memory, &plan, surface, isa);
    dr_plan_free(&plan, memory);
    return is_built;
}

void dr_tree_free(dr_tree* tree, dr_memory* memory)
{
    size_t nodes = (size_t)tree->node_count, places = (size_t)tree->triangle_count + spare;
    dr_delete(memory, tree->nodes, nodes + 1);
    dr_delete(memory, tree->child, nodes * (size_t)tree->width);
    dr_delete(memory, tree->reach, reach_count(tree));
    dr_delete(memory, tree->triangle_of_place, places);
    dr_delete(memory, tree->cut, nodes);
    dr_delete(memory, tree->span, nodes);
    for (int k = 0; k < 3; ++k) {
        dr_delete(memory, tree->corner[k], places);
        dr_delete(memory, tree->corner_key[k], places);
    }
    dr_delete(memory, tree->directions, nodes);
    dr_delete(memory, tree->cones, nodes);
    dr_delete(memory, tree->present, nodes);
    dr_delete(memory, tree->wanted, nodes);
    dr_delete(memory, tree->region, places);
    *tree = (dr_tree){0};
}

void dr_tree_box(const dr_tree* tree, int node, drape_vec3* lo, drape_vec3* hi)
{
    const float* rows = tree->reach + (size_t)node * 6 * (size_t)tree->width;
    float reach[6];
    for (int r = 0; r < 6; ++r) {
        reach[r] = -INFINITY;
        for (int i = 0; i < tree->nodes[node].child_count; ++i) {
            reach[r] = fmaxf(reach[r], rows[r * tree->width + i]);
        }
    }
    *lo = (drape_vec3){-reach[0], -reach[1], -reach[2]};
    *hi = (drape_vec3){reach[3], reach[4], reach[5]};
}
