#include "io/scene_build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void dr_builder_fail(dr_builder* builder, const dr_json_node* node)
{
    if (!builder->reader->failed) {
        const char* reason = drape_world_error(builder->world);
        dr_sentence sentence = dr_reader_fail(builder->reader, node);
        dr_sentence_add(&sentence, reason);
        if (strcmp(reason, "out of memory") == 0) {
            builder->reader->error->kind = DRAPE_ERROR_SYSTEM;
        }
    }
}

// --- Files ---

const char* dr_scene_file_path(dr_reader* reader, const dr_json_node* node)
{
    const char* slash = strrchr(reader->name, '/');
    size_t folder =
        slash != NULL && node->string[0] != '/' ? (size_t)(slash - reader->name) + 1 : 0;
    size_t size = folder + strlen(node->string) + 1;
    char* path = dr_reader_allocate(reader, size, 1);
    if (path != NULL) {
        memcpy(path, reader->name, folder);
        memcpy(path + folder, node->string, size - folder);
    }
    return path;
}

static void check_file(dr_reader* reader, const dr_json_node* node)
{
    const char* path = !reader->failed && node != NULL ? dr_scene_file_path(reader, node) : NULL;
    if (path == NULL) {
        return;
    }
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        const char* reason = strerror(errno);
        dr_sentence sentence = dr_reader_fail(reader, node);
        dr_sentence_join(&sentence, "expected a file, but \"", path,
                         "\" cannot be opened: ", reason, NULL);
        return;
    }
    fclose(file);
}

bool dr_scene_check_files(dr_reader* reader, const dr_scene_desc* scene)
{
    for (int i = 0; i < scene->cloth_count; ++i) {
        const dr_cloth_desc* cloth = &scene->cloths[i];
        check_file(reader, cloth->mesh);
        check_file(reader, cloth->rest);
        check_file(reader, cloth->pose.cache);
        for (int k = 0; k < cloth->pin_count; ++k) {
            check_file(reader, cloth->pins[k].cache);
        }
    }
    for (int i = 0; i < scene->collider_count; ++i) {
        const dr_collider_desc* collider = &scene->colliders[i];
        check_file(reader, collider->mesh);
        check_file(reader, collider->cache);
        // Numbered files are looked for when they are read.
        bool is_list = collider->files != NULL && collider->files->kind == DR_JSON_ARRAY;
        const dr_json_node* file = is_list ? collider->files->first_child : NULL;
        for (; file != NULL; file = file->next) {
            check_file(reader, file);
        }
    }
    return !reader->failed;
}

// FNV-1a over the bytes, after their number: what is not there counts as well.
static void hash_more(dr_reader* reader, const void* bytes, size_t size)
{
    size = bytes != NULL ? size : 0;
    uint64_t hash = (reader->file_hash ^ size) * 1099511628211u;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ ((const unsigned char*)bytes)[i]) * 1099511628211u;
    }
    reader->file_hash = hash;
}

void dr_scene_hash_mesh(dr_reader* reader, const drape_mesh_data* mesh)
{
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    hash_more(reader, mesh->positions, sizeof *mesh->positions * vertices);
    hash_more(reader, mesh->uv, sizeof *mesh->uv * 2 * vertices);
    hash_more(reader, mesh->triangles, sizeof *mesh->triangles * 3 * triangles);
}

void dr_scene_hash_cache(dr_reader* reader, const drape_cache_data* cache)
{
    size_t count = (size_t)cache->vertex_count * (size_t)cache->frame_count;
    hash_more(reader, cache->positions, sizeof *cache->positions * count);
    hash_more(reader, &cache->fps, sizeof cache->fps);
}

static bool read_mesh_file(dr_reader* reader, const dr_json_node* node, drape_mesh_data* mesh)
{
    drape_error error;
    const char* path = dr_scene_file_path(reader, node);
    if (path == NULL) {
        return false;
    }
    if (drape_mesh_read(path, mesh, &error)) {
        dr_scene_hash_mesh(reader, mesh);
        return true;
    }
    dr_sentence sentence = dr_reader_fail(reader, node);
    dr_sentence_add(&sentence, error.sentence);
    reader->error->kind = error.kind;
    return false;
}

// --- Colliders ---

static void build_collider(dr_builder* builder, int index)
{
    const dr_collider_desc* desc = &builder->scene->colliders[index];
    drape_transform inner = {desc->shape_center, dr_rotation_from_up(desc->shape_up)};
    drape_collider_def def = drape_collider_defaults();
    def.shape = desc->shape;
    def.place = dr_pose_combine(dr_place_pose(desc->place), inner);
    def.friction_static = desc->friction[0];
    def.friction_dynamic = desc->friction[1];
    def.keys = dr_motion_keys(builder->reader, desc->motion, inner, &def.key_count);
    dr_body_data body = {0};
    if (desc->points != NULL) {
        def.hull = desc->points;
        def.hull_count = desc->point_count;
    } else if (desc->source == DR_COLLIDER_HULL && !builder->reader->failed) {
        dr_scene_read_body(builder, desc, &body);
        def.hull = body.view.positions;
        def.hull_count = body.view.vertex_count;
    } else if (desc->source != DR_COLLIDER_SHAPE && !builder->reader->failed) {
        dr_scene_read_body(builder, desc, &body);
        def.mesh = &body.view;
        def.frames = body.frames;
        def.frame_count = body.frame_count;
        def.fps = body.fps;
    }
    if (!builder->reader->failed) {
        builder->colliders[index] = drape_collider_add(builder->world, &def);
        if (builder->colliders[index].slot == 0) {
            dr_builder_fail(builder, desc->node);
        }
    }
    dr_body_data_free(&body);
}

