#include "imgk.h"

#include <string.h>

void imgk_orient_rows(uint8_t *to, size_t to_bytes_per_row, const uint8_t *from,
                      size_t from_bytes_per_row, uint32_t width, uint32_t height, uint32_t first,
                      uint32_t count, uint32_t orientation) {
    // Where pixel (x, y) goes: to + base + x * step_x + y * step_y, in bytes.
    ptrdiff_t row = (ptrdiff_t)to_bytes_per_row;
    ptrdiff_t last_x = (ptrdiff_t)width - 1, last_y = (ptrdiff_t)height - 1;
    ptrdiff_t base = 0, step_x = 4, step_y = row;
    switch (orientation) {
    case 2: base = last_x * 4, step_x = -4; break;
    case 3: base = last_y * row + last_x * 4, step_x = -4, step_y = -row; break;
    case 4: base = last_y * row, step_y = -row; break;
    case 5: step_x = row, step_y = 4; break;
    case 6: base = last_y * 4, step_x = row, step_y = -4; break;
    case 7: base = last_x * row + last_y * 4, step_x = -row, step_y = -4; break;
    case 8: base = last_x * row, step_x = -row, step_y = 4; break;
    default: break;
    }
    for (uint32_t y = first; y < first + count; y++, from += from_bytes_per_row) {
        uint8_t *out = to + base + (ptrdiff_t)y * step_y;
        if (step_x == 4) {
            memcpy(out, from, (size_t)width * 4);
            continue;
        }
        for (uint32_t x = 0; x < width; x++, out += step_x) memcpy(out, from + 4 * (size_t)x, 4);
    }
}
