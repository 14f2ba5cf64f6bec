#include "io/scene_file.h"

// A grid of 4096 x 4096, or a disc of as many.
#define MAX_VERTICES (4096.0 * 4096.0)
#define MAX_RESOLUTION 32768
#define MAX_RINGS 2364

// --- Fabric ---

static void expect_fabric(dr_reader* reader, const dr_json_node* node)
{
    const char* names[DR_WORDS_MAX];
    int count = 0;
    for (; count < drape_fabric_count() && count < DR_WORDS_MAX; ++count) {
        names[count] = drape_fabric_name(count);
    }
    dr_reader_expect_word(reader, node, names, count);
}

static void read_fabric_name(dr_reader* reader, const dr_json_node* node, drape_fabric* fabric)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind != DR_JSON_STRING || !drape_fabric_by_name(node->string, fabric)) {
        expect_fabric(reader, node);
    }
}

// A name, or numbers over a name.
static void read_fabric(dr_reader* reader, const dr_json_node* node, drape_fabric* fabric)
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind != DR_JSON_OBJECT) {
        read_fabric_name(reader, node, fabric);
        return;
    }
    dr_object object = dr_object_open(reader, node);
    read_fabric_name(reader, dr_object_key(&object, "base"), fabric);
    dr_reader_float(reader, dr_object_key(&object, "density"), dr_above(0, 1000), &fabric->density);
    dr_reader_float(reader, dr_object_key(&object, "thickness"), dr_above(0, 1),
                    &fabric->thickness);
    dr_reader_one_or_two(reader, dr_object_key(&object, "stretch"), dr_above(0, 1e9),
                         &fabric->stretch_warp, &fabric->stretch_weft);
    dr_reader_float(reader, dr_object_key(&object, "shear"), dr_above(0, 1e9), &fabric->shear);
    dr_reader_one_or_two(reader, dr_object_key(&object, "bend"), dr_above(0, 1e3),
                         &fabric->bend_warp, &fabric->bend_weft);
    dr_scene_read_friction(reader, dr_object_key(&object, "friction"), &fabric->friction_static,
                           &fabric->friction_dynamic);
    dr_reader_float(reader, dr_object_key(&object, "limit"), dr_above(0, 100),
                    &fabric->strain_limit);
    dr_reader_float(reader, dr_object_key(&object, "damping"), dr_between(0, 100),
                    &fabric->bend_damping);
    dr_object_close(&object);
}

// --- Shapes ---

static void read_resolution(dr_reader* reader, const dr_json_node* node, int resolution[2])
{
    if (reader->failed || node == NULL) {
        return;
    }
    if (node->kind != DR_JSON_ARRAY || node->child_count != 2) {
        dr_reader_expect(reader, node, "two whole numbers of vertices");
        return;
    }
    dr_reader_integer(reader, dr_json_at(node, 0), 2, MAX_RESOLUTION, &resolution[0]);
    dr_reader_integer(reader, dr_json_at(node, 1), 2, MAX_RESOLUTION, &resolution[1]);
    if (!reader->failed && (double)resolution[0] * resolution[1] > MAX_VERTICES) {
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_add(&sentence, "expected at most 4096 x 4096 vertices, found ");
        dr_sentence_add_integer(&sentence, resolution[0]);
        dr_sentence_add(&sentence, " x ");
        dr_sentence_add_integer(&sentence, resolution[1]);
    }
}

static void read_noise(dr_reader* reader, dr_object* object, drape_cloth_def* def)
{
    dr_reader_float(reader, dr_object_key(object, "noise"), dr_between(0, 1), &def->noise);
    dr_reader_seed(reader, dr_object_key(object, "seed"), &def->seed);
}

static void read_grid(dr_reader* reader, const dr_json_node* node, dr_cloth_desc* cloth)
{
    cloth->shape = DR_CLOTH_GRID;
    dr_object object = dr_object_open(reader, node);
    dr_reader_pair(reader, dr_object_key(&object, "size"), dr_above(0, DR_SCENE_MAX_LENGTH),
                   &cloth->size[0], &cloth->size[1]);
    read_resolution(reader, dr_object_key(&object, "resolution"), cloth->resolution);
    cloth->def.diagonals = (drape_diagonals)dr_reader_word(
        reader, dr_object_key(&object, "diagonals"), dr_words_diagonals, (int)cloth->def.diagonals);
    read_noise(reader, &object, &cloth->def);
    dr_object_close(&object);
}

