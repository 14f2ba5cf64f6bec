// Chains along the lines of a mesh, compiled once per instruction set.
#include <stddef.h>

#include "core/simd.h"
#include "solver/yarns.h"

// Of the rest length, squared: below it a spring lets its ends come nearer.
#define SLACK_SQUARED 0.94f

typedef struct place {
    dr_v8 p;
    dr_f8 w;
    dr_v8 pressed; // normal of the solid that it is pressed against, or 0
} place;

static DR_ALWAYS_INLINE place gather(const dr_yarns* yarns, const float* pos, const int32_t* slot,
                                     bool is_pressed)
{
    dr_f8 c[4], n[4] = {dr_f8_zero(), dr_f8_zero(), dr_f8_zero()};
    dr_f8_gather4(pos, slot, c);
    if (is_pressed) {
        dr_f8_gather4(yarns->pressed, slot, n);
    }
    return (place){{c[0], c[1], c[2]}, c[3], {n[0], n[1], n[2]}};
}

// What of a direction a vertex can follow.
static DR_ALWAYS_INLINE dr_v8 follow(const place* at, dr_v8 direction, bool is_pressed)
{
    return is_pressed
               ? dr_v8_sub(direction, dr_v8_scale(at->pressed, dr_v8_dot(at->pressed, direction)))
               : direction;
}

// One spring of each lane during elimination. With d from end to end and L its length at rest the
// constraint is (d.d - L^2) / 2L: no root, and near L as good as the length.
typedef struct spring {
    dr_v8 from, to; // d / L, as its ends can follow it
    dr_f8 inverse;  // 1 / pivot
    dr_f8 rhs;
    dr_f8 factor; // coupling with the spring before, over the pivot of that
} spring;

// Eliminates the spring from a to b, given the one before it, which ends at a.
static DR_ALWAYS_INLINE spring eliminate(const place* a, const place* b, const spring* before,
                                         const dr_yarn_springs* own, bool is_pressed)
{
    dr_v8 d = dr_v8_sub(b->p, a->p);
    dr_f8 rest = dr_f8_load(own->rest), per_rest = dr_f8_load(own->per_rest);
    dr_f8 squared = dr_v8_dot(d, d), rest_squared = dr_f8_mul(rest, rest);
    d = dr_v8_scale(d, per_rest);
    spring s = {.from = follow(a, d, is_pressed), .to = follow(b, d, is_pressed)};
    dr_f8 is_slack = dr_f8_less(squared, dr_f8_mul(rest_squared, dr_f8_set(SLACK_SQUARED)));
    dr_f8 compliance =
        dr_f8_select(is_slack, dr_f8_set(DR_YARN_ABSENT), dr_f8_load(own->compliance));
    dr_f8 weight =
        dr_f8_add(dr_f8_mul(a->w, dr_v8_dot(s.from, d)), dr_f8_mul(b->w, dr_v8_dot(s.to, d)));
    dr_f8 coupling = dr_f8_neg(dr_f8_mul(a->w, dr_v8_dot(before->to, d)));
    s.factor = dr_f8_mul(coupling, before->inverse);
    dr_f8 pivot = dr_f8_sub(dr_f8_add(weight, compliance), dr_f8_mul(s.factor, coupling));
    s.inverse = dr_f8_div(dr_f8_set(1.0f), pivot);
    dr_f8 wrong = dr_f8_mul(dr_f8_mul(dr_f8_sub(rest_squared, squared), per_rest), dr_f8_set(0.5f));
    s.rhs = dr_f8_sub(wrong, dr_f8_mul(s.factor, before->rhs));
    return s;
}

// What substitution needs of it, and the place at its end.
static inline void record_store(float* at, const spring* s, const place* end)
{
    dr_v8_store(at, s->from);
    dr_v8_store(at + 24, s->to);
    dr_f8_store(at + 48, dr_f8_mul(s->rhs, s->inverse));
    dr_f8_store(at + 56, s->factor);
    dr_v8_store(at + 64, end->p);
    dr_f8_store(at + 88, end->w);
}

// What the spring after a vertex leaves to it and to the spring before.
typedef struct carry {
    dr_v8 push;  // direction times multiplier
    dr_f8 share; // factor times multiplier
} carry;

static inline void move(float* pos, const int32_t* slot, dr_v8 p, dr_f8 w, dr_v8 push)
{
    dr_v8 to = dr_v8_add(p, dr_v8_scale(push, w));
    dr_f8_scatter4(pos, slot, (dr_f8[4]){to.x, to.y, to.z, w});
}

// Multiplier of a spring; moves its end.
static inline void substitute(const float* record, float* pos, const int32_t* end, carry* after)
{
    dr_f8 lambda = dr_f8_sub(dr_f8_load(record + 48), after->share);
    dr_v8 push = dr_v8_sub(dr_v8_scale(dr_v8_load(record + 24), lambda), after->push);
    move(pos, end, dr_v8_load(record + 64), dr_f8_load(record + 88), push);
    after->push = dr_v8_scale(dr_v8_load(record), lambda);
    after->share = dr_f8_mul(dr_f8_load(record + 56), lambda);
}

static DR_ALWAYS_INLINE void pull_batch(const dr_yarns* yarns, const dr_yarn_batch* batch,
                                        float* pos, bool is_pressed)
{
    dr_f8 zero = dr_f8_zero();
    dr_v8 none = {zero, zero, zero};
    float* records = yarns->scratch;
    const dr_yarn_springs* springs = yarns->springs + batch->first;
    int count = batch->length - 1;
    spring before = {none, none, zero, zero, zero};
    place a = gather(yarns, pos, springs[0].slot, is_pressed);
    for (int i = 0; i < count; ++i) {
        place b = gather(yarns, pos, springs[i + 1].slot, is_pressed);
        before = eliminate(&a, &b, &before, &springs[i], is_pressed);
        record_store(records + (size_t)i * DR_YARN_RECORD, &before, &b);
        a = b;
    }
    carry after = {none, zero};
    for (int i = count - 1; i >= 0; --i) {
        substitute(records + (size_t)i * DR_YARN_RECORD, pos, springs[i + 1].slot, &after);
    }
    // Read again: the first vertex of a ring was moved as its last.
    a = gather(yarns, pos, springs[0].slot, false);
    move(pos, springs[0].slot, a.p, a.w, dr_v8_scale(after.push, dr_f8_set(-1.0f)));
}

static void pull(const dr_yarns* yarns, float* pos)
{
    for (int b = 0; b < yarns->batch_count; ++b) {
        if (yarns->is_pressed) {
            pull_batch(yarns, &yarns->batches[b], pos, true);
        } else {
            pull_batch(yarns, &yarns->batches[b], pos, false);
        }
    }
}

const dr_yarn_kernels DR_KERNEL(dr_yarn_kernels);
const dr_yarn_kernels DR_KERNEL(dr_yarn_kernels) = {pull};
