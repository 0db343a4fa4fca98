// Rows in, rows out: a ring of source rows is weighed downwards, then the result across.
#include "imgk_resample.h"

#include "resample_axis.h"
#include "resample_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Above this reduction whole blocks of pixels are averaged first; what is left for the filter is
/// at least half of it. Weights of 14 bits would be too coarse for hundreds of taps.
enum { LARGEST_REDUCTION = 16 };

/// The rows of bytes whose sum fits into 16 bits.
enum { ROWS_PER_SUM = 257 };

typedef uint16_t half_lanes __attribute__((vector_size(8)));
typedef uint32_t lanes __attribute__((vector_size(16)));

struct imgk_resampler {
    imgk_resample_plan plan; // after the averaging of blocks
    const imgk_kernels *kernels;
    const imgk_axis *down, *across;
    uint32_t block;                   // sides of the blocks that are averaged, 1 for none
    uint32_t full_width, full_height; // of the source as it is fed
    uint32_t next_source;             // rows fed so far
    uint32_t next_row;                // rows after averaging
    uint32_t next_target;
    size_t ring_stride;               // samples a ring row
    uint32_t ring_rows;
    int16_t *ring;                    // rows multiplied by their alpha
    uint8_t *bytes;                   // in its place, of an opaque source
    int16_t *merged;                  // one row, weighed downwards
    uint16_t *column_sums;            // four sums for each column, of at most ROWS_PER_SUM rows
    uint32_t *block_sums;             // four sums for each block, of the rows before those
    uint8_t *block_row;
    const int16_t **taps;
    const uint8_t **byte_taps;
};

static bool is_sound(const imgk_resample_plan *plan) {
    return plan->source_width > 0 && plan->source_height > 0 && plan->target_width > 0 &&
           plan->target_height > 0 && plan->source_width < (1u << 24) &&
           plan->source_height < (1u << 24) && plan->target_width < (1u << 24) &&
           plan->target_height < (1u << 24) && isfinite(plan->left) && isfinite(plan->top) &&
           plan->width > 0 && plan->height > 0 && plan->left >= 0 && plan->top >= 0 &&
           plan->left + plan->width <= plan->source_width + 1e-6 &&
           plan->top + plan->height <= plan->source_height + 1e-6;
}

static uint32_t blocks_in(uint32_t length, uint32_t block) { return (length + block - 1) / block; }

/// Averages blocks when the reduction is large; the plan then speaks of blocks.
static void plan_blocks(imgk_resampler *resampler) {
    imgk_resample_plan *plan = &resampler->plan;
    double reduction = fmin(plan->width / plan->target_width, plan->height / plan->target_height);
    resampler->full_width = plan->source_width;
    resampler->full_height = plan->source_height;
    resampler->block = 1;
    if (reduction < LARGEST_REDUCTION) return;
    uint32_t block = (uint32_t)(reduction / (LARGEST_REDUCTION / 2));
    if (block > 2048) block = 2048; // sums of 2048² bytes fit 32 bits
    resampler->block = block;
    plan->source_width = blocks_in(plan->source_width, block);
    plan->source_height = blocks_in(plan->source_height, block);
    plan->left /= block;
    plan->top /= block;
    plan->width = fmin(plan->width / block, plan->source_width - plan->left);
    plan->height = fmin(plan->height / block, plan->source_height - plan->top);
}

