#include "imgc_avif.h"
#include "fuzz_limits.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    imgc_error error;
    imgc_info info;
    imgc_buffer buffer = {0};
    imgc_status scanned = imgc_avif_scan(bytes, count, &fuzz_limits, &info, &error);
    imgc_avif_icc(bytes, count, &fuzz_limits, &buffer, &error);
    imgc_buffer_free(&buffer);
    imgc_avif_reader *reader = imgc_avif_reader_open(bytes, count, &fuzz_limits, &error);
    if (!reader) return 0;
    uint32_t width = imgc_avif_reader_width(reader), height = imgc_avif_reader_height(reader);
    if (scanned != IMGC_STATUS_OK || info.width != width || info.height != height) abort();
    // Two reads: rows at the edge of a band need those beyond it.
    imgc_pixels rows = {.width = width, .height = height / 2 + 1};
    rows.bytes_per_row = (size_t)width * 4;
    rows.byte_count = rows.bytes_per_row * rows.height;
    rows.bytes = malloc(rows.byte_count);
    uint32_t done = 0;
    for (int i = 0; i < 2; i++) {
        if (imgc_avif_reader_read(reader, rows, &done, &error) != IMGC_STATUS_OK) break;
    }
    free(rows.bytes);
    imgc_avif_reader_close(reader);
    return 0;
}
