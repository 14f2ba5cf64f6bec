#include "scene/trials.h"

#include <math.h>
#include <string.h>

#include "contact/floor.h"
#include "contact/self_boxes.h"
#include "contact/self_edges.h"
#include "core/vec_math.h"
#include "scene/elastic_step.h"

struct dr_trials {
    dr_sheets sheets;
    dr_limits limits;
    dr_cloth** cloths;        // of each part of the sheets
    int32_t* part_of_vertex;
    float** predicted;        // of each position based cloth: `pos` of its sheet before the first trial
    dr_slide slide;
    dr_array obstacles;       // dr_slide_obstacle
    bool has_slide;
    dr_self_boxes boxes;      // one of the two, which `self` points to
    dr_self_edges edges;
    void* self;
    dr_self_detect_fn* detect_self; // null: cloth passes through cloth
};

bool dr_world_has_trials(const drape_world* world)
{
    const drape_method* method = &world->def.method;
    return method->model == DRAPE_MODEL_ELASTIC || method->obstacles == DRAPE_OBSTACLES_SLIDE ||
           method->self == DRAPE_SELF_GEOMETRIC || method->self == DRAPE_SELF_BOXES;
}

// --- Making ---

static int count_cloths(const drape_world* world)
{
    int count = 0;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        count += dr_slots_at(&world->cloths, i) != NULL;
    }
    return count;
}

static size_t sheet_floats(const dr_cloth* cloth)
{
    return (size_t)cloth->xpbd.sheet.vector_count * 32;
}

// The cloths as parts of one mesh.
static bool create_sheets(drape_world* world, dr_trials* trials)
{
    dr_memory* memory = &world->memory;
    int count = count_cloths(world), part = 0;
    trials->cloths = dr_new_zeroed(memory, dr_cloth*, count + 1);
    trials->predicted = dr_new_zeroed(memory, float*, count + 1);
    dr_sheets_part* parts = dr_new_zeroed(memory, dr_sheets_part, count + 1);
    bool made = trials->cloths && trials->predicted && parts;
    for (int i = 0; made && i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (!cloth) {
            continue;
        }
        trials->cloths[part] = cloth;
        parts[part++] = (dr_sheets_part){
            .mesh = &cloth->mesh, .columns = cloth->columns, .rows = cloth->rows};
    }
    made = made && dr_sheets_create(&trials->sheets, memory, parts, count);
    dr_delete(memory, parts, count + 1);
    for (int p = 0; made && p < count; ++p) {
        if (!trials->cloths[p]->elastic) {
            trials->predicted[p] = dr_new(memory, float, sheet_floats(trials->cloths[p]));
            made = trials->predicted[p] != NULL;
        }
    }
    return made;
}

static bool number_vertices(dr_trials* trials, dr_memory* memory)
{
    const dr_sheets* sheets = &trials->sheets;
    trials->part_of_vertex = dr_new(memory, int32_t, sheets->vertex_count + 1);
    for (int p = 0; trials->part_of_vertex && p < sheets->part_count; ++p) {
        for (int v = sheets->parts[p].first_vertex; v < sheets->parts[p + 1].first_vertex; ++v) {
            trials->part_of_vertex[v] = p;
        }
    }
    return trials->part_of_vertex != NULL;
}

static float largest_thickness(const dr_trials* trials)
{
    float most = 0.0f;
    for (int p = 0; p < trials->sheets.part_count; ++p) {
        most = fmaxf(most, trials->cloths[p]->thickness);
    }
    return most;
}

static bool create_detectors(drape_world* world, dr_trials* trials)
{
    dr_memory* memory = &world->memory;
    const drape_method* method = &world->def.method;
    bool made = true;
    if (method->obstacles == DRAPE_OBSTACLES_SLIDE) {
        dr_slide_def def = dr_slide_defaults();
        def.thickness = largest_thickness(trials);
        def.mode = method->as_printed ? DR_SLIDE_DEPENDENT : DR_SLIDE_ORTHOGONAL;
        trials->has_slide = true;
        made = dr_slide_create(&trials->slide, memory, &def, &trials->sheets);
    }
    if (made && method->self == DRAPE_SELF_BOXES) {
        dr_self_boxes_options options = dr_self_boxes_defaults();
        options.is_paper = method->as_printed;
        options.use_tree = method->hierarchy != DRAPE_HIERARCHY_NONE;
        options.isa = world->isa;
        trials->detect_self = dr_self_boxes_detect_any;
        trials->self = &trials->boxes;
        made = dr_self_boxes_create(&trials->boxes, memory, &trials->sheets, &options);
    }
    if (made && method->self == DRAPE_SELF_GEOMETRIC) {
        dr_self_edges_options options = {
            .use_tree = method->hierarchy != DRAPE_HIERARCHY_NONE,
            .is_full = world->def.continuous,
            .isa = world->isa,
        };
        trials->detect_self = dr_self_edges_detect_any;
        trials->self = &trials->edges;
        made = dr_self_edges_create(&trials->edges, memory, &trials->sheets, &options);
    }
    return made;
}

