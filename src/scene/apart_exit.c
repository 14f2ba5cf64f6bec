#include "scene/apart_exit.h"

#include <math.h>
#include <string.h>

#include "contact/body.h"
#include "core/vec_math.h"

// Ways that are tried for a patch, vertices that they are tried with.
enum { MOST_WAYS = 10, MOST_TRIED = 16 };

typedef dr_apart_aim aim;

// One patch and the solid that it is in.
typedef struct patch {
    dr_apart* apart;
    const dr_obstacle* obstacle;
    int first_triangle, triangle_count; // of the solid, among all
    int32_t* vertices;
    int count;
    aim* aims; // of each
    float deepest;
} patch;

static drape_vec3 place_of(const float* places, int v)
{
    return (drape_vec3){places[4 * v], places[4 * v + 1], places[4 * v + 2]};
}

// --- The nearest way of a vertex ---

static aim aim_in_shape(const patch* p, drape_vec3 x)
{
    const dr_obstacle* o = p->obstacle;
    drape_vec3 normal, local = dr_matrix_apply_transposed(o->rotation, dr_sub(x, o->place));
    float distance = dr_shape_distance(&o->terms, local, &normal);
    return (aim){-distance, dr_matrix_apply(o->rotation, normal),
                 dr_add(o->shift, dr_matrix_apply(o->turn, local))};
}

static void corners_of(const dr_apart* apart, int triangle, const float* places, drape_vec3 out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = place_of(places, apart->triangles[triangle][k]);
    }
}

static drape_vec3 weighted(const drape_vec3 v[3], const float weight[3])
{
    return dr_add(dr_add(dr_scale(v[0], weight[0]), dr_scale(v[1], weight[1])),
                  dr_scale(v[2], weight[2]));
}

// The normal of a triangle on the other side of it.
static drape_vec3 normal_from(drape_vec3 x, const drape_vec3 t[3])
{
    drape_vec3 n = dr_cross(dr_sub(t[1], t[0]), dr_sub(t[2], t[0]));
    double height = (double)n.x * ((double)x.x - t[0].x) + (double)n.y * ((double)x.y - t[0].y) +
                    (double)n.z * ((double)x.z - t[0].z);
    return dr_scale(dr_normalize(n), height > 0.0 ? -1.0f : 1.0f);
}

static aim aim_in_body(const patch* p, drape_vec3 x)
{
    const dr_apart* apart = p->apart;
    drape_vec3 t[3], ends[3];
    dr_closest best = {.squared = INFINITY};
    int nearest = p->first_triangle;
    for (int k = p->first_triangle; k < p->first_triangle + p->triangle_count; ++k) {
        corners_of(apart, k, apart->x, t);
        dr_closest closest = dr_closest_point_triangle(x, t[0], t[1], t[2]);
        if (closest.squared < best.squared) {
            best = closest;
            nearest = k;
        }
    }
    corners_of(apart, nearest, apart->x, t);
    corners_of(apart, nearest, apart->y, ends);
    drape_vec3 at = weighted(t, best.weight), n = dr_sub(at, x);
    float distance = dr_length(n);
    // From nearby the difference has lost its direction.
    bool is_near = distance < 1e-4f * dr_length(dr_sub(t[1], t[0]));
    return (aim){distance, is_near ? normal_from(x, t) : dr_normalize(n),
                 dr_sub(weighted(ends, best.weight), at)};
}

static void aim_each(patch* p)
{
    p->deepest = 0.0f;
    for (int i = 0; i < p->count; ++i) {
        drape_vec3 x = place_of(p->apart->x, p->vertices[i]);
        p->aims[i] = p->obstacle->body ? aim_in_body(p, x) : aim_in_shape(p, x);
        p->deepest = fmaxf(p->deepest, p->aims[i].distance);
    }
}

// --- One way for all ---

// How far a ray goes in an analytic solid: these are convex, so it leaves it once.
static float ray_in_shape(const patch* p, drape_vec3 x, drape_vec3 way, float most)
{
    enum { halvings = 20 };
    const dr_obstacle* o = p->obstacle;
    drape_vec3 from = dr_matrix_apply_transposed(o->rotation, dr_sub(x, o->place)), normal;
    drape_vec3 along = dr_matrix_apply_transposed(o->rotation, way);
    float lo = 0.0f, hi = most;
    if (dr_shape_distance(&o->terms, dr_add(from, dr_scale(along, most)), &normal) < 0.0f) {
        return INFINITY;
    }
    for (int i = 0; i < halvings; ++i) {
        float middle = 0.5f * (lo + hi);
        drape_vec3 at = dr_add(from, dr_scale(along, middle));
        bool is_in = dr_shape_distance(&o->terms, at, &normal) < 0.0f;
        lo = is_in ? middle : lo;
        hi = is_in ? hi : middle;
    }
    return hi;
}

