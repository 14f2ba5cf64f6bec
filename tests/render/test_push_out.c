// Solids that push out after the fact, and predicted contacts: the three cases in which the first
// fail (Lewin, figures 2 and 3). What happens is drawn into push_out.png.
#include "../scene/world_test.h"
#include "figure.h"

#define STEP (1.0f / 30.0f)

// A solid of 10 cm across at the origin; the capsule lies along z.
static const drape_shape solids[] = {
    {.kind = DRAPE_SHAPE_CAPSULE, .radius = 0.05f, .radius_top = 0.05f, .height = 0.4f},
    {.kind = DRAPE_SHAPE_SPHERE, .radius = 0.05f},
    {.kind = DRAPE_SHAPE_BOX, .size = {0.1f, 0.1f, 0.1f}},
};
enum { solid_count = sizeof solids / sizeof solids[0], strip = 17, most = 2 * strip };

typedef enum mishap {
    TOO_FAST,      // a: the way of the particle leads straight through
    PULLED,        // b: it rests, and its neighbours are pulled away beyond the solid
    BEYOND_MIDDLE, // c: it ends inside, nearer to the far side
    mishap_count,
} mishap;

static drape_world* make_push_world(bool is_discrete, const drape_shape* shape)
{
    drape_world_def def = drape_world_defaults();
    ck_assert(drape_method_by_name("predict", &def.method));
    def.method.obstacles = is_discrete ? DRAPE_OBSTACLES_DISCRETE : DRAPE_OBSTACLES_PREDICTIVE;
    def.gravity = vec(0, 0, 0);
    def.damping = 0.0f;
    def.substeps = 1;
    def.iterations = 10;
    def.thickness = 0.01f;
    drape_world* world = drape_world_create(&def);
    ck_assert_msg(world != NULL, "%s", drape_world_refusal(&def));
    drape_collider_def collider = drape_collider_defaults();
    collider.shape = *shape;
    collider.place = pose_at(vec(0, 0, 0), vec(90, 0, 0));
    ck_assert(drape_collider_is_valid(world, drape_collider_add(world, &collider)));
    return world;
}

// A triangle so small that it is a particle.
static drape_cloth_id add_particle(drape_world* world, drape_vec3 at, drape_vec3 velocity)
{
    drape_vec3 places[3] = {at, dr_add(at, vec(0, 0, 0.002f)), dr_add(at, vec(0.002f, 0, 0))};
    const int32_t triangle[3] = {0, 1, 2};
    drape_mesh_view view = {
        .positions = places, .triangles = triangle, .vertex_count = 3, .triangle_count = 1};
    drape_cloth_def def = drape_cloth_defaults();
    def.velocity = velocity;
    drape_cloth_id id = drape_cloth_add_mesh(world, &def, &view);
    ck_assert_msg(drape_cloth_is_valid(world, id), "%s", drape_world_error(world));
    return id;
}

// A strip that is held below the solid on both sides and lies over it like a tent, at rest but a
// sixth too long for itself: it would like to be straight, and the straight line is below the
// solid.
static drape_cloth_id add_strip(drape_world* world)
{
    drape_cloth_def def = drape_cloth_defaults();
    drape_cloth_id cloth = drape_cloth_add_grid(world, &def, 0.56f, 0.01f, strip, 2);
    drape_vec3 places[most], velocities[most] = {{0, 0, 0}};
    for (int i = 0; i < most; ++i) {
        float x = 0.24f * ((float)(i % strip) / (strip - 1) * 2.0f - 1.0f);
        bool is_round = fabsf(x) < 0.048f;
        float y = is_round ? sqrtf(0.057f * 0.057f - x * x) : 0.085f - 1.02f * fabsf(x);
        places[i] = vec(x, y, i < strip ? -0.005f : 0.005f);
    }
    ck_assert(drape_cloth_set_state(world, cloth, places, velocities, most));
    const int32_t ends[4] = {0, strip - 1, strip, 2 * strip - 1};
    pin_vertices(world, cloth, ends, 4);
    return cloth;
}

// Where the particle, or all of the strip, was before the step and after it.
typedef struct outcome {
    drape_vec3 before[most], after[most];
    int count, particle;
} outcome;

static outcome run_case(mishap which, bool is_discrete, const drape_shape* shape)
{
    drape_world* world = make_push_world(is_discrete, shape);
    drape_cloth_id cloth;
    outcome o = {.count = which == PULLED ? 2 * strip : 3,
                 .particle = which == PULLED ? strip / 2 : 0};
    // Off the middle by so little that sides of least depth are no toss-up.
    switch (which) {
    case TOO_FAST: cloth = add_particle(world, vec(0.01f, 0.2f, 0), vec(0, -12, 0)); break;
    case PULLED: cloth = add_strip(world); break;
    default: cloth = add_particle(world, vec(0.01f, 0.1f, 0), vec(0, -4, 0)); break;
    }
    memcpy(o.before, drape_cloth_positions(world, cloth, NULL),
           sizeof(drape_vec3) * (size_t)o.count);
    drape_step_report report = drape_world_step(world, STEP);
    ck_assert_int_eq(report.substeps, 1);
    memcpy(o.after, drape_cloth_positions(world, cloth, NULL),
           sizeof(drape_vec3) * (size_t)o.count);
    drape_world_destroy(world);
    return o;
}

START_TEST(push_out_loses_the_side_and_prediction_keeps_it)
{
    const drape_shape* shape = &solids[_i];
    for (int which = 0; which < mishap_count; ++which) {
        outcome pushed = run_case(which, true, shape), predicted = run_case(which, false, shape);
        drape_vec3 through = pushed.after[pushed.particle];
        drape_vec3 held = predicted.after[predicted.particle];
        ck_assert_float_gt(pushed.before[pushed.particle].y, 0.05f);
        ck_assert_msg(through.y < -0.04f, "case %d: y %g", which, (double)through.y);
        // Half a thickness above the solid, or the little that was there before.
        ck_assert_msg(held.y > 0.045f, "case %d: y %g", which, (double)held.y);
    }
}
END_TEST

