// render/png.h: pictures as PNG files, by libpng.
#ifndef DR_PNG_H
#define DR_PNG_H

#include <drape/io.h>

// Rows from the top, three bytes (red, green, blue; sRGB) to a pixel. The file is written under a
// temporary name and renamed when it is complete. Equal pixels give equal bytes with one libpng.
bool dr_png_write(const char* path, const uint8_t* pixels, int width, int height,
                  drape_error* error);

#endif