// Where a ray meets a triangle; infinite where it does not.
static float meet(drape_vec3 x, drape_vec3 way, const drape_vec3 t[3])
{
    const float little = 1e-5f;
    drape_vec3 u = dr_sub(t[1], t[0]), v = dr_sub(t[2], t[0]), from = dr_sub(x, t[0]);
    drape_vec3 across = dr_cross(way, v), up = dr_cross(from, u);
    float det = dr_dot(u, across);
    if (det == 0.0f) {
        return INFINITY;
    }
    float a = dr_dot(from, across) / det, b = dr_dot(way, up) / det, at = dr_dot(v, up) / det;
    return a >= -little && b >= -little && a + b <= 1.0f + little && at >= 0.0f ? at : INFINITY;
}

static float ray_in_body(const patch* p, drape_vec3 x, drape_vec3 way)
{
    float first = INFINITY;
    for (int k = p->first_triangle; k < p->first_triangle + p->triangle_count; ++k) {
        drape_vec3 t[3];
        corners_of(p->apart, k, p->apart->x, t);
        first = fminf(first, meet(x, way, t));
    }
    return first;
}

// How far the deepest of some vertices goes, or some length above `most`.
static float try_way(const patch* p, drape_vec3 way, float most)
{
    int step = 1 + (p->count - 1) / MOST_TRIED;
    float longest = 0.0f;
    for (int i = 0; i < p->count && longest <= most; i += step) {
        drape_vec3 x = place_of(p->apart->x, p->vertices[i]);
        longest = fmaxf(longest, p->obstacle->body ? ray_in_body(p, x, way)
                                                   : ray_in_shape(p, x, way, 1.01f * most));
    }
    return longest;
}

static drape_vec3 mean_normal(const patch* p)
{
    drape_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < p->count; ++i) {
        int count;
        const int32_t* near = dr_apart_around(p->apart, p->vertices[i], &count);
        for (int k = 0; k < count; ++k) {
            drape_vec3 t[3];
            corners_of(p->apart, near[k], p->apart->x, t);
            sum = dr_add(sum, dr_cross(dr_sub(t[1], t[0]), dr_sub(t[2], t[0])));
        }
    }
    return dr_normalize(sum);
}

// Both ways across the patch, then nearest ways of some of its vertices, the deepest one first.
static int list_ways(const patch* p, drape_vec3 ways[MOST_WAYS])
{
    int count = 0, deepest = 0, step = 1 + (p->count - 1) / (MOST_WAYS - 3);
    drape_vec3 across = mean_normal(p);
    if (dr_dot(across, across) > 0.0f) {
        ways[count++] = across;
        ways[count++] = dr_scale(across, -1.0f);
    }
    for (int i = 1; i < p->count; ++i) {
        deepest = p->aims[i].distance > p->aims[deepest].distance ? i : deepest;
    }
    ways[count++] = p->aims[deepest].normal;
    for (int i = 0; i < p->count; i += step) {
        ways[count++] = p->aims[i].normal;
    }
    return count;
}

// Not much longer than the nearest ways are, and not against `side`.
static bool choose_way(const patch* p, drape_vec3 side, drape_vec3* way)
{
    const float longer = 2.0f;
    drape_vec3 ways[MOST_WAYS];
    int count = list_ways(p, ways);
    float least = longer * p->deepest;
    bool found = false;
    for (int i = 0; i < count; ++i) {
        float length = dr_dot(ways[i], side) < 0.0f ? INFINITY : try_way(p, ways[i], least);
        // Ways that are alike up to rounding: the first.
        if (length < (found ? 0.999f * least : least)) {
            least = length;
            *way = ways[i];
            found = true;
        }
    }
    return found;
}

// --- Patches ---

// All vertices that hang together with `from` and have the number `is`, which becomes `becomes`.
static int flood(const dr_apart* apart, int32_t* numbers, int from, int32_t is, int32_t becomes,
                 int32_t* out)
{
    int count = 0;
    numbers[from] = becomes;
    out[count++] = from;
    for (int done = 0; done < count; ++done) {
        int near_count;
        const int32_t* near = dr_apart_around(apart, out[done], &near_count);
        for (int i = 0; i < 3 * near_count; ++i) {
            int v = apart->triangles[near[i / 3]][i % 3];
            if (numbers[v] == is) {
                numbers[v] = becomes;
                out[count++] = v;
            }
        }
    }
    return count;
}

