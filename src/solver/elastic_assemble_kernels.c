// Assembly of the system of an elastic sheet, compiled once per instruction set.
#include "solver/elastic_lanes.h"

// --- Springs ---

static DR_ALWAYS_INLINE dr_d4 length2(dr_w4 a)
{
    return dr_w4_dot(a, a);
}

// The weight of a spring, cut by the form into what is solved for and what stays at the start of
// the step. `tangent` is a bound of how much stiffer the spring is than its weight.
typedef struct cut {
    dr_d4 implicit, rest;
} cut;

static DR_ALWAYS_INLINE cut cut_weight(drape_elastic_form form, dr_d4 weight, dr_d4 tangent)
{
    dr_d4 implicit = weight;
    if (form != DRAPE_FORM_PLAIN) {
        implicit = dr_d4_max(weight, dr_d4_zero());
    }
    if (form == DRAPE_FORM_STIFF) {
        implicit = dr_d4_add(implicit, tangent);
    }
    return (cut){implicit, dr_d4_sub(weight, implicit)};
}

static DR_ALWAYS_INLINE void store_cut(const dr_elastic* e, drape_elastic_form form, int spring,
                                       ptrdiff_t at, cut c)
{
    dr_d4_store(e->f.implicit[spring] + at, c.implicit);
    if (form != DRAPE_FORM_PLAIN) {
        dr_d4_store(e->f.rest[spring] + at, c.rest);
    }
}

// Constants of the springs along, across and on the diagonals of cells.
typedef struct spring_scale {
    dr_d4 metric[3]; // from squared lengths to the metric tensor
    dr_d4 weight[3]; // eta over cell sizes: from strain to weight
    dr_d4 tangent;   // of diagonals, from squared lengths
} spring_scale;

static DR_ALWAYS_INLINE spring_scale scale_of(const dr_elastic* e)
{
    double h1 = e->h[0], h2 = e->h[1];
    const double* eta = e->def.eta;
    return (spring_scale){
        {dr_d4_set(1.0 / (h1 * h1)), dr_d4_set(1.0 / (h2 * h2)), dr_d4_set(0.25 / (h1 * h2))},
        {dr_d4_set(eta[0] / (h1 * h1)), dr_d4_set(eta[1] / (h2 * h2)),
         dr_d4_set(eta[2] / (2.0 * h1 * h2))},
        dr_d4_set(eta[2] / (2.0 * (h1 * h2) * (h1 * h2))),
    };
}

// An edge of the grid; `exists` is 1 or 0.
static DR_ALWAYS_INLINE cut weigh_edge(drape_elastic_form form, const spring_scale* s, int axis,
                                       dr_w4 edge, dr_d4 exists)
{
    dr_d4 metric = dr_d4_mul(length2(edge), s->metric[axis]);
    dr_d4 scale = dr_d4_mul(s->weight[axis], exists);
    dr_d4 weight = dr_d4_mul(scale, dr_d4_sub(metric, dr_d4_set(1.0)));
    return cut_weight(form, weight, dr_d4_mul(scale, dr_d4_add(metric, metric)));
}

