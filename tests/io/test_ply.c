// PLY: the three formats, all types, what is refused and in which words, damaged files.
#include "io/bytes.h"
#include "io/ply.h"
#include "io_test.h"

static drape_mesh_data parse_fine(const char* data, size_t size)
{
    drape_mesh_data mesh;
    drape_error error = {0};
    ck_assert_msg(dr_ply_parse(data, size, "f.ply", &mesh, &error), "%s", error.sentence);
    test_mesh_is_sound(&mesh);
    return mesh;
}

// --- Files put together number by number ---

typedef struct ply_file {
    char data[4096];
    size_t size;
    bool is_big_endian;
} ply_file;

static void put_text(ply_file* file, const char* text)
{
    memcpy(file->data + file->size, text, strlen(text));
    file->size += strlen(text);
}

// A number as PLY's `type` in the byte order of the file.
static void put(ply_file* file, const char* type, double value)
{
    bool is_float = strcmp(type, "float") == 0 || strcmp(type, "float32") == 0;
    bool is_double = strcmp(type, "double") == 0 || strcmp(type, "float64") == 0;
    bool is_short = strstr(type, "short") != NULL || strstr(type, "16") != NULL;
    bool is_char = strstr(type, "char") != NULL || strstr(type, "int8") != NULL;
    uint64_t bits = is_float || is_double ? 0 : (uint64_t)(int64_t)value;
    size_t size = is_double ? 8 : is_short ? 2 : is_char ? 1 : 4;
    if (is_float) {
        float number = (float)value;
        uint32_t word;
        memcpy(&word, &number, 4);
        bits = word;
    } else if (is_double) {
        memcpy(&bits, &value, 8);
    }
    for (size_t k = 0; k < size; ++k) {
        size_t shift = 8 * (file->is_big_endian ? size - 1 - k : k);
        file->data[file->size++] = (char)(bits >> shift);
    }
}

// A square of two triangles and a pentagon, with properties and elements that are none of our
// business.
static ply_file make_file(const char* scalar, const char* count, const char* index,
                          bool is_big_endian)
{
    static const double corners[5][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {2, 6}};
    static const int faces[3][6] = {{3, 0, 1, 2}, {3, 0, 2, 3}, {5, 0, 1, 2, 4, 3}};
    ply_file file = {.is_big_endian = is_big_endian};
    char header[1024];
    snprintf(header, sizeof header,
             "ply\nformat binary_%s_endian 1.0\ncomment a b c\nobj_info d\n"
             "element camera 2\nproperty list uchar double view\nproperty short id\n"
             "element vertex 5\nproperty %s x\nproperty uchar red\nproperty %s y\nproperty %s z\n"
             "property list int16 float extra\nproperty %s texture_u\nproperty %s texture_v\n"
             "element face 3\nproperty uint flags\nproperty list %s %s vertex_indices\n"
             "element edge 1\nproperty int a\nend_header\n",
             is_big_endian ? "big" : "little", scalar, scalar, scalar, scalar, scalar, count,
             index);
    put_text(&file, header);
    for (int camera = 0; camera < 2; ++camera) {
        put(&file, "uchar", camera);
        for (int k = 0; k < camera; ++k) {
            put(&file, "double", 0.5);
        }
        put(&file, "short", -7);
    }
    for (int v = 0; v < 5; ++v) {
        put(&file, scalar, corners[v][0]);
        put(&file, "uchar", 255);
        put(&file, scalar, 9);
        put(&file, scalar, corners[v][1]);
        put(&file, "int16", v % 3);
        for (int k = 0; k < v % 3; ++k) {
            put(&file, "float", NAN);
        }
        put(&file, scalar, v);
        put(&file, scalar, v + 1);
    }
    for (int f = 0; f < 3; ++f) {
        put(&file, "uint", 0xffffffff);
        put(&file, count, faces[f][0]);
        for (int k = 1; k <= faces[f][0]; ++k) {
            put(&file, index, faces[f][k]);
        }
    }
    put(&file, "int", 1);
    return file;
}

