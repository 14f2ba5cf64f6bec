#include "torture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/inside.h"
#include "core/vec_math.h"
#include "io/file.h"
#include "recorder.h"
#include "scene/world.h"
#include "scene_path.h"
#include "verify.h"

// What no case may leave: metres from the origin, J/kg and strain at the end.
static const float reach = 10.0f;
static const double energy_limit = 5.0;
static const float stretch_limit = 0.5f;
// s in which cloth that was pinched has to come free
static const double recovery_time = 0.5;

enum { MAX_OVERRIDES = 16, SETS_SIZE = 256 };

// --- Opening ---

typedef struct override_list {
    drape_override items[MAX_OVERRIDES];
    int count;
    char paths[MAX_OVERRIDES][40];
    char size[32];
    char sets[SETS_SIZE];
} override_list;

// The size of each sheet, then path=value by path=value.
static void list_overrides(override_list* list, const cli_torture_case* torture)
{
    list->count = 0;
    snprintf(list->size, sizeof list->size, "[%d,%d]", torture->size[0], torture->size[1]);
    int sheet_count = torture->size[0] == 0 ? 0 : torture->sheets == 0 ? 1 : torture->sheets;
    DR_ASSERT(sheet_count < MAX_OVERRIDES);
    for (int i = 0; i < sheet_count; ++i) {
        char* path = list->paths[list->count];
        snprintf(path, sizeof list->paths[0], "cloths.%d.grid.resolution", i);
        list->items[list->count++] = (drape_override){path, list->size};
    }
    snprintf(list->sets, sizeof list->sets, "%s", torture->sets != NULL ? torture->sets : "");
    char* rest = NULL;
    for (char* word = strtok_r(list->sets, " ", &rest); word != NULL && list->count < MAX_OVERRIDES;
         word = strtok_r(NULL, " ", &rest)) {
        char* sign = strchr(word, '=');
        DR_ASSERT(sign != NULL);
        *sign = '\0';
        list->items[list->count++] = (drape_override){word, sign + 1};
    }
}

static drape_scene* open_scene(const cli_torture_case* torture, const cli_torture_order* order,
                               drape_error* error)
{
    char path[CLI_PATH_SIZE];
    override_list list;
    drape_scene_options options = drape_scene_options_defaults();
    list_overrides(&list, torture);
    options.method = order->method;
    options.overrides = list.items;
    options.override_count = list.count;
    options.worker_count = order->thread_count;
    options.isa = order->isa;
    options.log = cli_log;
    return cli_scene_find(torture->scene, path, error) ? drape_scene_open(path, &options, error)
                                                       : NULL;
}

// --- Measuring ---

// A case under way.
typedef struct torture_run {
    drape_scene* scene;
    cli_verify verify;
    cli_recorder* recorder;   // null: no film is kept
    char film[CLI_PATH_SIZE]; // its folder
    double mass;              // kg
    cli_torture_result* result;
} torture_run;

static const dr_cloth* find_cloth(const torture_run* run, int index)
{
    return dr_world_cloth(drape_scene_world(run->scene), drape_scene_cloth(run->scene, index));
}

static bool open_film(torture_run* run, const cli_torture_case* torture,
                      const cli_torture_order* order, drape_error* error)
{
    if (order->films == NULL) {
        return true;
    }
    int length = snprintf(run->film, sizeof run->film, "%s/%s", order->films, torture->name);
    if (length >= (int)sizeof run->film) {
        dr_error_set(error, DRAPE_ERROR_INPUT, "--films: the name is too long");
        return false;
    }
    run->recorder = cli_recorder_open(run->scene, run->film, CLI_FORMAT_PC2, error);
    return run->recorder != NULL;
}

static bool close_film(torture_run* run, drape_error* error)
{
    bool is_closed = run->recorder == NULL || cli_recorder_close(run->recorder, error);
    run->recorder = NULL;
    return is_closed;
}

static bool open_run(torture_run* run, const cli_torture_order* order, drape_error* error)
{
    const drape_world* world = drape_scene_world(run->scene);
    cli_torture_result* result = run->result;
    drape_world_def def = drape_world_get_def(world);
    result->thickness = def.thickness;
    result->substeps = def.substeps;
    result->isa = drape_world_isa(world);
    result->first_crossed = -1;
    for (int i = 0; i < drape_scene_cloth_count(run->scene); ++i) {
        drape_cloth_id id = drape_scene_cloth(run->scene, i);
        const dr_cloth* cloth = find_cloth(run, i);
        result->vertex_count += drape_cloth_vertex_count(world, id);
        run->mass += (double)cloth->fabric.density * (double)cloth->mesh.report.area;
    }
    return cli_isa_check(world, order->isa, error) &&
           cli_verify_open(&run->verify, run->scene, order->thread_count, error);
}

