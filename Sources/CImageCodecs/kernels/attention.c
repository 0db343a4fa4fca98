#include "imgk.h"

#include <string.h>

// Where to crop an image: the sum of a score per pixel, weighed by the distance from the middle of
// the crop, is largest there. The features are those that libvips documents for its "attention"
// strategy: edges, saturated colours and skin; and, besides, colours far from the mean of the
// image. All arithmetic is on integers, so that every machine finds the same crop.

enum {
    longest_side = 64,      // of the grid that is searched
    most_positions = 65,    // of the crop along an axis; odd, so that the middle is one of them
    most_samples = 8,       // along a side of a cell
    neutral = 128,          // the colour behind transparent pixels
    one = 256,              // a weight of 1
};

// Weights of the features. Found by a search over 69 photographs with the subjects marked by hand.
enum { edge_weight = 4, skin_weight = 5 };  // those of the others are 1

typedef struct {
    uint32_t width, height;
    uint8_t colors[longest_side * longest_side][4];  // on the neutral colour; alpha is the image's
    uint8_t luma[longest_side * longest_side];
    uint8_t contrast[longest_side * longest_side];   // the largest difference of luma nearby
    uint32_t scores[longest_side * longest_side];
} attention_grid;

static inline int smaller(int a, int b) { return a < b ? a : b; }
static inline int larger(int a, int b) { return a > b ? a : b; }
static inline int distance(int a, int b) { return a > b ? a - b : b - a; }

/// The number of cells along a side. An odd side has an odd number of cells unless each is a
/// pixel, so that the cells of a mirrored image are the mirrored cells.
static uint32_t cell_count(uint32_t side, uint32_t longer) {
    if (longer <= longest_side) return side;
    uint32_t count = (uint32_t)(((uint64_t)side * longest_side + longer / 2) / longer);
    if (side % 2 == 1 && count % 2 == 0 && count > 0) count -= 1;
    return count > 0 ? count : 1;
}

/// Divides a length into equal steps, symmetrically: the place of a step, from 0 through `count`.
static uint32_t place(uint32_t length, uint32_t step, uint32_t count) {
    if (2 * step <= count) return (uint32_t)((uint64_t)length * step / count);
    return length - (uint32_t)((uint64_t)length * (count - step) / count);
}

/// The mean of some pixels of a rectangle that has at least one.
static void mean_color(uint8_t color[4], const uint8_t *pixels, size_t stride, uint32_t left,
                       uint32_t right, uint32_t top, uint32_t bottom) {
    uint32_t across = (right - left - 1) / most_samples + 1;
    uint32_t down = (bottom - top - 1) / most_samples + 1;
    uint32_t sums[4] = {0}, count = 0;
    for (uint32_t y = top + (bottom - top - 1) % down / 2; y < bottom; y += down) {
        const uint8_t *row = pixels + stride * y;
        for (uint32_t x = left + (right - left - 1) % across / 2; x < right; x += across) {
            const uint8_t *pixel = row + 4 * (size_t)x;
            for (int c = 0; c < 3; c++) sums[c] += (uint32_t)pixel[c] * pixel[3];
            sums[3] += pixel[3];
            count += 1;
        }
    }
    uint32_t whole = 255 * count, behind = neutral * (whole - sums[3]);
    for (int c = 0; c < 3; c++) color[c] = (uint8_t)((sums[c] + behind + whole / 2) / whole);
    color[3] = (uint8_t)(sums[3] / count);
}

static void make_grid(attention_grid *grid, const uint8_t *pixels, uint32_t width,
                      uint32_t height) {
    uint32_t longer = width > height ? width : height;
    uint32_t columns = cell_count(width, longer), rows = cell_count(height, longer);
    grid->width = columns;
    grid->height = rows;
    for (uint32_t y = 0; y < rows; y++) {
        uint32_t top = place(height, y, rows), bottom = place(height, y + 1, rows);
        for (uint32_t x = 0; x < columns; x++) {
            uint8_t *color = grid->colors[y * columns + x];
            mean_color(color, pixels, (size_t)width * 4, place(width, x, columns),
                       place(width, x + 1, columns), top, bottom);
            grid->luma[y * columns + x] =
                (uint8_t)((77 * color[0] + 150 * color[1] + 29 * color[2] + 128) >> 8);
        }
    }
}

