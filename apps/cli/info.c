// `drape info`: what is in a scene, a mesh or a point cache, and what a scene will cost.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "args.h"
#include "io/file.h"
#include "io/scene_file.h"
#include "scene_path.h"

static const char help[] =
    "usage: drape info SCENE|FILE [--method NAME] [--set path=value]...\n"
    "\n"
    "Tells what is in a scene (a file, or a name from `drape scenes`), a mesh (.obj, .ply) or a\n"
    "point cache (.pc2, .mdd): sizes, counts, what is unusual about a mesh. A scene is stepped\n"
    "for three frames, or one second, to estimate what all of it will cost.\n"
    "\n"
    "  --method NAME     take this method in place of the scene's\n"
    "  --set path=value  override one value of the scene; may be given again\n"
    "\n"
    "examples:\n"
    "  drape info table\n"
    "  drape info table --set cloths.0.grid.resolution=[401,401]\n"
    "  drape info out/cloth.pc2\n";

// A scene is stepped this long for the estimate.
#define TRIAL_FRAMES 3
#define TRIAL_MS 1000.0

// --- Bounds ---

typedef struct bounds {
    drape_vec3 low, high;
} bounds;

static bounds find_bounds(const drape_vec3* points, size_t count)
{
    bounds b = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (size_t i = 0; i < count; ++i) {
        drape_vec3 p = points[i];
        b.low = (drape_vec3){fminf(b.low.x, p.x), fminf(b.low.y, p.y), fminf(b.low.z, p.z)};
        b.high = (drape_vec3){fmaxf(b.high.x, p.x), fmaxf(b.high.y, p.y), fmaxf(b.high.z, p.z)};
    }
    return b;
}

static void print_bounds(const drape_vec3* points, size_t count)
{
    bounds b = find_bounds(points, count);
    printf("  size        %.4g x %.4g x %.4g m\n", (double)(b.high.x - b.low.x),
           (double)(b.high.y - b.low.y), (double)(b.high.z - b.low.z));
    printf("  from        (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)\n", (double)b.low.x,
           (double)b.low.y, (double)b.low.z, (double)b.high.x, (double)b.high.y, (double)b.high.z);
}

// --- Meshes ---

// Everything that is there at all, or "nothing".
static void print_unusual(const drape_mesh_report* report)
{
    const struct {
        int count;
        const char* what;
    } all[] = {
        {report->degenerate_count, "degenerate triangles (no area)"},
        {report->duplicate_count, "duplicate triangles (over the same vertices as another)"},
        {report->non_manifold_edge_count, "non-manifold edges (three or more triangles)"},
        {report->inconsistent_edge_count, "inconsistent edges (triangles face opposite ways)"},
        {report->coincident_vertex_count, "coincident vertices (at the place of another)"},
        {report->isolated_vertex_count, "isolated vertices (in no triangle)"},
    };
    bool is_usual = true;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (all[i].count > 0) {
            printf("  unusual     %d %s\n", all[i].count, all[i].what);
            is_usual = false;
        }
    }
    if (is_usual) {
        puts("  unusual     nothing");
    }
}

static void print_report(const drape_mesh_report* report)
{
    printf("  mesh        %d vertices, %d triangles, %d edges, %d hinges\n", report->vertex_count,
           report->triangle_count, report->edge_count, report->hinge_count);
    printf("  parts       %d, with %d border edges\n", report->part_count,
           report->border_edge_count);
    printf("  area        %.4g m^2\n", (double)report->area);
    printf("  edges       %.4g to %.4g m, %.4g on average\n", (double)report->edge_min,
           (double)report->edge_max, (double)report->edge_mean);
    if (report->welded_vertex_count > 0) {
        printf("  welded      %d vertices\n", report->welded_vertex_count);
    }
    print_unusual(report);
}

// The report comes from a cloth made of the mesh.
static bool report_mesh(const drape_mesh_data* mesh, drape_mesh_report* report, drape_error* error,
                        const char* path)
{
    drape_world_def world_def = drape_world_defaults();
    drape_world* world = drape_world_create(&world_def);
    drape_cloth_def def = drape_cloth_defaults();
    drape_mesh_view view = {.positions = mesh->positions,
                            .uv = mesh->uv,
                            .triangles = mesh->triangles,
                            .vertex_count = mesh->vertex_count,
                            .triangle_count = mesh->triangle_count};
    drape_cloth_id cloth = drape_cloth_add_mesh(world, &def, &view);
    bool is_made = drape_cloth_is_valid(world, cloth);
    if (is_made) {
        *report = drape_cloth_mesh_report(world, cloth);
    } else if (world == NULL) {
        dr_error_set_memory(error, path);
    } else {
        dr_error_set(error, DRAPE_ERROR_INPUT, "%s: %s", path, drape_world_error(world));
    }
    drape_world_destroy(world);
    return is_made;
}

