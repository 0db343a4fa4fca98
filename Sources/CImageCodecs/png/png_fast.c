// The one file that speaks to libdeflate.
#include "png_fast.h"

#include "png_chunks.h"
#include "png_filters.h"
#include "png_inflate.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

struct imgc_png_fast {
    struct imgc_png_chunks chunks; // points into the file; only the kind is used after opening
    size_t row_bytes;              // without the filter's byte
    uint32_t next_row;
    uint8_t *filtered;   // every row, each behind its filter; one or two samples: undone in place
    uint8_t *above;      // the row before `next_row`: RGBA, or zeros of a row of samples
    uint32_t colors[256]; // RGBA of each value of one sample
    uint32_t key;        // the RGB that is transparent
    bool has_key;
};

static const uint64_t most_pixel_bytes = 64 << 20;

static uint32_t read32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t rgba(uint8_t red, uint8_t green, uint8_t blue, uint8_t alpha) {
    const uint8_t bytes[4] = {red, green, blue, alpha};
    uint32_t pixel;
    memcpy(&pixel, bytes, 4);
    return pixel;
}

// MARK: opening

static bool checksums_are_right(const uint8_t *png, size_t size) {
    for (size_t at = 8; at < size;) {
        size_t length = read32(png + at);
        if (libdeflate_crc32(0, png + at + 4, length + 4) != read32(png + at + 8 + length)) {
            return false;
        }
        at += 12 + length;
    }
    return true;
}

/// Whether zlib would begin with this header and read `count` bytes the same in every respect: what
/// it makes of a distance beyond a declared window that is smaller than the image depends on how
/// its output is cut.
static bool header_is_sound(const uint8_t *stream, size_t count) {
    uint32_t method = stream[0], flags = stream[1];
    if (((method << 8) + flags) % 31 != 0 || (method & 15) != 8) return false;
    if ((flags & 0x20) != 0) return false; // asks for a dictionary
    uint32_t window = method >> 4;
    return window == 7 || (window < 7 && count <= (size_t)256 << window);
}

/// The stream in one piece: of a single chunk where it is, else a copy that the caller frees.
static const uint8_t *gather(const struct imgc_png_chunks *chunks, uint8_t **copy) {
    *copy = NULL;
    // Behind the stream and its checksum come the chunk's checksum and IEND: 20 bytes with it.
    if (!chunks->is_split) return chunks->first + 8;
    uint8_t *out = *copy = malloc(chunks->pixels_count + IMGC_INFLATE_INPUT_SLACK);
    if (!out) return NULL;
    const uint8_t *chunk = chunks->first;
    for (size_t left = chunks->pixels_count; left > 0;) {
        size_t length = read32(chunk);
        memcpy(out, chunk + 8, length);
        out += length;
        left -= length;
        chunk += 12 + length;
    }
    memset(out, 0, IMGC_INFLATE_INPUT_SLACK);
    return *copy;
}

/// Inflates all rows and looks at their filters.
static bool inflate_rows(imgc_png_fast *fast, size_t count, uint64_t cpu_deadline) {
    uint8_t *copy;
    const uint8_t *stream = gather(&fast->chunks, &copy);
    size_t stream_count = fast->chunks.pixels_count;
    bool is_sound = stream && header_is_sound(stream, count) &&
                    imgc_inflate(stream + 2, stream_count - 6, fast->filtered, count,
                                 cpu_deadline) &&
                    libdeflate_adler32(1, fast->filtered, count) ==
                        read32(stream + stream_count - 4);
    free(copy);
    for (size_t at = 0; is_sound && at < count; at += fast->row_bytes + 1) {
        is_sound = fast->filtered[at] <= 4;
    }
    return is_sound;
}

static void set_colors(imgc_png_fast *fast) {
    const struct imgc_png_chunks *chunks = &fast->chunks;
    const uint8_t *clear = chunks->transparency;
    if (chunks->color == 3) {
        // Values beyond the palette are black, as libpng makes them.
        for (uint32_t i = 0; i < 256; i++) fast->colors[i] = rgba(0, 0, 0, 255);
        for (uint32_t i = 0; i < chunks->palette_count; i++) {
            const uint8_t *color = chunks->palette + 3 * i;
            uint8_t alpha = i < chunks->transparency_count ? clear[i] : 255;
            fast->colors[i] = rgba(color[0], color[1], color[2], alpha);
        }
    } else if (chunks->color == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            uint8_t gray = (uint8_t)i, alpha = clear && clear[1] == gray ? 0 : 255;
            fast->colors[i] = rgba(gray, gray, gray, alpha);
        }
    } else if (chunks->color == 2 && clear) {
        fast->has_key = true;
        fast->key = rgba(clear[1], clear[3], clear[5], 255);
    }
}

