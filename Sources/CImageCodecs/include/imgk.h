#ifndef IMGK_H
#define IMGK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether every pixel of `count` RGBA8 pixels has alpha 255.
bool imgk_is_opaque(const uint8_t *_Nonnull pixels, size_t count);

/// Whether red, green and blue are the same in each of `count` RGBA8 pixels.
bool imgk_is_gray(const uint8_t *_Nonnull pixels, size_t count);

/// Gives each of `count` pixels one colour.
void imgk_fill(uint8_t *_Nonnull pixels, size_t count, const uint8_t color[_Nonnull 4]);

/// Draws an image over another, or in place of it; both straight alpha. The room is the caller's:
/// `width` by `height` pixels from `to` on.
void imgk_draw(uint8_t *_Nonnull to, size_t to_bytes_per_row, const uint8_t *_Nonnull from,
               size_t from_bytes_per_row, uint32_t width, uint32_t height, bool blends);

/// Turns rows upright as an EXIF orientation says, and puts them where they belong.
///
/// - `to`             the whole upright image; its sides are swapped from orientation 5 on.
/// - `from`           `count` rows of the stored image, beginning with row `first`.
/// - `width, height`  of the stored image.
/// - `orientation`    1 through 8; anything else counts as 1.
void imgk_orient_rows(uint8_t *_Nonnull to, size_t to_bytes_per_row, const uint8_t *_Nonnull from,
                      size_t from_bytes_per_row, uint32_t width, uint32_t height, uint32_t first,
                      uint32_t count, uint32_t orientation);

/// Mixes a colour into `count` pixels, as much as its alpha says; their own alpha stays.
void imgk_tint(uint8_t *_Nonnull pixels, size_t count, const uint8_t color[_Nonnull 4]);

/// Makes each pixel the gray of its luminance, which is that of its colour as sRGB.
void imgk_gray(uint8_t *_Nonnull pixels, size_t count);

/// Multiplies the alpha of each pixel by an opacity, 0 through 1.
void imgk_fade(uint8_t *_Nonnull pixels, size_t count, double opacity);

/// Adds to each colour its difference to the same colour of a blurred copy; alpha stays.
void imgk_sharpen(uint8_t *_Nonnull pixels, const uint8_t *_Nonnull blurred, size_t count);

/// Makes the corners transparent outside arcs of a radius, which is at most half the shorter side.
void imgk_round_corners(uint8_t *_Nonnull pixels, uint32_t width, uint32_t height, double radius);

/// Blurs in place with nearly a Gaussian of a deviation above 0; false without memory. Colours are
/// weighed by alpha, and edges are repeated.
bool imgk_blur(uint8_t *_Nonnull pixels, uint32_t width, uint32_t height, double sigma);

/// Finds the part of an image that is most worth keeping: where edges, saturated colours, skin and
/// colours unlike the rest are. Without any of these, the middle. The same on every machine.
///
/// - `pixels`       the image at the scale of the result, straight alpha; what is transparent does
///                  not count.
/// - `crop_width, crop_height`  the size of the part; a side that is not shorter than that of the
///                  image is not moved.
/// - `left, top`    set to where the part begins.
void imgk_find_attention(const uint8_t *_Nonnull pixels, uint32_t width, uint32_t height,
                         uint32_t crop_width, uint32_t crop_height, uint32_t *_Nonnull left,
                         uint32_t *_Nonnull top);

#endif
