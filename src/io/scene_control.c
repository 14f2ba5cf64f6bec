// Control of a cloth beside the forces of nature: `control` and `pose` of a scene file.
#include "io/scene_build.h"

// --- Reading ---

void dr_scene_read_control(dr_reader* reader, const dr_json_node* node, const dr_scene_desc* scene,
                           dr_cloth_desc* cloth)
{
    if (reader->failed || node == NULL) {
        return;
    }
    drape_control* control = &cloth->def.control;
    dr_object object = dr_object_open(reader, node);
    dr_reader_boolean(reader, dr_object_key(&object, "tethers"), &control->tethers);
    dr_reader_boolean(reader, dr_object_key(&object, "yarns"), &control->yarns);
    dr_reader_float(reader, dr_object_key(&object, "tether_slack"), dr_between(0, 100),
                    &control->tether_slack);
    dr_reader_float(reader, dr_object_key(&object, "rigid_damping"), dr_between(0, 10000),
                    &control->rigid_damping);
    dr_reader_float(reader, dr_object_key(&object, "stretch_damping"), dr_between(0, 10000),
                    &control->stretch_damping);
    const dr_json_node* frame = dr_object_key(&object, "frame");
    if (frame != NULL && !reader->failed) {
        dr_scene_find_collider(reader, frame, scene, &cloth->mount);
    }
    dr_reader_one_or_two(reader, dr_object_key(&object, "inertia"), dr_between(0, 1),
                         &control->inertia_linear, &control->inertia_angular);
    dr_object_close(&object);
}

// One length for all vertices, or an array with one for each.
static void read_lengths(dr_reader* reader, const dr_json_node* node, dr_lengths_desc* lengths)
{
    if (reader->failed || node == NULL) {
        return;
    }
    bool is_list = node->kind == DR_JSON_ARRAY;
    int count = is_list ? node->child_count : 1;
    float* values = dr_reader_allocate(reader, (size_t)count + 1, sizeof(*values));
    const dr_json_node* child = is_list ? node->first_child : node;
    for (int i = 0; i < count && values != NULL; ++i, child = child->next) {
        dr_reader_float(reader, child, dr_at_least(0, DR_SCENE_MAX_LENGTH), &values[i]);
    }
    *lengths = (dr_lengths_desc){node, values, values != NULL ? count : 0};
}

void dr_scene_read_pose(dr_reader* reader, const dr_json_node* node, dr_pose_desc* pose)
{
    if (reader->failed || node == NULL) {
        return;
    }
    const char* file = NULL;
    pose->node = node;
    dr_object object = dr_object_open(reader, node);
    pose->cache = dr_object_key(&object, "cache");
    dr_reader_file(reader, pose->cache, &file);
    const dr_json_node* fps = dr_object_key(&object, "fps");
    dr_reader_float(reader, fps, dr_above(0, 100000), &pose->fps);
    read_lengths(reader, dr_object_key(&object, "max_distance"), &pose->max_distance);
    read_lengths(reader, dr_object_key(&object, "backstop"), &pose->backstop);
    read_lengths(reader, dr_object_key(&object, "backstop_radius"), &pose->backstop_radius);
    dr_object_close(&object);
    if (!reader->failed && fps != NULL && pose->cache == NULL) {
        dr_sentence sentence = dr_reader_fail(reader, fps);
        dr_sentence_add(&sentence, "only a cache has frames per second");
    }
}

// --- Building ---

static void fail_count(dr_reader* reader, const dr_json_node* node, const char* what, int wanted,
                       int found)
{
    dr_sentence sentence = dr_reader_fail(reader, node);
    dr_sentence_join(&sentence, "expected ", what, " for each of the ", NULL);
    dr_sentence_add_integer(&sentence, wanted);
    dr_sentence_add(&sentence, " vertices, found ");
    dr_sentence_add_integer(&sentence, found);
}

// One value for each vertex; null when there are none.
static const float* spread(dr_reader* reader, const dr_lengths_desc* lengths, int vertex_count)
{
    if (reader->failed || lengths->node == NULL) {
        return NULL;
    }
    bool is_list = lengths->node->kind == DR_JSON_ARRAY;
    if (is_list && lengths->count != vertex_count) {
        fail_count(reader, lengths->node, "a number", vertex_count, lengths->count);
        return NULL;
    }
    float* values = dr_reader_allocate(reader, (size_t)vertex_count, sizeof(*values));
    for (int i = 0; values != NULL && i < vertex_count; ++i) {
        values[i] = lengths->values[is_list ? i : 0];
    }
    return values;
}

static void follow(dr_builder* builder, const dr_pose_desc* pose, drape_cloth_id cloth,
                   drape_pose_def* def)
{
    dr_reader* reader = builder->reader;
    int count = drape_cloth_vertex_count(builder->world, cloth);
    def->max_distance = spread(reader, &pose->max_distance, count);
    def->backstop_offset = spread(reader, &pose->backstop, count);
    def->backstop_radius = spread(reader, &pose->backstop_radius, count);
    if (!reader->failed && !drape_cloth_follow(builder->world, cloth, def)) {
        dr_builder_fail(builder, pose->node);
    }
}

static void follow_cache(dr_builder* builder, const dr_pose_desc* pose, drape_cloth_id cloth)
{
    dr_reader* reader = builder->reader;
    drape_cache_data cache;
    drape_error error;
    const char* path = dr_scene_file_path(reader, pose->cache);
    if (path == NULL) {
        return;
    }
    if (!drape_cache_read(path, &cache, &error)) {
        dr_sentence sentence = dr_reader_fail(reader, pose->cache);
        dr_sentence_add(&sentence, error.sentence);
        reader->error->kind = error.kind;
        return;
    }
    dr_scene_hash_cache(reader, &cache);
    int count = drape_cloth_vertex_count(builder->world, cloth);
    if (cache.vertex_count == count) {
        drape_pose_def def = {.frames = cache.positions, .frame_count = cache.frame_count};
        def.fps = pose->fps > 0.0f ? pose->fps : cache.fps;
        follow(builder, pose, cloth, &def);
    } else {
        fail_count(reader, pose->cache, "a place", count, cache.vertex_count);
    }
    drape_cache_data_free(&cache);
}

void dr_scene_build_pose(dr_builder* builder, int index)
{
    const dr_pose_desc* pose = &builder->scene->cloths[index].pose;
    drape_cloth_id cloth = builder->cloths[index];
    int mount = builder->scene->cloths[index].mount;
    if (!builder->reader->failed && mount >= 0 &&
        !drape_cloth_ride(builder->world, cloth, builder->colliders[mount])) {
        dr_builder_fail(builder, builder->scene->cloths[index].node);
    }
    if (builder->reader->failed || pose->node == NULL) {
        return;
    }
    if (pose->cache != NULL) {
        follow_cache(builder, pose, cloth);
        return;
    }
    // The start is the pose.
    drape_pose_def def = {.frames = drape_cloth_positions(builder->world, cloth, NULL),
                          .frame_count = 1,
                          .fps = 1.0f};
    follow(builder, pose, cloth, &def);
}