imgc_png_fast *imgc_png_fast_open(const uint8_t *png, size_t size, const imgc_limits *limits,
                                  uint64_t cpu_deadline, bool keeps_pixels) {
    struct imgc_png_chunks chunks;
    if (!imgc_png_chunks_find(png, size, limits, &chunks)) return NULL;
    uint64_t pixel_bytes = (uint64_t)chunks.width * chunks.height; // below 2^62
    if (pixel_bytes > most_pixel_bytes / 4) return NULL;
    size_t row_bytes = (size_t)chunks.width * chunks.samples;
    size_t count = (row_bytes + 1) * chunks.height, room = count + IMGC_INFLATE_OUTPUT_SLACK;
    size_t above = (size_t)chunks.width * 4;
    // The shortest stream; and two bits, the shortest match, stand for 258 bytes at most.
    if (chunks.pixels_count < 8 || count / 1032 > chunks.pixels_count) return NULL;
    size_t needed = sizeof(imgc_png_fast) + room + above;
    if (chunks.is_split) needed += chunks.pixels_count + IMGC_INFLATE_INPUT_SLACK;
    if (needed > limits->max_memory) return NULL;
    if (!checksums_are_right(png, chunks.file_count)) return NULL;

    imgc_png_fast *fast = calloc(1, sizeof *fast);
    if (!fast) return NULL;
    fast->chunks = chunks;
    fast->row_bytes = row_bytes;
    fast->filtered = malloc(room);
    if (keeps_pixels) fast->above = calloc(1, above);
    if (!fast->filtered || (keeps_pixels && !fast->above) ||
        !inflate_rows(fast, count, cpu_deadline)) {
        imgc_png_fast_close(fast);
        return NULL;
    }
    set_colors(fast);
    return fast;
}

void imgc_png_fast_close(imgc_png_fast *fast) {
    if (!fast) return;
    free(fast->filtered);
    free(fast->above);
    free(fast);
}

// MARK: reading

uint32_t imgc_png_fast_width(const imgc_png_fast *fast) { return fast->chunks.width; }

uint32_t imgc_png_fast_height(const imgc_png_fast *fast) { return fast->chunks.height; }

static void write_key(uint8_t *row, uint32_t key, size_t width) {
    for (size_t x = 0; x < width; x++) {
        uint32_t pixel;
        memcpy(&pixel, row + 4 * x, 4);
        if (pixel == key) row[4 * x + 3] = 0;
    }
}

/// A row of one or two samples a pixel.
static void read_gray(imgc_png_fast *fast, uint8_t *filtered, uint8_t *out) {
    size_t width = fast->chunks.width;
    uint8_t *row = filtered + 1;
    const uint8_t *above = fast->next_row == 0 ? fast->above : row - fast->row_bytes - 1;
    imgc_png_unfilter(*filtered, fast->chunks.samples, row, above, fast->row_bytes);
    if (fast->chunks.samples == 1) {
        for (size_t x = 0; x < width; x++) memcpy(out + 4 * x, &fast->colors[row[x]], 4);
    } else {
        for (size_t x = 0; x < width; x++) {
            uint32_t pixel = rgba(row[2 * x], row[2 * x], row[2 * x], row[2 * x + 1]);
            memcpy(out + 4 * x, &pixel, 4);
        }
    }
}

/// One row of three or four samples a pixel, or two where both can be read at once; how many.
static uint32_t read_colors(imgc_png_fast *fast, const uint8_t *filtered, const uint8_t *above,
                            uint8_t *out, size_t bytes_per_row, uint32_t count) {
    size_t width = fast->chunks.width;
    int samples = fast->chunks.samples;
    const uint8_t *filtered2 = filtered + fast->row_bytes + 1;
    bool reads_two = count >= 2 && *filtered == 4 && *filtered2 == 4;
    if (reads_two) {
        imgc_png_unfilter_paeths(samples, filtered + 1, filtered2 + 1, above, out,
                                 out + bytes_per_row, width);
    } else {
        imgc_png_unfilter_rgba(*filtered, samples, filtered + 1, above, out, width);
    }
    // The alpha that this changes is not part of what the next row is computed from.
    if (fast->has_key) write_key(out, fast->key, width);
    if (fast->has_key && reads_two) write_key(out + bytes_per_row, fast->key, width);
    return reads_two ? 2 : 1;
}

void imgc_png_fast_read(imgc_png_fast *fast, uint8_t *out, size_t bytes_per_row, uint32_t count) {
    const uint8_t *above = fast->above;
    for (uint32_t y = 0, done; y < count; y += done, out += bytes_per_row * done) {
        uint8_t *filtered = fast->filtered + (fast->row_bytes + 1) * fast->next_row;
        if (fast->chunks.samples < 3) {
            read_gray(fast, filtered, out);
            done = 1;
        } else {
            done = read_colors(fast, filtered, above, out, bytes_per_row, count - y);
            above = out + bytes_per_row * (done - 1);
        }
        fast->next_row += done;
    }
    if (fast->chunks.samples >= 3 && count > 0) {
        memcpy(fast->above, above, 4 * (size_t)fast->chunks.width);
    }
}
