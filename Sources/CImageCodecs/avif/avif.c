// Decodes AVIF.
#include "avif_library.h"

#if IMGC_HAS_AVIF

#include "imgc_avif.h"

#include "../common/item_geometry.h"
#include "../common/support.h"
#include "av1_scan.h"

#include <stdlib.h>
#include <string.h>

struct imgc_avif_reader {
    avifDecoder *decoder;
    avifIO io; // how the decoder reads `bytes`
    const uint8_t *bytes;
    size_t size;
    imgc_limits limits;
    bool is_sequence;
    bool is_decoding;   // what is read is AV1 data, not boxes
    bool has_item_data; // a box `idat`: AV1 data may be inside the boxes
    bool is_grid;       // made of tiles
    bool is_decoded;
    imgc_av1_scan scan;
    imgc_error fault; // of the scan
    imgc_crop crop;
    uint64_t cpu_spent;
    uint32_t next_row;
    uint8_t *band; // RGBA of whole rows of the image
};

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
        // These have no result of their own.
        if (strstr(words, "dimensions") && strstr(words, "too large")) return IMGC_STATUS_LIMIT;
        if (strstr(words, "CountLimit")) return IMGC_STATUS_LIMIT;
        if (strstr(words, "sizeHint") || strstr(words, "size hint")) return IMGC_STATUS_TRUNCATED;
        if (strstr(words, "File-level box header: Failed")) return IMGC_STATUS_TRUNCATED;
        return IMGC_STATUS_CORRUPT;
    }
}

static imgc_status fail(imgc_error *error, avifResult result, const avifDecoder *decoder,
                        size_t size) {
    bool has_words = decoder && decoder->diag.error[0];
    const char *words = has_words ? decoder->diag.error : libavif.ResultToString(result);
    imgc_status status = status_of(result, words);
    switch (status) {
    case IMGC_STATUS_TRUNCATED:
        return imgc_fail(error, status, size, "the data ends too early");
    case IMGC_STATUS_MEMORY:
        return imgc_fail(error, status, 0, "no memory to decode");
    default:
        if (result == AVIF_RESULT_NO_AV1_ITEMS_FOUND) words = "the file has no AV1 image";
        if (result == AVIF_RESULT_DECODE_COLOR_FAILED) words = "the AV1 data cannot be decoded";
        if (result == AVIF_RESULT_DECODE_ALPHA_FAILED) words = "the alpha plane cannot be decoded";
        return imgc_fail(error, status, 0, "%s", words);
    }
}

// MARK: boxes

/// Whether the file type box lists `brand`; all of the box is in `bytes`.
static bool has_brand(const uint8_t *bytes, size_t box, const char brand[4]) {
    for (size_t at = 8; at + 4 <= box; at += at == 8 ? 8 : 4) { // after the major brand: a version
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
    size_t box = 0;
    for (int i = 0; i < 4 && size >= 8; i++) box = box << 8 | bytes[i];
    if (size < 8 || box > size) {
        imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends too early");
        return false;
    }
    *is_sequence = has_brand(bytes, box, "avis");
    if (*is_sequence || has_brand(bytes, box, "avif")) return true;
    imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 8, "the brands of the file are not those of AVIF");
    return false;
}

/// Whether a type of box or item is named in boxes.
static bool names(const avifROData *data, const char type[4]) {
    for (size_t at = 0; at + 4 <= data->size; at++) {
        const uint8_t *found = memchr(data->data + at, type[0], data->size - at - 3);
        if (!found) return false;
        if (memcmp(found, type, 4) == 0) return true;
        at = (size_t)(found - data->data);
    }
    return false;
}

/// Gives libavif a part of the file. The headers of AV1 data are looked at first: libavif limits
/// neither the frames that libaom decodes nor how many there are that are not shown.
static avifResult read_part(avifIO *io, uint32_t flags, uint64_t offset, size_t size,
                            avifROData *out) {
    imgc_avif_reader *reader = io->data;
    if (flags != 0 || offset > reader->size) return AVIF_RESULT_IO_ERROR;
    size_t left = reader->size - (size_t)offset;
    *out = (avifROData){.data = reader->bytes + offset, .size = size < left ? size : left};
    if (!reader->is_decoding) {
        reader->has_item_data = reader->has_item_data || names(out, "idat");
        reader->is_grid = reader->is_grid || names(out, "grid");
        return AVIF_RESULT_OK;
    }
    imgc_status status = imgc_av1_scan_piece(&reader->scan, out->data, out->size, &reader->fault);
    return status == IMGC_STATUS_OK ? AVIF_RESULT_OK : AVIF_RESULT_UNKNOWN_ERROR;
}

