// Which part is on the wrong side, and pulls that bring it back.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/apart.h"

// --- Parts of a sheet ---

// Two floods, one from each end of an edge that the curve crosses. They grow in turn: the first one
// that runs dry is the smaller part; where they meet, the curve cuts nothing in two.
typedef struct flood {
    const dr_tangle_cut* cuts; // of one side of a curve
    int cut_count;
    int32_t* marks;
    int32_t stamp[2];
    int32_t* reached[2]; // the second one grows downwards
    int done[2], count[2];
} flood;

static int32_t* reached_at(const flood* f, int k, int i)
{
    return k == 0 ? f->reached[0] + i : f->reached[1] - i;
}

static bool is_cut(const flood* f, int v, int w)
{
    dr_tangle_cut key = f->cuts[0];
    key.v[0] = v < w ? v : w;
    key.v[1] = v < w ? w : v;
    return bsearch(&key, f->cuts, (size_t)f->cut_count, sizeof key, dr_compare_cuts) != NULL;
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
    reach(f, 0, f->cuts[0].v[0]);
    reach(f, 1, f->cuts[0].v[1]);
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

static bool unit_normal(const dr_apart* apart, int triangle, double normal[3])
{
    dr_apart_normal(apart, apart->triangles[triangle], normal);
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int c = 0; c < 3; ++c) {
        normal[c] = length > 0.0 ? normal[c] / length : 0.0;
    }
    return length > 0.0;
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
    const dr_tangle_curve* curve = (dr_tangle_curve*)u->curves.data + f->cuts[0].curve;
    bool is_open = ((dr_tangle_piece*)u->pieces.data)[curve->first_piece].entered >= 0;
    int part = apart->part_of_vertex[f->cuts[0].v[0]], count = f->count[smaller], common = 0;
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

// An open curve that meets itself may cut off a part that has nothing to do with most of it.
static bool is_along(const dr_apart* apart, const flood* f, int smaller)
{
    const dr_untangle* u = &apart->untangle;
    const dr_tangle_piece* pieces = u->pieces.data;
    const dr_tangle_curve* curve = (dr_tangle_curve*)u->curves.data + f->cuts[0].curve;
    int count = 0;
    for (int i = curve->first_piece; i >= 0; i = pieces[i].next) {
        int bits = corners_in(apart, &pieces[i], f->cuts[0].side, f->marks, f->stamp[smaller]);
        count += bits != 0 && bits != 7;
    }
    return pieces[curve->first_piece].entered < 0 || 2 * count > curve->piece_count;
}

// A side of a curve that cuts its sheet in two.
static void push_side(dr_apart* apart, const flood* f, int smaller)
{
    dr_untangle* u = &apart->untangle;
    dr_tangle_piece* pieces = u->pieces.data;
    const dr_tangle_cut* cut = &f->cuts[0];
    dr_tangle_curve* curve = (dr_tangle_curve*)u->curves.data + cut->curve;
    int wrong = wrong_end(apart, cut);
    bool is_inverted = wrong >= 0 ? wrong != smaller : goes_against(apart, f, smaller);
    curve->is_pushed = true;
    for (int i = curve->first_piece; i >= 0; i = pieces[i].next) {
        int bits = corners_in(apart, &pieces[i], cut->side, f->marks, f->stamp[smaller]);
        push_piece(apart, &pieces[i], cut->side, is_inverted ? 7 - bits : bits);
    }
    uint8_t* sides = u->sides.data;
    for (int i = 0; i < f->count[smaller] && !is_inverted; ++i) {
        sides[*reached_at(f, smaller, i)] |= (uint8_t)(1 << cut->side);
    }
}

static bool push_parts(dr_apart* apart, dr_memory* memory)
{
    dr_untangle* u = &apart->untangle;
    int vertex_count = apart->sheets->vertex_count;
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
        for (end = i + 1; end < u->cuts.count && cuts[end].curve == cuts[i].curve &&
                          cuts[end].side == cuts[i].side;
             ++end) {
        }
        int32_t* reached = u->queue.data;
        flood f = {.cuts = cuts + i,
                   .cut_count = end - i,
                   .marks = u->marks.data,
                   .stamp = {stamp, stamp + 1},
                   .reached = {reached, reached + vertex_count - 1}};
        int smaller = curves[cuts[i].curve].is_twisted ? -1 : run_floods(&f, apart);
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
        for (int side = 0; side < 2 && piece->entered < 0 && !curves[piece->curve].is_pushed;
             ++side) {
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

// --- Pulls ---

// Shares of the corners in a point of a triangle.
static void set_weights(const dr_apart* apart, const int32_t t[3], const double at[3], float out[3])
{
    double normal[3], sum = 0.0, share[3];
    dr_apart_normal(apart, t, normal);
    for (int k = 0; k < 3; ++k) {
        const float *b = apart->x + 4 * t[(k + 1) % 3], *c = apart->x + 4 * t[(k + 2) % 3];
        double u[3], w[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = b[i] - at[i];
            w[i] = c[i] - at[i];
        }
        share[k] = normal[0] * (u[1] * w[2] - u[2] * w[1]) +
                   normal[1] * (u[2] * w[0] - u[0] * w[2]) +
                   normal[2] * (u[0] * w[1] - u[1] * w[0]);
        share[k] = share[k] > 0.0 ? share[k] : 0.0;
        sum += share[k];
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = (float)(sum > 0.0 ? share[k] / sum : 1.0 / 3.0);
    }
}

// A vertex that both triangles have counts once.
static void join_shared(dr_apart_pull* pull)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 3; k < 6; ++k) {
            if (pull->vertex[i] == pull->vertex[k]) {
                pull->weight[i] += pull->weight[k];
                pull->weight[k] = 0.0f;
            }
        }
    }
}

