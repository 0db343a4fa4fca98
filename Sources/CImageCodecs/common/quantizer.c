// Source: Xiaolin Wu, "Efficient Statistical Computations for Optimal Color Quantization",
// Graphics Gems II, 1991: boxes of a histogram are cut where the variance falls most.
#include "quantizer.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 33, CELLS = SIDE * SIDE * SIDE, CACHE = 1 << 18, BLOCKS = 16 * 16 * 16 };

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
    bool has_searched;       // what follows is in use
    uint16_t nearest[CACHE]; // number plus one of the colour nearest to a cell of 64³
    float channels[3][256];  // of the chosen colours
    /// For each block of 16³ the chosen colours that may be nearest to one of it, in ascending
    /// order. Most blocks have no pixels: their pages are never touched.
    uint16_t candidate_counts[BLOCKS]; // 0 until the block is asked for
    uint8_t candidates[BLOCKS][256];
};

imgc_quantizer *imgc_quantizer_new(void) {
    imgc_quantizer *quantizer = calloc(1, sizeof *quantizer);
    if (quantizer) quantizer->is_exact = true;
    return quantizer;
}

void imgc_quantizer_free(imgc_quantizer *quantizer) { free(quantizer); }

void imgc_quantizer_reset(imgc_quantizer *quantizer) {
    imgc_palette_reset(&quantizer->exact);
    quantizer->is_exact = true;
    memset(quantizer->cells, 0, sizeof quantizer->cells);
}

static size_t cell_at(int r, int g, int b) {
    return ((size_t)r * SIDE + (size_t)g) * SIDE + (size_t)b;
}

void imgc_quantizer_count(imgc_quantizer *quantizer, const uint8_t color[4], uint32_t times) {
    uint8_t opaque[4] = {color[0], color[1], color[2], 255};
    if (quantizer->is_exact) quantizer->is_exact = imgc_palette_add(&quantizer->exact, opaque);
    struct moment *cell =
        &quantizer->cells[cell_at((color[0] >> 3) + 1, (color[1] >> 3) + 1, (color[2] >> 3) + 1)];
    cell->count += times;
    cell->red += (int64_t)color[0] * times;
    cell->green += (int64_t)color[1] * times;
    cell->blue += (int64_t)color[2] * times;
    int square = color[0] * color[0] + color[1] * color[1] + color[2] * color[2];
    cell->squares += (double)square * times;
}

bool imgc_quantizer_count_row(imgc_quantizer *quantizer, const uint8_t *pixels, uint32_t count,
                              uint8_t opacity) {
    bool found = false;
    for (uint32_t x = 0; x < count;) {
        const uint8_t *pixel = pixels + 4 * (size_t)x;
        uint32_t times = 1;
        while (x + times < count && memcmp(pixel + 4 * (size_t)times, pixel, 4) == 0) times += 1;
        if (pixel[3] >= opacity) {
            imgc_quantizer_count(quantizer, pixel, times);
            found = true;
        }
        x += times;
    }
    return found;
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
    for (size_t i = 1; i < CELLS; i++) {
        if (i % SIDE != 0) add(&cells[i], &cells[i - 1], 1);
    }
    for (size_t i = SIDE; i < CELLS; i++) {
        if (i % (SIDE * SIDE) >= SIDE) add(&cells[i], &cells[i - SIDE], 1);
    }
    for (size_t i = SIDE * SIDE; i < CELLS; i++) add(&cells[i], &cells[i - SIDE * SIDE], 1);
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
    if (quantizer->has_searched) {
        memset(quantizer->nearest, 0, sizeof quantizer->nearest);
        memset(quantizer->candidate_counts, 0, sizeof quantizer->candidate_counts);
        quantizer->has_searched = false;
    }
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

/// The square of a distance, with the eye's weights, roughly.
static int weighted(int red, int green, int blue) { return 2 * red + 4 * green + 3 * blue; }

/// Adds the weighted squares of the least and of the largest distance between each value and one
/// of first ... first + 15. All are whole numbers that a float holds; and floats have minima in
/// every vector unit.
static void add_ranges(const float *values, int count, float first, float weight, float *least,
                       float *largest) {
    float last = first + 15;
    for (int i = 0; i < count; i++) {
        float below = first - values[i], above = values[i] - last;
        float outside = below > above ? below : above;
        float near = outside > 0 ? outside : 0;
        float far = below > above ? last - values[i] : values[i] - first;
        least[i] += weight * near * near;
        largest[i] += weight * far * far;
    }
}

/// Lists the colours of which none is farther from every colour of the block than some other one.
static uint16_t find_candidates(uint8_t numbers[256], float colors[3][256], int count,
                                const uint8_t first[3]) {
    float least[256] = {0}, largest[256] = {0};
    static const float weights[3] = {2, 4, 3};
    for (int i = 0; i < 3; i++) {
        add_ranges(colors[i], count, first[i], weights[i], least, largest);
    }
    float bound = largest[0];
    for (int i = 1; i < count; i++) bound = largest[i] < bound ? largest[i] : bound;
    uint16_t found = 0;
    for (int i = 0; i < count; i++) {
        numbers[found] = (uint8_t)i;
        found += least[i] <= bound;
    }
    return found;
}

static void begin_search(imgc_quantizer *quantizer) {
    quantizer->has_searched = true;
    for (int i = 0; i < quantizer->chosen.count; i++) {
        for (int channel = 0; channel < 3; channel++) {
            quantizer->channels[channel][i] = quantizer->chosen.colors[i][channel];
        }
    }
}

/// The number of the chosen colour that is nearest; the first of several.
static uint8_t find_nearest(imgc_quantizer *quantizer, const uint8_t color[4]) {
    const imgc_palette *palette = &quantizer->chosen;
    size_t block = (size_t)(color[0] >> 4) << 8 | (size_t)(color[1] >> 4) << 4 | color[2] >> 4;
    uint8_t *numbers = quantizer->candidates[block];
    uint16_t *count = &quantizer->candidate_counts[block];
    if (*count == 0) {
        const uint8_t first[3] = {color[0] & 0xf0, color[1] & 0xf0, color[2] & 0xf0};
        *count = find_candidates(numbers, quantizer->channels, palette->count, first);
    }
    // A distance has 20 bits. With the number below it the least key is that of the first colour.
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < *count; i++) {
        const uint8_t *candidate = palette->colors[numbers[i]];
        int r = candidate[0] - color[0], g = candidate[1] - color[1], b = candidate[2] - color[2];
        uint32_t key = (uint32_t)weighted(r * r, g * g, b * b) << 8 | numbers[i];
        least = key < least ? key : least;
    }
    return (uint8_t)least;
}

uint8_t imgc_quantizer_index(imgc_quantizer *quantizer, const uint8_t color[4]) {
    if (quantizer->is_exact) {
        uint8_t opaque[4] = {color[0], color[1], color[2], 255};
        return imgc_palette_index(&quantizer->chosen, opaque);
    }
    size_t cell = (size_t)(color[0] >> 2) << 12 | (size_t)(color[1] >> 2) << 6 | color[2] >> 2;
    if (quantizer->nearest[cell] == 0) {
        if (!quantizer->has_searched) begin_search(quantizer);
        quantizer->nearest[cell] = (uint16_t)(find_nearest(quantizer, color) + 1);
    }
    return (uint8_t)(quantizer->nearest[cell] - 1);
}
