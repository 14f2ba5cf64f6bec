// core/isa.h: choosing among the compiled instruction sets at run time.
//
// A kernel file exports one constant table of function pointers per instruction set, named
// TABLE_plain, TABLE_sse2 and so on; `TABLE_for(isa)`, by DR_KERNEL_TABLE(TABLE), picks one.
#ifndef DR_ISA_H
#define DR_ISA_H

#include <drape/types.h>

// AUTO becomes the best set this machine has; a set it lacks becomes AUTO's choice.
drape_isa dr_isa_resolve(drape_isa wanted);
// True when kernels for the set were compiled in and this machine can run them.
bool dr_isa_available(drape_isa isa);
const char* dr_isa_name(drape_isa isa);

#if defined(__x86_64__) || defined(_M_X64)
#    define DR_KERNEL_TABLE(table)                                 \
        extern const table table##_plain, table##_sse2, table##_avx2; \
        const table* table##_for(drape_isa isa)                    \
        {                                                          \
            switch (isa) {                                         \
            case DRAPE_ISA_AVX2: return &table##_avx2;             \
            case DRAPE_ISA_SSE2: return &table##_sse2;             \
            default: return &table##_plain;                        \
            }                                                      \
        }
#elif defined(__aarch64__)
#    define DR_KERNEL_TABLE(table)                                      \
        extern const table table##_plain, table##_neon;                 \
        const table* table##_for(drape_isa isa)                         \
        {                                                               \
            return isa == DRAPE_ISA_NEON ? &table##_neon : &table##_plain; \
        }
#elif defined(__wasm_simd128__)
#    define DR_KERNEL_TABLE(table)                                      \
        extern const table table##_plain, table##_wasm;                 \
        const table* table##_for(drape_isa isa)                         \
        {                                                               \
            return isa == DRAPE_ISA_WASM ? &table##_wasm : &table##_plain; \
        }
#else
#    define DR_KERNEL_TABLE(table)                 \
        extern const table table##_plain;          \
        const table* table##_for(drape_isa isa)    \
        {                                          \
            (void)isa;                             \
            return &table##_plain;                 \
        }
#endif

#endif
