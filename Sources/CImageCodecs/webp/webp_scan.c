// The chunks of a WebP. Source: RFC 9649, 2.3 to 2.7; the frame headers RFC 6386, 9.1, and RFC 9649,
// 3.4.
#include "imgc_webp.h"

#include "../common/exif.h"
#include "../common/support.h"

#include <stdlib.h>
#include <string.h>

struct imgc_webp_table {
    imgc_webp_summary summary;
    imgc_webp_frame *entries;
    uint32_t capacity;
};

static uint32_t read16(const uint8_t *at) { return (uint32_t)at[0] | (uint32_t)at[1] << 8; }
static uint32_t read24(const uint8_t *at) { return read16(at) | (uint32_t)at[2] << 16; }
static uint32_t read32(const uint8_t *at) { return read24(at) | (uint32_t)at[3] << 24; }

/// What a walk over chunks is about.
struct walk {
    const uint8_t *bytes;
    size_t size; // of the file
    size_t end;  // where the chunks should end: behind the RIFF chunk
    const imgc_limits *limits;
    imgc_webp_table *table;
    imgc_error *error;
    uint64_t frame_pixels;
    size_t alpha; // offset of a still's chunk of alpha; 0 for none
    bool has_image, has_loops;
};

/// The size and kind of a bitstream.
struct bitstream {
    uint32_t width, height;
    bool lossless, has_alpha;
};

static imgc_status fail(struct walk *walk, imgc_status status, size_t at, const char *words) {
    return imgc_fail(walk->error, status, at, "%s", words);
}

/// Reads the header of `VP8 ` or `VP8L` data that begins at `at` and should have `length` bytes.
static bool read_bitstream(struct walk *walk, bool lossless, size_t at, size_t length,
                           struct bitstream *found) {
    const uint8_t *data = walk->bytes + at;
    size_t needed = lossless ? 5 : 10;
    if (length < needed) return fail(walk, IMGC_STATUS_CORRUPT, at, "an image without a header"), false;
    if (walk->size - at < needed) {
        return fail(walk, IMGC_STATUS_TRUNCATED, walk->size, "the data ends inside the header"), false;
    }
    found->lossless = lossless;
    if (lossless) {
        uint32_t bits = read32(data + 1);
        if (data[0] != 0x2f || bits >> 29 != 0) {
            return fail(walk, IMGC_STATUS_CORRUPT, at, "the header of a lossless image is wrong"), false;
        }
        found->width = (bits & 0x3fff) + 1;
        found->height = (bits >> 14 & 0x3fff) + 1;
        found->has_alpha = (bits >> 28 & 1) != 0;
        return true;
    }
    uint32_t bits = read24(data);
    bool is_key = (bits & 1) == 0, is_shown = (bits >> 4 & 1) != 0;
    if (!is_key || (bits >> 1 & 7) > 3 || !is_shown || bits >> 5 >= length || data[3] != 0x9d ||
        data[4] != 0x01 || data[5] != 0x2a) {
        return fail(walk, IMGC_STATUS_CORRUPT, at, "the header of a lossy image is wrong"), false;
    }
    found->width = read16(data + 6) & 0x3fff;
    found->height = read16(data + 8) & 0x3fff;
    found->has_alpha = false;
    if (found->width == 0 || found->height == 0) {
        return fail(walk, IMGC_STATUS_CORRUPT, at, "an image without pixels"), false;
    }
    return true;
}

static bool is_tag(const uint8_t *at, const char *tag) { return memcmp(at, tag, 4) == 0; }

