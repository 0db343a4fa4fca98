// Which source samples make a target sample along one axis, and with what weights.
#ifndef IMGK_RESAMPLE_AXIS_H
#define IMGK_RESAMPLE_AXIS_H

#include "imgk_resample.h"

enum { IMGK_WEIGHT_BITS = 14 };

/// Weights are fixed point and add up to one exactly for each target sample.
typedef struct imgk_axis {
    uint32_t count;   ///< Target samples.
    uint32_t taps;    ///< Weights a target sample, padded with zeros to a multiple of four.
    uint32_t origin;  ///< The first source sample of all.
    uint32_t length;  ///< Source samples from there to behind the last.
    uint32_t *first;  ///< The first source sample of each target sample, from `origin`.
    uint32_t *used;   ///< How many source samples it takes, at most `taps`.
    int16_t *weights; ///< `taps` for each target sample.
} imgk_axis;

/// The axis for these values, or NULL without memory. Source samples outside 0 ..< `source` do not
/// exist: what remains of the weights is scaled up to one.
///
/// Recent axes are cached, and shared by all threads: images often come in one size.
/// Released with imgk_axis_release.
const imgk_axis *imgk_axis_get(uint32_t source, double start, double length, uint32_t target,
                               imgk_filter filter);

/// Releases an axis; NULL is ignored.
void imgk_axis_release(const imgk_axis *axis);

#endif