static bool refresh_trials(drape_world* world)
{
    if (world->trials) {
        return true;
    }
    dr_trials* trials = world->trials = dr_new_zeroed(&world->memory, dr_trials, 1);
    if (!trials) {
        return false;
    }
    bool made = create_sheets(world, trials) && number_vertices(trials, &world->memory) &&
                dr_limits_create(&trials->limits, &world->memory, trials->sheets.vertex_count) &&
                create_detectors(world, trials);
    if (!made) {
        dr_world_free_trials(world);
    }
    return made;
}

void dr_world_free_trials(drape_world* world)
{
    dr_trials* trials = world->trials;
    dr_memory* memory = &world->memory;
    if (!trials) {
        return;
    }
    if (trials->has_slide) {
        dr_slide_free(&trials->slide, memory);
    }
    dr_self_boxes_free(&trials->boxes, memory);
    dr_self_edges_free(&trials->edges, memory);
    int count = trials->sheets.part_count;
    for (int p = 0; p < count; ++p) {
        if (trials->predicted[p]) {
            dr_delete(memory, trials->predicted[p], sheet_floats(trials->cloths[p]));
        }
    }
    dr_delete(memory, trials->part_of_vertex, trials->sheets.vertex_count + 1);
    dr_limits_free(&trials->limits, memory);
    dr_sheets_free(&trials->sheets, memory);
    dr_delete(memory, trials->cloths, count + 1);
    dr_delete(memory, trials->predicted, count + 1);
    dr_array_free(memory, &trials->obstacles, sizeof(dr_slide_obstacle));
    dr_delete(memory, trials, 1);
    world->trials = NULL;
}

void dr_world_forget_trials(drape_world* world)
{
    if (world->trials && world->trials->has_slide) {
        dr_slide_forget(&world->trials->slide);
    }
}

// --- Beginning ---

// Where the substep begins, and the pins as limits.
static void begin_part(dr_trials* trials, int part)
{
    dr_cloth* cloth = trials->cloths[part];
    const dr_sheet* sheet = &cloth->xpbd.sheet;
    int first = trials->sheets.parts[part].first_vertex;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        trials->sheets.start[first + v] = dr_sheet_get(sheet->layout, sheet->start, slot);
        if (dr_sheet_inverse_mass(sheet, slot) == 0.0f) {
            drape_vec3 p = dr_sheet_get(sheet->layout, sheet->pos, slot);
            dr_limits_hold(&trials->limits, first + v, DR_HOLD_PINNED,
                           (const double[3]){p.x, p.y, p.z});
        }
    }
    if (trials->predicted[part]) {
        memcpy(trials->predicted[part], sheet->pos, sizeof(float) * sheet_floats(cloth));
    }
}

// Bodies and their poses in this substep.
static bool begin_slide(drape_world* world, dr_trials* trials)
{
    // What starts inside comes out slowly: its way out is its velocity afterwards.
    const float exit_speed = 0.5f;
    const dr_substep* substep = &world->substep;
    trials->slide.def.exit_step = exit_speed * substep->h;
    trials->obstacles.count = 0;
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        const dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (!collider || !collider->body) {
            continue;
        }
        dr_slide_obstacle* obstacle =
            dr_array_push(&world->memory, &trials->obstacles, sizeof *obstacle);
        if (!obstacle) {
            return false;
        }
        *obstacle = (dr_slide_obstacle){.body = collider->body,
                                        .start = dr_collider_frame(collider, collider->start_pose),
                                        .end = dr_collider_frame(collider, collider->pose),
                                        .share_gone = substep->share_end - substep->h_share,
                                        .share_left = 1.0f - substep->share_end,
                                        .friction_static = collider->friction_static,
                                        .friction_dynamic = collider->friction_dynamic};
    }
    return dr_slide_begin(&trials->slide, &world->memory, world->pool, &trials->sheets,
                          trials->obstacles.data, trials->obstacles.count);
}

