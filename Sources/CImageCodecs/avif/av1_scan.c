#include "av1_scan.h"

#include "../common/support.h"

#include <string.h>

enum { SEQUENCE_HEADER = 1, FRAME_HEADER = 3, FRAME = 6 };

/// What a frame of few pixels is taken for: each has tables to be filled.
enum { LEAST_FRAME_PIXELS = 4096 };

// MARK: sequence header

struct bits {
    const uint8_t *bytes;
    size_t size, at; // `at` in bits; beyond the end all are zero
};

static uint32_t take(struct bits *bits, int count) {
    uint32_t value = 0;
    for (; count > 0; count--, bits->at++) {
        size_t byte = bits->at / 8;
        uint32_t bit = byte < bits->size ? (bits->bytes[byte] >> (7 - bits->at % 8)) & 1 : 0;
        value = value << 1 | bit;
    }
    return value;
}

/// An unsigned number of variable length (4.10.3).
static void skip_uvlc(struct bits *bits) {
    int zeros = 0;
    while (zeros < 32 && take(bits, 1) == 0) zeros++;
    if (zeros < 32) take(bits, zeros);
}

/// Timing, decoder model and operating points (5.5.1): all that comes before the size.
static void skip_operating_points(struct bits *bits) {
    int delay_length = 0;
    bool has_model = false;
    if (take(bits, 1)) { // timing_info_present_flag
        take(bits, 32);
        take(bits, 32);
        if (take(bits, 1)) skip_uvlc(bits);
        has_model = take(bits, 1);
        if (has_model) {
            delay_length = (int)take(bits, 5) + 1;
            take(bits, 32);
            take(bits, 10);
        }
    }
    bool has_delay = take(bits, 1);
    uint32_t points = take(bits, 5) + 1;
    for (uint32_t i = 0; i < points; i++) {
        take(bits, 12);
        if (take(bits, 5) > 7) take(bits, 1);
        if (has_model && take(bits, 1)) {
            take(bits, delay_length);
            take(bits, delay_length);
            take(bits, 1);
        }
        if (has_delay && take(bits, 1)) take(bits, 4);
    }
}

static imgc_status read_sequence_header(imgc_av1_scan *scan, const uint8_t *bytes, size_t size,
                                        imgc_error *error) {
    struct bits bits = {.bytes = bytes, .size = size};
    take(&bits, 4); // profile, still picture
    if (take(&bits, 1)) {
        take(&bits, 5); // reduced: a level alone
    } else {
        skip_operating_points(&bits);
    }
    int width_bits = (int)take(&bits, 4) + 1, height_bits = (int)take(&bits, 4) + 1;
    uint64_t width = (uint64_t)take(&bits, width_bits) + 1;
    uint64_t height = (uint64_t)take(&bits, height_bits) + 1;
    if (bits.at > size * 8) {
        return imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the AV1 sequence header is damaged");
    }
    if (width > scan->max_side || height > scan->max_side || width * height > scan->max_pixels) {
        return imgc_fail(error, IMGC_STATUS_LIMIT, 0,
                         "the AV1 data claims %llu x %llu pixels, more than allowed",
                         (unsigned long long)width, (unsigned long long)height);
    }
    scan->frame_pixels = width * height;
    return IMGC_STATUS_OK;
}

// MARK: OBUs

/// The head of an OBU and where its contents are.
struct obu {
    uint32_t type;
    size_t start, size;
};

/// False where the OBU is not all there.
static bool next_obu(const uint8_t *bytes, size_t size, struct obu *obu) {
    size_t at = 1 + ((bytes[0] >> 2) & 1); // the header, perhaps with its extension
    obu->type = (bytes[0] >> 3) & 15;
    if (at > size) return false;
    obu->start = at;
    obu->size = size - at;
    if (!(bytes[0] & 2)) return true; // no size: up to the end
    uint64_t length = 0;
    for (int i = 0; i < 8; i++) { // leb128
        if (at >= size) return false;
        uint8_t byte = bytes[at++];
        length |= (uint64_t)(byte & 127) << (7 * i);
        if (!(byte & 128)) break;
    }
    if (length > size - at) return false;
    obu->start = at;
    obu->size = (size_t)length;
    return true;
}

/// Walks whole OBUs and tells where the first one begins that is not.
static imgc_status walk(imgc_av1_scan *scan, const uint8_t *bytes, size_t size, size_t *end,
                        imgc_error *error) {
    *end = 0;
    struct obu obu;
    while (*end < size && next_obu(bytes + *end, size - *end, &obu)) {
        const uint8_t *contents = bytes + *end + obu.start;
        if (obu.type == SEQUENCE_HEADER) {
            imgc_status status = read_sequence_header(scan, contents, obu.size, error);
            if (status != IMGC_STATUS_OK) return status;
        } else if (obu.type == FRAME_HEADER || obu.type == FRAME) {
            scan->spent += scan->frame_pixels > LEAST_FRAME_PIXELS ? scan->frame_pixels
                                                                   : LEAST_FRAME_PIXELS;
            if (scan->spent > scan->budget) {
                return imgc_fail(error, IMGC_STATUS_LIMIT, 0,
                                 "the AV1 data has more than %llu pixels in all its frames",
                                 (unsigned long long)scan->budget);
            }
        }
        *end += obu.start + obu.size;
    }
    return IMGC_STATUS_OK;
}

imgc_status imgc_av1_scan_piece(imgc_av1_scan *scan, const uint8_t *bytes, size_t size,
                                imgc_error *error) {
    imgc_buffer *pending = &scan->pending;
    size_t end = 0;
    if (pending->count == 0) {
        imgc_status status = walk(scan, bytes, size, &end, error);
        if (status != IMGC_STATUS_OK || end == size) return status;
        bytes += end;
        size -= end;
    }
    if (!imgc_buffer_append(pending, bytes, size)) {
        return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory to decode");
    }
    imgc_status status = walk(scan, pending->bytes, pending->count, &end, error);
    if (status != IMGC_STATUS_OK) return status;
    if (end > 0) {
        pending->count -= end;
        memmove(pending->bytes, pending->bytes + end, pending->count);
    }
    return IMGC_STATUS_OK;
}
