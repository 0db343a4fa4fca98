#include "resample_kernels.h"

static int16_t saturated(int32_t value) {
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

static void down(const int16_t *const *rows, const int16_t *weights, uint32_t taps, int16_t *out,
                 size_t count) {
    enum { STRIP = 256 };
    for (size_t start = 0; start < count; start += STRIP) {
        size_t length = count - start < STRIP ? count - start : STRIP;
        int32_t sums[STRIP];
        for (size_t i = 0; i < length; i++) sums[i] = 1 << 13;
        for (uint32_t tap = 0; tap < taps; tap++) {
            const int16_t *row = rows[tap] + start;
            int32_t weight = weights[tap];
            if (weight == 0) continue;
            for (size_t i = 0; i < length; i++) sums[i] += weight * row[i];
        }
        for (size_t i = 0; i < length; i++) out[start + i] = saturated(sums[i] >> 14);
    }
}

static void down_bytes(const uint8_t *const *rows, const int16_t *weights, uint32_t taps,
                       int16_t *out, size_t count) {
    enum { STRIP = 256 };
    for (size_t start = 0; start < count; start += STRIP) {
        size_t length = count - start < STRIP ? count - start : STRIP;
        int32_t sums[STRIP];
        for (size_t i = 0; i < length; i++) sums[i] = 1 << 7;
        for (uint32_t tap = 0; tap < taps; tap++) {
            const uint8_t *row = rows[tap] + start;
            int32_t weight = weights[tap];
            if (weight == 0) continue;
            for (size_t i = 0; i < length; i++) sums[i] += weight * row[i];
        }
        for (size_t i = 0; i < length; i++) out[start + i] = saturated(sums[i] >> 8);
    }
}

static inline void weigh(const int16_t *pixel, const int16_t *weights, uint32_t taps,
                         int32_t sums[4]) {
    for (int c = 0; c < 4; c++) sums[c] = 0;
    for (uint32_t tap = 0; tap < taps; tap++, pixel += 4) {
        for (int c = 0; c < 4; c++) sums[c] += weights[tap] * pixel[c];
    }
}

static void across(const int16_t *row, const uint32_t *first, const int16_t *weights, uint32_t taps,
                   uint8_t *out, uint32_t count) {
    for (uint32_t x = 0; x < count; x++, weights += taps, out += 4) {
        int32_t sums[4];
        weigh(row + 4 * (size_t)first[x], weights, taps, sums);
        for (int c = 0; c < 4; c++) {
            int32_t value = (sums[c] + (1 << (IMGK_ROUND_SHIFT - 1))) >> IMGK_ROUND_SHIFT;
            out[c] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
}

static void across_alpha(const int16_t *row, const uint32_t *first, const int16_t *weights,
                         uint32_t taps, uint8_t *out, uint32_t count) {
    for (uint32_t x = 0; x < count; x++, weights += taps, out += 4) {
        int32_t sums[4];
        weigh(row + 4 * (size_t)first[x], weights, taps, sums);
        imgk_unpremultiply(sums, out);
    }
}

void imgk_unpremultiply(const int32_t sums[4], uint8_t out[4]) {
    int32_t alpha = (sums[3] + (1 << (IMGK_ROUND_SHIFT - 1))) >> IMGK_ROUND_SHIFT;
    if (alpha <= 0) {
        out[0] = out[1] = out[2] = out[3] = 0;
        return;
    }
    float scale = 255.0f / (float)sums[3];
    for (int c = 0; c < 3; c++) {
        float value = (float)sums[c] * scale + 0.5f;
        out[c] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
    out[3] = (uint8_t)(alpha > 255 ? 255 : alpha);
}

static void halve(const uint8_t *one, const uint8_t *two, uint8_t *out, size_t count) {
    for (; count > 0; count--, one += 8, two += 8, out += 4) {
        for (int c = 0; c < 4; c++) {
            out[c] = (uint8_t)((one[c] + one[c + 4] + two[c] + two[c + 4] + 2) / 4);
        }
    }
}

const imgk_kernels imgk_kernels_portable = {down, down_bytes, across, across_alpha, halve};
