#include "contact/contact.h"

#include <math.h>
#include <string.h>

#include "contact/body.h"
#include "core/isa.h"
#include "core/vec_math.h"

DR_KERNEL_TABLE(dr_contact_kernels)

static void rotation_matrix(drape_quat q, float m[9])
{
    const drape_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 3; ++c) {
        drape_vec3 column = dr_quat_rotate(q, axis[c]);
        m[c] = column.x;
        m[3 + c] = column.y;
        m[6 + c] = column.z;
    }
}

// Widens bounds by the solid at one pose, through its support points. A turning solid stays within
// its own size of both ends, so the two poses bound the move up to that; callers add the speed.
static void add_bounds(dr_obstacle* obstacle, const float m[9], drape_vec3 place)
{
    if (obstacle->shape.kind == DRAPE_SHAPE_PLANE) {
        for (int c = 0; c < 3; ++c) {
            obstacle->lo[c] = -INFINITY;
            obstacle->hi[c] = INFINITY;
        }
        return;
    }
    const float at[3] = {place.x, place.y, place.z};
    for (int c = 0; c < 3; ++c) {
        drape_vec3 direction = {m[3 * c], m[3 * c + 1], m[3 * c + 2]};
        float up = dr_dot(direction, dr_shape_support(&obstacle->shape, direction));
        float down = dr_dot(direction, dr_shape_support(&obstacle->shape, dr_scale(direction, -1)));
        obstacle->lo[c] = fminf(obstacle->lo[c], at[c] + down);
        obstacle->hi[c] = fmaxf(obstacle->hi[c], at[c] + up);
    }
}

static void set_poses(dr_obstacle* obstacle, drape_transform start, drape_transform end)
{
    rotation_matrix(start.rotate, obstacle->rotation);
    rotation_matrix(end.rotate, obstacle->rotation_end);
    for (int i = 0; i < 9; ++i) {
        obstacle->turn[i] = obstacle->rotation_end[i] - obstacle->rotation[i];
    }
    obstacle->place = start.translate;
    obstacle->shift = dr_sub(end.translate, start.translate);
    for (int c = 0; c < 3; ++c) {
        obstacle->lo[c] = INFINITY;
        obstacle->hi[c] = -INFINITY;
    }
}

void dr_obstacle_set(dr_obstacle* obstacle, const drape_shape* shape, drape_transform start,
                     drape_transform end)
{
    *obstacle = (dr_obstacle){.shape = *shape, .terms = dr_shape_terms_of(shape)};
    set_poses(obstacle, start, end);
    add_bounds(obstacle, obstacle->rotation, start.translate);
    add_bounds(obstacle, obstacle->rotation_end, end.translate);
}

// Widens bounds by the corners of a box of the obstacle's frame at one pose.
static void add_box(dr_obstacle* obstacle, const float root[6], const float m[9], drape_vec3 place)
{
    for (int i = 0; i < 8; ++i) {
        drape_vec3 corner = {i & 1 ? root[3] : -root[0], i & 2 ? root[4] : -root[1],
                             i & 4 ? root[5] : -root[2]};
        drape_vec3 p = dr_add(place, dr_matrix_apply(m, corner));
        const float at[3] = {p.x, p.y, p.z};
        for (int c = 0; c < 3; ++c) {
            obstacle->lo[c] = fminf(obstacle->lo[c], at[c]);
            obstacle->hi[c] = fmaxf(obstacle->hi[c], at[c]);
        }
    }
}

void dr_obstacle_set_body(dr_obstacle* obstacle, const dr_body* body, drape_transform start,
                          drape_transform end, const float shares[2])
{
    *obstacle = (dr_obstacle){.body = body, .share_start = shares[0], .share_end = shares[1]};
    set_poses(obstacle, start, end);
    add_box(obstacle, body->shell.tree.root, obstacle->rotation, start.translate);
    add_box(obstacle, body->shell.tree.root, obstacle->rotation_end, end.translate);
}

// --- Contacts between vertices ---

// Corners of a feature: where they start and where they are predicted, in the frame of the
// obstacle, how they slip against it.
typedef struct corner {
    drape_vec3 start, local, local_end, slip;
} corner;

