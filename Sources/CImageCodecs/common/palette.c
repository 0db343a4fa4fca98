#include "palette.h"

#include <string.h>

static uint32_t slot_of(const uint8_t color[4]) {
    uint32_t packed;
    memcpy(&packed, color, 4);
    return (packed * 2654435761u) >> 22; // Fibonacci hashing to ten bits
}

void imgc_palette_reset(imgc_palette *palette) {
    palette->count = 0;
    memset(palette->slots, 0, sizeof palette->slots);
}

bool imgc_palette_add(imgc_palette *palette, const uint8_t color[4]) {
    uint32_t slot = slot_of(color);
    while (palette->slots[slot] != 0) {
        if (memcmp(palette->colors[palette->slots[slot] - 1], color, 4) == 0) return true;
        slot = (slot + 1) % IMGC_PALETTE_SLOTS;
    }
    if (palette->count == 256) return false;
    memcpy(palette->colors[palette->count], color, 4);
    palette->slots[slot] = (uint16_t)++palette->count;
    return true;
}

bool imgc_palette_collect(imgc_palette *palette, const imgc_image *image, bool continuing) {
    if (!continuing) imgc_palette_reset(palette);
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = image->bytes + image->bytes_per_row * y;
        const uint8_t *last = NULL;
        for (uint32_t x = 0; x < image->width; x++, row += 4) {
            if (last && memcmp(last, row, 4) == 0) continue;
            if (!imgc_palette_add(palette, row)) return false;
            last = row;
        }
    }
    return true;
}

uint8_t imgc_palette_index(const imgc_palette *palette, const uint8_t color[4]) {
    uint32_t slot = slot_of(color);
    while (palette->slots[slot] != 0) {
        int index = palette->slots[slot] - 1;
        if (memcmp(palette->colors[index], color, 4) == 0) return (uint8_t)index;
        slot = (slot + 1) % IMGC_PALETTE_SLOTS;
    }
    return 0;
}
