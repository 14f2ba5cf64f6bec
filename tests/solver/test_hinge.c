// Hinges: weights that see bending only, and rigidities that add up to the fabric's.
#include "solver/hinge.h"

#include "solver_test.h"

// Two triangles over the edge 0 1, the second bent out of the plane of the first by `angle`.
static void create_pair(piece* p, double angle)
{
    static const drape_vec3 flat[4] = {
        {0.1f, 0, 0.2f}, {0.4f, 0, 0.3f}, {0.15f, 0, 0.5f}, {0.3f, 0, 0}};
    static int32_t triangles[2][3] = {{0, 2, 1}, {0, 1, 3}};
    *p = (piece){0};
    dr_memory_init(&p->memory, NULL);
    drape_vec3 positions[4] = {flat[0], flat[1], flat[2], flat[3]};
    // Vertex 3 turns about the edge.
    drape_vec3 edge = dr_normalize(dr_sub(flat[1], flat[0])), arm = dr_sub(flat[3], flat[0]);
    float s = (float)sin(0.5 * angle), c = (float)cos(0.5 * angle);
    drape_quat turn = {edge.x * s, edge.y * s, edge.z * s, c};
    positions[3] = dr_add(flat[0], dr_quat_rotate(turn, arm));
    dr_shape_mesh shape = {positions, NULL, triangles, 4, 2};
    piece_take_mesh(p, &shape, NULL);
    ck_assert_int_eq(p->mesh.hinge_count, 1);
}

static void free_pair(piece* p)
{
    dr_mesh_free(&p->mesh, &p->memory);
    ck_assert_uint_eq(p->memory.live_bytes, 0);
}

// sum k_i x_i of a pose of the hinge's four vertices, its length.
static double weighted_length(const dr_hinge_shape* shape, const dr_hinge* hinge,
                              const drape_vec3* pose)
{
    double sum[3] = {0};
    for (int i = 0; i < 4; ++i) {
        drape_vec3 x = pose[hinge->v[i]];
        sum[0] += shape->k[i] * (double)x.x;
        sum[1] += shape->k[i] * (double)x.y;
        sum[2] += shape->k[i] * (double)x.z;
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

// Translations, rotations and strains in the plane are nothing to the weights.
START_TEST(weights_see_no_motion_in_the_plane)
{
    piece p;
    create_pair(&p, 0.0);
    dr_hinge_shape shape = dr_hinge_shape_of(&p.mesh, 0);
    ck_assert_double_eq_tol(shape.k[0] + shape.k[1] + shape.k[2] + shape.k[3], 0.0, 1e-12);
    for (uint32_t i = 0; i < 100; ++i) {
        drape_vec3 pose[4];
        float f[6];
        for (uint32_t k = 0; k < 6; ++k) {
            f[k] = 3.0f * dr_random_signed(1, 6 * i + k);
        }
        for (int v = 0; v < 4; ++v) {
            drape_vec3 x = p.mesh.rest[v];
            pose[v] =
                (drape_vec3){f[0] * x.x + f[1] * x.z + f[2], 1.0f, f[3] * x.x + f[4] * x.z + f[5]};
        }
        ck_assert_double_le(weighted_length(&shape, &p.mesh.hinges[0], pose), 1e-5);
    }
    free_pair(&p);
}
END_TEST

// Bent by theta the weighted sum has the length l 2 sin(theta / 2).
START_TEST(weights_measure_the_angle)
{
    piece flat;
    create_pair(&flat, 0.0);
    dr_hinge_shape shape = dr_hinge_shape_of(&flat.mesh, 0);
    double length = dr_length_double(dr_sub(flat.mesh.rest[1], flat.mesh.rest[0]));
    for (double angle = -3.1; angle <= 3.1; angle += 0.31) {
        piece bent;
        create_pair(&bent, angle);
        double found = weighted_length(&shape, &flat.mesh.hinges[0], bent.mesh.rest);
        ck_assert_double_eq_tol(found, fabs(2.0 * length * sin(0.5 * angle)), 1e-6);
        // The same angle as a rest shape is its bow, and the weights do not know of it.
        dr_hinge_shape curved = dr_hinge_shape_of(&bent.mesh, 0);
        ck_assert_double_eq_tol(fabs(curved.bow), found, 2e-5);
        for (int i = 0; i < 4; ++i) {
            ck_assert_double_eq_tol(curved.k[i], shape.k[i], 1e-4);
        }
        free_pair(&bent);
    }
    free_pair(&flat);
}
END_TEST

// Bows to either side have opposite signs; rounding of a flat shape is none.
START_TEST(bow_has_a_side)
{
    piece up, down, flat;
    create_pair(&up, 0.5);
    create_pair(&down, -0.5);
    create_pair(&flat, 0.0);
    double above = dr_hinge_shape_of(&up.mesh, 0).bow, below = dr_hinge_shape_of(&down.mesh, 0).bow;
    ck_assert_double_lt(above * below, 0.0);
    ck_assert_double_eq_tol(above + below, 0.0, 1e-6);
    ck_assert_double_eq(dr_hinge_shape_of(&flat.mesh, 0).bow, 0.0);
    free_pair(&up);
    free_pair(&down);
    free_pair(&flat);
}
END_TEST

START_TEST(areas_and_directions_are_those_of_the_rest_shape)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, WEAVE_JITTERED, &fabric, 9, 9);
    for (int i = 0; i < p.mesh.hinge_count; ++i) {
        const dr_hinge* hinge = &p.mesh.hinges[i];
        dr_hinge_shape shape = dr_hinge_shape_of(&p.mesh, i);
        for (int side = 0; side < 2; ++side) {
            double area = (double)p.mesh.rest_area[hinge->t[side]];
            ck_assert_double_eq_tol(shape.area[side] / area, 1.0, 1e-4);
        }
        // The direction across the edge, as a unit vector: along it, the other component.
        drape_vec3 edge = dr_sub(p.mesh.rest[hinge->v[1]], p.mesh.rest[hinge->v[0]]);
        double length = dr_length_double(edge), warp = (double)edge.z / length;
        ck_assert_double_eq_tol(shape.across[0], warp * warp, 1e-5);
        ck_assert_double_eq_tol(shape.across[0] + shape.across[1], 1.0, 1e-5);
    }
    piece_free(&p);
}
END_TEST

