// The public functions about cloths.
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "core/vec_math.h"
#include "mesh/generate.h"
#include "scene/mesh_link.h"
#include "scene/predict_step.h"
#include "scene/sleep.h"
#include "scene/trials.h"

const char* drape_version(void)
{
    return DRAPE_VERSION;
}

drape_cloth_def drape_cloth_defaults(void)
{
    return (drape_cloth_def){.fabric = drape_fabric_cotton(),
                             .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
                             .control = drape_control_defaults(),
                             .layer = -1};
}

dr_cloth* dr_world_cloth(const drape_world* world, drape_cloth_id id)
{
    return world ? dr_slots_get(&world->cloths, id.slot, id.generation) : NULL;
}

// --- Adding ---

static const char* fabric_refusal(const drape_fabric* f)
{
    const struct {
        float value;
        const char* sentence;
    } positive[] = {
        {f->density, "a fabric's density must be finite"},
        {f->stretch_warp, "a fabric's stretch stiffness must be above 0"},
        {f->stretch_weft, "a fabric's stretch stiffness must be above 0"},
        {f->shear, "a fabric's shear stiffness must be above 0"},
        {f->bend_warp, "a fabric's bending rigidity must be above 0"},
        {f->bend_weft, "a fabric's bending rigidity must be above 0"},
    };
    if (f->density < 1e-6f) {
        return "a fabric's density must be at least 1e-6 kg/m^2";
    }
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; ++i) {
        if (!(positive[i].value > 0.0f) || !isfinite(positive[i].value)) {
            return positive[i].sentence;
        }
    }
    const float others[] = {f->thickness, f->friction_static, f->friction_dynamic, f->strain_limit,
                            f->bend_damping};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        if (!(others[i] >= 0.0f) || !isfinite(others[i])) {
            return "a fabric's thickness, friction, limit and damping must be at least 0";
        }
    }
    return NULL;
}

static bool check_def(drape_world* world, const drape_cloth_def* def)
{
    if (!def) {
        return dr_world_fail(world, "there is no definition of the cloth");
    }
    const char* refusal = fabric_refusal(&def->fabric);
    refusal = refusal ? refusal : dr_control_refusal(&def->control);
    drape_quat q = def->rotation;
    double norm = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    if (refusal) {
        return dr_world_fail(world, "%s", refusal);
    }
    if (!(norm > 0.998 && norm < 1.002) || !dr_is_finite(def->origin)) {
        return dr_world_fail(world, "a cloth needs a finite origin and a unit rotation");
    }
    if (!dr_is_finite(def->velocity) || !(def->noise >= 0.0f) || !isfinite(def->noise)) {
        return dr_world_fail(world, "a cloth's velocity must be finite, its noise at least 0");
    }
    return true;
}

// Start positions: the given pose, shaken along its normals, turned and moved to its place.
static void place_vertices(const drape_cloth_def* def, const dr_mesh* mesh, drape_vec3* positions)
{
    drape_transform place = {def->origin, def->rotation};
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 p = positions[v];
        bool has_triangles = mesh->vertex_triangle_start[v] < mesh->vertex_triangle_start[v + 1];
        if (def->noise > 0.0f && has_triangles) {
            const int32_t* t =
                mesh->triangles[mesh->vertex_triangle_list[mesh->vertex_triangle_start[v]]];
            drape_vec3 a = mesh->rest[t[0]];
            drape_vec3 n =
                dr_normalize(dr_cross(dr_sub(mesh->rest[t[1]], a), dr_sub(mesh->rest[t[2]], a)));
            p = dr_add(p, dr_scale(n, def->noise * dr_random_signed(def->seed, (uint32_t)v)));
        }
        positions[v] = dr_transform_apply(place, p);
    }
}

static drape_cloth_id register_cloth(drape_world* world, dr_cloth* cloth)
{
    drape_cloth_id id = {0};
    if (!cloth || !dr_slots_add(&world->cloths, &world->memory, cloth, &id.slot, &id.generation)) {
        if (cloth) {
            dr_cloth_destroy(cloth, &world->memory);
        }
        dr_world_fail(world, "out of memory");
        return (drape_cloth_id){0};
    }
    world->is_work_stale = true;
    dr_world_free_trials(world);
    dr_world_disturb(world, cloth);
    dr_world_free_predict(world);
    return id;
}

static float contact_thickness(const drape_world* world, const drape_fabric* fabric)
{
    return world->def.thickness > 0.0f ? world->def.thickness : fmaxf(fabric->thickness, 1e-3f);
}

