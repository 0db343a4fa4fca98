#include "imgc_reduce.h"

#include "quantizer.h"
#include "support.h"

#include <string.h>

imgc_status imgc_reduce(imgc_image image, uint32_t limit, imgc_reduced *out, uint8_t *indices,
                        imgc_error *error) {
    *error = (imgc_error){.status = IMGC_STATUS_OK};
    if (!imgc_image_is_sound(&image) || limit < 1 || limit > 255) {
        return imgc_fail(error, IMGC_STATUS_ARGUMENT, 0, "no pixels, or %u colours", limit);
    }
    imgc_quantizer *quantizer = imgc_quantizer_new();
    if (!quantizer) return imgc_fail(error, IMGC_STATUS_MEMORY, 0, "no memory for a palette");
    bool is_empty = true;
    for (uint32_t y = 0; y < image.height; y++) {
        const uint8_t *pixel = image.bytes + image.bytes_per_row * y;
        if (imgc_quantizer_count_row(quantizer, pixel, image.width, 128)) is_empty = false;
    }
    out->count = 0;
    if (!is_empty) {
        imgc_quantizer_choose(quantizer, (int)limit);
        const imgc_palette *palette = imgc_quantizer_palette(quantizer);
        out->count = (uint32_t)palette->count;
        memcpy(out->palette, palette->colors, sizeof out->palette);
    }
    for (uint32_t y = 0; y < image.height; y++) {
        const uint8_t *pixel = image.bytes + image.bytes_per_row * y;
        for (uint32_t x = 0; x < image.width; x++, pixel += 4) {
            *indices++ = pixel[3] < 128 ? 255 : imgc_quantizer_index(quantizer, pixel);
        }
    }
    imgc_quantizer_free(quantizer);
    return IMGC_STATUS_OK;
}