// Springs of the vertices of a row: to the right, down, and the two diagonals of the cell between.
static DR_ALWAYS_INLINE void weigh_springs(const dr_elastic* e, int row, drape_elastic_form form)
{
    const spring_scale s = scale_of(e);
    dr_d4 below = dr_d4_set(row + 1 < e->def.rows ? 1.0 : 0.0);
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        spot p = spot_begin(e, row, k);
        for (int j = 0; j < e->run_vectors[k]; ++j, spot_next(&p)) {
            dr_w4 here = load3(e->f.x, p.at), right = load3(e->f.x, p.at + p.right);
            dr_w4 down = load3(e->f.x, p.at + p.down);
            dr_w4 across = load3(e->f.x, p.at + p.right + p.down);
            dr_d4 has_right = dr_d4_load(e->columns[1] + p.in_row);
            dr_d4 has_down = dr_d4_mul(dr_d4_load(e->columns[0] + p.in_row), below);
            dr_d4 has_cell = dr_d4_mul(has_right, below);
            store_cut(e, form, 0, p.at, weigh_edge(form, &s, 0, dr_w4_sub(right, here), has_right));
            store_cut(e, form, 1, p.at, weigh_edge(form, &s, 1, dr_w4_sub(down, here), has_down));
            dr_d4 plus = length2(dr_w4_sub(across, here)), minus = length2(dr_w4_sub(down, right));
            dr_d4 metric = dr_d4_mul(dr_d4_sub(plus, minus), s.metric[2]);
            dr_d4 weight = dr_d4_mul(dr_d4_mul(s.weight[2], has_cell), metric);
            dr_d4 tangent = dr_d4_mul(s.tangent, has_cell);
            store_cut(e, form, 2, p.at, cut_weight(form, weight, dr_d4_mul(tangent, plus)));
            store_cut(e, form, 3, p.at,
                      cut_weight(form, dr_d4_neg(weight), dr_d4_mul(tangent, minus)));
        }
    }
}

static void weigh_plain(const dr_elastic* e, int row)
{
    weigh_springs(e, row, DRAPE_FORM_PLAIN);
}
static void weigh_split(const dr_elastic* e, int row)
{
    weigh_springs(e, row, DRAPE_FORM_SPLIT);
}
static void weigh_stiff(const dr_elastic* e, int row)
{
    weigh_springs(e, row, DRAPE_FORM_STIFF);
}

// --- Normals ---

// Of length 1, or none at all where the surface has no normal.
static DR_ALWAYS_INLINE dr_w4 direction(dr_w4 a)
{
    // Shorter cross products are those of points that lie on one another.
    const dr_d4 least = dr_d4_set(1e-30);
    dr_d4 length = dr_d4_sqrt(length2(a));
    dr_d4 scale = dr_d4_div(dr_d4_set(1.0), dr_d4_max(length, least));
    return dr_w4_scale(a, dr_d4_select(dr_d4_less(least, length), scale, dr_d4_zero()));
}

// At vertices from the differences to both sides, at borders to one; in cells from the diagonals.
static void find_normals(const dr_elastic* e, int row)
{
    dr_d4 above = dr_d4_set(row > 0 ? 1.0 : 0.0);
    dr_d4 below = dr_d4_set(row + 1 < e->def.rows ? 1.0 : 0.0);
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        spot p = spot_begin(e, row, k);
        for (int j = 0; j < e->run_vectors[k]; ++j, spot_next(&p)) {
            dr_d4 exists = dr_d4_load(e->columns[0] + p.in_row);
            dr_d4 has_right = dr_d4_load(e->columns[1] + p.in_row);
            dr_d4 has_left = dr_d4_load(e->columns[2] + p.in_row);
            dr_w4 here = load3(e->f.x, p.at), right = load3(e->f.x, p.at + p.right);
            dr_w4 left = load3(e->f.x, p.at + p.left), down = load3(e->f.x, p.at + p.down);
            dr_w4 up = load3(e->f.x, p.at + p.up), across = load3(e->f.x, p.at + p.right + p.down);
            dr_w4 along = dr_w4_add(dr_w4_scale(dr_w4_sub(right, here), has_right),
                                    dr_w4_scale(dr_w4_sub(here, left), has_left));
            dr_w4 athwart = dr_w4_add(dr_w4_scale(dr_w4_sub(down, here), below),
                                      dr_w4_scale(dr_w4_sub(here, up), above));
            dr_w4 normal = direction(dr_w4_cross(along, athwart));
            store3(e->f.normal, p.at, dr_w4_scale(normal, exists));
            dr_w4 twist = direction(dr_w4_cross(dr_w4_sub(across, here), dr_w4_sub(down, right)));
            store3(e->f.twist_normal, p.at, dr_w4_scale(twist, dr_d4_mul(has_right, below)));
        }
    }
}

