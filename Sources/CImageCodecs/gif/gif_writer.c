// What goes into each frame of a written GIF: which rectangle, which disposal, which colours.
// The bytes are the business of gif.c.
#include "imgc_gif.h"

#include "gif_file.h"
#include "../common/quantizer.h"
#include "../common/support.h"

#include <stdlib.h>
#include <string.h>

struct imgc_gif_writer {
    imgc_gif_options options;
    imgc_buffer out;
    imgc_gif_file *file;
    imgc_quantizer *quantizer; // for all frames, or for one after the other
    bool has_chosen, is_exact, has_pending;
    uint16_t pending_delay;
    uint8_t *canvas;  // RGBA as shown before the pending frame
    uint8_t *pending; // RGBA of the frame that waits to learn its disposal
    uint8_t *indices;
};

static size_t canvas_bytes(const imgc_gif_writer *writer) {
    return (size_t)writer->options.width * writer->options.height * 4;
}

imgc_gif_writer *imgc_gif_writer_open(const imgc_gif_options *options) {
    if (options->width == 0 || options->height == 0 || options->width > UINT16_MAX ||
        options->height > UINT16_MAX) {
        return NULL;
    }
    imgc_gif_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->options = *options;
    writer->is_exact = true;
    writer->canvas = calloc(1, canvas_bytes(writer));
    writer->pending = malloc(canvas_bytes(writer));
    writer->indices = malloc(canvas_bytes(writer) / 4);
    writer->quantizer = imgc_quantizer_new();
    if (!writer->canvas || !writer->pending || !writer->indices || !writer->quantizer) {
        imgc_gif_writer_close(writer);
        return NULL;
    }
    return writer;
}

void imgc_gif_writer_close(imgc_gif_writer *writer) {
    if (!writer) return;
    imgc_gif_file_abandon(writer->file);
    imgc_buffer_free(&writer->out);
    imgc_quantizer_free(writer->quantizer);
    free(writer->canvas);
    free(writer->pending);
    free(writer->indices);
    free(writer);
}

bool imgc_gif_writer_is_exact(const imgc_gif_writer *writer) { return writer->is_exact; }

static bool frame_fits(const imgc_gif_writer *writer, const imgc_image *frame, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (imgc_image_is_sound(frame) && frame->width == writer->options.width &&
        frame->height == writer->options.height) {
        return true;
    }
    imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "a frame of %u x %u in a GIF of %u x %u",
              frame->width, frame->height, writer->options.width, writer->options.height);
    return false;
}

imgc_status imgc_gif_writer_survey(imgc_gif_writer *writer, imgc_image frame, imgc_error *error) {
    if (!frame_fits(writer, &frame, error) || !writer->options.global_palette) {
        return error->status;
    }
    for (uint32_t y = 0; y < frame.height; y++) {
        const uint8_t *pixel = frame.bytes + frame.bytes_per_row * y;
        imgc_quantizer_count_row(writer->quantizer, pixel, frame.width, 128);
    }
    return IMGC_STATUS_OK;
}

/// The rectangle where two canvases differ; one pixel at the origin where they are equal.
static imgc_gif_frame changed_rectangle(const imgc_gif_writer *writer) {
    uint32_t width = writer->options.width, height = writer->options.height;
    uint32_t left = width, right = 0, top = height, bottom = 0;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *before = writer->canvas + (size_t)y * width * 4;
        const uint8_t *after = writer->pending + (size_t)y * width * 4;
        if (memcmp(before, after, (size_t)width * 4) == 0) continue;
        uint32_t first = 0, last = width - 1;
        while (memcmp(before + 4 * first, after + 4 * first, 4) == 0) first++;
        while (memcmp(before + 4 * last, after + 4 * last, 4) == 0) last--;
        if (first < left) left = first;
        if (last + 1 > right) right = last + 1;
        if (y < top) top = y;
        bottom = y + 1;
    }
    if (right == 0) return (imgc_gif_frame){.width = 1, .height = 1};
    return (imgc_gif_frame){
        .left = left, .top = top, .width = right - left, .height = bottom - top};
}

/// Fills the indices of the pending frame's rectangle; unchanged and clear pixels are transparent.
static void assign_indices(imgc_gif_writer *writer, imgc_gif_frame *frame,
                           imgc_quantizer *quantizer, bool skip_unchanged) {
    uint32_t width = writer->options.width;
    uint8_t transparent = (uint8_t)imgc_quantizer_palette(quantizer)->count;
    uint8_t *out = writer->indices;
    const uint8_t *last = NULL; // the pixel that was searched last
    uint8_t index = transparent;
    for (uint32_t y = frame->top; y < frame->top + frame->height; y++) {
        for (uint32_t x = frame->left; x < frame->left + frame->width; x++) {
            size_t at = ((size_t)y * width + x) * 4;
            const uint8_t *pixel = writer->pending + at;
            if (pixel[3] == 0 || (skip_unchanged && memcmp(pixel, writer->canvas + at, 4) == 0)) {
                *out++ = transparent;
                continue;
            }
            if (!last || memcmp(pixel, last, 4) != 0) {
                index = imgc_quantizer_index(quantizer, pixel);
            }
            last = pixel;
            *out++ = index;
        }
    }
    frame->transparent = transparent;
}

