// io_test.h: what the tests of files share: a directory of their own, random numbers, damaged
// copies.
#ifndef IO_TEST_H
#define IO_TEST_H

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <drape/io.h>

// --- A directory of their own ---

typedef struct test_folder {
    char path[256];
} test_folder;

static inline test_folder test_folder_make(void)
{
    test_folder folder;
    const char* parent = getenv("TMPDIR");
    snprintf(folder.path, sizeof folder.path, "%s/drape-test-XXXXXX", parent ? parent : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder.path));
    return folder;
}

// Number of entries; temporary files that were left behind count.
static inline int test_folder_count(const test_folder* folder)
{
    int count = 0;
    DIR* directory = opendir(folder->path);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return count;
}

// A path in the folder; good until the fourth call after.
static inline const char* test_path(const test_folder* folder, const char* name)
{
    static char paths[4][1024];
    static int next = 0;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder->path, name);
    return paths[next];
}

// Removes the folder, which holds plain files and empty directories only.
static inline void test_folder_remove(const test_folder* folder)
{
    DIR* directory = opendir(folder->path);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            ck_assert_int_eq(remove(test_path(folder, entry->d_name)), 0);
        }
    }
    closedir(directory);
    ck_assert_int_eq(rmdir(folder->path), 0);
}

static inline void test_file_write(const char* path, const void* data, size_t size)
{
    FILE* file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

// The whole file with a zero behind it, to be freed.
static inline char* test_file_read(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char* data = calloc(*size + 1, 1);
    ck_assert_ptr_nonnull(data);
    ck_assert_uint_eq(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

// --- Sentences ---

static inline void test_error_has(const drape_error* error, drape_error_kind kind,
                                  const char* words)
{
    ck_assert_msg(error->kind == kind, "kind %d of \"%s\"", (int)error->kind, error->sentence);
    ck_assert_msg(strstr(error->sentence, words) != NULL, "\"%s\" lacks \"%s\"", error->sentence,
                  words);
}

// --- Random numbers, the same in every run ---

static inline uint64_t test_random(uint64_t* state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// Any finite float, very small ones and both zeros included.
static inline float test_random_float(uint64_t* state)
{
    for (;;) {
        uint32_t bits = (uint32_t)(test_random(state) >> 16);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

// --- Damaged copies ---

// A copy of the data that is damaged in up to four ways, in a block of just its size, so that a
// sanitizer sees every byte read beyond it. To be freed.
static inline char* test_damage(const char* data, size_t size, uint64_t* state,
                                size_t* damaged_size)
{
    static const char* const pieces[] = {
        "-1", "999999999999", "1e99",       "nan", "\n",          " ",
        "/",  "\\\n",         "4294967296", "#",   "f 1 2 3 4\n", "list "};
    char* copy = malloc(size + 256);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, data, size);
    for (uint64_t k = test_random(state) % 4 + 1; k > 0 && size > 1; --k) {
        size_t at = test_random(state) % size;
        const char* piece = pieces[test_random(state) % (sizeof pieces / sizeof pieces[0])];
        size_t length = strlen(piece);
        switch (test_random(state) % 5) {
        case 0: copy[at] = (char)test_random(state); break;
        case 1: copy[at] ^= (char)(1 << test_random(state) % 8); break;
        case 2: size = at; break;
        case 3:
            memmove(copy + at + length, copy + at, size - at);
            memcpy(copy + at, piece, length);
            size += length;
            break;
        default:
            memmove(copy + at, copy + at + 1, size - at - 1);
            --size;
            break;
        }
    }
    char* exact = malloc(size > 0 ? size : 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, copy, size);
    free(copy);
    *damaged_size = size;
    return exact;
}

// --- Meshes ---

typedef bool test_mesh_parser(const char* data, size_t size, const char* name,
                              drape_mesh_data* mesh, drape_error* error);

// What every mesh that a reader accepts must be.
static inline void test_mesh_is_sound(const drape_mesh_data* mesh)
{
    ck_assert_int_gt(mesh->vertex_count, 0);
    ck_assert_int_gt(mesh->triangle_count, 0);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        drape_vec3 p = mesh->positions[v];
        ck_assert(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
        ck_assert(mesh->uv == NULL || (isfinite(mesh->uv[2 * v]) && isfinite(mesh->uv[2 * v + 1])));
    }
    for (int k = 0; k < 3 * mesh->triangle_count; ++k) {
        ck_assert(mesh->triangles[k] >= 0 && mesh->triangles[k] < mesh->vertex_count);
    }
    for (int g = 0; g < mesh->group_count; ++g) {
        const drape_mesh_group* group = &mesh->groups[g];
        ck_assert_ptr_nonnull(group->name);
        ck_assert_int_gt(group->vertex_count, 0);
        for (int k = 0; k < group->vertex_count; ++k) {
            int before = k > 0 ? group->vertices[k - 1] : -1;
            ck_assert(group->vertices[k] > before && group->vertices[k] < mesh->vertex_count);
        }
    }
}

// Parses what may be wrong: a sound mesh, or an empty one with a sentence that names the file.
static inline bool test_mesh_parse_safely(test_mesh_parser* parse, const char* data, size_t size)
{
    drape_mesh_data mesh;
    drape_error error = {DRAPE_ERROR_NONE, ""};
    bool is_read = parse(data, size, "some-file", &mesh, &error);
    if (is_read) {
        test_mesh_is_sound(&mesh);
    } else {
        test_error_has(&error, DRAPE_ERROR_INPUT, "some-file");
        ck_assert(mesh.positions == NULL && mesh.triangles == NULL && mesh.uv == NULL);
        ck_assert_int_eq(mesh.vertex_count + mesh.triangle_count + mesh.group_count, 0);
    }
    drape_mesh_data_free(&mesh);
    return is_read;
}

// Every shortened copy of the data, then `count` damaged ones.
static inline void test_mesh_parser_survives(test_mesh_parser* parse, const char* data, size_t size,
                                             int count, uint64_t seed)
{
    for (size_t length = 0; length < size; ++length) {
        char* exact = malloc(length > 0 ? length : 1);
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, data, length);
        test_mesh_parse_safely(parse, exact, length);
        free(exact);
    }
    int accepted = 0;
    for (int k = 0; k < count; ++k) {
        size_t damaged_size;
        char* damaged = test_damage(data, size, &seed, &damaged_size);
        accepted += test_mesh_parse_safely(parse, damaged, damaged_size);
        free(damaged);
    }
    // Damage that is always or never noticed would test nothing.
    ck_assert_int_gt(accepted, 0);
    ck_assert_int_lt(accepted, count);
}

static inline double test_mesh_area_y(const drape_mesh_data* mesh)
{
    double area = 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        drape_vec3 a = mesh->positions[mesh->triangles[3 * t]];
        drape_vec3 b = mesh->positions[mesh->triangles[3 * t + 1]];
        drape_vec3 c = mesh->positions[mesh->triangles[3 * t + 2]];
        area += 0.5 * (((double)b.z - a.z) * ((double)c.x - a.x) -
                       ((double)b.x - a.x) * ((double)c.z - a.z));
    }
    return area;
}

// Writes and reads a mesh of any floats and any triangles, with and without uv.
static inline void test_mesh_round_trip(const char* name, uint64_t seed)
{
    enum { VERTEX_COUNT = 5000, TRIANGLE_COUNT = 4000 };
    static drape_vec3 positions[VERTEX_COUNT];
    static float uv[2 * VERTEX_COUNT];
    static int32_t triangles[3 * TRIANGLE_COUNT];
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        positions[v] = (drape_vec3){test_random_float(&seed), test_random_float(&seed),
                                    test_random_float(&seed)};
        uv[2 * v] = test_random_float(&seed);
        uv[2 * v + 1] = test_random_float(&seed);
    }
    for (int k = 0; k < 3 * TRIANGLE_COUNT; ++k) {
        triangles[k] = (int32_t)(test_random(&seed) % VERTEX_COUNT);
    }
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, name);
    for (int has_uv = 0; has_uv < 2; ++has_uv) {
        drape_mesh_view view = {.positions = positions,
                                .uv = has_uv ? uv : NULL,
                                .triangles = triangles,
                                .vertex_count = VERTEX_COUNT,
                                .triangle_count = TRIANGLE_COUNT};
        drape_mesh_data mesh;
        drape_error error = {DRAPE_ERROR_NONE, ""};
        ck_assert_msg(drape_mesh_write(path, &view, &error), "%s", error.sentence);
        ck_assert_msg(drape_mesh_read(path, &mesh, &error), "%s", error.sentence);
        ck_assert_int_eq(mesh.vertex_count, VERTEX_COUNT);
        ck_assert_int_eq(mesh.triangle_count, TRIANGLE_COUNT);
        ck_assert(memcmp(mesh.positions, positions, sizeof positions) == 0);
        ck_assert(memcmp(mesh.triangles, triangles, sizeof triangles) == 0);
        ck_assert(has_uv ? memcmp(mesh.uv, uv, sizeof uv) == 0 : mesh.uv == NULL);
        drape_mesh_data_free(&mesh);
    }
    ck_assert_int_eq(test_folder_count(&folder), 1);
    test_folder_remove(&folder);
}

// --- Running ---

static inline int test_run(Suite* suite)
{
    SRunner* runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
