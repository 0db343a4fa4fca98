#include "imgc_apng.h"

#include "../common/support.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

struct imgc_apng_table {
    imgc_apng_entry *entries;
    uint32_t frames, room, plays;
};

struct chunk {
    uint32_t length;
    const uint8_t *type, *body;
    size_t next;
};

static uint32_t read32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint16_t read16(const uint8_t *at) { return (uint16_t)(at[0] << 8 | at[1]); }

/// The chunk at `at`; false where none fits into the data.
static bool chunk_at(const uint8_t *png, size_t size, size_t at, struct chunk *chunk) {
    if (at > size || size - at < 12) return false;
    chunk->length = read32(png + at);
    if (chunk->length > size - at - 12) return false;
    chunk->type = png + at + 4;
    chunk->body = png + at + 8;
    chunk->next = at + 12 + (size_t)chunk->length;
    return true;
}

static bool is(const struct chunk *chunk, const char *type) {
    return memcmp(chunk->type, type, 4) == 0;
}

static bool add_frame(imgc_apng_table *table, const struct chunk *chunk, uint32_t width,
                      uint32_t height, const imgc_limits *limits, imgc_error *error) {
    const uint8_t *body = chunk->body;
    uint64_t canvas = (uint64_t)width * height;
    if (chunk->length < 26) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "a frame's control chunk is too short");
        return false;
    }
    if (table->frames >= limits->max_frames) {
        imgc_fail(error, IMGC_STATUS_LIMIT, 0, "more than the %u frames allowed",
                  limits->max_frames);
        return false;
    }
    if (canvas * (table->frames + 1) > limits->max_animation_pixels) {
        imgc_fail(error, IMGC_STATUS_LIMIT, 0,
                  "the animation has more than the %llu pixels allowed in all: %u frames of %u x %u",
                  (unsigned long long)limits->max_animation_pixels, table->frames + 1, width,
                  height);
        return false;
    }
    if (table->frames == table->room) {
        uint32_t room = table->room ? table->room * 2 : 16;
        imgc_apng_entry *grown = realloc(table->entries, room * sizeof *grown);
        if (!grown) {
            imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for the frames");
            return false;
        }
        table->entries = grown;
        table->room = room;
    }
    imgc_apng_entry entry = {
        .width = read32(body + 4), .height = read32(body + 8),
        .left = read32(body + 12), .top = read32(body + 16),
        .delay_numerator = read16(body + 20), .delay_denominator = read16(body + 22),
        .disposal = body[24], .blend = body[25],
    };
    if (entry.width == 0 || entry.height == 0 || entry.width > width || entry.height > height ||
        entry.left > width - entry.width || entry.top > height - entry.height ||
        entry.disposal > 2 || entry.blend > 1) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "frame %u does not fit the canvas", table->frames);
        return false;
    }
    table->entries[table->frames++] = entry;
    return true;
}

imgc_apng_table *imgc_apng_table_make(const uint8_t *png, size_t size, const imgc_limits *limits,
                                      imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    struct chunk chunk;
    if (!chunk_at(png, size, 8, &chunk) || !is(&chunk, "IHDR") || chunk.length != 13) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, 8, "the header chunk is missing");
        return NULL;
    }
    uint32_t width = read32(chunk.body), height = read32(chunk.body + 4);
    if (!imgc_size_allowed(width, height, limits, error)) return NULL;
    imgc_apng_table *table = calloc(1, sizeof *table);
    if (!table) {
        imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for the frames");
        return NULL;
    }
    bool is_animated = false, has_pixels = false, ended = false;
    uint32_t announced = 0;
    for (size_t at = chunk.next; !ended && chunk_at(png, size, at, &chunk); at = chunk.next) {
        imgc_apng_entry *last = table->frames ? &table->entries[table->frames - 1] : NULL;
        if (is(&chunk, "acTL") && !has_pixels && chunk.length >= 8) {
            is_animated = true;
            announced = read32(chunk.body);
            table->plays = read32(chunk.body + 4);
        } else if (is(&chunk, "fcTL") && is_animated) {
            if (last && last->data == 0) table->frames -= 1; // two controls, no pixels: the later
            if (!add_frame(table, &chunk, width, height, limits, error)) break;
        } else if (is(&chunk, "IDAT") || is(&chunk, "fdAT")) {
            has_pixels = true;
            if (last && last->data == 0) last->data = at;
            if (last) last->end = chunk.next;
        } else if (is(&chunk, "IEND")) {
            ended = true;
        }
    }
    if (table->frames && table->entries[table->frames - 1].data == 0) table->frames -= 1;
    if (table->frames > announced) table->frames = announced;
    if (error->status == IMGC_STATUS_OK && is_animated && !ended) {
        imgc_fail(error, IMGC_STATUS_TRUNCATED, size, "the data ends before the end chunk");
    }
    if (error->status != IMGC_STATUS_OK || table->frames == 0) {
        imgc_apng_table_free(table);
        return NULL;
    }
    return table;
}

