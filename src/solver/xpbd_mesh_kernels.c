// Projection of triangles and hinges, compiled once per instruction set.
#include "core/simd.h"
#include "solver/sheet_lanes.h"
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

static inline dr_f8 mul3(dr_f8 a, dr_f8 b, dr_f8 c)
{
    return dr_f8_mul(dr_f8_mul(a, b), c);
}

// --- Strains ---

// Eight triangles on their way through a sweep: corner 0 is the owner of the star.
typedef struct triangles {
    point x[3];
    dr_f8 a[2], b[2];
    dr_v8 fu, fv;       // images of warp and weft
    dr_f8 per_u, per_v; // 1 / their lengths
    dr_f8 strain[3];    // lengths - 1, sine of shear
    dr_f8 change[3];    // of the multipliers
} triangles;

static inline void load_weights(triangles* t, const dr_triangle_batch* batch)
{
    for (int i = 0; i < 2; ++i) {
        t->a[i] = dr_f8_load(batch->a[i]);
        t->b[i] = dr_f8_load(batch->b[i]);
    }
}

static inline void measure(triangles* t)
{
    dr_v8 e1 = dr_v8_sub(t->x[1].p, t->x[0].p), e2 = dr_v8_sub(t->x[2].p, t->x[0].p);
    t->fu = dr_v8_add(dr_v8_scale(e1, t->a[0]), dr_v8_scale(e2, t->a[1]));
    t->fv = dr_v8_add(dr_v8_scale(e1, t->b[0]), dr_v8_scale(e2, t->b[1]));
    dr_f8 tiny = dr_f8_set(1e-12f), one = dr_f8_set(1.0f);
    dr_f8 u = dr_f8_sqrt(dr_f8_max(dr_v8_dot(t->fu, t->fu), tiny));
    dr_f8 v = dr_f8_sqrt(dr_f8_max(dr_v8_dot(t->fv, t->fv), tiny));
    dr_f8 per_uv = dr_f8_div(one, dr_f8_mul(u, v));
    t->per_u = dr_f8_mul(per_uv, v);
    t->per_v = dr_f8_mul(per_uv, u);
    t->strain[0] = dr_f8_sub(u, one);
    t->strain[1] = dr_f8_sub(v, one);
    t->strain[2] = dr_f8_mul(dr_v8_dot(t->fu, t->fv), per_uv);
}

// How far each strain is from what its multiplier allows, over (aa + c).
static inline void lack(const triangles* t, const dr_triangle_batch* batch, const dr_f8 c[3],
                        const dr_f8 lambda[3], dr_f8 r[3])
{
    dr_f8 inverse = dr_f8_load(batch->inverse);
    for (int i = 0; i < 3; ++i) {
        r[i] = dr_f8_add(dr_f8_mul(t->strain[i], inverse), dr_f8_mul(c[i], lambda[i]));
    }
}

// Multiplier changes from the three strains at once, whose compliances are c and lacks r: a
// symmetric system. All of it is over its first entry, so that products stay among the numbers.
static inline void solve(triangles* t, const dr_triangle_batch* batch, const dr_f8 c[3],
                         const dr_f8 r[3])
{
    dr_f8 one = dr_f8_set(1.0f), sine = t->strain[2];
    dr_f8 aa = dr_f8_sub(one, c[0]), ab = dr_f8_load(batch->ab), bb = dr_f8_load(batch->bb);
    dr_f8 left = dr_f8_sub(one, dr_f8_mul(sine, sine));
    dr_f8 left_u = dr_f8_mul(left, t->per_u), left_v = dr_f8_mul(left, t->per_v);
    dr_f8 m01 = dr_f8_mul(ab, sine), m02 = dr_f8_mul(ab, left_v), m12 = dr_f8_mul(ab, left_u);
    dr_f8 m11 = dr_f8_add(bb, c[1]);
    dr_f8 mixed = dr_f8_sub(dr_f8_mul(bb, left_v), dr_f8_mul(dr_f8_add(m01, m01), left_u));
    dr_f8 m22 = dr_f8_add(mul3(aa, t->per_u, left_u), dr_f8_mul(mixed, t->per_v));
    m22 = dr_f8_add(m22, c[2]);
    // Without the first unknown.
    dr_f8 n11 = dr_f8_sub(m11, dr_f8_mul(m01, m01)), n12 = dr_f8_sub(m12, dr_f8_mul(m01, m02));
    dr_f8 n22 = dr_f8_sub(m22, dr_f8_mul(m02, m02));
    dr_f8 r1 = dr_f8_sub(r[1], dr_f8_mul(m01, r[0])), r2 = dr_f8_sub(r[2], dr_f8_mul(m02, r[0]));
    dr_f8 per = dr_f8_div(one, dr_f8_sub(dr_f8_mul(n11, n22), dr_f8_mul(n12, n12)));
    t->change[1] = dr_f8_mul(dr_f8_sub(dr_f8_mul(n12, r2), dr_f8_mul(n22, r1)), per);
    t->change[2] = dr_f8_mul(dr_f8_sub(dr_f8_mul(n12, r1), dr_f8_mul(n11, r2)), per);
    dr_f8 others = dr_f8_add(dr_f8_mul(m01, t->change[1]), dr_f8_mul(m02, t->change[2]));
    t->change[0] = dr_f8_neg(dr_f8_add(r[0], others));
}

