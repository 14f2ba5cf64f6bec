#include <math.h>

#include "io/scene_file.h"

// --- Where ---

// A corner by its number or its name.
static int read_corner(dr_reader* reader, const dr_json_node* node)
{
    int corner = 0;
    if (reader->failed || node->kind != DR_JSON_NUMBER) {
        return dr_reader_word(reader, node, dr_words_corner, 0);
    }
    dr_reader_integer(reader, node, 0, 3, &corner);
    return corner;
}

// "all", one corner, or an array of them.
static void read_corners(dr_reader* reader, const dr_json_node* node, const dr_cloth_desc* cloth,
                         dr_where_desc* where)
{
    bool is_list = node->kind == DR_JSON_ARRAY;
    bool is_all = node->kind == DR_JSON_STRING && strcmp(node->string, "all") == 0;
    int count = is_all ? 4 : is_list ? node->child_count : 1;
    int32_t* corners = dr_reader_allocate(reader, (size_t)count, sizeof(*corners));
    if (corners == NULL) {
        return;
    }
    if (cloth->shape != DR_CLOTH_GRID) {
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_add(&sentence, "only a grid has corners");
        return;
    }
    const dr_json_node* child = is_list ? node->first_child : node;
    for (int i = 0; i < count && !reader->failed; ++i) {
        corners[i] = is_all ? i : read_corner(reader, child);
        child = is_list ? child->next : child;
    }
    where->indices = corners;
    where->index_count = count;
}

static void read_box(dr_reader* reader, const dr_json_node* node, dr_where_desc* where)
{
    drape_vec3* ends = dr_reader_allocate(reader, 2, sizeof(*ends));
    if (ends == NULL) {
        return;
    }
    dr_object object = dr_object_open(reader, node);
    dr_reader_vec3(reader, dr_object_need(&object, "min"), dr_within(DR_SCENE_MAX_LENGTH),
                   &ends[0]);
    dr_reader_vec3(reader, dr_object_need(&object, "max"), dr_within(DR_SCENE_MAX_LENGTH),
                   &ends[1]);
    dr_object_close(&object);
    if (!reader->failed &&
        !(ends[0].x <= ends[1].x && ends[0].y <= ends[1].y && ends[0].z <= ends[1].z)) {
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_add(&sentence, "expected \"min\" to be at most \"max\" along every axis");
    }
    where->points = ends;
    where->point_count = 2;
}

// One point, or an array of points.
static void read_nearest(dr_reader* reader, const dr_json_node* node, dr_where_desc* where)
{
    bool is_list = node->kind == DR_JSON_ARRAY && node->first_child != NULL &&
                   node->first_child->kind == DR_JSON_ARRAY;
    int count = is_list ? node->child_count : 1;
    drape_vec3* points = dr_reader_allocate(reader, (size_t)count, sizeof(*points));
    const dr_json_node* child = is_list ? node->first_child : node;
    for (int i = 0; i < count && points != NULL; ++i, child = child->next) {
        dr_reader_vec3(reader, child, dr_within(DR_SCENE_MAX_LENGTH), &points[i]);
    }
    where->points = points;
    where->point_count = points != NULL ? count : 0;
}

static void read_group(dr_reader* reader, const dr_json_node* node, const dr_cloth_desc* cloth,
                       dr_where_desc* where)
{
    dr_reader_string(reader, node, &where->group);
    if (!reader->failed && cloth->shape != DR_CLOTH_MESH) {
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_add(&sentence, "only a mesh has groups");
    }
}

static void read_where(dr_reader* reader, const dr_json_node* node, const dr_cloth_desc* cloth,
                       dr_where_desc* where)
{
    static const char* const kinds[] = {"indices", "corners", "box", "nearest", "group", NULL};
    if (reader->failed || node == NULL) {
        return;
    }
    *where = (dr_where_desc){.node = node, .kind = DR_WHERE_INDICES};
    if (node->kind == DR_JSON_ARRAY) {
        where->indices = dr_reader_indices(reader, node, INT32_MAX, &where->index_count);
        return;
    }
    dr_object object = dr_object_open(reader, node);
    const dr_json_node* choice = dr_object_choice(&object, kinds);
    if (choice == NULL) {
        return;
    }
    where->node = choice;
    // The kinds stand in the order of their words.
    while (strcmp(choice->key, kinds[where->kind]) != 0) {
        where->kind = (dr_where_kind)(where->kind + 1);
    }
    switch (where->kind) {
    case DR_WHERE_INDICES:
        where->indices = dr_reader_indices(reader, choice, INT32_MAX, &where->index_count);
        break;
    case DR_WHERE_CORNERS: read_corners(reader, choice, cloth, where); break;
    case DR_WHERE_BOX: read_box(reader, choice, where); break;
    case DR_WHERE_NEAREST: read_nearest(reader, choice, where); break;
    case DR_WHERE_GROUP: read_group(reader, choice, cloth, where); break;
    }
}

