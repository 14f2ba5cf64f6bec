// The builder `swept`: eight to a node along the Morton curve of the rest shape.
//
// Triangles that are near on the cloth stay near wherever it is folded, so the tree is built once
// and only refit. (By the Morton order of current positions the search takes twice as long, and the
// sorting comes on top.)
#include <math.h>

#include "collide/tree.h"

typedef struct keyed {
    uint64_t key;
    int32_t triangle;
} keyed;

enum { axis_bits = 21, digit_bits = 8, digit_count = 1 << digit_bits };

// Puts two empty places after each of 21 bits.
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffffull;
    x = (x | x << 16) & 0x001f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

// The cube around the rest shape. Its cells are squares of two triangles of mean area, halved as
// often as bits allow, and begin at the lower corner: on a grid of cloth they are its own cells,
// and eight triangles in a row are two by two of them.
typedef struct cube {
    double lo[3], scale;
} cube;

static void center_of(const dr_surface* surface, int triangle, double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < 3; ++k) {
        drape_vec3 p = surface->rest[surface->triangles[triangle][k]];
        out[0] += p.x / 3.0;
        out[1] += p.y / 3.0;
        out[2] += p.z / 3.0;
    }
}

static double area_of(const dr_surface* surface, int triangle)
{
    const int32_t* t = surface->triangles[triangle];
    drape_vec3 a = surface->rest[t[0]], b = surface->rest[t[1]], c = surface->rest[t[2]];
    double u[3] = {(double)b.x - a.x, (double)b.y - a.y, (double)b.z - a.z};
    double v[3] = {(double)c.x - a.x, (double)c.y - a.y, (double)c.z - a.z};
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static cube cube_of(const dr_surface* surface)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double size = 0.0, area = 0.0;
    for (int t = 0; t < surface->triangle_count; ++t) {
        area += area_of(surface, t);
        for (int k = 0; k < 3; ++k) {
            drape_vec3 p = surface->rest[surface->triangles[t][k]];
            const double at[3] = {p.x, p.y, p.z};
            for (int c = 0; c < 3; ++c) {
                lo[c] = fmin(lo[c], at[c]);
                hi[c] = fmax(hi[c], at[c]);
            }
        }
    }
    for (int c = 0; c < 3; ++c) {
        size = fmax(size, hi[c] - lo[c]);
    }
    double cell = sqrt(2.0 * area / surface->triangle_count);
    double most = (double)(1 << axis_bits) - 1.0, scale = size > 0.0 ? most / size : 0.0;
    if (cell * scale >= 1.0) {
        double fine = 1.0;
        while (2.0 * fine <= cell * scale) {
            fine *= 2.0;
        }
        scale = fine / cell;
    }
    return (cube){{lo[0], lo[1], lo[2]}, scale};
}

static uint64_t key_of(const dr_surface* surface, const cube* frame, int triangle)
{
    double center[3];
    center_of(surface, triangle, center);
    uint64_t key = 0;
    for (int c = 0; c < 3; ++c) {
        key |= spread((uint64_t)((center[c] - frame->lo[c]) * frame->scale)) << c;
    }
    return key;
}

// By key, then by triangle: a stable sort by digits, the least first. Returns where the result is.
static keyed* sort(keyed* from, keyed* to, int count)
{
    for (int shift = 0; shift < 3 * axis_bits; shift += digit_bits) {
        int start[digit_count + 1] = {0};
        for (int i = 0; i < count; ++i) {
            ++start[(from[i].key >> shift & (digit_count - 1)) + 1];
        }
        // A digit that all share needs no pass.
        if (start[(from[0].key >> shift & (digit_count - 1)) + 1] == count) {
            continue;
        }
        for (int d = 0; d < digit_count; ++d) {
            start[d + 1] += start[d];
        }
        for (int i = 0; i < count; ++i) {
            to[start[from[i].key >> shift & (digit_count - 1)]++] = from[i];
        }
        keyed* swap = from;
        from = to;
        to = swap;
    }
    return from;
}

// Groups of eight neighbours, then groups of eight groups, until one is left. `list` shrinks.
static bool group(dr_tree_plan* plan, dr_memory* memory, int32_t* list, int count)
{
    do {
        int made = 0;
        for (int i = 0; i < count; i += DR_TREE_ARITY) {
            int size = count - i < DR_TREE_ARITY ? count - i : DR_TREE_ARITY;
            int node = dr_plan_add(plan, memory, list + i, size);
            if (node < 0) {
                return false;
            }
            list[made++] = node;
        }
        count = made;
    } while (count > 1);
    return true;
}

bool dr_plan_swept(dr_tree_plan* plan, dr_memory* memory, const dr_surface* surface)
{
    int count = surface->triangle_count;
    if (count == 0) {
        return true;
    }
    keyed *first = dr_new(memory, keyed, count), *second = dr_new(memory, keyed, count);
    int32_t* list = dr_new(memory, int32_t, count);
    bool is_done = first && second && list;
    if (is_done) {
        cube frame = cube_of(surface);
        for (int t = 0; t < count; ++t) {
            first[t] = (keyed){key_of(surface, &frame, t), t};
        }
        const keyed* sorted = sort(first, second, count);
        for (int i = 0; i < count; ++i) {
            list[i] = ~sorted[i].triangle;
        }
        is_done = group(plan, memory, list, count);
    }
    dr_delete(memory, first, count);
    dr_delete(memory, second, count);
    dr_delete(memory, list, count);
    return is_done;
}
