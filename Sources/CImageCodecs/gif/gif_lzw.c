// Source: CompuServe, "Graphics Interchange Format 89a", appendix F; Welch, "A Technique for
// High-Performance Data Compression", 1984.
#include "gif_lzw.h"

enum { CODES = 4096 };

static void clear(imgc_gif_lzw *lzw) {
    lzw->next = lzw->clear + 2;
    lzw->width = lzw->code_size + 1;
    lzw->previous = -1;
}

void imgc_gif_lzw_begin(imgc_gif_lzw *lzw, const uint8_t *bytes, uint64_t at, uint64_t end) {
    lzw->bytes = bytes;
    lzw->at = at + 1;
    lzw->end = end;
    lzw->block = lzw->bits = lzw->bit_count = lzw->pending_count = 0;
    lzw->ended = false;
    lzw->code_size = bytes[at];
    lzw->clear = 1u << lzw->code_size;
    clear(lzw);
}

static int32_t next_code(imgc_gif_lzw *lzw) {
    while (lzw->bit_count < lzw->width) {
        if (lzw->block == 0) {
            lzw->block = lzw->at < lzw->end ? lzw->bytes[lzw->at++] : 0;
            if (lzw->block == 0) return -1;
        }
        if (lzw->at >= lzw->end) return -1;
        lzw->bits |= (uint32_t)lzw->bytes[lzw->at++] << lzw->bit_count;
        lzw->bit_count += 8;
        lzw->block -= 1;
    }
    int32_t code = (int32_t)(lzw->bits & ((1u << lzw->width) - 1));
    lzw->bits >>= lzw->width;
    lzw->bit_count -= lzw->width;
    return code;
}

/// Puts the string of `code` on the pile, last pixel first; gives its first pixel.
static uint16_t unfold(imgc_gif_lzw *lzw, uint32_t code) {
    while (code >= lzw->clear) {
        lzw->pending[lzw->pending_count++] = lzw->suffix[code];
        code = lzw->prefix[code]; // always a smaller code: the loop ends
    }
    lzw->pending[lzw->pending_count++] = (uint16_t)code;
    return (uint16_t)code;
}

/// Reads one code and puts its pixels on the pile; false at the end.
static bool read_string(imgc_gif_lzw *lzw) {
    int32_t code = next_code(lzw);
    while (code == (int32_t)lzw->clear) {
        clear(lzw);
        code = next_code(lzw);
    }
    if (code < 0 || code == (int32_t)lzw->clear + 1) {
        lzw->ended = true;
        return false;
    }
    bool is_new = (uint32_t)code >= lzw->next;
    if (is_new && ((uint32_t)code > lzw->next || lzw->previous < 0)) return false;
    if (is_new) lzw->pending_count = 1; // its last pixel is its first one, known below
    uint16_t first = unfold(lzw, is_new ? (uint32_t)lzw->previous : (uint32_t)code);
    if (is_new) lzw->pending[0] = first;
    if (lzw->previous >= 0 && lzw->next < CODES) {
        lzw->prefix[lzw->next] = (uint16_t)lzw->previous;
        lzw->suffix[lzw->next] = first;
        lzw->next += 1;
        if (lzw->next == 1u << lzw->width && lzw->width < 12) lzw->width += 1;
    }
    lzw->previous = code;
    return true;
}

size_t imgc_gif_lzw_read(imgc_gif_lzw *lzw, uint8_t *out, size_t count) {
    size_t done = 0;
    while (done < count) {
        if (lzw->pending_count == 0 && (lzw->ended || !read_string(lzw))) break;
        uint16_t pixel = lzw->pending[--lzw->pending_count];
        out[done++] = pixel > 255 ? 255 : (uint8_t)pixel;
    }
    return done;
}
