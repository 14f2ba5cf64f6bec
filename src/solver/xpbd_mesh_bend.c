// Bending of a general mesh: the matrix, and how often to sweep over it.
#include <math.h>
#include <string.h>

#include "core/math.h"
#include "solver/xpbd.h"
#include "solver/xpbd_mesh.h"

// Largest share of a bend that the sweeps may leave or add; smooth bends are met exactly.
static const double tolerance = 0.14;
// Hinges are softened where the largest eigenvalue would be above this: what DR_BEND_SWEEPS can do.
static const double limit = 80.0;

static int hinge_lanes(const struct dr_xpbd_mesh* mesh)
{
    return mesh->hinge_batch_count * 8;
}

static bool lane_is_used(const struct dr_xpbd_mesh* mesh, int lane)
{
    return mesh->hinge_rigidity[lane / 8][lane % 8] > 0.0f;
}

static int32_t hinge_slot(const struct dr_xpbd_mesh* mesh, int lane, int corner)
{
    return mesh->hinges[lane / 8].slot[corner][lane % 8];
}

static double hinge_weight(const struct dr_xpbd_mesh* mesh, int lane, int corner)
{
    const dr_hinge_batch* batch = &mesh->hinges[lane / 8];
    double k[3] = {(double)batch->k[0][lane % 8], (double)batch->k[1][lane % 8],
                   (double)batch->k[2][lane % 8]};
    return corner ? k[corner - 1] : -(k[0] + k[1] + k[2]);
}

// Vertices of a hinge bend with each other unless one weighs next to nothing, as opposite to a
// right angle.
static bool is_coupled(double a, double b)
{
    return fabs(a * b) > 1e-6 * (a * a + b * b);
}

// --- Which vertices bend with which ---

// Lists the hinges round each slot.
static void list_hinges(struct dr_xpbd_mesh* mesh)
{
    dr_bend* bend = &mesh->bend;
    int32_t* start = bend->hinge_start;
    for (int pass = 0; pass < 2; ++pass) {
        for (int lane = 0; lane < hinge_lanes(mesh); ++lane) {
            for (int k = 0; k < 4 && lane_is_used(mesh, lane); ++k) {
                int32_t slot = hinge_slot(mesh, lane, k);
                if (pass == 0) {
                    ++start[slot + 2];
                } else {
                    bend->hinge_list[start[slot + 1]++] = lane;
                }
            }
        }
        for (int s = 0; s < bend->vector_count * 8 && pass == 0; ++s) {
            start[s + 2] += start[s + 1];
        }
    }
}

static double weight_of_slot(const struct dr_xpbd_mesh* mesh, int lane, int32_t slot)
{
    int corner = 0;
    while (hinge_slot(mesh, lane, corner) != slot) {
        ++corner;
    }
    return hinge_weight(mesh, lane, corner);
}

// Meets each neighbour of a slot once; writes them as one lane of `couplings` unless that is null.
static int list_neighbours(struct dr_xpbd_mesh* mesh, int32_t slot, dr_coupling* couplings)
{
    dr_bend* bend = &mesh->bend;
    int count = 0;
    for (int32_t i = bend->hinge_start[slot]; i < bend->hinge_start[slot + 1]; ++i) {
        int lane = bend->hinge_list[i];
        double own = weight_of_slot(mesh, lane, slot);
        for (int k = 0; k < 4; ++k) {
            int32_t other = hinge_slot(mesh, lane, k);
            bool is_new = other != slot && bend->met[other] != slot + 1;
            if (is_new && is_coupled(own, hinge_weight(mesh, lane, k))) {
                bend->met[other] = slot + 1;
                if (couplings) {
                    couplings[count].slot[slot % 8] = other;
                }
                ++count;
            }
        }
    }
    return count;
}