enum { OUTSIDE = -1, INSIDE = -2, IN_PATCH = 0, FLOODED = 1 };

// The mean of those vertices of a list that are beside the patch, seen from its middle.
static drape_vec3 side_of(const patch* p, const int32_t* numbers, const int32_t* list, int count)
{
    drape_vec3 sum = {0.0f, 0.0f, 0.0f}, middle = sum;
    int beside = 0;
    for (int i = 0; i < count; ++i) {
        int near_count;
        bool is_beside = false;
        const int32_t* near = dr_apart_around(p->apart, list[i], &near_count);
        for (int k = 0; k < 3 * near_count; ++k) {
            is_beside |= numbers[p->apart->triangles[near[k / 3]][k % 3]] == IN_PATCH;
        }
        sum = is_beside ? dr_add(sum, place_of(p->apart->x, list[i])) : sum;
        beside += is_beside;
    }
    for (int i = 0; i < p->count; ++i) {
        middle = dr_add(middle, place_of(p->apart->x, p->vertices[i]));
    }
    return beside == 0 ? sum
                       : dr_sub(dr_scale(sum, 1.0f / (float)beside),
                                dr_scale(middle, 1.0f / (float)p->count));
}

// Where the largest part of the rest of the sheet is, when there are several; else nothing.
static drape_vec3 larger_side(const patch* p, int32_t* numbers, int32_t* flooded)
{
    drape_vec3 side = {0.0f, 0.0f, 0.0f};
    int parts = 0, largest = 0, total = 0;
    for (int i = 0; i < p->count; ++i) {
        int near_count;
        const int32_t* near = dr_apart_around(p->apart, p->vertices[i], &near_count);
        for (int k = 0; k < 3 * near_count; ++k) {
            int v = p->apart->triangles[near[k / 3]][k % 3];
            if (numbers[v] != OUTSIDE) {
                continue;
            }
            int count = flood(p->apart, numbers, v, OUTSIDE, FLOODED, flooded + total);
            if (count > largest) {
                largest = count;
                side = side_of(p, numbers, flooded + total, count);
            }
            total += count;
            ++parts;
        }
    }
    for (int i = 0; i < total; ++i) {
        numbers[flooded[i]] = OUTSIDE;
    }
    return parts > 1 ? side : (drape_vec3){0.0f, 0.0f, 0.0f};
}

// --- Exits ---

static bool add_exit(dr_apart_exits* exits, dr_memory* memory, const patch* p, int i,
                     drape_vec3 way, dr_cloth* const* cloths)
{
    const dr_apart* apart = p->apart;
    int v = p->vertices[i], part = apart->part_of_vertex[v];
    const dr_cloth* cloth = cloths[part];
    int slot = cloth->sheet->slot_of_vertex[v - apart->sheets->parts[part].first_vertex];
    dr_apart_exit* exit = dr_array_push(memory, &exits->exits, sizeof *exit);
    if (!exit) {
        return false;
    }
    float wanted = fmaxf(p->aims[i].distance, 0.0f) + 0.5f * cloth->thickness;
    *exit = (dr_apart_exit){part,
                            p->aims[i].carried,
                            {.slot = {slot, slot, slot},
                             .weight = {1.0f, 0.0f, 0.0f},
                             .normal = way,
                             .anchor = dr_add(place_of(apart->x, v), p->aims[i].carried),
                             .gap = -fminf(wanted, exits->way)}};
    return true;
}

static bool is_hung(const patch* p)
{
    bool has_pin = false;
    for (int i = 0; i < p->count; ++i) {
        has_pin |= !(p->apart->y[4 * p->vertices[i] + 3] > 0.0f);
    }
    return has_pin;
}

static bool lead_patch(dr_apart_exits* exits, dr_memory* memory, patch* p, dr_cloth* const* cloths)
{
    if (is_hung(p)) {
        for (int i = 0; i < p->count; ++i) {
            p->apart->is_inside[p->vertices[i]] |= DR_APART_HUNG;
        }
        return true;
    }
    aim_each(p);
    drape_vec3 way, side = larger_side(p, exits->numbers.data, exits->flooded.data);
    bool is_common = choose_way(p, side, &way), done = true;
    for (int i = 0; i < p->count && done; ++i) {
        done = add_exit(exits, memory, p, i, is_common ? way : p->aims[i].normal, cloths);
    }
    return done;
}

