#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>
#include <jpeglib.h>
#include <lcms2.h>
#include <png.h>
#include <webp/decode.h>
#include <webp/encode.h>

static uint32_t sample(const uint8_t *pixels, size_t count) {
    return 1u + pixels[0] + pixels[count / 2] + pixels[count - 2];
}

// Decodes at 1/scale into memory that the caller frees.
static uint8_t *jpeg_pixels(const uint8_t *bytes, size_t count, int scale, int *width, int *height) {
    struct jpeg_decompress_struct codec;
    struct jpeg_error_mgr errors;
    codec.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&codec);
    jpeg_mem_src(&codec, bytes, count);
    jpeg_read_header(&codec, TRUE);
    codec.out_color_space = JCS_EXT_RGBA;
    codec.scale_num = 1;
    codec.scale_denom = (unsigned)scale;
    jpeg_start_decompress(&codec);
    size_t stride = (size_t)codec.output_width * 4, total = stride * codec.output_height;
    uint8_t *pixels = malloc(total);
    while (codec.output_scanline < codec.output_height) {
        JSAMPROW rows[8];
        for (int i = 0; i < 8; i++) rows[i] = pixels + stride * (codec.output_scanline + (size_t)i);
        JDIMENSION left = codec.output_height - codec.output_scanline;
        jpeg_read_scanlines(&codec, rows, left < 8 ? left : 8);
    }
    *width = (int)codec.output_width;
    *height = (int)codec.output_height;
    jpeg_finish_decompress(&codec);
    jpeg_destroy_decompress(&codec);
    return pixels;
}

uint32_t peer_jpeg_decode(const uint8_t *bytes, size_t count) {
    int width, height;
    uint8_t *pixels = jpeg_pixels(bytes, count, 1, &width, &height);
    uint32_t result = sample(pixels, (size_t)width * (size_t)height * 4);
    free(pixels);
    return result;
}

static size_t write_jpeg(const uint8_t *rgba, size_t stride, int width, int height, int quality) {
    struct jpeg_compress_struct codec;
    struct jpeg_error_mgr errors;
    codec.err = jpeg_std_error(&errors);
    jpeg_create_compress(&codec);
    unsigned char *out = NULL;
    unsigned long count = 0;
    jpeg_mem_dest(&codec, &out, &count);
    codec.image_width = (JDIMENSION)width;
    codec.image_height = (JDIMENSION)height;
    codec.input_components = 4;
    codec.in_color_space = JCS_EXT_RGBA;
    jpeg_set_defaults(&codec);
    jpeg_set_quality(&codec, quality, TRUE);
    // As ours: the tables that fit the image.
    codec.optimize_coding = TRUE;
    jpeg_start_compress(&codec, TRUE);
    while (codec.next_scanline < codec.image_height) {
        JSAMPROW row = (JSAMPROW)(rgba + stride * codec.next_scanline);
        jpeg_write_scanlines(&codec, &row, 1);
    }
    jpeg_finish_compress(&codec);
    jpeg_destroy_compress(&codec);
    free(out);
    return count;
}

size_t peer_jpeg_encode(const uint8_t *rgba, int width, int height, int quality) {
    return write_jpeg(rgba, 4 * (size_t)width, width, height, quality);
}