static inline void relax_strains(triangles* t, const float* softness, dr_triangle_batch* batch,
                                 bool is_first)
{
    dr_f8 c[3] = {dr_f8_load(batch->yield)}, r[3], l[3];
    c[1] = dr_f8_mul(c[0], dr_f8_set(softness[0]));
    c[2] = dr_f8_mul(c[0], dr_f8_set(softness[1]));
    for (int i = 0; i < 3; ++i) {
        l[i] = is_first ? dr_f8_zero() : dr_f8_load(batch->lambda[i]);
    }
    lack(t, batch, c, l, r);
    solve(t, batch, c, r);
    for (int i = 0; i < 3; ++i) {
        dr_f8_store(batch->lambda[i], dr_f8_add(l[i], t->change[i]));
    }
}

// The largest of the moves of the corners, squared.
static inline dr_f8 largest_move(const triangles* t, const dr_v8 pull[2])
{
    dr_v8 move[3] = {dr_v8_scale(dr_v8_add(pull[0], pull[1]), t->x[0].w),
                     dr_v8_scale(pull[0], t->x[1].w), dr_v8_scale(pull[1], t->x[2].w)};
    dr_f8 most = dr_v8_dot(move[0], move[0]);
    for (int i = 1; i < 3; ++i) {
        most = dr_f8_max(most, dr_v8_dot(move[i], move[i]));
    }
    return most;
}

// A step that turns a triangle over is no longer the Newton step it was meant to be. In long
// substeps with few sweeps it is cut short, together with its multipliers.
static inline void shorten(triangles* t, dr_v8 pull[2], dr_triangle_batch* batch,
                           const float* rest_area)
{
    dr_f8 moved = largest_move(t, pull), most = dr_f8_load(rest_area);
    most = dr_f8_add(most, most);
    dr_f8 is_long = dr_f8_less(most, moved), one = dr_f8_set(1.0f);
    if (!dr_f8_bits(is_long)) {
        return;
    }
    dr_f8 share = dr_f8_sqrt(dr_f8_div(most, dr_f8_select(is_long, moved, one)));
    share = dr_f8_select(is_long, share, one);
    for (int i = 0; i < 2; ++i) {
        pull[i] = dr_v8_scale(pull[i], share);
    }
    for (int i = 0; i < 3; ++i) {
        dr_f8 lambda = dr_f8_load(batch->lambda[i]);
        dr_f8 back = dr_f8_mul(t->change[i], dr_f8_sub(one, share));
        dr_f8_store(batch->lambda[i], dr_f8_sub(lambda, back));
    }
}

// All gradients lie in the plane of fu and fv: a symmetric matrix (uu, uv, vv) between them.
static inline void push(triangles* t, dr_triangle_batch* batch, const float* rest_area)
{
    dr_f8 cu = dr_f8_mul(t->change[2], t->per_u), cv = dr_f8_mul(t->change[2], t->per_v);
    dr_f8 sine = t->strain[2], uv = dr_f8_mul(cu, t->per_v);
    dr_f8 uu = dr_f8_mul(dr_f8_sub(t->change[0], dr_f8_mul(sine, cu)), t->per_u);
    dr_f8 vv = dr_f8_mul(dr_f8_sub(t->change[1], dr_f8_mul(sine, cv)), t->per_v);
    dr_v8 pull[2];
    for (int i = 0; i < 2; ++i) {
        dr_f8 u = dr_f8_add(dr_f8_mul(t->a[i], uu), dr_f8_mul(t->b[i], uv));
        dr_f8 v = dr_f8_add(dr_f8_mul(t->a[i], uv), dr_f8_mul(t->b[i], vv));
        pull[i] = dr_v8_add(dr_v8_scale(t->fu, u), dr_v8_scale(t->fv, v));
    }
    shorten(t, pull, batch, rest_area);
    point* x = t->x;
    x[0].p = dr_v8_sub(x[0].p, dr_v8_scale(dr_v8_add(pull[0], pull[1]), x[0].w));
    x[1].p = dr_v8_add(x[1].p, dr_v8_scale(pull[0], x[1].w));
    x[2].p = dr_v8_add(x[2].p, dr_v8_scale(pull[1], x[2].w));
}

