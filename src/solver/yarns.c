#include "solver/yarns.h"

#include <math.h>
#include <string.h>

#include "core/isa.h"
#include "core/vec_math.h"
#include "mesh/lines.h"

DR_KERNEL_TABLE(dr_yarn_kernels)

// Lines on their way into batches.
typedef struct packer {
    dr_lines lines;
    int longest;              // vertices of the longest line
    int32_t* place_of_length; // in `order`, of the next line of so many vertices
    int32_t* order;           // lines, longest first; those that are in no batch yet
    int32_t* batch_of;        // per line
    int32_t* lane_of;
    int32_t* stamp; // per vertex: family of the last line through it, from 1
} packer;

static int length_of(const dr_lines* lines, int i)
{
    return lines->start[i + 1] - lines->start[i];
}

static bool packer_create(packer* p, dr_memory* memory, const dr_mesh* mesh)
{
    *p = (packer){0};
    if (!dr_lines_find(&p->lines, memory, mesh)) {
        return false;
    }
    for (int i = 0; i < p->lines.count; ++i) {
        p->longest = length_of(&p->lines, i) > p->longest ? length_of(&p->lines, i) : p->longest;
    }
    p->place_of_length = dr_new_zeroed(memory, int32_t, p->longest + 1);
    p->order = dr_new(memory, int32_t, p->lines.count + 1);
    p->batch_of = dr_new(memory, int32_t, p->lines.count + 1);
    p->lane_of = dr_new(memory, int32_t, p->lines.count + 1);
    p->stamp = dr_new_zeroed(memory, int32_t, mesh->vertex_count + 1);
    return p->place_of_length && p->order && p->batch_of && p->lane_of && p->stamp;
}

static void packer_free(packer* p, dr_memory* memory, const dr_mesh* mesh)
{
    dr_delete(memory, p->place_of_length, p->longest + 1);
    dr_delete(memory, p->order, p->lines.count + 1);
    dr_delete(memory, p->batch_of, p->lines.count + 1);
    dr_delete(memory, p->lane_of, p->lines.count + 1);
    dr_delete(memory, p->stamp, mesh->vertex_count + 1);
    dr_lines_free(&p->lines, memory);
}

// The longest first, by counting, so that lines of one length keep their order.
static void sort_by_length(packer* p)
{
    int32_t* place = p->place_of_length;
    for (int i = 0; i < p->lines.count; ++i) {
        ++place[length_of(&p->lines, i)];
    }
    for (int length = p->longest, next = 0; length >= 0; --length) {
        int count = place[length];
        place[length] = next;
        next += count;
    }
    for (int i = 0; i < p->lines.count; ++i) {
        p->order[place[length_of(&p->lines, i)]++] = i;
    }
}

static bool meets(const packer* p, int line, int family)
{
    bool is_met = false;
    for (int i = p->lines.start[line]; i < p->lines.start[line + 1]; ++i) {
        is_met |= p->stamp[p->lines.vertices[i]] == family;
    }
    return is_met;
}

static void join_family(packer* p, int line, int family)
{
    for (int i = p->lines.start[line]; i < p->lines.start[line + 1]; ++i) {
        p->stamp[p->lines.vertices[i]] = family;
    }
}

// Lines that meet none of their family, the longest first: all rows, then all columns. A row that
// came after columns would find them torn between it and the others.
static int fill_batches(packer* p)
{
    int batches = 0, left = p->lines.count;
    for (int family = 1; left > 0; ++family) {
        int lanes = 0, later = 0;
        for (int k = 0; k < left; ++k) {
            int line = p->order[k];
            if (meets(p, line, family)) {
                p->order[later++] = line;
                continue;
            }
            p->batch_of[line] = batches + lanes / 8;
            p->lane_of[line] = lanes++ % 8;
            join_family(p, line, family);
        }
        left = later;
        batches += (lanes + 7) / 8;
    }
    return batches;
}

static bool allocate(dr_yarns* yarns, dr_memory* memory, const packer* p)
{
    yarns->batches = dr_new_zeroed(memory, dr_yarn_batch, yarns->batch_count + 1);
    if (!yarns->batches) {
        return false;
    }
    for (int i = 0; i < p->lines.count; ++i) {
        dr_yarn_batch* batch = &yarns->batches[p->batch_of[i]];
        int length = length_of(&p->lines, i);
        batch->length = length > batch->length ? length : batch->length;
    }
    for (int b = 0; b < yarns->batch_count; ++b) {
        yarns->batches[b].first = yarns->place_count;
        yarns->place_count += yarns->batches[b].length;
        yarns->longest =
            yarns->batches[b].length > yarns->longest ? yarns->batches[b].length : yarns->longest;
    }
    yarns->springs = dr_new_zeroed(memory, dr_yarn_springs, yarns->place_count + 1);
    yarns->pressed = dr_new_zeroed(memory, float, 4 * (size_t)yarns->slot_count);
    yarns->scratch = dr_new(memory, float, (size_t)(yarns->longest + 1) * DR_YARN_RECORD);
    return yarns->springs && yarns->pressed && yarns->scratch;
}

