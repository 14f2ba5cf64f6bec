#include "collide/tree_query.h"

#include "collide/tree_kernels.h"
#include "core/isa.h"

DR_KERNEL_TABLE(dr_query_kernels)

int dr_tree_box_query(const dr_tree* tree, drape_vec3 lo, drape_vec3 hi, int32_t* triangles,
                      int capacity)
{
    const float reach[6] = {-lo.x, -lo.y, -lo.z, hi.x, hi.y, hi.z};
    if (tree->node_count == 0) {
        return 0;
    }
    return dr_query_kernels_for(tree->isa)->box(tree, reach, triangles, capacity);
}

bool dr_tree_ray_nearest(const dr_tree* tree, const float* positions, int stride,
                         const dr_tree_ray* ray, dr_tree_ray_hit* hit)
{
    if (tree->node_count == 0) {
        return false;
    }
    return dr_query_kernels_for(tree->isa)->ray(tree, positions, stride, ray, false, hit);
}

bool dr_tree_ray_any(const dr_tree* tree, const float* positions, int stride,
                     const dr_tree_ray* ray)
{
    dr_tree_ray_hit hit;
    if (tree->node_count == 0) {
        return false;
    }
    return dr_query_kernels_for(tree->isa)->ray(tree, positions, stride, ray, true, &hit);
}

bool dr_tree_point_nearest(const dr_tree* tree, const float* positions, int stride,
                           const dr_tree_near_query* query, dr_tree_near* near)
{
    if (tree->node_count == 0) {
        return false;
    }
    return dr_query_kernels_for(tree->isa)->nearest(tree, positions, stride, query, near);
}
