// Stretching of a general mesh: what its triangles are made of.
#include <math.h>

#include "core/vec_math.h"
#include "solver/hinge.h"
#include "solver/xpbd.h"
#include "solver/xpbd_mesh.h"

// One lane of a row of triangles.
typedef struct place {
    const dr_star_group* group;
    int row; // of stars.triangles
    int lane;
} place;

// Visits all lanes; the rows of a group follow one another. False at the end.
static bool next_place(const dr_stars* stars, place* at)
{
    if (++at->lane == DR_STAR_LANES) {
        at->lane = 0;
        ++at->row;
    }
    if (at->row == stars->triangle_row_count) {
        return false;
    }
    const dr_star_group* group = at->group ? at->group : stars->groups;
    bool is_past = at->row == group->first_triangle + group->width * group->length;
    at->group = is_past ? group + 1 : group;
    return true;
}

static const place before_all = {.lane = -1};

// Slots of the owner and of the two rim vertices.
static void slots_of(const dr_stars* stars, const place* at, int32_t slots[3])
{
    const dr_star_group* group = at->group;
    int row = at->row - group->first_triangle;
    int which = row % group->width, step = row / group->width;
    dr_star_row* first = stars->slots + group->first_slot + which;
    slots[0] = first[0][at->lane];
    slots[1] = first[(step + 1) * group->width][at->lane];
    slots[2] = first[(step + 2) * group->width][at->lane];
}

// --- Rest shapes ---

// The longest side of a rest triangle, its direction and the one across it. False when the triangle
// is not so thin that this is its frame: within another one gradients of warp and weft are next to
// parallel there, and their system is beyond floats. What little such a triangle knows of warp and
// weft is lost.
static bool sliver_frame(const dr_mesh* mesh, const int32_t v[3], drape_vec3* along,
                         drape_vec3* across)
{
    drape_vec3 side[3];
    int longest = 0;
    for (int i = 0; i < 3; ++i) {
        side[i] = dr_sub(mesh->rest[v[(i + 1) % 3]], mesh->rest[v[i]]);
        longest = dr_length(side[i]) > dr_length(side[longest]) ? i : longest;
    }
    float length = dr_length(side[longest]);
    drape_vec3 normal = dr_cross(side[0], side[1]);
    if (dr_length(normal) > 0.02f * length * length) {
        return false;
    }
    *along = dr_scale(side[longest], 1.0f / length);
    *across = dr_normalize(dr_cross(normal, *along));
    return true;
}

// Inverse of the rest triangle in its warp and weft frame.
static void fill_triangle(struct dr_xpbd_mesh* out, const place* at, const dr_mesh* mesh,
                          const int32_t v[3])
{
    dr_triangle_batch* batch = &out->triangles[at->row];
    drape_vec3 warp, weft, x0 = mesh->rest[v[0]], x1 = mesh->rest[v[1]], x2 = mesh->rest[v[2]];
    if (!sliver_frame(mesh, v, &warp, &weft)) {
        dr_mesh_warp_direction(mesh, out->stars.triangles[at->row][at->lane], &warp, &weft);
    }
    double e1[3] = {(double)x1.x - x0.x, (double)x1.y - x0.y, (double)x1.z - x0.z};
    double e2[3] = {(double)x2.x - x0.x, (double)x2.y - x0.y, (double)x2.z - x0.z};
    double d00 = e1[0] * warp.x + e1[1] * warp.y + e1[2] * warp.z;
    double d01 = e2[0] * warp.x + e2[1] * warp.y + e2[2] * warp.z;
    double d10 = e1[0] * weft.x + e1[1] * weft.y + e1[2] * weft.z;
    double d11 = e2[0] * weft.x + e2[1] * weft.y + e2[2] * weft.z;
    double det = d00 * d11 - d01 * d10;
    batch->a[0][at->lane] = (float)(d11 / det);
    batch->a[1][at->lane] = (float)(-d10 / det);
    batch->b[0][at->lane] = (float)(-d01 / det);
    batch->b[1][at->lane] = (float)(d00 / det);
    out->rest_area[at->row][at->lane] = (float)(0.5 * fabs(det));
}

static void fill_triangles(struct dr_xpbd_mesh* out, const dr_mesh* mesh, const dr_order* order)
{
    for (place at = before_all; next_place(&out->stars, &at);) {
        int32_t v[3];
        slots_of(&out->stars, &at, v);
        if (v[0] >= 0) {
            for (int k = 0; k < 3; ++k) {
                v[k] = order->vertex_of_slot[v[k]];
            }
            fill_triangle(out, &at, mesh, v);
        }
    }
}

// Slots for empty lanes; blocks that run side by side share none.
static void fill_empty_lanes(dr_stars* stars, int first_empty, int empty_step)
{
    for (int block = 0; block < stars->block_count; ++block) {
        for (int i = stars->group_start[block]; i < stars->group_start[block + 1]; ++i) {
            const dr_star_group* group = &stars->groups[i];
            int count = group->width * (group->length + 2) * DR_STAR_LANES;
            for (int k = 0; k < count; ++k) {
                int row = group->first_slot + k / DR_STAR_LANES;
                int32_t* slot = &stars->slots[row][k % DR_STAR_LANES];
                *slot = *slot < 0 ? first_empty + block * empty_step : *slot;
            }
        }
    }
}

