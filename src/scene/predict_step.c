#include "scene/predict_step.h"

#include <string.h>

#include "contact/predict.h"

// Where the vertices of one cloth are, beside those of all others.
typedef struct part_place {
    dr_cloth* cloth;
    int first, count, first_slot;
} part_place;

struct dr_predict_world {
    dr_predict predict;
    part_place* parts;
    int part_count;
    int32_t* offset;         // by vertex: of its x in the arrays of its sheet
    int32_t* vertex_of_slot; // from first_slot of the part on; -1 where there is none
    int slot_count;
};

// --- Definition ---

drape_predictive_def dr_predictive_defaults(void)
{
    drape_predictive_def def = {.use_layers = true, .cache_regions = UINT32_MAX};
    for (int r = 0; r < 32; ++r) {
        def.regions[r] = UINT32_MAX;
    }
    return def;
}

const char* dr_predictive_refusal(const drape_predictive_def* def)
{
    if ((unsigned)def->features > DRAPE_FEATURES_POINTS) {
        return "unknown features of predictive self-collision";
    }
    for (int a = 0; a < 32; ++a) {
        for (int b = 0; b < a; ++b) {
            if ((def->regions[a] >> b & 1) != (def->regions[b] >> a & 1)) {
                return "regions must be symmetric: when one may touch another, that one may touch "
                       "it";
            }
        }
    }
    return NULL;
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

static dr_predict_part part_of(const drape_world* world, const dr_cloth* cloth)
{
    dr_friction friction = dr_world_friction(world, cloth, -1.0f, -1.0f);
    return (dr_predict_part){
        .mesh = &cloth->mesh,
        .region = cloth->regions,
        .layer = cloth->layer,
        .thickness = cloth->thickness,
        .friction_static = friction.at_rest,
        .friction_dynamic = friction.sliding,
    };
}

static dr_predict_options options_of(const drape_world* world)
{
    const drape_predictive_def* def = &world->def.predictive;
    dr_predict_options options = {
        .static_radius = world->def.static_radius,
        .kept_regions = def->cache_regions,
        .use_cache = def->use_cache,
        .use_layers = def->use_layers,
        .is_points = def->features == DRAPE_FEATURES_POINTS,
        .as_printed = world->def.method.as_printed,
        .isa = world->isa,
    };
    memcpy(options.allow, def->regions, sizeof options.allow);
    return options;
}

static void place_part(dr_predict_world* of, const part_place* part)
{
    const dr_sheet* sheet = part->cloth->sheet;
    for (int v = 0; v < part->count; ++v) {
        int slot = sheet->slot_of_vertex[v];
        of->offset[part->first + v] = (int32_t)dr_sheet_offset(sheet->layout, slot);
        of->vertex_of_slot[part->first_slot + slot] = part->first + v;
    }
}

static bool place_vertices(dr_predict_world* of, dr_memory* memory)
{
    for (int p = 0; p < of->part_count; ++p) {
        const dr_sheet* sheet = of->parts[p].cloth->sheet;
        of->parts[p].first = of->predict.mesh.parts[p].first_vertex;
        of->parts[p].count = sheet->vertex_count;
        of->parts[p].first_slot = of->slot_count;
        of->slot_count += 8 * sheet->vector_count;
    }
    of->offset = dr_new(memory, int32_t, of->predict.mesh.vertex_count + 1);
    of->vertex_of_slot = dr_new(memory, int32_t, of->slot_count + 1);
    if (!of->offset || !of->vertex_of_slot) {
        return false;
    }
    memset(of->vertex_of_slot, 0xff, sizeof *of->vertex_of_slot * (size_t)of->slot_count);
    for (int p = 0; p < of->part_count; ++p) {
        place_part(of, &of->parts[p]);
    }
    return true;
}

// --- Seams ---

// Among all; -1 when there is none.
static int vertex_of_slot(const dr_predict_world* of, const dr_cloth* cloth, int slot)
{
    for (int p = 0; p < of->part_count; ++p) {
        if (of->parts[p].cloth == cloth) {
            return of->vertex_of_slot[of->parts[p].first_slot + slot];
        }
    }
    return -1;
}

static bool join_seams(drape_world* world, dr_predict_world* of)
{
    for (int k = 0; k < dr_slots_count(&world->seams); ++k) {
        const dr_seam* seam = dr_slots_at(&world->seams, k);
        for (int i = 0; seam && i < seam->count; ++i) {
            int a = vertex_of_slot(of, dr_world_cloth(world, seam->cloth_a), seam->slots_a[i]);
            int b = vertex_of_slot(of, dr_world_cloth(world, seam->cloth_b), seam->slots_b[i]);
            if (a >= 0 && b >= 0 &&
                !dr_predict_mesh_join(&of->predict.mesh, &world->memory, a, b)) {
                return false;
            }
        }
    }
    return true;
}

// --- The whole ---

static bool create(drape_world* world, dr_predict_world* of)
{
    dr_memory* memory = &world->memory;
    int count = count_cloths(world), part = 0;
    of->part_count = count;
    of->parts = dr_new_zeroed(memory, part_place, count + 1);
    dr_predict_part* parts = dr_new_zeroed(memory, dr_predict_part, count + 1);
    bool made = of->parts && parts;
    for (int i = 0; made && i < dr_slots_count(&world->cloths); ++i) {
        dr_cloth* cloth = dr_slots_at(&world->cloths, i);
        if (cloth) {
            of->parts[part].cloth = cloth;
            parts[part++] = part_of(world, cloth);
        }
    }
    dr_predict_options options = options_of(world);
    made = made && dr_predict_create(&of->predict, memory, parts, count, &options) &&
           place_vertices(of, memory) && join_seams(world, of);
    dr_delete(memory, parts, count + 1);
    return made;
}

static bool is_predictive(const drape_world* world)
{
    return world->def.method.self == DRAPE_SELF_PREDICTIVE;
}

static bool refresh(drape_world* world)
{
    if (world->predict) {
        return true;
    }
    world->predict = dr_new_zeroed(&world->memory, dr_predict_world, 1);
    if (!world->predict || !create(world, world->predict)) {
        dr_world_free_predict(world);
        return false;
    }
    return true;
}

void dr_world_free_predict(drape_world* world)
{
    dr_predict_world* of = world->predict;
    if (!of) {
        return;
    }
    dr_memory* memory = &world->memory;
    dr_delete(memory, of->offset, of->predict.mesh.vertex_count + 1);
    dr_delete(memory, of->vertex_of_slot, of->slot_count + 1);
    dr_predict_free(&of->predict, memory);
    dr_delete(memory, of->parts, of->part_count + 1);
    dr_delete(memory, of, 1);
    world->predict = NULL;
}

void dr_world_forget_predict(drape_world* world)
{
    if (world->predict) {
        dr_predict_forget(&world->predict->predict);
    }
}

// --- Records ---

// x y z of a slot, and its inverse mass, as a record.
static inline void read_record(const float* from, int step, float* record, int components)
{
    for (int c = 0; c < components; ++c) {
        record[c] = from[c * step];
    }
}

static void read_all(dr_predict_world* of)
{
    for (int p = 0; p < of->part_count; ++p) {
        const dr_sheet* sheet = of->parts[p].cloth->sheet;
        int step = dr_sheet_step(sheet->layout), first = of->parts[p].first;
        for (int v = first; step == 1 && v < first + of->parts[p].count; ++v) {
            memcpy(of->predict.start + 4 * v, sheet->start + of->offset[v], 4 * sizeof(float));
            memcpy(of->predict.now + 4 * v, sheet->pos + of->offset[v], 4 * sizeof(float));
        }
        for (int v = first; step != 1 && v < first + of->parts[p].count; ++v) {
            read_record(sheet->start + of->offset[v], step, of->predict.start + 4 * v, 3);
            read_record(sheet->pos + of->offset[v], step, of->predict.now + 4 * v, 4);
        }
    }
}

// The touched vertices of each cloth in turn: they are in ascending order.
typedef void touch_fn(const dr_predict_world* of, const dr_sheet* sheet, int step, int vertex);

static void for_touched(const dr_predict_world* of, touch_fn* touch)
{
    const dr_predict* predict = &of->predict;
    for (int p = 0, i = 0; p < of->part_count; ++p) {
        const dr_sheet* sheet = of->parts[p].cloth->sheet;
        int step = dr_sheet_step(sheet->layout), end = of->parts[p].first + of->parts[p].count;
        for (; i < predict->touched_count && predict->touched[i] < end; ++i) {
            touch(of, sheet, step, predict->touched[i]);
        }
    }
}

static void read_now(const dr_predict_world* of, const dr_sheet* sheet, int step, int vertex)
{
    read_record(sheet->pos + of->offset[vertex], step, of->predict.now + 4 * vertex, 3);
}

static void write_now(const dr_predict_world* of, const dr_sheet* sheet, int step, int vertex)
{
    float* to = sheet->pos + of->offset[vertex];
    const float* record = of->predict.now + 4 * vertex;
    for (int c = 0; c < 3; ++c) {
        to[c * step] = record[c];
    }
}

// --- Step ---

bool dr_world_is_torn(const drape_world* world, const dr_cloth* cloth, int slot)
{
    const dr_predict_world* of = world->predict;
    int vertex = of && of->predict.torn_count > 0 ? vertex_of_slot(of, cloth, slot) : -1;
    return vertex >= 0 && (of->predict.torn[vertex] & 2);
}

// Vertices that are torn out of shape pass solids, too: they may be caught behind them. Meshes ask
// for themselves.
static void let_solids_go(drape_world* world)
{
    for (int i = 0; i < world->run_count; ++i) {
        const dr_contact_run* run = &world->runs[i];
        for (int k = 0; k < run->count; ++k) {
            for (int lane = 0; lane < 8; ++lane) {
                if (dr_world_is_torn(world, run->cloth, 8 * run->contacts[k].vector + lane)) {
                    run->contacts[k].gap[lane] = DR_CONTACT_OUT_OF_REACH;
                }
            }
        }
    }
}

bool dr_world_begin_predict(drape_world* world)
{
    if (!is_predictive(world)) {
        return true;
    }
    double t0 = dr_now_ms();
    if (!refresh(world)) {
        return false;
    }
    dr_predict_world* of = world->predict;
    dr_predict* predict = &of->predict;
    read_all(of);
    float share = world->substep.h_share;
    bool is_first = world->substep.share_end < 1.5f * share;
    if (!dr_predict_begin(predict, &world->memory, world->pool, share, is_first)) {
        return false;
    }
    if (predict->torn_count > 0) {
        let_solids_go(world);
    }
    drape_step_report* report = &world->report;
    report->box_tests += predict->box_tests;
    report->self_box_tests += predict->box_tests;
    report->exact_tests += predict->exact_tests;
    report->self_contact_count = predict->contact_count;
    report->ms.detect_self += dr_now_ms() - t0;
    return true;
}

void dr_world_resolve_predict(drape_world* world)
{
    dr_predict_world* of = is_predictive(world) ? world->predict : NULL;
    if (of && of->predict.touched_count > 0) {
        for_touched(of, read_now);
        dr_predict_sweep(&of->predict);
        for_touched(of, write_now);
    }
}

void dr_world_finish_predict(drape_world* world)
{
    if (is_predictive(world) && world->predict) {
        dr_predict_age(&world->predict->predict);
        world->report.contact_count += world->report.self_contact_count;
    }
}

// --- Snapshots ---

int dr_world_predict_word_count(const drape_world* world)
{
    return world->predict ? dr_predict_word_count(&world->predict->predict) : 0;
}

uint32_t dr_world_predict_word(const drape_world* world, int index)
{
    return dr_predict_word(&world->predict->predict, index);
}

bool dr_world_ready_predict(drape_world* world)
{
    return !is_predictive(world) || refresh(world);
}

size_t dr_world_kept_bytes(const drape_world* world, void* buffer, size_t room)
{
    size_t size = room;
    if (!world->predict || !world->predict->predict.kept.is_made) {
        return 0;
    }
    dr_predict_save(&world->predict->predict, buffer, &size);
    return size;
}

bool dr_world_kept_fits(drape_world* world, const void* bytes, size_t size)
{
    uint64_t pose;
    return size == 0 || (world->predict && dr_predict_fits(&world->predict->predict, &world->memory,
                                                           bytes, size, &pose));
}

bool dr_world_take_kept(drape_world* world, const void* bytes, size_t size)
{
    if (size == 0 && world->predict) {
        dr_predict_kept* kept = &world->predict->predict.kept;
        kept->is_made = false; // they are found in the first step
        kept->ages.count = kept->walkers.count = 0;
    }
    return size == 0 || (world->predict &&
                         dr_predict_load(&world->predict->predict, &world->memory, bytes, size));
}

bool dr_world_take_predict_words(drape_world* world, const uint32_t* words, int count)
{
    return count == 0 || (world->predict && dr_predict_take_words(&world->predict->predict,
                                                                  &world->memory, words, count));
}

// --- Regions and kept contacts ---

bool drape_cloth_set_regions(drape_world* world, drape_cloth_id id, const uint8_t* regions,
                             int count)
{
    dr_cloth* cloth = dr_world_cloth(world, id);
    if (!cloth || !regions || count != cloth->mesh.triangle_count) {
        return world && dr_world_fail(world, "regions need a cloth and one number for each of its "
                                             "triangles");
    }
    for (int t = 0; t < count; ++t) {
        if (regions[t] > 31) {
            return dr_world_fail(world, "triangle %d: a region is 0 to 31, found %d", t,
                                 regions[t]);
        }
    }
    if (count > 0 && !cloth->regions) {
        cloth->regions = dr_new(&world->memory, uint8_t, count);
        if (!cloth->regions) {
            return dr_world_fail(world, "out of memory");
        }
    }
    if (count > 0) {
        memcpy(cloth->regions, regions, (size_t)count);
    }
    dr_world_free_predict(world);
    return true;
}

// Contacts that can be saved or replaced: made from the pose of now when there are none.
static bool has_kept(drape_world* world)
{
    if (!is_predictive(world) || !world->def.predictive.use_cache) {
        return dr_world_fail(world, "this world keeps no contacts");
    }
    if (!refresh(world)) {
        return dr_world_fail(world, "out of memory");
    }
    return true;
}

bool drape_world_save_contacts(drape_world* world, void* buffer, size_t* size)
{
    if (!world || !size || !has_kept(world)) {
        return false;
    }
    dr_predict* predict = &world->predict->predict;
    if (!predict->kept.is_made) {
        read_all(world->predict);
        if (!dr_predict_keep(predict, &world->memory, world->pool)) {
            return dr_world_fail(world, "out of memory");
        }
    }
    return dr_predict_save(predict, buffer, size);
}

bool drape_world_load_contacts(drape_world* world, const void* buffer, size_t size)
{
    if (!world || !buffer || !has_kept(world)) {
        return false;
    }
    read_all(world->predict);
    dr_predict* predict = &world->predict->predict;
    uint64_t pose;
    bool fits = dr_predict_fits(predict, &world->memory, buffer, size, &pose) &&
                pose == dr_predict_hash_pose(predict) &&
                dr_predict_load(predict, &world->memory, buffer, size);
    return fits ||
           dr_world_fail(world, "these contacts are not of the cloths of this world, or were "
                                "found with other layers, regions, radii or places");
}