// --- Bending ---

// `paper` and `abs`: xi times how far the curvature is from that at rest.
static DR_ALWAYS_INLINE dr_d4 bend_weight(const dr_elastic* e, int i, dr_w4 normal, dr_w4 second,
                                          double per)
{
    dr_d4 curvature = dr_d4_mul(dr_w4_dot(normal, second), dr_d4_set(per));
    dr_d4 bent = dr_d4_sub(curvature, dr_d4_set(e->def.curvature[i]));
    bent = e->def.bend == DRAPE_BEND_ABS ? dr_d4_abs(bent) : bent;
    double scale = (i == DR_ELASTIC_12 ? 2.0 : 1.0) * e->def.xi[i] * per * per;
    return dr_d4_mul(bent, dr_d4_set(scale));
}

static DR_ALWAYS_INLINE dr_w4 second_difference(const dr_elastic* e, ptrdiff_t at, ptrdiff_t before,
                                                ptrdiff_t after)
{
    dr_w4 here = load3(e->f.x, at);
    return dr_w4_sub(dr_w4_sub(load3(e->f.x, at + after), here),
                     dr_w4_sub(here, load3(e->f.x, at + before)));
}

static void weigh_bending(const dr_elastic* e, int row)
{
    double h1 = e->h[0], h2 = e->h[1];
    dr_d4 inner = dr_d4_set(row > 0 && row + 1 < e->def.rows ? 1.0 : 0.0);
    dr_d4 below = dr_d4_set(row + 1 < e->def.rows ? 1.0 : 0.0);
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        spot p = spot_begin(e, row, k);
        for (int j = 0; j < e->run_vectors[k]; ++j, spot_next(&p)) {
            dr_d4 exists = dr_d4_load(e->columns[0] + p.in_row);
            dr_d4 has_right = dr_d4_load(e->columns[1] + p.in_row);
            dr_d4 has_left = dr_d4_load(e->columns[2] + p.in_row);
            dr_w4 normal = load3(e->f.normal, p.at), twist = load3(e->f.twist_normal, p.at);
            dr_w4 along = second_difference(e, p.at, p.left, p.right);
            dr_w4 across = second_difference(e, p.at, p.up, p.down);
            dr_w4 mixed = dr_w4_sub(
                dr_w4_sub(load3(e->f.x, p.at + p.right + p.down), load3(e->f.x, p.at + p.right)),
                dr_w4_sub(load3(e->f.x, p.at + p.down), load3(e->f.x, p.at)));
            dr_d4 w11 = bend_weight(e, DR_ELASTIC_11, normal, along, 1.0 / (h1 * h1));
            dr_d4 w22 = bend_weight(e, DR_ELASTIC_22, normal, across, 1.0 / (h2 * h2));
            dr_d4 w12 = bend_weight(e, DR_ELASTIC_12, twist, mixed, 1.0 / (h1 * h2));
            dr_d4_store(e->f.bend_element[0] + p.at,
                        dr_d4_mul(w11, dr_d4_mul(has_left, has_right)));
            dr_d4_store(e->f.bend_element[1] + p.at, dr_d4_mul(w22, dr_d4_mul(exists, inner)));
            dr_d4_store(e->f.bend_element[2] + p.at, dr_d4_mul(w12, dr_d4_mul(has_right, below)));
        }
    }
}

// The triple of three neighbours in a line, the outer ones at `before` and `after`.
static DR_ALWAYS_INLINE dr_d4 triple_diagonal(const double* element, ptrdiff_t at, ptrdiff_t before,
                                              ptrdiff_t after)
{
    dr_d4 four = dr_d4_mul(dr_d4_set(4.0), dr_d4_load(element + at));
    return add3(four, dr_d4_load(element + at + before), dr_d4_load(element + at + after));
}

