#include "imgc_gif.h"
#include "imgc_jpeg.h"
#include "imgc_png.h"
#include "imgc_webp.h"

#include <stdlib.h>

// Pixels made of the input go through all encoders: the output must be decodable.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (count < 8) return 0;
    uint32_t width = bytes[0] % 40 + 1u, height = bytes[1] % 40 + 1u, frames = bytes[2] % 4 + 1u;
    size_t stride = (size_t)width * 4, total = stride * height;
    uint8_t *pixels = malloc(total * frames);
    for (size_t i = 0; i < total * frames; i++) pixels[i] = bytes[(i * 7 + i / 64) % count];
    imgc_image image = {.bytes = pixels, .byte_count = total, .bytes_per_row = stride,
                        .width = width, .height = height};
    imgc_error error;
    imgc_buffer out = {0};
    imgc_jpeg_options jpeg = {.quality = bytes[3] % 100 + 1, .full_chroma = bytes[4] & 1,
                              .progressive = bytes[4] & 2, .gray = bytes[4] & 8};
    if (imgc_jpeg_encode(image, &jpeg, &out, &error) != IMGC_STATUS_OK) abort();
    imgc_buffer_free(&out);
    imgc_png_options png = {.level = bytes[5] % 10, .every_filter = bytes[4] & 16,
                            .may_use_palette = bytes[4] & 32};
    if (imgc_png_encode(image, &png, &out, &error) != IMGC_STATUS_OK) abort();
    imgc_buffer_free(&out);
    imgc_gif_options gif = {.width = width, .height = height, .loop_count = bytes[6],
                            .global_palette = bytes[4] & 64};
    imgc_gif_writer *writer = imgc_gif_writer_open(&gif);
    for (uint32_t pass = 0; writer && pass < 2; pass++) {
        for (uint32_t i = 0; i < frames; i++) {
            image.bytes = pixels + total * i;
            imgc_status status = pass == 0 ? imgc_gif_writer_survey(writer, image, &error)
                                           : imgc_gif_writer_add(writer, image, bytes[7], &error);
            if (status != IMGC_STATUS_OK) abort();
        }
    }
    if (writer && imgc_gif_writer_finish(writer, &out, &error) != IMGC_STATUS_OK) abort();
    imgc_buffer_free(&out);
    imgc_gif_writer_close(writer);
    imgc_webp_options webp = {.quality = (float)(bytes[3] % 101), .method = bytes[5] % 4,
                              .lossless = bytes[4] & 128, .loop_count = bytes[6]};
    if (imgc_webp_encode(image, &webp, &out, &error) != IMGC_STATUS_OK) abort();
    imgc_buffer_free(&out);
    imgc_webp_writer *animation = imgc_webp_writer_open(width, height, &webp, &error);
    for (uint32_t i = 0; animation && i < frames; i++) {
        image.bytes = pixels + total * i;
        if (imgc_webp_writer_add(animation, image, bytes[7], &error) != IMGC_STATUS_OK) abort();
    }
    if (animation && imgc_webp_writer_finish(animation, &out, &error) != IMGC_STATUS_OK) abort();
    imgc_buffer_free(&out);
    imgc_webp_writer_close(animation);
    free(pixels);
    return 0;
}
