#include <stdlib.h>

#include "io/file.h"
#include "io/scene_build.h"

struct drape_scene {
    dr_scene_desc desc;
    drape_world* world;
    drape_cloth_id* cloths;
    drape_collider_id* colliders;
    uint64_t file_hash;
};

drape_scene_options drape_scene_options_defaults(void)
{
    return (drape_scene_options){.worker_count = 1, .isa = DRAPE_ISA_AUTO};
}

// --- What this build can run ---

// A choice that this build does not have, and the value that made it; no sentence: it can run.
typedef struct refusal {
    const char* sentence;
    const dr_json_node* node;
} refusal;

// The value behind a refusal: the key without which, that is with the choice of the scene's method,
// all would run; else the method's name.
static const dr_json_node* cause_of(const dr_scene_desc* scene, const drape_method* method)
{
    drape_method base;
    if (!drape_method_by_name(scene->method, &base)) {
        return scene->root;
    }
    const struct {
        const char *parent, *key;
        drape_model model;
        drape_obstacle_response obstacles;
        drape_self_collision self;
        drape_hierarchy hierarchy;
    } undone[] = {
        {"collision", "self", method->model, method->obstacles, base.self, method->hierarchy},
        {"collision", "obstacles", method->model, base.obstacles, method->self, method->hierarchy},
        {"collision", "hierarchy", method->model, method->obstacles, method->self, base.hierarchy},
        {"solver", "model", base.model, method->obstacles, method->self, method->hierarchy},
    };
    for (size_t i = 0; i < sizeof undone / sizeof undone[0]; ++i) {
        const dr_json_node* parent = dr_json_find(scene->root, undone[i].parent);
        const dr_json_node* node = parent ? dr_json_find(parent, undone[i].key) : NULL;
        drape_method without = {.model = undone[i].model,
                                .integrator = method->integrator,
                                .obstacles = undone[i].obstacles,
                                .self = undone[i].self,
                                .hierarchy = undone[i].hierarchy};
        if (without.self == DRAPE_SELF_GUARDED) {
            without.self = DRAPE_SELF_NONE;
        }
        if (node != NULL && drape_method_refusal(&without) == NULL) {
            return node;
        }
    }
    const dr_json_node* node = dr_json_find(scene->root, "method");
    return node != NULL ? node : scene->root;
}

static bool says_self(const dr_scene_desc* scene)
{
    const dr_json_node* collision = dr_json_find(scene->root, "collision");
    return collision != NULL && dr_json_find(collision, "self") != NULL;
}

// Chooses what will run. Without the guard cloth passes through itself but moves right, so a scene
// whose method has it runs all the same; every other choice that is missing is refused.
static refusal choose_method(const dr_scene_desc* scene, drape_method* method, bool* is_unguarded)
{
    *method = scene->def.method;
    *is_unguarded = false;
    const char* sentence = drape_method_refusal(method);
    if (sentence != NULL && method->self == DRAPE_SELF_GUARDED && !says_self(scene)) {
        method->self = DRAPE_SELF_NONE;
        sentence = drape_method_refusal(method);
        *is_unguarded = sentence == NULL;
    }
    return (refusal){sentence, sentence != NULL ? cause_of(scene, method) : scene->root};
}

// --- Opening ---

static void tell_unguarded(const drape_scene_options* options, const drape_method* asked)
{
    char text[256];
    dr_sentence sentence = dr_sentence_begin(text, sizeof(text));
    dr_sentence_join(&sentence, drape_method_refusal(asked), "; running without self-collision",
                     NULL);
    if (options->log != NULL) {
        options->log(options->log_user, DRAPE_LOG_WARNING, text);
    }
}

static bool make_world(dr_reader* reader, drape_scene* scene)
{
    const drape_scene_options* options = reader->options;
    drape_world_def def = scene->desc.def;
    dr_scene_predictive(&scene->desc.values, &def.predictive);
    bool is_unguarded = false;
    refusal refused = choose_method(&scene->desc, &def.method, &is_unguarded);
    if (refused.sentence != NULL) {
        dr_sentence sentence = dr_reader_fail(reader, refused.node);
        dr_sentence_add(&sentence, refused.sentence);
        return false;
    }
    if (is_unguarded) {
        tell_unguarded(options, &scene->desc.def.method);
    }
    def.worker_count = options->worker_count > 0 ? options->worker_count : 1;
    def.isa = options->isa;
    def.allocator = options->allocator;
    def.log = options->log;
    def.log_user = options->log_user;
    const char* refusal_of_world = drape_world_refusal(&def);
    scene->world = refusal_of_world == NULL ? drape_world_create(&def) : NULL;
    if (scene->world == NULL) {
        dr_sentence sentence = dr_reader_fail(reader, scene->desc.root);
        reader->error->kind = refusal_of_world == NULL ? DRAPE_ERROR_SYSTEM : DRAPE_ERROR_INPUT;
        dr_sentence_add(&sentence, refusal_of_world != NULL
                                       ? refusal_of_world
                                       : "no world: out of memory, or of threads");
    }
    return scene->world != NULL;
}

static bool build_scene(dr_reader* reader, drape_scene* scene)
{
    dr_scene_desc* desc = &scene->desc;
    scene->cloths = dr_reader_allocate(reader, (size_t)desc->cloth_count, sizeof(*scene->cloths));
    scene->colliders =
        dr_reader_allocate(reader, (size_t)desc->collider_count, sizeof(*scene->colliders));
    if (reader->failed || !dr_scene_check_files(reader, desc) || !make_world(reader, scene)) {
        return false;
    }
    dr_builder builder = {reader, desc, scene->world, scene->cloths, scene->colliders};
    return dr_scene_build(&builder);
}

