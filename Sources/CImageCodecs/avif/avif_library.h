// What is used of libavif, which is loaded with the first AVIF.
#ifndef IMGC_AVIF_LIBRARY_H
#define IMGC_AVIF_LIBRARY_H

#include "imgc.h"

#if __has_include(<avif/avif.h>)
#include <avif/avif.h>
// Before 0.11 there are no limits of sides, and conversions cannot do without libyuv.
#define IMGC_HAS_AVIF (AVIF_VERSION >= 110000)
#endif

#if IMGC_HAS_AVIF

#define IMGC_AVIF_FUNCTIONS(USE)                                                                   \
    USE(CodecName)                                                                                 \
    USE(DecoderCreate)                                                                             \
    USE(DecoderDestroy)                                                                            \
    USE(DecoderNextImage)                                                                          \
    USE(DecoderParse)                                                                              \
    USE(DecoderReset)                                                                              \
    USE(DecoderSetIO)                                                                              \
    USE(DecoderSetSource)                                                                          \
    USE(EncoderCreate)                                                                             \
    USE(EncoderDestroy)                                                                            \
    USE(EncoderWrite)                                                                              \
    USE(ImageCreate)                                                                               \
    USE(ImageCreateEmpty)                                                                          \
    USE(ImageDestroy)                                                                              \
    USE(ImageRGBToYUV)                                                                             \
    USE(ImageSetMetadataExif)                                                                      \
    USE(ImageSetProfileICC)                                                                        \
    USE(ImageSetViewRect)                                                                          \
    USE(ImageYUVToRGB)                                                                             \
    USE(RGBImageSetDefaults)                                                                       \
    USE(RWDataFree)                                                                                \
    USE(ResultToString)                                                                            \
    USE(Version)

/// The functions, without `avif` before their names; set by imgc_avif_load.
extern struct imgc_avif_library {
#define IMGC_DECLARE(name) __typeof__(avif##name) *name;
    IMGC_AVIF_FUNCTIONS(IMGC_DECLARE)
#undef IMGC_DECLARE
} libavif;

/// Pixels for libavif, whose later versions may write more of the struct than the header has.
typedef union imgc_avif_rgb {
    avifRGBImage image;
    char room[512];
} imgc_avif_rgb;

#endif

/// Loads the library once; fails where it is not there, or is another version than the header.
imgc_status imgc_avif_load(imgc_error *error);

#endif