// A sentence of its own when the world's model cannot take this cloth.
static bool choose_model(drape_world* world, dr_cloth_source* source, const dr_mesh* mesh)
{
    if (world->def.method.model == DRAPE_MODEL_XPBD) {
        return true;
    }
    source->world = &world->def;
    dr_model_source from = dr_cloth_model_source(source, mesh);
    const char* refusal = dr_model_refusal(&from);
    return !refusal || dr_world_fail(world, "%s", refusal);
}

// Builds mesh and cloth from a view; `welded` (view->vertex_count entries) is taken over.
static drape_cloth_id add_view(drape_world* world, dr_cloth_source* source,
                               const drape_mesh_view* view, int32_t* welded)
{
    dr_memory* memory = &world->memory;
    drape_cloth_id id = {0};
    dr_mesh mesh = {0};
    char sentence[256];
    bool is_built = dr_mesh_build(&mesh, memory, view, welded, sentence, sizeof sentence);
    if (!is_built) {
        dr_world_fail(world, "%s", sentence);
    }
    if (!is_built || !choose_model(world, source, &mesh)) {
        dr_mesh_free(&mesh, memory);
        dr_delete(memory, welded, view->vertex_count);
        return id;
    }
    int vertex_count = mesh.vertex_count;
    drape_vec3* positions = dr_new(memory, drape_vec3, vertex_count);
    dr_cloth* cloth = NULL;
    if (positions) {
        // The last given vertex of a welded group is written first, so the first one stays.
        for (int i = view->vertex_count - 1; i >= 0; --i) {
            positions[welded ? welded[i] : i] = view->positions[i];
        }
        place_vertices(source->def, &mesh, positions);
        source->thickness = contact_thickness(world, &source->def->fabric);
        cloth = dr_cloth_create(memory, source, &mesh, positions, view, welded);
    }
    dr_delete(memory, positions, vertex_count);
    if (!cloth) {
        dr_mesh_free(&mesh, memory);
        dr_delete(memory, welded, view->vertex_count);
    }
    return register_cloth(world, cloth);
}

drape_cloth_id drape_cloth_add_mesh(drape_world* world, const drape_cloth_def* def,
                                    const drape_mesh_view* mesh)
{
    drape_cloth_id none = {0};
    if (!world || !check_def(world, def) || (!mesh && !dr_world_fail(world, "there is no mesh"))) {
        return none;
    }
    int32_t* welded = NULL;
    if (def->weld && mesh->vertex_count > 0) {
        welded = dr_new(&world->memory, int32_t, mesh->vertex_count);
        if (!welded) {
            dr_world_fail(world, "out of memory");
            return none;
        }
    }
    dr_cloth_source source = {.def = def};
    return add_view(world, &source, mesh, welded);
}

static drape_cloth_id add_shape(drape_world* world, dr_cloth_source* source, dr_shape_mesh* shape,
                                bool made)
{
    drape_cloth_id id = {0};
    if (made) {
        drape_mesh_view view = {.positions = shape->positions,
                                .uv = (const float*)shape->uv,
                                .triangles = (const int32_t*)shape->triangles,
                                .vertex_count = shape->vertex_count,
                                .triangle_count = shape->triangle_count};
        id = add_view(world, source, &view, NULL);
        dr_shape_free(shape, &world->memory);
    } else {
        dr_world_fail(world, "out of memory");
    }
    return id;
}

drape_cloth_id drape_cloth_add_grid(drape_world* world, const drape_cloth_def* def, float size_x,
                                    float size_z, int vertex_count_x, int vertex_count_z)
{
    drape_cloth_id none = {0};
    if (!world || !check_def(world, def)) {
        return none;
    }
    if (!(size_x > 0.0f) || !(size_z > 0.0f) || !isfinite(size_x * size_z)) {
        dr_world_fail(world, "a grid needs two finite sizes above 0");
        return none;
    }
    if (vertex_count_x < 1 || vertex_count_z < 1 || vertex_count_x > 32768 ||
        vertex_count_z > 32768 || (int64_t)vertex_count_x * vertex_count_z < 2 ||
        (int64_t)vertex_count_x * vertex_count_z > 100000000) {
        dr_world_fail(world,
                      "a grid needs 1 to 32768 vertices each way, at least 2 and at most 100000000 "
                      "in all, found %d x %d",
                      vertex_count_x, vertex_count_z);
        return none;
    }
    dr_shape_mesh shape = {0};
    bool made = dr_generate_grid(&shape, &world->memory, size_x, size_z, vertex_count_x,
                                 vertex_count_z, def->diagonals);
    dr_cloth_source source = {.def = def,
                              .size_x = size_x,
                              .size_z = size_z,
                              .columns = vertex_count_x,
                              .rows = vertex_count_z};
    return add_shape(world, &source, &shape, made);
}

