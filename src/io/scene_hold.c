// Which vertices a pin holds, and where they go; which triangles belong to a region.
#include <stdlib.h>

#include "io/scene_build.h"

typedef struct vertex_list {
    int32_t* indices;
    int count;
} vertex_list;

// What is known about the cloth whose vertices are looked for.
typedef struct cloth_view {
    const dr_cloth_desc* desc;
    drape_cloth_id id;
    const drape_vec3* positions;
    int vertex_count;
    const drape_mesh_data* mesh;
} cloth_view;

// --- Where ---

static void take_indices(dr_reader* reader, const cloth_view* cloth, const dr_where_desc* where,
                         vertex_list* list)
{
    const dr_json_node* node = where->node->first_child;
    for (int i = 0; i < where->index_count && !reader->failed; ++i, node = node->next) {
        list->indices[list->count++] = where->indices[i];
        if (where->indices[i] >= cloth->vertex_count) {
            dr_sentence sentence = dr_reader_fail(reader, node);
            dr_sentence_add(&sentence, "expected a vertex from 0 to ");
            dr_sentence_add_integer(&sentence, cloth->vertex_count - 1);
            dr_sentence_add(&sentence, ", found ");
            dr_sentence_add_integer(&sentence, where->indices[i]);
        }
    }
}

static void take_corners(const cloth_view* cloth, const dr_where_desc* where, vertex_list* list)
{
    int columns = cloth->desc->resolution[0];
    int rows = cloth->desc->resolution[1];
    for (int i = 0; i < where->index_count; ++i) {
        int column = (where->indices[i] & 1) != 0 ? columns - 1 : 0;
        int row = (where->indices[i] & 2) != 0 ? rows - 1 : 0;
        list->indices[list->count++] = row * columns + column;
    }
}

static bool is_within(drape_vec3 p, drape_vec3 least, drape_vec3 most)
{
    return p.x >= least.x && p.y >= least.y && p.z >= least.z && p.x <= most.x && p.y <= most.y &&
           p.z <= most.z;
}

static void take_box(dr_reader* reader, const cloth_view* cloth, const dr_where_desc* where,
                     vertex_list* list)
{
    for (int i = 0; i < cloth->vertex_count; ++i) {
        if (is_within(cloth->positions[i], where->points[0], where->points[1])) {
            list->indices[list->count++] = i;
        }
    }
    if (list->count == 0) {
        dr_sentence sentence = dr_reader_fail(reader, where->node);
        dr_sentence_add(&sentence, "no vertex starts in this box");
    }
}

static double squared_distance(drape_vec3 a, drape_vec3 b)
{
    double x = (double)a.x - b.x;
    double y = (double)a.y - b.y;
    double z = (double)a.z - b.z;
    return x * x + y * y + z * z;
}

static void take_nearest(const cloth_view* cloth, const dr_where_desc* where, vertex_list* list)
{
    for (int k = 0; k < where->point_count; ++k) {
        int nearest = 0;
        for (int i = 1; i < cloth->vertex_count; ++i) {
            if (squared_distance(cloth->positions[i], where->points[k]) <
                squared_distance(cloth->positions[nearest], where->points[k])) {
                nearest = i;
            }
        }
        list->indices[list->count++] = nearest;
    }
}

static void take_group(dr_reader* reader, const cloth_view* cloth, const dr_where_desc* where,
                       vertex_list* list)
{
    const char* names[DR_WORDS_MAX];
    int name_count = 0;
    for (int i = 0; i < cloth->mesh->group_count; ++i) {
        const drape_mesh_group* group = &cloth->mesh->groups[i];
        if (strcmp(group->name, where->group) == 0) {
            list->count = group->vertex_count;
            memcpy(list->indices, group->vertices, sizeof(int32_t) * (size_t)group->vertex_count);
            return;
        }
        if (name_count < DR_WORDS_MAX) {
            names[name_count++] = group->name;
        }
    }
    if (name_count > 0) {
        dr_reader_expect_word(reader, where->node, names, name_count);
    } else {
        dr_reader_expect(reader, where->node, "a group of the mesh, which has none");
    }
}

static vertex_list find_vertices(dr_reader* reader, const cloth_view* cloth,
                                 const dr_where_desc* where)
{
    size_t most = (size_t)cloth->vertex_count;
    most = (size_t)where->index_count > most ? (size_t)where->index_count : most;
    most = (size_t)where->point_count > most ? (size_t)where->point_count : most;
    vertex_list list = {dr_reader_allocate(reader, most, sizeof(int32_t)), 0};
    if (list.indices == NULL) {
        return list;
    }
    switch (where->kind) {
    case DR_WHERE_INDICES: take_indices(reader, cloth, where, &list); break;
    case DR_WHERE_CORNERS: take_corners(cloth, where, &list); break;
    case DR_WHERE_BOX: take_box(reader, cloth, where, &list); break;
    case DR_WHERE_NEAREST: take_nearest(cloth, where, &list); break;
    case DR_WHERE_GROUP: take_group(reader, cloth, where, &list); break;
    }
    return list;
}

// --- Follow ---

static void fail_cache_size(dr_reader* reader, const dr_json_node* node,
                            const drape_cache_data* cache, const cloth_view* cloth, int pin_count)
{
    dr_sentence sentence = dr_reader_fail(reader, node);
    dr_sentence_add(&sentence, "expected a cache of all ");
    dr_sentence_add_integer(&sentence, cloth->vertex_count);
    dr_sentence_add(&sentence, " vertices or of the ");
    dr_sentence_add_integer(&sentence, pin_count);
    dr_sentence_add(&sentence, " pinned ones, found ");
    dr_sentence_add_integer(&sentence, cache->vertex_count);
}

