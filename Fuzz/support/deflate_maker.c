// Source: RFC 1951.
#include "deflate_maker.h"

#include "random_bits.h"

#include <stdbool.h>
#include <string.h>

struct writer {
    uint8_t *out;
    size_t room, bits;
};

static void put(struct writer *to, uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++, to->bits++) {
        size_t at = to->bits / 8;
        if (at >= to->room) continue; // seen at the end
        if (to->bits % 8 == 0) to->out[at] = 0;
        to->out[at] |= (uint8_t)((value >> i & 1) << to->bits % 8);
    }
}

/// Codes are written from their highest bit.
static void put_code(struct writer *to, uint32_t code, unsigned count) {
    while (count-- > 0) put(to, code >> count, 1);
}

struct code {
    uint8_t bits[320];
    uint16_t codes[320];
};

static void assign(struct code *code, unsigned symbols) {
    unsigned next = 0;
    for (unsigned length = 1; length < 16; length++, next <<= 1) {
        for (unsigned i = 0; i < symbols; i++) {
            if (code->bits[i] == length) code->codes[i] = (uint16_t)next++;
        }
    }
}

/// Splits the code of a random symbol in two until `used` symbols have one: a complete code, if
/// there are two or more.
static void grow(struct code *code, const uint16_t *symbols, unsigned used, unsigned longest,
                 uint64_t *seed) {
    code->bits[symbols[0]] = 1;
    if (used < 2) return;
    code->bits[symbols[1]] = 1;
    for (unsigned i = 2; i < used; i++) {
        unsigned at = random_below(seed, i);
        while (code->bits[symbols[at]] >= longest) at = (at + 1) % i;
        code->bits[symbols[i]] = ++code->bits[symbols[at]];
    }
}

static unsigned choose(uint16_t *symbols, unsigned first, unsigned end, unsigned wanted,
                       uint16_t needed, uint64_t *seed) {
    unsigned count = 0;
    symbols[count++] = needed;
    for (unsigned i = first; i < end && count < wanted; i++) {
        if (i != needed && random_below(seed, end - i) < wanted) symbols[count++] = (uint16_t)i;
    }
    return count;
}

/// Writes the header of a dynamic block and sets its two codes.
static void put_codes(struct writer *to, struct code *literals, struct code *distances,
                      uint64_t *seed) {
    uint16_t symbols[320];
    unsigned end = random_once_in(seed, 40) ? 288 : 286;
    unsigned farthest = random_once_in(seed, 40) ? 32 : 30;
    memset(literals, 0, sizeof *literals);
    memset(distances, 0, sizeof *distances);
    unsigned wanted = random_once_in(seed, 12) ? 1 : 2 + random_below(seed, 280);
    grow(literals, symbols, choose(symbols, 0, end, wanted, 256, seed), 15, seed);
    wanted = random_once_in(seed, 8) ? 1 : 1 + random_below(seed, 30);
    uint16_t one = (uint16_t)random_below(seed, farthest);
    if (!random_once_in(seed, 12)) {
        grow(distances, symbols, choose(symbols, 0, farthest, wanted, one, seed), 15, seed);
    }
    assign(literals, 288);
    assign(distances, 32);

    uint8_t lengths[320];
    memcpy(lengths, literals->bits, end);
    memcpy(lengths + end, distances->bits, farthest);
    unsigned total = end + farthest;
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    struct code code = {{0}, {0}};
    for (unsigned i = 0; i < 19; i++) symbols[i] = (uint16_t)i;
    grow(&code, symbols, 19, 7, seed);
    if (random_once_in(seed, 60)) code.bits[random_below(seed, 19)] = 0; // not complete
    assign(&code, 19);
    put(to, end - 257, 5);
    put(to, farthest - 1, 5);
    put(to, 15, 4);
    for (unsigned i = 0; i < 19; i++) put(to, code.bits[order[i]], 3);
    for (unsigned i = 0; i < total;) {
        unsigned run = 1;
        while (i + run < total && lengths[i + run] == lengths[i] && run < 138) run++;
        bool is_zero = lengths[i] == 0;
        unsigned symbol = is_zero && run >= 11 ? 18 : is_zero && run >= 3 ? 17 : lengths[i];
        if (!is_zero && i > 0 && lengths[i - 1] == lengths[i] && run >= 3) symbol = 16;
        put_code(to, code.codes[symbol], code.bits[symbol]);
        if (symbol < 16) {
            i++;
            continue;
        }
        unsigned most = symbol == 16 ? 6 : symbol == 17 ? 10 : 138;
        if (run > most) run = most;
        unsigned added = run - (symbol == 18 ? 11 : 3);
        unsigned bits = symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
        bool goes_too_far = i + run == total && random_once_in(seed, 20);
        put(to, goes_too_far ? (1u << bits) - 1 : added, bits);
        i += run;
    }
}

