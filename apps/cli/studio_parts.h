// studio_parts.h: what the files of the studio share: its parts and their bounds.
#ifndef CLI_STUDIO_PARTS_H
#define CLI_STUDIO_PARTS_H

#include <math.h>

#include "core/vec_math.h"
#include "studio.h"

typedef struct cli_bounds {
    drape_vec3 lo, hi;
} cli_bounds;

struct cli_studio_part {
    drape_vec3* positions; // of the frame on the stage
    drape_vec3* rest;      // frame 0, or the mesh of --rest
    drape_vec3 *before, *after;
    float* uv; // of the file, or made up
    float* heat;
    cli_bounds box;     // over all frames
    dr_framing framing; // the same
    double edge_sum;    // of the lengths of all edges at rest
    bool is_large, is_hidden;
    int level;
};

static inline const cli_part* cli_part_at(const cli_studio* studio, int index)
{
    return &studio->playback->parts[index];
}

// --- Looks: studio_dress.c ---

// Pattern, colours and material coordinates of a part, which is the cloth or obstacle of that
// number.
void cli_studio_dress(cli_studio* studio, int index, int number);

// --- Where things are: studio_view.c ---

// Looks at all frames to be drawn, then places ground and camera and says how fine cloth must be.
bool cli_studio_view(cli_studio* studio, int first, int last, drape_error* error);

// --- Bounds ---

static inline cli_bounds cli_bounds_empty(void)
{
    return (cli_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void cli_bounds_add(cli_bounds* box, drape_vec3 p)
{
    box->lo = (drape_vec3){fminf(box->lo.x, p.x), fminf(box->lo.y, p.y), fminf(box->lo.z, p.z)};
    box->hi = (drape_vec3){fmaxf(box->hi.x, p.x), fmaxf(box->hi.y, p.y), fmaxf(box->hi.z, p.z)};
}

static inline void cli_bounds_join(cli_bounds* box, const cli_bounds* other)
{
    if (other->lo.x <= other->hi.x) {
        cli_bounds_add(box, other->lo);
        cli_bounds_add(box, other->hi);
    }
}

static inline drape_vec3 cli_bounds_size(const cli_bounds* box)
{
    return dr_sub(box->hi, box->lo);
}

static inline float cli_longest(drape_vec3 size)
{
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

#endif
