// Benchmark `geometry`, trees: build, refit and search over an accordion-folded sheet.
#include <string.h>

#include "bench_geometry.h"
#include "collide/feature_pairs.h"
#include "collide/tree_build.h"
#include "contact/surface.h"
#include "core/random.h"
#include "mesh/generate.h"

typedef struct tree_builder {
    const char* name;
    bool (*plan)(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface);
} tree_builder;

static const tree_builder builders[] = {
    {"swept", dr_plan_swept},
    {"octree", dr_plan_octree},
    {"material", dr_plan_material},
    {"bottom-up", dr_plan_bottom_up},
};
enum { BUILDER_COUNT = sizeof builders / sizeof builders[0] };

// --- The sheet ---

enum { LAYER_CELLS = 10 };

// Where a vertex is, in edges.
static void fold_vertex(float p[3], int column, int row, bool is_flat)
{
    int layer = is_flat ? 0 : column / LAYER_CELLS;
    int along = is_flat ? column : column % LAYER_CELLS;
    p[0] = (float)(layer % 2 == 0 ? along : LAYER_CELLS - 1 - along);
    p[1] = 0.25f * (float)layer;
    p[2] = (float)row;
    // Vertices of one layer shall not lie upon those of the next.
    p[0] += dr_random_unit(5, (uint32_t)layer);
    p[2] += dr_random_unit(6, (uint32_t)layer);
}

static void fold(geometry_sheet* sheet, int side, bool is_flat)
{
    for (int v = 0; v < side * side; ++v) {
        float* p = sheet->positions + 4 * (size_t)v;
        fold_vertex(p, v % side, v / side, is_flat);
        for (uint32_t c = 0; c < 3; ++c) {
            p[c] += 0.02f * dr_random_signed(7, 3 * (uint32_t)v + c);
            p[c] *= sheet->edge;
        }
        p[3] = 1.0f;
    }
}

static bool build_mesh(geometry_sheet* sheet, geometry_table* table, int side)
{
    dr_shape_mesh grid;
    char sentence[256];
    float size = sheet->edge * (float)(side - 1);
    if (!dr_generate_grid(&grid, &table->memory, size, size, side, side,
                          DRAPE_DIAGONALS_ALTERNATE)) {
        return false;
    }
    drape_mesh_view view = {.positions = grid.positions,
                            .triangles = &grid.triangles[0][0],
                            .vertex_count = grid.vertex_count,
                            .triangle_count = grid.triangle_count};
    bool is_built =
        dr_mesh_build(&sheet->mesh, &table->memory, &view, NULL, sentence, sizeof sentence);
    dr_shape_free(&grid, &table->memory);
    return is_built;
}

bool cli_sheet_make(geometry_sheet* sheet, geometry_table* table, int side, bool is_flat)
{
    *sheet = (geometry_sheet){.edge = 0.01f, .thickness = 0.003f};
    if (!build_mesh(sheet, table, side)) {
        return false;
    }
    const dr_mesh* mesh = &sheet->mesh;
    sheet->surface = dr_mesh_surface(mesh);
    sheet->positions = dr_new(&table->memory, float, 4 * (size_t)mesh->vertex_count);
    if (sheet->positions == NULL) {
        dr_mesh_free(&sheet->mesh, &table->memory);
        return false;
    }
    fold(sheet, side, is_flat);
    return true;
}

void cli_sheet_free(geometry_sheet* sheet, geometry_table* table)
{
    dr_delete(&table->memory, sheet->positions, 4 * (size_t)sheet->mesh.vertex_count);
    dr_mesh_free(&sheet->mesh, &table->memory);
}

// --- One tree ---

typedef struct tree_bench {
    geometry_table* table;
    const geometry_sheet* sheet;
    const tree_builder* builder;
    dr_tree tree;
    dr_features features;
    dr_pair_search search;
    dr_motion motion;
} tree_bench;

static bool build(void* context, dr_pool* pool)
{
    tree_bench* bench = context;
    dr_memory* memory = &bench->table->memory;
    (void)pool;
    dr_tree_free(&bench->tree, memory);
    return dr_tree_build(&bench->tree, memory, &bench->sheet->surface, bench->builder->plan,
                         bench->table->isa);
}

static bool refit(void* context, dr_pool* pool)
{
    tree_bench* bench = context;
    dr_tree_refit(&bench->tree, pool, &bench->motion);
    return true;
}

static bool refit_features(void* context, dr_pool* pool)
{
    tree_bench* bench = context;
    dr_features_refit(&bench->features, &bench->tree, pool, &bench->motion);
    return true;
}

static bool find_triangle_pairs(void* context, dr_pool* pool)
{
    tree_bench* bench = context;
    return dr_tree_triangle_pairs(&bench->search, &bench->table->memory, pool, &bench->tree, NULL);
}

static bool find_feature_pairs(void* context, dr_pool* pool)
{
    tree_bench* bench = context;
    return dr_feature_pairs(&bench->search, &bench->table->memory, pool, &bench->tree,
                            &bench->features, NULL);
}

