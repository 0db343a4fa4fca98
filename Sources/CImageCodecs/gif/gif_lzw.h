// LZW for what giflib does not read: codes that begin with 9 to 11 bits, which are rare and valid,
// and a last block that is cut, which giflib drops as a whole.
#ifndef IMGC_GIF_LZW_H
#define IMGC_GIF_LZW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A stream of codes being decoded. Starts as imgc_gif_lzw_begin leaves it.
typedef struct imgc_gif_lzw {
    const uint8_t *bytes;
    uint64_t at, end;
    uint32_t block;            // bytes left of the current block
    uint32_t bits, bit_count;  // read, and not used yet
    uint32_t code_size, clear, next, width;
    int32_t previous;          // the last code, -1 after a clear
    bool ended;                // by an end code, or because the data ran out
    uint16_t prefix[4096], suffix[4096], pending[4097];
    uint32_t pending_count;    // of pixels of the last string, in reverse
} imgc_gif_lzw;

/// Points at the code size and the blocks behind it; `end` is behind the last block.
void imgc_gif_lzw_begin(imgc_gif_lzw *lzw, const uint8_t *bytes, uint64_t at, uint64_t end);

/// Writes the next pixels; fewer than `count` at the end or before a code that makes no sense.
/// Indices above 255 are beyond any palette and given as 255.
size_t imgc_gif_lzw_read(imgc_gif_lzw *lzw, uint8_t *out, size_t count);

#endif
