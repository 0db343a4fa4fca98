// Decodes files and mutated copies of them with and without libpng; see campaigns/png.
#include "imgc_png.h"
#include "png_compare.h"
#include "png_mutate.h"
#include "random_bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const imgc_limits limits = {
    .max_pixels = 1 << 22,
    .max_animation_pixels = 1 << 24,
    .max_memory = 256 << 20,
    .max_cpu_nanoseconds = 10000000000,
    .max_chunk_bytes = 1 << 20,
    .max_side = 16384,
    .max_frames = 64,
    .max_scans = 20,
};

static const char *const statuses[] = {"ok",        "argument", "memory",      "limit",
                                       "truncated", "corrupt",  "unsupported", "write"};
enum { STATUSES = sizeof statuses / sizeof statuses[0], ROOM = 1 << 17 };

struct counts {
    size_t files, fast, differences, by_status[STATUSES];
};

struct file {
    uint8_t *bytes;
    size_t size;
};

static struct file read_file(const char *path) {
    struct file file = {0};
    FILE *stream = fopen(path, "rb");
    if (!stream) return file;
    fseek(stream, 0, SEEK_END);
    file.size = (size_t)ftell(stream);
    rewind(stream);
    file.bytes = malloc(file.size + ROOM);
    if (fread(file.bytes, 1, file.size, stream) != file.size) file.size = 0;
    fclose(stream);
    return file;
}

static void compare(const uint8_t *bytes, size_t size, uint64_t seed, const char *name,
                    const char *kept, struct counts *counts) {
    // In a block of exactly that size, so that a sanitizer detects reads beyond it.
    uint8_t *exact = malloc(size + !size);
    memcpy(exact, bytes, size);
    struct png_comparison result = png_compare(exact, size, &limits, seed);
    counts->files++;
    counts->fast += result.is_fast;
    counts->by_status[result.status]++;
    if (result.difference) {
        counts->differences++;
        char path[512];
        snprintf(path, sizeof path, "%s/difference-%zu.png", kept, counts->differences);
        printf("%s: %s (%s)\n", path, result.difference, name);
        FILE *out = fopen(path, "wb");
        if (out) {
            fwrite(exact, 1, size, out);
            fclose(out);
        }
    }
    free(exact);
}

static void report(const char *what, const struct counts *counts) {
    printf("%s: %zu files, %zu without libpng, %zu differences;", what, counts->files, counts->fast,
           counts->differences);
    for (int i = 0; i < STATUSES; i++) {
        if (counts->by_status[i]) printf(" %s %zu", statuses[i], counts->by_status[i]);
    }
    printf("\n");
}

/// Arguments: the number of mutated files, a seed, the folder for files that differ, the files.
int main(int count, char **arguments) {
    if (count < 5) return 2;
    size_t wanted = strtoull(arguments[1], NULL, 10), files_count = (size_t)count - 4;
    uint64_t seed = strtoull(arguments[2], NULL, 10);
    const char *kept = arguments[3];
    struct file *files = calloc(files_count, sizeof *files);
    struct counts whole = {0}, changed = {0};
    for (size_t i = 0; i < files_count; i++) {
        files[i] = read_file(arguments[4 + i]);
        if (!files[i].bytes) continue;
        compare(files[i].bytes, files[i].size, seed, arguments[4 + i], kept, &whole);
    }
    report("as they are", &whole);
    for (size_t i = 0; i < wanted; i++) {
        uint32_t one = random_below(&seed, (uint32_t)files_count);
        struct file *file = &files[one];
        if (!file->bytes || file->size > 1 << 19) continue;
        uint8_t *copy = malloc(file->size + ROOM);
        memcpy(copy, file->bytes, file->size);
        size_t size = file->size;
        for (uint32_t times = 1 + random_below(&seed, 2); times > 0; times--) {
            size = png_mutate(copy, size, file->size + ROOM, &seed);
        }
        compare(copy, size, random_bits(&seed), arguments[4 + one], kept, &changed);
        free(copy);
    }
    report("changed", &changed);
    for (size_t i = 0; i < files_count; i++) free(files[i].bytes);
    free(files);
    return whole.differences + changed.differences > 0;
}
