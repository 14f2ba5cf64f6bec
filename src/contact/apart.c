#include "contact/apart.h"

#include <math.h>
#include <string.h>

#include "collide/tree_query.h"
#include "core/isa.h"
#include "core/vec_math.h"

DR_KERNEL_TABLE(dr_apart_kernels)

bool dr_apart_reserve(dr_memory* memory, dr_array* array, size_t size, int count)
{
    return dr_array_reserve(memory, array, size, count + 8);
}

// --- Creation ---

// The sheets as one surface. Rest shapes are laid side by side, so that the tree keeps cloths apart.
typedef struct surface_arrays {
    drape_vec3* rest;
    int32_t* triangle_edges;
    uint8_t* owned;
} surface_arrays;

static void fill_part(const dr_sheets_part* part, float* begin_x, surface_arrays* arrays)
{
    const dr_mesh* mesh = part->mesh;
    float lo = INFINITY, hi = -INFINITY;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        lo = fminf(lo, mesh->rest[v].x);
        hi = fmaxf(hi, mesh->rest[v].x);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 p = mesh->rest[v];
        arrays->rest[part->first_vertex + v] = (drape_vec3){p.x - lo + *begin_x, p.y, p.z};
    }
    *begin_x += mesh->vertex_count > 0 ? hi - lo : 0.0f;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            int edge = mesh->triangle_edges[3 * t + k];
            arrays->triangle_edges[3 * (part->first_triangle + t) + k] =
                edge < 0 ? edge : part->first_edge + edge;
        }
        arrays->owned[part->first_triangle + t] = mesh->owned[t];
    }
}

static bool create_tree(const dr_sheets* s, dr_memory* memory, const surface_arrays* arrays,
                        drape_isa isa, dr_tree* tree, dr_features* features)
{
    dr_surface surface = {
        .vertex_count = s->vertex_count,
        .triangle_count = s->triangle_count,
        .edge_count = s->edge_count,
        .triangles = (const int32_t(*)[3])s->triangles,
        .rest = arrays->rest,
        .triangle_edges = arrays->triangle_edges,
        .owned = arrays->owned,
    };
    return dr_tree_build(tree, memory, &surface, dr_plan_swept, isa) &&
           dr_features_create(features, memory, tree, &surface);
}

// `rest`, four floats per vertex, becomes the rest shapes side by side.
static bool create_search(const dr_sheets* s, dr_memory* memory, drape_isa isa, float* rest,
                          dr_tree* tree, dr_features* features)
{
    size_t vertices = (size_t)s->vertex_count + 1, triangles = (size_t)s->triangle_count + 1;
    surface_arrays arrays = {dr_new_zeroed(memory, drape_vec3, vertices),
                             dr_new_zeroed(memory, int32_t, 3 * triangles),
                             dr_new_zeroed(memory, uint8_t, triangles)};
    bool made = arrays.rest && arrays.triangle_edges && arrays.owned;
    float begin_x = 0.0f;
    for (int p = 0; made && p < s->part_count; ++p) {
        fill_part(&s->parts[p], &begin_x, &arrays);
    }
    for (int v = 0; made && v < s->vertex_count; ++v) {
        memcpy(rest + 4 * v, &arrays.rest[v], sizeof arrays.rest[v]);
    }
    made = made && create_tree(s, memory, &arrays, isa, tree, features);
    dr_delete(memory, arrays.rest, vertices);
    dr_delete(memory, arrays.triangle_edges, 3 * triangles);
    dr_delete(memory, arrays.owned, triangles);
    return made;
}

static bool list_around(dr_apart* apart, dr_memory* memory)
{
    int32_t* start = apart->around_start = dr_new_zeroed(memory, int32_t, apart->vertex_count + 2);
    apart->around = dr_new(memory, int32_t, 3 * (size_t)apart->triangle_count + 1);
    apart->is_crossed = dr_new_zeroed(memory, uint8_t, apart->triangle_count + 1);
    if (!start || !apart->around || !apart->is_crossed) {
        return false;
    }
    for (int i = 0; i < 3 * apart->triangle_count; ++i) {
        ++start[apart->triangles[i / 3][i % 3] + 2];
    }
    for (int v = 0; v < apart->vertex_count; ++v) {
        start[v + 2] += start[v + 1];
    }
    // Beginnings are one place behind and move up as the lists fill.
    for (int i = 0; i < 3 * apart->triangle_count; ++i) {
        apart->around[start[apart->triangles[i / 3][i % 3] + 1]++] = i / 3;
    }
    return true;
}