static void count_couplings(struct dr_xpbd_mesh* mesh)
{
    dr_bend* bend = &mesh->bend;
    for (int v = 0; v < bend->vector_count; ++v) {
        int most = 0;
        for (int slot = 8 * v; slot < 8 * v + 8; ++slot) {
            int count = list_neighbours(mesh, slot, NULL);
            most = count > most ? count : most;
        }
        bend->coupling_start[v + 1] = bend->coupling_start[v] + most;
    }
    memset(bend->met, 0, sizeof(int32_t) * (size_t)bend->vector_count * 8);
}

// Lanes with fewer neighbours than others are coupled to themselves by nothing.
static void fill_couplings(struct dr_xpbd_mesh* mesh)
{
    dr_bend* bend = &mesh->bend;
    for (int v = 0; v < bend->vector_count; ++v) {
        dr_coupling* first = &bend->couplings[bend->coupling_start[v]];
        int most = bend->coupling_start[v + 1] - bend->coupling_start[v];
        for (int slot = 8 * v; slot < 8 * v + 8; ++slot) {
            for (int i = list_neighbours(mesh, slot, first); i < most; ++i) {
                first[i].slot[slot % 8] = slot;
            }
        }
    }
}

// --- Memory ---

static bool allocate(struct dr_xpbd_mesh* mesh, dr_memory* memory)
{
    dr_bend* bend = &mesh->bend;
    size_t slots = (size_t)bend->vector_count * 8;
    bend->coupling_start = dr_new_zeroed(memory, int32_t, bend->vector_count + 1);
    bend->hinge_start = dr_new_zeroed(memory, int32_t, slots + 2);
    bend->hinge_list = dr_new(memory, int32_t, (size_t)hinge_lanes(mesh) * 4 + 1);
    bend->met = dr_new_zeroed(memory, int32_t, slots);
    bend->sum = dr_new_zeroed(memory, double, slots);
    bend->trial = dr_new_zeroed(memory, double, slots);
    bend->call = dr_new_zeroed(memory, int32_t, mesh->block_count + 1);
    bend->vector_start = dr_new_zeroed(memory, int32_t, mesh->block_count + 1);
    bend->aim = dr_new_zeroed(memory, float, slots * 4);
    bend->guess[0] = dr_new_zeroed(memory, float, slots * 4);
    bend->guess[1] = dr_new_zeroed(memory, float, slots * 4);
    bend->fold = mesh->is_flat ? NULL : dr_new_zeroed(memory, float, slots * 4);
    return bend->coupling_start && bend->hinge_start && bend->hinge_list && bend->met &&
           bend->sum && bend->trial && bend->call && bend->vector_start && bend->aim &&
           bend->guess[0] && bend->guess[1] && (mesh->is_flat || bend->fold);
}

bool dr_bend_create(struct dr_xpbd_mesh* mesh, dr_memory* memory, const int32_t* slot_start,
                    int vector_count)
{
    dr_bend* bend = &mesh->bend;
    bend->vector_count = vector_count;
    if (!allocate(mesh, memory)) {
        return false;
    }
    for (int b = 0; b < mesh->block_count; ++b) {
        bend->vector_start[b] = (slot_start[b] + 7) / 8;
    }
    bend->vector_start[mesh->block_count] = vector_count;
    list_hinges(mesh);
    count_couplings(mesh);
    bend->coupling_count = bend->coupling_start[vector_count];
    bend->couplings = dr_new_zeroed(memory, dr_coupling, bend->coupling_count);
    if (bend->coupling_count > 0 && !bend->couplings) {
        return false;
    }
    fill_couplings(mesh);
    return true;
}

void dr_bend_free(struct dr_xpbd_mesh* mesh, dr_memory* memory)
{
    dr_bend* bend = &mesh->bend;
    size_t slots = (size_t)bend->vector_count * 8;
    dr_delete(memory, bend->couplings, bend->coupling_count);
    dr_delete(memory, bend->coupling_start, bend->vector_count + 1);
    dr_delete(memory, bend->hinge_start, slots + 2);
    dr_delete(memory, bend->hinge_list, (size_t)hinge_lanes(mesh) * 4 + 1);
    dr_delete(memory, bend->met, slots);
    dr_delete(memory, bend->sum, slots);
    dr_delete(memory, bend->trial, slots);
    dr_delete(memory, bend->call, mesh->block_count + 1);
    dr_delete(memory, bend->vector_start, mesh->block_count + 1);
    dr_delete(memory, bend->aim, slots * 4);
    dr_delete(memory, bend->guess[0], slots * 4);
    dr_delete(memory, bend->guess[1], slots * 4);
    dr_delete(memory, bend->fold, slots * 4);
}