size_t peer_jpeg_thumbnail(const uint8_t *bytes, size_t count, int scale, int side, int quality) {
    int width, height;
    uint8_t *pixels = jpeg_pixels(bytes, count, scale, &width, &height);
    size_t length = 0;
    if (width >= side && height >= side) {
        length = write_jpeg(pixels, 4 * (size_t)width, side, side, quality);
    }
    free(pixels);
    return length;
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

static void count_png(png_structp png, png_bytep bytes, size_t count) {
    (void)bytes;
    *(size_t *)png_get_io_ptr(png) += count;
}

static void flush_png(png_structp png) { (void)png; }

size_t peer_png_encode(const uint8_t *rgba, int width, int height, int level) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    size_t length = 0;
    png_set_write_fn(png, &length, count_png, flush_png);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    png_set_compression_level(png, level);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_write_info(png, info);
    png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (int y = 0; y < height; y++) png_write_row(png, rgba + 4 * (size_t)width * (size_t)y);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return length;
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

struct peer_gif {
    GifFileType *file;
};

peer_gif *peer_gif_open(const uint8_t *bytes, size_t count) {
    struct reading reading = {bytes, count};
    int code = 0;
    GifFileType *file = DGifOpen(&reading, read_gif, &code);
    if (!file || DGifSlurp(file) != GIF_OK) return NULL;
    peer_gif *gif = malloc(sizeof *gif);
    gif->file = file;
    return gif;
}

static int count_gif(GifFileType *gif, const GifByteType *bytes, int count) {
    (void)bytes;
    *(size_t *)gif->UserData += (size_t)count;
    return count;
}

size_t peer_gif_encode(const peer_gif *gif) {
    size_t length = 0;
    int code = 0;
    GifFileType *out = EGifOpen(&length, count_gif, &code);
    const GifFileType *in = gif->file;
    EGifPutScreenDesc(out, in->SWidth, in->SHeight, in->SColorResolution, 0, in->SColorMap);
    for (int i = 0; i < in->ImageCount; i++) {
        const SavedImage *image = &in->SavedImages[i];
        const GifImageDesc *place = &image->ImageDesc;
        EGifPutImageDesc(out, place->Left, place->Top, place->Width, place->Height, false,
                         place->ColorMap);
        EGifPutLine(out, image->RasterBits, place->Width * place->Height);
    }
    EGifCloseFile(out, &code);
    return length;
}

void peer_gif_close(peer_gif *gif) {
    int code = 0;
    DGifCloseFile(gif->file, &code);
    free(gif);
}

uint32_t peer_webp_decode(const uint8_t *bytes, size_t count) {
    int width, height;
    uint8_t *pixels = WebPDecodeRGBA(bytes, count, &width, &height);
    if (!pixels) return 0;
    uint32_t result = sample(pixels, (size_t)width * (size_t)height * 4);
    WebPFree(pixels);
    return result;
}

static size_t write_webp(const uint8_t *rgba, int stride, int side, int quality, int effort) {
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter written;
    WebPConfigInit(&config);
    config.quality = (float)quality;
    config.method = effort;
    WebPPictureInit(&picture);
    picture.width = picture.height = side;
    WebPPictureImportRGBX(&picture, rgba, stride);
    WebPMemoryWriterInit(&written);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &written;
    size_t length = WebPEncode(&config, &picture) ? written.size : 0;
    WebPPictureFree(&picture);
    WebPMemoryWriterClear(&written);
    return length;
}

size_t peer_webp_thumbnail(
    const uint8_t *bytes, size_t count, int side, int quality, int effort) {
    int width, height;
    uint8_t *pixels = WebPDecodeRGBA(bytes, count, &width, &height);
    if (!pixels) return 0;
    size_t length = 0;
    if (width >= side && height >= side) {
        length = effort < 0 ? write_jpeg(pixels, 4 * (size_t)width, side, side, quality)
                            : write_webp(pixels, 4 * width, side, quality, effort);
    }
    WebPFree(pixels);
    return length;
}

size_t peer_profile(int is_wide, uint8_t *room) {
    const cmsFloat64Number curve[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    cmsToneCurve *tone = cmsBuildParametricToneCurve(NULL, 4, curve), *tones[] = {tone, tone, tone};
    cmsCIExyY white = {0.3127, 0.3290, 1};
    cmsCIExyYTRIPLE wide = {{0.68, 0.32, 1}, {0.265, 0.69, 1}, {0.15, 0.06, 1}};
    cmsCIExyYTRIPLE narrow = {{0.64, 0.33, 1}, {0.30, 0.60, 1}, {0.15, 0.06, 1}};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, is_wide ? &wide : &narrow, tones);
    cmsUInt32Number count = 1024;
    int is_written = cmsSaveProfileToMem(profile, room, &count);
    cmsCloseProfile(profile);
    cmsFreeToneCurve(tone);
    return is_written ? count : 0;
}

void *peer_color_open(const uint8_t *icc, size_t count) {
    cmsHPROFILE from = cmsOpenProfileFromMem(icc, (cmsUInt32Number)count);
    cmsHPROFILE to = cmsCreate_sRGBProfile();
    void *transform = from ? cmsCreateTransform(from, TYPE_RGBA_8, to, TYPE_RGBA_8,
                                                INTENT_PERCEPTUAL, 0) : NULL;
    if (from) cmsCloseProfile(from);
    cmsCloseProfile(to);
    return transform;
}

uint32_t peer_color_convert(void *transform, uint8_t *rgba, size_t pixels) {
    cmsDoTransform(transform, rgba, rgba, (cmsUInt32Number)pixels);
    return sample(rgba, 4 * pixels);
}
