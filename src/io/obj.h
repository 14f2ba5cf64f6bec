// io/obj.h: Wavefront OBJ, the part of it that is a polygon mesh.
//
//     v x y z              a vertex; numbers that follow (weight, colour) are passed over
//     vt u [v]             a texture coordinate; v is 0 when absent
//     f a b c ...          a polygon: a, a/t, a//n or a/t/n; from 1 up, or from -1 back
//     g name ...           the faces that follow belong to these groups (none: to no group)
//     o name               and to this object, which is a group too
//
// Everything else is passed over: normals, smoothing, materials, lines, points, curves. `#` at the
// start of a word begins a comment, a backslash at the end of a line joins the next. Faces may name
// only what stands before them.
//
// Vertices keep their order and number. A vertex has one uv, that of the first face corner that
// gives it one; a seam of the texture does not split the cloth. A vertex without any takes the vt
// of its own number if there are as many vt as v, and (0, 0) otherwise. io/polygon.h cuts the
// polygons.
#ifndef DR_OBJ_H
#define DR_OBJ_H

#include "io/file.h"

// Reads a file in memory; `name` is what sentences call it. False leaves `mesh` empty.
bool dr_obj_parse(const char* data, size_t size, const char* name, drape_mesh_data* mesh,
                  drape_error* error);
// Writes vertices, uv when there are any, and triangles. Failures stay with `out`.
void dr_obj_write(dr_output* out, const drape_mesh_view* mesh);

#endif