// An edge stands for a strip as wide as the triangles beside it; a diagonal for their shear.
static float stiffness_of(const dr_mesh* mesh, int edge, float length, const drape_fabric* fabric)
{
    float area = 0.0f, stretch = sqrtf(fabric->stretch_warp * fabric->stretch_weft);
    for (int side = 0; side < 2; ++side) {
        int triangle = mesh->edges[edge].t[side];
        area += triangle >= 0 ? mesh->rest_area[triangle] : 0.0f;
    }
    float wide = area / (length * length), along = stretch * wide;
    bool is_diagonal = wide > 0.0f && dr_lines_is_diagonal(mesh, edge);
    return is_diagonal ? fminf(fabric->shear / wide, along) : along;
}

static void fill_spring(dr_yarn_springs* springs, int lane, const dr_mesh* mesh,
                        const dr_sheet* sheet, int edge, const drape_fabric* fabric)
{
    const int32_t* v = mesh->edges[edge].v;
    drape_vec3 d = dr_sub(mesh->rest[v[1]], mesh->rest[v[0]]);
    float length = sqrtf(dr_dot(d, d));
    springs->rest[lane] = length;
    springs->per_rest[lane] = 1.0f / length;
    springs->stiffness[lane] = stiffness_of(mesh, edge, length, fabric);
    springs->softest[lane] = 4e-6f * (1.0f / sheet->mass[v[0]] + 1.0f / sheet->mass[v[1]]);
}

static void fill(dr_yarns* yarns, const packer* p, const dr_mesh* mesh, const dr_sheet* sheet,
                 const drape_fabric* fabric)
{
    for (int place = 0; place < yarns->place_count; ++place) {
        for (int lane = 0; lane < 8; ++lane) {
            yarns->springs[place].slot[lane] = sheet->vertex_count; // no one's
        }
    }
    for (int i = 0; i < p->lines.count; ++i) {
        int lane = p->lane_of[i];
        dr_yarn_springs* at = &yarns->springs[yarns->batches[p->batch_of[i]].first];
        for (int k = p->lines.start[i]; k < p->lines.start[i + 1]; ++k, ++at) {
            at->slot[lane] = sheet->slot_of_vertex[p->lines.vertices[k]];
            if (p->lines.edges[k] >= 0) {
                fill_spring(at, lane, mesh, sheet, p->lines.edges[k], fabric);
            }
        }
    }
}

bool dr_yarns_create(dr_yarns* yarns, dr_memory* memory, const dr_mesh* mesh, const dr_sheet* sheet,
                     const drape_fabric* fabric)
{
    *yarns = (dr_yarns){.slot_count = 8 * sheet->vector_count};
    packer p;
    bool done = packer_create(&p, memory, mesh);
    if (done) {
        sort_by_length(&p);
        yarns->batch_count = fill_batches(&p);
        done = allocate(yarns, memory, &p);
    }
    if (done) {
        fill(yarns, &p, mesh, sheet, fabric);
    }
    packer_free(&p, memory, mesh);
    return done;
}

void dr_yarns_free(dr_yarns* yarns, dr_memory* memory)
{
    dr_delete(memory, yarns->batches, yarns->batch_count + 1);
    dr_delete(memory, yarns->springs, yarns->place_count + 1);
    dr_delete(memory, yarns->pressed, 4 * (size_t)yarns->slot_count);
    dr_delete(memory, yarns->scratch, (size_t)(yarns->longest + 1) * DR_YARN_RECORD);
    *yarns = (dr_yarns){0};
}

void dr_yarns_prepare(dr_yarns* yarns, float h)
{
    if (yarns->h == h) {
        return;
    }
    yarns->h = h;
    for (int i = 0; i < yarns->place_count; ++i) {
        dr_yarn_springs* at = &yarns->springs[i];
        for (int lane = 0; lane < 8; ++lane) {
            float k = at->stiffness[lane] * h * h;
            at->compliance[lane] = k > 0.0f ? fmaxf(1.0f / k, at->softest[lane]) : DR_YARN_ABSENT;
        }
    }
}

// --- Pressing ---

void dr_yarns_release_all(dr_yarns* yarns)
{
    if (yarns->is_pressed) {
        memset(yarns->pressed, 0, 4 * sizeof(float) * (size_t)yarns->slot_count);
    }
    yarns->is_pressed = false;
}

void dr_yarns_press(dr_yarns* yarns, int slot, drape_vec3 normal)
{
    float* at = yarns->pressed + 4 * (size_t)slot;
    at[0] = normal.x;
    at[1] = normal.y;
    at[2] = normal.z;
    yarns->is_pressed = true;
}