imgk_resampler *imgk_resampler_make(const imgk_resample_plan *plan) {
    if (!is_sound(plan)) return NULL;
    imgk_resampler *resampler = calloc(1, sizeof *resampler);
    if (!resampler) return NULL;
    resampler->plan = *plan;
    plan_blocks(resampler);
    const imgk_resample_plan *inner = &resampler->plan;
    resampler->kernels = &imgk_kernels_portable;
#if defined(__x86_64__)
    if (!plan->portable && __builtin_cpu_supports("avx2")) resampler->kernels = imgk_kernels_avx2();
#endif
    const imgk_axis *down = resampler->down = imgk_axis_get(
        inner->source_height, inner->top, inner->height, inner->target_height, inner->filter);
    const imgk_axis *across = resampler->across = imgk_axis_get(
        inner->source_width, inner->left, inner->width, inner->target_width, inner->filter);
    if (!down || !across) {
        imgk_resampler_free(resampler);
        return NULL;
    }
    // Taps are padded to four pixels: the rows have room behind them, and it stays zero.
    size_t stride = ((size_t)across->length + across->taps) * 4;
    resampler->ring_stride = (stride + 31) / 32 * 32;
    resampler->ring_rows = down->taps;
    size_t samples = resampler->ring_stride * resampler->ring_rows;
    bool has_alpha = inner->has_alpha;
    resampler->ring = has_alpha ? calloc(samples, sizeof(int16_t)) : NULL;
    resampler->bytes = has_alpha ? NULL : calloc(samples, 1);
    resampler->merged = calloc(resampler->ring_stride, sizeof(int16_t));
    resampler->taps = calloc(down->taps, sizeof *resampler->taps);
    resampler->byte_taps = calloc(down->taps, sizeof *resampler->byte_taps);
    bool good = (resampler->ring || resampler->bytes) && resampler->merged && resampler->taps &&
                resampler->byte_taps;
    if (good && resampler->block > 1) {
        resampler->column_sums = calloc((size_t)resampler->full_width * 4, sizeof(uint16_t));
        resampler->block_sums = calloc((size_t)inner->source_width * 4, sizeof(uint32_t));
        resampler->block_row = calloc((size_t)inner->source_width, 4);
        good = resampler->column_sums && resampler->block_sums && resampler->block_row;
    }
    if (good) return resampler;
    imgk_resampler_free(resampler);
    return NULL;
}

void imgk_resampler_free(imgk_resampler *resampler) {
    if (!resampler) return;
    imgk_axis_release(resampler->down);
    imgk_axis_release(resampler->across);
    free(resampler->ring);
    free(resampler->bytes);
    free(resampler->merged);
    free(resampler->taps);
    free(resampler->byte_taps);
    free(resampler->column_sums);
    free(resampler->block_sums);
    free(resampler->block_row);
    free(resampler);
}

void imgk_resampler_columns(const imgk_resampler *resampler, uint32_t *first, uint32_t *count) {
    *first = resampler->across->origin;
    *count = resampler->across->length;
}

bool imgk_resampler_is_done(const imgk_resampler *resampler) {
    return resampler->next_target == resampler->down->count;
}

/// Multiplies colours by their alpha.
static void multiply(const uint8_t *row, int16_t *out, uint32_t count) {
    for (uint32_t x = 0; x < count; x++, row += 4, out += 4) {
        uint32_t alpha = row[3];
        for (int c = 0; c < 3; c++) out[c] = (int16_t)((row[c] * alpha * 64 + 127) / 255);
        out[3] = (int16_t)(alpha << 6);
    }
}

static void emit_ready(imgk_resampler *resampler, uint8_t *target, size_t target_bytes_per_row) {
    const imgk_axis *down = resampler->down, *across = resampler->across;
    while (resampler->next_target < down->count) {
        uint32_t to = resampler->next_target;
        uint32_t first = down->origin + down->first[to], used = down->used[to];
        if (first + used > resampler->next_row) return;
        uint32_t taps = (used + 1) / 2 * 2; // weights behind `used` are zero
        for (uint32_t tap = 0; tap < taps; tap++) {
            uint32_t row = first + (tap < used ? tap : used - 1);
            size_t start = resampler->ring_stride * (row % resampler->ring_rows);
            if (resampler->ring) resampler->taps[tap] = resampler->ring + start;
            if (resampler->bytes) resampler->byte_taps[tap] = resampler->bytes + start;
        }
        const int16_t *weights = down->weights + (size_t)to * down->taps;
        size_t count = (size_t)across->length * 4;
        if (resampler->bytes) {
            resampler->kernels->down_bytes(resampler->byte_taps, weights, taps, resampler->merged,
                                           count);
        } else {
            resampler->kernels->down(resampler->taps, weights, taps, resampler->merged, count);
        }
        uint8_t *out = target + target_bytes_per_row * to;
        (resampler->plan.has_alpha ? resampler->kernels->across_alpha : resampler->kernels->across)(
            resampler->merged, across->first, across->weights, across->taps, out, across->count);
        resampler->next_target += 1;
    }
}