static corner corner_at(const dr_detect_args* args, int slot)
{
    const dr_sheet* sheet = args->sheet;
    const dr_obstacle* obstacle = args->obstacle;
    corner c;
    c.start = dr_sheet_get(sheet->layout, sheet->start, slot);
    c.local = dr_matrix_apply_transposed(obstacle->rotation, dr_sub(c.start, obstacle->place));
    drape_vec3 anchor =
        dr_add(c.start, dr_add(obstacle->shift, dr_matrix_apply(obstacle->turn, c.local)));
    drape_vec3 end = dr_sheet_get(sheet->layout, sheet->pos, slot);
    c.slip = dr_sub(end, anchor);
    c.local_end = dr_matrix_apply_transposed(obstacle->rotation_end,
                                             dr_sub(end, dr_add(obstacle->place, obstacle->shift)));
    return c;
}

// Whether a point of the feature at this distance cannot touch in this substep, however it moves.
static bool is_out_of_reach(const dr_detect_args* args, const corner* corners, int count,
                            float distance)
{
    float furthest = 0.0f;
    for (int i = 0; i < count; ++i) {
        furthest = fmaxf(furthest, dr_dot(corners[i].slip, corners[i].slip));
    }
    return distance - args->range.radius - 1.5f * sqrtf(furthest) > args->range.static_radius;
}

// Makes the contact of a weighted point when it is near or coming near.
static bool make_contact(const dr_detect_args* args, const corner* corners, int count,
                         const int32_t* slot, const float* weight, float distance,
                         drape_vec3 normal, dr_contact1* out)
{
    const dr_obstacle* obstacle = args->obstacle;
    float gap = distance - args->range.radius, closing = 0.0f, drag = 0.0f;
    drape_vec3 n = dr_matrix_apply(obstacle->rotation_end, normal), local = {0, 0, 0},
               start = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        closing = fmaxf(closing, -dr_dot(corners[i].slip, n));
        drag = fmaxf(drag, 0.5f * sqrtf(dr_dot(corners[i].slip, corners[i].slip)));
        local = dr_add(local, dr_scale(corners[i].local, weight[i]));
        start = dr_add(start, dr_scale(corners[i].start, weight[i]));
    }
    if (gap - closing - drag > args->range.static_radius) {
        return false;
    }
    *out = (dr_contact1){
        .normal = n, .gap = fmaxf(gap, -args->range.recovery), .friction = args->friction};
    out->anchor = dr_add(start, dr_add(obstacle->shift, dr_matrix_apply(obstacle->turn, local)));
    for (int i = 0; i < 3; ++i) {
        out->slot[i] = slot[i < count ? i : 0];
        out->weight[i] = i < count ? weight[i] : 0.0f;
    }
    return true;
}

// Weights of the foot point of p on the plane of the triangle; false when it is outside.
static bool foot_weights(const drape_vec3 c[3], drape_vec3 n, drape_vec3 p, float weight[3])
{
    float sum = 0.0f;
    for (int i = 0; i < 3; ++i) {
        drape_vec3 a = dr_sub(c[(i + 1) % 3], p), b = dr_sub(c[(i + 2) % 3], p);
        weight[i] = dr_dot(dr_cross(a, b), n);
        if (weight[i] <= 0.0f) {
            return false;
        }
        sum += weight[i];
    }
    for (int i = 0; i < 3; ++i) {
        weight[i] /= sum;
    }
    return sum > 0.0f;
}

// A box that is a rod against a triangle of this size: several corners may come up inside it.
static bool is_rod(const drape_shape* shape, float size)
{
    drape_vec3 s = shape->size;
    return shape->kind == DRAPE_SHAPE_BOX && (s.x < size) + (s.y < size) + (s.z < size) >= 2;
}

// Points of a solid that may be the first to pierce a triangle with this normal: the one that is
// furthest along it, or all corners.
static int list_tips(const drape_shape* shape, drape_vec3 normal, bool all, drape_vec3 tips[8])
{
    if (!all) {
        tips[0] = dr_shape_support(shape, normal);
        return 1;
    }
    for (int i = 0; i < 8; ++i) {
        tips[i] = (drape_vec3){(i & 1 ? 0.5f : -0.5f) * shape->size.x,
                               (i & 2 ? 0.5f : -0.5f) * shape->size.y,
                               (i & 4 ? 0.5f : -0.5f) * shape->size.z};
    }
    return 8;
}

// Where a triangle is near a tip of the obstacle.
typedef struct tip_contact {
    float weight[3];
    float distance;
    drape_vec3 normal;
} tip_contact;

// Whether the triangle is held there by its vertices already, by one that is as near to the solid.
// At the end of a rod that may lean on its side, so it must be as near to the end, give or take
// some of an edge.
static bool is_held(const dr_obstacle* obstacle, const drape_vec3 c[3], const tip_contact* tip,
                    float least, const drape_vec3* rod_end, float size)
{
    float nearest = INFINITY;
    for (int i = 0; i < 3; ++i) {
        drape_vec3 unused;
        nearest = fminf(nearest, rod_end ? dr_length(dr_sub(c[i], *rod_end)) - 0.15f * size
                                         : dr_shape_distance(&obstacle->terms, c[i], &unused));
    }
    return tip->distance > nearest - least;
}

