// The model on grids: springs together make the fabric, chains and lines are solved exactly.
#include "solver/xpbd_grid.h"

#include <drape/drape.h>

#include "solver_test.h"

// --- Energies of the continuum ---

typedef struct stretch_case {
    float size_x, size_z;
    int columns, rows;
} stretch_case;

// Square and long cells, the longer side along either axis.
static const stretch_case stretches[] = {
    {0.4f, 0.3f, 21, 16},
    {0.3f, 0.4f, 16, 21},
    {0.4f, 0.3f, 29, 16},
    {0.3f, 0.4f, 16, 17},
};
enum { stretch_count = sizeof stretches / sizeof stretches[0] };

// Energy of a pull by `e` along one axis when the other has the strain `side`.
static double pulled_energy(piece* p, bool is_weft, double e, double side)
{
    double f[4] = {1.0 + (is_weft ? side : e), 0.0, 0.0, 1.0 + (is_weft ? e : side)};
    piece_pose(p, pose_linear, f);
    return piece_energy(p);
}

// With its sides free to draw in a strip resists with the fabric's own tensile stiffness.
START_TEST(pulled_strip_is_as_stiff_as_the_fabric)
{
    const stretch_case* c = &stretches[_i];
    drape_fabric fabric = test_fabric();
    piece p;
    piece_create(&p, WEAVE_GRID, &fabric, c->size_x, c->size_z, c->columns, c->rows);
    double area = (double)c->size_x * (double)c->size_z, e = 0.002;
    for (int axis = 0; axis < 2; ++axis) {
        double lo = -e, hi = e;
        for (int i = 0; i < 100; ++i) {
            double a = lo + (hi - lo) / 3.0, b = hi - (hi - lo) / 3.0;
            bool lower = pulled_energy(&p, axis, e, a) < pulled_energy(&p, axis, e, b);
            *(lower ? &hi : &lo) = lower ? b : a;
        }
        double wanted = 0.5 * (axis ? 3500.0 : 6000.0) * e * e * area;
        ck_assert_double_eq_tol(pulled_energy(&p, axis, e, 0.5 * (lo + hi)) / wanted, 1.0, 2e-3);
    }
    piece_free(&p);
}
END_TEST

START_TEST(sheared_sheet_is_as_stiff_as_the_fabric)
{
    const stretch_case* c = &stretches[_i];
    drape_fabric fabric = test_fabric();
    piece p;
    piece_create(&p, WEAVE_GRID, &fabric, c->size_x, c->size_z, c->columns, c->rows);
    double e = 0.01, area = (double)c->size_x * (double)c->size_z;
    const double f[4] = {cos(0.5 * e), sin(0.5 * e), sin(0.5 * e), cos(0.5 * e)};
    piece_pose(&p, pose_linear, f);
    ck_assert_double_eq_tol(piece_energy(&p) / (0.5 * 70.0 * e * e * area), 1.0, 2e-3);
    piece_free(&p);
}
END_TEST

// --- Chains against a dense solution ---

static drape_vec3 place_at(const piece* p, const float* array, int column, int row)
{
    return dr_sheet_get(DR_LAYOUT_STRIPED, array, dr_grid_slot(p->xpbd.grid, column, row));
}

// Share of a full cell that the spring at a place stands for.
static double spring_width(const struct dr_xpbd_grid* g, int phase, int column, int row)
{
    bool side =
        phase == 0 ? row == 0 || row == g->rows - 1 : column == 0 || column == g->columns - 1;
    return phase < 2 && side ? 0.5 : 1.0;
}

enum { chain_most = 160 };

// One chain: its vertices and, from each to the next, a spring.
typedef struct chain {
    int vertex[chain_most + 1];
    double weight[chain_most + 1]; // inverse masses
    double direction[chain_most][3], missing[chain_most], compliance[chain_most];
    int count; // of springs
} chain;

