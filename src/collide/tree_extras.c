// Normals and regions of nodes: what lets a search skip whole subtrees.
#include <math.h>

#include "collide/tree.h"
#include "core/vec_math.h"

// Leaves that bend less than this against a direction count as positive.
#define LEAST_DOT 0.02

typedef struct vec3d {
    double x, y, z;
} vec3d;

static vec3d vector_between(const float* a, const float* b)
{
    return (vec3d){(double)b[0] - a[0], (double)b[1] - a[1], (double)b[2] - a[2]};
}

// The unit normal; false when the triangle has no area.
static bool normal_of(const dr_tree* tree, int place, const float* positions, int stride,
                      vec3d* normal)
{
    const float* p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = positions + (size_t)tree->corner[k][place] * (size_t)stride;
    }
    vec3d u = vector_between(p[0], p[1]), v = vector_between(p[0], p[2]);
    vec3d n = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    if (!(length > 0.0)) {
        return false;
    }
    *normal = (vec3d){n.x / length, n.y / length, n.z / length};
    return true;
}

// --- Directions ---

// Of the 27 points of a grid of three around the origin, all but the middle.
static void direction_of(int k, double out[3])
{
    int point = k < 13 ? k : k + 1;
    double c[3] = {point % 3 - 1, point / 3 % 3 - 1, point / 9 - 1};
    double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    for (int i = 0; i < 3; ++i) {
        out[i] = c[i] / length;
    }
}

drape_vec3 dr_tree_direction(int k)
{
    double d[3];
    direction_of(k, d);
    return (drape_vec3){(float)d[0], (float)d[1], (float)d[2]};
}

static uint32_t mask_of(const dr_tree* tree, int place, const float* positions, int stride,
                        double directions[][3])
{
    vec3d n;
    uint32_t mask = 0;
    if (!normal_of(tree, place, positions, stride, &n)) {
        return (1u << DR_TREE_DIRECTION_COUNT) - 1;
    }
    for (int k = 0; k < DR_TREE_DIRECTION_COUNT; ++k) {
        const double* d = directions[k];
        mask |= (uint32_t)(n.x * d[0] + n.y * d[1] + n.z * d[2] > LEAST_DOT) << k;
    }
    return mask;
}

bool dr_tree_refit_directions(dr_tree* tree, dr_memory* memory, const float* positions, int stride)
{
    double directions[DR_TREE_DIRECTION_COUNT][3];
    if (!tree->directions && tree->node_count > 0) {
        tree->directions = dr_new(memory, uint32_t, tree->node_count);
        if (!tree->directions) {
            return false;
        }
    }
    for (int k = 0; k < DR_TREE_DIRECTION_COUNT; ++k) {
        direction_of(k, directions[k]);
    }
    for (int n = tree->node_count - 1; n >= 0; --n) {
        uint32_t mask = (1u << DR_TREE_DIRECTION_COUNT) - 1;
        for (int i = 0; i < tree->nodes[n].child_count; ++i) {
            int32_t child = tree->child[n * tree->width + i];
            mask &= tree->nodes[n].is_leaf ? mask_of(tree, child, positions, stride, directions)
                                           : tree->directions[child];
        }
        tree->directions[n] = mask;
    }
    return true;
}

// --- Cones ---

// Cosines and sines are floats, axes too: a cone is wider than what was computed by this, rad.
#define CONE_SLACK 1e-6

static const dr_cone all_directions = {{0.0f, 0.0f, 1.0f}, -1.0f, 0.0f};
// Holds nothing; the first merge gives the other cone.
static const dr_cone no_direction = {{0.0f, 0.0f, 0.0f}, 1.0f, 0.0f};

static vec3d unit_axis(dr_cone cone)
{
    double x = cone.axis.x, y = cone.axis.y, z = cone.axis.z, length = sqrt(x * x + y * y + z * z);
    return (vec3d){x / length, y / length, z / length};
}

static bool is_nothing(dr_cone cone)
{
    return cone.axis.x == 0.0f && cone.axis.y == 0.0f && cone.axis.z == 0.0f;
}

static dr_cone cone_of_angle(double x, double y, double z, double angle)
{
    double length = sqrt(x * x + y * y + z * z), pi = 3.14159265358979323846;
    if (!(length > 0.0) || !(angle + CONE_SLACK < pi)) {
        return all_directions;
    }
    return (dr_cone){{(float)(x / length), (float)(y / length), (float)(z / length)},
                     (float)dr_cos(angle + CONE_SLACK),
                     (float)dr_sin(angle + CONE_SLACK)};
}