// Stars of a group, triangle by triangle. The vectors of a group share no vertex: some work while
// others wait for their roots and divisions. `width` is a constant where this is called.
static DR_ALWAYS_INLINE void project_group(const struct dr_xpbd_mesh* mesh,
                                           const dr_star_group* group, int width, bool is_first)
{
    triangles t[DR_STAR_WIDTH];
    dr_star_row* slots = mesh->stars.slots + group->first_slot;
    dr_triangle_batch* batch = mesh->triangles + group->first_triangle;
    float(*rest_area)[8] = mesh->rest_area + group->first_triangle;
    for (int k = 0; k < width; ++k) {
        t[k].x[0] = point_gather(mesh->pos, slots[k]);
        t[k].x[1] = point_gather(mesh->pos, slots[width + k]);
    }
    dr_star_row* rim = slots + width;
    for (int n = 0; n < group->length; ++n, rim += width, batch += width, rest_area += width) {
        for (int k = 0; k < width; ++k) {
            t[k].x[2] = point_gather(mesh->pos, rim[width + k]);
            load_weights(&t[k], &batch[k]);
        }
        for (int k = 0; k < width; ++k) {
            measure(&t[k]);
        }
        for (int k = 0; k < width; ++k) {
            relax_strains(&t[k], mesh->softness, &batch[k], is_first);
        }
        for (int k = 0; k < width; ++k) {
            push(&t[k], &batch[k], rest_area[k]);
            point_scatter(mesh->pos, rim[k], t[k].x[1]);
            t[k].x[1] = t[k].x[2];
        }
    }
    for (int k = 0; k < width; ++k) {
        point_scatter(mesh->pos, rim[k], t[k].x[1]);
        point_scatter(mesh->pos, slots[k], t[k].x[0]);
    }
}

// --- Bending ---

static inline dr_v8 unit(dr_v8 a)
{
    dr_f8 length = dr_f8_sqrt(dr_f8_max(dr_v8_dot(a, a), dr_f8_set(1e-30f)));
    return dr_v8_scale(a, dr_f8_div(dr_f8_set(1.0f), length));
}

// Unit normal of a hinge, halfway between those of its triangles whatever their sizes: there the
// bow of the rest shape points. x0 x1 is the edge.
static inline dr_v8 hinge_normal(const point x[4])
{
    dr_v8 edge = dr_v8_sub(x[1].p, x[0].p);
    dr_v8 n2 = dr_v8_cross(edge, dr_v8_sub(x[2].p, x[0].p));
    dr_v8 n3 = dr_v8_cross(dr_v8_sub(x[3].p, x[0].p), edge);
    return unit(dr_v8_add(unit(n2), unit(n3)));
}

// Where a vertex would go without bending. Internal friction looks ahead by the change since the
// substep began.
static void aim_block(const struct dr_xpbd_mesh* mesh, int block)
{
    const dr_bend* bend = &mesh->bend;
    dr_f8 lag = dr_f8_set(bend->lag);
    for (int v = bend->vector_start[block]; v < bend->vector_start[block + 1]; ++v) {
        dr_lanes at = dr_lanes_load(DR_LAYOUT_RECORDS, mesh->pos, v);
        dr_lanes from = dr_lanes_load(DR_LAYOUT_RECORDS, mesh->start, v);
        at.p = dr_v8_add(at.p, dr_v8_scale(dr_v8_sub(at.p, from.p), lag));
        dr_lanes_store(DR_LAYOUT_RECORDS, bend->aim, v, at);
        if (bend->fold) {
            memset(bend->fold + (size_t)v * 32, 0, 32 * sizeof(float));
        }
    }
}

// Pull of the bows of a curved rest shape, along the normals of this substep.
static void fold_block(const struct dr_xpbd_mesh* mesh, int block)
{
    for (int h = mesh->hinge_start[block]; h < mesh->hinge_start[block + 1]; ++h) {
        const dr_hinge_batch* batch = &mesh->hinges[h];
        point x[4];
        for (int i = 0; i < 4; ++i) {
            x[i] = point_gather(mesh->pos, batch->slot[i]);
        }
        dr_f8 pull = dr_f8_mul(dr_f8_load(batch->bow), dr_f8_load(batch->stiffness));
        dr_v8 n = dr_v8_scale(hinge_normal(x), pull);
        dr_f8 k[4] = {dr_f8_zero(), dr_f8_load(batch->k[0]), dr_f8_load(batch->k[1]),
                      dr_f8_load(batch->k[2])};
        k[0] = dr_f8_neg(dr_f8_add(dr_f8_add(k[1], k[2]), k[3]));
        for (int i = 0; i < 4; ++i) {
            point f = point_gather(mesh->bend.fold, batch->slot[i]);
            f.p = dr_v8_add(f.p, dr_v8_scale(n, k[i]));
            point_scatter(mesh->bend.fold, batch->slot[i], f);
        }
    }
}

