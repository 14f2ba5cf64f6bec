// What searches of a cloth and a body of triangles must have found.
#include "mesh_sheets.h"
#include "scene/mesh_link.h"

static bool boxes_overlap(const float* lo, const float* hi, const float lo2[3], const float hi2[3])
{
    bool meet = true;
    for (int c = 0; c < 3; ++c) {
        meet = meet && lo[c] <= hi2[c] && hi[c] >= lo2[c];
    }
    return meet;
}

// The box of some points, four floats each; of `lo` and `hi` for those that have boxes themselves.
static void join_boxes(const float* lo, const float* hi, const int32_t* v, int count, float out_lo[3],
                       float out_hi[3])
{
    for (int c = 0; c < 3; ++c) {
        out_lo[c] = INFINITY;
        out_hi[c] = -INFINITY;
        for (int i = 0; i < count; ++i) {
            out_lo[c] = fminf(out_lo[c], lo[4 * v[i] + c]);
            out_hi[c] = fmaxf(out_hi[c], hi[4 * v[i] + c]);
        }
    }
}

static bool has_candidate(const dr_candidates* of, int feature, int32_t other)
{
    const int32_t* list = (const int32_t*)of->list.data + of->start[feature];
    bool has = false;
    for (int i = 0; i < of->size[feature]; ++i) {
        has = has || list[i] == other;
    }
    return has;
}

static int check_slots(const dr_mesh_link* link)
{
    const dr_mesh *cloth = &link->cloth->shell->mesh, *body = &link->body->shell.mesh;
    int met = 0;
    for (int32_t slot = 0; slot < cloth->vertex_count; ++slot) {
        for (int t = 0; t < body->triangle_count; ++t) {
            float lo[3], hi[3];
            join_boxes(link->body->from, link->body->from, body->triangles[t], 3, lo, hi);
            bool is_used = cloth->vertex_triangle_start[slot + 1] > cloth->vertex_triangle_start[slot];
            if (is_used && boxes_overlap(link->lo + 4 * slot, link->hi + 4 * slot, lo, hi)) {
                ck_assert(has_candidate(&link->triangles, slot, t));
                ++met;
            }
        }
    }
    return met;
}

static int check_edges(const dr_mesh_link* link)
{
    const dr_mesh *cloth = &link->cloth->shell->mesh, *body = &link->body->shell.mesh;
    int met = 0;
    for (int e = 0; e < cloth->edge_count; ++e) {
        float lo[3], hi[3], lo2[3], hi2[3];
        join_boxes(link->lo, link->hi, cloth->edges[e].v, 2, lo, hi);
        for (int o = 0; o < body->edge_count; ++o) {
            join_boxes(link->body->from, link->body->from, body->edges[o].v, 2, lo2, hi2);
            if (link->relief.edge[o] != DR_BEND_IDLE && boxes_overlap(lo, hi, lo2, hi2)) {
                ck_assert(has_candidate(&link->edges, e, o));
                ++met;
            }
        }
    }
    return met;
}

static int check_faces(const dr_mesh_link* link)
{
    const dr_mesh *cloth = &link->cloth->shell->mesh, *body = &link->body->shell.mesh;
    int met = 0;
    for (int f = 0; f < cloth->triangle_count; ++f) {
        float lo[3], hi[3];
        join_boxes(link->lo, link->hi, cloth->triangles[f], 3, lo, hi);
        for (int v = 0; v < body->vertex_count; ++v) {
            const float* p = link->body->from + 4 * v;
            if (link->relief.vertex[v] != DR_BEND_IDLE && boxes_overlap(lo, hi, p, p)) {
                ck_assert(has_candidate(&link->points, f, v));
                ++met;
            }
        }
    }
    return met;
}

// Whether all was searched for, or only what had left its boxes: every pair whose boxes meet is there.
START_TEST(all_that_is_near_is_listed)
{
    drape_world* world = make_world();
    add_solid(world, _i / 2 ? 7 : 5);
    add_sheet(world, _i % 2, 0.6f, 15, vec(0, 0.03f, 0), vec(0.5f, -2, 0));
    int slots = 0, edges = 0, faces = 0;
    for (int frame = 0; frame < 30; ++frame) {
        drape_world_step(world, FRAME);
        if (world->links.count > 0 && frame % 3 == 0) {
            const dr_mesh_link* link = ((dr_mesh_link**)world->links.data)[0];
            slots += check_slots(link);
            edges += check_edges(link);
            faces += check_faces(link);
        }
    }
    ck_assert_int_gt(slots, 100);
    ck_assert(edges > 100 && faces > 10);
    drape_world_destroy(world);
}
END_TEST

// It makes no difference when pairs were last searched for, so a world that is stored and read back
// goes on in the same way.
START_TEST(old_searches_are_as_good_as_new)
{
    uint64_t hashes[2];
    for (int k = 0; k < 2; ++k) {
        drape_world* world = make_world();
        add_solid(world, 6);
        add_solid(world, 5);
        add_sheet(world, _i, 0.6f, 31, vec(0, 0.05f, 0), vec(0.5f, -2, 0));
        for (int frame = 0; frame < 40; ++frame) {
            drape_world_step(world, FRAME);
            if (k == 1) {
                dr_world_stale_links(world, NULL);
            }
        }
        hashes[k] = drape_world_hash(world);
        drape_world_destroy(world);
    }
    ck_assert_uint_eq(hashes[0], hashes[1]);
}
END_TEST

int main(void)
{
    TCase* tests = tcase_create("mesh search");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, all_that_is_near_is_listed, 0, 4);
    tcase_add_loop_test(tests, old_searches_are_as_good_as_new, 0, 2);
    Suite* suite = suite_create("mesh search");
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
