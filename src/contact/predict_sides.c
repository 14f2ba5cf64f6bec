// Sides of the step before, for points that lie in the plane of a triangle.
#include <string.h>

#include "contact/predict_contacts.h"

// The contacts of the step before in the order of their vertices.
static bool sort_last(dr_predict_contacts* contacts, dr_memory* memory)
{
    int count = contacts->last.count, *start = contacts->last_start;
    if (!dr_array_reserve(memory, &contacts->last, sizeof(dr_point_contact), 2 * count + 1)) {
        return false;
    }
    dr_point_contact *from = contacts->last.data, *to = from + count;
    memset(start, 0, sizeof *start * (size_t)(contacts->vertex_count + 2));
    for (int i = 0; i < count; ++i) {
        ++start[from[i].vertex + 2];
    }
    for (int v = 0; v < contacts->vertex_count; ++v) {
        start[v + 2] += start[v + 1];
    }
    for (int i = 0; i < count; ++i) {
        to[start[from[i].vertex + 1]++] = from[i];
    }
    memmove(from, to, sizeof *from * (size_t)count);
    contacts->is_last_sorted = true;
    return true;
}

int dr_predict_last_side(dr_predict_contacts* contacts, dr_memory* memory, int vertex, int triangle)
{
    if (contacts->last.count == 0 || (!contacts->is_last_sorted && !sort_last(contacts, memory))) {
        return 0;
    }
    const dr_point_contact* last = contacts->last.data;
    for (int i = contacts->last_start[vertex]; i < contacts->last_start[vertex + 1]; ++i) {
        if ((int)last[i].triangle == triangle) {
            return last[i].is_above ? 1 : -1;
        }
    }
    return 0;
}
