// DEFLATE as strictly as zlib reads it. Source: RFC 1951; what is refused beyond it: zlib's
// inflate.c and inftrees.c (1.2.13).
//
// libdeflate's decompressor is not used because it accepts streams that zlib refuses: literal
// symbols 286 and 287, distance symbols 30 and 31, more codes than those, the unused half of a code
// of one symbol, distances without a code, an incomplete code for the lengths and, before 1.16,
// repeats past the last length (https://github.com/ebiggers/libdeflate/issues/288). Whether a
// stream uses one of them is only known by decoding it.
#include "png_inflate.h"

#include "imgc.h"
#include "png_huffman.h"

#include <string.h>

/// The bits of the stream. `bits` holds at least `count` of them, the next one lowest.
struct source {
    const uint8_t *next, *end;
    uint64_t bits;
    unsigned count;
};

static inline uint64_t load64(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// Fills up to 56 bits or more. Bits above `count` are those of the stream already, so that they
/// can be set twice.
static inline void refill(struct source *source) {
    source->bits |= load64(source->next) << source->count;
    source->next += (63 - source->count) >> 3;
    source->count |= 56;
}

/// The same where the source may be beyond its end already: then nothing is read, and the next look
/// at `is_inside` fails.
static inline void refill_inside(struct source *source) {
    if (source->next <= source->end + 7) refill(source);
}

static inline void skip(struct source *source, unsigned count) {
    source->bits >>= count;
    source->count -= count;
}

static inline unsigned take(struct source *source, unsigned count) {
    unsigned value = (unsigned)(source->bits & ((1u << count) - 1));
    skip(source, count);
    return value;
}

/// The first byte of which no bit was read.
static inline const uint8_t *position(const struct source *source) {
    return source->next - (source->count >> 3);
}

/// After a refill: whether what was read before it was there.
static inline bool is_inside(const struct source *source) {
    return source->next <= source->end + 7;
}

/// Reads the code lengths of a dynamic block and builds both tables.
static bool read_codes(struct source *source, struct imgc_huffman *codes) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned literals = take(source, 5) + 257, distances = take(source, 5) + 1;
    unsigned lengths = take(source, 4) + 4;
    if (literals > 286 || distances > 30) return false;
    uint8_t bits[286 + 30 + 138] = {0};
    for (unsigned i = 0; i < lengths; i++) {
        if (i % 16 == 0) refill_inside(source);
        bits[order[i]] = (uint8_t)take(source, 3);
    }
    if (!is_inside(source) || !imgc_huffman_lengths(codes, bits)) return false;
    memset(bits, 0, 19);
    unsigned at = 0, total = literals + distances;
    while (at < total) {
        refill_inside(source);
        if (!is_inside(source)) return false;
        imgc_entry found = codes->lengths[source->bits & ((1 << IMGC_LENGTHS_BITS) - 1)];
        skip(source, found & IMGC_ENTRY_BITS);
        unsigned symbol = found >> 16;
        if (symbol < 16) {
            bits[at++] = (uint8_t)symbol;
            continue;
        }
        if (symbol == 16 && at == 0) return false;
        uint8_t repeated = symbol == 16 ? bits[at - 1] : 0;
        unsigned times = symbol == 16   ? 3 + take(source, 2)
                         : symbol == 17 ? 3 + take(source, 3)
                                        : 11 + take(source, 7);
        if (times > total - at) return false;
        memset(bits + at, repeated, times);
        at += times;
    }
    return bits[256] != 0 && imgc_huffman_literals(codes, bits, literals) &&
           imgc_huffman_distances(codes, bits + literals, distances);
}

/// The codes of blocks that bring none. Their last symbols have a code and no meaning.
static bool fixed_codes(struct imgc_huffman *codes) {
    uint8_t bits[288];
    memset(bits, 8, 144);
    memset(bits + 144, 9, 112);
    memset(bits + 256, 7, 24);
    memset(bits + 280, 8, 8);
    if (!imgc_huffman_literals(codes, bits, 288)) return false;
    memset(bits, 5, 32);
    return imgc_huffman_distances(codes, bits, 32);
}

/// Copies `length` bytes from `distance` bytes before; writes up to 31 bytes more.
static inline void copy_match(uint8_t *out, size_t distance, size_t length) {
    const uint8_t *from = out - distance;
    uint8_t *end = out + length;
    if (distance >= 16) {
        do {
            memcpy(out, from, 16);
            out += 16;
            from += 16;
        } while (out < end);
    } else if (distance == 1) {
        memset(out, *from, 16);
        if (length > 16) memset(out + 16, *from, length - 16);
    } else if (distance >= 8) {
        do {
            memcpy(out, from, 8);
            out += 8;
            from += 8;
        } while (out < end);
    } else {
        // The pattern, as often as it fits into 8 bytes, then in steps of whole patterns.
        uint8_t pattern[8];
        for (size_t i = 0, at = 0; i < 8; i++) {
            pattern[i] = from[at];
            if (++at == distance) at = 0;
        }
        size_t step = 8 - 8 % distance;
        do {
            memcpy(out, pattern, 8);
            out += step;
        } while (out < end);
    }
}

