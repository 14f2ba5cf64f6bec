// check_paint.h: a frame with what crosses in red and what touches in yellow, as a PLY file.
//
// Every triangle has vertices of its own, so that colours end where triangles do.
#ifndef CLI_CHECK_PAINT_H
#define CLI_CHECK_PAINT_H

#include "check/crossings.h"
#include "command.h"

bool cli_check_paint(const char* path, const dr_check_mesh* meshes, int mesh_count,
                     const dr_crossings* found, drape_error* error);

#endif
