// Up to 256 RGBA colours with an exact look-up, for encoders that write palettes.
#ifndef IMGC_PALETTE_H
#define IMGC_PALETTE_H

#include "imgc.h"

enum { IMGC_PALETTE_SLOTS = 1024 };

typedef struct imgc_palette {
    int count;
    uint8_t colors[256][4];
    /// Open addressing: a colour's number plus one, 0 where free.
    uint16_t slots[IMGC_PALETTE_SLOTS];
} imgc_palette;

/// Empties `palette`.
void imgc_palette_reset(imgc_palette *palette);

/// Adds `color` when it is new; false when 256 others are there already.
bool imgc_palette_add(imgc_palette *palette, const uint8_t color[4]);

/// Fills `palette` with the colours of `image`; false when there are more than 256.
/// With `continuing` what is there stays, so that several images share one palette.
bool imgc_palette_collect(imgc_palette *palette, const imgc_image *image, bool continuing);

/// The number of a colour that is in the palette; 0 for one that is not.
uint8_t imgc_palette_index(const imgc_palette *palette, const uint8_t color[4]);

#endif
