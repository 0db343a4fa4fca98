#include "imgc_apng.h"
#include "imgc_png.h"
#include "imgc_scan.h"
#include "fuzz_limits.h"

#include <stdlib.h>

static void decode(const uint8_t *bytes, size_t count) {
    imgc_error error;
    imgc_png_reader *reader = imgc_png_reader_open(bytes, count, &fuzz_limits, &error);
    if (!reader) return;
    uint32_t width = imgc_png_reader_width(reader), height = imgc_png_reader_height(reader), done;
    imgc_pixels rows = {.width = width, .height = height, .bytes_per_row = (size_t)width * 4};
    rows.byte_count = rows.bytes_per_row * height;
    rows.bytes = malloc(rows.byte_count);
    imgc_png_reader_read(reader, rows, &done, &error);
    free(rows.bytes);
    imgc_png_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    imgc_error error;
    imgc_info info;
    imgc_buffer buffer = {0};
    imgc_png_scan(bytes, count, &fuzz_limits, false, &info, &error);
    imgc_png_scan(bytes, count, &fuzz_limits, true, &info, &error);
    imgc_png_check(bytes, count, &fuzz_limits, &error);
    imgc_png_icc(bytes, count, &fuzz_limits, &buffer, &error);
    imgc_buffer_free(&buffer);
    decode(bytes, count);
    imgc_apng_table *table = imgc_apng_table_make(bytes, count, &fuzz_limits, &error);
    if (!table) return 0;
    for (uint32_t i = 0; i < imgc_apng_table_frames(table); i++) {
        const imgc_apng_entry *entry = imgc_apng_table_entry(table, i);
        if (imgc_apng_frame(bytes, count, entry, &buffer, &error) == IMGC_STATUS_OK) {
            decode(buffer.bytes, buffer.count);
        }
        imgc_buffer_free(&buffer);
    }
    imgc_apng_table_free(table);
    return 0;
}
