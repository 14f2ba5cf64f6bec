#include "solver/xpbd_mesh.h"

#include <math.h>
#include <string.h>

#include "core/isa.h"
#include "mesh/order.h"
#include "solver/hinge.h"
#include "solver/xpbd.h"

DR_KERNEL_TABLE(dr_mesh_kernels)

// Slots per block that belong to no vertex: the empty lanes of its batches.
enum { EMPTY_SLOTS = 4 };

// Constraints of one kind on their way into batches.
typedef struct constraint_list {
    int32_t* slots;  // arity each, then in sorted order
    int32_t* source; // triangle or hinge of each
    int count, arity;
    dr_batch batch;
} constraint_list;

static void list_free(constraint_list* list, dr_memory* memory, int capacity)
{
    dr_delete(memory, list->slots, (size_t)capacity * (size_t)list->arity);
    dr_delete(memory, list->source, capacity);
    dr_batch_free(&list->batch, memory);
}

// Sorts the constraints into blocks and packs them eight by eight.
static bool list_pack(constraint_list* list, dr_memory* memory, const dr_blocks* blocks,
                      int slot_count)
{
    int n = list->count, arity = list->arity;
    int32_t* sorted = dr_new(memory, int32_t, n + 1);
    int32_t* start = dr_new(memory, int32_t, blocks->block_count + 1);
    int32_t* slots = dr_new(memory, int32_t, (size_t)n * (size_t)arity + 1);
    int32_t* source = dr_new(memory, int32_t, n + 1);
    bool done = sorted && start && slots && source &&
                dr_blocks_sort(blocks, memory, list->slots, arity, n, sorted, start);
    if (done) {
        for (int i = 0; i < n; ++i) {
            memcpy(slots + (size_t)i * (size_t)arity,
                   list->slots + (size_t)sorted[i] * (size_t)arity,
                   sizeof(int32_t) * (size_t)arity);
            source[i] = list->source[sorted[i]];
        }
        if (n > 0) {
            memcpy(list->slots, slots, sizeof(int32_t) * (size_t)n * (size_t)arity);
            memcpy(list->source, source, sizeof(int32_t) * (size_t)n);
        }
        done = dr_batch_pack(&list->batch, memory, list->slots, arity, start, blocks->block_count,
                             slot_count);
    }
    dr_delete(memory, sorted, n + 1);
    dr_delete(memory, start, blocks->block_count + 1);
    dr_delete(memory, slots, (size_t)n * (size_t)arity + 1);
    dr_delete(memory, source, n + 1);
    return done;
}

static bool collect_triangles(constraint_list* list, dr_memory* memory, const dr_mesh* mesh,
                              const int32_t* slot_of_vertex)
{
    list->arity = 3;
    list->slots = dr_new(memory, int32_t, (size_t)mesh->triangle_count * 3);
    list->source = dr_new(memory, int32_t, mesh->triangle_count);
    if (mesh->triangle_count > 0 && (!list->slots || !list->source)) {
        return false;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        if (!dr_hinge_triangle_is_sound(mesh, t)) {
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            list->slots[list->count * 3 + i] = slot_of_vertex[mesh->triangles[t][i]];
        }
        list->source[list->count++] = t;
    }
    return true;
}

static bool collect_hinges(constraint_list* list, dr_memory* memory, const dr_mesh* mesh,
                           const int32_t* slot_of_vertex)
{
    list->arity = 4;
    list->slots = dr_new(memory, int32_t, (size_t)mesh->hinge_count * 4);
    list->source = dr_new(memory, int32_t, mesh->hinge_count);
    if (mesh->hinge_count > 0 && (!list->slots || !list->source)) {
        return false;
    }
    for (int i = 0; i < mesh->hinge_count; ++i) {
        const dr_hinge* hinge = &mesh->hinges[i];
        if (!dr_hinge_triangle_is_sound(mesh, hinge->t[0]) ||
            !dr_hinge_triangle_is_sound(mesh, hinge->t[1]) || hinge->v[2] == hinge->v[3]) {
            continue;
        }
        for (int k = 0; k < 4; ++k) {
            list->slots[list->count * 4 + k] = slot_of_vertex[hinge->v[k]];
        }
        list->source[list->count++] = i;
    }
    return true;
}