/// Sets `contrast`: the largest difference to the luma of the 5 by 5 cells around.
static void find_contrast(attention_grid *grid) {
    int width = (int)grid->width, height = (int)grid->height;
    for (int y = 0; y < height; y++) {
        // The extremes of five rows, between two cells that are neither.
        uint8_t low[longest_side + 4], high[longest_side + 4];
        memset(low, 255, sizeof low);
        memset(high, 0, sizeof high);
        for (int near = larger(y - 2, 0); near <= smaller(y + 2, height - 1); near++) {
            const uint8_t *row = grid->luma + near * width;
            for (int x = 0; x < width; x++) {
                low[x + 2] = row[x] < low[x + 2] ? row[x] : low[x + 2];
                high[x + 2] = row[x] > high[x + 2] ? row[x] : high[x + 2];
            }
        }
        const uint8_t *luma = grid->luma + y * width;
        for (int x = 0; x < width; x++) {
            uint8_t least = low[x], most = high[x];
            for (int near = 1; near < 5; near++) {
                least = low[x + near] < least ? low[x + near] : least;
                most = high[x + near] > most ? high[x + near] : most;
            }
            uint8_t above = (uint8_t)(most - luma[x]), below = (uint8_t)(luma[x] - least);
            grid->contrast[y * width + x] = above > below ? above : below;
        }
    }
}

/// How near a colour is to those of skin, 0 through 255: by the shares of red and green, which
/// differ little between people. Very dark colours have no reliable hue.
static int skin_likeness(const uint8_t color[4], int luma) {
    int sum = color[0] + color[1] + color[2];
    if (sum < 90 || color[0] <= color[1] || color[0] <= color[2]) return 0;
    int off = 3 * distance(256 * color[0] / sum, 110) + 6 * distance(256 * color[1] / sum, 81);
    if (off >= 96) return 0;
    int likeness = (96 - off) * 255 / 96;
    return luma < 60 ? likeness * larger(luma - 30, 0) / 30 : likeness;
}

/// The mean colour of what is not transparent.
static void find_mean(const attention_grid *grid, int mean[3]) {
    uint32_t sums[3] = {0}, weight = 0;
    for (uint32_t i = 0; i < grid->width * grid->height; i++) {
        const uint8_t *color = grid->colors[i];
        for (int c = 0; c < 3; c++) sums[c] += (uint32_t)color[c] * color[3];
        weight += color[3];
    }
    for (int c = 0; c < 3; c++) mean[c] = weight > 0 ? (int)(sums[c] / weight) : 0;
}

static void find_scores(attention_grid *grid) {
    int width = (int)grid->width, height = (int)grid->height, mean[3];
    find_contrast(grid);
    find_mean(grid, mean);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int at = y * width + x;
            const uint8_t *color = grid->colors[at];
            const uint8_t *left = grid->colors[x > 0 ? at - 1 : at];
            const uint8_t *right = grid->colors[x < width - 1 ? at + 1 : at];
            const uint8_t *above = grid->colors[y > 0 ? at - width : at];
            const uint8_t *below = grid->colors[y < height - 1 ? at + width : at];
            int edge = 0, rarity = 0;
            for (int c = 0; c < 3; c++) {
                edge = larger(edge, distance(left[c], right[c]) + distance(above[c], below[c]));
                rarity += distance(color[c], mean[c]);
            }
            int chroma = larger(color[0], larger(color[1], color[2])) -
                         smaller(color[0], smaller(color[1], color[2]));
            // A colour counts only where there is something to see: not a clear sky, or a wall.
            int detail = smaller(4 * grid->contrast[at], one);
            int tones = chroma + smaller(rarity / 2, 255) +
                        skin_weight * skin_likeness(color, grid->luma[at]);
            int score = edge_weight * smaller(edge, 255) + tones * detail / one;
            grid->scores[at] = (uint32_t)score * color[3] / 255;
        }
    }
}

