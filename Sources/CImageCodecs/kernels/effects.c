#include "imgk.h"

#include <math.h>
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

/// Three boxes after one another are a Gaussian near enough.
static void blur_line(uint32_t *line, uint32_t *other, size_t count, const size_t radii[3]) {
    box_line(line, other, count, radii[0]);
    box_line(other, line, count, radii[1]);
    box_line(line, other, count, radii[2]);
}

/// Samples of a line are alpha times colour times 256 at most: 24 bits of fraction in all.
static void load(uint32_t *line, const uint8_t *pixels, size_t step, size_t count) {
    for (size_t i = 0; i < count; i++, pixels += step) {
        for (int c = 0; c < 3; c++) line[4 * i + (size_t)c] = (uint32_t)pixels[c] * pixels[3];
        line[4 * i + 3] = (uint32_t)pixels[3] * 255;
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
    size_t radii[3], longest = width > height ? width : height;
    // Source: Kovesi, "Fast Almost-Gaussian Filtering", 2010: widths of boxes for a deviation.
    double ideal = sqrt(12 * sigma * sigma / 3 + 1);
    size_t low = (size_t)ideal;
    if (low % 2 == 0) low -= 1;
    double exact = (12 * sigma * sigma - 3.0 * (double)(low * low) - 12.0 * (double)low - 9) /
                   (-4.0 * (double)low - 4);
    for (int i = 0; i < 3; i++) radii[i] = ((double)i < round(exact) ? low : low + 2) / 2;
    uint32_t *line = malloc(longest * 32);
    if (!line) return false;
    uint32_t *other = line + 4 * longest;
    size_t stride = (size_t)width * 4;
    for (uint32_t y = 0; y < height; y++) {
        load(line, pixels + stride * y, 4, width);
        blur_line(line, other, width, radii);
        store(pixels + stride * y, 4, other, width);
    }
    for (uint32_t x = 0; x < width; x++) {
        load(line, pixels + 4 * (size_t)x, stride, height);
        blur_line(line, other, height, radii);
        store(pixels + 4 * (size_t)x, stride, other, height);
    }
    free(line);
    return true;
}
