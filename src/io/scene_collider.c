#include <math.h>

#include "io/scene_file.h"

// --- Shapes ---

static const double max_length = DR_SCENE_MAX_LENGTH;

static float length_of(drape_vec3 v)
{
    return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}

static void read_plane(dr_reader* reader, const dr_json_node* node, dr_collider_desc* collider)
{
    float offset = 0.0f;
    collider->shape.kind = DRAPE_SHAPE_PLANE;
    dr_object object = dr_object_open(reader, node);
    const dr_json_node* normal = dr_object_key(&object, "normal");
    dr_reader_vec3(reader, normal, dr_within(max_length), &collider->shape_up);
    dr_reader_float(reader, dr_object_key(&object, "offset"), dr_within(max_length), &offset);
    dr_object_close(&object);
    float length = length_of(collider->shape_up);
    if (!reader->failed && !(length > 0.0f)) {
        dr_sentence sentence = dr_reader_fail(reader, normal);
        dr_sentence_add(&sentence, "expected a direction that is not zero");
        return;
    }
    float along = offset / length;
    collider->shape_center = (drape_vec3){
        along * collider->shape_up.x, along * collider->shape_up.y, along * collider->shape_up.z};
}

static void read_sphere(dr_reader* reader, const dr_json_node* node, dr_collider_desc* collider)
{
    collider->shape.kind = DRAPE_SHAPE_SPHERE;
    dr_object object = dr_object_open(reader, node);
    dr_reader_float(reader, dr_object_need(&object, "radius"), dr_above(0, max_length),
                    &collider->shape.radius);
    dr_object_close(&object);
}

static void read_box(dr_reader* reader, const dr_json_node* node, dr_collider_desc* collider)
{
    collider->shape.kind = DRAPE_SHAPE_BOX;
    dr_object object = dr_object_open(reader, node);
    dr_reader_vec3(reader, dr_object_need(&object, "size"), dr_above(0, max_length),
                   &collider->shape.size);
    dr_object_close(&object);
}

// A capsule between two points lies between them in the collider's frame.
static void span_capsule(dr_collider_desc* collider, drape_vec3 from, drape_vec3 to)
{
    collider->shape_up = (drape_vec3){to.x - from.x, to.y - from.y, to.z - from.z};
    collider->shape_center =
        (drape_vec3){0.5f * (from.x + to.x), 0.5f * (from.y + to.y), 0.5f * (from.z + to.z)};
    collider->shape.height = length_of(collider->shape_up);
}

static void check_capsule(dr_reader* reader, const dr_json_node* node, const drape_shape* shape)
{
    if (!reader->failed && !(fabsf(shape->radius - shape->radius_top) < shape->height)) {
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_add(&sentence, "expected the radii to differ by less than the height, else one "
                                   "ball holds the other");
    }
}

static void fail_choice(dr_reader* reader, const dr_json_node* node, const char* choice)
{
    if (!reader->failed) {
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_join(&sentence, "expected either ", choice, NULL);
    }
}

static void read_capsule(dr_reader* reader, const dr_json_node* node, dr_collider_desc* collider)
{
    drape_shape* shape = &collider->shape;
    drape_vec3 from = {0};
    drape_vec3 to = {0};
    shape->kind = DRAPE_SHAPE_CAPSULE;
    dr_object object = dr_object_open(reader, node);
    const dr_json_node* radius = dr_object_key(&object, "radius");
    const dr_json_node* radii = dr_object_key(&object, "radii");
    const dr_json_node* height = dr_object_key(&object, "height");
    const dr_json_node* start = dr_object_key(&object, "from");
    const dr_json_node* end = dr_object_key(&object, "to");
    dr_reader_float(reader, radius, dr_above(0, max_length), &shape->radius);
    shape->radius_top = shape->radius;
    dr_reader_pair(reader, radii, dr_above(0, max_length), &shape->radius, &shape->radius_top);
    dr_reader_float(reader, height, dr_above(0, max_length), &shape->height);
    dr_reader_vec3(reader, start, dr_within(max_length), &from);
    dr_reader_vec3(reader, end, dr_within(max_length), &to);
    dr_object_close(&object);
    if ((radius != NULL) == (radii != NULL)) {
        fail_choice(reader, node, "\"radius\" or \"radii\"");
    }
    bool spans = start != NULL && end != NULL && height == NULL;
    if (!spans && !(height != NULL && start == NULL && end == NULL)) {
        fail_choice(reader, node, "\"height\", or \"from\" and \"to\"");
    }
    if (spans) {
        span_capsule(collider, from, to);
    }
    check_capsule(reader, node, shape);
}

// --- Meshes ---

static void read_mesh(dr_reader* reader, const dr_json_node* node, dr_collider_desc* collider)
{
    const char* file = NULL;
    collider->source = DR_COLLIDER_MESH;
    collider->mesh = node;
    dr_reader_file(reader, node, &file);
}

