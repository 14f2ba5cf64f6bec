#include "scene/apart_step.h"

#include <math.h>
#include <string.h>

#include "core/vec_math.h"
#include "collide/tessellate.h"
#include "scene/apart_exit.h"
#include "scene/apart_solids.h"
#include "solver/stretch_limit.h"

typedef struct dr_world_apart {
    dr_sheets sheets;
    dr_cloth** cloths; // of each part of the sheets
    dr_apart_solids solids;
    dr_apart apart;
    dr_apart_exits exits;
    int32_t* first_slot;      // by part
    int32_t* vertex_of_slot;  // from first_slot on: among all, -1 where there is none
    bool has_told;            // that something crosses
    bool has_told_crowded;    // that there are too many contacts
    dr_stretch_limits limits; // of all cloths

    // Before the substep, to undo it.
    drape_step_report report;
    float* velocity; // of all sheets
    size_t velocity_floats;
    bool is_hopeless; // in this step even the shortest substep was pinched
    int undone_count; // attempts, in this step
} dr_world_apart;

bool dr_world_has_apart(const drape_world* world)
{
    return world->def.method.self == DRAPE_SELF_GUARDED;
}

// --- What is kept between steps ---

static int count_cloths(const drape_world* world)
{
    int count = 0;
    for (int i = 0; i < dr_slots_count(&world->cloths); ++i) {
        count += dr_slots_at(&world->cloths, i) != NULL;
    }
    return count;
}

static bool create_sheets(drape_world* world, dr_world_apart* a)
{
    dr_memory* memory = &world->memory;
    int count = count_cloths(world), part = 0;
    a->sheets.part_count = count; // so many are freed, however far this comes
    a->cloths = dr_new_zeroed(memory, dr_cloth*, count + 1);
    dr_sheets_part* parts = dr_new_zeroed(memory, dr_sheets_part, count + 1);
    bool made = a->cloths && parts;
    for (int i = 0; made && i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth) {
            a->cloths[part] = cloth;
            parts[part++] = (dr_sheets_part){
                .mesh = &cloth->mesh, .columns = cloth->columns, .rows = cloth->rows};
        }
    }
    made = made && dr_sheets_create(&a->sheets, memory, parts, count);
    dr_delete(memory, parts, count + 1);
    return made;
}

static bool number_slots(drape_world* world, dr_world_apart* a)
{
    int part_count = a->sheets.part_count;
    a->first_slot = dr_new_zeroed(&world->memory, int32_t, part_count + 1);
    for (int p = 0; a->first_slot && p < part_count; ++p) {
        a->first_slot[p + 1] = a->first_slot[p] + 8 * a->cloths[p]->sheet->vector_count;
    }
    a->vertex_of_slot =
        a->first_slot ? dr_new(&world->memory, int32_t, a->first_slot[part_count] + 1) : NULL;
    if (!a->vertex_of_slot) {
        return false;
    }
    memset(a->vertex_of_slot, 0xff, sizeof(int32_t) * (size_t)a->first_slot[part_count]);
    for (int p = 0; p < part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            a->vertex_of_slot[a->first_slot[p] + sheet->slot_of_vertex[v]] =
                a->sheets.parts[p].first_vertex + v;
        }
    }
    return true;
}

static void free_slots(drape_world* world, dr_world_apart* a)
{
    int part_count = a->sheets.part_count;
    if (a->vertex_of_slot) {
        dr_delete(&world->memory, a->vertex_of_slot, a->first_slot[part_count] + 1);
    }
    if (a->first_slot) {
        dr_delete(&world->memory, a->first_slot, part_count + 1);
    }
}

static bool create_limits(drape_world* world, dr_world_apart* a)
{
    int count = a->sheets.part_count;
    dr_stretch_part* parts = dr_new(&world->memory, dr_stretch_part, count + 1);
    for (int p = 0; parts && p < count; ++p) {
        const dr_sheets_part* part = &a->sheets.parts[p];
        parts[p] = (dr_stretch_part){part->mesh, part->columns, part->first_vertex,
                                     a->cloths[p]->fabric.strain_limit};
    }
    bool made = parts && dr_stretch_limits_create(&a->limits, &world->memory, parts, count);
    dr_delete(&world->memory, parts, count + 1);
    return made;
}

static bool refresh(drape_world* world)
{
    float tolerance = dr_tessellate_tolerance(world->def.thickness);
    if (world->apart && world->apart->solids.tolerance == tolerance) {
        return true;
    }
    dr_world_free_apart(world);
    dr_world_apart* a = world->apart = dr_new_zeroed(&world->memory, dr_world_apart, 1);
    bool made =
        a && create_sheets(world, a) && number_slots(world, a) && create_limits(world, a) &&
        dr_apart_solids_create(&a->solids, world) &&
        dr_apart_create(&a->apart, &world->memory, &a->sheets, &a->solids.sheets, world->isa);
    if (!made) {
        dr_world_free_apart(world);
    }
    return made;
}