/// Makes a decoder that reads the boxes of one source.
static avifResult parse(imgc_avif_reader *reader, avifDecoderSource source) {
    const imgc_limits *limits = &reader->limits;
    if (reader->decoder) libavif.DecoderDestroy(reader->decoder);
    avifDecoder *decoder = reader->decoder = libavif.DecoderCreate();
    if (!decoder) return AVIF_RESULT_OUT_OF_MEMORY;
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
    libavif.DecoderSetIO(decoder, &reader->io);
    avifResult result = libavif.DecoderSetSource(decoder, source);
    return result == AVIF_RESULT_OK ? libavif.DecoderParse(decoder) : result;
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

/// Where only the boxes matter, the data behind them may be missing: the file is taken for so long.
/// It bounds what libavif allocates for items in several pieces.
enum { BOXES_ALONE = 64 << 20 };

/// Reads the boxes of the primary item, or of the first track if there is none.
///
/// - `least`  how long the file is taken for if it is shorter.
static imgc_avif_reader *begin(const uint8_t *bytes, size_t size, uint64_t least,
                               const imgc_limits *limits, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    bool is_sequence = false;
    if (imgc_avif_load(error) != IMGC_STATUS_OK) return NULL;
    if (!head_is_sound(bytes, size, &is_sequence, error)) return NULL;
    imgc_avif_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        return NULL;
    }
    reader->bytes = bytes;
    reader->size = size;
    reader->limits = *limits;
    reader->is_sequence = is_sequence;
    reader->io = (avifIO){
        .read = read_part,
        .sizeHint = size < least ? least : size,
        .persistent = AVIF_TRUE,
        .data = reader,
    };
    avifResult result = parse(reader, AVIF_DECODER_SOURCE_PRIMARY_ITEM);
    if (result != AVIF_RESULT_OK && is_sequence) {
        result = parse(reader, AVIF_DECODER_SOURCE_TRACKS);
    }
    if (result != AVIF_RESULT_OK) {
        fail(error, result, reader->decoder, size);
    } else {
        const avifImage *image = reader->decoder->image;
        imgc_size_allowed(image->width, image->height, limits, error);
        reader->crop = crop_of(image);
    }
    if (error->status == IMGC_STATUS_OK) return reader;
    imgc_avif_reader_close(reader);
    return NULL;
}

void imgc_avif_reader_close(imgc_avif_reader *reader) {
    if (!reader) return;
    if (reader->decoder) libavif.DecoderDestroy(reader->decoder);
    imgc_buffer_free(&reader->scan.pending);
    free(reader->band);
    free(reader);
}

imgc_status imgc_avif_scan(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                           imgc_info *info, imgc_error *error) {
    *info = (imgc_info){.orientation = 1};
    imgc_avif_reader *reader = begin(bytes, size, BOXES_ALONE, limits, error);
    if (!reader) return error->status;
    const avifImage *image = reader->decoder->image;
    info->width = reader->crop.width;
    info->height = reader->crop.height;
    info->orientation = orientation_of(image);
    info->color = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? IMGC_COLOR_GRAY
                  : image->matrixCoefficients == AVIF_MATRIX_COEFFICIENTS_IDENTITY
                      ? IMGC_COLOR_RGB
                      : IMGC_COLOR_YCBCR;
    info->bit_depth = image->depth;
    info->has_alpha = reader->decoder->alphaPresent;
    info->has_icc = image->icc.size > 0;
    info->icc_size = image->icc.size;
    info->has_animation = reader->is_sequence;
    imgc_avif_reader_close(reader);
    return IMGC_STATUS_OK;
}

imgc_status imgc_avif_icc(const uint8_t *bytes, size_t size, const imgc_limits *limits,
                          imgc_buffer *out, imgc_error *error) {
    *out = (imgc_buffer){0};
    imgc_avif_reader *reader = begin(bytes, size, BOXES_ALONE, limits, error);
    if (!reader) return error->status;
    const avifRWData *icc = &reader->decoder->image->icc;
    // A profile that is too long is left out, as in other formats.
    bool is_used = icc->size > 0 && icc->size <= limits->max_chunk_bytes;
    if (is_used && !imgc_buffer_append(out, icc->data, icc->size)) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for the ICC profile");
    }
    imgc_avif_reader_close(reader);
    return error->status;
}

// MARK: decoding

/// Rows that are converted at once, and how many more on either side: chroma is interpolated
/// between neighbours, so the rows at an edge need what is beyond it. A band begins at an even row.
enum { BAND_ROWS = 64, MARGIN_ROWS = 2, MOST_BAND_ROWS = 1 + BAND_ROWS + 2 * MARGIN_ROWS };

