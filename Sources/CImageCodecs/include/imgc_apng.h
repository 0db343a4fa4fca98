#ifndef IMGC_APNG_H
#define IMGC_APNG_H

#include "imgc.h"

/// Where the frames of an animated PNG lie. Made once, read by any thread.
typedef struct imgc_apng_table imgc_apng_table;

/// One frame. Source: W3C Portable Network Graphics (Third Edition), 11.3.6.
typedef struct imgc_apng_entry {
    uint32_t left, top, width, height; ///< Inside the canvas.
    uint16_t delay_numerator, delay_denominator; ///< Seconds; a denominator of 0 counts as 100.
    uint8_t disposal; ///< 0 keep, 1 clear, 2 restore.
    uint8_t blend;    ///< 0 replace, 1 over.
    uint64_t data;    ///< Offset of the first chunk with its pixels.
    uint64_t end;     ///< Offset behind the last one.
} imgc_apng_entry;

/// Walks the chunks; NULL on failure, or with an OK status where there is no animation.
/// Freed with imgc_apng_table_free.
imgc_apng_table *_Nullable imgc_apng_table_make(const uint8_t *_Nonnull png, size_t size,
                                                const imgc_limits *_Nonnull limits,
                                                imgc_error *_Nonnull error);

/// Gives the table back; NULL is left alone.
void imgc_apng_table_free(imgc_apng_table *_Nullable table);

uint32_t imgc_apng_table_frames(const imgc_apng_table *_Nonnull table);

/// How many times it plays; 0 is for ever.
uint32_t imgc_apng_table_plays(const imgc_apng_table *_Nonnull table);

/// A frame's entry; `index` is below the number of frames.
const imgc_apng_entry *_Nonnull imgc_apng_table_entry(const imgc_apng_table *_Nonnull table,
                                                      uint32_t index);

/// Puts a frame together as a PNG of its own, with the palette of the whole.
///
/// - `out`  emptied by the caller; on success holds the file, to be freed by the caller.
imgc_status imgc_apng_frame(const uint8_t *_Nonnull png, size_t size,
                            const imgc_apng_entry *_Nonnull entry, imgc_buffer *_Nonnull out,
                            imgc_error *_Nonnull error);

#endif
