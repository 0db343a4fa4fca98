#ifndef IMGC_WORDS_H
#define IMGC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Maps a file of 64-bit words that several processes share; grows it with zeros to `count` words.
///
/// The result stays mapped until imgc_words_unmap; NULL with errno set when the file system cannot.
/// The file may be closed after.
void *_Nullable imgc_words_map(int file, size_t count);

/// Maps a file of at least `count` words for reading; NULL with errno set when it is shorter.
void *_Nullable imgc_words_map_reading(int file, size_t count);

/// Allocates `count` words of zeros that no other process sees; NULL without memory.
void *_Nullable imgc_words_map_private(size_t count);

/// Ends the mapping of `count` words.
void imgc_words_unmap(void *_Nonnull words, size_t count);

/// Reads a word; what was written before its last change is seen after.
static inline uint64_t imgc_word_load(const void *_Nonnull words, size_t index) {
    return __atomic_load_n((const uint64_t *)words + index, __ATOMIC_ACQUIRE);
}

/// Writes a word after everything before.
static inline void imgc_word_store(void *_Nonnull words, size_t index, uint64_t value) {
    __atomic_store_n((uint64_t *)words + index, value, __ATOMIC_RELEASE);
}

/// Reads a word in no order with others.
static inline uint64_t imgc_word_peek(const void *_Nonnull words, size_t index) {
    return __atomic_load_n((const uint64_t *)words + index, __ATOMIC_RELAXED);
}

/// Writes a word in no order with others.
static inline void imgc_word_poke(void *_Nonnull words, size_t index, uint64_t value) {
    __atomic_store_n((uint64_t *)words + index, value, __ATOMIC_RELAXED);
}

/// Adds to a word, in no order with others, and returns the sum.
static inline uint64_t imgc_word_add(void *_Nonnull words, size_t index, uint64_t amount) {
    return __atomic_add_fetch((uint64_t *)words + index, amount, __ATOMIC_RELAXED);
}

/// Writes a word if it is still `old`, in no order with others, and returns whether it was.
static inline bool imgc_word_exchange(
    void *_Nonnull words, size_t index, uint64_t old, uint64_t value) {
    return __atomic_compare_exchange_n(
        (uint64_t *)words + index, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/// Ends a read of several words: none of them is read after what follows.
static inline void imgc_words_end_read(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

/// Begins a change of several words: none of them is written before what precedes.
static inline void imgc_words_begin_write(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

#endif
