// collide/triangle_pair.c: how two triangles lie to each other.
//
// Most pairs end at their boxes, or because one lies on one side of the other's plane. Where both
// reach through the other's plane, each cuts a piece out of the line in which the planes meet, and
// the pieces are compared (after Guigue and Devillers 2003). The flat cases are left to
// collide/triangle_flat.c.
#include "collide/triangle_pair.h"

#include "collide/predicates.h"
#include "collide/triangle_flat.h"

static float least(float x, float y, float z)
{
    float low = x < y ? x : y;
    return low < z ? low : z;
}

static float most(float x, float y, float z)
{
    float high = x > y ? x : y;
    return high > z ? high : z;
}

// A gap along an axis; boxes that touch are not apart.
static bool boxes_are_apart(const drape_vec3* a, const drape_vec3* b)
{
    return most(a[0].x, a[1].x, a[2].x) < least(b[0].x, b[1].x, b[2].x) ||
           most(b[0].x, b[1].x, b[2].x) < least(a[0].x, a[1].x, a[2].x) ||
           most(a[0].y, a[1].y, a[2].y) < least(b[0].y, b[1].y, b[2].y) ||
           most(b[0].y, b[1].y, b[2].y) < least(a[0].y, a[1].y, a[2].y) ||
           most(a[0].z, a[1].z, a[2].z) < least(b[0].z, b[1].z, b[2].z) ||
           most(b[0].z, b[1].z, b[2].z) < least(a[0].z, a[1].z, a[2].z);
}

// Pairs of equal ids, each id once: its corner in a and in b.
static int find_shared(const int32_t* a_ids, const int32_t* b_ids, int a_corner[3], int b_corner[3])
{
    int count = 0;
    for (int i = 0; a_ids && b_ids && i < 3; ++i) {
        bool is_known = false;
        for (int k = 0; k < count; ++k) {
            is_known = is_known || a_ids[a_corner[k]] == a_ids[i];
        }
        for (int j = 0; j < 3 && !is_known; ++j) {
            if (a_ids[i] == b_ids[j]) {
                a_corner[count] = i;
                b_corner[count++] = j;
                is_known = true;
            }
        }
    }
    return count;
}

// As doubles, the given corners first.
static void arrange(const drape_vec3* points, const int* first, int first_count, dr_corners* out)
{
    int count = 0;
    bool is_taken[3] = {false, false, false};
    for (int i = 0; i < 3 + first_count; ++i) {
        int corner = i < first_count ? first[i] : i - first_count;
        if (!is_taken[corner]) {
            is_taken[corner] = true;
            out->p[count][0] = points[corner].x;
            out->p[count][1] = points[corner].y;
            out->p[count++][2] = points[corner].z;
        }
    }
}

// Sides of q's vertices to the plane of p; shared ones are in it. True when all others lie strictly
// on one side.
static bool find_sides(const dr_corners* p, const dr_corners* q, int shared, int sides[3])
{
    dr_plane plane = dr_plane_of(p->p[0], p->p[1], p->p[2]);
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        sides[i] = i < shared ? 0 : dr_plane_side(&plane, q->p[i]);
        sum += sides[i];
    }
    return sum == 3 - shared || sum == shared - 3;
}

static bool is_in_plane(const int sides[3])
{
    return sides[0] == 0 && sides[1] == 0 && sides[2] == 0;
}

static bool is_on_both_sides(const int sides[3])
{
    return (sides[0] > 0 || sides[1] > 0 || sides[2] > 0) &&
           (sides[0] < 0 || sides[1] < 0 || sides[2] < 0);
}

// The corner whose two edges lead through, to or from the other's plane, neither of them within it:
// the one on a side of its own, or the upper one when all three differ. `side` receives the side
// of the corner as seen from the ends of its edges.
static int lone_corner(const int sides[3], int* side)
{
    int lone = 0;
    for (int i = 0; i < 3; ++i) {
        int next = sides[(i + 1) % 3], last = sides[(i + 2) % 3];
        if (sides[i] != next && sides[i] != last && (next == last || sides[i] > 0)) {
            lone = i;
        }
    }
    int end = sides[(lone + 1) % 3];
    *side = sides[lone] != 0 ? sides[lone] : -end;
    return lone;
}

// Both planes are met, so a and b cut pieces out of the common line of the planes, each between two
// edges that start in its lone corner. Along the direction normal(a) x normal(b), as one sees by
// looking down on either plane, the edge to the next corner cuts at the upper end of the piece of a
// and at the lower end of that of b, if the lone corner is above the other's plane; else the other
// way round. The orientation of two such edges tells which of them cuts the line first: sliding
// their ends along them does not change it but for a factor, so they may as well be on the line.
//
// 1 when the pieces overlap by more than a point or one is a point inside the other; 0 when they
// have an end in common; -1 when they are apart.
static int compare_pieces(const dr_corners* a, const dr_corners* b, const int* a_sides,
                          const int* b_sides)
{
    int a_side, b_side;
    int i = lone_corner(a_sides, &a_side), j = lone_corner(b_sides, &b_side);
    const double *a_next = a->p[(i + 1) % 3], *a_last = a->p[(i + 2) % 3];
    const double *b_next = b->p[(j + 1) % 3], *b_last = b->p[(j + 2) % 3];
    const double* a_low = a_side > 0 ? a_last : a_next;
    const double* a_high = a_side > 0 ? a_next : a_last;
    const double* b_low = b_side > 0 ? b_next : b_last;
    const double* b_high = b_side > 0 ? b_last : b_next;

    int sign = a_side * b_side;
    int above = sign * dr_orient3d(a->p[i], a_low, b->p[j], b_high);
    if (above < 0) {
        return -1;
    }
    int below = -sign * dr_orient3d(a->p[i], a_high, b->p[j], b_low);
    return below < above ? below : above;
}

dr_triangle_relation dr_triangle_pair(const drape_vec3 a[3], const int32_t a_ids[3],
                                      const drape_vec3 b[3], const int32_t b_ids[3])
{
    int a_corner[3], b_corner[3], a_sides[3], b_sides[3];
    int shared = find_shared(a_ids, b_ids, a_corner, b_corner);
    dr_triangle_relation result = {.relation = DR_TRIANGLES_APART, .shared_count = shared};
    if (shared == 0 && boxes_are_apart(a, b)) {
        return result;
    }
    dr_corners p, q;
    arrange(a, a_corner, shared, &p);
    arrange(b, b_corner, shared, &q);

    // A shared vertex is in both planes; if the rest is on one side they meet there and only there.
    if (shared < 3 && find_sides(&p, &q, shared, b_sides)) {
        return result;
    }
    if (shared >= 2 || is_in_plane(b_sides)) {
        return dr_triangle_pair_flat(&p, &q, shared);
    }
    if (find_sides(&q, &p, shared, a_sides)) {
        return result;
    }
    if (is_in_plane(a_sides)) {
        return dr_triangle_pair_flat(&p, &q, shared);
    }
    // The pieces of two neighbours start at the shared vertex, and neither is only a point.
    int overlap = compare_pieces(&p, &q, a_sides, b_sides);
    if (overlap > 0 && is_on_both_sides(a_sides) && is_on_both_sides(b_sides)) {
        result.relation = DR_TRIANGLES_CROSSING;
    } else if (overlap > 0 || (overlap == 0 && shared == 0)) {
        result.relation = DR_TRIANGLES_TOUCHING;
    }
    return result;
}