// What is slow against the solid is held by either.
START_TEST(slow_cloth_is_pushed_out)
{
    drape_world_def def = drape_world_defaults();
    def.method.obstacles = DRAPE_OBSTACLES_DISCRETE;
    def.thickness = 0.01f;
    def.damping = 2.0f;
    drape_world* world = drape_world_create(&def);
    drape_collider_def collider = drape_collider_defaults();
    collider.shape = (drape_shape){.kind = DRAPE_SHAPE_SPHERE, .radius = 0.3f};
    drape_collider_id ball = drape_collider_add(world, &collider);
    drape_cloth_id cloth = add_square(world, 0.5f, 21, vec(0, 0.31f, 0), vec(0, 0, 0));
    float nearest = INFINITY;
    for (int i = 0; i < 60; ++i) {
        // It turns by less than friction can hold.
        drape_collider_move(world, ball, pose_at(vec(0, 0, 0), vec(0, 0.5f * (float)i, 0)));
        drape_step_report report = drape_world_step(world, FRAME);
        nearest = fminf(nearest, report.smallest_gap);
        ck_assert(i < 10 || report.contact_count > 0);
    }
    ck_assert_float_gt(nearest, 0.0049f);
    // Carried along by friction: the corner went round with the ball.
    drape_vec3 middle = place_of(world, cloth, 10 * 21 + 15);
    float turned = atan2f(-middle.z, middle.x) * 57.29578f;
    ck_assert_msg(turned > 20.0f && turned < 32.0f, "turned by %g degrees", (double)turned);
    drape_world_destroy(world);
}
END_TEST

START_TEST(meshes_are_refused)
{
    drape_world_def def = drape_world_defaults();
    def.method.obstacles = DRAPE_OBSTACLES_DISCRETE;
    drape_world* world = drape_world_create(&def);
    const drape_vec3 places[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    drape_mesh_view view = {
        .positions = places, .triangles = triangles, .vertex_count = 4, .triangle_count = 4};
    drape_collider_def collider = drape_collider_defaults();
    collider.mesh = &view;
    ck_assert(!drape_collider_is_valid(world, drape_collider_add(world, &collider)));
    ck_assert_ptr_nonnull(strstr(drape_world_error(world), "`discrete`"));
    drape_world_destroy(world);
}
END_TEST

// --- Drawing ---

enum { panel = 300, margin = 12 };

static spot spot_of(drape_vec3 p, int column, int row)
{
    const float scale = 480.0f; // pixels to the metre
    return (spot){(float)(margin + column * (panel + margin)) + 0.5f * panel + scale * p.x,
                  (float)(margin + row * (panel + margin)) + 0.5f * panel - scale * p.y};
}

static void draw_panel(figure* f, int column, int row, const outcome* o)
{
    const uint32_t solid = 0xd9d4cc, rim = 0x8a8378, pale = 0xa8bdd6;
    uint32_t ink = row == 0 ? 0xb8432f : 0x2f6db8;
    drape_vec3 middle = {0, 0, 0};
    spot corner[4];
    for (int i = 0; i < 4; ++i) {
        corner[i] = (spot){(float)(margin + column * (panel + margin) + (i == 1 || i == 2) * panel),
                           (float)(margin + row * (panel + margin) + (i >= 2) * panel)};
    }
    for (int i = 0; i < 4; ++i) {
        figure_line(f, corner[i], corner[(i + 1) % 4], 1.0f, 0xcccccc);
    }
    figure_dot(f, spot_of(middle, column, row), 480.0f * 0.05f, rim);
    figure_dot(f, spot_of(middle, column, row), 480.0f * 0.05f - 2.0f, solid);
    // The plane in front of it, as contacts have it.
    if (row == 1) {
        figure_line(f, spot_of(vec(-0.25f, 0.05f, 0), column, row),
                    spot_of(vec(0.25f, 0.05f, 0), column, row), 1.0f, rim);
    }
    for (int i = 0; o->count > 3 && i + 1 < strip; ++i) {
        figure_line(f, spot_of(o->before[i], column, row), spot_of(o->before[i + 1], column, row),
                    2.0f, pale);
        figure_line(f, spot_of(o->after[i], column, row), spot_of(o->after[i + 1], column, row),
                    2.0f, ink);
    }
    spot from = spot_of(o->before[o->particle], column, row);
    spot to = spot_of(o->after[o->particle], column, row);
    figure_line(f, from, to, 1.5f, ink);
    figure_dot(f, from, 6.0f, ink);
    figure_dot(f, from, 4.0f, 0xffffff);
    figure_dot(f, to, 6.0f, ink);
}

START_TEST(the_cases_are_drawn)
{
    figure f = figure_make(mishap_count * (panel + margin) + margin, 2 * (panel + margin) + margin);
    for (int which = 0; which < mishap_count; ++which) {
        for (int row = 0; row < 2; ++row) {
            outcome o = run_case(which, row == 0, &solids[0]);
            draw_panel(&f, which, row, &o);
        }
    }
    ck_assert(figure_save(&f, "push_out.png"));
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("push_out");
    TCase* tests = tcase_create("push_out");
    tcase_add_loop_test(tests, push_out_loses_the_side_and_prediction_keeps_it, 0, solid_count);
    tcase_add_test(tests, slow_cloth_is_pushed_out);
    tcase_add_test(tests, meshes_are_refused);
    tcase_add_test(tests, the_cases_are_drawn);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
