#include "loading.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
// Where Homebrew installs is not searched by itself.
static const char *const FOLDERS[] = {"", "/opt/homebrew/lib/", "/usr/local/lib/"};
#else
static const char *const FOLDERS[] = {""};
#endif

void *imgc_library_open(const char *name) {
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s%s", FOLDERS[i], name);
        // Its functions are bound as they are called: libavif brings 20 MB of encoders.
        library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    }
    return library;
}

/// Whether the list of libraries that the dynamic linker of glibc keeps has the name. Loading takes
/// 3 to 10 ms.
static bool is_listed(const char *name) {
    FILE *file = getenv("LD_LIBRARY_PATH") ? NULL : fopen("/etc/ld.so.cache", "rb");
    if (!file) return false;
    bool is_found = false;
    enum { MOST = 4 << 20 };
    char *list = malloc(MOST);
    size_t count = list ? fread(list, 1, MOST, file) : 0, length = strlen(name) + 1;
    // Each name ends with a zero and follows one, or the end of a path.
    for (const char *at = list; at && count - (size_t)(at - list) >= length; at++) {
        at = memchr(at, name[0], count - (size_t)(at - list) - length + 1);
        if (!at) break;
        is_found = memcmp(at, name, length) == 0 && at > list && (at[-1] == 0 || at[-1] == '/');
        if (is_found) break;
    }
    free(list);
    fclose(file);
    return is_found;
}

bool imgc_library_is_present(const char *name) {
    return is_listed(name) || imgc_library_open(name) != NULL;
}
