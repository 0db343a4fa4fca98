#include "png_mutate.h"

#include "deflate_maker.h"
#include "random_bits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>
#include <zlib.h>

enum { MOST_PIXELS = 1 << 16, MOST_ROWS_BYTES = 1 << 19 };

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static uint32_t read32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void write32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/// The size of the chunk at `at`, 0 if it is not complete.
static size_t chunk_size(const uint8_t *bytes, size_t size, size_t at) {
    if (size < at || size - at < 12) return 0;
    size_t length = read32(bytes + at);
    return length > size - at - 12 ? 0 : 12 + length;
}

static void seal(uint8_t *chunk) {
    size_t length = read32(chunk);
    write32(chunk + 8 + length, (uint32_t)crc32(0, chunk + 4, (uInt)length + 4));
}

static void seal_all(uint8_t *bytes, size_t size) {
    for (size_t at = 8, count; (count = chunk_size(bytes, size, at)) > 0; at += count) {
        seal(bytes + at);
    }
}

/// The offset of the first chunk of this name; 0 if there is none.
static size_t find(const uint8_t *bytes, size_t size, const char *name) {
    for (size_t at = 8, count; (count = chunk_size(bytes, size, at)) > 0; at += count) {
        if (memcmp(bytes + at + 4, name, 4) == 0) return at;
    }
    return 0;
}

/// Replaces some bytes by others. Returns the new size; if there is not enough room, nothing
/// changes.
static size_t replace(uint8_t *bytes, size_t size, size_t room, size_t at, size_t old,
                      const uint8_t *with, size_t count) {
    if (size - old + count > room) return size;
    memmove(bytes + at + count, bytes + at + old, size - at - old);
    if (count > 0) memcpy(bytes + at, with, count);
    return size - old + count;
}

static size_t insert_chunk(uint8_t *bytes, size_t size, size_t room, size_t at, const char *name,
                           const uint8_t *body, size_t length) {
    uint8_t chunk[12 + 1024];
    if (length > 1024) return size;
    write32(chunk, (uint32_t)length);
    memcpy(chunk + 4, name, 4);
    if (length > 0) memcpy(chunk + 8, body, length);
    seal(chunk);
    return replace(bytes, size, room, at, 0, chunk, 12 + length);
}

// MARK: streams

/// Replaces all IDAT chunks by `stream`, cut into several.
static size_t set_stream(uint8_t *bytes, size_t size, size_t room, const uint8_t *stream,
                         size_t count, uint64_t *seed) {
    size_t first = find(bytes, size, "IDAT"), end = first, one;
    if (first == 0) return size;
    while ((one = chunk_size(bytes, size, end)) > 0 && memcmp(bytes + end + 4, "IDAT", 4) == 0) {
        end += one;
    }
    uint32_t pieces = random_once_in(seed, 3) ? 1 + random_below(seed, 5) : 1;
    uint8_t *chunks = malloc(count + 12 * pieces);
    size_t made = 0;
    for (uint32_t i = 0; i < pieces; i++) {
        size_t some = i + 1 == pieces ? count : random_below(seed, (uint32_t)count + 1);
        write32(chunks + made, (uint32_t)some);
        memcpy(chunks + made + 4, "IDAT", 4);
        memcpy(chunks + made + 8, stream, some);
        seal(chunks + made);
        made += 12 + some;
        stream += some;
        count -= some;
    }
    size = replace(bytes, size, room, first, end - first, chunks, made);
    free(chunks);
    return size;
}

/// All IDAT chunks in one, to be freed.
static uint8_t *get_stream(const uint8_t *bytes, size_t size, size_t *count) {
    uint8_t *stream = malloc(size + 64);
    *count = 0;
    for (size_t at = 8, one; (one = chunk_size(bytes, size, at)) > 0; at += one) {
        if (memcmp(bytes + at + 4, "IDAT", 4) != 0) continue;
        memcpy(stream + *count, bytes + at + 8, one - 12);
        *count += one - 12;
    }
    return stream;
}

/// The byte count of the rows with their filters; 0 where the header is wrong or the count is large.
static size_t rows_size(const uint8_t *bytes, size_t size, size_t *row) {
    static const uint8_t samples[7] = {1, 0, 3, 1, 2, 0, 4};
    if (size < 33 || bytes[25] > 6) return 0;
    uint64_t width = read32(bytes + 16), height = read32(bytes + 20);
    if (width * height > MOST_PIXELS || width > MOST_PIXELS || height > MOST_PIXELS) return 0;
    *row = 1 + (width * samples[bytes[25]] * bytes[24] + 7) / 8;
    return *row * height > MOST_ROWS_BYTES ? 0 : *row * height;
}

/// Corrects the checksum of a stream, as far as libdeflate can read it.
static void seal_stream(uint8_t *stream, size_t count, size_t rows) {
    if (count < 8) return;
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    uint8_t *out = malloc(rows + 1);
    size_t used, made;
    if (libdeflate_deflate_decompress_ex(inflater, stream + 2, count - 6, out, rows, &used,
                                         &made) == LIBDEFLATE_SUCCESS &&
        used + 6 <= count) {
        write32(stream + 2 + used, libdeflate_adler32(1, out, made));
    }
    free(out);
    libdeflate_free_decompressor(inflater);
}

