// Chains along the lines of a mesh, compiled once per instruction set.
#include <stddef.h>

#include "core/simd.h"
#include "solver/yarns.h"

// Of the rest length: below it a spring lets its ends come nearer.
#define SLACK 0.97f
// Compliance of what does not pull, times h^2: nothing moves by it and nothing overflows.
#define ABSENT 1e30f

typedef struct place {
    dr_v8 p;
    dr_f8 w;
    dr_v8 pressed; // normal of the solid that it is pressed against, or 0
} place;

static inline place gather(const float* pos, const float* pressed, const int32_t* slot)
{
    dr_f8 c[4], n[4];
    dr_f8_gather4(pos, slot, c);
    dr_f8_gather4(pressed, slot, n);
    return (place){{c[0], c[1], c[2]}, c[3], {n[0], n[1], n[2]}};
}

// What of a direction a vertex can follow.
static inline dr_v8 follow(const place* at, dr_v8 direction)
{
    return dr_v8_sub(direction, dr_v8_scale(at->pressed, dr_v8_dot(at->pressed, direction)));
}

// One spring of each lane during elimination.
typedef struct spring {
    dr_v8 from, to; // its direction, as its ends can follow it
    dr_f8 inverse;  // 1 / pivot
    dr_f8 rhs;
    dr_f8 factor; // coupling with the spring before, over the pivot of that
} spring;

static inline dr_f8 compliance_of(const place* a, const place* b, dr_f8 length, dr_f8 rest,
                                  dr_f8 stiffness, float h)
{
    dr_f8 k = dr_f8_mul(stiffness, dr_f8_set(h * h)), absent = dr_f8_set(ABSENT);
    dr_f8 is_slack = dr_f8_less(length, dr_f8_mul(rest, dr_f8_set(SLACK)));
    // What keeps the elimination of a taut chain from dividing by rounding errors.
    dr_f8 softest = dr_f8_mul(dr_f8_add(a->w, b->w), dr_f8_set(4e-6f));
    dr_f8 own = dr_f8_max(dr_f8_div(dr_f8_set(1.0f), dr_f8_max(k, dr_f8_set(1e-30f))), softest);
    own = dr_f8_select(dr_f8_less(dr_f8_zero(), k), own, absent);
    return dr_f8_select(is_slack, absent, own);
}

// Eliminates the spring from a to b, given the one before it, which ends at a.
static inline spring eliminate(const place* a, const place* b, const spring* before, dr_f8 rest,
                               dr_f8 stiffness, float h)
{
    dr_v8 d = dr_v8_sub(b->p, a->p);
    dr_f8 one = dr_f8_set(1.0f);
    dr_f8 length = dr_f8_sqrt(dr_f8_max(dr_v8_dot(d, d), dr_f8_set(1e-24f)));
    d = dr_v8_scale(d, dr_f8_div(one, length));
    spring s = {.from = follow(a, d), .to = follow(b, d)};
    dr_f8 weight = dr_f8_add(dr_f8_mul(a->w, dr_v8_dot(s.from, s.from)),
                             dr_f8_mul(b->w, dr_v8_dot(s.to, s.to)));
    weight = dr_f8_add(weight, compliance_of(a, b, length, rest, stiffness, h));
    dr_f8 coupling = dr_f8_neg(dr_f8_mul(a->w, dr_v8_dot(before->to, d)));
    s.factor = dr_f8_mul(coupling, before->inverse);
    // Held ends leave nothing but an absent spring's compliance, or a little more than nothing.
    dr_f8 pivot = dr_f8_sub(weight, dr_f8_mul(s.factor, coupling));
    s.inverse = dr_f8_div(one, dr_f8_max(pivot, dr_f8_set(1e-12f)));
    s.rhs = dr_f8_sub(dr_f8_sub(rest, length), dr_f8_mul(s.factor, before->rhs));
    return s;
}

static inline void record_store(float* at, const spring* s)
{
    dr_v8_store(at, s->from);
    dr_v8_store(at + 24, s->to);
    dr_f8_store(at + 48, dr_f8_mul(s->rhs, s->inverse));
    dr_f8_store(at + 56, s->factor);
}

// What the spring after a vertex leaves to it and to the spring before.
typedef struct carry {
    dr_v8 push;  // direction times multiplier
    dr_f8 share; // factor times multiplier
} carry;

static inline void move(float* pos, const int32_t* slot, dr_v8 push)
{
    dr_f8 c[4];
    // Read again: the first vertex of a ring was moved as its last.
    dr_f8_gather4(pos, slot, c);
    c[0] = dr_f8_add(c[0], dr_f8_mul(push.x, c[3]));
    c[1] = dr_f8_add(c[1], dr_f8_mul(push.y, c[3]));
    c[2] = dr_f8_add(c[2], dr_f8_mul(push.z, c[3]));
    dr_f8_scatter4(pos, slot, c);
}

static inline void substitute(const float* record, float* pos, const int32_t* end, carry* after)
{
    dr_f8 lambda = dr_f8_sub(dr_f8_load(record + 48), after->share);
    move(pos, end, dr_v8_sub(dr_v8_scale(dr_v8_load(record + 24), lambda), after->push));
    after->push = dr_v8_scale(dr_v8_load(record), lambda);
    after->share = dr_f8_mul(dr_f8_load(record + 56), lambda);
}

static void pull_batch(const dr_yarns* yarns, const dr_yarn_batch* batch, float* pos, float h)
{
    dr_f8 zero = dr_f8_zero();
    dr_v8 none = {zero, zero, zero};
    float* records = yarns->scratch;
    int first = batch->first, count = batch->length - 1;
    spring before = {none, none, zero, zero, zero};
    place a = gather(pos, yarns->pressed, yarns->slots[first]);
    for (int i = 0; i < count; ++i) {
        place b = gather(pos, yarns->pressed, yarns->slots[first + i + 1]);
        before = eliminate(&a, &b, &before, dr_f8_load(yarns->rest[first + i]),
                           dr_f8_load(yarns->stiffness[first + i]), h);
        record_store(records + (size_t)i * DR_YARN_SPRING, &before);
        a = b;
    }
    carry after = {none, zero};
    for (int i = count - 1; i >= 0; --i) {
        substitute(records + (size_t)i * DR_YARN_SPRING, pos, yarns->slots[first + i + 1], &after);
    }
    move(pos, yarns->slots[first], dr_v8_scale(after.push, dr_f8_set(-1.0f)));
}

static void pull(const dr_yarns* yarns, float* pos, float h)
{
    for (int b = 0; b < yarns->batch_count; ++b) {
        pull_batch(yarns, &yarns->batches[b], pos, h);
    }
}

const dr_yarn_kernels DR_KERNEL(dr_yarn_kernels);
const dr_yarn_kernels DR_KERNEL(dr_yarn_kernels) = {pull};
