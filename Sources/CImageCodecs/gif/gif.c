// The one file that speaks to giflib.
#include "gif_file.h"
#include "gif_lzw.h"
#include "imgc_gif.h"

#include "../common/support.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

// MARK: reading

/// The stream that giflib sees: a head of our own, then the codes as they are in the file. So its
/// view of blocks, palettes and canvases never matters, and one handle serves all frames.
struct source {
    uint8_t head[16];
    size_t head_count, head_at;
    const uint8_t *bytes;
    uint64_t at, end;
};

struct imgc_gif_decoder {
    GifFileType *gif;
    struct source source;
    imgc_gif_lzw *wide; // for what giflib does not read, or not to the byte; or NULL
    bool is_wide;
    uint8_t *row;
    size_t room;
    uint64_t cpu_spent;
};

/// The most bytes of a frame's blocks behind its last pixel, where it matters: the end code, in a
/// block of its own, the terminator, and a few to spare.
enum { MAX_REST = 8 };

static int source_read(GifFileType *gif, GifByteType *out, int count) {
    struct source *source = gif->UserData;
    int done = 0;
    while (done < count && source->head_at < source->head_count) {
        out[done++] = source->head[source->head_at++];
    }
    uint64_t left = source->end - source->at;
    size_t rest = (size_t)(count - done);
    if (rest > left) rest = (size_t)left;
    if (rest > 0) memcpy(out + done, source->bytes + source->at, rest);
    source->at += rest;
    return done + (int)rest;
}

