// Springs as each vertex sees them, four at a time; compiled once per instruction set.
#include "core/simd_double.h"
#include "solver/springs_parts.h"

// A vertex's four springs: the ways to their other ends, and what is to be known of each length.
typedef struct pull {
    dr_w4 way;
    dr_d4 length;
    dr_d4 weight; // force over length
    dr_d4 slope;  // of the force over the length
    int zero;     // springs without direction
} pull;

static DR_ALWAYS_INLINE dr_w4 ways(const dr_record* x, const int32_t other[4], dr_d4 here)
{
    dr_d4 way[4];
    for (int i = 0; i < 4; ++i) {
        way[i] = dr_d4_sub(dr_d4_load(x[other[i]]), here);
    }
    dr_d4_transpose(way);
    return (dr_w4){way[0], way[1], way[2]};
}

// Four lanes of three components into one record.
static DR_ALWAYS_INLINE dr_d4 sum_lanes(dr_w4 a)
{
    dr_d4 rows[4] = {a.x, a.y, a.z, dr_d4_zero()};
    dr_d4_transpose(rows);
    return dr_d4_add(dr_d4_add(rows[0], rows[1]), dr_d4_add(rows[2], rows[3]));
}

static DR_ALWAYS_INLINE int count_bits(int bits)
{
    return (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1) + (bits >> 3 & 1);
}

static DR_ALWAYS_INLINE pull look(const dr_springs* s, const dr_record* x, int32_t g, dr_d4 here,
                                  bool hardens)
{
    const dr_spring_group* group = &s->groups[g];
    pull p = {.way = ways(x, s->others[g], here)};
    dr_d4 k = dr_d4_load(group->stiffness);
    p.length = dr_d4_sqrt(dr_w4_dot(p.way, p.way));
    dr_d4 more = dr_d4_sub(p.length, dr_d4_load(group->rest));
    dr_d4 force = dr_d4_mul(k, more);
    p.slope = k;
    if (hardens) {
        dr_d4 share = dr_d4_mul(dr_d4_load(group->hardening), dr_d4_mul(more, more));
        dr_d4 thrice = dr_d4_add(share, dr_d4_add(share, share));
        force = dr_d4_add(force, dr_d4_mul(force, share));
        p.slope = dr_d4_add(k, dr_d4_mul(k, thrice));
    }
    dr_d4 is_long = dr_d4_less(dr_d4_set(s->least_length), p.length);
    p.length = dr_d4_select(is_long, p.length, dr_d4_set(1.0));
    p.weight = dr_d4_select(is_long, dr_d4_div(force, p.length), dr_d4_zero());
    p.slope = dr_d4_select(is_long, p.slope, dr_d4_zero());
    p.zero = dr_d4_bits(dr_d4_less(dr_d4_zero(), k)) & ~dr_d4_bits(is_long);
    return p;
}

static DR_ALWAYS_INLINE dr_d4 force_at(const dr_springs* s, int v, const dr_record* x, bool hardens,
                                       int* zero)
{
    dr_w4 sum = {dr_d4_zero(), dr_d4_zero(), dr_d4_zero()};
    dr_d4 here = dr_d4_load(x[v]);
    for (int32_t g = s->group_start[v]; g < s->group_start[v + 1]; ++g) {
        pull p = look(s, x, g, here, hardens);
        sum = dr_w4_add(sum, dr_w4_scale(p.way, p.weight));
        *zero += p.zero ? count_bits(p.zero) : 0;
    }
    return sum_lanes(sum);
}

static DR_ALWAYS_INLINE int force_any(const dr_springs* s, int block, const dr_record* x,
                                      dr_record* force, bool hardens)
{
    int zero = 0;
    for (int v = block * DR_SPRINGS_BLOCK; v < dr_springs_block_end(s, block); ++v) {
        dr_d4_store(force[v], force_at(s, v, x, hardens, &zero));
    }
    return zero;
}

static int force_linear(const dr_springs* s, int block, const dr_record* x, dr_record* force)
{
    return force_any(s, block, x, force, false);
}

static int force_hardening(const dr_springs* s, int block, const dr_record* x, dr_record* force)
{
    return force_any(s, block, x, force, true);
}

// --- Verlet ---

static DR_ALWAYS_INLINE int move_any(const dr_springs* s, int block, bool hardens)
{
    int zero = 0;
    const dr_d4 way = dr_d4_set(s->step.keep * s->step.h);
    const dr_d4 square = dr_d4_set(s->step.h * s->step.h);
    for (int v = block * DR_SPRINGS_BLOCK; v < dr_springs_block_end(s, block); ++v) {
        dr_d4 force = force_at(s, v, (const dr_record*)s->y, hardens, &zero);
        dr_d4 a = dr_d4_add(dr_d4_mul(force, dr_d4_set(s->inverse_mass[v])), dr_d4_load(s->a[v]));
        dr_d4 q = dr_d4_add(dr_d4_load(s->y[v]), dr_d4_mul(way, dr_d4_load(s->w[v])));
        dr_d4_store(s->q[v], dr_d4_add(q, dr_d4_mul(square, a)));
    }
    return zero;
}

