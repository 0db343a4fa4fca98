#include "imgc_text.h"

#include <errno.h>
#include <iconv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { room_for_fault = 16 };

// Keeps room for `more` bytes behind the text.
static int reserve(imgc_text *text, size_t *room, size_t more) {
    if (*room - text->count >= more) return 1;
    size_t wanted = *room + *room / 2 + more;
    unsigned char *bytes = wanted < *room ? NULL : realloc(text->bytes, wanted);
    if (!bytes) return 0;
    text->bytes = bytes;
    *room = wanted;
    return 1;
}

imgc_text imgc_text_read(const char *encoding, int width, const unsigned char *bytes, size_t count) {
    imgc_text text = { NULL, 0, 0 };
    iconv_t converter = iconv_open("UTF-8", encoding);
    if (converter == (iconv_t)-1) return text;
    size_t room = 0;
    char *from = (char *)(uintptr_t)bytes;    // iconv reads only
    int is_kept = reserve(&text, &room, count + room_for_fault);
    while (is_kept && count > 0) {
        char *to = (char *)text.bytes + text.count;
        size_t left = room - text.count;
        size_t result = iconv(converter, &from, &count, &to, &left);
        text.count = room - left;
        int failure = result == (size_t)-1 ? errno : 0;
        is_kept = reserve(&text, &room, failure == E2BIG ? count + room_for_fault : room_for_fault);
        if (failure == E2BIG || !is_kept) continue;
        // What the converter holds back for a mark that may follow.
        to = (char *)text.bytes + text.count;
        left = room - text.count;
        iconv(converter, NULL, NULL, &to, &left);
        text.count = room - left;
        is_kept = reserve(&text, &room, room_for_fault);
        if (failure == 0 || !is_kept) break;
        // Behind the first byte ASCII is itself, as in browsers: no `<` is lost.
        unsigned char first = (unsigned char)*from;
        int is_pair = width == 2 && first > 0x80 && first < 0xFF && count > 1 && (from[1] & 0x80);
        size_t skipped = width == 4 ? 4 : is_pair ? 2 : 1;
        if (skipped > count) skipped = count;
        from += skipped;
        count -= skipped;
        memcpy(text.bytes + text.count, "\xEF\xBF\xBD", 3);
        text.count += 3;
        text.fault_count++;
    }
    iconv_close(converter);
    if (is_kept) return text;
    free(text.bytes);
    return (imgc_text){ NULL, 0, 0 };
}

void imgc_text_free(imgc_text text) { free(text.bytes); }
