// Curves along which cloth crosses cloth, or an open mesh: pieces, joined where an edge goes from one to the next.
#include <stdlib.h>
#include <string.h>

#include "collide/predicates.h"
#include "contact/apart.h"

static drape_vec3 place_of(const dr_apart* apart, int v)
{
    const float* x = apart->x + 4 * v;
    return (drape_vec3){x[0], x[1], x[2]};
}

// --- Piercings ---

// Signs that two questions about the same points agree on, also where the points are in one plane.
static int side_of(const dr_apart* apart, const int32_t triangle[3], int v)
{
    int side = dr_orient3d_positions(place_of(apart, triangle[0]), place_of(apart, triangle[1]),
                                     place_of(apart, triangle[2]), place_of(apart, v));
    return side < 0 ? -1 : 1;
}

static int turn_of(const dr_apart* apart, int a, int b, int c, int d)
{
    int sign = 1, t;
    if (a > b) {
        t = a, a = b, b = t, sign = -sign;
    }
    if (c > d) {
        t = c, c = d, d = t, sign = -sign;
    }
    if (a > c || (a == c && b > d)) { // an even exchange
        t = a, a = c, c = t;
        t = b, b = d, d = t;
    }
    int turn = dr_orient3d_positions(place_of(apart, a), place_of(apart, b), place_of(apart, c),
                                     place_of(apart, d));
    return turn < 0 ? -sign : sign;
}

static bool has_corner(const int32_t triangle[3], int v)
{
    return triangle[0] == v || triangle[1] == v || triangle[2] == v;
}

static bool does_pierce(const dr_apart* apart, int p, int q, const int32_t t[3])
{
    if (has_corner(t, p) || has_corner(t, q) || side_of(apart, t, p) == side_of(apart, t, q)) {
        return false;
    }
    int turn = turn_of(apart, p, q, t[0], t[1]);
    return turn == turn_of(apart, p, q, t[1], t[2]) && turn == turn_of(apart, p, q, t[2], t[0]);
}

void dr_apart_normal(const dr_apart* apart, const int32_t t[3], double normal[3])
{
    double u[3], w[3];
    for (int c = 0; c < 3; ++c) {
        u[c] = (double)apart->x[4 * t[1] + c] - apart->x[4 * t[0] + c];
        w[c] = (double)apart->x[4 * t[2] + c] - apart->x[4 * t[0] + c];
    }
    normal[0] = u[1] * w[2] - u[2] * w[1];
    normal[1] = u[2] * w[0] - u[0] * w[2];
    normal[2] = u[0] * w[1] - u[1] * w[0];
}

static void pierced_at(const dr_apart* apart, int p, int q, const int32_t t[3], double place[3])
{
    double normal[3], from = 0.0, to = 0.0;
    dr_apart_normal(apart, t, normal);
    for (int c = 0; c < 3; ++c) {
        double origin = apart->x[4 * t[0] + c];
        from += normal[c] * (apart->x[4 * p + c] - origin);
        to += normal[c] * (apart->x[4 * q + c] - origin);
    }
    double share = from != to ? from / (from - to) : 0.5;
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    for (int c = 0; c < 3; ++c) {
        place[c] =
            apart->x[4 * p + c] + share * ((double)apart->x[4 * q + c] - apart->x[4 * p + c]);
    }
}

static bool is_border(const dr_apart* apart, int p, int q)
{
    int count, found = 0;
    const int32_t* near = dr_apart_around(apart, p, &count);
    for (int i = 0; i < count; ++i) {
        found += has_corner(apart->triangles[near[i]], q);
    }
    return found == 1;
}

// --- Pieces ---

