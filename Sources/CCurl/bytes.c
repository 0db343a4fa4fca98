#include "bytes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    kept_body_capacity = 256 * 1024, // larger buffers are not kept between transfers
};

int64_t ccurl_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool ccurl_reserve(ccurl_bytes *bytes, size_t more) {
    if (bytes->capacity - bytes->count >= more) return true;
    size_t wanted = bytes->capacity ? bytes->capacity : 4096;
    while (wanted - bytes->count < more) {
        if (wanted > SIZE_MAX / 2) return false;
        wanted *= 2;
    }
    uint8_t *grown = realloc(bytes->start, wanted);
    if (!grown) return false;
    bytes->start = grown;
    bytes->capacity = wanted;
    return true;
}

bool ccurl_append(ccurl_bytes *bytes, const void *more, size_t count) {
    if (!ccurl_reserve(bytes, count)) return false;
    memcpy(bytes->start + bytes->count, more, count);
    bytes->count += count;
    return true;
}

void ccurl_interim_taken(ccurl_transfer *shown) { shown->interim.count = 0; }

void ccurl_body_taken(ccurl_transfer *shown) {
    shown->body.count = 0;
    if (shown->body.capacity <= kept_body_capacity) return;
    free(shown->body.start);
    shown->body.start = NULL;
    shown->body.capacity = 0;
}