// Rings are given, or follow from the number of vertices across the disc.
static void read_rings(dr_reader* reader, const dr_json_node* rings, const dr_json_node* resolution,
                       int* count)
{
    dr_reader_integer(reader, rings, 1, MAX_RINGS, count);
    int across = 2 * *count + 1;
    dr_reader_integer(reader, resolution, 3, 2 * MAX_RINGS + 1, &across);
    if (reader->failed || resolution == NULL) {
        return;
    }
    if (rings != NULL) {
        dr_sentence sentence = dr_reader_fail(reader, resolution);
        dr_sentence_add(&sentence, "expected either \"rings\" or \"resolution\", found both");
    } else if (across % 2 == 0) {
        dr_reader_expect(reader, resolution, "an odd number of vertices across the disc");
    }
    *count = across / 2;
}

static void read_disc(dr_reader* reader, const dr_json_node* node, dr_cloth_desc* cloth)
{
    cloth->shape = DR_CLOTH_DISC;
    dr_object object = dr_object_open(reader, node);
    dr_reader_float(reader, dr_object_key(&object, "radius"), dr_above(0, DR_SCENE_MAX_LENGTH),
                    &cloth->radius);
    const dr_json_node* rings = dr_object_key(&object, "rings");
    read_rings(reader, rings, dr_object_key(&object, "resolution"), &cloth->rings);
    const dr_json_node* ring = dr_object_key(&object, "ring");
    dr_reader_float(reader, ring, dr_above(0, DR_SCENE_MAX_LENGTH), &cloth->ring);
    if (!reader->failed && ring != NULL && cloth->ring >= cloth->radius) {
        dr_reader_expect(reader, ring, "a number below the radius");
    }
    read_noise(reader, &object, &cloth->def);
    dr_object_close(&object);
}

static void read_mesh(dr_reader* reader, const dr_json_node* node, const dr_json_node* rest,
                      dr_cloth_desc* cloth)
{
    const char* name = NULL;
    cloth->shape = DR_CLOTH_MESH;
    cloth->mesh = node;
    cloth->rest = rest;
    dr_reader_file(reader, node, &name);
    dr_reader_file(reader, rest, &name);
}

static void read_shape(dr_reader* reader, dr_object* object, const dr_json_node* rest,
                       dr_cloth_desc* cloth)
{
    static const char* const shapes[] = {"grid", "disc", "mesh", NULL};
    const dr_json_node* shape = dr_object_choice(object, shapes);
    if (shape == NULL) {
        return;
    }
    if (strcmp(shape->key, "mesh") == 0) {
        read_mesh(reader, shape, rest, cloth);
        return;
    }
    if (rest != NULL) {
        dr_sentence sentence = dr_reader_fail(reader, rest);
        dr_sentence_add(&sentence, "a rest shape needs \"mesh\"; grids and discs rest flat");
        return;
    }
    (strcmp(shape->key, "grid") == 0 ? read_grid : read_disc)(reader, shape, cloth);
}

// --- Cloths ---

static dr_cloth_desc cloth_defaults(const dr_json_node* node, uint32_t seed)
{
    dr_cloth_desc cloth = {
        .node = node,
        .size = {1.0f, 1.0f},
        .resolution = {51, 51},
        .radius = 0.5f,
        .rings = 25,
        .def = drape_cloth_defaults(),
        .layer = -1,
    };
    cloth.def.seed = seed;
    cloth.mount = -1;
    return cloth;
}

static void read_cloth(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                       int index, dr_cloth_desc* cloth)
{
    // Sheets with the same numbers should not be shaken alike.
    *cloth = cloth_defaults(node, scene->seed + (uint32_t)index);
    // The real-time method has few sweeps, and counts tethers as a part of itself.
    cloth->def.control.tethers = scene->def.method.self == DRAPE_SELF_PREDICTIVE;
    cloth->def.control.yarns = cloth->def.control.tethers;
    dr_object object = dr_object_open(reader, node);
    dr_scene_read_name(reader, dr_object_key(&object, "name"), "cloth", index, &cloth->name);
    dr_scene_read_place(reader, dr_object_key(&object, "place"), &cloth->place);
    read_fabric(reader, dr_object_key(&object, "fabric"), &cloth->def.fabric);
    dr_reader_vec3(reader, dr_object_key(&object, "velocity"), dr_within(1e4),
                   &cloth->def.velocity);
    dr_reader_boolean(reader, dr_object_key(&object, "weld"), &cloth->def.weld);
    dr_reader_integer(reader, dr_object_key(&object, "layer"), 0, 1000, &cloth->layer);
    dr_scene_read_control(reader, dr_object_key(&object, "control"), scene, cloth);
    dr_scene_read_pose(reader, dr_object_key(&object, "pose"), &cloth->pose);
    const dr_json_node* rest = dr_object_key(&object, "rest");
    const dr_json_node* pins = dr_object_key(&object, "pins");
    const dr_json_node* regions = dr_object_key(&object, "regions");
    dr_object_key(&object, "seams"); // read when all cloths are known
    read_shape(reader, &object, rest, cloth);
    dr_scene_read_pins(reader, pins, scene, cloth);
    dr_scene_read_regions(reader, regions, cloth);
}

