#include "io/scene_file.h"

#include <limits.h>

// --- Parts that cloths and colliders share ---

void dr_scene_read_place(dr_reader* reader, const dr_json_node* node, dr_place_desc* place)
{
    if (reader->failed || node == NULL) {
        return;
    }
    dr_object object = dr_object_open(reader, node);
    dr_reader_vec3(reader, dr_object_key(&object, "translate"), dr_within(DR_SCENE_MAX_LENGTH),
                   &place->translate);
    dr_reader_vec3(reader, dr_object_key(&object, "rotate"), dr_within(1e6), &place->rotate);
    dr_object_close(&object);
}

static void read_key(dr_reader* reader, const dr_json_node* node, dr_place_desc rest,
                     dr_key_desc* key)
{
    key->place = rest;
    dr_object object = dr_object_open(reader, node);
    dr_reader_float(reader, dr_object_need(&object, "time"), dr_at_least(0, DR_SCENE_MAX_TIME),
                    &key->time);
    dr_reader_vec3(reader, dr_object_key(&object, "translate"), dr_within(DR_SCENE_MAX_LENGTH),
                   &key->place.translate);
    dr_reader_vec3(reader, dr_object_key(&object, "rotate"), dr_within(1e6), &key->place.rotate);
    key->ease = (drape_ease)dr_reader_word(reader, dr_object_key(&object, "ease"), dr_words_ease,
                                           DRAPE_EASE_SMOOTH);
    dr_object_close(&object);
}

void dr_scene_read_motion(dr_reader* reader, const dr_json_node* node, dr_place_desc rest,
                          dr_motion_desc* motion)
{
    int count = dr_reader_count(reader, node);
    dr_key_desc* keys = count > 0 ? dr_reader_allocate(reader, (size_t)count, sizeof(*keys)) : NULL;
    if (keys == NULL) {
        return;
    }
    const dr_json_node* child = node->first_child;
    for (int i = 0; i < count && !reader->failed; ++i, child = child->next) {
        read_key(reader, child, rest, &keys[i]);
        if (!reader->failed && i > 0 && !(keys[i].time > keys[i - 1].time)) {
            dr_reader_expect(reader, dr_json_find(child, "time"),
                             "a time after that of the key before");
        }
    }
    *motion = (dr_motion_desc){node, keys, count};
}

void dr_scene_read_friction(dr_reader* reader, const dr_json_node* node, float* static_friction,
                            float* dynamic_friction)
{
    dr_reader_one_or_two(reader, node, dr_between(0, 10), static_friction, dynamic_friction);
}

// Names become names of files.
static bool is_file_name(const char* name)
{
    size_t length = strlen(name);
    if (length == 0 || length > 100 || name[0] == '.') {
        return false;
    }
    for (const char* c = name; *c != '\0'; ++c) {
        if ((unsigned char)*c < 0x20 || strchr("/\\:*?\"<>|", *c) != NULL) {
            return false;
        }
    }
    return true;
}

void dr_scene_read_name(dr_reader* reader, const dr_json_node* node, const char* prefix, int index,
                        const char** name)
{
    if (node == NULL) {
        char* text = dr_reader_allocate(reader, 32, 1);
        if (text != NULL) {
            dr_sentence sentence = dr_sentence_begin(text, 32);
            dr_sentence_add(&sentence, prefix);
            dr_sentence_add_integer(&sentence, index);
        }
        *name = text;
        return;
    }
    dr_reader_string(reader, node, name);
    if (!reader->failed && !is_file_name(*name)) {
        dr_reader_expect(
            reader, node,
            "a name that a file can have: 1 to 100 letters, none of / \\ : * ? \" < > |"
            ", no dot in front");
    }
}

// --- The run ---

