#include "io/ply.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "io/bytes.h"
#include "io/mesh_file.h"

typedef struct ply_reader {
    dr_text text;      // where the body is read; its line counts in ascii files only
    const char* start; // of the file
    drape_error* error;
    dr_ply_header header;
    dr_mesh_builder builder;
    float* uv;
    bool has_uv;
} ply_reader;

// --- Sentences ---

// At the line of an ascii file or the byte of a binary one; always false.
__attribute__((format(printf, 2, 3))) static bool fail(ply_reader* reader, const char* format, ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (reader->header.is_ascii) {
        return dr_text_fail(&reader->text, reader->error, "%s", sentence);
    }
    dr_error_set(reader->error, DRAPE_ERROR_INPUT, "%s: byte %zu: %s", reader->text.name,
                 (size_t)(reader->text.at - reader->start), sentence);
    return false;
}

static bool fail_memory(ply_reader* reader)
{
    dr_error_set_memory(reader->error, reader->text.name);
    return false;
}

static size_t bytes_left(const ply_reader* reader)
{
    return (size_t)(reader->text.end - reader->text.at);
}

// --- Scalars ---

// The next scalar of a binary file, or null at its end.
static const unsigned char* next_bytes(ply_reader* reader, dr_ply_type type, const char* what)
{
    size_t size = dr_ply_type_size(type);
    if (bytes_left(reader) < size) {
        fail(reader, "expected %s, found the end of the file", what);
        return NULL;
    }
    const unsigned char* bytes = (const unsigned char*)reader->text.at;
    reader->text.at += size;
    return bytes;
}

static double load_scalar(const unsigned char* at, dr_ply_type type, bool is_big_endian)
{
    switch (type) {
    case DR_PLY_CHAR: return (signed char)at[0];
    case DR_PLY_UCHAR: return at[0];
    case DR_PLY_SHORT: return (int16_t)dr_load_u16(at, is_big_endian);
    case DR_PLY_USHORT: return dr_load_u16(at, is_big_endian);
    case DR_PLY_INT: return dr_load_i32(at, is_big_endian);
    case DR_PLY_UINT: return dr_load_u32(at, is_big_endian);
    case DR_PLY_FLOAT: return (double)dr_load_float(at, is_big_endian);
    case DR_PLY_DOUBLE: break;
    }
    return dr_load_double(at, is_big_endian);
}

static bool read_float(ply_reader* reader, dr_ply_type type, const char* what, float* value)
{
    if (reader->header.is_ascii) {
        return dr_text_float(&reader->text, what, value, reader->error);
    }
    const unsigned char* bytes = next_bytes(reader, type, what);
    if (bytes == NULL) {
        return false;
    }
    // Doubles beyond the range of floats are refused with those that are not finite.
    double scalar = load_scalar(bytes, type, reader->header.is_big_endian);
    if (!(fabs(scalar) <= (double)FLT_MAX)) {
        reader->text.at = (const char*)bytes;
        return fail(reader, "expected %s to be finite", what);
    }
    *value = (float)scalar;
    return true;
}

static bool read_integer(ply_reader* reader, dr_ply_type type, const char* what, int64_t* value)
{
    if (reader->header.is_ascii && type < DR_PLY_FLOAT) {
        return dr_text_integer(&reader->text, what, value, reader->error);
    }
    double scalar;
    const char* start = reader->text.at;
    if (reader->header.is_ascii) {
        float number;
        if (!dr_text_float(&reader->text, what, &number, reader->error)) {
            return false;
        }
        scalar = (double)number;
    } else {
        const unsigned char* bytes = next_bytes(reader, type, what);
        if (bytes == NULL) {
            return false;
        }
        scalar = load_scalar(bytes, type, reader->header.is_big_endian);
    }
    // Indices written as floats are odd but clear, as long as they are whole.
    if (!(fabs(scalar) <= 0x1p40) || scalar != floor(scalar)) {
        reader->text.at = start;
        return fail(reader, "expected %s, found no whole number", what);
    }
    *value = (int64_t)scalar;
    return true;
}

static bool skip_scalars(ply_reader* reader, dr_ply_type type, int64_t count)
{
    if (!reader->header.is_ascii) {
        reader->text.at += (size_t)count * dr_ply_type_size(type);
        return true;
    }
    for (int64_t k = 0; k < count; ++k) {
        const char* word;
        if (dr_text_word(&reader->text, &word) == 0) {
            return dr_text_expected(&reader->text, "a number", reader->error);
        }
    }
    return true;
}

// The count of a list, which the rest of the file must be able to hold.
static bool read_list_count(ply_reader* reader, const dr_ply_property* property, int64_t* count)
{
    const char* start = reader->text.at;
    if (!read_integer(reader, property->count_type, "the count of a list", count)) {
        return false;
    }
    size_t least_size = reader->header.is_ascii ? 2 : dr_ply_type_size(property->type);
    if (*count < 0 || (uint64_t)*count > bytes_left(reader) / least_size) {
        reader->text.at = start;
        return fail(reader, "expected a list that fits the file, found a count of %lld",
                    (long long)*count);
    }
    return true;
}

