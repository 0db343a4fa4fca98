// The one file that speaks to libavif. Without the package trait AVIF it is empty, so that the
// library is not needed: SwiftPM compiles every target, whatever the traits.
#ifdef IMGC_AVIF

#include "imgc_avif.h"

#include "avif_geometry.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <avif/avif.h>

// MARK: faults

static imgc_status status_of(avifResult result, const char *words) {
    switch (result) {
    case AVIF_RESULT_OK:
        return IMGC_STATUS_OK;
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_IO_ERROR: // reads behind the end of the bytes
    case AVIF_RESULT_WAITING_ON_IO:
        return IMGC_STATUS_TRUNCATED;
    case AVIF_RESULT_OUT_OF_MEMORY:
        return IMGC_STATUS_MEMORY;
    case AVIF_RESULT_NO_AV1_ITEMS_FOUND:
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_NOT_IMPLEMENTED:
        return IMGC_STATUS_UNSUPPORTED;
    default:
        // A limit has no result of its own.
        if (strstr(words, "too large") || strstr(words, "Limit")) return IMGC_STATUS_LIMIT;
        return IMGC_STATUS_CORRUPT;
    }
}

static imgc_status fail(imgc_error *error, avifResult result, const avifDecoder *decoder,
                        size_t size) {
    const char *words = decoder->diag.error[0] ? decoder->diag.error : avifResultToString(result);
    imgc_status status = status_of(result, words);
    switch (status) {
    case IMGC_STATUS_TRUNCATED:
        return imgc_fail(error, status, size, "the data ends too early");
    case IMGC_STATUS_MEMORY:
        return imgc_fail(error, status, 0, "no memory to decode");
    default:
        if (result == AVIF_RESULT_NO_AV1_ITEMS_FOUND) words = "the file has no AV1 image";
        if (result == AVIF_RESULT_DECODE_COLOR_FAILED) words = "the AV1 data cannot be decoded";
        if (result == AVIF_RESULT_DECODE_ALPHA_FAILED) words = "the AV1 data of the alpha plane cannot be decoded";
        return imgc_fail(error, status, 0, "%s", words);
    }
}

// MARK: boxes

/// Whether the file type box lists `brand`; all of the box is in `bytes`.
static bool has_brand(const uint8_t *bytes, size_t box, const char brand[4]) {
    for (size_t at = 8; at + 4 <= box; at += at == 8 ? 8 : 4) { // behind the major brand: a version
        if (memcmp(bytes + at, brand, 4) == 0) return true;
    }
    return false;
}

/// Compares the head of the file with what an AVIF begins with.
static bool head_is_sound(const uint8_t *bytes, size_t size, bool *is_sequence,
                          imgc_error *error) {
    if (size >= 8 && memcmp(bytes + 4, "ftyp", 4) != 0) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the file type box is missing");
        return false;
    }
    size_t box = size < 8 ? 16
                          : (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    if (size < 8 || box > size) {
        imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends too early");
        return false;
    }
    *is_sequence = has_brand(bytes, box, "avis");
    if (*is_sequence || has_brand(bytes, box, "avif")) return true;
    imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 8, "the brands of the file are not those of AVIF");
    return false;
}

/// A decoder that has read the boxes of one source. `result` says how that went.
static avifDecoder *parse(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                          avifDecoderSource source, avifResult *result) {
    avifDecoder *decoder = avifDecoderCreate();
    if (!decoder) return NULL;
    // Only dav1d can be told how large a frame may be; the AV1 data may claim more than the boxes.
    if (avifCodecName(AVIF_CODEC_CHOICE_DAV1D, AVIF_CODEC_FLAG_CAN_DECODE)) {
        decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
    }
    if (getenv("CODEC")) decoder->codecChoice = atoi(getenv("CODEC"));
    decoder->maxThreads = 1;
    decoder->ignoreExif = AVIF_TRUE;
    decoder->ignoreXMP = AVIF_TRUE;
    // As browsers do: a missing `pixi` or a crop that halves a chroma sample loses nothing.
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    if (limits->max_pixels < decoder->imageSizeLimit) {
        decoder->imageSizeLimit = limits->max_pixels ? (uint32_t)limits->max_pixels : 1;
    }
    decoder->imageDimensionLimit = limits->max_side ? limits->max_side : 1;
    decoder->imageCountLimit = limits->max_frames ? limits->max_frames : 1;
    *result = avifDecoderSetSource(decoder, source);
    if (*result == AVIF_RESULT_OK) *result = avifDecoderSetIOMemory(decoder, bytes, size);
    if (*result == AVIF_RESULT_OK) *result = avifDecoderParse(decoder);
    return decoder;
}