static void read_wind(dr_reader* reader, const dr_json_node* node, drape_wind* wind)
{
    if (reader->failed || node == NULL) {
        return;
    }
    wind->drag = 1.0f;
    wind->lift = 0.0f;
    dr_object object = dr_object_open(reader, node);
    dr_reader_vec3(reader, dr_object_key(&object, "velocity"), dr_within(1000), &wind->velocity);
    dr_reader_float(reader, dr_object_key(&object, "gust"), dr_between(0, 4), &wind->gust);
    dr_reader_seed(reader, dr_object_key(&object, "seed"), &wind->seed);
    dr_reader_float(reader, dr_object_key(&object, "drag"), dr_between(0, 100), &wind->drag);
    dr_reader_float(reader, dr_object_key(&object, "lift"), dr_between(0, 100), &wind->lift);
    dr_object_close(&object);
}

static void read_method(dr_reader* reader, const dr_json_node* node, dr_scene_desc* scene)
{
    scene->method = "drape";
    if (reader->failed) {
        return;
    }
    if (node != NULL && node->kind == DR_JSON_STRING) {
        scene->method = node->string;
    }
    bool is_word = node == NULL || node->kind == DR_JSON_STRING;
    if (!is_word || !drape_method_by_name(scene->method, &scene->def.method)) {
        dr_reader_expect_word(reader, node != NULL ? node : scene->root, dr_words_method,
                              dr_words_method_count);
    }
}

static void read_elastic(dr_reader* reader, const dr_json_node* node, drape_elastic_def* elastic)
{
    if (reader->failed || node == NULL) {
        return;
    }
    dr_object object = dr_object_open(reader, node);
    elastic->bend = (drape_elastic_bend)dr_reader_word(reader, dr_object_key(&object, "bend"),
                                                       dr_words_bend, (int)elastic->bend);
    elastic->form = (drape_elastic_form)dr_reader_word(reader, dr_object_key(&object, "form"),
                                                       dr_words_form, (int)elastic->form);
    dr_reader_float(reader, dr_object_key(&object, "dt"), dr_above(0, 1), &elastic->dt);
    dr_reader_vec3(reader, dr_object_key(&object, "curvature"), dr_within(1e6),
                   &elastic->curvature);
    dr_object_close(&object);
}

static void read_springs(dr_reader* reader, const dr_json_node* node, drape_springs_def* springs)
{
    if (reader->failed || node == NULL) {
        return;
    }
    dr_object object = dr_object_open(reader, node);
    dr_reader_float(reader, dr_object_key(&object, "max_elongation"), dr_between(0, 100),
                    &springs->max_elongation);
    dr_reader_integer(reader, dr_object_key(&object, "sweeps"), 0, 1000, &springs->sweeps);
    springs->order = (drape_spring_order)dr_reader_word(reader, dr_object_key(&object, "order"),
                                                        dr_words_spring_order, (int)springs->order);
    dr_reader_float(reader, dr_object_key(&object, "damping"), dr_between(0, 1), &springs->damping);
    dr_reader_boolean(reader, dr_object_key(&object, "eight_bends"), &springs->eight_bends);
    dr_reader_float(reader, dr_object_key(&object, "hardening"), dr_between(0, 1e6),
                    &springs->hardening);
    dr_reader_float(reader, dr_object_key(&object, "structural"), dr_between(0, 1e9),
                    &springs->structural);
    dr_reader_float(reader, dr_object_key(&object, "shear"), dr_between(0, 1e9), &springs->shear);
    dr_reader_float(reader, dr_object_key(&object, "bend"), dr_between(0, 1e9), &springs->bend);
    dr_object_close(&object);
}

static void read_solver(dr_reader* reader, const dr_json_node* node, dr_scene_desc* scene)
{
    if (reader->failed || node == NULL) {
        return;
    }
    drape_world_def* def = &scene->def;
    dr_object object = dr_object_open(reader, node);
    def->method.model = (drape_model)dr_reader_word(reader, dr_object_key(&object, "model"),
                                                    dr_words_model, (int)def->method.model);
    def->method.integrator =
        (drape_integrator)dr_reader_word(reader, dr_object_key(&object, "integrator"),
                                         dr_words_integrator, (int)def->method.integrator);
    dr_reader_integer(reader, dr_object_key(&object, "substeps"), 1, 1000, &def->substeps);
    dr_reader_integer(reader, dr_object_key(&object, "iterations"), 1, 1000, &def->iterations);
    dr_reader_integer(reader, dr_object_key(&object, "stretch_sweeps"), 1, 100,
                      &def->stretch_sweeps);
    dr_reader_float(reader, dr_object_key(&object, "damping"), dr_between(0, 1000), &def->damping);
    dr_reader_float(reader, dr_object_key(&object, "sleep_speed"), dr_between(0, 1000),
                    &def->sleep_speed);
    read_elastic(reader, dr_object_key(&object, "elastic"), &def->elastic);
    read_springs(reader, dr_object_key(&object, "springs"), &def->springs);
    dr_object_close(&object);
}

