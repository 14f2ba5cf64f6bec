// Which way a patch goes out of a solid.
//
// Where the sheet goes through the surface there is a *ring* of places, and a way is *open* when it
// does not lead against the surface there: what is outside would be pressed against the solid, and
// hold the patch. A sheet that is impaled on a post has open ways only along the post; one that has
// the post near its border also has the one by which the border passes it. A sheet that goes through
// a wall has none nearby, and its smaller part has to be drawn through.
#include <math.h>

#include "core/double3.h"
#include "scene/apart_exit_parts.h"

// Ways that are tried for a patch, vertices that they are tried with.
enum { MOST_WAYS = 12, MOST_TRIED = 16 };

// --- The nearest way of each ---

void dr_exit_aim_each(dr_exit_patch* p)
{
    p->deepest = 0.0f;
    for (int i = 0; i < p->count; ++i) {
        drape_vec3 x = dr_exit_place(p->apart->x, p->vertices[i]);
        p->aims[i] = dr_exit_aim(&p->solid, x);
        p->deepest = fmaxf(p->deepest, p->aims[i].distance);
    }
}

// Whether neighbours would leave the solid on different sides by their nearest ways: far from each
// other, or in other directions.
static bool would_tear(const dr_exit_patch* p, const int32_t* numbers)
{
    const float most = 2.0f, aside = 0.1f;
    bool is_torn = false;
    for (int i = 0; i < p->count && !is_torn; ++i) {
        int v = p->vertices[i], near_count;
        const int32_t* near = dr_apart_around(p->apart, v, &near_count);
        drape_vec3 exit =
            dr_add(dr_exit_place(p->apart->x, v), dr_scale(p->aims[i].normal, p->aims[i].distance));
        for (int k = 0; k < 3 * near_count && !is_torn; ++k) {
            int other = p->apart->triangles[near[k / 3]][k % 3];
            if (other <= v || numbers[other] != DR_EXIT_IN_PATCH) {
                continue;
            }
            float rest = dr_length(
                dr_sub(dr_exit_place(p->apart->rest, v), dr_exit_place(p->apart->rest, other)));
            float now =
                dr_length(dr_sub(dr_exit_place(p->apart->x, v), dr_exit_place(p->apart->x, other)));
            drape_vec3 x = dr_exit_place(p->apart->x, other);
            dr_apart_aim aim = dr_exit_aim(&p->solid, x);
            x = dr_add(x, dr_scale(aim.normal, aim.distance));
            is_torn = dr_dot(aim.normal, p->aims[i].normal) < aside ||
                      dr_length(dr_sub(exit, x)) > most * fmaxf(rest, now);
        }
    }
    return is_torn;
}

// --- The ring ---

// The first corner of a triangle that is in the patch.
static int corner_in(const dr_exit_patch* p, int triangle, const int32_t* numbers)
{
    const int32_t* t = p->apart->triangles[triangle];
    int k = 0;
    while (numbers[t[k]] != DR_EXIT_IN_PATCH) {
        ++k;
    }
    return t[k];
}

// The normal of a triangle on the side where a place is not.
static drape_vec3 normal_away(const dr_apart* apart, int triangle, drape_vec3 place)
{
    drape_vec3 t[3];
    dr_exit_corners(apart, triangle, apart->x, t);
    drape_vec3 n = dr_normalize(dr_cross(dr_sub(t[1], t[0]), dr_sub(t[2], t[0])));
    return dr_dot(n, dr_sub(place, t[0])) > 0.0f ? dr_scale(n, -1.0f) : n;
}

static bool is_at_largest(const dr_apart* apart, int triangle, const int32_t* numbers)
{
    const int32_t* t = apart->triangles[triangle];
    return numbers[t[0]] == DR_EXIT_LARGEST || numbers[t[1]] == DR_EXIT_LARGEST ||
           numbers[t[2]] == DR_EXIT_LARGEST;
}

// Each triangle of the cloth from one corner.
static bool list_ring(dr_exit_patch* p, dr_memory* memory, const int32_t* numbers)
{
    p->ring->count = 0;
    p->to_largest = (drape_vec3){0.0f, 0.0f, 0.0f};
    for (int i = 0; i < p->count; ++i) {
        int v = p->vertices[i], near_count;
        const int32_t* near = dr_apart_around(p->apart, v, &near_count);
        for (int k = 0; k < near_count; ++k) {
            int count = 0;
            const dr_pair* crossed = corner_in(p, near[k], numbers) == v
                                         ? dr_apart_crossed_in(p->apart, near[k], p->number, &count)
                                         : NULL;
            bool is_there = is_at_largest(p->apart, near[k], numbers);
            for (int j = 0; j < count; ++j) {
                drape_vec3* normal = dr_array_push(memory, p->ring, sizeof *normal);
                if (!normal) {
                    return false;
                }
                *normal = normal_away(p->apart, crossed[j].b, dr_exit_place(p->apart->x, v));
                p->to_largest = is_there ? dr_add(p->to_largest, *normal) : p->to_largest;
            }
        }
    }
    return true;
}

static bool is_open(const dr_exit_patch* p, drape_vec3 way)
{
    const float against = -0.15f, most_share = 0.1f;
    const drape_vec3* ring = p->ring->data;
    int blocked = 0;
    for (int i = 0; i < p->ring->count; ++i) {
        blocked += dr_dot(ring[i], way) < against;
    }
    return (float)blocked <= most_share * (float)p->ring->count;
}

