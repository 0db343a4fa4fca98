// DEFLATE streams that no compressor writes.
#ifndef DEFLATE_MAKER_H
#define DEFLATE_MAKER_H

#include <stddef.h>
#include <stdint.h>

/// Writes a stream that inflates to `count` bytes, of random blocks, codes and
/// matches. Some have a fault that not all decoders refuse: symbols without a
/// meaning, incomplete codes, repeats that go too far. Returns its size, 0 where there
/// is not enough room.
size_t deflate_make(uint8_t *out, size_t room, size_t count, uint64_t *seed);

#endif
