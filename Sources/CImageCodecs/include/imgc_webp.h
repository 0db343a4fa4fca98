#ifndef IMGC_WEBP_H
#define IMGC_WEBP_H

#include "imgc.h"
#include "imgc_scan.h"

// MARK: container

/// One frame of an animation. Source: RFC 9649, 2.7.1.1.
typedef struct imgc_webp_frame {
    uint32_t left, top, width, height; ///< Inside the canvas.
    uint32_t milliseconds;             ///< How long it is shown.
    bool clears;    ///< Its area becomes transparent before the next frame.
    bool blends;    ///< It is blended with what is below; else it replaces it.
    bool has_alpha; ///< Some of its pixels may not be opaque.
    bool lossless;
    uint64_t data;  ///< Offset of its chunks.
    uint64_t size;  ///< Bytes of its chunks.
} imgc_webp_frame;

/// What the chunks of a file say.
typedef struct imgc_webp_summary {
    imgc_info info;
    imgc_webp_frame still; ///< The one image of a file without animation.
    uint32_t frames;     ///< Of an animation, those that are whole.
    uint32_t loop_count; ///< 0 is for ever.
    uint64_t icc;        ///< Offset of the profile, whose size is in `info`.
    imgc_error fault;    ///< Why the chunks end too early; a status of OK for a whole file.
} imgc_webp_summary;

/// The frames of a file; immutable.
typedef struct imgc_webp_table imgc_webp_table;

/// Walks the chunks and the headers of all frames; NULL on failure, and `error` says why. A file
/// that ends after the header of a still, or after a frame, is not a failure: see `fault`.
/// Freed with imgc_webp_table_free.
imgc_webp_table *_Nullable imgc_webp_table_make(const uint8_t *_Nonnull webp, size_t size,
                                                const imgc_limits *_Nonnull limits,
                                                imgc_error *_Nonnull error);

/// Gives the table back; NULL is left alone.
void imgc_webp_table_free(imgc_webp_table *_Nullable table);

const imgc_webp_summary *_Nonnull imgc_webp_table_summary(const imgc_webp_table *_Nonnull table);

/// A frame's entry; `index` is below the number of frames.
const imgc_webp_frame *_Nonnull imgc_webp_table_entry(const imgc_webp_table *_Nonnull table,
                                                      uint32_t index);

// MARK: reading

/// Decodes one frame onto a canvas, or nowhere where `canvas` is NULL.
///
/// - `webp`    the whole file.
/// - `canvas`  owned by the caller; as large as the summary says. Left half drawn on failure.
imgc_status imgc_webp_draw(const uint8_t *_Nonnull webp, size_t size,
                           const imgc_webp_frame *_Nonnull frame,
                           const imgc_pixels *_Nullable canvas, const imgc_limits *_Nonnull limits,
                           imgc_error *_Nonnull error);

/// A still that is being decoded. One thread at a time; the bytes it reads from stay with the
/// caller and outlive it.
typedef struct imgc_webp_reader imgc_webp_reader;

/// Begins to decode a still; NULL on failure, and `error` says why. Limits are compared with the
/// header before anything is allocated for pixels. Ended by imgc_webp_reader_close.
///
/// - `half`     decode at half the size, rounded up; only of a lossy image without alpha.
/// - `lenient`  of a truncated file give the rows that are there.
imgc_webp_reader *_Nullable imgc_webp_reader_open(const uint8_t *_Nonnull webp, size_t size,
                                                  const imgc_limits *_Nonnull limits, bool half,
                                                  bool lenient, imgc_error *_Nonnull error);

/// The size of the rows.
uint32_t imgc_webp_reader_width(const imgc_webp_reader *_Nonnull reader);
uint32_t imgc_webp_reader_height(const imgc_webp_reader *_Nonnull reader);

