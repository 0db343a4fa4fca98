#ifndef IMGC_SCAN_H
#define IMGC_SCAN_H

#include "imgc.h"

/// How the samples of a file are to be read.
typedef enum __attribute__((enum_extensibility(closed))) imgc_color : uint32_t {
    IMGC_COLOR_GRAY IMGC_CASE("gray"),
    IMGC_COLOR_RGB IMGC_CASE("rgb"),
    IMGC_COLOR_PALETTE IMGC_CASE("palette"),
    IMGC_COLOR_YCBCR IMGC_CASE("ycbcr"),
    IMGC_COLOR_CMYK IMGC_CASE("cmyk"),
    IMGC_COLOR_YCCK IMGC_CASE("ycck"),
} imgc_color;

/// What a file says of itself before any pixel is decoded.
typedef struct imgc_info {
    uint32_t width;       ///< As stored: no orientation is applied.
    uint32_t height;
    uint32_t orientation; ///< EXIF, 1 through 8; 1 for an animated PNG.
    imgc_color color;
    uint32_t bit_depth;
    bool has_alpha;
    bool progressive;     ///< Or interlaced.
    bool has_icc;
    uint64_t icc_size;
    bool has_animation;   ///< Of a PNG: frames besides the default image.
} imgc_info;

/// Walks the markers of a JPEG without a library. With `to_end` up to the end of the image, which
/// must be there; else to the first scan. Bytes after the end are not a fault.
imgc_status imgc_jpeg_scan(const uint8_t *_Nonnull jpeg, size_t size,
                           const imgc_limits *_Nonnull limits, bool to_end,
                           imgc_info *_Nonnull info, imgc_error *_Nonnull error);

/// Joins the pieces of a JPEG's ICC profile. `out` stays empty where there is none or a piece is
/// missing.
imgc_status imgc_jpeg_icc(const uint8_t *_Nonnull jpeg, size_t size,
                          const imgc_limits *_Nonnull limits, imgc_buffer *_Nonnull out,
                          imgc_error *_Nonnull error);

/// Walks the chunks of a PNG. With `to_end` up to the end chunk, with the checksums of all that
/// matter; else to the first pixels. EXIF counts before them only.
imgc_status imgc_png_scan(const uint8_t *_Nonnull png, size_t size,
                          const imgc_limits *_Nonnull limits, bool to_end,
                          imgc_info *_Nonnull info, imgc_error *_Nonnull error);

/// The colours of a PNG as its chunks describe them; 0 where they do not.
typedef struct imgc_png_colors {
    uint8_t primaries, transfer; ///< cICP of RGB in full range: code points of ITU-T H.273.
    bool has_icc, has_srgb;
    uint32_t gamma;              ///< gAMA: the exponent times 100,000.
    uint32_t chromaticities[8];  ///< cHRM: white, red, green, blue; times 100,000.
} imgc_png_colors;

/// Reads the chunks before the pixels; one with a wrong checksum or length does not count.
imgc_png_colors imgc_png_find_colors(const uint8_t *_Nonnull png, size_t size);

#endif
