#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void imgc_buffer_free(imgc_buffer *buffer) {
    free(buffer->bytes);
    *buffer = (imgc_buffer){0};
}

imgc_status imgc_fail(imgc_error *error, imgc_status status, uint64_t offset, const char *format,
                      ...) {
    if (error->status != IMGC_STATUS_OK) return error->status;
    error->status = status;
    error->offset = offset;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    // A library may quote bytes of the file: keep the message one printable line.
    for (char *at = error->message; *at; at++) {
        if ((unsigned char)*at < 0x20 || (unsigned char)*at > 0x7e) *at = '?';
    }
    return status;
}

bool imgc_buffer_reserve(imgc_buffer *buffer, size_t extra) {
    if (buffer->capacity - buffer->count >= extra) return true;
    size_t wanted = buffer->capacity ? buffer->capacity : 16384;
    while (wanted - buffer->count < extra) {
        if (wanted > SIZE_MAX / 2) return false;
        wanted *= 2;
    }
    uint8_t *grown = realloc(buffer->bytes, wanted);
    if (!grown) return false;
    buffer->bytes = grown;
    buffer->capacity = wanted;
    return true;
}

bool imgc_buffer_append(imgc_buffer *buffer, const void *bytes, size_t count) {
    if (!imgc_buffer_reserve(buffer, count)) return false;
    // Nothing into a buffer that has nothing: there is no address to copy to.
    if (count > 0) memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
    return true;
}

bool imgc_image_is_sound(const imgc_image *image) {
    return image->width > 0 && image->height > 0 && image->width <= INT32_MAX / 4 &&
           image->bytes_per_row >= (size_t)image->width * 4 &&
           image->byte_count / image->height >= image->bytes_per_row;
}

bool imgc_image_is_opaque(const imgc_image *image) {
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = image->bytes + image->bytes_per_row * y;
        uint8_t alpha = 255;
        for (uint32_t x = 0; x < image->width; x++) alpha &= row[4 * x + 3];
        if (alpha != 255) return false;
    }
    return true;
}

uint64_t imgc_cpu_now(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t imgc_cpu_deadline(uint64_t nanoseconds) {
    uint64_t now = imgc_cpu_now();
    return nanoseconds > UINT64_MAX - now ? UINT64_MAX : now + nanoseconds;
}

bool imgc_size_allowed(uint64_t width, uint64_t height, const imgc_limits *limits,
                       imgc_error *error) {
    if (width == 0 || height == 0) {
        imgc_fail(error, IMGC_STATUS_CORRUPT, 0, "image of %llu x %llu pixels",
                  (unsigned long long)width, (unsigned long long)height);
        return false;
    }
    if (width > limits->max_side || height > limits->max_side) {
        imgc_fail(error, IMGC_STATUS_LIMIT, 0,
                  "image is %llu x %llu pixels, more than %u a side allowed",
                  (unsigned long long)width, (unsigned long long)height, limits->max_side);
        return false;
    }
    if (width * height > limits->max_pixels) { // both are below 2^32 here
        imgc_fail(error, IMGC_STATUS_LIMIT, 0,
                  "image is %llu x %llu pixels, more than the %llu allowed",
                  (unsigned long long)width, (unsigned long long)height,
                  (unsigned long long)limits->max_pixels);
        return false;
    }
    return true;
}