// The tips whose feet are inside the triangle; returns their number, at most DR_FACE_CONTACTS.
static int meet_tips(const dr_obstacle* obstacle, const drape_vec3 c[3], float least,
                     tip_contact out[DR_FACE_CONTACTS])
{
    drape_vec3 face = dr_cross(dr_sub(c[1], c[0]), dr_sub(c[2], c[0])), tips[8];
    float size = sqrtf(dr_dot(face, face));
    if (!(size > 0.0f)) {
        return 0;
    }
    face = dr_scale(face, 1.0f / size);
    size = sqrtf(size); // of an edge, about
    // Towards the cloth; all shapes but planes hold the origin of their frame.
    drape_vec3 normal = dr_dot(face, c[0]) < 0.0f ? dr_scale(face, -1.0f) : face;
    bool has_rod = is_rod(&obstacle->shape, size);
    int count = 0, tip_count = list_tips(&obstacle->shape, normal, has_rod, tips);
    for (int i = 0; i < tip_count && count < DR_FACE_CONTACTS; ++i) {
        tip_contact* tip = &out[count];
        tip->normal = normal;
        tip->distance = dr_dot(normal, dr_sub(c[0], tips[i]));
        const drape_vec3* rod_end = has_rod ? &tips[i] : NULL;
        count += foot_weights(c, face, tips[i], tip->weight) &&
                 !is_held(obstacle, c, tip, least, rod_end, size);
    }
    return count;
}

// Contacts of the triangle where it is near tips at the start.
static int hold_now(const dr_detect_args* args, const corner c[3], const int32_t slot[3],
                    const drape_vec3 start[3], dr_contact1* out)
{
    tip_contact tips[DR_FACE_CONTACTS];
    int made = 0, count = meet_tips(args->obstacle, start, 0.02f * args->range.radius, tips);
    for (int i = 0; i < count; ++i) {
        if (!is_out_of_reach(args, c, 3, tips[i].distance)) {
            made += make_contact(args, c, 3, slot, tips[i].weight, tips[i].distance, tips[i].normal,
                                 &out[made]);
        }
    }
    return made;
}

// What would be pierced at the end is held at the point where, by its plane at the start.
static int hold_later(const dr_detect_args* args, const corner c[3], const int32_t slot[3],
                      const drape_vec3 start[3], const drape_vec3 end[3], dr_contact1* out)
{
    tip_contact tips[DR_FACE_CONTACTS];
    int made = 0, count = meet_tips(args->obstacle, end, 0.02f * args->range.radius, tips);
    for (int i = 0; i < count; ++i) {
        if (tips[i].distance > args->range.radius) {
            continue;
        }
        drape_vec3 p = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            p = dr_add(p, dr_scale(start[k], tips[i].weight[k]));
        }
        float distance = dr_shape_distance(&args->obstacle->terms, p, &tips[i].normal);
        if (!is_out_of_reach(args, c, 3, distance)) {
            made += make_contact(args, c, 3, slot, tips[i].weight, distance, tips[i].normal,
                                 &out[made]);
        }
    }
    return made;
}

int dr_contact_face(const dr_detect_args* args, const int32_t slot[3],
                    dr_contact1 out[DR_FACE_CONTACTS])
{
    corner c[3] = {corner_at(args, slot[0]), corner_at(args, slot[1]), corner_at(args, slot[2])};
    const drape_vec3 start[3] = {c[0].local, c[1].local, c[2].local};
    const drape_vec3 end[3] = {c[0].local_end, c[1].local_end, c[2].local_end};
    int made = hold_now(args, c, slot, start, out);
    return made > 0 ? made : hold_later(args, c, slot, start, end, out);
}

// --- Repeated detection ---

// The same feature, held about the same way: what was pressed along another normal is of no use.
static bool is_same_contact(const dr_contact1* a, const dr_contact1* b)
{
    return memcmp(a->slot, b->slot, sizeof a->slot) == 0 && dr_dot(a->normal, b->normal) > 0.5f;
}

void dr_contact_inherit(dr_contact1* contacts, int count, const dr_contact1* before,
                        int before_count)
{
    int first = 0;
    for (int i = 0; i < count; ++i) {
        int k = first;
        while (k < before_count && !is_same_contact(&contacts[i], &before[k])) {
            ++k;
        }
        if (k < before_count) {
            contacts[i].pressed = before[k].pressed;
            contacts[i].rubbed = before[k].rubbed;
            first = k + 1;
        }
    }
}

