// io/pc2.h: PC2, the point cache of 3ds Max that Blender and Maya read too. Little endian.
//
//     byte  0   "POINTCACHE2" and a zero
//          12   int32 version, 1
//          16   int32 vertices
//          20   float first frame
//          24   float frames from sample to sample
//          28   int32 samples
//          32   float x y z for each vertex, sample after sample
//
// The rate in seconds is not in the file. We write samples one frame apart, the first at frame 0,
// and read a sample rate r as 30 / r samples a second (DR_CACHE_DEFAULT_FPS).
#ifndef DR_PC2_H
#define DR_PC2_H

#include "io/cache.h"

extern const dr_cache_format dr_pc2_format;

// True when the data starts like a PC2 file.
bool dr_pc2_recognise(const char* data, size_t size);
// Reads a file in memory; `name` is what sentences call it. False leaves `cache` empty.
bool dr_pc2_parse(const char* data, size_t size, const char* name, drape_cache_data* cache,
                  drape_error* error);

#endif
