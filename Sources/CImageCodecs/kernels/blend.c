// Source: Porter and Duff, "Compositing Digital Images", 1984: over, for straight alpha.
#include "imgk.h"

#include <string.h>

static void over(uint8_t *to, const uint8_t *from) {
    uint32_t alpha = from[3];
    if (alpha == 0) return;
    if (alpha == 255 || to[3] == 0) {
        memcpy(to, from, 4);
        return;
    }
    uint32_t under = to[3] * (255 - alpha), total = alpha * 255 + under; // alpha times 255
    for (int c = 0; c < 3; c++) {
        to[c] = (uint8_t)((from[c] * alpha * 255 + to[c] * under + total / 2) / total);
    }
    to[3] = (uint8_t)((total + 127) / 255);
}

void imgk_draw(uint8_t *to, size_t to_bytes_per_row, const uint8_t *from, size_t from_bytes_per_row,
               uint32_t width, uint32_t height, bool blends) {
    for (uint32_t y = 0; y < height; y++, to += to_bytes_per_row, from += from_bytes_per_row) {
        if (!blends) {
            memcpy(to, from, (size_t)width * 4);
            continue;
        }
        for (size_t x = 0; x < width; x++) over(to + 4 * x, from + 4 * x);
    }
}

void imgk_fill(uint8_t *pixels, size_t count, const uint8_t color[4]) {
    for (size_t i = 0; i < count; i++) memcpy(pixels + 4 * i, color, 4);
}

bool imgk_is_gray(const uint8_t *pixels, size_t count) {
    for (size_t at = 0; at < count;) {
        size_t end = count - at > 1024 ? at + 1024 : count;
        uint8_t difference = 0;
        for (; at < end; at++) {
            const uint8_t *pixel = pixels + 4 * at;
            difference |= (uint8_t)((pixel[0] ^ pixel[1]) | (pixel[1] ^ pixel[2]));
        }
        if (difference) return false;
    }
    return true;
}
