#include <drape/drape.h>

#include "core/math.h"
#include "core/vec_math.h"

drape_quat drape_quat_from_degrees(drape_vec3 degrees)
{
    double sx = dr_sin_degrees(0.5 * degrees.x), cx = dr_cos_degrees(0.5 * degrees.x);
    double sy = dr_sin_degrees(0.5 * degrees.y), cy = dr_cos_degrees(0.5 * degrees.y);
    double sz = dr_sin_degrees(0.5 * degrees.z), cz = dr_cos_degrees(0.5 * degrees.z);
    // The product z * y * x, rounded to float once.
    return (drape_quat){
        (float)(cz * cy * sx - sz * sy * cx),
        (float)(cz * sy * cx + sz * cy * sx),
        (float)(sz * cy * cx - cz * sy * sx),
        (float)(cz * cy * cx + sz * sy * sx),
    };
}

drape_quat drape_quat_multiply(drape_quat second, drape_quat first)
{
    return dr_quat_multiply(second, first);
}

drape_vec3 drape_quat_rotate(drape_quat rotation, drape_vec3 v)
{
    return dr_quat_rotate(rotation, v);
}
