// Streams of DEFLATE that no compressor writes.
#ifndef DEFLATE_MAKER_H
#define DEFLATE_MAKER_H

#include <stddef.h>
#include <stdint.h>

/// Writes a stream that is `count` bytes long when it is inflated, of random blocks, codes and
/// matches. In some of them something is wrong that not all decoders refuse: symbols without a
/// meaning, codes that are not complete, repeats that go too far. Returns its size, 0 where there
/// is not enough room.
size_t deflate_make(uint8_t *out, size_t room, size_t count, uint64_t *seed);

#endif