/// Reads the chunks of one frame: alpha and bitstream. `end` is where they should end.
static bool read_frame(struct walk *walk, size_t at, size_t end, imgc_webp_frame *frame) {
    bool has_alpha = false;
    size_t known = walk->size < end ? walk->size : end;
    frame->data = at;
    while (at <= known && known - at >= 8) {
        size_t length = read32(walk->bytes + at + 4), padded = length + (length & 1);
        const uint8_t *tag = walk->bytes + at;
        if (padded > end - at - 8) break;
        if (is_tag(tag, "VP8 ") || is_tag(tag, "VP8L")) {
            struct bitstream found;
            if (!read_bitstream(walk, tag[3] == 'L', at + 8, length, &found)) return false;
            if (found.width != frame->width || found.height != frame->height) {
                return fail(walk, IMGC_STATUS_CORRUPT, at, "a frame of another size"), false;
            }
            if (length > walk->size - at - 8) {
                return fail(walk, IMGC_STATUS_TRUNCATED, walk->size, "the data ends inside a frame"),
                       false;
            }
            frame->has_alpha = found.has_alpha || (has_alpha && !found.lossless);
            frame->lossless = found.lossless;
            frame->size = at + 8 + length - frame->data;
            walk->table->summary.info.color = found.lossless ? IMGC_COLOR_RGB : IMGC_COLOR_YCBCR;
            return true;
        }
        if (is_tag(tag, "ALPH")) {
            has_alpha = true;
        } else if (!has_alpha) {
            frame->data = at + 8 + padded; // an unknown chunk before the image
        }
        at += 8 + padded;
    }
    bool is_cut = known < end;
    return fail(walk, is_cut ? IMGC_STATUS_TRUNCATED : IMGC_STATUS_CORRUPT, at,
                is_cut ? "the data ends inside a frame" : "a frame without an image"),
           false;
}

static bool add_frame(struct walk *walk, size_t at, size_t length) {
    imgc_webp_summary *summary = &walk->table->summary;
    const uint8_t *head = walk->bytes + at;
    if (length < 16) return fail(walk, IMGC_STATUS_CORRUPT, at, "the header of a frame is too short"), false;
    if (walk->size - at < 16) {
        return fail(walk, IMGC_STATUS_TRUNCATED, walk->size, "the data ends inside a frame"), false;
    }
    imgc_webp_frame frame = {
        .left = 2 * read24(head),
        .top = 2 * read24(head + 3),
        .width = read24(head + 6) + 1,
        .height = read24(head + 9) + 1,
        .milliseconds = read24(head + 12),
        .clears = (head[15] & 1) != 0,
        .blends = (head[15] & 2) == 0,
    };
    if (frame.left + frame.width > summary->info.width ||
        frame.top + frame.height > summary->info.height) {
        return fail(walk, IMGC_STATUS_CORRUPT, at, "a frame outside the canvas"), false;
    }
    if (summary->frames >= walk->limits->max_frames) {
        return fail(walk, IMGC_STATUS_LIMIT, at, "more frames than allowed"), false;
    }
    // A frame that covers little of a large canvas costs the canvas all the same.
    walk->frame_pixels += (uint64_t)summary->info.width * summary->info.height;
    if (walk->frame_pixels > walk->limits->max_animation_pixels) {
        return fail(walk, IMGC_STATUS_LIMIT, at, "the frames have more pixels than allowed in all"), false;
    }
    if (!read_frame(walk, at + 16, at + length, &frame)) return false;
    if (summary->frames == walk->table->capacity) {
        uint32_t capacity = walk->table->capacity ? 2 * walk->table->capacity : 16;
        imgc_webp_frame *grown = realloc(walk->table->entries, capacity * sizeof *grown);
        if (!grown) return fail(walk, IMGC_STATUS_MEMORY, 0, "no memory for the frames"), false;
        walk->table->entries = grown;
        walk->table->capacity = capacity;
    }
    bool covers = frame.width == summary->info.width && frame.height == summary->info.height;
    if (frame.has_alpha || frame.clears || (summary->frames == 0 && !covers)) {
        summary->info.has_alpha = true;
    }
    walk->table->entries[summary->frames++] = frame;
    return true;
}

static bool begin_canvas(struct walk *walk, uint32_t width, uint32_t height) {
    imgc_info *info = &walk->table->summary.info;
    info->width = width;
    info->height = height;
    return imgc_size_allowed(width, height, walk->limits, walk->error);
}