// --- Collision ---

static void read_particles(dr_reader* reader, const dr_json_node* node, drape_particles_def* def)
{
    if (reader->failed || node == NULL) {
        return;
    }
    dr_object object = dr_object_open(reader, node);
    dr_reader_integer(reader, dr_object_key(&object, "count"), 0, DRAPE_MAX_PARTICLES, &def->count);
    dr_reader_float(reader, dr_object_key(&object, "tolerance"), dr_above(0, DR_SCENE_MAX_LENGTH),
                    &def->tolerance);
    dr_reader_integer(reader, dr_object_key(&object, "n_max"), 1, 100000, &def->n_max);
    dr_reader_integer(reader, dr_object_key(&object, "n_min"), 1, 1000, &def->n_min);
    int seed = (int)def->seed;
    dr_reader_integer(reader, dr_object_key(&object, "seed"), 0, INT_MAX, &seed);
    def->seed = (uint32_t)seed;
    dr_reader_boolean(reader, dr_object_key(&object, "gate"), &def->gate);
    dr_reader_boolean(reader, dr_object_key(&object, "positive"), &def->positive);
    dr_reader_boolean(reader, dr_object_key(&object, "outline"), &def->outline);
    dr_reader_boolean(reader, dr_object_key(&object, "in_front"), &def->in_front);
    dr_object_close(&object);
}

// true, false, or the file in which the contacts are kept.
static void read_cache(dr_reader* reader, const dr_json_node* node, dr_method_desc* values)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind == DR_JSON_BOOLEAN) {
        values->cache = node->boolean;
    } else if (node->kind == DR_JSON_STRING && node->string[0] != '\0') {
        values->cache = true;
        values->cache_file = node->string;
    } else {
        dr_reader_expect(reader, node, "true, false or the name of a file");
    }
}

static void read_region_pairs(dr_reader* reader, const dr_json_node* node, dr_method_desc* values)
{
    int count = dr_reader_count(reader, node);
    int32_t(*pairs)[2] =
        count > 0 ? dr_reader_allocate(reader, (size_t)count, sizeof(*pairs)) : NULL;
    values->has_regions = node != NULL;
    values->regions = (const int32_t(*)[2])pairs;
    values->region_pair_count = pairs != NULL ? count : 0;
    const dr_json_node* child = pairs != NULL ? node->first_child : NULL;
    for (int i = 0; child != NULL && !reader->failed; ++i, child = child->next) {
        if (child->kind != DR_JSON_ARRAY || child->child_count != 2) {
            dr_reader_expect(reader, child, "two regions that may meet");
            return;
        }
        dr_reader_integer(reader, dr_json_at(child, 0), 0, 31, &pairs[i][0]);
        dr_reader_integer(reader, dr_json_at(child, 1), 0, 31, &pairs[i][1]);
    }
}

static void read_collision_words(dr_reader* reader, dr_object* object, drape_method* method)
{
    method->self = (drape_self_collision)dr_reader_word(reader, dr_object_key(object, "self"),
                                                        dr_words_self, (int)method->self);
    method->obstacles = (drape_obstacle_response)dr_reader_word(
        reader, dr_object_key(object, "obstacles"), dr_words_obstacles, (int)method->obstacles);
    method->hierarchy = (drape_hierarchy)dr_reader_word(reader, dr_object_key(object, "hierarchy"),
                                                        dr_words_hierarchy, (int)method->hierarchy);
}

