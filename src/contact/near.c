#include "contact/near.h"

// Lists of one part while they are made.
typedef struct maker {
    dr_near* near;
    dr_memory* memory;
    const dr_sheets_part* part;
    int ring;
    int32_t *vertex_mark, *triangle_mark; // the last triangle that reached it
    dr_array reached;                     // int32_t: vertices, in the order of their distance
} maker;

static bool push(dr_memory* memory, dr_array* list, int32_t value)
{
    int32_t* place = dr_array_push(memory, list, sizeof *place);
    if (place) {
        *place = value;
    }
    return place != NULL;
}

static bool reach_vertex(maker* m, int of, int vertex)
{
    if (m->vertex_mark[vertex] == of) {
        return true;
    }
    m->vertex_mark[vertex] = of;
    return push(m->memory, &m->reached, vertex);
}

static bool reach_in_grid(maker* m, int of, int vertex)
{
    int columns = m->part->columns, rows = m->part->rows;
    int column = vertex % columns, row = vertex / columns;
    bool is_done = true;
    for (int r = row - m->ring; r <= row + m->ring; ++r) {
        for (int c = column - m->ring; c <= column + m->ring; ++c) {
            if (r >= 0 && r < rows && c >= 0 && c < columns) {
                is_done = is_done && reach_vertex(m, of, r * columns + c);
            }
        }
    }
    return is_done;
}

// One edge further from all that is reached so far: the corners of the triangles around.
static bool reach_further(maker* m, int of)
{
    const dr_mesh* mesh = m->part->mesh;
    bool is_done = true;
    for (int i = 0, count = m->reached.count; i < count; ++i) {
        int v = ((const int32_t*)m->reached.data)[i];
        for (int k = mesh->vertex_triangle_start[v]; k < mesh->vertex_triangle_start[v + 1]; ++k) {
            const int32_t* corner = mesh->triangles[mesh->vertex_triangle_list[k]];
            for (int c = 0; c < 3; ++c) {
                is_done = is_done && reach_vertex(m, of, corner[c]);
            }
        }
    }
    return is_done;
}

static bool reach(maker* m, int of)
{
    bool is_done = true;
    m->reached.count = 0;
    for (int k = 0; k < 3; ++k) {
        int v = m->part->mesh->triangles[of][k];
        is_done =
            is_done && (m->part->columns > 0 ? reach_in_grid(m, of, v) : reach_vertex(m, of, v));
    }
    for (int r = 0; r < m->ring && m->part->columns == 0; ++r) {
        is_done = is_done && reach_further(m, of);
    }
    return is_done;
}

// By insertion: lists are short and nearly sorted.
static void sort(int32_t* list, int count)
{
    for (int i = 1; i < count; ++i) {
        int32_t value = list[i];
        int k = i;
        for (; k > 0 && list[k - 1] > value; --k) {
            list[k] = list[k - 1];
        }
        list[k] = value;
    }
}

static bool list_triangle(maker* m, int of)
{
    const dr_mesh* mesh = m->part->mesh;
    int begin = m->near->list.count;
    bool is_done = reach(m, of);
    for (int i = 0; is_done && i < m->reached.count; ++i) {
        int v = ((const int32_t*)m->reached.data)[i];
        for (int k = mesh->vertex_triangle_start[v]; k < mesh->vertex_triangle_start[v + 1]; ++k) {
            int other = mesh->vertex_triangle_list[k];
            if (other > of && m->triangle_mark[other] != of) {
                m->triangle_mark[other] = of;
                is_done =
                    is_done && push(m->memory, &m->near->list, m->part->first_triangle + other);
            }
        }
    }
    m->near->start[m->part->first_triangle + of + 1] = m->near->list.count;
    sort((int32_t*)m->near->list.data + begin, m->near->list.count - begin);
    return is_done;
}

static bool group_triangle(maker* m, int of)
{
    int t = m->part->first_triangle + of, count;
    const int32_t* list = dr_near_of(m->near, t, &count);
    for (int i = 0; i < count;) {
        dr_near_group* group = dr_array_push(m->memory, &m->near->groups, sizeof *group);
        if (!group) {
            return false;
        }
        *group = (dr_near_group){.first = list[i]};
        for (; i < count && list[i] < group->first + 8; ++i) {
            group->mask |= (uint8_t)(1u << (list[i] - group->first));
        }
    }
    m->near->group_start[t + 1] = m->near->groups.count;
    return true;
}

static bool list_part(maker* m)
{
    const dr_mesh* mesh = m->part->mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        m->vertex_mark[v] = -1;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        m->triangle_mark[t] = -1;
    }
    bool is_done = true;
    for (int t = 0; t < mesh->triangle_count && is_done; ++t) {
        is_done = list_triangle(m, t) && group_triangle(m, t);
    }
    return is_done;
}

bool dr_near_create(dr_near* near, dr_memory* memory, const dr_sheets* sheets, int ring)
{
    *near = (dr_near){.triangle_count = sheets->triangle_count};
    size_t vertices = (size_t)sheets->vertex_count + 1;
    size_t triangles = (size_t)sheets->triangle_count + 1;
    maker m = {.near = near, .memory = memory, .ring = ring};
    near->start = dr_new_zeroed(memory, int32_t, triangles);
    near->group_start = dr_new_zeroed(memory, int32_t, triangles);
    m.vertex_mark = dr_new(memory, int32_t, vertices);
    m.triangle_mark = dr_new(memory, int32_t, triangles);
    // Room from the beginning, so that empty lists have an address too.
    bool is_done = near->start && near->group_start && m.vertex_mark && m.triangle_mark &&
                   dr_array_reserve(memory, &near->list, sizeof(int32_t), 1) &&
                   dr_array_reserve(memory, &near->groups, sizeof(dr_near_group), 1);
    for (int p = 0; p < sheets->part_count && is_done; ++p) {
        m.part = &sheets->parts[p];
        is_done = list_part(&m);
    }
    dr_delete(memory, m.vertex_mark, vertices);
    dr_delete(memory, m.triangle_mark, triangles);
    dr_array_free(memory, &m.reached, sizeof(int32_t));
    return is_done;
}

void dr_near_free(dr_near* near, dr_memory* memory)
{
    dr_delete(memory, near->start, (size_t)near->triangle_count + 1);
    dr_delete(memory, near->group_start, (size_t)near->triangle_count + 1);
    dr_array_free(memory, &near->list, sizeof(int32_t));
    dr_array_free(memory, &near->groups, sizeof(dr_near_group));
    *near = (dr_near){0};
}
