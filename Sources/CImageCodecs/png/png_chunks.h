// Finds the pixels of a PNG of the commonest kinds, and nothing that could be wrong with it.
#ifndef IMGC_PNG_CHUNKS_H
#define IMGC_PNG_CHUNKS_H

#include "imgc.h"

/// Where a file has what its pixels are made of.
struct imgc_png_chunks {
    uint32_t width, height;
    uint8_t color;                ///< 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA.
    uint8_t samples;              ///< Bytes a pixel.
    const uint8_t *palette;       ///< Of kind 3.
    const uint8_t *transparency;  ///< The contents of tRNS, or NULL.
    uint32_t palette_count, transparency_count; ///< Colours; bytes.
    const uint8_t *first;         ///< The chunk that the pixels begin with.
    size_t pixels_count;          ///< Bytes in all chunks of pixels.
    size_t file_count;            ///< Bytes up to the end of the last chunk.
    bool is_split;                ///< Whether there is more than one chunk of pixels.
};

/// Reads the structure of a file.
///
/// False unless its size is within the limits, it has eight bits a sample, is not interlaced, is
/// complete up to IEND, and has only chunks that libpng would read or skip without any complaint.
/// Checksums are not compared.
bool imgc_png_chunks_find(const uint8_t *png, size_t size, const imgc_limits *limits,
                          struct imgc_png_chunks *found);

#endif
