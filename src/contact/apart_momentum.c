// What a cut takes from cloth that touches nothing but cloth, it has back.
//
// A cut stops vertices one by one, and what it takes from the two sides of a pair need not be the
// same. So cloths that are near each other are a group, and a group that neither pins nor solids hold
// gets what it lost as a velocity that all of it has in common: nothing moves against anything else
// by that. Who is near whom follows from boxes around the ways, not from lists, which may be older or
// newer in a world that was loaded.
#include <math.h>
#include <string.h>

#include "contact/apart.h"

// --- Boxes ---

static void clear(dr_apart_loss* loss, int number)
{
    loss->group = number;
    loss->mass = 0.0;
    loss->is_held = false;
    for (int c = 0; c < 3; ++c) {
        loss->lo[c] = INFINITY;
        loss->hi[c] = -INFINITY;
        loss->back[c] = 0.0f;
    }
}

static void enclose(dr_apart_loss* loss, const float* place)
{
    for (int c = 0; c < 3; ++c) {
        loss->lo[c] = place[c] < loss->lo[c] ? place[c] : loss->lo[c];
        loss->hi[c] = place[c] > loss->hi[c] ? place[c] : loss->hi[c];
    }
}

// Boxes of all cloths and solids, masses, and who has a pin.
static void measure(dr_apart* apart)
{
    int part_count = apart->sheets->part_count, cloth_count = apart->sheets->vertex_count;
    for (int v = 0; v < apart->vertex_count; ++v) {
        bool is_cloth = v < cloth_count;
        dr_apart_loss* loss =
            &apart->losses[apart->part_of_vertex[v] + (is_cloth ? 0 : part_count)];
        enclose(loss, apart->x + 4 * v);
        enclose(loss, apart->y + 4 * v);
        float inverse = apart->y[4 * v + 3];
        loss->is_held |= inverse == 0.0f;
        loss->mass += inverse > 0.0f ? 1.0 / (double)inverse : 0.0;
    }
}

static bool are_near(const dr_apart_loss* a, const dr_apart_loss* b, float reach)
{
    bool are = true;
    for (int c = 0; c < 3; ++c) {
        are = are && a->lo[c] - reach <= b->hi[c] && b->lo[c] - reach <= a->hi[c];
    }
    return are;
}

// --- Groups ---

static dr_apart_loss* group_of(dr_apart* apart, int part)
{
    while (apart->losses[part].group != part) {
        part = apart->losses[part].group;
    }
    return &apart->losses[part];
}

static void join_near(dr_apart* apart, int total)
{
    dr_apart_loss* losses = apart->losses;
    float reach = dr_apart_reach(apart);
    for (int p = 0; p < apart->sheets->part_count; ++p) {
        for (int q = p + 1; q < total; ++q) {
            if (are_near(&losses[p], &losses[q], reach)) {
                int a = group_of(apart, p)->group, b = group_of(apart, q)->group;
                losses[a > b ? a : b].group = a > b ? b : a;
            }
        }
    }
}

// Of all members of a group into its first one, which is a cloth when any is.
static void add_up(dr_apart* apart, int total)
{
    for (int p = total - 1; p > 0; --p) {
        dr_apart_loss *loss = &apart->losses[p], *first = group_of(apart, p);
        if (first != loss) {
            first->mass += loss->mass;
            first->is_held |= loss->is_held;
            for (int c = 0; c < 3; ++c) {
                first->momentum[c] += loss->momentum[c];
                loss->momentum[c] = 0.0;
            }
        }
    }
}

// --- All of it ---

static bool has_lost(const dr_apart* apart)
{
    bool has = false;
    for (int p = 0; p < apart->sheets->part_count; ++p) {
        const double* momentum = apart->losses[p].momentum;
        has |= momentum[0] != 0.0 || momentum[1] != 0.0 || momentum[2] != 0.0;
    }
    return has;
}

void dr_apart_return_momentum(dr_apart* apart)
{
    int part_count = apart->sheets->part_count;
    int total = part_count + (apart->solids ? apart->solids->part_count : 0);
    for (int p = 0; p < total; ++p) {
        clear(&apart->losses[p], p);
    }
    // A substep that was given up gives nothing back.
    if (!apart->is_sound || apart->pinched_count > 0 || !has_lost(apart)) {
        return;
    }
    measure(apart);
    join_near(apart, total);
    add_up(apart, total);
    for (int p = 0; p < part_count; ++p) {
        const dr_apart_loss* first = group_of(apart, p);
        for (int c = 0; c < 3 && !first->is_held; ++c) {
            apart->losses[p].back[c] = (float)(first->momentum[c] / first->mass);
        }
    }
    for (int p = 0; p < part_count; ++p) {
        if (!group_of(apart, p)->is_held) {
            memset(apart->losses[p].momentum, 0, sizeof apart->losses[p].momentum);
        }
    }
}