void dr_world_free_apart(drape_world* world)
{
    dr_world_apart* a = world->apart;
    if (!a) {
        return;
    }
    free_slots(world, a);
    dr_apart_exits_free(&a->exits, &world->memory);
    dr_apart_free(&a->apart, &world->memory);
    dr_apart_solids_free(&a->solids, &world->memory);
    if (a->velocity) {
        dr_delete(&world->memory, a->velocity, a->velocity_floats);
    }
    dr_stretch_limits_free(&a->limits, &world->memory);
    dr_delete(&world->memory, a->cloths, a->sheets.part_count + 1);
    dr_sheets_free(&a->sheets, &world->memory);
    dr_delete(&world->memory, a, 1);
    world->apart = NULL;
}

void dr_world_forget_apart(drape_world* world)
{
    if (world->apart) {
        dr_apart_forget(&world->apart->apart);
        dr_apart_solids_forget(&world->apart->solids);
    }
}

// --- To and from the sheets of the solver ---

// Four floats per vertex from an array of every sheet.
static void gather(const dr_world_apart* a, bool of_start, float* out)
{
    for (int p = 0; p < a->sheets.part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        const float* array = of_start ? sheet->start : sheet->pos;
        int step = dr_sheet_step(sheet->layout);
        float* to = out + 4 * a->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            const float* from = array + dr_sheet_offset(sheet->layout, sheet->slot_of_vertex[v]);
            for (int c = 0; c < 4; ++c) {
                to[4 * v + c] = from[c * step];
            }
        }
    }
}

// Where the velocities before the prediction take the vertices.
static void gather_drift(const drape_world* world, const dr_world_apart* a)
{
    dr_predict_args predicted = dr_world_predict_args(world);
    for (int p = 0; p < a->sheets.part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        float* out = a->apart.drift + 4 * a->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            drape_vec3 way = dr_contact_way_before(sheet, &predicted, sheet->slot_of_vertex[v]);
            memcpy(out + 4 * v, &way, sizeof way);
        }
    }
}

static void scatter(const dr_world_apart* a)
{
    for (int p = 0; p < a->sheets.part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        int step = dr_sheet_step(sheet->layout);
        const float* from = a->apart.y + 4 * a->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            float* to = sheet->pos + dr_sheet_offset(sheet->layout, sheet->slot_of_vertex[v]);
            for (int c = 0; c < 3; ++c) {
                to[c * step] = from[4 * v + c];
            }
        }
    }
}

static void set_up(drape_world* world, dr_world_apart* a)
{
    const float exit_speed = 0.06f, pull_speed = 0.5f;
    a->apart.recovery = exit_speed * world->substep.h;
    a->apart.h = world->substep.h;
    a->apart.untangle.way = fminf(pull_speed * world->substep.h, 0.1f * a->apart.edge_length);
    a->exits.way = a->apart.untangle.way;
    for (int p = 0; p < a->sheets.part_count; ++p) {
        const dr_cloth* cloth = a->cloths[p];
        a->apart.cloths[p] = (dr_apart_cloth){
            cloth->thickness, dr_world_friction(world, cloth, -1.0f, -1.0f), cloth->layer};
    }
}

// --- Leaving solids ---

static bool is_leaving(const dr_world_apart* a, int part, int slot, int obstacle)
{
    int vertex = a->vertex_of_slot[a->first_slot[part] + slot];
    return vertex >= 0 && dr_apart_is_in(&a->apart, vertex, obstacle);
}

static int part_of(const dr_world_apart* a, const dr_cloth* cloth)
{
    int part = 0;
    while (a->cloths[part] != cloth) {
        DR_ASSERT(a->cloths[part] != NULL);
        ++part;
    }
    return part;
}

bool dr_world_is_leaving(const drape_world* world, const dr_cloth* cloth, int slot, int obstacle)
{
    const dr_world_apart* a = world->apart;
    return dr_world_has_apart(world) && a && a->apart.inside.count > 0 &&
           is_leaving(a, part_of(a, cloth), slot, obstacle);
}

