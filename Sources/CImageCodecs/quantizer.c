// Source: Xiaolin Wu, "Efficient Statistical Computations for Optimal Color Quantization",
// Graphics Gems II, 1991: boxes of a histogram are cut where the variance falls most.
#include "quantizer.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 33, CELLS = SIDE * SIDE * SIDE, CACHE = 1 << 18 };

/// Sums over a histogram cell, and after `integrate` over the box from the origin to it.
struct moment {
    int64_t count, red, green, blue;
    double squares;
};

struct box {
    int low[3], high[3]; // low is left out, high belongs to the box
    double variance;
};

struct imgc_quantizer {
    imgc_palette exact;  // while at most 256 colours were counted
    bool is_exact;
    imgc_palette chosen;
    struct moment cells[CELLS];
    uint16_t nearest[CACHE]; // number plus one of the colour nearest to a cell of 64³
};

imgc_quantizer *imgc_quantizer_new(void) {
    imgc_quantizer *quantizer = calloc(1, sizeof *quantizer);
    if (quantizer) quantizer->is_exact = true;
    return quantizer;
}

void imgc_quantizer_free(imgc_quantizer *quantizer) { free(quantizer); }

static size_t cell_at(int r, int g, int b) { return ((size_t)r * SIDE + (size_t)g) * SIDE + (size_t)b; }

void imgc_quantizer_count(imgc_quantizer *quantizer, const uint8_t color[4]) {
    uint8_t opaque[4] = {color[0], color[1], color[2], 255};
    if (quantizer->is_exact) quantizer->is_exact = imgc_palette_add(&quantizer->exact, opaque);
    struct moment *cell =
        &quantizer->cells[cell_at((color[0] >> 3) + 1, (color[1] >> 3) + 1, (color[2] >> 3) + 1)];
    cell->count += 1;
    cell->red += color[0];
    cell->green += color[1];
    cell->blue += color[2];
    cell->squares += color[0] * color[0] + color[1] * color[1] + color[2] * color[2];
}

static void add(struct moment *to, const struct moment *from, int sign) {
    to->count += sign * from->count;
    to->red += sign * from->red;
    to->green += sign * from->green;
    to->blue += sign * from->blue;
    to->squares += sign * from->squares;
}

/// Turns cells into sums over boxes from the origin, one axis after the other.
static void integrate(struct moment *cells) {
    for (int axis = 0; axis < 3; axis++) {
        for (int r = axis == 0; r < SIDE; r++) {
            for (int g = axis == 1; g < SIDE; g++) {
                for (int b = axis == 2; b < SIDE; b++) {
                    const struct moment *before =
                        &cells[cell_at(r - (axis == 0), g - (axis == 1), b - (axis == 2))];
                    add(&cells[cell_at(r, g, b)], before, 1);
                }
            }
        }
    }
}

static struct moment volume(const struct moment *cells, const struct box *box) {
    struct moment sum = {0};
    for (int corner = 0; corner < 8; corner++) {
        int r = corner & 4 ? box->high[0] : box->low[0];
        int g = corner & 2 ? box->high[1] : box->low[1];
        int b = corner & 1 ? box->high[2] : box->low[2];
        add(&sum, &cells[cell_at(r, g, b)], __builtin_popcount((unsigned)corner) & 1 ? 1 : -1);
    }
    return sum;
}

static double energy(const struct moment *sum) {
    if (sum->count == 0) return 0;
    double r = (double)sum->red, g = (double)sum->green, b = (double)sum->blue;
    return (r * r + g * g + b * b) / (double)sum->count;
}

static void measure(const struct moment *cells, struct box *box) {
    struct moment sum = volume(cells, box);
    bool single = true;
    for (int axis = 0; axis < 3; axis++) single &= box->high[axis] - box->low[axis] == 1;
    box->variance = single || sum.count == 0 ? 0 : sum.squares - energy(&sum);
}

/// Cuts `box` where the two parts vary least; the upper part goes to `other`.
static bool cut(const struct moment *cells, struct box *box, struct box *other) {
    struct moment whole = volume(cells, box);
    double best = 0;
    int best_axis = -1, best_at = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int at = box->low[axis] + 1; at < box->high[axis]; at++) {
            struct box lower = *box;
            lower.high[axis] = at;
            struct moment below = volume(cells, &lower), above = whole;
            add(&above, &below, -1);
            if (below.count == 0 || above.count == 0) continue;
            double score = energy(&below) + energy(&above);
            if (score > best) {
                best = score;
                best_axis = axis;
                best_at = at;
            }
        }
    }
    if (best_axis < 0) return false;
    *other = *box;
    box->high[best_axis] = other->low[best_axis] = best_at;
    measure(cells, box);
    measure(cells, other);
    return true;
}

void imgc_quantizer_choose(imgc_quantizer *quantizer, int limit) {
    memset(quantizer->nearest, 0, sizeof quantizer->nearest);
    if (quantizer->is_exact && quantizer->exact.count <= limit) {
        quantizer->chosen = quantizer->exact;
        return;
    }
    quantizer->is_exact = false;
    imgc_palette_reset(&quantizer->chosen);
    integrate(quantizer->cells);
    struct box boxes[256] = {{.high = {SIDE - 1, SIDE - 1, SIDE - 1}}};
    int count = 1;
    measure(quantizer->cells, &boxes[0]);
    while (count < limit) {
        int widest = 0;
        for (int i = 1; i < count; i++) {
            if (boxes[i].variance > boxes[widest].variance) widest = i;
        }
        if (boxes[widest].variance <= 0) break;
        if (cut(quantizer->cells, &boxes[widest], &boxes[count])) {
            count += 1;
        } else {
            boxes[widest].variance = 0;
        }
    }
    for (int i = 0; i < count; i++) {
        struct moment sum = volume(quantizer->cells, &boxes[i]);
        if (sum.count == 0) continue;
        int64_t half = sum.count / 2;
        uint8_t color[4] = {(uint8_t)((sum.red + half) / sum.count),
                            (uint8_t)((sum.green + half) / sum.count),
                            (uint8_t)((sum.blue + half) / sum.count), 255};
        imgc_palette_add(&quantizer->chosen, color);
    }
}

const imgc_palette *imgc_quantizer_palette(const imgc_quantizer *quantizer) {
    return &quantizer->chosen;
}

bool imgc_quantizer_is_exact(const imgc_quantizer *quantizer) { return quantizer->is_exact; }

uint8_t imgc_quantizer_index(imgc_quantizer *quantizer, const uint8_t color[4]) {
    if (quantizer->is_exact) {
        uint8_t opaque[4] = {color[0], color[1], color[2], 255};
        return imgc_palette_index(&quantizer->chosen, opaque);
    }
    size_t cell = (size_t)(color[0] >> 2) << 12 | (size_t)(color[1] >> 2) << 6 | color[2] >> 2;
    if (quantizer->nearest[cell] != 0) return (uint8_t)(quantizer->nearest[cell] - 1);
    int best = 0, least = INT32_MAX;
    for (int i = 0; i < quantizer->chosen.count; i++) {
        const uint8_t *candidate = quantizer->chosen.colors[i];
        int r = candidate[0] - color[0], g = candidate[1] - color[1], b = candidate[2] - color[2];
        int distance = 2 * r * r + 4 * g * g + 3 * b * b; // the eye's weights, roughly
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    quantizer->nearest[cell] = (uint16_t)(best + 1);
    return (uint8_t)best;
}