// The chain from a vertex by steps of (dc, dr); `q` holds all places.
static void collect_chain(const piece* p, int phase, int column, int row, int dc, int dr,
                          double (*q)[3], chain* out)
{
    const struct dr_xpbd_grid* g = p->xpbd.grid;
    const float rests[4] = {g->rest_along, g->rest_across, g->rest_diagonal, g->rest_diagonal};
    double h = (double)p->xpbd.h, full = (double)g->spring[phase < 2 ? phase : DR_GRID_DIAGONAL];
    int n = 0;
    for (int c = column, r = row; c >= 0 && c < g->columns && r < g->rows; c += dc, r += dr, ++n) {
        out->vertex[n] = r * g->columns + c;
        out->weight[n] = (double)dr_sheet_inverse_mass(&p->xpbd.sheet, dr_grid_slot(g, c, r));
        out->compliance[n] = 1.0 / (full * spring_width(g, phase, c, r) * h * h);
    }
    out->count = n - 1;
    for (int i = 0; i < out->count; ++i) {
        double *d = out->direction[i], length = 0.0;
        for (int k = 0; k < 3; ++k) {
            d[k] = q[out->vertex[i + 1]][k] - q[out->vertex[i]][k];
            length += d[k] * d[k];
        }
        length = sqrt(length);
        for (int k = 0; k < 3; ++k) {
            d[k] /= length;
        }
        out->missing[i] = (double)rests[phase] - length;
    }
}

// Moves the vertices of a chain to the solution of its linearised springs.
static void solve_chain(const chain* c, double (*q)[3])
{
    static double a[chain_most * chain_most], b[chain_most][3];
    int n = c->count;
    for (int i = 0; i < n * n; ++i) {
        int r = i / n, l = i % n;
        const double *d = c->direction[r], *e = c->direction[l];
        double cosine = d[0] * e[0] + d[1] * e[1] + d[2] * e[2];
        double shared = r > l ? c->weight[r] : c->weight[l];
        a[i] = r == l            ? c->weight[r] + c->weight[r + 1] + c->compliance[r]
               : abs(r - l) == 1 ? -shared * cosine
                                 : 0.0;
    }
    for (int i = 0; i < n; ++i) {
        b[i][0] = c->missing[i];
        b[i][1] = b[i][2] = 0.0;
    }
    solve_dense(a, b, n);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            double push = b[i][0] * c->direction[i][k];
            q[c->vertex[i]][k] -= c->weight[i] * push;
            q[c->vertex[i + 1]][k] += c->weight[i + 1] * push;
        }
    }
}

static double (*places_of(const piece* p))[3]
{
    const struct dr_xpbd_grid* g = p->xpbd.grid;
    double(*q)[3] = malloc(sizeof *q * (size_t)(g->columns * g->rows));
    for (int i = 0; i < g->columns * g->rows; ++i) {
        drape_vec3 at = place_at(p, p->xpbd.sheet.pos, i % g->columns, i / g->columns);
        q[i][0] = (double)at.x;
        q[i][1] = (double)at.y;
        q[i][2] = (double)at.z;
    }
    return q;
}

static double furthest_from(const piece* p, double (*q)[3])
{
    double(*now)[3] = places_of(p), worst = 0.0;
    for (int i = 0; i < p->mesh.vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, fabs(now[i][k] - q[i][k]));
        }
    }
    free(now);
    return worst;
}

// Holds some vertices: two columns at one end, two rows at another, and one in the middle.
static void hold_some(piece* p)
{
    struct dr_xpbd_grid* g = p->xpbd.grid;
    for (int r = 0; r < g->rows; ++r) {
        for (int c = 0; c < g->columns; ++c) {
            bool middle = c == g->columns / 2 && r == g->rows / 2;
            if (c < 2 || r >= g->rows - 2 || middle) {
                dr_sheet_set_inverse_mass(&p->xpbd.sheet, dr_grid_slot(g, c, r), 0.0f);
            }
        }
    }
    dr_xpbd_masses_changed(&p->xpbd);
}

// Sizes at which rows of vectors end, wrap and are filled up in different ways.
static const int sizes[][2] = {{9, 9},  {17, 5}, {24, 24}, {25, 25}, {40, 13},
                               {7, 33}, {26, 3}, {3, 3},   {2, 2},   {131, 18}};
enum { size_count = sizeof sizes / sizeof sizes[0] };

static void create_sized(piece* p, const drape_fabric* fabric, int index)
{
    int columns = sizes[index][0], rows = sizes[index][1];
    piece_create(p, WEAVE_GRID, fabric, 0.02f * (float)(columns - 1), 0.025f * (float)(rows - 1),
                 columns, rows);
}

// One family of chains by itself: along, across, rising, falling.
static void run_family(piece* p, int family)
{
    const struct dr_xpbd_grid* g = p->xpbd.grid;
    const dr_grid_kernels* kernels = dr_grid_kernels_for(dr_isa_resolve(DRAPE_ISA_AUTO));
    const dr_grid_sweep only = {true, true};
    static const int shifts[4] = {0, 0, 1, -1};
    for (int group = 0; family == 0 && group < dr_grid_row_groups(g); ++group) {
        kernels->along(g, group, only, p->scratch);
    }
    int groups = family > 0 && g->rows > 1 ? dr_grid_column_groups(g) : 0;
    for (int i = 0; i < 2 * groups; ++i) {
        kernels->eliminate(g, shifts[family], i % 2, i / 2, only);
    }
    for (int i = 0; i < 2 * groups; ++i) {
        kernels->substitute(g, shifts[family], i % 2, i / 2, only);
    }
}

