// collide/tessellate.h: triangle meshes of the analytic solids, in their own frame.
//
// Every vertex lies on the true surface, to the rounding of a float, so the mesh of a convex solid
// lies inside it; no point of it is deeper below the true surface than `tolerance`, as long as
// DR_TESSELLATE_MOST steps are enough for that. Meshes are closed and their triangles turn counterclockwise seen from outside. A plane is a square of 10 m.
//
// Round solids turn a profile about y:
//
//          .-*-.      pole
//         *     *     rings of the upper ball, of its steps by latitude
//        *       *    upper tangent ring; a sphere has one ring for both
//       *         *   lower tangent ring, one mantle strip below the other
//        *       *
//          `-*-'      pole
//
// With steps of angle a both ways, a facet of a ball lies within the angle d of its middle, where
// cos d >= 2 cos(a/2) - 1; so it is no deeper than 2 R (1 - cos(a/2)).
#ifndef DR_TESSELLATE_H
#define DR_TESSELLATE_H

#include <drape/types.h>

// Steps round a solid are kept within these. Beyond the most (a quarter of a million triangles for a
// ball) a mesh would be larger than anything it can be used for: balls of more than 13,000 times the
// contact thickness in radius are drawn and guarded a little inside of what contacts touch.
enum {
    DR_TESSELLATE_LEAST = 8,
    DR_TESSELLATE_MOST = 512,
};

// What drawn and written meshes keep to: half the contact thickness (0: not known), so that what
// cloth touches is where pictures show it.
static inline float dr_tessellate_tolerance(float thickness)
{
    return thickness > 0.0f ? 0.5f * thickness : 0.0005f;
}

// Counts of vertices and triangles. The shape is sound and simplified, tolerance above 0.
void dr_tessellate_count(const drape_shape* shape, float tolerance, int* vertex_count,
                         int* triangle_count);
// Fills arrays of those counts.
void dr_tessellate(const drape_shape* shape, float tolerance, drape_vec3* positions,
                   int32_t (*triangles)[3]);

#endif