static bool reserve(dr_apart_exits* exits, dr_memory* memory, int count)
{
    bool is_first = exits->numbers.capacity == 0;
    bool has_room = dr_apart_reserve(memory, &exits->numbers, sizeof(int32_t), count) &&
                    dr_apart_reserve(memory, &exits->patch, sizeof(int32_t), count) &&
                    dr_apart_reserve(memory, &exits->flooded, sizeof(int32_t), count) &&
                    dr_apart_reserve(memory, &exits->aims, sizeof(aim), count);
    if (has_room && is_first) {
        memset(exits->numbers.data, 0xff, sizeof(int32_t) * (size_t)count);
    }
    return has_room;
}

// The patches of the pairs from `first` to `last`, which are of one solid.
static bool lead_out(dr_apart_exits* exits, dr_memory* memory, patch* p, int first, int last,
                     dr_cloth* const* cloths)
{
    const dr_pair* inside = p->apart->inside.data;
    int32_t* numbers = exits->numbers.data;
    bool done = true;
    for (int i = first; i < last; ++i) {
        numbers[inside[i].b] = INSIDE;
    }
    for (int i = first; i < last && done; ++i) {
        if (numbers[inside[i].b] != INSIDE) {
            continue;
        }
        p->count = flood(p->apart, numbers, inside[i].b, INSIDE, IN_PATCH, p->vertices);
        done = lead_patch(exits, memory, p, cloths);
        for (int k = 0; k < p->count; ++k) {
            numbers[p->vertices[k]] = FLOODED;
        }
    }
    for (int i = first; i < last; ++i) {
        numbers[inside[i].b] = OUTSIDE;
    }
    return done;
}

bool dr_apart_exits_find(dr_apart_exits* exits, const dr_apart_solids* solids, drape_world* world,
                         dr_apart* apart, dr_cloth* const* cloths)
{
    const dr_pair* inside = apart->inside.data;
    exits->exits.count = 0;
    if (apart->inside.count == 0) {
        return true;
    }
    if (!reserve(exits, &world->memory, apart->sheets->vertex_count)) {
        return false;
    }
    bool done = true;
    for (int i = 0, end; i < apart->inside.count && done; i = end) {
        for (end = i + 1; end < apart->inside.count && inside[end].a == inside[i].a; ++end) {
        }
        const dr_sheets_part* part = &solids->sheets.parts[inside[i].a];
        patch p = {.apart = apart,
                   .obstacle = (const dr_obstacle*)world->obstacles.data + inside[i].a,
                   .first_triangle = apart->sheets->triangle_count + part->first_triangle,
                   .triangle_count = part[1].first_triangle - part->first_triangle,
                   .vertices = exits->patch.data,
                   .aims = exits->aims.data};
        done = lead_out(exits, &world->memory, &p, i, end, cloths);
    }
    return done;
}

void dr_apart_exits_resolve(dr_apart_exits* exits, dr_cloth* const* cloths)
{
    dr_apart_exit* all = exits->exits.data;
    for (int i = 0; i < exits->exits.count; ++i) {
        dr_contact_resolve(cloths[all[i].part]->sheet, &all[i].contact, 1);
    }
}

void dr_apart_exits_calm(const dr_apart_exits* exits, dr_cloth* const* cloths, float h)
{
    enum { chunk_slots = 8 * DR_CHUNK_VECTORS };
    const dr_apart_exit* all = exits->exits.data;
    for (int i = 0; i < exits->exits.count; ++i) {
        dr_cloth* cloth = cloths[all[i].part];
        int slot = all[i].contact.slot[0];
        drape_vec3 velocity = dr_scale(all[i].carried, 1.0f / h);
        float* fastest = &cloth->chunks[slot / chunk_slots].speed_squared;
        dr_sheet_set(cloth->sheet->layout, cloth->sheet->vel, slot, velocity);
        *fastest = fmaxf(*fastest, dr_dot(velocity, velocity));
    }
}

void dr_apart_exits_free(dr_apart_exits* exits, dr_memory* memory)
{
    dr_array_free(memory, &exits->exits, sizeof(dr_apart_exit));
    dr_array_free(memory, &exits->numbers, sizeof(int32_t));
    dr_array_free(memory, &exits->patch, sizeof(int32_t));
    dr_array_free(memory, &exits->flooded, sizeof(int32_t));
    dr_array_free(memory, &exits->aims, sizeof(aim));
}
