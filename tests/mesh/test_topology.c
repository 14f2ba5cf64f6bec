// Topology against brute force, on meshes that no sane person would draw.
#include <string.h>

#include "core/base.h"
#include "mesh_test.h"

enum { MAX_VERTICES = 14, MAX_TRIANGLES = 40 };

// A mesh of random triangles, collapsed and duplicate ones among them.
typedef struct soup {
    drape_vec3 positions[MAX_VERTICES];
    int32_t triangles[MAX_TRIANGLES][3];
    int vertex_count, triangle_count;
} soup;

static soup make_soup(uint64_t seed)
{
    soup s = {0};
    s.vertex_count = 1 + random_below(&seed, MAX_VERTICES);
    s.triangle_count = random_below(&seed, MAX_TRIANGLES + 1);
    for (int v = 0; v < s.vertex_count; ++v) {
        s.positions[v] =
            (drape_vec3){random_signed(&seed), random_signed(&seed), random_signed(&seed)};
    }
    for (int t = 0; t < s.triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            s.triangles[t][k] = random_below(&seed, s.vertex_count);
        }
    }
    return s;
}

static dr_mesh build_soup(const soup* s)
{
    drape_mesh_view view = {.positions = s->positions,
                            .triangles = s->triangles[0],
                            .vertex_count = s->vertex_count,
                            .triangle_count = s->triangle_count};
    return build(&view);
}

static bool is_collapsed(const int32_t* t)
{
    return t[0] == t[1] || t[1] == t[2] || t[0] == t[2];
}

static bool has_vertex(const int32_t* t, int32_t v)
{
    return t[0] == v || t[1] == v || t[2] == v;
}

static bool is_duplicate(const int32_t* s, const int32_t* t)
{
    return has_vertex(s, t[0]) && has_vertex(s, t[1]) && has_vertex(s, t[2]);
}

// Triangles with the edge (a, b), ascending.
static int triangles_around(const soup* s, int32_t a, int32_t b, int32_t* around)
{
    int count = 0;
    for (int t = 0; t < s->triangle_count; ++t) {
        const int32_t* corners = s->triangles[t];
        if (!is_collapsed(corners) && has_vertex(corners, a) && has_vertex(corners, b)) {
            around[count++] = t;
        }
    }
    return count;
}

// The corner number that is neither a nor b.
static int corner_opposite(const int32_t* t, int32_t a, int32_t b)
{
    for (int k = 0; k < 3; ++k) {
        if (t[k] != a && t[k] != b) {
            return k;
        }
    }
    return -1;
}

static void check_hinges_of_edge(const dr_mesh* mesh, int edge, const int32_t* around, int count,
                                 int* hinge)
{
    const dr_edge* e = &mesh->edges[edge];
    const int32_t* first = mesh->triangles[around[0]];
    int k = corner_opposite(first, e->v[0], e->v[1]);
    for (int i = 1; i < count; ++i) {
        const int32_t* other = mesh->triangles[around[i]];
        int32_t across = other[corner_opposite(other, e->v[0], e->v[1])];
        if (across == first[k]) {
            continue;
        }
        ck_assert_int_lt(*hinge, mesh->hinge_count);
        const dr_hinge* h = &mesh->hinges[(*hinge)++];
        ck_assert_int_eq(h->edge, edge);
        ck_assert_int_eq(h->t[0], around[0]);
        ck_assert_int_eq(h->t[1], around[i]);
        ck_assert_int_eq(h->v[0], first[(k + 1) % 3]);
        ck_assert_int_eq(h->v[1], first[(k + 2) % 3]);
        ck_assert_int_eq(h->v[2], first[k]);
        ck_assert_int_eq(h->v[3], across);
    }
}

static bool disagree(const int32_t* s, const int32_t* t, int32_t a, int32_t b)
{
    int j = corner_opposite(s, a, b), k = corner_opposite(t, a, b);
    return s[(j + 1) % 3] == t[(k + 1) % 3];
}

