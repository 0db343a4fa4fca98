#include "imgc_webp.h"
#include "fuzz_limits.h"

#include <stdlib.h>

/// Decodes the rows of a still image in one call, or in pieces at half the size.
static void read_still(const uint8_t *bytes, size_t count, bool half, bool lenient) {
    imgc_error error;
    imgc_webp_reader *reader =
        imgc_webp_reader_open(bytes, count, &fuzz_limits, half, lenient, &error);
    if (!reader) return;
    imgc_pixels rows = {.width = imgc_webp_reader_width(reader)};
    uint32_t height = imgc_webp_reader_height(reader), done = 0, some;
    rows.height = half ? 3 : height;
    rows.bytes_per_row = (size_t)rows.width * 4;
    rows.byte_count = rows.bytes_per_row * rows.height;
    rows.bytes = malloc(rows.byte_count);
    do {
        imgc_webp_reader_read(reader, rows, &some, &error);
        done += some;
    } while (half && error.status == IMGC_STATUS_OK && some > 0 && done < height);
    free(rows.bytes);
    imgc_webp_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    imgc_error error;
    imgc_webp_table *table = imgc_webp_table_make(bytes, count, &fuzz_limits, &error);
    if (!table) return 0;
    const imgc_webp_summary *summary = imgc_webp_table_summary(table);
    if (summary->info.has_animation) {
        imgc_pixels canvas = {.width = summary->info.width, .height = summary->info.height,
                              .bytes_per_row = (size_t)summary->info.width * 4};
        canvas.byte_count = canvas.bytes_per_row * canvas.height;
        canvas.bytes = calloc(1, canvas.byte_count);
        for (uint32_t i = 0; i < summary->frames; i++) {
            const imgc_webp_frame *frame = imgc_webp_table_entry(table, i);
            imgc_webp_draw(bytes, count, frame, &canvas, &fuzz_limits, &error);
            imgc_webp_draw(bytes, count, frame, NULL, &fuzz_limits, &error);
        }
        free(canvas.bytes);
    } else {
        read_still(bytes, count, false, false);
        read_still(bytes, count, false, true);
        read_still(bytes, count, true, false);
    }
    imgc_webp_table_free(table);
    return 0;
}
