// Which part of a sheet is on the wrong side, and where the pieces of its curve are to go.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/apart.h"
#include "core/double3.h"

// More than two are a knot that nobody understands.
enum { MOST_CUSPS = 2 };

// --- Parts of a sheet ---

// Two floods, one from each end of an edge that the curve crosses. They grow in turn: the first one
// that runs dry is the smaller part; where they meet, the curve cuts nothing in two. With cusps the
// two sides of a curve are one path, which goes through these.
typedef struct flood {
    const dr_tangle_cut* cuts[2]; // of one side of a curve, or of both
    int cut_count[2];
    int32_t start[2]; // an edge that is cut
    int32_t cusps[MOST_CUSPS];
    int cusp_count;
    int32_t* marks;
    int32_t stamp[2];
    int32_t* reached[2]; // the second one grows downwards
    int done[2], count[2];
} flood;

static int32_t* reached_at(const flood* f, int k, int i)
{
    return k == 0 ? f->reached[0] + i : f->reached[1] - i;
}

static bool is_crossed_by(const flood* f, int k, int v, int w)
{
    if (f->cut_count[k] == 0) {
        return false;
    }
    dr_tangle_cut key = f->cuts[k][0];
    key.v[0] = v < w ? v : w;
    key.v[1] = v < w ? w : v;
    return bsearch(&key, f->cuts[k], (size_t)f->cut_count[k], sizeof key, dr_compare_cuts) != NULL;
}

static bool is_cusp(const flood* f, int v)
{
    bool is_one = false;
    for (int i = 0; i < f->cusp_count; ++i) {
        is_one |= f->cusps[i] == v;
    }
    return is_one;
}

static bool is_cut(const flood* f, int v, int w)
{
    return is_cusp(f, w) || is_crossed_by(f, 0, v, w) != is_crossed_by(f, 1, v, w);
}

static void reach(flood* f, int k, int v)
{
    f->marks[v] = f->stamp[k];
    *reached_at(f, k, f->count[k]++) = v;
}

// One vertex further; false when the floods meet.
static bool grow(flood* f, const dr_apart* apart, int k)
{
    int v = *reached_at(f, k, f->done[k]++), count;
    const int32_t* near = dr_apart_around(apart, v, &count);
    for (int i = 0; i < 3 * count; ++i) {
        int w = apart->triangles[near[i / 3]][i % 3];
        if (w == v || f->marks[w] == f->stamp[k] || is_cut(f, v, w)) {
            continue;
        }
        if (f->marks[w] == f->stamp[1 - k]) {
            return false;
        }
        reach(f, k, w);
    }
    return true;
}

// The flood that is the smaller part, or -1.
static int run_floods(flood* f, const dr_apart* apart)
{
    reach(f, 0, f->start[0]);
    reach(f, 1, f->start[1]);
    for (int k = 0;; k = 1 - k) {
        if (f->done[k] == f->count[k]) {
            return k;
        }
        if (!grow(f, apart, k)) {
            return -1;
        }
    }
}

// --- Ways ---

static bool make_unit(double v[3])
{
    double length = sqrt(dr_dot3(v, v));
    for (int c = 0; c < 3; ++c) {
        v[c] = length > 0.0 ? v[c] / length : 0.0;
    }
    return length > 0.0;
}

static bool unit_normal(const dr_apart* apart, int triangle, double normal[3])
{
    dr_apart_normal(apart, apart->triangles[triangle], normal);
    return make_unit(normal);
}

static double height_over(const dr_apart* apart, const double normal[3], int triangle, int v)
{
    const float *x = apart->x + 4 * v, *origin = apart->x + 4 * apart->triangles[triangle][0];
    double height = 0.0;
    for (int c = 0; c < 3; ++c) {
        height += normal[c] * ((double)x[c] - origin[c]);
    }
    return height;
}

// Of the corners of a triangle, some are on the wrong side of the other one: it goes along the
// normal to where the others are. `is_wrong` are bits.
static void push_piece(const dr_apart* apart, dr_tangle_piece* piece, int side, int is_wrong)
{
    int slot = side ^ (int)piece->is_turned, other = piece->triangle[1 - slot];
    double normal[3], heights[2] = {0.0, 0.0};
    int counts[2] = {0, 0};
    if (is_wrong == 0 || is_wrong == 7 || !unit_normal(apart, other, normal)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        int part = is_wrong >> k & 1, v = apart->triangles[piece->triangle[slot]][k];
        heights[part] += height_over(apart, normal, other, v);
        ++counts[part];
    }
    double up = heights[0] / counts[0] - heights[1] / counts[1];
    double sign = (up > 0.0) == (side == 0) ? 1.0 : -1.0;
    for (int c = 0; c < 3; ++c) {
        piece->way[c] += sign * normal[c];
    }
}

