// bench_geometry.h: what the two halves of benchmark `geometry` share: bench_geometry.c (tests of
// features) and bench_trees.c (trees over an accordion-folded sheet).
#ifndef CLI_BENCH_GEOMETRY_H
#define CLI_BENCH_GEOMETRY_H

#include "bench.h"
#include "collide/tree.h"
#include "mesh/mesh.h"

// One line of the table.
typedef struct geometry_row {
    const char* what;   // the test, or what is done to a tree
    const char* kind;   // of the input, or the builder of the tree
    const char* per;    // what `ns` is the time of one of
    int triangle_count; // of the sheet; 0 where there is none
    int thread_count;
    int64_t item_count; // tests made, triangles built or refit, pairs found
    double ns;
    double millions; // of items a second
} geometry_row;

enum { GEOMETRY_MAX_ROWS = 256 };

typedef struct geometry_table {
    geometry_row rows[GEOMETRY_MAX_ROWS];
    int count;
    drape_isa isa;
    bool is_quick;
    dr_memory memory;
    dr_pool* pool;   // of two workers
    double checksum; // of all that was computed, so that none of it can be left out
} geometry_table;

// Prints a row and keeps it. All items took `all_ns`; `ns` and `millions` of the row are set here.
void cli_geometry_add(geometry_table* table, geometry_row row, double all_ns, int64_t per_count);

// Nanoseconds: for one thread its own processor time, for more the clock.
double cli_geometry_now(int thread_count);

// The least time of several runs, in ns; work that takes long is done twice at least.
typedef bool geometry_work(void* context, dr_pool* pool);
double cli_geometry_time(geometry_table* table, int thread_count, geometry_work* work,
                         void* context);

// --- The sheet ---

// A sheet in layers of ten cells, one upon the other, a quarter of an edge apart:
//
//     ,---------------        Layers are shifted and all vertices a little off, as in cloth. Rest
//     '--------------.        shape: flat.
//     ,--------------'        Thickness is 0.3 of an edge: each layer is in contact with the two
//     '---------------        beside it, at 17 pairs of features for each vertex.
typedef struct geometry_sheet {
    dr_mesh mesh;
    dr_surface surface;
    float* positions; // four floats for each vertex
    float edge;       // m
    float thickness;  // m
} geometry_sheet;

// `side` vertices a side, `is_flat`: without folds.
bool cli_sheet_make(geometry_sheet* sheet, geometry_table* table, int side, bool is_flat);
void cli_sheet_free(geometry_sheet* sheet, geometry_table* table);

// Vertices of the features that may be in contact, point-triangle or edge-edge, at most `limit`
// of them, in the order in which a search finds them; -1 when memory is short.
int cli_sheet_pairs(geometry_table* table, const geometry_sheet* sheet, bool is_edges,
                    int32_t (*pairs)[4], int limit);
// Trees of every builder on sheets of every size.
bool cli_bench_trees(geometry_table* table);

#endif
