#include "collide/separation.h"

#include <math.h>
#include <string.h>

#include "collide/expansion.h"

typedef struct vec {
    double x, y, z;
} vec;

static vec difference(drape_vec3 a, drape_vec3 b)
{
    return (vec){(double)a.x - b.x, (double)a.y - b.y, (double)a.z - b.z};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// v - t e
static vec without(vec v, double t, vec e)
{
    return (vec){v.x - t * e.x, v.y - t * e.y, v.z - t * e.z};
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// a b - c d to a few units in the last place, however much of it cancels.
static double product_difference(double a, double b, double c, double d)
{
    dr_two p = dr_two_product(a, b), q = dr_two_product(c, d);
    return (p.high - q.high) + (p.low - q.low);
}

static vec careful_cross(vec a, vec b)
{
    return (vec){product_difference(a.y, b.z, a.z, b.y), product_difference(a.z, b.x, a.x, b.z),
                 product_difference(a.x, b.y, a.y, b.x)};
}

// --- Features ---

// What takes a table of features is made once for each: the table becomes part of the code.
#define INLINE inline __attribute__((always_inline))

// Vertices before `split` are the first feature, the others the second.
typedef struct features {
    int split;
    int base[2], slanted[2]; // the two edges that span the face
    int from;                // the vertex at which the way from the start of `base` ends
    int corner_count;
    int corner[4][3]; // a vertex against an edge
} features;

static const features point_triangle = {
    .split = 1,
    .base = {1, 2},
    .slanted = {1, 3},
    .from = 0,
    .corner_count = 3,
    .corner = {{0, 2, 3}, {0, 1, 3}, {0, 1, 2}},
};

static const features two_edges = {
    .split = 2,
    .base = {0, 1},
    .slanted = {2, 3},
    .from = 2,
    .corner_count = 4,
    .corner = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}},
};

// --- Gap ---

typedef struct gap_along {
    double gap;       // lower bound
    int above, below; // the vertices that have it
} gap_along;

// A dot product of three terms, each with a rounded difference, a product and two sums, is wrong by
// less than 4.01 u m, u = 2^-53, m the sum of its terms without signs; a normal whose length is
// wrong by 5 u changes it by 5 u m. 16 u m leaves room for the rounding of all this.
static INLINE gap_along find_gap(const features* f, vec n, const drape_vec3 v[4])
{
    gap_along found = {INFINITY, 0, f->split};
    for (int i = 0; i < f->split; ++i) {
        for (int j = f->split; j < 4; ++j) {
            vec way = difference(v[i], v[j]);
            double x = n.x * way.x, y = n.y * way.y, z = n.z * way.z;
            double gap = (x + y + z) - 0x1p-49 * (fabs(x) + fabs(y) + fabs(z));
            if (gap < found.gap) {
                found = (gap_along){gap, i, j};
            }
        }
    }
    return found;
}

// Keeps a direction, either way round, when its gap is larger than that of the best so far.
static INLINE void try_direction(const features* f, const drape_vec3 v[4], vec direction,
                                 dr_direction kind, dr_separation* best)
{
    double length = sqrt(dot(direction, direction));
    if (!(length > 0.0)) {
        return;
    }
    // Where it separates at all, any two vertices tell which way.
    double scale = (dot(direction, difference(v[0], v[3])) < 0.0 ? -1.0 : 1.0) / length;
    vec n = {direction.x * scale, direction.y * scale, direction.z * scale};
    gap_along found = find_gap(f, n, v);
    if (best->kind != DR_DIRECTION_NONE && !(found.gap > best->gap)) {
        return;
    }
    best->kind = kind;
    best->gap = found.gap;
    best->normal[0] = n.x, best->normal[1] = n.y, best->normal[2] = n.z;
    drape_vec3 below = v[found.below];
    double half = 0.5 * dot(n, difference(v[found.above], below));
    best->middle[0] = below.x + half * n.x;
    best->middle[1] = below.y + half * n.y;
    best->middle[2] = below.z + half * n.z;
}

// --- Closest points ---

static double divisor(double a)
{
    return a > 0.0 ? a : 1.0;
}

// As in closest.h: all candidates, the least wins. Returns the direction that the winner tells.
typedef struct closest {
    double squared;
    double weight[4];
    vec direction;
    dr_direction kind;
} closest;

