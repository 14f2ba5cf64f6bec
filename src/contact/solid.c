#include "contact/solid.h"

#include <string.h>

#include "collide/tree_query.h"

// --- Life ---

static bool make_room(dr_solid* solid, dr_memory* memory, int cloth_count)
{
    dr_surface surface = dr_surface_of(&solid->body->shell.mesh);
    solid->cloth_count = cloth_count;
    solid->is_inside = dr_new_zeroed(memory, uint8_t, cloth_count + 1);
    // The boxes are made at the first refit.
    solid->is_swept = true;
    return solid->is_inside &&
           dr_octree_create(&solid->tree, memory, &surface, solid->body->shell.tree.isa);
}

static size_t moved_floats(const dr_solid* solid)
{
    return (size_t)solid->body->shell.mesh.vertex_count * 4;
}

void dr_solid_free(dr_solid* solid, dr_memory* memory)
{
    if (!solid->body) {
        return;
    }
    for (int k = 0; k < 2; ++k) {
        dr_delete(memory, solid->moved[k], moved_floats(solid));
    }
    dr_delete(memory, solid->is_inside, solid->cloth_count + 1);
    dr_tree_free(&solid->tree, memory);
    *solid = (dr_solid){0};
}

// --- A step ---

// Places at a share of the way; floats, so that the end of a substep is the start of the next.
static void fill_moved(const dr_solid* solid, float* places, double share)
{
    const float *from = solid->body->from, *to = solid->body->to;
    for (size_t i = 0; i < moved_floats(solid); ++i) {
        double way = (double)to[i] - (double)from[i];
        places[i] = share < 1.0 ? (float)((double)from[i] + share * way) : to[i];
    }
}

static bool move_places(dr_solid* solid, dr_memory* memory, const dr_slide_obstacle* obstacle)
{
    const double shares[2] = {(double)obstacle->share_gone, 1.0 - (double)obstacle->share_left};
    for (int k = 0; k < 2; ++k) {
        if (!solid->moved[k]) {
            solid->moved[k] = dr_new(memory, float, moved_floats(solid));
        }
        if (!solid->moved[k]) {
            return false;
        }
        fill_moved(solid, solid->moved[k], shares[k]);
        solid->places[k] = solid->moved[k];
    }
    return true;
}

// A little larger than need be, for rays that graze what is flat.
static float spare_radius(const dr_body* body)
{
    float scale = 0.0f;
    for (int c = 0; c < 6; ++c) {
        scale = fmaxf(scale, fabsf(body->shell.tree.root[c]));
    }
    return 0x1p-20f * scale;
}

bool dr_solid_prepare(dr_solid* solid, dr_memory* memory, dr_pool* pool,
                      const dr_slide_obstacle* obstacle, int cloth_count)
{
    if (solid->body != obstacle->body) {
        dr_solid_free(solid, memory);
        solid->body = obstacle->body;
        if (!make_room(solid, memory, cloth_count)) {
            return false;
        }
    }
    solid->frames[0] = dr_frame_of(obstacle->start);
    solid->frames[1] = dr_frame_of(obstacle->end);
    bool is_changing = solid->body->is_changing;
    solid->places[0] = solid->places[1] = solid->body->from;
    if (is_changing && !move_places(solid, memory, obstacle)) {
        return false;
    }
    if (is_changing || solid->is_swept) {
        dr_motion motion = {.start = solid->places[0],
                            .end = is_changing ? solid->places[1] : NULL,
                            .stride = 4,
                            .radius = spare_radius(solid->body)};
        dr_tree_refit(&solid->tree, pool, &motion);
        solid->is_swept = is_changing;
    }
    return true;
}

// --- Geometry ---

