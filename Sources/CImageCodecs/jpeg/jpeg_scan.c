// The markers of a JPEG. Source: ITU-T T.81, annex B; Adobe's APP14; ICC.1 annex B.4 for APP2.
#include "imgc_scan.h"

#include "../common/exif.h"
#include "../common/support.h"

#include <stdlib.h>
#include <string.h>

/// Finds the next marker at or after `*at` and steps behind it; -1 where the data ends first.
/// Stuffed zeros, fill bytes and restart markers are passed over, as is anything between segments.
static int next_marker(const uint8_t *jpeg, size_t size, size_t *at) {
    while (*at + 1 < size) {
        const uint8_t *found = memchr(jpeg + *at, 0xff, size - 1 - *at);
        if (!found) break;
        *at = (size_t)(found - jpeg) + 1;
        uint8_t code = jpeg[*at];
        if (code == 0xff) continue; // a fill byte: the next may begin a marker
        *at += 1;
        if (code != 0 && code != 1 && !(code >= 0xd0 && code <= 0xd7)) return code;
    }
    *at = size;
    return -1;
}

/// The bytes of the segment at `*at`, without its length; steps behind it. NULL where it is cut.
static const uint8_t *take_segment(const uint8_t *jpeg, size_t size, size_t *at, size_t *count) {
    if (size - *at < 2) return NULL;
    size_t length = (size_t)jpeg[*at] << 8 | jpeg[*at + 1];
    if (length < 2) length = 2; // the library takes such lengths for empty, too
    if (size - *at < length) return NULL;
    const uint8_t *segment = jpeg + *at + 2;
    *count = length - 2;
    *at += length;
    return segment;
}

static const char *unreadable_process(int marker) {
    switch (marker) {
    case 0xc3: return "lossless JPEG cannot be read";
    case 0xc5: case 0xc6: case 0xc7: return "hierarchical JPEG cannot be read";
    case 0xcb: return "lossless arithmetic JPEG cannot be read";
    case 0xcd: case 0xce: case 0xcf: return "hierarchical arithmetic JPEG cannot be read";
    default: return NULL;
    }
}

struct scan {
    const imgc_limits *limits;
    imgc_info *info;
    imgc_error *error;
    bool has_frame, has_scan, has_jfif;
    int adobe; // the transform byte, -1 without the segment
    uint32_t components, scans;
};

static bool read_frame(struct scan *scan, int marker, const uint8_t *segment, size_t count,
                       size_t offset) {
    const char *reason = unreadable_process(marker);
    if (reason) {
        imgc_fail(scan->error, IMGC_STATUS_UNSUPPORTED, offset, "%s", reason);
        return false;
    }
    if (count < 6 || count < 6 + 3u * segment[5]) {
        imgc_fail(scan->error, IMGC_STATUS_CORRUPT, offset, "the frame header is too short");
        return false;
    }
    if (scan->has_frame) {
        imgc_fail(scan->error, IMGC_STATUS_CORRUPT, offset, "a second frame header");
        return false;
    }
    imgc_info *info = scan->info;
    scan->has_frame = true;
    scan->components = segment[5];
    info->bit_depth = segment[0];
    info->height = (uint32_t)segment[1] << 8 | segment[2];
    info->width = (uint32_t)segment[3] << 8 | segment[4];
    info->progressive = marker == 0xc2 || marker == 0xca;
    if (!imgc_size_allowed(info->width, info->height, scan->limits, scan->error)) return false;
    if (info->bit_depth != 8) {
        imgc_fail(scan->error, IMGC_STATUS_UNSUPPORTED, offset, "%u-bit JPEG cannot be read",
                  info->bit_depth);
        return false;
    }
    if (scan->components == 0 || scan->components == 2 || scan->components > 4) {
        imgc_fail(scan->error, IMGC_STATUS_UNSUPPORTED, offset, "a JPEG of %u components",
                  scan->components);
        return false;
    }
    bool named_rgb = scan->components == 3 && segment[6] == 'R' && segment[9] == 'G' &&
                     segment[12] == 'B';
    info->color = scan->components == 1   ? IMGC_COLOR_GRAY
                  : scan->components == 4 ? IMGC_COLOR_CMYK
                  : named_rgb             ? IMGC_COLOR_RGB
                                          : IMGC_COLOR_YCBCR;
    return true;
}

