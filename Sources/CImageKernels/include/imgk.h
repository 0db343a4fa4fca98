#ifndef IMGK_H
#define IMGK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether every pixel of `count` RGBA8 pixels has alpha 255.
bool imgk_is_opaque(const uint8_t *_Nonnull pixels, size_t count);

#endif
