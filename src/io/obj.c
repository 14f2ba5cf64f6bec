#include "io/obj.h"

#include <stdio.h>
#include <string.h>

#include "io/groups.h"
#include "io/mesh_file.h"
#include "io/number.h"
#include "io/text.h"

typedef struct texcoord {
    float u, v;
} texcoord;

typedef struct obj_reader {
    dr_text text;
    drape_error* error;
    dr_mesh_builder builder;
    dr_list texcoords;
    dr_list vertex_texcoords; // int32_t for each vertex: its texcoord from 1, 0 for none yet
    dr_groups groups;
    bool uses_texcoords; // a face does
} obj_reader;

static bool fail_memory(obj_reader* reader)
{
    dr_error_set_memory(reader->error, reader->text.name);
    return false;
}

// --- Lines ---

static bool read_vertex(obj_reader* reader)
{
    drape_vec3 p;
    dr_text* text = &reader->text;
    if (!dr_text_float(text, "the number x of a vertex", &p.x, reader->error) ||
        !dr_text_float(text, "the number y of a vertex", &p.y, reader->error) ||
        !dr_text_float(text, "the number z of a vertex", &p.z, reader->error)) {
        return false;
    }
    for (dr_text_skip_blanks(text); !dr_text_at_line_end(text); dr_text_skip_blanks(text)) {
        float rest;
        if (!dr_text_float(text, "a number or the end of the line", &rest, reader->error)) {
            return false;
        }
    }
    if (reader->builder.positions.count >= INT32_MAX - 1) {
        return dr_text_fail(text, reader->error, "expected fewer vertices than 32 bits can number");
    }
    drape_vec3* position = dr_list_push(&reader->builder.positions, 1, sizeof *position);
    int32_t* vertex_texcoord = dr_list_push(&reader->vertex_texcoords, 1, sizeof *vertex_texcoord);
    if (position == NULL || vertex_texcoord == NULL) {
        return fail_memory(reader);
    }
    *position = p;
    *vertex_texcoord = 0;
    return true;
}

static bool read_texcoord(obj_reader* reader)
{
    texcoord t = {0};
    dr_text* text = &reader->text;
    if (!dr_text_float(text, "the number u of a texture coordinate", &t.u, reader->error)) {
        return false;
    }
    dr_text_skip_blanks(text);
    if (!dr_text_at_line_end(text) &&
        !dr_text_float(text, "the number v of a texture coordinate", &t.v, reader->error)) {
        return false;
    }
    if (reader->texcoords.count >= INT32_MAX - 1) {
        return dr_text_fail(text, reader->error, "expected fewer vt than 32 bits can number");
    }
    texcoord* place = dr_list_push(&reader->texcoords, 1, sizeof *place);
    if (place == NULL) {
        return fail_memory(reader);
    }
    *place = t;
    return true;
}

// One number of a face corner, from 0, among `count` things that are called `what`.
static bool read_corner_number(obj_reader* reader, const char* what, size_t count, int32_t* index)
{
    int64_t number;
    dr_text* text = &reader->text;
    const char* behind = dr_parse_integer(text->at, text->end, &number);
    if (behind == NULL) {
        char words[64];
        snprintf(words, sizeof words, "the number of a %s", what);
        return dr_text_expected(text, words, reader->error);
    }
    int64_t wanted = number < 0 ? (int64_t)count + number : number - 1;
    if (number == 0 || wanted < 0 || wanted >= (int64_t)count) {
        return dr_text_fail(text, reader->error,
                            "expected the number of one of the %zu %s lines so far, found %lld",
                            count, what, (long long)number);
    }
    text->at = behind;
    *index = (int32_t)wanted;
    return true;
}

static bool at_slash(const dr_text* text)
{
    return text->at < text->end && *text->at == '/';
}

// The /t, //n or /t/n of a corner; the texcoord from 1, or 0.
static bool read_corner_rest(obj_reader* reader, int32_t* texcoord_number)
{
    dr_text* text = &reader->text;
    *texcoord_number = 0;
    if (!at_slash(text)) {
        return true;
    }
    ++text->at;
    if (!at_slash(text)) {
        if (!read_corner_number(reader, "vt", reader->texcoords.count, texcoord_number)) {
            return false;
        }
        ++*texcoord_number;
    }
    if (at_slash(text)) {
        ++text->at;
        int64_t normal;
        const char* behind = dr_parse_integer(text->at, text->end, &normal);
        if (behind == NULL) {
            return dr_text_expected(text, "the number of a vn", reader->error);
        }
        text->at = behind;
    }
    return true;
}