static bool skip_property(ply_reader* reader, const dr_ply_property* property)
{
    int64_t count = 1;
    if (property->is_list) {
        return read_list_count(reader, property, &count) &&
               skip_scalars(reader, property->type, count);
    }
    if (!reader->header.is_ascii && bytes_left(reader) < dr_ply_type_size(property->type)) {
        return fail(reader, "expected a property, found the end of the file");
    }
    return skip_scalars(reader, property->type, count);
}

// --- Rows ---

// A row of an ascii file is a line; empty ones do not count.
static bool begin_row(ply_reader* reader)
{
    dr_text* text = &reader->text;
    if (!reader->header.is_ascii) {
        return true;
    }
    dr_text_skip_blanks(text);
    while (text->at < text->end && dr_text_is_break(*text->at)) {
        dr_text_next_line(text);
        dr_text_skip_blanks(text);
    }
    return text->at < text->end || dr_text_expected(text, "another line of numbers", reader->error);
}

static bool end_row(ply_reader* reader)
{
    dr_text* text = &reader->text;
    if (!reader->header.is_ascii) {
        return true;
    }
    dr_text_skip_blanks(text);
    return dr_text_at_line_end(text) ||
           dr_text_expected(text, "the end of the line", reader->error);
}

static bool read_vertex(ply_reader* reader, const dr_ply_element* element, size_t index)
{
    static const char* const names[] = {"the number x of a vertex", "the number y of a vertex",
                                        "the number z of a vertex", "the number u of a vertex",
                                        "the number v of a vertex"};
    const dr_ply_property* property = reader->header.properties.data;
    property += element->first_property;
    float numbers[5] = {0};
    for (size_t k = 0; k < element->property_count; ++k, ++property) {
        bool is_fine = property->role <= DR_PLY_V
                           ? read_float(reader, property->type, names[property->role],
                                        &numbers[property->role])
                           : skip_property(reader, property);
        if (!is_fine) {
            return false;
        }
    }
    drape_vec3* positions = reader->builder.positions.data;
    positions[index] = (drape_vec3){numbers[DR_PLY_X], numbers[DR_PLY_Y], numbers[DR_PLY_Z]};
    if (reader->has_uv) {
        reader->uv[2 * index] = numbers[DR_PLY_U];
        reader->uv[2 * index + 1] = numbers[DR_PLY_V];
    }
    return true;
}

static bool read_corners(ply_reader* reader, const dr_ply_property* property)
{
    int64_t count;
    if (!read_list_count(reader, property, &count)) {
        return false;
    }
    if (count < 3) {
        return fail(reader, "expected a face of at least 3 corners, found %lld", (long long)count);
    }
    reader->builder.loop.count = 0;
    int32_t* corners = dr_list_push(&reader->builder.loop, (size_t)count, sizeof *corners);
    if (corners == NULL) {
        return fail_memory(reader);
    }
    for (int64_t k = 0; k < count; ++k) {
        int64_t vertex;
        const char* start = reader->text.at;
        if (!read_integer(reader, property->type, "the index of a vertex", &vertex)) {
            return false;
        }
        if (vertex < 0 || vertex >= reader->header.vertex_count) {
            reader->text.at = start;
            return fail(reader, "expected the index of one of %lld vertices, found %lld",
                        (long long)reader->header.vertex_count, (long long)vertex);
        }
        corners[k] = (int32_t)vertex;
    }
    dr_mesh_problem problem = dr_mesh_add_polygon(&reader->builder);
    if (problem == DR_MESH_NO_MEMORY) {
        return fail_memory(reader);
    }
    return problem == DR_MESH_FINE || fail(reader, "%s", dr_mesh_problem_words(problem));
}

static bool read_face(ply_reader* reader, const dr_ply_element* element)
{
    const dr_ply_property* property = reader->header.properties.data;
    property += element->first_property;
    for (size_t k = 0; k < element->property_count; ++k, ++property) {
        bool is_fine = property->role == DR_PLY_CORNERS ? read_corners(reader, property)
                                                        : skip_property(reader, property);
        if (!is_fine) {
            return false;
        }
    }
    return true;
}

static bool skip_row(ply_reader* reader, const dr_ply_element* element)
{
    const dr_ply_property* property = reader->header.properties.data;
    property += element->first_property;
    for (size_t k = 0; k < element->property_count; ++k, ++property) {
        if (!skip_property(reader, property)) {
            return false;
        }
    }
    return true;
}

// --- Elements ---

// The least that a row takes: in ascii a digit and a blank for each number.
static size_t least_row_size(const ply_reader* reader, const dr_ply_element* element)
{
    const dr_ply_property* property = reader->header.properties.data;
    property += element->first_property;
    size_t size = 0;
    for (size_t k = 0; k < element->property_count; ++k, ++property) {
        size += reader->header.is_ascii
                    ? 2
                    : dr_ply_type_size(property->is_list ? property->count_type : property->type);
    }
    return size;
}