// Along the surface of the solid all around the ring, next to `guess`: the eigenvector of the normals
// with the least eigenvalue, by inverse iteration.
static drape_vec3 along_ring(const dr_exit_patch* p, drape_vec3 guess)
{
    enum { rounds = 12 };
    const drape_vec3* ring = p->ring->data;
    double sum[3][3] = {{0}}, inverse[3][3], v[3] = {guess.x, guess.y, guess.z};
    for (int i = 0; i < p->ring->count; ++i) {
        const double n[3] = {ring[i].x, ring[i].y, ring[i].z};
        for (int k = 0; k < 9; ++k) {
            sum[k / 3][k % 3] += n[k / 3] * n[k % 3] / p->ring->count;
        }
    }
    for (int k = 0; k < 3; ++k) {
        sum[k][k] += 0.01; // so that it has an inverse
    }
    for (int k = 0; k < 3; ++k) { // times the determinant
        dr_cross3(sum[(k + 1) % 3], sum[(k + 2) % 3], inverse[k]);
    }
    for (int round = 0; round < rounds; ++round) {
        const double w[3] = {dr_dot3(inverse[0], v), dr_dot3(inverse[1], v),
                             dr_dot3(inverse[2], v)};
        double length = sqrt(dr_dot3(w, w));
        for (int c = 0; c < 3 && length > 0.0; ++c) {
            v[c] = w[c] / length;
        }
    }
    return (drape_vec3){(float)v[0], (float)v[1], (float)v[2]};
}

// --- One way for all ---

// How far the deepest of some vertices goes, or some length above `most`.
static float try_way(const dr_exit_patch* p, drape_vec3 way, float most)
{
    int step = 1 + (p->count - 1) / MOST_TRIED;
    float longest = 0.0f;
    for (int i = 0; i < p->count && longest <= most; i += step) {
        drape_vec3 x = dr_exit_place(p->apart->x, p->vertices[i]);
        longest = fmaxf(longest, dr_exit_ray(&p->solid, x, way, 1.01f * most));
    }
    return longest;
}

static drape_vec3 mean_normal(const dr_exit_patch* p)
{
    drape_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < p->count; ++i) {
        int count;
        const int32_t* near = dr_apart_around(p->apart, p->vertices[i], &count);
        for (int k = 0; k < count; ++k) {
            drape_vec3 t[3];
            dr_exit_corners(p->apart, near[k], p->apart->x, t);
            sum = dr_add(sum, dr_cross(dr_sub(t[1], t[0]), dr_sub(t[2], t[0])));
        }
    }
    return dr_normalize(sum);
}

static int add_both(drape_vec3 way, drape_vec3* ways)
{
    ways[0] = way;
    ways[1] = dr_scale(way, -1.0f);
    return 2;
}

// Both ways along the solid and across the patch, then nearest ways of some of its vertices, the
// deepest one first.
static int list_ways(const dr_exit_patch* p, drape_vec3 ways[MOST_WAYS])
{
    int count = 0, deepest = 0, step = 1 + (p->count - 1) / (MOST_WAYS - 5);
    drape_vec3 across = mean_normal(p);
    if (dr_dot(across, across) > 0.0f) {
        count += p->ring->count > 0 ? add_both(along_ring(p, across), ways) : 0;
        count += add_both(across, ways + count);
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

// The shortest of them, if it is shorter than `most`. Returns how far it is, or infinity.
static float choose_way(const dr_exit_patch* p, const drape_vec3* ways, int count, float most,
                        bool has_to_be_open, drape_vec3* way)
{
    float least = most;
    bool found = false;
    for (int i = 0; i < count; ++i) {
        bool can_be = !has_to_be_open || is_open(p, ways[i]);
        float length = can_be ? try_way(p, ways[i], least) : INFINITY;
        // Ways that are alike up to rounding: the first.
        if (length < (found ? 0.999f * least : least)) {
            least = length;
            *way = ways[i];
            found = true;
        }
    }
    return found ? least : INFINITY;
}

// From one end of the solid to the other, or a guess.
static float size_of(const dr_exit_patch* p)
{
    const dr_obstacle* o = p->solid.obstacle;
    drape_vec3 size = {o->hi[0] - o->lo[0], o->hi[1] - o->lo[1], o->hi[2] - o->lo[2]};
    float length = dr_length(size);
    return isfinite(length) ? length : 50.0f * p->deepest;
}

// How far the patch and then what hangs on it have to go, if that is less than `most`.
static float draw_through(const dr_exit_patch* p, float most, drape_vec3* way)
{
    drape_vec3 to_largest = dr_normalize(p->to_largest);
    if (!(dr_dot(to_largest, to_largest) > 0.0f) || !(p->smaller_size < most)) {
        return INFINITY;
    }
    float length = p->smaller_size + try_way(p, to_largest, fminf(most, size_of(p)));
    *way = length < most ? to_largest : *way;
    return length < most ? length : INFINITY;
}

// What would be torn goes out by an open way, however far that is; or through, if that is less far.
bool dr_exit_find_way(dr_exit_patch* p, dr_memory* memory, const int32_t* numbers, dr_exit_way* way)
{
    const float longer = 2.0f;
    drape_vec3 ways[MOST_WAYS];
    *way = (dr_exit_way){.is_found = false};
    if (!list_ring(p, memory, numbers)) {
        return false;
    }
    int count = list_ways(p, ways);
    float most = would_tear(p, numbers) ? size_of(p) : longer * p->deepest;
    float open = choose_way(p, ways, count, most, true, &way->normal);
    way->is_drawn = p->smaller_size > 0.0f && isfinite(draw_through(p, open, &way->normal));
    way->is_found = way->is_drawn || isfinite(open) ||
                    isfinite(choose_way(p, ways, count, longer * p->deepest, false, &way->normal));
    return true;
}
