#ifndef IMGC_JPEG_H
#define IMGC_JPEG_H

#include "imgc.h"

/// How a JPEG is written.
typedef struct imgc_jpeg_options {
    int quality;          ///< 1 through 100, the library's scale.
    bool full_chroma;     ///< 4:4:4 instead of 4:2:0.
    bool progressive;     ///< Spectral selection scans instead of one baseline scan.
    bool optimised;       ///< Huffman tables made for this picture: smaller and slower.
    bool gray;            ///< One component, taken from red.
    const uint8_t *_Nullable icc; ///< A profile to embed, or NULL.
    size_t icc_size;
} imgc_jpeg_options;

/// Writes `image` as a JPEG; alpha is ignored.
///
/// - `out`    emptied by the caller; on success holds the file, to be freed by the caller.
/// - `error`  owned by the caller: always set; its status equals the result.
imgc_status imgc_jpeg_encode(imgc_image image, const imgc_jpeg_options *_Nonnull options,
                             imgc_buffer *_Nonnull out, imgc_error *_Nonnull error);

#endif
