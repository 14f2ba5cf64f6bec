// Point caches: the bytes of both formats, streaming, what is refused, damaged files.
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "io/bytes.h"
#include "io/cache.h"
#include "io/mdd.h"
#include "io/pc2.h"
#include "io_test.h"

typedef bool cache_parser(const char* data, size_t size, const char* name, drape_cache_data* cache,
                          drape_error* error);

static const char* const names[] = {"c.pc2", "c.mdd"};
static cache_parser* const parsers[] = {dr_pc2_parse, dr_mdd_parse};

// Writes `frame_count` frames whose positions are random and returns them, to be freed.
static drape_vec3* write_cache(const char* path, int vertex_count, int frame_count, float fps)
{
    uint64_t state = 31;
    size_t count = (size_t)vertex_count * (size_t)frame_count;
    drape_vec3* positions = malloc(count * sizeof *positions);
    ck_assert_ptr_nonnull(positions);
    for (size_t k = 0; k < count; ++k) {
        positions[k] = (drape_vec3){test_random_float(&state), test_random_float(&state),
                                    test_random_float(&state)};
    }
    drape_error error = {0};
    drape_cache_writer* writer = drape_cache_open(path, vertex_count, fps, &error);
    ck_assert_msg(writer != NULL, "%s", error.sentence);
    for (int frame = 0; frame < frame_count; ++frame) {
        ck_assert(
            drape_cache_append(writer, positions + (size_t)frame * (size_t)vertex_count, &error));
    }
    ck_assert_msg(drape_cache_close(writer, &error), "%s", error.sentence);
    return positions;
}

// --- Round trips ---

START_TEST(frames_come_back)
{
    // From one vertex in one frame to more than the writer's buffer and a longer table than a
    // frame.
    static const int sizes[][2] = {{1, 1}, {1, 2}, {3, 1000}, {5000, 3}, {7, 9000}, {30000, 2}};
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, names[_i]);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        int vertex_count = sizes[k][0], frame_count = sizes[k][1];
        drape_vec3* positions = write_cache(path, vertex_count, frame_count, 30.0f);
        drape_cache_data cache;
        drape_error error = {0};
        ck_assert_msg(drape_cache_read(path, &cache, &error), "%s", error.sentence);
        ck_assert_int_eq(cache.vertex_count, vertex_count);
        ck_assert_int_eq(cache.frame_count, frame_count);
        ck_assert_float_eq(cache.fps, 30.0f);
        size_t size = (size_t)vertex_count * (size_t)frame_count * sizeof *positions;
        ck_assert(memcmp(cache.positions, positions, size) == 0);
        drape_cache_data_free(&cache);
        free(positions);
    }
    ck_assert_int_eq(test_folder_count(&folder), 1);
    test_folder_remove(&folder);
}
END_TEST

// The rate is whole again although the times are floats; a rate that is not whole is not forced.
START_TEST(rate_comes_back_from_mdd)
{
    static const float rates[] = {1.0f, 24.0f, 25.0f, 30.0f, 50.0f, 59.94f, 60.0f, 120.0f, 1000.0f};
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, "c.mdd");
    for (size_t k = 0; k < sizeof rates / sizeof rates[0]; ++k) {
        for (int frame_count = 2; frame_count < 500; frame_count += 61) {
            free(write_cache(path, 1, frame_count, rates[k]));
            drape_cache_data cache;
            ck_assert(drape_cache_read(path, &cache, NULL));
            if (rates[k] == floorf(rates[k])) {
                ck_assert_float_eq(cache.fps, rates[k]);
            } else {
                ck_assert_float_eq_tol(cache.fps, rates[k], 1e-5f * rates[k]);
            }
            drape_cache_data_free(&cache);
        }
    }
    test_folder_remove(&folder);
}
END_TEST

// --- Bytes ---

// The file that three times the same frame makes, to be freed.
static char* make_file(const char* name, const drape_vec3* positions, int vertex_count, float fps,
                       size_t* size)
{
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, name);
    drape_cache_writer* writer = drape_cache_open(path, vertex_count, fps, NULL);
    ck_assert_ptr_nonnull(writer);
    for (int frame = 0; frame < 3; ++frame) {
        ck_assert(drape_cache_append(writer, positions, NULL));
    }
    ck_assert(drape_cache_close(writer, NULL));
    char* data = test_file_read(path, size);
    test_folder_remove(&folder);
    return data;
}