// Each family of chains, started from a shaken pose, with and without held vertices.
START_TEST(chains_are_solved_whole)
{
    drape_fabric fabric = test_fabric();
    fabric.bend_warp = fabric.bend_weft = 1e-18f;
    static const int steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    for (int round = 0; round < 8; ++round) {
        piece p;
        int family = round / 2;
        create_sized(&p, &fabric, _i);
        if (round % 2 && p.mesh.vertex_count > 9) {
            hold_some(&p);
        }
        piece_shake(&p, 1e-3f, (uint32_t)round);
        dr_xpbd_prepare(&p.xpbd, 1.0f / 1200.0f);
        double(*q)[3] = places_of(&p);
        const struct dr_xpbd_grid* g = p.xpbd.grid;
        for (int i = 0; i < g->columns * g->rows; ++i) {
            int c = i % g->columns, r = i / g->columns;
            int dc = steps[family][0], dr = steps[family][1];
            if (c - dc < 0 || c - dc >= g->columns || r - dr < 0) {
                chain line;
                collect_chain(&p, family, c, r, dc, dr, q, &line);
                solve_chain(&line, q);
            }
        }
        run_family(&p, family);
        ck_assert_double_le(furthest_from(&p, q), 5e-7);
        free(q);
        piece_free(&p);
    }
}
END_TEST

// --- Bending lines against a dense solution ---

// What a line is solved for: (M + h (h + tau) (K + P)) d = load - h^2 K (x + tau / h (x - start)).
typedef struct bend_case {
    double h, tau;
    double stiffness; // of a full stencil, N/m
    double bound;     // of P: this times the squared differences of neighbours, N/m
} bend_case;

typedef struct bend_line {
    double x[chain_most][3], start[chain_most][3], load[chain_most][3];
    double mass[chain_most]; // 0: held
    int count;
} bend_line;

// Adds share * k * coef coef^T between `count` places from `first`, held ones left out.
static void add_stencil(const bend_line* l, double* a, int first, const double* coef, int count,
                        double k)
{
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            bool both = l->mass[first + i] > 0.0 && l->mass[first + j] > 0.0;
            a[(first + i) * l->count + first + j] += both ? k * coef[i] * coef[j] : 0.0;
        }
    }
}

static void solve_line(const bend_case* c, bend_line* l)
{
    static double a[chain_most * chain_most];
    const double bend[3] = {1.0, -2.0, 1.0}, step[2] = {1.0, -1.0};
    double share = c->h * (c->h + c->tau);
    int n = l->count;
    for (int i = 0; i < n * n; ++i) {
        a[i] = i / n == i % n ? (l->mass[i / n] > 0.0 ? l->mass[i / n] : 1.0) : 0.0;
    }
    for (int i = 0; i + 1 < n; ++i) {
        add_stencil(l, a, i, step, 2, share * c->bound);
    }
    for (int m = 1; m + 1 < n; ++m) {
        // A stencil whose middle is held with one of its ends bends over half a cell.
        bool clamped = l->mass[m] <= 0.0 && (l->mass[m - 1] <= 0.0) != (l->mass[m + 1] <= 0.0);
        double k = c->stiffness * (clamped ? 2.0 : 1.0);
        add_stencil(l, a, m - 1, bend, 3, share * k);
        for (int axis = 0; axis < 3; ++axis) {
            double bow = 0.0;
            for (int i = 0; i < 3; ++i) {
                double x = l->x[m - 1 + i][axis], from = l->start[m - 1 + i][axis];
                bow += bend[i] * (x + c->tau / c->h * (x - from));
            }
            for (int i = 0; i < 3; ++i) {
                l->load[m - 1 + i][axis] -= c->h * c->h * k * bend[i] * bow;
            }
        }
    }
    for (int i = 0; i < 3 * n; ++i) {
        l->load[i / 3][i % 3] *= l->mass[i / 3] > 0.0 ? 1.0 : 0.0;
    }
    solve_dense(a, l->load, n);
    for (int i = 0; i < 3 * n; ++i) {
        l->x[i / 3][i % 3] += l->load[i / 3][i % 3];
    }
}

