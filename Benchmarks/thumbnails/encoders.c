// encoders FILE.ppm...: the cost of thumbnails as JPEG, WebP and AVIF; `encoders` beside it runs this.
//
// Prints a line for each encoding: file, codec (jpeg, huffman, webp, avif), effort (of WebP 0 to 6, of AVIF
// the speed), quality (of AVIF 63 less the quantizer), processor time in µs (the least of a few at
// about the SSIM of JPEG 80), bytes, SSIM of the luma (Gaussian window of 11 x 11, σ 1.5).
// huffman is a JPEG with optimised tables; progressive is one that is progressive as well, with the scans of
// jpeg_simple_progression, scans is one with those of jpeg_writer.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <avif/avif.h>
#include <jpeglib.h>
#include <webp/decode.h>
#include <webp/encode.h>

enum { REPEATS = 5, WINDOW = 11 };

typedef struct image {
    int width, height;
    uint8_t *rgba;
} image;

typedef struct file {
    uint8_t *bytes;
    unsigned long count;
} file;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

// MARK: SSIM

static float *luma(image image) {
    size_t count = (size_t)image.width * (size_t)image.height;
    float *out = malloc(count * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixel = image.rgba + 4 * i;
        out[i] = 0.299f * (float)pixel[0] + 0.587f * (float)pixel[1] + 0.114f * (float)pixel[2];
    }
    return out;
}

/// The product of two planes, weighed by the window; smaller by the window's side less one.
static float *weigh(const float *a, const float *b, int width, int height) {
    float weights[WINDOW], sum = 0;
    for (int i = 0; i < WINDOW; i++) {
        float distance = (float)(i - WINDOW / 2);
        sum += weights[i] = expf(-distance * distance / 4.5f);
    }
    int w = width - WINDOW + 1, h = height - WINDOW + 1;
    float *rows = calloc((size_t)w * (size_t)height, sizeof *rows);
    float *out = calloc((size_t)w * (size_t)h, sizeof *out);
    for (int y = 0; y < height; y++) {
        for (int i = 0; i < WINDOW; i++) {
            const float *x = a + y * width + i, *z = b ? b + y * width + i : NULL;
            for (int at = 0; at < w; at++) {
                rows[y * w + at] += weights[i] / sum * x[at] * (z ? z[at] : 1);
            }
        }
    }
    for (int y = 0; y < h; y++) {
        for (int i = 0; i < WINDOW; i++) {
            const float *row = rows + (y + i) * w;
            for (int at = 0; at < w; at++) out[y * w + at] += weights[i] / sum * row[at];
        }
    }
    free(rows);
    return out;
}

/// Source: Wang et al., "Image Quality Assessment: From Error Visibility to Structural
/// Similarity", 2004.
static double ssim(image one, image other) {
    int width = one.width, height = one.height;
    float *a = luma(one), *b = luma(other);
    float *planes[] = {weigh(a, NULL, width, height), weigh(b, NULL, width, height),
                       weigh(a, a, width, height), weigh(b, b, width, height),
                       weigh(a, b, width, height)};
    size_t count = (size_t)(width - WINDOW + 1) * (size_t)(height - WINDOW + 1);
    double sum = 0, c1 = 6.5025, c2 = 58.5225;
    for (size_t i = 0; i < count; i++) {
        double x = planes[0][i], y = planes[1][i], covariance = planes[4][i] - x * y;
        double variances = planes[2][i] - x * x + planes[3][i] - y * y;
        sum += (2 * x * y + c1) * (2 * covariance + c2) / ((x * x + y * y + c1) * (variances + c2));
    }
    for (int i = 0; i < 5; i++) free(planes[i]);
    free(a);
    free(b);
    return sum / (double)count;
}

// MARK: codecs

static file write_jpeg(image image, int quality, int effort) {
    struct jpeg_compress_struct codec;
    struct jpeg_error_mgr errors;
    file out = {0};
    codec.err = jpeg_std_error(&errors);
    jpeg_create_compress(&codec);
    jpeg_mem_dest(&codec, &out.bytes, &out.count);
    codec.image_width = (JDIMENSION)image.width;
    codec.image_height = (JDIMENSION)image.height;
    codec.input_components = 4;
    codec.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&codec);
    jpeg_set_quality(&codec, quality, TRUE);
    codec.optimize_coding = effort > 0;
    static const jpeg_scan_info scans[] = {
        {3, {0, 1, 2}, 0, 0, 0, 0}, {1, {0}, 1, 2, 0, 1},  {1, {0}, 3, 63, 0, 1},
        {1, {1}, 1, 63, 0, 0},      {1, {2}, 1, 63, 0, 0}, {1, {0}, 1, 63, 1, 0},
    };
    if (effort == 2) jpeg_simple_progression(&codec);
    if (effort == 3) {
        codec.scan_info = scans;
        codec.num_scans = sizeof scans / sizeof *scans;
    }
    jpeg_start_compress(&codec, TRUE);
    while (codec.next_scanline < codec.image_height) {
        JSAMPROW row = image.rgba + 4 * (size_t)image.width * codec.next_scanline;
        jpeg_write_scanlines(&codec, &row, 1);
    }
    jpeg_finish_compress(&codec);
    jpeg_destroy_compress(&codec);
    return out;
}