static void drop_contacts(const dr_world_apart* a, dr_contact_run* run)
{
    int part = part_of(a, run->cloth);
    for (int i = 0; i < run->count; ++i) {
        for (int lane = 0; lane < 8; ++lane) {
            if (is_leaving(a, part, 8 * run->contacts[i].vector + lane, run->obstacle)) {
                run->contacts[i].gap[lane] = DR_CONTACT_OUT_OF_REACH;
            }
        }
    }
    for (int i = 0; i < run->single_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (is_leaving(a, part, run->singles[i].slot[k], run->obstacle)) {
                run->singles[i].gap = DR_CONTACT_OUT_OF_REACH;
            }
        }
    }
}

void dr_world_drop_leaving(drape_world* world)
{
    const dr_world_apart* a = world->apart;
    bool has_any = dr_world_has_apart(world) && a && a->apart.inside.count > 0;
    for (int i = 0; has_any && i < world->run_count; ++i) {
        drop_contacts(a, &world->runs[i]);
    }
}

// --- The substep ---

bool dr_world_touch_apart(drape_world* world)
{
    if (!refresh(world)) {
        return false;
    }
    double t0 = dr_now_ms();
    dr_world_apart* a = world->apart;
    set_up(world, a);
    gather(a, true, a->apart.x);
    gather(a, false, a->apart.y);
    gather_drift(world, a);
    bool has_jumped = dr_apart_solids_place(&a->solids, world, &a->apart);
    if (has_jumped) {
        dr_apart_forget(&a->apart);
    }
    bool was_known = a->apart.is_known;
    if (!dr_apart_find_crossed(&a->apart, &world->memory, world->pool)) {
        return false;
    }
    bool is_done = dr_apart_solids_note_inside(&a->solids, world, &a->apart, a->cloths) &&
                   dr_apart_exits_find(&a->exits, &a->solids, world, &a->apart, a->cloths) &&
                   dr_apart_touch(&a->apart, &world->memory, world->pool);
    dr_world_drop_leaving(world);
    if (!was_known && !a->has_told && a->apart.crossed.count > 0) {
        a->has_told = true;
        dr_log(&world->host, DRAPE_LOG_WARNING,
               "%d pairs of triangles cross each other; they are brought apart, and guarded once "
               "they are free",
               a->apart.crossed.count);
    }
    if (is_done && a->apart.is_crowded && !a->has_told_crowded) {
        a->has_told_crowded = true;
        dr_log(&world->host, DRAPE_LOG_WARNING,
               "too much cloth is near cloth for contacts (thickness %g m, edges of %g m); without "
               "them layers are kept apart by the guard alone",
               (double)(dr_apart_reach(&a->apart) / DR_APART_AHEAD), (double)a->apart.edge_length);
    }
    world->report.ms.detect_self += dr_now_ms() - t0;
    return is_done;
}

void dr_world_resolve_apart(drape_world* world)
{
    dr_world_apart* a = world->apart;
    if (!dr_world_has_apart(world) ||
        (a->apart.contacts.count == 0 && a->apart.crossed.count == 0)) {
        return;
    }
    gather(a, false, a->apart.y);
    dr_apart_resolve(&a->apart);
    scatter(a);
}

void dr_world_resolve_exits(drape_world* world)
{
    if (dr_world_has_apart(world)) {
        dr_apart_exits_resolve(&world->apart->exits, world->apart->cloths);
    }
}

static bool slide(drape_world* world, bool is_first)
{
    dr_world_apart* a = world->apart;
    gather(a, false, a->apart.y);
    bool is_done = dr_apart_slide(&a->apart, &world->memory, world->pool, is_first);
    scatter(a);
    return is_done;
}

// Notes which vertices solids have put elsewhere since `y`.
static bool note_pushed(dr_world_apart* a)
{
    bool has_pushed = false;
    for (int p = 0; p < a->sheets.part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        int first = a->sheets.parts[p].first_vertex;
        for (int v = 0; v < sheet->vertex_count; ++v) {
            drape_vec3 now = dr_sheet_get(sheet->layout, sheet->pos, sheet->slot_of_vertex[v]);
            const float* y = a->apart.y + 4 * (first + v);
            if (now.x != y[0] || now.y != y[1] || now.z != y[2]) {
                a->apart.is_pushed[first + v] = 1;
                has_pushed = true;
            }
        }
    }
    return has_pushed;
}

// Brings yarns to the strain limit of their fabric: all of them, or those that hang on what solids
// have pushed, which then does not yield.
static void limit_stretch(drape_world* world, bool of_pushed)
{
    enum { passes = 8, passes_of_pushed = 32 };
    const float shrink_speed = 20.0f; // strain in a second
    dr_world_apart* a = world->apart;
    if (world->def.method.model != DRAPE_MODEL_XPBD) {
        return;
    }
    gather(a, false, a->apart.y);
    dr_stretch_ends ends = {a->apart.x, a->apart.y, shrink_speed * world->substep.h,
                            of_pushed ? a->apart.is_pushed : NULL};
    if (dr_stretch_limit(&a->limits, &ends, of_pushed ? passes_of_pushed : passes)) {
        scatter(a);
    }
}

