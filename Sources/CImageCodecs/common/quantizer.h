// At most 256 colours that stand for many, for encoders that write palettes.
#ifndef IMGC_QUANTIZER_H
#define IMGC_QUANTIZER_H

#include "palette.h"

typedef struct imgc_quantizer imgc_quantizer;

/// An empty quantizer, or NULL without memory; freed with imgc_quantizer_free.
imgc_quantizer *imgc_quantizer_new(void);

/// Gives `quantizer` back; NULL is left alone.
void imgc_quantizer_free(imgc_quantizer *quantizer);

/// Forgets what was counted; what was chosen stays.
void imgc_quantizer_reset(imgc_quantizer *quantizer);

/// Counts an opaque colour `times` times.
void imgc_quantizer_count(imgc_quantizer *quantizer, const uint8_t color[4], uint32_t times);

/// Counts `count` pixels of RGBA, those with alpha of `opacity` or more.
///
/// - Returns: Whether there was one.
bool imgc_quantizer_count_row(imgc_quantizer *quantizer, const uint8_t *pixels, uint32_t count,
                              uint8_t opacity);

/// Chooses at most `limit` colours, 1 through 256; they are opaque. Where as few colours were
/// counted, they are those colours.
void imgc_quantizer_choose(imgc_quantizer *quantizer, int limit);

/// The colours chosen.
const imgc_palette *imgc_quantizer_palette(const imgc_quantizer *quantizer);

/// Whether every colour that was counted is in the palette, unchanged.
bool imgc_quantizer_is_exact(const imgc_quantizer *quantizer);

/// The number of the chosen colour nearest to `color`.
uint8_t imgc_quantizer_index(imgc_quantizer *quantizer, const uint8_t color[4]);

#endif