static bool read_corner(obj_reader* reader)
{
    dr_text* text = &reader->text;
    int32_t vertex = 0, texcoord_number = 0;
    if (!read_corner_number(reader, "v", reader->builder.positions.count, &vertex) ||
        !read_corner_rest(reader, &texcoord_number)) {
        return false;
    }
    if (!dr_text_at_word_end(text)) {
        return dr_text_expected(text, "a face corner such as 1, 1/1, 1//1 or 1/1/1", reader->error);
    }
    int32_t* vertex_texcoord = (int32_t*)reader->vertex_texcoords.data + vertex;
    if (texcoord_number > 0) {
        reader->uses_texcoords = true;
        *vertex_texcoord = *vertex_texcoord > 0 ? *vertex_texcoord : texcoord_number;
    }
    int32_t* corner = dr_list_push(&reader->builder.loop, 1, sizeof *corner);
    if (corner == NULL) {
        return fail_memory(reader);
    }
    *corner = vertex;
    return true;
}

static bool read_face(obj_reader* reader)
{
    dr_text* text = &reader->text;
    reader->builder.loop.count = 0;
    for (dr_text_skip_blanks(text); !dr_text_at_line_end(text); dr_text_skip_blanks(text)) {
        if (!read_corner(reader)) {
            return false;
        }
    }
    if (reader->builder.loop.count < 3) {
        return dr_text_fail(text, reader->error, "expected a face of at least 3 corners, found %zu",
                            reader->builder.loop.count);
    }
    dr_mesh_problem problem = dr_mesh_add_polygon(&reader->builder);
    if (problem == DR_MESH_NO_MEMORY) {
        return fail_memory(reader);
    }
    return problem == DR_MESH_FINE ||
           dr_text_fail(text, reader->error, "%s", dr_mesh_problem_words(problem));
}

// Names become strings, which end with their first zero.
static bool check_name(const obj_reader* reader, dr_group_name name)
{
    return name.length == 0 || memchr(name.letters, '\0', name.length) == NULL ||
           dr_text_fail(&reader->text, reader->error, "expected a name, found a zero byte in it");
}

static bool read_groups(obj_reader* reader)
{
    dr_groups* groups = &reader->groups;
    if (!dr_groups_close(groups, (int32_t)reader->builder.triangles.count)) {
        return fail_memory(reader);
    }
    groups->name_count = 0;
    dr_group_name name;
    while ((name.length = dr_text_word(&reader->text, &name.letters)) > 0) {
        if (groups->name_count == DR_GROUPS_PER_FACE) {
            return dr_text_fail(&reader->text, reader->error,
                                "expected at most %d groups in a line", DR_GROUPS_PER_FACE);
        }
        if (!check_name(reader, name)) {
            return false;
        }
        groups->names[groups->name_count++] = name;
    }
    return true;
}

// An object's name is the rest of its line; exporters put blanks into it.
static bool read_object(obj_reader* reader)
{
    dr_text* text = &reader->text;
    if (!dr_groups_close(&reader->groups, (int32_t)reader->builder.triangles.count)) {
        return fail_memory(reader);
    }
    dr_text_skip_blanks(text);
    dr_group_name name = {text->at, 0};
    const char* word;
    for (size_t length; (length = dr_text_word(text, &word)) > 0;) {
        name.length = (size_t)(word + length - name.letters);
    }
    reader->groups.object = name;
    return check_name(reader, name);
}

static bool read_line(obj_reader* reader)
{
    static const struct {
        const char* keyword;
        bool (*read)(obj_reader* reader);
    } lines[] = {
        {"v", read_vertex}, {"f", read_face},   {"vt", read_texcoord},
        {"g", read_groups}, {"o", read_object},
    };
    const char* keyword;
    size_t length = dr_text_word(&reader->text, &keyword);
    for (size_t k = 0; length > 0 && k < sizeof lines / sizeof lines[0]; ++k) {
        if (dr_text_word_is(keyword, length, lines[k].keyword)) {
            return lines[k].read(reader);
        }
    }
    return true;
}