// What solids push must not be pushed back into them: the other layers give way, and may be pushed
// in turn; and the yarns that hang on it come along.
static bool slide_and_guard(drape_world* world)
{
    enum { rounds = 4 };
    bool is_done = true, has_pushed = true;
    int guarded_before = world->report.guarded_count, guarded_most = 0;
    limit_stretch(world, false);
    for (int round = 0; round < rounds && is_done && has_pushed; ++round) {
        if (round > 0) {
            limit_stretch(world, true);
        }
        is_done = slide(world, round == 0);
        if (is_done) {
            dr_world_guard_contacts(world);
            is_done = dr_world_guard_solids(world);
        }
        has_pushed = is_done && note_pushed(world->apart);
        // Most are those of the rounds before.
        int guarded = world->report.guarded_count - guarded_before;
        guarded_most = guarded > guarded_most ? guarded : guarded_most;
        world->report.guarded_count = guarded_before;
    }
    world->report.guarded_count += guarded_most;
    return is_done;
}

static void tell(drape_world* world, dr_apart* apart)
{
    drape_step_report* report = &world->report;
    double h = world->substep.h;
    report->box_tests += apart->box_tests;
    report->self_box_tests += apart->box_tests;
    report->exact_tests += apart->exact_tests;
    report->cut_count += apart->cut_count;
    report->pinched_count += apart->pinched_count;
    report->guard_energy += apart->lost / (h * h);
    report->guard_momentum.x += (float)(apart->lost_momentum[0] / h);
    report->guard_momentum.y += (float)(apart->lost_momentum[1] / h);
    report->guard_momentum.z += (float)(apart->lost_momentum[2] / h);
    report->crossed_count = apart->crossed.count;
    report->touching_count = dr_apart_count_touching(apart);
    report->self_contact_count = apart->contacts.count;
    report->self_pair_count =
        apart->lists[DR_APART_POINT].count + apart->lists[DR_APART_EDGES].count;
    report->self_search_count += apart->search_count;
    apart->box_tests = apart->exact_tests = 0;
    apart->search_count = apart->cut_count = 0;
    apart->lost = 0.0;
    memset(apart->lost_momentum, 0, sizeof apart->lost_momentum);
}

// What is pressed comes to rest.
static void settle(drape_world* world)
{
    // In a substep from rest gravity takes cloth further than that.
    const float share_of_fall = 0.6f;
    dr_world_apart* a = world->apart;
    float h = world->substep.h;
    if (a->apart.contacts.count > 0) {
        gather(a, false, a->apart.y);
        dr_apart_settle(&a->apart, share_of_fall * h * h * dr_length(world->def.gravity));
        scatter(a);
    }
}

bool dr_world_guard_apart(drape_world* world)
{
    // Whether cloth is pinched the cut decides, for solids too.
    int pinched_count = world->report.pinched_count;
    settle(world);
    if (!slide_and_guard(world)) {
        return false;
    }
    world->report.pinched_count = pinched_count;
    dr_world_apart* a = world->apart;
    gather(a, false, a->apart.y);
    bool is_done = dr_apart_cut(&a->apart, &world->memory, world->pool);
    scatter(a);
    return is_done;
}

// --- Doing it again ---

static float* next_velocities(const dr_world_apart* a, int part, float* at, bool restore)
{
    const dr_sheet* sheet = a->cloths[part]->sheet;
    size_t floats = (size_t)sheet->vector_count * 32;
    memcpy(restore ? sheet->vel : at, restore ? at : sheet->vel, sizeof *at * floats);
    return at + floats;
}

static bool create_velocities(drape_world* world, dr_world_apart* a)
{
    if (a->velocity) {
        return true;
    }
    a->velocity_floats = 1;
    for (int p = 0; p < a->sheets.part_count; ++p) {
        a->velocity_floats += (size_t)a->cloths[p]->sheet->vector_count * 32;
    }
    a->velocity = dr_new(&world->memory, float, a->velocity_floats);
    return a->velocity != NULL;
}

void dr_world_begin_apart(drape_world* world)
{
    if (world->apart) {
        world->apart->is_hopeless = false;
        world->apart->undone_count = 0;
    }
}