static bool print_mesh(const char* path, drape_error* error)
{
    drape_mesh_data mesh;
    drape_mesh_report report;
    if (!drape_mesh_read(path, &mesh, error)) {
        return false;
    }
    bool is_sound = report_mesh(&mesh, &report, error, path);
    if (is_sound) {
        printf("%s: a mesh\n", path);
        print_report(&report);
        print_bounds(mesh.positions, (size_t)mesh.vertex_count);
        printf("  uv          %s\n", mesh.uv != NULL ? "yes" : "no");
        for (int i = 0; i < mesh.group_count; ++i) {
            printf("  group       %s, %d vertices\n", mesh.groups[i].name,
                   mesh.groups[i].vertex_count);
        }
    }
    drape_mesh_data_free(&mesh);
    return is_sound;
}

// --- Caches ---

static bool print_cache(const char* path, drape_error* error)
{
    drape_cache_data cache;
    if (!drape_cache_read(path, &cache, error)) {
        return false;
    }
    printf("%s: a point cache\n", path);
    printf("  vertices    %d\n", cache.vertex_count);
    printf("  frames      %d at %g a second: %.4g s\n", cache.frame_count, (double)cache.fps,
           (double)((float)(cache.frame_count - 1) / cache.fps));
    print_bounds(cache.positions, (size_t)cache.vertex_count * (size_t)cache.frame_count);
    drape_cache_data_free(&cache);
    return true;
}

// --- Scenes ---

static const char* find_word(const dr_word* words, int value)
{
    while (words->word != NULL && words->value != value) {
        ++words;
    }
    return words->word != NULL ? words->word : "?";
}

static void print_choices(const dr_scene_desc* desc)
{
    const drape_method* method = &desc->def.method;
    printf("  method      %s: model %s", desc->method, find_word(dr_words_model, method->model));
    if (method->model == DRAPE_MODEL_SPRINGS) {
        printf(" (%s)", find_word(dr_words_integrator, method->integrator));
    }
    printf(", obstacles %s, self %s, hierarchy %s\n",
           find_word(dr_words_obstacles, method->obstacles), find_word(dr_words_self, method->self),
           find_word(dr_words_hierarchy, method->hierarchy));
}

static void print_springs(const drape_world_def* def)
{
    const drape_springs_def* springs = &def->springs;
    printf("  springs     %s, ", find_word(dr_words_integrator, def->method.integrator));
    if (springs->max_elongation > 0.0f && springs->sweeps > 0) {
        printf("elongation to %g %% in %d sweeps %s", 100.0 * (double)springs->max_elongation,
               springs->sweeps, find_word(dr_words_spring_order, springs->order));
    } else {
        printf("elongation without limit");
    }
    puts(springs->eight_bends ? ", eight bends" : "");
}

static void print_solver(const drape_world_def* def)
{
    switch (def->method.model) {
    case DRAPE_MODEL_ELASTIC:
        printf("  solver      bending %s, form %s, damping %g 1/s\n",
               find_word(dr_words_bend, def->elastic.bend),
               find_word(dr_words_form, def->elastic.form), (double)def->damping);
        break;
    case DRAPE_MODEL_SPRINGS:
        printf("  solver      %d substeps a frame, damping %g 1/s\n", def->substeps,
               (double)def->damping);
        print_springs(def);
        break;
    default:
        printf("  solver      %d substeps a frame, %d iterations, damping %g 1/s\n", def->substeps,
               def->iterations, (double)def->damping);
    }
}

// Sensor particles, where a method has them.
static void print_particles(const drape_world_def* def)
{
    const drape_particles_def* particles = &def->particles;
    bool is_gated =
        def->method.self == DRAPE_SELF_GEOMETRIC || def->method.self == DRAPE_SELF_BOXES;
    if (def->method.self != DRAPE_SELF_PARTICLES && !(is_gated && particles->in_front)) {
        return;
    }
    if (!particles->gate) {
        puts("  particles   none, the search always runs");
        return;
    }
    fputs("  particles   ", stdout);
    if (particles->count > 0) {
        printf("%d on a cloth", particles->count);
    } else {
        fputs("by convex parts", stdout);
    }
    if (particles->tolerance > 0.0f) {
        printf(", the gate opens at %g m\n", (double)particles->tolerance);
    } else {
        puts(", the gate opens at a cell");
    }
}

