// The filters of PNG, undone. Source: W3C Portable Network Graphics (Third Edition), section 9.
#ifndef IMGC_PNG_FILTERS_H
#define IMGC_PNG_FILTERS_H

#include <stddef.h>
#include <stdint.h>

/// Undoes the filter of a row of three or four samples a pixel and writes it as RGBA; alpha is 255
/// where there are three.
///
/// - `filtered`  one byte behind the row is read, and means nothing.
/// - `prior`     the row above as RGBA; zeros above the first one. May not overlap `out`.
void imgc_png_unfilter_rgba(uint8_t filter, int samples, const uint8_t *filtered,
                            const uint8_t *prior, uint8_t *out, size_t width);

/// The same for two rows that are both filtered with Paeth (4); the first one is above the second.
void imgc_png_unfilter_paeths(int samples, const uint8_t *filtered, const uint8_t *filtered2,
                              const uint8_t *prior, uint8_t *out, uint8_t *out2, size_t width);

/// Undoes the filter of a row of one or two samples a pixel where it is.
///
/// - `prior`  the row above, of the same layout; zeros above the first one.
void imgc_png_unfilter(uint8_t filter, int samples, uint8_t *row, const uint8_t *prior,
                       size_t count);

#endif
