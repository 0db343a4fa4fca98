// The limits of all targets: small, so that a run spends its time on bytes and not on pixels.
#ifndef FUZZ_LIMITS_H
#define FUZZ_LIMITS_H

#include "imgc.h"

static const imgc_limits fuzz_limits = {
    .max_pixels = 1 << 18,
    .max_animation_pixels = 1 << 20,
    .max_memory = 64 << 20,
    .max_cpu_nanoseconds = 1000000000,
    .max_chunk_bytes = 1 << 20,
    .max_side = 4096,
    .max_frames = 64,
    .max_scans = 20,
};

#endif
