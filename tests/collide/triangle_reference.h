// triangle_reference.h: the relation of two triangles from its definition, in whole numbers.
//
// One triangle is cut by the half-spaces whose common part is the other one. What remains is the
// set that both have in common, a point, a segment or a polygon; the rest is looking at it. Points
// are homogeneous, x / w with w > 0, so that cutting needs no division.
#ifndef TEST_TRIANGLE_REFERENCE_H
#define TEST_TRIANGLE_REFERENCE_H

#include <stdbool.h>

#include "collide/triangle_pair.h"
#include "rational.h"

enum { piece_max = 24 };

typedef struct whole_vector {
    mpz_t x[4]; // the fourth is w of a point; not used in directions
} whole_vector;

// A triangle, its edges (from corner i to the next) and its normal.
typedef struct whole_triangle {
    whole_vector p[3], edge[3], normal;
    int dimension; // 2, 1 for a segment, 0 for a point
    int ends[2];   // corners, of a segment
} whole_triangle;

typedef struct whole_piece {
    whole_vector p[piece_max];
    int count;
} whole_piece;

// All numbers of one comparison; made once, used again and again.
typedef struct whole_workshop {
    whole_triangle a, b;
    whole_piece piece, next;
    whole_vector normal, center;
    mpz_t value[piece_max], offset, term;
} whole_workshop;

static inline void whole_init(whole_vector* v, int count)
{
    for (int i = 0; i < 4 * count; ++i) {
        mpz_init(v[i / 4].x[i % 4]);
    }
}

static inline void whole_clear(whole_vector* v, int count)
{
    for (int i = 0; i < 4 * count; ++i) {
        mpz_clear(v[i / 4].x[i % 4]);
    }
}

// Calls `init` or `clear` for everything in the workshop.
static inline void workshop_visit(whole_workshop* w, void (*vectors)(whole_vector*, int),
                                  void (*number)(mpz_ptr))
{
    whole_triangle* both[2] = {&w->a, &w->b};
    for (int i = 0; i < 2; ++i) {
        vectors(both[i]->p, 3);
        vectors(both[i]->edge, 3);
        vectors(&both[i]->normal, 1);
    }
    vectors(w->piece.p, piece_max);
    vectors(w->next.p, piece_max);
    vectors(&w->normal, 1);
    vectors(&w->center, 1);
    for (int i = 0; i < piece_max; ++i) {
        number(w->value[i]);
    }
    number(w->offset);
    number(w->term);
}

static inline void workshop_open(whole_workshop* w)
{
    workshop_visit(w, whole_init, mpz_init);
}

static inline void workshop_close(whole_workshop* w)
{
    workshop_visit(w, whole_clear, mpz_clear);
}

// --- Vectors ---

static inline void whole_cross(whole_vector* out, const whole_vector* a, const whole_vector* b)
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        mpz_mul(out->x[i], a->x[j], b->x[k]);
        mpz_submul(out->x[i], a->x[k], b->x[j]);
    }
}

static inline void whole_dot(mpz_t out, const whole_vector* a, const whole_vector* b)
{
    mpz_mul(out, a->x[0], b->x[0]);
    mpz_addmul(out, a->x[1], b->x[1]);
    mpz_addmul(out, a->x[2], b->x[2]);
}

static inline bool whole_is_zero(const whole_vector* v)
{
    return mpz_sgn(v->x[0]) == 0 && mpz_sgn(v->x[1]) == 0 && mpz_sgn(v->x[2]) == 0;
}

// n . (x - o), times the w of x; o is a corner, with w = 1.
static inline void height_over(whole_workshop* s, mpz_t out, const whole_vector* n,
                               const whole_vector* o, const whole_vector* x)
{
    whole_dot(s->offset, n, o);
    whole_dot(out, n, x);
    mpz_submul(out, s->offset, x->x[3]);
}

static inline int side_of(whole_workshop* s, const whole_vector* n, const whole_vector* o,
                          const whole_vector* x)
{
    height_over(s, s->term, n, o, x);
    return mpz_sgn(s->term);
}

// --- Triangles ---

static inline void whole_triangle_set(whole_workshop* s, whole_triangle* t, const drape_vec3* p)
{
    for (int i = 0; i < 3; ++i) {
        const float x[3] = {p[i].x, p[i].y, p[i].z};
        for (int k = 0; k < 3; ++k) {
            integer_of_units(t->p[i].x[k], x[k], -149);
        }
        mpz_set_ui(t->p[i].x[3], 1);
    }
    for (int i = 0; i < 9; ++i) {
        mpz_sub(t->edge[i / 3].x[i % 3], t->p[(i / 3 + 1) % 3].x[i % 3], t->p[i / 3].x[i % 3]);
    }
    whole_cross(&t->normal, &t->edge[0], &t->edge[1]);
    t->dimension = whole_is_zero(&t->normal) ? 1 : 2;

    // The longest of the three edges of a segment is all of it.
    mpz_set_ui(s->offset, 0);
    for (int i = 0; i < 3; ++i) {
        whole_dot(s->term, &t->edge[i], &t->edge[i]);
        if (mpz_cmp(s->term, s->offset) > 0) {
            mpz_set(s->offset, s->term);
            t->ends[0] = i;
            t->ends[1] = (i + 1) % 3;
        }
    }
    if (mpz_sgn(s->offset) == 0) {
        t->dimension = t->ends[0] = t->ends[1] = 0;
    }
}