dr_cone dr_cone_merge(dr_cone a, dr_cone b)
{
    if (is_nothing(a) || is_nothing(b)) {
        return is_nothing(a) ? b : a;
    }
    if (a.cosine <= -1.0f || b.cosine <= -1.0f) {
        return all_directions;
    }
    double angle_a = dr_atan2(a.sine, a.cosine), angle_b = dr_atan2(b.sine, b.cosine);
    if (angle_a < angle_b) {
        dr_cone swap = a;
        double swap_angle = angle_a;
        a = b;
        b = swap;
        angle_a = angle_b;
        angle_b = swap_angle;
    }
    // Of length 1 in doubles, or the plane of two nearly opposite axes is lost.
    vec3d u = unit_axis(a), v = unit_axis(b);
    double cosine = u.x * v.x + u.y * v.y + u.z * v.z;
    vec3d c = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    double sine = sqrt(c.x * c.x + c.y * c.y + c.z * c.z), between = dr_atan2(sine, cosine);
    if (between + angle_b <= angle_a) {
        return a;
    }
    // From the far side of a to the far side of b, the axis in the middle.
    double angle = 0.5 * (angle_a + between + angle_b), turn = angle - angle_a;
    if (!(sine > 0.0)) {
        return cosine > 0.0 ? cone_of_angle(u.x, u.y, u.z, angle_a) : all_directions;
    }
    double along = dr_cos(turn), across = dr_sin(turn) / sine;
    return cone_of_angle(u.x * along + (v.x - u.x * cosine) * across,
                         u.y * along + (v.y - u.y * cosine) * across,
                         u.z * along + (v.z - u.z * cosine) * across, angle);
}

bool dr_cone_is_positive(dr_cone cone)
{
    return cone.cosine > 0.0f;
}

bool dr_tree_refit_cones(dr_tree* tree, dr_memory* memory, const float* positions, int stride)
{
    if (!tree->cones && tree->node_count > 0) {
        tree->cones = dr_new(memory, dr_cone, tree->node_count);
        if (!tree->cones) {
            return false;
        }
    }
    for (int n = tree->node_count - 1; n >= 0; --n) {
        dr_cone cone = no_direction;
        for (int i = 0; i < tree->nodes[n].child_count; ++i) {
            int32_t child = tree->child[n * tree->width + i];
            vec3d normal;
            if (!tree->nodes[n].is_leaf) {
                cone = dr_cone_merge(cone, tree->cones[child]);
            } else if (normal_of(tree, child, positions, stride, &normal)) {
                cone = dr_cone_merge(cone, cone_of_angle(normal.x, normal.y, normal.z, 0.0));
            }
        }
        tree->cones[n] = cone;
    }
    return true;
}

// --- Regions ---

bool dr_tree_set_regions(dr_tree* tree, dr_memory* memory, const uint8_t* region,
                         const uint32_t allow[32])
{
    int nodes = tree->node_count;
    if (!tree->region && nodes > 0) {
        // As many as the other arrays by place, so that they are freed alike.
        tree->region = dr_new_zeroed(memory, uint8_t, tree->triangle_count + 8);
        tree->present = dr_new(memory, uint32_t, nodes);
        tree->wanted = dr_new(memory, uint32_t, nodes);
        if (!tree->region || !tree->present || !tree->wanted) {
            dr_delete(memory, tree->region, tree->triangle_count + 8);
            dr_delete(memory, tree->present, nodes);
            dr_delete(memory, tree->wanted, nodes);
            tree->region = NULL;
            tree->present = tree->wanted = NULL;
            return false;
        }
    }
    for (int r = 0; r < 32; ++r) {
        tree->allow[r] = allow[r];
    }
    for (int p = 0; p < tree->triangle_count; ++p) {
        tree->region[p] = region[tree->triangle_of_place[p]] & 31;
    }
    for (int n = nodes - 1; n >= 0; --n) {
        tree->present[n] = tree->wanted[n] = 0;
        for (int i = 0; i < tree->nodes[n].child_count; ++i) {
            int32_t child = tree->child[n * tree->width + i];
            bool is_leaf = tree->nodes[n].is_leaf;
            tree->present[n] |= is_leaf ? 1u << tree->region[child] : tree->present[child];
            tree->wanted[n] |= is_leaf ? allow[tree->region[child]] : tree->wanted[child];
        }
    }
    return true;
}
