// Pulls that bring crossed triangles apart.
#include <math.h>
#include <string.h>

#include "contact/apart.h"

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
    if (!dr_apart_reserve(memory, &u->sides, sizeof(uint8_t), apart->vertex_count)) {
        return false;
    }
    uint8_t* sides = u->sides.data;
    memset(sides, 0, (size_t)apart->vertex_count);
    const dr_tangle_piece* pieces = u->pieces.data;
    for (int i = 0; i < u->pieces.count; ++i) {
        bool has_solid = pieces[i].triangle[1] >= apart->sheets->triangle_count;
        for (int slot = 0; slot < 2; ++slot) {
            const int32_t* t = apart->triangles[pieces[i].triangle[slot]];
            for (int k = 0; k < 3; ++k) {
                sides[t[k]] |= (uint8_t)((1 << (slot ^ (int)pieces[i].is_turned)) |
                                         (has_solid ? DR_TANGLED_IN_SOLID : 0));
            }
        }
    }
    return true;
}

bool dr_apart_untangle(dr_apart* apart, dr_memory* memory)
{
    if (apart->crossed.count == 0) {
        return true;
    }
    return dr_apart_trace(apart, memory) && mark_sides(apart, memory) &&
           dr_apart_choose_ways(apart, memory) && make_pulls(apart, memory);
}

bool dr_apart_is_tangled(const dr_apart* apart, const int32_t vertex[4], int split)
{
    if (apart->crossed.count == 0) {
        return false;
    }
    const uint8_t* sides = apart->untangle.sides.data;
    int of[2] = {0, 0};
    for (int i = 0; i < 4; ++i) {
        of[i >= split] |= sides[vertex[i]];
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