static void make_pull(const dr_apart* apart, const dr_tangle_piece* piece, double length,
                      dr_apart_pull* pull)
{
    *pull = (dr_apart_pull){0};
    double middle[3], sign = piece->is_turned ? -1.0 : 1.0;
    for (int c = 0; c < 3; ++c) {
        middle[c] = 0.5 * (piece->place[0][c] + piece->place[1][c]);
        pull->normal[c] = (float)(sign * piece->way[c] / length);
    }
    for (int slot = 0; slot < 2; ++slot) {
        const int32_t* t = apart->triangles[piece->triangle[slot]];
        memcpy(pull->vertex + 3 * slot, t, 3 * sizeof *t);
        set_weights(apart, t, middle, pull->weight + 3 * slot);
    }
    for (int k = 3; k < 6; ++k) {
        pull->weight[k] = -pull->weight[k];
    }
    join_shared(pull);
    float resists = 0.0f;
    for (int i = 0; i < 6; ++i) {
        float w = pull->weight[i];
        resists += w * w * apart->y[4 * pull->vertex[i] + 3];
        for (int c = 0; c < 3; ++c) {
            pull->away[c] += w * apart->x[4 * pull->vertex[i] + c];
        }
    }
    pull->inverse = resists > 0.0f ? 1.0f / resists : 0.0f;
    // What is drawn along must slide as a whole, however short the rest of the curve is.
    const float of_all = 100.0f;
    const dr_tangle_curve* curve =
        (const dr_tangle_curve*)apart->untangle.curves.data + piece->curve;
    float share = of_all / (float)curve->piece_count;
    pull->strength = curve->is_pushed || share < 1.0f ? 1.0f : share;
}

static bool make_pulls(dr_apart* apart, dr_memory* memory)
{
    dr_untangle* u = &apart->untangle;
    const dr_tangle_piece* pieces = u->pieces.data;
    if (!dr_apart_reserve(memory, &u->pulls, sizeof(dr_apart_pull), u->pieces.count)) {
        return false;
    }
    dr_apart_pull* pulls = u->pulls.data;
    for (int i = 0; i < u->pieces.count; ++i) {
        const double* way = pieces[i].way;
        double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        if (length > 0.0) {
            make_pull(apart, &pieces[i], length, &pulls[u->pulls.count++]);
        }
    }
    return true;
}

