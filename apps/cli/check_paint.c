#include "check_paint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "io/file.h"

// In the order in which they win.
typedef enum paint {
    PAINT_REST,
    PAINT_TOUCH,
    PAINT_CROSSING,
} paint;

static const unsigned char colours[][3] = {{160, 160, 160}, {255, 210, 0}, {220, 20, 20}};

static void mark(unsigned char* paints, int32_t triangle, dr_meeting meeting)
{
    paint wanted = meeting == DR_MEETING_CROSSING ? PAINT_CROSSING : PAINT_TOUCH;
    if (paints[triangle] < wanted) {
        paints[triangle] = (unsigned char)wanted;
    }
}

// A paint for each triangle, mesh after mesh; `firsts` has the place of the first of each mesh.
static void mark_pairs(const dr_crossings* found, const int32_t* firsts, unsigned char* paints)
{
    for (int k = 0; k < found->pair_count; ++k) {
        const dr_crossing* pair = &found->pairs[k];
        mark(paints, firsts[pair->mesh_a] + pair->triangle_a, pair->meeting);
        mark(paints, firsts[pair->mesh_b] + pair->triangle_b, pair->meeting);
    }
}

static void write_header(dr_output* out, int32_t triangle_count)
{
    char header[512];
    int length = snprintf(header, sizeof header,
                          "ply\nformat binary_little_endian 1.0\n"
                          "comment red: crossing, yellow: touching\n"
                          "element vertex %lld\n"
                          "property float x\nproperty float y\nproperty float z\n"
                          "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                          "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                          3LL * triangle_count, triangle_count);
    dr_output_write(out, header, (size_t)length);
}

static void write_corners(dr_output* out, const dr_check_mesh* mesh, int triangle,
                          const unsigned char* colour)
{
    for (int k = 0; k < 3; ++k) {
        drape_vec3 p = mesh->positions[mesh->triangles[3 * (size_t)triangle + (size_t)k]];
        unsigned char* at = (unsigned char*)dr_output_reserve(out, 16);
        at = dr_store_float(at, p.x, false);
        at = dr_store_float(at, p.y, false);
        at = dr_store_float(at, p.z, false);
        memcpy(at, colour, 3);
        dr_output_commit(out, (const char*)at + 3);
    }
}

static void write_faces(dr_output* out, int32_t triangle_count)
{
    for (int32_t t = 0; t < triangle_count; ++t) {
        unsigned char* at = (unsigned char*)dr_output_reserve(out, 16);
        *at++ = 3;
        for (uint32_t k = 0; k < 3; ++k) {
            at = dr_store_u32(at, 3 * (uint32_t)t + k, false);
        }
        dr_output_commit(out, (const char*)at);
    }
}

static bool write_all(const char* path, const dr_check_mesh* meshes, int mesh_count,
                      const unsigned char* paints, int32_t triangle_count, drape_error* error)
{
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    write_header(&out, triangle_count);
    for (int m = 0; m < mesh_count; ++m) {
        for (int t = 0; t < meshes[m].triangle_count; ++t) {
            write_corners(&out, &meshes[m], t, colours[*paints++]);
        }
    }
    write_faces(&out, triangle_count);
    return dr_output_close(&out, error);
}

bool cli_check_paint(const char* path, const dr_check_mesh* meshes, int mesh_count,
                     const dr_crossings* found, drape_error* error)
{
    int32_t* firsts = malloc(sizeof *firsts * ((size_t)mesh_count + 1));
    int32_t count = 0;
    for (int m = 0; firsts != NULL && m < mesh_count; ++m) {
        firsts[m] = count;
        count += meshes[m].triangle_count;
    }
    unsigned char* paints = calloc((size_t)count + 1, 1);
    bool is_written = firsts != NULL && paints != NULL;
    if (is_written) {
        mark_pairs(found, firsts, paints);
        is_written = write_all(path, meshes, mesh_count, paints, count, error);
    } else {
        dr_error_set_memory(error, path);
    }
    free(firsts);
    free(paints);
    return is_written;
}
