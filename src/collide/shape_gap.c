// The search is that of Gilbert, Johnson and Keerthi: the point of the difference of both sets that
// is nearest to the origin, on a simplex of at most four corners that is exchanged corner by
// corner.
#include "collide/shape_gap.h"

#include <math.h>
#include <string.h>

#include "core/double3.h"

// False when there is no direction.
static bool normalize(double v[3])
{
    double length = sqrt(dr_dot3(v, v));
    for (int c = 0; c < 3 && length > 0.0; ++c) {
        v[c] /= length;
    }
    return length > 0.0;
}

// --- The solid ---

// A round solid is a core with a radius around it: what the simplex is made of has no curvature, so
// that the search ends after a few corners. Of a tapered capsule the core is the capsule itself.
static double radius_of(const drape_shape* shape)
{
    bool is_ball = shape->kind == DRAPE_SHAPE_SPHERE;
    bool is_even = shape->kind == DRAPE_SHAPE_CAPSULE && shape->radius == shape->radius_top;
    return is_ball || is_even ? (double)shape->radius : 0.0;
}

// The point of the core furthest along a unit vector.
static void core_support(const drape_shape* shape, const double n[3], double out[3])
{
    const double half[3] = {0.5 * (double)shape->size.x, 0.5 * (double)shape->size.y,
                            0.5 * (double)shape->size.z};
    memset(out, 0, 3 * sizeof *out);
    if (shape->kind == DRAPE_SHAPE_BOX) {
        for (int c = 0; c < 3; ++c) {
            out[c] = copysign(half[c], n[c]);
        }
    } else if (shape->kind == DRAPE_SHAPE_CAPSULE) {
        double end = 0.5 * (double)shape->height;
        double taper = (double)shape->radius_top - (double)shape->radius;
        bool top = 2.0 * end * n[1] + taper > 0.0;
        double radius = taper == 0.0 ? 0.0 : (double)(top ? shape->radius_top : shape->radius);
        for (int c = 0; c < 3; ++c) {
            out[c] = radius * n[c];
        }
        out[1] += top ? end : -end;
    }
}

double dr_shape_reach(const drape_shape* shape, const double normal[3])
{
    if (shape->kind == DRAPE_SHAPE_PLANE) {
        return normal[1] == 1.0 ? 0.0 : INFINITY;
    }
    double furthest[3];
    core_support(shape, normal, furthest);
    return dr_dot3(normal, furthest) + radius_of(shape);
}

// --- Points ---

static int lowest_point(const double* points, int count, const double normal[3])
{
    int lowest = 0;
    for (int i = 1; i < count; ++i) {
        lowest =
            dr_dot3(normal, points + 3 * i) < dr_dot3(normal, points + 3 * lowest) ? i : lowest;
    }
    return lowest;
}

dr_shape_gap dr_shape_gap_along(const drape_shape* shape, const double* points, int count,
                                const double normal[3])
{
    dr_shape_gap g = {.reach = dr_shape_reach(shape, normal)};
    memcpy(g.normal, normal, sizeof g.normal);
    g.gap = dr_dot3(normal, points + 3 * lowest_point(points, count, normal)) - g.reach;
    return g;
}

// --- The simplex ---

typedef struct simplex {
    double corner[4][3];
    int count;
} simplex;

// Weights of the point of the plane through corners `list` that is nearest to the origin; false
// when it is outside of them. The first corner is the base; Gram's matrix of the others is solved
// by minors.
static bool weights_on(const simplex* s, const int* list, int count, double weight[4])
{
    double edge[3][3], g[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, b[3] = {0, 0, 0};
    const double* base = s->corner[list[0]];
    for (int i = 1; i < count; ++i) {
        dr_subtract3(s->corner[list[i]], base, edge[i - 1]);
    }
    for (int i = 0; i + 1 < count; ++i) {
        for (int j = 0; j + 1 < count; ++j) {
            g[i][j] = dr_dot3(edge[i], edge[j]);
        }
        b[i] = -dr_dot3(edge[i], base);
    }
    double minor[3][3];
    for (int i = 0; i < 3; ++i) {
        dr_cross3(g[(i + 1) % 3], g[(i + 2) % 3], minor[i]);
    }
    double whole = dr_dot3(g[0], minor[0]), sum = 0.0;
    for (int i = 0; i + 1 < count; ++i) {
        // The matrix is symmetric, so its inverse is that of the minors over the whole.
        weight[i + 1] = (minor[0][i] * b[0] + minor[1][i] * b[1] + minor[2][i] * b[2]) / whole;
        sum += weight[i + 1];
    }
    weight[0] = 1.0 - sum;
    bool is_inside = count == 1 || whole > 0.0;
    for (int i = 0; i < count; ++i) {
        is_inside = is_inside && weight[i] >= 0.0;
    }
    return is_inside;
}

static void blend(const simplex* s, const int* list, int count, const double* weight, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < 3; ++c) {
            out[c] += weight[i] * s->corner[list[i]][c];
        }
    }
}

