// What HEVC data will cost, read from its headers before a decoder sees it.
#ifndef IMGC_HEVC_SCAN_H
#define IMGC_HEVC_SCAN_H

#include "imgc.h"

/// The headers seen so far. Zero except for the limits at the start.
typedef struct imgc_hevc_scan {
    uint64_t max_pixels;   ///< Of one picture.
    uint64_t frame_pixels; ///< The most that a sequence parameter set claims.
    uint64_t budget;       ///< Pixels of all pictures together, shown or not.
    uint64_t spent;
    uint64_t data_budget;  ///< Bytes of data that may follow; for its caller.
    uint32_t max_side;
} imgc_hevc_scan;

/// Reads the parameter sets of a decoder configuration, the property `hvcC` (ISO/IEC 14496-15,
/// 8.3.3.1), and its bit depth and chroma format.
imgc_status imgc_hevc_scan_configuration(imgc_hevc_scan *_Nonnull scan,
                                         const uint8_t *_Nonnull bytes, size_t size,
                                         uint32_t *_Nonnull bit_depth, bool *_Nonnull is_gray,
                                         imgc_error *_Nonnull error);

/// Walks the units of the data of one picture, each after its length in 4 bytes. Pixels are not
/// looked at.
imgc_status imgc_hevc_scan_data(imgc_hevc_scan *_Nonnull scan, const uint8_t *_Nonnull bytes,
                                size_t size, imgc_error *_Nonnull error);

#endif
