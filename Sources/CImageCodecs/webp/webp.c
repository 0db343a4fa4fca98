// Decodes WebP; one of the two files that speak to libwebp.
#include "imgc_webp.h"

#include "imgk.h"
#include "../common/support.h"

#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>

// MARK: one bitstream

/// Bytes decoded between two looks at the clock.
enum { STEP = 256 * 1024 };

static imgc_status fail_with(imgc_error *error, VP8StatusCode code) {
    switch (code) {
    case VP8_STATUS_OK: return IMGC_STATUS_OK;
    case VP8_STATUS_OUT_OF_MEMORY:
        return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return imgc_fail(error, IMGC_STATUS_TRUNCATED, 0, "the data ends too early");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0, "a kind of image that cannot be read");
    default: return imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the data is damaged");
    }
}

static bool is_late(uint64_t deadline, imgc_error *error) {
    if (imgc_cpu_now() <= deadline) return false;
    imgc_fail(error, IMGC_STATUS_LIMIT, 0, "decoding takes more processor time than allowed");
    return true;
}

/// Decodes into the buffer that `config` names. `rows` receives how many rows are valid.
static imgc_status decode(const uint8_t *data, size_t size, WebPDecoderConfig *config,
                          uint32_t height, uint64_t deadline, uint32_t *rows, imgc_error *error) {
    *rows = 0;
    if (is_late(deadline, error)) return error->status;
    if (size <= STEP) {
        VP8StatusCode code = WebPDecode(data, size, config);
        if (code == VP8_STATUS_OK) {
            *rows = height;
            return is_late(deadline, error) ? error->status : IMGC_STATUS_OK;
        }
        if (code != VP8_STATUS_SUSPENDED && code != VP8_STATUS_NOT_ENOUGH_DATA) {
            return fail_with(error, code);
        }
        // What is there of a truncated image only the incremental decoder gives.
    }
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, config);
    if (!decoder) return fail_with(error, VP8_STATUS_OUT_OF_MEMORY);
    VP8StatusCode code = VP8_STATUS_SUSPENDED;
    for (size_t given = 0; given < size && code == VP8_STATUS_SUSPENDED;) {
        given = size - given > STEP ? given + STEP : size;
        code = WebPIUpdate(decoder, data, given);
        if (is_late(deadline, error)) break;
    }
    int last = 0;
    if (config->output.colorspace < MODE_YUV) WebPIDecGetRGB(decoder, &last, NULL, NULL, NULL);
    *rows = code == VP8_STATUS_OK ? height : last > 0 ? (uint32_t)last : 0;
    WebPIDelete(decoder);
    if (error->status == IMGC_STATUS_OK) fail_with(error, code);
    return error->status;
}

/// Makes `config` write RGBA to memory of the caller.
static bool target_rgba(WebPDecoderConfig *config, uint8_t *to, size_t bytes_per_row, size_t size) {
    if (!WebPInitDecoderConfig(config) || bytes_per_row > INT32_MAX) return false;
    config->output.colorspace = MODE_RGBA;
    config->output.is_external_memory = 1;
    config->output.u.RGBA = (WebPRGBABuffer){
        .rgba = to, .stride = (int)bytes_per_row, .size = size};
    return true;
}

imgc_status imgc_webp_draw(const uint8_t *webp, size_t size, const imgc_webp_frame *frame,
                           const imgc_pixels *canvas, const imgc_limits *limits,
                           imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (frame->data > size || frame->size > size - frame->data) {
        return imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends inside a frame");
    }
    if (canvas && (canvas->width < frame->left + frame->width ||
                   canvas->height < frame->top + frame->height ||
                   canvas->bytes_per_row < (size_t)canvas->width * 4 ||
                   canvas->byte_count / canvas->height < canvas->bytes_per_row)) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "pixel buffer is too small");
    }
    // The canvas and a copy of it, the frame apart from it, and what the decoder holds itself.
    uint64_t pixels = (uint64_t)frame->width * frame->height;
    uint64_t needed = (canvas ? 2 * (uint64_t)canvas->byte_count : 0) + 4 * pixels +
                      (frame->lossless ? 4 * pixels : frame->has_alpha ? 2 * pixels : 0);
    if (needed > limits->max_memory) {
        return imgc_fail(error, IMGC_STATUS_LIMIT, 0, "a frame of %u x %u takes more memory than allowed",
                         frame->width, frame->height);
    }
    bool replaces = canvas && (!frame->blends || !frame->has_alpha);
    size_t row = (size_t)frame->width * 4;
    uint8_t *apart = NULL, *to;
    WebPDecoderConfig config;
    if (replaces) {
        size_t offset = canvas->bytes_per_row * frame->top + (size_t)frame->left * 4;
        to = canvas->bytes + offset;
        row = canvas->bytes_per_row;
    } else {
        to = apart = malloc(row * frame->height);
        if (!apart) return fail_with(error, VP8_STATUS_OUT_OF_MEMORY);
    }
    // The last row ends with the frame, not with the canvas.
    size_t room = row * (frame->height - 1) + (size_t)frame->width * 4;
    uint32_t rows;
    if (target_rgba(&config, to, row, room)) {
        decode(webp + frame->data, (size_t)frame->size, &config, frame->height,
               imgc_cpu_deadline(limits->max_cpu_nanoseconds), &rows, error);
    } else {
        fail_with(error, VP8_STATUS_OUT_OF_MEMORY);
    }
    if (apart && canvas && error->status == IMGC_STATUS_OK) {
        imgk_draw(canvas->bytes + canvas->bytes_per_row * frame->top + (size_t)frame->left * 4,
                  canvas->bytes_per_row, apart, row, frame->width, frame->height, true);
    }
    free(apart);
    return error->status;
}