// `response` is what the weights make of a sheet of unit curvature: y = x^2 / 2.
START_TEST(response_is_that_of_a_parabola)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, WEAVE_JITTERED, &fabric, 9, 9);
    drape_vec3 pose[81];
    for (int axis = 0; axis < 2; ++axis) {
        for (int v = 0; v < 81; ++v) {
            float u = axis ? p.mesh.rest[v].z : p.mesh.rest[v].x;
            pose[v] = (drape_vec3){p.mesh.rest[v].x, 0.5f * u * u, p.mesh.rest[v].z};
        }
        for (int i = 0; i < p.mesh.hinge_count; ++i) {
            dr_hinge_shape shape = dr_hinge_shape_of(&p.mesh, i);
            double found = weighted_length(&shape, &p.mesh.hinges[i], pose);
            ck_assert_double_eq_tol(found, fabs(shape.response[axis]), 1e-5);
        }
    }
    piece_free(&p);
}
END_TEST

START_TEST(normal_is_of_unit_length_and_outward)
{
    double flat[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.3, 1, 0}, {0.6, -1, 0}}, n[3];
    dr_hinge_normal(flat, n);
    ck_assert_double_eq_tol(n[2], 1.0, 1e-15);
    double point[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    dr_hinge_normal(point, n);
    ck_assert_double_eq(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 0.0);
}
END_TEST

// --- Calibration ---

// Rigidity that all hinges together give a cylinder along each axis, of the fabric's.
static void cylinder_ratio(const dr_mesh* mesh, const dr_hinge_rigidity* b, double ratio[2])
{
    double energy[2] = {0.0, 0.0};
    for (int i = 0; i < mesh->hinge_count; ++i) {
        dr_hinge_shape shape = dr_hinge_shape_of(mesh, i);
        double both = shape.area[0] + shape.area[1];
        for (int axis = 0; axis < 2; ++axis) {
            energy[axis] += (double)dr_hinge_rigidity_of(b, &shape) * shape.response[axis] *
                            shape.response[axis] / both;
        }
    }
    ratio[0] = energy[0] / (12e-6 * (double)mesh->report.area);
    ratio[1] = energy[1] / (8e-6 * (double)mesh->report.area);
}

static dr_hinge_rigidity calibrate(piece* p, float warp, float weft)
{
    dr_hinge_rigidity b;
    ck_assert(dr_hinge_calibrate(&p->mesh, &p->memory, warp, weft, &b));
    return b;
}

