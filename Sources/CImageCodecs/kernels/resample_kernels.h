// The inner loops of the resampler, plain and with AVX2; both do the same arithmetic, bit for bit.
//
// Samples between the passes are 16 bits, 64 times a byte, so that a filter's overshoot fits and
// six bits of fraction survive.
#ifndef IMGK_RESAMPLE_KERNELS_H
#define IMGK_RESAMPLE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct imgk_kernels {
    /// Weighs `taps` rows (a multiple of two) of `count` samples into one row.
    void (*down)(const int16_t *const *rows, const int16_t *weights, uint32_t taps, int16_t *out,
                 size_t count);
    /// The same for rows of bytes, of opaque pixels: half the memory, so that the rows stay in the
    /// first cache.
    void (*down_bytes)(const uint8_t *const *rows, const int16_t *weights, uint32_t taps,
                       int16_t *out, size_t count);
    /// Weighs `taps` pixels (a multiple of four) of four samples each for each of `count` target
    /// pixels, and rounds to bytes.
    void (*across)(const int16_t *row, const uint32_t *first, const int16_t *weights, uint32_t taps,
                   uint8_t *out, uint32_t count);
    /// The same for samples multiplied by their alpha, which is divided out again.
    void (*across_alpha)(const int16_t *row, const uint32_t *first, const int16_t *weights,
                         uint32_t taps, uint8_t *out, uint32_t count);
    /// The rounded means of `count` blocks of two by two pixels, of two rows.
    void (*halve)(const uint8_t *one, const uint8_t *two, uint8_t *out, size_t count);
} imgk_kernels;

/// Works everywhere.
extern const imgk_kernels imgk_kernels_portable;

/// Needs AVX2; NULL on machines of another kind. The caller asks the processor first.
const imgk_kernels *imgk_kernels_avx2(void);

/// A pixel of sums to bytes, alpha divided out of the colours.
void imgk_unpremultiply(const int32_t sums[4], uint8_t out[4]);

enum { IMGK_FRACTION_BITS = 6, IMGK_ROUND_SHIFT = 14 + IMGK_FRACTION_BITS };

#endif