imgc_gif_decoder *imgc_gif_decoder_make(void) {
    imgc_gif_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    static const uint8_t head[13] = {'G', 'I', 'F', '8', '9', 'a', 1, 0, 1, 0, 0, 0, 0};
    memcpy(decoder->source.head, head, sizeof head);
    decoder->source.head_count = sizeof head;
    int code = 0;
    decoder->gif = DGifOpen(&decoder->source, source_read, &code);
    if (!decoder->gif) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

void imgc_gif_decoder_restart_clock(imgc_gif_decoder *decoder) { decoder->cpu_spent = 0; }

void imgc_gif_decoder_free(imgc_gif_decoder *decoder) {
    if (!decoder) return;
    int code = 0;
    DGifCloseFile(decoder->gif, &code);
    free(decoder->wide);
    free(decoder->row);
    free(decoder);
}

/// Points giflib, or its stand-in for wide codes, at the codes of a frame.
static bool start_frame(imgc_gif_decoder *decoder, const uint8_t *gif, const imgc_gif_entry *entry) {
    decoder->is_wide =
        gif[entry->data] > 8 || entry->is_cut || entry->precedes_stray_bytes;
    if (decoder->is_wide) {
        if (!decoder->wide) decoder->wide = malloc(sizeof *decoder->wide);
        if (!decoder->wide) return false;
        imgc_gif_lzw_begin(decoder->wide, gif, entry->data, entry->end);
        return true;
    }
    struct source *source = &decoder->source;
    const uint8_t head[10] = {',', 0, 0, 0, 0,
                              (uint8_t)entry->width, (uint8_t)(entry->width >> 8),
                              (uint8_t)entry->height, (uint8_t)(entry->height >> 8), 0};
    memcpy(source->head, head, sizeof head);
    source->head_count = sizeof head;
    source->head_at = 0;
    source->bytes = gif;
    source->at = entry->data;
    source->end = entry->end;
    GifFreeSavedImages(decoder->gif); // it keeps a list of images that is not used here
    decoder->gif->SavedImages = NULL;
    decoder->gif->ImageCount = 0;
    decoder->gif->Error = 0;
    GifRecordType type;
    return DGifGetRecordType(decoder->gif, &type) == GIF_OK &&
           DGifGetImageDesc(decoder->gif) == GIF_OK;
}

static bool read_pixels(imgc_gif_decoder *decoder, uint8_t *out, uint32_t count) {
    if (decoder->is_wide) return imgc_gif_lzw_read(decoder->wide, out, count) == count;
    return DGifGetLine(decoder->gif, out, (int)count) == GIF_OK;
}

/// Whether the codes stopped at their end, and not at one that makes no sense.
static bool has_ended(const imgc_gif_decoder *decoder) {
    if (decoder->is_wide) return decoder->wide->ended;
    return decoder->gif->Error == D_GIF_ERR_EOF_TOO_SOON ||
           decoder->source.at >= decoder->source.end;
}

/// The row of the frame that comes as the `order`-th in the file.
static uint32_t row_in_order(uint32_t order, uint32_t height, bool interlaced) {
    if (!interlaced) return order;
    static const uint32_t first[4] = {0, 4, 2, 1}, step[4] = {8, 8, 4, 2};
    for (int pass = 0; pass < 4; pass++) {
        uint32_t rows = height > first[pass] ? (height - first[pass] - 1) / step[pass] + 1 : 0;
        if (order < rows) return first[pass] + order * step[pass];
        order -= rows;
    }
    return height - 1;
}

/// RGBA of each index as memory has it; 0 where nothing is to be drawn.
static void fill_colors(uint32_t colors[256], const uint8_t *gif, const imgc_gif_entry *entry) {
    for (uint32_t i = 0; i < 256; i++) {
        uint8_t rgba[4] = {(uint8_t)i, (uint8_t)i, (uint8_t)i, 255}; // no palette: a gray ramp
        if (entry->colors > 0 && i < entry->colors) memcpy(rgba, gif + entry->palette + 3 * i, 3);
        if (entry->colors > 0 && i >= entry->colors) memset(rgba, 0, 3); // beyond it: black
        if (entry->has_transparency && i == entry->transparent) rgba[3] = 0;
        memcpy(&colors[i], rgba, 4);
        if (rgba[3] == 0) colors[i] = 0;
    }
}

static void draw_row(const imgc_pixels *canvas, const imgc_gif_entry *entry, uint32_t y,
                     const uint8_t *indices, uint32_t count, const uint32_t colors[256]) {
    uint64_t row = (uint64_t)entry->top + y;
    if (row >= canvas->height || entry->left >= canvas->width) return;
    if (count > canvas->width - entry->left) count = canvas->width - entry->left;
    uint8_t *out = canvas->bytes + canvas->bytes_per_row * row + (size_t)entry->left * 4;
    if (entry->has_transparency) {
        for (uint32_t x = 0; x < count; x++) {
            uint32_t color = colors[indices[x]];
            if (color != 0) memcpy(out + 4 * (size_t)x, &color, 4);
        }
    } else {
        for (uint32_t x = 0; x < count; x++) memcpy(out + 4 * (size_t)x, &colors[indices[x]], 4);
    }
}

/// How many pixels of the row `order` the codes give; decodes the frame again up to there.
static uint32_t pixels_before_end(imgc_gif_decoder *decoder, const uint8_t *gif,
                                  const imgc_gif_entry *entry, uint32_t order) {
    if (!start_frame(decoder, gif, entry)) return 0;
    for (uint32_t i = 0; i < order; i++) {
        if (!read_pixels(decoder, decoder->row, entry->width)) return 0;
    }
    uint32_t count = 0;
    while (count < entry->width && read_pixels(decoder, decoder->row + count, 1)) count += 1;
    return count;
}

imgc_status imgc_gif_decoder_draw(imgc_gif_decoder *decoder, const uint8_t *gif, size_t size,
                                  const imgc_gif_entry *entry, const imgc_pixels *canvas,
                                  const imgc_limits *limits, bool *missing, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *missing = false;
    if (entry->end > size || entry->data >= entry->end) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "the frame is of another file");
    }
    if (decoder->room < entry->width) {
        uint8_t *grown = realloc(decoder->row, entry->width);
        if (!grown) return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
        decoder->row = grown;
        decoder->room = entry->width;
    }
    uint64_t began = imgc_cpu_now();
    uint32_t colors[256];
    fill_colors(colors, gif, entry);
    bool good = start_frame(decoder, gif, entry);
    uint32_t order = 0;
    while (good && order < entry->height) {
        good = read_pixels(decoder, decoder->row, entry->width);
        if (!good) break;
        uint32_t y = row_in_order(order, entry->height, entry->interlaced);
        if (canvas) draw_row(canvas, entry, y, decoder->row, entry->width, colors);
        if (++order % 64 == 0 &&
            decoder->cpu_spent + (imgc_cpu_now() - began) > limits->max_cpu_nanoseconds) {
            return imgc_fail(error, IMGC_STATUS_LIMIT, 0, "decoding takes more than %llu ms",
                             (unsigned long long)(limits->max_cpu_nanoseconds / 1000000));
        }
    }
    if (!good) {
        bool ended = has_ended(decoder);
        uint64_t offset = decoder->source.at;
        uint32_t count = pixels_before_end(decoder, gif, entry, order);
        if (canvas) {
            uint32_t y = row_in_order(order, entry->height, entry->interlaced);
            draw_row(canvas, entry, y, decoder->row, count, colors);
        }
        *missing = ended && !entry->is_cut && !entry->precedes_stray_bytes;
        if (!ended) {
            imgc_fail(error, IMGC_STATUS_CORRUPT, offset, "a frame's codes make no sense");
        } else if (entry->is_cut) {
            imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends inside a frame");
        } else if (entry->precedes_stray_bytes) {
            imgc_fail(error, IMGC_STATUS_CORRUPT, entry->end, "a frame's blocks break off");
        }
    } else if (entry->precedes_stray_bytes && entry->end - decoder->wide->at > MAX_REST) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, decoder->wide->at, "a frame's blocks go on too long");
    }
    decoder->cpu_spent += imgc_cpu_now() - began;
    return error->status;
}

