// The blocks of a GIF, without a library. Source: CompuServe, "Graphics Interchange Format 89a";
// the Netscape looping extension as browsers read it.
#include "imgc_gif.h"

#include "../common/support.h"

#include <stdlib.h>
#include <string.h>

struct imgc_gif_table {
    imgc_gif_summary summary;
    imgc_gif_entry *entries;
    uint32_t room;
    uint64_t work; // pixels to decode and to compose, of all frames so far
};

/// The walk: where it is, and what the next frame inherits.
struct walk {
    const uint8_t *gif;
    size_t size, at;
    const imgc_limits *limits;
    imgc_gif_table *table;
    uint64_t palette;
    uint16_t colors;
    // From the graphic control extension, for one frame:
    uint16_t centiseconds;
    uint8_t disposal, transparent;
    bool has_transparency;
    bool has_control;
    bool has_gaps;    // the canvas before the frame may have pixels that nothing covers
    bool is_doubtful; // the block before may not end where it seems to
};

static uint32_t read16(const uint8_t *at) { return (uint32_t)at[0] | (uint32_t)at[1] << 8; }

static bool cut(struct walk *walk) {
    imgc_fail(&walk->table->summary.fault, IMGC_STATUS_TRUNCATED, walk->size,
              "the data ends before the trailer");
    return false;
}

/// Steps behind blocks and their terminator.
static bool skip_blocks(struct walk *walk) {
    while (walk->at < walk->size) {
        size_t count = walk->gif[walk->at];
        if (walk->size - walk->at - 1 < count) break;
        walk->at += 1 + count;
        if (count == 0) return true;
    }
    walk->at = walk->size;
    return cut(walk);
}

static void read_control(struct walk *walk, const uint8_t *block, size_t count) {
    if (count < 4) return;
    walk->has_control = true;
    walk->disposal = block[0] >> 2 & 7;
    walk->has_transparency = block[0] & 1;
    walk->centiseconds = (uint16_t)read16(block + 1);
    walk->transparent = block[3];
}

/// Reads what an application extension says of loops and profiles; `at` is behind its name.
static void read_application(struct walk *walk, const uint8_t *name, size_t at) {
    imgc_gif_summary *summary = &walk->table->summary;
    if (memcmp(name, "NETSCAPE2.0", 11) == 0 || memcmp(name, "ANIMEXTS1.0", 11) == 0) {
        while (walk->size - at >= 4 && walk->gif[at] != 0) {
            size_t count = walk->gif[at];
            if (count > 5) walk->is_doubtful = true; // known are 3 for loops and 5 for buffers
            if (walk->size - at - 1 < count) return;
            if (count >= 3 && (walk->gif[at + 1] & 7) == 1) {
                uint32_t repeats = read16(walk->gif + at + 2);
                summary->loop_count = repeats == 0 ? 0 : repeats + 1;
                at += 1 + count;
                walk->is_doubtful |= at < walk->size && walk->gif[at] > 5;
                return;
            }
            at += 1 + count;
        }
    } else if (memcmp(name, "ICCRGBG1012", 11) == 0) {
        summary->has_icc = true;
        while (at < walk->size && walk->gif[at] != 0) {
            summary->icc_size += walk->gif[at];
            at += 1 + (size_t)walk->gif[at];
        }
    }
}

/// The length of an extension's first block; 0 where it is not fixed or the kind is unknown.
static size_t fixed_length(uint8_t label) {
    return label == 0xf9 ? 4 : label == 0xff ? 11 : label == 0x01 ? 12 : 0;
}

static bool read_extension(struct walk *walk) {
    if (walk->size - walk->at < 2) return cut(walk);
    uint8_t label = walk->gif[walk->at];
    size_t count = walk->gif[walk->at + 1], first = walk->at + 2;
    walk->is_doubtful = label != 0xfe && count != fixed_length(label);
    if (walk->size - first >= count) {
        if (label == 0xf9) read_control(walk, walk->gif + first, count);
        if (label == 0xff && count == 11) {
            read_application(walk, walk->gif + first, first + count);
        }
    }
    walk->at += 1;
    if (!skip_blocks(walk)) return false;
    // A graphic control has one block: where more follow, a length is wrong.
    walk->is_doubtful |= label == 0xf9 && walk->at != first + count + 1;
    return true;
}

static imgc_gif_entry *new_entry(struct walk *walk, imgc_error *error) {
    imgc_gif_table *table = walk->table;
    imgc_gif_summary *summary = &table->summary;
    if (summary->frames >= walk->limits->max_frames) {
        imgc_fail(error, IMGC_STATUS_LIMIT, walk->at, "more than the %u frames allowed",
                  walk->limits->max_frames);
        return NULL;
    }
    if (summary->frames == table->room) {
        uint32_t room = table->room ? table->room * 2 : 16;
        imgc_gif_entry *grown = realloc(table->entries, room * sizeof *grown);
        if (!grown) {
            imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for the frames");
            return NULL;
        }
        table->entries = grown;
        table->room = room;
    }
    return &table->entries[summary->frames];
}

