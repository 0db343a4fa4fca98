#define _GNU_SOURCE // fallocate
#include "imgc_words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *imgc_words_map(int file, size_t count) {
    size_t size = count * sizeof(uint64_t);
#ifdef __linux__
    // Blocks are reserved now, contents stay: a page without a block on a full disk ends the
    // process (SIGBUS). Some file systems look at every page, so not where all are there.
    struct stat status;
    if (fstat(file, &status) != 0) return NULL;
    bool is_whole = (size_t)status.st_size >= size && (size_t)status.st_blocks * 512 >= size;
    if (!is_whole && fallocate(file, 0, 0, (off_t)size) != 0) return NULL;
#else
    struct stat status;
    if (fstat(file, &status) != 0) return NULL;
    if ((size_t)status.st_size < size && ftruncate(file, (off_t)size) != 0) return NULL;
#endif
    void *words = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return words == MAP_FAILED ? NULL : words;
}

void *imgc_words_map_reading(int file, size_t count) {
    size_t size = count * sizeof(uint64_t);
    struct stat status;
    if (fstat(file, &status) != 0) return NULL;
    if ((size_t)status.st_size < size) {
        errno = EINVAL;
        return NULL;
    }
    void *words = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    return words == MAP_FAILED ? NULL : words;
}

void *imgc_words_map_private(size_t count) {
    void *words = mmap(
        NULL, count * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    return words == MAP_FAILED ? NULL : words;
}

void imgc_words_unmap(void *words, size_t count) {
    munmap(words, count * sizeof(uint64_t));
}
