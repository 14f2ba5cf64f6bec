// Scene files: reading, and for those that are small building the world and its first frame.
#include "fuzz_reader.h"
#include "io/scene_file.h"

// Beyond these the fuzzer would wait for the solver, not for the reader.
#define VERTICES_MOST 300
#define PARTS_MOST 20
#define WORK_MOST 200

// There is no such folder, so that nothing is read from the disk.
#define NAME "/nowhere/at/all/f.json"

static int vertices_of(const dr_cloth_desc* cloth)
{
    return cloth->shape == DR_CLOTH_GRID ? cloth->resolution[0] * cloth->resolution[1]
                                         : 3 * cloth->rings * (cloth->rings + 1) + 1;
}

static bool has_files(const dr_scene_desc* scene)
{
    for (int i = 0; i < scene->cloth_count; ++i) {
        const dr_cloth_desc* cloth = &scene->cloths[i];
        if (cloth->mesh != NULL || cloth->rest != NULL) {
            return true;
        }
        for (int k = 0; k < cloth->pin_count; ++k) {
            if (cloth->pins[k].cache != NULL) {
                return true;
            }
        }
    }
    for (int i = 0; i < scene->collider_count; ++i) {
        if (scene->colliders[i].source != DR_COLLIDER_SHAPE) {
            return true;
        }
    }
    return false;
}

static bool is_small(const dr_scene_desc* scene)
{
    bool is_fine = scene->cloth_count <= PARTS_MOST && scene->collider_count <= PARTS_MOST;
    for (int i = 0; i < scene->cloth_count && is_fine; ++i) {
        const dr_cloth_desc* cloth = &scene->cloths[i];
        is_fine = cloth->resolution[0] <= VERTICES_MOST && cloth->rings <= VERTICES_MOST &&
                  vertices_of(cloth) <= VERTICES_MOST;
    }
    int work = scene->def.substeps <= WORK_MOST && scene->def.iterations <= WORK_MOST
                   ? scene->def.substeps * scene->def.iterations
                   : WORK_MOST + 1;
    return is_fine && work <= WORK_MOST;
}

static void require_frame(drape_scene* scene)
{
    drape_scene_step(scene);
    for (int i = 0; i < drape_scene_cloth_count(scene); ++i) {
        int count = 0;
        drape_world* world = drape_scene_world(scene);
        const drape_vec3* points =
            drape_cloth_positions(world, drape_scene_cloth(scene, i), &count);
        fuzz_require(points != NULL && count > 0, "a cloth with vertices");
        require_finite(points, (size_t)count);
    }
}

static void build(const char* text, size_t length)
{
    drape_error error = {0};
    drape_scene* scene = drape_scene_open_text(text, length, NAME, NULL, &error);
    if (scene == NULL) {
        require_sentence(&error, NAME);
        return;
    }
    fuzz_require(drape_scene_frame_count(scene) >= 0, "a number of frames");
    fuzz_require(drape_scene_fps(scene) > 0.0f, "a rate");
    require_frame(scene);
    drape_scene_close(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count)
{
    dr_scene_desc scene;
    drape_error error = {0};
    drape_scene_options options = drape_scene_options_defaults();
    bool is_read = dr_scene_read(&scene, (const char*)bytes, count, NAME, &options, &error);
    bool is_built = is_read && is_small(&scene) && !has_files(&scene);
    dr_scene_desc_free(&scene);
    if (!is_read) {
        require_sentence(&error, NAME);
    }
    if (is_built) {
        build((const char*)bytes, count);
    }
    return 0;
}