static void print_head(const dr_scene_desc* desc, const char* path)
{
    const drape_world_def* def = &desc->def;
    printf("%s: a scene\n", path);
    if (desc->description != NULL && desc->description[0] != '\0') {
        printf("  %s\n", desc->description);
    }
    printf("  frames      %d at %g a second: %.4g s\n", desc->frame_count, (double)desc->fps,
           (double)((float)desc->frame_count / desc->fps));
    print_choices(desc);
    print_solver(def);
    print_particles(def);
    if (def->thickness > 0.0f) {
        printf("  thickness   %g m between cloth and what it touches\n", (double)def->thickness);
    } else {
        puts("  thickness   the fabric's, at least 0.001 m");
    }
    printf("  gravity     (%g, %g, %g) m/s^2\n", (double)def->gravity.x, (double)def->gravity.y,
           (double)def->gravity.z);
    if (def->wind.drag > 0.0f) {
        printf("  wind        (%g, %g, %g) m/s, gust %g, drag %g, lift %g\n",
               (double)def->wind.velocity.x, (double)def->wind.velocity.y,
               (double)def->wind.velocity.z, (double)def->wind.gust, (double)def->wind.drag,
               (double)def->wind.lift);
    }
}

static void print_fabric(const drape_fabric* fabric)
{
    printf("  fabric      %g kg/m^2, %g m thick, friction %g and %g\n", (double)fabric->density,
           (double)fabric->thickness, (double)fabric->friction_static,
           (double)fabric->friction_dynamic);
    printf("  stretch     warp %g, weft %g, shear %g N/m, locks at %g %%\n",
           (double)fabric->stretch_warp, (double)fabric->stretch_weft, (double)fabric->shear,
           100.0 * (double)fabric->strain_limit);
    printf("  bend        warp %g, weft %g N m\n", (double)fabric->bend_warp,
           (double)fabric->bend_weft);
}

static void print_shape(const dr_cloth_desc* cloth)
{
    switch (cloth->shape) {
    case DR_CLOTH_GRID:
        printf("cloth %s: a grid of %d x %d, %g x %g m\n", cloth->name, cloth->resolution[0],
               cloth->resolution[1], (double)cloth->size[0], (double)cloth->size[1]);
        break;
    case DR_CLOTH_DISC:
        printf("cloth %s: a disc of %d rings, radius %g m\n", cloth->name, cloth->rings,
               (double)cloth->radius);
        break;
    case DR_CLOTH_MESH: printf("cloth %s: mesh %s\n", cloth->name, cloth->mesh->string); break;
    }
}

// `scene` is null when the scene cannot be built; the cloth is then told from its description.
static void print_cloth(const dr_cloth_desc* cloth, const drape_scene* scene, drape_world* world,
                        int index)
{
    print_shape(cloth);
    print_fabric(&cloth->def.fabric);
    if (cloth->pin_count + cloth->seam_count > 0) {
        printf("  held by     %d sets of pins, %d seams\n", cloth->pin_count, cloth->seam_count);
    }
    if (scene == NULL) {
        return;
    }
    drape_cloth_id id = drape_scene_cloth(scene, index);
    drape_mesh_report report = drape_cloth_mesh_report(world, id);
    int count = 0;
    const drape_vec3* positions = drape_cloth_positions(world, id, &count);
    print_report(&report);
    print_bounds(positions, (size_t)count);
    printf("  mass        %.4g kg\n", (double)(cloth->def.fabric.density * report.area));
    if (drape_cloth_constraint_count(world, id) > 0) {
        printf("  constraints %d\n", drape_cloth_constraint_count(world, id));
    }
}

static void print_collider(const dr_collider_desc* collider)
{
    const drape_shape* shape = &collider->shape;
    printf("collider %s: ", collider->name);
    if (collider->source != DR_COLLIDER_SHAPE) {
        fputs(collider->source == DR_COLLIDER_MESH   ? "a mesh"
              : collider->source == DR_COLLIDER_HULL ? "a convex hull"
                                                     : "a sequence of meshes",
              stdout);
    } else if (shape->kind == DRAPE_SHAPE_PLANE) {
        fputs("a plane", stdout);
    } else if (shape->kind == DRAPE_SHAPE_SPHERE) {
        printf("a sphere of radius %g m", (double)shape->radius);
    } else if (shape->kind == DRAPE_SHAPE_CAPSULE) {
        printf("a capsule, radii %g and %g m, %g m between them", (double)shape->radius,
               (double)shape->radius_top, (double)shape->height);
    } else {
        printf("a box of %g x %g x %g m", (double)shape->size.x, (double)shape->size.y,
               (double)shape->size.z);
    }
    if (collider->motion.key_count > 0) {
        printf(", moved by %d keys", collider->motion.key_count);
    }
    putchar('\n');
}