static void tree_bench_init(tree_bench* bench, geometry_table* table, const geometry_sheet* sheet,
                            const tree_builder* builder)
{
    *bench = (tree_bench){.table = table, .sheet = sheet, .builder = builder};
    bench->motion =
        (dr_motion){.start = sheet->positions, .stride = 4, .radius = 0.5f * sheet->thickness};
}

static void tree_bench_free(tree_bench* bench)
{
    dr_memory* memory = &bench->table->memory;
    dr_pair_search_free(&bench->search, memory);
    dr_features_free(&bench->features, memory);
    dr_tree_free(&bench->tree, memory);
}

// --- Pairs as four vertices ---

static void write_pair(const dr_mesh* mesh, bool is_edges, dr_pair pair, int32_t vertices[4])
{
    if (is_edges) {
        memcpy(vertices, mesh->edges[pair.a].v, sizeof mesh->edges[pair.a].v);
        memcpy(vertices + 2, mesh->edges[pair.b].v, sizeof mesh->edges[pair.b].v);
    } else {
        vertices[0] = pair.a;
        memcpy(vertices + 1, mesh->triangles[pair.b], sizeof mesh->triangles[pair.b]);
    }
}

int cli_sheet_pairs(geometry_table* table, const geometry_sheet* sheet, bool is_edges,
                    int32_t (*pairs)[4], int limit)
{
    tree_bench bench;
    tree_bench_init(&bench, table, sheet, &builders[0]);
    int count = -1;
    if (build(&bench, NULL) &&
        dr_features_create(&bench.features, &table->memory, &bench.tree, &sheet->surface)) {
        refit(&bench, NULL);
        refit_features(&bench, NULL);
        if (find_feature_pairs(&bench, NULL)) {
            int list = is_edges ? DR_PAIRS_EDGE_EDGE : DR_PAIRS_POINT_TRIANGLE;
            const dr_pair* found = dr_pair_search_list(&bench.search, list, &count);
            count = count < limit ? count : limit;
            for (int k = 0; k < count; ++k) {
                write_pair(&sheet->mesh, is_edges, found[k], pairs[k]);
            }
        }
    }
    tree_bench_free(&bench);
    return count;
}

// --- All of them ---

typedef struct tree_stage {
    const char* what;
    geometry_work* work;
    int most_threads;
    bool finds_pairs;
} tree_stage;

static const tree_stage stages[] = {
    {"refit", refit, 2, false},
    {"triangle pairs", find_triangle_pairs, 2, true},
    {"feature refit", refit_features, 2, false},
    {"feature pairs", find_feature_pairs, 2, true},
};

static int64_t pair_count(const dr_pair_search* search)
{
    int64_t sum = 0;
    for (int list = 0; list < DR_PAIR_LISTS; ++list) {
        sum += search->lists[list].count;
    }
    return sum;
}

static bool measure_stage(tree_bench* bench, const tree_stage* stage, const char* kind)
{
    int triangle_count = bench->sheet->mesh.triangle_count;
    for (int threads = 1; threads <= stage->most_threads; ++threads) {
        double ns = cli_geometry_time(bench->table, threads, stage->work, bench);
        if (ns < 0.0) {
            return false;
        }
        geometry_row row = {.what = stage->what,
                            .kind = kind,
                            .per = "triangle",
                            .triangle_count = triangle_count,
                            .thread_count = threads};
        row.item_count = stage->finds_pairs ? pair_count(&bench->search) : triangle_count;
        cli_geometry_add(bench->table, row, ns, triangle_count);
    }
    return true;
}

static bool measure_tree(tree_bench* bench, const char* kind)
{
    static const tree_stage building = {"build", build, 1, false};
    if (!measure_stage(bench, &building, kind) ||
        !dr_features_create(&bench->features, &bench->table->memory, &bench->tree,
                            &bench->sheet->surface)) {
        return false;
    }
    for (size_t k = 0; k < sizeof stages / sizeof stages[0]; ++k) {
        if (!measure_stage(bench, &stages[k], kind)) {
            return false;
        }
    }
    return true;
}

static bool measure_sheet(geometry_table* table, int side, bool is_flat, int builder_count)
{
    static const char* const flat_names[] = {"swept flat"};
    geometry_sheet sheet;
    if (!cli_sheet_make(&sheet, table, side, is_flat)) {
        return false;
    }
    bool is_measured = true;
    for (int k = 0; is_measured && k < builder_count; ++k) {
        tree_bench bench;
        tree_bench_init(&bench, table, &sheet, &builders[k]);
        is_measured = measure_tree(&bench, is_flat ? flat_names[k] : builders[k].name);
        tree_bench_free(&bench);
    }
    cli_sheet_free(&sheet, table);
    return is_measured;
}

bool cli_bench_trees(geometry_table* table)
{
    // About 10,000, 20,000, 100,000 and a million triangles.
    static const int full_sides[] = {72, 101, 225, 708, 0};
    static const int quick_sides[] = {31, 0};
    const int* sides = table->is_quick ? quick_sides : full_sides;
    int flat_side = table->is_quick ? 31 : 101;
    for (; *sides != 0; ++sides) {
        if (!measure_sheet(table, *sides, false, BUILDER_COUNT)) {
            return false;
        }
    }
    return measure_sheet(table, flat_side, true, 1);
}
