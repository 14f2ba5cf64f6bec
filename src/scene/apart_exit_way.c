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

// Ways that are tried for a patch, members that they are tried with.
enum { FIXED_WAYS = 14, MOST_WAYS = 12 + FIXED_WAYS, MOST_TRIED = 16 };

// --- Triangles of the patch ---

static drape_vec3 normal_of(const dr_apart* apart, int triangle)
{
    drape_vec3 t[3];
    dr_exit_corners(apart, triangle, apart->x, t);
    return dr_normalize(dr_cross(dr_sub(t[1], t[0]), dr_sub(t[2], t[0])));
}

// The first corner of a triangle that is in the patch.
static int corner_in(const dr_exit_patch* p, int triangle)
{
    const int32_t* t = p->apart->triangles[triangle];
    return p->numbers[t[0]] == DR_EXIT_IN_PATCH   ? t[0]
           : p->numbers[t[1]] == DR_EXIT_IN_PATCH ? t[1]
                                                  : t[2];
}

// Each belongs to one member.
static bool is_own(const dr_exit_patch* p, const dr_exit_member* member, int triangle)
{
    return !dr_exit_is_vertex(member) || corner_in(p, triangle) == member->vertex[0];
}

// --- The nearest way of each ---

// Whether neighbours of a vertex would leave the solid on another side than it does by their nearest
// ways: far from it, or in another direction.
static bool would_tear_at(const dr_exit_patch* p, const dr_exit_member* member)
{
    const float most = 2.0f, aside = 0.1f;
    const float *x = p->apart->x, *rest = p->apart->rest;
    int v = member->vertex[0], near_count;
    const int32_t* near = dr_apart_around(p->apart, v, &near_count);
    drape_vec3 exit = dr_add(member->place, dr_scale(member->aim.normal, member->aim.distance));
    bool is_torn = false;
    for (int k = 0; k < 3 * near_count && !is_torn; ++k) {
        int other = p->apart->triangles[near[k / 3]][k % 3];
        if (other <= v || p->numbers[other] != DR_EXIT_IN_PATCH) {
            continue;
        }
        drape_vec3 place = dr_exit_place(x, other);
        float at_rest = dr_length(dr_sub(dr_exit_place(rest, v), dr_exit_place(rest, other)));
        float now = dr_length(dr_sub(member->place, place));
        dr_apart_aim aim = p->aims[other];
        place = dr_add(place, dr_scale(aim.normal, aim.distance));
        is_torn = dr_dot(aim.normal, member->aim.normal) < aside ||
                  dr_length(dr_sub(exit, place)) > most * fmaxf(at_rest, now);
    }
    return is_torn;
}

// Whether the surface of the group is where a pair crosses, and not the inside of another solid.
static bool is_on_surface(const dr_exit_patch* p, int solid, dr_pair pair)
{
    drape_vec3 place;
    return p->group.count < 2 || !dr_exit_find_crossing(p->apart, pair, &place) ||
           dr_exit_find_in(&p->group, place, solid) < 0;
}

static drape_vec3 outwards(const dr_exit_patch* p, int solid, int triangle)
{
    return dr_scale(normal_of(p->apart, triangle), p->group.solids[solid].turn);
}

// Whether the nearest way leads against the solids where triangles of the member go through their
// surface: a post is not left sideways.
static bool is_blocked(const dr_exit_patch* p, const dr_exit_member* member)
{
    const float against = -0.15f, most_share = 0.15f;
    int near_count, blocked = 0, total = 0;
    const int32_t* near = dr_exit_triangles(p, member, &near_count);
    for (int k = 0; k < near_count * p->group.count; ++k) {
        int count, solid = k % p->group.count;
        const dr_pair* crossed = dr_apart_crossed_in(p->apart, near[k / p->group.count],
                                                     p->group.solids[solid].number, &count);
        for (int i = 0; i < count; ++i) {
            bool is_on = is_on_surface(p, solid, crossed[i]);
            float along = dr_dot(outwards(p, solid, crossed[i].b), member->aim.normal);
            blocked += is_on && along < against;
            total += is_on;
        }
    }
    return (float)blocked > most_share * (float)total;
}

// --- What tears ---

