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
// window; if one of these is regular they cannot cross, otherwise their cells are *open* to each
// other and they must be tested. The cost is a few microseconds.
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

// Bits of what a cell is open to: five to a row, for columns -2 to 2, beginning with its own row,
// where only later columns count.
enum { DR_OPEN_ROW = 5, DR_OPEN_MASK = 31 };

// A part that is a grid of at least three cells both ways; others have no windows.
typedef struct dr_regular_part {
    int first_vertex, first_triangle;
    int columns, rows;    // of vertices
    int first_cell;
    size_t first_float;   // in `places`
    int row_floats;       // from row to row there
    size_t first_window;  // in `is_regular`; by its first cell
    int row_windows;      // from row to row there
} dr_regular_part;

typedef struct dr_regular {
    int part_count, cell_count;
    dr_regular_part* parts;
    float* places[3];    // coordinates apart, rows with room for kernels to read on
    size_t place_count;  // floats of each
    uint8_t* is_regular; // windows, with a border that is not, two wide
    size_t window_count;
    uint16_t* open;      // by cell
    const uint8_t* changed; // during an update
    drape_isa isa;
    bool has_all; // every triangle has a cell
} dr_regular;

// False when memory is short; free it then all the same.
bool dr_regular_create(dr_regular* regular, dr_memory* memory, const dr_sheets* sheets,
                       drape_isa isa);
void dr_regular_free(dr_regular* regular, dr_memory* memory);

// Looks at places, records of four floats. Where `changed` has no flags, by vertex, they are those
// of the last update; null: look at all.
void dr_regular_update(dr_regular* regular, dr_pool* pool, const float* places,
                       const uint8_t* changed);

// True: no two triangles of any cloth that are at most two cells apart cross.
bool dr_regular_is_all(const dr_regular* regular);

// The cell of a triangle is open to these others (DR_OPEN_ROW). `part` is its part.
static inline int dr_regular_open(const dr_regular* regular, int part, int triangle)
{
    const dr_regular_part* p = &regular->parts[part];
    int cell = p->first_cell + (triangle - p->first_triangle) / 2;
    return p->columns > 0 ? regular->open[cell] : (1 << 3 * DR_OPEN_ROW) - 1;
}

// True: these two cannot cross. `part` is that of both.
bool dr_regular_has(const dr_regular* regular, int part, int a, int b);

// Of eight triangles from `first` on, the bits of those whose cells the cell of `triangle` is open
// to, which is `open`. Others are not near it, or have lower numbers.
int dr_regular_open_lanes(const dr_regular_part* part, int triangle, int open, int first);

// --- For kernels ---

typedef struct dr_regular_kernels {
    // Judges rows of windows.
    void (*judge)(const dr_regular* regular, const dr_regular_part* part, int begin, int end);
} dr_regular_kernels;

#endif