/// Deflates rows with random settings.
static size_t deflate_rows(const uint8_t *rows, size_t count, uint8_t *out, size_t room,
                           uint64_t *seed) {
    z_stream deflater = {0};
    int window = random_once_in(seed, 3) ? 9 + (int)random_below(seed, 7) : 15;
    if (deflateInit2(&deflater, (int)random_below(seed, 10), Z_DEFLATED, window,
                     1 + (int)random_below(seed, 9), (int)random_below(seed, 5)) != Z_OK) {
        return 0;
    }
    size_t part = random_below(seed, (uint32_t)count + 1);
    deflater.next_in = (uint8_t *)rows;
    deflater.avail_in = (uInt)part;
    deflater.next_out = out;
    deflater.avail_out = (uInt)room;
    deflate(&deflater, (int)random_below(seed, 6) % 6);
    deflater.avail_in = (uInt)(count - (size_t)(deflater.next_in - rows));
    int result = deflate(&deflater, Z_FINISH);
    size_t made = room - deflater.avail_out;
    deflateEnd(&deflater);
    return result == Z_STREAM_END ? made : 0;
}

// MARK: mutations

static size_t change_bytes(uint8_t *bytes, size_t size, uint64_t *seed) {
    for (uint32_t i = 1 + random_below(seed, 4); i > 0 && size > 0; i--) {
        uint8_t *at = bytes + random_below(seed, (uint32_t)size);
        *at = random_once_in(seed, 2) ? (uint8_t)random_bits(seed)
                                      : *at ^ (uint8_t)(1u << random_below(seed, 8));
    }
    return size;
}

static size_t change_header(uint8_t *bytes, size_t size, uint64_t *seed) {
    if (size < 33) return size;
    uint8_t *field = bytes + 16 + random_below(seed, 13);
    *field = (uint8_t)(random_once_in(seed, 2) ? random_below(seed, 17) : random_bits(seed));
    seal_all(bytes, size);
    return size;
}

static size_t change_chunks(uint8_t *bytes, size_t size, size_t room, uint64_t *seed) {
    static const char names[][5] = {"PLTE", "tRNS", "gAMA", "IDAT", "IEND", "tEXt", "IHDR", "acTL",
                                    "abCd", "abcd", "ABCD", "zTXt", "CgBI", "iCCP", "bKGD", "sRGB",
                                    "hIST", "sBIT", "fcTL", "fdAT", "a\0cd", "eXIf"};
    size_t places[64], sizes[64], count = 0;
    for (size_t at = 8, one; count < 64 && (one = chunk_size(bytes, size, at)) > 0; at += one) {
        places[count] = at;
        sizes[count++] = one;
    }
    if (count == 0) return size;
    uint32_t one = random_below(seed, (uint32_t)count);
    uint8_t body[1024];
    uint32_t length = random_once_in(seed, 4) ? random_below(seed, 800) : random_below(seed, 8);
    if (random_once_in(seed, 3)) length = 3 * random_below(seed, 256);
    for (uint32_t i = 0; i < length; i++) {
        body[i] = random_once_in(seed, 2) ? 0 : (uint8_t)random_bits(seed);
    }
    const char *name = names[random_below(seed, sizeof names / sizeof names[0])];
    switch (random_below(seed, 6)) {
    case 0: return replace(bytes, size, room, places[one], sizes[one], NULL, 0);
    case 1: {
        uint8_t *copy = malloc(sizes[one]);
        memcpy(copy, bytes + places[one], sizes[one]);
        size = replace(bytes, size, room, places[random_below(seed, (uint32_t)count)], 0, copy,
                       sizes[one]);
        free(copy);
        return size;
    }
    case 2:
        memcpy(bytes + places[one] + 4, name, 4);
        seal(bytes + places[one]);
        return size;
    case 3:
        if (sizes[one] > 12) {
            size_t at = places[one] + 8 + random_below(seed, (uint32_t)sizes[one] - 12);
            bytes[at] ^= (uint8_t)(1u << random_below(seed, 8));
        }
        if (!random_once_in(seed, 4)) seal(bytes + places[one]);
        return size;
    case 4: return size - random_below(seed, (uint32_t)(size < 64 ? size : 64));
    default: return insert_chunk(bytes, size, room, places[one], name, body, length);
    }
}

static size_t change_stream(uint8_t *bytes, size_t size, size_t room, uint64_t *seed) {
    size_t count, row, rows = rows_size(bytes, size, &row);
    uint8_t *stream = get_stream(bytes, size, &count);
    if (count > 0 && random_once_in(seed, 4)) {
        count = random_once_in(seed, 2) ? random_below(seed, (uint32_t)count)
                                        : count + random_below(seed, 64);
    } else if (count > 6) {
        // The beginning of a stream determines how the rest is decoded.
        uint32_t range = (uint32_t)count - (random_once_in(seed, 8) ? 0 : 4);
        if (range > 100 && random_once_in(seed, 2)) range = 100;
        for (uint32_t i = 1 + random_below(seed, 3); i > 0; i--) {
            stream[random_below(seed, range)] ^= (uint8_t)(1u << random_below(seed, 8));
        }
    }
    if (count >= 2 && random_once_in(seed, 8)) {
        stream[0] = (uint8_t)(random_below(seed, 9) << 4 | 8);
        stream[1] = (uint8_t)(31 - stream[0] * 256 % 31) % 31;
    }
    if (rows > 0 && !random_once_in(seed, 8)) seal_stream(stream, count, rows);
    size = set_stream(bytes, size, room, stream, count, seed);
    free(stream);
    return size;
}

