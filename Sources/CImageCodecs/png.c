// The one file that speaks to libpng.
#include "imgc_png.h"

#include "palette.h"
#include "support.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

// MARK: faults

struct png_trap {
    imgc_error *error;
    jmp_buf exit;
};

static void trap_exit(png_structp png, png_const_charp words) {
    struct png_trap *trap = png_get_error_ptr(png);
    imgc_fail(trap->error, IMGC_STATUS_CORRUPT, 0, "%s", words);
    longjmp(trap->exit, 1);
}

static void trap_quiet(png_structp png, png_const_charp words) {
    (void)png;
    (void)words;
}

// MARK: writing

static void sink_write(png_structp png, png_bytep bytes, size_t count) {
    if (!imgc_buffer_append(png_get_io_ptr(png), bytes, count)) png_error(png, "out of memory");
}

static void sink_flush(png_structp png) { (void)png; }

/// The smallest layout that keeps every pixel; fills `palette` when it fits.
static imgc_png_layout choose_layout(const imgc_image *image, bool may_use_palette,
                                     imgc_palette *palette) {
    if (may_use_palette && imgc_palette_collect(palette, image, false)) {
        return IMGC_PNG_LAYOUT_PALETTE;
    }
    bool gray = true, opaque = true;
    for (uint32_t y = 0; y < image->height && (gray || opaque); y++) {
        const uint8_t *row = image->bytes + image->bytes_per_row * y;
        uint8_t alpha = 255, difference = 0;
        for (uint32_t x = 0; x < image->width; x++, row += 4) {
            alpha &= row[3];
            difference |= (row[0] ^ row[1]) | (row[1] ^ row[2]);
        }
        opaque &= alpha == 255;
        gray &= difference == 0;
    }
    if (gray) return opaque ? IMGC_PNG_LAYOUT_GRAY : IMGC_PNG_LAYOUT_GRAY_ALPHA;
    return opaque ? IMGC_PNG_LAYOUT_RGB : IMGC_PNG_LAYOUT_RGB_ALPHA;
}

static void pack_row(uint8_t *out, const uint8_t *row, uint32_t width, imgc_png_layout layout,
                     const imgc_palette *palette, int depth) {
    switch (layout) {
    case IMGC_PNG_LAYOUT_GRAY:
        for (uint32_t x = 0; x < width; x++) out[x] = row[4 * x];
        break;
    case IMGC_PNG_LAYOUT_GRAY_ALPHA:
        for (uint32_t x = 0; x < width; x++) {
            out[2 * x] = row[4 * x];
            out[2 * x + 1] = row[4 * x + 3];
        }
        break;
    case IMGC_PNG_LAYOUT_RGB:
        for (uint32_t x = 0; x < width; x++) memcpy(out + 3 * x, row + 4 * x, 3);
        break;
    case IMGC_PNG_LAYOUT_RGB_ALPHA:
        memcpy(out, row, (size_t)width * 4);
        break;
    case IMGC_PNG_LAYOUT_PALETTE:
        memset(out, 0, ((size_t)width * (size_t)depth + 7) / 8);
        for (uint32_t x = 0; x < width; x++) {
            size_t bit = (size_t)x * (size_t)depth;
            int shift = 8 - depth - (int)(bit & 7);
            out[bit / 8] |= (uint8_t)(imgc_palette_index(palette, row + 4 * x) << shift);
        }
        break;
    }
}

static void write_header(png_structp png, png_infop info, const imgc_image *image,
                         imgc_png_layout layout, const imgc_palette *palette, int *depth) {
    static const int color_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                      PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA,
                                      PNG_COLOR_TYPE_PALETTE};
    *depth = 8;
    if (layout == IMGC_PNG_LAYOUT_PALETTE) {
        png_color colors[256];
        png_byte alphas[256];
        int transparent = 0;
        for (int i = 0; i < palette->count; i++) {
            const uint8_t *color = palette->colors[i];
            colors[i] = (png_color){color[0], color[1], color[2]};
            alphas[i] = color[3];
            if (color[3] != 255) transparent = i + 1;
        }
        *depth = palette->count <= 2 ? 1 : palette->count <= 4 ? 2 : palette->count <= 16 ? 4 : 8;
        png_set_IHDR(png, info, image->width, image->height, *depth, PNG_COLOR_TYPE_PALETTE,
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_set_PLTE(png, info, colors, palette->count);
        if (transparent > 0) png_set_tRNS(png, info, alphas, transparent, NULL);
    } else {
        png_set_IHDR(png, info, image->width, image->height, 8, color_types[layout],
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    }
}

imgc_status imgc_png_encode(imgc_image image, const imgc_png_options *options, imgc_buffer *out,
                            imgc_error *error) {
    struct png_trap trap = {.error = error};
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (!imgc_image_is_sound(&image)) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "the picture to write has no pixels");
    }
    imgc_palette palette;
    imgc_png_layout layout = choose_layout(&image, options->may_use_palette, &palette);
    png_infop info = NULL;
    uint8_t *packed = malloc((size_t)image.width * 4);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &trap, trap_exit, trap_quiet);
    if (!packed || !png || !(info = png_create_info_struct(png))) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to write a PNG");
        goto done;
    }
    if (setjmp(trap.exit)) goto done;
    png_set_write_fn(png, out, sink_write, sink_flush);
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff); // the caller's pixels exist already
    int depth;
    write_header(png, info, &image, layout, &palette, &depth);
    if (options->icc && options->icc_size > 0) {
        png_set_benign_errors(png, 1); // a profile the library dislikes is left out
        png_set_iCCP(png, info, "ICC", PNG_COMPRESSION_TYPE_BASE, options->icc,
                     (png_uint_32)options->icc_size);
    }
    png_set_compression_level(png, options->level);
    if (layout == IMGC_PNG_LAYOUT_PALETTE) {
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    } else {
        png_set_filter(png, PNG_FILTER_TYPE_BASE,
                       options->every_filter ? PNG_ALL_FILTERS : PNG_FILTER_SUB);
    }
    png_write_info(png, info);
    for (uint32_t y = 0; y < image.height; y++) {
        const uint8_t *row = image.bytes + image.bytes_per_row * y;
        pack_row(packed, row, image.width, layout, &palette, depth);
        png_write_row(png, packed);
    }
    png_write_end(png, NULL);
done:
    if (png) png_destroy_write_struct(&png, &info);
    free(packed);
    if (error->status != IMGC_STATUS_OK) imgc_buffer_free(out);
    return error->status;
}
