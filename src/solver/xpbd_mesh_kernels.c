// Projection of triangles and hinges, compiled once per instruction set.
#include "core/simd.h"
#include "solver/xpbd_mesh.h"

typedef struct point {
    dr_v8 p;
    dr_f8 w;
} point;

static inline point point_gather(const float* pos, const int32_t* slot)
{
    dr_f8 c[4];
    dr_f8_gather4(pos, slot, c);
    return (point){{c[0], c[1], c[2]}, c[3]};
}

static inline void point_scatter(float* pos, const int32_t* slot, point a)
{
    dr_f8 c[4] = {a.p.x, a.p.y, a.p.z, a.w};
    dr_f8_scatter4(pos, slot, c);
}

static inline void point_push(point* a, dr_v8 direction, dr_f8 amount)
{
    a->p = dr_v8_add(a->p, dr_v8_scale(direction, dr_f8_mul(a->w, amount)));
}

static inline dr_f8 mul3(dr_f8 a, dr_f8 b, dr_f8 c) { return dr_f8_mul(dr_f8_mul(a, b), c); }

// Symmetric 3 x 3 system m y = r by elimination; m is positive definite. Upper part, row by row.
static inline void solve3(const dr_f8 m[6], const dr_f8 r[3], dr_f8 y[3])
{
    dr_f8 one = dr_f8_set(1.0f);
    dr_f8 d0 = dr_f8_div(one, m[0]);
    dr_f8 l1 = dr_f8_mul(m[1], d0), l2 = dr_f8_mul(m[2], d0);
    dr_f8 m11 = dr_f8_sub(m[3], dr_f8_mul(l1, m[1])), m12 = dr_f8_sub(m[4], dr_f8_mul(l1, m[2]));
    dr_f8 m22 = dr_f8_sub(m[5], dr_f8_mul(l2, m[2]));
    dr_f8 d1 = dr_f8_div(one, m11), l3 = dr_f8_mul(m12, d1);
    m22 = dr_f8_sub(m22, dr_f8_mul(l3, m12));
    dr_f8 r1 = dr_f8_sub(r[1], dr_f8_mul(l1, r[0]));
    dr_f8 r2 = dr_f8_sub(dr_f8_sub(r[2], dr_f8_mul(l2, r[0])), dr_f8_mul(l3, r1));
    y[2] = dr_f8_div(r2, m22);
    y[1] = dr_f8_sub(dr_f8_mul(r1, d1), dr_f8_mul(l3, y[2]));
    y[0] = dr_f8_sub(dr_f8_sub(dr_f8_mul(r[0], d0), dr_f8_mul(l1, y[1])), dr_f8_mul(l2, y[2]));
}

// Images of warp and weft with their lengths, and the gradients p, q of the sine of shear.
typedef struct strain {
    dr_v8 u, v;          // unit images
    dr_f8 length_u, length_v;
    dr_f8 per_u, per_v;  // 1 / lengths
    dr_f8 sine;          // u.v
    dr_v8 p, q;          // d sine / dFu, d sine / dFv
} strain;

static inline strain strain_of(const point x[3], dr_f8 a1, dr_f8 a2, dr_f8 b1, dr_f8 b2)
{
    strain s;
    dr_v8 e1 = dr_v8_sub(x[1].p, x[0].p), e2 = dr_v8_sub(x[2].p, x[0].p);
    dr_v8 fu = dr_v8_add(dr_v8_scale(e1, a1), dr_v8_scale(e2, a2));
    dr_v8 fv = dr_v8_add(dr_v8_scale(e1, b1), dr_v8_scale(e2, b2));
    dr_f8 tiny = dr_f8_set(1e-12f), one = dr_f8_set(1.0f);
    s.length_u = dr_f8_sqrt(dr_f8_max(dr_v8_dot(fu, fu), tiny));
    s.length_v = dr_f8_sqrt(dr_f8_max(dr_v8_dot(fv, fv), tiny));
    s.per_u = dr_f8_div(one, s.length_u);
    s.per_v = dr_f8_div(one, s.length_v);
    s.u = dr_v8_scale(fu, s.per_u);
    s.v = dr_v8_scale(fv, s.per_v);
    s.sine = dr_v8_dot(s.u, s.v);
    s.p = dr_v8_scale(dr_v8_sub(s.v, dr_v8_scale(s.u, s.sine)), s.per_u);
    s.q = dr_v8_scale(dr_v8_sub(s.u, dr_v8_scale(s.v, s.sine)), s.per_v);
    return s;
}

