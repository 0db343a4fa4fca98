#include "resample_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))

/// Two weights side by side in every 32 bits.
AVX2 static inline __m256i pair_of(const int16_t *weights) {
    int32_t both;
    memcpy(&both, weights, 4);
    return _mm256_set1_epi32(both);
}

AVX2 static void down(const int16_t *const *rows, const int16_t *weights, uint32_t taps,
                      int16_t *out, size_t count) {
    const __m256i half = _mm256_set1_epi32(1 << 13);
    size_t at = 0;
    for (; at + 32 <= count; at += 32) {
        __m256i a = half, b = half, c = half, d = half;
        for (uint32_t tap = 0; tap < taps; tap += 2) {
            __m256i weight = pair_of(weights + tap);
            const int16_t *one = rows[tap] + at, *two = rows[tap + 1] + at;
            __m256i x = _mm256_loadu_si256((const __m256i *)one);
            __m256i y = _mm256_loadu_si256((const __m256i *)two);
            a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), weight));
            b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), weight));
            x = _mm256_loadu_si256((const __m256i *)(one + 16));
            y = _mm256_loadu_si256((const __m256i *)(two + 16));
            c = _mm256_add_epi32(c, _mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), weight));
            d = _mm256_add_epi32(d, _mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), weight));
        }
        a = _mm256_packs_epi32(_mm256_srai_epi32(a, 14), _mm256_srai_epi32(b, 14));
        c = _mm256_packs_epi32(_mm256_srai_epi32(c, 14), _mm256_srai_epi32(d, 14));
        _mm256_storeu_si256((__m256i *)(out + at), a);
        _mm256_storeu_si256((__m256i *)(out + at + 16), c);
    }
    if (at == count) return;
    const int16_t *rest[taps];
    for (uint32_t tap = 0; tap < taps; tap++) rest[tap] = rows[tap] + at;
    imgk_kernels_portable.down(rest, weights, taps, out + at, count - at);
}

AVX2 static void down_bytes(const uint8_t *const *rows, const int16_t *weights, uint32_t taps,
                            int16_t *out, size_t count) {
    const __m256i half = _mm256_set1_epi32(1 << 7), zero = _mm256_setzero_si256();
    size_t at = 0;
    for (; at + 32 <= count; at += 32) {
        __m256i a = half, b = half, c = half, d = half;
        for (uint32_t tap = 0; tap < taps; tap += 2) {
            __m256i weight = pair_of(weights + tap);
            __m256i x = _mm256_loadu_si256((const __m256i *)(rows[tap] + at));
            __m256i y = _mm256_loadu_si256((const __m256i *)(rows[tap + 1] + at));
            __m256i low = _mm256_unpacklo_epi8(x, y), high = _mm256_unpackhi_epi8(x, y);
            a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_unpacklo_epi8(low, zero), weight));
            b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_unpackhi_epi8(low, zero), weight));
            c = _mm256_add_epi32(c, _mm256_madd_epi16(_mm256_unpacklo_epi8(high, zero), weight));
            d = _mm256_add_epi32(d, _mm256_madd_epi16(_mm256_unpackhi_epi8(high, zero), weight));
        }
        // Samples 0 to 7 and 16 to 23; 8 to 15 and 24 to 31.
        a = _mm256_packs_epi32(_mm256_srai_epi32(a, 8), _mm256_srai_epi32(b, 8));
        c = _mm256_packs_epi32(_mm256_srai_epi32(c, 8), _mm256_srai_epi32(d, 8));
        _mm256_storeu_si256((__m256i *)(out + at), _mm256_permute2x128_si256(a, c, 0x20));
        _mm256_storeu_si256((__m256i *)(out + at + 16), _mm256_permute2x128_si256(a, c, 0x31));
    }
    if (at == count) return;
    const uint8_t *rest[taps];
    for (uint32_t tap = 0; tap < taps; tap++) rest[tap] = rows[tap] + at;
    imgk_kernels_portable.down_bytes(rest, weights, taps, out + at, count - at);
}

/// The sums of four samples over all taps of one target pixel.
AVX2 static inline __m128i weigh(const int16_t *pixel, const int16_t *weights, uint32_t taps) {
    // Within 128 bits: two pixels, rearranged so that the same sample of both lies side by side.
    const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15,
                                           0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    const __m256i spread = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    __m256i sum = _mm256_setzero_si256();
    for (uint32_t tap = 0; tap < taps; tap += 4, pixel += 16) {
        __m256i four = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)pixel), pairs);
        __m128i packed = _mm_loadl_epi64((const __m128i *)(weights + tap));
        __m256i weight = _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(packed), spread);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(four, weight));
    }
    return _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

AVX2 static void across(const int16_t *row, const uint32_t *first, const int16_t *weights,
                        uint32_t taps, uint8_t *out, uint32_t count) {
    const __m128i half = _mm_set1_epi32(1 << (IMGK_ROUND_SHIFT - 1));
    for (uint32_t x = 0; x < count; x++, weights += taps, out += 4) {
        __m128i sums = weigh(row + 4 * (size_t)first[x], weights, taps);
        sums = _mm_srai_epi32(_mm_add_epi32(sums, half), IMGK_ROUND_SHIFT);
        sums = _mm_packs_epi32(sums, sums);
        int32_t pixel = _mm_cvtsi128_si32(_mm_packus_epi16(sums, sums));
        memcpy(out, &pixel, 4);
    }
}

AVX2 static void across_alpha(const int16_t *row, const uint32_t *first, const int16_t *weights,
                              uint32_t taps, uint8_t *out, uint32_t count) {
    for (uint32_t x = 0; x < count; x++, weights += taps, out += 4) {
        int32_t sums[4];
        _mm_storeu_si128((__m128i *)sums, weigh(row + 4 * (size_t)first[x], weights, taps));
        imgk_unpremultiply(sums, out);
    }
}

AVX2 static void halve(const uint8_t *one, const uint8_t *two, uint8_t *out, size_t count) {
    const __m256i ones = _mm256_set1_epi8(1), half = _mm256_set1_epi16(2);
    // Within 128 bits: four pixels, rearranged so that the same sample of a block lies side by
    // side.
    const __m256i pairs = _mm256_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15,
                                           0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    size_t at = 0;
    for (; at + 4 <= count; at += 4) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(one + 8 * at));
        __m256i b = _mm256_loadu_si256((const __m256i *)(two + 8 * at));
        a = _mm256_maddubs_epi16(_mm256_shuffle_epi8(a, pairs), ones);
        b = _mm256_maddubs_epi16(_mm256_shuffle_epi8(b, pairs), ones);
        a = _mm256_srli_epi16(_mm256_add_epi16(_mm256_add_epi16(a, b), half), 2);
        a = _mm256_permute4x64_epi64(_mm256_packus_epi16(a, a), 0x08);
        _mm_storeu_si128((__m128i *)(out + 4 * at), _mm256_castsi256_si128(a));
    }
    imgk_kernels_portable.halve(one + 8 * at, two + 8 * at, out + 4 * at, count - at);
}

const imgk_kernels *imgk_kernels_avx2(void) {
    static const imgk_kernels kernels = {down, down_bytes, across, across_alpha, halve};
    return &kernels;
}

#else

const imgk_kernels *imgk_kernels_avx2(void) { return NULL; }

#endif