static DR_ALWAYS_INLINE dr_d4 triple_link(const double* element, ptrdiff_t at, ptrdiff_t after)
{
    return dr_d4_mul(dr_d4_set(-2.0),
                     dr_d4_add(dr_d4_load(element + at), dr_d4_load(element + at + after)));
}

static void gather_bending(const dr_elastic* e, int row)
{
    const double *along = e->f.bend_element[0], *across = e->f.bend_element[1];
    const double* twist = e->f.bend_element[2];
    double* const* link = e->f.bend_link;
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        spot p = spot_begin(e, row, k);
        for (int j = 0; j < e->run_vectors[k]; ++j, spot_next(&p)) {
            dr_d4 here = dr_d4_load(twist + p.at), left = dr_d4_load(twist + p.at + p.left);
            dr_d4 up = dr_d4_load(twist + p.at + p.up);
            dr_d4 twists =
                add3(dr_d4_add(here, left), up, dr_d4_load(twist + p.at + p.left + p.up));
            dr_d4_store(e->f.bend_diagonal + p.at,
                        add3(triple_diagonal(along, p.at, p.left, p.right),
                             triple_diagonal(across, p.at, p.up, p.down), twists));
            dr_d4_store(link[0] + p.at,
                        dr_d4_sub(triple_link(along, p.at, p.right), dr_d4_add(here, up)));
            dr_d4_store(link[1] + p.at,
                        dr_d4_sub(triple_link(across, p.at, p.down), dr_d4_add(here, left)));
            dr_d4_store(link[2] + p.at, here);
            dr_d4_store(link[3] + p.at, left);
            dr_d4_store(link[4] + p.at, dr_d4_load(along + p.at + p.right));
            dr_d4_store(link[5] + p.at, dr_d4_load(across + p.at + p.down));
        }
    }
}

// --- Matrix and right side ---

// The eight springs of a vertex: the field that has the weight, from where, and who is at the other
// end.
static DR_ALWAYS_INLINE dr_d4 sum_weights(double* const spring[DR_ELASTIC_SPRINGS], const spot* p)
{
    dr_d4 edges =
        dr_d4_add(dr_d4_add(dr_d4_load(spring[0] + p->at), dr_d4_load(spring[0] + p->at + p->left)),
                  dr_d4_add(dr_d4_load(spring[1] + p->at), dr_d4_load(spring[1] + p->at + p->up)));
    dr_d4 diagonals = dr_d4_add(
        dr_d4_add(dr_d4_load(spring[2] + p->at), dr_d4_load(spring[2] + p->at + p->left + p->up)),
        dr_d4_add(dr_d4_load(spring[3] + p->at + p->left), dr_d4_load(spring[3] + p->at + p->up)));
    return dr_d4_add(edges, diagonals);
}

static DR_ALWAYS_INLINE dr_w4 spring_pull(const dr_elastic* e, const double* weight, ptrdiff_t at,
                                          ptrdiff_t other, dr_w4 here)
{
    return dr_w4_scale(dr_w4_sub(load3(e->f.x, other), here), dr_d4_load(weight + at));
}

// Pull of the springs' parts that stay at the start of the step.
static DR_ALWAYS_INLINE dr_w4 sum_pulls(const dr_elastic* e, const spot* p, dr_w4 here)
{
    double* const* w = e->f.rest;
    ptrdiff_t at = p->at, left = at + p->left, up = at + p->up;
    dr_w4 edges = dr_w4_add(dr_w4_add(spring_pull(e, w[0], at, at + p->right, here),
                                      spring_pull(e, w[0], left, left, here)),
                            dr_w4_add(spring_pull(e, w[1], at, at + p->down, here),
                                      spring_pull(e, w[1], up, up, here)));
    dr_w4 diagonals = dr_w4_add(dr_w4_add(spring_pull(e, w[2], at, at + p->right + p->down, here),
                                          spring_pull(e, w[2], left + p->up, left + p->up, here)),
                                dr_w4_add(spring_pull(e, w[3], left, left + p->down, here),
                                          spring_pull(e, w[3], up, up + p->right, here)));
    return dr_w4_add(edges, diagonals);
}