static float mean_edge(const dr_apart* apart)
{
    const dr_sheets* s = apart->sheets;
    double sum = 0.0;
    for (int e = 0; e < s->edge_count; ++e) {
        const float *a = apart->rest + 4 * s->edges[e][0], *b = apart->rest + 4 * s->edges[e][1];
        sum += dr_length_double((drape_vec3){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
    }
    return s->edge_count > 0 ? (float)(sum / s->edge_count) : 0.0f;
}

// All arrays of four floats per vertex.
static float** vertex_arrays(dr_apart* apart, int k)
{
    float** const arrays[] = {&apart->x,      &apart->y,       &apart->way,    &apart->rest,
                              &apart->ball,   &apart->place,   &apart->box_lo, &apart->box_hi,
                              &apart->before, &apart->carried, &apart->drift};
    return k < (int)(sizeof arrays / sizeof arrays[0]) ? arrays[k] : NULL;
}

static int solid_part_count(const dr_apart* apart)
{
    return apart->solids ? apart->solids->part_count : 0;
}

static bool create_arrays(dr_apart* apart, dr_memory* memory)
{
    size_t vertices = (size_t)apart->vertex_count + 1;
    apart->edges =
        dr_allocate(memory, dr_array_bytes((size_t)apart->edge_count + 1, sizeof *apart->edges));
    apart->triangles = dr_allocate(
        memory, dr_array_bytes((size_t)apart->triangle_count + 1, sizeof *apart->triangles));
    apart->part_of_vertex = dr_new(memory, int32_t, vertices);
    apart->cloths = dr_new_zeroed(memory, dr_apart_cloth, apart->sheets->part_count + 1);
    apart->losses = dr_new_zeroed(memory, dr_apart_loss,
                                  apart->sheets->part_count + solid_part_count(apart) + 1);
    apart->is_open = dr_new_zeroed(memory, uint8_t, solid_part_count(apart) + 1);
    apart->share = dr_new(memory, float, vertices);
    apart->jolt = dr_new_zeroed(memory, float, vertices);
    apart->moved_at = dr_new_zeroed(memory, int64_t, vertices);
    apart->lead = dr_new(memory, int32_t, vertices);
    apart->leads = dr_new(memory, dr_apart_lead, DR_APART_LEADS);
    apart->is_pushed = dr_new_zeroed(memory, uint8_t, vertices);
    apart->is_inside = dr_new_zeroed(memory, uint8_t, vertices);
    apart->near_solids = dr_new(memory, int32_t, (size_t)apart->triangle_count + 1);
    bool made = apart->edges && apart->triangles && apart->part_of_vertex && apart->cloths &&
                apart->losses && apart->is_open && apart->share && apart->jolt && apart->moved_at &&
                apart->lead && apart->leads && apart->is_pushed && apart->is_inside &&
                apart->near_solids;
    for (int k = 0; vertex_arrays(apart, k); ++k) {
        *vertex_arrays(apart, k) = dr_new_zeroed(memory, float, 4 * vertices);
        made = made && *vertex_arrays(apart, k);
    }
    return made;
}

// Features of cloths, then those of solids.
static void number_features(dr_apart* apart, const dr_sheets* s, int first_vertex, int first_edge,
                            int first_triangle)
{
    for (int e = 0; e < s->edge_count; ++e) {
        for (int k = 0; k < 2; ++k) {
            apart->edges[first_edge + e][k] = first_vertex + s->edges[e][k];
        }
    }
    for (int t = 0; t < s->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            apart->triangles[first_triangle + t][k] = first_vertex + s->triangles[t][k];
        }
    }
}

static void number_parts(dr_apart* apart, const dr_sheets* s, int first_vertex)
{
    for (int p = 0; p < s->part_count; ++p) {
        for (int v = s->parts[p].first_vertex; v < s->parts[p + 1].first_vertex; ++v) {
            apart->part_of_vertex[first_vertex + v] = p;
        }
    }
}

bool dr_apart_create(dr_apart* apart, dr_memory* memory, const dr_sheets* sheets,
                     const dr_sheets* solids, drape_isa isa)
{
    static const dr_sheets none;
    const dr_sheets* others = solids ? solids : &none;
    *apart = (dr_apart){.sheets = sheets,
                        .solids = others->triangle_count > 0 ? solids : NULL,
                        .isa = isa,
                        .horizon = 1,
                        .is_new = true,
                        .vertex_count = sheets->vertex_count + others->vertex_count,
                        .edge_count = sheets->edge_count + others->edge_count,
                        .triangle_count = sheets->triangle_count + others->triangle_count};
    if (!create_arrays(apart, memory)) {
        return false;
    }
    number_features(apart, sheets, 0, 0, 0);
    number_features(apart, others, sheets->vertex_count, sheets->edge_count,
                    sheets->triangle_count);
    number_parts(apart, sheets, 0);
    number_parts(apart, others, sheets->vertex_count);
    bool made = create_search(sheets, memory, isa, apart->rest, &apart->tree, &apart->features) &&
                (!apart->solids ||
                 create_search(solids, memory, isa, apart->rest + 4 * sheets->vertex_count,
                               &apart->solid_tree, &apart->solid_features)) &&
                list_around(apart, memory);
    apart->edge_length = mean_edge(apart);
    return made;
}

static void free_list(dr_apart_list* list, dr_memory* memory)
{
    dr_array_free(memory, &list->vertex, sizeof(int32_t[4]));
    dr_array_free(memory, &list->lower, sizeof(float));
    dr_array_free(memory, &list->after, sizeof(float));
    dr_array_free(memory, &list->record, sizeof(int32_t));
}

void dr_apart_free(dr_apart* apart, dr_memory* memory)
{
    if (!apart->sheets) {
        return;
    }
    size_t vertices = (size_t)apart->vertex_count + 1;
    size_t triangles = (size_t)apart->triangle_count + 1;
    dr_delete(memory, apart->edges, (size_t)apart->edge_count + 1);
    dr_delete(memory, apart->triangles, triangles);
    dr_delete(memory, apart->part_of_vertex, vertices);
    dr_delete(memory, apart->cloths, apart->sheets->part_count + 1);
    dr_delete(memory, apart->losses, apart->sheets->part_count + solid_part_count(apart) + 1);
    dr_delete(memory, apart->is_open, solid_part_count(apart) + 1);
    dr_delete(memory, apart->share, vertices);
    dr_delete(memory, apart->jolt, vertices);
    dr_delete(memory, apart->moved_at, vertices);
    dr_delete(memory, apart->lead, vertices);
    dr_delete(memory, apart->leads, DR_APART_LEADS);
    dr_delete(memory, apart->is_pushed, vertices);
    dr_delete(memory, apart->is_inside, vertices);
    dr_delete(memory, apart->near_solids, triangles);
    dr_delete(memory, apart->is_crossed, triangles);
    for (int k = 0; vertex_arrays(apart, k); ++k) {
        dr_delete(memory, *vertex_arrays(apart, k), 4 * vertices);
    }
    dr_delete(memory, apart->around_start, vertices + 1);
    dr_delete(memory, apart->around, 3 * (triangles - 1) + 1);
    dr_array_free(memory, &apart->crossed, sizeof(dr_pair));
    dr_array_free(memory, &apart->crossing, sizeof(dr_pair));
    dr_array_free(memory, &apart->inside, sizeof(dr_pair));
    dr_untangle_free(&apart->untangle, memory);
    dr_features_free(&apart->features, memory);
    dr_tree_free(&apart->tree, memory);
    dr_features_free(&apart->solid_features, memory);
    dr_tree_free(&apart->solid_tree, memory);
    dr_array_free(memory, &apart->solid_pairs, sizeof(dr_pair));
    dr_pair_search_free(&apart->search, memory);
    for (int list = 0; list < DR_APART_LISTS; ++list) {
        free_list(&apart->lists[list], memory);
    }
    dr_array_free(memory, &apart->kept, sizeof(dr_apart_near));
    dr_array_free(memory, &apart->sorted, sizeof(dr_apart_near));
    dr_array_free(memory, &apart->bucket, sizeof(int32_t));
    dr_array_free(memory, &apart->flagged, sizeof(int32_t));
    dr_array_free(memory, &apart->flag_counts, sizeof(int32_t));
    dr_array_free(memory, &apart->quads, sizeof(int32_t[4]));
    dr_array_free(memory, &apart->closest, sizeof(dr_closest));
    dr_array_free(memory, &apart->distance, sizeof(float));
    dr_array_free(memory, &apart->at_rest, sizeof(float));
    dr_array_free(memory, &apart->wanted, sizeof(int32_t));
    dr_array_free(memory, &apart->contacts, sizeof(dr_apart_contact));
    dr_array_free(memory, &apart->records, sizeof(dr_apart_record));
    dr_array_free(memory, &apart->failed, sizeof(dr_apart_record));
    *apart = (dr_apart){0};
}

void dr_apart_forget(dr_apart* apart)
{
    apart->has_list = false;
    apart->is_known = false;
    apart->is_new = true;
    apart->age = 0;
}

// --- Triangles of solids ---

void dr_apart_refit_solids(dr_apart* apart, dr_pool* pool)
{
    if (apart->solids) {
        dr_motion motion = {.start = apart->x + 4 * apart->sheets->vertex_count, .stride = 4};
        dr_tree_refit(&apart->solid_tree, pool, &motion);
    }
}

int dr_apart_list_solids(const dr_apart* apart, drape_vec3 lo, drape_vec3 hi)
{
    int first = apart->sheets->triangle_count;
    int count = apart->solids ? dr_tree_box_query(&apart->solid_tree, lo, hi, apart->near_solids,
                                                  apart->triangle_count - first)
                              : 0;
    for (int i = 0; i < count; ++i) {
        apart->near_solids[i] += first;
    }
    return count;
}

// --- A substep ---

void dr_apart_set_ways(dr_apart* apart)
{
    // Beyond this a cloth has exploded.
    const float most = 1e12f;
    float largest = 0.0f, longest = 0.0f, of_solids = 0.0f;
    bool is_sound = true;
    int cloth_count = apart->sheets->vertex_count;
    for (int v = 0; v < apart->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            float y = apart->y[4 * v + c], x = apart->x[4 * v + c];
            apart->way[4 * v + c] = y - x;
            longest = dr_apart_larger(longest, fabsf(y - x));
            // What solids are is given and is not rounded again.
            float* of_these = v < cloth_count ? &largest : &of_solids;
            *of_these = dr_apart_larger(*of_these, fabsf(x));
            is_sound = is_sound && fabsf(y) <= most;
        }
    }
    apart->way_rounding = 0x1p-21f * longest;
    apart->is_sound = is_sound;
    // Sixty-four times what a place may be rounded by.
    apart->floor = 0x1p-18f * largest + 0x1p-30f;
    apart->doubt = 2.0f * apart->floor + fminf(0x1p-18f * of_solids, 0.05f * apart->edge_length);
    apart->guarded = dr_apart_larger(apart->floor, 0.1f * dr_apart_reach(apart));
}

