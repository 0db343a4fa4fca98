// Source: W3C Portable Network Graphics (Third Edition), sections 5 and 11; libpng 1.6.39 for what
// it warns of, which is refused here.
#include "png_chunks.h"

#include "../common/support.h"

#include <string.h>

enum { BEFORE, AMONG, AFTER }; // the pixels

static uint32_t read32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool is_named(const uint8_t *chunk, const char *name) {
    return memcmp(chunk + 4, name, 4) == 0;
}

/// Four letters, the third one a capital.
static bool has_sound_name(const uint8_t *chunk) {
    for (int i = 4; i < 8; i++) {
        uint8_t letter = chunk[i] & 0xdf;
        if (letter < 'A' || letter > 'Z') return false;
    }
    return (chunk[6] & 0x20) == 0;
}

static bool read_header(const uint8_t *header, struct imgc_png_chunks *found) {
    static const uint8_t samples[7] = {1, 0, 3, 1, 2, 0, 4};
    uint8_t depth = header[8], color = header[9];
    if (depth != 8 || color > 6 || header[10] != 0 || header[11] != 0 || header[12] != 0) {
        return false;
    }
    found->width = read32(header);
    found->height = read32(header + 4);
    found->color = color;
    found->samples = samples[color];
    return found->samples != 0;
}

static bool read_palette(const uint8_t *body, uint32_t length, struct imgc_png_chunks *found) {
    if (found->color != 3 || found->palette || found->transparency) return false;
    if (length == 0 || length > 768 || length % 3 != 0) return false;
    found->palette = body;
    found->palette_count = length / 3;
    return true;
}

static bool read_transparency(const uint8_t *body, uint32_t length,
                              struct imgc_png_chunks *found) {
    if (found->transparency) return false;
    found->transparency = body;
    found->transparency_count = length;
    switch (found->color) {
    case 0: return length == 2 && body[0] == 0;
    case 2: return length == 6 && body[0] == 0 && body[2] == 0 && body[4] == 0;
    case 3: return found->palette && length > 0 && length <= found->palette_count;
    default: return false;
    }
}

/// The size of a chunk of pixels from which on libpng warns: more than the limit for any chunk, and
/// more than rows take that are not compressed.
static uint64_t most_in_chunk(const struct imgc_png_chunks *found, const imgc_limits *limits) {
    uint64_t row = (uint64_t)found->width * found->samples + 1, rows = row * found->height;
    uint64_t most = rows + 6 + 5 * (rows / (row < 32566 ? row : 32566) + 1);
    return most < limits->max_chunk_bytes ? limits->max_chunk_bytes : most;
}

bool imgc_png_chunks_find(const uint8_t *png, size_t size, const imgc_limits *limits,
                          struct imgc_png_chunks *found) {
    static const char head[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    imgc_error ignored = {.status = IMGC_STATUS_OK};
    *found = (struct imgc_png_chunks){0};
    if (size < 33 || memcmp(png, head, 16) != 0 || !read_header(png + 16, found) ||
        !imgc_size_allowed(found->width, found->height, limits, &ignored)) {
        return false;
    }
    int place = BEFORE;
    const uint64_t most = most_in_chunk(found, limits);
    for (size_t at = 33; size - at >= 12;) {
        const uint8_t *chunk = png + at, *body = chunk + 8;
        uint32_t length = read32(chunk);
        if (length > 0x7fffffff || length > size - at - 12 || !has_sound_name(chunk)) return false;
        at += 12 + (size_t)length;
        if (is_named(chunk, "IDAT")) {
            if (place == AFTER || length == 0 || length > most) return false;
            if (place == BEFORE) found->first = chunk;
            if (place == AMONG) found->is_split = true;
            if (found->color == 3 && !found->palette) return false;
            place = AMONG;
            found->pixels_count += length;
            continue;
        }
        if (place == AMONG) place = AFTER;
        if (is_named(chunk, "IEND")) {
            found->file_count = at;
            return place == AFTER && length == 0;
        }
        if (length > limits->max_chunk_bytes) return false;
        if (is_named(chunk, "PLTE")) {
            if (place != BEFORE || !read_palette(body, length, found)) return false;
        } else if (is_named(chunk, "tRNS")) {
            if (place != BEFORE || !read_transparency(body, length, found)) return false;
        } else if ((chunk[4] & 0x20) == 0) {
            return false; // critical, and not known here or not in its place
        }
    }
    return false;
}
