#include "imgk.h"

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