static void take_row(imgk_resampler *resampler, const uint8_t *row) {
    const imgk_axis *down = resampler->down, *across = resampler->across;
    uint32_t y = resampler->next_row++;
    if (resampler->next_target == down->count) return;
    if (y < down->origin + down->first[resampler->next_target]) return;
    size_t start = resampler->ring_stride * (y % resampler->ring_rows);
    row += (size_t)across->origin * 4;
    if (resampler->bytes) {
        memcpy(resampler->bytes + start, row, (size_t)across->length * 4);
    } else {
        multiply(row, resampler->ring + start, across->length);
    }
}

// MARK: averages of blocks

static void add_row(uint16_t *sums, const uint8_t *row, size_t count) {
    for (size_t i = 0; i < count; i++) sums[i] = (uint16_t)(sums[i] + row[i]);
}

/// The same, with colours multiplied by their alpha.
static void add_row_alpha(uint16_t *sums, const uint8_t *row, size_t width) {
    for (size_t x = 0; x < width; x++, sums += 4, row += 4) {
        uint32_t alpha = row[3];
        for (int c = 0; c < 3; c++) sums[c] = (uint16_t)(sums[c] + (row[c] * alpha + 127) / 255);
        sums[3] = (uint16_t)(sums[3] + alpha);
    }
}

/// The means of blocks of `count` pixels whose samples are independent, rounded.
///
/// A product with the inverse is as exact as a division: half of what separates a quotient from the
/// next whole number is more than the error of a float, for at most 1024 pixels.
static void write_means(const uint32_t *sums, size_t blocks, uint32_t count, uint8_t *out) {
    if (count > 1024) {
        for (size_t i = 0; i < blocks * 4; i++) out[i] = (uint8_t)((sums[i] + count / 2) / count);
    } else {
        float inverse = 1.0f / (float)count, half = (float)(count / 2) + 0.5f;
        for (size_t i = 0; i < blocks * 4; i++) {
            out[i] = (uint8_t)(int32_t)(((float)(int32_t)sums[i] + half) * inverse);
        }
    }
}

/// The same for colours that were multiplied by their alpha; straight again, so that the row is
/// like any other.
static void write_means_alpha(const uint32_t *sums, size_t blocks, uint32_t count, uint8_t *out) {
    for (size_t i = 0; i < blocks; i++, sums += 4, out += 4) {
        for (int c = 0; c < 3; c++) {
            uint32_t value =
                sums[3] > 0 ? (uint32_t)(((uint64_t)sums[c] * 255 + sums[3] / 2) / sums[3])
                            : (sums[c] + count / 2) / count;
            out[c] = (uint8_t)(value > 255 ? 255 : value);
        }
        out[3] = (uint8_t)((sums[3] + count / 2) / count);
    }
}

static inline lanes lanes_of(const uint16_t *pixel) {
    half_lanes narrow;
    memcpy(&narrow, pixel, sizeof narrow);
    return __builtin_convertvector(narrow, lanes);
}

