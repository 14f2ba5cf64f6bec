#include "contact/guard.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "collide/shape_gap.h"
#include "core/double3.h"
#include "core/isa.h"
#include "core/vec_math.h"

DR_KERNEL_TABLE(dr_guard_kernels)

static void to_doubles(drape_vec3 v, double out[3])
{
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

static void rotate(const float m[9], const double v[3], double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] =
            (double)m[3 * c] * v[0] + (double)m[3 * c + 1] * v[1] + (double)m[3 * c + 2] * v[2];
    }
}

static void rotate_back(const float m[9], const double v[3], double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = (double)m[c] * v[0] + (double)m[3 + c] * v[1] + (double)m[6 + c] * v[2];
    }
}

// Where the solid is at the end of the substep. Rounded as the next substep will read it.
static void end_place(const dr_obstacle* obstacle, double out[3])
{
    to_doubles(dr_add(obstacle->place, obstacle->shift), out);
}

// --- Frames ---

// Turns the rotation `from` so that its y axis becomes that of `to`, by the least angle.
static void turn_axis(const float from[9], const float to[9], float out[9])
{
    double a[3], b[3], v[3], column[3], turned[3];
    for (int c = 0; c < 3; ++c) {
        a[c] = (double)from[3 * c + 1];
        b[c] = (double)to[3 * c + 1];
    }
    v[0] = a[1] * b[2] - a[2] * b[1];
    v[1] = a[2] * b[0] - a[0] * b[2];
    v[2] = a[0] * b[1] - a[1] * b[0];
    double cosine = dr_dot3(a, b);
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) {
            column[c] = (double)from[3 * c + k];
        }
        double along = dr_dot3(v, column) / (1.0 + cosine);
        turned[0] = v[1] * column[2] - v[2] * column[1];
        turned[1] = v[2] * column[0] - v[0] * column[2];
        turned[2] = v[0] * column[1] - v[1] * column[0];
        for (int c = 0; c < 3; ++c) {
            out[3 * c + k] = (float)(cosine * column[c] + turned[c] + along * v[c]);
        }
    }
}

dr_obstacle dr_guard_obstacle(const dr_obstacle* obstacle)
{
    dr_obstacle seen = *obstacle;
    const float *from = obstacle->rotation, *to = obstacle->rotation_end;
    float cosine = from[1] * to[1] + from[4] * to[4] + from[7] * to[7];
    if (obstacle->shape.kind == DRAPE_SHAPE_SPHERE) {
        memcpy(seen.rotation_end, from, sizeof seen.rotation_end);
    } else if (obstacle->shape.kind != DRAPE_SHAPE_BOX && cosine > 0.0f &&
               memcmp(from, to, sizeof seen.rotation) != 0) {
        turn_axis(from, to, seen.rotation_end);
    }
    for (int i = 0; i < 9; ++i) {
        seen.turn[i] = seen.rotation_end[i] - from[i];
    }
    return seen;
}

// --- Which triangles are in question ---

void dr_guard_args_set(dr_guard_args* args, const dr_sheet* sheet, const dr_obstacle* obstacle,
                       float margin)
{
    drape_shape_kind kind = obstacle->shape.kind;
    *args = (dr_guard_args){.sheet = sheet, .obstacle = obstacle, .margin = margin};
    args->is_round = kind == DRAPE_SHAPE_SPHERE || kind == DRAPE_SHAPE_CAPSULE;
    for (int c = 0; c < 3; ++c) {
        double up[3] = {0, 0, 0}, down[3] = {0, 0, 0};
        up[c] = 1.0;
        down[c] = -1.0;
        args->hi[c] = (float)dr_shape_reach(&obstacle->shape, up) + margin;
        args->lo[c] = -(float)dr_shape_reach(&obstacle->shape, down) - margin;
    }
}