static bool mark_sides(dr_apart* apart, dr_memory* memory)
{
    dr_untangle* u = &apart->untangle;
    if (!dr_apart_reserve(memory, &u->sides, sizeof(uint8_t), apart->sheets->vertex_count)) {
        return false;
    }
    uint8_t* sides = u->sides.data;
    memset(sides, 0, (size_t)apart->sheets->vertex_count);
    const dr_tangle_piece* pieces = u->pieces.data;
    for (int i = 0; i < u->pieces.count; ++i) {
        for (int slot = 0; slot < 2; ++slot) {
            const int32_t* t = apart->triangles[pieces[i].triangle[slot]];
            for (int k = 0; k < 3; ++k) {
                sides[t[k]] |= (uint8_t)(1 << (slot ^ (int)pieces[i].is_turned));
            }
        }
    }
    return true;
}

bool dr_apart_untangle(dr_apart* apart, dr_memory* memory)
{
    apart->untangle.pulls.count = 0;
    if (apart->crossed.count == 0) {
        return true;
    }
    if (!dr_apart_trace(apart, memory) || !mark_sides(apart, memory) ||
        !push_parts(apart, memory)) {
        return false;
    }
    draw_along(apart);
    push_corners(apart);
    return make_pulls(apart, memory);
}

bool dr_apart_is_tangled(const dr_apart* apart, const int32_t vertex[4], int split)
{
    if (apart->crossed.count == 0) {
        return false;
    }
    const uint8_t* sides = apart->untangle.sides.data;
    int of[2] = {0, 0};
    for (int i = 0; i < 4; ++i) {
        bool is_cloth = vertex[i] < apart->sheets->vertex_count;
        of[i >= split] |= is_cloth ? sides[vertex[i]] : 0;
    }
    return ((of[0] & 1) && (of[1] & 2)) || ((of[0] & 2) && (of[1] & 1));
}

static void pull_one(float* y, dr_apart_pull* pull, float way)
{
    float along = 0.0f;
    for (int c = 0; c < 3; ++c) {
        float off = -pull->away[c];
        for (int i = 0; i < 6; ++i) {
            off += pull->weight[i] * y[4 * pull->vertex[i] + c];
        }
        along += pull->normal[c] * off;
    }
    float push = dr_apart_larger(way - along, -pull->pushed), most = way * pull->strength;
    push = push < most - pull->pushed ? push : most - pull->pushed;
    pull->pushed += push;
    for (int i = 0; i < 6; ++i) {
        float* place = y + 4 * pull->vertex[i];
        float factor = pull->weight[i] * place[3] * push * pull->inverse;
        for (int c = 0; c < 3; ++c) {
            place[c] += factor * pull->normal[c];
        }
    }
}

void dr_apart_pull_all(dr_apart* apart)
{
    dr_untangle* u = &apart->untangle;
    dr_apart_pull* pulls = u->pulls.data;
    for (int i = 0; i < u->pulls.count; ++i) {
        pull_one(apart->y, &pulls[i], u->way);
    }
}

void dr_untangle_free(dr_untangle* untangle, dr_memory* memory)
{
    dr_array_free(memory, &untangle->pieces, sizeof(dr_tangle_piece));
    dr_array_free(memory, &untangle->piercings, sizeof(dr_piercing));
    dr_array_free(memory, &untangle->parents, sizeof(int32_t));
    dr_array_free(memory, &untangle->flips, sizeof(uint8_t));
    dr_array_free(memory, &untangle->queue, sizeof(int32_t));
    dr_array_free(memory, &untangle->curves, sizeof(dr_tangle_curve));
    dr_array_free(memory, &untangle->cuts, sizeof(dr_tangle_cut));
    dr_array_free(memory, &untangle->marks, sizeof(int32_t));
    dr_array_free(memory, &untangle->leads, sizeof(int32_t));
    dr_array_free(memory, &untangle->is_lead, sizeof(uint8_t));
    dr_array_free(memory, &untangle->sides, sizeof(uint8_t));
    dr_array_free(memory, &untangle->pulls, sizeof(dr_apart_pull));
}
