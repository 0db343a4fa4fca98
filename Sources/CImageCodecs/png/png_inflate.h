// Inflating of a whole zlib stream into memory, as strictly as zlib does.
#ifndef IMGC_PNG_INFLATE_H
#define IMGC_PNG_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /// Bytes that must be readable behind the input; their values mean nothing.
    IMGC_INFLATE_INPUT_SLACK = 20,
    /// Bytes that must be writable behind the output; what is left there means nothing.
    IMGC_INFLATE_OUTPUT_SLACK = 320,
};

/// Inflates a DEFLATE stream (RFC 1951) that is exactly `in_count` bytes long into exactly
/// `out_count` bytes.
///
/// False for every stream that zlib would not inflate to these bytes, for one that is longer or
/// shorter, for one cut into blocks so small that tables cost more than they save, and after
/// `cpu_deadline` (see imgc_cpu_now). The output then means nothing.
bool imgc_inflate(const uint8_t *in, size_t in_count, uint8_t *out, size_t out_count,
                  uint64_t cpu_deadline);

#endif
