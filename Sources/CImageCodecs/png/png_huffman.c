// Source: RFC 1951, sections 3.2.2 and 3.2.5; which codes are refused: zlib's inftrees.c (1.2.13).
#include "png_huffman.h"

enum { LONGEST = 15, MOST_SYMBOLS = 288 };

struct table {
    imgc_entry *entries;
    unsigned bits, room;         // bits that index the main table; entries in all
    const imgc_entry *meanings;  // of each symbol, without the length of its code
};

/// The next code of `length` bits, of which the first bit is the lowest.
static unsigned next_code(unsigned code, unsigned length) {
    unsigned zeros = code ^ ((1u << length) - 1); // never 0: the last code is followed by none
    unsigned highest = 1u << (31 - __builtin_clz(zeros));
    return (code & (highest - 1)) | highest;
}

/// Bits that index a subtable which begins with codes of `length` bits.
static unsigned subtable_bits(const uint16_t *counts, unsigned left, unsigned length,
                              unsigned main_bits) {
    unsigned bits = length - main_bits, filled = left;
    while (filled < 1u << bits && main_bits + bits < LONGEST) {
        bits++;
        filled = (filled << 1) + counts[main_bits + bits];
    }
    return bits;
}

/// Fills the table with the codes of `sorted`; false where the subtables take too much room.
static bool fill(struct table table, const uint16_t *counts, const uint16_t *sorted) {
    unsigned code = 0, end = 1u << table.bits, prefix = ~0u, start = 0, sub = 0;
    for (unsigned length = 1; length <= LONGEST; length++) {
        for (unsigned left = counts[length]; left > 0; left--) {
            imgc_entry meaning = table.meanings[*sorted++];
            if (length <= table.bits) {
                for (unsigned i = code; i < 1u << table.bits; i += 1u << length) {
                    table.entries[i] = meaning + length;
                }
            } else {
                if ((code & ((1u << table.bits) - 1)) != prefix) {
                    prefix = code & ((1u << table.bits) - 1);
                    sub = subtable_bits(counts, left, length, table.bits);
                    start = end;
                    end += 1u << sub;
                    if (end > table.room) return false;
                    table.entries[prefix] = start << 16 | IMGC_ENTRY_SUBTABLE | sub;
                }
                unsigned rest = length - table.bits;
                for (unsigned i = code >> table.bits; i < 1u << sub; i += 1u << rest) {
                    table.entries[start + i] = meaning + rest;
                }
            }
            if (code == (1u << length) - 1) return true; // the last one
            code = next_code(code, length);
        }
    }
    return true;
}

/// Builds a table of a code that may have one symbol where `may_be_short`, and none where
/// `may_be_empty`.
static bool build(struct table table, const uint8_t *bits, unsigned symbols, bool may_be_short,
                  bool may_be_empty) {
    uint16_t counts[LONGEST + 1] = {0}, begins[LONGEST + 1], sorted[MOST_SYMBOLS];
    for (unsigned i = 0; i < symbols; i++) counts[bits[i]]++;
    counts[0] = 0;
    int left = 1; // codes of this length that are not taken
    unsigned sum = 0, longest = 0;
    for (unsigned length = 1; length <= LONGEST; length++) {
        left = 2 * left - counts[length];
        if (left < 0) return false;
        begins[length] = (uint16_t)sum;
        sum += counts[length];
        if (counts[length] > 0) longest = length;
    }
    if (left > 0) {
        bool is_allowed = longest == 0 ? may_be_empty : longest == 1 && may_be_short;
        if (!is_allowed) return false;
        for (unsigned i = 0; i < 1u << table.bits; i++) table.entries[i] = IMGC_ENTRY_INVALID | 1;
    }
    for (unsigned i = 0; i < symbols; i++) {
        if (bits[i] > 0) sorted[begins[bits[i]]++] = (uint16_t)i;
    }
    return fill(table, counts, sorted);
}

bool imgc_huffman_lengths(struct imgc_huffman *codes, const uint8_t bits[19]) {
    static const imgc_entry meanings[19] = {
        0u << 16,  1u << 16,  2u << 16,  3u << 16,  4u << 16,  5u << 16,  6u << 16,
        7u << 16,  8u << 16,  9u << 16,  10u << 16, 11u << 16, 12u << 16, 13u << 16,
        14u << 16, 15u << 16, 16u << 16, 17u << 16, 18u << 16};
    struct table table = {codes->lengths, IMGC_LENGTHS_BITS, 1 << IMGC_LENGTHS_BITS, meanings};
    return build(table, bits, 19, false, false);
}