// --- Sweeps ---

// With z the eigenvalue of a bend, 1 for the smoothest and at most b, n sweeps leave the share
//
//     T((b + a - 2 z) / (b - a)) / T((b + a) / (b - a))
//
// of it, T the Chebyshev polynomial of degree n. a is chosen so that there is a root at z = 1: what
// is smooth has the fabric's stiffness, however few sweeps there are. Returns the largest share, 1
// when n sweeps cannot do it.
static double plan(int n, double b, double* a)
{
    double cosine = n > 1 ? dr_cos_degrees(90.0 / n) : 0.0;
    *a = (2.0 - b * (1.0 - cosine)) / (1.0 + cosine);
    if (*a <= 0.0) {
        return 1.0;
    }
    double x = (b + *a) / (b - *a), before = 1.0, now = x;
    for (int i = 1; i < n; ++i) {
        double next = 2.0 * x * now - before;
        before = now;
        now = next;
    }
    return 1.0 / now;
}

static void choose_sweeps(dr_bend* bend, double largest)
{
    double a = 1.0, b = 1.0 + (largest > 1e-6 ? largest : 1e-6), omega = 2.0;
    int n = 1;
    while (plan(n, b, &a) > tolerance && n < DR_BEND_SWEEPS) {
        ++n;
    }
    double middle = 0.5 * (b + a), half = 0.5 * (b - a), ratio = half / middle;
    bend->sweeps = n;
    bend->step = (float)(1.0 / middle);
    bend->omega[0] = bend->omega[1] = 1.0f;
    for (int i = 2; i <= DR_BEND_SWEEPS; ++i) {
        omega = 1.0 / (1.0 - 0.25 * ratio * ratio * omega);
        bend->omega[i] = (float)omega;
    }
}

// --- Stiffness ---

// The diagonal of the matrix, in `sum`.
static void sum_diagonal(struct dr_xpbd_mesh* mesh)
{
    memset(mesh->bend.sum, 0, sizeof(double) * (size_t)mesh->bend.vector_count * 8);
    for (int lane = 0; lane < hinge_lanes(mesh); ++lane) {
        for (int k = 0; k < 4 && lane_is_used(mesh, lane); ++k) {
            double weight = hinge_weight(mesh, lane, k);
            mesh->bend.sum[hinge_slot(mesh, lane, k)] +=
                weight * weight / (double)mesh->hinges[lane / 8].compliance[lane % 8];
        }
    }
}

// Deal the mass of a vertex out to its hinges by their shares of the diagonal: then no eigenvalue
// is above the largest sum, over the vertices of a hinge, of diagonal / mass. A hinge whose sum is
// above the limit is softened to it, and the argument holds as before.
static void limit_hinges(dr_xpbd* xpbd)
{
    struct dr_xpbd_mesh* mesh = xpbd->mesh;
    for (int lane = 0; lane < hinge_lanes(mesh); ++lane) {
        dr_hinge_batch* batch = &mesh->hinges[lane / 8];
        double bound = 0.0;
        for (int k = 0; k < 4 && lane_is_used(mesh, lane); ++k) {
            int32_t slot = hinge_slot(mesh, lane, k);
            bound += (double)dr_sheet_inverse_mass(&xpbd->sheet, slot) * mesh->bend.sum[slot];
        }
        bound *= (double)mesh->bend.weight;
        double share = bound > limit ? limit / bound : 1.0;
        batch->stiffness[lane % 8] =
            lane_is_used(mesh, lane) ? (float)(share / (double)batch->compliance[lane % 8]) : 0.0f;
    }
}

