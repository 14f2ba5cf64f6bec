#include "contact/predict_batch.h"

#include "contact/predict_near.h"
#include "core/isa.h"

DR_KERNEL_TABLE(dr_predict_near_kernels)
DR_KERNEL_TABLE(dr_predict_batch_kernels)

// Groups that are being filled; more fill better, and take no longer.
enum { open_groups = 32 };

typedef struct grouping {
    dr_predict_groups* to;
    const int32_t (*vertices)[4];
    int32_t member[open_groups][8];
    int count[open_groups];
} grouping;

bool dr_predict_groups_create(dr_predict_groups* groups, dr_memory* memory, int vertex_count)
{
    *groups = (dr_predict_groups){.vertex_count = vertex_count};
    groups->open_of_vertex = dr_new_zeroed(memory, uint32_t, vertex_count + 1);
    return groups->open_of_vertex != NULL;
}

void dr_predict_groups_free(dr_predict_groups* groups, dr_memory* memory)
{
    dr_delete(memory, groups->open_of_vertex, groups->vertex_count + 1);
    dr_array_free(memory, &groups->groups, sizeof(int32_t[8]));
    *groups = (dr_predict_groups){0};
}

// Marks the vertices of a contact as in an open group, or no longer.
static void mark(grouping* g, int contact, int group, bool is_in)
{
    for (int k = 0; k < 4; ++k) {
        int v = g->vertices[contact][k];
        if (v < g->to->vertex_count) {
            uint32_t* open = &g->to->open_of_vertex[v];
            *open = is_in ? *open | 1u << group : *open & ~(1u << group);
        }
    }
}

// Closes a group: it goes to the list.
static bool close_group(grouping* g, dr_memory* memory, int group)
{
    int32_t(*out)[8] = dr_array_push(memory, &g->to->groups, sizeof *out);
    for (int i = 0; i < 8; ++i) {
        bool is_there = i < g->count[group];
        if (is_there) {
            mark(g, g->member[group][i], group, false);
        }
        if (out) {
            (*out)[i] = is_there ? g->member[group][i] : -1;
        }
    }
    g->count[group] = 0;
    return out != NULL;
}

static int fullest(const grouping* g)
{
    int best = 0;
    for (int i = 1; i < open_groups; ++i) {
        best = g->count[i] > g->count[best] ? i : best;
    }
    return best;
}

// The first open group without these vertices; when all have one of them, the fullest is closed.
static bool choose_group(grouping* g, dr_memory* memory, int contact, int* group)
{
    uint32_t busy = 0;
    for (int k = 0; k < 4; ++k) {
        int v = g->vertices[contact][k];
        busy |= v < g->to->vertex_count ? g->to->open_of_vertex[v] : 0u;
    }
    if (~busy) {
        *group = __builtin_ctz(~busy);
        return true;
    }
    *group = fullest(g);
    return close_group(g, memory, *group);
}

bool dr_predict_group(dr_predict_groups* groups, dr_memory* memory, const int32_t (*vertices)[4],
                      int count)
{
    grouping g = {.to = groups, .vertices = vertices};
    groups->groups.count = 0;
    bool has_room = true;
    for (int i = 0; has_room && i < count; ++i) {
        int group = 0;
        has_room = choose_group(&g, memory, i, &group);
        mark(&g, i, group, true);
        g.member[group][g.count[group]++] = i;
        if (g.count[group] == 8) {
            has_room = close_group(&g, memory, group) && has_room;
        }
    }
    // Marks are taken back even when memory is short.
    for (int i = 0; i < open_groups; ++i) {
        has_room = (g.count[i] == 0 || close_group(&g, memory, i)) && has_room;
    }
    return has_room;
}