static bool are_beside(const dr_exit_member* a, const dr_exit_member* b)
{
    bool are = false;
    for (int i = 0; i < 9; ++i) {
        are |= a->vertex[i / 3] == b->vertex[i % 3];
    }
    return are;
}

// Whether points of neighbouring triangles would go opposite ways.
static bool would_tear_points(const dr_exit_patch* p)
{
    const float aside = 0.1f;
    bool is_torn = false;
    for (int i = 0; i < p->count && !is_torn; ++i) {
        const dr_exit_member* a = &p->members[i];
        for (int k = 0; k < i && !is_torn && !dr_exit_is_vertex(a); ++k) {
            const dr_exit_member* b = &p->members[k];
            is_torn = dr_dot(a->aim.normal, b->aim.normal) < aside && are_beside(a, b);
        }
    }
    return is_torn;
}

static bool would_tear(const dr_exit_patch* p)
{
    bool is_torn = would_tear_points(p);
    for (int i = 0; i < p->count && !is_torn; ++i) {
        const dr_exit_member* member = &p->members[i];
        is_torn = !member->aim.is_out || is_blocked(p, member) ||
                  (dr_exit_is_vertex(member) && would_tear_at(p, member));
    }
    return is_torn;
}

// --- The ring ---

// Whether the largest part of the sheet is where the normal of a triangle of the solid points.
static bool is_to_largest(const dr_exit_patch* p, int triangle, int of_solid, drape_vec3 normal)
{
    const dr_apart* apart = p->apart;
    drape_vec3 origin = dr_exit_place(apart->x, apart->triangles[of_solid][0]);
    bool is_to = false;
    for (int k = 0; k < 3; ++k) {
        int v = apart->triangles[triangle][k];
        is_to |= p->numbers[v] == DR_EXIT_LARGEST &&
                 dr_dot(normal, dr_sub(dr_exit_place(apart->x, v), origin)) > 0.0f;
    }
    return is_to;
}

static bool add_to_ring(dr_exit_patch* p, dr_memory* memory, int solid, int triangle)
{
    int count;
    const dr_pair* crossed =
        dr_apart_crossed_in(p->apart, triangle, p->group.solids[solid].number, &count);
    for (int i = 0; i < count; ++i) {
        if (!is_on_surface(p, solid, crossed[i])) {
            continue;
        }
        drape_vec3* normal = dr_array_push(memory, p->ring, sizeof *normal);
        if (!normal) {
            return false;
        }
        *normal = outwards(p, solid, crossed[i].b);
        if (is_to_largest(p, triangle, crossed[i].b, *normal)) {
            p->to_largest = dr_add(p->to_largest, *normal);
        }
    }
    return true;
}

static bool list_ring(dr_exit_patch* p, dr_memory* memory)
{
    bool done = true;
    p->ring->count = 0;
    p->to_largest = (drape_vec3){0.0f, 0.0f, 0.0f};
    for (int i = 0; i < p->count && done; ++i) {
        int count;
        const int32_t* near = dr_exit_triangles(p, &p->members[i], &count);
        for (int k = 0; k < count * p->group.count && done; ++k) {
            int triangle = near[k / p->group.count], solid = k % p->group.count;
            done = !is_own(p, &p->members[i], triangle) || add_to_ring(p, memory, solid, triangle);
        }
    }
    return done;
}