/// Writes the pending frame. When `clears`, it covers the canvas and is wiped after showing.
static imgc_status flush_pending(imgc_gif_writer *writer, bool clears, imgc_error *error) {
    imgc_gif_frame frame = {.width = writer->options.width, .height = writer->options.height};
    if (!clears) frame = changed_rectangle(writer);
    imgc_quantizer *quantizer = writer->quantizer;
    bool is_global = writer->options.global_palette;
    if (!is_global) {
        imgc_quantizer_reset(quantizer);
        for (uint32_t y = frame.top; y < frame.top + frame.height; y++) {
            for (uint32_t x = frame.left; x < frame.left + frame.width; x++) {
                size_t at = ((size_t)y * writer->options.width + x) * 4;
                const uint8_t *pixel = writer->pending + at;
                if (pixel[3] == 0) continue;
                if (!clears && memcmp(pixel, writer->canvas + at, 4) == 0) continue;
                imgc_quantizer_count(quantizer, pixel, 1);
            }
        }
        imgc_quantizer_choose(quantizer, 255);
        writer->is_exact &= imgc_quantizer_is_exact(quantizer);
    }
    assign_indices(writer, &frame, quantizer, !clears);
    frame.centiseconds = writer->pending_delay;
    frame.disposal = clears ? 2 : 1;
    frame.indices = writer->indices;
    frame.palette = is_global ? NULL : imgc_quantizer_palette(quantizer);
    imgc_gif_file_put(writer->file, &frame, error);
    if (clears) {
        memset(writer->canvas, 0, canvas_bytes(writer));
    } else {
        memcpy(writer->canvas, writer->pending, canvas_bytes(writer));
    }
    return error->status;
}

/// Whether some pixel shows now and will not in `next`: then the canvas must be wiped between.
static bool must_clear(const imgc_gif_writer *writer, const imgc_image *next) {
    for (uint32_t y = 0; y < next->height; y++) {
        const uint8_t *now = writer->pending + (size_t)y * next->width * 4;
        const uint8_t *then = next->bytes + next->bytes_per_row * y;
        for (uint32_t x = 0; x < next->width; x++) {
            if (now[4 * x + 3] != 0 && then[4 * x + 3] < 128) return true;
        }
    }
    return false;
}

imgc_status imgc_gif_writer_add(imgc_gif_writer *writer, imgc_image image, uint16_t centiseconds,
                                imgc_error *error) {
    if (!frame_fits(writer, &image, error)) return error->status;
    if (!writer->file) {
        const imgc_palette *palette = NULL;
        if (writer->options.global_palette) {
            imgc_quantizer_choose(writer->quantizer, 255);
            writer->is_exact = imgc_quantizer_is_exact(writer->quantizer);
            palette = imgc_quantizer_palette(writer->quantizer);
        }
        writer->file = imgc_gif_file_begin(&writer->out, &writer->options, palette, error);
        if (!writer->file) return error->status;
    }
    if (writer->has_pending &&
        flush_pending(writer, must_clear(writer, &image), error) != IMGC_STATUS_OK) {
        return error->status;
    }
    for (uint32_t y = 0; y < image.height; y++) {
        const uint8_t *in = image.bytes + image.bytes_per_row * y;
        uint8_t *out = writer->pending + (size_t)y * image.width * 4;
        for (uint32_t x = 0; x < image.width; x++, in += 4, out += 4) {
            if (in[3] >= 128) {
                memcpy(out, in, 3);
                out[3] = 255;
            } else {
                memset(out, 0, 4);
            }
        }
    }
    writer->pending_delay = centiseconds;
    writer->has_pending = true;
    return IMGC_STATUS_OK;
}

imgc_status imgc_gif_writer_finish(imgc_gif_writer *writer, imgc_buffer *out, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (!writer->has_pending) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "a GIF needs at least one frame");
    }
    writer->has_pending = false;
    if (flush_pending(writer, false, error) != IMGC_STATUS_OK) return error->status;
    imgc_gif_file *file = writer->file;
    writer->file = NULL;
    if (imgc_gif_file_end(file, error) == IMGC_STATUS_OK) {
        *out = writer->out;
        writer->out = (imgc_buffer){0};
    }
    return error->status;
}
