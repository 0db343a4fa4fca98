#ifndef CCURL_BYTES_H
#define CCURL_BYTES_H

#include "ccurl.h"

/// Makes room for `more` bytes behind those that are there; false without memory.
bool ccurl_reserve(ccurl_bytes *_Nonnull bytes, size_t more);

/// Adds bytes behind those that are there; false without memory.
bool ccurl_append(ccurl_bytes *_Nonnull bytes, const void *_Nonnull more, size_t count);

#endif