// Steps a little. Frames in contact cost more than those of the fall, hence "about".
static void print_cost(drape_scene* scene)
{
    int frame_count = drape_scene_frame_count(scene);
    double ms = 0.0;
    int count = 0, substeps = 0;
    while (count < TRIAL_FRAMES && ms < TRIAL_MS) {
        drape_step_report report = drape_scene_step(scene);
        ms += report.ms.total;
        substeps = report.substeps;
        ++count;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("cost: about %.3g ms a frame, %.3g s in all on one thread, estimated from the first %d "
           "frames\n",
           ms / count, 1e-3 * ms / count * frame_count, count);
    printf("substeps: %d a frame at the start\n", substeps);
    printf("memory: about %.3g MB\n", (double)usage.ru_maxrss / 1024.0);
}

static void print_parts(const dr_scene_desc* desc, drape_scene* scene)
{
    drape_world* world = scene != NULL ? drape_scene_world(scene) : NULL;
    for (int i = 0; i < desc->cloth_count; ++i) {
        print_cloth(&desc->cloths[i], scene, world, i);
    }
    for (int i = 0; i < desc->collider_count; ++i) {
        print_collider(&desc->colliders[i]);
    }
}

// A scene that cannot run yet is described all the same, with the reason.
static bool print_scene(const char* path, const drape_scene_options* options,
                        const dr_scene_desc* desc, drape_error* error)
{
    char incomplete[256];
    if (!drape_scene_probe(path, options, NULL, 0, incomplete, sizeof incomplete, error)) {
        return false;
    }
    drape_scene* scene = NULL;
    if (incomplete[0] == '\0') {
        scene = drape_scene_open(path, options, error);
        if (scene == NULL) {
            return false;
        }
    }
    print_head(desc, path);
    print_parts(desc, scene);
    if (scene != NULL) {
        print_cost(scene);
        drape_scene_close(scene);
    } else {
        printf("incomplete: %s\n", incomplete);
    }
    return true;
}

static bool read_scene(const char* name, const drape_scene_options* options, drape_error* error)
{
    char path[CLI_PATH_SIZE];
    dr_file file;
    if (!cli_scene_find(name, path, error) || !dr_file_read(path, &file, error)) {
        return false;
    }
    dr_scene_desc desc;
    bool is_read = dr_scene_read(&desc, file.data, file.size, path, options, error) &&
                   print_scene(path, options, &desc, error);
    dr_scene_desc_free(&desc);
    dr_file_free(&file);
    return is_read;
}

// --- The command ---

static bool print_any(const char* name, const drape_scene_options* options, drape_error* error)
{
    if (dr_path_has_ending(name, ".obj") || dr_path_has_ending(name, ".ply")) {
        return print_mesh(name, error);
    }
    if (dr_path_has_ending(name, ".pc2") || dr_path_has_ending(name, ".mdd")) {
        return print_cache(name, error);
    }
    return read_scene(name, options, error);
}

static int info(const cli_command* command, int argc, char** argv)
{
    const char* name = NULL;
    cli_overrides overrides = {0};
    drape_scene_options scene_options = drape_scene_options_defaults();
    const cli_option options[] = {
        {"--method", CLI_TEXT, .value = &scene_options.method},
        {"--set", CLI_OVERRIDE, .value = &overrides},
        {0},
    };
    const cli_operand operands[] = {{"SCENE or FILE", &name, .is_needed = true}, {0}};
    int code = cli_args_read(command, argc, argv, options, operands);
    if (code == CLI_GO_ON) {
        scene_options.overrides = overrides.items;
        scene_options.override_count = overrides.count;
        scene_options.log = cli_log;
        drape_error error = {0};
        code = print_any(name, &scene_options, &error) ? CLI_DONE : cli_fail(command, &error);
    }
    free(overrides.items);
    return code;
}

const cli_command cli_command_info = {"info", "what is in a file, what a scene will cost", help,
                                      info};
