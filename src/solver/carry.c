#include "solver/carry.h"

#include <string.h>

#include "core/isa.h"
#include "core/vec_math.h"

void dr_carry_set(dr_carry* carry, drape_transform begin, drape_transform end, float felt_linear,
                  float felt_angular, float h)
{
    drape_quat still = {0.0f, 0.0f, 0.0f, 1.0f};
    drape_quat turn = dr_quat_multiply(end.rotate, dr_quat_conjugate(begin.rotate));
    turn = dr_quat_slerp(still, turn, 1.0 - (double)felt_angular);
    carry->from = begin.translate;
    carry->to = dr_lerp(begin.translate, end.translate, 1.0f - felt_linear);
    carry->h = h;
    drape_vec3 x = dr_quat_rotate(turn, (drape_vec3){1.0f, 0.0f, 0.0f});
    drape_vec3 y = dr_quat_rotate(turn, (drape_vec3){0.0f, 1.0f, 0.0f});
    drape_vec3 z = dr_quat_rotate(turn, (drape_vec3){0.0f, 0.0f, 1.0f});
    const float rows[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    memcpy(carry->turn, rows, sizeof rows);
}

DR_KERNEL_TABLE(dr_carry_kernels)