/// Reads the boxes of the primary item, or of the first track where there is no such item.
static avifDecoder *begin(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                          bool *is_sequence, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (!head_is_sound(bytes, size, is_sequence, error)) return NULL;
    avifResult result = AVIF_RESULT_OUT_OF_MEMORY;
    avifDecoder *decoder = parse(bytes, size, limits, AVIF_DECODER_SOURCE_PRIMARY_ITEM, &result);
    if (decoder && result != AVIF_RESULT_OK && *is_sequence) {
        avifDecoderDestroy(decoder);
        decoder = parse(bytes, size, limits, AVIF_DECODER_SOURCE_TRACKS, &result);
    }
    if (!decoder) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        return NULL;
    }
    if (result == AVIF_RESULT_OK) {
        const avifImage *image = decoder->image;
        if (imgc_size_allowed(image->width, image->height, limits, error)) return decoder;
    } else {
        fail(error, result, decoder, size);
    }
    avifDecoderDestroy(decoder);
    return NULL;
}

/// The part of the image to show: all of it where the clean aperture is not a part of it.
static imgc_crop crop_of(const avifImage *image) {
    imgc_crop whole = {.width = image->width, .height = image->height};
    if (!(image->transformFlags & AVIF_TRANSFORM_CLAP)) return whole;
    const avifCleanApertureBox *clap = &image->clap;
    imgc_crop crop;
    if (imgc_clean_aperture(clap->widthN, clap->widthD, clap->horizOffN, clap->horizOffD,
                            image->width, &crop.x, &crop.width) &&
        imgc_clean_aperture(clap->heightN, clap->heightD, clap->vertOffN, clap->vertOffD,
                            image->height, &crop.y, &crop.height)) {
        return crop;
    }
    return whole;
}

static uint32_t orientation_of(const avifImage *image) {
    uint32_t turns = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle : 0;
    if (!(image->transformFlags & AVIF_TRANSFORM_IMIR)) return imgc_orientation(turns, -1);
#if AVIF_VERSION_MAJOR >= 1
    return imgc_orientation(turns, image->imir.axis);
#else
    return imgc_orientation(turns, image->imir.mode);
#endif
}

imgc_status imgc_avif_scan(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                           imgc_info *info, imgc_error *error) {
    *info = (imgc_info){.orientation = 1};
    bool is_sequence = false;
    avifDecoder *decoder = begin(bytes, size, limits, &is_sequence, error);
    if (!decoder) return error->status;
    const avifImage *image = decoder->image;
    imgc_crop crop = crop_of(image);
    info->width = crop.width;
    info->height = crop.height;
    info->orientation = orientation_of(image);
    info->color = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? IMGC_COLOR_GRAY
                  : image->matrixCoefficients == AVIF_MATRIX_COEFFICIENTS_IDENTITY
                      ? IMGC_COLOR_RGB
                      : IMGC_COLOR_YCBCR;
    info->bit_depth = image->depth;
    info->has_alpha = decoder->alphaPresent;
    info->has_icc = image->icc.size > 0;
    info->icc_size = image->icc.size;
    info->has_animation = is_sequence;
    avifDecoderDestroy(decoder);
    return IMGC_STATUS_OK;
}

