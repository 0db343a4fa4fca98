#ifndef IMGC_CRC32C_H
#define IMGC_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/// Continues a CRC-32C (Castagnoli, RFC 3720 appendix B.4) over `size` bytes.
///
/// - `crc`    the checksum of what came before; 0 to begin.
/// - `bytes`  borrowed for the call; may be NULL when `size` is 0. Uses the processor's instruction
/// where there is one, else a table. No allocation; any thread may call.
uint32_t imgc_crc32c(uint32_t crc, const void *_Nullable bytes, size_t size);

#endif
