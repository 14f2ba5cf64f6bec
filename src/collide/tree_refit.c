#include <math.h>

#include "collide/tree_kernels.h"
#include "core/isa.h"

DR_KERNEL_TABLE(dr_refit_kernels)

// Least subtrees to a chunk of a thread.
enum { refit_grain = 8 };

typedef struct refit_work {
    const dr_tree* tree;
    const dr_motion* motion;
    const dr_refit_kernels* kernels;
} refit_work;

static void refit_subtrees(void* context, int begin, int end, int worker)
{
    const refit_work* work = context;
    const dr_tree* tree = work->tree;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int n = tree->cut[i];
        work->kernels->nodes(tree, work->motion, n, tree->nodes[n].end);
    }
}

// The nodes that lie before each subtree, after the one before it.
static void refit_top(const refit_work* work)
{
    const dr_tree* tree = work->tree;
    for (int i = tree->cut_count - 1; i >= 0; --i) {
        int begin = i > 0 ? tree->nodes[tree->cut[i - 1]].end : 0;
        work->kernels->nodes(tree, work->motion, begin, tree->cut[i]);
    }
}

void dr_tree_refit(dr_tree* tree, dr_pool* pool, const dr_motion* motion)
{
    if (tree->node_count == 0) {
        return;
    }
    refit_work work = {tree, motion, dr_refit_kernels_for(tree->isa)};
    dr_parallel_for(pool, tree->cut_count, refit_grain, refit_subtrees, &work);
    refit_top(&work);
    drape_vec3 lo, hi;
    dr_tree_box(tree, 0, &lo, &hi);
    const float root[6] = {-lo.x, -lo.y, -lo.z, hi.x, hi.y, hi.z};
    for (int r = 0; r < 6; ++r) {
        tree->root[r] = root[r];
    }
}

// --- Decay ---

// Half the surface of the boxes of a node's children.
static double surface_of(const dr_tree* tree, int node)
{
    const float* rows = tree->reach + (size_t)node * 6 * (size_t)tree->width;
    int width = tree->width;
    double sum = 0.0;
    for (int i = 0; i < tree->nodes[node].child_count; ++i) {
        double size[3];
        for (int c = 0; c < 3; ++c) {
            size[c] = (double)rows[c * width + i] + rows[(c + 3) * width + i];
        }
        sum += size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
    }
    return sum;
}

double dr_tree_decay(dr_tree* tree)
{
    double of_nodes = 0.0, of_triangles = 0.0;
    for (int n = 0; n < tree->node_count; ++n) {
        *(tree->nodes[n].is_leaf ? &of_triangles : &of_nodes) += surface_of(tree, n);
    }
    // Flat along an axis and in it: no surface, and nothing to compare.
    double grouping = of_triangles > 0.0 ? of_nodes / of_triangles : 0.0;
    if (!(tree->grouping > 0.0)) {
        tree->grouping = grouping;
    }
    return tree->grouping > 0.0 ? grouping / tree->grouping : 1.0;
}
