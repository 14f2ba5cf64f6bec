// io/mdd.h: MDD, the point cache of LightWave. Big endian, and no mark to know it by.
//
//     byte  0       int32 frames n
//           4       int32 vertices
//           8       float time of each frame, s
//           8 + 4n  float x y z for each vertex, frame after frame
//
// The table of times stands before the positions and its length is known only at the end: the
// writer puts it in then, moving the positions back once. Frames are taken as evenly spaced when
// read; the rate is that of the whole span, and 30 (DR_CACHE_DEFAULT_FPS) when the times do not
// rise.
#ifndef DR_MDD_H
#define DR_MDD_H

#include "io/cache.h"

extern const dr_cache_format dr_mdd_format;

// Reads a file in memory; `name` is what sentences call it. False leaves `cache` empty.
bool dr_mdd_parse(const char* data, size_t size, const char* name, drape_cache_data* cache,
                  drape_error* error);

#endif
