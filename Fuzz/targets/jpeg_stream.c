#include "imgc_jpeg.h"
#include "fuzz_limits.h"

#include <stdlib.h>

// The first byte is the length of the pieces of the rest.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (count < 2) return 0;
    imgc_jpeg_stream *stream = imgc_jpeg_stream_make(&fuzz_limits, bytes[0] % 8 + 1);
    if (!stream) return 0;
    size_t piece = (size_t)bytes[0] * 4 + 1;
    uint32_t shown = 0;
    imgc_jpeg_progress progress;
    imgc_error error = {0};
    for (size_t at = 1; at < count && error.status == IMGC_STATUS_OK; at += piece) {
        size_t some = count - at < piece ? count - at : piece;
        imgc_jpeg_stream_feed(stream, bytes + at, some, &progress, &error);
        if (error.status != IMGC_STATUS_OK || !progress.has_scans || progress.scans <= shown) continue;
        shown = progress.scans;
        imgc_pixels pixels = {.width = progress.width, .height = progress.height,
                              .bytes_per_row = (size_t)progress.width * 4};
        pixels.byte_count = pixels.bytes_per_row * progress.height;
        pixels.bytes = malloc(pixels.byte_count);
        imgc_jpeg_stream_show(stream, pixels, &error);
        free(pixels.bytes);
    }
    imgc_jpeg_stream_free(stream);
    return 0;
}