static int move_linear(const dr_springs* s, int block)
{
    return move_any(s, block, false);
}

static int move_hardening(const dr_springs* s, int block)
{
    return move_any(s, block, true);
}

// --- System ---

// The block of a vertex in the diagonal, as sums over lanes: xx yy zz, xy yz zx.
typedef struct diagonal {
    dr_w4 straight, mixed;
} diagonal;

static DR_ALWAYS_INLINE void add_link(const dr_springs* s, int32_t g, const pull* p, diagonal* sum)
{
    dr_spring_link* link = &s->system[g];
    const dr_d4 dt = dr_d4_set(s->step.dt), square = dr_d4_set(s->step.dt * s->step.dt);
    // Across itself a spring in compression is left out; along itself it is as stiff as it is.
    dr_d4 across = dr_d4_max(p->weight, dr_d4_zero());
    dr_d4 alpha = dr_d4_mul(square, across);
    dr_d4 damping = dr_d4_mul(dr_d4_set(s->def.spring_damping), p->slope);
    dr_d4 beta = dr_d4_add(dr_d4_mul(square, dr_d4_sub(p->slope, across)), dr_d4_mul(dt, damping));
    dr_d4 root = dr_d4_sqrt(dr_d4_max(beta, dr_d4_zero()));
    dr_w4 d = dr_w4_scale(p->way, dr_d4_div(root, p->length));
    dr_d4_store(link->alpha, alpha);
    dr_d4_store(link->d[0], d.x);
    dr_d4_store(link->d[1], d.y);
    dr_d4_store(link->d[2], d.z);
    dr_w4 turned = {d.y, d.z, d.x};
    dr_w4 squares = {dr_d4_mul(d.x, d.x), dr_d4_mul(d.y, d.y), dr_d4_mul(d.z, d.z)};
    dr_w4 products = {dr_d4_mul(d.x, turned.x), dr_d4_mul(d.y, turned.y), dr_d4_mul(d.z, turned.z)};
    sum->straight = dr_w4_add(sum->straight, dr_w4_add(squares, (dr_w4){alpha, alpha, alpha}));
    sum->mixed = dr_w4_add(sum->mixed, products);
}

static DR_ALWAYS_INLINE int linearise_any(const dr_springs* s, int block, bool hardens)
{
    int zero = 0;
    const dr_record* x = (const dr_record*)s->x;
    const dr_d4 dt = dr_d4_set(s->step.dt), none = dr_d4_zero();
    for (int v = block * DR_SPRINGS_BLOCK; v < dr_springs_block_end(s, block); ++v) {
        dr_w4 force = {none, none, none};
        diagonal sum = {force, force};
        dr_d4 here = dr_d4_load(x[v]);
        for (int32_t g = s->group_start[v]; g < s->group_start[v + 1]; ++g) {
            pull p = look(s, x, g, here, hardens);
            force = dr_w4_add(force, dr_w4_scale(p.way, p.weight));
            zero += p.zero ? count_bits(p.zero) : 0;
            add_link(s, g, &p, &sum);
        }
        double straight[4], mixed[4];
        dr_d4_store(straight, sum_lanes(sum.straight));
        dr_d4_store(mixed, sum_lanes(sum.mixed));
        dr_springs_invert(straight, mixed, s->inertia[v], s->inverse[v]);
        dr_d4 speed = dr_d4_add(dr_d4_load(s->v[v]), dr_d4_mul(dt, dr_d4_load(s->a[v])));
        dr_d4 momentum = dr_d4_mul(dr_d4_set(s->mass[v]), speed);
        dr_d4_store(s->b[v], dr_d4_add(momentum, dr_d4_mul(dt, sum_lanes(force))));
    }
    return zero;
}

static int linearise_linear(const dr_springs* s, int block)
{
    return linearise_any(s, block, false);
}

static int linearise_hardening(const dr_springs* s, int block)
{
    return linearise_any(s, block, true);
}

// --- Conjugate gradients ---

// A row of the system times a vector.
static DR_ALWAYS_INLINE dr_d4 row(const dr_springs* s, int v, const dr_record* in)
{
    dr_w4 sum = {dr_d4_zero(), dr_d4_zero(), dr_d4_zero()};
    dr_d4 here = dr_d4_load(in[v]);
    for (int32_t g = s->group_start[v]; g < s->group_start[v + 1]; ++g) {
        const dr_spring_link* link = &s->system[g];
        dr_w4 way = ways(in, s->others[g], here);
        dr_w4 d = {dr_d4_load(link->d[0]), dr_d4_load(link->d[1]), dr_d4_load(link->d[2])};
        dr_w4 along = dr_w4_scale(d, dr_w4_dot(d, way));
        dr_w4 all = dr_w4_add(along, dr_w4_scale(way, dr_d4_load(link->alpha)));
        sum = dr_w4_add(sum, all);
    }
    return dr_d4_sub(dr_d4_mul(dr_d4_set(s->inertia[v]), here), sum_lanes(sum));
}