imgc_status imgc_avif_icc(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                          imgc_buffer *out, imgc_error *error) {
    *out = (imgc_buffer){0};
    bool is_sequence = false;
    avifDecoder *decoder = begin(bytes, size, limits, &is_sequence, error);
    if (!decoder) return error->status;
    const avifRWData *icc = &decoder->image->icc;
    if (icc->size > limits->max_chunk_bytes) {
        imgc_fail(error, IMGC_STATUS_LIMIT, 0, "the ICC profile has %zu bytes, more than allowed",
                  icc->size);
    } else if (icc->size > 0 && !imgc_buffer_append(out, icc->data, icc->size)) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for the ICC profile");
    }
    avifDecoderDestroy(decoder);
    return error->status;
}

// MARK: rows

/// Rows that are converted at once, and how many more on either side: chroma is interpolated
/// between neighbours, so the rows at an edge need what is beyond it. A band begins at an even row.
enum { BAND_ROWS = 64, MARGIN_ROWS = 2, WHOLE_BAND_ROWS = 1 + MARGIN_ROWS + BAND_ROWS + MARGIN_ROWS };

struct imgc_avif_reader {
    avifDecoder *decoder;
    size_t size;
    imgc_limits limits;
    imgc_crop crop;
    uint64_t cpu_spent;
    uint32_t next_row;
    bool is_decoded;
    uint8_t *band; // RGBA of whole rows of the image
};

/// Bytes that decoding takes, about: the planes and what dav1d keeps beside them.
static uint64_t memory_needed(const avifImage *image, bool has_alpha) {
    uint64_t pixels = (uint64_t)image->width * image->height;
    uint64_t half_samples = 2; // of a pixel, in halves
    switch (image->yuvFormat) {
    case AVIF_PIXEL_FORMAT_YUV444:
        half_samples = 6;
        break;
    case AVIF_PIXEL_FORMAT_YUV422:
        half_samples = 4;
        break;
    case AVIF_PIXEL_FORMAT_YUV420:
        half_samples = 3;
        break;
    default:
        break;
    }
    if (has_alpha) half_samples += 2;
    uint64_t planes = pixels * half_samples / 2 * (image->depth > 8 ? 2 : 1);
    uint64_t band = (uint64_t)image->width * 4 * WHOLE_BAND_ROWS;
    return planes + pixels / 2 + band;
}

imgc_avif_reader *imgc_avif_reader_open(const uint8_t *bytes, size_t size,
                                        const imgc_limits *limits, imgc_error *error) {
    uint64_t began = imgc_cpu_now();
    bool is_sequence = false;
    avifDecoder *decoder = begin(bytes, size, limits, &is_sequence, error);
    if (!decoder) return NULL;
    uint64_t needed = memory_needed(decoder->image, decoder->alphaPresent);
    imgc_avif_reader *reader = NULL;
    if (needed > limits->max_memory) {
        imgc_fail(error, IMGC_STATUS_LIMIT, 0,
                  "decoding %u x %u pixels takes %llu MiB, more than the %llu allowed",
                  decoder->image->width, decoder->image->height,
                  (unsigned long long)(needed >> 20), (unsigned long long)(limits->max_memory >> 20));
    } else if (!(reader = calloc(1, sizeof *reader))) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
    }
    if (!reader) {
        avifDecoderDestroy(decoder);
        return NULL;
    }
    reader->decoder = decoder;
    reader->size = size;
    reader->limits = *limits;
    reader->crop = crop_of(decoder->image);
    reader->cpu_spent = imgc_cpu_now() - began;
    return reader;
}

uint32_t imgc_avif_reader_width(const imgc_avif_reader *reader) { return reader->crop.width; }

uint32_t imgc_avif_reader_height(const imgc_avif_reader *reader) { return reader->crop.height; }

void imgc_avif_reader_close(imgc_avif_reader *reader) {
    if (!reader) return;
    avifDecoderDestroy(reader->decoder);
    free(reader->band);
    free(reader);
}

