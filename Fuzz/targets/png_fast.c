// The two ways to decode a PNG, compared: the same pixels and the same status, or abort.
#include "../support/png_compare.h"
#include "../support/png_mutate.h"
#include "../support/random_bits.h"
#include "fuzz_limits.h"

#include <stdio.h>
#include <stdlib.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned int number) {
    uint64_t seed = number;
    if (random_once_in(&seed, 8)) return LLVMFuzzerMutate(bytes, size, room);
    return png_mutate(bytes, size, room, &seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    uint64_t seed = count;
    imgc_limits limits = fuzz_limits;
    limits.max_pixels = 1 << 15; // each input is decoded four times
    struct png_comparison result = png_compare(bytes, count, &limits, random_bits(&seed));
    if (result.difference) {
        fprintf(stderr, "not the same with and without libpng: %s\n", result.difference);
        abort();
    }
    return 0;
}