// The places of the pinned vertices in every frame of a cache.
static const drape_vec3* take_frames(dr_reader* reader, const dr_json_node* node,
                                     const drape_cache_data* cache, const cloth_view* cloth,
                                     vertex_list list)
{
    bool is_whole = cache->vertex_count == cloth->vertex_count;
    if (!is_whole && cache->vertex_count != list.count) {
        fail_cache_size(reader, node, cache, cloth, list.count);
        return NULL;
    }
    size_t count = (size_t)list.count;
    size_t frame_count = (size_t)cache->frame_count;
    drape_vec3* frames = dr_reader_allocate(reader, count * frame_count, sizeof(*frames));
    for (size_t f = 0; frames != NULL && f < frame_count; ++f) {
        const drape_vec3* from = cache->positions + f * (size_t)cache->vertex_count;
        for (size_t i = 0; i < count; ++i) {
            frames[f * count + i] = from[is_whole ? (size_t)list.indices[i] : i];
        }
    }
    return frames;
}

static void follow_cache(dr_reader* reader, const dr_pin_desc* pin, const cloth_view* cloth,
                         vertex_list list, drape_pin_def* def)
{
    drape_cache_data cache;
    drape_error error;
    const char* path = dr_scene_file_path(reader, pin->cache);
    if (path == NULL) {
        return;
    }
    if (!drape_cache_read(path, &cache, &error)) {
        dr_sentence sentence = dr_reader_fail(reader, pin->cache);
        dr_sentence_add(&sentence, error.sentence);
        reader->error->kind = error.kind;
        return;
    }
    dr_scene_hash_cache(reader, &cache);
    def->frames = take_frames(reader, pin->cache, &cache, cloth, list);
    def->frame_count = def->frames != NULL ? cache.frame_count : 0;
    def->fps = pin->cache_fps > 0.0f ? pin->cache_fps : cache.fps;
    drape_cache_data_free(&cache);
}

// --- Pins ---

static void build_pin(dr_builder* builder, const dr_pin_desc* pin, const cloth_view* cloth)
{
    dr_reader* reader = builder->reader;
    drape_pin_def def = drape_pin_defaults();
    vertex_list list = find_vertices(reader, cloth, &pin->where);
    def.vertices = list.indices;
    def.vertex_count = list.count;
    def.weight = pin->weight;
    def.release_time = pin->release;
    drape_transform none = {.rotate = {0.0f, 0.0f, 0.0f, 1.0f}};
    def.keys = dr_motion_keys(reader, pin->motion, none, &def.key_count);
    if (pin->collider >= 0) {
        def.collider = builder->colliders[pin->collider];
    }
    if (pin->cache != NULL && !reader->failed) {
        follow_cache(reader, pin, cloth, list, &def);
    }
    if (!reader->failed && drape_cloth_pin(builder->world, cloth->id, &def).slot == 0) {
        dr_builder_fail(builder, pin->node);
    }
}

void dr_scene_build_pins(dr_builder* builder, int index, const drape_mesh_data* mesh)
{
    const dr_cloth_desc* desc = &builder->scene->cloths[index];
    for (int i = 0; i < desc->pin_count && !builder->reader->failed; ++i) {
        cloth_view cloth = {.desc = desc, .id = builder->cloths[index], .mesh = mesh};
        // Asked for anew: pointers into a world last until the next change.
        cloth.positions = drape_cloth_positions(builder->world, cloth.id, &cloth.vertex_count);
        build_pin(builder, &desc->pins[i], &cloth);
    }
}

// --- Regions ---

// Paints the triangles whose three corners are all in the list.
static void paint(vertex_list list, const int32_t* triangles, int triangle_count, int region,
                  uint8_t* is_in, uint8_t* regions)
{
    for (int i = 0; i < list.count; ++i) {
        is_in[list.indices[i]] = 1;
    }
    for (int t = 0; t < triangle_count; ++t) {
        const int32_t* corner = triangles + 3 * (size_t)t;
        if (is_in[corner[0]] && is_in[corner[1]] && is_in[corner[2]]) {
            regions[t] = (uint8_t)region;
        }
    }
    for (int i = 0; i < list.count; ++i) {
        is_in[list.indices[i]] = 0;
    }
}

void dr_scene_build_regions(dr_builder* builder, int index, const drape_mesh_data* mesh)
{
    dr_reader* reader = builder->reader;
    const dr_cloth_desc* desc = &builder->scene->cloths[index];
    if (desc->region_count == 0 || reader->failed) {
        return;
    }
    cloth_view cloth = {.desc = desc, .id = builder->cloths[index], .mesh = mesh};
    cloth.positions = drape_cloth_positions(builder->world, cloth.id, &cloth.vertex_count);
    int count = 0;
    const int32_t* triangles = drape_cloth_triangles(builder->world, cloth.id, &count);
    uint8_t* regions = dr_reader_allocate(reader, (size_t)count + 1, 1);
    uint8_t* is_in = dr_reader_allocate(reader, (size_t)cloth.vertex_count + 1, 1);
    for (int i = 0; i < desc->region_count && !reader->failed; ++i) {
        vertex_list list = find_vertices(reader, &cloth, &desc->regions[i].where);
        if (!reader->failed) {
            paint(list, triangles, count, desc->regions[i].region, is_in, regions);
        }
    }
    if (!reader->failed && !drape_cloth_set_regions(builder->world, cloth.id, regions, count)) {
        dr_builder_fail(builder, desc->node);
    }
}
