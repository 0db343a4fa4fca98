#ifndef IMGC_PNG_H
#define IMGC_PNG_H

#include "imgc.h"

// MARK: reading

/// A PNG whose rows are being decoded. One thread at a time; the bytes it reads from stay with the
/// caller and outlive it.
typedef struct imgc_png_reader imgc_png_reader;

/// Begins to decode the default image; NULL on failure, and `error` says why. Limits are compared
/// with the header before anything is allocated for pixels. Ended by imgc_png_reader_close.
///
/// A file of eight bits a sample that is not interlaced, takes no more than 64 MiB as RGBA and has
/// no fault at all is inflated here, without libpng; libpng reads every other one, row by row, and
/// says what is wrong with it. Pixels and status are the same either way.
imgc_png_reader *_Nullable imgc_png_reader_open(const uint8_t *_Nonnull png, size_t png_size,
                                                const imgc_limits *_Nonnull limits,
                                                imgc_error *_Nonnull error);

/// Begins to decode with libpng in any case: what tests and fuzzing compare the other way with.
imgc_png_reader *_Nullable imgc_png_reader_open_libpng(const uint8_t *_Nonnull png, size_t png_size,
                                                       const imgc_limits *_Nonnull limits,
                                                       imgc_error *_Nonnull error);

/// Whether the rows are read without libpng.
bool imgc_png_reader_is_fast(const imgc_png_reader *_Nonnull reader);

/// The size of the image.
uint32_t imgc_png_reader_width(const imgc_png_reader *_Nonnull reader);
uint32_t imgc_png_reader_height(const imgc_png_reader *_Nonnull reader);

/// Whether the rows come in seven passes: then all must be read in one call.
bool imgc_png_reader_is_interlaced(const imgc_png_reader *_Nonnull reader);

/// Decodes the next rows as RGBA8, straight alpha; 16-bit samples are rounded. After the last one
/// the file is read up to its end.
///
/// - `rows`   owned by the caller, as wide as the reader; its height is how many are wanted.
/// - `count`  owned by the caller: how many were written. On failure those before the fault are
///            valid; of an interlaced image all rows, as far as the passes came.
imgc_status imgc_png_reader_read(imgc_png_reader *_Nonnull reader, imgc_pixels rows,
                                 uint32_t *_Nonnull count, imgc_error *_Nonnull error);

/// Gives everything back; NULL is left alone.
void imgc_png_reader_close(imgc_png_reader *_Nullable reader);

/// Inflates every row of the default image and keeps none, then reads up to the end of the file.
imgc_status imgc_png_check(const uint8_t *_Nonnull png, size_t png_size,
                           const imgc_limits *_Nonnull limits, imgc_error *_Nonnull error);

/// The same with libpng in any case.
imgc_status imgc_png_check_libpng(const uint8_t *_Nonnull png, size_t png_size,
                                  const imgc_limits *_Nonnull limits, imgc_error *_Nonnull error);

/// Inflates a PNG's ICC profile. `out` stays empty where there is none that the library accepts.
imgc_status imgc_png_icc(const uint8_t *_Nonnull png, size_t png_size,
                         const imgc_limits *_Nonnull limits, imgc_buffer *_Nonnull out,
                         imgc_error *_Nonnull error);

// MARK: writing

/// How the samples of a written PNG are laid out; all are lossless for the pixels they are chosen
/// for.
typedef enum __attribute__((enum_extensibility(closed))) imgc_png_layout : uint32_t {
    IMGC_PNG_LAYOUT_GRAY,
    IMGC_PNG_LAYOUT_GRAY_ALPHA,
    IMGC_PNG_LAYOUT_RGB,
    IMGC_PNG_LAYOUT_RGB_ALPHA,
    IMGC_PNG_LAYOUT_PALETTE,
} imgc_png_layout;

/// How a PNG is written.
typedef struct imgc_png_options {
    int level;            ///< 0 through 9, the effort of the compression.
    bool every_filter;    ///< Try all five filters on each row instead of SUB alone.
    bool may_use_palette; ///< Write a palette where 256 colours are enough.
    const uint8_t *_Nullable icc; ///< A profile to embed, or NULL.
    size_t icc_size;
} imgc_png_options;

/// Writes `image` as a PNG in the smallest layout that loses nothing.
///
/// - `out`    emptied by the caller; on success holds the file, to be freed by the caller.
/// - `error`  owned by the caller: always set; its status equals the result.
imgc_status imgc_png_encode(imgc_image image, const imgc_png_options *_Nonnull options,
                            imgc_buffer *_Nonnull out, imgc_error *_Nonnull error);

/// Writes `image` as a PNG to an open file, so that no more than some rows are in memory.
imgc_status imgc_png_encode_to(imgc_image image, const imgc_png_options *_Nonnull options,
                               int descriptor, imgc_error *_Nonnull error);

#endif
