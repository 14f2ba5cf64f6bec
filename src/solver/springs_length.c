// Springs that are too long are made shorter, one after the other (Provot 1995).
#include <math.h>
#include <string.h>

#include "solver/springs_parts.h"

static bool is_asked_for(const dr_springs* s)
{
    return s->def.max_elongation > 0.0 && s->def.elongation_sweeps > 0;
}

static bool take_held(dr_springs* s, const dr_limits* limits, int first_vertex)
{
    bool has_changed = false;
    for (int v = 0; v < s->vertex_count; ++v) {
        uint8_t is_held = limits && limits->hold[first_vertex + v] != DR_HOLD_FREE;
        has_changed |= is_held != s->is_held[v];
        s->is_held[v] = is_held;
    }
    return has_changed;
}

// Steps from the nearest held vertex; those that no spring leads to come last.
static int find_levels(dr_springs* s)
{
    int count = 0, deepest = 0;
    for (int v = 0; v < s->vertex_count; ++v) {
        s->level[v] = s->is_held[v] ? 0 : s->vertex_count;
        if (s->is_held[v]) {
            s->queue[count++] = v;
        }
    }
    for (int next = 0; next < count; ++next) {
        int v = s->queue[next];
        deepest = s->level[v];
        for (int32_t i = s->link_start[v]; i < s->link_start[v + 1]; ++i) {
            const int32_t* ends = s->springs[s->links[i]].v;
            int other = ends[0] == v ? ends[1] : ends[0];
            if (s->level[other] == s->vertex_count) {
                s->level[other] = deepest + 1;
                s->queue[count++] = other;
            }
        }
    }
    return count;
}

// Springs in the order in which the search reaches them: each by the first of its ends in the
// queue.
static void order_from_held(dr_springs* s)
{
    int reached = find_levels(s), count = 0;
    for (int v = 0; v < s->vertex_count; ++v) {
        if (s->level[v] == s->vertex_count) {
            s->queue[reached++] = v;
        }
    }
    // From here on, the place of each vertex in the queue.
    for (int i = 0; i < reached; ++i) {
        s->level[s->queue[i]] = i;
    }
    for (int i = 0; i < reached; ++i) {
        int v = s->queue[i];
        for (int32_t k = s->link_start[v]; k < s->link_start[v + 1]; ++k) {
            const int32_t* ends = s->springs[s->links[k]].v;
            int other = ends[0] == v ? ends[1] : ends[0];
            if (s->level[other] > i) {
                s->order[count++] = s->links[k];
            }
        }
    }
}

void dr_springs_prepare_lengths(dr_springs* s, const dr_limits* limits, int first_vertex)
{
    bool has_changed = take_held(s, limits, first_vertex);
    if (is_asked_for(s) && has_changed && s->def.elongation_order == DR_SPRINGS_FROM_HELD) {
        order_from_held(s);
    }
}

// Half by each end, all by the free one. False when the spring is not too long.
static bool shorten(dr_springs* s, const dr_spring* spring)
{
    int a = spring->v[0], b = spring->v[1];
    double most = (1.0 + s->def.max_elongation) * spring->rest, way[3], square = 0.0;
    for (int c = 0; c < 3; ++c) {
        way[c] = s->q[b][c] - s->q[a][c];
        square += way[c] * way[c];
    }
    if (!(square > most * most) || (s->is_held[a] && s->is_held[b])) {
        return false;
    }
    double share = 1.0 - most / sqrt(square);
    double of_a = s->is_held[a] ? 0.0 : s->is_held[b] ? share : 0.5 * share;
    for (int c = 0; c < 3; ++c) {
        s->q[a][c] += of_a * way[c];
        s->q[b][c] -= (share - of_a) * way[c];
    }
    return true;
}

int dr_springs_shorten(dr_springs* s)
{
    int total = 0, last = s->long_count - 1;
    if (!is_asked_for(s)) {
        return 0;
    }
    for (int sweep = 0; sweep < s->def.elongation_sweeps; ++sweep) {
        bool is_back = sweep % 2 && s->def.elongation_order == DR_SPRINGS_TO_AND_FRO;
        int count = 0;
        for (int i = 0; i <= last; ++i) {
            count += shorten(s, &s->springs[s->order[is_back ? last - i : i]]);
        }
        total += count;
        // All are short enough: further sweeps would find nothing.
        if (count == 0) {
            break;
        }
    }
    return total;
}
