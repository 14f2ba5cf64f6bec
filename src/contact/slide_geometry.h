// contact/slide_geometry.h: doubles in three dimensions, frames, and the way of a point into a
// shell.
#ifndef DR_SLIDE_GEOMETRY_H
#define DR_SLIDE_GEOMETRY_H

#include <drape/vec.h>
#include <math.h>
#include <stdbool.h>

// Points that are only read: C17 wants to be told.
#define DR_POINTS(points) ((const double(*)[3])(points))

// Unlike fmin and fmax these are no calls.
static inline double dr_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double dr_most(double a, double b)
{
    return a > b ? a : b;
}

static inline double dr_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void dr_sub3(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = a[c] - b[c];
    }
}

// a + t b
static inline void dr_along3(const double a[3], double t, const double b[3], double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = a[c] + t * b[c];
    }
}

static inline void dr_between3(const double a[3], const double b[3], double share, double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = a[c] + share * (b[c] - a[c]);
    }
}

static inline void dr_cross3(const double a[3], const double b[3], double out[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    double z = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

// Makes the length 1 and returns what it was; zero stays zero.
static inline double dr_unit3(double v[3])
{
    double length = sqrt(dr_dot3(v, v));
    for (int c = 0; c < 3 && length > 0.0; ++c) {
        v[c] /= length;
    }
    return length;
}

static inline void dr_read3(drape_vec3 v, double out[3])
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

// The unit normal of a triangle; false when it has no area.
static inline bool dr_normal3(const double (*corners)[3], double normal[3])
{
    double u[3], v[3];
    dr_sub3(corners[1], corners[0], u);
    dr_sub3(corners[2], corners[0], v);
    dr_cross3(u, v, normal);
    return dr_unit3(normal) > 0.0;
}

static inline void dr_box_of_way(const double x[3], const double q[3], double more, double lo[3],
                                 double hi[3])
{
    for (int c = 0; c < 3; ++c) {
        lo[c] = dr_least(x[c], q[c]) - more;
        hi[c] = dr_most(x[c], q[c]) + more;
    }
}

// A pose with its rotation as a matrix.
typedef struct dr_frame {
    double turn[3][3];
    double shift[3];
} dr_frame;

dr_frame dr_frame_of(drape_transform pose);

static inline void dr_frame_turn(const dr_frame* frame, const double v[3], double out[3])
{
    double w[3] = {v[0], v[1], v[2]};
    for (int c = 0; c < 3; ++c) {
        out[c] = dr_dot3(frame->turn[c], w);
    }
}

static inline void dr_frame_turn_back(const dr_frame* frame, const double v[3], double out[3])
{
    double w[3] = {v[0], v[1], v[2]};
    for (int c = 0; c < 3; ++c) {
        out[c] = frame->turn[0][c] * w[0] + frame->turn[1][c] * w[1] + frame->turn[2][c] * w[2];
    }
}

// From the frame to the world, and from the world into it.
static inline void dr_frame_out(const dr_frame* frame, const double v[3], double out[3])
{
    dr_frame_turn(frame, v, out);
    for (int c = 0; c < 3; ++c) {
        out[c] += frame->shift[c];
    }
}

static inline void dr_frame_in(const dr_frame* frame, const double v[3], double out[3])
{
    double w[3];
    dr_sub3(v, frame->shift, w);
    dr_frame_turn_back(frame, w, out);
}

// The point of a triangle that is nearest to p; true when it is inside, off its border.
bool dr_nearest_of_triangle(const double p[3], const double (*corners)[3], double nearest[3]);
// The nearest points of the edges ab and cd as shares of them; returns their squared distance.
double dr_nearest_of_edges(const double a[3], const double b[3], const double c[3],
                           const double d[3], double* s, double* t);

// Where a point that goes straight from x to q comes within `reach` of a triangle.
typedef struct dr_entry {
    double time;      // 0 to 1; 0 also when it starts there
    double distance;  // from the triangle, then
    double normal[3]; // from there to the point, of length 1; zero when they are one
    double foot[3];   // nearest point of the triangle
    bool is_inner;    // the foot is off the border
} dr_entry;

// False when it never does.
bool dr_enter_shell(const double x[3], const double q[3], const double (*corners)[3], double reach,
                    dr_entry* entry);

#endif
