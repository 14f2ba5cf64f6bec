// Which pairs may meet, compiled once per instruction set.
#include "collide/closest_lanes.h"
#include "contact/predict_near.h"

typedef struct moving8 {
    dr_v8 at, way; // at the start, and its displacement
} moving8;

static inline moving8 gather(const dr_predict_query* query, const int32_t* index)
{
    dr_f8 start[4], end[4];
    dr_f8_gather4(query->start, index, start);
    dr_f8_gather4(query->end, index, end);
    moving8 m = {{start[0], start[1], start[2]}, {end[0], end[1], end[2]}};
    m.way = dr_v8_sub(m.way, m.at);
    return m;
}

// How fast a comes towards b along m.
static inline dr_f8 towards(dr_v8 a, dr_v8 b, dr_v8 m)
{
    return dr_v8_dot(dr_v8_sub(a, b), m);
}

// Unit vectors; zero where there is no length.
static inline dr_v8 direction(dr_v8 apart, dr_f8 length)
{
    dr_f8 has_length = dr_f8_less(dr_f8_set(1e-20f), length);
    dr_f8 divisor = dr_f8_select(has_length, length, dr_f8_set(1.0f));
    dr_f8 inverse = dr_f8_div(dr_f8_set(1.0f), divisor);
    return dr_v8_scale(apart, dr_f8_select(has_length, inverse, dr_f8_zero()));
}

// Eight pairs, judged.
typedef struct near8 {
    dr_closest8 closest;
    dr_f8 separation, left;
    int bits; // lanes that stay
} near8;

static inline near8 judge(const dr_predict_query* query, int lanes, dr_closest8 closest,
                          dr_f8 closing)
{
    near8 near = {.closest = closest, .separation = dr_f8_sqrt(closest.squared)};
    near.left = dr_f8_sub(near.separation, dr_f8_max(closing, dr_f8_zero()));
    near.bits = ~dr_f8_bits(dr_f8_less(dr_f8_set(query->reach), near.left)) & lanes;
    return near;
}

// Lanes that cannot meet in this step.
static inline dr_f8 stay_apart(const near8* near)
{
    return dr_f8_less(dr_f8_zero(), near->left);
}

// Writes the lanes that stay.
static int emit(int first, int bits, const near8* near, dr_predict_near* out)
{
    if (!bits) {
        return 0;
    }
    float s[8], l[8], w[3][8];
    dr_f8_store(s, near->separation);
    dr_f8_store(l, near->left);
    dr_f8_store(w[0], near->closest.w0);
    dr_f8_store(w[1], near->closest.w1);
    dr_f8_store(w[2], near->closest.w2);
    int count = 0;
    for (int i = 0; i < 8; ++i) {
        if (bits >> i & 1) {
            out[count++] = (dr_predict_near){first + i, s[i], l[i], {w[0][i], w[1][i], w[2][i]}};
        }
    }
    return count;
}

static inline int lanes_of(int first, int end)
{
    return end - first < 8 ? (1 << (end - first)) - 1 : 0xff;
}

// Beside the triangle, nearly level with it, and going to stay apart: its plane has no say.
static inline dr_f8 is_level(const near8* near, dr_v8 p, dr_v8 a, dr_v8 b, dr_v8 c)
{
    const float level = 0.25f; // squared sine
    dr_v8 raw = dr_v8_cross(dr_v8_sub(b, a), dr_v8_sub(c, a));
    dr_f8 height = dr_v8_dot(dr_v8_sub(p, a), raw);
    dr_f8 most = dr_f8_mul(dr_f8_mul(near->closest.squared, dr_f8_set(level)), dr_v8_dot(raw, raw));
    dr_f8 zero = dr_f8_zero();
    dr_f8 inside = dr_f8_all_positive(near->closest.w0, near->closest.w1, near->closest.w2);
    dr_f8 level_lanes = dr_f8_and(dr_f8_less(dr_f8_mul(height, height), most), stay_apart(near));
    return dr_f8_select(inside, zero, level_lanes);
}

static int point_triangle(const dr_predict_query* query, const dr_pair* pairs, int begin, int end,
                          dr_predict_near* out)
{
    int count = 0;
    for (int i = begin; i < end; i += 8) {
        int32_t index[4][8];
        for (int lane = 0; lane < 8; ++lane) {
            dr_pair pair = pairs[i + lane < end ? i + lane : end - 1];
            const int32_t* corner = query->triangles[pair.b];
            index[0][lane] = pair.a;
            index[1][lane] = corner[0];
            index[2][lane] = corner[1];
            index[3][lane] = corner[2];
        }
        moving8 p = gather(query, index[0]), a = gather(query, index[1]);
        moving8 b = gather(query, index[2]), c = gather(query, index[3]);
        dr_closest8 closest = dr_closest8_point_triangle(p.at, a.at, b.at, c.at);
        dr_v8 foot =
            dr_v8_add(dr_v8_add(dr_v8_scale(a.at, closest.w0), dr_v8_scale(b.at, closest.w1)),
                      dr_v8_scale(c.at, closest.w2));
        dr_v8 m = direction(dr_v8_sub(foot, p.at), dr_f8_sqrt(closest.squared));
        dr_f8 at_a = towards(p.way, a.way, m), at_b = towards(p.way, b.way, m);
        dr_f8 at_c = towards(p.way, c.way, m);
        dr_f8 closing = dr_f8_max(dr_f8_max(at_a, at_b), at_c);
        if (query->as_printed) {
            closing = dr_f8_add(dr_f8_add(dr_f8_mul(at_a, closest.w0), dr_f8_mul(at_b, closest.w1)),
                                dr_f8_mul(at_c, closest.w2));
        }
        near8 near = judge(query, lanes_of(i, end), closest, closing);
        if (near.bits && !query->is_kept) {
            near.bits &= ~dr_f8_bits(is_level(&near, p.at, a.at, b.at, c.at));
        }
        count += emit(i, near.bits, &near, out + count);
    }
    return count;
}