static bool begin_trials(drape_world* world, dr_trials* trials)
{
    dr_limits_clear(&trials->limits);
    for (int p = 0; p < trials->sheets.part_count; ++p) {
        begin_part(trials, p);
    }
    return !trials->has_slide || begin_slide(world, trials);
}

// --- Solving ---

// Position based cloths are brought within their limits after every sweep.
static void apply_limits(drape_world* world, void* context)
{
    (void)world;
    dr_trials* trials = context;
    const int32_t* limited = trials->limits.limited.data;
    for (int i = 0; i < trials->limits.limited.count; ++i) {
        int part = trials->part_of_vertex[limited[i]];
        const dr_sheet* sheet = &trials->cloths[part]->xpbd.sheet;
        int slot =
            sheet->slot_of_vertex[limited[i] - trials->sheets.parts[part].first_vertex];
        drape_vec3 p = dr_sheet_get(sheet->layout, sheet->pos, slot);
        double y[3] = {p.x, p.y, p.z};
        dr_limits_project(&trials->limits, limited[i], y);
        dr_sheet_set(sheet->layout, sheet->pos, slot,
                     (drape_vec3){(float)y[0], (float)y[1], (float)y[2]});
    }
}

static void read_ends(dr_trials* trials)
{
    for (int p = 0; p < trials->sheets.part_count; ++p) {
        const dr_sheet* sheet = &trials->cloths[p]->xpbd.sheet;
        drape_vec3* end = trials->sheets.end + trials->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            end[v] = dr_sheet_get(sheet->layout, sheet->pos, sheet->slot_of_vertex[v]);
        }
    }
}

static bool solve_xpbd(drape_world* world, dr_trials* trials)
{
    for (int p = 0; p < trials->sheets.part_count; ++p) {
        memcpy(trials->cloths[p]->xpbd.sheet.pos, trials->predicted[p],
               sizeof(float) * sheet_floats(trials->cloths[p]));
    }
    if (!trials->has_slide && !dr_world_detect(world)) {
        return false;
    }
    dr_world_solve(world, apply_limits, trials);
    if (!trials->has_slide) {
        dr_world_guard_contacts(world);
        if (!dr_world_guard_solids(world)) {
            return false;
        }
    }
    read_ends(trials);
    return true;
}

static bool solve_trial(drape_world* world, dr_trials* trials)
{
    double t0 = dr_now_ms();
    bool is_solved = true;
    if (world->def.method.model == DRAPE_MODEL_ELASTIC) {
        for (int p = 0; p < trials->sheets.part_count; ++p) {
            int first = trials->sheets.parts[p].first_vertex;
            dr_world_solve_elastic(world, &trials->limits, first, trials->cloths[p],
                                   trials->sheets.end + first);
        }
    } else {
        is_solved = solve_xpbd(world, trials);
    }
    world->report.ms.solve += dr_now_ms() - t0;
    return is_solved;
}

// --- Detecting ---

// Planes came with the friction of the collider alone.
static void set_friction(drape_world* world, dr_trials* trials, int first_plane)
{
    dr_limit_plane* planes = trials->limits.planes.data;
    for (int i = first_plane; i < trials->limits.planes.count; ++i) {
        dr_halfspace* plane = &planes[i].plane;
        const dr_cloth* cloth = trials->cloths[trials->part_of_vertex[planes[i].vertex]];
        dr_friction friction = dr_world_friction(world, cloth, plane->friction_static,
                                                 plane->friction_dynamic);
        plane->friction_static = friction.at_rest;
        plane->friction_dynamic = friction.sliding;
    }
}

static bool detect_floors(drape_world* world, dr_trials* trials, dr_slide_result* result)
{
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        const dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (!collider || collider->body) {
            continue;
        }
        dr_floor floor = {dr_collider_frame(collider, collider->start_pose),
                          dr_collider_frame(collider, collider->pose),
                          collider->friction_static, collider->friction_dynamic};
        if (!dr_floor_detect(&floor, trials->slide.def.thickness, trials->slide.def.mode,
                             &world->memory, &trials->sheets, &trials->limits, result)) {
            return false;
        }
    }
    return true;
}

