#include "scene/apart_step.h"

#include <string.h>

#include "core/vec_math.h"
#include "scene/apart_world.h"

// --- Before the sweeps ---

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

bool dr_world_touch_apart(drape_world* world)
{
    if (!dr_world_refresh_apart(world)) {
        return false;
    }
    double t0 = dr_now_ms();
    dr_world_apart* a = world->apart;
    set_up(world, a);
    dr_apart_gather(a, true, a->apart.x);
    dr_apart_gather(a, false, a->apart.y);
    gather_drift(world, a);
    bool has_jumped = dr_apart_solids_place(&a->solids, world, &a->apart);
    if (has_jumped) {
        dr_apart_forget(&a->apart);
    }
    bool was_known = a->apart.is_known;
    if (!dr_apart_find_crossed(&a->apart, &world->memory, world->pool)) {
        return false;
    }
    bool is_done = dr_world_open_crossed(world) &&
                   dr_apart_solids_note_inside(&a->solids, world, &a->apart, a->cloths) &&
                   dr_apart_exits_find(&a->exits, &a->solids, world, &a->apart, a->cloths) &&
                   dr_apart_touch(&a->apart, &world->memory, world->pool);
    if (!is_done) {
        return false;
    }
    dr_world_drop_leaving(world);
    if (!was_known && !a->has_told && a->apart.crossed.count > 0) {
        a->has_told = true;
        dr_log(&world->host, DRAPE_LOG_WARNING,
               "%d pairs of triangles cross each other; they are brought apart, and guarded once "
               "they are free",
               a->apart.crossed.count);
    }
    if (a->apart.is_crowded && !a->has_told_crowded) {
        a->has_told_crowded = true;
        dr_log(&world->host, DRAPE_LOG_WARNING,
               "too much cloth is near cloth for contacts (thickness %g m, edges of %g m); without "
               "them layers are kept apart by the guard alone",
               (double)(dr_apart_reach(&a->apart) / DR_APART_AHEAD), (double)a->apart.edge_length);
    }
    world->report.ms.detect_self += dr_now_ms() - t0;
    return true;
}

// --- In the sweeps ---

void dr_world_resolve_apart(drape_world* world)
{
    dr_world_apart* a = world->apart;
    if (!dr_world_has_apart(world) ||
        (a->apart.contacts.count == 0 && a->apart.crossed.count == 0)) {
        return;
    }
    dr_apart_gather(a, false, a->apart.y);
    dr_apart_resolve(&a->apart);
    dr_apart_scatter(a);
}

void dr_world_resolve_exits(drape_world* world)
{
    if (dr_world_has_apart(world)) {
        dr_apart_exits_resolve(&world->apart->exits, world->apart->cloths);
    }
}

// --- After the sweeps ---