static image read_jpeg(file in, image like) {
    struct jpeg_decompress_struct codec;
    struct jpeg_error_mgr errors;
    image out = {like.width, like.height, malloc(4 * (size_t)like.width * (size_t)like.height)};
    codec.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&codec);
    jpeg_mem_src(&codec, in.bytes, in.count);
    jpeg_read_header(&codec, TRUE);
    codec.out_color_space = JCS_EXT_RGBX;
    jpeg_start_decompress(&codec);
    while (codec.output_scanline < codec.output_height) {
        JSAMPROW row = out.rgba + 4 * (size_t)out.width * codec.output_scanline;
        jpeg_read_scanlines(&codec, &row, 1);
    }
    jpeg_finish_decompress(&codec);
    jpeg_destroy_decompress(&codec);
    return out;
}

static file write_webp(image image, int effort, int quality) {
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter written;
    WebPConfigInit(&config);
    config.quality = (float)quality;
    config.method = effort;
    WebPPictureInit(&picture);
    picture.width = image.width;
    picture.height = image.height;
    WebPPictureImportRGBX(&picture, image.rgba, 4 * image.width);
    WebPMemoryWriterInit(&written);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &written;
    if (!WebPEncode(&config, &picture)) exit(1);
    WebPPictureFree(&picture);
    return (file){written.mem, written.size};
}

static file write_avif(image image, int speed, int quality) {
    avifImage *picture = avifImageCreate(image.width, image.height, 8, AVIF_PIXEL_FORMAT_YUV420);
    picture->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    avifRGBImage pixels;
    avifRGBImageSetDefaults(&pixels, picture);
    pixels.ignoreAlpha = AVIF_TRUE;
    pixels.pixels = image.rgba;
    pixels.rowBytes = 4 * (uint32_t)image.width;
    avifEncoder *encoder = avifEncoderCreate();
    encoder->maxThreads = 1;
    encoder->speed = speed;
    encoder->minQuantizer = encoder->maxQuantizer = 63 - quality;
    avifRWData made = AVIF_DATA_EMPTY;
    if (avifImageRGBToYUV(picture, &pixels) != AVIF_RESULT_OK ||
        avifEncoderWrite(encoder, picture, &made) != AVIF_RESULT_OK) {
        exit(1);
    }
    avifEncoderDestroy(encoder);
    avifImageDestroy(picture);
    return (file){made.data, made.size};
}

static image read_avif(file in, image like) {
    image out = {like.width, like.height, malloc(4 * (size_t)like.width * (size_t)like.height)};
    avifDecoder *decoder = avifDecoderCreate();
    avifRGBImage pixels;
    if (avifDecoderSetIOMemory(decoder, in.bytes, in.count) != AVIF_RESULT_OK ||
        avifDecoderParse(decoder) != AVIF_RESULT_OK || avifDecoderNextImage(decoder) != AVIF_RESULT_OK) {
        exit(1);
    }
    avifRGBImageSetDefaults(&pixels, decoder->image);
    pixels.pixels = out.rgba;
    pixels.rowBytes = 4 * (uint32_t)like.width;
    if (avifImageYUVToRGB(decoder->image, &pixels) != AVIF_RESULT_OK) exit(1);
    avifDecoderDestroy(decoder);
    return out;
}

static void measure(const char *name, image image, const char *codec, int effort, int quality) {
    char kind = codec[0];
    int isTimed = kind == 'a' ? quality > 36 && quality < 46 : quality >= 80 && quality <= 85;
    double least = 1e12;
    file made = {0};
    for (int i = 0; i < (isTimed ? REPEATS : 1); i++) {
        free(made.bytes);
        double start = now();
        made = kind == 'a'   ? write_avif(image, effort, quality)
               : kind == 'w' ? write_webp(image, effort, quality)
                             : write_jpeg(image, quality, effort);
        least = fmin(least, now() - start);
    }
    struct image shown = image;
    if (kind == 'a') shown = read_avif(made, image);
    else if (kind == 'w') shown.rgba = WebPDecodeRGBA(made.bytes, made.count, &shown.width, &shown.height);
    else shown = read_jpeg(made, image);
    printf("%s\t%s\t%d\t%d\t%.1f\t%lu\t%.6f\n", name, codec, effort, quality, least, made.count,
           ssim(image, shown));
    free(shown.rgba);
    free(made.bytes);
}

static image read_ppm(const char *path) {
    image out = {0};
    FILE *in = fopen(path, "rb");
    if (!in || fscanf(in, "P6 %d %d 255", &out.width, &out.height) != 2) exit(1);
    fgetc(in);
    size_t count = (size_t)out.width * (size_t)out.height;
    out.rgba = malloc(4 * count);
    memset(out.rgba, 255, 4 * count);
    for (size_t i = 0; i < count; i++) {
        if (fread(out.rgba + 4 * i, 3, 1, in) != 1) exit(1);
    }
    fclose(in);
    return out;
}

int main(int count, char **arguments) {
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i];
        image image = read_ppm(name);
        for (int quality = 5; quality <= 100; quality += 5) {
            measure(name, image, "jpeg", 0, quality);
            measure(name, image, "webp", 3, quality);
        }
        measure(name, image, "huffman", 1, 80);
        measure(name, image, "progressive", 2, 80);
        measure(name, image, "scans", 3, 80);
        for (int speed = 8; speed <= 10; speed++) {
            for (int quality = 0; quality <= 63; quality += 3) measure(name, image, "avif", speed, quality);
        }
        free(image.rgba);
    }
    return 0;
}