/// Counts a frame's work: its codes and the canvas that is composed, whichever has more pixels. A
/// frame may be larger than the canvas, and all of its codes are read. A single image is not an
/// animation.
static bool count_work(struct walk *walk, uint64_t pixels, imgc_error *error) {
    imgc_gif_summary *summary = &walk->table->summary;
    uint64_t canvas = (uint64_t)summary->width * summary->height;
    walk->table->work += pixels > canvas ? pixels : canvas;
    if (summary->frames == 0 || walk->table->work <= walk->limits->max_animation_pixels) return true;
    imgc_fail(error, IMGC_STATUS_LIMIT, walk->at,
              "the animation has more than the %llu pixels allowed in all (%llu after %u frames)",
              (unsigned long long)walk->limits->max_animation_pixels,
              (unsigned long long)walk->table->work, summary->frames + 1);
    return false;
}

/// Makes room for the first frame where it is larger than the declared screen, which may be 0 x 0:
/// as far as the frame reaches, as Chromium does. Other frames are cut at the canvas.
static bool grow_canvas(struct walk *walk, const imgc_gif_entry *first, imgc_error *error) {
    imgc_gif_summary *summary = &walk->table->summary;
    if (first->width <= summary->width && first->height <= summary->height) return true;
    uint32_t right = first->left + first->width, bottom = first->top + first->height;
    if (right > summary->width) summary->width = right;
    if (bottom > summary->height) summary->height = bottom;
    return imgc_size_allowed(summary->width, summary->height, walk->limits, error);
}

/// Reads an image descriptor and steps behind its data. False at the end of what can be read.
static bool read_image(struct walk *walk, imgc_error *error) {
    imgc_gif_summary *summary = &walk->table->summary;
    if (walk->size - walk->at < 9) return cut(walk);
    imgc_gif_entry *entry = new_entry(walk, error);
    if (!entry) return false;
    const uint8_t *head = walk->gif + walk->at;
    *entry = (imgc_gif_entry){
        .left = read16(head), .top = read16(head + 2),
        .width = read16(head + 4), .height = read16(head + 6),
        .centiseconds = walk->centiseconds, .disposal = walk->disposal,
        .has_transparency = walk->has_transparency, .transparent = walk->transparent,
        .interlaced = head[8] & 0x40, .palette = walk->palette, .colors = walk->colors,
    };
    walk->at += 9;
    if (head[8] & 0x80) {
        entry->colors = (uint16_t)(2u << (head[8] & 7));
        entry->palette = walk->at;
        if (walk->size - walk->at < 3u * entry->colors) return cut(walk);
        walk->at += 3u * entry->colors;
    }
    if (entry->width == 0 || entry->height == 0) {
        imgc_fail(&summary->fault, IMGC_STATUS_CORRUPT, walk->at, "frame %u has no pixels",
                  summary->frames);
        return false;
    }
    uint64_t pixels = (uint64_t)entry->width * entry->height;
    if (pixels > walk->limits->max_pixels) {
        imgc_fail(error, IMGC_STATUS_LIMIT, walk->at,
                  "frame %u has %llu pixels, more than the %llu allowed", summary->frames,
                  (unsigned long long)pixels, (unsigned long long)walk->limits->max_pixels);
        return false;
    }
    if (summary->frames == 0 && !grow_canvas(walk, entry, error)) return false;
    if (!count_work(walk, pixels, error)) return false;
    if (walk->at >= walk->size) return cut(walk);
    entry->data = walk->at;
    if (walk->gif[walk->at] == 0 || walk->gif[walk->at] > 11) {
        imgc_fail(&summary->fault, IMGC_STATUS_CORRUPT, walk->at, "frame %u has codes of %u bits",
                  summary->frames, walk->gif[walk->at]);
        return false;
    }
    walk->at += 1;
    bool is_whole = skip_blocks(walk);
    entry->end = walk->at;
    entry->is_cut = !is_whole;
    bool covers = !entry->has_transparency && entry->left == 0 && entry->top == 0 &&
                  entry->width >= summary->width && entry->height >= summary->height;
    bool has_gaps = walk->has_gaps && !covers;
    summary->has_alpha |= entry->has_transparency || has_gaps;
    // 2 clears the frame's area, 3 brings the canvas before it back.
    if (entry->disposal < 2) walk->has_gaps = has_gaps;
    if (entry->disposal == 2) walk->has_gaps = true;
    summary->interlaced |= entry->interlaced;
    summary->has_partial_frame = !is_whole;
    if (!is_whole) return false;
    summary->frames += 1;
    walk->centiseconds = 0;
    walk->has_control = false;
    walk->disposal = walk->transparent = 0;
    walk->has_transparency = false;
    walk->is_doubtful = false; // its codes tell where it ends
    return true;
}