// Entries of one row, by slot, in `sum`.
static void sum_row(struct dr_xpbd_mesh* mesh, int32_t slot)
{
    dr_bend* bend = &mesh->bend;
    for (int32_t i = bend->hinge_start[slot]; i < bend->hinge_start[slot + 1]; ++i) {
        int lane = bend->hinge_list[i];
        double own = weight_of_slot(mesh, lane, slot);
        double stiffness = (double)mesh->hinges[lane / 8].stiffness[lane % 8];
        for (int k = 0; k < 4; ++k) {
            double weight = hinge_weight(mesh, lane, k);
            if (is_coupled(own, weight)) {
                bend->sum[hinge_slot(mesh, lane, k)] += stiffness * own * weight;
            }
        }
    }
}

static void sum_rows(struct dr_xpbd_mesh* mesh)
{
    dr_bend* bend = &mesh->bend;
    memset(bend->sum, 0, sizeof(double) * (size_t)bend->vector_count * 8);
    for (int slot = 0; slot < bend->vector_count * 8; ++slot) {
        sum_row(mesh, slot);
        bend->sum[slot] = 0.0;
        int32_t end = bend->coupling_start[slot / 8 + 1];
        for (int32_t i = bend->coupling_start[slot / 8]; i < end; ++i) {
            int32_t other = bend->couplings[i].slot[slot % 8];
            bend->couplings[i].k[slot % 8] = (float)bend->sum[other];
            bend->sum[other] = 0.0;
        }
    }
}

// Row `slot` of the matrix of absolute values, over the mass, times y.
static double multiply_row(const dr_xpbd* xpbd, int slot, const double* y)
{
    const dr_bend* bend = &xpbd->mesh->bend;
    double sum = 0.0;
    int32_t end = bend->coupling_start[slot / 8 + 1];
    for (int32_t i = bend->coupling_start[slot / 8]; i < end; ++i) {
        double k = (double)bend->couplings[i].k[slot % 8];
        sum += fabs(k) * y[bend->couplings[i].slot[slot % 8]] - k * y[slot];
    }
    return sum * (double)bend->weight * (double)dr_sheet_inverse_mass(&xpbd->sheet, slot);
}

// With |A| the matrix of absolute values over the masses and any y > 0, no eigenvalue is above the
// largest of (|A| y)_i / y_i (Collatz 1942); three times y = |A| y make that tight.
static double bound_eigenvalue(const dr_xpbd* xpbd)
{
    const dr_bend* bend = &xpbd->mesh->bend;
    double largest = 0.0, *y = bend->sum, *next = bend->trial;
    for (int slot = 0; slot < bend->vector_count * 8; ++slot) {
        y[slot] = 1.0;
    }
    for (int round = 0; round < 4; ++round) {
        largest = 0.0;
        for (int slot = 0; slot < bend->vector_count * 8; ++slot) {
            next[slot] = multiply_row(xpbd, slot, y);
            largest = next[slot] > largest * y[slot] ? next[slot] / y[slot] : largest;
        }
        // Held vertices and those far from the worst keep a small part, so that y stays positive.
        for (int slot = 0; slot < bend->vector_count * 8; ++slot) {
            y[slot] = next[slot] + 1e-3 * largest;
        }
    }
    return largest;
}

void dr_bend_prepare(dr_xpbd* xpbd, float h)
{
    struct dr_xpbd_mesh* mesh = xpbd->mesh;
    dr_bend* bend = &mesh->bend;
    bend->lag = mesh->damping / h;
    bend->weight = (1.0f + bend->lag) * h * h * bend->ahead;
    sum_diagonal(mesh);
    limit_hinges(xpbd);
    sum_rows(mesh);
    double largest = bound_eigenvalue(xpbd);
    choose_sweeps(bend, largest < limit ? largest : limit);
    mesh->bend_sweeps = bend->sweeps + (bend->fold ? 2 : 1);
}