static bool add_piercing(dr_apart* apart, dr_memory* memory, int number, int slot, int p, int q)
{
    dr_untangle* u = &apart->untangle;
    dr_tangle_piece* piece = (dr_tangle_piece*)u->pieces.data + number;
    int through = piece->triangle[1 - slot], end = piece->end[0] < 0 ? 0 : 1;
    dr_piercing* piercing = dr_array_push(memory, &u->piercings, sizeof *piercing);
    if (!piercing) {
        return false;
    }
    *piercing = (dr_piercing){{p < q ? p : q, p < q ? q : p}, through, number, slot, end,
                              is_border(apart, p, q)};
    piece->end[end] = u->piercings.count - 1;
    pierced_at(apart, p, q, apart->triangles[through], piece->place[end]);
    return true;
}

// Neighbours that cross do so from the vertex that they share.
static void end_at_shared(const dr_apart* apart, dr_tangle_piece* piece)
{
    const int32_t* a = apart->triangles[piece->triangle[0]];
    const int32_t* b = apart->triangles[piece->triangle[1]];
    int end = piece->end[0] < 0 ? 0 : 1;
    for (int k = 0; k < 3 && piece->end[1] < 0; ++k) {
        if (has_corner(b, a[k])) {
            for (int c = 0; c < 3; ++c) {
                piece->place[end][c] = apart->x[4 * a[k] + c];
            }
            return;
        }
    }
    if (piece->end[1] < 0) {
        memcpy(piece->place[1], piece->place[0], sizeof piece->place[0]);
    }
}

static bool add_piece(dr_apart* apart, dr_memory* memory, dr_pair pair)
{
    dr_untangle* u = &apart->untangle;
    int number = u->pieces.count;
    dr_tangle_piece* piece = dr_array_push(memory, &u->pieces, sizeof *piece);
    if (!piece) {
        return false;
    }
    *piece = (dr_tangle_piece){.triangle = {pair.a, pair.b}, .end = {-1, -1}, .entered = -1};
    bool done = true;
    int found = 0;
    for (int i = 0; i < 6 && done && found < 2; ++i) {
        int slot = i / 3, k = i % 3;
        const int32_t* own = apart->triangles[piece->triangle[slot]];
        const int32_t* other = apart->triangles[piece->triangle[1 - slot]];
        if (does_pierce(apart, own[k], own[(k + 1) % 3], other)) {
            done = add_piercing(apart, memory, number, slot, own[k], own[(k + 1) % 3]);
            ++found;
        }
    }
    // Where points are in one plane there may be none: then the triangle's own middle will do.
    for (int c = 0; c < 3 && found == 0; ++c) {
        const int32_t* own = apart->triangles[pair.a];
        piece->place[0][c] = ((double)apart->x[4 * own[0] + c] + apart->x[4 * own[1] + c] +
                              apart->x[4 * own[2] + c]) /
                             3.0;
    }
    end_at_shared(apart, piece);
    return done;
}

static int compare_piercings(const void* left, const void* right)
{
    const dr_piercing *p = left, *q = right;
    const int32_t a[4] = {p->v[0], p->v[1], p->through, p->piece};
    const int32_t b[4] = {q->v[0], q->v[1], q->through, q->piece};
    int order = 0;
    for (int k = 0; k < 4 && order == 0; ++k) {
        order = (a[k] > b[k]) - (a[k] < b[k]);
    }
    return order;
}

static bool is_same_place(const dr_piercing* p, const dr_piercing* q)
{
    return p->v[0] == q->v[0] && p->v[1] == q->v[1] && p->through == q->through;
}

// Numbers change with the order.
static void sort_piercings(dr_untangle* u)
{
    dr_piercing* piercings = u->piercings.data;
    dr_tangle_piece* pieces = u->pieces.data;
    if (u->piercings.count > 1) {
        qsort(piercings, (size_t)u->piercings.count, sizeof *piercings, compare_piercings);
    }
    for (int i = 0; i < u->piercings.count; ++i) {
        pieces[piercings[i].piece].end[piercings[i].end] = i;
    }
}

// --- Curves ---

// The first of the pieces that are joined to one, and whether it is turned against that.
static int root_of(const int32_t* parents, const uint8_t* flips, int piece, bool* is_turned)
{
    *is_turned = false;
    for (; parents[piece] != piece; piece = parents[piece]) {
        *is_turned ^= flips[piece];
    }
    return piece;
}

