// render/camera.h: where the picture is taken from.
//
// Framing is exact. With the directions of the camera fixed, a point is in the picture when it is
// on the inner side of four planes through the eye, whose slopes are fixed, too:
//
//          \   .p  /         right of the left plane:   -x - s z <= -ex - s ez
//           \     /          left of the right plane:    x - s z <=  ex - s ez
//         s  \   /  s
//             \ /            so of all points only the greatest of both left sides count, and the
//             eye            eye nearest to them is where both hold with equality.
//
// x right, z forward; the same with y. The direction with less room decides the distance, in the
// other one the points are centred.
#ifndef DR_CAMERA_H
#define DR_CAMERA_H

#include <drape/vec.h>
#include <stdbool.h>

typedef struct dr_camera {
    drape_vec3 eye;
    drape_vec3 right, up, forward; // of length 1, at right angles
    float slope_x, slope_y;        // tangents of half the field of view
} dr_camera;

// From `eye` towards `target`; `fov` is the vertical field of view in degrees, `aspect` width over
// height. A camera that looks straight up or down has -z (or z) at the top of the picture.
dr_camera dr_camera_look(drape_vec3 eye, drape_vec3 target, float fov, float aspect);
// The direction, of length 1, of a point of the picture: (0, 0) is its upper left corner, (1, 1)
// the lower right one.
drape_vec3 dr_camera_direction(const dr_camera* camera, float x, float y);
// Where a point is in the picture; false when it is behind the camera.
bool dr_camera_project(const dr_camera* camera, drape_vec3 point, float* x, float* y);

// How the camera is turned while its place is looked for.
typedef struct dr_framing {
    dr_camera camera;       // its place does not count
    float slope_x, slope_y; // of the part of the picture within the margin
    float most[4];          // of x - s z, -x - s z, y - s z, -y - s z over all points
} dr_framing;

// Seen from the front (+z), turned by `turn` degrees to the right and lifted by `height` degrees.
// `margin` is the share of the picture that stays free at each side, 0 to 0.4.
dr_framing dr_framing_begin(float turn, float height, float fov, float aspect, float margin);
// The same with the directions of a camera.
dr_framing dr_framing_along(const dr_camera* camera, float margin);
void dr_framing_add(dr_framing* framing, drape_vec3 point);
// Adds all points of another framing with the same directions.
void dr_framing_join(dr_framing* framing, const dr_framing* other);
// The nearest camera that has all points in the picture. They must not all be the same point.
dr_camera dr_framing_camera(const dr_framing* framing);

#endif