/// libaom is preferred up to so much memory. It takes some six times what dav1d takes, but dav1d
/// writes a line to stderr for most damaged files, and libavif offers no way to stop it.
static const uint64_t most_libaom_memory = 128 << 20;

/// Pixels that the frames of an image may have together: four layers of colour and alpha, in tiles
/// that may be twice as large as what is seen of them; and many small tiles.
enum { MOST_LAYERS = 16, SMALL_TILES_PIXELS = 2 << 20 };

static bool has_codec(avifCodecChoice codec) {
    return libavif.CodecName(codec, AVIF_CODEC_FLAG_CAN_DECODE) != NULL;
}

static uint64_t pixels_of(const avifImage *image) {
    return (uint64_t)image->width * image->height;
}

static uint64_t band_bytes(const avifImage *image) {
    return (uint64_t)image->width * 4 * MOST_BAND_ROWS;
}

/// Bytes for two pixels, as measured: the planes, of a grid those of the tiles as well, and what
/// the AV1 decoder keeps beside them.
static uint64_t bytes_for_two(const imgc_avif_reader *reader, avifCodecChoice codec) {
    const avifDecoder *decoder = reader->decoder;
    bool is_dav1d = codec == AVIF_CODEC_CHOICE_DAV1D;
    uint64_t gray = is_dav1d ? 2 : 3, samples = gray, codecs = decoder->alphaPresent ? 2 : 1;
    avifPixelFormat format = decoder->image->yuvFormat;
    if (format == AVIF_PIXEL_FORMAT_YUV420) samples = 3;
    if (format == AVIF_PIXEL_FORMAT_YUV422) samples = 4;
    if (format == AVIF_PIXEL_FORMAT_YUV444) samples = 6;
    if (decoder->alphaPresent) samples += gray;
    uint64_t planes = samples * (decoder->image->depth > 8 ? 2 : 1);
    if (reader->is_grid) planes *= 2;
    return planes + codecs * (is_dav1d ? 2 : reader->is_grid ? 40 : 26);
}

static uint64_t memory_needed(const imgc_avif_reader *reader, avifCodecChoice codec) {
    const avifImage *image = reader->decoder->image;
    return pixels_of(image) * bytes_for_two(reader, codec) / 2 + band_bytes(image);
}

/// Makes the AV1 decoder and sets the limits of what it is given.
static imgc_status use(imgc_avif_reader *reader, avifCodecChoice codec, imgc_error *error) {
    avifDecoder *decoder = reader->decoder;
    const imgc_limits *limits = &reader->limits;
    decoder->codecChoice = codec;
    avifResult result = libavif.DecoderReset(decoder);
    if (result != AVIF_RESULT_OK) return fail(error, result, decoder, reader->size);
    uint64_t pixels = pixels_of(decoder->image), needed = memory_needed(reader, codec);
    if (needed > limits->max_memory) {
        return imgc_fail(error, IMGC_STATUS_LIMIT, 0,
                         "decoding %u x %u pixels takes %llu MiB, more than the %llu allowed",
                         decoder->image->width, decoder->image->height,
                         (unsigned long long)(needed >> 20),
                         (unsigned long long)(limits->max_memory >> 20));
    }
    // What is inside the boxes is not scanned, but dav1d, which is then used, has a limit.
    if (reader->has_item_data) decoder->imageSizeLimit = (uint32_t)pixels;
    // The AV1 data may claim more pixels than the boxes, and have frames that are not shown.
    uint64_t affordable =
        (limits->max_memory - band_bytes(decoder->image)) * 2 / bytes_for_two(reader, codec);
    uint64_t layers = MOST_LAYERS * pixels, twice = 2 * pixels; // colour and alpha
    uint64_t budget = limits->max_animation_pixels > twice ? limits->max_animation_pixels : twice;
    imgc_buffer_free(&reader->scan.pending);
    reader->scan = (imgc_av1_scan){
        .max_side = limits->max_side,
        .max_pixels = affordable < limits->max_pixels ? affordable : limits->max_pixels,
        .budget = (budget < layers ? budget : layers) + SMALL_TILES_PIXELS,
    };
    return IMGC_STATUS_OK;
}

/// Chooses the AV1 decoder.
static imgc_status prepare(imgc_avif_reader *reader, imgc_error *error) {
    bool has_aom = has_codec(AVIF_CODEC_CHOICE_AOM) && !reader->has_item_data;
    bool has_dav1d = has_codec(AVIF_CODEC_CHOICE_DAV1D);
    if (!has_aom && !has_dav1d) {
        return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0,
                         "libavif is built without dav1d, which this file needs");
    }
    bool is_small = memory_needed(reader, AVIF_CODEC_CHOICE_AOM) <= most_libaom_memory;
    avifCodecChoice codec = has_aom && (is_small || !has_dav1d) ? AVIF_CODEC_CHOICE_AOM
                                                                : AVIF_CODEC_CHOICE_DAV1D;
    return use(reader, codec, error);
}

