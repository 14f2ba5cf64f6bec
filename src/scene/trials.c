#include "scene/trials_parts.h"

#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "scene/model_step.h"

bool dr_world_has_trials(const drape_world* world)
{
    const drape_method* method = &world->def.method;
    bool is_swept = method->obstacles == DRAPE_OBSTACLES_PREDICTIVE ||
                    method->obstacles == DRAPE_OBSTACLES_DISCRETE;
    return method->model != DRAPE_MODEL_XPBD || !is_swept || method->self == DRAPE_SELF_GEOMETRIC ||
           method->self == DRAPE_SELF_BOXES || method->self == DRAPE_SELF_PARTICLES;
}

// --- Beginning ---

// Where the substep begins, and the pins as limits.
static void begin_part(dr_trials* trials, int part)
{
    dr_cloth* cloth = trials->cloths[part];
    const dr_sheet* sheet = cloth->sheet;
    int first = trials->sheets.parts[part].first_vertex;
    for (int v = 0; v < sheet->vertex_count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        trials->sheets.start[first + v] = dr_sheet_get(sheet->layout, sheet->start, slot);
        float inverse_mass = dr_sheet_inverse_mass(sheet, slot);
        if (trials->inverse_mass) {
            trials->inverse_mass[first + v] = inverse_mass;
        }
        if (inverse_mass == 0.0f) {
            drape_vec3 p = dr_sheet_get(sheet->layout, sheet->pos, slot);
            dr_limits_hold(&trials->limits, first + v, DR_HOLD_PINNED,
                           (const double[3]){p.x, p.y, p.z});
        }
    }
    if (trials->predicted[part]) {
        memcpy(trials->predicted[part], sheet->pos, sizeof(float) * dr_trials_floats(cloth));
    }
}

// Bodies and their poses in this substep.
static bool begin_responder(drape_world* world, dr_trials* trials)
{
    // What starts inside comes out slowly: its way out is its velocity afterwards.
    const float exit_speed = 0.5f;
    const dr_substep* substep = &world->substep;
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
    return dr_responder_begin(&trials->responder, &world->memory, world->pool, &trials->sheets,
                              &trials->obstacles, exit_speed * substep->h);
}

static bool begin_trials(drape_world* world, dr_trials* trials)
{
    dr_limits_clear(&trials->limits);
    for (int p = 0; p < trials->sheets.part_count; ++p) {
        begin_part(trials, p);
    }
    return !dr_responder_exists(&trials->responder) || begin_responder(world, trials);
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
        const dr_sheet* sheet = trials->cloths[part]->sheet;
        int slot = sheet->slot_of_vertex[limited[i] - trials->sheets.parts[part].first_vertex];
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
        const dr_sheet* sheet = trials->cloths[p]->sheet;
        drape_vec3* end = trials->sheets.end + trials->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            end[v] = dr_sheet_get(sheet->layout, sheet->pos, sheet->slot_of_vertex[v]);
        }
    }
}

static bool solve_xpbd(drape_world* world, dr_trials* trials)
{
    for (int p = 0; p < trials->sheets.part_count; ++p) {
        memcpy(trials->cloths[p]->sheet->pos, trials->predicted[p],
               sizeof(float) * dr_trials_floats(trials->cloths[p]));
    }
    if (!dr_responder_exists(&trials->responder) && !dr_world_detect(world)) {
        return false;
    }
    dr_world_solve(world, apply_limits, trials);
    if (!dr_responder_exists(&trials->responder)) {
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
    if (world->def.method.model != DRAPE_MODEL_XPBD) {
        for (int p = 0; p < trials->sheets.part_count; ++p) {
            int first = trials->sheets.parts[p].first_vertex;
            dr_world_solve_model(world, &trials->limits, first, trials->cloths[p],
                                 trials->sheets.end + first);
        }
    } else {
        is_solved = solve_xpbd(world, trials);
    }
    world->report.ms.solve += dr_now_ms() - t0;
    return is_solved;
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

// --- Wedged vertices ---

// The plane that a place is furthest behind, and how far, m; null: none.
static const dr_halfspace* deepest_plane(const dr_limits* limits, int vertex, const double place[3],
                                         double* depth)
{
    const dr_limit_plane* planes = limits->planes.data;
    const dr_halfspace* found = NULL;
    // Places are floats.
    *depth = 1e-6;
    for (int i = limits->first_plane[vertex]; i >= 0; i = planes[i].next) {
        const dr_halfspace* plane = &planes[i].plane;
        double is = -(plane->normal[0] * place[0] + plane->normal[1] * place[1] +
                      plane->normal[2] * place[2] + plane->offset);
        if (is > *depth) {
            *depth = is;
            found = plane;
        }
    }
    return found;
}

// A solid pushes a vertex one way and another layer of cloth the other: two planes that nearly face
// each other have room far to the side only. A place that honours both must be about as near as the
// start is behind them; else the vertex is wedged. Returns the plane that it is behind, or null.
static const dr_halfspace* find_wedge(const dr_limits* limits, int vertex, const double start[3])
{
    double depth, square = 0.0;
    double y[3] = {start[0], start[1], start[2]};
    if (limits->hold[vertex] != DR_HOLD_FREE || limits->plane_count[vertex] < 2) {
        return NULL;
    }
    const dr_halfspace* plane = deepest_plane(limits, vertex, start, &depth);
    if (plane) {
        dr_limits_project(limits, vertex, y);
    }
    for (int c = 0; c < 3; ++c) {
        square += (y[c] - start[c]) * (y[c] - start[c]);
    }
    return square > 16.0 * depth * depth ? plane : NULL;
}

// They stay where they were, as their solid sees it. Only particles answer cloth with planes.
static int freeze_wedged(drape_world* world, dr_trials* trials)
{
    int frozen = 0;
    dr_limits* limits = &trials->limits;
    const int32_t* limited = limits->limited.data;
    bool can_be = world->def.method.self == DRAPE_SELF_PARTICLES;
    for (int i = 0; can_be && i < limits->limited.count; ++i) {
        int v = limited[i];
        drape_vec3 p = trials->sheets.start[v];
        const dr_halfspace* plane = find_wedge(limits, v, (const double[3]){p.x, p.y, p.z});
        if (plane) {
            const double* at = plane->anchor;
            dr_limits_hold(limits, v, DR_HOLD_FROZEN, at);
            trials->sheets.end[v] = (drape_vec3){(float)at[0], (float)at[1], (float)at[2]};
            ++frozen;
        }
    }
    world->report.counts.frozen += frozen;
    return frozen;
}

// --- The trials ---

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
    const dr_sheet* sheet = trials->cloths[0]->sheet;
    dr_sheet_set(sheet->layout, sheet->pos, sheet->slot_of_vertex[0], (drape_vec3){NAN, NAN, NAN});
}

bool dr_world_run_trials(drape_world* world)
{
    if (!dr_trials_refresh(world) || !begin_trials(world, world->trials)) {
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
        int frozen = freeze_wedged(world, trials);
        frozen += run >= TORN_RUN ? freeze_torn(world, trials) : 0;
        if (!dr_trials_detect(world, trials, run, &is_clean)) {
            return false;
        }
        is_clean = is_clean && frozen == 0;
    }
    report->counts.runs += run;
    report->runs = run > report->runs ? run : report->runs;
    return is_clean || dr_trials_settle(world, trials);
}
