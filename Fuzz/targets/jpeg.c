#include "imgc_jpeg.h"
#include "imgc_scan.h"
#include "fuzz_limits.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    imgc_error error;
    imgc_info info;
    imgc_buffer icc = {0};
    imgc_jpeg_scan(bytes, count, &fuzz_limits, false, &info, &error);
    imgc_jpeg_scan(bytes, count, &fuzz_limits, true, &info, &error);
    imgc_jpeg_icc(bytes, count, &fuzz_limits, &icc, &error);
    imgc_buffer_free(&icc);
    imgc_jpeg_request request = {.eighths = count % 8 + 1, .lenient = count % 2,
                                 .strict = count % 3 == 0, .inks = count % 5 == 0};
    imgc_jpeg_reader *reader = imgc_jpeg_reader_open(bytes, count, &fuzz_limits, request, &error);
    if (!reader) return 0;
    uint32_t width = imgc_jpeg_reader_width(reader), done = 0;
    imgc_pixels rows = {.width = width, .height = 16, .bytes_per_row = (size_t)width * 4,
                        .byte_count = (size_t)width * 64};
    rows.bytes = malloc(rows.byte_count);
    do {
        imgc_jpeg_reader_read(reader, rows, &done, &error);
    } while (done > 0 && error.status == IMGC_STATUS_OK);
    free(rows.bytes);
    imgc_jpeg_reader_close(reader);
    return 0;
}
