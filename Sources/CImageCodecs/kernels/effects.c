#include "imgk.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void imgk_tint(uint8_t *pixels, size_t count, const uint8_t color[4]) {
    uint32_t share = color[3];
    for (size_t i = 0; i < count; i++, pixels += 4) {
        for (int c = 0; c < 3; c++) {
            pixels[c] = (uint8_t)((pixels[c] * (255 - share) + color[c] * share + 127) / 255);
        }
    }
}

// Source: IEC 61966-2-1 (sRGB).
static uint16_t linear_of[256];
static uint8_t sample_of[65536];

static void make_luminance_tables(void) {
    uint32_t start = 0;
    for (int v = 0; v < 256; v++) {
        double c = v / 255.0, next = (v + 0.5) / 255;
        linear_of[v] = (uint16_t)lrint(65535 * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)));
        double end = next <= 0.04045 ? next / 12.92 : pow((next + 0.055) / 1.055, 2.4);
        uint32_t limit = v == 255 ? 65536 : (uint32_t)ceil(65535 * end);
        for (; start < limit; start++) sample_of[start] = (uint8_t)v;
    }
}

void imgk_gray(uint8_t *pixels, size_t count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_luminance_tables);
    for (size_t i = 0; i < count; i++, pixels += 4) {
        // Source: ITU-R BT.709, in 16 bits of fraction.
        uint64_t luminance = 13933ull * linear_of[pixels[0]] + 46871ull * linear_of[pixels[1]] +
                             4732ull * linear_of[pixels[2]];
        memset(pixels, sample_of[(luminance + 32768) >> 16], 3);
    }
}

void imgk_fade(uint8_t *pixels, size_t count, double opacity) {
    for (size_t i = 0; i < count; i++) pixels[4 * i + 3] = (uint8_t)lrint(pixels[4 * i + 3] * opacity);
}

