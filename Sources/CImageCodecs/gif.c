// The one file that speaks to giflib.
#include "gif_file.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

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