static void close_run(torture_run* run)
{
    if (run->recorder != NULL) {
        cli_recorder_discard(run->recorder);
    }
    cli_verify_close(&run->verify);
    drape_scene_close(run->scene);
}

static float find_furthest(torture_run* run)
{
    float furthest = 0.0f;
    for (int i = 0; i < run->verify.cloth_count; ++i) {
        const dr_check_mesh* mesh = &run->verify.meshes[i];
        for (int v = 0; v < mesh->vertex_count; ++v) {
            furthest = fmaxf(furthest, dr_length(mesh->positions[v]));
        }
    }
    return furthest;
}

// Looks at the frame at hand. The guard has told how many pairs it knows to cross, and how many it
// let go in this frame; more than these must not be.
static bool look(torture_run* run, const drape_step_report* report, drape_error* error)
{
    cli_torture_result* result = run->result;
    if (!cli_verify_add(&run->verify, error) ||
        (run->recorder != NULL && !cli_recorder_add(run->recorder, error))) {
        return false;
    }
    int64_t crossings = run->verify.crossings;
    int64_t told = report->crossed_count + report->pinched_count;
    if (crossings > 0 && result->first_crossed < 0) {
        result->first_crossed = run->verify.frame_count - 1;
    }
    result->crossed_frames += crossings > 0;
    result->obstacle_crossings += run->verify.obstacle_crossings;
    result->self_crossings += crossings - run->verify.obstacle_crossings;
    result->loose_crossings += crossings > told ? crossings - told : 0;
    result->left_crossings = crossings;
    result->furthest = fmaxf(result->furthest, find_furthest(run));
    result->p99_stretch = drape_world_stretch(drape_scene_world(run->scene), 0.99f);
    result->p99_worst = fmaxf(result->p99_worst, result->p99_stretch);
    return true;
}

static void add_report(torture_run* run, const drape_step_report* report)
{
    cli_torture_result* result = run->result;
    double moves = (double)result->vertex_count * report->substeps;
    ++result->frame_count;
    result->pinched += report->pinched_count;
    result->free_time += 1.0 / (double)drape_scene_fps(run->scene);
    result->free_time = report->pinched_count > 0 ? 0.0 : result->free_time;
    result->cut_share = fmax(result->cut_share, report->cut_count / moves);
    result->guard_energy += report->guard_energy;
    result->non_finite += report->non_finite_count;
    result->speed_energy = report->kinetic_energy / run->mass;
    result->ms += report->ms.total;
    result->ms_worst = fmax(result->ms_worst, report->ms.total);
}

// Vertices inside of solids: what slipped in between two frames crosses nothing.
static int64_t count_inside(const cli_verify* verify)
{
    int64_t count = 0;
    for (int i = 0; i < verify->cloth_count; ++i) {
        const dr_check_mesh* mesh = &verify->meshes[i];
        for (int k = 0; k < verify->obstacle_count; ++k) {
            count += dr_inside_count(mesh->positions, mesh->vertex_count,
                                     &verify->meshes[verify->cloth_count + k]);
        }
    }
    return count;
}

bool cli_torture_run(cli_torture_result* result, const cli_torture_case* torture,
                     const cli_torture_order* order, drape_error* error)
{
    *result = (cli_torture_result){0};
    torture_run run = {.scene = open_scene(torture, order, error), .result = result};
    if (run.scene == NULL) {
        return false;
    }
    int frame_count = torture->frames > 0 ? torture->frames : drape_scene_frame_count(run.scene);
    drape_step_report report = {0};
    bool going = open_run(&run, order, error) && open_film(&run, torture, order, error) &&
                 look(&run, &report, error);
    while (going && result->frame_count < frame_count && result->non_finite == 0) {
        report = drape_scene_step(run.scene);
        add_report(&run, &report);
        going = look(&run, &report, error);
    }
    result->inside = going ? count_inside(&run.verify) : 0;
    going = going && close_film(&run, error);
    close_run(&run);
    return going;
}

const char* cli_torture_verdict(const cli_torture_result* result)
{
    bool had_time = result->pinched == 0 || result->free_time > recovery_time;
    return result->non_finite > 0                   ? "left the numbers"
           : result->loose_crossings > 0            ? "crosses"
           : result->inside > 0 && had_time         ? "is inside of a solid"
           : result->left_crossings > 0 && had_time ? "does not come free"
           : !(result->furthest < reach)            ? "flew away"
           : !(result->speed_energy < energy_limit) ? "does not come to rest"
           : !(result->p99_stretch < stretch_limit) ? "is torn"
                                                    : NULL;
}