/// Whether a block begins at `at`, after bytes that belong to none: what would be odd is not one.
static bool block_begins(const struct walk *walk, size_t at) {
    const uint8_t *block = walk->gif + at;
    size_t left = walk->size - at;
    if (block[0] == 0x3b) return left == 1;
    if (block[0] == 0x21) {
        if (left < 4) return false;
        return block[1] == 0xfe ? block[2] > 0 : block[2] > 0 && block[2] == fixed_length(block[1]);
    }
    if (block[0] != 0x2c || left < 12) return false;
    const imgc_gif_summary *summary = &walk->table->summary;
    uint32_t width = read16(block + 5), height = read16(block + 7);
    if (width == 0 || height == 0 || read16(block + 1) + width > summary->width ||
        read16(block + 3) + height > summary->height || (block[9] & 0x18) != 0) {
        return false;
    }
    size_t colors = block[9] & 0x80 ? 3u * (2u << (block[9] & 7)) : 0;
    return left > 10 + colors && block[10 + colors] >= 1 && block[10 + colors] <= 8;
}

/// Steps over bytes that belong to no block, as far as the next block. False where there is none,
/// or where the bytes may be the rest of a block whose lengths are wrong, or an image that is lost.
static bool skip_stray_bytes(struct walk *walk, bool follows_image) {
    if (walk->is_doubtful) return false;
    size_t at = walk->at;
    while (at < walk->size && !block_begins(walk, at)) at += 1;
    if (at == walk->size) return false;
    // What shows how an image is to be drawn comes before that image, not before the next control.
    bool is_control = walk->gif[at] == 0x21 && walk->gif[at + 1] == 0xf9;
    if (walk->has_control && (is_control || walk->gif[at] == 0x3b)) return false;
    imgc_gif_summary *summary = &walk->table->summary;
    summary->stray_bytes += at - walk->at;
    if (follows_image) walk->table->entries[summary->frames - 1].precedes_stray_bytes = true;
    walk->at = at;
    return true;
}

static void walk_blocks(struct walk *walk, imgc_error *error) {
    imgc_gif_summary *summary = &walk->table->summary;
    bool more = true, follows_image = false;
    while (more && error->status == IMGC_STATUS_OK) {
        if (walk->at >= walk->size) {
            // Nothing that was begun is missing, and encoders forget the trailer: that is not a
            // fault.
            if (summary->frames == 0) cut(walk);
            return;
        }
        uint8_t introducer = walk->gif[walk->at++];
        switch (introducer) {
        case 0x21:
            more = read_extension(walk);
            follows_image = false;
            break;
        case 0x2c:
            more = read_image(walk, error);
            follows_image = more;
            break;
        case 0x3b:
            summary->has_trailer = true;
            return;
        case 0: break; // stray terminators are common and harmless
        default:
            walk->at -= 1;
            if (skip_stray_bytes(walk, follows_image)) break;
            imgc_fail(&summary->fault, IMGC_STATUS_CORRUPT, walk->at,
                      "no block begins with 0x%02x", introducer);
            return;
        }
    }
}

imgc_gif_table *imgc_gif_table_make(const uint8_t *gif, size_t size, const imgc_limits *limits,
                                    imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (size < 6 || (memcmp(gif, "GIF87a", 6) != 0 && memcmp(gif, "GIF89a", 6) != 0)) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "the signature is neither GIF87a nor GIF89a");
        return NULL;
    }
    if (size < 13) {
        imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends inside the header");
        return NULL;
    }
    uint32_t width = read16(gif + 6), height = read16(gif + 8);
    // A side of 0 is that of the first frame.
    if (!imgc_size_allowed(width ? width : 1, height ? height : 1, limits, error)) return NULL;
    imgc_gif_table *table = calloc(1, sizeof *table);
    if (!table) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for the frames");
        return NULL;
    }
    table->summary = (imgc_gif_summary){
        .width = width, .height = height, .loop_count = 1, .bit_depth = (gif[10] & 7) + 1u};
    struct walk walk = {.gif = gif, .size = size, .at = 13, .limits = limits, .table = table,
                        .has_gaps = true};
    if (gif[10] & 0x80) {
        walk.colors = (uint16_t)(2u << (gif[10] & 7));
        walk.palette = 13;
        walk.at = 13 + 3u * walk.colors;
    }
    walk_blocks(&walk, error);
    if (error->status == IMGC_STATUS_OK && table->summary.frames == 0 &&
        !table->summary.has_partial_frame) {
        *error = table->summary.fault;
        imgc_fail(error, IMGC_STATUS_CORRUPT, walk.at, "no frame before the end");
    }
    if (error->status != IMGC_STATUS_OK) {
        imgc_gif_table_free(table);
        return NULL;
    }
    return table;
}

void imgc_gif_table_free(imgc_gif_table *table) {
    if (!table) return;
    free(table->entries);
    free(table);
}

const imgc_gif_summary *imgc_gif_table_summary(const imgc_gif_table *table) {
    return &table->summary;
}

const imgc_gif_entry *imgc_gif_table_entry(const imgc_gif_table *table, uint32_t index) {
    return &table->entries[index];
}
