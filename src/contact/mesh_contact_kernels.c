// Places in the frame of a body, and what of it is near, compiled once per instruction set.
#include "collide/closest_lanes.h"
#include "contact/mesh_contact.h"
#include "solver/sheet_lanes.h"

static inline dr_v8 splat(drape_vec3 v)
{
    return dr_v8_set(v.x, v.y, v.z);
}

static inline dr_v8 matrix_apply_transposed(const float m[9], dr_v8 v)
{
    return (dr_v8){dr_v8_dot(dr_v8_set(m[0], m[3], m[6]), v),
                   dr_v8_dot(dr_v8_set(m[1], m[4], m[7]), v),
                   dr_v8_dot(dr_v8_set(m[2], m[5], m[8]), v)};
}

// --- Frames ---

static const int32_t consecutive[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static inline dr_v8 load_records(const float* array, int vector)
{
    dr_f8 c[4];
    dr_f8_gather4(array + (size_t)vector * 32, consecutive, c);
    return (dr_v8){c[0], c[1], c[2]};
}

static inline dr_f8 load_fourth(const float* array, int vector)
{
    dr_f8 c[4];
    dr_f8_gather4(array + (size_t)vector * 32, consecutive, c);
    return c[3];
}

static inline void store_records(float* array, int vector, dr_v8 p, dr_f8 w)
{
    const dr_f8 c[4] = {p.x, p.y, p.z, w};
    dr_f8_scatter4(array + (size_t)vector * 32, consecutive, c);
}

// By how much both ends of a way are within a box along one axis.
static inline dr_f8 slack_along(dr_f8 a, dr_f8 b, dr_f8 lo, dr_f8 hi)
{
    return dr_f8_min(dr_f8_sub(dr_f8_min(a, b), lo), dr_f8_sub(hi, dr_f8_max(a, b)));
}

static float largest_lane(dr_f8 a)
{
    float lane[8], largest;
    dr_f8_store(lane, a);
    largest = lane[0];
    for (int i = 1; i < 8; ++i) {
        largest = lane[i] > largest ? lane[i] : largest;
    }
    return largest;
}

// Adds a move to eight sums, rounded up.
static inline dr_f8 add_move(float* sums, dr_f8 move)
{
    dr_f8 sum = dr_f8_add(dr_f8_load(sums), dr_f8_mul(dr_f8_set(1.00001f), move));
    sum = dr_f8_add(dr_f8_mul(sum, dr_f8_set(1.0000003f)), dr_f8_set(1e-9f));
    dr_f8_store(sums, sum);
    return sum;
}

static void frame(const dr_sheet* sheet, const dr_obstacle* obstacle, int begin, int end,
                  dr_touch_frame* out)
{
    dr_v8 place = splat(obstacle->place), place_end = dr_v8_add(place, splat(obstacle->shift));
    dr_f8 slack = dr_f8_set(1e30f), most = dr_f8_zero();
    for (int k = begin; k < end; ++k) {
        dr_lanes start = dr_lanes_load(sheet->layout, sheet->start, k);
        dr_lanes pos = dr_lanes_load(sheet->layout, sheet->pos, k);
        dr_v8 p = matrix_apply_transposed(obstacle->rotation, dr_v8_sub(start.p, place));
        dr_v8 q = matrix_apply_transposed(obstacle->rotation_end, dr_v8_sub(pos.p, place_end));
        dr_v8 way = dr_v8_sub(q, p), since = dr_v8_sub(p, load_records(out->local, k));
        dr_f8 moved = add_move(out->moved + (size_t)k * 8, dr_f8_sqrt(dr_v8_dot(since, since)));
        dr_f8 length = dr_f8_sqrt(dr_v8_dot(way, way));
        store_records(out->local, k, p, length);
        store_records(out->ahead, k, q, out->predicts ? length : load_fourth(out->ahead, k));
        dr_v8 lo = load_records(out->lo, k), hi = load_records(out->hi, k);
        dr_f8 least = slack_along(p.x, q.x, lo.x, hi.x);
        least = dr_f8_min(slack_along(p.y, q.y, lo.y, hi.y), least);
        least = dr_f8_min(slack_along(p.z, q.z, lo.z, hi.z), least);
        slack = dr_f8_min(dr_f8_sub(least, dr_f8_mul(dr_f8_set(1.5f), length)), slack);
        most = dr_f8_max(moved, most);
    }
    out->slack = -largest_lane(dr_f8_neg(slack));
    out->moved_most = largest_lane(most);
}

// --- What is near ---

// Eight vertices of the body at the start of the substep.
static inline dr_v8 gather(const dr_touch_args* args, const int32_t vertex[8])
{
    const dr_body* body = args->obstacle->body;
    dr_f8 c[4];
    dr_f8_gather4(body->from, vertex, c);
    dr_v8 p = {c[0], c[1], c[2]};
    if (!body->is_changing) {
        return p;
    }
    dr_f8_gather4(body->to, vertex, c);
    dr_v8 to = {c[0], c[1], c[2]};
    return dr_v8_add(p, dr_v8_scale(dr_v8_sub(to, p), dr_f8_set(args->obstacle->share_start)));
}

static inline dr_v8 splat_slot(const dr_touch_args* args, int32_t slot)
{
    const float* p = args->local + (size_t)slot * 4;
    return dr_v8_set(p[0], p[1], p[2]);
}

// Puts one more into a list; when it is full, in place of the furthest.
static void keep(dr_touch_near* out, int* count, const dr_touch_near* near)
{
    if (*count < DR_TOUCH_MOST_NEAR) {
        out[(*count)++] = *near;
        return;
    }
    int furthest = 0;
    for (int i = 1; i < *count; ++i) {
        furthest = out[i].closest.squared > out[furthest].closest.squared ? i : furthest;
    }
    if (near->closest.squared < out[furthest].closest.squared) {
        out[furthest] = *near;
    }
}

// Up to eight features of a list that wait to be looked at.
typedef struct batch {
    int32_t at[8]; // places in the list
    int count;
    float moved; // sum of moves of the vertices of the cloth's feature, and of the body
} batch;

// Closest points of a feature of the cloth and eight of the body.
typedef struct found8 {
    dr_closest8 closest;
    dr_v8 point; // of the body
    dr_f8 limit; // there
} found8;

// Takes results over: what is near, and how far each one is for the next time.
static void finish_batch(const dr_touch_list* list, const batch* of, const found8* all,
                         dr_touch_near* out, int* found)
{
    const dr_closest8* closest = &all->closest;
    float squared[8], distance[8], w[3][8], point[3][8];
    int bits = dr_f8_bits(dr_f8_less(closest->squared, dr_f8_mul(all->limit, all->limit)));
    dr_f8_store(squared, closest->squared);
    dr_f8_store(distance, dr_f8_add(dr_f8_sqrt(closest->squared), dr_f8_set(of->moved)));
    dr_f8_store(w[0], closest->w0);
    dr_f8_store(w[1], closest->w1);
    dr_f8_store(w[2], closest->w2);
    dr_f8_store(point[0], all->point.x);
    dr_f8_store(point[1], all->point.y);
    dr_f8_store(point[2], all->point.z);
    for (int i = 0; i < of->count; ++i) {
        list->bounds[of->at[i]] = distance[i];
    }
    for (bits &= (1 << of->count) - 1; bits != 0; bits &= bits - 1) {
        int i = __builtin_ctz((unsigned)bits);
        dr_touch_near one = {.closest = {squared[i], {w[0][i], w[1][i], w[2][i]}},
                             .point = {point[0][i], point[1][i], point[2][i]},
                             .feature = list->features[of->at[i]]};
        keep(out, found, &one);
    }
}

typedef void closest_fn(const dr_touch_args* args, const int32_t* slots, const int32_t feature[8],
                        const float* limits, found8* out);

static void closest_triangles(const dr_touch_args* args, const int32_t* slots,
                              const int32_t feature[8], const float* limits, found8* out)
{
    const int32_t(*triangles)[3] = (const int32_t(*)[3])args->obstacle->body->shell.mesh.triangles;
    int32_t vertex[3][8];
    for (int i = 0; i < 8; ++i) {
        const int32_t* corner = triangles[feature[i]];
        vertex[0][i] = corner[0];
        vertex[1][i] = corner[1];
        vertex[2][i] = corner[2];
    }
    dr_v8 a = gather(args, vertex[0]), b = gather(args, vertex[1]), c = gather(args, vertex[2]);
    out->closest = dr_closest8_point_triangle(splat_slot(args, slots[0]), a, b, c);
    out->limit = dr_f8_set(limits[0]);
    out->point =
        dr_v8_add(dr_v8_scale(a, out->closest.w0),
                  dr_v8_add(dr_v8_scale(b, out->closest.w1), dr_v8_scale(c, out->closest.w2)));
}

static void closest_edges(const dr_touch_args* args, const int32_t* slots, const int32_t feature[8],
                          const float* limits, found8* out)
{
    const dr_edge* edges = args->obstacle->body->shell.mesh.edges;
    int32_t vertex[2][8];
    for (int i = 0; i < 8; ++i) {
        vertex[0][i] = edges[feature[i]].v[0];
        vertex[1][i] = edges[feature[i]].v[1];
    }
    dr_v8 a = gather(args, vertex[0]), b = gather(args, vertex[1]);
    out->closest = dr_closest8_edges(splat_slot(args, slots[0]), splat_slot(args, slots[1]), a, b);
    out->limit = dr_f8_add(dr_f8_set(limits[0]),
                           dr_f8_mul(dr_f8_set(limits[1] - limits[0]), out->closest.w0));
    out->point = dr_v8_add(a, dr_v8_scale(dr_v8_sub(b, a), out->closest.w1));
}

static void closest_points(const dr_touch_args* args, const int32_t* slots,
                           const int32_t feature[8], const float* limits, found8* out)
{
    out->point = gather(args, feature);
    out->closest =
        dr_closest8_point_triangle(out->point, splat_slot(args, slots[0]),
                                   splat_slot(args, slots[1]), splat_slot(args, slots[2]));
    out->limit = dr_f8_add(dr_f8_mul(dr_f8_set(limits[0]), out->closest.w0),
                           dr_f8_add(dr_f8_mul(dr_f8_set(limits[1]), out->closest.w1),
                                     dr_f8_mul(dr_f8_set(limits[2]), out->closest.w2)));
}

static void look_at_batch(const dr_touch_args* args, const int32_t* slots,
                          const dr_touch_list* list, batch* now, const float* limits,
                          dr_touch_near* out, int* found, closest_fn* closest_of)
{
    int32_t feature[8];
    for (int k = 0; k < 8; ++k) {
        feature[k] = list->features[now->at[k < now->count ? k : 0]];
    }
    found8 all;
    closest_of(args, slots, feature, limits, &all);
    finish_batch(list, now, &all, out, found);
    *args->test_count += now->count;
    now->count = 0;
}

// Eight bounds, and nothing behind the end of a list: there lies that of another feature, which
// another thread may be writing.
static inline dr_f8 load_bounds(const float* bounds, int exist)
{
    if (exist >= 8) {
        return dr_f8_load(bounds);
    }
    float some[8] = {0.0f};
    for (int i = 0; i < exist; ++i) {
        some[i] = bounds[i];
    }
    return dr_f8_load(some);
}

// Looks at the features whose distance may have fallen below the limit since the last time.
static inline int look(const dr_touch_args* args, const int32_t* slots, const dr_touch_list* list,
                       const float* limits, int limit_count, dr_touch_near* out,
                       closest_fn* closest_of)
{
    float widest = 0.0f;
    batch now = {.moved = args->body_moved};
    for (int i = 0; i < limit_count; ++i) {
        widest = limits[i] > widest ? limits[i] : widest;
        now.moved += args->moved[slots[i]];
    }
    // Rounded up, as sums of a metre have rounding errors of micrometres.
    dr_f8 threshold = dr_f8_set(1.000001f * now.moved + 1.0001f * widest);
    int found = 0;
    for (int first = 0; first < list->count; first += 8) {
        int exist = list->count - first < 8 ? list->count - first : 8;
        int bits = dr_f8_bits(dr_f8_less(load_bounds(list->bounds + first, exist), threshold));
        bits &= (1 << exist) - 1;
        for (; bits != 0; bits &= bits - 1) {
            now.at[now.count++] = first + __builtin_ctz((unsigned)bits);
            if (now.count == 8) {
                look_at_batch(args, slots, list, &now, limits, out, &found, closest_of);
            }
        }
    }
    if (now.count > 0) {
        look_at_batch(args, slots, list, &now, limits, out, &found, closest_of);
    }
    return found;
}

static int near_triangles(const dr_touch_args* args, const int32_t* slots,
                          const dr_touch_list* list, const float* limits, dr_touch_near* out)
{
    return look(args, slots, list, limits, 1, out, closest_triangles);
}

static int near_edges(const dr_touch_args* args, const int32_t* slots, const dr_touch_list* list,
                      const float* limits, dr_touch_near* out)
{
    return look(args, slots, list, limits, 2, out, closest_edges);
}

static int near_points(const dr_touch_args* args, const int32_t* slots, const dr_touch_list* list,
                       const float* limits, dr_touch_near* out)
{
    return look(args, slots, list, limits, 3, out, closest_points);
}

const dr_touch_kernels DR_KERNEL(dr_touch_kernels);
const dr_touch_kernels DR_KERNEL(dr_touch_kernels) = {frame, near_triangles, near_edges,
                                                      near_points};