/// Whether libaom may read what dav1d could not: dav1d 1.0 refuses some images of more pixels than the
/// AV1 levels know (35.6 million).
static bool has_second_choice(const imgc_avif_reader *reader) {
    return reader->decoder->codecChoice == AVIF_CODEC_CHOICE_DAV1D && !reader->has_item_data &&
           has_codec(AVIF_CODEC_CHOICE_AOM) && pixels_of(reader->decoder->image) > 35651584 &&
           memory_needed(reader, AVIF_CODEC_CHOICE_AOM) <= reader->limits.max_memory;
}

imgc_avif_reader *imgc_avif_reader_open(const uint8_t *bytes, size_t size,
                                        const imgc_limits *limits, imgc_error *error) {
    uint64_t began = imgc_cpu_now();
    imgc_avif_reader *reader = begin(bytes, size, 0, limits, error);
    if (!reader) return NULL;
    if (prepare(reader, error) != IMGC_STATUS_OK) {
        imgc_avif_reader_close(reader);
        return NULL;
    }
    reader->cpu_spent = imgc_cpu_now() - began;
    return reader;
}

uint32_t imgc_avif_reader_width(const imgc_avif_reader *reader) { return reader->crop.width; }

uint32_t imgc_avif_reader_height(const imgc_avif_reader *reader) { return reader->crop.height; }

/// Decodes the planes of the first image.
static imgc_status decode(imgc_avif_reader *reader, imgc_error *error) {
    avifDecoder *decoder = reader->decoder;
    uint32_t width = decoder->image->width, height = decoder->image->height;
    if (reader->is_decoding) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "the image could not be decoded before");
    }
    reader->is_decoding = true;
    avifResult result = libavif.DecoderNextImage(decoder);
    if (result == AVIF_RESULT_DECODE_COLOR_FAILED && has_second_choice(reader)) {
        reader->is_decoding = false; // what is read again is a box
        if (use(reader, AVIF_CODEC_CHOICE_AOM, error) != IMGC_STATUS_OK) return error->status;
        reader->is_decoding = true;
        result = libavif.DecoderNextImage(decoder);
    }
    if (reader->fault.status != IMGC_STATUS_OK) {
        *error = reader->fault;
        return error->status;
    }
    if (result != AVIF_RESULT_OK) return fail(error, result, decoder, reader->size);
    if (decoder->image->width != width || decoder->image->height != height) {
        return imgc_fail(error, IMGC_STATUS_CORRUPT, 0,
                         "the AV1 data has %u x %u pixels, the boxes say %u x %u",
                         decoder->image->width, decoder->image->height, width, height);
    }
    size_t rows = height < MOST_BAND_ROWS ? height : MOST_BAND_ROWS;
    reader->band = malloc((size_t)width * 4 * rows);
    if (!reader->band) return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
    reader->is_decoded = true;
    return IMGC_STATUS_OK;
}

// MARK: rows

/// Converts the rows from `first` of the image, and those around them, into the band; `above` is
/// how many of it come before.
static imgc_status convert(imgc_avif_reader *reader, uint32_t first, uint32_t count,
                           uint32_t *above, imgc_error *error) {
    const avifImage *image = reader->decoder->image;
    uint32_t top = first & ~1u, bottom = first + count;
    top = top > MARGIN_ROWS ? top - MARGIN_ROWS : 0;
    bottom = image->height - bottom > MARGIN_ROWS ? bottom + MARGIN_ROWS : image->height;
    *above = first - top;
    avifImage *view = libavif.ImageCreateEmpty();
    if (!view) return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
    avifCropRect rect = {.y = top, .width = image->width, .height = bottom - top};
    avifResult result = libavif.ImageSetViewRect(view, image, &rect);
    if (result == AVIF_RESULT_OK) {
        imgc_avif_rgb rgb;
        libavif.RGBImageSetDefaults(&rgb.image, view);
        rgb.image.depth = 8;
        // libyuv is off by up to 41 levels where samples have more than 8 bits.
        rgb.image.avoidLibYUV = image->depth > 8;
        rgb.image.format = AVIF_RGB_FORMAT_RGBA;
        rgb.image.pixels = reader->band;
        rgb.image.rowBytes = image->width * 4;
        result = libavif.ImageYUVToRGB(view, &rgb.image);
    }
    libavif.ImageDestroy(view);
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
