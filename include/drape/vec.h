// drape/vec.h: the few plain vector types that cross the border of the library.
//
// SI units, y up, right-handed. All values are single precision.
#ifndef DRAPE_VEC_H
#define DRAPE_VEC_H

// A point or a direction.
typedef struct drape_vec3 {
    float x, y, z;
} drape_vec3;

// A rotation as a unit quaternion; {0, 0, 0, 1} does nothing.
typedef struct drape_quat {
    float x, y, z, w;
} drape_quat;

// A rigid motion: first rotate, then translate.
typedef struct drape_transform {
    drape_vec3 translate;
    drape_quat rotate;
} drape_transform;

#endif
