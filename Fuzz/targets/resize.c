#include "imgk.h"
#include "imgk_resample.h"

#include <stdlib.h>
#include <string.h>

// The input is a plan, then pixels. Both kinds of inner loops must agree to the bit.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (count < 16) return 0;
    imgk_resample_plan plan = {
        .source_width = bytes[0] % 96 + 1u, .source_height = bytes[1] % 96 + 1u,
        .target_width = bytes[2] % 96 + 1u, .target_height = bytes[3] % 96 + 1u,
        .filter = bytes[4] % 2 ? IMGK_FILTER_AREA : IMGK_FILTER_LANCZOS3, .has_alpha = bytes[5] % 2,
    };
    if (bytes[6] % 8 == 0) plan.source_width *= 64; // blocks are averaged first
    if (bytes[6] % 8 == 1) plan.source_height *= 64;
    plan.left = plan.source_width * (bytes[7] / 512.0);
    plan.top = plan.source_height * (bytes[8] / 512.0);
    plan.width = (plan.source_width - plan.left) * ((bytes[9] + 1) / 256.0);
    plan.height = (plan.source_height - plan.top) * ((bytes[10] + 1) / 256.0);
    if (bytes[11] == 255) memcpy(&plan.width, bytes, 8); // anything at all
    size_t stride = (size_t)plan.source_width * 4, total = stride * plan.source_height;
    uint8_t *source = malloc(total);
    for (size_t i = 0; i < total; i++) source[i] = bytes[i % count];
    size_t result = (size_t)plan.target_width * plan.target_height * 4;
    uint8_t *targets[2] = {calloc(1, result), calloc(1, result)};
    bool made = true;
    for (int side = 0; side < 2; side++) {
        plan.portable = side == 1;
        imgk_resampler *resampler = imgk_resampler_make(&plan);
        made = resampler != NULL;
        if (!made) break;
        uint32_t piece = bytes[12] % 9 + 1u;
        for (uint32_t y = 0; y < plan.source_height; y += piece) {
            uint32_t some = plan.source_height - y < piece ? plan.source_height - y : piece;
            imgk_resampler_feed(resampler, source + stride * y, stride, some, targets[side],
                                (size_t)plan.target_width * 4);
        }
        if (!imgk_resampler_is_done(resampler)) abort();
        imgk_resampler_free(resampler);
    }
    if (made && memcmp(targets[0], targets[1], result) != 0) abort();
    if (bytes[13] % 4 == 0) imgk_blur(targets[0], plan.target_width, plan.target_height,
                                      bytes[14] / 4.0 + 0.1);
    if (bytes[13] % 4 == 1) imgk_round_corners(targets[0], plan.target_width, plan.target_height,
                                               bytes[14] / 8.0);
    free(targets[0]);
    free(targets[1]);
    free(source);
    return 0;
}
