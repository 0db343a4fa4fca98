// What AV1 data will cost, read from its headers before a decoder sees it.
#ifndef IMGC_AV1_SCAN_H
#define IMGC_AV1_SCAN_H

#include "imgc.h"

/// The headers seen so far. Zero except for the limits at the start.
typedef struct imgc_av1_scan {
    uint64_t max_pixels;   ///< Of one frame.
    uint64_t frame_pixels; ///< What the last sequence header claims.
    uint64_t budget;       ///< Pixels of all frames together, shown or not.
    uint64_t spent;
    uint32_t max_side;
    imgc_buffer pending;   ///< The beginning of an OBU whose end is in the next piece.
} imgc_av1_scan;

/// Walks the OBUs of the next piece of the data (AV1 specification, 5.3). A piece that ends inside
/// an OBU is kept until the next one comes. Pixels are not looked at.
imgc_status imgc_av1_scan_piece(imgc_av1_scan *_Nonnull scan, const uint8_t *_Nonnull bytes,
                                size_t size, imgc_error *_Nonnull error);

#endif