void imgc_apng_table_free(imgc_apng_table *table) {
    if (!table) return;
    free(table->entries);
    free(table);
}

uint32_t imgc_apng_table_frames(const imgc_apng_table *table) { return table->frames; }

uint32_t imgc_apng_table_plays(const imgc_apng_table *table) { return table->plays; }

const imgc_apng_entry *imgc_apng_table_entry(const imgc_apng_table *table, uint32_t index) {
    return &table->entries[index];
}

static void write32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

static bool put_chunk(imgc_buffer *out, const char *type, const uint8_t *body, uint32_t length) {
    uint8_t head[8], tail[4];
    write32(head, length);
    memcpy(head + 4, type, 4);
    write32(tail, (uint32_t)crc32(crc32(0, head + 4, 4), body, length));
    return imgc_buffer_append(out, head, 8) && imgc_buffer_append(out, body, length) &&
           imgc_buffer_append(out, tail, 4);
}

imgc_status imgc_apng_frame(const uint8_t *png, size_t size, const imgc_apng_entry *entry,
                            imgc_buffer *out, imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    static const uint8_t nothing[1] = {0};
    struct chunk chunk;
    if (!chunk_at(png, size, 8, &chunk) || chunk.length != 13 || entry->end > size) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "the frame is of another file");
    }
    uint8_t header[13];
    memcpy(header, chunk.body, 13);
    write32(header, entry->width);
    write32(header + 4, entry->height);
    bool good = imgc_buffer_append(out, png, 8) && put_chunk(out, "IHDR", header, 13);
    for (size_t at = chunk.next; good && chunk_at(png, size, at, &chunk); at = chunk.next) {
        if (is(&chunk, "IDAT")) break;
        // A longer chunk is not a palette, and would be copied for every frame.
        if (chunk.length <= 768 && (is(&chunk, "PLTE") || is(&chunk, "tRNS"))) {
            good = put_chunk(out, is(&chunk, "PLTE") ? "PLTE" : "tRNS", chunk.body, chunk.length);
        }
    }
    for (size_t at = entry->data; good && at < entry->end && chunk_at(png, size, at, &chunk);
         at = chunk.next) {
        uint32_t skipped = is(&chunk, "fdAT") ? 4 : 0; // a sequence number precedes the pixels
        if (!is(&chunk, "IDAT") && !is(&chunk, "fdAT")) continue;
        if (chunk.length < skipped) continue;
        // A checksum that is wrong is copied wrong, so that it is noticed as in any other PNG.
        uint32_t stored = read32(chunk.body + chunk.length);
        bool is_sound = crc32(0, chunk.type, chunk.length + 4) == stored;
        good = put_chunk(out, "IDAT", chunk.body + skipped, chunk.length - skipped);
        if (good && !is_sound) out->bytes[out->count - 1] ^= 0xff;
    }
    if (!good || !put_chunk(out, "IEND", nothing, 0)) {
        imgc_buffer_free(out);
        return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for a frame");
    }
    return IMGC_STATUS_OK;
}