bool dr_world_save_apart(drape_world* world)
{
    if (!dr_world_has_apart(world)) {
        return true;
    }
    if (!refresh(world) || !create_velocities(world, world->apart)) {
        return false;
    }
    dr_world_apart* a = world->apart;
    float* at = a->velocity;
    for (int p = 0; p < a->sheets.part_count; ++p) {
        at = next_velocities(a, p, at, false);
    }
    a->report = world->report;
    return true;
}

// Places need no restoring: the prediction starts from the committed ones.
static void undo(drape_world* world)
{
    dr_world_apart* a = world->apart;
    float* at = a->velocity;
    for (int p = 0; p < a->sheets.part_count; ++p) {
        at = next_velocities(a, p, at, true);
    }
    for (int i = 0; i < dr_slots_count(&world->colliders); ++i) {
        dr_collider* collider = dr_slots_at(&world->colliders, i);
        if (collider) {
            collider->pose = collider->start_pose;
        }
    }
    dr_apart_solids_undo(&a->solids, &a->apart);
    dr_apart_undo(&a->apart);
    drape_stage_ms ms = world->report.ms;
    world->report = a->report;
    world->report.ms = ms;
}

// Where even the shortest substep does not help, all is tried in whole ones until one goes well.
bool dr_world_undo_apart(drape_world* world, bool can_halve, int substeps)
{
    // Each that is undone makes for one more that is not, at most.
    int most_undone = 2 * substeps + 32;
    if (!dr_world_has_apart(world)) {
        return false;
    }
    dr_world_apart* a = world->apart;
    bool is_jammed = a->apart.jammed_count > 0;
    if (!is_jammed || a->is_hopeless || !can_halve || a->undone_count >= most_undone) {
        a->is_hopeless = is_jammed;
        return false;
    }
    undo(world);
    ++a->undone_count;
    return true;
}

// Adds to the velocities what contacts take back.
static void calm(drape_world* world, dr_world_apart* a)
{
    const float slow = 0.1f; // m/s
    float per_h = 1.0f / world->substep.h;
    dr_apart_calm(&a->apart, slow * world->substep.h);
    for (int p = 0; p < a->sheets.part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        int step = dr_sheet_step(sheet->layout);
        for (int v = 0; v < sheet->vertex_count; ++v) {
            size_t at = 4 * (size_t)(a->sheets.parts[p].first_vertex + v);
            float* vel = sheet->vel + dr_sheet_offset(sheet->layout, sheet->slot_of_vertex[v]);
            for (int c = 0; c < 3; ++c) {
                vel[c * step] += per_h * (a->apart.way[at + c] - a->apart.before[at + c]);
            }
        }
    }
}

void dr_world_commit_apart(drape_world* world)
{
    dr_world_apart* a = world->apart;
    if (dr_world_has_apart(world) && a) {
        if (a->apart.contacts.count > 0) {
            calm(world, a);
        }
        dr_apart_exits_calm(&a->exits, a->cloths, world->substep.h);
        tell(world, &a->apart);
        dr_apart_commit(&a->apart);
    }
}

// What was pinched in the last substep nobody has looked at yet.
bool dr_world_finish_apart(drape_world* world)
{
    dr_world_apart* a = world->apart;
    if (!dr_world_has_apart(world) || !a ||
        (a->apart.is_known && a->apart.crossed.count == 0 && a->apart.inside.count == 0)) {
        return true;
    }
    gather(a, true, a->apart.x);
    bool is_done = dr_apart_find_crossed(&a->apart, &world->memory, world->pool);
    world->report.crossed_count = a->apart.crossed.count;
    return is_done;
}

// A pin does not yield, nor does what hangs from one in a solid.
static bool is_held(const dr_world_apart* a, int triangle)
{
    bool is_held = false;
    for (int k = 0; k < 3; ++k) {
        int v = a->apart.triangles[triangle][k];
        bool is_cloth = v < a->sheets.vertex_count;
        is_held |=
            is_cloth && (!(a->apart.y[4 * v + 3] > 0.0f) || a->apart.is_inside[v] & DR_APART_HUNG);
    }
    return is_held;
}

bool dr_world_is_freeing(const drape_world* world)
{
    const dr_world_apart* a = world->apart;
    if (!dr_world_has_apart(world) || !a) {
        return false;
    }
    bool is_freeing = false;
    const dr_apart_exit* exits = a->exits.exits.data;
    for (int i = 0; i < a->exits.exits.count; ++i) {
        is_freeing |= !exits[i].is_hung;
    }
    const dr_pair* crossed = a->apart.crossed.data;
    for (int i = 0; i < a->apart.crossed.count; ++i) {
        is_freeing |= !is_held(a, crossed[i].a) && !is_held(a, crossed[i].b);
    }
    return is_freeing;
}
