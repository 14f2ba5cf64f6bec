// Owner stars: whose triangle is whose, and which stars go side by side.
#include <string.h>

#include "mesh/stars.h"
#include "mesh_test.h"

typedef struct layout {
    dr_mesh mesh;
    dr_order order;
    dr_blocks blocks;
    dr_stars stars;
    bool* is_left_out;
} layout;

// Takes the mesh; every fifth triangle is left out if asked for.
static layout lay_out(dr_mesh mesh, int target, bool leave_some)
{
    layout l = {.mesh = mesh};
    l.is_left_out = calloc((size_t)mesh.triangle_count + 1, sizeof *l.is_left_out);
    for (int t = 0; t < mesh.triangle_count; ++t) {
        l.is_left_out[t] = leave_some && t % 5 == 0;
    }
    ck_assert(dr_order_breadth_first(&l.order, &memory, &l.mesh));
    ck_assert(dr_blocks_cut(&l.blocks, &memory, &l.order, 2, target));
    ck_assert(dr_stars_build(&l.stars, &memory, &l.mesh, &l.order, &l.blocks, l.is_left_out));
    return l;
}

static void lay_off(layout* l)
{
    dr_stars_free(&l->stars, &memory);
    dr_blocks_free(&l->blocks, &memory);
    dr_order_free(&l->order, &memory);
    dr_mesh_free(&l->mesh, &memory);
    free(l->is_left_out);
}

// A strip of triangles over random vertices: edges of many triangles, some triangles twice.
static dr_mesh build_tangle(uint64_t seed)
{
    enum { VERTICES = 60, TRIANGLES = 150 };
    drape_vec3 points[VERTICES];
    int32_t triangles[TRIANGLES][3];
    for (int i = 0; i < VERTICES; ++i) {
        points[i] = (drape_vec3){random_signed(&seed), random_signed(&seed), (float)i};
    }
    for (int t = 0; t < TRIANGLES; ++t) {
        int a = random_below(&seed, VERTICES), step = 1 + random_below(&seed, 3);
        triangles[t][0] = a;
        triangles[t][1] = (a + step) % VERTICES;
        triangles[t][2] = (a + step + 1 + random_below(&seed, 3)) % VERTICES;
    }
    drape_mesh_view view = {.positions = points,
                            .triangles = triangles[0],
                            .vertex_count = VERTICES,
                            .triangle_count = TRIANGLES};
    return build(&view);
}

static dr_mesh build_disc(int rings)
{
    dr_shape_mesh disc;
    ck_assert(dr_generate_disc(&disc, &memory, 1.0f, rings, 0.0f));
    drape_mesh_view view = view_of(&disc);
    dr_mesh mesh = build(&view);
    dr_shape_free(&disc, &memory);
    return mesh;
}

static dr_mesh build_any(uint64_t seed)
{
    int columns = 2 + (int)(seed * 7 % 23), rows = 2 + (int)(seed * 5 % 17);
    return seed % 4 == 0   ? build_tangle(seed)
           : seed % 4 == 1 ? build_disc(1 + (int)(seed % 13))
                           : build_grid(columns, rows, (drape_diagonals)(seed % 3));
}

static int32_t slot_at(const dr_stars* stars, const dr_star_group* group, int k, int lane)
{
    int row = group->first_slot + k * group->width + lane / DR_STAR_LANES;
    return stars->slots[row][lane % DR_STAR_LANES];
}

static int32_t triangle_at(const dr_stars* stars, const dr_star_group* group, int k, int lane)
{
    int row = group->first_triangle + k * group->width + lane / DR_STAR_LANES;
    return stars->triangles[row][lane % DR_STAR_LANES];
}

// Triangle k of a star has its owner and two vertices of its rim.
static void check_star(const layout* l, const dr_star_group* group, int lane, int* seen)
{
    for (int k = 0; k < group->length; ++k) {
        int32_t t = triangle_at(&l->stars, group, k, lane);
        const int at[3] = {0, k + 1, k + 2};
        bool met[3] = {false};
        for (int i = 0; i < 9; ++i) {
            int32_t v = l->order.vertex_of_slot[slot_at(&l->stars, group, at[i / 3], lane)];
            met[i % 3] = met[i % 3] || v == l->mesh.triangles[t][i % 3];
        }
        ck_assert(met[0] && met[1] && met[2]);
        ++seen[t];
    }
}

// Lanes of a group share no vertex, and stay in their block and the next.
static void check_group(const layout* l, int block, const dr_star_group* group, int* user, int mark)
{
    int after = block + 2 < l->blocks.block_count ? block + 2 : l->blocks.block_count;
    for (int lane = 0; lane < group->width * DR_STAR_LANES; ++lane) {
        for (int k = 0; k < group->length + 2; ++k) {
            int32_t slot = slot_at(&l->stars, group, k, lane);
            if (slot_at(&l->stars, group, 0, lane) < 0) {
                ck_assert_int_eq(slot, -1);
                continue;
            }
            ck_assert_int_ge(slot, l->blocks.slot_start[block]);
            ck_assert_int_lt(slot, l->blocks.slot_start[after]);
            int name = mark * DR_STAR_LANES * DR_STAR_WIDTH + lane + 1;
            ck_assert(user[slot] <= mark * DR_STAR_LANES * DR_STAR_WIDTH || user[slot] == name);
            user[slot] = name;
        }
    }
}

