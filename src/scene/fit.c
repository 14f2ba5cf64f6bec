#include "scene/fit.h"

#include <math.h>

#include "core/vec_math.h"

void dr_fit_begin(dr_fit* fit)
{
    *fit = (dr_fit){0};
}

void dr_fit_add(dr_fit* fit, int pass, drape_vec3 from, drape_vec3 to)
{
    const double p[3] = {from.x, from.y, from.z}, q[3] = {to.x, to.y, to.z};
    fit->count += pass == 0;
    for (int i = 0; i < 3; ++i) {
        if (pass == 0) {
            fit->from[i] += p[i];
            fit->to[i] += q[i];
            continue;
        }
        for (int j = 0; j < 3; ++j) {
            fit->moments[i][j] += (q[i] - fit->to[i]) * (p[j] - fit->from[j]);
        }
    }
}

void dr_fit_turn(dr_fit* fit, int pass)
{
    for (int i = 0; pass == 0 && fit->count > 0 && i < 3; ++i) {
        fit->from[i] /= fit->count;
        fit->to[i] /= fit->count;
    }
}

// Horn's matrix, over quaternions w x y z.
static void fill_matrix(const dr_fit* fit, double n[4][4])
{
    const double(*m)[3] = fit->moments;
    const double upper[4][4] = {
        {m[0][0] + m[1][1] + m[2][2], m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]},
        {0.0, m[0][0] - m[1][1] - m[2][2], m[1][0] + m[0][1], m[0][2] + m[2][0]},
        {0.0, 0.0, m[1][1] - m[0][0] - m[2][2], m[2][1] + m[1][2]},
        {0.0, 0.0, 0.0, m[2][2] - m[0][0] - m[1][1]}};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            n[i][j] = i < j ? upper[i][j] : upper[j][i];
        }
    }
}

// One Jacobi rotation: n[p][q] becomes zero, the columns of v turn along.
static void rotate_away(double n[4][4], double v[4][4], int p, int q)
{
    if (n[p][q] == 0.0) {
        return;
    }
    double half = (n[q][q] - n[p][p]) / (2.0 * n[p][q]);
    double t = (half < 0.0 ? -1.0 : 1.0) / (fabs(half) + sqrt(half * half + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 4; ++k) {
        double a = n[k][p], b = n[k][q];
        n[k][p] = c * a - s * b;
        n[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 4; ++k) {
        double a = n[p][k], b = n[q][k];
        n[p][k] = c * a - s * b;
        n[q][k] = s * a + c * b;
        a = v[k][p];
        b = v[k][q];
        v[k][p] = c * a - s * b;
        v[k][q] = s * a + c * b;
    }
}

// Eigenvalues onto the diagonal of n, eigenvectors into the columns of v.
static void diagonalize(double n[4][4], double v[4][4])
{
    for (int i = 0; i < 16; ++i) {
        v[i / 4][i % 4] = i % 5 == 0;
    }
    // It converges quadratically; four or five rounds are enough.
    for (int round = 0; round < 12; ++round) {
        for (int p = 0; p < 3; ++p) {
            for (int q = p + 1; q < 4; ++q) {
                rotate_away(n, v, p, q);
            }
        }
    }
}

// The part of `before` in the space of the greatest eigenvalue; one of its vectors when there is
// none.
static drape_quat nearest_best(const double n[4][4], const double v[4][4], const double before[4])
{
    double sum[4] = {0}, size = 0.0;
    int top = 0;
    for (int k = 0; k < 4; ++k) {
        top = n[k][k] > n[top][top] ? k : top;
        size = fmax(size, fabs(n[k][k]));
    }
    for (int k = 0; k < 4; ++k) {
        double along = 0.0;
        for (int i = 0; i < 4; ++i) {
            along += v[i][k] * before[i];
        }
        for (int i = 0; n[k][k] >= n[top][top] - 1e-9 * size && i < 4; ++i) {
            sum[i] += along * v[i][k];
        }
    }
    double squared = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3];
    for (int i = 0; i < 4; ++i) {
        sum[i] = squared > 1e-12 ? sum[i] / sqrt(squared) : v[i][top];
    }
    return (drape_quat){(float)sum[1], (float)sum[2], (float)sum[3], (float)sum[0]};
}

drape_transform dr_fit_solve(const dr_fit* fit, drape_quat before)
{
    double n[4][4], v[4][4];
    fill_matrix(fit, n);
    diagonalize(n, v);
    const double was[4] = {before.w, before.x, before.y, before.z};
    drape_quat best = nearest_best((const double(*)[4])n, (const double(*)[4])v, was);
    drape_vec3 from = {(float)fit->from[0], (float)fit->from[1], (float)fit->from[2]};
    drape_vec3 to = {(float)fit->to[0], (float)fit->to[1], (float)fit->to[2]};
    return (drape_transform){dr_sub(to, dr_quat_rotate(best, from)), best};
}