static void check_made_mesh(drape_mesh_data* mesh)
{
    const drape_vec3 positions[5] = {{0, 9, 0}, {4, 9, 0}, {4, 9, 4}, {0, 9, 4}, {2, 9, 6}};
    const float uv[10] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
    const int32_t triangles[15] = {0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 4, 0, 4, 3};
    ck_assert_int_eq(mesh->vertex_count, 5);
    ck_assert_mem_eq(mesh->positions, positions, sizeof positions);
    ck_assert_mem_eq(mesh->uv, uv, sizeof uv);
    ck_assert_int_eq(mesh->triangle_count, 5);
    ck_assert_mem_eq(mesh->triangles, triangles, sizeof triangles);
    drape_mesh_data_free(mesh);
}

START_TEST(binary_files_of_all_types)
{
    static const char* const types[] = {"char",  "uchar",  "short",   "ushort", "int",   "uint",
                                        "float", "double", "int8",    "uint8",  "int16", "uint16",
                                        "int32", "uint32", "float32", "float64"};
    for (size_t k = 0; k < 3 * 16 * 2; ++k) {
        const char* type = types[k / 2 % 16];
        bool is_integer =
            strchr(type, 'i') != NULL || strstr(type, "char") || strstr(type, "short");
        const char* count = k / 32 == 1 && is_integer ? type : "uchar";
        ply_file file =
            make_file(k / 32 == 0 ? type : "float", count, k / 32 == 2 ? type : "int", k % 2 == 1);
        drape_mesh_data mesh = parse_fine(file.data, file.size);
        check_made_mesh(&mesh);
    }
}
END_TEST

#define ASCII_HEADER                                                                \
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n" \
    "property float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n"

START_TEST(ascii_files)
{
    static const char text[] =
        "ply \r\nformat  ascii 1.0\r\ncomment made by hand\r\n"
        "element vertex 4\r\nproperty double x\r\nproperty double y\r\nproperty double z\r\n"
        "property list uchar int friends\r\nproperty float s\r\nproperty float t\r\n"
        "element other 1\r\nproperty int n\r\n"
        "element face 2\r\nproperty list uchar int vertex_index\r\nproperty float quality\r\n"
        "end_header\r\n"
        "0 0 0 0 0.5 0.25\r\n1 0 0 2 7 7 0 0\r\n\r\n  1\t1 1e-3 1 nan 0 0\r\n0 1 0 0 1 1\r\n42\r\n"
        "3 0 1 2 0.5\r\n4 0 1 2 3 inf";
    drape_mesh_data mesh = parse_fine(text, sizeof text - 1);
    ck_assert_int_eq(mesh.vertex_count, 4);
    ck_assert_float_eq(mesh.positions[2].z, 1e-3f);
    ck_assert_float_eq(mesh.uv[0], 0.5f);
    ck_assert_float_eq(mesh.uv[7], 1.0f);
    const int32_t triangles[9] = {0, 1, 2, 0, 1, 2, 0, 2, 3};
    ck_assert_int_eq(mesh.triangle_count, 3);
    ck_assert_mem_eq(mesh.triangles, triangles, sizeof triangles);
    drape_mesh_data_free(&mesh);
}
END_TEST

// Indices as floats, and an element that is only a count.
START_TEST(odd_but_clear_files)
{
    static const char text[] =
        "ply\nformat ascii 1.0\nelement nothing 2000000000\nelement vertex 3\nproperty int x\n"
        "property int y\nproperty int z\nelement face 1\n"
        "property list int float vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1.0 2e0\n";
    drape_mesh_data mesh = parse_fine(text, sizeof text - 1);
    ck_assert_mem_eq(mesh.triangles, ((int32_t[3]){0, 1, 2}), 3 * sizeof(int32_t));
    drape_mesh_data_free(&mesh);
}
END_TEST

