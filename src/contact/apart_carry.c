// What goes along with what is led.
//
// Pins that hang together, and solids, go as a whole, and mostly they turn as a whole, too. What
// stands in the way of an edge of theirs that turns must turn with it: taken along by the mean of
// the two ways it would lose any gap below angle * length. So for each such group the rigid motion
// next to its ways is found, and what is carried takes the way that the group has where it is.
// Each vertex goes straight, so all of a group goes by an affine map at any time in between, and
// affine maps keep apart what is apart.
#include <math.h>
#include <string.h>

#include "contact/apart.h"
#include "core/double3.h"

bool dr_apart_is_led(const dr_apart* apart, int vertex)
{
    return apart->y[4 * vertex + 3] == 0.0f || apart->carried[4 * vertex + 3] != 0.0f;
}

// --- Groups ---

static int root_of(int32_t* lead, int v)
{
    while (lead[v] != v) {
        lead[v] = lead[lead[v]];
        v = lead[v];
    }
    return v;
}

static int add_lead(dr_apart* apart)
{
    return apart->lead_count < DR_APART_LEADS ? apart->lead_count++ : -1;
}

// Pins with an edge in common are one group. Numbers go by the first vertex.
static void group_pins(dr_apart* apart)
{
    const dr_sheets* s = apart->sheets;
    int32_t* lead = apart->lead;
    for (int v = 0; v < s->vertex_count; ++v) {
        lead[v] = apart->y[4 * v + 3] == 0.0f ? v : -1;
    }
    for (int e = 0; e < s->edge_count; ++e) {
        int i = s->edges[e][0], j = s->edges[e][1];
        if (lead[i] >= 0 && lead[j] >= 0) {
            int a = root_of(lead, i), b = root_of(lead, j);
            lead[a > b ? a : b] = a > b ? b : a;
        }
    }
    // Roots come first, and are told from places by being below.
    for (int v = 0; v < s->vertex_count; ++v) {
        if (lead[v] >= 0) {
            int root = lead[v];
            lead[v] = root == v ? -2 - add_lead(apart) : lead[root];
        }
    }
    for (int v = 0; v < s->vertex_count; ++v) {
        lead[v] = lead[v] < -1 ? -2 - lead[v] : -1;
    }
}

static void group_solids(dr_apart* apart)
{
    const dr_sheets* s = apart->solids;
    for (int p = 0; s && p < s->part_count; ++p) {
        int group = add_lead(apart);
        for (int v = s->parts[p].first_vertex; v < s->parts[p + 1].first_vertex; ++v) {
            apart->lead[apart->sheets->vertex_count + v] = group;
        }
    }
}

// --- Their motions ---

static void add_means(dr_apart* apart)
{
    for (int v = 0; v < apart->vertex_count; ++v) {
        if (apart->lead[v] >= 0) {
            dr_apart_lead* lead = &apart->leads[apart->lead[v]];
            ++lead->count;
            for (int c = 0; c < 3; ++c) {
                lead->middle[c] += (double)apart->x[4 * v + c];
                lead->way[c] += (double)apart->way[4 * v + c];
            }
        }
    }
    for (int g = 0; g < apart->lead_count; ++g) {
        dr_apart_lead* lead = &apart->leads[g];
        for (int c = 0; c < 3 && lead->count > 0; ++c) {
            lead->middle[c] /= lead->count;
            lead->way[c] /= lead->count;
        }
    }
}

// Moments of the places, and of the ways, about the middle.
static void add_moments(dr_apart* apart, double (*inertia)[3][3], double (*moment)[3])
{
    for (int v = 0; v < apart->vertex_count; ++v) {
        int g = apart->lead[v];
        if (g < 0) {
            continue;
        }
        double arm[3], way[3], turned[3];
        for (int c = 0; c < 3; ++c) {
            arm[c] = (double)apart->x[4 * v + c] - apart->leads[g].middle[c];
            way[c] = (double)apart->way[4 * v + c] - apart->leads[g].way[c];
        }
        dr_cross3(arm, way, turned);
        double squared = dr_dot3(arm, arm);
        for (int c = 0; c < 3; ++c) {
            moment[g][c] += turned[c];
            for (int d = 0; d < 3; ++d) {
                inertia[g][c][d] += (c == d ? squared : 0.0) - arm[c] * arm[d];
            }
        }
    }
}

// Solves a symmetric system by Cramer's rule.
static void solve(const double m[3][3], const double right[3], double out[3])
{
    double rows[3][3];
    for (int c = 0; c < 3; ++c) {
        dr_cross3(m[(c + 1) % 3], m[(c + 2) % 3], rows[c]);
    }
    double whole = dr_dot3(m[0], rows[0]);
    for (int c = 0; c < 3; ++c) {
        out[c] = (rows[0][c] * right[0] + rows[1][c] * right[1] + rows[2][c] * right[2]) / whole;
    }
}