bool dr_solid_weights(const double (*corners)[3], const double p[3], double weights[3])
{
    // Against the fourth power of the longest edge.
    const double flat = 1e-24;
    double x13[3], x23[3], x43[3], x12[3];
    dr_sub3(corners[0], corners[2], x13);
    dr_sub3(corners[1], corners[2], x23);
    dr_sub3(p, corners[2], x43);
    dr_sub3(corners[0], corners[1], x12);
    double a = dr_dot3(x13, x13), b = dr_dot3(x13, x23), c = dr_dot3(x23, x23);
    double first = dr_dot3(x13, x43), second = dr_dot3(x23, x43);
    double longest = dr_most(dr_most(a, c), dr_dot3(x12, x12)), area = a * c - b * b;
    if (!(area > flat * longest * longest)) {
        return false;
    }
    weights[0] = (c * first - b * second) / area;
    weights[1] = (a * second - b * first) / area;
    weights[2] = 1.0 - weights[0] - weights[1];
    return true;
}

void dr_solid_carry(const dr_solid* solid, int triangle, const double x[3], double out[3])
{
    double from[3][3], to[3][3], weights[3], normal[3], foot[3], up[3];
    memmove(out, x, 3 * sizeof *out);
    if (solid->places[0] == solid->places[1]) {
        return;
    }
    dr_solid_corners(solid, triangle, false, from);
    dr_solid_corners(solid, triangle, true, to);
    if (!dr_solid_weights(DR_POINTS(from), out, weights) || !dr_normal3(DR_POINTS(from), normal) ||
        !dr_normal3(DR_POINTS(to), up)) {
        for (int c = 0; c < 3; ++c) {
            out[c] += to[0][c] - from[0][c];
        }
        return;
    }
    dr_sub3(out, from[0], foot);
    double height = dr_dot3(foot, normal);
    dr_solid_weigh(DR_POINTS(to), weights, foot);
    dr_along3(foot, height, up, out);
}

dr_foot dr_solid_foot(const dr_solid* solid, int triangle, const double p[3], bool at_end)
{
    double corners[3][3], off[3];
    dr_foot foot = {.triangle = triangle};
    dr_solid_corners(solid, triangle, at_end, corners);
    foot.is_inner = dr_nearest_of_triangle(p, DR_POINTS(corners), foot.place);
    dr_sub3(p, foot.place, off);
    foot.distance = sqrt(dr_dot3(off, off));
    return foot;
}

// --- Searches ---

typedef struct measuring {
    const dr_solid* solid;
    bool at_end;
} measuring;

static double measure(const void* context, int triangle, const double p[3])
{
    const measuring* m = context;
    dr_foot foot = dr_solid_foot(m->solid, triangle, p, m->at_end);
    return foot.distance * foot.distance;
}

dr_foot dr_solid_nearest(const dr_solid* solid, const double p[3], double most, bool at_end)
{
    measuring m = {solid, at_end};
    dr_octree_near near = dr_octree_nearest(&solid->tree, p, most, measure, &m);
    if (near.primitive < 0) {
        return (dr_foot){.triangle = -1, .distance = INFINITY};
    }
    return dr_solid_foot(solid, near.primitive, p, at_end);
}

static bool is_in_box(const dr_tree* tree, const double p[3])
{
    for (int c = 0; c < 3; ++c) {
        if (p[c] < -(double)tree->root[c] || p[c] > (double)tree->root[c + 3]) {
            return false;
        }
    }
    return true;
}

// A ray that first meets a triangle from behind comes from inside. Of three rays most are right,
// should one of them meet an edge.
bool dr_solid_is_inside(const dr_solid* solid, const double p[3], bool at_end)
{
    static const drape_vec3 directions[3] = {
        {0.83f, 0.41f, -0.37f}, {-0.36f, 0.85f, 0.39f}, {-0.34f, -0.43f, 0.84f}};
    int votes = 0;
    if (!solid->body->is_closed || !is_in_box(&solid->tree, p)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        dr_tree_ray ray = {{(float)p[0], (float)p[1], (float)p[2]}, directions[k], 0.0f, INFINITY};
        dr_tree_ray_hit hit;
        double corners[3][3], normal[3], along[3];
        if (dr_tree_ray_nearest(&solid->tree, solid->places[at_end], 4, &ray, &hit)) {
            dr_solid_corners(solid, hit.triangle, at_end, corners);
            dr_read3(directions[k], along);
            votes += dr_normal3(DR_POINTS(corners), normal) && dr_dot3(normal, along) > 0.0;
        }
    }
    return votes >= 2;
}
