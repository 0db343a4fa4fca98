// Decodes a PNG with and without libpng.
#ifndef PNG_COMPARE_H
#define PNG_COMPARE_H

#include "imgc.h"

/// The results of both ways.
struct png_comparison {
    imgc_status status;     ///< Of decoding with libpng.
    bool is_fast;           ///< Whether the other way did without it.
    const char *difference; ///< What is not the same, or NULL.
};

/// Decodes and checks `png` both ways. Rows are read in pieces whose heights follow from `seed`.
struct png_comparison png_compare(const uint8_t *png, size_t size, const imgc_limits *limits,
                                  uint64_t seed);

#endif
