#include "exif.h"

#include <stdbool.h>
#include <string.h>

static uint32_t read16(const uint8_t *at, bool big) {
    return big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

static uint32_t read32(const uint8_t *at, bool big) {
    return big ? read16(at, big) << 16 | read16(at + 2, big)
               : read16(at + 2, big) << 16 | read16(at, big);
}

uint32_t imgc_exif_orientation(const uint8_t *tiff, size_t size) {
    if (size < 14) return 1;
    bool big = memcmp(tiff, "MM\0*", 4) == 0;
    if (!big && memcmp(tiff, "II*\0", 4) != 0) return 1;
    uint32_t start = read32(tiff + 4, big);
    if (start > size - 2) return 1;
    uint32_t entries = read16(tiff + start, big);
    for (uint32_t i = 0; i < entries; i++) {
        size_t at = (size_t)start + 2 + (size_t)i * 12;
        if (at + 12 > size) break;
        if (read16(tiff + at, big) != 0x0112) continue;
        uint32_t type = read16(tiff + at + 2, big);
        uint32_t value = type == 3 ? read16(tiff + at + 8, big)
                         : type == 4 ? read32(tiff + at + 8, big) : 0;
        return value >= 1 && value <= 8 ? value : 1;
    }
    return 1;
}
