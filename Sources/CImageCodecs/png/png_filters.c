#include "png_filters.h"

#include "png_lanes.h"

#define INLINE static inline __attribute__((always_inline))

/// What makes a pixel of three samples opaque; nothing where there are four.
INLINE uint32_t opaque(int samples) {
    const uint8_t bytes[4] = {0, 0, 0, samples == 3 ? 255 : 0};
    uint32_t four;
    memcpy(&four, bytes, 4);
    return four;
}

INLINE void put(uint8_t *out, uint32_t pixel) { memcpy(out, &pixel, 4); }

INLINE uint32_t get(const uint8_t *at) {
    uint32_t pixel;
    memcpy(&pixel, at, 4);
    return pixel;
}

INLINE void undo_none(int samples, const uint8_t *in, uint8_t *out, size_t width) {
    const uint32_t alpha = opaque(samples);
    for (size_t x = 0; x < width; x++) put(out + 4 * x, get(in + (size_t)samples * x) | alpha);
}

INLINE void undo_sub(int samples, const uint8_t *in, uint8_t *out, size_t width) {
    const uint32_t alpha = opaque(samples);
    imgc_lanes left = imgc_lanes_zero();
    for (size_t x = 0; x < width; x++, in += samples, out += 4) {
        left = imgc_lanes_add8(left, imgc_lanes_load(in));
        put(out, imgc_lanes_bytes(left) | alpha);
    }
}

/// Four sums modulo 256 in one word.
INLINE uint32_t add_bytes(uint32_t a, uint32_t b) {
    return ((a & 0x7f7f7f7f) + (b & 0x7f7f7f7f)) ^ ((a ^ b) & 0x80808080);
}

INLINE void undo_up(int samples, const uint8_t *in, const uint8_t *restrict prior,
                    uint8_t *restrict out, size_t width) {
    const uint32_t alpha = opaque(samples);
    for (size_t x = 0; x < width; x++) {
        uint32_t sum = add_bytes(get(in + (size_t)samples * x), get(prior + 4 * x));
        put(out + 4 * x, sum | alpha);
    }
}

INLINE void undo_average(int samples, const uint8_t *in, const uint8_t *prior, uint8_t *out,
                         size_t width) {
    const uint32_t alpha = opaque(samples);
    imgc_lanes left = imgc_lanes_zero();
    for (size_t x = 0; x < width; x++, in += samples, prior += 4, out += 4) {
        imgc_lanes mean = imgc_lanes_half(imgc_lanes_add(left, imgc_lanes_load(prior)));
        left = imgc_lanes_add8(mean, imgc_lanes_load(in));
        put(out, imgc_lanes_bytes(left) | alpha);
    }
}

/// Adds the predictor of Paeth: of left, above and corner, the nearest to left + above - corner.
///
/// With t = 3 corner - left - above that is the greater of left and above where t is not more than
/// either, the lesser one where neither is more than t, else the corner. The first two both hold
/// only where all three are equal, so that both differences to the corner can be added. From `left`
/// on there are five instructions.
INLINE imgc_lanes add_paeth(imgc_lanes value, imgc_lanes left, imgc_lanes above,
                            imgc_lanes corner) {
    imgc_lanes thrice = imgc_lanes_add(corner, imgc_lanes_add(corner, corner));
    imgc_lanes t = imgc_lanes_sub(imgc_lanes_sub(thrice, above), left);
    imgc_lanes low = imgc_lanes_min(left, above), high = imgc_lanes_max(left, above);
    imgc_lanes to_low = imgc_lanes_unless_more(imgc_lanes_sub8(low, corner), high, t);
    imgc_lanes to_high = imgc_lanes_unless_more(imgc_lanes_sub8(high, corner), t, low);
    return imgc_lanes_add8(imgc_lanes_add8(value, corner), imgc_lanes_add8(to_low, to_high));
}

INLINE void undo_paeth(int samples, const uint8_t *in, const uint8_t *prior, uint8_t *out,
                       size_t width) {
    const uint32_t alpha = opaque(samples);
    imgc_lanes left = imgc_lanes_zero(), corner = left;
    for (size_t x = 0; x < width; x++, in += samples, prior += 4, out += 4) {
        imgc_lanes above = imgc_lanes_load(prior);
        left = add_paeth(imgc_lanes_load(in), left, above, corner);
        corner = above;
        put(out, imgc_lanes_bytes(left) | alpha);
    }
}