// Inverse of the rest triangle in its warp and weft frame.
static void fill_triangle(dr_triangle_batch* batch, int lane, const dr_mesh* mesh, int t)
{
    const int32_t* v = mesh->triangles[t];
    drape_vec3 warp, weft, x0 = mesh->rest[v[0]], x1 = mesh->rest[v[1]], x2 = mesh->rest[v[2]];
    dr_mesh_warp_direction(mesh, t, &warp, &weft);
    double e1[3] = {(double)x1.x - x0.x, (double)x1.y - x0.y, (double)x1.z - x0.z};
    double e2[3] = {(double)x2.x - x0.x, (double)x2.y - x0.y, (double)x2.z - x0.z};
    double d00 = e1[0] * warp.x + e1[1] * warp.y + e1[2] * warp.z;
    double d01 = e2[0] * warp.x + e2[1] * warp.y + e2[2] * warp.z;
    double d10 = e1[0] * weft.x + e1[1] * weft.y + e1[2] * weft.z;
    double d11 = e2[0] * weft.x + e2[1] * weft.y + e2[2] * weft.z;
    double det = d00 * d11 - d01 * d10;
    batch->a[0][lane] = (float)(d11 / det);
    batch->a[1][lane] = (float)(-d10 / det);
    batch->b[0][lane] = (float)(-d01 / det);
    batch->b[1][lane] = (float)(d00 / det);
    batch->per_area[lane] = (float)(2.0 / fabs(det));
}

static void fill_triangles(struct dr_xpbd_mesh* out, const constraint_list* list,
                           const dr_mesh* mesh, int first_empty)
{
    for (int block = 0; block < out->block_count; ++block) {
        for (int i = out->triangle_start[block]; i < out->triangle_start[block + 1]; ++i) {
            dr_triangle_batch* batch = &out->triangles[i];
            for (int lane = 0; lane < 8; ++lane) {
                int32_t c = list->batch.order[i * 8 + lane];
                for (int k = 0; k < 3; ++k) {
                    batch->slot[k][lane] =
                        c >= 0 ? list->slots[c * 3 + k] : first_empty + block * EMPTY_SLOTS + k;
                }
                batch->per_area[lane] = 1.0f;
                if (c >= 0) {
                    fill_triangle(batch, lane, mesh, list->source[c]);
                }
            }
        }
    }
}

static void fill_hinges(struct dr_xpbd_mesh* out, const constraint_list* list, const dr_mesh* mesh,
                        const dr_hinge_rigidity* rigidity, int first_empty)
{
    out->is_flat = true;
    for (int block = 0; block < out->block_count; ++block) {
        for (int i = out->hinge_start[block]; i < out->hinge_start[block + 1]; ++i) {
            dr_hinge_batch* batch = &out->hinges[i];
            for (int lane = 0; lane < 8; ++lane) {
                int32_t c = list->batch.order[i * 8 + lane];
                for (int k = 0; k < 4; ++k) {
                    batch->slot[k][lane] =
                        c >= 0 ? list->slots[c * 4 + k] : first_empty + block * EMPTY_SLOTS + k;
                }
                batch->compliance[lane] = 1.0f;
                if (c < 0) {
                    continue;
                }
                dr_hinge_shape shape = dr_hinge_shape_of(mesh, list->source[c]);
                float b = dr_hinge_rigidity_of(rigidity, &shape);
                for (int k = 0; k < 3; ++k) {
                    batch->k[k][lane] = (float)shape.k[k + 1];
                }
                batch->bow[lane] = (float)shape.bow;
                out->is_flat = out->is_flat && shape.bow == 0.0;
                out->hinge_area[i][0][lane] = (float)shape.area[0];
                out->hinge_area[i][1][lane] = (float)shape.area[1];
                out->hinge_rigidity[i][lane] = b;
                batch->compliance[lane] = (float)(shape.area[0] + shape.area[1]) / b;
            }
        }
    }
}

// Vertices without area still need a mass: a tenth of the mean.
static void place_vertices(dr_xpbd* xpbd, const dr_mesh* mesh, const dr_order* order, float density)
{
    dr_sheet* sheet = &xpbd->sheet;
    double total = 0.0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        total += (double)mesh->vertex_area[v];
    }
    float least = (float)(0.1 * total / mesh->vertex_count);
    least = least > 0.0f ? least : 1e-4f;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int slot = order->slot_of_vertex[v];
        float area = mesh->vertex_area[v];
        sheet->slot_of_vertex[v] = slot;
        sheet->mass[v] = density * (area > 1e-3f * least ? area : least);
        dr_sheet_set_inverse_mass(sheet, slot, 1.0f / sheet->mass[v]);
    }
}

static bool allocate_batches(struct dr_xpbd_mesh* out, dr_memory* memory)
{
    out->triangles = dr_new_zeroed(memory, dr_triangle_batch, out->triangle_batch_count);
    out->hinges = dr_new_zeroed(memory, dr_hinge_batch, out->hinge_batch_count);
    out->hinge_area = dr_allocate_zeroed(
        memory, dr_array_bytes((size_t)out->hinge_batch_count, sizeof *out->hinge_area));
    out->hinge_rigidity = dr_allocate_zeroed(
        memory, dr_array_bytes((size_t)out->hinge_batch_count, sizeof *out->hinge_rigidity));
    out->triangle_start = dr_new(memory, int32_t, out->block_count + 1);
    out->hinge_start = dr_new(memory, int32_t, out->block_count + 1);
    bool hinges =
        out->hinge_batch_count == 0 || (out->hinges && out->hinge_area && out->hinge_rigidity);
    return hinges && (out->triangle_batch_count == 0 || out->triangles) && out->triangle_start &&
           out->hinge_start;
}

