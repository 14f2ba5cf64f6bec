// core/base.h: asserts, logging, time, hash. Small things that everybody uses.
//
// Misuse by the programmer meets an assert. The handler of the world is asked first and may let the
// program go on; without one the program stops with a message. Asserts are alive unless
// DRAPE_NO_ASSERT is defined, which release builds do.
#ifndef DR_BASE_H
#define DR_BASE_H

#include <drape/types.h>

// What the world's definition says about trouble: who listens, who decides.
typedef struct dr_host {
    drape_log_fn* log;
    void* log_user;
    drape_assert_fn* on_assert;
    void* assert_user;
} dr_host;

// Returns true when the program may go on. `host` may be null.
bool dr_assert_failed(const dr_host* host, const char* condition, const char* file, int line);
_Noreturn void dr_abort(void);

// Without asserts the condition is still compiled, so what only an assert reads is not "unused".
#ifndef DRAPE_NO_ASSERT
#    define DR_ASSERT_HOST(host, condition)                                              \
        ((condition) || dr_assert_failed(host, #condition, __FILE__, __LINE__) ? (void)0 \
                                                                               : dr_abort())
#else
#    define DR_ASSERT_HOST(host, condition) ((void)sizeof(host), (void)sizeof(!(condition)))
#endif
#define DR_ASSERT(condition) DR_ASSERT_HOST(NULL, condition)

// Whole-state checks that cost as much as the work itself: on with -DDRAPE_VALIDATE (debug tests).
#ifdef DRAPE_VALIDATE
#    define DR_VALIDATE(condition) DR_ASSERT(condition)
#else
#    define DR_VALIDATE(condition) ((void)0)
#endif

// One sentence to the host's log; nothing without a log. Formats like printf, at most 511 letters.
void dr_log(const dr_host* host, drape_log_level level, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Monotonic milliseconds.
double dr_now_ms(void);

// 64-bit FNV-1a hash, continued from `seed` (start with DR_HASH_START): hashing two pieces one
// after the other gives the hash of both together.
#define DR_HASH_START 0xcbf29ce484222325ull
uint64_t dr_hash_bytes(uint64_t seed, const void* bytes, size_t count);
// The same over the bits of floats, low byte first, so that equal values hash equal on every
// machine.
uint64_t dr_hash_floats(uint64_t seed, const float* values, size_t count);

#endif
