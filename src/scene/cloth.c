#include "scene/cloth.h"

#include <math.h>
#include <string.h>

#include "core/vec_math.h"

static int chunk_of_slot(int slot)
{
    return slot / (8 * DR_CHUNK_VECTORS);
}

// Features (`arity` mesh vertices each) as slots, in the order of the chunk of their lowest slot.
static void sort_features(const dr_cloth* cloth, const int32_t* vertices, int stride, int arity,
                          int count, int32_t* slots, int32_t* start)
{
    const int32_t* slot_of_vertex = cloth->sheet->slot_of_vertex;
    memset(start, 0, sizeof(int32_t) * (size_t)(cloth->chunk_count + 1));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i) {
            const int32_t* v = vertices + (size_t)i * (size_t)stride;
            int lowest = slot_of_vertex[v[0]];
            for (int k = 1; k < arity; ++k) {
                lowest = slot_of_vertex[v[k]] < lowest ? slot_of_vertex[v[k]] : lowest;
            }
            int chunk = chunk_of_slot(lowest);
            if (pass == 0) {
                ++start[chunk + 1];
                continue;
            }
            int32_t* out = slots + (size_t)start[chunk]++ * (size_t)arity;
            for (int k = 0; k < arity; ++k) {
                out[k] = slot_of_vertex[v[k]];
            }
        }
        // After the first pass start[c] is where chunk c begins; the second moves it to its end.
        if (pass == 0) {
            for (int c = 0; c < cloth->chunk_count; ++c) {
                start[c + 1] += start[c];
            }
        }
    }
    memmove(start + 1, start, sizeof(int32_t) * (size_t)cloth->chunk_count);
    start[0] = 0;
}

static bool allocate(dr_cloth* cloth, dr_memory* memory)
{
    const dr_mesh* mesh = &cloth->mesh;
    int given = cloth->given_count;
    cloth->triangles =
        dr_allocate(memory, dr_array_bytes((size_t)mesh->triangle_count, sizeof *cloth->triangles));
    cloth->positions = dr_new_zeroed(memory, drape_vec3, given);
    cloth->velocities = dr_new_zeroed(memory, drape_vec3, given);
    cloth->normals = dr_new_zeroed(memory, drape_vec3, given);
    cloth->uv = dr_new_zeroed(memory, float, (size_t)given * 2);
    cloth->edge_rest = dr_new(memory, float, mesh->edge_count);
    cloth->backup = dr_new(memory, float, (size_t)cloth->sheet->vector_count * 64);
    cloth->chunks = dr_new_zeroed(memory, dr_chunk_bounds, cloth->chunk_count);
    cloth->edge_slots =
        dr_allocate(memory, dr_array_bytes((size_t)mesh->edge_count, sizeof *cloth->edge_slots));
    cloth->face_slots = dr_allocate(
        memory, dr_array_bytes((size_t)mesh->triangle_count, sizeof *cloth->face_slots));
    cloth->edge_start = dr_new(memory, int32_t, cloth->chunk_count + 1);
    cloth->face_start = dr_new(memory, int32_t, cloth->chunk_count + 1);
    cloth->face_last = dr_new(memory, int32_t, cloth->chunk_count);
    cloth->face_size = dr_new_zeroed(memory, float, cloth->chunk_count);
    bool edges = mesh->edge_count == 0 || (cloth->edge_rest && cloth->edge_slots);
    bool faces = mesh->triangle_count == 0 || (cloth->triangles && cloth->face_slots);
    return edges && faces && cloth->positions && cloth->velocities && cloth->normals && cloth->uv &&
           cloth->backup && cloth->chunks && cloth->edge_start && cloth->face_start &&
           cloth->face_last && cloth->face_size;
}

static void find_last_chunks(dr_cloth* cloth)
{
    for (int c = 0; c < cloth->chunk_count; ++c) {
        cloth->face_last[c] = c;
        for (int f = cloth->face_start[c]; f < cloth->face_start[c + 1]; ++f) {
            for (int k = 0; k < 3; ++k) {
                int chunk = chunk_of_slot(cloth->face_slots[f][k]);
                cloth->face_last[c] = chunk > cloth->face_last[c] ? chunk : cloth->face_last[c];
            }
        }
    }
}

static void measure_edges(dr_cloth* cloth)
{
    const dr_mesh* mesh = &cloth->mesh;
    for (int i = 0; i < mesh->edge_count; ++i) {
        const int32_t* v = mesh->edges[i].v;
        cloth->edge_rest[i] = dr_length(dr_sub(mesh->rest[v[1]], mesh->rest[v[0]]));
        cloth->edge_max = fmaxf(cloth->edge_max, cloth->edge_rest[i]);
    }
}

dr_model_source dr_cloth_model_source(const dr_cloth_source* source, const dr_mesh* mesh)
{
    return (dr_model_source){.world = source->world,
                             .fabric = &source->def->fabric,
                             .mesh = mesh,
                             .size_x = (double)source->size_x,
                             .size_z = (double)source->size_z,
                             .columns = source->columns,
                             .rows = source->rows};
}

