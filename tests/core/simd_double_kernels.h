// simd_double_kernels.h: core/simd_double.h behind function pointers, one table per instruction
// set.
//
// Vectors cross as plain doubles: four to a dr_d4, twelve to a dr_w4 (x, then y, then z).
#ifndef SIMD_DOUBLE_KERNELS_H
#define SIMD_DOUBLE_KERNELS_H

#include "core/isa.h"

typedef enum double_unary {
    DOUBLE_COPY, // load and store
    DOUBLE_SQRT,
    DOUBLE_NEG,
    DOUBLE_ABS,
    DOUBLE_UNARY_COUNT,
} double_unary;

typedef enum double_binary {
    DOUBLE_ADD,
    DOUBLE_SUB,
    DOUBLE_MUL,
    DOUBLE_DIV,
    DOUBLE_MIN,
    DOUBLE_MAX,
    DOUBLE_LESS,
    DOUBLE_AND,
    DOUBLE_BINARY_COUNT,
} double_binary;

typedef struct simd_double_kernels {
    void (*unary[DOUBLE_UNARY_COUNT])(const double* a, double* out);
    void (*binary[DOUBLE_BINARY_COUNT])(const double* a, const double* b, double* out);
    void (*set)(double a, double* out);
    void (*zero)(double* out);
    void (*select)(const double* mask, const double* yes, const double* no, double* out);
    int (*bits)(const double* mask);
    void (*transpose)(const double* a, double* out); // 16
    void (*w_add)(const double* a, const double* b, double* out);
    void (*w_sub)(const double* a, const double* b, double* out);
    void (*w_cross)(const double* a, const double* b, double* out);
    void (*w_dot)(const double* a, const double* b, double* out);   // out: 4
    void (*w_scale)(const double* a, const double* s, double* out); // s: 4
} simd_double_kernels;

const simd_double_kernels* simd_double_kernels_for(drape_isa isa);

#endif