static bool detect_obstacles(drape_world* world, dr_trials* trials, bool* is_clean)
{
    drape_step_report* report = &world->report;
    double t0 = dr_now_ms();
    int planes = trials->limits.planes.count;
    dr_slide_result result;
    if (!dr_slide_detect(&trials->slide, &world->memory, world->pool, &trials->sheets,
                         trials->obstacles.data, trials->obstacles.count, &trials->limits,
                         &result) ||
        !detect_floors(world, trials, &result)) {
        return false;
    }
    set_friction(world, trials, planes);
    *is_clean = *is_clean && result.is_clean;
    report->counts.planes += result.plane_count;
    report->counts.frozen += result.frozen_count;
    report->box_tests += result.box_tests;
    report->exact_tests += result.exact_tests;
    report->contact_count = trials->limits.planes.count;
    report->smallest_gap = (float)result.smallest_gap;
    report->ms.detect += dr_now_ms() - t0;
    return true;
}

static void count_self(drape_world* world, const dr_self_result* result, double since)
{
    drape_step_report* report = &world->report;
    report->counts.far_pairs += result->far_pairs;
    report->counts.conflicts += result->conflicts;
    report->counts.clamped += result->clamped;
    report->counts.frozen += result->frozen;
    report->counts.forced += result->forced;
    report->box_tests += result->box_tests;
    report->self_box_tests += result->box_tests;
    report->exact_tests += result->exact_tests;
    double ms = dr_now_ms() - since;
    report->ms.detect += ms;
    report->ms.detect_self += ms;
}

static bool detect_self(drape_world* world, dr_trials* trials, int run, bool* is_clean)
{
    double t0 = dr_now_ms();
    dr_self_result result = {.is_clean = true};
    if (trials->detect_self &&
        !trials->detect_self(trials->self, &world->memory, world->pool, &trials->limits, run,
                             &result)) {
        return false;
    }
    *is_clean = *is_clean && result.is_clean;
    count_self(world, &result, t0);
    return true;
}

static bool detect_trial(drape_world* world, dr_trials* trials, int run, bool* is_clean)
{
    *is_clean = true;
    return (!trials->has_slide || detect_obstacles(world, trials, is_clean)) &&
           detect_self(world, trials, run, is_clean);
}

// --- Torn vertices ---

// Before this run the other limits may still come to terms with the planes.
enum { TORN_RUN = 5 };

static bool honours_planes(const dr_limits* limits, int vertex, const double place[3])
{
    const dr_limit_plane* planes = limits->planes.data;
    bool honours = true;
    for (int i = limits->first_plane[vertex]; i >= 0 && honours; i = planes[i].next) {
        const dr_halfspace* plane = &planes[i].plane;
        // Places are floats.
        honours = plane->normal[0] * place[0] + plane->normal[1] * place[1] +
                      plane->normal[2] * place[2] + plane->offset >
                  -1e-6;
    }
    return honours;
}

static bool is_in_interval(const dr_limits* limits, int vertex, const double place[3])
{
    bool is_in = true;
    for (int c = 0; c < 3; ++c) {
        is_in = is_in && place[c] > limits->lo[vertex][c] - 1e-6 &&
                place[c] < limits->hi[vertex][c] + 1e-6;
    }
    return is_in;
}

// Vertices whose planes pushed them out of their intervals would do so in every run until all is
// frozen. They stay where they were at once, when that is behind the planes.
static int freeze_torn(drape_world* world, dr_trials* trials)
{
    int frozen = 0;
    dr_limits* limits = &trials->limits;
    const int32_t* limited = limits->limited.data;
    for (int i = 0; i < limits->limited.count; ++i) {
        int v = limited[i];
        drape_vec3 p = trials->sheets.start[v], q = trials->sheets.end[v];
        const double start[3] = {p.x, p.y, p.z}, end[3] = {q.x, q.y, q.z};
        if (limits->hold[v] == DR_HOLD_FREE && limits->first_plane[v] >= 0 &&
            !is_in_interval(limits, v, end) && honours_planes(limits, v, start)) {
            dr_limits_hold(limits, v, DR_HOLD_FROZEN, start);
            trials->sheets.end[v] = p;
            ++frozen;
        }
    }
    world->report.counts.frozen += frozen;
    return frozen;
}

