#ifndef IMGC_TEXT_H
#define IMGC_TEXT_H

#include <stddef.h>

typedef struct imgc_text {
    unsigned char *bytes;   // UTF-8; NULL if the encoding is not available
    size_t count;
    size_t fault_count;     // of U+FFFD written for bytes that the encoding does not have
} imgc_text;

// Converts text to UTF-8, reading on after bytes that the encoding does not have.
//
// - `encoding`  a name of iconv, which loads a file for most of them.
// - `width`     the most bytes of a character: of an unknown one the second is skipped beyond ASCII, and
//               of four all.
imgc_text imgc_text_read(const char *encoding, int width, const unsigned char *bytes, size_t count);
void imgc_text_free(imgc_text text);

#endif