static INLINE void try_corner(const int corner[3], const drape_vec3 v[4], closest* best)
{
    vec edge = difference(v[corner[2]], v[corner[1]]);
    vec way = difference(v[corner[0]], v[corner[1]]);
    double t = dot(way, edge) / divisor(dot(edge, edge));
    bool is_inner = t > 0.0 && t < 1.0;
    t = t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
    way = t < 1.0 ? without(way, t, edge) : difference(v[corner[0]], v[corner[2]]);
    double squared = dot(way, way);
    if (squared < best->squared) {
        *best = (closest){squared, {0}, way, is_inner ? DR_DIRECTION_EDGE : DR_DIRECTION_POINT};
        best->weight[corner[0]] = 1.0;
        best->weight[corner[1]] = 1.0 - t;
        best->weight[corner[2]] = t;
    }
}

// Weights for the feet `s` along the base and `t` along the slanted edge; false when outside.
static INLINE bool face_weights(const features* f, double s, double t, double weight[4])
{
    if (f->split == 1) {
        weight[0] = 1.0, weight[1] = 1.0 - (s + t), weight[2] = s, weight[3] = t;
    } else {
        weight[0] = 1.0 - s, weight[1] = s, weight[2] = 1.0 + t, weight[3] = -t;
    }
    return weight[0] > 0.0 && weight[1] > 0.0 && weight[2] > 0.0 && weight[3] > 0.0;
}

static INLINE void try_face(const features* f, const drape_vec3 v[4], closest* best)
{
    vec base = difference(v[f->base[1]], v[f->base[0]]);
    vec slanted = difference(v[f->slanted[1]], v[f->slanted[0]]);
    vec from = difference(v[f->from], v[f->base[0]]);
    double inverse = 1.0 / divisor(dot(base, base)), weight[4];
    double along = dot(from, base) * inverse, slant = dot(slanted, base) * inverse;
    vec across = without(slanted, slant, base), rest = without(from, along, base);
    double t = dot(rest, across) / divisor(dot(across, across));
    if (!face_weights(f, along - t * slant, t, weight)) {
        return;
    }
    vec way = without(rest, t, across);
    double squared = dot(way, way);
    if (squared < best->squared) {
        *best = (closest){squared, {0}, cross(base, slanted), DR_DIRECTION_FACE};
        memcpy(best->weight, weight, sizeof weight);
    }
}

static INLINE closest find_closest(const features* f, const drape_vec3 v[4])
{
    closest best = {.squared = INFINITY};
    for (int k = 0; k < f->corner_count; ++k) {
        try_corner(f->corner[k], v, &best);
    }
    try_face(f, v, &best);
    return best;
}

// --- Separation ---

// Every direction that can be the best, each to a few units in the last place.
static void try_all(const features* f, const drape_vec3 v[4], dr_separation* best)
{
    vec base = difference(v[f->base[1]], v[f->base[0]]);
    vec slanted = difference(v[f->slanted[1]], v[f->slanted[0]]);
    try_direction(f, v, careful_cross(base, slanted), DR_DIRECTION_FACE, best);
    for (int k = 0; k < f->corner_count; ++k) {
        const int* corner = f->corner[k];
        vec edge = difference(v[corner[2]], v[corner[1]]);
        vec way = difference(v[corner[0]], v[corner[1]]);
        // Of the two cross products only the first cancels.
        try_direction(f, v, cross(careful_cross(edge, way), edge), DR_DIRECTION_EDGE, best);
    }
    for (int i = 0; i < f->split; ++i) {
        for (int j = f->split; j < 4; ++j) {
            try_direction(f, v, difference(v[i], v[j]), DR_DIRECTION_POINT, best);
        }
    }
}

static INLINE dr_separation separate(const features* f, const drape_vec3 v[4])
{
    closest found = find_closest(f, v);
    dr_separation best = {.kind = DR_DIRECTION_NONE, .distance = sqrt(found.squared)};
    memcpy(best.weight, found.weight, sizeof best.weight);
    try_direction(f, v, found.direction, found.kind, &best);
    if (!(best.gap >= (1.0 - 1e-6) * best.distance) || !(best.gap > 0.0)) {
        try_all(f, v, &best);
    }
    return best;
}

dr_separation dr_separate_point_triangle(const drape_vec3 v[4])
{
    return separate(&point_triangle, v);
}

dr_separation dr_separate_edges(const drape_vec3 v[4])
{
    return separate(&two_edges, v);
}

double dr_gap_point_triangle(const double normal[3], const drape_vec3 v[4])
{
    return find_gap(&point_triangle, (vec){normal[0], normal[1], normal[2]}, v).gap;
}

double dr_gap_edges(const double normal[3], const drape_vec3 v[4])
{
    return find_gap(&two_edges, (vec){normal[0], normal[1], normal[2]}, v).gap;
}
