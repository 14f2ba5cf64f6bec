// contact/regular.h: patches of a grid that certainly do not cross themselves.
//
// Almost everywhere a sheet is only gently bent, and there nobody need ask whether near triangles
// cross. Let s and t count columns and rows, and p(s,t) be the sheet: on each triangle p is linear,
// and its derivatives are an edge e1 along a row and an edge e2 along a column. Look at the patch
// along two directions, f = (u.p, v.p). If
//
//     u.e1 > 0        v.e2 > 0        4 (u.e1) (v.e2) > (v.e1 + u.e2)^2
//
// on all triangles of a rectangle of cells, then w.(f'w) > 0 for any step w in it, so that (x -
// y).(f(x) - f(y)) > 0 for any two of its points: the way from y to x runs inside the rectangle.
// Hence no two points of the patch have the same place, and none of its triangles cross or touch
// but where they join.
//
// This is asked of all windows of 3 x 3 cells, eight at a time. u and v are chosen so that the mean
// edges of the window become the unit square. Two triangles at most two cells apart are in some
// window; if one of these is regular they cannot cross. A triangle is *safe* when all windows that
// hold its cell are regular. The cost is a few microseconds; what is not regular is tested pair by
// pair.
//
//     . . . . . .      The windows that hold both cells a and b, here two of them: if one is
//     . +---+-. .      regular, no triangle of a crosses one of b.
//     . | a | . .
//     . | . b . .
//     . +---+-. .
//     . . . . . .
//
// Rounding: edges are differences of floats, wrong by 2^-24 of their size, products a few times
// that, and the margin is 10^-3. Windows with edges so long that this would not suffice are not
// regular.
#ifndef DR_REGULAR_H
#define DR_REGULAR_H

#include "core/parallel.h"
#include "contact/sheets.h"

// Cells of a window along a row and along a column.
enum { DR_WINDOW = 3 };

// A part that is a grid of at least three cells both ways; others have no windows.
typedef struct dr_regular_part {
    int first_vertex, first_triangle;
    int columns, rows;                // of vertices
    int window_columns, window_rows;  // of windows, named by their first cell
    int first_window, first_cell;
    size_t first_float;               // in `places`
    int row_floats;                   // from row to row there
} dr_regular_part;

typedef struct dr_regular {
    int part_count, window_count, cell_count;
    dr_regular_part* parts;
    float* places[3];      // coordinates apart, rows with room for kernels to read on
    size_t place_count;    // floats of each
    uint8_t* is_regular;   // by window
    uint8_t* is_safe;      // by cell
    drape_isa isa;
    bool has_all; // every triangle has a cell
} dr_regular;

// False when memory is short; free it then all the same.
bool dr_regular_create(dr_regular* regular, dr_memory* memory, const dr_sheets* sheets,
                       drape_isa isa);
void dr_regular_free(dr_regular* regular, dr_memory* memory);

// Looks at places, records of four floats.
void dr_regular_update(dr_regular* regular, dr_pool* pool, const float* places);

// True: every triangle is safe.
bool dr_regular_is_all(const dr_regular* regular);

// True: nothing within two cells of the triangle crosses it. `part` is its part.
static inline bool dr_regular_at(const dr_regular* regular, int part, int triangle)
{
    const dr_regular_part* p = &regular->parts[part];
    return p->window_columns > 0 &&
           regular->is_safe[p->first_cell + (triangle - p->first_triangle) / 2];
}

// True: these two cannot cross. `part` is that of both.
bool dr_regular_has(const dr_regular* regular, int part, int a, int b);

// --- For kernels ---

typedef struct dr_regular_kernels {
    // Judges rows of windows.
    void (*judge)(const dr_regular* regular, const dr_regular_part* part, int begin, int end);
} dr_regular_kernels;

#endif
