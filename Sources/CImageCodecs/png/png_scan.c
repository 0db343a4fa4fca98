// The chunks of a PNG. Source: W3C Portable Network Graphics (Third Edition), sections 5 and 11.
#include "imgc_scan.h"

#include "../common/exif.h"
#include "../common/support.h"

#include <string.h>

#include <zlib.h>

static uint32_t read32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool is_letter(uint8_t byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

static bool depth_fits(uint8_t type, uint8_t depth) {
    switch (type) {
    case 0: return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case 3: return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case 2: case 4: case 6: return depth == 8 || depth == 16;
    default: return false;
    }
}

static bool read_header(const uint8_t *header, const imgc_limits *limits, imgc_info *info,
                        imgc_error *error) {
    info->width = read32(header);
    info->height = read32(header + 4);
    if (!imgc_size_allowed(info->width, info->height, limits, error)) return false;
    uint8_t type = header[9];
    if (!depth_fits(type, header[8]) || header[10] != 0 || header[11] != 0 || header[12] > 1) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, 24, "the header has values of no PNG");
        return false;
    }
    info->bit_depth = header[8];
    info->color = type == 3 ? IMGC_COLOR_PALETTE : type & 2 ? IMGC_COLOR_RGB : IMGC_COLOR_GRAY;
    info->has_alpha = (type & 4) != 0;
    info->progressive = header[12] == 1;
    return true;
}

/// What follows from all chunks before the pixels.
static imgc_status end(imgc_info *info) {
    if (info->has_animation) info->orientation = 1; // it would have to hold for all frames
    return IMGC_STATUS_OK;
}

imgc_status imgc_png_scan(const uint8_t *png, size_t size, const imgc_limits *limits, bool to_end,
                          imgc_info *info, imgc_error *error) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a};
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *info = (imgc_info){.orientation = 1};
    if (size < 8 || memcmp(png, signature, 8) != 0) {
        return imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the signature is not whole");
    }
    bool has_header = false, has_palette = false, has_pixels = false, has_exif = false;
    for (size_t at = 8;;) {
        if (size - at < 12) {
            return imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends between chunks");
        }
        uint32_t length = read32(png + at);
        const uint8_t *type = png + at + 4, *body = png + at + 8;
        if (length > 0x7fffffff || !is_letter(type[0]) || !is_letter(type[1]) ||
            !is_letter(type[2]) || !is_letter(type[3])) {
            return imgc_fail(error, IMGC_STATUS_CORRUPT, at, "no chunk where one should begin");
        }
        if (memcmp(type, "IDAT", 4) == 0 && !to_end && has_header) return end(info);
        if (length > size - at - 12) {
            return imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends inside a chunk");
        }
        bool is_critical = (type[0] & 0x20) == 0;
        if (is_critical && crc32(0, type, length + 4) != read32(body + length)) {
            return imgc_fail(error, IMGC_STATUS_CORRUPT, at, "a chunk's checksum is wrong");
        }
        if (memcmp(type, "CgBI", 4) == 0) {
            return imgc_fail(error, IMGC_STATUS_UNSUPPORTED, at,
                             "Xcode's own kind of PNG (CgBI) cannot be read; convert it back first");
        } else if (memcmp(type, "IHDR", 4) == 0) {
            if (has_header || length != 13) {
                return imgc_fail(error, IMGC_STATUS_CORRUPT, at, "the header chunk is wrong");
            }
            has_header = true;
            if (!read_header(body, limits, info, error)) return error->status;
        } else if (!has_header) {
            return imgc_fail(error, IMGC_STATUS_CORRUPT, at, "the header chunk is missing");
        } else if (memcmp(type, "PLTE", 4) == 0) {
            has_palette = true;
        } else if (memcmp(type, "tRNS", 4) == 0) {
            info->has_alpha = true;
        } else if (memcmp(type, "iCCP", 4) == 0) {
            info->has_icc = true;
            info->icc_size = length;
        } else if (memcmp(type, "acTL", 4) == 0 && !has_pixels) {
            info->has_animation = true;
        } else if (memcmp(type, "eXIf", 4) == 0 && !has_pixels && !has_exif) {
            // Behind the pixels it is not valid, and browsers ignore it.
            has_exif = crc32(0, type, length + 4) == read32(body + length);
            if (has_exif) info->orientation = imgc_exif_orientation(body, length);
        } else if (memcmp(type, "IDAT", 4) == 0) {
            has_pixels = true;
            if (info->color == IMGC_COLOR_PALETTE && !has_palette) {
                return imgc_fail(error, IMGC_STATUS_CORRUPT, at, "the palette is missing");
            }
        } else if (memcmp(type, "IEND", 4) == 0) {
            if (!has_pixels) {
                return imgc_fail(error, IMGC_STATUS_CORRUPT, at, "no pixels before the end");
            }
            return end(info);
        } else if (is_critical) {
            return imgc_fail(error, IMGC_STATUS_CORRUPT, at, "an unknown chunk that is critical");
        }
        at += 12 + (size_t)length;
    }
}

imgc_png_colors imgc_png_find_colors(const uint8_t *png, size_t size) {
    imgc_png_colors colors = {0};
    for (size_t at = 8; at + 12 <= size;) {
        uint32_t length = read32(png + at);
        const uint8_t *type = png + at + 4, *body = png + at + 8;
        if (length > size - at - 12 || memcmp(type, "IDAT", 4) == 0) break;
        at += 12 + (size_t)length;
        if (memcmp(type, "iCCP", 4) == 0) colors.has_icc = true;
        // No other that counts is longer.
        if (length > 32 || crc32(0, type, length + 4) != read32(body + length)) continue;
        if (memcmp(type, "cICP", 4) == 0 && length == 4 && body[2] == 0 && body[3] == 1) {
            colors.primaries = body[0];
            colors.transfer = body[1];
        } else if (memcmp(type, "sRGB", 4) == 0 && length == 1) {
            colors.has_srgb = true;
        } else if (memcmp(type, "gAMA", 4) == 0 && length == 4) {
            colors.gamma = read32(body);
        } else if (memcmp(type, "cHRM", 4) == 0 && length == 32) {
            for (int i = 0; i < 8; i++) colors.chromaticities[i] = read32(body + 4 * i);
        }
    }
    return colors;
}