/// Two rows at once, the second one a pixel behind the first: each pixel waits for the one to its
/// left, so that two rows take little longer than one.
INLINE void undo_two_paeths(int samples, const uint8_t *in, const uint8_t *in2,
                            const uint8_t *prior, uint8_t *out, uint8_t *out2, size_t width) {
    const uint32_t alpha = opaque(samples);
    imgc_lanes corner = imgc_lanes_load(prior), corner2 = imgc_lanes_zero(), left2 = corner2;
    imgc_lanes left = add_paeth(imgc_lanes_load(in), left2, corner, left2);
    put(out, imgc_lanes_bytes(left) | alpha);
    for (size_t x = 1; x < width; x++, in2 += samples, out2 += 4) {
        imgc_lanes above = imgc_lanes_load(prior + 4 * x);
        left2 = add_paeth(imgc_lanes_load(in2), left2, left, corner2);
        corner2 = left;
        left = add_paeth(imgc_lanes_load(in + (size_t)samples * x), left, above, corner);
        corner = above;
        put(out2, imgc_lanes_bytes(left2) | alpha);
        put(out + 4 * x, imgc_lanes_bytes(left) | alpha);
    }
    put(out2, imgc_lanes_bytes(add_paeth(imgc_lanes_load(in2), left2, left, corner2)) | alpha);
}

void imgc_png_unfilter_paeths(int samples, const uint8_t *filtered, const uint8_t *filtered2,
                              const uint8_t *prior, uint8_t *out, uint8_t *out2, size_t width) {
    if (samples == 3) {
        undo_two_paeths(3, filtered, filtered2, prior, out, out2, width);
    } else {
        undo_two_paeths(4, filtered, filtered2, prior, out, out2, width);
    }
}

INLINE void unfilter_pixels(uint8_t filter, int samples, const uint8_t *in, const uint8_t *prior,
                            uint8_t *out, size_t width) {
    switch (filter) {
    case 0: undo_none(samples, in, out, width); break;
    case 1: undo_sub(samples, in, out, width); break;
    case 2: undo_up(samples, in, prior, out, width); break;
    case 3: undo_average(samples, in, prior, out, width); break;
    default: undo_paeth(samples, in, prior, out, width); break;
    }
}

void imgc_png_unfilter_rgba(uint8_t filter, int samples, const uint8_t *filtered,
                            const uint8_t *prior, uint8_t *out, size_t width) {
    if (samples == 3) {
        unfilter_pixels(filter, 3, filtered, prior, out, width);
    } else {
        unfilter_pixels(filter, 4, filtered, prior, out, width);
    }
}

/// The predictor of one sample, as above.
INLINE int paeth(int left, int above, int corner) {
    int t = 3 * corner - left - above;
    int low = left < above ? left : above, high = left < above ? above : left;
    int nearest = high <= t ? low : corner;
    return t <= low ? high : nearest;
}

INLINE void unfilter_samples(uint8_t filter, size_t samples, uint8_t *restrict row,
                             const uint8_t *restrict prior, size_t count) {
    switch (filter) {
    case 0: break;
    case 1:
        for (size_t i = samples; i < count; i++) row[i] = (uint8_t)(row[i] + row[i - samples]);
        break;
    case 2:
        for (size_t i = 0; i < count; i++) row[i] = (uint8_t)(row[i] + prior[i]);
        break;
    case 3:
        for (size_t i = 0; i < count; i++) {
            int left = i < samples ? 0 : row[i - samples];
            row[i] = (uint8_t)(row[i] + (left + prior[i]) / 2);
        }
        break;
    default: {
        int left[2] = {0, 0}, corner[2] = {0, 0};
        for (size_t i = 0; i < count; i += samples) {
            for (size_t k = 0; k < samples; k++) {
                int above = prior[i + k];
                left[k] = (row[i + k] + paeth(left[k], above, corner[k])) & 255;
                corner[k] = above;
                row[i + k] = (uint8_t)left[k];
            }
        }
    }
    }
}

void imgc_png_unfilter(uint8_t filter, int samples, uint8_t *row, const uint8_t *prior,
                       size_t count) {
    if (samples == 1) {
        unfilter_samples(filter, 1, row, prior, count);
    } else {
        unfilter_samples(filter, 2, row, prior, count);
    }
}