// Multiplier changes of one batch, from the three strains at once.
static inline void triangle_change(const strain* s, const dr_f8 compliance[3], const dr_f8 l[3],
                                   dr_f8 aa, dr_f8 ab, dr_f8 bb, dr_f8 change[3])
{
    dr_f8 one = dr_f8_set(1.0f);
    dr_f8 left = dr_f8_sub(one, dr_f8_mul(s->sine, s->sine));
    dr_f8 m33 = dr_f8_add(mul3(aa, s->per_u, s->per_u), mul3(bb, s->per_v, s->per_v));
    dr_f8 cross = dr_f8_mul(dr_f8_add(ab, ab), mul3(s->sine, s->per_u, s->per_v));
    const dr_f8 m[6] = {
        dr_f8_add(aa, compliance[0]),
        dr_f8_mul(ab, s->sine),
        mul3(ab, left, s->per_v),
        dr_f8_add(bb, compliance[1]),
        mul3(ab, left, s->per_u),
        dr_f8_add(dr_f8_mul(left, dr_f8_sub(m33, cross)), compliance[2]),
    };
    const dr_f8 r[3] = {
        dr_f8_sub(dr_f8_sub(one, s->length_u), dr_f8_mul(compliance[0], l[0])),
        dr_f8_sub(dr_f8_sub(one, s->length_v), dr_f8_mul(compliance[1], l[1])),
        dr_f8_neg(dr_f8_add(s->sine, dr_f8_mul(compliance[2], l[2]))),
    };
    solve3(m, r, change);
}

static inline void project_triangles(const struct dr_xpbd_mesh* mesh, dr_triangle_batch* batch,
                                     bool is_first)
{
    point x[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = point_gather(mesh->pos, batch->slot[i]);
    }
    dr_f8 a1 = dr_f8_load(batch->a[0]), a2 = dr_f8_load(batch->a[1]);
    dr_f8 b1 = dr_f8_load(batch->b[0]), b2 = dr_f8_load(batch->b[1]);
    const dr_f8 a[3] = {dr_f8_neg(dr_f8_add(a1, a2)), a1, a2};
    const dr_f8 b[3] = {dr_f8_neg(dr_f8_add(b1, b2)), b1, b2};
    strain s = strain_of(x, a1, a2, b1, b2);
    dr_f8 l[3], change[3], compliance[3], per_area = dr_f8_load(batch->per_area);
    dr_f8 aa = dr_f8_zero(), ab = aa, bb = aa;
    for (int i = 0; i < 3; ++i) {
        l[i] = is_first ? dr_f8_zero() : dr_f8_load(batch->lambda[i]);
        compliance[i] = dr_f8_mul(dr_f8_set(mesh->compliance[i]), per_area);
        aa = dr_f8_add(aa, mul3(x[i].w, a[i], a[i]));
        ab = dr_f8_add(ab, mul3(x[i].w, a[i], b[i]));
        bb = dr_f8_add(bb, mul3(x[i].w, b[i], b[i]));
    }
    triangle_change(&s, compliance, l, aa, ab, bb, change);
    dr_v8 along = dr_v8_add(dr_v8_scale(s.u, change[0]), dr_v8_scale(s.p, change[2]));
    dr_v8 across = dr_v8_add(dr_v8_scale(s.v, change[1]), dr_v8_scale(s.q, change[2]));
    for (int i = 0; i < 3; ++i) {
        dr_f8_store(batch->lambda[i], dr_f8_add(l[i], change[i]));
        point_push(&x[i], along, a[i]);
        point_push(&x[i], across, b[i]);
        point_scatter(mesh->pos, batch->slot[i], x[i]);
    }
}