// Of a file, or of points that stand there.
static void read_hull(dr_reader* reader, const dr_json_node* node, dr_collider_desc* collider)
{
    collider->source = DR_COLLIDER_HULL;
    if (node->kind == DR_JSON_STRING) {
        const char* file = NULL;
        collider->mesh = node;
        dr_reader_file(reader, node, &file);
        return;
    }
    int count = dr_reader_count(reader, node);
    if (!reader->failed && count < 4) {
        dr_reader_expect(reader, node, "a file, or at least 4 points [x, y, z]");
        return;
    }
    drape_vec3* points =
        reader->failed ? NULL : dr_reader_allocate(reader, (size_t)count, sizeof *points);
    const dr_json_node* child = points != NULL ? node->first_child : NULL;
    for (int i = 0; child != NULL && !reader->failed; ++i, child = child->next) {
        dr_reader_vec3(reader, child, dr_within(max_length), &points[i]);
    }
    collider->points = points;
    collider->point_count = count;
}

// An array of files, or one name with a number in it.
static void read_files(dr_reader* reader, const dr_json_node* node)
{
    const char* file = NULL;
    if (node->kind == DR_JSON_STRING) {
        dr_reader_file(reader, node, &file);
        return;
    }
    if (dr_reader_count(reader, node) == 0 && !reader->failed) {
        dr_reader_expect(reader, node, "at least one file");
    }
    for (const dr_json_node* child = node->kind == DR_JSON_ARRAY ? node->first_child : NULL;
         child != NULL; child = child->next) {
        dr_reader_file(reader, child, &file);
    }
}

// A file for every frame, or a mesh and a cache that moves it.
static void read_sequence(dr_reader* reader, const dr_json_node* node, dr_collider_desc* collider)
{
    static const char* const kinds[] = {"files", "cache", NULL};
    const char* file = NULL;
    collider->source = DR_COLLIDER_SEQUENCE;
    if (node->kind == DR_JSON_STRING) {
        collider->files = node;
        read_files(reader, node);
        return;
    }
    dr_object object = dr_object_open(reader, node);
    dr_reader_float(reader, dr_object_key(&object, "fps"), dr_above(0, 100000), &collider->fps);
    collider->mesh = dr_object_key(&object, "mesh");
    dr_reader_file(reader, collider->mesh, &file);
    const dr_json_node* choice = dr_object_choice(&object, kinds);
    if (choice == NULL) {
        return;
    }
    if (strcmp(choice->key, "files") == 0) {
        collider->files = choice;
        read_files(reader, choice);
    } else {
        collider->cache = choice;
        dr_reader_file(reader, choice, &file);
    }
    if (!reader->failed && (collider->cache != NULL) != (collider->mesh != NULL)) {
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_add(&sentence, "expected \"mesh\" together with \"cache\"");
    }
}

// --- Colliders ---

static void read_shape(dr_reader* reader, dr_object* object, dr_collider_desc* collider)
{
    static const char* const words[] = {"plane", "sphere", "capsule",  "box",
                                        "hull",  "mesh",   "sequence", NULL};
    static void (*const readers[])(dr_reader*, const dr_json_node*, dr_collider_desc*) = {
        read_plane, read_sphere, read_capsule, read_box, read_hull, read_mesh, read_sequence,
    };
    const dr_json_node* shape = dr_object_choice(object, words);
    for (int i = 0; shape != NULL && words[i] != NULL; ++i) {
        if (strcmp(shape->key, words[i]) == 0) {
            readers[i](reader, shape, collider);
        }
    }
}

static void read_collider(dr_reader* reader, const dr_json_node* node, int index,
                          dr_collider_desc* collider)
{
    *collider = (dr_collider_desc){
        .node = node, .shape_up = {0.0f, 1.0f, 0.0f}, .friction = {-1.0f, -1.0f}};
    dr_object object = dr_object_open(reader, node);
    dr_scene_read_name(reader, dr_object_key(&object, "name"), "collider", index, &collider->name);
    dr_scene_read_place(reader, dr_object_key(&object, "place"), &collider->place);
    dr_scene_read_motion(reader, dr_object_key(&object, "keys"), collider->place,
                         &collider->motion);
    dr_scene_read_friction(reader, dr_object_key(&object, "friction"), &collider->friction[0],
                           &collider->friction[1]);
    read_shape(reader, &object, collider);
}

static void check_name(dr_reader* reader, const dr_collider_desc* colliders, int index)
{
    for (int i = 0; i < index && !reader->failed; ++i) {
        if (strcmp(colliders[i].name, colliders[index].name) == 0) {
            dr_sentence sentence = dr_reader_fail(reader, colliders[index].node);
            dr_sentence_join(&sentence, "the name \"", colliders[i].name,
                             "\" belongs to another collider", NULL);
        }
    }
}

void dr_scene_read_colliders(dr_reader* reader, const dr_json_node* node, dr_scene_desc* scene)
{
    int count = dr_reader_count(reader, node);
    if (count > DR_SCENE_MAX_PARTS) {
        dr_reader_expect(reader, node, "at most 10000 colliders");
    }
    dr_collider_desc* colliders =
        count > 0 ? dr_reader_allocate(reader, (size_t)count, sizeof(*colliders)) : NULL;
    if (colliders == NULL) {
        return;
    }
    const dr_json_node* child = node->first_child;
    for (int i = 0; i < count && !reader->failed; ++i, child = child->next) {
        read_collider(reader, child, i, &colliders[i]);
        check_name(reader, colliders, i);
    }
    scene->colliders = colliders;
    scene->collider_count = reader->failed ? 0 : count;
}
