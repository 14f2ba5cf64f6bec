// OBJ: what is read, what is refused and in which words, exact round trips, damaged files.
#include "io/obj.h"
#include "io_test.h"

static bool parse(const char* text, drape_mesh_data* mesh, drape_error* error)
{
    return dr_obj_parse(text, strlen(text), "f.obj", mesh, error);
}

static drape_mesh_data parse_fine(const char* text)
{
    drape_mesh_data mesh;
    drape_error error = {0};
    ck_assert_msg(parse(text, &mesh, &error), "%s", error.sentence);
    test_mesh_is_sound(&mesh);
    return mesh;
}

static void check_triangles(const drape_mesh_data* mesh, const int32_t* wanted, int count)
{
    ck_assert_int_eq(mesh->triangle_count, count);
    ck_assert_mem_eq(mesh->triangles, wanted, 3 * (size_t)count * sizeof *wanted);
}

// --- Reading ---

START_TEST(vertices_keep_their_order)
{
    drape_mesh_data mesh =
        parse_fine("v 0 0 0\nv 1.5 -2e-1 +.5 1.0\nv 0 1 0 0.5 0.5 0.5\nv 9 9 9\nf 3 1 2\n");
    ck_assert_int_eq(mesh.vertex_count, 4);
    ck_assert_float_eq(mesh.positions[1].x, 1.5f);
    ck_assert_float_eq(mesh.positions[1].y, -0.2f);
    ck_assert_float_eq(mesh.positions[1].z, 0.5f);
    check_triangles(&mesh, (int32_t[]){2, 0, 1}, 1);
    ck_assert_ptr_null(mesh.uv);
    ck_assert_int_eq(mesh.group_count, 0);
    drape_mesh_data_free(&mesh);
}
END_TEST

START_TEST(corners_of_all_forms)
{
    const char* const faces[] = {
        "f 1 2 3",    "f 1/1 2/2 3/3",   "f 1//1 2//1 3//1",  "f 1/1/9 2/2/9 3/3/9",
        "f -3 -2 -1", "f -3/-3 2//-7 3", "f\t1  2\t3 # done", "  f 1 2 3  "};
    for (size_t k = 0; k < sizeof faces / sizeof faces[0]; ++k) {
        char text[256];
        snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n%s",
                 faces[k]);
        drape_mesh_data mesh = parse_fine(text);
        check_triangles(&mesh, (int32_t[]){0, 1, 2}, 1);
        drape_mesh_data_free(&mesh);
    }
}
END_TEST

START_TEST(lines_of_all_kinds)
{
    drape_mesh_data mesh = parse_fine("# art \\\nv 0 0 0\r\nv 1 \\\r\n 0 \\\n0\rv 0 1 0\n\n"
                                      "mtllib x.mtl\nusemtl a \\\nv 7 7 7\ns off\nvn 0 0 1\nvp 1\n"
                                      "l 1 2\np 1\ncurv nonsense 7\n\nf 1 \\\n2 3\n#");
    ck_assert_int_eq(mesh.vertex_count, 3);
    ck_assert_float_eq(mesh.positions[1].x, 1.0f);
    check_triangles(&mesh, (int32_t[]){0, 1, 2}, 1);
    drape_mesh_data_free(&mesh);
}
END_TEST

START_TEST(relative_numbers_count_from_their_line)
{
    drape_mesh_data mesh =
        parse_fine("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nf -4 -3 -1\n");
    check_triangles(&mesh, (int32_t[]){0, 1, 2, 0, 1, 3}, 2);
    drape_mesh_data_free(&mesh);
}
END_TEST

START_TEST(polygons_are_cut)
{
    // A quad as a fan.
    drape_mesh_data mesh = parse_fine("v 0 0 0\nv 0 0 4\nv 4 0 4\nv 4 0 0\nf 1 2 3 4\n");
    check_triangles(&mesh, (int32_t[]){0, 1, 2, 0, 2, 3}, 2);
    drape_mesh_data_free(&mesh);
    // A letter L: a fan from its first corner would leave it.
    mesh = parse_fine("v 0 0 3\nv 1 0 3\nv 1 0 1\nv 3 0 1\nv 3 0 0\nv 0 0 0\nf 1 2 3 4 5 6\n");
    ck_assert_int_eq(mesh.triangle_count, 4);
    for (int t = 0; t < 4; ++t) {
        drape_mesh_data one = {.positions = mesh.positions,
                               .triangles = mesh.triangles + 3 * t,
                               .vertex_count = 6,
                               .triangle_count = 1};
        ck_assert_double_gt(test_mesh_area_y(&one), 0.0);
    }
    ck_assert_double_eq(test_mesh_area_y(&mesh), 5.0);
    drape_mesh_data_free(&mesh);
}
END_TEST