/// How the cells along an axis count for a crop at an offset: fully in its middle, half at its
/// edges, not outside. All of them count alike where the crop cannot be moved.
static void weigh_cells(uint32_t weights[longest_side], uint32_t cells, uint32_t side,
                        uint32_t crop, uint32_t offset) {
    // Lengths are in 1/256 of a cell; `middle` is that times the side, to be exact.
    uint32_t half = (uint32_t)((uint64_t)crop * cells * (one / 2) / side);
    uint64_t middle = (2 * (uint64_t)offset + crop) * cells * (one / 2);
    if (half == 0) half = 1;
    for (uint32_t i = 0; i < cells; i++) {
        if (crop >= side) {
            weights[i] = one;
            continue;
        }
        uint64_t center = (uint64_t)(i * one + one / 2) * side;
        uint32_t away = (uint32_t)((center > middle ? center - middle : middle - center) / side);
        uint32_t reach = half + one / 2;
        uint32_t covered = away >= reach ? 0 : reach - away > one ? one : reach - away;
        uint32_t share = away >= half ? one : away * one / half;
        weights[i] = (one - share * share / 2 / one) * covered / one;
    }
}

/// The offsets that are tried along an axis.
typedef struct {
    uint32_t slack, count;
} attention_axis;

static attention_axis make_axis(uint32_t side, uint32_t crop) {
    uint32_t slack = side > crop ? side - crop : 0;
    return (attention_axis){slack, slack < most_positions ? slack + 1 : most_positions};
}

static uint32_t offset_at(attention_axis axis, uint32_t position) {
    return axis.count > 1 ? place(axis.slack, position, axis.count - 1) : 0;
}

/// What a position is worth beside the middle one, in 1/1024: four fifths at either end.
static uint32_t middle_preference(attention_axis axis, uint32_t position) {
    if (axis.count < 2) return 1024;
    uint32_t last = axis.count - 1;
    uint32_t away = (uint32_t)distance((int)(2 * position), (int)last);
    return 1024 - 205 * away * away / (last * last);
}

/// What a row is worth beside the first one, in 1/1024: heads, towers and titles are above.
static uint32_t upper_preference(attention_axis axis, uint32_t position) {
    return axis.count < 2 ? 1024 : 1024 - 256 * position / (axis.count - 1);
}

void imgk_find_attention(const uint8_t *pixels, uint32_t width, uint32_t height,
                         uint32_t crop_width, uint32_t crop_height, uint32_t *left,
                         uint32_t *top) {
    attention_axis across = make_axis(width, crop_width), down = make_axis(height, crop_height);
    *left = across.slack / 2;
    *top = down.slack / 2;
    if (width == 0 || height == 0 || crop_width == 0 || crop_height == 0) return;
    if (across.slack == 0 && down.slack == 0) return;

    attention_grid grid;
    make_grid(&grid, pixels, width, height);
    find_scores(&grid);

    // A score is at most 11 * 255, and the weights of a side add up to 64 * 256.
    uint32_t columns[longest_side][most_positions];  // of scores, for each position down
    uint32_t weights[longest_side];
    memset(columns, 0, sizeof columns);
    for (uint32_t row = 0; row < down.count; row++) {
        weigh_cells(weights, grid.height, height, crop_height, offset_at(down, row));
        for (uint32_t y = 0; y < grid.height; y++) {
            if (weights[y] == 0) continue;
            const uint32_t *scores = grid.scores + y * grid.width;
            for (uint32_t x = 0; x < grid.width; x++) columns[x][row] += weights[y] * scores[x];
        }
    }
    uint64_t best = 0;
    for (uint32_t column = 0; column < across.count; column++) {
        uint64_t sums[most_positions] = {0};
        weigh_cells(weights, grid.width, width, crop_width, offset_at(across, column));
        for (uint32_t x = 0; x < grid.width; x++) {
            if (weights[x] == 0) continue;
            for (uint32_t row = 0; row < down.count; row++) {
                sums[row] += (uint64_t)weights[x] * columns[x][row];
            }
        }
        for (uint32_t row = 0; row < down.count; row++) {
            // Below 2^40, times 2^20.
            uint64_t worth = sums[row] * middle_preference(across, column) *
                             middle_preference(down, row) / 1024 * upper_preference(down, row);
            if (worth <= best) continue;
            best = worth;
            *left = offset_at(across, column);
            *top = offset_at(down, row);
        }
    }
}
