// What of an obstacle is near: searches in its tree that contact/slide.h wants.
#include "collide/tree_query.h"
#include "contact/slide_parts.h"

int dr_guest_query(const dr_slide_guest* guest, const double lo[3], const double hi[3],
                   int32_t* triangles, int capacity)
{
    drape_vec3 low = {(float)lo[0], (float)lo[1], (float)lo[2]};
    drape_vec3 high = {(float)hi[0], (float)hi[1], (float)hi[2]};
    return dr_tree_box_query(&guest->body->shell.tree, low, high, triangles, capacity);
}

enum { STACK = DR_TREE_DEPTH * DR_TREE_ARITY };

// Row `r` of the boxes of a node's children.
static const float* row_of(const dr_tree* tree, int node, int r)
{
    return tree->reach + ((size_t)node * 6 + (size_t)r) * (size_t)tree->width;
}

// Of each child of a node.
static void squared_to_children(const dr_tree* tree, int node, const double p[3], double* squared)
{
    int width = tree->width;
    for (int lane = 0; lane < width; ++lane) {
        squared[lane] = 0.0;
    }
    for (int c = 0; c < 3; ++c) {
        const float *low = row_of(tree, node, c), *high = row_of(tree, node, c + 3);
        for (int lane = 0; lane < width; ++lane) {
            double out =
                dr_most(dr_most(-(double)low[lane] - p[c], p[c] - (double)high[lane]), 0.0);
            squared[lane] += out * out;
        }
    }
}

typedef struct near_child {
    double squared;
    int32_t child;
} near_child;

// The children of a node that are nearer than `best`, the nearest last.
static int sort_children(const dr_tree* tree, int node, const double p[3], double best,
                         near_child* out)
{
    double squared[DR_TREE_ARITY];
    int count = 0;
    squared_to_children(tree, node, p, squared);
    for (int lane = 0; lane < tree->nodes[node].child_count; ++lane) {
        near_child child = {squared[lane], tree->child[node * tree->width + lane]};
        if (child.squared > best) {
            continue;
        }
        int at = count++;
        for (; at > 0 && out[at - 1].squared < child.squared; --at) {
            out[at] = out[at - 1];
        }
        out[at] = child;
    }
    return count;
}

typedef struct nearest_search {
    double best; // squared
    int triangle;
} nearest_search;

static void try_triangle(const dr_slide_guest* guest, int triangle, const double p[3],
                         nearest_search* found)
{
    double corners[3][3], foot[3], way[3];
    dr_guest_corners(guest, triangle, false, corners);
    dr_nearest_of_triangle(p, DR_POINTS(corners), foot);
    dr_sub3(p, foot, way);
    double squared = dr_dot3(way, way);
    if (squared < found->best || (squared == found->best && triangle < found->triangle)) {
        *found = (nearest_search){squared, triangle};
    }
}

int dr_guest_nearest(const dr_slide_guest* guest, const double p[3], double most, int hint,
                     double* distance)
{
    const dr_tree* tree = &guest->body->shell.tree;
    nearest_search found = {most * most, -1};
    near_child stack[STACK];
    int count = 0;
    if (hint >= 0) {
        try_triangle(guest, hint, p, &found);
    }
    stack[count++] = (near_child){0.0, 0};
    while (count > 0 && tree->node_count > 0) {
        near_child top = stack[--count];
        if (top.squared > found.best) {
            continue;
        }
        near_child children[DR_TREE_ARITY];
        int near_count = sort_children(tree, top.child, p, found.best, children);
        bool is_leaf = tree->nodes[top.child].is_leaf;
        for (int k = near_count - 1; is_leaf && k >= 0; --k) {
            try_triangle(guest, tree->triangle_of_place[children[k].child], p, &found);
        }
        for (int k = 0; !is_leaf && k < near_count; ++k) {
            stack[count++] = children[k];
        }
    }
    if (distance) {
        *distance = sqrt(found.best);
    }
    return found.triangle;
}

