#include "imgc_crc32c.h"

#include <pthread.h>
#include <string.h>

#define POLYNOMIAL 0x82F63B78u // Castagnoli, reflected

// ---- Plain C: eight tables, eight bytes a turn ----

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void fill_table(void) {
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t crc = n;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
        table[0][n] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int n = 0; n < 256; n++)
            table[k][n] = (table[k - 1][n] >> 8) ^ table[0][table[k - 1][n] & 0xFF];
}

static uint32_t crc_plain(uint32_t crc, const uint8_t *p, size_t size) {
    pthread_once(&table_once, fill_table);
    while (size >= 8) {
        uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                              (uint32_t)p[3] << 24);
        crc = table[7][low & 0xFF] ^ table[6][(low >> 8) & 0xFF] ^ table[5][(low >> 16) & 0xFF] ^
              table[4][low >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^
              table[0][p[7]];
        p += 8;
        size -= 8;
    }
    while (size--) crc = (crc >> 8) ^ table[0][(crc ^ *p++) & 0xFF];
    return crc;
}

// ---- x86-64: the instruction has a latency of three cycles, so three streams run side by side
// ----

#if defined(__x86_64__)
#include <immintrin.h>

#define STREAM 1024 // bytes of each of the three streams of a block

// What appending STREAM zero bytes does to a checksum, a table for each of its four bytes.
static uint32_t shift[4][256];
static pthread_once_t shift_once = PTHREAD_ONCE_INIT;

static void fill_shift(void) {
    static const uint8_t zeros[STREAM];
    uint32_t column[32]; // the map is linear: it is known from its images of single bits
    for (int bit = 0; bit < 32; bit++) column[bit] = crc_plain(1u << bit, zeros, STREAM);
    for (int k = 0; k < 4; k++)
        for (uint32_t n = 0; n < 256; n++) {
            uint32_t sum = 0;
            for (int bit = 0; bit < 8; bit++)
                if (n >> bit & 1) sum ^= column[8 * k + bit];
            shift[k][n] = sum;
        }
}

static inline uint32_t shifted(uint32_t crc) {
    return shift[0][crc & 0xFF] ^ shift[1][(crc >> 8) & 0xFF] ^ shift[2][(crc >> 16) & 0xFF] ^
           shift[3][crc >> 24];
}

static inline uint64_t word(const uint8_t *p) {
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

__attribute__((target("sse4.2"))) static uint32_t crc_sse42(uint32_t crc, const uint8_t *p,
                                                            size_t size) {
    if (size >= 3 * STREAM) pthread_once(&shift_once, fill_shift);
    while (size >= 3 * STREAM) {
        uint64_t a = crc, b = 0, c = 0;
        for (size_t at = 0; at < STREAM; at += 8) {
            a = _mm_crc32_u64(a, word(p + at));
            b = _mm_crc32_u64(b, word(p + STREAM + at));
            c = _mm_crc32_u64(c, word(p + 2 * STREAM + at));
        }
        crc = shifted(shifted((uint32_t)a) ^ (uint32_t)b) ^ (uint32_t)c;
        p += 3 * STREAM;
        size -= 3 * STREAM;
    }
    uint64_t rest = crc;
    for (; size >= 8; p += 8, size -= 8) rest = _mm_crc32_u64(rest, word(p));
    for (; size > 0; p++, size--) rest = _mm_crc32_u8((uint32_t)rest, *p);
    return (uint32_t)rest;
}

// ---- x86-64 with AVX-512: sixteen streams are folded onto the bytes that follow them (V. Gopal
// et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", Intel 2009) ----

#define FOLDED 256 // bytes that are folded at a time, in four registers

// Factors that move 16 bytes on by so many bytes.
struct factors {
    uint64_t low, high;
};
static struct factors by_block, by_register, by_lane;
static pthread_once_t fold_once = PTHREAD_ONCE_INIT;

// x^n modulo the polynomial, as the upper half of a reflected word.
static uint64_t power(int n) {
    uint32_t value = 1u << 31; // x^0
    while (n--) value = (value >> 1) ^ (value & 1 ? POLYNOMIAL : 0);
    return (uint64_t)value << 32;
}

// A product of two reflected words is one place too far, hence the 1.
static struct factors factors(int bytes) {
    return (struct factors){power(8 * bytes + 64 - 1), power(8 * bytes - 1)};
}

static void fill_folds(void) {
    by_block = factors(FOLDED);
    by_register = factors(64);
    by_lane = factors(16);
}

#define AVX512 __attribute__((target("avx512f,vpclmulqdq,pclmul,sse4.2")))

AVX512 static inline __m512i fold(__m512i value, __m512i by, __m512i next) {
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(value, by, 0x00),
                                     _mm512_clmulepi64_epi128(value, by, 0x11), next, 0x96);
}

AVX512 static inline __m128i fold_lane(__m128i value, __m128i by, __m128i next) {
    return _mm_xor_si128(next, _mm_xor_si128(_mm_clmulepi64_si128(value, by, 0x00),
                                             _mm_clmulepi64_si128(value, by, 0x11)));
}

AVX512 static inline __m128i lane_factors(struct factors by) {
    return _mm_set_epi64x((long long)by.high, (long long)by.low);
}

AVX512 static uint32_t crc_avx512(uint32_t crc, const uint8_t *p, size_t size) {
    if (size < 2 * FOLDED) return crc_sse42(crc, p, size);
    pthread_once(&fold_once, fill_folds);
    __m512i block = _mm512_broadcast_i32x4(lane_factors(by_block));
    __m512i a = _mm512_loadu_si512(p), b = _mm512_loadu_si512(p + 64),
            c = _mm512_loadu_si512(p + 128), d = _mm512_loadu_si512(p + 192);
    a = _mm512_xor_si512(a, _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc)));
    for (p += FOLDED, size -= FOLDED; size >= FOLDED; p += FOLDED, size -= FOLDED) {
        a = fold(a, block, _mm512_loadu_si512(p));
        b = fold(b, block, _mm512_loadu_si512(p + 64));
        c = fold(c, block, _mm512_loadu_si512(p + 128));
        d = fold(d, block, _mm512_loadu_si512(p + 192));
    }
    __m512i by = _mm512_broadcast_i32x4(lane_factors(by_register));
    d = fold(fold(fold(a, by, b), by, c), by, d);
    __m128i lane = lane_factors(by_lane);
    __m128i sum = _mm512_extracti32x4_epi32(d, 0);
    sum = fold_lane(sum, lane, _mm512_extracti32x4_epi32(d, 1));
    sum = fold_lane(sum, lane, _mm512_extracti32x4_epi32(d, 2));
    sum = fold_lane(sum, lane, _mm512_extracti32x4_epi32(d, 3));
    uint64_t rest = _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(sum));
    rest = _mm_crc32_u64(rest, (uint64_t)_mm_extract_epi64(sum, 1));
    return crc_sse42((uint32_t)rest, p, size);
}
#endif

uint32_t imgc_crc32c(uint32_t crc, const void *bytes, size_t size) {
    if (size == 0) return crc;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq"))
        return ~crc_avx512(~crc, bytes, size);
    if (__builtin_cpu_supports("sse4.2")) return ~crc_sse42(~crc, bytes, size);
#endif
    return ~crc_plain(~crc, bytes, size);
}
