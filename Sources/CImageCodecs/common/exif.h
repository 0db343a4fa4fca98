// The one thing asked of EXIF: which way is up.
#ifndef IMGC_EXIF_H
#define IMGC_EXIF_H

#include <stddef.h>
#include <stdint.h>

/// The orientation tag, 1 through 8, of a TIFF structure as EXIF embeds it; 1 where there is none
/// or it makes no sense. Source: Exif 2.32, 4.6.2 and TIFF 6.0, section 2.
uint32_t imgc_exif_orientation(const uint8_t *tiff, size_t size);

#endif