// --- Seams ---

static void read_seam_partner(dr_reader* reader, const dr_json_node* node,
                              const dr_scene_desc* scene, dr_seam_desc* seam, int* count)
{
    if (reader->failed || node == NULL || node->kind != DR_JSON_OBJECT) {
        seam->b = dr_reader_indices(reader, node, INT32_MAX, count);
        return;
    }
    const char* name = "";
    dr_object object = dr_object_open(reader, node);
    const dr_json_node* cloth = dr_object_need(&object, "cloth");
    dr_reader_string(reader, cloth, &name);
    seam->b = dr_reader_indices(reader, dr_object_need(&object, "indices"), INT32_MAX, count);
    dr_object_close(&object);
    for (int i = 0; i < scene->cloth_count && !reader->failed; ++i) {
        if (strcmp(scene->cloths[i].name, name) == 0) {
            seam->other = i;
            return;
        }
    }
    if (!reader->failed) {
        dr_reader_expect(reader, cloth, "the name of a cloth");
    }
}

static void read_seam(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                      dr_seam_desc* seam)
{
    int count_b = 0;
    dr_object object = dr_object_open(reader, node);
    seam->node = node;
    seam->duration = 1.0f;
    seam->a = dr_reader_indices(reader, dr_object_need(&object, "a"), INT32_MAX, &seam->pair_count);
    read_seam_partner(reader, dr_object_need(&object, "b"), scene, seam, &count_b);
    dr_reader_float(reader, dr_object_key(&object, "start"), dr_at_least(0, DR_SCENE_MAX_TIME),
                    &seam->start);
    dr_reader_float(reader, dr_object_key(&object, "duration"), dr_at_least(0, DR_SCENE_MAX_TIME),
                    &seam->duration);
    dr_object_close(&object);
    if (!reader->failed && (seam->pair_count != count_b || count_b == 0)) {
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_add(&sentence, "expected as many vertices in \"a\" as in \"b\", found ");
        dr_sentence_add_integer(&sentence, seam->pair_count);
        dr_sentence_add(&sentence, " and ");
        dr_sentence_add_integer(&sentence, count_b);
    }
}

static void read_seams(dr_reader* reader, const dr_scene_desc* scene, int index,
                       dr_cloth_desc* cloth)
{
    const dr_json_node* node = dr_json_find(cloth->node, "seams");
    int count = dr_reader_count(reader, node);
    dr_seam_desc* seams =
        count > 0 ? dr_reader_allocate(reader, (size_t)count, sizeof(*seams)) : NULL;
    if (seams == NULL) {
        return;
    }
    const dr_json_node* child = node->first_child;
    for (int i = 0; i < count; ++i, child = child->next) {
        seams[i].other = index;
        read_seam(reader, child, scene, &seams[i]);
    }
    cloth->seams = seams;
    cloth->seam_count = count;
}

static void check_name(dr_reader* reader, const dr_cloth_desc* cloths, int index)
{
    for (int i = 0; i < index && !reader->failed; ++i) {
        if (strcmp(cloths[i].name, cloths[index].name) == 0) {
            dr_sentence sentence = dr_reader_fail(reader, cloths[index].node);
            dr_sentence_join(&sentence, "the name \"", cloths[i].name,
                             "\" belongs to another cloth", NULL);
        }
    }
}

void dr_scene_read_cloths(dr_reader* reader, const dr_json_node* node, dr_scene_desc* scene)
{
    int count = dr_reader_count(reader, node);
    if (!reader->failed && node != NULL && (count == 0 || count > DR_SCENE_MAX_PARTS)) {
        dr_reader_expect(reader, node, count == 0 ? "at least one cloth" : "at most 10000 cloths");
    }
    dr_cloth_desc* cloths =
        count > 0 ? dr_reader_allocate(reader, (size_t)count, sizeof(*cloths)) : NULL;
    if (cloths == NULL) {
        return;
    }
    const dr_json_node* child = node->first_child;
    for (int i = 0; i < count && !reader->failed; ++i, child = child->next) {
        read_cloth(reader, child, scene, i, &cloths[i]);
        check_name(reader, cloths, i);
    }
    if (reader->failed) {
        return;
    }
    scene->cloths = cloths;
    scene->cloth_count = count;
    for (int i = 0; i < count; ++i) {
        read_seams(reader, scene, i, &cloths[i]);
    }
}