// Every pair of vertices in turn: is there an edge, and is it the one that was built?
static void check_edges(const soup* s, const dr_mesh* mesh)
{
    int edge = 0, hinge = 0, border = 0, non_manifold = 0, inconsistent = 0;
    for (int32_t a = 0; a < s->vertex_count; ++a) {
        for (int32_t b = a + 1; b < s->vertex_count; ++b) {
            int32_t around[MAX_TRIANGLES];
            int count = triangles_around(s, a, b, around);
            if (count == 0) {
                continue;
            }
            ck_assert_int_lt(edge, mesh->edge_count);
            const dr_edge* e = &mesh->edges[edge];
            ck_assert_int_eq(e->v[0], a);
            ck_assert_int_eq(e->v[1], b);
            ck_assert_int_eq(e->t[0], around[0]);
            ck_assert_int_eq(e->t[1], count > 1 ? around[1] : -1);
            for (int i = 0; i < count; ++i) {
                int k = corner_opposite(s->triangles[around[i]], a, b);
                ck_assert_int_eq(mesh->triangle_edges[3 * around[i] + k], edge);
            }
            check_hinges_of_edge(mesh, edge, around, count, &hinge);
            border += count == 1;
            non_manifold += count > 2;
            inconsistent +=
                count == 2 && disagree(s->triangles[around[0]], s->triangles[around[1]], a, b);
            ++edge;
        }
    }
    ck_assert_int_eq(mesh->edge_count, edge);
    ck_assert_int_eq(mesh->hinge_count, hinge);
    ck_assert_int_eq(mesh->report.border_edge_count, border);
    ck_assert_int_eq(mesh->report.non_manifold_edge_count, non_manifold);
    ck_assert_int_eq(mesh->report.inconsistent_edge_count, inconsistent);
}

static void check_stars(const soup* s, const dr_mesh* mesh)
{
    int next = 0, isolated = 0;
    for (int v = 0; v < s->vertex_count; ++v) {
        ck_assert_int_eq(mesh->vertex_triangle_start[v], next);
        for (int t = 0; t < s->triangle_count; ++t) {
            if (!is_collapsed(s->triangles[t]) && has_vertex(s->triangles[t], v)) {
                ck_assert_int_eq(mesh->vertex_triangle_list[next], t);
                ++next;
            }
        }
        isolated += next == mesh->vertex_triangle_start[v];
    }
    ck_assert_int_eq(mesh->vertex_triangle_start[s->vertex_count], next);
    ck_assert_int_eq(mesh->report.isolated_vertex_count, isolated);
}

// Spreads the least label until nothing changes; then labels are least vertices of parts.
static void check_parts(const soup* s, const dr_mesh* mesh)
{
    int32_t label[MAX_VERTICES];
    for (int v = 0; v < s->vertex_count; ++v) {
        label[v] = v;
    }
    for (int round = 0; round < s->vertex_count; ++round) {
        for (int t = 0; t < s->triangle_count; ++t) {
            for (int k = 0; k < 6 && !is_collapsed(s->triangles[t]); ++k) {
                int32_t a = s->triangles[t][k % 3], b = s->triangles[t][(k + 1 + k / 3) % 3];
                label[a] = label[b] < label[a] ? label[b] : label[a];
            }
        }
    }
    int parts = 0;
    for (int v = 0; v < s->vertex_count; ++v) {
        if (label[v] == v) {
            ck_assert_int_eq(mesh->vertex_part[v], parts);
            ++parts;
        } else {
            ck_assert_int_eq(mesh->vertex_part[v], mesh->vertex_part[label[v]]);
        }
    }
    ck_assert_int_eq(mesh->part_count, parts);
}

static bool is_first_with(const soup* s, int triangle, int32_t a, int32_t b)
{
    for (int t = 0; t < triangle; ++t) {
        if (!is_collapsed(s->triangles[t]) && has_vertex(s->triangles[t], a) &&
            has_vertex(s->triangles[t], b)) {
            return false;
        }
    }
    return true;
}

static void check_ownership(const soup* s, const dr_mesh* mesh)
{
    for (int t = 0; t < s->triangle_count; ++t) {
        const int32_t* corners = s->triangles[t];
        int expected = 0;
        for (int k = 0; k < 3 && !is_collapsed(corners); ++k) {
            expected |= is_first_with(s, t, corners[k], corners[k]) << k;
            expected |= is_first_with(s, t, corners[k], corners[(k + 1) % 3]) << (3 + k);
        }
        ck_assert_int_eq(mesh->owned[t], expected);
    }
}