static void read_application(struct scan *scan, int marker, const uint8_t *segment, size_t count) {
    imgc_info *info = scan->info;
    if (marker == 0xe0 && count >= 14 && memcmp(segment, "JFIF", 5) == 0) {
        scan->has_jfif = true;
    } else if (marker == 0xe1 && count >= 6 && memcmp(segment, "Exif\0", 5) == 0 &&
        info->orientation == 1) {
        info->orientation = imgc_exif_orientation(segment + 6, count - 6);
    } else if (marker == 0xe2 && count >= 14 && memcmp(segment, "ICC_PROFILE", 12) == 0) {
        info->has_icc = true;
        info->icc_size += count - 14;
    } else if (marker == 0xee && count >= 12 && memcmp(segment, "Adobe", 5) == 0) {
        scan->adobe = segment[11];
    }
}

static imgc_status end(struct scan *scan, size_t offset) {
    if (!scan->has_frame || !scan->has_scan) {
        return imgc_fail(scan->error, IMGC_STATUS_CORRUPT, offset, "no image before the end");
    }
    // In the library's order: JFIF, Adobe, names of components.
    if (scan->components == 3 && (scan->has_jfif || scan->adobe >= 0)) {
        bool is_rgb = !scan->has_jfif && scan->adobe == 0;
        scan->info->color = is_rgb ? IMGC_COLOR_RGB : IMGC_COLOR_YCBCR;
    }
    if (scan->adobe == 2 && scan->components == 4) scan->info->color = IMGC_COLOR_YCCK;
    return IMGC_STATUS_OK;
}

imgc_status imgc_jpeg_scan(const uint8_t *jpeg, size_t size, const imgc_limits *limits, bool to_end,
                           imgc_info *info, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    *info = (imgc_info){.orientation = 1};
    struct scan scan = {.limits = limits, .info = info, .error = error, .adobe = -1};
    if (size < 2 || jpeg[0] != 0xff || jpeg[1] != 0xd8) {
        return imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "no start of image");
    }
    for (size_t at = 2;;) {
        int marker = next_marker(jpeg, size, &at);
        if (marker < 0) {
            return imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends without an end of image");
        }
        if (marker == 0xd9) return end(&scan, at);
        if (marker == 0xd8) {
            return imgc_fail(error, IMGC_STATUS_CORRUPT, at, "a second start of image");
        }
        size_t count = 0, offset = at;
        const uint8_t *segment = take_segment(jpeg, size, &at, &count);
        if (!segment) {
            return imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends inside a segment");
        }
        if (marker == 0xda) {
            scan.has_scan = true;
            if (!scan.has_frame) {
                return imgc_fail(error, IMGC_STATUS_CORRUPT, offset, "a scan before the frame header");
            }
            if (++scan.scans > limits->max_scans) {
                return imgc_fail(error, IMGC_STATUS_LIMIT, offset, "more than %u scans",
                                 limits->max_scans);
            }
            if (!to_end) return end(&scan, at);
        } else if (marker >= 0xe0 && marker <= 0xef) {
            read_application(&scan, marker, segment, count);
        } else if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
                   marker != 0xcc) {
            if (!read_frame(&scan, marker, segment, count, offset)) return error->status;
        }
    }
}

imgc_status imgc_jpeg_icc(const uint8_t *jpeg, size_t size, const imgc_limits *limits,
                          imgc_buffer *out, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    struct { const uint8_t *bytes; size_t count; } pieces[256] = {0};
    uint32_t total = 0;
    for (size_t at = 2; size >= 2;) {
        int marker = next_marker(jpeg, size, &at);
        if (marker < 0 || marker == 0xda || marker == 0xd9) break;
        size_t count = 0;
        const uint8_t *segment = take_segment(jpeg, size, &at, &count);
        if (!segment) break;
        if (marker != 0xe2 || count < 14 || memcmp(segment, "ICC_PROFILE", 12) != 0) continue;
        if (total == 0) total = segment[13];
        if (segment[12] == 0 || segment[12] > total || segment[13] != total) return IMGC_STATUS_OK;
        pieces[segment[12]].bytes = segment + 14;
        pieces[segment[12]].count = count - 14;
    }
    for (uint32_t i = 1; i <= total; i++) {
        if (!pieces[i].bytes || out->count + pieces[i].count > limits->max_chunk_bytes) {
            imgc_buffer_free(out);
            return IMGC_STATUS_OK;
        }
        if (!imgc_buffer_append(out, pieces[i].bytes, pieces[i].count)) {
            imgc_buffer_free(out);
            return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for a profile");
        }
    }
    return IMGC_STATUS_OK;
}