static DR_ALWAYS_INLINE void store_matrix(const dr_elastic* e, const spot* p, dr_d4 inertia)
{
    double* const* spring = e->f.implicit;
    dr_d4 bend = dr_d4_load(e->f.bend_diagonal + p->at);
    dr_d4 diagonal = add3(sum_weights(spring, p), bend, inertia);
    // Without a positive diagonal there is no minimum; the margin tells. Unused places stay at
    // zero.
    dr_d4 inverse = dr_d4_div(dr_d4_load(e->columns[0] + p->in_row), diagonal);
    inverse = dr_d4_select(dr_d4_less(dr_d4_zero(), diagonal), inverse, dr_d4_zero());
    dr_d4_store(e->f.inverse + p->at, inverse);
    const ptrdiff_t from[DR_ELASTIC_SPRINGS] = {0, 0, 0, p->left};
    for (int i = 0; i < DR_ELASTIC_SPRINGS; ++i) {
        dr_d4 weight = dr_d4_load(spring[i] + p->at + from[i]);
        dr_d4_store(e->f.link[i] + p->at, dr_d4_sub(dr_d4_load(e->f.bend_link[i] + p->at), weight));
    }
}

static DR_ALWAYS_INLINE void assemble(const dr_elastic* e, int row, bool has_rest)
{
    const dr_elastic_step* step = &e->step;
    dr_d4 inertia = dr_d4_set(step->inertia), momentum = dr_d4_set(step->momentum);
    dr_d4 density = dr_d4_set(e->def.density);
    dr_w4 load = {dr_d4_set(step->load[0]), dr_d4_set(step->load[1]), dr_d4_set(step->load[2])};
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        spot p = spot_begin(e, row, k);
        for (int j = 0; j < e->run_vectors[k]; ++j, spot_next(&p)) {
            store_matrix(e, &p, inertia);
            dr_w4 here = load3(e->f.x, p.at), g = load;
            if (step->has_acceleration) {
                g = dr_w4_add(g, dr_w4_scale(load3(e->f.acceleration, p.at), density));
            }
            g = dr_w4_add(g, dr_w4_add(dr_w4_scale(here, inertia),
                                       dr_w4_scale(load3(e->f.v, p.at), momentum)));
            g = has_rest ? dr_w4_add(g, sum_pulls(e, &p, here)) : g;
            store3(e->f.g, p.at, dr_w4_scale(g, dr_d4_load(e->columns[0] + p.in_row)));
        }
    }
}

static void assemble_plain(const dr_elastic* e, int row)
{
    assemble(e, row, false);
}
static void assemble_rest(const dr_elastic* e, int row)
{
    assemble(e, row, true);
}

// --- Rest curvature ---

// Second difference of the normals of the triples around a vertex. `outer` says which triples
// exist.
static DR_ALWAYS_INLINE dr_w4 triple_normals(const dr_elastic* e, ptrdiff_t at, ptrdiff_t before,
                                             ptrdiff_t after, const dr_d4 exists[3])
{
    dr_w4 here = dr_w4_scale(load3(e->f.normal, at), dr_d4_mul(exists[1], dr_d4_set(-2.0)));
    return dr_w4_add(here, dr_w4_add(dr_w4_scale(load3(e->f.normal, at + before), exists[0]),
                                     dr_w4_scale(load3(e->f.normal, at + after), exists[2])));
}

static DR_ALWAYS_INLINE dr_d4 has_triple(const dr_elastic* e, ptrdiff_t in_row)
{
    return dr_d4_mul(dr_d4_load(e->columns[1] + in_row), dr_d4_load(e->columns[2] + in_row));
}