/// Decodes the next rows as RGBA8, straight alpha; at full size all rows must be read in one call.
///
/// - `rows`   owned by the caller, as wide as the reader; its height is how many are wanted.
/// - `count`  owned by the caller: how many were written, on failure too.
imgc_status imgc_webp_reader_read(imgc_webp_reader *_Nonnull reader, imgc_pixels rows,
                                  uint32_t *_Nonnull count, imgc_error *_Nonnull error);

/// Gives everything back; NULL is left alone.
void imgc_webp_reader_close(imgc_webp_reader *_Nullable reader);

// MARK: reading while the file comes

/// A still whose bytes come in pieces. One thread at a time.
typedef struct imgc_webp_stream imgc_webp_stream;

/// What a stream has come to.
typedef struct imgc_webp_progress {
    uint32_t width, height; ///< 0 until the header is there.
    uint32_t rows;          ///< Decoded so far.
    bool ended;             ///< The image is whole, or of a kind that has no previews.
} imgc_webp_progress;

/// A stream without bytes; NULL without memory. Limits are copied. Freed with
/// imgc_webp_stream_free.
imgc_webp_stream *_Nullable imgc_webp_stream_make(const imgc_limits *_Nonnull limits);

/// Takes more bytes and decodes what can be decoded. After a failure the stream only can be freed.
imgc_status imgc_webp_stream_feed(imgc_webp_stream *_Nonnull stream, const uint8_t *_Nonnull bytes,
                                  size_t count, imgc_webp_progress *_Nonnull progress,
                                  imgc_error *_Nonnull error);

/// Copies the rows that have come to `pixels`, which is as large as the progress says; the others
/// are left alone.
imgc_status imgc_webp_stream_show(imgc_webp_stream *_Nonnull stream, imgc_pixels pixels,
                                  imgc_error *_Nonnull error);

/// Gives the stream back; NULL is left alone.
void imgc_webp_stream_free(imgc_webp_stream *_Nullable stream);

// MARK: writing

/// How a WebP is written.
typedef struct imgc_webp_options {
    float quality;       ///< 0 through 100.
    int method;          ///< 0 through 6, the effort.
    bool lossless;       ///< Keep every pixel; colours below alpha 0 as well.
    uint32_t loop_count; ///< Of an animation; 0 is for ever, more than 65,535 as many as that.
    uint64_t max_cpu_nanoseconds; ///< Of the calling thread for one image; 0 is any.
    const uint8_t *_Nullable icc; ///< A profile to embed, or NULL; it outlives the writer.
    size_t icc_size;
} imgc_webp_options;

/// Writes a still of at most 16,383 pixels a side.
///
/// - `out`    emptied by the caller; on success holds the file, to be freed by the caller.
imgc_status imgc_webp_encode(imgc_image image, const imgc_webp_options *_Nonnull options,
                             imgc_buffer *_Nonnull out, imgc_error *_Nonnull error);

/// An animation that is being written.
typedef struct imgc_webp_writer imgc_webp_writer;

/// Begins to write; NULL on failure, and `error` says why. Ended by imgc_webp_writer_close.
imgc_webp_writer *_Nullable imgc_webp_writer_open(uint32_t width, uint32_t height,
                                                  const imgc_webp_options *_Nonnull options,
                                                  imgc_error *_Nonnull error);

/// Adds a frame as large as the canvas that is shown for `milliseconds`; the format holds less than
/// 2^24 of them a frame, and 2^31 in all.
imgc_status imgc_webp_writer_add(imgc_webp_writer *_Nonnull writer, imgc_image image,
                                 uint32_t milliseconds, imgc_error *_Nonnull error);

/// Ends the file.
imgc_status imgc_webp_writer_finish(imgc_webp_writer *_Nonnull writer, imgc_buffer *_Nonnull out,
                                    imgc_error *_Nonnull error);

/// Gives everything back; NULL is left alone.
void imgc_webp_writer_close(imgc_webp_writer *_Nullable writer);

#endif
