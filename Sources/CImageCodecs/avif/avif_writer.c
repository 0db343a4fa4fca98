// Writes AVIF, stills alone.
#include "avif_library.h"

#if IMGC_HAS_AVIF

#include "../common/support.h"
#include "imgc_avif.h"

/// Gives the planes their colours (ITU-T H.273) and fills them.
static avifResult import(avifImage *planes, const imgc_image *image,
                         const imgc_avif_options *options) {
    bool has_icc = options->icc && options->icc_size > 0;
    planes->yuvRange = AVIF_RANGE_FULL;
    planes->colorPrimaries = has_icc ? AVIF_COLOR_PRIMARIES_UNSPECIFIED : AVIF_COLOR_PRIMARIES_BT709;
    planes->transferCharacteristics = has_icc ? AVIF_TRANSFER_CHARACTERISTICS_UNSPECIFIED
                                              : AVIF_TRANSFER_CHARACTERISTICS_SRGB;
    planes->matrixCoefficients = options->lossless ? AVIF_MATRIX_COEFFICIENTS_IDENTITY
                                                   : AVIF_MATRIX_COEFFICIENTS_BT601;
    if (has_icc) (void)libavif.ImageSetProfileICC(planes, options->icc, options->icc_size);
    if (options->exif) {
        (void)libavif.ImageSetMetadataExif(planes, options->exif, options->exif_size);
    }
    imgc_avif_rgb rgb;
    libavif.RGBImageSetDefaults(&rgb.image, planes);
    rgb.image.depth = 8;
    rgb.image.format = AVIF_RGB_FORMAT_RGBA;
    rgb.image.ignoreAlpha = imgc_image_is_opaque(image);
    rgb.image.pixels = (uint8_t *)image->bytes;
    rgb.image.rowBytes = (uint32_t)image->bytes_per_row;
    return libavif.ImageRGBToYUV(planes, &rgb.image);
}

imgc_status imgc_avif_encode(imgc_image image, const imgc_avif_options *options, imgc_buffer *out,
                             imgc_error *error) {
    enum { MOST_PIXELS_A_SIDE = 65535 };
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (imgc_avif_load(error) != IMGC_STATUS_OK) return error->status;
    if (!imgc_image_is_sound(&image) || image.width > MOST_PIXELS_A_SIDE ||
        image.height > MOST_PIXELS_A_SIDE) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0,
                         "an image of %u x %u pixels; an AVIF has 1 to %d a side", image.width,
                         image.height, MOST_PIXELS_A_SIDE);
    }
    bool is_full = options->lossless || options->full_chroma;
    avifImage *planes = libavif.ImageCreate((int)image.width, (int)image.height, 8,
                                            is_full ? AVIF_PIXEL_FORMAT_YUV444
                                                    : AVIF_PIXEL_FORMAT_YUV420);
    avifEncoder *encoder = libavif.EncoderCreate();
    avifRWData file = {0};
    avifResult result = AVIF_RESULT_OUT_OF_MEMORY;
    if (planes && encoder) {
        encoder->maxThreads = 1;
        encoder->speed = options->speed;
        encoder->minQuantizer = encoder->maxQuantizer = options->lossless ? 0 : options->quantizer;
        // Edges of alpha show every fault.
        encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = 0;
        result = import(planes, &image, options);
        if (result == AVIF_RESULT_OK) result = libavif.EncoderWrite(encoder, planes, &file);
    }
    if (result == AVIF_RESULT_OK && !imgc_buffer_append(out, file.data, file.size)) {
        result = AVIF_RESULT_OUT_OF_MEMORY;
    }
    if (result == AVIF_RESULT_OUT_OF_MEMORY) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to write an AVIF");
    } else if (result == AVIF_RESULT_NO_CODEC_AVAILABLE) {
        imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "libavif has no encoder, such as libaom");
    } else if (result != AVIF_RESULT_OK) {
        imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "cannot write the image: %s",
                  libavif.ResultToString(result));
    }
    libavif.RWDataFree(&file);
    if (planes) libavif.ImageDestroy(planes);
    if (encoder) libavif.EncoderDestroy(encoder);
    return error->status;
}

#endif