START_TEST(bytes_of_pc2)
{
    const drape_vec3 positions[2] = {{1, 2, 3}, {-1, 0, 0.5f}};
    size_t size;
    char* data = make_file("c.pc2", positions, 2, 24.0f, &size);
    ck_assert_uint_eq(size, 32 + 3 * 2 * 12);
    ck_assert_mem_eq(data, "POINTCACHE2", 12);
    const unsigned char header[20] = {1, 0, 0, 0, 2,   0,  0, 0, 0, 0,
                                      0, 0, 0, 0, 128, 63, 3, 0, 0, 0};
    ck_assert_mem_eq(data + 12, header, sizeof header);
    const unsigned char first[12] = {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64};
    for (size_t frame = 0; frame < 3; ++frame) {
        ck_assert_mem_eq(data + 32 + 24 * frame, first, sizeof first);
    }
    free(data);
}
END_TEST

START_TEST(bytes_of_mdd)
{
    const drape_vec3 positions[1] = {{1, 2, 3}};
    size_t size;
    char* data = make_file("c.mdd", positions, 1, 2.0f, &size);
    ck_assert_uint_eq(size, 20 + 3 * 12);
    // Three frames, one vertex, at 0, 0.5 and 1 s.
    const unsigned char header[20] = {0, 0, 0,  3, 0, 0, 0,  1,   0, 0,
                                      0, 0, 63, 0, 0, 0, 63, 128, 0, 0};
    ck_assert_mem_eq(data, header, sizeof header);
    const unsigned char first[12] = {63, 128, 0, 0, 64, 0, 0, 0, 64, 64, 0, 0};
    for (size_t frame = 0; frame < 3; ++frame) {
        ck_assert_mem_eq(data + 20 + 12 * frame, first, sizeof first);
    }
    free(data);
}
END_TEST

// Half a frame from sample to sample is twice the rate.
START_TEST(sample_rate_of_pc2_counts)
{
    size_t size;
    char* data = make_file("c.pc2", (drape_vec3[1]){{0, 0, 0}}, 1, 30.0f, &size);
    dr_store_float((unsigned char*)data + 24, 0.5f, false);
    drape_cache_data cache;
    ck_assert(dr_pc2_parse(data, size, "f", &cache, NULL));
    ck_assert_float_eq(cache.fps, 60.0f);
    drape_cache_data_free(&cache);
    free(data);
}
END_TEST

// --- Refusing ---

// One change to a good file of 2 frames of 3 vertices: a word at `at`, or the file's size.
static const struct {
    int format; // of `names`
    size_t size, at;
    uint32_t word;
    const char* sentence;
} refusals[] = {
    {0, 0, 0, 0, "f: byte 0: expected the mark POINTCACHE2"},
    {0, 11, 0, 0, "f: byte 0: expected the mark POINTCACHE2"},
    {0, 0, 0, 0x58585858, "f: byte 0: expected the mark POINTCACHE2"},
    {0, 31, 12, 1, "f: byte 31: expected a header of 32 bytes"},
    {0, 104, 12, 2, "f: byte 12: expected version 1, found 2"},
    {0, 104, 16, 0, "f: byte 16: expected at least one vertex and one frame, found 0 and 2"},
    {0, 104, 16, 0x80000000, "expected at least one vertex and one frame, found -2147483648 and 2"},
    {0, 104, 28, 0, "found 3 and 0"},
    {0, 104, 28, 3, "f: byte 16: expected 3 frames of 3 vertices, found only 6 positions"},
    {0, 104, 28, 0x7fffffff, "expected 2147483647 frames of 3 vertices"},
    {0, 104, 24, 0, "f: byte 24: expected a sample rate above zero, found 0"},
    {0, 104, 24, 0x7fc00000, "f: byte 24: expected a sample rate above zero"},
    {0, 103, 12, 1, "expected 2 frames of 3 vertices, found only 5 positions"},
    {0, 104, 32, 0x7f800000, "f: byte 32: expected vertex 0 of frame 0 to be finite"},
    {0, 104, 100, 0xffc00000, "f: byte 92: expected vertex 2 of frame 1 to be finite"},
    {1, 0, 0, 0, "f: byte 0: expected a header of 8 bytes"},
    {1, 7, 0, 2, "f: byte 7: expected a header of 8 bytes"},
    {1, 88, 0, 0, "f: byte 0: expected at least one vertex and one frame, found 3 and 0"},
    {1, 88, 0, 0xffffffff, "found 3 and -1"},
    {1, 88, 0, 0x7fffffff, "expected 2147483647 frames of 3 vertices, found only 0 positions"},
    {1, 88, 4, 0x7fffffff, "expected 2 frames of 2147483647 vertices, found only 6 positions"},
    {1, 87, 4, 3, "expected 2 frames of 3 vertices, found only 5 positions"},
    {1, 88, 12, 0x7f800000, "f: byte 12: expected the time of frame 1 to be finite"},
    {1, 88, 80, 0x7fc00000, "f: byte 76: expected vertex 2 of frame 1 to be finite"},
};