// --- The trials ---

// The candidates become what the sheets' ends are.
static void take_ends(dr_trials* trials)
{
    for (int p = 0; p < trials->sheets.part_count; ++p) {
        dr_cloth* cloth = trials->cloths[p];
        const dr_sheet* sheet = &cloth->xpbd.sheet;
        const drape_vec3* end = trials->sheets.end + trials->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            int slot = sheet->slot_of_vertex[v];
            drape_vec3 before = dr_sheet_get(sheet->layout, sheet->pos, slot);
            if (before.x == end[v].x && before.y == end[v].y && before.z == end[v].z) {
                continue;
            }
            dr_sheet_set(sheet->layout, sheet->pos, slot, end[v]);
            if (cloth->elastic) {
                dr_elastic_set_candidate(cloth->elastic, v,
                                         (const double[3]){end[v].x, end[v].y, end[v].z});
            }
        }
    }
}

// What has planes or a place of its own goes there.
static void project_ends(dr_trials* trials)
{
    const int32_t* limited = trials->limits.limited.data;
    for (int i = 0; i < trials->limits.limited.count; ++i) {
        drape_vec3* end = &trials->sheets.end[limited[i]];
        double y[3] = {end->x, end->y, end->z};
        dr_limits_project(&trials->limits, limited[i], y);
        *end = (drape_vec3){(float)y[0], (float)y[1], (float)y[2]};
    }
}

static bool settle_self(drape_world* world, dr_trials* trials)
{
    double t0 = dr_now_ms();
    dr_self_result result = {0};
    if (!dr_self_settle(trials->detect_self, trials->self, &world->memory, world->pool,
                        &trials->sheets, &trials->limits, &result)) {
        return false;
    }
    count_self(world, &result, t0);
    return true;
}

// Runs are used up: what is still in the way stays where it was, or goes with its obstacle.
static bool settle(drape_world* world, dr_trials* trials)
{
    // What is frozen may drag neighbours along only as far as it reaches: few rounds are needed.
    enum { rounds = 8 };
    if (world->def.method.as_printed) {
        return true;
    }
    bool is_clean = false;
    for (int round = 0; round < rounds && !is_clean; ++round) {
        is_clean = true;
        if (trials->has_slide) {
            trials->slide.run = trials->slide.def.plane_runs;
            project_ends(trials);
            if (!detect_obstacles(world, trials, &is_clean)) {
                return false;
            }
            project_ends(trials);
        }
        if (trials->detect_self && !settle_self(world, trials)) {
            return false;
        }
    }
    take_ends(trials);
    return true;
}

// Nothing can be said about candidates that left the numbers or the world; the commit undoes them.
static bool are_sound(const dr_trials* trials)
{
    const drape_vec3* end = trials->sheets.end;
    bool is_sound = true;
    for (int v = 0; v < trials->sheets.vertex_count && is_sound; ++v) {
        float most = fmaxf(fabsf(end[v].x), fmaxf(fabsf(end[v].y), fabsf(end[v].z)));
        is_sound = dr_is_finite(end[v]) && most <= DR_MESH_MAX_COORDINATE;
    }
    return is_sound;
}

// The substep is given up: the commit finds a place that is no number.
static void give_up(dr_trials* trials)
{
    const dr_sheet* sheet = &trials->cloths[0]->xpbd.sheet;
    dr_sheet_set(sheet->layout, sheet->pos, sheet->slot_of_vertex[0], (drape_vec3){NAN, NAN, NAN});
}

bool dr_world_run_trials(drape_world* world)
{
    if (!refresh_trials(world) || !begin_trials(world, world->trials)) {
        return false;
    }
    dr_trials* trials = world->trials;
    drape_step_report* report = &world->report;
    bool is_clean = false;
    int run = 0;
    while (!is_clean && run < world->def.max_runs) {
        ++run;
        if (!solve_trial(world, trials)) {
            return false;
        }
        if (!are_sound(trials)) {
            give_up(trials);
            return true;
        }
        int frozen = run >= TORN_RUN ? freeze_torn(world, trials) : 0;
        if (!detect_trial(world, trials, run, &is_clean)) {
            return false;
        }
        is_clean = is_clean && frozen == 0;
    }
    report->counts.runs += run;
    report->runs = run > report->runs ? run : report->runs;
    return is_clean || settle(world, trials);
}