static DR_ALWAYS_INLINE dr_d4 is_inner(const dr_elastic* e, int row)
{
    return dr_d4_set(row > 0 && row + 1 < e->def.rows ? 1.0 : 0.0);
}

// `plate` about a curved rest shape: the curvature at rest along the normal of now, on the right
// side.
static void curl(const dr_elastic* e, int row)
{
    const double *xi = e->def.xi, *rest = e->def.curvature;
    double h1 = e->h[0], h2 = e->h[1];
    dr_d4 s11 = dr_d4_set(xi[0] * rest[0] / (h1 * h1));
    dr_d4 s22 = dr_d4_set(xi[1] * rest[1] / (h2 * h2));
    dr_d4 s12 = dr_d4_set(2.0 * xi[2] * rest[2] / (h1 * h2));
    const dr_d4 rows[3] = {is_inner(e, row - 1), is_inner(e, row), is_inner(e, row + 1)};
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        spot p = spot_begin(e, row, k);
        for (int j = 0; j < e->run_vectors[k]; ++j, spot_next(&p)) {
            const dr_d4 columns[3] = {has_triple(e, p.in_row + p.left), has_triple(e, p.in_row),
                                      has_triple(e, p.in_row + p.right)};
            double* const* twist = e->f.twist_normal;
            dr_w4 along = triple_normals(e, p.at, p.left, p.right, columns);
            dr_w4 across = triple_normals(e, p.at, p.up, p.down, rows);
            dr_w4 mixed =
                dr_w4_sub(dr_w4_add(load3(twist, p.at), load3(twist, p.at + p.left + p.up)),
                          dr_w4_add(load3(twist, p.at + p.left), load3(twist, p.at + p.up)));
            dr_w4 g = dr_w4_add(load3(e->f.g, p.at), dr_w4_scale(along, s11));
            g = dr_w4_add(g, dr_w4_add(dr_w4_scale(across, s22), dr_w4_scale(mixed, s12)));
            store3(e->f.g, p.at, dr_w4_scale(g, dr_d4_load(e->columns[0] + p.in_row)));
        }
    }
}

static double margin(const dr_elastic* e, int row)
{
    dr_d4 least = dr_d4_set(1.0), one = dr_d4_set(1.0), two = dr_d4_set(2.0);
    for (int k = 0; k < DR_ELASTIC_COLOURS; ++k) {
        const dr_elastic_stencil* s = &e->stencils[k];
        spot p = spot_begin(e, row, k);
        for (int j = 0; j < e->run_vectors[k]; ++j, spot_next(&p)) {
            dr_d4 sum = dr_d4_zero(), inverse = dr_d4_load(e->f.inverse + p.at);
            for (int i = 0; i < 2 * DR_ELASTIC_LINKS; ++i) {
                sum = dr_d4_add(sum, dr_d4_abs(dr_d4_load(s->weight[i] + p.at)));
            }
            // A diagonal that is not positive was given no inverse: -1. Unused places have none
            // either.
            dr_d4 none = dr_d4_sub(one, dr_d4_mul(two, dr_d4_load(e->columns[0] + p.in_row)));
            dr_d4 share = dr_d4_sub(one, dr_d4_mul(sum, inverse));
            share = dr_d4_select(dr_d4_less(dr_d4_zero(), inverse), share, none);
            least = dr_d4_min(least, share);
        }
    }
    return lowest(least);
}

const dr_elastic_assembly DR_KERNEL(dr_elastic_assembly);
const dr_elastic_assembly DR_KERNEL(dr_elastic_assembly) = {
    .weigh_springs = {weigh_plain, weigh_split, weigh_stiff},
    .find_normals = find_normals,
    .weigh_bending = weigh_bending,
    .gather_bending = gather_bending,
    .assemble = {assemble_plain, assemble_rest},
    .curl = curl,
    .margin = margin,
};