START_TEST(refuses_with_a_sentence)
{
    test_folder folder = test_folder_make();
    int format = refusals[_i].format;
    const char* path = test_path(&folder, names[format]);
    free(write_cache(path, 3, 2, 30.0f));
    size_t size;
    char* data = test_file_read(path, &size);
    ck_assert_uint_le(refusals[_i].size, size);
    dr_store_u32((unsigned char*)data + refusals[_i].at, refusals[_i].word, format == 1);
    drape_cache_data cache;
    drape_error error = {0};
    ck_assert(!parsers[format](data, refusals[_i].size, "f", &cache, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, refusals[_i].sentence);
    ck_assert_ptr_null(cache.positions);
    ck_assert_int_eq(cache.frame_count, 0);
    free(data);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(files_are_told_apart)
{
    test_folder folder = test_folder_make();
    free(write_cache(test_path(&folder, "c.pc2"), 3, 2, 30.0f));
    drape_cache_data cache;
    drape_error error = {0};
    ck_assert_int_eq(rename(test_path(&folder, "c.pc2"), test_path(&folder, "c.mdd")), 0);
    ck_assert(drape_cache_read(test_path(&folder, "c.mdd"), &cache, &error));
    ck_assert_int_eq(cache.vertex_count, 3);
    drape_cache_data_free(&cache);
    test_file_write(test_path(&folder, "note.txt"), "hello", 5);
    ck_assert(!drape_cache_read(test_path(&folder, "note.txt"), &cache, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "note.txt: expected a point cache, .pc2 or .mdd");
    ck_assert(!drape_cache_read(test_path(&folder, "absent.pc2"), &cache, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "absent.pc2: could not read the file");
    test_folder_remove(&folder);
}
END_TEST

START_TEST(damaged_files_are_survived)
{
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, names[_i]);
    free(write_cache(path, 5, 4, 30.0f));
    size_t size;
    char* data = test_file_read(path, &size);
    uint64_t state = 41;
    int accepted = 0;
    for (int k = 0; k < 20000; ++k) {
        size_t damaged_size;
        char* damaged = test_damage(data, size, &state, &damaged_size);
        drape_cache_data cache;
        drape_error error = {0};
        bool is_read = parsers[_i](damaged, damaged_size, "some-file", &cache, &error);
        if (is_read) {
            ++accepted;
            ck_assert(cache.vertex_count > 0 && cache.frame_count > 0 && cache.fps > 0.0f);
            size_t count = (size_t)cache.vertex_count * (size_t)cache.frame_count;
            ck_assert_uint_le(12 * count, damaged_size);
            ck_assert(isfinite(cache.positions[count - 1].z));
        } else {
            test_error_has(&error, DRAPE_ERROR_INPUT, "some-file: byte ");
            ck_assert_ptr_null(cache.positions);
        }
        drape_cache_data_free(&cache);
        free(damaged);
    }
    ck_assert(accepted > 0 && accepted < 20000);
    free(data);
    test_folder_remove(&folder);
}
END_TEST

// --- Writing goes wrong ---

START_TEST(bad_requests_are_refused)
{
    test_folder folder = test_folder_make();
    drape_error error = {0};
    ck_assert_ptr_null(drape_cache_open(test_path(&folder, "c.abc"), 3, 30.0f, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "expected a name that ends in .pc2 or .mdd");
    ck_assert_ptr_null(drape_cache_open(test_path(&folder, "c.pc2"), 0, 30.0f, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "expected vertices and a rate above zero");
    ck_assert_ptr_null(drape_cache_open(test_path(&folder, "c.pc2"), 3, NAN, &error));
    ck_assert_ptr_null(drape_cache_open(test_path(&folder, "absent/c.pc2"), 3, 30.0f, &error));
    test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(ENOENT));
    ck_assert_int_eq(test_folder_count(&folder), 0);
    test_folder_remove(&folder);
}
END_TEST

START_TEST(nothing_is_left_of_what_is_not_closed)
{
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, names[_i]);
    drape_vec3 positions[2] = {{0, 0, 0}, {0, 0, 0}};
    drape_error error = {0};
    drape_cache_writer* writer = drape_cache_open(path, 2, 30.0f, &error);
    ck_assert_ptr_nonnull(writer);
    ck_assert(drape_cache_append(writer, positions, &error));
    positions[1].z = -INFINITY;
    ck_assert(!drape_cache_append(writer, positions, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "frame 1 not written, vertex 1 is not finite");
    drape_cache_discard(writer);
    ck_assert_int_eq(test_folder_count(&folder), 0);
    // Nor of what has no frames.
    writer = drape_cache_open(path, 2, 30.0f, &error);
    ck_assert_ptr_nonnull(writer);
    ck_assert(!drape_cache_close(writer, &error));
    test_error_has(&error, DRAPE_ERROR_INPUT, "it has no frames");
    ck_assert_int_eq(test_folder_count(&folder), 0);
    drape_cache_discard(NULL);
    test_folder_remove(&folder);
}
END_TEST

// A limit on the size of files stands in for a full disk: in the frames, or, for MDD, when the
// table of times is put in at the end.
START_TEST(full_disk_is_told)
{
    enum { VERTEX_COUNT = 1000, FRAME_COUNT = 100 };
    static const rlim_t limits[] = {500000, 32 + 12 * VERTEX_COUNT * FRAME_COUNT - 1, 1200020};
    static drape_vec3 positions[VERTEX_COUNT];
    int format = _i / 3;
    if (format == 0 && _i % 3 == 2) {
        return;
    }
    test_folder folder = test_folder_make();
    const char* path = test_path(&folder, names[format]);
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit limit = {limits[_i % 3], before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    drape_error error = {0};
    drape_cache_writer* writer = drape_cache_open(path, VERTEX_COUNT, 30.0f, &error);
    ck_assert_ptr_nonnull(writer);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int frame = 0; frame < FRAME_COUNT; ++frame) {
        if (!drape_cache_append(writer, positions, &error)) {
            break;
        }
    }
    bool is_closed = drape_cache_close(writer, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(!is_closed);
    test_error_has(&error, DRAPE_ERROR_SYSTEM, strerror(EFBIG));
    ck_assert_int_eq(test_folder_count(&folder), 0);
    test_folder_remove(&folder);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("cache");
    TCase* trips = tcase_create("round trips");
    tcase_add_loop_test(trips, frames_come_back, 0, 2);
    tcase_add_test(trips, rate_comes_back_from_mdd);
    suite_add_tcase(suite, trips);
    TCase* bytes = tcase_create("bytes");
    tcase_add_test(bytes, bytes_of_pc2);
    tcase_add_test(bytes, bytes_of_mdd);
    tcase_add_test(bytes, sample_rate_of_pc2_counts);
    suite_add_tcase(suite, bytes);
    TCase* refusing = tcase_create("refusing");
    tcase_add_loop_test(refusing, refuses_with_a_sentence, 0,
                        (int)(sizeof refusals / sizeof refusals[0]));
    tcase_add_test(refusing, files_are_told_apart);
    tcase_add_loop_test(refusing, damaged_files_are_survived, 0, 2);
    suite_add_tcase(suite, refusing);
    TCase* writing = tcase_create("writing");
    tcase_add_test(writing, bad_requests_are_refused);
    tcase_add_loop_test(writing, nothing_is_left_of_what_is_not_closed, 0, 2);
    tcase_add_loop_test(writing, full_disk_is_told, 0, 6);
    suite_add_tcase(suite, writing);
    return test_run(suite);
}