static bool slide(drape_world* world, bool is_first)
{
    dr_world_apart* a = world->apart;
    dr_apart_gather(a, false, a->apart.y);
    bool is_done = dr_apart_slide(&a->apart, &world->memory, world->pool, is_first);
    dr_apart_scatter(a);
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
// have pushed, which then does not yield. False when none was longer.
static bool limit_stretch(drape_world* world, bool of_pushed)
{
    enum { passes = 8, passes_of_pushed = 32 };
    const float shrink_speed = 20.0f; // strain in a second
    dr_world_apart* a = world->apart;
    if (world->def.method.model != DRAPE_MODEL_XPBD) {
        return false;
    }
    dr_apart_gather(a, false, a->apart.y);
    // Where it jams, yarns that are too long are not drawn at; they only become no longer.
    float shrink = a->undone_count > 0 ? 0.0f : shrink_speed * world->substep.h;
    dr_stretch_ends ends = {a->apart.x, a->apart.y, shrink, of_pushed ? a->apart.is_pushed : NULL};
    bool has_moved = dr_stretch_limit(&a->limits, &ends, of_pushed ? passes_of_pushed : passes);
    if (has_moved) {
        dr_apart_scatter(a);
    }
    return has_moved;
}

// Yarns that are taut around other layers would be drawn through them, and the cut would stop them
// there: a rope that is wrung was cut at everywhere, and stretched by half. So contacts have their
// say in turns with the limit, which has the last word.
static void limit_among_contacts(drape_world* world)
{
    enum { turns = 8 };
    bool is_taut = limit_stretch(world, false);
    for (int turn = 1; turn < turns && is_taut; ++turn) {
        dr_world_resolve_apart(world);
        dr_world_resolve_contacts(world);
        dr_world_resolve_exits(world);
        is_taut = limit_stretch(world, false);
    }
}

// What solids push must not be pushed back into them: the other layers give way, and may be pushed
// in turn; and the yarns that hang on it come along.
static bool slide_and_guard(drape_world* world)
{
    enum { rounds = 4 };
    bool is_done = true, has_pushed = true;
    int guarded_before = world->report.guarded_count, guarded_most = 0;
    limit_among_contacts(world);
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

// What is pressed comes to rest.
static void settle(drape_world* world)
{
    // In a substep from rest gravity takes cloth further than that.
    const float share_of_fall = 0.6f;
    dr_world_apart* a = world->apart;
    float h = world->substep.h;
    if (a->apart.contacts.count > 0) {
        dr_apart_gather(a, false, a->apart.y);
        dr_apart_settle(&a->apart, share_of_fall * h * h * dr_length(world->def.gravity));
        dr_apart_scatter(a);
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
    dr_apart_gather(a, false, a->apart.y);
    bool is_done = dr_apart_cut(&a->apart, &world->memory, world->pool);
    dr_apart_scatter(a);
    return is_done;
}

// --- Commit and report ---

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

// Free cloth has back what the guard took.
static void return_momentum(drape_world* world, dr_world_apart* a)
{
    float per_h = 1.0f / world->substep.h;
    dr_apart_return_momentum(&a->apart);
    for (int p = 0; p < a->sheets.part_count; ++p) {
        const dr_sheet* sheet = a->cloths[p]->sheet;
        const float* back = a->apart.losses[p].back;
        bool has_back = back[0] != 0.0f || back[1] != 0.0f || back[2] != 0.0f;
        int step = dr_sheet_step(sheet->layout);
        for (int v = 0; has_back && v < sheet->vertex_count; ++v) {
            float* vel = sheet->vel + dr_sheet_offset(sheet->layout, sheet->slot_of_vertex[v]);
            for (int c = 0; c < 3; ++c) {
                vel[c * step] += per_h * back[c];
            }
        }
    }
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
    for (int p = 0; p < apart->sheets->part_count; ++p) {
        const double* lost = apart->losses[p].momentum;
        report->guard_momentum.x += (float)(lost[0] / h);
        report->guard_momentum.y += (float)(lost[1] / h);
        report->guard_momentum.z += (float)(lost[2] / h);
    }
    report->crossed_count = apart->crossed.count;
    // Where sheets start in one place they come apart within a step.
    int touching_count = dr_apart_count_touching(apart);
    report->touching_count =
        touching_count > report->touching_count ? touching_count : report->touching_count;
    report->self_contact_count = apart->contacts.count;
    report->self_pair_count =
        apart->lists[DR_APART_POINT].count + apart->lists[DR_APART_EDGES].count;
    report->self_search_count += apart->search_count;
    apart->box_tests = apart->exact_tests = 0;
    apart->search_count = apart->cut_count = 0;
    apart->lost = 0.0;
    memset(apart->losses, 0, sizeof *apart->losses * (size_t)apart->sheets->part_count);
}

void dr_world_commit_apart(drape_world* world)
{
    dr_world_apart* a = world->apart;
    if (dr_world_has_apart(world) && a) {
        if (a->apart.contacts.count > 0) {
            calm(world, a);
        }
        dr_apart_exits_calm(&a->exits, a->cloths, world->substep.h);
        return_momentum(world, a);
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
    dr_apart_gather(a, true, a->apart.x);
    bool is_done = dr_apart_find_crossed(&a->apart, &world->memory, world->pool);
    world->report.crossed_count = a->apart.crossed.count;
    return is_done;
}