// Forced into an exact cylinder a mesh costs no less than the fabric (but for the border, which has
// hinges on one side only: a few per cent of 60 cells), and more as far as its vertices would give
// way if they could. What it costs when they can is for the cantilevers of test_lab to tell.
START_TEST(calibration_gives_the_fabric)
{
    drape_fabric fabric = test_fabric();
    piece p;
    piece_weave(&p, _i, &fabric, 61, 61);
    dr_hinge_rigidity b = calibrate(&p, fabric.bend_warp, fabric.bend_weft);
    double ratio[2];
    cylinder_ratio(&p.mesh, &b, ratio);
    for (int axis = 0; axis < 2; ++axis) {
        ck_assert_double_gt(ratio[axis], 0.94);
        ck_assert_double_lt(ratio[axis], 1.4);
    }
    piece_free(&p);
}
END_TEST

// Size does not matter, and exchanging warp and weft of both fabric and mesh exchanges the result.
START_TEST(calibration_knows_no_scale)
{
    drape_fabric fabric = test_fabric();
    piece small, large;
    piece_create(&small, WEAVE_RIGHT, &fabric, 0.3f, 0.3f, 16, 16);
    piece_create(&large, WEAVE_RIGHT, &fabric, 30.0f, 30.0f, 16, 16);
    dr_hinge_rigidity a = calibrate(&small, 12e-6f, 8e-6f);
    dr_hinge_rigidity b = calibrate(&large, 12e-6f, 8e-6f);
    dr_hinge_rigidity c = calibrate(&small, 8e-6f, 12e-6f);
    for (int axis = 0; axis < 2; ++axis) {
        ck_assert_double_eq_tol(b.b[axis] / a.b[axis], 1.0, 1e-3);
        ck_assert_double_eq_tol(c.b[1 - axis] / a.b[axis], 1.0, 1e-3);
    }
    piece_free(&small);
    piece_free(&large);
}
END_TEST

// Too few hinges to tell, or triangles without area: the fabric's own numbers.
START_TEST(calibration_falls_back)
{
    piece p;
    create_pair(&p, 0.0);
    dr_hinge_rigidity b = calibrate(&p, 12e-6f, 8e-6f);
    ck_assert_double_eq_tol(b.b[0] / 12e-6, 1.0, 1e-6);
    ck_assert_double_eq_tol(b.b[1] / 8e-6, 1.0, 1e-6);
    free_pair(&p);
}
END_TEST

START_TEST(slivers_carry_nothing)
{
    drape_vec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {2, 0, 0}, {1, 0, 1e-7f}};
    int32_t triangles[3][3] = {{0, 2, 1}, {0, 1, 3}, {1, 4, 3}};
    piece p = {0};
    dr_memory_init(&p.memory, NULL);
    dr_shape_mesh shape = {positions, NULL, triangles, 5, 3};
    piece_take_mesh(&p, &shape, NULL);
    ck_assert(dr_hinge_triangle_is_sound(&p.mesh, 0));
    ck_assert(!dr_hinge_triangle_is_sound(&p.mesh, 1));
    ck_assert(!dr_hinge_triangle_is_sound(&p.mesh, 2));
    dr_hinge_rigidity b = calibrate(&p, 12e-6f, 8e-6f);
    ck_assert(isfinite(b.b[0]) && isfinite(b.b[1]) && b.b[0] > 0.0 && b.b[1] > 0.0);
    dr_mesh_free(&p.mesh, &p.memory);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("hinge");
    TCase* geometry = tcase_create("geometry");
    tcase_add_test(geometry, weights_see_no_motion_in_the_plane);
    tcase_add_test(geometry, weights_measure_the_angle);
    tcase_add_test(geometry, bow_has_a_side);
    tcase_add_test(geometry, areas_and_directions_are_those_of_the_rest_shape);
    tcase_add_test(geometry, response_is_that_of_a_parabola);
    tcase_add_test(geometry, normal_is_of_unit_length_and_outward);
    suite_add_tcase(suite, geometry);
    TCase* calibration = tcase_create("calibration");
    tcase_add_loop_test(calibration, calibration_gives_the_fabric, WEAVE_RIGHT, WEAVE_COUNT);
    tcase_add_test(calibration, calibration_knows_no_scale);
    tcase_add_test(calibration, calibration_falls_back);
    tcase_add_test(calibration, slivers_carry_nothing);
    suite_add_tcase(suite, calibration);
    return run_suite(suite);
}
