#include "imgc_heif.h"
#include "fuzz_limits.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    imgc_error error;
    imgc_info info;
    imgc_buffer buffer = {0};
    imgc_status scanned = imgc_heif_scan(bytes, count, &fuzz_limits, &info, &error);
    imgc_heif_icc(bytes, count, &fuzz_limits, &buffer, &error);
    imgc_buffer_free(&buffer);
    imgc_heif_description description = imgc_heif_describe(bytes, count, &fuzz_limits);
    imgc_buffer_free(&description.exif);
    imgc_heif_reader *reader = imgc_heif_reader_open(bytes, count, &fuzz_limits, &error);
    if (!reader) return 0;
    uint32_t width = imgc_heif_reader_width(reader), height = imgc_heif_reader_height(reader);
    if (scanned != IMGC_STATUS_OK || info.width != width || info.height != height) abort();
    imgc_pixels rows = {.width = width, .height = height};
    rows.bytes_per_row = (size_t)width * 4;
    rows.byte_count = rows.bytes_per_row * height;
    rows.bytes = malloc(rows.byte_count);
    uint32_t done = 0;
    imgc_heif_reader_read(reader, rows, &done, &error);
    free(rows.bytes);
    imgc_heif_reader_close(reader);
    return 0;
}
