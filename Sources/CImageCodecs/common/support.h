// Helpers of this target's .c files; not part of its interface.
#ifndef IMGC_SUPPORT_H
#define IMGC_SUPPORT_H

#include "imgc.h"

/// Fills `error`, the first fault only: what follows a fault is its echo.
__attribute__((format(printf, 4, 5))) imgc_status imgc_fail(imgc_error *error, imgc_status status,
                                                            uint64_t offset, const char *format,
                                                            ...);

/// Adds bytes at the end of `buffer`; false when there is no memory.
bool imgc_buffer_append(imgc_buffer *buffer, const void *bytes, size_t count);

/// Makes room for `extra` bytes more than are in `buffer`; false when there is no memory.
bool imgc_buffer_reserve(imgc_buffer *buffer, size_t extra);

/// Whether `image` has pixels and its rows lie inside its bytes.
bool imgc_image_is_sound(const imgc_image *image);

/// Whether every pixel has an alpha of 255.
bool imgc_image_is_opaque(const imgc_image *image);

/// The imgc_cpu_now() at which work that begins now has taken so many nanoseconds; UINT64_MAX for
/// never.
uint64_t imgc_cpu_deadline(uint64_t nanoseconds);

/// Compares a size with the limits; on refusal fills `error`. A side of 0 is corrupt.
bool imgc_size_allowed(uint64_t width, uint64_t height, const imgc_limits *limits,
                       imgc_error *error);

#endif