// The model that a world asks for; nothing to do when it does not.
static bool create_model(dr_cloth* cloth, dr_memory* memory, const dr_cloth_source* source)
{
    if (source->world) {
        dr_model_source from = dr_cloth_model_source(source, &cloth->mesh);
        cloth->model = dr_model_create(memory, &from);
    }
    return !source->world || cloth->model;
}

dr_cloth* dr_cloth_create(dr_memory* memory, const dr_cloth_source* source, dr_mesh* mesh,
                          const drape_vec3* positions, const drape_mesh_view* view, int32_t* welded)
{
    dr_cloth* cloth = dr_new_zeroed(memory, dr_cloth, 1);
    if (!cloth) {
        return NULL;
    }
    cloth->fabric = source->def->fabric;
    cloth->thickness = source->thickness;
    cloth->layer = source->def->layer;
    cloth->given_count = view->vertex_count;
    cloth->sheet = &cloth->xpbd.sheet;
    cloth->columns = source->columns;
    cloth->rows = source->rows;
    bool made = source->columns > 0
                    ? dr_xpbd_create_grid(&cloth->xpbd, memory, &cloth->fabric, source->size_x,
                                          source->size_z, source->columns, source->rows)
                    : dr_xpbd_create_mesh(&cloth->xpbd, memory, &cloth->fabric, mesh);
    if (!made) {
        dr_delete(memory, cloth, 1);
        return NULL;
    }
    dr_mesh given = *mesh;
    cloth->mesh = given;
    cloth->chunk_count = (cloth->sheet->vector_count + DR_CHUNK_VECTORS - 1) / DR_CHUNK_VECTORS;
    if (!allocate(cloth, memory) || !create_model(cloth, memory, source) ||
        !dr_control_init(&cloth->control, memory, &source->def->control, positions,
                         given.vertex_count)) {
        // The mesh stays the caller's; its counts tell the sizes of what was made.
        cloth->mesh =
            (dr_mesh){.triangle_count = given.triangle_count, .edge_count = given.edge_count};
        dr_cloth_destroy(cloth, memory);
        return NULL;
    }
    *mesh = (dr_mesh){0};
    cloth->welded = welded;
    if (given.triangle_count > 0) {
        memcpy(cloth->triangles, view->triangles,
               sizeof *cloth->triangles * (size_t)given.triangle_count);
    }
    for (int i = 0; i < cloth->given_count; ++i) {
        memcpy(cloth->uv + (size_t)i * 2, given.uv[welded ? welded[i] : i], sizeof *given.uv);
    }
    measure_edges(cloth);
    sort_features(cloth, (const int32_t*)given.edges, sizeof(dr_edge) / sizeof(int32_t), 2,
                  given.edge_count, (int32_t*)cloth->edge_slots, cloth->edge_start);
    sort_features(cloth, (const int32_t*)given.triangles, 3, 3, given.triangle_count,
                  (int32_t*)cloth->face_slots, cloth->face_start);
    find_last_chunks(cloth);
    dr_sheet_set_state(cloth->sheet, positions, NULL);
    for (int v = 0; v < given.vertex_count; ++v) {
        dr_sheet* sheet = cloth->sheet;
        dr_sheet_set(sheet->layout, sheet->vel, sheet->slot_of_vertex[v], source->def->velocity);
    }
    dr_xpbd_tidy(&cloth->xpbd);
    dr_cloth_refresh(cloth);
    dr_cloth_publish(cloth);
    return cloth;
}

void dr_cloth_destroy(dr_cloth* cloth, dr_memory* memory)
{
    size_t floats = (size_t)cloth->sheet->vector_count * 64;
    int triangles = cloth->mesh.triangle_count, edges = cloth->mesh.edge_count;
    dr_delete(memory, cloth->welded, cloth->given_count);
    dr_delete(memory, cloth->triangles, triangles);
    dr_delete(memory, cloth->regions, triangles);
    dr_delete(memory, cloth->positions, cloth->given_count);
    dr_delete(memory, cloth->velocities, cloth->given_count);
    dr_delete(memory, cloth->normals, cloth->given_count);
    dr_delete(memory, cloth->uv, (size_t)cloth->given_count * 2);
    dr_delete(memory, cloth->edge_rest, edges);
    dr_delete(memory, cloth->backup, floats);
    dr_delete(memory, cloth->chunks, cloth->chunk_count);
    dr_delete(memory, cloth->edge_slots, edges);
    dr_delete(memory, cloth->face_slots, triangles);
    dr_delete(memory, cloth->edge_start, cloth->chunk_count + 1);
    dr_delete(memory, cloth->face_start, cloth->chunk_count + 1);
    dr_delete(memory, cloth->face_last, cloth->chunk_count);
    dr_delete(memory, cloth->face_size, cloth->chunk_count);
    if (cloth->shell) {
        dr_shell_free(cloth->shell, memory);
        dr_delete(memory, cloth->shell, 1);
    }
    dr_control_free(&cloth->control, memory);
    dr_model_destroy(cloth->model, memory);
    dr_xpbd_free(&cloth->xpbd, memory);
    dr_mesh_free(&cloth->mesh, memory);
    dr_delete(memory, cloth, 1);
}

