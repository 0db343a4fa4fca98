// The libraries themselves, called as plainly as their manuals say: what the codecs are measured by.
#ifndef PEERS_H
#define PEERS_H

#include <stddef.h>
#include <stdint.h>

/// Decodes to RGBA8 in memory of its own, which is freed again. Returns a checksum of a few pixels,
/// so that nothing can be left out; 0 on failure.
uint32_t peer_jpeg_decode(const uint8_t *_Nonnull bytes, size_t count);
uint32_t peer_png_decode(const uint8_t *_Nonnull bytes, size_t count);

/// DGifSlurp, then every frame drawn pixel by pixel over an RGBA8 canvas.
uint32_t peer_gif_decode(const uint8_t *_Nonnull bytes, size_t count);

#endif