// --- Resolution ---

drape_vec3 dr_contact_way_before(const dr_sheet* sheet, const dr_predict_args* predicted, int slot)
{
    if (!(dr_sheet_inverse_mass(sheet, slot) > 0.0f)) {
        return dr_sub(dr_sheet_get(sheet->layout, sheet->pos, slot),
                      dr_sheet_get(sheet->layout, sheet->start, slot));
    }
    drape_vec3 push = predicted->gravity;
    if (sheet->force) {
        push = dr_add(push, dr_sheet_get(sheet->layout, sheet->force, slot));
    }
    drape_vec3 v = dr_sub(dr_sheet_get(sheet->layout, sheet->vel, slot),
                          dr_scale(push, predicted->keep * predicted->h));
    return dr_scale(v, predicted->h);
}

void dr_contact_set_grips(const dr_sheet* sheet, const dr_predict_args* predicted,
                          dr_contact1* contacts, int count)
{
    for (int k = 0; k < count; ++k) {
        dr_contact1* contact = &contacts[k];
        drape_vec3 way = dr_scale(contact->anchor, -1.0f);
        for (int i = 0; i < 3; ++i) {
            if (contact->weight[i] > 0.0f) {
                int slot = contact->slot[i];
                drape_vec3 to = dr_add(dr_sheet_get(sheet->layout, sheet->start, slot),
                                       dr_contact_way_before(sheet, predicted, slot));
                way = dr_add(way, dr_scale(to, contact->weight[i]));
            }
        }
        way = dr_sub(way, dr_scale(contact->normal, dr_dot(way, contact->normal)));
        contact->grip = dr_contact_grip(dr_length(way), predicted->h);
    }
}

// Moves the point by moving its vertices. Beside a held vertex a free one would have to go a hundred
// times as far; several such contacts would throw it to and fro between them, ever further.
static void move_point(const dr_sheet* sheet, const dr_contact1* contact, drape_vec3 by, float ws)
{
    const float furthest = 4.0f;
    for (int i = 0; i < 3; ++i) {
        float share = dr_sheet_inverse_mass(sheet, contact->slot[i]) * contact->weight[i];
        ws = contact->weight[i] > 0.0f ? fmaxf(ws, share / furthest) : ws;
    }
    for (int i = 0; i < 3; ++i) {
        if (contact->weight[i] > 0.0f) {
            int slot = contact->slot[i];
            float share = dr_sheet_inverse_mass(sheet, slot) * contact->weight[i] / ws;
            drape_vec3 p = dr_sheet_get(sheet->layout, sheet->pos, slot);
            dr_sheet_set(sheet->layout, sheet->pos, slot, dr_add(p, dr_scale(by, share)));
        }
    }
}

void dr_contact_resolve(const dr_sheet* sheet, dr_contact1* contacts, int count)
{
    for (int k = 0; k < count; ++k) {
        dr_contact1* contact = &contacts[k];
        drape_vec3 p = {0, 0, 0};
        float ws = 0.0f;
        for (int i = 0; i < 3; ++i) {
            float b = contact->weight[i];
            if (b > 0.0f) {
                p = dr_add(p,
                           dr_scale(dr_sheet_get(sheet->layout, sheet->pos, contact->slot[i]), b));
                ws += dr_sheet_inverse_mass(sheet, contact->slot[i]) * b * b;
            }
        }
        if (ws <= 0.0f) {
            continue;
        }
        drape_vec3 slip = dr_sub(p, contact->anchor);
        float along = dr_dot(slip, contact->normal);
        float push = fmaxf(-(along + contact->gap), -contact->pressed);
        contact->pressed += push;
        drape_vec3 by = dr_scale(contact->normal, push);
        drape_vec3 slide = dr_sub(slip, dr_scale(contact->normal, along));
        float length = sqrtf(dr_dot(slide, slide)), rub = length;
        if (contact->friction.at_rest * contact->pressed - contact->rubbed < length) {
            const dr_friction* friction = &contact->friction;
            float slows =
                friction->sliding + contact->grip * (friction->at_rest - friction->sliding);
            float can_slow = slows * contact->pressed - contact->rubbed;
            rub = fminf(fmaxf(can_slow, 0.0f), length);
        }
        if (length > 0.0f) {
            by = dr_sub(by, dr_scale(slide, rub / length));
            contact->rubbed += rub;
        }
        move_point(sheet, contact, by, ws);
    }
}
