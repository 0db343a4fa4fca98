// What is used of libheif.
#ifndef IMGC_HEIF_LIBRARY_H
#define IMGC_HEIF_LIBRARY_H

#include "imgc.h"

/// An image that libheif has decoded, in its memory.
typedef struct imgc_heif_pixels {
    void *_Nullable image;
    const uint8_t *_Nullable rows; ///< RGBA8.
    size_t bytes_per_row;
    bool is_premultiplied; ///< The colours are multiplied with alpha.
} imgc_heif_pixels;

/// Decodes the primary image with its transformations; fails where it has another size.
/// Released with imgc_heif_pixels_free.
imgc_status imgc_heif_decode(const uint8_t *_Nonnull bytes, size_t size, uint32_t width,
                             uint32_t height, imgc_heif_pixels *_Nonnull pixels,
                             imgc_error *_Nonnull error);

void imgc_heif_pixels_free(imgc_heif_pixels *_Nonnull pixels);

#endif
