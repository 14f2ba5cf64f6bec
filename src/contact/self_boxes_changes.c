// Which triangles ended elsewhere in the last run of a step.
//
// Limits of one run move what is near them and leave the rest of the sheet where it was, to the
// last bit of a float: from the third run on that is most of it. Two triangles of which neither
// moved were compared in the last run.
#include <string.h>

#include "contact/self_boxes_parts.h"

// Flags are read in eights.
enum { SPARE = 8 };

static size_t flag_count(const dr_sheets* sheets)
{
    return (size_t)sheets->vertex_count + (size_t)sheets->triangle_count + SPARE;
}

bool dr_boxes_create_changes(dr_self_boxes* self, dr_memory* memory)
{
    size_t vertices = (size_t)self->sheets->vertex_count + 1;
    self->last_start = dr_new_zeroed(memory, drape_vec3, vertices);
    self->last_end = dr_new_zeroed(memory, drape_vec3, vertices);
    self->has_changed = dr_new_zeroed(memory, uint8_t, flag_count(self->sheets));
    self->is_near_change = dr_new_zeroed(memory, uint8_t, (size_t)self->sheets->triangle_count + 1);
    return self->last_start && self->last_end && self->has_changed && self->is_near_change;
}

void dr_boxes_free_changes(dr_self_boxes* self, dr_memory* memory)
{
    size_t vertices = (size_t)self->sheets->vertex_count + 1;
    dr_delete(memory, self->last_start, vertices);
    dr_delete(memory, self->last_end, vertices);
    dr_delete(memory, self->has_changed, flag_count(self->sheets));
    dr_delete(memory, self->is_near_change, (size_t)self->sheets->triangle_count + 1);
}

static void mark_vertices(dr_self_boxes* self)
{
    const drape_vec3 *end = self->sheets->end, *last = self->last_end;
    for (int v = 0; v < self->sheets->vertex_count; ++v) {
        bool is_same = end[v].x == last[v].x && end[v].y == last[v].y && end[v].z == last[v].z;
        self->has_changed[v] = !is_same;
    }
}

static void mark_triangles(dr_self_boxes* self)
{
    int count = 0;
    const uint8_t* vertex = self->has_changed;
    uint8_t* triangle = self->has_changed + self->sheets->vertex_count;
    for (int t = 0; t < self->sheets->triangle_count; ++t) {
        const int32_t* v = self->sheets->triangles[t];
        triangle[t] = vertex[v[0]] | vertex[v[1]] | vertex[v[2]];
        count += triangle[t];
    }
    self->is_few_changes = 2 * count < self->sheets->triangle_count;
}

// Cells of a grid that are at most two away from one that changed.
static void spread_in_grid(dr_self_boxes* self, const dr_sheets_part* part)
{
    int columns = part->columns - 1, rows = part->rows - 1;
    const uint8_t* changed = dr_boxes_changed(self) + part->first_triangle;
    uint8_t* near = self->is_near_change + part->first_triangle;
    for (int cell = 0; cell < columns * rows; ++cell) {
        if (!(changed[2 * cell] | changed[2 * cell + 1])) {
            continue;
        }
        int row = cell / columns, column = cell - row * columns;
        int first = column < 2 ? 0 : column - 2;
        int last = column + 2 < columns ? column + 2 : columns - 1;
        // Lists of near triangles are at the lower number.
        for (int r = row < 2 ? 0 : row - 2; r <= row; ++r) {
            memset(near + 2 * (r * columns + first), 1, 2 * (size_t)(last - first + 1));
        }
    }
}

static void spread(dr_self_boxes* self)
{
    const dr_sheets* sheets = self->sheets;
    for (int p = 0; p < sheets->part_count; ++p) {
        const dr_sheets_part* part = &sheets->parts[p];
        bool is_grid = part->columns > 1 && self->options.ring <= 1;
        memset(self->is_near_change + part->first_triangle, !is_grid,
               (size_t)part->mesh->triangle_count);
        if (is_grid) {
            spread_in_grid(self, part);
        }
    }
}

void dr_boxes_find_changes(const dr_boxes_run* r)
{
    dr_self_boxes* self = r->self;
    const dr_sheets* sheets = self->sheets;
    size_t bytes = sizeof(drape_vec3) * (size_t)sheets->vertex_count;
    bool follows = self->last_run > 0 && r->number == self->last_run + 1 &&
                   !self->options.is_full &&
                   memcmp(sheets->start, self->last_start, bytes) == 0;
    self->is_few_changes = false;
    if (follows) {
        mark_vertices(self);
        mark_triangles(self);
        spread(self);
    } else {
        memset(self->has_changed, 1, flag_count(sheets));
        memset(self->is_near_change, 1, (size_t)sheets->triangle_count);
    }
    memcpy(self->last_start, sheets->start, bytes);
    memcpy(self->last_end, sheets->end, bytes);
    self->last_run = r->number;
}