void dr_cloth_publish(dr_cloth* cloth)
{
    const dr_sheet* sheet = cloth->sheet;
    for (int i = 0; i < cloth->given_count; ++i) {
        int slot = dr_cloth_slot(cloth, i);
        cloth->positions[i] = dr_sheet_get(sheet->layout, sheet->start, slot);
        cloth->velocities[i] = dr_sheet_get(sheet->layout, sheet->vel, slot);
    }
}

static void refresh_bounds(dr_cloth* cloth)
{
    const dr_sheet* sheet = cloth->sheet;
    cloth->are_sizes_stale = true;
    for (int c = 0; c < cloth->chunk_count; ++c) {
        dr_chunk_bounds* chunk = &cloth->chunks[c];
        *chunk = (dr_chunk_bounds){.lo = {INFINITY, INFINITY, INFINITY},
                                   .hi = {-INFINITY, -INFINITY, -INFINITY}};
    }
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        drape_vec3 p = dr_sheet_get(sheet->layout, sheet->start, slot);
        drape_vec3 u = dr_sheet_get(sheet->layout, sheet->vel, slot);
        dr_chunk_bounds* chunk = &cloth->chunks[chunk_of_slot(slot)];
        const float at[3] = {p.x, p.y, p.z};
        for (int c = 0; c < 3; ++c) {
            chunk->lo[c] = fminf(chunk->lo[c], at[c]);
            chunk->hi[c] = fmaxf(chunk->hi[c], at[c]);
        }
        chunk->speed_squared = fmaxf(chunk->speed_squared, dr_dot(u, u));
    }
}

// The model's doubles from the floats of its mirror.
static void refresh_model(dr_cloth* cloth)
{
    const dr_sheet* sheet = cloth->sheet;
    double(*places)[3] = cloth->model->backup, (*velocities)[3] = places + sheet->vertex_count;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        drape_vec3 p = dr_sheet_get(sheet->layout, sheet->start, sheet->slot_of_vertex[v]);
        drape_vec3 u = dr_sheet_get(sheet->layout, sheet->vel, sheet->slot_of_vertex[v]);
        places[v][0] = p.x, places[v][1] = p.y, places[v][2] = p.z;
        velocities[v][0] = u.x, velocities[v][1] = u.y, velocities[v][2] = u.z;
    }
    dr_model_restore(cloth->model);
}

void dr_cloth_refresh(dr_cloth* cloth)
{
    refresh_bounds(cloth);
    if (cloth->model) {
        refresh_model(cloth);
    }
}

void dr_cloth_save(dr_cloth* cloth)
{
    const dr_sheet* sheet = cloth->sheet;
    size_t floats = (size_t)sheet->vector_count * 32;
    memcpy(cloth->backup, sheet->start, sizeof(float) * floats);
    memcpy(cloth->backup + floats, sheet->vel, sizeof(float) * floats);
    if (cloth->model) {
        dr_model_save(cloth->model);
    }
}

void dr_cloth_restore(dr_cloth* cloth)
{
    dr_sheet* sheet = cloth->sheet;
    size_t floats = (size_t)sheet->vector_count * 32;
    memcpy(sheet->start, cloth->backup, sizeof(float) * floats);
    memcpy(sheet->vel, cloth->backup + floats, sizeof(float) * floats);
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        dr_sheet_set(sheet->layout, sheet->pos, slot,
                     dr_sheet_get(sheet->layout, sheet->start, slot));
    }
    dr_xpbd_tidy(&cloth->xpbd);
    refresh_bounds(cloth);
    if (cloth->model) {
        dr_model_restore(cloth->model);
    }
}

void dr_cloth_compute_normals(dr_cloth* cloth)
{
    memset(cloth->normals, 0, sizeof *cloth->normals * (size_t)cloth->given_count);
    for (int t = 0; t < cloth->mesh.triangle_count; ++t) {
        const int32_t* v = cloth->triangles[t];
        drape_vec3 a = cloth->positions[v[0]];
        drape_vec3 ab = dr_sub(cloth->positions[v[1]], a), ac = dr_sub(cloth->positions[v[2]], a);
        drape_vec3 n = dr_cross(ab, ac);
        for (int k = 0; k < 3; ++k) {
            cloth->normals[v[k]] = dr_add(cloth->normals[v[k]], n);
        }
    }
    for (int i = 0; i < cloth->given_count; ++i) {
        cloth->normals[i] = dr_normalize(cloth->normals[i]);
    }
}

double dr_cloth_kinetic_energy(const dr_cloth* cloth)
{
    const dr_sheet* sheet = cloth->sheet;
    double energy = 0.0;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        drape_vec3 u = dr_sheet_get(sheet->layout, sheet->vel, sheet->slot_of_vertex[v]);
        energy += 0.5 * (double)sheet->mass[v] * (double)dr_dot(u, u);
    }
    return energy;
}
