#ifndef IMGC_REDUCE_H
#define IMGC_REDUCE_H

#include "imgc.h"

/// An image in few colours, for devices that draw by palette.
typedef struct imgc_reduced {
    uint8_t palette[256][4]; ///< Opaque RGBA; those behind `count` mean nothing.
    uint32_t count;          ///< At most the limit asked for; 0 where no pixel is to be seen.
} imgc_reduced;

/// Finds the colours that represent an image best, and the nearest of them for each pixel.
/// An image of as few colours keeps each of them exactly.
///
/// - `limit`    1 through 255.
/// - `indices`  owned by the caller: width × height bytes, row after row. A pixel whose alpha is
///              under 128 gets 255, which is not the number of a colour.
imgc_status imgc_reduce(imgc_image image, uint32_t limit, imgc_reduced *_Nonnull out,
                        uint8_t *_Nonnull indices, imgc_error *_Nonnull error);

#endif
