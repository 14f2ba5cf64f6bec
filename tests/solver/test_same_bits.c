// Whole worlds end on the same bits for every instruction set and every number of workers.
#include <check.h>
#include <drape/drape.h>

#include "core/isa.h"

typedef enum scene {
    SCENE_GRID, // 33 x 47 grid, pinned at a corner, on a box and a sphere
    SCENE_MESH, // a disc, pinned at a vertex of its rim, on the same
    SCENE_BOTH, // both, with wind, a moving box and a seam
    SCENE_FINE, // the grid with more vertices: workers share it by halves
    SCENE_WIDE, // and in a long shape: by halves and columns
    SCENE_COUNT,
} scene;

// Columns and rows of the grid.
static const int grid_sizes[SCENE_COUNT][2] = {[SCENE_GRID] = {33, 47},
                                               [SCENE_BOTH] = {33, 47},
                                               [SCENE_FINE] = {79, 71},
                                               [SCENE_WIDE] = {41, 147}};

static drape_cloth_id add_grid(drape_world* world, const int size[2])
{
    drape_cloth_def def = drape_cloth_defaults();
    def.origin = (drape_vec3){-0.3f, 0.42f, -0.45f};
    def.noise = 1e-3f;
    drape_cloth_id cloth = drape_cloth_add_grid(world, &def, 0.64f, 0.92f, size[0], size[1]);
    drape_pin_def pin = drape_pin_defaults();
    const int32_t corners[] = {0, 1, size[0], size[0] + 1};
    pin.vertices = corners;
    pin.vertex_count = 4;
    ck_assert_uint_ne(drape_cloth_pin(world, cloth, &pin).slot, 0);
    return cloth;
}

static drape_cloth_id add_disc(drape_world* world)
{
    drape_cloth_def def = drape_cloth_defaults();
    def.origin = (drape_vec3){0.05f, 0.5f, 0.0f};
    def.rotation = drape_quat_from_degrees((drape_vec3){10.0f, 20.0f, 5.0f});
    drape_cloth_id cloth = drape_cloth_add_disc(world, &def, 0.4f, 16, 0.0f);
    drape_pin_def pin = drape_pin_defaults();
    const int32_t rim[] = {800, 801};
    pin.vertices = rim;
    pin.vertex_count = 2;
    pin.weight = 0.5f;
    ck_assert_uint_ne(drape_cloth_pin(world, cloth, &pin).slot, 0);
    return cloth;
}

static void add_colliders(drape_world* world, bool moves)
{
    const drape_quat level = {0.0f, 0.0f, 0.0f, 1.0f};
    const drape_key keys[2] = {
        {.time = 0.0f, .pose = {{0.2f, 0.2f, 0.0f}, level}},
        {.time = 1.0f, .pose = {{0.0f, 0.3f, 0.1f}, {0.0f, 0.6f, 0.0f, 0.8f}}},
    };
    drape_collider_def box = drape_collider_defaults();
    box.shape = (drape_shape){.kind = DRAPE_SHAPE_BOX, .size = {0.3f, 0.2f, 0.5f}};
    box.place = keys[0].pose;
    box.keys = moves ? keys : NULL;
    box.key_count = moves ? 2 : 0;
    ck_assert_uint_ne(drape_collider_add(world, &box).slot, 0);
    drape_collider_add_sphere(world, (drape_vec3){-0.15f, 0.2f, 0.1f}, 0.18f);
}

static uint64_t run_scene(int which, drape_isa isa, int workers)
{
    drape_world_def def = drape_world_defaults();
    def.isa = isa;
    def.worker_count = workers;
    def.substeps = 5;
    if (which == SCENE_BOTH) {
        def.wind =
            (drape_wind){.velocity = {2.0f, 0.0f, 1.0f}, .gust = 0.5f, .drag = 1.0f, .lift = 0.5f};
    }
    drape_world* world = drape_world_create(&def);
    ck_assert_ptr_nonnull(world);
    ck_assert_int_eq(drape_world_isa(world), isa);
    add_colliders(world, which == SCENE_BOTH);
    drape_cloth_id grid = {0}, disc = {0};
    if (which != SCENE_MESH) {
        grid = add_grid(world, grid_sizes[which]);
    }
    if (which == SCENE_MESH || which == SCENE_BOTH) {
        disc = add_disc(world);
    }
    if (which == SCENE_BOTH) {
        const int32_t a[2] = {33 * 47 - 1, 33 * 47 - 2}, b[2] = {750, 751};
        drape_seam_def seam = {grid, disc, a, b, 2, 0.0f, 0.3f};
        ck_assert_uint_ne(drape_seam_add(world, &seam).slot, 0);
    }
    int touched = 0;
    for (int i = 0; i < 30; ++i) {
        drape_step_report report = drape_world_step(world, 1.0f / 60.0f);
        ck_assert_int_eq(report.non_finite_count, 0);
        touched += report.contact_count > 0;
    }
    ck_assert_int_gt(touched, 5); // or the contacts were not tried at all
    uint64_t hash = drape_world_hash(world);
    drape_world_destroy(world);
    return hash;
}

START_TEST(all_ways_to_run_agree)
{
    const struct {
        drape_isa isa;
        int workers;
    } ways[] = {{DRAPE_ISA_SSE2, 1}, {DRAPE_ISA_AVX2, 1}, {DRAPE_ISA_NEON, 1}, {DRAPE_ISA_WASM, 1},
                {DRAPE_ISA_AUTO, 2}, {DRAPE_ISA_AUTO, 4}, {DRAPE_ISA_AUTO, 4}};
    uint64_t plain = run_scene(_i, DRAPE_ISA_PLAIN, 1);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        if (ways[i].isa == DRAPE_ISA_AUTO || dr_isa_available(ways[i].isa)) {
            drape_isa isa = dr_isa_resolve(ways[i].isa);
            ck_assert_msg(run_scene(_i, isa, ways[i].workers) == plain,
                          "scene %d: %s with %d workers differs from plain C with one", _i,
                          dr_isa_name(isa), ways[i].workers);
        }
    }
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("same_bits");
    TCase* tests = tcase_create("each scene");
    tcase_add_loop_test(tests, all_ways_to_run_agree, 0, SCENE_COUNT);
    suite_add_tcase(suite, tests);
    SRunner* runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