// The nearest point of the simplex, which loses the corners it does not need. It was nearest
// without the last corner, so that one it needs: of all faces, edges and corners with it the
// nearest is taken, without looking which it must be. There are eight.
static void reduce(simplex* s, double nearest[3])
{
    double least = INFINITY;
    simplex kept = *s;
    for (int set = 1 << (s->count - 1); set < 1 << s->count; ++set) {
        int list[4], count = 0;
        double weight[4], at[3];
        for (int i = 0; i < s->count; ++i) {
            if (set >> i & 1) {
                list[count++] = i;
            }
        }
        if (!weights_on(s, list, count, weight)) {
            continue;
        }
        blend(s, list, count, weight, at);
        if (dr_dot3(at, at) < least) {
            least = dr_dot3(at, at);
            memcpy(nearest, at, 3 * sizeof *at);
            kept.count = count;
            for (int i = 0; i < count; ++i) {
                memcpy(kept.corner[i], s->corner[list[i]], sizeof kept.corner[i]);
            }
        }
    }
    *s = kept;
}

// --- Overlap ---

static void keep_better(const drape_shape* shape, const double* points, int count, double normal[3],
                        dr_shape_gap* best)
{
    if (!normalize(normal)) {
        return;
    }
    for (int sign = 0; sign < 2; ++sign) {
        dr_shape_gap g = dr_shape_gap_along(shape, points, count, normal);
        *best = g.gap > best->gap ? g : *best;
        for (int c = 0; c < 3; ++c) {
            normal[c] = -normal[c];
        }
    }
}

// The directions that separate polyhedra: normals of their faces, and of pairs of their edges. The
// axis of a capsule is an edge; a ball has no edges, and its centre is on the triangle when this is
// asked.
static void try_axes(const drape_shape* shape, const double* points, int count, dr_shape_gap* best)
{
    double edge[3][3], face[3];
    int corners = count < 3 ? count : 3;
    for (int i = 0; i < corners; ++i) {
        dr_subtract3(points + 3 * ((i + 1) % corners), points + 3 * i, edge[i]);
    }
    if (corners == 3) {
        dr_cross3(edge[0], edge[1], face);
        keep_better(shape, points, count, face, best);
    }
    bool is_box = shape->kind == DRAPE_SHAPE_BOX, is_ball = shape->kind == DRAPE_SHAPE_SPHERE;
    for (int c = 0; c < 3 && !is_ball; ++c) {
        double axis[3] = {0, 0, 0}, n[3];
        axis[c] = 1.0;
        if (!is_box && c != 1) {
            continue;
        }
        for (int i = 0; i < corners; ++i) {
            dr_cross3(axis, edge[i], n);
            keep_better(shape, points, count, n, best);
        }
        keep_better(shape, points, count, axis, best);
    }
    for (int i = 0; i < count; ++i) {
        double outward[3] = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
        keep_better(shape, points, count, outward, best);
    }
}

// --- The search ---

static void add_corner(const drape_shape* shape, const double* points, int count, const double n[3],
                       simplex* s)
{
    double furthest[3];
    core_support(shape, n, furthest);
    dr_subtract3(points + 3 * lowest_point(points, count, n), furthest, s->corner[s->count++]);
}

dr_shape_gap dr_shape_gap_of(const drape_shape* shape, const double* points, int count,
                             double enough)
{
    const double up[3] = {0.0, 1.0, 0.0};
    dr_shape_gap best = dr_shape_gap_along(shape, points, count, up);
    if (shape->kind == DRAPE_SHAPE_PLANE || best.gap >= enough) {
        return best;
    }
    enum { most_rounds = 64 }; // polyhedra need less than ten, round ones a corner per two digits
    simplex s = {.count = 0};
    double nearest[3] = {0, 0, 0}, radius = radius_of(shape), scale = 0.0;
    add_corner(shape, points, count, up, &s);
    for (int i = 0; i < count; ++i) {
        scale = fmax(scale, dr_dot3(points + 3 * i, points + 3 * i));
    }
    scale = sqrt(scale) + 1e-30;
    for (int round = 0; round < most_rounds && best.gap < enough; ++round) {
        reduce(&s, nearest);
        double distance = sqrt(dr_dot3(nearest, nearest));
        if (s.count == 4 || distance < 1e-12 * scale) {
            try_axes(shape, points, count, &best); // the cores overlap
            break;
        }
        double n[3] = {nearest[0] / distance, nearest[1] / distance, nearest[2] / distance};
        dr_shape_gap g = dr_shape_gap_along(shape, points, count, n);
        best = g.gap > best.gap ? g : best;
        if (distance - radius - best.gap < 1e-9 * scale) {
            break;
        }
        add_corner(shape, points, count, n, &s);
    }
    return best;
}