// Which children of a node meet the box and are not behind the plane, as far as their boxes tell.
static int lanes_above(const dr_tree* tree, int node, const dr_slide_plane* plane, double depth,
                       const double lo[3], const double hi[3])
{
    int width = tree->width, lanes = 0;
    double highest[DR_TREE_ARITY], gap[DR_TREE_ARITY];
    for (int lane = 0; lane < width; ++lane) {
        highest[lane] = plane->offset;
        gap[lane] = -INFINITY;
    }
    for (int c = 0; c < 3; ++c) {
        const float *low = row_of(tree, node, c), *high = row_of(tree, node, c + 3);
        double n = plane->normal[c], up = dr_most(n, 0.0), down = dr_most(-n, 0.0);
        for (int lane = 0; lane < width; ++lane) {
            highest[lane] += up * (double)high[lane] + down * (double)low[lane];
            gap[lane] =
                dr_most(gap[lane], dr_most(-(double)low[lane] - hi[c], lo[c] - (double)high[lane]));
        }
    }
    for (int lane = 0; lane < tree->nodes[node].child_count; ++lane) {
        lanes |= (highest[lane] > -depth && gap[lane] <= 0.0) << lane;
    }
    return lanes;
}

static bool is_triangle_behind(const dr_slide_guest* guest, int triangle,
                               const dr_slide_plane* plane, double depth)
{
    double corners[3][3];
    dr_guest_corners(guest, triangle, false, corners);
    return dr_height(plane, corners[0]) <= -depth && dr_height(plane, corners[1]) <= -depth &&
           dr_height(plane, corners[2]) <= -depth;
}

// The normal is one part along that of the slab and one across it.
static bool is_slab_behind(const dr_slab* slab, const dr_slide_plane* plane, double depth)
{
    double across[3], along = dr_dot3(plane->normal, slab->normal);
    dr_along3(plane->normal, -along, slab->normal, across);
    double highest = along * (along > 0.0 ? slab->top : slab->bottom) +
                     dr_dot3(across, slab->middle) + sqrt(dr_dot3(across, across)) * slab->radius;
    return highest + plane->offset <= -depth;
}

bool dr_guest_is_behind(const dr_slide_guest* guest, const dr_slide_plane* plane, double depth,
                        const double lo[3], const double hi[3])
{
    const dr_tree* tree = &guest->body->shell.tree;
    int32_t stack[STACK];
    int count = 0;
    stack[count++] = 0;
    while (count > 0 && tree->node_count > 0) {
        int node = stack[--count];
        if (is_slab_behind(&guest->slabs[node], plane, depth)) {
            continue;
        }
        int lanes = lanes_above(tree, node, plane, depth, lo, hi);
        for (int lane = 0; lanes >> lane != 0; ++lane) {
            int32_t child = tree->child[node * tree->width + lane];
            if (!(lanes >> lane & 1)) {
                continue;
            }
            if (!tree->nodes[node].is_leaf) {
                stack[count++] = child;
            } else if (!is_triangle_behind(guest, tree->triangle_of_place[child], plane, depth)) {
                return false;
            }
        }
    }
    return true;
}

// A ray that first meets a triangle from behind comes from inside. Of three rays most are right,
// should one of them meet an edge.
bool dr_guest_is_inside(const dr_slide_guest* guest, const double p[3])
{
    static const drape_vec3 directions[3] = {
        {0.83f, 0.41f, -0.37f}, {-0.36f, 0.85f, 0.39f}, {-0.34f, -0.43f, 0.84f}};
    const dr_body* body = guest->body;
    int votes = 0;
    for (int k = 0; k < 3; ++k) {
        dr_tree_ray ray = {{(float)p[0], (float)p[1], (float)p[2]}, directions[k], 0.0f, INFINITY};
        dr_tree_ray_hit hit;
        if (dr_tree_ray_nearest(&body->shell.tree, body->from, 4, &ray, &hit)) {
            const double* n = guest->planes[hit.triangle].normal;
            votes += n[0] * (double)ray.direction.x + n[1] * (double)ray.direction.y +
                         n[2] * (double)ray.direction.z >
                     0.0;
        }
    }
    return votes >= 2;
}
