#include "io/ply.h"

// Both names of each type, in the order of dr_ply_type.
static const struct {
    const char* old_name;
    const char* new_name;
    size_t size;
} types[] = {
    {"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2},   {"ushort", "uint16", 2},
    {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8},
};

// Names that mean something in the elements they stand in.
static const struct {
    const char* name;
    dr_ply_kind kind;
    dr_ply_role role;
} roles[] = {
    {"x", DR_PLY_VERTEX, DR_PLY_X},
    {"y", DR_PLY_VERTEX, DR_PLY_Y},
    {"z", DR_PLY_VERTEX, DR_PLY_Z},
    {"s", DR_PLY_VERTEX, DR_PLY_U},
    {"t", DR_PLY_VERTEX, DR_PLY_V},
    {"u", DR_PLY_VERTEX, DR_PLY_U},
    {"v", DR_PLY_VERTEX, DR_PLY_V},
    {"texture_u", DR_PLY_VERTEX, DR_PLY_U},
    {"texture_v", DR_PLY_VERTEX, DR_PLY_V},
    {"vertex_indices", DR_PLY_FACE, DR_PLY_CORNERS},
    {"vertex_index", DR_PLY_FACE, DR_PLY_CORNERS},
};

size_t dr_ply_type_size(dr_ply_type type)
{
    return types[type].size;
}

static bool fail_memory(const dr_text* text, drape_error* error)
{
    dr_error_set_memory(error, text->name);
    return false;
}

static bool expect_line_end(dr_text* text, drape_error* error)
{
    dr_text_skip_blanks(text);
    return dr_text_at_line_end(text) || dr_text_expected(text, "the end of the line", error);
}

static bool parse_format(dr_ply_header* header, dr_text* text, drape_error* error)
{
    const char* what = "ascii, binary_little_endian or binary_big_endian";
    dr_text start = *text;
    const char* word;
    size_t length = dr_text_word(text, &word);
    header->is_ascii = dr_text_word_is(word, length, "ascii");
    header->is_big_endian = dr_text_word_is(word, length, "binary_big_endian");
    if (!header->is_ascii && !header->is_big_endian &&
        !dr_text_word_is(word, length, "binary_little_endian")) {
        return dr_text_expected(&start, what, error);
    }
    start = *text;
    length = dr_text_word(text, &word);
    if (!dr_text_word_is(word, length, "1.0")) {
        return dr_text_expected(&start, "the version 1.0", error);
    }
    return expect_line_end(text, error);
}

// The elements that we read may stand in a file once, the vertices first.
static bool check_order(const dr_ply_header* header, dr_ply_kind kind, const dr_text* text,
                        drape_error* error)
{
    const dr_ply_element* elements = header->elements.data;
    bool has_vertices = false;
    for (size_t k = 0; k < header->elements.count; ++k) {
        has_vertices = has_vertices || elements[k].kind == DR_PLY_VERTEX;
        if (kind != DR_PLY_UNKNOWN && elements[k].kind == kind) {
            return dr_text_fail(text, error, "expected the element %s once, found it again",
                                kind == DR_PLY_VERTEX ? "vertex" : "face");
        }
    }
    if (kind == DR_PLY_FACE && !has_vertices) {
        return dr_text_fail(text, error, "expected the element vertex before the element face");
    }
    return true;
}

static bool parse_element(dr_ply_header* header, dr_text* text, drape_error* error)
{
    dr_text start = *text;
    const char* word;
    size_t length = dr_text_word(text, &word);
    if (length == 0) {
        return dr_text_expected(&start, "the name of an element", error);
    }
    dr_ply_element element = {
        .kind = dr_text_word_is(word, length, "vertex") ? DR_PLY_VERTEX
                : dr_text_word_is(word, length, "face") ? DR_PLY_FACE
                                                        : DR_PLY_UNKNOWN,
        .first_property = header->properties.count,
    };
    start = *text;
    if (!dr_text_integer(text, "the count of an element", &element.count, error) ||
        !expect_line_end(text, error) || !check_order(header, element.kind, text, error)) {
        return false;
    }
    if (element.count < 0 || element.count > INT32_MAX) {
        return dr_text_expected(&start, "a count from 0 to 2147483647", error);
    }
    dr_ply_element* place = dr_list_push(&header->elements, 1, sizeof *place);
    if (place == NULL) {
        return fail_memory(text, error);
    }
    *place = element;
    header->vertex_count = element.kind == DR_PLY_VERTEX ? element.count : header->vertex_count;
    return true;
}

static bool parse_type(dr_text* text, dr_ply_type* type, drape_error* error)
{
    dr_text start = *text;
    const char* word;
    size_t length = dr_text_word(text, &word);
    for (size_t k = 0; k < sizeof types / sizeof types[0]; ++k) {
        if (dr_text_word_is(word, length, types[k].old_name) ||
            dr_text_word_is(word, length, types[k].new_name)) {
            *type = (dr_ply_type)k;
            return true;
        }
    }
    return dr_text_expected(&start, "a type such as float, uchar or int", error);
}

static dr_ply_role find_role(dr_ply_kind kind, const char* name, size_t length)
{
    for (size_t k = 0; k < sizeof roles / sizeof roles[0]; ++k) {
        if (roles[k].kind == kind && dr_text_word_is(name, length, roles[k].name)) {
            return roles[k].role;
        }
    }
    return DR_PLY_OTHER;
}

static bool parse_property_type(dr_ply_property* property, dr_text* text, drape_error* error)
{
    dr_text start = *text;
    const char* word;
    size_t length = dr_text_word(text, &word);
    property->is_list = dr_text_word_is(word, length, "list");
    if (!property->is_list) {
        *text = start;
        return parse_type(text, &property->type, error);
    }
    start = *text;
    if (!parse_type(text, &property->count_type, error)) {
        return false;
    }
    if (property->count_type >= DR_PLY_FLOAT) {
        return dr_text_expected(&start, "an integer type for the count of a list", error);
    }
    return parse_type(text, &property->type, error);
}

static bool parse_property(dr_ply_header* header, dr_text* text, drape_error* error)
{
    if (header->elements.count == 0) {
        return dr_text_fail(text, error, "expected an element before its properties");
    }
    dr_ply_element* element = (dr_ply_element*)header->elements.data + header->elements.count - 1;
    dr_ply_property property = {0};
    if (!parse_property_type(&property, text, error)) {
        return false;
    }
    dr_text start = *text;
    const char* name;
    size_t length = dr_text_word(text, &name);
    if (length == 0) {
        return dr_text_expected(&start, "the name of a property", error);
    }
    property.role = find_role(element->kind, name, length);
    if (property.role != DR_PLY_OTHER && property.is_list != (property.role == DR_PLY_CORNERS)) {
        return dr_text_fail(text, error, "expected this property to be a %s",
                            property.is_list ? "scalar" : "list");
    }
    // Of two names for the same thing (s and texture_u) the first counts.
    if ((element->roles & 1u << property.role) != 0) {
        property.role = DR_PLY_OTHER;
    }
    element->roles |= 1u << property.role;
    dr_ply_property* place = dr_list_push(&header->properties, 1, sizeof *place);
    if (place == NULL) {
        return fail_memory(text, error);
    }
    *place = property;
    ++element->property_count;
    return expect_line_end(text, error);
}

// The elements that make a mesh must be there, with what makes them useful.
static bool check_header(const dr_ply_header* header, const dr_text* text, drape_error* error)
{
    const unsigned xyz = 1u << DR_PLY_X | 1u << DR_PLY_Y | 1u << DR_PLY_Z;
    int64_t face_count = 0;
    const dr_ply_element* elements = header->elements.data;
    for (size_t k = 0; k < header->elements.count; ++k) {
        if (elements[k].kind == DR_PLY_VERTEX && (elements[k].roles & xyz) != xyz) {
            return dr_text_fail(text, error, "expected the properties x, y and z of vertex");
        }
        if (elements[k].kind == DR_PLY_FACE) {
            face_count = elements[k].count;
            if ((elements[k].roles & 1u << DR_PLY_CORNERS) == 0) {
                return dr_text_fail(text, error, "expected the list vertex_indices of face");
            }
        }
    }
    if (header->vertex_count == 0 || face_count == 0) {
        return dr_text_fail(text, error, "expected a mesh, found no %s",
                            header->vertex_count == 0 ? "vertices" : "faces");
    }
    return true;
}

// Steps over the break behind end_header. A header of bare \r must not eat a first byte that is \n.
static bool pass_header(dr_text* text, bool breaks_are_bare, drape_error* error)
{
    if (!expect_line_end(text, error)) {
        return false;
    }
    if (text->at == text->end) {
        return dr_text_expected(text, "the body of the file", error);
    }
    if (breaks_are_bare) {
        ++text->at;
        ++text->line;
    } else {
        dr_text_pass_break(text);
    }
    return true;
}

bool dr_ply_header_parse(dr_ply_header* header, dr_text* text, drape_error* error)
{
    bool has_format = false;
    const char* word;
    dr_text_word(text, &word);
    bool breaks_are_bare = text->end - text->at >= 2 && text->at[0] == '\r' && text->at[1] != '\n';
    for (;;) {
        dr_text_next_line(text);
        dr_text start = *text;
        size_t length = dr_text_word(text, &word);
        bool is_fine = true;
        if (dr_text_word_is(word, length, "end_header")) {
            break;
        } else if (dr_text_word_is(word, length, "format")) {
            has_format = is_fine = parse_format(header, text, error);
        } else if (dr_text_word_is(word, length, "element")) {
            is_fine = parse_element(header, text, error);
        } else if (dr_text_word_is(word, length, "property")) {
            is_fine = parse_property(header, text, error);
        } else if (!dr_text_word_is(word, length, "comment") &&
                   !dr_text_word_is(word, length, "obj_info")) {
            is_fine =
                dr_text_expected(&start, "format, element, property, comment or end_header", error);
        }
        if (!is_fine) {
            return false;
        }
    }
    if (!has_format) {
        return dr_text_fail(text, error, "expected a line \"format\" before end_header");
    }
    return check_header(header, text, error) && pass_header(text, breaks_are_bare, error);
}

void dr_ply_header_free(dr_ply_header* header)
{
    dr_list_free(&header->elements);
    dr_list_free(&header->properties);
}
