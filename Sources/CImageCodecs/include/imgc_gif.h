#ifndef IMGC_GIF_H
#define IMGC_GIF_H

#include "imgc.h"

/// An animated GIF being written. One thread at a time.
typedef struct imgc_gif_writer imgc_gif_writer;

/// How a GIF is written.
typedef struct imgc_gif_options {
    uint32_t width;
    uint32_t height;
    /// How many times it plays; 0 is for ever, 1 writes no loop block. At most 65,536.
    uint32_t loop_count;
    /// One palette for all frames, from those given to imgc_gif_writer_survey first.
    bool global_palette;
} imgc_gif_options;

/// Begins a file; NULL when there is no memory or the size is not 1 through 65,535 a side.
/// Ended by imgc_gif_writer_close.
imgc_gif_writer *_Nullable imgc_gif_writer_open(const imgc_gif_options *_Nonnull options);

/// Counts the colours of a frame for the global palette. All frames are surveyed before the first
/// is added.
imgc_status imgc_gif_writer_survey(imgc_gif_writer *_Nonnull writer, imgc_image frame,
                                   imgc_error *_Nonnull error);

/// Adds a frame as it is to be seen: whole canvas; alpha under 128 is transparent.
///
/// - `centiseconds`  how long it shows.
imgc_status imgc_gif_writer_add(imgc_gif_writer *_Nonnull writer, imgc_image frame,
                                uint16_t centiseconds, imgc_error *_Nonnull error);

/// Ends the file and moves its bytes to `out`, to be freed by the caller.
imgc_status imgc_gif_writer_finish(imgc_gif_writer *_Nonnull writer, imgc_buffer *_Nonnull out,
                                   imgc_error *_Nonnull error);

/// Whether every colour so far was kept exactly.
bool imgc_gif_writer_is_exact(const imgc_gif_writer *_Nonnull writer);

/// Gives everything back; NULL is left alone.
void imgc_gif_writer_close(imgc_gif_writer *_Nullable writer);

#endif
