// The peer libraries, called directly as in their manuals.
#ifndef PEERS_H
#define PEERS_H

#include <stddef.h>
#include <stdint.h>

/// Decodes to RGBA8 in its own memory, which is freed again. Returns a checksum of a few pixels,
/// so that the work cannot be optimized away; 0 on failure.
uint32_t peer_jpeg_decode(const uint8_t *_Nonnull bytes, size_t count);
uint32_t peer_png_decode(const uint8_t *_Nonnull bytes, size_t count);
uint32_t peer_webp_decode(const uint8_t *_Nonnull bytes, size_t count);

/// DGifSlurp, then every frame drawn pixel by pixel over an RGBA8 canvas.
uint32_t peer_gif_decode(const uint8_t *_Nonnull bytes, size_t count);

/// Writes RGBA8 as JPEG (4:2:0, the tables of the standard) and drops it. Returns the byte count.
size_t peer_jpeg_encode(const uint8_t *_Nonnull rgba, int width, int height, int quality);
/// Writes RGBA8 as RGB PNG with the filter SUB and drops it. Returns the byte count.
size_t peer_png_encode(const uint8_t *_Nonnull rgba, int width, int height, int level);

/// A GIF as DGifSlurp leaves it, to be written repeatedly.
typedef struct peer_gif peer_gif;
peer_gif *_Nullable peer_gif_open(const uint8_t *_Nonnull bytes, size_t count);
/// Writes every frame, whose palette is already computed, and drops it. Returns the byte count.
size_t peer_gif_encode(const peer_gif *_Nonnull gif);
void peer_gif_close(peer_gif *_Nonnull gif);

/// The lower bound of a JPEG thumbnail: decodes at 1/scale, then writes `side` times `side` of
/// those pixels as JPEG. No pixel is filtered. Returns the byte count.
size_t peer_jpeg_thumbnail(
    const uint8_t *_Nonnull bytes, size_t count, int scale, int side, int quality);
/// The same for a WebP, which is decoded whole; written as WebP of that effort, or as JPEG where
/// `effort` is negative.
size_t peer_webp_thumbnail(
    const uint8_t *_Nonnull bytes, size_t count, int side, int quality, int effort);

/// Writes an ICC profile with the curve of sRGB, and the primaries of Display P3 or of sRGB. Returns
/// its byte count, at most 1024.
size_t peer_profile(int is_wide, uint8_t *_Nonnull room);

/// A transform of Little CMS from a profile to sRGB, as in its manual.
void *_Nullable peer_color_open(const uint8_t *_Nonnull icc, size_t count);
/// Converts RGBA8 in place. Returns a checksum.
uint32_t peer_color_convert(void *_Nonnull transform, uint8_t *_Nonnull rgba, size_t pixels);

#endif