#define VALUE(least, extra) ((imgc_entry)(least) << 16 | (extra) << 8 | (extra))

/// The symbols after the literals and the end of the block.
static const imgc_entry match_lengths[31] = {
    VALUE(3, 0),   VALUE(4, 0),   VALUE(5, 0),   VALUE(6, 0),   VALUE(7, 0),   VALUE(8, 0),
    VALUE(9, 0),   VALUE(10, 0),  VALUE(11, 1),  VALUE(13, 1),  VALUE(15, 1),  VALUE(17, 1),
    VALUE(19, 2),  VALUE(23, 2),  VALUE(27, 2),  VALUE(31, 2),  VALUE(35, 3),  VALUE(43, 3),
    VALUE(51, 3),  VALUE(59, 3),  VALUE(67, 4),  VALUE(83, 4),  VALUE(99, 4),  VALUE(115, 4),
    VALUE(131, 5), VALUE(163, 5), VALUE(195, 5), VALUE(227, 5), VALUE(258, 0),
    IMGC_ENTRY_INVALID, IMGC_ENTRY_INVALID};

static const imgc_entry match_distances[32] = {
    VALUE(1, 0),      VALUE(2, 0),      VALUE(3, 0),     VALUE(4, 0),     VALUE(5, 1),
    VALUE(7, 1),      VALUE(9, 2),      VALUE(13, 2),    VALUE(17, 3),    VALUE(25, 3),
    VALUE(33, 4),     VALUE(49, 4),     VALUE(65, 5),    VALUE(97, 5),    VALUE(129, 6),
    VALUE(193, 6),    VALUE(257, 7),    VALUE(385, 7),   VALUE(513, 8),   VALUE(769, 8),
    VALUE(1025, 9),   VALUE(1537, 9),   VALUE(2049, 10), VALUE(3073, 10), VALUE(4097, 11),
    VALUE(6145, 11),  VALUE(8193, 12),  VALUE(12289, 12), VALUE(16385, 13), VALUE(24577, 13),
    IMGC_ENTRY_INVALID, IMGC_ENTRY_INVALID};

/// Lets one look-up give two literals where both codes are short enough.
static void pair_literals(imgc_entry *entries) {
    imgc_entry first = entries[0];
    for (unsigned i = 1 << IMGC_LITERALS_BITS; i-- > 0;) {
        imgc_entry one = entries[i];
        if (!(one & IMGC_ENTRY_LITERAL)) continue;
        unsigned bits = one & IMGC_ENTRY_BITS;
        // Entries below this one are not paired yet.
        imgc_entry two = i == 0 ? first : entries[i >> bits];
        if (!(two & IMGC_ENTRY_LITERAL)) continue;
        unsigned both = bits + (two & IMGC_ENTRY_BITS);
        if (both > IMGC_LITERALS_BITS) continue;
        entries[i] = (two >> 16 & 255) << 24 | (one & 0xff0000) | 2 * IMGC_ENTRY_LITERAL | both;
    }
}

bool imgc_huffman_literals(struct imgc_huffman *codes, const uint8_t *bits, unsigned count) {
    imgc_entry meanings[MOST_SYMBOLS];
    for (unsigned i = 0; i < 256; i++) meanings[i] = i << 16 | IMGC_ENTRY_LITERAL;
    meanings[256] = IMGC_ENTRY_END;
    for (unsigned i = 257; i < count; i++) meanings[i] = match_lengths[i - 257];
    struct table table = {codes->literals, IMGC_LITERALS_BITS, IMGC_LITERALS_ROOM, meanings};
    if (!build(table, bits, count, true, false)) return false;
    pair_literals(codes->literals);
    return true;
}

bool imgc_huffman_distances(struct imgc_huffman *codes, const uint8_t *bits, unsigned count) {
    struct table table = {codes->distances, IMGC_DISTANCES_BITS, IMGC_DISTANCES_ROOM,
                          match_distances};
    return build(table, bits, count, true, true);
}
