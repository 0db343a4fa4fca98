#include "imgc_gif.h"
#include "fuzz_limits.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    imgc_error error;
    imgc_gif_table *table = imgc_gif_table_make(bytes, count, &fuzz_limits, &error);
    if (!table) return 0;
    const imgc_gif_summary *summary = imgc_gif_table_summary(table);
    imgc_gif_decoder *decoder = imgc_gif_decoder_make();
    imgc_pixels canvas = {.width = summary->width, .height = summary->height,
                          .bytes_per_row = (size_t)summary->width * 4};
    canvas.byte_count = canvas.bytes_per_row * summary->height;
    canvas.bytes = calloc(1, canvas.byte_count);
    uint32_t frames = summary->frames + (summary->has_partial_frame ? 1 : 0);
    for (uint32_t i = 0; i < frames; i++) {
        bool missing;
        const imgc_gif_entry *entry = imgc_gif_table_entry(table, i);
        imgc_gif_decoder_draw(decoder, bytes, count, entry, &canvas, &fuzz_limits, &missing, &error);
        imgc_gif_decoder_draw(decoder, bytes, count, entry, NULL, &fuzz_limits, &missing, &error);
    }
    free(canvas.bytes);
    imgc_gif_decoder_free(decoder);
    imgc_gif_table_free(table);
    return 0;
}