// Keeps what is on the side of n, or on the plane through o; of a closed loop around a convex set.
static inline void cut(whole_workshop* s, const whole_vector* n, const whole_vector* o)
{
    whole_piece *from = &s->piece, *to = &s->next;
    for (int i = 0; i < from->count; ++i) {
        height_over(s, s->value[i], n, o, &from->p[i]);
    }
    to->count = 0;
    for (int i = 0; i < from->count; ++i) {
        int j = (i + 1) % from->count;
        int here = mpz_sgn(s->value[i]), there = mpz_sgn(s->value[j]);
        for (int k = 0; k < 4 && here >= 0; ++k) {
            mpz_set(to->p[to->count].x[k], from->p[i].x[k]);
        }
        to->count += here >= 0;
        for (int k = 0; k < 4 && here * there < 0; ++k) {
            mpz_ptr x = to->p[to->count].x[k];
            mpz_mul(x, s->value[i], from->p[j].x[k]);
            mpz_submul(x, s->value[j], from->p[i].x[k]);
            // The weights of the two have the signs of the side they come from.
            if (here < 0) {
                mpz_neg(x, x);
            }
        }
        to->count += here * there < 0;
    }
    for (int i = 0; i < 4 * to->count; ++i) {
        mpz_swap(from->p[i / 4].x[i % 4], to->p[i / 4].x[i % 4]);
    }
    from->count = to->count;
}

static inline void cut_both(whole_workshop* s, whole_vector* n, const whole_vector* o)
{
    cut(s, n, o);
    for (int k = 0; k < 3; ++k) {
        mpz_neg(n->x[k], n->x[k]);
    }
    cut(s, n, o);
    for (int k = 0; k < 3; ++k) {
        mpz_neg(n->x[k], n->x[k]);
    }
}

// The normal in the plane of t, inwards from edge i.
static inline void inward(whole_workshop* s, const whole_triangle* t, int i)
{
    whole_cross(&s->normal, &t->normal, &t->edge[i]);
}

// Along a segment, away from end i.
static inline void along(whole_workshop* s, const whole_triangle* t, int i)
{
    for (int k = 0; k < 3; ++k) {
        mpz_sub(s->normal.x[k], t->p[t->ends[1 - i]].x[k], t->p[t->ends[i]].x[k]);
    }
}

// Two planes that hold the line along axis-free directions: d x e for each axis e; a point: e.
static inline void cut_to_line(whole_workshop* s, const whole_triangle* t)
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        along(s, t, 0);
        mpz_set_ui(s->normal.x[k], t->dimension == 0);
        mpz_swap(s->normal.x[i], s->normal.x[j]);
        mpz_neg(s->normal.x[j], s->normal.x[j]);
        cut_both(s, &s->normal, &t->p[t->ends[0]]);
    }
}

// Leaves in `piece` what a and b have in common.
static inline void intersect(whole_workshop* s)
{
    s->piece.count = 3;
    for (int i = 0; i < 12; ++i) {
        mpz_set(s->piece.p[i / 4].x[i % 4], s->a.p[i / 4].x[i % 4]);
    }
    whole_triangle* t = &s->b;
    if (t->dimension == 2) {
        cut_both(s, &t->normal, &t->p[0]);
        for (int i = 0; i < 3; ++i) {
            inward(s, t, i);
            cut(s, &s->normal, &t->p[i]);
        }
        return;
    }
    cut_to_line(s, t);
    for (int i = 0; i < 2; ++i) {
        along(s, t, i);
        cut(s, &s->normal, &t->p[t->ends[i]]);
    }
}

// The mean of the corners of the piece: a point of its relative interior.
static inline void find_center(whole_workshop* s)
{
    whole_vector* c = &s->center;
    for (int k = 0; k < 4; ++k) {
        mpz_set(c->x[k], s->piece.p[0].x[k]);
    }
    for (int i = 1; i < s->piece.count; ++i) {
        const whole_vector* p = &s->piece.p[i];
        for (int k = 0; k < 3; ++k) {
            mpz_mul(c->x[k], c->x[k], p->x[3]);
            mpz_addmul(c->x[k], p->x[k], c->x[3]);
        }
        mpz_mul(c->x[3], c->x[3], p->x[3]);
    }
    mpz_mul_ui(c->x[3], c->x[3], (unsigned long)s->piece.count);
}

// x, a point of t, is off its border.
static inline bool is_inner(whole_workshop* s, const whole_triangle* t, const whole_vector* x)
{
    bool inner = true;
    for (int i = 0; i < 3 && t->dimension == 2; ++i) {
        inward(s, t, i);
        inner = inner && side_of(s, &s->normal, &t->p[i], x) > 0;
    }
    for (int i = 0; i < 2 && t->dimension == 1; ++i) {
        along(s, t, i);
        inner = inner && side_of(s, &s->normal, &t->p[t->ends[i]], x) > 0;
    }
    return inner;
}

