#ifndef IMGC_AVIF_H
#define IMGC_AVIF_H

#include "imgc.h"
#include "imgc_scan.h"

/// Whether libavif is on the machine, and its header, of 0.11 or later, was when this was built. Without it every other
/// function fails with IMGC_STATUS_UNSUPPORTED.
bool imgc_avif_is_present(void);

// MARK: reading

/// Reads the boxes of an AVIF; no pixel is decoded and nothing is allocated for pixels. The data
/// behind the boxes need not be there.
///
/// - `info`  width and height are those of the reader: the clean aperture (`clap`) is applied, the
///           orientation is not. `orientation` combines `irot` and `imir`; EXIF is ignored in
///           AVIF. `has_animation` means that the file calls itself a sequence (brand `avis`).
///           `bit_depth` is 8, 10 or 12; `progressive` is always false.
imgc_status imgc_avif_scan(const uint8_t *_Nonnull avif, size_t size,
                           const imgc_limits *_Nonnull limits, imgc_info *_Nonnull info,
                           imgc_error *_Nonnull error);

/// Copies the ICC profile. `out` stays empty where the file has none, or one of more than
/// `max_chunk_bytes`.
imgc_status imgc_avif_icc(const uint8_t *_Nonnull avif, size_t size,
                          const imgc_limits *_Nonnull limits, imgc_buffer *_Nonnull out,
                          imgc_error *_Nonnull error);

/// An AVIF whose rows are being read. One thread at a time; the bytes it reads from stay with the
/// caller and outlive it.
typedef struct imgc_avif_reader imgc_avif_reader;

/// Reads the boxes and compares the image with the limits; NULL on failure, and `error` says why.
/// Nothing is allocated for pixels before the first read. A sequence gives its primary image, or
/// the first one where it has none. Ended by imgc_avif_reader_close.
imgc_avif_reader *_Nullable imgc_avif_reader_open(const uint8_t *_Nonnull avif, size_t size,
                                                  const imgc_limits *_Nonnull limits,
                                                  imgc_error *_Nonnull error);

/// The size of the image: the clean aperture, before the orientation.
uint32_t imgc_avif_reader_width(const imgc_avif_reader *_Nonnull reader);
uint32_t imgc_avif_reader_height(const imgc_avif_reader *_Nonnull reader);

/// Converts the next rows to RGBA8, straight alpha. The first read decodes the whole image, which
/// cannot be interrupted: the processor time is compared with the limit only afterwards.
///
/// - `rows`   owned by the caller, as wide as the reader; its height is how many are wanted.
/// - `count`  owned by the caller: how many were written. A file that is cut or damaged gives none,
///            and no later read of the same reader will.
imgc_status imgc_avif_reader_read(imgc_avif_reader *_Nonnull reader, imgc_pixels rows,
                                  uint32_t *_Nonnull count, imgc_error *_Nonnull error);

/// Gives everything back; NULL is left alone.
void imgc_avif_reader_close(imgc_avif_reader *_Nullable reader);

// MARK: writing

/// How an AVIF is written.
typedef struct imgc_avif_options {
    int quantizer;    ///< 0 (best) through 63, of AV1.
    int speed;        ///< 0 (smallest file) through 10, of libavif.
    bool lossless;    ///< Keep every pixel, but for colours below alpha 0.
    bool full_chroma; ///< 4:4:4 in place of 4:2:0.
    const uint8_t *_Nullable icc; ///< A profile to embed, or NULL.
    size_t icc_size;
    const uint8_t *_Nullable exif; ///< A TIFF file to embed, or NULL.
    size_t exif_size;
} imgc_avif_options;

/// Writes a still of at most 65,535 pixels a side, of 8 bits in sRGB or with the profile; alpha is
/// kept exactly. An encoding cannot be interrupted.
///
/// - `out`    emptied by the caller; on success holds the file, to be freed by the caller.
imgc_status imgc_avif_encode(imgc_image image, const imgc_avif_options *_Nonnull options,
                             imgc_buffer *_Nonnull out, imgc_error *_Nonnull error);

#endif