static inline dr_v8 between(dr_v8 a, dr_v8 b, dr_f8 t)
{
    return dr_v8_add(a, dr_v8_scale(dr_v8_sub(b, a), t));
}

// The closest points are at an end of an edge.
static inline dr_f8 touches_end(const dr_closest8* closest)
{
    dr_f8 zero = dr_f8_zero(), one = dr_f8_set(1.0f);
    dr_f8 least = dr_f8_min(closest->w0, closest->w1), most = dr_f8_max(closest->w0, closest->w1);
    dr_f8 between_ends = dr_f8_and(dr_f8_less(zero, least), dr_f8_less(most, one));
    return dr_f8_select(between_ends, zero, dr_f8_less(zero, one));
}

static int edge_edge(const dr_predict_query* query, const dr_pair* pairs, int begin, int end,
                     dr_predict_near* out)
{
    int count = 0;
    for (int i = begin; i < end; i += 8) {
        int32_t index[4][8];
        for (int lane = 0; lane < 8; ++lane) {
            dr_pair pair = pairs[i + lane < end ? i + lane : end - 1];
            index[0][lane] = query->edges[pair.a][0];
            index[1][lane] = query->edges[pair.a][1];
            index[2][lane] = query->edges[pair.b][0];
            index[3][lane] = query->edges[pair.b][1];
        }
        moving8 a = gather(query, index[0]), b = gather(query, index[1]);
        moving8 c = gather(query, index[2]), d = gather(query, index[3]);
        dr_closest8 closest = dr_closest8_edges(a.at, b.at, c.at, d.at);
        dr_v8 apart = dr_v8_sub(between(c.at, d.at, closest.w1), between(a.at, b.at, closest.w0));
        dr_v8 m = direction(apart, dr_f8_sqrt(closest.squared));
        dr_f8 closing = dr_f8_max(dr_f8_max(towards(a.way, c.way, m), towards(a.way, d.way, m)),
                                  dr_f8_max(towards(b.way, c.way, m), towards(b.way, d.way, m)));
        if (query->as_printed) {
            closing =
                towards(between(a.way, b.way, closest.w0), between(c.way, d.way, closest.w1), m);
        }
        near8 near = judge(query, lanes_of(i, end), closest, closing);
        dr_f8 at_end = dr_f8_and(touches_end(&closest), stay_apart(&near));
        if (near.bits & dr_f8_bits(at_end)) {
            // There again at the end of the step: points see to it.
            dr_closest8 then = dr_closest8_edges(dr_v8_add(a.at, a.way), dr_v8_add(b.at, b.way),
                                                 dr_v8_add(c.at, c.way), dr_v8_add(d.at, d.way));
            near.bits &= ~dr_f8_bits(dr_f8_and(at_end, touches_end(&then)));
        }
        count += emit(i, near.bits, &near, out + count);
    }
    return count;
}

static int point_point(const dr_predict_query* query, const dr_pair* pairs, int begin, int end,
                       dr_predict_near* out)
{
    dr_f8 zero = dr_f8_zero();
    int count = 0;
    for (int i = begin; i < end; i += 8) {
        int32_t index[2][8];
        for (int lane = 0; lane < 8; ++lane) {
            dr_pair pair = pairs[i + lane < end ? i + lane : end - 1];
            index[0][lane] = pair.a;
            index[1][lane] = pair.b;
        }
        moving8 a = gather(query, index[0]), b = gather(query, index[1]);
        dr_v8 apart = dr_v8_sub(a.at, b.at), way = dr_v8_sub(a.way, b.way);
        // When they are closest, and how close.
        dr_f8 t = dr_f8_div(dr_f8_neg(dr_v8_dot(apart, way)), dr_f8_divisor(dr_v8_dot(way, way)));
        dr_v8 then = dr_v8_add(apart, dr_v8_scale(way, dr_f8_clamp01(t)));
        dr_closest8 closest = {dr_v8_dot(then, then), zero, zero, zero};
        near8 near = judge(query, lanes_of(i, end), closest, zero);
        count += emit(i, near.bits, &near, out + count);
    }
    return count;
}

const dr_predict_near_kernels DR_KERNEL(dr_predict_near_kernels);
const dr_predict_near_kernels DR_KERNEL(dr_predict_near_kernels) = {point_triangle, edge_edge,
                                                                    point_point};
