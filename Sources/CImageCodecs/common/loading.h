// Shared libraries that are loaded when they are first used, so that a program starts without them.
#ifndef IMGC_LOADING_H
#define IMGC_LOADING_H

#include <stdbool.h>

/// Loads a library, which stays; NULL where it is not on the machine.
///
/// - `name`  as in `libheif.so.1`.
void *imgc_library_open(const char *name);

/// Whether a library is on the machine, as a rule without loading it.
bool imgc_library_is_present(const char *name);

#endif