// The first byte of the body is \n, which belongs to a header of \r\n but not to one of \r.
START_TEST(body_starts_at_the_right_byte)
{
    static const char* const breaks[] = {"\n", "\r\n", "\r"};
    for (int k = 0; k < 3; ++k) {
        ply_file file = {0};
        for (const char* at = ASCII_HEADER; *at != '\0'; ++at) {
            put_text(&file, *at == '\n' ? breaks[k] : (char[2]){*at, '\0'});
        }
        char* format = strstr(file.data, "ascii 1.0");
        size_t behind = (size_t)(format - file.data) + 5;
        const char* binary = "binary_little_endian";
        memmove(format + strlen(binary), format + 5, file.size - behind);
        memcpy(format, binary, strlen(binary));
        file.size += strlen(binary) - 5;
        for (int n = 0; n < 9; ++n) {
            put(&file, "int", 10 + 0x3d000000); // the float with the low byte \n
        }
        put(&file, "uchar", 3);
        for (int n = 0; n < 3; ++n) {
            put(&file, "int", n);
        }
        drape_mesh_data mesh = parse_fine(file.data, file.size);
        ck_assert_float_eq(mesh.positions[0].x, mesh.positions[2].z);
        drape_mesh_data_free(&mesh);
    }
}
END_TEST

// --- Refusing ---

#define VERTICES "0 0 0\n1 0 0\n0 1 0\n"
#define ONE_VERTEX                                                                  \
    "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n" \
    "property float z\n"

static const struct {
    const char* text;
    const char* sentence;
} refusals[] = {
    {"", "f.ply:1: expected the word ply, found the end of the file"},
    {"plyx\n", "f.ply:1: expected the word ply, found \"plyx\""},
    {"ply\n", "f.ply:2: expected format, element, property, comment or end_header, found the end "
              "of the file"},
    {"ply\nformat text 1.0\n",
     "f.ply:2: expected ascii, binary_little_endian or binary_big_endian, found \"text\""},
    {"ply\nformat ascii 2.0\n", "f.ply:2: expected the version 1.0, found \"2.0\""},
    {"ply\nformat ascii 1.0 x\n", "f.ply:2: expected the end of the line, found \"x\""},
    {"ply\nnonsense\n", "found \"nonsense\""},
    {"ply\nelement\n", "f.ply:2: expected the name of an element"},
    {"ply\nelement vertex\n", "f.ply:2: expected the count of an element"},
    {"ply\nelement vertex -1\n", "f.ply:2: expected a count from 0 to 2147483647, found \"-1\""},
    {"ply\nelement vertex 99999999999\n", "f.ply:2: expected a count from 0 to 2147483647"},
    {"ply\nelement vertex 1.5\n", "f.ply:2: expected the count of an element, found \"1.5\""},
    {"ply\nelement vertex 1\nelement vertex 1\n", "f.ply:3: expected the element vertex once"},
    {"ply\nelement face 1\n", "f.ply:2: expected the element vertex before the element face"},
    {"ply\nproperty float x\n", "f.ply:2: expected an element before its properties"},
    {"ply\nelement vertex 1\nproperty real x\n",
     "f.ply:3: expected a type such as float, uchar or int, found \"real\""},
    {"ply\nelement vertex 1\nproperty float\n", "f.ply:3: expected the name of a property"},
    {"ply\nelement vertex 1\nproperty list float int n\n",
     "f.ply:3: expected an integer type for the count"},
    {"ply\nelement vertex 1\nproperty list uchar int x\n",
     "f.ply:3: expected this property to be a scalar"},
    {"ply\nelement vertex 1\nend_header\n", "f.ply:3: expected a line \"format\""},
    {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
     "f.ply:5: expected the properties x, y and z of vertex"},
    {ONE_VERTEX "element face 1\nproperty int vertex_indices\nend_header\n",
     "f.ply:8: expected this property to be a list"},
    {ONE_VERTEX "element face 1\nproperty int n\nend_header\n",
     "f.ply:9: expected the list vertex_indices of face"},
    {"ply\nformat ascii 1.0\nend_header\n", "f.ply:3: expected a mesh, found no vertices"},
    {ONE_VERTEX "end_header\n0 0 0\n", "expected a mesh, found no faces"},
    {ASCII_HEADER, "f.ply:10: expected 3 vertices, more than fit the file"},
    {ASCII_HEADER "0 0 0\n1 0\n0 1 0\n3 0 1 2\n",
     "f.ply:11: expected the number z of a vertex, found the end of the line"},
    {ASCII_HEADER "0 0 0\n1 0 0 0\n0 1 0\n3 0 1 2\n",
     "f.ply:11: expected the end of the line, found \"0\""},
    {ASCII_HEADER "0 0 0\n1 x 0\n0 1 0\n3 0 1 2\n",
     "f.ply:11: expected the number y of a vertex, found \"x\""},
    {ASCII_HEADER "0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n",
     "f.ply:10: expected the number z of a vertex to be finite, found \"nan\""},
    {ASCII_HEADER VERTICES,
     "f.ply:13: expected another line of numbers, found the end of the file"},
    {ASCII_HEADER VERTICES "\n\n\n", "expected another line of numbers, found the end of the file"},
    {ASCII_HEADER VERTICES "3 0 1",
     "f.ply:13: expected a list that fits the file, found a count of 3"},
    {ASCII_HEADER VERTICES "3 0 1\n     ",
     "f.ply:13: expected the index of a vertex, found the end of the line"},
    {ASCII_HEADER VERTICES "2 0 1\n", "f.ply:13: expected a face of at least 3 corners, found 2"},
    {ASCII_HEADER VERTICES "3 0 1 3\n",
     "f.ply:13: expected the index of one of 3 vertices, found 3"},
    {ASCII_HEADER VERTICES "3 0 1 -1\n",
     "f.ply:13: expected the index of one of 3 vertices, found -1"},
    {ASCII_HEADER VERTICES "3 0 1 1.5\n",
     "f.ply:13: expected the index of a vertex, found \"1.5\""},
    {ONE_VERTEX
     "element face 1\nproperty list int float vertex_index\nend_header\n0 0 0\n3 0 0 0.5\n",
     "f.ply:11: expected the index of a vertex, found no whole number"},
    {ONE_VERTEX "property int n\nelement face 1\nproperty list int int vertex_index\nend_header\n"
                "0 0 0\n3 0 0 0\n",
     "f.ply:11: expected a number, found the end of the line"},
    {ASCII_HEADER VERTICES "4000000000 0 1 2\n", "f.ply:13: expected a list that fits the file"},
    {ASCII_HEADER VERTICES "-3 0 1 2\n",
     "f.ply:13: expected a list that fits the file, found a count of -3"},
};

