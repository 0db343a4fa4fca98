#include "driver.h"

#include <stddef.h>
#include <stdint.h>

typedef int (*fuzz_target)(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerRunDriver(int *argc, char ***argv, fuzz_target target);

int fuzz_swift_main(int argc, char **argv) {
    return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput);
}
