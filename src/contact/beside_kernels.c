// Planes between triangles, eight pairs at a time, compiled once per instruction set.
#include "contact/beside.h"
#include "core/simd.h"

// Eight triangles: corners and their keys.
typedef struct triangles8 {
    dr_v8 p[3];
    dr_f8 key[3];
} triangles8;

static inline triangles8 gather(const float* places, int32_t index[3][8])
{
    triangles8 t;
    for (int k = 0; k < 3; ++k) {
        dr_f8 c[4];
        dr_f8_gather4(places, index[k], c);
        t.p[k] = (dr_v8){c[0], c[1], c[2]};
        t.key[k] = c[3];
    }
    return t;
}

// The plane of eight triangles: a normal, and the same with all signs positive.
typedef struct planes8 {
    dr_v8 normal, bound;
} planes8;

static inline dr_f8 minor(dr_f8 a, dr_f8 b, dr_f8 c, dr_f8 d, dr_f8* bound)
{
    dr_f8 left = dr_f8_mul(a, b), right = dr_f8_mul(c, d);
    *bound = dr_f8_add(dr_f8_abs(left), dr_f8_abs(right));
    return dr_f8_sub(left, right);
}

static inline planes8 planes_of(const triangles8* t)
{
    dr_v8 e = dr_v8_sub(t->p[1], t->p[0]), f = dr_v8_sub(t->p[2], t->p[0]);
    planes8 plane;
    plane.normal.x = minor(e.y, f.z, e.z, f.y, &plane.bound.x);
    plane.normal.y = minor(e.z, f.x, e.x, f.z, &plane.bound.y);
    plane.normal.z = minor(e.x, f.y, e.y, f.x, &plane.bound.z);
    return plane;
}

// Nine roundings of 2^-24 and one to spare; what underflows is less than the rest.
static const float share = 10.0f * 0x1p-24f, least = 0x1p-100f;

// Lanes in which all vertices of b that a does not have are on one side of the plane of a.
static inline dr_f8 beside(const triangles8* a, const triangles8* b, const dr_f8 is_own[3])
{
    planes8 plane = planes_of(a);
    dr_f8 above[3], below[3];
    for (int k = 0; k < 3; ++k) {
        dr_v8 w = dr_v8_sub(b->p[k], a->p[0]);
        dr_v8 size = {dr_f8_abs(w.x), dr_f8_abs(w.y), dr_f8_abs(w.z)};
        dr_f8 height = dr_v8_dot(plane.normal, w);
        dr_f8 error = dr_f8_mul(dr_f8_set(share), dr_v8_dot(plane.bound, size));
        error = dr_f8_add(error, dr_f8_set(least));
        above[k] = dr_f8_or(is_own[k], dr_f8_less(error, height));
        below[k] = dr_f8_or(is_own[k], dr_f8_less(height, dr_f8_neg(error)));
    }
    return dr_f8_or(dr_f8_and(above[0], dr_f8_and(above[1], above[2])),
                    dr_f8_and(below[0], dr_f8_and(below[1], below[2])));
}

// Where a product of differences of keys is zero, the vertex is one of the other triangle's.
static inline dr_f8 is_one_of(dr_f8 key, const dr_f8 keys[3])
{
    dr_f8 product = dr_f8_mul(dr_f8_mul(dr_f8_sub(key, keys[0]), dr_f8_sub(key, keys[1])),
                              dr_f8_sub(key, keys[2]));
    dr_f8 size = dr_f8_abs(product);
    return dr_f8_less(size, dr_f8_set(0x1p-40f));
}

static int beside_eight(const float* places, int32_t a[3][8], int32_t b[3][8])
{
    triangles8 ta = gather(places, a), tb = gather(places, b);
    dr_f8 a_is_own[3], b_is_own[3];
    for (int k = 0; k < 3; ++k) {
        a_is_own[k] = is_one_of(ta.key[k], tb.key);
        b_is_own[k] = is_one_of(tb.key[k], ta.key);
    }
    // The same triangle twice is no neighbour.
    dr_f8 is_same = dr_f8_and(a_is_own[0], dr_f8_and(a_is_own[1], a_is_own[2]));
    dr_f8 found = dr_f8_or(beside(&ta, &tb, b_is_own), beside(&tb, &ta, a_is_own));
    return dr_f8_bits(found) & ~dr_f8_bits(is_same);
}

static void beside_all(const float* places, const int32_t (*triangles)[3], const dr_pair* pairs,
                       int count, uint8_t* is_beside)
{
    for (int i = 0; i < count; i += 8) {
        int32_t a[3][8], b[3][8];
        int last = count - i < 8 ? count - i - 1 : 7;
        for (int l = 0; l < 8; ++l) {
            dr_pair pair = pairs[i + (l < last ? l : last)];
            for (int k = 0; k < 3; ++k) {
                a[k][l] = triangles[pair.a][k];
                b[k][l] = triangles[pair.b][k];
            }
        }
        int bits = beside_eight(places, a, b);
        for (int l = 0; l <= last; ++l) {
            is_beside[i + l] = bits >> l & 1;
        }
    }
}

const dr_beside_kernels DR_KERNEL(dr_beside_kernels);
const dr_beside_kernels DR_KERNEL(dr_beside_kernels) = {beside_all};