// Everything that needs the temporary lists.
static bool build(dr_xpbd* xpbd, dr_memory* memory, const drape_fabric* fabric, const dr_mesh* mesh,
                  const dr_order* order, const dr_blocks* blocks, constraint_list* triangles,
                  constraint_list* hinges)
{
    struct dr_xpbd_mesh* out = xpbd->mesh;
    int slot_count = mesh->vertex_count + EMPTY_SLOTS * blocks->block_count;
    if (!collect_triangles(triangles, memory, mesh, order->slot_of_vertex) ||
        !collect_hinges(hinges, memory, mesh, order->slot_of_vertex) ||
        !list_pack(triangles, memory, blocks, slot_count) ||
        !dr_batch_pair(&triangles->batch, memory, triangles->slots, 3, slot_count) ||
        !list_pack(hinges, memory, blocks, slot_count)) {
        return false;
    }
    out->block_count = blocks->block_count;
    out->triangle_batch_count = triangles->batch.batch_count;
    out->hinge_batch_count = hinges->batch.batch_count;
    if (!allocate_batches(out, memory) ||
        !dr_sheet_create(&xpbd->sheet, memory, DR_LAYOUT_RECORDS, mesh->vertex_count,
                         (slot_count + 7) / 8)) {
        return false;
    }
    size_t start_bytes = sizeof(int32_t) * (size_t)(out->block_count + 1);
    memcpy(out->triangle_start, triangles->batch.block_start, start_bytes);
    memcpy(out->hinge_start, hinges->batch.block_start, start_bytes);
    out->pos = xpbd->sheet.pos;
    out->start = xpbd->sheet.start;
    out->damping = fabric->bend_damping;
    out->stiffness[0] = fabric->stretch_warp;
    out->stiffness[1] = fabric->stretch_weft;
    out->stiffness[2] = fabric->shear;
    dr_hinge_rigidity rigidity;
    if (!dr_hinge_calibrate(mesh, memory, fabric->bend_warp, fabric->bend_weft, &rigidity)) {
        return false;
    }
    fill_triangles(out, triangles, mesh, mesh->vertex_count);
    fill_hinges(out, hinges, mesh, &rigidity, mesh->vertex_count);
    if (!dr_bend_create(out, memory, blocks->slot_start, xpbd->sheet.vector_count)) {
        return false;
    }
    out->bend_sweeps = 1;
    xpbd->constraint_count = 3 * triangles->count + hinges->count;
    place_vertices(xpbd, mesh, order, fabric->density);
    return true;
}

bool dr_xpbd_create_mesh(dr_xpbd* xpbd, dr_memory* memory, const drape_fabric* fabric,
                         const dr_mesh* mesh)
{
    *xpbd = (dr_xpbd){0};
    dr_order order = {0};
    dr_blocks blocks = {0};
    constraint_list triangles = {.arity = 3}, hinges = {.arity = 4};
    xpbd->mesh = dr_new_zeroed(memory, struct dr_xpbd_mesh, 1);
    int target = mesh->vertex_count / 8;
    target = target < 256 ? 256 : target > 2048 ? 2048 : target;
    bool done = xpbd->mesh && dr_order_breadth_first(&order, memory, mesh) &&
                dr_blocks_cut(&blocks, memory, &order, 2, target) &&
                build(xpbd, memory, fabric, mesh, &order, &blocks, &triangles, &hinges);
    list_free(&triangles, memory, mesh->triangle_count);
    list_free(&hinges, memory, mesh->hinge_count);
    dr_blocks_free(&blocks, memory);
    dr_order_free(&order, memory);
    if (!done) {
        dr_xpbd_free(xpbd, memory);
    }
    return done;
}

void dr_xpbd_mesh_free(struct dr_xpbd_mesh* mesh, dr_memory* memory)
{
    dr_bend_free(mesh, memory);
    dr_delete(memory, mesh->triangles, mesh->triangle_batch_count);
    dr_delete(memory, mesh->hinges, mesh->hinge_batch_count);
    dr_release(memory, mesh->hinge_area,
               sizeof *mesh->hinge_area * (size_t)mesh->hinge_batch_count);
    dr_release(memory, mesh->hinge_rigidity,
               sizeof *mesh->hinge_rigidity * (size_t)mesh->hinge_batch_count);
    dr_delete(memory, mesh->triangle_start, mesh->block_count + 1);
    dr_delete(memory, mesh->hinge_start, mesh->block_count + 1);
    dr_delete(memory, mesh, 1);
}

