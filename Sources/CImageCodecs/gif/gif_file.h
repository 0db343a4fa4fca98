// What gif.c, the door to giflib, does for the writer of GIFs.
#ifndef IMGC_GIF_FILE_H
#define IMGC_GIF_FILE_H

#include "imgc_gif.h"
#include "../common/palette.h"

/// A GIF file being written through giflib.
typedef struct imgc_gif_file imgc_gif_file;

/// One frame as it is in the file.
typedef struct imgc_gif_frame {
    uint32_t left, top, width, height;
    uint16_t centiseconds;
    uint8_t disposal;
    uint8_t transparent;         ///< The index of transparent pixels; follows the palette's last.
    const uint8_t *indices;      ///< width times height, rows top-down.
    const imgc_palette *palette; ///< At most 255 colours; NULL for the file's own.
} imgc_gif_frame;

/// Writes the head of a file to `out`, which must outlive the file; NULL on failure.
imgc_gif_file *imgc_gif_file_begin(imgc_buffer *out, const imgc_gif_options *options,
                                   const imgc_palette *global, imgc_error *error);

/// Writes one frame.
imgc_status imgc_gif_file_put(imgc_gif_file *file, const imgc_gif_frame *frame, imgc_error *error);

/// Writes the trailer and frees `file`, whatever happens.
imgc_status imgc_gif_file_end(imgc_gif_file *file, imgc_error *error);

/// Frees a file that is not to be ended; NULL is left alone.
void imgc_gif_file_abandon(imgc_gif_file *file);

#endif
