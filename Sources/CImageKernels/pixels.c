#include "imgk.h"

#include <math.h>

bool imgk_is_opaque(const uint8_t *pixels, size_t count) {
    size_t at = 0;
    while (at < count) {
        size_t end = count - at > 1024 ? at + 1024 : count;
        uint8_t all = 255;
        for (; at < end; at++) all &= pixels[4 * at + 3];
        if (all != 255) return false;
    }
    return true;
}

void imgk_round_corners(uint8_t *pixels, uint32_t width, uint32_t height, double radius) {
    for (uint32_t y = 0; y < height; y++) {
        double down = fmax(fmax(radius - (y + 0.5), (y + 0.5) - (height - radius)), 0);
        if (down <= 0) continue;
        for (uint32_t x = 0; x < width; x++) {
            double across = fmax(fmax(radius - (x + 0.5), (x + 0.5) - (width - radius)), 0);
            if (across <= 0) continue;
            // The share of the pixel inside the arc, by its distance from it.
            double inside = radius - sqrt(across * across + down * down) + 0.5;
            if (inside >= 1) continue;
            uint8_t *alpha = pixels + 4 * ((size_t)y * width + x) + 3;
            *alpha = (uint8_t)lrint(*alpha * fmax(inside, 0));
        }
    }
}