/// The value of a symbol of more than one: its least value, and what its extra bits add.
static inline size_t take_value(struct source *source, imgc_entry found) {
    unsigned count = found & IMGC_ENTRY_BITS, extra = found >> 8 & IMGC_ENTRY_EXTRA;
    size_t added = (size_t)((source->bits & ((1ull << count) - 1)) >> (count - extra));
    skip(source, count);
    return (found >> 16) + added;
}

/// Decodes the symbols of one block; NULL where zlib refuses them or there are too many.
static uint8_t *read_block(struct source *shared, const struct imgc_huffman *codes,
                           const uint8_t *start, uint8_t *out, const uint8_t *out_end) {
    struct source source = *shared; // in registers
    const imgc_entry *literals = codes->literals, *distances = codes->distances;
    const uint64_t mask = (1 << IMGC_LITERALS_BITS) - 1;
    for (;;) {
        // The second refill below may have gone beyond what may be read from.
        refill_inside(&source);
        if (!is_inside(&source) || out > out_end) return NULL;
        imgc_entry found = literals[source.bits & mask];
        if (found & IMGC_ENTRY_LITERALS) {
            for (int i = 0; i < 4; i++) {
                out[0] = (uint8_t)(found >> 16);
                out[1] = (uint8_t)(found >> 24);
                out += found >> 6 & 3;
                skip(&source, found & IMGC_ENTRY_BITS);
                found = literals[source.bits & mask];
                if (!(found & IMGC_ENTRY_LITERALS)) break;
            }
            if (found & IMGC_ENTRY_LITERALS) continue;
            refill(&source);
        }
        if (found & IMGC_ENTRY_UNUSUAL) {
            if (found & IMGC_ENTRY_SUBTABLE) {
                skip(&source, IMGC_LITERALS_BITS);
                found = literals[(found >> 16) + (source.bits & ((1u << (found & 15)) - 1))];
                if (found & IMGC_ENTRY_LITERALS) {
                    *out++ = (uint8_t)(found >> 16);
                    skip(&source, found & IMGC_ENTRY_BITS);
                    continue;
                }
            }
            if (found & IMGC_ENTRY_INVALID) return NULL;
            if (found & IMGC_ENTRY_END) {
                skip(&source, found & IMGC_ENTRY_BITS);
                *shared = source;
                return out;
            }
        }
        size_t length = take_value(&source, found);
        found = distances[source.bits & ((1 << IMGC_DISTANCES_BITS) - 1)];
        if (found & IMGC_ENTRY_UNUSUAL) {
            if (found & IMGC_ENTRY_SUBTABLE) {
                skip(&source, IMGC_DISTANCES_BITS);
                found = distances[(found >> 16) + (source.bits & ((1u << (found & 15)) - 1))];
            }
            if (found & IMGC_ENTRY_INVALID) return NULL;
        }
        size_t distance = take_value(&source, found);
        if (distance > (size_t)(out - start)) return NULL;
        copy_match(out, distance, length);
        out += length;
    }
}

/// Copies a block that is not compressed; NULL where it does not fit.
static uint8_t *read_stored(struct source *source, uint8_t *out, const uint8_t *out_end) {
    const uint8_t *at = position(source);
    if (at > source->end || source->end - at < 4) return NULL;
    size_t length = (size_t)at[0] | (size_t)at[1] << 8;
    size_t inverse = (size_t)at[2] | (size_t)at[3] << 8;
    at += 4;
    if (length != (inverse ^ 0xffff) || length > (size_t)(source->end - at) ||
        length > (size_t)(out_end - out)) {
        return NULL;
    }
    memcpy(out, at, length);
    *source = (struct source){.next = at + length, .end = source->end};
    return out + length;
}

bool imgc_inflate(const uint8_t *in, size_t in_count, uint8_t *out, size_t out_count,
                  uint64_t cpu_deadline) {
    struct source source = {.next = in, .end = in + in_count};
    struct imgc_huffman codes;
    const uint8_t *start = out, *out_end = out + out_count;
    bool has_fixed = false, is_last = false;
    size_t most_blocks = 64 + out_count / 1024;
    for (size_t blocks = 0; !is_last; blocks++) {
        if (blocks == most_blocks) return false;
        if (blocks % 4 == 3 && imgc_cpu_now() > cpu_deadline) return false;
        refill_inside(&source);
        if (!is_inside(&source)) return false;
        is_last = take(&source, 1);
        unsigned kind = take(&source, 2);
        if (kind == 0) {
            if (!(out = read_stored(&source, out, out_end))) return false;
            continue;
        }
        if (kind == 3) return false;
        if (kind == 2) {
            has_fixed = false;
            if (!read_codes(&source, &codes)) return false;
        } else if (!has_fixed) {
            if (!(has_fixed = fixed_codes(&codes))) return false;
        }
        out = read_block(&source, &codes, start, out, out_end);
        if (!out || out > out_end) return false;
    }
    return out == out_end && position(&source) == source.end;
}
