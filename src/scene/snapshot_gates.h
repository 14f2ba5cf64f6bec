// scene/snapshot_gates.h: the particles of a world in its snapshot.
#ifndef DR_SNAPSHOT_GATES_H
#define DR_SNAPSHOT_GATES_H

#include "scene/snapshot_bytes.h"
#include "scene/world.h"

void dr_put_gates(dr_state_writer* w, drape_world* world);
void dr_take_gates(dr_state_reader* r, drape_world* world);

#endif