// Whether the layers of the two sheets say that an end of a cut is on the wrong side. -1: unknown.
static int wrong_end(const dr_apart* apart, const dr_tangle_cut* cut)
{
    const dr_sheets* sheets = apart->sheets;
    if (cut->v[0] >= sheets->vertex_count || cut->through >= sheets->triangle_count) {
        return -1;
    }
    int own = apart->cloths[apart->part_of_vertex[cut->v[0]]].layer;
    int other = apart->cloths[sheets->part_of_triangle[cut->through]].layer;
    double normal[3];
    if (own < 0 || other < 0 || own == other || !unit_normal(apart, cut->through, normal)) {
        return -1;
    }
    double first = height_over(apart, normal, cut->through, cut->v[0]);
    double second = height_over(apart, normal, cut->through, cut->v[1]);
    return (first < second) == (own > other) ? 0 : 1;
}

// A part that is nearly half of a sheet could go either way. Where several sheets go through one,
// such parts go the same way, that of the first curve: else these sheets may have to change their
// order, which they cannot as long as they hold the one between them. True when the smaller part of
// a curve would go against it.
static bool goes_against(dr_apart* apart, const flood* f, int smaller)
{
    const dr_sheets* sheets = apart->sheets;
    dr_untangle* u = &apart->untangle;
    const dr_tangle_curve* curve = (dr_tangle_curve*)u->curves.data + f->cuts[0]->curve;
    bool is_open = ((dr_tangle_piece*)u->pieces.data)[curve->first_piece].entered >= 0;
    if (f->cuts[0]->v[0] >= sheets->vertex_count) {
        return false;
    }
    int part = apart->part_of_vertex[f->cuts[0]->v[0]], count = f->count[smaller], common = 0;
    int total = sheets->parts[part + 1].first_vertex - sheets->parts[part].first_vertex;
    if (!is_open || 4 * count < total) {
        return false;
    }
    int32_t* leads = (int32_t*)u->leads.data + part;
    uint8_t* is_lead = u->is_lead.data;
    for (int i = 0; i < count; ++i) {
        int v = *reached_at(f, smaller, i);
        common += is_lead[v];
        is_lead[v] |= *leads == 0;
    }
    int least = count < *leads ? count : *leads;
    *leads = *leads == 0 ? count : *leads;
    return 2 * common < least;
}

// Which corners of a piece's triangle are in a part, as bits.
static int corners_in(const dr_apart* apart, const dr_tangle_piece* piece, int side,
                      const int32_t* marks, int32_t stamp)
{
    const int32_t* corners = apart->triangles[piece->triangle[side ^ (int)piece->is_turned]];
    int bits = 0;
    for (int k = 0; k < 3; ++k) {
        bits |= (marks[corners[k]] == stamp) << k;
    }
    return bits;
}

// Whether a part has some of the corners of a piece's triangle, but not all.
static bool is_split(const dr_apart* apart, const flood* f, int smaller,
                     const dr_tangle_piece* piece, int side)
{
    int bits = corners_in(apart, piece, side, f->marks, f->stamp[smaller]);
    return bits != 0 && bits != 7;
}

// An open curve that meets itself may cut off a part that has nothing to do with most of it.
static bool is_along(const dr_apart* apart, const flood* f, int smaller)
{
    const dr_untangle* u = &apart->untangle;
    const dr_tangle_piece* pieces = u->pieces.data;
    const dr_tangle_curve* curve = (dr_tangle_curve*)u->curves.data + f->cuts[0]->curve;
    int side = f->cuts[0]->side, count = 0;
    for (int i = curve->first_piece; i >= 0; i = pieces[i].next) {
        count += is_split(apart, f, smaller, &pieces[i], side) &&
                 (f->cusp_count == 0 || is_split(apart, f, smaller, &pieces[i], 1 - side));
    }
    bool is_open = pieces[curve->first_piece].entered >= 0 || f->cusp_count > 0;
    return !is_open || 2 * count > curve->piece_count;
}

// A side of a curve that cuts its sheet in two.
static void push_side(dr_apart* apart, const flood* f, int smaller)
{
    dr_untangle* u = &apart->untangle;
    dr_tangle_piece* pieces = u->pieces.data;
    const dr_tangle_cut* cut = f->cuts[0];
    dr_tangle_curve* curve = (dr_tangle_curve*)u->curves.data + cut->curve;
    int wrong = wrong_end(apart, cut);
    bool is_inverted = wrong >= 0 ? wrong != smaller : goes_against(apart, f, smaller);
    curve->is_pushed = true;
    for (int i = curve->first_piece; i >= 0; i = pieces[i].next) {
        int bits = corners_in(apart, &pieces[i], cut->side, f->marks, f->stamp[smaller]);
        push_piece(apart, &pieces[i], cut->side, is_inverted ? 7 - bits : bits);
    }
    uint8_t* sides = u->sides.data;
    bool in_solid = sides[cut->v[0]] & DR_TANGLED_IN_SOLID;
    for (int i = 0; i < f->count[smaller] && !is_inverted; ++i) {
        sides[*reached_at(f, smaller, i)] |=
            (uint8_t)((1 << cut->side) | (in_solid ? DR_TANGLED_IN_SOLID : 0));
    }
}

