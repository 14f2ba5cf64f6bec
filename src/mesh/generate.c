// mesh/generate.c: grids and discs.
#include "mesh/generate.h"

#include <limits.h>
#include <math.h>

// Room for a shape; false when the counts do not fit (three half-edges per triangle, as in mesh.c).
static bool shape_allocate(dr_shape_mesh* shape, dr_memory* memory, int64_t vertex_count,
                           int64_t triangle_count)
{
    *shape = (dr_shape_mesh){0};
    if (vertex_count >= INT_MAX || triangle_count > INT_MAX / 3) {
        return false;
    }
    shape->vertex_count = (int)vertex_count;
    shape->triangle_count = (int)triangle_count;
    shape->positions = dr_new(memory, drape_vec3, vertex_count);
    shape->uv = (float(*)[2])dr_new(memory, float, 2 * vertex_count);
    shape->triangles = (int32_t(*)[3])dr_new(memory, int32_t, 3 * triangle_count);
    if (!shape->positions || !shape->uv || (!shape->triangles && triangle_count > 0)) {
        dr_shape_free(shape, memory);
        return false;
    }
    return true;
}

void dr_shape_free(dr_shape_mesh* shape, dr_memory* memory)
{
    dr_delete(memory, shape->positions, shape->vertex_count);
    dr_delete(memory, shape->uv, shape->vertex_count);
    dr_delete(memory, shape->triangles, shape->triangle_count);
    *shape = (dr_shape_mesh){0};
}

static void put_vertex(dr_shape_mesh* shape, int vertex, float x, float z)
{
    shape->positions[vertex] = (drape_vec3){x, 0.0f, z};
    shape->uv[vertex][0] = x;
    shape->uv[vertex][1] = z;
}

static int put_triangle(dr_shape_mesh* shape, int triangle, int a, int b, int c)
{
    shape->triangles[triangle][0] = a;
    shape->triangles[triangle][1] = b;
    shape->triangles[triangle][2] = c;
    return triangle + 1;
}

// Share index/last of the size: in double, so that the last one comes out exactly.
static float spread(float size, int index, int last)
{
    return last > 0 ? (float)((double)size * index / last) : 0.0f;
}

static bool diagonal_is_forward(drape_diagonals diagonals, int column, int row)
{
    if (diagonals == DRAPE_DIAGONALS_ALTERNATE) {
        return (column + row) % 2 == 0;
    }
    return diagonals == DRAPE_DIAGONALS_FORWARD;
}

bool dr_generate_grid(dr_shape_mesh* out, dr_memory* memory, float size_x, float size_z,
                      int columns, int rows, drape_diagonals diagonals)
{
    *out = (dr_shape_mesh){0};
    if (columns < 1 || rows < 1 ||
        !shape_allocate(out, memory, (int64_t)columns * rows,
                        2 * ((int64_t)columns - 1) * ((int64_t)rows - 1))) {
        return false;
    }
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            put_vertex(out, row * columns + column, spread(size_x, column, columns - 1),
                       spread(size_z, row, rows - 1));
        }
    }
    int t = 0;
    for (int row = 0; row + 1 < rows; ++row) {
        for (int column = 0; column + 1 < columns; ++column) {
            int v00 = row * columns + column, v10 = v00 + 1;
            int v01 = v00 + columns, v11 = v01 + 1;
            if (diagonal_is_forward(diagonals, column, row)) {
                t = put_triangle(out, t, v00, v11, v10);
                t = put_triangle(out, t, v00, v01, v11);
            } else {
                t = put_triangle(out, t, v00, v01, v10);
                t = put_triangle(out, t, v10, v01, v11);
            }
        }
    }
    return true;
}

// Direction number `step` of `count` around the circle. Only angles of the first quadrant are
// computed, so that quarter turns are exact.
static void direction(int step, int count, double* x, double* z)
{
    const double quarter_turn = 1.57079632679489661923;
    int64_t quarters = 4 * (int64_t)step;
    int quadrant = (int)(quarters / count);
    double angle = quarter_turn * (double)(quarters % count) / count;
    double c = cos(angle), s = sin(angle);
    *x = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
    *z = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
}

// The radius of a ring when ring `moved` sits at `ring_radius`; moved = 0 moves none.
static double radius_of(int ring, int rings, double radius, int moved, double ring_radius)
{
    if (moved == 0) {
        return radius * ring / rings;
    }
    if (ring <= moved) {
        return ring_radius * ring / moved;
    }
    return ring_radius + (radius - ring_radius) * (ring - moved) / (rings - moved);
}

// Which inner ring is nearest to the wanted radius, 0 when none is wanted or there is none.
static int ring_to_move(float radius, int rings, float ring_radius)
{
    if (!(ring_radius > 0.0f && ring_radius < radius) || rings < 2) {
        return 0;
    }
    int nearest = (int)lround((double)ring_radius / (double)radius * rings);
    return nearest < 1 ? 1 : nearest >= rings ? rings - 1 : nearest;
}

static int first_of_ring(int ring)
{
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1);
}

// The band of triangles between ring - 1 and ring, sextant by sextant.
static int put_band(dr_shape_mesh* out, int t, int ring)
{
    int inner = first_of_ring(ring - 1), outer = first_of_ring(ring);
    int inner_count = ring > 1 ? 6 * (ring - 1) : 1, outer_count = 6 * ring;
    for (int i = 0; i < outer_count; ++i) {
        // Sextant s has ring vertices outside but ring - 1 inside.
        int s = i / ring, along = i % ring;
        int in0 = inner + (s * (ring - 1) + along) % inner_count;
        int in1 = inner + (s * (ring - 1) + along + 1) % inner_count;
        int out0 = outer + i, out1 = outer + (i + 1) % outer_count;
        t = put_triangle(out, t, in0, out1, out0);
        if (along + 1 < ring) {
            t = put_triangle(out, t, in0, in1, out1);
        }
    }
    return t;
}

bool dr_generate_disc(dr_shape_mesh* out, dr_memory* memory, float radius, int rings,
                      float ring_radius)
{
    *out = (dr_shape_mesh){0};
    // The first bound keeps the counts themselves from overflowing.
    if (rings < 1 || rings > INT16_MAX ||
        !shape_allocate(out, memory, 1 + 3 * (int64_t)rings * ((int64_t)rings + 1),
                        6 * (int64_t)rings * rings)) {
        return false;
    }
    int moved = ring_to_move(radius, rings, ring_radius);
    int t = 0;
    put_vertex(out, 0, 0.0f, 0.0f);
    for (int ring = 1; ring <= rings; ++ring) {
        double r = radius_of(ring, rings, (double)radius, moved, (double)ring_radius);
        for (int i = 0; i < 6 * ring; ++i) {
            double x, z;
            direction(i, 6 * ring, &x, &z);
            put_vertex(out, first_of_ring(ring) + i, (float)(r * x), (float)(r * z));
        }
        t = put_band(out, t, ring);
    }
    return true;
}
