// Source: Turkowski, "Filters for Common Resampling Tasks", Graphics Gems I, 1990; weights are
// taken at pixel centres and the filter is widened by the factor of reduction.
#include "resample_axis.h"

#include <math.h>
#include <pthread.h>
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

/// What an axis follows from.
typedef struct values {
    uint32_t source, target;
    double start, length;
    imgk_filter filter;
} values;

typedef struct shared_axis {
    imgk_axis axis; // the first member: its address is the whole's
    values values;
    size_t users; // references, that of the cache of recent axes included
} shared_axis;

static void free_axis(shared_axis *shared) {
    free(shared->axis.first);
    free(shared->axis.used);
    free(shared->axis.weights);
    free(shared);
}

/// Makes `first` count from the first sample of all, and takes out taps that are always zero.
static void pack(imgk_axis *axis) {
    uint32_t low = UINT32_MAX, high = 0, most = 0;
    for (uint32_t i = 0; i < axis->count; i++) {
        uint32_t end = axis->first[i] + axis->used[i];
        if (axis->used[i] > most) most = axis->used[i];
        if (axis->first[i] < low) low = axis->first[i];
        if (end > high) high = end;
    }
    uint32_t taps = (most + 3) / 4 * 4;
    for (uint32_t i = 0; i < axis->count; i++) {
        axis->first[i] -= low;
        memmove(axis->weights + (size_t)i * taps, axis->weights + (size_t)i * axis->taps,
                taps * sizeof *axis->weights);
    }
    axis->taps = taps;
    axis->origin = low;
    axis->length = high - low;
}

static shared_axis *make_axis(values values) {
    uint32_t source = values.source, target = values.target;
    double start = values.start, length = values.length;
    imgk_filter filter = values.filter;
    double scale = length / target;             // source samples a target sample
    double stretch = scale > 1 ? scale : 1;     // when enlarging, the filter keeps its size
    double support = filter == IMGK_FILTER_AREA ? stretch / 2 + 1 : 3 * stretch;
    uint32_t room = (uint32_t)ceil(2 * support) + 2;
    uint32_t taps = (room + 3) / 4 * 4;
    shared_axis *shared = calloc(1, sizeof *shared);
    if (!shared) return NULL;
    imgk_axis *axis = &shared->axis;
    *shared = (shared_axis){.axis = {.count = target, .taps = taps}, .values = values, .users = 1};
    axis->first = calloc(target, sizeof *axis->first);
    axis->used = calloc(target, sizeof *axis->used);
    axis->weights = calloc((size_t)target * taps, sizeof *axis->weights);
    double *exact = malloc(taps * sizeof *exact);
    if (!axis->first || !axis->used || !axis->weights || !exact) {
        free(exact);
        free_axis(shared);
        return NULL;
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
    pack(axis);
    return shared;
}

// MARK: the cache of recent axes

/// Axes with more weights than this are not kept.
enum { KEPT_COUNT = 16, KEPT_WEIGHTS = 1 << 15 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static shared_axis *kept[KEPT_COUNT]; // the last that was asked for is the first

static bool are_equal(const values *one, const values *other) {
    return one->source == other->source && one->target == other->target &&
           one->start == other->start && one->length == other->length &&
           one->filter == other->filter;
}

static void move_to_front(uint32_t place, shared_axis *axis) {
    memmove(kept + 1, kept, place * sizeof *kept);
    kept[0] = axis;
}

const imgk_axis *imgk_axis_get(uint32_t source, double start, double length, uint32_t target,
                               imgk_filter filter) {
    values values = {source, target, start, length, filter};
    shared_axis *found = NULL;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < KEPT_COUNT && kept[i] && !found; i++) {
        if (!are_equal(&kept[i]->values, &values)) continue;
        found = kept[i];
        found->users += 1;
        move_to_front(i, found);
    }
    pthread_mutex_unlock(&lock);
    if (found) return &found->axis;
    shared_axis *made = make_axis(values);
    if (!made) return NULL;
    if ((size_t)made->axis.taps * target > KEPT_WEIGHTS) return &made->axis;
    pthread_mutex_lock(&lock);
    shared_axis *last = kept[KEPT_COUNT - 1];
    made->users += 1;
    move_to_front(KEPT_COUNT - 1, made);
    pthread_mutex_unlock(&lock);
    if (last) imgk_axis_release(&last->axis);
    return &made->axis;
}

void imgk_axis_release(const imgk_axis *axis) {
    if (!axis) return;
    shared_axis *shared = (shared_axis *)axis;
    pthread_mutex_lock(&lock);
    bool is_unused = --shared->users == 0;
    pthread_mutex_unlock(&lock);
    if (is_unused) free_axis(shared);
}