// --- Cloths ---

// A grid or a disc lies flat in the core and stands upright in the scene.
static void build_flat(dr_builder* builder, int index)
{
    const dr_cloth_desc* desc = &builder->scene->cloths[index];
    drape_cloth_def def = desc->def;
    def.layer = desc->layer;
    dr_place_desc place = desc->place;
    place.rotate.x -= 90.0f;
    def.rotation = drape_quat_from_degrees(place.rotate);
    def.origin = place.translate;
    if (desc->shape == DR_CLOTH_DISC) {
        builder->cloths[index] =
            drape_cloth_add_disc(builder->world, &def, desc->radius, desc->rings, desc->ring);
        return;
    }
    drape_vec3 corner = {-0.5f * desc->size[0], 0.0f, -0.5f * desc->size[1]};
    drape_transform pose = {def.origin, def.rotation};
    drape_transform shift = {corner, {0.0f, 0.0f, 0.0f, 1.0f}};
    def.origin = dr_pose_combine(pose, shift).translate;
    builder->cloths[index] =
        drape_cloth_add_grid(builder->world, &def, desc->size[0], desc->size[1],
                             desc->resolution[0], desc->resolution[1]);
}

static bool same_triangles(const drape_mesh_data* a, const drape_mesh_data* b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, sizeof(int32_t) * 3 * (size_t)a->triangle_count) == 0;
}

// Adds a mesh; `rest` is empty when the start pose is the rest shape.
static void add_mesh(dr_builder* builder, int index, const drape_mesh_data* mesh,
                     const drape_mesh_data* rest)
{
    const dr_cloth_desc* desc = &builder->scene->cloths[index];
    if (desc->rest != NULL && !same_triangles(mesh, rest)) {
        dr_reader_expect(builder->reader, desc->rest, "a file with the triangles of the mesh");
        return;
    }
    drape_cloth_def def = desc->def;
    def.layer = desc->layer;
    def.origin = desc->place.translate;
    def.rotation = drape_quat_from_degrees(desc->place.rotate);
    drape_mesh_view view = {
        .positions = mesh->positions,
        .rest = rest->positions,
        .uv = rest->uv != NULL ? rest->uv : mesh->uv,
        .triangles = mesh->triangles,
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
    };
    builder->cloths[index] = drape_cloth_add_mesh(builder->world, &def, &view);
}

static void build_cloth(dr_builder* builder, int index)
{
    const dr_cloth_desc* desc = &builder->scene->cloths[index];
    drape_mesh_data mesh = {0};
    drape_mesh_data rest = {0};
    if (desc->shape != DR_CLOTH_MESH) {
        build_flat(builder, index);
    } else if (read_mesh_file(builder->reader, desc->mesh, &mesh) &&
               (desc->rest == NULL || read_mesh_file(builder->reader, desc->rest, &rest))) {
        add_mesh(builder, index, &mesh, &rest);
    }
    if (builder->cloths[index].slot == 0) {
        dr_builder_fail(builder, desc->node);
    }
    dr_scene_build_pins(builder, index, &mesh);
    dr_scene_build_pose(builder, index);
    dr_scene_build_regions(builder, index, &mesh);
    drape_mesh_data_free(&mesh);
    drape_mesh_data_free(&rest);
}

static void build_seams(dr_builder* builder, int index)
{
    const dr_cloth_desc* desc = &builder->scene->cloths[index];
    for (int i = 0; i < desc->seam_count && !builder->reader->failed; ++i) {
        const dr_seam_desc* seam = &desc->seams[i];
        drape_seam_def def = {
            .cloth_a = builder->cloths[index],
            .cloth_b = builder->cloths[seam->other],
            .vertices_a = seam->a,
            .vertices_b = seam->b,
            .pair_count = seam->pair_count,
            .start_time = seam->start,
            .duration = seam->duration,
        };
        if (drape_seam_add(builder->world, &def).slot == 0) {
            dr_builder_fail(builder, seam->node);
        }
    }
}

// --- The whole ---

bool dr_scene_build(dr_builder* builder)
{
    const dr_scene_desc* scene = builder->scene;
    const dr_reader* reader = builder->reader;
    // Pins may ride on colliders, seams join cloths: each after what it needs.
    for (int i = 0; i < scene->collider_count && !reader->failed; ++i) {
        build_collider(builder, i);
    }
    for (int i = 0; i < scene->cloth_count && !reader->failed; ++i) {
        build_cloth(builder, i);
    }
    for (int i = 0; i < scene->cloth_count && !reader->failed; ++i) {
        build_seams(builder, i);
    }
    if (!reader->failed) {
        dr_scene_keep_contacts(builder);
    }
    return !reader->failed;
}