// --- Curves with cusps ---

static int shared_corner(const int32_t a[3], const int32_t b[3])
{
    for (int i = 0; i < 9; ++i) {
        if (a[i / 3] == b[i % 3]) {
            return a[i / 3];
        }
    }
    return -1;
}

// False when there are too many, or ends of pieces that are none.
static bool find_cusps(const dr_apart* apart, const dr_tangle_curve* curve, flood* f)
{
    const dr_tangle_piece* pieces = apart->untangle.pieces.data;
    for (int i = curve->first_piece; i >= 0; i = pieces[i].next) {
        if (pieces[i].end[1] >= 0) {
            continue;
        }
        int v = shared_corner(apart->triangles[pieces[i].triangle[0]],
                              apart->triangles[pieces[i].triangle[1]]);
        if (v < 0 || f->cusp_count == MOST_CUSPS) {
            return false;
        }
        f->cusps[f->cusp_count++] = v;
    }
    return true;
}

// An edge that only one of the sides crosses; false when there is none.
static bool find_start(flood* f)
{
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < f->cut_count[k]; ++i) {
            const int32_t* v = f->cuts[k][i].v;
            if (!is_crossed_by(f, 1 - k, v[0], v[1]) && !is_cusp(f, v[0]) && !is_cusp(f, v[1])) {
                memcpy(f->start, v, sizeof f->start);
                return true;
            }
        }
    }
    return false;
}

// The smaller part that the path cuts off has its layers in the wrong order: they change places.
static void exchange_layers(dr_apart* apart, flood* f)
{
    dr_untangle* u = &apart->untangle;
    dr_tangle_piece* pieces = u->pieces.data;
    dr_tangle_curve* curve = (dr_tangle_curve*)u->curves.data + f->cuts[0]->curve;
    int smaller = find_cusps(apart, curve, f) && find_start(f) ? run_floods(f, apart) : -1;
    if (smaller < 0 || !is_along(apart, f, smaller)) {
        return;
    }
    curve->is_pushed = true;
    for (int i = curve->first_piece; i >= 0; i = pieces[i].next) {
        for (int side = 0; side < 2; ++side) {
            push_piece(apart, &pieces[i], side,
                       corners_in(apart, &pieces[i], side, f->marks, f->stamp[smaller]));
        }
    }
    const uint8_t both = 3;
    for (int i = 0; i < f->count[smaller]; ++i) {
        ((uint8_t*)u->sides.data)[*reached_at(f, smaller, i)] |= both;
    }
}

// --- All curves ---

// Where the cuts of one side of a curve end.
static int end_of_side(const dr_untangle* u, int begin)
{
    const dr_tangle_cut* cuts = u->cuts.data;
    int end = begin + 1;
    while (end < u->cuts.count && cuts[end].curve == cuts[begin].curve &&
           cuts[end].side == cuts[begin].side) {
        ++end;
    }
    return end;
}

static bool push_parts(dr_apart* apart, dr_memory* memory)
{
    dr_untangle* u = &apart->untangle;
    int vertex_count = apart->vertex_count;
    int part_count = apart->sheets->part_count;
    if (!dr_apart_reserve(memory, &u->queue, sizeof(int32_t), vertex_count) ||
        !dr_apart_reserve(memory, &u->marks, sizeof(int32_t), vertex_count) ||
        !dr_apart_reserve(memory, &u->leads, sizeof(int32_t), part_count) ||
        !dr_apart_reserve(memory, &u->is_lead, sizeof(uint8_t), vertex_count)) {
        return false;
    }
    memset(u->marks.data, 0, sizeof(int32_t) * (size_t)vertex_count);
    memset(u->leads.data, 0, sizeof(int32_t) * (size_t)part_count);
    memset(u->is_lead.data, 0, (size_t)vertex_count);
    const dr_tangle_cut* cuts = u->cuts.data;
    const dr_tangle_curve* curves = u->curves.data;
    for (int i = 0, end, stamp = 1; i < u->cuts.count; i = end, stamp += 2) {
        const dr_tangle_curve* curve = &curves[cuts[i].curve];
        end = end_of_side(u, i);
        int32_t* reached = u->queue.data;
        flood f = {.cuts = {cuts + i, cuts + end},
                   .cut_count = {end - i},
                   .start = {cuts[i].v[0], cuts[i].v[1]},
                   .marks = u->marks.data,
                   .stamp = {stamp, stamp + 1},
                   .reached = {reached, reached + vertex_count - 1}};
        if (curve->has_cusp) {
            if (end < u->cuts.count && cuts[end].curve == cuts[i].curve) {
                f.cut_count[1] = end_of_side(u, end) - end;
                end += f.cut_count[1];
            }
            exchange_layers(apart, &f);
            continue;
        }
        int smaller = curve->is_twisted ? -1 : run_floods(&f, apart);
        if (smaller >= 0 && is_along(apart, &f, smaller)) {
            push_side(apart, &f, smaller);
        }
    }
    return true;
}