static double mass_at(const piece* p, int vertex)
{
    const struct dr_xpbd_grid* g = p->xpbd.grid;
    int slot = dr_grid_slot(g, vertex % g->columns, vertex / g->columns);
    float w = dr_sheet_inverse_mass(&p->xpbd.sheet, slot);
    return w > 0.0f ? 1.0 / (double)w : 0.0;
}

// All lines of one direction, border lines with half their stiffness.
static void solve_lines(const piece* p, bend_case c, bool across, double (*q)[3],
                        double (*start)[3], double (*load)[3])
{
    const struct dr_xpbd_grid* g = p->xpbd.grid;
    int lines = across ? g->columns : g->rows;
    for (int k = 0; k < lines; ++k) {
        bend_line l = {.count = across ? g->rows : g->columns};
        double width = lines > 1 && (k == 0 || k == lines - 1) ? 0.5 : 1.0;
        c.stiffness = width * (double)(across ? g->bend_across : g->bend_along);
        c.bound = across ? 4.0 * width * (double)g->twist : 0.0;
        for (int i = 0; i < l.count; ++i) {
            int v = across ? i * g->columns + k : k * g->columns + i;
            l.mass[i] = mass_at(p, v);
            for (int axis = 0; axis < 3; ++axis) {
                l.x[i][axis] = q[v][axis];
                l.start[i][axis] = start[v][axis];
                l.load[i][axis] = across ? load[v][axis] : 0.0;
            }
        }
        solve_line(&c, &l);
        for (int i = 0; i < l.count; ++i) {
            int v = across ? i * g->columns + k : k * g->columns + i;
            for (int axis = 0; axis < 3; ++axis) {
                q[v][axis] = l.x[i][axis];
            }
        }
    }
}

// -h^2 T of the cells, by their stencil 1 -1 -1 1.
static void load_cells(const piece* p, const bend_case* c, double (*q)[3], double (*start)[3],
                       double (*load)[3])
{
    const struct dr_xpbd_grid* g = p->xpbd.grid;
    int n = g->columns;
    for (int i = 0; i < 3 * p->mesh.vertex_count; ++i) {
        load[i / 3][i % 3] = 0.0;
    }
    for (int cell = 0; cell < (n - 1) * (g->rows - 1); ++cell) {
        int v = cell / (n - 1) * n + cell % (n - 1), corner[4] = {v, v + 1, v + n, v + n + 1};
        const double sign[4] = {1.0, -1.0, -1.0, 1.0};
        for (int axis = 0; axis < 3; ++axis) {
            double t = 0.0;
            for (int i = 0; i < 4; ++i) {
                double x = q[corner[i]][axis], from = start[corner[i]][axis];
                t += sign[i] * (x + c->tau / c->h * (x - from));
            }
            for (int i = 0; i < 4; ++i) {
                load[corner[i]][axis] -= c->h * c->h * (double)g->twist * sign[i] * t;
            }
        }
    }
}

static void run_bending(piece* p)
{
    piece_run(p, DR_XPBD_BEND, 0, (dr_xpbd_sweep){0, 1});
    piece_run(p, DR_XPBD_BEND, 1, (dr_xpbd_sweep){0, 1});
    piece_run(p, DR_XPBD_STRETCH, 0, (dr_xpbd_sweep){0, 1}); // bending along goes with the springs
}

static drape_fabric bending_fabric(float factor)
{
    drape_fabric fabric = test_fabric();
    fabric.stretch_warp = fabric.stretch_weft = fabric.shear = 1e-9f;
    fabric.bend_warp *= factor;
    fabric.bend_weft *= factor;
    return fabric;
}

// With and without held vertices, with and without internal friction.
START_TEST(bending_lines_are_solved_whole)
{
    drape_fabric fabric = bending_fabric(1.0f);
    for (int round = 0; round < 4; ++round) {
        fabric.bend_damping = round / 2 ? 0.002f : 0.0f;
        bend_case c = {.h = 1.0 / 300.0, .tau = (double)fabric.bend_damping};
        piece p;
        create_sized(&p, &fabric, _i);
        if (round % 2 && p.mesh.vertex_count > 9) {
            hold_some(&p);
        }
        double(*start)[3] = places_of(&p);
        piece_shake(&p, 1e-3f, (uint32_t)round + 20);
        dr_xpbd_prepare(&p.xpbd, (float)c.h);
        double(*q)[3] = places_of(&p), (*load)[3] = places_of(&p);
        load_cells(&p, &c, q, start, load);
        solve_lines(&p, c, true, q, start, load);
        solve_lines(&p, c, false, q, start, load);
        run_bending(&p);
        ck_assert_double_le(furthest_from(&p, q), 2e-6);
        free(load);
        free(q);
        free(start);
        piece_free(&p);
    }
}
END_TEST