// Row of the matrix times the vertices, from differences, so that carrying a sheet costs nothing.
static inline dr_v8 bend_force(const dr_bend* bend, const float* now, dr_v8 own, int v)
{
    dr_f8 zero = dr_f8_zero();
    dr_v8 sum = {zero, zero, zero};
    for (int i = bend->coupling_start[v]; i < bend->coupling_start[v + 1]; ++i) {
        const dr_coupling* coupling = &bend->couplings[i];
        point other = point_gather(now, coupling->slot);
        dr_v8 apart = dr_v8_sub(other.p, own);
        sum = dr_v8_add(sum, dr_v8_scale(apart, dr_f8_load(coupling->k)));
    }
    return sum;
}

// The vertices go where the last guess went; further sweeps, if any, add to it.
static inline void follow(const struct dr_xpbd_mesh* mesh, int v, dr_v8 move)
{
    dr_f8 share = dr_f8_set(1.0f / (1.0f + mesh->bend.lag));
    dr_lanes at = dr_lanes_load(DR_LAYOUT_RECORDS, mesh->pos, v);
    at.p = dr_v8_add(at.p, dr_v8_scale(move, share));
    dr_lanes_store(DR_LAYOUT_RECORDS, mesh->pos, v, at);
}

// Sweep number `sweep`, from 1: the next guess from the last two and what the last one lacks. All
// of `now` was written in the sweep before, so blocks and vectors may come in any order.
static void relax_block(const struct dr_xpbd_mesh* mesh, int block, int sweep)
{
    const dr_bend* bend = &mesh->bend;
    const float* now = sweep == 1 ? bend->aim : bend->guess[sweep % 2];
    float* next = bend->guess[(sweep + 1) % 2];
    const float* before = sweep <= 2 ? bend->aim : next;
    dr_f8 weight = dr_f8_set(bend->weight), step = dr_f8_set(bend->step);
    dr_f8 omega = dr_f8_set(bend->omega[sweep < DR_BEND_SWEEPS ? sweep : DR_BEND_SWEEPS]);
    for (int v = bend->vector_start[block]; v < bend->vector_start[block + 1]; ++v) {
        dr_lanes own = dr_lanes_load(DR_LAYOUT_RECORDS, now, v);
        dr_lanes aim = dr_lanes_load(DR_LAYOUT_RECORDS, bend->aim, v);
        dr_lanes old = dr_lanes_load(DR_LAYOUT_RECORDS, before, v);
        dr_v8 force = bend_force(bend, now, own.p, v);
        if (bend->fold) {
            force = dr_v8_sub(force, dr_lanes_load(DR_LAYOUT_RECORDS, bend->fold, v).p);
        }
        force = dr_v8_scale(force, dr_f8_mul(own.w, weight));
        dr_v8 lack = dr_v8_sub(dr_v8_sub(aim.p, own.p), force);
        dr_v8 move = dr_v8_add(dr_v8_sub(own.p, old.p), dr_v8_scale(lack, step));
        dr_lanes then = {dr_v8_add(old.p, dr_v8_scale(move, omega)), own.w};
        dr_lanes_store(DR_LAYOUT_RECORDS, next, v, then);
        if (sweep >= bend->sweeps) {
            dr_v8 from = sweep == bend->sweeps ? aim.p : own.p;
            follow(mesh, v, dr_v8_sub(then.p, from));
        }
    }
}

// First the aims, then the folds if there are any, then one sweep a call.
static void bend(const struct dr_xpbd_mesh* mesh, int block, bool is_first)
{
    int call = is_first ? 0 : mesh->bend.call[block] + 1;
    mesh->bend.call[block] = call;
    if (is_first) {
        aim_block(mesh, block);
    } else if (mesh->bend.fold && call == 1) {
        fold_block(mesh, block);
    } else {
        relax_block(mesh, block, mesh->bend.fold ? call - 1 : call);
    }
}

static void stretch(const struct dr_xpbd_mesh* mesh, int block, bool is_first)
{
    const dr_star_group* end = mesh->stars.groups + mesh->stars.group_start[block + 1];
    for (const dr_star_group* group = mesh->stars.groups + mesh->stars.group_start[block];
         group < end; ++group) {
        switch (group->width) {
        case 1: project_group(mesh, group, 1, is_first); break;
        case 2: project_group(mesh, group, 2, is_first); break;
        case 3: project_group(mesh, group, 3, is_first); break;
        default: project_group(mesh, group, DR_STAR_WIDTH, is_first);
        }
    }
}

const dr_mesh_kernels DR_KERNEL(dr_mesh_kernels);
const dr_mesh_kernels DR_KERNEL(dr_mesh_kernels) = {bend, stretch};
