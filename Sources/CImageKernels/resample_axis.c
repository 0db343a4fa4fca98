// Source: Turkowski, "Filters for Common Resampling Tasks", Graphics Gems I, 1990; weights are taken
// at pixel centres and the filter is widened by the factor of reduction.
#include "resample_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double sinc(double x) {
    if (x == 0) return 1;
    x *= 3.14159265358979323846;
    return sin(x) / x;
}

static double lanczos3(double x) { return fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0; }

/// The share of source sample `i` in the span between `low` and `high`.
static double overlap(double i, double low, double high) {
    double share = fmin(i + 1, high) - fmax(i, low);
    return share > 0 ? share : 0;
}

/// Rounds weights so that they add up to one exactly: the rest goes to the largest.
static void quantize(const double *exact, double sum, uint32_t count, int16_t *weights) {
    const double one = 1 << IMGK_WEIGHT_BITS;
    int32_t total = 0;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = (int16_t)lrint(exact[i] / sum * one);
        total += weights[i];
        if (weights[i] > weights[largest]) largest = i;
    }
    weights[largest] = (int16_t)(weights[largest] + (1 << IMGK_WEIGHT_BITS) - total);
}

bool imgk_axis_make(imgk_axis *axis, uint32_t source, double start, double length, uint32_t target,
                    imgk_filter filter) {
    double scale = length / target;             // source samples a target sample
    double stretch = scale > 1 ? scale : 1;     // when enlarging, the filter keeps its size
    double support = filter == IMGK_FILTER_AREA ? stretch / 2 + 1 : 3 * stretch;
    uint32_t room = (uint32_t)ceil(2 * support) + 2;
    uint32_t taps = (room + 3) / 4 * 4;
    *axis = (imgk_axis){.count = target, .taps = taps};
    axis->first = calloc(target, sizeof *axis->first);
    axis->used = calloc(target, sizeof *axis->used);
    axis->weights = calloc((size_t)target * taps, sizeof *axis->weights);
    double *exact = malloc(taps * sizeof *exact);
    if (!axis->first || !axis->used || !axis->weights || !exact) {
        free(exact);
        imgk_axis_free(axis);
        return false;
    }
    for (uint32_t to = 0; to < target; to++) {
        double center = start + (to + 0.5) * scale;
        int64_t low = (int64_t)floor(center - support), high = (int64_t)ceil(center + support);
        if (low < 0) low = 0;
        if (high > source) high = source;
        if (high - low > taps) high = low + taps;
        double sum = 0;
        int64_t first = -1, last = -1;
        for (int64_t i = low; i < high; i++) {
            double weight = filter == IMGK_FILTER_AREA
                                ? overlap((double)i, center - stretch / 2, center + stretch / 2)
                                : lanczos3(((double)i + 0.5 - center) / stretch);
            if (weight == 0 && first < 0) continue;
            if (first < 0) first = i;
            if (weight != 0) last = i;
            exact[i - first] = weight;
            sum += weight;
        }
        if (first < 0 || !(sum > 0)) { // nothing in reach: take the nearest sample
            int64_t nearest = (int64_t)fmin(fmax(floor(center), 0), (double)source - 1);
            first = last = nearest;
            exact[0] = sum = 1;
        }
        axis->first[to] = (uint32_t)first;
        axis->used[to] = (uint32_t)(last - first + 1);
        quantize(exact, sum, axis->used[to], axis->weights + (size_t)to * taps);
    }
    free(exact);
    return true;
}

void imgk_axis_free(imgk_axis *axis) {
    free(axis->first);
    free(axis->used);
    free(axis->weights);
    *axis = (imgk_axis){0};
}
