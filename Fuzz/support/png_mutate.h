// Mutates PNGs in ways that pass their checksums.
#ifndef PNG_MUTATE_H
#define PNG_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/// Changes the file in `bytes` in one of several ways: bytes, chunks, the header, the compressed
/// stream, the filtered rows; or writes a small one from nothing. In most cases all checksums are
/// corrected afterwards. Returns the new size, at most `room`.
size_t png_mutate(uint8_t *bytes, size_t size, size_t room, uint64_t *seed);

#endif
