// One pixel of up to four samples, each in 16 bits of a register: what the filters of PNG compute
// with, as SSE2, NEON or plain C.
#ifndef IMGC_PNG_LANES_H
#define IMGC_PNG_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

typedef __m128i imgc_lanes;

static inline imgc_lanes imgc_lanes_load(const uint8_t *at) {
    int32_t four;
    memcpy(&four, at, 4);
    return _mm_unpacklo_epi8(_mm_cvtsi32_si128(four), _mm_setzero_si128());
}

static inline uint32_t imgc_lanes_bytes(imgc_lanes a) {
    return (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(a, a));
}

static inline imgc_lanes imgc_lanes_zero(void) { return _mm_setzero_si128(); }
static inline imgc_lanes imgc_lanes_add(imgc_lanes a, imgc_lanes b) { return _mm_add_epi16(a, b); }
static inline imgc_lanes imgc_lanes_sub(imgc_lanes a, imgc_lanes b) { return _mm_sub_epi16(a, b); }
static inline imgc_lanes imgc_lanes_half(imgc_lanes a) { return _mm_srli_epi16(a, 1); }
static inline imgc_lanes imgc_lanes_min(imgc_lanes a, imgc_lanes b) { return _mm_min_epi16(a, b); }
static inline imgc_lanes imgc_lanes_max(imgc_lanes a, imgc_lanes b) { return _mm_max_epi16(a, b); }

/// Sums and differences modulo 256; the upper halves stay 0.
static inline imgc_lanes imgc_lanes_add8(imgc_lanes a, imgc_lanes b) { return _mm_add_epi8(a, b); }
static inline imgc_lanes imgc_lanes_sub8(imgc_lanes a, imgc_lanes b) { return _mm_sub_epi8(a, b); }

/// `a` where not `b` > `c`, else 0.
static inline imgc_lanes imgc_lanes_unless_more(imgc_lanes a, imgc_lanes b, imgc_lanes c) {
    return _mm_andnot_si128(_mm_cmpgt_epi16(b, c), a);
}

#elif defined(__ARM_NEON) && defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>

typedef int16x4_t imgc_lanes;

static inline imgc_lanes imgc_lanes_load(const uint8_t *at) {
    uint32_t four;
    memcpy(&four, at, 4);
    return vreinterpret_s16_u16(vget_low_u16(vmovl_u8(vcreate_u8(four))));
}

static inline uint32_t imgc_lanes_bytes(imgc_lanes a) {
    uint8x8_t narrow = vmovn_u16(vreinterpretq_u16_s16(vcombine_s16(a, a)));
    return vget_lane_u32(vreinterpret_u32_u8(narrow), 0);
}

static inline imgc_lanes imgc_lanes_zero(void) { return vdup_n_s16(0); }
static inline imgc_lanes imgc_lanes_add(imgc_lanes a, imgc_lanes b) { return vadd_s16(a, b); }
static inline imgc_lanes imgc_lanes_sub(imgc_lanes a, imgc_lanes b) { return vsub_s16(a, b); }
static inline imgc_lanes imgc_lanes_half(imgc_lanes a) { return vshr_n_s16(a, 1); }
static inline imgc_lanes imgc_lanes_min(imgc_lanes a, imgc_lanes b) { return vmin_s16(a, b); }
static inline imgc_lanes imgc_lanes_max(imgc_lanes a, imgc_lanes b) { return vmax_s16(a, b); }

static inline imgc_lanes imgc_lanes_add8(imgc_lanes a, imgc_lanes b) {
    return vreinterpret_s16_s8(vadd_s8(vreinterpret_s8_s16(a), vreinterpret_s8_s16(b)));
}

static inline imgc_lanes imgc_lanes_sub8(imgc_lanes a, imgc_lanes b) {
    return vreinterpret_s16_s8(vsub_s8(vreinterpret_s8_s16(a), vreinterpret_s8_s16(b)));
}

static inline imgc_lanes imgc_lanes_unless_more(imgc_lanes a, imgc_lanes b, imgc_lanes c) {
    return vbic_s16(a, vreinterpret_s16_u16(vcgt_s16(b, c)));
}

#else

typedef struct imgc_lanes {
    int16_t of[4];
} imgc_lanes;

#define IMGC_LANES(expression)                                                                    \
    imgc_lanes result;                                                                            \
    for (int i = 0; i < 4; i++) result.of[i] = (int16_t)(expression);                             \
    return result

static inline imgc_lanes imgc_lanes_load(const uint8_t *at) { IMGC_LANES(at[i]); }

static inline uint32_t imgc_lanes_bytes(imgc_lanes a) {
    uint8_t bytes[4] = {(uint8_t)a.of[0], (uint8_t)a.of[1], (uint8_t)a.of[2], (uint8_t)a.of[3]};
    uint32_t four;
    memcpy(&four, bytes, 4);
    return four;
}

static inline imgc_lanes imgc_lanes_zero(void) { IMGC_LANES(0); }
static inline imgc_lanes imgc_lanes_add(imgc_lanes a, imgc_lanes b) {
    IMGC_LANES(a.of[i] + b.of[i]);
}

static inline imgc_lanes imgc_lanes_sub(imgc_lanes a, imgc_lanes b) {
    IMGC_LANES(a.of[i] - b.of[i]);
}

static inline imgc_lanes imgc_lanes_half(imgc_lanes a) { IMGC_LANES(a.of[i] >> 1); }

static inline imgc_lanes imgc_lanes_min(imgc_lanes a, imgc_lanes b) {
    IMGC_LANES(a.of[i] < b.of[i] ? a.of[i] : b.of[i]);
}

static inline imgc_lanes imgc_lanes_max(imgc_lanes a, imgc_lanes b) {
    IMGC_LANES(a.of[i] > b.of[i] ? a.of[i] : b.of[i]);
}

static inline imgc_lanes imgc_lanes_add8(imgc_lanes a, imgc_lanes b) {
    IMGC_LANES((a.of[i] + b.of[i]) & 255);
}

static inline imgc_lanes imgc_lanes_sub8(imgc_lanes a, imgc_lanes b) {
    IMGC_LANES((a.of[i] - b.of[i]) & 255);
}

static inline imgc_lanes imgc_lanes_unless_more(imgc_lanes a, imgc_lanes b, imgc_lanes c) {
    IMGC_LANES(b.of[i] > c.of[i] ? 0 : a.of[i]);
}

#undef IMGC_LANES
#endif
#endif
