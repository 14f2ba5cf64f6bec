// Bounds of edges and what they allow to say, compiled once per instruction set.
#include <math.h>

#include "contact/regular.h"
#include "core/simd.h"

typedef struct range8 {
    dr_f8 lo, hi;
} range8;

static inline range8 range_of(dr_f8 a)
{
    return (range8){a, a};
}

static inline range8 both(range8 a, range8 b)
{
    return (range8){dr_f8_min(a.lo, b.lo), dr_f8_max(a.hi, b.hi)};
}

// Edges from two neighbouring vertices to those `floats` further on.
static inline range8 edges(const float* vertex, int floats)
{
    return range_of(dr_f8_sub(dr_f8_load(vertex + floats), dr_f8_load(vertex)));
}

// The last block of an odd number of cells begins a cell earlier.
static inline int first_cell(int block, int cells)
{
    return 2 * block < cells - 2 ? 2 * block : cells - 2;
}

static void bound(const dr_regular* regular, const dr_regular_part* part, const float* places,
                  int begin, int end)
{
    int row_floats = 4 * part->columns;
    for (int r = begin; r < end; ++r) {
        for (int c = 0; c < part->block_columns; ++c) {
            int column = first_cell(c, part->columns - 1), row = first_cell(r, part->rows - 1);
            const float* v = places + 4 * (part->first_vertex + row * part->columns + column);
            range8 e1 =
                both(edges(v, 4), both(edges(v + row_floats, 4), edges(v + 2 * row_floats, 4)));
            range8 e2 = both(
                both(edges(v, row_floats), edges(v + 4, row_floats)),
                both(edges(v + row_floats, row_floats), edges(v + row_floats + 4, row_floats)));
            float* to =
                regular->bounds + (size_t)DR_REGULAR_FLOATS *
                                      (size_t)(part->first_block + r * part->block_columns + c);
            dr_f8_store(to, e1.lo);
            dr_f8_store(to + 8, e1.hi);
            dr_f8_store(to + 16, e2.lo);
            dr_f8_store(to + 24, e2.hi);
        }
    }
}

// --- Judgement ---

// Middle and half size of what an edge may be.
typedef struct edge_range {
    double middle[3], half[3];
} edge_range;

static edge_range edge_range_of(range8 r)
{
    float lo[8], hi[8];
    dr_f8_store(lo, r.lo);
    dr_f8_store(hi, r.hi);
    edge_range e;
    for (int k = 0; k < 3; ++k) {
        double least = lo[k] < lo[k + 4] ? lo[k] : lo[k + 4];
        double most = hi[k] > hi[k + 4] ? hi[k] : hi[k + 4];
        e.middle[k] = 0.5 * (least + most);
        e.half[k] = 0.5 * (most - least);
    }
    return e;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The most that d.e can differ from its value at the middle.
static double spread(const edge_range* e, const double d[3])
{
    return e->half[0] * fabs(d[0]) + e->half[1] * fabs(d[1]) + e->half[2] * fabs(d[2]);
}

// Rows and columns closer to parallel than this squared sine are left to exact tests, and so is
// what rounding could turn over.
static const double least_sine = 0.04, margin = 1e-3;

static bool is_regular(const edge_range* e1, const edge_range* e2)
{
    double g11 = dot(e1->middle, e1->middle), g22 = dot(e2->middle, e2->middle);
    double g12 = dot(e1->middle, e2->middle), determinant = g11 * g22 - g12 * g12;
    if (!(determinant > least_sine * g11 * g22)) {
        return false;
    }
    // u.e1 = v.e2 = 1 and u.e2 = v.e1 = 0 at the middles.
    double u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = (e1->middle[k] * g22 - e2->middle[k] * g12) / determinant;
        v[k] = (e2->middle[k] * g11 - e1->middle[k] * g12) / determinant;
    }
    double along1 = 1.0 - spread(e1, u), along2 = 1.0 - spread(e2, v);
    double across = spread(e1, v) + spread(e2, u);
    return along1 > margin && along2 > margin &&
           4.0 * along1 * along2 > across * across * (1.0 + margin) + margin;
}

static inline range8 load_range(const float* at)
{
    return (range8){dr_f8_load(at), dr_f8_load(at + 8)};
}

// Both kinds of edges of some blocks.
typedef struct edges8 {
    range8 e1, e2;
} edges8;

static inline edges8 load_edges(const float* at)
{
    return (edges8){load_range(at), load_range(at + 16)};
}

static inline edges8 join_edges(edges8 a, edges8 b)
{
    return (edges8){both(a.e1, b.e1), both(a.e2, b.e2)};
}

// A block with those above and below it, as far as there are any.
static inline edges8 column_of(const float* at, int row_floats, bool has_above, bool has_below)
{
    edges8 e = load_edges(at);
    if (has_above) {
        e = join_edges(e, load_edges(at - row_floats));
    }
    return has_below ? join_edges(e, load_edges(at + row_floats)) : e;
}

static void judge(const dr_regular* regular, const dr_regular_part* part, int begin, int end)
{
    int columns = part->block_columns, row_floats = DR_REGULAR_FLOATS * columns;
    for (int r = begin; r < end; ++r) {
        int first = part->first_block + r * columns;
        const float* at = regular->bounds + (size_t)DR_REGULAR_FLOATS * (size_t)first;
        bool has_above = r > 0, has_below = r + 1 < part->block_rows;
        edges8 here = column_of(at, row_floats, has_above, has_below), before = here;
        for (int c = 0; c < columns; ++c) {
            edges8 after = here;
            at += DR_REGULAR_FLOATS;
            if (c + 1 < columns) {
                after = column_of(at, row_floats, has_above, has_below);
            }
            edges8 all = join_edges(join_edges(before, here), after);
            edge_range range1 = edge_range_of(all.e1), range2 = edge_range_of(all.e2);
            regular->is_regular[first + c] = is_regular(&range1, &range2);
            before = here;
            here = after;
        }
    }
}

const dr_regular_kernels DR_KERNEL(dr_regular_kernels);
const dr_regular_kernels DR_KERNEL(dr_regular_kernels) = {bound, judge};
