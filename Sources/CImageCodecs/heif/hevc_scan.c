#include "hevc_scan.h"

#include "../common/support.h"
#include "heif_boxes.h"

/// A parameter set that is read bit by bit; behind the end are zeros.
typedef struct bits {
    const uint8_t *bytes;
    size_t size, at; // `at` counts bits
} bits;

static uint32_t take(bits *in, unsigned count) {
    uint32_t value = 0;
    for (; count > 0; count--, in->at++) {
        size_t byte = in->at / 8;
        value = value << 1 | (byte < in->size ? in->bytes[byte] >> (7 - in->at % 8) & 1u : 0);
    }
    return value;
}

/// An Exp-Golomb code (ITU-T H.265, 9.2); of one that is too long the bits that fit.
static uint32_t take_code(bits *in) {
    unsigned zeros = 0;
    while (zeros < 32 && in->at < 8 * in->size && take(in, 1) == 0) zeros++;
    return zeros == 32 ? UINT32_MAX : (1u << zeros) - 1 + take(in, zeros);
}

static imgc_status damaged(imgc_error *error) {
    return imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the HEVC data is damaged");
}

/// Reads the size of pictures from a sequence parameter set (ITU-T H.265, 7.3.2.2).
static imgc_status read_set(imgc_hevc_scan *scan, const uint8_t *bytes, size_t size,
                            imgc_error *error) {
    // As far as the size; two zeros before a 3 are those of the set, the 3 is not.
    uint8_t plain[128];
    size_t count = 0;
    for (size_t i = 2, zeros = 0; i < size && count < sizeof plain; i++) {
        bool is_escape = zeros >= 2 && bytes[i] == 3;
        zeros = bytes[i] == 0 ? zeros + 1 : 0;
        if (!is_escape) plain[count++] = bytes[i];
    }
    bits in = {.bytes = plain, .size = count};
    take(&in, 4);
    unsigned layers = take(&in, 3), has_profile = 0, has_level = 0;
    in.at += 1 + 88 + 8; // profile and level of the whole
    for (unsigned i = 0; i < layers; i++) {
        has_profile |= take(&in, 1) << i;
        has_level |= take(&in, 1) << i;
    }
    if (layers) in.at += 2 * (8 - layers);
    for (unsigned i = 0; i < layers; i++) {
        in.at += (has_profile >> i & 1 ? 88 : 0) + (has_level >> i & 1 ? 8 : 0);
    }
    take_code(&in);
    if (take_code(&in) == 3) take(&in, 1);
    uint64_t width = take_code(&in), height = take_code(&in);
    if (width == 0 || height == 0 || in.at > 8 * in.size) return damaged(error);
    // Coded are whole blocks: up to 63 more than are shown.
    const uint64_t padding = 63;
    uint64_t across = width > padding ? width - padding : 1;
    uint64_t down = height > padding ? height - padding : 1;
    if (across > scan->max_side || down > scan->max_side || across * down > scan->max_pixels) {
        return imgc_fail(error, IMGC_STATUS_LIMIT, 0,
                         "the HEVC data has pictures of %llu x %llu pixels, more than allowed",
                         (unsigned long long)width, (unsigned long long)height);
    }
    if (width * height > scan->frame_pixels) scan->frame_pixels = width * height;
    return IMGC_STATUS_OK;
}

static imgc_status read_unit(imgc_hevc_scan *scan, const uint8_t *bytes, size_t size,
                             imgc_error *error) {
    enum { LAST_PICTURE = 31, PARAMETER_SET = 33, SLICES = 16 };
    if (size < 3) return IMGC_STATUS_OK;
    unsigned type = bytes[0] >> 1 & 63;
    if (type == PARAMETER_SET) return read_set(scan, bytes, size, error);
    if (type > LAST_PICTURE) return IMGC_STATUS_OK;
    // A slice that does not begin a picture may still write all of it.
    scan->spent += bytes[2] & 0x80 ? scan->frame_pixels : scan->frame_pixels / SLICES;
    if (scan->spent <= scan->budget) return IMGC_STATUS_OK;
    return imgc_fail(error, IMGC_STATUS_LIMIT, 0, "the HEVC data has more pictures than allowed");
}

imgc_status imgc_hevc_scan_data(imgc_hevc_scan *scan, const uint8_t *bytes, size_t size,
                                imgc_error *error) {
    while (size >= 4) {
        uint64_t length = imgc_number(bytes, 4);
        if (length > size - 4) return damaged(error);
        if (read_unit(scan, bytes + 4, (size_t)length, error) != IMGC_STATUS_OK) {
            return error->status;
        }
        bytes += 4 + length;
        size -= 4 + (size_t)length;
    }
    return IMGC_STATUS_OK;
}

imgc_status imgc_hevc_scan_configuration(imgc_hevc_scan *scan, const uint8_t *bytes, size_t size,
                                         uint32_t *bit_depth, bool *is_gray, imgc_error *error) {
    enum { HEADER = 23 };
    if (size < HEADER) return damaged(error);
    *is_gray = (bytes[16] & 3) == 0;
    *bit_depth = 8 + (bytes[17] & 7);
    if ((bytes[21] & 3) != 3) {
        return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, 0,
                         "the lengths of its HEVC units do not have 4 bytes");
    }
    unsigned lists = bytes[22];
    size_t at = HEADER;
    for (; lists > 0; lists--) {
        if (size - at < 3) return damaged(error);
        unsigned units = (unsigned)imgc_number(bytes + at + 1, 2);
        at += 3;
        for (; units > 0; units--) {
            if (size - at < 2) return damaged(error);
            size_t length = (size_t)imgc_number(bytes + at, 2);
            if (length > size - at - 2) return damaged(error);
            if (read_unit(scan, bytes + at + 2, length, error) != IMGC_STATUS_OK) {
                return error->status;
            }
            at += 2 + length;
        }
    }
    return IMGC_STATUS_OK;
}
