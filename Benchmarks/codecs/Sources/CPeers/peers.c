#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>
#include <jpeglib.h>
#include <png.h>

static uint32_t sample(const uint8_t *pixels, size_t count) {
    return 1u + pixels[0] + pixels[count / 2] + pixels[count - 2];
}

uint32_t peer_jpeg_decode(const uint8_t *bytes, size_t count) {
    struct jpeg_decompress_struct codec;
    struct jpeg_error_mgr errors;
    codec.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&codec);
    jpeg_mem_src(&codec, bytes, count);
    jpeg_read_header(&codec, TRUE);
    codec.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&codec);
    size_t stride = (size_t)codec.output_width * 4, total = stride * codec.output_height;
    uint8_t *pixels = malloc(total);
    while (codec.output_scanline < codec.output_height) {
        JSAMPROW rows[8];
        for (int i = 0; i < 8; i++) rows[i] = pixels + stride * (codec.output_scanline + (size_t)i);
        JDIMENSION left = codec.output_height - codec.output_scanline;
        jpeg_read_scanlines(&codec, rows, left < 8 ? left : 8);
    }
    jpeg_finish_decompress(&codec);
    jpeg_destroy_decompress(&codec);
    uint32_t result = sample(pixels, total);
    free(pixels);
    return result;
}

struct reading {
    const uint8_t *bytes;
    size_t left;
};

static void read_png(png_structp png, png_bytep out, size_t count) {
    struct reading *reading = png_get_io_ptr(png);
    if (count > reading->left) png_error(png, "short");
    memcpy(out, reading->bytes, count);
    reading->bytes += count;
    reading->left -= count;
}

uint32_t peer_png_decode(const uint8_t *bytes, size_t count) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    struct reading reading = {bytes, count};
    png_set_read_fn(png, &reading, read_png);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    size_t stride = png_get_rowbytes(png, info), height = png_get_image_height(png, info);
    uint8_t *pixels = malloc(stride * height);
    for (int pass = 0; pass < passes; pass++) {
        for (size_t y = 0; y < height; y++) png_read_row(png, pixels + stride * y, NULL);
    }
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    uint32_t result = sample(pixels, stride * height);
    free(pixels);
    return result;
}

static int read_gif(GifFileType *gif, GifByteType *out, int count) {
    struct reading *reading = gif->UserData;
    size_t wanted = (size_t)count < reading->left ? (size_t)count : reading->left;
    memcpy(out, reading->bytes, wanted);
    reading->bytes += wanted;
    reading->left -= wanted;
    return (int)wanted;
}

uint32_t peer_gif_decode(const uint8_t *bytes, size_t count) {
    struct reading reading = {bytes, count};
    int code = 0;
    GifFileType *gif = DGifOpen(&reading, read_gif, &code);
    if (!gif || DGifSlurp(gif) != GIF_OK) return 0;
    size_t width = (size_t)gif->SWidth, height = (size_t)gif->SHeight;
    uint8_t *canvas = calloc(width * height, 4);
    uint32_t result = 1;
    for (int i = 0; i < gif->ImageCount; i++) {
        SavedImage *image = &gif->SavedImages[i];
        GraphicsControlBlock control = {.TransparentColor = -1};
        DGifSavedExtensionToGCB(gif, i, &control);
        ColorMapObject *map = image->ImageDesc.ColorMap ? image->ImageDesc.ColorMap : gif->SColorMap;
        for (int y = 0; y < image->ImageDesc.Height; y++) {
            for (int x = 0; x < image->ImageDesc.Width; x++) {
                int index = image->RasterBits[y * image->ImageDesc.Width + x];
                int column = image->ImageDesc.Left + x, row = image->ImageDesc.Top + y;
                if (index == control.TransparentColor || !map || index >= map->ColorCount) continue;
                if (column >= gif->SWidth || row >= gif->SHeight) continue;
                uint8_t *out = canvas + 4 * ((size_t)row * width + (size_t)column);
                GifColorType color = map->Colors[index];
                out[0] = color.Red;
                out[1] = color.Green;
                out[2] = color.Blue;
                out[3] = 255;
            }
        }
        result += sample(canvas, width * height * 4);
    }
    free(canvas);
    DGifCloseFile(gif, &code);
    return result;
}
