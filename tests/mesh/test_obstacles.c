// The obstacle meshes of the scenes: closed, outward, of the size they should have.
#include <math.h>
#include <stdio.h>

#include "mesh_test.h"

enum { MAX_VERTICES = 1000, MAX_TRIANGLES = 2000 };

// An OBJ file of `v` and `f` lines with plain indices, as make_obstacles writes it.
typedef struct obstacle {
    drape_vec3 positions[MAX_VERTICES];
    int32_t triangles[MAX_TRIANGLES][3];
    int vertex_count, triangle_count;
} obstacle;

static void read_line(obstacle* o, const char* line)
{
    drape_vec3 p;
    int32_t t[3];
    if (sscanf(line, "v %f %f %f", &p.x, &p.y, &p.z) == 3) {
        ck_assert_int_lt(o->vertex_count, MAX_VERTICES);
        o->positions[o->vertex_count++] = p;
    } else if (sscanf(line, "f %d %d %d", &t[0], &t[1], &t[2]) == 3) {
        ck_assert_int_lt(o->triangle_count, MAX_TRIANGLES);
        for (int k = 0; k < 3; ++k) {
            o->triangles[o->triangle_count][k] = t[k] - 1;
        }
        ++o->triangle_count;
    }
}

static obstacle* read_obstacle(const char* name)
{
    char path[1024], line[256];
    snprintf(path, sizeof path, "%s/scenes/meshes/%s.obj", DRAPE_SOURCE_DIR, name);
    FILE* file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    obstacle* o = calloc(1, sizeof *o);
    ck_assert_ptr_nonnull(o);
    while (fgets(line, sizeof line, file)) {
        read_line(o, line);
    }
    fclose(file);
    return o;
}

// Six times the volume between a triangle and the origin.
static double wedge(const obstacle* o, const int32_t* t)
{
    drape_vec3 a = o->positions[t[0]], b = o->positions[t[1]], c = o->positions[t[2]];
    double x = (double)b.y * (double)c.z - (double)b.z * (double)c.y;
    double y = (double)b.z * (double)c.x - (double)b.x * (double)c.z;
    double z = (double)b.x * (double)c.y - (double)b.y * (double)c.x;
    return (double)a.x * x + (double)a.y * y + (double)a.z * z;
}

// What is measured of an obstacle, beside its soundness.
typedef struct measures {
    double volume, low, high, width, reach; // reach: greatest distance from the y axis
} measures;

static measures measure(const obstacle* o)
{
    measures m = {.low = INFINITY, .high = -INFINITY};
    for (int t = 0; t < o->triangle_count; ++t) {
        m.volume += wedge(o, o->triangles[t]) / 6.0;
    }
    for (int i = 0; i < o->vertex_count; ++i) {
        drape_vec3 p = o->positions[i];
        m.low = fmin(m.low, (double)p.y);
        m.high = fmax(m.high, (double)p.y);
        m.width = fmax(m.width, 2.0 * fabs((double)p.x));
        m.reach = fmax(m.reach, hypot((double)p.x, (double)p.z));
    }
    return m;
}

// One closed surface on y = 0, oriented, without oddities, with this Euler characteristic.
static measures check_obstacle(const char* name, int least, int most, int characteristic)
{
    setup_memory();
    obstacle* o = read_obstacle(name);
    drape_mesh_view view = {.positions = o->positions,
                            .triangles = o->triangles[0],
                            .vertex_count = o->vertex_count,
                            .triangle_count = o->triangle_count};
    dr_mesh mesh = build(&view);
    drape_mesh_report r = mesh.report;
    ck_assert_int_ge(r.triangle_count, least);
    ck_assert_int_le(r.triangle_count, most);
    ck_assert_int_eq(r.vertex_count - r.edge_count + r.triangle_count, characteristic);
    ck_assert_int_eq(r.part_count, 1);
    ck_assert_int_eq(r.border_edge_count, 0);
    ck_assert_int_eq(r.non_manifold_edge_count + r.inconsistent_edge_count, 0);
    ck_assert_int_eq(r.degenerate_count + r.duplicate_count, 0);
    ck_assert_int_eq(r.isolated_vertex_count + r.coincident_vertex_count, 0);
    measures m = measure(o);
    ck_assert_double_eq(m.low, 0.0);
    ck_assert_double_gt(m.volume, 0.0);
    dr_mesh_free(&mesh, &memory);
    check_memory_freed();
    free(o);
    return m;
}

// The volume of a prism over a regular polygon.
static double prism(int sides, double radius, double height)
{
    return 0.5 * sides * sin(2.0 * acos(-1.0) / sides) * radius * radius * height;
}

START_TEST(sofa)
{
    measures m = check_obstacle("sofa", 450, 500, 2);
    ck_assert_double_eq_tol(m.width, 1.6, 1e-6);
    ck_assert_double_eq_tol(m.high, 0.85, 1e-6);

    // Seat, arms and back as boxes; the round edges take a little off.
    double boxes = 1.6 * 0.9 * 0.42 + 2 * 0.2 * 0.65 * 0.2 + 1.6 * 0.25 * 0.43;
    ck_assert_double_lt(m.volume, boxes);
    ck_assert_double_gt(m.volume, 0.99 * boxes);
}
END_TEST

START_TEST(round_table)
{
    measures m = check_obstacle("round_table", 350, 390, 2);
    ck_assert_double_eq_tol(m.high, 0.75, 1e-6);
    ck_assert_double_eq_tol(m.reach, 0.5, 1e-6);
    ck_assert_double_gt(m.volume, prism(31, 0.5, 0.03));
    ck_assert_double_lt(m.volume, 1.5 * prism(31, 0.5, 0.03));
}
END_TEST

// Two holes through it: a surface of genus two.
START_TEST(solid_with_holes)
{
    measures m = check_obstacle("solid", 500, 1500, -2);
    ck_assert_double_eq_tol(m.width, 0.6, 1e-6);
    ck_assert_double_eq_tol(m.high, 0.22, 1e-6);
}
END_TEST

START_TEST(cylinder)
{
    measures m = check_obstacle("cylinder", 180, 220, 2);
    ck_assert_double_eq_tol(m.high, 0.5, 1e-6);
    ck_assert_double_eq_tol(m.reach, 0.25, 1e-6);
    ck_assert_double_eq_tol(m.volume, prism(50, 0.25, 0.5), 1e-6);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("obstacles");
    TCase* cases = tcase_create("obstacles");
    tcase_add_test(cases, sofa);
    tcase_add_test(cases, round_table);
    tcase_add_test(cases, solid_with_holes);
    tcase_add_test(cases, cylinder);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