/// Reads the bitstream of a still; `extended` where a canvas was announced.
static bool read_still(struct walk *walk, const uint8_t *tag, size_t at, size_t length,
                       bool extended) {
    imgc_info *info = &walk->table->summary.info;
    struct bitstream found;
    if (!read_bitstream(walk, tag[3] == 'L', at, length, &found)) return false;
    if (!extended) {
        if (!begin_canvas(walk, found.width, found.height)) return false;
    } else if (found.width != info->width || found.height != info->height) {
        return fail(walk, IMGC_STATUS_CORRUPT, at, "the image is not as large as the canvas"), false;
    }
    info->color = found.lossless ? IMGC_COLOR_RGB : IMGC_COLOR_YCBCR;
    info->has_alpha |= found.has_alpha;
    imgc_webp_frame *still = &walk->table->summary.still;
    still->width = found.width;
    still->height = found.height;
    still->has_alpha = info->has_alpha;
    still->lossless = found.lossless;
    still->data = walk->alpha > 0 ? walk->alpha : at - 8;
    still->size = (length < walk->size - at ? at + length : walk->size) - still->data;
    walk->has_image = true;
    return true;
}

/// Walks the chunks of an extended file.
static bool read_chunks(struct walk *walk, size_t at, uint8_t flags) {
    imgc_webp_summary *summary = &walk->table->summary;
    bool is_animation = (flags & 2) != 0, has_exif = false;
    while (at <= walk->end && walk->end - at >= 8) {
        if (walk->size < at || walk->size - at < 8) {
            return fail(walk, IMGC_STATUS_TRUNCATED, walk->size, "the data ends between chunks"), false;
        }
        const uint8_t *tag = walk->bytes + at, *body = tag + 8;
        size_t length = read32(tag + 4), padded = length + (length & 1);
        if (length > walk->end - at - 8) {
            return fail(walk, IMGC_STATUS_CORRUPT, at, "a chunk is longer than the file"), false;
        }
        bool is_whole = length <= walk->size - at - 8;
        if (is_tag(tag, "ANMF") && is_animation) {
            if (!walk->has_loops) {
                return fail(walk, IMGC_STATUS_CORRUPT, at, "a frame before the header of the animation"), false;
            }
            if (!add_frame(walk, at + 8, length)) return false;
        } else if (is_tag(tag, "VP8 ") || is_tag(tag, "VP8L")) {
            if (is_animation) {
                return fail(walk, IMGC_STATUS_CORRUPT, at, "an image outside the frames"), false;
            }
            if (!walk->has_image && !read_still(walk, tag, at + 8, length, true)) return false;
        } else if (is_tag(tag, "ALPH") && !is_animation) {
            summary->info.has_alpha = true;
            if (walk->alpha == 0) walk->alpha = at;
        } else if (is_tag(tag, "VP8X")) {
            return fail(walk, IMGC_STATUS_CORRUPT, at, "a second header"), false;
        } else if (is_tag(tag, "ANIM") && is_animation && !walk->has_loops) {
            if (length < 6) {
                return fail(walk, IMGC_STATUS_CORRUPT, at, "the header of the animation is too short"), false;
            }
            if (is_whole) {
                summary->loop_count = read16(body + 4);
                walk->has_loops = true;
            }
        } else if (is_tag(tag, "ICCP") && !summary->info.has_icc && is_whole && length > 0 &&
                   length <= walk->limits->max_chunk_bytes) {
            summary->info.has_icc = true;
            summary->info.icc_size = length;
            summary->icc = at + 8;
        } else if (is_tag(tag, "EXIF") && !has_exif && is_whole) {
            // With or without the flag that announces it.
            bool has_mark = length >= 6 && memcmp(body, "Exif\0\0", 6) == 0;
            summary->info.orientation =
                imgc_exif_orientation(body + (has_mark ? 6 : 0), length - (has_mark ? 6 : 0));
            has_exif = true;
        }
        if (!is_whole) {
            return fail(walk, IMGC_STATUS_TRUNCATED, walk->size, "the data ends inside a chunk"), false;
        }
        if (padded > walk->end - at - 8) break; // the last byte of padding is missing
        at += 8 + padded;
    }
    if (is_animation ? summary->frames == 0 : !walk->has_image) {
        return fail(walk, IMGC_STATUS_CORRUPT, at, "the file has no image"), false;
    }
    return true;
}