/// Adds the sums of columns to those of blocks.
static void add_columns(imgk_resampler *resampler) {
    uint32_t width = resampler->full_width, columns = resampler->block;
    const uint16_t *column = resampler->column_sums;
    uint32_t *sums = resampler->block_sums;
    for (uint32_t x = 0; x < width; x += columns, sums += 4) {
        if (width - x < columns) columns = width - x;
        lanes sum;
        memcpy(&sum, sums, sizeof sum);
        uint32_t i = 0;
        for (; i + 2 <= columns; i += 2, column += 8) {
            sum += lanes_of(column) + lanes_of(column + 4);
        }
        if (i < columns) {
            sum += lanes_of(column);
            column += 4;
        }
        memcpy(sums, &sum, sizeof sum);
    }
    memset(resampler->column_sums, 0, (size_t)width * 4 * sizeof *column);
}

/// Writes the means of a complete row of blocks, which has so many rows of pixels.
static void write_block_row(imgk_resampler *resampler, uint32_t rows) {
    uint32_t block = resampler->block, blocks = resampler->plan.source_width;
    size_t whole = resampler->full_width / block;
    uint32_t rest = resampler->full_width % block; // columns of the last block, where it is cut
    uint32_t *sums = resampler->block_sums;
    uint8_t *out = resampler->block_row;
    void (*write)(const uint32_t *, size_t, uint32_t, uint8_t *) =
        resampler->plan.has_alpha ? write_means_alpha : write_means;
    write(sums, whole, block * rows, out);
    if (rest > 0) write(sums + 4 * whole, 1, rest * rows, out + 4 * whole);
    memset(sums, 0, (size_t)blocks * 4 * sizeof *sums);
}

/// Adds a row to its row of blocks; true when that is complete and lies in `block_row`.
static bool average_row(imgk_resampler *resampler, const uint8_t *row) {
    size_t width = resampler->full_width;
    if (resampler->plan.has_alpha) {
        add_row_alpha(resampler->column_sums, row, width);
    } else {
        add_row(resampler->column_sums, row, width * 4);
    }
    uint32_t y = resampler->next_source, rows = y % resampler->block + 1;
    bool is_complete = rows == resampler->block || y + 1 == resampler->full_height;
    if (is_complete || rows % ROWS_PER_SUM == 0) add_columns(resampler);
    if (is_complete) write_block_row(resampler, rows);
    return is_complete;
}

/// Writes a row of blocks of two by two opaque pixels at once, where both rows are there; false if
/// the rows have to come one by one.
static bool halve_rows(imgk_resampler *resampler, const uint8_t *rows, size_t bytes_per_row,
                       uint32_t count) {
    if (resampler->block != 2 || resampler->plan.has_alpha || count < 2 ||
        resampler->next_source % 2 != 0 || resampler->full_height - resampler->next_source < 2) {
        return false;
    }
    size_t width = resampler->full_width, blocks = width / 2;
    uint8_t *out = resampler->block_row;
    const uint8_t *below = rows + bytes_per_row;
    resampler->kernels->halve(rows, below, out, blocks);
    for (size_t at = 8 * blocks; at < 4 * width; at++) {
        out[at - 4 * blocks] = (uint8_t)((rows[at] + below[at] + 1) / 2); // half a block
    }
    return true;
}

void imgk_resampler_feed(imgk_resampler *resampler, const uint8_t *rows, size_t bytes_per_row,
                         uint32_t count, uint8_t *target, size_t target_bytes_per_row) {
    uint32_t left = resampler->full_height - resampler->next_source;
    if (count > left) count = left;
    for (uint32_t i = 0, taken = 1; i < count; i += taken) {
        const uint8_t *row = rows + bytes_per_row * i;
        taken = halve_rows(resampler, row, bytes_per_row, count - i) ? 2 : 1;
        bool is_ready = resampler->block == 1 || taken == 2 || average_row(resampler, row);
        resampler->next_source += taken;
        if (!is_ready) continue;
        take_row(resampler, resampler->block == 1 ? row : resampler->block_row);
        emit_ready(resampler, target, target_bytes_per_row);
    }
}
