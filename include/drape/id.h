// drape/id.h: handles to what lives in a world.
//
// Small values, passed by copy. A zeroed handle is null. The generation is raised when a slot is
// used again, so that a stale handle is caught instead of naming a stranger.
#ifndef DRAPE_ID_H
#define DRAPE_ID_H

#include <stdint.h>

// A cloth in a world.
typedef struct drape_cloth_id {
    uint32_t slot;       // index + 1; 0 is null
    uint32_t generation; // raised at each reuse of the slot
} drape_cloth_id;

// A collider in a world.
typedef struct drape_collider_id {
    uint32_t slot;
    uint32_t generation;
} drape_collider_id;

// A set of pinned vertices of one cloth.
typedef struct drape_pin_id {
    uint32_t slot;
    uint32_t generation;
} drape_pin_id;

// A seam between two rows of vertices.
typedef struct drape_seam_id {
    uint32_t slot;
    uint32_t generation;
} drape_seam_id;

#endif
