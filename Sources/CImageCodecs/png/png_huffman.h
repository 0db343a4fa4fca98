// Tables that decode the codes of DEFLATE.
#ifndef IMGC_PNG_HUFFMAN_H
#define IMGC_PNG_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

/// What the next bits of a stream mean.
///
/// - Bits 0–5: how many bits the symbol takes, the extra bits of its value included; of a subtable,
///   how many bits index it.
/// - Bits 6–7: how many literals it is, 0, 1 or 2.
/// - Bits 8–11: how many of the bits are extra bits.
/// - Bits 12–14: the flags below.
/// - Bits 16–31: the literals, the first one lowest; the least value; the symbol; where a subtable
///   begins.
typedef uint32_t imgc_entry;

enum {
    IMGC_ENTRY_BITS = 63,
    IMGC_ENTRY_LITERAL = 1 << 6,
    IMGC_ENTRY_LITERALS = 3 << 6,
    IMGC_ENTRY_EXTRA = 15, ///< After a shift by 8.
    IMGC_ENTRY_END = 1 << 12,
    IMGC_ENTRY_INVALID = 1 << 13,
    IMGC_ENTRY_SUBTABLE = 1 << 14,
    IMGC_ENTRY_UNUSUAL = IMGC_ENTRY_END | IMGC_ENTRY_INVALID | IMGC_ENTRY_SUBTABLE,

    IMGC_LENGTHS_BITS = 7, ///< No code for a length is longer.
    IMGC_LITERALS_BITS = 11,
    IMGC_DISTANCES_BITS = 8,
    /// Main table and subtables, as zlib's examples/enough.c counts them for 288 and 32 symbols.
    IMGC_LITERALS_ROOM = 2342,
    IMGC_DISTANCES_ROOM = 402,
};

/// The tables of one block.
struct imgc_huffman {
    imgc_entry lengths[1 << IMGC_LENGTHS_BITS];
    imgc_entry literals[IMGC_LITERALS_ROOM];
    imgc_entry distances[IMGC_DISTANCES_ROOM];
};

/// Each builds one table from the lengths of the codes in bits; 0 where a symbol has none. False
/// where zlib refuses the lengths: more codes than fit, or fewer, except that one code of one bit
/// is enough for the literals, one or none for the distances. The codes that are missing then are
/// marked as invalid.
bool imgc_huffman_lengths(struct imgc_huffman *codes, const uint8_t bits[19]);
bool imgc_huffman_literals(struct imgc_huffman *codes, const uint8_t *bits, unsigned count);
bool imgc_huffman_distances(struct imgc_huffman *codes, const uint8_t *bits, unsigned count);

#endif