bool dr_stretch_create(struct dr_xpbd_mesh* mesh, dr_memory* memory, const dr_mesh* shape,
                       const dr_order* order, const dr_blocks* blocks, int first_empty,
                       int empty_step)
{
    bool* is_left_out = dr_new(memory, bool, shape->triangle_count);
    bool done = is_left_out || shape->triangle_count == 0;
    for (int t = 0; t < shape->triangle_count && done; ++t) {
        is_left_out[t] = !dr_hinge_triangle_is_sound(shape, t);
    }
    done = done && dr_stars_build(&mesh->stars, memory, shape, order, blocks, is_left_out);
    dr_delete(memory, is_left_out, shape->triangle_count);
    int count = mesh->stars.triangle_row_count;
    mesh->triangles = dr_new_zeroed(memory, dr_triangle_batch, count);
    mesh->rest_area =
        dr_allocate_zeroed(memory, dr_array_bytes((size_t)count, sizeof *mesh->rest_area));
    if (!done || (count > 0 && (!mesh->triangles || !mesh->rest_area))) {
        return false;
    }
    fill_triangles(mesh, shape, order);
    fill_empty_lanes(&mesh->stars, first_empty, empty_step);
    return true;
}

void dr_stretch_free(struct dr_xpbd_mesh* mesh, dr_memory* memory)
{
    int count = mesh->stars.triangle_row_count;
    dr_delete(memory, mesh->triangles, count);
    dr_delete(memory, mesh->rest_area, count);
    dr_stars_free(&mesh->stars, memory);
}

int dr_stretch_count(const struct dr_xpbd_mesh* mesh)
{
    int count = 0;
    for (place at = before_all; next_place(&mesh->stars, &at);) {
        count += mesh->rest_area[at.row][at.lane] > 0.0f ? 3 : 0;
    }
    return count;
}

// --- Masses and substeps ---

// Compliance is 1 / (stiffness area h^2). Empty lanes are soft and feel nothing.
static void weigh_triangle(dr_xpbd* xpbd, const place* at, double compliance)
{
    struct dr_xpbd_mesh* mesh = xpbd->mesh;
    dr_triangle_batch* batch = &mesh->triangles[at->row];
    int lane = at->lane;
    int32_t slots[3];
    slots_of(&mesh->stars, at, slots);
    double a[3] = {0.0, (double)batch->a[0][lane], (double)batch->a[1][lane]};
    double b[3] = {0.0, (double)batch->b[0][lane], (double)batch->b[1][lane]};
    a[0] = -(a[1] + a[2]);
    b[0] = -(b[1] + b[2]);
    double aa = 0.0, ab = 0.0, bb = 0.0;
    for (int k = 0; k < 3; ++k) {
        double w = (double)dr_sheet_inverse_mass(&xpbd->sheet, slots[k]);
        aa += w * a[k] * a[k];
        ab += w * a[k] * b[k];
        bb += w * b[k] * b[k];
    }
    double area = (double)mesh->rest_area[at->row][lane];
    double c = area > 0.0 ? compliance / area : 1.0;
    batch->inverse[lane] = (float)(1.0 / (aa + c));
    batch->yield[lane] = (float)(c / (aa + c));
    batch->ab[lane] = (float)(ab / (aa + c));
    batch->bb[lane] = (float)(bb / (aa + c));
}

void dr_stretch_prepare(dr_xpbd* xpbd, float h)
{
    struct dr_xpbd_mesh* mesh = xpbd->mesh;
    double compliance = 1.0 / ((double)h * (double)h * (double)mesh->stiffness[0]);
    mesh->softness[0] = mesh->stiffness[0] / mesh->stiffness[1];
    mesh->softness[1] = mesh->stiffness[0] / mesh->stiffness[2];
    for (place at = before_all; next_place(&mesh->stars, &at);) {
        weigh_triangle(xpbd, &at, compliance);
    }
}

// --- Energy, for tests ---

static double triangle_energy(const struct dr_xpbd_mesh* mesh, const place* at, const float* pos)
{
    const dr_triangle_batch* batch = &mesh->triangles[at->row];
    int32_t slots[3];
    double x[3][3], uu = 0.0, vv = 0.0, uv = 0.0;
    slots_of(&mesh->stars, at, slots);
    for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < 3; ++c) {
            x[i][c] = (double)pos[(size_t)slots[i] * 4 + (size_t)c];
        }
    }
    double a[2], b[2];
    for (int i = 0; i < 2; ++i) {
        a[i] = (double)batch->a[i][at->lane];
        b[i] = (double)batch->b[i][at->lane];
    }
    for (int c = 0; c < 3; ++c) {
        double e1 = x[1][c] - x[0][c], e2 = x[2][c] - x[0][c];
        double fu = a[0] * e1 + a[1] * e2, fv = b[0] * e1 + b[1] * e2;
        uu += fu * fu;
        vv += fv * fv;
        uv += fu * fv;
    }
    double e[3] = {sqrt(uu) - 1.0, sqrt(vv) - 1.0, uv / sqrt(uu * vv)}, energy = 0.0;
    for (int i = 0; i < 3; ++i) {
        energy += 0.5 * (double)mesh->stiffness[i] * e[i] * e[i];
    }
    return energy * (double)mesh->rest_area[at->row][at->lane];
}

double dr_stretch_energy(const struct dr_xpbd_mesh* mesh, const float* pos)
{
    double energy = 0.0;
    for (place at = before_all; next_place(&mesh->stars, &at);) {
        if (mesh->rest_area[at.row][at.lane] > 0.0f) {
            energy += triangle_energy(mesh, &at, pos);
        }
    }
    return energy;
}