static void read_collision(dr_reader* reader, const dr_json_node* node, dr_scene_desc* scene)
{
    if (reader->failed || node == NULL) {
        return;
    }
    drape_world_def* def = &scene->def;
    dr_method_desc* values = &scene->values;
    dr_object object = dr_object_open(reader, node);
    read_collision_words(reader, &object, &def->method);
    dr_reader_float(reader, dr_object_key(&object, "thickness"), dr_above(0, 1), &def->thickness);
    dr_scene_read_friction(reader, dr_object_key(&object, "friction"), &def->friction_static,
                           &def->friction_dynamic);
    dr_reader_float(reader, dr_object_key(&object, "static_radius"), dr_above(0, 10),
                    &def->static_radius);
    dr_reader_integer(reader, dr_object_key(&object, "max_runs"), 1, 1000, &def->max_runs);
    dr_reader_boolean(reader, dr_object_key(&object, "continuous"), &def->continuous);
    read_particles(reader, dr_object_key(&object, "particles"), &def->particles);
    values->features = (dr_features)dr_reader_word(reader, dr_object_key(&object, "features"),
                                                   dr_words_features, (int)values->features);
    read_cache(reader, dr_object_key(&object, "cache"), values);
    dr_reader_boolean(reader, dr_object_key(&object, "layers"), &values->layers);
    read_region_pairs(reader, dr_object_key(&object, "regions"), values);
    dr_object_close(&object);
}

// --- The whole ---

static const dr_method_desc default_values = {
    .features = DR_FEATURES_MESH,
    .layers = true,
};

static void read_version(dr_reader* reader, const dr_json_node* node)
{
    bool is_one = node != NULL && node->kind == DR_JSON_NUMBER && node->number == 1.0;
    if (!reader->failed && node != NULL && !is_one) {
        dr_reader_expect(reader, node, "1, the version of the scene format");
    }
}

static void read_scene(dr_reader* reader, const dr_json_node* root, dr_scene_desc* scene)
{
    dr_object object = dr_object_open(reader, root);
    read_version(reader, dr_object_need(&object, "drape"));
    dr_reader_string(reader, dr_object_key(&object, "description"), &scene->description);
    dr_reader_integer(reader, dr_object_key(&object, "frames"), 0, 1000000, &scene->frame_count);
    dr_reader_float(reader, dr_object_key(&object, "fps"), dr_above(0, 100000), &scene->fps);
    dr_reader_seed(reader, dr_object_key(&object, "seed"), &scene->seed);
    scene->def.wind.seed = scene->seed;
    dr_reader_vec3(reader, dr_object_key(&object, "gravity"), dr_within(1e4), &scene->def.gravity);
    read_wind(reader, dr_object_key(&object, "wind"), &scene->def.wind);
    read_method(reader, dr_object_key(&object, "method"), scene);
    read_solver(reader, dr_object_key(&object, "solver"), scene);
    read_collision(reader, dr_object_key(&object, "collision"), scene);
    dr_scene_read_colliders(reader, dr_object_key(&object, "colliders"), scene);
    dr_scene_read_cloths(reader, dr_object_need(&object, "cloths"), scene);
    dr_object_close(&object);
}

bool dr_scene_read(dr_scene_desc* scene, const char* text, size_t length, const char* name,
                   const drape_scene_options* options, drape_error* error)
{
    *scene = (dr_scene_desc){
        .description = "",
        .frame_count = 90,
        .fps = 30.0f,
        .def = drape_world_defaults(),
        .values = default_values,
    };
    dr_json_node* root = dr_json_parse(&scene->json, text, length, name, error);
    if (root == NULL) {
        return false;
    }
    scene->root = root;
    dr_reader reader = {.json = &scene->json, .name = name, .options = options, .error = error};
    dr_scene_apply_options(&reader, root);
    if (!reader.failed) {
        read_scene(&reader, root, scene);
    }
    return !reader.failed;
}

void dr_scene_desc_free(dr_scene_desc* scene)
{
    dr_json_free(&scene->json);
    *scene = (dr_scene_desc){0};
}