void imgk_sharpen(uint8_t *pixels, const uint8_t *blurred, size_t count) {
    for (size_t i = 0; i < count; i++, pixels += 4, blurred += 4) {
        for (int c = 0; c < 3; c++) {
            int value = 2 * pixels[c] - blurred[c];
            pixels[c] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
}

void imgk_round_corners(uint8_t *pixels, uint32_t width, uint32_t height, double radius) {
    for (uint32_t y = 0; y < height; y++) {
        double down = fmax(fmax(radius - (y + 0.5), (y + 0.5) - (height - radius)), 0);
        if (down <= 0) continue;
        for (uint32_t x = 0; x < width; x++) {
            double across = fmax(fmax(radius - (x + 0.5), (x + 0.5) - (width - radius)), 0);
            if (across <= 0) continue;
            // How much of the pixel lies inside the arc, by its distance from it.
            double inside = radius - sqrt(across * across + down * down) + 0.5;
            if (inside >= 1) continue;
            uint8_t *alpha = pixels + 4 * ((size_t)y * width + x) + 3;
            *alpha = (uint8_t)lrint(*alpha * fmax(inside, 0));
        }
    }
}

/// The mean of `2 * radius + 1` samples around each; the edges are repeated.
static void box_line(const uint32_t *in, uint32_t *out, size_t count, size_t radius) {
    for (int c = 0; c < 4; c++) {
        uint64_t sum = (uint64_t)in[c] * (radius + 1), width = 2 * radius + 1;
        for (size_t i = 0; i < radius; i++) sum += in[4 * (i < count ? i : count - 1) + (size_t)c];
        for (size_t i = 0; i < count; i++) {
            size_t ahead = i + radius < count ? i + radius : count - 1;
            size_t behind = i > radius ? i - radius - 1 : 0;
            sum += in[4 * ahead + (size_t)c];
            if (i > 0) sum -= in[4 * behind + (size_t)c];
            else sum -= in[c];
            out[4 * i + (size_t)c] = (uint32_t)((sum + width / 2) / width);
        }
    }
}

/// How lines are blurred.
struct blur {
    size_t radii[3];     ///< Of the boxes.
    size_t reach;        ///< Of the Gaussian to each side; 0 for boxes.
    size_t margin;       ///< Repeated samples beside a line, so that all boxes see the same edges.
    uint32_t weights[8]; ///< Of the Gaussian from the middle on, in 16 bits of fraction.
};

static void gauss_line(const uint32_t *in, uint32_t *out, size_t count, const struct blur *blur) {
    for (size_t i = 0; i < count; i++) {
        uint64_t sums[4];
        for (size_t c = 0; c < 4; c++) sums[c] = (uint64_t)in[4 * i + c] * blur->weights[0] + 32768;
        for (size_t step = 1; step <= blur->reach; step++) {
            size_t behind = i > step ? i - step : 0, ahead = i + step < count ? i + step : count - 1;
            for (size_t c = 0; c < 4; c++) {
                sums[c] += ((uint64_t)in[4 * behind + c] + in[4 * ahead + c]) * blur->weights[step];
            }
        }
        for (size_t c = 0; c < 4; c++) out[4 * i + c] = (uint32_t)(sums[c] >> 16);
    }
}

static void blur_line(uint32_t *line, uint32_t *other, size_t count, const struct blur *blur) {
    if (blur->reach > 0) {
        gauss_line(line, other, count, blur);
        return;
    }
    // Three boxes after one another are a Gaussian near enough.
    box_line(line, other, count, blur->radii[0]);
    box_line(other, line, count, blur->radii[1]);
    box_line(line, other, count, blur->radii[2]);
}

static struct blur make_blur(double sigma) {
    struct blur blur = {.reach = 0};
    // Boxes of whole pixels are too coarse for a small deviation.
    if (sigma < 2) {
        blur.reach = (size_t)ceil(3.5 * sigma);
        double weights[8], sum = 0;
        for (size_t i = 0; i <= blur.reach; i++) {
            weights[i] = exp(-0.5 * (double)(i * i) / (sigma * sigma));
            sum += i == 0 ? weights[i] : 2 * weights[i];
        }
        uint32_t rest = 65536;
        for (size_t i = 1; i <= blur.reach; i++) {
            blur.weights[i] = (uint32_t)lrint(65536 * weights[i] / sum);
            rest -= 2 * blur.weights[i];
        }
        blur.weights[0] = rest;
        return blur;
    }
    // Source: Kovesi, "Fast Almost-Gaussian Filtering", 2010: widths of boxes for a deviation.
    double ideal = sqrt(12 * sigma * sigma / 3 + 1);
    size_t low = (size_t)ideal;
    if (low % 2 == 0) low -= 1;
    double exact = (12 * sigma * sigma - 3.0 * (double)(low * low) - 12.0 * (double)low - 9) /
                   (-4.0 * (double)low - 4);
    for (int i = 0; i < 3; i++) {
        blur.radii[i] = ((double)i < round(exact) ? low : low + 2) / 2;
        blur.margin += blur.radii[i];
    }
    return blur;
}

/// Samples of a line are alpha times colour times 256 at most: 24 bits of fraction in all.
static void load(uint32_t *line, const uint8_t *pixels, size_t step, size_t count, size_t margin) {
    uint32_t *first = line + 4 * margin, *last = first + 4 * (count - 1);
    uint32_t *to = first;
    for (size_t i = 0; i < count; i++, pixels += step, to += 4) {
        for (int c = 0; c < 3; c++) to[c] = (uint32_t)pixels[c] * pixels[3];
        to[3] = (uint32_t)pixels[3] * 255;
    }
    for (size_t i = 1; i <= margin; i++) {
        memcpy(first - 4 * i, first, 16);
        memcpy(last + 4 * i, last, 16);
    }
}

static void store(uint8_t *pixels, size_t step, const uint32_t *line, size_t count) {
    for (size_t i = 0; i < count; i++, pixels += step, line += 4) {
        for (int c = 0; c < 3; c++) {
            uint32_t value = line[3] ? (uint32_t)(((uint64_t)line[c] * 255 + line[3] / 2) / line[3]) : 0;
            pixels[c] = (uint8_t)(value > 255 ? 255 : value);
        }
        pixels[3] = (uint8_t)((line[3] + 127) / 255);
    }
}

bool imgk_blur(uint8_t *pixels, uint32_t width, uint32_t height, double sigma) {
    struct blur blur = make_blur(sigma);
    size_t margin = blur.margin, longest = (width > height ? width : height) + 2 * margin;
    uint32_t *line = malloc(longest * 32);
    if (!line) return false;
    uint32_t *other = line + 4 * longest;
    size_t stride = (size_t)width * 4;
    for (uint32_t y = 0; y < height; y++) {
        load(line, pixels + stride * y, 4, width, margin);
        blur_line(line, other, width + 2 * margin, &blur);
        store(pixels + stride * y, 4, other + 4 * margin, width);
    }
    for (uint32_t x = 0; x < width; x++) {
        load(line, pixels + 4 * (size_t)x, stride, height, margin);
        blur_line(line, other, height + 2 * margin, &blur);
        store(pixels + 4 * (size_t)x, stride, other + 4 * margin, height);
    }
    free(line);
    return true;
}
