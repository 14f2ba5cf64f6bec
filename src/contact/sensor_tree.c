#include "contact/sensor_tree.h"

#include <stdlib.h>

#include "collide/tree_build.h"
#include "core/vec_math.h"

// --- Sides ---

// What is known of the mesh while the tree is made.
typedef struct making {
    dr_sensor_tree* of;
    dr_memory* memory;
    int32_t (*triangles)[3]; // turned so that neighbours agree
    int8_t* turn;            // of a triangle: 0 unknown, 1 as it is, -1 turned
    int32_t* stack;
    int32_t* edge_uses;    // triangles at each edge
    int32_t *leaf, *above; // the leaf of a triangle; the node above each node
} making;

// Whether the triangle has its edge opposite to corner k from the lower vertex to the higher.
static bool runs_up(const int32_t v[3], int k)
{
    return v[(k + 1) % 3] < v[(k + 2) % 3];
}

static int corner_of_edge(const dr_mesh* mesh, int triangle, int edge)
{
    const int32_t* e = mesh->triangle_edges + 3 * triangle;
    return e[0] == edge ? 0 : e[1] == edge ? 1 : 2;
}

static void count_uses(making* m)
{
    const dr_mesh* mesh = m->of->mesh;
    for (int h = 0; h < 3 * mesh->triangle_count; ++h) {
        int edge = mesh->triangle_edges[h];
        if (edge >= 0) {
            ++m->edge_uses[edge];
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        m->of->is_bad_edge[e] = m->edge_uses[e] > 2;
    }
}

// Gives the neighbours of a triangle its side; where one has another already, the edge is bad.
static int turn_neighbours(making* m, int t, int depth)
{
    const dr_mesh* mesh = m->of->mesh;
    for (int k = 0; k < 3; ++k) {
        int edge = mesh->triangle_edges[3 * t + k];
        if (edge < 0 || m->edge_uses[edge] != 2) {
            continue;
        }
        const int32_t* pair = mesh->edges[edge].t;
        int other = pair[0] == t ? pair[1] : pair[0];
        // Neighbours agree when they have the edge in opposite directions.
        bool up = runs_up(mesh->triangles[t], k);
        bool other_up = runs_up(mesh->triangles[other], corner_of_edge(mesh, other, edge));
        int wanted = up != other_up ? m->turn[t] : -m->turn[t];
        if (m->turn[other] == 0) {
            m->turn[other] = (int8_t)wanted;
            m->stack[depth++] = other;
        } else if (m->turn[other] != wanted) {
            m->of->is_bad_edge[edge] = true;
        }
    }
    return depth;
}

static void turn_triangles(making* m)
{
    const dr_mesh* mesh = m->of->mesh;
    for (int first = 0; first < mesh->triangle_count; ++first) {
        int depth = 0;
        if (m->turn[first] == 0) {
            m->turn[first] = 1;
            m->stack[depth++] = first;
        }
        while (depth > 0) {
            --depth;
            depth = turn_neighbours(m, m->stack[depth], depth);
        }
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles[t];
        bool is_turned = m->turn[t] < 0;
        m->triangles[t][0] = v[0];
        m->triangles[t][1] = v[is_turned ? 2 : 1];
        m->triangles[t][2] = v[is_turned ? 1 : 2];
    }
}

// --- Connected patches ---

static void find_leaves(making* m)
{
    const dr_tree* tree = &m->of->tree;
    m->above[0] = -1;
    for (int n = 0; n < tree->node_count; ++n) {
        for (int i = 0; i < tree->nodes[n].child_count; ++i) {
            int32_t child = tree->child[n * tree->width + i];
            if (tree->nodes[n].is_leaf) {
                m->leaf[tree->triangle_of_place[child]] = n;
            } else {
                m->above[child] = n;
            }
        }
    }
}

// The lowest node that has both. Nodes are numbered before those below them.
static int common_node(const making* m, int a, int b)
{
    while (a != b) {
        if (a > b) {
            a = m->above[a];
        } else {
            b = m->above[b];
        }
    }
    return a;
}

// Marks the nodes that an edge joins, or breaks. Trees are binary: one join is enough.
static void mark_edges(making* m, bool* is_joined, bool* is_broken)
{
    const dr_mesh* mesh = m->of->mesh;
    for (int e = 0; e < mesh->edge_count; ++e) {
        const int32_t* t = mesh->edges[e].t;
        if (t[1] >= 0) {
            int node = common_node(m, m->leaf[t[0]], m->leaf[t[1]]);
            is_joined[node] = true;
            is_broken[node] |= m->of->is_bad_edge[e];
        }
    }
    // Of an edge with more triangles the mesh names two; all of them are out.
    for (int h = 0; h < 3 * mesh->triangle_count; ++h) {
        int edge = mesh->triangle_edges[h];
        if (edge < 0 || m->edge_uses[edge] > 2) {
            is_broken[m->leaf[h / 3]] = true;
        }
    }
}

static bool find_surfaces(making* m)
{
    const dr_tree* tree = &m->of->tree;
    int nodes = tree->node_count;
    bool* is_joined = dr_new_zeroed(m->memory, bool, nodes + 1);
    bool* is_broken = dr_new_zeroed(m->memory, bool, nodes + 1);
    bool is_ready = is_joined && is_broken;
    if (is_ready) {
        mark_edges(m, is_joined, is_broken);
        for (int n = nodes - 1; n >= 0; --n) {
            bool is_sound = !is_broken[n] && (tree->nodes[n].child_count < 2 || is_joined[n]);
            for (int i = 0; i < tree->nodes[n].child_count && !tree->nodes[n].is_leaf; ++i) {
                is_sound = is_sound && m->of->is_surface[tree->child[n * tree->width + i]];
            }
            m->of->is_surface[n] = is_sound;
        }
    }
    dr_delete(m->memory, is_joined, nodes + 1);
    dr_delete(m->memory, is_broken, nodes + 1);
    return is_ready;
}

// --- Borders ---

typedef struct piece {
    int start, count;
} piece;

static bool push(making* m, dr_array* list, int32_t value)
{
    int32_t* place = dr_array_push(m->memory, list, sizeof *place);
    if (place) {
        *place = value;
    }
    return place != NULL;
}

// The three edges of a triangle at the end of the list, ascending.
static bool push_triangle(making* m, int triangle, piece* out)
{
    dr_sensor_tree* of = m->of;
    *out = (piece){of->borders.count, 0};
    for (int k = 0; k < 3; ++k) {
        int edge = of->mesh->triangle_edges[3 * triangle + k];
        if (edge < 0) {
            continue;
        }
        int32_t value = 2 * edge;
        // Edges stay those of the mesh: a turned triangle has each the other way round.
        bool up = runs_up(of->mesh->triangles[triangle], k) == (m->turn[triangle] > 0);
        value += !up;
        if (!push(m, &of->borders, value)) {
            return false;
        }
        int32_t* list = (int32_t*)of->borders.data + out->start;
        int i = out->count++;
        for (; i > 0 && list[i - 1] > value; --i) {
            list[i] = list[i - 1];
        }
        list[i] = value;
    }
    return true;
}

// What only one of two lists has; an edge of both is inside.
static bool push_union(making* m, piece a, piece b, piece* out)
{
    dr_array* list = &m->of->borders;
    *out = (piece){list->count, 0};
    int i = 0, j = 0;
    while (i < a.count || j < b.count) {
        const int32_t* data = list->data;
        int32_t p = i < a.count ? data[a.start + i] : INT32_MAX;
        int32_t q = j < b.count ? data[b.start + j] : INT32_MAX;
        i += p / 2 <= q / 2;
        j += q / 2 <= p / 2;
        if (p / 2 != q / 2 && !push(m, list, p < q ? p : q)) {
            return false;
        }
    }
    out->count = list->count - out->start;
    return true;
}

static bool border_of_node(making* m, int n)
{
    dr_sensor_tree* of = m->of;
    const dr_tree* tree = &of->tree;
    piece sum = {0};
    for (int i = 0; i < tree->nodes[n].child_count; ++i) {
        int32_t child = tree->child[n * tree->width + i];
        piece next = {0}, both = {0};
        if (!tree->nodes[n].is_leaf) {
            next = (piece){of->border_start[child], of->border_count[child]};
        } else if (!push_triangle(m, tree->triangle_of_place[child], &next)) {
            return false;
        }
        if (!push_union(m, sum, next, &both)) {
            return false;
        }
        sum = both;
    }
    of->border_start[n] = sum.start;
    of->border_count[n] = sum.count;
    return true;
}

static int compare_ints(const void* a, const void* b)
{
    int32_t p = *(const int32_t*)a, q = *(const int32_t*)b;
    return p < q ? -1 : p > q;
}

static bool rim_of_node(making* m, int n)
{
    dr_sensor_tree* of = m->of;
    int start = of->rims.count, kept = start;
    for (int i = 0; i < of->border_count[n]; ++i) {
        int32_t edge = ((const int32_t*)of->borders.data)[of->border_start[n] + i] / 2;
        if (!push(m, &of->rims, of->mesh->edges[edge].v[0]) ||
            !push(m, &of->rims, of->mesh->edges[edge].v[1])) {
            return false;
        }
    }
    int32_t* rims = of->rims.data;
    if (of->rims.count > start) {
        qsort(rims + start, (size_t)(of->rims.count - start), sizeof *rims, compare_ints);
    }
    for (int i = start; i < of->rims.count; ++i) {
        if (i == start || rims[i] != rims[kept - 1]) {
            rims[kept++] = rims[i];
        }
    }
    of->rims.count = kept;
    of->rim_start[n] = start;
    of->rim_count[n] = kept - start;
    return true;
}

static bool find_borders(making* m)
{
    dr_sensor_tree* of = m->of;
    int most = 0;
    bool is_done = true;
    for (int n = of->tree.node_count - 1; n >= 0 && is_done; --n) {
        is_done = border_of_node(m, n) && rim_of_node(m, n);
        most = is_done && of->border_count[n] > most ? of->border_count[n] : most;
    }
    return is_done && dr_outline_create(&of->outline, m->memory, 2 * most, of->mesh->vertex_count);
}

// --- Create and free ---

static bool make_tree(making* m, drape_isa isa)
{
    const dr_mesh* mesh = m->of->mesh;
    dr_surface surface = {
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .edge_count = mesh->edge_count,
        .triangles = (const int32_t(*)[3])m->triangles,
        .rest = mesh->rest,
        .triangle_edges = mesh->triangle_edges,
        .owned = mesh->owned,
    };
    return dr_tree_build(&m->of->tree, m->memory, &surface, dr_plan_bottom_up, isa);
}

static bool allocate_nodes(making* m)
{
    dr_sensor_tree* of = m->of;
    int nodes = of->tree.node_count + 1;
    of->box = dr_allocate(m->memory, dr_array_bytes((size_t)nodes, sizeof *of->box));
    of->is_surface = dr_new_zeroed(m->memory, bool, nodes);
    of->border_start = dr_new_zeroed(m->memory, int32_t, nodes);
    of->border_count = dr_new_zeroed(m->memory, int32_t, nodes);
    of->rim_start = dr_new_zeroed(m->memory, int32_t, nodes);
    of->rim_count = dr_new_zeroed(m->memory, int32_t, nodes);
    of->positive = dr_new_zeroed(m->memory, uint8_t, nodes);
    m->above = dr_new(m->memory, int32_t, nodes);
    return of->box && of->is_surface && of->border_start && of->border_count && of->rim_start &&
           of->rim_count && of->positive && m->above;
}

static bool make_all(making* m, drape_isa isa)
{
    const dr_mesh* mesh = m->of->mesh;
    size_t triangles = (size_t)mesh->triangle_count + 1, edges = (size_t)mesh->edge_count + 1;
    m->triangles = dr_allocate(m->memory, dr_array_bytes(triangles, sizeof *m->triangles));
    m->turn = dr_new_zeroed(m->memory, int8_t, triangles);
    m->stack = dr_new(m->memory, int32_t, triangles);
    m->leaf = dr_new_zeroed(m->memory, int32_t, triangles);
    m->edge_uses = dr_new_zeroed(m->memory, int32_t, edges);
    m->of->is_bad_edge = dr_new_zeroed(m->memory, bool, edges);
    if (!m->triangles || !m->turn || !m->stack || !m->leaf || !m->edge_uses ||
        !m->of->is_bad_edge) {
        return false;
    }
    count_uses(m);
    turn_triangles(m);
    if (!make_tree(m, isa) || !allocate_nodes(m)) {
        return false;
    }
    find_leaves(m);
    return find_surfaces(m) && find_borders(m);
}

bool dr_sensor_tree_create(dr_sensor_tree* of, dr_memory* memory, const dr_mesh* mesh,
                           drape_isa isa)
{
    *of = (dr_sensor_tree){.mesh = mesh};
    making m = {.of = of, .memory = memory};
    bool is_made = make_all(&m, isa);
    size_t triangles = (size_t)mesh->triangle_count + 1, edges = (size_t)mesh->edge_count + 1;
    dr_delete(memory, m.triangles, triangles);
    dr_delete(memory, m.turn, triangles);
    dr_delete(memory, m.stack, triangles);
    dr_delete(memory, m.leaf, triangles);
    dr_delete(memory, m.edge_uses, edges);
    dr_delete(memory, m.above, of->tree.node_count + 1);
    return is_made;
}

void dr_sensor_tree_free(dr_sensor_tree* of, dr_memory* memory)
{
    int nodes = of->tree.node_count + 1;
    dr_delete(memory, of->box, nodes);
    dr_delete(memory, of->is_surface, nodes);
    dr_delete(memory, of->border_start, nodes);
    dr_delete(memory, of->border_count, nodes);
    dr_delete(memory, of->rim_start, nodes);
    dr_delete(memory, of->rim_count, nodes);
    dr_delete(memory, of->positive, nodes);
    if (of->mesh) {
        dr_delete(memory, of->is_bad_edge, of->mesh->edge_count + 1);
    }
    dr_array_free(memory, &of->borders, sizeof(int32_t));
    dr_array_free(memory, &of->rims, sizeof(int32_t));
    dr_outline_free(&of->outline, memory);
    dr_tree_free(&of->tree, memory);
    *of = (dr_sensor_tree){0};
}