// Six places no more than `span` from each other lie in a ball of radius sqrt(3/8) span (Jung). If
// they are all further than D from the centre of a ball of radius r, then a point of their hull is
// further than sqrt(D^2 - 3/8 span^2); and every point of a capsule is in such a ball within it.
float dr_guard_clear_distance(const dr_guard_args* args, float size, float slip)
{
    float radius = dr_shape_roundness(&args->obstacle->shape), span = size + slip;
    // The last part of a thousand pays for rounding.
    float keep = radius + 1.001f * args->margin;
    return 1.001f * (sqrtf(keep * keep + 0.375f * span * span) - radius);
}

static dr_guard_sides sides_of(const dr_guard_args* args, int slot)
{
    return args->sides[slot >> 3] >> (slot & 7);
}

static bool is_clear(const dr_guard_args* args, float clear_distance, const int32_t slot[3])
{
    const dr_guard_sides lane = 0x010101010101u;
    if (sides_of(args, slot[0]) & sides_of(args, slot[1]) & sides_of(args, slot[2]) & lane) {
        return true;
    }
    return args->is_round && args->distance[slot[0]] >= clear_distance &&
           args->distance[slot[1]] >= clear_distance && args->distance[slot[2]] >= clear_distance;
}

int dr_guard_list(const dr_guard_args* args, float clear_distance, const int32_t (*slots)[3],
                  int begin, int end, int32_t* out)
{
    int count = 0;
    for (int i = begin; i < end; ++i) {
        out[count] = i;
        count += !is_clear(args, clear_distance, slots[i]);
    }
    return count;
}

// A triangle in the frame of the solid: where its vertices start, then where they end.
static void places_of(const dr_guard_args* args, const int32_t slot[3], double out[6][3])
{
    const dr_sheet* sheet = args->sheet;
    const dr_obstacle* obstacle = args->obstacle;
    double place[3], place_end[3], p[3];
    to_doubles(obstacle->place, place);
    end_place(obstacle, place_end);
    for (int i = 0; i < 3; ++i) {
        to_doubles(dr_sheet_get(sheet->layout, sheet->start, slot[i]), p);
        for (int c = 0; c < 3; ++c) {
            p[c] -= place[c];
        }
        rotate_back(obstacle->rotation, p, out[i]);
        to_doubles(dr_sheet_get(sheet->layout, sheet->pos, slot[i]), p);
        for (int c = 0; c < 3; ++c) {
            p[c] -= place_end[c];
        }
        rotate_back(obstacle->rotation_end, p, out[3 + i]);
    }
}

// The least of n.p over six places, n with two components.
static double least_along(double p[6][3], int u, int v, double nu, double nv)
{
    double least = INFINITY;
    for (int i = 0; i < 6; ++i) {
        double along = nu * p[i][u] + nv * p[i][v];
        least = along < least ? along : least;
    }
    return least;
}

// Most triangles in question hang over an edge of a box. Seen along that edge one of their own
// edges is between them and the box.
static bool is_clear_by_edges(const dr_guard_args* args, double p[6][3])
{
    const double half[3] = {0.5 * (double)args->obstacle->shape.size.x,
                            0.5 * (double)args->obstacle->shape.size.y,
                            0.5 * (double)args->obstacle->shape.size.z};
    for (int axis = 0; axis < 3; ++axis) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int i = 0; i < 3; ++i) {
            const double *a = p[i], *b = p[(i + 1) % 3];
            double nu = a[v] - b[v], nv = b[u] - a[u];
            double sign = nu * a[u] + nv * a[v] < 0.0 ? -1.0 : 1.0; // away from the middle
            double gap = least_along(p, u, v, sign * nu, sign * nv) - fabs(nu) * half[u] -
                         fabs(nv) * half[v];
            double margin = (double)args->margin;
            if (gap > 0.0 && gap * gap >= margin * margin * (nu * nu + nv * nv)) {
                return true;
            }
        }
    }
    return false;
}