static inline bool spans_space(whole_workshop* s)
{
    const whole_triangle* t = s->a.dimension == 2 ? &s->a : &s->b;
    const whole_triangle* other = s->a.dimension == 2 ? &s->b : &s->a;
    bool spans = false;
    for (int i = 0; i < 3; ++i) {
        whole_dot(s->term, &t->normal, &other->edge[i]);
        spans = spans || mpz_sgn(s->term) != 0;
    }
    return spans;
}

// x is on the closed segment of the corners p, q.
static inline bool is_on_segment(whole_workshop* s, const whole_vector* p, const whole_vector* q,
                                 const whole_vector* x)
{
    bool on = true;
    // (x - p) x (q - p) = 0, then the parameter along q - p; both times w.
    whole_vector d, e, c;
    whole_init(&d, 1);
    whole_init(&e, 1);
    whole_init(&c, 1);
    for (int k = 0; k < 3; ++k) {
        mpz_sub(d.x[k], q->x[k], p->x[k]);
        mpz_set(e.x[k], x->x[k]);
        mpz_submul(e.x[k], p->x[k], x->x[3]);
    }
    whole_cross(&c, &d, &e);
    if (whole_is_zero(&d)) {
        on = whole_is_zero(&e);
    } else {
        on = whole_is_zero(&c) && side_of(s, &d, p, x) >= 0 && side_of(s, &d, q, x) <= 0;
    }
    whole_clear(&d, 1);
    whole_clear(&e, 1);
    whole_clear(&c, 1);
    return on;
}

// x belongs to both by right; `shared` are corners of a.
static inline bool is_common(whole_workshop* s, const int* shared, int shared_count,
                             const whole_vector* x)
{
    bool common = false;
    for (int i = 0; i < shared_count; ++i) {
        const whole_vector* p = &s->a.p[shared[i]];
        const whole_vector* q = &s->a.p[shared[(i + 1) % shared_count]];
        common = common || is_on_segment(s, p, q, x);
    }
    return common;
}

// Three corners of the piece are not on one line: not all minors of their (x w) vanish.
static inline bool is_open(whole_workshop* s, const whole_vector* const p[3])
{
    bool open = false;
    mpz_t rows[3][3];
    for (int drop = 0; drop < 4; ++drop) {
        for (int n = 0; n < 9; ++n) {
            mpz_init_set(rows[n / 3][n % 3], p[n / 3]->x[n % 3 + (n % 3 >= drop)]);
        }
        integer_determinant(s->term, rows);
        open = open || mpz_sgn(s->term) != 0;
        for (int n = 0; n < 9; ++n) {
            mpz_clear(rows[n / 3][n % 3]);
        }
    }
    return open;
}

// Corners may be repeated, so all triples are tried.
static inline bool has_area(whole_workshop* s)
{
    const whole_piece* piece = &s->piece;
    int count = spans_space(s) ? 0 : piece->count;
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            for (int k = j + 1; k < count; ++k) {
                const whole_vector* p[3] = {&piece->p[i], &piece->p[j], &piece->p[k]};
                if (is_open(s, p)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static inline int reference_shared(const int32_t* a_ids, const int32_t* b_ids, int* shared)
{
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        bool in_b = a_ids[i] == b_ids[0] || a_ids[i] == b_ids[1] || a_ids[i] == b_ids[2];
        bool seen = (i > 0 && a_ids[i] == a_ids[0]) || (i > 1 && a_ids[i] == a_ids[1]);
        if (in_b && !seen) {
            shared[count++] = i;
        }
    }
    return count;
}

// What dr_triangle_pair must say.
static inline dr_triangle_relation reference_pair(whole_workshop* s, const drape_vec3* a,
                                                  const int32_t* a_ids, const drape_vec3* b,
                                                  const int32_t* b_ids)
{
    int shared[3];
    dr_triangle_relation result = {.relation = DR_TRIANGLES_APART};
    result.shared_count = a_ids && b_ids ? reference_shared(a_ids, b_ids, shared) : 0;
    whole_triangle_set(s, &s->a, a);
    whole_triangle_set(s, &s->b, b);
    intersect(s);
    if (s->piece.count == 0) {
        return result;
    }
    find_center(s);
    bool beyond = !is_common(s, shared, result.shared_count, &s->center);
    for (int i = 0; i < s->piece.count; ++i) {
        beyond = beyond || !is_common(s, shared, result.shared_count, &s->piece.p[i]);
    }
    result.coplanar = has_area(s);
    result.folded = result.coplanar && result.shared_count >= 2;
    if (is_inner(s, &s->a, &s->center) && is_inner(s, &s->b, &s->center) && spans_space(s)) {
        result.relation = DR_TRIANGLES_CROSSING;
    } else if (beyond) {
        result.relation = DR_TRIANGLES_TOUCHING;
    }
    return result;
}

#endif