// In short substeps the split does not matter: vertices move by -h^2 grad E / m.
START_TEST(short_bending_follows_the_energy)
{
    drape_fabric fabric = bending_fabric(1.0f);
    float h = 1.0f / 2000.0f;
    piece p;
    if (sizes[_i][0] * sizes[_i][1] > 100) {
        return; // differences of the energy of all vertices by all vertices
    }
    create_sized(&p, &fabric, _i);
    piece_shake(&p, 5e-3f, 9);
    drape_vec3* before = piece_copy(&p);
    dr_xpbd_prepare(&p.xpbd, h);
    run_bending(&p);
    ck_assert_double_le(piece_residual(&p, before, h, 1e-4f), 0.01);
    free(before);
    piece_free(&p);
}
END_TEST

// However stiff the cloth, bending by itself only ever flattens.
START_TEST(bending_never_gains)
{
    for (float factor = 1e-3f; factor < 1e7f; factor *= 10.0f) {
        drape_fabric fabric = bending_fabric(factor);
        piece p;
        piece_create(&p, WEAVE_GRID, &fabric, 0.4f, 0.3f, 21, 16);
        piece_shake(&p, 5e-3f, 3);
        dr_xpbd_prepare(&p.xpbd, 1.0f / 300.0f);
        double before = piece_energy(&p), first = before, worst = 0.0;
        for (int i = 0; i < 30; ++i) {
            run_bending(&p);
            double after = piece_energy(&p);
            worst = fmax(worst, after - before);
            before = after;
        }
        ck_assert_double_le(worst, 1e-6 * first);
        piece_free(&p);
    }
}
END_TEST

// --- Odd sizes in a whole world ---

static const int odd_sizes[][2] = {{2, 2},  {2, 9},   {9, 2},   {3, 3}, {8, 8},  {9, 9},
                                   {17, 5}, {1, 9}, {24, 24}, {25, 25}, {9, 1}, {2, 40}, {40, 2}};
enum { odd_count = sizeof odd_sizes / sizeof odd_sizes[0] };

START_TEST(odd_sizes_fall_on_a_sphere)
{
    drape_world_def def = drape_world_defaults();
    drape_world* world = drape_world_create(&def);
    drape_collider_add_sphere(world, (drape_vec3){0.1f, 0.0f, 0.1f}, 0.15f);
    drape_cloth_def cloth = drape_cloth_defaults();
    cloth.origin = (drape_vec3){0.0f, 0.17f, 0.0f};
    int columns = odd_sizes[_i][0], rows = odd_sizes[_i][1], count = 0;
    drape_cloth_id id = drape_cloth_add_grid(world, &cloth, 0.2f, 0.2f, columns, rows);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%d x %d: %s", columns, rows,
                  drape_world_error(world));
    float stretch = 0.0f, gap = INFINITY;
    for (int i = 0; i < 60; ++i) {
        drape_step_report report = drape_world_step(world, 1.0f / 60.0f);
        ck_assert_int_eq(report.non_finite_count, 0);
        stretch = fmaxf(stretch, report.max_stretch);
        gap = fminf(gap, report.smallest_gap);
    }
    ck_assert_float_le(stretch, 0.05f);
    ck_assert_float_ge(gap, 0.0f);
    const drape_vec3* p = drape_cloth_positions(world, id, &count);
    ck_assert_int_eq(count, columns * rows);
    for (int i = 0; i < count; ++i) {
        ck_assert(isfinite(p[i].x) && isfinite(p[i].y) && isfinite(p[i].z));
    }
    drape_world_destroy(world);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("xpbd_grid");
    TCase* tests = tcase_create("grid");
    tcase_add_loop_test(tests, pulled_strip_is_as_stiff_as_the_fabric, 0, stretch_count);
    tcase_add_loop_test(tests, sheared_sheet_is_as_stiff_as_the_fabric, 0, stretch_count);
    tcase_add_loop_test(tests, chains_are_solved_whole, 0, size_count);
    tcase_add_loop_test(tests, bending_lines_are_solved_whole, 0, size_count);
    tcase_add_loop_test(tests, short_bending_follows_the_energy, 0, size_count);
    tcase_add_test(tests, bending_never_gains);
    tcase_add_loop_test(tests, odd_sizes_fall_on_a_sphere, 0, odd_count);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