// A triangle that is held at all corners does not bend: its hinges bend over the other one alone.
static void update_clamps(dr_xpbd* xpbd)
{
    struct dr_xpbd_mesh* mesh = xpbd->mesh;
    for (int i = 0; i < mesh->hinge_batch_count; ++i) {
        dr_hinge_batch* batch = &mesh->hinges[i];
        for (int lane = 0; lane < 8; ++lane) {
            if (mesh->hinge_rigidity[i][lane] <= 0.0f) {
                continue;
            }
            bool held[4];
            for (int k = 0; k < 4; ++k) {
                held[k] = dr_sheet_inverse_mass(&xpbd->sheet, batch->slot[k][lane]) <= 0.0f;
            }
            float area = 0.0f;
            for (int side = 0; side < 2; ++side) {
                bool rigid = held[0] && held[1] && held[2 + side];
                area += rigid ? 0.0f : mesh->hinge_area[i][side][lane];
            }
            float all = mesh->hinge_area[i][0][lane] + mesh->hinge_area[i][1][lane];
            batch->compliance[lane] = (area > 0.0f ? area : all) / mesh->hinge_rigidity[i][lane];
        }
    }
}

void dr_xpbd_mesh_prepare(dr_xpbd* xpbd, float h)
{
    struct dr_xpbd_mesh* mesh = xpbd->mesh;
    for (int i = 0; i < 3; ++i) {
        mesh->compliance[i] = 1.0f / (h * h * mesh->stiffness[i]);
    }
    update_clamps(xpbd);
    dr_bend_prepare(xpbd, h);
}

// --- Energy, for tests ---

static double triangle_energy(const struct dr_xpbd_mesh* mesh, const dr_triangle_batch* batch,
                              int lane, const float* pos)
{
    double x[3][3], fu[3], fv[3], a[2], b[2];
    for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < 3; ++c) {
            x[i][c] = (double)pos[(size_t)batch->slot[i][lane] * 4 + (size_t)c];
        }
    }
    for (int i = 0; i < 2; ++i) {
        a[i] = (double)batch->a[i][lane];
        b[i] = (double)batch->b[i][lane];
    }
    double uu = 0.0, vv = 0.0, uv = 0.0;
    for (int c = 0; c < 3; ++c) {
        fu[c] = a[0] * (x[1][c] - x[0][c]) + a[1] * (x[2][c] - x[0][c]);
        fv[c] = b[0] * (x[1][c] - x[0][c]) + b[1] * (x[2][c] - x[0][c]);
        uu += fu[c] * fu[c];
        vv += fv[c] * fv[c];
        uv += fu[c] * fv[c];
    }
    if (uu == 0.0 || vv == 0.0) {
        return 0.0; // an empty lane
    }
    double e[3] = {sqrt(uu) - 1.0, sqrt(vv) - 1.0, uv / sqrt(uu * vv)};
    double energy = 0.0;
    for (int i = 0; i < 3; ++i) {
        energy += 0.5 * (double)mesh->stiffness[i] * e[i] * e[i] / (double)batch->per_area[lane];
    }
    return energy;
}

double dr_xpbd_mesh_energy(const struct dr_xpbd_mesh* mesh, const float* pos)
{
    double energy = 0.0;
    for (int i = 0; i < mesh->triangle_batch_count; ++i) {
        for (int lane = 0; lane < 8; ++lane) {
            energy += triangle_energy(mesh, &mesh->triangles[i], lane, pos);
        }
    }
    for (int i = 0; i < mesh->hinge_batch_count; ++i) {
        const dr_hinge_batch* batch = &mesh->hinges[i];
        for (int lane = 0; lane < 8; ++lane) {
            double x[4][3], k[3] = {(double)batch->k[0][lane], (double)batch->k[1][lane],
                                    (double)batch->k[2][lane]};
            for (int j = 0; j < 4; ++j) {
                for (int c = 0; c < 3; ++c) {
                    x[j][c] = (double)pos[(size_t)batch->slot[j][lane] * 4 + (size_t)c];
                }
            }
            double n[3], value = 0.0;
            dr_hinge_normal(x, n);
            for (int c = 0; c < 3; ++c) {
                double sum = -(double)batch->bow[lane] * n[c];
                for (int j = 0; j < 3; ++j) {
                    sum += k[j] * (x[j + 1][c] - x[0][c]);
                }
                value += sum * sum;
            }
            energy += 0.5 * value / (double)batch->compliance[lane];
        }
    }
    return energy;
}