// The first side is drawn along the curve, away from where its border is or towards the border of
// the second.
static void draw_along(dr_apart* apart)
{
    dr_untangle* u = &apart->untangle;
    dr_tangle_piece* pieces = u->pieces.data;
    const dr_tangle_curve* curves = u->curves.data;
    for (int i = 0; i < u->pieces.count; ++i) {
        const dr_tangle_curve* curve = &curves[pieces[i].curve];
        if (curve->is_pushed || pieces[i].entered < 0) {
            continue;
        }
        int from = curve->is_backward ? 1 - pieces[i].entered : pieces[i].entered;
        for (int c = 0; c < 3; ++c) {
            pieces[i].way[c] = pieces[i].place[1 - from][c] - pieces[i].place[from][c];
        }
    }
}

// What is left over is small: of each triangle the corner that is alone goes back.
static void push_corners(dr_apart* apart)
{
    dr_untangle* u = &apart->untangle;
    dr_tangle_piece* pieces = u->pieces.data;
    const dr_tangle_curve* curves = u->curves.data;
    for (int i = 0; i < u->pieces.count; ++i) {
        dr_tangle_piece* piece = &pieces[i];
        const dr_tangle_curve* curve = &curves[piece->curve];
        bool is_left = piece->entered < 0 && !curve->is_pushed && !curve->has_cusp;
        for (int side = 0; side < 2 && is_left; ++side) {
            int slot = side ^ (int)piece->is_turned, other = piece->triangle[1 - slot], above = 0;
            double normal[3];
            bool has_normal = unit_normal(apart, other, normal);
            for (int k = 0; k < 3 && has_normal; ++k) {
                int v = apart->triangles[piece->triangle[slot]][k];
                above |= (height_over(apart, normal, other, v) > 0.0) << k;
            }
            int count = (above & 1) + (above >> 1 & 1) + (above >> 2 & 1);
            push_piece(apart, piece, side, count == 1 ? above : 7 - above);
        }
    }
}

// Where an edge goes through a triangle, the curve becomes shorter when the edge goes along it, or
// along the normal by as much as takes the place there.
static void shorten_end(const dr_apart* apart, dr_tangle_piece* piece, int end)
{
    const double steepest = 4.0;
    const dr_piercing* p = (const dr_piercing*)apart->untangle.piercings.data + piece->end[end];
    double along[3], edge[3], normal[3];
    dr_subtract3(piece->place[1 - end], piece->place[end], along);
    for (int c = 0; c < 3; ++c) {
        edge[c] = (double)apart->x[4 * p->v[1] + c] - apart->x[4 * p->v[0] + c];
    }
    if (!make_unit(along) || !make_unit(edge) || !unit_normal(apart, p->through, normal)) {
        return;
    }
    double lift = dr_dot3(edge, along), steep = dr_dot3(edge, normal);
    lift = fabs(lift) < steepest * fabs(steep) ? lift / steep
           : lift * steep < 0.0                ? -steepest
                                               : steepest;
    double sign = p->slot == (int)piece->is_turned ? 1.0 : -1.0;
    for (int c = 0; c < 3; ++c) {
        piece->way[c] += sign * (along[c] - lift * normal[c]);
    }
}

// Between cusps a curve has no border to be drawn to. Where it cuts off nothing, either, it is
// shortened (Volino and Magnenat-Thalmann 2006).
static void shorten_curves(dr_apart* apart)
{
    dr_untangle* u = &apart->untangle;
    dr_tangle_piece* pieces = u->pieces.data;
    const dr_tangle_curve* curves = u->curves.data;
    for (int i = 0; i < u->pieces.count; ++i) {
        const dr_tangle_curve* curve = &curves[pieces[i].curve];
        bool is_left = pieces[i].entered < 0 && !curve->is_pushed && curve->has_cusp;
        for (int end = 0; end < 2 && is_left; ++end) {
            if (pieces[i].end[end] >= 0) {
                shorten_end(apart, &pieces[i], end);
            }
        }
    }
}

bool dr_apart_choose_ways(dr_apart* apart, dr_memory* memory)
{
    if (!push_parts(apart, memory)) {
        return false;
    }
    draw_along(apart);
    push_corners(apart);
    shorten_curves(apart);
    return true;
}
