// What a scene says to predictive self-collision: regions, and the file of its kept contacts.
#include <stdlib.h>

#include "io/file.h"
#include "io/scene_build.h"

void dr_scene_predictive(const dr_method_desc* values, drape_predictive_def* def)
{
    def->features =
        values->features == DR_FEATURES_POINTS ? DRAPE_FEATURES_POINTS : DRAPE_FEATURES_MESH;
    def->use_layers = values->layers;
    def->use_cache = values->cache;
    if (!values->has_regions) {
        return;
    }
    for (int r = 0; r < 32; ++r) {
        def->regions[r] = 0;
    }
    for (int i = 0; i < values->region_pair_count; ++i) {
        const int32_t* pair = values->regions[i];
        def->regions[pair[0]] |= 1u << pair[1];
        def->regions[pair[1]] |= 1u << pair[0];
    }
}

// --- Kept contacts ---

static void load(dr_builder* builder, const dr_json_node* node, const dr_file* file)
{
    if (!drape_world_load_contacts(builder->world, file->data, file->size)) {
        dr_builder_fail(builder, node);
    }
}

static void save(dr_builder* builder, const char* path)
{
    size_t size = 0;
    dr_reader* reader = builder->reader;
    if (!drape_world_save_contacts(builder->world, NULL, &size)) {
        return;
    }
    void* bytes = dr_reader_allocate(reader, size, 1);
    dr_output output;
    if (bytes == NULL || !drape_world_save_contacts(builder->world, bytes, &size)) {
        return;
    }
    if (!dr_output_open(&output, path, reader->error)) {
        reader->failed = true;
        return;
    }
    dr_output_write(&output, bytes, size);
    reader->failed = !dr_output_close(&output, reader->error);
}

void dr_scene_keep_contacts(dr_builder* builder)
{
    const dr_scene_desc* scene = builder->scene;
    bool is_used = scene->def.method.self == DRAPE_SELF_PREDICTIVE && scene->values.cache;
    const dr_json_node* collision = dr_json_find(scene->root, "collision");
    const dr_json_node* node = collision != NULL ? dr_json_find(collision, "cache") : NULL;
    if (!is_used || scene->values.cache_file == NULL || node == NULL) {
        return;
    }
    const char* path = dr_scene_file_path(builder->reader, node);
    dr_file file;
    drape_error unheard = {0};
    if (path == NULL) {
        return;
    }
    if (dr_file_read(path, &file, &unheard)) {
        load(builder, node, &file);
        dr_file_free(&file);
    } else {
        save(builder, path);
    }
}
