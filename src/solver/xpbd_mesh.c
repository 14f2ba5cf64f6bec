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
                             slot_count, DR_STAR_LANES);
    }
    dr_delete(memory, sorted, n + 1);
    dr_delete(memory, start, blocks->block_count + 1);
    dr_delete(memory, slots, (size_t)n * (size_t)arity + 1);
    dr_delete(memory, source, n + 1);
    return done;
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
    out->hinges = dr_new_zeroed(memory, dr_hinge_batch, out->hinge_batch_count);
    out->hinge_area = dr_allocate_zeroed(
        memory, dr_array_bytes((size_t)out->hinge_batch_count, sizeof *out->hinge_area));
    out->hinge_rigidity = dr_allocate_zeroed(
        memory, dr_array_bytes((size_t)out->hinge_batch_count, sizeof *out->hinge_rigidity));
    out->hinge_start = dr_new(memory, int32_t, out->block_count + 1);
    bool hinges =
        out->hinge_batch_count == 0 || (out->hinges && out->hinge_area && out->hinge_rigidity);
    return hinges && out->hinge_start;
}

// Everything that needs the temporary lists.
static bool build(dr_xpbd* xpbd, dr_memory* memory, const drape_fabric* fabric, const dr_mesh* mesh,
                  const dr_order* order, const dr_blocks* blocks, constraint_list* hinges)
{
    struct dr_xpbd_mesh* out = xpbd->mesh;
    int slot_count = mesh->vertex_count + EMPTY_SLOTS * blocks->block_count;
    if (!dr_stretch_create(out, memory, mesh, order, blocks, mesh->vertex_count, EMPTY_SLOTS) ||
        !collect_hinges(hinges, memory, mesh, order->slot_of_vertex) ||
        !list_pack(hinges, memory, blocks, slot_count)) {
        return false;
    }
    out->block_count = blocks->block_count;
    out->hinge_batch_count = hinges->batch.batch_count;
    if (!allocate_batches(out, memory) ||
        !dr_sheet_create(&xpbd->sheet, memory, DR_LAYOUT_RECORDS, mesh->vertex_count,
                         (slot_count + 7) / 8)) {
        return false;
    }
    memcpy(out->hinge_start, hinges->batch.block_start,
           sizeof(int32_t) * (size_t)(out->block_count + 1));
    out->pos = xpbd->sheet.pos;
    out->start = xpbd->sheet.start;
    out->damping = fabric->bend_damping;
    xpbd->rigidity = 0.5f * (fabric->bend_warp + fabric->bend_weft);
    out->stiffness[0] = fabric->stretch_warp;
    out->stiffness[1] = fabric->stretch_weft;
    out->stiffness[2] = fabric->shear;
    dr_hinge_rigidity rigidity;
    if (!dr_hinge_calibrate(mesh, memory, fabric->bend_warp, fabric->bend_weft, &rigidity)) {
        return false;
    }
    fill_hinges(out, hinges, mesh, &rigidity, mesh->vertex_count);
    if (!dr_bend_create(out, memory, blocks->slot_start, xpbd->sheet.vector_count)) {
        return false;
    }
    out->bend_sweeps = 1;
    out->bend.ahead = 1.0f;
    xpbd->constraint_count = dr_stretch_count(out) + hinges->count;
    place_vertices(xpbd, mesh, order, fabric->density);
    return true;
}

// Vertices of a block: eight blocks or more, and of a small mesh four, for in small blocks stars
// are taken apart.
static int block_size(int vertex_count)
{
    int quarter = vertex_count / 4, eighth = vertex_count / 8;
    int size = eighth > 640 ? eighth : quarter < 640 ? quarter : 640;
    return size < 256 ? 256 : size > 2048 ? 2048 : size;
}

bool dr_xpbd_create_mesh(dr_xpbd* xpbd, dr_memory* memory, const drape_fabric* fabric,
                         const dr_mesh* mesh)
{
    *xpbd = (dr_xpbd){0};
    dr_order order = {0};
    dr_blocks blocks = {0};
    constraint_list hinges = {.arity = 4};
    xpbd->mesh = dr_new_zeroed(memory, struct dr_xpbd_mesh, 1);
    int target = block_size(mesh->vertex_count);
    bool done = xpbd->mesh && dr_order_breadth_first(&order, memory, mesh) &&
                dr_blocks_cut(&blocks, memory, &order, 2, target) &&
                build(xpbd, memory, fabric, mesh, &order, &blocks, &hinges);
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
    dr_stretch_free(mesh, memory);
    dr_delete(memory, mesh->hinges, mesh->hinge_batch_count);
    dr_release(memory, mesh->hinge_area,
               sizeof *mesh->hinge_area * (size_t)mesh->hinge_batch_count);
    dr_release(memory, mesh->hinge_rigidity,
               sizeof *mesh->hinge_rigidity * (size_t)mesh->hinge_batch_count);
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
            batch->compliance[lane] = (area > 0.0f ? area : all) /
                                      (mesh->hinge_rigidity[i][lane] * dr_xpbd_times_stiffer(xpbd));
        }
    }
}

void dr_xpbd_mesh_prepare(dr_xpbd* xpbd, float h)
{
    dr_stretch_prepare(xpbd, h);
    update_clamps(xpbd);
    dr_bend_prepare(xpbd, h);
}

// --- Energy, for tests ---

double dr_xpbd_mesh_energy(const struct dr_xpbd_mesh* mesh, const float* pos)
{
    double energy = dr_stretch_energy(mesh, pos);
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
