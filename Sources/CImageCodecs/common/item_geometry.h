// What the boxes of an AVIF or HEIC say of the geometry, in numbers; no library is needed.
#ifndef IMGC_ITEM_GEOMETRY_H
#define IMGC_ITEM_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

/// A part of an image, in pixels.
typedef struct imgc_crop {
    uint32_t x, y, width, height;
} imgc_crop;

/// One axis of a clean aperture (`clap`; ISO/IEC 14496-12, 12.1.4): fractions to whole pixels.
/// The offset is that of the aperture's centre from the image's centre; its numerator is signed.
/// False where the aperture is not made of whole pixels of an image with `side` pixels.
static inline bool imgc_clean_aperture(uint32_t size_n, uint32_t size_d, uint32_t offset_n,
                                       uint32_t offset_d, uint32_t side, uint32_t *origin,
                                       uint32_t *length) {
    if (size_d == 0 || size_n % size_d != 0) return false;
    uint32_t size = size_n / size_d;
    if (size == 0 || size > side || offset_d == 0 || offset_d > INT32_MAX || side > INT32_MAX) {
        return false;
    }
    // origin = offset + (side - size) / 2, over twice the offset's denominator; below 2^63
    int64_t twice_d = 2 * (int64_t)offset_d;
    int64_t n = 2 * (int64_t)(int32_t)offset_n + (int64_t)(side - size) * offset_d;
    if (n < 0 || n % twice_d != 0 || n / twice_d > side - size) return false;
    *origin = (uint32_t)(n / twice_d);
    *length = size;
    return true;
}

/// The Exif orientation, 1 through 8, of an image to be turned anticlockwise by `turns` quarters
/// (`irot`) and then mirrored (`imir`; ISO/IEC 23008-12, 6.5.10 and 6.5.12).
///
/// - `mirror`  0: top and bottom change places; 1: left and right do; negative: no mirroring.
static inline uint32_t imgc_orientation(uint32_t turns, int mirror) {
    static const uint8_t turned[4] = {1, 8, 3, 6};
    static const uint8_t mirrored[4][2] = {{4, 2}, {5, 7}, {2, 4}, {7, 5}};
    turns &= 3;
    return mirror < 0 ? turned[turns] : mirrored[turns][mirror & 1];
}

#endif