static bool read_file(struct walk *walk) {
    const uint8_t *bytes = walk->bytes;
    imgc_webp_summary *summary = &walk->table->summary;
    summary->info.orientation = 1;
    summary->info.bit_depth = 8;
    if (walk->size < 20) return fail(walk, IMGC_STATUS_TRUNCATED, walk->size, "the data ends inside the header"), false;
    size_t riff = read32(bytes + 4);
    if (!is_tag(bytes, "RIFF") || !is_tag(bytes + 8, "WEBP") || riff < 12 || riff > 0xfffffff6u) {
        return fail(walk, IMGC_STATUS_CORRUPT, 0, "the header is not that of a WebP"), false;
    }
    walk->end = 8 + riff;
    const uint8_t *tag = bytes + 12;
    size_t length = read32(tag + 4);
    if (length > walk->end - 20) {
        return fail(walk, IMGC_STATUS_CORRUPT, 12, "a chunk is longer than the file"), false;
    }
    if (is_tag(tag, "VP8 ") || is_tag(tag, "VP8L")) {
        if (!read_still(walk, tag, 20, length, false)) return false;
        // Losing the byte that pads an odd length is harmless.
        bool lacks_padding = walk->end - walk->size == 1 && walk->size - 20 == length;
        if (walk->size < walk->end && !lacks_padding) {
            return fail(walk, IMGC_STATUS_TRUNCATED, walk->size, "the data ends too early"), false;
        }
        return true;
    }
    if (!is_tag(tag, "VP8X")) {
        return fail(walk, IMGC_STATUS_CORRUPT, 12, "no image in the first chunk"), false;
    }
    if (length < 10) return fail(walk, IMGC_STATUS_CORRUPT, 12, "the header is too short"), false;
    if (walk->size < 30) return fail(walk, IMGC_STATUS_TRUNCATED, walk->size, "the data ends inside the header"), false;
    uint32_t width = read24(bytes + 24) + 1, height = read24(bytes + 27) + 1;
    if (!begin_canvas(walk, width, height)) return false;
    summary->info.has_animation = (bytes[20] & 2) != 0;
    summary->info.has_alpha = (bytes[20] & 0x10) != 0 && !summary->info.has_animation;
    return read_chunks(walk, 20 + length + (length & 1), bytes[20]);
}

imgc_webp_table *imgc_webp_table_make(const uint8_t *webp, size_t size, const imgc_limits *limits,
                                      imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    imgc_webp_table *table = calloc(1, sizeof *table);
    if (!table) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "out of memory");
        return NULL;
    }
    struct walk walk = {.bytes = webp, .size = size, .limits = limits, .table = table, .error = error};
    imgc_webp_summary *summary = &table->summary;
    if (!read_file(&walk)) {
        // What has come is of use where the file only breaks off.
        bool is_usable = walk.has_image || summary->frames > 0;
        if (error->status != IMGC_STATUS_TRUNCATED || !is_usable) {
            imgc_webp_table_free(table);
            return NULL;
        }
        summary->fault = *error;
        *error = (imgc_error){.status = IMGC_STATUS_OK};
    }
    return table;
}

void imgc_webp_table_free(imgc_webp_table *table) {
    if (!table) return;
    free(table->entries);
    free(table);
}

const imgc_webp_summary *imgc_webp_table_summary(const imgc_webp_table *table) {
    return &table->summary;
}

const imgc_webp_frame *imgc_webp_table_entry(const imgc_webp_table *table, uint32_t index) {
    return &table->entries[index];
}
