// Pictures: what is covered, the same on any number of threads, grain, files.
#include "render_test.h"

#include <png.h>

#include "../io/io_test.h"
#include "render/grain.h"
#include "render/png.h"

static dr_memory memory;

static void setup(void)
{
    dr_memory_init(&memory, NULL);
}

static void teardown(void)
{
    ck_assert_uint_eq(memory.live_bytes, 0);
}

// A black triangle before a white backdrop: it takes the share of light that its area in the
// picture is, and its edges are neither widened nor narrowed.
START_TEST(triangle_covers_its_area)
{
    test_mesh mesh = test_mesh_new(3, 1);
    const drape_vec3 corner[3] = {{-0.7f, -0.6f, 0}, {0.8f, -0.3f, 0}, {-0.1f, 0.75f, 0}};
    memcpy(mesh.positions, corner, sizeof corner);
    test_triangle(&mesh, 0, 1, 2);
    dr_stage stage = test_stage(&memory, &mesh, 0);
    dr_look look = test_white();
    look.front[0] = look.back[0] = (drape_vec3){0, 0, 0};
    dr_scenery scenery = test_furnace(&look, 1.0f);
    // The picture is the square from -1 to 1.
    dr_camera camera = dr_camera_look((drape_vec3){0, 0, 2}, (drape_vec3){0, 0, 0},
                                      (float)(2.0 * dr_atan2(1.0, 2.0) * 57.29577951308232), 1.0f);
    dr_film film;
    ck_assert(dr_film_create(&film, &memory, 64, 64));
    dr_exposure exposure = {.stage = &stage,
                            .scenery = &scenery,
                            .camera = camera,
                            .sample_count = 64,
                            .tolerance = _i == 0 ? 0.0f : DR_FILM_TOLERANCE};
    dr_film_expose(&film, NULL, &exposure);
    double covered = 0.0;
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 64; ++x) {
            covered += 1.0 - (double)dr_film_light(&film, x, y).y;
        }
    }
    double area = 0.5 * fabs(1.5 * 1.35 - 0.6 * 0.3);
    ck_assert_double_eq_tol(covered / (64.0 * 64.0), area / 4.0, 3e-4);
    // Rounds leave out what is the same all over.
    int64_t all = 64 * 64 * 64;
    ck_assert(_i == 0 ? dr_film_sample_count(&film) == all : dr_film_sample_count(&film) < all / 2);
    dr_film_free(&film);
    dr_stage_free(&stage);
    test_mesh_free(&mesh);
}
END_TEST

enum { WIDTH = 90, HEIGHT = 70 };

static void draw_ball(int worker_count, uint8_t* pixels)
{
    test_mesh ball = test_ball(1.0f, 12);
    dr_pool* pool = dr_pool_create(&memory, worker_count, NULL);
    dr_stage stage = {.memory = &memory};
    dr_stage_mesh one = {.mesh = test_part(&ball), .crease = DR_CREASE_NONE, .level = 1};
    ck_assert(dr_stage_add(&stage, &one) && dr_stage_ready(&stage, pool));
    dr_look look = test_white();
    dr_framing framing = dr_framing_begin(30, 20, 28, (float)WIDTH / HEIGHT, 0.1f);
    for (int v = 0; v < ball.vertex_count; ++v) {
        dr_framing_add(&framing, ball.positions[v]);
    }
    dr_camera camera = dr_framing_camera(&framing);
    dr_scenery scenery = dr_scenery_defaults(camera.forward);
    scenery.looks = &look;
    scenery.has_ground = true;
    scenery.ground_y = -1.0f;
    dr_film film;
    ck_assert(dr_film_create(&film, &memory, WIDTH, HEIGHT));
    dr_exposure exposure = {.stage = &stage,
                            .scenery = &scenery,
                            .camera = camera,
                            .sample_count = 32,
                            .tolerance = DR_FILM_TOLERANCE};
    dr_film_expose(&film, pool, &exposure);
    dr_film_develop(&film, pool, &camera, pixels);
    dr_film_free(&film);
    dr_stage_free(&stage);
    dr_pool_destroy(pool);
    test_mesh_free(&ball);
}

