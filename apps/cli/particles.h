// particles.h: the sensor particles of a cloth as small solids, to be drawn.
#ifndef CLI_PARTICLES_H
#define CLI_PARTICLES_H

#include "command.h"

// Writes them as they are now to an OBJ file; nothing when there are none.
bool cli_particles_write(drape_scene* scene, int cloth, const char* path, drape_error* error);

#endif