drape_cloth_id drape_cloth_add_disc(drape_world* world, const drape_cloth_def* def, float radius,
                                    int rings, float ring_radius)
{
    drape_cloth_id none = {0};
    if (!world || !check_def(world, def)) {
        return none;
    }
    if (!(radius > 0.0f) || !isfinite(radius) || rings < 1 || rings > 4096 ||
        !(ring_radius < radius)) {
        dr_world_fail(world, "a disc needs a finite radius above 0, 1 to 4096 rings and a ring "
                             "radius below its own");
        return none;
    }
    dr_shape_mesh shape = {0};
    bool made = dr_generate_disc(&shape, &world->memory, radius, rings, ring_radius);
    dr_cloth_source source = {.def = def};
    return add_shape(world, &source, &shape, made);
}

bool drape_cloth_is_valid(const drape_world* world, drape_cloth_id cloth)
{
    return dr_world_cloth(world, cloth) != NULL;
}

void drape_cloth_remove(drape_world* world, drape_cloth_id id)
{
    if (!dr_world_cloth(world, id)) {
        return;
    }
    dr_world_disturb(world, dr_world_cloth(world, id));
    dr_world_drop_pins(world, id);
    dr_world_drop_seams(world, id);
    dr_world_drop_links(world, dr_world_cloth(world, id), NULL);
    dr_world_free_trials(world);
    dr_world_free_predict(world);
    dr_cloth_destroy(dr_slots_remove(&world->cloths, id.slot, id.generation), &world->memory);
    world->is_work_stale = true;
}

// --- Reading ---

static void set_count(int* count, int value)
{
    if (count) {
        *count = value;
    }
}

int drape_cloth_vertex_count(const drape_world* world, drape_cloth_id id)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    return cloth ? cloth->given_count : 0;
}

const drape_vec3* drape_cloth_positions(const drape_world* world, drape_cloth_id id, int* count)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    set_count(count, cloth ? cloth->given_count : 0);
    return cloth ? cloth->positions : NULL;
}

const drape_vec3* drape_cloth_velocities(const drape_world* world, drape_cloth_id id, int* count)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    set_count(count, cloth ? cloth->given_count : 0);
    return cloth ? cloth->velocities : NULL;
}

const drape_vec3* drape_cloth_normals(drape_world* world, drape_cloth_id id, int* count)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    set_count(count, cloth ? cloth->given_count : 0);
    if (!cloth) {
        return NULL;
    }
    dr_cloth_compute_normals(cloth);
    return cloth->normals;
}

const int32_t* drape_cloth_triangles(const drape_world* world, drape_cloth_id id, int* count)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    set_count(count, cloth ? cloth->mesh.triangle_count : 0);
    return cloth ? (const int32_t*)cloth->triangles : NULL;
}

const float* drape_cloth_uv(const drape_world* world, drape_cloth_id id, int* count)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    set_count(count, cloth ? cloth->given_count : 0);
    return cloth ? cloth->uv : NULL;
}

drape_mesh_report drape_cloth_mesh_report(const drape_world* world, drape_cloth_id id)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    return cloth ? cloth->mesh.report : (drape_mesh_report){0};
}

int drape_cloth_constraint_count(const drape_world* world, drape_cloth_id id)
{
    const dr_cloth* cloth = dr_world_cloth(world, id);
    return cloth && !cloth->model ? cloth->xpbd.constraint_count : 0;
}

bool drape_cloth_set_state(drape_world* world, drape_cloth_id id, const drape_vec3* positions,
                           const drape_vec3* velocities, int count)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (!cloth) {
        return world && dr_world_fail(world, "no such cloth");
    }
    if (!positions || count != cloth->given_count) {
        return dr_world_fail(world, "the cloth has %d vertices, found %d positions",
                             cloth->given_count, positions ? count : 0);
    }
    for (int i = 0; i < count; ++i) {
        drape_vec3 p = positions[i], v = velocities ? velocities[i] : (drape_vec3){0, 0, 0};
        if (!dr_is_finite(p) || !dr_is_finite(v)) {
            return dr_world_fail(world, "vertex %d has a coordinate that is no number", i);
        }
    }
    dr_sheet* sheet = cloth->sheet;
    for (int i = count - 1; i >= 0; --i) {
        int slot = dr_cloth_slot(cloth, i);
        drape_vec3 v = velocities ? velocities[i] : (drape_vec3){0, 0, 0};
        dr_sheet_set(sheet->layout, sheet->pos, slot, positions[i]);
        dr_sheet_set(sheet->layout, sheet->start, slot, positions[i]);
        dr_sheet_set(sheet->layout, sheet->vel, slot, v);
    }
    dr_xpbd_tidy(&cloth->xpbd);
    dr_cloth_refresh(cloth);
    dr_cloth_publish(cloth);
    dr_world_forget_trials(world);
    dr_world_disturb(world, cloth);
    dr_world_forget_predict(world);
    return true;
}
