// Hashes, the log, asserts and the clock.
#include <signal.h>
#include <string.h>

#include "core/base.h"
#include "core_test.h"

START_TEST(hash_is_fnv_1a)
{
    // Test vectors published with the function.
    static const struct {
        const char* text;
        uint64_t hash;
    } known[] = {
        {"", 0xcbf29ce484222325ull},
        {"a", 0xaf63dc4c8601ec8cull},
        {"b", 0xaf63df4c8601f1a5ull},
        {"foobar", 0x85944171f73967e8ull},
    };
    for (size_t i = 0; i < 4; ++i) {
        uint64_t hash = dr_hash_bytes(DR_HASH_START, known[i].text, strlen(known[i].text));
        ck_assert_uint_eq(hash, known[i].hash);
    }
}
END_TEST

START_TEST(hash_goes_on_where_it_stopped)
{
    const char* text = "warp and weft";
    uint64_t whole = dr_hash_bytes(DR_HASH_START, text, strlen(text));
    for (size_t cut = 0; cut <= strlen(text); ++cut) {
        uint64_t first = dr_hash_bytes(DR_HASH_START, text, cut);
        ck_assert_uint_eq(dr_hash_bytes(first, text + cut, strlen(text) - cut), whole);
    }
}
END_TEST

START_TEST(floats_hash_low_byte_first)
{
    const float values[2] = {1.0f, -2.5f};
    const unsigned char bytes[8] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0};
    ck_assert_uint_eq(dr_hash_floats(DR_HASH_START, values, 2),
                      dr_hash_bytes(DR_HASH_START, bytes, 8));
    // Bits, not values: the two zeros differ.
    const float zeros[2] = {0.0f, -0.0f};
    ck_assert_uint_ne(dr_hash_floats(DR_HASH_START, &zeros[0], 1),
                      dr_hash_floats(DR_HASH_START, &zeros[1], 1));
}
END_TEST

// What the host heard last.
typedef struct heard {
    int count;
    drape_log_level level;
    char sentence[1024];
    int line;
    bool may_go_on;
} heard;

static void listen(void* user, drape_log_level level, const char* sentence)
{
    heard* ear = user;
    ++ear->count;
    ear->level = level;
    strncpy(ear->sentence, sentence, sizeof(ear->sentence) - 1);
}

static bool judge(void* user, const char* condition, const char* file, int line)
{
    heard* ear = user;
    ++ear->count;
    ear->line = line;
    strncpy(ear->sentence, condition, sizeof(ear->sentence) - 1);
    ck_assert_ptr_nonnull(strstr(file, "test_base.c"));
    return ear->may_go_on;
}

START_TEST(log_formats_a_sentence)
{
    heard ear = {0};
    dr_host host = {.log = listen, .log_user = &ear};
    dr_log(&host, DRAPE_LOG_WARNING, "%d vertices of %s", 7, "towel");
    ck_assert_int_eq(ear.count, 1);
    ck_assert_int_eq(ear.level, DRAPE_LOG_WARNING);
    ck_assert_str_eq(ear.sentence, "7 vertices of towel");
}
END_TEST

START_TEST(log_cuts_long_sentences)
{
    char text[900];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    heard ear = {0};
    dr_host host = {.log = listen, .log_user = &ear};
    dr_log(&host, DRAPE_LOG_INFO, "%s", text);
    ck_assert_uint_eq(strlen(ear.sentence), 511);
}
END_TEST

START_TEST(log_needs_no_listener)
{
    dr_host deaf = {0};
    dr_log(&deaf, DRAPE_LOG_ERROR, "nobody hears %s", "this");
    dr_log(NULL, DRAPE_LOG_ERROR, "nor this");
}
END_TEST

START_TEST(handler_may_let_the_program_go_on)
{
    heard ear = {.may_go_on = true};
    dr_host host = {.on_assert = judge, .assert_user = &ear};
    ck_assert(dr_assert_failed(&host, "hem < seam", "test_base.c", 12));
    ck_assert_str_eq(ear.sentence, "hem < seam");
    ck_assert_int_eq(ear.line, 12);
    ear.may_go_on = false;
    ck_assert(!dr_assert_failed(&host, "hem < seam", "test_base.c", 13));
    ck_assert_int_eq(ear.count, 2);
}
END_TEST

#ifndef DRAPE_NO_ASSERT
START_TEST(assert_asks_the_handler_only_when_it_fails)
{
    heard ear = {.may_go_on = true};
    dr_host host = {.on_assert = judge, .assert_user = &ear};
    int evaluated = 0;
    DR_ASSERT_HOST(&host, ++evaluated == 1);
    ck_assert_int_eq(ear.count, 0);
    DR_ASSERT_HOST(&host, ++evaluated == 1);
    ck_assert_int_eq(ear.count, 1);
    ck_assert_str_eq(ear.sentence, "++evaluated == 1");
    ck_assert_int_eq(evaluated, 2);
}
END_TEST

START_TEST(assert_without_handler_stops_the_program)
{
    DR_ASSERT(1 + 1 == 3);
}
END_TEST
#endif

START_TEST(clock_never_goes_back)
{
    double before = dr_now_ms();
    double start = before;
    for (int i = 0; i < 10000; ++i) {
        double now = dr_now_ms();
        ck_assert_double_ge(now, before);
        before = now;
    }
    // It moves, and in milliseconds: ten thousand looks take more than a microsecond.
    ck_assert_double_gt(before - start, 1e-3);
    ck_assert_double_lt(before - start, 60e3);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("base");
    TCase* cases = tcase_create("base");
    tcase_add_test(cases, hash_is_fnv_1a);
    tcase_add_test(cases, hash_goes_on_where_it_stopped);
    tcase_add_test(cases, floats_hash_low_byte_first);
    tcase_add_test(cases, log_formats_a_sentence);
    tcase_add_test(cases, log_cuts_long_sentences);
    tcase_add_test(cases, log_needs_no_listener);
    tcase_add_test(cases, handler_may_let_the_program_go_on);
#ifndef DRAPE_NO_ASSERT
    tcase_add_test(cases, assert_asks_the_handler_only_when_it_fails);
    // Stops its process, so it needs one of its own.
    const char* fork = getenv("CK_FORK");
    if (fork == NULL || strcmp(fork, "no") != 0) {
        tcase_add_test_raise_signal(cases, assert_without_handler_stops_the_program, SIGABRT);
    }
#endif
    tcase_add_test(cases, clock_never_goes_back);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
