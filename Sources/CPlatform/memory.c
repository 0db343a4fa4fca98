#include "imgc_memory.h"

#include "imgc_limits.h"

#include <stdint.h>
#include <stdlib.h> // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

void imgc_memory_expect_reuse(void) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 16 << 20);            // give back beyond 16 MiB of free memory
    mallopt(M_MMAP_THRESHOLD, 4 << 20);             // larger pieces are mapped on their own
    // Each arena reserves 64 MiB of addresses: too much where they are limited.
    if (imgc_limits_address_space() != INT64_MAX) mallopt(M_ARENA_MAX, 2);
#endif
}
