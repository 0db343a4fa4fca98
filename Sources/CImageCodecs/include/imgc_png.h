#ifndef IMGC_PNG_H
#define IMGC_PNG_H

#include "imgc.h"

/// How the samples of a written PNG are laid out; all are lossless for the pixels they are chosen for.
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

#endif