// The lesser root stays, so that curves are in the order of their first pieces.
static void join(dr_untangle* u, const dr_piercing* p, const dr_piercing* q)
{
    int32_t* parents = u->parents.data;
    uint8_t* flips = u->flips.data;
    bool p_turned, q_turned, is_turned = p->slot != q->slot;
    int a = root_of(parents, flips, p->piece, &p_turned);
    int b = root_of(parents, flips, q->piece, &q_turned);
    is_turned ^= p_turned ^ q_turned;
    int low = a < b ? a : b, high = a < b ? b : a;
    // The mark of a root says whether the curve is twisted.
    if (a != b) {
        flips[low] |= flips[high];
        parents[high] = low;
        flips[high] = is_turned;
    } else if (is_turned) {
        flips[low] = 1;
    }
}

static bool number_curves(dr_untangle* u, dr_memory* memory)
{
    const int32_t* parents = u->parents.data;
    const uint8_t* flips = u->flips.data;
    dr_tangle_piece* pieces = u->pieces.data;
    for (int i = 0; i < u->pieces.count; ++i) {
        int root = root_of(parents, flips, i, &pieces[i].is_turned);
        if (root == i) {
            dr_tangle_curve* curve = dr_array_push(memory, &u->curves, sizeof *curve);
            if (!curve) {
                return false;
            }
            *curve = (dr_tangle_curve){.first_piece = -1, .is_twisted = flips[i]};
            pieces[i].curve = u->curves.count - 1;
        }
        pieces[i].curve = pieces[root].curve;
    }
    dr_tangle_curve* curves = u->curves.data;
    for (int i = u->pieces.count - 1; i >= 0; --i) {
        pieces[i].next = curves[pieces[i].curve].first_piece;
        curves[pieces[i].curve].first_piece = i;
        curves[pieces[i].curve].has_cusp |= pieces[i].end[0] >= 0 && pieces[i].end[1] < 0;
        ++curves[pieces[i].curve].piece_count;
    }
    return true;
}

static bool join_pieces(dr_apart* apart, dr_memory* memory)
{
    dr_untangle* u = &apart->untangle;
    if (!dr_apart_reserve(memory, &u->parents, sizeof(int32_t), u->pieces.count) ||
        !dr_apart_reserve(memory, &u->flips, sizeof(uint8_t), u->pieces.count)) {
        return false;
    }
    for (int i = 0; i < u->pieces.count; ++i) {
        ((int32_t*)u->parents.data)[i] = i;
        ((uint8_t*)u->flips.data)[i] = 0;
    }
    const dr_piercing* piercings = u->piercings.data;
    for (int i = 1; i < u->piercings.count; ++i) {
        if (is_same_place(&piercings[i - 1], &piercings[i])) {
            join(u, &piercings[i - 1], &piercings[i]);
        }
    }
    return number_curves(u, memory);
}

// --- Beginnings ---

// Pieces that end where a border of a side goes through the other, by that end, into the queue.
static void begin_at_borders(dr_apart* apart, int side)
{
    dr_untangle* u = &apart->untangle;
    const dr_piercing* piercings = u->piercings.data;
    dr_tangle_piece* pieces = u->pieces.data;
    int32_t* queue = u->queue.data;
    for (int i = 0; i < u->piercings.count; ++i) {
        dr_tangle_piece* piece = &pieces[piercings[i].piece];
        bool is_first = piercings[i].slot == (int)piece->is_turned;
        if (piece->entered < 0 && is_first == (side == 0) && piercings[i].is_border) {
            piece->entered = piercings[i].end;
            queue[u->queue.count++] = piercings[i].piece;
            ((dr_tangle_curve*)u->curves.data)[piece->curve].is_backward = side == 1;
        }
    }
}