/// Decodes the planes of the first image.
static imgc_status decode(imgc_avif_reader *reader, imgc_error *error) {
    avifDecoder *decoder = reader->decoder;
    uint32_t width = decoder->image->width, height = decoder->image->height;
    // What the boxes say was compared with the limits; the AV1 data must not claim more than that.
    uint64_t pixels = (uint64_t)width * height;
    if (pixels < decoder->imageSizeLimit) decoder->imageSizeLimit = (uint32_t)pixels;
    avifResult result = avifDecoderNextImage(decoder);
    if (result != AVIF_RESULT_OK) return fail(error, result, decoder, reader->size);
    if (decoder->image->width != width || decoder->image->height != height) {
        return imgc_fail(error, IMGC_STATUS_CORRUPT, 0,
                         "the AV1 data has %u x %u pixels, the header says %u x %u",
                         decoder->image->width, decoder->image->height, width, height);
    }
    uint32_t rows = height < WHOLE_BAND_ROWS ? height : WHOLE_BAND_ROWS;
    reader->band = malloc((size_t)width * 4 * rows);
    if (!reader->band) return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
    reader->is_decoded = true;
    return IMGC_STATUS_OK;
}

/// Converts the rows from `first` of the image, and those around them, into the band; `above` is
/// how many of it come before.
static imgc_status convert(imgc_avif_reader *reader, uint32_t first, uint32_t count,
                           uint32_t *above, imgc_error *error) {
    const avifImage *image = reader->decoder->image;
    uint32_t top = first & ~1u, bottom = first + count;
    top = top > MARGIN_ROWS ? top - MARGIN_ROWS : 0;
    bottom = image->height - bottom > MARGIN_ROWS ? bottom + MARGIN_ROWS : image->height;
    *above = first - top;
    avifImage *view = avifImageCreateEmpty();
    if (!view) return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
    avifCropRect rect = {.y = top, .width = image->width, .height = bottom - top};
    avifResult result = avifImageSetViewRect(view, image, &rect);
    if (result == AVIF_RESULT_OK) {
        avifRGBImage rgb;
        avifRGBImageSetDefaults(&rgb, view);
        rgb.depth = 8;
        // libyuv is off by up to 41 levels where samples have more than 8 bits.
        rgb.avoidLibYUV = image->depth > 8;
        rgb.format = AVIF_RGB_FORMAT_RGBA;
        rgb.pixels = reader->band;
        rgb.rowBytes = image->width * 4;
        result = avifImageYUVToRGB(view, &rgb);
    }
    avifImageDestroy(view);
    if (result == AVIF_RESULT_OK) return IMGC_STATUS_OK;
    return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "the colours cannot be converted to RGB");
}

imgc_status imgc_avif_reader_read(imgc_avif_reader *reader, imgc_pixels rows, uint32_t *count,
                                  imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *count = 0;
    const imgc_crop *crop = &reader->crop;
    if (rows.width < crop->width || rows.bytes_per_row < (size_t)crop->width * 4 ||
        (rows.height > 0 && rows.byte_count / rows.height < rows.bytes_per_row)) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "pixel buffer is too small");
    }
    uint32_t wanted = crop->height - reader->next_row;
    if (wanted > rows.height) wanted = rows.height;
    while (*count < wanted) {
        uint64_t began = imgc_cpu_now();
        if (!reader->is_decoded && decode(reader, error) != IMGC_STATUS_OK) break;
        uint32_t band = wanted - *count < BAND_ROWS ? wanted - *count : BAND_ROWS, above = 0;
        if (convert(reader, crop->y + reader->next_row, band, &above, error) != IMGC_STATUS_OK) {
            break;
        }
        const uint8_t *from =
            reader->band + ((size_t)above * reader->decoder->image->width + crop->x) * 4;
        for (uint32_t y = 0; y < band; y++) {
            memcpy(rows.bytes + rows.bytes_per_row * (*count + y),
                   from + (size_t)y * reader->decoder->image->width * 4, (size_t)crop->width * 4);
        }
        reader->cpu_spent += imgc_cpu_now() - began;
        if (reader->cpu_spent > reader->limits.max_cpu_nanoseconds) {
            imgc_fail(error, IMGC_STATUS_LIMIT, 0, "decoding takes more than %llu ms",
                      (unsigned long long)(reader->limits.max_cpu_nanoseconds / 1000000));
            break;
        }
        *count += band;
        reader->next_row += band;
    }
    return error->status;
}

#endif
