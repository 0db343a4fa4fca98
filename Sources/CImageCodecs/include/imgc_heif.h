#ifndef IMGC_HEIF_H
#define IMGC_HEIF_H

#include "imgc.h"
#include "imgc_scan.h"

/// Whether libheif is on the machine, and its header, of 1.13 or later, was when this was built.
bool imgc_heif_is_present(void);

// MARK: boxes, without a library

/// Reads the boxes of a HEIC: of a sequence those of its primary image. The data behind the boxes
/// need not be there.
///
/// - `info`  width and height are those of the reader: the transformations (`clap`, `irot`, `imir`)
///           are applied, and `orientation` is 1; EXIF is ignored.
imgc_status imgc_heif_scan(const uint8_t *_Nonnull heif, size_t size,
                           const imgc_limits *_Nonnull limits, imgc_info *_Nonnull info,
                           imgc_error *_Nonnull error);

/// Copies the ICC profile. `out` stays empty where the file has none, or one of more than
/// `max_chunk_bytes`.
imgc_status imgc_heif_icc(const uint8_t *_Nonnull heif, size_t size,
                          const imgc_limits *_Nonnull limits, imgc_buffer *_Nonnull out,
                          imgc_error *_Nonnull error);

/// What describes the primary image of a HEIC or an AVIF.
typedef struct imgc_heif_description {
    uint8_t primaries, transfer; ///< `nclx`: code points of ITU-T H.273; 0 for none.
    bool has_icc;
    bool has_metadata;           ///< EXIF, XMP, or another item with data about it.
    imgc_buffer exif;            ///< A TIFF file; empty for none, or more than `max_chunk_bytes`.
} imgc_heif_description;

/// Reads what describes the primary image; of a damaged file nothing. `exif` is to be freed.
imgc_heif_description imgc_heif_describe(const uint8_t *_Nonnull file, size_t size,
                                         const imgc_limits *_Nonnull limits);

// MARK: reading

/// A HEIC whose rows are being read. One thread at a time; the bytes it reads from stay with the
/// caller and outlive it.
typedef struct imgc_heif_reader imgc_heif_reader;

/// Reads the boxes and the headers of the HEVC data, and compares the cost with the limits; NULL on
/// failure, and `error` says why. Nothing is allocated for pixels before the first read. Ended by
/// imgc_heif_reader_close.
imgc_heif_reader *_Nullable imgc_heif_reader_open(const uint8_t *_Nonnull heif, size_t size,
                                                  const imgc_limits *_Nonnull limits,
                                                  imgc_error *_Nonnull error);

/// The size of the image as it is shown.
uint32_t imgc_heif_reader_width(const imgc_heif_reader *_Nonnull reader);
uint32_t imgc_heif_reader_height(const imgc_heif_reader *_Nonnull reader);

/// Copies the next rows as RGBA8, straight alpha. The first read decodes the whole image, which
/// cannot be interrupted: what it may cost is compared with the limits before.
///
/// - `rows`   owned by the caller, as wide as the reader; its height is how many are wanted.
/// - `count`  owned by the caller: how many were written; none of a damaged file.
imgc_status imgc_heif_reader_read(imgc_heif_reader *_Nonnull reader, imgc_pixels rows,
                                  uint32_t *_Nonnull count, imgc_error *_Nonnull error);

/// Gives everything back; NULL is left alone.
void imgc_heif_reader_close(imgc_heif_reader *_Nullable reader);

#endif