// Few more lie on a corner, and their own plane is clear of it.
static bool is_clear_by_face(const dr_guard_args* args, double p[6][3])
{
    double a[3], b[3], n[3], length;
    for (int c = 0; c < 3; ++c) {
        a[c] = p[1][c] - p[0][c];
        b[c] = p[2][c] - p[0][c];
    }
    n[0] = a[1] * b[2] - a[2] * b[1];
    n[1] = a[2] * b[0] - a[0] * b[2];
    n[2] = a[0] * b[1] - a[1] * b[0];
    length = sqrt(dr_dot3(n, n)) *
             (dr_dot3(n, p[0]) < 0.0 ? -1.0 : 1.0); // away from the middle of the solid
    if (length == 0.0) {
        return false;
    }
    for (int c = 0; c < 3; ++c) {
        n[c] /= length;
    }
    return dr_shape_gap_along(&args->obstacle->shape, p[0], 6, n).gap >= (double)args->margin;
}

int dr_guard_sift(const dr_guard_args* args, const int32_t (*slots)[3], int32_t* list, int count)
{
    double margin = (double)args->margin;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        double p[6][3];
        places_of(args, slots[list[i]], p);
        bool is_box = args->obstacle->shape.kind == DRAPE_SHAPE_BOX;
        if (!(is_box && is_clear_by_edges(args, p)) && !is_clear_by_face(args, p) &&
            dr_shape_gap_of(&args->obstacle->shape, p[0], 6, margin).gap < margin) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

// --- Planes ---

// What rounding to float may cost a vertex that may not come nearer at all.
static double creep_of(const dr_guard_args* args, int slot)
{
    drape_vec3 p = dr_sheet_get(args->sheet->layout, args->sheet->pos, slot);
    return 2.0 * (double)FLT_EPSILON *
           (double)(fabsf(p.x) + fabsf(p.y) + fabsf(p.z) + args->margin);
}

// Where pinned vertices end is given, and the plane is laid clear of it. Where it cannot be while
// the others stay as they are, these are pushed: they must keep what gap there was. Returns that,
// or minus infinity.
static double lay_plane(const dr_guard_args* args, const int32_t slot[3], double p[6][3],
                        dr_shape_gap* best)
{
    const drape_shape* shape = &args->obstacle->shape;
    double with_pins[6][3], end[3][3];
    int count = 3;
    memcpy(with_pins, p, sizeof with_pins);
    memcpy(end, p, sizeof end);
    for (int i = 0; i < 3; ++i) {
        if (dr_sheet_inverse_mass(args->sheet, slot[i]) <= 0.0f) {
            memcpy(end[i], p[3 + i], sizeof end[i]);
            memcpy(with_pins[count++], p[3 + i], sizeof end[i]);
        }
    }
    *best = dr_shape_gap_of(shape, with_pins[0], count, INFINITY);
    double had = count > 3 ? dr_shape_gap_of(shape, p[0], 3, INFINITY).gap : best->gap;
    if (best->gap >= fmin(had, (double)args->margin)) {
        return -INFINITY;
    }
    *best = dr_shape_gap_of(shape, end[0], 3, INFINITY);
    return had;
}

int dr_guard_planes(const dr_guard_args* args, const int32_t slot[3], dr_guard_plane out[3])
{
    double p[6][3];
    dr_shape_gap best;
    int made = 0;
    places_of(args, slot, p);
    double least = lay_plane(args, slot, p, &best);
    for (int i = 0; i < 3; ++i) {
        if (dr_sheet_inverse_mass(args->sheet, slot[i]) > 0.0f) {
            dr_guard_plane* plane = &out[made++];
            double has = dr_dot3(best.normal, p[i]) - best.reach + creep_of(args, slot[i]);
            double keep = fmin(fmax(has, least), 2.0 * (double)args->margin);
            *plane = (dr_guard_plane){.slot = slot[i], .offset = best.reach + keep};
            rotate(args->obstacle->rotation_end, best.normal, plane->normal);
        }
    }
    return made;
}

// How far a place is beyond the plane.
static double beyond(const dr_guard_holds* holds, const dr_guard_plane* plane, const double y[3])
{
    double place[3], from[3];
    end_place(&holds->obstacles[plane->obstacle], place);
    for (int c = 0; c < 3; ++c) {
        from[c] = y[c] - place[c];
    }
    return dr_dot3(plane->normal, from) - plane->offset;
}

static void get_candidate(const dr_sheet* sheet, int slot, double y[3])
{
    to_doubles(dr_sheet_get(sheet->layout, sheet->pos, slot), y);
}

static void set_candidate(const dr_sheet* sheet, int slot, const double y[3])
{
    dr_sheet_set(sheet->layout, sheet->pos, slot,
                 (drape_vec3){(float)y[0], (float)y[1], (float)y[2]});
}

bool dr_guard_slide(const dr_guard_holds* holds, int slot)
{
    // A cut glues to the solid what should slide along it, so it pays to try hard: in folds around
    // thin things vertices have planes that almost face each other.
    enum { most_rounds = 100 };
    double y[3];
    bool has_moved = false, moves = true;
    get_candidate(holds->sheet, slot, y);
    for (int round = 0; round < most_rounds && moves; ++round) {
        moves = false;
        for (const dr_guard_plane* plane = holds->first[slot]; plane; plane = plane->next) {
            double behind = -beyond(holds, plane, y);
            for (int c = 0; c < 3 && behind > 0.0; ++c) {
                y[c] += behind * plane->normal[c];
                moves = true;
            }
        }
        has_moved |= moves;
    }
    if (has_moved) {
        set_candidate(holds->sheet, slot, y);
    }
    return has_moved;
}

// Where the solid carries a vertex.
static void carry(const dr_guard_holds* holds, const dr_obstacle* obstacle, int slot, double out[3])
{
    double place[3], local[3];
    to_doubles(dr_sheet_get(holds->sheet->layout, holds->sheet->start, slot), out);
    to_doubles(obstacle->place, place);
    for (int c = 0; c < 3; ++c) {
        out[c] -= place[c];
    }
    rotate_back(obstacle->rotation, out, local);
    rotate(obstacle->rotation_end, local, out);
    end_place(obstacle, place);
    for (int c = 0; c < 3; ++c) {
        out[c] += place[c];
    }
}

// The share of the way from `base` to y that stays beyond all planes of an obstacle.
static double share_of(const dr_guard_holds* holds, int slot, int obstacle, const double base[3],
                       const double y[3])
{
    double share = 1.0;
    for (const dr_guard_plane* plane = holds->first[slot]; plane; plane = plane->next) {
        double end = plane->obstacle == obstacle ? beyond(holds, plane, y) : 0.0;
        // What sliding left behind by rounding is no matter.
        if (end < -0.01 * (double)holds->margin) {
            double begin = fmax(beyond(holds, plane, base), 0.0);
            share = fmin(share, begin / (begin - end));
        }
    }
    return share;
}

bool dr_guard_cut(const dr_guard_holds* holds, int slot)
{
    double y[3], base[3];
    bool is_cut = false;
    get_candidate(holds->sheet, slot, y);
    for (int i = 0; i < holds->order_count; ++i) {
        int obstacle = holds->order[i];
        carry(holds, &holds->obstacles[obstacle], slot, base);
        double share = share_of(holds, slot, obstacle, base, y);
        for (int c = 0; c < 3 && share < 1.0; ++c) {
            y[c] = base[c] + share * (y[c] - base[c]);
            is_cut = true;
        }
    }
    if (!is_cut) {
        return true;
    }
    set_candidate(holds->sheet, slot, y);
    bool is_beyond_all = true;
    for (const dr_guard_plane* plane = holds->first[slot]; plane; plane = plane->next) {
        is_beyond_all = is_beyond_all && beyond(holds, plane, y) > -0.1 * (double)holds->margin;
    }
    return is_beyond_all;
}