static bool allocate_vertices(ply_reader* reader, const dr_ply_element* element)
{
    const unsigned both = 1u << DR_PLY_U | 1u << DR_PLY_V;
    size_t count = (size_t)element->count;
    reader->has_uv = (element->roles & both) == both;
    reader->uv = reader->has_uv ? malloc(2 * count * sizeof *reader->uv) : NULL;
    if (dr_list_push(&reader->builder.positions, count, sizeof(drape_vec3)) == NULL ||
        (reader->has_uv && reader->uv == NULL)) {
        return fail_memory(reader);
    }
    return true;
}

static bool read_element(ply_reader* reader, const dr_ply_element* element)
{
    // Elements without properties take no room, whatever their count says.
    size_t row_size = least_row_size(reader, element);
    if (row_size == 0) {
        return true;
    }
    // The last line of an ascii file may lack its break.
    if ((uint64_t)element->count > (bytes_left(reader) + 1) / row_size) {
        const char* rows = element->kind == DR_PLY_VERTEX ? "vertices"
                           : element->kind == DR_PLY_FACE ? "faces"
                                                          : "rows of an element";
        return fail(reader, "expected %lld %s, more than fit the file", (long long)element->count,
                    rows);
    }
    if (element->kind == DR_PLY_VERTEX && !allocate_vertices(reader, element)) {
        return false;
    }
    for (int64_t row = 0; row < element->count; ++row) {
        bool is_fine = begin_row(reader) &&
                       (element->kind == DR_PLY_VERTEX ? read_vertex(reader, element, (size_t)row)
                        : element->kind == DR_PLY_FACE ? read_face(reader, element)
                                                       : skip_row(reader, element)) &&
                       end_row(reader);
        if (!is_fine) {
            return false;
        }
    }
    return true;
}

static bool read_mesh(ply_reader* reader, drape_mesh_data* mesh)
{
    if (!dr_ply_header_parse(&reader->header, &reader->text, reader->error)) {
        return false;
    }
    const dr_ply_element* elements = reader->header.elements.data;
    for (size_t k = 0; k < reader->header.elements.count; ++k) {
        if (!read_element(reader, &elements[k])) {
            return false;
        }
    }
    dr_mesh_builder_take(&reader->builder, mesh);
    mesh->uv = reader->uv;
    reader->uv = NULL;
    return true;
}

bool dr_ply_recognise(const char* data, size_t size)
{
    return size >= 4 && memcmp(data, "ply", 3) == 0 &&
           (dr_text_is_break(data[3]) || dr_text_is_blank(data[3]));
}

bool dr_ply_parse(const char* data, size_t size, const char* name, drape_mesh_data* mesh,
                  drape_error* error)
{
    ply_reader reader = {
        .text = {.at = data, .end = data + size, .name = name, .line = 1},
        .start = data,
        .error = error,
    };
    *mesh = (drape_mesh_data){0};
    bool is_read = dr_ply_recognise(data, size)
                       ? read_mesh(&reader, mesh)
                       : dr_text_expected(&reader.text, "the word ply", error);
    dr_ply_header_free(&reader.header);
    dr_mesh_builder_free(&reader.builder);
    free(reader.uv);
    return is_read;
}

// --- Writing ---

static void write_header(dr_output* out, const drape_mesh_view* mesh)
{
    char* at = dr_output_reserve(out, 512);
    int length =
        snprintf(at, 512,
                 "ply\n"
                 "format binary_little_endian 1.0\n"
                 "element vertex %d\n"
                 "property float x\n"
                 "property float y\n"
                 "property float z\n"
                 "%s"
                 "element face %d\n"
                 "property list uchar int vertex_indices\n"
                 "end_header\n",
                 mesh->vertex_count, mesh->uv != NULL ? "property float s\nproperty float t\n" : "",
                 mesh->triangle_count);
    dr_output_commit(out, at + length);
}

void dr_ply_write(dr_output* out, const drape_mesh_view* mesh)
{
    write_header(out, mesh);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        char* start = dr_output_reserve(out, 5 * sizeof(float));
        unsigned char* at = (unsigned char*)start;
        at = dr_store_float(at, mesh->positions[v].x, false);
        at = dr_store_float(at, mesh->positions[v].y, false);
        at = dr_store_float(at, mesh->positions[v].z, false);
        if (mesh->uv != NULL) {
            at = dr_store_float(at, mesh->uv[2 * (size_t)v], false);
            at = dr_store_float(at, mesh->uv[2 * (size_t)v + 1], false);
        }
        dr_output_commit(out, (char*)at);
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        char* start = dr_output_reserve(out, 1 + 3 * sizeof(int32_t));
        unsigned char* at = (unsigned char*)start;
        *at++ = 3;
        for (int k = 0; k < 3; ++k) {
            at = dr_store_u32(at, (uint32_t)mesh->triangles[3 * (size_t)t + k], false);
        }
        dr_output_commit(out, (char*)at);
    }
}