/// Fills rows with compressible data, each after a filter.
static void make_rows(uint8_t *rows, size_t count, size_t row, uint64_t *seed) {
    uint32_t values = 1 + random_below(seed, random_once_in(seed, 2) ? 256 : 6);
    for (size_t i = 0; i < count; i++) {
        bool repeats = i > row && random_below(seed, 4) > 0;
        rows[i] = repeats ? rows[i - 1 - random_below(seed, 2) * (row - 1)]
                          : (uint8_t)random_below(seed, values);
        if (i % row == 0) rows[i] = (uint8_t)random_below(seed, random_once_in(seed, 500) ? 6 : 5);
    }
}

/// Replaces the file's rows by new or mutated ones, in a stream of zlib or of deflate_make.
static size_t change_rows(uint8_t *bytes, size_t size, size_t room, uint64_t *seed) {
    size_t row, count = rows_size(bytes, size, &row), stream_count;
    if (count == 0) return size;
    size_t stream_room = 2 * count + 4096;
    uint8_t *rows = calloc(1, count), *made = malloc(stream_room);
    if (random_once_in(seed, 3)) {
        made[0] = 0x78;
        made[1] = 0x01;
        size_t deflated = deflate_make(made + 2, stream_room - 6, count, seed);
        stream_count = deflated == 0 ? 0 : 6 + deflated;
        if (stream_count > 0) {
            write32(made + 2 + deflated, 0);
            seal_stream(made, stream_count, count);
        }
    } else {
        uint8_t *stream = get_stream(bytes, size, &stream_count);
        struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
        if (random_once_in(seed, 2) ||
            libdeflate_zlib_decompress(inflater, stream, stream_count, rows, count, NULL) !=
                LIBDEFLATE_SUCCESS) {
            make_rows(rows, count, row, seed);
        }
        libdeflate_free_decompressor(inflater);
        free(stream);
        if (random_once_in(seed, 2)) change_bytes(rows, count, seed);
        stream_count = deflate_rows(rows, count, made, stream_room, seed);
    }
    if (stream_count > 0) size = set_stream(bytes, size, room, made, stream_count, seed);
    free(rows);
    free(made);
    return size;
}

/// Writes a small file.
static size_t make_file(uint8_t *bytes, size_t room, uint64_t *seed) {
    static const uint8_t colors[5] = {0, 2, 3, 4, 6};
    if (room < 4096) return 0;
    uint8_t header[13] = {0}, body[768];
    uint8_t color = colors[random_below(seed, 5)];
    write32(header, 1 + random_below(seed, random_once_in(seed, 4) ? 200 : 12));
    write32(header + 4, 1 + random_below(seed, random_once_in(seed, 4) ? 200 : 12));
    header[8] = random_once_in(seed, 20) ? 16 : 8;
    header[9] = color;
    header[12] = (uint8_t)random_once_in(seed, 20);
    memcpy(bytes, signature, 8);
    size_t size = insert_chunk(bytes, 8, room, 8, "IHDR", header, 13);
    for (size_t i = 0; i < sizeof body; i++) {
        body[i] = i % 2 == 0 && color != 3 ? 0 : (uint8_t)random_below(seed, color == 3 ? 256 : 6);
    }
    uint32_t colors_count = 1 + random_below(seed, 256);
    if (color == 3) size = insert_chunk(bytes, size, room, size, "PLTE", body, 3 * colors_count);
    if (random_once_in(seed, 2)) {
        size_t length = color == 0 ? 2 : color == 2 ? 6 : random_below(seed, colors_count + 1);
        size = insert_chunk(bytes, size, room, size, "tRNS", body, length);
    }
    size = insert_chunk(bytes, size, room, size, "IDAT", NULL, 0);
    size = insert_chunk(bytes, size, room, size, "IEND", NULL, 0);
    return change_rows(bytes, size, room, seed);
}

size_t png_mutate(uint8_t *bytes, size_t size, size_t room, uint64_t *seed) {
    if (size > room) return 0;
    switch (random_below(seed, 16)) {
    case 0: return change_bytes(bytes, size, seed);
    case 1:
        change_bytes(bytes, size, seed);
        seal_all(bytes, size);
        return size;
    case 2: return change_header(bytes, size, seed);
    case 3: case 4: case 5: return change_chunks(bytes, size, room, seed);
    case 6: case 7: case 8: return change_stream(bytes, size, room, seed);
    case 9: case 10: case 11: case 12: return change_rows(bytes, size, room, seed);
    default: return make_file(bytes, room, seed);
    }
}