// The least turn that the ways tell: about the line of pins in a row they tell nothing but rounding,
// which a little more inertia holds down. What it falsifies is mended twice.
static void find_turn(const double inertia[3][3], const double moment[3], double turn[3])
{
    const double more = 1e-3;
    double trace = inertia[0][0] + inertia[1][1] + inertia[2][2], m[3][3];
    turn[0] = turn[1] = turn[2] = 0.0;
    if (!(trace > 0.0)) {
        return;
    }
    memcpy(m, inertia, sizeof m);
    for (int c = 0; c < 3; ++c) {
        m[c][c] += more * trace;
    }
    for (int pass = 0; pass < 3; ++pass) {
        double rest[3], by[3];
        for (int c = 0; c < 3; ++c) {
            rest[c] = moment[c] - dr_dot3(inertia[c], turn);
        }
        solve((const double(*)[3])m, rest, by);
        for (int c = 0; c < 3; ++c) {
            turn[c] += by[c];
        }
    }
}

void dr_apart_find_leads(dr_apart* apart)
{
    double inertia[DR_APART_LEADS][3][3] = {0}, moment[DR_APART_LEADS][3] = {0};
    apart->lead_count = 0;
    memset(apart->leads, 0, sizeof *apart->leads * DR_APART_LEADS);
    group_solids(apart);
    group_pins(apart);
    add_means(apart);
    add_moments(apart, inertia, moment);
    for (int g = 0; g < apart->lead_count; ++g) {
        find_turn((const double(*)[3])inertia[g], moment[g], apart->leads[g].turn);
    }
}

// The way that a group has at a vertex: the turn is its axis times the sine of its angle.
static void way_of_lead(const dr_apart* apart, int group, int vertex, double way[3])
{
    way[0] = way[1] = way[2] = 0.0;
    if (group < 0) {
        return;
    }
    const dr_apart_lead* lead = &apart->leads[group];
    double arm[3], once[3], twice[3];
    for (int c = 0; c < 3; ++c) {
        arm[c] = (double)apart->x[4 * vertex + c] - lead->middle[c];
    }
    dr_cross3(lead->turn, arm, once);
    dr_cross3(lead->turn, once, twice);
    double cosine = sqrt(fmax(1.0 - dr_dot3(lead->turn, lead->turn), 0.0));
    for (int c = 0; c < 3; ++c) {
        way[c] = lead->way[c] + once[c] + twice[c] / (1.0 + cosine);
    }
}

// --- Carrying ---

// The group of all that is led in a pair, -1 when there is none, or more than one.
static int common_lead(const dr_apart* apart, const int32_t vertex[4])
{
    int group = -2;
    for (int i = 0; i < 4; ++i) {
        if (dr_apart_is_led(apart, vertex[i])) {
            int of_this = apart->lead[vertex[i]];
            group = group == -2 || group == of_this ? of_this : -1;
        }
    }
    return group;
}

bool dr_apart_carry(dr_apart* apart, dr_apart_record* record)
{
    int led_count = 0, group = common_lead(apart, record->vertex);
    double beside[3] = {0.0, 0.0, 0.0}, way[3]; // what they go beside their group, on average
    for (int i = 0; i < 4; ++i) {
        int v = record->vertex[i];
        bool is_carried = apart->carried[4 * v + 3] != 0.0f, is_led = dr_apart_is_led(apart, v);
        way_of_lead(apart, group, v, way);
        for (int c = 0; c < 3 && is_led; ++c) {
            beside[c] += (double)(is_carried ? apart->carried : apart->way)[4 * v + c] - way[c];
        }
        led_count += is_led;
    }
    if (led_count == 0 || led_count == 4) {
        return false;
    }
    bool was_led[4];
    for (int i = 0; i < 4; ++i) {
        was_led[i] = dr_apart_is_led(apart, record->vertex[i]);
    }
    for (int i = 0; i < 4; ++i) {
        int v = record->vertex[i];
        float* carried = apart->carried + 4 * v;
        if (was_led[i]) {
            continue;
        }
        way_of_lead(apart, group, v, way);
        for (int c = 0; c < 3; ++c) {
            carried[c] = (float)(way[c] + beside[c] / led_count);
        }
        carried[3] = 1.0f;
        apart->lead[v] = group;
        apart->share[v] = 0.0f;
    }
    record->failures = 1;
    record->needed = fmin(record->needed, 0.5 * record->gap);
    return true;
}