// MARK: stills

struct imgc_webp_reader {
    const uint8_t *bytes;
    size_t size;
    uint32_t width, height; // of the image
    uint32_t next_row;
    bool half, lenient;
    uint64_t deadline;
    uint8_t *planes; // brightness, then the two of colour; only at half the size
};

imgc_webp_reader *imgc_webp_reader_open(const uint8_t *webp, size_t size,
                                        const imgc_limits *limits, bool half, bool lenient,
                                        imgc_error *error) {
    imgc_webp_table *table = imgc_webp_table_make(webp, size, limits, error);
    if (!table) return NULL;
    imgc_webp_summary summary = *imgc_webp_table_summary(table);
    imgc_webp_table_free(table);
    const imgc_info *info = &summary.info;
    imgc_webp_reader *reader = NULL;
    if (summary.fault.status != IMGC_STATUS_OK && !lenient) {
        *error = summary.fault;
    } else if (info->has_animation || (half && (info->has_alpha || info->color != IMGC_COLOR_YCBCR))) {
        imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "not a still that can be decoded so");
    } else if ((uint64_t)info->width * info->height * (info->color == IMGC_COLOR_RGB || info->has_alpha ? 8 : 4) >
               limits->max_memory) {
        // The decoder holds the pixels of a lossless image, or the alpha, beside the caller's.
        imgc_fail(error, IMGC_STATUS_LIMIT, 0, "%u x %u pixels take more memory than allowed",
                  info->width, info->height);
    } else if (!(reader = calloc(1, sizeof *reader))) {
        fail_with(error, VP8_STATUS_OUT_OF_MEMORY);
    } else {
        *reader = (imgc_webp_reader){
            .bytes = webp + summary.still.data, .size = (size_t)summary.still.size,
            .width = info->width, .height = info->height,
            .half = half, .lenient = lenient,
            .deadline = imgc_cpu_deadline(limits->max_cpu_nanoseconds)};
    }
    return reader;
}

uint32_t imgc_webp_reader_width(const imgc_webp_reader *reader) {
    return reader->half ? (reader->width + 1) / 2 : reader->width;
}

uint32_t imgc_webp_reader_height(const imgc_webp_reader *reader) {
    return reader->half ? (reader->height + 1) / 2 : reader->height;
}

/// Decodes the samples as they are stored, without the conversion of every pixel to RGB.
static imgc_status decode_planes(imgc_webp_reader *reader, imgc_error *error) {
    size_t width = reader->width, height = reader->height;
    size_t across = (width + 1) / 2, down = (height + 1) / 2;
    WebPDecoderConfig config;
    reader->planes = malloc(width * height + 2 * across * down);
    if (!reader->planes || !WebPInitDecoderConfig(&config)) {
        return fail_with(error, VP8_STATUS_OUT_OF_MEMORY);
    }
    uint8_t *colors = reader->planes + width * height;
    config.output.colorspace = MODE_YUV;
    config.output.is_external_memory = 1;
    config.output.u.YUVA = (WebPYUVABuffer){
        .y = reader->planes, .y_stride = (int)width, .y_size = width * height,
        .u = colors, .u_stride = (int)across, .u_size = across * down,
        .v = colors + across * down, .v_stride = (int)across, .v_size = across * down};
    uint32_t rows;
    return decode(reader->bytes, reader->size, &config, reader->height, reader->deadline, &rows,
                  error);
}

/// Pixels that are converted at once.
enum { BLOCK = 64 };

/// The upper half of a product: one instruction for eight pixels.
static int16_t scaled(int16_t value, int16_t factor) {
    return (int16_t)(((int32_t)value * factor) >> 16);
}