static void check_oddities(const soup* s, const dr_mesh* mesh)
{
    int degenerate = 0, duplicate = 0;
    for (int t = 0; t < s->triangle_count; ++t) {
        bool collapsed = is_collapsed(s->triangles[t]);
        degenerate += collapsed;
        for (int earlier = 0; earlier < t && !collapsed; ++earlier) {
            if (!is_collapsed(s->triangles[earlier]) &&
                is_duplicate(s->triangles[earlier], s->triangles[t])) {
                ++duplicate;
                break;
            }
        }
        for (int k = 0; k < 3 && collapsed; ++k) {
            ck_assert_int_eq(mesh->triangle_edges[3 * t + k], -1);
        }
        ck_assert(collapsed == (mesh->rest_area[t] == 0.0f));
    }
    ck_assert_int_eq(mesh->report.degenerate_count, degenerate);
    ck_assert_int_eq(mesh->report.duplicate_count, duplicate);
}

START_TEST(soups_match_brute_force)
{
    setup_memory();
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        soup s = make_soup(seed);
        dr_mesh mesh = build_soup(&s);
        check_stars(&s, &mesh);
        check_parts(&s, &mesh);
        check_edges(&s, &mesh);
        check_ownership(&s, &mesh);
        check_oddities(&s, &mesh);
        dr_mesh_free(&mesh, &memory);
    }
    check_memory_freed();
}
END_TEST

// Feature pairs are numbered, vertices and triangles first, so that each can be counted.
typedef struct pair_counts {
    const dr_mesh* mesh;
    uint8_t* vertex_face; // vertex_count times triangle_count
    uint8_t* edge_edge;   // edge_count times edge_count, lower index first
} pair_counts;

static void count_vertices_against(pair_counts* counts, int owner, int face)
{
    const dr_mesh* mesh = counts->mesh;
    for (int k = 0; k < 3; ++k) {
        int32_t v = mesh->triangles[owner][k];
        if ((mesh->owned[owner] >> k & 1) && !has_vertex(mesh->triangles[face], v)) {
            ++counts->vertex_face[v * mesh->triangle_count + face];
        }
    }
}

static bool share_vertex(const dr_edge* a, const dr_edge* b)
{
    return a->v[0] == b->v[0] || a->v[0] == b->v[1] || a->v[1] == b->v[0] || a->v[1] == b->v[1];
}

static void count_edges_against(pair_counts* counts, int s, int t)
{
    const dr_mesh* mesh = counts->mesh;
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
            int32_t e = mesh->triangle_edges[3 * s + (j + 2) % 3];
            int32_t f = mesh->triangle_edges[3 * t + (k + 2) % 3];
            bool owned = (mesh->owned[s] >> (3 + j) & 1) && (mesh->owned[t] >> (3 + k) & 1);
            if (owned && !share_vertex(&mesh->edges[e], &mesh->edges[f])) {
                ++counts->edge_edge[e < f ? e * mesh->edge_count + f : f * mesh->edge_count + e];
            }
        }
    }
}

static int check_vertex_face_pairs(const pair_counts* counts)
{
    const dr_mesh* mesh = counts->mesh;
    int total = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int t = 0; t < mesh->triangle_count; ++t) {
            int expected = !has_vertex(mesh->triangles[t], v);
            ck_assert_int_eq(counts->vertex_face[v * mesh->triangle_count + t], expected);
            total += expected;
        }
    }
    return total;
}

static int check_edge_edge_pairs(const pair_counts* counts)
{
    const dr_mesh* mesh = counts->mesh;
    int total = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        for (int f = e + 1; f < mesh->edge_count; ++f) {
            int expected = !share_vertex(&mesh->edges[e], &mesh->edges[f]);
            ck_assert_int_eq(counts->edge_edge[e * mesh->edge_count + f], expected);
            total += expected;
        }
    }
    return total;
}