// A 3 x 3 matrix, given by columns, times a record.
static DR_ALWAYS_INLINE dr_d4 times(const double m[12], const double a[4])
{
    dr_d4 x = dr_d4_mul(dr_d4_load(m), dr_d4_set(a[0]));
    dr_d4 y = dr_d4_mul(dr_d4_load(m + 4), dr_d4_set(a[1]));
    return dr_d4_add(dr_d4_add(x, y), dr_d4_mul(dr_d4_load(m + 8), dr_d4_set(a[2])));
}

static DR_ALWAYS_INLINE double total(dr_d4 a)
{
    double v[4];
    dr_d4_store(v, a);
    return v[0] + v[1] + v[2] + v[3];
}

static DR_ALWAYS_INLINE void store_filtered(const dr_springs* s, int block, int v, dr_d4 a,
                                            double* out)
{
    dr_d4_store(out, a);
    if (s->is_filtered[block]) {
        dr_d4_store(out, times(s->filter[v], out));
    }
}

static void multiply(const dr_springs* s, int block, const dr_record* in, dr_record* out,
                     double* sum)
{
    dr_d4 dot = dr_d4_zero();
    for (int v = block * DR_SPRINGS_BLOCK; v < dr_springs_block_end(s, block); ++v) {
        dr_d4 a = row(s, v, in);
        dr_d4_store(out[v], a);
        dot = dr_d4_add(dot, dr_d4_mul(a, dr_d4_load(in[v])));
    }
    *sum = total(dot);
}

static void advance(const dr_springs* s, int block)
{
    dr_d4 dot = dr_d4_zero();
    for (int v = block * DR_SPRINGS_BLOCK; v < dr_springs_block_end(s, block); ++v) {
        store_filtered(s, block, v, row(s, v, (const dr_record*)s->p), s->ap[v]);
        dot = dr_d4_add(dot, dr_d4_mul(dr_d4_load(s->ap[v]), dr_d4_load(s->p[v])));
    }
    s->partial[block][0] = total(dot);
}

// z from r, and its share in r.z and r.r.
static DR_ALWAYS_INLINE void precondition(const dr_springs* s, int block, int v, dr_d4 dot[2])
{
    store_filtered(s, block, v, times(s->inverse[v], s->r[v]), s->z[v]);
    dr_d4 r = dr_d4_load(s->r[v]);
    dot[0] = dr_d4_add(dot[0], dr_d4_mul(r, dr_d4_load(s->z[v])));
    dot[1] = dr_d4_add(dot[1], dr_d4_mul(r, r));
}

static void start(const dr_springs* s, int block)
{
    dr_d4 dot[2] = {dr_d4_zero(), dr_d4_zero()};
    for (int v = block * DR_SPRINGS_BLOCK; v < dr_springs_block_end(s, block); ++v) {
        dr_d4 r = dr_d4_sub(dr_d4_load(s->b[v]), row(s, v, (const dr_record*)s->u));
        store_filtered(s, block, v, r, s->r[v]);
        precondition(s, block, v, dot);
    }
    s->partial[block][0] = total(dot[0]);
    s->partial[block][1] = total(dot[1]);
}

static void update(const dr_springs* s, int block, double step)
{
    dr_d4 dot[2] = {dr_d4_zero(), dr_d4_zero()};
    const dr_d4 t = dr_d4_set(step);
    for (int v = block * DR_SPRINGS_BLOCK; v < dr_springs_block_end(s, block); ++v) {
        dr_d4 u = dr_d4_add(dr_d4_load(s->u[v]), dr_d4_mul(t, dr_d4_load(s->p[v])));
        dr_d4 r = dr_d4_sub(dr_d4_load(s->r[v]), dr_d4_mul(t, dr_d4_load(s->ap[v])));
        dr_d4_store(s->u[v], u);
        dr_d4_store(s->r[v], r);
        precondition(s, block, v, dot);
    }
    s->partial[block][0] = total(dot[0]);
    s->partial[block][1] = total(dot[1]);
}

static void turn(const dr_springs* s, int block, double step)
{
    const dr_d4 t = dr_d4_set(step);
    for (int v = block * DR_SPRINGS_BLOCK; v < dr_springs_block_end(s, block); ++v) {
        dr_d4_store(s->p[v], dr_d4_add(dr_d4_load(s->z[v]), dr_d4_mul(t, dr_d4_load(s->p[v]))));
    }
}

const dr_springs_kernels DR_KERNEL(dr_springs_kernels);
const dr_springs_kernels DR_KERNEL(dr_springs_kernels) = {
    .force = {force_linear, force_hardening},
    .move = {move_linear, move_hardening},
    .linearise = {linearise_linear, linearise_hardening},
    .multiply = multiply,
    .advance = advance,
    .start = start,
    .update = update,
    .turn = turn,
};