START_TEST(refuses_with_a_sentence)
{
    drape_mesh_data mesh;
    drape_error error = {0};
    const char* text = refusals[_i].text;
    ck_assert(!dr_ply_parse(text, strlen(text), "f.ply", &mesh, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, refusals[_i].sentence);
    ck_assert_ptr_null(mesh.positions);
}
END_TEST

static void check_binary_refusal(const ply_file* file, const char* sentence)
{
    drape_mesh_data mesh;
    drape_error error = {0};
    ck_assert(!dr_ply_parse(file->data, file->size, "f.ply", &mesh, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, sentence);
}

#define BINARY_HEADER                                                           \
    "ply\nformat binary_big_endian 1.0\nelement vertex %s\nproperty double x\n" \
    "property float y\nproperty float z\nelement face 1\n"                      \
    "property list int uint vertex_indices\nend_header\n"

// One triangle, of which a word may be wrong. Byte numbers follow from the header.
static ply_file make_triangle(const char* vertex_count, double x, double corner_count,
                              double corner)
{
    ply_file file = {.is_big_endian = true};
    char header[512];
    snprintf(header, sizeof header, BINARY_HEADER, vertex_count);
    put_text(&file, header);
    for (int v = 0; v < 3; ++v) {
        put(&file, "double", v == 1 ? x : 0.0);
        put(&file, "float", v);
        put(&file, "float", v == 2);
    }
    put(&file, "int", corner_count);
    put(&file, "uint", 0);
    put(&file, "uint", 1);
    put(&file, "uint", corner);
    return file;
}

START_TEST(binary_files_are_refused_with_the_byte)
{
    char sentence[128];
    ply_file file = make_triangle("3", 1.0, 3, 2);
    size_t body = file.size - 3 * 16 - 16;
    drape_mesh_data mesh = parse_fine(file.data, file.size);
    drape_mesh_data_free(&mesh);

    file.size -= 1;
    snprintf(sentence, sizeof sentence, "f.ply: byte %zu: expected a list that fits the file",
             body + 48);
    check_binary_refusal(&file, sentence);
    file = make_triangle("2147483647", 1.0, 3, 2);
    check_binary_refusal(&file, ": expected 2147483647 vertices, more than fit the file");
    file = make_triangle("3", NAN, 3, 2);
    snprintf(sentence, sizeof sentence,
             "f.ply: byte %zu: expected the number x of a vertex to be finite", body + 16);
    check_binary_refusal(&file, sentence);
    file = make_triangle("3", 1e300, 3, 2);
    check_binary_refusal(&file, sentence);
    file = make_triangle("3", 1.0, -1, 2);
    check_binary_refusal(&file, "expected a list that fits the file, found a count of -1");
    file = make_triangle("3", 1.0, 2147483647, 2);
    check_binary_refusal(&file, "expected a list that fits the file, found a count of 2147483647");
    file = make_triangle("3", 1.0, 3, 3);
    snprintf(sentence, sizeof sentence,
             "f.ply: byte %zu: expected the index of one of 3 vertices, found 3", body + 60);
    check_binary_refusal(&file, sentence);
    file = make_triangle("3", 1.0, 3, 4294967295.0);
    check_binary_refusal(&file, "found 4294967295");
}
END_TEST

START_TEST(damaged_files_are_survived)
{
    static const char ascii[] = ASCII_HEADER VERTICES "3 0 1 2\n";
    test_mesh_parser_survives(dr_ply_parse, ascii, sizeof ascii - 1, 10000, 21);
    ply_file little = make_file("float", "uchar", "int", false);
    test_mesh_parser_survives(dr_ply_parse, little.data, little.size, 10000, 22);
    ply_file big = make_file("double", "int", "ushort", true);
    test_mesh_parser_survives(dr_ply_parse, big.data, big.size, 10000, 23);
}
END_TEST

// --- Writing ---

START_TEST(round_trip_is_exact)
{
    test_mesh_round_trip("m.ply", 24);
    test_mesh_round_trip("m.PLY", 25);
}
END_TEST

// The contents decide, not the name.
START_TEST(formats_are_told_apart_by_contents)
{
    test_folder folder = test_folder_make();
    static const char ply[] = ASCII_HEADER VERTICES "3 0 1 2\n";
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    test_file_write(test_path(&folder, "a.obj"), ply, sizeof ply - 1);
    test_file_write(test_path(&folder, "a.ply"), obj, sizeof obj - 1);
    const char* const names[] = {"a.obj", "a.ply"};
    for (int k = 0; k < 2; ++k) {
        drape_mesh_data mesh;
        ck_assert(drape_mesh_read(test_path(&folder, names[k]), &mesh, NULL));
        ck_assert_int_eq(mesh.triangle_count, 1);
        drape_mesh_data_free(&mesh);
    }
    test_folder_remove(&folder);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("ply");
    TCase* reading = tcase_create("reading");
    tcase_add_test(reading, binary_files_of_all_types);
    tcase_add_test(reading, ascii_files);
    tcase_add_test(reading, odd_but_clear_files);
    tcase_add_test(reading, body_starts_at_the_right_byte);
    suite_add_tcase(suite, reading);
    TCase* refusing = tcase_create("refusing");
    tcase_add_loop_test(refusing, refuses_with_a_sentence, 0,
                        (int)(sizeof refusals / sizeof refusals[0]));
    tcase_add_test(refusing, binary_files_are_refused_with_the_byte);
    tcase_add_test(refusing, damaged_files_are_survived);
    suite_add_tcase(suite, refusing);
    TCase* writing = tcase_create("writing");
    tcase_add_test(writing, round_trip_is_exact);
    tcase_add_test(writing, formats_are_told_apart_by_contents);
    suite_add_tcase(suite, writing);
    return test_run(suite);
}