static void fixed_codes(struct code *literals, struct code *distances) {
    memset(literals, 0, sizeof *literals);
    memset(distances, 0, sizeof *distances);
    memset(literals->bits, 8, 144);
    memset(literals->bits + 144, 9, 112);
    memset(literals->bits + 256, 7, 24);
    memset(literals->bits + 280, 8, 8);
    memset(distances->bits, 5, 32);
    assign(literals, 288);
    assign(distances, 32);
}

/// A random symbol with a code from `first` to below `end`, or `end`.
static unsigned pick(const struct code *code, unsigned first, unsigned end, uint64_t *seed) {
    unsigned start = random_below(seed, end - first);
    for (unsigned i = 0; i < end - first; i++) {
        unsigned symbol = first + (start + i) % (end - first);
        if (code->bits[symbol] > 0) return symbol;
    }
    return end;
}

/// Writes one match of at most `most` bytes; returns its length.
static size_t put_match(struct writer *to, const struct code *literals,
                        const struct code *distances, size_t made, size_t most, uint64_t *seed) {
    static const uint16_t least[31] = {3,  4,  5,  6,  7,  8,  9,  10,  11,  13,  15,
                                       17, 19, 23, 27, 31, 35, 43, 51,  59,  67,  83,
                                       99, 115, 131, 163, 195, 227, 258, 258, 258};
    static const uint8_t extra[31] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2,
                                      3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0, 0, 0};
    unsigned symbol = pick(literals, 257, random_once_in(seed, 500) ? 288 : 286, seed);
    if (symbol > 287 || literals->bits[symbol] == 0) return 0;
    unsigned bits = extra[symbol - 257], added = random_below(seed, 1u << bits);
    size_t length = least[symbol - 257] + added;
    if (length > most) return 0;
    unsigned far = pick(distances, 0, random_once_in(seed, 500) ? 32 : 30, seed);
    unsigned far_bits = far < 4 ? 0 : far < 30 ? far / 2 - 1 : 13;
    size_t far_least = far < 4    ? far + 1
                       : far < 30 ? ((2 + (size_t)far % 2) << far_bits) + 1
                                  : 24577;
    bool has_code = far < 32 && distances->bits[far] > 0;
    // Occasionally, a distance beyond the beginning.
    if ((has_code && far_least > made && !random_once_in(seed, 2000)) ||
        (!has_code && !random_once_in(seed, 2000))) {
        return 0;
    }
    put_code(to, literals->codes[symbol], literals->bits[symbol]);
    put(to, added, bits);
    if (!has_code) {
        put(to, 0, 1);
        return length;
    }
    bool is_half = distances->bits[far] == 1 && random_once_in(seed, 200);
    put_code(to, is_half ? 1u : distances->codes[far], distances->bits[far]);
    uint32_t room = made > far_least ? (uint32_t)(made - far_least) : 0;
    uint32_t range = 1u << far_bits;
    put(to, random_below(seed, room < range ? room + 1 : range), far_bits);
    return length;
}

size_t deflate_make(uint8_t *out, size_t room, size_t count, uint64_t *seed) {
    struct writer to = {.out = out, .room = room};
    size_t made = 0;
    bool is_last = false;
    for (int blocks = 0; !is_last && blocks < 50; blocks++) {
        unsigned kind = random_below(seed, 8) < 2 ? random_below(seed, 2) : 2;
        size_t end = made + random_below(seed, (uint32_t)(count - made) + 1);
        if (random_once_in(seed, 3) || blocks == 49) end = count;
        is_last = end == count && !random_once_in(seed, 4);
        put(&to, is_last, 1);
        put(&to, kind, 2);
        if (kind == 0) {
            if (end - made > 65535) end = made + 65535;
            if (is_last && end != count) return 0;
            put(&to, 0, (unsigned)(8 - to.bits % 8) % 8);
            put(&to, (uint32_t)(end - made), 16);
            put(&to, (uint32_t)(end - made) ^ 0xffff, 16);
            for (; made < end; made++) put(&to, random_below(seed, 5), 8);
            continue;
        }
        struct code literals, distances;
        if (kind == 2) {
            put_codes(&to, &literals, &distances, seed);
        } else {
            fixed_codes(&literals, &distances);
        }
        for (int tries = 0; made < end && tries < 4000; tries++) {
            size_t length = 0;
            if (random_below(seed, 2)) {
                length = put_match(&to, &literals, &distances, made, end - made, seed);
            }
            unsigned literal = length ? 256 : pick(&literals, 0, 256, seed);
            if (literal < 256) {
                put_code(&to, literals.codes[literal], literals.bits[literal]);
                length = 1;
            }
            made += length;
        }
        if (made < end && is_last) return 0;
        bool is_half = literals.bits[256] == 1 && random_once_in(seed, 20);
        put_code(&to, is_half ? 1u : literals.codes[256], literals.bits[256]);
    }
    size_t bytes = (to.bits + 7) / 8;
    return is_last && bytes <= room ? bytes : 0;
}