START_TEST(threads_do_not_change_a_byte)
{
    static uint8_t one[3 * WIDTH * HEIGHT], many[3 * WIDTH * HEIGHT];
    draw_ball(1, one);
    for (int workers = 2; workers <= 4; workers += 2) {
        memset(many, 0, sizeof many);
        draw_ball(workers, many);
        ck_assert_mem_eq(one, many, sizeof one);
    }
    // And something is there: a bright ball before a bright backdrop, with its shadow.
    int dark = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        dark += one[3 * i] < 150;
    }
    ck_assert_int_gt(dark, WIDTH * HEIGHT / 50);
}
END_TEST

// --- Grain ---

// Noise on a flat surface is taken out; an edge between two surfaces, and one of light that is
// stronger than the noise, stay.
START_TEST(grain_goes_and_edges_stay)
{
    enum { SIDE = 40 };
    static dr_grain_pixel pixels[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; ++i) {
        int x = i % SIDE, y = i / SIDE;
        float noise = 0.1f * ((float)(dr_hash_mix((uint32_t)i) >> 8) * 0x1p-24f - 0.5f);
        float level = x < SIDE / 2 ? 0.8f : y < SIDE / 2 ? 0.3f : 0.8f;
        pixels[i] = (dr_grain_pixel){.light = {level + noise, level + noise, level + noise},
                                     .variance = 0.1f * 0.1f / 12.0f,
                                     .samples = 1.0f,
                                     .normal = {0, x < SIDE / 2 ? 1 : 0, x < SIDE / 2 ? 0 : 1},
                                     .reach = 0.1f};
    }
    ck_assert(dr_grain_remove(&memory, NULL, pixels, SIDE, SIDE));
    double left = 0.0, right = 0.0;
    for (int y = 4; y < 14; ++y) {
        ck_assert_float_eq_tol(pixels[y * SIDE + SIDE / 2 - 1].light.y, 0.8f, 0.08f);
        ck_assert_float_eq_tol(pixels[y * SIDE + SIDE / 2].light.y, 0.3f, 0.08f);
        for (int x = 4; x < 14; ++x) {
            double a = (double)pixels[y * SIDE + x].light.y - 0.8;
            double b = (double)pixels[y * SIDE + x + 20].light.y - 0.3;
            left += a * a / 100.0;
            right += b * b / 100.0;
        }
    }
    // A tenth of the variance or less is left.
    ck_assert_double_lt(left, 0.1 * 0.01 / 12.0);
    ck_assert_double_lt(right, 0.1 * 0.01 / 12.0);
}
END_TEST

// --- Files ---

START_TEST(png_can_be_read)
{
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, "a.png");
    uint8_t pixels[3 * 5 * 4], back[3 * 5 * 4];
    for (int i = 0; i < (int)sizeof pixels; ++i) {
        pixels[i] = (uint8_t)(i * 37);
    }
    drape_error error = {0};
    ck_assert(dr_png_write(path, pixels, 5, 4, &error));
    png_image image = {.version = PNG_IMAGE_VERSION};
    ck_assert(png_image_begin_read_from_file(&image, path));
    ck_assert_uint_eq(image.width, 5);
    ck_assert_uint_eq(image.height, 4);
    image.format = PNG_FORMAT_RGB;
    ck_assert(png_image_finish_read(&image, NULL, back, 0, NULL));
    ck_assert_mem_eq(pixels, back, sizeof pixels);
    ck_assert_int_eq(test_folder_count(&folder), 1);
    ck_assert(!dr_png_write(test_path(&folder, "none/a.png"), pixels, 5, 4, &error));
    ck_assert_int_eq(error.kind, DRAPE_ERROR_SYSTEM);
    test_folder_remove(&folder);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("film");
    TCase* tests = tcase_create("film");
    tcase_add_checked_fixture(tests, setup, teardown);
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, triangle_covers_its_area, 0, 2);
    tcase_add_test(tests, threads_do_not_change_a_byte);
    tcase_add_test(tests, grain_goes_and_edges_stay);
    tcase_add_test(tests, png_can_be_read);
    return run_suite(suite);
}