static void suspect(dr_apart* apart, const int32_t* vertex, int count)
{
    int cloth_count = apart->sheets->vertex_count;
    for (int i = 0; i < count; ++i) {
        if (vertex[i] < cloth_count) {
            apart->is_inside[vertex[i]] |= DR_APART_SUSPECT;
        }
    }
}

// Who may have gone into a solid, or out of one: what has a pair with it that was not guarded.
static void note_suspects(dr_apart* apart)
{
    const dr_pair* crossed = apart->crossed.data;
    for (int i = 0; i < apart->crossed.count; ++i) {
        if (crossed[i].b >= apart->sheets->triangle_count) {
            suspect(apart, apart->triangles[crossed[i].a], 3);
        }
    }
    const dr_apart_record* records = apart->records.data;
    for (int i = 0; i < apart->records.count; ++i) {
        if (records[i].is_exempt && records[i].list >= DR_APART_SOLID) {
            suspect(apart, records[i].vertex, 4);
        }
    }
}

void dr_apart_commit(dr_apart* apart)
{
    note_suspects(apart);
    for (int k = 0; k < DR_APART_LISTS; ++k) {
        dr_apart_list* list = &apart->lists[k];
        dr_array lower = list->lower;
        list->lower = list->after;
        list->after = lower;
    }
    dr_apart_drop_records(apart);
    // Where cloths are the caller says; solids go on from here.
    size_t first = 4 * (size_t)apart->sheets->vertex_count, last = 4 * (size_t)apart->vertex_count;
    memcpy(apart->x + first, apart->y + first, sizeof *apart->x * (last - first));
    apart->has_list = apart->has_list && !apart->is_for_guard && !apart->is_crowded;
    // What touched or was pinched may have come to cross.
    apart->is_known = apart->is_known && apart->pinched_count == 0 && apart->exempt_count == 0;
    apart->pinched_count = apart->jammed_count = apart->exempt_count = 0;
    apart->contacts.count = 0;
    ++apart->age;
}

void dr_apart_undo(dr_apart* apart)
{
    dr_apart_drop_records(apart);
    apart->has_list = apart->has_list && !apart->is_for_guard && !apart->is_crowded;
    apart->is_watched = false;
    apart->contacts.count = 0;
    apart->pinched_count = apart->jammed_count = 0;
    apart->cut_count = apart->exempt_count = 0;
    apart->lost = 0.0;
    memset(apart->losses, 0, sizeof *apart->losses * (size_t)apart->sheets->part_count);
}
