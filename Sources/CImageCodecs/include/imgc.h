#ifndef IMGC_H
#define IMGC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Gives a case its Swift name, since the importer keeps the C prefix otherwise.
#define IMGC_CASE(name) __attribute__((swift_name(name)))

/// What a call came to. Closed: a new status stops the Swift build until CodecBridge names it.
typedef enum __attribute__((enum_extensibility(closed))) imgc_status : uint32_t {
    /// Done.
    IMGC_STATUS_OK IMGC_CASE("ok"),
    /// The caller's own mistake, such as a buffer that is too small.
    IMGC_STATUS_ARGUMENT IMGC_CASE("argument"),
    /// The machine had no memory, or the budget for it is spent.
    IMGC_STATUS_MEMORY IMGC_CASE("memory"),
    /// The input asks for more than the limits allow.
    IMGC_STATUS_LIMIT IMGC_CASE("limit"),
    /// The data ends before the image does; what came so far is valid.
    IMGC_STATUS_TRUNCATED IMGC_CASE("truncated"),
    /// The data breaks its format's rules.
    IMGC_STATUS_CORRUPT IMGC_CASE("corrupt"),
    /// Valid, but of a kind that the library cannot read.
    IMGC_STATUS_UNSUPPORTED IMGC_CASE("unsupported"),
    /// A file could not be written.
    IMGC_STATUS_WRITE IMGC_CASE("write"),
} imgc_status;

/// Why a call failed: a status for programs, where in the input, a sentence for people.
typedef struct imgc_error {
    imgc_status status;
    /// Bytes of input before the fault, as near as the library knows; 0 where it does not.
    uint64_t offset;
    /// One line, always terminated; empty when the status is OK.
    char message[160];
} imgc_error;

/// What an input may cost. Compared before anything is allocated for pixels; never NULL.
typedef struct imgc_limits {
    uint64_t max_pixels;           ///< Of one image or canvas.
    uint64_t max_animation_pixels; ///< Canvas times frames.
    uint64_t max_memory;           ///< Bytes that a library may allocate for one image.
    uint64_t max_cpu_nanoseconds;  ///< Processor time of the calling thread.
    uint64_t max_chunk_bytes;      ///< Of one ancillary chunk or marker.
    uint32_t max_side;             ///< Pixels a side.
    uint32_t max_frames;           ///< Of one animation.
    uint32_t max_scans;            ///< Of one progressive JPEG.
} imgc_limits;

/// Pixels that the caller owns: RGBA8, straight alpha, rows top-down.
typedef struct imgc_pixels {
    uint8_t *_Nonnull bytes;
    size_t byte_count;
    size_t bytes_per_row;
    uint32_t width;
    uint32_t height;
} imgc_pixels;

/// Pixels that the caller owns and the callee only reads.
typedef struct imgc_image {
    const uint8_t *_Nonnull bytes;
    size_t byte_count;
    size_t bytes_per_row;
    uint32_t width;
    uint32_t height;
} imgc_image;

/// Bytes that a call allocated for the caller; released by imgc_buffer_free.
typedef struct imgc_buffer {
    uint8_t *_Nullable bytes;
    size_t count;
    size_t capacity;
} imgc_buffer;

/// Gives back what a call put into `buffer`, and empties it. An empty buffer is left alone.
void imgc_buffer_free(imgc_buffer *_Nonnull buffer);

/// The processor time that the calling thread has used, in nanoseconds; 0 where it is unknown.
uint64_t imgc_cpu_now(void);

#endif
