// simd_kernels.h: core/simd.h behind function pointers, one table per instruction set.
//
// Vectors cross as plain floats: eight to a dr_f8, twenty-four to a dr_v8 (x, then y, then z).
#ifndef SIMD_KERNELS_H
#define SIMD_KERNELS_H

#include "core/isa.h"

typedef enum simd_unary {
    SIMD_COPY, // load and store
    SIMD_SQRT,
    SIMD_NEG,
    SIMD_ABS,
    SIMD_ROTATE_DOWN,
    SIMD_ROTATE_UP,
    SIMD_UNARY_COUNT,
} simd_unary;

typedef enum simd_binary {
    SIMD_ADD,
    SIMD_SUB,
    SIMD_MUL,
    SIMD_DIV,
    SIMD_MIN,
    SIMD_MAX,
    SIMD_LESS,
    SIMD_AND,
    SIMD_OR,
    SIMD_BINARY_COUNT,
} simd_binary;

typedef struct simd_kernels {
    void (*unary[SIMD_UNARY_COUNT])(const float* a, float* out);
    void (*binary[SIMD_BINARY_COUNT])(const float* a, const float* b, float* out);
    void (*set)(float a, float* out);
    void (*zero)(float* out);
    void (*select)(const float* mask, const float* yes, const float* no, float* out);
    int (*bits)(const float* mask);
    void (*gather4)(const float* base, const int32_t* index, float* out); // out: 4 x 8
    void (*scatter4)(float* base, const int32_t* index, const float* in);
    void (*transpose)(float* rows); // 8 x 8, in place
    void (*v_add)(const float* a, const float* b, float* out);
    void (*v_sub)(const float* a, const float* b, float* out);
    void (*v_cross)(const float* a, const float* b, float* out);
    void (*v_dot)(const float* a, const float* b, float* out);   // out: 8
    void (*v_scale)(const float* a, const float* s, float* out); // s: 8
    void (*v_set)(float x, float y, float z, float* out);
    void (*v_select)(const float* mask, const float* yes, const float* no, float* out);
    void (*v_rotate_down)(const float* a, float* out);
    void (*v_rotate_up)(const float* a, float* out);
} simd_kernels;

const simd_kernels* simd_kernels_for(drape_isa isa);

#endif