static void check_layout(const layout* l)
{
    const dr_stars* stars = &l->stars;
    int* seen = calloc((size_t)l->mesh.triangle_count + 1, sizeof *seen);
    int* user = calloc((size_t)l->mesh.vertex_count + 1, sizeof *user);
    ck_assert_int_eq(stars->group_start[0], 0);
    ck_assert_int_eq(stars->group_start[stars->block_count], stars->group_count);
    for (int block = 0; block < stars->block_count; ++block) {
        for (int g = stars->group_start[block]; g < stars->group_start[block + 1]; ++g) {
            const dr_star_group* group = &stars->groups[g];
            check_group(l, block, group, user, g);
            for (int lane = 0; lane < group->width * DR_STAR_LANES; ++lane) {
                if (slot_at(stars, group, 0, lane) >= 0) {
                    check_star(l, group, lane, seen);
                } else {
                    ck_assert_int_eq(triangle_at(stars, group, 0, lane), -1);
                }
            }
        }
    }
    for (int t = 0; t < l->mesh.triangle_count; ++t) {
        ck_assert_int_eq(seen[t], !l->is_left_out[t]);
    }
    free(seen);
    free(user);
}

START_TEST(each_triangle_is_in_one_star)
{
    setup_memory();
    for (uint64_t seed = 1; seed <= 120; ++seed) {
        layout l = lay_out(build_any(seed), seed % 3 ? 30 : 1000, seed % 7 == 0);
        check_layout(&l);
        lay_off(&l);
    }
    check_memory_freed();
}
END_TEST

// Vertices fetched per triangle, with those of empty lanes. One by one it would be three and more.
static double fetches(const layout* l)
{
    return (double)DR_STAR_LANES * l->stars.slot_row_count / l->mesh.triangle_count;
}

static double lanes_used(const layout* l)
{
    return l->mesh.triangle_count / ((double)DR_STAR_LANES * l->stars.triangle_row_count);
}

START_TEST(stars_are_long_and_lanes_full)
{
    setup_memory();
    for (int kind = 0; kind < 4; ++kind) {
        dr_mesh mesh = kind < 3 ? build_grid(71, 71, (drape_diagonals)kind) : build_disc(41);
        layout l = lay_out(mesh, 1000, false);
        ck_assert_double_lt(fetches(&l), 1.9);
        ck_assert_double_gt(lanes_used(&l), 0.93);
        lay_off(&l);
    }
    check_memory_freed();
}
END_TEST

// A fan of very many triangles round one vertex is laid out as well, and soon.
START_TEST(fans_are_no_trouble)
{
    setup_memory();
    enum { COUNT = 20000 };
    drape_vec3* points = calloc(COUNT + 2, sizeof *points);
    int32_t(*triangles)[3] = calloc(COUNT, sizeof *triangles);
    for (int i = 0; i <= COUNT; ++i) {
        double along = (double)i / COUNT;
        points[i + 1] = (drape_vec3){(float)along, (float)(along * along) + 1.0f, 0.0f};
    }
    for (int i = 0; i < COUNT; ++i) {
        triangles[i][1] = i + 1;
        triangles[i][2] = i + 2;
    }
    drape_mesh_view view = {.positions = points,
                            .triangles = triangles[0],
                            .vertex_count = COUNT + 2,
                            .triangle_count = COUNT};
    layout l = lay_out(build(&view), 1000, false);
    check_layout(&l);
    lay_off(&l);
    free(points);
    free(triangles);
    check_memory_freed();
}
END_TEST

START_TEST(same_mesh_gives_same_stars)
{
    setup_memory();
    layout a = lay_out(build_disc(20), 200, false), b = lay_out(build_disc(20), 200, false);
    ck_assert_int_eq(a.stars.group_count, b.stars.group_count);
    ck_assert_mem_eq(a.stars.groups, b.stars.groups,
                     sizeof *a.stars.groups * (size_t)a.stars.group_count);
    ck_assert_mem_eq(a.stars.slots, b.stars.slots,
                     sizeof *a.stars.slots * (size_t)a.stars.slot_row_count);
    lay_off(&a);
    lay_off(&b);
    check_memory_freed();
}
END_TEST

START_TEST(nothing_to_own_is_no_error)
{
    setup_memory();
    const drape_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    drape_mesh_view view = {.positions = points, .vertex_count = 3};
    layout l = lay_out(build(&view), 100, false);
    ck_assert_int_eq(l.stars.group_count, 0);
    lay_off(&l);
    check_memory_freed();
}
END_TEST

START_TEST(shortage_of_memory_leaves_nothing)
{
    setup_failing_memory();
    calls_left = 100000;
    layout l = lay_out(build_grid(21, 21, DRAPE_DIAGONALS_ALTERNATE), 100, false);
    dr_stars_free(&l.stars, &memory);
    size_t held = memory.live_bytes;
    int tried = 0;
    bool built = false;
    for (; !built; ++tried) {
        calls_left = tried;
        built = dr_stars_build(&l.stars, &memory, &l.mesh, &l.order, &l.blocks, l.is_left_out);
        ck_assert(built || memory.live_bytes == held);
    }
    ck_assert_int_gt(tried, 20);
    lay_off(&l);
    check_memory_freed();
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("stars");
    TCase* cases = tcase_create("stars");
    tcase_add_test(cases, each_triangle_is_in_one_star);
    tcase_add_test(cases, stars_are_long_and_lanes_full);
    tcase_add_test(cases, fans_are_no_trouble);
    tcase_add_test(cases, same_mesh_gives_same_stars);
    tcase_add_test(cases, nothing_to_own_is_no_error);
    tcase_add_test(cases, shortage_of_memory_leaves_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
