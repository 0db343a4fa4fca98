#include "imgc_words.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *imgc_words_map(int file, size_t count) {
    size_t size = count * sizeof(uint64_t);
    struct stat status;
    if (fstat(file, &status) != 0) return NULL;
    if ((size_t)status.st_size < size && ftruncate(file, (off_t)size) != 0) return NULL;
    void *words = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return words == MAP_FAILED ? NULL : words;
}

void imgc_words_unmap(void *words, size_t count) {
    munmap(words, count * sizeof(uint64_t));
}
