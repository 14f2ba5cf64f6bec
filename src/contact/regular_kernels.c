// Which windows of a grid are regular, eight at a time, compiled once per instruction set.
#include <string.h>

#include "contact/regular.h"
#include "core/simd.h"

enum { CELLS = DR_WINDOW, CORNERS = DR_WINDOW + 1 };

// Edges of eight windows side by side: e1[r][c] along row r of vertices, e2[r][c] along column c.
typedef struct windows8 {
    dr_v8 e1[CORNERS][CELLS], e2[CELLS][CORNERS];
} windows8;

static inline dr_v8 load(const dr_regular* regular, size_t at)
{
    return (dr_v8){dr_f8_load(regular->places[0] + at), dr_f8_load(regular->places[1] + at),
                   dr_f8_load(regular->places[2] + at)};
}

static DR_ALWAYS_INLINE windows8 load_windows(const dr_regular* regular, size_t at, int row_floats)
{
    windows8 w;
    dr_v8 above[CORNERS], here[CORNERS];
    for (int r = 0; r < CORNERS; ++r) {
        for (int c = 0; c < CORNERS; ++c) {
            here[c] = load(regular, at + (size_t)(r * row_floats + c));
            if (c > 0) {
                w.e1[r][c - 1] = dr_v8_sub(here[c], here[c - 1]);
            }
            if (r > 0) {
                w.e2[r - 1][c] = dr_v8_sub(here[c], above[c]);
            }
            above[c] = here[c];
        }
    }
    return w;
}

static inline dr_f8 longer(dr_f8 longest, dr_v8 e)
{
    return dr_f8_max(longest, dr_f8_max(dr_f8_max(dr_f8_abs(e.x), dr_f8_abs(e.y)), dr_f8_abs(e.z)));
}

// Sums of both kinds of edges, and the largest coordinate of any.
typedef struct means8 {
    dr_v8 e1, e2;
    dr_f8 longest;
} means8;

static DR_ALWAYS_INLINE means8 means_of(const windows8* w)
{
    means8 m = {w->e1[0][0], w->e2[0][0], dr_f8_zero()};
    for (int i = 0; i < CELLS * CORNERS; ++i) {
        dr_v8 e1 = w->e1[i / CELLS][i % CELLS], e2 = w->e2[i / CORNERS][i % CORNERS];
        m.e1 = i > 0 ? dr_v8_add(m.e1, e1) : m.e1;
        m.e2 = i > 0 ? dr_v8_add(m.e2, e2) : m.e2;
        m.longest = longer(longer(m.longest, e1), e2);
    }
    dr_f8 share = dr_f8_set(1.0f / (CELLS * CORNERS));
    m.e1 = dr_v8_scale(m.e1, share);
    m.e2 = dr_v8_scale(m.e2, share);
    return m;
}

// The directions to look along, with u.e1 = v.e2 = size and u.e2 = v.e1 = 0 for the mean edges.
typedef struct directions8 {
    dr_v8 u, v;
    dr_f8 size, is_good;
} directions8;

// Rows and columns closer to parallel than this squared sine are left to exact tests, and so is
// what rounding could turn over.
static const float least_sine = 0.04f, margin = 1e-3f;

static inline dr_v8 direction(dr_v8 a, dr_f8 b_squared, dr_v8 b, dr_f8 a_b)
{
    return dr_v8_sub(dr_v8_scale(a, b_squared), dr_v8_scale(b, a_b));
}

static inline dr_f8 sum_of(dr_v8 a)
{
    return dr_f8_add(dr_f8_add(dr_f8_abs(a.x), dr_f8_abs(a.y)), dr_f8_abs(a.z));
}

static DR_ALWAYS_INLINE directions8 directions_of(const means8* m)
{
    dr_f8 g11 = dr_v8_dot(m->e1, m->e1), g22 = dr_v8_dot(m->e2, m->e2);
    dr_f8 g12 = dr_v8_dot(m->e1, m->e2), product = dr_f8_mul(g11, g22);
    directions8 d;
    d.u = direction(m->e1, g22, m->e2, g12);
    d.v = direction(m->e2, g11, m->e1, g12);
    d.size = dr_f8_sub(product, dr_f8_mul(g12, g12));
    // What rounding may do to u.e and v.e: sixteen units in the last place, where four would do.
    dr_f8 reach = dr_f8_mul(m->longest, dr_f8_max(sum_of(d.u), sum_of(d.v)));
    dr_f8 error = dr_f8_mul(reach, dr_f8_set(0x1p-20f));
    d.is_good = dr_f8_and(dr_f8_less(dr_f8_mul(product, dr_f8_set(least_sine)), d.size),
                          dr_f8_less(error, dr_f8_mul(d.size, dr_f8_set(0.1f * margin))));
    return d;
}