static inline dr_v8 unit(dr_v8 a)
{
    dr_f8 length = dr_f8_sqrt(dr_f8_max(dr_v8_dot(a, a), dr_f8_set(1e-30f)));
    return dr_v8_scale(a, dr_f8_div(dr_f8_set(1.0f), length));
}

// Unit normal of a hinge, halfway between those of its triangles whatever their sizes: there the bow
// of the rest shape points. x0 x1 is the edge.
static inline dr_v8 hinge_normal(const point x[4])
{
    dr_v8 edge = dr_v8_sub(x[1].p, x[0].p);
    dr_v8 n2 = dr_v8_cross(edge, dr_v8_sub(x[2].p, x[0].p));
    dr_v8 n3 = dr_v8_cross(dr_v8_sub(x[3].p, x[0].p), edge);
    return unit(dr_v8_add(unit(n2), unit(n3)));
}

static inline void project_hinges(const struct dr_xpbd_mesh* mesh, dr_hinge_batch* batch,
                                  bool is_first)
{
    point x[4];
    for (int i = 0; i < 4; ++i) {
        x[i] = point_gather(mesh->pos, batch->slot[i]);
    }
    dr_f8 zero = dr_f8_zero(), ws = zero;
    dr_f8 k[4] = {zero, dr_f8_load(batch->k[0]), dr_f8_load(batch->k[1]), dr_f8_load(batch->k[2])};
    k[0] = dr_f8_neg(dr_f8_add(dr_f8_add(k[1], k[2]), k[3]));
    dr_v8 c = {zero, zero, zero}, l = c;
    for (int i = 0; i < 4; ++i) {
        ws = dr_f8_add(ws, mul3(x[i].w, k[i], k[i]));
        c = dr_v8_add(c, dr_v8_scale(dr_v8_sub(x[i].p, x[0].p), k[i]));
    }
    dr_f8 weight = ws;
    if (mesh->lag > 0.0f) {
        // Internal friction looks ahead by the change of the bend since the substep began.
        dr_f8 lag = dr_f8_set(mesh->lag);
        dr_v8 before = {zero, zero, zero};
        point from = point_gather(mesh->start, batch->slot[0]);
        for (int i = 1; i < 4; ++i) {
            point at = point_gather(mesh->start, batch->slot[i]);
            before = dr_v8_add(before, dr_v8_scale(dr_v8_sub(at.p, from.p), k[i]));
        }
        weight = dr_f8_add(ws, dr_f8_mul(ws, lag));
        c = dr_v8_add(c, dr_v8_scale(dr_v8_sub(c, before), lag));
    }
    if (!mesh->is_flat) {
        c = dr_v8_sub(c, dr_v8_scale(hinge_normal(x), dr_f8_load(batch->bow)));
    }
    if (!is_first) {
        l = dr_v8_load(batch->lambda[0]);
    }
    dr_f8 compliance = dr_f8_mul(dr_f8_load(batch->compliance), dr_f8_set(mesh->per_h_squared));
    dr_f8 inverse = dr_f8_div(dr_f8_set(-1.0f), dr_f8_add(weight, compliance));
    dr_v8 change = dr_v8_scale(dr_v8_add(c, dr_v8_scale(l, compliance)), inverse);
    dr_v8_store(batch->lambda[0], dr_v8_add(l, change));
    for (int i = 0; i < 4; ++i) {
        point_push(&x[i], change, k[i]);
        point_scatter(mesh->pos, batch->slot[i], x[i]);
    }
}

static void bend(const struct dr_xpbd_mesh* mesh, int block, bool is_first)
{
    for (int i = mesh->hinge_start[block]; i < mesh->hinge_start[block + 1]; ++i) {
        project_hinges(mesh, &mesh->hinges[i], is_first);
    }
}

static void stretch(const struct dr_xpbd_mesh* mesh, int block, bool is_first)
{
    for (int i = mesh->triangle_start[block]; i < mesh->triangle_start[block + 1]; ++i) {
        project_triangles(mesh, &mesh->triangles[i], is_first);
    }
}

const dr_mesh_kernels DR_KERNEL(dr_mesh_kernels);
const dr_mesh_kernels DR_KERNEL(dr_mesh_kernels) = {bend, stretch};
