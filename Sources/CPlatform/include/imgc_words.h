#ifndef IMGC_WORDS_H
#define IMGC_WORDS_H

#include <stddef.h>
#include <stdint.h>

/// Maps a file of 64-bit words that several processes share; grows it with zeros to `count` words.
///
/// The result stays mapped until imgc_words_unmap; NULL when the file system cannot. The file may
/// be closed after.
void *_Nullable imgc_words_map(int file, size_t count);

/// Ends the mapping of `count` words.
void imgc_words_unmap(void *_Nonnull words, size_t count);

/// Reads a word; what was written before its last change is seen after.
static inline uint64_t imgc_word_load(const void *_Nonnull words, size_t index) {
    return __atomic_load_n((const uint64_t *)words + index, __ATOMIC_ACQUIRE);
}

/// Adds to a word, in order with everything around it.
static inline void imgc_word_add(void *_Nonnull words, size_t index, uint64_t amount) {
    __atomic_fetch_add((uint64_t *)words + index, amount, __ATOMIC_SEQ_CST);
}

#endif
