#include "core/isa.h"

bool dr_isa_available(drape_isa isa)
{
    switch (isa) {
    case DRAPE_ISA_PLAIN: return true;
#if defined(__x86_64__) || defined(_M_X64)
    case DRAPE_ISA_SSE2: return true;
    case DRAPE_ISA_AVX2: return __builtin_cpu_supports("avx2");
#elif defined(__aarch64__)
    case DRAPE_ISA_NEON: return true;
#elif defined(__wasm_simd128__)
    case DRAPE_ISA_WASM: return true;
#endif
    default: return false;
    }
}

drape_isa dr_isa_resolve(drape_isa wanted)
{
    static const drape_isa best_first[] = {DRAPE_ISA_AVX2, DRAPE_ISA_NEON, DRAPE_ISA_WASM,
                                           DRAPE_ISA_SSE2};
    if (wanted != DRAPE_ISA_AUTO && dr_isa_available(wanted)) {
        return wanted;
    }
    for (size_t i = 0; i < sizeof best_first / sizeof best_first[0]; ++i) {
        if (dr_isa_available(best_first[i])) {
            return best_first[i];
        }
    }
    return DRAPE_ISA_PLAIN;
}

const char* dr_isa_name(drape_isa isa)
{
    static const char* const names[] = {"auto", "plain", "sse2", "avx2", "neon", "wasm"};
    return (unsigned)isa < sizeof names / sizeof names[0] ? names[isa] : "unknown";
}