static bool is_open(const dr_exit_patch* p, drape_vec3 way)
{
    const float against = -0.05f, most_share = 0.1f;
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

// How far the deepest of some members goes, or some length above `most`.
static float try_way(const dr_exit_patch* p, drape_vec3 way, float most)
{
    int step = 1 + (p->count - 1) / MOST_TRIED;
    float longest = 0.0f;
    for (int i = 0; i < p->count && longest <= most; i += step) {
        const dr_exit_member* member = &p->members[i];
        longest = fmaxf(
            longest, dr_exit_ray_out(&p->group, member->solid, member->place, way, 1.01f * most));
    }
    return longest;
}

static drape_vec3 mean_normal(const dr_exit_patch* p)
{
    drape_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < p->count; ++i) {
        int count;
        const int32_t* near = dr_exit_triangles(p, &p->members[i], &count);
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

// Along the axes, and between all three: where nothing about the patch says where to go.
static int list_fixed(drape_vec3 ways[FIXED_WAYS])
{
    const float a = 0.57735f;
    int count = 0;
    count += add_both((drape_vec3){0.0f, 1.0f, 0.0f}, ways + count);
    count += add_both((drape_vec3){1.0f, 0.0f, 0.0f}, ways + count);
    count += add_both((drape_vec3){0.0f, 0.0f, 1.0f}, ways + count);
    for (int i = 0; i < 4; ++i) {
        count += add_both((drape_vec3){i & 1 ? a : -a, a, i & 2 ? a : -a}, ways + count);
    }
    return count;
}

// Both ways along the solid and across the patch, then nearest ways of some of its members, the
// deepest one first.
static int list_ways(const dr_exit_patch* p, drape_vec3 ways[MOST_WAYS])
{
    int count = 0, deepest = 0, step = 1 + (p->count - 1) / (MOST_WAYS - FIXED_WAYS - 5);
    drape_vec3 across = mean_normal(p);
    if (dr_dot(across, across) > 0.0f) {
        count += p->ring->count > 0 ? add_both(along_ring(p, across), ways) : 0;
        count += add_both(across, ways + count);
    }
    for (int i = 1; i < p->count; ++i) {
        deepest = p->members[i].aim.distance > p->members[deepest].aim.distance ? i : deepest;
    }
    ways[count++] = p->members[deepest].aim.normal;
    for (int i = 0; i < p->count; i += step) {
        ways[count++] = p->members[i].aim.normal;
    }
    return count + list_fixed(ways + count);
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

// From one end of the solids that the patch is in to the other, or a guess.
static float size_of(const dr_exit_patch* p)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < p->count; ++i) {
        const dr_obstacle* o = p->group.solids[p->members[i].solid].obstacle;
        for (int c = 0; c < 3; ++c) {
            lo[c] = fminf(lo[c], o->lo[c]);
            hi[c] = fmaxf(hi[c], o->hi[c]);
        }
    }
    float length = dr_length((drape_vec3){hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]});
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

// The same, with what is pressed against solids on the way.
static float choose_shadowed(dr_exit_patch* p, const drape_vec3* ways, int count, float most,
                             drape_vec3* way)
{
    const float dearer = 1.5f; // to go through solids
    float least = most;
    int best = -1;
    for (int i = 0; i < count; ++i) {
        float length = dr_exit_cast_shadow(p, ways[i], try_way(p, ways[i], least), least);
        length *= p->shadow_count > 0 || !is_open(p, ways[i]) ? dearer : 1.0f;
        if (length < (best >= 0 ? 0.999f * least : least)) {
            least = length;
            best = i;
        }
    }
    dr_exit_leave_shadow(p);
    if (best < 0) {
        return INFINITY;
    }
    *way = ways[best];
    dr_exit_cast_shadow(p, *way, try_way(p, *way, most), most);
    return least;
}

// What would be torn goes out by an open way, however far that is, or through solids with what is in
// its way, if that is less far.
bool dr_exit_find_way(dr_exit_patch* p, dr_memory* memory, dr_exit_way* way)
{
    const float longer = 2.0f;
    drape_vec3 ways[MOST_WAYS];
    *way = (dr_exit_way){.is_found = false};
    if (!list_ring(p, memory)) {
        return false;
    }
    int count = list_ways(p, ways);
    bool is_torn = would_tear(p);
    float most = is_torn ? size_of(p) : longer * p->deepest;
    float open = choose_way(p, ways, count, most, true, &way->normal);
    way->is_drawn = p->smaller_size > 0.0f && isfinite(draw_through(p, open, &way->normal));
    way->is_found = way->is_drawn || isfinite(open);
    if (is_torn && !way->is_drawn) {
        way->is_found |= isfinite(choose_shadowed(p, ways, count, longer * most, &way->normal));
        way->is_drawn = way->is_found && !is_open(p, way->normal);
    }
    way->is_found = way->is_found ||
                    isfinite(choose_way(p, ways, count, longer * p->deepest, false, &way->normal));
    return true;
}