// Over all pairs of triangles, ownership gives each pair of features exactly once. The edges of one
// triangle share vertices, but an owned vertex meets its own face in no pair either.
START_TEST(ownership_gives_every_feature_pair_once)
{
    setup_memory();
    dr_mesh mesh = build_grid(7, 7, DRAPE_DIAGONALS_FORWARD);
    pair_counts counts = {&mesh, calloc((size_t)(mesh.vertex_count * mesh.triangle_count), 1),
                          calloc((size_t)(mesh.edge_count * mesh.edge_count), 1)};
    for (int s = 0; s < mesh.triangle_count; ++s) {
        for (int t = s + 1; t < mesh.triangle_count; ++t) {
            count_vertices_against(&counts, s, t);
            count_vertices_against(&counts, t, s);
            count_edges_against(&counts, s, t);
        }
    }
    int total = check_vertex_face_pairs(&counts) + check_edge_edge_pairs(&counts);
    ck_assert_int_eq(total, 9949);
    free(counts.vertex_face);
    free(counts.edge_edge);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

// All triangles around one vertex, then all on one edge: what is quadratic in a star shows here.
START_TEST(huge_stars_stay_linear)
{
    setup_memory();
    enum { COUNT = 300000 };
    drape_vec3* positions = calloc(COUNT + 2, sizeof *positions);
    int32_t(*fan)[3] = calloc(COUNT, sizeof *fan);
    int32_t(*book)[3] = calloc(COUNT, sizeof *book);
    for (int i = 0; i < COUNT; ++i) {
        int last = COUNT + 1;
        memcpy(fan[i], (int32_t[3]){i, i + 1, last}, sizeof fan[i]);
        memcpy(book[i], (int32_t[3]){0, last, i + 1}, sizeof book[i]);
    }
    drape_mesh_view view = {.positions = positions,
                            .triangles = fan[0],
                            .vertex_count = COUNT + 2,
                            .triangle_count = COUNT};
    dr_mesh mesh = build(&view);
    ck_assert_int_eq(mesh.edge_count, 2 * COUNT + 1);
    ck_assert_int_eq(mesh.hinge_count, COUNT - 1);
    dr_mesh_free(&mesh, &memory);

    view.triangles = book[0];
    mesh = build(&view);
    ck_assert_int_eq(mesh.edge_count, 2 * COUNT + 1);
    ck_assert_int_eq(mesh.hinge_count, COUNT - 1);
    ck_assert_int_eq(mesh.report.non_manifold_edge_count, 1);
    ck_assert_int_eq(mesh.report.duplicate_count, 0);
    dr_mesh_free(&mesh, &memory);
    free(positions);
    free(fan);
    free(book);
    check_memory_freed();
}
END_TEST

// A strip of an odd number of quads glued with a half turn cannot be oriented.
START_TEST(moebius_strip_is_inconsistent)
{
    setup_memory();
    enum { QUADS = 9 };
    drape_vec3 positions[2 * QUADS] = {{0}};
    int32_t triangles[2 * QUADS][3];
    for (int i = 0; i < QUADS; ++i) {
        bool glued = i == QUADS - 1;
        int32_t a = 2 * i, b = 2 * i + 1;
        int32_t c = glued ? 1 : 2 * i + 2, d = glued ? 0 : 2 * i + 3;
        memcpy(triangles[2 * i], (int32_t[3]){a, b, c}, sizeof triangles[0]);
        memcpy(triangles[2 * i + 1], (int32_t[3]){c, b, d}, sizeof triangles[0]);
        positions[a].x = positions[b].x = (float)i;
    }
    drape_mesh_view view = {.positions = positions,
                            .triangles = triangles[0],
                            .vertex_count = 2 * QUADS,
                            .triangle_count = 2 * QUADS};
    dr_mesh mesh = build(&view);
    ck_assert_int_eq(mesh.report.inconsistent_edge_count, 1);
    ck_assert_int_eq(mesh.report.border_edge_count, 2 * QUADS);
    ck_assert_int_eq(mesh.vertex_count - mesh.edge_count + mesh.triangle_count, 0);
    ck_assert_int_eq(mesh.part_count, 1);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("topology");
    TCase* cases = tcase_create("topology");
    tcase_add_test(cases, soups_match_brute_force);
    tcase_add_test(cases, ownership_gives_every_feature_pair_once);
    tcase_add_test(cases, huge_stars_stay_linear);
    tcase_add_test(cases, moebius_strip_is_inconsistent);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