drape_scene* drape_scene_open_text(const char* text, size_t length, const char* path,
                                   const drape_scene_options* options, drape_error* error)
{
    drape_scene_options defaults = drape_scene_options_defaults();
    drape_error unheard;
    options = options != NULL ? options : &defaults;
    error = error != NULL ? error : &unheard;
    *error = (drape_error){0};
    drape_scene* scene = calloc(1, sizeof(*scene));
    if (scene == NULL) {
        dr_error_set_memory(error, path);
        return NULL;
    }
    dr_reader reader = {
        .json = &scene->desc.json, .name = path, .options = options, .error = error};
    if (!dr_scene_read(&scene->desc, text, length, path, options, error) ||
        !build_scene(&reader, scene)) {
        drape_scene_close(scene);
        return NULL;
    }
    scene->file_hash = reader.file_hash;
    return scene;
}

drape_scene* drape_scene_open(const char* path, const drape_scene_options* options,
                              drape_error* error)
{
    dr_file file;
    if (!dr_file_read(path, &file, error)) {
        return NULL;
    }
    drape_scene* scene = drape_scene_open_text(file.data, file.size, path, options, error);
    dr_file_free(&file);
    return scene;
}

void drape_scene_close(drape_scene* scene)
{
    if (scene == NULL) {
        return;
    }
    drape_world_destroy(scene->world);
    dr_scene_desc_free(&scene->desc);
    free(scene);
}

// --- Looking without building ---

static void copy_text(char* text, size_t size, const char* source)
{
    if (text != NULL && size > 0) {
        dr_sentence sentence = dr_sentence_begin(text, size);
        dr_sentence_add(&sentence, source);
    }
}

bool drape_scene_probe(const char* path, const drape_scene_options* options, char* description,
                       size_t description_size, char* incomplete, size_t incomplete_size,
                       drape_error* error)
{
    drape_scene_options defaults = drape_scene_options_defaults();
    drape_error unheard;
    options = options != NULL ? options : &defaults;
    error = error != NULL ? error : &unheard;
    dr_file file;
    if (!dr_file_read(path, &file, error)) {
        return false;
    }
    dr_scene_desc scene;
    bool is_sound = dr_scene_read(&scene, file.data, file.size, path, options, error);
    dr_file_free(&file);
    dr_reader reader = {.json = &scene.json, .name = path, .options = options, .error = error};
    if (is_sound && dr_scene_check_files(&reader, &scene)) {
        drape_method method;
        bool is_unguarded = false;
        refusal refused = choose_method(&scene, &method, &is_unguarded);
        copy_text(description, description_size, scene.description);
        copy_text(incomplete, incomplete_size, refused.sentence != NULL ? refused.sentence : "");
    }
    is_sound = is_sound && !reader.failed;
    dr_scene_desc_free(&scene);
    return is_sound;
}

// --- What is in a scene ---

drape_world* drape_scene_world(drape_scene* scene)
{
    return scene ? scene->world : NULL;
}

uint64_t drape_scene_file_hash(const drape_scene* scene)
{
    return scene->file_hash;
}

int drape_scene_frame_count(const drape_scene* scene)
{
    return scene ? scene->desc.frame_count : 0;
}

float drape_scene_fps(const drape_scene* scene)
{
    return scene ? scene->desc.fps : 0.0f;
}

const char* drape_scene_description(const drape_scene* scene)
{
    return scene ? scene->desc.description : "";
}

int drape_scene_cloth_count(const drape_scene* scene)
{
    return scene ? scene->desc.cloth_count : 0;
}

static bool is_index(int index, int count)
{
    return index >= 0 && index < count;
}

drape_cloth_id drape_scene_cloth(const drape_scene* scene, int index)
{
    bool is_there = is_index(index, drape_scene_cloth_count(scene));
    return is_there ? scene->cloths[index] : (drape_cloth_id){0};
}

const char* drape_scene_cloth_name(const drape_scene* scene, int index)
{
    return is_index(index, drape_scene_cloth_count(scene)) ? scene->desc.cloths[index].name : NULL;
}

int drape_scene_collider_count(const drape_scene* scene)
{
    return scene ? scene->desc.collider_count : 0;
}

drape_collider_id drape_scene_collider(const drape_scene* scene, int index)
{
    return is_index(index, drape_scene_collider_count(scene)) ? scene->colliders[index]
                                                              : (drape_collider_id){0};
}

const char* drape_scene_collider_name(const drape_scene* scene, int index)
{
    return is_index(index, drape_scene_collider_count(scene)) ? scene->desc.colliders[index].name
                                                              : NULL;
}

bool drape_scene_collider_moves(const drape_scene* scene, int index)
{
    const dr_collider_desc* collider =
        is_index(index, drape_scene_collider_count(scene)) ? &scene->desc.colliders[index] : NULL;
    return collider != NULL &&
           (collider->motion.key_count > 0 || collider->source == DR_COLLIDER_SEQUENCE);
}

drape_step_report drape_scene_step(drape_scene* scene)
{
    return drape_world_step(drape_scene_world(scene), 1.0f / (scene ? scene->desc.fps : 1.0f));
}