// From piece to piece along the curves.
static void walk(dr_untangle* u, int begin)
{
    const dr_piercing* piercings = u->piercings.data;
    dr_tangle_piece* pieces = u->pieces.data;
    int32_t* queue = u->queue.data;
    for (int i = begin; i < u->queue.count; ++i) {
        const dr_tangle_piece* piece = &pieces[queue[i]];
        int out = piece->end[1 - piece->entered], first = out;
        if (out < 0) {
            continue;
        }
        while (first > 0 && is_same_place(&piercings[first - 1], &piercings[out])) {
            --first;
        }
        for (int k = first; k < u->piercings.count && is_same_place(&piercings[k], &piercings[out]);
             ++k) {
            dr_tangle_piece* next = &pieces[piercings[k].piece];
            if (next->entered < 0) {
                next->entered = piercings[k].end;
                queue[u->queue.count++] = piercings[k].piece;
            }
        }
    }
}

static bool walk_curves(dr_apart* apart, dr_memory* memory)
{
    dr_untangle* u = &apart->untangle;
    u->queue.count = 0;
    if (!dr_apart_reserve(memory, &u->queue, sizeof(int32_t), u->pieces.count)) {
        return false;
    }
    for (int side = 0; side < 2; ++side) {
        int begin = u->queue.count;
        begin_at_borders(apart, side);
        walk(u, begin);
    }
    return true;
}

// --- Cuts ---

int dr_compare_cuts(const void* left, const void* right)
{
    const dr_tangle_cut *p = left, *q = right;
    const int32_t a[4] = {p->curve, p->side, p->v[0], p->v[1]};
    const int32_t b[4] = {q->curve, q->side, q->v[0], q->v[1]};
    int order = 0;
    for (int k = 0; k < 4 && order == 0; ++k) {
        order = (a[k] > b[k]) - (a[k] < b[k]);
    }
    return order;
}

// Which of the triangles is kept must not depend on the library that sorts.
static int compare_whole_cuts(const void* left, const void* right)
{
    const dr_tangle_cut *p = left, *q = right;
    int order = dr_compare_cuts(left, right);
    return order ? order : (p->through > q->through) - (p->through < q->through);
}

static bool list_cuts(dr_untangle* u, dr_memory* memory)
{
    const dr_piercing* piercings = u->piercings.data;
    const dr_tangle_piece* pieces = u->pieces.data;
    if (!dr_apart_reserve(memory, &u->cuts, sizeof(dr_tangle_cut), u->piercings.count)) {
        return false;
    }
    dr_tangle_cut* cuts = u->cuts.data;
    int count = 0, kept = 0;
    for (int i = 0; i < u->piercings.count; ++i) {
        const dr_piercing* p = &piercings[i];
        if (i == 0 || !is_same_place(&piercings[i - 1], p)) {
            const dr_tangle_piece* piece = &pieces[p->piece];
            cuts[count++] = (dr_tangle_cut){
                piece->curve, p->slot ^ (int)piece->is_turned, {p->v[0], p->v[1]}, p->through};
        }
    }
    if (count > 1) {
        qsort(cuts, (size_t)count, sizeof *cuts, compare_whole_cuts);
    }
    // An edge that is crossed an even number of times leads back to where it came from.
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && dr_compare_cuts(&cuts[i], &cuts[end]) == 0; ++end) {
        }
        if ((end - i) % 2 == 1) {
            cuts[kept++] = cuts[i];
        }
    }
    u->cuts.count = kept;
    return true;
}

bool dr_apart_trace(dr_apart* apart, dr_memory* memory)
{
    dr_untangle* u = &apart->untangle;
    const dr_pair* crossed = apart->crossed.data;
    u->pieces.count = u->piercings.count = u->curves.count = 0;
    bool done = true;
    for (int i = 0; i < apart->crossed.count && done; ++i) {
        // What is in a solid that has an inside is led out of it by other means.
        done = dr_apart_is_closed(apart, crossed[i].b) || add_piece(apart, memory, crossed[i]);
    }
    if (done) {
        sort_piercings(u);
    }
    return done && join_pieces(apart, memory) && walk_curves(apart, memory) && list_cuts(u, memory);
}
