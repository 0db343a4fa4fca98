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
#include <nmmintrin.h>

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
#endif

uint32_t imgc_crc32c(uint32_t crc, const void *bytes, size_t size) {
    if (size == 0) return crc;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) return ~crc_sse42(~crc, bytes, size);
#endif
    return ~crc_plain(~crc, bytes, size);
}
