#include "png_compare.h"

#include "imgc_png.h"
#include "random_bits.h"

#include <stdlib.h>
#include <string.h>

/// The result of one way.
struct decoded {
    imgc_error error;
    uint32_t width, height, count;
    bool is_fast;
    uint8_t *pixels; // to be freed
};

static struct decoded decode(imgc_png_reader *reader, imgc_error error, uint64_t *seed) {
    struct decoded result = {.error = error};
    if (!reader) return result;
    result.is_fast = imgc_png_reader_is_fast(reader);
    result.width = imgc_png_reader_width(reader);
    result.height = imgc_png_reader_height(reader);
    imgc_pixels rows = {.width = result.width, .bytes_per_row = (size_t)result.width * 4};
    result.pixels = calloc(result.height, rows.bytes_per_row);
    while (result.count < result.height && result.error.status == IMGC_STATUS_OK) {
        uint32_t count, left = result.height - result.count;
        rows.height = left;
        if (seed && !imgc_png_reader_is_interlaced(reader)) {
            rows.height = 1 + random_below(seed, left);
        }
        rows.bytes = result.pixels + rows.bytes_per_row * result.count;
        rows.byte_count = rows.bytes_per_row * rows.height;
        imgc_png_reader_read(reader, rows, &count, &result.error);
        result.count += count;
    }
    imgc_png_reader_close(reader);
    return result;
}

static bool is_same(const imgc_error *a, const imgc_error *b) {
    return a->status == b->status && a->offset == b->offset && strcmp(a->message, b->message) == 0;
}

static const char *difference(const struct decoded *fast, const struct decoded *slow) {
    if (!is_same(&fast->error, &slow->error)) return "status of decoding";
    if (fast->width != slow->width || fast->height != slow->height) return "size";
    if (fast->count != slow->count) return "rows";
    size_t bytes = (size_t)slow->width * 4 * slow->count;
    if (bytes > 0 && memcmp(fast->pixels, slow->pixels, bytes) != 0) return "pixels";
    return NULL;
}

struct png_comparison png_compare(const uint8_t *png, size_t size, const imgc_limits *limits,
                                  uint64_t seed) {
    imgc_error error;
    imgc_png_reader *reader = imgc_png_reader_open(png, size, limits, &error);
    struct decoded fast = decode(reader, error, &seed);
    reader = imgc_png_reader_open_libpng(png, size, limits, &error);
    struct decoded slow = decode(reader, error, NULL);
    struct png_comparison result = {.status = slow.error.status, .is_fast = fast.is_fast};
    // The time taken is not compared.
    bool is_late = fast.error.status == IMGC_STATUS_LIMIT && fast.width > 0;
    if (!is_late) result.difference = difference(&fast, &slow);
    free(fast.pixels);
    free(slow.pixels);

    imgc_error fast_check, slow_check;
    imgc_png_check(png, size, limits, &fast_check);
    imgc_png_check_libpng(png, size, limits, &slow_check);
    if (!result.difference && !is_same(&fast_check, &slow_check)) {
        result.difference = "status of checking";
    }
    return result;
}