static uint8_t clamp(int16_t value) {
    int16_t whole = (int16_t)(value >> 5);
    return (uint8_t)(whole < 0 ? 0 : whole > 255 ? 255 : whole);
}

/// One row of RGBA from two rows of brightness and one of each colour.
///
/// Source: ITU-R BT.601 for studio range, which RFC 6386, 9.2, names; in 16 bits, five of them
/// behind the point, in steps that compilers turn into vector instructions.
static void merge_row(uint8_t *restrict to, const uint8_t *restrict upper,
                      const uint8_t *restrict lower, const uint8_t *restrict u,
                      const uint8_t *restrict v, uint32_t count) {
    uint8_t red[BLOCK], green[BLOCK], blue[BLOCK];
    int16_t light[BLOCK];
    for (uint32_t start = 0; start < count; start += BLOCK) {
        uint32_t size = count - start < BLOCK ? count - start : BLOCK;
        for (uint32_t x = 0; x < size; x++) {
            uint16_t above, below; // two samples each, in whatever order
            memcpy(&above, upper + 2 * (size_t)(start + x), 2);
            memcpy(&below, lower + 2 * (size_t)(start + x), 2);
            uint16_t sum = (uint16_t)((above & 255) + (above >> 8) + (below & 255) + (below >> 8));
            // 1.164 * 32 of a mean of four; black is 16, and half a unit rounds.
            light[x] = (int16_t)((((uint32_t)(uint16_t)(sum << 6) * 9539) >> 16) - 596 + 16);
        }
        for (uint32_t x = 0; x < size; x++) {
            int16_t cb = (int16_t)((u[start + x] - 128) * 256);
            int16_t cr = (int16_t)((v[start + x] - 128) * 256);
            red[x] = clamp((int16_t)(light[x] + scaled(cr, 13074)));
            green[x] = clamp((int16_t)(light[x] - scaled(cb, 3209) - scaled(cr, 6660)));
            blue[x] = clamp((int16_t)(light[x] + scaled(cb, 16530)));
        }
        uint8_t *out = to + 4 * (size_t)start;
        for (uint32_t x = 0; x < size; x++) {
            // The first byte in memory is the lowest one on every machine that Swift runs on.
            uint32_t pixel = (uint32_t)red[x] | (uint32_t)green[x] << 8 |
                             (uint32_t)blue[x] << 16 | 0xff000000u;
            memcpy(out + 4 * (size_t)x, &pixel, 4);
        }
    }
}

static void show_row(const imgc_webp_reader *reader, uint32_t row, uint8_t *to) {
    size_t width = reader->width, across = (width + 1) / 2, down = (reader->height + 1) / 2;
    const uint8_t *upper = reader->planes + width * 2 * row;
    const uint8_t *lower = 2 * row + 1 < reader->height ? upper + width : upper;
    const uint8_t *u = reader->planes + width * reader->height + across * row;
    const uint8_t *v = u + across * down;
    merge_row(to, upper, lower, u, v, (uint32_t)(width / 2));
    if (width % 2 == 1) {
        uint8_t top[2] = {upper[width - 1], upper[width - 1]};
        uint8_t bottom[2] = {lower[width - 1], lower[width - 1]};
        merge_row(to + 4 * (across - 1), top, bottom, u + across - 1, v + across - 1, 1);
    }
}

imgc_status imgc_webp_reader_read(imgc_webp_reader *reader, imgc_pixels rows, uint32_t *count,
                                  imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *count = 0;
    uint32_t width = imgc_webp_reader_width(reader), height = imgc_webp_reader_height(reader);
    if (rows.width < width || rows.bytes_per_row < (size_t)width * 4 ||
        (rows.height > 0 && rows.byte_count / rows.height < rows.bytes_per_row) ||
        (!reader->half && rows.height != height)) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "pixel buffer is too small");
    }
    if (!reader->half) {
        WebPDecoderConfig config;
        if (!target_rgba(&config, rows.bytes, rows.bytes_per_row, rows.byte_count)) {
            return fail_with(error, VP8_STATUS_OUT_OF_MEMORY);
        }
        return decode(reader->bytes, reader->size, &config, height, reader->deadline, count, error);
    }
    if (!reader->planes && decode_planes(reader, error) != IMGC_STATUS_OK) return error->status;
    while (*count < rows.height && reader->next_row < height) {
        show_row(reader, reader->next_row++, rows.bytes + rows.bytes_per_row * (*count)++);
    }
    return IMGC_STATUS_OK;
}

void imgc_webp_reader_close(imgc_webp_reader *reader) {
    if (!reader) return;
    free(reader->planes);
    free(reader);
}

// MARK: while the file comes