// MARK: writing

struct imgc_gif_file {
    GifFileType *gif;
    imgc_buffer *out;
    ColorMapObject *global;
};

static int sink_write(GifFileType *gif, const GifByteType *bytes, int count) {
    imgc_gif_file *file = gif->UserData;
    return count >= 0 && imgc_buffer_append(file->out, bytes, (size_t)count) ? count : 0;
}

/// A map with room for the colours and one transparent index; a power of two, as GIF wants it.
static ColorMapObject *make_map(const imgc_palette *palette) {
    int room = 2;
    while (room < palette->count + 1) room *= 2;
    ColorMapObject *map = GifMakeMapObject(room, NULL);
    if (!map) return NULL;
    for (int i = 0; i < palette->count; i++) {
        const uint8_t *color = palette->colors[i];
        map->Colors[i] = (GifColorType){color[0], color[1], color[2]};
    }
    return map;
}

static imgc_status fail(imgc_gif_file *file, imgc_error *error) {
    const char *words = GifErrorString(file->gif->Error);
    return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "writing a GIF: %s", words ? words : "no memory");
}

static bool put_loop(GifFileType *gif, uint32_t loop_count) {
    if (loop_count == 1) return true;
    uint32_t repeats = loop_count == 0 ? 0 : loop_count - 1;
    uint8_t block[3] = {1, (uint8_t)repeats, (uint8_t)(repeats >> 8)};
    return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(gif, 3, block) == GIF_OK &&
           EGifPutExtensionTrailer(gif) == GIF_OK;
}

imgc_gif_file *imgc_gif_file_begin(imgc_buffer *out, const imgc_gif_options *options,
                                   const imgc_palette *global, imgc_error *error) {
    imgc_gif_file *file = calloc(1, sizeof *file);
    int code = 0;
    if (!file || !(file->gif = EGifOpen(file, sink_write, &code))) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to write a GIF");
        free(file);
        return NULL;
    }
    file->out = out;
    EGifSetGifVersion(file->gif, true);
    if (global && !(file->global = make_map(global))) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for a palette");
    } else if (EGifPutScreenDesc(file->gif, (int)options->width, (int)options->height, 8, 0,
                                 file->global) != GIF_OK ||
               !put_loop(file->gif, options->loop_count)) {
        fail(file, error);
    } else {
        return file;
    }
    imgc_gif_file_abandon(file);
    return NULL;
}

imgc_status imgc_gif_file_put(imgc_gif_file *file, const imgc_gif_frame *frame, imgc_error *error) {
    GraphicsControlBlock control = {.DisposalMode = frame->disposal,
                                    .DelayTime = frame->centiseconds,
                                    .TransparentColor = frame->transparent};
    GifByteType extension[4];
    EGifGCBToExtension(&control, extension);
    ColorMapObject *map = NULL;
    if (frame->palette && !(map = make_map(frame->palette))) {
        return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for a palette");
    }
    bool good = EGifPutExtension(file->gif, GRAPHICS_EXT_FUNC_CODE, sizeof extension, extension) ==
                    GIF_OK &&
                EGifPutImageDesc(file->gif, (int)frame->left, (int)frame->top, (int)frame->width,
                                 (int)frame->height, false, map) == GIF_OK;
    for (uint32_t y = 0; good && y < frame->height; y++) {
        GifPixelType *row = (GifPixelType *)(frame->indices + (size_t)y * frame->width);
        good = EGifPutLine(file->gif, row, (int)frame->width) == GIF_OK; // only read by giflib
    }
    GifFreeMapObject(map);
    return good ? IMGC_STATUS_OK : fail(file, error);
}

static bool release(imgc_gif_file *file) {
    int code = 0;
    bool good = EGifCloseFile(file->gif, &code) == GIF_OK;
    GifFreeMapObject(file->global);
    free(file);
    return good;
}

imgc_status imgc_gif_file_end(imgc_gif_file *file, imgc_error *error) {
    if (!release(file)) return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to end a GIF");
    return IMGC_STATUS_OK;
}

void imgc_gif_file_abandon(imgc_gif_file *file) {
    if (file) (void)release(file);
}