// What the edges look like along the directions: how far they go their own way, and astray.
typedef struct looks8 {
    dr_f8 along1[CORNERS][CELLS], astray1[CORNERS][CELLS];
    dr_f8 along2[CELLS][CORNERS], astray2[CELLS][CORNERS];
} looks8;

static DR_ALWAYS_INLINE looks8 look(const windows8* w, const directions8* d)
{
    looks8 l;
    for (int r = 0; r < CORNERS; ++r) {
        for (int c = 0; c < CELLS; ++c) {
            l.along1[r][c] = dr_v8_dot(d->u, w->e1[r][c]);
            l.astray1[r][c] = dr_f8_abs(dr_v8_dot(d->v, w->e1[r][c]));
            l.along2[c][r] = dr_v8_dot(d->v, w->e2[c][r]);
            l.astray2[c][r] = dr_f8_abs(dr_v8_dot(d->u, w->e2[c][r]));
        }
    }
    return l;
}

// Whichever way the cells are cut in two.
static DR_ALWAYS_INLINE dr_f8 judge_eight(const windows8* w)
{
    means8 means = means_of(w);
    directions8 d = directions_of(&means);
    looks8 l = look(w, &d);
    dr_f8 least = dr_f8_mul(d.size, dr_f8_set(margin)), result = d.is_good;
    dr_f8 spare = dr_f8_mul(dr_f8_mul(d.size, d.size), dr_f8_set(margin));
    for (int r = 0; r < CELLS; ++r) {
        for (int c = 0; c < CELLS; ++c) {
            dr_f8 along1 = dr_f8_min(l.along1[r][c], l.along1[r + 1][c]);
            dr_f8 along2 = dr_f8_min(l.along2[r][c], l.along2[r][c + 1]);
            dr_f8 astray = dr_f8_add(dr_f8_max(l.astray1[r][c], l.astray1[r + 1][c]),
                                     dr_f8_max(l.astray2[r][c], l.astray2[r][c + 1]));
            dr_f8 across = dr_f8_mul(dr_f8_mul(astray, astray), dr_f8_set(1.0f + margin));
            dr_f8 both = dr_f8_mul(dr_f8_set(4.0f), dr_f8_mul(along1, along2));
            result = dr_f8_and(result, dr_f8_less(least, dr_f8_min(along1, along2)));
            result = dr_f8_and(result, dr_f8_less(dr_f8_add(across, spare), both));
        }
    }
    return result;
}

// Whether anything changed in eight windows side by side.
static bool has_changed(const dr_regular* regular, const dr_regular_part* part, int row, int column)
{
    int left = part->columns - column, count = left < 8 + CELLS ? left : 8 + CELLS;
    for (int r = row; r < row + CORNERS; ++r) {
        const uint8_t* flags = regular->changed + part->first_vertex + r * part->columns + column;
        if (memchr(flags, 1, (size_t)count)) {
            return true;
        }
    }
    return false;
}

static void judge(const dr_regular* regular, const dr_regular_part* part, int begin, int end)
{
    int columns = part->columns - DR_WINDOW;
    for (int r = begin; r < end; ++r) {
        size_t at = part->first_float + (size_t)r * (size_t)part->row_floats;
        uint8_t* to = regular->is_regular + part->first_window + (ptrdiff_t)r * part->row_windows;
        for (int c = 0; c < columns; c += 8) {
            if (regular->changed && !has_changed(regular, part, r, c)) {
                continue;
            }
            windows8 w = load_windows(regular, at + (size_t)c, part->row_floats);
            int bits = dr_f8_bits(judge_eight(&w));
            for (int l = 0; l < 8 && c + l < columns; ++l) {
                to[c + l] = bits >> l & 1;
            }
        }
    }
}

const dr_regular_kernels DR_KERNEL(dr_regular_kernels);
const dr_regular_kernels DR_KERNEL(dr_regular_kernels) = {judge};