START_TEST(uv_first_seen_counts)
{
    // Vertex 1 sees 5 first, then 6; vertex 4 has none; there are more vt than v.
    drape_mesh_data mesh = parse_fine("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n"
                                      "vt 0.1\nvt 0.2 0.3\nvt 0 1 0\nvt 1 1\nvt 5 5\nvt 6 6\n"
                                      "f 1/5 2/2 3/3\nf 1/6 2/1 3/1\nf 2 3 4\n");
    const float wanted[] = {5, 5, 0.2f, 0.3f, 0, 1, 0, 0};
    ck_assert_mem_eq(mesh.uv, wanted, sizeof wanted);
    drape_mesh_data_free(&mesh);
    // As many vt as v: one that no face names takes its own.
    mesh = parse_fine(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 1 2\nvt 3 4\nvt 5 6\nvt 7 8\nf 1/2 2/2 3/3\n");
    const float own[] = {3, 4, 3, 4, 5, 6, 7, 8};
    ck_assert_mem_eq(mesh.uv, own, sizeof own);
    drape_mesh_data_free(&mesh);
}
END_TEST

static void check_group(const drape_mesh_data* mesh, int index, const char* name,
                        const int32_t* vertices, int count)
{
    ck_assert_int_lt(index, mesh->group_count);
    ck_assert_str_eq(mesh->groups[index].name, name);
    ck_assert_int_eq(mesh->groups[index].vertex_count, count);
    ck_assert_mem_eq(mesh->groups[index].vertices, vertices, (size_t)count * sizeof *vertices);
}

START_TEST(groups_are_sets_of_vertices)
{
    drape_mesh_data mesh =
        parse_fine("o a table\t\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 0\nv 3 3 0\n"
                   "f 3 2 1\ng top side # both\nf 4 3 1\ng\nf 1 2 5\n"
                   "g empty\ng side\no\nf 6 5 4\n");
    ck_assert_int_eq(mesh.group_count, 3);
    check_group(&mesh, 0, "a table", (int32_t[]){0, 1, 2, 3, 4}, 5);
    check_group(&mesh, 1, "side", (int32_t[]){0, 2, 3, 4, 5}, 5);
    check_group(&mesh, 2, "top", (int32_t[]){0, 2, 3}, 3);
    drape_mesh_data_free(&mesh);
}
END_TEST

// Many names must cost no more than few: quadratic time would take minutes here.
START_TEST(many_groups_are_fast)
{
    enum { COUNT = 50000 };
    size_t capacity = 64 + COUNT * 40;
    char* text = malloc(capacity);
    ck_assert_ptr_nonnull(text);
    size_t length = (size_t)snprintf(text, capacity, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for (int k = 0; k < COUNT; ++k) {
        length += (size_t)snprintf(text + length, capacity - length, "g part%d\nf 1 2 3\n", k);
    }
    drape_mesh_data mesh = parse_fine(text);
    ck_assert_int_eq(mesh.group_count, COUNT);
    drape_mesh_data_free(&mesh);
    free(text);
}
END_TEST

// --- Refusing ---

#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static const struct {
    const char* text;
    const char* sentence;
} refusals[] = {
    {"", "f.obj: expected a mesh, found no vertices"},
    {"# nothing\n", "f.obj: expected a mesh, found no vertices"},
    {THREE, "f.obj: expected a mesh, found no faces"},
    {"\x7f\x45\x4c\x46\x02\x01", "found no vertices"},
    {"v", "f.obj:1: expected the number x of a vertex, found the end of the file"},
    {"v 1 2\n", "f.obj:1: expected the number z of a vertex, found the end of the line"},
    {"# a\nv 1 two 3\n", "f.obj:2: expected the number y of a vertex, found \"two\""},
    {"v 1 2 3abc\n", "f.obj:1: expected the number z of a vertex, found \"3abc\""},
    {"v 1,5 2 3\n", "f.obj:1: expected the number x of a vertex, found \"1,5\""},
    {"v 1 2 3 x\n", "f.obj:1: expected a number or the end of the line, found \"x\""},
    {"v nan 0 0\n", "f.obj:1: expected the number x of a vertex to be finite, found \"nan\""},
    {"v 0 -inf 0\n", "to be finite"},
    {"v 0 0 1e39\n", "to be finite"},
    {"v 1 \\\n\\\n \x01\x1b[7m 3\n", "f.obj:3: expected the number y of a vertex, found \"??[7m\""},
    {THREE "vt\n", "f.obj:4: expected the number u of a texture coordinate"},
    {THREE "vt 0 inf\n", "f.obj:4: expected the number v of a texture coordinate to be finite"},
    {THREE "f 1 2\n", "f.obj:4: expected a face of at least 3 corners, found 2"},
    {THREE "f\n", "f.obj:4: expected a face of at least 3 corners, found 0"},
    {THREE "f 1 2 4\n", "f.obj:4: expected the number of one of the 3 v lines so far, found 4"},
    {THREE "f 1 2 0\n", "f.obj:4: expected the number of one of the 3 v lines so far, found 0"},
    {THREE "f 1 2 -4\n", "found -4"},
    {THREE "f 1 2 99999999999999999999\n", "f.obj:4: expected the number of one of the 3 v lines"},
    {THREE "f 1 2 -99999999999999999999\n", "f.obj:4: expected the number of one of the 3 v lines"},
    {THREE "f 1/1 2/1 3/1\n",
     "f.obj:4: expected the number of one of the 0 vt lines so far, found 1"},
    {THREE "f 1 2 x\n", "f.obj:4: expected the number of a v, found \"x\""},
    {THREE "vt 0 0\nf 1/ 2 3\n", "f.obj:5: expected the number of a vt"},
    {THREE "f 1// 2 3\n", "f.obj:4: expected the number of a vn"},
    {THREE "f 1 2 3.5\n",
     "f.obj:4: expected a face corner such as 1, 1/1, 1//1 or 1/1/1, found \".5\""},
    {THREE "f 1//1/1 2 3\n", "f.obj:4: expected a face corner"},
    {"f 1 2 3\n" THREE, "f.obj:1: expected the number of one of the 0 v lines so far"},
    {"g 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n o p q r s t u v w x y z\n",
     "f.obj:1: expected at most 32 groups in a line"},
};

START_TEST(refuses_with_a_sentence)
{
    drape_mesh_data mesh;
    drape_error error = {0};
    ck_assert(!parse(refusals[_i].text, &mesh, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, refusals[_i].sentence);
    ck_assert_ptr_null(mesh.positions);
    ck_assert(!parse(refusals[_i].text, &mesh, NULL));
}
END_TEST

// Cut off at the zero two groups would have one name.
START_TEST(zero_bytes_in_names_are_refused)
{
    static const char* const names[] = {"g a b\0c", "g \0", "o \0", "o a \0"};
    static const size_t lengths[] = {7, 3, 3, 5};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        char text[64] = THREE;
        size_t start = strlen(text);
        memcpy(text + start, names[k], lengths[k]);
        memcpy(text + start + lengths[k], "\nf 1 2 3\n", 9);
        drape_mesh_data mesh;
        drape_error error = {0};
        ck_assert(!dr_obj_parse(text, start + lengths[k] + 9, "f.obj", &mesh, &error));
        test_error_has(&error, DRAPE_ERROR_INPUT, "f.obj:4: expected a name, found a zero byte");
        ck_assert_ptr_null(mesh.groups);
    }
}
END_TEST

START_TEST(vast_polygons_are_refused_unless_convex)
{
    enum { COUNT = 4098 };
    static char text[COUNT * 64];
    for (int dent = 0; dent < 2; ++dent) {
        size_t length = 0;
        for (int k = 0; k < COUNT; ++k) {
            double angle = 6.283185307179586 * k / COUNT;
            double radius = dent && k == 7 ? 500.0 : 1000.0;
            length += (size_t)snprintf(text + length, sizeof text - length, "v %.9g 0 %.9g\n",
                                       radius * cos(angle), radius * sin(angle));
        }
        text[length++] = 'f';
        for (int k = 1; k <= COUNT; ++k) {
            length += (size_t)snprintf(text + length, sizeof text - length, " %d", k);
        }
        drape_mesh_data mesh;
        drape_error error = {0};
        ck_assert_int_eq(parse(text, &mesh, &error), !dent);
        ck_assert_int_eq(mesh.triangle_count, dent ? 0 : COUNT - 2);
        if (dent) {
            test_error_has(&error, DRAPE_ERROR_INPUT, "f.obj:4099: expected at most 4096 corners");
        }
        drape_mesh_data_free(&mesh);
    }
}
END_TEST

START_TEST(missing_file_is_the_input)
{
    drape_mesh_data mesh;
    drape_error error = {0};
    ck_assert(!drape_mesh_read("no/such/mesh.obj", &mesh, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "no/such/mesh.obj: ");
    ck_assert_ptr_null(mesh.positions);
}
END_TEST

static const char sample[] =
    "# sample\r\no thing one\nv 0 0 0\nv 1.25 0 -3.5e-2 1\nv 1 1 0\nv 0 1 0.5\n"
    "v 2 0.5 0\nvt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\ng left right\n"
    "f 1/1/1 2/2/1 3/3/1 4/1/1\nusemtl x\ng right\nf -1//1 -2//1 \\\n -3//1\n"
    "f 1 5 2 3 4\n";

START_TEST(damaged_files_are_survived)
{
    test_mesh_parser_survives(dr_obj_parse, sample, sizeof sample - 1, 20000, 11);
}
END_TEST

// --- Writing ---

START_TEST(round_trip_is_exact)
{
    test_mesh_round_trip("m.obj", 12);
    test_mesh_round_trip("m.Obj", 13);
}
END_TEST

START_TEST(bad_meshes_are_not_written)
{
    test_folder folder = test_folder_make();
    drape_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int32_t triangles[3] = {0, 1, 2};
    drape_mesh_view view = {
        .positions = positions, .triangles = triangles, .vertex_count = 3, .triangle_count = 1};
    drape_error error;
    ck_assert(!drape_mesh_write(test_path(&folder, "m.stl"), &view, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "expected a name that ends in .obj or .ply");
    triangles[2] = 3;
    ck_assert(!drape_mesh_write(test_path(&folder, "m.obj"), &view, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "triangle 0 names vertex 3 of 3");
    triangles[2] = 2;
    positions[1].y = NAN;
    ck_assert(!drape_mesh_write(test_path(&folder, "m.obj"), &view, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "vertex 1 is not finite");
    positions[1].y = 0.0f;
    ck_assert(!drape_mesh_write(test_path(&folder, "absent/m.obj"), &view, &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, "/absent/m.obj: could not write the file");
    ck_assert_int_eq(test_folder_count(&folder), 0);
    // A line of vertices without triangles is a cloth too.
    view.triangle_count = 0;
    ck_assert(drape_mesh_write(test_path(&folder, "m.obj"), &view, &error));
    test_folder_remove(&folder);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("obj");
    TCase* reading = tcase_create("reading");
    tcase_add_test(reading, vertices_keep_their_order);
    tcase_add_test(reading, corners_of_all_forms);
    tcase_add_test(reading, lines_of_all_kinds);
    tcase_add_test(reading, relative_numbers_count_from_their_line);
    tcase_add_test(reading, polygons_are_cut);
    tcase_add_test(reading, uv_first_seen_counts);
    tcase_add_test(reading, groups_are_sets_of_vertices);
    tcase_add_test(reading, many_groups_are_fast);
    suite_add_tcase(suite, reading);
    TCase* refusing = tcase_create("refusing");
    tcase_add_loop_test(refusing, refuses_with_a_sentence, 0,
                        (int)(sizeof refusals / sizeof refusals[0]));
    tcase_add_test(refusing, zero_bytes_in_names_are_refused);
    tcase_add_test(refusing, vast_polygons_are_refused_unless_convex);
    tcase_add_test(refusing, missing_file_is_the_input);
    tcase_add_test(refusing, damaged_files_are_survived);
    suite_add_tcase(suite, refusing);
    TCase* writing = tcase_create("writing");
    tcase_add_test(writing, round_trip_is_exact);
    tcase_add_test(writing, bad_meshes_are_not_written);
    suite_add_tcase(suite, writing);
    return test_run(suite);
}
