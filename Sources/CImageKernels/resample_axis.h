// Which source samples make a target sample along one axis, and with what weights.
#ifndef IMGK_RESAMPLE_AXIS_H
#define IMGK_RESAMPLE_AXIS_H

#include "imgk_resample.h"

enum { IMGK_WEIGHT_BITS = 14 };

/// Weights are fixed point and add up to one exactly for each target sample.
typedef struct imgk_axis {
    uint32_t count;   ///< Target samples.
    uint32_t taps;    ///< Weights a target sample, padded with zeros to a multiple of four.
    uint32_t *first;  ///< The first source sample of each target sample.
    uint32_t *used;   ///< How many source samples it takes, at most `taps`.
    int16_t *weights; ///< `taps` for each target sample.
} imgk_axis;

/// Fills `axis`; false without memory. Source samples outside 0 ..< `source` do not exist: what
/// remains of the weights is scaled up to one.
bool imgk_axis_make(imgk_axis *axis, uint32_t source, double start, double length, uint32_t target,
                    imgk_filter filter);

/// Gives back what `axis` holds.
void imgk_axis_free(imgk_axis *axis);

#endif