struct imgc_webp_stream {
    imgc_limits limits;
    imgc_buffer body; // all that has come
    size_t given;     // of which the decoder knows
    bool is_lossless;
    WebPIDecoder *decoder;
    imgc_webp_progress progress;
    uint64_t spent;
};

imgc_webp_stream *imgc_webp_stream_make(const imgc_limits *limits) {
    imgc_webp_stream *stream = calloc(1, sizeof *stream);
    if (stream) stream->limits = *limits;
    return stream;
}

/// Looks at the header; makes the decoder when it is whole, or ends the stream.
static imgc_status begin(imgc_webp_stream *stream, imgc_error *error) {
    WebPBitstreamFeatures features;
    VP8StatusCode code = WebPGetFeatures(stream->body.bytes, stream->body.count, &features);
    if (code == VP8_STATUS_NOT_ENOUGH_DATA) {
        if (stream->body.count > stream->limits.max_chunk_bytes) stream->progress.ended = true;
        return IMGC_STATUS_OK;
    }
    if (code != VP8_STATUS_OK) return fail_with(error, code);
    // EXIF comes last: which way is up is not known until then.
    bool has_exif = stream->body.count > 20 && memcmp(stream->body.bytes + 12, "VP8X", 4) == 0 &&
                    (stream->body.bytes[20] & 8) != 0;
    uint32_t width = (uint32_t)features.width, height = (uint32_t)features.height;
    if (features.has_animation || has_exif) {
        stream->progress.ended = true;
        return IMGC_STATUS_OK;
    }
    if (!imgc_size_allowed(width, height, &stream->limits, error)) return error->status;
    if ((uint64_t)width * height * 12 > stream->limits.max_memory) {
        return imgc_fail(error, IMGC_STATUS_LIMIT, 0, "a preview takes more memory than allowed");
    }
    stream->decoder = WebPINewRGB(MODE_RGBA, NULL, 0, 0);
    if (!stream->decoder) return fail_with(error, VP8_STATUS_OUT_OF_MEMORY);
    stream->is_lossless = features.format == 2;
    stream->progress.width = width;
    stream->progress.height = height;
    return IMGC_STATUS_OK;
}

imgc_status imgc_webp_stream_feed(imgc_webp_stream *stream, const uint8_t *bytes, size_t count,
                                  imgc_webp_progress *progress, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    uint64_t start = imgc_cpu_now();
    if (stream->progress.ended) goto done;
    if (!imgc_buffer_append(&stream->body, bytes, count)) {
        return fail_with(error, VP8_STATUS_OUT_OF_MEMORY);
    }
    if (!stream->decoder && begin(stream, error) != IMGC_STATUS_OK) return error->status;
    // A lossless image begins its last block of codes again each time.
    size_t step = stream->is_lossless ? STEP : 1;
    if (stream->decoder && stream->body.count - stream->given >= step) {
        VP8StatusCode code =
            WebPIUpdate(stream->decoder, stream->body.bytes, stream->body.count);
        stream->given = stream->body.count;
        if (code != VP8_STATUS_SUSPENDED && code != VP8_STATUS_OK) return fail_with(error, code);
        int last = 0;
        WebPIDecGetRGB(stream->decoder, &last, NULL, NULL, NULL);
        stream->progress.rows = last > 0 ? (uint32_t)last : 0;
        stream->progress.ended = code == VP8_STATUS_OK;
    }
    stream->spent += imgc_cpu_now() - start;
    if (stream->spent > stream->limits.max_cpu_nanoseconds) {
        return imgc_fail(error, IMGC_STATUS_LIMIT, 0, "previews take more processor time than allowed");
    }
done:
    *progress = stream->progress;
    return error->status;
}

imgc_status imgc_webp_stream_show(imgc_webp_stream *stream, imgc_pixels pixels,
                                  imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    int last = 0, stride = 0;
    const uint8_t *from =
        stream->decoder ? WebPIDecGetRGB(stream->decoder, &last, NULL, NULL, &stride) : NULL;
    if (!from || last <= 0) return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "no rows yet");
    if (pixels.width != stream->progress.width || pixels.height < (uint32_t)last ||
        pixels.byte_count / pixels.height < pixels.bytes_per_row ||
        pixels.bytes_per_row < (size_t)pixels.width * 4) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "pixel buffer is too small");
    }
    for (int y = 0; y < last; y++) {
        memcpy(pixels.bytes + pixels.bytes_per_row * (size_t)y, from + (ptrdiff_t)stride * y,
               (size_t)pixels.width * 4);
    }
    return IMGC_STATUS_OK;
}

void imgc_webp_stream_free(imgc_webp_stream *stream) {
    if (!stream) return;
    if (stream->decoder) WebPIDelete(stream->decoder);
    imgc_buffer_free(&stream->body);
    free(stream);
}
