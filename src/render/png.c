#include "render/png.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>

#include "io/file.h"

// libpng leaves by longjmp; its words wait here for the sentence.
typedef struct png_trouble {
    jmp_buf leave;
    char words[128];
} png_trouble;

static void on_error(png_structp png, png_const_charp words)
{
    png_trouble* trouble = png_get_error_ptr(png);
    snprintf(trouble->words, sizeof trouble->words, "%s", words);
    longjmp(trouble->leave, 1);
}

static void on_warning(png_structp png, png_const_charp words)
{
    (void)png;
    (void)words;
}

static void on_write(png_structp png, png_bytep bytes, size_t size)
{
    dr_output_write(png_get_io_ptr(png), bytes, size);
}

// Failed writes are kept by the output until it is closed.
static void on_flush(png_structp png)
{
    (void)png;
}

// Nothing that changes after setjmp lives in this frame.
static bool write_all(png_structp png, png_infop info, png_trouble* trouble, const uint8_t* pixels,
                      int width, int height)
{
    if (setjmp(trouble->leave) != 0) {
        return false;
    }
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < height; ++y) {
        png_write_row(png, pixels + 3 * (size_t)width * (size_t)y);
    }
    png_write_end(png, NULL);
    return true;
}

bool dr_png_write(const char* path, const uint8_t* pixels, int width, int height,
                  drape_error* error)
{
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    png_trouble trouble = {.words = "not enough memory"};
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &trouble, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    bool is_written = false;
    if (info != NULL) {
        png_set_write_fn(png, &out, on_write, on_flush);
        is_written = write_all(png, info, &trouble, pixels, width, height);
    }
    png_destroy_write_struct(&png, &info);
    if (!is_written) {
        dr_output_discard(&out);
        dr_error_set(error, DRAPE_ERROR_SYSTEM, "%s: could not write the picture: %s", path,
                     trouble.words);
        return false;
    }
    return dr_output_close(&out, error);
}
