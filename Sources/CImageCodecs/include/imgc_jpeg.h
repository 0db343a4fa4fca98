#ifndef IMGC_JPEG_H
#define IMGC_JPEG_H

#include "imgc.h"

// MARK: reading

/// A JPEG whose rows are being decoded. One thread at a time; the bytes it reads from stay with the
/// caller and outlive it.
typedef struct imgc_jpeg_reader imgc_jpeg_reader;

/// How a JPEG is to be decoded.
typedef struct imgc_jpeg_request {
    /// Scale in eighths, 1 through 8; the size is rounded up.
    uint32_t eighths;
    /// Go on after damage, as far as there is something to show, instead of failing.
    bool lenient;
    /// Take codes that are left over behind the last row for damage, though no pixel suffers.
    bool strict;
    /// Give the four inks of a file that has them, in place of the colours that they show: cyan,
    /// magenta, yellow and black, 255 being all of an ink. Other files are read as without it.
    bool inks;
} imgc_jpeg_request;

/// Begins to decode; NULL on failure, and `error` says why. Limits are compared with the header
/// before anything is allocated for pixels; the size compared is that of the file, not the scaled
/// one. Ended by imgc_jpeg_reader_close.
imgc_jpeg_reader *_Nullable imgc_jpeg_reader_open(const uint8_t *_Nonnull jpeg, size_t jpeg_size,
                                                  const imgc_limits *_Nonnull limits,
                                                  imgc_jpeg_request request,
                                                  imgc_error *_Nonnull error);

/// The scaled size, before any orientation.
uint32_t imgc_jpeg_reader_width(const imgc_jpeg_reader *_Nonnull reader);
uint32_t imgc_jpeg_reader_height(const imgc_jpeg_reader *_Nonnull reader);

/// Has only some columns decoded, and a few beside them, before the first read: the others are left
/// as they are in the rows. They lie inside the width.
imgc_status imgc_jpeg_reader_narrow(imgc_jpeg_reader *_Nonnull reader, uint32_t first,
                                    uint32_t count, imgc_error *_Nonnull error);

/// Whether damage was passed over; only a lenient reader goes on after it.
bool imgc_jpeg_reader_is_damaged(const imgc_jpeg_reader *_Nonnull reader);

/// What the library first warned of, terminated; empty for nothing. Lives as long as the reader.
const char *_Nonnull imgc_jpeg_reader_warning(const imgc_jpeg_reader *_Nonnull reader);

/// Decodes the next rows as RGBA8 with alpha 255, or as inks where they were asked for and are
/// there. After the last one the end of the file is read.
///
/// - `rows`   owned by the caller, as wide as the reader; its height is how many are wanted.
/// - `count`  owned by the caller: how many were written. Fewer than wanted only at the end.
imgc_status imgc_jpeg_reader_read(imgc_jpeg_reader *_Nonnull reader, imgc_pixels rows,
                                  uint32_t *_Nonnull count, imgc_error *_Nonnull error);

/// Gives everything back; NULL is left alone.
void imgc_jpeg_reader_close(imgc_jpeg_reader *_Nullable reader);

// MARK: reading while the file comes

/// A JPEG whose bytes come in pieces. Each byte is decoded once, and forgotten. One thread at a
/// time.
typedef struct imgc_jpeg_stream imgc_jpeg_stream;

/// What a stream has come to.
typedef struct imgc_jpeg_progress {
    uint32_t width, height; ///< Scaled, before any orientation; 0 until the header is there.
    uint32_t orientation;   ///< EXIF, 1 through 8.
    uint32_t scans;         ///< That are whole.
    bool has_scans;         ///< The file has more than one: there is something to preview.
    bool ended;             ///< The end of the image was reached.
} imgc_jpeg_progress;

/// A stream without bytes; NULL without memory. Limits are copied. Freed with
/// imgc_jpeg_stream_free.
imgc_jpeg_stream *_Nullable imgc_jpeg_stream_make(const imgc_limits *_Nonnull limits,
                                                  uint32_t eighths);

/// Takes more bytes and decodes what can be decoded. After a failure the stream only can be freed.
imgc_status imgc_jpeg_stream_feed(imgc_jpeg_stream *_Nonnull stream, const uint8_t *_Nonnull bytes,
                                  size_t count, imgc_jpeg_progress *_Nonnull progress,
                                  imgc_error *_Nonnull error);

/// Shows what has come so far, at least one whole scan. `pixels` is as large as the progress says.
imgc_status imgc_jpeg_stream_show(imgc_jpeg_stream *_Nonnull stream, imgc_pixels pixels,
                                  imgc_error *_Nonnull error);

/// Gives the stream back; NULL is left alone.
void imgc_jpeg_stream_free(imgc_jpeg_stream *_Nullable stream);

// MARK: writing

/// How a JPEG is written.
typedef struct imgc_jpeg_options {
    int quality;      ///< 1 through 100, the library's scale.
    bool full_chroma; ///< 4:4:4 instead of 4:2:0.
    bool progressive; ///< Scans that refine one another instead of one baseline scan.
    bool gray;        ///< One component.
    const uint8_t *_Nullable icc; ///< A profile to embed, or NULL.
    size_t icc_size;
} imgc_jpeg_options;

/// Writes `image` as a JPEG; alpha is ignored.
///
/// - `out`    emptied by the caller; on success holds the file, to be freed by the caller.
/// - `error`  owned by the caller: always set; its status equals the result.
imgc_status imgc_jpeg_encode(imgc_image image, const imgc_jpeg_options *_Nonnull options,
                             imgc_buffer *_Nonnull out, imgc_error *_Nonnull error);

#endif
