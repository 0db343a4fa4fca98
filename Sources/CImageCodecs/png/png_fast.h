// Decodes PNGs of eight bits a sample that are not interlaced, where nothing is wrong with them.
#ifndef IMGC_PNG_FAST_H
#define IMGC_PNG_FAST_H

#include "imgc.h"

/// A PNG that is inflated and known to be whole: reading its rows cannot fail.
typedef struct imgc_png_fast imgc_png_fast;

/// Inflates the file and checks all that libpng would check: structure, every chunk's checksum, the
/// stream and its checksum, the filters. NULL means that libpng is to decide, from the start:
/// another kind of image, one whose pixels take more than 64 MiB, too little memory, the deadline,
/// or any doubt.
///
/// - `png`           borrowed for the call, not kept.
/// - `keeps_pixels`  false if only the answer matters: then no row can be read.
imgc_png_fast *imgc_png_fast_open(const uint8_t *png, size_t size, const imgc_limits *limits,
                                  uint64_t cpu_deadline, bool keeps_pixels);

uint32_t imgc_png_fast_width(const imgc_png_fast *fast);
uint32_t imgc_png_fast_height(const imgc_png_fast *fast);

/// Writes the next `count` rows as RGBA; there are that many.
void imgc_png_fast_read(imgc_png_fast *fast, uint8_t *out, size_t bytes_per_row, uint32_t count);

/// Gives everything back; NULL is left alone.
void imgc_png_fast_close(imgc_png_fast *fast);

#endif