// --- The whole file ---

static bool fail_empty(obj_reader* reader)
{
    const char* missing = reader->builder.positions.count == 0 ? "vertices (lines \"v x y z\")"
                                                               : "faces (lines \"f a b c\")";
    dr_error_set(reader->error, DRAPE_ERROR_INPUT, "%s: expected a mesh, found no %s",
                 reader->text.name, missing);
    return false;
}

static bool take_uv(obj_reader* reader, drape_mesh_data* mesh)
{
    if (!reader->uses_texcoords) {
        return true;
    }
    size_t count = (size_t)mesh->vertex_count;
    const int32_t* numbers = reader->vertex_texcoords.data;
    const texcoord* texcoords = reader->texcoords.data;
    bool is_one_to_one = reader->texcoords.count == count;
    mesh->uv = malloc(count * sizeof(texcoord));
    if (mesh->uv == NULL) {
        return fail_memory(reader);
    }
    for (size_t v = 0; v < count; ++v) {
        size_t number = numbers[v] > 0 ? (size_t)numbers[v] : is_one_to_one ? v + 1 : 0;
        texcoord t = number > 0 ? texcoords[number - 1] : (texcoord){0};
        mesh->uv[2 * v] = t.u;
        mesh->uv[2 * v + 1] = t.v;
    }
    return true;
}

static bool take_mesh(obj_reader* reader, drape_mesh_data* mesh)
{
    if (reader->builder.positions.count == 0 || reader->builder.triangles.count == 0) {
        return fail_empty(reader);
    }
    if (!dr_groups_close(&reader->groups, (int32_t)reader->builder.triangles.count)) {
        return fail_memory(reader);
    }
    dr_mesh_builder_take(&reader->builder, mesh);
    return take_uv(reader, mesh) &&
           (dr_groups_collect(&reader->groups, mesh) || fail_memory(reader));
}

bool dr_obj_parse(const char* data, size_t size, const char* name, drape_mesh_data* mesh,
                  drape_error* error)
{
    obj_reader reader = {
        .text = {.at = data,
                 .end = data + size,
                 .name = name,
                 .line = 1,
                 .comment = '#',
                 .joins_lines = true},
        .error = error,
    };
    *mesh = (drape_mesh_data){0};
    bool is_read = true;
    while (is_read && reader.text.at < reader.text.end) {
        is_read = read_line(&reader);
        dr_text_next_line(&reader.text);
    }
    is_read = is_read && take_mesh(&reader, mesh);
    if (!is_read) {
        drape_mesh_data_free(mesh);
    }
    dr_mesh_builder_free(&reader.builder);
    dr_list_free(&reader.texcoords);
    dr_list_free(&reader.vertex_texcoords);
    dr_groups_free(&reader.groups);
    return is_read;
}

// --- Writing ---

// "KEYWORD a b c" of floats.
static void write_numbers(dr_output* out, const char* keyword, const float* numbers, int count)
{
    char* at = dr_output_reserve(out, 128);
    while (*keyword != '\0') {
        *at++ = *keyword++;
    }
    for (int k = 0; k < count; ++k) {
        *at++ = ' ';
        at = dr_format_float(at, numbers[k]);
    }
    *at++ = '\n';
    dr_output_commit(out, at);
}

static void write_face(dr_output* out, const int32_t* triangle, bool has_uv)
{
    char* at = dr_output_reserve(out, 256);
    *at++ = 'f';
    for (int k = 0; k < 3; ++k) {
        int64_t number = (int64_t)triangle[k] + 1;
        *at++ = ' ';
        at = dr_format_integer(at, number);
        if (has_uv) {
            *at++ = '/';
            at = dr_format_integer(at, number);
        }
    }
    *at++ = '\n';
    dr_output_commit(out, at);
}

void dr_obj_write(dr_output* out, const drape_mesh_view* mesh)
{
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 p = mesh->positions[v];
        write_numbers(out, "v", (float[3]){p.x, p.y, p.z}, 3);
    }
    for (int v = 0; mesh->uv != NULL && v < mesh->vertex_count; ++v) {
        write_numbers(out, "vt", &mesh->uv[2 * (size_t)v], 2);
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        write_face(out, &mesh->triangles[3 * (size_t)t], mesh->uv != NULL);
    }
}