// --- Pins ---

void dr_scene_find_collider(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                            int* index)
{
    const char* names[DR_WORDS_MAX];
    int count = scene->collider_count < DR_WORDS_MAX ? scene->collider_count : DR_WORDS_MAX;
    for (int i = 0; i < scene->collider_count && node->kind == DR_JSON_STRING; ++i) {
        if (strcmp(scene->colliders[i].name, node->string) == 0) {
            *index = i;
            return;
        }
    }
    for (int i = 0; i < count; ++i) {
        names[i] = scene->colliders[i].name;
    }
    if (count > 0) {
        dr_reader_expect_word(reader, node, names, count);
    } else {
        dr_reader_expect(reader, node, "the name of a collider, of which there is none");
    }
}

static void read_follow(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                        dr_pin_desc* pin)
{
    static const char* const kinds[] = {"keys", "collider", "cache", NULL};
    if (reader->failed || node == NULL) {
        return;
    }
    const char* file = NULL;
    dr_object object = dr_object_open(reader, node);
    const dr_json_node* fps = dr_object_key(&object, "fps");
    dr_reader_float(reader, fps, dr_above(0, 100000), &pin->cache_fps);
    const dr_json_node* choice = dr_object_choice(&object, kinds);
    if (choice == NULL) {
        return;
    }
    if (fps != NULL && strcmp(choice->key, "cache") != 0) {
        dr_sentence sentence = dr_reader_fail(reader, fps);
        dr_sentence_add(&sentence, "only a cache has frames per second");
    } else if (strcmp(choice->key, "keys") == 0) {
        dr_scene_read_motion(reader, choice, (dr_place_desc){0}, &pin->motion);
    } else if (strcmp(choice->key, "collider") == 0) {
        dr_scene_find_collider(reader, choice, scene, &pin->collider);
    } else {
        pin->cache = choice;
        dr_reader_file(reader, choice, &file);
    }
}

static void read_pin(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                     const dr_cloth_desc* cloth, dr_pin_desc* pin)
{
    *pin = (dr_pin_desc){.node = node, .weight = 1.0f, .release = INFINITY, .collider = -1};
    dr_object object = dr_object_open(reader, node);
    read_where(reader, dr_object_need(&object, "where"), cloth, &pin->where);
    dr_reader_float(reader, dr_object_key(&object, "weight"), dr_above(0, 1), &pin->weight);
    read_follow(reader, dr_object_key(&object, "follow"), scene, pin);
    dr_reader_float(reader, dr_object_key(&object, "release"), dr_at_least(0, DR_SCENE_MAX_TIME),
                    &pin->release);
    dr_object_close(&object);
}

void dr_scene_read_pins(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                        dr_cloth_desc* cloth)
{
    int count = dr_reader_count(reader, node);
    dr_pin_desc* pins = count > 0 ? dr_reader_allocate(reader, (size_t)count, sizeof(*pins)) : NULL;
    if (pins == NULL) {
        return;
    }
    const dr_json_node* child = node->first_child;
    for (int i = 0; i < count; ++i, child = child->next) {
        read_pin(reader, child, scene, cloth, &pins[i]);
    }
    cloth->pins = pins;
    cloth->pin_count = count;
}

// --- Regions ---

void dr_scene_read_regions(dr_reader* reader, const dr_json_node* node, dr_cloth_desc* cloth)
{
    int count = dr_reader_count(reader, node);
    dr_region_desc* regions =
        count > 0 ? dr_reader_allocate(reader, (size_t)count, sizeof(*regions)) : NULL;
    if (regions == NULL) {
        return;
    }
    const dr_json_node* child = node->first_child;
    for (int i = 0; i < count && !reader->failed; ++i, child = child->next) {
        dr_object object = dr_object_open(reader, child);
        dr_reader_integer(reader, dr_object_need(&object, "region"), 0, 31, &regions[i].region);
        read_where(reader, dr_object_need(&object, "where"), cloth, &regions[i].where);
        dr_object_close(&object);
    }
    cloth->regions = regions;
    cloth->region_count = count;
}
